/* connect.c: connections -> sets of connectors -> equalities and zero-sums.
 *
 * Connections are the edges of a graph, per model; what hangs together is a set (thesis 5.5.4). The
 * graph must stay a forest, so every edge stands for one equality per potential: n - 1 of them in a
 * set of n, as the modeller drew them. Adding or removing an edge touches its own equalities only.
 *
 * The flows of a set sum up to zero. A sum of 100,000 terms could not be changed locally, so it is
 * a tree of partial sums: a Sum adds up at most FAN terms, pins at the lowest level, sums of the
 * level below further up. The root's relation is `t1 + .. + tk = 0`, that of any other sum `s = t1
 * + .. + tk` with an auxiliary variable s per flow. A set of up to FAN pins has the one relation
 * one expects. A pin that comes or goes changes the relation of its own sum, seldom that of sums
 * above: sums with room are kept in a list per level, a new sum is opened only when there is none,
 * and a sum without terms goes.
 *
 * A relation that names a pin must go before the pin's variable does, so a sum that changes leaves
 * its relations at once; it gets new ones in connect_flush(), once for all changes of an update.
 *
 * Union: the smaller set is moved into the larger. Split, when an edge goes: both sides are
 * searched in lockstep, edge by edge, and the one that ends first is moved to a set of its own. So
 * the cost is that of the smaller side; for a pin that leaves a node it is constant, whatever the
 * size of the node.
 *
 * Invariants
 *   C1  a node exists as long as it has edges; all nodes of a set hang together.
 *   C2  a node is a term of exactly one sum of level 0 of its set; sum and slot name each other.
 *   C3  a sum other than the root has its set's number, a parent, and between 1 and FAN terms; it
 * is in the list of its level if and only if it has room.
 */
#include "frontend/world_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAN = 8, LEVELS = 10 };

typedef struct Node {
    uint32_t model, inst; /* InstIds */
    uint32_t set;         /* 0: free */
    uint32_t first_edge;
    uint32_t sum; /* of level 0 that it is a term of */
    uint8_t slot;
    bool own; /* of the model's own interface: flows count negative */
} Node;

typedef struct Edge {
    uint32_t node[2];
    uint32_t next[2],
        prev[2]; /* in the lists of its nodes; next[0] of a free one: the next free one */
    uint32_t inst, op;
    uint32_t link[2];
    uint32_t rels; /* index of a block of n_potentials relations; 0: none */
    Place at;
} Edge;

typedef struct Sum {
    uint32_t set; /* 0: free */
    uint32_t parent;
    uint32_t child[FAN];    /* nodes (level 0) or sums */
    uint32_t next, prev;    /* in the list of its level; next of a free one: the next free one */
    uint32_t vars, rels;    /* blocks of n_flows numbers; 0: none */
    uint8_t n, level, slot; /* slot: in the parent */
    bool listed, dirty;
} Sum;

typedef struct Set {
    uint32_t n; /* nodes; 0: free */
    uint32_t root;
    uint32_t open[LEVELS]; /* first sum with room; open[0] of a free set: the next free one */
    const Signature *signature;
} Set;

/* One of the two sides that a removed edge leaves, searched edge by edge. */
typedef struct Side {
    VEC(uint32_t) nodes;
    VEC(uint32_t) via; /* the edge by which each was reached */
    uint32_t at, edge;
} Side;

struct Connect {
    World *world;
    Mem *mem;
    VEC(Node) node; /* all [0] unused */
    VEC(Edge) edge;
    VEC(Sum) sum;
    VEC(Set) set;
    uint32_t free_node, free_edge, free_sum, free_set;
    uint32_t n_edges, n_sets;
    Map node_of;             /* model and instance -> node */
    VEC(uint32_t) words;     /* blocks of numbers */
    uint32_t free_block[64]; /* by size: first free block, linked through its first word */
    VEC(uint32_t) dirty;
    Side side[2];
    Form equal;
    Map sum_forms; /* number of terms, signs, root -> form + 1 */
};

