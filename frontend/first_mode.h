/* first_mode.h: a definition -> its instances in the first mode, as far as they can be told without
 * solving loops or integrating.
 *
 * The start of a simulation in miniature, for `flat`, `check --instantiate` and tests: values are
 * computed by x_value() along the schedule, `if`s are chosen as soon as their condition is known,
 * `when`s take their else branch. What hangs on a loop stays unknown, and `if`s on it undecided. */
#ifndef FRONTEND_FIRST_MODE_H
#define FRONTEND_FIRST_MODE_H

#include "frontend/world.h"

typedef struct FirstMode FirstMode;

/* Opens forms, DDP and World of its own. NULL when out of memory (with a message). Without limits, or
 * with a depth of 0, instances are nested 4000 deep at most. */
FirstMode *first_mode_open(Mem *mem, Program *program, const WorldLimits *limits);
void first_mode_close(FirstMode *mode);
World *first_mode_world(FirstMode *mode);
Ddp *first_mode_ddp(FirstMode *mode);
FormTable *first_mode_forms(FirstMode *mode);

/* Creates `top` and takes branches until nothing more can be decided; false when there were errors.
 */
bool first_mode_run(FirstMode *mode, Def *top);
/* Goes on after decisions of the caller: evaluates, and decides newborn branches. */
bool first_mode_settle(FirstMode *mode);
/* The last commit, which is final when all branches are decided. */
DdpResult first_mode_result(const FirstMode *mode);
/* False while the value is not known. */
bool first_mode_value(const FirstMode *mode, DdpVar var, double *value);

#endif
