/* the work of a change depends on the change, not on the system: counts of relations visited. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/cell_model.h"

#include <stdio.h>
#include <stdlib.h>

/* Verifiers and sanitizers make large systems slow; the counts are the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SOLSTICE_VERIFY)
enum { SIZES = 2 };
#else
enum { SIZES = 4 };
#endif
static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};

/* The source: all cells hang on it, but none of them has to be looked at for another one. */
enum { ADD, REPLACE, REMOVE, SOURCE, CHANGES, ROUNDS = 5 };
static const char *const change_name[] = {"add", "replace", "remove", "source"};

static uint64_t commit(CellModel *m, uint32_t states)
{
    DdpResult result = ddp_commit(m->ddp, DDP_FINAL);

    assert_int_equal(result.verdict, DDP_DETERMINED);
    assert_int_equal(result.states, states);
    assert_false(result.scratch);
    return result.visited;
}

/* The same; what it names is of the size of the change too, nodes that only moved included. */
static uint64_t change(CellModel *m, uint32_t states)
{
    uint64_t visited = commit(m, states);
    uint32_t nodes, ended_or_begun;

    ddp_delta(m->ddp, &nodes);
    ddp_state_delta(m->ddp, &ended_or_begun);
    assert_in_range(nodes, 1, 4 * CELL);
    assert_true(ended_or_begun <= 2);
    return visited;
}

/* Average counts of a change in the middle of the system, over several places. */
static void measure(uint32_t relations, bool common, double *count)
{
    Mem *mem = mem_open();
    CellModel *m = cell_open(mem, relations, common);
    uint32_t cells = m->cells.n;

    commit(m, cells);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t place = cells / 2 + round * 3;
        uint32_t leaf = common ? (m->leaves.n / 2 + round) % (m->leaves.n - 1) : 0;
        uint32_t fresh = cell_add(m, leaf);
        count[ADD] += (double)change(m, cells + 1) / ROUNDS;
        cell_replace(m, fresh);
        count[REPLACE] += (double)change(m, cells + 1) / ROUNDS / 2;
        cell_replace(m, place);
        count[REPLACE] += (double)change(m, cells + 1) / ROUNDS / 2;
        cell_remove(m, fresh);
        count[REMOVE] += (double)change(m, cells) / ROUNDS;
        if (common) {
            cell_redrive(m);
            count[SOURCE] += (double)change(m, cells) / ROUNDS;
        }
    }
    cell_close(m);
    mem_close(mem);
}

static void check_sizes(bool common)
{
    double count[SIZES][CHANGES] = {{0}};

    for (int i = 0; i < SIZES; i++) {
        measure(sizes[i], common, count[i]);
        printf("%8u relations, %s:", sizes[i], common ? "common node" : "separate   ");
        for (int c = 0; c < CHANGES; c++)
            printf(" %s %.1f", change_name[c], count[i][c]);
        printf("\n");
    }
    for (int c = 0; c < (common ? CHANGES : SOURCE); c++) {
        double least = count[0][c], most = count[0][c];
        for (int i = 1; i < SIZES; i++) {
            least = count[i][c] < least ? count[i][c] : least;
            most = count[i][c] > most ? count[i][c] : most;
        }
        assert_true(least > 0);
        if (most > 1.1 * least)
            fail_msg("%s: %.1f to %.1f relations visited", change_name[c], least, most);
        assert_true(most < 20 * CELL);
    }
}

static void separate_components_cost_the_same_at_any_size(void **state)
{
    (void)state;
    check_sizes(false);
}

static void components_on_a_common_node_cost_the_same_at_any_size(void **state)
{
    (void)state;
    check_sizes(true);
}

/* ---- a path turned round ---- */

/* x[0] = source, x[i] = x[i-1] + 1 up to x[k]; then the source moves to the other end. Beside it
 * stands a crowd that has nothing to do with it. */
