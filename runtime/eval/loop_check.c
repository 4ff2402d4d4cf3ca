/* loop_check.c: a loop at its solution -> how far its relations are violated. See loop_check.h. */
#include "runtime/eval/loop_check.h"

#include "numerics/scale.h"

#include <math.h>

typedef struct Term {
    DdpVar var;
    double slope; /* size of the residual's derivative by it */
    bool own;     /* the loop determines it */
} Term;

/* Derivatives of the residuals by all variables that occur in them, whoever determines these. */
struct LoopCheck {
    uint32_t *first; /* [n_tears + 1] */
    Term *term;
};

static double slope(Sim *sim, const EvalOp *op, const Code *code, DdpVar var)
{
    const double *tangents;
    sim->tangent[var] = 1;
    interp_tangent(code, op->vars, sim->value, sim->tangent, sim->eval.interp, &tangents,
                   evaluate_foreign, sim);
    sim->tangent[var] = 0;
    return fabs(tangents[0]);
}

double loop_check_worth(const Sim *sim, DdpVar var)
{
    return larger(sim->opt.atol * world_var_nominal(sim->world, var), fabs(sim->value[var]));
}

/* A variable may stand at two positions: its derivative sees both. */
static bool counts(const FormInfo *form, const uint32_t *vars, uint32_t k)
{
    if (!vars[k] || !form->position[k].occurs)
        return false;
    for (uint32_t i = 0; i < k; i++)
        if (vars[i] == vars[k] && form->position[i].occurs)
            return false;
    return true;
}

static LoopCheck *check_open(Sim *sim, const EvalNode *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        count += ddp_rel(sim->ddp, node->ops[node->n_steps + i].rel).n;
    LoopCheck *check = mem_alloc(sim->mem, sizeof *check + count * sizeof(Term) +
                                               (node->n_tears + 1) * sizeof *check->first);
    check->term = (Term *)(check + 1);
    check->first = (uint32_t *)(check->term + count);
    count = 0;
    for (uint32_t i = 0; i < node->n_tears; i++) {
        const EvalOp *op = &node->ops[node->n_steps + i];
        DdpRelView rel = ddp_rel(sim->ddp, op->rel);
        const FormInfo *form = form_info(sim->forms, rel.form);
        check->first[i] = count;
        for (uint32_t k = 0; k < rel.n; k++)
            if (counts(form, op->vars, k))
                check->term[count++] = (Term){
                    .var = op->vars[k], .own = &sim->nodes.at[sim->info[op->vars[k]].node] == node};
    }
    check->first[node->n_tears] = count;
    return check;
}

void loop_check_close(Sim *sim, LoopCheck *check)
{
    mem_free(sim->mem, check);
}

static void renew(Sim *sim, EvalNode *node, LoopCheck *check)
{
    for (uint32_t i = 0; i < node->n_tears; i++) {
        const EvalOp *op = &node->ops[node->n_steps + i];
        for (uint32_t k = check->first[i]; k < check->first[i + 1]; k++)
            check->term[k].slope = slope(sim, op, op->code, check->term[k].var);
    }
    node_loop(node)->checked = true;
}

/* Where derivatives vanish or are no numbers nothing can be said, but what is infinite holds nowhere. */
static double violation(double r, double size)
{
    if (!isfinite(r))
        return INFINITY;
    return size > 0 && isfinite(size) ? fabs(r) / size : 0;
}

double loop_check_torn(Sim *sim, EvalNode *node, const double *r)
{
    double most = 0;
    if (!node_loop(node)->check)
        node_loop(node)->check = check_open(sim, node);
    LoopCheck *check = node_loop(node)->check;
    if (!node_loop(node)->checked)
        renew(sim, node, check);
    for (uint32_t i = 0; i < node->n_tears; i++) {
        double size = 0;
        for (uint32_t k = check->first[i]; k < check->first[i + 1]; k++)
            size += check->term[k].slope * loop_check_worth(sim, check->term[k].var);
        most = larger(most, violation(r[i], size));
    }
    return most;
}

bool loop_check_rests(const Sim *sim, const EvalNode *node, const double *r, double largest)
{
    const LoopCheck *check = node_loop(node)->check;
    for (uint32_t i = 0; i < node->n_tears; i++) {
        double most = 0;
        for (uint32_t k = check->first[i]; k < check->first[i + 1]; k++) {
            const Term *term = &check->term[k];
            double size = larger(1e-11 * fabs(sim->value[term->var]), 1e-14 * largest);
            most += term->own ? term->slope * size : 0;
        }
        if (!(fabs(r[i]) <= most))
            return false;
    }
    return true;
}

double loop_check_size(Sim *sim, const EvalOp *op, const Code *code)
{
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    const FormInfo *form = form_info(sim->forms, rel.form);
    double size = 0;
    for (uint32_t k = 0; k < rel.n; k++)
        if (counts(form, op->vars, k))
            size += slope(sim, op, code, op->vars[k]) * loop_check_worth(sim, op->vars[k]);
    return size;
}
