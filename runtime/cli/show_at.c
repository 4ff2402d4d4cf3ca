/* show_at.c: a model and a time -> what exists after the events at that time, as text. */
#include "runtime/cli/show_at.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int code_of(SolStatus status)
{
    return status >= SOL_IO ? EXIT_IO : (int)status; /* the first ones have the same numbers */
}

void show_at_table(ShowAt *at, Option table[SHOW_AT_OPTIONS])
{
    table[0] = (Option){"--at", OPTION_NUMBER, &at->time, NULL, false};
    table[1] = (Option){"--set", OPTION_TEXTS, &at->sets, NULL, false};
    solver_options_table(&at->solver, table + 2);
}

int show_at_check(const Args *args, const ShowAt *at)
{
    const SolverOptions *s = &at->solver;
    bool run = s->rtol.given || s->atol.given || s->max_step.given || s->max_order.given ||
               s->step.given || s->seed.given || s->max_events.given || s->max_updates.given ||
               s->solver || s->method != SOLVER_NO_METHOD || s->form || s->linear || at->sets.n;
    if (run && !at->time.given)
        return args_fail(args, "options of a run want --at beside them");
    return solver_options_check(args, s);
}

/* Times before 0 are as good as others: the run begins at 0 or there. */
static SolOptions run_options(const ShowAt *at, const OptionSets *sets, bool code)
{
    double start = at->time.value < 0 ? at->time.value : 0;
    double stop = at->until > at->time.value ? at->until : at->time.value;
    SolOptions options = {.start = start,
                          .stop = stop > start ? stop : start + 1,
                          .engine = code ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP,
                          .jit_wait = code,
                          .n_sets = at->sets.n,
                          .sets = sets->at};
    solver_options_fill(&at->solver, &options);
    return options;
}

static SolStatus show(SolModel *model, const char *designator, const SolOptions *options,
                      double time, ShowSim print, void *context)
{
    SolOutput silent = {0};
    Sol *sim = sol_create(model, designator, options);
    if (!sim)
        return sol_model_status(model);
    sol_set_output(sim, &silent);
    SolStatus status = time > options->start ? sol_run_to(sim, time) : sol_init(sim);
    if (status == SOL_OK)
        status = print(context, sim);
    sol_close(sim);
    return status;
}

int show_at_with(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at,
                 ShowSim print, void *context, bool code)
{
    OptionSets sets;
    if (options_split_sets(args, &at->sets, &sets) != EXIT_DONE)
        return EXIT_USAGE;
    SolOptions options = run_options(at, &sets, code);
    char file[PATH_MAX];
    const char *designator;
    int named = cli_name_model(args, name, file, &designator);
    if (named != EXIT_DONE)
        return named;
    SolModel *model = sol_load(&(SolLoad){.path = file,
                                          .n_folders = folders->n,
                                          .folders = folders->at,
                                          .max_nesting = folders->max_nesting,
                                          .max_definitions = folders->max_definitions,
                                          .max_statements = folders->max_statements,
                                          .strict_units = folders->strict_units});
    if (!model) {
        fputs("solstice: error: out of memory\n", stderr);
        return EXIT_IO;
    }
    SolStatus status = sol_model_status(model);
    if (status == SOL_OK)
        status = show(model, designator, &options, at->time.value, print, context);
    sol_print_messages(model, 0, stderr, cli_colour());
    sol_unload(model);
    return code_of(status);
}

typedef struct Printing {
    SolStatus (*print)(Sol *sim, FILE *out);
} Printing;

static SolStatus print_out(void *context, Sol *sim)
{
    return ((const Printing *)context)->print(sim, stdout);
}

int show_at(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at,
            SolStatus (*print)(Sol *sim, FILE *out), bool code)
{
    Printing printing = {print};
    return show_at_with(args, name, folders, at, print_out, &printing, code);
}
