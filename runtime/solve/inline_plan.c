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

typedef struct RelNote {
    uint32_t state; /* index + 1 of the one that it discretises; 0: none */
    uint32_t group; /* index + 1 in groups; 0: none yet */
} RelNote;

typedef struct Making {
    Part *part;
    Sim *sim;
    Ddp *ddp;
    InlinePlan *plan;
    InlineNames *names;
    VEC(bool) copies;  /* of each relation of the part, in order: it has no equation here */
    uint32_t entered;  /* relations so far */
    VEC(RelNote) rels; /* of each relation of the DDP */
    VEC(DdpVar) room;  /* of the relation that is entered: its variables, then positions */
    VEC(InlineVar) vars;
    VEC(uint32_t) mark; /* of each of these: by which loop it was looked at last */
    uint32_t marks;
    VEC(Group) groups;
    VEC(Residual) residuals;
} Making;

/* ---- variables ---- */

static DdpVar new_var(Making *m, DdpVarKind kind, InlineVar what)
{
    DdpVar var = ddp_enter_var(m->ddp, kind);
    while (m->vars.n <= var) {
        vec_push(m->sim->mem, &m->vars, ((InlineVar){0}));
        vec_push(m->sim->mem, &m->mark, 0);
    }
    m->vars.at[var] = what;
    return var;
}

static RelNote *note_of(Making *m, DdpRel rel)
{
    while (m->rels.n <= rel)
        vec_push(m->sim->mem, &m->rels, ((RelNote){0}));
    return &m->rels.at[rel];
}

/* What the part determines was entered before; the rest is given. Parameters alone are taken as not zero. */
static DdpVar var_for(Making *m, DdpVar of)
{
    of = inline_merged(m->names, of);
    InlineName *name = inline_name(m->names, of);
    DdpVar var = name->var;
    if (var)
        return var;
    if (of == m->sim->clock)
        var = new_var(m, DDP_TIME, (InlineVar){.role = INLINE_CLOCK, .of = of});
    else
        var = new_var(m, ddp_var(m->sim->ddp, of).kind == DDP_KNOWN ? DDP_KNOWN : DDP_HELD,
                      (InlineVar){.role = INLINE_GIVEN, .of = of});
    return name->var = var;
}

/* Once for all that are equal; a wish to tear one of them is one to tear who is left. */
static void enter_unknown(Making *m, DdpVar of)
{
    bool hinted = ddp_tearing_hinted(m->sim->ddp, of);
    of = inline_merged(m->names, of);
    DdpVar var = inline_name(m->names, of)->var;
    if (!var)
        var = inline_name(m->names, of)->var =
            new_var(m, DDP_UNKNOWN, (InlineVar){.role = INLINE_VALUE, .of = of});
    if (hinted && !m->vars.at[var].hinted)
        ddp_hint_tearing(m->ddp, var, 1);
    m->vars.at[var].hinted |= hinted;
}

/* Calls `visit` for each relation of the part, in order. */
static void each_relation(Making *m, void (*visit)(Making *m, const EvalNode *node, uint32_t at))
{
    const NodeList *nodes = part_dynamics(m->part);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            visit(m, node, k);
    }
}

static void know_output(Making *m, const EvalNode *node, uint32_t at)
{
    inline_name(m->names, node_output(node, at))->known = true;
}

static void merge_copy(Making *m, const EvalNode *node, uint32_t at)
{
    vec_push(m->sim->mem, &m->copies, inline_merge_relation(m->sim, m->names, node, at));
}

static void enter_output(Making *m, const EvalNode *node, uint32_t at)
{
    enter_unknown(m, node_output(node, at));
}

static void enter_vars(Making *m)
{
    for (uint32_t i = 0; i < m->part->states.n; i++)
        inline_name(m->names, m->part->states.at[i].var)->known = true;
    each_relation(m, know_output);
    each_relation(m, merge_copy);
    for (uint32_t i = 0; i < m->part->states.n; i++)
        enter_unknown(m, m->part->states.at[i].var);
    each_relation(m, enter_output);
}

