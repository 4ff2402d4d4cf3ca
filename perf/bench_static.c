/* bench_static.c: the residual of a static model: generated code against C by hand.
 *
 * A ladder of RLC sections, 4 relations each, the same equations in C and by us: as C text for all
 * sections written out, compiled by gcc -O3; as C loops over records and over arrays; and as our
 * code in its layouts. Every version must give the same bits. Times are the best of several rounds,
 * and are compared within one run. */
#include "base/timer.h"
#include "jit/jit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SECTIONS = 150,
    PER = 9, /* variables of a section: R 1/L 1/C u i ul a du di, so that no division hides the rest
              */
    VARS = (SECTIONS + 2) * PER,
    ITEMS = 4 * SECTIONS,
    CALLS = 20, /* in a round: the clock is no part of what is measured */
    ROUNDS = 400
};

typedef struct Ladder {
    Mem *mem;
    FormTable *forms;
    Shapes *shapes;
    JitEnv env;
    ShapeItem item[ITEMS];
    uint32_t vars[ITEMS][4];
    double expected[VARS];
    double *values;                      /* arrays of section 1 on begin a line of the cache, */
    _Alignas(64) double lines[VARS + 7]; /* as batches of a tape do: across lines all are slower */
} Ladder;

enum { R, L, C, U, I, UL, A, DU, DI };

static uint32_t var(uint32_t section, uint32_t member)
{
    return section * PER + member;
}

/* ---- the equations ---- */

static void add_item(Ladder *l, uint32_t *n, uint32_t target, X value, const uint32_t vars[4])
{
    memcpy(l->vars[*n], vars, sizeof l->vars[*n]);
    l->item[*n] = (ShapeItem){target, value, l->vars[*n]};
    (*n)++;
}

/* ul = R*i; a = u_before - u - ul; di = a*(1/L); du = (i - i_next)*(1/C) */
static void build(Ladder *l)
{
    FormTable *f = l->forms;
    X p0 = x_pos(f, 0), p1 = x_pos(f, 1), p2 = x_pos(f, 2);
    X product = x_binary(f, X_MUL, p0, p1);
    X difference = x_binary(f, X_SUB, x_binary(f, X_SUB, p0, p1), p2);
    X flow = x_binary(f, X_MUL, x_binary(f, X_SUB, p0, p1), p2);
    uint32_t n = 0;
    for (uint32_t s = 1; s <= SECTIONS; s++) {
        add_item(l, &n, var(s, UL), product, (uint32_t[4]){var(s, R), var(s, I)});
        add_item(l, &n, var(s, A), difference, (uint32_t[4]){var(s - 1, U), var(s, U), var(s, UL)});
        add_item(l, &n, var(s, DI), product, (uint32_t[4]){var(s, A), var(s, L)});
        add_item(l, &n, var(s, DU), flow, (uint32_t[4]){var(s, I), var(s + 1, I), var(s, C)});
    }
}

static double start_value(uint32_t variable)
{
    return 1 + (variable * 7919 % 101) * 0.01;
}

static void fill(double *v)
{
    for (uint32_t i = 0; i < VARS; i++)
        v[i] = start_value(i);
}

__attribute__((noinline)) static void by_hand(double *restrict v)
{
    for (double *s = v + PER, *end = s + SECTIONS * PER; s < end; s += PER) {
        s[UL] = s[R] * s[I];
        s[A] = s[U - PER] - s[U] - s[UL];
        s[DI] = s[A] * s[L];
        s[DU] = (s[I] - s[I + PER]) * s[C];
    }
}

/* The same with an array for each member: member m of section s is v[m * ROW + s]. */
enum { ROW = SECTIONS + 2 };

/* As text, because it gets the compiler's best options; `restrict` as an engineer would promise it.
 */
static const char ARRAYS_TEXT[] =
    "void arrays(double *v)\n"
    "{\n"
    "    const double *r = v + %d, *l = v + %d, *c = v + %d, *u = v + %d, *i = v + %d;\n"
    "    double *restrict ul = v + %d, *restrict a = v + %d, *restrict du = v + %d,\n"
    "           *restrict di = v + %d;\n"
    "    for (int s = 1; s <= %d; s++) {\n"
    "        double drop = r[s] * i[s], rest = u[s - 1] - u[s] - drop;\n"
    "        ul[s] = drop;\n"
    "        a[s] = rest;\n"
    "        di[s] = rest * l[s];\n"
    "        du[s] = (i[s] - i[s + 1]) * c[s];\n"
    "    }\n"
    "}\n";