#define PUSH_ZERO(c, v)                                                                            \
    ((v).n ? (void)0                                                                               \
           : (void)(vec_reserve((c)->mem, &(v), 1), (v).n = 1,                                     \
                    memset(&(v).at[0], 0, sizeof(v).at[0])))

Connect *connect_open(World *world)
{
    Connect *c = mem_alloc(world->mem, sizeof *c);
    c->world = world;
    c->mem = world->mem;
    PUSH_ZERO(c, c->node);
    PUSH_ZERO(c, c->edge);
    PUSH_ZERO(c, c->sum);
    PUSH_ZERO(c, c->set);
    PUSH_ZERO(c, c->words);
    return c;
}

void connect_close(Connect *c)
{
    if (!c)
        return;
    vec_free(c->mem, &c->node);
    vec_free(c->mem, &c->edge);
    vec_free(c->mem, &c->sum);
    vec_free(c->mem, &c->set);
    vec_free(c->mem, &c->words);
    vec_free(c->mem, &c->dirty);
    for (int i = 0; i < 2; i++) {
        vec_free(c->mem, &c->side[i].nodes);
        vec_free(c->mem, &c->side[i].via);
    }
    map_free(c->mem, &c->node_of);
    map_free(c->mem, &c->sum_forms);
    mem_free(c->mem, c);
}

/* ---- blocks of numbers ---- */

static uint32_t block_take(Connect *c, uint32_t n)
{
    if (n == 0)
        return 0;
    uint32_t *head = n < 64 ? &c->free_block[n] : NULL;
    uint32_t at;
    if (head && *head) {
        at = *head;
        *head = c->words.at[at];
    } else {
        at = c->words.n;
        vec_reserve(c->mem, &c->words, c->words.n + n);
        c->words.n += n;
    }
    memset(&c->words.at[at], 0, n * sizeof(uint32_t));
    return at;
}

static void block_give(Connect *c, uint32_t at, uint32_t n)
{
    if (!at || n >= 64)
        return;
    c->words.at[at] = c->free_block[n];
    c->free_block[n] = at;
}

/* ---- variables of connectors ---- */

static DdpVar terminal_var(const Connect *c, uint32_t inst, const Terminal *t)
{
    const Inst *at = world_at(c->world, inst);
    for (uint32_t i = 0; i + 1 < t->n; i++)
        at = world_at(c->world, at->word[t->word[i]]);
    return at->word[t->word[t->n - 1]];
}

static const Signature *signature_of(Connect *c, const Inst *inst)
{
    return plans_signature(c->world->plans, inst->plan);
}

/* ---- sums: relations ---- */

static const Signature *sum_signature(const Connect *c, const Sum *s)
{
    return c->set.at[s->set].signature;
}

static void sum_leave(Connect *c, uint32_t id)
{
    Sum *s = &c->sum.at[id];
    if (!s->rels)
        return;
    uint32_t n = sum_signature(c, s)->n_flows;
    for (uint32_t i = n; i-- > 0;)
        world_leave_rel(c->world, c->words.at[s->rels + i]);
    block_give(c, s->rels, n);
    s->rels = 0;
}

static void sum_touch(Connect *c, uint32_t id)
{
    sum_leave(c, id);
    if (c->sum.at[id].dirty)
        return;
    c->sum.at[id].dirty = true;
    vec_push(c->mem, &c->dirty, id);
}

static void sum_drop_vars(Connect *c, uint32_t id)
{
    Sum *s = &c->sum.at[id];
    if (!s->vars)
        return;
    uint32_t n = sum_signature(c, s)->n_flows;
    for (uint32_t i = n; i-- > 0;)
        world_leave_var(c->world, c->words.at[s->vars + i]);
    block_give(c, s->vars, n);
    s->vars = 0;
}

static bool term_negative(const Connect *c, const Sum *s, uint32_t k)
{
    return s->level == 0 && c->node.at[s->child[k]].own;
}