/* ---- relations ---- */

/* Positions that stand for one variable become one. */
static void enter_relation(Making *m, const EvalNode *node, uint32_t at)
{
    Sim *sim = m->sim;
    const EvalOp *op = &node->ops[at];
    uint32_t n, left = 0;
    if (m->copies.at[m->entered++])
        return;
    Form form = relation_form(sim, node, at, &n);
    vec_reserve(sim->mem, &m->room, 2 * (n + 1));
    DdpVar *vars = m->room.at;
    uint32_t *map = vars + n + 1;
    for (uint32_t i = 0; i < n; i++) {
        DdpVar var = op->vars[i] ? var_for(m, op->vars[i]) : 0;
        map[i] = 0;
        while (map[i] < left && !(var && vars[map[i]] == var))
            map[i]++;
        vars[map[i]] = var;
        left += map[i] == left;
    }
    if (left < n)
        form = form_rename(sim->forms, form, map, left);
    ddp_enter_rel(m->ddp, DDP_EQUATION, form, left, vars, 0, 0);
}

/* Of der(x) = x: a variable of its own, so that x does not stand twice in its discretisation. */
static DdpVar copy_of_state(Making *m, uint32_t i)
{
    FormTable *forms = m->sim->forms;
    DdpVar copy =
        new_var(m, DDP_UNKNOWN, (InlineVar){.role = INLINE_VALUE, .of = m->part->states.at[i].var});
    DdpVar vars[] = {copy, m->plan->state[i]};
    ddp_enter_rel(m->ddp, DDP_EQUATION, form_make(forms, x_pos(forms, 0), x_pos(forms, 1), 2), 2,
                  vars, 0, 0);
    return copy;
}

/* The derivative may be a state itself, and that of several; h counts as something that varies, so that nothing in a
 * loop is divided by it. */
static void enter_discretisation(Making *m, uint32_t i, Form form)
{
    InlinePlan *plan = m->plan;
    plan->state[i] = inline_name(m->names, m->part->states.at[i].var)->var;
    DdpVar var = m->part->states.at[i].var;
    DdpVar slope = inline_merged(m->names, m->part->states.at[i].slope);
    plan->slope[i] = slope == var ? copy_of_state(m, i) : var_for(m, slope);
    plan->old[i] =
        new_var(m, DDP_TIME, (InlineVar){.role = INLINE_OLD, .of = m->part->states.at[i].var});
    DdpVar vars[] = {plan->state[i], plan->old[i], plan->h, plan->slope[i]};
    DdpRel rel = ddp_enter_rel(m->ddp, DDP_EQUATION, form, 4, vars, 0, 0);
    ddp_advise_against(m->ddp, rel, plan->slope[i]);
    if (!m->sim->info[slope].state) {
        ddp_hint_tearing(m->ddp, plan->slope[i], 1);
        m->vars.at[plan->slope[i]].state = i + 1;
    }
    note_of(m, rel)->state = i + 1;
}

static void enter_relations(Making *m)
{
    FormTable *forms = m->sim->forms;
    each_relation(m, enter_relation);
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
                         note_of(m, member->rel)->state}));
    ddp_remove_rel(m->ddp, member->rel);
    ddp_turn_var(m->ddp, member->var, DDP_HELD);
}

static InlineMember loop_member(Making *m, DdpRel rel)
{
    DdpVar var = ddp_causality(m->ddp, rel);
    uint32_t state = note_of(m, rel)->state;
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
            note_of(m, view.steps[i].rel)->group = m->groups.n;
        for (uint32_t i = 0; i < view.n_tears; i++)
            note_of(m, view.residuals[i].rel)->group = m->groups.n;
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
             ((InlineOp){target, value, own_vars(m, rel), note_of(m, rel)->state}));
}

static X residual_of(const Making *m, Form form)
{
    const FormInfo *info = form_info(m->sim->forms, form);
    return x_binary(m->sim->forms, X_SUB, info->lhs, info->rhs);
}

