/* trail.h: what an event changes -> as it was when the event began.
 *
 * Held variables, truths of `when`s, and values of what was a state: the rest follows from them. The structure
 * follows too, in the updates after held variables have their values back, so states get theirs when it is there. What
 * was born goes again, and what only computes something may die: it comes back with its branch. What remembers something and died does
 * not (held variables, states, parameters, `when`s, samples), nor do draws, and moves stay: then there is no return. Who goes back
 * is mode_search.c. */
#ifndef RUNTIME_EVENT_TRAIL_H
#define RUNTIME_EVENT_TRAIL_H

#include "runtime/event/event.h"

void trail_begin(Sim *sim); /* an event begins */
void trail_close(Sim *sim);
void trail_held(Sim *sim, DdpVar var, double before);
void trail_truth(Sim *sim, BranchId branch, bool before);
void trail_state(Sim *sim, DdpVar var);        /* about to be no state */
void trail_begun(Sim *sim, DdpVar var);        /* about to be one */
void trail_change(Sim *sim);                   /* something was born */
void trail_break(Sim *sim);                    /* something that does not come back */
void trail_died(Sim *sim, DdpVar var);         /* about to */
bool trail_is_old(const Sim *sim, DdpVar var); /* it was there when the event began */

/* In this update: the value that a variable had before it changes, and states that begin at a start value (impulse.c). */
void trail_before(Sim *sim, DdpVar var, double before);
void trail_started(Sim *sim, DdpVar var);
void trail_end_update(Sim *sim);

bool trail_is_whole(const Sim *sim); /* a return is possible */
/* And nothing was born or died, and no `when` gave what moves an impulse. Else rounds go on from where they are, as long as they
 * can be solved. */
bool trail_leads_back(const Sim *sim);
/* Has the i-th of what was a state another value, beyond the tolerance? */
bool trail_jumped(Sim *sim, uint32_t i);
/* When the event is over: a warning for each that the new structure binds at another value, without an impulse. */
void trail_warn_jumps(Sim *sim);
/* Index + 1 of the first entry of a state that is bound at another value now; 0: it is not. */
uint32_t trail_bound(Sim *sim, DdpVar var);

#endif