static DdpVar term_var(const Connect *c, const Sum *s, uint32_t k, uint32_t flow)
{
    if (s->level > 0)
        return c->words.at[c->sum.at[s->child[k]].vars + flow];
    const Node *node = &c->node.at[s->child[k]];
    /* instances of one set may have different plans, with the same names */
    const Signature *sig = signature_of((Connect *)c, world_at(c->world, node->inst));
    return terminal_var(c, node->inst, &sig->flows[flow]);
}

/* t0 + t1 - t2 .. = 0, or s = t0 + .. with s at position 0. */
static Form sum_form(Connect *c, uint32_t n, uint32_t negative, bool root)
{
    uint64_t key = (uint64_t)negative << 8 | n << 1 | root;
    uint32_t found = map_get(&c->sum_forms, key);
    if (found)
        return found;
    FormTable *forms = c->world->forms;
    uint32_t first = root ? 0 : 1;
    X sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        X term = x_pos(forms, first + k);
        bool minus = negative >> k & 1;
        if (k == 0)
            sum = minus ? x_unary(forms, X_NEG, term) : term;
        else
            sum = x_binary(forms, minus ? X_SUB : X_ADD, sum, term);
    }
    X zero = x_const(forms, 0);
    Form form =
        root ? form_make(forms, sum, zero, n) : form_make(forms, x_pos(forms, 0), sum, n + 1);
    map_put(c->mem, &c->sum_forms, key, form);
    return form;
}

static void sum_enter(Connect *c, uint32_t id)
{
    uint32_t flows = sum_signature(c, &c->sum.at[id])->n_flows;
    uint32_t block = block_take(c, flows);
    Sum *s = &c->sum.at[id];
    s->rels = block;
    bool root = !s->parent;
    uint32_t negative = 0;
    for (uint32_t k = 0; k < s->n; k++)
        negative |= (uint32_t)term_negative(c, s, k) << k;
    Form form = sum_form(c, s->n, negative, root);
    for (uint32_t flow = 0; flow < flows; flow++) {
        DdpVar vars[FAN + 1];
        uint32_t n = 0;
        if (!root)
            vars[n++] = c->words.at[s->vars + flow];
        for (uint32_t k = 0; k < s->n; k++)
            vars[n++] = term_var(c, s, k, flow);
        OwnerInfo owner = {.who = id, .what = flow, .tag = OWNER_SUM};
        c->words.at[block + flow] =
            world_enter_rel(c->world, DDP_EQUATION, form, n, vars, 0, 0, owner);
    }
}

static void sum_make_vars(Connect *c, uint32_t id)
{
    uint32_t flows = sum_signature(c, &c->sum.at[id])->n_flows;
    uint32_t block = block_take(c, flows);
    c->sum.at[id].vars = block;
    for (uint32_t flow = 0; flow < flows; flow++) {
        OwnerInfo owner = {.who = id, .what = flow, .tag = OWNER_SUM};
        c->words.at[block + flow] = world_enter_var(c->world, DDP_UNKNOWN, owner);
    }
}

void connect_flush(Connect *c)
{
    for (uint32_t i = 0; i < c->dirty.n; i++) {
        Sum *s = &c->sum.at[c->dirty.at[i]];
        if (s->set && s->parent && !s->vars)
            sum_make_vars(c, c->dirty.at[i]);
    }
    for (uint32_t i = 0; i < c->dirty.n; i++) {
        Sum *s = &c->sum.at[c->dirty.at[i]];
        s->dirty = false;
        if (s->set && !s->rels)
            sum_enter(c, c->dirty.at[i]);
    }
    vec_clear(&c->dirty);
}

/* ---- sums: the tree ---- */

static void sum_list(Connect *c, uint32_t id)
{
    Sum *s = &c->sum.at[id];
    uint32_t *head = &c->set.at[s->set].open[s->level];
    s->next = *head;
    s->prev = 0;
    if (*head)
        c->sum.at[*head].prev = id;
    *head = id;
    s->listed = true;
}

static void sum_unlist(Connect *c, uint32_t id)
{
    Sum *s = &c->sum.at[id];
    if (s->prev)
        c->sum.at[s->prev].next = s->next;
    else
        c->set.at[s->set].open[s->level] = s->next;
    if (s->next)
        c->sum.at[s->next].prev = s->prev;
    s->listed = false;
}

