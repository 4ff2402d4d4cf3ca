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
 * moves FAR times as much as a state, the levels of the constraints are examined (state_choice.c)
 * and the DDP is advised; the event in which it follows costs a restart of the part. At the start,
 * and where an event makes constraints new, they are examined before anything is solved, and once
 * more when it is.
 *
 * All derivatives, state by state, cost the square of the part's size, so they are taken only when
 * something cheap says so: one sweep in which all states move at once, each by its size, to one
 * side or the other. What a dummy does then is a sum with random signs, hardly ever much less than
 * its largest term. Sweeps go only through what constraints depend on (Part.aims), which leaves out
 * the accelerations and their loops. Nor is that done after each step: the inverse of the motion
 * falls to 0 about linearly on the way to a singular point, so two looks tell how many steps there
 * are, and half of them, RARELY at most, pass without one.
 */
#include "runtime/solve/solve.h"
#include "runtime/solve/state_choice.h"

#include <math.h>

static const double FAR = 8;

enum { RARELY = 16 };

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
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        DdpRel rel = node->ops[i].rel;
        if (rel < sim->differentiated.n && sim->differentiated.at[rel])
            return may_turn_singular(sim, node);
    }
    return false;
}

bool reselect_concerns(Part *part)
{
    const Sim *sim = part->sim;
    const NodeList *list = sim->differentiated.n ? part_dynamics(part) : NULL;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (is_constraint(sim, &sim->nodes.at[list->at[i]]))
            return true;
    return false;
}

/* ---- how large things are ---- */

static double scale_of(const Sim *sim, DdpVar var)
{
    return fmax(values_scale(sim, var), 1e-9);
}

static void note_scale(Sim *sim, DdpVar var)
{
    values_set_scale(sim, var, fmax(values_scale(sim, var), fabs(sim->value[var])));
}

/* The largest value so far is what a variable is measured by: lengths and angles compare then. */
static void note_scales(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++)
        note_scale(sim, part->states.at[i].var);
    for (uint32_t i = 0; i < part->aims.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->aims.at[i].node];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            note_scale(sim, node_output(node, k));
    }
}

/* ---- what constraints depend on ---- */

static bool feeds_aim(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (sim->info[node_output(node, i)].mark == sim->mark)
            return true;
    return false;
}

/* From the last node of the dynamics to the first: constraints, and whoever is read by what was
 * found. */
static void find_aims(Part *part)
{
    Sim *sim = part->sim;
    vec_clear(&part->aims);
    sim->mark++;
    const NodeList *list = part_dynamics(part);
    for (uint32_t i = list->n; i-- > 0;) {
        DdpNode n = list->at[i];
        const EvalNode *node = &sim->nodes.at[n];
        bool constraint = is_constraint(sim, node);
        if (!constraint && !feeds_aim(sim, node))
            continue;
        vec_push(sim->mem, &part->aims, ((PartAim){n, constraint}));
        for (uint32_t k = 0; k < node->n_reads; k++)
            sim->info[node->reads[k].var].mark = sim->mark;
    }
    for (uint32_t i = 0, k = part->aims.n; i + 1 < k; i++) { /* in the order of the schedule */
        PartAim t = part->aims.at[i];
        part->aims.at[i] = part->aims.at[--k];
        part->aims.at[k] = t;
    }
}

/* ---- measuring ---- */

/* What a sweep finds: the farthest motion, and the node that amplifies most among those that move
 * far. */
typedef struct Look {
    double moves, amplified;
    DdpVar var;
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
    double in = most_read(sim, node);
    for (uint32_t i = 0; in > 0 && i < node->n_steps + node->n_tears; i++) {
        DdpVar var = node_output(node, i);
        double moves = fabs(sim->tangent[var]) / scale_of(sim, var), amplified = moves / in;
        look->moves = fmax(look->moves, moves * scale);
        if (moves * scale > FAR && amplified > look->amplified) {
            look->amplified = amplified;
            look->var = var;
        }
    }
}

static void clear_sweep(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->tangent[part->states.at[i].var] = 0;
    for (uint32_t i = 0; i < part->aims.n; i++)
        evaluate_clear_tangents(sim, part->aims.at[i].node);
}

static void sweep_state(Part *part, uint32_t state, Look *look)
{
    Sim *sim = part->sim;
    DdpVar var = part->states.at[state].var;
    double scale = scale_of(sim, var);
    sim->tangent[var] = 1;
    for (uint32_t i = 0; i < part->aims.n; i++) {
        PartAim aim = part->aims.at[i];
        evaluate_tangent_node(sim, aim.node);
        if (aim.constraint)
            look_at_node(sim, aim.node, scale, look);
    }
    clear_sweep(part);
}

/* At the present values of the part, all evaluated. */
static Look measure(Part *part)
{
    Look look = {0};
    note_scales(part);
    for (uint32_t i = 0; i < part->states.n; i++)
        sweep_state(part, i, &look);
    return look;
}

/* ---- the cheap look ---- */

