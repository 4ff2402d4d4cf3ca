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
#include "jit/jit_int.h"

#include "base/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUND = JIT_ROUND, LINK_ROUND = 8 };

typedef struct Worker {
    Jit *jit;
    Mem *mem; /* of this thread alone */
    DiskCache *disk;
    const BackendLinker *linker; /* &jit->linker */
    const Backend *compiler;     /* &jit->compiler */
    uint64_t host;               /* hash of linker->host */
    uint64_t jobs;               /* ever, for options.refuse_every and fatal_at */
    FILE *perf_map;
    bool used_disk;           /* something was stored or found there */
    VEC(JitModule *) modules; /* by id; at[0] is unused; NULL: id is free */
    VEC(uint32_t) free_ids;
    Map by_hash; /* of the object */
    /* this round */
    JitTier tier;
    uint32_t n, n_jobs;
    JitEntry *entry[ROUND];   /* taken */
    JitEntry *job_for[ROUND]; /* of them, those to compile */
    BackendJob job[ROUND];
    char name[ROUND][BACKEND_NAME];
} Worker;

/* Code on disk: this, and behind it the object, unless it is an entry of its own that several
 * functions share. */
typedef struct StoredCode {
    uint64_t object[2]; /* hash of the object */
    uint64_t host;      /* hash of what LLVM calls the processor it is for */
} StoredCode;

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

/* ---- names ---- */

/* A name says tier, kind and layout, and by a hash what is computed; whoever makes the same
 * function again gives it the same name. */
static void name_function(const JitEntry *entry, JitTier tier, char name[BACKEND_NAME])
{
    static const char *const layout[] = {"single", "tables", "records", "arrays", "fixed"};
    snprintf(name, BACKEND_NAME, "solstice_%s_%s_%s_%016llx%016llx",
             tier == JIT_OPTIMISED ? "optimised" : "quick",
             entry->kind == JIT_TANGENT ? "tangent" : "value", layout[entry->layout],
             (unsigned long long)entry->hash[0], (unsigned long long)entry->hash[1]);
}

static void name_for_perf(Worker *w, const BackendSymbol *symbol)
{
    char path[64];
    if (!w->perf_map) {
        snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
        w->perf_map = fopen(path, "a");
    }
    if (!w->perf_map)
        return;
    fprintf(w->perf_map, "%llx %zx %s\n", (unsigned long long)(uintptr_t)symbol->at, symbol->size,
            symbol->name);
    fflush(w->perf_map);
}

/* ---- modules ---- */

void jit_hash_object(const void *object, size_t size, uint64_t hash[2])
{
    hash[0] = hash_bytes(object, size, 0x6f626a656374u);
    hash[1] = hash_bytes(object, size, 0x6d6f64756c65u);
}

static JitModule *known_module(const Worker *w, const uint64_t hash[2])
{
    uint32_t id = map_get(&w->by_hash, hash[0]);
    JitModule *module = id ? w->modules.at[id] : NULL;
    bool same = module && module->linked && module->hash[1] == hash[1];
    return same ? module : NULL;
}

/* Code and constants begin at pages of their own. */
static size_t pages_of(size_t object)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (object / page + JIT_MODULE_MAPPINGS) * page;
}

static void add_module(Worker *w, JitModule *module)
{
    module->id = w->free_ids.n ? vec_pop(&w->free_ids) : w->modules.n;
    if (module->id == w->modules.n)
        vec_push(w->mem, &w->modules, module);
    w->modules.at[module->id] = module;
    if (!map_get(&w->by_hash, module->hash[0]))
        map_put(w->mem, &w->by_hash, module->hash[0], module->id);
}

/* The module with one user, who must leave it; NULL: it cannot be linked. */
static JitModule *link_module(Worker *w, const void *object, size_t size, const uint64_t hash[2])
{
    vec_reserve(w->mem, &w->modules, w->modules.n + 1);
    vec_reserve(w->mem, &w->free_ids, w->modules.cap); /* so that burying cannot fail */
    JitModule *module = mem_alloc(w->mem, sizeof *module);
    *module = (JitModule){.bytes = pages_of(size), .hash = {hash[0], hash[1]}};
    jit_link_init(&module->dead);
    add_module(w, module);
    module->linked = w->linker->link(w->linker->state, object, size);
    pthread_mutex_lock(&w->jit->lock);
    jit_join(w->jit, module);
    if (!module->linked)
        jit_leave(w->jit, module);
    pthread_mutex_unlock(&w->jit->lock);
    return module->linked ? module : NULL;
}

static void leave(Worker *w, JitModule *module)
{
    pthread_mutex_lock(&w->jit->lock);
    jit_leave(w->jit, module);
    pthread_mutex_unlock(&w->jit->lock);
}

