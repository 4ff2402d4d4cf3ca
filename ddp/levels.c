/* levels.c: states the modeller prefers -> exchanged for others on their level (thesis 10.4.2).
 *
 * The matching of the user's relations says how often each relation is differentiated and, by
 * default, what each of them computes: a relation differentiated k times the k-th derivative of
 * what the relation is matched with. That fixes the number of states, but not which they are. With
 * c_r the number of times relation r is differentiated and d_v the highest derivative of variable v
 * that exists, the *level* of r^(k) is k - c_r and that of v^(k) is k - d_v. On level 0 there are
 * as many relations as variables; on each level below, every relation needs a variable of its
 * level, and the variables left over are the states (dummy derivatives: Mattsson and Soderlind,
 * SIAM J. Sci. Comput. 14, 1993, read as one bipartite graph per level). So a state may be
 * exchanged for another variable along an alternating path inside one level, and nothing on other
 * levels changes.
 *
 * A pendulum written with x = sin(phi), y = -cos(phi) needs this to integrate its angle: the
 * angle's second derivative occurs in one relation only, so no matching of the whole system leaves
 * phi to an integrator.
 *
 * What was exchanged is kept as a *group* of relations that compute something else than by default
 * (Rel.out, Var.by). The defaults stay in place below; when one of them changes, the group is given
 * up as a whole and tried again. Maintains L1: a group's relations and variables are exchanged one
 * to one; L2: as many states as integrators, each integrator that lends its place names the
 * derivative relation that borrows it.
 */
#include "ddp/ddp_int.h"

/* ---- levels ---- */

static int chain_above_rel(const Ddp *d, DdpRel r)
{
    int n = 0;
    while ((r = REL(d, r).up))
        n++;
    return n;
}

static int chain_above_var(const Ddp *d, DdpVar v)
{
    int n = 0;
    while ((v = VAR(d, v).up))
        n++;
    return n;
}

/* May r compute its variable at this position, as far as its level is concerned? */
static bool level_edge(const Ddp *d, DdpRel r, uint32_t position, int above)
{
    DdpVar v = relation_vars(d, r)[position];
    if (!v || VAR(d, v).kind != DDP_UNKNOWN || chain_above_var(d, v) != above)
        return false;
    if (REL(d, r).kind == DDP_DERIVATIVE)
        return position != 1;
    return form_info(d->forms, REL(d, r).form)->position[position].steers;
}

/* ---- groups ---- */

static uint32_t new_group(Ddp *d)
{
    if (d->unused_groups.n)
        return vec_pop(&d->unused_groups);
    if (!d->groups.n)
        vec_push(d->mem, &d->groups, (Group){0});
    vec_push(d->mem, &d->groups, (Group){0});
    return d->groups.n - 1;
}

static void join(Ddp *d, uint32_t g, DdpRel r)
{
    uint32_t old = REL(d, r).group;
    if (old == g)
        return;
    if (!old) {
        REL(d, r).group = g;
        REL(d, r).out = requests_out(d, r);
        vec_push(d->mem, &d->groups.at[g].rels, r);
        return;
    }
    Group *from = &d->groups.at[old], *to = &d->groups.at[g];
    for (uint32_t i = 0; i < from->rels.n; i++) {
        REL(d, from->rels.at[i]).group = g;
        vec_push(d->mem, &to->rels, from->rels.at[i]);
    }
    for (uint32_t i = 0; i < from->vars.n; i++)
        vec_push(d->mem, &to->vars, from->vars.at[i]);
    vec_clear(&from->rels);
    vec_clear(&from->vars);
    vec_push(d->mem, &d->unused_groups, old);
}

static void exchange(Ddp *d, uint32_t g, DdpVar v, DdpRel by)
{
    if (!VAR(d, v).exchanged)
        vec_push(d->mem, &d->groups.at[g].vars, v);
    VAR(d, v).exchanged = true;
    VAR(d, v).by = by;
    if (by)
        REL(d, by).out = v;
}

static void give_up(Ddp *d, uint32_t g)
{
    Group *group = &d->groups.at[g];
    for (uint32_t i = 0; i < group->rels.n; i++) {
        DdpRel r = group->rels.at[i];
        if (REL(d, r).loan)
            state_select_touch(d, r);
        REL(d, r).group = 0;
        REL(d, r).out = 0;
        REL(d, r).loan = 0;
        schedule_again(d, r);
    }
    for (uint32_t i = 0; i < group->vars.n; i++) {
        DdpVar v = group->vars.at[i];
        VAR(d, v).exchanged = false;
        VAR(d, v).by = 0;
        schedule_settle(d, v, true, false);
    }
    vec_clear(&group->rels);
    vec_clear(&group->vars);
    vec_push(d->mem, &d->unused_groups, g);
}

