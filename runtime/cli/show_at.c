/* show_at.c: a model and a time -> what exists after the events at that time, as text. */
#include "runtime/cli/show_at.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int code_of(SolStatus status)
{
    return status >= SOL_IO ? EXIT_IO : (int)status; /* the first ones have the same numbers */
}

/* Times before 0 are as good as others: the run begins at 0 or there. */
static SolStatus show(SolModel *model, const char *designator, const ShowAt *at)
{
    double start = at->time < 0 ? at->time : 0;
    SolOptions options = {.start = start,
                          .stop = at->time > start ? at->time : start + 1,
                          .engine = at->code ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP,
                          .jit_wait = at->code,
                          .n_sets = at->sets->n,
                          .sets = at->values->at};
    SolOutput silent = {0};
    Sol *sim = sol_create(model, designator, &options);
    if (!sim)
        return sol_model_status(model);
    sol_set_output(sim, &silent);
    SolStatus status = at->time > start ? sol_run_to(sim, at->time) : sol_init(sim);
    if (status == SOL_OK)
        status = at->print(sim, stdout);
    sol_close(sim);
    return status;
}

int show_at(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at)
{
    char file[PATH_MAX], stdlib[PATH_MAX + 64], library[2 * PATH_MAX];
    name = cli_library(name, library, sizeof library);
    if (strlen(name) >= sizeof file)
        return args_fail(args, "the name of the file is too long");
    strcpy(file, name);
    const char *designator = cli_split(file);
    SolModel *model = sol_load(&(SolLoad){.path = file,
                                          .n_folders = folders->n,
                                          .folders = folders->at,
                                          .max_nesting = folders->max_nesting,
                                          .max_definitions = folders->max_definitions,
                                          .max_statements = folders->max_statements,
                                          .stdlib = cli_stdlib(stdlib, sizeof stdlib)});
    if (!model) {
        fputs("solstice: error: out of memory\n", stderr);
        return EXIT_IO;
    }
    SolStatus status = sol_model_status(model);
    if (status == SOL_OK)
        status = show(model, designator, at);
    sol_print_messages(model, 0, stderr, cli_colour());
    sol_unload(model);
    return code_of(status);
}
