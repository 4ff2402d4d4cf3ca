/* evaluate.c: schedule and its delta -> values, as few of them as a change asks for.
 *
 * Every node of the schedule is kept here as codes with their variables. Two ways of evaluating:
 *
 *   by lists   in smooth phases. Nodes that vary between events fall into classes: *dynamics* (what
 *              slopes of states need), *conditions* (what only conditions need) and *outputs* (the
 *              rest). A class reads nothing of the classes behind it, so the lists may be run one
 * after the other. Which class a node is in follows from counts along reads: a variable counts the
 * needed nodes that read it, so a change of the structure moves only what it affects. by change  at
 * events. What a change touches is put into a heap ordered by the schedule; a node whose result has
 * the bits it had wakes none of its readers. Nodes that do not vary
 *              (*fixed*) are evaluated only here.
 *
 * In an update in which instances are born, some of what a node reads may have no value yet (a
 * start value that follows from others, a branch not chosen): the node then waits, its results are
 * marked as pending, and it is looked at again when something that it reads gets a value.
 */
#include "runtime/event_hold.h"
#include "numerics/dense_lu.h"
#include "runtime/tape.h"

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

/* ---- who needs what ---- */

/* Work items of need_count(): variable, kind, and whether it is needed once more or once less. */
static void need_push(Sim *sim, DdpVar var, int kind, int change)
{
    vec_push(sim->mem, &sim->need_work, var << 2 | (uint32_t)kind << 1 | (change > 0));
}

static bool needed_by_count(const Sim *sim, const EvalNode *node, int kind)
{
    for (uint32_t i = 0; i < node->n_steps; i++)
        if (sim->info[node->ops[i].target].need[kind])
            return true;
    for (uint32_t i = 0; i < node->n_tears; i++)
        if (sim->info[node_tears(node)[i]].need[kind])
            return true;
    return false;
}

NodePlace evaluate_place(const EvalNode *node)
{
    if (!node->live || !node->varies || !node->determined)
        return PLACE_NONE;
    return node->needed[NEED_DYNAMICS]     ? PLACE_DYNAMICS
           : node->needed[NEED_CONDITIONS] ? PLACE_CONDITIONS
                                           : PLACE_OUTPUTS;
}

void evaluate_unsettle(Sim *sim, DdpNode n)
{
    if (sim->nodes.at[n].glanced)
        glance_forget(sim);
    if (sim->nodes.at[n].listed)
        return;
    sim->nodes.at[n].listed = true;
    vec_push(sim->mem, &sim->unsettled, n);
}

static void need_node(Sim *sim, DdpNode n, int kind)
{
    EvalNode *node = &sim->nodes.at[n];
    bool needed = node->live && node->varies && needed_by_count(sim, node, kind);
    if (kind == NEED_CONDITIONS &&
        node->holds) /* it is looked at in each step, as conditions are */
        needed |= node->live && node->needed[NEED_DYNAMICS];
    if (needed == node->needed[kind])
        return;
    node->needed[kind] = needed;
    evaluate_unsettle(sim, n);
    for (uint32_t i = 0; i < node->n_reads; i++)
        need_push(sim, node->reads[i].var, kind, needed ? 1 : -1);
    if (kind == NEED_DYNAMICS && node->holds)
        need_node(sim, n, NEED_CONDITIONS);
}

/* Last in, first out: what came counts before what went, so a sum that is made anew does not let go
 * of all that it adds up. */
static void need_work(Sim *sim)
{
    while (sim->need_work.n) {
        uint32_t item = vec_pop(&sim->need_work);
        ValueInfo *info = &sim->info[item >> 2];
        int kind = item >> 1 & 1;
        info->need[kind] += item & 1 ? 1u : -1u;
        if (info->node && info->need[kind] == (item & 1))
            need_node(sim, info->node, kind);
    }
}

