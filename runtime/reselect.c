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

/* What a sweep looks for: the worst growth so far, and the node that amplifies most among those
 * that grew. */
typedef struct Look {
    double floor; /* what counts as the least motion when the choice was made */
    double growth, amplified;
    DdpVar var;
} Look;

static double most_read(const Sim *sim, const EvalNode *node)
{
    double most = 0;
    for (uint32_t i = 0; i < node->n_reads; i++)
        most = fmax(most, fabs(sim->tangent[node->reads[i].var]));
    return most;
}

/* Growth shows in everything behind the singular node too; that one itself is where little becomes
 * much. */
static void look_at_node(Sim *sim, DdpNode n, Look *look)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (!is_constraint(sim, node))
        return;
    double in = most_read(sim, node);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpVar var = output_of(node, i);
        ValueInfo *info = &sim->info[var];
        double size = fabs(sim->tangent[var]);
        double growth = size / fmax(fmax(info->reach_before, look->floor), 1e-9);
        info->reach = fmax(info->reach, size);
        look->growth = fmax(look->growth, growth);
        if (growth > GROWTH && size > look->amplified * in) {
            look->amplified = size / in;
            look->var = var;
        }
    }
}

static void sweep_state(Part *part, uint32_t state, Look *look)
{
    Sim *sim = part->sim;
    sim->tangent[part->states.at[state].var] = 1;
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        evaluate_tangent_node(sim, part->dynamics.at[i]);
        look_at_node(sim, part->dynamics.at[i], look);
    }
    sim->tangent[part->states.at[state].var] = 0;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        evaluate_clear_tangents(sim, part->dynamics.at[i]);
}

/* Clears what the last measurement found; `remember`: it is what growth is measured by from now on.
 */
static void each_output(Part *part, bool remember)
{
    Sim *sim = part->sim;
    double most = 0;
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->dynamics.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            ValueInfo *info = &sim->info[output_of(node, k)];
            most = fmax(most, info->reach);
            if (remember)
                info->reach_before = info->reach;
            info->reach = 0;
        }
    }
    if (remember)
        part->floor = 0.1 * most;
}

/* At the present values of the part, all evaluated. */
static Look measure(Part *part)
{
    Look look = {.floor = part->floor};
    each_output(part, false);
    for (uint32_t i = 0; i < part->states.n; i++)
        sweep_state(part, i, &look);
    return look;
}

/* When a part starts: how far things move now is what later growth is measured by. */
void reselect_begin(Part *part)
{
    part->constrained = reselect_concerns(part);
    if (!part->constrained)
        return;
    measure(part);
    each_output(part, true);
}

bool reselect_wanted(Part *part)
{
    return part->constrained && measure(part).growth > GROWTH;
}

/* Advises the DDP; the next commit follows it if it can. */
void reselect_advise(Part *part)
{
    Look look = measure(part);
    DdpRel rel = look.var ? evaluate_relation_of(part->sim, look.var) : 0;
    if (!rel)
        return;
    journal_advise(part->sim, rel, look.var);
    ddp_advise_against(part->sim->ddp, rel, look.var);
}
