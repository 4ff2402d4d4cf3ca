/* audit_slopes.c: derivatives of the model -> those that are not the slope of the dense output. See
 * audit.h. */
#include "runtime/parts/integrator.h"
#include "runtime/sim/audit_int.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Has the dense output of a part two steps behind it, and no event in it? */
static bool is_smooth(const Part *part)
{
    double time = part->sim->time;
    bool fixed = part->fixed_steps || (part->method == PART_INLINE && part->sim->opt.step > 0);
    if (part->n == 0 || fixed || !part->started)
        return false;
    bool settled =
        part->counts.steps >= part->counts.steps_at_restart + 2 && !isfinite(part->event);
    return settled && time >= part->back && time <= part->now;
}

/* The dense output of a step is looked at once, where the first point lies in it. */
static bool is_new_step(const Part *part)
{
    return part->counts.audited != part->counts.steps + 1 && is_smooth(part);
}

/* Where the dense output of one part, or of several, reaches. */
typedef struct Reach {
    double from, to;
} Reach;

/* What is evaluated for output alone may follow from any part: the one with the least step, if all
 * are smooth, and where the dense output of all of them reaches. */
static Part *least_part(const Sim *sim, Reach *reach)
{
    Part *least = NULL;
    *reach = (Reach){-INFINITY, INFINITY};
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (!is_smooth(part))
            return NULL;
        if (!least || part->now - part->back < least->now - least->back)
            least = part;
        reach->from = fmax(reach->from, part->back);
        reach->to = fmin(reach->to, part->now);
    }
    return least;
}

/* The part in whose steps a variable moves, if it has a new one that is smooth at Sim.time. */
static Part *part_of_slope(const Sim *sim, DdpVar var, Part *least)
{
    const ValueInfo *info = &sim->info[var];
    const EvalNode *node = info->node ? &sim->nodes.at[info->node] : NULL;
    Part *part = info->state ? info->part : node ? node->part : NULL;
    if (!part)
        part = node && node->place == PLACE_OUTPUTS ? least : NULL;
    return part && is_new_step(part) ? part : NULL;
}

/* A state has its own error; what follows from states has theirs. */
static double error_size(const Audit *audit, const Part *part, DdpVar var)
{
    const Sim *sim = audit->sim;
    double size = fmax(fabs(sim->value[var]), audit_memory(audit, var).largest);
    for (uint32_t i = 0; i < part->states.n && !sim->info[var].state; i++)
        size = fmax(size, audit_memory(audit, part->states.at[i].var).largest);
    return size;
}

static int by_part(const void *a, const void *b)
{
    const Slope *x = a, *y = b;
    if (x->part->index != y->part->index)
        return x->part->index < y->part->index ? -1 : 1;
    return x->rel < y->rel ? -1 : x->rel > y->rel;
}

/* As they are in a single part. */
static bool are_sorted(uint32_t n, const Slope *slopes)
{
    for (uint32_t i = 1; i < n; i++)
        if (by_part(&slopes[i - 1], &slopes[i]) > 0)
            return false;
    return true;
}

bool audit_any_step(const Audit *audit)
{
    const Sim *sim = audit->sim;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (is_new_step(sim->parts.at[i]))
            return true;
    return false;
}

static bool is_output(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return !info->state && info->node && sim->nodes.at[info->node].place == PLACE_OUTPUTS;
}

static void list_slopes(Audit *audit, Reach *all)
{
    Sim *sim = audit->sim;
    vec_clear(&audit->slopes);
    if (!audit_any_step(audit))
        return;
    Part *least = least_part(sim, all);
    for (uint32_t i = 0; i < audit->derivatives.n; i++) {
        DdpVar slope = audit->derivatives.at[i].of, var = audit->derivatives.at[i].var;
        Part *part =
            sim->info[slope].has && sim->info[var].has ? part_of_slope(sim, var, least) : NULL;
        if (part)
            vec_push(sim->mem, &audit->slopes,
                     ((Slope){.part = part,
                              .rel = audit->derivatives.at[i].rel,
                              .var = var,
                              .of = slope,
                              .output = is_output(sim, var),
                              .state = sim->info[var].state && sim->info[var].part == part,
                              .slope = sim->value[slope],
                              .size = error_size(audit, part, var)}));
    }
    if (!are_sorted(audit->slopes.n, audit->slopes.at))
        qsort(audit->slopes.at, audit->slopes.n, sizeof *audit->slopes.at, by_part);
}

