/* test_audit_sums.c: the audit looks at many relations of one form together: it finds each that is off, and no other; and
 * values that are evaluated together at many points are those that are evaluated one by one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/eval/tape.h"
#include "runtime/parts/parts.h"
#include "runtime/sim/audit_plain.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n of each kind of sum: equal, opposite, factors, three terms of one sign or not, a number beside them, four terms, one
 * term; and one that is none. */
static char *sums(int n)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(
        f,
        "model Sums\ninterface:\n  parameter Real k; static Real a; static Real b; static Real c;\n"
        "  static Real d; static Real e; static Real g; static Real h; static Real p; static Real "
        "q;\n"
        "implementation:\n  static Real x;\n  der(x = x, start << k) = -x;\n"
        "  a = x*(2 + sin(time));\n  b = a;\n  b + c = 0;\n  d = 0.3*a;\n  e = a + d;\n"
        "  g + a + d = 0;\n  h - 2*a = 1 - 3*d;\n  p = a - d + e - h;\n  q = 2;\nend Sums;\n"
        "model All\nimplementation:\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  static Sums s%d{k << %g};\n", i, 1 + 0.37 * i);
    fprintf(f, "end All;\n");
    fclose(f);
    return text;
}

static bool has_var(const DdpRelView *view, DdpVar var)
{
    bool any = false;
    for (uint32_t i = 0; i < view->n; i++)
        any |= view->vars[i] == var;
    return any;
}

static bool is_listed(const RelList *list, DdpRel rel)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < list->n; i++)
        times += list->at[i] == rel;
    assert_true(times <= 1);
    return times == 1;
}

/* With `wrong` for its value exactly the relations of a variable are violated. */
static void expect_found(Sim *sim, AuditPlain *plain, const double *least, DdpVar var, double wrong)
{
    RelList found = {0};
    double right = sim->value[var];
    sim->value[var] = wrong;
    audit_plain_check(plain, NULL, least, 0, &found);
    sim->value[var] = right;
    for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++) {
        if (!ddp_rel_used(sim->ddp, rel))
            continue;
        DdpRelView view = ddp_rel(sim->ddp, rel);
        bool looked_at = view.order == 0 && view.kind != DDP_DERIVATIVE;
        assert_int_equal(is_listed(&found, rel), looked_at && has_var(&view, var));
    }
    vec_free(sim->mem, &found);
}

static void check_each(Sim *sim, AuditPlain *plain)
{
    uint32_t n = ddp_var_limit(sim->ddp);
    double *least = calloc(n, sizeof *least);
    for (uint32_t i = 0; i < n; i++)
        least[i] = sim->opt.atol;
    for (DdpVar var = 1; var < n; var++) {
        double x = sim->value[var];
        if (!ddp_var_used(sim->ddp, var) || !sim->info[var].has || x == 0)
            continue;
        expect_found(sim, plain, least, var, x * (1 + 1e-9));
        expect_found(sim, plain, least, var, -x);
        expect_found(sim, plain, least, var, INFINITY);
        expect_found(sim, plain, least, var, NAN);
    }
    RelList found = {0};
    audit_plain_check(plain, NULL, least, 0, &found);
    assert_int_equal(found.n, 0);
    free(least);
}

static AuditPlain *plain_of(Sim *sim)
{
    AuditPlain *plain = audit_plain_open(sim);
    audit_plain_begin(plain);
    for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++) {
        DdpRelView view = ddp_rel_used(sim->ddp, rel) ? ddp_rel(sim->ddp, rel) : (DdpRelView){0};
        if (view.n && view.order == 0 && view.kind != DDP_DERIVATIVE)
            assert_true(audit_plain_add(plain, rel, &view) || view.n > 4);
    }
    audit_plain_end(plain);
    return plain;
}

