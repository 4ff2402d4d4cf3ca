/* looks.c: how far apart the looks at comparisons are that the clock drives. See looks.h.
 *
 * What the clock alone drives is also known in between (event/clock_change.c); this is for what states or loops have a part
 * in. What states drive is as smooth as the integrator's steps are long. Of what the clock drives it knows nothing where no state
 * follows it: a step is as long as an output interval then, or longer, and a voltage of 50 Hz goes up and down in it many
 * times while no diode conducts. So looks are spaced as an integrator spaces its steps. Behind an event the first ones lie close;
 * each may be GROWTH times as far from the one before as that was; and a look whose differences are not about what the last
 * two looks led to expect, by a straight line, is taken back for a nearer one. A sine is looked at some ten times in a period.
 */
#include "runtime/eval/looks.h"

#include <float.h>
#include <math.h>

enum { PATIENCE = 16 };

static const double FIRST = 1e-6;   /* of a piece */
static const double GROWTH = 8;     /* from look to look */
static const double EXPECTED = 0.5; /* of the swing of a difference */
static const double FADING = 0.9;   /* of the swing, from look to look, */
static const double ALIKE = 2;      /* as far apart; further away a pole is no measure */
static const double ENOUGH = 1.25;  /* of a distance: no look for what is left */
static const double SMALL =
    1e-6; /* of a difference, and that of its nominal value: rounding, and no swing */

void looks_begin(PartLooks *looks, double from, double piece)
{
    double least = 64 * DBL_EPSILON * fmax(fabs(from), piece);
    looks->least = fmax(least, FIRST / GROWTH * piece);
    if (looks->at[1] == from && looks->gap > 0)
        return;
    looks->at[0] = looks->at[1] = from;
    looks->gap = fmax(least, FIRST * piece);
}

double looks_next(const PartLooks *looks, double end)
{
    double at = looks->at[1] + looks->gap;
    return looks->at[1] + ENOUGH * looks->gap < end ? at : end;
}

double looks_surprise(const PartLooks *looks, double at, LookBack back, double now)
{
    double before = looks->at[1] - looks->at[0];
    double expected = back.low + (back.low - back.lower) / before * (at - looks->at[1]);
    double size = fmax(fabs(back.lower), fmax(fabs(back.low), fabs(now)));
    double swing =
        fmax(back.swing, fabs(now - back.low)) + SMALL * fmax(size, SMALL * back.nominal);
    double surprise = fabs(now - expected) / swing;
    return before > 0 && isfinite(surprise) ? surprise : 0;
}

double looks_swing(const PartLooks *looks, double at, LookBack back, double now)
{
    bool alike = at - looks->at[1] <= ALIKE * (looks->at[1] - looks->at[0]);
    return fmax(alike ? FADING * back.swing : 0, fabs(now - back.low));
}

bool looks_too_far(PartLooks *looks, double at, double surprise)
{
    double gap = at - looks->at[1];
    /* A straight line misses by the square of the distance. */
    double change = surprise > 0 ? 0.8 * sqrt(EXPECTED / surprise) : GROWTH;
    bool expected = surprise <= EXPECTED;
    double nearer = fmax(looks->least, gap * fmax(0.1, fmin(0.7, change)));
    if (!expected && ENOUGH * nearer < gap && looks->jumps < PATIENCE) {
        looks->gap = nearer;
        return true;
    }
    looks->jumps += !expected; /* it jumps, or is noise: no distance is small enough */
    change = looks->jumps < PATIENCE ? fmin(GROWTH, fmax(0.2, change)) : GROWTH;
    looks->gap = fmax(gap < looks->gap ? looks->gap : 0, gap * change);
    return false;
}

void looks_accept(PartLooks *looks, double at)
{
    looks->at[0] = looks->at[1];
    looks->at[1] = at;
}