/* Values of slopes[from .. to-1], which are states of one part, at another time of its step. */
static void states_there(Audit *audit, uint32_t from, uint32_t to, double time, int which)
{
    Sim *sim = audit->sim;
    part_at(audit->slopes.at[from].part, time);
    for (uint32_t i = from; i < to; i++)
        audit->slopes.at[i].value[which] = sim->value[audit->slopes.at[i].var];
}

static void add_need(Audit *audit, const Part *part, DdpVar var)
{
    Sim *sim = audit->sim;
    DdpNode n = sim->info[var].node;
    EvalNode *node = n ? &sim->nodes.at[n] : NULL;
    const Part *own = sim->info[var].state ? sim->info[var].part : node ? node->part : NULL;
    audit->needs.others |= own && own != part;
    if (sim->info[var].state || !node || node->mark == sim->mark ||
        (!own && node->place != PLACE_OUTPUTS))
        return;
    node->mark = sim->mark;
    vec_push(sim->mem, &audit->needs.list, n);
}

/* The nodes that slopes[from .. to-1] follow from, back to states of their part: forces and
 * accelerations are not among them. */
static void list_needs(Audit *audit, uint32_t from, uint32_t to)
{
    Sim *sim = audit->sim;
    const Part *part = audit->slopes.at[from].part;
    if (audit->needs.of == part && audit->needs.slopes == to - from)
        return;
    audit->needs.of = part;
    audit->needs.slopes = to - from; /* with what outputs have, or without */
    audit->needs.others = false;
    vec_clear(&audit->needs.list);
    sim->mark++;
    for (uint32_t i = from; i < to; i++)
        add_need(audit, part, audit->slopes.at[i].var);
    for (uint32_t k = 0; k < audit->needs.list.n; k++) {
        const EvalNode *node = &sim->nodes.at[audit->needs.list.at[k]];
        for (uint32_t i = 0; i < node->n_reads; i++)
            add_need(audit, part, node->reads[i].var);
    }
    node_order_sort(sim, &audit->needs.list);
}

/* The same where some follow from states of one part, and are evaluated there. */
static SolStatus nodes_there(Audit *audit, uint32_t from, uint32_t to, double time, int which)
{
    Sim *sim = audit->sim;
    part_at(audit->slopes.at[from].part, time);
    SolStatus status = evaluate_list(sim, &audit->needs.list, EVAL_PLAIN);
    for (uint32_t i = from; i < to; i++)
        audit->slopes.at[i].value[which] = sim->value[audit->slopes.at[i].var];
    return status;
}

/* The same where some follow from several parts. */
static SolStatus values_there(Audit *audit, uint32_t from, uint32_t to, double time, int which)
{
    Sim *sim = audit->sim;
    parts_look_at(sim, time);
    part_bring(audit->slopes.at[from].part, EVAL_PLAIN);
    for (uint32_t i = from; i < to; i++) {
        Slope *slope = &audit->slopes.at[i];
        SolStatus status = evaluate_fetch(sim, slope->var, EVAL_PLAIN);
        if (status != SOL_OK)
            return status;
        slope->value[which] = sim->value[slope->var];
    }
    return SOL_OK;
}

/* Where a slope follows steeply from the states, their errors show in it magnified: by how much,
 * when each is off by its tolerance. */
static double steepness(Audit *audit, const Slope *slope)
{
    enum { STATES = 500 };
    Sim *sim = audit->sim;
    Part *part = slope->part;
    DdpVar of = slope->of;
    double sum = 0;
    for (uint32_t i = 0; i < part->states.n && i < STATES; i++) {
        DdpVar var = part->states.at[i].var;
        double x = sim->value[var];
        sim->value[var] = x + sim->opt.rtol * audit_memory(audit, var).largest + sim->opt.atol;
        if (part_evaluate_all(part, sim->time, EVAL_PLAIN) == SOL_OK && isfinite(sim->value[of]))
            sum += fabs(sim->value[of] - slope->slope);
        sim->value[var] = x;
    }
    part_evaluate_all(part, sim->time, EVAL_PLAIN);
    return sum;
}

