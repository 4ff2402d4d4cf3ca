/* untangle.c: transmissions that depend on themselves -> other states, with which they do not.
 *
 * Requires: the schedule is complete. Maintains its invariants, and those of levels.c.
 *
 * h << f(x) and a relation that reads h, or whose branch h decides, make a cycle if x comes from
 * that relation. With x for a state they do not: which variables depend on which is decided by the
 * choice of states. Once the states are chosen, the strong components are the same for each
 * matching, so only an exchange of states can help.
 *
 * First the exchanges that were made for the sake of preferences are undone where they lead through
 * the cycle. If it stays, the component around it is begun anew: among all its choices of states
 * one without such a cycle is looked for (choice_search.c), first among those that keep what is
 * preferred. If there is none, the system is falsely causal, and the default choice stays.
 */
#include "ddp/choice.h"

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

/* ---- other states ---- */

static void choose(Ddp *d, const List *rels)
{
    bool found = false;
    for (int anything = 0; anything < 2 && !found; anything++) {
        Choice c;
        choice_open(&c, d, rels, anything);
        found = choice_search(&c, !anything);
        if (found)
            choice_apply(&c);
        choice_close(&c);
    }
}

/* The component around node n, without any exchange of earlier commits, and then with other states.
 */
static void untangle_around(Ddp *d, DdpNode n, List *done)
{
    List rels = {0};
    choice_component(d, n, &rels);
    for (uint32_t i = 0; i < rels.n; i++) {
        levels_touch(d, rels.at[i]);
        vec_push(d->mem, done, rels.at[i]);
    }
    schedule_update(d);
    choose(d, &rels);
    schedule_update(d);
    vec_free(d->mem, &rels);
}

/* Each component once. */
static void untangle_all(Ddp *d)
{
    List roots = {0}, done = {0};
    for (uint32_t i = 0; i < d->false_nodes.n; i++) {
        DdpNode n = d->false_nodes.at[i];
        if (NODE(d, n).used && NODE(d, n).false_causal)
            vec_push(d->mem, &roots, NODE(d, n).first);
    }
    for (uint32_t i = 0; i < roots.n; i++)
        if (!REL(d, roots.at[i]).marked)
            untangle_around(d, REL(d, roots.at[i]).node, &done);
    for (uint32_t i = 0; i < done.n; i++)
        REL(d, done.at[i]).marked = false;
    vec_free(d->mem, &roots);
    vec_free(d->mem, &done);
}

void untangle(Ddp *d)
{
    if (!d->n_false && !d->false_nodes.n)
        return;
    while (d->n_false && retract(d))
        schedule_update(d);
    if (d->n_false && !d->free_rels.n && !d->runaway)
        untangle_all(d);
    tidy(d);
}
