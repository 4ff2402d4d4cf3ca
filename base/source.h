/* source.h: source texts and places in them.
 *
 * A Place is one number for file and offset together: all texts lie behind each other in one
 * range of numbers. Line and column are computed when a message is printed, not before. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/vec.h"

typedef uint32_t Place; /* 0: nowhere */

typedef struct SourceFile {
    const char *name; /* as the user named it */
    const char *text; /* NUL-terminated; `length` counts, a NUL may stand inside */
    uint32_t length;
    Place base; /* place of the first byte */
} SourceFile;

typedef struct Sources {
    Mem *mem;
    Arena arena;
    VEC(SourceFile) files; /* by ascending base */
} Sources;

typedef struct Location {
    const char *file;
    uint32_t line, column; /* from 1; columns count bytes, a tab is one */
    const char *line_text; /* start of the line, not NUL-terminated */
    uint32_t line_length;  /* without the line's end */
} Location;

void sources_init(Sources *sources, Mem *mem);
void sources_free(Sources *sources);
/* Both texts are copied. Returns the file, or NULL when there is no room for more text (4 GB). */
const SourceFile *sources_add(Sources *sources, const char *name, const char *text, size_t length);
Location source_locate(const Sources *sources, Place at);

#endif
