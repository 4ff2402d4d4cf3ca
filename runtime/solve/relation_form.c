/* relation_form.c: an operation of a node -> the equation it comes from. See relation_form.h. */
#include "runtime/solve/relation_form.h"

#include "runtime/eval/hold.h"

uint32_t relation_positions(const Sim *sim, X x)
{
    uint32_t n, most = 0;
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n; i++) {
        XNode node = x_node(sim->forms, list[i]);
        if (node.op == X_POS && node.a >= most)
            most = node.a + 1;
    }
    mem_free(sim->mem, list);
    return most;
}

Form relation_form(Sim *sim, const EvalNode *node, uint32_t op, uint32_t *n)
{
    DdpRelView rel = ddp_rel(sim->ddp, node->ops[op].rel);
    *n = rel.n;
    if (!node->holds)
        return rel.form;
    const FormInfo *info = form_info(sim->forms, rel.form);
    X residual = hold_in(sim, node, op, x_binary(sim->forms, X_SUB, info->lhs, info->rhs));
    *n = relation_positions(sim, residual);
    return form_make(sim->forms, residual, x_const(sim->forms, 0), *n);
}
