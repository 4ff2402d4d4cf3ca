/* node_order.c: nodes that come, go and move -> the order of the schedule, cut into segments, changed locally.
 *
 * An order holds nodes in the order of the schedule: chunks of segments of nodes, so that putting a node
 * in its place costs a binary search and moves a handful of pointers, whatever the size of the
 * model. What goes is taken out at once. What comes is collected and put in place by node_order_settle,
 * when the order is final. In between the order of what stays is the order of the schedule, because
 * the DDP names every node that changed its place (ddp.h).
 *
 * Segments become blocks of code, so where they are cut decides what is shared: a run of explicit
 * nodes of one instance is one segment if it has SEGMENT_MAX nodes or less, whatever its history, and
 * instances of one kind get segments of one shape. Longer runs are cut into pieces of SEGMENT_CUT when
 * they come, and later only where they grow or shrink. Loops and nodes that compare stand alone.
 *
 * Invariant N1, checked by node_order_verify in debug builds: no segment and no chunk is empty; nodes ascend
 * in the order of the schedule; node->segment leads back.
 */
#include "runtime/eval/blocks.h"

#include <string.h>

enum { SEGMENT_MAX = 32, SEGMENT_CUT = 24 };

/* ---- order ---- */

static void merge(Sim *sim, const DdpNode *a, uint32_t n_a, const DdpNode *b, uint32_t n_b,
                  DdpNode *to)
{
    while (n_a && n_b)
        if (ddp_before(sim->ddp, *b, *a)) {
            *to++ = *b++;
            n_b--;
        } else {
            *to++ = *a++;
            n_a--;
        }
    if (n_a)
        memcpy(to, a, n_a * sizeof *to);
    if (n_b)
        memcpy(to, b, n_b * sizeof *to); /* one of them is used up */
}

/* Merge sort from the bottom: short lists, or lists that are sorted but for a few. */
void node_order_sort(Sim *sim, NodeList *list)
{
    bool sorted = true;
    for (uint32_t i = 1; i < list->n && sorted; i++)
        sorted = !ddp_before(sim->ddp, list->at[i], list->at[i - 1]);
    if (sorted)
        return;
    uint32_t n = list->n;
    DdpNode *other = mem_alloc(sim->mem, n * sizeof *other), *from = list->at, *to = other;
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t i = 0; i < n; i += 2 * width) {
            uint32_t a = n - i < width ? n - i : width;
            uint32_t b = n - i - a < width ? n - i - a : width;
            merge(sim, from + i, a, from + i + a, b, to + i);
        }
        DdpNode *t = from;
        from = to;
        to = t;
    }
    if (from != list->at)
        memcpy(list->at, from, n * sizeof *from);
    mem_free(sim->mem, other);
}

/* ---- segments and chunks ---- */

static uint32_t place_in(const Chunk *chunk, const Segment *segment)
{
    uint32_t i = 0;
    while (chunk->segment[i] != segment)
        i++;
    return i;
}

static void number_chunks(NodeOrder *order, uint32_t from)
{
    for (uint32_t i = from; i < order->chunks.n; i++)
        order->chunks.at[i]->at = i;
}

static Chunk *new_chunk(Sim *sim, NodeOrder *order, uint32_t at)
{
    Chunk *chunk = mem_alloc(sim->mem, sizeof *chunk);
    chunk->order = order;
    vec_push(sim->mem, &order->chunks, chunk);
    memmove(order->chunks.at + at + 1, order->chunks.at + at,
            (order->chunks.n - 1 - at) * sizeof *order->chunks.at);
    order->chunks.at[at] = chunk;
    number_chunks(order, at);
    return chunk;
}

static void need_room(Sim *sim, Chunk *chunk, uint32_t n)
{
    if (n <= chunk->room)
        return;
    chunk->room = n <= 3 ? 3 : n <= 15 ? 15 : CHUNK_LEAVES;
    chunk->segment = mem_resize(sim->mem, chunk->segment, chunk->room * sizeof *chunk->segment);
}

static void move_segments(Sim *sim, Chunk *from, uint32_t first, Chunk *to)
{
    need_room(sim, to, from->n - first);
    to->n = from->n - first;
    if (to->n)
        memcpy(to->segment, from->segment + first, to->n * sizeof *to->segment);
    from->n = first;
    for (uint32_t i = 0; i < to->n; i++)
        to->segment[i]->chunk = to;
}

