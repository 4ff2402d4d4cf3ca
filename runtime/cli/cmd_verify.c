/* cmd_verify.c: `solstice verify`: a model by three tolerances, two solvers, two engines -> can it
 * be believed? */
#include "runtime/cli/solver_options.h"
#include "runtime/cli/verify.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct VerifyCommand {
    OptionNumber start, stop, interval, until, within, audit;
    OptionCount steps, rows;
    OptionTexts sets;
    SolverOptions solver;
} VerifyCommand;

static int read_options(Args *args, VerifyCommand *v, CliFolders *folders, const char **operand)
{
    const Option own[] = {{"--start", OPTION_NUMBER, &v->start, NULL, false},
                          {"--stop", OPTION_NUMBER, &v->stop, NULL, false},
                          {"--interval", OPTION_POSITIVE, &v->interval, NULL, false},
                          {"--steps", OPTION_COUNT, &v->steps, NULL, false},
                          {"--until", OPTION_NUMBER, &v->until, NULL, false},
                          {"--within", OPTION_POSITIVE, &v->within, NULL, false},
                          {"--rows", OPTION_COUNT, &v->rows, NULL, false},
                          {"--audit", OPTION_PERHAPS, &v->audit, NULL, false},
                          {"--set", OPTION_TEXTS, &v->sets, NULL, false}};
    enum { OWN = sizeof own / sizeof *own };
    Option table[OWN + SOLVER_OPTIONS];
    memcpy(table, own, sizeof own);
    solver_options_table(&v->solver, table + OWN);
    int code = options_read_file(args, OWN + SOLVER_OPTIONS, table, folders, operand);
    if (code != EXIT_DONE)
        return code;
    if (v->stop.given && !(v->stop.value > v->start.value))
        return args_fail(args, "--stop %g does not lie behind --start %g", v->stop.value,
                         v->start.value);
    if (v->steps.given && (v->steps.value == 0 || v->steps.value > 1000000))
        return args_fail(args, "--steps wants a number from 1 to 1000000");
    if (v->solver.solver == SOL_SOLVER_EULER)
        return args_fail(args, "euler has no tolerance to be verified");
    if (v->solver.solver == SOL_SOLVER_INLINE && v->solver.step.given)
        return args_fail(args, "steps of one length have no tolerance to be verified");
    return solver_options_check(args, &v->solver);
}

static SolOptions asked_options(const VerifyCommand *v, const OptionSets *sets)
{
    SolOptions options = {.start = v->start.value,
                          .stop = v->stop.given ? v->stop.value : v->start.value + 1,
                          .n_sets = v->sets.n,
                          .sets = sets->at,
                          .audit = v->audit.value,
                          .engine = SOL_ENGINE_INTERP};
    solver_options_fill(&v->solver, &options);
    double span = options.stop - options.start;
    options.interval = v->interval.given ? v->interval.value
                                         : span / (v->steps.given ? (double)v->steps.value : 500);
    if (options.rtol == 0)
        options.rtol = 1e-6;
    if (options.atol == 0)
        options.atol = options.rtol * 1e-2;
    return options;
}

/* The runs that are compared, each as a change of what was asked for. */
static SolOptions options_of(const SolOptions *asked, int run)
{
    static const double tighter[VERIFY_RUNS] = {1, 1, 1e-2, 1e-4, 1e-2};
    SolOptions options = *asked;
    options.rtol = fmax(asked->rtol * tighter[run], 1e-12);
    options.atol = fmax(asked->atol * tighter[run], 1e-14);
    options.engine = run == VERIFY_CODE ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP;
    options.jit_wait = run == VERIFY_CODE;
    if (run > VERIFY_CODE)
        options.engine = SOL_ENGINE_JIT;
    if (run == VERIFY_OTHER) {
        options.solver = asked->solver == SOL_SOLVER_IDA ? SOL_SOLVER_AUTO : SOL_SOLVER_IDA;
        options.method = SOL_METHOD_RADAU5;
        options.form = SOL_FORM_ODE;
    }
    return options;
}

static const char *name_of(const SolOptions *options, char *name, size_t size)
{
    static const char *const solvers[] = {"ida", "auto", "rk", "euler", "rodas", "inline"};
    snprintf(name, size, "%s, rtol %g, %s", solvers[options->solver], options->rtol,
             options->engine == SOL_ENGINE_INTERP ? "interpreted" : "compiled");
    return name;
}

