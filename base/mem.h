/* mem.h: all memory of one session, owned in one place.
 *
 * Every allocation belongs to a Mem. mem_close() frees whatever is left, so a session that ends
 * early (an error, memory exhausted) leaks nothing. When memory runs out, control returns to the
 * innermost guard: an entry point of a layer sets one, everything below it simply allocates.
 * There is no global state; a Mem is used by one thread at a time.
 *
 *     MemGuard guard;
 *     mem_guard_push(mem, &guard);
 *     if (setjmp(guard.env) == 0) {
 *         ... work ...
 *         mem_guard_pop(mem, &guard);
 *     } else {
 *         ... out of memory: report, let mem_close() clean up ...   (the guard is popped already)
 *     }
 *
 * Lifetimes: `mem` for what lives as long as the session, an Arena for what dies together.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Mem Mem;

typedef struct MemGuard {
    jmp_buf env;
    struct MemGuard *outer;
} MemGuard;

Mem *mem_open(void); /* NULL when there is no memory at all */
void mem_close(Mem *mem);

void *mem_alloc(Mem *mem, size_t size);             /* zeroed; never NULL */
void *mem_resize(Mem *mem, void *old, size_t size); /* what is added is not zeroed */
void mem_free(Mem *mem, void *p);                   /* NULL is fine */

/* As if an allocation had failed: for what others allocate on their own, and could not. */
_Noreturn void mem_exhausted(Mem *mem);

void mem_guard_push(Mem *mem, MemGuard *guard);
void mem_guard_pop(Mem *mem, MemGuard *guard);

size_t mem_used(const Mem *mem); /* bytes in use now */
size_t mem_peak(const Mem *mem);
void mem_limit(Mem *mem, size_t bytes); /* more than this counts as exhausted; 0: no limit */

/* Fault injection: the n-th allocation from now on fails (1 is the next one), once; 0: never. While
 * one is to come, every object of an arena is an allocation of its own, so each can be the one. */
void mem_fail_at(Mem *mem, uint64_t n);
uint64_t mem_count(const Mem *mem); /* allocations so far */

/* ---- arenas: objects that die together ---- */

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    Mem *mem;
    ArenaChunk *last;
    size_t left; /* bytes free at the end of `last` */
    size_t used; /* bytes handed out */
} Arena;

void arena_init(Arena *arena, Mem *mem);
void *arena_alloc(Arena *arena, size_t size); /* zeroed, aligned for any object */
char *arena_copy(Arena *arena, const char *text, size_t length); /* NUL-terminated copy */
void arena_free(Arena *arena);                                   /* empty again, usable again */

#endif
