/* test_audit_sums.c: the audit looks at many relations of one form together: it finds each that is off, and no other; and
 * values that are evaluated together at many points are those that are evaluated one by one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/sim/audit_plain.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    audit_plain_check(plain, least, 0, &found);
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
    audit_plain_check(plain, least, 0, &found);
    assert_int_equal(found.n, 0);
    free(least);
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
        AuditPlain *plain = audit_plain_open(sim);
        for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++) {
            DdpRelView view =
                ddp_rel_used(sim->ddp, rel) ? ddp_rel(sim->ddp, rel) : (DdpRelView){0};
            if (view.n && view.order == 0 && view.kind != DDP_DERIVATIVE)
                assert_true(audit_plain_add(plain, rel, &view));
        }
        assert_true(audit_plain_count(plain) >= 9 * (uint64_t)n);
        check_each(sim, plain);
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
        cmocka_unit_test(values_do_not_depend_on_who_evaluates),
        cmocka_unit_test(what_is_not_finite_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
