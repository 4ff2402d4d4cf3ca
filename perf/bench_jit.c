/* bench_jit.c: what code costs to make, to fetch and to run.
 *
 * The component has nine floating-point operations in three assignments; 4,200 instances of it are
 * evaluated. Times are the best of several rounds. */
#include "base/timer.h"
#include "jit/disk_cache.h"
#include "jit/interp.h"
#include "jit/jit.h"
#include "tests/support/random_x.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTANCES = 4200, VARS = 9, ROUNDS = 200, SHAPES = 200 };

extern char **environ;

typedef struct Bench {
    Mem *mem;
    FormTable *forms;
    Shapes *shapes;
    Interp *interp;
    JitEnv env;
    X x[3];
    uint32_t vars[3][4];
    ShapeUse use;
    const Shape *random[SHAPES]; /* all different */
    uint32_t slots[16];
    double *values; /* INSTANCES * VARS */
} Bench;

/* ---- the component ---- */

/* Variables of an instance: 0 R, 1 i, 2 v1, 3 v2, 4 e, 5 d, 6 a, 7 b, 8 f. */
static void build_component(Bench *b)
{
    FormTable *f = b->forms;
    X p0 = x_pos(f, 0), p1 = x_pos(f, 1), p2 = x_pos(f, 2), p3 = x_pos(f, 3);
    X drop = x_binary(f, X_ADD, x_binary(f, X_MUL, p0, p1), x_binary(f, X_SUB, p2, p3));
    X left = x_binary(f, X_MUL, x_binary(f, X_SUB, p0, p1), x_const(f, 0.75));
    X sum = x_binary(f, X_ADD, left, x_binary(f, X_MUL, p2, p0));
    X last = x_binary(f, X_SUB, x_binary(f, X_MUL, p0, p0), p1);
    memcpy(b->x, (X[]){drop, sum, last}, sizeof b->x);
    memcpy(b->vars, (uint32_t[3][4]){{0, 1, 2, 3}, {6, 4, 5}, {7, 6}}, sizeof b->vars);
    ShapeItem items[3];
    for (uint32_t i = 0; i < 3; i++)
        items[i] = (ShapeItem){6 + i, b->x[i], b->vars[i]};
    b->use = shape_of(b->shapes, 3, items, NULL);
    memcpy(b->slots, b->use.slots, b->use.shape->n_slots * sizeof *b->slots);
}

static void by_hand(double *restrict v)
{
    v[6] = v[0] * v[1] + (v[2] - v[3]);
    v[7] = (v[6] - v[4]) * 0.75 + v[5] * v[6];
    v[8] = v[7] * v[7] - v[6];
}

__attribute__((noinline)) static void hand_records(double *v)
{
    for (uint32_t i = 0; i < INSTANCES; i++)
        by_hand(v + (size_t)i * VARS);
}

#ifdef __clang__
#define BEST_EFFORT /* clang vectorises at -O2 already */
#else
#define BEST_EFFORT __attribute__((optimize("O3")))
#endif

__attribute__((noinline)) BEST_EFFORT static void
hand_arrays(const double *restrict r, const double *restrict c, const double *restrict v1,
            const double *restrict v2, const double *restrict e, const double *restrict d,
            double *restrict a, double *restrict b, double *restrict f)
{
    for (uint32_t i = 0; i < INSTANCES; i++) {
        a[i] = r[i] * c[i] + (v1[i] - v2[i]);
        b[i] = (a[i] - e[i]) * 0.75 + d[i] * a[i];
        f[i] = b[i] * b[i] - a[i];
    }
}

/* ---- running it ---- */

static void fill(Bench *b)
{
    for (uint32_t i = 0; i < INSTANCES * VARS; i++)
        b->values[i] = 1 + i % 7 * 0.25;
}

static void report(const char *what, double seconds)
{
    printf("  %-46s %8.2f ns\n", what, seconds / INSTANCES * 1e9);
}

static uint32_t *slot_tables(Bench *b)
{
    uint32_t n = b->use.shape->n_slots;
    uint32_t *tables = mem_alloc(b->mem, (size_t)INSTANCES * n * sizeof *tables);
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t s = 0; s < n; s++)
            tables[i * n + s] = i * VARS + b->slots[s];
    return tables;
}

static void run_layout(Bench *b, JitCode code, JitLayout layout, const uint32_t *tables)
{
    uint32_t n = b->use.shape->n_slots;
    const double *k = b->use.constants;
    if (layout == JIT_SINGLE)
        for (uint32_t i = 0; i < INSTANCES; i++)
            code.value(b->values, tables + (size_t)i * n, k, &b->env);
    else
        code.batch(b->values, NULL, tables, k, &b->env, INSTANCES, layout == JIT_TABLES ? n : VARS);
}

