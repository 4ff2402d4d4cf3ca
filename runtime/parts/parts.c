/* parts.c: independent parts, each with its own integrator -> time goes on.
 *
 * Parts (part_graph.c) never read each other, so each steps on its own. The one that is furthest
 * behind steps first. So when a comparison is found to change at time t, every other part is either
 * behind t, and still has to step, or its last step began before t: dense output reaches t in all
 * of them, and the earliest change is handled when no part is behind it.
 *
 * At an event only those parts are brought to its time whose event it is, and those that somebody
 * reads or changes (part_meet); the others know nothing of it. Parts that were changed start anew,
 * parts that were only looked at go on. So an event costs what it touches.
 *
 * Time events stop the integrator of the part they belong to, so that no step crosses them; those
 * of parts without states (a switch that the clock throws) may belong to anybody and stop all.
 */
#include "runtime/event/jump.h"
#include "runtime/parts/parts.h"

#include "runtime/event/event_cause.h"
#include "runtime/eval/compare.h"
#include "runtime/eval/tape.h"
#include "runtime/eval/trace.h"

#include <math.h>
#include <string.h>

/* ---- heaps of parts ---- */

static bool needs_steps(const Part *part)
{
    return part->started && (part->n > 0 || part->watched.n > 0);
}

/* What a part is ordered by; infinite: it is not in the heap. */
static double key_of(const Part *part, int heap)
{
    switch (heap) {
    case HEAP_BEHIND:
        return needs_steps(part) ? part->now : INFINITY;
    case HEAP_DUE:
        return part->started ? fmin(part->event, part->timed) : INFINITY;
    default:
        return part->started && part->n == 0 ? part->timed : INFINITY;
    }
}

/* Keys are kept in the heap, and where a part is in it beside it: parts lie far apart. */
static bool comes_first(const PartKey *a, const PartKey *b)
{
    return (a->key < b->key) | ((a->key == b->key) & (a->index < b->index));
}

static void heap_set(PartHeap *heap, uint32_t i, PartKey entry)
{
    heap->at[i] = entry;
    heap->place[entry.index] = i + 1;
}

static void heap_up(PartHeap *heap, uint32_t i)
{
    PartKey entry = heap->at[i];
    for (; i && comes_first(&entry, &heap->at[(i - 1) / 2]); i = (i - 1) / 2)
        heap_set(heap, i, heap->at[(i - 1) / 2]);
    heap_set(heap, i, entry);
}

static void heap_down(PartHeap *heap, uint32_t i)
{
    PartKey entry = heap->at[i];
    for (uint32_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n) /* which one nobody could predict: no branch */
            child += comes_first(&heap->at[child + 1], &heap->at[child]);
        if (!comes_first(&heap->at[child], &entry))
            break;
        heap_set(heap, i, heap->at[child]);
    }
    heap_set(heap, i, entry);
}

static void heap_leave(PartHeap *heap, uint32_t index)
{
    uint32_t i = heap->place[index] - 1;
    PartKey last = heap->at[--heap->n];
    heap->place[index] = 0;
    if (last.index == index)
        return;
    heap_set(heap, i, last);
    heap_up(heap, i);
    heap_down(heap, heap->place[last.index] - 1);
}

/* For as many parts as there are. */
static void heap_room(Sim *sim, PartHeap *heap)
{
    if (sim->parts.n <= heap->room)
        return;
    uint32_t room = 2 * sim->parts.n;
    heap->at = mem_resize(sim->mem, heap->at, room * sizeof *heap->at);
    heap->place = mem_resize(sim->mem, heap->place, room * sizeof *heap->place);
    memset(heap->place + heap->room, 0, (room - heap->room) * sizeof *heap->place);
    heap->room = room;
}

/* The part with the second index has the first one now, which has nobody. */
static void heap_rename(PartHeap *heap, uint32_t to, uint32_t from)
{
    uint32_t place = from < heap->room ? heap->place[from] : 0;
    if (!place)
        return;
    heap->at[place - 1].index = to;
    heap->place[to] = place;
    heap->place[from] = 0;
}

