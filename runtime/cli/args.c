/* args.c: words of the command line -> options, loaded models. */
#include "runtime/cli/cli.h"

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

bool cli_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(no_color && *no_color);
}

/* The folder of the standard library: beside the build folder, or where `make install` puts it. */
const char *cli_stdlib(char *path, size_t size)
{
    static const char *const places[] = {"/../stdlib", "/../../stdlib",
                                         "/../share/solstice/stdlib"};
    ssize_t n = readlink("/proc/self/exe", path, size - 64);
    if (n <= 0)
        return NULL;
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    for (int i = 0; slash && i < 3; i++) {
        strcpy(slash, places[i]);
        if (access(path, R_OK | X_OK) == 0)
            return path;
    }
    return NULL;
}

const char *cli_split(char *file)
{
    char *colon = access(file, F_OK) == 0 ? NULL : strrchr(file, ':');
    if (!colon || strchr(colon, '/'))
        return NULL;
    *colon = '\0';
    return colon + 1;
}

int cli_load(CliModel *model, const char *name, const CliFolders *folders)
{
    char stdlib[PATH_MAX + 64];
    ProgramOptions options = {.n_folders = folders->n,
                              .folders = folders->at,
                              .stdlib = cli_stdlib(stdlib, sizeof stdlib),
                              .max_depth = folders->max_nesting,
                              .max_definitions = folders->max_definitions,
                              .max_statements = folders->max_statements};
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
