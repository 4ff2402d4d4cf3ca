/* code_modules.c: object files -> modules with users; functions in them -> what entries give out. See
 * worker.h. */
#include "jit/worker.h"

#include <string.h>
#include <unistd.h>

/* ---- names ---- */

void worker_name(const JitEntry *entry, JitTier tier, char name[BACKEND_NAME])
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

JitModule *worker_known(const Worker *w, const uint64_t hash[2])
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

JitModule *worker_link(Worker *w, const void *object, size_t size, const uint64_t hash[2])
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

void worker_leave(Worker *w, JitModule *module)
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

void worker_bury(Worker *w)
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

void worker_refuse(Jit *jit, JitEntry *entry, JitRefusal why)
{
    jit->stats.refused++;
    atomic_store_explicit(&entry->refusal, why, memory_order_release);
}

void worker_refuse_linking(Worker *w, JitEntry *entry)
{
    Jit *jit = w->jit;
    pthread_mutex_lock(&jit->lock);
    worker_refuse(jit, entry, JIT_NOT_LINKED);
    jit_note_failure(jit, JIT_NOT_LINKED, w->linker->last_words(w->linker->state));
    pthread_mutex_unlock(&jit->lock);
}

void worker_publish(Worker *w, JitEntry *entry, JitTier tier, JitModule *module,
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