void levels_touch(Ddp *d, DdpRel r)
{
    if (!d->groups.n)
        return;
    for (DdpRel q = REL(d, r).origin; q; q = REL(d, q).up)
        if (REL(d, q).group)
            give_up(d, REL(d, q).group);
}

/* ---- the exchange ---- */

/* Which exchanges are allowed. */
typedef struct Terms {
    bool anything; /* at the price of preferred states, and against the advice of the numerics */
    DdpRel lender; /* 0: whoever should go first */
    List *lenders; /* not NULL: nothing is exchanged, all that could lend are named */
} Terms;

/* Does what `wanted` is wanted for count more than the state of the integrator r? The advice of the
 * numerics comes first; of what the modeller prefers, what he declared first. */
static bool counts_more(const Ddp *d, DdpRel wanted, DdpRel r)
{
    int a = REL(d, wanted).wish, b = REL(d, r).wish;
    if (a > 0 || b != 0)
        return b < 0;
    int more = REL(d, wanted).select - REL(d, r).select;
    return REL(d, r).select <= 0 || more > 0 ||
           (more == 0 &&
            VAR(d, relation_vars(d, wanted)[1]).rank < VAR(d, relation_vars(d, r)[1]).rank);
}

/* A state on this level that may go: that of an integrator which lends to nobody. */
static bool may_go(const Ddp *d, DdpRel wanted, DdpVar v, const Terms *terms)
{
    DdpRel r = VAR(d, v).match;
    return !VAR(d, v).order && r && relation_is_integrator(d, r) && !REL(d, r).loan &&
           !schedule_provider(d, v) && (!terms->lender || terms->lender == r) &&
           (terms->anything || counts_more(d, wanted, r));
}

static bool may_compute(const Ddp *d, DdpRel r, uint32_t position, int above, const Terms *terms)
{
    DdpVar v = relation_vars(d, r)[position];
    return v && v != schedule_out(d, r) && level_edge(d, r, position, above) &&
           (terms->anything || !relation_banned(d, r, v));
}

/* Is there no need to look for one that should rather go? */
static bool goes_at_once(const Ddp *d, DdpVar v, const Terms *terms)
{
    DdpRel r = VAR(d, v).match;
    return terms->anything || terms->lender || !REL(d, r).prefer || REL(d, r).wish < 0;
}

/* Of those that are preferred the one that is wanted least goes, then the last declared. */
static bool goes_first(const Ddp *d, DdpVar v, DdpVar found)
{
    int less = found ? REL(d, VAR(d, found).match).select - REL(d, VAR(d, v).match).select : 1;
    return less ? less > 0 : VAR(d, v).rank > VAR(d, found).rank;
}

/* From the relation that computes the wanted variable to a state that may go; 0: there is no way.
 */
static DdpVar find_way(Ddp *d, DdpRel wanted, DdpRel from, int above, const Terms *terms)
{
    List *queue = &d->scratch;
    DdpVar found = 0;
    vec_clear(queue);
    d->search++;
    vec_push(d->mem, queue, from);
    for (uint32_t i = 0; i < queue->n; i++) {
        DdpRel r = queue->at[i];
        d->visited++;
        if (REL(d, REL(d, r).origin).kind == DDP_TRANSMISSION || chain_above_rel(d, r) != above)
            continue;
        for (uint32_t k = 0; k < REL(d, r).n; k++) {
            DdpVar v = relation_vars(d, r)[k];
            if (!v || d->stamp.at[v] == d->search || !may_compute(d, r, k, above, terms))
                continue;
            d->stamp.at[v] = d->search;
            d->parent.at[v] = r;
            DdpRel owner = schedule_provider(d, v);
            if (owner)
                vec_push(d->mem, queue, owner);
            else if (!may_go(d, wanted, v, terms))
                continue;
            else if (terms->lenders)
                vec_push(d->mem, terms->lenders, VAR(d, v).match);
            else if (goes_at_once(d, v, terms))
                return v;
            else if (goes_first(d, v, found))
                found = v;
        }
    }
    return found;
}

static void take_over(Ddp *d, DdpRel wanted, DdpRel from, DdpVar state)
{
    uint32_t g = new_group(d);
    DdpRel lender = VAR(d, state).match;
    DdpVar b = relation_vars(d, wanted)[1];
    join(d, g, wanted);
    join(d, g, lender);
    state_select_touch(d, wanted);
    state_select_touch(d, lender);
    REL(d, lender).loan = wanted;
    REL(d, wanted).loan = lender;
    for (DdpVar v = state;;) {
        DdpRel r = d->parent.at[v];
        DdpVar before = schedule_out(d, r);
        join(d, g, r);
        schedule_again(d, r);
        exchange(d, g, v, r);
        if (r == from)
            break;
        v = before;
    }
    exchange(d, g, b, 0);
    schedule_again(d, wanted);
    schedule_settle(d, b, true, false);
}

