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
#include "runtime/sim_int.h"

#include <math.h>
#include <string.h>

double evaluate_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    Sim *sim = context;
    return foreign_call(sim->foreign, function, n, args);
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
        if (sim->info[node->tears[i]].need[kind])
            return true;
    return false;
}

static void need_node(Sim *sim, EvalNode *node, int kind)
{
    bool needed = node->live && node->varies && needed_by_count(sim, node, kind);
    if (needed == node->needed[kind])
        return;
    node->needed[kind] = needed;
    sim->lists_stale = true;
    for (uint32_t i = 0; i < node->n_reads; i++)
        need_push(sim, node->reads[i].var, kind, needed ? 1 : -1);
}

static void need_work(Sim *sim)
{
    while (sim->need_work.n) {
        uint32_t item = vec_pop(&sim->need_work);
        ValueInfo *info = &sim->info[item >> 2];
        int kind = item >> 1 & 1;
        info->need[kind] += item & 1 ? 1u : -1u;
        if (info->node && info->need[kind] == (item & 1))
            need_node(sim, &sim->nodes.at[info->node], kind);
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
    DdpNode *heap = sim->heap.at;
    while (i && ddp_before(sim->ddp, heap[i], heap[(i - 1) / 2])) {
        DdpNode t = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = t;
        i = (i - 1) / 2;
    }
}

static void heap_down(Sim *sim, uint32_t i)
{
    DdpNode *heap = sim->heap.at;
    for (;;) {
        uint32_t least = i, child = 2 * i + 1;
        if (child < sim->heap.n && ddp_before(sim->ddp, heap[child], heap[least]))
            least = child;
        if (child + 1 < sim->heap.n && ddp_before(sim->ddp, heap[child + 1], heap[least]))
            least = child + 1;
        if (least == i)
            return;
        DdpNode t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static DdpNode heap_pop(Sim *sim)
{
    DdpNode first = sim->heap.at[0];
    sim->heap.at[0] = sim->heap.at[--sim->heap.n];
    heap_down(sim, 0);
    return first;
}

/* A commit changes the order: nodes that are gone leave, the others are put in order again. */
static void heap_renew(Sim *sim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->heap.n; i++)
        if (sim->nodes.at[sim->heap.at[i]].dirty)
            sim->heap.at[kept++] = sim->heap.at[i];
    sim->heap.n = kept;
    for (uint32_t i = kept / 2; i-- > 0;)
        heap_down(sim, i);
}

void evaluate_touch_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->dirty || !node->determined)
        return;
    node->dirty = true;
    node->factored = false;
    vec_push(sim->mem, &sim->heap, n);
    if (!sim->applying)
        heap_up(sim, sim->heap.n - 1);
}

