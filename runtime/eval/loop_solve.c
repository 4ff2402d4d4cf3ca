/* loop_solve.c: a loop -> values of its variables.
 *
 * A loop has two forms. *Torn*: unknowns are the tearing variables w; the steps give the other
 * variables, the residuals r(w) are to vanish; a small dense matrix, one sweep of tangents for each
 * tearing variable. *Whole* (loop_whole.c): all variables but copies of others are unknowns, a sparse matrix. Loops of
 * more than LOOP_TORN tearing variables are solved whole, and those that the DDP hands over so; so
 * are, from then on, those whose steps turn out to amplify rounding so much that refinement does
 * not get rid of it. A solution counts only if it satisfies the relations: its violation
 * (loop_check.h) is taken after each one. Beyond HOLDS the loop is solved whole, then with the
 * largest pivots; beyond REFUSED there is none.
 *
 *   linear     one factorisation with pivoting, and steps with the same factors until rounding is
 *              all that is left; factors that change at events only are kept in between.
 *   nonlinear  Newton, damped: a step is halved while the residual, measured in units of the
 *              Jacobian's rows, grows. When that fails the loop is deformed (Newton homotopy):
 *              r(w) = (1-s) r(w0) is solved for s from 0 to 1 with steps that adapt; from the last
 *              values first, then from others.
 *
 * The first guess is what value[] holds: the last value, a start value, or 0. On success the
 * factors of the Jacobian at the solution stay with the node: tangents of the whole loop follow
 * from them.
 */
#include "numerics/dense_lu.h"
#include "numerics/scale.h"
#include "runtime/eval/loop_system.h"
#include "runtime/eval/loop_check.h"
#include "runtime/eval/loop_code.h"
#include "runtime/eval/loop_explain.h"
#include "runtime/eval/loop_factors.h"
#include "runtime/eval/loop_rank.h"
#include "runtime/eval/loop_whole.h"
#include "runtime/eval/redundant.h"
#include "runtime/eval/rounding.h"
#include "runtime/eval/trace.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- residual and Jacobian ---- */

/* Room for both forms: three sets of values to come back to, then the arrays of a System. */
static double *work_of(Sim *sim, const EvalNode *node)
{
    size_t need = 8 * (size_t)(node->n_steps + node->n_tears);
    if (need > sim->eval.n_loop) {
        sim->eval.n_loop = 2 * need;
        sim->eval.loop =
            mem_resize(sim->mem, sim->eval.loop, sim->eval.n_loop * sizeof *sim->eval.loop);
    }
    return sim->eval.loop;
}

/* Violations that rounding explains, and those that no solution has. Of a nonlinear loop near a
 * point where derivatives vanish, digits are lost that nothing brings back. */
static const double HOLDS = 1e-11, REFUSED = 1e-9, REFUSED_NONLINEAR = 1e-6;

static void residuals(const System *s, double *r);
static bool newton(System *s, int rounds);
static bool factor(System *s);
static void apply(System *s, double *b);

static System system_of(Sim *sim, EvalNode *node)
{
    if (loop_keep_must_be_whole(node))
        node->untorn = true;
    if (node->untorn && !node_loop(node)->whole)
        node_loop(node)->whole = loop_whole_return(sim, node);
    LoopWhole *whole = node->untorn ? node_loop(node)->whole : NULL;
    uint32_t n = whole ? loop_whole_size(whole) : node->n_tears;
    double *at = work_of(sim, node) + 3 * (size_t)(node->n_steps + node->n_tears);
    return (System){.sim = sim,
                    .node = node,
                    .whole = whole,
                    .n = n,
                    .unknown = whole ? loop_whole_unknowns(whole) : node_tears(node),
                    .r = at,
                    .step = at + n,
                    .old = at + 2 * n,
                    .scale = at + 3 * n,
                    .offset = at + 4 * n,
                    .newton = newton,
                    .residuals = residuals,
                    .factor = factor,
                    .apply = apply,
                    .steady = true};
}

static void residuals(const System *s, double *r)
{
    if (s->whole)
        loop_whole_residuals(s->sim, s->whole, r);
    else
        loop_code_values(s->sim, s->node, r);
}

static void clear_tangents(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node_tears(node)[i]] = 0;
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->tangent[node->ops[i].target] = 0;
}