/* At place i of a chunk; a full one is halved, or continued when the segment comes last. */
static Segment *new_segment(Sim *sim, Chunk *chunk, uint32_t i)
{
    NodeOrder *order = chunk->order;
    if (chunk->n == CHUNK_LEAVES) {
        uint32_t keep = i == chunk->n ? i : CHUNK_LEAVES / 2;
        Chunk *behind = new_chunk(sim, order, chunk->at + 1);
        move_segments(sim, chunk, keep, behind);
        if (i > keep || keep == CHUNK_LEAVES) {
            chunk = behind;
            i -= keep;
        }
    }
    need_room(sim, chunk, chunk->n + 1);
    Segment *segment = mem_alloc(sim->mem, sizeof *segment);
    segment->chunk = chunk;
    memmove(chunk->segment + i + 1, chunk->segment + i, (chunk->n - i) * sizeof *chunk->segment);
    chunk->segment[i] = segment;
    chunk->n++;
    order->n_segments++;
    return segment;
}

static void free_chunk(Sim *sim, Chunk *chunk)
{
    NodeOrder *order = chunk->order;
    memmove(order->chunks.at + chunk->at, order->chunks.at + chunk->at + 1,
            (--order->chunks.n - chunk->at) * sizeof *order->chunks.at);
    number_chunks(order, chunk->at);
    mem_free(sim->mem, chunk->segment);
    mem_free(sim->mem, chunk);
}

static void free_segment(Sim *sim, Segment *segment)
{
    Chunk *chunk = segment->chunk;
    NodeOrder *order = chunk->order;
    uint32_t i = place_in(chunk, segment);
    if (segment->dirty)
        order->dirty.at[segment->dirty - 1] = NULL;
    if (segment->fresh)
        order->fresh.at[segment->fresh - 1] = NULL;
    segment_code_free(sim, segment);
    memmove(chunk->segment + i, chunk->segment + i + 1, (--chunk->n - i) * sizeof *chunk->segment);
    if (!chunk->n)
        free_chunk(sim, chunk);
    order->n_segments--;
    order->version++;
    vec_free(sim->mem, &segment->nodes);
    mem_free(sim->mem, segment);
}

static Segment *neighbour(const Segment *segment, int direction)
{
    const Chunk *chunk = segment->chunk;
    const NodeOrder *order = chunk->order;
    uint32_t i = place_in(chunk, segment);
    if (direction > 0 && i + 1 < chunk->n)
        return chunk->segment[i + 1];
    if (direction < 0 && i > 0)
        return chunk->segment[i - 1];
    if (direction > 0)
        return chunk->at + 1 < order->chunks.n ? order->chunks.at[chunk->at + 1]->segment[0] : NULL;
    if (chunk->at == 0)
        return NULL;
    chunk = order->chunks.at[chunk->at - 1];
    return chunk->segment[chunk->n - 1];
}

static void mark_dirty(Sim *sim, Segment *segment)
{
    if (segment->dirty)
        return;
    NodeOrder *order = segment->chunk->order;
    vec_push(sim->mem, &order->dirty, segment);
    segment->dirty = order->dirty.n;
}

/* ---- in and out ---- */

void node_order_add(Sim *sim, NodeOrder *order, DdpNode n)
{
    vec_push(sim->mem, &order->incoming, n);
}

void node_order_remove(Sim *sim, DdpNode n)
{
    Segment *segment = sim->nodes.at[n].segment;
    if (!segment)
        return;
    uint32_t i = 0;
    while (segment->nodes.at[i] != n)
        i++;
    memmove(segment->nodes.at + i, segment->nodes.at + i + 1, (--segment->nodes.n - i) * sizeof n);
    sim->nodes.at[n].segment = NULL;
    segment->chunk->order->n--;
    segment->chunk->order->version++;
    if (segment->nodes.n)
        mark_dirty(sim, segment);
    else
        free_segment(sim, segment);
}

/* The last segment that begins before n, or NULL when there is none. */
static Segment *segment_before(const Sim *sim, const NodeOrder *order, DdpNode n)
{
    uint32_t low = 0, high = order->chunks.n; /* chunks below `low` begin before n */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ddp_before(sim->ddp, order->chunks.at[middle]->segment[0]->nodes.at[0], n))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const Chunk *chunk = order->chunks.at[low - 1];
    low = 1;
    high = chunk->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ddp_before(sim->ddp, chunk->segment[middle]->nodes.at[0], n))
            low = middle + 1;
        else
            high = middle;
    }
    return chunk->segment[low - 1];
}

/* Most segments have one or two nodes and keep them: no room beyond that. */
static void reserve_nodes(Sim *sim, NodeList *nodes, uint32_t n)
{
    nodes->cap = (n + 1) & ~1u;
    nodes->at = mem_resize(sim->mem, nodes->at, nodes->cap * sizeof *nodes->at);
}

static void merge_into(Sim *sim, Segment *segment, uint32_t count, const DdpNode *nodes)
{
    NodeList old = segment->nodes;
    segment->nodes = (NodeList){0};
    reserve_nodes(sim, &segment->nodes, old.n + count);
    segment->nodes.n = old.n + count;
    merge(sim, old.at, old.n, nodes, count, segment->nodes.at);
    vec_free(sim->mem, &old);
    mark_dirty(sim, segment);
}

