/* inline_plan.c: equations of a part, and x = h * der(x) + old(x) -> a DDP -> blocks in order. See inline_plan.h. */
#include "runtime/solve/inline_plan.h"

#include "runtime/solve/relation_form.h"

#include <string.h>

/* A node of the first commit: what is iterated together, or one block. */
typedef struct Group {
    bool iterated;
    uint32_t residuals; /* in Making.residuals */
    uint32_t n_cut;
    NodeList nodes; /* of the second commit, in order */
} Group;

typedef struct Residual {
    Form form;
    uint32_t *vars;
    uint32_t tear, state;
} Residual;

typedef struct Making {
    Part *part;
    Sim *sim;
    Ddp *ddp;
    InlinePlan *plan;
    Map var_of;   /* variable of the model -> of the DDP */
    Map state_of; /* relation of the DDP -> index + 1 of the state that it discretises */
    Map group_of; /* relation of the DDP -> index + 1 in groups */
    VEC(InlineVar) vars;
    VEC(Group) groups;
    VEC(Residual) residuals;
} Making;

/* ---- variables ---- */

static DdpVar new_var(Making *m, DdpVarKind kind, InlineVar what)
{
    DdpVar var = ddp_enter_var(m->ddp, kind);
    while (m->vars.n <= var)
        vec_push(m->sim->mem, &m->vars, ((InlineVar){0}));
    m->vars.at[var] = what;
    return var;
}

/* What the part determines was entered before; the rest is given. Parameters alone are taken as not zero. */
static DdpVar var_for(Making *m, DdpVar of)
{
    DdpVar var = map_get(&m->var_of, of);
    if (var)
        return var;
    if (of == m->sim->clock)
        var = new_var(m, DDP_TIME, (InlineVar){.role = INLINE_CLOCK, .of = of});
    else
        var = new_var(m, ddp_var(m->sim->ddp, of).kind == DDP_KNOWN ? DDP_KNOWN : DDP_HELD,
                      (InlineVar){.role = INLINE_GIVEN, .of = of});
    map_put(m->sim->mem, &m->var_of, of, var);
    return var;
}

static void enter_unknown(Making *m, DdpVar of)
{
    bool hinted = ddp_tearing_hinted(m->sim->ddp, of);
    DdpVar var =
        new_var(m, DDP_UNKNOWN, (InlineVar){.role = INLINE_VALUE, .of = of, .hinted = hinted});
    map_put(m->sim->mem, &m->var_of, of, var);
    if (hinted)
        ddp_hint_tearing(m->ddp, var, 1);
}

static void enter_vars(Making *m)
{
    const NodeList *nodes = part_dynamics(m->part);
    for (uint32_t i = 0; i < m->part->states.n; i++)
        enter_unknown(m, m->part->states.at[i].var);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            enter_unknown(m, node_output(node, k));
    }
}

/* ---- relations ---- */

static void enter_relation(Making *m, const EvalNode *node, uint32_t at)
{
    Sim *sim = m->sim;
    const EvalOp *op = &node->ops[at];
    uint32_t n;
    Form form = relation_form(sim, node, at, &n);
    DdpVar *vars = mem_alloc(sim->mem, (n + 1) * sizeof *vars);
    for (uint32_t i = 0; i < n; i++)
        vars[i] = op->vars[i] ? var_for(m, op->vars[i]) : 0;
    ddp_enter_rel(m->ddp, DDP_EQUATION, form, n, vars, 0, 0);
    mem_free(sim->mem, vars);
}

/* The derivative of a state, or what it is a copy of: a velocity that is a state itself. */
static DdpVar slope_of(const Making *m, uint32_t i)
{
    const Sim *sim = m->sim;
    DdpVar slope = m->part->states.at[i].slope;
    for (;;) {
        const EvalNode *node = sim->info[slope].node ? &sim->nodes.at[sim->info[slope].node] : NULL;
        if (!node || node->loop || node->part != m->part)
            return slope;
        XNode value = x_node(sim->forms, node->ops[0].value);
        if (value.op != X_POS || !map_get(&m->var_of, node->ops[0].vars[value.a]))
            return slope;
        slope = node->ops[0].vars[value.a];
    }
}

/* The derivative may be a state itself, and that of several; h counts as something that varies, so that nothing in a
 * loop is divided by it. */
static void enter_discretisation(Making *m, uint32_t i, Form form)
{
    InlinePlan *plan = m->plan;
    plan->state[i] = map_get(&m->var_of, m->part->states.at[i].var);
    DdpVar slope = slope_of(m, i);
    plan->slope[i] = var_for(m, slope);
    plan->old[i] =
        new_var(m, DDP_TIME, (InlineVar){.role = INLINE_OLD, .of = m->part->states.at[i].var});
    DdpVar vars[] = {plan->state[i], plan->old[i], plan->h, plan->slope[i]};
    DdpRel rel = ddp_enter_rel(m->ddp, DDP_EQUATION, form, 4, vars, 0, 0);
    ddp_advise_against(m->ddp, rel, plan->slope[i]);
    if (!m->sim->info[slope].state) {
        ddp_hint_tearing(m->ddp, plan->slope[i], 1);
        m->vars.at[plan->slope[i]].state = i + 1;
    }
    map_put(m->sim->mem, &m->state_of, rel, i + 1);
}

