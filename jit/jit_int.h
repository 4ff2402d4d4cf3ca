/* jit_int.h: the code service inside, between those who ask and the thread that compiles.
 * Private to jit/.
 *
 * Everything is guarded by Jit.lock, except: `code`, `tier`, `refusal` and `heat` of an entry,
 * which are atomic; its content (request, shape), which never changes; and what is said to belong to a
 * thread.
 *
 * Invariants (checked with the lock held)
 *
 *   J1  an entry without holders is in the list of unused ones, one with holders is not.
 *
 *   J2  an entry that is being compiled is not freed; one that is queued is in one queue.
 *
 *   J3  code that an entry once gave out stays in place until the entry goes.
 *
 *   J4  `code` is written only with the lock held, and with release.
 *
 *   J5  when all simulations of a model are closed, nobody holds an entry of what they shared.
 */
#ifndef JIT_JIT_INT_H
#define JIT_JIT_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "jit/backend.h"
#include "jit/disk_cache.h"
#include "jit/jit.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum EntryState { ENTRY_IDLE, ENTRY_QUEUED, ENTRY_COMPILING } EntryState;

/* Ring of entries: `queue` links an entry into the queue of its tier, `unused` into Jit.unused. */
typedef struct JitLink {
    struct JitLink *prev, *next;
} JitLink;

/* A linked object with functions of some entries. It goes when the last of these has gone. Made and
 * freed by the compile thread. */
typedef struct JitModule {
    JitLink dead; /* in Jit.dead while it has no users */
    uint32_t users;
    size_t bytes; /* of pages, at most */
    BackendModule *linked;
    uint64_t hash[2]; /* of the object */
    uint32_t id;      /* of the compile thread */
} JitModule;

typedef struct JitPlaced {
    void *at; /* NULL: none */
    JitModule *module;
} JitPlaced;

/* What is known about an entry on disk. */
typedef enum DiskLook { DISK_UNKNOWN, DISK_NONE, DISK_FOUND } DiskLook;

