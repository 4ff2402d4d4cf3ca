/* start_blocks.c: blocks of initial conditions in order -> values, block by block. See start_plan.h.
 *
 * A loop is solved by Newton's method with a line search; where that fails, by KINSOL; by a way from the simplified equations, where the model has
 * homotopy(actual, simplified); of one unknown, between two points where the residual has different signs; by Newton's method and a homotopy
 * from points around the guess. Loops that were solved before it stay as they are. A solution beyond `min` or `max` of one of the block's
 * variables is none.
 */
#include "runtime/event/start_plan.h"

#include "numerics/way.h"
#include "runtime/eval/trace.h"
#include "runtime/solve/inline_matrix.h"
#include "runtime/solve/kinsol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A loop, torn or whole. */
typedef struct Solving {
    StartPlan *plan;
    const PlanOp *ops; /* n_steps assignments, then n residuals */
    uint32_t n_steps, n;
    const uint32_t *tears;
    uint32_t *residuals; /* [n]: places */
    InlineMatrix *matrix;
    uint32_t homotopy; /* place of its part; 0: nothing reads it */
    bool
        simplifies; /* a way is that of the homotopy, else from equations that the guess satisfies */
    double *guess, *step, *old, *unit, *base; /* [n] */
    Arena arena;
} Solving;

/* ---- values ---- */

static bool run(StartPlan *plan, const PlanOp *ops, uint32_t n)
{
    double *scratch = evaluate_scratch(plan->sim);
    bool finite = true;
    for (const PlanOp *op = ops; op < ops + n; op++) {
        interp_run(op->code, op->vars, plan->value, scratch, evaluate_foreign, plan->sim);
        plan->value[op->target] = scratch[0];
        finite = finite && isfinite(scratch[0]);
    }
    return finite;
}

static bool is_within(const StartPlan *plan, uint32_t place)
{
    double value = plan->value[place], slack = 1e-9 * (1 + fabs(value));
    return value >= plan->least[place] - slack && value <= plan->most[place] + slack;
}

static bool are_within(const StartPlan *plan, const PlanOp *ops, uint32_t n)
{
    bool within = true;
    for (uint32_t i = 0; i < n; i++)
        within = within && is_within(plan, ops[i].target);
    return within;
}

/* Unknowns are kept within while they move. */
static bool is_loop_within(const Solving *b)
{
    return are_within(b->plan, b->ops, b->n_steps);
}

static void put(Solving *b, uint32_t i, double x)
{
    uint32_t place = b->tears[i];
    b->plan->value[place] = fmin(fmax(x, b->plan->least[place]), b->plan->most[place]);
}

static double get(const Solving *b, uint32_t i)
{
    return b->plan->value[b->tears[i]];
}

/* Largest residual; infinite: it has no value here, or nobody wants it any more. */
static double evaluate(Solving *b)
{
    double most = 0;
    if (!run(b->plan, b->ops, b->n_steps + b->n) || cancel_break_off(b->plan->sim))
        return INFINITY;
    for (uint32_t i = 0; i < b->n; i++)
        most = fmax(most, fabs(b->plan->value[b->residuals[i]]));
    return most;
}

/* ---- derivatives ---- */

static void run_tangents(const Solving *b)
{
    StartPlan *plan = b->plan;
    double *scratch = evaluate_scratch(plan->sim);
    for (uint32_t i = 0; i < b->n_steps + b->n; i++) {
        const PlanOp *op = &b->ops[i];
        const double *tangent;
        interp_tangent(op->code, op->vars, plan->value, plan->tangent, scratch, &tangent,
                       evaluate_foreign, plan->sim);
        plan->value[op->target] = scratch[0];
        plan->tangent[op->target] = tangent[0];
    }
}

/* One sweep for all unknowns of a colour. Afterwards all tangents are 0 again. */
static bool factor(Solving *b)
{
    StartPlan *plan = b->plan;
    for (uint32_t sweep = 0; sweep < inline_matrix_sweeps(b->matrix); sweep++) {
        for (uint32_t i = 0; i < b->n; i++)
            plan->tangent[b->tears[i]] = inline_matrix_sweep_of(b->matrix, i) == sweep;
        run_tangents(b);
        inline_matrix_take(b->matrix, sweep, plan->tangent, b->residuals);
    }
    for (uint32_t i = 0; i < b->n; i++)
        plan->tangent[b->tears[i]] = 0;
    for (uint32_t i = 0; i < b->n_steps; i++)
        plan->tangent[b->ops[i].target] = 0;
    return inline_matrix_factor(b->matrix);
}

