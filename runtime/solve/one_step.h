/* one_step.h: what one-step methods (rk, rodas, inline) share: the size of errors, the first step, the step behind an event. Private to
 * solve/. */
#ifndef SOLSTICE_ONE_STEP_H
#define SOLSTICE_ONE_STEP_H

#include "runtime/solve/solve.h"

#include <math.h>

/* The error that is allowed of state i, which goes from a to b. */
static inline double one_step_weight(const Part *part, uint32_t i, double a, double b)
{
    return part_allowed(part, i, fmax(fabs(a), fabs(b)));
}

/* The mean size of the errors of all states on the way from y to next; above 1 is too much. */
double one_step_norm(const Part *part, const double *error, const double *y, const double *next);

/* A first step whose change is a small part of what the tolerance and the values make of it. */
double one_step_first(const Part *part, const double *y, const double *slope);

/* The step with which a part starts: as before the event, if there was one and that is not so long, beside `first`, that it might
 * hide what is new. */
double one_step_begin(const Part *part, double first);

/* The step that fitted behind the decisions of this event when they were taken last; 0: not known. The part starts. */
double known_step(Part *part);
void known_step_note(Part *part, double h); /* the first step fitted; one of h would have done */

/* The state that changes fastest; a slope that is no number counts as that. */
uint32_t one_step_fastest(const Part *part, const double *y, const double *slope);

/* part_slopes; where they have no value it is remembered which node failed. */
int one_step_slopes(Part *part, double time, const double *y, double *slope);

#endif
