/* mem.c: requests for memory -> blocks owned by a session. See mem.h.
 *
 * Small blocks, which structural changes ask for and give back by the dozen, are cut from slabs and
 * wait in a list by size for the next one of their size; they go with their slabs. What was asked
 * for in a row lies in a row. Large blocks are the system's, in a ring. A sanitizer sees no slabs,
 * so that it knows the ends of every block.
 */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define USE_SLABS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define USE_SLABS 0
#endif
#endif
#ifndef USE_SLABS
#define USE_SLABS 1
#endif

enum {
    GRAIN = 8,                  /* sizes of small blocks, with their heads, are multiples of it */
    CLASSES = 256,              /* of small blocks; a block of class c has c * GRAIN bytes */
    FIRST_SLAB = 8 * 1024,      /* each slab is as large as all before, up to ... */
    LAST_SLAB = 2 * 1024 * 1024 /* ... this, one page where the system has large ones */
};

/* In front of every block. What follows is aligned to 8 bytes in small blocks, which is all that
 * our objects want, and to 16 in large ones. */
typedef struct Head {
    uint64_t size : 48;
    uint64_t class : 16; /* 0: a large block */
} Head;

typedef struct Large {
    struct Large *prev, *next;
    uint64_t unused;
    Head head;
} Large;

_Static_assert(sizeof(Head) == 8 && sizeof(Large) == 32, "large blocks are aligned to 16 bytes");

typedef struct Slab {
    struct Slab *before;
    size_t size;
} Slab;

typedef struct Free {
    struct Free *next;
} Free;

struct Mem {
    Large ring; /* of all large blocks */
    Slab *slabs;
    char *room, *end; /* not cut yet, of the last slab */
    size_t in_slabs;
    Free *free[CLASSES]; /* [class] */
    MemGuard *guard;
    size_t used, peak, limit;
    uint64_t count, fail_at;
};

Mem *mem_open(void)
{
    Mem *mem = calloc(1, sizeof *mem);
    if (mem)
        mem->ring.prev = mem->ring.next = &mem->ring;
    return mem;
}

void mem_close(Mem *mem)
{
    if (!mem)
        return;
    for (Large *b = mem->ring.next, *next; b != &mem->ring; b = next) {
        next = b->next;
        free(b);
    }
    for (Slab *slab = mem->slabs, *before; slab; slab = before) {
        before = slab->before;
        free(slab);
    }
    free(mem);
}

_Noreturn void mem_exhausted(Mem *mem)
{
    MemGuard *guard = mem->guard;
    if (!guard) {
        fputs("solstice: out of memory\n", stderr);
        abort();
    }
    mem->guard = guard->outer;
    longjmp(guard->env, 1);
}

static void admit(Mem *mem, size_t size, size_t released)
{
    mem->count++;
    if (mem->fail_at && --mem->fail_at == 0)
        mem_exhausted(mem);
    if (size > SIZE_MAX / 2 || (mem->limit && mem->used - released + size > mem->limit))
        mem_exhausted(mem);
}

static void account(Mem *mem, size_t size)
{
    mem->used += size;
    if (mem->used > mem->peak)
        mem->peak = mem->used;
}

/* ---- small blocks ---- */

static size_t class_of(size_t size)
{
    size_t class = (sizeof(Head) + size + GRAIN - 1) / GRAIN;
    return USE_SLABS && class < CLASSES ? class : 0;
}

static bool add_slab(Mem *mem)
{
    size_t size = mem->in_slabs < FIRST_SLAB ? FIRST_SLAB : mem->in_slabs;
    if (size > LAST_SLAB)
        size = LAST_SLAB;
    Slab *slab = size < LAST_SLAB ? malloc(size) : aligned_alloc(LAST_SLAB, LAST_SLAB);
    if (!slab)
        return false;
    if (size == LAST_SLAB)
        madvise(slab, size, MADV_HUGEPAGE); /* only advice: it may be refused */
    *slab = (Slab){.before = mem->slabs, .size = size};
    mem->slabs = slab;
    mem->in_slabs += size;
    mem->room = (char *)(slab + 1);
    mem->end = (char *)slab + size;
    return true;
}

/* Rests of slabs are lost: less than a block of the largest class each. */
static Head *take_small(Mem *mem, size_t class)
{
    Free *block = mem->free[class];
    if (block) {
        mem->free[class] = block->next;
        return (Head *)block;
    }
    if ((size_t)(mem->end - mem->room) < class * GRAIN && !add_slab(mem))
        mem_exhausted(mem);
    Head *head = (Head *)mem->room;
    mem->room += class * GRAIN;
    return head;
}

static void give_small(Mem *mem, Head *head)
{
    size_t class = head->class;
    Free *block = (Free *)head;
#ifdef SOLSTICE_VERIFY
    memset(head, 0xdb, class * GRAIN); /* whoever still reads it finds nothing that makes sense */
#endif
    block->next = mem->free[class];
    mem->free[class] = block;
}