/* Torn: into node_lu() by columns of tangents, and row norms into scale. */
static void jacobian(Sim *sim, EvalNode *node, double *column, double *scale)
{
    uint32_t n = node->n_tears;
    for (uint32_t i = 0; i < n; i++)
        scale[i] = 0;
    for (uint32_t j = 0; j < n; j++) {
        sim->tangent[node_tears(node)[j]] = 1;
        loop_code_tangents(sim, node, column);
        clear_tangents(sim, node);
        for (uint32_t i = 0; i < n; i++) {
            node_lu(node)[(size_t)i * n + j] = column[i];
            scale[i] = fmax(scale[i], fabs(column[i]));
        }
    }
}

/* While the structure may still change: equations that say nothing new at this point, and so do not determine it. */
static bool says_nothing_new(Sim *sim, const EvalNode *node)
{
    if (loop_solve_may_combine(sim) && redundant_loop(sim, node))
        loop_solve_note_combined(sim, true);
    return sim->eval.combining && sim->eval.combined;
}

/* Is it regular by rounding of its factors alone? Factors that vary are known as well as what they depend on, and near a dead
 * point that is no reason: there it counts if equations were found that say nothing new. */
static bool is_rounding_alone(const System *s)
{
    if (s->whole ? !loop_factors_lose_digits(s->whole, LOOP_RANK_LOST)
                 : !loop_rank_torn_loses_digits(s->sim, s->node))
        return false;
    double left = loop_rank_distance(s->sim, s->node);
    trace_line(s->sim, 'e', sim_clock(s->sim), "  loop of %u relations: singular within %.1e",
               s->node->n_steps + s->node->n_tears, left);
    if (s->node->constant)
        return left <= LOOP_RANK_GIVEN;
    return left <= LOOP_RANK_VARYING && says_nothing_new(s->sim, s->node);
}

static bool factor(System *s)
{
    if (s->whole) {
        s->node->factored = loop_whole_factor(s->sim, s->whole, s->scale);
    } else {
        jacobian(s->sim, s->node, s->step, s->scale);
        s->node->factored = dense_lu_factor(s->n, node_lu(s->node), node_pivot(s->node)) &&
                            !(s->node->linear && dense_lu_singular(s->n, node_lu(s->node),
                                                                   node_pivot(s->node), s->step));
    }
    if (s->node->factored && s->node->linear && loop_solve_may_combine(s->sim))
        s->node->factored = !is_rounding_alone(s);
    return s->node->factored;
}

static void apply(System *s, double *b)
{
    if (s->whole)
        loop_whole_apply(s->sim, s->whole, b);
    else
        dense_lu_solve(s->n, node_lu(s->node), node_pivot(s->node), b);
}

/* The largest variable of the loop: rounding of the others is made of it. */
static double around(const System *s)
{
    double most = 0;
    for (uint32_t i = 0; i < s->node->n_steps && !s->whole; i++)
        most = larger(most, fabs(s->sim->value[s->node->ops[i].target]));
    for (uint32_t i = 0; i < s->n; i++)
        most = larger(most, fabs(s->sim->value[s->unknown[i]]));
    return most;
}

/* The step against the unknowns; what is small beside the other variables of the loop is judged by
 * these, of which `largest` is the largest. */
static double relative_step(const System *s, const double *step, const double *at, double largest)
{
    double most = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double floor = 1e-6 * world_var_nominal(s->sim->world, s->unknown[i]) + 1e-6 * largest;
        double size = fabs(step[i]) / (fabs(at[i]) + floor);
        if (!(size <= most))
            most = size;
    }
    return most;
}

/* Is the last step of a refinement no more than rounding that has hardly grown? */
static bool is_rounding(const System *s, const double *step, const double *at, double largest)
{
    double floor = 1e-14 * largest + 1e-18;
    for (uint32_t i = 0; i < s->n; i++)
        if (!(fabs(step[i]) <= 1e-11 * fabs(at[i]) + floor))
            return false;
    return true;
}

/* ---- linear ---- */

/* A second step is rounding of the first, a third that of the second. Steps that do not shrink by
 * orders of magnitude each time show that rounding grows on the way: refinement ends, if at all,
 * with few digits. */
