/* value_check.h: infinite values, and what is no number, where somebody can see them. Private to runtime/. */
#ifndef RUNTIME_SIM_VALUE_CHECK_H
#define RUNTIME_SIM_VALUE_CHECK_H

#include "runtime/sim/sim.h"

/* At a point: an error if a variable that output wants has no value, or one that the updates since the last point
 * evaluated. `partly`: only what the event touched is at Sim.time. */
SolStatus value_check(Sim *sim, bool partly);

#endif
