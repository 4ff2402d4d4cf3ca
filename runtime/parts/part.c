/* part.c: one of the independent parts of the dynamics: its life, its values at a time, its slopes.
 *
 * At an event only those parts are brought to its time whose event it is, and those that somebody reads or changes
 * (part_bring); the others know nothing of it.
 */
#include "runtime/parts/parts.h"
#include "runtime/parts/integrator.h"
#include "runtime/eval/tape.h"

#include <math.h>

/* ---- life ---- */

Part *part_new(Sim *sim)
{
    Part *part = mem_alloc(sim->mem, sizeof *part);
    part->sim = sim;
    part->event = part->timed = INFINITY;
    part->index = sim->parts.n;
    part->point_number = sim->point_number;
    vec_push(sim->mem, &sim->parts, part);
    part_disturb(part);
    return part;
}

static void drop_touched(Sim *sim, const Part *part)
{
    Part *last = vec_pop(&sim->loop.touched);
    if (last != part) {
        sim->loop.touched.at[part->touch.listed - 1] = last;
        last->touch.listed = part->touch.listed;
    }
}

static void drop_to_search(Sim *sim, const Part *part)
{
    for (uint32_t i = 0; i < sim->loop.to_search.n; i++)
        if (sim->loop.to_search.at[i] == part) {
            sim->loop.to_search.at[i] = vec_pop(&sim->loop.to_search);
            return;
        }
}

static void close_drivers(Part *part)
{
    for (int method = 0; method < PART_METHODS; method++)
        if (part->driver[method])
            part->sim->loop.integrators[method]->close(part);
    mem_free(part->sim->mem, part->bridge.at);
    part->bridge.at = NULL;
}

static void free_lists(Part *part)
{
    Sim *sim = part->sim;
    tape_close(part);
    fixed_code_drop(part);
    node_order_free(sim, &part->orders[0]);
    node_order_free(sim, &part->orders[1]);
    vec_free(sim->mem, &part->lists.watched);
    vec_free(sim->mem, &part->lists.by_clock);
    vec_free(sim->mem, &part->lists.timers);
    vec_free(sim->mem, &part->lists.roots);
    vec_free(sim->mem, &part->lists.notes);
    vec_free(sim->mem, &part->lists.watch_notes);
    vec_free(sim->mem, &part->lists.loops);
    vec_free(sim->mem, &part->order.nodes);
    vec_free(sim->mem, &part->states);
    vec_free(sim->mem, &part->loops);
    vec_free(sim->mem, &part->choice.aims);
    vec_free(sim->mem, &part->choice.dummies);
}

/* Counted are those that integrate something. */
void part_count(Part *part, int change)
{
    SimCounts *counts = &part->sim->counts;
    if (part->n > 0)
        counts->parts += (uint32_t)change;
    if (counts->parts > counts->parts_max)
        counts->parts_max = counts->parts;
}

void part_free(Part *part)
{
    Sim *sim = part->sim;
    part_count(part, -1);
    part->started = false;
    part_reorder(part);
    if (part->touch.listed)
        drop_touched(sim, part);
    if (part->touch.searching)
        drop_to_search(sim, part);
    Part *last = vec_pop(&sim->parts);
    if (last != part) {
        sim->parts.at[part->index] = last;
        for (int which = 0; which < HEAPS; which++)
            part_heap_rename(&sim->loop.heaps[which], part->index, last->index);
        last->index = part->index;
    }
    close_drivers(part);
    free_lists(part);
    mem_free(sim->mem, part);
}

void parts_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        close_drivers(sim->parts.at[i]);
        free_lists(sim->parts.at[i]);
        mem_free(sim->mem, sim->parts.at[i]);
    }
    vec_free(sim->mem, &sim->parts);
    vec_free(sim->mem, &sim->loop.touched);
    vec_free(sim->mem, &sim->loop.due);
    vec_free(sim->mem, &sim->loop.to_search);
    vec_free(sim->mem, &sim->loop.unsettled);
    vec_free(sim->mem, &sim->loop.cuts);
    vec_free(sim->mem, &sim->loop.clocked_work);
    vec_free(sim->mem, &sim->loop.fetch);
    vec_free(sim->mem, &sim->loop.output_plan.wanted);
    vec_free(sim->mem, &sim->loop.output_plan.items);
    vec_free(sim->mem, &sim->loop.output_plan.vars);
    vec_free(sim->mem, &sim->loop.output_plan.nodes);
    part_heaps_close(sim);
    node_order_free(sim, &sim->outputs);
}

/* ---- what an event does to a part ---- */

void part_touch(Part *part)
{
    tape_forget_inputs(part);
    if (part->touch.listed)
        return;
    vec_push(part->sim->mem, &part->sim->loop.touched, part);
    part->touch.listed = part->sim->loop.touched.n;
}

