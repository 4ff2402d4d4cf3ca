/* connect_sum.c: the flows of a set -> zero-sums.
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
 * its relations at once; it gets new ones in connect_flush(), once for all changes of an update. */
#include "frontend/connect_int.h"

#include <string.h>

/* ---- relations ---- */

static uint32_t flows_of(const Connect *c, const Sum *s)
{
    return c->set.at[s->set].n_flows;
}

static void sum_leave(Connect *c, uint32_t id)
{
    Sum *s = &c->sum.at[id];
    if (!s->rels)
        return;
    uint32_t n = flows_of(c, s);
    for (uint32_t i = n; i-- > 0;)
        world_leave_rel(c->world, c->words.at[s->rels + i]);
    connect_block_give(c, s->rels, n);
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
    uint32_t n = flows_of(c, s);
    for (uint32_t i = n; i-- > 0;)
        world_leave_var(c->world, c->words.at[s->vars + i]);
    connect_block_give(c, s->vars, n);
    s->vars = 0;
}

static bool term_negative(const Connect *c, const Sum *s, uint32_t k)
{
    return s->level == 0 && c->node.at[s->child[k]].own;
}

static void node_flows(const Connect *c, const Node *node, Vars *out)
{
    /* instances of one set may have different plans, with the same names */
    const Bundle *sig = connect_bundle(c, world_at(c->world, node->inst), node->bundle);
    connect_vars(c, node->inst, sig->n_flows, sig->flows, out);
}

/* All flows of term 0, then those of term 1, .. */
static void sum_terms(const Connect *c, const Sum *s, Vars *out)
{
    for (uint32_t k = 0; k < s->n; k++) {
        if (s->level == 0) {
            node_flows(c, &c->node.at[s->child[k]], out);
            continue;
        }
        for (uint32_t flow = 0; flow < flows_of(c, s); flow++)
            vec_push(c->mem, out, c->words.at[c->sum.at[s->child[k]].vars + flow]);
    }
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
    uint32_t flows = flows_of(c, &c->sum.at[id]);
    uint32_t block = connect_block_take(c, flows);
    Sum *s = &c->sum.at[id];
    s->rels = block;
    bool root = !s->parent;
    uint32_t negative = 0;
    for (uint32_t k = 0; k < s->n; k++)
        negative |= (uint32_t)term_negative(c, s, k) << k;
    Form form = sum_form(c, s->n, negative, root);
    Vars *terms = &c->vars[0];
    vec_clear(terms);
    sum_terms(c, s, terms);
    for (uint32_t flow = 0; flow < flows; flow++) {
        DdpVar vars[FAN + 1];
        uint32_t n = 0;
        if (!root)
            vars[n++] = c->words.at[s->vars + flow];
        for (uint32_t k = 0; k < s->n; k++)
            vars[n++] = terms->at[k * flows + flow];
        OwnerInfo owner = {.who = id, .what = flow, .tag = OWNER_SUM};
        c->words.at[block + flow] =
            world_enter_rel(c->world, DDP_EQUATION, form, n, vars, 0, 0, owner);
    }
}

static void sum_make_vars(Connect *c, uint32_t id)
{
    uint32_t flows = flows_of(c, &c->sum.at[id]);
    uint32_t block = connect_block_take(c, flows);
    c->sum.at[id].vars = block;
    for (uint32_t flow = 0; flow < flows; flow++) {
        OwnerInfo owner = {.who = id, .what = flow, .tag = OWNER_SUM};
        c->words.at[block + flow] = world_enter_var(c->world, DDP_UNKNOWN, owner);
    }
}

void connect_flush(Connect *c)
{
    connect_use_spares(c);
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

/* ---- the tree ---- */

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

void connect_sum_remove(Connect *c, uint32_t node)
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

void connect_sum_add(Connect *c, uint32_t node)
{
    sum_insert(c, c->node.at[node].set, 0, node);
}

/* ---- looking closer ---- */

static uint32_t sum_first_node(const Connect *c, uint32_t id)
{
    while (c->sum.at[id].level > 0)
        id = c->sum.at[id].child[0];
    return c->sum.at[id].child[0];
}

InstId connect_sum_model(const Connect *c, uint32_t sum)
{
    return c->node.at[sum_first_node(c, sum)].model;
}

/* Any connection of the first pin: the set has no place of its own. */
Place connect_sum_place(const Connect *c, uint32_t sum)
{
    const Node *node = &c->node.at[sum_first_node(c, sum)];
    return node_is_open(node) ? report_place_of(c->world, world_at(c->world, node->inst))
                              : c->edge.at[node->first_edge].at;
}

DdpVar connect_sum_flow(const Connect *c, uint32_t sum, uint32_t flow)
{
    Vars vars = {0};
    node_flows(c, &c->node.at[sum_first_node(c, sum)], &vars);
    DdpVar var = flow < vars.n ? vars.at[flow] : 0;
    vec_free(c->mem, &vars);
    return var;
}

uint32_t connect_sum_limit(const Connect *c)
{
    return c->sum.n;
}

DdpRel connect_sum_rel(const Connect *c, uint32_t id, uint32_t flow)
{
    const Sum *s = &c->sum.at[id];
    bool there = s->set && s->rels && flow < flows_of(c, s);
    return there ? c->words.at[s->rels + flow] : 0;
}
