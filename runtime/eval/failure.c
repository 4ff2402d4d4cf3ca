/* failure.c: an evaluation that failed inside a step -> what the message at the end will say.
 *
 * An integrator that meets a point without values tries a smaller step, and may do well; so nothing
 * is said at once. But when it gives up, the equation that had no value is what the modeller needs,
 * with the values it had: these are gone by then, so they are kept as text, from the last such
 * point of a step.
 */
#include "runtime/eval/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 160, LISTED = 8 };

void failure_forget(Sim *sim)
{
    sim->failure.text[0] = '\0';
}

bool failure_next(Sim *sim, NoValue *none)
{
    if (sim->failure.without.n == 0)
        return false;
    NoValue *first = sim->failure.without.at;
    *none = *first;
    memmove(first, first + 1, --sim->failure.without.n * sizeof *first);
    return true;
}

void failure_close(Sim *sim)
{
    vec_free(sim->mem, &sim->failure.without);
}

static bool has_value(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps; i++)
        if (!isfinite(sim->value[node->ops[i].target]))
            return false;
    for (uint32_t i = 0; i < node->n_tears; i++)
        if (!isfinite(sim->value[node_tears(node)[i]]))
            return false;
    return true;
}

static void tell(Sim *sim, const EvalOp *op, const char *what)
{
    char text[2 * NAME];
    size_t at, size = sizeof sim->failure.text;
    const char *join = " with";
    world_rel_text(sim->world, op->rel, text, sizeof text);
    at = (size_t)snprintf(sim->failure.text, size, "at time %.10g, %s %s", sim->value[sim->clock],
                          text, what);
    sim->failure.at = world_rel_place(sim->world, op->rel);
    for (uint32_t i = 0, shown = 0; i < ddp_rel(sim->ddp, op->rel).n && shown < LISTED; i++) {
        if (!op->vars[i] || op->vars[i] == op->target || at + NAME >= size)
            continue;
        world_var_path(sim->world, op->vars[i], text, NAME / 2);
        at += (size_t)snprintf(sim->failure.text + at, size - at, "%s %s = %.10g", join, text,
                               sim->value[op->vars[i]]);
        join = ",";
        shown++;
    }
}

/* The loop has no solution here. */
void failure_in_loop(Sim *sim, const EvalNode *node)
{
    tell(sim, &node->ops[node->n_steps], "has no solution");
}

/* Something in these nodes has no value here: the first equation that has none. A loop that had no
 * solution has told that itself. */
void failure_in_nodes(Sim *sim, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const EvalNode *node = &sim->nodes.at[list->at[i]];
        if (has_value(sim, node))
            continue;
        if (!node->loop)
            tell(sim, &node->ops[0], "has no value");
        return;
    }
}

bool failure_tell(Sim *sim)
{
    if (!sim->failure.text[0])
        return false;
    diag_note(sim->diags, sim->failure.at, "%s", sim->failure.text);
    return true;
}

bool failure_any(const Sim *sim)
{
    return sim->failure.text[0] != 0;
}
