/* rodas.c: one part of the dynamics -> its trajectory by a Rosenbrock method of order 4(3), for stiff parts that are
 * started anew again and again.
 *
 * RODAS, with its coefficients, its dense output of order 3 and its choice of steps: Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.7 and VI.4. Stiffly accurate and L-stable; linearly implicit: each of the six stages is
 * one linear system with the matrix 1/(gamma h) - df/dy of the beginning of the step, so there is no iteration that could
 * fail. It wants the exact derivatives, by the states and by the clock, which tangents give (jacobian.c).
 *
 * A one-step method has no start-up ramp. Behind an event IDA begins with order 1 and takes 30 steps and a dozen
 * Jacobians to come back to its order; this one goes on with the step it had. Where nothing happens for long IDA is the
 * better one (method.c).
 *
 * Loops are solved in place.
 */
#include "runtime/solve/one_step.h"
#include "runtime/eval/compare.h"
#include "runtime/solve/integrators.h"
#include "runtime/solve/jacobian.h"

#include <math.h>
#include <string.h>

enum { STAGES = 6 };

typedef struct RodasDriver {
    uint32_t n;
    bool stale;    /* the part has another structure than the Jacobian knows */
    bool clocked;  /* some slope follows the clock, not only the states */
    double *y;     /* [n] at Part.now */
    double *next;  /* [n] where a stage looks; behind the last one the end of the step */
    double *slope; /* [n] */
    double *clock; /* [n]: derivatives of the slopes by the clock */
    double *u[STAGES];
    double *dense[4]; /* coefficients of the interpolation over [back, now] */
    double h;         /* of the next step */
    double length;    /* of the last one: the dense output's */
    double shortest;  /* the step that was too short */
    Jacobian *jacobian;
} RodasDriver;

static RodasDriver *driver_of(const Part *part)
{
    return part->driver[PART_RODAS];
}

static const double GAMMA = 0.25;
static const double TIME[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double BY_CLOCK[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
/* The argument of a stage: y and so much of each stage before. The last two go on from the one before by 1. */
static const double A[STAGES - 1][STAGES - 2] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950}};
static const double C[STAGES][STAGES - 1] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};
static const double D[2][STAGES - 1] = {{10.12623508344586, -7.487995877610167, -34.80091861555747,
                                         -7.992771707568823, 1.025137723295662},
                                        {-0.6762803392801253, 6.087714651680015, 16.43084320892478,
                                         24.76722511418386, -6.594389125716872}};

/* ---- life ---- */

static void rodas_close(Part *part)
{
    RodasDriver *driver = driver_of(part);
    jacobian_close(driver->jacobian);
    mem_free(part->sim->mem, driver->y);
    mem_free(part->sim->mem, driver);
    part->driver[PART_RODAS] = NULL;
}

static RodasDriver *open_driver(Part *part)
{
    uint32_t n = part->n;
    RodasDriver *driver = mem_alloc(part->sim->mem, sizeof *driver);
    part->driver[PART_RODAS] = driver;
    driver->n = n;
    double *at = mem_alloc(part->sim->mem, (size_t)n * (4 + STAGES + 4) * sizeof *at);
    driver->y = at;
    driver->next = at + n;
    driver->slope = at + 2 * (size_t)n;
    driver->clock = at + 3 * (size_t)n;
    for (int i = 0; i < STAGES; i++)
        driver->u[i] = at + (size_t)(4 + i) * n;
    for (int i = 0; i < 4; i++)
        driver->dense[i] = at + (size_t)(4 + STAGES + i) * n;
    driver->jacobian = jacobian_open_direct(part);
    return driver;
}

static void rodas_restructured(Part *part)
{
    driver_of(part)->stale = true;
}

/* ---- start ---- */

/* Beside a fast transient that one long step may pass short ones fit too, and would go on fitting. */
static const double SHORT = 0.01;

static SolStatus rodas_start(Part *part)
{
    Sim *sim = part->sim;
    if (driver_of(part) && driver_of(part)->n != part->n)
        rodas_close(part);
    RodasDriver *driver = driver_of(part) ? driver_of(part) : open_driver(part);
    if (driver->stale)
        jacobian_renew(driver->jacobian);
    driver->stale = false;
    for (uint32_t i = 0; i < driver->n; i++) {
        driver->y[i] = sim->value[part->states.at[i].var];
        driver->slope[i] = sim->value[part->states.at[i].slope];
    }
    driver->clocked = part_follows_clock(part);
    driver->length = 0;
    double known = known_step(part);
    driver->h = one_step_begin(part, one_step_first(part, driver->y, driver->slope));
    if (known > SHORT * driver->h)
        driver->h = known;
    return SOL_OK;
}