static bool solve_linear(System *s)
{
    bool keep = s->node->constant && s->node->factored;
    double size = INFINITY, last;
    residuals(s, s->r);
    if (!keep && !factor(s))
        return false;
    for (int round = 0; round < 6 && !(size < 1e-14); round++) {
        loop_system_get_unknowns(s, s->old);
        apply(s, s->r);
        loop_system_put_unknowns(s, s->old, s->r, 1);
        last = size;
        double largest = around(s);
        size = relative_step(s, s->r, s->old, largest);
        s->steady = is_rounding(s, s->r, s->old, largest);
        residuals(s, s->r);
        if (!isfinite(size))
            return false;
        if (round > 0 && size > last / 100)
            break;
    }
    return true;
}

/* ---- Newton ---- */

/* One damped step of r(w) = offset; false when nothing that small a step gains anything. */
static bool damped_step(System *s, double *size)
{
    double before = loop_system_measure(s, s->r);
    memcpy(s->step, s->r, s->n * sizeof *s->step);
    apply(s, s->step);
    loop_system_get_unknowns(s, s->old);
    *size = relative_step(s, s->step, s->old, around(s));
    if (!isfinite(*size))
        return false;
    for (double part = 1; part > 1e-6; part /= 2) {
        loop_system_put_unknowns(s, s->old, s->step, part);
        residuals(s, s->r);
        for (uint32_t i = 0; i < s->n; i++)
            s->r[i] -= s->offset[i];
        double after = loop_system_measure(s, s->r);
        if (isfinite(after) && (after <= before || *size < 1e-9))
            return true;
    }
    loop_system_put_unknowns(s, s->old, NULL, 0);
    residuals(s, s->r); /* and the steps, as they were */
    return false;
}

static bool newton(System *s, int rounds)
{
    double last = INFINITY;
    residuals(s, s->r);
    for (uint32_t i = 0; i < s->n; i++)
        s->r[i] -= s->offset[i];
    for (int round = 0; round < rounds; round++) {
        double size;
        if (cancel_break_off(s->sim) || !isfinite(loop_system_measure(s, s->r)) || !factor(s))
            return false;
        if (!damped_step(s, &size)) {
            s->steady = false;
            return last < 1e-9; /* at the limit of rounding nothing gets smaller any more */
        }
        s->sim->counts.loop_rounds++;
        if (size < 1e-13 || (size < 1e-10 && size >= last / 4))
            return true;
        last = size;
    }
    s->steady = false;
    return last < 1e-8;
}

static bool solve_nonlinear(System *s)
{
    loop_system_no_offset(s);
    for (uint32_t i = 0; i < s->n; i++)
        s->scale[i] = 0;
    return newton(s, 50);
}

/* ---- the whole ---- */

/* To where Newton's iteration on the whole loop comes to rest: what is violated there is what
 * stands in its way, while a torn loop satisfies all but its residuals. */
static void come_to_rest(Sim *sim, EvalNode *node)
{
    bool untorn = node->untorn;
    node->untorn = true;
    System s = system_of(sim, node);
    solve_nonlinear(&s);
    node->untorn = untorn;
    node->factored = false;
}

/* Equations that depend on each other, by whole numbers or at this point. */
static bool combine(Sim *sim, const EvalNode *node)
{
    if (loop_solve_may_combine(sim) &&
        world_examine_loop(sim->world, ddp_node_of(sim->ddp, node_output(node, 0))))
        loop_solve_note_combined(sim, false);
    return says_nothing_new(sim, node);
}

static SolStatus failed(Sim *sim, EvalNode *node)
{
    char tried[300] = "rounding leaves no solution that satisfies the equations";
    sim->eval.unsolved = node_output(node, 0);
    if (sim->eval.combining && sim->eval.combined)
        return SOL_NUMERICS;
    if (evaluate_committed(sim)->verdict == DDP_OVERDETERMINED && sim->eval.combining &&
        redundant_over(sim)) {
        loop_solve_note_combined(sim, true);
        return SOL_NUMERICS;
    }
    if (evaluate_committed(sim)->verdict == DDP_OVERDETERMINED ||
        evaluate_committed(sim)->verdict == DDP_FALSE_CAUSALITY)
        return explain_structure(sim); /* no wonder then */
    System s = system_of(sim, node);
    residuals(&s, s.r);
    bool singular = !factor(&s);
    node->factored = false;
    if (singular && combine(sim, node))
        return SOL_NUMERICS;
    if (singular && world_report_floating(sim->world))
        return SOL_MODEL;
    if (!node->linear) {
        come_to_rest(sim, node);
        snprintf(
            tried, sizeof tried,
            "tried: Newton's method from the last values, with tearing and for all variables "
            "at once, then %sdeformation from %u first guesses, then sources that grow from 0; "
            "start values would be others",
            loop_reads_homotopy(sim, node) ? "the way from simplified equations, " : "",
            loop_guesses(node));
    }
    return loop_explain(sim, node, tried);
}