/* ---- Newton ---- */

enum { MOST_STEPS = 100 };

/* How large the step is beside the unknowns, now and at the guess. Who is 0 in both has no size: such a step is as large as
 * `without_size` says. */
static double step_size(const Solving *b, double without_size)
{
    double most = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        double size = fmax(fabs(b->old[i]), fabs(b->guess[i])), step = fabs(b->step[i]);
        bool known = size > 0 || step == 0;
        most = fmax(most, !known     ? fmax(without_size, step)
                          : size < 1 ? step / size
                                     : step / (1 + size));
    }
    return isfinite(most) ? most : INFINITY;
}

static double move(Solving *b, double part)
{
    for (uint32_t i = 0; i < b->n; i++)
        put(b, i, b->old[i] - part * b->step[i]);
    return evaluate(b);
}

static double search_line(Solving *b, double before)
{
    for (double part = 1; part > 1e-6; part /= 2) {
        double off = move(b, part);
        if (off < before)
            return off;
    }
    move(b, 0);
    return INFINITY;
}

/* What is left is rounding where nothing that is better lies on the way of a small step. */
static bool newton(Solving *b)
{
    static const double SMALL = 1e-9, ROUNDING = 1e-14;
    double off = evaluate(b);
    for (int i = 0; i < MOST_STEPS && off > 0 && isfinite(off); i++) {
        if (!factor(b))
            return false;
        for (uint32_t k = 0; k < b->n; k++) {
            b->step[k] = b->plan->value[b->residuals[k]];
            b->old[k] = get(b, k);
        }
        inline_matrix_solve(b->matrix, b->step);
        double next = step_size(b, 1) < ROUNDING ? INFINITY : search_line(b, off);
        if (!isfinite(next))
            return step_size(b, 0) < SMALL;
        off = next;
    }
    return off == 0;
}

/* ---- other ways ---- */

static void go_to_guess(Solving *b, double shift)
{
    for (uint32_t i = 0; i < b->n; i++)
        put(b, i, b->guess[i] + shift * (1 + fabs(b->guess[i])) * (1 + 0.1 * i));
}

/* f(x) - (1 - t) f(x0), or the part 1 - t of the simplified equations. */
static bool value_on_way(void *context, const double *x, double t, double *f)
{
    Solving *b = context;
    for (uint32_t i = 0; i < b->n; i++)
        b->plan->value[b->tears[i]] = x[i];
    if (b->simplifies)
        b->plan->value[b->homotopy] = 1 - t;
    bool finite = isfinite(evaluate(b));
    for (uint32_t i = 0; i < b->n; i++)
        f[i] = b->plan->value[b->residuals[i]] - (b->simplifies ? 0 : (1 - t) * b->base[i]);
    return finite;
}

static bool factor_on_way(void *context)
{
    return factor(context);
}

static void solve_on_way(void *context, double *x)
{
    inline_matrix_solve(((Solving *)context)->matrix, x);
}

static WaySystem way_from_here(Solving *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        b->old[i] = get(b, i);
        b->unit[i] = 1 + fabs(b->old[i]);
        b->base[i] = b->plan->value[b->residuals[i]];
    }
    return (WaySystem){.n = b->n,
                       .context = b,
                       .unit = b->unit,
                       .value = value_on_way,
                       .factor = factor_on_way,
                       .solve = solve_on_way};
}

static bool take(Solving *b, const double *x)
{
    for (uint32_t i = 0; i < b->n; i++)
        put(b, i, x[i]);
    return newton(b);
}

static bool by_kinsol(Solving *b)
{
    if (!isfinite(evaluate(b)))
        return false;
    WaySystem way = way_from_here(b);
    memset(b->base, 0, b->n * sizeof *b->base);
    memcpy(b->step, b->old, b->n * sizeof *b->step);
    return kinsol_solve(&way, b->step) && take(b, b->step);
}

