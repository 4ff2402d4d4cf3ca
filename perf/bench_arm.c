/* bench_arm.c: a step of the library's arm, by inline integration and by Newton's method on all unknowns.
 *
 *     bench_arm [STEPS]
 *
 * The same equations, implicit Euler with the same step, the same first guess by extrapolation and the same bound on what
 * rounds leave, solved in these ways:
 *
 *   inline     as runtime/solve/inline_step.c does: six unknowns are iterated
 *   all, KLU   Newton's method on all unknowns of the equations of a step; residuals and every entry of the Jacobian are compiled code,
 *              entries that are constant are set once, KLU's analysis is kept; a new Jacobian in each round
 *   kept, KLU  the same, but a Jacobian is kept, over steps too, while each round is ten times smaller than the one before
 *   all, dense as the first, with dense factors
 *   every, KLU as `all`, with the equations as the model has them: each copy (x = y) is an unknown and an equation of its own
 *   states     Newton's method on the 66 states alone, with the Jacobian that IDA gets (tangents of columns that do not meet)
 *
 * Copies count as one unknown in the others. Bearings do not saturate, so that there are no events. All must end at the
 * same point. What is printed are medians of processor time over rounds of steps that take turns, so their ratios count. */
#include "base/timer.h"
#include "numerics/dense_lu.h"
#include "runtime/eval/list_code.h"
#include "runtime/solve/inline_step.h"
#include "runtime/solve/jacobian.h"
#include "runtime/solve/relation_form.h"
#include "runtime/solve/sparse_lu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 21, WARM = 400 };
static const double STEP = 1e-3, BOUND = 1e-9;

static void expect(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "bench_arm: %s\n", what);
    exit(1);
}

/* ---- the equations of a step, as they are ---- */

typedef struct Whole {
    Sim *sim;
    const InlinePlan *plan;
    uint32_t n;        /* equations, unknowns */
    uint32_t *unknown; /* [n]: variable of the plan */
    uint32_t *index;   /* [n_vars]: index + 1 among unknowns */
    double *value;     /* [n_vars], then residuals, then entries */
    uint32_t residuals, entries;
    ListCode *residual, *jacobian;
    uint32_t n_entries;
    int *column, *row; /* compressed columns */
    uint32_t *entry;   /* [n_entries]: place of each */
    double *matrix;    /* [n_entries] in that order */
    SparseLu lu;
    double *dense;
    uint32_t *pivot;
    double *right;
    double *past[3]; /* [n] each */
    uint32_t n_past, rounds, jacobians;
    bool factored;
} Whole;

typedef struct Entry {
    uint32_t row, column, place;
} Entry;

static int by_column(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->row > y->row) - (x->row < y->row);
}

typedef VEC(ShapeItem) Items;
typedef VEC(Entry) Entries;

/* Entry of the equation at `row`: derivative by position k. What is constant is set here, once. */
static void add_entry(Whole *w, Items *items, Entries *all, uint32_t row, X residual, uint32_t k,
                      uint32_t *vars)
{
    X partial = x_partial(w->sim->forms, residual, k);
    uint32_t unknown = w->index[vars[k]], place = w->entries + w->n_entries++;
    vec_push(w->sim->mem, all, ((Entry){row, unknown - 1, place}));
    vec_push(w->sim->mem, items, ((ShapeItem){place, partial, vars}));
}

