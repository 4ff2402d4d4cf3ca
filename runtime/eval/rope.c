/* rope.c: nodes that come, go and move -> the order of the schedule, cut into leaves, changed locally.
 *
 * A rope holds nodes in the order of the schedule: chunks of leaves of nodes, so that putting a node
 * in its place costs a binary search and moves a handful of pointers, whatever the size of the
 * model. What goes is taken out at once. What comes is collected and put in place by rope_settle,
 * when the order is final. In between the order of what stays is the order of the schedule, because
 * the DDP names every node that changed its place (ddp.h).
 *
 * Leaves become blocks of code, so where they are cut decides what is shared: a run of explicit
 * nodes of one instance is one leaf if it has LEAF_MAX nodes or less, whatever its history, and
 * instances of one kind get leaves of one shape. Longer runs are cut into pieces of LEAF_CUT when
 * they come, and later only where they grow or shrink. Loops and nodes that compare stand alone.
 *
 * Invariant N1, checked by rope_verify in debug builds: no leaf and no chunk is empty; nodes ascend
 * in the order of the schedule; node->leaf leads back.
 */
#include "runtime/eval/blocks.h"

#include <string.h>

enum { LEAF_MAX = 32, LEAF_CUT = 24 };

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
void rope_sort(Sim *sim, NodeList *list)
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

/* ---- leaves and chunks ---- */

static uint32_t place_in(const Chunk *chunk, const Leaf *leaf)
{
    uint32_t i = 0;
    while (chunk->leaf[i] != leaf)
        i++;
    return i;
}

static void number_chunks(Rope *rope, uint32_t from)
{
    for (uint32_t i = from; i < rope->chunks.n; i++)
        rope->chunks.at[i]->at = i;
}

static Chunk *new_chunk(Sim *sim, Rope *rope, uint32_t at)
{
    Chunk *chunk = mem_alloc(sim->mem, sizeof *chunk);
    chunk->rope = rope;
    vec_push(sim->mem, &rope->chunks, chunk);
    memmove(rope->chunks.at + at + 1, rope->chunks.at + at,
            (rope->chunks.n - 1 - at) * sizeof *rope->chunks.at);
    rope->chunks.at[at] = chunk;
    number_chunks(rope, at);
    return chunk;
}

static void need_room(Sim *sim, Chunk *chunk, uint32_t n)
{
    if (n <= chunk->room)
        return;
    chunk->room = n <= 3 ? 3 : n <= 15 ? 15 : CHUNK_LEAVES;
    chunk->leaf = mem_resize(sim->mem, chunk->leaf, chunk->room * sizeof *chunk->leaf);
}

static void move_leaves(Sim *sim, Chunk *from, uint32_t first, Chunk *to)
{
    need_room(sim, to, from->n - first);
    to->n = from->n - first;
    if (to->n)
        memcpy(to->leaf, from->leaf + first, to->n * sizeof *to->leaf);
    from->n = first;
    for (uint32_t i = 0; i < to->n; i++)
        to->leaf[i]->chunk = to;
}

/* At place i of a chunk; a full one is halved, or continued when the leaf comes last. */
static Leaf *new_leaf(Sim *sim, Chunk *chunk, uint32_t i)
{
    Rope *rope = chunk->rope;
    if (chunk->n == CHUNK_LEAVES) {
        uint32_t keep = i == chunk->n ? i : CHUNK_LEAVES / 2;
        Chunk *behind = new_chunk(sim, rope, chunk->at + 1);
        move_leaves(sim, chunk, keep, behind);
        if (i > keep || keep == CHUNK_LEAVES) {
            chunk = behind;
            i -= keep;
        }
    }
    need_room(sim, chunk, chunk->n + 1);
    Leaf *leaf = mem_alloc(sim->mem, sizeof *leaf);
    leaf->chunk = chunk;
    memmove(chunk->leaf + i + 1, chunk->leaf + i, (chunk->n - i) * sizeof *chunk->leaf);
    chunk->leaf[i] = leaf;
    chunk->n++;
    rope->n_leaves++;
    return leaf;
}

static void free_chunk(Sim *sim, Chunk *chunk)
{
    Rope *rope = chunk->rope;
    memmove(rope->chunks.at + chunk->at, rope->chunks.at + chunk->at + 1,
            (--rope->chunks.n - chunk->at) * sizeof *rope->chunks.at);
    number_chunks(rope, chunk->at);
    mem_free(sim->mem, chunk->leaf);
    mem_free(sim->mem, chunk);
}