static bool follow(Solving *b)
{
    WaySystem way = way_from_here(b);
    double *x = arena_alloc(&b->arena, b->n * sizeof *x);
    memcpy(x, b->old, b->n * sizeof *x);
    bool fine = way_follow(b->plan->sim->mem, &way, x);
    if (b->simplifies)
        b->plan->value[b->homotopy] = 0;
    b->simplifies = false;
    return fine && take(b, x);
}

static bool homotopy(Solving *b)
{
    return isfinite(evaluate(b)) && follow(b);
}

static bool simplified(Solving *b)
{
    if (!b->homotopy)
        return false;
    b->plan->value[b->homotopy] = 1;
    b->simplifies = newton(b);
    if (!b->simplifies)
        b->plan->value[b->homotopy] = 0;
    return b->simplifies && follow(b);
}

/* ---- one unknown: between two signs ---- */

static double residual_at(Solving *b, double x)
{
    put(b, 0, x);
    run(b->plan, b->ops, b->n_steps + 1);
    return b->plan->value[b->residuals[0]];
}

/* [a, c] has residuals of different signs. */
static bool halve(Solving *b, double a, double c, double off_a)
{
    for (int i = 0; i < 200; i++) {
        double middle = a + (c - a) / 2, off = residual_at(b, middle);
        if (!isfinite(off))
            return false;
        if (middle == a || middle == c)
            break;
        if ((off > 0) == (off_a > 0))
            a = middle;
        else
            c = middle;
    }
    return newton(b) && is_loop_within(b);
}

/* At `none` it has no value, at `some` it has: perhaps it has another sign on the way there. */
static bool from_edge(Solving *b, double none, double some, double off_some)
{
    for (int i = 0; i < 60; i++) {
        double middle = none + (some - none) / 2, off = residual_at(b, middle);
        if (!isfinite(off))
            none = middle;
        else if ((off > 0) != (off_some > 0))
            return halve(b, middle, some, off);
        else
            some = middle;
    }
    return false;
}

static bool between(Solving *b, double a, double c, double off_a, double off_c)
{
    if (!isfinite(off_a) && !isfinite(off_c))
        return false;
    if (!isfinite(off_a))
        return from_edge(b, a, c, off_c);
    if (!isfinite(off_c))
        return from_edge(b, c, a, off_a);
    return (off_a > 0) != (off_c > 0) && halve(b, a, c, off_a);
}

/* From the guess outwards, to both sides, in steps that grow. */
static bool between_signs(Solving *b)
{
    static const double FIRST = 0.01, FAR = 1e4, FARTHEST = 1e60;
    double unit = 1 + fabs(b->guess[0]), at[2] = {b->guess[0], b->guess[0]}, off[2];
    if (b->n != 1)
        return false;
    off[0] = off[1] = residual_at(b, b->guess[0]);
    for (double reach = FIRST; reach < FARTHEST; reach *= reach < FAR ? 1.5 : 4)
        for (int side = 0; side < 2; side++) {
            double next = b->guess[0] + (side ? -reach : reach) * unit, then = residual_at(b, next);
            if (between(b, at[side], next, off[side], then))
                return true;
            at[side] = next;
            off[side] = then;
        }
    return false;
}

/* ---- a block ---- */

