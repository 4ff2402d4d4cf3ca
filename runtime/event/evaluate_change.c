/* evaluate_change.c: what a change touches -> values, in the order of the schedule.
 *
 * At events. What a change touches is put into a heap ordered by the schedule; a node whose result has the bits it had
 * wakes none of its readers. Nodes that do not vary (*fixed*) are evaluated only here.
 *
 * In an update in which instances are born, some of what a node reads may have no value yet (a
 * start value that follows from others, a branch not chosen): the node then waits, its results are
 * marked as pending, and it is looked at again when something that it reads gets a value.
 */
#include "runtime/event/jump.h"
#include "runtime/event/trail.h"

#include <string.h>

/* ---- the heap of what has to be evaluated ---- */

static void heap_up(Sim *sim, uint32_t i)
{
    DirtyNode *heap = sim->change.heap.at, moved = heap[i];
    for (; i && moved.label < heap[(i - 1) / 2].label; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
}

static void heap_down(Sim *sim, uint32_t i)
{
    DirtyNode *heap = sim->change.heap.at, moved = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < sim->change.heap.n; i = child) {
        child += child + 1 < sim->change.heap.n && heap[child + 1].label < heap[child].label;
        if (heap[child].label >= moved.label)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static DdpNode heap_pop(Sim *sim)
{
    DdpNode first = sim->change.heap.at[0].node;
    sim->change.heap.at[0] = sim->change.heap.at[--sim->change.heap.n];
    heap_down(sim, 0);
    return first;
}

/* A commit changes the order: nodes that are gone leave, the others are put in order again. */
void evaluate_order_changed(Sim *sim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->change.heap.n; i++) {
        DdpNode n = sim->change.heap.at[i].node;
        if (sim->nodes.at[n].dirty)
            sim->change.heap.at[kept++] = (DirtyNode){ddp_label(sim->ddp, n), n};
    }
    sim->change.heap.n = kept;
    for (uint32_t i = kept / 2; i-- > 0;)
        heap_down(sim, i);
}

bool evaluate_is_determined(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    if (info->node)
        return sim->nodes.at[info->node].determined || info->pulsed >= sim->update.from;
    return info->state || ddp_var(sim->ddp, var).kind != DDP_UNKNOWN;
}

/* What a `when` that acts holds is evaluated also where something in it is not determined, by its
 * last value, unless it is a loop. What follows from its transmissions, or stands in a branch whose condition is not
 * determined, is determined all the same: that is known when all that it reads was evaluated. */
static bool may_be_evaluated(const Sim *sim, const EvalNode *node)
{
    return node->determined || sim->update.acting;
}

static bool is_evaluated(const Sim *sim, const EvalNode *node)
{
    if (node->determined || !may_be_evaluated(sim, node))
        return node->determined;
    if (node->in_update.acts && !node->loop)
        return true;
    for (uint32_t i = 0; i < node->n_reads; i++)
        if (!evaluate_is_determined(sim, node->reads[i].var))
            return false;
    return true;
}

void evaluate_touch_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->dirty || !may_be_evaluated(sim, node))
        return;
    node->dirty = true;
    if (node->factored)
        reselect_note_constant(sim, n);
    loop_keep_outdate(node);
    if (node->loop)
        vec_push(sim->mem, &sim->change.loops, n);
    vec_push(sim->mem, &sim->change.heap, ((DirtyNode){ddp_label(sim->ddp, n), n}));
    if (!sim->build.applying)
        heap_up(sim, sim->change.heap.n - 1);
}

/* ---- who hears of a change ---- */

/* Does a part compute it as it goes? What a `when` that acts determines from the time or from states
 * varies for the while of an update, and no part has it: for parts it is a value that changes. */
static bool is_in_part(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return ddp_var(sim->ddp, var).varies &&
           (info->state || var == sim->clock || (info->node && sim->nodes.at[info->node].part));
}

