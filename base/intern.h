/* intern.h: texts as small numbers, the same text always the same number. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/map.h"
#include "base/vec.h"

typedef uint32_t Sym; /* 0: no text */

typedef struct InternText {
    const char *text;
    uint32_t length;
    Sym same_hash; /* next text with the same hash, or 0 */
} InternText;

typedef struct Intern {
    Mem *mem;
    Arena arena;
    Map by_hash;
    VEC(InternText) texts; /* at[sym]; at[0] is unused */
} Intern;

void intern_init(Intern *table, Mem *mem);
void intern_free(Intern *table);
Sym intern(Intern *table, const char *text, size_t length);
Sym intern_str(Intern *table, const char *text);
const char *intern_text(const Intern *table, Sym sym); /* "" for 0; NUL-terminated */

#endif
