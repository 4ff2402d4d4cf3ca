/* evaluate.c: nodes -> values, as few of them as a change asks for. What a node is: nodes.c.
 *
 * Two ways of evaluating:
 *
 *   by lists   in smooth phases: the lists of dynamics, conditions and outputs (nodes.c) are run one
 *              after the other.
 *   by change  at events. What a change touches is put into a heap ordered by the schedule; a node
 *              whose result has the bits it had wakes none of its readers. Nodes that do not vary
 *              (*fixed*) are evaluated only here.
 *
 * In an update in which instances are born, some of what a node reads may have no value yet (a
 * start value that follows from others, a branch not chosen): the node then waits, its results are
 * marked as pending, and it is looked at again when something that it reads gets a value.
 */
#include "runtime/eval/hold.h"
#include "runtime/eval/tape.h"

#include <math.h>
#include <string.h>

double evaluate_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    Sim *sim = context;
    return foreign_call(sim->foreign, function, n, args);
}

typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

/* What is not finite times 0 is not 0. Four sums of two, because each waits for its last addition.
 */
bool evaluate_all_finite(uint32_t n, const double *values)
{
    Pair a = {0}, b = {0}, c = {0}, d = {0};
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const Pair *at = (const Pair *)(values + i);
        a += 0 * at[0];
        b += 0 * at[1];
        c += 0 * at[2];
        d += 0 * at[3];
    }
    a += b + c + d;
    double sum = a[0] + a[1];
    for (; i < n; i++)
        sum += 0 * values[i];
    return sum == 0;
}

/* ---- the heap of what has to be evaluated ---- */

static void heap_up(Sim *sim, uint32_t i)
{
    DirtyNode *heap = sim->heap.at, moved = heap[i];
    for (; i && moved.label < heap[(i - 1) / 2].label; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = moved;
}

static void heap_down(Sim *sim, uint32_t i)
{
    DirtyNode *heap = sim->heap.at, moved = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < sim->heap.n; i = child) {
        child += child + 1 < sim->heap.n && heap[child + 1].label < heap[child].label;
        if (heap[child].label >= moved.label)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

static DdpNode heap_pop(Sim *sim)
{
    DdpNode first = sim->heap.at[0].node;
    sim->heap.at[0] = sim->heap.at[--sim->heap.n];
    heap_down(sim, 0);
    return first;
}

/* A commit changes the order: nodes that are gone leave, the others are put in order again. */
void evaluate_order_changed(Sim *sim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->heap.n; i++) {
        DdpNode n = sim->heap.at[i].node;
        if (sim->nodes.at[n].dirty)
            sim->heap.at[kept++] = (DirtyNode){ddp_label(sim->ddp, n), n};
    }
    sim->heap.n = kept;
    for (uint32_t i = kept / 2; i-- > 0;)
        heap_down(sim, i);
}

bool evaluate_is_determined(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    if (info->node)
        return sim->nodes.at[info->node].determined || info->pulsed >= sim->update_from;
    return info->state || ddp_var(sim->ddp, var).kind != DDP_UNKNOWN;
}

/* What a `when` that acts holds is evaluated also where something in it is not determined, by its
 * last value. What follows from its transmissions is determined all the same: that is known when
 * all that it reads was evaluated. */
static bool may_be_evaluated(const Sim *sim, const EvalNode *node)
{
    return node->determined || (sim->acting && !node->loop);
}

static bool is_evaluated(const Sim *sim, const EvalNode *node)
{
    if (node->determined || !may_be_evaluated(sim, node))
        return node->determined;
    if (node->acts)
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
    node->factored = node->checked = false;
    vec_push(sim->mem, &sim->heap, ((DirtyNode){ddp_label(sim->ddp, n), n}));
    if (!sim->applying)
        heap_up(sim, sim->heap.n - 1);
}

/* Integrators that think they know this variable do not any more. */
static void disturb_states(Sim *sim, DdpVar var)
{
    if (sim->info[var].part)
        part_disturb(sim->info[var].part);
    if (!sim->info[var].slope_of || ddp_var(sim->ddp, var).varies)
        return;
    for (DdpVar state = sim->info[var].slope_of; state; state = sim->info[state].slope_next)
        if (sim->info[state].part)
            part_disturb(sim->info[state].part);
}

/* A part that reads it and was not brought to this time yet? */
static bool has_absent_reader(const Sim *sim, DdpVar var)
{
    for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        const Part *part = sim->nodes.at[edge->node].part;
        if (part && part->moment != sim->moment)
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
            part_meet(sim->nodes.at[edge->node].part);
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
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        evaluate_touch_node(sim, edge->node);
        if (!node->part || ddp_var(sim->ddp, var).varies)
            continue;
        if (node->needed[NEED_DYNAMICS])
            part_disturb(node->part);
        part_search_again(node->part);
    }
}

