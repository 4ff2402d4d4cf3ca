/* cmd_run.c: `solstice run`: model file -> result file. */
#include "runtime/cli/session.h"
#include "runtime/cli/solver_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const engines[] = {"jit", "interp", "rebuild", NULL}; /* SolEngine */
static const char *const jit_modes[] = {"background", "wait", NULL};
static const char *const remembering[] = {"on", "off", NULL};

#define AUDIT_BOUND 1e-9 /* of --audit without a number */

/* Everything that can be asked for, as it is read. */
typedef struct RunOptions {
    OptionNumber start, stop, interval, checkpoint, audit, realtime;
    OptionCount steps, stats_events, batch_from, max_rounds;
    SolverOptions solver;
    uint32_t engine, jit, modes;
    OptionTexts vars, sets, monitored, sensitivities;
    const char *output, *stats, *trace, *trace_file, *resume, *cache, *overrun;
    bool fast_math, jit_names, header_units, quiet;
} RunOptions;

static int read_options(Args *args, RunOptions *r, CliFolders *folders, const char **file,
                        OptionLog *log)
{
    const Option own[] = {
        {"--start", OPTION_NUMBER, &r->start, NULL, false},
        {"--stop", OPTION_NUMBER, &r->stop, NULL, false},
        {"--interval", OPTION_POSITIVE, &r->interval, NULL, false},
        {"--steps", OPTION_COUNT, &r->steps, NULL, false},
        {"--engine", OPTION_CHOICE, &r->engine, engines, true},
        {"--jit", OPTION_CHOICE, &r->jit, jit_modes, true},
        {"--cache", OPTION_TEXT, &r->cache, NULL, true},
        {"--batch-from", OPTION_COUNT, &r->batch_from, NULL, true},
        {"--fast-math", OPTION_FLAG, &r->fast_math, NULL, false},
        {"--modes", OPTION_CHOICE, &r->modes, remembering, true},
        {"--jit-names", OPTION_FLAG, &r->jit_names, NULL, true},
        {"--output", OPTION_TEXT, &r->output, NULL, true},
        {"--vars", OPTION_TEXTS, &r->vars, NULL, false},
        {"--monitor", OPTION_TEXTS, &r->monitored, NULL, false},
        {"--set", OPTION_TEXTS, &r->sets, NULL, false},
        {"--sensitivity", OPTION_TEXTS, &r->sensitivities, NULL, false},
        {"--stats", OPTION_TEXT, &r->stats, NULL, true},
        {"--stats-events", OPTION_COUNT, &r->stats_events, NULL, true},
        {"--audit", OPTION_PERHAPS, &r->audit, NULL, true},
        {"--realtime", OPTION_PERHAPS, &r->realtime, NULL, false},
        {"--max-rounds", OPTION_COUNT, &r->max_rounds, NULL, false},
        {"--overrun", OPTION_TEXT, &r->overrun, NULL, false},
        {"--trace", OPTION_TEXT, &r->trace, NULL, true},
        {"--trace-file", OPTION_TEXT, &r->trace_file, NULL, true},
        {"--checkpoint", OPTION_POSITIVE, &r->checkpoint, NULL, false},
        {"--resume", OPTION_TEXT, &r->resume, NULL, true},
        {"--header-units", OPTION_FLAG, &r->header_units, NULL, true},
        {"--quiet", OPTION_FLAG, &r->quiet, NULL, true},
    };
    enum { OWN = sizeof own / sizeof *own };
    Option table[OWN + SOLVER_OPTIONS];
    memcpy(table, own, sizeof own);
    solver_options_table(&r->solver, table + OWN);
    uint32_t n;
    int code = options_read(args, OWN + SOLVER_OPTIONS, table, folders, 1, file, &n, log);
    if (code == EXIT_DONE && n == 0)
        return args_fail(args, "which file?");
    return code;
}

