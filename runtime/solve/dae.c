/* dae.c: one part of the dynamics -> its trajectory by IDA, as one index-1 system (dae_plan.h).
 *
 * Constraints stay equations of the system, so which of its variables are states of the graph does not matter to it: where the graph
 * selects others it goes on as it was. Values at a time are those that the graph makes of its states, which come from here; so what is
 * shown satisfies all constraints, and an event begins with consistent values as it does with any other integrator.
 *
 * Errors are those of what appears differentiated. Integrals of multipliers have no size of their own: they count for nothing, neither there nor where
 * Newton's iteration ends.
 */
#include "numerics/nvector.h"
#include "runtime/eval/compare.h"
#include "runtime/solve/dae_system.h"
#include "runtime/solve/direct_solver.h"
#include "runtime/solve/integrators.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <string.h>

struct DaeDriver {
    Sim *sim;
    struct DaeDriver *next; /* in SimSolve.dae_left */
    bool used;              /* by the rule of `auto`, or because it was asked for */
    bool stale;             /* the part has another structure than the plan */
    DaePlan *plan;          /* NULL: it has no such form */
    DaeSystem *system;
    /* Of the part as it is now, where the graph selected other states since the integration began; NULL: that of the integration. */
    DaePlan *seen_plan;
    DaeSystem *seen;
    uint64_t relations; /* that were entered and removed when the plan was made */
    DirectSolver solver;
    void *ida;
    VectorSpace *space;
    N_Vector y, slope, id, out, out_slope;
    VEC(double) state; /* of the graph */
    uint32_t n;
    double reached; /* time of IDA's last step; NAN: none since it began */
    int flag, stuck;
    long failures, newton; /* of IDA, as counted so far */
};
typedef struct DaeDriver DaeDriver;

static DaeDriver *driver_of(const Part *part)
{
    return part->driver[PART_DAE];
}

/* ---- callbacks ---- */

static int residual(realtype time, N_Vector y, N_Vector slope, N_Vector out, void *context)
{
    DaeDriver *d = context;
    return dae_system_residual(d->system, time, nvector_at(y), nvector_at(slope), nvector_at(out));
}

static int jacobian(realtype time, realtype cj, N_Vector y, N_Vector slope, N_Vector r,
                    SUNMatrix matrix, void *context, N_Vector t1, N_Vector t2, N_Vector t3)
{
    DaeDriver *d = context;
    (void)r, (void)matrix, (void)t1, (void)t2, (void)t3;
    return dae_system_jacobian(d->system, time, cj, nvector_at(y), nvector_at(slope));
}

static int factor_any(void *driver)
{
    return dae_system_factor(((DaeDriver *)driver)->system);
}

static int solve_any(void *driver, double *b)
{
    return dae_system_solve(((DaeDriver *)driver)->system, b);
}

static const double NOTHING = 1e-20;

static bool has_size(const DaePlan *plan, uint32_t c)
{
    return plan->column.at[c] && plan->vars.at[plan->column.at[c]].role != DAE_MULTIPLIER;
}

/* The error that is allowed of an unknown that has a size. */
static double allowed(const DaeDriver *d, uint32_t c, double value)
{
    const SolOptions *opt = &d->sim->opt;
    double nominal = d->plan->vars.at[d->plan->column.at[c]].nominal;
    return opt->rtol * fabs(value) + opt->atol * nominal;
}

/* Where constraints bind coordinates their errors do not cancel over a turn (integrate.c): less is allowed of all unknowns of such a part. */
static const double BOUND_SHARE = 1. / 32;

static int weights(N_Vector y, N_Vector out, void *context)
{
    DaeDriver *d = context;
    double share = d->plan->n_constraints ? BOUND_SHARE : 1;
    for (uint32_t c = 0; c < d->n; c++)
        nvector_at(out)[c] =
            has_size(d->plan, c) ? 1 / (share * allowed(d, c, nvector_at(y)[c])) : NOTHING;
    return 0;
}

static void be_silent(int code, const char *module, const char *function, char *text, void *context)
{
    (void)code, (void)module, (void)function, (void)text, (void)context;
}

/* ---- life ---- */

static void close_seen(DaeDriver *d)
{
    dae_system_close(d->seen);
    dae_plan_close(d->sim, d->seen_plan);
    d->seen = NULL;
    d->seen_plan = NULL;
}

