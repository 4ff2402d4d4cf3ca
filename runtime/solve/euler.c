/* euler.c: one part of the dynamics -> its trajectory by forward Euler, as Solsim integrated (thesis 11.1).
 *
 * Part.now is the last point of the grid (sim/grid_steps.c). Between two points the states lie on the straight line that
 * the step is.
 */
#include "runtime/solve/solve.h"
#include "runtime/eval/tape.h"
#include "runtime/solve/integrators.h"

/* [2 * states]: states, then slopes. They are ahead of Sim.value. */
static double *states_of(const Part *part)
{
    return part->driver[PART_EULER];
}

/* States as they are at `time`: at a grid point, or on the way from the last one. */
static void euler_at(Part *part, double time)
{
    Sim *sim = part->sim;
    const double *state = states_of(part), *slope = state + part->states.n;
    double way = time - part->now;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->value[part->states.at[i].var] = state[i] + (way > 0 ? way * slope[i] : 0);
}

static void take_slopes(Part *part)
{
    double *slope = states_of(part) + part->states.n;
    for (uint32_t i = 0; i < part->states.n; i++)
        slope[i] = part->sim->value[part->states.at[i].slope];
}

static void euler_close(Part *part)
{
    mem_free(part->sim->mem, part->driver[PART_EULER]);
    part->driver[PART_EULER] = NULL;
}

/* After an event that touched it: a phase begins. */
static SolStatus euler_start(Part *part)
{
    Sim *sim = part->sim;
    euler_close(part);
    double *state = part->driver[PART_EULER] =
        mem_alloc(sim->mem, (2 * part->states.n + 1) * sizeof *state);
    for (uint32_t i = 0; i < part->states.n; i++)
        state[i] = sim->value[part->states.at[i].var];
    part->fixed_steps = true;
    take_slopes(part);
    part_keep_loops(part);
    part_remember(part);
    return SOL_OK;
}

/* ---- one step ---- */

/* By the tape alone, as long as no comparison changes: then no condition does. What is at a
 * boundary of the clock, or watched for its choice of states, is evaluated in the open. */
static bool step_quietly(Part *part, double time)
{
    if (part->choice.constrained || time >= part->timed ||
        tape_look(part, time, states_of(part), &part->sim->solve.moved) != TAPE_QUIET)
        return false;
    tape_note_look(part, time);
    tape_last_slopes(part, states_of(part) + part->states.n);
    return true;
}

static SolStatus step_openly(Part *part)
{
    Sim *sim = part->sim;
    part->point_number = sim->point_number;
    part_put_loops(part);
    part_at(part, part->now);
    SolStatus status = part_evaluate_all(part, part->now, EVAL_EVENT);
    part_keep_loops(part);
    take_slopes(part);
    return status;
}

static SolStatus euler_step(Part *part, double limit)
{
    double h = limit - part->now, *state = states_of(part);
    part->back = part->now;
    part->now = limit;
    for (uint32_t i = 0; i < part->states.n; i++)
        state[i] += h * state[part->states.n + i];
    return step_quietly(part, limit) ? SOL_OK : step_openly(part);
}

static const double *euler_unknowns(Part *part, double time)
{
    euler_at(part, time);
    return NULL;
}

const Integrator euler_integrator = {.name = "euler",
                                     .start = euler_start,
                                     .step = euler_step,
                                     .at = euler_at,
                                     .unknowns = euler_unknowns,
                                     .close = euler_close};
