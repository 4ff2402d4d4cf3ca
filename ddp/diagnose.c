/* diagnose.c: what has no causality -> the parts of the system that are to blame (thesis 9.9).
 *
 * The coarse decomposition of Dulmage and Mendelsohn (Coverings of bipartite graphs, Canad. J. Math. 10,
 * 1958): whatever alternating paths reach from a relation without variable is overdetermined, whatever they
 * reach from a variable without relation is underdetermined. The parts do not depend on which maximum
 * matching was found, so they are the same for the oracle. Only relations and variables the user entered
 * appear.
 */
#include "ddp/ddp_int.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static DdpPart part(List *rels, List *vars)
{
    if (rels->n)
        qsort(rels->at, rels->n, sizeof *rels->at, ascending);
    if (vars->n)
        qsort(vars->at, vars->n, sizeof *vars->at, ascending);
    return (DdpPart){rels->n, vars->n, rels->at, vars->at};
}

static void add_rel(Ddp *d, List *rels, DdpRel r)
{
    if (!r || REL(d, r).marked)
        return;
    REL(d, r).marked = true;
    vec_push(d->mem, rels, r);
}

static void add_var(Ddp *d, List *vars, DdpVar v)
{
    if (!v || VAR(d, v).marked)
        return;
    VAR(d, v).marked = true;
    vec_push(d->mem, vars, v);
}

static void clean(Ddp *d, const List *rels, const List *vars)
{
    for (uint32_t i = 0; i < rels->n; i++)
        REL(d, rels->at[i]).marked = false;
    for (uint32_t i = 0; i < vars->n; i++)
        VAR(d, vars->at[i]).marked = false;
}

static void over_part(Ddp *d, List *rels, List *vars)
{
    vec_clear(rels);
    vec_clear(vars);
    for (uint32_t i = 0; i < d->free_rels.n; i++)
        add_rel(d, rels, d->free_rels.at[i]);
    for (uint32_t i = 0; i < rels->n; i++) {
        DdpRel r = rels->at[i];
        for (uint32_t k = 0; k < REL(d, r).n; k++) {
            DdpVar v = relation_vars(d, r)[k];
            if (!v || !relation_edge(d, r, k))
                continue;
            add_var(d, vars, v);
            add_rel(d, rels, VAR(d, v).match);
        }
    }
    clean(d, rels, vars);
}

static void under_part(Ddp *d, List *rels, List *vars)
{
    vec_clear(rels);
    vec_clear(vars);
    for (uint32_t i = 0; i < d->free_vars.n; i++)
        add_var(d, vars, d->free_vars.at[i]);
    for (uint32_t i = 0; i < vars->n; i++)
        for (uint32_t o = VAR(d, vars->at[i]).occs; o; o = d->occ_next.at[o]) {
            DdpRel r = d->occ_rel.at[o];
            uint32_t position = o - REL(d, r).occ;
            if (REL(d, r).order || position >= REL(d, r).n || !relation_edge(d, r, position))
                continue;
            add_rel(d, rels, r);
            add_var(d, vars, REL(d, r).match);
        }
    clean(d, rels, vars);
}

/* The first node in order that is false; runaway requests left their cycle in rels already. */
static void false_part(Ddp *d, List *rels, List *vars)
{
    vec_clear(vars);
    if (!d->runaway) {
        vec_clear(rels);
        DdpNode n = d->n_false ? d->first_node : 0;
        while (n && !NODE(d, n).false_causal)
            n = NODE(d, n).next;
        for (DdpRel r = n ? NODE(d, n).first : 0; r; r = REL(d, r).next)
            add_rel(d, rels, REL(d, r).origin);
    }
    for (uint32_t i = 0; i < rels->n; i++)
        add_var(d, vars, REL(d, rels->at[i]).match);
    clean(d, rels, vars);
}

DdpDiagnosis ddp_diagnose(Ddp *d)
{
    DdpDiagnosis result = {0};
    over_part(d, &d->diagnosis[0], &d->diagnosis[1]);
    under_part(d, &d->diagnosis[2], &d->diagnosis[3]);
    false_part(d, &d->diagnosis[4], &d->diagnosis[5]);
    result.over = part(&d->diagnosis[0], &d->diagnosis[1]);
    result.under = part(&d->diagnosis[2], &d->diagnosis[3]);
    result.false_causal = part(&d->diagnosis[4], &d->diagnosis[5]);
    if (d->free_rels.n && d->was_determined)
        for (uint32_t i = d->entered.n; i-- > 0 && !result.tipped;)
            if (result.over.n_rels &&
                bsearch(&d->entered.at[i], result.over.rels, result.over.n_rels,
                        sizeof *result.over.rels, ascending))
                result.tipped = d->entered.at[i];
    return result;
}
