/* cout.c: values of `cout << e` -> lines for whoever looks. See cout.h. */
#include "runtime/event/cout.h"

#include <stdio.h>

static CoutLine line_of(const Sim *sim, DdpVar var)
{
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    return (CoutLine){view.type, sim->value[var]};
}

static void show(Sim *sim, CoutLine line, CoutShow *to)
{
    char text[64];
    const char *shown = text;
    if (line.type == TYPE_STRING)
        shown = intern_text(program_names(sim->program), (Sym)line.value);
    else if (line.type == TYPE_BOOLEAN)
        shown = line.value != 0 ? "true" : "false";
    else
        snprintf(text, sizeof text, "%.10g", line.value);
    to(sim, shown);
}

void cout_note(Sim *sim)
{
    for (uint32_t i = 0; i < sim->record.couts.n; i++) {
        CoutMemo *memo = &sim->record.couts.at[i];
        DdpNode node = sim->info[memo->var].node;
        if (memo->any || !node || !update_acts(sim, &sim->nodes.at[node]))
            continue;
        evaluate_fetch(sim, memo->var, EVAL_EVENT);
        if (!sim->info[memo->var].has)
            continue;
        memo->any = true;
        memo->shown = sim->value[memo->var];
        vec_push(sim->mem, &sim->record.noted, line_of(sim, memo->var));
    }
}

void cout_show(Sim *sim, CoutShow *to)
{
    for (uint32_t i = 0; i < sim->record.noted.n; i++)
        show(sim, sim->record.noted.at[i], to);
    cout_forget(sim);
    for (uint32_t i = 0; i < sim->record.couts.n; i++) {
        CoutMemo *memo = &sim->record.couts.at[i];
        evaluate_fetch(sim, memo->var, EVAL_PLAIN);
        double value = sim->value[memo->var];
        if (!sim->info[memo->var].has || (memo->any && memo->shown == value))
            continue;
        memo->any = true;
        memo->shown = value;
        show(sim, line_of(sim, memo->var), to);
    }
}