static void close_ida(DaeDriver *d)
{
    N_Vector *const vectors[] = {&d->y, &d->slope, &d->id, &d->out, &d->out_slope};
    if (d->ida)
        IDAFree(&d->ida);
    for (uint32_t i = 0; i < 5; i++) {
        if (*vectors[i])
            N_VDestroy(*vectors[i]);
        *vectors[i] = NULL;
    }
    nvector_close(d->space);
    d->space = NULL;
    close_seen(d);
    dae_system_close(d->system);
    dae_plan_close(d->sim, d->plan);
    d->system = NULL;
    d->plan = NULL;
}

/* What the summary tells. */
static void count_form(const DaeDriver *d, int change)
{
    SimForms *forms = &d->sim->counts.forms;
    if (!d->plan || !d->used)
        return;
    forms->parts += (uint32_t)change;
    forms->equations += (uint32_t)change * d->n;
    forms->constraints += (uint32_t)change * d->plan->n_constraints;
    forms->nonzeros += (uint32_t)change * dae_system_nonzeros(d->system);
}

static void free_driver(DaeDriver *d)
{
    Mem *mem = d->sim->mem;
    close_ida(d);
    vec_free(mem, &d->state);
    mem_free(mem, d);
}

static void forget_left(Sim *sim)
{
    while (sim->solve.dae_left) {
        DaeDriver *d = sim->solve.dae_left;
        sim->solve.dae_left = d->next;
        free_driver(d);
    }
}

/* A part whose states are no more: where the graph selected others, the part that has these goes on with what it left. */
static void dae_close(Part *part)
{
    DaeDriver *d = driver_of(part);
    Sim *sim = part->sim;
    count_form(d, -1);
    part->driver[PART_DAE] = NULL;
    if (sim->solve.dae_left && sim->solve.dae_left->reached != d->reached)
        forget_left(sim);
    if (!d->ida || !(d->reached == sim->time)) {
        free_driver(d);
        return;
    }
    close_seen(d);
    d->next = sim->solve.dae_left;
    sim->solve.dae_left = d;
}

static void dae_restructured(Part *part)
{
    driver_of(part)->stale = true;
}

static SolStatus no_memory(Sim *sim)
{
    diag_error(sim->diags, 0, "out of memory for the integrator at time %.10g", sim->time);
    return SOL_MEMORY;
}

static bool open_vectors(Sim *sim, DaeDriver *d)
{
    SUNContext context = sim->solve.sun;
    if (!context && SUNContext_Create(NULL, &context) != 0)
        return false;
    sim->solve.sun = context;
    d->space = nvector_open(sim->mem, context, d->n);
    nvector_set_length(d->space, d->n);
    d->y = nvector_new(d->space);
    d->slope = nvector_new(d->space);
    d->id = nvector_new(d->space);
    d->out = nvector_new(d->space);
    d->out_slope = nvector_new(d->space);
    return d->y && d->slope && d->id && d->out && d->out_slope;
}

/* What follows the clock may have a pulse between the ends of a long step. */
static double longest_step(Part *part)
{
    double most = part->sim->opt.max_step;
    return part_follows_clock(part) ? fmin(most, compare_look(part->sim)) : most;
}

static bool open_ida(Sim *sim, Part *part, DaeDriver *d)
{
    d->ida = IDACreate(sim->solve.sun);
    if (!d->ida || IDASetErrHandlerFn(d->ida, be_silent, NULL) != 0 ||
        IDAInit(d->ida, residual, part->now, d->y, d->slope) != 0)
        return false;
    for (uint32_t c = 0; c < d->n; c++)
        nvector_at(d->id)[c] =
            has_size(d->plan, c) && d->plan->vars.at[d->plan->column.at[c]].role == DAE_STATE;
    d->solver = (DirectSolver){.owner = d, .n = d->n, .factor = factor_any, .solve = solve_any};
    return IDASetUserData(d->ida, d) == 0 && IDAWFtolerances(d->ida, weights) == 0 &&
           IDASetId(d->ida, d->id) == 0 && IDASetSuppressAlg(d->ida, SUNTRUE) == 0 &&
           IDASetMaxOrd(d->ida, (int)sim->opt.max_order) == 0 &&
           IDASetMaxStep(d->ida, longest_step(part)) == 0 &&
           IDASetLinearSolver(d->ida, direct_solver(&d->solver, sim->solve.sun),
                              direct_matrix(&d->solver, sim->solve.sun)) == 0 &&
           IDASetJacFn(d->ida, jacobian) == 0;
}