struct JitEntry {
    _Atomic(void *) code; /* the best there is */
    atomic_int tier;      /* of `code`: JitTier */
    atomic_int refusal;   /* JitRefusal */
    atomic_ullong heat;   /* evaluations so far */
    JitLink queue, unused;
    uint32_t holders;
    uint32_t late; /* looks that still find nothing */
    EntryState state;
    JitTier wanted; /* what it is queued or compiled for */
    DiskLook disk;
    double asked_at;     /* timer_now() when it was warm and LLVM was there; 0: neither */
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

/* What waits for a look at the disk, for the linker, for linker and code generator. */
enum { QUEUE_LOOK, QUEUE_LINK, QUEUE_QUICK, QUEUE_OPTIMISED, QUEUES };
enum { PART_LINKER, PART_COMPILER, PARTS };
typedef enum LoadState { PART_NOT_LOADED, PART_LOADING, PART_DECIDED } LoadState;
enum { JIT_PATH = 4096, JIT_MODULE_MAPPINGS = 2 }; /* an object has code and constants */

/* One of the modules that hold LLVM. */
typedef struct JitPart {
    LoadState load;
    JitRefusal refusal; /* once PART_DECIDED */
} JitPart;

/* Seconds from the moment in which code is asked for to that in which it can be called: quick code,
 * with LLVM there. The last ones. */
typedef struct JitWaits {
    double at[1024];
    uint32_t n; /* ever */
} JitWaits;

/* An optimised function in the making. It takes milliseconds, so it has a thread of its own, that quick
 * code need not wait. The compile thread starts it and places what it has made. */
typedef enum OptimiserState { OPTIMISER_IDLE, OPTIMISER_BUSY, OPTIMISER_DONE } OptimiserState;
typedef struct JitOptimiser {
    OptimiserState state;
    /* the thread's while it is busy, else the compile thread's */
    pthread_t thread; /* to be joined, unless it is idle */
    JitEntry *entry;
    BackendJob job;
    char name[BACKEND_NAME];
    double seconds;
} JitOptimiser;

struct Jit {
    pthread_mutex_t lock;
    pthread_cond_t work; /* there is something to do, or the end has come */
    pthread_cond_t idle; /* nothing is queued or being compiled */
    Mem *mem;
    JitOptions options;
    char *module, *cache, *model; /* copies of the options' texts, or NULL */
    bool started, closing;
    uint32_t waiting; /* callers inside jit_wait */
    double opened_at; /* timer_now() */
    pthread_t thread;
    VEC(JitEntry *) entries; /* by id; at[0] is unused; NULL: id is free */
    VEC(uint32_t) free_ids;
    Map by_hash;
    JitLink queue[QUEUES]; /* heads */
    JitLink unused;        /* head; next: longest unused */
    JitLink dead;          /* head: modules that can go */
    uint32_t queued;
    uint32_t compiling; /* taken from a queue and not finished */
    uint32_t modules;   /* that have users */
    size_t code_bytes, entry_bytes;
    uint32_t max_mappings;
    bool urgent; /* patience is over: jit_hurry */
    JitPart part[PARTS];
    pthread_t loader; /* of the code generator, since it began to load */
    bool has_loader;
    char path[JIT_PATH]; /* of the code generator; set before it or the linker is loaded */
    bool found;
    BackendLinker linker; /* once it is decided, if it was not refused: the compile thread's */
    Backend compiler;     /* likewise */
    JitOptimiser optimiser;
    JitRefusal failure;
    char words[200]; /* about the trouble */
    JitStats stats;
    JitWaits waits;
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

/* An entry has come to a module, or gone from it. */
void jit_join(Jit *jit, JitModule *module);
void jit_leave(Jit *jit, JitModule *module);
void jit_note_failure(Jit *jit, JitRefusal why, const char *words); /* the first is kept */

/* compile_next.c, with the lock held */
enum { JIT_ROUND = 64 }; /* entries at a time at most */
typedef enum JitStep {
    STEP_END,
    STEP_LOOK, /* for new entries on disk */
    STEP_BURY, /* modules that nobody uses */
    STEP_LINK, /* what is on disk */
    STEP_ROUND,
    STEP_OPTIMISE, /* begin to */
    STEP_PLACE,    /* what was optimised */
    STEP_LOAD_LINKER,
    STEP_LOAD_COMPILER,
    STEP_REST
} JitStep;
JitStep jit_next_step(const Jit *jit);
double jit_rest_until(const Jit *jit); /* timer_now() at which there may be something to do */
bool jit_queue_empty(const Jit *jit, int queue);

/* jit_waits.c, with the lock held */
void jit_wait_begins(const Jit *jit, JitEntry *entry);
void jit_wait_ends(Jit *jit, JitEntry *entry);
void jit_waits_sum(const Jit *jit, JitStats *stats); /* fills what they tell */

/* compile_thread.c */
void *jit_compile_thread(void *jit);

/* stored_code.c, code_modules.c */
/* What the disk has: the hash of an object and, if it is not shared, the object; a shared object. */
DiskKey jit_disk_key(const JitEntry *entry, JitTier tier);
DiskKey jit_object_key(const uint64_t hash[2]);
void jit_hash_object(const void *object, size_t size, uint64_t hash[2]);

/* load_llvm.c */
void jit_find_paths(Jit *jit);     /* fills path, found */
void jit_load_linker(Jit *jit);    /* with the lock held, which it leaves; it is decided then */
void jit_start_loading(Jit *jit);  /* with the lock held: the code generator, decided later */
void jit_finish_loading(Jit *jit); /* without the lock: waits for it, if it was started */
bool jit_blocked_thread(pthread_t *thread, void *(*run)(void *), void *argument);
DiskKey jit_model_key(const char *model);

/* host.c: what decides whether code made elsewhere may run here, as text. */
void jit_host_flavour(char *text, size_t size, const char *module, bool fast_math);

#endif
