/* cmd_check.c: `solstice check`: file -> messages. */
#include "runtime/cli/options.h"

#include <stdio.h>

/* Of the first mode, with what connections add. */
static void print_counts(const char *name, FirstMode *mode, uint32_t states)
{
    enum { LISTED = 8, TEXT = 400 };
    World *world = first_mode_world(mode);
    Ddp *ddp = first_mode_ddp(mode);
    WorldTotals totals = world_totals(world);
    fprintf(stderr, "%s: %u equations, %u variables and parameters, %u state%s in the first mode",
            name, totals.relations, totals.variables, states, states == 1 ? "" : "s");
    for (uint32_t i = 0; i < states && i < LISTED; i++) {
        char path[TEXT];
        world_var_path(world, ddp_state(ddp, i).var, path, sizeof path);
        fprintf(stderr, "%s%s", i ? ", " : ": ", path);
    }
    fprintf(stderr, states > LISTED ? " and %u others\n" : "\n", states - LISTED);
}

/* Errors that only instances show: parameters, connections, the structure of the first mode. */
static void check_instances(CliModel *model)
{
    Def *top;
    FirstMode *mode = cli_first_mode(model, &top);
    if (!mode)
        return;
    DdpResult result = first_mode_result(mode);
    if (!world_report(first_mode_world(mode), &result))
        print_counts(def_path(model->program, top), mode, result.states);
    first_mode_close(mode);
}

static int run_check(int argc, char **argv)
{
    Args args = args_begin(&cli_check, argc, argv);
    CliFolders folders = {0};
    const char *name;
    bool instantiate = false;
    const Option options[] = {{"--instantiate", OPTION_FLAG, &instantiate, NULL, false}};
    int code = options_read_file(&args, 1, options, &folders, &name);
    if (code != EXIT_DONE)
        return code;
    CliModel model;
    code = cli_load(&model, name, &folders);
    if (code == EXIT_DONE && program_check(model.program) && model.model)
        program_find(model.program, model.model);
    bool fine = code == EXIT_DONE && program_ok(model.program);
    if (fine && instantiate)
        check_instances(&model);
    else if (fine)
        fprintf(stderr, "%s: no errors; --instantiate counts equations and variables too\n",
                model.file);
    return cli_close(&model, code);
}

const Command cli_check = {
    "check",
    "reads a file and reports what is wrong with it",
    "usage: solstice check FILE[:MODEL] [--instantiate] [-L DIR]...\n\n"
    "Parses the file, resolves its names and checks types and all rules that can be checked "
    "without\n"
    "running it. Warnings tell where an operator is read differently than usual.\n\n"
    "  --instantiate   create the instances of the first mode too: parameters, connections, and\n"
    "                  parts with too many or too few equations\n"
    "  -L DIR          look for packages that the file does not define in DIR too\n"
    "  --units strict  units that differ are errors, not warnings\n"
    "  --max-nesting N, --max-definitions N, --max-statements N, --max-instances N\n"
    "                  move the limits of texts, and of what is created from them\n",
    run_check,
};