/* Sorted nodes that all belong between two segments, or into the first of them. */
static void insert(Sim *sim, NodeOrder *order, Segment *segment, uint32_t count,
                   const DdpNode *nodes)
{
    if (!segment && !order->chunks.n)
        segment = new_segment(sim, new_chunk(sim, order, 0), 0);
    else if (!segment)
        segment = new_segment(sim, order->chunks.at[0], 0);
    else if (ddp_before(sim->ddp, vec_last(&segment->nodes), nodes[0]))
        segment = new_segment(sim, segment->chunk, place_in(segment->chunk, segment) + 1);
    merge_into(sim, segment, count, nodes);
    for (uint32_t i = 0; i < count; i++)
        sim->nodes.at[nodes[i]].segment = segment;
    order->n += count;
}

/* Where a node stands, or will stand; NULL: nowhere. */
static NodeOrder *node_order_of(Sim *sim, const EvalNode *node)
{
    if (!node->live || node->place == PLACE_NONE)
        return NULL;
    return node->part ? &node->part->orders[node->place - 1] : &sim->outputs;
}

/* It is among the incoming at once: whoever has a place is in a segment of its order, or on the way. */
void node_order_shift(Sim *sim, DdpNode n)
{
    if (!sim->nodes.at[n].segment)
        return;
    node_order_remove(sim, n);
    node_order_add(sim, node_order_of(sim, &sim->nodes.at[n]), n);
}

static void take_incoming(Sim *sim, NodeOrder *order)
{
    uint32_t kept = 0; /* a node may have gone to another order, or have been added twice */
    sim->mark++;
    for (uint32_t i = 0; i < order->incoming.n; i++) {
        EvalNode *node = &sim->nodes.at[order->incoming.at[i]];
        if (node->segment || node->mark == sim->mark || node_order_of(sim, node) != order)
            continue;
        node->mark = sim->mark;
        order->incoming.at[kept++] = order->incoming.at[i];
    }
    order->incoming.n = kept;
    node_order_sort(sim, &order->incoming);
    for (uint32_t i = 0, end; i < order->incoming.n; i = end) {
        Segment *segment = segment_before(sim, order, order->incoming.at[i]);
        Segment *next = segment           ? neighbour(segment, 1)
                        : order->chunks.n ? order->chunks.at[0]->segment[0]
                                          : NULL;
        end = i + 1;
        while (end < order->incoming.n &&
               (!next || ddp_before(sim->ddp, order->incoming.at[end], next->nodes.at[0])))
            end++;
        insert(sim, order, segment, end - i, order->incoming.at + i);
    }
    vec_clear(&order->incoming);
}

/* ---- cutting ---- */

static bool is_plain(const Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    return !node->loop && !node->compares;
}

static InstId owner_of(const Sim *sim, DdpNode n)
{
    return world_rel_owner(sim->world, ddp_rel(sim->ddp, sim->nodes.at[n].ops[0].rel).origin);
}

/* Nodes from `first` on that make one segment. */
static uint32_t run_length(const Sim *sim, const NodeList *nodes, uint32_t first)
{
    uint32_t end = first + 1;
    if (!is_plain(sim, nodes->at[first]))
        return 1;
    InstId owner = owner_of(sim, nodes->at[first]);
    while (end < nodes->n && is_plain(sim, nodes->at[end]) &&
           owner_of(sim, nodes->at[end]) == owner)
        end++;
    return end - first <= SEGMENT_MAX ? end - first : SEGMENT_CUT;
}

void node_order_probe(Sim *sim, Segment *segment)
{
    segment->probe = false;
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
        segment->probe |= node->needed[NEED_CONDITIONS] || node->compares;
    }
}

static void note_fresh(Sim *sim, Segment *segment)
{
    NodeOrder *order = segment->chunk->order;
    if (segment->fresh)
        return;
    vec_push(sim->mem, &order->fresh, segment);
    segment->fresh = order->fresh.n;
}

void node_order_forget_fresh(NodeOrder *order)
{
    for (uint32_t i = 0; i < order->fresh.n; i++)
        if (order->fresh.at[i])
            order->fresh.at[i]->fresh = 0;
    vec_clear(&order->fresh);
}

static void finish(Sim *sim, Segment *segment)
{
    segment_code_free(sim, segment);
    segment->chunk->order->version++;
    segment->plain = is_plain(sim, segment->nodes.at[0]);
    for (uint32_t i = 0; i < segment->nodes.n; i++)
        sim->nodes.at[segment->nodes.at[i]].segment = segment;
    node_order_probe(sim, segment);
    segment->dirty = 0;
    if (segment->chunk->order->tape)
        note_fresh(sim, segment);
}

