/* jit.c: requests for code -> entries, and their life. See jit.h, jit_int.h.
 *
 * The way of an entry: a request finds it or makes it and queues it; the compile thread
 * (compile_thread.c) looks on disk, compiles, publishes; heat queues it again for the optimised
 * tier; the last holder's release puts it among the unused, from where the next request takes it
 * back or eviction removes it, longest unused first. */
#include "jit/jit_int.h"

#include "base/timer.h"
#include "jit/jit_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

_Static_assert((int)MATH_COUNT <= (int)JIT_MATH, "JitEnv has room for all functions");

/* ---- functions of libm, foreign functions ---- */

static double no_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    (void)context, (void)function, (void)n, (void)args;
    return NAN;
}

void jit_env(JitEnv *env, XForeign foreign, void *context)
{
    *env = (JitEnv){.foreign = foreign ? foreign : no_foreign, .context = context};
#define OWN(...)
#define LIBM(NAME, function, ...)                                                                  \
    env->math[MATH_##NAME] = (void (*)(void))(double (*)(double))function;
    X_FUNCTIONS_OF_ONE(LIBM, OWN)
#undef LIBM
#define LIBM(NAME, function, ...)                                                                  \
    env->math[MATH_##NAME] = (void (*)(void))(double (*)(double, double))function;
    X_FUNCTIONS_OF_TWO(LIBM, OWN)
    LIBM(POW, pow)
#undef LIBM
#undef OWN
}

/* ---- open ---- */

static char *copy_text(Mem *mem, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    return text ? memcpy(mem_alloc(mem, n), text, n) : NULL;
}

/* Other parts of the process need mappings, too; beyond the system's bound none is given. */
static uint32_t mappings_allowed(void)
{
    unsigned system = 65530;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    if (file && fscanf(file, "%u", &system) != 1)
        system = 65530;
    if (file)
        fclose(file);
    return system / 4;
}

static JitOptions with_defaults(JitOptions options)
{
    options.memory = options.memory ? options.memory : 64 << 20;
    options.hot = options.hot ? options.hot : 2000;
    options.batch = options.batch ? options.batch : 32;
    return options;
}

static Jit *make_jit(Mem *mem, const JitOptions *options)
{
    Jit *jit = mem_alloc(mem, sizeof *jit);
    jit->mem = mem;
    jit->options = with_defaults(*options);
    jit->module = copy_text(mem, options->module);
    jit->cache = copy_text(mem, options->cache);
    jit->model = copy_text(mem, options->model);
    vec_push(mem, &jit->entries, NULL);
    for (int i = 0; i < QUEUES; i++)
        jit_link_init(&jit->queue[i]);
    jit_link_init(&jit->unused);
    jit_link_init(&jit->dead);
    jit->max_mappings = options->mappings ? options->mappings : mappings_allowed();
    return jit;
}

Jit *jit_open(const JitOptions *options)
{
    Mem *mem = mem_open();
    MemGuard guard;
    if (!mem)
        return NULL;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return NULL;
    }
    Jit *jit = make_jit(mem, options);
    mem_guard_pop(mem, &guard);
    pthread_mutex_init(&jit->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&jit->work, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_cond_init(&jit->idle, NULL);
    jit->opened_at = timer_now();
    return jit;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_for_tests(const JitOptions *a, const JitOptions *b)
{
    return a->refuse_every == b->refuse_every && a->fatal_at == b->fatal_at &&
           a->slow_load == b->slow_load && a->slow_optimise == b->slow_optimise &&
           a->late == b->late && a->fail_at == b->fail_at;
}

bool jit_serves(const Jit *jit, const JitOptions *options)
{
    const JitOptions *a = &jit->options, b = with_defaults(*options);
    return same_text(jit->module, b.module) && same_text(jit->cache, b.cache) &&
           same_text(jit->model, b.model) && a->memory == b.memory && a->warm == b.warm &&
           a->patience == b.patience && a->hot == b.hot && a->batch == b.batch &&
           a->fast_math == b.fast_math && a->only_optimised == b.only_optimised &&
           a->only_quick == b.only_quick && a->names == b.names && a->mappings == b.mappings &&
           same_for_tests(a, &b);
}

void jit_close(Jit *jit)
{
    if (!jit)
        return;
    pthread_mutex_lock(&jit->lock);
    jit->closing = true;
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
    if (jit->started)
        pthread_join(jit->thread, NULL);
    pthread_cond_destroy(&jit->idle);
    pthread_cond_destroy(&jit->work);
    pthread_mutex_destroy(&jit->lock);
    mem_close(jit->mem);
}

/* ---- the table of entries ---- */

/* Slots with a rule of their own: the same in all instances, or arrays where others have tables. */
static const bool *common_of(const JitRequest *request)
{
    if (request->layout == JIT_TABLES)
        return request->arrays;
    bool may = request->layout == JIT_RECORDS || request->layout == JIT_ARRAYS;
    return may ? request->common : NULL;
}

/* The hash of a request, from that of its shape. */
static void hash_request(const JitRequest *request, uint64_t hash[2])
{
    const Shape *shape = request->shape;
    uint64_t variant = (uint64_t)request->kind * 16 + (uint64_t)request->layout + 1;
    if (common_of(request))
        variant ^= hash_bytes(common_of(request), shape->n_slots, variant);
    if (request->layout == JIT_FIXED) {
        variant = hash_bytes(request->slots, shape->n_slots * sizeof *request->slots, variant);
        variant = hash_bytes(request->constants, shape->n_constants * sizeof *request->constants,
                             variant);
    }
    hash[0] = hash_u64(shape->hash[0] ^ hash_u64(variant));
    hash[1] = hash_u64(shape->hash[1] + hash_u64(variant));
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return a && b ? n == 0 || memcmp(a, b, n) == 0 : !a && !b;
}

static bool is_for(const JitEntry *entry, const JitRequest *request)
{
    const Shape *shape = request->shape;
    bool fixed = request->layout == JIT_FIXED;
    return entry->kind == request->kind && entry->layout == request->layout &&
           shape_same(&entry->shape, shape) &&
           same_bytes(common_of(request), entry->common, shape->n_slots) &&
           (!fixed ||
            (same_bytes(request->slots, entry->slots, shape->n_slots * sizeof *entry->slots) &&
             same_bytes(request->constants, entry->constants,
                        shape->n_constants * sizeof *entry->constants)));
}

static JitEntry *find_entry(const Jit *jit, const JitRequest *request, const uint64_t hash[2])
{
    uint32_t id = map_get(&jit->by_hash, hash[0]);
    for (; id; id = jit->entries.at[id]->same_hash) {
        JitEntry *entry = jit->entries.at[id];
        if (entry->hash[1] == hash[1] && is_for(entry, request))
            return entry;
    }
    return NULL;
}

/* What code is made from: the words [kind, layout, number of slots, number of constants] (the last
 * with its top bit set when there are common slots), operations, then either the common slots as
 * bits or, for JIT_FIXED, constants and slots. */
static void make_content(Mem *mem, JitEntry *entry, const JitRequest *request)
{
    const Shape *shape = request->shape;
    const bool *common = common_of(request);
    bool fixed = request->layout == JIT_FIXED;
    size_t head = 4 * sizeof(uint32_t), ops = shape->n_ops * sizeof *shape->ops;
    size_t constants = fixed ? shape->n_constants * sizeof(double) : 0;
    size_t slots = fixed ? shape->n_slots * sizeof(uint32_t) : 0;
    size_t bits = common ? (shape->n_slots + 31) / 32 * sizeof(uint32_t) : 0;
    entry->content_size = head + ops + constants + slots + bits;
    entry->content = mem_alloc(mem, entry->content_size);
    entry->content[0] = request->kind;
    entry->content[1] = request->layout;
    entry->content[2] = shape->n_slots;
    entry->content[3] = shape->n_constants | (common ? 1u << 31 : 0);
    char *at = (char *)entry->content + head;
    entry->shape = *shape;
    entry->shape.ops = memcpy(at, shape->ops, ops);
    at += ops;
    for (uint32_t i = 0; common && i < shape->n_slots; i++)
        ((uint32_t *)(void *)at)[i / 32] |= (uint32_t)common[i] << i % 32;
    if (!fixed)
        return;
    entry->constants = constants ? memcpy(at, request->constants, constants) : (void *)at;
    entry->slots = memcpy(at + constants, request->slots, slots);
}

static void keep_request(Jit *jit, JitEntry *entry, const JitRequest *request)
{
    entry->kind = request->kind;
    entry->layout = request->layout;
    make_content(jit->mem, entry, request);
    if (common_of(request)) {
        entry->common = mem_alloc(jit->mem, request->shape->n_slots + 1);
        memcpy(entry->common, common_of(request), request->shape->n_slots);
    }
    entry->bytes =
        sizeof *entry + entry->content_size + (entry->common ? request->shape->n_slots : 0);
}

/* Up to 32, or 64, ... 2,048. */
static uint32_t draw_late(uint32_t seed, uint64_t hash)
{
    uint64_t drawn = hash_bytes(&seed, sizeof seed, hash);
    return (uint32_t)(drawn % (32u << seed % 7));
}

static JitEntry *add_entry(Jit *jit, const JitRequest *request, const uint64_t hash[2])
{
    vec_reserve(jit->mem, &jit->entries, jit->entries.n + 1);
    vec_reserve(jit->mem, &jit->free_ids, jit->entries.cap); /* so that dropping cannot fail */
    JitEntry *entry = mem_alloc(jit->mem, sizeof *entry);
    memcpy(entry->hash, hash, sizeof entry->hash);
    keep_request(jit, entry, request);
    jit_link_init(&entry->queue);
    jit_link_init(&entry->unused);
    entry->late = jit->options.late ? draw_late(jit->options.late, hash[0]) : 0;
    entry->same_hash = map_get(&jit->by_hash, entry->hash[0]);
    entry->id = jit->free_ids.n ? vec_last(&jit->free_ids) : jit->entries.n;
    map_put(jit->mem, &jit->by_hash, entry->hash[0], entry->id);
    if (jit->free_ids.n)
        jit->free_ids.n--;
    else
        jit->entries.n++;
    jit->entries.at[entry->id] = entry;
    jit->entry_bytes += entry->bytes;
    jit->stats.shapes++;
    return entry;
}

static void remove_from_table(Jit *jit, JitEntry *entry)
{
    uint32_t first = map_get(&jit->by_hash, entry->hash[0]);
    if (first == entry->id) {
        if (entry->same_hash)
            map_put(jit->mem, &jit->by_hash, entry->hash[0], entry->same_hash);
        else
            map_remove(&jit->by_hash, entry->hash[0]);
    } else {
        while (jit->entries.at[first]->same_hash != entry->id)
            first = jit->entries.at[first]->same_hash;
        jit->entries.at[first]->same_hash = entry->same_hash;
    }
    jit->entries.at[entry->id] = NULL;
    jit->free_ids.at[jit->free_ids.n++] = entry->id;
}

/* ---- queue ---- */

static bool start_thread(Jit *jit)
{
    jit->started = jit_blocked_thread(&jit->thread, jit_compile_thread, jit);
    return jit->started;
}

static void dequeue(Jit *jit, JitEntry *entry)
{
    jit_unlink(&entry->queue);
    entry->state = ENTRY_IDLE;
    if (--jit->queued == 0 && jit->compiling == 0)
        pthread_cond_broadcast(&jit->idle);
}

/* What is on disk waits for nobody but the linker. */
static int queue_for(const JitEntry *entry, JitTier tier)
{
    if (entry->disk == DISK_UNKNOWN)
        return QUEUE_LOOK;
    if (entry->disk == DISK_FOUND && jit_tier(entry) == JIT_NONE)
        return QUEUE_LINK;
    return tier == JIT_OPTIMISED ? QUEUE_OPTIMISED : QUEUE_QUICK;
}

static void enqueue(Jit *jit, JitEntry *entry, JitTier tier)
{
    if (jit->closing)
        return;
    if (!jit->started && !start_thread(jit)) {
        atomic_store(&entry->refusal, JIT_NO_MEMORY);
        return;
    }
    entry->state = ENTRY_QUEUED;
    entry->wanted = tier;
    int queue = queue_for(entry, tier);
    if (queue == QUEUE_QUICK)
        jit_wait_begins(jit, entry);
    jit_link_last(&jit->queue[queue], &entry->queue);
    jit->queued++;
    pthread_cond_signal(&jit->work);
}

static JitTier first_tier(const Jit *jit)
{
    return jit->options.only_optimised ? JIT_OPTIMISED : JIT_QUICK;
}

void jit_queue_next(Jit *jit, JitEntry *entry)
{
    uint64_t heat = atomic_load_explicit(&entry->heat, memory_order_relaxed);
    if (jit_refusal(entry) != JIT_ACCEPTED || entry->state != ENTRY_IDLE)
        return;
    if (jit_tier(entry) == JIT_NONE && (entry->disk != DISK_NONE || heat >= jit->options.warm))
        enqueue(jit, entry, first_tier(jit));
    else if (jit_tier(entry) == JIT_QUICK && heat >= jit->options.hot && !jit->options.only_quick)
        enqueue(jit, entry, JIT_OPTIMISED);
}

/* ---- modules ---- */

void jit_join(Jit *jit, JitModule *module)
{
    if (module->users++)
        return;
    jit_unlink(&module->dead);
    jit->modules++;
    jit->code_bytes += module->bytes;
}

void jit_leave(Jit *jit, JitModule *module)
{
    if (!module || --module->users)
        return;
    jit_link_last(&jit->dead, &module->dead);
    jit->modules--;
    jit->code_bytes -= module->bytes;
    pthread_cond_signal(&jit->work);
}

/* ---- eviction ---- */

void jit_drop(Jit *jit, JitEntry *entry)
{
    if (entry->state == ENTRY_QUEUED)
        dequeue(jit, entry);
    jit_unlink(&entry->unused);
    remove_from_table(jit, entry);
    for (int i = 0; i < 2; i++)
        jit_leave(jit, entry->placed[i].module);
    jit->entry_bytes -= entry->bytes;
    mem_free(jit->mem, entry->content);
    mem_free(jit->mem, entry->common);
    mem_free(jit->mem, entry);
    jit->stats.shapes--;
    jit->stats.evicted++;
}

static bool over_bound(const Jit *jit)
{
    return jit->code_bytes + jit->entry_bytes > jit->options.memory ||
           jit->modules * JIT_MODULE_MAPPINGS > jit->max_mappings;
}

/* Drops unused entries, longest unused first, while `all` or memory is over its bound. */
static void drop_unused(Jit *jit, bool all)
{
    JitLink *link = jit->unused.next;
    while (link != &jit->unused && (all || over_bound(jit))) {
        JitEntry *entry = JIT_ENTRY_OF(link, unused);
        link = link->next;
        if (entry->state != ENTRY_COMPILING)
            jit_drop(jit, entry);
        else
            entry->forget = all || entry->forget;
    }
}

void jit_evict(Jit *jit)
{
    drop_unused(jit, false);
}

void jit_forget(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    drop_unused(jit, true);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- requests ---- */

static bool too_large(const Shape *shape)
{
    if (shape->n_ops > JIT_MAX_OPS)
        return true;
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if (shape->ops[i].op == X_CALL && shape->ops[i].c > SHAPE_MAX_ARGS)
            return true;
    return false;
}

static JitEntry *new_entry(Jit *jit, const JitRequest *request, const uint64_t hash[2])
{
    JitEntry *entry = add_entry(jit, request, hash);
    if (too_large(request->shape)) {
        atomic_store(&entry->refusal, JIT_TOO_LARGE);
        jit->stats.refused++;
    }
    return entry;
}

static JitEntry *request_locked(Jit *jit, const JitRequest *request)
{
    uint64_t hash[2];
    hash_request(request, hash);
    JitEntry *entry = find_entry(jit, request, hash);
    if (!entry) {
        entry = new_entry(jit, request, hash);
    } else {
        jit->stats.shapes_from_memory++;
        if (entry->holders == 0)
            jit_unlink(&entry->unused);
        entry->forget = false;
    }
    entry->holders++;
    jit_queue_next(jit, entry); /* a known one left the queue if nobody wanted it then */
    return entry;
}

JitEntry *jit_request(Jit *jit, const JitRequest *request)
{
    MemGuard guard;
    JitEntry *volatile entry = NULL;
    pthread_mutex_lock(&jit->lock);
    mem_guard_push(jit->mem, &guard);
    if (setjmp(guard.env) == 0) {
        entry = request_locked(jit, request);
        mem_guard_pop(jit->mem, &guard);
        JIT_VERIFY(jit);
    }
    pthread_mutex_unlock(&jit->lock);
    return entry;
}

void jit_release(Jit *jit, JitEntry *entry)
{
    if (!entry)
        return;
    pthread_mutex_lock(&jit->lock);
    if (--entry->holders == 0) {
        jit_link_last(&jit->unused, &entry->unused);
        jit_evict(jit);
    }
    JIT_VERIFY(jit);
    pthread_mutex_unlock(&jit->lock);
}

/* ---- what there is ---- */

JitCode jit_code(JitEntry *entry)
{
    if (entry->late) {
        entry->late--;
        return (JitCode){.any = NULL};
    }
    return (JitCode){.any = atomic_load_explicit(&entry->code, memory_order_acquire)};
}

JitTier jit_tier(const JitEntry *entry)
{
    return (JitTier)atomic_load_explicit(&entry->tier, memory_order_acquire);
}

JitRefusal jit_refusal(const JitEntry *entry)
{
    return (JitRefusal)atomic_load_explicit(&entry->refusal, memory_order_acquire);
}

const char *jit_refusal_text(JitRefusal refusal)
{
    static const char *const text[] = {
        [JIT_ACCEPTED] = "accepted",
        [JIT_TOO_LARGE] = "the block has too many operations",
        [JIT_NO_MODULE] = "the module solstice_llvm.so cannot be loaded",
        [JIT_NO_TARGET] = "LLVM cannot make code for this machine",
        [JIT_LLVM_REFUSED] = "LLVM refused the function",
        [JIT_LLVM_FATAL] = "LLVM met a fatal error and is not used any more",
        [JIT_NOT_LINKED] = "the machine code cannot be linked",
        [JIT_NO_MEMORY] = "out of memory",
    };
    return text[refusal];
}

static bool crosses(uint64_t before, uint64_t more, uint64_t bound)
{
    return before < bound && before + more >= bound;
}

void jit_heat(Jit *jit, JitEntry *entry, uint64_t evaluations)
{
    uint64_t before = atomic_fetch_add_explicit(&entry->heat, evaluations, memory_order_relaxed);
    bool warmed = crosses(before, evaluations, jit->options.warm);
    bool heated = crosses(before, evaluations, jit->options.hot);
    if (!warmed && !heated)
        return;
    pthread_mutex_lock(&jit->lock);
    jit_queue_next(jit, entry);
    pthread_mutex_unlock(&jit->lock);
}

void jit_hurry(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    jit->urgent = true;
    pthread_cond_broadcast(&jit->work);
    pthread_mutex_unlock(&jit->lock);
}

void jit_wait(Jit *jit)
{
    double start = timer_now();
    pthread_mutex_lock(&jit->lock);
    jit->waiting++;
    pthread_cond_broadcast(&jit->work);
    while (jit->queued || jit->compiling)
        pthread_cond_wait(&jit->idle, &jit->lock);
    jit->waiting--;
    jit->stats.wait_seconds += timer_now() - start;
    pthread_mutex_unlock(&jit->lock);
}

void jit_note_failure(Jit *jit, JitRefusal why, const char *words)
{
    if (jit->failure != JIT_ACCEPTED)
        return;
    jit->failure = why;
    snprintf(jit->words, sizeof jit->words, "%s", words);
}

JitRefusal jit_failure(Jit *jit, char *text, size_t size)
{
    pthread_mutex_lock(&jit->lock);
    JitRefusal failure = jit->failure;
    snprintf(text, size, "%s", jit->words);
    pthread_mutex_unlock(&jit->lock);
    return failure;
}

JitStats jit_stats(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    JitStats stats = jit->stats;
    stats.code_bytes = jit->code_bytes;
    stats.mappings = (uint64_t)jit->modules * JIT_MODULE_MAPPINGS;
    stats.entry_bytes = jit->entry_bytes;
    jit_waits_sum(jit, &stats);
    pthread_mutex_unlock(&jit->lock);
    return stats;
}
