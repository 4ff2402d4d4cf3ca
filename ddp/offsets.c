/* offsets.c: a relation whose derivatives are suspiciously high -> a proof that its requests never come back to it.
 *
 * Requires: the matching as it stands; what is proved holds until it changes (offsets_forget).
 *
 * A derivative of high order is searched for a way on which the request comes back to the same relation (state_select.c).
 * In constrained mechanics most orders are honest, every search is in vain, and each of them walks through all that
 * asked for the wave of derivatives that it stands in. One proof serves for all of them: numbers per relation entered by the
 * user, such that whoever requests from another one has at most that one's number less the weight of the request. The
 * weight is how much higher the derivative is that is requested: 1 for a differentiator, one less where an integrator
 * answers. Then no closed walk has a positive weight, so no derivative is requested by a lower one of the same
 * relation. (Pryce's offsets, see state_select.c; here only along requests that a search may take.)
 *
 * The numbers are found by raising them until all requests agree (Bellman and Ford), from the orders that are there now,
 * which most often do already. What is beyond HOPELESS_ORDER is not proved.
 */
#include "ddp/ddp_int.h"

void offsets_forget(Ddp *d)
{
    if (d->offsets.n)
        map_free(d->mem, &d->offsets);
    d->offsets_fail = false;
}

static uint32_t order_now(const Ddp *d, DdpRel r)
{
    while (REL(d, r).up)
        r = REL(d, r).up;
    return REL(d, r).order;
}

/* The number of p is to be `least` or more; true: it is raised, so what p requests is to be looked at. The map has the
 * number and 1 more. */
static bool raise(Ddp *d, DdpRel p, uint32_t least)
{
    uint32_t has = map_get(&d->offsets, p);
    if (!has && least < order_now(d, p))
        least = order_now(d, p);
    if (has > least)
        return false;
    map_put(d->mem, &d->offsets, p, least + 1);
    return true;
}

/* Raises what r requests from, into the list of work; false: without end, as it seems. */
static bool raise_providers(Ddp *d, DdpRel r, List *work)
{
    bool differentiates = REL(d, r).kind == DDP_DERIVATIVE && !relation_is_integrator(d, r);
    uint32_t has = map_get(&d->offsets, r) - 1;
    d->visited++;
    for (uint32_t k = 0; k < REL(d, r).n; k++) {
        DdpVar v = relation_vars(d, r)[k];
        DdpRel p = v ? REL(d, VAR(d, v).match).origin : 0;
        if (!p || p == r || !state_select_may_take(d, r, p))
            continue;
        uint32_t least = has + (differentiates && k > 0);
        if (relation_is_integrator(d, p) && least)
            least--;
        if (!raise(d, p, least))
            continue;
        if (least > HOPELESS_ORDER)
            return false;
        vec_push(d->mem, work, p);
    }
    return true;
}

bool offsets_honest(Ddp *d, DdpRel r)
{
    if (d->offsets_fail || map_get(&d->offsets, r))
        return !d->offsets_fail;
    List work = {0};
    raise(d, r, 0);
    vec_push(d->mem, &work, r);
    for (uint32_t i = 0; i < work.n && !d->offsets_fail; i++)
        d->offsets_fail = !raise_providers(d, work.at[i], &work);
    vec_free(d->mem, &work);
    return !d->offsets_fail;
}
