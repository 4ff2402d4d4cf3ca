/* scale.h: a number -> the power of two that brings it between 1 and 2; the larger of two.
 *
 * Rows and columns of a matrix are scaled by powers of two because that rounds nothing.
 */
#ifndef NUMERICS_SCALE_H
#define NUMERICS_SCALE_H

#include <stdint.h>
#include <string.h>

/* Of 0, and of what is no number, a number all the same. Exponents end at 1000, so that no scale
 * leaves the range of numbers. */
static inline double scale_for(double size)
{
    enum { MOST = 1000 };
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    int exponent = 1023 - (int)(bits >> 52 & 0x7ff);
    exponent = size == 0 ? 0 : exponent > MOST ? MOST : exponent < -MOST ? -MOST : exponent;
    bits = (uint64_t)(exponent + 1023) << 52;
    memcpy(&size, &bits, sizeof size);
    return size;
}

/* The larger of both, `most` where the other one is no number: fmax without a call. */
static inline double larger(double most, double x)
{
    return x > most ? x : most;
}

#endif