static void each_violation_is_found(void **state)
{
    (void)state;
    for (int n = 1; n <= 9; n++) {
        char *text = sums(n);
        SolOptions options = {.stop = 1, .steps = 10, .engine = SOL_ENGINE_INTERP};
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        Sim *sim = lab->sim->sim;
        AuditPlain *plain = plain_of(sim);
        assert_true(audit_plain_count(plain) >= 9 * (uint64_t)n);
        check_each(sim, plain);
        audit_plain_close(plain);
        sim_lab_close(lab);
        free(text);
    }
}

/* ---- where a tape has them ---- */

/* What a tape has after many looks: what is read from it at the present time. */
static TapeView view_of(Sim *sim)
{
    TapeView view = {0};
    assert_int_equal(sim->parts.n, 1);
    for (int i = 0; i < 20; i++) {
        parts_look_at(sim, sim->time);
        view = part_view(sim->parts.at[0]);
    }
    assert_non_null(view.value);
    return view;
}

/* A sum all of whose terms are read there: not the equation with sin(time), nor the long sum. */
static bool is_in_tape(const Sim *sim, const DdpRelView *view, const uint32_t *place)
{
    bool all = view->n <= 4;
    for (uint32_t i = 0; i < view->n; i++)
        all &= place[view->vars[i]] != TAPE_NOWHERE && view->vars[i] != sim->clock;
    return all;
}

static bool has_place(const DdpRelView *view, const uint32_t *place, uint32_t at)
{
    bool any = false;
    for (uint32_t i = 0; i < view->n; i++)
        any |= place[view->vars[i]] == at;
    return any;
}

static bool are_one(Sim *sim, DdpRel a, DdpRel b, const uint32_t *place)
{
    DdpRelView x = ddp_rel(sim->ddp, a), y = ddp_rel(sim->ddp, b);
    bool same = x.form == y.form;
    for (uint32_t i = 0; i < x.n && same; i++)
        same &= place[x.vars[i]] == place[y.vars[i]];
    return same;
}

/* A relation, or one of the same form about the same places. */
static bool is_found(Sim *sim, const RelList *found, DdpRel rel, const uint32_t *place)
{
    bool any = false;
    for (uint32_t i = 0; i < found->n; i++)
        any |= are_one(sim, found->at[i], rel, place);
    return any;
}

/* With `wrong` at a place those relations are violated that are about it, and no other. Returns how many. */
static int expect_at(Sim *sim, AuditPlain *plain, const double *least, const uint32_t *place,
                     TapeView view, uint32_t at, double wrong)
{
    RelList found = {0};
    int looked_at = 0;
    double *there = (double *)view.value + at, right = *there;
    *there = wrong;
    audit_plain_check(plain, view.value, least, 0, &found);
    *there = right;
    for (uint32_t i = 0; i < found.n; i++) {
        DdpRelView rel = ddp_rel(sim->ddp, found.at[i]);
        assert_true(has_place(&rel, place, at));
    }
    for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++) {
        if (!ddp_rel_used(sim->ddp, rel))
            continue;
        DdpRelView rv = ddp_rel(sim->ddp, rel);
        bool one = rv.n == 2 && place[rv.vars[0]] == place[rv.vars[1]]; /* a = b, of one place */
        if (rv.order || rv.kind == DDP_DERIVATIVE || !is_in_tape(sim, &rv, place) || one ||
            !has_place(&rv, place, at))
            continue;
        assert_true(is_found(sim, &found, rel, place));
        looked_at++;
    }
    vec_free(sim->mem, &found);
    return looked_at;
}

