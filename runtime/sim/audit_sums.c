/* audit_sums.c: sums of multiples of values -> those that are not 0 up to rounding, or to what is allowed.
 *
 * They are looked at four by four, without branches that are hard to foresee: first whether all are exactly 0, which what
 * was solved for one of its variables mostly is, then whether they are within what is allowed. Only where one is not are
 * they looked at one by one.
 */
#include "runtime/sim/audit_plain_int.h"

#include <float.h>
#include <math.h>

enum { INEXACT_RESTS = 63 };

/* Of n terms: is it within what its largest terms round to, or allow? `least` NULL: values count as they are,
 * which is quick and less generous. */
static bool is_sum_right(const Plain *f, const uint32_t *at, const DdpVar *var, const double *value,
                         const double *least, double above)
{
    double sum = f->offset, size = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        double x = value[at[i]];
        sum += f->factor[i] * x;
        double own = fabs(x);
        size += fabs(f->factor[i]) * (least && least[var[i]] > own ? least[var[i]] : own);
    }
    return fabs(sum) <= above * size && size <= DBL_MAX;
}

static void check_one(Mem *mem, const Plain *f, const uint32_t *at, uint32_t which,
                      const double *value, SumBound bound, RelList *off)
{
    const DdpVar *var = f->vars.at.at + (size_t)which * f->n;
    if (!is_sum_right(f, at, var, value, NULL, bound.above) &&
        !is_sum_right(f, at, var, value, bound.least, bound.above))
        vec_push(mem, off, which);
}

typedef double Four __attribute__((vector_size(32)));
typedef int64_t FourTruths __attribute__((vector_size(32)));
typedef double FourThere __attribute__((vector_size(32), aligned(8), may_alias));

/* The following are one loop for each number of terms, kind of sum and way to find terms, which are numbers that the
 * compiler sees, and each of them for processors with vectors of four and without. Vectors go by address: as values
 * they go otherwise there. */
#define INLINE static inline __attribute__((always_inline))

/* Where terms are: anywhere; one behind the other; at equal distances. */
typedef enum Way { WAY_LIST, WAY_ROW, WAY_STEPS } Way;

/* At the first of the sums that are left. */
typedef struct Cursor {
    const double *value;             /* WAY_LIST */
    const uint32_t *at;              /* WAY_LIST: [sum][term] */
    const double *term[MOST_IN_ROW]; /* others */
    ptrdiff_t step[MOST_IN_ROW];     /* WAY_STEPS */
} Cursor;

/* Sums of a form, four at least. */
typedef struct Sums {
    const Plain *f;
    uint32_t many;
    SumBound bound;
    uint32_t *rests;
} Sums;

/* Term i of the next four. */
INLINE void term_of(const Cursor *c, Way way, uint32_t n, uint32_t i, Four *x)
{
    if (way == WAY_LIST) {
        const double *v = c->value;
        const uint32_t *at = c->at + i;
        *x = (Four){v[at[0]], v[at[n]], v[at[2 * n]], v[at[3 * n]]};
        return;
    }
    const double *t = c->term[i % MOST_IN_ROW];
    ptrdiff_t s = c->step[i % MOST_IN_ROW];
    if (way == WAY_ROW)
        *x = *(const FourThere *)t;
    else
        *x = (Four){t[0], t[s], t[2 * s], t[3 * s]};
}

INLINE void go_on(Cursor *c, Way way, uint32_t n, int by)
{
    if (way == WAY_LIST)
        c->at += by * (ptrdiff_t)n;
#pragma GCC unroll 3
    for (uint32_t i = 0; i < n && way != WAY_LIST; i++)
        c->term[i] += way == WAY_ROW ? by : by * c->step[i];
}

INLINE void size_of(const Four *x, Four *size)
{
    const FourTruths sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    *size = (Four)((FourTruths)*x & sign);
}

