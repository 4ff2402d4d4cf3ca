/* boundary.c: comparisons at their boundary when a phase begins -> the side they leave to (U6 of
 * docs/language.md).
 *
 * The derivative of the difference along the solution says to which side a comparison leaves, and
 * it takes that value at once; one that does not leave has the value of equality. (IDA's own root
 * finding disarms a root that is zero at the start.) At its boundary is what is exactly there, what
 * rounding explains (eval/error_bound.c), and what crosses it at a time that cannot be told from
 * now.
 */
#include "runtime/eval/compare.h"
#include "runtime/event/event.h"
#include "runtime/event/mode_search.h"

#include <float.h>
#include <math.h>

/* ---- comparisons at their boundary ---- */

enum { MOST_TURNS = 2 }; /* times that a tie is decided otherwise in an event: then it slides */

static bool at_rest(Sim *sim, const Compare *compare, double difference)
{
    if (compare->tie != 0 && (compare->slot || compare->turns == MOST_TURNS))
        return false;
    return difference ==
           (compare->slot ? hold_boundary(compare_kind(sim, compare), difference) : 0);
}

/* What is kept leaves its boundary: true when it gets another value. */
static bool leave_kept(Sim *sim, DdpNode n, const Compare *compare, double slope)
{
    const EvalNode *node = &sim->nodes.at[n];
    double boundary =
        hold_boundary(compare_kind(sim, compare), compare_difference(sim, node, compare));
    if (hold_leaving(compare_kind(sim, compare), boundary, slope) == sim->value[compare->slot])
        return false;
    evaluate_touch_node(sim, n);
    return true;
}

static const double SLOW = 1e-9, MOMENT = 1e-12;

/* Would the side it leaves to be another value, by a slope that is made of rounding? */
static bool stays(Sim *sim, const EvalNode *node, const Compare *compare, double slope)
{
    const EvalOp *op = &node->ops[compare->op];
    if (compare->slot ||
        hold_leaving(compare_kind(sim, compare), 0, slope) == compare_self(sim, node, compare))
        return false;
    ErrorBound bound = sim->decide.modes ? error_bound_of_slope(sim, op, compare->difference_code)
                                         : error_bound(sim, op, compare->difference_code);
    return fabs(slope) <=
           fmax(SLOW * bound.speed, sim->decide.modes ? BOUNDARY_ROUNDINGS * bound.drift : 0);
}

static bool leave(Sim *sim, DdpNode n, Compare *compare)
{
    EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[compare->op];
    double slope = slope_along(sim, n, op, compare->difference_code);
    int8_t side = slope > 0 ? 1 : -1;
    if (slope == 0 || !isfinite(slope) || !(op->target || compare->slot) || compare->tie == side ||
        stays(sim, node, compare, slope))
        return false;
    double before = sim->value[op->target];
    compare->turns += compare->tie != 0;
    compare->tie = side;
    compare_note_tie(sim, n, true, 0);
    if (compare->slot)
        return leave_kept(sim, n, compare, slope);
    node->forced = true;
    compare_force(sim, n, compare, compare_tied_value(sim, compare));
    if (sim->value[op->target] == before)
        return false;
    evaluate_touch(sim, op->target);
    return true;
}

/* Dynamics or conditions hang on it: it belongs to a part, or will when parts are settled. */
static bool matters(const EvalNode *node)
{
    NodePlace place = node_place(node);
    return place == PLACE_DYNAMICS || place == PLACE_CONDITIONS;
}

/* ---- comparisons within rounding of their boundary ---- */

/* What a comparison within rounding of its boundary becomes: the side it leaves to, or, where that
 * is rounding too, what it is at equality. */
typedef enum Closeness {
    NOT_CLOSE = 0,
    CLOSE_UP = 1,
    CLOSE_DOWN = -1,
    CLOSE_EQUAL = TIE_EQUAL
} Closeness;

double event_point_number(const Sim *sim)
{
    return MOMENT * fmax(fabs(sim->time), compare_look(sim));
}

/* Is its slope what rounding in the slopes of states may make? That takes all that these follow from, so it is asked last. */
static bool is_drift(Sim *sim, const EvalOp *op, const Compare *compare, double slope)
{
    double drift = error_bound_of_slope(sim, op, compare->difference_code).drift;
    return fabs(slope) <= BOUNDARY_ROUNDINGS * drift;
}

