/* event_detect.c: comparisons inside nodes -> the time of the next event.
 *
 * Events come from comparisons of Reals (and from sign, floor, ceil, round, mod) inside conditions
 * and dynamics. Three kinds:
 *
 * - Timed: linear in the clock with fixed factors. The time is computed; at that time the
 * comparison takes the value it has just afterwards.
 * - Searched: all others. After each accepted step the comparisons are evaluated at its end (those
 *   driven by the clock other than through states also at points inside); if one has changed, its
 *   first change is bracketed on the dense output. The value of the comparison decides which half
 * is kept; the difference of its sides only proposes where to look. The event is put at the right
 * end of the bracket, where the comparison really has its new value.
 * - At rest: at its boundary when a phase begins (boundary.c).
 */
#include "runtime/eval/compare.h"
#include "runtime/eval/looks.h"
#include "runtime/event/mode_search.h"
#include "runtime/event/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- searching a step ---- */

enum { INSIDE = 4, MOST_LOOKS = 1000 };

int event_pieces(const Sim *sim, bool clocked, double length)
{
    double looks = fmin(ceil(length / compare_look(sim) * (1 - 1e-12)), MOST_LOOKS);
    return (looks > 1 ? (int)looks : 1) * (clocked ? INSIDE + 1 : 1);
}

double event_piece(double begin, double to, int i, int pieces)
{
    return i == pieces ? to : begin + (to - begin) * i / pieces;
}

static bool changed(Sim *sim, const EvalNode *node, const Compare *compare)
{
    return !compare->timed && !compare->masked && compare_self(sim, node, compare) != compare->left;
}

/* ---- comparisons that cannot matter ---- */

enum { FEW_COMPARES = 4 };

/* The first position from i on at which something stands that varies, and that the operation reads
 * other than through comparisons; or the number of positions. */
static uint32_t reads_more(Sim *sim, const EvalNode *node, const EvalOp *op, uint32_t i)
{
    uint32_t n = ddp_rel_size(sim->ddp, op->rel);
    X x = op->value;
    for (uint32_t k = 0; k < node->n_compares; k++)
        x = compare_replace(sim, x, node->compare[k].self, 0);
    while (i < n && !(op->vars[i] && op->vars[i] != op->target &&
                      ddp_var(sim->ddp, op->vars[i]).varies && x_uses(sim->forms, x, i)))
        i++;
    return i;
}

/* Does a variable change only where comparisons do? */
static bool is_stepwise(Sim *sim, DdpVar var)
{
    const EvalNode *node = sim->info[var].node ? &sim->nodes.at[sim->info[var].node] : NULL;
    return node && !sim->info[var].state && !node->loop && node->n_compares > 0 &&
           reads_more(sim, node, &node->ops[0], 0) == ddp_rel_size(sim->ddp, node->ops[0].rel);
}

static bool reads_only_steps(Sim *sim, const EvalNode *node, const EvalOp *op)
{
    uint32_t n = ddp_rel_size(sim->ddp, op->rel);
    for (uint32_t i = 0; (i = reads_more(sim, node, op, i)) < n; i++)
        if (!is_stepwise(sim, op->vars[i]))
            return false;
    return true;
}

/* Its operation with each of the comparisons decided by a bit. */
static double value_if(Sim *sim, const EvalNode *node, const EvalOp *op, uint32_t truths)
{
    X x = op->value;
    for (uint32_t i = 0; i < node->n_compares; i++)
        x = compare_replace(sim, x, node->compare[i].self, truths >> i & 1);
    return compare_value_of(sim, op, x);
}

/* `armed and x > y` while armed is false: what does not vary decides, whatever is compared. */
static bool is_masked(Sim *sim, const EvalNode *node, uint32_t which)
{
    const EvalOp *op = &node->ops[0];
    if (node->loop || node->holds || node->n_compares > FEW_COMPARES ||
        !reads_only_steps(sim, node, op))
        return false;
    for (uint32_t truths = 0; truths < 1u << node->n_compares; truths++)
        if (value_if(sim, node, op, truths) != value_if(sim, node, op, truths ^ 1u << which))
            return false;
    return true;
}

