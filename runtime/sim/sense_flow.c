/* sense_flow.c: derivatives of the states at one time -> at a later one, between events. See sense.h.
 *
 * The equations s' = J(t) s + b(t) are linear, and J and b are known along the dense output of the states. They are solved by
 * the method Radau IIA of three stages (order 5, for stiff parts, too), part by part, since parts never read each other: one linear
 * system of three times the states of a part. The columns of J are tangents through the dynamics of the part, b is one
 * through the whole schedule. How well the cubic that a step has found satisfies the equations between its stages decides
 * whether the step is divided.
 */
#include "numerics/dense_lu.h"
#include "runtime/sim/sense_int.h"

#include <math.h>
#include <string.h>

enum { STAGES = 3, MOST_STATES = 1000 };

#define ROOT6 2.449489742783178098

static const double at_stage[STAGES] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double weight[STAGES][STAGES] = {
    {(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225},
    {(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225},
    {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1. / 9}};

/* ---- tangents ---- */

static void seed(Sense *sense, const double *from)
{
    Sim *sim = sense->sim;
    for (uint32_t i = 0; i < sense->held.n; i++)
        sim->tangent[sense->held.at[i]] = from[sense->held.at[i]];
    for (uint32_t i = 0; i < sim->states.n; i++)
        sim->tangent[sim->states.at[i].var] = from[sim->states.at[i].var];
}

static bool has_tangent(const EvalNode *node)
{
    return node->live && node->determined && !(node->loop && !node->factored);
}

void sense_sweep(Sense *sense, const double *from)
{
    Sim *sim = sense->sim;
    seed(sense, from);
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        if (has_tangent(&sim->nodes.at[n]))
            evaluate_tangent_node(sim, n);
}

void sense_clear(Sense *sense)
{
    Sim *sim = sense->sim;
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        if (sim->nodes.at[n].live)
            evaluate_clear_tangents(sim, n);
    for (uint32_t i = 0; i < sense->held.n; i++)
        sim->tangent[sense->held.at[i]] = 0;
    for (uint32_t i = 0; i < sim->states.n; i++)
        sim->tangent[sim->states.at[i].var] = 0;
}

/* A step may have left factors of another point. */
SolStatus sense_factor_loops(Sense *sense)
{
    Sim *sim = sense->sim;
    SolStatus status = SOL_OK;
    for (DdpNode n = ddp_first(sim->ddp); n && status == SOL_OK; n = ddp_next(sim->ddp, n)) {
        const EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !node->determined || !node->loop)
            continue;
        status = evaluate_fetch(sim, node_output(node, 0), EVAL_PLAIN);
        if (status == SOL_OK)
            status = evaluate_node(sim, n, EVAL_PLAIN);
    }
    return status;
}

/* ---- a step ---- */

typedef struct Flow {
    Sense *sense;
    uint32_t n;       /* states, part by part */
    size_t cells;     /* of all Jacobians together */
    uint32_t most;    /* states of a part */
    double *jacobian; /* [stage][cells] */
    double *rest;     /* [stage][parameter][n]: b */
    double *found;    /* [parameter][stage][n] */
    double *lu, *right;
    uint32_t *pivot;
} Flow;

static SolStatus measure(Flow *flow)
{
    Sim *sim = flow->sense->sim;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        uint32_t n = sim->parts.at[i]->states.n;
        flow->n += n;
        flow->cells += (size_t)n * n;
        flow->most = n > flow->most ? n : flow->most;
    }
    if (flow->most <= MOST_STATES)
        return SOL_OK;
    diag_error(sim->diags, 0,
               "sensitivities are for up to %d states that depend on each other, not for %u",
               MOST_STATES, flow->most);
    return SOL_USAGE;
}

static void find_room(Flow *flow)
{
    Sense *sense = flow->sense;
    uint32_t wide = STAGES * flow->most;
    size_t all = STAGES * (flow->cells + 2 * (size_t)sense->n * flow->n) + dense_lu_room(wide) +
                 wide + 2 * (size_t)flow->n;
    vec_reserve(sense->sim->mem, &sense->work, (uint32_t)(all + 1));
    vec_reserve(sense->sim->mem, &sense->pivot, (uint32_t)dense_lu_pivots(wide) + 1);
    flow->jacobian = sense->work.at;
    flow->rest = flow->jacobian + STAGES * flow->cells;
    flow->found = flow->rest + STAGES * (size_t)sense->n * flow->n;
    flow->lu = flow->found + STAGES * (size_t)sense->n * flow->n;
    flow->right = flow->lu + dense_lu_room(wide);
    flow->pivot = sense->pivot.at;
}

static SolStatus look_at(Sense *sense, double time)
{
    parts_look_at(sense->sim, time);
    SolStatus status = parts_bring_all(sense->sim, EVAL_PLAIN);
    return status == SOL_OK ? sense_factor_loops(sense) : status;
}