/* Close is also what crosses its boundary at a time that cannot be told from now. In a search over modes
 * the comparison that rounding blurs most says how exactly the time of the event is known: what is decided
 * as behind it and what is decided as before it are no combination. */
static Closeness closeness(Sim *sim, const EvalOp *op, const Compare *compare, double slope)
{
    double difference = evaluate_code(sim, compare->difference_code, op->vars);
    bool tolerant = mode_search_is_tolerant(sim);
    double moment = fmax(event_point_number(sim), mode_search_moment(sim));
    if (!isfinite(slope) || (fabs(difference) > BOUNDARY_NEAR && !tolerant))
        return NOT_CLOSE;
    ErrorBound bound = error_bound(sim, op, compare->difference_code);
    double error = fmax(BOUNDARY_ROUNDINGS * bound.rounding, tolerant ? bound.tolerance : 0);
    if (fabs(difference) > fmax(error, fabs(slope) * moment))
        return NOT_CLOSE;
    if (fabs(slope) <= SLOW * bound.speed || is_drift(sim, op, compare, slope))
        return CLOSE_EQUAL;
    if (fabs(difference) <= BOUNDARY_ROUNDINGS * bound.rounding)
        mode_search_blur(sim, (fabs(difference) + bound.rounding) / fabs(slope));
    return slope > 0 ? CLOSE_UP : CLOSE_DOWN;
}

/* Decides a comparison that is not exactly at its boundary. */
static void tie_close(Sim *sim, DdpNode n, Compare *compare, int8_t tie)
{
    EvalNode *node = &sim->nodes.at[n];
    compare->tie = tie;
    compare->close = tie != 0;
    compare_note_tie(sim, n, tie && !node->forced, mode_search_moment(sim));
    node->forced = true;
    evaluate_touch_node(sim, n);
}

static bool is_rounding(Sim *sim, const EvalOp *op, const Compare *compare, double difference)
{
    return difference == 0 ||
           (fabs(difference) <= BOUNDARY_NEAR &&
            fabs(difference) <=
                BOUNDARY_ROUNDINGS * error_bound(sim, op, compare->difference_code).rounding);
}

bool event_keep_at_boundary(Sim *sim, DdpVar condition, bool truth)
{
    DdpNode n = sim->info[condition].node;
    EvalNode *node = &sim->nodes.at[n];
    for (uint32_t k = 0; n && k < node->n_compares; k++) {
        Compare *compare = &node->compare[k];
        const EvalOp *op = &node->ops[compare->op];
        if (compare->timed || compare->slot || op->target != condition ||
            !is_rounding(sim, op, compare, compare_difference(sim, node, compare)))
            continue;
        for (int8_t side = -1; side <= 1; side += 2) {
            double now = hold_leaving(compare_kind(sim, compare), 0, side);
            X value = compare_replace(sim, op->value, compare->self, now);
            if ((compare_value_of(sim, op, value) != 0) != truth)
                continue;
            tie_close(sim, n, compare, side);
            return true;
        }
    }
    return false;
}

static bool leave_close(Sim *sim, DdpNode n, Compare *compare)
{
    EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[compare->op];
    if (compare->timed || compare->slot || !op->target)
        return false;
    double slope = slope_along(sim, n, op, compare->difference_code);
    int8_t tie = (int8_t)closeness(sim, op, compare, slope);
    if (tie == compare->tie && compare->close == (tie != 0))
        return false;
    tie_close(sim, n, compare, tie);
    return true;
}

bool event_leave_close(Sim *sim)
{
    bool changed = false;
    sim->mark++;
    for (uint32_t i = 0; i < sim->search.compared.n; i++) {
        EvalNode *node = &sim->nodes.at[sim->search.compared.at[i]];
        if (node->mark == sim->mark || !matters(node))
            continue;
        node->mark = sim->mark;
        for (uint32_t k = 0; k < node->n_compares; k++)
            changed |= leave_close(sim, sim->search.compared.at[i], &node->compare[k]);
    }
    return changed;
}

static double decided_value(Sim *sim, const EvalNode *node, const Compare *compare)
{
    return compare->tie && compare->close ? compare_tied_value(sim, compare)
                                          : compare_self(sim, node, compare);
}

