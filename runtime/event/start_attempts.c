/* start_attempts.c: initial conditions and first guesses -> values that meet them, by one way after the other.
 *
 *     1. a system of their own, which is sorted and torn, block by block (start_plan.h), by Newton's method, from the first guesses: start
 *        values, else what follows from the states that are guessed;
 *     2. Newton's method with a line search over all states;
 *     3. the system of their own again, by all ways for each block;
 *     4. where conditions fall into sets that share no column (start_pattern.c), each set for itself, by all the ways below;
 *     5. KINSOL, whose line search asks for less in one step and for more in another;
 *     6. a way from simplified equations to actual ones, where the model has homotopy(actual, simplified), in long steps, then closely;
 *     7. damped least squares (Levenberg and Marquardt) over all conditions, where the derivatives are singular on the way, or conditions
 *        say the same;
 *     8. a way from equations that the guess satisfies to those that were written (Newton homotopy); this and the one before are
 *        followed around their turns (numerics/way.c);
 *     9. Newton's method and least squares from other points around the guess.
 *
 * Every way ends with Newton's method on the rows that were chosen where it came to, so start values count as they always do. `min` and
 * `max` bound all of them. --trace i tells each attempt.
 */
#include "numerics/dense_lu.h"
#include "numerics/way.h"
#include "runtime/eval/trace.h"
#include "runtime/event/start_plan.h"
#include "runtime/solve/kinsol.h"

#include <math.h>
#include <string.h>

typedef struct Attempt {
    Starts *s;
    Arena *arena;
    double *guess;          /* [n_columns] */
    double *point, *before; /* [n_columns] */
    double *square; /* room for a square matrix of n_columns + 1; NULL: nobody asked for it */
    uint32_t *pivot;
    double *right, *unit,
        *base;       /* [n_columns + 1]; base: what is left of the equations where a way begins */
    bool simplifies; /* the way is the modeller's */
} Attempt;

static void go_to(Attempt *a, const double *point)
{
    for (uint32_t c = 0; c < a->s->n_columns; c++)
        start_set(a->s, c, point[c]);
}

static void note_point(const Attempt *a, double *point)
{
    for (uint32_t c = 0; c < a->s->n_columns; c++)
        point[c] = a->s->sim->value[a->s->column[c]];
}

/* ---- Newton ---- */

enum { MOST_STEPS = 100 };

static bool newton(Attempt *a)
{
    Starts *s = a->s;
    uint32_t worst;
    double most;
    start_choose(s);
    for (int i = 0; i < MOST_STEPS && s->n && start_distance(s) > 1e-13; i++)
        if (!start_newton_step(s))
            break;
    if (!start_met(s, &worst, &most))
        return false;
    start_choose_met(s); /* what is determined where it ended */
    return true;
}

/* ---- least squares ---- */

static double sum_of_squares(const Starts *s)
{
    double sum = 0;
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        double off = start_off(s, r) / s->unit[r];
        sum += isnan(off) ? INFINITY : off * off;
    }
    return sum;
}

/* (J'J + damping D) step = J'f, with D the diagonal of J'J. */
static bool damped_step(Attempt *a, double damping)
{
    Starts *s = a->s;
    uint32_t m = s->n_columns;
    memset(a->right, 0, m * sizeof *a->right);
    memset(a->square, 0, (size_t)m * m * sizeof *a->square);
    for (uint32_t r = 0; r < s->n_conditions; r++) {
        const double *row = s->matrix + (size_t)r * m;
        double off = start_off(s, r), weight = 1 / (s->unit[r] * s->unit[r]);
        const StartColumns *in = &s->pattern.row[r];
        for (uint32_t k = 0; k < in->n; k++) {
            uint32_t i = in->at[k];
            a->right[i] += weight * row[i] * off;
            for (uint32_t l = 0; l < in->n; l++)
                a->square[(size_t)i * m + in->at[l]] += weight * row[i] * row[in->at[l]];
        }
    }
    for (uint32_t i = 0; i < m; i++) {
        double *cell = &a->square[(size_t)i * m + i];
        *cell += damping * fmax(*cell, 1e-12);
    }
    if (!dense_lu_factor(m, a->square, a->pivot))
        return false;
    dense_lu_solve(m, a->square, a->pivot, a->right);
    return true;
}

