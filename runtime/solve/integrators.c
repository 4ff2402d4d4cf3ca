/* integrators.c: the methods, one row each. */
#include "runtime/solve/integrators.h"
#include "runtime/solve/solve.h"

const Integrator *const integrators[PART_METHODS] = {
    [PART_CLOCK] = &clock_integrator, [PART_IDA] = &ida_integrator,
    [PART_RK] = &rk_integrator,       [PART_EULER] = &euler_integrator,
    [PART_RODAS] = &rodas_integrator, [PART_INLINE] = &inline_integrator,
    [PART_DAE] = &dae_integrator,
};

void integrators_close(Sim *sim)
{
    for (int method = 0; parts_integrator(sim, 0) && method < PART_METHODS; method++)
        if (parts_integrator(sim, method)->close_all)
            parts_integrator(sim, method)->close_all(sim);
    vec_free(sim->mem, &sim->solve.differentiated);
    vec_free(sim->mem, &sim->solve.unexamined);
    vec_free(sim->mem, &sim->solve.constant);
    vec_free(sim->mem, &sim->solve.moved);
    known_steps_forget(sim);
}