static uint32_t sum_new(Connect *c, uint32_t set, uint32_t level)
{
    uint32_t id = c->free_sum;
    if (id) {
        c->free_sum = c->sum.at[id].next;
    } else {
        id = c->sum.n;
        vec_push(c->mem, &c->sum, (Sum){0});
    }
    bool dirty = c->sum.at[id].dirty; /* freed and used again within one update */
    c->sum.at[id] = (Sum){.set = set, .level = (uint8_t)level, .dirty = dirty};
    sum_list(c, id);
    return id;
}

static void sum_free(Connect *c, uint32_t id)
{
    sum_leave(c, id);
    sum_drop_vars(c, id);
    if (c->sum.at[id].listed)
        sum_unlist(c, id);
    bool dirty = c->sum.at[id].dirty;
    c->sum.at[id] = (Sum){.next = c->free_sum, .dirty = dirty};
    c->free_sum = id;
}

static void sum_attach(Connect *c, uint32_t id, uint32_t child)
{
    sum_touch(c, id);
    Sum *s = &c->sum.at[id];
    s->child[s->n] = child;
    if (s->level == 0) {
        c->node.at[child].sum = id;
        c->node.at[child].slot = s->n;
    } else {
        sum_touch(c, child); /* it has a result now */
        c->sum.at[child].parent = id;
        c->sum.at[child].slot = s->n;
    }
    if (++s->n == FAN)
        sum_unlist(c, id);
}

static void sum_detach(Connect *c, uint32_t id, uint32_t slot)
{
    sum_touch(c, id);
    Sum *s = &c->sum.at[id];
    s->n--;
    for (uint32_t k = slot; k < s->n; k++) { /* terms keep their order */
        s->child[k] = s->child[k + 1];
        if (s->level == 0)
            c->node.at[s->child[k]].slot = (uint8_t)k;
        else
            c->sum.at[s->child[k]].slot = (uint8_t)k;
    }
    if (!s->listed)
        sum_list(c, id);
}

/* Makes `child` (a node, or a sum of the level below) a term of some sum of this level. */
static void sum_insert(Connect *c, uint32_t set, uint32_t level, uint32_t child)
{
    for (;; level++) {
        uint32_t open = c->set.at[set].open[level];
        if (open) {
            sum_attach(c, open, child);
            return;
        }
        uint32_t fresh = sum_new(c, set, level), root = c->set.at[set].root;
        sum_attach(c, fresh, child);
        if (!root) {
            c->set.at[set].root = fresh;
            sum_touch(c, fresh);
            return;
        }
        if (c->sum.at[root].level == level) {
            uint32_t above = sum_new(c, set, level + 1);
            c->set.at[set].root = above;
            sum_attach(c, above, root);
            sum_attach(c, above, fresh);
            return;
        }
        child = fresh;
    }
}

/* A root with one term gives way to it. */
static void sum_shrink_root(Connect *c, uint32_t set)
{
    for (;;) {
        uint32_t root = c->set.at[set].root;
        if (!root || c->sum.at[root].level == 0 || c->sum.at[root].n != 1)
            return;
        uint32_t child = c->sum.at[root].child[0];
        sum_free(c, root);
        sum_touch(c, child);
        sum_drop_vars(c, child);
        c->sum.at[child].parent = 0;
        c->set.at[set].root = child;
    }
}

static void sum_remove_node(Connect *c, uint32_t node)
{
    uint32_t set = c->node.at[node].set, id = c->node.at[node].sum;
    sum_detach(c, id, c->node.at[node].slot);
    while (c->sum.at[id].n == 0) {
        uint32_t parent = c->sum.at[id].parent;
        if (parent)
            sum_detach(c, parent, c->sum.at[id].slot);
        else
            c->set.at[set].root = 0;
        sum_free(c, id);
        if (!parent)
            return;
        id = parent;
    }
    sum_shrink_root(c, set);
}

/* ---- sets ---- */

