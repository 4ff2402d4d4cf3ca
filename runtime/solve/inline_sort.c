/* inline_sort.c: relations, each with what it determines -> strong components in order. See inline_plan.h.
 *
 * Tarjan's algorithm (SIAM J. Comput. 1, 1972) with stacks of its own. A component is complete when all that it depends on is.
 */
#include "runtime/solve/inline_plan.h"

#include <string.h>

enum { ABSENT = 0, UNSEEN = 1, FIRST = 2 }; /* Sorting.number: then in the order of visits */

typedef struct Sorting {
    const InlineRel *rels;
    const uint32_t *rel_of;
    uint32_t *number, *low, *next, *component; /* of each relation; next: of its reads */
    uint32_t *open, *path; /* stacks: of components that are not complete; of visits */
    uint32_t n_open, n_path, visited, components;
} Sorting;

static void enter(Sorting *s, uint32_t r)
{
    s->number[r] = s->low[r] = s->visited++;
    s->next[r] = 0;
    s->component[r] = UINT32_MAX;
    s->open[s->n_open++] = r;
    s->path[s->n_path++] = r;
}

static void leave(Sorting *s, uint32_t r)
{
    s->n_path--;
    if (s->n_path && s->low[r] < s->low[s->path[s->n_path - 1]])
        s->low[s->path[s->n_path - 1]] = s->low[r];
    if (s->low[r] != s->number[r])
        return;
    uint32_t member;
    do {
        member = s->open[--s->n_open];
        s->component[member] = s->components;
    } while (member != r);
    s->components++;
}

static void visit_from(Sorting *s, uint32_t root)
{
    enter(s, root);
    while (s->n_path) {
        uint32_t r = s->path[s->n_path - 1];
        const InlineRel *rel = &s->rels[r];
        if (s->next[r] == rel->n_reads) {
            leave(s, r);
            continue;
        }
        uint32_t by = s->rel_of[rel->reads[s->next[r]++]];
        if (!by || s->number[--by] == ABSENT)
            continue;
        if (s->number[by] == UNSEEN)
            enter(s, by);
        else if (s->component[by] == UINT32_MAX && s->number[by] < s->low[r])
            s->low[r] = s->number[by];
    }
}

/* Relations by component, in the order of the list. */
static void hand_out(Mem *mem, const Sorting *s, uint32_t n, const uint32_t *list,
                     InlineOrder *order)
{
    vec_reserve(mem, &order->rels, n);
    vec_reserve(mem, &order->ends, s->components + 1);
    order->rels.n = n;
    order->ends.n = s->components;
    memset(order->ends.at, 0, (s->components + 1) * sizeof *order->ends.at);
    for (uint32_t i = 0; i < n; i++)
        order->ends.at[s->component[list[i]] + 1]++;
    for (uint32_t c = 0; c < s->components; c++)
        order->ends.at[c + 1] += order->ends.at[c];
    for (uint32_t i = 0; i < n; i++) /* where a component begins becomes where it ends */
        order->rels.at[order->ends.at[s->component[list[i]]]++] = list[i];
}

void inline_sort(Mem *mem, uint32_t n_rels, const InlineRel *rels, const uint32_t *rel_of,
                 uint32_t n, const uint32_t *list, InlineOrder *order)
{
    uint32_t *room = mem_alloc(mem, (4 * (size_t)n_rels + 2 * (size_t)n + 1) * sizeof *room);
    Sorting s = {.rels = rels, .rel_of = rel_of, .number = room, .visited = FIRST};
    s.low = s.number + n_rels;
    s.next = s.low + n_rels;
    s.component = s.next + n_rels;
    s.open = s.component + n_rels;
    s.path = s.open + n;
    for (uint32_t i = 0; i < n; i++)
        s.number[list[i]] = UNSEEN;
    for (uint32_t i = 0; i < n; i++)
        if (s.number[list[i]] == UNSEEN)
            visit_from(&s, list[i]);
    hand_out(mem, &s, n, list, order);
    mem_free(mem, room);
}

void inline_order_free(Mem *mem, InlineOrder *order)
{
    vec_free(mem, &order->rels);
    vec_free(mem, &order->ends);
}
