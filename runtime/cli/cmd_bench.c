/* cmd_bench.c: `solstice bench`: one model under the three engines -> a table.
 *
 * The engines take turns, so that a machine that becomes slower or faster meanwhile favours none of them;
 * medians over the turns are shown, and ratios to the engine with compiled blocks. */
#include "base/timer.h"
#include "runtime/cli/options.h"
#include "runtime/solstice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENGINES = 3, MOST_RUNS = 99, MOST_EVENTS = 100000 };

static const char *const engine_names[ENGINES] = {"jit", "interp", "rebuild"}; /* as SolEngine */

typedef struct Series { /* of one engine */
    double seconds[MOST_RUNS];
    double *structure, *wait; /* of the last run's events */
    uint32_t n_events;
    SolStats stats;
} Series;

typedef struct Bench {
    SolLoad load;
    SolOptions options;
    const char *model;
    uint32_t runs;
    Series series[ENGINES];
} Bench;

static void on_event(void *context, const SolEvent *event)
{
    Series *s = context;
    if (s->n_events == MOST_EVENTS)
        return;
    s->structure[s->n_events] = event->structure_us;
    s->wait[s->n_events++] = event->wait_us;
}

static int code_of(SolStatus status)
{
    return status == SOL_OK ? EXIT_DONE : status >= SOL_IO ? EXIT_IO : (int)status;
}

static int run_once(Bench *bench, uint32_t engine, uint32_t run)
{
    Series *s = &bench->series[engine];
    SolModel *model = sol_load(&bench->load);
    if (!model)
        return EXIT_IO;
    bench->options.engine = (SolEngine)engine;
    s->n_events = 0;
    double begin = timer_now();
    SolStatus status = sol_model_status(model);
    Sol *sim = status == SOL_OK ? sol_create(model, bench->model, &bench->options) : NULL;
    if (sim) {
        sol_set_event(sim, on_event, s);
        status = sol_run_to(sim, bench->options.stop);
        s->seconds[run] = timer_now() - begin;
        sol_stats(sim, &s->stats);
    } else {
        status = sol_model_status(model);
    }
    if (status != SOL_OK || (engine == 0 && run == 0))
        sol_print_messages(model, 0, stderr, cli_colour());
    sol_unload(model);
    return code_of(status);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *list, uint32_t n, double q)
{
    if (!n)
        return 0;
    qsort(list, n, sizeof *list, ascending);
    return list[(uint32_t)(q * (n - 1) + 0.5)];
}

static void print_table(Bench *bench)
{
    printf("%-8s %10s %7s %10s %10s %10s %9s %8s %8s\n", "engine", "seconds", "ratio", "structure",
           "95 %", "wait us", "compiled", "steps", "events");
    double base = quantile(bench->series[0].seconds, bench->runs, 0.5);
    for (uint32_t e = 0; e < ENGINES; e++) {
        Series *s = &bench->series[e];
        double seconds = quantile(s->seconds, bench->runs, 0.5);
        printf("%-8s %10.4f %7.2f %10.1f %10.1f %10.1f %9u %8llu %8llu\n", engine_names[e], seconds,
               seconds / base, quantile(s->structure, s->n_events, 0.5),
               quantile(s->structure, s->n_events, 0.95), quantile(s->wait, s->n_events, 0.5),
               s->stats.functions_compiled, (unsigned long long)s->stats.steps,
               (unsigned long long)s->stats.events_count);
    }
    printf("medians of %u runs; structure and wait in microseconds per event\n", bench->runs);
}

static int run_all(Bench *bench)
{
    int code = EXIT_DONE;
    for (uint32_t e = 0; e < ENGINES && code == EXIT_DONE; e++) {
        Series *s = &bench->series[e];
        s->structure = calloc(MOST_EVENTS, sizeof *s->structure);
        s->wait = calloc(MOST_EVENTS, sizeof *s->wait);
        if (!s->structure || !s->wait)
            code = EXIT_IO;
    }
    for (uint32_t run = 0; run < bench->runs && code == EXIT_DONE; run++)
        for (uint32_t e = 0; e < ENGINES && code == EXIT_DONE; e++)
            code = run_once(bench, e, run);
    if (code == EXIT_DONE)
        print_table(bench);
    for (uint32_t e = 0; e < ENGINES; e++) {
        free(bench->series[e].structure);
        free(bench->series[e].wait);
    }
    return code;
}

static int run_bench(int argc, char **argv)
{
    static const char *const solvers[] = {"auto", "ida", "rk", "euler", NULL};
    Args args = args_begin(&cli_bench, argc, argv);
    CliFolders folders = {0};
    OptionNumber stop = {0}, rtol = {0}, step = {0}, interval = {0};
    OptionCount runs = {.value = 5};
    uint32_t solver = 0, n;
    const char *operand, *cache = NULL;
    const Option options[] = {{"--stop", OPTION_NUMBER, &stop, NULL, false},
                              {"--rtol", OPTION_POSITIVE, &rtol, NULL, false},
                              {"--interval", OPTION_POSITIVE, &interval, NULL, false},
                              {"--solver", OPTION_CHOICE, &solver, solvers, false},
                              {"--step", OPTION_POSITIVE, &step, NULL, false},
                              {"--cache", OPTION_TEXT, &cache, NULL, false},
                              {"--runs", OPTION_COUNT, &runs, NULL, false}};
    int code = options_read(&args, 7, options, &folders, 1, &operand, &n, NULL);
    if (code != EXIT_DONE)
        return code;
    if (!n)
        return args_fail(&args, "which file?");
    if (!runs.value || runs.value > MOST_RUNS)
        return args_fail(&args, "--runs: 1 to %d", MOST_RUNS);
    char file[4096], stdlib[4096];
    if (strlen(operand) >= sizeof file)
        return args_fail(&args, "the name of the file is too long");
    strcpy(file, operand);
    Bench bench = {0};
    bench.model = cli_split(file);
    bench.runs = (uint32_t)runs.value;
    bench.load = (SolLoad){.path = file,
                           .n_folders = folders.n,
                           .folders = folders.at,
                           .stdlib = cli_stdlib(stdlib, sizeof stdlib)};
    bench.options = (SolOptions){.stop = stop.given ? stop.value : 1,
                                 .rtol = rtol.value,
                                 .interval = interval.value,
                                 .solver = (SolSolver)solver,
                                 .step = step.value,
                                 .cache = cache};
    return run_all(&bench);
}

const Command cli_bench = {
    "bench",
    "runs one model under the three engines and compares",
    "usage: solstice bench FILE[:MODEL] [options]\n\n"
    "Simulates without writing results, under each engine in turn: jit (compiled blocks that stay),\n"
    "interp (no compilation), rebuild (all compiled anew at each change, and waited for). Prints\n"
    "seconds, the ratio to jit, what an event costs, and how many functions were compiled.\n\n"
    "  --stop T (1), --interval DT, --rtol R, --solver auto|ida|rk|euler, --step H\n"
    "  --runs N      how many times each (5)\n"
    "  --cache off|DIR   of jit; 'off' shows what a first run costs\n"
    "  -L DIR        look for packages in DIR too\n\n"
    "examples:\n"
    "  solstice bench Electric.sol:Electric.Examples.Rectifier --stop 1\n",
    run_bench,
};
