/* test_connect.c: connection sets that grow and shrink, against sets computed from scratch.
 *
 * A box with connectors of its own and inner ones; every possible connection stands in a branch of
 * its own, so that a test can put it in and take it out. After each change the relations in the DDP
 * must say what the edges say: which potentials are equal, and which flows, with which sign, sum up
 * to zero, however the sums are cut into partial sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/world_lab.h"

enum { MAX_PINS = 300, MAX_EDGES = 1500, FIRST_LINE = 9 };

typedef struct Rig {
    WorldLab lab;
    uint32_t pins, edges, own; /* the first `own` pins belong to the interface */
    uint32_t end[MAX_EDGES][2];
    BranchId branch[MAX_EDGES];
    bool in[MAX_EDGES];
    DdpVar u[MAX_PINS], i[MAX_PINS];
} Rig;

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static char *make_text(const Rig *rig)
{
    char *text = malloc(4096 + rig->pins * 40 + rig->edges * 80), *at = text;
    at += sprintf(at, "connector Pin\ninterface: potential Real u; flow Real i;\nend Pin;\n"
                      "model Box\ninterface:");
    for (uint32_t k = 0; k < rig->own; k++)
        at += sprintf(at, " Pin p%u;", k);
    at += sprintf(at, "\nimplementation:");
    for (uint32_t k = rig->own; k < rig->pins; k++)
        at += sprintf(at, " Pin p%u;", k);
    at += sprintf(at, "\n  Boolean no;\n  no << false;\n");
    for (uint32_t k = 0; k < rig->edges; k++)
        at += sprintf(at, "  if no then connection{a << p%u, b << p%u}; end if;\n", rig->end[k][0],
                      rig->end[k][1]);
    sprintf(at, "end Box;\n");
    return text;
}

static void rig_open(Rig *rig)
{
    char *text = make_text(rig), path[40];
    rig->lab = wlab_open(text, NULL);
    free(text);
    for (uint32_t k = 0; k < rig->pins; k++) {
        snprintf(path, sizeof path, "p%u.u", k);
        rig->u[k] = world_find(rig->lab.world, path);
        snprintf(path, sizeof path, "p%u.i", k);
        rig->i[k] = world_find(rig->lab.world, path);
    }
    for (BranchId id = 1; id < world_branch_limit(rig->lab.world); id++) {
        WorldBranch b;
        assert_true(world_branch(rig->lab.world, id, &b));
        uint32_t line = source_locate(program_sources(rig->lab.program), b.at).line;
        rig->branch[line - FIRST_LINE] = id;
    }
}

static void switch_edge(Rig *rig, uint32_t k, bool in)
{
    WorldDecision d = {rig->branch[k], in ? WORLD_THEN : WORLD_ELSE};
    assert_true(world_choose(rig->lab.world, 1, &d));
    rig->in[k] = in;
}

/* ---- from scratch ---- */

static uint32_t root_of(uint32_t *up, uint32_t k)
{
    while (up[k] != k)
        k = up[k] = up[up[k]];
    return k;
}

static void sets_of_edges(const Rig *rig, uint32_t *up)
{
    for (uint32_t k = 0; k < rig->pins; k++)
        up[k] = k;
    for (uint32_t k = 0; k < rig->edges; k++)
        if (rig->in[k])
            up[root_of(up, rig->end[k][0])] = root_of(up, rig->end[k][1]);
}

/* ---- from the relations ---- */

static uint32_t pin_of(const Rig *rig, const DdpVar *vars, DdpVar var)
{
    for (uint32_t k = 0; k < rig->pins; k++)
        if (vars[k] == var)
            return k;
    return UINT32_MAX;
}

static FormTable *forms_of(const Rig *rig);

static double factor_at(const Rig *rig, Form form, uint32_t position)
{
    FormTable *forms = forms_of(rig);
    XNode node = x_node(forms, form_info(forms, form)->position[position].factor);
    assert_int_equal(node.op, X_CONST);
    return node.k;
}

static FormTable *forms_of(const Rig *rig)
{
    return first_mode_forms(rig->lab.mode);
}

