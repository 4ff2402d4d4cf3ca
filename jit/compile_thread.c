/* compile_thread.c: queued entries -> code. See jit_int.h.
 *
 * A new entry is first looked for on disk, which takes microseconds and needs no LLVM. What is
 * there waits for the linker; what is not, until it is warm, and then for linker and code generator.
 * The linker is loaded at once, the code generator by a thread of its own (load_llvm.c); meanwhile
 * nothing is held, others are looked for, and what is on disk is linked. Then in rounds: take
 * some entries; have them compiled quickly as one module; link, publish, store. Optimising takes long:
 * a thread of its own makes one function at a time, which this one places, so that quick code never
 * waits for it.
 *
 * What comes next is decided in compile_next.c.
 *
 * The lock is held to take and to publish, never while something is read, compiled or linked. */
#include "jit/worker.h"

#include "base/timer.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINK_ROUND = 8 };

/* ---- taking ---- */

/* Lock held. */
static void take(Worker *w, int queue, uint32_t limit)
{
    Jit *jit = w->jit;
    JitLink *head = &jit->queue[queue];
    w->n = w->n_jobs = 0;
    while (head->next != head && w->n < limit) {
        JitEntry *entry = JIT_ENTRY_OF(head->next, queue);
        jit_unlink(&entry->queue);
        jit->queued--;
        entry->state = entry->holders ? ENTRY_COMPILING : ENTRY_IDLE;
        if (entry->holders)
            w->entry[w->n++] = entry;
    }
    jit->compiling += w->n;
}

/* Lock held. */
static void take_linked(Worker *w)
{
    w->tier = w->jit->options.only_optimised ? JIT_OPTIMISED : JIT_QUICK;
    take(w, QUEUE_LINK, LINK_ROUND);
}

/* Lock held. Functions come together: rounds of two, or of a quarter of the queue, made all of them wait
 * longer, as most of a small module's time is that of the module. */
static void take_round(Worker *w)
{
    const JitOptions *o = &w->jit->options;
    w->tier = o->only_optimised ? JIT_OPTIMISED : JIT_QUICK;
    take(w, o->only_optimised ? QUEUE_OPTIMISED : QUEUE_QUICK, o->batch < ROUND ? o->batch : ROUND);
}

/* Lock held. */
static void take_hot(Worker *w)
{
    w->tier = JIT_OPTIMISED;
    take(w, QUEUE_OPTIMISED, 1);
}

/* Lock held. */
static void take_optimised(Worker *w)
{
    JitOptimiser *o = &w->jit->optimiser;
    w->tier = JIT_OPTIMISED;
    w->n = w->n_jobs = 1;
    w->entry[0] = w->job_for[0] = o->entry;
    w->job[0] = o->job;
    o->state = OPTIMISER_IDLE;
}

/* ---- from disk ---- */

static void link_all(Worker *w)
{
    Jit *jit = w->jit;
    JitRefusal why = jit->part[PART_LINKER].refusal;
    if (why == JIT_ACCEPTED) {
        worker_know_host(w);
        for (uint32_t i = 0; i < w->n; i++)
            worker_load(w, w->entry[i]);
        return;
    }
    pthread_mutex_lock(&jit->lock);
    for (uint32_t i = 0; i < w->n; i++)
        worker_refuse(jit, w->entry[i], why);
    pthread_mutex_unlock(&jit->lock);
}

/* Optimised code may be on disk, of this run or another. */
static void load_all(Worker *w)
{
    uint64_t warm = w->jit->options.warm;
    for (uint32_t i = 0; i < w->n; i++)
        if (!worker_load(w, w->entry[i]) &&
            atomic_load_explicit(&w->entry[i]->heat, memory_order_relaxed) >= warm)
            w->job_for[w->n_jobs++] = w->entry[i];
}

/* ---- compiling ---- */