void evaluate_touch(Sim *sim, DdpVar var)
{
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

static bool jumps(const Sim *sim, X x)
{
    uint32_t n;
    bool found = false;
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n && !found; i++) {
        XOp op = x_node(sim->forms, list[i]).op;
        found = (op >= X_LT && op <= X_GT) || (op >= X_SIGN && op <= X_ROUND) || op == X_MOD;
    }
    mem_free(sim->mem, list);
    return found;
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

/* One operation: its code over the relation's variables. `vars` receives a copy of these. */
static void make_op(Sim *sim, EvalOp *op, const DdpStep *step, uint32_t *vars)
{
    DdpRelView rel = ddp_rel(sim->ddp, step->rel);
    memcpy(vars, rel.vars, rel.n * sizeof *vars);
    X value = step->value ? step->value : residual_of(sim, step->rel);
    uint32_t target = INTERP_NO_TARGET;
    for (uint32_t i = 0; step->value && i < rel.n; i++)
        if (rel.vars[i] == step->var)
            target = i;
    X lowered = x_lower_powers(sim->forms, value);
    CodeId id = interp_code(sim->interp, 1, &target, &lowered);
    *op = (EvalOp){.id = id,
                   .code = interp_get(sim->interp, id),
                   .vars = vars,
                   .rel = step->rel,
                   .target = step->value ? step->var : 0,
                   .value = value};
    need_scratch(sim, op->code);
}

static size_t round_up(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* All arrays of a node lie in one allocation. */
static void carve(Sim *sim, EvalNode *node, const DdpNodeView *view, uint32_t **vars)
{
    uint32_t ops = view->n_steps + view->n_tears, n_vars = 0;
    for (uint32_t i = 0; i < ops; i++) {
        DdpRel rel =
            i < view->n_steps ? view->steps[i].rel : view->residuals[i - view->n_steps].rel;
        n_vars += ddp_rel(sim->ddp, rel).n;
    }
    size_t a = round_up(ops * sizeof(EvalOp)), b = round_up(n_vars * sizeof(uint32_t)),
           c = round_up(n_vars * sizeof(ReadEdge)), d = round_up(view->n_tears * sizeof(DdpVar)),
           e = round_up((size_t)view->n_tears * view->n_tears * sizeof(double)), f = d;
    char *block = mem_alloc(sim->mem, a + b + c + d + e + f + 16);
    node->block = block;
    node->ops = (EvalOp *)block;
    *vars = (uint32_t *)(block + a);
    node->reads = (ReadEdge *)(block + a + b);
    node->tears = (DdpVar *)(block + a + b + c);
    node->lu = (double *)(block + a + b + c + d);
    node->pivot = (uint32_t *)(block + a + b + c + d + e);
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
    *edge = (ReadEdge){.next = info->readers, .link = &info->readers, .var = var, .node = n};
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

static void own_outputs(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->info[node->ops[i].target].node = n;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->info[node->tears[i]].node = n;
    DdpVar any = node->n_tears ? node->tears[0] : node->ops[0].target;
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
    *node = (EvalNode){.live = true,
                       .determined = view.determined,
                       .loop = view.loop,
                       .linear = view.linear,
                       .constant = view.constant,
                       .n_steps = view.n_steps,
                       .n_tears = view.n_tears};
    carve(sim, node, &view, &vars);
    for (uint32_t i = 0; i < view.n_steps + view.n_tears; i++) {
        const DdpStep *step = i < view.n_steps ? &view.steps[i] : &view.residuals[i - view.n_steps];
        make_op(sim, &node->ops[i], step, vars);
        vars += ddp_rel(sim->ddp, step->rel).n;
    }
    if (view.n_tears)
        memcpy(node->tears, view.tears, view.n_tears * sizeof *node->tears);
    own_outputs(sim, n);
    for (uint32_t i = 0; i < view.n_steps + view.n_tears; i++)
        note_derivative(sim, node->ops[i].rel);
    make_reads(sim, n);
    for (uint32_t i = 0; node->varies && i < view.n_steps + view.n_tears; i++)
        node->compares |= jumps(sim, node->ops[i].value);
    if (node->compares)
        event_make_compares(sim, node);
    for (int kind = 0; kind < NEED_KINDS; kind++)
        need_node(sim, node, kind);
    sim->lists_stale = true;
    evaluate_touch_node(sim, n);
}

static void disown(Sim *sim, DdpNode n, DdpVar var)
{
    ValueInfo *info = &sim->info[var];
    if (info->node != n)
        return;
    info->node = 0;
    info->pending = false;
    vec_push(sim->mem, &sim->orphans, var);
}

static void drop_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->live)
        return;
    bool in_dynamics = node->needed[NEED_DYNAMICS];
    node->live = node->dirty = false;
    for (int kind = 0; kind < NEED_KINDS; kind++)
        need_node(sim, node, kind);
    if (node->part && in_dynamics)
        part_disturb(node->part);
    if (node->part)
        part_search_again(node->part);
    for (uint32_t i = 0; i < node->n_reads; i++) {
        ReadEdge *edge = &node->reads[i];
        *edge->link = edge->next;
        if (edge->next)
            edge->next->link = edge->link;
    }
    for (uint32_t i = 0; i < node->n_steps; i++)
        disown(sim, n, node->ops[i].target);
    for (uint32_t i = 0; i < node->n_tears; i++)
        disown(sim, n, node->tears[i]);
    mem_free(sim->mem, node->block);
    mem_free(sim->mem, node->compare);
    *node = (EvalNode){0};
    sim->lists_stale = true;
}

/* States as roots of the dynamics. The list is short against what a commit costs anyway. */
static void take_states(Sim *sim)
{
    for (uint32_t i = 0; i < sim->states.n; i++) {
        need_push(sim, sim->states.at[i].slope, NEED_DYNAMICS, -1);
        if (sim->info[sim->states.at[i].var].state == i + 1)
            sim->info[sim->states.at[i].var].state = 0;
    }
    vec_clear(&sim->states);
    for (uint32_t i = 0; i < ddp_state_count(sim->ddp); i++) {
        DdpState state = ddp_state(sim->ddp, i);
        vec_push(sim->mem, &sim->states,
                 ((StateInfo){.var = state.var, .slope = state.slope, .rel = state.rel}));
        sim->info[state.var].state = i + 1;
        need_push(sim, state.slope, NEED_DYNAMICS, 1);
    }
    need_work(sim);
}

static bool states_changed(const Sim *sim)
{
    if (sim->states.n != ddp_state_count(sim->ddp))
        return true;
    for (uint32_t i = 0; i < sim->states.n; i++) {
        DdpState state = ddp_state(sim->ddp, i);
        if (state.var != sim->states.at[i].var || state.slope != sim->states.at[i].slope)
            return true;
    }
    return false;
}

void evaluate_apply(Sim *sim)
{
    uint32_t n;
    const DdpDelta *delta = ddp_delta(sim->ddp, &n);
    sim->applying = true;
    vec_clear(&sim->orphans);
    for (uint32_t i = 0; i < n; i++) /* first all that goes: variables may change hands */
        if (delta[i].change != DDP_NODE_NEW && delta[i].node < sim->nodes.n)
            drop_node(sim, delta[i].node);
    need_work(sim);
    for (uint32_t i = 0; i < n; i++)
        if (delta[i].change != DDP_NODE_GONE)
            make_node(sim, delta[i].node);
    need_work(sim);
    if (states_changed(sim)) {
        take_states(sim);
        sim->lists_stale = true;
    }
    for (uint32_t i = 0; i < sim->orphans.n; i++)
        if (ddp_var_used(sim->ddp, sim->orphans.at[i]))
            know_derivative(sim, sim->orphans.at[i]);
    for (uint32_t i = 0; i < n; i++) {
        const EvalNode *node = &sim->nodes.at[delta[i].node];
        for (uint32_t k = 0; node->live && k < node->n_reads; k++)
            know_derivative(sim, node->reads[k].var);
    }
    sim->applying = false;
    heap_renew(sim);
}

void evaluate_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        mem_free(sim->mem, sim->nodes.at[i].block);
        mem_free(sim->mem, sim->nodes.at[i].compare);
    }
    vec_free(sim->mem, &sim->nodes);
    vec_free(sim->mem, &sim->heap);
    vec_free(sim->mem, &sim->need_work);
    vec_free(sim->mem, &sim->differentiated);
    vec_free(sim->mem, &sim->held_back);
    vec_free(sim->mem, &sim->orphans);
    vec_free(sim->mem, &sim->states);
    vec_free(sim->mem, &sim->dynamics);
    vec_free(sim->mem, &sim->conditions);
    vec_free(sim->mem, &sim->outputs);
    vec_free(sim->mem, &sim->probes);
    vec_free(sim->mem, &sim->narrow_nodes);
    vec_free(sim->mem, &sim->narrow_needs);
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
        sim->tangent[node->tears[i]] = 0;
}

