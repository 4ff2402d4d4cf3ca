/* connect.c: connections -> sets of connectors -> equalities and zero-sums.
 *
 * Connections are the edges of a graph, per model; what hangs together is a set (thesis 5.5.4). The
 * graph must stay a forest, so every edge stands for one equality per potential: n - 1 of them in a
 * set of n, as the modeller drew them. Adding or removing an edge touches its own equalities only.
 * The flows are in connect_sum.c.
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
    }
    map_free(c->mem, &c->node_of);
    map_free(c->mem, &c->sum_forms);
    mem_free(c->mem, c);
}

/* ---- blocks of numbers ---- */

uint32_t connect_block_take(Connect *c, uint32_t n)
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

void connect_block_give(Connect *c, uint32_t at, uint32_t n)
{
    if (!at || n >= 64)
        return;
    c->words.at[at] = c->free_block[n];
    c->free_block[n] = at;
}

/* ---- variables of connectors ---- */

DdpVar connect_terminal(const Connect *c, uint32_t inst, const Terminal *t)
{
    const Inst *at = world_at(c->world, inst);
    for (uint32_t i = 0; i + 1 < t->n; i++)
        at = world_at(c->world, at->word[t->word[i]]);
    return at->word[t->word[t->n - 1]];
}

const Signature *connect_signature(const Connect *c, const Inst *inst)
{
    return plans_signature(c->world->plans, inst->plan);
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
    const Signature *sa = connect_signature(c, a), *sb = connect_signature(c, b);
    uint32_t block = connect_block_take(c, sa->n_potentials);
    c->edge.at[id].rels = block;
    for (uint32_t i = 0; i < sa->n_potentials; i++) {
        DdpVar vars[2] = {connect_terminal(c, a->id, &sa->potentials[i]),
                          connect_terminal(c, b->id, &sb->potentials[i])};
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
    c->n_edges++;
    return id;
}

static void report_difference(Connect *c, const Inst *a, const Inst *b, Place at)
{
    World *w = c->world;
    const Intern *names = program_names(w->program);
    const Inst *side[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const Signature *s = connect_signature(c, side[i]), *other = connect_signature(c, side[!i]);
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
    const Signature *sa = connect_signature(c, a), *sb = connect_signature(c, b);
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
    uint32_t model = follow_model(c->world, inst);
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
            follow_unlink(c->world, e.link[end]);
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
