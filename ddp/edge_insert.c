/* edge_insert.c: dependences against the order -> the order restored, or a cycle merged (thesis 8.5).
 *
 * Incremental topological ordering after Pearce and Kelly (A dynamic topological sort algorithm for directed
 * acyclic graphs, ACM JEA 11, 2006): when an edge from -> to is entered and `to` stands before `from`, only
 * nodes between the two places can be affected. Search forward from `to` and backward from `from` inside that
 * range; what was found shares its places anew, predecessors first. Differences from the paper: all edges of
 * one node are entered at once, the range reaching down to its earliest reader; and a cycle is no error: what was
 * reached from both sides lies on a cycle and becomes one node, the strong component.
 *
 * Requires S1 (labels ascend along the list) and S2 (every input is computed by an earlier node) but for the edges
 * from -> to; maintains both.
 */
#include "ddp/ddp_int.h"

#include <stdlib.h>

static void push_once(Ddp *d, List *list, DdpNode n, bool forward)
{
    Node *node = &NODE(d, n);
    if (forward ? node->reached : node->reaching)
        return;
    if (forward)
        node->reached = true;
    else
        node->reaching = true;
    vec_push(d->mem, list, n);
}

static void search_forward(Ddp *d, List *found, uint64_t high)
{
    for (uint32_t i = 0; i < found->n; i++)
        for (DdpRel r = NODE(d, found->at[i]).first; r; r = REL(d, r).next) {
            d->visited++;
            DdpVar v = schedule_out(d, r);
            for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
                DdpRel q = d->occ_rel.at[o];
                DdpNode m = REL(d, q).node;
                d->visited++;
                if (m && NODE(d, m).label <= high && schedule_reads(d, q, o - REL(d, q).occ))
                    push_once(d, found, m, true);
            }
        }
}

static void search_backward(Ddp *d, List *found, uint64_t low)
{
    for (uint32_t i = 0; i < found->n; i++)
        for (DdpRel r = NODE(d, found->at[i]).first; r; r = REL(d, r).next) {
            d->visited++;
            uint32_t n = REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u);
            for (uint32_t k = 0; k < n; k++) {
                if (!schedule_reads(d, r, k))
                    continue;
                DdpRel p = schedule_provider(d, relation_vars(d, r)[k]);
                DdpNode m = p ? REL(d, p).node : 0;
                if (m && NODE(d, m).label >= low)
                    push_once(d, found, m, false);
            }
        }
}

typedef struct Keyed {
    uint64_t label;
    DdpNode node;
} Keyed;

static int by_label(const void *a, const void *b)
{
    uint64_t x = ((const Keyed *)a)->label, y = ((const Keyed *)b)->label;
    return x < y ? -1 : x > y;
}

static void sort_by_label(Ddp *d, List *list)
{
    Keyed *keyed = mem_alloc(d->mem, (list->n + 1) * sizeof *keyed);
    for (uint32_t i = 0; i < list->n; i++)
        keyed[i] = (Keyed){NODE(d, list->at[i]).label, list->at[i]};
    qsort(keyed, list->n, sizeof *keyed, by_label);
    for (uint32_t i = 0; i < list->n; i++)
        list->at[i] = keyed[i].node;
    mem_free(d->mem, keyed);
}

/* The members of `gone` join `into`; the number of `gone` is free after the commit. */
static void merge(Ddp *d, DdpNode into, DdpNode gone)
{
    DdpRel last = 0;
    for (DdpRel r = NODE(d, gone).first; r; r = REL(d, r).next) {
        REL(d, r).node = into;
        last = r;
    }
    REL(d, last).next = NODE(d, into).first;
    NODE(d, into).first = NODE(d, gone).first;
    NODE(d, into).count += NODE(d, gone).count;
    NODE(d, gone).first = 0;
    NODE(d, gone).count = 0;
}

/* What was found from both sides: the largest node of it, which keeps its number; 0: there is no cycle. */
static DdpNode largest_on_cycle(const Ddp *d, const List *all)
{
    DdpNode largest = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const Node *node = &NODE(d, all->at[i]);
        if (node->reaching && node->reached && (!largest || node->count > NODE(d, largest).count))
            largest = all->at[i];
    }
    return largest;
}

/* Predecessors of `from` first, then the cycle as one node, then what follows; each in its old order. */
static void share_places(Ddp *d, List *all, DdpNode merged)
{
    List order = {0};
    for (uint32_t i = 0; i < all->n; i++)
        if (NODE(d, all->at[i]).reaching && !NODE(d, all->at[i]).reached)
            vec_push(d->mem, &order, all->at[i]);
    if (merged)
        vec_push(d->mem, &order, merged);
    uint32_t early = order.n;
    for (uint32_t i = 0; i < all->n; i++)
        if (!NODE(d, all->at[i]).reaching)
            vec_push(d->mem, &order, all->at[i]);
    topo_take_slots(d, all, &order, early);
    vec_free(d->mem, &order);
}

/* Cleans the marks; the other nodes of the cycle join `merged`. */
static void merge_cycle(Ddp *d, const List *all, DdpNode merged)
{
    bool grown = false;
    for (uint32_t i = 0; i < all->n; i++) {
        Node *node = &NODE(d, all->at[i]);
        bool joins = node->reached && node->reaching && all->at[i] != merged;
        node->reached = node->reaching = false;
        if (joins) {
            merge(d, merged, all->at[i]);
            schedule_touch(d, all->at[i], DDP_NODE_GONE);
            grown = true;
        }
    }
    if (grown) {
        schedule_touch(d, merged, DDP_NODE_CHANGED);
        NODE(d, merged).dirty = true;
        vec_push(d->mem, &d->placed, merged);
    }
}

void edge_insert(Ddp *d, DdpNode from, const List *to)
{
    List ahead = {0}, behind = {0}, all = {0};
    uint64_t low = UINT64_MAX;
    for (uint32_t i = 0; i < to->n; i++) {
        push_once(d, &ahead, to->at[i], true);
        if (NODE(d, to->at[i]).label < low)
            low = NODE(d, to->at[i]).label;
    }
    search_forward(d, &ahead, NODE(d, from).label);
    push_once(d, &behind, from, false);
    search_backward(d, &behind, low);

    for (uint32_t i = 0; i < behind.n; i++)
        vec_push(d->mem, &all, behind.at[i]);
    for (uint32_t i = 0; i < ahead.n; i++)
        if (!NODE(d, ahead.at[i]).reaching)
            vec_push(d->mem, &all, ahead.at[i]);
    sort_by_label(d, &all);
    DdpNode merged = largest_on_cycle(d, &all);
    share_places(d, &all, merged);
    merge_cycle(d, &all, merged);
    vec_free(d->mem, &ahead);
    vec_free(d->mem, &behind);
    vec_free(d->mem, &all);
}
