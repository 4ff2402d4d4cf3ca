/* audit.h: the values that a run shows against the relations as the modeller wrote them. Private to
 * runtime/.
 *
 * The violation of a relation is |left - right| over sum |d(left - right)/dx| * max(|x|, atol): the
 * smallest relative change of its variables that would satisfy it, to first order. A variable that a
 * loop determines counts as at least 1e-5 of the largest quantity in the loop, because rounding
 * there is relative to that. The values are put into the forms by x_value(), which shares nothing
 * with the code that found them, and derivatives are quotients of differences; relations of smooth forms are
 * evaluated together, with derivatives by their rules (audit_plain.h).
 *
 * A comparison, or a function that jumps, may have either value where its argument is within
 * rounding of its boundary, or moves there within the width of the search for events.
 *
 * The derivative of x is compared with the slope of the dense output of x, where that is smooth:
 * once in each step that an output point lies in, not in the first steps behind an event, nor in a step that
 * contains one, nor with fixed steps. What
 * is allowed is a multiple of the tolerance over the step, and what an error of the states by their
 * tolerance would do to the derivative.
 */
#ifndef RUNTIME_SIM_AUDIT_H
#define RUNTIME_SIM_AUDIT_H

#include "runtime/sim/sim.h"

typedef struct Audit Audit;

Audit *audit_open(Sim *sim); /* opt.audit is the bound */
void audit_close(Audit *audit);

/* At Sim.time, where `shown` [var] is what output shows of Sim.output.wanted, NULL: nothing. SOL_NUMERICS
 * with a message where a violation is beyond the bound. */
SolStatus audit_point(Audit *audit, SolSide side, const double *shown);

void audit_stats(const Audit *audit, SolAudit *stats);

#endif