static const struct {
    bool (*way)(Solving *b);
    double shift; /* from the guess, in units of 1 + its size; each unknown in its own way */
    bool thorough;
} ways[] = {
    {newton, 0, false},       {by_kinsol, 0, false}, {simplified, 0, false}, {newton, 0.01, true},
    {between_signs, 0, true}, {homotopy, 0, true},   {homotopy, 0.01, true}, {newton, 1, true},
    {newton, -1, true},       {newton, 3, true},     {newton, -3, true},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* ---- which unknowns each residual depends on, by way of assignments ---- */

typedef struct Depends {
    uint32_t n, *at; /* unknowns, by index */
} Depends;

typedef struct Tracing {
    Solving *b;
    Depends *of;     /* [places] */
    uint32_t *marks; /* [unknowns]: number of the operation that was looked at last */
    uint32_t *room;  /* [unknowns] */
} Tracing;

static void trace_op(Tracing *t, const PlanOp *op, uint32_t number)
{
    uint32_t positions = x_positions(t->b->plan->sim->forms, op->value), n = 0;
    for (uint32_t k = 0; k < positions; k++) {
        const Depends *on = &t->of[op->vars[k]];
        for (uint32_t i = 0; i < on->n; i++) {
            if (t->marks[on->at[i]] != number)
                t->room[n++] = on->at[i];
            t->marks[on->at[i]] = number;
        }
    }
    Depends *of = &t->of[op->target];
    *of = (Depends){n, arena_alloc(&t->b->arena, (n + 1) * sizeof *of->at)};
    memcpy(of->at, t->room, n * sizeof *of->at);
}

static InlinePattern pattern_of(Solving *b)
{
    uint32_t n = b->n, entries = 0;
    Tracing t = {.b = b,
                 .of = arena_alloc(&b->arena, b->plan->n_places * sizeof *t.of),
                 .marks = arena_alloc(&b->arena, n * sizeof *t.marks),
                 .room = arena_alloc(&b->arena, n * sizeof *t.room)};
    uint32_t *own = arena_alloc(&b->arena, n * sizeof *own);
    for (uint32_t i = 0; i < n; i++) {
        own[i] = i;
        t.of[b->tears[i]] = (Depends){1, own + i};
    }
    for (uint32_t i = 0; i < b->n_steps + n; i++)
        trace_op(&t, &b->ops[i], i + 1);
    InlinePattern pattern = {.first = arena_alloc(&b->arena, (n + 1) * sizeof n)};
    for (uint32_t i = 0; i < n; i++)
        pattern.first[i + 1] = entries += t.of[b->residuals[i]].n;
    pattern.column = arena_alloc(&b->arena, (entries + 1) * sizeof entries);
    for (uint32_t i = 0; i < n; i++)
        memcpy(pattern.column + pattern.first[i], t.of[b->residuals[i]].at,
               t.of[b->residuals[i]].n * sizeof entries);
    return pattern;
}

/* ---- a loop ---- */

static uint32_t homotopy_place(const Solving *b)
{
    StartPlan *plan = b->plan;
    DdpVar part = world_homotopy(plan->sim->world);
    uint32_t place = part ? map_get(&plan->place_of, part) : 0;
    for (uint32_t i = 0; place && i < b->n_steps + b->n; i++) {
        const PlanOp *op = &b->ops[i];
        for (uint32_t k = x_positions(plan->sim->forms, op->value); k-- > 0;)
            if (op->vars[k] == place)
                return place;
    }
    return 0;
}

/* All equations are residuals, all variables unknowns. */
static void make_whole(Solving *b)
{
    uint32_t n = b->n_steps + b->n;
    PlanOp *ops = arena_alloc(&b->arena, n * sizeof *ops);
    uint32_t *unknowns = arena_alloc(&b->arena, n * sizeof *unknowns);
    for (uint32_t i = 0; i < n; i++) {
        ops[i] = b->ops[i];
        ops[i].value = b->ops[i].residual;
        ops[i].code = evaluate_make_code(b->plan->sim, ops[i].value);
        ops[i].target = b->plan->n_vars + i;
        unknowns[i] = i < b->n_steps ? b->ops[i].target : b->tears[i - b->n_steps];
    }
    b->ops = ops;
    b->tears = unknowns;
    b->n_steps = 0;
    b->n = n;
}

static void open_solving(Solving *b, const PlanBlock *block, bool whole)
{
    StartPlan *plan = b->plan;
    arena_init(&b->arena, plan->sim->mem);
    b->n = block->n;
    b->n_steps = block->to - block->from;
    b->ops = plan->ops.at + block->from;
    b->tears = plan->tears.at + block->tears;
    if (whole)
        make_whole(b);
    b->residuals = arena_alloc(&b->arena, b->n * sizeof *b->residuals);
    b->guess = arena_alloc(&b->arena, 5 * b->n * sizeof *b->guess);
    b->step = b->guess + b->n;
    b->old = b->step + b->n;
    b->unit = b->old + b->n;
    b->base = b->unit + b->n;
    for (uint32_t i = 0; i < b->n; i++) {
        b->residuals[i] = plan->n_vars + i;
        b->guess[i] = plan->guess[b->tears[i]];
    }
    InlinePattern pattern = {0};
    if (b->n > INLINE_DENSE)
        pattern = pattern_of(b);
    b->matrix =
        inline_matrix_open(plan->sim->mem, &b->arena, b->n, b->n > INLINE_DENSE ? &pattern : NULL);
    b->homotopy = homotopy_place(b);
}

static bool solve_form(StartPlan *plan, const PlanBlock *block, bool whole, bool thorough)
{
    Solving b = {.plan = plan};
    bool solved = false;
    open_solving(&b, block, whole);
    for (int i = 0; i < WAYS && !solved; i++) {
        if (ways[i].thorough != thorough)
            continue;
        go_to_guess(&b, ways[i].shift);
        solved = ways[i].way(&b) && is_loop_within(&b);
    }
    inline_matrix_close(b.matrix);
    arena_free(&b.arena);
    return solved;
}

static bool is_bounded(const StartPlan *plan, uint32_t place)
{
    return isfinite(plan->least[place]) || isfinite(plan->most[place]);
}

/* Newton's method over all states knows nothing of other variables' bounds. */
static bool has_bounds(const StartPlan *plan, const PlanBlock *block)
{
    bool any = false;
    for (uint32_t i = block->from; i < block->to; i++)
        any |= is_bounded(plan, plan->ops.at[i].target);
    for (uint32_t i = 0; i < block->n; i++)
        any |= is_bounded(plan, plan->tears.at[block->tears + i]);
    return any;
}

/* Torn, then whole: assignments may lead far from where a guess was a good one. */
static bool solve_loop(StartPlan *plan, const PlanBlock *block, bool all_ways)
{
    bool torn = block->to > block->from;
    if (solve_form(plan, block, false, false) || (torn && solve_form(plan, block, true, false)))
        return true;
    if (!(all_ways && plan->thorough) && !has_bounds(plan, block))
        return false;
    return solve_form(plan, block, false, true) || (torn && solve_form(plan, block, true, true));
}

/* ---- the whole ---- */

static bool solve_block(StartPlan *plan, const PlanBlock *block, bool all_ways)
{
    const PlanOp *ops = plan->ops.at + block->from;
    uint32_t n = block->to - block->from;
    return block->n ? solve_loop(plan, block, all_ways)
                    : run(plan, ops, n) && are_within(plan, ops, n);
}

static void take_values(StartPlan *plan)
{
    const Sim *sim = plan->sim;
    for (uint32_t place = 1; place < plan->n_vars; place++) {
        double value = plan->before[place] = sim->value[plan->of[place]];
        plan->guess[place] = isfinite(value) ? value : 0;
    }
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        const StartMemo *start = &sim->start.starts.at[i];
        uint32_t place = start->var ? map_get(&plan->place_of, start->var) : 0;
        if (place && isfinite(sim->value[start->start]))
            plan->guess[place] = sim->value[start->start];
    }
    memcpy(plan->value, plan->guess, plan->n_vars * sizeof *plan->value);
}

