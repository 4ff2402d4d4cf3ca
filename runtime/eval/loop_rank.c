/* loop_rank.c: a linear loop with factors -> is it singular up to rounding of what was given?
 *
 * Two gears between the same shafts, one of 1.3 and one of 1/1.3, say the same, but 1.3 * (1/1.3) need not be 1 in 53 bits. A loop of them
 * has a pivot of 1e-16 then, and a solution: rest. So before a linear loop counts as regular while the structure may
 * still change, it is asked whether rounding alone makes it so.
 *
 * Rule. Every factor that is no whole number is known up to LOOP_RANK_GIVEN of itself; whole ones are exact, zeros too. The loop is
 * singular if LOOP_RANK_GIVEN * rho(|inverse of A| E) >= 1, where A is the matrix of all its relations by all its variables, E has the sizes
 * of its factors that are not exact, and rho is the spectral radius. Below, no such change makes A singular; above, one of at most
 * 6 n times that size does (Rump, Ill-conditioned matrices are componentwise near to singularity, SIAM Review 41, 1999). Units of
 * equations and variables do not matter, and badly conditioned circuits are not suspected: no small change of the
 * resistances of a circuit makes it singular, however far apart these are.
 *
 * The radius needs the inverse, so it is taken only where digits are lost: in a torn loop on the way through the steps (what its
 * derivatives are, against what they would be if nothing cancelled) or in the factorisation.
 *
 * What is singular by this rule and agrees is set aside (redundant.c), what does not is a contradiction (loop_explain.c). What is
 * regular has its solution, and where that is rest, it is told (loop_rest.c).
 */
#include "runtime/eval/loop_rank.h"

#include "base/map.h"
#include "numerics/dense_distance.h"
#include "numerics/dense_lu.h"
#include "runtime/eval/rank_system.h"

#include <float.h>
#include <math.h>

enum { LARGEST = 600 };

static uint32_t size_of(const EvalNode *node)
{
    return node->n_steps + node->n_tears;
}

/* ---- are digits lost? ---- */

/* Of a step or a residual by one variable. */
static double derivative(Sim *sim, const EvalOp *op, DdpVar var)
{
    const double *tangents;
    sim->tangent[var] = 1;
    interp_tangent(op->code, op->vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    sim->tangent[var] = 0;
    double found = op->target ? sim->tangent[op->target] : tangents[0];
    if (op->target)
        sim->tangent[op->target] = 0;
    return found;
}

/* What the derivative of a step or residual would be if nothing cancelled, from those of its variables. */
static double sum_of_paths(Sim *sim, const EvalNode *node, uint32_t i, const Map *index,
                           const double *path)
{
    const EvalOp *op = &node->ops[i];
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    double sum = 0;
    for (uint32_t k = 0; k < rel.n; k++) {
        uint32_t from = op->vars[k] == op->target ? 0 : map_get(index, op->vars[k]);
        if (from && path[from - 1] != 0 && x_uses(sim->forms, op->value, k))
            sum += fabs(derivative(sim, op, op->vars[k])) * path[from - 1];
    }
    return sum;
}

/* The largest derivative of a residual that could be, in units of those that are there. */
static double lost_in_steps(Sim *sim, EvalNode *node)
{
    uint32_t n = node->n_tears, all = size_of(node);
    const double *row_scale = node_lu(node) + (size_t)n * n, *column_scale = row_scale + n;
    double *path = mem_alloc(sim->mem, (all + 1) * sizeof *path), most = 0;
    Map index = {0};
    for (uint32_t i = 0; i < all; i++)
        map_put(sim->mem, &index, node_output(node, i), i + 1);
    for (uint32_t j = 0; j < n; j++)
        path[map_get(&index, node_tears(node)[j]) - 1] = column_scale[j];
    for (uint32_t i = 0; i < all; i++) {
        double sum = sum_of_paths(sim, node, i, &index, path);
        if (i < node->n_steps)
            path[i] = sum;
        else
            most = fmax(most, sum * row_scale[i - node->n_steps]);
    }
    map_free(sim->mem, &index);
    mem_free(sim->mem, path);
    return most;
}

bool loop_rank_torn_loses_digits(Sim *sim, EvalNode *node)
{
    uint32_t n = node->n_tears;
    double *work = mem_alloc(sim->mem, (2 * (size_t)n + 1) * sizeof *work);
    double left = dense_lu_rcond(n, node_lu(node), node_pivot(node), work);
    mem_free(sim->mem, work);
    return !(left / fmax(1, lost_in_steps(sim, node)) > LOOP_RANK_LOST);
}

/* ---- the rule ---- */

static bool is_exact(double factor)
{
    return factor == rint(factor) && fabs(factor) < 1 / DBL_EPSILON;
}

double loop_rank_distance(Sim *sim, const EvalNode *node)
{
    uint32_t n = size_of(node);
    size_t cells = (size_t)n * n;
    if (n > LARGEST)
        return INFINITY;
    RankSystem system = rank_system_of_loop(sim, node);
    DenseRank matrix;
    double *a = mem_alloc(sim->mem, (2 * cells + 1) * sizeof *a), *e = a + cells;
    bool fine = rank_system_derivatives(&system, &matrix);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double factor = *dense_rank_at(&matrix, i, j);
            a[(size_t)i * n + j] = factor;
            e[(size_t)i * n + j] = is_exact(factor) ? 0 : fabs(factor);
        }
    double found = fine ? dense_distance(sim->mem, n, a, e) : 0;
    dense_rank_close(sim->mem, &matrix);
    rank_system_close(&system);
    mem_free(sim->mem, a);
    return found;
}