static void forget_module(Worker *w, JitModule *module)
{
    if (map_get(&w->by_hash, module->hash[0]) == module->id)
        map_remove(&w->by_hash, module->hash[0]);
    w->modules.at[module->id] = NULL;
    w->free_ids.at[w->free_ids.n++] = module->id;
    if (module->linked)
        w->linker->drop(w->linker->state, module->linked);
    mem_free(w->mem, module);
}

/* Lock held; it is left while modules are dropped. */
static void bury(Worker *w)
{
    Jit *jit = w->jit;
    while (jit->dead.next != &jit->dead) {
        JitLink *link = jit->dead.next;
        JitModule *module = (JitModule *)(void *)((char *)link - offsetof(JitModule, dead));
        jit_unlink(link);
        pthread_mutex_unlock(&jit->lock);
        forget_module(w, module);
        pthread_mutex_lock(&jit->lock);
    }
}

/* ---- publishing ---- */

/* Lock held. */
static void refuse(Jit *jit, JitEntry *entry, JitRefusal why)
{
    jit->stats.refused++;
    atomic_store_explicit(&entry->refusal, why, memory_order_release);
}

static void refuse_linking(Worker *w, JitEntry *entry)
{
    Jit *jit = w->jit;
    pthread_mutex_lock(&jit->lock);
    refuse(jit, entry, JIT_NOT_LINKED);
    jit_note_trouble(jit, JIT_NOT_LINKED, w->linker->last_words(w->linker->state));
    pthread_mutex_unlock(&jit->lock);
}

static void publish(Worker *w, JitEntry *entry, JitTier tier, JitModule *module,
                    const BackendSymbol *symbol)
{
    Jit *jit = w->jit;
    if (jit->options.names)
        name_for_perf(w, symbol);
    pthread_mutex_lock(&jit->lock);
    JitPlaced *placed = &entry->placed[tier == JIT_OPTIMISED];
    *placed = (JitPlaced){symbol->at, module};
    jit_join(jit, module);
    atomic_store_explicit(&entry->tier, (int)tier, memory_order_release);
    atomic_store_explicit(&entry->code, symbol->at, memory_order_release);
    jit_wait_ends(jit, entry);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- disk ---- */

DiskKey jit_disk_key(const JitEntry *entry, JitTier tier)
{
    return (DiskKey){
        {hash_u64(entry->hash[0] + (uint64_t)tier), hash_u64(entry->hash[1] + (uint64_t)tier)},
        entry->content,
        entry->content_size};
}

DiskKey jit_object_key(const uint64_t hash[2])
{
    return (DiskKey){{hash[0], hash[1]}, "object", 6};
}

/* The module of the code that was read, linked now if it was not; with one user more. */
static JitModule *module_of(Worker *w, const unsigned char *code, size_t size)
{
    StoredCode stored;
    uint64_t hash[2];
    memcpy(&stored, code, sizeof stored);
    JitModule *known = known_module(w, stored.object);
    if (known) {
        pthread_mutex_lock(&w->jit->lock);
        jit_join(w->jit, known); /* it may have been about to go */
        pthread_mutex_unlock(&w->jit->lock);
        return known;
    }
    unsigned char *shared = NULL;
    const unsigned char *object = code + sizeof stored;
    size -= sizeof stored;
    if (size == 0) {
        DiskKey key = jit_object_key(stored.object);
        object = shared = disk_cache_load(w->disk, w->mem, &key, &size);
    }
    JitModule *module = NULL;
    if (object) {
        jit_hash_object(object, size, hash);
        if (hash[0] == stored.object[0] && hash[1] == stored.object[1])
            module = link_module(w, object, size, hash);
    }
    mem_free(w->mem, shared);
    return module;
}

static void know_host(Worker *w)
{
    if (!w->host)
        w->host = hash_bytes(w->linker->host, strlen(w->linker->host), 3);
}

static bool is_for_host(const Worker *w, const unsigned char *code, size_t size)
{
    StoredCode stored;
    if (size < sizeof stored)
        return false;
    memcpy(&stored, code, sizeof stored);
    return stored.host == w->host;
}

static bool load_tier(Worker *w, JitEntry *entry, JitTier tier)
{
    size_t size;
    char name[BACKEND_NAME];
    DiskKey key = jit_disk_key(entry, tier);
    unsigned char *code = disk_cache_load(w->disk, w->mem, &key, &size);
    JitModule *module = code && is_for_host(w, code, size) ? module_of(w, code, size) : NULL;
    mem_free(w->mem, code);
    if (!module)
        return false;
    name_function(entry, tier, name);
    BackendSymbol symbol = {.name = name};
    w->linker->find(w->linker->state, module->linked, 1, &symbol);
    if (symbol.at)
        publish(w, entry, tier, module, &symbol);
    leave(w, module);
    return symbol.at != NULL;
}

/* Optimised code serves whoever wants quick code. */
static bool load(Worker *w, JitEntry *entry)
{
    bool first = jit_tier(entry) == JIT_NONE;
    if (first && entry->disk != DISK_FOUND)
        return false;
    if ((w->jit->options.only_quick || !load_tier(w, entry, JIT_OPTIMISED)) &&
        (w->tier == JIT_OPTIMISED || !load_tier(w, entry, JIT_QUICK)))
        return false;
    w->used_disk = true;
    if (first) {
        pthread_mutex_lock(&w->jit->lock);
        w->jit->stats.shapes_from_disk++;
        pthread_mutex_unlock(&w->jit->lock);
    }
    return true;
}

/* What cannot be used is as good as not there; it is compiled when it is warm. */
static bool load_or_note(Worker *w, JitEntry *entry)
{
    bool loaded = load(w, entry);
    if (!loaded)
        entry->disk = DISK_NONE;
    return loaded;
}

static void link_all(Worker *w)
{
    Jit *jit = w->jit;
    JitRefusal why = jit->part[PART_LINKER].refusal;
    if (why == JIT_ACCEPTED) {
        know_host(w);
        for (uint32_t i = 0; i < w->n; i++)
            load_or_note(w, w->entry[i]);
        return;
    }
    pthread_mutex_lock(&jit->lock);
    for (uint32_t i = 0; i < w->n; i++)
        refuse(jit, w->entry[i], why);
    pthread_mutex_unlock(&jit->lock);
}

/* Optimised code may be on disk, of this run or another. */
static void load_all(Worker *w)
{
    uint64_t warm = w->jit->options.warm;
    for (uint32_t i = 0; i < w->n; i++)
        if (!load_or_note(w, w->entry[i]) &&
            atomic_load_explicit(&w->entry[i]->heat, memory_order_relaxed) >= warm)
            w->job_for[w->n_jobs++] = w->entry[i];
}

/* Only whether there is something; the linker must be there to use it. */
static void look(Worker *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        JitEntry *entry = w->entry[i];
        DiskKey quick = jit_disk_key(entry, JIT_QUICK),
                optimised = jit_disk_key(entry, JIT_OPTIMISED);
        bool has = disk_cache_has(w->disk, &optimised) || disk_cache_has(w->disk, &quick);
        entry->disk = has ? DISK_FOUND : DISK_NONE;
    }
}

