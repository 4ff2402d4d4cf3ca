/* code_memory.c: machine code -> the same at an address where it can run. See code_memory.h.
 *
 * Segments of 1 MB (or as large as one function needs) are divided into units of 64 bytes; a byte
 * per unit says whether it is taken. Places are found by going on from where the last one was
 * found. A segment that becomes empty is returned to the system, except the last. */
#define _GNU_SOURCE /* mremap */
#include "jit/code_memory.h"

#include "base/vec.h"

#include <string.h>
#include <sys/mman.h>

enum { UNIT = 64, SEGMENT_UNITS = (1 << 20) / UNIT };

typedef struct Segment {
    unsigned char *write, *execute; /* the same memory */
    uint8_t *taken;                 /* taken[u]: unit u is in use */
    uint32_t n;                     /* units */
    uint32_t used;                  /* of them taken */
    uint32_t next;                  /* where the search goes on */
} Segment;

struct CodeMemory {
    Mem *mem;
    VEC(Segment) segments;
    size_t used, reserved;
};

CodeMemory *code_memory_open(Mem *mem)
{
    CodeMemory *memory = mem_alloc(mem, sizeof *memory);
    memory->mem = mem;
    return memory;
}

static void release(CodeMemory *memory, Segment *s)
{
    munmap(s->write, (size_t)s->n * UNIT);
    munmap(s->execute, (size_t)s->n * UNIT);
    memory->reserved -= (size_t)s->n * UNIT;
    mem_free(memory->mem, s->taken);
}

void code_memory_close(CodeMemory *memory)
{
    if (!memory)
        return;
    for (uint32_t i = 0; i < memory->segments.n; i++)
        release(memory, &memory->segments.at[i]);
    vec_free(memory->mem, &memory->segments);
    mem_free(memory->mem, memory);
}

/* Shared memory without a name, and a second mapping of the same pages (mremap of nothing). A memfd
 * would do as well, but perf looks for names of functions in its map only where memory is
 * anonymous. */
static bool map_twice(Segment *s)
{
    size_t size = (size_t)s->n * UNIT;
    s->write = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->write == MAP_FAILED)
        return false;
    s->execute = mremap(s->write, 0, size, MREMAP_MAYMOVE);
    if (s->execute != MAP_FAILED && mprotect(s->execute, size, PROT_READ | PROT_EXEC) == 0)
        return true;
    munmap(s->write, size);
    if (s->execute != MAP_FAILED)
        munmap(s->execute, size);
    return false;
}

static Segment *new_segment(CodeMemory *memory, uint32_t units)
{
    uint32_t page = 4096 / UNIT;
    Segment s = {.n = units < SEGMENT_UNITS ? SEGMENT_UNITS : (units + page - 1) / page * page};
    vec_reserve(memory->mem, &memory->segments, memory->segments.n + 1);
    s.taken = mem_alloc(memory->mem, s.n);
    if (!map_twice(&s)) {
        mem_free(memory->mem, s.taken);
        return NULL;
    }
    memory->reserved += (size_t)s.n * UNIT;
    vec_push(memory->mem, &memory->segments, s);
    return &vec_last(&memory->segments);
}

/* First unit of `want` free ones in [from, to), or `to`. */
static uint32_t search(const Segment *s, uint32_t from, uint32_t to, uint32_t want)
{
    uint32_t run = 0;
    for (uint32_t u = from; u < to; u++) {
        run = s->taken[u] ? 0 : run + 1;
        if (run == want)
            return u + 1 - want;
    }
    return to;
}

static bool find_room(Segment *s, uint32_t want, uint32_t *at)
{
    if (s->n - s->used < want)
        return false;
    uint32_t u = search(s, s->next, s->n, want);
    if (u == s->n && (u = search(s, 0, s->n, want)) == s->n)
        return false;
    *at = u;
    return true;
}

void *code_memory_place(CodeMemory *memory, const void *code, size_t size)
{
    if (size == 0 || size > UINT32_MAX / 2)
        return NULL;
    uint32_t want = (uint32_t)((size + UNIT - 1) / UNIT), at = 0;
    Segment *s = NULL;
    for (uint32_t i = memory->segments.n; i-- > 0 && !s;)
        if (find_room(&memory->segments.at[i], want, &at))
            s = &memory->segments.at[i];
    if (!s && !(s = new_segment(memory, want)))
        return NULL;
    memset(s->taken + at, 1, want);
    s->used += want;
    s->next = at + want;
    memory->used += (size_t)want * UNIT;
    memcpy(s->write + (size_t)at * UNIT, code, size);
    char *placed = (char *)s->execute + (size_t)at * UNIT;
    __builtin___clear_cache(placed, placed + size);
    return placed;
}

void code_memory_drop(CodeMemory *memory, void *placed, size_t size)
{
    if (!placed)
        return;
    uint32_t i = 0, units = (uint32_t)((size + UNIT - 1) / UNIT);
    uintptr_t p = (uintptr_t)placed;
    while (p - (uintptr_t)memory->segments.at[i].execute >= (size_t)memory->segments.at[i].n * UNIT)
        i++;
    Segment *s = &memory->segments.at[i];
    memset(s->taken + (p - (uintptr_t)s->execute) / UNIT, 0, units);
    s->used -= units;
    memory->used -= (size_t)units * UNIT;
    if (s->used == 0 && memory->segments.n > 1) {
        release(memory, s);
        *s = vec_last(&memory->segments);
        memory->segments.n--;
    }
}

size_t code_memory_used(const CodeMemory *memory)
{
    return memory->used;
}

size_t code_memory_reserved(const CodeMemory *memory)
{
    return memory->reserved;
}