static bool least_squares_step(Attempt *a, double *damping)
{
    Starts *s = a->s;
    double before = sum_of_squares(s);
    start_fill(s);
    note_point(a, a->before);
    for (; *damping < 1e12; *damping *= 4) {
        if (!damped_step(a, *damping))
            continue;
        for (uint32_t c = 0; c < s->n_columns; c++)
            start_set(s, c, a->before[c] - a->right[c]);
        if (start_evaluate(s) && sum_of_squares(s) < before) {
            *damping = fmax(*damping / 10, 1e-14);
            return true;
        }
        go_to(a, a->before);
        start_evaluate(s);
    }
    return false;
}

static bool least_squares(Attempt *a)
{
    double damping = 1e-3;
    uint32_t w = a->s->n_columns + 1;
    if (!a->square) {
        a->square = arena_alloc(a->arena, dense_lu_room(w) * sizeof *a->square);
        a->pivot = arena_alloc(a->arena, dense_lu_pivots(w) * sizeof *a->pivot);
    }
    for (int i = 0; i < 4 * MOST_STEPS && sum_of_squares(a->s) > 1e-26; i++)
        if (!least_squares_step(a, &damping))
            break;
    return newton(a);
}

/* ---- homotopy ---- */

/* Along f(x) - (1 - t) f(x0) = 0, or, where the modeller's way is followed, with his part 1 - t of the simplified equations. */
static bool value_on_way(void *context, const double *x, double t, double *f)
{
    Attempt *a = context;
    Starts *s = a->s;
    for (uint32_t k = 0; k < s->n; k++)
        values_set(s->sim, s->column[s->chosen_column[k]], x[k]);
    if (a->simplifies)
        values_set(s->sim, world_homotopy(s->sim->world), 1 - t);
    bool finite = start_evaluate(s);
    for (uint32_t k = 0; k < s->n; k++) {
        f[k] = start_off(s, s->chosen_row[k]) - (1 - t) * a->base[k];
        finite = finite && isfinite(f[k]);
    }
    return finite;
}

static bool factor_on_way(void *context)
{
    Attempt *a = context;
    Starts *s = a->s;
    start_fill(s);
    return start_factor(s);
}

static void solve_on_way(void *context, double *b)
{
    Attempt *a = context;
    start_solve_linear(a->s, b);
}

static WaySystem way_from_here(Attempt *a)
{
    Starts *s = a->s;
    for (uint32_t k = 0; k < s->n; k++) {
        a->right[k] = s->sim->value[s->column[s->chosen_column[k]]];
        a->unit[k] = 1 + fabs(a->right[k]);
    }
    return (WaySystem){.n = s->n,
                       .context = a,
                       .unit = a->unit,
                       .value = value_on_way,
                       .factor = factor_on_way,
                       .solve = solve_on_way};
}

/* From the present point, with the rows and columns that were chosen there. */
static bool follow(Attempt *a)
{
    Starts *s = a->s;
    WaySystem way = way_from_here(a);
    if (!way_follow(s->sim->mem, &way, a->right))
        return false;
    for (uint32_t k = 0; k < s->n; k++)
        values_set(s->sim, s->column[s->chosen_column[k]], a->right[k]);
    return true;
}

static bool by_kinsol(Attempt *a)
{
    Starts *s = a->s;
    start_choose(s);
    WaySystem way = way_from_here(a);
    if (!s->n || !kinsol_solve(&way, a->right))
        return false;
    for (uint32_t k = 0; k < s->n; k++)
        start_set(s, s->chosen_column[k], a->right[k]);
    return start_evaluate(s) && newton(a);
}

static bool homotopy(Attempt *a)
{
    Starts *s = a->s;
    bool finite = true;
    start_choose(s);
    for (uint32_t k = 0; k < s->n; k++) {
        a->base[k] = start_off(s, s->chosen_row[k]);
        finite = finite && isfinite(a->base[k]);
    }
    bool fine = finite && follow(a);
    memset(a->base, 0, s->n * sizeof *a->base);
    return fine && start_evaluate(s) && newton(a);
}

/* ---- the modeller's way ---- */

static bool at_part(Attempt *a, double part)
{
    values_set(a->s->sim, world_homotopy(a->s->sim->world), part);
    return start_evaluate(a->s) && newton(a);
}

static bool simplified(Attempt *a)
{
    Starts *s = a->s;
    if (!world_homotopy(s->sim->world))
        return false;
    double part = 1, h = 0.1;
    bool fine = at_part(a, 1);
    while (fine && part > 0 && h > 1e-6) {
        note_point(a, a->before);
        double next = fmax(0, part - h);
        if (at_part(a, next)) {
            part = next;
            h *= 2;
        } else {
            go_to(a, a->before);
            h /= 4;
        }
    }
    return at_part(a, 0) && fine && part <= 0;
}

