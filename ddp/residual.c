/* residual.c: relations that contradict -> causalities moved along potential paths (thesis 8.4, 10.5).
 *
 * Requires: forward causalization has stopped. Maintains: M1, M2; the matching is maximal afterwards.
 *
 * A relation all of whose variables are determined elsewhere throws a residual. The thesis looks
 * through its predecessors for a source of the contradiction and takes causality away from the whole
 * path between (algorithm 2); a state is deselected when nothing else is left. Here the same search
 * is an augmenting path: from the relation to a variable of it, to the relation that determines this
 * variable, and on, until a variable is met that nobody determines. Along the path each relation
 * gives up its variable and takes the next. So exactly the relations of one path change, the matching
 * is maximal when no path is left (Berge 1957), and what cannot be resolved is overdetermined for
 * certain. The search goes breadth first, so its cost depends on how near the source is.
 *
 * Order of sources as in 10.5: paths through potentially causalized relations first; those that
 * deselect a state after these, preferred states last.
 *
 * Relations with several open variables (members of loops) need a path of length one.
 */
#include "ddp/ddp_int.h"

/* Among the open variables of r the one it can be solved for best; 0: none is open. */
static DdpVar best_open(Ddp *d, DdpRel r)
{
    const DdpVar *vars = relation_vars(d, r);
    DdpVar best = 0;
    int quality = -1;
    for (uint32_t i = 0; i < REL(d, r).n; i++) {
        DdpVar v = vars[i];
        if (!v || VAR(d, v).match || !relation_edge(d, r, i) || relation_banned(d, r, v))
            continue;
        int q = REL(d, r).kind == DDP_EQUATION
                    ? form_info(d->forms, REL(d, r).form)->position[i].solvable
                    : SOLVE_SAFE;
        if (q > quality) {
            quality = q;
            best = v;
        }
    }
    return best;
}

typedef struct Search {
    Ddp *d;
    List *now;       /* relations to look at */
    List *states;    /* integrators to pass only when `now` is empty */
    List *preferred; /* likewise, after those */
    bool banned_too;
    bool keep_preferred;
} Search;

/* Looks at the variables of r; returns an open one, or 0. */
static DdpVar search_relation(Search *s, DdpRel r)
{
    Ddp *d = s->d;
    const DdpVar *vars = relation_vars(d, r);
    d->visited++;
    for (uint32_t i = 0; i < REL(d, r).n; i++) {
        DdpVar v = vars[i];
        if (!v || d->stamp.at[v] == d->search || !relation_edge(d, r, i))
            continue;
        if (!s->banned_too && relation_banned(d, r, v))
            continue;
        d->stamp.at[v] = d->search;
        d->parent.at[v] = r;
        DdpRel owner = VAR(d, v).match;
        if (!owner)
            return v;
        if (REL(d, owner).kind == DDP_TRANSMISSION)
            continue;
        if (relation_is_integrator(d, owner) && REL(d, owner).prefer && s->keep_preferred)
            continue;
        if (relation_is_integrator(d, owner))
            vec_push(d->mem, REL(d, owner).prefer ? s->preferred : s->states, owner);
        else
            vec_push(d->mem, s->now, owner);
    }
    return 0;
}

static DdpVar search_path(Ddp *d, DdpRel from, bool banned_too, bool keep_preferred)
{
    Search s = {d, &d->scratch, &d->scratch2, &d->scratch3, banned_too, keep_preferred};
    vec_clear(s.now);
    vec_clear(s.states);
    vec_clear(s.preferred);
    d->search++;
    vec_push(d->mem, s.now, from);
    uint32_t i = 0, k = 0, l = 0;
    for (;;) {
        DdpRel r;
        if (i < s.now->n)
            r = s.now->at[i++];
        else if (k < s.states->n)
            r = s.states->at[k++];
        else if (l < s.preferred->n)
            r = s.preferred->at[l++];
        else
            return 0;
        DdpVar open = search_relation(&s, r);
        if (open)
            return open;
    }
}

/* Each relation of the path takes the variable it was left by; `from` has none to give up. */
static void turn_path(Ddp *d, DdpRel from, DdpVar open)
{
    List *path = &d->scratch; /* the search is over */
    vec_clear(path);
    for (DdpVar v = open;;) {
        DdpRel r = d->parent.at[v];
        vec_push(d->mem, path, v);
        if (r == from)
            break;
        v = REL(d, r).match;
    }
    for (uint32_t i = 0; i < path->n; i++) {
        DdpRel r = d->parent.at[path->at[i]];
        causalize_release(d, r);
    }
    for (uint32_t i = path->n; i-- > 0;)
        causalize_assign(d, d->parent.at[path->at[i]], path->at[i]);
}

bool residual_resolve(Ddp *d, DdpRel r)
{
    DdpVar open = best_open(d, r);
    if (open) {
        d->visited++;
        causalize_assign(d, r, open);
        return true;
    }
    if (!d->free_vars.n && REL(d, r).kind != DDP_TRANSMISSION)
        return false;
    open = search_path(d, r, false, false);
    if (!open && d->bans.n)
        open = search_path(d, r, true, false);
    if (!open)
        return false;
    turn_path(d, r, open);
    return true;
}

bool residual_reroute(Ddp *d, DdpRel r, List *changed)
{
    DdpVar open = search_path(d, r, false, true);
    if (!open)
        return false;
    for (DdpVar v = open; d->parent.at[v] != r; v = REL(d, d->parent.at[v]).match) {
        vec_push(d->mem, changed, d->parent.at[v]);
        vec_push(d->mem, changed, REL(d, d->parent.at[v]).match);
    }
    turn_path(d, r, open);
    return true;
}

/* All residuals are thrown; each success may let forward causalization go on. */
void residual_throw(Ddp *d)
{
    bool progress = true;
    while (progress && d->free_rels.n) {
        progress = false;
        List *todo = &d->leaving; /* emptied before; holds the relations of this round */
        vec_clear(todo);
        for (uint32_t i = 0; i < d->free_rels.n; i++)
            vec_push(d->mem, todo, d->free_rels.at[i]);
        for (uint32_t i = 0; i < todo->n; i++) {
            DdpRel r = todo->at[i];
            if (REL(d, r).match)
                continue;
            if (residual_resolve(d, r)) {
                progress = true;
                causalize_forward(d);
            }
        }
        vec_clear(todo);
    }
}

/* In a loop a step may solve for another variable than that of the causality. */
static void tear_again(Ddp *d, DdpRel r)
{
    for (; r; r = REL(d, r).up)
        schedule_tear_again(d, REL(d, r).node);
}

/* The numerics found a pivot near zero: the relation gives up its variable and looks for another way. If
 * there is none, everything stays as it was, but for the steps of a loop. */
void residual_advice(Ddp *d)
{
    for (uint32_t i = 0; i < d->advised_rel.n; i++) {
        DdpRel r = d->advised_rel.at[i];
        DdpVar v = d->advised_var.at[i];
        if (!REL(d, r).used)
            continue;
        levels_touch(d, r); /* what it computes may be exchanged; it will not be so again */
        tear_again(d, r);
        if (REL(d, r).match != v)
            continue;
        causalize_release(d, r);
        DdpVar open = search_path(d, r, false, false);
        if (open)
            turn_path(d, r, open);
        else
            causalize_assign(d, r, v);
    }
    vec_clear(&d->advised_rel);
    vec_clear(&d->advised_var);
}
