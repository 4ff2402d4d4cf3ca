/* inline_plan.c: equations of a part, and x = h * der(x) + old(x) -> blocks in order. See inline_plan.h. */
#include "runtime/solve/inline_plan_int.h"

#include <string.h>

/* ---- variables ---- */

static uint32_t new_var(InlineMaking *m, InlineVar what)
{
    vec_push(m->sim->mem, &m->vars, what);
    vec_push(m->sim->mem, &m->rel_of, 0);
    vec_push(m->sim->mem, &m->mark, 0);
    return m->vars.n - 1;
}

/* What the part determines was entered before; the rest is given. Parameters alone are taken as not zero. */
static uint32_t var_for(InlineMaking *m, DdpVar of, bool parameter)
{
    of = inline_merged(m->names, of);
    InlineName *name = inline_name(m->names, of);
    if (name->var)
        return name->var;
    if (of == m->sim->clock)
        return name->var = new_var(m, (InlineVar){.role = INLINE_CLOCK, .of = of});
    return name->var = new_var(m, (InlineVar){.role = INLINE_GIVEN, .of = of, .solid = parameter});
}

/* Once for all that are equal; a wish to tear one of them is one to tear who is left. */
static void enter_unknown(InlineMaking *m, DdpVar of, bool hinted)
{
    of = inline_merged(m->names, of);
    InlineName *name = inline_name(m->names, of);
    if (!name->var)
        name->var = new_var(m, (InlineVar){.role = INLINE_VALUE, .of = of});
    m->vars.at[name->var].hinted |= hinted;
}

/* ---- relations ---- */

/* What it reads is known when all variables are: see note_reads. */
static void new_rel(InlineMaking *m, Form form, uint32_t n, const uint32_t *vars, uint32_t var)
{
    InlineRel rel = {.form = form, .n = n, .var = var};
    rel.vars = arena_alloc(&m->plan->arena, (n + 1) * sizeof *vars);
    memcpy(rel.vars, vars, n * sizeof *vars);
    vec_push(m->sim->mem, &m->all, m->rels.n);
    vec_push(m->sim->mem, &m->rels, rel);
}

/* Positions that stand for one variable become one. */
static void enter_relation(InlineMaking *m, const InlineEquation *equation)
{
    Sim *sim = m->sim;
    uint32_t n = equation->n, left = 0;
    vec_reserve(sim->mem, &m->room, 2 * (n + 1));
    uint32_t *vars = m->room.at, *map = vars + n + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t word = equation->vars[i], var = word ? var_for(m, word >> 1, word & 1) : 0;
        map[i] = 0;
        while (map[i] < left && !(var && vars[map[i]] == var))
            map[i]++;
        vars[map[i]] = var;
        left += map[i] == left;
    }
    Form form = left < n ? form_rename(sim->forms, equation->form, map, left) : equation->form;
    new_rel(m, form, left, vars, var_for(m, equation->output >> 1, false));
}

static void know(InlineMaking *m, DdpVar var, uint32_t rank)
{
    InlineName *name = inline_name(m->names, var);
    name->known = true;
    name->rank = rank;
}

static void enter_equations(InlineMaking *m)
{
    const InlineEquations *equations = m->equations;
    bool *copies = mem_alloc(m->sim->mem, equations->n + 1);
    for (uint32_t i = 0; i < equations->n; i++)
        know(m, equations->at[i].output >> 1, equations->at[i].order);
    for (uint32_t i = 0; i < m->part->states.n; i++)
        know(m, m->part->states.at[i].var, UINT32_MAX);
    for (uint32_t i = 0; i < equations->n; i++)
        copies[i] = inline_merge_relation(m->names, &equations->at[i]);
    for (uint32_t i = 0; i < m->part->states.n; i++) {
        DdpVar var = m->part->states.at[i].var;
        enter_unknown(m, var, ddp_tearing_hinted(m->sim->ddp, var));
    }
    for (uint32_t i = 0; i < equations->n; i++)
        enter_unknown(m, equations->at[i].output >> 1, equations->at[i].output & 1);
    m->plan->h = new_var(m, (InlineVar){.role = INLINE_H});
    for (uint32_t i = 0; i < equations->n; i++)
        if (!copies[i])
            enter_relation(m, &equations->at[i]);
    mem_free(m->sim->mem, copies);
}

