/* integrators.h: the methods that there are. Private to runtime/. */
#ifndef RUNTIME_SOLVE_INTEGRATORS_H
#define RUNTIME_SOLVE_INTEGRATORS_H

#include "runtime/parts/integrator.h"

extern const Integrator clock_integrator, ida_integrator, rk_integrator, euler_integrator,
    rodas_integrator, inline_integrator;

extern const Integrator *const integrators[PART_METHODS];

void integrators_close(Sim *sim); /* what all drivers of a simulation share */

#endif