/* Why nothing can be compiled; both parts are decided. */
static JitRefusal refusal_of_all(const Jit *jit)
{
    JitRefusal linker = jit->part[PART_LINKER].refusal;
    return linker != JIT_ACCEPTED ? linker : jit->part[PART_COMPILER].refusal;
}

static void prepare_jobs(Worker *w)
{
    uint32_t every = w->jit->options.refuse_every;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const JitEntry *entry = w->job_for[i];
        w->jobs++;
        worker_name(entry, w->tier, w->name[i]);
        w->job[i] = (BackendJob){.shape = &entry->shape,
                                 .kind = entry->kind,
                                 .layout = entry->layout,
                                 .common = entry->common,
                                 .slots = entry->slots,
                                 .constants = entry->constants,
                                 .name = w->name[i],
                                 .broken = every && w->jobs % every == 0,
                                 .deadly = w->jobs == w->jit->options.fatal_at,
                                 .refusal = refusal_of_all(w->jit)};
    }
}

/* Jobs that share an object, from `first` on. */
typedef struct Share {
    uint32_t n, job[ROUND];
    BackendSymbol symbol[ROUND];
} Share;

static void find_share(const Worker *w, uint32_t first, Share *share)
{
    share->n = 0;
    for (uint32_t i = first; i < w->n_jobs; i++)
        if (w->job[i].refusal == JIT_ACCEPTED && w->job[i].object == w->job[first].object) {
            share->symbol[share->n] = (BackendSymbol){.name = w->job[i].name};
            share->job[share->n++] = i;
        }
}

static void publish_share(Worker *w, const Share *share, JitModule *module)
{
    for (uint32_t i = 0; i < share->n; i++) {
        JitEntry *entry = w->job_for[share->job[i]];
        if (module && share->symbol[i].at)
            worker_publish(w, entry, w->tier, module, &share->symbol[i]);
        else
            worker_refuse_linking(w, entry);
    }
}

static void store_share(Worker *w, const Share *share, const JitModule *module)
{
    const BackendJob *job = &w->job[share->job[0]];
    DiskKey key = jit_object_key(module->hash);
    bool alone = share->n == 1;
    if (!disk_cache_usable(w->disk))
        return;
    if (!alone)
        disk_cache_store(w->disk, &key, job->object, job->size);
    for (uint32_t i = 0; i < share->n; i++)
        worker_store(w, w->job_for[share->job[i]], module, job->object, alone ? job->size : 0);
}

/* The object of job `first`, and all functions in it. */
static void place_object(Worker *w, uint32_t first)
{
    Share share;
    uint64_t hash[2];
    const BackendJob *job = &w->job[first];
    find_share(w, first, &share);
    jit_hash_object(job->object, job->size, hash);
    JitModule *module = worker_link(w, job->object, job->size, hash);
    if (module)
        w->linker->find(w->linker->state, module->linked, share.n, share.symbol);
    publish_share(w, &share, module);
    if (!module)
        return;
    store_share(w, &share, module);
    worker_leave(w, module);
}

static bool begins_object(const Worker *w, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (w->job[k].refusal == JIT_ACCEPTED && w->job[k].object == w->job[i].object)
            return false;
    return w->job[i].refusal == JIT_ACCEPTED;
}

static void count_jobs(Worker *w, double seconds)
{
    uint64_t compiled = 0;
    pthread_mutex_lock(&w->jit->lock);
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (w->job[i].refusal == JIT_ACCEPTED)
            compiled++;
        else
            worker_refuse(w->jit, w->job_for[i], w->job[i].refusal);
    w->jit->stats.functions_compiled += compiled;
    w->jit->stats.modules += compiled > 0;
    w->jit->stats.compile_seconds += seconds;
    pthread_mutex_unlock(&w->jit->lock);
}

/* LLVM has given up: what it said, and that it is not asked again. */
static void note_fatal(Worker *w)
{
    Jit *jit = w->jit;
    pthread_mutex_lock(&jit->lock);
    jit->part[PART_COMPILER].refusal = JIT_LLVM_FATAL;
    jit_note_failure(jit, JIT_LLVM_FATAL, w->compiler->last_words(w->compiler->state));
    pthread_mutex_unlock(&jit->lock);
}