static bool may_join(const Sim *sim, const Segment *a, const Segment *b)
{
    DdpNode last = vec_last(&a->nodes), first = b->nodes.at[0];
    return a->nodes.n + b->nodes.n <= SEGMENT_MAX && is_plain(sim, last) && is_plain(sim, first) &&
           owner_of(sim, last) == owner_of(sim, first);
}

/* Nodes of b go to the end of a. */
static void join(Sim *sim, Segment *a, Segment *b)
{
    for (uint32_t i = 0; i < b->nodes.n; i++)
        vec_push(sim->mem, &a->nodes, b->nodes.at[i]);
    free_segment(sim, b);
    finish(sim, a);
}

/* The first and the last piece of what was cut, with what stands beside them. */
static void join_neighbours(Sim *sim, Segment *first, Segment *last)
{
    Segment *before = neighbour(first, -1);
    if (before && !before->dirty && may_join(sim, before, first)) {
        last = last == first ? before : last;
        join(sim, before, first);
    }
    Segment *behind = neighbour(last, 1);
    if (behind && !behind->dirty && may_join(sim, last, behind))
        join(sim, last, behind);
}

static void cut(Sim *sim, Segment *segment)
{
    NodeList all = segment->nodes;
    Segment *last = segment;
    uint32_t first = run_length(sim, &all, 0);
    if (first == all.n) { /* it stays in one piece */
        finish(sim, segment);
        join_neighbours(sim, segment, segment);
        return;
    }
    segment->nodes = (NodeList){0};
    for (uint32_t i = 0, length; i < all.n; i += length) {
        length = i ? run_length(sim, &all, i) : first;
        if (i)
            last = new_segment(sim, last->chunk, place_in(last->chunk, last) + 1);
        reserve_nodes(sim, &last->nodes, length);
        memcpy(last->nodes.at, all.at + i, length * sizeof *all.at);
        last->nodes.n = length;
        finish(sim, last);
    }
    vec_free(sim->mem, &all);
    join_neighbours(sim, segment, last);
}

#ifdef SOLSTICE_VERIFY
#include <stdio.h>
#include <stdlib.h>

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant N1: %s\n", what);
    abort();
}

static void node_order_verify(Sim *sim, const NodeOrder *order)
{
    DdpNode before = 0;
    uint32_t n = 0, segments = 0;
    EACH_SEGMENT (order, segment) {
        must(segment->nodes.n > 0 && segment->chunk->order == order,
             "a segment is empty or astray");
        segments++;
        for (uint32_t i = 0; i < segment->nodes.n; i++) {
            DdpNode node = segment->nodes.at[i];
            must(sim->nodes.at[node].live && sim->nodes.at[node].segment == segment,
                 "a node does not know its segment");
            must(node_order_of(sim, &sim->nodes.at[node]) == order,
                 "a node is in the order of another place");
            must(!before || ddp_before(sim->ddp, before, node), "nodes are not in order");
            before = node;
            n++;
        }
    }
    must(n == order->n && segments == order->n_segments, "an order counts wrong");
}
#endif

void node_order_settle(Sim *sim, NodeOrder *order)
{
    if (order->incoming.n)
        take_incoming(sim, order);
    for (uint32_t i = 0; i < order->dirty.n; i++)
        if (order->dirty.at[i])
            cut(sim, order->dirty.at[i]);
    vec_clear(&order->dirty);
#ifdef SOLSTICE_VERIFY
    if (order->n < 2000)
        node_order_verify(sim, order);
#endif
}

void node_order_list(Sim *sim, const NodeOrder *order, NodeList *list)
{
    vec_clear(list);
    vec_reserve(sim->mem, list, order->n + 1);
    EACH_SEGMENT (order, segment) {
        memcpy(list->at + list->n, segment->nodes.at, segment->nodes.n * sizeof *list->at);
        list->n += segment->nodes.n;
    }
}

void node_order_free(Sim *sim, NodeOrder *order)
{
    EACH_SEGMENT (order, segment) {
        for (uint32_t i = 0; i < segment->nodes.n; i++)
            sim->nodes.at[segment->nodes.at[i]].segment = NULL;
        segment_code_free(sim, segment);
        vec_free(sim->mem, &segment->nodes);
        mem_free(sim->mem, segment);
    }
    for (uint32_t i = 0; i < order->chunks.n; i++) {
        mem_free(sim->mem, order->chunks.at[i]->segment);
        mem_free(sim->mem, order->chunks.at[i]);
    }
    vec_free(sim->mem, &order->chunks);
    vec_free(sim->mem, &order->incoming);
    vec_free(sim->mem, &order->dirty);
    vec_free(sim->mem, &order->fresh);
    order_calls_free(sim, order);
    *order = (NodeOrder){0};
}