/* As is_sum_right() has them. */
INLINE void sums_of(const Plain *f, const Cursor *c, SumKind kind, Way way, uint32_t n, Four *sum)
{
    Four term = {0};
    term_of(c, way, n, 0, sum);
    if (kind == SUM_OTHER)
        *sum = *sum * f->factor[0] + f->offset;
#pragma GCC unroll 3
    for (uint32_t i = 1; i < n; i++) {
        term_of(c, way, n, i, &term);
        if (kind == SUM_OTHER)
            term *= f->factor[i];
        *sum = kind == SUM_BUT_LAST && i + 1 == n ? *sum - term : *sum + term;
    }
}

/* The last four of them may have been looked at in part. */
INLINE bool are_zero(const Sums *sums, Cursor c, SumKind kind, Way way, uint32_t n)
{
    FourTruths off = {0};
    Four sum = {0};
    for (uint32_t k = sums->many / 4; k > 0; k--, go_on(&c, way, n, 4)) {
        sums_of(sums->f, &c, kind, way, n, &sum);
        off |= (FourTruths)sum;
    }
    go_on(&c, way, n, (int)(sums->many % 4) - 4);
    sums_of(sums->f, &c, kind, way, n, &sum);
    off |= (FourTruths)sum;
    return ((off[0] | off[1] | off[2] | off[3]) & INT64_MAX) ==
           0; /* 0 or -0: no other number, nor none */
}

/* Is how far they are off within what half of their size allows, and `least`? */
INLINE void look(const Sums *sums, const Cursor *c, SumKind kind, Way way, uint32_t n,
                 const Four *least, FourTruths *right)
{
    const Plain *f = sums->f;
    Four sum = {0}, term = {0}, size = {0};
    term_of(c, way, n, 0, &sum);
    if (kind == SUM_OTHER)
        sum *= f->factor[0];
    if (n > 1) /* the last is no larger than the others, or it is not right */
        size_of(&sum, &size);
    if (kind == SUM_OTHER)
        sum += f->offset;
#pragma GCC unroll 3
    for (uint32_t i = 1; i < n; i++) {
        Four own = {0};
        term_of(c, way, n, i, &term);
        if (kind == SUM_OTHER)
            term *= f->factor[i];
        size_of(&term, &own);
        if (i + 1 < n)
            size += own;
        sum = kind == SUM_BUT_LAST && i + 1 == n ? sum - term : sum + term;
    }
    size_of(&sum, &sum);
    *right &= sum - sums->bound.above / 2 * size <= *least; /* what is no number is not */
}

/* Are all of them right? What is allowed is the mean of what the values allow as they are and of what they would if all
 * were as small as they may count, so never more than is_sum_right() allows. */
INLINE bool are_allowed(const Sums *sums, Cursor c, SumKind kind, Way way, uint32_t n)
{
    const double unit = kind == SUM_OTHER ? 1 : fabs(sums->f->factor[0]);
    const double each = sums->bound.above * sums->bound.all / unit / 2;
    const Four least = {each, each, each, each};
    FourTruths right = {-1, -1, -1, -1};
    for (uint32_t k = sums->many / 4; k > 0; k--, go_on(&c, way, n, 4))
        look(sums, &c, kind, way, n, &least, &right);
    go_on(&c, way, n, (int)(sums->many % 4) - 4);
    look(sums, &c, kind, way, n, &least, &right);
    return (right[0] & right[1] & right[2] & right[3]) != 0;
}

/* Which are met exactly is a matter of the form, so it is asked again only now and then where they were not. */
INLINE bool are_right_by(const Sums *sums, Cursor c, SumKind kind, Way way, uint32_t n)
{
    if (*sums->rests > 0)
        --*sums->rests;
    else if (are_zero(sums, c, kind, way, n))
        return true;
    else
        *sums->rests = INEXACT_RESTS;
    return are_allowed(sums, c, kind, way, n);
}

