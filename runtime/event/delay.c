/* delay.c: what delayed variables do -> their histories (foreign/history.h), and the events that follow later.
 *
 * y = delay(x, T) is a function of time: what x was then. Nothing else connects x with y, so a loop through a delay is no loop, and
 * both may lie in parts with integrators of their own. Two rules make that right: histories are written as far as all parts have
 * come, from their dense output; and no step goes further than the shortest delay behind that. So what a step reads is known, and no
 * event changes it any more.
 *
 * Where x jumps or starts anew its history breaks, and T later y does the same: that is an event, like a Sample, at which parts
 * that read y start anew. A jump has level 0, a kink level 1; what an event of level k starts anew has level k + 1, because each
 * integration makes it smoother. Beyond LAST_LEVEL integrators feel nothing of it. Delays that vary have no such
 * events: there the control of errors has to find where y turns.
 *
 * A variable that is no state is no polynomial: stretches are halved until it fits at points in between. */
#include "runtime/event/delay.h"
#include "runtime/event/event_cause.h"
#include "runtime/event/trail.h"
#include "runtime/foreign/history.h"

#include <float.h>
#include <math.h>

enum { LAST_LEVEL = 5, NO_LEVEL = 1000, MOST_PIECES = 4096 };

static HistorySet *histories(const Sim *sim)
{
    return foreign_histories(sim->foreign);
}

static double key_of(const Sim *sim, uint32_t i)
{
    return sim->value[sim->decide.delays.at[i].key];
}

/* Times that nobody can tell apart. */
static double rounding(double time)
{
    return 64 * DBL_EPSILON * fabs(time);
}

/* ---- births and deaths ---- */

static void drop(Sim *sim, DdpVar key)
{
    for (uint32_t i = 0; i < sim->decide.delays.n; i++)
        if (sim->decide.delays.at[i].key == key) {
            history_death(histories(sim), sim->value[key]);
            sim->decide.delays.at[i] = vec_last(&sim->decide.delays);
            sim->decide.delays.n--;
            return;
        }
}

void delay_take(Sim *sim, const WorldChange *change)
{
    trail_break(sim);
    if (!change->born) {
        drop(sim, change->a);
        return;
    }
    evaluate_fetch(sim, change->b, EVAL_EVENT);
    double value = sim->value[change->b];
    if (!sim->decide.delays.n)
        sim->decide.delays_known = sim->time;
    vec_push(
        sim->mem, &sim->decide.delays,
        ((DelayMemo){
            .key = change->a, .of = change->b, .varies = change->c, .longest = change->value}));
    values_set(sim, change->a, history_birth(histories(sim), sim->time, value, change->c != 0));
    sim->decide.delays_broken = true;
}

void delay_pack(Sim *sim, Pack *p)
{
    PACK_LIST(p, &sim->decide.delays);
    PACK(p, sim->decide.delays_known);
    PACK(p, sim->decide.delay_level);
    PACK_BIT(p, sim->decide.delays_broken);
    histories_pack(histories(sim), p);
}

/* ---- events that follow ---- */

static double due(const Sim *sim, uint32_t i, uint32_t *level)
{
    return history_end(histories(sim), key_of(sim, i), level) + sim->decide.delays.at[i].longest;
}

double delay_next(const Sim *sim)
{
    double next = INFINITY;
    uint32_t level;
    for (uint32_t i = 0; i < sim->decide.delays.n; i++)
        next = fmin(next, due(sim, i, &level));
    return next;
}

void delay_due(Sim *sim)
{
    sim->decide.delay_level = NO_LEVEL;
    sim->decide.delays_broken = true;
    for (uint32_t i = 0; i < sim->decide.delays.n; i++) {
        const DelayMemo *memo = &sim->decide.delays.at[i];
        uint32_t level;
        while (due(sim, i, &level) <= sim->time + rounding(sim->time)) {
            values_set(sim, memo->key, sim->value[memo->key] + 1);
            cause_delay(sim, memo->of);
            if (level < sim->decide.delay_level)
                sim->decide.delay_level = level;
        }
    }
}

/* ---- histories ---- */

static double shortest(const Sim *sim)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < sim->decide.delays.n; i++) {
        const DelayMemo *memo = &sim->decide.delays.at[i];
        least = fmin(least, memo->varies ? sim->value[memo->varies] : memo->longest);
    }
    return least;
}