void start_plan_guess(const StartPlan *plan, bool back)
{
    Sim *sim = plan->sim;
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        const EvalNode *node = &sim->nodes.at[plan->loops.at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++) {
            uint32_t place = map_get(&plan->place_of, node_output(node, k));
            values_set(sim, plan->of[place], back ? plan->before[place] : plan->value[place]);
        }
        evaluate_touch_node(sim, plan->loops.at[i]);
    }
}

static void tell_failure(StartPlan *plan, const PlanBlock *block)
{
    Sim *sim = plan->sim;
    DdpRel rel = plan->ops.at[block->n ? block->to : block->from].rel;
    uint32_t place = block->n ? plan->tears.at[block->tears] : plan->ops.at[block->from].target;
    if (trace_on(sim, 'i'))
        trace_line(sim, 'i', sim->time,
                   "initial conditions: a block of %u equations with %s ends at '%s'",
                   block->to - block->from + block->n, explain_var(sim, plan->of[place]),
                   rel ? explain_rel(sim, rel) : "a start value, or a parameter");
}

bool start_plan_solve(StartPlan *plan, bool all_ways)
{
    take_values(plan);
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        if (!solve_block(plan, &plan->blocks.at[i], all_ways)) {
            tell_failure(plan, &plan->blocks.at[i]);
            return false;
        }
    return true;
}