static SolStatus not_finite(Sim *sim, const EvalNode *node)
{
    const EvalOp *op = &node->ops[0];
    if (sim->quiet)
        return SOL_NUMERICS;
    diag_error(sim->diags, world_rel_place(sim->world, op->rel),
               "at time %.10g, %s is %g: the equation %s has no value there", sim->time,
               explain_var(sim, op->target), sim->value[op->target], explain_rel(sim, op->rel));
    explain_values(sim, op);
    return SOL_NUMERICS;
}

SolStatus evaluate_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->loop)
        return loop_solve(sim, n);
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

static bool ready(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++) {
        const ValueInfo *info = &sim->info[node->reads[i].var];
        if (!info->has || info->pending)
            return false;
    }
    return true;
}

static DdpVar output_of(const EvalNode *node, uint32_t i)
{
    return i < node->n_steps ? node->ops[i].target : node->tears[i - node->n_steps];
}

/* Results are not to be trusted until the node could be evaluated. */
static void make_wait(Sim *sim, EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = output_of(node, i);
        if (sim->info[var].pending)
            continue;
        sim->info[var].pending = true;
        evaluate_touch(sim, var);
    }
}

static SolStatus renew(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    uint32_t count = node->n_steps + node->n_tears;
    double one, *old = count == 1 ? &one : mem_alloc(sim->mem, (count + 1) * sizeof *old);
    bool *trusted = mem_alloc(sim->mem, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        DdpVar var = output_of(node, i);
        old[i] = sim->value[var];
        trusted[i] = sim->info[var].has && !sim->info[var].pending;
    }
    SolStatus status = evaluate_node(sim, n);
    for (uint32_t i = 0; i < count; i++) {
        DdpVar var = output_of(node, i);
        if (!trusted[i] || memcmp(&old[i], &sim->value[var], sizeof *old) != 0)
            evaluate_touch(sim, var);
    }
    mem_free(sim->mem, trusted);
    if (old != &one)
        mem_free(sim->mem, old);
    return status;
}

