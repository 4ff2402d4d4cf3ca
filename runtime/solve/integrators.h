/* integrators.h: the methods that there are. Private to runtime/. */
#ifndef RUNTIME_SOLVE_INTEGRATORS_H
#define RUNTIME_SOLVE_INTEGRATORS_H

#include "runtime/parts/integrator.h"

extern const Integrator clock_integrator, ida_integrator, rk_integrator, euler_integrator,
    rodas_integrator, inline_integrator, dae_integrator;

extern const Integrator *const integrators[PART_METHODS];

bool dae_wanted(Part *part); /* dae.c: it is to be integrated in dae form, and has one */

void integrators_close(Sim *sim); /* what all drivers of a simulation share */

#endif
