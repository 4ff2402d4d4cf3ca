/* compile_thread.c: queued entries -> code. See jit_int.h.
 *
 * One round: take some entries of one tier, quick ones first; fetch from disk what is there; have
 * the rest compiled as one module; publish; store on disk. The lock is held only to take and to
 * publish. LLVM is loaded in the first round that needs it. */
#include "jit/jit_int.h"

#include "base/timer.h"
#include "jit/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUND = 64 };

typedef struct Worker {
    Jit *jit;
    Mem *mem; /* of this thread alone */
    DiskCache *disk;
    char module[4096];
    bool found;
    Backend backend; /* version 0: not loaded */
    JitRefusal no_backend;
    uint64_t jobs; /* ever, for options.refuse_every and fatal_at */
    FILE *perf_map;
    /* this round */
    JitTier tier;
    uint32_t n, n_jobs;
    JitEntry *entry[ROUND];   /* taken */
    JitEntry *job_for[ROUND]; /* of them, those to compile */
    BackendJob job[ROUND];
} Worker;

/* ---- taking ---- */

static uint32_t round_limit(const Jit *jit, JitTier tier)
{
    /* Optimising takes long; short rounds keep quick code from waiting behind it. */
    uint32_t limit = tier == JIT_OPTIMISED && !jit->options.only_optimised
                         ? (jit->options.batch + 3) / 4
                         : jit->options.batch;
    return limit < ROUND ? limit : ROUND;
}

/* Lock held. */
static void take(Worker *w)
{
    Jit *jit = w->jit;
    bool optimise = jit->queue[0].next == &jit->queue[0];
    JitLink *head = &jit->queue[optimise];
    w->n = w->n_jobs = 0;
    w->tier = optimise ? JIT_OPTIMISED : JIT_QUICK;
    while (head->next != head && w->n < round_limit(jit, w->tier)) {
        JitEntry *entry = JIT_ENTRY_OF(head->next, queue);
        jit_unlink(&entry->queue);
        jit->queued--;
        entry->state = entry->holders ? ENTRY_COMPILING : ENTRY_IDLE;
        if (entry->holders)
            w->entry[w->n++] = entry;
    }
    jit->compiling = w->n;
    if (jit->queued == 0 && w->n == 0)
        pthread_cond_broadcast(&jit->idle);
}

/* ---- publishing ---- */

static void name_for_perf(Worker *w, const char *name, const JitPlaced *placed)
{
    char path[64];
    if (!w->perf_map) {
        snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
        w->perf_map = fopen(path, "a");
    }
    if (!w->perf_map)
        return;
    fprintf(w->perf_map, "%llx %zx %s\n", (unsigned long long)(uintptr_t)placed->at, placed->size,
            name);
    fflush(w->perf_map);
}

/* Who looks at a function by its name sees tier, kind, layout and the hash of its shape. */
static void name_code(Worker *w, const JitEntry *entry, JitPlaced *placed, JitTier tier)
{
    static const char *const layout[] = {"single", "tables", "records", "arrays", "fixed"};
    char name[80];
    snprintf(name, sizeof name, "solstice_%s_%s_%s_%016llx",
             tier == JIT_OPTIMISED ? "optimised" : "quick",
             entry->kind == JIT_TANGENT ? "tangent" : "value", layout[entry->layout],
             (unsigned long long)entry->shape.hash[0]);
    name_for_perf(w, name, placed);
    placed->name = debug_name_add(name, placed->at, placed->size);
}

static void *place(Jit *jit, const void *code, size_t size)
{
    MemGuard guard;
    void *volatile at = NULL;
    mem_guard_push(jit->mem, &guard);
    if (setjmp(guard.env) == 0) {
        at = code_memory_place(jit->code, code, size);
        mem_guard_pop(jit->mem, &guard);
    }
    return at;
}

/* Lock held. */
static void refuse(Jit *jit, JitEntry *entry, JitRefusal why)
{
    jit->stats.refused++;
    atomic_store_explicit(&entry->refusal, why, memory_order_release);
}

static void publish(Worker *w, JitEntry *entry, JitTier tier, const void *code, size_t size)
{
    Jit *jit = w->jit;
    pthread_mutex_lock(&jit->lock);
    JitPlaced *placed = &entry->placed[tier == JIT_OPTIMISED];
    *placed = (JitPlaced){.at = place(jit, code, size), .size = size};
    if (placed->at) {
        if (jit->options.names)
            name_code(w, entry, placed, tier);
        atomic_store_explicit(&entry->tier, (int)tier, memory_order_release);
        atomic_store_explicit(&entry->code, placed->at, memory_order_release);
    } else {
        refuse(jit, entry, JIT_NO_EXECUTION);
    }
    pthread_mutex_unlock(&jit->lock);
}

/* ---- disk ---- */

static DiskKey disk_key(const JitEntry *entry, JitTier tier)
{
    return (DiskKey){
        {hash_u64(entry->hash[0] + (uint64_t)tier), hash_u64(entry->hash[1] + (uint64_t)tier)},
        entry->content,
        entry->content_size};
}

