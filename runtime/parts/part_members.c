/* part_members.c: a node or a state comes into a part or leaves it -> the lists of the part.
 *
 * Nodes that are loops, that compare, or that determine conditions stand in lists of their part. */
#include "runtime/parts/part_graph_int.h"

#include "runtime/eval/tape.h"

#include <string.h>

/* ---- lists of a part ---- */

/* Each list knows its nodes and each node its place in it, so that leaving is cheap. */
static void enlist(Sim *sim, NodeList *list, DdpNode n, uint32_t *place)
{
    if (*place)
        return;
    vec_push(sim->mem, list, n);
    *place = list->n;
}

enum { LIST_WATCHED, LIST_TIMERS, LIST_ROOTS, LIST_INNER, LISTS };

static uint32_t *place_of(EvalNode *node, int which)
{
    uint32_t *places[] = {&node->in.watch, &node->in.timer, &node->in.root};
    return which == LIST_INNER ? &node_loop(node)->inner : places[which];
}

static NodeList *list_of(Part *part, int which)
{
    NodeList *lists[] = {&part->lists.watched, &part->lists.timers, &part->lists.roots,
                         &part->lists.loops};
    return lists[which];
}

static void delist(Sim *sim, Part *part, DdpNode n, int which)
{
    if (which == LIST_INNER && !sim->nodes.at[n].loop)
        return;
    uint32_t *place = place_of(&sim->nodes.at[n], which);
    NodeList *list = list_of(part, which);
    if (!*place)
        return;
    DdpNode last = vec_pop(list);
    if (last != n) {
        list->at[*place - 1] = last;
        *place_of(&sim->nodes.at[last], which) = *place;
    }
    if (which == LIST_ROOTS)
        part->lists.notes.at[*place - 1] = vec_pop(&part->lists.notes);
    if (which == LIST_WATCHED)
        part->lists.watch_notes.at[*place - 1] = vec_pop(&part->lists.watch_notes);
    *place = 0;
}

static void enlist_root(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->in.root)
        return;
    enlist(sim, &part->lists.roots, n, &node->in.root);
    bool single = node->n_steps + node->n_tears == 1;
    vec_push(sim->mem, &part->lists.notes, ((RootNote){single ? node_output(node, 0) : 0, -1}));
}

static WatchNote watch_note(const EvalNode *node)
{
    const Compare *compare = node->compare;
    if (node->n_compares != 1 || !compare->first || compare->slot || compare->timed)
        return (WatchNote){0};
    const uint32_t *vars = node->ops[compare->op].vars;
    return (WatchNote){vars[compare->first - 1], compare->second ? vars[compare->second - 1] : 0,
                       compare->constant};
}

static void enlist_watched(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->in.watch)
        vec_push(sim->mem, &part->lists.watch_notes, watch_note(node));
    enlist(sim, &part->lists.watched, n, &node->in.watch);
}

static bool is_root(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (sim->info[node_output(node, i)].branches)
            return true;
    return false;
}

static bool has_compare(const EvalNode *node, bool timed)
{
    for (uint32_t k = 0; k < node->n_compares; k++)
        if (node->compare[k].timed == timed)
            return true;
    return false;
}

static void enlist_all(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (has_compare(node, false)) {
        enlist_watched(sim, part, n);
        tape_compares_come(part, n);
    }
    if (has_compare(node, true))
        enlist(sim, &part->lists.timers, n, &node->in.timer);
    if (is_root(sim, node))
        enlist_root(sim, part, n);
    if (node->loop)
        enlist(sim, &part->lists.loops, n, &node_loop(node)->inner);
}

void part_graph_root(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->part)
        return;
    if (is_root(sim, node))
        enlist_root(sim, node->part, n);
    else
        delist(sim, node->part, n, LIST_ROOTS);
}

/* ---- states of a part, ascending ---- */

static uint32_t state_place(const Part *part, DdpVar var)
{
    uint32_t low = 0, high = part->states.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (part->states.at[middle].var < var)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void part_add_state(Part *part, PartState state)
{
    part_disturb(part);
    uint32_t i = state_place(part, state.var);
    vec_push(part->sim->mem, &part->states, state);
    memmove(part->states.at + i + 1, part->states.at + i,
            (part->states.n - 1 - i) * sizeof *part->states.at);
    part->states.at[i] = state;
    part->states_version++;
    part->sim->info[state.var].part = part;
    part->restructured = true;
}

PartState part_drop_state(Part *part, DdpVar var)
{
    part_disturb(part);
    uint32_t i = state_place(part, var);
    PartState state = part->states.at[i];
    memmove(part->states.at + i, part->states.at + i + 1,
            (--part->states.n - i) * sizeof *part->states.at);
    part->sim->info[var].part = NULL;
    part->states_version++;
    part->restructured = true;
    return state;
}

/* ---- nodes of a part ---- */

/* While its lists still fit its integrator. */
static void touch(Part *part, NodePlace place)
{
    part_search_again(part);
    if (place == PLACE_DYNAMICS) {
        part_disturb(part);
        part->restructured = true;
    }
}

void part_add_node(Part *part, DdpNode n)
{
    Sim *sim = part->sim;
    EvalNode *node = &sim->nodes.at[n];
    sim->work++;
    touch(part, node->place);
    part->stops.known = false;
    node->part = part;
    enlist_all(sim, part, n);
    node_order_add(sim, &part->orders[node->place - 1], n);
}

void part_drop_node(Part *part, DdpNode n)
{
    Sim *sim = part->sim;
    EvalNode *node = &sim->nodes.at[n];
    touch(part, node->place);
    tape_compares_leave(part, node);
    for (int which = 0; which < LISTS; which++)
        delist(sim, part, n, which);
    node_order_remove(sim, n);
    node->part = NULL;
}

/* ---- invariants ---- */

#ifdef SOLSTICE_VERIFY
static void verify_watch_note(const EvalNode *node, const WatchNote *known)
{
    WatchNote note = watch_note(node);
    part_must(note.left == known->left && note.right == known->right &&
                  note.constant == known->constant,
              "N4", 0, "a part looks at another comparison than that of its node");
}

void part_verify_lists(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    bool wanted[LISTS] = {has_compare(node, false), has_compare(node, true), is_root(sim, node),
                          node->loop};
    for (int which = 0; which < LISTS; which++) {
        if (which == LIST_INNER && !node->loop)
            continue;
        uint32_t place = *place_of(node, which);
        const NodeList *list = list_of(node->part, which);
        part_must(!!place == wanted[which], "N4", n, "a node is missing in a list of its part");
        part_must(!place || (place <= list->n && list->at[place - 1] == n), "N4", n,
                  "a list does not have the node that is said to be in it");
        if (which == LIST_WATCHED && place)
            verify_watch_note(node, &node->part->lists.watch_notes.at[place - 1]);
    }
}
#endif