static uint32_t set_new(Connect *c, const Signature *signature)
{
    uint32_t id = c->free_set;
    if (id) {
        c->free_set = c->set.at[id].open[0];
    } else {
        id = c->set.n;
        vec_push(c->mem, &c->set, (Set){0});
    }
    c->set.at[id] = (Set){.signature = signature};
    c->n_sets++;
    return id;
}

static void set_add(Connect *c, uint32_t set, uint32_t node)
{
    c->node.at[node].set = set;
    c->set.at[set].n++;
    sum_insert(c, set, 0, node);
}

static void set_take(Connect *c, uint32_t node)
{
    uint32_t set = c->node.at[node].set;
    sum_remove_node(c, node);
    if (--c->set.at[set].n == 0) {
        c->set.at[set] = (Set){.open = {c->free_set}};
        c->free_set = set;
        c->n_sets--;
    }
    c->node.at[node].set = 0;
}

static void side_start(Connect *c, Side *side, uint32_t node)
{
    vec_clear(&side->nodes);
    vec_clear(&side->via);
    vec_push(c->mem, &side->nodes, node);
    vec_push(c->mem, &side->via, 0);
    side->at = 0;
    side->edge = c->node.at[node].first_edge;
}

static uint32_t edge_end(const Edge *e, uint32_t node)
{
    return e->node[1] == node;
}

/* One edge further; false when all of this side was seen. */
static bool side_step(Connect *c, Side *side)
{
    while (!side->edge) {
        if (++side->at >= side->nodes.n)
            return false;
        side->edge = c->node.at[side->nodes.at[side->at]].first_edge;
    }
    uint32_t node = side->nodes.at[side->at], edge = side->edge;
    const Edge *e = &c->edge.at[edge];
    uint32_t end = edge_end(e, node);
    if (edge != side->via.at[side->at]) {
        vec_push(c->mem, &side->nodes, e->node[!end]);
        vec_push(c->mem, &side->via, edge);
    }
    side->edge = e->next[end];
    return true;
}

/* All nodes that hang together with `node`. */
static Side *side_all(Connect *c, uint32_t node)
{
    side_start(c, &c->side[0], node);
    while (side_step(c, &c->side[0]))
        ;
    return &c->side[0];
}

static void set_move(Connect *c, const Side *side, uint32_t set)
{
    for (uint32_t i = 0; i < side->nodes.n; i++) {
        set_take(c, side->nodes.at[i]);
        set_add(c, set, side->nodes.at[i]);
    }
}

/* The edge is not in the lists yet. */
static void set_join(Connect *c, uint32_t a, uint32_t b, const Signature *signature)
{
    uint32_t set_a = c->node.at[a].set, set_b = c->node.at[b].set;
    if (!set_a && !set_b) {
        uint32_t set = set_new(c, signature);
        set_add(c, set, a);
        set_add(c, set, b);
    } else if (!set_a || !set_b) {
        set_add(c, set_a ? set_a : set_b, set_a ? b : a);
    } else if (c->set.at[set_a].n >= c->set.at[set_b].n) {
        set_move(c, side_all(c, b), set_a);
    } else {
        set_move(c, side_all(c, a), set_b);
    }
}

/* The edge between a and b is no longer in the lists. */
static void set_split(Connect *c, uint32_t a, uint32_t b)
{
    const Signature *signature = c->set.at[c->node.at[a].set].signature;
    side_start(c, &c->side[0], a);
    side_start(c, &c->side[1], b);
    for (;;) {
        for (int i = 0; i < 2; i++) {
            if (side_step(c, &c->side[i]))
                continue;
            if (c->side[i].nodes.n == 1 && !c->node.at[c->side[i].nodes.at[0]].first_edge)
                set_take(c, c->side[i].nodes.at[0]);
            else
                set_move(c, &c->side[i], set_new(c, signature));
            return;
        }
    }
}

/* ---- nodes and edges ---- */

static uint64_t node_key(uint32_t model, uint32_t inst)
{
    return (uint64_t)model << 32 | inst;
}

