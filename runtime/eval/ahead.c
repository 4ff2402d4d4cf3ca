/* ahead.c: memory that a step of a part reads -> asked for before its turn. */
#include "runtime/eval/eval.h"

#include <stddef.h>

/* Up to how many lines; a part with more is busy for so long that it does not matter. */
enum { LINE = 64, SPOT_LINES = 64 };

void part_spot(Part *part, int spot, const void *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at / LINE, last = ((uintptr_t)at + bytes + LINE - 1) / LINE;
    bool few = bytes && last - first <= SPOT_LINES;
    part->spot[spot] = (PartSpot){at, few ? (uint32_t)(last - first) : 0};
}

static void ask(const void *at, size_t lines)
{
    for (size_t k = 0; k < lines; k++)
        __builtin_prefetch((const char *)at + k * LINE);
}

void part_ask_head(const Part *part)
{
    ask(part, offsetof(Part, index) / LINE + 1);
}

void part_ask(const Part *part, int first, int last)
{
    if (first == 0)
        ask(&part->index, (offsetof(Part, timers) - offsetof(Part, index)) / LINE + 1);
    for (int i = first; i <= last; i++)
        ask(part->spot[i].at, part->spot[i].lines);
}