/* Somebody reads what changed without an event: perhaps that was what masked. */
bool event_unmask(Sim *sim, const NodeList *changed, const NodeList *all)
{
    bool read = false, any = false;
    for (uint32_t i = 0; i < changed->n; i++)
        read |= sim->info[node_output(&sim->nodes.at[changed->at[i]], 0)].readers != NULL;
    for (uint32_t i = 0; read && i < all->n; i++) {
        EvalNode *node = &sim->nodes.at[all->at[i]];
        for (uint32_t k = 0; k < node->n_compares; k++) {
            any |= node->compare[k].masked;
            node->compare[k].masked = false;
        }
    }
    return any;
}

void event_mask(Sim *sim, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        EvalNode *node = &sim->nodes.at[list->at[i]];
        for (uint32_t k = 0; k < node->n_compares; k++)
            if (node->compare[k].moved)
                node->compare[k].masked = is_masked(sim, node, k);
    }
}

/* What is kept must be kept anew. */
static bool kept_changed(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_compares; i++)
        if (node->compare[i].slot && changed(sim, node, &node->compare[i]))
            return true;
    return false;
}

static bool any_changed(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare)
        if (changed(sim, node, compare))
            return true;
    return false;
}

/* Changed by more than errors explain? */
static bool counts(Sim *sim, const EvalNode *node, const Compare *compare)
{
    return changed(sim, node, compare) &&
           (compare->least == 0 || fabs(compare_difference(sim, node, compare)) >= compare->least);
}

static bool any_counts(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare)
        if (counts(sim, node, compare))
            return true;
    return false;
}

static void forget_doubts(Sim *sim, const NodeList *list)
{
    if (!sim->search.doubted)
        return;
    EACH_COMPARE (sim, list, node, compare)
        compare->least = 0;
    sim->search.doubted = false;
}

static void note_differences(Sim *sim, const NodeList *list, bool right)
{
    EACH_COMPARE (sim, list, node, compare) {
        double difference = compare_difference(sim, node, compare);
        if (right) {
            compare->high = difference;
            compare->moved = counts(sim, node, compare);
        } else {
            compare->low = difference;
        }
    }
}

/* Where the first of the comparisons that changed between lo and hi crosses, by its secant. */
static double propose(Sim *sim, const NodeList *list, double lo, double hi)
{
    double best = INFINITY;
    EACH_COMPARE (sim, list, node, compare) {
        if (!compare->moved)
            continue;
        double boundary =
            hold_ahead(compare_kind(sim, compare), compare->left, compare->high > compare->low);
        double part = (compare->low - boundary) / (compare->low - compare->high);
        if (!(part > 0 && part < 1))
            part = 0.5;
        best = fmin(best, lo + part * (hi - lo));
    }
    return best;
}

/* Marks what a node reads, directly or not, as far as it varies. */
static void mark_needs(Sim *sim, DdpNode from)
{
    NodeList *work = &sim->search.needs;
    if (sim->nodes.at[from].mark == sim->mark)
        return;
    sim->nodes.at[from].mark = sim->mark;
    vec_push(sim->mem, work, from);
    for (uint32_t i = work->n - 1; i < work->n; i++) {
        const EvalNode *node = &sim->nodes.at[work->at[i]];
        for (uint32_t k = 0; k < node->n_reads; k++) {
            DdpNode n = sim->info[node->reads[k].var].node;
            if (!n || !sim->nodes.at[n].varies || sim->nodes.at[n].mark == sim->mark)
                continue;
            sim->nodes.at[n].mark = sim->mark;
            vec_push(sim->mem, work, n);
        }
    }
}