void part_reorder(Part *part)
{
    for (int which = 0; which < HEAPS; which++) {
        PartHeap *heap = &part->sim->heaps[which];
        double key = key_of(part, which);
        heap_room(part->sim, heap);
        uint32_t place = heap->place[part->index];
        if (!isfinite(key)) {
            if (place)
                heap_leave(heap, part->index);
            continue;
        }
        uint32_t i = place ? place - 1 : heap->n++;
        heap->at[i] = (PartKey){key, part->index};
        heap_up(heap, i);
        heap_down(heap, heap->place[part->index] - 1);
    }
}

static double first_key(const Sim *sim, int which)
{
    return sim->heaps[which].n ? sim->heaps[which].at[0].key : INFINITY;
}

static Part *first_part(const Sim *sim, int which, uint32_t i)
{
    return sim->parts.at[sim->heaps[which].at[i].index];
}

/* ---- memory ahead of time ---- */

/* Small parts take turns, and the turns of a thousand others drive from the caches what one needs:
 * so it is asked for one turn ahead, and where that lies two turns ahead. Whose turn it will be is
 * told by the heap, unless the part that steps now comes first again. NULL: parts are few. */
static const Part *next_part(const Sim *sim)
{
    const PartHeap *heap = &sim->heaps[HEAP_BEHIND];
    if (heap->n < 3)
        return NULL;
    for (uint32_t i = 3; i < heap->n && i < 7; i++)
        part_ask_head(first_part(sim, HEAP_BEHIND, i));
    return first_part(sim, HEAP_BEHIND, heap->at[2].key < heap->at[1].key ? 2 : 1);
}

/* ---- life ---- */

Part *part_new(Sim *sim)
{
    Part *part = mem_alloc(sim->mem, sizeof *part);
    part->sim = sim;
    part->event = part->timed = INFINITY;
    part->index = sim->parts.n;
    part->moment = sim->moment;
    vec_push(sim->mem, &sim->parts, part);
    part_disturb(part);
    return part;
}

static void drop_touched(Sim *sim, const Part *part)
{
    Part *last = vec_pop(&sim->touched);
    if (last != part) {
        sim->touched.at[part->touched - 1] = last;
        last->touched = part->touched;
    }
}

static void drop_to_search(Sim *sim, const Part *part)
{
    for (uint32_t i = 0; i < sim->to_search.n; i++)
        if (sim->to_search.at[i] == part) {
            sim->to_search.at[i] = vec_pop(&sim->to_search);
            return;
        }
}

static void close_integrators(Part *part)
{
    ida_driver_close(part);
    rk_close(part);
    reselect_close(part);
    bridge_close(part);
}

static void free_lists(Part *part)
{
    Sim *sim = part->sim;
    tape_close(part);
    fixed_code_drop(part);
    rope_free(sim, &part->ropes[0]);
    rope_free(sim, &part->ropes[1]);
    vec_free(sim->mem, &part->watched);
    vec_free(sim->mem, &part->timers);
    vec_free(sim->mem, &part->roots);
    vec_free(sim->mem, &part->notes);
    vec_free(sim->mem, &part->inner);
    vec_free(sim->mem, &part->dynamics);
    vec_free(sim->mem, &part->states);
    vec_free(sim->mem, &part->loops);
    mem_free(sim->mem, part->euler);
}

/* Counted are those that integrate something. */
static void count_part(Part *part, int change)
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
    count_part(part, -1);
    part->started = false;
    part_reorder(part);
    if (part->touched)
        drop_touched(sim, part);
    if (part->searching)
        drop_to_search(sim, part);
    Part *last = vec_pop(&sim->parts);
    if (last != part) {
        sim->parts.at[part->index] = last;
        for (int which = 0; which < HEAPS; which++)
            heap_rename(&sim->heaps[which], part->index, last->index);
        last->index = part->index;
    }
    close_integrators(part);
    free_lists(part);
    mem_free(sim->mem, part);
}

void parts_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        close_integrators(sim->parts.at[i]);
        free_lists(sim->parts.at[i]);
        mem_free(sim->mem, sim->parts.at[i]);
    }
    vec_free(sim->mem, &sim->parts);
    vec_free(sim->mem, &sim->touched);
    vec_free(sim->mem, &sim->due);
    vec_free(sim->mem, &sim->to_search);
    for (int which = 0; which < HEAPS; which++) {
        mem_free(sim->mem, sim->heaps[which].at);
        mem_free(sim->mem, sim->heaps[which].place);
    }
    rope_free(sim, &sim->outputs);
    ida_driver_close_all(sim);
}

