/* select_check.c: variables with the attribute stateSelect << "always" or "never" -> an error where the structure has it otherwise.
 *
 * Several commits may lie between two points at which time goes on, and each may choose other states: what came into their hands
 * is noted, and looked at when the structure is final. */
#include "runtime/event/event.h"

void select_note(Sim *sim)
{
    uint32_t n;
    const DdpRel *ders = ddp_demanding(sim->ddp, &n);
    for (uint32_t i = 0; i < n; i++)
        vec_push(sim->mem, &sim->start.selected, ders[i]);
}

static void tell(Sim *sim, DdpVar var)
{
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    if (ddp_is_state(sim->ddp, var)) {
        diag_error(sim->diags, view.at,
                   "%s is never to be a state, but no other variable can be one in its place",
                   explain_var(sim, var));
        diag_note(sim->diags, view.at,
                  "others are those that constraints bind to it and whose derivative the model "
                  "names; \"avoid\" lets it be a state where there is none");
        return;
    }
    diag_error(sim->diags, view.at,
               "%s is always to be a state, but constraints determine it from other states",
               explain_var(sim, var));
    explain_determined_by(sim, var);
    diag_note(sim->diags, view.at, "\"prefer\" lets others be states where it cannot be one");
}

SolStatus select_check(Sim *sim)
{
    bool fine = true;
    for (uint32_t i = 0; i < sim->start.selected.n; i++) {
        DdpRel der = sim->start.selected.at[i];
        bool still = ddp_rel_used(sim->ddp, der) && ddp_rel(sim->ddp, der).kind == DDP_DERIVATIVE;
        if (!still || ddp_select_is_met(sim->ddp, der)) /* numbers are used again */
            continue;
        tell(sim, ddp_rel(sim->ddp, der).vars[1]);
        fine = false;
    }
    vec_clear(&sim->start.selected);
    return fine ? SOL_OK : SOL_MODEL;
}