/* What the jobs of this round have come to; compiling them took some seconds. */
static void place_all(Worker *w, double seconds)
{
    double start = timer_now();
    bool could = refusal_of_all(w->jit) == JIT_ACCEPTED;
    if (could && w->job[0].refusal == JIT_LLVM_FATAL)
        note_fatal(w);
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (begins_object(w, i))
            place_object(w, i);
    count_jobs(w, seconds + timer_now() - start);
}

static void compile_all(Worker *w)
{
    double start = timer_now();
    if (w->n_jobs == 0)
        return;
    prepare_jobs(w);
    if (refusal_of_all(w->jit) == JIT_ACCEPTED)
        w->compiler->compile(w->compiler->state, w->n_jobs, w->job, w->tier);
    place_all(w, timer_now() - start);
}

/* ---- optimising ---- */

static void *optimise(void *argument)
{
    Jit *jit = argument;
    JitOptimiser *o = &jit->optimiser;
    double start = timer_now();
    jit->compiler.compile(jit->compiler.state, 1, &o->job, JIT_OPTIMISED);
    if (jit->options.slow_optimise)
        usleep(jit->options.slow_optimise * 1000);
    o->seconds = timer_now() - start;
    pthread_mutex_lock(&jit->lock);
    o->state = OPTIMISER_DONE;
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
    return NULL;
}

/* The one job of this round. False: there can be no thread. */
static bool start_optimising(Worker *w)
{
    Jit *jit = w->jit;
    JitOptimiser *o = &jit->optimiser;
    prepare_jobs(w);
    o->entry = w->job_for[0];
    o->job = w->job[0];
    memcpy(o->name, w->name[0], sizeof o->name);
    o->job.name = o->name;
    pthread_mutex_lock(&jit->lock);
    bool started = jit_blocked_thread(&o->thread, optimise, jit);
    o->state = started ? OPTIMISER_BUSY : OPTIMISER_IDLE;
    pthread_mutex_unlock(&jit->lock);
    return started;
}

static void place_optimised(Worker *w)
{
    JitOptimiser *o = &w->jit->optimiser;
    pthread_join(o->thread, NULL);
    place_all(w, o->seconds);
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
    jit->compiling -= w->n;
    jit_evict(jit);
    JIT_VERIFY(jit);
    if (jit->queued == 0 && jit->compiling == 0)
        pthread_cond_broadcast(&jit->idle);
}

/* The jobs of this round: what is not on disk. */
static void find_jobs(Worker *w)
{
    if (refusal_of_all(w->jit) == JIT_ACCEPTED) {
        worker_know_host(w);
        load_all(w);
    } else {
        memcpy(w->job_for, w->entry, w->n * sizeof *w->entry);
        w->n_jobs = w->n;
    }
}

static void make_round(Worker *w)
{
    find_jobs(w);
    compile_all(w);
}

/* A round of one entry, which is finished when its code is placed. */
static void optimise_round(Worker *w)
{
    find_jobs(w);
    bool can = refusal_of_all(w->jit) == JIT_ACCEPTED;
    if (can && w->n_jobs && start_optimising(w))
        w->n = 0;
    else
        compile_all(w);
}

/* Lock held; it is left in between. Memory exhausted there: what is not done by then is refused,
 * and not tried again. */
static void do_round(Worker *w, void (*round)(Worker *w))
{
    MemGuard guard;
    pthread_mutex_unlock(&w->jit->lock);
    mem_guard_push(w->mem, &guard);
    bool done = setjmp(guard.env) == 0;
    if (done) {
        round(w);
        mem_guard_pop(w->mem, &guard);
    }
    pthread_mutex_lock(&w->jit->lock);
    for (uint32_t i = 0; !done && i < w->n; i++)
        if (jit_tier(w->entry[i]) < w->tier)
            worker_refuse(w->jit, w->entry[i], JIT_NO_MEMORY);
    finish(w);
}