/* ---- whether, and by which plan ---- */

/* `auto`: constraints are left that are no assignments, and the matrix has fewer entries than the square of the states that the
 * graph has. */
static bool suits(const Part *part, const DaeDriver *d)
{
    uint64_t states = part->states.n;
    return d->plan->n_constraints && dae_system_nonzeros(d->system) < states * states;
}

static uint64_t relations_so_far(const Sim *sim)
{
    DdpCounts counts = ddp_counts(sim->ddp);
    return counts.entered + counts.removed;
}

static bool describes(const DaeDriver *d, const DaePlan *plan)
{
    return d->ida && d->relations == relations_so_far(d->sim) && dae_plan_same(d->plan, plan);
}

/* What a part left that had this plan, but for the states of the graph; NULL: nobody did. */
static DaeDriver *take_left(Sim *sim, const DaePlan *plan)
{
    for (DaeDriver **link = &sim->solve.dae_left; *link; link = &(*link)->next) {
        DaeDriver *d = *link;
        if (!describes(d, plan))
            continue;
        *link = d->next;
        return d;
    }
    return NULL;
}

static DaeDriver *new_driver(Sim *sim)
{
    DaeDriver *d = mem_alloc(sim->mem, sizeof *d);
    *d = (DaeDriver){.sim = sim, .reached = NAN};
    return d;
}

/* Where the graph only selected other states the integration goes on with the system it has. */
static void renew_plan(Part *part)
{
    Sim *sim = part->sim;
    DaePlan *plan = dae_plan_open(part, sim->opt.form != SOL_FORM_WHOLE);
    DaeSystem *system = plan ? dae_system_open(sim, plan) : NULL;
    DaeDriver *d = driver_of(part);
    bool left = false;
    if (!d && plan && (d = take_left(sim, plan)) != NULL)
        left = true;
    if (!d)
        d = new_driver(sim);
    part->driver[PART_DAE] = d;
    d->stale = false;
    close_seen(d);
    if (left || (plan && describes(d, plan))) {
        d->seen_plan = plan;
        d->seen = system;
        if (left)
            count_form(d, 1);
        return;
    }
    count_form(d, -1);
    close_ida(d);
    d->plan = plan;
    d->system = system;
    d->relations = relations_so_far(sim);
    if (!plan)
        return;
    d->n = plan->n;
    d->used = sim->opt.form != SOL_FORM_AUTO || suits(part, d);
    count_form(d, 1);
}

bool dae_wanted(Part *part)
{
    if (part->sim->opt.form == SOL_FORM_ODE)
        return false;
    if (!driver_of(part) || driver_of(part)->stale)
        renew_plan(part);
    return driver_of(part)->plan && driver_of(part)->used;
}

/* ---- start ---- */

/* Where the graph selects other states, some of those it had moved several times as much as the others: so do errors. */
static const double APART = 100;

/* Has nothing happened to the trajectory where the last step ended: unknowns and slopes are what they were? */
static bool goes_on(Part *part, DaeDriver *d)
{
    const double *y = nvector_at(d->out), *slope = nvector_at(d->out_slope);
    realtype h = 0;
    if (!d->ida || d->reached != part->now || !dae_system_undisturbed(d->system) ||
        IDAGetCurrentStep(d->ida, &h) != 0)
        return false;
    for (uint32_t c = 0; c < d->n; c++) {
        if (!has_size(d->plan, c))
            continue;
        double most = APART * allowed(d, c, y[c]);
        if (fabs(y[c] - nvector_at(d->y)[c]) > most ||
            (nvector_at(d->id)[c] != 0 && h * fabs(slope[c] - nvector_at(d->slope)[c]) > most))
            return false;
    }
    return true;
}

/* The integration begins anew: with what the part is now. */
static void use_seen(DaeDriver *d)
{
    if (!d->seen)
        return;
    count_form(d, -1);
    dae_system_close(d->system);
    dae_plan_close(d->sim, d->plan);
    d->system = d->seen;
    d->plan = d->seen_plan;
    d->seen = NULL;
    d->seen_plan = NULL;
    count_form(d, 1);
}