/* ---- step ---- */

/* Derivatives at the beginning of the step. */
static bool differentiate(Part *part, RodasDriver *driver, double h)
{
    if (one_step_slopes(part, part->now, driver->y, driver->slope) != 0)
        return false;
    part_put_unknowns(part, driver->y);
    if (jacobian_evaluate(driver->jacobian, part->now, 1 / (GAMMA * h), true) != 0)
        return false;
    if (driver->clocked)
        jacobian_by_clock(driver->jacobian, driver->clock);
    return true;
}

/* Where stage s looks, into `next`. */
static void look(RodasDriver *driver, int s)
{
    for (uint32_t i = 0; i < driver->n; i++) {
        double y = driver->y[i];
        for (int q = 0; q < s; q++)
            y += A[s][q] * driver->u[q][i];
        driver->next[i] = y;
    }
}

static void advance(RodasDriver *driver, const double *by)
{
    for (uint32_t i = 0; i < driver->n; i++)
        driver->next[i] += by[i];
}

static bool solve_stage(RodasDriver *driver, int s, const double *slope, double h)
{
    double *u = driver->u[s];
    for (uint32_t i = 0; i < driver->n; i++) {
        double sum = 0;
        for (int q = 0; q < s; q++)
            sum += C[s][q] * driver->u[q][i];
        u[i] = slope[i] + sum / h;
        if (driver->clocked && BY_CLOCK[s] != 0)
            u[i] += h * BY_CLOCK[s] * driver->clock[i];
    }
    return jacobian_solve(driver->jacobian, u) == 0;
}

/* The end of a step of h in `next`, its error as a part of what is allowed; infinite: no step. */
static double attempt(Part *part, RodasDriver *driver, double h)
{
    double *stage_slope = driver->dense[0]; /* free until the step is accepted */
    if (!jacobian_shift(driver->jacobian, 1 / (GAMMA * h)) ||
        jacobian_factor(driver->jacobian) != 0)
        return INFINITY;
    for (int s = 0; s < STAGES; s++) {
        if (s == STAGES - 1)
            advance(driver, driver->u[s - 1]);
        else
            look(driver, s);
        if (s > 0 && one_step_slopes(part, part->now + TIME[s] * h, driver->next, stage_slope) != 0)
            return INFINITY;
        if (!solve_stage(driver, s, s == 0 ? driver->slope : stage_slope, h))
            return INFINITY;
    }
    advance(driver, driver->u[STAGES - 1]);
    double error = one_step_norm(part, driver->u[STAGES - 1], driver->y, driver->next);
    return isfinite(error) ? error : INFINITY;
}

static void make_dense(RodasDriver *driver)
{
    for (uint32_t i = 0; i < driver->n; i++) {
        double a = 0, b = 0;
        for (int s = 0; s < STAGES - 1; s++) {
            a += D[0][s] * driver->u[s][i];
            b += D[1][s] * driver->u[s][i];
        }
        driver->dense[0][i] = driver->y[i];
        driver->dense[1][i] = driver->next[i];
        driver->dense[2][i] = a;
        driver->dense[3][i] = b;
    }
}

static double dense_at(const RodasDriver *driver, uint32_t i, double s)
{
    double r = 1 - s;
    return driver->dense[0][i] * r +
           s * (driver->dense[1][i] + r * (driver->dense[2][i] + s * driver->dense[3][i]));
}

/* Derivative by s. */
static double dense_slope(const RodasDriver *driver, uint32_t i, double s)
{
    double r = 1 - s, second = driver->dense[2][i] + s * driver->dense[3][i];
    return driver->dense[1][i] - driver->dense[0][i] + (r - s) * second +
           s * r * driver->dense[3][i];
}

/* ---- between the stages ---- */

/* As in rk.c and ida_driver.c: what follows the clock may have a pulse where no stage looks. The dense output is put into
 * the equations, and what is left is turned into errors of the states by the matrix of the step, so that a stiff
 * component does not count for more than it moves. */
static const double PROPORTION = 1000;
enum { MOST_LOOKS = 3 };

