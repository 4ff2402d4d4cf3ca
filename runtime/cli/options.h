/* options.h: a table of options -> values read from the command line, the same way in every
 * command.
 *
 * `--name VALUE` and `--name=VALUE`; a word that is no option is an operand; after `--` every word
 * is one. Every mistake is one line on stderr that names the option, and EXIT_USAGE. */
#ifndef RUNTIME_CLI_OPTIONS_H
#define RUNTIME_CLI_OPTIONS_H

#include "runtime/cli/cli.h"
#include "runtime/solstice.h"

typedef enum OptionKind {
    OPTION_FLAG,     /* bool */
    OPTION_NUMBER,   /* OptionNumber */
    OPTION_POSITIVE, /* OptionNumber above 0 */
    OPTION_PERHAPS,  /* OptionNumber above 0, only as --name=VALUE; --name alone leaves the value */
    OPTION_COUNT,    /* OptionCount */
    OPTION_TEXT,     /* const char * */
    OPTION_TEXTS,    /* OptionTexts: may be given several times */
    OPTION_CHOICE    /* uint32_t: index in choices */
} OptionKind;

typedef struct OptionNumber {
    double value;
    bool given;
} OptionNumber;

typedef struct OptionCount {
    uint64_t value;
    bool given;
} OptionCount;

enum { OPTION_TEXTS_MAX = 256 };

typedef struct OptionTexts {
    uint32_t n;
    const char *at[OPTION_TEXTS_MAX];
} OptionTexts;

typedef struct Option {
    const char *name; /* "--stop" */
    OptionKind kind;
    void *to;
    const char *const *choices; /* OPTION_CHOICE: NULL at the end */
    bool aside;                 /* changes nothing in the results: not part of the log */
} Option;

/* The options as they were given, those that matter for the results, in one line. */
typedef struct OptionLog {
    char text[4096];
} OptionLog;

/* EXIT_DONE, or EXIT_USAGE after a message. With folders, `-L DIR`, `-LDIR`, `--max-nesting N`,
 * `--max-definitions N`, `--max-statements N`, `--max-instances N` and `--units WORD` are options too. Operands are counted in *n_operands, at most max.
 * The log may be NULL. */
int options_read(Args *args, uint32_t n, const Option *options, CliFolders *folders, uint32_t max,
                 const char **operands, uint32_t *n_operands, OptionLog *log);

/* For commands with one operand, FILE[:MODEL], written to *file. */
int options_read_file(Args *args, uint32_t n, const Option *options, CliFolders *folders,
                      const char **file);

/* --set PATH=VALUE, cut in a copy of all of them. */
typedef struct OptionSets {
    SolSet at[OPTION_TEXTS_MAX];
    char text[16384];
} OptionSets;

int options_split_sets(const Args *args, const OptionTexts *texts, OptionSets *sets);

bool option_parse_number(const char *text, double *value); /* the whole text, finite */
bool option_parse_count(const char *text, uint64_t *value);

#endif