/* ---- what an event does to a part ---- */

void part_touch(Part *part)
{
    tape_forget_inputs(part);
    if (part->touched)
        return;
    vec_push(part->sim->mem, &part->sim->touched, part);
    part->touched = part->sim->touched.n;
}

void part_disturb(Part *part)
{
    part_touch(part);
    part_meet(part);
    part->restart = true;
}

void part_search_again(Part *part)
{
    part_touch(part);
    part_meet(part);
    part->search = true;
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
    sim->quiet = true;
    int result = blocks_evaluate(part, residuals);
    sim->quiet = false;
    sim->counts.residuals++;
    return result;
}

static void put_states(Part *part, const double *y)
{
    for (uint32_t i = 0; i < part->states.n; i++)
        part->sim->value[part->states.at[i].var] = y[i];
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
    int result = part_evaluate(part, time, residuals);
    for (uint32_t i = 0; i < part->states.n; i++)
        slopes[i] = part->sim->value[part->states.at[i].slope];
    return result;
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

/* Small loops are solved in place, large ones by the integrator's own Newton iteration. In place
 * also where they are nonlinear: a prediction of tearing variables that is a little off becomes far
 * off behind a chain of exponentials, so Newton failed at every third step (transistor amplifier,
 * rtol 1e-8: 37,500 steps with the two tearing variables as unknowns, 4,000 with the loop solved in
 * place). And all that are solved untorn, because they are very large or because their
 * steps amplify rounding: a prediction would fare no better. */
enum { IN_PLACE = 8 };

static bool is_outer(const Sim *sim, const EvalNode *node)
{
    return sim->opt.solver != SOL_SOLVER_RK && node->loop && node->n_tears > IN_PLACE &&
           node->n_tears <= LOOP_TORN && !node->untorn;
}

/* Which loops are unknowns of the integrator, in the order of the schedule. */
static void choose_unknowns(Part *part)
{
    Sim *sim = part->sim;
    count_part(part, -1);
    vec_clear(&part->loops);
    part->n = part->states.n;
    for (uint32_t i = 0; i < part->inner.n; i++) {
        EvalNode *node = &sim->nodes.at[part->inner.at[i]];
        node->outer = node->place == PLACE_DYNAMICS && is_outer(sim, node);
        if (!node->outer)
            continue;
        vec_push(sim->mem, &part->loops, part->inner.at[i]);
        part->n += node->n_tears;
    }
    rope_sort(sim, &part->loops);
    count_part(part, 1);
}

const NodeList *part_dynamics(Part *part)
{
    if (!part->dynamics.at || part->listed != part->ropes[0].version)
        rope_list(part->sim, &part->ropes[0], &part->dynamics);
    part->listed = part->ropes[0].version;
    return &part->dynamics;
}

static SolStatus start_part(Part *part)
{
    Sim *sim = part->sim;
    SolStatus status = SOL_OK;
    if (part->restructured || !part->started) {
        ida_driver_restructured(part);
        choose_unknowns(part);
    }
    blocks_prepare(part);
    part->seen_whole &= !part->restructured;
    part->restructured = false;
    part->back = part->now = part->from = sim->time;
    part->event = INFINITY;
    part->search = part->reselect = part->bridged = false;
    part->method = method_of(part);
    if (part->method == PART_IDA)
        status = ida_driver_start(part);
    else if (part->method == PART_RK)
        status = rk_start(part);
    part->started = status == SOL_OK;
    sim->counts.restarts += part->n > 0;
    part->restarts += part->n > 0;
    part->steps_at_restart = part->steps;
    return status;
}

/* Steps after which the derivatives are taken anew that loops are checked with. */
enum { CHECK_EVERY = 16 };

/* A loop's solution depends on where its iteration begins, if only in the last digit. So that a run
 * does not depend on who looks at it between events, each look and each step begin where the last
 * step, or the event, left the loops of the part, and not where the last look left them. */
void part_note_loops(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->inner.n; i++) {
        EvalNode *node = &sim->nodes.at[part->inner.at[i]];
        for (uint32_t k = 0; k < node->n_steps; k++)
            node_kept(node)[k] = sim->value[node->ops[k].target];
        for (uint32_t k = 0; k < node->n_tears; k++)
            node_kept(node)[node->n_steps + k] = sim->value[node_tears(node)[k]];
    }
}

