/* prefetch.c: memory that a step of a part reads -> fetched before its turn. */
#include "runtime/eval/eval.h"

#include <stddef.h>

/* Up to how many lines; a part with more is busy for so long that it does not matter. */
enum { LINE = 64, MEMORY_LINES = 64 };

void part_prefetch_note(Part *part, int which, const void *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at / LINE, last = ((uintptr_t)at + bytes + LINE - 1) / LINE;
    bool few = bytes && last - first <= MEMORY_LINES;
    part->memory[which] = (PartMemory){at, few ? (uint32_t)(last - first) : 0};
}

static void fetch_lines(const void *at, size_t lines)
{
    for (size_t k = 0; k < lines; k++)
        __builtin_prefetch((const char *)at + k * LINE);
}

void part_prefetch_head(const Part *part)
{
    fetch_lines(part, offsetof(Part, index) / LINE + 1);
}

void part_prefetch(const Part *part, int first, int last)
{
    if (first == 0)
        fetch_lines(&part->index, (offsetof(Part, order) - offsetof(Part, index)) / LINE + 1);
    for (int i = first; i <= last; i++)
        fetch_lines(part->memory[i].at, part->memory[i].lines);
}