void evaluate_need(Sim *sim, DdpVar var, int kind, int change)
{
    need_push(sim, var, kind, change);
    need_work(sim);
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
static void heap_renew(Sim *sim)
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

/* ---- the delta ---- */

static bool find_jump(const Sim *sim, X x)
{
    uint32_t n;
    bool found = false;
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n && !found; i++)
        found = hold_is_jump((XOp)x_node(sim->forms, list[i]).op);
    mem_free(sim->mem, list);
    return found;
}

/* What is known of an expression with a target position is remembered: thousands of nodes share
 * one. Expressions and codes stay as long as the simulation. */
static CodeId code_of(Sim *sim, X value, uint32_t target, bool *jumps)
{
    uint64_t key = (uint64_t)value << 32 | target;
    uint32_t known = map_get(&sim->codes, key);
    if (!known) {
        X lowered = x_lower_powers(sim->forms, value);
        known = interp_code(sim->interp, 1, &target, &lowered) << 1 | find_jump(sim, value);
        map_put(sim->mem, &sim->codes, key, known);
    }
    *jumps = known & 1;
    return known >> 1;
}

static X residual_of(Sim *sim, DdpRel rel)
{
    const FormInfo *form = form_info(sim->forms, ddp_rel(sim->ddp, rel).form);
    return x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
}

static void need_scratch(Sim *sim, const Code *code)
{
    size_t need = interp_tangent_scratch(code);
    if (need < interp_scratch(code))
        need = interp_scratch(code);
    if (need <= sim->n_scratch)
        return;
    sim->n_scratch = 2 * need;
    sim->scratch = mem_resize(sim->mem, sim->scratch, sim->n_scratch * sizeof *sim->scratch);
}

const Code *evaluate_make_code(Sim *sim, X x)
{
    uint32_t target = INTERP_NO_TARGET;
    X lowered = x_lower_powers(sim->forms, x);
    const Code *code = interp_get(sim->interp, interp_code(sim->interp, 1, &target, &lowered));
    need_scratch(sim, code);
    return code;
}

double evaluate_code(Sim *sim, const Code *code, const uint32_t *vars)
{
    interp_run(code, vars, sim->value, sim->scratch, evaluate_foreign, sim);
    return sim->scratch[0];
}

/* True: its value may jump. */
static bool set_value(Sim *sim, EvalOp *op, X value)
{
    uint32_t target = INTERP_NO_TARGET, n = ddp_rel(sim->ddp, op->rel).n;
    for (uint32_t i = 0; op->target && i < n; i++)
        if (op->vars[i] == op->target)
            target = i;
    bool jumps;
    op->id = code_of(sim, value, target, &jumps);
    op->code = interp_get(sim->interp, op->id);
    op->value = value;
    need_scratch(sim, op->code);
    return jumps;
}

/* One operation: its code over the relation's variables. `vars` receives a copy of these. True: its
 * value may jump. */
static bool make_op(Sim *sim, EvalOp *op, const DdpStep *step, uint32_t *vars)
{
    DdpRelView rel = ddp_rel(sim->ddp, step->rel);
    memcpy(vars, rel.vars, rel.n * sizeof *vars);
    X value = step->value ? step->value : residual_of(sim, step->rel);
    *op = (EvalOp){
        .vars = vars, .rel = step->rel, .target = step->value ? step->var : 0, .source = value};
    return set_value(sim, op, value);
}

void evaluate_change_op(Sim *sim, EvalOp *op, X value)
{
    set_value(sim, op, value);
}

/* All arrays of a node lie in one allocation (sim_int.h: node_kept). No relation reads what it
 * determines, so there are no more reads than other variables. */
