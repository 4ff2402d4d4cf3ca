/* map.h: hash table from 64-bit keys to 32-bit values (open addressing, linear probing).
 * A value of 0 means "absent", so values are stored by callers as ids that start at 1. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/mem.h"

typedef struct MapSlot {
    uint64_t key;
    uint32_t value; /* 0: empty slot */
} MapSlot;

typedef struct Map {
    MapSlot *slot;
    uint32_t n;
    uint32_t mask; /* number of slots - 1, or 0 when there are none */
} Map;

uint32_t map_get(const Map *map, uint64_t key); /* 0 when absent */
void map_put(Mem *mem, Map *map, uint64_t key, uint32_t value);
void map_remove(Map *map, uint64_t key);
void map_free(Mem *mem, Map *map);

uint64_t hash_u64(uint64_t x);
uint64_t hash_bytes(const void *bytes, size_t n, uint64_t seed);

#endif
