/* backend.h: between the code service and the modules that hold LLVM. Private to jit/.
 *
 * There are two, loaded with dlopen when they are needed: the code generator (jit/llvm/, large) and
 * the linker (jit/orc/, small, so that code on disk need not wait for the other). Each has its own
 * copy of whatever it links; nothing is shared but what stands here. Each is used by one thread at a
 * time: its loader, then the compile thread; but the code generator may make code of both tiers at a
 * time, in a thread each.
 *
 * Code has two forms: an object file (bytes that can be stored), which the code generator makes,
 * and a linked module (memory that can run), which the linker makes of it, here or in another
 * process.
 */
#ifndef JIT_BACKEND_H
#define JIT_BACKEND_H

#include "jit/jit.h"

/* Changes whenever generated code may change for the same shape, or what stands here. */
enum { BACKEND_VERSION = 9 };

enum { BACKEND_NAME = 96 };

/* ---- the code generator ---- */

typedef struct BackendJob {
    const Shape *shape;
    JitKind kind;
    JitLayout layout;
    const bool *common;    /* per slot, or NULL; JIT_TABLES: those that are arrays */
    const uint32_t *slots; /* JIT_FIXED, else NULL */
    const double *constants;
    const char *name; /* of the function; no two of one call have the same */
    bool broken;      /* tests: make LLVM refuse this one */
    bool deadly;      /* tests: make LLVM give up altogether */
    /* out: the object file that has the function, if `refusal` is 0; jobs may share one. Valid
     * until the next call for the same tier. */
    JitRefusal refusal;
    const unsigned char *object;
    size_t size;
} BackendJob;

typedef struct Backend {
    uint32_t version; /* BACKEND_VERSION */
    void *state;
    /* All jobs in one object; if LLVM refuses it, one by one. */
    void (*compile)(void *state, uint32_t n, BackendJob *jobs, JitTier tier);
    const char *(*last_words)(void *state); /* LLVM's, after it refused something */
    void (*close)(void *state);
} Backend;

/* Exported under BACKEND_SYMBOL. JIT_ACCEPTED, or why it cannot work here; then only last_words may
 * be called, if it is set. */
typedef JitRefusal (*BackendOpen)(Backend *backend, bool fast_math);
#define BACKEND_SYMBOL "solstice_backend_open"

/* ---- the linker ---- */

typedef struct BackendModule BackendModule; /* an object file that was linked */

typedef struct BackendSymbol {
    const char *name;
    void *at;    /* out; NULL: the module has no such function */
    size_t size; /* out: bytes, if gdb is told the names; else 0 */
} BackendSymbol;

typedef struct BackendLinker {
    uint32_t version; /* BACKEND_VERSION */
    void *state;
    const char *host; /* processor and features that code is made for here, in LLVM's words */
    /* NULL: it cannot be linked here, see last_words. It is placed when one of its functions is first
     * looked for. From then on its code stays where it is, and is never writable, until it is
     * dropped. */
    BackendModule *(*link)(void *state, const void *object, size_t size);
    void (*find)(void *state, BackendModule *module, uint32_t n, BackendSymbol *symbols);
    void (*drop)(void *state, BackendModule *module);
    const char *(*last_words)(void *state);
    void (*close)(void *state); /* drops all modules */
} BackendLinker;

/* Exported under LINKER_SYMBOL, as above; with names, gdb is told about functions. */
typedef JitRefusal (*LinkerOpen)(BackendLinker *linker, bool names);
#define LINKER_SYMBOL "solstice_linker_open"
/* Does what opening does first and once for the process; for whoever loads the module ahead. */
typedef void (*LinkerPrepare)(void);
#define LINKER_PREPARE "solstice_linker_prepare"
#define LINKER_FILE "solstice_orc.so" /* beside the code generator */

#endif
