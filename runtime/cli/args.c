/* args.c: words of the command line -> options, loaded models. */
#include "runtime/cli/cli.h"
#include "runtime/sim/stdlib_folder.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Args args_begin(const Command *command, int argc, char **argv)
{
    return (Args){argc, argv, 1, command};
}

const char *args_next(Args *args)
{
    return args->next < args->argc ? args->argv[args->next++] : NULL;
}

int args_fail(const Args *args, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "solstice %s: ", args->command->name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n'solstice %s --help' tells how it is used\n", args->command->name);
    return EXIT_USAGE;
}

bool cli_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

bool cli_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    return cli_terminal() && !(no_color && *no_color);
}

const char *cli_library(const char *name, char *out, size_t size)
{
    char folder[STDLIB_ROOM];
    const char *dot = name + strcspn(name, ".");
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    if (name[n] || access(name, F_OK) == 0 || !stdlib_folder(folder))
        return name;
    int length = snprintf(out, size, "%s/%.*s.sol", folder, (int)(dot - name), name);
    if (length < 0 || (size_t)length + strlen(name) + 2 > size || access(out, R_OK) != 0)
        return name;
    snprintf(out + length, size - (size_t)length, ":%s", name);
    return out;
}

const char *cli_split(char *file)
{
    char *colon = access(file, F_OK) == 0 ? NULL : strrchr(file, ':');
    if (!colon || strchr(colon, '/'))
        return NULL;
    *colon = '\0';
    return colon + 1;
}

int cli_name_model(const Args *args, const char *name, char *file, const char **designator)
{
    char library[2 * PATH_MAX];
    name = cli_library(name, library, sizeof library);
    if (strlen(name) >= PATH_MAX)
        return args_fail(args, "the name of the file is too long");
    strcpy(file, name);
    *designator = cli_split(file);
    return EXIT_DONE;
}

int cli_load(CliModel *model, const char *name, const CliFolders *folders)
{
    char stdlib[STDLIB_ROOM], library[2 * PATH_MAX];
    name = cli_library(name, library, sizeof library);
    ProgramOptions options = {.n_folders = folders->n,
                              .folders = folders->at,
                              .stdlib = stdlib_folder(stdlib),
                              .max_depth = folders->max_nesting,
                              .max_definitions = folders->max_definitions,
                              .max_statements = folders->max_statements,
                              .strict_units = folders->strict_units};
    *model = (CliModel){
        .mem = mem_open(), .file = strdup(name), .max_instances = folders->max_instances};
    model->program = model->mem ? program_open(model->mem, &options) : NULL;
    if (!model->program || !model->file) {
        fputs("solstice: out of memory\n", stderr);
        return EXIT_IO;
    }
    model->model = cli_split(model->file);
    if (program_load(model->program, model->file))
        return EXIT_DONE;
    return program_io_failed(model->program) ? EXIT_IO : EXIT_MODEL;
}

FirstMode *cli_first_mode(CliModel *model, Def **top)
{
    *top = program_find(model->program, model->model);
    if (!*top || !program_ok(model->program))
        return NULL;
    WorldLimits limits = {.instances = model->max_instances};
    FirstMode *mode = first_mode_open(model->mem, model->program, &limits);
    if (!mode || first_mode_run(mode, *top))
        return mode;
    first_mode_close(mode);
    return NULL;
}

int cli_close(CliModel *model, int code)
{
    if (model->program) {
        diags_print(program_diags(model->program), 0, stderr, cli_colour());
        if (code == EXIT_DONE && program_io_failed(model->program))
            code = EXIT_IO;
        if (code == EXIT_DONE && !program_ok(model->program))
            code = EXIT_MODEL;
        program_close(model->program);
    }
    mem_close(model->mem);
    free(model->file);
    return code;
}
