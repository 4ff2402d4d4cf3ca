/* inline_solve.c: the blocks of a step -> their solution: linear systems, Newton's iteration. See inline_step.h.
 *
 * Linear blocks: their matrix is made of tangents, factored, and kept while nothing it is made of changes: for those with
 * constant factors as long as h is the same. A second solution with the same factors takes out the rounding of the first.
 *
 * Iterated blocks: simplified Newton, with a Jacobian that is kept over steps while iterations converge fast; taken
 * anew where they do not, then in each round, and where slow rounds have cost as much as it does. A derivative of a state counts by what it does to the state.
 *
 * Where rounding need not be reached (tolerances from ROUGH on), a linear block inside an iteration whose factors are constant is evaluated twice in a step: in the
 * first round and at the end. In between, what others read of it is a linear function of what it reads (inline_response.c). At the end
 * residuals, and what nothing but these read, are not evaluated.
 */
#include "runtime/solve/inline_step_int.h"

#include <math.h>
#include <string.h>

static const double ROUGH = 1e-10;

/* ---- linear blocks ---- */

static void seed(InlineStep *step, const StepBlock *block, uint32_t sweep, double by)
{
    for (uint32_t j = 0; j < block->n; j++)
        if (inline_matrix_sweep_of(block->matrix, j) == sweep)
            step->tangent[block->tears[j]] = by;
}

static bool factor_by(InlineStep *step, StepBlock *block,
                      void (*tangents)(InlineStep *step, StepBlock *block))
{
    for (uint32_t sweep = 0; sweep < inline_matrix_sweeps(block->matrix); sweep++) {
        seed(step, block, sweep, 1);
        tangents(step, block);
        seed(step, block, sweep, 0);
        inline_matrix_take(block->matrix, sweep, step->tangent, block->residuals);
    }
    return block->factored = inline_matrix_factor(block->matrix);
}

static void list_tangents(InlineStep *step, StepBlock *block)
{
    list_code_tangents(step->sim, block->list, step->value, step->tangent);
}

/* Tangents of what a block has computed, back to 0. */
static void clear_tangents(InlineStep *step)
{
    memset(step->tangent, 0, step->n_places * sizeof *step->tangent);
}

static bool factor_linear(InlineStep *step, StepBlock *block)
{
    if (block->factored)
        return true;
    block->leaves = 0;
    if (block->response)
        block->response->known = false;
    factor_by(step, block, list_tangents);
    clear_tangents(step);
    return block->factored;
}

/* It has been factored. */
static void tangent_linear(InlineStep *step, StepBlock *block)
{
    for (uint32_t i = 0; i < block->n; i++)
        step->tangent[block->tears[i]] = 0;
    list_tangents(step, block);
    for (uint32_t i = 0; i < block->n; i++)
        block->right[i] = step->tangent[block->residuals[i]];
    inline_matrix_solve(block->matrix, block->right);
    for (uint32_t i = 0; i < block->n; i++)
        step->tangent[block->tears[i]] = -block->right[i];
    list_tangents(step, block);
}

/* Its factors are new: what it hands on by what it reads, and by its unknowns. */
static void measure_response(InlineStep *step, StepBlock *block)
{
    InlineResponse *r = block->response;
    for (uint32_t i = 0; i < r->n_in; i++) {
        step->tangent[r->in[i]] = 1;
        tangent_linear(step, block);
        step->tangent[r->in[i]] = 0;
        for (uint32_t k = 0; k < r->n_out; k++)
            r->by[k * r->n_in + i] = step->tangent[r->out[k]];
    }
    for (uint32_t j = 0; j < block->n; j++)
        step->tangent[block->tears[j]] = 0;
    for (uint32_t j = 0; j < block->n; j++) {
        memset(block->right, 0, block->n * sizeof *block->right);
        block->right[j] = 1;
        inline_matrix_solve(block->matrix, block->right);
        for (uint32_t i = 0; i < block->n; i++)
            r->inverse[i * block->n + j] = block->right[i];
        step->tangent[block->tears[j]] = 1;
        list_tangents(step, block);
        step->tangent[block->tears[j]] = 0;
        for (uint32_t k = 0; k < r->n_read; k++)
            r->by_unknown[k * block->n + j] = step->tangent[r->out[k]];
    }
    clear_tangents(step);
    r->known = true;
}

/* The largest change, relative to the largest unknown of the block; NaN stays. */
static double correct(InlineStep *step, const StepBlock *block)
{
    double most = 0, size = 1e-300;
    for (uint32_t i = 0; i < block->n; i++)
        block->right[i] = step->value[block->residuals[i]];
    inline_matrix_solve(block->matrix, block->right);
    for (uint32_t i = 0; i < block->n; i++) {
        double *unknown = &step->value[block->tears[i]];
        *unknown -= block->right[i];
        double change = fabs(block->right[i]);
        most = change <= most ? most : change;
        size = fmax(size, fabs(*unknown));
    }
    return most / size;
}

