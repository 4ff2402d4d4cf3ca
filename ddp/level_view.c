/* level_view.c: a variable -> its level around it: relations, variables, and who may be a state
 * there.
 *
 * What levels.c exchanges is structure; which exchange is a good one, numbers say. So the numerics
 * are shown the level (ddp_level), work out which of its variables should be states, and say so
 * (ddp_advise_state). The advice is kept with the derivative relation as long as that lives, or
 * until there is other advice: what the numerics want as a state takes the place of what they do
 * not want as one, before any preference of the modeller counts. Exchanges begin at the default
 * choice again, so that each needs one integrator that lends and one derivative relation that
 * borrows.
 */
#include "ddp/ddp_int.h"

/* How many derivatives of it exist. */
static int above_var(const Ddp *d, DdpVar v)
{
    int n = 0;
    while ((v = VAR(d, v).up))
        n++;
    return n;
}

static int above_rel(const Ddp *d, DdpRel r)
{
    int n = 0;
    while ((r = REL(d, r).up))
        n++;
    return n;
}

/* ---- advice ---- */

void ddp_advise_state(Ddp *d, DdpRel r, int wish)
{
    if (REL(d, r).wish == wish)
        return;
    REL(d, r).wish = (int8_t)wish;
    vec_push(d->mem, &d->wished, r);
}

void ddp_insist_on_state(Ddp *d, DdpRel r)
{
    vec_push(d->mem, &d->wished, r);
}

int ddp_state_advice(const Ddp *d, DdpRel r)
{
    return REL(d, r).wish;
}

uint32_t ddp_var_rank(const Ddp *d, DdpVar v)
{
    return VAR(d, v).rank;
}

/* ---- the level ---- */

/* Does the variable at this position count for r on its level? */
static bool counts(const Ddp *d, DdpRel r, uint32_t position, int above)
{
    DdpVar v = relation_vars(d, r)[position];
    if (!v || VAR(d, v).kind != DDP_UNKNOWN || above_var(d, v) != above)
        return false;
    if (REL(d, r).kind == DDP_DERIVATIVE)
        return position != 1;
    return form_info(d->forms, REL(d, r).form)->position[position].occurs;
}

static void add_var(Ddp *d, DdpVar v)
{
    if (d->stamp.at[v] == d->search)
        return;
    d->stamp.at[v] = d->search;
    vec_push(d->mem, &d->level_vars, v);
}

static void add_rel(Ddp *d, DdpRel r, int above)
{
    if (REL(d, r).marked || above_rel(d, r) != above || !REL(d, REL(d, r).origin).match)
        return;
    REL(d, r).marked = true;
    vec_push(d->mem, &d->level_rels, r);
    for (uint32_t i = 0; i < REL(d, r).n; i++)
        if (counts(d, r, i, above))
            add_var(d, relation_vars(d, r)[i]);
}

DdpLevel ddp_level(Ddp *d, DdpVar v)
{
    int above = VAR(d, v).kind == DDP_UNKNOWN ? above_var(d, v) : 0;
    vec_clear(&d->level_rels);
    vec_clear(&d->level_vars);
    d->search++;
    if (above)
        add_var(d, v);
    for (uint32_t i = 0; i < d->level_vars.n; i++) {
        DdpVar w = d->level_vars.at[i];
        for (uint32_t o = VAR(d, w).occs; o; o = d->occ_next.at[o]) {
            DdpRel r = d->occ_rel.at[o];
            uint32_t position = o - REL(d, r).occ;
            if (position < REL(d, r).n && counts(d, r, position, above))
                add_rel(d, r, above);
        }
    }
    for (uint32_t i = 0; i < d->level_rels.n; i++)
        REL(d, d->level_rels.at[i]).marked = false;
    return (DdpLevel){d->level_rels.n, d->level_vars.n, d->level_rels.at, d->level_vars.at};
}

DdpVar ddp_level_above(const Ddp *d, DdpVar v)
{
    return VAR(d, v).up;
}

bool ddp_is_differentiated(const Ddp *d, DdpRel r)
{
    return REL(d, r).up != 0;
}

/* The variable that v is the derivative of, if any relation says so; else 0. */
static DdpVar below(const Ddp *d, DdpVar v)
{
    if (VAR(d, v).order)
        return VAR(d, v).origin;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        if (REL(d, r).kind != DDP_DERIVATIVE)
            break;
        if (relation_vars(d, r)[0] == v)
            return relation_vars(d, r)[1];
    }
    return 0;
}

enum { DEEP = 16 };

DdpVar ddp_level_root(const Ddp *d, DdpVar v)
{
    DdpVar next = v;
    for (int i = 0; i < DEEP && next; i++) {
        v = next;
        next = below(d, v);
    }
    return v;
}

/* A transmission that determines it cannot do anything else. */
DdpRel ddp_level_candidate(const Ddp *d, DdpVar v)
{
    DdpRel by = VAR(d, v).match, best = 0;
    if (VAR(d, v).order || (by && REL(d, by).kind == DDP_TRANSMISSION))
        return 0;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        if (REL(d, r).kind != DDP_DERIVATIVE)
            break;
        if (relation_vars(d, r)[1] != v || !REL(d, r).match)
            continue;
        if (state_select_has(d, r))
            return r;
        if (!best || (REL(d, r).prefer && !REL(d, best).prefer))
            best = r;
    }
    return best;
}