static uint32_t node_get(Connect *c, uint32_t model, uint32_t inst, bool own)
{
    uint32_t id = map_get(&c->node_of, node_key(model, inst));
    if (id)
        return id;
    id = c->free_node;
    if (id) {
        c->free_node = c->node.at[id].first_edge;
    } else {
        id = c->node.n;
        vec_push(c->mem, &c->node, (Node){0});
    }
    c->node.at[id] = (Node){.model = model, .inst = inst, .own = own};
    map_put(c->mem, &c->node_of, node_key(model, inst), id);
    return id;
}

static void node_free_if_bare(Connect *c, uint32_t id)
{
    Node *node = &c->node.at[id];
    if (node->first_edge)
        return;
    if (node->set)
        set_take(c, id);
    map_remove(&c->node_of, node_key(node->model, node->inst));
    *node = (Node){.first_edge = c->free_node};
    c->free_node = id;
}

static void edge_list(Connect *c, uint32_t id)
{
    Edge *e = &c->edge.at[id];
    for (int end = 0; end < 2; end++) {
        uint32_t *head = &c->node.at[e->node[end]].first_edge;
        e->next[end] = *head;
        e->prev[end] = 0;
        if (*head) {
            Edge *after = &c->edge.at[*head];
            after->prev[edge_end(after, e->node[end])] = id;
        }
        *head = id;
    }
}

static void edge_unlist(Connect *c, uint32_t id)
{
    Edge *e = &c->edge.at[id];
    for (int end = 0; end < 2; end++) {
        uint32_t node = e->node[end];
        if (e->prev[end]) {
            Edge *before = &c->edge.at[e->prev[end]];
            before->next[edge_end(before, node)] = e->next[end];
        } else {
            c->node.at[node].first_edge = e->next[end];
        }
        if (e->next[end]) {
            Edge *after = &c->edge.at[e->next[end]];
            after->prev[edge_end(after, node)] = e->prev[end];
        }
    }
}

static Form equal_form(Connect *c)
{
    FormTable *forms = c->world->forms;
    if (!c->equal)
        c->equal = form_make(forms, x_pos(forms, 0), x_pos(forms, 1), 2);
    return c->equal;
}

static void edge_enter(Connect *c, uint32_t id, const Inst *a, const Inst *b, DdpVar logic)
{
    const Signature *sa = signature_of(c, a), *sb = signature_of(c, b);
    uint32_t block = block_take(c, sa->n_potentials);
    c->edge.at[id].rels = block;
    for (uint32_t i = 0; i < sa->n_potentials; i++) {
        DdpVar vars[2] = {terminal_var(c, a->id, &sa->potentials[i]),
                          terminal_var(c, b->id, &sb->potentials[i])};
        OwnerInfo owner = {.who = id, .what = i, .tag = OWNER_EDGE};
        c->words.at[block + i] =
            world_enter_rel(c->world, DDP_EQUATION, equal_form(c), 2, vars, logic, 0, owner);
    }
}

static void edge_leave(Connect *c, uint32_t id)
{
    Edge *e = &c->edge.at[id];
    if (!e->rels)
        return;
    uint32_t n = c->set.at[c->node.at[e->node[0]].set].signature->n_potentials;
    for (uint32_t i = n; i-- > 0;)
        world_leave_rel(c->world, c->words.at[e->rels + i]);
    block_give(c, e->rels, n);
    e->rels = 0;
}

static uint32_t edge_new(Connect *c, uint32_t a, uint32_t b, uint32_t inst, uint32_t op, Place at)
{
    uint32_t id = c->free_edge;
    if (id) {
        c->free_edge = c->edge.at[id].next[0];
    } else {
        id = c->edge.n;
        vec_push(c->mem, &c->edge, (Edge){0});
    }
    c->edge.at[id] = (Edge){.node = {a, b}, .inst = inst, .op = op, .at = at};
    c->n_edges++;
    return id;
}

