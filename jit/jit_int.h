/* jit_int.h: the code service inside, between those who ask and the thread that compiles.
 * Private to jit/.
 *
 * Everything is guarded by Jit.lock, except: `code`, `tier`, `refusal` and `heat` of an entry,
 * which are atomic; the content of an entry (request, shape), which never changes; and what stands
 * under "compile thread", which belongs to that thread.
 *
 * Invariants (checked with the lock held)
 *   J1  an entry without holders is in the list of unused ones, one with holders is not.
 *   J2  an entry that is being compiled is not freed; one that is queued is in the queue of its
 * tier. J3  code that an entry once gave out stays in place until the entry goes. J4  `code` is
 * written only with the lock held, and with release.
 */
#ifndef JIT_JIT_INT_H
#define JIT_JIT_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "jit/code_memory.h"
#include "jit/debug_names.h"
#include "jit/disk_cache.h"
#include "jit/jit.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum EntryState { ENTRY_IDLE, ENTRY_QUEUED, ENTRY_COMPILING } EntryState;

/* Ring of entries: `queue` links an entry into the queue of its tier, `unused` into Jit.unused. */
typedef struct JitLink {
    struct JitLink *prev, *next;
} JitLink;

typedef struct JitPlaced {
    void *at; /* NULL: none */
    size_t size;
    DebugName *name; /* gdb's, or NULL */
} JitPlaced;

struct JitEntry {
    _Atomic(void *) code; /* the best there is */
    atomic_int tier;      /* of `code`: JitTier */
    atomic_int refusal;   /* JitRefusal */
    atomic_ullong heat;   /* evaluations so far */
    JitLink queue, unused;
    uint32_t holders;
    EntryState state;
    JitTier wanted;      /* what it is queued or compiled for */
    bool looked;         /* the disk has been asked and has nothing */
    bool forget;         /* goes as soon as it is compiled, if nobody holds it */
    JitPlaced placed[2]; /* quick, optimised */
    uint32_t id;         /* in Jit.entries */
    uint32_t same_hash;  /* next entry with the same hash, or 0 */
    uint64_t hash[2];    /* of the content */
    size_t content_size, bytes;
    uint32_t *content; /* what code is made from, see make_content */
    Shape shape;       /* its operations lie in the content */
    JitKind kind;
    JitLayout layout;
    bool *common;            /* or NULL */
    const uint32_t *slots;   /* JIT_FIXED: in the content, else NULL */
    const double *constants; /* likewise */
};

struct Jit {
    pthread_mutex_t lock;
    pthread_cond_t work; /* something is queued, or the end has come */
    pthread_cond_t idle; /* nothing is queued or being compiled */
    Mem *mem;
    JitOptions options;
    char *module, *cache; /* copies of the options' texts, or NULL */
    bool started, closing;
    uint32_t waiting; /* callers inside jit_wait */
    double opened_at; /* timer_now() */
    pthread_t thread;
    VEC(JitEntry *) entries; /* by id; at[0] is unused; NULL: id is free */
    VEC(uint32_t) free_ids;
    Map by_hash;
    JitLink queue[2]; /* heads: quick, optimised */
    JitLink unused;   /* head; next: longest unused */
    uint32_t queued, compiling;
    CodeMemory *code;
    size_t entry_bytes;
    bool fatal; /* LLVM is given up */
    char last_words[200];
    JitStats stats;
};

enum {
    JIT_MAX_OPS = 4096
}; /* a block has some tens; far above, LLVM's time grows with the square */

#define JIT_ENTRY_OF(link, member) ((JitEntry *)(void *)((char *)(link)-offsetof(JitEntry, member)))

static inline void jit_link_init(JitLink *head)
{
    head->prev = head->next = head;
}

static inline void jit_link_last(JitLink *head, JitLink *link)
{
    link->prev = head->prev;
    link->next = head;
    head->prev->next = link;
    head->prev = link;
}

static inline void jit_unlink(JitLink *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->prev = link->next = link;
}

/* jit.c, with the lock held */
void jit_queue_next(Jit *jit, JitEntry *entry); /* for what it needs next, if anything */
void jit_evict(Jit *jit); /* until memory is within its bound, or nothing more can go */
void jit_drop(Jit *jit, JitEntry *entry);

/* jit_verify.c, with the lock held: aborts when J1..J4 do not hold. Debug builds call it whenever
 * the table has changed. */
void jit_verify(const Jit *jit);
#ifdef SOLSTICE_VERIFY
#define JIT_VERIFY(jit) jit_verify(jit)
#else
#define JIT_VERIFY(jit) ((void)(jit))
#endif

/* compile_thread.c */
void *jit_compile_thread(void *jit);

/* host.c: what decides whether code made elsewhere may run here, as text. */
void jit_host_flavour(char *text, size_t size, const char *module, bool fast_math);
/* The module beside the program, or where it is installed; false: not found. */
bool jit_find_module(char *path, size_t size);

#endif