static void carve(Sim *sim, EvalNode *node, const DdpNodeView *view, uint32_t **vars)
{
    size_t ops = view->n_steps + view->n_tears, tears = view->n_tears, n_vars = 0, n_reads = 0;
    for (uint32_t i = 0; i < ops; i++) {
        const DdpStep *step =
            i < view->n_steps ? &view->steps[i] : &view->residuals[i - view->n_steps];
        DdpRelView rel = ddp_rel(sim->ddp, step->rel);
        n_vars += rel.n;
        for (uint32_t k = 0; k < rel.n; k++)
            n_reads += rel.vars[k] && !(step->value && rel.vars[k] == step->var);
    }
    size_t loop = view->loop ? ops + (tears > LOOP_TORN ? 0 : dense_lu_room(view->n_tears)) : 0;
    size_t doubles =
               ops * sizeof(EvalOp) + (view->loop ? sizeof(NodeLoop) : 0) + loop * sizeof(double),
           reads = n_reads * sizeof(ReadEdge);
    char *block = mem_alloc(
        sim->mem,
        doubles + reads + (n_vars + tears + dense_lu_pivots(view->n_tears)) * sizeof(uint32_t));
    node->ops = (EvalOp *)block;
    node->reads = (ReadEdge *)(block + doubles);
    *vars = (uint32_t *)(block + doubles + reads);
    if (node->loop)
        node_loop(node)->tears = *vars + n_vars;
}

/* What the DDP derived from something known is known: 1 for the clock, else 0. */
static void know_derivative(Sim *sim, DdpVar var)
{
    DdpVarView view = ddp_var(sim->ddp, var);
    if (!view.order || sim->info[var].node || ddp_node_of(sim->ddp, var) ||
        ddp_is_state(sim->ddp, var))
        return;
    DdpVarKind kind = ddp_var(sim->ddp, view.origin).kind;
    if (kind != DDP_UNKNOWN)
        values_set(sim, var, kind == DDP_TIME && view.order == 1 ? 1 : 0);
}

static void add_read(Sim *sim, DdpNode n, DdpVar var)
{
    EvalNode *node = &sim->nodes.at[n];
    ValueInfo *info = &sim->info[var];
    if (info->mark == sim->mark || info->node == n)
        return;
    info->mark = sim->mark;
    ReadEdge *edge = &node->reads[node->n_reads++];
    *edge = (ReadEdge){.next = info->readers, .var = var, .node = n};
    if (edge->next)
        edge->next->link = &edge->next;
    info->readers = edge;
}

static void make_reads(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->mark++;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        const EvalOp *op = &node->ops[i];
        DdpRelView rel = ddp_rel(sim->ddp, op->rel);
        const FormInfo *form = form_info(sim->forms, rel.form);
        for (uint32_t k = 0; k < rel.n; k++)
            if (op->vars[k] && op->vars[k] != op->target && form->position[k].occurs)
                add_read(sim, n, op->vars[k]);
    }
}

/* Who determines `var`, or that it is a state, changes. */
static void change_hands(Sim *sim, DdpVar var)
{
    if (sim->info[var].glanced)
        glance_forget(sim);
}

static void own_outputs(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        change_hands(sim, node_output(node, i));
        sim->info[node_output(node, i)].node = n;
    }
    DdpVar any = node->n_tears ? node_tears(node)[0] : node->ops[0].target;
    node->varies = ddp_var(sim->ddp, any).varies;
}

/* Differentiated relations are constraints. */
static void note_derivative(Sim *sim, DdpRel rel)
{
    DdpRelView view = ddp_rel(sim->ddp, rel);
    if (view.order == 0)
        return;
    while (sim->differentiated.n <= view.origin)
        vec_push(sim->mem, &sim->differentiated, 0);
    sim->differentiated.at[view.origin] = 1;
}