static void free_leaf(Sim *sim, Leaf *leaf)
{
    Chunk *chunk = leaf->chunk;
    Rope *rope = chunk->rope;
    uint32_t i = place_in(chunk, leaf);
    if (leaf->dirty)
        rope->dirty.at[leaf->dirty - 1] = NULL;
    if (leaf->fresh)
        rope->fresh.at[leaf->fresh - 1] = NULL;
    leaf_code_free(sim, leaf);
    memmove(chunk->leaf + i, chunk->leaf + i + 1, (--chunk->n - i) * sizeof *chunk->leaf);
    if (!chunk->n)
        free_chunk(sim, chunk);
    rope->n_leaves--;
    rope->version++;
    vec_free(sim->mem, &leaf->nodes);
    mem_free(sim->mem, leaf);
}

static Leaf *neighbour(const Leaf *leaf, int direction)
{
    const Chunk *chunk = leaf->chunk;
    const Rope *rope = chunk->rope;
    uint32_t i = place_in(chunk, leaf);
    if (direction > 0 && i + 1 < chunk->n)
        return chunk->leaf[i + 1];
    if (direction < 0 && i > 0)
        return chunk->leaf[i - 1];
    if (direction > 0)
        return chunk->at + 1 < rope->chunks.n ? rope->chunks.at[chunk->at + 1]->leaf[0] : NULL;
    if (chunk->at == 0)
        return NULL;
    chunk = rope->chunks.at[chunk->at - 1];
    return chunk->leaf[chunk->n - 1];
}

static void mark_dirty(Sim *sim, Leaf *leaf)
{
    if (leaf->dirty)
        return;
    Rope *rope = leaf->chunk->rope;
    vec_push(sim->mem, &rope->dirty, leaf);
    leaf->dirty = rope->dirty.n;
}

/* ---- in and out ---- */

void rope_add(Sim *sim, Rope *rope, DdpNode n)
{
    vec_push(sim->mem, &rope->incoming, n);
}

void rope_remove(Sim *sim, DdpNode n)
{
    Leaf *leaf = sim->nodes.at[n].leaf;
    if (!leaf)
        return;
    uint32_t i = 0;
    while (leaf->nodes.at[i] != n)
        i++;
    memmove(leaf->nodes.at + i, leaf->nodes.at + i + 1, (--leaf->nodes.n - i) * sizeof n);
    sim->nodes.at[n].leaf = NULL;
    leaf->chunk->rope->n--;
    leaf->chunk->rope->version++;
    if (leaf->nodes.n)
        mark_dirty(sim, leaf);
    else
        free_leaf(sim, leaf);
}

/* The last leaf that begins before n, or NULL when there is none. */
static Leaf *leaf_before(const Sim *sim, const Rope *rope, DdpNode n)
{
    uint32_t low = 0, high = rope->chunks.n; /* chunks below `low` begin before n */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ddp_before(sim->ddp, rope->chunks.at[middle]->leaf[0]->nodes.at[0], n))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const Chunk *chunk = rope->chunks.at[low - 1];
    low = 1;
    high = chunk->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ddp_before(sim->ddp, chunk->leaf[middle]->nodes.at[0], n))
            low = middle + 1;
        else
            high = middle;
    }
    return chunk->leaf[low - 1];
}

/* Most leaves have one or two nodes and keep them: no room beyond that. */
static void reserve_nodes(Sim *sim, NodeList *nodes, uint32_t n)
{
    nodes->cap = (n + 1) & ~1u;
    nodes->at = mem_resize(sim->mem, nodes->at, nodes->cap * sizeof *nodes->at);
}

static void merge_into(Sim *sim, Leaf *leaf, uint32_t count, const DdpNode *nodes)
{
    NodeList old = leaf->nodes;
    leaf->nodes = (NodeList){0};
    reserve_nodes(sim, &leaf->nodes, old.n + count);
    leaf->nodes.n = old.n + count;
    merge(sim, old.at, old.n, nodes, count, leaf->nodes.at);
    vec_free(sim->mem, &old);
    mark_dirty(sim, leaf);
}

