/* cmd_flat.c: `solstice flat`: file -> the flattened model as text, in its first mode or at a time. */
#include "frontend/flat.h"
#include "runtime/cli/show_at.h"

#include <stdio.h>

static bool value_of(const void *context, DdpVar var, double *value)
{
    return first_mode_value(context, var, value);
}

static int print_flat(CliModel *model)
{
    Def *top;
    FirstMode *mode = cli_first_mode(model, &top);
    if (!mode)
        return EXIT_MODEL;
    flat_print(first_mode_world(mode), def_path(model->program, top), value_of, mode, stdout);
    first_mode_close(mode);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_IO;
}

static int run_flat(int argc, char **argv)
{
    Args args = args_begin(&cli_flat, argc, argv);
    CliFolders folders = {0};
    const char *name;
    ShowAt at = {0};
    Option options[SHOW_AT_OPTIONS];
    show_at_table(&at, options);
    int code = options_read_file(&args, SHOW_AT_OPTIONS, options, &folders, &name);
    if (code == EXIT_DONE)
        code = show_at_check(&args, &at);
    if (code != EXIT_DONE)
        return code;
    if (at.time.given)
        return show_at(&args, name, &folders, &at, sol_print_flat, false);
    CliModel model;
    code = cli_load(&model, name, &folders);
    if (code == EXIT_DONE)
        code = print_flat(&model);
    return cli_close(&model, code);
}

const Command cli_flat = {
    "flat",
    "prints the flattened model of the first mode, or at a time",
    "usage: solstice flat FILE[:MODEL] [--at T [options of that run]] [-L DIR]...\n\n"
    "Instantiates the model and prints its variables, relations and branches, one per line. "
    "Branches\n"
    "are taken as far as their conditions are known from parameters, start values and "
    "transmissions.\n\n"
    "  --at T             run the model to time T, and print what exists after the events there, "
    "with\n"
    "                     the values it has\n"
    "  --set PATH=VALUE   of that run: a parameter, or the start value of a variable\n"
    "  --solver, --rtol, --atol, --step, --max-step, --max-order, --linear, --seed, --max-events,\n"
    "  --max-updates      of that run, as for 'solstice run'\n"
    "  -L DIR             look for packages that the file does not define in DIR too\n",
    run_flat,
};
