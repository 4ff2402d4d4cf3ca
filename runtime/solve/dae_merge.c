/* dae_merge.c: equations a = b -> one variable for all that are equal. See dae_plan.h.
 *
 * Requires: heights, and what is above and below; no equation has a target. An equation is merged with all its derivatives or not at all. Who is left
 * is rather the derivative of something, then a state of the graph: so derivatives of what is left are left, too.
 */
#include "runtime/solve/dae_plan.h"

#include <string.h>

typedef struct Merged {
    uint32_t equation, var; /* number of the equation, and what it computes */
} Merged;

typedef struct Merging {
    Sim *sim;
    DaePlan *plan;
    uint32_t *into; /* [vars]: itself, or nearer to who is left */
    VEC(Merged) list;
} Merging;

static uint32_t left_of(Merging *m, uint32_t v)
{
    while (m->into[v] != v)
        v = m->into[v] = m->into[m->into[v]];
    return v;
}

/* The two unknowns of a = b, of the height of the equation; false: it is something else. */
static bool is_copy(const Merging *m, const DaeEquation *e, uint32_t pair[2])
{
    const FormInfo *info = form_info(m->sim->forms, e->form);
    const X sides[2] = {info->lhs, info->rhs};
    for (uint32_t i = 0; i < 2; i++) {
        XNode x = x_node(m->sim->forms, sides[i]);
        pair[i] = x.op == X_POS ? e->vars[x.a] : 0;
        const DaeVar *var = &m->plan->vars.at[pair[i]];
        if (!pair[i] || var->role != DAE_STATE || var->height != e->height)
            return false;
    }
    return pair[0] != pair[1];
}

static uint32_t rank_of(const Merging *m, uint32_t v)
{
    const DaeVar *var = &m->plan->vars.at[v];
    return var->down ? 2 : var->state ? 1 : 0;
}

/* From the lowest one up; derivatives are merged the same way. */
static void merge_chain(Merging *m, uint32_t number)
{
    DaePlan *plan = m->plan;
    uint32_t pair[2];
    if (!is_copy(m, &plan->equations.at[number - 1], pair) ||
        left_of(m, pair[0]) == left_of(m, pair[1]))
        return;
    bool first = rank_of(m, left_of(m, pair[0])) >= rank_of(m, left_of(m, pair[1]));
    for (uint32_t a = pair[0], b = pair[1]; number; number = plan->equations.at[number - 1].above) {
        uint32_t stays = left_of(m, first ? a : b), goes = left_of(m, first ? b : a);
        if (stays == goes)
            return;
        m->into[goes] = stays;
        vec_push(m->sim->mem, &m->list, ((Merged){number, goes}));
        a = plan->vars.at[a].up;
        b = plan->vars.at[b].up;
    }
}

/* Those that stand for one variable become one position. */
static void put_copies(Merging *m, DaeEquation *e)
{
    uint32_t *vars = arena_alloc(&m->plan->arena, (e->n + 1) * sizeof *vars);
    uint32_t *map = arena_alloc(&m->plan->arena, (e->n + 1) * sizeof *map), n = 0;
    bool changed = false;
    for (uint32_t i = 0; i < e->n; i++) {
        uint32_t v = left_of(m, e->vars[i]), at = 0;
        while (at < n && vars[at] != v)
            at++;
        changed |= v != e->vars[i];
        map[i] = at;
        vars[at] = v;
        n += at == n;
    }
    e->wish = left_of(m, e->wish);
    if (!changed)
        return;
    e->form = form_rename(m->sim->forms, e->form, map, n);
    e->vars = vars;
    e->n = n;
}

static void solve_copies(Merging *m)
{
    X copy = x_pos(m->sim->forms, 0);
    for (uint32_t i = 0; i < m->list.n; i++) {
        DaeEquation *e = &m->plan->equations.at[m->list.at[i].equation - 1];
        e->target = m->list.at[i].var;
        e->value = copy;
        e->n_uses = 1;
        e->uses = arena_alloc(&m->plan->arena, sizeof *e->uses);
        e->uses[0] = left_of(m, e->target);
        m->plan->vars.at[e->target].by = m->list.at[i].equation;
    }
}

void dae_merge(Sim *sim, DaePlan *plan)
{
    Merging m = {.sim = sim, .plan = plan};
    uint32_t highest = 0;
    m.into = mem_alloc(sim->mem, plan->vars.n * sizeof *m.into);
    for (uint32_t v = 0; v < plan->vars.n; v++)
        m.into[v] = v;
    for (uint32_t i = 0; i < plan->equations.n; i++)
        if (plan->equations.at[i].height > highest)
            highest = plan->equations.at[i].height;
    for (uint32_t height = highest + 1; height-- > 0;)
        for (uint32_t i = 0; i < plan->equations.n; i++) {
            const DaeEquation *e = &plan->equations.at[i];
            if (e->height == height && !e->below)
                merge_chain(&m, i + 1);
        }
    solve_copies(&m);
    for (uint32_t i = 0; i < plan->equations.n; i++)
        if (!plan->equations.at[i].target)
            put_copies(&m, &plan->equations.at[i]);
    vec_free(sim->mem, &m.list);
    mem_free(sim->mem, m.into);
}
