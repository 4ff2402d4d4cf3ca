/* cmd_sweep.c: `solstice sweep`: a model and what is varied -> many runs -> a table. */
#define _GNU_SOURCE
#include "base/map.h"
#include "base/timer.h"
#include "runtime/cli/solver_options.h"
#include "runtime/cli/sweep.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const engines[] = {"jit", "interp", NULL};     /* SolEngine */
static const char *const samplings[] = {"latin", "random", NULL}; /* SweepSampling */

typedef struct SweepCommand {
    OptionNumber start, stop, interval;
    OptionCount steps, samples, jobs;
    uint32_t sampling, engine;
    OptionTexts vary, sets, end, min, max, event, vars, sensitivities;
    const char *cases, *output, *results, *report, *cache;
    bool fresh, quiet;
    SolverOptions solver;
} SweepCommand;

static int read_options(Args *args, SweepCommand *c, CliFolders *folders, const char **operand,
                        OptionLog *log)
{
    const Option own[] = {{"--vary", OPTION_TEXTS, &c->vary, NULL, false},
                          {"--samples", OPTION_COUNT, &c->samples, NULL, false},
                          {"--sampling", OPTION_CHOICE, &c->sampling, samplings, false},
                          {"--cases", OPTION_TEXT, &c->cases, NULL, true},
                          {"--end", OPTION_TEXTS, &c->end, NULL, false},
                          {"--min", OPTION_TEXTS, &c->min, NULL, false},
                          {"--max", OPTION_TEXTS, &c->max, NULL, false},
                          {"--event", OPTION_TEXTS, &c->event, NULL, false},
                          {"--sensitivity", OPTION_TEXTS, &c->sensitivities, NULL, false},
                          {"--output", OPTION_TEXT, &c->output, NULL, true},
                          {"--results", OPTION_TEXT, &c->results, NULL, false},
                          {"--report", OPTION_TEXT, &c->report, NULL, true},
                          {"--vars", OPTION_TEXTS, &c->vars, NULL, false},
                          {"--jobs", OPTION_COUNT, &c->jobs, NULL, true},
                          {"--fresh", OPTION_FLAG, &c->fresh, NULL, true},
                          {"--quiet", OPTION_FLAG, &c->quiet, NULL, true},
                          {"--start", OPTION_NUMBER, &c->start, NULL, false},
                          {"--stop", OPTION_NUMBER, &c->stop, NULL, false},
                          {"--interval", OPTION_POSITIVE, &c->interval, NULL, false},
                          {"--steps", OPTION_COUNT, &c->steps, NULL, false},
                          {"--engine", OPTION_CHOICE, &c->engine, engines, true},
                          {"--cache", OPTION_TEXT, &c->cache, NULL, true},
                          {"--set", OPTION_TEXTS, &c->sets, NULL, false}};
    enum { OWN = sizeof own / sizeof *own };
    Option table[OWN + SOLVER_OPTIONS];
    uint32_t n;
    memcpy(table, own, sizeof own);
    solver_options_table(&c->solver, table + OWN);
    int code = options_read(args, OWN + SOLVER_OPTIONS, table, folders, 1, operand, &n, log);
    if (code == EXIT_DONE && n == 0)
        return args_fail(args, "which file?");
    return code;
}

static int check_options(const Args *args, const SweepCommand *c)
{
    if (c->stop.given && c->stop.value < c->start.value)
        return args_fail(args, "--stop %g lies before --start %g", c->stop.value, c->start.value);
    if (c->interval.given && c->steps.given)
        return args_fail(args, "--interval and --steps say the same thing: give one of them");
    if (c->steps.given && (c->steps.value == 0 || c->steps.value > UINT32_MAX))
        return args_fail(args, "--steps wants a number from 1 to %u", UINT32_MAX);
    if (!c->cases && c->vary.n == 0)
        return args_fail(args, "what varies? --vary PATH=FROM:TO:POINTS, or --cases FILE.csv");
    if (c->cases && (c->vary.n || c->samples.given))
        return args_fail(args,
                         "--cases has all that varies: give no --vary and no --samples beside it");
    if (c->samples.given && (c->samples.value == 0 || c->samples.value > SWEEP_MOST_CASES))
        return args_fail(args, "--samples wants a number from 1 to %d", SWEEP_MOST_CASES);
    if (c->jobs.given && (c->jobs.value == 0 || c->jobs.value > 1024))
        return args_fail(args, "--jobs wants a number from 1 to 1024");
    return solver_options_check(args, &c->solver);
}

