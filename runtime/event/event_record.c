/* event_record.c: what an event does -> its record, for who listens and for the trace. */
#include "runtime/event/event.h"
#include "runtime/event/event_cause.h"
#include "runtime/eval/blocks.h"
#include "runtime/eval/trace.h"

void event_record_listen(Sim *sim, void (*tell)(void *, const SolEvent *), void *context)
{
    sim->record.tell = tell;
    sim->record.context = context;
}

void event_record_like(Sim *sim, const Sim *other)
{
    event_record_listen(sim, other->record.tell, other->record.context);
}

const SolEvent *event_record(const Sim *sim)
{
    return &sim->record.event;
}

void event_record_noticed(Sim *sim)
{
    sim->record.work_before = sim->work;
}

void event_record_brought(Sim *sim, double seconds)
{
    sim->record.bring_seconds = seconds;
}

void event_record_restarts(Sim *sim, uint32_t parts)
{
    sim->record.event.parts_restarted = parts;
    sim->record.event.restarted = parts > 0;
}

bool event_structure_changed(const Sim *sim)
{
    return sim->build.structure_changed;
}

uint64_t event_structures(const Sim *sim)
{
    return sim->build.structures;
}

bool event_is_incomplete(const Sim *sim)
{
    return sim->build.incomplete;
}

void event_note_structure(Sim *sim)
{
    sim->build.structure_changed = true;
}

/* Seconds that engines which wait for the compiler have waited. */
static double waited(const Sim *sim)
{
    SolStats stats = {0};
    if (sim->engine && (sim->opt.jit_wait || sim->opt.engine == SOL_ENGINE_REBUILD))
        engine_stats(sim->engine, &stats);
    return stats.compile_wait;
}

/* The record of an event is complete after the first step, which makes the new blocks: when the
 * next point comes, the next event, or the end of the call. */
void event_record_tell(Sim *sim)
{
    if (!sim->record.untold)
        return;
    sim->record.untold = false;
    sim->record.event.restart_us += (waited(sim) - sim->record.waited_before) * 1e6;
    sim->record.event.wait_us = sim->record.event.structure_us + sim->record.event.restart_us;
    if (sim->engine)
        engine_take_counts(sim->engine, &sim->record.event);
    trace_restart(sim, &sim->record.event);
    if (sim->record.tell)
        sim->record.tell(sim->record.context, &sim->record.event);
}

void event_record_drop(Sim *sim)
{
    sim->record.untold = false;
}

void event_record_begin(Sim *sim)
{
    event_record_tell(sim);
    vec_clear(&sim->record.triggers);
    vec_clear(&sim->record.states);
    explain_forget(sim);
    DdpCounts counts = ddp_counts(sim->ddp);
    if (sim->engine) /* what was made since the event before is none of this one's work */
        engine_take_counts(sim->engine, &sim->record.event);
    sim->record.event = (SolEvent){.time = sim->time,
                                   .states_before = sim->states.n,
                                   .loops_before = evaluate_committed(sim)->loops};
    sim->record.entered_before = counts.entered;
    sim->record.removed_before = counts.removed;
    sim->build.structure_changed = false;
    sim->record.births_before = sim->build.births;
    sim->record.begin = timer_now();
}

void event_record_end(Sim *sim)
{
    DdpCounts counts = ddp_counts(sim->ddp);
    sim->record.event.entered = (uint32_t)(counts.entered - sim->record.entered_before);
    sim->record.event.removed = (uint32_t)(counts.removed - sim->record.removed_before);
    sim->record.event.states_after = sim->states.n;
    sim->record.event.loops_after = evaluate_committed(sim)->loops;
    sim->record.event.structural = sim->build.structure_changed;
    sim->record.event.structure_us =
        (timer_now() - sim->record.begin + sim->record.bring_seconds) * 1e6;
    sim->record.bring_seconds = 0;
    cause_end(sim);
    sim->record.event.n_triggers = sim->record.triggers.n;
    sim->record.event.triggers = sim->record.triggers.at;
    sim->record.event.n_changes = sim->record.states.n;
    sim->record.event.states = sim->record.states.at;
    if (sim->states.n > sim->counts.states_max)
        sim->counts.states_max = sim->states.n;
    trace_event_end(sim, &sim->record.event);
    sim->counts.event += timer_now() - sim->record.begin;
}

/* What the restart cost is known now, but for code that the first step waits for. */
void event_record_done(Sim *sim, double restart_seconds)
{
    sim->record.event.restart_us = restart_seconds * 1e6;
    sim->counts.event += restart_seconds;
    sim->record.event.touched = sim->work - sim->record.work_before;
    sim->record.untold = true;
    sim->record.waited_before = waited(sim);
}

/* For the record of the event; the start has none. */
void event_remember_trigger(Sim *sim, BranchId id)
{
    if (!sim->record.tell || !sim->record.news.shown)
        return;
    const char *text = explain_condition(sim, id);
    for (uint32_t i = 0; i < sim->record.triggers.n; i++)
        if (strcmp(sim->record.triggers.at[i], text) == 0)
            return;
    vec_push(sim->mem, &sim->record.triggers, text);
}
