/* reselect.c: a choice of states that turns singular -> advice to the DDP to choose others
 * (thesis 10.6).
 *
 * Where constraints were differentiated, some variables that could be states are computed from the
 * states instead. As long as the choice is good, these *dummies* move about as much as the states
 * do; near a singular point they move infinitely more (the x of a pendulum whose state is y, at its
 * lowest point). So the measure is the derivative of each dummy by each state. In the terms of
 * matrices: with A the constraints' Jacobian by the dummies and B by the states it is an entry of
 * inv(A) B, and exchanging the two variables multiplies det A by it (Goreinov and others, How to
 * find a good submatrix, 2010). Both are measured by the largest value they have had. When a dummy
 * moves FAR times as much as a state, the relation that determines it is advised not to; the DDP
 * then finds other states, and the event costs a restart of the part.
 */
#include "runtime/parts.h"

#include <math.h>

static const double FAR = 8;

/* Can the operation become singular: is its relation solved for the variable by a division? */
static bool is_risky(const Sim *sim, const EvalOp *op)
{
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    const FormInfo *form = form_info(sim->forms, rel.form);
    for (uint32_t i = 0; i < rel.n; i++)
        if (op->vars[i] == op->target)
            return form->position[i].solvable == SOLVE_RISKY;
    return false;
}

static bool may_turn_singular(const Sim *sim, const EvalNode *node)
{
    return node->loop ? !(node->linear && node->constant) : is_risky(sim, &node->ops[0]);
}

/* A node that determines something by relations that were differentiated, and may turn singular. */
static bool is_constraint(const Sim *sim, const EvalNode *node)
{
    if (!may_turn_singular(sim, node))
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

/* ---- how large things are ---- */

static double scale_of(const Sim *sim, DdpVar var)
{
    return fmax(sim->info[var].scale, 1e-9);
}

static void note_scale(Sim *sim, DdpVar var)
{
    sim->info[var].scale = fmax(sim->info[var].scale, fabs(sim->value[var]));
}

/* The largest value so far is what a variable is measured by: lengths and angles compare then. */
static void note_scales(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++)
        note_scale(sim, part->states.at[i].var);
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->dynamics.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            note_scale(sim, output_of(node, k));
    }
}

/* ---- measuring ---- */

/* What a sweep finds: the farthest motion, and the node that amplifies most among those that move
 * far. */
typedef struct Look {
    double moves, amplified;
    DdpVar var;
    bool begin; /* a new choice: what has no size yet gets one */
} Look;

static double most_read(const Sim *sim, const EvalNode *node)
{
    double most = 0;
    for (uint32_t i = 0; i < node->n_reads; i++) {
        DdpVar var = node->reads[i].var;
        most = fmax(most, fabs(sim->tangent[var]) / scale_of(sim, var));
    }
    return most;
}

/* Motion shows in everything behind the singular node too; that one itself is where little becomes
 * much. */
static void look_at_node(Sim *sim, DdpNode n, double scale, Look *look)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (!is_constraint(sim, node))
        return;
    double in = most_read(sim, node);
    for (uint32_t i = 0; in > 0 && i < node->n_steps + node->n_tears; i++) {
        DdpVar var = output_of(node, i);
        double size = fabs(sim->tangent[var]);
        if (look->begin && sim->info[var].scale < 1e-6 * size * scale)
            sim->info[var].scale = size * scale;
        double moves = size / scale_of(sim, var), amplified = moves / in;
        look->moves = fmax(look->moves, moves * scale);
        if (moves * scale > FAR && amplified > look->amplified) {
            look->amplified = amplified;
            look->var = var;
        }
    }
}

static void sweep_state(Part *part, uint32_t state, Look *look)
{
    Sim *sim = part->sim;
    DdpVar var = part->states.at[state].var;
    double scale = scale_of(sim, var);
    sim->tangent[var] = 1;
    for (uint32_t i = 0; i < part->dynamics.n; i++) {
        evaluate_tangent_node(sim, part->dynamics.at[i]);
        look_at_node(sim, part->dynamics.at[i], scale, look);
    }
    sim->tangent[var] = 0;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        evaluate_clear_tangents(sim, part->dynamics.at[i]);
}

/* At the present values of the part, all evaluated. */
static Look measure(Part *part, bool begin)
{
    Look look = {.begin = begin};
    note_scales(part);
    for (uint32_t i = 0; i < part->states.n; i++)
        sweep_state(part, i, &look);
    return look;
}

/* When a part starts: a choice that is bad already, because there was no better one, must become
 * twice as bad before it is looked at again. */
void reselect_begin(Part *part)
{
    part->constrained = reselect_concerns(part);
    if (part->constrained)
        part->floor = 2 * measure(part, true).moves;
}

bool reselect_wanted(Part *part)
{
    return part->constrained && measure(part, false).moves > fmax(FAR, part->floor);
}

/* Advises the DDP; the next commit follows it if it can. */
void reselect_advise(Part *part)
{
    Look look = measure(part, false);
    DdpRel rel = look.var ? evaluate_relation_of(part->sim, look.var) : 0;
    if (!rel)
        return;
    journal_advise(part->sim, rel, look.var);
    ddp_advise_against(part->sim->ddp, rel, look.var);
}