static bool load_tier(Worker *w, JitEntry *entry, JitTier tier)
{
    size_t size;
    DiskKey key = disk_key(entry, tier);
    unsigned char *code = disk_cache_load(w->disk, w->mem, &key, &size);
    if (!code)
        return false;
    publish(w, entry, tier, code, size);
    mem_free(w->mem, code);
    return true;
}

/* Optimised code serves whoever wants quick code. */
static bool load(Worker *w, JitEntry *entry)
{
    bool first = jit_tier(entry) == JIT_NONE;
    if (first && entry->looked)
        return false;
    if ((w->jit->options.only_quick || !load_tier(w, entry, JIT_OPTIMISED)) &&
        (w->tier == JIT_OPTIMISED || !load_tier(w, entry, JIT_QUICK)))
        return false;
    if (first) {
        pthread_mutex_lock(&w->jit->lock);
        w->jit->stats.shapes_from_disk++;
        pthread_mutex_unlock(&w->jit->lock);
    }
    return true;
}

static void load_all(Worker *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        JitEntry *entry = w->entry[i];
        if (load(w, entry))
            continue;
        entry->looked = true;
        if (atomic_load_explicit(&entry->heat, memory_order_relaxed) >= w->jit->options.warm)
            w->job_for[w->n_jobs++] = entry;
    }
}

static void store_all(Worker *w)
{
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        DiskKey key = disk_key(w->job_for[i], w->tier);
        if (w->job[i].refusal == JIT_ACCEPTED)
            disk_cache_store(w->disk, &key, w->job[i].code, w->job[i].size);
    }
}

/* ---- compiling ---- */

static JitRefusal load_backend(Worker *w)
{
    void *module = w->found ? dlopen(w->module, RTLD_NOW | RTLD_LOCAL) : NULL;
    BackendOpen open;
    if (!module)
        return JIT_NO_MODULE;
    *(void **)&open = dlsym(module, BACKEND_SYMBOL);
    /* Never unloaded again: LLVM does not like it, and it would be loaded again soon. */
    JitRefusal why = open ? open(&w->backend, w->jit->options.fast_math) : JIT_NO_MODULE;
    if (why == JIT_ACCEPTED && w->backend.version != BACKEND_VERSION)
        why = JIT_NO_MODULE;
    if (why == JIT_NO_MODULE)
        w->backend = (Backend){0};
    return why;
}

/* Loading LLVM costs as much as a short run lasts in all, and a run that ends has to wait for it.
 * So it is not loaded before the run has lasted about as long as loading would take: the
 * wait costs a long run nothing that counts, and a short one never loads. False: the end came
 * first. */
static bool patience_over(Worker *w)
{
    Jit *jit = w->jit;
    double until = jit->opened_at + jit->options.patience;
    struct timespec deadline = {.tv_sec = (time_t)until,
                                .tv_nsec = (long)((until - (double)(time_t)until) * 1e9)};
    pthread_mutex_lock(&jit->lock);
    while (!jit->closing && !jit->waiting && timer_now() < until)
        pthread_cond_timedwait(&jit->work, &jit->lock, &deadline);
    bool closing = jit->closing;
    pthread_mutex_unlock(&jit->lock);
    return !closing;
}

/* False: there is no use any more. */
static bool need_backend(Worker *w)
{
    if (w->backend.version || w->no_backend)
        return true;
    if (!patience_over(w))
        return false;
    double start = timer_now();
    w->no_backend = load_backend(w);
    pthread_mutex_lock(&w->jit->lock);
    w->jit->stats.load_seconds += timer_now() - start;
    pthread_mutex_unlock(&w->jit->lock);
    return true;
}

static void prepare_jobs(Worker *w)
{
    uint32_t every = w->jit->options.refuse_every;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const JitEntry *entry = w->job_for[i];
        w->jobs++;
        w->job[i] = (BackendJob){.shape = &entry->shape,
                                 .kind = entry->kind,
                                 .layout = entry->layout,
                                 .common = entry->common,
                                 .slots = entry->slots,
                                 .constants = entry->constants,
                                 .broken = every && w->jobs % every == 0,
                                 .deadly = w->jobs == w->jit->options.fatal_at,
                                 .refusal = w->no_backend};
    }
}

static void publish_jobs(Worker *w, double seconds)
{
    uint64_t compiled = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->job[i].refusal == JIT_ACCEPTED) {
            compiled++;
            publish(w, w->job_for[i], w->tier, w->job[i].code, w->job[i].size);
        }
    pthread_mutex_lock(&w->jit->lock);
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->job[i].refusal != JIT_ACCEPTED)
            refuse(w->jit, w->job_for[i], w->job[i].refusal);
    w->jit->stats.functions_compiled += compiled;
    w->jit->stats.modules += compiled > 0;
    w->jit->stats.compile_seconds += seconds;
    pthread_mutex_unlock(&w->jit->lock);
}