/* At the end of a step. */
void part_keep_loops(Part *part)
{
    Sim *sim = part->sim;
    part_note_loops(part);
    for (uint32_t i = 0; i < part->inner.n; i++) {
        EvalNode *node = &sim->nodes.at[part->inner.at[i]];
        if (!node->constant && ++node_loop(node)->steps % CHECK_EVERY == 0)
            node->checked = false;
    }
}

void part_put_loops(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->inner.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->inner.at[i]];
        for (uint32_t k = 0; k < node->n_steps; k++)
            sim->value[node->ops[k].target] = node_kept(node)[k];
        for (uint32_t k = 0; k < node->n_tears; k++)
            sim->value[node_tears(node)[k]] = node_kept(node)[node->n_steps + k];
    }
}

static SolStatus step_part(Part *part, double limit)
{
    Sim *sim = part->sim;
    double before = part->now;
    part->moment = 0;
    part_put_loops(part);
    SolStatus status = part->change ? method_change(part) : SOL_OK;
    if (status != SOL_OK)
        return status;
    if (part->method == PART_CLOCK) {
        part->back = part->now;
        part->now = fmin(part->now + compare_look(sim), limit);
    } else {
        status = part->method == PART_IDA ? ida_driver_step(part, limit) : rk_step(part, limit);
        sim->counts.steps++;
        part->steps++;
    }
    if (part->method != PART_CLOCK)
        trace_step(sim, part->method == PART_IDA ? "ida" : "rk", part->n, before, part->now);
    if (part->method == PART_IDA)
        sim->counts.time_ida += part->now - before;
    else if (part->method == PART_RK)
        sim->counts.time_rk += part->now - before;
    return status;
}

/* States, and tearing variables as first guesses, as they are at `time`. */
void part_at(Part *part, double time)
{
    part_put_loops(part);
    if (part->method == PART_IDA)
        ida_driver_at(part, time);
    else if (part->method == PART_RK)
        rk_at(part, time);
    if (part->bridged)
        bridge_at(part, time);
    part->sim->value[part->sim->clock] = time;
}

SolStatus part_evaluate_all(Part *part)
{
    if (tape_evaluate(part, part->sim->time))
        return SOL_OK;
    SolStatus status = evaluate_rope(part->sim, &part->ropes[0]);
    return status == SOL_OK ? evaluate_rope(part->sim, &part->ropes[1]) : status;
}

/* What has no value here keeps the one it had. */
static void evaluate_or_keep(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    double before = sim->value[node_output(node, 0)];
    if (evaluate_node(sim, n) == SOL_OK && isfinite(sim->value[node_output(node, 0)]))
        return;
    sim->value[node_output(node, 0)] = before;
    for (uint32_t k = 0; node->loop && k < node->n_steps + node->n_tears; k++)
        sim->value[node_output(node, k)] = node_kept(node)[k];
}

/* What conditions need, beyond a boundary behind which not everything has a value. */
static void evaluate_probes(Part *part)
{
    Sim *sim = part->sim;
    bool quiet = sim->quiet;
    sim->quiet = true;
    for (int which = 0; which < 2; which++)
        EACH_LEAF (&part->ropes[which], leaf)
            for (uint32_t i = 0; leaf->probe && i < leaf->nodes.n; i++)
                evaluate_or_keep(sim, leaf->nodes.at[i]);
    sim->quiet = quiet;
}

/* All values at Sim.time. Where some have none because a condition has just changed (the square root
 * of a level that fell below zero), all are those of the last point at which it had not: the left
 * side of the event. What conditions need is brought to the other side by parts_cross(). */
static SolStatus evaluate_met(Part *part)
{
    Sim *sim = part->sim;
    double now = sim->time;
    bool behind = part->crossed == now && part->before < now, quiet = sim->quiet;
    sim->quiet |= behind;
    SolStatus status = part_evaluate_all(part);
    sim->quiet = quiet;
    if (status == SOL_OK || !behind)
        return status;
    sim->time = part->before;
    part_at(part, sim->time);
    status = part_evaluate_all(part);
    sim->time = sim->value[sim->clock] = now;
    part->behind = true;
    return status;
}

