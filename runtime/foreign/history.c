/* history.c: values of variables along a run -> values of a time before. See history.h.
 *
 * A key is a number: which history, and how many breaks lie behind the piece that its reader sees. So the front end needs one
 * variable for each `delay`, and a break that is passed is a change of its value.
 *
 * A stretch keeps its polynomial in Newton's form over the times of its values, scaled to -1..1. These lie closely at the ends
 * (Chebyshev), so that the polynomial is good everywhere between them. */
#include "runtime/foreign/history.h"

#include <float.h>
#include <math.h>

typedef struct Stretch {
    double from, to, end; /* known from..to; scaled by from..end */
    uint32_t piece, n;
    double c[HISTORY_POINTS]; /* of Newton's form */
} Stretch;

typedef struct Break {
    double time;
    uint32_t level;
} Break;

typedef struct History {
    bool lives, any;
    double first;           /* the value before birth */
    uint32_t gone;          /* breaks that were forgotten */
    VEC(Break) breaks;      /* break i ends piece gone + i */
    VEC(Stretch) stretches; /* in order of time */
} History;

struct HistorySet {
    Mem *mem;
    VEC(History) list;
};

/* ---- keys ---- */

static const double PIECES = 4294967296.0;

static History *find(const HistorySet *set, double key)
{
    double index = floor(key / PIECES);
    if (!(index >= 0 && index < set->list.n) || !set->list.at[(uint32_t)index].lives)
        return NULL;
    return &set->list.at[(uint32_t)index];
}

static uint32_t piece_of(double key)
{
    return (uint32_t)(key - floor(key / PIECES) * PIECES);
}

/* ---- lives ---- */

HistorySet *histories_open(Mem *mem)
{
    HistorySet *set = mem_alloc(mem, sizeof *set);
    set->mem = mem;
    return set;
}

static void empty(HistorySet *set, History *h)
{
    vec_free(set->mem, &h->breaks);
    vec_free(set->mem, &h->stretches);
    *h = (History){0};
}

void histories_close(HistorySet *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; i < set->list.n; i++)
        empty(set, &set->list.at[i]);
    vec_free(set->mem, &set->list);
    mem_free(set->mem, set);
}

double history_birth(HistorySet *set, double time, double value, bool any)
{
    uint32_t i = 0;
    while (i < set->list.n && set->list.at[i].lives)
        i++;
    if (i == set->list.n)
        vec_push(set->mem, &set->list, (History){0});
    set->list.at[i] = (History){.lives = true, .any = any, .first = value};
    vec_push(set->mem, &set->list.at[i].breaks, ((Break){time, 1}));
    return i * PIECES;
}

void history_death(HistorySet *set, double key)
{
    History *h = find(set, key);
    if (h)
        empty(set, h);
}

static void pack_history(History *h, Pack *p)
{
    PACK_BIT(p, h->lives);
    PACK_BIT(p, h->any);
    PACK(p, h->first);
    PACK(p, h->gone);
    PACK_LENGTH(p, &h->breaks, 1);
    for (uint32_t i = 0; i < h->breaks.n && !p->bad; i++) {
        PACK(p, h->breaks.at[i].time);
        PACK(p, h->breaks.at[i].level);
    }
    PACK_LENGTH(p, &h->stretches, 1);
    for (uint32_t i = 0; i < h->stretches.n && !p->bad; i++) {
        Stretch *s = &h->stretches.at[i];
        PACK(p, s->from);
        PACK(p, s->to);
        PACK(p, s->end);
        PACK(p, s->piece);
        PACK(p, s->n);
        PACK(p, s->c);
        p->bad |= s->n != 2 && s->n != HISTORY_POINTS;
    }
}

void histories_pack(HistorySet *set, Pack *p)
{
    for (uint32_t i = 0; !p->writing && i < set->list.n; i++)
        empty(set, &set->list.at[i]);
    PACK_LENGTH(p, &set->list, 1);
    for (uint32_t i = 0; i < set->list.n && !p->bad; i++)
        pack_history(&set->list.at[i], p);
}

/* ---- polynomials ---- */

/* cos(pi i / (n - 1)), for the two numbers of values that there are. */
static double place(uint32_t n, uint32_t i)
{
    static const double seven[HISTORY_POINTS] = {1,    0.86602540378443864676,  0.5, 0,
                                                 -0.5, -0.86602540378443864676, -1};
    return n == HISTORY_POINTS ? seven[i] : 1 - 2.0 * i;
}

double history_time(double from, double to, uint32_t n, uint32_t i)
{
    if (i == 0)
        return to;
    return i == n - 1 ? from : from + (to - from) * (0.5 + 0.5 * place(n, i));
}

static void divide(uint32_t n, const double *values, double *c)
{
    for (uint32_t i = 0; i < n; i++)
        c[i] = values[i];
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t i = n - 1; i >= k; i--)
            c[i] = (c[i] - c[i - 1]) / (place(n, i) - place(n, i - k));
}