/* ---- one node ---- */

/* Operations from..to-1; values of residuals go to results[0], results[1], ... */
void evaluate_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to, double *results)
{
    for (uint32_t i = from; i < to; i++) {
        const EvalOp *op = &node->ops[i];
        interp_run(op->code, op->vars, sim->value, sim->scratch, evaluate_foreign, sim);
        if (!op->target)
            *results++ = sim->scratch[0];
    }
}

void evaluate_tangent_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to,
                          double *result_tangents)
{
    for (uint32_t i = from; i < to; i++) {
        const EvalOp *op = &node->ops[i];
        const double *tangents;
        interp_tangent(op->code, op->vars, sim->value, sim->tangent, sim->scratch, &tangents,
                       evaluate_foreign, sim);
        if (!op->target)
            *result_tangents++ = tangents[0];
    }
}

void evaluate_tangent_node(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->loop)
        loop_solve_tangent(sim, n);
    else
        evaluate_tangent_ops(sim, node, 0, 1, NULL);
}

void evaluate_clear_tangents(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->tangent[node->ops[i].target] = 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node_tears(node)[i]] = 0;
}

static SolStatus not_finite(Sim *sim, const EvalNode *node)
{
    const EvalOp *op = &node->ops[0];
    if (sim->quiet)
        return SOL_NUMERICS;
    if (foreign_data_failure(sim->foreign)) {
        diag_error(sim->diags, world_rel_place(sim->world, op->rel), "%s",
                   foreign_data_failure(sim->foreign));
        return SOL_IO;
    }
    diag_error(sim->diags, world_rel_place(sim->world, op->rel),
               "at time %.10g, %s is %g: the equation %s has no value there", sim->time,
               explain_var(sim, op->target), sim->value[op->target], explain_rel(sim, op->rel));
    explain_values(sim, op);
    return SOL_NUMERICS;
}

enum { MOST_PIECES = 100 };

/* A loop whose functions that jump are decided with it: each solution in the piece that the one
 * before lies in, until it lies in its own. */
static SolStatus solve_pieces(Sim *sim, DdpNode n, bool *changed)
{
    *changed = hold_renew(sim, &sim->nodes.at[n]);
    for (uint32_t i = 0; i < MOST_PIECES; i++) {
        SolStatus status = loop_solve(sim, n);
        if (status != SOL_OK || !hold_renew(sim, &sim->nodes.at[n]))
            return status;
        sim->nodes.at[n].factored = false;
        *changed = true;
    }
    const EvalOp *op = &sim->nodes.at[n].ops[sim->nodes.at[n].n_steps];
    if (!sim->quiet)
        diag_error(sim->diags, world_rel_place(sim->world, op->rel),
                   "at time %.10g, sign, floor, ceil, round or mod in a loop have no values that "
                   "agree with its solution: %s",
                   sim->time, explain_rel(sim, op->rel));
    return SOL_NUMERICS;
}

/* What jumps in a node is kept while its part integrates, and found anew at events. */
static SolStatus evaluate_anew(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    bool changed = false;
    SolStatus status = SOL_OK;
    if (node->holds && node->loop)
        status = solve_pieces(sim, n, &changed);
    else if (node->holds)
        status = hold_decide(sim, node, &changed);
    if (changed)
        evaluate_disturb_part(node);
    if (changed && node->loop && status == SOL_OK)
        status = hold_loop_jumped(sim, node);
    return status != SOL_OK || (node->holds && node->loop) ? status : evaluate_node(sim, n);
}

SolStatus evaluate_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->work++;
    bool changed, decide = node->holds && !node->part;
    if (node->loop)
        return decide ? solve_pieces(sim, n, &changed) : loop_solve(sim, n);
    if (decide)
        hold_renew(sim, node);
    evaluate_ops(sim, node, 0, 1, NULL);
    ValueInfo *info = &sim->info[node->ops[0].target];
    info->has = true;
    info->pending = false;
    if (sim->break_ties && node->compares)
        event_break_ties(sim, n);
    if (!isfinite(sim->value[node->ops[0].target]) &&
        (node->needed[NEED_DYNAMICS] || node->needed[NEED_CONDITIONS]))
        return not_finite(sim, node);
    return SOL_OK;
}

DdpRel evaluate_relation_of(const Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].node;
    const EvalNode *node = n ? &sim->nodes.at[n] : NULL;
    for (uint32_t i = 0; node && i < node->n_steps + node->n_tears; i++)
        if (ddp_causality(sim->ddp, node->ops[i].rel) == var)
            return node->ops[i].rel;
    return 0;
}

/* ---- by change ---- */