static int check_places(Sim *sim, AuditPlain *plain)
{
    uint32_t n = ddp_var_limit(sim->ddp), *place = malloc(n * sizeof *place);
    double *least = calloc(n, sizeof *least);
    NodeList needed = {0};
    int looked_at = 0;
    assert_int_equal(evaluate_outputs(sim), SOL_OK);
    TapeView view = view_of(sim);
    for (uint32_t i = 0; i < n; i++)
        place[i] = TAPE_NOWHERE;
    tape_view_places(sim->parts.at[0], place);
    audit_plain_place(plain, place, &needed);
    for (DdpVar var = 1; var < n; var++) {
        double x = place[var] == TAPE_NOWHERE ? 0 : view.value[place[var]];
        if (x == 0 || part_of_var(sim, var) == NULL)
            continue;
        assert_true(x == sim->value[var]);
        looked_at += expect_at(sim, plain, least, place, view, place[var], x * (1 + 1e-9));
        looked_at += expect_at(sim, plain, least, place, view, place[var], -x);
        looked_at += expect_at(sim, plain, least, place, view, place[var], INFINITY);
        looked_at += expect_at(sim, plain, least, place, view, place[var], NAN);
    }
    vec_free(sim->mem, &needed);
    free(place);
    free(least);
    return looked_at;
}

/* All in one part, so that one tape has them: each feels the first. */
static char *joined_sums(int n)
{
    char *text = NULL, *parts = sums(n);
    size_t size;
    FILE *f = open_memstream(&text, &size);
    char *all = strstr(parts, "model All");
    fprintf(f, "%.*s", (int)(all - parts), parts);
    fprintf(f, "model All\nimplementation:\n  static Real joined;\n");
    for (int i = 0; i < n; i++)
        fprintf(f, "  static Sums s%d{k << %g};\n", i, 1 + 0.37 * i);
    fprintf(f, "  der(x = joined, start << 0) = s0.e");
    for (int i = 1; i < n; i++)
        fprintf(f, " + s%d.e", i);
    fprintf(f, ";\nend All;\n");
    fclose(f);
    free(parts);
    return text;
}

static void each_violation_in_a_tape_is_found(void **state)
{
    (void)state;
    for (int n = 5; n <= 26; n += 7) {
        char *text = joined_sums(n);
        SolOptions options = {.stop = 1,
                              .steps = 10,
                              .batch_from = 2,
                              .engine = SOL_ENGINE_JIT,
                              .jit_wait = true,
                              .cache = "off"};
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        Sim *sim = lab->sim->sim;
        AuditPlain *plain = plain_of(sim);
        assert_true(check_places(sim, plain) >= 4 * n);
        audit_plain_close(plain);
        sim_lab_close(lab);
        free(text);
    }
}

static uint64_t hash_of(const char *text, SolEngine engine, double stop, SolStatus expected)
{
    SolOptions options = {
        .stop = stop, .steps = 2000, .engine = engine, .jit_wait = true, .cache = "off"};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, stop), expected);
    uint64_t hash = lab->hash;
    assert_true(lab->points > 600); /* enough for lists of calls to be made, and made anew */
    sim_lab_close(lab);
    return hash;
}

static void values_do_not_depend_on_who_evaluates(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n += 2) {
        char *text = sums(n);
        uint64_t hash = hash_of(text, SOL_ENGINE_INTERP, 2, SOL_OK);
        assert_true(hash_of(text, SOL_ENGINE_JIT, 2, SOL_OK) == hash);
        free(text);
    }
}

/* From the middle on one of many outputs has no finite value: that is seen at once, also by lists that are long in use. */
static void what_is_not_finite_is_seen(void **state)
{
    (void)state;
    const char *text =
        "model One\ninterface:\n  parameter Real k; static Real y; static Real z;\n"
        "implementation:\n  static Real x;\n  der(x = x, start << k) = -x;\n  y = 2*x;\n"
        "  z = log(x = y - 1);\nend One;\nmodel All\nimplementation:\n"
        "  static One a{k << 9}; static One b{k << 8}; static One c{k << 7};\n"
        "  static One d{k << 1.4}; static One e{k << 6}; static One f{k << 5};\nend All;\n";
    uint64_t hash = hash_of(text, SOL_ENGINE_INTERP, 2, SOL_NUMERICS);
    assert_true(hash_of(text, SOL_ENGINE_JIT, 2, SOL_NUMERICS) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_violation_is_found),
        cmocka_unit_test(each_violation_in_a_tape_is_found),
        cmocka_unit_test(values_do_not_depend_on_who_evaluates),
        cmocka_unit_test(what_is_not_finite_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
