/* bench_population.c: the residual of a population: our batches against C by hand.
 *
 * A colony (perf/models/Colony.sol) grows until the given time. Then slopes at its states are
 * computed again and again: by its tape (batches, structure of arrays), segment by segment, and by C for
 * this one system, compiled by gcc -O3 -march=native. In the model what is eaten is a tree of sums:
 * every divided life form adds up its two children. So there is C for the same relations, tree
 * included: over records that point at each other, and over arrays with tables of children; and C
 * that knows better and adds everything up in one loop, with one running sum or with eight (its
 * last digits may differ). Times are the best of several rounds, and are compared within one run.
 *
 *     bench_population [VOLUME [TIME [MODEL]]] */
#include "runtime/eval/tape_int.h"
#include "runtime/parts/parts.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3000 };

typedef struct Record {
    double r, poison, f;
    struct Record *one, *other; /* NULL: it lives */
} Record;

/* States of one colony as C by hand has them: Nc, Pc, then energies. */
typedef struct Colony {
    long n, sums;                            /* that live; that divided */
    double volume, *r, *poison, *f, *slopes; /* f: of those that live, then of sums */
    Record *records;                         /* likewise, then one that eats nothing */
    const double *y;
    uint32_t *one, *other; /* [sums]: their children's places in f */
} Colony;

typedef void (*Residual)(const Colony *colony);

#define HEADER                                                                                     \
    "typedef struct Record { double r, poison, f; struct Record *one, *other; } Record;\n"         \
    "typedef struct Colony { long n, sums; double volume, *r, *poison, *f, *slopes;\n"             \
    "    Record *records; const double *y; unsigned *one, *other; } Colony;\n"
#define BEGIN(name)                                                                                \
    "void " name "(const Colony *c)\n{\n"                                                          \
    "    double nc = c->y[0], pc = c->y[1], eaten = 0, *restrict to = c->slopes + 2;\n"            \
    "    const double *restrict r = c->r, *restrict poison = c->poison;\n"                         \
    "    double *restrict f = c->f; Record *at = c->records; (void)r, (void)poison, (void)f;\n"    \
    "    (void)at;\n"
#define ARRAYS                                                                                     \
    "    for (long i = 0; i < c->n; i++) {\n"                                                      \
    "        f[i] = 0.02 * r[i] * nc;\n"                                                           \
    "        to[i] = 100.0 * f[i] - 0.005 - poison[i] * (pc * pc);\n"                              \
    "    }\n"
#define END "    c->slopes[0] = -eaten / c->volume;\n    c->slopes[1] = eaten / c->volume;\n}\n"

static const char source[] = HEADER BEGIN("tree_arrays") ARRAYS
    "    for (long i = 0; i < c->sums; i++)\n"
    "        f[c->n + i] = f[c->one[i]] + f[c->other[i]];\n"
    "    eaten = f[c->n + c->sums - 1];\n" END BEGIN(
        "tree_records") "    for (long i = 0; i < c->n; i++) {\n"
                        "        at[i].f = 0.02 * at[i].r * nc;\n"
                        "        to[i] = 100.0 * at[i].f - 0.005 - at[i].poison * (pc * pc);\n"
                        "    }\n"
                        "    for (long i = c->n; i < c->n + c->sums; i++)\n"
                        "        at[i].f = at[i].one->f + at[i].other->f;\n"
                        "    eaten = at[c->n + c->sums - 1].f;\n" END BEGIN(
                            "records") "    for (long i = 0; i < c->n; i++) {\n"
                                       "        at[i].f = 0.02 * at[i].r * nc;\n"
                                       "        eaten += at[i].f;\n"
                                       "        to[i] = 100.0 * at[i].f - 0.005 - at[i].poison * "
                                       "(pc * pc);\n"
                                       "    }\n" END BEGIN("arrays") ARRAYS
    "    for (long i = 0; i < c->n; i++)\n"
    "        eaten += f[i];\n" END BEGIN("partial") ARRAYS "    double part[8] = {0};\n"
                                                           "    long i = 0;\n"
                                                           "    for (; i + 8 <= c->n; i += 8)\n"
                                                           "        for (int k = 0; k < 8; k++)\n"
                                                           "            part[k] += f[i + k];\n"
                                                           "    for (; i < c->n; i++)\n"
                                                           "        part[0] += f[i];\n"
                                                           "    for (int k = 0; k < 8; k++)\n"
                                                           "        eaten += part[k];\n" END;