SolStatus evaluate_dirty(Sim *sim)
{
    while (sim->heap.n) {
        DdpNode n = heap_pop(sim);
        EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !node->dirty)
            continue;
        node->dirty = false;
        bool held = sim->hold_loops && node->loop;
        if (held)
            vec_push(sim->mem, &sim->held_back, n);
        if (held || !ready(sim, node)) {
            make_wait(sim, node);
            continue;
        }
        SolStatus status = renew(sim, n);
        if (status != SOL_OK)
            return status;
    }
    return SOL_OK;
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

static bool reads_clock(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++) {
        DdpVar var = node->reads[i].var;
        if (var == sim->clock ||
            (sim->info[var].node && sim->nodes.at[sim->info[var].node].clocked))
            return true;
    }
    return false;
}

void evaluate_lists(Sim *sim)
{
    if (!sim->lists_stale)
        return;
    sim->lists_stale = false;
    sim->parts_stale = true;
    vec_clear(&sim->dynamics);
    vec_clear(&sim->conditions);
    vec_clear(&sim->outputs);
    vec_clear(&sim->probes);
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n)) {
        EvalNode *node = &sim->nodes.at[n];
        if (!node->varies || !node->determined)
            continue;
        node->clocked = reads_clock(sim, node);
        if (node->needed[NEED_CONDITIONS] || (node->compares && node->needed[NEED_DYNAMICS]))
            vec_push(sim->mem, &sim->probes, n);
        if (node->needed[NEED_DYNAMICS])
            vec_push(sim->mem, &sim->dynamics, n);
        else if (node->needed[NEED_CONDITIONS])
            vec_push(sim->mem, &sim->conditions, n);
        else
            vec_push(sim->mem, &sim->outputs, n);
    }
}

SolStatus evaluate_all(Sim *sim)
{
    SolStatus status = evaluate_list(sim, &sim->dynamics);
    if (status == SOL_OK)
        status = evaluate_list(sim, &sim->conditions);
    return status == SOL_OK ? evaluate_list(sim, &sim->outputs) : status;
}
