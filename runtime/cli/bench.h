/* bench.h: what `solstice bench` measured of one model, engine by engine. */
#ifndef RUNTIME_CLI_BENCH_H
#define RUNTIME_CLI_BENCH_H

#include "base/vec.h"
#include "runtime/cli/options.h"

enum { BENCH_ENGINES = 3, BENCH_MOST_RUNS = 99, BENCH_MOST_EVENTS = 100000 };

/* Indices as SolEngine has them. */
extern const char *const bench_engines[BENCH_ENGINES + 1];

/* What one structural event cost. */
typedef enum BenchCost {
    BENCH_STRUCTURE,
    BENCH_RESTART,
    BENCH_WAIT, /* these in microseconds */
    BENCH_VISITED,
    BENCH_KEPT,
    BENCH_REBUILT,
    BENCH_COSTS
} BenchCost;

typedef VEC(double) BenchList;

/* One process from start to exit. */
typedef struct BenchStart {
    BenchList seconds;
    double peak_bytes; /* of memory, most of all processes */
} BenchStart;

typedef struct BenchSeries {
    SolStats stats[BENCH_MOST_RUNS]; /* one for each run */
    BenchList costs[BENCH_COSTS];    /* structural events of the last run */
    double structure_us;             /* all of them together, last run */
    uint64_t structural;             /* their number */
    BenchStart first, again;         /* again: with what the first left in the cache; jit only */
} BenchSeries;

typedef struct Bench {
    Mem *mem;
    SolLoad load;
    SolOptions options;
    const char *operand; /* FILE[:MODEL] as it was given */
    const char *model;   /* NULL: the last one at the top */
    uint32_t runs, starts;
    int argc; /* of the command: its options go to the processes too */
    char **argv;
    BenchSeries series[BENCH_ENGINES];
} Bench;

/* bench_start.c: runs the program itself, `starts` times for each engine; an exit code. */
int bench_starts(Bench *bench);
/* bench_table.c: everything as text for people. */
void bench_table(Bench *bench, FILE *out);

#endif
