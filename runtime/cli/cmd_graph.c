/* cmd_graph.c: `solstice graph`: file -> pictures of its definitions or of its causality in DOT. */
#include "frontend/graph.h"
#include "runtime/cli/show_at.h"

#include <stdio.h>

typedef enum Picture { PICTURE_CAUSALITY, PICTURE_TYPES, PICTURE_PACKAGES } Picture;

static int draw_causality(CliModel *model)
{
    Def *top;
    FirstMode *mode = cli_first_mode(model, &top);
    if (!mode)
        return EXIT_MODEL;
    graph_causality(first_mode_world(mode), stdout);
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
    ShowAt at = {0};
    Option options[SHOW_AT_OPTIONS + 2] = {{"--types", OPTION_FLAG, &types, NULL, false},
                                           {"--packages", OPTION_FLAG, &packages, NULL, false}};
    show_at_table(&at, options + 2);
    int code = options_read_file(&args, SHOW_AT_OPTIONS + 2, options, &folders, &name);
    at.time.given |= at.solver.solver == SOL_SOLVER_INLINE; /* at 0 unless told */
    if (code == EXIT_DONE)
        code = show_at_check(&args, &at);
    if (code != EXIT_DONE)
        return code;
    if ((types || packages) && at.time.given)
        return args_fail(&args, "--at is for the causality, not for --types or --packages");
    if (at.time.given)
        return show_at(&args, name, &folders, &at, sol_print_graph, true);
    if (types && packages)
        return args_fail(&args, "--types or --packages, one at a time");
    Picture picture = types ? PICTURE_TYPES : packages ? PICTURE_PACKAGES : PICTURE_CAUSALITY;
    return draw(name, &folders, picture);
}

const Command cli_graph = {
    "graph",
    "draws the causality of a model, or types or packages of a file (DOT)",
    "usage: solstice graph FILE[:MODEL] [--at T [options of that run]] [-L DIR]...\n"
    "       solstice graph --types|--packages FILE [-L DIR]...\n\n"
    "Writes a graph in the DOT language to the standard output; draw it with 'dot -Tsvg'. Without "
    "an\n"
    "option it is the causality of the model's first mode: each relation with the variable it\n"
    "determines, loops framed with their tearing variables, residuals red, differentiated "
    "relations\n"
    "yellow, states as double circles, what is only potentially determined dashed.\n\n"
    "  --at T       run the model to time T, and draw the causality after the events there, "
    "blocks\n"
    "               coloured by their tier (interpreted, quick or optimised code) and age, with a "
    "legend\n"
    "  --set PATH=VALUE   of that run: a parameter, or the start value of a variable\n"
    "  --solver, --method, --rtol, --atol, --step, --max-step, --max-order, --linear, --seed,\n"
    "  --max-events, --max-updates   of that run, as for 'solstice run'\n"
    "  --solver inline   the equations of one step of that solver instead, as they are solved: at\n"
    "               time 0 unless told; linear loops yellow, what is iterated framed, residuals "
    "red\n"
    "  --types      the hierarchy of types: from each type to its direct super-types;\n"
    "               definitions of equal type share a node\n"
    "  --packages   which definition contains which (solid), which extends which (dotted)\n"
    "  -L DIR       look for packages that the file does not define in DIR too\n",
    run_graph,
};