void parts_cross(Sim *sim)
{
    for (uint32_t i = 0; i < sim->touched.n; i++) {
        Part *part = sim->touched.at[i];
        if (!part->behind)
            continue;
        part->behind = false;
        part_at(part, sim->time);
        evaluate_probes(part);
        event_suspect_changed(part);
        jump_touch_outdated(sim, &part->watched);
    }
}

void part_meet(Part *part)
{
    Sim *sim = part->sim;
    if (part->moment == sim->moment)
        return;
    part->moment = sim->moment;
    if (part->euler)
        euler_put(part);
    else if (part->started && sim->running)
        part_at(part, sim->time);
    else
        return;
    sim->work += part->ropes[0].n + part->ropes[1].n;
    SolStatus status = evaluate_met(part);
    if (status != SOL_OK && sim->meet_status == SOL_OK)
        sim->meet_status = status;
    event_suspect_changed(part); /* for the next update, if this is an event */
}

/* Output that shows more of a part than this share of its nodes has it evaluated as a whole, by its
 * tape. */
enum { GLANCE_FEW = 4, GLANCE_SHARE = 32 };

bool part_glance(Part *part)
{
    Sim *sim = part->sim;
    if (part->moment == sim->moment || part->glance == sim->moment)
        return part->moment != sim->moment;
    if (part->euler || !part->started || !sim->running || part->seen_whole) {
        part_meet(part);
        return false;
    }
    part->glance = sim->moment;
    part->glanced = 0;
    tape_outdated(part);
    part_at(part, sim->time);
    return true;
}

bool part_may_glance(Part *part)
{
    if (!part_glance(part))
        return false;
    uint32_t nodes = part->ropes[0].n + part->ropes[1].n;
    if (++part->glanced <= GLANCE_FEW + nodes / GLANCE_SHARE)
        return true;
    part->seen_whole = true;
    part_meet(part);
    return false;
}

SolStatus parts_meet_all(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n && sim->meet_status == SOL_OK; i++)
        part_meet(sim->parts.at[i]);
    return sim->meet_status;
}

/* ---- searching for events ---- */

static SolStatus probe_at(void *context, double time, const NodeList *nodes)
{
    Part *part = context;
    Sim *sim = part->sim;
    part_at(part, time);
    sim->time = time;
    part->moment = 0;
    if (part->bridged) {
        evaluate_probes(part);
        return SOL_OK;
    }
    if (nodes)
        return evaluate_list(sim, nodes);
    if (tape_evaluate(part, time))
        return SOL_OK;
    for (int which = 0; which < 2; which++)
        EACH_LEAF (&part->ropes[which], leaf) {
            SolStatus status = leaf->probe ? leaf_evaluate(sim, leaf) : SOL_OK;
            if (status != SOL_OK)
                return status;
        }
    return SOL_OK;
}

/* Unknowns of the part there, or NULL: its states are in Sim.value then. */
static const double *unknowns_at(Part *part, double time)
{
    if (part->bridged) {
        part_at(part, time);
        return NULL;
    }
    if (part->method == PART_IDA)
        return ida_driver_unknowns(part, time);
    if (time == part->now)
        return rk_states(part);
    rk_at(part, time);
    return NULL;
}

/* What became of the comparisons in the step that the part has just taken; where some moved,
 * between lo and hi. Looks at the points that event_search would look at, so that the same steps
 * are quiet with and without a tape. */
static TapeLook look_by_tape(Part *part, double to, double *lo, double *hi)
{
    int pieces = event_pieces(part->sim, part->clocked, to - part->from);
    TapeLook look = TAPE_QUIET;
    if (to != part->now || part->from >= to || !part->watched.n || part->method == PART_CLOCK)
        return TAPE_BLIND;
    *hi = part->from;
    for (int i = 1; i <= pieces && look == TAPE_QUIET; i++) {
        *lo = *hi;
        *hi = i == pieces ? to : part->from + (to - part->from) * i / pieces;
        look = tape_look(part, *hi, unknowns_at(part, *hi));
    }
    return look;
}

static bool look_moved(void *context, double time, bool *changed)
{
    Part *part = context;
    return tape_look_moved(part, time, unknowns_at(part, time), changed);
}

enum { UNREAL = 32 }; /* changes of comparisons without any condition, in one step */

