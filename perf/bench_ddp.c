/* 1,000,000 relations -> seconds to causalize them, microseconds of a change, bytes per relation.
 *
 *     bench_ddp [relations]
 *
 * The first commit is given in wall-clock and in processor time: on a machine that does other things too only the
 * latter says something about the program. A change is short enough for its median to do without.
 */
#include "base/timer.h"
#include "tests/support/cell_model.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 400 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, uint32_t n)
{
    qsort(list, n, sizeof *list, compare);
    return list[n / 2];
}

typedef struct Times {
    double add[ROUNDS], replace[ROUNDS], remove[ROUNDS];
} Times;

static double commit_from(CellModel *m, double start)
{
    DdpResult result = ddp_commit(m->ddp, DDP_FINAL);
    double seconds = timer_now() - start;

    if (result.verdict != DDP_DETERMINED || result.scratch) {
        fprintf(stderr, "bench_ddp: unexpected verdict %d\n", result.verdict);
        exit(1);
    }
    return seconds * 1e6;
}

static void change(CellModel *m, Times *t, uint32_t round)
{
    uint32_t leaf = m->common ? (round * 37u) % (m->leaves.n - 1) : 0;
    double start = timer_now();
    uint32_t fresh = cell_add(m, leaf);

    t->add[round] = commit_from(m, start);
    start = timer_now();
    cell_replace(m, fresh);
    t->replace[round] = commit_from(m, start);
    start = timer_now();
    cell_remove(m, fresh);
    t->remove[round] = commit_from(m, start);
}

static void bench(uint32_t relations, bool common, Times *t)
{
    Mem *mem = mem_open();
    double start = timer_now();
    CellModel *m = cell_open(mem, relations, common);
    double entered = timer_now();

    double cpu = timer_cpu();
    commit_from(m, entered);
    double done = timer_now();
    cpu = timer_cpu() - cpu;
    DdpTotals totals = ddp_totals(m->ddp);
    for (uint32_t round = 0; round < ROUNDS; round++)
        change(m, t, round);
    printf("%-12s %9u %9.3f %9.3f %9.3f %9.1f %9.1f %9.1f %9.1f\n",
           common ? "common node" : "separate", totals.rels, entered - start, done - entered, cpu,
           median(t->add, ROUNDS), median(t->replace, ROUNDS), median(t->remove, ROUNDS),
           (double)totals.bytes / totals.rels);
    cell_close(m);
    mem_close(mem);
}

int main(int argc, char **argv)
{
    uint32_t relations = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    static Times times;

    printf(
        "changes: a cell of 25 relations added, 16 of them replaced, all removed; medians of %d\n",
        ROUNDS);
    printf("%-12s %9s %9s %9s %9s %9s %9s %9s %9s\n", "system", "relations", "enter s", "commit s",
           "cpu s", "add us", "replace", "remove", "bytes/rel");
    bench(relations, false, &times);
    bench(relations, true, &times);
    return 0;
}
