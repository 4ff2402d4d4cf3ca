/* audit_rows.c: sums of variables, and where a tape has these -> rows of sums whose terms lie at equal distances. See
 * audit_plain.h.
 *
 * Components of one kind are a batch of a tape, so the terms of their relations are arrays there: a row is looked at without a
 * place for each variable. Two variables that have one place are one value: that they are equal is seen here, once.
 */
#include "runtime/eval/tape.h"
#include "runtime/sim/audit_plain_int.h"

#include <stdlib.h>

enum { ROW_FROM = 2 * SUMS_AT_ONCE }; /* below that a row is no shorter */

void audit_rows_clear(Plain *f)
{
    vec_clear(&f->places.rows);
    vec_clear(&f->places.which);
    vec_clear(&f->places.loose.at);
    vec_clear(&f->places.loose.which);
    vec_clear(&f->places.apart.at);
    vec_clear(&f->places.apart.which);
}

void audit_rows_free(Mem *mem, Plain *f)
{
    vec_free(mem, &f->places.rows);
    vec_free(mem, &f->places.which);
    vec_free(mem, &f->places.loose.at);
    vec_free(mem, &f->places.loose.which);
    vec_free(mem, &f->places.apart.at);
    vec_free(mem, &f->places.apart.which);
}

/* A sum whose variables are all in the tape. */
typedef struct Placed {
    uint32_t at[MOST_TERMS], which;
} Placed;

static int by_place(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    for (uint32_t i = 0; i < MOST_TERMS; i++)
        if (x->at[i] != y->at[i])
            return x->at[i] < y->at[i] ? -1 : 1;
    return 0;
}

/* Does z follow y as y follows x? */
static bool goes_on(const Plain *f, const Placed *x, const Placed *y, const Placed *z)
{
    bool same = true;
    for (uint32_t i = 0; i < f->n; i++)
        same &= z->at[i] - y->at[i] == y->at[i] - x->at[i];
    return same;
}

static void add_loose(Mem *mem, Plain *f, const Placed *sum)
{
    vec_push(mem, &f->places.loose.which, sum->which);
    for (uint32_t i = 0; i < f->n; i++)
        vec_push(mem, &f->places.loose.at, sum->at[i]);
}

static void add_row(Mem *mem, Plain *f, const Placed *sum, uint32_t n)
{
    SumRow row = {.n = n, .first = f->places.which.n, .close = true};
    for (uint32_t i = 0; i < f->n; i++) {
        row.at[i] = sum->at[i];
        row.step[i] = (int32_t)(sum[1].at[i] - sum->at[i]);
        row.close &= row.step[i] == 1;
    }
    vec_push(mem, &f->places.rows, row);
    for (uint32_t k = 0; k < n; k++)
        vec_push(mem, &f->places.which, sum[k].which);
}

/* How many from the first on are a row. */
static uint32_t row_length(const Plain *f, const Placed *sum, uint32_t n)
{
    uint32_t length = n < 2 ? n : 2;
    while (length < n && goes_on(f, &sum[length - 2], &sum[length - 1], &sum[length]))
        length++;
    return length;
}

/* Each value once, however many copies its variable has. */
static void add_rows(Mem *mem, Plain *f, Placed *sum, uint32_t n)
{
    uint32_t kept = 0;
    qsort(sum, n, sizeof *sum, by_place);
    for (uint32_t k = 0; k < n; k++)
        if (!kept || by_place(&sum[kept - 1], &sum[k]) != 0)
            sum[kept++] = sum[k];
    for (uint32_t from = 0; from < kept;) {
        uint32_t length = f->n <= MOST_IN_ROW ? row_length(f, sum + from, kept - from) : 1;
        if (length >= ROW_FROM)
            add_row(mem, f, sum + from, length);
        else
            length = 1;
        if (length == 1)
            add_loose(mem, f, sum + from);
        from += length;
    }
}

/* False: some variable has no place. */
static bool find_places(const Plain *f, const DdpVar *var, const uint32_t *place, Placed *sum)
{
    bool all = f->n > 0;
    for (uint32_t i = 0; i < f->n; i++) {
        all &= place[var[i]] != TAPE_NOWHERE;
        sum->at[i] = place[var[i]];
    }
    return all;
}

/* So many that they can be looked at together: the last one again and again. */
static void fill_up(Mem *mem, const Plain *f, SumList *list)
{
    uint32_t n = list->which.n;
    for (uint32_t more = n; n > 0 && more < SUMS_AT_ONCE; more++) {
        vec_push(mem, &list->which, list->which.at[n - 1]);
        for (uint32_t i = 0; i < f->n; i++)
            vec_push(mem, &list->at, list->at.at[(size_t)(n - 1) * f->n + i]);
    }
}

static void place_sums(Mem *mem, Plain *f, const uint32_t *place, NodeList *needed)
{
    Placed *sums = mem_alloc(mem, (f->rels.n + 1) * sizeof *sums);
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->rels.n; k++) {
        const DdpVar *var = f->vars.at.at + (size_t)k * f->n;
        Placed sum = {.which = k};
        if (find_places(f, var, place, &sum)) {
            bool same = f->n == 2 && f->sum == SUM_BUT_LAST && sum.at[0] == sum.at[1];
            if (!same)
                sums[n++] = sum;
            continue;
        }
        vec_push(mem, &f->places.apart.which, k);
        for (uint32_t i = 0; i < f->n; i++) {
            vec_push(mem, &f->places.apart.at, var[i]);
            vec_push(mem, needed, var[i]);
        }
    }
    add_rows(mem, f, sums, n);
    fill_up(mem, f, &f->places.loose);
    fill_up(mem, f, &f->places.apart);
    mem_free(mem, sums);
}

void audit_plain_place(AuditPlain *plain, const uint32_t *place, NodeList *needed)
{
    Mem *mem = plain->sim->mem;
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        Plain *f = &plain->forms.at[i];
        audit_rows_clear(f);
        if (f->linear)
            place_sums(mem, f, place, needed);
        for (uint32_t k = 0; k < f->vars.at.n && !f->linear; k++)
            vec_push(mem, needed, f->vars.at.at[k]);
    }
    plain->placed = true;
}

bool audit_plain_is_placed(const AuditPlain *plain)
{
    return plain->placed;
}
