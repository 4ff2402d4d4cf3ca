/* made_up.h: a number -> a system of differential-algebraic equations whose solution was chosen
 * first.
 *
 * Every variable gets a smooth trajectory. Every equation is a random expression of the variables,
 * set equal to itself with the trajectories in their places, so that the trajectories solve the
 * system whatever the expressions are; these are such that nothing else does: a variable of its own
 * dominates each equation, derivatives are damped, constraints have gradients away from zero. There
 * are equations of index 0 to 3, loops, and branches whose two sides are both solved by the
 * trajectories, some with other states than the other side.
 */
#ifndef TESTS_SUPPORT_MADE_UP_H
#define TESTS_SUPPORT_MADE_UP_H

#include <stdint.h>

enum { MADE_UP_VARS = 48 };

/* a + b*sin(w*t + p) + c*t */
typedef struct Track {
    double a, b, w, p, c;
} Track;

typedef struct MadeUp {
    uint32_t n;                   /* variables v0, v1, ... of the model M */
    Track track[MADE_UP_VARS];    /* their trajectories */
    uint32_t order[MADE_UP_VARS]; /* 0: the track itself, 1, 2: its derivative */
    uint32_t n_switches, index;   /* branches; the highest index there is */
    char text[32768];
} MadeUp;

void made_up_random(MadeUp *system, uint64_t seed);
double made_up_value(const MadeUp *system, uint32_t var, double time);

#endif