static void make_node(Sim *sim, DdpNode n)
{
    while (sim->nodes.n <= n)
        vec_push(sim->mem, &sim->nodes, (EvalNode){0});
    DdpNodeView view = ddp_node(sim->ddp, n);
    EvalNode *node = &sim->nodes.at[n];
    uint32_t *vars;
    bool listed = node->listed, jumps = false;
    EvalNode made = {.live = true,
                     .listed = listed,
                     .determined = view.determined,
                     .loop = view.loop,
                     .linear = view.linear,
                     .constant = view.constant,
                     .untorn = view.untorn,
                     .given_whole = view.untorn,
                     .n_steps = view.n_steps,
                     .n_tears = view.n_tears};
    carve(sim, &made, &view, &vars); /* before anybody sees it: memory may run out */
    *node = made;
    sim->work++;
    for (uint32_t i = 0; i < view.n_steps + view.n_tears; i++) {
        const DdpStep *step = i < view.n_steps ? &view.steps[i] : &view.residuals[i - view.n_steps];
        jumps |= make_op(sim, &node->ops[i], step, vars);
        vars += ddp_rel(sim->ddp, step->rel).n;
    }
    if (view.n_tears)
        memcpy(node_tears(node), view.tears, view.n_tears * sizeof *node_tears(node));
    own_outputs(sim, n);
    for (uint32_t i = 0; i < view.n_steps + view.n_tears; i++)
        note_derivative(sim, node->ops[i].rel);
    make_reads(sim, n);
    node->acts = update_acts(sim, node);
    node->compares = node->varies && jumps;
    if (node->compares)
        event_make_compares(sim, node);
    for (int kind = 0; kind < NEED_KINDS; kind++)
        need_node(sim, n, kind);
    evaluate_unsettle(sim, n);
    evaluate_touch_node(sim, n);
}

/* Nobody will say that its value came, if the next one has the same bits: who waits for it looks
 * again. */
static void stop_waiting(Sim *sim, DdpVar var)
{
    if (sim->info[var].pending)
        evaluate_touch(sim, var);
    sim->info[var].pending = false;
}

static void disown(Sim *sim, DdpNode n, DdpVar var)
{
    ValueInfo *info = &sim->info[var];
    if (info->node != n)
        return;
    change_hands(sim, var);
    info->node = 0;
    stop_waiting(sim, var);
    vec_push(sim->mem, &sim->orphans, var);
}

static void drop_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->live)
        return;
    sim->work++;
    part_graph_take_out(sim, n);
    node->live = node->dirty = false;
    for (int kind = 0; kind < NEED_KINDS; kind++)
        need_node(sim, n, kind);
    for (uint32_t i = 0; i < node->n_reads; i++) {
        ReadEdge *edge = &node->reads[i];
        if (edge->link)
            *edge->link = edge->next;
        else
            sim->info[edge->var].readers = edge->next;
        if (edge->next)
            edge->next->link = edge->link;
    }
    for (uint32_t i = 0; i < node->n_steps; i++)
        disown(sim, n, node->ops[i].target);
    for (uint32_t i = 0; i < node->n_tears; i++)
        disown(sim, n, node_tears(node)[i]);
    loop_solve_forget(sim, node);
    hold_forget(sim, node);
    mem_free(sim->mem, node->ops);
    mem_free(sim->mem, node->compare);
    mem_free(sim->mem, node->place_vars);
    tape_plan_free(sim, node->plan);
    *node = (EvalNode){.listed = node->listed};
}

static void take_moved(Sim *sim, DdpNode n)
{
    if (!sim->nodes.at[n].live)
        return;
    if (sim->nodes.at[n].part)
        part_touch(sim->nodes.at[n].part);
    rope_shift(sim, n);
    evaluate_unsettle(sim, n);
}

/* ---- what stays ---- */

/* Loops never do: they are made anew and forget their solution. A comparison in it may be one of
 * values that did not vary when it was made. */
static bool does_the_same(const Sim *sim, const EvalNode *node, DdpNode n)
{
    DdpNodeView view = ddp_node(sim->ddp, n);
    const EvalOp *op = node->ops;
    const DdpStep *step = view.steps;
    if (!node->live || node->loop || view.loop || op->rel != step->rel || op->target != step->var ||
        op->source != step->value || node->varies != ddp_var(sim->ddp, step->var).varies)
        return false;
    DdpRelView rel = ddp_rel(sim->ddp, step->rel);
    return memcmp(op->vars, rel.vars, rel.n * sizeof *rel.vars) == 0 &&
           event_compares_stay(sim, node);
}

