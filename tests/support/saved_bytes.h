/* saved_bytes.h: a simulation -> what sol_save() writes of it, in memory. */
#ifndef TESTS_SAVED_BYTES_H
#define TESTS_SAVED_BYTES_H

#include "runtime/solstice.h"

#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
    uint8_t *at;
    size_t n, read;
} Bytes;

static inline bool put(void *context, const void *bytes, size_t n)
{
    Bytes *b = context;
    b->at = realloc(b->at, b->n + n);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

#endif
