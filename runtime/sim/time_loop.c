/* time_loop.c: independent parts, each with its own integrator -> time goes on.
 *
 * Parts (part_graph.c) never read each other, so each steps on its own. The one that is furthest
 * behind steps first. So when a comparison is found to change at time t, every other part is either
 * behind t, and still has to step, or its last step began before t: dense output reaches t in all
 * of them, and the earliest change is handled when no part is behind it.
 *
 * At an event only those parts are brought to its time whose event it is, and those that somebody
 * reads or changes (part_bring); the others know nothing of it. Parts that were changed start anew,
 * parts that were only looked at go on. So an event costs what it touches.
 *
 * Time events stop the integrator of the part they belong to, so that no step crosses them; those
 * of parts without states (a switch that the clock throws) stop those whom they concern (time_stops.c).
 *
 * By Euler's method all parts go together, from one point of a grid to the next (grid_steps.c).
 */
#include "runtime/sim/sense.h"
#include "runtime/eval/redundant.h"
#include "runtime/event/conditions.h"
#include "runtime/event/delay.h"
#include "runtime/event/event_cause.h"
#include "runtime/event/jump.h"
#include "runtime/eval/tape.h"
#include "runtime/eval/trace.h"
#include "runtime/parts/integrator.h"

#include <float.h>
#include <math.h>

/* ---- after an event ---- */

static SolStatus restart_part(Part *part)
{
    Sim *sim = part->sim;
    SolStatus status = part_start(part);
    if (status != SOL_OK)
        return status;
    sim->value[sim->clock] = sim->time;
    if (!tape_remember(part, sim->time))
        compare_remember(sim, &part->lists.watched);
    event_forget_falls(part);
    reselect_begin(part);
    return SOL_OK;
}

static void search_later(Part *part)
{
    part->from = part->sim->time;
    if (!tape_remember(part, part->sim->time))
        compare_remember(part->sim, &part->lists.watched);
    event_forget_falls(part);
    part->event = INFINITY;
    part_search_later(part);
}

/* Starts those of the touched parts that must start. */
static SolStatus renew_parts(Sim *sim)
{
    SolStatus status = parts_status(sim);
    uint32_t restarted = 0;
    if (event_structure_changed(sim))
        engine_restructured(sim);
    for (uint32_t i = 0; i < parts_touched(sim).n && status == SOL_OK; i++) {
        Part *part = parts_touched(sim).at[i];
        bool anew = part->touch.restart || !part->started, search = part->touch.search;
        part_look_at_clock(part);
        if (anew)
            status = restart_part(part), restarted += status == SOL_OK && part->n > 0;
        else
            blocks_prepare(part); /* of nodes that only moved */
        if (anew)
            time_stops_restarted(part);
        if (search && !anew)
            search_later(part);
        if (anew || search) /* others were not brought here */
            part_keep_loops(part);
        part->touch.restart = false;
        part_reorder(part);
    }
    time_stops_end(sim);
    event_record_restarts(sim, restarted);
    if (status == SOL_OK) {
        event_leave_near(sim);
        status = firings_end(sim);
    }
    if (status == SOL_OK)
        status = delay_after(sim);
    parts_forget_touched(sim);
    known_step_begin(sim);
    return status;
}

/* ---- an event ---- */

/* Times that the search for a crossing cannot tell apart; what crosses a little later is at its
 * boundary now, and leaves it (boundary.c). */
static bool is_now(const Sim *sim, double time)
{
    double near = 64 * DBL_EPSILON * fmax(fabs(sim->time), compare_look(sim));
    return hold_reached(sim, time) || time - sim->time <= near;
}

/* Parts whose event it is, into Sim.loop.due; the heap is put in order by renew_parts. What is before
 * the event is as near as one can tell, and no comparison has changed there. */
static void list_due(Sim *sim, double time)
{
    parts_next_event(sim, nextafter(time, -INFINITY));
    while (is_now(sim, parts_first_key(sim, HEAP_DUE))) {
        Part *part = parts_first(sim, HEAP_DUE, 0);
        if (hold_reached(sim, part->event))
            parts_set_left(sim, fmin(parts_left(sim), part->before));
        part->event = part->timed = INFINITY;
        part_reorder(part);
        part_is_due(part);
    }
}

/* The row on the left of the event: everything as it was. */
static SolStatus show_before(Sim *sim, double time)
{
    parts_look_left(sim);
    sim->run.in_event = true;
    SolStatus status = parts_bring_due(sim, EVAL_PLAIN);
    sim->run.in_event = false;
    if (status == SOL_OK)
        status = sim_point_before(sim, time);
    parts_look_right(sim);
    return status;
}

