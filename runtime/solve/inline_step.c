/* inline_step.c: a plan, once per stage -> lists of assignments, linear systems. See inline_step.h.
 *
 * Stage i has variable v of the plan at place v + i * n_vars of a vector; behind them lie the weights of the method, then
 * the residuals. x = h * der(x) + old(x) becomes the sum over all stages; everything else is done once per stage,
 * operation by operation, so a block has as many tearing variables as stages for each of the plan. A variable that is a copy of another has its
 * place, and costs nothing.
 */
#include "runtime/solve/inline_step_int.h"
#include "runtime/solve/relation_form.h"

#include <string.h>

/* ---- life ---- */

/* x := y is no assignment: both have one place. */
static bool is_copy(const InlineStep *step, const InlineOp *op)
{
    return op->target && step->root[op->target] != op->target;
}

static void find_copies(InlineStep *step)
{
    const InlinePlan *plan = step->plan;
    for (uint32_t v = 0; v < plan->n_vars; v++) {
        step->root[v] = v;
        if (v && plan->var[v].role == INLINE_CLOCK)
            vec_push(step->sim->mem, &step->clocks, v);
    }
    for (uint32_t i = 0; i < plan->ops.n; i++) {
        const InlineOp *op = &plan->ops.at[i];
        XNode value = x_node(step->sim->forms, op->value);
        if (!op->target || op->state || value.op != X_POS)
            continue;
        InlineRole role = plan->var[op->vars[value.a]].role;
        if (role == INLINE_VALUE || role == INLINE_CLOCK || role == INLINE_GIVEN)
            step->root[op->target] = step->root[op->vars[value.a]];
    }
}

/* The discretisation over [x, old, weight, slope, weight, slope, ...]. */
static X discretised(const InlineStep *step, bool residual)
{
    FormTable *forms = step->sim->forms;
    X sum = 0;
    for (uint32_t j = 0; j < step->stages; j++) {
        X change = x_binary(forms, X_MUL, x_pos(forms, 2 + 2 * j), x_pos(forms, 3 + 2 * j));
        sum = sum ? x_binary(forms, X_ADD, sum, change) : change;
    }
    sum = x_binary(forms, X_ADD, sum, x_pos(forms, 1));
    return residual ? x_binary(forms, X_SUB, x_pos(forms, 0), sum) : sum;
}

static ShapeItem discretisation_item(InlineStep *step, const InlineOp *op, uint32_t stage)
{
    const InlinePlan *plan = step->plan;
    uint32_t s = op->state - 1, n = step->stages;
    uint32_t *vars = arena_alloc(&step->arena, (2 + 2 * n) * sizeof *vars);
    vars[0] = inline_place(step, plan->state[s], stage);
    vars[1] = plan->old[s];
    for (uint32_t j = 0; j < n; j++) {
        vars[2 + 2 * j] = step->weights + stage * n + j;
        vars[3 + 2 * j] = inline_place(step, plan->slope[s], j);
    }
    return (ShapeItem){op->target ? vars[0] : 0, discretised(step, !op->target), vars};
}

static ShapeItem model_item(InlineStep *step, const InlineOp *op, uint32_t stage)
{
    uint32_t n = x_positions(step->sim->forms, op->value);
    uint32_t *vars = arena_alloc(&step->arena, (n + 1) * sizeof *vars);
    for (uint32_t i = 0; i < n;
         i++) /* only methods of one stage know h outside the discretisation */
        vars[i] =
            op->vars[i] == step->plan->h ? step->weights : inline_place(step, op->vars[i], stage);
    return (ShapeItem){op->target ? inline_place(step, op->target, stage) : 0, op->value, vars};
}

static ShapeItem item_of(InlineStep *step, const InlineOp *op, uint32_t stage)
{
    return op->state ? discretisation_item(step, op, stage) : model_item(step, op, stage);
}

typedef VEC(ShapeItem) Items;

static void add_items(InlineStep *step, Items *items, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        for (uint32_t stage = 0; stage < step->stages && !is_copy(step, &step->plan->ops.at[i]);
             stage++)
            vec_push(step->sim->mem, items, item_of(step, &step->plan->ops.at[i], stage));
}

/* ---- what residuals depend on ---- */

