/* rk.c: one part of the dynamics -> its trajectory by Dormand and Prince's 5(4) pair.
 *
 * J. Comp. Appl. Math. 6 (1980); coefficients, dense output of order 4 and choice of the first step
 * as in Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4 to II.6 (DOPRI5).
 * Loops are solved in place. A one-step method has no start-up ramp: after an event it goes on with
 * the step it had.
 */
#include "runtime/solve/one_step.h"
#include "runtime/eval/compare.h"
#include "runtime/solve/integrators.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7 };

typedef struct RkDriver RkDriver;
struct RkDriver {
    uint32_t n;
    double *y;         /* [n] at Part.now */
    double *old;       /* [n] at Part.back */
    double *k[STAGES]; /* slopes; k[6] is the first of the next step */
    double *dense[5];  /* coefficients of the interpolation over [back, now] */
    double *next;
    double *sixth;   /* [n]: where k[5] was taken, at the end of the step as k[6] */
    double h;        /* of the next step */
    double length;   /* of the last one: the dense output's */
    double shortest; /* the step that was too short */
    bool clocked;    /* some slope follows the clock, not only the states */
};

static RkDriver *driver_of(const Part *part)
{
    return part->driver[PART_RK];
}

static const double C[STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double A[STAGES][STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
static const double E[STAGES] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                 -17253. / 339200, 22. / 525, -1. / 40};
static const double D[STAGES] = {-12715105075. / 11282082432,  0,
                                 87487479700. / 32700410799,   -10690763975. / 1880347072,
                                 701980252875. / 199316789632, -1453857185. / 822651844,
                                 69997945. / 29380423};

/* ---- slopes ---- */

/* ---- life ---- */

static void rk_close(Part *part)
{
    mem_free(part->sim->mem, driver_of(part)->y);
    mem_free(part->sim->mem, driver_of(part));
    part->driver[PART_RK] = NULL;
}

static RkDriver *open_driver(Part *part)
{
    uint32_t n = part->n;
    RkDriver *rk = mem_alloc(part->sim->mem, sizeof *rk);
    part->driver[PART_RK] = rk;
    rk->n = n;
    double *at = mem_alloc(part->sim->mem, (size_t)n * (4 + STAGES + 5) * sizeof *at);
    rk->y = at;
    rk->old = at + n;
    rk->next = at + 2 * n;
    for (int i = 0; i < STAGES; i++)
        rk->k[i] = at + (size_t)(3 + i) * n;
    for (int i = 0; i < 5; i++)
        rk->dense[i] = at + (size_t)(3 + STAGES + i) * n;
    rk->sixth = at + (size_t)(3 + STAGES + 5) * n;
    return rk;
}

/* Hairer's proposal (II.4): from sizes of y, y' and an Euler step's y''. */
static double first_step(Part *part, RkDriver *rk)
{
    Sim *sim = part->sim;
    double d0 = 0, d1 = 0, d2 = 0;
    for (uint32_t i = 0; i < rk->n; i++) {
        double w = one_step_weight(part, i, rk->y[i], rk->y[i]);
        d0 += rk->y[i] / w * (rk->y[i] / w);
        d1 += rk->k[6][i] / w * (rk->k[6][i] / w);
    }
    double h = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 : 0.01 * sqrt(d0 / d1);
    h = fmin(h, sim->opt.max_step);
    for (uint32_t i = 0; i < rk->n; i++)
        rk->next[i] = rk->y[i] + h * rk->k[6][i];
    if (one_step_slopes(part, part->now + h, rk->next, rk->k[1]) != 0)
        return h * 1e-3;
    for (uint32_t i = 0; i < rk->n; i++) {
        double w = one_step_weight(part, i, rk->y[i], rk->y[i]);
        double second = (rk->k[1][i] - rk->k[6][i]) / w;
        d2 += second * second;
    }
    double most = fmax(sqrt(d1 / rk->n), sqrt(d2 / rk->n) / h);
    double h1 = most <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / most, 0.2);
    return fmin(fmin(100 * h, h1), sim->opt.max_step);
}

