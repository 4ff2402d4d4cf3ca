/* inline.c: one part of the dynamics -> its trajectory by inline integration (Elmqvist, Otter, Cellier 1995).
 *
 * The equations of the method are solved together with those of the part (inline_plan.h, inline_step.h): what is linear
 * is eliminated, what is left is iterated. Methods:
 *
 *   explicit-euler, implicit-euler   of order 1
 *   bdf2, bdf3                       in the points of the last steps, of any length; they begin with steps of radau3
 *   radau3, radau5                   Radau IIa with two and three stages; a start costs them nothing
 *
 * With --step all steps have that length, but those that end at a time event, and those that could not be solved, which
 * are halved. Without, the error decides. The error of Radau is estimated by a formula of order one less than its number
 * of stages plus one, with the slope at the begin of the step, and filtered by one more stage (Hairer and Wanner, Solving
 * Ordinary Differential Equations II, IV.8; here the filter is the discretised model itself, solved); that of BDF from
 * the difference to the prediction.
 *
 * Dense output is a polynomial in Newton's form: through the ends of the step for Euler, through the last points for BDF,
 * through the stages for Radau. With steps of one length, where events should be located as well as the order
 * allows, it goes through a point and slope half way that are computed, when somebody looks.
 */
#include "runtime/solve/one_step.h"
#include "runtime/eval/compare.h"
#include "runtime/solve/inline_memory.h"
#include "runtime/solve/integrators.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAST = 4, NODES = 5 };

typedef struct InlineDriver {
    uint32_t n;
    double *room;           /* of all that follows */
    bool stale;             /* the part has another structure than the plan */
    bool clocked;           /* some slope follows the clock */
    InlineSystem *system;   /* NULL: none, explicit */
    InlineStep *one, *many; /* of the system */
    double *y, *slope;      /* [n] at Part.now */
    double *next, *next_slope;
    double *begin, *begin_slope; /* [n] at Part.back */
    double *error;               /* [n] of the last attempt */
    double *half, *half_slope;   /* [n] of the dense output */
    double *past[PAST];          /* [n] each: at the begin of the last steps, the last one first */
    double length[PAST];         /* of these */
    uint32_t n_past;
    double node[NODES];
    double *dense[NODES];
    uint32_t n_nodes;
    bool halved;  /* the dense output has its point half way */
    bool pointed; /* it goes through points, and is made when somebody looks */
    double h;     /* of the next step */
    double last;  /* length of the last one, 0: none */
    bool by_many; /* it was one of several stages */
    double shortest;
} InlineDriver;

static InlineDriver *driver_of(const Part *part)
{
    return part->driver[PART_INLINE];
}

/* ---- methods ---- */

typedef struct Method {
    uint32_t stages; /* of `many`; 0: none */
    uint32_t points; /* BDF: so many; 0: it is none */
    double power;    /* the error of a step goes with this power of its length */
    double growth;   /* of steps, at most */
} Method;

static const Method methods[] = {
    [SOL_METHOD_RADAU5] = {3, 0, 4, 5},         [SOL_METHOD_RADAU3] = {2, 0, 3, 5},
    [SOL_METHOD_BDF3] = {2, 3, 4, 1.5},         [SOL_METHOD_BDF2] = {2, 2, 3, 2},
    [SOL_METHOD_IMPLICIT_EULER] = {0, 0, 2, 5}, [SOL_METHOD_EXPLICIT_EULER] = {0, 0, 2, 5}};

static const Method *method_now(const Part *part)
{
    return &methods[part->sim->opt.method];
}

static bool is_fixed(const Part *part)
{
    return part->sim->opt.step > 0;
}

