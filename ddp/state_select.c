/* state_select.c: derivative relations -> integrators and differentiators (thesis 10.4, 10.5).
 *
 * A derivative relation a = der(b) that is matched with b integrates: b is a state. Matched with a it
 * differentiates: somebody else determines b, and b' is requested from him.
 *
 * How many states there are is no matter of taste. Give the edge to b the weight 1 and every other edge 0: then
 * the weight of a perfect matching is its number of integrators, and the degrees of freedom of the system
 * are the largest weight any perfect matching has (Pryce, A simple structural analysis method for DAEs,
 * BIT 41, 2001: the highest value transversal). A matching is heaviest when no alternating cycle
 * improves it.
 *
 * Such a cycle shows itself. Follow the requests: r', requested by the derivative of the relation that
 * reads r's variable, and so on. If r's request comes back to r with a higher order, orders would grow
 * without end; this is exactly an improving cycle (the orders are Pryce's dual offsets, and a cycle of
 * positive weight is what makes them unbounded). Turning it makes one more integrator. So the search for
 * states costs nothing as long as requests stay finite, and the thesis' open question whether state
 * selection ends (10.6) has an answer: each turn raises the weight by at least one.
 */
#include "ddp/ddp_int.h"

/* ---- the list of states, and what changed in it ---- */

/* Does r stand for a state (ddp_state)? Integrators do that lend its place to nobody, and who
 * borrowed one. */
bool state_select_has(const Ddp *d, DdpRel r)
{
    return (REL(d, r).state_at != 0) != (REL(d, r).loan != 0);
}

/* Only what state_select_note and the loans of levels.c do can change which relations have a state,
 * and a derivative relation keeps its two variables for life. So it is enough to remember, before
 * the first such change to a relation in a commit, whether it had one. The number of a relation
 * that leaves may be used again in the same commit, but by a differentiated relation, which never
 * has a state. */
void state_select_touch(Ddp *d, DdpRel r)
{
    if (REL(d, r).noted)
        return;
    REL(d, r).noted = true;
    const DdpVar *vars = relation_vars(d, r);
    vec_push(d->mem, &d->noted, ((DdpStateDelta){vars[1], vars[0], r, !state_select_has(d, r)}));
}

static void name_states(Ddp *d, bool born)
{
    for (uint32_t i = 0; i < d->noted.n; i++)
        if (d->noted.at[i].born == born && state_select_has(d, d->noted.at[i].rel) == born)
            vec_push(d->mem, &d->state_delta, d->noted.at[i]);
}

void state_select_delta(Ddp *d)
{
    name_states(d, false);
    name_states(d, true);
    for (uint32_t i = 0; i < d->noted.n; i++)
        REL(d, d->noted.at[i].rel).noted = false;
    vec_clear(&d->noted);
}

void state_select_note(Ddp *d, DdpRel r)
{
    bool is = relation_is_integrator(d, r);
    uint32_t at = REL(d, r).state_at;
    if (is != (at != 0))
        state_select_touch(d, r);
    if (is && !at) {
        vec_push(d->mem, &d->states, r);
        REL(d, r).state_at = d->states.n;
    } else if (!is && at) {
        DdpRel last = vec_pop(&d->states);
        if (last != r) {
            d->states.at[at - 1] = last;
            REL(d, last).state_at = at;
        }
        REL(d, r).state_at = 0;
    }
}

/* ---- cycles ---- */

bool state_select_may_take(const Ddp *d, DdpRel q, DdpRel p)
{
    DdpRel r = REL(d, q).origin;
    DdpVar v = REL(d, REL(d, p).origin).match;
    int at = v ? relation_position(d, r, v) : -1;
    return at >= 0 && relation_edge(d, r, (uint32_t)at);
}

/* Does q, as its default goes, read its variable at this position? */
static bool requests_from(const Ddp *d, DdpRel q, uint32_t position)
{
    DdpVar v = relation_vars(d, q)[position];
    if (position >= REL(d, q).n || v == requests_out(d, q))
        return false;
    if (REL(d, q).kind == DDP_DERIVATIVE)
        return position != 1;
    return form_info(d->forms, REL(d, q).form)->position[position].occurs;
}

/* Walks back along requests from the relation `derived`, breadth first, until a derivative of the same
 * relation with a lower order is met. parent[v] is the relation that the request goes to through which v
 * was reached. `turnable`: only along requests where the requesting relation could take the variable. */