/* Derivative number `order` by the scaled time. */
static double polynomial(uint32_t n, const double *c, double x, uint32_t order)
{
    double d[HISTORY_POINTS + 1] = {0};
    if (order >= n)
        return 0;
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = order; k > 0; k--)
            d[k] = d[k] * (x - place(n, i)) + k * d[k - 1];
        d[0] = d[0] * (x - place(n, i)) + c[i];
    }
    return d[order];
}

static double scaled(double from, double end, double time)
{
    return end > from ? 2 * (time - from) / (end - from) - 1 : 1;
}

double history_stretch_value(uint32_t n, const double *values, double from, double to, double time)
{
    double c[HISTORY_POINTS];
    divide(n, values, c);
    return polynomial(n, c, scaled(from, to, time), 0);
}

/* ---- writing ---- */

void history_append(HistorySet *set, double key, double from, double to, uint32_t n,
                    const double *values)
{
    History *h = find(set, key);
    if (!h || !(to > from))
        return;
    Stretch s = {.from = from, .to = to, .end = to, .n = n, .piece = h->gone + h->breaks.n};
    divide(n, values, s.c);
    vec_push(set->mem, &h->stretches, s);
}

void history_extend(HistorySet *set, double key, double to)
{
    History *h = find(set, key);
    if (h && h->stretches.n && vec_last(&h->stretches).to < to)
        vec_last(&h->stretches).to = to;
}

void history_break(HistorySet *set, double key, double time, uint32_t level)
{
    History *h = find(set, key);
    if (h)
        vec_push(set->mem, &h->breaks, ((Break){time, level}));
}

double history_end(const HistorySet *set, double key, uint32_t *level)
{
    const History *h = find(set, key);
    uint32_t i = h ? piece_of(key) - h->gone : 0;
    if (!h || h->any || i >= h->breaks.n)
        return INFINITY;
    *level = h->breaks.at[i].level;
    return h->breaks.at[i].time;
}

bool history_is_fresh(const HistorySet *set, double key)
{
    const History *h = find(set, key);
    return h && (!h->stretches.n || vec_last(&h->stretches).piece < h->gone + h->breaks.n);
}

double history_last(const HistorySet *set, double key)
{
    const History *h = find(set, key);
    if (!h || !h->stretches.n)
        return h ? h->first : NAN;
    const Stretch *s = &vec_last(&h->stretches);
    return polynomial(s->n, s->c, scaled(s->from, s->end, s->to), 0);
}

void history_forget(HistorySet *set, double key, double time)
{
    History *h = find(set, key);
    uint32_t old = 0, read = h ? piece_of(key) - h->gone : 0, passed = 0;
    while (h && old + 1 < h->stretches.n && h->stretches.at[old + 1].from < time)
        old++;
    if (old < 64) /* many at a time */
        return;
    h->stretches.n -= old;
    memmove(h->stretches.at, h->stretches.at + old, h->stretches.n * sizeof *h->stretches.at);
    /* the breaks in front of the oldest stretch, unless somebody still waits for one */
    while (passed + 1 < h->breaks.n && (h->any || passed < read) &&
           h->gone + passed + 1 < h->stretches.at[0].piece)
        passed++;
    h->gone += passed;
    h->breaks.n -= passed;
    memmove(h->breaks.at, h->breaks.at + passed, h->breaks.n * sizeof *h->breaks.at);
}

/* ---- reading ---- */

/* The last stretch of at most this piece that begins before `time`; NULL: it was before birth. */
static const Stretch *stretch_at(const History *h, uint32_t piece, double time)
{
    uint32_t low = 0, high = h->stretches.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const Stretch *s = &h->stretches.at[middle];
        if (s->piece < piece || (s->piece == piece && s->from <= time) ||
            (h->any && s->from <= time))
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && (h->any || h->stretches.at[low - 1].piece == piece))
        return &h->stretches.at[low - 1];
    /* a little before the piece begins */
    return low < h->stretches.n && h->stretches.at[low].piece == piece ? &h->stretches.at[low]
                                                                       : NULL;
}

double history_value(const HistorySet *set, double key, double time, uint32_t order)
{
    const History *h = find(set, key);
    if (!h || isnan(time))
        return NAN;
    uint32_t piece = piece_of(key);
    const Stretch *s = piece || h->any ? stretch_at(h, piece, time) : NULL;
    if (!s)
        return piece == 0 && (!h->any || time <= h->breaks.at[0].time) ? (order ? 0 : h->first)
                                                                       : NAN;
    double slack = 1e-9 * (s->to - s->from) + 8 * DBL_EPSILON * fabs(time);
    bool last = s == &vec_last(&h->stretches);
    if (last && time > s->to + slack)
        return NAN;
    double value = polynomial(s->n, s->c, scaled(s->from, s->end, time), order);
    return order ? value * pow(2 / (s->end - s->from), order) : value;
}
