/* module.h: the name of a module of ours -> its path; a path -> a function of the module.
 *
 * Modules are shared libraries that hold what few runs need (LLVM, cairo, libedit). Whoever needs one loads
 * it then; it is never unloaded. Names of files: "solstice_llvm.so".
 *
 * Error rule: an answer, with the reason in words. */
#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Looked for beside the library or the program, and where an installation puts it as seen from there. */
bool module_find(const char *name, char *path, size_t size);
/* NULL: it cannot be loaded or has no such symbol; `words` says why. */
void *module_open(const char *path, const char *symbol, char *words, size_t size);

#endif
