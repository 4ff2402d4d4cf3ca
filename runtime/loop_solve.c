/* loop_solve.c: a torn loop -> values of its variables.
 *
 * Unknowns are the tearing variables w; the steps give the other variables of the loop, the
 * residuals r(w) are to vanish. The Jacobian comes from tangents of the same codes, one sweep per
 * tearing variable.
 *
 *   linear     one factorisation with pivoting, one step, one more with the same factors for
 * rounding; factors that change at events only are kept in between. nonlinear  Newton, damped: a
 * step is halved while the residual, measured in units of the Jacobian's rows, grows. When that
 * fails the loop is deformed (Newton homotopy): r(w) = (1-s) r(w0) is solved for s from 0 to 1 with
 * steps that adapt; from the last values first, then from 0 and from 1.
 *
 * The first guess is what value[] holds: the last value, a start value, or 0. On success the
 * factors of the Jacobian at the solution stay with the node: tangents of the whole loop follow
 * from them.
 */
#include "runtime/sim_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- dense LU, row-wise, partial pivoting with scaled rows ---- */

bool loop_solve_factor(uint32_t n, double *a, uint32_t *pivot, double *smallest)
{
    *smallest = INFINITY;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t r = k + 1; r < n; r++)
            if (fabs(a[(size_t)r * n + k]) > fabs(a[(size_t)best * n + k]))
                best = r;
        pivot[k] = best;
        for (uint32_t c = 0; c < n && best != k; c++) {
            double t = a[(size_t)k * n + c];
            a[(size_t)k * n + c] = a[(size_t)best * n + c];
            a[(size_t)best * n + c] = t;
        }
        double top = a[(size_t)k * n + k];
        if (!(fabs(top) > 0) || !isfinite(top))
            return false;
        *smallest = fmin(*smallest, fabs(top));
        for (uint32_t r = k + 1; r < n; r++) {
            double factor = a[(size_t)r * n + k] /= top;
            for (uint32_t c = k + 1; c < n && factor != 0; c++)
                a[(size_t)r * n + c] -= factor * a[(size_t)k * n + c];
        }
    }
    return true;
}

void loop_solve_apply(uint32_t n, const double *a, const uint32_t *pivot, double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        double t = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = t;
        for (uint32_t r = k + 1; r < n; r++)
            b[r] -= a[(size_t)r * n + k] * b[k];
    }
    for (uint32_t r = n; r-- > 0;) {
        for (uint32_t c = r + 1; c < n; c++)
            b[r] -= a[(size_t)r * n + c] * b[c];
        b[r] /= a[(size_t)r * n + r];
    }
}

/* ---- residual and Jacobian ---- */

/* Work arrays of one call, n each; from the simulation's pool, so that nothing is allocated. */
typedef struct Work {
    double *r, *step, *old, *scale, *offset, *first;
} Work;

static Work work_of(Sim *sim, uint32_t n)
{
    if (6 * (size_t)n > sim->n_loop_work) {
        sim->n_loop_work = 12 * (size_t)n;
        sim->loop_work =
            mem_resize(sim->mem, sim->loop_work, sim->n_loop_work * sizeof *sim->loop_work);
    }
    double *at = sim->loop_work;
    return (Work){at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n};
}

static void residuals(Sim *sim, const EvalNode *node, double *r)
{
    evaluate_ops(sim, node, 0, node->n_steps, NULL);
    evaluate_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, r);
}

static void clear_tangents(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node->tears[i]] = 0;
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->tangent[node->ops[i].target] = 0;
}

/* Into node->lu by columns of tangents, and row norms into scale. */
static void jacobian(Sim *sim, const EvalNode *node, double *column, double *scale)
{
    uint32_t n = node->n_tears;
    for (uint32_t i = 0; i < n; i++)
        scale[i] = 0;
    for (uint32_t j = 0; j < n; j++) {
        sim->tangent[node->tears[j]] = 1;
        evaluate_tangent_ops(sim, node, 0, node->n_steps, NULL);
        evaluate_tangent_ops(sim, node, node->n_steps, node->n_steps + n, column);
        clear_tangents(sim, node);
        for (uint32_t i = 0; i < n; i++) {
            node->lu[(size_t)i * n + j] = column[i];
            scale[i] = fmax(scale[i], fabs(column[i]));
        }
    }
}

static bool factor(Sim *sim, EvalNode *node, Work *work)
{
    double smallest;
    jacobian(sim, node, work->step, work->scale);
    node->factored = loop_solve_factor(node->n_tears, node->lu, node->pivot, &smallest);
    return node->factored;
}

