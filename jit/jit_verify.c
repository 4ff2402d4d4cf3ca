/* jit_verify.c: the table of entries -> nothing, or the end. See jit_int.h for the invariants. */
#include "jit/jit_int.h"

#include <stdio.h>
#include <stdlib.h>

static void require(bool holds, const char *invariant, const JitEntry *entry)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: code entry %u: invariant %s is broken\n", entry ? entry->id : 0,
            invariant);
    abort();
}

static bool linked(const JitLink *link)
{
    return link->next != link;
}

static bool found(const Jit *jit, const JitEntry *entry)
{
    uint32_t id = map_get(&jit->by_hash, entry->hash[0]);
    while (id && id != entry->id)
        id = jit->entries.at[id]->same_hash;
    return id != 0;
}

static uint32_t length(const JitLink *head)
{
    uint32_t n = 0;
    for (const JitLink *l = head->next; l != head; l = l->next)
        n++;
    return n;
}

static void verify_entry(const Jit *jit, const JitEntry *entry)
{
    void *code = atomic_load(&entry->code);
    require(linked(&entry->unused) == (entry->holders == 0), "J1", entry);
    require(linked(&entry->queue) == (entry->state == ENTRY_QUEUED), "J2", entry);
    require(found(jit, entry), "J2", entry);
    require(!code || code == entry->placed[0].at || code == entry->placed[1].at, "J3", entry);
    require((code != NULL) == (jit_tier(entry) != JIT_NONE), "J4", entry);
}

/* The lock is held. Only small tables, so that debug builds stay usable. */
void jit_verify(const Jit *jit)
{
    size_t bytes = 0;
    uint32_t unused = 0, queued = 0;
    if (jit->entries.n > 100)
        return;
    for (uint32_t id = 1; id < jit->entries.n; id++) {
        const JitEntry *entry = jit->entries.at[id];
        if (!entry)
            continue;
        verify_entry(jit, entry);
        bytes += entry->bytes;
        unused += entry->holders == 0;
    }
    require(length(&jit->unused) == unused, "J1", NULL);
    for (int i = 0; i < QUEUES; i++)
        queued += length(&jit->queue[i]);
    require(queued == jit->queued, "J2", NULL);
    require(bytes == jit->entry_bytes, "J2", NULL);
}

void jit_released(Jit *jit)
{
#ifdef SOLSTICE_VERIFY
    pthread_mutex_lock(&jit->lock);
    for (uint32_t id = 1; id < jit->entries.n; id++)
        require(!jit->entries.at[id] || jit->entries.at[id]->holders == 0, "J5",
                jit->entries.at[id]);
    pthread_mutex_unlock(&jit->lock);
#else
    (void)jit;
#endif
}