/* Is a factor of one of the loop's variables made of more than what changes with events and h? */
static bool bends_factor(const Making *m, DdpRel r)
{
    DdpRelView rel = ddp_rel(m->ddp, r);
    const FormInfo *info = form_info(m->sim->forms, rel.form);
    for (uint32_t k = 0; k < rel.n; k++) {
        const FormPosition *position = &info->position[k];
        if (!position->factor_uses || !position->factor || !rel.vars[k] ||
            m->mark.at[rel.vars[k]] != m->marks)
            continue;
        for (uint32_t j = 0; j < rel.n; j++) {
            InlineRole role = rel.vars[j] ? m->vars.at[rel.vars[j]].role : INLINE_GIVEN;
            if (role != INLINE_GIVEN && role != INLINE_H &&
                form_factor_uses(m->sim->forms, position, j))
                return true;
        }
    }
    return false;
}

static bool is_constant(Making *m, const DdpNodeView *view)
{
    bool constant = true;
    m->marks++;
    for (uint32_t i = 0; i < view->n_steps; i++)
        m->mark.at[view->steps[i].var] = m->marks;
    for (uint32_t i = 0; i < view->n_tears; i++)
        m->mark.at[view->tears[i]] = m->marks;
    for (uint32_t i = 0; i < view->n_steps && constant; i++)
        constant = !bends_factor(m, view->steps[i].rel);
    for (uint32_t i = 0; i < view->n_tears && constant; i++)
        constant = !bends_factor(m, view->residuals[i].rel);
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

static void collect_nodes(Making *m)
{
    for (uint32_t i = 0; i < m->groups.n; i++)
        vec_clear(&m->groups.at[i].nodes);
    for (DdpNode node = ddp_first(m->ddp); node; node = ddp_next(m->ddp, node)) {
        DdpNodeView view = ddp_node(m->ddp, node);
        DdpRel rel = view.n_steps ? view.steps[0].rel : view.residuals[0].rel;
        uint32_t group = note_of(m, rel)->group;
        vec_push(m->sim->mem, &m->groups.at[group - 1].nodes, node);
    }
}

static bool make_blocks(Making *m)
{
    for (uint32_t i = 0; i < m->groups.n; i++)
        if (!add_group(m, &m->groups.at[i]))
            return false;
    return true;
}

/* ---- other residuals ---- */

/* Equations of a group that may be solved in another order: loops whose factors move, what depends on them, the residuals. */
typedef struct Redoing {
    Making *m;
    uint32_t *index_of; /* [vars]: index + 1; 0: none */
    bool *in_block;     /* [vars]: of a loop that stays */
    InlinePeel peel;
    VEC(DdpRel) rels; /* of each item; 0: a residual, or a block */
} Redoing;

static DdpRel member_rel(const DdpNodeView *view, uint32_t i)
{
    return i < view->n_steps ? view->steps[i].rel : view->residuals[i - view->n_steps].rel;
}

static DdpVar member_var(const DdpNodeView *view, uint32_t i)
{
    return i < view->n_steps ? view->steps[i].var : view->tears[i - view->n_steps];
}

static bool reads_redone(const Redoing *r, const DdpNodeView *view)
{
    for (uint32_t i = 0; i < view->n_steps + view->n_tears; i++) {
        DdpRelView rel = ddp_rel(r->m->ddp, member_rel(view, i));
        for (uint32_t k = 0; k < rel.n; k++)
            if (r->index_of[rel.vars[k]])
                return true;
    }
    return false;
}

static bool stays_whole(Making *m, const DdpNodeView *view)
{
    return view->loop && (view->n_tears < 2 || is_constant(m, view));
}

/* Nothing but parameters in the factor: those are taken as not zero. */
static bool may_solve(const Making *m, const FormInfo *info, const uint32_t *vars, uint32_t k)
{
    const FormPosition *position = &info->position[k];
    if (position->solvable != SOLVE_RISKY)
        return position->solvable == SOLVE_SAFE;
    for (uint32_t j = 0; j < info->n; j++)
        if (form_factor_uses(m->sim->forms, position, j) &&
            (!vars[j] || ddp_var(m->ddp, vars[j]).kind != DDP_KNOWN))
            return false;
    return true;
}

static void add_names(Redoing *r, Form form, const uint32_t *vars)
{
    const Making *m = r->m;
    const FormInfo *info = form_info(m->sim->forms, form);
    for (uint32_t k = 0; k < info->n; k++) {
        uint32_t index = info->position[k].occurs ? r->index_of[vars[k]] : 0;
        if (index)
            vec_push(m->sim->mem, &r->peel.names,
                     ((InlinePeelName){index - 1,
                                       !r->in_block[vars[k]] && may_solve(m, info, vars, k)}));
    }
}

static void end_item(Redoing *r, InlinePeelItem item, DdpRel rel)
{
    item.to = r->peel.names.n;
    vec_push(r->m->sim->mem, &r->peel.items, item);
    vec_push(r->m->sim->mem, &r->rels, rel);
}

static void add_block_item(Redoing *r, const DdpNodeView *view)
{
    Mem *mem = r->m->sim->mem;
    uint32_t turn = ++r->m->marks, *mark = r->m->mark.at;
    InlinePeelItem item = {.from = r->peel.names.n, .block = true, .own_from = r->peel.own.n};
    for (uint32_t i = 0; i < view->n_steps + view->n_tears; i++) {
        vec_push(mem, &r->peel.own, r->index_of[member_var(view, i)] - 1);
        mark[member_var(view, i)] = turn;
    }
    for (uint32_t i = 0; i < view->n_steps + view->n_tears; i++) {
        DdpRelView rel = ddp_rel(r->m->ddp, member_rel(view, i));
        for (uint32_t k = 0; k < rel.n; k++) {
            uint32_t index = mark[rel.vars[k]] == turn ? 0 : r->index_of[rel.vars[k]];
            if (!index)
                continue;
            vec_push(mem, &r->peel.names, ((InlinePeelName){index - 1, false}));
            mark[rel.vars[k]] = turn;
        }
    }
    item.own_to = r->peel.own.n;
    end_item(r, item, 0);
}

static void add_redone(Redoing *r, const DdpNodeView *view)
{
    if (stays_whole(r->m, view)) {
        add_block_item(r, view);
        return;
    }
    for (uint32_t i = 0; i < view->n_steps + view->n_tears; i++) {
        DdpRel rel = member_rel(view, i);
        DdpRelView of = ddp_rel(r->m->ddp, rel);
        InlinePeelItem item = {.from = r->peel.names.n};
        add_names(r, of.form, of.vars);
        end_item(r, item, rel);
    }
}

/* Nodes from the first loop on whose factors move, as far as they depend on such a loop. */
static void find_redone(Redoing *r, const Group *group, NodeList *redone)
{
    Making *m = r->m;
    for (uint32_t i = 0; i < group->nodes.n; i++) {
        DdpNodeView view = ddp_node(m->ddp, group->nodes.at[i]);
        bool whole = stays_whole(m, &view);
        if (!(view.loop && !whole) && !reads_redone(r, &view))
            continue;
        vec_push(m->sim->mem, redone, group->nodes.at[i]);
        for (uint32_t k = 0; k < view.n_steps + view.n_tears; k++) {
            r->index_of[member_var(&view, k)] = ++r->peel.n_vars;
            r->in_block[member_var(&view, k)] = whole;
        }
    }
}

/* A residual that determines something now is a relation again. */
static void put_back(Making *m, const Residual *residual, uint32_t group)
{
    uint32_t n = form_info(m->sim->forms, residual->form)->n;
    DdpRel rel = ddp_enter_rel(m->ddp, DDP_EQUATION, residual->form, n, residual->vars, 0, 0);
    *note_of(m, rel) = (RelNote){residual->state, group};
    if (!residual->state)
        return;
    ddp_advise_against(m->ddp, rel, m->plan->slope[residual->state - 1]);
}

/* As many equations leave as come back. Each takes the place of one that does. */
static void exchange(Redoing *r, const Group *group, uint32_t group_number)
{
    Making *m = r->m;
    uint32_t first = r->peel.items.n - group->n_cut, back = 0;
    for (uint32_t i = 0; i < first; i++) {
        if (r->peel.items.at[i].used)
            continue;
        while (!r->peel.items.at[first + back].used)
            back++;
        Residual *residual = &m->residuals.at[group->residuals + back++];
        DdpRel rel = r->rels.at[i];
        put_back(m, residual, group_number);
        residual->form = ddp_rel(m->ddp, rel).form;
        residual->vars = own_vars(m, rel);
        residual->state = note_of(m, rel)->state;
        note_of(m, rel)->state = 0;
        ddp_remove_rel(m->ddp, rel);
    }
}

static bool redo_group(Making *m, uint32_t at)
{
    const Group *group = &m->groups.at[at];
    Mem *mem = m->sim->mem;
    Redoing r = {.m = m,
                 .index_of = mem_alloc(mem, m->vars.n * sizeof *r.index_of),
                 .in_block = mem_alloc(mem, m->vars.n * sizeof *r.in_block)};
    NodeList redone = {0};
    find_redone(&r, group, &redone);
    for (uint32_t i = 0; i < redone.n; i++) {
        DdpNodeView view = ddp_node(m->ddp, redone.at[i]);
        add_redone(&r, &view);
    }
    for (uint32_t i = 0; i < group->n_cut; i++) {
        const Residual *residual = &m->residuals.at[group->residuals + i];
        InlinePeelItem item = {.from = r.peel.names.n};
        add_names(&r, residual->form, residual->vars);
        end_item(&r, item, 0);
    }
    bool better = redone.n && inline_peel(mem, &r.peel);
    if (better)
        exchange(&r, group, at + 1);
    vec_free(mem, &redone);
    vec_free(mem, &r.rels);
    vec_free(mem, &r.peel.items);
    vec_free(mem, &r.peel.names);
    vec_free(mem, &r.peel.own);
    mem_free(mem, r.index_of);
    mem_free(mem, r.in_block);
    return better;
}

/* Where other residuals leave no loop whose factors move, they take the place of those that the cut has found. */
static bool improve_groups(Making *m)
{
    bool changed = false;
    collect_nodes(m);
    for (uint32_t i = 0; i < m->groups.n; i++)
        if (m->groups.at[i].iterated)
            changed |= redo_group(m, i);
    if (!changed)
        return true;
    bool fine = ddp_commit(m->ddp, DDP_FINAL).verdict == DDP_DETERMINED;
    collect_nodes(m);
    return fine;
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
    vec_free(mem, &m->copies);
    vec_free(mem, &m->mark);
    vec_free(mem, &m->rels);
    vec_free(mem, &m->room);
    ddp_close(m->ddp);
}

InlinePlan *inline_plan_open(Part *part)
{
    Sim *sim = part->sim;
    Making m = {.part = part,
                .sim = sim,
                .ddp = ddp_open(sim->mem, sim->forms),
                .plan = new_plan(sim, part->states.n),
                .names = inline_names_begin(sim)};
    ddp_tear_linear_only(m.ddp);
    enter_vars(&m);
    m.plan->h = new_var(&m, DDP_TIME, (InlineVar){.role = INLINE_H});
    enter_relations(&m);
    bool fine = ddp_commit(m.ddp, DDP_FINAL).verdict == DDP_DETERMINED;
    if (fine) {
        find_groups(&m);
        fine = ddp_commit(m.ddp, DDP_FINAL).verdict == DDP_DETERMINED && improve_groups(&m) &&
               make_blocks(&m);
    }
    m.plan->n_vars = m.vars.n;
    m.plan->var = m.vars.at;
    close_making(&m);
    if (fine)
        return m.plan;
    inline_plan_close(sim, m.plan);
    return NULL;
}
