/* part_search.c: the step that a part has taken -> the first event in it; and the two sides of an event.
 */
#include "runtime/event/clock_change.h"
#include "runtime/event/jump.h"
#include "runtime/eval/compare.h"
#include "runtime/eval/looks.h"
#include "runtime/eval/tape.h"
#include "runtime/parts/integrator.h"
#include "runtime/event/event.h"

#include <math.h>

void part_look_at_clock(Part *part)
{
    part->timed = compare_next_time(part->sim, &part->lists.timers);
    clock_change_list(part);
    part->clocked = part->lists.by_clock.n > 0;
}

/* ---- searching for events ---- */

/* What has no value here keeps the one it had. */
static void evaluate_or_keep(Sim *sim, DdpNode n, EvalHow how)
{
    const EvalNode *node = &sim->nodes.at[n];
    double before = sim->value[node_output(node, 0)];
    if (evaluate_node(sim, n, how | EVAL_TRIAL) == SOL_OK &&
        isfinite(sim->value[node_output(node, 0)]))
        return;
    sim->value[node_output(node, 0)] = before;
    for (uint32_t k = 0; node->loop && k < node->n_steps + node->n_tears; k++)
        sim->value[node_output(node, k)] = node_kept(node)[k];
}

/* What conditions need, beyond a boundary behind which not everything has a value. */
static void evaluate_probes(Part *part, EvalHow how)
{
    Sim *sim = part->sim;
    for (int which = 0; which < 2; which++)
        EACH_SEGMENT (&part->orders[which], segment)
            for (uint32_t i = 0; segment->probe && i < segment->nodes.n; i++)
                evaluate_or_keep(sim, segment->nodes.at[i], how);
}

static SolStatus probe_at(void *context, double time, const NodeList *nodes)
{
    Part *part = context;
    Sim *sim = part->sim;
    part_at(part, time);
    part->point_number = 0;
    if (part->bridge.on) {
        evaluate_probes(part, EVAL_PLAIN);
        return SOL_OK;
    }
    if (nodes)
        return evaluate_list(sim, nodes, EVAL_PLAIN);
    if (tape_evaluate(part, time, EVAL_PLAIN))
        return SOL_OK;
    for (int which = 0; which < 2; which++)
        EACH_SEGMENT (&part->orders[which], segment) {
            SolStatus status = segment->probe ? segment_evaluate(sim, segment, EVAL_PLAIN) : SOL_OK;
            if (status != SOL_OK)
                return status;
        }
    return SOL_OK;
}

/* Unknowns of the part there, or NULL: its states are in Sim.value then. */
static const double *unknowns_at(Part *part, double time)
{
    if (part->bridge.on) {
        part_at(part, time);
        return NULL;
    }
    return part->integrator->unknowns(part, time);
}

/* The next look behind *hi. */
static TapeLook look_next(Part *part, double end, double *lo, double *hi)
{
    double at = part->clocked ? looks_next(&part->looks, end) : end;
    TapeLook look = tape_look(part, at, unknowns_at(part, at), &part->sim->search.moved);
    if (look == TAPE_BLIND)
        return look;
    if (part->clocked && at < part->timed &&
        looks_too_far(&part->looks, at, tape_surprise(part, at)))
        return TAPE_QUIET;
    *lo = *hi;
    *hi = at;
    if (look == TAPE_QUIET) {
        tape_note_look(part, at);
        looks_accept(&part->looks, at);
    }
    return look;
}

/* What became of the comparisons in the step that the part has just taken; where some moved,
 * between lo and hi. Looks at the points that event_search would look at, so that the same steps
 * are quiet with and without a tape. */
static TapeLook look_by_tape(Part *part, const EventSearch *search, double to, double until,
                             double *lo, double *hi)
{
    int pieces = event_pieces(part->sim, part->clocked, until - search->begin);
    TapeLook look = TAPE_QUIET;
    if (search->dips || to != part->now || part->from >= to || !part->lists.watched.n ||
        part->n == 0)
        return TAPE_BLIND;
    PartLooks before = part->looks;
    looks_begin(&part->looks, part->from, (until - search->begin) / pieces);
    *hi = part->from;
    for (int i = 1; i <= pieces && look == TAPE_QUIET; i++) {
        double end = event_piece(search->begin, until, i, pieces);
        while (*hi < end && look == TAPE_QUIET && !cancel_break_off(part->sim))
            look = look_next(part, end, lo, hi);
    }
    if (look == TAPE_BLIND)
        part->looks = before;
    return look;
}

