/* ida_driver.c: one part of the dynamics -> its trajectory by IDA, step by step.
 *
 * y = [states, tearing variables of outer loops], F = [y' - slope, residuals]. What else dynamics
 * computes are assignments inside the residual. Consistent values at the start come from
 * evaluation, so IDACalcIC is not needed; tearing variables stay out of the error test. IDA's
 * memory is kept as long as the part lives and its unknowns find room in the vectors: a restart is
 * then an IDAReInit, whatever became of the structure.
 */
#include "runtime/eval/compare.h"
#include "runtime/solve/jacobian.h"
#include "numerics/nvector.h"
#include "runtime/solve/integrators.h"
#include "runtime/solve/pattern.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <string.h>

enum {
    STUCK = -1000,
    KRYLOV_SPACE = 20,
    IDA_BYTES = 2000 /* its record, and those of its solvers behind it, about */
};

struct IdaDriver {
    Part *part;
    uint32_t n, room; /* unknowns, and how many the vectors could hold */
    bool stale;       /* the part has another structure than the Jacobian knows */
    void *ida;
    VectorSpace *space;
    N_Vector y, yp, id, out;
    N_Vector slope,
        error; /* of the dense output between the ends of a step; by how much it is off */
    Jacobian *jacobian;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    bool evaluated;              /* the residual was, last of all, at what IDA has now */
    bool clocked;                /* some slope follows the clock, not only the states */
    bool cut;                    /* the last step counts up to Part.now only, IDA is further */
    double setup;                /* time of IDA's last setup */
    double out_at;               /* time that `out` has the unknowns of; NAN: something else */
    int flag;                    /* of its last step, or STUCK */
    int stuck;                   /* steps in a row that were no longer than rounding */
    long error_failures, newton; /* of IDA since its last start, as counted so far */
};
typedef struct IdaDriver IdaDriver;

static IdaDriver *driver_of(const Part *part)
{
    return part->driver[PART_IDA];
}

/* ---- callbacks ---- */

static void put_unknowns(Part *part, const IdaDriver *driver, N_Vector y)
{
    (void)driver;
    part_put_unknowns(part, nvector_at(y));
}

static int residual(realtype time, N_Vector y, N_Vector yp, N_Vector r, void *context)
{
    IdaDriver *driver = context;
    Part *part = driver->part;
    double *out = nvector_at(r);
    const double *slope = nvector_at(yp);
    bool fine = part_slopes(part, time, nvector_at(y), out, out + part->states.n) == 0;
    for (uint32_t i = 0; i < part->states.n; i++)
        out[i] = slope[i] - out[i];
    for (uint32_t i = part->states.n; i < driver->n && fine; i++)
        fine = isfinite(out[i]);
    if (!fine)
        failure_in_nodes(part->sim, part_dynamics(part));
    driver->evaluated = fine;
    return fine ? 0 : 1;
}

/* IDA asks for a Jacobian whenever cj has changed much: several times behind each restart, while
 * order and step grow. The first one will do for these short steps, with the new cj, unless it is
 * asked for at the same time or an earlier one: then Newton, or the step, has failed. (CVODE does
 * so for up to 50 steps. IDA takes it for a new one and shortens the step when Newton fails: with
 * four steps anywhere Robertson's equations took a quarter more iterations.) Not for few unknowns:
 * a new one costs little there, and a pendulum that is started anew twice in a turn loses digits of
 * its energy with an old one. */
enum { REUSE = 8, REUSE_FROM = 40 };

static int evaluate_jacobian(IdaDriver *driver, double time, double cj, N_Vector y)
{
    long steps = 0;
    IDAGetNumSteps(driver->ida, &steps);
    bool young = time > driver->setup && steps <= REUSE && driver->n > REUSE_FROM;
    driver->setup = time;
    if (young && jacobian_shift(driver->jacobian, cj))
        return 0;
    put_unknowns(driver->part, driver, y);
    return jacobian_evaluate(driver->jacobian, time, cj, driver->evaluated);
}

static int jacobian(realtype time, realtype cj, N_Vector y, N_Vector yp, N_Vector r,
                    SUNMatrix matrix, void *context, N_Vector t1, N_Vector t2, N_Vector t3)
{
    IdaDriver *driver = context;
    (void)yp, (void)r, (void)matrix, (void)t1, (void)t2, (void)t3;
    return evaluate_jacobian(driver, time, cj, y);
}