static void report_difference(Connect *c, const Inst *a, const Inst *b, Place at)
{
    World *w = c->world;
    const Intern *names = program_names(w->program);
    const Inst *side[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const Signature *s = signature_of(c, side[i]), *other = signature_of(c, side[!i]);
        for (uint32_t k = 0; k < s->n_potentials + s->n_flows; k++) {
            bool flow = k >= s->n_potentials;
            const Terminal *t = flow ? &s->flows[k - s->n_potentials] : &s->potentials[k];
            uint32_t n = flow ? other->n_flows : other->n_potentials;
            const Terminal *in = flow ? other->flows : other->potentials;
            bool found = false;
            for (uint32_t j = 0; j < n; j++)
                found |= in[j].name == t->name;
            if (found)
                continue;
            world_fail(w, at, "connection: '%s' has the %s '%s', which the other side has not",
                       world_path_text(w, side[i]->id), flow ? "flow" : "potential",
                       intern_text(names, t->name));
            return;
        }
    }
}

/* The path between two nodes of a set, as notes: which connections close the cycle. */
static void report_cycle(Connect *c, uint32_t a, uint32_t b, Place at)
{
    enum { NOTES = 5 };
    World *w = c->world;
    world_fail(w, at, "this connection closes a cycle: '%s' is connected already",
               world_path_text(w, c->node.at[b].inst));
    side_all(c, a);
    const Side *side = &c->side[0];
    uint32_t notes = 0;
    for (uint32_t i = 0; i < side->nodes.n; i++) {
        if (side->nodes.at[i] != b)
            continue;
        for (uint32_t node = b; node != a && notes < NOTES; notes++) {
            uint32_t k = 0;
            while (side->nodes.at[k] != node)
                k++;
            const Edge *e = &c->edge.at[side->via.at[k]];
            world_remark(w, e->at, "through this connection");
            node = e->node[!edge_end(e, node)];
        }
        return;
    }
}

uint32_t connect_add(Connect *c, Inst *inst, uint32_t op, Inst *a, bool own_a, Inst *b, bool own_b,
                     Place at)
{
    const Signature *sa = signature_of(c, a), *sb = signature_of(c, b);
    if (!sa->id || !sb->id) {
        world_fail(c->world, at, "connection: '%s' has no potential or flow members",
                   world_path_text(c->world, sa->id ? b->id : a->id));
        return 0;
    }
    if (sa->id != sb->id) {
        report_difference(c, a, b, at);
        return 0;
    }
    if (a == b) {
        world_fail(c->world, at, "connection of '%s' with itself",
                   world_path_text(c->world, a->id));
        return 0;
    }
    uint32_t model = inst_model(c->world, inst);
    uint32_t na = node_get(c, model, a->id, own_a), nb = node_get(c, model, b->id, own_b);
    if (c->node.at[na].set && c->node.at[na].set == c->node.at[nb].set) {
        report_cycle(c, na, nb, at);
        return 0;
    }
    set_join(c, na, nb, sa);
    uint32_t id = edge_new(c, na, nb, inst->id, op, at);
    edge_list(c, id);
    edge_enter(c, id, a, b, inst->logic);
    return id;
}

void connect_remove(Connect *c, uint32_t id)
{
    Edge e = c->edge.at[id];
    edge_leave(c, id);
    for (int end = 0; end < 2; end++)
        if (e.link[end])
            link_drop(c->world, e.link[end]);
    edge_unlist(c, id);
    set_split(c, e.node[0], e.node[1]);
    for (int end = 0; end < 2; end++)
        node_free_if_bare(c, e.node[end]);
    c->edge.at[id] = (Edge){.next = {c->free_edge}};
    c->free_edge = id;
    c->n_edges--;
}

/* ---- looking closer ---- */

EdgeView connect_edge(const Connect *c, uint32_t id)
{
    const Edge *e = &c->edge.at[id];
    return (EdgeView){e->inst, e->op, c->node.at[e->node[0]].inst, c->node.at[e->node[1]].inst};
}

void connect_edge_links(Connect *c, uint32_t id, uint32_t link_a, uint32_t link_b)
{
    c->edge.at[id].link[0] = link_a;
    c->edge.at[id].link[1] = link_b;
}