static void add_equation(Whole *w, const InlineOp *op, uint32_t row, Items *residuals,
                         Items *entries, Entries *all)
{
    FormTable *forms = w->sim->forms;
    uint32_t n = x_positions(w->sim->forms, op->value);
    uint32_t *vars = calloc(n + 2, sizeof *vars);
    for (uint32_t i = 0; i < n; i++)
        vars[i] = op->vars[i];
    X residual = op->value;
    if (op->target) {
        vars[n] = op->target;
        residual = x_binary(forms, X_SUB, x_pos(forms, n++), residual);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (vars[i] == vars[j]) { /* copies: one position each */
                X by[64];
                expect(n <= 64, "too many positions");
                for (uint32_t k = 0; k < n; k++)
                    by[k] = x_pos(forms, k == i ? j : k);
                residual = x_put(forms, residual, by);
            }
    vec_push(w->sim->mem, residuals, ((ShapeItem){w->residuals + row, residual, vars}));
    for (uint32_t k = 0; k < n; k++)
        if (x_uses(forms, residual, k) && w->index[vars[k]])
            add_entry(w, entries, all, row, residual, k, vars);
}

static void compress(Whole *w, Entries *all)
{
    qsort(all->at, all->n, sizeof *all->at, by_column);
    w->column = calloc(w->n + 1, sizeof *w->column);
    w->row = calloc(all->n, sizeof *w->row);
    w->entry = calloc(all->n, sizeof *w->entry);
    w->matrix = calloc(all->n, sizeof *w->matrix);
    for (uint32_t i = 0; i < all->n; i++) {
        w->column[all->at[i].column + 1]++;
        w->row[i] = (int)all->at[i].row;
        w->entry[i] = all->at[i].place;
    }
    for (uint32_t i = 0; i < w->n; i++)
        w->column[i + 1] += w->column[i];
}

/* Entries that do not vary have their value, and no code. */
static void keep_varying(Whole *w, Items *entries)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < entries->n; i++) {
        const ShapeItem *item = &entries->at[i];
        bool varies = false;
        uint32_t positions = x_positions(w->sim->forms, item->value);
        for (uint32_t k = 0; k < positions; k++) {
            InlineRole role = w->plan->var[item->vars[k]].role;
            varies |=
                x_uses(w->sim->forms, item->value, k) && role != INLINE_GIVEN && role != INLINE_H;
        }
        if (varies)
            entries->at[n++] = *item;
        else
            w->value[item->target] =
                x_value(w->sim->forms, item->value, item->vars, w->value, evaluate_foreign, w->sim);
    }
    entries->n = n;
}

static Whole *open_whole(Sim *sim, const InlinePlan *plan, bool dense)
{
    Whole *w = calloc(1, sizeof *w);
    Items residuals = {0}, entries = {0};
    Entries all = {0};
    uint32_t limit = plan->n_vars, row = 0;
    w->sim = sim;
    w->plan = plan;
    w->index = calloc(limit, sizeof *w->index);
    w->unknown = calloc(limit, sizeof *w->unknown);
    for (uint32_t i = 0; i < plan->ops.n; i++)
        if (plan->ops.at[i].target)
            w->unknown[w->n++] = plan->ops.at[i].target;
    for (uint32_t i = 0; i < plan->tears.n; i++)
        w->unknown[w->n++] = plan->tears.at[i];
    for (uint32_t i = 0; i < w->n; i++)
        w->index[w->unknown[i]] = i + 1;
    w->residuals = limit;
    w->entries = limit + w->n;
    for (uint32_t i = 0; i < plan->ops.n; i++)
        add_equation(w, &plan->ops.at[i], row++, &residuals, &entries, &all);
    expect(row == w->n, "equations and unknowns are not as many");
    w->value = calloc(w->entries + w->n_entries, sizeof *w->value);
    for (uint32_t v = 1; v < limit; v++)
        w->value[v] = plan->var[v].of ? sim->value[plan->var[v].of] : 0;
    w->value[plan->h] = STEP;
    compress(w, &all);
    keep_varying(w, &entries);
    printf("  all unknowns: %u equations, %u entries, %u of them vary\n", w->n, w->n_entries,
           entries.n);
    w->residual = list_code_open(sim, residuals.n, residuals.at);
    w->jacobian = list_code_open(sim, entries.n, entries.at);
    sparse_lu_open(&w->lu);
    w->dense = dense ? calloc(dense_lu_room(w->n), sizeof *w->dense) : NULL;
    w->pivot = calloc(dense_lu_pivots(w->n), sizeof *w->pivot);
    w->right = calloc(w->n, sizeof *w->right);
    for (int i = 0; i < 3; i++)
        w->past[i] = calloc(w->n, sizeof **w->past);
    return w;
}