static SolOptions run_options(const SweepCommand *c, const CliFolders *folders, const SolSet *sets)
{
    SolOptions options = {.start = c->start.value,
                          .stop = c->stop.given ? c->stop.value : c->start.value + 1,
                          .interval = c->interval.value,
                          .steps = (uint32_t)c->steps.value,
                          .engine = (SolEngine)c->engine,
                          .cache = c->cache,
                          .n_sets = c->sets.n,
                          .sets = sets,
                          .n_sensitivities = c->sensitivities.n,
                          .sensitivities = c->sensitivities.at,
                          .max_instances = folders->max_instances};
    solver_options_fill(&c->solver, &options);
    return options;
}

/* ---- cases ---- */

static int make_cases(const Args *args, const SweepCommand *c, SweepCases *cases)
{
    char why[1000];
    bool good = true;
    for (uint32_t i = 0; i < c->vary.n && good; i++)
        good = sweep_add_range(cases, c->vary.at[i], why, sizeof why);
    if (good && c->cases)
        good = sweep_read_cases(cases, c->cases, why, sizeof why);
    else if (good && c->samples.given)
        good = sweep_make_samples(cases, c->samples.value, (SweepSampling)c->sampling,
                                  c->solver.seed.value, why, sizeof why);
    else if (good)
        good = sweep_make_grid(cases, why, sizeof why);
    return good ? EXIT_DONE : args_fail(args, "%s", why);
}

static int check_sets(const Args *args, const SolOptions *options, const SweepCases *cases)
{
    for (uint32_t i = 0; i < options->n_sets; i++)
        for (uint32_t k = 0; k < sweep_path_count(cases); k++)
            if (strcmp(options->sets[i].path, sweep_path(cases, k)) == 0)
                return args_fail(args, "%s is set by --set and by --vary or --cases",
                                 sweep_path(cases, k));
    return EXIT_DONE;
}

/* ---- what is measured ---- */

typedef VEC(SweepQuantity) Quantities;

static void add_quantities(Mem *mem, Quantities *list, const OptionTexts *names, SweepKind kind)
{
    for (uint32_t i = 0; i < names->n; i++)
        vec_push(mem, list, ((SweepQuantity){.kind = kind, .name = names->at[i]}));
}

/* Nothing was asked for: the end values of what the top model has itself at its start. */
static void add_all_ends(Mem *mem, Quantities *list, Sol *sim)
{
    enum { MOST = 100 };
    SolVarInfo info;
    char path[4096];
    for (SolVar var = sol_next_var(sim, 0); var && list->n < MOST; var = sol_next_var(sim, var)) {
        if (!sol_var_info(sim, var, &info) || !info.top || info.parameter ||
            info.type == SOL_STRING)
            continue;
        size_t n = sol_var_path(sim, var, path, sizeof path);
        if (n < sizeof path)
            vec_push(
                mem, list,
                ((SweepQuantity){.kind = SWEEP_END, .name = strcpy(mem_alloc(mem, n + 1), path)}));
    }
}

/* Behind each end value its derivatives. */
static void add_derivatives(Mem *mem, Quantities *list, const OptionTexts *by)
{
    Quantities all = {0};
    for (uint32_t i = 0; i < list->n; i++) {
        vec_push(mem, &all, list->at[i]);
        for (uint32_t k = 0; list->at[i].kind == SWEEP_END && k < by->n; k++)
            vec_push(mem, &all, ((SweepQuantity){SWEEP_END, list->at[i].name, by->at[k], k}));
    }
    *list = all;
}