/* With their conditions, as they are at the event. */
static SolStatus begin_due(Sim *sim)
{
    for (uint32_t i = 0; i < parts_due(sim).n; i++) {
        Part *part = parts_due(sim).at[i];
        part_search_again(part);
        evaluate_touch_outdated(sim, &part->lists.watched);
        evaluate_touch_outdated(sim, &part->lists.timers);
        part->touch.restart |= part->choice.wanted || part->bridge.on;
        if (part->choice.wanted)
            cause_states(sim);
        part->choice.wanted = false;
    }
    parts_cross(sim);
    return parts_status(sim);
}

static SolStatus take_event(Sim *sim)
{
    SolStatus status = sim_event(sim);
    sim->run.event_failed = status != SOL_OK;
    return status;
}

static SolStatus handle_event(Sim *sim, double time)
{
    sim->time = time;
    event_record_noticed(sim);
    event_forget_ties(sim);
    list_due(sim, time);
    sense_due(sim->output.sense);
    SolStatus status = delay_before(sim, parts_left(sim));
    if (status == SOL_OK)
        status = show_before(sim, time);
    event_forget_candidates(sim); /* those that only an output noticed */
    double begin = timer_now();
    sim->run.in_event = true;
    if (status == SOL_OK)
        status = begin_due(sim);
    event_record_brought(sim, timer_now() - begin);
    if (status == SOL_OK)
        status = take_event(sim);
    sim->run.in_event = false;
    begin = timer_now();
    time_stops_begin(sim);
    if (status == SOL_OK)
        status = renew_parts(sim);
    event_record_done(sim, timer_now() - begin);
    return status;
}

/* What parts that were looked at here may do, now that something is decided here. */
static void decide_here(Sim *sim)
{
    sim->run.in_event = true;
    for (uint32_t i = 0; parts_running(sim) && i < sim->parts.n; i++)
        if (sim->parts.at[i]->point_number == sim->point_number && !sim->parts.at[i]->fixed_steps)
            event_add_changed(sim->parts.at[i]);
}

/* An event here and now, because somebody wrote a value. */
SolStatus time_event(Sim *sim)
{
    parts_set_left(sim, sim->time);
    event_record_noticed(sim);
    decide_here(sim);
    SolStatus status = evaluate_dirty(sim, EVAL_EVENT);
    if (status == SOL_OK)
        status = take_event(sim);
    sim->run.in_event = false;
    if (!parts_running(sim))
        return status;
    double begin = timer_now();
    if (status == SOL_OK && !event_is_incomplete(sim))
        status = renew_parts(sim);
    event_record_done(sim, timer_now() - begin);
    return status;
}

/* ---- steps ---- */

static SolStatus step_part(Part *part, double limit)
{
    Sim *sim = part->sim;
    double before = part->now;
    part->point_number = 0;
    part_put_loops(part);
    SolStatus status = part->trial.change ? method_change(part) : SOL_OK;
    if (status != SOL_OK)
        return status;
    status = part->integrator->step(part, limit);
    if (status == SOL_NUMERICS && time_stop_everywhere(part) && time_stop(part) < limit)
        status = part->integrator->step(part, time_stop(part));
    if (status == SOL_NUMERICS) /* nothing was said so far */
        status = part_bridge(part) || method_leave(part) ? SOL_OK : part->integrator->explain(part);
    if (part->n == 0)
        return status;
    sim->counts.steps++;
    part->counts.steps++;
    trace_step(sim, part->integrator->name, part->n, before, part->now);
    sim->counts.time[part->method - PART_IDA] += part->now - before;
    return status;
}

static void look_at_states(Part *part)
{
    if (part->event <= part->now)
        return;
    bool due = reselect_due(part), aside = redundant_concerns(part);
    if (!due && !aside)
        return;
    part_at(part, part->now);
    part->choice.wanted = part_evaluate(part, part->now, NULL) == 0 &&
                          ((aside && redundant_turned(part)) || (due && reselect_wanted(part)));
    if (part->choice.wanted)
        part->event = part->before = part->now;
}

enum { UNDONE_STEPS = 12 };

static SolStatus tell_undetermined(Part *part)
{
    Sim *sim = part->sim;
    WorldVar view = {0};
    world_var(sim->world, part->states.at[0].var, &view);
    diag_error(sim->diags, view.at,
               "at time %.10g the constraints leave open how the motion goes on", part->back);
    for (uint32_t i = 0; i < part->states.n && i < 4; i++)
        diag_note(sim->diags, view.at, "it was computed from %s = %.10g",
                  explain_var(sim, part->states.at[i].var), sim->value[part->states.at[i].var]);
    return SOL_NUMERICS;
}

/* The step passed a point where the choice of states is singular: it is undone, and where it began other
 * states are chosen, or shorter steps come nearer to that point. */
static SolStatus undo_step(Part *part)
{
    bool further = part->back > part->choice.undone;
    part->choice.undone_steps = further ? 1 : part->choice.undone_steps + 1;
    part->choice.undone = part->back;
    part->step = (part->now - part->back) / 8;
    if (part->choice.undone_steps > UNDONE_STEPS)
        return tell_undetermined(part);
    part_note_loops(part);
    part_at(part, part->back);
    if (part_evaluate(part, part->back, NULL) == 0)
        reselect_before(part);
    part->choice.wanted = true;
    part->event = part->before = part->back;
    return SOL_OK;
}

