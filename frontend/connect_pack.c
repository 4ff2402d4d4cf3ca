/* connect_pack.c: connections, their sets and zero-sums <-> a block of bytes. See world.h.
 *
 * Everything by its number, as it is. The bundle of a set is that of any of its connectors: all
 * have the same names. */
#include "base/pack.h"
#include "frontend/connect_int.h"

static void pack_nodes(Connect *c, Pack *p)
{
    PACK_LENGTH(p, &c->node, 1);
    for (uint32_t i = 1; i < c->node.n; i++) {
        Node *node = &c->node.at[i];
        PACK(p, node->model);
        PACK(p, node->inst);
        PACK(p, node->bundle);
        PACK(p, node->other);
        PACK(p, node->set);
        PACK(p, node->first_edge);
        PACK(p, node->sum);
        PACK(p, node->slot);
        PACK_BIT(p, node->own);
    }
    PACK(p, c->free_node);
    pack_map(p, &c->node_of);
}

static void pack_sums(Connect *c, Pack *p)
{
    PACK_LENGTH(p, &c->sum, 1);
    for (uint32_t i = 1; i < c->sum.n; i++) {
        Sum *sum = &c->sum.at[i];
        PACK(p, sum->set);
        PACK(p, sum->parent);
        PACK(p, sum->child);
        PACK(p, sum->next);
        PACK(p, sum->prev);
        PACK(p, sum->vars);
        PACK(p, sum->rels);
        PACK(p, sum->n);
        PACK(p, sum->level);
        PACK(p, sum->slot);
        PACK_BIT(p, sum->listed);
        PACK_BIT(p, sum->dirty);
    }
    PACK(p, c->free_sum);
}

static void pack_sets(Connect *c, Pack *p)
{
    PACK_LENGTH(p, &c->set, 1);
    for (uint32_t i = 1; i < c->set.n; i++) {
        PACK(p, c->set.at[i].n);
        PACK(p, c->set.at[i].root);
        PACK(p, c->set.at[i].open);
    }
    PACK(p, c->free_set);
    PACK(p, c->n_sets);
}

static void find_bundles(Connect *c, Pack *p)
{
    for (uint32_t i = 1; i < c->node.n && !p->bad; i++) {
        const Node *node = &c->node.at[i];
        if (!node->set)
            continue;
        if (node->set >= c->set.n || !world_alive(c->world, node->inst))
            p->bad = true;
        else
            connect_shape(c, &c->set.at[node->set],
                          connect_bundle(c, world_at(c->world, node->inst), node->bundle),
                          node->inst);
        connect_end_read(c, node);
    }
}

void connect_pack(Connect *c, Pack *p)
{
    pack_nodes(c, p);
    PACK_LIST(p, &c->edge);
    PACK(p, c->free_edge);
    PACK(p, c->n_edges);
    c->n_spares = 0;
    for (uint32_t i = 1; i < c->edge.n; i++)
        c->n_spares += c->edge.at[i].inst && !c->edge.at[i].node[0];
    pack_sums(c, p);
    pack_sets(c, p);
    PACK_LIST(p, &c->words);
    PACK(p, c->free_block);
    if (!p->writing)
        find_bundles(c, p);
}
