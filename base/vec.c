/* vec.c: a full array -> a larger one. See vec.h. */
#include "base/vec.h"

enum { LARGE = 1 << 20 };

void *vec_grow(Mem *mem, void *at, uint32_t need, uint32_t *cap, size_t element)
{
    /* large arrays move by remapping pages, so small steps cost little and waste less */
    uint64_t share = *cap * element > LARGE ? 8 : 2;
    uint64_t room = *cap ? *cap + *cap / share : 8;
    if (room < need)
        room = need;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    at = mem_resize(mem, at, room * element);
    *cap = (uint32_t)room;
    return at;
}
