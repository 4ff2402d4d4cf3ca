/* integrators.c: the methods, one row each. */
#include "runtime/solve/integrators.h"
#include "runtime/solve/solve.h"

const Integrator *const integrators[PART_METHODS] = {
    [PART_CLOCK] = &clock_integrator,
    [PART_IDA] = &ida_integrator,
    [PART_RK] = &rk_integrator,
    [PART_EULER] = &euler_integrator,
};

void integrators_close(Sim *sim)
{
    for (int method = 0; sim->loop.integrators && method < PART_METHODS; method++)
        if (sim->loop.integrators[method]->close_all)
            sim->loop.integrators[method]->close_all(sim);
}