/* Sorted nodes that all belong between two leaves, or into the first of them. */
static void insert(Sim *sim, Rope *rope, Leaf *leaf, uint32_t count, const DdpNode *nodes)
{
    if (!leaf && !rope->chunks.n)
        leaf = new_leaf(sim, new_chunk(sim, rope, 0), 0);
    else if (!leaf)
        leaf = new_leaf(sim, rope->chunks.at[0], 0);
    else if (ddp_before(sim->ddp, vec_last(&leaf->nodes), nodes[0]))
        leaf = new_leaf(sim, leaf->chunk, place_in(leaf->chunk, leaf) + 1);
    merge_into(sim, leaf, count, nodes);
    for (uint32_t i = 0; i < count; i++)
        sim->nodes.at[nodes[i]].leaf = leaf;
    rope->n += count;
}

/* Where a node stands, or will stand; NULL: nowhere. */
static Rope *rope_of(Sim *sim, const EvalNode *node)
{
    if (!node->live || node->place == PLACE_NONE)
        return NULL;
    return node->part ? &node->part->ropes[node->place - 1] : &sim->outputs;
}

/* It is among the incoming at once: whoever has a place is in a leaf of its rope, or on the way. */
void rope_shift(Sim *sim, DdpNode n)
{
    if (!sim->nodes.at[n].leaf)
        return;
    rope_remove(sim, n);
    rope_add(sim, rope_of(sim, &sim->nodes.at[n]), n);
}

