/* schedule, values of states and knowns -> values of everything it determines.
 *
 * Assignments are evaluated as they stand; loops by damped Newton on the tearing variables. The
 * Jacobian comes from the partial derivatives of the steps, pushed forward through the loop.
 */
#include "tests/support/schedule_eval.h"

#include "numerics/dense_lu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Eval {
    Mem *mem;
    Arena arena;
    const Ddp *ddp;
    FormTable *forms;
    double *value; /* NULL: only the order is checked */
    bool *known;   /* [var] */
    EvalFault *fault;
} Eval;

#define SAY(e, ...) snprintf((e)->fault->message, sizeof(e)->fault->message, __VA_ARGS__)

/* What derivatives of known things are worth, and what is known before the first node. */
static void before_first(Eval *e)
{
    for (DdpVar v = 1; v < ddp_var_limit(e->ddp); v++) {
        DdpVarView view = ddp_var(e->ddp, v);
        if (view.origin == 0)
            continue; /* not in use */
        bool unknown = view.kind == DDP_UNKNOWN;
        bool determined = ddp_node_of(e->ddp, v) != 0;
        e->known[v] = ddp_is_state(e->ddp, v) || (!unknown && !determined);
        if (!e->value || unknown || determined || view.order == 0)
            continue;
        bool clock = ddp_var(e->ddp, view.origin).kind == DDP_TIME;
        e->value[v] = clock && view.order == 1;
    }
}

static bool reads_known(Eval *e, DdpRel rel, X x)
{
    DdpRelView view = ddp_rel(e->ddp, rel);

    for (uint32_t i = 0; i < view.n; i++) {
        if (!x_uses(e->forms, x, i) || e->known[view.vars[i]])
            continue;
        SAY(e, "relation %u reads variable %u (derivative %u of %u) before it is determined", rel,
            view.vars[i], ddp_var(e->ddp, view.vars[i]).order,
            ddp_var(e->ddp, view.vars[i]).origin);
        return false;
    }
    return true;
}

/* lhs - rhs of a relation as an expression; a derivative relation says vars[0] = vars[2]. */
static X residual_of(Eval *e, DdpRel rel)
{
    DdpRelView view = ddp_rel(e->ddp, rel);

    if (view.kind == DDP_DERIVATIVE)
        return x_binary(e->forms, X_SUB, x_pos(e->forms, 0), x_pos(e->forms, 2));
    const FormInfo *info = form_info(e->forms, view.form);
    return x_binary(e->forms, X_SUB, info->lhs, info->rhs);
}

/* A differentiated relation exists as long as its origin, so it waits for the same condition. */
static bool logic_known(Eval *e, DdpRel rel)
{
    DdpVar logic = ddp_rel(e->ddp, ddp_rel(e->ddp, rel).origin).logic;

    if (logic == 0 || e->known[logic])
        return true;
    SAY(e, "relation %u is evaluated before its condition %u", rel, logic);
    return false;
}

static bool may_be_in(Eval *e, const DdpNodeView *node, DdpRel rel)
{
    bool causal = ddp_rel(e->ddp, ddp_rel(e->ddp, rel).origin).kind == DDP_TRANSMISSION;

    if (node->loop && causal)
        SAY(e, "the transmission %u lies in a loop", rel);
    return !(node->loop && causal) && logic_known(e, rel);
}

static EvalResult check_node(Eval *e, const DdpNodeView *node)
{
    for (uint32_t i = 0; i < node->n_steps; i++)
        if (!may_be_in(e, node, node->steps[i].rel))
            return EVAL_DISORDER;
    for (uint32_t i = 0; i < node->n_tears; i++)
        if (!may_be_in(e, node, node->residuals[i].rel))
            return EVAL_DISORDER;
    for (uint32_t i = 0; i < node->n_tears; i++)
        e->known[node->tears[i]] = true;
    for (uint32_t i = 0; i < node->n_steps; i++) {
        DdpStep step = node->steps[i];
        if (!reads_known(e, step.rel, step.value))
            return EVAL_DISORDER;
        if (e->known[step.var]) {
            SAY(e, "variable %u is determined twice, now by relation %u", step.var, step.rel);
            return EVAL_DISORDER;
        }
        e->known[step.var] = true;
    }
    for (uint32_t i = 0; i < node->n_tears; i++)
        if (!reads_known(e, node->residuals[i].rel, residual_of(e, node->residuals[i].rel)))
            return EVAL_DISORDER;
    return EVAL_DONE;
}