void part_disturb(Part *part)
{
    part_touch(part);
    part_bring(part, EVAL_EVENT);
    part->touch.restart = true;
}

void part_search_again(Part *part)
{
    part_touch(part);
    part_bring(part, EVAL_EVENT);
    part->touch.search = true;
}

DdpVar part_unknown(const Part *part, uint32_t i)
{
    if (i < part->states.n)
        return part->states.at[i].var;
    i -= part->states.n;
    for (uint32_t k = 0;; k++) {
        const EvalNode *node = &part->sim->nodes.at[part->loops.at[k]];
        if (i < node->n_tears)
            return node_tears(node)[i];
        i -= node->n_tears;
    }
}

/* ---- evaluation of one part ---- */

int part_evaluate(Part *part, double time, double *residuals)
{
    Sim *sim = part->sim;
    sim->value[sim->clock] = time;
    int result = blocks_evaluate(part, residuals);
    sim->counts.residuals++;
    return result;
}

static void put_states(Part *part, const double *y)
{
    double *value = part->sim->value;
    const PartState *state = part->states.at, *end = state + part->states.n;
    for (; state < end; state++)
        value[state->var] = *y++;
}

void part_put_unknowns(Part *part, const double *unknowns)
{
    Sim *sim = part->sim;
    put_states(part, unknowns);
    unknowns += part->states.n;
    for (uint32_t k = 0; k < part->loops.n; k++) {
        const EvalNode *node = &sim->nodes.at[part->loops.at[k]];
        for (uint32_t i = 0; i < node->n_tears; i++)
            sim->value[node_tears(node)[i]] = *unknowns++;
    }
}

int part_slopes(Part *part, double time, const double *unknowns, double *slopes, double *residuals)
{
    if (tape_slopes(part, time, unknowns, slopes) && evaluate_all_finite(part->states.n, slopes))
        return 0;
    if (residuals)
        part_put_unknowns(part, unknowns);
    else
        put_states(part, unknowns);
    part->strayed = true;
    int result = part_evaluate(part, time, residuals);
    for (uint32_t i = 0; i < part->states.n; i++)
        slopes[i] = part->sim->value[part->states.at[i].slope];
    return result;
}

/* A tape that became ready since would leave in Sim.value what was tried there. */
void part_return(Part *part, const double *states, double *slopes)
{
    if (!part->strayed) {
        part_slopes(part, part->now, states, slopes, NULL);
        return;
    }
    put_states(part, states);
    part_evaluate(part, part->now, NULL);
    part->strayed = false;
}

/* ---- integrators ---- */

bool part_follows_clock(const Part *part)
{
    const Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++) {
        DdpVar slope = part->states.at[i].slope;
        if (slope == sim->clock || sim->info[slope].clocked)
            return true;
    }
    return false;
}

const NodeList *part_dynamics(Part *part)
{
    if (!part->order.nodes.at || part->order.version != part->orders[0].version)
        node_order_list(part->sim, &part->orders[0], &part->order.nodes);
    part->order.version = part->orders[0].version;
    return &part->order.nodes;
}

/* Steps after which the derivatives are taken anew that loops are checked with. */
enum { CHECK_EVERY = 16 };

void part_note_loops(Part *part)
{
    for (uint32_t i = 0; i < part->lists.loops.n; i++)
        loop_keep_note(part->sim, &part->sim->nodes.at[part->lists.loops.at[i]]);
}

/* At the end of a step. */
void part_keep_loops(Part *part)
{
    Sim *sim = part->sim;
    part_note_loops(part);
    for (uint32_t i = 0; i < part->lists.loops.n; i++) {
        EvalNode *node = &sim->nodes.at[part->lists.loops.at[i]];
        if (!node->constant && ++node_loop(node)->steps % CHECK_EVERY == 0)
            node_loop(node)->checked = node_loop(node)->kept.checked = false;
    }
}

void part_put_loops(Part *part)
{
    for (uint32_t i = 0; i < part->lists.loops.n; i++)
        loop_keep_put(part->sim, &part->sim->nodes.at[part->lists.loops.at[i]]);
}

/* On the bridge that bridge.c has made, behind its begin. */
static void part_at_bridge(Part *part, double time)
{
    uint32_t n = part->states.n;
    if (time < part->bridge.from)
        return;
    for (uint32_t i = 0; i < n; i++)
        part->sim->value[part->states.at[i].var] =
            part->bridge.at[i] + (time - part->bridge.from) * part->bridge.at[n + i];
}

/* Constraints have several solutions (two sides of a link), of which a loop finds the one next to its first guess. Inside the last step
 * that need not be the one next to the end of it, where all of a chain moves: so guesses move back as they came. */
