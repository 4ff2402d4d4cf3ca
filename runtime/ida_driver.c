/* ida_driver.c: one part of the dynamics -> its trajectory by IDA, step by step.
 *
 * y = [states, tearing variables of outer loops], F = [y' - slope, residuals]. What else dynamics
 * computes are assignments inside the residual. Consistent values at the start come from
 * evaluation, so IDACalcIC is not needed; tearing variables stay out of the error test. IDA's
 * memory is kept as long as the part has the same unknowns: a restart is then an IDAReInit.
 */
#include "runtime/jacobian.h"
#include "runtime/nvector.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <string.h>

enum { DENSE_UP_TO = 40, STUCK = -1000 };

struct IdaDriver {
    Part *part;
    uint32_t n;
    void *ida;
    N_Vector y, yp, id, out;
    Jacobian *jacobian;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    int stuck;                   /* steps in a row that were no longer than rounding */
    long error_failures, newton; /* of IDA since its last start, as counted so far */
};
typedef struct IdaDriver IdaDriver;

/* ---- callbacks ---- */

static void put_unknowns(Part *part, const IdaDriver *driver, N_Vector y)
{
    Sim *sim = part->sim;
    const double *from = nvector_at(y);
    uint32_t at = 0;
    (void)driver;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->value[part->states.at[i].var] = from[at++];
    for (uint32_t k = 0; k < part->loops.n; k++) {
        const EvalNode *node = &sim->nodes.at[part->loops.at[k]];
        for (uint32_t i = 0; i < node->n_tears; i++)
            sim->value[node->tears[i]] = from[at++];
    }
}

static int residual(realtype time, N_Vector y, N_Vector yp, N_Vector r, void *context)
{
    IdaDriver *driver = context;
    Part *part = driver->part;
    double *out = nvector_at(r);
    const double *slope = nvector_at(yp);
    put_unknowns(part, driver, y);
    if (part_evaluate(part, time, out + part->states.n) != 0)
        return 1;
    for (uint32_t i = 0; i < part->states.n; i++)
        out[i] = slope[i] - part->sim->value[part->states.at[i].slope];
    for (uint32_t i = 0; i < driver->n; i++)
        if (!isfinite(out[i]))
            return 1;
    return 0;
}

static int jacobian(realtype time, realtype cj, N_Vector y, N_Vector yp, N_Vector r,
                    SUNMatrix matrix, void *context, N_Vector t1, N_Vector t2, N_Vector t3)
{
    IdaDriver *driver = context;
    (void)yp, (void)r, (void)matrix, (void)t1, (void)t2, (void)t3;
    put_unknowns(driver->part, driver, y);
    return jacobian_evaluate(driver->jacobian, time, cj);
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
    for (uint32_t i = 0; i < driver->n; i++)
        weight[i] = 1 / (opt->rtol * fabs(at[i]) + opt->atol);
    for (uint32_t i = part->states.n; i < driver->n; i++)
        weight[i] = fmax(weight[i], jacobian_effect(driver->jacobian, i, weight));
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
    jacobian_close(driver->jacobian);
    mem_free(mem, driver);
}

void ida_driver_close(Part *part)
{
    if (part->ida)
        free_driver(part->sim->mem, part->ida);
    part->ida = NULL;
}

void ida_driver_close_all(Sim *sim)
{
    SUNContext context = sim->sun;
    if (context)
        SUNContext_Free(&context);
    sim->sun = NULL;
}

static SolStatus no_memory(Sim *sim)
{
    diag_error(sim->diags, 0, "out of memory for the integrator at time %.10g", sim->time);
    return SOL_MEMORY;
}

static bool wants_sparse(const Part *part)
{
    SolLinear linear = part->sim->opt.linear;
    return linear == SOL_LINEAR_KLU || (linear != SOL_LINEAR_DENSE && part->n > DENSE_UP_TO);
}

static bool open_vectors(Sim *sim, IdaDriver *driver)
{
    if (!sim->sun) {
        SUNContext context;
        if (SUNContext_Create(NULL, &context) != 0)
            return false;
        sim->sun = context;
    }
    driver->y = nvector_new(sim->mem, sim->sun, driver->n);
    driver->yp = nvector_new(sim->mem, sim->sun, driver->n);
    driver->id = nvector_new(sim->mem, sim->sun, driver->n);
    driver->out = nvector_new(sim->mem, sim->sun, driver->n);
    return driver->y && driver->yp && driver->id && driver->out;
}

