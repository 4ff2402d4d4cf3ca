/* causalize.c: relations without causality -> causalities, by forward causalization (thesis 8.2).
 *
 * Requires: matching and lists of what is free are consistent (M1, M2).
 * Maintains: a relation loses no causality here; each step adds one.
 *
 * The rule of figure 8.1: a relation in which exactly one potential unknown is left determines it. With
 * every variable that gets determined, the relations that name it are tried again; the work list
 * replaces the recursion of the thesis' algorithm 1. When the list runs dry but derivative relations
 * are left, one of them is selected as integrator (10.4), the modeller's preferred ones first, and the
 * work goes on. What is left then lies in loops or contradicts: residual.c.
 *
 * Potential causality (8.3) needs no mark while a commit runs: a relation whose inputs lost their
 * determination simply keeps its match. Only after the commit it is told apart (schedule_determine).
 */
#include "ddp/ddp_int.h"

void causalize_push(Ddp *d, DdpRel r)
{
    if (REL(d, r).queued || REL(d, r).match || REL(d, r).order)
        return;
    REL(d, r).queued = true;
    vec_push(d->mem, &d->work, r);
}

/* Relations without causality that name v are tried again. A variable with very many occurrences is
 * met from the other side: all relations without causality are few then. */
static void wake(Ddp *d, DdpVar v)
{
    if (VAR(d, v).n_occs > d->free_rels.n) {
        d->visited += d->free_rels.n;
        for (uint32_t i = 0; i < d->free_rels.n; i++)
            if (relation_position(d, d->free_rels.at[i], v) >= 0)
                causalize_push(d, d->free_rels.at[i]);
        return;
    }
    d->visited += VAR(d, v).n_occs;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o])
        causalize_push(d, d->occ_rel.at[o]);
}

void causalize_assign(Ddp *d, DdpRel r, DdpVar v)
{
    REL(d, r).match = v;
    VAR(d, v).match = r;
    free_rels_drop(d, r);
    free_vars_drop(d, v);
    if (relation_is_integrator(d, r))
        state_select_note(d, r);
    requests_steer(d, v);
    schedule_move(d, r);
    wake(d, v);
}

/* Takes the causality away: from r, and from its derivatives, which follow r to its next one. */
void causalize_release(Ddp *d, DdpRel r)
{
    DdpVar v = REL(d, r).match;
    if (!v)
        return;
    levels_touch(d, r);
    bool integrator = relation_is_integrator(d, r);
    if (integrator) {
        DdpVar slope = VAR(d, v).up;
        if (slope && VAR(d, slope).match == r)
            VAR(d, slope).match = 0;
    }
    REL(d, r).match = 0;
    VAR(d, v).match = 0;
    if (integrator)
        state_select_note(d, r);
    requests_steer(d, v);
    if (VAR(d, v).kind == DDP_UNKNOWN)
        free_vars_add(d, v);
    schedule_settle(d, v, VAR(d, v).kind == DDP_UNKNOWN, false);
    free_rels_add(d, r);
    schedule_move(d, r);
    for (DdpRel q = REL(d, r).up; q; q = REL(d, q).up) {
        DdpVar w = REL(d, q).match;
        if (w && VAR(d, w).match == q)
            VAR(d, w).match = 0;
        REL(d, q).match = 0;
        schedule_move(d, q);
    }
}

/* The one potential unknown that is left: its position; -1: none is left; -2: several are. */
static int only_unknown(const Ddp *d, DdpRel r)
{
    const DdpVar *vars = relation_vars(d, r);
    int found = -1;
    for (uint32_t i = 0; i < REL(d, r).n; i++) {
        if (!vars[i] || VAR(d, vars[i]).match || !relation_edge(d, r, i))
            continue;
        if (found >= 0)
            return -2;
        found = (int)i;
    }
    return found;
}

static void try_relation(Ddp *d, DdpRel r)
{
    d->visited++;
    int position = only_unknown(d, r);
    if (position >= 0 && !relation_banned(d, r, relation_vars(d, r)[position]))
        causalize_assign(d, r, relation_vars(d, r)[position]);
    else if (position == -2 && REL(d, r).kind == DDP_DERIVATIVE)
        vec_push(d->mem, REL(d, r).prefer ? &d->prefer : &d->select, r);
}

/* Selects the next derivative relation both of whose variables are still open; false: there is none. */
static bool select_state(Ddp *d, const List *candidates, uint32_t *at)
{
    while (*at < candidates->n) {
        DdpRel r = candidates->at[(*at)++];
        if (!REL(d, r).used || REL(d, r).match || REL(d, r).kind != DDP_DERIVATIVE)
            continue;
        DdpVar b = relation_vars(d, r)[1];
        if (VAR(d, b).match || !relation_edge(d, r, 1) || relation_banned(d, r, b))
            continue;
        causalize_assign(d, r, b);
        return true;
    }
    return false;
}

void causalize_forward(Ddp *d)
{
    do {
        for (uint32_t i = 0; i < d->work.n; i++) {
            DdpRel r = d->work.at[i];
            REL(d, r).queued = false;
            if (REL(d, r).used && !REL(d, r).match)
                try_relation(d, r);
        }
        vec_clear(&d->work);
    } while (select_state(d, &d->prefer, &d->prefer_at) ||
             select_state(d, &d->select, &d->select_at));
    vec_clear(&d->prefer);
    vec_clear(&d->select);
    d->prefer_at = d->select_at = 0;
}