/* ---- all blocks ---- */

static Head *take_large(Mem *mem, size_t size)
{
    Large *b = calloc(1, sizeof *b + size);
    if (!b)
        mem_exhausted(mem);
    b->prev = &mem->ring;
    b->next = mem->ring.next;
    b->next->prev = b;
    mem->ring.next = b;
    return &b->head;
}

static Large *large_of(Head *head)
{
    return (Large *)((char *)head - offsetof(Large, head));
}

static void give(Mem *mem, Head *head)
{
    if (head->class) {
        give_small(mem, head);
        return;
    }
    Large *b = large_of(head);
    b->prev->next = b->next;
    b->next->prev = b->prev;
    free(b);
}

void *mem_alloc(Mem *mem, size_t size)
{
    admit(mem, size, 0);
    size_t class = class_of(size);
    Head *head = class ? take_small(mem, class) : take_large(mem, size);
    if (class)
        memset(head + 1, 0, size);
    *head = (Head){.size = size, .class = class};
    account(mem, size);
    return head + 1;
}

static void *resize_large(Mem *mem, Head *head, size_t size)
{
    size_t before = head->size;
    Large *moved = realloc(large_of(head), sizeof *moved + size);
    if (!moved)
        mem_exhausted(mem);
    moved->head.size = size;
    moved->prev->next = moved;
    moved->next->prev = moved;
    mem->used -= before;
    account(mem, size);
    return &moved->head + 1;
}

/* From, or to, a small block. */
static void *resize_small(Mem *mem, Head *head, size_t size)
{
    size_t before = head->size;
    size_t class = class_of(size);
    Head *to = head;
    if (!class || class != head->class) {
        to = class ? take_small(mem, class) : take_large(mem, size);
        memcpy(to + 1, head + 1, before < size ? before : size);
        to->class = class;
        give(mem, head);
    }
    to->size = size;
    mem->used -= before;
    account(mem, size);
    return to + 1;
}

void *mem_resize(Mem *mem, void *old, size_t size)
{
    if (!old)
        return mem_alloc(mem, size);
    Head *head = (Head *)old - 1;
    admit(mem, size, head->size);
    return head->class || class_of(size) ? resize_small(mem, head, size)
                                         : resize_large(mem, head, size);
}

void mem_free(Mem *mem, void *p)
{
    if (!p)
        return;
    Head *head = (Head *)p - 1;
    mem->used -= head->size;
    give(mem, head);
}

void mem_guard_push(Mem *mem, MemGuard *guard)
{
    guard->outer = mem->guard;
    mem->guard = guard;
}

void mem_guard_pop(Mem *mem, MemGuard *guard)
{
    mem->guard = guard->outer;
}

size_t mem_used(const Mem *mem)
{
    return mem->used;
}

size_t mem_peak(const Mem *mem)
{
    return mem->peak;
}

void mem_limit(Mem *mem, size_t bytes)
{
    mem->limit = bytes;
}

void mem_fail_at(Mem *mem, uint64_t n)
{
    mem->fail_at = n;
}

uint64_t mem_count(const Mem *mem)
{
    return mem->count;
}

/* ---- arenas ---- */

enum { FIRST_CHUNK = 1024, CHUNK = 32 * 1024, ALIGN = 16 }; /* each is twice the one before */

struct ArenaChunk {
    ArenaChunk *before;
    size_t size; /* bytes behind the header */
    char bytes[];
};

_Static_assert(sizeof(ArenaChunk) % ALIGN == 0, "chunks keep what they hold aligned");

void arena_init(Arena *arena, Mem *mem)
{
    *arena = (Arena){.mem = mem};
}

static size_t next_room(const Arena *arena, size_t size)
{
    size_t room = arena->last ? 2 * arena->last->size : FIRST_CHUNK;
    while (room < size)
        room *= 2;
    return room < CHUNK ? room : CHUNK;
}

void *arena_alloc(Arena *arena, size_t size)
{
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    bool faults = arena->mem->fail_at != 0;
    if (size > arena->left || !arena->last || faults) {
        bool alone = size > CHUNK / 4 || faults;
        size_t room = alone ? size : next_room(arena, size);
        ArenaChunk *chunk = mem_alloc(arena->mem, sizeof *chunk + room);
        chunk->size = room;
        if (alone && arena->last) { /* keep filling the open chunk */
            chunk->before = arena->last->before;
            arena->last->before = chunk;
            arena->used += size;
            return chunk->bytes;
        }
        chunk->before = arena->last;
        arena->last = chunk;
        arena->left = room;
    }
    void *p = arena->last->bytes + arena->last->size - arena->left;
    arena->left -= size;
    arena->used += size;
    return p;
}

char *arena_copy(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void arena_free(Arena *arena)
{
    for (ArenaChunk *c = arena->last, *before; c; c = before) {
        before = c->before;
        mem_free(arena->mem, c);
    }
    arena_init(arena, arena->mem);
}
