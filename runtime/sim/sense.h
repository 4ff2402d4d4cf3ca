/* sense.h: d(variable)/d(parameter) along a run. Private to runtime/.
 *
 * Between events the derivatives of the states are integrated beside them: s' = (df/dx) s + df/dp, with tangents through the
 * schedule at the dense output of the states (sense_flow.c). Where the equations change by an event, and at the start, two
 * copies of the simulation with the parameter a little larger and a little smaller go through it, and the derivatives behind
 * it are their difference (sense_jump.c): whatever an event does, jumps, impulses, births, other states, and that it comes
 * earlier or later. Where the copies do not end alike the derivative does not exist; it is told, and is no number from there on.
 *
 * The errors of the states decide on the steps, as without this; the derivatives divide them where they need shorter ones.
 */
#ifndef RUNTIME_SIM_SENSE_H
#define RUNTIME_SIM_SENSE_H

#include "runtime/sim/sim.h"

typedef struct Sense Sense;

/* What copies of a simulation are made of and run by. */
typedef struct SenseHost {
    Sim *(*like)(const Sim *sim, const SolOptions *options); /* NULL: no memory */
    void (*close)(Sim *copy);                                /* NULL is fine */
    SolStatus (*start)(Sim *copy);
    SolStatus (*peek)(Sim *sim, Pack *pack); /* it as it stands, and into one that is like it */
    SolStatus (*restore)(Sim *copy, Pack *pack);
    SolStatus (*event)(Sim *copy); /* something was written */
    SolStatus (*run)(Sim *copy, double stop, bool to_event, bool one_step, bool *happened);
    SolStatus (*exhausted)(Sim *sim);
} SenseHost;

Sense *sense_open(Sim *sim, const SenseHost *host); /* of opt.sensitivities */
void sense_close(Sense *sense);                     /* NULL is fine */

/* All of these do nothing where `sense` is NULL. */
SolStatus sense_start(
    Sense *sense); /* after the updates at the start. SOL_USAGE: such a parameter is not there */
SolStatus sense_reach(Sense *sense,
                      double time); /* all parts reach so far, and there is no event before */
SolStatus sense_before(Sense *sense, double event); /* at the end of what is smooth */
void sense_due(Sense *sense);                       /* the parts whose event it is are known */
SolStatus sense_after(Sense *sense);                /* its updates are done */
SolStatus sense_point(Sense *sense);                /* derivatives of all variables at Sim.time */

double sense_of(const Sense *sense, uint32_t parameter,
                DdpVar var); /* at the last point; NaN: none */

#endif
