/* state_choice.h: a level of the DDP and values -> which of its variables should be states. */
#ifndef RUNTIME_SOLVE_STATE_CHOICE_H
#define RUNTIME_SOLVE_STATE_CHOICE_H

#include "base/map.h"
#include "runtime/solve/solve.h"

/* By how much a variable that is computed may move while a state moves, each in its own unit,
 * before the two change places; for states that the modeller prefers apart. */
typedef struct ChoiceBounds {
    double far, preferred;
    bool insist; /* also on advice that was given before, and is not followed */
    bool
        on_the_way; /* neither at the start nor in an event: candidates are marked (ValueInfo.exchanged) */
} ChoiceBounds;

/* Looks at the level of `var`, with the present values; true: the DDP was advised to choose other
 * states, and follows at the next commit. Levels whose variables are in `seen` are passed over;
 * those looked at are entered. */
bool state_choice_examine(Sim *sim, DdpVar var, const ChoiceBounds *bounds, Map *seen);

/* Marks what may become a state on the way, or cease to be one, unless the modeller prefers it: the candidates of the level of `var`. */
void state_choice_mark(Sim *sim, DdpVar var, Map *seen);

/* How large a variable is, by the largest value and the largest speed of it that were noted: `period` is
 * the least of the periods of those that are compared, the time in which one moves by its size. */
void size_note(Sim *sim, DdpVar var);
double size_period(const Sim *sim, DdpVar var);
double size_of(const Sim *sim, DdpVar var, double period);

#endif
