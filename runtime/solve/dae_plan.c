/* dae_plan.c: equations of a part -> unknowns and rows of an index-1 system. See dae_plan.h. */
#include "runtime/solve/dae_plan.h"

#include "base/map.h"
#include "runtime/solve/relation_form.h"

#include <stdlib.h>

typedef struct Making {
    Part *part;
    Sim *sim;
    DaePlan *plan;
} Making;

/* ---- variables ---- */

static uint32_t add_var(Making *m, DaeVar var)
{
    var.nominal = world_var_nominal(m->sim->world, var.of);
    vec_push(m->sim->mem, &m->plan->vars, var);
    map_put(m->sim->mem, &m->plan->var_of, var.of, m->plan->vars.n - 1);
    return m->plan->vars.n - 1;
}

/* What the part determines is there; the rest is given. */
static uint32_t var_for(Making *m, DdpVar of)
{
    uint32_t var = map_get(&m->plan->var_of, of);
    if (var || !of)
        return var;
    bool known = ddp_var(m->sim->ddp, of).kind == DDP_KNOWN;
    return add_var(
        m, (DaeVar){.of = of, .known = known, .role = of == m->sim->clock ? DAE_CLOCK : DAE_GIVEN});
}

static void add_vars(Making *m)
{
    DaePlan *plan = m->plan;
    const NodeList *nodes = part_dynamics(m->part);
    vec_push(m->sim->mem, &plan->vars, ((DaeVar){0}));
    for (uint32_t i = 0; i < m->part->states.n; i++)
        add_var(m, (DaeVar){.of = m->part->states.at[i].var, .role = DAE_STATE, .state = true});
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            add_var(m, (DaeVar){.of = node_output(node, k), .role = DAE_STATE});
    }
}

static bool is_unknown(const DaeVar *var)
{
    return var->role != DAE_GIVEN && var->role != DAE_CLOCK;
}

static void link(DaePlan *plan, uint32_t v, uint32_t up)
{
    if (!v || !up || plan->vars.at[v].up || !is_unknown(&plan->vars.at[v]))
        return;
    plan->vars.at[v].up = up;
    plan->vars.at[up].shared = plan->vars.at[up].down != 0;
    plan->vars.at[up].down = v;
}

/* Which variable is the derivative of which: as equations that were differentiated name it, else the slope of a state. False: one is
 * its own derivative, after one step or some (der(x) = y, der(y) = x), so that there is no highest. */
static bool link_vars(Making *m)
{
    DaePlan *plan = m->plan;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        DdpVar above = ddp_level_above(m->sim->ddp, plan->vars.at[v].of);
        link(plan, v, above ? map_get(&plan->var_of, above) : 0);
    }
    for (uint32_t i = 0; i < m->part->states.n; i++)
        link(plan, map_get(&plan->var_of, m->part->states.at[i].var),
             var_for(m, m->part->states.at[i].slope));
    for (uint32_t v = 1; v < plan->vars.n; v++)
        for (uint32_t up = plan->vars.at[v].up; up; up = plan->vars.at[up].up)
            if (++plan->vars.at[v].height > plan->vars.n)
                return false;
    return true;
}

/* ---- equations ---- */

static uint64_t key_of(DdpRel origin, uint32_t order)
{
    return (uint64_t)origin << 32 | order;
}

static void add_equation(Making *m, const EvalNode *node, uint32_t at)
{
    DaePlan *plan = m->plan;
    const EvalOp *op = &node->ops[at];
    DdpRelView rel = ddp_rel(m->sim->ddp, op->rel);
    DaeEquation e = {.key = key_of(rel.origin, rel.order),
                     .wish = op->target ? map_get(&m->plan->var_of, op->target) : 0};
    e.form = relation_form(m->sim, node, at, &e.n);
    const FormInfo *info = form_info(m->sim->forms, e.form);
    e.vars = arena_alloc(&plan->arena, (e.n + 1) * sizeof *e.vars);
    for (uint32_t i = 0; i < e.n; i++)
        e.vars[i] = info->position[i].occurs ? var_for(m, op->vars[i]) : 0;
    vec_push(m->sim->mem, &plan->equations, e);
    map_put(m->sim->mem, &m->plan->equation_of, e.key, plan->equations.n);
}

