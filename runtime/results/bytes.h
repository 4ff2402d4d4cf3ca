/* bytes.h: numbers <-> little-endian bytes, whatever the machine. */
#ifndef RUNTIME_BYTES_H
#define RUNTIME_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void put_u32(uint8_t *to, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(x >> (8 * i));
}

static inline void put_u64(uint8_t *to, uint64_t x)
{
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(x >> (8 * i));
}

static inline void put_f64(uint8_t *to, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_u64(to, bits);
}

static inline uint32_t get_u32(const uint8_t *from)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x |= (uint32_t)from[i] << (8 * i);
    return x;
}

static inline uint64_t get_u64(const uint8_t *from)
{
    return get_u32(from) | (uint64_t)get_u32(from + 4) << 32;
}

static inline double get_f64(const uint8_t *from)
{
    uint64_t bits = get_u64(from);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
