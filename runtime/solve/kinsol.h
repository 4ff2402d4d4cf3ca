/* kinsol.h: equations and a first guess -> a solution, by KINSOL's Newton iteration with its line search. Private to runtime/. */
#ifndef RUNTIME_SOLVE_KINSOL_H
#define RUNTIME_SOLVE_KINSOL_H

#include "numerics/way.h"

/* x: first guess -> solution. Of the way only its end is looked at, where t = 1. */
bool kinsol_solve(const WaySystem *system, double *x);

#endif