static void factor_whole(Whole *w)
{
    list_code_values(w->sim, w->jacobian, w->value);
    w->jacobians++;
    if (!w->dense) {
        for (uint32_t i = 0; i < w->n_entries; i++)
            w->matrix[i] = w->value[w->entry[i]];
        expect(sparse_lu_factor(&w->lu, w->sim->mem, w->n, w->column, w->row, w->matrix) == 0,
               "singular");
        return;
    }
    memset(w->dense, 0, (size_t)w->n * w->n * sizeof *w->dense);
    for (uint32_t j = 0; j < w->n; j++)
        for (int i = w->column[j]; i < w->column[j + 1]; i++)
            w->dense[(size_t)w->row[i] * w->n + j] = w->value[w->entry[i]];
    expect(dense_lu_factor(w->n, w->dense, w->pivot), "singular");
}

/* What the rule of inline integration bounds: accelerations of hinges, and so on, by the way of their states. */
static double worth(const Whole *w, uint32_t i)
{
    const InlineVar *var = &w->plan->var[w->unknown[i]];
    double own = fabs(w->value[w->unknown[i]]) + 1e-6;
    if (!var->state)
        return fmax(own, 1);
    double room = fabs(w->value[w->plan->state[var->state - 1]]) + 0.01;
    return fmax(own, room / STEP);
}

static void solve_whole(Whole *w, bool keep)
{
    double last = INFINITY, rate = INFINITY;
    for (int round = 0; round < 40; round++) {
        list_code_values(w->sim, w->residual, w->value);
        if (!keep || !w->factored)
            factor_whole(w);
        w->factored = true;
        memcpy(w->right, w->value + w->residuals, w->n * sizeof *w->right);
        if (w->dense)
            dense_lu_solve(w->n, w->dense, w->pivot, w->right);
        else
            sparse_lu_solve(&w->lu, w->n, w->right);
        double size = 0;
        for (uint32_t i = 0; i < w->n; i++) {
            size = fmax(size, fabs(w->right[i]) / worth(w, i));
            w->value[w->unknown[i]] -= w->right[i];
        }
        w->rounds++;
        rate = size / last;
        if (size <= 1e-14 || (round > 0 && rate < 1 && size * rate / (1 - rate) <= BOUND))
            return;
        w->factored = !(round > 0 && rate > 0.1);
        last = size;
    }
    expect(false, "no convergence on all unknowns");
}

static void step_whole(Whole *w, double time, bool keep)
{
    const InlinePlan *plan = w->plan;
    for (uint32_t s = 0; s < plan->n_states; s++)
        w->value[plan->old[s]] = w->value[plan->state[s]];
    for (uint32_t v = 1; v < plan->n_vars; v++)
        if (plan->var[v].role == INLINE_CLOCK)
            w->value[v] = time;
    double *oldest = w->past[2];
    w->past[2] = w->past[1];
    w->past[1] = w->past[0];
    w->past[0] = oldest;
    for (uint32_t i = 0; i < w->n; i++) {
        double *x = &w->value[w->unknown[i]];
        oldest[i] = *x;
        if (w->n_past >= 2)
            *x = 3 * *x - 3 * w->past[1][i] + w->past[2][i];
    }
    w->n_past++;
    solve_whole(w, keep);
}

/* ---- as the model has them ---- */

typedef struct Numbers {
    Sim *sim;
    InlinePlan *plan;
    Map of; /* variable of the model -> number */
    VEC(InlineVar) vars;
} Numbers;

static uint32_t number_of(Numbers *n, DdpVar var, InlineRole role)
{
    uint32_t number = map_get(&n->of, var);
    if (number)
        return number;
    vec_push(n->sim->mem, &n->vars, ((InlineVar){.role = role, .of = var}));
    map_put(n->sim->mem, &n->of, var, n->vars.n - 1);
    if (role == INLINE_VALUE)
        vec_push(n->sim->mem, &n->plan->tears, n->vars.n - 1);
    return n->vars.n - 1;
}

static uint32_t new_number(Numbers *n, InlineRole role, DdpVar of)
{
    vec_push(n->sim->mem, &n->vars, ((InlineVar){.role = role, .of = of}));
    return n->vars.n - 1;
}