static void collect_moved(Sim *sim, const EventSearch *search)
{
    vec_clear(&sim->search.moved);
    for (uint32_t i = 0; i < search->nodes->n; i++) {
        const EvalNode *node = &sim->nodes.at[search->nodes->at[i]];
        bool moved = false;
        for (uint32_t k = 0; k < node->n_compares; k++)
            moved |= node->compare[k].moved;
        if (moved)
            vec_push(sim->mem, &sim->search.moved, search->nodes->at[i]);
    }
}

/* Only what changed in the bracket, and what that needs, has to be looked at while it is narrowed:
 * in a population of thousands one life form's condition is one variable. */
static void collect_needs(Sim *sim)
{
    vec_clear(&sim->search.needs);
    sim->mark++;
    for (uint32_t i = 0; i < sim->search.moved.n; i++)
        mark_needs(sim, sim->search.moved.at[i]);
    node_order_sort(sim, &sim->search.needs);
}

/* Has one of Sim.search.moved changed there? Notes differences as that says. */
static SolStatus look_at(Sim *sim, const EventSearch *search, double time, bool *right)
{
    if (search->look && !sim->search.doubted && search->look(search->context, time, right))
        return SOL_OK;
    if (search->look)
        collect_needs(sim);
    SolStatus status = search->at(search->context, time, &sim->search.needs);
    if (status != SOL_OK)
        return status;
    *right = any_counts(sim, &sim->search.moved);
    note_differences(sim, &sim->search.moved, *right);
    return SOL_OK;
}

static void note_reach(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare)
        compare->reach = fmax(compare->reach, fabs(compare->low));
}

/* Is it beyond its boundary at hi by more than rounding explains, and where events follow each other
 * at once, or its condition chatters, the tolerance of the integrator? */
static bool is_beyond_error(Sim *sim, const EvalNode *node, Compare *compare, double lo, double hi)
{
    DdpVar condition = node->ops[compare->op].target;
    double margin = event_margin(sim, condition);
    if (mode_search_is_tight(sim))
        margin = fmax(margin, 1);
    if (margin == 0 && fabs(compare->high) > BOUNDARY_NEAR)
        return true;
    compare_renew_bound(sim, node, compare, hi);
    double difference = fabs(compare_difference(sim, node, compare));
    double rounding = BOUNDARY_ROUNDINGS * compare->rounding,
           least = fmax(rounding, margin * compare->tolerance);
    if (difference <= least && margin > 0 && difference > rounding &&
        event_persists(sim, condition, lo, hi))
        return true;
    bool doubted = margin > 0 &&
                   compare->leaves && /* by its slope: the dense output says otherwise */
                   compare->reach <= least && sim->search.impulse_time < sim->decide.event_time;
    compare->least = doubted ? least : 0;
    sim->search.doubted |= doubted;
    return difference > least;
}

static bool any_doubtful(Sim *sim, const NodeList *list)
{
    EACH_COMPARE (sim, list, node, compare)
        if (compare->moved && !compare->slot &&
            (fabs(compare->high) <= BOUNDARY_NEAR ||
             event_margin(sim, node->ops[compare->op].target)))
            return true;
    return false;
}

/* What begins at its boundary and has changed at hi may have been far away in between. */
static SolStatus look_between(Sim *sim, const EventSearch *search, const NodeList *list, double lo,
                              double hi)
{
    SolStatus status = search->at(search->context, lo + (hi - lo) / 2, NULL);
    if (status != SOL_OK)
        return status;
    EACH_COMPARE (sim, list, node, compare)
        if (compare->moved && !changed(sim, node, compare))
            compare->reach = fmax(compare->reach, fabs(compare_difference(sim, node, compare)));
    return SOL_OK;
}

/* Takes away of what moved between lo and hi what errors explain. `any`: something is left, and its
 * event is where errors no longer explain it. */