/* IDA has just evaluated the residual at y: what tangents pass through is there. */
static int jacobian_times_vector(realtype time, N_Vector y, N_Vector yp, N_Vector r, N_Vector v,
                                 N_Vector out, realtype cj, void *context, N_Vector t1, N_Vector t2)
{
    IdaDriver *driver = context;
    (void)time, (void)yp, (void)r, (void)t1, (void)t2;
    put_unknowns(driver->part, driver, y);
    jacobian_times(driver->jacobian, cj, nvector_at(v), nvector_at(out));
    return 0;
}

static int precondition_setup(realtype time, N_Vector y, N_Vector yp, N_Vector r, realtype cj,
                              void *context)
{
    IdaDriver *driver = context;
    (void)yp, (void)r;
    int result = evaluate_jacobian(driver, time, cj, y);
    return result ? result : jacobian_factor(driver->jacobian);
}

static int precondition_solve(realtype time, N_Vector y, N_Vector yp, N_Vector r, N_Vector right,
                              N_Vector out, realtype cj, realtype delta, void *context)
{
    IdaDriver *driver = context;
    (void)time, (void)y, (void)yp, (void)r, (void)cj, (void)delta;
    memcpy(nvector_at(out), nvector_at(right), driver->n * sizeof(double));
    return jacobian_solve(driver->jacobian, nvector_at(out));
}

/* Weights of the norm. Tearing variables are not in the error test; theirs only say how well Newton
 * must know them: as well as the states that they drive need it. (A current of a microampere that
 * charges a microfarad is no small thing; with the plain tolerance the transistor amplifier took
 * ten times the steps.) */
static int weights(N_Vector y, N_Vector out, void *context)
{
    IdaDriver *driver = context;
    const Part *part = driver->part;
    const SolOptions *opt = &part->sim->opt;
    const double *at = nvector_at(y);
    double *weight = nvector_at(out);
    for (uint32_t i = 0; i < part->states.n; i++)
        weight[i] = 1 / part_allowed(part, i, fabs(at[i]));
    for (uint32_t i = part->states.n; i < driver->n; i++)
        weight[i] = 1 / (opt->rtol * fabs(at[i]) + opt->atol);
    jacobian_effects(driver->jacobian, weight);
    return 0;
}

static void be_silent(int code, const char *module, const char *function, char *text, void *context)
{
    (void)code, (void)module, (void)function, (void)text, (void)context;
}

/* ---- life ---- */

static void free_driver(Mem *mem, IdaDriver *driver)
{
    if (driver->ida)
        IDAFree(&driver->ida);
    if (driver->solver)
        SUNLinSolFree(driver->solver);
    if (driver->matrix)
        SUNMatDestroy(driver->matrix);
    if (driver->y)
        N_VDestroy(driver->y);
    if (driver->yp)
        N_VDestroy(driver->yp);
    if (driver->id)
        N_VDestroy(driver->id);
    if (driver->out)
        N_VDestroy(driver->out);
    if (driver->slope)
        N_VDestroy(driver->slope);
    if (driver->error)
        N_VDestroy(driver->error);
    nvector_close(driver->space);
    jacobian_close(driver->jacobian);
    mem_free(mem, driver);
}

static void ida_close(Part *part)
{
    free_driver(part->sim->mem, driver_of(part));
    part->driver[PART_IDA] = NULL;
    for (int which = MEMORY_DRIVER; which <= MEMORY_FACTORS; which++)
        part_prefetch_note(part, which, NULL, 0);
}

static void ida_close_all(Sim *sim)
{
    SUNContext context = sim->solve.sun;
    pattern_free_scratch(sim);
    if (context)
        SUNContext_Free(&context);
    sim->solve.sun = NULL;
}

static SolStatus no_memory(Sim *sim)
{
    diag_error(sim->diags, 0, "out of memory for the integrator at time %.10g", sim->time);
    return SOL_MEMORY;
}