INLINE bool are_right_of(const Sums *sums, Cursor c, Way way, uint32_t n)
{
    SumKind kind = n == 1 ? SUM_OTHER : sums->f->sum;
    return kind == SUM_ALL        ? are_right_by(sums, c, SUM_ALL, way, n)
           : kind == SUM_BUT_LAST ? are_right_by(sums, c, SUM_BUT_LAST, way, n)
                                  : are_right_by(sums, c, SUM_OTHER, way, n);
}

/* By the quickest way for their number of terms. */
INLINE bool are_right(const Sums *sums, const Cursor *c, Way way)
{
    switch (sums->f->n) {
    case 1:
        return are_right_of(sums, *c, way, 1);
    case 2:
        return are_right_of(sums, *c, way, 2);
    case 3:
        return are_right_of(sums, *c, way, 3);
    default:
        return way == WAY_LIST && are_allowed(sums, *c, SUM_OTHER, WAY_LIST, sums->f->n);
    }
}

INLINE bool are_right_anywhere(const Sums *sums, const Cursor *c, Way way)
{
    return way == WAY_LIST  ? are_right(sums, c, WAY_LIST)
           : way == WAY_ROW ? are_right(sums, c, WAY_ROW)
                            : are_right(sums, c, WAY_STEPS);
}

static bool are_right_two(const Sums *sums, const Cursor *c, Way way)
{
    return are_right_anywhere(sums, c, way);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool are_right_four(const Sums *sums, const Cursor *c,
                                                           Way way)
{
    return are_right_anywhere(sums, c, way);
}
#endif

static bool are_all_right(const Sums *sums, const Cursor *c, Way way)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return are_right_four(sums, c, way);
#endif
    return are_right_two(sums, c, way);
}

static bool is_row_right(Sums *sums, SumRow *row, const double *value)
{
    Cursor c = {0};
    for (uint32_t i = 0; i < MOST_IN_ROW; i++) { /* of fewer terms the last are any */
        c.term[i] = value + row->at[i];
        c.step[i] = row->step[i];
    }
    sums->many = row->n;
    sums->rests = &row->rests;
    return are_all_right(sums, &c, row->close ? WAY_ROW : WAY_STEPS);
}

static SumBound bound_of(const Plain *f, SumBound bound)
{
    bound.all *= f->factors;
    if (bound.above < 8 * DBL_EPSILON)
        bound.above = 8 * DBL_EPSILON;
    return bound;
}

void audit_sums_check(Mem *mem, Plain *f, SumList *list, const double *value, SumBound bound,
                      RelList *off)
{
    uint32_t many = list == &f->vars ? f->rels.n : list->which.n;
    if (!many)
        return;
    const Cursor c = {.value = value, .at = list->at.at};
    bound = bound_of(f, bound);
    const Sums sums = {f, many, bound, &list->rests};
    if (f->n > 0 && many >= SUMS_AT_ONCE && are_all_right(&sums, &c, WAY_LIST))
        return;
    for (uint32_t k = 0; k < many; k++)
        check_one(mem, f, list->at.at + (size_t)k * f->n, list->which.n ? list->which.at[k] : k,
                  value, bound, off);
}

static void check_row(Mem *mem, const Plain *f, const SumRow *row, const double *value,
                      SumBound bound, RelList *off)
{
    uint32_t at[MOST_IN_ROW];
    for (uint32_t k = 0; k < row->n; k++) {
        for (uint32_t i = 0; i < f->n; i++)
            at[i] = row->at[i] + k * (uint32_t)row->step[i];
        check_one(mem, f, at, f->places.which.at[row->first + k], value, bound, off);
    }
}

void audit_rows_check(Mem *mem, Plain *f, const double *value, SumBound bound, RelList *off)
{
    if (!f->places.rows.n)
        return;
    Sums sums = {.f = f, .bound = bound_of(f, bound)};
    for (uint32_t i = 0; i < f->places.rows.n; i++) {
        SumRow *row = &f->places.rows.at[i];
        if (!is_row_right(&sums, row, value))
            check_row(mem, f, row, value, sums.bound, off);
    }
}