static double time_layout(Bench *b, JitCode code, JitLayout layout)
{
    uint32_t *tables = slot_tables(b);
    double best = 1e9;
    if (layout == JIT_ARRAYS)
        for (uint32_t s = 0; s < b->use.shape->n_slots; s++)
            tables[s] = b->slots[s] * INSTANCES;
    fill(b);
    for (uint32_t r = 0; r < ROUNDS; r++) {
        double start = timer_now();
        run_layout(b, code, layout, tables);
        double seconds = timer_now() - start;
        best = seconds < best ? seconds : best;
    }
    mem_free(b->mem, tables);
    return best;
}

static void bench_layouts(Bench *b, const char *tier, JitOptions options)
{
    static const char *const name[] = {"single, called through slots", "tables, one loop",
                                       "records: base + offset", "arrays, vectorised"};
    Jit *jit = jit_open(&options);
    for (JitLayout layout = JIT_SINGLE; layout <= JIT_ARRAYS; layout++) {
        JitEntry *entry = jit_request(jit, &(JitRequest){.shape = b->use.shape, .layout = layout});
        char what[80];
        jit_wait(jit);
        snprintf(what, sizeof what, "%s, %s", tier, name[layout]);
        if (jit_code(entry).any)
            report(what, time_layout(b, jit_code(entry), layout));
        else
            printf("  %s: %s\n", what, jit_refusal_text(jit_refusal(entry)));
    }
    jit_close(jit);
}

static void bench_interpreter(Bench *b)
{
    const Code *code[3];
    double scratch[64], best = 1e9;
    uint32_t none = INTERP_NO_TARGET, shifted[3][4];
    for (uint32_t i = 0; i < 3; i++)
        code[i] = interp_get(b->interp, interp_code(b->interp, 1, &none, &b->x[i]));
    fill(b);
    for (uint32_t r = 0; r < ROUNDS / 10; r++) {
        double start = timer_now();
        for (uint32_t n = 0; n < INSTANCES; n++)
            for (uint32_t i = 0; i < 3; i++) {
                for (uint32_t p = 0; p < 4; p++)
                    shifted[i][p] = n * VARS + b->vars[i][p];
                interp_run(code[i], shifted[i], b->values, scratch, NULL, NULL);
                b->values[n * VARS + 6 + i] = scratch[0];
            }
        double seconds = timer_now() - start;
        best = seconds < best ? seconds : best;
    }
    report("interpreter", best);
}

static void bench_hand(Bench *b)
{
    double *v = b->values, best[2] = {1e9, 1e9};
    fill(b);
    for (uint32_t r = 0; r < ROUNDS; r++) {
        double start = timer_now();
        hand_records(v);
        double middle = timer_now();
        hand_arrays(v, v + INSTANCES, v + 2 * INSTANCES, v + 3 * INSTANCES, v + 4 * INSTANCES,
                    v + 5 * INSTANCES, v + 6 * INSTANCES, v + 7 * INSTANCES, v + 8 * INSTANCES);
        double end = timer_now();
        best[0] = middle - start < best[0] ? middle - start : best[0];
        best[1] = end - middle < best[1] ? end - middle : best[1];
    }
    report("C by hand, records", best[0]);
    report("C by hand, arrays, -O3", best[1]);
}

/* ---- making it ---- */

static const Shape *random_shape(Bench *b, Rng *rng)
{
    static const uint32_t vars[] = {0, 1, 2, 3, 4, 5};
    for (uint32_t before = shape_totals(b->shapes).shapes;;) {
        X x = random_x(b->forms, rng, RANDOM_SMOOTH, 10, 6, 0);
        ShapeItem item = {9, x, vars};
        const Shape *shape = shape_of(b->shapes, 1, &item, NULL).shape;
        if (shape_totals(b->shapes).shapes > before)
            return shape;
    }
}

static void make_random_shapes(Bench *b)
{
    Rng rng = {42};
    for (uint32_t i = 0; i < SHAPES; i++)
        b->random[i] = random_shape(b, &rng);
}