/* Integrators that think they know this variable do not any more. */
static void disturb_states(Sim *sim, DdpVar var)
{
    if (sim->info[var].part)
        part_disturb(sim->info[var].part);
    if (!sim->info[var].slope_of || is_in_part(sim, var))
        return;
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        if (sim->info[state].part)
            part_disturb(sim->info[state].part);
}

enum { QUICK_PARTS = 4 }; /* so many are looked at sooner than the readers of a variable */

static bool may_be_absent(const Sim *sim)
{
    uint32_t i = 0;
    while (sim->parts.n <= QUICK_PARTS && i < sim->parts.n &&
           sim->parts.at[i]->point_number == sim->point_number)
        i++;
    return i < sim->parts.n;
}

/* Something with a derivative that nobody looked at, an output: if it jumps, its value before is wanted. */
static bool is_late(const Sim *sim, const EvalNode *node)
{
    if (!node->varies || !evaluate_is_stale(sim, node))
        return false;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (ddp_var_rank(sim->ddp, node_output(node, i)))
            return true;
    return false;
}

static bool has_late_reader(const Sim *sim, DdpVar var)
{
    const ReadEdge *edge = parts_running(sim) ? sim->info[var].readers : NULL;
    while (edge && !is_late(sim, &sim->nodes.at[edge->node]))
        edge = edge->next;
    return edge != NULL;
}

/* A part that reads it and was not brought to this time yet? */
static bool has_absent_reader(const Sim *sim, DdpVar var)
{
    if (has_late_reader(sim, var))
        return true;
    if (!may_be_absent(sim))
        return false;
    for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        const Part *part = sim->nodes.at[edge->node].part;
        if (part && part->point_number != sim->point_number)
            return true;
    }
    return false;
}

/* The value of `var` is about to change: parts that read it come to this time with the one that it
 * has, so that conditions in them change in the update, where it is noticed. */
void evaluate_gather(Sim *sim, DdpVar var)
{
    if (ddp_var(sim->ddp, var).varies || !has_absent_reader(sim, var))
        return;
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
        if (sim->nodes.at[edge->node].part)
            part_bring(sim->nodes.at[edge->node].part, EVAL_EVENT);
        else if (is_late(sim, &sim->nodes.at[edge->node]))
            evaluate_fetch(sim, node_output(&sim->nodes.at[edge->node], 0), EVAL_EVENT);
}

/* What a node that stays reads may jump at the event: its part starts anew. */
void evaluate_disturb_part(const EvalNode *node)
{
    if (!node->part)
        return;
    part_search_again(node->part);
    if (node->place == PLACE_DYNAMICS)
        part_disturb(node->part);
}

/* The value of `var` changed. */
void evaluate_touch(Sim *sim, DdpVar var)
{
    disturb_states(sim, var);
    if (sim->info[var].branches)
        update_condition(sim, var);
    bool in_part = sim->info[var].readers && is_in_part(sim, var);
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        evaluate_touch_node(sim, edge->node);
        if (!node->part || in_part)
            continue;
        if (node->needed[NEED_DYNAMICS])
            part_disturb(node->part);
        part_search_again(node->part);
    }
}

/* Parts that a change of `var` concerns come to this time first, for `how`. */
static void bring_concerned(Sim *sim, DdpVar var, EvalHow how)
{
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
        if (sim->nodes.at[edge->node].part)
            part_bring(sim->nodes.at[edge->node].part, how);
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        if (sim->info[state].part)
            part_bring(sim->info[state].part, how);
}

void values_set_how(Sim *sim, DdpVar var, double value, EvalHow how)
{
    if (sim->info[var].part) /* or bringing it here later would undo this */
        part_bring(sim->info[var].part, how);
    bool same = sim->info[var].has && memcmp(&sim->value[var], &value, sizeof value) == 0;
    if (same && !sim->info[var].pending)
        return;
    if (how != EVAL_EVENT)
        bring_concerned(sim, var, how);
    evaluate_gather(sim, var);
    before_note_set(sim, var);
    sim->value[var] = value;
    sim->info[var].has = true;
    sim->info[var].pending = false;
    sim->change.count++;
    evaluate_touch(sim, var);
}

