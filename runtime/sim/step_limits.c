/* step_limits.c: eigenvalues -> the longest steps with which methods stay stable.
 *
 * With a step h a method multiplies what moves with the eigenvalue l by R(h l) (seed 004, stability analysis). What dies away must do so
 * in the computation: |R(h l)| <= 1 for each l left of the imaginary axis or on it; what grows sets no limit. Of backward differences
 * the regions of orders 3 to 5 leave out a sector beside the imaginary axis (Hairer and Wanner, Solving Ordinary Differential Equations
 * II, V.2): its angle says up to which order they are stable with any step.
 */
#include "runtime/solstice.h"

#include <complex.h>
#include <math.h>

/* 1 + z + .. + z^5/120 + z^6/600: Dormand and Prince. */
static double dormand_prince(double complex z)
{
    return cabs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + z / 5 * (1 + z / 5))))));
}

/* How far from 0 the method is stable in the direction of `to`, of size 1. */
static double reach(double complex to)
{
    static const double STEP = 1e-3, FAR = 10, ROUNDING = 1e-12;
    double in = 0, out = STEP;
    while (out < FAR && dormand_prince(out * to) <= 1 + ROUNDING) {
        in = out;
        out += STEP;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (in + out) / 2;
        if (dormand_prince(middle * to) <= 1 + ROUNDING)
            in = middle;
        else
            out = middle;
    }
    return in;
}

static uint32_t stable_order(double re, double im)
{
    static const double degrees[] = {51.84, 73.35, 86.03}; /* orders 5, 4, 3 */
    double angle = atan2(fabs(im), -re) * 180 / acos(-1.0);
    uint32_t order = 5;
    for (int i = 0; i < 3; i++)
        order -= angle > degrees[i];
    return order;
}

void sol_step_limits(const SolLinearized *of, SolStepLimits *to)
{
    *to = (SolStepLimits){INFINITY, INFINITY, 5};
    for (uint32_t i = 0; i < of->n; i++) {
        double re = of->re[i], im = of->im[i], size = hypot(re, im);
        if (size == 0 || re > 1e-12 * size)
            continue;
        to->euler = fmin(to->euler, fmax(0, -2 * re) / (size * size));
        to->rk = fmin(to->rk, reach((re + I * im) / size) / size);
        uint32_t order = stable_order(re, im);
        to->ida_order = order < to->ida_order ? order : to->ida_order;
    }
}
