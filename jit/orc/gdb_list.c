/* gdb_list.c: what ORC has told gdb -> taken back when the code goes. See link.h.
 *
 * gdb finds one list in a process and has a breakpoint in a function that is called when the list
 * changes; each entry is an object file in memory (gdb's manual, "JIT Compilation Interface"). ORC
 * adds an entry for each object that it links, frees the object with its code, and leaves the entry
 * in the list (LLVM 19). So entries are noted as they come, and taken out before their code goes.
 * Whoever links with names does it one at a time, so that the first entry is the last one's. */
#include "jit/orc/link.h"

#include <pthread.h>

struct GdbEntry { /* gdb's */
    struct GdbEntry *next, *prev;
    const char *object;
    uint64_t size;
};

struct GdbList { /* gdb's */
    uint32_t version, action;
    struct GdbEntry *relevant, *first;
};

enum { NOTHING, ADDED, REMOVED }; /* GdbList.action */

extern struct GdbList __jit_debug_descriptor;
void __jit_debug_register_code(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct GdbEntry *spare; /* allocated by ORC, which has no function to free them */

GdbEntry *gdb_list_begin(void)
{
    pthread_mutex_lock(&lock);
    return __jit_debug_descriptor.first;
}

GdbEntry *gdb_list_end(const GdbEntry *before)
{
    GdbEntry *first = __jit_debug_descriptor.first;
    pthread_mutex_unlock(&lock);
    return first == before ? NULL : first;
}

void gdb_list_drop(GdbEntry *entry)
{
    struct GdbList *list = &__jit_debug_descriptor;
    if (!entry)
        return;
    pthread_mutex_lock(&lock);
    if (entry->prev)
        entry->prev->next = entry->next;
    else
        list->first = entry->next;
    if (entry->next)
        entry->next->prev = entry->prev;
    list->relevant = entry;
    list->action = REMOVED;
    __jit_debug_register_code();
    list->relevant = NULL;
    list->action = NOTHING;
    entry->next = spare;
    spare = entry;
    pthread_mutex_unlock(&lock);
}
