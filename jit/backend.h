/* backend.h: between the code service and the module that holds LLVM. Private to jit/.
 *
 * The module is loaded with dlopen and has its own copy of whatever it links, so nothing is shared
 * but what stands here. It is used by one thread at a time, the compile thread.
 */
#ifndef JIT_BACKEND_H
#define JIT_BACKEND_H

#include "jit/jit.h"

/* Changes whenever generated code may change for the same shape, or what stands here. */
enum { BACKEND_VERSION = 4 };

typedef struct BackendJob {
    const Shape *shape;
    JitKind kind;
    JitLayout layout;
    const bool *common;    /* per slot, or NULL; JIT_TABLES: those that are arrays */
    const uint32_t *slots; /* JIT_FIXED, else NULL */
    const double *constants;
    bool broken; /* tests: make LLVM refuse this one */
    bool deadly; /* tests: make LLVM give up altogether */
    /* out: code that runs wherever it lies, entered at its first byte, if `refusal` is 0;
     * valid until the next call */
    JitRefusal refusal;
    const unsigned char *code;
    size_t size;
} BackendJob;

enum { BACKEND_ALIGN = 64 }; /* what code counts on for its first byte */

typedef struct Backend {
    uint32_t version; /* BACKEND_VERSION */
    void *state;
    /* All jobs in one module; if LLVM refuses it, one by one. */
    void (*compile)(void *state, uint32_t n, BackendJob *jobs, JitTier tier);
    const char *(*last_words)(void *state); /* LLVM's, after JIT_LLVM_FATAL */
    void (*close)(void *state);
} Backend;

/* Exported by the module under BACKEND_SYMBOL. JIT_ACCEPTED, or why it cannot work here. */
typedef JitRefusal (*BackendOpen)(Backend *backend, bool fast_math);
#define BACKEND_SYMBOL "solstice_backend_open"

#endif