SolStatus part_search(Part *part, double to)
{
    Sim *sim = part->sim;
    EventSearch search = {
        .nodes = &part->watched, .at = probe_at, .context = part, .clocked = part->clocked};
    part->search = false;
    part->event = INFINITY;
    double whole = to - part->from;
    for (uint32_t unreal = 0; part->from < to; unreal++) {
        if (cancel_break_off(sim))
            return SOL_CANCELLED;
        bool found = true;
        double time = to, lo, hi;
        TapeLook look = look_by_tape(part, to, &lo, &hi);
        if (look == TAPE_QUIET) {
            part->from = to;
            return SOL_OK;
        }
        search.look = look == TAPE_MOVED && tape_probes(part) ? look_moved : NULL;
        if (look == TAPE_BLIND) {
            tape_tell_compares(part);
            tape_forget_inputs(part); /* what comparisons are compared with changes below */
        }
        SolStatus status = look == TAPE_MOVED
                               ? event_search_moved(sim, &search, lo, hi, &time, &found)
                               : event_search(sim, &search, part->from, to, &time, &found);
        if (status != SOL_OK)
            return status;
        if (found && event_is_real(sim)) {
            part->before = sim->search_left;
            part->crossed = part->event = time; /* behind it all comparisons are remembered anew */
            return SOL_OK;
        }
        if (found) { /* a comparison changed, but no condition did */
            tape_tell_compares(part);
            compare_remember_moved(sim, &sim->narrow_nodes);
            if (event_unmask(sim, &sim->narrow_nodes, &part->watched))
                tape_hear_compares(part, &part->watched);
            event_mask(sim, &sim->narrow_nodes);
            tape_hear_compares(part, &sim->narrow_nodes);
        }
        if (found && unreal >= UNREAL) /* rounding at a boundary: no end of changes */
            time = fmin(to, fmax(time, part->from + whole / UNREAL));
        part->from =
            fmax(time, nextafter(part->from, to)); /* pieces may be shorter than rounding */
    }
    return SOL_OK;
}

/* ---- after an event ---- */

static void look_at_clock(Part *part)
{
    part->timed = compare_next_time(part->sim, &part->timers);
    part->clocked = false;
    for (uint32_t i = 0; i < part->watched.n; i++)
        part->clocked |= part->sim->nodes.at[part->watched.at[i]].clocked;
}

static SolStatus restart_part(Part *part)
{
    Sim *sim = part->sim;
    SolStatus status = start_part(part);
    if (status != SOL_OK)
        return status;
    sim->value[sim->clock] = sim->time;
    if (!tape_remember(part, sim->time))
        compare_remember(sim, &part->watched);
    event_forget_falls(part);
    reselect_begin(part);
    sim->event.parts_restarted += part->n > 0;
    return SOL_OK;
}

static void search_later(Part *part)
{
    part->from = part->sim->time;
    if (!tape_remember(part, part->sim->time))
        compare_remember(part->sim, &part->watched);
    event_forget_falls(part);
    part->event = INFINITY;
    if (!part->searching)
        vec_push(part->sim->mem, &part->sim->to_search, part);
    part->searching = true;
}

/* Starts those of the touched parts that must start. */
static SolStatus renew_parts(Sim *sim)
{
    SolStatus status = sim->meet_status;
    sim->event.parts_restarted = 0;
    if (sim->structure_changed)
        engine_restructured(sim);
    for (uint32_t i = 0; i < sim->touched.n && status == SOL_OK; i++) {
        Part *part = sim->touched.at[i];
        bool anew = part->restart || !part->started, search = part->search;
        look_at_clock(part);
        if (anew)
            status = restart_part(part);
        else
            blocks_prepare(part); /* of nodes that only moved */
        if (search && !anew)
            search_later(part);
        if (anew || search) /* others were not brought here */
            part_keep_loops(part);
        part->restart = false;
        part_reorder(part);
    }
    sim->event.restarted = sim->event.parts_restarted > 0;
    if (status == SOL_OK)
        event_leave_near(sim);
    for (uint32_t i = 0; i < sim->touched.n; i++)
        sim->touched.at[i]->touched = 0;
    vec_clear(&sim->touched);
    return status;
}

/* ---- time goes on ---- */