/* It does what it did, but perhaps something that it depends on is determined now, or is no longer.
 * Where it belongs is seen when parts are settled: most turn back within the same event. */
static void turn_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->work++;
    node->determined = ddp_node(sim->ddp, n).determined;
    node->dirty = node->waits = node->forced = false;
    node->acts = update_acts(sim, node);
    node->moment = 0;
    stop_waiting(sim, node->ops[0].target);
    event_forget_compares(node);
    evaluate_unsettle(sim, n);
    evaluate_touch_node(sim, n);
}

static bool stays(const Sim *sim, const DdpDelta *delta)
{
    const EvalNode *node = &sim->nodes.at[delta->node];
    return (delta->change == DDP_NODE_TURNED && !node->loop) ||
           (delta->change == DDP_NODE_CHANGED && does_the_same(sim, node, delta->node));
}

/* What a node that stays reads may jump at the event: its part starts anew. */
static void disturb_part(const EvalNode *node)
{
    if (!node->part)
        return;
    part_search_again(node->part);
    if (node->place == PLACE_DYNAMICS)
        part_disturb(node->part);
}

static void drop_or_keep(Sim *sim, const DdpDelta *delta)
{
    DdpNode n = delta->node;
    if (delta->change == DDP_NODE_NEW || n >= sim->nodes.n)
        return;
    bool kept = sim->nodes.at[n].kept = stays(sim, delta);
    if (kept)
        disturb_part(&sim->nodes.at[n]);
    if (delta->change == DDP_NODE_MOVED || (kept && delta->change == DDP_NODE_CHANGED))
        take_moved(sim, n);
    else if (!kept)
        drop_node(sim, n);
}

static void make_or_keep(Sim *sim, const DdpDelta *delta)
{
    DdpNode n = delta->node;
    if (delta->change == DDP_NODE_GONE || delta->change == DDP_NODE_MOVED)
        return;
    if (delta->change != DDP_NODE_NEW && n < sim->nodes.n && sim->nodes.at[n].kept)
        turn_node(sim, n);
    else
        make_node(sim, n);
}

/* ---- states ---- */

static void state_ends(Sim *sim, const DdpStateDelta *delta)
{
    ValueInfo *info = &sim->info[delta->var];
    if (!info->state)
        return;
    change_hands(sim, delta->var);
    part_graph_state_ends(sim, delta->var, delta->slope);
    DdpVar *link = &sim->info[delta->slope].slope_of;
    while (*link && *link != delta->var)
        link = &sim->info[*link].slope_next;
    if (*link)
        *link = info->slope_next;
    StateInfo last = vec_pop(&sim->states);
    if (last.var != delta->var) {
        sim->states.at[info->state - 1] = last;
        sim->info[last.var].state = info->state;
    }
    info->state = info->slope_next = 0;
    need_push(sim, delta->slope, NEED_DYNAMICS, -1);
}

static void state_begins(Sim *sim, const DdpStateDelta *delta)
{
    ValueInfo *info = &sim->info[delta->var];
    change_hands(sim, delta->var);
    vec_push(sim->mem, &sim->states,
             ((StateInfo){.var = delta->var, .slope = delta->slope, .rel = delta->rel}));
    info->state = sim->states.n;
    info->slope_next = sim->info[delta->slope].slope_of;
    sim->info[delta->slope].slope_of = delta->var;
    if (!info->has)
        vec_push(sim->mem, &sim->lacking, delta->var);
    part_graph_state_begins(sim, delta->var, delta->slope);
    need_push(sim, delta->slope, NEED_DYNAMICS, 1);
}

static void take_states(Sim *sim)
{
    uint32_t n;
    const DdpStateDelta *delta = ddp_state_delta(sim->ddp, &n);
    for (uint32_t i = 0; i < n; i++)
        if (delta[i].born)
            state_begins(sim, &delta[i]);
        else
            state_ends(sim, &delta[i]);
}