static bool open_vectors(Sim *sim, IdaDriver *driver)
{
    if (!sim->solve.sun) {
        SUNContext context;
        if (SUNContext_Create(NULL, &context) != 0)
            return false;
        sim->solve.sun = context;
    }
    driver->space = nvector_open(sim->mem, sim->solve.sun, driver->room);
    nvector_set_length(driver->space, driver->n);
    driver->y = nvector_new(driver->space);
    driver->yp = nvector_new(driver->space);
    driver->id = nvector_new(driver->space);
    driver->out = nvector_new(driver->space);
    driver->slope = nvector_new(driver->space);
    driver->error = nvector_new(driver->space);
    return driver->y && driver->yp && driver->id && driver->out && driver->slope && driver->error;
}

static bool open_direct(Sim *sim, IdaDriver *driver)
{
    driver->matrix = jacobian_matrix(driver->jacobian, sim->solve.sun);
    driver->solver = jacobian_solver(driver->jacobian, sim->solve.sun);
    return IDASetLinearSolver(driver->ida, driver->solver, driver->matrix) == 0 &&
           IDASetJacFn(driver->ida, jacobian) == 0;
}

static bool open_krylov(Sim *sim, IdaDriver *driver)
{
    driver->solver = SUNLinSol_SPGMR(driver->y, SUN_PREC_LEFT, KRYLOV_SPACE, sim->solve.sun);
    return driver->solver && IDASetLinearSolver(driver->ida, driver->solver, NULL) == 0 &&
           IDASetJacTimes(driver->ida, NULL, jacobian_times_vector) == 0 &&
           IDASetPreconditioner(driver->ida, precondition_setup, precondition_solve) == 0;
}

static bool open_linear(Sim *sim, IdaDriver *driver)
{
    return jacobian_kind(driver->jacobian) == JACOBIAN_KRYLOV ? open_krylov(sim, driver)
                                                              : open_direct(sim, driver);
}

static bool tell_states(Part *part, IdaDriver *driver)
{
    for (uint32_t i = 0; i < driver->n; i++)
        nvector_at(driver->id)[i] = i < part->states.n;
    return IDASetId(driver->ida, driver->id) == 0;
}

static bool open_ida(Sim *sim, Part *part, IdaDriver *driver)
{
    driver->ida = IDACreate(sim->solve.sun);
    if (!driver->ida || IDASetErrHandlerFn(driver->ida, be_silent, NULL) != 0 ||
        IDAInit(driver->ida, residual, part->now, driver->y, driver->yp) != 0)
        return false;
    driver->jacobian = jacobian_open(part);
    return IDASetUserData(driver->ida, driver) == 0 && IDAWFtolerances(driver->ida, weights) == 0 &&
           tell_states(part, driver) && IDASetSuppressAlg(driver->ida, SUNTRUE) == 0 &&
           IDASetMaxOrd(driver->ida, (int)sim->opt.max_order) == 0 &&
           IDASetMaxStep(driver->ida, sim->opt.max_step) == 0 && open_linear(sim, driver);
}

/* ---- start ---- */

static void get_unknowns(Part *part, IdaDriver *driver)
{
    Sim *sim = part->sim;
    double *y = nvector_at(driver->y), *yp = nvector_at(driver->yp);
    for (uint32_t i = 0; i < driver->n; i++) {
        y[i] = sim->value[part_unknown(part, i)];
        yp[i] = i < part->states.n ? sim->value[part->states.at[i].slope] : 0;
    }
}

/* The first step has order 1: its error is h^2/2 times the second derivative, which one sweep of
 * tangents along the solution gives. After events these errors have the same sign again and again:
 * with half the tolerance each (FIRST_ERROR 0.5) a bouncing ball came 1e-6 s too early after ten
 * impacts at rtol 1e-6; with a hundredth of that it is 2e-7 s, for the same number of steps,
 * because order and step double quickly behind a short first one. */
static const double FIRST_ERROR = 0.005;

/* The second derivative tells nothing of what comes behind the first instant: 0 there (a model that
 * begins at rest) is no licence to step across everything. IDA's own choice is a thousandth of the
 * way at the most. */
static double thousandth(const Part *part)
{
    const SolOptions *opt = &part->sim->opt;
    double way = opt->max_step;
    if (opt->stop > part->now)
        way = fmin(way, opt->stop - part->now);
    return way / 1000;
}

/* Do slopes inside a step of h go as the two derivatives say, within the tolerance? `second`: the
 * second ones. Asked at a point that divides the step in no simple proportion: a wave whose
 * periods fit into it looks flat from both of its ends. */
