/* link.h: what the files of the linker's module share. Private to jit/orc/. */
#ifndef JIT_ORC_LINK_H
#define JIT_ORC_LINK_H

#include "base/vec.h"
#include "jit/backend.h"
#include "jit/llvm/fatal.h"

/* orc_link.c: object files -> code in memory. */
typedef struct Linker Linker;

/* NULL: LLVM cannot, and why is in `words`. */
Linker *linker_open(Mem *mem, bool names, char words[LLVM_WORDS]);
void linker_close(Linker *linker);              /* NULL is fine */
const char *linker_words(const Linker *linker); /* of the last error */
BackendModule *linker_link(Linker *linker, const void *object, size_t size);
void linker_find(Linker *linker, BackendModule *module, uint32_t n, BackendSymbol *symbols);
void linker_drop(Linker *linker, BackendModule *module);

/* gdb_list.c: around the linking of an object with names; what was added for it, or NULL. */
typedef struct GdbEntry GdbEntry;
GdbEntry *gdb_list_begin(void);
GdbEntry *gdb_list_end(const GdbEntry *before);
void gdb_list_drop(GdbEntry *entry); /* NULL is fine */

/* backend_orc.c: what LINKER_SYMBOL and LINKER_PREPARE name. */
JitRefusal solstice_linker_open(BackendLinker *linker, bool names);
void solstice_linker_prepare(void);

#endif