/* Residual in units of its row of the Jacobian: how far the unknowns are off. */
static double measure(const EvalNode *node, const double *r, const double *scale)
{
    double most = 0;
    for (uint32_t i = 0; i < node->n_tears; i++) {
        double size = fabs(r[i]) / (scale[i] > 0 ? scale[i] : 1);
        if (!(size <= most))
            most = size;
    }
    return most;
}

static void put_tears(Sim *sim, const EvalNode *node, const double *from, const double *step,
                      double part)
{
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->value[node->tears[i]] = from[i] - (step ? part * step[i] : 0);
}

static void get_tears(const Sim *sim, const EvalNode *node, double *to)
{
    for (uint32_t i = 0; i < node->n_tears; i++)
        to[i] = sim->value[node->tears[i]];
}

/* The step against the unknowns; what is small beside the other variables of the loop is judged by
 * these, because their rounding is what it is made of. */
static double relative_step(const Sim *sim, const EvalNode *node, const double *step,
                            const double *at)
{
    double most = 0, around = 0;
    for (uint32_t i = 0; i < node->n_steps; i++)
        around = fmax(around, fabs(sim->value[node->ops[i].target]));
    for (uint32_t i = 0; i < node->n_tears; i++)
        around = fmax(around, fabs(at[i]));
    for (uint32_t i = 0; i < node->n_tears; i++) {
        double size = fabs(step[i]) / (fabs(at[i]) + 1e-6 + 1e-6 * around);
        if (!(size <= most))
            most = size;
    }
    return most;
}

/* ---- linear ---- */

static bool solve_linear(Sim *sim, EvalNode *node, Work *work)
{
    bool keep = node->constant && node->factored;
    residuals(sim, node, work->r);
    if (!keep && !factor(sim, node, work))
        return false;
    for (int round = 0; round < 4; round++) {
        get_tears(sim, node, work->old);
        loop_solve_apply(node->n_tears, node->lu, node->pivot, work->r);
        put_tears(sim, node, work->old, work->r, 1);
        double size = relative_step(sim, node, work->r, work->old);
        residuals(sim, node, work->r);
        if (!isfinite(size))
            return false;
        if (size < 1e-14)
            break;
    }
    return true;
}

/* ---- Newton ---- */

/* One damped step of r(w) = offset; false when nothing that small a step gains anything. */
static bool damped_step(Sim *sim, EvalNode *node, Work *work, double *size)
{
    uint32_t n = node->n_tears;
    double before = measure(node, work->r, work->scale);
    memcpy(work->step, work->r, n * sizeof *work->step);
    loop_solve_apply(n, node->lu, node->pivot, work->step);
    get_tears(sim, node, work->old);
    *size = relative_step(sim, node, work->step, work->old);
    if (!isfinite(*size))
        return false;
    for (double part = 1; part > 1e-6; part /= 2) {
        put_tears(sim, node, work->old, work->step, part);
        residuals(sim, node, work->r);
        for (uint32_t i = 0; i < n; i++)
            work->r[i] -= work->offset[i];
        double after = measure(node, work->r, work->scale);
        if (isfinite(after) && (after <= before || *size < 1e-9))
            return true;
    }
    put_tears(sim, node, work->old, NULL, 0);
    return false;
}

static bool newton(Sim *sim, EvalNode *node, Work *work, int rounds)
{
    double last = INFINITY;
    residuals(sim, node, work->r);
    for (uint32_t i = 0; i < node->n_tears; i++)
        work->r[i] -= work->offset[i];
    for (int round = 0; round < rounds; round++) {
        double size;
        if (!isfinite(measure(node, work->r, work->scale)) || !factor(sim, node, work))
            return false;
        if (!damped_step(sim, node, work, &size))
            return last < 1e-9; /* at the limit of rounding nothing gets smaller any more */
        sim->counts.loop_rounds++;
        if (size < 1e-13 || (size < 1e-10 && size >= last / 4))
            return true;
        last = size;
    }
    return last < 1e-8;
}

static void no_offset(const EvalNode *node, Work *work)
{
    memset(work->offset, 0, node->n_tears * sizeof *work->offset);
}