static bool goes_straight(Part *part, const double *second, double h)
{
    Sim *sim = part->sim;
    const IdaDriver *driver = driver_of(part);
    const double *y = nvector_at(driver->y), *yp = nvector_at(driver->yp), s = 0.618 * h;
    uint32_t n = part->states.n;
    double *there = mem_alloc(sim->mem, 2 * (size_t)n * sizeof *there), *slope = there + n, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        there[i] = y[i] + s * (yp[i] + s / 2 * second[i]);
    part_keep_loops(part);
    bool fine = part_slopes(part, part->now + s, there, slope, NULL) == 0;
    for (uint32_t i = 0; fine && i < n; i++) {
        double size = h * (slope[i] - yp[i] - s * second[i]) / part_allowed(part, i, fabs(y[i]));
        sum += size * size;
    }
    part_put_loops(part);
    part_return(part, y, slope);
    mem_free(sim->mem, there);
    return fine && sqrt(sum / n) < 1;
}

static double first_step(Part *part)
{
    Sim *sim = part->sim;
    double sum = 0, *second = nvector_at(driver_of(part)->out);
    jacobian_along(driver_of(part)->jacobian, second);
    for (uint32_t i = 0; i < part->states.n; i++) {
        double y = sim->value[part->states.at[i].var];
        double size = second[i] / part_allowed(part, i, fabs(y));
        sum += size * size;
    }
    double norm = sqrt(sum / part->states.n), safe = thousandth(part);
    double h = norm > 0 && isfinite(norm) ? sqrt(FIRST_ERROR / norm) : INFINITY;
    if (h <= safe || !isfinite(norm))
        return fmin(h, safe);
    h = fmin(h, 1000 * safe);
    return goes_straight(part, second, h) ? h : safe;
}

static void ida_restructured(Part *part)
{
    driver_of(part)->stale = true;
}

static bool open_driver(Sim *sim, Part *part)
{
    IdaDriver *driver = part->driver[PART_IDA] = mem_alloc(sim->mem, sizeof *driver);
    driver->part = part;
    driver->n = part->n;
    driver->room = part->n + part->n / 4 + 2;
    if (!open_vectors(sim, driver))
        return false;
    get_unknowns(part, driver);
    return open_ida(sim, part, driver);
}

/* Other unknowns, for which there is room. Only a solver of the other kind is made anew. */
static bool renew_driver(Sim *sim, Part *part, IdaDriver *driver)
{
    JacobianKind before = jacobian_kind(driver->jacobian);
    driver->stale = false;
    driver->n = part->n;
    nvector_set_length(driver->space, driver->n);
    jacobian_renew(driver->jacobian);
    if ((before == JACOBIAN_KRYLOV) != (jacobian_kind(driver->jacobian) == JACOBIAN_KRYLOV)) {
        SUNLinearSolver solver = driver->solver;
        SUNMatrix matrix = driver->matrix;
        driver->solver = NULL;
        driver->matrix = NULL;
        bool fine = open_linear(sim, driver);
        SUNLinSolFree(solver);
        if (matrix)
            SUNMatDestroy(matrix);
        if (!fine)
            return false;
    }
    return tell_states(part, driver);
}

static bool restart_driver(Sim *sim, Part *part)
{
    IdaDriver *driver = driver_of(part);
    if (driver->stale && !renew_driver(sim, part, driver))
        return false;
    get_unknowns(part, driver);
    return IDAReInit(driver->ida, part->now, driver->y, driver->yp) == 0;
}

/* IDA counts from its last start. */
static void forget_counts(IdaDriver *driver)
{
    driver->newton = driver->error_failures = 0;
    driver->evaluated = driver->cut = false;
    driver->setup = INFINITY;
}

static SolStatus ida_start(Part *part)
{
    Sim *sim = part->sim;
    if (driver_of(part) && part->n > driver_of(part)->room)
        ida_close(part);
    bool fine = driver_of(part) ? restart_driver(sim, part) : open_driver(sim, part);
    IdaDriver *driver = driver_of(part);
    forget_counts(driver);
    driver->out_at = NAN;
    if (!fine)
        return no_memory(sim);
    driver->clocked = part_follows_clock(part);
    part_prefetch_note(part, MEMORY_DRIVER, driver, sizeof *driver);
    part_prefetch_note(part, MEMORY_IDA, driver->ida, IDA_BYTES);
    part_prefetch_note(part, MEMORY_VECTORS, driver->space, nvector_bytes(driver->space));
    IDASetInitStep(driver->ida, first_step(part));
    return SOL_OK;
}