/* ---- values ---- */

static double value_of(Eval *e, DdpRel rel, X x)
{
    return x_value(e->forms, x, ddp_rel(e->ddp, rel).vars, e->value, NULL, NULL);
}

static void run_steps(Eval *e, const DdpNodeView *node)
{
    for (uint32_t i = 0; i < node->n_steps; i++) {
        DdpStep step = node->steps[i];
        e->value[step.var] = value_of(e, step.rel, step.value);
        if (isfinite(e->value[step.var]) || e->fault->rel)
            continue;
        e->fault->rel = step.rel;
        e->fault->var = step.var;
    }
}

static double run_residuals(Eval *e, const DdpNodeView *node, double *f)
{
    double most = 0;

    run_steps(e, node);
    for (uint32_t i = 0; i < node->n_tears; i++) {
        f[i] = value_of(e, node->residuals[i].rel, residual_of(e, node->residuals[i].rel));
        if (!(fabs(f[i]) <= most))
            most = fabs(f[i]);
    }
    return most;
}

/* Derivative of x along the tangents of the relation's variables. */
static double along(Eval *e, DdpRel rel, X x, const double *tangent)
{
    DdpRelView view = ddp_rel(e->ddp, rel);
    double sum = 0;

    for (uint32_t i = 0; i < view.n; i++) {
        if (view.vars[i] == 0 || tangent[view.vars[i]] == 0 || !x_uses(e->forms, x, i))
            continue;
        X partial = x_partial(e->forms, x, i);
        sum += tangent[view.vars[i]] * value_of(e, rel, partial);
    }
    return sum;
}

/* What the terms of x are worth together: its rounding errors are as large as that allows. */
static double size_of(Eval *e, DdpRel rel, X x)
{
    DdpRelView view = ddp_rel(e->ddp, rel);
    double sum = 0;

    for (uint32_t i = 0; i < view.n; i++)
        if (view.vars[i] && x_uses(e->forms, x, i))
            sum += fabs(e->value[view.vars[i]] * value_of(e, rel, x_partial(e->forms, x, i)));
    return sum;
}

/* Are all residuals as small as rounding lets them become? */
static bool is_rounding(Eval *e, const DdpNodeView *node, const double *f)
{
    for (uint32_t i = 0; i < node->n_tears; i++) {
        DdpRel rel = node->residuals[i].rel;
        if (!(fabs(f[i]) <= 1e-13 * (1 + size_of(e, rel, residual_of(e, rel)))))
            return false;
    }
    return true;
}

static void jacobian(Eval *e, const DdpNodeView *node, double *a, double *tangent)
{
    for (uint32_t j = 0; j < node->n_tears; j++) {
        memset(tangent, 0, ddp_var_limit(e->ddp) * sizeof *tangent);
        tangent[node->tears[j]] = 1;
        for (uint32_t i = 0; i < node->n_steps; i++)
            tangent[node->steps[i].var] =
                along(e, node->steps[i].rel, node->steps[i].value, tangent);
        for (uint32_t i = 0; i < node->n_tears; i++)
            a[(size_t)i * node->n_tears + j] =
                along(e, node->residuals[i].rel, residual_of(e, node->residuals[i].rel), tangent);
    }
}

/* Takes the step `b`, halved while the residual grows; returns its size before halving. */
static double take_step(Eval *e, const DdpNodeView *node, const double *b, double *old, double *f,
                        double before)
{
    double size = 0;

    for (uint32_t i = 0; i < node->n_tears; i++) {
        old[i] = e->value[node->tears[i]];
        size = fmax(size, fabs(b[i]) / (1 + fabs(old[i])));
    }
    for (double part = 1; part > 1e-4; part /= 2) {
        for (uint32_t i = 0; i < node->n_tears; i++)
            e->value[node->tears[i]] = old[i] - part * b[i];
        if (run_residuals(e, node, f) <= before || size < 1e-10)
            break;
    }
    return size;
}

