/* grid_steps.c: one step of one length for all parts (--solver euler), for the loop of time (time_loop.c).
 *
 * Everything happens at grid points t0 + k*h: states move, all that varies is evaluated, conditions
 * are looked at; a change is an event at the first grid point that shows it. The stop time is a
 * grid point too: the step to it is cut. Between two grid points the states lie on the straight
 * line that the step is: output points and calls that run to such a time look there, and do not
 * move the grid. Who writes a value there does: the next step goes from that point to the next t0 +
 * k*h.
 */
#include "runtime/sim/sim.h"
#include "runtime/event/delay.h"
#include "runtime/event/jump.h"
#include "runtime/eval/tape.h"
#include "runtime/eval/trace.h"
#include "runtime/parts/integrator.h"

#include <math.h>

/* ---- after an event ---- */

/* Parts that the event touched are as they are. They need no events between grid points, but must see when a choice of
 * states turns singular. */
static void refresh(Sim *sim)
{
    if (event_structure_changed(sim))
        engine_restructured(sim);
    for (uint32_t i = 0; i < parts_touched(sim).n; i++) {
        Part *part = parts_touched(sim).at[i];
        part->touch.restart = part->touch.search = false;
        part_choose_unknowns(part);
        blocks_prepare(part);
        reselect_begin(part);
        part->timed = compare_next_time(sim, &part->lists.timers);
        part->method = PART_EULER;
        part->integrator = parts_integrator(sim, PART_EULER);
        part->now = sim->grid.time;
        part->integrator->start(part);
    }
    parts_forget_touched(sim);
}

/* True: states should be selected anew, as an event. */
static bool advise(Sim *sim)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        any |= reselect_due(sim->parts.at[i]) && reselect_wanted(sim->parts.at[i]);
    return any;
}

/* ---- one step ---- */

static SolStatus step(Sim *sim, double time)
{
    double h = time - sim->grid.time, begin = timer_now();
    sim->time = sim->grid.time = sim->value[sim->clock] = time;
    sim->point_number++;
    event_forget_ties(sim);
    sim->counts.steps++;
    sim->counts.time[PART_EULER - PART_IDA] += h;
    trace_step(sim, "euler", sim->states.n, time - h, time);
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->parts.n && status == SOL_OK; i++) {
        Part *part = sim->parts.at[i];
        status = part->integrator->step(part, time);
    }
    sim->counts.residuals++;
    sim->counts.integrate += timer_now() - begin;
    return status;
}

/* Conditions that changed; their parts take part in the event. */
static bool look_at_conditions(Sim *sim)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (part->point_number != sim->point_number)
            continue;
        bool jumped = evaluate_touch_outdated(sim, &part->lists.watched);
        jumped |= evaluate_touch_outdated(sim, &part->lists.timers);
        if (event_add_changed(part) || jumped) {
            any = true;
            part_touch(part);
        } else if (part->code.tape) {
            part_remember(part);
        }
    }
    return any;
}

/* At an event of one part among many the point shows what the event touches, by whatever way the
 * others took their step: those that nothing happened to are not there until somebody asks. */
static void part_from_others(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n && sim->parts.n > SOL_FEW_PARTS; i++)
        if (!sim->parts.at[i]->touch.listed)
            sim->parts.at[i]->point_number = 0;
}

static SolStatus settle_point(Sim *sim, bool *happened)
{
    event_record_noticed(sim);
    bool event = look_at_conditions(sim) || samples_next(sim, false) <= sim->time;
    event |= advise(sim);
    bool output = sim->time >= sim->output.next;
    SolStatus status = delay_grid(sim);
    *happened = event;
    if (status == SOL_OK && output && !event)
        status = sim_point(sim, SOL_AT_POINT);
    if (status == SOL_OK && event) {
        part_from_others(sim);
        status = sim_point_before(sim, sim->time);
        if (status == SOL_OK)
            status = sim_event(sim);
        double begin = timer_now();
        refresh(sim);
        if (status == SOL_OK)
            status = delay_after(sim);
        event_record_done(sim, timer_now() - begin);
    }
    return status;
}

/* ---- time goes on ---- */

/* Where the next step ends; `whole`: at a point t0 + k*h. Rounding is no step. */
static double next_point(const Sim *sim, bool *whole)
{
    double h = sim->opt.step, time = sim->opt.start + (double)(sim->grid.steps + 1) * h;
    double end = sim->grid.time < sim->opt.stop ? sim->opt.stop : INFINITY;
    *whole = time <= end + 1e-9 * h;
    return *whole && fabs(time - end) > 1e-9 * h ? time : end;
}

static void look_at_time(Sim *sim, double time)
{
    if (time == sim->time)
        return;
    sim->time = sim->value[sim->clock] = time;
    sim->point_number++;
}

/* Output points up to `stop` and before `time`, which the next step ends at. */
static SolStatus show_between(Sim *sim, double time, double stop)
{
    SolStatus status = SOL_OK;
    double near = 1e-9 * (time - sim->grid.time);
    while (status == SOL_OK && sim->output.next < time - near && sim->output.next <= stop) {
        look_at_time(sim, fmax(sim->time, sim->output.next));
        status = sim_point(sim, SOL_AT_POINT);
    }
    event_forget_candidates(sim); /* those that only an output noticed */
    return status;
}

/* Somebody writes a value at Sim.time: the step ends here. */
void grid_cut(Sim *sim)
{
    if (sim->time <= sim->grid.time)
        return;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->fixed_steps)
            part_bring(sim->parts.at[i], EVAL_PLAIN);
    sim->grid.time = sim->time;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->fixed_steps) {
            event_add_changed(sim->parts.at[i]);
            sim->parts.at[i]->now = sim->grid.time;
            sim->parts.at[i]->integrator->start(sim->parts.at[i]);
        }
}

SolStatus grid_begin(Sim *sim)
{
    refresh(sim);
    return delay_after(sim);
}

SolStatus grid_go_to(Sim *sim, double stop, bool *event)
{
    bool whole;
    double time = next_point(sim, &whole);
    *event = false;
    SolStatus status = show_between(sim, time, stop);
    if (status != SOL_OK)
        return status;
    if (time > stop + 1e-9 * (time - sim->grid.time)) {
        look_at_time(sim, stop);
        return SOL_OK;
    }
    sim->grid.steps += whole;
    status = step(sim, time);
    return status == SOL_OK ? settle_point(sim, event) : status;
}