static void enter_relations(Making *m)
{
    FormTable *forms = m->sim->forms;
    const NodeList *nodes = part_dynamics(m->part);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            enter_relation(m, node, k);
    }
    X change = x_binary(forms, X_MUL, x_pos(forms, 2), x_pos(forms, 3));
    Form form =
        form_make(forms, x_pos(forms, 0), x_binary(forms, X_ADD, change, x_pos(forms, 1)), 4);
    for (uint32_t i = 0; i < m->part->states.n; i++)
        enter_discretisation(m, i, form);
}

/* ---- what is iterated ---- */

static uint32_t *own_vars(Making *m, DdpRel rel)
{
    DdpRelView view = ddp_rel(m->ddp, rel);
    uint32_t *vars = arena_alloc(&m->plan->arena, (view.n + 1) * sizeof *vars);
    memcpy(vars, view.vars, view.n * sizeof *vars);
    return vars;
}

static void cut_off(Making *m, const InlineMember *member)
{
    vec_push(m->sim->mem, &m->residuals,
             ((Residual){ddp_rel(m->ddp, member->rel).form, own_vars(m, member->rel), member->var,
                         map_get(&m->state_of, member->rel)}));
    ddp_remove_rel(m->ddp, member->rel);
    ddp_turn_var(m->ddp, member->var, DDP_HELD);
}

static InlineMember loop_member(Making *m, DdpRel rel)
{
    DdpVar var = ddp_causality(m->ddp, rel);
    uint32_t state = map_get(&m->state_of, rel);
    return (InlineMember){.rel = rel,
                          .var = var,
                          .wish = m->vars.at[var].state != 0,
                          .hinted = m->vars.at[var].hinted,
                          .must = state && var == m->plan->slope[state - 1]};
}

static void cut_loop(Making *m, Group *group, const DdpNodeView *view)
{
    Mem *mem = m->sim->mem;
    uint32_t n = view->n_steps + view->n_tears;
    InlineMember *members = mem_alloc(mem, n * sizeof *members);
    bool *cut = mem_alloc(mem, n);
    for (uint32_t i = 0; i < n; i++)
        members[i] = loop_member(m, i < view->n_steps ? view->steps[i].rel
                                                      : view->residuals[i - view->n_steps].rel);
    inline_cut(mem, m->ddp, m->sim->forms, n, members, cut);
    group->residuals = m->residuals.n;
    for (uint32_t i = 0; i < n; i++)
        if (cut[i]) {
            cut_off(m, &members[i]);
            group->n_cut++;
        }
    mem_free(mem, members);
    mem_free(mem, cut);
}

/* Nodes of the first commit become groups, in order; loops that are not linear lose what is iterated. */
static void find_groups(Making *m)
{
    for (DdpNode node = ddp_first(m->ddp); node; node = ddp_next(m->ddp, node)) {
        DdpNodeView view = ddp_node(m->ddp, node);
        vec_push(m->sim->mem, &m->groups, ((Group){.iterated = view.loop && !view.linear}));
        for (uint32_t i = 0; i < view.n_steps; i++)
            map_put(m->sim->mem, &m->group_of, view.steps[i].rel, m->groups.n);
        for (uint32_t i = 0; i < view.n_tears; i++)
            map_put(m->sim->mem, &m->group_of, view.residuals[i].rel, m->groups.n);
    }
    uint32_t at = 0;
    for (DdpNode node = ddp_first(m->ddp); node; node = ddp_next(m->ddp, node)) {
        DdpNodeView view = ddp_node(m->ddp, node);
        if (m->groups.at[at].iterated)
            cut_loop(m, &m->groups.at[at], &view);
        at++;
    }
}

/* ---- blocks ---- */

static void add_op(Making *m, DdpRel rel, DdpVar target, X value)
{
    vec_push(m->sim->mem, &m->plan->ops,
             ((InlineOp){target, value, own_vars(m, rel), map_get(&m->state_of, rel)}));
}

static X residual_of(const Making *m, Form form)
{
    const FormInfo *info = form_info(m->sim->forms, form);
    return x_binary(m->sim->forms, X_SUB, info->lhs, info->rhs);
}