static void print_messages(const SolModel *model)
{
    if (sweep_rank() <= 0) /* once */
        sol_print_messages(model, 0, stderr, cli_colour());
}

/* The first case is begun here, so that what is wrong with all of them is told once. */
static int look_at_first(Mem *mem, const SweepJob *job, SolModel *model, Quantities *list)
{
    Sol *sim = sweep_start(job, model, 0, SOL_ENGINE_INTERP);
    SolStatus status = sim ? sol_init(sim) : sol_model_status(model);
    if (status == SOL_OK && list->n == 0)
        add_all_ends(mem, list, sim);
    if (status == SOL_MODEL || status == SOL_USAGE || !sim)
        print_messages(model);
    bool numeric = status == SOL_NUMERICS || status == SOL_IO;
    sol_close(sim);
    if (numeric && list->n == 0)
        fputs(
            "solstice: error: the first case fails at its start: say what is wanted (--end, --min, "
            "--max, --event)\n",
            stderr);
    if (status == SOL_OK || (numeric && list->n))
        return EXIT_DONE;
    return status >= SOL_IO ? EXIT_IO : (int)status;
}

/* ---- what is swept, in one text: a journal of another one is not gone on with ---- */

static uint64_t hash_cases(const SweepCases *cases)
{
    char value[SWEEP_VALUE];
    uint64_t hash = cases->n;
    for (uint32_t i = 0; i < sweep_path_count(cases); i++)
        hash = hash_bytes(sweep_path(cases, i), strlen(sweep_path(cases, i)), hash);
    for (uint64_t c = 0; c < cases->n; c++)
        for (uint32_t i = 0; i < sweep_path_count(cases); i++)
            if (sweep_value(cases, c, i, value))
                hash = hash_bytes(value, strlen(value) + 1, hash + i);
    return hash;
}

static const char *describe(Mem *mem, const SweepJob *job, const SolModel *model,
                            const OptionLog *log)
{
    uint64_t quantities = job->n_quantities;
    for (uint32_t i = 0; i < job->n_quantities; i++)
        quantities = hash_bytes(job->quantities[i].name, strlen(job->quantities[i].name),
                                quantities + job->quantities[i].kind);
    char *text = mem_alloc(mem, sizeof log->text + 512);
    snprintf(text, sizeof log->text + 512,
             "solstice " SOLSTICE_VERSION "\n%.200s %016llx\ncases %016llx\nquantities %016llx\n%s",
             job->designator ? job->designator : "", (unsigned long long)sol_text_hash(model),
             (unsigned long long)hash_cases(job->cases), (unsigned long long)quantities, log->text);
    return text;
}

/* ---- running ---- */

static uint32_t cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static const char *default_output(Mem *mem, const SweepJob *job)
{
    const char *from = job->designator ? job->designator : job->load.path;
    const char *cut = strrchr(from, job->designator ? '.' : '/');
    char *name = mem_alloc(mem, strlen(from) + 16);
    strcpy(name, cut ? cut + 1 : from);
    char *dot = job->designator ? NULL : strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return strcat(name, ".sweep.csv");
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "solstice: error: %s%s%s\n", what, *why ? ": " : "", why);
    return EXIT_IO;
}

static bool open_journal(Sweep *sweep, const SweepCommand *c, const SolModel *model,
                         const char *output, const OptionLog *log)
{
    if (strcmp(output, "-") == 0 || sweep_rank() > 0)
        return true;
    char *path = mem_alloc(sweep->mem, strlen(output) + 16);
    sprintf(path, "%s.journal", output);
    return sweep_journal_open(sweep, path, describe(sweep->mem, sweep->job, model, log), c->fresh);
}

