/* bench_instantiate.c: generated models of 1,000 and 1,000,000 relations -> seconds (of CPU), bytes
 * and microseconds of the front end.
 *
 *     bench_instantiate [COMPONENTS]      100,000 by default, ten relations each
 *
 * Per model, with separate components and with one common node for all: the time to parse and to
 * instantiate, the memory of the front end per relation, and the time to remove one component and
 * to instantiate it again. The last two must not depend on the size of the model. */
#include "frontend/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char library[] = "connector Pin\n"
                              "interface:\n"
                              "  potential Real u;\n"
                              "  flow Real i;\n"
                              "end Pin;\n"
                              "model Cell\n"
                              "interface:\n"
                              "  parameter Real R;\n"
                              "  Pin p;\n"
                              "implementation:\n"
                              "  Real u; Real i; Real q; Real r1; Real r2; Real power; Real heat;\n"
                              "  u = p.u;\n"
                              "  i = p.i;\n"
                              "  i = R*der(x = q);\n"
                              "  u = q/R + r1;\n"
                              "  r1 = R*i;\n"
                              "  r2 = 2*r1 + u;\n"
                              "  power = u*i;\n"
                              "  heat = power + r2;\n"
                              "end Cell;\n"
                              "model Ground\n"
                              "interface:\n"
                              "  Pin p;\n"
                              "implementation:\n"
                              "  p.u = 0;\n"
                              "end Ground;\n";

typedef struct Text {
    char *at;
    size_t n;
} Text;

/* Components 1..n, the last of them inside a branch that can be switched. */
static Text make_model(uint32_t n, bool common)
{
    Text text = {malloc((size_t)n * 100 + 4096), 0};
    char *at = text.at;
    at += sprintf(at, "%smodel Many\nimplementation:\n  Boolean on; Ground g;\n", library);
    at += sprintf(at, "  on << true;\n");
    const char *lone = common ? "  connection{a << c%u.p, b << g.p};\n" : "  c%u.p.u = time;\n";
    for (uint32_t i = 1; i < n; i++) {
        at += sprintf(at, "  Cell c%u{R << 10};\n", i);
        at += sprintf(at, lone, i);
    }
    at += sprintf(at, "  if on then\n  Cell c%u{R << 10};\n", n);
    at += sprintf(at, lone, n);
    at += sprintf(at, "  end if;\nend Many;\n");
    text.n = (size_t)(at - text.at);
    return text;
}

/* ---- a host that only stores ---- */

typedef struct Store {
    double *value;
    size_t n;
} Store;

static bool store_read(void *context, DdpVar var, double *value)
{
    Store *store = context;
    *value = var < store->n ? store->value[var] : 0;
    return true;
}

static void store_write(void *context, DdpVar var, double value)
{
    Store *store = context;
    if (var >= store->n) {
        store->n = (size_t)var * 2 + 1024;
        store->value = realloc(store->value, store->n * sizeof *store->value);
    }
    store->value[var] = value;
}

static double store_draw(void *context, uint64_t place, uint32_t ordinal)
{
    (void)context, (void)place, (void)ordinal;
    return 0.5;
}

/* ---- measuring ---- */

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t commit(World *world, Ddp *ddp)
{
    DdpResult result = ddp_commit(ddp, DDP_SO_FAR);
    world_examine(world, &result); /* finds nothing: the model is not singular */
    return result.visited;
}

/* The DDP commits in between, as in a run; the time that takes is counted apart. */
static void measure_switch(World *world, Ddp *ddp, BranchId branch)
{
    enum { TIMES = 1000 };
    double own[2] = {0}, spent = 0;
    uint64_t visited = 0;
    for (int i = 0; i < 2 * TIMES; i++) {
        double t0 = cpu_now();
        world_choose(world, 1, &(WorldDecision){branch, i % 2 ? WORLD_THEN : WORLD_ELSE});
        double t1 = cpu_now();
        visited += commit(world, ddp);
        own[i % 2] += t1 - t0;
        spent += cpu_now() - t1;
        world_changes_clear(world);
    }
    printf("  one component: remove %.2f us, instantiate %.2f us; DDP %.2f us, %.1f relations "
           "visited per commit\n",
           own[0] / TIMES * 1e6, own[1] / TIMES * 1e6, spent / (2 * TIMES) * 1e6,
           (double)visited / (2 * TIMES));
}

static void measure(uint32_t n, bool common)
{
    Text text = make_model(n, common);
    Mem *mem = mem_open();
    Program *program = program_open(mem, NULL);
    double t0 = cpu_now();
    program_load_text(program, "many.sol", text.at, text.n);
    double t1 = cpu_now();
    Def *top = program_find(program, "Many");
    double t2 = cpu_now();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    Store store = {0};
    WorldHost host = {
        .context = &store, .read = store_read, .write = store_write, .draw = store_draw};
    World *world = world_open(mem, program, forms, ddp, &host, NULL);
    double t3 = cpu_now();
    world_create(world, top);
    uint32_t newborn;
    BranchId branch = world_newborn(world, &newborn)[0];
    world_choose(world, 1, &(WorldDecision){branch, WORLD_THEN});
    double t4 = cpu_now();
    WorldTotals totals = world_totals(world);
    world_changes_clear(world);
    printf("%u components, %s: %u relations, %u variables, %u instances\n", n,
           common ? "one common node" : "separate", totals.relations, totals.variables,
           totals.instances);
    printf("  parse %.3f s (%.0f MB/s), resolve %.3f s, instantiate %.3f s\n", t1 - t0,
           (double)text.n / 1e6 / (t1 - t0), t2 - t1, t4 - t3);
    printf("  front end: %.0f bytes per relation\n", (double)totals.bytes / totals.relations);
    double t6 = cpu_now();
    commit(world, ddp);
    printf("  first commit of the DDP: %.3f s, %llu equations looked at for singularities\n",
           cpu_now() - t6, (unsigned long long)world_examined(world));
    measure_switch(world, ddp, branch);
    double t5 = cpu_now();
    world_remove(world);
    printf("  remove all: %.3f s\n", cpu_now() - t5);
    diags_print(program_diags(program), 0, stderr, false);
    world_close(world);
    mem_close(mem);
    free(store.value);
    free(text.at);
}

int main(int argc, char **argv)
{
    uint32_t large = argc > 1 ? (uint32_t)atoi(argv[1]) : 100 * 1000;
    for (int common = 0; common < 2; common++) {
        measure(100, common);
        measure(large, common);
    }
    return 0;
}
