/* connect.c: connections -> sets of connectors -> equalities and zero-sums.
 *
 * Connections are the edges of a graph, per model; what hangs together is a set (thesis 5.5.4). The
 * graph is kept a forest, so every edge stands for one equality per potential: n - 1 of them in a
 * set of n, as the modeller drew them; one that would close a cycle is kept in reserve. Adding or removing an edge touches its own equalities only.
 * The flows are in connect_sum.c.
 *
 * Where the ends have only some names in common, there is an edge (and are sets) for each bundle of
 * names that both have (terminals.c); nearly always that is one. Connectors inside connectors have edges of their own.
 *
 * Union: the smaller set is moved into the larger. Split, when an edge goes: both sides are
 * searched in lockstep, edge by edge, and the one that ends first is moved to a set of its own. So
 * the cost is that of the smaller side; for a pin that leaves a node it is constant, whatever the
 * size of the node.
 *
 * Invariants
 *   C1  a node exists as long as it has edges, or is open and a set by itself (connect_open.c); all nodes of a set
 *       hang together.
 *   C2  a node is a term of exactly one sum of level 0 of its set; sum and slot name each other.
 *   C3  a sum other than the root has its set's number, a parent, and between 1 and FAN terms; it
 * is in the list of its level if and only if it has room.
 */
#include "frontend/connect_int.h"

#include <string.h>

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
        vec_free(c->mem, &c->vars[i]);
    }
    map_free(c->mem, &c->node_of);
    map_free(c->mem, &c->open_of);
    map_free(c->mem, &c->sum_forms);
    mem_free(c->mem, c);
}

/* ---- blocks of numbers ---- */

enum { SHORT_BLOCK = 64 };

/* The list of free blocks that one of n belongs to: long ones have room for a power of two. */
static uint32_t block_list(uint32_t n, uint32_t *room)
{
    uint32_t list = SHORT_BLOCK;
    *room = n;
    if (n < SHORT_BLOCK)
        return n;
    for (*room = SHORT_BLOCK; *room < n; *room *= 2)
        list++;
    return list;
}

uint32_t connect_block_take(Connect *c, uint32_t n)
{
    if (n == 0)
        return 0;
    uint32_t room, *head = &c->free_block[block_list(n, &room)], at;
    if (*head) {
        at = *head;
        *head = c->words.at[at];
    } else {
        at = c->words.n;
        vec_reserve(c->mem, &c->words, c->words.n + room);
        c->words.n += room;
    }
    memset(&c->words.at[at], 0, n * sizeof(uint32_t));
    return at;
}

void connect_block_give(Connect *c, uint32_t at, uint32_t n)
{
    if (!at)
        return;
    uint32_t room, *head = &c->free_block[block_list(n, &room)];
    c->words.at[at] = *head;
    *head = at;
}

/* ---- variables of connectors ---- */

const Bundle *connect_bundle(const Connect *c, const Inst *inst, uint32_t id)
{
    return signature_bundle(plans_signature(c->world->plans, inst->plan), id);
}

/* ---- sets ---- */

static uint32_t set_new(Connect *c)
{
    uint32_t id = c->free_set;
    if (id) {
        c->free_set = c->set.at[id].open[0];
    } else {
        id = c->set.n;
        vec_push(c->mem, &c->set, (Set){0});
    }
    c->set.at[id] = (Set){0};
    c->n_sets++;
    return id;
}

static void set_add(Connect *c, uint32_t set, uint32_t node)
{
    c->node.at[node].set = set;
    c->set.at[set].n++;
    connect_sum_add(c, node);
}