static void drop_errors(Sim *sim, const EventSearch *search, const NodeList *list, double lo,
                        double hi, bool *any)
{
    *any = true;
    EACH_COMPARE (sim, list, node, compare)
        compare->reach = fabs(compare->low);
    if (!mode_search_is_tight(sim) && !any_doubtful(sim, list))
        return;
    if (look_between(sim, search, list, lo, hi) != SOL_OK ||
        search->at(search->context, hi, NULL) != SOL_OK)
        return;
    *any = false;
    EACH_COMPARE (sim, list, node, compare) {
        compare->moved =
            compare->moved && (compare->slot || is_beyond_error(sim, node, compare, lo, hi));
        *any |= compare->moved;
    }
    if (!*any)
        forget_doubts(sim, list);
}

/* Narrows (lo, hi], unchanged at lo, changed at hi. Secants that keep hitting one side are pushed
 * over the crossing; a bracket that did not halve in three rounds is halved. */
static SolStatus narrow(Sim *sim, const EventSearch *search, double lo, double hi, double *time)
{
    const NodeList *moved = &sim->search.moved;
    double before = INFINITY, push = 0, whole = hi - lo;
    int side = 0, slow = 0;
    for (int round = 0; round < 200; round++) {
        if (cancel_break_off(sim))
            return SOL_CANCELLED;
        double tiny = 4 * DBL_EPSILON * fmax(whole, fmax(fabs(lo), fabs(hi))), width = hi - lo;
        if (width <= tiny)
            break;
        slow = width > before / 2 ? slow + 1 : 0;
        before = width;
        double at = slow >= 2 ? lo + width / 2 : propose(sim, moved, lo, hi) + push;
        at = fmin(fmax(at, lo + tiny / 2), hi - tiny / 2);
        if (!(at > lo && at < hi))
            break;
        bool right;
        SolStatus status = look_at(sim, search, at, &right);
        if (status != SOL_OK)
            return status;
        if (!right)
            note_reach(sim, moved);
        push = right ? -fmax(2 * tiny, (hi - at) * 1e-3) : fmax(2 * tiny, (at - lo) * 1e-3);
        if (side != (right ? 1 : -1))
            push = 0;
        side = right ? 1 : -1;
        if (right)
            hi = at;
        else
            lo = at;
    }
    *time = hi;
    sim->search.left = lo;
    forget_doubts(sim, search->nodes);
    return search->at(search->context, hi, NULL);
}

/* Comparisons that were left within rounding of their boundary have left it a little later. Others may cross
 * theirs meanwhile, and come back in the same step: these are `found`. */
static SolStatus step_away(Sim *sim, const EventSearch *search, double *from, double to,
                           bool *found)
{
    bool any = false, moved = false;
    EACH_COMPARE (sim, search->nodes, node, compare)
        any |= compare->near;
    double later = *from + 256 * DBL_EPSILON * fmax(fabs(*from), compare_look(sim));
    if (!any || later >= to)
        return SOL_OK;
    later = fmin(fmax(later, compare_ties_end(sim)), (later + to) / 2);
    SolStatus status = search->at(search->context, later, NULL);
    if (status != SOL_OK)
        return status;
    EACH_COMPARE (sim, search->nodes, node, compare) {
        compare->high = compare_difference(sim, node, compare);
        compare->moved = !compare->near && changed(sim, node, compare);
        moved |= compare->moved;
    }
    if (moved)
        drop_errors(sim, search, search->nodes, *from, later, found);
    EACH_COMPARE (sim, search->nodes, node, compare) {
        if (!*found || compare->near)
            compare->low = compare->high;
        compare->near = false;
    }
    *from = later;
    return SOL_OK;
}

/* Notes as moved, of nodes that are not in Sim.search.moved, what has changed here. */
static bool note_others(Sim *sim, const NodeList *list)
{
    bool any = false;
    sim->mark++;
    for (uint32_t i = 0; i < sim->search.moved.n; i++)
        sim->nodes.at[sim->search.moved.at[i]].mark = sim->mark;
    EACH_COMPARE (sim, list, node, compare)
        any |= node->mark != sim->mark && changed(sim, node, compare);
    EACH_COMPARE (sim, list, node, compare) {
        if (!any)
            break;
        compare->moved = node->mark != sim->mark && changed(sim, node, compare);
        compare->high = compare_difference(sim, node, compare);
    }
    return any;
}

