/* bench_plate.c: the residual of a plate of n x n temperatures, written with arrays and loops: ours against C with arrays.
 *
 * Slopes of perf/models/Plate.sol are computed again and again: by its tape, and by C over a field, compiled by gcc -O3
 * -march=native, once over the field as it is and once with states and slopes in vectors beside it, as an integrator has them. Slopes
 * must agree. Times are the best of several rounds, and are compared within one run.
 *
 *     bench_plate [N [MODEL]] */
#include "runtime/eval/tape_int.h"
#include "runtime/parts/parts.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3000 };

typedef struct Plate {
    long n;
    double *T, *slope; /* n x n, the edges included */
    double *y, *ydot;  /* (n - 2) x (n - 2) */
} Plate;

typedef void (*Residual)(Plate *plate);

#define EDGES                                                                                      \
    "    for (long k = 0; k < n; k++) {\n"                                                         \
    "        T[k*n] = 1;\n"                                                                        \
    "        T[k*n + n - 1] = 0;\n"                                                                \
    "    }\n"                                                                                      \
    "    for (long j = 1; j < n - 1; j++) {\n"                                                     \
    "        T[j] = T[n + j];\n"                                                                   \
    "        T[(n - 1)*n + j] = T[(n - 2)*n + j];\n"                                               \
    "    }\n"
#define BEGIN(name)                                                                                \
    "void " name "(Plate *p)\n{\n"                                                                 \
    "    const long n = p->n;\n"                                                                   \
    "    double *restrict T = p->T;\n"
#define STENCIL "T[(i-1)*n + j] + T[(i+1)*n + j] + T[i*n + j-1] + T[i*n + j+1] - 4*T[i*n + j]"

static const char source[] =
    "typedef struct Plate { long n; double *T, *slope, *y, *ydot; } Plate;\n" BEGIN(
        "field") "    double *restrict slope = p->slope;\n" EDGES
                 "    for (long i = 1; i < n - 1; i++)\n"
                 "        for (long j = 1; j < n - 1; j++)\n"
                 "            slope[i*n + j] = " STENCIL
                 ";\n}\n" BEGIN("vectors") "    double *restrict to = p->ydot;\n"
                                           "    const double *restrict y = p->y;\n"
                                           "    for (long i = 1; i < n - 1; i++)\n"
                                           "        for (long j = 1; j < n - 1; j++)\n"
                                           "            T[i*n + j] = y[(i-1)*(n-2) + j-1];\n" EDGES
                                           "    for (long i = 1; i < n - 1; i++)\n"
                                           "        for (long j = 1; j < n - 1; j++)\n"
                                           "            to[(i-1)*(n-2) + j-1] = " STENCIL ";\n}\n";

static void *compile(void)
{
    char folder[] = "/tmp/bench_plate_XXXXXX", text[128], object[128], command[512];
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

static Sol *open_plate(const char *path, const char *n)
{
    SolModel *model = sol_load(&(SolLoad){.path = path});
    SolSet set = {"n", n};
    SolOptions options = {.stop = 1,
                          .interval = 1,
                          .jit_wait = true,
                          .n_sets = 1,
                          .sets = &set,
                          .solver = SOL_SOLVER_RK};
    Sol *sol = sol_create(model, "Plate", &options);
    if (!sol || sol_run_to(sol, 0) != SOL_OK) {
        sol_print_messages(model, 0, stderr, false);
        return NULL;
    }
    return sol;
}

/* Uneven temperatures; index[i]: the place of our state i in the field. */
static bool take(Plate *plate, Sol *sol, Part *part, double *y, long *index)
{
    char path[64];
    Mem *mem = sol->sim->mem;
    long n = plate->n, i, j;
    plate->T = mem_alloc(mem, (size_t)(n * n) * sizeof(double));
    plate->slope = mem_alloc(mem, (size_t)(n * n) * sizeof(double));
    plate->y = mem_alloc(mem, (size_t)(n * n) * sizeof(double));
    plate->ydot = mem_alloc(mem, (size_t)(n * n) * sizeof(double));
    for (uint32_t k = 0; k < part->states.n; k++) {
        sol_var_path(sol, part->states.at[k].var, path, sizeof path);
        if (sscanf(path, "T[%ld,%ld]", &i, &j) != 2)
            return false;
        y[k] = 1 + sin(0.37 * (double)i) * cos(0.21 * (double)(j * j));
        index[k] = (i - 1) * n + j - 1;
        plate->T[index[k]] = plate->y[(i - 2) * (n - 2) + j - 2] = y[k];
    }
    return part->states.n == (n - 2) * (n - 2);
}

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

static void report(const char *what, double seconds, double reference, const Plate *plate)
{
    printf("  %-44s %9.2f us  %6.3f ns each  %5.2f\n", what, seconds * 1e6,
           seconds * 1e9 / (double)((plate->n - 2) * (plate->n - 2)), seconds / reference);
}

static double difference(const Plate *plate, const Part *part, const double *slopes,
                         const long *index)
{
    double most = 0;
    for (uint32_t k = 0; k < part->states.n; k++)
        most = fmax(most, fabs(slopes[k] - plate->slope[index[k]]));
    return most;
}

static void describe(const Part *part)
{
    const Tape *tape = part->code.tape;
    uint32_t arrays = 0;
    for (uint32_t i = 0; tape && i < tape->end[SECTION_DYNAMICS]; i++)
        arrays += tape->units.at[i].layout == JIT_ARRAYS ? tape->units.at[i].n : 0;
    if (tape)
        printf("  tape: %u calls for dynamics, %u blocks in arrays, %u in batches; %u and %u moves "
               "of states and slopes\n",
               tape->end[SECTION_DYNAMICS], arrays, tape->n_batched, tape->states.n,
               tape->slopes.all.n);
}

static double ours(Part *part, const double *y, double *slopes)
{
    double seconds;
    MEASURE(seconds, part_slopes(part, 0, y, slopes, NULL)); /* hot: optimised now */
    jit_wait(part->sim->engine->jit);
    MEASURE(seconds, part_slopes(part, 0, y, slopes, NULL));
    return seconds;
}

int main(int argc, char **argv)
{
    const char *n = argc > 1 ? argv[1] : "100";
    Sol *sol = open_plate(argc > 2 ? argv[2] : "perf/models/Plate.sol", n);
    void *module = compile();
    if (!sol || !module || sol->sim->parts.n != 1)
        return 1;
    Part *part = sol->sim->parts.at[0];
    Plate plate = {.n = atol(n)};
    Residual field, vectors;
    double *y = mem_alloc(sol->sim->mem, part->n * sizeof *y), by_field, by_vectors, by_us;
    double *slopes = mem_alloc(sol->sim->mem, part->n * sizeof *slopes);
    long *index = mem_alloc(sol->sim->mem, part->n * sizeof *index);
    if (!take(&plate, sol, part, y, index))
        return 1;
    *(void **)&field = dlsym(module, "field");
    *(void **)&vectors = dlsym(module, "vectors");
    MEASURE(by_field, field(&plate));
    MEASURE(by_vectors, vectors(&plate));
    by_us = ours(part, y, slopes);
    printf("residual of a plate of %s x %s\n", n, n);
    report("C: a field, slopes in another", by_field, by_vectors, &plate);
    report("C: states and slopes in vectors", by_vectors, by_vectors, &plate);
    report("ours, with what goes in and out", by_us, by_vectors, &plate);
    printf("  largest difference of slopes: %.1e\n", difference(&plate, part, slopes, index));
    describe(part);
    sol_unload(sol->sim->run.model);
    return 0;
}
