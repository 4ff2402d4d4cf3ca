/* test_engine_bytes.c: every model of the tests and every example of the library, by every engine, tier
 * and layout -> the interpreter's values, bit by bit, its events and its messages. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"
#include "base/timer.h"
#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Way {
    const char *name;
    SolEngine engine;
    bool wait, quick, optimised, eager;
    uint32_t batch_from;
} Way;

static const Way ways[] = {
    {"interpreter", SOL_ENGINE_INTERP, false, false, false, false, 0},
    {"quick code", SOL_ENGINE_JIT, true, true, false, false, 0},
    {"optimised code", SOL_ENGINE_JIT, true, false, true, false, 0},
    {"batches of two", SOL_ENGINE_JIT, true, true, false, false, 2},
    {"code in the background", SOL_ENGINE_JIT, false, false, false, true, 0},
    {"code made anew", SOL_ENGINE_REBUILD, true, false, false, false, 0},
};
enum { WAYS = sizeof ways / sizeof *ways, VARS = 1 << 17 };

/* Sanitizers make everything slow; the same in less time then. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SHARE = 8 };
#else
enum { SHARE = 1 };
#endif

/* Times at which something happens, short enough for all ways. Others: 1. */
static const struct {
    const char *model;
    double stop;
} stops[] = {
    {"FourModes", 16},
    {"Thousand", 0.0005},
    {"Twenty", 0.03},
    {"MachineByBranch", 10},
    {"MachineByMove", 10},
    {"Population", 100},
    {"Population.Examples.Colony", 100},
    {"Traffic", 20},
    {"BreakingPendulum", 6},
    {"BouncingBall", 3},
    {"StickSlip", 10},
    {"Machine.Examples.ByBranch", 10},
    {"Machine.Examples.ByExchange", 10},
    {"Traffic.Examples.Road", 20},
};

typedef struct Outcome {
    bool *declared; /* [VARS]: by the modeller, and alive */
    SolStatus status;
    uint64_t hash;
    uint64_t points, events, functions, refused;
} Outcome;

static double stop_of(const char *model)
{
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        if (strcmp(stops[i].model, model) == 0)
            return stops[i].stop / SHARE;
    return 1.0 / SHARE;
}

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    Outcome *o = context;
    if (info->var < VARS)
        o->declared[info->var] = true;
    o->hash = hash_bytes(path, strlen(path), o->hash);
    return true;
}

static void on_death(void *context, SolVar var)
{
    Outcome *o = context;
    if (var < VARS)
        o->declared[var] = false;
}

static bool on_point(void *context, const SolPoint *point)
{
    Outcome *o = context;
    o->points++;
    o->hash = hash_bytes(&point->time, sizeof point->time, o->hash);
    for (SolVar v = 0; v < point->limit && v < VARS; v++)
        if (o->declared[v])
            o->hash = hash_bytes(&point->values[v], sizeof point->values[v], o->hash + v);
    return true;
}

static void on_cout(void *context, double time, const char *text)
{
    Outcome *o = context;
    o->hash = hash_bytes(text, strlen(text), o->hash + (uint64_t)time);
}

static void on_event(void *context, const SolEvent *event)
{
    Outcome *o = context;
    o->events++;
    o->hash = hash_bytes(&event->time, sizeof event->time, o->hash + event->updates);
}

static void set_way(Sol *sim, const Way *way)
{
    if (!sim->sim->engine)
        return;
    Jit *jit = engine_jit(sim->sim->engine);
    jit->options.only_quick |= way->quick;
    jit->options.only_optimised = way->optimised;
    if (way->eager) {
        jit->options.warm = 0;
        jit->options.patience = 0;
        jit->options.hot = 200;
    }
}

static Outcome run(const char *file, const char *model, const Way *way)
{
    static bool declared[VARS];
    Outcome o = {.status = SOL_MODEL};
    SolOptions options = {.stop = stop_of(model),
                          .steps = 40,
                          .max_events =
                              30 / SHARE, /* then it ends with an error, the same for all */
                          .engine = way->engine,
                          .jit_wait = way->wait,
                          .batch_from = way->batch_from,
                          .cache = "off"};
    SolModel *loaded = sol_load(&(SolLoad){.path = file, .stdlib = SOLSTICE_SOURCE_DIR "/stdlib"});
    Sol *sim = sol_create(loaded, model, &options);
    if (sim) {
        set_way(sim, way);
        o.declared = declared;
        memset(declared, 0, sizeof declared);
        sol_set_output(sim, &(SolOutput){.context = &o,
                                         .birth = on_birth,
                                         .death = on_death,
                                         .point = on_point,
                                         .cout = on_cout});
        sol_set_event(sim, on_event, &o);
        o.status = sol_run_to(sim, options.stop);
        SolStats stats;
        sol_stats(sim, &stats);
        o.functions = stats.functions_compiled;
        o.refused = sim->sim->engine ? jit_stats(engine_jit(sim->sim->engine)).refused : 0;
    }
    SolMessage message;
    for (uint32_t i = 0; sol_message(loaded, i, &message); i++)
        o.hash = hash_bytes(message.text, strlen(message.text), o.hash);
    sol_close(sim);
    sol_unload(loaded);
    return o;
}

