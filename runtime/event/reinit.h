/* reinit.h: states that a `when` gives another value. Private to runtime/. */
#ifndef RUNTIME_EVENT_REINIT_H
#define RUNTIME_EVENT_REINIT_H

#include "runtime/event/event.h"

/* A statement `reinit(x, e)` comes with its `when`, or goes with it: then its state is due. */
void reinit_take(Sim *sim, const WorldChange *change);
/* At the end of an update in which a `when` acts: the values, of which some follow from `pre`. */
void reinit_note(Sim *sim);
/* Behind the `when`: states that are due have their values, as far as they are there. */
SolStatus reinit_give(Sim *sim);
/* When the structure is complete: an error for one that is no state and has another value. */
SolStatus reinit_finish(Sim *sim);

#endif