static void add_relation(Numbers *n, const EvalNode *node, uint32_t at)
{
    Sim *sim = n->sim;
    uint32_t size;
    const FormInfo *info = form_info(sim->forms, relation_form(sim, node, at, &size));
    uint32_t *vars = calloc(size + 1, sizeof *vars);
    for (uint32_t i = 0; i < size; i++) {
        DdpVar var = node->ops[at].vars[i];
        vars[i] = var ? number_of(n, var, var == sim->clock ? INLINE_CLOCK : INLINE_GIVEN) : 0;
    }
    vec_push(
        sim->mem, &n->plan->ops,
        ((InlineOp){.value = x_binary(sim->forms, X_SUB, info->lhs, info->rhs), .vars = vars}));
}

static void add_discretisation(Numbers *n, const Part *part, uint32_t s)
{
    FormTable *forms = n->sim->forms;
    X change = x_binary(forms, X_MUL, x_pos(forms, 2), x_pos(forms, 3));
    X value =
        x_binary(forms, X_SUB, x_pos(forms, 0), x_binary(forms, X_ADD, change, x_pos(forms, 1)));
    InlinePlan *plan = n->plan;
    uint32_t *vars = calloc(4, sizeof *vars);
    plan->state[s] = vars[0] = map_get(&n->of, part->states.at[s].var);
    plan->old[s] = vars[1] = new_number(n, INLINE_OLD, part->states.at[s].var);
    vars[2] = plan->h;
    plan->slope[s] = vars[3] = map_get(&n->of, part->states.at[s].slope);
    n->vars.at[vars[3]].state = s + 1;
    vec_push(n->sim->mem, &plan->ops, ((InlineOp){.value = value, .vars = vars}));
}

/* All equations as residuals, all variables iterated. */
static InlinePlan *open_unsorted(Part *part)
{
    InlinePlan *plan = calloc(1, sizeof *plan);
    Numbers n = {.sim = part->sim, .plan = plan};
    const NodeList *nodes = part_dynamics(part);
    plan->n_states = part->states.n;
    plan->state = calloc(3 * part->states.n, sizeof *plan->state);
    plan->slope = plan->state + part->states.n;
    plan->old = plan->slope + part->states.n;
    new_number(&n, INLINE_GIVEN, 0);
    plan->h = new_number(&n, INLINE_H, 0);
    for (uint32_t i = 0; i < part->states.n; i++)
        number_of(&n, part->states.at[i].var, INLINE_VALUE);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &part->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            number_of(&n, node_output(node, k), INLINE_VALUE);
    }
    for (uint32_t i = 0; i < nodes->n; i++) {
        const EvalNode *node = &part->sim->nodes.at[nodes->at[i]];
        for (uint32_t k = 0; k < node->n_steps + node->n_tears; k++)
            add_relation(&n, node, k);
    }
    for (uint32_t s = 0; s < part->states.n; s++)
        add_discretisation(&n, part, s);
    plan->var = n.vars.at;
    plan->n_vars = n.vars.n;
    return plan;
}

/* ---- the states alone ---- */

typedef struct States {
    Part *part;
    uint32_t n;
    Jacobian *jacobian;
    double *y, *old, *slope, *right, *past[3];
    uint32_t n_past, rounds, jacobians;
    bool factored;
} States;

static States *open_states(Part *part)
{
    States *s = calloc(1, sizeof *s);
    s->part = part;
    s->n = part->n;
    s->jacobian = jacobian_open_direct(part);
    double **rooms[] = {&s->y,       &s->old,     &s->slope,  &s->right,
                        &s->past[0], &s->past[1], &s->past[2]};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        *rooms[i] = calloc(s->n + 1, sizeof **rooms[i]);
    for (uint32_t i = 0; i < part->states.n; i++)
        s->y[i] = part->sim->value[part->states.at[i].var];
    printf("  states: %u unknowns, %u of them states, %s\n", s->n, part->states.n,
           jacobian_kind(s->jacobian) == JACOBIAN_DENSE ? "dense" : "KLU");
    return s;
}