/* to: [state][state], by rows */
static void find_jacobian(Part *part, double *to)
{
    Sim *sim = part->sim;
    const NodeList *nodes = part_dynamics(part);
    uint32_t n = part->states.n;
    for (uint32_t k = 0; k < n; k++) {
        sim->tangent[part->states.at[k].var] = 1;
        for (uint32_t i = 0; i < nodes->n; i++)
            if (has_tangent(&sim->nodes.at[nodes->at[i]]))
                evaluate_tangent_node(sim, nodes->at[i]);
        for (uint32_t i = 0; i < n; i++)
            to[(size_t)i * n + k] = sim->tangent[part->states.at[i].slope];
        for (uint32_t i = 0; i < nodes->n; i++)
            evaluate_clear_tangents(sim, nodes->at[i]);
        sim->tangent[part->states.at[k].var] = 0;
    }
}

/* Slopes of all states that go with the tangents of free variables in `from`. */
static void find_slopes(Sense *sense, const double *from, double *to)
{
    const Sim *sim = sense->sim;
    sense_sweep(sense, from);
    for (uint32_t i = 0; i < sim->parts.n; i++)
        for (uint32_t k = 0; k < sim->parts.at[i]->states.n; k++)
            *to++ = sim->tangent[sim->parts.at[i]->states.at[k].slope];
    sense_clear(sense);
}

/* What is held as it is, states as `states` [n] has them; NULL: 0. */
static const double *put_states(Sense *sense, SenseBy *by, const double *states)
{
    const Sim *sim = sense->sim;
    for (uint32_t i = 0; i < sense->held.n; i++)
        by->next[sense->held.at[i]] = by->tangent[sense->held.at[i]];
    for (uint32_t i = 0; i < sim->parts.n; i++)
        for (uint32_t k = 0; k < sim->parts.at[i]->states.n; k++)
            by->next[sim->parts.at[i]->states.at[k].var] = states ? *states++ : 0;
    return by->next;
}

static SolStatus find_stage(Flow *flow, uint32_t stage, double time)
{
    Sense *sense = flow->sense;
    Sim *sim = sense->sim;
    SolStatus status = look_at(sense, time);
    if (status != SOL_OK)
        return status;
    double *to = flow->jacobian + stage * flow->cells;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        find_jacobian(sim->parts.at[i], to);
        to += (size_t)sim->parts.at[i]->states.n * sim->parts.at[i]->states.n;
    }
    for (uint32_t k = 0; k < sense->n; k++)
        find_slopes(sense, put_states(sense, &sense->by[k], NULL),
                    flow->rest + ((size_t)stage * sense->n + k) * flow->n);
    return SOL_OK;
}

/* The matrix of the stages of one part: 1 - h * weight * J. */
static void fill_matrix(const Flow *flow, uint32_t n, size_t cells_at, double h)
{
    uint32_t wide = STAGES * n;
    for (uint32_t i = 0; i < STAGES; i++)
        for (uint32_t j = 0; j < STAGES; j++)
            for (uint32_t r = 0; r < n; r++)
                for (uint32_t c = 0; c < n; c++)
                    flow->lu[((size_t)i * n + r) * wide + (size_t)j * n + c] =
                        (i == j && r == c) -
                        h * weight[i][j] *
                            flow->jacobian[j * flow->cells + cells_at + (size_t)r * n + c];
}

static void solve_part(const Flow *flow, const Part *part, uint32_t k, uint32_t at, double h)
{
    const Sense *sense = flow->sense;
    uint32_t n = part->states.n;
    for (uint32_t i = 0; i < STAGES; i++)
        for (uint32_t r = 0; r < n; r++) {
            double sum = sense->by[k].tangent[part->states.at[r].var];
            for (uint32_t j = 0; j < STAGES; j++)
                sum += h * weight[i][j] * flow->rest[((size_t)j * sense->n + k) * flow->n + at + r];
            flow->right[i * n + r] = sum;
        }
    dense_lu_solve(STAGES * n, flow->lu, flow->pivot, flow->right);
    for (uint32_t i = 0; i < STAGES; i++)
        memcpy(flow->found + ((size_t)k * STAGES + i) * flow->n + at, flow->right + (size_t)i * n,
               n * sizeof *flow->right);
}

static bool solve(const Flow *flow, double h)
{
    const Sim *sim = flow->sense->sim;
    uint32_t at = 0;
    size_t cells_at = 0;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        const Part *part = sim->parts.at[i];
        uint32_t n = part->states.n;
        if (n == 0)
            continue;
        fill_matrix(flow, n, cells_at, h);
        if (!dense_lu_factor(STAGES * n, flow->lu, flow->pivot))
            return false;
        for (uint32_t k = 0; k < flow->sense->n; k++)
            solve_part(flow, part, k, at, h);
        at += n;
        cells_at += (size_t)n * n;
    }
    return true;
}

/* ---- is it right between the stages? ---- */