/* An output that was not evaluated at this moment; its class may be another one by now. */
bool evaluate_is_stale(const Sim *sim, const EvalNode *node)
{
    bool stale = node->waits || (node->place == PLACE_OUTPUTS && node->moment != sim->moment);
    return stale && node->determined && !(node->loop && sim->hold_loops);
}

static void meet_readers(Sim *sim, DdpVar var)
{
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        if (node->mark == sim->mark || !evaluate_is_stale(sim, node))
            continue;
        node->mark = sim->mark;
        vec_push(sim->mem, &sim->followers, edge->node);
    }
}

static void meet_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->part)
        part_meet(node->part);
    else if (evaluate_is_stale(sim, node))
        evaluate_fetch(sim, node_output(node, 0));
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        meet_readers(sim, node_output(node, i));
}

/* What is about to lose its node keeps the value it has at this time: parts are brought there while
 * their lists are complete, and outputs are evaluated; also those that only follow from what
 * changes, because they may lose their nodes in a later commit of the same event (but for those
 * that depend on one part among many that the event does not touch). */
static void meet_changed(Sim *sim, uint32_t n, const DdpDelta *delta)
{
    sim->mark++;
    vec_clear(&sim->followers);
    for (uint32_t i = 0; i < n; i++) {
        if (delta[i].change == DDP_NODE_NEW || delta[i].node >= sim->nodes.n ||
            !sim->nodes.at[delta[i].node].live)
            continue;
        if (delta[i].change != DDP_NODE_MOVED)
            meet_node(sim, delta[i].node);
        else if (sim->nodes.at[delta[i].node].part) /* which lacks it until parts are settled */
            part_meet(sim->nodes.at[delta[i].node].part);
    }
    const DdpStateDelta *states = ddp_state_delta(sim->ddp, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (sim->info[states[i].var].part)
            part_meet(sim->info[states[i].var].part);
        meet_readers(sim, states[i].var);
    }
    bool few = sim->parts.n <= SOL_FEW_PARTS;
    for (uint32_t i = 0; i < sim->followers.n; i++)
        if (few || evaluate_fetch_met(sim, node_output(&sim->nodes.at[sim->followers.at[i]], 0)))
            meet_node(sim, sim->followers.at[i]);
}

/* ---- what begins to vary ---- */

/* Who compares it, and did not watch that comparison so far: such a node is made anew, though the
 * DDP has nothing to say of it. */
static void begins_to_vary(Sim *sim, DdpVar var)
{
    ValueInfo *info = &sim->info[var];
    bool before = info->varied;
    info->varied = ddp_var(sim->ddp, var).varies;
    if (before || !info->varied)
        return;
    for (ReadEdge *edge = info->readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        if (!node->compares || node->remade)
            continue;
        node->remade = true;
        vec_push(sim->mem, &sim->remade, edge->node);
    }
}

/* Before anything goes, since the readers are those of the structure so far. */
static void find_remade(Sim *sim, uint32_t n, const DdpDelta *delta)
{
    vec_clear(&sim->remade);
    for (uint32_t i = 0; i < n; i++) {
        if (delta[i].change == DDP_NODE_GONE || delta[i].change == DDP_NODE_MOVED)
            continue;
        DdpNodeView view = ddp_node(sim->ddp, delta[i].node);
        for (uint32_t k = 0; k < view.n_steps; k++)
            begins_to_vary(sim, view.steps[k].var);
        for (uint32_t k = 0; k < view.n_tears; k++)
            begins_to_vary(sim, view.tears[k]);
    }
    uint32_t n_states;
    const DdpStateDelta *states = ddp_state_delta(sim->ddp, &n_states);
    for (uint32_t i = 0; i < n_states; i++)
        begins_to_vary(sim, states[i].var);
    for (uint32_t i = 0; i < sim->remade.n; i++)
        meet_node(sim, sim->remade.at[i]);
}

