/* scratch.c: a component whose orders of differentiation will not stop growing -> the same component built anew.
 *
 * The way out that thesis 10.6 asks for. State selection ends by the argument in state_select.c, so this should
 * never run; it is there because an argument is no proof of code. The guard is an order of differentiation no
 * sensible model reaches. When it trips, every relation of the connected component loses its causality and
 * derivatives and is causalized again as if it had just been entered; the guard is raised, so that a system which
 * honestly needs the order gets it. Each such rebuild is counted and reported.
 */
#include "ddp/ddp_int.h"

static void add_component(Ddp *d, DdpRel start, List *rels)
{
    REL(d, start).marked = true;
    vec_push(d->mem, rels, start);
    for (uint32_t i = 0; i < rels->n; i++) {
        DdpRel r = rels->at[i];
        for (uint32_t k = 0; k < REL(d, r).n; k++) {
            DdpVar v = relation_vars(d, r)[k];
            if (!v || !relation_edge(d, r, k))
                continue;
            for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
                DdpRel q = d->occ_rel.at[o];
                uint32_t position = o - REL(d, q).occ;
                if (REL(d, q).order || REL(d, q).marked || position >= REL(d, q).n ||
                    !relation_edge(d, q, position))
                    continue;
                REL(d, q).marked = true;
                vec_push(d->mem, rels, q);
            }
        }
    }
    for (uint32_t i = 0; i < rels->n; i++)
        REL(d, rels->at[i]).marked = false;
}

void scratch_rebuild(Ddp *d, DdpRel r)
{
    List rels = {0};
    add_component(d, r, &rels);
    for (uint32_t i = 0; i < rels.n; i++) {
        d->visited++;
        causalize_release(d, rels.at[i]);
        requests_drop_chain(d, rels.at[i]);
    }
    for (uint32_t i = 0; i < rels.n; i++)
        causalize_push(d, rels.at[i]);
    vec_free(d->mem, &rels);
    d->guard_order *= 2;
    d->scratch_now = true;
    d->scratch_rebuilds++;
    causalize_forward(d);
    residual_throw(d);
}