static uint32_t sum_first_node(const Connect *c, uint32_t id)
{
    while (c->sum.at[id].level > 0)
        id = c->sum.at[id].child[0];
    return c->sum.at[id].child[0];
}

InstId connect_sum_inst(const Connect *c, uint32_t sum)
{
    return c->node.at[sum_first_node(c, sum)].inst;
}

InstId connect_sum_model(const Connect *c, uint32_t sum)
{
    return c->node.at[sum_first_node(c, sum)].model;
}

/* Any connection of the first pin: the set has no place of its own. */
Place connect_sum_place(const Connect *c, uint32_t sum)
{
    return c->edge.at[c->node.at[sum_first_node(c, sum)].first_edge].at;
}

Sym connect_sum_name(const Connect *c, uint32_t sum, uint32_t flow)
{
    return c->set.at[c->sum.at[sum].set].signature->flows[flow].name;
}

uint32_t connect_edge_count(const Connect *c)
{
    return c->n_edges;
}

uint32_t connect_set_count(const Connect *c)
{
    return c->n_sets;
}

size_t connect_bytes(const Connect *c)
{
    return sizeof *c + c->node.cap * sizeof(Node) + c->edge.cap * sizeof(Edge) +
           c->sum.cap * sizeof(Sum) + c->set.cap * sizeof(Set) + c->words.cap * sizeof(uint32_t) +
           (c->node_of.slot ? (c->node_of.mask + 1) * sizeof(MapSlot) : 0);
}

DdpRel connect_edge_rel(const Connect *c, uint32_t id, uint32_t i)
{
    const Edge *e = &c->edge.at[id];
    const Set *set = &c->set.at[c->node.at[e->node[0]].set];
    return i < set->signature->n_potentials ? c->words.at[e->rels + i] : 0;
}

uint32_t connect_sum_limit(const Connect *c)
{
    return c->sum.n;
}

DdpRel connect_sum_rel(const Connect *c, uint32_t id, uint32_t flow)
{
    const Sum *s = &c->sum.at[id];
    bool there = s->set && s->rels && flow < sum_signature(c, s)->n_flows;
    return there ? c->words.at[s->rels + flow] : 0;
}

/* ---- verifier ---- */

static void check(bool holds, const char *invariant, uint32_t number)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: invariant %s is broken at %u\n", invariant, number);
    abort();
}

static void verify_sum(const Connect *c, uint32_t id)
{
    const Sum *s = &c->sum.at[id];
    check(s->n >= 1 && s->n <= FAN && s->listed == (s->n < FAN) && !s->dirty, "C3", id);
    check(s->parent ? c->sum.at[s->parent].child[s->slot] == id : c->set.at[s->set].root == id,
          "C3", id);
    for (uint32_t k = 0; k < s->n; k++) {
        if (s->level == 0) {
            const Node *node = &c->node.at[s->child[k]];
            check(node->sum == id && node->slot == k && node->set == s->set, "C2", s->child[k]);
        } else {
            const Sum *below = &c->sum.at[s->child[k]];
            check(below->parent == id && below->set == s->set, "C3", s->child[k]);
        }
    }
}

void connect_verify(const Connect *c)
{
    uint32_t sets = 0;
    for (uint32_t id = 1; id < c->sum.n; id++)
        if (c->sum.at[id].set)
            verify_sum(c, id);
    for (uint32_t id = 1; id < c->set.n; id++)
        sets += c->set.at[id].n > 0;
    check(sets == c->n_sets, "C1", sets);
    for (uint32_t id = 1; id < c->node.n; id++) {
        const Node *node = &c->node.at[id];
        if (node->set)
            check(node->first_edge && c->sum.at[node->sum].child[node->slot] == id, "C2", id);
    }
    for (uint32_t id = 1; id < c->edge.n; id++) {
        const Edge *e = &c->edge.at[id];
        if (e->node[0])
            check(c->node.at[e->node[0]].set == c->node.at[e->node[1]].set, "C1", id);
    }
}
