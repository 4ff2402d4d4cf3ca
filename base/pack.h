/* pack.h: structures <-> a block of bytes, described once for both directions.
 *
 *     static void pack_point(Pack *p, Point *point)
 *     {
 *         PACK(p, point->x);
 *         PACK_BIT(p, point->marked);      a bit-field, or a bool
 *         PACK_LIST(p, &point->names);     a VEC of elements without pointers and padding
 *     }
 *
 * Whoever writes appends the fields to the block, whoever reads fills them from it. A block that
 * ends too early, or says what cannot be, makes `bad`: from then on all that is read is 0. Fields
 * are written as the machine has them, so a block is for the same program on the same kind of
 * machine; whoever stores one keeps a mark of both beside it. */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include "base/map.h"
#include "base/vec.h"

#include <string.h>

typedef struct Pack Pack;

struct Pack {
    Mem *mem;
    uint8_t *bytes;
    size_t n;  /* bytes that there are */
    size_t at; /* reading: of these, read */
    size_t room;
    bool writing, bad;
};

void pack_room(Pack *pack, size_t n); /* for n more bytes */
void pack_free(Pack *pack);

static inline void pack_bytes(Pack *pack, void *bytes, size_t n)
{
    if (pack->writing) {
        if (pack->room - pack->n < n)
            pack_room(pack, n);
        memcpy(pack->bytes + pack->n, bytes, n);
        pack->n += n;
    } else if (pack->bad || pack->n - pack->at < n) {
        pack->bad = true;
        memset(bytes, 0, n);
    } else {
        memcpy(bytes, pack->bytes + pack->at, n);
        pack->at += n;
    }
}

/* How many elements there are: `here`, or as it was written. Each takes at least `least` bytes, so
 * that a number that is wrong asks for no more memory than the block has. */
uint32_t pack_count(Pack *pack, uint32_t here, size_t least);
void pack_same(Pack *pack, uint64_t here); /* a number that must be equal on both sides */
void pack_map(Pack *pack, Map *map);       /* ascending keys: the same map is the same bytes */

#define PACK(pack, x) pack_bytes((pack), &(x), sizeof(x))

#define PACK_BIT(pack, x)                                                                          \
    do {                                                                                           \
        uint8_t bit_ = (x);                                                                        \
        PACK(pack, bit_);                                                                          \
        (x) = bit_ != 0;                                                                           \
    } while (0)

/* The list gets its length, and when it is read, elements of 0. */
#define PACK_LENGTH(pack, list, least)                                                             \
    do {                                                                                           \
        uint32_t count_ = pack_count((pack), (list)->n, (least));                                  \
        if (!(pack)->writing) {                                                                    \
            vec_reserve((pack)->mem, (list), count_);                                              \
            if (count_)                                                                            \
                memset((list)->at, 0, count_ * sizeof *(list)->at);                                \
            (list)->n = count_;                                                                    \
        }                                                                                          \
    } while (0)

#define PACK_LIST(pack, list)                                                                      \
    do {                                                                                           \
        PACK_LENGTH(pack, list, sizeof *(list)->at);                                               \
        if ((list)->n)                                                                             \
            pack_bytes((pack), (list)->at, (list)->n * sizeof *(list)->at);                        \
    } while (0)

#endif