/* Who goes beyond its boundary and comes back within the step shows where an event is found: its own is
 * the first. All is at `time`. */
static SolStatus look_earlier(Sim *sim, const EventSearch *search, double lo, double *time)
{
    SolStatus status = SOL_OK;
    bool found = true, earlier = true;
    while (status == SOL_OK && earlier && note_others(sim, search->nodes)) {
        double hi = *time;
        drop_errors(sim, search, search->nodes, lo, hi, &found);
        if (found) {
            collect_moved(sim, search);
            collect_needs(sim);
            status = narrow(sim, search, lo, hi, time);
        }
        earlier = *time < hi;
        if (earlier)
            continue;
        note_differences(sim, found ? search->nodes : &sim->search.moved, true);
        collect_moved(sim, search);
    }
    return status;
}

/* The first change of what moved between lo and hi. */
static SolStatus locate(Sim *sim, const EventSearch *search, double lo, double hi, double *time)
{
    collect_moved(sim, search);
    collect_needs(sim);
    SolStatus status = narrow(sim, search, lo, hi, time);
    return status == SOL_OK ? look_earlier(sim, search, lo, time) : status;
}

/* ---- dips ---- */

/* Three looks at the difference of a comparison, which has one sign in all of them. */
typedef struct Dip {
    double time[3], difference[3];
    double from; /* events lie behind it */
} Dip;

enum { DIP_LOOKS = 4 };

/* Where a parabola through the three has its vertex, if it comes much nearer to zero there. */
static double vertex(const Dip *dip)
{
    const double *t = dip->time, *d = dip->difference;
    double h = t[1] - t[0], k = t[2] - t[1], a = (d[1] - d[0]) / h, b = (d[2] - d[1]) / k;
    double bend = (b - a) / (h + k), slope = (a * k + b * h) / (h + k);
    double at = t[1] - slope / (2 * bend), there = d[1] - slope * slope / (4 * bend);
    double least = fmin(fabs(d[0]), fmin(fabs(d[1]), fabs(d[2])));
    bool one_sign = d[0] * d[1] > 0 && d[2] * d[1] > 0 && d[1] * bend > 0;
    bool inside = at > fmax(dip->from, t[0]) && at < t[2];
    return one_sign && inside && copysign(1, d[1]) * there < 0.5 * least ? at : NAN;
}

/* Of the three and a fourth between them, those around the one that is nearest to zero. */
static void narrow_dip(Dip *dip, double at, double difference)
{
    double time[4], d[4];
    int n = 0, least = 0;
    for (int i = 0; i < 3; i++) {
        if (n == i && at < dip->time[i]) {
            time[n] = at;
            d[n++] = difference;
        }
        time[n] = dip->time[i];
        d[n++] = dip->difference[i];
    }
    for (int i = 1; i < n; i++)
        least = fabs(d[i]) < fabs(d[least]) ? i : least;
    int first = least < 2 ? 0 : 1;
    memcpy(dip->time, time + first, sizeof dip->time);
    memcpy(dip->difference, d + first, sizeof dip->difference);
}

static bool is_seen(const Dip *dip, double at)
{
    double apart = INFINITY;
    for (int i = 0; i < 3; i++)
        apart = fmin(apart, fabs(at - dip->time[i]));
    return !(apart > 1e-6 * (dip->time[2] - dip->time[0]));
}

