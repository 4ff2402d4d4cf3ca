/* cli.h: the commands of the program. One command is one file cmd_NAME.c and one line in main.c. */
#ifndef RUNTIME_CLI_H
#define RUNTIME_CLI_H

#include "frontend/first_mode.h"

typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_MODEL = 1,    /* the model is wrong */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_NUMERICS = 3, /* the numerics failed */
    EXIT_IO = 4,       /* a file, or memory */
    EXIT_SIGNAL = 128  /* plus the number of the signal: Ctrl-C gives 130 */
} ExitCode;

typedef struct Command {
    const char *name;
    const char *summary;
    const char *help;                  /* whole text of --help */
    int (*run)(int argc, char **argv); /* argv[0] is the name of the command */
} Command;

/* The function `symbol` of a module of ours (base/module.h); NULL: `words` says why not. */
void *cli_module(const char *name, const char *symbol, char *words, size_t size);

extern const Command cli_bench;
extern const Command cli_cache;
extern const Command cli_check;
extern const Command cli_convert;
extern const Command cli_flat;
extern const Command cli_graph;
extern const Command cli_linearize;
extern const Command cli_live;
extern const Command cli_plot;
extern const Command cli_report;
extern const Command cli_run;
extern const Command cli_serve;
extern const Command cli_sweep;
extern const Command cli_verify;
extern const Command cli_watch;
extern const Command cli_solsim; /* also the program under that name */

/* ---- options, read in one pass over argv ---- */

typedef struct Args {
    int argc;
    char **argv;
    int next;
    const Command *command;
} Args;

Args args_begin(const Command *command, int argc, char **argv);
/* The next argument, or NULL at the end. */
const char *args_next(Args *args);
int args_fail(const Args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- a model file named on the command line ---- */

typedef struct CliModel {
    Mem *mem;
    Program *program;
    char *file;        /* FILE of FILE[:MODEL] */
    const char *model; /* MODEL, or NULL */
    uint32_t max_instances;
} CliModel;

enum { CLI_MAX_FOLDERS = 32 };

typedef struct CliFolders { /* how texts are read: -L, in the order given, and limits */
    uint32_t n;
    const char *at[CLI_MAX_FOLDERS];
    uint32_t max_nesting, max_definitions, max_statements, max_instances; /* 0: the default */
    bool strict_units;                                                    /* --units strict */
} CliFolders;

/* Cuts FILE[:MODEL] at the colon and returns MODEL, or NULL; a colon inside the name of an existing
 * file belongs to the name. */
const char *cli_split(char *file);
/* "Electric.Examples.Rectifier", which is no file, but begins with the name of a package of the
 * library: out becomes "FOLDER/Electric.sol:Electric.Examples.Rectifier" and is returned. Anything
 * else is returned as it is. */
const char *cli_library(const char *name, char *out, size_t size);
/* Both: FILE[:MODEL], or a model of the library -> file, of PATH_MAX bytes, and its designator, or NULL. */
int cli_name_model(const Args *args, const char *name, char *file, const char **designator);

/* Opens a session and loads the file; an exit code. The messages are still to be printed. */
int cli_load(CliModel *model, const char *name, const CliFolders *folders);
/* The instances of the model's first mode, *top being its definition; NULL after errors, which are
 * among the messages. To be closed by first_mode_close() before the model is. */
FirstMode *cli_first_mode(CliModel *model, Def **top);
/* Prints the messages to stderr, closes everything, and turns `code` into EXIT_MODEL when there
 * were errors. */
int cli_close(CliModel *model, int code);

bool cli_terminal(void); /* stderr is a terminal that knows escape sequences */
bool cli_colour(void);   /* and NO_COLOR is not set */

#endif