/* Is a factor of one of the loop's variables made of more than what changes with events and h? */
static bool bends_factor(const Making *m, const Map *loop, DdpRel r)
{
    DdpRelView rel = ddp_rel(m->ddp, r);
    const FormInfo *info = form_info(m->sim->forms, rel.form);
    for (uint32_t k = 0; k < rel.n; k++) {
        X factor = map_get(loop, rel.vars[k]) ? info->position[k].factor : 0;
        for (uint32_t j = 0; factor && j < rel.n; j++) {
            InlineRole role = rel.vars[j] ? m->vars.at[rel.vars[j]].role : INLINE_GIVEN;
            if (role != INLINE_GIVEN && role != INLINE_H && x_uses(m->sim->forms, factor, j))
                return true;
        }
    }
    return false;
}

static bool is_constant(const Making *m, const DdpNodeView *view)
{
    Map loop = {0};
    bool constant = true;
    for (uint32_t i = 0; i < view->n_steps; i++)
        map_put(m->sim->mem, &loop, view->steps[i].var, 1);
    for (uint32_t i = 0; i < view->n_tears; i++)
        map_put(m->sim->mem, &loop, view->tears[i], 1);
    for (uint32_t i = 0; i < view->n_steps; i++)
        constant &= !bends_factor(m, &loop, view->steps[i].rel);
    for (uint32_t i = 0; i < view->n_tears; i++)
        constant &= !bends_factor(m, &loop, view->residuals[i].rel);
    map_free(m->sim->mem, &loop);
    return constant;
}

static void add_explicit(Making *m, const DdpNodeView *view, bool inside)
{
    InlinePlan *plan = m->plan;
    add_op(m, view->steps[0].rel, view->steps[0].var, view->steps[0].value);
    InlineBlock *last = plan->blocks.n ? &vec_last(&plan->blocks) : NULL;
    if (last && last->kind == INLINE_EXPLICIT && last->inside == inside &&
        last->to == plan->ops.n - 1)
        last->to++;
    else
        vec_push(m->sim->mem, &plan->blocks,
                 ((InlineBlock){.kind = INLINE_EXPLICIT,
                                .inside = inside,
                                .from = plan->ops.n - 1,
                                .to = plan->ops.n}));
}

/* ---- elimination ---- */

typedef struct Eliminating {
    Making *m;
    Map at;       /* variable -> its position + 1 */
    Map value_of; /* variable that a step determines -> its value over these positions */
    VEC(uint32_t) vars;
} Eliminating;

static X value_over(Eliminating *e, uint32_t var)
{
    Mem *mem = e->m->sim->mem;
    X known = map_get(&e->value_of, var);
    if (known)
        return known;
    if (!map_get(&e->at, var)) {
        vec_push(mem, &e->vars, var);
        map_put(mem, &e->at, var, e->vars.n);
    }
    return x_pos(e->m->sim->forms, map_get(&e->at, var) - 1);
}

static X put_values(Eliminating *e, DdpRel rel, X x)
{
    DdpRelView view = ddp_rel(e->m->ddp, rel);
    X *by = mem_alloc(e->m->sim->mem, (view.n + 1) * sizeof *by);
    for (uint32_t i = 0; i < view.n; i++)
        by[i] = value_over(e, view.vars[i]);
    x = x_put(e->m->sim->forms, x, by);
    mem_free(e->m->sim->mem, by);
    return x;
}

enum { MOST_ELIMINATED = 12 };

/* The residual over its one tearing variable, with the steps put into it, is linear: solved for it. */
static void eliminate(Making *m, const DdpNodeView *view, InlineBlock *block)
{
    FormTable *forms = m->sim->forms;
    Eliminating e = {.m = m};
    if (view->n_tears != 1 || view->n_steps > MOST_ELIMINATED)
        return;
    value_over(&e, view->tears[0]);
    for (uint32_t i = 0; i < view->n_steps; i++)
        map_put(m->sim->mem, &e.value_of, view->steps[i].var,
                put_values(&e, view->steps[i].rel, view->steps[i].value));
    DdpRel rel = view->residuals[0].rel;
    X left = put_values(&e, rel, residual_of(m, ddp_rel(m->ddp, rel).form));
    Form form = form_make(forms, left, x_const(forms, 0), e.vars.n);
    const FormPosition *tear = &form_info(forms, form)->position[0];
    if (tear->solvable != SOLVE_NOT && tear->solved) {
        block->solved = tear->solved;
        block->solved_vars = arena_alloc(&m->plan->arena, e.vars.n * sizeof *e.vars.at);
        memcpy(block->solved_vars, e.vars.at, e.vars.n * sizeof *e.vars.at);
    }
    map_free(m->sim->mem, &e.at);
    map_free(m->sim->mem, &e.value_of);
    vec_free(m->sim->mem, &e.vars);
}

