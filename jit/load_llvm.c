/* load_llvm.c: the module that holds LLVM, loaded beside everything else. See jit_int.h.
 *
 * Loading takes milliseconds, in which the compile thread has other things to do: so it is a thread
 * of its own, begun once, by the compile thread. jit_ahead begins earlier, before there is a
 * service; all it does is what loading would do first, and what is done once in a process. */
#include "jit/jit_int.h"

#include "base/timer.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Signals are for the threads of the program. */
bool jit_blocked_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool find_path(const char *module, char path[JIT_PATH])
{
    if (!module)
        return jit_find_module(path, JIT_PATH);
    int n = snprintf(path, JIT_PATH, "%s", module);
    return n > 0 && n < JIT_PATH;
}

void jit_find_paths(Jit *jit)
{
    jit->found = find_path(jit->module, jit->path);
}

/* ---- for one service ---- */

/* Never unloaded again: LLVM does not like it, and it would be loaded again soon. gdb's list and
 * what ORC calls to change it are found only among symbols that are global. */
static void *open_module(const char *path, bool names)
{
    return dlopen(path, RTLD_NOW | (names ? RTLD_GLOBAL : RTLD_LOCAL));
}

static JitRefusal open_backend(Jit *jit, Backend *backend, char *words, size_t size)
{
    void *module = jit->found ? open_module(jit->path, jit->options.names) : NULL;
    const char *reason = jit->found && !module ? dlerror() : NULL;
    BackendOpen open = NULL;
    if (module)
        *(void **)&open = dlsym(module, BACKEND_SYMBOL);
    snprintf(words, size, "%s",
             reason ? reason
             : open ? "it is of another version"
                    : "it is not there");
    if (!open)
        return JIT_NO_MODULE;
    BackendOptions options = {jit->options.fast_math, jit->options.names};
    JitRefusal why = open(backend, &options);
    if (backend->version != BACKEND_VERSION)
        return JIT_NO_MODULE;
    if (why != JIT_ACCEPTED)
        snprintf(words, size, "%s", backend->last_words(NULL));
    return why;
}

static void *load(void *argument)
{
    Jit *jit = argument;
    Backend backend = {0};
    char words[sizeof jit->words];
    double start = timer_now();
    JitRefusal why = open_backend(jit, &backend, words, sizeof words);
    pthread_mutex_lock(&jit->lock);
    jit->stats.load_seconds += timer_now() - start;
    jit->backend = backend;
    jit->no_backend = why;
    jit->load = LLVM_DECIDED;
    if (why != JIT_ACCEPTED)
        jit_note_trouble(jit, why, words);
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

void jit_start_loading(Jit *jit)
{
    jit->load = LLVM_LOADING;
    jit->has_loader = jit_blocked_thread(&jit->loader, load, jit);
    if (jit->has_loader)
        return;
    jit->load = LLVM_DECIDED;
    jit->no_backend = JIT_NO_MEMORY;
    jit_note_trouble(jit, JIT_NO_MEMORY, "no thread can be started");
}

void jit_finish_loading(Jit *jit)
{
    if (jit->has_loader)
        pthread_join(jit->loader, NULL);
    jit->has_loader = false;
}

/* ---- ahead of all services ---- */

struct JitAhead {
    pthread_t thread;
    bool names, fast_math;
    char path[JIT_PATH], cache[JIT_PATH], model[JIT_PATH];
};

DiskKey jit_model_key(const char *model)
{
    size_t n = strlen(model);
    return (DiskKey){{hash_bytes(model, n, 1), hash_bytes(model, n, 2)}, model, n};
}

static bool is_remembered(const JitAhead *ahead)
{
    char flavour[512];
    MemGuard guard;
    bool volatile known = false;
    Mem *mem = mem_open();
    if (!mem)
        return false;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) == 0) {
        DiskKey key = jit_model_key(ahead->model);
        jit_host_flavour(flavour, sizeof flavour, ahead->path, ahead->fast_math);
        known = disk_cache_has(disk_cache_open(mem, ahead->cache, flavour), &key);
        mem_guard_pop(mem, &guard);
    }
    mem_close(mem);
    return known;
}

static void *load_ahead(void *argument)
{
    JitAhead *ahead = argument;
    void *module = is_remembered(ahead) ? open_module(ahead->path, ahead->names) : NULL;
    BackendPrepare prepare = NULL;
    if (module)
        *(void **)&prepare = dlsym(module, BACKEND_PREPARE);
    if (prepare)
        prepare();
    return NULL;
}

static bool copy_text(char to[JIT_PATH], const char *text)
{
    int n = snprintf(to, JIT_PATH, "%s", text);
    return n > 0 && n < JIT_PATH;
}

JitAhead *jit_ahead(const JitOptions *options)
{
    JitAhead *ahead = options->cache && options->model ? malloc(sizeof *ahead) : NULL;
    if (!ahead)
        return NULL;
    ahead->names = options->names;
    ahead->fast_math = options->fast_math;
    if (find_path(options->module, ahead->path) && copy_text(ahead->cache, options->cache) &&
        copy_text(ahead->model, options->model) &&
        jit_blocked_thread(&ahead->thread, load_ahead, ahead))
        return ahead;
    free(ahead);
    return NULL;
}

void jit_ahead_end(JitAhead *ahead)
{
    if (!ahead)
        return;
    pthread_join(ahead->thread, NULL);
    free(ahead);
}