/* Does it go clearly further to the side on which it is? */
static bool goes_on(Sim *sim, const EvalNode *node, const Compare *compare, double slope)
{
    return fabs(slope) * compare_look(sim) > 100 * BOUNDARY_NEAR &&
           hold_leaving(compare_kind(sim, compare), 0, slope) == decided_value(sim, node, compare);
}

/* Does a branch hang on its being `now`? A condition that only falls is no matter of this event. */
static bool takes(Sim *sim, const EvalOp *op, const Compare *compare, double now)
{
    if (!sim->info[op->target].branches)
        return true;
    X x = compare_replace(sim, op->value, compare->self, now);
    return event_would_take(sim, op->target, compare_value_of(sim, op, x) != 0);
}

/* The same within rounding of its boundary, as far as it becomes another one. */
static bool leave_rounding(Sim *sim, DdpNode n, Compare *compare, double difference)
{
    const EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[compare->op];
    if (!(fabs(difference) <= BOUNDARY_NEAR) || sim->search.exact || compare->slot || !op->target ||
        compare->turns == MOST_TURNS)
        return false;
    double slope = slope_along(sim, n, op, compare->difference_code);
    if (goes_on(sim, node, compare, slope))
        return false;
    int8_t tie = (int8_t)closeness(sim, op, compare, slope);
    double before = decided_value(sim, node, compare);
    Compare other = *compare;
    other.tie = tie;
    if (!tie || compare_tied_value(sim, &other) == before ||
        !takes(sim, op, compare, compare_tied_value(sim, &other)))
        return false;
    compare->turns += compare->tie != 0;
    sim->search.rounded = true;
    tie_close(sim, n, compare, tie);
    return true;
}

/* Most are far from their boundary: whether a node matters is asked only of others. */
static bool leave_node(Sim *sim, const NodeList *list, uint32_t i)
{
    bool changed = false;
    DdpNode n = list->at[i];
    EvalNode *node = compare_node(sim, list, i);
    if (node->mark == sim->mark || !node->live)
        return false;
    node->mark = sim->mark;
    for (uint32_t k = 0; k < node->n_compares; k++) {
        Compare *compare = &node->compare[k];
        if (compare->timed)
            continue;
        double difference = compare_difference(sim, node, compare);
        if ((fabs(difference) > BOUNDARY_NEAR && !compare->slot) || !matters(node))
            continue;
        changed |= at_rest(sim, compare, difference) ? leave(sim, n, compare)
                                                     : leave_rounding(sim, n, compare, difference);
    }
    return changed;
}

/* From i on the first of n that is near its boundary, or of which that is not known here; n: none is. */
static uint32_t next_near(const double *value, const WatchNote *note, uint32_t i, uint32_t n)
{
    for (; i < n && note[i].left; i++) {
        double right = note[i].right ? value[note[i].right] : note[i].constant;
        if (!(fabs(value[note[i].left] - right) > BOUNDARY_NEAR))
            break;
    }
    return i;
}

/* A part may have thousands of comparisons, of which hardly any is near its boundary. */
static bool leave_watched(Sim *sim, const Part *part)
{
    const NodeList *list = &part->lists.watched;
    const WatchNote *notes = part->lists.watch_notes.at;
    bool changed = false;
    for (uint32_t i = 0; (i = next_near(sim->value, notes, i, list->n)) < list->n; i++)
        changed |= leave_node(sim, list, i);
    return changed;
}

/* Of those that the event evaluated, and those whose values it left alone but not what moves them.
 * A structure that came later in the event may lead to the other side. */
bool event_leave_ties(Sim *sim)
{
    bool changed = false;
    sim->mark++;
    for (uint32_t i = 0; i < sim->search.compared.n; i++)
        changed |= leave_node(sim, &sim->search.compared, i);
    for (uint32_t p = 0; p < parts_touched(sim).n; p++) {
        changed |= leave_watched(sim, parts_touched(sim).at[p]);
    }
    vec_clear(&sim->search.compared);
    return changed;
}

/* Would the condition be false with this comparison otherwise, and does a `when` wait for it? */
static bool falls(Sim *sim, const EvalOp *op, const Compare *compare, double now)
{
    return op->target && now != compare->left &&
           compare_value_of(sim, op, compare_replace(sim, op->value, compare->self, now)) == 0 &&
           event_condition_falls(sim, op->target);
}