static double flip(uint32_t k)
{
    Mem *mem = mem_open();
    CellModel *m = cell_open(mem, 2000, false);
    DdpVar *x = mem_alloc(mem, (k + 1) * sizeof *x);

    for (uint32_t i = 0; i <= k; i++)
        x[i] = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    DdpRel source =
        ddp_enter_rel(m->ddp, DDP_EQUATION, m->copy, 2, (DdpVar[]){x[0], m->source}, 0, 0);
    for (uint32_t i = 1; i <= k; i++)
        ddp_enter_rel(m->ddp, DDP_EQUATION, m->next[0], 2, (DdpVar[]){x[i], x[i - 1]}, 0, 0);
    commit(m, m->cells.n);
    ddp_remove_rel(m->ddp, source);
    source = ddp_enter_rel(m->ddp, DDP_EQUATION, m->copy, 2, (DdpVar[]){x[k], m->source}, 0, 0);
    uint64_t there = commit(m, m->cells.n);
    assert_int_equal(ddp_causality(m->ddp, source), x[k]);
    ddp_remove_rel(m->ddp, source);
    ddp_enter_rel(m->ddp, DDP_EQUATION, m->copy, 2, (DdpVar[]){x[0], m->source}, 0, 0);
    uint64_t back = commit(m, m->cells.n);
    cell_close(m);
    mem_close(mem);
    return (double)(there + back) / 2;
}

static void turning_a_path_costs_its_length(void **state)
{
    (void)state;
    double short_path = flip(10) / 10, middle = flip(100) / 100, long_path = flip(1000) / 1000;

    printf("per relation of the path: %.2f, %.2f, %.2f\n", short_path, middle, long_path);
    assert_true(long_path >= 1);
    assert_true(middle <= 1.2 * short_path);
    assert_true(long_path <= 1.2 * short_path);
}

/* ---- higher index ---- */

/* A path as above, from sin(time) to one end, with four derivatives taken of the other: every relation of it is
 * differentiated four times. Then both ends are exchanged. */
static double flip_differentiated(uint32_t k)
{
    Mem *mem = mem_open();
    CellModel *m = cell_open(mem, 2000, false);
    DdpVar *x = mem_alloc(mem, (k + 1) * sizeof *x);
    uint64_t visited = 0;

    for (uint32_t i = 0; i <= k; i++)
        x[i] = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    for (uint32_t i = 1; i <= k; i++)
        ddp_enter_rel(m->ddp, DDP_EQUATION, m->next[0], 2, (DdpVar[]){x[i], x[i - 1]}, 0, 0);
    DdpVar slope[5] = {0};
    for (uint32_t i = 1; i < 5; i++)
        slope[i] = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    DdpRel source = 0, first = 0;
    for (uint32_t round = 0; round < 3; round++) {
        DdpVar from = x[round % 2 ? k : 0], to = x[round % 2 ? 0 : k];
        if (source) {
            ddp_remove_rel(m->ddp, source);
            ddp_remove_rel(m->ddp, first);
        }
        source =
            ddp_enter_rel(m->ddp, DDP_EQUATION, m->drive[0], 2, (DdpVar[]){from, m->clock}, 0, 0);
        first = ddp_enter_rel(m->ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){slope[1], to}, 0, 0);
        for (uint32_t i = 2; i < 5 && !round; i++)
            ddp_enter_rel(m->ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){slope[i], slope[i - 1]}, 0, 0);
        uint64_t count = commit(m, m->cells.n);
        visited += round ? count : 0;
        assert_true(ddp_totals(m->ddp).derived_rels >= 4 * k);
    }
    cell_close(m);
    mem_close(mem);
    return (double)visited / 2;
}

static void turning_a_differentiated_path_costs_its_length(void **state)
{
    (void)state;
    double short_path = flip_differentiated(10) / 10, middle = flip_differentiated(100) / 100,
           long_path = flip_differentiated(1000) / 1000;

    printf("per relation of the path, four derivatives: %.2f, %.2f, %.2f\n", short_path, middle,
           long_path);
    assert_true(long_path >= 5);
    assert_true(middle <= 1.2 * short_path);
    assert_true(long_path <= 1.2 * short_path);
}

/* A mass on a rod of length 1: x, y, their velocities and accelerations, the pull. Index 3. */
typedef struct Rod {
    DdpVar pull, x, y;
    DdpRel bound;
} Rod;

typedef struct Rods {
    CellModel *m;
    Form circle, newton, nothing;
} Rods;

static Rod hang(const Rods *s)
{
    Ddp *ddp = s->m->ddp;
    Rod rod = {0};
    DdpVar place[2];

    rod.pull = ddp_enter_var(ddp, DDP_UNKNOWN);
    for (uint32_t i = 0; i < 2; i++) {
        DdpVar velocity = ddp_enter_var(ddp, DDP_UNKNOWN), slope = ddp_enter_var(ddp, DDP_UNKNOWN);
        place[i] = ddp_enter_var(ddp, DDP_UNKNOWN);
        ddp_enter_rel(ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){velocity, place[i]}, 0, 0);
        ddp_enter_rel(ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){slope, velocity}, 0, 0);
        ddp_enter_rel(ddp, DDP_EQUATION, s->newton, 3, (DdpVar[]){slope, rod.pull, place[i]}, 0, 0);
    }
    rod.x = place[0];
    rod.y = place[1];
    return rod;
}

