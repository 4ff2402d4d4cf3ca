/* select.h: names and patterns on the command line -> columns of result files. */
#ifndef RUNTIME_CLI_SELECT_H
#define RUNTIME_CLI_SELECT_H

#include "runtime/cli/cli.h"
#include "runtime/cli/series.h"

/* Reads a file's first pass; an exit code, after a message when it cannot be read or is cut. */
int select_file(Series *series, const char *name);
/* Columns whose path fits, in all files: '*' any text, '?' one character. EXIT_USAGE with near
 * names when nothing fits, or only Strings do. */
int select_columns(Series *series, uint32_t n, const char *const *patterns);
/* When nobody said which: states, else the top model's interface, else what varies; at most `most`
 * curves, never parameters. How many there would be. */
uint32_t select_main(Series *series, uint32_t most);
/* The same for a page, which has room for states and interface together. */
uint32_t select_report(Series *series, uint32_t most);

#endif