static uint32_t in_arrays(uint32_t variable)
{
    return variable % PER * ROW + variable / PER;
}

static void fill_arrays(double *v)
{
    for (uint32_t i = 0; i < VARS; i++)
        v[in_arrays(i)] = start_value(i);
}

/* ---- written out, by gcc -O3 ---- */

typedef void (*Residual)(double *restrict v);

static void write_out(const Ladder *l, FILE *file)
{
    fprintf(file, "void residual(double *restrict v)\n{\n");
    for (uint32_t i = 0; i < ITEMS; i++) {
        static const char *const text[] = {"v[%u] * v[%u]", "v[%u] - v[%u] - v[%u]",
                                           "v[%u] * v[%u]", "(v[%u] - v[%u]) * v[%u]"};
        const uint32_t *p = l->vars[i];
        fprintf(file, "    v[%u] = ", l->item[i].target);
        fprintf(file, text[i % 4], p[0], p[1], p[2]);
        fprintf(file, ";\n");
    }
    fprintf(file, "}\n");
    fprintf(file, ARRAYS_TEXT, R * ROW, L * ROW, C * ROW, U * ROW, I * ROW, UL * ROW, A * ROW,
            DU * ROW, DI * ROW, SECTIONS);
}

typedef struct ByGcc {
    Residual written_out, arrays; /* NULL: there is no gcc */
} ByGcc;

static ByGcc compile_by_gcc(const Ladder *l, const char *folder)
{
    char source[128], object[128], command[512];
    ByGcc f = {NULL, NULL};
    snprintf(source, sizeof source, "%s/residual.c", folder);
    snprintf(object, sizeof object, "%s/residual.so", folder);
    FILE *file = fopen(source, "w");
    if (!file)
        return f;
    write_out(l, file);
    fclose(file);
    snprintf(command, sizeof command,
             "gcc -O3 -march=native -ffp-contract=off -shared -fPIC -o %s %s", object, source);
    void *module = system(command) == 0 ? dlopen(object, RTLD_NOW) : NULL;
    if (module) {
        *(void **)&f.written_out = dlsym(module, "residual");
        *(void **)&f.arrays = dlsym(module, "arrays");
    }
    unlink(source);
    unlink(object);
    return f;
}

/* ---- measuring ---- */

static double reference; /* seconds of the version that others are compared with */

static void report_as(const char *what, double seconds, bool same)
{
    printf("  %-44s %8.1f ns  %5.2f  %s\n", what, seconds * 1e9, seconds / reference,
           same ? "same bits" : "DIFFERENT");
}

static void report(const Ladder *l, const char *what, double seconds)
{
    report_as(what, seconds, memcmp(l->values, l->expected, VARS * sizeof *l->values) == 0);
}

static void report_arrays(const Ladder *l, const char *what, double seconds)
{
    bool same = true;
    for (uint32_t v = 0; v < VARS; v++)
        same &= memcmp(&l->values[in_arrays(v)], &l->expected[v], sizeof(double)) == 0;
    report_as(what, seconds, same);
}

#define MEASURE(seconds, call)                                                                     \
    do {                                                                                           \
        (seconds) = 1e9;                                                                           \
        for (uint32_t round = 0; round < ROUNDS; round++) {                                        \
            double begin = timer_now();                                                            \
            for (uint32_t times = 0; times < CALLS; times++)                                       \
                call;                                                                              \
            double took = (timer_now() - begin) / CALLS;                                           \
            (seconds) = took < (seconds) ? took : (seconds);                                       \
        }                                                                                          \
    } while (0)

static void measure_c(Ladder *l)
{
    char folder[] = "/tmp/bench_static_XXXXXX";
    double seconds;
    ByGcc f = {NULL, NULL};
    if (mkdtemp(folder))
        f = compile_by_gcc(l, folder);
    rmdir(folder);
    fill(l->expected);
    by_hand(l->expected);
    fill(l->values);
    MEASURE(seconds, by_hand(l->values));
    reference = seconds;
    if (f.written_out) {
        fill(l->values);
        MEASURE(reference, f.written_out(l->values));
        report(l, "C written out, gcc -O3", reference);
    }
    report(l, "C loop over records", seconds);
    if (f.arrays) {
        fill_arrays(l->values);
        MEASURE(seconds, f.arrays(l->values));
        report_arrays(l, "C loop over arrays, gcc -O3", seconds);
    }
}