static int finish(Sweep *sweep, const SweepCommand *c, const char *output, double began,
                  uint32_t jobs)
{
    int error = 0;
    if (!sweep_write_table(sweep, output, &error))
        return complain(output, strerror(error ? error : errno));
    if (c->report && !sweep_write_report(sweep, c->report, &error))
        return complain(c->report, strerror(error));
    sweep_journal_remove(sweep);
    if (!c->quiet) {
        sweep_print_summary(sweep, timer_now() - began, jobs, stderr);
        if (strcmp(output, "-") != 0)
            fprintf(stderr, "table: %s\n", output);
    }
    return sweep->n_failed == sweep->job->cases->n ? EXIT_NUMERICS : EXIT_DONE;
}

static int run_sweep(Mem *mem, const SweepCommand *c, const SweepJob *job, SolModel *model,
                     const OptionLog *log)
{
    double began = timer_now();
    const char *output = c->output ? c->output : default_output(mem, job);
    uint32_t jobs = c->jobs.given ? (uint32_t)c->jobs.value : sweep_rank() >= 0 ? 1 : cores();
    Sweep *sweep = sweep_open(mem, job);
    int code = EXIT_DONE;
    if (!open_journal(sweep, c, model, output, log)) {
        code = complain(sweep->why, "");
    } else {
        if (sweep->n_done < job->cases->n || sweep_rank() >= 0)
            code = sweep_team_run(sweep, model, jobs, c->quiet || sweep_rank() > 0);
        if (code == EXIT_DONE && sweep_rank() <= 0)
            code = finish(sweep, c, output, began, jobs * sweep_ranks());
        else if (code == EXIT_IO)
            complain(sweep->why, "");
        else if (code != EXIT_DONE && sweep_rank() <= 0)
            fprintf(stderr, "interrupted: %llu of %llu cases are done; the same command goes on\n",
                    (unsigned long long)sweep->n_done, (unsigned long long)job->cases->n);
    }
    sweep_close(sweep);
    return code;
}

static int with_model(Mem *mem, const SweepCommand *c, SweepJob *job, const OptionLog *log)
{
    Quantities list = {0};
    SolModel *model = sol_load(&job->load);
    if (!model)
        return complain("out of memory", "");
    int code = (int)sol_model_status(model);
    if (code != SOL_OK)
        print_messages(model);
    add_quantities(mem, &list, &c->end, SWEEP_END);
    add_quantities(mem, &list, &c->min, SWEEP_MIN);
    add_quantities(mem, &list, &c->max, SWEEP_MAX);
    add_quantities(mem, &list, &c->event, SWEEP_EVENT);
    if (code == SOL_OK)
        code = look_at_first(mem, job, model, &list);
    add_derivatives(mem, &list, &c->sensitivities);
    job->quantities = list.at;
    job->n_quantities = list.n;
    if (code == EXIT_DONE && job->results && mkdir(job->results, 0777) != 0 && errno != EEXIST)
        code = complain(job->results, strerror(errno));
    if (code == EXIT_DONE)
        code = run_sweep(mem, c, job, model, log);
    sol_unload(model);
    return code;
}

static int sweep(Mem *mem, const Args *args, const SweepCommand *c, const CliFolders *folders,
                 const char *operand, const OptionLog *log)
{
    OptionSets *sets = mem_alloc(mem, sizeof *sets);
    SweepCases cases = {.mem = mem};
    char file[PATH_MAX];
    const char *designator;
    int code = check_options(args, c);
    if (code == EXIT_DONE)
        code = options_split_sets(args, &c->sets, sets);
    if (code == EXIT_DONE)
        code = make_cases(args, c, &cases);
    if (code == EXIT_DONE)
        code = cli_name_model(args, operand, file, &designator);
    if (code != EXIT_DONE)
        return code;
    SweepJob job = {.load = {.path = file,
                             .n_folders = folders->n,
                             .folders = folders->at,
                             .max_nesting = folders->max_nesting,
                             .max_definitions = folders->max_definitions,
                             .max_statements = folders->max_statements,
                             .strict_units = folders->strict_units},
                    .designator = designator,
                    .options = run_options(c, folders, sets->at),
                    .cases = &cases,
                    .results = c->results,
                    .vars = {c->vars.n, c->vars.at}};
    code = check_sets(args, &job.options, &cases);
    return code == EXIT_DONE ? with_model(mem, c, &job, log) : code;
}

