/* implicit.h: an `if` whose condition depends on what its branches say -> may it be solved together with them?
 *
 * `off = s < 0; if off then v = s; i = 0; else then v = 0; i = s; end` is one equation of two pieces: nothing decides it before one
 * of the pieces is there. Such an `if` gets a branch to begin with (birth.c), and its content does not come after its condition;
 * whoever evaluates it exchanges the branch until both agree (runtime/event/implicit.c). */
#ifndef FRONTEND_IMPLICIT_H
#define FRONTEND_IMPLICIT_H

#include "frontend/world.h"

/* It has two branches, they hold nothing but equations, and no Real variable that its condition reads is
 * differentiated in one of them and not in the other: its value would go on in the one and not in the other (thesis, listing 5.9). */
bool implicit_fits(World *world, BranchId id);

#endif
