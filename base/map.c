/* map.c: keys -> values. See map.h. Removal shifts followers back, so no tombstones pile up. */
#include "base/map.h"

#include <string.h>

/* Apart from hash_u64(), which cannot be inlined in a shared library. */
static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t hash_u64(uint64_t x)
{
    return mix(x);
}

uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ 0x9e3779b97f4a7c15u;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = mix(h ^ word) + 0x9e3779b97f4a7c15u;
    }
    uint64_t tail = n;
    for (size_t i = 0; i < n; i++)
        tail |= (uint64_t)p[i] << (8 * (i + 1) % 64);
    return mix(h ^ tail);
}

static MapSlot *find(const Map *map, uint64_t key)
{
    uint32_t i = (uint32_t)mix(key) & map->mask;
    while (map->slot[i].value && map->slot[i].key != key)
        i = (i + 1) & map->mask;
    return &map->slot[i];
}

uint32_t map_get(const Map *map, uint64_t key)
{
    return map->slot ? find(map, key)->value : 0;
}

static void grow(Mem *mem, Map *map)
{
    Map larger = {.mask = map->mask ? map->mask * 2 + 1 : 15, .n = map->n};
    larger.slot = mem_alloc(mem, ((size_t)larger.mask + 1) * sizeof *larger.slot);
    for (uint32_t i = 0; map->slot && i <= map->mask; i++)
        if (map->slot[i].value)
            *find(&larger, map->slot[i].key) = map->slot[i];
    mem_free(mem, map->slot);
    *map = larger;
}

void map_put(Mem *mem, Map *map, uint64_t key, uint32_t value)
{
    if (!map->slot || map->n + 1 > map->mask - map->mask / 4)
        grow(mem, map);
    MapSlot *slot = find(map, key);
    if (!slot->value)
        map->n++;
    *slot = (MapSlot){key, value};
}

void map_remove(Map *map, uint64_t key)
{
    if (!map->slot)
        return;
    MapSlot *slot = find(map, key);
    if (!slot->value)
        return;
    uint32_t hole = (uint32_t)(slot - map->slot);
    for (uint32_t i = (hole + 1) & map->mask; map->slot[i].value; i = (i + 1) & map->mask) {
        uint32_t home = (uint32_t)mix(map->slot[i].key) & map->mask;
        if (((i - home) & map->mask) >= ((i - hole) & map->mask)) {
            map->slot[hole] = map->slot[i];
            hole = i;
        }
    }
    map->slot[hole].value = 0;
    map->n--;
}

void map_free(Mem *mem, Map *map)
{
    mem_free(mem, map->slot);
    *map = (Map){0};
}