static void add_linear(Making *m, const DdpNodeView *view, bool inside)
{
    InlinePlan *plan = m->plan;
    InlineBlock block = {.kind = INLINE_LINEAR,
                         .inside = inside,
                         .constant = is_constant(m, view),
                         .from = plan->ops.n,
                         .tears = plan->tears.n,
                         .n_tears = view->n_tears};
    for (uint32_t i = 0; i < view->n_steps; i++)
        add_op(m, view->steps[i].rel, view->steps[i].var, view->steps[i].value);
    block.to = block.residuals = plan->ops.n;
    for (uint32_t i = 0; i < view->n_tears; i++) {
        add_op(m, view->residuals[i].rel, 0,
               residual_of(m, ddp_rel(m->ddp, view->residuals[i].rel).form));
        vec_push(m->sim->mem, &plan->tears, view->tears[i]);
    }
    eliminate(m, view, &block);
    vec_push(m->sim->mem, &plan->blocks, block);
}

static bool add_group(Making *m, const Group *group)
{
    InlinePlan *plan = m->plan;
    InlineBlock block = {.kind = INLINE_ITERATED, .inner_from = plan->blocks.n};
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        DdpNodeView view = ddp_node(m->ddp, group->nodes.at[i]);
        if (!view.determined || (view.loop && !view.linear))
            return false;
        if (view.loop)
            add_linear(m, &view, group->iterated);
        else
            add_explicit(m, &view, group->iterated);
    }
    if (!group->iterated)
        return true;
    block.inner_to = plan->blocks.n;
    block.from = block.to = block.residuals = plan->ops.n;
    block.tears = plan->tears.n;
    block.n_tears = group->n_cut;
    for (uint32_t i = 0; i < group->n_cut; i++) {
        const Residual *residual = &m->residuals.at[group->residuals + i];
        vec_push(m->sim->mem, &plan->tears, residual->tear);
        vec_push(m->sim->mem, &plan->ops,
                 ((InlineOp){0, residual_of(m, residual->form), residual->vars, residual->state}));
    }
    vec_push(m->sim->mem, &plan->blocks, block);
    return true;
}

static bool make_blocks(Making *m)
{
    for (DdpNode node = ddp_first(m->ddp); node; node = ddp_next(m->ddp, node)) {
        DdpNodeView view = ddp_node(m->ddp, node);
        DdpRel rel = view.n_steps ? view.steps[0].rel : view.residuals[0].rel;
        uint32_t group = map_get(&m->group_of, rel);
        vec_push(m->sim->mem, &m->groups.at[group - 1].nodes, node);
    }
    for (uint32_t i = 0; i < m->groups.n; i++)
        if (!add_group(m, &m->groups.at[i]))
            return false;
    return true;
}

/* ---- the whole ---- */

static InlinePlan *new_plan(Sim *sim, uint32_t n)
{
    InlinePlan *plan = mem_alloc(sim->mem, sizeof *plan);
    plan->n_states = n;
    plan->state = mem_alloc(sim->mem, 3 * (size_t)(n + 1) * sizeof *plan->state);
    plan->slope = plan->state + n;
    plan->old = plan->slope + n;
    arena_init(&plan->arena, sim->mem);
    return plan;
}

void inline_plan_close(Sim *sim, InlinePlan *plan)
{
    if (!plan)
        return;
    vec_free(sim->mem, &plan->ops);
    vec_free(sim->mem, &plan->blocks);
    vec_free(sim->mem, &plan->tears);
    arena_free(&plan->arena);
    mem_free(sim->mem, plan->state);
    mem_free(sim->mem, plan->var);
    mem_free(sim->mem, plan);
}

static void close_making(Making *m)
{
    Mem *mem = m->sim->mem;
    for (uint32_t i = 0; i < m->groups.n; i++)
        vec_free(mem, &m->groups.at[i].nodes);
    vec_free(mem, &m->groups);
    vec_free(mem, &m->residuals);
    map_free(mem, &m->var_of);
    map_free(mem, &m->state_of);
    map_free(mem, &m->group_of);
    ddp_close(m->ddp);
}

InlinePlan *inline_plan_open(Part *part)
{
    Sim *sim = part->sim;
    Making m = {.part = part,
                .sim = sim,
                .ddp = ddp_open(sim->mem, sim->forms),
                .plan = new_plan(sim, part->states.n)};
    enter_vars(&m);
    m.plan->h = new_var(&m, DDP_TIME, (InlineVar){.role = INLINE_H});
    enter_relations(&m);
    bool fine = ddp_commit(m.ddp, DDP_FINAL).verdict == DDP_DETERMINED;
    if (fine) {
        find_groups(&m);
        fine = ddp_commit(m.ddp, DDP_FINAL).verdict == DDP_DETERMINED && make_blocks(&m);
    }
    m.plan->n_vars = m.vars.n;
    m.plan->var = m.vars.at;
    close_making(&m);
    if (fine)
        return m.plan;
    inline_plan_close(sim, m.plan);
    return NULL;
}