/* ---- failures ---- */

static uint32_t worst_unknown(IdaDriver *driver)
{
    uint32_t worst = 0;
    double most = -1;
    if (IDAGetEstLocalErrors(driver->ida, driver->out) != 0 ||
        IDAGetErrWeights(driver->ida, driver->yp) != 0)
        return 0;
    for (uint32_t i = 0; i < driver->n; i++) {
        double size = fabs(nvector_at(driver->out)[i] * nvector_at(driver->yp)[i]);
        if (size > most) {
            most = size;
            worst = i;
        }
    }
    return worst;
}

static const char *reason_of(int flag)
{
    switch (flag) {
    case STUCK:
        return "steps have become as short as rounding";
    case IDA_ERR_FAIL:
        return "the error stays above the tolerance whatever the step";
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
        return "Newton's iteration does not converge whatever the step";
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
        return "the equations have no value near this point";
    default:
        return IDAGetReturnFlagName(flag);
    }
}

static SolStatus ida_explain(Part *part)
{
    Sim *sim = part->sim;
    IdaDriver *driver = driver_of(part);
    realtype h = 0;
    if (cancel_broke_off(sim))
        return SOL_CANCELLED;
    IDAGetCurrentStep(driver->ida, &h);
    uint32_t i = worst_unknown(driver);
    DdpVar var = part_unknown(part, i);
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    diag_error(sim->diags, view.at, "at time %.10g the integration failed with steps of %.3g: %s",
               part->now, h, reason_of(driver->flag));
    diag_note(sim->diags, view.at, "%s = %.10g changes fastest there", explain_var(sim, var),
              sim->value[var]);
    explain_determined_by(sim, i < part->states.n ? part->states.at[i].slope : var);
    failure_tell(sim);
    return SOL_NUMERICS;
}

static void count(Sim *sim, IdaDriver *driver)
{
    long failures = 0, newton = 0;
    IDAGetNumErrTestFails(driver->ida, &failures);
    IDAGetNumNonlinSolvIters(driver->ida, &newton);
    sim->counts.error_failures += (uint64_t)(failures - driver->error_failures);
    sim->counts.newton += (uint64_t)(newton - driver->newton);
    driver->error_failures = failures;
    driver->newton = newton;
}

/* ---- between the ends of a step ---- */

/* IDA evaluates the model at the ends of its steps only. Where nothing moves they grow, and a pulse
 * of what follows the clock may lie between two ends: its error estimate knows nothing of it. So
 * steps longer than the intervals in which somebody looks are held against the model in each of
 * these: the dense output is put into the equations, and what is left is turned into errors of the
 * states by IDA's own matrix, so that a stiff component does not count for more than it moves. Only
 * errors out of all proportion count. Before the first of them the step is cut, and IDA begins anew
 * there. */
static const double PROPORTION = 1000;
enum { MOST_LOOKS = 1000 };

static bool fits_at(Part *part, IdaDriver *driver, double time)
{
    const double *y = nvector_at(driver->out), *error = nvector_at(driver->error);
    part_put_loops(part);
    if (IDAGetDky(driver->ida, time, 0, driver->out) != 0 ||
        IDAGetDky(driver->ida, time, 1, driver->slope) != 0 ||
        residual(time, driver->out, driver->slope, driver->error, driver) != 0 ||
        jacobian_solve(driver->jacobian, nvector_at(driver->error)) != 0)
        return true; /* no values: that is for the search of events to find */
    for (uint32_t i = 0; i < part->states.n; i++)
        if (fabs(error[i]) > PROPORTION * part_allowed(part, i, fabs(y[i])))
            return false;
    return true;
}