/* To which side state i moves; other sides in every look. */
static double side(uint32_t i, uint32_t look)
{
    uint32_t h = (i + 1) * 2654435761u ^ look * 2246822519u;
    h ^= h >> 15;
    h *= 2654435761u;
    return h >> 31 ? 1 : -1;
}

/* The farthest motion of a dummy when all states move. With a new choice, what has no size yet gets
 * one. */
static double glance(Part *part, bool begin)
{
    Sim *sim = part->sim;
    double most = 0;
    note_scales(part);
    part->glances++;
    for (uint32_t i = 0; i < part->states.n; i++) {
        DdpVar var = part->states.at[i].var;
        sim->tangent[var] = side(i, part->glances) * scale_of(sim, var);
    }
    for (uint32_t i = 0; i < part->aims.n; i++) {
        const EvalNode *node = &sim->nodes.at[part->aims.at[i].node];
        evaluate_tangent_node(sim, part->aims.at[i].node);
        for (uint32_t k = 0; part->aims.at[i].constraint && k < node->n_steps + node->n_tears;
             k++) {
            DdpVar var = node_output(node, k);
            double size = fabs(sim->tangent[var]);
            if (begin && values_scale(sim, var) < 1e-6 * size)
                values_set_scale(sim, var, size);
            most = fmax(most, size / scale_of(sim, var));
        }
    }
    clear_sweep(part);
    return most;
}

/* After a glance of `seen` all derivatives gave `moves`: what a glance must show before they are
 * worth their cost again. */
static void be_alert(Part *part, double seen, double moves)
{
    double limit = fmax(FAR, part->floor);
    part->alarm = moves > 0 ? fmax(1.1 * seen, 0.7 * seen * limit / moves) : limit / 2;
}

static void plan_next(Part *part, double seen)
{
    double room = seen > 0 ? 1 / seen : INFINITY, rate = fabs(part->room - room) / part->waited;
    double steps = (room - 1 / part->alarm) / rate / 2;
    part->wait = steps < RARELY ? (steps > 1 ? (uint32_t)steps : 1) : RARELY;
    if (!isfinite(part->room) && isfinite(room)) /* first look, or nothing moved: no rate yet */
        part->wait = 1;
    part->room = room;
    part->waited = 0;
}

/* ---- the whole ---- */

/* When a part starts: a choice that is bad already, because there was no better one, must become
 * twice as bad before it is looked at again. */
void reselect_begin(Part *part)
{
    part->constrained = reselect_concerns(part);
    if (!part->constrained)
        return;
    find_aims(part);
    double seen = glance(part, true);
    part->floor = 0;
    part->alarm = FAR / 2;
    part->room = INFINITY;
    part->wait = 1;
    part->waited = 0;
    if (seen < FAR / 4)
        return;
    double moves = measure(part).moves;
    part->floor = 2 * moves;
    be_alert(part, seen, moves);
}

bool reselect_due(Part *part)
{
    return part->constrained && ++part->waited >= part->wait;
}

/* The levels of what the node determines, and of its derivatives. */
static bool examine_node(Sim *sim, const EvalNode *node, const ChoiceBounds *bounds, Map *seen)
{
    bool any = false;
    for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
        for (DdpVar v = node_output(node, k); v; v = ddp_level_above(sim->ddp, v))
            any |= state_choice_examine(sim, v, bounds, seen);
    return any;
}

/* Half of what a sweep must have shown: sizes are measured a little differently there. */
static bool advise(Part *part)
{
    static const ChoiceBounds bounds = {4, 100};
    Sim *sim = part->sim;
    Map seen = {0};
    bool any = false;
    for (uint32_t i = 0; i < part->aims.n; i++)
        if (part->aims.at[i].constraint)
            any |= examine_node(sim, &sim->nodes.at[part->aims.at[i].node], &bounds, &seen);
    map_free(sim->mem, &seen);
    return any;
}

/* After a step, everything evaluated. True: the DDP was advised, and an event is due in which it
 * follows. Where it is not because nothing would be better, the motion must grow before it is
 * looked at again. */
bool reselect_wanted(Part *part)
{
    double seen = glance(part, false);
    if (seen > part->alarm) {
        double moves = measure(part).moves;
        if (moves > fmax(FAR, part->floor) && advise(part))
            return true;
        be_alert(part, seen, moves);
    }
    plan_next(part, seen);
    return false;
}

/* ---- before anything is solved ---- */

/* At the start, and where an event makes constraints new: those of them whose choice of states
 * would be singular, or nearly so, with the values that there are. */
bool reselect_unsolved(Sim *sim)
{
    static const ChoiceBounds bounds = {8, 1e4};
    Map seen = {0};
    bool any = false;
    for (uint32_t i = 0; i < sim->unexamined.n; i++)
        if (sim->nodes.at[sim->unexamined.at[i]].live)
            any |= examine_node(sim, &sim->nodes.at[sim->unexamined.at[i]], &bounds, &seen);
    map_free(sim->mem, &seen);
    return any;
}

/* A node that the last commit made. */
void reselect_note(Sim *sim, DdpNode n)
{
    if (sim->differentiated.n && is_constraint(sim, &sim->nodes.at[n]))
        vec_push(sim->mem, &sim->unexamined, n);
}