static bool solve(System *s)
{
    return s->node->linear ? solve_linear(s) : solve_nonlinear(s);
}

/* Unknowns of both forms, to come back to. */
static void keep_values(const Sim *sim, const EvalNode *node, double *kept)
{
    uint32_t n = node->n_steps;
    for (uint32_t i = 0; i < n; i++)
        kept[i] = sim->value[node->ops[i].target];
    for (uint32_t i = 0; i < node->n_tears; i++)
        kept[n + i] = sim->value[node_tears(node)[i]];
}

static void put_values(Sim *sim, const EvalNode *node, const double *kept)
{
    uint32_t n = node->n_steps;
    for (uint32_t i = 0; i < n; i++)
        sim->value[node->ops[i].target] = isfinite(kept[i]) ? kept[i] : 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->value[node_tears(node)[i]] = kept[n + i];
}

static double violation(const System *s)
{
    return s->whole ? loop_whole_violation(s->sim, s->whole, s->r, HOLDS)
                    : loop_check_torn(s->sim, s->node, s->r);
}

/* Of a torn loop whose factors are known now: has rounding hardly grown on the way to its residuals? */
static bool rests(const System *s)
{
    const EvalNode *node = s->node;
    bool known = node->linear && (node->constant || loop_keep_is_alone(node));
    return !known || loop_check_rests(s->sim, node, s->r, around(s));
}

/* The whole form, from the present values; once more with the largest pivots where they matter.
 * Infinite: it found nothing, else its violation. */
static double solve_whole(Sim *sim, EvalNode *node)
{
    node->untorn = true;
    node->factored = false;
    System s = system_of(sim, node);
    double left = solve(&s) ? violation(&s) : INFINITY;
    if (left <= HOLDS)
        return left;
    loop_factors_be_strict(sim, s.whole);
    node->factored = false;
    s = system_of(sim, node);
    return solve(&s) ? violation(&s) : left;
}

/* Also where the structure is not to change now. */
bool loop_solve_is_singular(Sim *sim, EvalNode *node)
{
    double *kept = work_of(sim, node);
    keep_values(sim, node, kept);
    System s = system_of(sim, node);
    residuals(&s, s.r);
    bool singular = !factor(&s) || (node->linear && is_rounding_alone(&s));
    node->factored = false;
    put_values(sim, node, kept);
    return singular;
}

static bool attempt_kept(Sim *sim, EvalNode *node, LoopAttempt *attempt, const double *kept)
{
    System s = system_of(sim, node);
    put_values(sim, node, kept);
    double *first = mem_alloc(sim->mem, (size_t)s.n * sizeof *first);
    loop_system_get_unknowns(&s, first);
    bool fine = attempt(&s, first) && !rounding_is_gross(sim, node);
    mem_free(sim->mem, first);
    return fine;
}

/* When Newton has failed: by ways from other equations, each torn and as a whole. */
static bool solve_hard(Sim *sim, EvalNode *node, const double *kept)
{
    bool torn = !node->untorn;
    for (uint32_t i = 0; i < LOOP_WAYS; i++) {
        node->untorn = !torn;
        node->factored = false;
        bool fine = attempt_kept(sim, node, loop_ways[i].attempt, kept);
        if (!fine && torn) {
            node->untorn = true;
            node->factored = false;
            fine = attempt_kept(sim, node, loop_ways[i].attempt, kept);
        }
        trace_line(sim, 'i', sim_clock(sim), "loop of %u relations with %s: %s %s",
                   node->n_steps + node->n_tears, explain_var(sim, node_output(node, 0)),
                   loop_ways[i].name, fine ? "finds a solution" : "finds none");
        if (fine)
            return true;
    }
    node->untorn = loop_keep_must_be_whole(node);
    node->factored = false;
    put_values(sim, node, kept);
    return false;
}