static void set_take(Connect *c, uint32_t node)
{
    uint32_t set = c->node.at[node].set;
    connect_sum_remove(c, node);
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
static void set_join(Connect *c, uint32_t a, uint32_t b, const Bundle *bundle)
{
    uint32_t set_a = c->node.at[a].set, set_b = c->node.at[b].set;
    if (!set_a && !set_b) {
        uint32_t set = set_new(c);
        connect_shape(c, &c->set.at[set], bundle, c->node.at[a].inst);
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

/* An empty set for nodes of the other one. */
static uint32_t set_like(Connect *c, uint32_t other)
{
    uint32_t set = set_new(c);
    const Set *from = &c->set.at[other];
    c->set.at[set] =
        (Set){.bundle = from->bundle, .n_potentials = from->n_potentials, .n_flows = from->n_flows};
    return set;
}

/* The edge between a and b is no longer in the lists. */
static void set_split(Connect *c, uint32_t a, uint32_t b)
{
    uint32_t set = c->node.at[a].set;
    side_start(c, &c->side[0], a);
    side_start(c, &c->side[1], b);
    for (;;) {
        for (int i = 0; i < 2; i++) {
            if (side_step(c, &c->side[i]))
                continue;
            if (c->side[i].nodes.n == 1 && !c->node.at[c->side[i].nodes.at[0]].first_edge)
                set_take(c, c->side[i].nodes.at[0]);
            else
                set_move(c, &c->side[i], set_like(c, set));
            return;
        }
    }
}

/* ---- nodes and edges ---- */

static uint64_t node_key(uint32_t model, uint32_t inst)
{
    return (uint64_t)model << 32 | inst;
}

static uint32_t node_new(Connect *c)
{
    uint32_t id = c->free_node;
    if (id) {
        c->free_node = c->node.at[id].first_edge;
        return id;
    }
    vec_push(c->mem, &c->node, (Node){0});
    return c->node.n - 1;
}

/* The node of an instance in the sets of a model, for one bundle. */
static uint32_t node_get(Connect *c, uint32_t model, uint32_t inst, bool own, uint32_t bundle)
{
    uint32_t first = map_get(&c->node_of, node_key(model, inst));
    for (uint32_t id = first; id; id = c->node.at[id].other)
        if (c->node.at[id].bundle == bundle)
            return id;
    uint32_t id = node_new(c);
    c->node.at[id] =
        (Node){.model = model, .inst = inst, .bundle = bundle, .other = first, .own = own};
    map_put(c->mem, &c->node_of, node_key(model, inst), id);
    return id;
}

bool connect_is_term(const Connect *c, InstId model, InstId inst)
{
    for (uint32_t id = map_get(&c->node_of, node_key(model, inst)); id; id = c->node.at[id].other)
        if (c->node.at[id].first_edge && !c->node.at[id].own)
            return true;
    return false;
}

static void node_forget(Connect *c, uint32_t id)
{
    const Node *node = &c->node.at[id];
    uint64_t key = node_key(node->model, node->inst);
    uint32_t first = map_get(&c->node_of, key);
    if (first == id && node->other) {
        map_put(c->mem, &c->node_of, key, node->other);
    } else if (first == id) {
        map_remove(&c->node_of, key);
    } else {
        while (c->node.at[first].other != id)
            first = c->node.at[first].other;
        c->node.at[first].other = node->other;
    }
}

static void node_free_if_bare(Connect *c, uint32_t id)
{
    if (c->node.at[id].first_edge)
        return;
    if (c->node.at[id].set)
        set_take(c, id);
    node_forget(c, id);
    c->node.at[id] = (Node){.first_edge = c->free_node};
    c->free_node = id;
}

bool connect_end_open(Connect *c, InstId model, InstId inst)
{
    const Signature *s = plans_signature(c->world->plans, world_at(c->world, inst)->plan);
    bool any = false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->bundle[i].n_flows)
            continue;
        uint32_t node = node_get(c, model, inst, false, s->bundle[i].id);
        if (c->node.at[node].set)
            continue;
        uint32_t set = set_new(c);
        connect_shape(c, &c->set.at[set], &s->bundle[i], inst);
        set_add(c, set, node);
        any = true;
    }
    if (any)
        map_put(c->mem, &c->open_of, inst, model);
    c->open_untold |= any;
    return any;
}

void connect_end_close(Connect *c, InstId inst)
{
    uint32_t model = map_get(&c->open_of, inst);
    if (!model)
        return;
    map_remove(&c->open_of, inst);
    for (uint32_t id = map_get(&c->node_of, node_key(model, inst)), next; id; id = next) {
        next = c->node.at[id].other;
        node_free_if_bare(c, id);
    }
}

void connect_end_read(Connect *c, const Node *node)
{
    if (node_is_open(node))
        map_put(c->mem, &c->open_of, node->inst, node->model);
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

static void edge_enter(Connect *c, uint32_t id, const Inst *a, const Inst *b, uint32_t bundle,
                       DdpVar logic)
{
    const Bundle *sa = connect_bundle(c, a, bundle), *sb = connect_bundle(c, b, bundle);
    Vars *va = &c->vars[0], *vb = &c->vars[1];
    vec_clear(va);
    vec_clear(vb);
    connect_vars(c, a->id, sa->n_potentials, sa->potentials, va);
    connect_vars(c, b->id, sb->n_potentials, sb->potentials, vb);
    uint32_t block = connect_block_take(c, va->n);
    c->edge.at[id].rels = block;
    for (uint32_t i = 0; i < va->n; i++) {
        DdpVar vars[2] = {va->at[i], vb->at[i]};
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
    uint32_t n = c->set.at[c->node.at[e->node[0]].set].n_potentials;
    for (uint32_t i = n; i-- > 0;)
        world_leave_rel(c->world, c->words.at[e->rels + i]);
    connect_block_give(c, e->rels, n);
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
    return id;
}

static bool is_spare(const Edge *e)
{
    return e->inst && !e->node[0];
}

static void edge_free(Connect *c, uint32_t id)
{
    c->edge.at[id] = (Edge){.next = {c->free_edge}};
    c->free_edge = id;
}

/* Takes one bundle's edge out again. */
static void edge_remove(Connect *c, uint32_t id)
{
    Edge e = c->edge.at[id];
    if (is_spare(&e)) {
        c->n_spares--;
        edge_free(c, id);
        return;
    }
    edge_leave(c, id);
    edge_unlist(c, id);
    set_split(c, e.node[0], e.node[1]);
    for (int end = 0; end < 2; end++)
        node_free_if_bare(c, e.node[end]);
    edge_free(c, id);
    c->lost = true;
}

typedef struct Ends {
    Inst *inst; /* of the statement */
    uint32_t op;
    Inst *a, *b;
    bool own_a, own_b;
    Place at;
} Ends;

static uint32_t spare_new(Connect *c, const Ends *ends, const Bundle *bundle)
{
    uint32_t id = edge_new(c, 0, 0, ends->inst->id, ends->op, ends->at);
    Edge *e = &c->edge.at[id];
    e->spare.end[0] = ends->a->id;
    e->spare.end[1] = ends->b->id;
    e->spare.bundle = bundle->id;
    e->spare.own[0] = ends->own_a;
    e->spare.own[1] = ends->own_b;
    c->n_spares++;
    return id;
}

static void edge_join(Connect *c, uint32_t id, uint32_t a, uint32_t b, const Bundle *bundle)
{
    Edge *e = &c->edge.at[id];
    e->node[0] = a;
    e->node[1] = b;
    set_join(c, a, b, bundle);
    edge_list(c, id);
    edge_enter(c, id, world_at(c->world, c->node.at[a].inst),
               world_at(c->world, c->node.at[b].inst), bundle->id,
               world_at(c->world, c->edge.at[id].inst)->logic);
}

void connect_use_spares(Connect *c)
{
    bool any = c->lost && c->n_spares;
    c->lost = false;
    for (uint32_t id = 1; any && id < c->edge.n; id++) {
        const Edge *e = &c->edge.at[id];
        if (!is_spare(e))
            continue;
        const Inst *first = world_at(c->world, e->spare.end[0]);
        uint32_t model = follow_model(c->world, world_at(c->world, e->inst)), node[2];
        uint32_t bundle = e->spare.bundle;
        for (int i = 0; i < 2; i++)
            node[i] = node_get(c, model, c->edge.at[id].spare.end[i], c->edge.at[id].spare.own[i],
                               bundle);
        if (c->node.at[node[0]].set && c->node.at[node[0]].set == c->node.at[node[1]].set)
            continue;
        c->n_spares--;
        edge_join(c, id, node[0], node[1], connect_bundle(c, first, bundle));
    }
}

bool connect_has_spares(const Connect *c)
{
    return c->n_spares;
}

void connect_tell_spares(Connect *c)
{
    World *w = c->world;
    for (uint32_t id = 1; c->n_spares && id < c->edge.n; id++) {
        Edge *e = &c->edge.at[id];
        if (!is_spare(e) || e->spare.told || map_get(&w->warned, e->at))
            continue;
        e->spare.told = true;
        map_put(w->mem, &w->warned, e->at, 1);
        world_remark(w, e->at, "this connection says nothing new: '%s' is connected already",
                     world_path_text(w, e->spare.end[1]));
    }
}

/* The edge for one bundle; a spare one where it would close a cycle. */
static uint32_t edge_add(Connect *c, const Ends *ends, const Bundle *bundle)
{
    uint32_t model = follow_model(c->world, ends->inst);
    connect_end_close(c, ends->a->id);
    connect_end_close(c, ends->b->id);
    uint32_t a = node_get(c, model, ends->a->id, ends->own_a, bundle->id);
    uint32_t b = node_get(c, model, ends->b->id, ends->own_b, bundle->id);
    if (c->node.at[a].set && c->node.at[a].set == c->node.at[b].set)
        return spare_new(c, ends, bundle);
    uint32_t id = edge_new(c, a, b, ends->inst->id, ends->op, ends->at);
    edge_join(c, id, a, b, bundle);
    return id;
}

static void edges_remove(Connect *c, uint32_t first)
{
    for (uint32_t id = first, also; id; id = also) {
        also = c->edge.at[id].also;
        edge_remove(c, id);
    }
}

static bool edges_add(Connect *c, const Ends *ends, uint32_t *first, bool *common);

/* Connectors of the same name inside both ends, those of arrays one by one. */
static bool edges_inside(Connect *c, const Ends *ends, const Terminal *ta, const Terminal *tb,
                         uint32_t *first, bool *common)
{
    Meeting meeting = {{ends->a, ends->b}, {ta, tb}, ends->at};
    if (!connect_fits(c, &meeting))
        return false;
    Vars a = {0}, b = {0};
    bool good = true;
    connect_elements(c, ends->a->word[ta->word], ta->rank, &a);
    connect_elements(c, ends->b->word[tb->word], tb->rank, &b);
    *common |= !a.n; /* of nothing all is connected */
    for (uint32_t i = 0; i < a.n && i < b.n && good; i++) {
        Ends inner = *ends;
        if (!a.at[i] || !b.at[i])
            continue;
        inner.a = world_at(c->world, a.at[i]);
        inner.b = world_at(c->world, b.at[i]);
        good = edges_add(c, &inner, first, common);
    }
    vec_free(c->mem, &a);
    vec_free(c->mem, &b);
    return good;
}

/* One edge for each bundle that both ends have, and so for connectors inside, linked to each other. False: arrays do not fit. */
static bool edges_add(Connect *c, const Ends *ends, uint32_t *first, bool *common)
{
    const Signature *s = plans_signature(c->world->plans, ends->a->plan);
    const Signature *t = plans_signature(c->world->plans, ends->b->plan);
    bool good = true;
    for (uint32_t i = s->n; i-- > 0 && good;) {
        if (!connect_bundle(c, ends->b, s->bundle[i].id))
            continue;
        *common = true;
        good = connect_bundles_fit(c, ends->a, ends->b, s->bundle[i].id, ends->at);
        if (!good)
            break;
        uint32_t id = edge_add(c, ends, &s->bundle[i]);
        c->edge.at[id].also = *first;
        *first = id;
    }
    for (uint32_t i = 0; i < s->n_inner && good; i++)
        for (uint32_t k = 0; k < t->n_inner && good; k++)
            if (s->inner[i].name == t->inner[k].name)
                good = edges_inside(c, ends, &s->inner[i], &t->inner[k], first, common);
    return good;
}

uint32_t connect_add(Connect *c, Inst *inst, uint32_t op, Inst *a, bool own_a, Inst *b, bool own_b,
                     Place at)
{
    World *w = c->world;
    if (a == b) {
        world_fail(w, at, "connection of '%s' with itself", world_path_text(w, a->id));
        return 0;
    }
    bool common = false;
    uint32_t first = 0;
    Ends ends = {inst, op, a, b, own_a, own_b, at};
    if (!edges_add(c, &ends, &first, &common)) {
        edges_remove(c, first);
        return 0;
    }
    if (!common) {
        world_fail(w, at, "connection: '%s' and the other end have no potential or flow in common",
                   world_path_text(w, a->id));
        return 0;
    }
    c->n_edges += first != 0;
    return first;
}

void connect_remove(Connect *c, uint32_t id)
{
    for (int end = 0; end < 2; end++)
        if (c->edge.at[id].link[end])
            follow_unlink(c->world, c->edge.at[id].link[end]);
    edges_remove(c, id);
    c->n_edges--;
}

/* ---- looking closer ---- */

EdgeView connect_edge(const Connect *c, uint32_t id)
{
    const Edge *e = &c->edge.at[id];
    if (is_spare(e))
        return (EdgeView){e->inst, e->op, e->spare.end[0], e->spare.end[1]};
    return (EdgeView){e->inst, e->op, c->node.at[e->node[0]].inst, c->node.at[e->node[1]].inst};
}

void connect_edge_links(Connect *c, uint32_t id, uint32_t link_a, uint32_t link_b)
{
    c->edge.at[id].link[0] = link_a;
    c->edge.at[id].link[1] = link_b;
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
    for (; id; id = c->edge.at[id].also) {
        const Edge *e = &c->edge.at[id];
        if (is_spare(e))
            continue;
        uint32_t n = c->set.at[c->node.at[e->node[0]].set].n_potentials;
        if (i < n)
            return c->words.at[e->rels + i];
        i -= n;
    }
    return 0;
}