/* How far a step to `reached` is to be trusted. Loops stay as the step left them. */
static double trusted(Part *part, IdaDriver *driver, double reached)
{
    double h = reached - part->now, good = part->now;
    int looks = (int)fmin(h / compare_look(part->sim), MOST_LOOKS);
    if (!driver->clocked || !looks)
        return reached;
    part_note_loops(part);
    bool fits = true;
    for (int i = 1; i <= looks && fits; i++) {
        double time = part->now + h * i / (looks + 1);
        fits = fits_at(part, driver, time);
        if (fits)
            good = time;
    }
    part_put_loops(part);
    driver->evaluated = false;
    return fits ? reached : good;
}

/* At a time inside the last step, with a step that is short beside the intervals of looking. */
static bool begin_anew(Part *part, IdaDriver *driver, double time)
{
    double *y = nvector_at(driver->y), *yp = nvector_at(driver->yp);
    if (IDAGetDky(driver->ida, time, 0, driver->out) != 0)
        return false;
    memcpy(y, nvector_at(driver->out), driver->n * sizeof *y);
    part_put_loops(part);
    if (part_slopes(part, time, y, yp, nvector_at(driver->error)) != 0)
        return false;
    memset(yp + part->states.n, 0, (driver->n - part->states.n) * sizeof *yp);
    forget_counts(driver);
    return IDAReInit(driver->ida, time, driver->y, driver->yp) == 0 &&
           IDASetInitStep(driver->ida, compare_look(part->sim) / 8) == 0;
}

/* ---- step ---- */

static int solve(Part *part, IdaDriver *driver, double limit, double *reached)
{
    if (isfinite(limit) && IDASetStopTime(driver->ida, limit) != 0)
        return IDA_ILL_INPUT;
    int flag = IDASolve(driver->ida, part->now + part->sim->opt.max_step, reached, driver->y,
                        driver->yp, IDA_ONE_STEP);
    count(part->sim, driver);
    return flag;
}

/* One step, as far as it is to be trusted. */
static int solve_seeing(Part *part, IdaDriver *driver, double limit, double *reached)
{
    if (driver->cut && !begin_anew(part, driver, part->now))
        return IDA_ILL_INPUT;
    for (;;) {
        int flag = solve(part, driver, limit, reached);
        double good = flag < 0 ? *reached : trusted(part, driver, *reached);
        if (good >= *reached)
            return flag;
        driver->cut = good > part->now;
        *reached = good;
        if (driver->cut)
            return flag;
        if (!begin_anew(part, driver, part->now))
            return IDA_ILL_INPUT;
    }
}

static SolStatus ida_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    IdaDriver *driver = driver_of(part);
    realtype reached = part->now;
    driver->evaluated = false;
    driver->out_at = NAN;
    if (driver->stuck == 0)
        failure_forget(sim);
    int flag = solve_seeing(part, driver, limit, &reached);
    if (flag == IDA_LINIT_FAIL ||
        flag == IDA_MEM_FAIL) /* the first step is where GMRES allocates */
        return no_memory(sim);
    driver->flag = flag;
    if (flag < 0)
        return SOL_NUMERICS;
    /* IDA itself would go on for ever towards a pole */
    driver->stuck = reached - part->now < 16 * DBL_EPSILON * fabs(reached) ? driver->stuck + 1 : 0;
    if (driver->stuck > 20) {
        driver->flag = STUCK;
        return SOL_NUMERICS;
    }
    part->back = part->now;
    part->now = reached;
    IDAGetLastStep(driver->ida, &part->step);
    if (method_asks_radius(part))
        method_after_ida(part, part->step * jacobian_radius(driver->jacobian));
    return SOL_OK;
}

static const double *ida_unknowns(Part *part, double time)
{
    IdaDriver *driver = driver_of(part);
    if (part->back == part->now)
        return nvector_at(driver->y);
    if (driver->out_at != time) /* else they were asked for a moment ago */
        driver->out_at = IDAGetDky(driver->ida, time, 0, driver->out) == 0 ? time : NAN;
    return nvector_at(driver->out_at == time ? driver->out : driver->y);
}

static void ida_at(Part *part, double time)
{
    part_put_unknowns(part, ida_unknowns(part, time));
}

const Integrator ida_integrator = {.name = "ida",
                                   .start = ida_start,
                                   .step = ida_step,
                                   .explain = ida_explain,
                                   .at = ida_at,
                                   .unknowns = ida_unknowns,
                                   .restructured = ida_restructured,
                                   .close = ida_close,
                                   .close_all = ida_close_all};