static void part_put_dummies(Part *part, double time)
{
    const PartChoice *choice = &part->choice;
    bool noted = choice->constrained && choice->noted == part->now;
    if (!noted || !part->started || part->restructured || time == part->now)
        return;
    for (uint32_t i = 0; i < choice->dummies.n; i++) {
        const DummyNote *note = &choice->dummies.at[i];
        if (note->unknown && isfinite(note->slope))
            part->sim->value[note->unknown] = note->value + (time - choice->noted) * note->slope;
    }
}

/* States, and tearing variables as first guesses, as they are at `time`. */
void part_at(Part *part, double time)
{
    if (!part->fixed_steps)
        part_put_loops(part);
    part_put_dummies(part, time);
    part->integrator->at(part, time);
    if (part->bridge.on)
        part_at_bridge(part, time);
    part->sim->value[part->sim->clock] = time;
}

SolStatus part_evaluate_all(Part *part, double time, EvalHow how)
{
    if (tape_evaluate(part, time, how))
        return SOL_OK;
    SolStatus status = evaluate_node_order(part->sim, &part->orders[0], how);
    return status == SOL_OK ? evaluate_node_order(part->sim, &part->orders[1], how) : status;
}

/* All values at `now`. Where some have none because a condition has just changed (the square root
 * of a level that fell below zero), all are those of the last point at which it had not: the left
 * side of the event. What conditions need is brought to the other side by parts_cross(). */
static SolStatus evaluate_brought(Part *part, double now, EvalHow how)
{
    Sim *sim = part->sim;
    bool behind = part->crossed == now && part->before < now;
    SolStatus status = part_evaluate_all(part, now, behind ? how | EVAL_TRIAL : how);
    if (status == SOL_OK || !behind)
        return status;
    part_at(part, part->before);
    status = part_evaluate_all(part, part->before, how);
    sim->value[sim->clock] = now;
    part->touch.behind = true;
    return status;
}

/* Where output has put the states there at this point, and there are no loops that begin anew, nothing is left to do. */
static bool is_there(const Part *part, double time)
{
    return part->shown.point_number == part->sim->point_number && time == part->sim->time &&
           !part->lists.loops.n && !part->loops.n;
}

static SolStatus bring_to(Part *part, double time, EvalHow how)
{
    if (!is_there(part, time))
        part_at(part, time);
    part->sim->value[part->sim->clock] = time;
    part->sim->work += part->orders[0].n + part->orders[1].n;
    return evaluate_brought(part, time, how);
}

/* At an event that is not its own a part goes on steadily: it is brought to the time of the event, and has
 * these values on both sides of it. */
static SolStatus bring_steadily(Part *part, EvalHow how)
{
    Sim *sim = part->sim;
    SolStatus status = bring_to(part, sim->loop.event_time, how);
    sim->value[sim->clock] = sim->time;
    return status;
}

void part_bring(Part *part, EvalHow how)
{
    Sim *sim = part->sim;
    if (part->point_number == sim->point_number)
        return;
    bool known = part->touch.steady && part->point_number >= sim->loop.event_point_number;
    part->point_number = sim->point_number;
    if (!part->fixed_steps && !(part->started && sim->loop.running))
        return;
    if (!known) {
        part->touch.steady = sim->loop.event_point_number <= sim->point_number &&
                             part->touch.due != sim->loop.number;
        SolStatus status = part->touch.steady && sim->loop.left ? bring_steadily(part, how)
                                                                : bring_to(part, sim->time, how);
        if (status != SOL_OK && sim->loop.status == SOL_OK)
            sim->loop.status = status;
    }
    if (!(part->touch.steady && sim->loop.left)) /* it is asked again on the right */
        sim->loop.part_brought(part);
}

TapeView part_view(Part *part)
{
    Sim *sim = part->sim;
    bool plain = !part->fixed_steps && part->started && sim->loop.running &&
                 part->crossed != sim->time && sim->loop.event_point_number > sim->point_number;
    if (!plain || part->point_number == sim->point_number)
        return (TapeView){0};
    if (!is_there(part, sim->time))
        part_at(part, sim->time);
    sim->value[sim->clock] = sim->time;
    sim->work += part->orders[0].n + part->orders[1].n;
    return tape_view(part, sim->time);
}

/* Output that shows more of a part than this share of its nodes has it evaluated as a whole, by its
 * tape. */
enum { SHOWN_FEW = 4, SHOWN_SHARE = 32 };

bool part_evaluate_wanted(Part *part)
{
    Sim *sim = part->sim;
    if (part->point_number == sim->point_number || part->shown.point_number == sim->point_number)
        return part->point_number != sim->point_number;
    if (part->fixed_steps || !part->started || !sim->loop.running || part->shown.whole) {
        part_bring(part, EVAL_PLAIN);
        return false;
    }
    part->shown.point_number = sim->point_number;
    part->shown.nodes = 0;
    tape_outdated(part);
    part_at(part, sim->time);
    return true;
}