static uint32_t models, wrong;
static uint64_t functions[WAYS];

static void check_model(const char *file, const char *model)
{
    double start = timer_now();
    Outcome expected = run(file, model, &ways[0]);
    models++;
    for (uint32_t w = 1; w < WAYS; w++) {
        Outcome o = run(file, model, &ways[w]);
        functions[w] += o.functions;
        if (o.refused)
            print_message("%s: %s: %llu refused\n", model, ways[w].name,
                          (unsigned long long)o.refused);
        if (o.status == expected.status && o.hash == expected.hash)
            continue;
        print_error("%s: %s: status %d, %llu points, %llu events, instead of %d, %llu, %llu%s\n",
                    model, ways[w].name, o.status, (unsigned long long)o.points,
                    (unsigned long long)o.events, expected.status,
                    (unsigned long long)expected.points, (unsigned long long)expected.events,
                    o.hash == expected.hash ? "" : "; values differ");
        wrong++;
    }
    print_message("%-45s status %d, %5llu points, %4llu events, %.2f s\n", model, expected.status,
                  (unsigned long long)expected.points, (unsigned long long)expected.events,
                  timer_now() - start);
}

/* Models on the top level of a file or in its packages; of the library, its examples. */
static void check_file(const char *file, bool examples)
{
    char line[1000], name[200], path[1000] = "", designator[1300];
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    bool inside = false; /* a model: what is defined in it is no model of its own */
    while (fgets(line, sizeof line, in)) {
        char *at = line + strspn(line, " ");
        if (!inside && sscanf(at, "package %199[A-Za-z0-9_]", name) == 1)
            sprintf(path + strlen(path), "%s.", name);
        else if (!inside && sscanf(at, "model %199[A-Za-z0-9_]", name) == 1) {
            snprintf(designator, sizeof designator, "%s%s", path, name);
            inside = !strstr(at, ";") || !strstr(at, "end ");
            if (!examples || strstr(path, "Examples."))
                check_model(file, designator);
        } else if (sscanf(at, "end %199[A-Za-z0-9_]", name) == 1) {
            size_t n = strlen(name), length = strlen(path);
            const char *last = strrchr(designator, '.');
            if (inside && strcmp(last ? last + 1 : designator, name) == 0)
                inside = false;
            else if (!inside && length > n && strncmp(path + length - n - 1, name, n) == 0)
                path[length - n - 1] = 0;
        }
    }
    fclose(in);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_folder(const char *folder, bool examples)
{
    char path[1000], *files[200];
    uint32_t n = 0;
    snprintf(path, sizeof path, "%s/%s", SOLSTICE_SOURCE_DIR, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".sol") == 0 && n < 200) {
            snprintf(path, sizeof path, "%s/%s/%s", SOLSTICE_SOURCE_DIR, folder, entry->d_name);
            files[n++] = strdup(path);
        }
    }
    closedir(dir);
    qsort(files, n, sizeof *files, by_name);
    for (uint32_t i = 0; i < n; i++) {
        check_file(files[i], examples);
        free(files[i]);
    }
}

static void finish(uint32_t at_least)
{
    print_message(
        "%u models; functions compiled: %llu quick, %llu optimised, %llu batched, %llu in "
        "the background, %llu anew\n",
        models, (unsigned long long)functions[1], (unsigned long long)functions[2],
        (unsigned long long)functions[3], (unsigned long long)functions[4],
        (unsigned long long)functions[5]);
    uint32_t n = models, differ = wrong;
    models = wrong = 0;
    for (uint32_t w = 1; w < WAYS; w++) {
        assert_true(functions[w] > 0);
        functions[w] = 0;
    }
    assert_true(n >= at_least);
    assert_int_equal(differ, 0);
}

static void models_of_the_tests(void **state)
{
    (void)state;
    check_folder("tests/sim", false);
    check_folder("tests/stdlib", false);
    check_folder("tests/cli", false);
    check_folder("tests/lang/good", false);
    finish(60);
}

static void examples_of_the_library(void **state)
{
    (void)state;
    check_folder("stdlib", true);
    finish(30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_the_tests),
        cmocka_unit_test(examples_of_the_library),
    };
    return cmocka_run_group_tests_name("engine bytes", tests, NULL, NULL);
}
