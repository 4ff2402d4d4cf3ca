/* untangle.c: transmissions that depend on themselves -> other states, with which they do not.
 *
 * Requires: the schedule is complete. Maintains its invariants, and those of levels.c.
 *
 * h << f(x) and a relation that reads h, or whose branch h decides, make a cycle if x comes from
 * that relation. With x for a state they do not: which variables depend on which is decided by the
 * choice of states. Once the states are chosen, the strong components are the same for each
 * matching, so only an exchange of states can help, and only one that takes a relation of the cycle
 * to another variable or a variable of it to the states. All choices are reached by exchanges of a
 * state for another variable of its level, one at a time, none of them back (bases of a matroid).
 *
 * First the exchanges that were made for the sake of preferences are undone where they lead through
 * the cycle. If it stays, other exchanges are tried near to it: single ones, then two and three in
 * a row. The first that leaves no false node is kept, or else the first that leaves fewer; if there
 * is none, all is as it was before. A number of trials is the limit, so that a system which is
 * really wrong is told so in time.
 */
#include "ddp/ddp_int.h"

enum { DEEPEST = 3, MOST_TRIALS = 400, NEAR = 300 };

typedef struct Untangle {
    Ddp *d;
    uint32_t goal; /* fewer false nodes than these are wanted */
    uint32_t trials;
    bool anything; /* preferred states and what is advised against, too */
} Untangle;

/* The last false node; 0: there is none. */
static DdpNode false_node(Ddp *d)
{
    while (d->false_nodes.n) {
        DdpNode n = vec_last(&d->false_nodes);
        if (NODE(d, n).used && NODE(d, n).false_causal)
            return n;
        d->false_nodes.n--;
    }
    return 0;
}

/* ---- what may help ---- */

static void add_var(Ddp *d, List *vars, DdpVar v)
{
    if (!v || d->stamp.at[v] == d->search)
        return;
    d->stamp.at[v] = d->search;
    vec_push(d->mem, vars, v);
}

/* Relations that could be made to compute v pass the exchange on to what they compute now. */
static void add_readers(Ddp *d, List *vars, DdpVar v)
{
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel q = d->occ_rel.at[o];
        uint32_t position = o - REL(d, q).occ;
        d->visited++;
        if (vars->n < NEAR && position < REL(d, q).n && REL(d, q).node &&
            levels_near(d, q, position))
            add_var(d, vars, schedule_out(d, q));
    }
}

static void add_derivatives_of(Ddp *d, List *wanted, DdpVar v)
{
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        if (REL(d, r).kind != DDP_DERIVATIVE)
            break; /* derivative relations come first in the list */
        if (relation_vars(d, r)[1] == v && REL(d, r).match && !relation_is_integrator(d, r))
            vec_push(d->mem, wanted, r);
    }
}

/* Derivative relations the argument of which could become a state by way of node n. */
static void find_wanted(Ddp *d, DdpNode n, List *wanted)
{
    List vars = {0};
    d->search++;
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
        add_var(d, &vars, schedule_out(d, r));
    for (uint32_t i = 0; i < vars.n; i++) {
        add_derivatives_of(d, wanted, vars.at[i]);
        add_readers(d, &vars, vars.at[i]);
    }
    vec_free(d->mem, &vars);
}

/* ---- trials ---- */

static bool search(Untangle *u, uint32_t depth);

/* True: it helped, by itself or with others upon it. Otherwise it is undone. */
static bool try_exchange(Untangle *u, DdpRel wanted, DdpRel lender, uint32_t depth)
{
    Ddp *d = u->d;
    u->trials++;
    if (!levels_exchange(d, wanted, lender, u->anything))
        return false;
    schedule_update(d);
    if (d->n_false < u->goal || (depth > 1 && search(u, depth - 1)))
        return true;
    levels_undo(d, wanted);
    schedule_update(d);
    return false;
}

/* Exchanges by way of the newest false node, at most `depth` one upon the other. */
static bool search(Untangle *u, uint32_t depth)
{
    List wanted = {0}, lenders = {0};
    bool found = false;
    find_wanted(u->d, false_node(u->d), &wanted);
    for (uint32_t i = 0; i < wanted.n && !found; i++) {
        vec_clear(&lenders);
        levels_lenders(u->d, wanted.at[i], u->anything, &lenders);
        for (uint32_t k = 0; k < lenders.n && !found && u->trials < MOST_TRIALS; k++)
            found = try_exchange(u, wanted.at[i], lenders.at[k], depth);
    }
    vec_free(u->d->mem, &wanted);
    vec_free(u->d->mem, &lenders);
    return found;
}

/* Fewer false nodes than `goal`; false: no exchange does that. */
static bool reach(Ddp *d, uint32_t goal)
{
    Untangle u = {.d = d, .goal = goal};
    for (int anything = 0; anything < 2; anything++)
        for (uint32_t depth = 1; depth <= DEEPEST; depth++) {
            u.anything = anything;
            if (search(&u, depth))
                return true;
        }
    return false;
}

/* Best is an exchange that leaves no false node: one that leaves fewer may lend the very place that
 * another exchange would need. */
static bool untangle_one(Ddp *d)
{
    return (d->n_false > 1 && reach(d, 1)) || reach(d, d->n_false);
}

/* ---- exchanges that did it ---- */

static bool retract(Ddp *d)
{
    bool any = false;
    for (uint32_t i = 0; i < d->false_nodes.n; i++) {
        DdpNode n = d->false_nodes.at[i];
        any |= NODE(d, n).used && NODE(d, n).false_causal && levels_retract(d, n);
    }
    return any;
}

/* Only what is falsely causal stays in the list, once. */
static void tidy(Ddp *d)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->false_nodes.n; i++) {
        Node *node = &NODE(d, d->false_nodes.at[i]);
        if (!node->used || !node->false_causal || node->reached)
            continue;
        node->reached = true;
        d->false_nodes.at[kept++] = d->false_nodes.at[i];
    }
    d->false_nodes.n = kept;
    for (uint32_t i = 0; i < kept; i++)
        NODE(d, d->false_nodes.at[i]).reached = false;
}

/* Exchanges of earlier commits cannot be taken back one by one: where nothing helps beside them,
 * all is begun anew without them, once. */
static void untangle_all(Ddp *d)
{
    bool anew = false;
    while (d->n_false) {
        if (untangle_one(d))
            continue;
        if (anew || !levels_retract_all(d))
            return;
        anew = true;
        schedule_update(d);
    }
}

void untangle(Ddp *d)
{
    if (!d->n_false && !d->false_nodes.n)
        return;
    while (d->n_false && retract(d))
        schedule_update(d);
    if (!d->free_rels.n && !d->runaway)
        untangle_all(d);
    tidy(d);
}
