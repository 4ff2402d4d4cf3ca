/* clock.c: a part without states -> time goes on, so that its comparisons of the clock are looked at. */
#include "runtime/solve/solve.h"
#include "runtime/eval/compare.h"
#include "runtime/solve/integrators.h"

#include <math.h>

static SolStatus clock_start(Part *part)
{
    (void)part;
    return SOL_OK;
}

static SolStatus clock_step(Part *part, double limit)
{
    part->back = part->now;
    part->now = fmin(part->now + compare_look(part->sim), limit);
    return SOL_OK;
}

static void clock_at(Part *part, double time)
{
    (void)part, (void)time;
}

static const double *clock_unknowns(Part *part, double time)
{
    (void)part, (void)time;
    return NULL;
}

const Integrator clock_integrator = {.name = "clock",
                                     .start = clock_start,
                                     .step = clock_step,
                                     .at = clock_at,
                                     .unknowns = clock_unknowns};