static EvalResult solve_loop(Eval *e, const DdpNodeView *node)
{
    uint32_t n = node->n_tears;
    double *a = arena_alloc(&e->arena, (dense_lu_room(n) + 3 * n) * sizeof *a);
    double *b = a + dense_lu_room(n), *old = b + n, *f = old + n;
    uint32_t *pivot = arena_alloc(&e->arena, (dense_lu_pivots(n) + 1) * sizeof *pivot);
    double *tangent = arena_alloc(&e->arena, (ddp_var_limit(e->ddp) + 1) * sizeof *tangent);

    for (int round = 0; round < 60; round++) {
        double before = run_residuals(e, node, b);
        if (!isfinite(before))
            break;
        jacobian(e, node, a, tangent);
        if (!dense_lu_factor(n, a, pivot))
            break;
        dense_lu_solve(n, a, pivot, b);
        if (take_step(e, node, b, old, f, before) < 1e-13 ||
            (round > 30 && is_rounding(e, node, f)))
            return EVAL_DONE;
    }
    SAY(e, "a loop of %u tearing variables, first residual relation %u, did not converge", n,
        node->residuals[0].rel);
    return EVAL_ASTRAY;
}

static EvalResult run_nodes(Eval *e)
{
    before_first(e);
    for (DdpNode at = ddp_first(e->ddp); at; at = ddp_next(e->ddp, at)) {
        DdpNodeView node = ddp_node(e->ddp, at);
        if (!node.determined)
            continue;
        EvalResult result = check_node(e, &node);
        if (result == EVAL_DONE && e->value && node.loop)
            result = solve_loop(e, &node);
        else if (result == EVAL_DONE && e->value)
            run_steps(e, &node);
        if (result == EVAL_DONE && e->fault->rel) {
            SAY(e, "relation %u gives no finite value", e->fault->rel);
            result = EVAL_ASTRAY;
        }
        if (result != EVAL_DONE)
            return result;
    }
    return EVAL_DONE;
}

/* Is what this step divides by zero, but for a rounding error that the division makes large? */
static bool divides_by_nothing(Eval *e, DdpStep step)
{
    DdpRelView view = ddp_rel(e->ddp, step.rel);

    if (view.kind != DDP_EQUATION)
        return false;
    for (uint32_t i = 0; i < view.n; i++) {
        X factor = form_info(e->forms, view.form)->position[i].factor;
        if (view.vars[i] == step.var && factor)
            return fabs(value_of(e, step.rel, factor)) < 1e-6 * size_of(e, step.rel, factor);
    }
    return false;
}

bool schedule_weak_step(Mem *mem, const Ddp *ddp, FormTable *forms, double *value, EvalFault *fault)
{
    Eval e = {.mem = mem, .ddp = ddp, .forms = forms, .value = value, .fault = fault};

    for (DdpNode at = ddp_first(ddp); at; at = ddp_next(ddp, at)) {
        DdpNodeView node = ddp_node(ddp, at);
        for (uint32_t i = 0; i < node.n_steps && node.determined; i++)
            if (divides_by_nothing(&e, node.steps[i])) {
                fault->rel = node.steps[i].rel;
                fault->var = node.steps[i].var;
                return true;
            }
    }
    return false;
}

EvalResult schedule_eval(Mem *mem, const Ddp *ddp, FormTable *forms, double *value,
                         EvalFault *fault)
{
    Eval e = {.mem = mem, .ddp = ddp, .forms = forms, .value = value, .fault = fault};

    *fault = (EvalFault){{0}, 0, 0};
    arena_init(&e.arena, mem);
    e.known = arena_alloc(&e.arena, ddp_var_limit(ddp) + 1);
    EvalResult result = run_nodes(&e);
    arena_free(&e.arena);
    return result;
}

EvalResult schedule_check(Mem *mem, const Ddp *ddp, FormTable *forms, EvalFault *fault)
{
    return schedule_eval(mem, ddp, forms, NULL, fault);
}
