/* slope.c: an expression in a node -> its rate of change along the solution.
 *
 * Tangents start at states (their slopes) and at the clock (1) and are taken through the nodes on the way to the
 * expression and through no others: the cone of what it depends on, in an order in which each node comes after
 * what it reads (depth first, with an explicit stack). All tangents are 0 again afterwards.
 */
#include "runtime/eval/eval.h"

#include "base/map.h"

typedef struct Visit {
    DdpNode node;
    uint32_t next; /* read to look at */
} Visit;

typedef struct Cone {
    Sim *sim;
    VEC(Visit) stack;
    NodeList order;    /* nodes, what they read before them */
    VEC(DdpVar) roots; /* states, and the clock */
    Map seen;          /* node or variable | high bit -> 1 */
} Cone;

static const uint64_t VARIABLE = UINT64_C(1) << 40;

static bool first_time(Cone *cone, uint64_t key)
{
    if (map_get(&cone->seen, key))
        return false;
    map_put(cone->sim->mem, &cone->seen, key, 1);
    return true;
}

static void add_root(Cone *cone, DdpVar var, double tangent)
{
    cone->sim->tangent[var] = tangent;
    vec_push(cone->sim->mem, &cone->roots, var);
}

static void look_at(Cone *cone, DdpVar var)
{
    Sim *sim = cone->sim;
    const ValueInfo *info = &sim->info[var];
    if (info->state || var == sim->clock) {
        if (first_time(cone, VARIABLE | var))
            add_root(cone, var,
                     info->state ? sim->value[sim->states.at[info->state - 1].slope] : 1);
    } else if (info->node && sim->nodes.at[info->node].varies && first_time(cone, info->node)) {
        vec_push(sim->mem, &cone->stack, ((Visit){info->node, 0}));
    }
}

static void gather(Cone *cone, DdpNode from)
{
    Sim *sim = cone->sim;
    vec_push(sim->mem, &cone->stack, ((Visit){from, 0}));
    while (cone->stack.n) {
        Visit *visit = &vec_last(&cone->stack);
        const EvalNode *node = &sim->nodes.at[visit->node];
        if (visit->next < node->n_reads) {
            look_at(cone, node->reads[visit->next++].var);
            continue;
        }
        if (visit->node != from)
            vec_push(sim->mem, &cone->order, visit->node);
        cone->stack.n--;
    }
}

double slope_along(Sim *sim, DdpNode n, const EvalOp *op, const Code *code)
{
    Cone cone = {.sim = sim};
    const double *tangents;
    gather(&cone, n);
    for (uint32_t i = 0; i < cone.order.n; i++)
        evaluate_tangent_node(sim, cone.order.at[i]);
    interp_tangent(code, op->vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    double slope = tangents[0];
    for (uint32_t i = 0; i < cone.order.n; i++)
        evaluate_clear_tangents(sim, cone.order.at[i]);
    for (uint32_t i = 0; i < cone.roots.n; i++)
        sim->tangent[cone.roots.at[i]] = 0;
    vec_free(sim->mem, &cone.stack);
    vec_free(sim->mem, &cone.order);
    vec_free(sim->mem, &cone.roots);
    map_free(sim->mem, &cone.seen);
    return slope;
}