bool part_may_evaluate_wanted(Part *part)
{
    if (!part_evaluate_wanted(part))
        return false;
    uint32_t nodes = part->orders[0].n + part->orders[1].n;
    if (++part->shown.nodes <= SHOWN_FEW + nodes / SHOWN_SHARE)
        return true;
    part->shown.whole = true;
    part_bring(part, EVAL_PLAIN);
    return false;
}

SolStatus parts_bring_all(Sim *sim, EvalHow how)
{
    for (uint32_t i = 0; i < sim->parts.n && sim->loop.status == SOL_OK; i++)
        part_bring(sim->parts.at[i], how);
    return sim->loop.status;
}

/* Somebody looks at `time`; parts are brought there when they are asked. */
void parts_look_at(Sim *sim, double time)
{
    sim->time = time;
    sim->point_number++;
    sim->value[sim->clock] = time;
    parts_look_anew(sim);
}

void parts_look_anew(Sim *sim)
{
    sim->loop.event_point_number = UINT64_MAX;
    sim->loop.left = false;
}

void parts_look_left(Sim *sim)
{
    double time = sim->time;
    uint64_t first = sim->loop.event_point_number;
    parts_look_at(sim, sim->loop.left_time);
    sim->loop.event_time = time;
    sim->loop.event_point_number = first < sim->point_number ? first : sim->point_number;
    sim->loop.left = true;
}

void parts_look_right(Sim *sim)
{
    uint64_t first = sim->loop.event_point_number;
    parts_look_at(sim, sim->loop.event_time);
    sim->loop.event_point_number = first;
}

SolStatus parts_bring_due(Sim *sim, EvalHow how)
{
    for (uint32_t i = 0; i < sim->loop.due.n && sim->loop.status == SOL_OK; i++)
        part_bring(sim->loop.due.at[i], how);
    return sim->loop.status;
}

/* Comparisons as they are at this point of the grid: nobody but a tape asks for them there. */
void part_remember(Part *part)
{
    tape_forget_inputs(part);
    if (tape_possible(part->sim) && !tape_remember(part, part->sim->time))
        compare_remember(part->sim, &part->lists.watched);
}

/* ---- all of them ---- */

void parts_open(Sim *sim, const Integrator *const *methods, bool (*brought)(Part *part))
{
    sim->loop.integrators = methods;
    sim->loop.part_brought = brought;
}

const Integrator *parts_integrator(const Sim *sim, PartMethod method)
{
    return sim->loop.integrators ? sim->loop.integrators[method] : NULL;
}

SolStatus parts_status(const Sim *sim)
{
    return sim->loop.status;
}

void parts_recover(Sim *sim)
{
    sim->loop.status = SOL_OK;
}

bool parts_running(const Sim *sim)
{
    return sim->loop.running;
}

void parts_run(Sim *sim, bool running)
{
    sim->loop.running = running;
}

PartList parts_touched(const Sim *sim)
{
    return (PartList){sim->loop.touched.n, sim->loop.touched.at};
}

void parts_forget_touched(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loop.touched.n; i++)
        sim->loop.touched.at[i]->touch.listed = 0;
    vec_clear(&sim->loop.touched);
}

PartList parts_due(const Sim *sim)
{
    return (PartList){sim->loop.due.n, sim->loop.due.at};
}

void parts_next_event(Sim *sim, double left)
{
    sim->loop.left_time = left;
    sim->loop.number++;
    parts_look_anew(sim);
    vec_clear(&sim->loop.due);
}

void parts_set_left(Sim *sim, double time)
{
    sim->loop.left_time = time;
}

double parts_left(const Sim *sim)
{
    return sim->loop.left_time;
}

double parts_event_time(const Sim *sim)
{
    return sim->loop.left ? sim->loop.event_time : sim->time;
}

void part_is_due(Part *part)
{
    part->touch.due = part->sim->loop.number;
    vec_push(part->sim->mem, &part->sim->loop.due, part);
}

bool part_due(const Part *part)
{
    return part->touch.due == part->sim->loop.number;
}

void part_search_later(Part *part)
{
    if (!part->touch.searching)
        vec_push(part->sim->mem, &part->sim->loop.to_search, part);
    part->touch.searching = true;
}

Part *parts_next_search(Sim *sim)
{
    if (!sim->loop.to_search.n)
        return NULL;
    Part *part = vec_pop(&sim->loop.to_search);
    part->touch.searching = false;
    return part;
}

void parts_clear(Sim *sim)
{
    while (sim->parts.n)
        part_free(vec_last(&sim->parts));
    node_order_free(sim, &sim->outputs);
    vec_clear(&sim->loop.unsettled);
    vec_clear(&sim->loop.cuts);
    vec_clear(&sim->loop.clocked_work);
    sim->loop.running = false;
}