/* What the runtime does with parts of one shape between events: a batch over arrays. */
static void measure_arrays(Ladder *l, Jit *jit)
{
    uint32_t slots[32];
    double seconds;
    ShapeUse use = shape_of(l->shapes, 4, &l->item[0], NULL);
    for (uint32_t s = 0; s < use.shape->n_slots; s++)
        slots[s] = in_arrays(use.slots[s]);
    JitEntry *entry = jit_request(jit, &(JitRequest){.shape = use.shape, .layout = JIT_ARRAYS});
    jit_wait(jit);
    JitCode code = jit_code(entry);
    fill_arrays(l->values);
    MEASURE(seconds, code.batch(l->values, NULL, slots, use.constants, &l->env, SECTIONS, 1));
    report_arrays(l, "batch of arrays", seconds);
}

/* One shape per section, called section by section. */
static void measure_sections(Ladder *l, Jit *jit)
{
    static uint32_t slots[SECTIONS * 32];
    double seconds;
    ShapeUse use = {0};
    for (uint32_t s = 0; s < SECTIONS; s++) {
        use = shape_of(l->shapes, 4, &l->item[4 * s], NULL);
        memcpy(slots + s * use.shape->n_slots, use.slots, use.shape->n_slots * sizeof *slots);
    }
    uint32_t n = use.shape->n_slots;
    JitEntry *one = jit_request(jit, &(JitRequest){.shape = use.shape});
    JitEntry *all = jit_request(jit, &(JitRequest){.shape = use.shape, .layout = JIT_TABLES});
    JitEntry *records = jit_request(jit, &(JitRequest){.shape = use.shape, .layout = JIT_RECORDS});
    jit_wait(jit);
    JitCode code = jit_code(one);
    fill(l->values);
    MEASURE(seconds, for (uint32_t s = 0; s < SECTIONS; s++)
                         code.value(l->values, slots + s * n, use.constants, &l->env));
    report(l, "code of a section, called for each", seconds);
    code = jit_code(all);
    fill(l->values);
    MEASURE(seconds, code.batch(l->values, NULL, slots, use.constants, &l->env, SECTIONS, n));
    report(l, "batch with slot tables", seconds);
    code = jit_code(records);
    fill(l->values);
    MEASURE(seconds, code.batch(l->values, NULL, slots, use.constants, &l->env, SECTIONS, PER));
    report(l, "batch of records", seconds);
}

/* Larger pieces with their offsets written into the code. */
static void measure_fixed(Ladder *l, Jit *jit, uint32_t sections)
{
    JitEntry *entry[SECTIONS];
    uint32_t n = 0;
    double seconds, start = timer_now();
    char what[64];
    for (uint32_t s = 0; s < SECTIONS; s += sections) {
        ShapeUse use = shape_of(l->shapes, 4 * sections, &l->item[4 * s], NULL);
        entry[n++] = jit_request(jit, &(JitRequest){.shape = use.shape,
                                                    .layout = JIT_FIXED,
                                                    .slots = use.slots,
                                                    .constants = use.constants});
    }
    jit_wait(jit);
    double compiled = timer_now() - start;
    fill(l->values);
    MEASURE(seconds, for (uint32_t i = 0; i < n; i++) jit_code(entry[i]).value(l->values, NULL,
                                                                               NULL, &l->env));
    snprintf(what, sizeof what, "fixed, %u relations each, made in %.0f ms", 4 * sections,
             compiled * 1e3);
    report(l, what, seconds);
}

int main(void)
{
    Ladder ladder = {.mem = mem_open()}, *l = &ladder;
    l->values = l->lines + 7;
    l->forms = forms_open(l->mem);
    l->shapes = shapes_open(l->mem, l->forms);
    jit_env(&l->env, NULL, NULL);
    build(l);
    printf("residual of %d relations\n", ITEMS);
    measure_c(l);
    for (int tier = 0; tier < 2; tier++) {
        JitOptions options = {.only_quick = tier == 0, .only_optimised = tier == 1};
        Jit *jit = jit_open(&options);
        printf(" %s\n", tier ? "optimised" : "quick");
        measure_sections(l, jit);
        measure_arrays(l, jit);
        measure_fixed(l, jit, 5);
        measure_fixed(l, jit, 15);
        measure_fixed(l, jit, 75);
        jit_close(jit);
    }
    mem_close(l->mem);
    return 0;
}
