/* integrate.c: a part -> its unknowns, and its integrator started at Sim.time. */
#include "runtime/solve/solve.h"
#include "runtime/eval/redundant.h"
#include "runtime/eval/tape.h"
#include "runtime/solve/integrators.h"

#include <math.h>

/* Small loops are solved in place, large ones by the integrator's own Newton iteration. In place
 * also where they are nonlinear: a prediction of tearing variables that is a little off becomes far
 * off behind a chain of exponentials, so Newton failed at every third step (transistor amplifier,
 * rtol 1e-8: 37,500 steps with the two tearing variables as unknowns, 4,000 with the loop solved in
 * place). And all that are solved untorn, because they are very large or because their
 * steps amplify rounding: a prediction would fare no better. And where constraints were set aside: the others are
 * badly conditioned before others are set aside in their place, and the integrator's iteration leaves errors that this
 * amplifies (four cranks, rtol 1e-11: speeds off by 1e-8 with steps of 5e-4, by 8e-11 with steps of 2.5e-3 in place). */
enum { IN_PLACE = 8 };

static bool is_outer(const Sim *sim, const EvalNode *node)
{
    bool one_step = sim->opt.solver == SOL_SOLVER_RK || sim->opt.solver == SOL_SOLVER_RODAS ||
                    sim->opt.solver == SOL_SOLVER_INLINE || sim->opt.form != SOL_FORM_ODE;
    return !one_step && node->loop && node->n_tears > IN_PLACE && node->n_tears <= LOOP_TORN &&
           !node->untorn;
}

/* Which loops are unknowns of the integrator, in the order of the schedule. */
void part_choose_unknowns(Part *part)
{
    Sim *sim = part->sim;
    bool in_place = redundant_concerns(part);
    part_count(part, -1);
    vec_clear(&part->loops);
    part->n = part->states.n;
    for (uint32_t i = 0; i < part->lists.loops.n; i++) {
        EvalNode *node = &sim->nodes.at[part->lists.loops.at[i]];
        node->outer = node->place == PLACE_DYNAMICS && !in_place && is_outer(sim, node);
        if (!node->outer)
            continue;
        vec_push(sim->mem, &part->loops, part->lists.loops.at[i]);
        part->n += node->n_tears;
    }
    node_order_sort(sim, &part->loops);
    part_count(part, 1);
}

/* Of coordinates that constraints bind, and that nobody prefers, less is allowed, from the beginning: where the path is round every step of a
 * straight coordinate errs to the same side, while an angle, which hardly notices that, errs to this side and that. It is so between
 * exchanges of states, not in them (docs/decisions.md). */
static const double BOUND = 1. / 50;

static void set_tolerances(Part *part)
{
    const Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++) {
        PartState *state = &part->states.at[i];
        const ValueInfo *info = &sim->info[state->var];
        double share = info->exchanged || info->bound ? BOUND : 1;
        state->rtol = share * sim->opt.rtol;
        state->atol = share * sim->opt.atol * world_var_nominal(sim->world, state->var);
    }
}

SolStatus part_start(Part *part)
{
    Sim *sim = part->sim;
    if (part->restructured || !part->started) {
        for (int method = 0; method < PART_METHODS; method++)
            if (part->driver[method] && parts_integrator(sim, method)->restructured)
                parts_integrator(sim, method)->restructured(part);
        part_choose_unknowns(part);
        reselect_mark(part);
    }
    set_tolerances(part);
    blocks_prepare(part);
    part->shown.whole &= !part->restructured;
    part->restructured = false;
    part->back = part->now = part->from = sim->time;
    part->event = INFINITY;
    part->touch.search = part->choice.wanted = part->bridge.on = part->strayed = false;
    method_restarts(part);
    part->method = method_of(part);
    part->integrator = parts_integrator(sim, part->method);
    SolStatus status = part->integrator->start(part);
    part->started = status == SOL_OK;
    sim->counts.restarts += part->n > 0;
    part->counts.restarts += part->n > 0;
    part->counts.steps_at_restart = part->counts.steps;
    return status;
}

SolStatus part_explain_short(Part *part, uint32_t worst, double h, const char *advice)
{
    Sim *sim = part->sim;
    if (cancel_broke_off(sim))
        return SOL_CANCELLED;
    DdpVar var = part->states.at[worst].var;
    part->integrator->at(part, part->now);
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    diag_error(
        sim->diags, view.at,
        "at time %.10g the integration failed with steps of %.3g: steps have become as short "
        "as rounding",
        part->now, h);
    diag_note(sim->diags, view.at, "%s = %.10g changes fastest there", explain_var(sim, var),
              sim->value[var]);
    explain_determined_by(sim, part->states.at[worst].slope);
    if (!failure_tell(sim) && advice)
        diag_note(sim->diags, 0, "%s", advice);
    return SOL_NUMERICS;
}