static void bind(const Rods *s, Rod *rod, bool bound)
{
    Ddp *ddp = s->m->ddp;

    if (rod->bound)
        ddp_remove_rel(ddp, rod->bound);
    rod->bound =
        bound ? ddp_enter_rel(ddp, DDP_EQUATION, s->circle, 2, (DdpVar[]){rod->x, rod->y}, 0, 0)
              : ddp_enter_rel(ddp, DDP_EQUATION, s->nothing, 1, &rod->pull, 0, 0);
}

/* Visits of a rod that breaks and of one that is bound again, among n. */
static void break_one(uint32_t n, double *breaks, double *binds)
{
    Mem *mem = mem_open();
    Rods s = {.m = cell_open(mem, 100, false)};
    FormTable *forms = s.m->forms;
    X x = x_pos(forms, 0), y = x_pos(forms, 1), one = x_const(forms, 1);
    s.circle = form_make(
        forms, x_binary(forms, X_ADD, x_binary(forms, X_MUL, x, x), x_binary(forms, X_MUL, y, y)),
        one, 2);
    s.newton =
        form_make(forms, x, x_unary(forms, X_NEG, x_binary(forms, X_MUL, y, x_pos(forms, 2))), 3);
    s.nothing = form_make(forms, x, x_const(forms, 0), 1);
    Rod *rod = mem_alloc(mem, n * sizeof *rod);
    for (uint32_t i = 0; i < n; i++) {
        rod[i] = hang(&s);
        bind(&s, &rod[i], true);
    }
    commit(s.m, s.m->cells.n + 2 * n);
    bind(&s, &rod[n / 2], false);
    *breaks = (double)commit(s.m, s.m->cells.n + 2 * n + 2);
    bind(&s, &rod[n / 2], true);
    *binds = (double)commit(s.m, s.m->cells.n + 2 * n);
    cell_close(s.m);
    mem_close(mem);
}

static void a_rod_that_breaks_costs_the_same_among_any_number(void **state)
{
    (void)state;
    double breaks[3], binds[3];

    for (uint32_t i = 0, n = 2; i < 3; i++, n *= 20) {
        break_one(n, &breaks[i], &binds[i]);
        printf("among %u rods: breaks %.0f, is bound %.0f\n", n, breaks[i], binds[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range((uint64_t)breaks[i], 10, 150);
        assert_in_range((uint64_t)binds[i], 10, 300);
        assert_true(breaks[i] == breaks[0] && binds[i] == binds[0]);
    }
}

/* ---- loops ---- */

/* A ring of k relations, each of which all others follow from when its variable is torn. */
static double close_ring(uint32_t k)
{
    Mem *mem = mem_open();
    CellModel *m = cell_open(mem, 2000, false);
    DdpVar *x = mem_alloc(mem, k * sizeof *x);

    commit(m, m->cells.n);
    for (uint32_t i = 0; i < k; i++)
        x[i] = ddp_enter_var(m->ddp, DDP_UNKNOWN);
    for (uint32_t i = 0; i < k; i++)
        ddp_enter_rel(m->ddp, DDP_EQUATION, m->next[i % 2], 2, (DdpVar[]){x[i], x[(i + 1) % k]}, 0,
                      0);
    double visited = (double)commit(m, m->cells.n);
    cell_close(m);
    mem_close(mem);
    return visited;
}

static void tearing_a_ring_costs_its_length(void **state)
{
    (void)state;
    double short_ring = close_ring(7) / 7, long_ring = close_ring(63) / 63;
    printf("per relation of a ring: %.2f, %.2f\n", short_ring, long_ring);
    assert_true(long_ring <= 1.2 * short_ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_components_cost_the_same_at_any_size),
        cmocka_unit_test(components_on_a_common_node_cost_the_same_at_any_size),
        cmocka_unit_test(turning_a_path_costs_its_length),
        cmocka_unit_test(turning_a_differentiated_path_costs_its_length),
        cmocka_unit_test(a_rod_that_breaks_costs_the_same_among_any_number),
        cmocka_unit_test(tearing_a_ring_costs_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