#define ROOT6 2.449489742783178098197284
static const double C2[2] = {1. / 3, 1};
static const double A2[4] = {5. / 12, -1. / 12, 3. / 4, 1. / 4};
static const double C3[3] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double A3[9] = {
    (88 - 7 * ROOT6) / 360,     (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225,
    (296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360,     (-2 - 3 * ROOT6) / 225,
    (16 - ROOT6) / 36,          (16 + ROOT6) / 36,          1. / 9};
/* Of the filter: the geometric mean of the eigenvalues of A, and the real one. */
static const double GAMMA2 = 0.40824829046386302, GAMMA3 = 0.27488882959569420;

static const double *nodes_of(uint32_t stages)
{
    return stages == 2 ? C2 : C3;
}

static void weights_of(uint32_t stages, double h, double *weight)
{
    const double *a = stages == 2 ? A2 : A3;
    for (uint32_t i = 0; i < stages * stages; i++)
        weight[i] = h * a[i];
}

static double norm(const Part *part, const InlineDriver *d)
{
    double mean = one_step_norm(part, d->error, d->y, d->next);
    return isfinite(mean) ? mean : INFINITY;
}

/* How exactly the equations of a step are solved: to rounding where nobody says how exact it should be, and time does not count. */
static double tolerance(const Part *part)
{
    const SolOptions *opt = &part->sim->opt;
    return is_fixed(part) && !(opt->realtime > 0) ? 1e-13 : 1e-3 * opt->rtol;
}

/* ---- life ---- */

static void leave_system(Sim *sim, InlineDriver *d)
{
    inline_system_put_away(sim, d->system);
    d->system = NULL;
    d->one = d->many = NULL;
}

static void inline_close(Part *part)
{
    InlineDriver *d = driver_of(part);
    leave_system(part->sim, d);
    mem_free(part->sim->mem, d->room);
    mem_free(part->sim->mem, d);
    part->driver[PART_INLINE] = NULL;
}

static InlineDriver *open_driver(Part *part)
{
    uint32_t n = part->n;
    InlineDriver *d = mem_alloc(part->sim->mem, sizeof *d);
    part->driver[PART_INLINE] = d;
    d->n = n;
    d->stale = true;
    double *at = mem_alloc(part->sim->mem, (size_t)n * (9 + PAST + NODES) * sizeof *at);
    d->room = at;
    double **arrays[] = {&d->y,           &d->slope, &d->next, &d->next_slope, &d->begin,
                         &d->begin_slope, &d->error, &d->half, &d->half_slope};
    for (uint32_t i = 0; i < 9; i++, at += n)
        *arrays[i] = at;
    for (uint32_t i = 0; i < PAST; i++, at += n)
        d->past[i] = at;
    for (uint32_t i = 0; i < NODES; i++, at += n)
        d->dense[i] = at;
    return d;
}

static void inline_restructured(Part *part)
{
    driver_of(part)->stale = true;
}

static bool find_system(Part *part, InlineDriver *d)
{
    Sim *sim = part->sim;
    const Method *method = method_now(part);
    leave_system(sim, d);
    d->stale = false;
    if (sim->opt.method == SOL_METHOD_EXPLICIT_EULER)
        return true;
    InlineSystem *system = d->system = inline_system_open(part);
    if (!system)
        return false;
    bool one = sim->opt.method == SOL_METHOD_IMPLICIT_EULER || !is_fixed(part) || method->points;
    if (one && !system->one)
        system->one = inline_step_open(sim, system->plan, 1);
    if (method->stages && !system->many)
        system->many = inline_step_open(sim, system->plan, method->stages);
    if (system->many && sim->opt.realtime > 0 && !system->between && !method->points)
        system->between = inline_step_open(sim, system->plan, method->stages);
    d->one = system->one;
    d->many = system->many;
    return true;
}

static SolStatus inline_start(Part *part)
{
    Sim *sim = part->sim;
    if (driver_of(part) && driver_of(part)->n != part->n)
        inline_close(part);
    InlineDriver *d = driver_of(part) ? driver_of(part) : open_driver(part);
    if (d->stale && !find_system(part, d)) {
        diag_error(sim->diags, 0,
                   "at time %.10g the equations of a step cannot be sorted by --solver inline",
                   part->now);
        return SOL_NUMERICS;
    }
    for (uint32_t i = 0; i < d->n; i++) {
        d->y[i] = d->begin[i] = sim->value[part->states.at[i].var];
        d->slope[i] = sim->value[part->states.at[i].slope];
    }
    if (d->one)
        inline_step_begin(d->one);
    if (d->many)
        inline_step_begin(d->many);
    if (d->system && d->system->between)
        inline_step_forget(d->system->between);
    d->clocked = part_follows_clock(part);
    d->n_past = 0;
    d->last = 0;
    d->n_nodes = 0;
    d->h =
        is_fixed(part) ? sim->opt.step : one_step_begin(part, one_step_first(part, d->y, d->slope));
    return SOL_OK;
}

/* ---- one step ---- */

static void take_result(InlineDriver *d, const InlineStep *step, uint32_t stage)
{
    for (uint32_t i = 0; i < d->n; i++) {
        d->next[i] = inline_step_state(step, stage, i);
        d->next_slope[i] = inline_step_slope(step, stage, i);
    }
}

static double lagrange(uint32_t n, const double *node, uint32_t j, double at)
{
    double product = 1;
    for (uint32_t m = 0; m < n; m++)
        if (m != j)
            product *= (at - node[m]) / (node[j] - node[m]);
    return product;
}

/* The stages of the last step go on; from a step that was much shorter only its end counts. */
static void guess_stages(const InlineDriver *d, InlineStep *step, uint32_t stages, double h)
{
    const double *c = nodes_of(stages);
    double by[INLINE_STAGES * INLINE_STAGES], ratio = d->last > 0 && d->by_many ? h / d->last : 1;
    for (uint32_t i = 0; i < stages; i++)
        for (uint32_t j = 0; j < stages; j++)
            by[i * stages + j] =
                ratio < 3 ? lagrange(stages, c, j, 1 + c[i] * ratio) : j == stages - 1;
    inline_step_guess(step, by);
}

static bool solve_radau(Part *part, InlineStep *step, uint32_t stages, double from, double h,
                        const double *old)
{
    double weight[INLINE_STAGES * INLINE_STAGES];
    weights_of(stages, h, weight);
    inline_step_weights(step, weight);
    for (uint32_t i = 0; i < stages; i++)
        inline_step_clock(step, i, from + nodes_of(stages)[i] * h);
    for (uint32_t i = 0; i < part->n; i++)
        *inline_step_old(step, i) = old[i];
    return inline_step_solve(step, tolerance(part));
}

/* y = h * der(y) + old, near what stage 0 of the step has. */
static bool solve_one(Part *part, InlineDriver *d, double time, double h, double tolerance)
{
    inline_step_weights(d->one, &h);
    inline_step_clock(d->one, 0, time);
    return inline_step_solve(d->one, tolerance) && d->n == part->n;
}

/* The difference to a formula that is of the order of the stages, through the slope at the begin; then filtered. */
static double radau_error(Part *part, InlineDriver *d, uint32_t stages, double h)
{
    const double *c = nodes_of(stages);
    double gamma = stages == 2 ? GAMMA2 : GAMMA3, factor[INLINE_STAGES], first = 1;
    for (uint32_t j = 0; j < stages; j++)
        first *= -c[j];
    for (uint32_t j = 0; j < stages; j++) { /* of divided differences over 0 and the nodes */
        double product = c[j];
        for (uint32_t m = 0; m < stages; m++)
            product *= m == j ? 1 : c[j] - c[m];
        factor[j] = first / product;
    }
    inline_step_copy(d->one, 0, d->many, stages - 1);
    for (uint32_t i = 0; i < d->n; i++) {
        double sum = d->slope[i];
        for (uint32_t j = 0; j < stages; j++)
            sum += factor[j] * inline_step_slope(d->many, j, i);
        *inline_step_old(d->one, i) = d->next[i] + gamma * h * (sum - d->next_slope[i]);
    }
    if (!solve_one(part, d, part->now + h, gamma * h, 0.01 * part->sim->opt.rtol))
        return INFINITY;
    for (uint32_t i = 0; i < d->n; i++)
        d->error[i] = inline_step_state(d->one, 0, i) - d->next[i];
    return norm(part, d);
}

static double attempt_radau(Part *part, InlineDriver *d, double h)
{
    uint32_t stages = method_now(part)->stages;
    inline_step_back(d->many);
    guess_stages(d, d->many, stages, h);
    if (!solve_radau(part, d->many, stages, part->now, h, d->y))
        return INFINITY;
    take_result(d, d->many, stages - 1);
    return is_fixed(part) ? 0 : radau_error(part, d, stages, h);
}

static double euler_error(const Part *part, InlineDriver *d, double h)
{
    for (uint32_t i = 0; i < d->n; i++)
        d->error[i] = h / 2 * (d->next_slope[i] - d->slope[i]);
    return is_fixed(part) ? 0 : norm(part, d);
}

/* What is solved for goes on as in the last steps; behind one that was much shorter it stays where it is. */
static void predict(InlineDriver *d, double h)
{
    double nodes[INLINE_POINTS], by[INLINE_POINTS];
    uint32_t known = inline_step_points(d->one), n = 1;
    nodes[0] = -h;
    while (n < known && n <= d->n_past && h < 2.5 * d->length[n - 1]) {
        nodes[n] = nodes[n - 1] - d->length[n - 1];
        n++;
    }
    for (uint32_t j = 0; j < n; j++)
        by[j] = lagrange(n, nodes, j, 0);
    inline_step_predict(d->one, n, by);
}

static double attempt_implicit_euler(Part *part, InlineDriver *d, double h)
{
    inline_step_back(d->one);
    predict(d, h);
    for (uint32_t i = 0; i < d->n; i++)
        *inline_step_old(d->one, i) = d->y[i];
    if (!solve_one(part, d, part->now + h, h, tolerance(part)))
        return INFINITY;
    take_result(d, d->one, 0);
    return euler_error(part, d, h);
}

static double attempt_explicit_euler(Part *part, InlineDriver *d, double h)
{
    for (uint32_t i = 0; i < d->n; i++)
        d->next[i] = d->y[i] + h * d->slope[i];
    if (part_slopes(part, part->now + h, d->next, d->next_slope, NULL) != 0)
        return INFINITY;
    return euler_error(part, d, h);
}

/* Times of the past points, before the end of a step of h: now first. Lengths as they were meant, so that equal steps
 * have equal weights. */
static void past_times(const InlineDriver *d, double h, uint32_t n, double *back)
{
    back[0] = h;
    for (uint32_t j = 1; j < n; j++)
        back[j] = back[j - 1] + d->length[j - 1];
}

static const double *past_point(const InlineDriver *d, uint32_t j)
{
    return j == 0 ? d->y : d->past[j - 1];
}

/* In the last k points: the slope of the polynomial through these and the end is that of the model there. */
static double bdf_weights(uint32_t k, const double *back, double *by)
{
    double sum = 0;
    for (uint32_t m = 0; m < k; m++)
        sum += 1 / back[m];
    for (uint32_t j = 0; j < k; j++) {
        double product = -1 / back[j];
        for (uint32_t m = 0; m < k; m++)
            product *= m == j ? 1 : back[m] / (back[m] - back[j]);
        by[j] = -product / sum;
    }
    return 1 / sum;
}

static double attempt_bdf(Part *part, InlineDriver *d, double h)
{
    uint32_t k = method_now(part)->points;
    double back[PAST + 1], by[PAST + 1], nodes[PAST + 1];
    past_times(d, h, k + 1, back);
    double own = bdf_weights(k, back, by);
    inline_step_back(d->one);
    predict(d, h);
    for (uint32_t i = 0; i < d->n; i++) {
        double old = 0;
        for (uint32_t j = k; j-- > 0;)
            old += by[j] * past_point(d, j)[i];
        *inline_step_old(d->one, i) = old;
    }
    if (!solve_one(part, d, part->now + h, own, tolerance(part)))
        return INFINITY;
    take_result(d, d->one, 0);
    if (is_fixed(part))
        return 0;
    for (uint32_t j = 0; j <= k; j++)
        nodes[j] = -back[j];
    for (uint32_t i = 0; i < d->n; i++) {
        double predicted = 0;
        for (uint32_t j = 0; j <= k; j++)
            predicted += lagrange(k + 1, nodes, j, 0) * past_point(d, j)[i];
        d->error[i] = own / back[k] * (d->next[i] - predicted);
    }
    return norm(part, d);
}

static bool is_started(const Part *part, const InlineDriver *d)
{
    return d->n_past >= method_now(part)->points;
}

/* The end of a step of h in `next`, its error as a part of what is allowed; infinite: no step. */
static double attempt(Part *part, InlineDriver *d, double h)
{
    const Method *method = method_now(part);
    if (part->sim->opt.method == SOL_METHOD_EXPLICIT_EULER)
        return attempt_explicit_euler(part, d, h);
    if (!method->stages)
        return attempt_implicit_euler(part, d, h);
    return method->points && is_started(part, d) ? attempt_bdf(part, d, h)
                                                 : attempt_radau(part, d, h);
}

/* ---- dense output ---- */

/* Divided differences in the nodes, which are parts of the step; where two are the same the slope is given. */
static void divide(InlineDriver *d, const double *const *value, const double *const *slope,
                   double h)
{
    uint32_t n = d->n_nodes;
    for (uint32_t i = 0; i < d->n; i++) {
        double t[NODES];
        for (uint32_t j = 0; j < n; j++)
            t[j] = value[j][i];
        for (uint32_t k = 1; k < n; k++)
            for (uint32_t j = n - 1; j >= k; j--)
                t[j] = d->node[j] == d->node[j - k]
                           ? h * slope[j][i]
                           : (t[j] - t[j - 1]) / (d->node[j] - d->node[j - k]);
        for (uint32_t j = 0; j < n; j++)
            d->dense[j][i] = t[j];
    }
}

/* Through the begin and all stages. */
static void dense_of_stages(InlineDriver *d, uint32_t stages, double h)
{
    const double *value[NODES] = {d->begin};
    d->n_nodes = stages + 1;
    d->node[0] = 0;
    for (uint32_t j = 0; j < stages; j++) {
        double *stage = d->dense[j + 1];
        for (uint32_t i = 0; i < d->n; i++)
            stage[i] = inline_step_state(d->many, j, i);
        d->node[j + 1] = nodes_of(stages)[j];
        value[j + 1] = stage;
    }
    divide(d, value, NULL, h);
}

/* Through the end and as many points before as the method knows. */
static void dense_of_points(InlineDriver *d, uint32_t points, double h)
{
    const double *value[NODES] = {d->y, d->begin};
    double at = 0;
    d->pointed = false;
    d->node[0] = 1;
    d->node[1] = 0;
    for (uint32_t j = 2; j <= points; j++) {
        value[j] = d->past[j - 1];
        at -= d->length[j - 1] / h;
        d->node[j] = at;
    }
    divide(d, value, NULL, h);
}

/* Through a point half way, which is computed as a step is. Nothing of that is left behind, whoever looks. */
static void dense_half_way(Part *part, InlineDriver *d, double h)
{
    Sim *sim = part->sim;
    uint32_t stages = method_now(part)->stages;
    if (!d->system->between)
        d->system->between = inline_step_open(sim, d->system->plan, stages);
    InlineStep *between = d->system->between;
    inline_step_forget_iterated(between);
    for (uint32_t j = 0; j < stages; j++)
        inline_step_copy(between, j, d->many, j);
    d->halved = true;
    if (!solve_radau(part, between, stages, part->back, h / 2, d->begin))
        return;
    for (uint32_t i = 0; i < d->n; i++) {
        d->half[i] = inline_step_state(between, stages - 1, i);
        d->half_slope[i] = inline_step_slope(between, stages - 1, i);
    }
    static const double node[NODES] = {0, 0.5, 0.5, 1, 1};
    const double *value[NODES] = {d->begin, d->half, d->half, d->y, d->y};
    const double *slope[NODES] = {NULL, NULL, d->half_slope, NULL, d->slope};
    d->n_nodes = NODES;
    memcpy(d->node, node, sizeof node);
    divide(d, value, slope, h);
}

static bool has_half_way(const Part *part)
{
    const Method *method = method_now(part);
    return is_fixed(part) && method->stages && !method->points;
}

static void make_dense(Part *part, InlineDriver *d, double h)
{
    const Method *method = method_now(part);
    d->halved = !has_half_way(part);
    d->pointed = !d->by_many;
    if (d->by_many)
        dense_of_stages(d, method->stages, h);
    else
        d->n_nodes = (method->points ? method->points : 1) + 1;
}

/* Output that falls on the end of a step but for rounding does not ask for a point half way: a straight line is as good, whoever looked before. */
static bool is_at_end(const Part *part, const InlineDriver *d, double time)
{
    return has_half_way(part) && fabs(part->now - time) < 1e-9 * d->last;
}

static void inline_at(Part *part, double time)
{
    InlineDriver *d = driver_of(part);
    bool inside = time != part->now && d->n_nodes, at_end = inside && is_at_end(part, d, time);
    double s = inside ? (time - part->back) / d->last : 1;
    if (inside && d->pointed)
        dense_of_points(d, d->n_nodes - 1, d->last);
    if (inside && time != part->back && !d->halved && !at_end)
        dense_half_way(part, d, d->last);
    for (uint32_t i = 0; i < d->n; i++) {
        double y = d->y[i];
        for (uint32_t j = d->n_nodes; inside && !at_end && j-- > 0;)
            y = (j == d->n_nodes - 1 ? 0 : y * (s - d->node[j])) + d->dense[j][i];
        if (at_end)
            y += (time - part->now) * d->slope[i];
        part->sim->value[part->states.at[i].var] = y;
    }
}

static const double *inline_unknowns(Part *part, double time)
{
    if (time == part->now)
        return driver_of(part)->y;
    inline_at(part, time);
    return NULL;
}

/* ---- steps ---- */

static void remember_point(InlineDriver *d, double h)
{
    double *oldest = d->past[PAST - 1];
    memmove(d->past + 1, d->past, (PAST - 1) * sizeof *d->past);
    memmove(d->length + 1, d->length, (PAST - 1) * sizeof *d->length);
    d->past[0] = oldest;
    d->length[0] = h;
    memcpy(oldest, d->y, d->n * sizeof *oldest);
    d->n_past += d->n_past < PAST;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

static void accept(Part *part, InlineDriver *d, double h, double end)
{
    const Method *method = method_now(part);
    d->by_many = method->stages && !(method->points && is_started(part, d));
    remember_point(d, h);
    swap(&d->begin, &d->y);
    swap(&d->y, &d->next);
    swap(&d->begin_slope, &d->slope);
    swap(&d->slope, &d->next_slope);
    if (d->by_many)
        inline_step_keep(d->many);
    if (d->one && (!d->by_many || method->points)) {
        if (d->by_many)
            inline_step_copy(d->one, 0, d->many, method->stages - 1);
        inline_step_keep(d->one);
    }
    part->back = part->now;
    part->now = end;
    d->last = h;
    part->longest = fmax(part->longest, h);
    part->step = d->h;
    make_dense(part, d, h);
}

/* What follows the clock may have a pulse where no stage looks: stages lie as close as somebody else would look, and a
 * step that is longer than any before is twice as long as the one before at most. */
static double clocked_limit(const Part *part, double h)
{
    uint32_t looks = method_now(part)->stages ? method_now(part)->stages : 1;
    return fmin(looks * compare_look(part->sim), fmax(2 * h, part->longest));
}

static double next_length(const Part *part, const InlineDriver *d, double h, double error,
                          bool rejected)
{
    const Method *method = method_now(part);
    double factor = error > 0 ? 0.9 * pow(error, -1 / method->power) : method->growth;
    factor = fmax(0.2, fmin(rejected ? 1 : method->growth, factor));
    if (factor >= 1 && factor < 1.2) /* factors stay what they are */
        factor = 1;
    return d->clocked ? fmin(h * factor, clocked_limit(part, h)) : h * factor;
}

static SolStatus inline_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    InlineDriver *d = driver_of(part);
    bool fixed = is_fixed(part);
    double wanted = fmin(fixed ? sim->opt.step : d->h, sim->opt.max_step);
    double slack = fixed ? 1 + 1e-9 : 1.01;
    failure_forget(sim);
    for (bool rejected = false;; rejected = true) {
        double left = limit - part->now;
        double h = wanted * slack >= left ? left : wanted;
        if (fixed && fabs(h - sim->opt.step) <= 8 * DBL_EPSILON * fabs(limit))
            h = sim->opt.step; /* the difference is that of two times, rounded */
        double error = attempt(part, d, h);
        if (error <= 1) {
            if (!fixed && (h >= wanted || error > 0.5))
                d->h = next_length(part, d, h, error, rejected);
            accept(part, d, h, wanted * slack >= left ? limit : part->now + h);
            return SOL_OK;
        }
        sim->counts.error_failures++;
        if (sim->opt.realtime >
            0) { /* the cost of a step is bounded; the second time factors are new ones */
            d->shortest = h;
            if (rejected)
                return SOL_NUMERICS;
            continue;
        }
        wanted = h * (isfinite(error) ? fmax(0.1, 0.9 * pow(error, -1 / method_now(part)->power))
                      : fixed         ? 0.5
                                      : 0.25);
        if (wanted < 1e-14 * fmax(fabs(part->now), 1e-10)) {
            failure_in_nodes(sim, part_dynamics(part));
            d->shortest = wanted;
            return SOL_NUMERICS;
        }
    }
}

static SolStatus inline_explain(Part *part)
{
    const InlineDriver *d = driver_of(part);
    const SolOptions *opt = &part->sim->opt;
    if (opt->realtime > 0) {
        diag_error(
            part->sim->diags, 0,
            "at time %.10g a step of %.3g finds no solution in %u rounds; in real time it is "
            "not divided",
            part->now, d->shortest, opt->max_rounds);
        failure_tell(part->sim);
        return SOL_NUMERICS;
    }
    uint32_t fastest = one_step_fastest(part, d->y, d->slope);
    return part_explain_short(part, fastest, d->shortest, NULL);
}

const Integrator inline_integrator = {.name = "inline",
                                      .start = inline_start,
                                      .step = inline_step,
                                      .explain = inline_explain,
                                      .at = inline_at,
                                      .unknowns = inline_unknowns,
                                      .restructured = inline_restructured,
                                      .close = inline_close,
                                      .close_all = inline_memory_close};
