/* axis.c: a span of values -> round numbers to write beside an axis. See axis.h. */
#include "runtime/cli/axis.h"

#include <math.h>
#include <stdio.h>

/* The number of the form 1, 2 or 5 times a power of ten next above x. */
static double round_step(double x)
{
    double power = pow(10, floor(log10(x))), digit = x / power;
    double round = digit <= 1.0001 ? 1 : digit <= 2.0001 ? 2 : digit <= 5.0001 ? 5 : 10;
    return round * power;
}

Axis axis_make(double low, double high, uint32_t wanted, int round)
{
    if (!(low <= high)) { /* no value at all */
        low = 0;
        high = 1;
    }
    double around = fmax(fabs(low), fabs(high));
    if (high - low <= 1e-12 * around || high == low) {
        double room = around > 0 ? 0.1 * around : 1;
        low -= room;
        high += room;
    } else if (round) {
        double room = 0.05 * (high - low);
        low -= room;
        high += room;
    }
    Axis axis = {.low = low, .high = high};
    axis.step = round_step((high - low) / (wanted ? wanted : 1));
    axis.first = (int64_t)ceil(low / axis.step - 1e-9);
    axis.ticks = (uint32_t)(floor(high / axis.step + 1e-9) - (double)axis.first + 1);
    return axis;
}

double axis_tick(const Axis *axis, uint32_t index)
{
    return (double)(axis->first + (int64_t)index) * axis->step;
}

/* As many digits as tell neighbours apart, and no more. */
void axis_label(const Axis *axis, uint32_t index, char *out, size_t size)
{
    double value = axis_tick(axis, index);
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int decimals = (int)fmax(0, ceil(-log10(axis->step) - 1e-9));
    if (largest >= 1e6 || axis->step < 1e-5)
        snprintf(out, size, "%.*g", (int)fmax(1, ceil(log10(largest / axis->step) + 1)), value);
    else
        snprintf(out, size, "%.*f", decimals, value);
}
