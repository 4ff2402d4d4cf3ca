/* connect_verify.c: connection sets -> nothing, or an abort with the number of the invariant that
 * is broken. The numbers are those of connect.c. */
#include "frontend/connect_int.h"

#include <stdio.h>
#include <stdlib.h>

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
            check((node->first_edge || map_get(&c->open_of, node->inst)) &&
                      c->sum.at[node->sum].child[node->slot] == id,
                  "C2", id);
    }
    for (uint32_t id = 1; id < c->edge.n; id++) {
        const Edge *e = &c->edge.at[id];
        if (e->node[0])
            check(c->node.at[e->node[0]].set == c->node.at[e->node[1]].set, "C1", id);
    }
}