static void link_equation(Making *m, uint32_t i, DdpRelView rel)
{
    uint32_t above = map_get(&m->plan->equation_of, key_of(rel.origin, rel.order + 1));
    m->plan->equations.at[i].above = above;
    if (above)
        m->plan->equations.at[above - 1].below = i + 1;
}

static void add_equations(Making *m)
{
    DaePlan *plan = m->plan;
    const NodeList *nodes = part_dynamics(m->part);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            add_equation(m, node, k);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            link_equation(m, at++, ddp_rel(m->sim->ddp, node->ops[k].rel));
    }
    for (uint32_t i = 0; i < plan->equations.n; i++)
        for (uint32_t up = plan->equations.at[i].above; up; up = plan->equations.at[up - 1].above)
            plan->equations.at[i].height++;
}

/* ---- unknowns ---- */

typedef struct Column {
    DdpVar of;
    uint32_t var;
} Column;

static int compare_columns(const void *a, const void *b)
{
    DdpVar x = ((const Column *)a)->of, y = ((const Column *)b)->of;
    return (x > y) - (x < y);
}

/* All variables that have this role, by their numbers in the model, whatever the graph does with them. */
static void add_columns(Making *m, DaeRole role)
{
    DaePlan *plan = m->plan;
    VEC(Column) list = {0};
    for (uint32_t v = 1; v < plan->vars.n; v++)
        if (plan->vars.at[v].role == role)
            vec_push(m->sim->mem, &list, ((Column){plan->vars.at[v].of, v}));
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, compare_columns);
    for (uint32_t i = 0; i < list.n; i++) {
        plan->vars.at[list.at[i].var].column = plan->column.n;
        vec_push(m->sim->mem, &plan->column, list.at[i].var);
    }
    vec_free(m->sim->mem, &list);
}

/* Highest derivatives are slopes of what they are the derivative of; false: that is computed, and they are not. */
static bool choose_unknowns(Making *m)
{
    DaePlan *plan = m->plan;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        DaeVar *var = &plan->vars.at[v];
        if (!is_unknown(var))
            continue;
        if (var->by)
            var->role = DAE_COMPUTED;
        else if (!var->height)
            var->role = var->down && !var->shared ? DAE_SLOPE : DAE_ALGEBRAIC;
    }
    add_columns(m, DAE_STATE);
    add_columns(m, DAE_ALGEBRAIC);
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        DaeVar *var = &plan->vars.at[v];
        if (var->role == DAE_SLOPE && plan->vars.at[var->down].role != DAE_STATE)
            return false;
        if (var->role == DAE_SLOPE)
            var->column = plan->vars.at[var->down].column;
    }
    return true;
}

/* Along the schedule: what belongs to equations that slopes are in is a slope itself. */
static void find_multipliers(Making *m)
{
    DaePlan *plan = m->plan;
    const NodeList *nodes = part_dynamics(m->part);
    bool *slopes = mem_alloc(m->sim->mem, plan->vars.n);
    for (uint32_t v = 1; v < plan->vars.n; v++)
        slopes[v] = plan->vars.at[v].down && !plan->vars.at[v].height;
    for (uint32_t i = 0, at = 0; i < nodes->n; i++) {
        const EvalNode *node = &m->sim->nodes.at[nodes->at[i]];
        uint32_t size = node->n_steps + node->n_tears;
        bool any = false;
        for (uint32_t k = at; k < at + size; k++)
            for (uint32_t j = 0; j < plan->equations.at[k].n; j++)
                any |= slopes[plan->equations.at[k].vars[j]];
        for (uint32_t k = 0; any && k < size; k++) {
            uint32_t v = map_get(&m->plan->var_of, node_output(node, k));
            slopes[v] |= plan->vars.at[v].height == 0;
            if (plan->vars.at[v].role == DAE_ALGEBRAIC)
                plan->vars.at[v].role = DAE_MULTIPLIER;
        }
        at += size;
    }
    mem_free(m->sim->mem, slopes);
}