/* Somebody looks at `time`; parts are brought there when they are asked. */
static void look_at_time(Sim *sim, double time)
{
    sim->time = time;
    sim->moment++;
    sim->value[sim->clock] = time;
}

/* Parts whose event it is, into Sim.due; the heap is put in order by renew_parts. What is before
 * the event is as near as one can tell, and no comparison has changed there. */
static void list_due(Sim *sim, double time)
{
    sim->left_time = nextafter(time, -INFINITY);
    vec_clear(&sim->due);
    while (hold_reached(sim, first_key(sim, HEAP_DUE))) {
        Part *part = first_part(sim, HEAP_DUE, 0);
        if (hold_reached(sim, part->event))
            sim->left_time = fmin(sim->left_time, part->before);
        part->event = part->timed = INFINITY;
        part_reorder(part);
        vec_push(sim->mem, &sim->due, part);
    }
}

static SolStatus meet_due(Sim *sim)
{
    for (uint32_t i = 0; i < sim->due.n && sim->meet_status == SOL_OK; i++)
        part_meet(sim->due.at[i]);
    return sim->meet_status;
}

/* The row on the left of the event: everything as it was. */
static SolStatus show_before(Sim *sim, double time)
{
    look_at_time(sim, sim->left_time);
    SolStatus status = meet_due(sim);
    if (status == SOL_OK)
        status = sim_point_before(sim, time);
    look_at_time(sim, time);
    return status;
}

/* With their conditions, as they are at the event. */
static SolStatus begin_due(Sim *sim)
{
    sim->break_ties = true;
    for (uint32_t i = 0; i < sim->due.n; i++) {
        Part *part = sim->due.at[i];
        part_search_again(part);
        jump_touch_outdated(sim, &part->watched);
        jump_touch_outdated(sim, &part->timers);
        part->restart |= part->reselect || part->bridged;
        if (part->reselect)
            cause_states(sim);
        part->reselect = false;
    }
    parts_cross(sim);
    sim->break_ties = false;
    return sim->meet_status;
}

SolStatus parts_look_back(Sim *sim, const NodeList *nodes)
{
    double time = sim->time;
    VEC(double) kept = {0};
    if (!sim->running || sim->left_time >= time)
        return SOL_OK;
    bool ties = sim->break_ties;
    sim->looking_back = true;
    sim->break_ties = false;
    look_at_time(sim, sim->left_time);
    SolStatus status = meet_due(sim);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            if (status == SOL_OK)
                status = evaluate_fetch(sim, node_output(node, k));
            vec_push(sim->mem, &kept, sim->value[node_output(node, k)]);
        }
    }
    sim->break_ties = ties;
    look_at_time(sim, time);
    if (status == SOL_OK)
        status = meet_due(sim);
    parts_cross(sim);
    const double *value = kept.at;
    for (uint32_t i = 0; i < nodes->n; i++) {
        EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            sim->value[node_output(node, k)] = *value++;
    }
    sim->looking_back = false;
    vec_free(sim->mem, &kept);
    return status;
}

static SolStatus handle_event(Sim *sim, double time)
{
    sim->time = time;
    sim->work_before = sim->work;
    event_forget_ties(sim);
    list_due(sim, time);
    SolStatus status = show_before(sim, time);
    event_forget_suspects(sim); /* those that only an output noticed */
    double begin = timer_now();
    if (status == SOL_OK)
        status = begin_due(sim);
    sim->met_seconds = timer_now() - begin;
    if (status == SOL_OK)
        status = sim_event(sim);
    begin = timer_now();
    if (status == SOL_OK)
        status = renew_parts(sim);
    sim_event_done(sim, timer_now() - begin);
    return status;
}

static void look_at_states(Part *part)
{
    if (part->event <= part->now || !reselect_due(part))
        return;
    part_at(part, part->now);
    part->reselect = part_evaluate(part, part->now, NULL) == 0 && reselect_wanted(part);
    if (part->reselect)
        part->event = part->before = part->now;
}

/* After an accepted step: events in it, and whether the choice of states still holds at its end. */
static SolStatus look_at_step(Part *part)
{
    part_keep_loops(part);
    if (part->from < part->back)
        part->from = part->back;
    SolStatus status = part_search(part, part->now);
    if (status == SOL_OK)
        look_at_states(part);
    if (part->event >
        part->now) /* else the part will meet it as the search did: with the same bits */
        part_keep_loops(part);
    return status;
}

