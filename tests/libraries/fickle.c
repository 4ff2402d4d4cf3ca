/* fickle.c: a module for code that hands everything to the real one, but late, or not at all.
 *
 * FICKLE_MODULE names the real one, FICKLE_SEED says what happens to which function. */
#include "jit/backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

JitRefusal solstice_backend_open(Backend *backend, bool fast_math);

static Backend real;
static unsigned long long states[2]; /* quick, optimised: a thread each */

static unsigned below(JitTier tier, unsigned n)
{
    unsigned long long *state = &states[tier == JIT_OPTIMISED];
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % n;
}

static void fickle_compile(void *context, uint32_t n, BackendJob *jobs, JitTier tier)
{
    struct timespec late = {.tv_nsec = (long)below(tier, 4) * (long)below(tier, 1000000)};
    nanosleep(&late, NULL);
    real.compile(context, n, jobs, tier);
    for (uint32_t i = 0; i < n; i++)
        if (below(tier, 5) == 0)
            jobs[i].refusal = JIT_LLVM_REFUSED;
}

JitRefusal solstice_backend_open(Backend *backend, bool fast_math)
{
    const char *path = getenv("FICKLE_MODULE"), *seed = getenv("FICKLE_SEED");
    void *module = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    BackendOpen open;
    if (!module || !seed)
        return JIT_NO_MODULE;
    *(void **)&open = dlsym(module, BACKEND_SYMBOL);
    JitRefusal why = open ? open(&real, fast_math) : JIT_NO_MODULE;
    states[0] = strtoull(seed, NULL, 10);
    states[1] = states[0] + 1;
    *backend = real;
    backend->compile = fickle_compile;
    return why;
}