static bool look_moved(void *context, double time, bool *changed)
{
    Part *part = context;
    return tape_look_moved(part, time, unknowns_at(part, time), &part->sim->search.moved, changed);
}

/* Is the step long because its states feel nothing of the clock, which drives comparisons? */
static bool may_dip(const Part *part, double to)
{
    bool is_long = part->n == 0 || to - part->from > compare_look(part->sim);
    return part->clocked && is_long && !part_follows_clock(part);
}

enum { UNREAL = 32 }; /* changes of comparisons by errors, without any condition, in one step */

SolStatus part_search(Part *part, double to)
{
    Sim *sim = part->sim;
    EventSearch search = {
        .nodes = &part->lists.watched, .at = probe_at, .context = part, .clocked = part->clocked};
    search.looks = &part->looks;
    search.jump = part->timed;
    search.dips = may_dip(part, to);
    part->touch.search = false;
    part->event = INFINITY;
    part->looks.jumps = 0;
    double whole = to - part->from;
    search.begin = part->from;
    uint32_t unreal = 0;
    for (uint32_t rounds = 0; part->from < to; rounds++) {
        if (cancel_break_off(sim))
            return SOL_CANCELLED;
        bool found = true;
        double until = clock_change_next(part, part->from, to), time = until, lo, hi;
        TapeLook look = look_by_tape(part, &search, to, until, &lo, &hi);
        if (look == TAPE_QUIET) {
            part->from = until;
            continue;
        }
        search.look = look == TAPE_MOVED && tape_probes(part) ? look_moved : NULL;
        if (look == TAPE_BLIND) {
            tape_tell_compares(part);
            tape_forget_inputs(part); /* what comparisons are compared with changes below */
        }
        SolStatus status = look == TAPE_MOVED
                               ? event_search_moved(sim, &search, lo, hi, &time, &found)
                               : event_search(sim, &search, part->from, until, &time, &found);
        if (status != SOL_OK)
            return status;
        if (found && event_is_real(sim, time)) {
            part->before = sim->search.left;
            part->crossed = part->event = time; /* behind it all comparisons are remembered anew */
            return SOL_OK;
        }
        if (found) { /* a comparison changed, but no condition did */
            tape_tell_compares(part);
            compare_remember_moved(sim, &sim->search.moved);
            if (event_unmask(sim, &sim->search.moved, &part->lists.watched))
                tape_hear_compares(part, &part->lists.watched);
            event_mask(sim, &sim->search.moved);
            tape_hear_compares(part, &sim->search.moved);
        }
        if (!found && look == TAPE_MOVED) /* by errors alone: looks go on */
            tape_hear_compares(part, &part->lists.watched);
        unreal += rounds >= UNREAL && found && !compare_any_from_afar(sim, &sim->search.moved);
        if (found && unreal >= UNREAL) /* rounding at a boundary: no end of changes */
            time = fmin(to, fmax(time, part->from + whole / UNREAL));
        part->from =
            fmax(time, nextafter(part->from, to)); /* pieces may be shorter than rounding */
        if (found)
            search.begin = part->from;
    }
    return SOL_OK;
}

/* ---- both sides of an event ---- */

void parts_cross(Sim *sim)
{
    for (uint32_t i = 0; i < parts_touched(sim).n; i++) {
        Part *part = parts_touched(sim).at[i];
        if (!part->touch.behind)
            continue;
        part->touch.behind = false;
        part_at(part, sim->time);
        evaluate_probes(part, EVAL_EVENT);
        event_add_changed(part);
        evaluate_touch_outdated(sim, &part->lists.watched);
    }
}

SolStatus parts_look_back(Sim *sim, const NodeList *nodes)
{
    VEC(double) kept = {0};
    if (!parts_running(sim) || parts_left(sim) >= sim->time)
        return SOL_OK;
    parts_look_left(sim);
    SolStatus status = parts_bring_due(sim, EVAL_PLAIN);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            if (status == SOL_OK)
                status = evaluate_fetch(sim, node_output(node, k), EVAL_BACK);
            vec_push(sim->mem, &kept, sim->value[node_output(node, k)]);
        }
    }
    parts_look_right(sim);
    if (status == SOL_OK)
        status = parts_bring_due(sim, EVAL_EVENT);
    parts_cross(sim);
    const double *value = kept.at;
    for (uint32_t i = 0; i < nodes->n; i++) {
        EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            sim->value[node_output(node, k)] = *value++;
        node->waits = false;
        node->point_number = sim->point_number;
    }
    vec_free(sim->mem, &kept);
    return status;
}
