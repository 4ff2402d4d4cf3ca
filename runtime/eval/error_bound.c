/* error_bound.c: an expression in a node -> how exactly its value is known, and how fast what it is
 * made of moves.
 *
 * Sizes, not values, go through the nodes on the way to the expression: each input of a node counts
 * with the size of the derivative by it, so nothing cancels. A loop's derivatives are those of its
 * solution, and tell how it amplifies, also the rounding of its own relations. This takes one
 * solution per input and per relation and is for events in which rounding decides
 * (mode_search.c).
 */
#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_whole.h"

#include "base/map.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    struct Sizes *slopes; /* of what slopes of states are made of; NULL: drift is not asked for */
} Sizes;

static void pass_cone(Sizes *s, DdpVar var);
static ErrorBound size_of(Sizes *s, DdpVar var);

/* Below this, products lose digits. */
static const double LEAST = DBL_MIN / DBL_EPSILON;

static ErrorBound size_of_state(Sizes *s, DdpVar var)
{
    const Sim *sim = s->sim;
    DdpVar slope = sim->states.at[sim->info[var].state - 1].slope;
    ErrorBound size = {.speed = fabs(sim->value[slope]),
                       .tolerance = values_allowed(sim, var, fabs(sim->value[var]))};
    if (s->slopes) {
        pass_cone(s->slopes, slope);
        size.drift = size_of(s->slopes, slope).rounding;
    }
    return size;
}

static ErrorBound size_of(Sizes *s, DdpVar var)
{
    const Sim *sim = s->sim;
    uint32_t i = map_get(&s->index, var);
    ErrorBound size = {0};
    if (i)
        size = s->of.at[i];
    else if (sim->info[var].state)
        size = size_of_state(s, var);
    else if (var == sim->clock)
        size.speed = 1;
    size.rounding += DBL_EPSILON * fabs(sim->value[var]) + LEAST;
    return size;
}

static void sum_up(ErrorBound *sum, ErrorBound size, double factor)
{
    sum->rounding += factor * size.rounding;
    sum->tolerance += factor * size.tolerance;
    sum->speed += factor * size.speed;
    sum->drift += factor * (size.drift + DBL_EPSILON * size.speed);
}

static void add(Sizes *s, DdpVar var, ErrorBound size, double factor)
{
    uint32_t i = map_get(&s->index, var);
    if (!i) {
        i = s->of.n;
        vec_push(s->sim->mem, &s->of, (ErrorBound){0});
        map_put(s->sim->mem, &s->index, var, i);
    }
    sum_up(&s->of.at[i], size, fabs(factor));
}

static double derivative(Sim *sim, const EvalOp *op, const Code *code, DdpVar var)
{
    const double *tangents;
    sim->tangent[var] = 1;
    interp_tangent(code, op->vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    sim->tangent[var] = 0;
    return fabs(tangents[0]);
}

/* What the tangents of a relation add up to, each by its size. */
static double speed_within(Sizes *s, const EvalOp *op, const Code *code)
{
    double sum = 0;
    for (uint32_t k = 0; k < ddp_rel(s->sim->ddp, op->rel).n; k++)
        if (op->vars[k])
            sum += derivative(s->sim, op, code, op->vars[k]) * size_of(s, op->vars[k]).speed;
    return sum;
}

/* Rounding in a relation of a loop, and in its tangent: as the solution amplifies it, and in the
 * step that determines a variable from it. */
static void add_relation(Sizes *s, const EvalNode *node, LoopWhole *whole, uint32_t i,
                         double *right)
{
    Sim *sim = s->sim;
    const EvalOp *op = &node->ops[i];
    const Code *code = loop_whole_code(whole, i);
    uint32_t n = node->n_steps + node->n_tears;
    double speed = s->slopes ? DBL_EPSILON * speed_within(s, op, code) : 0;
    if (i < node->n_steps && op->target) {
        double slope = derivative(sim, op, code, op->target);
        double size = DBL_EPSILON * loop_check_size(sim, op, code);
        if (slope > 0)
            add(s, op->target, (ErrorBound){.rounding = size, .drift = speed}, 1 / slope);
    }
    if (speed == 0)
        return;
    memset(right, 0, n * sizeof *right);
    right[i] = speed;
    loop_whole_apply(sim, whole, right);
    for (uint32_t k = 0; k < n; k++)
        add(s, loop_whole_unknowns(whole)[k], (ErrorBound){.drift = fabs(right[k])}, 1);
}

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
        for (uint32_t i = 0; i < n; i++)
            add_relation(s, node, whole, i, bound);
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

static void close_sizes(Sizes *s)
{
    vec_free(s->sim->mem, &s->of);
    vec_free(s->sim->mem, &s->stack);
    map_free(s->sim->mem, &s->index);
    map_free(s->sim->mem, &s->seen);
}

static ErrorBound bound_of(Sim *sim, const EvalOp *op, const Code *code, Sizes *slopes)
{
    Sizes s = {.sim = sim, .slopes = slopes};
    ErrorBound sum = {0};
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    vec_push(sim->mem, &s.of, (ErrorBound){0});
    for (uint32_t k = 0; k < rel.n; k++) {
        DdpVar var = op->vars[k];
        if (!var || var == op->target)
            continue;
        pass_cone(&s, var);
        sum_up(&sum, size_of(&s, var), derivative(sim, op, code, var));
    }
    close_sizes(&s);
    return sum;
}

ErrorBound error_bound(Sim *sim, const EvalOp *op, const Code *code)
{
    return bound_of(sim, op, code, NULL);
}

ErrorBound error_bound_of_var(Sim *sim, DdpVar var)
{
    Sizes s = {.sim = sim};
    vec_push(sim->mem, &s.of, (ErrorBound){0});
    pass_cone(&s, var);
    ErrorBound bound = size_of(&s, var);
    close_sizes(&s);
    return bound;
}

ErrorBound error_bound_of_slope(Sim *sim, const EvalOp *op, const Code *code)
{
    Sizes slopes = {.sim = sim};
    vec_push(sim->mem, &slopes.of, (ErrorBound){0});
    ErrorBound bound = bound_of(sim, op, code, &slopes);
    close_sizes(&slopes);
    return bound;
}