/* With the present values, violated so far. Beyond REFUSED derivatives may vanish (a double root), or say too much. */
static bool is_solution(Sim *sim, const EvalNode *node, double left)
{
    return left <= REFUSED ||
           (!node->linear && left <= REFUSED_NONLINEAR && !rounding_is_gross(sim, node));
}

/* The torn form failed, or its solution has lost digits, or the whole form's has: whatever
 * satisfies the relations best, and in this form from now on. A solution that was found is where
 * the other form begins. */
static bool solve_better(Sim *sim, EvalNode *node, const double *kept, double left)
{
    double *rough = work_of(sim, node) + node->n_steps + node->n_tears;
    bool torn = !node->untorn;
    keep_values(sim, node, rough);
    put_values(sim, node, isfinite(left) ? rough : kept);
    double whole = solve_whole(sim, node);
    trace_line(sim, 'e', sim_clock(sim), "  loop of %u relations: violation %.1e, as a whole %.1e",
               node->n_steps + node->n_tears, left, whole);
    if (isfinite(whole) && whole <= fmax(left, HOLDS)) {
        return is_solution(sim, node, whole);
    }
    node->untorn = !torn;
    node->factored = false;
    if (!(left <= (node->linear ? REFUSED : REFUSED_NONLINEAR)))
        return false;
    put_values(sim, node, rough);
    System s = system_of(sim, node);
    return solve(&s) && is_solution(sim, node, left);
}

/* Values that satisfy all relations are a solution, also where the Jacobian is singular and no step
 * of Newton's can be made: a start at a dead point. Not inside an integrator's step: there the
 * solution has to move. */
static bool solved_already(Sim *sim, EvalNode *node, const double *kept)
{
    put_values(sim, node, kept);
    System s = system_of(sim, node);
    residuals(&s, s.r);
    node->factored = false;
    return rounding_satisfies(sim, node);
}

static bool solve_somehow(Sim *sim, EvalNode *node, EvalHow how)
{
    double *kept = work_of(sim, node);
    keep_values(sim, node, kept);
    System s = system_of(sim, node);
    bool fine = solve(&s);
    double left = fine ? violation(&s) : INFINITY;
    if (left <= HOLDS && (s.whole || (s.steady && rests(&s))))
        return true;
    if ((fine || !s.whole) && solve_better(sim, node, kept, left))
        return true;
    bool trial = how & EVAL_TRIAL;
    if (!node->linear && !trial && solved_already(sim, node, kept))
        return true;
    /* inside an integrator's step a smaller step is better than another solution */
    put_values(sim, node, kept);
    return !node->linear && !trial && !says_nothing_new(sim, node) && solve_hard(sim, node, kept);
}

static void forget_guess(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps; i++)
        sim->value[node->ops[i].target] = 0;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->value[node_tears(node)[i]] = 0;
}

/* The solution that is there, found from anywhere, as it is found from near it. */
static bool solve_again(Sim *sim, EvalNode *node)
{
    double *found = work_of(sim, node) + 2 * (size_t)(node->n_steps + node->n_tears);
    loop_keep_round(sim, node, found);
    if (solve_somehow(sim, node, EVAL_TRIAL) && loop_keep_is_near(sim, node, found))
        return true;
    put_values(sim, node, found);
    return false;
}

static bool solve_from_anywhere(Sim *sim, EvalNode *node, EvalHow how)
{
    if (node->linear)
        forget_guess(sim, node);
    return solve_somehow(sim, node, how) &&
           (node->linear || solve_again(sim, node) || solve_somehow(sim, node, how));
}

SolStatus loop_solve(Sim *sim, DdpNode n, EvalHow how)
{
    EvalNode *node = &sim->nodes.at[n];
    bool fine = loop_keep_is_free(sim, node) ? solve_from_anywhere(sim, node, how)
                                             : solve_somehow(sim, node, how);
    for (uint32_t i = 0; i < node->n_steps; i++) {
        sim->info[node->ops[i].target].has = true;
        sim->info[node->ops[i].target].pending = false;
    }
    for (uint32_t i = 0; i < node->n_tears; i++) {
        sim->info[node_tears(node)[i]].has = true;
        sim->info[node_tears(node)[i]].pending = false;
    }
    if (fine)
        return SOL_OK;
    if (sim->cancel.broken_off)
        return SOL_CANCELLED;
    if (!(how & EVAL_TRIAL))
        return failed(sim, node);
    failure_in_loop(sim, node);
    return SOL_NUMERICS;
}