/* Of der(x) = x: a variable of its own, so that x does not stand twice in its discretisation. */
static uint32_t copy_of_state(InlineMaking *m, uint32_t i)
{
    FormTable *forms = m->sim->forms;
    uint32_t copy = new_var(m, (InlineVar){.role = INLINE_VALUE, .of = m->part->states.at[i].var});
    uint32_t vars[] = {copy, m->plan->state[i]};
    new_rel(m, form_make(forms, x_pos(forms, 0), x_pos(forms, 1), 2), 2, vars, copy);
    return copy;
}

/* The derivative may be a state itself, and that of several; h counts as something that varies, so that nothing in a
 * loop is divided by it. */
static void enter_discretisation(InlineMaking *m, uint32_t i, Form form)
{
    InlinePlan *plan = m->plan;
    DdpVar var = m->part->states.at[i].var;
    DdpVar slope = inline_merged(m->names, m->part->states.at[i].slope);
    plan->state[i] = inline_name(m->names, var)->var;
    plan->slope[i] = slope == var ? copy_of_state(m, i) : var_for(m, slope, false);
    plan->old[i] = new_var(m, (InlineVar){.role = INLINE_OLD, .of = var});
    uint32_t vars[] = {plan->state[i], plan->old[i], plan->h, plan->slope[i]};
    new_rel(m, form, 4, vars, plan->state[i]);
    vec_last(&m->rels).state = i + 1;
    if (!m->sim->info[slope].state)
        m->vars.at[plan->slope[i]].state = i + 1;
}

static void enter_discretisations(InlineMaking *m)
{
    FormTable *forms = m->sim->forms;
    X change = x_binary(forms, X_MUL, x_pos(forms, 2), x_pos(forms, 3));
    Form form =
        form_make(forms, x_pos(forms, 0), x_binary(forms, X_ADD, change, x_pos(forms, 1)), 4);
    for (uint32_t i = 0; i < m->part->states.n; i++)
        enter_discretisation(m, i, form);
}

static void note_reads(InlineMaking *m)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->rels.n; i++)
        most += m->rels.at[i].n;
    vec_reserve(m->sim->mem, &m->reads, most);
    uint32_t *read = m->reads.at;
    for (uint32_t i = 0; i < m->rels.n; i++) {
        InlineRel *rel = &m->rels.at[i];
        const FormInfo *info = form_info(m->sim->forms, rel->form);
        rel->reads = read;
        for (uint32_t k = 0; k < rel->n; k++)
            if (m->vars.at[rel->vars[k]].role == INLINE_VALUE && rel->vars[k] &&
                info->position[k].occurs)
                *read++ = rel->vars[k];
        rel->n_reads = (uint32_t)(read - rel->reads);
    }
}

/* ---- what determines what ---- */

static uint32_t position_of(const InlineRel *rel, uint32_t var)
{
    uint32_t k = 0;
    while (k < rel->n && rel->vars[k] != var)
        k++;
    return k;
}

/* As the schedule of the part has it, and each state by its discretisation. False: variables that are one now do not allow it. */
static bool take_causalities(InlineMaking *m)
{
    uint32_t unknowns = 0;
    for (uint32_t v = 1; v < m->vars.n; v++)
        unknowns += m->vars.at[v].role == INLINE_VALUE;
    for (uint32_t i = 0; i < m->rels.n; i++) {
        const InlineRel *rel = &m->rels.at[i];
        uint32_t k = position_of(rel, rel->var);
        if (!rel->var || k == rel->n || m->rel_of.at[rel->var] ||
            !form_info(m->sim->forms, rel->form)->position[k].steers)
            return false;
        m->rel_of.at[rel->var] = i + 1;
    }
    return m->rels.n == unknowns;
}