static bool differs_at(Part *part, RodasDriver *driver, double h, double s)
{
    double *y = driver->u[0], *off = driver->u[1];
    for (uint32_t i = 0; i < driver->n; i++)
        y[i] = dense_at(driver, i, s);
    if (one_step_slopes(part, part->now + s * h, y, off) != 0)
        return true;
    for (uint32_t i = 0; i < driver->n; i++)
        off[i] = dense_slope(driver, i, s) / h - off[i];
    if (jacobian_solve(driver->jacobian, off) != 0)
        return true;
    for (uint32_t i = 0; i < driver->n; i++)
        if (!(fabs(off[i]) <= PROPORTION * one_step_weight(part, i, driver->y[i], driver->next[i])))
            return true;
    return false;
}

/* Loops are to be left as they are at the end of the step. */
static bool skips_something(Part *part, RodasDriver *driver, double h)
{
    static const double between[MOST_LOOKS] = {0.81, 0.1, 0.51}; /* with the stages: gaps of 0.2 */
    int looks = (int)fmin(h / compare_look(part->sim), MOST_LOOKS);
    bool skips = false;
    for (int i = 0; i < looks && !skips; i++)
        skips = differs_at(part, driver, h, between[i]);
    if (part->lists.loops.n && !skips)
        skips = one_step_slopes(part, part->now + h, driver->next, driver->u[1]) != 0;
    return skips;
}

static void rodas_at(Part *part, double time)
{
    const RodasDriver *driver = driver_of(part);
    double s = driver->length > 0 ? (time - part->back) / driver->length : 1;
    bool inside = time != part->now && driver->length > 0;
    for (uint32_t i = 0; i < driver->n; i++)
        part->sim->value[part->states.at[i].var] = inside ? dense_at(driver, i, s) : driver->y[i];
}

static SolStatus rodas_explain(Part *part)
{
    const RodasDriver *driver = driver_of(part);
    uint32_t fastest = one_step_fastest(part, driver->y, driver->slope);
    return part_explain_short(part, fastest, driver->shortest, NULL);
}

static void accept(Part *part, RodasDriver *driver, double h, bool to_limit, double limit)
{
    memcpy(driver->y, driver->next, driver->n * sizeof *driver->y);
    part->back = part->now;
    part->now = to_limit ? limit : part->now + h;
    driver->length = h;
    part->longest = fmax(part->longest, h);
    part->step = driver->h;
    if (method_asks_radius(part))
        method_after_ida(part, h * jacobian_radius(driver->jacobian));
    method_after_rodas(part);
}

static SolStatus rodas_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    RodasDriver *driver = driver_of(part);
    double wanted = fmin(driver->h, sim->opt.max_step);
    failure_forget(sim);
    if (!differentiate(part, driver, wanted)) {
        driver->shortest = wanted;
        return SOL_NUMERICS;
    }
    for (bool rejected = false;; rejected = true) {
        double left = limit - part->now;
        double h = wanted >= left || wanted * 1.01 >= left ? left : wanted;
        double error = attempt(part, driver, h);
        double factor = !isfinite(error) ? 0.1 : error > 0 ? 0.9 * pow(error, -0.25) : 6;
        if (error <= 1)
            make_dense(driver);
        if (error <= 1 && driver->clocked && skips_something(part, driver, h)) {
            error = INFINITY;
            factor = 0.3;
        }
        if (error <= 1) {
            if (h == wanted || factor < 1) { /* one that was cut short says nothing of the next */
                driver->h = h * fmin(rejected ? 1 : 6, fmax(0.2, factor));
                if (driver->clocked)
                    driver->h = fmin(driver->h, fmax(2 * h, part->longest));
                known_step_note(part, fmin(driver->h, 2 * h));
            }
            part->awaits_step = 0;
            accept(part, driver, h, h == left, limit);
            return SOL_OK;
        }
        sim->counts.error_failures++;
        wanted = h * fmax(0.1, fmin(0.9, factor));
        if (wanted < 1e-14 * fmax(fabs(part->now), 1e-10)) {
            driver->shortest = wanted;
            return SOL_NUMERICS;
        }
    }
}

static const double *rodas_unknowns(Part *part, double time)
{
    if (time == part->now)
        return driver_of(part)->y;
    rodas_at(part, time);
    return NULL;
}

const Integrator rodas_integrator = {.name = "rodas",
                                     .start = rodas_start,
                                     .step = rodas_step,
                                     .explain = rodas_explain,
                                     .at = rodas_at,
                                     .unknowns = rodas_unknowns,
                                     .restructured = rodas_restructured,
                                     .close = rodas_close};