/* Tangents go through the whole form from here on: its factors at the present solution. The
 * tangents of what the loop reads have to wait. */
static bool change_form(Sim *sim, EvalNode *node)
{
    double *kept = mem_alloc(sim->mem, (node->n_reads + 1) * sizeof *kept);
    for (uint32_t i = 0; i < node->n_reads; i++) {
        kept[i] = sim->tangent[node->reads[i].var];
        sim->tangent[node->reads[i].var] = 0;
    }
    clear_tangents(sim, node);
    node->untorn = true;
    System s = system_of(sim, node);
    bool fine = factor(&s);
    for (uint32_t i = 0; i < node->n_reads; i++)
        sim->tangent[node->reads[i].var] = kept[i];
    mem_free(sim->mem, kept);
    return fine;
}

/* With J the Jacobian in the tears: J dw = -(residuals' tangents with dw = 0). The residuals'
 * tangents that are left then are rounding, which long chains of steps amplify: further rounds
 * take it out. False when they do not. */
static bool tangent_torn(Sim *sim, EvalNode *node)
{
    System s = system_of(sim, node);
    double first = 0, last = INFINITY;
    for (uint32_t i = 0; i < node->n_tears; i++)
        sim->tangent[node_tears(node)[i]] = 0;
    for (int round = 0;; round++) {
        loop_code_tangents(sim, node, s.r);
        double left = 0;
        for (uint32_t i = 0; i < node->n_tears; i++)
            left = fmax(left, fabs(s.r[i]));
        first = fmax(first, left);
        if (!node->factored || left <= 1e-15 * first || left == 0)
            return true;
        if (round == 6 || (round > 0 && left > last / 100))
            return left <= 1e-11 * first;
        last = left;
        apply(&s, s.r);
        for (uint32_t i = 0; i < node->n_tears; i++)
            sim->tangent[node_tears(node)[i]] -= s.r[i];
    }
}

void loop_solve_tangent(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->untorn && tangent_torn(sim, node))
        return;
    if (!node->untorn && !change_form(sim, node)) {
        node->untorn = false;
        node->factored = false;
        return;
    }
    if (node->factored)
        loop_whole_tangent(sim, node_loop(node)->whole);
}

void loop_solve_forget(Sim *sim, EvalNode *node)
{
    if (!node->loop)
        return;
    loop_code_forget(sim, node);
    loop_whole_close(sim, node_loop(node)->whole);
    node_loop(node)->whole = NULL;
    loop_check_close(sim, node_loop(node)->check);
    node_loop(node)->check = NULL;
    node_loop(node)->checked = node_loop(node)->kept.checked = false;
    node_loop(node)->steps = 0;
    if (node->untorn)
        node->factored = false;
    if (node_loop(node)->kept.untorn)
        node_loop(node)->kept.factored = false;
}

void loop_solve_put_away(Sim *sim, EvalNode *node)
{
    if (!node->loop)
        return;
    loop_whole_put_away(sim, node_loop(node)->whole);
    node_loop(node)->whole = NULL;
    loop_solve_forget(sim, node);
}

/* ---- what it may do ---- */

void loop_solve_combine(Sim *sim, bool may)
{
    sim->eval.combining = may;
    sim->eval.combined = sim->eval.arbitrary = false;
    sim->eval.unsolved = 0;
}

void loop_solve_combine_no_more(Sim *sim)
{
    sim->eval.combining = false;
}

bool loop_solve_may_combine(const Sim *sim)
{
    return sim->eval.combining && !sim->eval.combined;
}

void loop_solve_note_combined(Sim *sim, bool arbitrary)
{
    sim->eval.combined = true;
    sim->eval.arbitrary = arbitrary;
}

bool loop_solve_is_arbitrary(const Sim *sim)
{
    return sim->eval.arbitrary;
}

DdpNode loop_solve_unsolved(const Sim *sim)
{
    return sim->eval.unsolved ? sim->info[sim->eval.unsolved].node : 0;
}

bool loop_solve_combined(const Sim *sim)
{
    return sim->eval.combined;
}

void loop_solve_forget_whole(Sim *sim)
{
    loop_whole_forget_away(sim);
    map_free(sim->mem, &sim->eval.whole_loops);
}
