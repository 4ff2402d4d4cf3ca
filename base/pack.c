/* pack.c: structures <-> a block of bytes. See pack.h. */
#include "base/pack.h"

#include <stdlib.h>

void pack_room(Pack *pack, size_t n)
{
    size_t room = pack->room + pack->room / 2 + 4096;
    if (room < pack->n + n)
        room = pack->n + n;
    pack->bytes = mem_resize(pack->mem, pack->bytes, room);
    pack->room = room;
}

void pack_free(Pack *pack)
{
    mem_free(pack->mem, pack->bytes);
    *pack = (Pack){.mem = pack->mem};
}

uint32_t pack_count(Pack *pack, uint32_t here, size_t least)
{
    PACK(pack, here);
    if (!pack->writing && here > (pack->n - pack->at) / least) {
        pack->bad = true;
        return 0;
    }
    return here;
}

void pack_same(Pack *pack, uint64_t here)
{
    uint64_t there = here;
    PACK(pack, there);
    pack->bad |= there != here;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const MapSlot *)a)->key, y = ((const MapSlot *)b)->key;
    return (x > y) - (x < y);
}

static void write_map(Pack *pack, const Map *map)
{
    VEC(MapSlot) list = {0};
    for (uint32_t i = 0; map->n && i <= map->mask; i++)
        if (map->slot[i].value)
            vec_push(pack->mem, &list, map->slot[i]);
    if (list.n > 1)
        qsort(list.at, list.n, sizeof *list.at, by_key);
    for (uint32_t i = 0; i < list.n; i++) {
        PACK(pack, list.at[i].key);
        PACK(pack, list.at[i].value);
    }
    vec_free(pack->mem, &list);
}

void pack_map(Pack *pack, Map *map)
{
    uint32_t n = pack_count(pack, map->n, sizeof(uint64_t) + sizeof(uint32_t));
    if (pack->writing) {
        write_map(pack, map);
        return;
    }
    map_free(pack->mem, map);
    for (uint32_t i = 0; i < n; i++) {
        MapSlot slot = {0};
        PACK(pack, slot.key);
        PACK(pack, slot.value);
        map_put(pack->mem, map, slot.key, slot.value);
    }
}
