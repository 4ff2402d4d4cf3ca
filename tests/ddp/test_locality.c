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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_components_cost_the_same_at_any_size),
        cmocka_unit_test(components_on_a_common_node_cost_the_same_at_any_size),
        cmocka_unit_test(turning_a_path_costs_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