/* The same in steps that stay on the way, around its turns. */
static bool simplified_closely(Attempt *a)
{
    if (!world_homotopy(a->s->sim->world))
        return false;
    bool fine = at_part(a, 1);
    a->simplifies = true;
    fine = fine && follow(a);
    a->simplifies = false;
    return at_part(a, 0) && fine;
}

/* ---- a system of their own ---- */

enum {
    MANY = 64
}; /* rows: beyond that, one whose matching tells all that ranks could is not looked at again */

/* The matching of the plan is complete and the blocks have one solution each: no row is a combination of others. */
static void choose_all(Starts *s)
{
    s->n = s->n_rows;
    for (uint32_t k = 0; k < s->n; k++)
        s->chosen_row[k] = s->chosen_column[k] = k;
}

static bool starts_hold(const Starts *s)
{
    for (uint32_t r = s->n_conditions; r < s->n_rows; r++)
        if (!(fabs(start_off(s, r)) <=
              START_MET * (1 + fabs(s->sim->value[s->row[r].start->start]))))
            return false;
    return true;
}

static bool take_plan(Attempt *a, const StartPlan *plan)
{
    Starts *s = a->s;
    uint32_t worst;
    double most;
    for (uint32_t c = 0; c < s->n_columns; c++)
        start_set(s, c, plan->value[map_get(&plan->place_of, s->column[c])]);
    start_plan_guess(plan, false);
    if (start_evaluate(s) && s->n_rows > MANY && plan->all_rows && start_met(s, &worst, &most) &&
        starts_hold(s)) {
        choose_all(s);
        return true;
    }
    if (newton(a))
        return true;
    start_plan_guess(plan, true);
    return false;
}

/* Where rows are too few, those columns move that Newton's method would choose. */
static bool by_plan(Attempt *a, bool all_ways)
{
    Starts *s = a->s;
    s->n = 0;
    if (s->n_rows < s->n_columns)
        start_choose(s);
    StartPlan *plan = start_plan_open(s);
    bool met = plan && start_plan_solve(plan, all_ways) && take_plan(a, plan);
    start_plan_close(plan);
    return met;
}

static bool by_blocks(Attempt *a)
{
    return by_plan(a, false);
}

static bool by_blocks_and_all_ways(Attempt *a)
{
    return by_plan(a, true);
}

/* ---- the whole ---- */

typedef bool Way(Attempt *a);

static bool one_by_one(Attempt *a);

