/* method.c: how a part behaves -> which integrator it has, under `auto`.
 *
 * A part starts with the explicit Runge-Kutta pair, which has no start-up ramp and needs no
 * Jacobian, unless tearing variables are among its unknowns, which only IDA can take. Two tests
 * move it:
 *
 *   to IDA   After each step Runge-Kutta knows two slopes at the end of the step and the two points
 *            they belong to, so h times the dominant eigenvalue is known without evaluation. Near
 *            the border of the method's stability (3.3 for this pair) the step is held by stability
 *            and no more by the error: STIFF_STEPS such steps, not interrupted by FREE_STEPS others in a row,
 *            and the part is stiff (Hairer and Wanner, Solving Ordinary Differential Equations II,
 *            IV.2, as in DOPRI5). DOPRI5 takes 3.25; but the error grows before the border is
 *            reached, and with tight tolerances steps settle below it (2.66 at 1e-7 for a decay of
 *            1e5 per second behind a slow input, for 40,000 steps), so 2 is the limit here. What
 *            swings freely stays below 1. Steps that cannot be made small enough mean the same.
 *   back     Every LOOK_EVERY steps of IDA the spectral radius is estimated from the Jacobian that is
 *            there anyway. If Runge-Kutta could take steps twice as long without being held,
 *            EASY_LOOKS times in a row, it gets the part back. Each time a part turns out to be stiff
 *            again this takes twice as long.
 *
 * A stiff part has IDA where it goes on for long, and a one-step method (rodas.c) where events start it anew all the
 * time: after BRIEF_STARTS starts in a row with less than BRIEF_STEPS steps between them, until one time it takes
 * LONG_STEPS steps without. A step of it costs a Jacobian and six evaluations; what IDA takes to come back to its order
 * behind a start is some 30 steps with a dozen Jacobians.
 *
 * That a part is stiff is remembered by its states, so parts that an event makes anew, or that
 * merge, begin with what their states know; it is saved with the values. The change is made at the
 * begin of a step of the part that is furthest behind: nobody asks for values before that any more.
 */
#include "runtime/solve/solve.h"
#include "runtime/solve/integrators.h"

#include <math.h>

enum {
    STIFF_STEPS = 15,
    FREE_STEPS = 6,
    EASY_LOOKS = 3,
    LOOK_EVERY = 20,
    MOST_PATIENCE = 64,
    BRIEF_STARTS = 3,
    BRIEF_STEPS = 200,
    LONG_STEPS = 300,
    BRIEF_SIZE = 1000 /* states: beyond, a Jacobian for each step is too much */
};

static const double BORDER = 2; /* h times the eigenvalue */

static bool is_auto(const Part *part)
{
    return part->sim->opt.solver == SOL_SOLVER_AUTO && part->loops.n == 0;
}

static bool is_stiff(const Part *part)
{
    for (uint32_t i = 0; i < part->states.n; i++)
        if (part->sim->info[part->states.at[i].var].stiff)
            return true;
    return false;
}

void method_restarts(Part *part)
{
    uint64_t steps = part->counts.steps - part->counts.steps_at_restart;
    bool stiff = part->method == PART_IDA || part->method == PART_RODAS;
    if (!part->started || !stiff)
        return;
    part->trial.brief = steps < BRIEF_STEPS ? part->trial.brief + 1 : 0;
}

/* Of a stiff part. */
static PartMethod stiff_method(const Part *part)
{
    bool brief = is_auto(part) && part->trial.brief >= BRIEF_STARTS && part->n <= BRIEF_SIZE;
    return brief ? PART_RODAS : PART_IDA;
}

PartMethod method_of(Part *part)
{
    part->trial.change = false;
    part->trial.held = part->trial.free = part->trial.not_stiff = 0;
    if (part->n == 0)
        return PART_CLOCK;
    if (dae_wanted(part))
        return PART_DAE;
    if (part->sim->opt.solver == SOL_SOLVER_RK || (is_auto(part) && !is_stiff(part)))
        return PART_RK;
    if (part->sim->opt.solver == SOL_SOLVER_INLINE)
        return PART_INLINE;
    return part->sim->opt.solver == SOL_SOLVER_RODAS ? PART_RODAS : stiff_method(part);
}

void method_after_rk(Part *part, double h_lambda)
{
    if (!is_auto(part))
        return;
    if (h_lambda > BORDER) {
        part->trial.free = 0;
        part->trial.change = ++part->trial.held == STIFF_STEPS;
    } else if (++part->trial.free == FREE_STEPS) {
        part->trial.held = 0;
    }
}

bool method_leave(Part *part)
{
    part->trial.change = part->method != PART_IDA && is_auto(part);
    part->trial.brief = 0;
    return part->trial.change;
}

bool method_asks_radius(Part *part)
{
    return is_auto(part) && ++part->trial.free % LOOK_EVERY == 0;
}

static bool is_easy(const Part *part)
{
    uint32_t patience = part->trial.patience ? part->trial.patience : 1;
    return part->trial.not_stiff >= EASY_LOOKS * patience;
}

void method_after_ida(Part *part, double h_lambda)
{
    part->trial.not_stiff = 2 * h_lambda < BORDER ? part->trial.not_stiff + 1 : 0;
    part->trial.change = is_easy(part);
}

void method_after_rodas(Part *part)
{
    if (!is_auto(part) || part->counts.steps - part->counts.steps_at_restart < LONG_STEPS)
        return;
    part->trial.brief = 0;
    part->trial.change = true;
}

/* All unknowns at the part's time, their slopes computed; then the other integrator starts. */
SolStatus method_change(Part *part)
{
    Sim *sim = part->sim;
    bool from_rk = part->method == PART_RK, stiff = from_rk || !is_easy(part);
    part->integrator->at(part, part->now);
    part->trial.change = false;
    if (part_evaluate(part, part->now, NULL) != 0)
        return SOL_OK; /* goes on as it was, which will say what is wrong */
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->info[part->states.at[i].var].stiff = stiff;
    if (from_rk)
        part->trial.patience = part->trial.patience == 0              ? 1
                               : part->trial.patience < MOST_PATIENCE ? 2 * part->trial.patience
                                                                      : MOST_PATIENCE;
    part->method = method_of(part);
    part->integrator = parts_integrator(sim, part->method);
    part->back = part->now;
    SolStatus status = part->integrator->start(part);
    sim->counts.method_changes++;
    return status;
}
