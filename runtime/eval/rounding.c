/* rounding.c: relations and values -> are they satisfied as well as numbers of 53 bits can be?
 *
 * A difference is judged by what it is the difference of. The size of an expression is what its
 * terms would add up to if none of them cancelled; an error of one unit in the last place of every
 * number in it is about that size times the unit. Derivatives say nothing here: at a point where a
 * relation's derivative vanishes, 1 + x^2 = 0 would pass for satisfied.
 */
#include "runtime/eval/rounding.h"

#include "base/map.h"

#include <float.h>
#include <math.h>

static const double UNITS = 8, GROSS = 1e-2;

/* Of a node whose value is v, from the values and sizes of its operands; `most`: what a sine may take over from its own. */
static double size_of(XOp op, double v, double a, double size_a, double b, double size_b,
                      double most)
{
    switch (op) {
    case X_ADD:
    case X_SUB:
        return size_a + size_b;
    case X_NEG:
    case X_ABS:
        return size_a;
    case X_MUL:
        return size_a * size_b;
    case X_DIV:
        return size_a / fabs(b) * (size_b / fabs(b));
    case X_EXP:
        return fabs(v) * (1 + size_a);
    case X_LOG:
        return fabs(v) + size_a / fabs(a);
    case X_SQRT:
        return a > 0 ? fabs(v) * size_a / a : fabs(v);
    case X_POW:
        return fabs(v) * (1 + (a != 0 ? size_a / fabs(a) * fabs(b) : 0));
    case X_SIN:
    case X_COS:
        return fabs(v) + fmin(size_a, most);
    case X_CONST:
    case X_POS:
        return fabs(v);
    default: /* sines and the like: their slope is about 1 at the most */
        return fabs(v) + size_a;
    }
}

static bool has_operands(XOp op)
{
    return op != X_CONST && op != X_POS && op != X_CALL && op != X_ARG;
}

static double size_in(Sim *sim, X x, const uint32_t *vars, double most)
{
    uint32_t n;
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    double *value = mem_alloc(sim->mem, 2 * (size_t)(n + 1) * sizeof *value), *size = value + n + 1;
    Map index = {0}; /* expression -> place in the list + 1; place 0 of the arrays is no operand */
    for (uint32_t i = 1; i <= n; i++) {
        XNode node = x_node(sim->forms, list[i - 1]);
        XOp op = (XOp)node.op;
        uint32_t a = has_operands(op) ? map_get(&index, node.a) : 0;
        uint32_t b = has_operands(op) ? map_get(&index, node.b) : 0;
        value[i] = op == X_ARG
                       ? 0
                       : x_value(sim->forms, list[i - 1], vars, sim->value, evaluate_foreign, sim);
        size[i] = op == X_SELECT
                      ? size[map_get(&index, value[a] != 0 ? node.b : node.c)]
                      : size_of(op, value[i], value[a], size[a], value[b], size[b], most);
        map_put(sim->mem, &index, list[i - 1], i);
    }
    double whole = size[n];
    map_free(sim->mem, &index);
    mem_free(sim->mem, value);
    mem_free(sim->mem, list);
    return whole;
}

double rounding_size(Sim *sim, X x, const uint32_t *vars)
{
    return size_in(sim, x, vars, INFINITY);
}

/* left - right of a relation of the loop */
static X difference(Sim *sim, const EvalOp *op)
{
    const FormInfo *form = form_info(sim->forms, ddp_rel(sim->ddp, op->rel).form);
    return x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
}

static double off_by(Sim *sim, const EvalOp *op, X left_right)
{
    return fabs(x_value(sim->forms, left_right, op->vars, sim->value, evaluate_foreign, sim));
}

bool rounding_is_gross(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        const EvalOp *op = &node->ops[i];
        X left_right = difference(sim, op);
        if (!(off_by(sim, op, left_right) <= GROSS * size_in(sim, left_right, op->vars, 1)))
            return true;
    }
    return false;
}

bool rounding_satisfies(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        const EvalOp *op = &node->ops[i];
        X left_right = difference(sim, op);
        double off = off_by(sim, op, left_right), size = rounding_size(sim, left_right, op->vars);
        if (!isfinite(size) || !(off <= UNITS * DBL_EPSILON * size)) /* exp(1000) = 1 */
            return false;
    }
    return true;
}