static void step_states(States *s, double time)
{
    uint32_t n = s->part->states.n;
    double last = INFINITY, *oldest = s->past[2];
    expect(s->n == n, "loops of the part are unknowns");
    memcpy(s->old, s->y, n * sizeof *s->y);
    s->past[2] = s->past[1];
    s->past[1] = s->past[0];
    s->past[0] = oldest;
    memcpy(oldest, s->y, n * sizeof *s->y);
    for (uint32_t i = 0; s->n_past >= 2 && i < n; i++)
        s->y[i] = 3 * s->y[i] - 3 * s->past[1][i] + s->past[2][i];
    s->n_past++;
    for (int round = 0; round < 40; round++) {
        expect(part_slopes(s->part, time, s->y, s->slope, NULL) == 0, "no slopes");
        if (!s->factored) {
            part_put_unknowns(s->part, s->y);
            expect(jacobian_evaluate(s->jacobian, time, 1 / STEP, false) == 0 &&
                       jacobian_factor(s->jacobian) == 0,
                   "no Jacobian of states");
            s->jacobians++;
            s->factored = true;
        }
        for (uint32_t i = 0; i < n; i++)
            s->right[i] = (s->y[i] - s->old[i]) / STEP - s->slope[i];
        jacobian_solve(s->jacobian, s->right);
        double size = 0;
        for (uint32_t i = 0; i < n; i++) {
            size = fmax(size, fabs(s->right[i]) / (fabs(s->y[i]) + 0.01));
            s->y[i] -= s->right[i];
        }
        s->rounds++;
        double rate = size / last;
        if (size <= 1e-14 || (round > 0 && rate < 1 && size * rate / (1 - rate) <= BOUND))
            return;
        s->factored = !(round > 0 && rate > 0.1);
        last = size;
    }
    expect(false, "no convergence on states");
}

/* ---- inline ---- */

static void step_inline(InlineStep *step, const InlinePlan *plan, double time, uint32_t known)
{
    static const double by[3][3] = {{1}, {2, -1}, {3, -3, 1}};
    for (uint32_t s = 0; s < plan->n_states; s++)
        *inline_step_old(step, s) = inline_step_state(step, 0, s);
    inline_step_back(step);
    for (uint32_t s = 0; s < plan->n_states; s++)
        *inline_step_old(step, s) = inline_step_state(step, 0, s);
    inline_step_predict(step, known, by[known - 1]);
    inline_step_weights(step, &STEP);
    inline_step_clock(step, 0, time);
    expect(inline_step_solve(step, BOUND), "no convergence inline");
    inline_step_keep(step);
}

/* ---- main ---- */

typedef struct Lane {
    const char *name;
    double seconds[TURNS];
    uint32_t rounds, jacobians;
} Lane;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(Lane *lane)
{
    qsort(lane->seconds, TURNS, sizeof *lane->seconds, by_size);
    return lane->seconds[TURNS / 2];
}

static Sol *open_arm(SolModel **model)
{
    *model = sol_load(&(SolLoad){.path = SOLSTICE_SOURCE_DIR "/stdlib/Robot.sol",
                                 .stdlib = SOLSTICE_SOURCE_DIR "/stdlib"});
    static const SolSet sets[] = {{"A1.friction.w_s", "1e9"}, {"A2.friction.w_s", "1e9"},
                                  {"A3.friction.w_s", "1e9"}, {"A4.friction.w_s", "1e9"},
                                  {"A5.friction.w_s", "1e9"}, {"A6.friction.w_s", "1e9"}};
    Sol *sol = sol_create(*model, "Robot.Examples.Arm",
                          &(SolOptions){.stop = 100,
                                        .step = STEP,
                                        .solver = SOL_SOLVER_INLINE,
                                        .method = SOL_METHOD_IMPLICIT_EULER,
                                        .jit_wait = true,
                                        .n_sets = 6,
                                        .sets = sets});
    expect(sol != NULL, "no model");
    expect(sol_run_to(sol, STEP) == SOL_OK, "no start");
    return sol;
}