static bool begin(Part *part, DaeDriver *d)
{
    memcpy(nvector_at(d->y), nvector_at(d->out), d->n * sizeof(double));
    memcpy(nvector_at(d->slope), nvector_at(d->out_slope), d->n * sizeof(double));
    d->failures = d->newton = 0;
    d->reached = NAN;
    return d->ida ? IDAReInit(d->ida, part->now, d->y, d->slope) == 0 &&
                        IDASetMaxStep(d->ida, longest_step(part)) == 0
                  : open_ida(part->sim, part, d);
}

static SolStatus dae_start(Part *part)
{
    Sim *sim = part->sim;
    DaeDriver *d = driver_of(part);
    part_evaluate(part, part->now, NULL);
    vec_reserve(sim->mem, &d->state, part->states.n + 1);
    if (!d->space && !open_vectors(sim, d))
        return no_memory(sim);
    dae_system_present(d->seen ? d->seen : d->system, nvector_at(d->out), nvector_at(d->out_slope));
    if (goes_on(part, d)) {
        if (d->seen)
            dae_system_begin(d->seen);
        sim->counts.restarts--; /* it is none */
        return SOL_OK;
    }
    use_seen(d);
    dae_system_begin(d->system);
    return begin(part, d) ? SOL_OK : no_memory(sim);
}

/* ---- steps ---- */

static void count(Sim *sim, DaeDriver *d)
{
    long failures = 0, newton = 0;
    IDAGetNumErrTestFails(d->ida, &failures);
    IDAGetNumNonlinSolvIters(d->ida, &newton);
    sim->counts.error_failures += (uint64_t)(failures - d->failures);
    sim->counts.newton += (uint64_t)(newton - d->newton);
    d->failures = failures;
    d->newton = newton;
}

enum { MOST_STUCK = 20 };

static SolStatus dae_step(Part *part, double limit)
{
    Sim *sim = part->sim;
    DaeDriver *d = driver_of(part);
    realtype reached = part->now;
    failure_forget(sim);
    if (isfinite(limit) && IDASetStopTime(d->ida, limit) != 0)
        return SOL_NUMERICS;
    d->flag =
        IDASolve(d->ida, part->now + sim->opt.max_step, &reached, d->y, d->slope, IDA_ONE_STEP);
    count(sim, d);
    if (d->flag < 0)
        return SOL_NUMERICS;
    d->stuck = reached - part->now < 16 * DBL_EPSILON * fabs(reached) ? d->stuck + 1 : 0;
    if (d->stuck > MOST_STUCK)
        return SOL_NUMERICS;
    part->back = part->now;
    part->now = d->reached = reached;
    IDAGetLastStep(d->ida, &part->step);
    return SOL_OK;
}

static SolStatus dae_explain(Part *part)
{
    Sim *sim = part->sim;
    DaeDriver *d = driver_of(part);
    realtype h = 0;
    if (cancel_broke_off(sim))
        return SOL_CANCELLED;
    IDAGetCurrentStep(d->ida, &h);
    diag_error(
        sim->diags, 0,
        "at time %.10g the integration of %u equations in dae form failed with steps of %.3g: %s",
        part->now, d->n, h,
        d->stuck > MOST_STUCK ? "steps have become as short as rounding"
                              : IDAGetReturnFlagName(d->flag));
    failure_in_nodes(sim, part_dynamics(part));
    failure_tell(sim);
    return SOL_NUMERICS;
}

static void dae_at(Part *part, double time)
{
    DaeDriver *d = driver_of(part);
    const double *y = nvector_at(d->y), *slope = nvector_at(d->slope);
    if (time != part->now && IDAGetDky(d->ida, time, 0, d->out) == 0 &&
        IDAGetDky(d->ida, time, 1, d->out_slope) == 0) {
        y = nvector_at(d->out);
        slope = nvector_at(d->out_slope);
    }
    dae_system_states(d->seen ? d->seen : d->system, time, y, slope, d->state.at);
    for (uint32_t i = 0; i < part->states.n; i++)
        part->sim->value[part->states.at[i].var] = d->state.at[i];
}

static const double *dae_unknowns(Part *part, double time)
{
    dae_at(part, time);
    return NULL;
}

const Integrator dae_integrator = {.name = "dae",
                                   .start = dae_start,
                                   .step = dae_step,
                                   .explain = dae_explain,
                                   .at = dae_at,
                                   .unknowns = dae_unknowns,
                                   .restructured = dae_restructured,
                                   .close = dae_close,
                                   .close_all = forget_left};