/* LLVM has given up: what it said, and that it is not asked again. */
static void note_fatal(Worker *w)
{
    Jit *jit = w->jit;
    w->no_backend = JIT_LLVM_FATAL;
    pthread_mutex_lock(&jit->lock);
    jit->fatal = true;
    snprintf(jit->last_words, sizeof jit->last_words, "%s",
             w->backend.last_words(w->backend.state));
    pthread_mutex_unlock(&jit->lock);
}

static void compile_all(Worker *w)
{
    if (w->n_jobs == 0 || !need_backend(w)) {
        w->n_jobs = 0;
        return;
    }
    prepare_jobs(w);
    double start = timer_now();
    if (!w->no_backend)
        w->backend.compile(w->backend.state, w->n_jobs, w->job, w->tier);
    if (!w->jit->fatal && w->n_jobs && w->job[0].refusal == JIT_LLVM_FATAL)
        note_fatal(w);
    publish_jobs(w, timer_now() - start);
}

/* ---- rounds ---- */

/* Lock held. */
static void finish(Worker *w)
{
    Jit *jit = w->jit;
    DiskTotals disk = disk_cache_totals(w->disk);
    jit->stats.disk_dropped = disk.dropped;
    jit->stats.disk_errors = disk.errors;
    for (uint32_t i = 0; i < w->n; i++) {
        JitEntry *entry = w->entry[i];
        entry->state = ENTRY_IDLE;
        if (entry->holders)
            jit_queue_next(jit, entry);
        else if (entry->forget)
            jit_drop(jit, entry);
    }
    jit->compiling = 0;
    jit_evict(jit);
    JIT_VERIFY(jit);
    if (jit->queued == 0)
        pthread_cond_broadcast(&jit->idle);
}

/* Memory exhausted in between: what is not done by then is refused, and not tried again. */
static void do_round(Worker *w)
{
    MemGuard guard;
    mem_guard_push(w->mem, &guard);
    if (setjmp(guard.env) == 0) {
        load_all(w);
        compile_all(w);
        store_all(w);
        mem_guard_pop(w->mem, &guard);
        return;
    }
    pthread_mutex_lock(&w->jit->lock);
    for (uint32_t i = 0; i < w->n; i++)
        if (jit_tier(w->entry[i]) < w->tier)
            refuse(w->jit, w->entry[i], JIT_NO_MEMORY);
    pthread_mutex_unlock(&w->jit->lock);
}

static void work(Worker *w)
{
    Jit *jit = w->jit;
    pthread_mutex_lock(&jit->lock);
    for (;;) {
        while (!jit->closing && jit->queued == 0)
            pthread_cond_wait(&jit->work, &jit->lock);
        if (jit->closing)
            break;
        take(w);
        if (w->n == 0)
            continue;
        pthread_mutex_unlock(&jit->lock);
        do_round(w);
        pthread_mutex_lock(&jit->lock);
        finish(w);
    }
    pthread_mutex_unlock(&jit->lock);
}

static void open_worker(Worker *w)
{
    char flavour[512];
    if (w->jit->module) {
        int n = snprintf(w->module, sizeof w->module, "%s", w->jit->module);
        w->found = n > 0 && (size_t)n < sizeof w->module;
    } else {
        w->found = jit_find_module(w->module, sizeof w->module);
    }
    jit_host_flavour(flavour, sizeof flavour, w->module, w->jit->options.fast_math);
    w->disk = disk_cache_open(w->mem, w->jit->cache, flavour);
}

/* Without memory to begin with, everything queued is refused as it comes. */
static void refuse_all(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    while (!jit->closing) {
        for (int q = 0; q < 2; q++)
            while (jit->queue[q].next != &jit->queue[q]) {
                JitEntry *entry = JIT_ENTRY_OF(jit->queue[q].next, queue);
                jit_unlink(&entry->queue);
                entry->state = ENTRY_IDLE;
                jit->queued--;
                refuse(jit, entry, JIT_NO_MEMORY);
            }
        pthread_cond_broadcast(&jit->idle);
        pthread_cond_wait(&jit->work, &jit->lock);
    }
    pthread_mutex_unlock(&jit->lock);
}

void *jit_compile_thread(void *argument)
{
    Jit *jit = argument;
    Mem *mem = mem_open();
    MemGuard guard;
    Worker *volatile opened = NULL;
    if (mem) {
        mem_guard_push(mem, &guard);
        if (setjmp(guard.env) == 0) {
            Worker *w = mem_alloc(mem, sizeof *w);
            w->jit = jit;
            w->mem = mem;
            open_worker(w);
            mem_guard_pop(mem, &guard);
            opened = w;
        }
    }
    if (opened)
        work(opened);
    else
        refuse_all(jit);
    if (opened && opened->backend.version)
        opened->backend.close(opened->backend.state);
    if (opened && opened->perf_map)
        fclose(opened->perf_map);
    mem_close(mem);
    return NULL;
}