/* Seconds per function, in modules of `batch`. */
static double compile_time(Bench *b, JitOptions options, uint32_t batch, JitStats *stats)
{
    options.batch = batch;
    Jit *jit = jit_open(&options);
    jit_request(jit, &(JitRequest){.shape = b->use.shape}); /* LLVM's first time is not counted */
    jit_wait(jit);
    double start = timer_now();
    for (uint32_t i = 0; i < SHAPES; i++) {
        jit_request(jit, &(JitRequest){.shape = b->random[i]});
        if (batch == 1)
            jit_wait(jit);
    }
    jit_wait(jit);
    double seconds = timer_now() - start;
    *stats = jit_stats(jit);
    jit_close(jit);
    return seconds / SHAPES;
}

static void bench_compile(Bench *b)
{
    static const uint32_t batches[] = {1, 8, 32, 64};
    JitStats stats;
    double load = 0; /* only the first service of a process finds LLVM not loaded */
    for (uint32_t tier = 0; tier < 2; tier++)
        for (uint32_t i = 0; i < 4; i++) {
            JitOptions options = {.only_quick = tier == 0, .only_optimised = tier == 1};
            double each = compile_time(b, options, batches[i], &stats);
            load = stats.load_seconds > load ? stats.load_seconds : load;
            printf("  %-10s %2u to a module: %8.0f us each (LLVM %.0f us)\n",
                   tier ? "optimised" : "quick", batches[i], each * 1e6,
                   stats.compile_seconds / (SHAPES + 1) * 1e6);
        }
    printf("  loading LLVM: %.1f ms\n", load * 1e3);
}

static void bench_disk(Bench *b)
{
    char folder[] = "/tmp/bench_jit_XXXXXX";
    JitStats stats;
    if (!mkdtemp(folder))
        return;
    compile_time(b, (JitOptions){.cache = folder}, 32, &stats);
    double each = compile_time(b, (JitOptions){.cache = folder}, 32, &stats);
    printf("  from disk: %.0f us each, %llu of %d, LLVM loaded: %s\n", each * 1e6,
           (unsigned long long)stats.shapes_from_disk, SHAPES + 1,
           stats.load_seconds > 0 ? "yes" : "no");
    disk_cache_clear(folder);
    rmdir(folder);
}

static void bench_shapes(Bench *b)
{
    enum { TIMES = 100000 };
    ShapeItem items[3];
    for (uint32_t i = 0; i < 3; i++)
        items[i] = (ShapeItem){6 + i, b->x[i], b->vars[i]};
    double start = timer_now();
    for (uint32_t i = 0; i < TIMES; i++)
        shape_of(b->shapes, 3, items, NULL);
    printf("  shape of a known block of 3 relations: %.0f ns\n",
           (timer_now() - start) / TIMES * 1e9);
    JitOptions options = {.warm = 1};
    Jit *jit = jit_open(&options);
    start = timer_now();
    for (uint32_t i = 0; i < TIMES; i++)
        jit_request(jit, &(JitRequest){.shape = b->use.shape});
    printf("  request of a known shape: %.0f ns\n", (timer_now() - start) / TIMES * 1e9);
    jit_close(jit);
}

/* A process that opens the service, asks for nothing and ends. */
static void bench_start(const char *program)
{
    double best = 1e9;
    for (uint32_t i = 0; i < 20; i++) {
        pid_t pid;
        int status;
        char *argv[] = {(char *)program, "nothing", NULL};
        double start = timer_now();
        if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0)
            return;
        waitpid(pid, &status, 0);
        double seconds = timer_now() - start;
        best = seconds < best ? seconds : best;
    }
    printf("  process from start to exit, nothing compiled: %.2f ms\n", best * 1e3);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        jit_close(jit_open(&(JitOptions){0}));
        return 0;
    }
    Bench b = {.mem = mem_open()};
    b.forms = forms_open(b.mem);
    b.shapes = shapes_open(b.mem, b.forms);
    b.interp = interp_open(b.mem, b.forms);
    b.values = mem_alloc(b.mem, (INSTANCES * VARS + 64) * sizeof *b.values);
    jit_env(&b.env, NULL, NULL);
    build_component(&b);
    make_random_shapes(&b);
    printf("start\n");
    bench_start(argv[0]);
    printf("making code, functions of 10 operators\n");
    bench_shapes(&b);
    bench_compile(&b);
    bench_disk(&b);
    printf("running code, 9 flops, %d instances, per instance\n", INSTANCES);
    bench_interpreter(&b);
    bench_layouts(&b, "quick", (JitOptions){.only_quick = true});
    bench_layouts(&b, "optimised", (JitOptions){.only_optimised = true});
    bench_hand(&b);
    mem_close(b.mem);
    return 0;
}