/* The event is put where its comparison is just true. When the event turned the motion round (a
 * ball that bounces), the comparison becomes false at once, and the next time it becomes true may
 * lie within the same step: it counts as false from the start (U6). Only where a `when` waits for it:
 * this must not fire. So does one that is true by rounding, and leaves to the other side. */
static void leave_near(Sim *sim, DdpNode n, Compare *compare)
{
    EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[compare->op];
    double difference = compare->low; /* remembered a moment ago */
    double slope = slope_along(sim, n, op, compare->difference_code);
    double resolved = 64 * DBL_EPSILON * fmax(fabs(sim->time), compare_look(sim));
    if (!(difference * slope < 0))
        return;
    if (fabs(difference) > fabs(slope) * resolved &&
        closeness(sim, op, compare, slope) != (slope > 0 ? CLOSE_UP : CLOSE_DOWN))
        return;
    double now = hold_leaving(compare_kind(sim, compare), 0, slope);
    if (!falls(sim, op, compare, now))
        return;
    compare->left = now;
    compare->near = true;
}

/* Another evaluation than that of the event may find a comparison on the other side by rounding.
 * What the event decided counts: else its condition would not be found when it comes true. */
static void keep_decided(Sim *sim, const EvalNode *node, Compare *compare)
{
    const EvalOp *op = &node->ops[compare->op];
    if (!op->target || !sim->info[op->target].branches)
        return;
    double now =
        compare_value_of(sim, op, compare_replace(sim, op->value, compare->self, compare->left));
    double other =
        compare_value_of(sim, op, compare_replace(sim, op->value, compare->self, !compare->left));
    if (event_would_take(sim, op->target, now != 0) &&
        !event_would_take(sim, op->target, other != 0))
        compare->left = !compare->left;
}

/* Does it go further to the side on which it is? */
static bool leads_on(Sim *sim, DdpNode n, const EvalNode *node, const Compare *compare)
{
    double slope = slope_along(sim, n, &node->ops[compare->op], compare->difference_code);
    return slope != 0 && hold_leaving(compare_kind(sim, compare), 0, slope) == compare->left;
}

/* Asked where its events follow each other at once, or again and again. */
static bool is_restless(const Sim *sim, const EvalNode *node, const Compare *compare)
{
    return mode_search_is_tight(sim) || event_margin(sim, node->ops[compare->op].target) > 0;
}

void event_leave_near(Sim *sim)
{
    for (uint32_t p = 0; p < parts_touched(sim).n; p++) {
        const NodeList *nodes = &parts_touched(sim).at[p]->lists.watched;
        for (uint32_t i = 0; i < nodes->n; i++) {
            EvalNode *node = &sim->nodes.at[nodes->at[i]];
            for (uint32_t k = 0; k < node->n_compares; k++) {
                Compare *compare = &node->compare[k];
                compare->leaves = false;
                if (!(fabs(compare->low) < BOUNDARY_NEAR) || compare->timed || compare->slot)
                    continue;
                keep_decided(sim, node, compare);
                if (compare->tie == 0)
                    leave_near(sim, nodes->at[i], compare);
                compare->leaves =
                    is_restless(sim, node, compare) && leads_on(sim, nodes->at[i], node, compare);
            }
        }
    }
}

bool event_leads_on(Sim *sim, DdpVar condition)
{
    DdpNode n = sim->info[condition].node;
    const EvalNode *node = n ? &sim->nodes.at[n] : NULL;
    for (uint32_t k = 0; node && k < node->n_compares; k++) {
        const Compare *compare = &node->compare[k];
        if (compare->timed || compare->slot || !(fabs(compare->low) < BOUNDARY_NEAR))
            continue;
        if (leads_on(sim, n, node, compare))
            return true;
    }
    return false;
}

/* When an event begins, what was decided at the last one is past; unless it is that near. */
void event_forget_ties(Sim *sim)
{
    if (!compare_ties_hold(sim))
        compare_forget_ties(sim);
}

void event_be_exact(Sim *sim)
{
    const NodeList *tied = compare_tied_nodes(sim);
    for (uint32_t i = 0; i < tied->n; i++)
        if (tied->at[i] < sim->nodes.n && sim->nodes.at[tied->at[i]].live)
            evaluate_touch_node(sim, tied->at[i]);
    compare_forget_ties(sim);
    sim->search.exact = true;
}