/* The cubic through the begin of a step and its stages, at `x` of the step: what each counts, and in its slope. */
static void cubic_at(double x, double value[STAGES + 1], double slope[STAGES + 1])
{
    const double at[STAGES + 1] = {0, at_stage[0], at_stage[1], at_stage[2]};
    for (uint32_t i = 0; i <= STAGES; i++) {
        double product = 1, sum = 0;
        for (uint32_t j = 0; j <= STAGES; j++)
            if (j != i) {
                product *= (x - at[j]) / (at[i] - at[j]);
                sum += 1 / (x - at[j]);
            }
        value[i] = product;
        slope[i] = product * sum;
    }
}

/* How much the derivatives by one parameter are off, where 1 is allowed. */
static double error_by(const Flow *flow, uint32_t k, double x, double h)
{
    Sense *sense = flow->sense;
    const Sim *sim = sense->sim;
    SenseBy *by = &sense->by[k];
    const double *stage = flow->found + (size_t)k * STAGES * flow->n;
    double value[STAGES + 1], slope[STAGES + 1], worst = 0;
    double *there = flow->right, *moves = there + flow->n;
    if (by->lost)
        return 0;
    cubic_at(x, value, slope);
    uint32_t at = 0;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        for (uint32_t r = 0; r < sim->parts.at[i]->states.n; r++, at++) {
            there[at] = value[0] * by->tangent[sim->parts.at[i]->states.at[r].var];
            for (uint32_t j = 0; j < STAGES; j++)
                there[at] += value[j + 1] * stage[j * flow->n + at];
        }
    find_slopes(sense, put_states(sense, by, there), moves);
    at = 0;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        for (uint32_t r = 0; r < sim->parts.at[i]->states.n; r++, at++) {
            double begin = by->tangent[sim->parts.at[i]->states.at[r].var];
            double off = -h * moves[at] + slope[0] * begin, end = stage[2 * flow->n + at];
            for (uint32_t j = 0; j < STAGES; j++)
                off += slope[j + 1] * stage[j * flow->n + at];
            double size = fmax(fabs(begin), fabs(end));
            double allowed = sim->opt.rtol * size + sim->opt.atol / by->size;
            worst = fmax(worst, isfinite(off) ? 0.1 * fabs(off) / allowed : INFINITY);
        }
    return worst;
}

static SolStatus error_of(const Flow *flow, double time, double h, double *error)
{
    const double x = 0.4; /* far from all stages */
    *error = 0;
    SolStatus status = look_at(flow->sense, time + x * h);
    for (uint32_t k = 0; k < flow->sense->n && status == SOL_OK; k++)
        *error = fmax(*error, error_by(flow, k, x, h));
    return status;
}

static SolStatus try_step(Flow *flow, double time, double h, double *error)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < STAGES && status == SOL_OK; i++)
        status = find_stage(flow, i, time + at_stage[i] * h);
    *error = INFINITY;
    if (status != SOL_OK || !solve(flow, h))
        return status;
    return error_of(flow, time, h, error);
}

static void take_step(const Flow *flow)
{
    Sense *sense = flow->sense;
    const Sim *sim = sense->sim;
    for (uint32_t k = 0; k < sense->n; k++) {
        const double *from = flow->found + ((size_t)k * STAGES + 2) * flow->n;
        for (uint32_t i = 0; i < sim->parts.n; i++)
            for (uint32_t r = 0; r < sim->parts.at[i]->states.n; r++)
                sense->by[k].tangent[sim->parts.at[i]->states.at[r].var] = *from++;
    }
}

static SolStatus say_stuck(const Sense *sense, double time)
{
    diag_error(sense->sim->diags, 0,
               "at time %.10g the sensitivities cannot be integrated: their equations have no "
               "numbers, or no step is short enough",
               time);
    return SOL_NUMERICS;
}

/* Values of the present are overwritten. */
static SolStatus steps_to(Flow *flow, double time)
{
    Sense *sense = flow->sense;
    double h = time - sense->time, least = 1e-12 * fmax(fabs(time), h);
    while (sense->time < time) {
        double error, left = time - sense->time;
        h = h > left || left - h < least ? left : h;
        SolStatus status = try_step(flow, sense->time, h, &error);
        if (status != SOL_OK)
            return status;
        if (error <= 1) {
            take_step(flow);
            sense->time = h == left ? time : sense->time + h;
            h *= error < 0.05 ? 2 : 1;
        } else if ((h /= 2) < least)
            return say_stuck(sense, sense->time);
    }
    return SOL_OK;
}

SolStatus sense_flow(Sense *sense, double time)
{
    Sim *sim = sense->sim;
    Flow flow = {.sense = sense};
    SolStatus status = measure(&flow);
    if (status != SOL_OK || !(time > sense->time))
        return status;
    if (flow.n == 0 || sense_all_lost(sense)) {
        sense->time = time;
        return SOL_OK;
    }
    double now = sim->time, clock = sim->value[sim->clock];
    find_room(&flow);
    vec_reserve(sim->mem, &sense->present, sim->n_values);
    memcpy(sense->present.at, sim->value, sim->n_values * sizeof *sim->value);
    status = steps_to(&flow, time);
    parts_look_at(sim, now);
    memcpy(sim->value, sense->present.at, sim->n_values * sizeof *sim->value);
    sim->value[sim->clock] = clock;
    return status;
}
