/* impulse_conditions.c: impulses that were found -> conditions that would be decided otherwise by them. See impulse_system.h.
 *
 * A voltage that has an impulse is, in the moment itself, beyond any finite one: `u > 0` is decided by its sign. A diode across
 * a coil whose current a switch cuts would conduct, and then there is no impulse: mode_search.c tries that.
 */
#include "runtime/eval/compare.h"
#include "runtime/event/impulse_system.h"

#include <math.h>

enum { MOST = 6 };
static const double NOISE = 1e-9, BEYOND = 1e18;

typedef struct Impulses {
    const ImpulseSystem *s;
    Arena arena;
    double *p;    /* [s->var] */
    bool *known;  /* [s->var] */
    double *kept; /* [s->var]: values */
    double most;
} Impulses;

static void begin(Impulses *m)
{
    const ImpulseSystem *s = m->s;
    for (uint32_t i = 0; i < s->var.n; i++) {
        const ImpulseVar *var = &s->var.at[i];
        const ImpulseJump *jump = var->of ? &s->jump.at[var->of - 1] : NULL;
        m->known[i] = var->finite || (var->column && var->uses) || jump; /* others are open */
        m->p[i] = var->finite ? 0 : var->impulse;
        if (jump && !var->finite)
            m->p[i] = jump->born ? 0 : s->sim->value[jump->var] - jump->before;
    }
}

/* A row with one impulse that is not known gives it. */
static bool solve_row(Impulses *m, const ImpulseRow *row)
{
    const ImpulseSystem *s = m->s;
    DdpRelView view = ddp_rel(s->sim->ddp, row->rel);
    uint32_t open = UINT32_MAX;
    double sum = 0, by = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        const ImpulseTerm *term = &s->term.at[row->first + i];
        if (s->var.at[term->var].finite)
            continue;
        if (!term->factor || (!m->known[term->var] && open != UINT32_MAX))
            return false;
        double factor = x_value(s->sim->forms, term->factor, view.vars, s->sim->value,
                                evaluate_foreign, s->sim);
        if (m->known[term->var])
            sum += factor * m->p[term->var];
        else
            open = term->var, by = factor;
    }
    if (open == UINT32_MAX || by == 0)
        return false;
    m->p[open] = -sum / by;
    m->known[open] = true;
    return true;
}

static void solve_rest(Impulses *m)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t r = 0; r < m->s->row.n; r++)
            more |= m->s->row.at[r].done && solve_row(m, &m->s->row.at[r]);
    }
    for (uint32_t i = 0; i < m->s->var.n; i++)
        m->most = fmax(m->most, m->known[i] ? fabs(m->p[i]) : 0);
}

static bool is_impulse(const Impulses *m, uint32_t i)
{
    return m->known[i] && fabs(m->p[i]) > NOISE * m->most;
}

static void note_branches(Sim *sim, DdpVar condition, bool truth)
{
    for (BranchId id = sim->info[condition].branches; id; id = sim->branches.at[id].next) {
        const BranchMemo *memo = &sim->branches.at[id];
        bool listed = memo->newborn || sim->decide.impulsive.n >= MOST ||
                      !(memo->when ? truth && !memo->truth : truth != memo->truth);
        for (uint32_t i = 0; i < sim->decide.impulsive.n; i++)
            listed |= sim->decide.impulsive.at[i] == id;
        if (!listed)
            vec_push(sim->mem, &sim->decide.impulsive, id);
    }
}

/* Conditions that read it, with all impulses in place of the values. */
static void look_at_readers(const Impulses *m, uint32_t i)
{
    Sim *sim = m->s->sim;
    for (const ReadEdge *edge = sim->info[m->s->var.at[i].var].readers; edge; edge = edge->next) {
        const EvalNode *node = &sim->nodes.at[edge->node];
        for (uint32_t k = 0; k < node->n_steps; k++)
            if (node->ops[k].target && sim->info[node->ops[k].target].branches)
                note_branches(sim, node->ops[k].target,
                              compare_value_of(sim, &node->ops[k], node->ops[k].value) != 0);
    }
}

void impulse_conditions(const ImpulseSystem *s)
{
    Impulses m = {.s = s};
    Sim *sim = s->sim;
    arena_init(&m.arena, sim->mem);
    m.p = arena_alloc(&m.arena, (s->var.n + 1) * sizeof *m.p);
    m.known = arena_alloc(&m.arena, (s->var.n + 1) * sizeof *m.known);
    m.kept = arena_alloc(&m.arena, (s->var.n + 1) * sizeof *m.kept);
    begin(&m);
    solve_rest(&m);
    for (uint32_t i = 0; i < s->var.n; i++) {
        m.kept[i] = sim->value[s->var.at[i].var];
        if (is_impulse(&m, i))
            sim->value[s->var.at[i].var] = m.p[i] / m.most * BEYOND;
    }
    for (uint32_t i = 0; i < s->var.n; i++)
        if (is_impulse(&m, i))
            look_at_readers(&m, i);
    for (uint32_t i = 0; i < s->var.n; i++)
        sim->value[s->var.at[i].var] = m.kept[i];
    arena_free(&m.arena);
}
