/* cmd_check.c: `solstice check`: file -> messages. */
#include "runtime/cli/cli.h"

#include <stdio.h>
#include <string.h>

static int run_check(int argc, char **argv)
{
    Args args = args_begin(&cli_check, argc, argv);
    CliFolders folders = {0};
    const char *name = NULL, *argument;
    while ((argument = args_next(&args))) {
        if (cli_folder(&args, argument, &folders))
            continue;
        if (argument[0] == '-' && argument[1])
            return args_fail(&args, "unknown option '%s'", argument);
        if (name)
            return args_fail(&args, "one file at a time, not '%s' too", argument);
        name = argument;
    }
    if (!name)
        return args_fail(&args, "which file?");
    CliModel model;
    int code = cli_load(&model, name, &folders);
    if (code == EXIT_DONE && program_check(model.program) && model.model)
        program_find(model.program, model.model);
    return cli_close(&model, code);
}

const Command cli_check = {
    "check",
    "reads a file and reports what is wrong with it",
    "usage: solstice check FILE[:MODEL] [-L DIR]...\n\n"
    "Parses the file, resolves its names and checks types and all rules that can be checked "
    "without\n"
    "running it. Warnings tell where an operator is read differently than usual.\n\n"
    "  -L DIR   look for packages that the file does not define in DIR too\n",
    run_check,
};