void values_set(Sim *sim, DdpVar var, double value)
{
    values_set_how(sim, var, value, EVAL_EVENT);
}

/* ---- one node ---- */

/* What jumps in a node is kept while its part integrates, and found anew at events. */
static SolStatus evaluate_anew(Sim *sim, DdpNode n, EvalHow how)
{
    EvalNode *node = &sim->nodes.at[n];
    bool changed = false;
    SolStatus status = SOL_OK;
    if (node->holds && node->loop)
        status = evaluate_pieces(sim, n, how, &changed);
    else if (node->holds)
        status = jump_decide(sim, node, &changed);
    if (changed)
        evaluate_disturb_part(node);
    if (changed && node->loop && status == SOL_OK)
        status = jump_in_loop(sim, node);
    return status != SOL_OK || (node->holds && node->loop) ? status : evaluate_node(sim, n, how);
}

/* A pulse reads 0 where nothing has ever determined a value. */
static bool reads_nothing(const Sim *sim, DdpNode n, DdpVar var)
{
    return sim->nodes.at[n].in_update.acts && !sim->info[var].pending &&
           !evaluate_is_determined(sim, var);
}

static bool ready(Sim *sim, DdpNode n, EvalHow how)
{
    for (uint32_t i = 0; i < sim->nodes.at[n].n_reads; i++) {
        DdpVar var = sim->nodes.at[n].reads[i].var;
        evaluate_fetch(sim, var, how);
        if ((!sim->info[var].has || sim->info[var].pending) && !reads_nothing(sim, n, var))
            return false;
    }
    return true;
}

/* What acts in an update may read what is newborn and left alone there: that has no value until it is computed for
 * it (U1). */
static bool ready_to_act(Sim *sim, DdpNode n, EvalHow how)
{
    return sim->nodes.at[n].in_update.acts && update_needs(sim, n) == SOL_OK && ready(sim, n, how);
}

/* Results are not to be trusted until the node could be evaluated. */
static void make_wait(Sim *sim, EvalNode *node)
{
    before_note_unseen(sim, node);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        if (sim->info[var].pending)
            continue;
        sim->info[var].pending = true;
        evaluate_touch(sim, var);
    }
}

enum { FEW_VALUES = 8 }; /* of a node, kept on the stack */

/* The same behind the change, with the values before it. */
static void gather_with(Sim *sim, const EvalNode *node, double *old)
{
    uint32_t count = node->n_steps + node->n_tears, i = 0;
    while (i < count && (memcmp(&old[i], &sim->value[node_output(node, i)], sizeof *old) == 0 ||
                         !has_absent_reader(sim, node_output(node, i))))
        i++;
    for (int back = 0; back < 2 && i < count; back++) {
        for (uint32_t k = 0; k < count; k++) {
            double *value = &sim->value[node_output(node, k)], kept = *value;
            *value = old[k];
            old[k] = kept;
        }
        for (uint32_t k = 0; back == 0 && k < count; k++)
            evaluate_gather(sim, node_output(node, k));
    }
}

/* Did it have a value that others have read in this update? */
static bool is_trusted(const Sim *sim, const EvalNode *node, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return info->has && !info->pending && (node->determined || info->pulsed >= sim->update.from);
}

static void note_renewed(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->in_update.acts || !node->determined)
        update_note_pulse(sim, node);
    if (node->compares)
        vec_push(sim->mem, &sim->search.compared, n);
}

static void note_old(Sim *sim, const EvalNode *node, DdpVar var, double old)
{
    before_note(sim, var, old);
    if (node->varies || ddp_var_rank(sim->ddp, var))
        trail_before(sim, var, old);
}