double delay_limit(const Sim *sim)
{
    return sim->decide.delays.n ? sim->decide.delays_known + shortest(sim) : INFINITY;
}

static bool is_state(const Sim *sim, DdpVar var)
{
    return sim->info[var].state && sim->info[var].part->started;
}

static bool all_states(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.delays.n; i++)
        if (!is_state(sim, sim->decide.delays.at[i].of))
            return false;
    return true;
}

/* Values of all delayed variables at `time`: out[i * step]. */
static SolStatus look(Sim *sim, double time, uint32_t step, double *out)
{
    SolStatus status = SOL_OK;
    parts_look_at(sim, time);
    for (uint32_t i = 0; i < sim->decide.delays.n && status == SOL_OK; i++) {
        DdpVar of = sim->decide.delays.at[i].of;
        if (is_state(sim, of))
            part_at(sim->info[of].part, time);
        else
            status = evaluate_fetch(sim, of, EVAL_PLAIN);
        out[i * step] = sim->value[of];
    }
    return status;
}

/* Does the stretch fit the variables at two times between those that it was made of? */
static SolStatus fits(Sim *sim, double from, double to, bool *good)
{
    uint32_t n = sim->decide.delays.n;
    const double *values = sim->decide.delayed.at;
    double *there = sim->decide.delayed.at + (size_t)n * HISTORY_POINTS;
    SolStatus status = SOL_OK;
    for (int k = 0; k < 2 && *good && status == SOL_OK; k++) {
        double time = from + (k ? 0.37 : 0.84) * (to - from);
        status = look(sim, time, 1, there);
        for (uint32_t i = 0; i < n; i++) {
            double is =
                history_stretch_value(HISTORY_POINTS, values + i * HISTORY_POINTS, from, to, time);
            double most = 0.1 * values_allowed(sim, sim->decide.delays.at[i].of, fabs(there[i]));
            *good &= fabs(is - there[i]) <= most;
        }
    }
    return status;
}

/* One stretch; *good false: it does not fit, and was not kept. */
static SolStatus stretch(Sim *sim, double from, double to, bool check, bool *good)
{
    uint32_t n = sim->decide.delays.n;
    SolStatus status = SOL_OK;
    vec_reserve(sim->mem, &sim->decide.delayed, n * (HISTORY_POINTS + 1));
    double *values = sim->decide.delayed.at;
    *good = true;
    for (uint32_t k = 0; k < HISTORY_POINTS && status == SOL_OK; k++)
        status = look(sim, history_time(from, to, HISTORY_POINTS, k), HISTORY_POINTS, values + k);
    if (status == SOL_OK && check)
        status = fits(sim, from, to, good);
    for (uint32_t i = 0; i < n && status == SOL_OK && *good; i++)
        history_append(histories(sim), key_of(sim, i), from, to, HISTORY_POINTS,
                       values + (size_t)i * HISTORY_POINTS);
    return status;
}

/* What they are there is what they are a moment before. */
static void known_to(Sim *sim, double time)
{
    for (uint32_t i = 0; i < sim->decide.delays.n; i++)
        history_extend(histories(sim), key_of(sim, i), time);
    sim->decide.delays_known = time;
}

/* From what is known to `to`, not further than the shortest delay. */
static SolStatus write_to(Sim *sim, double to)
{
    SolStatus status = SOL_OK;
    double from = sim->decide.delays_known;
    double least = fmax((to - from) / MOST_PIECES, rounding(to));
    if (to - from <= rounding(to)) {
        known_to(sim, to);
        return SOL_OK;
    }
    bool states = all_states(sim);
    double whole = states ? to - from : (to - from) / event_pieces(sim, true, to - from);
    for (double length = whole; from < to && status == SOL_OK;) {
        double end = to - from <= length * (1 + 1e-9) ? to : from + length;
        bool good;
        status = stretch(sim, from, end, !states && length > least, &good);
        if (good)
            from = sim->decide.delays_known = end;
        length = good ? fmin(2 * length, whole) : length / 2;
    }
    return status;
}