/* A pulse reads 0 where nothing has ever determined a value. */
static bool reads_nothing(const Sim *sim, DdpNode n, DdpVar var)
{
    return sim->nodes.at[n].acts && !sim->info[var].pending && !evaluate_is_determined(sim, var);
}

static bool ready(Sim *sim, DdpNode n)
{
    for (uint32_t i = 0; i < sim->nodes.at[n].n_reads; i++) {
        DdpVar var = sim->nodes.at[n].reads[i].var;
        evaluate_fetch(sim, var);
        if ((!sim->info[var].has || sim->info[var].pending) && !reads_nothing(sim, n, var))
            return false;
    }
    return true;
}

/* Results are not to be trusted until the node could be evaluated. */
static void make_wait(Sim *sim, EvalNode *node)
{
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
    return info->has && !info->pending && (node->determined || info->pulsed >= sim->update_from);
}

static void note_renewed(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->acts || !node->determined)
        update_note_pulse(sim, node);
    if (node->compares)
        vec_push(sim->mem, &sim->compared, n);
}

static void note_change(Sim *sim, DdpVar var, double old)
{
    update_note_old(sim, var, old);
    evaluate_touch(sim, var);
}

static SolStatus renew_step(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    DdpVar var = node->ops[0].target;
    double old = sim->value[var];
    bool trusted = is_trusted(sim, node, var);
    SolStatus status = evaluate_anew(sim, n);
    note_renewed(sim, n);
    if (trusted && memcmp(&old, &sim->value[var], sizeof old) == 0)
        return status;
    if (!node->varies)
        gather_with(sim, node, &old);
    note_change(sim, var, old);
    return status;
}

static SolStatus renew_loop(Sim *sim, DdpNode n)
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
    SolStatus status = evaluate_anew(sim, n);
    note_renewed(sim, n);
    if (!node->varies)
        gather_with(sim, node, old);
    for (uint32_t i = 0; i < count; i++) {
        DdpVar var = node_output(node, i);
        if (!trusted[i] || memcmp(&old[i], &sim->value[var], sizeof *old) != 0)
            note_change(sim, var, old[i]);
    }
    if (count > FEW_VALUES) {
        mem_free(sim->mem, trusted);
        mem_free(sim->mem, old);
    }
    return status;
}

SolStatus evaluate_renew(Sim *sim, DdpNode n)
{
    return sim->nodes.at[n].loop ? renew_loop(sim, n) : renew_step(sim, n);
}

/* A transmission into a held variable may be gone in the next update. */
static bool may_wait(const Sim *sim, const EvalNode *node)
{
    return evaluate_place(node) == PLACE_OUTPUTS &&
           ddp_var(sim->ddp, node_output(node, 0)).kind == DDP_UNKNOWN;
}

/* An output is evaluated when somebody asks; whoever read it has to ask again. */
static void let_wait(Sim *sim, EvalNode *node)
{
    bool known = !node->waits && (node->moment == sim->moment || node->moment == 0);
    node->waits = true;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        if (known) /* what it had in the update before */
            update_note_old(sim, node_output(node, i), sim->value[node_output(node, i)]);
        sim->info[node_output(node, i)].pending = false;
        evaluate_touch(sim, node_output(node, i));
    }
}

static SolStatus evaluate_heap(Sim *sim)
{
    bool lazy = sim->shown && !sim->starts.n; /* start values may hang on anything */
    while (sim->heap.n) {
        if (sim->meet_status != SOL_OK)
            return sim->meet_status;
        if (sim_break_off(sim))
            return SOL_CANCELLED;
        DdpNode n = heap_pop(sim);
        EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !node->dirty)
            continue;
        node->dirty = false;
        if (!is_evaluated(sim, node) || ((sim->marked.n || sim->turned.n) && update_skips(sim, n)))
            continue;
        if (lazy && may_wait(sim, node)) {
            let_wait(sim, node);
            continue;
        }
        bool held = sim->hold_loops && node->loop;
        if (held)
            vec_push(sim->mem, &sim->held_back, n);
        if (held || !ready(sim, n)) {
            node = &sim->nodes.at[n];
            make_wait(sim, node);
            continue;
        }
        SolStatus status = sim->nodes.at[n].acts ? update_needs(sim, n) : SOL_OK;
        if (status == SOL_OK)
            status = evaluate_renew(sim, n);
        if (status != SOL_OK)
            return status;
        sim->nodes.at[n].moment = sim->moment;
        sim->nodes.at[n].waits = false;
    }
    return sim->meet_status;
}

enum { MOST_TURNS = 16 }; /* of one condition within an update, while branches are born */

SolStatus evaluate_dirty(Sim *sim)
{
    SolStatus status;
    int turns = 0;
    do
        status = evaluate_heap(sim);
    while (status == SOL_OK && sim->turned.n && turns++ < MOST_TURNS && update_turned_back(sim));
    return status;
}

