/* clock_change.c: comparisons that the clock alone drives, a step -> the first of them to change, however shortly.
 *
 * Looks at points (eval/looks.c) see what lasts longer than their distance. Here it is shown that nothing lies between them: a
 * stretch in which the range of the difference (eval/clock_range.c) decides the comparison is passed over, one in which it only rises or only
 * falls is judged by its end, any other is divided, down to SHORTEST of the step. So a pulse of a microsecond in a step of an hour is found.
 * What is decided first is what the comparison was; the value that it has in the search of events counts there.
 *
 * Ranges of x - x are too wide, and many halvings show little then. A comparison of that kind is left to looks for a while.
 */
#include "runtime/event/clock_change.h"

#include "runtime/eval/clock_range.h"
#include "runtime/eval/compare.h"

#include <float.h>
#include <math.h>

enum { MOST_RANGES = 400, HARDLY = 8, LEAST_REST = 16, MOST_REST = 4096 };

static const double SHORTEST = 1e-10; /* of a step */
static const double CLEARLY = 1e-3;   /* of what was passed over */
static const double WORTH = 1.0 / 16; /* distances of looks that a range must get on in the mean */

void clock_change_list(Part *part)
{
    const Sim *sim = part->sim;
    vec_clear(&part->lists.by_clock);
    for (uint32_t i = 0; i < part->lists.watched.n; i++)
        if (sim->nodes.at[part->lists.watched.at[i]].clocked)
            vec_push(sim->mem, &part->lists.by_clock, part->lists.watched.at[i]);
}

/* Its value, or NAN: the range does not decide it. */
static double decided(const Sim *sim, const Compare *compare, Range r)
{
    XOp kind = compare_kind(sim, compare);
    bool function = compare->slot != 0;
    double low = function ? x_apply_unary(kind, r.low) : x_apply_binary(kind, r.low, 0),
           high = function ? x_apply_unary(kind, r.high) : x_apply_binary(kind, r.high, 0);
    bool through = !function && (kind == X_EQ || kind == X_NE) && r.low <= 0 && r.high >= 0;
    return low == high && !through ? low : NAN;
}

/* A comparison, and how far it is known: up to `at` it has had the value `was` (NAN: at its boundary). */
typedef struct March {
    const Sim *sim;
    const EvalNode *node;
    const Compare *compare;
    double at, was, width, shortest;
    bool known; /* nothing but the clock drives it */
} March;

static ClockRange range_in(March *m, double from, double to)
{
    ClockRange r;
    m->known = clock_range(m->sim, m->node, m->compare, from, to, &r);
    return r;
}

static double value_in(March *m, double from, double to)
{
    ClockRange r = range_in(m, from, to);
    return m->known ? decided(m->sim, m->compare, r.value) : NAN;
}

/* It only rises, or only falls, up to `end`: what it is there, clearly, or NAN. */
static double value_behind(March *m, double end, ClockRange r)
{
    if (!m->known || (r.slope.low <= 0 && r.slope.high >= 0))
        return NAN;
    Range there = range_in(m, end, end).value;
    double little = CLEARLY * (r.value.high - r.value.low);
    double is = decided(m->sim, m->compare, (Range){there.low - little, there.high + little});
    if (isnan(m->was))
        m->was = value_in(m, m->at, m->at);
    if (isnan(m->was))
        m->was = is;
    return is;
}

/* At `end` it is hardly beyond its boundary, where rounding could explain it. A later time, while it has that value: so near the boundary
 * ranges decide nothing yet, but the points between them do. */
static double further(March *m, double end, double to)
{
    double is = value_in(m, end, end), at = end, width = m->shortest;
    for (int i = 0; width < CLEARLY * (end - m->at) + 1000 * m->shortest && end + width <= to;
         i++) {
        double next = end + width, now = value_in(m, at, next);
        if (isnan(now) && i < HARDLY)
            now = value_in(m, next, next);
        if (now != is)
            break;
        at = next;
        width *= 2;
    }
    return at;
}

/* One stretch. Where it ends with another value, that time, else 0. */
static double pass(March *m, double to)
{
    double end = fmin(to, m->at + m->width);
    ClockRange r = range_in(m, m->at, end);
    double is = m->known ? decided(m->sim, m->compare, r.value) : NAN;
    bool least = m->width <= m->shortest;
    if (isnan(is))
        is = value_behind(m, end, r);
    if (isnan(is) && !least) {
        m->width = fmax(m->shortest, m->width / 4);
        return 0;
    }
    if (isnan(is) && m->known)
        is = value_in(m, end, end);
    if (!isnan(is) && !isnan(m->was) && is != m->was)
        return least ? further(m, end, to) : end;
    m->was = isnan(is) ? m->was : is;
    m->at = end;
    m->width *= 2;
    return 0;
}

/* Where a comparison has changed, or as far as is known; `to`: not before. */
static double change_of(const Part *part, const EvalNode *node, Compare *compare, double from,
                        double to, double shortest)
{
    March m = {part->sim, node, compare, from, NAN, to - from, shortest, true};
    double change = 0;
    if (compare->unasked) {
        compare->unasked--;
        return to;
    }
    for (int i = 0; i < MOST_RANGES && m.at < to && m.known && change == 0; i++)
        change = pass(&m, to);
    bool slow = change == 0 && m.at < to && m.at - from < MOST_RANGES * WORTH * part->looks.gap;
    compare->changes = change;
    if (m.known && !slow)
        return change != 0 ? change : m.at;
    compare->unasked_next = (uint16_t)fmin(MOST_REST, fmax(LEAST_REST, 2 * compare->unasked_next));
    compare->unasked = compare->unasked_next;
    return to;
}

static bool is_asked(const Compare *compare)
{
    return !compare->timed && !compare->masked;
}

/* The one that was going to change first: the others need not be known beyond that. */
static Compare *soonest(const Part *part, double from, EvalNode **of)
{
    Compare *first = NULL;
    EACH_COMPARE (part->sim, &part->lists.by_clock, node, compare)
        if (is_asked(compare) && compare->changes > from &&
            (!first || compare->changes < first->changes)) {
            first = compare;
            *of = node;
        }
    return first;
}

double clock_change_next(Part *part, double from, double to)
{
    Sim *sim = part->sim;
    double shortest = fmax(SHORTEST * (to - from), 64 * DBL_EPSILON * fmax(fabs(from), fabs(to)));
    EvalNode *of = NULL;
    Compare *first = soonest(part, from, &of);
    if (first)
        to = change_of(part, of, first, from, to, shortest);
    EACH_COMPARE (sim, &part->lists.by_clock, node, compare)
        if (is_asked(compare) && compare != first)
            to = change_of(part, node, compare, from, to, shortest);
    return to;
}
