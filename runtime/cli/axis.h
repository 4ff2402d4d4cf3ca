/* axis.h: a span of values -> round numbers to write beside an axis. */
#ifndef RUNTIME_CLI_AXIS_H
#define RUNTIME_CLI_AXIS_H

#include <stddef.h>
#include <stdint.h>

typedef struct Axis {
    double low, high; /* what the axis shows */
    double step;      /* ticks are the multiples of it between low and high */
    int64_t first;    /* the first of them */
    uint32_t ticks;
} Axis;

/* About `wanted` ticks. A span that is empty gets some room around its value; `round`: low and high
 * move outwards so that curves do not touch the frame. */
Axis axis_make(double low, double high, uint32_t wanted, int round);
double axis_tick(const Axis *axis, uint32_t index);
void axis_label(const Axis *axis, uint32_t index, char *out, size_t size);

#endif
