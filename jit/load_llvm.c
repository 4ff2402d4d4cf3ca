/* load_llvm.c: the modules that hold LLVM, loaded beside everything else. See jit_int.h, backend.h.
 *
 * Loading the code generator takes milliseconds, in which the compile thread has other things to do,
 * such as linking what is on disk: so it is loaded by a thread of its own, begun once, by the compile
 * thread. That loads the linker itself, in 0.4 ms, before anything else. jit_ahead begins earlier,
 * before there is a service; all it does is what loading the linker would do first, and what is done
 * once in a process. */
#include "jit/jit_int.h"

#include "base/module.h"
#include "base/timer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        return module_find("solstice_llvm.so", path, JIT_PATH);
    int n = snprintf(path, JIT_PATH, "%s", module);
    return n > 0 && n < JIT_PATH;
}

void jit_find_paths(Jit *jit)
{
    jit->found = find_path(jit->module, jit->path);
}

/* The linker lies beside the code generator. */
static bool linker_path(const char *path, char linker[JIT_PATH])
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int n = snprintf(linker, JIT_PATH, "%.*s%s", folder, path, LINKER_FILE);
    return n > 0 && n < JIT_PATH;
}

/* ---- for one service ---- */

static JitRefusal open_linker(Jit *jit, char *words, size_t size)
{
    char path[JIT_PATH];
    LinkerOpen open = NULL;
    BackendLinker linker = {0};
    snprintf(words, size, "it is not there");
    if (jit->found && linker_path(jit->path, path))
        *(void **)&open = module_open(path, LINKER_SYMBOL, words, size);
    JitRefusal why = open ? open(&linker, jit->options.names) : JIT_NO_MODULE;
    if (!open || linker.version != BACKEND_VERSION)
        return JIT_NO_MODULE;
    if (why != JIT_ACCEPTED)
        snprintf(words, size, "%s", linker.last_words(NULL));
    jit->linker = linker; /* nobody looks before it is decided */
    return why;
}

static JitRefusal open_compiler(Jit *jit, char *words, size_t size)
{
    BackendOpen open = NULL;
    Backend compiler = {0};
    snprintf(words, size, "it is not there");
    if (jit->found)
        *(void **)&open = module_open(jit->path, BACKEND_SYMBOL, words, size);
    JitRefusal why = open ? open(&compiler, jit->options.fast_math) : JIT_NO_MODULE;
    if (!open || compiler.version != BACKEND_VERSION)
        return JIT_NO_MODULE;
    if (why != JIT_ACCEPTED)
        snprintf(words, size, "%s", compiler.last_words(NULL));
    jit->compiler = compiler;
    return why;
}

static void decide(Jit *jit, int part, JitRefusal why, const char *words)
{
    jit->part[part].refusal = why;
    jit->part[part].load = PART_DECIDED;
    if (why != JIT_ACCEPTED)
        jit_note_failure(jit, why, words);
    pthread_cond_broadcast(&jit->work);
}

void jit_load_linker(Jit *jit)
{
    char words[sizeof jit->words];
    double start = timer_now();
    pthread_mutex_unlock(&jit->lock);
    JitRefusal why = open_linker(jit, words, sizeof words);
    pthread_mutex_lock(&jit->lock);
    jit->stats.linker_seconds += timer_now() - start;
    decide(jit, PART_LINKER, why, words);
}

static void *load_compiler(void *argument)
{
    Jit *jit = argument;
    char words[sizeof jit->words];
    double start = timer_now();
    JitRefusal why = open_compiler(jit, words, sizeof words);
    if (jit->options.slow_load)
        usleep(jit->options.slow_load * 1000);
    pthread_mutex_lock(&jit->lock);
    jit->stats.load_seconds += timer_now() - start;
    decide(jit, PART_COMPILER, why, words);
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

void jit_start_loading(Jit *jit)
{
    jit->part[PART_COMPILER].load = PART_LOADING;
    jit->has_loader = jit_blocked_thread(&jit->loader, load_compiler, jit);
    if (!jit->has_loader)
        decide(jit, PART_COMPILER, JIT_NO_MEMORY, "no thread can be started");
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
    bool fast_math;
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
    char path[JIT_PATH], words[1];
    LinkerPrepare prepare = NULL;
    if (is_remembered(ahead) && linker_path(ahead->path, path))
        *(void **)&prepare = module_open(path, LINKER_PREPARE, words, sizeof words);
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
