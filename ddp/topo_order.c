/* topo_order.c: nodes -> a total order with cheap insertion and comparison.
 *
 * The schedule is a doubly linked list of nodes with 64-bit labels that ascend along it (S1). A node is
 * inserted between two others by taking a label between theirs; when there is none left, the labels of the
 * smallest surrounding range that is sparse enough are spread evenly (Bender, Cole, Demaine,
 * Farach-Colton, Zito: Two simplified algorithms for maintaining order in a list, ESA 2002). Comparing two
 * nodes compares two numbers.
 */
#include "ddp/ddp_int.h"

enum { GAP = 1 << 20 };

static const uint64_t MIDDLE = UINT64_C(1) << 62;

static void link_after(Ddp *d, DdpNode n, DdpNode after)
{
    DdpNode next = after ? NODE(d, after).next : d->first_node;
    NODE(d, n).prev = after;
    NODE(d, n).next = next;
    if (after)
        NODE(d, after).next = n;
    else
        d->first_node = n;
    if (next)
        NODE(d, next).prev = n;
    else
        d->last_node = n;
}

static void unlink_node(Ddp *d, DdpNode n)
{
    DdpNode prev = NODE(d, n).prev, next = NODE(d, n).next;
    if (prev)
        NODE(d, prev).next = next;
    else
        d->first_node = next;
    if (next)
        NODE(d, next).prev = prev;
    else
        d->last_node = prev;
    NODE(d, n).prev = NODE(d, n).next = 0;
}

/* Spreads the labels around `center` so that there is room right behind it. A range of 2^i labels is sparse
 * enough when it holds fewer than (4/3)^i nodes. */
static void relabel(Ddp *d, DdpNode center)
{
    uint64_t label = NODE(d, center).label;
    DdpNode first = center, last = center;
    uint64_t count = 1;
    double room = 1;
    for (unsigned i = 1; i < 63; i++) {
        uint64_t low = label >> i << i, high = low + ((UINT64_C(1) << i) - 1);
        room *= 4.0 / 3.0;
        for (; NODE(d, first).prev && NODE(d, NODE(d, first).prev).label >= low; count++)
            first = NODE(d, first).prev;
        for (; NODE(d, last).next && NODE(d, NODE(d, last).next).label <= high; count++)
            last = NODE(d, last).next;
        if ((double)count >= room)
            continue;
        uint64_t step = ((high - low) / (count + 1));
        if (step < 2)
            continue;
        for (DdpNode n = first;; n = NODE(d, n).next) {
            low += step;
            NODE(d, n).label = low;
            if (n == last)
                return;
        }
    }
}

void topo_insert_after(Ddp *d, DdpNode n, DdpNode after)
{
    DdpNode next = after ? NODE(d, after).next : d->first_node;
    uint64_t label;
    if (!after && !next) {
        label = MIDDLE;
    } else if (!next) {
        label = NODE(d, after).label + GAP;
    } else if (!after) {
        label = NODE(d, next).label - GAP;
    } else {
        if (NODE(d, next).label - NODE(d, after).label < 2)
            relabel(d, after);
        uint64_t low = NODE(d, after).label, high = NODE(d, next).label;
        label = low + (high - low) / 2;
    }
    NODE(d, n).label = label;
    link_after(d, n, after);
}

void topo_remove(Ddp *d, DdpNode n)
{
    unlink_node(d, n);
}

/* The places that `nodes` (ascending) hold in the order are given to `order` instead, which has the
 * same members but for those merged away: the first `early` of `order` get the first places, the
 * rest the last. This alone takes nodes that stay to other places (D2: they are in the delta); who
 * gets back the place that was his has not moved against anybody. */
void topo_take_slots(Ddp *d, List *nodes, List *order, uint32_t early)
{
    VEC(uint64_t) labels = {0};
    List anchors = {0};
    for (uint32_t i = 0; i < nodes->n; i++) {
        DdpNode n = nodes->at[i];
        vec_push(d->mem, &labels, NODE(d, n).label);
        vec_push(d->mem, &anchors, NODE(d, n).prev);
        unlink_node(d, n);
    }
    uint32_t spare = nodes->n - order->n;
    for (uint32_t i = 0; i < order->n; i++) {
        uint32_t slot = i < early ? i : i + spare;
        DdpNode anchor = anchors.at[slot];
        if (i) { /* a neighbour that was put there already stands nearer */
            uint32_t before = i - 1 < early ? i - 1 : i - 1 + spare;
            if (anchors.at[before] == anchor)
                anchor = order->at[i - 1];
        }
        NODE(d, order->at[i]).label = labels.at[slot];
        link_after(d, order->at[i], anchor);
        if (nodes->at[slot] != order->at[i])
            schedule_touch(d, order->at[i], DDP_NODE_MOVED);
    }
    vec_free(d->mem, &labels);
    vec_free(d->mem, &anchors);
}
