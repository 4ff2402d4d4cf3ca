/* value_check.c: values at a point -> an error where one is infinite or no number. See value_check.h.
 *
 * What dynamics and conditions need is looked at where it is evaluated. Trial values of integrators and loops
 * are none that anybody sees, and what an update leaves alone (U1) keeps its old value: neither comes here.
 */
#include "runtime/sim/value_check.h"

#include <math.h>

static bool is_without(const Sim *sim, DdpVar var)
{
    return ddp_var_used(sim->ddp, var) && sim->info[var].has && !sim->info[var].pending &&
           !isfinite(sim->value[var]);
}

static SolStatus tell(Sim *sim, DdpVar var, Place at)
{
    diag_error(sim->diags, at, "at time %.10g, %s has no value: it is %s", sim->time,
               explain_var(sim, var), isnan(sim->value[var]) ? "no number" : "infinite");
    explain_determined_by(sim, var);
    DdpRel rel = evaluate_relation_of(sim, var);
    if (rel)
        explain_values(sim,
                       &(EvalOp){.rel = rel, .target = var, .vars = ddp_rel(sim->ddp, rel).vars});
    return SOL_NUMERICS;
}

SolStatus value_check(Sim *sim, bool partly)
{
    SolStatus status = SOL_OK;
    for (NoValue none; status == SOL_OK && failure_next(sim, &none);)
        if (is_without(sim, none.var))
            status = tell(sim, none.var, none.at);
    VarList wanted = output_plan_vars(sim);
    for (uint32_t i = 0; i < wanted.n && status == SOL_OK; i++) {
        DdpVar var = wanted.at[i];
        WorldVar view = {0};
        if (isfinite(sim->value[var]) || !is_without(sim, var) ||
            (partly && !evaluate_fetch_brought(sim, var, EVAL_PLAIN)))
            continue;
        world_var(sim->world, var, &view);
        status = tell(sim, var, view.at);
    }
    return status;
}
