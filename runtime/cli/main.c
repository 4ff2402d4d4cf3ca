/* main.c: command line -> command. */
#include "base/similar.h"
#include "runtime/cli/cli.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const Command *const commands[] = {
    &cli_run,   &cli_verify, &cli_linearize, &cli_check,  &cli_flat,
    &cli_graph, &cli_plot,   &cli_sweep,     &cli_report, &cli_convert,
    &cli_bench, &cli_cache,  &cli_live,      &cli_serve,  &cli_watch,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fputs("usage: solstice COMMAND FILE[:MODEL] [options]\n\n"
          "Solstice runs models written in Sol. MODEL is a dotted designator; by default it is\n"
          "the last model at the top of the file. Models of the library go by their designator\n"
          "alone: solstice run Electric.Examples.Rectifier --stop 0.1\n\ncommands:\n",
          out);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'solstice COMMAND --help' tells more. Exit codes: 0 done, 1 the model is wrong,\n"
          "2 the command line is wrong, 3 the numerics failed, 4 input or output failed.\n",
          out);
}

static bool asks_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static int run_command(const Command *command, int argc, char **argv)
{
    if (asks_help(argc, argv)) {
        fputs(command->help, stdout);
        return EXIT_DONE;
    }
    return command->run(argc, argv);
}

/* Under the name of the thesis' simulator the program takes its commands. */
static bool called_solsim(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strcasecmp(slash ? slash + 1 : name, "solsim") == 0;
}

static int unknown_command(const char *name)
{
    const char *best = NULL;
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < N_COMMANDS; i++) {
        uint32_t distance = similar_distance(name, commands[i]->name);
        if (distance < least && similar_enough(name, distance)) {
            least = distance;
            best = commands[i]->name;
        }
    }
    fprintf(stderr, "solstice: unknown command '%s'", name);
    if (best)
        fprintf(stderr, ": did you mean '%s'?", best);
    else if (strchr(name, '.'))
        fprintf(stderr, ": 'solstice run %s' simulates a file", name);
    fputs("\n'solstice --help' lists the commands\n", stderr);
    return EXIT_USAGE;
}

/* The arrays of a large model grow for as long as it does. glibc learns from each that is freed to
 * take the next ones, up to 32 MB, from its heap, where growing leaves holes: 200 MB of 1,400 at a
 * million relations. From pages of their own they move without. */
static void keep_arrays_out_of_the_heap(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 18);
    mallopt(M_TRIM_THRESHOLD, 1 << 24);
}

int main(int argc, char **argv)
{
    keep_arrays_out_of_the_heap();
    if (argc > 0 && called_solsim(argv[0]))
        return run_command(&cli_solsim, argc, argv);
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        puts("solstice " SOLSTICE_VERSION);
        return EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return run_command(commands[i], argc - 1, argv + 1);
    if (*name)
        return unknown_command(name);
    print_help(stderr);
    return EXIT_USAGE;
}
