/* avoided.c: states that the modeller would rather not have -> others of their level in their place.
 *
 * Requires: what is preferred is a state where it can be (levels.c), and nothing of this commit is scheduled yet. The level of
 * each derivative relation that came into the hands of this commit is looked at: a state in it that is to be avoided gives way to
 * what is to be avoided less, the most wanted first, then as declared. What the numerics advised stays.
 */
#include "ddp/ddp_int.h"

#include "base/map.h"

/* Does a rather than b become a state? */
static bool comes_before(const Ddp *d, DdpRel a, DdpRel b)
{
    int more = REL(d, a).select - REL(d, b).select;
    return more ? more > 0
                : VAR(d, relation_vars(d, a)[1]).rank < VAR(d, relation_vars(d, b)[1]).rank;
}

/* The derivative relations of the level, in the order in which they should be states. */
static void list_level(Ddp *d, DdpVar var, List *ders, Map *seen)
{
    DdpLevel level = ddp_level(d, var);
    vec_clear(ders);
    for (uint32_t i = 0; i < level.n_vars; i++) {
        DdpRel der = ddp_level_candidate(d, level.vars[i]);
        map_put(d->mem, seen, level.vars[i], 1);
        if (!der)
            continue;
        vec_push(d->mem, ders, der);
        for (uint32_t k = ders->n - 1; k > 0 && comes_before(d, der, ders->at[k - 1]); k--) {
            ders->at[k] = ders->at[k - 1];
            ders->at[k - 1] = der;
        }
    }
}

static bool is_avoided_state(const Ddp *d, DdpRel r)
{
    return REL(d, r).select < 0 && !REL(d, r).wish && relation_is_integrator(d, r) &&
           !REL(d, r).loan;
}

static void exchange_one(Ddp *d, const List *ders, DdpRel state)
{
    for (uint32_t i = 0; i < ders->n && REL(d, ders->at[i]).select > REL(d, state).select; i++)
        if (!REL(d, ders->at[i]).wish && !state_select_has(d, ders->at[i]) &&
            levels_exchange(d, ders->at[i], state, false))
            return;
}

static void look_at_level(Ddp *d, DdpVar var, Map *seen)
{
    List ders = {0};
    list_level(d, var, &ders, seen);
    for (uint32_t i = ders.n; i-- > 0 && REL(d, ders.at[i]).select < 0;)
        if (is_avoided_state(d, ders.at[i]))
            exchange_one(d, &ders, ders.at[i]);
    vec_free(d->mem, &ders);
}

void avoided_exchange(Ddp *d)
{
    Map seen = {0};
    vec_clear(&d->demanding);
    for (uint32_t i = 0; d->any_select && i < d->moved.n; i++) {
        DdpRel r = d->moved.at[i];
        if (!REL(d, r).used || REL(d, r).kind != DDP_DERIVATIVE || REL(d, r).order)
            continue;
        if (REL(d, r).select == 2 || REL(d, r).select == -2)
            vec_push(d->mem, &d->demanding, r);
        if (!map_get(&seen, relation_vars(d, r)[1]))
            look_at_level(d, relation_vars(d, r)[1], &seen);
    }
    map_free(d->mem, &seen);
}

const DdpRel *ddp_demanding(const Ddp *d, uint32_t *n)
{
    *n = d->demanding.n;
    return d->demanding.at;
}

bool ddp_select_is_met(const Ddp *d, DdpRel r)
{
    bool is = ddp_is_state(d, relation_vars(d, r)[1]);
    return REL(d, r).select == 2 ? is : REL(d, r).select == -2 ? !is : true;
}
