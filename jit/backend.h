/* backend.h: between the code service and the module that holds LLVM. Private to jit/.
 *
 * The module is loaded with dlopen and has its own copy of whatever it links, so nothing is shared
 * but what stands here. It is used by one thread at a time: the loader, then the compile thread.
 *
 * Code has two forms: an object file (bytes that can be stored) and a linked module (memory that
 * can run). `compile` makes the first, `link` makes the second of it, here or in another process.
 */
#ifndef JIT_BACKEND_H
#define JIT_BACKEND_H

#include "jit/jit.h"

/* Changes whenever generated code may change for the same shape, or what stands here. */
enum { BACKEND_VERSION = 6 };

enum { BACKEND_NAME = 96 };

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
     * until the next call. */
    JitRefusal refusal;
    const unsigned char *object;
    size_t size;
} BackendJob;

typedef struct BackendModule BackendModule; /* an object file that was linked */

typedef struct BackendSymbol {
    const char *name;
    void *at;    /* out; NULL: the module has no such function */
    size_t size; /* out: bytes, with BackendOptions.names; else 0 */
} BackendSymbol;

typedef struct BackendOptions {
    bool fast_math;
    bool names; /* tell gdb about functions */
} BackendOptions;

typedef struct Backend {
    uint32_t version; /* BACKEND_VERSION */
    void *state;
    const char *host; /* processor and features that code is made for */
    /* All jobs in one object; if LLVM refuses it, one by one. */
    void (*compile)(void *state, uint32_t n, BackendJob *jobs, JitTier tier);
    /* NULL: it cannot be linked here, see last_words. From then on its code stays where it is, and
     * is never writable, until it is dropped. */
    BackendModule *(*link)(void *state, const void *object, size_t size);
    void (*find)(void *state, BackendModule *module, uint32_t n, BackendSymbol *symbols);
    void (*drop)(void *state, BackendModule *module);
    const char *(*last_words)(void *state); /* LLVM's, after it refused something */
    void (*close)(void *state);             /* drops all modules */
} Backend;

/* Exported by the module under BACKEND_SYMBOL. JIT_ACCEPTED, or why it cannot work here; then only
 * last_words may be called, if it is set. */
typedef JitRefusal (*BackendOpen)(Backend *backend, const BackendOptions *options);
#define BACKEND_SYMBOL "solstice_backend_open"
/* Does what opening does first and once for the process; for whoever loads the module ahead. */
typedef void (*BackendPrepare)(void);
#define BACKEND_PREPARE "solstice_backend_prepare"

#endif