static bool open_ida(Sim *sim, Part *part, IdaDriver *driver)
{
    driver->ida = IDACreate(sim->sun);
    if (!driver->ida || IDAInit(driver->ida, residual, sim->time, driver->y, driver->yp) != 0)
        return false;
    for (uint32_t i = 0; i < driver->n; i++)
        nvector_at(driver->id)[i] = i < part->states.n;
    driver->jacobian = jacobian_open(part, wants_sparse(part));
    driver->matrix = jacobian_matrix(driver->jacobian, sim->sun);
    driver->solver = jacobian_solver(driver->jacobian, sim->sun);
    return driver->matrix && driver->solver &&
           IDASetErrHandlerFn(driver->ida, be_silent, NULL) == 0 &&
           IDASetUserData(driver->ida, driver) == 0 && IDAWFtolerances(driver->ida, weights) == 0 &&
           IDASetId(driver->ida, driver->id) == 0 && IDASetSuppressAlg(driver->ida, SUNTRUE) == 0 &&
           IDASetMaxOrd(driver->ida, (int)sim->opt.max_order) == 0 &&
           IDASetMaxStep(driver->ida, sim->opt.max_step) == 0 &&
           IDASetLinearSolver(driver->ida, driver->solver, driver->matrix) == 0 &&
           IDASetJacFn(driver->ida, jacobian) == 0;
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
 * tangents along the solution gives. */
static double first_step(Part *part)
{
    Sim *sim = part->sim;
    double sum = 0;
    sim->tangent[sim->clock] = 1;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->tangent[part->states.at[i].var] = sim->value[part->states.at[i].slope];
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        evaluate_tangent_node(sim, part->dynamics.at[i]);
    for (uint32_t i = 0; i < part->states.n; i++) {
        double y = sim->value[part->states.at[i].var];
        double second = sim->tangent[part->states.at[i].slope];
        double size = second / (sim->opt.rtol * fabs(y) + sim->opt.atol);
        sum += size * size;
    }
    sim->tangent[sim->clock] = 0;
    for (uint32_t i = 0; i < part->states.n; i++)
        sim->tangent[part->states.at[i].var] = 0;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        evaluate_clear_tangents(sim, part->dynamics.at[i]);
    double norm = sqrt(sum / part->states.n);
    double h = norm > 0 && isfinite(norm) ? sqrt(0.5 / norm) : sim->opt.max_step;
    return fmin(h, sim->opt.max_step);
}

SolStatus ida_driver_start(Part *part)
{
    Sim *sim = part->sim;
    IdaDriver *driver = part->ida;
    bool fine;
    if (driver && (driver->n != part->n || driver->part != part)) {
        ida_driver_close(part);
        driver = NULL;
    }
    if (driver) {
        get_unknowns(part, driver);
        fine = IDAReInit(driver->ida, sim->time, driver->y, driver->yp) == 0;
    } else {
        driver = part->ida = mem_alloc(sim->mem, sizeof *driver);
        driver->part = part;
        driver->n = part->n;
        fine = open_vectors(sim, driver);
        if (fine)
            get_unknowns(part, driver);
        fine = fine && open_ida(sim, part, driver);
    }
    driver->newton = driver->error_failures = 0;
    if (!fine)
        return no_memory(sim);
    IDASetInitStep(driver->ida, first_step(part));
    return SOL_OK;
}

/* ---- step ---- */

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

static SolStatus failed(Part *part, IdaDriver *driver, int flag)
{
    Sim *sim = part->sim;
    realtype h = 0;
    IDAGetCurrentStep(driver->ida, &h);
    uint32_t i = worst_unknown(driver);
    DdpVar var = part_unknown(part, i);
    sim->time = part->now;
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    diag_error(sim->diags, view.at, "at time %.10g the integration failed with steps of %.3g: %s",
               part->now, h, reason_of(flag));
    DdpNode node =
        i < part->states.n ? sim->info[part->states.at[i].slope].node : sim->info[var].node;
    diag_note(sim->diags, view.at, "%s = %.10g changes fastest there", explain_var(sim, var),
              sim->value[var]);
    if (node)
        diag_note(sim->diags, world_rel_place(sim->world, sim->nodes.at[node].ops[0].rel),
                  "its equation: %s", explain_rel(sim, sim->nodes.at[node].ops[0].rel));
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

SolStatus ida_driver_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    IdaDriver *driver = part->ida;
    realtype reached = part->now;
    if (isfinite(limit) && IDASetStopTime(driver->ida, limit) != 0)
        return failed(part, driver, IDA_ILL_INPUT);
    int flag = IDASolve(driver->ida, part->now + sim->opt.max_step, &reached, driver->y, driver->yp,
                        IDA_ONE_STEP);
    count(sim, driver);
    if (flag < 0)
        return failed(part, driver, flag);
    /* IDA itself would go on for ever towards a pole */
    driver->stuck = reached - part->now < 16 * DBL_EPSILON * fabs(reached) ? driver->stuck + 1 : 0;
    if (driver->stuck > 20)
        return failed(part, driver, STUCK);
    part->back = part->now;
    part->now = reached;
    IDAGetLastStep(driver->ida, &part->step);
    return SOL_OK;
}

void ida_driver_at(Part *part, double time)
{
    IdaDriver *driver = part->ida;
    if (part->back == part->now || IDAGetDky(driver->ida, time, 0, driver->out) != 0)
        put_unknowns(part, driver, driver->y);
    else
        put_unknowns(part, driver, driver->out);
}