/* What no option alone can see. */
static int check_options(const Args *args, const RunOptions *r)
{
    double start = r->start.value, stop = r->stop.given ? r->stop.value : start + 1;
    if (stop < start)
        return args_fail(args, "--stop %g lies before --start %g", stop, start);
    if (r->interval.given && r->steps.given)
        return args_fail(args, "--interval and --steps say the same thing: give one of them");
    if (r->steps.given && (r->steps.value == 0 || r->steps.value > UINT32_MAX))
        return args_fail(args, "--steps wants a number from 1 to %u", UINT32_MAX);
    if (r->trace && strspn(r->trace, "idesu") != strlen(r->trace))
        return args_fail(args, "--trace wants some of the letters i, d, e, s, u, not '%s'",
                         r->trace);
    if (r->trace_file && !r->trace)
        return args_fail(args, "--trace-file wants --trace LETTERS beside it");
    if (r->sensitivities.n && r->checkpoint.given)
        return args_fail(args, "--sensitivity and --checkpoint do not go together");
    if (r->resume && !r->checkpoint.given)
        return args_fail(args, "--resume goes on with a run that had --checkpoint: give it again");
    if (r->realtime.given && (!r->solver.step.given || (r->solver.solver != SOL_SOLVER_EULER &&
                                                        r->solver.solver != SOL_SOLVER_INLINE)))
        return args_fail(args, "--realtime wants --solver inline or euler, and --step H");
    if (!r->realtime.given && (r->max_rounds.given || r->overrun))
        return args_fail(args, "--max-rounds and --overrun are for --realtime");
    if (r->max_rounds.given && (r->max_rounds.value < 1 || r->max_rounds.value > UINT32_MAX))
        return args_fail(args, "--max-rounds wants a number from 1 to %u", UINT32_MAX);
    double last =
        fmax(fabs(start), fabs(stop)); /* steps far below do not move the clock any more */
    if (r->checkpoint.given && r->checkpoint.value < 1e-13 * fmax(last, stop - start))
        return args_fail(args, "--checkpoint %g is too small for times up to %g",
                         r->checkpoint.value, last);
    return solver_options_check(args, &r->solver);
}

static SolOptions simulation_options(const RunOptions *r, const CliFolders *folders,
                                     const SolSet *sets)
{
    SolOptions options = {
        .start = r->start.value,
        .stop = r->stop.given ? r->stop.value : r->start.value + 1,
        .interval = r->interval.value,
        .steps = (uint32_t)r->steps.value,
        .engine = (SolEngine)r->engine,
        .jit_wait = r->jit != 0,
        .cache = r->cache,
        .fast_math = r->fast_math,
        .forget_modes = r->modes != 0,
        .jit_names = r->jit_names,
        .batch_from = (uint32_t)r->batch_from.value,
        .n_sets = r->sets.n,
        .sets = sets,
        .max_instances = folders->max_instances,
        .n_monitored = r->monitored.n,
        .monitored = r->monitored.at,
        .n_sensitivities = r->sensitivities.n,
        .sensitivities = r->sensitivities.at,
        .savable = r->checkpoint.given,
        .audit = r->audit.given ? r->audit.value : 0,
        .trace = r->trace,
        .realtime = r->realtime.given ? r->realtime.value : 0,
        .max_rounds = (uint32_t)r->max_rounds.value,
        .overrun = r->overrun,
    };
    solver_options_fill(&r->solver, &options);
    return options;
}

static int run_session(const Job *job)
{
    Session *session;
    int code = session_open(job, &session);
    if (code == EXIT_DONE)
        code = session_advance(session, job->options.stop);
    return session_close(session, code);
}

static int run_with(Args *args, const RunOptions *r, const CliFolders *folders, const char *file,
                    const OptionLog *log)
{
    OptionSets sets;
    int code = check_options(args, r);
    if (code == EXIT_DONE)
        code = options_split_sets(args, &r->sets, &sets);
    if (code != EXIT_DONE)
        return code;
    Job job = {.name = file,
               .folders = *folders,
               .options = simulation_options(r, folders, sets.at),
               .output = r->output,
               .vars = {r->vars.n, r->vars.at},
               .stats = r->stats,
               .stats_events = r->stats_events.given ? r->stats_events.value : 10000,
               .trace_file = r->trace_file,
               .checkpoint = r->checkpoint.value,
               .resume = r->resume,
               .options_text = log->text,
               .header_units = r->header_units,
               .quiet = r->quiet};
    return run_session(&job);
}

