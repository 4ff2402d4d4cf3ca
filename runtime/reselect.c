/* reselect.c: a choice of states that turns singular -> advice to the DDP to choose others
 * (thesis 10.6).
 *
 * Where constraints were differentiated, some variables that could be states are computed from the
 * states instead. As long as the choice is good, these *dummies* move about as much as the states
 * do; near a singular point they move infinitely more (the x of a pendulum whose state is y, at its
 * lowest point). So the measure is the derivative of each dummy by each state. In the terms of
 * matrices: with A the constraints' Jacobian by the dummies and B by the states it is an entry of
 * inv(A) B, and exchanging the two variables multiplies det A by it (Goreinov and others, How to
 * find a good submatrix, 2010). When an entry has grown beyond GROWTH times what it was when the
 * choice was made, the relation that determines the dummy is advised not to; the DDP then finds
 * other states, and the event costs a restart of the part.
 */
#include "runtime/parts.h"

#include <math.h>

static const double GROWTH = 8;

/* A node that determines dummies by relations that were differentiated, and not with fixed factors.
 */
static bool is_constraint(const Sim *sim, const EvalNode *node)
{
    if (!node->varies || (node->loop && node->linear && node->constant))
        return false;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpRel rel = node->ops[i].rel;
        if (rel < sim->differentiated.n && sim->differentiated.at[rel])
            return true;
    }
    return false;
}

static DdpVar output_of(const EvalNode *node, uint32_t i)
{
    return i < node->n_steps ? node->ops[i].target : node->tears[i - node->n_steps];
}

bool reselect_concerns(const Part *part)
{
    const Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        if (is_constraint(sim, &sim->nodes.at[part->dynamics.at[i]]))
            return true;
    return false;
}

static DdpRel relation_of(const Sim *sim, const EvalNode *node, DdpVar var)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (ddp_causality(sim->ddp, node->ops[i].rel) == var)
            return node->ops[i].rel;
    return 0;
}

/* The dummy that has grown most in this sweep, against what it was. */
static void look_at_node(Sim *sim, DdpNode n, double *worst, DdpNode *node_at, DdpVar *var_at)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (!is_constraint(sim, node))
        return;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = output_of(node, i);
        ValueInfo *info = &sim->info[var];
        if (!info->dummy)
            continue;
        double size = fabs(sim->tangent[var]);
        info->reach = fmax(info->reach, size);
        double growth = size / fmax(1, info->reach_before);
        if (growth > *worst) {
            *worst = growth;
            *node_at = n;
            *var_at = var;
        }
    }
}

static void sweep_state(Part *part, uint32_t state, double *worst, DdpNode *node, DdpVar *var)
{
    Sim *sim = part->sim;
    sim->tangent[part->states.at[state].var] = 1;
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        evaluate_tangent_node(sim, part->dynamics.at[i]);
        look_at_node(sim, part->dynamics.at[i], worst, node, var);
    }
    sim->tangent[part->states.at[state].var] = 0;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        evaluate_clear_tangents(sim, part->dynamics.at[i]);
}

static void each_dummy(Part *part, bool remember)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->dynamics.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            ValueInfo *info = &sim->info[output_of(node, k)];
            if (remember)
                info->reach_before = info->reach;
            info->reach = 0;
        }
    }
}

/* At the present values of the part, all evaluated. */
static double measure(Part *part, DdpNode *node, DdpVar *var)
{
    double worst = 0;
    each_dummy(part, false);
    for (uint32_t i = 0; i < part->states.n; i++)
        sweep_state(part, i, &worst, node, var);
    return worst;
}

/* When a part starts: how far its dummies move now is what later growth is measured by. */
void reselect_begin(Part *part)
{
    DdpNode node = 0;
    DdpVar var = 0;
    part->constrained = reselect_concerns(part);
    if (!part->constrained)
        return;
    measure(part, &node, &var);
    each_dummy(part, true);
}

bool reselect_wanted(Part *part)
{
    DdpNode node = 0;
    DdpVar var = 0;
    return part->constrained && measure(part, &node, &var) > GROWTH;
}

/* Advises the DDP; the next commit follows it if it can. */
void reselect_advise(Part *part)
{
    Sim *sim = part->sim;
    DdpNode node = 0;
    DdpVar var = 0;
    if (!(measure(part, &node, &var) > GROWTH) || !node)
        return;
    DdpRel rel = relation_of(sim, &sim->nodes.at[node], var);
    if (rel)
        ddp_advise_against(sim->ddp, rel, var);
}