/* Delays that vary, as they are where the histories end. */
static SolStatus look_at_delays(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->decide.delays.n && status == SOL_OK; i++) {
        const DelayMemo *memo = &sim->decide.delays.at[i];
        if (!memo->varies)
            continue;
        parts_look_at(sim, sim->decide.delays_known);
        status = evaluate_fetch(sim, memo->varies, EVAL_PLAIN);
        double delay = sim->value[memo->varies];
        if (status != SOL_OK || (delay > 0 && delay <= memo->longest))
            continue;
        diag_error(sim->diags, 0, "at time %.10g the delay of %s is %.10g: %s %.10g", sim->time,
                   explain_var(sim, memo->of), delay,
                   delay > 0 ? "it is longer than it may be," : "it must stay above",
                   delay > 0 ? memo->longest : 0);
        status = SOL_NUMERICS;
    }
    return status;
}

/* Steps that are looked back at are no longer than a delay. */
static void forget(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.delays.n; i++)
        history_forget(histories(sim), key_of(sim, i),
                       sim->decide.delays_known - 3 * sim->decide.delays.at[i].longest);
}

SolStatus delay_reach(Sim *sim, double time)
{
    double now = sim->time;
    SolStatus status = SOL_OK;
    if (!sim->decide.delays.n || !(time > sim->decide.delays_known))
        return SOL_OK;
    while (sim->decide.delays_known < time && status == SOL_OK) {
        double step = fmax(shortest(sim), (time - sim->decide.delays_known) / MOST_PIECES);
        status = write_to(sim, fmin(time, sim->decide.delays_known + step));
        if (status == SOL_OK)
            status = look_at_delays(sim);
    }
    parts_look_at(sim, now);
    event_forget_candidates(sim);
    forget(sim);
    return status;
}

SolStatus delay_before(Sim *sim, double left)
{
    SolStatus status = delay_reach(sim, fmin(left, sim->time));
    if (status == SOL_OK)
        known_to(sim, sim->time);
    return status;
}

/* States lie on straight lines between the points of the grid. */
SolStatus delay_grid(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->decide.delays.n && status == SOL_OK; i++) {
        DelayMemo *memo = &sim->decide.delays.at[i];
        status = evaluate_fetch(sim, memo->of, EVAL_PLAIN);
        double values[2] = {sim->value[memo->of], memo->last};
        if (status == SOL_OK)
            history_append(histories(sim), key_of(sim, i), sim->decide.delays_known, sim->time, 2,
                           values);
        memo->last = values[0];
    }
    sim->decide.delays_known = sim->time;
    forget(sim);
    return status;
}

SolStatus delay_cut(Sim *sim)
{
    if (sim->opt.solver == SOL_SOLVER_EULER)
        return delay_grid(sim);
    return parts_running(sim) ? delay_reach(sim, sim->time) : SOL_OK;
}

/* ---- behind an event ---- */

/* Did what determines the variable start anew at this event? */
static bool starts_anew(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    const Part *part = info->node ? sim->nodes.at[info->node].part : NULL;
    if (info->state)
        part = info->part;
    return !part || part->fixed_steps || part->now <= sim->time;
}

static bool breaks(const Sim *sim, uint32_t i, uint32_t *level)
{
    DdpVar of = sim->decide.delays.at[i].of;
    double left = history_last(histories(sim), key_of(sim, i));
    *level = sim->decide.delay_level >= NO_LEVEL ? 1 : sim->decide.delay_level + 1;
    if (history_is_fresh(histories(sim), key_of(sim, i)))
        return false;
    if (fabs(sim->value[of] - left) <= values_allowed(sim, of, fabs(left)))
        return *level <= LAST_LEVEL && starts_anew(sim, of);
    *level = 0;
    return true;
}

SolStatus delay_after(Sim *sim)
{
    SolStatus status = SOL_OK;
    if (!sim->decide.delays_broken)
        return SOL_OK;
    for (uint32_t i = 0; i < sim->decide.delays.n && status == SOL_OK; i++) {
        DelayMemo *memo = &sim->decide.delays.at[i];
        uint32_t level;
        status = evaluate_fetch(sim, memo->of, EVAL_PLAIN);
        memo->last = sim->value[memo->of];
        if (status == SOL_OK && breaks(sim, i, &level))
            history_break(histories(sim), key_of(sim, i), sim->time, level);
    }
    sim->decide.delays_known = sim->time;
    sim->decide.delays_broken = false;
    return status == SOL_OK ? look_at_delays(sim) : status;
}