/* A variable that is a state by default, but lent, is not borrowed by way of another derivative
 * relation of it. */
bool levels_may_borrow(const Ddp *d, DdpRel wanted)
{
    DdpVar b = relation_vars(d, wanted)[1];
    return REL(d, wanted).match && !relation_is_integrator(d, wanted) && !REL(d, wanted).loan &&
           VAR(d, b).kind == DDP_UNKNOWN && VAR(d, b).match &&
           !relation_is_integrator(d, VAR(d, b).match) && schedule_provider(d, b) && VAR(d, b).up;
}

static bool try_wanted(Ddp *d, DdpRel wanted, const Terms *terms)
{
    if (!levels_may_borrow(d, wanted))
        return false;
    DdpVar b = relation_vars(d, wanted)[1];
    DdpRel from = schedule_provider(d, b);
    int above = chain_above_var(d, b);
    DdpVar state = find_way(d, wanted, from, above, terms);
    if (state)
        take_over(d, wanted, from, state);
    return state != 0;
}

bool levels_exchange(Ddp *d, DdpRel wanted, DdpRel lender, bool anything)
{
    return try_wanted(d, wanted, &(Terms){.anything = anything, .lender = lender});
}

void levels_lenders(Ddp *d, DdpRel wanted, bool anything, List *lenders)
{
    try_wanted(d, wanted, &(Terms){.anything = anything, .lenders = lenders});
}

/* A transmission that reads a state may come to depend on itself when the state is exchanged, at
 * once or by a relation that enters later. Then the cycle goes through a relation that computes
 * something else than by default: its group is put back. */
bool levels_retract(Ddp *d, DdpNode n)
{
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
        if (REL(d, r).group) {
            give_up(d, REL(d, r).group); /* the node falls apart */
            return true;
        }
    return false;
}

bool levels_may(const Ddp *d, DdpRel r, uint32_t position, bool anything)
{
    return REL(d, REL(d, r).origin).kind != DDP_TRANSMISSION &&
           may_compute(d, r, position, chain_above_rel(d, r), &(Terms){.anything = anything});
}

/* Should its variable be a state, and is not? */
static bool is_wanted(const Ddp *d, DdpRel r)
{
    return REL(d, r).used && REL(d, r).kind == DDP_DERIVATIVE && REL(d, r).match &&
           (REL(d, r).wish > 0 || (REL(d, r).wish == 0 && REL(d, r).prefer)) &&
           !state_select_has(d, r);
}

/* Into the order in which they count: first what the numerics want, then by declaration. */
static void sort_wanted(const Ddp *d, List *wanted)
{
    for (uint32_t i = 1; i < wanted->n; i++) {
        DdpRel r = wanted->at[i];
        uint32_t k = i, rank = VAR(d, relation_vars(d, r)[1]).rank;
        for (; k > 0; k--) {
            DdpRel q = wanted->at[k - 1];
            bool always = REL(d, r).select == 2, before = REL(d, q).select == 2;
            bool behind = REL(d, q).wish != REL(d, r).wish ? REL(d, q).wish < REL(d, r).wish
                          : always != before               ? always
                                             : VAR(d, relation_vars(d, q)[1]).rank > rank;
            if (!behind)
                break;
            wanted->at[k] = q;
        }
        wanted->at[k] = r;
    }
}

/* Exchanges that new advice speaks against begin again at the default choice. */
static void take_advice(Ddp *d)
{
    for (uint32_t i = 0; i < d->wished.n; i++) {
        DdpRel r = d->wished.at[i];
        if (!REL(d, r).used || REL(d, r).kind != DDP_DERIVATIVE)
            continue;
        if (REL(d, r).loan)
            give_up(d, REL(d, r).group);
        schedule_again(d, r);
    }
    vec_clear(&d->wished);
}

/* Tries every derivative relation whose variable is wanted as a state and which came into this
 * commit's hands. */
void levels_prefer(Ddp *d)
{
    List wanted = {0};
    take_advice(d);
    for (uint32_t i = 0; i < d->moved.n; i++)
        if (is_wanted(d, d->moved.at[i]))
            vec_push(d->mem, &wanted, d->moved.at[i]);
    sort_wanted(d, &wanted);
    for (uint32_t i = 0; i < wanted.n; i++)
        if (is_wanted(d, wanted.at[i]))
            try_wanted(d, wanted.at[i], &(Terms){0});
    vec_free(d->mem, &wanted);
}