static int verify(Mem *mem, const SolLoad *load, const char *designator, const SolOptions *asked,
                  const VerifyOptions *options)
{
    VerifyRun runs[VERIFY_RUNS] = {0};
    char names[VERIFY_RUNS][64];
    SolModel *model = sol_load(load);
    if (!model)
        return EXIT_IO;
    SolStatus status = sol_model_status(model);
    sol_print_messages(model, 0, stderr, cli_colour());
    for (int r = 0; r < VERIFY_RUNS && status == SOL_OK; r++) {
        SolOptions of = options_of(asked, r);
        runs[r].name = name_of(&of, names[r], sizeof names[r]);
        verify_run(mem, model, designator, &of, &runs[r]);
        if (runs[r].status != SOL_OK && runs[r].status != SOL_NUMERICS)
            status = runs[r].status;
    }
    bool agree = status == SOL_OK && verify_table(mem, runs, asked, options, stdout);
    sol_unload(model);
    if (status != SOL_OK)
        return status >= SOL_IO ? EXIT_IO : (int)status;
    return fflush(stdout) != 0 ? EXIT_IO : agree ? EXIT_DONE : EXIT_NUMERICS;
}

static int verify_guarded(const SolLoad *load, const char *designator, const SolOptions *asked,
                          const VerifyOptions *options)
{
    MemGuard guard;
    volatile int code = EXIT_IO;
    Mem *mem = mem_open();
    if (!mem)
        return EXIT_IO;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        code = verify(mem, load, designator, asked, options);
        mem_guard_pop(mem, &guard);
    } else {
        fputs("solstice: error: out of memory\n", stderr);
    }
    mem_close(mem);
    return code;
}

static int run_verify(int argc, char **argv)
{
    Args args = args_begin(&cli_verify, argc, argv);
    VerifyCommand command = {.rows.value = 20, .audit.value = 1e-9};
    CliFolders folders = {0};
    OptionSets sets;
    char file[PATH_MAX];
    const char *operand;
    int code = read_options(&args, &command, &folders, &operand);
    if (code == EXIT_DONE)
        code = options_split_sets(&args, &command.sets, &sets);
    if (code != EXIT_DONE)
        return code;
    const char *designator;
    code = cli_name_model(&args, operand, file, &designator);
    if (code != EXIT_DONE)
        return code;
    SolOptions asked = asked_options(&command, &sets);
    if (command.until.given && command.until.value > asked.stop)
        return args_fail(&args, "--until %.10g lies behind --stop %.10g", command.until.value,
                         asked.stop);
    SolLoad load = {.path = file,
                    .n_folders = folders.n,
                    .folders = folders.at,
                    .strict_units = folders.strict_units};
    VerifyOptions options = {.within =
                                 command.within.given ? command.within.value : 1e3 * asked.rtol,
                             .until = command.until.given ? command.until.value : asked.stop,
                             .rows = (uint32_t)command.rows.value};
    return verify_guarded(&load, designator, &asked, &options);
}

const Command cli_verify = {
    "verify",
    "runs a model several ways and says how far the answers are apart",
    "usage: solstice verify FILE[:MODEL] [options]\n\n"
    "What a careful engineer does by hand before believing a result. The model is run as asked "
    "for, interpreted and\n"
    "compiled; with a hundredth and a ten-thousandth of the tolerance; and by another solver; each "
    "with the\n"
    "audit. For each variable the table tells its range, how far the run as asked for, the tighter "
    "one\n"
    "and the one by the other solver are from the tightest (in parts of the range, at output "
    "points that no event is next\n"
    "to), whether the error falls with the tolerance, and up to which time all agree; for the "
    "events which of them moved.\n\n"
    "  --until T         the runs must agree up to T (the end)\n"
    "  --within X        agreement: apart by at most X of the range (1000 times --rtol)\n"
    "  --rows N          so many variables in the table, the worst first (20)\n"
    "  --audit=BOUND     of every run (1e-9)\n"
    "  --start T, --stop T, --interval DT or --steps N, --rtol R, --atol A, --max-step H, --solver "
    "ida|auto|rk,\n"
    "  --linear, --max-order, --seed N, --set PATH=VALUE, -L DIR\n"
    "                    as in `solstice run`\n\n"
    "Exit codes: 0 all agree, 3 they do not, or a run failed; others as for `run`.\n",
    run_verify,
};
