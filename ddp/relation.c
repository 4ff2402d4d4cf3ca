/* relation.c: variables and relations -> the bipartite graph (thesis 7.3.1).
 *
 * Maintains: every variable knows all its occurrences, every relation its positions. Numbers are used
 * again, runs of occurrences too. Nothing here knows of causality beyond the set U of a relation.
 */
#include "ddp/ddp_int.h"

#include <string.h>

static uint32_t take_number(Ddp *d, List *unused)
{
    (void)d;
    return unused->n ? vec_pop(unused) : 0;
}

DdpVar relation_new_var(Ddp *d, DdpVarKind kind)
{
    DdpVar v = take_number(d, &d->unused_vars);
    if (!v) {
        v = d->vars.n;
        vec_push(d->mem, &d->vars, (Var){0});
        vec_push(d->mem, &d->parent, 0);
        vec_push(d->mem, &d->stamp, 0);
    }
    VAR(d, v) = (Var){.origin = v, .kind = (uint8_t)kind, .used = true};
    VAR(d, v).varies = kind == DDP_UNKNOWN || kind == DDP_TIME;
    VAR(d, v).solid = kind == DDP_KNOWN;
    d->stamp.at[v] = 0;
    d->n_vars++;
    return v;
}

void relation_free_var(Ddp *d, DdpVar v)
{
    free_vars_drop(d, v);
    VAR(d, v) = (Var){0};
    vec_push(d->mem, &d->unused_vars, v);
    d->n_vars--;
}

/* ---- occurrences ---- */

enum { SHORT_RUN = 32 };

/* The list of free runs that one of n belongs to: long ones have room for a power of two. */
static uint32_t run_list(uint32_t n, uint32_t *room)
{
    uint32_t list = SHORT_RUN;
    *room = n;
    if (n < SHORT_RUN)
        return n;
    for (*room = SHORT_RUN; *room < n; *room *= 2)
        list++;
    return list;
}

static uint32_t new_run(Ddp *d, uint32_t n)
{
    uint32_t room, list = run_list(n, &room);
    if (d->unused_occs[list].n)
        return vec_pop(&d->unused_occs[list]);
    uint32_t first = d->occ_var.n;
    for (uint32_t i = 0; i < room; i++) {
        vec_push(d->mem, &d->occ_var, 0);
        vec_push(d->mem, &d->occ_rel, 0);
        vec_push(d->mem, &d->occ_next, 0);
        vec_push(d->mem, &d->occ_prev, 0);
    }
    return first;
}

/* Occurrences in derivative relations stand first in a variable's list: state_select.c looks for them.
 * Not so their logic ones: the condition of a branch has as many as the branch has relations. */
static bool differentiates(const Ddp *d, uint32_t o)
{
    const Rel *rel = &REL(d, d->occ_rel.at[o]);
    return rel->kind == DDP_DERIVATIVE && o < rel->occ + rel->n;
}

static void link_occ(Ddp *d, uint32_t o, DdpRel r, DdpVar v)
{
    d->occ_var.at[o] = v;
    d->occ_rel.at[o] = r;
    d->occ_prev.at[o] = 0;
    d->occ_next.at[o] = 0;
    if (!v)
        return;
    uint32_t before = 0, behind = VAR(d, v).occs;
    if (!differentiates(d, o))
        for (; behind && differentiates(d, behind); behind = d->occ_next.at[behind])
            before = behind;
    d->occ_prev.at[o] = before;
    d->occ_next.at[o] = behind;
    if (behind)
        d->occ_prev.at[behind] = o;
    if (before)
        d->occ_next.at[before] = o;
    else
        VAR(d, v).occs = o;
    VAR(d, v).n_occs++;
}

static void unlink_occ(Ddp *d, uint32_t o)
{
    DdpVar v = d->occ_var.at[o];
    if (!v)
        return;
    uint32_t before = d->occ_prev.at[o], behind = d->occ_next.at[o];
    if (before)
        d->occ_next.at[before] = behind;
    else
        VAR(d, v).occs = behind;
    if (behind)
        d->occ_prev.at[behind] = before;
    VAR(d, v).n_occs--;
    d->occ_var.at[o] = 0;
}

void relation_bind(Ddp *d, DdpRel r, uint32_t position, DdpVar v)
{
    uint32_t o = REL(d, r).occ + position;
    unlink_occ(d, o);
    link_occ(d, o, r, v);
}

/* ---- relations ---- */

Form relation_unify(Ddp *d, Form form, uint32_t *n, DdpVar *vars)
{
    enum { FEW = 16 };
    uint32_t few[FEW], count = *n, kept = 0;
    uint32_t *map = count <= FEW ? few : mem_alloc(d->mem, count * sizeof *map);
    for (uint32_t i = 0; i < *n; i++) {
        uint32_t k = 0;
        while (k < kept && vars[k] != vars[i])
            k++;
        if (k == kept)
            vars[kept++] = vars[i];
        map[i] = k;
    }
    if (kept < *n)
        form = form_rename(d->forms, form, map, kept);
    *n = kept;
    if (map != few)
        mem_free(d->mem, map);
    return form_cancel(d->forms, form, 0);
}

