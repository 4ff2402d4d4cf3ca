/* written.h: definitions that were edited -> the text of the main file with the edits in it.
 *
 * The text is the one that was read, with statements taken out and put in where they belong. The definition of
 * the whole model is changed where it stands; of one that other instances have too, a copy stands behind it under
 * another name, and whoever declares the edited instance names the copy. A statement that a definition inherits
 * is changed in a copy of what it extends.
 *
 * Errors: a message, and false; the text is of no use then. */
#ifndef FRONTEND_WRITTEN_H
#define FRONTEND_WRITTEN_H

#include "frontend/frontend.h"

typedef struct Writer Writer;

/* So many bytes of the written text are those that began at `old`. */
typedef struct WrittenRange {
    uint32_t at, length;
    Place old;
} WrittenRange;

typedef struct WrittenText {
    const char *text; /* with the Writer */
    size_t length;
    uint32_t n;
    const WrittenRange *range; /* ascending */
} WrittenText;

Writer *writer_open(Mem *mem, Program *program);
void writer_close(Writer *writer);

/* A definition that is changed; numbers from 1, 0 after an error. `name`: of a copy, what its name ends with; NULL:
 * it is changed where it stands. */
uint32_t writer_def(Writer *writer, Def *def, const char *name);
bool writer_remove(Writer *writer, uint32_t def, const Stmt *stmt);
bool writer_add(Writer *writer, uint32_t def, const Stmt *stmt); /* one that was typed */
/* What the statement declares is an instance of the changed definition `type`. */
bool writer_retype(Writer *writer, uint32_t def, const Stmt *stmt, uint32_t type);

bool writer_finish(Writer *writer, WrittenText *text);

/* The place in the old program of what stands at `at` in the new one, which read the written text. 0: new. */
Place written_origin(const WrittenText *text, Program *program, Program *old, Place at);

#endif