/* The terms of a zero-sum, partial sums replaced by theirs: sign[pin] of each. */
static void expand(const Rig *rig, DdpRel root, int *sign, const DdpRel *sum_of)
{
    struct {
        DdpRel rel;
        double factor;
    } todo[2 * MAX_PINS];
    uint32_t n = 0;
    todo[n].rel = root;
    todo[n++].factor = 1;
    while (n) {
        DdpRel rel = todo[--n].rel;
        double outer = todo[n].factor;
        DdpRelView view = ddp_rel(rig->lab.ddp, rel);
        for (uint32_t k = 0; k < view.n; k++) {
            double factor = outer * factor_at(rig, view.form, k);
            uint32_t pin = pin_of(rig, rig->i, view.vars[k]);
            if (pin != UINT32_MAX) {
                assert_int_equal(sign[pin], 0);
                sign[pin] = (int)factor;
            } else if (sum_of[view.vars[k]] != rel) { /* a partial sum s = terms: s - terms = 0 */
                todo[n].rel = sum_of[view.vars[k]];
                todo[n++].factor = -factor;
            }
        }
    }
}

static bool is_equality(const Rig *rig, DdpRelView view)
{
    return view.n == 2 && pin_of(rig, rig->u, view.vars[0]) != UINT32_MAX;
}

static bool is_partial(const Rig *rig, DdpRelView view)
{
    return pin_of(rig, rig->i, view.vars[0]) == UINT32_MAX && view.n > 1 &&
           factor_at(rig, view.form, 0) > 0 && factor_at(rig, view.form, 1) != 0 &&
           form_info(forms_of(rig), view.form)->rhs != x_const(forms_of(rig), 0);
}

static void check_sums(const Rig *rig, uint32_t *up, const DdpRel *roots, uint32_t n_roots,
                       const DdpRel *sum_of)
{
    uint32_t sets = 0, size[MAX_PINS] = {0};
    for (uint32_t k = 0; k < rig->pins; k++)
        size[root_of(up, k)]++;
    for (uint32_t k = 0; k < rig->pins; k++)
        sets += size[k] > 1;
    assert_int_equal(n_roots, sets);
    assert_int_equal(world_totals(rig->lab.world).sets, sets);
    for (uint32_t r = 0; r < n_roots; r++) {
        int sign[MAX_PINS] = {0};
        expand(rig, roots[r], sign, sum_of);
        uint32_t root = UINT32_MAX;
        for (uint32_t k = 0; k < rig->pins && root == UINT32_MAX; k++)
            if (sign[k])
                root = root_of(up, k);
        for (uint32_t k = 0; k < rig->pins; k++)
            assert_int_equal(sign[k], root_of(up, k) != root ? 0 : k < rig->own ? -1 : 1);
    }
}

static void check_all(const Rig *rig)
{
    uint32_t up[MAX_PINS], joined[MAX_PINS], n_roots = 0, equalities = 0, expected = 0;
    DdpRel roots[MAX_PINS];
    sets_of_edges(rig, up);
    for (uint32_t k = 0; k < rig->pins; k++)
        joined[k] = k;
    DdpRel *sum_of = calloc(ddp_var_limit(rig->lab.ddp), sizeof *sum_of);
    for (DdpRel rel = 1; rel < ddp_rel_limit(rig->lab.ddp); rel++) {
        if (world_rel_place(rig->lab.world, rel) == 0)
            continue;
        DdpRelView view = ddp_rel(rig->lab.ddp, rel);
        if (view.kind != DDP_EQUATION)
            continue;
        if (is_equality(rig, view)) {
            uint32_t a = root_of(joined, pin_of(rig, rig->u, view.vars[0]));
            uint32_t b = root_of(joined, pin_of(rig, rig->u, view.vars[1]));
            assert_int_not_equal(a, b);
            joined[a] = b;
            equalities++;
        } else if (is_partial(rig, view)) {
            sum_of[view.vars[0]] = rel;
            assert_true(view.n <= 9);
        } else {
            roots[n_roots++] = rel;
            assert_true(view.n <= 8);
        }
    }
    for (uint32_t k = 0; k < rig->edges; k++)
        expected += rig->in[k];
    assert_int_equal(equalities, expected);
    for (uint32_t k = 0; k < rig->pins; k++)
        for (uint32_t j = 0; j < k; j++)
            assert_int_equal(root_of(up, k) == root_of(up, j),
                             root_of(joined, k) == root_of(joined, j));
    check_sums(rig, up, roots, n_roots, sum_of);
    free(sum_of);
}