typedef struct Depends {
    uint32_t n, *at; /* unknowns of the block, by index */
} Depends;

typedef struct Tracing {
    InlineStep *step;
    Arena arena;
    Depends *of;    /* [n_places] */
    uint32_t *seen; /* [unknowns]: by which mark */
    uint32_t mark;
    VEC(uint32_t) list; /* of what is looked at */
} Tracing;

static void begin_list(Tracing *t)
{
    vec_clear(&t->list);
    t->mark++;
}

static void gather(Tracing *t, const ShapeItem *item)
{
    const Sim *sim = t->step->sim;
    uint32_t n = x_positions(sim->forms, item->value);
    for (uint32_t k = 0; k < n; k++) {
        const Depends *on = &t->of[item->vars[k]];
        if (!on->n || !x_uses(sim->forms, item->value, k))
            continue;
        for (uint32_t i = 0; i < on->n; i++) {
            if (t->seen[on->at[i]] == t->mark)
                continue;
            t->seen[on->at[i]] = t->mark;
            vec_push(sim->mem, &t->list, on->at[i]);
        }
    }
}

static Depends end_list(Tracing *t)
{
    Depends on = {.n = t->list.n, .at = arena_alloc(&t->arena, (t->list.n + 1) * sizeof *on.at)};
    if (on.n)
        memcpy(on.at, t->list.at, on.n * sizeof *on.at);
    return on;
}

static void trace_items(Tracing *t, const Items *items)
{
    for (uint32_t i = 0; i < items->n; i++) {
        begin_list(t);
        gather(t, &items->at[i]);
        t->of[items->at[i].target] = end_list(t);
    }
}

/* Of a block inside: assignments one after the other; what is solved together depends on all that any of it does. */
static void trace_inner(Tracing *t, const InlineBlock *of)
{
    InlineStep *step = t->step;
    Items items = {0};
    add_items(step, &items, of->from, of->to);
    if (!of->n_tears) {
        trace_items(t, &items);
    } else {
        uint32_t steps = items.n;
        add_items(step, &items, of->residuals, of->residuals + of->n_tears);
        begin_list(t);
        for (uint32_t i = 0; i < items.n; i++)
            gather(t, &items.at[i]);
        Depends on = end_list(t);
        for (uint32_t i = 0; i < steps; i++)
            t->of[items.at[i].target] = on;
        for (uint32_t i = 0; i < of->n_tears * step->stages; i++)
            t->of[inline_place(step, step->plan->tears.at[of->tears + i / step->stages],
                               i % step->stages)] = on;
    }
    vec_free(step->sim->mem, &items);
}

/* `items`: those of the block itself, residuals last. */
static InlineMatrix *open_sparse(InlineStep *step, const StepBlock *block, const Items *items)
{
    Mem *mem = step->sim->mem;
    uint32_t n = block->n, entries = 0;
    Tracing t = {.step = step};
    arena_init(&t.arena, mem);
    t.of = arena_alloc(&t.arena, (step->n_places + 1) * sizeof *t.of);
    t.seen = arena_alloc(&t.arena, n * sizeof *t.seen);
    for (uint32_t i = 0; i < n; i++) {
        t.of[block->tears[i]].n = 1;
        t.of[block->tears[i]].at = arena_alloc(&t.arena, sizeof i);
        t.of[block->tears[i]].at[0] = i;
    }
    for (uint32_t i = block->of->inner_from; i < block->of->inner_to; i++)
        trace_inner(&t, &step->plan->blocks.at[i]);
    trace_items(&t, items);
    InlinePattern pattern = {.first = arena_alloc(&t.arena, (n + 1) * sizeof n)};
    for (uint32_t i = 0; i < n; i++)
        pattern.first[i + 1] = entries += t.of[block->residuals[i]].n;
    pattern.column = arena_alloc(&t.arena, (entries + 1) * sizeof entries);
    for (uint32_t i = 0; i < n; i++) {
        const Depends *on = &t.of[block->residuals[i]];
        if (on->n)
            memcpy(pattern.column + pattern.first[i], on->at, on->n * sizeof *on->at);
    }
    InlineMatrix *matrix = inline_matrix_open(mem, &step->arena, n, &pattern);
    vec_free(mem, &t.list);
    arena_free(&t.arena);
    return matrix;
}

