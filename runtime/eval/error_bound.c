/* error_bound.c: an expression in a node -> how exactly its value is known, and how fast what it is
 * made of moves.
 *
 * Sizes, not values, go through the nodes on the way to the expression: each input of a node counts
 * with the size of the derivative by it, so nothing cancels. A loop's derivatives are those of its
 * solution, and tell how it amplifies, also the rounding of its own relations. This takes one
 * solution per input and per relation and is for events in which rounding decides
 * (mode_search.c).
 */
#include "runtime/eval/loop_whole.h"

#include "base/map.h"

#include <float.h>
#include <math.h>

typedef struct Visit {
    DdpNode node;
    uint32_t next;
} Visit;

typedef struct Sizes {
    Sim *sim;
    VEC(ErrorBound) of; /* first one unused */
    Map index;          /* variable -> place in `of` */
    Map seen;           /* nodes */
    VEC(Visit) stack;
} Sizes;

static ErrorBound size_of(Sizes *s, DdpVar var)
{
    const Sim *sim = s->sim;
    uint32_t i = map_get(&s->index, var);
    ErrorBound size = {0};
    if (i)
        size = s->of.at[i];
    else if (sim->info[var].state)
        size =
            (ErrorBound){.speed = fabs(sim->value[sim->states.at[sim->info[var].state - 1].slope]),
                         .tolerance = sim->opt.rtol * fabs(sim->value[var]) + sim->opt.atol};
    else if (var == sim->clock)
        size.speed = 1;
    size.rounding += DBL_EPSILON * fabs(sim->value[var]);
    return size;
}

static void add(Sizes *s, DdpVar var, ErrorBound size, double factor)
{
    uint32_t i = map_get(&s->index, var);
    if (!i) {
        i = s->of.n;
        vec_push(s->sim->mem, &s->of, (ErrorBound){0});
        map_put(s->sim->mem, &s->index, var, i);
    }
    s->of.at[i].rounding += fabs(factor) * size.rounding;
    s->of.at[i].tolerance += fabs(factor) * size.tolerance;
    s->of.at[i].speed += fabs(factor) * size.speed;
}

/* Rounding in the relations of a loop, as its solution amplifies it. */
static void add_loop(Sizes *s, const EvalNode *node)
{
    Sim *sim = s->sim;
    uint32_t n = node->n_steps + node->n_tears;
    double *bound = mem_alloc(sim->mem, 2 * (size_t)n * sizeof *bound);
    LoopWhole *whole = loop_whole_open(sim, node);
    if (loop_whole_factor(sim, whole, bound + n)) {
        loop_whole_rounding(sim, whole, bound);
        for (uint32_t i = 0; i < n; i++)
            add(s, loop_whole_unknowns(whole)[i], (ErrorBound){.rounding = bound[i]}, 1);
    }
    loop_whole_close(sim, whole);
    mem_free(sim->mem, bound);
}

static void pass_node(Sizes *s, DdpNode n)
{
    Sim *sim = s->sim;
    const EvalNode *node = &sim->nodes.at[n];
    for (uint32_t k = 0; k < node->n_reads; k++) {
        DdpVar var = node->reads[k].var;
        ErrorBound size = size_of(s, var);
        sim->tangent[var] = 1;
        evaluate_tangent_node(sim, n);
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
            add(s, node_output(node, i), size, sim->tangent[node_output(node, i)]);
        evaluate_clear_tangents(sim, n);
        sim->tangent[var] = 0;
    }
    if (node->loop)
        add_loop(s, node);
}

static void enter(Sizes *s, DdpVar var)
{
    Sim *sim = s->sim;
    DdpNode n = sim->info[var].node;
    if (sim->info[var].state || !n || !sim->nodes.at[n].varies || map_get(&s->seen, n))
        return;
    map_put(sim->mem, &s->seen, n, 1);
    vec_push(sim->mem, &s->stack, ((Visit){n, 0}));
}

static void pass_cone(Sizes *s, DdpVar var)
{
    enter(s, var);
    while (s->stack.n) {
        Visit *visit = &vec_last(&s->stack);
        const EvalNode *node = &s->sim->nodes.at[visit->node];
        if (visit->next < node->n_reads) {
            enter(s, node->reads[visit->next++].var);
            continue;
        }
        pass_node(s, visit->node);
        s->stack.n--;
    }
}

ErrorBound error_bound(Sim *sim, const EvalOp *op, const Code *code)
{
    Sizes s = {.sim = sim};
    ErrorBound sum = {0};
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    vec_push(sim->mem, &s.of, (ErrorBound){0});
    for (uint32_t k = 0; k < rel.n; k++) {
        const double *tangents;
        DdpVar var = op->vars[k];
        if (!var || var == op->target)
            continue;
        pass_cone(&s, var);
        sim->tangent[var] = 1;
        interp_tangent(code, op->vars, sim->value, sim->tangent, sim->room.interp, &tangents,
                       evaluate_foreign, sim);
        sim->tangent[var] = 0;
        ErrorBound size = size_of(&s, var);
        sum.rounding += fabs(tangents[0]) * size.rounding;
        sum.tolerance += fabs(tangents[0]) * size.tolerance;
        sum.speed += fabs(tangents[0]) * size.speed;
    }
    vec_free(sim->mem, &s.of);
    vec_free(sim->mem, &s.stack);
    map_free(sim->mem, &s.index);
    map_free(sim->mem, &s.seen);
    return sum;
}
