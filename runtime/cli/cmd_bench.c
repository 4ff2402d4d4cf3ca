/* cmd_bench.c: `solstice bench`: one model under the three engines -> a table.
 *
 * The engines take turns, so that a machine that becomes slower or faster meanwhile favours none of
 * them; medians over the turns are shown, and ratios to the engine with compiled blocks. */
#include "runtime/cli/bench.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *const bench_engines[BENCH_ENGINES + 1] = {"jit", "interp", "rebuild", NULL};

/* ---- one run ---- */

typedef struct Listener {
    Mem *mem;
    BenchSeries *series;
} Listener;

/* Costs of a structural event; when memory runs out, the list ends where it is. */
static void on_event(void *context, const SolEvent *event)
{
    const Listener *listener = context;
    BenchSeries *s = listener->series;
    const double costs[BENCH_COSTS] = {
        [BENCH_STRUCTURE] = event->structure_us, [BENCH_RESTART] = event->restart_us,
        [BENCH_WAIT] = event->wait_us,           [BENCH_VISITED] = (double)event->visited,
        [BENCH_KEPT] = event->blocks_kept,       [BENCH_REBUILT] = event->blocks_rebuilt};
    MemGuard guard;
    if (!event->structural)
        return;
    s->structural++;
    s->structure_us += event->structure_us;
    if (s->costs[0].n >= BENCH_MOST_EVENTS)
        return;
    mem_guard_push(listener->mem, &guard);
    if (setjmp(guard.env) == 0) {
        for (int i = 0; i < BENCH_COSTS; i++)
            vec_push(listener->mem, &s->costs[i], costs[i]);
        mem_guard_pop(listener->mem, &guard);
    }
}

static void no_cout(void *context, double time, const char *text)
{
    (void)context, (void)time, (void)text;
}

static int code_of(SolStatus status)
{
    return status == SOL_OK ? EXIT_DONE : status >= SOL_IO ? EXIT_IO : (int)status;
}

static SolStatus simulate(Bench *bench, SolModel *model, uint32_t engine, uint32_t run)
{
    BenchSeries *s = &bench->series[engine];
    Listener listener = {bench->mem, s};
    bench->options.engine = (SolEngine)engine;
    s->structural = 0;
    s->structure_us = 0;
    for (int i = 0; i < BENCH_COSTS; i++)
        vec_clear(&s->costs[i]);
    Sol *sim = sol_create(model, bench->model, &bench->options);
    if (!sim)
        return sol_model_status(model);
    sol_set_output(sim, &(SolOutput){.cout = no_cout});
    sol_set_event(sim, on_event, &listener);
    SolStatus status = sol_run_to(sim, bench->options.stop);
    sol_stats(sim, &s->stats[run]);
    sol_close(sim);
    return status;
}

static int run_once(Bench *bench, uint32_t engine, uint32_t run)
{
    SolModel *model = sol_load(&bench->load);
    if (!model)
        return EXIT_IO;
    SolStatus status = sol_model_status(model);
    if (status == SOL_OK)
        status = simulate(bench, model, engine, run);
    if (status != SOL_OK || (engine == 0 && run == 0))
        sol_print_messages(model, 0, stderr, cli_colour());
    sol_unload(model);
    return code_of(status);
}

/* ---- all of them ---- */

/* Whole processes come first: the peak of memory that the system tells of a child is never less
 * than what its parent had when it was born. When they fail, a run in this process tells why. */
static int measure(Bench *bench)
{
    int code = bench_starts(bench), why = EXIT_DONE;
    if (code != EXIT_DONE)
        why = run_once(bench, SOL_ENGINE_INTERP, 0);
    if (why != EXIT_DONE)
        return why;
    for (uint32_t run = 0; run < bench->runs && code == EXIT_DONE; run++)
        for (uint32_t e = 0; e < BENCH_ENGINES && code == EXIT_DONE; e++)
            code = run_once(bench, e, run);
    if (code == EXIT_DONE)
        bench_table(bench, stdout);
    return code == EXIT_DONE && fflush(stdout) != 0 ? EXIT_IO : code;
}

static int out_of_memory(void)
{
    fputs("solstice: error: out of memory\n", stderr);
    return EXIT_IO;
}

static int measure_guarded(const Bench *order)
{
    MemGuard guard;
    int code;
    Mem *mem = mem_open();
    if (!mem)
        return out_of_memory();
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        Bench *bench = mem_alloc(mem, sizeof *bench);
        *bench = *order;
        bench->mem = mem;
        code = measure(bench);
        mem_guard_pop(mem, &guard);
    } else {
        code = out_of_memory();
    }
    mem_close(mem);
    return code;
}

/* ---- the command line ---- */

typedef struct BenchOptions {
    OptionNumber start, stop, interval, rtol, atol, max_step, step;
    OptionCount steps, seed, runs, starts;
    OptionTexts sets;
    uint32_t solver;
    const char *cache;
} BenchOptions;