/* How far the bend of the way between the three points may put their difference off: where much hangs on the time, and little on the
 * states, steps are long, and the points far apart. */
static double bend(Audit *audit, const Slope *slope)
{
    Sim *sim = audit->sim;
    double there[2] = {0}, time = sim->time;
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        double at = time - (i + 1) * slope->apart;
        part_at(slope->part, at);
        fine = fine && part_evaluate_all(slope->part, at, EVAL_PLAIN) == SOL_OK;
        there[i] = sim->value[slope->of];
    }
    sim->time = time;
    memcpy(sim->value, audit->present.at, sim->n_values * sizeof *sim->value);
    double difference = fabs(slope->slope - 2 * there[0] + there[1]);
    return fine && isfinite(difference) ? difference : 0;
}

/* What rounding makes of the difference of the three points: of a variable that a loop determines, as much as the loop makes of it. */
static double rounding_between(Audit *audit, const Slope *slope)
{
    double rounding = error_bound_of_var(audit->sim, slope->var).rounding;
    return isfinite(rounding) ? (3 + 4 + 1) / 2.0 * rounding / fabs(slope->apart) : 0;
}

/* The dense output of one-step methods is of a lower order than their steps. */
static void check_slope(Audit *audit, const Slope *slope)
{
    double apart = slope->apart, step = slope->part->now - slope->part->back;
    const SolOptions *opt = &audit->sim->opt;
    double seen =
        (3 * slope->value[SLOPE_HERE] - 4 * slope->value[SLOPE_NEAR] + slope->value[SLOPE_FAR]) /
        (2 * apart);
    double size =
        fmax(slope->size, fmax(fabs(slope->value[SLOPE_NEAR]), fabs(slope->value[SLOPE_FAR])));
    bool one_step = slope->part->method == PART_RK || slope->part->method == PART_RODAS ||
                    slope->part->method == PART_INLINE;
    double factor = one_step ? 1000 : 100;
    double allowed =
        factor * (opt->rtol * size + opt->atol) / step + 16 * DBL_EPSILON * size / fabs(apart);
    double off = fabs(seen - slope->slope);
    if (off > allowed)
        allowed += rounding_between(audit, slope);
    if (off > allowed)
        allowed += bend(audit, slope);
    if (off > allowed)
        allowed += factor * steepness(audit, slope);
    if (off > allowed || isnan(off))
        audit_keep_worst(audit, slope->rel, SOL_AT_POINT,
                         isnan(off) ? INFINITY : audit->bound * (off / allowed));
}

/* How far apart the points of a step are that are looked at, back in time or ahead, so that they lie
 * in reach; 0: nowhere. */
static double apart_of(const Part *part, Reach reach, double time)
{
    double apart = 1e-4 * (part->now - part->back); /* bends less than the tolerance */
    if (!(apart > 16 * DBL_EPSILON * fabs(time)))
        return 0;
    apart = time - (time - apart); /* so that the points are exactly that far from each other */
    if (time - 2 * apart >= reach.from)
        return apart;
    return time + 2 * apart <= reach.to ? -apart : 0;
}

/* Where derivatives are those of states, and the dense output can be read without putting it into Sim.value: are they
 * right by what the values of the present alone allow? That is less than check_slope() allows. */
