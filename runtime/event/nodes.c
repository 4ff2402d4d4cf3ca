/* nodes.c: the delta of a commit -> nodes of the schedule, as codes with their variables, what they
 * read, who needs them, and states.
 *
 * Nodes that vary between events fall into classes: *dynamics* (what slopes of states need),
 * *conditions* (what only conditions need) and *outputs* (the rest). A class reads nothing of the
 * classes behind it. Which class a node is in follows from counts along reads: a variable counts
 * the needed nodes that read it, so a change of the structure moves only what it affects.
 */
#include "runtime/event/trail.h"
#include "runtime/eval/compare.h"
#include "numerics/dense_lu.h"
#include "runtime/eval/tape.h"
#include "runtime/eval/trace.h"

#include <string.h>

/* ---- who needs what ---- */

/* Work items of need_count(): variable, kind, and whether it is needed once more or once less. */
static void need_push(Sim *sim, DdpVar var, int kind, int change)
{
    vec_push(sim->mem, &sim->build.need_work, var << 2 | (uint32_t)kind << 1 | (change > 0));
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

void evaluate_unsettle(Sim *sim, DdpNode n)
{
    if (sim->nodes.at[n].in_output_plan)
        output_plan_forget(sim);
    if (sim->nodes.at[n].listed)
        return;
    sim->nodes.at[n].listed = true;
    part_graph_unsettle(sim, n);
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
    while (sim->build.need_work.n) {
        uint32_t item = vec_pop(&sim->build.need_work);
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

/* ---- the delta ---- */

static X residual_of(Sim *sim, DdpRel rel)
{
    const FormInfo *form = form_info(sim->forms, ddp_rel(sim->ddp, rel).form);
    return x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
}

/* One operation: its code over the relation's variables. A copy of these is put at *vars, which
 * moves on. True: its value may jump. */
static bool make_op(Sim *sim, EvalOp *op, const DdpStep *step, const DdpRelView *rel,
                    uint32_t **vars)
{
    memcpy(*vars, rel->vars, rel->n * sizeof **vars);
    X value = step->value ? step->value : residual_of(sim, step->rel);
    *op = (EvalOp){
        .vars = *vars, .rel = step->rel, .target = step->value ? step->var : 0, .source = value};
    *vars += rel->n;
    return evaluate_change_op(sim, op, value);
}

static const DdpStep *step_of(const DdpNodeView *view, uint32_t i)
{
    return i < view->n_steps ? &view->steps[i] : &view->residuals[i - view->n_steps];
}

/* All arrays of a node lie in one allocation (sim_int.h: node_kept). No relation reads what it
 * determines, so there are no more reads than other variables. */
static void carve(Sim *sim, EvalNode *node, const DdpNodeView *view, const DdpRelView *rels,
                  uint32_t **vars)
{
    size_t ops = view->n_steps + view->n_tears, tears = view->n_tears, n_vars = 0, n_reads = 0;
    for (uint32_t i = 0; i < ops; i++) {
        const DdpStep *step = step_of(view, i);
        const DdpVar *named = rels[i].vars;
        n_vars += rels[i].n;
        for (uint32_t k = 0; k < rels[i].n; k++)
            n_reads += named[k] && !(step->value && named[k] == step->var);
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
    if (node->loop) {
        node_loop(node)->tears = *vars + n_vars;
        node_loop(node)->given_whole = view->untorn;
    }
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

static void make_reads(Sim *sim, DdpNode n, const DdpRelView *rels)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->mark++;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        const EvalOp *op = &node->ops[i];
        const FormInfo *form = form_info(sim->forms, rels[i].form);
        for (uint32_t k = 0; k < rels[i].n; k++)
            if (op->vars[k] && op->vars[k] != op->target && form->position[k].occurs)
                add_read(sim, n, op->vars[k]);
    }
}

/* Who determines `var`, or that it is a state, changes. */
static void change_hands(Sim *sim, DdpVar var)
{
    if (sim->info[var].in_output_plan)
        output_plan_forget(sim);
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

/* Nobody asks for what it determines: most of what shows results only. */
static bool nobody_needs(const Sim *sim, const EvalNode *node)
{
    const ValueInfo *info = &sim->info[node->ops[0].target];
    return !node->loop && !info->need[NEED_DYNAMICS] && !info->need[NEED_CONDITIONS];
}

enum { FEW_OPS = 8 }; /* of a node: their relations are looked at on the stack */

static void make_node(Sim *sim, DdpNode n)
{
    while (sim->nodes.n <= n)
        vec_push(sim->mem, &sim->nodes, (EvalNode){0});
    DdpNodeView view = ddp_node(sim->ddp, n);
    EvalNode *node = &sim->nodes.at[n];
    uint32_t *vars, n_ops = view.n_steps + view.n_tears;
    bool listed = node->listed, jumps = false;
    DdpRelView few[FEW_OPS],
        *rels = n_ops <= FEW_OPS ? few : mem_alloc(sim->mem, n_ops * sizeof *rels);
    for (uint32_t i = 0; i < n_ops; i++)
        rels[i] = ddp_rel(sim->ddp, step_of(&view, i)->rel);
    EvalNode made = {.live = true,
                     .listed = listed,
                     .made = (uint8_t)(node->made + 1),
                     .determined = view.determined,
                     .loop = view.loop,
                     .linear = view.linear,
                     .constant = view.constant,
                     .untorn = view.untorn,
                     .n_steps = view.n_steps,
                     .n_tears = view.n_tears};
    carve(sim, &made, &view, rels, &vars); /* before anybody sees it: memory may run out */
    *node = made;
    sim->work++;
    for (uint32_t i = 0; i < n_ops; i++)
        jumps |= make_op(sim, &node->ops[i], step_of(&view, i), &rels[i], &vars);
    if (view.n_tears)
        memcpy(node_tears(node), view.tears, view.n_tears * sizeof *node_tears(node));
    node->untorn |= node->loop && loop_keep_is_known_whole(sim, node);
    if (node->loop)
        loop_keep_begin(node);
    own_outputs(sim, n);
    for (uint32_t i = 0; i < n_ops; i++)
        if (rels[i].order) /* differentiated relations are constraints */
            reselect_note_differentiated(sim, rels[i].origin);
    make_reads(sim, n, rels);
    if (rels != few)
        mem_free(sim->mem, rels);
    node->in_update.acts = update_acts(sim, node);
    node->compares = node->varies && jumps;
    if (node->compares)
        hold_make_compares(sim, node);
    for (int kind = 0; kind < NEED_KINDS && !nobody_needs(sim, node); kind++)
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
    if (sim->nodes.at[n].varies)
        trail_before(sim, var, sim->value[var]);
    info->node = 0;
    stop_waiting(sim, var);
    vec_push(sim->mem, &sim->build.orphans, var);
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
        if (node->needed[kind])
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
    loop_solve_put_away(sim, node);
    hold_forget(sim, node);
    mem_free(sim->mem, node->ops);
    mem_free(sim->mem, node->compare);
    mem_free(sim->mem, node->place_vars);
    tape_plan_free(sim, node->plan);
    *node = (EvalNode){.listed = node->listed, .made = node->made};
}

static void take_moved(Sim *sim, DdpNode n)
{
    if (!sim->nodes.at[n].live)
        return;
    if (sim->nodes.at[n].part)
        part_touch(sim->nodes.at[n].part);
    node_order_shift(sim, n);
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
           hold_compares_stay(sim, node);
}

/* It does what it did, but perhaps something that it depends on is determined now, or is no longer.
 * Where it belongs is seen when parts are settled: most turn back within the same event. */
static void turn_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    sim->work++;
    node->determined = ddp_node(sim->ddp, n).determined;
    node->dirty = node->waits = node->forced = false;
    node->in.described = 0; /* its relation may be another that is solved in the same way */
    node->in_update.acts = update_acts(sim, node);
    node->point_number = node_made_at(sim->point_number);
    stop_waiting(sim, node->ops[0].target);
    compare_forget(node);
    evaluate_unsettle(sim, n);
    evaluate_touch_node(sim, n);
}

static bool stays(const Sim *sim, const DdpDelta *delta)
{
    const EvalNode *node = &sim->nodes.at[delta->node];
    return (delta->change == DDP_NODE_TURNED && !node->loop) ||
           (delta->change == DDP_NODE_CHANGED && does_the_same(sim, node, delta->node));
}

static void drop_or_keep(Sim *sim, const DdpDelta *delta)
{
    DdpNode n = delta->node;
    if (delta->change == DDP_NODE_NEW || n >= sim->nodes.n)
        return;
    bool kept = sim->nodes.at[n].kept = stays(sim, delta);
    if (kept)
        evaluate_disturb_part(&sim->nodes.at[n]);
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
    trail_state(sim, delta->var);
    trail_before(sim, delta->var, sim->value[delta->var]);
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
    trail_begun(sim, delta->var);
    change_hands(sim, delta->var);
    vec_push(sim->mem, &sim->states,
             ((StateInfo){.var = delta->var, .slope = delta->slope, .rel = delta->rel}));
    info->state = sim->states.n;
    info->slope_next = sim->info[delta->slope].slope_of;
    sim->info[delta->slope].slope_of = delta->var;
    if (!info->has)
        vec_push(sim->mem, &sim->start.lacking, delta->var);
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

static void bring_readers(Sim *sim, DdpVar var)
{
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        if (node->mark == sim->mark || !evaluate_is_stale(sim, node))
            continue;
        node->mark = sim->mark;
        vec_push(sim->mem, &sim->build.followers, edge->node);
    }
}

static void bring_node(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    before_keep(sim, n);
    if (node->part)
        part_bring(node->part, EVAL_EVENT);
    else if (evaluate_is_stale(sim, node))
        evaluate_fetch(sim, node_output(node, 0), EVAL_EVENT);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        bring_readers(sim, node_output(node, i));
}

/* What is about to lose its node keeps the value it has at this time: parts are brought there while
 * their lists are complete, and outputs are evaluated; also those that only follow from what
 * changes, because they may lose their nodes in a later commit of the same event (but for those
 * that depend on one part among many that the event does not touch). */
static void bring_changed(Sim *sim, uint32_t n, const DdpDelta *delta)
{
    sim->mark++;
    vec_clear(&sim->build.followers);
    for (uint32_t i = 0; i < n; i++) {
        if (delta[i].change == DDP_NODE_NEW || delta[i].node >= sim->nodes.n ||
            !sim->nodes.at[delta[i].node].live)
            continue;
        if (delta[i].change != DDP_NODE_MOVED)
            bring_node(sim, delta[i].node);
        else if (sim->nodes.at[delta[i].node].part) /* which lacks it until parts are settled */
            part_bring(sim->nodes.at[delta[i].node].part, EVAL_EVENT);
    }
    const DdpStateDelta *states = ddp_state_delta(sim->ddp, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (sim->info[states[i].var].part)
            part_bring(sim->info[states[i].var].part, EVAL_EVENT);
        bring_readers(sim, states[i].var);
    }
    bool few = sim->parts.n <= SOL_FEW_PARTS;
    for (uint32_t i = 0; i < sim->build.followers.n; i++)
        if (few || evaluate_fetch_brought(
                       sim, node_output(&sim->nodes.at[sim->build.followers.at[i]], 0), EVAL_EVENT))
            bring_node(sim, sim->build.followers.at[i]);
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
        vec_push(sim->mem, &sim->build.remade, edge->node);
    }
}

/* Before anything goes, since the readers are those of the structure so far. */
static void find_remade(Sim *sim, uint32_t n, const DdpDelta *delta)
{
    vec_clear(&sim->build.remade);
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
    for (uint32_t i = 0; i < sim->build.remade.n; i++)
        bring_node(sim, sim->build.remade.at[i]);
}

static void renew_remade(Sim *sim)
{
    for (uint32_t i = 0; i < sim->build.remade.n; i++) {
        DdpNode n = sim->build.remade.at[i];
        if (!sim->nodes.at[n].live || !sim->nodes.at[n].remade)
            continue; /* the delta did it */
        sim->nodes.at[n].remade = false;
        if (hold_compares_stay(sim, &sim->nodes.at[n]))
            continue; /* it was made when the variable was undetermined, which counts as varying */
        drop_node(sim, n);
        make_node(sim, n);
    }
}

void nodes_apply(Sim *sim)
{
    uint32_t n;
    const DdpDelta *delta = ddp_delta(sim->ddp, &n);
    sim->build.applying = true;
    sim->build.structures++;
    vec_clear(&sim->build.orphans);
    bring_changed(sim, n, delta);
    find_remade(sim, n, delta);
    for (uint32_t i = 0; i < n; i++) /* first all that goes: variables may change hands */
        drop_or_keep(sim, &delta[i]);
    for (uint32_t i = 0; i < n; i++)
        make_or_keep(sim, &delta[i]);
    renew_remade(sim);
    take_states(sim);
    need_work(sim); /* once: what is needed again was never not needed */
    for (uint32_t i = 0; i < sim->build.orphans.n; i++)
        if (ddp_var_used(sim->ddp, sim->build.orphans.at[i])) {
            know_derivative(sim, sim->build.orphans.at[i]);
            sim->info[sim->build.orphans.at[i]].varied =
                ddp_var(sim->ddp, sim->build.orphans.at[i]).varies;
            if (!sim->info[sim->build.orphans.at[i]].node) /* an edit took its equation away */
                part_graph_unclock(sim, sim->build.orphans.at[i]);
        }
    for (uint32_t i = 0; i < n; i++) {
        const EvalNode *node = &sim->nodes.at[delta[i].node];
        for (uint32_t k = 0; node->live && k < node->n_reads; k++)
            know_derivative(sim, node->reads[k].var);
        if (node->live && delta[i].change <= DDP_NODE_CHANGED)
            reselect_note(sim, delta[i].node);
    }
    sim->build.applying = false;
    evaluate_order_changed(sim);
}

/* True: equations that depend on each other were found, and others are to take their place. */
static bool commit_once(Sim *sim, DdpCommit kind)
{
    double begin = timer_now();
    DdpResult result = ddp_commit(sim->ddp, kind);
    bool again = world_examine(sim->world, &result);
    sim->counts.ddp += timer_now() - begin;
    sim->record.event.visited += result.visited;
    trace_commit(sim, kind, &result);
    evaluate_note_commit(sim, &result);
    values_grow(sim);
    integer_note(sim);
    select_note(sim);
    nodes_apply(sim);
    return again;
}

DdpResult nodes_commit(Sim *sim, DdpCommit kind)
{
    enum { MOST_EXAMINED = 10000 }; /* one for each condition under `if initial()` */
    for (int i = 0; commit_once(sim, kind) && i < MOST_EXAMINED; i++)
        continue;
    if (kind == DDP_FINAL)
        world_settled(sim->world);
    for (uint32_t i = 0; i < sim->build.dying.n; i++)
        sim->info[sim->build.dying.at[i]].has = false;
    vec_clear(&sim->build.dying);
    return *evaluate_committed(sim);
}

void nodes_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->nodes.n; i++) {
        loop_solve_forget(sim, &sim->nodes.at[i]);
        mem_free(sim->mem, sim->nodes.at[i].ops);
        mem_free(sim->mem, sim->nodes.at[i].compare);
        mem_free(sim->mem, sim->nodes.at[i].place_vars);
        mem_free(sim->mem, sim->nodes.at[i].plan);
    }
    vec_free(sim->mem, &sim->nodes);
    hold_close(sim);
    vec_free(sim->mem, &sim->change.heap);
    vec_free(sim->mem, &sim->build.need_work);
    vec_free(sim->mem, &sim->change.held_back);
    vec_free(sim->mem, &sim->change.loops);
    vec_free(sim->mem, &sim->update.skipped);
    vec_free(sim->mem, &sim->build.remade);
    vec_free(sim->mem, &sim->update.marked);
    vec_free(sim->mem, &sim->update.exempt);
    vec_free(sim->mem, &sim->build.orphans);
    vec_free(sim->mem, &sim->build.dying);
    vec_free(sim->mem, &sim->states);
    vec_free(sim->mem, &sim->start.lacking);
    vec_free(sim->mem, &sim->build.followers);
    vec_free(sim->mem, &sim->search.compared);
    vec_free(sim->mem, &sim->search.moved);
    vec_free(sim->mem, &sim->search.needs);
    vec_free(sim->mem, &sim->decide.cycle);
}

void nodes_clear(Sim *sim)
{
    vec_clear(&sim->change.heap);
    vec_clear(&sim->change.held_back);
    vec_clear(&sim->change.loops);
    vec_clear(&sim->search.compared);
    vec_clear(&sim->search.moved);
}

void nodes_all_evaluated(Sim *sim)
{
    vec_clear(&sim->change.heap);
    vec_clear(&sim->start.lacking);
}