static void note_change(Sim *sim, const EvalNode *node, DdpVar var, double old)
{
    note_old(sim, node, var, old);
    if ((!node->varies || node->in_update.acts) && sim->info[var].has &&
        ddp_var(sim->ddp, var).kind == DDP_HELD)
        trail_held(sim, var, old);
    evaluate_touch(sim, var);
}

/* It has the value that it had, but perhaps it was not determined earlier in this update, while a birth waited for a
 * decision: who reads it and stands in a branch whose condition is not determined could not be evaluated then. */
static void touch_undetermined(Sim *sim, DdpVar var)
{
    for (const ReadEdge *edge = sim->info[var].readers; edge && sim->update.acting;
         edge = edge->next) {
        const EvalNode *reader = &sim->nodes.at[edge->node];
        if (!reader->determined && sim->info[node_output(reader, 0)].pulsed < sim->update.from)
            evaluate_touch_node(sim, edge->node);
    }
}

static SolStatus renew_step(Sim *sim, DdpNode n, EvalHow how)
{
    const EvalNode *node = &sim->nodes.at[n];
    DdpVar var = node->ops[0].target;
    double old = sim->value[var];
    bool trusted = is_trusted(sim, node, var);
    SolStatus status = evaluate_anew(sim, n, how);
    note_renewed(sim, n);
    if (trusted && memcmp(&old, &sim->value[var], sizeof old) == 0) {
        touch_undetermined(sim, var);
        return status;
    }
    if (!node->varies)
        gather_with(sim, node, &old);
    note_change(sim, node, var, old);
    return status;
}

static SolStatus renew_loop(Sim *sim, DdpNode n, EvalHow how)
{
    const EvalNode *node = &sim->nodes.at[n];
    uint32_t count = node->n_steps + node->n_tears;
    double few[FEW_VALUES], *old = few;
    bool few_trusted[FEW_VALUES], *trusted = few_trusted;
    if (count > FEW_VALUES) {
        old = mem_alloc(sim->mem, count * sizeof *old);
        trusted = mem_alloc(sim->mem, count * sizeof *trusted);
    }
    for (uint32_t i = 0; i < count; i++) {
        old[i] = sim->value[node_output(node, i)];
        trusted[i] = is_trusted(sim, node, node_output(node, i));
    }
    SolStatus status = evaluate_anew(sim, n, how);
    note_renewed(sim, n);
    if (!node->varies)
        gather_with(sim, node, old);
    for (uint32_t i = 0; i < count; i++) {
        DdpVar var = node_output(node, i);
        if (!trusted[i] || memcmp(&old[i], &sim->value[var], sizeof *old) != 0)
            note_change(sim, node, var, old[i]);
        else
            touch_undetermined(sim, var);
    }
    if (count > FEW_VALUES) {
        mem_free(sim->mem, trusted);
        mem_free(sim->mem, old);
    }
    return status;
}

SolStatus evaluate_renew(Sim *sim, DdpNode n, EvalHow how)
{
    before_note_unseen(sim, &sim->nodes.at[n]);
    return sim->nodes.at[n].loop ? renew_loop(sim, n, how) : renew_step(sim, n, how);
}

/* ---- all of them ---- */

/* A transmission into a held variable may be gone in the next update. */
static bool may_wait(const Sim *sim, const EvalNode *node)
{
    return node_place(node) == PLACE_OUTPUTS &&
           ddp_var(sim->ddp, node_output(node, 0)).kind == DDP_UNKNOWN;
}

/* An output is evaluated when somebody asks; whoever read it has to ask again. */
static void let_wait(Sim *sim, EvalNode *node)
{
    bool known = !before_note_unseen(sim, node);
    node->waits = true;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        if (known) /* what it had in the update before */
            note_old(sim, node, node_output(node, i), sim->value[node_output(node, i)]);
        sim->info[node_output(node, i)].pending = false;
        evaluate_touch(sim, node_output(node, i));
    }
}