static DdpRel find_return(Ddp *d, DdpRel derived, bool turnable)
{
    List *queue = &d->scratch;
    vec_clear(queue);
    d->search++;
    DdpVar start = REL(d, derived).match;
    d->stamp.at[start] = d->search;
    d->parent.at[start] = 0;
    vec_push(d->mem, queue, start);
    for (uint32_t i = 0; i < queue->n; i++) {
        DdpVar v = queue->at[i];
        for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
            DdpRel q = d->occ_rel.at[o];
            DdpVar out = requests_out(d, q);
            d->visited++;
            if (q == VAR(d, v).match || !out || d->stamp.at[out] == d->search ||
                !requests_from(d, q, o - REL(d, q).occ))
                continue;
            if (!REL(d, q).order && REL(d, q).kind != DDP_DERIVATIVE)
                continue;
            if (turnable && !state_select_may_take(d, q, VAR(d, v).match))
                continue;
            d->stamp.at[out] = d->search;
            d->parent.at[out] = VAR(d, v).match; /* the request of q goes to v's relation */
            if (REL(d, q).origin == REL(d, derived).origin &&
                REL(d, q).order < REL(d, derived).order)
                return q;
            vec_push(d->mem, queue, out);
        }
    }
    return 0;
}

/* Cuts closed side trips out of the walk until a simple cycle of base relations is left that gains order.
 * walk: derived relations, each requesting from the next; returns the first index of the cycle in `stack`. */
static uint32_t simple_cycle(Ddp *d, const List *walk, List *stack)
{
    vec_clear(stack);
    for (uint32_t i = 0; i < walk->n; i++) {
        DdpRel q = walk->at[i];
        for (uint32_t k = 0; k < stack->n; k++) {
            DdpRel before = stack->at[k];
            if (REL(d, before).origin != REL(d, q).origin)
                continue;
            if (REL(d, q).order > REL(d, before).order)
                return k;
            stack->n = k;
            break;
        }
        vec_push(d->mem, stack, q);
    }
    return UINT32_MAX;
}

/* The walk from `first` to `derived`, each requesting from the next, cut down to a simple cycle: its relations
 * entered by the user, in d->scratch3. */
static const List *cycle_of(Ddp *d, DdpRel first, DdpRel derived)
{
    List *walk = &d->scratch2, *cycle = &d->scratch3;
    vec_clear(walk);
    for (DdpRel q = first;;) {
        vec_push(d->mem, walk, q);
        if (q == derived)
            break;
        q = d->parent.at[requests_out(d, q)];
    }
    uint32_t from = simple_cycle(d, walk, cycle);
    if (from == UINT32_MAX)
        from = cycle->n;
    for (uint32_t i = from; i < cycle->n; i++)
        cycle->at[i - from] = REL(d, cycle->at[i]).origin;
    cycle->n -= from;
    return cycle;
}

static void turn_cycle(Ddp *d, const List *cycle)
{
    offsets_forget(d);
    List *taken = &d->scratch;
    vec_clear(taken);
    for (uint32_t i = 0; i < cycle->n; i++)
        vec_push(d->mem, taken, REL(d, cycle->at[(i + 1) % cycle->n]).match);
    for (uint32_t i = 0; i < cycle->n; i++) {
        causalize_release(d, cycle->at[i]);
        requests_drop_chain(d, cycle->at[i]); /* their high orders would pass for requests */
    }
    for (uint32_t i = 0; i < cycle->n; i++)
        causalize_assign(d, cycle->at[i], taken->at[i]);
}

bool state_select_turn(Ddp *d, DdpRel derived)
{
    bool honest = offsets_honest(d, REL(d, derived).origin);
#ifdef SOLSTICE_VERIFY
    uint64_t visited = d->visited;
    verify_honest(honest && find_return(d, derived, true), derived);
    d->visited = visited;
#endif
    DdpRel first = honest ? 0 : find_return(d, derived, true);
    if (first) {
        turn_cycle(d, cycle_of(d, first, derived));
        d->turned++;
        return true;
    }
    if (REL(d, derived).order < HOPELESS_ORDER)
        return true; /* an improving cycle may still show itself */
    first = find_return(d, derived, false);
    const List *cycle = first ? cycle_of(d, first, derived) : NULL;
    if (!cycle || !cycle->n)
        return true; /* the order is honest */
    vec_clear(&d->diagnosis[4]);
    for (uint32_t i = 0; i < cycle->n; i++)
        vec_push(d->mem, &d->diagnosis[4], cycle->at[i]);
    return false;
}

/* ---- integrators that return ---- */

/* An integrator that had to become a differentiator returns when nobody determines its variable any more,
 * before the variable is given away. Without this, the search of residual.c would find ways that only
 * the cycles above could mend. */
static void return_at_once(Ddp *d)
{
    for (uint32_t i = 0; i < d->free_vars.n; i++) {
        DdpVar v = d->free_vars.at[i];
        for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
            DdpRel r = d->occ_rel.at[o];
            if (REL(d, r).kind != DDP_DERIVATIVE)
                break; /* derivative relations come first in the list */
            if (relation_vars(d, r)[1] != v || !REL(d, r).match || relation_banned(d, r, v))
                continue;
            d->visited++;
            causalize_release(d, r);   /* appends what r determined to free_vars */
            causalize_assign(d, r, v); /* and takes v out, moving another one to place i */
            i--;
            break;
        }
    }
}