static bool went_astray(Part *part)
{
    if (!part->choice.constrained)
        return false;
    part_at(part, part->now);
    return part_evaluate(part, part->now, NULL) == 0 && !reselect_follows(part);
}

/* After an accepted step: events in it, and whether the choice of states still holds at its end. */
static SolStatus look_at_step(Part *part)
{
    part_keep_loops(part);
    if (went_astray(part))
        return undo_step(part);
    if (part->from < part->back)
        part->from = part->back;
    SolStatus status = part_search(part, part->now);
    if (status == SOL_OK)
        look_at_states(part);
    /* Where there is an event the part will be brought to it as the search was: with the same bits. */
    if (part->event > part->now)
        part_keep_loops(part);
    return status;
}

static SolStatus search_again(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (Part *part; status == SOL_OK && (part = parts_next_search(sim)) != NULL;) {
        status = part_search(part, part->now);
        part_reorder(part);
    }
    return status;
}

/* Steps until every part has reached `limit` or the first event before it. */
static SolStatus advance(Sim *sim, double limit, double stop_at, bool one_step)
{
    double begin = timer_now();
    SolStatus status = search_again(sim);
    while (status == SOL_OK &&
           parts_first_key(sim, HEAP_BEHIND) < fmin(limit, parts_first_key(sim, HEAP_DUE))) {
        Part *part = parts_first(sim, HEAP_BEHIND, 0);
        status = sense_reach(sim->output.sense, part->now); /* as far as all are */
        if (status == SOL_OK)
            status = delay_reach(sim, part->now);
        if (status != SOL_OK)
            break;
        const Part *next = parts_second(sim);
        if (next) /* in two pieces: the processor has no room for more at a time */
            part_prefetch(next, 0, MEMORY_VECTORS);
        status = step_part(part, fmin(fmin(stop_at, time_stop(part)), delay_limit(sim)));
        if (next)
            part_prefetch(next, MEMORY_VECTORS + 1, MEMORIES - 1);
        if (status == SOL_OK)
            status = look_at_step(part);
        part_reorder(part);
        if (cancel_asked(sim))
            status = status == SOL_OK ? SOL_CANCELLED : status;
        if (one_step)
            break;
    }
    sim->counts.integrate += timer_now() - begin;
    return status;
}

/* ---- time goes on ---- */

static SolStatus go_to(Sim *sim, double stop, bool one_step, bool *event)
{
    double sample = samples_next(sim, false);
    double limit = fmin(fmin(stop, sim->output.next), fmin(sample, delay_limit(sim)));
    double end = sim->opt.realtime > 0 ? stop : fmax(stop, sim->opt.stop);
    double stop_at = fmin(time_stops_all(sim), end);
    SolStatus status = advance(sim, limit, stop_at, one_step);
    if (status != SOL_OK)
        return status;
    double due = parts_first_key(sim, HEAP_DUE), found = fmin(limit, due);
    if (one_step)
        found = fmin(found, parts_first_key(sim, HEAP_BEHIND));
    *event = found == sample || found == due;
    if (*event)
        status = sense_before(sim->output.sense, found);
    else
        status = sense_reach(sim->output.sense, found);
    if (status == SOL_OK && !*event && found == delay_limit(sim))
        status = delay_reach(sim, found);
    if (status != SOL_OK)
        return status;
    if (*event)
        return handle_event(sim, found);
    parts_look_at(sim, found);
    return found >= sim->output.next ? sim_point(sim, SOL_AT_POINT) : SOL_OK;
}

bool time_last(Sim *sim)
{
    double time = INFINITY;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->started && part_needs_steps(sim->parts.at[i]))
            time = fmin(time, sim->parts.at[i]->now);
    if (!isfinite(time) || time < sim->output.last || parts_touched(sim).n || sim->run.event_failed)
        return true; /* it failed in an event: values are those of its last update */
    parts_look_at(sim, time);
    parts_recover(sim);
    return parts_bring_all(sim, EVAL_TRIAL) == SOL_OK;
}

static SolStatus begin(Sim *sim)
{
    sim->run.event_failed = false;
    if (parts_running(sim))
        return SOL_OK;
    parts_run(sim, true);
    return renew_parts(sim);
}

SolStatus time_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened)
{
    bool together = sim->opt.solver == SOL_SOLVER_EULER;
    SolStatus status = together ? grid_begin(sim) : begin(sim);
    while (status == SOL_OK && sim->time < stop && !event_terminated(sim)) {
        if (cancel_asked(sim))
            return SOL_CANCELLED;
        status = together ? grid_go_to(sim, stop, happened) : go_to(sim, stop, one_step, happened);
        if (one_step || (to_event && *happened))
            break;
    }
    return status;
}