static int read_options(Args *args, BenchOptions *b, CliFolders *folders, const char **operand)
{
    static const char *const solvers[] = {"ida", "auto", "rk", "euler", "rodas", "inline", NULL};
    const Option table[] = {{"--start", OPTION_NUMBER, &b->start, NULL, false},
                            {"--stop", OPTION_NUMBER, &b->stop, NULL, false},
                            {"--interval", OPTION_POSITIVE, &b->interval, NULL, false},
                            {"--steps", OPTION_COUNT, &b->steps, NULL, false},
                            {"--rtol", OPTION_POSITIVE, &b->rtol, NULL, false},
                            {"--atol", OPTION_POSITIVE, &b->atol, NULL, false},
                            {"--max-step", OPTION_POSITIVE, &b->max_step, NULL, false},
                            {"--solver", OPTION_CHOICE, &b->solver, solvers, false},
                            {"--step", OPTION_POSITIVE, &b->step, NULL, false},
                            {"--set", OPTION_TEXTS, &b->sets, NULL, false},
                            {"--seed", OPTION_COUNT, &b->seed, NULL, false},
                            {"--cache", OPTION_TEXT, &b->cache, NULL, false},
                            {"--runs", OPTION_COUNT, &b->runs, NULL, false},
                            {"--starts", OPTION_COUNT, &b->starts, NULL, false}};
    int code = options_read_file(args, sizeof table / sizeof *table, table, folders, operand);
    if (code != EXIT_DONE)
        return code;
    if (!b->runs.value || b->runs.value > BENCH_MOST_RUNS || b->starts.value > BENCH_MOST_RUNS)
        return args_fail(args, "--runs: 1 to %d, --starts: 0 to %d", BENCH_MOST_RUNS,
                         BENCH_MOST_RUNS);
    if (b->stop.given && b->stop.value < b->start.value)
        return args_fail(args, "--stop %g lies before --start %g", b->stop.value, b->start.value);
    if (b->steps.value > UINT32_MAX || (b->steps.given && !b->steps.value))
        return args_fail(args, "--steps wants a number from 1 to %u", UINT32_MAX);
    return EXIT_DONE;
}

static SolOptions simulation_options(const BenchOptions *b, const OptionSets *sets)
{
    return (SolOptions){.start = b->start.value,
                        .stop = b->stop.given ? b->stop.value : b->start.value + 1,
                        .interval = b->interval.value,
                        .steps = (uint32_t)b->steps.value,
                        .rtol = b->rtol.value,
                        .atol = b->atol.value,
                        .max_step = b->max_step.value,
                        .solver = (SolSolver)b->solver,
                        .step = b->step.value,
                        .n_sets = b->sets.n,
                        .sets = sets->at,
                        .seed = b->seed.value,
                        .cache = b->cache};
}

static int run_bench(int argc, char **argv)
{
    Args args = args_begin(&cli_bench, argc, argv);
    BenchOptions options = {.runs.value = 5, .starts.value = 3};
    CliFolders folders = {0};
    OptionSets sets;
    char file[PATH_MAX], library[2 * PATH_MAX];
    const char *operand;
    int code = read_options(&args, &options, &folders, &operand);
    if (code == EXIT_DONE)
        code = options_split_sets(&args, &options.sets, &sets);
    if (code != EXIT_DONE)
        return code;
    operand = cli_library(operand, library, sizeof library);
    if (strlen(operand) >= sizeof file)
        return args_fail(&args, "the name of the file is too long");
    strcpy(file, operand);
    Bench bench = {.operand = operand,
                   .model = cli_split(file),
                   .runs = (uint32_t)options.runs.value,
                   .starts = (uint32_t)options.starts.value,
                   .argc = argc,
                   .argv = argv,
                   .options = simulation_options(&options, &sets)};
    bench.load = (SolLoad){.path = file,
                           .n_folders = folders.n,
                           .folders = folders.at,
                           .strict_units = folders.strict_units};
    return measure_guarded(&bench);
}

const Command cli_bench = {
    "bench",
    "runs one model under the three engines and compares",
    "usage: solstice bench FILE[:MODEL] [options]\n\n"
    "Simulates without writing results, under each engine in turn: jit (compiled blocks that "
    "stay),\n"
    "interp (no compilation), rebuild (all compiled anew at each change, and waited for). Prints "
    "a\n"
    "table with one column for each: total time, time by stage, the share of structural handling,\n"
    "what a structural event costs (median, 95 %, worst), what was counted, memory. Then whole\n"
    "processes are timed from start to exit, with an empty cache of code and with a full one.\n\n"
    "  --start T, --stop T, --interval DT or --steps N, --rtol R, --atol A, --max-step H,\n"
    "  --solver ida|auto|rk|rodas|euler|inline, --step H, --set PATH=VALUE, --seed N\n"
    "                    as in `solstice run`\n"
    "  --runs N          how many times each (5)\n"
    "  --starts N        how many whole processes each (3); 0: none\n"
    "  --cache off|DIR   of jit, inside this process; 'off' shows what a first run costs\n"
    "  -L DIR            look for packages in DIR too\n\n"
    "examples:\n"
    "  solstice bench Electric.sol:Electric.Examples.Rectifier --stop 1\n",
    run_bench,
};