/* ---- what to do next ---- */

/* Lock held. */
static void rest(Jit *jit)
{
    double until = jit_rest_until(jit);
    if (until == INFINITY) {
        pthread_cond_wait(&jit->work, &jit->lock);
        return;
    }
    struct timespec deadline = {.tv_sec = (time_t)until,
                                .tv_nsec = (long)((until - (double)(time_t)until) * 1e9)};
    pthread_cond_timedwait(&jit->work, &jit->lock, &deadline);
}

static void do_step(Worker *w, JitStep step)
{
    switch (step) {
    case STEP_LOOK:
        w->tier = JIT_NONE;
        take(w, QUEUE_LOOK, ROUND);
        do_round(w, worker_look);
        break;
    case STEP_BURY:
        worker_bury(w);
        break;
    case STEP_LINK:
        take_linked(w);
        do_round(w, link_all);
        break;
    case STEP_ROUND:
        take_round(w);
        do_round(w, make_round);
        break;
    case STEP_OPTIMISE:
        take_hot(w);
        do_round(w, optimise_round);
        break;
    case STEP_PLACE:
        take_optimised(w);
        do_round(w, place_optimised);
        break;
    case STEP_LOAD_LINKER:
        jit_load_linker(w->jit);
        break;
    case STEP_LOAD_COMPILER:
        jit_start_loading(w->jit);
        break;
    default:
        rest(w->jit);
    }
}

static void work(Worker *w)
{
    pthread_mutex_lock(&w->jit->lock);
    for (JitStep step; (step = jit_next_step(w->jit)) != STEP_END;)
        do_step(w, step);
    pthread_mutex_unlock(&w->jit->lock);
}

/* ---- the thread ---- */

static void open_worker(Worker *w)
{
    char flavour[512];
    jit_find_paths(w->jit);
    jit_host_flavour(flavour, sizeof flavour, w->jit->path, w->jit->options.fast_math);
    w->disk = disk_cache_open(w->mem, w->jit->cache, flavour);
    w->linker = &w->jit->linker;
    w->compiler = &w->jit->compiler;
    vec_push(w->mem, &w->modules, NULL);
}

/* So that the next run of this model loads LLVM's linker at once (jit_ahead). */
static void remember_model(Worker *w)
{
    MemGuard guard;
    if (!w->used_disk || !w->jit->model)
        return;
    DiskKey key = jit_model_key(w->jit->model);
    mem_guard_push(w->mem, &guard);
    if (setjmp(guard.env) == 0) {
        size_t size;
        unsigned char *known = disk_cache_load(w->disk, w->mem, &key, &size);
        if (!known)
            disk_cache_store(w->disk, &key, "", 0);
        mem_free(w->mem, known);
        mem_guard_pop(w->mem, &guard);
    }
}

static void close_worker(Worker *w)
{
    jit_finish_loading(w->jit);
    remember_model(w);
    if (w->linker->state)
        w->linker->close(w->linker->state);
    if (w->compiler->state)
        w->compiler->close(w->compiler->state);
    if (w->perf_map)
        fclose(w->perf_map);
}

/* Without memory to begin with, everything queued is refused as it comes. */
static void refuse_all(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    while (!jit->closing) {
        for (int q = 0; q < QUEUES; q++)
            while (jit->queue[q].next != &jit->queue[q]) {
                JitEntry *entry = JIT_ENTRY_OF(jit->queue[q].next, queue);
                jit_unlink(&entry->queue);
                entry->state = ENTRY_IDLE;
                jit->queued--;
                worker_refuse(jit, entry, JIT_NO_MEMORY);
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
    if (opened) {
        mem_fail_at(mem, jit->options.fail_at);
        work(opened);
        close_worker(opened);
    } else {
        refuse_all(jit);
    }
    mem_close(mem);
    return NULL;
}