static int run_command(int argc, char **argv)
{
    Args args = args_begin(&cli_sweep, argc, argv);
    SweepCommand command = {0};
    CliFolders folders = {0};
    OptionLog log = {""};
    const char *operand;
    MemGuard guard;
    int code = read_options(&args, &command, &folders, &operand, &log);
    Mem *mem = code == EXIT_DONE ? mem_open() : NULL;
    if (!mem)
        return code == EXIT_DONE ? complain("out of memory", "") : code;
    mem_guard_push(mem, &guard);
    volatile int result = EXIT_IO;
    if (setjmp(guard.env) == 0) {
        result = sweep(mem, &args, &command, &folders, operand, &log);
        mem_guard_pop(mem, &guard);
    } else {
        complain("out of memory", "");
    }
    mem_close(mem);
    return result;
}

const Command cli_sweep = {
    "sweep",
    "runs a model many times and makes a table",
    "usage: solstice sweep FILE[:MODEL] --vary PATH=FROM:TO:POINTS [options]\n\n"
    "Runs MODEL once for each case, on all cores, and writes a table with a line for each. Cases "
    "that fail are\n"
    "listed with their message and do not end the sweep. Killed at any time and started again by "
    "the same command\n"
    "it runs what is missing.\n\n"
    "cases\n"
    "  --vary PATH=FROM:TO:POINTS      a parameter or start value; log:FROM:TO:POINTS: evenly in "
    "its logarithm;\n"
    "                                  PATH=VALUE,VALUE,...; of several, all combinations\n"
    "  --samples N                     N random cases instead, each --vary being PATH=FROM:TO or "
    "log:FROM:TO\n"
    "  --sampling latin|random         a Latin hypercube (default), or independent; --seed N "
    "chooses others\n"
    "  --cases FILE.csv                a line for each case; the first line names the paths\n"
    "what is kept of each case\n"
    "  --end VARIABLE, --min VARIABLE, --max VARIABLE    its last, least, largest value\n"
    "  --event TEXT                    when a condition with TEXT in it fired first\n"
    "  --sensitivity PATH              of a parameter: the derivative of each end value by it\n"
    "                                  each may be given several times; without any: the end "
    "values of the top model\n"
    "  --output TABLE.csv              default MODEL.sweep.csv; '-': standard output, and nothing "
    "to go on from\n"
    "  --results FOLDER                a result file of each case too, of all variables or of "
    "--vars GLOB\n"
    "  --report PAGE.html              a page with statistics, histograms, scatter plots and "
    "failures\n"
    "running\n"
    "  --jobs N                        processes, default: as many as there are cores\n"
    "  --fresh                         begin anew, whatever a killed sweep has left\n"
    "  --quiet                         no progress, no summary\n"
    "  --start T, --stop T, --interval DT or --steps N, --set PATH=VALUE, --rtol R, --atol A, "
    "--max-step H,\n"
    "  --solver ida|auto|rk|euler, --linear, --max-order, --seed N, --engine jit|interp, --cache "
    "off|DIR, -L DIR\n"
    "                                  as in `solstice run`, for all cases\n\n"
    "Exit codes: 0 the table is complete, 3 every case failed; others as for `run`.\n\n"
    "examples:\n"
    "  solstice sweep rectifier.sol --stop 0.1 --vary R=1:10:100 --vary C=log:1e-6:1e-3:20 --end "
    "uC --max i\n"
    "  solstice sweep rectifier.sol --stop 0.1 --vary R=1:10 --samples 1000 --seed 7 --event 'i < "
    "0'\n",
    run_command,
};
