/* line_editor.h: keys in a terminal -> lines, with history and completion: what the module LINE_MODULE does
 * for `solstice live`. It is a module so that other commands need not load libedit. */
#ifndef RUNTIME_CLI_EDIT_LINE_EDITOR_H
#define RUNTIME_CLI_EDIT_LINE_EDITOR_H

#include <stdbool.h>
#include <stdio.h>

typedef enum LineFound {
    LINE_NOTHING, /* no completion */
    LINE_SHOWN,   /* several, which were printed */
    LINE_MORE     /* text to put at the cursor, which may be empty */
} LineFound;

typedef struct LineUser {
    void *context;
    const char *(*prompt)(void *context, char *text, size_t size);
    LineFound (*complete)(void *context, const char *line, size_t cursor, char *more, size_t size);
    bool (*take)(void *context, const char *line); /* false: it was the last one */
} LineUser;

#define LINE_MODULE "solstice_edit.so"
#define LINE_SYMBOL "solstice_edit_lines"
/* Until the last line, or the end of input, or a signal; false: the terminal cannot be used. */
bool solstice_edit_lines(const LineUser *user, FILE *in, FILE *out);
typedef bool (*LineEdit)(const LineUser *user, FILE *in, FILE *out);

#endif