/* Relations that are left, each with a variable. */
static bool match(InlineMaking *m)
{
    Mem *mem = m->sim->mem;
    VEC(uint32_t) vars = {0};
    if (take_causalities(m))
        return true;
    for (uint32_t v = 1; v < m->vars.n; v++)
        if (m->vars.at[v].role == INLINE_VALUE)
            vec_push(mem, &vars, v);
    bool all = vars.n == m->rels.n && inline_match(m, vars.n, m->all.at, vars.at);
    vec_free(mem, &vars);
    return all;
}

/* ---- blocks ---- */

static void add_op(InlineMaking *m, const InlineRel *rel, uint32_t target, X value)
{
    vec_push(m->sim->mem, &m->plan->ops, ((InlineOp){target, value, rel->vars, rel->state}));
}

/* What a relation alone determines, if it can be solved for that; 0: it cannot. Where a factor may be zero there is no choice outside of a loop. */
static X plain_value(const InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    const InlineRel *rel = &m->rels.at[rels[0]];
    if (n > 1)
        return 0;
    const FormPosition *position =
        &form_info(m->sim->forms, rel->form)->position[position_of(rel, rel->var)];
    return position->solvable == SOLVE_NOT ? 0 : position->solved;
}

static void add_explicit(InlineMaking *m, uint32_t r, X value, bool inside)
{
    InlinePlan *plan = m->plan;
    add_op(m, &m->rels.at[r], m->rels.at[r].var, value);
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

/* What stands in the factors of the variables that a component determines. */
typedef enum Factors {
    FACTORS_KEPT, /* what changes with events and h only */
    FACTORS_MOVE, /* more than that */
    FACTORS_NONE  /* these variables themselves: it is not linear */
} Factors;

static Factors factors_in(const InlineMaking *m, const InlineRel *rel, uint32_t turn)
{
    FormTable *forms = m->sim->forms;
    const FormInfo *info = form_info(forms, rel->form);
    const uint32_t *mark = m->mark.at;
    Factors factors = FACTORS_KEPT;
    for (uint32_t k = 0; k < rel->n; k++) {
        const FormPosition *position = &info->position[k];
        if (mark[rel->vars[k]] != turn || !position->occurs)
            continue;
        if (!position->factor)
            return FACTORS_NONE;
        for (uint32_t j = 0; position->factor_uses && j < rel->n; j++) {
            InlineRole role = m->vars.at[rel->vars[j]].role;
            if (!rel->vars[j] || role == INLINE_GIVEN || role == INLINE_H ||
                !form_factor_uses(forms, position, j))
                continue;
            if (mark[rel->vars[j]] == turn)
                return FACTORS_NONE;
            factors = FACTORS_MOVE;
        }
    }
    return factors;
}

static Factors factors_of(InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    Factors worst = FACTORS_KEPT;
    uint32_t turn = ++m->marks;
    for (uint32_t i = 0; i < n; i++)
        m->mark.at[m->rels.at[rels[i]].var] = turn;
    m->mark.at[0] = 0;
    for (uint32_t i = 0; i < n && worst != FACTORS_NONE; i++) {
        Factors factors = factors_in(m, &m->rels.at[rels[i]], turn);
        worst = factors > worst ? factors : worst;
    }
    return worst;
}

static const InlineLoop *tear(InlineMaking *m, uint32_t n, const uint32_t *rels,
                              const uint32_t **vars)
{
    return inline_loop(m->sim, m->loops, m->vars.at, m->rels.at, n, rels, vars);
}

bool inline_is_loop(const InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    return !plain_value(m, n, rels);
}

bool inline_loop_stays(InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    const uint32_t *vars;
    if (factors_of(m, n, rels) == FACTORS_KEPT)
        return true;
    const InlineLoop *loop = tear(m, n, rels, &vars);
    return loop && loop->n_tears < 2;
}

static bool add_linear(InlineMaking *m, uint32_t n, const uint32_t *rels, bool inside)
{
    InlinePlan *plan = m->plan;
    const uint32_t *vars;
    const InlineLoop *loop = tear(m, n, rels, &vars);
    if (!loop)
        return false;
    InlineBlock block = {.kind = INLINE_LINEAR,
                         .inside = inside,
                         .constant = loop->constant,
                         .from = plan->ops.n,
                         .tears = plan->tears.n,
                         .n_tears = loop->n_tears,
                         .solved = loop->solved};
    block.to = block.residuals = plan->ops.n + loop->n_steps;
    for (uint32_t i = 0; i < loop->n_steps + loop->n_tears; i++) {
        const InlineLoopStep *step = &loop->steps[i];
        add_op(m, &m->rels.at[rels[step->rel]], step->var ? vars[step->var - 1] : 0, step->value);
    }
    for (uint32_t i = 0; i < loop->n_tears; i++)
        vec_push(m->sim->mem, &plan->tears, vars[loop->tears[i] - 1]);
    if (loop->solved)
        block.solved_vars = arena_alloc(&plan->arena, loop->n_solved * sizeof *block.solved_vars);
    for (uint32_t i = 0; i < loop->n_solved; i++)
        block.solved_vars[i] = vars[loop->solved_vars[i] - 1];
    vec_push(m->sim->mem, &plan->blocks, block);
    return true;
}

/* ---- what is iterated ---- */

static InlineMember loop_member(const InlineMaking *m, uint32_t r)
{
    const InlineRel *rel = &m->rels.at[r];
    const InlineVar *var = &m->vars.at[rel->var];
    return (InlineMember){.rel = r,
                          .var = rel->var,
                          .wish = var->state != 0,
                          .hinted = var->hinted,
                          .must = rel->state && rel->var == m->plan->slope[rel->state - 1]};
}

static void cut(InlineMaking *m, InlineGroup *group, uint32_t n, const uint32_t *rels)
{
    Mem *mem = m->sim->mem;
    InlineMember *members = mem_alloc(mem, n * sizeof *members);
    bool *is_cut = mem_alloc(mem, n);
    for (uint32_t i = 0; i < n; i++)
        members[i] = loop_member(m, rels[i]);
    inline_cut(mem, m->sim->forms, m->vars.n, m->rels.at, n, members, is_cut);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_cut[i])
            continue;
        vec_push(mem, &group->residuals, ((InlineResidual){rels[i], members[i].var}));
        m->rels.at[rels[i]].var = 0;
        m->rel_of.at[members[i].var] = 0;
    }
    mem_free(mem, members);
    mem_free(mem, is_cut);
}