static bool are_states_right(Audit *audit, Part *part)
{
    Sim *sim = audit->sim;
    const double *value = sim->value;
    double time = sim->time, apart = apart_of(part, (Reach){part->back, part->now}, time);
    if (part->method != PART_IDA || part->bridge.on || apart == 0)
        return false;
    audit_view_slopes(audit, part);
    vec_reserve(sim->mem, &audit->far, part->states.n);
    double *far = audit->far.at;
    memcpy(far, part->integrator->unknowns(part, time - 2 * apart), part->states.n * sizeof *far);
    const double *near = part->integrator->unknowns(part, time - apart);
    double share = 100 / (part->now - part->back), all = share * sim->opt.atol;
    bool right = true;
    share *= sim->opt.rtol;
    for (const PartState *at = part->states.at, *end = at + part->states.n; at < end; at++) {
        double here = value[at->var], seen = 3 * here - 4 * *near++ + *far++;
        double off = seen * (0.5 / apart) - value[at->slope];
        right &= fabs(off) <= share * fabs(here) + all;
    }
    return right;
}

/* True: no more is to be seen at this point. */
static bool are_steps_right(Audit *audit)
{
    const Sim *sim = audit->sim;
    bool right = true;
    for (uint32_t i = 0; i < sim->parts.n && audit->states_only; i++) {
        Part *part = sim->parts.at[i];
        if (!is_new_step(part))
            continue;
        if (are_states_right(audit, part))
            part->counts.audited = part->counts.steps + 1;
        else
            right = false;
    }
    return right && audit->states_only;
}

/* Values of the present are there. Beyond the dense output of a part there are none. */
static SolStatus see_part_slopes(Audit *audit, uint32_t from, uint32_t to, Reach all, double time)
{
    Part *part = audit->slopes.at[from].part;
    Reach reach = {part->back, part->now};
    bool states = true, outputs = false;
    for (uint32_t i = from; i < to; i++) {
        states &= audit->slopes.at[i].state;
        outputs |= audit->slopes.at[i].output;
    }
    if (outputs)
        reach = all;
    double apart = apart_of(part, reach, time);
    if (apart == 0)
        return SOL_OK;
    for (uint32_t i = from; i < to; i++)
        audit->slopes.at[i].apart = apart;
    part->counts.audited = part->counts.steps + 1;
    if (states) {
        states_there(audit, from, to, time - 2 * apart, SLOPE_FAR);
        states_there(audit, from, to, time - apart, SLOPE_NEAR);
        return SOL_OK;
    }
    list_needs(audit, from, to);
    audit->astray |= audit->needs.others;
    SolStatus (*there)(Audit *, uint32_t, uint32_t, double, int) =
        audit->needs.others ? values_there : nodes_there;
    SolStatus status = there(audit, from, to, time - 2 * apart, SLOPE_FAR);
    return status == SOL_OK ? there(audit, from, to, time - apart, SLOPE_NEAR) : status;
}

static void see_present(Audit *audit)
{
    const Sim *sim = audit->sim;
    for (uint32_t i = 0; i < audit->slopes.n; i++) {
        Slope *slope = &audit->slopes.at[i];
        slope->value[SLOPE_HERE] = sim->value[slope->var];
    }
}

SolStatus audit_slopes(Audit *audit)
{
    Sim *sim = audit->sim;
    double time = sim->time;
    SolStatus status = SOL_OK;
    Reach all = {-INFINITY, INFINITY};
    if (are_steps_right(audit))
        return SOL_OK;
    if (audit_any_step(audit))
        audit_view_settle(audit);
    list_slopes(audit, &all);
    if (!audit->slopes.n)
        return SOL_OK;
    see_present(audit);
    vec_reserve(sim->mem, &audit->present, sim->n_values);
    memcpy(audit->present.at, sim->value, sim->n_values * sizeof *sim->value);
    audit->astray = false;
    for (uint32_t from = 0, to; from < audit->slopes.n && status == SOL_OK; from = to) {
        for (to = from;
             to < audit->slopes.n && audit->slopes.at[to].part == audit->slopes.at[from].part;)
            to++;
        status = see_part_slopes(audit, from, to, all, time);
    }
    sim->time = time;
    memcpy(sim->value, audit->present.at, sim->n_values * sizeof *sim->value);
    sim->point_number += audit->astray; /* who looks now evaluates anew */
    for (uint32_t i = 0; i < audit->slopes.n && status == SOL_OK; i++)
        if (audit->slopes.at[i].apart != 0)
            check_slope(audit, &audit->slopes.at[i]);
    return status;
}