static void add_unknowns(InlineStep *step, StepBlock *block, Items *items)
{
    const InlineBlock *of = block->of;
    uint32_t n = block->n = of->n_tears * step->stages, first = items->n;
    if (!n)
        return;
    add_items(step, items, of->residuals, of->residuals + of->n_tears);
    block->tears = arena_alloc(&step->arena, 2 * (size_t)n * sizeof *block->tears);
    block->residuals = block->tears + n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t tear = step->plan->tears.at[of->tears + i / step->stages];
        block->tears[i] = inline_place(step, tear, i % step->stages);
        block->residuals[i] = items->at[first + i].target = step->n_places++;
    }
    block->right = arena_alloc(&step->arena, n * sizeof *block->right);
    block->matrix = n > INLINE_DENSE ? open_sparse(step, block, items)
                                     : inline_matrix_open(step->sim->mem, &step->arena, n, NULL);
    step->n_tears += n;
}

static void open_block(InlineStep *step, StepBlock *block, const InlineBlock *of)
{
    Items items = {0};
    block->of = of;
    bool solved = of->solved && step->stages == 1;
    if (solved)
        vec_push(step->sim->mem, &items,
                 model_item(step,
                            &(InlineOp){.target = step->plan->tears.at[of->tears],
                                        .value = of->solved,
                                        .vars = of->solved_vars},
                            0));
    add_items(step, &items, of->from, of->to);
    if (!solved)
        add_unknowns(step, block, &items);
    block->list = list_code_open(step->sim, items.n, items.at);
    if (step->sim->opt.realtime > 0 && (block->n || of->inside))
        list_code_want_tangents(step->sim, block->list);
    vec_free(step->sim->mem, &items);
}

InlineStep *inline_step_open(Sim *sim, const InlinePlan *plan, uint32_t stages)
{
    Mem *mem = sim->mem;
    InlineStep *step = mem_alloc(mem, sizeof *step);
    step->sim = sim;
    step->plan = plan;
    step->stages = stages;
    step->stride = plan->n_vars;
    step->weights = stages * plan->n_vars;
    step->n_places = step->weights + stages * stages;
    step->n_blocks = plan->blocks.n;
    arena_init(&step->arena, mem);
    step->root = arena_alloc(&step->arena, plan->n_vars * sizeof *step->root);
    find_copies(step);
    step->blocks = mem_alloc(mem, (step->n_blocks + 1) * sizeof *step->blocks);
    for (uint32_t i = 0; i < step->n_blocks; i++)
        open_block(step, &step->blocks[i], &plan->blocks.at[i]);
    step->value = mem_alloc(mem, 3 * (size_t)(step->n_places + 1) * sizeof *step->value);
    step->tangent = step->value + step->n_places + 1;
    step->kept = step->tangent + step->n_places + 1;
    inline_find_responses(step);
    for (uint32_t j = 0; j < INLINE_POINTS - 1; j++)
        step->before[j] = arena_alloc(&step->arena, (step->n_tears + 1) * sizeof *step->before[j]);
    return step;
}

void inline_step_close(InlineStep *step)
{
    if (!step)
        return;
    Sim *sim = step->sim;
    for (uint32_t i = 0; i < step->n_blocks; i++) {
        list_code_close(sim, step->blocks[i].list);
        list_code_close(sim, step->blocks[i].needed);
        inline_matrix_close(step->blocks[i].matrix);
    }
    mem_free(sim->mem, step->blocks);
    mem_free(sim->mem, step->value);
    vec_free(sim->mem, &step->clocks);
    arena_free(&step->arena);
    mem_free(sim->mem, step);
}

uint32_t inline_step_places(const InlineStep *step)
{
    return step->n_places;
}

/* ---- in and out ---- */

void inline_step_begin(InlineStep *step)
{
    for (uint32_t stage = 0; stage < step->stages; stage++)
        for (uint32_t v = 1; v < step->stride; v++)
            step->value[inline_place(step, v, stage)] =
                step->plan->var[v].of ? step->sim->value[step->plan->var[v].of] : 0;
    inline_step_forget(step);
    for (uint32_t i = 0; i < step->stages * step->stages; i++)
        step->value[step->weights + i] = 0;
    memcpy(step->kept, step->value, step->weights * sizeof *step->kept);
    step->moved = false;
    step->n_before = 0;
}