/* What failed belongs to a change that is taken back: it is evaluated no more, unless the way back asks for it. */
void evaluate_give_up(Sim *sim)
{
    if (sim->change.failed)
        sim->nodes.at[sim->change.failed].dirty = false;
    sim->change.failed = 0;
    evaluate_order_changed(sim);
}

static SolStatus evaluate_heap(Sim *sim, EvalHow how)
{
    sim->change.failed = 0;
    bool lazy =
        sim->record.news.shown && !sim->start.starts.n; /* start values may hang on anything */
    while (sim->change.heap.n) {
        if (parts_status(sim) != SOL_OK)
            return parts_status(sim);
        if (cancel_break_off(sim))
            return SOL_CANCELLED;
        DdpNode n = heap_pop(sim);
        EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !node->dirty)
            continue;
        node->dirty = false;
        if (!is_evaluated(sim, node) ||
            ((sim->update.marked.n || sim->update.turned.n) && update_skips(sim, n)))
            continue;
        bool held = evaluate_holds(sim, node);
        if (lazy && !held && may_wait(sim, node)) {
            let_wait(sim, node);
            continue;
        }
        if (held)
            vec_push(sim->mem, &sim->change.held_back, n);
        if (held || !(ready(sim, n, how) || ready_to_act(sim, n, how))) {
            node = &sim->nodes.at[n];
            make_wait(sim, node);
            continue;
        }
        SolStatus status = sim->nodes.at[n].in_update.acts ? update_needs(sim, n) : SOL_OK;
        if (status == SOL_OK)
            status = evaluate_renew(sim, n, how);
        if (status == SOL_NUMERICS) { /* it has no value yet: who looks again, evaluates it again */
            evaluate_touch_node(sim, n);
            sim->change.failed = n;
        }
        if (status != SOL_OK)
            return status;
        sim->nodes.at[n].point_number = sim->point_number;
        sim->nodes.at[n].waits = false;
    }
    return parts_status(sim);
}

enum { MOST_TURNS = 16 }; /* of one condition within an update, while branches are born */

SolStatus evaluate_dirty(Sim *sim, EvalHow how)
{
    SolStatus status;
    int turns = 0;
    do
        status = evaluate_heap(sim, how);
    while (status == SOL_OK && sim->update.turned.n && turns++ < MOST_TURNS &&
           update_turned_back(sim));
    return status;
}

/* Loops that were held back may be evaluated now; false when there were none. */
bool evaluate_release(Sim *sim)
{
    bool any = sim->change.held_back.n > 0;
    evaluate_hold_loops(sim, false);
    for (uint32_t i = 0; i < sim->change.held_back.n; i++)
        if (sim->change.held_back.at[i] < sim->nodes.n &&
            sim->nodes.at[sim->change.held_back.at[i]].live)
            evaluate_touch_node(sim, sim->change.held_back.at[i]);
    vec_clear(&sim->change.held_back);
    return any;
}

bool evaluate_touch_outdated(Sim *sim, const NodeList *list)
{
    bool any = false;
    for (uint32_t i = 0; hold_any(sim) && i < list->n; i++) {
        const EvalNode *node = &sim->nodes.at[list->at[i]];
        if (!node->holds || !hold_is_outdated(sim, node))
            continue;
        evaluate_touch_node(sim, list->at[i]);
        any = true;
    }
    return any;
}

SolStatus evaluate_loops_alone(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->change.loops.n && status == SOL_OK; i++) {
        EvalNode *node = &sim->nodes.at[sim->change.loops.at[i]];
        if (!node->live || !node->loop || !node->determined || !loop_keep_is_alone(node) ||
            loop_keep_knows_how(node))
            continue;
        status = evaluate_fetch(sim, node_output(node, 0), EVAL_PLAIN);
        if (status == SOL_OK && node->factored)
            loop_keep_note_form(sim, node);
    }
    vec_clear(&sim->change.loops);
    return status;
}
