/* inline_equations.c: nodes of a part's schedule -> its equations in order, and what each of them determines. See inline_plan.h. */
#include "runtime/solve/inline_memory.h"

#include "runtime/solve/relation_form.h"

/* In a loop steps are solved for other variables than those, and residuals for none. */
static DdpVar determined_by(const Sim *sim, const EvalNode *node, uint32_t at)
{
    return node->loop ? ddp_computed_by(sim->ddp, node->ops[at].rel) : node_output(node, at);
}

const InlineEquations *inline_equations(Part *part)
{
    Sim *sim = part->sim;
    InlineEquations *equations = inline_memory_equations(sim);
    const NodeList *nodes = part_dynamics(part);
    vec_clear(equations);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            InlineEquation equation = {.vars = node->ops[k].vars,
                                       .var = determined_by(sim, node, k)};
            equation.form = relation_form(sim, node, k, &equation.n);
            vec_push(sim->mem, equations, equation);
        }
    }
    return equations;
}
