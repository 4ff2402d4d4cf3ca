/* loop_ways.c: a loop that Newton's method does not solve -> its solution, along a way from equations that are easier.
 *
 *     1. from the modeller's simplified equations, homotopy(actual, simplified), to the actual ones; if need be closely, and
 *        around its turns (numerics/way.c);
 *     2. from equations that a guess satisfies (Newton homotopy), for several guesses;
 *     3. from what the loop reads being 0 to what it is.
 *
 * Last, Newton's method once more, by another measure of what is left.
 */
#include "numerics/way.h"
#include "runtime/eval/loop_system.h"

#include <math.h>

/* A way from equations that are easier to those of the loop. `set` makes them those at part t of it; `given` is what it needs. */
typedef void Way(System *s, double t, const double *given);

static bool follow(System *s, Way *set, const double *given)
{
    double *good = mem_alloc(s->sim->mem, (size_t)s->n * sizeof *good), at = 0, h = 0.1;
    set(s, 0, given);
    bool fine = s->newton(s, 50);
    loop_system_get_unknowns(s, good);
    while (fine && at < 1 && h > 1e-6) {
        double next = fmin(1, at + h);
        set(s, next, given);
        if (s->newton(s, 20)) {
            loop_system_get_unknowns(s, good);
            at = next;
            h *= 2;
        } else {
            loop_system_put_unknowns(s, good, NULL, 0);
            h /= 4;
        }
    }
    set(s, 1, given);
    mem_free(s->sim->mem, good);
    return fine && at >= 1 && s->newton(s, 20);
}

typedef struct Walker {
    System *s;
    Way *set;
    const double *given;
} Walker;

static bool value_on_way(void *context, const double *x, double t, double *f)
{
    const Walker *w = context;
    loop_system_put_unknowns(w->s, x, NULL, 0);
    w->set(w->s, t, w->given);
    w->s->residuals(w->s, f);
    bool finite = !cancel_break_off(w->s->sim);
    for (uint32_t i = 0; i < w->s->n; i++) {
        f[i] -= w->s->offset[i];
        finite = finite && isfinite(f[i]);
    }
    return finite;
}

static bool factor_on_way(void *context)
{
    const Walker *w = context;
    return w->s->factor(w->s);
}

static void solve_on_way(void *context, double *b)
{
    const Walker *w = context;
    w->s->apply(w->s, b);
}

/* The same in steps that stay on the way, and along its length: t may go back in between. */
static bool follow_closely(System *s, Way *set, const double *given)
{
    double *x = mem_alloc(s->sim->mem, 2 * (size_t)s->n * sizeof *x), *unit = x + s->n;
    Walker walker = {s, set, given};
    WaySystem way = {.n = s->n,
                     .context = &walker,
                     .unit = unit,
                     .value = value_on_way,
                     .factor = factor_on_way,
                     .solve = solve_on_way};
    set(s, 0, given);
    bool fine = s->newton(s, 50);
    loop_system_get_unknowns(s, x);
    for (uint32_t i = 0; i < s->n; i++)
        unit[i] = fabs(x[i]) + world_var_nominal(s->sim->world, s->unknown[i]);
    fine = fine && way_follow(s->sim->mem, &way, x);
    loop_system_put_unknowns(s, x, NULL, 0);
    set(s, 1, given);
    mem_free(s->sim->mem, x);
    return fine && s->newton(s, 20);
}

/* Newton homotopy: `given` are the residuals at its beginning. */
static void set_offset(System *s, double t, const double *given)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->offset[i] = (1 - t) * given[i];
}

/* The modeller's homotopy(actual, simplified). */
static void set_simplified(System *s, double t, const double *given)
{
    (void)given;
    s->sim->value[world_homotopy(s->sim->world)] = 1 - t;
}

/* What the loop reads grows from 0. */
static void set_sources(System *s, double t, const double *given)
{
    for (uint32_t i = 0; i < s->node->n_reads; i++)
        s->sim->value[s->node->reads[i].var] = t * given[i];
}

/* First guesses to deform from, one after the other: where it stands, near that (a symmetric point
 * may be singular), then all unknowns alike: some plain numbers, and what the loop reads. The last
 * help where differences from something given stand in an exponent, and any other guess overflows.
 */
enum { PLAIN = 5, MOST_READS = 6 };

static double guess(const System *s, uint32_t attempt, double first)
{
    static const double plain[PLAIN] = {0, 1, -1, 10, -10};
    if (attempt < 2)
        return first + attempt * 1e-3 * (fabs(first) + 1);
    if (attempt < 2 + PLAIN)
        return plain[attempt - 2];
    return s->sim->value[s->node->reads[attempt - 2 - PLAIN].var];
}

uint32_t loop_guesses(const EvalNode *node)
{
    return 2 + PLAIN + (node->n_reads < MOST_READS ? node->n_reads : MOST_READS);
}

static bool deform(System *s, const double *first)
{
    uint32_t attempts = loop_guesses(s->node);
    double *base = mem_alloc(s->sim->mem, (size_t)s->n * sizeof *base);
    bool fine = false;
    for (uint32_t attempt = 0; attempt < attempts && !fine; attempt++) {
        loop_system_no_offset(s);
        for (uint32_t i = 0; i < s->n; i++)
            s->sim->value[s->unknown[i]] = guess(s, attempt, first[i]);
        s->residuals(s, base);
        fine = isfinite(loop_system_measure(s, base)) && follow(s, set_offset, base);
    }
    loop_system_no_offset(s);
    mem_free(s->sim->mem, base);
    return fine;
}

typedef bool Follow(System *s, Way *set, const double *given);

/* From the first guess, then from 0. */
static bool follow_from(System *s, const double *first, Follow *along, Way *set,
                        const double *given)
{
    bool fine = false;
    loop_system_no_offset(s);
    for (int attempt = 0; attempt < 2 && !fine; attempt++) {
        for (uint32_t i = 0; i < s->n; i++)
            s->sim->value[s->unknown[i]] = attempt ? 0 : first[i];
        fine = along(s, set, given);
    }
    return fine;
}

bool loop_reads_homotopy(const Sim *sim, const EvalNode *node)
{
    DdpVar part = world_homotopy(sim->world);
    for (uint32_t i = 0; part && i < node->n_reads; i++)
        if (node->reads[i].var == part)
            return true;
    return false;
}

static bool simplify(System *s, const double *first)
{
    return loop_reads_homotopy(s->sim, s->node) &&
           (follow_from(s, first, follow, set_simplified, NULL) ||
            follow_from(s, first, follow_closely, set_simplified, NULL));
}

static bool by_residuals(System *s, const double *first)
{
    loop_system_no_offset(s);
    loop_system_put_unknowns(s, first, NULL, 0);
    s->plain = true;
    bool fine = s->newton(s, 100);
    s->plain = false;
    return fine;
}

static bool raise_sources(System *s, const double *first)
{
    const EvalNode *node = s->node;
    double *given = mem_alloc(s->sim->mem, (node->n_reads + 1) * sizeof *given);
    for (uint32_t i = 0; i < node->n_reads; i++)
        given[i] = s->sim->value[node->reads[i].var];
    bool fine = follow_from(s, first, follow, set_sources, given);
    mem_free(s->sim->mem, given);
    return fine;
}

const LoopWay loop_ways[LOOP_WAYS] = {{"the way from simplified equations", simplify},
                                      {"deformation", deform},
                                      {"sources that grow from 0", raise_sources},
                                      {"Newton's method by residuals", by_residuals}};