enum { MOST_CORRECTIONS = 4 };

/* Of a correction that is small, or by factors that have shown to be good, nothing is left behind that counts. */
static bool is_corrected(const StepBlock *block, double size)
{
    return size <= 1e-7 || (block->leaves > 0 && size * block->leaves <= 1e-14);
}

static bool solve_linear(InlineStep *step, StepBlock *block)
{
    block->factored &= block->of->constant;
    list_code_values(step->sim, block->list, step->value);
    if (!factor_linear(step, block))
        return false;
    double size = INFINITY, last;
    for (int round = 0; round < MOST_CORRECTIONS; round++) {
        last = size;
        size = correct(step, block);
        list_code_values(step->sim, block->list, step->value);
        if (!isfinite(size))
            return false;
        if (round == 1)
            block->leaves = fmax(block->leaves, size / last);
        if (is_corrected(block, size) || (round > 0 && size > last / 100))
            break;
    }
    return true;
}

/* In the first round: only its unknowns and what others read of it are needed. The end of the step will look at what a correction leaves, which
 * is a small part of it. */
static bool begin_linear(InlineStep *step, StepBlock *block)
{
    list_code_values(step->sim, block->list, step->value);
    if (!factor_linear(step, block))
        return false;
    if (!block->response->known)
        measure_response(step, block);
    double size = inline_response_correct(step, block);
    bool fine = isfinite(size) && (1e-6 * size <= step->tolerance || solve_linear(step, block));
    inline_response_note(step, block);
    return fine;
}

/* Behind the last: its unknowns are solved for, as well as those of Newton's method are. What is left is looked at, and the rest of it evaluated. */
static bool end_linear(InlineStep *step, StepBlock *block)
{
    inline_response_apply(step, block);
    list_code_values(step->sim, block->list, step->value);
    return inline_response_left(step, block) <= step->tolerance || solve_linear(step, block);
}

/* ---- iterated blocks ---- */

static bool solve_alone(InlineStep *step, StepBlock *block)
{
    if (block->n)
        return solve_linear(step, block);
    list_code_values(step->sim, block->list, step->value);
    return true;
}

static bool is_rough(const InlineStep *step)
{
    return step->tolerance >= ROUGH;
}

/* In the first round and in those behind it. */
static bool solve_inner(InlineStep *step, StepBlock *block, bool first)
{
    if (!block->response || !is_rough(step))
        return solve_alone(step, block);
    if (first)
        return begin_linear(step, block);
    inline_response_apply(step, block);
    return true;
}

static bool residuals(InlineStep *step, StepBlock *block, bool first)
{
    for (uint32_t i = block->of->inner_from; i < block->of->inner_to; i++)
        if (!solve_inner(step, &step->blocks[i], first))
            return false;
    list_code_values(step->sim, block->list, step->value);
    for (uint32_t i = 0; i < block->n; i++)
        if (!isfinite(step->value[block->residuals[i]]))
            return false;
    return true;
}

/* Behind the last round. */
static bool end_rounds(InlineStep *step, StepBlock *block)
{
    if (!is_rough(step))
        return residuals(step, block, false);
    for (uint32_t i = block->of->inner_from; i < block->of->inner_to; i++) {
        StepBlock *inner = &step->blocks[i];
        bool fine = inner->response ? end_linear(step, inner) : true;
        if (inner->needed)
            list_code_values(step->sim, inner->needed, step->value);
        else if (!inner->response)
            fine = solve_alone(step, inner);
        if (!fine)
            return false;
    }
    return true;
}

static void whole_tangents(InlineStep *step, StepBlock *block)
{
    for (uint32_t i = block->of->inner_from; i < block->of->inner_to; i++) {
        StepBlock *inner = &step->blocks[i];
        if (inner->n)
            tangent_linear(step, inner);
        else
            list_tangents(step, inner);
    }
    list_tangents(step, block);
}

static bool factor_iterated(InlineStep *step, StepBlock *block)
{
    bool fine = factor_by(step, block, whole_tangents);
    clear_tangents(step);
    block->fresh = true;
    step->sim->counts.jacobians++;
    return fine;
}

/* What one unit of an unknown is worth. A derivative counts by the way that its state takes in the step. */
static double worth(const InlineStep *step, const StepBlock *block, uint32_t i, double largest)
{
    const SolOptions *opt = &step->sim->opt;
    uint32_t stage = i % step->stages;
    uint32_t state =
        step->plan->var[step->plan->tears.at[block->of->tears + i / step->stages]].state;
    double own = fabs(step->value[block->tears[i]]) + 1e-6 * largest + 1e-6;
    if (!state)
        return own;
    double way = fabs(step->value[step->weights + stage * step->stages + stage]);
    double room = fabs(inline_step_state(step, stage, state - 1)) + opt->atol / opt->rtol;
    return fmax(own, way > 0 ? room / way : 0);
}

