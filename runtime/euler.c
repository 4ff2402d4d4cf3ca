/* euler.c: forward Euler with a fixed step, as Solsim integrated (thesis 11.1).
 *
 * Everything happens at grid points t0 + k*h: states move, all that varies is evaluated, conditions
 * are looked at; a change is an event at the first grid point that shows it. No step is cut.
 */
#include "runtime/sim_int.h"

#include <math.h>

static void move_states(Sim *sim, double h)
{
    double *next = sim->euler_next.at;
    for (uint32_t i = 0; i < sim->states.n; i++)
        next[i] = sim->value[sim->states.at[i].var] + h * sim->value[sim->states.at[i].slope];
    for (uint32_t i = 0; i < sim->states.n; i++)
        sim->value[sim->states.at[i].var] = next[i];
}

static SolStatus step(Sim *sim, double time)
{
    double h = time - sim->time, begin = timer_now();
    vec_reserve(sim->mem, &sim->euler_next, sim->states.n + 1);
    move_states(sim, h);
    sim->time = sim->value[sim->clock] = time;
    event_forget_ties(sim);
    sim->counts.steps++;
    sim->counts.time_euler += h;
    sim->break_ties = true;
    SolStatus status = evaluate_list(sim, &sim->dynamics);
    if (status == SOL_OK)
        status = evaluate_list(sim, &sim->conditions);
    sim->break_ties = false;
    sim->counts.residuals++;
    sim->counts.integrate += timer_now() - begin;
    return status;
}

static SolStatus settle_point(Sim *sim, bool *happened)
{
    bool event = event_conditions_changed(sim, NULL) || event_next_sample(sim) <= sim->time;
    event |= parts_advise(sim);
    bool output = sim->time >= sim->next_output;
    SolStatus status = SOL_OK;
    *happened = event;
    if (event || output)
        status = evaluate_list(sim, &sim->outputs);
    if (status == SOL_OK && output && !event)
        status = sim_point(sim, SOL_AT_POINT);
    if (status == SOL_OK && event) {
        status = sim_event(sim);
        sim_event_done(sim, 0);
        parts_refresh(sim);
    }
    return status;
}

SolStatus euler_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened)
{
    double h = sim->opt.step;
    parts_refresh(sim);
    for (;;) {
        double time = sim->opt.start + (double)(sim->grid + 1) * h;
        if (time > stop + 1e-9 * h)
            return SOL_OK;
        sim->grid++;
        SolStatus status = step(sim, time);
        if (status == SOL_OK)
            status = settle_point(sim, happened);
        if (status == SOL_OK && atomic_load(&sim->cancel))
            status = SOL_CANCELLED;
        if (status != SOL_OK || one_step || (to_event && *happened))
            return status;
    }
}