static void *compile(void)
{
    char folder[] = "/tmp/bench_population_XXXXXX", text[128], object[128], command[512];
    if (!mkdtemp(folder))
        return NULL;
    snprintf(text, sizeof text, "%s/residual.c", folder);
    snprintf(object, sizeof object, "%s/residual.so", folder);
    FILE *file = fopen(text, "w");
    if (!file || fwrite(source, sizeof source - 1, 1, file) != 1 || fclose(file) != 0)
        return NULL;
    snprintf(command, sizeof command,
             "gcc -O3 -march=native -ffp-contract=off -shared -fPIC -o %s %s", object, text);
    void *module = system(command) == 0 ? dlopen(object, RTLD_NOW) : NULL;
    unlink(text);
    unlink(object);
    rmdir(folder);
    return module;
}

/* ---- the colony ---- */

static Sol *grow(const char *path, const char *volume, double time)
{
    SolModel *model = sol_load(&(SolLoad){.path = path});
    SolSet set = {"V", volume};
    SolOptions options = {
        .stop = time, .interval = time, .jit_wait = true, .n_sets = 1, .sets = &set};
    Sol *sol = sol_create(model, "Colony.Run", &options);
    if (!sol || sol_run_to(sol, time) != SOL_OK) {
        sol_print_messages(model, 0, stderr, false);
        return NULL;
    }
    return sol;
}

static double value_beside(Sol *sol, const char *path, const char *name)
{
    char other[4096];
    double value = NAN;
    size_t length = strlen(path);
    snprintf(other, sizeof other, "%.*s%s", (int)length - 1, path, name); /* path ends with E */
    sol_read(sol, sol_find(sol, other), &value);
    return value;
}

static void make_room(Colony *colony, Mem *mem, uint32_t n)
{
    colony->r = mem_alloc(mem, n * sizeof(double));
    colony->poison = mem_alloc(mem, n * sizeof(double));
    colony->f = mem_alloc(mem, 8 * n * sizeof(double));
    colony->slopes = mem_alloc(mem, n * sizeof(double));
    colony->records = mem_alloc(mem, 8 * n * sizeof *colony->records);
    colony->one = mem_alloc(mem, 4 * n * sizeof(uint32_t));
    colony->other = mem_alloc(mem, 4 * n * sizeof(uint32_t));
}

/* Life forms in the order of our states, so that slopes can be compared. eats[v]: the place + 1 of
 * variable v in Colony.f. */
static bool take(Colony *colony, Sol *sol, Part *part, double *y, uint32_t *index, uint32_t *eats)
{
    char path[4096];
    Mem *mem = sol->sim->mem;
    uint32_t n = part->states.n;
    double *states = mem_alloc(mem, n * sizeof(double));
    make_room(colony, mem, n);
    colony->y = states;
    sol_read(sol, sol_find(sol, "V"), &colony->volume);
    for (uint32_t i = 0; i < n; i++) {
        size_t length = sol_var_path(sol, part->states.at[i].var, path, sizeof path);
        y[i] = sol->sim->value[part->states.at[i].var];
        if (strcmp(path, "tank.Nc") == 0 || strcmp(path, "tank.Pc") == 0) {
            states[path[5] == 'P'] = y[i];
            index[path[5] == 'P'] = i;
            continue;
        }
        if (length < 1 || path[length - 1] != 'E')
            return false;
        Record one = {.r = value_beside(sol, path, "r"),
                      .poison = value_beside(sol, path, "poison")};
        colony->records[colony->n] = one;
        colony->r[colony->n] = one.r;
        colony->poison[colony->n] = one.poison;
        states[colony->n + 2] = y[i];
        index[colony->n++ + 2] = i;
        path[length - 1] = 'f';
        eats[sol_find(sol, path)] = (uint32_t)colony->n;
    }
    return true;
}

/* Sums in the order of the schedule: additions of two variables, one of which is eaten food. What
 * else they add is a dead one's 0. */
static void take_sums(Colony *colony, const Sim *sim, Part *part, uint32_t *eats)
{
    NodeList nodes = {0};
    node_order_list((Sim *)sim, &part->orders[0], &nodes);
    uint32_t nobody = 7 * (uint32_t)colony->n;
    for (uint32_t i = 0; i < nodes.n; i++) {
        const EvalOp *op = &sim->nodes.at[nodes.at[i]].ops[0];
        XNode x = x_node(sim->forms, op->value);
        if (x.op == X_POS)
            eats[op->target] = eats[op->vars[x.a]];
        if (x.op != X_ADD || x_node(sim->forms, x.a).op != X_POS ||
            x_node(sim->forms, x.b).op != X_POS)
            continue;
        uint32_t one = eats[op->vars[x_node(sim->forms, x.a).a]];
        uint32_t other = eats[op->vars[x_node(sim->forms, x.b).a]];
        if (!one && !other)
            continue;
        long at = colony->sums++;
        colony->one[at] = one ? one - 1 : nobody;
        colony->other[at] = other ? other - 1 : nobody;
        colony->records[colony->n + at].one = &colony->records[colony->one[at]];
        colony->records[colony->n + at].other = &colony->records[colony->other[at]];
        eats[op->target] = (uint32_t)(colony->n + colony->sums);
    }
    mem_free(sim->mem, nodes.at);
}