/* Goes down into it. `found`: something has changed at time[1], and had not at time[0]. */
static SolStatus look_into(Sim *sim, const EventSearch *search, const EvalNode *node,
                           const Compare *compare, Dip *dip, bool *found)
{
    for (int i = 0; i < DIP_LOOKS; i++) {
        double at = vertex(dip);
        if (isnan(at) || is_seen(dip, at))
            return SOL_OK;
        SolStatus status = search->at(search->context, at, NULL);
        if (status != SOL_OK)
            return status;
        if (any_changed(sim, search->nodes)) {
            dip->time[0] = fmax(dip->from, at > dip->time[1] ? dip->time[1] : dip->time[0]);
            dip->time[1] = at;
            *found = true;
            return SOL_OK;
        }
        narrow_dip(dip, at, compare_difference(sim, node, compare));
    }
    return SOL_OK;
}

/* Differences at both ends of the first half of a dip, at whose end something has changed. */
static SolStatus note_dip(Sim *sim, const EventSearch *search, const Dip *dip, bool *found)
{
    SolStatus status = search->at(search->context, dip->time[0], NULL);
    if (status == SOL_OK) {
        note_differences(sim, search->nodes, false);
        status = search->at(search->context, dip->time[1], NULL);
    }
    if (status == SOL_OK) {
        note_differences(sim, search->nodes, true);
        drop_errors(sim, search, search->nodes, dip->time[0], dip->time[1], found);
    }
    return status;
}

/* What the clock drives may go beyond its boundary and come back between two looks, when states say nothing
 * of it and steps are long: where its difference is least of three looks, it is looked for. All is at
 * hi, and is so again if nothing is found. */
static SolStatus look_for_dips(Sim *sim, const EventSearch *search, double lo, double hi, Dip *dip,
                               bool *found)
{
    SolStatus status = SOL_OK;
    bool strayed = false;
    EACH_COMPARE (sim, search->nodes, node, compare) {
        if (compare->slot || compare->timed || compare->masked || *found || status != SOL_OK)
            continue;
        if (strayed)
            status = search->at(search->context, hi, NULL);
        *dip = (Dip){{search->looks->at[0], lo, hi},
                     {compare->lower, compare->low, compare_difference(sim, node, compare)},
                     dip->from};
        strayed = !isnan(vertex(dip));
        if (strayed && status == SOL_OK)
            status = look_into(sim, search, node, compare, dip, found);
    }
    if (*found && status == SOL_OK)
        status = note_dip(sim, search, dip, found);
    if (!*found && strayed && status == SOL_OK)
        status = search->at(search->context, hi, NULL);
    return status;
}

/* Looks go on where the last ones ended, or begin. */
static SolStatus begin_looks(Sim *sim, const EventSearch *search, double from, double piece)
{
    bool goes_on = search->looks->at[1] == from;
    looks_begin(search->looks, from, piece);
    if (!search->dips || goes_on)
        return SOL_OK;
    SolStatus status = search->at(search->context, from, NULL);
    if (status == SOL_OK)
        note_differences(sim, search->nodes, false);
    return status;
}

static LookBack looks_back(const Compare *compare)
{
    return (LookBack){compare->lower, compare->low, compare->swing, compare->nominal};
}

static void end_look(Sim *sim, const EventSearch *search, double hi)
{
    EACH_COMPARE (sim, search->nodes, node, compare) {
        double now = compare_difference(sim, node, compare);
        compare->swing = looks_swing(search->looks, hi, looks_back(compare), now);
        compare->lower = compare->low;
        compare->low = now;
    }
    looks_accept(search->looks, hi);
}

/* Is the look at hi too far from the last one? */
static bool look_too_far(Sim *sim, const EventSearch *search, double hi)
{
    double most = 0;
    if (!search->clocked || hi >= search->jump)
        return false;
    EACH_COMPARE (sim, search->nodes, node, compare)
        if (node->clocked && !compare->timed && !compare->masked)
            most = fmax(most, looks_surprise(search->looks, hi, looks_back(compare),
                                             compare_difference(sim, node, compare)));
    return looks_too_far(search->looks, hi, most);
}