/* What is no residual. */
static void sort_group(InlineMaking *m, InlineGroup *group, uint32_t n, const uint32_t *rels)
{
    vec_clear(&group->rels);
    for (uint32_t i = 0; i < n; i++)
        if (m->rels.at[rels[i]].var)
            vec_push(m->sim->mem, &group->rels, rels[i]);
    inline_sort(m->sim->mem, m->rels.n, m->rels.at, m->rel_of.at, group->rels.n, group->rels.at,
                &group->order);
}

static bool add_inside(InlineMaking *m, const InlineOrder *order)
{
    for (uint32_t i = 0, from = 0; i < order->ends.n; from = order->ends.at[i++]) {
        const uint32_t *rels = order->rels.at + from, n = order->ends.at[i] - from;
        X value = plain_value(m, n, rels);
        if (value)
            add_explicit(m, rels[0], value, true);
        else if (factors_of(m, n, rels) == FACTORS_NONE || !add_linear(m, n, rels, true))
            return false;
    }
    return true;
}

static void add_residuals(InlineMaking *m, const InlineGroup *group)
{
    InlinePlan *plan = m->plan;
    FormTable *forms = m->sim->forms;
    for (uint32_t i = 0; i < group->residuals.n; i++) {
        const InlineRel *rel = &m->rels.at[group->residuals.at[i].rel];
        const FormInfo *info = form_info(forms, rel->form);
        add_op(m, rel, 0, x_binary(forms, X_SUB, info->lhs, info->rhs));
        vec_push(m->sim->mem, &plan->tears, group->residuals.at[i].tear);
    }
}