/* Newton homotopy from the present values. */
static bool homotopy(Sim *sim, EvalNode *node, Work *work)
{
    uint32_t n = node->n_tears;
    double *first = mem_alloc(sim->mem, 2 * n * sizeof *first), *good = first + n;
    double s = 0, h = 0.1;
    residuals(sim, node, first);
    get_tears(sim, node, good);
    bool fine = isfinite(measure(node, first, work->scale));
    while (fine && s < 1 && h > 1e-6) {
        double next = fmin(1, s + h);
        for (uint32_t i = 0; i < n; i++)
            work->offset[i] = (1 - next) * first[i];
        if (newton(sim, node, work, 20)) {
            get_tears(sim, node, good);
            s = next;
            h *= 2;
        } else {
            put_tears(sim, node, good, NULL, 0);
            h /= 4;
        }
    }
    no_offset(node, work);
    mem_free(sim->mem, first);
    return fine && s >= 1 && newton(sim, node, work, 20);
}

static bool solve_nonlinear(Sim *sim, EvalNode *node, Work *work)
{
    uint32_t n = node->n_tears;
    no_offset(node, work);
    for (uint32_t i = 0; i < n; i++)
        work->scale[i] = 0;
    double *first = mem_alloc(sim->mem, n * sizeof *first);
    get_tears(sim, node, first);
    bool fine = newton(sim, node, work, 50);
    /* inside an integrator's step a smaller step is better than another solution */
    for (int attempt = 0; attempt < 4 && !fine && !sim->quiet; attempt++) {
        for (uint32_t i = 0; i < n; i++) {
            double near = first[i] + 1e-3 * (fabs(first[i]) + 1);
            sim->value[node->tears[i]] = attempt == 0   ? first[i]
                                         : attempt == 1 ? near
                                         : attempt == 2 ? 0
                                                        : 1;
        }
        fine = homotopy(sim, node, work);
    }
    if (!fine)
        put_tears(sim, node, first, NULL, 0);
    mem_free(sim->mem, first);
    return fine;
}

/* ---- the whole ---- */

static SolStatus failed(Sim *sim, const EvalNode *node, Work *work)
{
    uint32_t worst = 0;
    residuals(sim, node, work->r);
    for (uint32_t i = 1; i < node->n_tears; i++)
        if (fabs(work->r[i]) > fabs(work->r[worst]) || isnan(work->r[i]))
            worst = i;
    const EvalOp *op = &node->ops[node->n_steps + worst];
    diag_error(sim->diags, world_rel_place(sim->world, op->rel),
               "at time %.10g, %u equation%s could not be solved for %s%s: %s is off by %g",
               sim->time, node->n_steps + node->n_tears,
               node->n_steps + node->n_tears > 1 ? "s that depend on each other" : "",
               explain_var(sim, node->tears[0]), node->n_tears > 1 ? " and others" : "",
               explain_rel(sim, op->rel), work->r[worst]);
    explain_values(sim, op);
    if (!node->factored)
        diag_note(sim->diags, 0, "the Jacobian of the loop is singular there");
    return SOL_NUMERICS;
}

SolStatus loop_solve(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    Work work = work_of(sim, node->n_tears);
    bool fine = node->linear ? solve_linear(sim, node, &work) : solve_nonlinear(sim, node, &work);
    for (uint32_t i = 0; i < node->n_steps; i++) {
        sim->info[node->ops[i].target].has = true;
        sim->info[node->ops[i].target].pending = false;
    }
    for (uint32_t i = 0; i < node->n_tears; i++) {
        sim->info[node->tears[i]].has = true;
        sim->info[node->tears[i]].pending = false;
    }
    if (fine)
        return SOL_OK;
    return sim->quiet ? SOL_NUMERICS : failed(sim, node, &work);
}

/* With J the Jacobian in the tears: J dw = -(residuals' tangents with dw = 0). The residuals'
 * tangents that are left then are rounding, which long chains of steps amplify: one more round
 * takes it out. */
void loop_solve_tangent(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    Work work = work_of(sim, node->n_tears);
    double first = 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node->tears[i]] = 0;
    for (int round = 0; round < 4; round++) {
        evaluate_tangent_ops(sim, node, 0, node->n_steps, NULL);
        evaluate_tangent_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, work.r);
        double left = 0;
        for (uint32_t i = 0; i < node->n_tears; i++)
            left = fmax(left, fabs(work.r[i]));
        if (!node->factored || left <= 1e-15 * first || left == 0)
            return;
        if (round == 3)
            return;
        first = fmax(first, left);
        loop_solve_apply(node->n_tears, node->lu, node->pivot, work.r);
        for (uint32_t i = 0; i < node->n_tears; i++)
            sim->tangent[node->tears[i]] -= work.r[i];
    }
}