/* The look at hi: the first change up to there, or none. */
static SolStatus look(Sim *sim, const EventSearch *search, Dip *dip, double lo, double hi,
                      double *time, bool *found)
{
    SolStatus status = SOL_OK;
    if (any_changed(sim, search->nodes)) {
        note_differences(sim, search->nodes, true);
        drop_errors(sim, search, search->nodes, lo, hi, found);
    }
    if (*found)
        return locate(sim, search, lo, hi, time);
    if (search->dips && search->looks->at[0] < lo)
        status = look_for_dips(sim, search, lo, hi, dip, found);
    if (status != SOL_OK)
        return status;
    if (*found)
        return locate(sim, search, dip->time[0], dip->time[1], time);
    end_look(sim, search, hi);
    return SOL_OK;
}

SolStatus event_search(Sim *sim, const EventSearch *search, double from, double to, double *time,
                       bool *found)
{
    *found = false;
    if (!search->nodes->n)
        return SOL_OK;
    double before = from;
    SolStatus away = step_away(sim, search, &from, to, found);
    if (away != SOL_OK)
        return away;
    if (*found)
        return locate(sim, search, before, from, time);
    double lo = from, begin = from > before ? from : search->begin;
    Dip dip = {.from = from};
    int pieces = event_pieces(sim, search->clocked, to - begin);
    SolStatus status = begin_looks(sim, search, from, (to - begin) / pieces);
    for (int i = 1; i <= pieces; i++) {
        double end = event_piece(begin, to, i, pieces);
        while (lo < end && status == SOL_OK) {
            double hi = search->clocked ? looks_next(search->looks, end) : end;
            status = cancel_break_off(sim) ? SOL_CANCELLED : search->at(search->context, hi, NULL);
            if (status != SOL_OK || look_too_far(sim, search, hi))
                continue;
            status = look(sim, search, &dip, lo, hi, time, found);
            if (*found)
                return status;
            lo = hi;
        }
    }
    return status;
}

SolStatus event_search_moved(Sim *sim, const EventSearch *search, double from, double to,
                             double *time, bool *found)
{
    bool changed;
    if (!search->look)
        collect_needs(sim);
    SolStatus status = look_at(sim, search, to, &changed);
    if (status == SOL_OK)
        drop_errors(sim, search, &sim->search.moved, from, to, found);
    *time = to;
    if (status == SOL_OK && !*found)
        end_look(sim, search, to);
    if (status == SOL_OK && *found)
        status = narrow(sim, search, from, to, time);
    EventSearch plain = *search;
    plain.look = NULL;
    return status == SOL_OK && *found ? look_earlier(sim, &plain, from, time) : status;
}

/* Nodes that read these, directly or not, as far as they are of a part: into Sim.search.needs. */
static void collect_readers(Sim *sim)
{
    NodeList *work = &sim->search.needs;
    vec_clear(work);
    sim->mark++;
    for (uint32_t i = 0; i < sim->search.moved.n; i++) {
        vec_push(sim->mem, work, sim->search.moved.at[i]);
        sim->nodes.at[sim->search.moved.at[i]].mark = sim->mark;
    }
    for (uint32_t i = 0; i < work->n; i++) {
        uint32_t outputs = sim->nodes.at[work->at[i]].n_steps + sim->nodes.at[work->at[i]].n_tears;
        for (uint32_t k = 0; k < outputs; k++) {
            DdpVar var = node_output(&sim->nodes.at[work->at[i]], k);
            for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
                EvalNode *reader = &sim->nodes.at[edge->node];
                if (!reader->part || reader->mark == sim->mark)
                    continue;
                reader->mark = sim->mark;
                vec_push(sim->mem, work, edge->node);
            }
        }
    }
}

bool event_is_real(Sim *sim, double time)
{
    for (uint32_t i = 0; i < sim->search.moved.n; i++)
        if (kept_changed(sim, &sim->nodes.at[sim->search.moved.at[i]]))
            return true;
    collect_readers(sim);
    return event_conditions_changed(sim, &sim->search.needs, time);
}