static void store(Worker *w, const JitEntry *entry, const JitModule *module, const void *object,
                  size_t size)
{
    StoredCode stored = {{module->hash[0], module->hash[1]}, w->host};
    DiskKey key = jit_disk_key(entry, w->tier);
    unsigned char *code = mem_alloc(w->mem, sizeof stored + size);
    memcpy(code, &stored, sizeof stored);
    if (size)
        memcpy(code + sizeof stored, object, size);
    disk_cache_store(w->disk, &key, code, sizeof stored + size);
    mem_free(w->mem, code);
    w->used_disk = true;
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
        name_function(entry, w->tier, w->name[i]);
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
            publish(w, entry, w->tier, module, &share->symbol[i]);
        else
            refuse_linking(w, entry);
    }
}

static void store_share(Worker *w, const Share *share, const JitModule *module)
{
    const BackendJob *job = &w->job[share->job[0]];
    StoredCode stored = {{module->hash[0], module->hash[1]}, w->host};
    DiskKey key = jit_object_key(stored.object);
    bool alone = share->n == 1;
    if (!disk_cache_usable(w->disk))
        return;
    if (!alone)
        disk_cache_store(w->disk, &key, job->object, job->size);
    for (uint32_t i = 0; i < share->n; i++)
        store(w, w->job_for[share->job[i]], module, job->object, alone ? job->size : 0);
}

/* The object of job `first`, and all functions in it. */
static void place_object(Worker *w, uint32_t first)
{
    Share share;
    uint64_t hash[2];
    const BackendJob *job = &w->job[first];
    find_share(w, first, &share);
    jit_hash_object(job->object, job->size, hash);
    JitModule *module = link_module(w, job->object, job->size, hash);
    if (module)
        w->linker->find(w->linker->state, module->linked, share.n, share.symbol);
    publish_share(w, &share, module);
    if (!module)
        return;
    store_share(w, &share, module);
    leave(w, module);
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
    pthread_mutex_lock(&jit->lock);
    jit->part[PART_COMPILER].refusal = JIT_LLVM_FATAL;
    jit_note_trouble(jit, JIT_LLVM_FATAL, w->compiler->last_words(w->compiler->state));
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
        know_host(w);
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
            refuse(w->jit, w->entry[i], JIT_NO_MEMORY);
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
        do_round(w, look);
        break;
    case STEP_BURY:
        bury(w);
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
    if (w->jit->optimiser.state != OPTIMISER_IDLE)
        pthread_join(w->jit->optimiser.thread, NULL);
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