int main(int argc, char **argv)
{
    uint32_t steps = argc > 1 ? (uint32_t)atoi(argv[1]) : 50;
    SolModel *model;
    Sol *sol = open_arm(&model);
    Sim *sim = sol->sim;
    Part *part = NULL;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->states.n)
            part = sim->parts.at[i];
    expect(part && part->states.n == 66, "no part of 66 states");
    InlinePlan *plan = inline_plan_open(part);
    expect(plan != NULL, "no plan");
    InlineStep *step = inline_step_open(sim, plan, 1);
    inline_step_begin(step);
    InlinePlan *unsorted = open_unsorted(part);
    Whole *every = open_whole(sim, unsorted, false), *all = open_whole(sim, plan, false),
          *kept = open_whole(sim, plan, false), *dense = open_whole(sim, plan, true);
    States *states = open_states(part);
    Lane lane[] = {{.name = "inline"}, {.name = "kept, KLU"},  {.name = "all, KLU"},
                   {.name = "states"}, {.name = "every, KLU"}, {.name = "all, dense"}};
    uint32_t done = 1, before = 0;
    for (int turn = -1; turn < TURNS; turn++) {
        uint32_t count = turn < 0 ? WARM : steps;
        uint64_t newton = sim->counts.newton, jacobians = sim->counts.jacobians;
        double begin = timer_cpu();
        for (uint32_t i = 0; i < count; i++)
            step_inline(step, plan, (done + i + 1) * STEP, done + i < 3 ? done + i : 3);
        double t1 = timer_cpu();
        if (turn >= 0) {
            lane[0].rounds += (uint32_t)(sim->counts.newton - newton);
            lane[0].jacobians += (uint32_t)(sim->counts.jacobians - jacobians);
        }
        for (uint32_t i = 0; i < count; i++)
            step_whole(kept, (done + i + 1) * STEP, true);
        double t2 = timer_cpu();
        for (uint32_t i = 0; i < count; i++)
            step_whole(all, (done + i + 1) * STEP, false);
        double t3 = timer_cpu();
        for (uint32_t i = 0; i < count; i++)
            step_states(states, (done + i + 1) * STEP);
        double t4 = timer_cpu();
        for (uint32_t i = 0; i < count; i++)
            step_whole(every, (done + i + 1) * STEP, false);
        double t5 = timer_cpu();
        uint32_t slow = turn < 0 ? 0 : 1; /* a step takes as long as a thousand of the others */
        if (slow) {
            memcpy(dense->value, all->value, dense->entries * sizeof *dense->value);
            step_whole(dense, (done + count) * STEP + STEP, false);
        }
        double t6 = timer_cpu();
        done += count;
        if (turn < 0) {
            kept->rounds = kept->jacobians = all->rounds = all->jacobians = 0;
            states->rounds = states->jacobians = every->rounds = every->jacobians = 0;
            before = done;
            continue;
        }
        lane[0].seconds[turn] = (t1 - begin) / count;
        lane[1].seconds[turn] = (t2 - t1) / count;
        lane[2].seconds[turn] = (t3 - t2) / count;
        lane[3].seconds[turn] = (t4 - t3) / count;
        lane[4].seconds[turn] = (t5 - t4) / count;
        lane[5].seconds[turn] = t6 - t5;
    }
    double timed = done - before;
    for (uint32_t s = 0; s < plan->n_states; s++) {
        double x = inline_step_state(step, 0, s), a = all->value[plan->state[s]],
               b = kept->value[plan->state[s]], c = states->y[s];
        double e = every->value[unsorted->state[s]];
        double off = fmax(fmax(fabs(x - a), fabs(x - e)), fmax(fabs(x - b), fabs(x - c)));
        off /= 1 + fabs(x);
        if (!(off <= 1e-6))
            fprintf(stderr, "bench_arm: state %u: %.12g %.12g %.12g %.12g\n", s, x, a, b, c);
        expect(off <= 1e-6, "they do not end at the same point");
    }
    lane[1].rounds = kept->rounds, lane[1].jacobians = kept->jacobians;
    lane[2].rounds = all->rounds, lane[2].jacobians = all->jacobians;
    lane[3].rounds = states->rounds, lane[3].jacobians = states->jacobians;
    lane[4].rounds = every->rounds, lane[4].jacobians = every->jacobians;
    lane[5].rounds = dense->rounds, lane[5].jacobians = dense->jacobians;
    double first = median(&lane[0]);
    for (int i = 0; i < 6; i++) {
        double m = i ? median(&lane[i]) : first, n = i < 5 ? timed : TURNS;
        printf("%-11s %9.2f us a step, %6.1f times inline, %.2f rounds and %.2f Jacobians a step\n",
               lane[i].name, 1e6 * m, m / first, lane[i].rounds / n, lane[i].jacobians / n);
    }
    inline_step_close(step);
    inline_plan_close(sim, plan);
    sol_close(sol);
    sol_unload(model);
    return 0;
}