/* ---- measuring ---- */

#define MEASURE(seconds, call)                                                                     \
    do {                                                                                           \
        (seconds) = 1e9;                                                                           \
        for (uint32_t round = 0; round < ROUNDS; round++) {                                        \
            double begin = timer_now();                                                            \
            call;                                                                                  \
            double took = timer_now() - begin;                                                     \
            (seconds) = took < (seconds) ? took : (seconds);                                       \
        }                                                                                          \
    } while (0)

static double reference; /* arrays by hand, the same relations */

static void report(const char *what, double seconds, long n)
{
    printf("  %-44s %9.2f us  %6.2f ns each  %5.2f\n", what, seconds * 1e6,
           seconds * 1e9 / (double)n, seconds / reference);
}

static double difference(const Colony *colony, const double *ours, const uint32_t *index)
{
    double most = 0;
    for (long i = 0; i < colony->n + 2; i++) {
        double size = fmax(fabs(colony->slopes[i]), 1e-6);
        most = fmax(most, fabs(colony->slopes[i] - ours[index[i]]) / size);
    }
    return most;
}

static void measure_hand(const Colony *colony, void *module)
{
    static const char *const names[] = {"tree_arrays", "tree_records", "arrays", "partial",
                                        "records"};
    static const char *const texts[] = {
        "C by hand: arrays, tree of sums by tables", "C by hand: records, tree of sums by pointers",
        "C by hand: arrays, running sum", "C by hand: arrays, eight running sums",
        "C by hand: records, running sum"};
    for (int i = 0; i < 5; i++) {
        double seconds;
        Residual f;
        *(void **)&f = dlsym(module, names[i]);
        MEASURE(seconds, f(colony));
        reference = i == 0 ? seconds : reference;
        report(texts[i], seconds, colony->n);
    }
}

static void describe(const Part *part)
{
    const Tape *tape = part->code.tape;
    uint32_t arrays = 0;
    for (uint32_t i = 0; tape && i < tape->end[SECTION_DYNAMICS]; i++)
        arrays += tape->units.at[i].layout == JIT_ARRAYS ? tape->units.at[i].n : 0;
    if (tape)
        printf(
            "  tape: %u calls for dynamics, %u blocks in arrays, %u in batches; %u and %u moves of "
            "states and slopes\n",
            tape->end[SECTION_DYNAMICS], arrays, tape->n_batched, tape->states.n,
            tape->slopes.all.n);
}

int main(int argc, char **argv)
{
    const char *volume = argc > 1 ? argv[1] : "100";
    double time = argc > 2 ? atof(argv[2]) : 280, seconds;
    Sol *sol = grow(argc > 3 ? argv[3] : "perf/models/Colony.sol", volume, time);
    void *module = compile();
    if (!sol || !module || sol->sim->parts.n != 1)
        return 1;
    Part *part = sol->sim->parts.at[0];
    Colony colony = {0};
    double *y = mem_alloc(sol->sim->mem, part->n * sizeof *y);
    double *slopes = mem_alloc(sol->sim->mem, part->n * sizeof *slopes);
    uint32_t *index = mem_alloc(sol->sim->mem, (part->n + 2) * sizeof *index);
    uint32_t *eats = mem_alloc(sol->sim->mem, sol->sim->n_values * sizeof *eats);
    if (!take(&colony, sol, part, y, index, eats))
        return 1;
    take_sums(&colony, sol->sim, part, eats);
    printf("residual of %ld life forms in %s litres, and %ld sums\n", colony.n, volume,
           colony.sums);
    measure_hand(&colony, module);
    MEASURE(seconds, part_slopes(part, time, y, slopes, NULL)); /* hot: optimised now */
    jit_wait(sol->sim->engine->jit);
    MEASURE(seconds, part_slopes(part, time, y, slopes, NULL));
    report("batches, with what goes in and out", seconds, colony.n);
    printf("  largest difference of slopes: %.1e\n", difference(&colony, slopes, index));
    describe(part);
    MEASURE(seconds, part_evaluate(part, time, NULL));
    report("segment by segment", seconds, colony.n);
    sol_unload(sol->sim->run.model);
    return 0;
}