DdpRel relation_new_rel(Ddp *d, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                        DdpVar logic)
{
    DdpRel r = take_number(d, &d->unused_rels);
    if (!r) {
        r = d->rels.n;
        vec_push(d->mem, &d->rels, (Rel){0});
    }
    uint32_t occ = new_run(d, n + (logic ? 1 : 0));
    REL(d, r) = (Rel){.form = form,
                      .occ = occ,
                      .origin = r,
                      .n = (uint16_t)n,
                      .kind = (uint8_t)kind,
                      .used = true,
                      .has_logic = logic != 0};
    for (uint32_t i = 0; i < n; i++)
        link_occ(d, occ + i, r, vars[i]);
    if (logic)
        link_occ(d, occ + n, r, logic);
    d->n_rels++;
    d->n_ders += kind == DDP_DERIVATIVE;
    return r;
}

void relation_free_rel(Ddp *d, DdpRel r)
{
    uint32_t n = REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u), occ = REL(d, r).occ;
    if (REL(d, r).banned)
        for (uint32_t i = 0; i < REL(d, r).n; i++)
            map_remove(&d->bans, (uint64_t)r << 32 | d->occ_var.at[occ + i]);
    for (uint32_t i = 0; i < n; i++)
        unlink_occ(d, occ + i);
    uint32_t room;
    vec_push(d->mem, &d->unused_occs[run_list(n, &room)], occ);
    free_rels_drop(d, r);
    d->n_ders -= REL(d, r).kind == DDP_DERIVATIVE;
    REL(d, r) = (Rel){0};
    vec_push(d->mem, &d->unused_rels, r);
    d->n_rels--;
}

bool relation_edge(const Ddp *d, DdpRel r, uint32_t position)
{
    const Rel *rel = &REL(d, r);
    DdpVar v = relation_vars(d, r)[position];
    switch ((DdpRelKind)rel->kind) {
    case DDP_TRANSMISSION:
        return position == 0 && (VAR(d, v).kind == DDP_UNKNOWN || VAR(d, v).kind == DDP_HELD);
    case DDP_DERIVATIVE:
        return position < 2 && VAR(d, v).kind == DDP_UNKNOWN;
    case DDP_EQUATION:
        break;
    }
    return VAR(d, v).kind == DDP_UNKNOWN &&
           form_info(d->forms, rel->form)->position[position].steers;
}

int relation_position(const Ddp *d, DdpRel r, DdpVar v)
{
    const DdpVar *vars = relation_vars(d, r);
    for (uint32_t i = 0; i < REL(d, r).n; i++)
        if (vars[i] == v)
            return (int)i;
    return -1;
}

/* The highest derivative has the factor in a differentiated relation that the variable has in its origin. */
bool relation_banned(const Ddp *d, DdpRel r, DdpVar v)
{
    r = REL(d, r).origin;
    return REL(d, r).banned && map_get(&d->bans, (uint64_t)r << 32 | VAR(d, v).origin);
}

/* A factor made of parameters and constants alone is as good as a constant: if it turns out to be zero, the
 * numerics will advise against it. Held variables and derivatives are often zero. */
Solvable relation_solvable(const Ddp *d, DdpRel r, DdpVar v)
{
    const FormInfo *info = form_info(d->forms, REL(d, r).form);
    int at = relation_position(d, r, v);
    if (at < 0 || relation_banned(d, r, v))
        return SOLVE_NOT;
    if (REL(d, REL(d, r).origin).kind == DDP_TRANSMISSION && v != REL(d, r).match)
        return SOLVE_NOT;
    const FormPosition *p = &info->position[at];
    if (p->solvable != SOLVE_RISKY)
        return (Solvable)p->solvable;
    const DdpVar *vars = relation_vars(d, r);
    for (uint32_t i = 0; i < info->n; i++)
        if (vars[i] && !VAR(d, vars[i]).solid && form_factor_uses(d->forms, p, i))
            return SOLVE_RISKY;
    return SOLVE_SAFE;
}

/* ---- what has no causality ---- */

static void list_add(Ddp *d, List *list, uint32_t number, uint32_t *at)
{
    if (*at)
        return;
    vec_push(d->mem, list, number);
    *at = list->n;
}

void free_vars_add(Ddp *d, DdpVar v)
{
    list_add(d, &d->free_vars, v, &VAR(d, v).free_at);
}

void free_rels_add(Ddp *d, DdpRel r)
{
    list_add(d, &d->free_rels, r, &REL(d, r).free_at);
}

void free_vars_drop(Ddp *d, DdpVar v)
{
    uint32_t at = VAR(d, v).free_at;
    if (!at)
        return;
    uint32_t last = vec_pop(&d->free_vars);
    if (last != v) {
        d->free_vars.at[at - 1] = last;
        VAR(d, last).free_at = at;
    }
    VAR(d, v).free_at = 0;
}

void free_rels_drop(Ddp *d, DdpRel r)
{
    uint32_t at = REL(d, r).free_at;
    if (!at)
        return;
    uint32_t last = vec_pop(&d->free_rels);
    if (last != r) {
        d->free_rels.at[at - 1] = last;
        REL(d, last).free_at = at;
    }
    REL(d, r).free_at = 0;
}

/* ---- looking closer ---- */

DdpRel ddp_next_use(const Ddp *d, DdpVar var, uint32_t *cursor)
{
    *cursor = *cursor ? d->occ_next.at[*cursor] : VAR(d, var).occs;
    return *cursor ? d->occ_rel.at[*cursor] : 0;
}

uint32_t ddp_use_count(const Ddp *d, DdpVar var)
{
    return VAR(d, var).n_occs;
}
