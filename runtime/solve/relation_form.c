/* relation_form.c: an operation of a node -> the equation it comes from. See relation_form.h. */
#include "runtime/solve/relation_form.h"

#include "runtime/eval/hold.h"

Form relation_form(Sim *sim, const EvalNode *node, uint32_t op, uint32_t *n)
{
    DdpRelView rel = ddp_rel(sim->ddp, node->ops[op].rel);
    *n = rel.n;
    if (!node->holds)
        return rel.form;
    const FormInfo *info = form_info(sim->forms, rel.form);
    X residual = hold_in(sim, node, op, x_binary(sim->forms, X_SUB, info->lhs, info->rhs));
    *n = x_positions(sim->forms, residual);
    return form_make(sim->forms, residual, x_const(sim->forms, 0), *n);
}