/* Loops that were held back may be evaluated now; false when there were none. */
bool evaluate_release(Sim *sim)
{
    bool any = sim->held_back.n > 0;
    sim->hold_loops = false;
    for (uint32_t i = 0; i < sim->held_back.n; i++)
        if (sim->held_back.at[i] < sim->nodes.n && sim->nodes.at[sim->held_back.at[i]].live)
            evaluate_touch_node(sim, sim->held_back.at[i]);
    vec_clear(&sim->held_back);
    return any;
}

/* ---- by lists ---- */

SolStatus evaluate_list(Sim *sim, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        SolStatus status = evaluate_node(sim, list->at[i]);
        if (status != SOL_OK)
            return status;
    }
    return SOL_OK;
}

/* ---- on demand ---- */

/* An output that was not evaluated at this moment; its class may be another one by now. */
bool evaluate_is_stale(const Sim *sim, const EvalNode *node)
{
    bool stale = node->waits || (node->place == PLACE_OUTPUTS && node->moment != sim->moment);
    return stale && node->determined && !(node->loop && sim->hold_loops);
}

/* The output that `var` is and that was not evaluated at this moment, or 0. */
static DdpNode stale_output(const Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].node;
    if (!n || sim->info[var].state)
        return 0;
    return evaluate_is_stale(sim, &sim->nodes.at[n]) ? n : 0;
}

static Part *part_of(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return info->state ? info->part : info->node ? sim->nodes.at[info->node].part : NULL;
}

static bool all_known(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++)
        if (!sim->info[node->reads[i].var].has || sim->info[node->reads[i].var].pending)
            return false;
    return true;
}

SolStatus evaluate_output(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->left == sim->update && !sim->looking_back)
        return SOL_OK; /* left alone, it keeps its value */
    node->moment = sim->moment;
    node->waits = false;
    if (all_known(sim, node))
        return evaluate_node(sim, n);
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        sim->info[node_output(node, k)].pending = true;
    return SOL_OK;
}

/* Depth first along reads, each node after what it reads: this must work while the DDP's order is
 * that of a structure that is not taken over yet. SOL_CANCELLED: with `only_met`, a part would have
 * to be brought here. */
static SolStatus fetch_output(Sim *sim, DdpNode first, bool only_met)
{
    NodeList *stack = &sim->fetch_stack;
    uint32_t bottom = stack->n;
    SolStatus status = SOL_OK;
    vec_push(sim->mem, stack, first);
    vec_push(sim->mem, stack, 0);
    sim->value[sim->clock] = sim->time;
    while (stack->n > bottom && status == SOL_OK) {
        DdpNode n = stack->at[stack->n - 2];
        uint32_t next = stack->at[stack->n - 1]++;
        if (next == sim->nodes.at[n].n_reads) {
            stack->n -= 2;
            status = evaluate_output(sim, n);
            continue;
        }
        DdpVar var = sim->nodes.at[n].reads[next].var;
        DdpNode stale = stale_output(sim, var);
        Part *part = part_of(sim, var);
        if (part && only_met && part->moment != sim->moment)
            status = SOL_CANCELLED;
        else if (part)
            part_meet(part);
        if (stale) {
            vec_push(sim->mem, stack, stale);
            vec_push(sim->mem, stack, 0);
        }
    }
    stack->n = bottom;
    return status;
}

SolStatus evaluate_fetch(Sim *sim, DdpVar var)
{
    DdpNode stale =
        stale_output(sim, var); /* also of a part, if nobody needed it when it changed */
    if (part_of(sim, var))
        part_meet(part_of(sim, var));
    else if (var == sim->clock)
        sim->value[var] = sim->time;
    if (stale)
        return fetch_output(sim, stale, false);
    return sim->meet_status;
}

bool evaluate_fetch_met(Sim *sim, DdpVar var)
{
    DdpNode stale = stale_output(sim, var);
    Part *part = part_of(sim, var);
    if (part)
        return part->moment == sim->moment;
    return !stale || fetch_output(sim, stale, true) == SOL_OK;
}

SolStatus evaluate_outputs(Sim *sim)
{
    SolStatus status = parts_meet_all(sim);
    sim->value[sim->clock] = sim->time;
    if (status == SOL_OK)
        status = evaluate_rope(sim, &sim->outputs);
    EACH_LEAF (&sim->outputs, leaf)
        for (uint32_t i = 0; i < leaf->nodes.n; i++) {
            EvalNode *node = &sim->nodes.at[leaf->nodes.at[i]];
            node->moment = sim->moment;
            node->waits = false;
            for (uint32_t k = 0; k < node->n_steps + node->n_tears && status == SOL_OK; k++)
                sim->info[node_output(node, k)].pending = false;
        }
    return status;
}
