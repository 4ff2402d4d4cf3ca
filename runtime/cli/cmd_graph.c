/* cmd_graph.c: `solstice graph`: file -> pictures of its definitions in DOT. */
#include "frontend/graph.h"
#include "runtime/cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef enum Picture { PICTURE_NONE, PICTURE_TYPES, PICTURE_PACKAGES } Picture;

static int draw(const char *name, const CliFolders *folders, Picture picture)
{
    CliModel model;
    int code = cli_load(&model, name, folders);
    if (code == EXIT_DONE && program_check(model.program)) {
        if (picture == PICTURE_TYPES)
            graph_types(model.program, stdout);
        else
            graph_packages(model.program, stdout);
        if (fflush(stdout) != 0)
            code = EXIT_IO;
    }
    return cli_close(&model, code);
}

static int run_graph(int argc, char **argv)
{
    Args args = args_begin(&cli_graph, argc, argv);
    CliFolders folders = {0};
    Picture picture = PICTURE_NONE;
    const char *name = NULL, *argument;
    while ((argument = args_next(&args))) {
        if (cli_folder(&args, argument, &folders))
            continue;
        if (strcmp(argument, "--types") == 0)
            picture = PICTURE_TYPES;
        else if (strcmp(argument, "--packages") == 0)
            picture = PICTURE_PACKAGES;
        else if (argument[0] == '-' && argument[1])
            return args_fail(&args, "unknown option '%s'", argument);
        else if (name)
            return args_fail(&args, "one file at a time, not '%s' too", argument);
        else
            name = argument;
    }
    if (!name)
        return args_fail(&args, "which file?");
    if (picture == PICTURE_NONE)
        return args_fail(&args, "which picture: --types or --packages?");
    return draw(name, &folders, picture);
}

const Command cli_graph = {
    "graph",
    "draws the types or packages of a file (DOT)",
    "usage: solstice graph --types|--packages FILE [-L DIR]...\n\n"
    "Writes a graph in the DOT language to the standard output.\n\n"
    "  --types      the hierarchy of types: from each type to its direct super-types;\n"
    "               definitions of equal type share a node\n"
    "  --packages   which definition contains which (solid), which extends which (dotted)\n"
    "  -L DIR       look for packages that the file does not define in DIR too\n",
    run_graph,
};