static const struct {
    const char *name;
    Way *way;
    double shift; /* from the guess, in units of 1 + its size; each column in its own way */
} ways[] = {
    {"a system of their own, block by block", by_blocks, 0},
    {"Newton's method", newton, 0},
    {"a system of their own, each block by all ways", by_blocks_and_all_ways, 0},
    {"ways for one set of conditions after the other", one_by_one, 0},
    {"KINSOL", by_kinsol, 0},
    {"the way from simplified equations", simplified, 0},
    {"the way from simplified equations, closely", simplified_closely, 0},
    {"least squares", least_squares, 0},
    {"Newton's method from a point near by", newton, 0.01},
    {"a homotopy", homotopy, 0},
    {"a homotopy from a point near by", homotopy, 0.01},
    {"Newton's method from points farther off", newton, 1},
    {"Newton's method from points farther off", newton, -1},
    {"least squares from points farther off", least_squares, 3},
    {"least squares from points farther off", least_squares, -3},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* True: all conditions hold. */
static bool try_way(Attempt *a, int i)
{
    Starts *s = a->s;
    uint32_t worst;
    double most;
    if (ways[i].way == one_by_one && s->pattern.n_groups < 2)
        return false;
    for (uint32_t c = 0; c < s->n_columns; c++)
        start_set(s, c, a->guess[c] + ways[i].shift * (1 + fabs(a->guess[c])) * (1 + 0.1 * c));
    bool fine = start_evaluate(s) && ways[i].way(a);
    if (trace_on(s->sim, 'i')) {
        fine = start_met(s, &worst, &most) && fine;
        if (fine)
            trace_line(s->sim, 'i', s->sim->time, "initial conditions: met by %s", ways[i].name);
        else
            trace_line(s->sim, 'i', s->sim->time,
                       "initial conditions: %s ends where '%s' is off by %.3g", ways[i].name,
                       explain_rel(s->sim, s->row[worst].rel), start_off(s, worst));
    }
    return fine;
}

/* Where the one that came nearest ended. */
static void take_nearest(Attempt *a, const double *nearest)
{
    go_to(a, nearest);
    start_evaluate(a->s);
    start_choose(a->s);
}

static Attempt open_attempt(Starts *s, Arena *arena)
{
    Attempt a = {.s = s, .arena = arena};
    uint32_t w = s->n_columns + 1;
    a.guess = arena_alloc(arena, w * sizeof *a.guess);
    a.before = arena_alloc(arena, w * sizeof *a.before);
    a.right = arena_alloc(arena, w * sizeof *a.right);
    a.unit = arena_alloc(arena, w * sizeof *a.unit);
    a.base = arena_alloc(arena, w * sizeof *a.base);
    note_point(&a, a.guess);
    return a;
}

void start_attempt(Starts *s, Arena *arena)
{
    Attempt a = open_attempt(s, arena);
    uint32_t worst;
    double *nearest = arena_alloc(arena, (s->n_columns + 1) * sizeof *nearest), least = INFINITY,
           most;
    note_point(&a, nearest);
    start_find_units(s);
    if (start_met(s, &worst, &most) && newton(&a)) /* there already (start_solve_early) */
        return;
    for (int i = 0; i < WAYS; i++) {
        if (try_way(&a, i))
            return;
        start_met(s, &worst, &most);
        if (most < least) {
            least = most;
            note_point(&a, nearest);
        }
    }
    take_nearest(&a, nearest);
}

/* ---- sets that share nothing ---- */

/* The rows and columns of a group, in their order. */
static Starts part_of(const Starts *s, uint32_t group, const uint32_t *group_of_row, Arena *arena)
{
    Starts part = {.sim = s->sim};
    for (uint32_t r = 0; r < s->n_rows; r++)
        part.n_rows += group_of_row[r] == group;
    part.row = arena_alloc(arena, (part.n_rows + 1) * sizeof *part.row);
    part.column = arena_alloc(arena, (s->n_columns + 1) * sizeof *part.column);
    part.n_rows = 0;
    for (uint32_t r = 0; r < s->n_rows; r++) {
        if (group_of_row[r] != group)
            continue;
        part.row[part.n_rows++] = s->row[r];
        part.n_conditions += r < s->n_conditions;
    }
    for (uint32_t c = 0; c < s->n_columns; c++)
        if (s->pattern.group[c] == group)
            part.column[part.n_columns++] = s->column[c];
    return part;
}

static StartPattern nodes_of(const Starts *s, uint32_t group, Arena *arena)
{
    const StartPattern *all = &s->pattern;
    StartPattern of = {0};
    for (uint32_t i = 0; i < all->n_nodes; i++)
        of.n_nodes += all->group[all->node_column[i]] == group;
    of.node = arena_alloc(arena, (of.n_nodes + 1) * sizeof *of.node);
    of.n_nodes = 0;
    for (uint32_t i = 0; i < all->n_nodes; i++)
        if (all->group[all->node_column[i]] == group)
            of.node[of.n_nodes++] = all->node[i];
    return of;
}

static bool meet_group(const Starts *s, uint32_t group, const uint32_t *group_of_row)
{
    Arena arena;
    uint32_t worst;
    double most;
    arena_init(&arena, s->sim->mem);
    Starts part = part_of(s, group, group_of_row, &arena);
    StartPattern among = nodes_of(s, group, &arena);
    part.among = &among;
    bool met = true;
    if (part.n_conditions) {
        start_make_room(&part, &arena);
        start_attempt(&part, &arena);
        met = start_met(&part, &worst, &most);
        start_close(&part);
    }
    arena_free(&arena);
    return met;
}

/* What one set needs may be useless for another: a point near by, a homotopy. Values that other sets stand at do not matter. */
static bool one_by_one(Attempt *a)
{
    const Starts *s = a->s;
    const StartPattern *p = &s->pattern;
    uint32_t *group_of_row = arena_alloc(a->arena, (s->n_rows + 1) * sizeof *group_of_row);
    bool met = true;
    for (uint32_t r = 0; r < s->n_rows; r++)
        group_of_row[r] = p->row[r].n ? p->group[p->row[r].at[0]] : 0;
    for (uint32_t group = 1; group <= p->n_groups && met; group++)
        met = meet_group(s, group, group_of_row);
    return met && newton(a);
}
