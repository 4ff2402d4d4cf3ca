/* way.h: equations f(x, t) = 0 and a point that satisfies them at t = 0 -> one near those at t = 1, along the way between them.
 */
#ifndef NUMERICS_WAY_H
#define NUMERICS_WAY_H

#include "base/mem.h"

typedef struct WaySystem {
    uint32_t n;
    void *context;
    const double *unit; /* [n]: by how much each x moves while t goes from 0 to 1 */
    /* f at a point; false: it has no value there. */
    bool (*value)(void *context, const double *x, double t, double *f);
    /* Factors of the derivatives by x where f was evaluated last; false: there are none. */
    bool (*factor)(void *context);
    void (*solve)(void *context, double *b); /* with them, in place */
} WaySystem;

/* x: where it begins, and where it came to: at t = 1 by a straight line between the last two points, to be polished by the
 * caller. False: the way ends, or goes back to where it came from. */
bool way_follow(Mem *mem, const WaySystem *way, double *x);

#endif