static SolStatus rk_start(Part *part)
{
    Sim *sim = part->sim;
    RkDriver *rk = driver_of(part);
    if (rk && rk->n != part->n)
        rk_close(part);
    rk = part->driver[PART_RK] ? driver_of(part) : open_driver(part);
    for (uint32_t i = 0; i < rk->n; i++) {
        rk->y[i] = rk->old[i] = sim->value[part->states.at[i].var];
        rk->k[6][i] = sim->value[part->states.at[i].slope];
    }
    rk->clocked = part_follows_clock(part);
    rk->length = 0;
    rk->h = known_step(part);
    if (rk->h > 0)
        return SOL_OK;
    rk->h = one_step_begin(part, first_step(part, rk));
    part_return(part, rk->y, rk->k[1]);
    return SOL_OK;
}

/* ---- step ---- */

static double attempt(Part *part, RkDriver *rk, double h)
{
    double sum = 0;
    for (int s = 1; s < STAGES; s++) {
        for (uint32_t i = 0; i < rk->n; i++) {
            double y = 0;
            for (int q = 0; q < s; q++)
                y += A[s][q] * rk->k[q][i];
            rk->next[i] = rk->y[i] + h * y;
        }
        if (s == 5)
            memcpy(rk->sixth, rk->next, rk->n * sizeof *rk->sixth);
        if (one_step_slopes(part, part->now + C[s] * h, rk->next, rk->k[s]) != 0)
            return INFINITY;
    }
    for (uint32_t i = 0; i < rk->n; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += E[s] * rk->k[s][i];
        error *= h / one_step_weight(part, i, rk->y[i], rk->next[i]);
        sum += error * error;
    }
    return sqrt(sum / rk->n);
}

/* h times the dominant eigenvalue, from the two slopes at the end of the step. */
static double h_lambda(const Part *part, const RkDriver *rk, double h)
{
    double slope = 0, way = 0;
    for (uint32_t i = 0; i < rk->n; i++) {
        double w = one_step_weight(part, i, rk->y[i], rk->next[i]);
        double a = (rk->k[6][i] - rk->k[5][i]) / w, b = (rk->next[i] - rk->sixth[i]) / w;
        slope += a * a;
        way += b * b;
    }
    return way > 0 ? h * sqrt(slope / way) : 0;
}

static void make_dense(RkDriver *rk, double h)
{
    for (uint32_t i = 0; i < rk->n; i++) {
        double difference = rk->next[i] - rk->y[i];
        double bend = h * rk->k[0][i] - difference, sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += D[s] * rk->k[s][i];
        rk->dense[0][i] = rk->y[i];
        rk->dense[1][i] = difference;
        rk->dense[2][i] = bend;
        rk->dense[3][i] = difference - h * rk->k[6][i] - bend;
        rk->dense[4][i] = h * sum;
    }
}

/* ---- between the stages ---- */

/* Between the stages nothing is looked at. What follows the clock may have a pulse there, of which
 * the error estimate knows nothing; so in steps longer than the intervals in which somebody looks,
 * the slope of the dense output is held against the model's in up to three places. The order
 * of the dense output is lower than that of the step: only a difference out of all proportion
 * counts. And a step that is longer than any before is twice as long as the one before at most, so
 * that a pulse that is not much shorter than the quiet in front of it is met. */
static const double PROPORTION = 1000;
enum { MOST_LOOKS = 3 };

static double dense_slope(const RkDriver *rk, uint32_t i, double s, double *y)
{
    double r = 1 - s;
    double third = rk->dense[3][i] + r * rk->dense[4][i];
    double second = rk->dense[2][i] + s * third;
    double first = rk->dense[1][i] + r * second;
    double second_by_s = third - s * rk->dense[4][i];
    *y = rk->dense[0][i] + s * first;
    return first + s * (r * second_by_s - second);
}

static bool differs_at(Part *part, RkDriver *rk, double h, double s)
{
    double *y = rk->sixth, *seen = rk->k[1], *dense = rk->k[2], most = 0;
    for (uint32_t i = 0; i < rk->n; i++)
        dense[i] = dense_slope(rk, i, s, &y[i]);
    if (one_step_slopes(part, part->now + s * h, y, seen) != 0)
        return true;
    for (uint32_t i = 0; i < rk->n; i++)
        most = fmax(most,
                    fabs(h * seen[i] - dense[i]) / one_step_weight(part, i, rk->y[i], rk->next[i]));
    return !(most <= PROPORTION);
}

