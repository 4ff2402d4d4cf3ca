/* inline_redo.c: a group that is iterated -> other residuals, where these leave no loop whose factors move. See inline_plan_int.h, inline_peel.c. */
#include "runtime/solve/inline_plan_int.h"

/* Equations that may be solved in another order: loops whose factors move, what depends on them, the residuals. */
typedef struct Redoing {
    InlineMaking *m;
    uint32_t *index_of; /* [vars]: index + 1; 0: none */
    bool *in_block;     /* [vars]: of a loop that stays */
    VEC(uint32_t) vars; /* by index */
    InlinePeel peel;
    VEC(uint32_t) rels; /* of each item; UINT32_MAX: a block */
} Redoing;

typedef struct Component {
    const uint32_t *rels;
    uint32_t n;
    bool stays; /* as it is, if it is a loop */
} Component;

static bool reads_redone(const Redoing *r, const Component *of)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const InlineRel *rel = &r->m->rels.at[of->rels[i]];
        for (uint32_t k = 0; k < rel->n; k++)
            if (r->index_of[rel->vars[k]])
                return true;
    }
    return false;
}

/* Nothing but parameters in the factor: those are taken as not zero. */
static bool may_solve(const InlineMaking *m, const FormInfo *info, const uint32_t *vars, uint32_t k)
{
    const FormPosition *position = &info->position[k];
    if (position->solvable != SOLVE_RISKY)
        return position->solvable == SOLVE_SAFE;
    for (uint32_t j = 0; j < info->n; j++)
        if (form_factor_uses(m->sim->forms, position, j) &&
            (!vars[j] || !m->vars.at[vars[j]].solid))
            return false;
    return true;
}

static void end_item(Redoing *r, InlinePeelItem item, uint32_t rel)
{
    item.to = r->peel.names.n;
    vec_push(r->m->sim->mem, &r->peel.items, item);
    vec_push(r->m->sim->mem, &r->rels, rel);
}

static void add_item(Redoing *r, uint32_t number)
{
    const InlineMaking *m = r->m;
    const InlineRel *rel = &m->rels.at[number];
    const FormInfo *info = form_info(m->sim->forms, rel->form);
    InlinePeelItem item = {.from = r->peel.names.n};
    for (uint32_t k = 0; k < rel->n; k++) {
        uint32_t index = info->position[k].occurs ? r->index_of[rel->vars[k]] : 0;
        if (index)
            vec_push(m->sim->mem, &r->peel.names,
                     ((InlinePeelName){index - 1, !r->in_block[rel->vars[k]] &&
                                                      may_solve(m, info, rel->vars, k)}));
    }
    end_item(r, item, number);
}

static void add_block(Redoing *r, const Component *of)
{
    InlineMaking *m = r->m;
    Mem *mem = m->sim->mem;
    uint32_t turn = ++m->marks, *mark = m->mark.at;
    InlinePeelItem item = {.from = r->peel.names.n, .block = true, .own_from = r->peel.own.n};
    for (uint32_t i = 0; i < of->n; i++) {
        uint32_t var = m->rels.at[of->rels[i]].var;
        vec_push(mem, &r->peel.own, r->index_of[var] - 1);
        mark[var] = turn;
    }
    for (uint32_t i = 0; i < of->n; i++) {
        const InlineRel *rel = &m->rels.at[of->rels[i]];
        for (uint32_t k = 0; k < rel->n; k++) {
            uint32_t index = mark[rel->vars[k]] == turn ? 0 : r->index_of[rel->vars[k]];
            if (!index)
                continue;
            vec_push(mem, &r->peel.names, ((InlinePeelName){index - 1, false}));
            mark[rel->vars[k]] = turn;
        }
    }
    item.own_to = r->peel.own.n;
    end_item(r, item, UINT32_MAX);
}

/* Components from the first loop on whose factors move, as far as they depend on such a loop. True: there is one. */
static bool add_redone(Redoing *r, const InlineGroup *group)
{
    InlineMaking *m = r->m;
    VEC(Component) redone = {0};
    for (uint32_t i = 0, from = 0; i < group->order.ends.n; from = group->order.ends.at[i++]) {
        Component of = {group->order.rels.at + from, group->order.ends.at[i] - from, false};
        bool loop = inline_is_loop(m, of.n, of.rels);
        of.stays = loop && inline_loop_stays(m, of.n, of.rels);
        if (!(loop && !of.stays) && !reads_redone(r, &of))
            continue;
        vec_push(m->sim->mem, &redone, of);
        for (uint32_t k = 0; k < of.n; k++) {
            uint32_t var = m->rels.at[of.rels[k]].var;
            vec_push(m->sim->mem, &r->vars, var);
            r->index_of[var] = r->vars.n;
            r->in_block[var] = of.stays;
        }
    }
    for (uint32_t i = 0; i < redone.n; i++) {
        if (redone.at[i].stays)
            add_block(r, &redone.at[i]);
        for (uint32_t k = 0; k < redone.at[i].n && !redone.at[i].stays; k++)
            add_item(r, redone.at[i].rels[k]);
    }
    bool any = redone.n > 0;
    vec_free(m->sim->mem, &redone);
    return any;
}

/* As many equations leave as come back. Each takes the place of one that does; the others determine what was found. */
static void exchange(Redoing *r, InlineGroup *group)
{
    InlineMaking *m = r->m;
    uint32_t first = r->peel.items.n - group->residuals.n, back = 0;
    for (uint32_t i = 0; i < first; i++) {
        if (r->peel.items.at[i].used)
            continue;
        while (!r->peel.items.at[first + back].used)
            back++;
        group->residuals.at[back++].rel = r->rels.at[i];
        m->rels.at[r->rels.at[i]].var = 0;
    }
    for (uint32_t i = 0; i < r->peel.items.n; i++) {
        const InlinePeelItem *item = &r->peel.items.at[i];
        if (!item->used || item->block)
            continue;
        uint32_t var = r->vars.at[item->var];
        m->rels.at[r->rels.at[i]].var = var;
        m->rel_of.at[var] = r->rels.at[i] + 1;
    }
}

bool inline_redo(InlineMaking *m, InlineGroup *group)
{
    Mem *mem = m->sim->mem;
    Redoing r = {.m = m,
                 .index_of = mem_alloc(mem, m->vars.n * sizeof *r.index_of),
                 .in_block = mem_alloc(mem, m->vars.n * sizeof *r.in_block)};
    bool better = add_redone(&r, group);
    r.peel.n_vars = r.vars.n;
    for (uint32_t i = 0; i < group->residuals.n && better; i++)
        add_item(&r, group->residuals.at[i].rel);
    better = better && inline_peel(mem, &r.peel);
    if (better)
        exchange(&r, group);
    vec_free(mem, &r.vars);
    vec_free(mem, &r.rels);
    vec_free(mem, &r.peel.items);
    vec_free(mem, &r.peel.names);
    vec_free(mem, &r.peel.own);
    mem_free(mem, r.index_of);
    mem_free(mem, r.in_block);
    return better;
}
