/* event_pack.c: what events remember <-> a block of bytes. */
#include "runtime/event/delay.h"
#include "runtime/event/event.h"

void event_pack_births(Sim *sim, Pack *p)
{
    PACK(p, sim->build.births);
}

void event_pack_times(Sim *sim, Pack *p)
{
    PACK(p, sim->decide.tight_events);
    PACK(p, sim->decide.event_time);
    PACK(p, sim->search.impulse_time);
}

void event_pack_modes(Sim *sim, Pack *p)
{
    PACK_LIST(p, &sim->record.news.modes);
    PACK_LIST(p, &sim->record.news.modes_gone);
}

void event_pack_runaway(Sim *sim, Pack *p)
{
    PACK(p, sim->decide.runaway);
}

static void pack_couts(Sim *sim, Pack *p)
{
    PACK_LENGTH(p, &sim->record.couts, 1);
    for (uint32_t i = 0; i < sim->record.couts.n; i++) {
        CoutMemo *memo = &sim->record.couts.at[i];
        PACK(p, memo->var);
        PACK(p, memo->shown);
        PACK_BIT(p, memo->any);
    }
}

void event_pack_roles(Sim *sim, Pack *p)
{
    samples_pack(sim, p);
    PACK_LIST(p, &sim->decide.pres);
    PACK_LIST(p, &sim->decide.initials);
    delay_pack(sim, p);
    pack_couts(sim, p);
}

void event_pack_loops(Sim *sim, Pack *p)
{
    DdpResult result = *evaluate_committed(sim);
    PACK(p, result.loops);
    evaluate_note_commit(sim, &result);
}

void event_pack_incomplete(Sim *sim, Pack *p)
{
    PACK_BIT(p, sim->build.incomplete);
}
