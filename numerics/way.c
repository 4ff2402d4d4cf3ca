/* way.c: equations f(x, t) = 0 and a point that satisfies them at t = 0 -> one near those at t = 1, along the way between them.
 *
 * The way is followed by its length, not by t, so it may turn round (Keller, Numerical solution of bifurcation and nonlinear
 * eigenvalue problems, 1977): from a point a step of length h along the tangent, then back onto the way across it. With J the derivatives by x,
 * J u = f and J v = df/dt give both: the tangent is (-v, 1), and a correction (-u - v s, s) with s such that it is normal to the
 * tangent. Where J is singular nothing is solved; that is a point, and steps pass it.
 *
 * A step counts if it ends near where the tangent led, and the tangent has turned little: a step that is too long for
 * that may end on another way, one which leads nowhere. Ways that cross, or nearly so, are passed straight on. Lengths are in units of x and t.
 */
#include "numerics/way.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 600, ROUNDS = 8 };

static const double LONGEST = 0.25, SHORTEST = 1e-7, BACK = -10;
static const double ASIDE = 0.1;  /* of a step: how far it may end from where the tangent led */
static const double TURNED = 0.9; /* cosine of the angle between two tangents */
static const double ON_IT = 1e-9; /* the last correction */
static const double PART = 1e-4;  /* of t, for df/dt: where f is linear in t that is exact */

typedef struct Point {
    double *x, t;
} Point;

typedef struct Walk {
    const WaySystem *way;
    uint32_t n;
    Point at, next;
    double *along, *turned; /* [n + 1]: the tangent at a point, and at the next; in units */
    double *f, *u, *v;      /* [n] */
} Walk;

/* u and v, in units, at a point. */
static bool solve_at(Walk *w, const Point *p)
{
    const WaySystem *way = w->way;
    double part = p->t > 0.5 ? -PART : PART;
    if (!way->value(way->context, p->x, p->t + part, w->v) ||
        !way->value(way->context, p->x, p->t, w->f) || !way->factor(way->context))
        return false;
    for (uint32_t i = 0; i < w->n; i++) {
        w->v[i] = (w->v[i] - w->f[i]) / part;
        w->u[i] = w->f[i];
    }
    way->solve(way->context, w->u);
    way->solve(way->context, w->v);
    bool finite = true;
    for (uint32_t i = 0; i < w->n; i++) {
        w->u[i] /= way->unit[i];
        w->v[i] /= way->unit[i];
        finite = finite && isfinite(w->u[i]) && isfinite(w->v[i]);
    }
    return finite;
}

static double product(uint32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The tangent where u and v were computed, in the direction of `along`. */
static void find_tangent(Walk *w, const double *along, double *out)
{
    double length = sqrt(product(w->n, w->v, w->v) + 1);
    if (along[w->n] - product(w->n, along, w->v) < 0)
        length = -length;
    for (uint32_t i = 0; i < w->n; i++)
        out[i] = -w->v[i] / length;
    out[w->n] = 1 / length;
}

/* The next point goes back onto the way, and its tangent is known. False: that is not where the step led. */
static bool correct(Walk *w, double h)
{
    double far = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (!solve_at(w, &w->next))
            return false;
        double across = w->along[w->n] - product(w->n, w->along, w->v);
        double s = across != 0 ? product(w->n, w->along, w->u) / across : 0, size = s * s;
        w->next.t += s;
        for (uint32_t i = 0; i < w->n; i++) {
            double step = -w->u[i] - w->v[i] * s;
            w->next.x[i] += step * w->way->unit[i];
            size += step * step;
        }
        far += sqrt(size);
        if (!(far <= ASIDE * h))
            return false;
        if (size <= ON_IT * ON_IT) {
            find_tangent(w, w->along, w->turned);
            return product(w->n + 1, w->along, w->turned) >= TURNED;
        }
    }
    return false;
}

static bool step(Walk *w, double h)
{
    for (uint32_t i = 0; i < w->n; i++)
        w->next.x[i] = w->at.x[i] + h * w->along[i] * w->way->unit[i];
    w->next.t = w->at.t + h * w->along[w->n];
    return correct(w, h);
}

static bool begin(Walk *w)
{
    memset(w->along, 0, w->n * sizeof *w->along);
    w->along[w->n] = 1;
    if (!solve_at(w, &w->at))
        return false;
    find_tangent(w, w->along, w->along);
    return true;
}

static void go_on(Walk *w)
{
    Point at = w->at;
    double *along = w->along;
    w->at = w->next;
    w->next = at;
    w->along = w->turned;
    w->turned = along;
}

static bool walk(Walk *w)
{
    double h = LONGEST / 4;
    bool fine = begin(w);
    for (int i = 0; i < MOST_STEPS && fine && w->at.t < 1 && w->at.t > BACK; i++) {
        fine = h > SHORTEST;
        if (fine && step(w, h)) {
            go_on(w);
            h = fmin(1.5 * h, LONGEST);
        } else {
            h /= 3;
        }
    }
    return fine && w->at.t >= 1;
}

bool way_follow(Mem *mem, const WaySystem *way, double *x)
{
    uint32_t n = way->n;
    double *room = mem_alloc(mem, (7 * (size_t)n + 2) * sizeof *room);
    Walk w = {.way = way,
              .n = n,
              .at = {.x = room},
              .next = {.x = room + n},
              .f = room + 2 * (size_t)n,
              .u = room + 3 * (size_t)n,
              .v = room + 4 * (size_t)n,
              .along = room + 5 * (size_t)n,
              .turned = room + 6 * (size_t)n + 1};
    memcpy(w.at.x, x, n * sizeof *x);
    bool fine = walk(&w);
    double back = fine ? (w.at.t - 1) / (w.at.t - w.next.t) : 0; /* next: the point before */
    for (uint32_t i = 0; i < n && fine; i++)
        x[i] = w.at.x[i] + back * (w.next.x[i] - w.at.x[i]);
    mem_free(mem, room);
    return fine;
}