static void renew_remade(Sim *sim)
{
    for (uint32_t i = 0; i < sim->remade.n; i++) {
        DdpNode n = sim->remade.at[i];
        if (!sim->nodes.at[n].live || !sim->nodes.at[n].remade)
            continue; /* the delta did it */
        drop_node(sim, n);
        make_node(sim, n);
    }
}

void evaluate_apply(Sim *sim)
{
    uint32_t n;
    const DdpDelta *delta = ddp_delta(sim->ddp, &n);
    sim->applying = true;
    sim->structures++;
    vec_clear(&sim->orphans);
    meet_changed(sim, n, delta);
    find_remade(sim, n, delta);
    for (uint32_t i = 0; i < n; i++) /* first all that goes: variables may change hands */
        drop_or_keep(sim, &delta[i]);
    for (uint32_t i = 0; i < n; i++)
        make_or_keep(sim, &delta[i]);
    renew_remade(sim);
    take_states(sim);
    need_work(sim); /* once: what is needed again was never not needed */
    for (uint32_t i = 0; i < sim->orphans.n; i++)
        if (ddp_var_used(sim->ddp, sim->orphans.at[i])) {
            know_derivative(sim, sim->orphans.at[i]);
            sim->info[sim->orphans.at[i]].varied = ddp_var(sim->ddp, sim->orphans.at[i]).varies;
        }
    for (uint32_t i = 0; i < n; i++) {
        const EvalNode *node = &sim->nodes.at[delta[i].node];
        for (uint32_t k = 0; node->live && k < node->n_reads; k++)
            know_derivative(sim, node->reads[k].var);
        if (node->live && delta[i].change <= DDP_NODE_CHANGED)
            reselect_note(sim, delta[i].node);
    }
    sim->applying = false;
    heap_renew(sim);
}

void evaluate_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        loop_solve_forget(sim, &sim->nodes.at[i]);
        mem_free(sim->mem, sim->nodes.at[i].ops);
        mem_free(sim->mem, sim->nodes.at[i].compare);
        mem_free(sim->mem, sim->nodes.at[i].place_vars);
        mem_free(sim->mem, sim->nodes.at[i].plan);
    }
    vec_free(sim->mem, &sim->nodes);
    map_free(sim->mem, &sim->codes);
    vec_free(sim->mem, &sim->heap);
    vec_free(sim->mem, &sim->need_work);
    vec_free(sim->mem, &sim->differentiated);
    vec_free(sim->mem, &sim->held_back);
    vec_free(sim->mem, &sim->skipped);
    vec_free(sim->mem, &sim->remade);
    vec_free(sim->mem, &sim->marking);
    vec_free(sim->mem, &sim->marked);
    vec_free(sim->mem, &sim->exempt);
    vec_free(sim->mem, &sim->orphans);
    vec_free(sim->mem, &sim->dying);
    vec_free(sim->mem, &sim->states);
    vec_free(sim->mem, &sim->unsettled);
    vec_free(sim->mem, &sim->cuts);
    vec_free(sim->mem, &sim->clocked_work);
    vec_free(sim->mem, &sim->lacking);
    vec_free(sim->mem, &sim->fetch_stack);
    vec_free(sim->mem, &sim->followers);
    vec_free(sim->mem, &sim->compared);
    vec_free(sim->mem, &sim->narrow_nodes);
    vec_free(sim->mem, &sim->narrow_needs);
    vec_free(sim->mem, &sim->cycle);
    vec_free(sim->mem, &sim->tied);
    vec_free(sim->mem, &sim->sums_before);
    vec_free(sim->mem, &sim->glance.items);
    vec_free(sim->mem, &sim->glance.vars);
    vec_free(sim->mem, &sim->glance.nodes);
    mem_free(sim->mem, sim->scratch);
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
        disturb_part(node);
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