/* ---- tests ---- */

static void random_run(uint32_t seed, uint32_t pins, uint32_t edges, uint32_t steps)
{
    Rig *rig = calloc(1, sizeof *rig);
    rig->pins = pins;
    rig->edges = edges;
    rig->own = pins / 4;
    for (uint32_t k = 0; k < edges; k++) {
        rig->end[k][0] = next_random(&seed) % pins;
        do
            rig->end[k][1] = next_random(&seed) % (k % 3 ? pins : 2); /* some nodes are popular */
        while (rig->end[k][1] == rig->end[k][0]);
    }
    rig_open(rig);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t k = next_random(&seed) % edges, up[MAX_PINS];
        sets_of_edges(rig, up);
        if (rig->in[k])
            switch_edge(rig, k, false);
        else if (root_of(up, rig->end[k][0]) != root_of(up, rig->end[k][1]))
            switch_edge(rig, k, true);
        if (step % 20 == 19 || step < 20) {
            ddp_commit(rig->lab.ddp, DDP_SO_FAR);
            world_verify(rig->lab.world);
            check_all(rig);
        }
    }
    wlab_close(&rig->lab);
    free(rig);
}

static void test_random_small(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++)
        random_run(seed, 8, 30, 100);
}

static void test_random_large(void **state)
{
    (void)state;
    random_run(77, 250, 1200, 2000);
}

/* A pin that comes or goes touches few relations, however many others there are. */
static void test_large_node_is_local(void **state)
{
    (void)state;
    Rig *rig = calloc(1, sizeof *rig);
    rig->pins = 300;
    rig->edges = 299;
    for (uint32_t k = 0; k < rig->edges; k++) {
        rig->end[k][0] = 0;
        rig->end[k][1] = k + 1;
    }
    rig_open(rig);
    for (uint32_t k = 0; k + 1 < rig->edges; k++)
        switch_edge(rig, k, true);
    ddp_commit(rig->lab.ddp, DDP_SO_FAR);
    check_all(rig);
    uint32_t limit = ddp_rel_limit(rig->lab.ddp), changed = 0;
    DdpRelView *before = calloc(limit, sizeof *before);
    for (DdpRel rel = 1; rel < limit; rel++)
        if (world_rel_place(rig->lab.world, rel))
            before[rel] = ddp_rel(rig->lab.ddp, rel);
    switch_edge(rig, 298, true);
    ddp_commit(rig->lab.ddp, DDP_SO_FAR);
    for (DdpRel rel = 1; rel < limit; rel++)
        changed += before[rel].form && (!world_rel_place(rig->lab.world, rel) ||
                                        ddp_rel(rig->lab.ddp, rel).form != before[rel].form);
    assert_true(changed <= 4);
    check_all(rig);
    free(before);
    wlab_close(&rig->lab);
    free(rig);
}

static void test_cycle(void **state)
{
    (void)state;
    WorldLab lab = wlab_open_any("connector Pin\n"
                                 "interface: potential Real u; flow Real i;\n"
                                 "end Pin;\n"
                                 "model M\n"
                                 "implementation:\n"
                                 "  Pin a; Pin b; Pin c;\n"
                                 "  connection{a << a, b << b};\n"
                                 "  connection{a << b, b << c};\n"
                                 "  connection{a << c, b << a};\n"
                                 "end M;\n",
                                 NULL);
    assert_string_equal(wlab_first_error(&lab), ""); /* the third says nothing new */
    wlab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_small),
        cmocka_unit_test(test_random_large),
        cmocka_unit_test(test_large_node_is_local),
        cmocka_unit_test(test_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
