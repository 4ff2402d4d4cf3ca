/* reinit.c: `reinit(x, e)` in a `when` that acted -> the value of the state x in the update behind it.
 *
 * The value is that of the update in which the `when` acts, so that several of them read the
 * same values before. What is no state then has no value of its own to be given. */
#include "runtime/event/reinit.h"
#include "runtime/event/trail.h"

#include <math.h>

static const double SAME = 1e-9;

void reinit_take(Sim *sim, const WorldChange *change)
{
    if (change->born) {
        ReinitMemo memo = {.value_of = change->a, .state = change->b, .at = change->at};
        vec_push(sim->mem, &sim->start.reinits, memo);
        return;
    }
    for (uint32_t i = 0; i < sim->start.reinits.n; i++)
        if (sim->start.reinits.at[i].value_of == change->a)
            sim->start.reinits.at[i].due = true;
}

void reinit_note(Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.reinits.n; i++) {
        ReinitMemo *memo = &sim->start.reinits.at[i];
        evaluate_fetch(sim, memo->value_of, EVAL_EVENT);
        memo->noted = sim->info[memo->value_of].has && !sim->info[memo->value_of].pending;
        memo->value = sim->value[memo->value_of];
    }
}

static SolStatus no_state(Sim *sim, const ReinitMemo *memo)
{
    bool held = ddp_var(sim->ddp, memo->state).kind == DDP_HELD;
    diag_error(sim->diags, memo->at, "at time %.10g 'reinit' cannot set %s: %s", sim->time,
               explain_var(sim, memo->state),
               held ? "it is held, and gets its values by '<<'" : "it is no state now");
    if (!held)
        explain_determined_by(sim, memo->state);
    return SOL_MODEL;
}

static SolStatus twice(Sim *sim, const ReinitMemo *first, const ReinitMemo *second)
{
    diag_error(sim->diags, second->at,
               "at time %.10g two 'reinit' set %s at once: to %.10g and to %.10g", sim->time,
               explain_var(sim, first->state), first->value, second->value);
    diag_note(sim->diags, first->at, "the other one");
    return SOL_MODEL;
}

static SolStatus check_others(Sim *sim, uint32_t i)
{
    const ReinitMemo *memo = &sim->start.reinits.at[i];
    for (uint32_t k = 0; k < i; k++) {
        const ReinitMemo *other = &sim->start.reinits.at[k];
        if (other->due && other->state == memo->state && other->value != memo->value)
            return twice(sim, other, memo);
    }
    return SOL_OK;
}

static SolStatus check_number(Sim *sim, const ReinitMemo *memo)
{
    if (isfinite(memo->value))
        return SOL_OK;
    diag_error(sim->diags, memo->at, "at time %.10g 'reinit' sets %s to %s", sim->time,
               explain_var(sim, memo->state), isnan(memo->value) ? "no number" : "infinity");
    return SOL_NUMERICS;
}

SolStatus reinit_give(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->start.reinits.n && status == SOL_OK; i++) {
        ReinitMemo *memo = &sim->start.reinits.at[i];
        if (!memo->due || !memo->noted || memo->given || !sim->info[memo->state].state)
            continue;
        status = check_others(sim, i);
        if (status == SOL_OK)
            status = check_number(sim, memo);
        if (status != SOL_OK)
            break;
        memo->given = true;
        sim->search.impulse_time = sim->time;
        trail_state(sim, memo->state);
        values_set(sim, memo->state, memo->value);
    }
    return status;
}

/* Where new equations determine it, they may agree: a ball that comes to rest. */
static bool is_met(Sim *sim, const ReinitMemo *memo)
{
    evaluate_fetch(sim, memo->state, EVAL_EVENT);
    return fabs(sim->value[memo->state] - memo->value) <=
           SAME * (world_var_nominal(sim->world, memo->state) + fabs(memo->value));
}

SolStatus reinit_finish(Sim *sim)
{
    uint32_t kept = 0;
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->start.reinits.n; i++) {
        const ReinitMemo *memo = &sim->start.reinits.at[i];
        if (!memo->due)
            sim->start.reinits.at[kept++] = *memo;
        else if (status == SOL_OK && memo->noted && !memo->given &&
                 ddp_var_used(sim->ddp, memo->state) && !is_met(sim, memo))
            status = no_state(sim, memo);
    }
    sim->start.reinits.n = kept;
    return status;
}