static void take_incoming(Sim *sim, Rope *rope)
{
    uint32_t kept = 0; /* a node may have gone to another rope, or have been added twice */
    sim->mark++;
    for (uint32_t i = 0; i < rope->incoming.n; i++) {
        EvalNode *node = &sim->nodes.at[rope->incoming.at[i]];
        if (node->leaf || node->mark == sim->mark || rope_of(sim, node) != rope)
            continue;
        node->mark = sim->mark;
        rope->incoming.at[kept++] = rope->incoming.at[i];
    }
    rope->incoming.n = kept;
    rope_sort(sim, &rope->incoming);
    for (uint32_t i = 0, end; i < rope->incoming.n; i = end) {
        Leaf *leaf = leaf_before(sim, rope, rope->incoming.at[i]);
        Leaf *next = leaf             ? neighbour(leaf, 1)
                     : rope->chunks.n ? rope->chunks.at[0]->leaf[0]
                                      : NULL;
        end = i + 1;
        while (end < rope->incoming.n &&
               (!next || ddp_before(sim->ddp, rope->incoming.at[end], next->nodes.at[0])))
            end++;
        insert(sim, rope, leaf, end - i, rope->incoming.at + i);
    }
    vec_clear(&rope->incoming);
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

/* Nodes from `first` on that make one leaf. */
static uint32_t run_length(const Sim *sim, const NodeList *nodes, uint32_t first)
{
    uint32_t end = first + 1;
    if (!is_plain(sim, nodes->at[first]))
        return 1;
    InstId owner = owner_of(sim, nodes->at[first]);
    while (end < nodes->n && is_plain(sim, nodes->at[end]) &&
           owner_of(sim, nodes->at[end]) == owner)
        end++;
    return end - first <= LEAF_MAX ? end - first : LEAF_CUT;
}

void rope_probe(Sim *sim, Leaf *leaf)
{
    leaf->probe = false;
    for (uint32_t i = 0; i < leaf->nodes.n; i++) {
        const EvalNode *node = &sim->nodes.at[leaf->nodes.at[i]];
        leaf->probe |= node->needed[NEED_CONDITIONS] || node->compares;
    }
}

static void note_fresh(Sim *sim, Leaf *leaf)
{
    Rope *rope = leaf->chunk->rope;
    if (leaf->fresh)
        return;
    vec_push(sim->mem, &rope->fresh, leaf);
    leaf->fresh = rope->fresh.n;
}

void rope_forget_fresh(Rope *rope)
{
    for (uint32_t i = 0; i < rope->fresh.n; i++)
        if (rope->fresh.at[i])
            rope->fresh.at[i]->fresh = 0;
    vec_clear(&rope->fresh);
}

static void finish(Sim *sim, Leaf *leaf)
{
    leaf_code_free(sim, leaf);
    leaf->chunk->rope->version++;
    leaf->plain = is_plain(sim, leaf->nodes.at[0]);
    for (uint32_t i = 0; i < leaf->nodes.n; i++)
        sim->nodes.at[leaf->nodes.at[i]].leaf = leaf;
    rope_probe(sim, leaf);
    leaf->dirty = 0;
    if (leaf->chunk->rope->tape)
        note_fresh(sim, leaf);
}

static bool may_join(const Sim *sim, const Leaf *a, const Leaf *b)
{
    DdpNode last = vec_last(&a->nodes), first = b->nodes.at[0];
    return a->nodes.n + b->nodes.n <= LEAF_MAX && is_plain(sim, last) && is_plain(sim, first) &&
           owner_of(sim, last) == owner_of(sim, first);
}

/* Nodes of b go to the end of a. */
static void join(Sim *sim, Leaf *a, Leaf *b)
{
    for (uint32_t i = 0; i < b->nodes.n; i++)
        vec_push(sim->mem, &a->nodes, b->nodes.at[i]);
    free_leaf(sim, b);
    finish(sim, a);
}

static void cut(Sim *sim, Leaf *leaf)
{
    NodeList all = leaf->nodes;
    Leaf *last = leaf;
    leaf->nodes = (NodeList){0};
    for (uint32_t i = 0, length; i < all.n; i += length) {
        length = run_length(sim, &all, i);
        if (i)
            last = new_leaf(sim, last->chunk, place_in(last->chunk, last) + 1);
        reserve_nodes(sim, &last->nodes, length);
        memcpy(last->nodes.at, all.at + i, length * sizeof *all.at);
        last->nodes.n = length;
        finish(sim, last);
    }
    vec_free(sim->mem, &all);
    Leaf *before = neighbour(leaf, -1);
    if (before && !before->dirty && may_join(sim, before, leaf)) {
        last = last == leaf ? before : last;
        join(sim, before, leaf);
    }
    Leaf *behind = neighbour(last, 1);
    if (behind && !behind->dirty && may_join(sim, last, behind))
        join(sim, last, behind);
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

static void rope_verify(Sim *sim, const Rope *rope)
{
    DdpNode before = 0;
    uint32_t n = 0, leaves = 0;
    EACH_LEAF (rope, leaf) {
        must(leaf->nodes.n > 0 && leaf->chunk->rope == rope, "a leaf is empty or astray");
        leaves++;
        for (uint32_t i = 0; i < leaf->nodes.n; i++) {
            DdpNode node = leaf->nodes.at[i];
            must(sim->nodes.at[node].live && sim->nodes.at[node].leaf == leaf,
                 "a node does not know its leaf");
            must(rope_of(sim, &sim->nodes.at[node]) == rope,
                 "a node is in the rope of another place");
            must(!before || ddp_before(sim->ddp, before, node), "a rope is not in order");
            before = node;
            n++;
        }
    }
    must(n == rope->n && leaves == rope->n_leaves, "a rope counts wrong");
}
#endif

void rope_settle(Sim *sim, Rope *rope)
{
    if (rope->incoming.n)
        take_incoming(sim, rope);
    for (uint32_t i = 0; i < rope->dirty.n; i++)
        if (rope->dirty.at[i])
            cut(sim, rope->dirty.at[i]);
    vec_clear(&rope->dirty);
#ifdef SOLSTICE_VERIFY
    if (rope->n < 2000)
        rope_verify(sim, rope);
#endif
}

void rope_list(Sim *sim, const Rope *rope, NodeList *list)
{
    vec_clear(list);
    vec_reserve(sim->mem, list, rope->n + 1);
    EACH_LEAF (rope, leaf) {
        memcpy(list->at + list->n, leaf->nodes.at, leaf->nodes.n * sizeof *list->at);
        list->n += leaf->nodes.n;
    }
}

void rope_free(Sim *sim, Rope *rope)
{
    EACH_LEAF (rope, leaf) {
        for (uint32_t i = 0; i < leaf->nodes.n; i++)
            sim->nodes.at[leaf->nodes.at[i]].leaf = NULL;
        leaf_code_free(sim, leaf);
        vec_free(sim->mem, &leaf->nodes);
        mem_free(sim->mem, leaf);
    }
    for (uint32_t i = 0; i < rope->chunks.n; i++) {
        mem_free(sim->mem, rope->chunks.at[i]->leaf);
        mem_free(sim->mem, rope->chunks.at[i]);
    }
    vec_free(sim->mem, &rope->chunks);
    vec_free(sim->mem, &rope->incoming);
    vec_free(sim->mem, &rope->dirty);
    vec_free(sim->mem, &rope->fresh);
    *rope = (Rope){0};
}
