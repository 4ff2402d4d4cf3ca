/* cmd_graph.c: `solstice graph`: file -> pictures of its definitions or of its causality in DOT. */
#include "frontend/graph.h"
#include "runtime/cli/options.h"

#include <stdio.h>

typedef enum Picture { PICTURE_CAUSALITY, PICTURE_TYPES, PICTURE_PACKAGES } Picture;

/* "der(x)" for derivatives, as many times as needed */
static void name_var(void *context, DdpVar var, char *out, size_t size)
{
    DdpVarView view = ddp_var(first_mode_ddp(context), var);
    char path[240];
    world_var_path(first_mode_world(context), view.origin, path, sizeof path);
    int used = 0;
    for (uint32_t i = 0; i < view.order && i < 8; i++)
        used += snprintf(out + used, size - (size_t)used, "der(");
    used += snprintf(out + used, size - (size_t)used, "%s", path);
    for (uint32_t i = 0; i < view.order && i < 8; i++)
        used += snprintf(out + used, size - (size_t)used, ")");
}

static void name_rel(void *context, DdpRel rel, char *out, size_t size)
{
    DdpRelView view = ddp_rel(first_mode_ddp(context), rel);
    char text[500];
    world_rel_text(first_mode_world(context), view.origin, text, sizeof text);
    const char *times[] = {"", "d/dt ", "d2/dt2 ", "d3/dt3 "};
    snprintf(out, size, "%s%s", view.order < 4 ? times[view.order] : "d../dt ", text);
}

static int draw_causality(CliModel *model)
{
    Def *top;
    FirstMode *mode = cli_first_mode(model, &top);
    if (!mode)
        return EXIT_MODEL;
    ddp_graph(first_mode_ddp(mode), &(DdpNames){mode, name_rel, name_var}, stdout);
    first_mode_close(mode);
    return EXIT_DONE;
}

static int draw(const char *name, const CliFolders *folders, Picture picture)
{
    CliModel model;
    int code = cli_load(&model, name, folders);
    if (code == EXIT_DONE && program_check(model.program)) {
        if (picture == PICTURE_TYPES)
            graph_types(model.program, stdout);
        else if (picture == PICTURE_PACKAGES)
            graph_packages(model.program, stdout);
        else
            code = draw_causality(&model);
        if (fflush(stdout) != 0)
            code = EXIT_IO;
    }
    return cli_close(&model, code);
}

static int run_graph(int argc, char **argv)
{
    Args args = args_begin(&cli_graph, argc, argv);
    CliFolders folders = {0};
    bool types = false, packages = false;
    const char *name;
    const Option options[] = {{"--types", OPTION_FLAG, &types, NULL, false},
                              {"--packages", OPTION_FLAG, &packages, NULL, false}};
    int code = options_read_file(&args, 2, options, &folders, &name);
    if (code != EXIT_DONE)
        return code;
    if (types && packages)
        return args_fail(&args, "--types or --packages, one at a time");
    Picture picture = types ? PICTURE_TYPES : packages ? PICTURE_PACKAGES : PICTURE_CAUSALITY;
    return draw(name, &folders, picture);
}

const Command cli_graph = {
    "graph",
    "draws the causality of a model, or types or packages of a file (DOT)",
    "usage: solstice graph FILE[:MODEL] [-L DIR]...\n"
    "       solstice graph --types|--packages FILE [-L DIR]...\n\n"
    "Writes a graph in the DOT language to the standard output; draw it with 'dot -Tsvg'. Without "
    "an\n"
    "option it is the causality of the model's first mode: each relation with the variable it\n"
    "determines, loops framed with their tearing variables, residuals red, differentiated "
    "relations\n"
    "yellow, states as double circles, what is only potentially determined dashed.\n\n"
    "  --types      the hierarchy of types: from each type to its direct super-types;\n"
    "               definitions of equal type share a node\n"
    "  --packages   which definition contains which (solid), which extends which (dotted)\n"
    "  -L DIR       look for packages that the file does not define in DIR too\n",
    run_graph,
};