/* The schedule has states that are known; here they are not, and causalities are chosen for what the relations can be solved for. */
static void match_loop(InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    uint32_t *vars = mem_alloc(m->sim->mem, n * sizeof *vars);
    for (uint32_t i = 0; i < n; i++)
        vars[i] = m->rels.at[rels[i]].var;
    inline_match(m, n, rels, vars);
    mem_free(m->sim->mem, vars);
}

static bool add_iterated(InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    InlinePlan *plan = m->plan;
    InlineGroup group = {0};
    InlineBlock block = {.kind = INLINE_ITERATED, .inner_from = plan->blocks.n};
    match_loop(m, n, rels);
    cut(m, &group, n, rels);
    sort_group(m, &group, n, rels);
    if (inline_redo(m, &group))
        sort_group(m, &group, n, rels);
    bool fine = add_inside(m, &group.order);
    block.inner_to = plan->blocks.n;
    block.from = block.to = block.residuals = plan->ops.n;
    block.tears = plan->tears.n;
    block.n_tears = group.residuals.n;
    add_residuals(m, &group);
    vec_push(m->sim->mem, &plan->blocks, block);
    vec_free(m->sim->mem, &group.residuals);
    vec_free(m->sim->mem, &group.rels);
    inline_order_free(m->sim->mem, &group.order);
    return fine;
}

static bool add_component(InlineMaking *m, uint32_t n, const uint32_t *rels)
{
    X value = plain_value(m, n, rels);
    if (value)
        add_explicit(m, rels[0], value, false);
    else if (factors_of(m, n, rels) != FACTORS_NONE)
        return add_linear(m, n, rels, false);
    else
        return add_iterated(m, n, rels);
    return true;
}

static bool make_blocks(InlineMaking *m)
{
    Mem *mem = m->sim->mem;
    InlineOrder order = {0};
    bool fine = true;
    inline_sort(mem, m->rels.n, m->rels.at, m->rel_of.at, m->rels.n, m->all.at, &order);
    for (uint32_t i = 0, from = 0; i < order.ends.n && fine; from = order.ends.at[i++])
        fine = add_component(m, order.ends.at[i] - from, order.rels.at + from);
    inline_order_free(mem, &order);
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

void inline_making_close(Mem *mem, InlineMaking *m)
{
    if (!m)
        return;
    vec_free(mem, &m->vars);
    vec_free(mem, &m->rel_of);
    vec_free(mem, &m->mark);
    vec_free(mem, &m->rels);
    vec_free(mem, &m->all);
    vec_free(mem, &m->reads);
    vec_free(mem, &m->room);
    mem_free(mem, m);
}

static void begin(InlineMaking *m, Part *part, const InlineEquations *equations)
{
    Sim *sim = part->sim;
    m->part = part;
    m->sim = sim;
    m->equations = equations;
    m->plan = new_plan(sim, part->states.n);
    m->names = inline_names_begin(sim);
    m->loops = inline_memory_loops(sim);
    vec_clear(&m->vars);
    vec_clear(&m->rel_of);
    vec_clear(&m->mark);
    vec_clear(&m->rels);
    vec_clear(&m->all);
    new_var(m, (InlineVar){0}); /* none */
}

InlinePlan *inline_plan_of(Part *part, const InlineEquations *equations)
{
    InlineMaking *m = inline_memory_making(part->sim);
    begin(m, part, equations);
    enter_equations(m);
    enter_discretisations(m);
    note_reads(m);
    bool fine = match(m) && make_blocks(m);
    InlinePlan *plan = m->plan;
    plan->n_vars = m->vars.n;
    plan->var = mem_alloc(part->sim->mem, m->vars.n * sizeof *plan->var);
    memcpy(plan->var, m->vars.at, m->vars.n * sizeof *plan->var);
    if (fine)
        return plan;
    inline_plan_close(part->sim, plan);
    return NULL;
}

InlinePlan *inline_plan_open(Part *part)
{
    InlineRecords *records = inline_memory_records(part->sim);
    inline_describe(part, records);
    return inline_plan_of(part, inline_equations(part->sim, records));
}