void inline_step_renew(InlineStep *step)
{
    for (uint32_t i = 0; i < step->n_blocks; i++) {
        StepBlock *block = &step->blocks[i];
        block->factored = false;
        block->leaves = block->rate = 0;
        block->trusted = 0;
        block->fewest = block->more = 0;
        if (block->matrix)
            inline_matrix_forget(block->matrix);
    }
}

void inline_step_forget(InlineStep *step)
{
    for (uint32_t i = 0; i < step->n_blocks; i++)
        step->blocks[i].factored = false;
}

void inline_step_forget_iterated(InlineStep *step)
{
    for (uint32_t i = 0; i < step->n_blocks; i++) {
        step->blocks[i].factored &= step->blocks[i].of->constant;
        step->blocks[i].leaves = 0;
    }
}

void inline_step_weights(InlineStep *step, const double *weight)
{
    size_t bytes = (size_t)step->stages * step->stages * sizeof *weight;
    if (memcmp(step->value + step->weights, weight, bytes) == 0)
        return;
    memcpy(step->value + step->weights, weight, bytes);
    inline_step_forget(step);
}

void inline_step_clock(InlineStep *step, uint32_t stage, double time)
{
    for (uint32_t i = 0; i < step->clocks.n; i++)
        step->value[inline_place(step, step->clocks.at[i], stage)] = time;
}

double *inline_step_old(InlineStep *step, uint32_t state)
{
    return &step->value[step->plan->old[state]];
}

double inline_step_state(const InlineStep *step, uint32_t stage, uint32_t state)
{
    return step->value[inline_place(step, step->plan->state[state], stage)];
}

double inline_step_slope(const InlineStep *step, uint32_t stage, uint32_t state)
{
    return step->value[inline_place(step, step->plan->slope[state], stage)];
}

void inline_step_keep(InlineStep *step)
{
    double *oldest = step->before[INLINE_POINTS - 2];
    memmove(step->before + 1, step->before, (INLINE_POINTS - 2) * sizeof *step->before);
    step->before[0] = oldest;
    for (uint32_t b = 0, at = 0; b < step->n_blocks; b++)
        for (uint32_t i = 0; i < step->blocks[b].n; i++)
            oldest[at++] = step->kept[step->blocks[b].tears[i]];
    step->n_before += step->n_before < INLINE_POINTS - 1;
    memcpy(step->kept, step->value, step->weights * sizeof *step->kept);
    step->moved = false;
}

void inline_step_back(InlineStep *step)
{
    if (step->moved)
        memcpy(step->value, step->kept, step->weights * sizeof *step->kept);
    step->moved = true;
}

uint32_t inline_step_points(const InlineStep *step)
{
    return step->n_before + 1;
}

void inline_step_predict(InlineStep *step, uint32_t n, const double *by)
{
    for (uint32_t b = 0, at = 0; b < step->n_blocks; b++)
        for (uint32_t i = 0; i < step->blocks[b].n; i++, at++) {
            double *tear = &step->value[step->blocks[b].tears[i]], sum = by[0] * *tear;
            for (uint32_t j = 1; j < n; j++)
                sum += by[j] * step->before[j - 1][at];
            *tear = sum;
        }
}

void inline_step_copy(InlineStep *to, uint32_t to_stage, const InlineStep *from, uint32_t stage)
{
    memcpy(to->value + inline_place(to, 0, to_stage), from->value + inline_place(from, 0, stage),
           to->stride * sizeof *to->value);
    to->moved = true;
}

void inline_step_guess(InlineStep *step, const double *by)
{
    double now[INLINE_STAGES];
    uint32_t n = step->stages;
    for (uint32_t b = 0; b < step->n_blocks; b++) {
        const StepBlock *block = &step->blocks[b];
        for (uint32_t t = 0; block->of->kind == INLINE_ITERATED && t < block->n; t += n) {
            for (uint32_t j = 0; j < n; j++)
                now[j] = step->value[block->tears[t + j]];
            for (uint32_t i = 0; i < n; i++) {
                double sum = 0;
                for (uint32_t j = 0; j < n; j++)
                    sum += by[i * n + j] * now[j];
                step->value[block->tears[t + i]] = sum;
            }
        }
    }
}