/* ---- rows ---- */

static void add_motion(Making *m)
{
    DaePlan *plan = m->plan;
    for (uint32_t c = 0; c < plan->column.n; c++) {
        uint32_t v = plan->column.at[c], up = plan->vars.at[v].up;
        if (up && plan->vars.at[up].role != DAE_SLOPE)
            vec_push(m->sim->mem, &plan->rows, ((DaeRow){.state = v}));
    }
}

/* The last derivative of a constraint follows from the others. */
static void add_residuals(Making *m)
{
    DaePlan *plan = m->plan;
    for (uint32_t i = 0; i < plan->equations.n; i++) {
        const DaeEquation *e = &plan->equations.at[i];
        if (e->target || (e->below && !e->height))
            continue;
        DaeRow row = {.equation = i};
        plan->n_constraints += e->height > 0;
        if (e->below) {
            vec_push(m->sim->mem, &plan->column, 0);
            row.mu = plan->column.n;
        }
        vec_push(m->sim->mem, &plan->rows, row);
    }
}

/* ---- states of the graph ---- */

static bool note_states(Part *part, DaePlan *plan)
{
    plan->plain = true;
    vec_clear(&plan->state);
    for (uint32_t i = 0; i < part->states.n; i++) {
        uint32_t v = map_get(&plan->var_of, part->states.at[i].var);
        if (!v)
            return false;
        plan->plain &= plan->vars.at[v].role == DAE_STATE;
        vec_push(part->sim->mem, &plan->state, v);
    }
    return true;
}

static bool make(Making *m, bool partial)
{
    DaePlan *plan = m->plan;
    add_vars(m);
    add_equations(m);
    if (!link_vars(m))
        return false;
    dae_merge(m->sim, plan);
    dae_tear(m->sim, plan, partial);
    if (!choose_unknowns(m))
        return false;
    find_multipliers(m);
    add_motion(m);
    add_residuals(m);
    plan->n = plan->column.n;
    return plan->rows.n == plan->n && note_states(m->part, plan);
}

DaePlan *dae_plan_open(Part *part, bool partial)
{
    Sim *sim = part->sim;
    DaePlan *plan = mem_alloc(sim->mem, sizeof *plan);
    Making m = {.part = part, .sim = sim, .plan = plan};
    arena_init(&plan->arena, sim->mem);
    bool fine = make(&m, partial);
    if (fine)
        return plan;
    dae_plan_close(sim, plan);
    return NULL;
}

void dae_plan_close(Sim *sim, DaePlan *plan)
{
    if (!plan)
        return;
    map_free(sim->mem, &plan->var_of);
    map_free(sim->mem, &plan->equation_of);
    vec_free(sim->mem, &plan->state);
    vec_free(sim->mem, &plan->vars);
    vec_free(sim->mem, &plan->equations);
    vec_free(sim->mem, &plan->order);
    vec_free(sim->mem, &plan->rows);
    vec_free(sim->mem, &plan->column);
    arena_free(&plan->arena);
    mem_free(sim->mem, plan);
}

bool dae_plan_same(const DaePlan *a, const DaePlan *b)
{
    bool same = a->n == b->n;
    for (uint32_t c = 0; same && c < a->n; c++) {
        const DaeVar *x = &a->vars.at[a->column.at[c]], *y = &b->vars.at[b->column.at[c]];
        same = x->of == y->of && x->role == y->role;
    }
    return same;
}