static int run_run(int argc, char **argv)
{
    Args args = args_begin(&cli_run, argc, argv);
    RunOptions options = {.audit.value = AUDIT_BOUND, .realtime.value = 1};
    CliFolders folders = {0};
    OptionLog log = {""};
    const char *file;
    int code = read_options(&args, &options, &folders, &file, &log);
    return code == EXIT_DONE ? run_with(&args, &options, &folders, file, &log) : code;
}

const Command cli_run = {
    "run",
    "simulates a model",
    "usage: solstice run FILE[:MODEL] [options]\n\n"
    "Simulates MODEL, by default the last model at the top of FILE, and writes the result file\n"
    "MODEL.solr. Ctrl-C ends the run cleanly, with everything written so far.\n\n"
    "time and output\n"
    "  --start T, --stop T     from and to, default 0 and one second later\n"
    "  --interval DT           between output points; or --steps N of them (500); every event is\n"
    "                          written too, both sides\n"
    "  --output FILE           .solr (the result as it arises), .csv or .mat (exported from it at\n"
    "                          the end); '-': CSV on standard output\n"
    "  --vars GLOB             only variables whose path fits; may be given several times\n"
    "  --monitor MODEL         instances of MODEL are monitored: written whatever their number\n"
    "  --header-units          units in the first line of CSV: 'v [m/s]'\n"
    "  --quiet                 no progress, no summary\n"
    "numerics\n"
    "  --solver ida|auto|rk|rodas|euler|inline, --step H (fixed-step solvers), --linear "
    "auto|dense|klu|krylov\n"
    "  --method radau5|radau3|bdf3|bdf2|implicit-euler|explicit-euler   of --solver inline\n"
    "  --form ode|dae|auto|whole   of --solver ida: constraints solved for, or kept as equations\n"
    "  --realtime[=FACTOR]     steps of --step wait for the clock, FACTOR (1) seconds in one of "
    "it\n"
    "  --max-rounds N          in real time: of Newton's method in a step (8)\n"
    "  --overrun PATH          in real time: an Integer that counts steps that are late, or a\n"
    "                          Boolean that is true behind one\n"
    "  --rtol R (1e-6), --atol A (R/100), --max-step H (none), --max-order N (5)\n"
    "  --max-events N, --max-updates N (1000 at one time), --max-instances N (10,000,000):\n"
    "                          beyond, the run ends with an error\n"
    "model\n"
    "  --set PATH=VALUE        a parameter, or the start value of a variable\n"
    "  --sensitivity PATH      of a parameter: columns d(x)/d(PATH) beside each variable; may be "
    "given\n"
    "                          several times\n"
    "  --seed N                of random(), default 0\n"
    "  -L DIR                  look for packages in DIR too\n"
    "  --units warn|strict     units that differ: a warning, or an error\n"
    "code\n"
    "  --engine jit|interp|rebuild, --jit background|wait, --cache off|DIR, --fast-math\n"
    "  --modes on|off          what a part had in a mode that returns is put back, or made anew\n"
    "  --jit-names             compiled functions have names that gdb and perf show\n"
    "long runs and insight\n"
    "  --checkpoint EVERY      save the run every so much simulated time (RESULT.check)\n"
    "  --resume FILE           go on from a checkpoint, with the same options\n"
    "  --audit[=BOUND]         check every relation as it is written, at every output point and "
    "on\n"
    "                          both sides of events; a violation above BOUND (1e-9) is exit code "
    "3\n"
    "  --stats FILE            statistics as JSON, with the first --stats-events N (10000) events\n"
    "  --trace LETTERS         tells what happens, a line each: e events and their branches,\n"
    "                          i instances, d causality, s steps, u held variables behind each\n"
    "                          update; to standard error, or to --trace-file FILE\n\n"
    "Exit codes: 0 done, 1 the model is wrong, 2 the command line is wrong, 3 the numerics "
    "failed,\n"
    "4 a file or memory failed, 130 ended by Ctrl-C (128 + number of the signal).\n\n"
    "examples:\n"
    "  solstice run Machine.sol --stop 10\n"
    "  solstice run Electric.sol:Electric.Examples.Rectifier --stop 0.1 --output r.csv\n"
    "  solstice run Machine.sol --stop 10 --set engine.torque=20 --vars 'engine.*' --stats "
    "s.json\n",
    run_run,
};
