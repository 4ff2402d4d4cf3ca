/* diag.h: messages to the user, collected and printed later.
 *
 * One message is one line `file:line:column: error: text`, then the source line with a caret, then
 * notes that name other places. Layers collect and go on; the command decides when to print. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/source.h"

#include <stdarg.h>
#include <stdio.h>

typedef enum Severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } Severity;

typedef struct Message {
    Severity severity;
    Place at;         /* 0: no place, printed as `solstice: error: text` */
    const char *text; /* one line */
} Message;

typedef struct Diags {
    Mem *mem;
    Arena arena;
    const Sources *sources;
    VEC(Message) list; /* notes follow the message they belong to */
    uint32_t errors, warnings;
    uint32_t limit;  /* errors kept; the rest is only counted */
    bool suppressed; /* the last message was beyond the limit: drop its notes too */
} Diags;

void diags_init(Diags *diags, Mem *mem, const Sources *sources);
void diags_free(Diags *diags);
void diags_clear(Diags *diags);
void diags_forget(Diags *diags); /* texts that were shown; their numbers still count */
void diags_drop_errors(Diags *diags, uint32_t from); /* and their notes, from message `from` on */

void diag_error(Diags *diags, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(Diags *diags, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(Diags *diags, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints all messages from number `from` on; returns how many messages there are now, for the next
 * call. Colour is the caller's decision (a terminal, and no NO_COLOR). */
uint32_t diags_print(const Diags *diags, uint32_t from, FILE *out, bool colour);

#endif