static bool skips_something(Part *part, RkDriver *rk, double h)
{
    static const double between[MOST_LOOKS] = {0.55, 0.1, 0.42}; /* with the stages: gaps of 0.25 */
    int looks = (int)fmin(h / compare_look(part->sim), MOST_LOOKS);
    bool skips = false;
    for (int i = 0; i < looks && !skips; i++)
        skips = differs_at(part, rk, h, between[i]);
    if (part->lists.loops.n && looks) /* loops are to be left as they are at the end of the step */
        skips |= one_step_slopes(part, part->now + h, rk->next, rk->k[6]) != 0;
    return skips;
}

static void rk_at(Part *part, double time)
{
    RkDriver *rk = driver_of(part);
    Sim *sim = part->sim;
    double s = rk->length > 0 ? (time - part->back) / rk->length : 1, r = 1 - s;
    for (uint32_t i = 0; i < rk->n; i++) {
        double y = rk->y[i];
        if (time != part->now && rk->length > 0)
            y = rk->dense[0][i] +
                s * (rk->dense[1][i] +
                     r * (rk->dense[2][i] + s * (rk->dense[3][i] + r * rk->dense[4][i])));
        sim->value[part->states.at[i].var] = y;
    }
}

/* The state with the largest error; slopes that are no numbers count as that. */
static uint32_t worst_state(const Part *part, const RkDriver *rk)
{
    uint32_t worst = 0;
    double most = -1;
    for (uint32_t i = 0; i < rk->n; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += E[s] * rk->k[s][i];
        error = fabs(error) / one_step_weight(part, i, rk->y[i], rk->y[i]);
        if (!(error <= most)) {
            most = isnan(error) ? INFINITY : error;
            worst = i;
        }
    }
    return worst;
}

static SolStatus rk_explain(Part *part)
{
    const RkDriver *rk = driver_of(part);
    return part_explain_short(part, worst_state(part, rk), rk->shortest,
                              "a stiff model needs the solver ida");
}

static SolStatus rk_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    RkDriver *rk = driver_of(part);
    double wanted = fmin(rk->h, sim->opt.max_step);
    failure_forget(sim);
    memcpy(rk->k[0], rk->k[6], rk->n * sizeof(double));
    for (bool rejected = false;; rejected = true) {
        double left = limit - part->now;
        double h = wanted >= left || wanted * 1.01 >= left ? left : wanted;
        double error = attempt(part, rk, h);
        double factor = error > 0 ? 0.9 * pow(error, -0.2) : 10;
        if (!isfinite(error))
            factor = 0.1;
        double stiff = error <= 1 ? h_lambda(part, rk, h) : 0;
        if (error <= 1)
            make_dense(rk, h);
        if (error <= 1 && rk->clocked && skips_something(part, rk, h)) {
            error = INFINITY;
            factor = 0.3;
        }
        if (error <= 1) {
            method_after_rk(part, stiff);
            memcpy(rk->old, rk->y, rk->n * sizeof(double));
            memcpy(rk->y, rk->next, rk->n * sizeof(double));
            part->back = part->now;
            part->now = h == left ? limit : part->now + h;
            rk->length = h;
            part->longest = fmax(part->longest, h);
            if (h == wanted || factor < 1) { /* one that was cut short says nothing of the next */
                rk->h = h * fmin(rejected ? 1 : 10, fmax(0.2, factor));
                if (rk->clocked)
                    rk->h = fmin(rk->h, fmax(2 * h, part->longest));
                known_step_note(part, fmin(rk->h, 2 * h));
            }
            part->awaits_step = 0;
            part->step = rk->h;
            return SOL_OK;
        }
        sim->counts.error_failures++;
        wanted = h * fmax(0.1, fmin(0.9, factor));
        if (wanted < 1e-14 * fmax(fabs(part->now), 1e-10)) {
            rk->shortest = wanted;
            return SOL_NUMERICS;
        }
    }
}

static const double *rk_unknowns(Part *part, double time)
{
    if (time == part->now)
        return driver_of(part)->y;
    rk_at(part, time);
    return NULL;
}

const Integrator rk_integrator = {.name = "rk",
                                  .start = rk_start,
                                  .step = rk_step,
                                  .explain = rk_explain,
                                  .at = rk_at,
                                  .unknowns = rk_unknowns,
                                  .close = rk_close};