/* May the relation of occurrence o take its variable and leave its own to others, at no loss of a state? */
static bool may_change(const Ddp *d, uint32_t o)
{
    DdpRel r = d->occ_rel.at[o];
    uint32_t position = o - REL(d, r).occ;
    return REL(d, r).match && !REL(d, r).order && position < REL(d, r).n &&
           relation_edge(d, r, position) && !relation_is_integrator(d, r) &&
           !relation_banned(d, r, d->occ_var.at[o]);
}

enum { NEAR = 200 }; /* relations looked at around one hole */

/* The variable that a differentiator near `hole` gives up for a state, if those between change to the
 * next variable each, up to the hole; or 0. parent[v]: the variable that v's relation takes then. */
static DdpVar find_way_back(Ddp *d, DdpVar hole)
{
    List *queue = &d->scratch;
    uint32_t looked = 0;
    vec_clear(queue);
    d->search++;
    d->stamp.at[hole] = d->search;
    vec_push(d->mem, queue, hole);
    for (uint32_t i = 0; i < queue->n; i++)
        for (uint32_t o = VAR(d, queue->at[i]).occs; o; o = d->occ_next.at[o]) {
            DdpRel r = d->occ_rel.at[o];
            DdpVar v = REL(d, r).match;
            d->visited++;
            if (++looked > NEAR)
                return 0;
            if (!may_change(d, o) || d->stamp.at[v] == d->search)
                continue;
            d->stamp.at[v] = d->search;
            d->parent.at[v] = queue->at[i];
            if (REL(d, r).kind == DDP_DERIVATIVE)
                return v;
            vec_push(d->mem, queue, v);
        }
    return 0;
}

/* The hole moves to `last`. */
static void move_hole(Ddp *d, DdpVar hole, DdpVar last)
{
    List *path = &d->scratch; /* relations, and what they take */
    vec_clear(path);
    for (DdpVar v = last; v != hole; v = d->parent.at[v]) {
        vec_push(d->mem, path, VAR(d, v).match);
        vec_push(d->mem, path, d->parent.at[v]);
    }
    for (uint32_t i = 0; i < path->n; i += 2)
        causalize_release(d, path->at[i]);
    for (uint32_t i = 0; i < path->n; i += 2)
        causalize_assign(d, path->at[i], path->at[i + 1]);
}

/* What was removed may have fixed a state by way of others: a diode that blocks fixes the current of a coil
 * by way of the currents between. Along such a way the state returns as above, one state more for one
 * hole. Only a short way is looked for: a long one is found as a cycle, at the price of derivatives
 * that are made and dropped again. */
static void return_along(Ddp *d, DdpVar hole)
{
    DdpVar last = VAR(d, hole).free_at && d->n_ders > d->states.n ? find_way_back(d, hole) : 0;
    if (last)
        move_hole(d, hole, last);
}

void state_select_restore(Ddp *d)
{
    return_at_once(d);
    for (uint32_t i = 0; i < d->holes.n; i++)
        return_along(d, d->holes.at[i]);
    vec_clear(&d->holes);
}

static void put_back(Ddp *d, const List *changed)
{
    for (uint32_t i = 0; i < changed->n; i += 2)
        causalize_release(d, changed->at[i]);
    for (uint32_t i = 0; i < changed->n; i += 2)
        causalize_assign(d, changed->at[i], changed->at[i + 1]);
}

/* Makes the differentiator r an integrator; whoever determined its variable looks for another one, at the
 * expense of at most one state that is not preferred. Otherwise everything stays as it was. */
static void try_preferred(Ddp *d, DdpRel r, List *changed)
{
    DdpVar a = REL(d, r).match, b = relation_vars(d, r)[1];
    DdpRel owner = VAR(d, b).match;
    uint32_t states = d->states.n;
    if (!relation_edge(d, r, 1) || !owner || REL(d, owner).kind == DDP_TRANSMISSION ||
        (relation_is_integrator(d, owner) && REL(d, owner).prefer))
        return;
    vec_clear(changed);
    uint32_t before[] = {r, a, owner, b};
    for (uint32_t i = 0; i < 4; i++)
        vec_push(d->mem, changed, before[i]);
    causalize_release(d, r);
    causalize_release(d, owner);
    causalize_assign(d, r, b);
    if (!residual_reroute(d, owner, changed) || d->states.n < states)
        put_back(d, changed);
}

void state_select_preferred(Ddp *d)
{
    List candidates = {0}, changed = {0};
    for (uint32_t i = 0; i < d->asked.n; i++) {
        DdpRel r = d->asked.at[i];
        if (REL(d, r).used && REL(d, r).prefer && REL(d, r).match && !relation_is_integrator(d, r))
            vec_push(d->mem, &candidates, r);
    }
    for (uint32_t i = 0; i < candidates.n; i++)
        if (REL(d, candidates.at[i]).match && !relation_is_integrator(d, candidates.at[i]))
            try_preferred(d, candidates.at[i], &changed);
    vec_free(d->mem, &candidates);
    vec_free(d->mem, &changed);
}
