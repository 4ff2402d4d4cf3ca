/* stored_code.c: entries <-> their code on disk, as object files. See worker.h, disk_cache.h. */
#include "jit/worker.h"

#include <string.h>

/* Code on disk: this, and behind it the object, unless it is an entry of its own that several
 * functions share. */
typedef struct StoredCode {
    uint64_t object[2]; /* hash of the object */
    uint64_t host;      /* hash of what LLVM calls the processor it is for */
} StoredCode;

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
    JitModule *known = worker_known(w, stored.object);
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
            module = worker_link(w, object, size, hash);
    }
    mem_free(w->mem, shared);
    return module;
}

void worker_know_host(Worker *w)
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
    worker_name(entry, tier, name);
    BackendSymbol symbol = {.name = name};
    w->linker->find(w->linker->state, module->linked, 1, &symbol);
    if (symbol.at)
        worker_publish(w, entry, tier, module, &symbol);
    worker_leave(w, module);
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

bool worker_load(Worker *w, JitEntry *entry)
{
    bool loaded = load(w, entry);
    if (!loaded)
        entry->disk = DISK_NONE;
    return loaded;
}

void worker_look(Worker *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        JitEntry *entry = w->entry[i];
        DiskKey quick = jit_disk_key(entry, JIT_QUICK),
                optimised = jit_disk_key(entry, JIT_OPTIMISED);
        bool has = disk_cache_has(w->disk, &optimised) || disk_cache_has(w->disk, &quick);
        entry->disk = has ? DISK_FOUND : DISK_NONE;
    }
}

void worker_store(Worker *w, const JitEntry *entry, const JitModule *module, const void *object,
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