/* One step of Newton's; its size. */
static double newton_step(InlineStep *step, StepBlock *block)
{
    double largest = 0, most = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        block->right[i] = step->value[block->residuals[i]];
        largest = fmax(largest, fabs(step->value[block->tears[i]]));
    }
    inline_matrix_solve(block->matrix, block->right);
    for (uint32_t i = 0; i < block->n; i++) {
        double size = fabs(block->right[i]) / worth(step, block, i, largest);
        most = size <= most ? most : size;
        step->value[block->tears[i]] -= block->right[i];
    }
    step->sim->counts.newton++;
    return most;
}

enum { MOST_ROUNDS = 40, SLOW_ROUNDS = 8 };

/* In real time what the last round has found counts, if rounds came nearer to the solution or are as near as anybody asks. */
static bool leave_unfinished(InlineStep *step, double size, double rate)
{
    SimCounts *counts = &step->sim->counts;
    const SolOptions *opt = &step->sim->opt;
    if (!(opt->realtime > 0 && (rate < 1 || size <= opt->rtol)))
        return false;
    counts->unfinished++;
    counts->unfinished_by =
        fmax(counts->unfinished_by, rate < 0.5 ? size * rate / (1 - rate) : size);
    return true;
}

enum { MOST_TRUSTED = 4 };

/* Is what the next rounds would change too little to count? In the first round by the rate of the steps before with the same
 * factors: measured again now and then, since factors grow old. */
static bool is_near(const InlineStep *step, const StepBlock *block, uint32_t round, double size,
                    double rate)
{
    if (size <= 1e-14)
        return true;
    if (round == 0)
        return !block->fresh && block->rate > 0 && block->rate < 0.1 &&
               block->trusted < MOST_TRUSTED && 10 * size * block->rate <= step->tolerance;
    if (rate < 1 && size * rate / (1 - rate) <= step->tolerance)
        return true;
    /* rounding is all that is left; with new factors a step that is not would be much smaller than the one before */
    return size <= (block->fresh ? 1e-8 : 1e-10) && rate > 0.25;
}

/* Factors that grow old cost rounds. When these are as many as a Jacobian costs there is a new one, in the next step. `rate`: the
 * largest of the step, 0: it had one round. */
static void note_rounds(StepBlock *block, uint32_t rounds, double rate)
{
    if (block->fresh) { /* rounds that converge with the square tell nothing of the next step */
        block->rate = 0;
        block->fewest = rounds;
        block->more = 0;
        return;
    }
    block->trusted = rate > 0 ? 0 : block->trusted + 1;
    block->rate = rate > 0 ? rate : block->rate;
    block->more += rounds > block->fewest ? rounds - block->fewest : 0;
    if (block->more > 2 * block->n)
        block->factored = false;
}

static bool newton(InlineStep *step, StepBlock *block)
{
    const SolOptions *opt = &step->sim->opt;
    uint32_t most = opt->realtime > 0 ? opt->max_rounds : MOST_ROUNDS;
    double last = INFINITY, rate = 0, largest = 0;
    block->fresh = false;
    if (!residuals(step, block, true))
        return false;
    for (uint32_t round = 0; round < most; round++) {
        bool anew = !block->factored || round > SLOW_ROUNDS;
        if (anew && !factor_iterated(step, block))
            return false;
        double size = newton_step(step, block);
        if (!isfinite(size))
            return false;
        rate = size / last;
        largest = fmax(largest, rate);
        if (is_near(step, block, round, size, rate)) {
            note_rounds(block, round + 1, largest);
            return end_rounds(step, block);
        }
        if (!residuals(step, block, false))
            return false;
        if (round > 0 && rate > 0.5) { /* too slow, or astray */
            if (block->fresh && rate > 2)
                return false;
            block->factored = false;
        }
        last = size;
    }
    return leave_unfinished(step, last, rate > 0 ? rate : INFINITY) && end_rounds(step, block);
}

bool inline_step_solve(InlineStep *step, double tolerance)
{
    step->tolerance = tolerance;
    for (uint32_t i = 0; i < step->n_blocks; i++) {
        StepBlock *block = &step->blocks[i];
        if (block->of->inside)
            continue;
        bool fine =
            block->of->kind == INLINE_ITERATED ? newton(step, block) : solve_alone(step, block);
        if (!fine) {
            block->factored = false;
            return false;
        }
    }
    return true;
}