static SolStatus search_again(Sim *sim)
{
    SolStatus status = SOL_OK;
    while (sim->to_search.n && status == SOL_OK) {
        Part *part = vec_pop(&sim->to_search);
        part->searching = false;
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
           first_key(sim, HEAP_BEHIND) < fmin(limit, first_key(sim, HEAP_DUE))) {
        Part *part = first_part(sim, HEAP_BEHIND, 0);
        const Part *next = next_part(sim);
        if (next) /* in two pieces: the processor has no room for more at a time */
            part_ask(next, 0, SPOT_VECTORS);
        status = step_part(part, fmin(stop_at, part->timed));
        if (next)
            part_ask(next, SPOT_VECTORS + 1, SPOTS - 1);
        if (status == SOL_OK)
            status = look_at_step(part);
        part_reorder(part);
        if (atomic_load(&sim->cancel))
            status = status == SOL_OK ? SOL_CANCELLED : status;
        if (one_step)
            break;
    }
    sim->counts.integrate += timer_now() - begin;
    return status;
}

static SolStatus go_to(Sim *sim, double stop, bool one_step, bool *event)
{
    double sample = event_next_sample(sim), before = sim->time;
    double limit = fmin(fmin(stop, sim->next_output), sample);
    double stop_at = fmin(fmin(sample, first_key(sim, HEAP_CLOCKS)), fmax(stop, sim->opt.stop));
    SolStatus status = advance(sim, limit, stop_at, one_step);
    sim->time = before;
    if (status != SOL_OK)
        return status;
    double due = first_key(sim, HEAP_DUE), found = fmin(limit, due);
    if (one_step)
        found = fmin(found, first_key(sim, HEAP_BEHIND));
    *event = found == sample || found == due;
    if (*event)
        return handle_event(sim, found);
    look_at_time(sim, found);
    return found >= sim->next_output ? sim_point(sim, SOL_AT_POINT) : SOL_OK;
}

bool parts_last(Sim *sim)
{
    double time = INFINITY;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->started && needs_steps(sim->parts.at[i]))
            time = fmin(time, sim->parts.at[i]->now);
    if (!isfinite(time) || time < sim->last_point || sim->touched.n)
        return true; /* it failed in an event: values are those of its last update */
    look_at_time(sim, time);
    sim->meet_status = SOL_OK;
    sim->quiet = true;
    SolStatus status = parts_meet_all(sim);
    sim->quiet = false;
    return status == SOL_OK;
}

/* An event here and now, because somebody wrote a value. */
SolStatus parts_event(Sim *sim)
{
    sim->left_time = sim->time;
    sim->work_before = sim->work;
    sim->break_ties = true;
    SolStatus status = evaluate_dirty(sim);
    sim->break_ties = false;
    if (status == SOL_OK)
        status = sim_event(sim);
    if (!sim->running)
        return status;
    double begin = timer_now();
    if (status == SOL_OK)
        status = renew_parts(sim);
    sim_event_done(sim, timer_now() - begin);
    return status;
}

/* For fixed steps, which need no integrators but must see when a choice of states turns singular.
 */
void parts_refresh(Sim *sim)
{
    if (sim->structure_changed)
        engine_restructured(sim);
    for (uint32_t i = 0; i < sim->touched.n; i++) {
        Part *part = sim->touched.at[i];
        part->touched = 0;
        part->restart = part->search = false;
        choose_unknowns(part);
        blocks_prepare(part);
        reselect_begin(part);
        look_at_clock(part);
        euler_take(part);
    }
    vec_clear(&sim->touched);
}

bool parts_advise(Sim *sim)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        any |= reselect_due(sim->parts.at[i]) && reselect_wanted(sim->parts.at[i]);
    return any;
}

SolStatus parts_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened)
{
    SolStatus status = SOL_OK;
    if (!sim->running) {
        sim->running = true;
        status = renew_parts(sim);
    }
    while (status == SOL_OK && sim->time < stop) {
        if (atomic_load(&sim->cancel))
            return SOL_CANCELLED;
        status = go_to(sim, stop, one_step, happened);
        if (one_step || (to_event && *happened))
            break;
    }
    return status;
}
