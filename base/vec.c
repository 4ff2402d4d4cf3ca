/* vec.c: a full array -> a larger one. See vec.h. */
#include "base/vec.h"

void *vec_grow(Mem *mem, void *at, uint32_t need, uint32_t *cap, size_t element)
{
    uint64_t room = *cap ? *cap + (uint64_t)*cap / 2 : 8;
    if (room < need)
        room = need;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    at = mem_resize(mem, at, room * element);
    *cap = (uint32_t)room;
    return at;
}
