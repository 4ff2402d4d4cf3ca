/* mem.c: requests for memory -> blocks owned by a session. See mem.h. */
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Block {
    struct Block *prev, *next;
    size_t size;
    size_t pad; /* keeps what follows aligned to 16 bytes */
} Block;

struct Mem {
    Block head; /* ring of all blocks */
    MemGuard *guard;
    size_t used, peak, limit;
    uint64_t count, fail_at;
};

Mem *mem_open(void)
{
    Mem *mem = calloc(1, sizeof *mem);
    if (mem)
        mem->head.prev = mem->head.next = &mem->head;
    return mem;
}

void mem_close(Mem *mem)
{
    if (!mem)
        return;
    for (Block *b = mem->head.next, *next; b != &mem->head; b = next) {
        next = b->next;
        free(b);
    }
    free(mem);
}

static _Noreturn void exhausted(Mem *mem)
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
        exhausted(mem);
    if (size > SIZE_MAX / 2 || (mem->limit && mem->used - released + size > mem->limit))
        exhausted(mem);
}

static void account(Mem *mem, size_t size)
{
    mem->used += size;
    if (mem->used > mem->peak)
        mem->peak = mem->used;
}

void *mem_alloc(Mem *mem, size_t size)
{
    admit(mem, size, 0);
    Block *b = calloc(1, sizeof *b + size);
    if (!b)
        exhausted(mem);
    b->size = size;
    b->prev = &mem->head;
    b->next = mem->head.next;
    b->next->prev = b;
    mem->head.next = b;
    account(mem, size);
    return b + 1;
}

void *mem_resize(Mem *mem, void *old, size_t size)
{
    if (!old)
        return mem_alloc(mem, size);
    Block *b = (Block *)old - 1;
    size_t before = b->size;
    admit(mem, size, before);
    Block *moved = realloc(b, sizeof *b + size);
    if (!moved)
        exhausted(mem);
    moved->size = size;
    moved->prev->next = moved;
    moved->next->prev = moved;
    mem->used -= before;
    account(mem, size);
    return moved + 1;
}

void mem_free(Mem *mem, void *p)
{
    if (!p)
        return;
    Block *b = (Block *)p - 1;
    mem->used -= b->size;
    b->prev->next = b->next;
    b->next->prev = b->prev;
    free(b);
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

enum { CHUNK = 32 * 1024, ALIGN = 16 };

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

void *arena_alloc(Arena *arena, size_t size)
{
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    bool faults = arena->mem->fail_at != 0;
    if (size > arena->left || !arena->last || faults) {
        bool alone = size > CHUNK / 4 || faults;
        size_t room = alone ? size : CHUNK;
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
