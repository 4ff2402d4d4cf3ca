/* matched rows and columns -> how often each is differentiated.
 *
 * Signature method (Pryce, BIT 41, 2001, section 3): sigma(i, j) is the order of the highest
 * derivative of variable j in relation i. Wanted is a matching of largest total sigma, and the
 * smallest c, d >= 0 with d[j] - c[i] >= sigma(i, j), equal on the matching. Then relation i is
 * differentiated c[i] times, and the number of states is that total. The fixed-point iteration
 *     d[j] = max over i of sigma(i, j) + c[i],    c[i] = d[j] - sigma(i, j), j the match of i
 * ends at the smallest offsets if the matching is best, and grows for ever along a cycle of gain if
 * it is not; so the cycle is applied to the matching, and the iteration starts again.
 *
 * Transmissions are the one addition: what an equation reads from a held variable, and what a
 * transmission reads, counts for the offsets but can not be matched. A cycle of gain through such
 * an entry means that a transmission depends on its own derivative: false causality.
 */
#include "tests/support/oracle_int.h"

/* ---- offsets ---- */

/* One round of the iteration over entries that may match (or all); from[row]: the row that forced
 * its c up. Returns a row that changed, or ORACLE_NONE at the fixed point. */
static uint32_t raise_offsets(Oracle *o, bool all, uint32_t *from)
{
    uint32_t changed = ORACLE_NONE;

    for (uint32_t r = 0; r < o->m; r++) {
        for (uint32_t i = 0; i < o->row[r].n; i++) {
            OracleEntry entry = o->row[r].entry[i];
            OracleCol *col = &o->col[entry.col];
            if ((!entry.may && !all) || col->d >= o->row[r].c + entry.sigma)
                continue;
            col->d = o->row[r].c + entry.sigma;
            from[col->match] = r;
        }
    }
    for (uint32_t c = 0; c < o->n; c++) {
        OracleRow *row = &o->row[o->col[c].match];
        uint32_t i = 0;
        while (row->entry[i].col != c)
            i++;
        uint32_t need = o->col[c].d - row->entry[i].sigma;
        if (need > row->c) {
            row->c = need;
            changed = o->col[c].match;
        }
    }
    return changed;
}

static void reset_offsets(Oracle *o)
{
    for (uint32_t r = 0; r < o->m; r++)
        o->row[r].c = 0;
    for (uint32_t c = 0; c < o->n; c++)
        o->col[c].d = 0;
    /* d starts at the sigma of its own match, so that c = d - sigma is never negative */
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t i = 0; i < o->row[r].n; i++)
            if (o->row[r].entry[i].col == o->row[r].match)
                o->col[o->row[r].match].d = o->row[r].entry[i].sigma;
}

/* A cycle of gain: following `from` long enough ends in it. Each row of it takes the column of the
 * row that it forced up. */
static void apply_cycle(Oracle *o, const uint32_t *from, uint32_t row)
{
    for (uint32_t i = 0; i < o->m; i++)
        row = from[row];
    uint32_t first = row, col = o->row[first].match;
    do {
        uint32_t up = from[row], next = o->row[up].match;
        o->row[up].match = col;
        o->col[col].match = up;
        col = next;
        row = up;
    } while (row != first);
}

/* True at the fixed point. Otherwise offsets grew beyond what all derivatives together allow; *row
 * is then one that still grows. */
static bool iterate_offsets(Oracle *o, bool all, uint32_t *from, uint32_t *row)
{
    uint32_t limit = 1;

    for (uint32_t r = 0; r < o->m; r++)
        limit += o->sys->rel[o->row[r].rel].kind == DDP_DERIVATIVE;
    for (uint32_t r = 0; r < o->m; r++)
        from[r] = ORACLE_NONE;
    for (;;) {
        *row = raise_offsets(o, all, from);
        if (*row == ORACLE_NONE)
            return true;
        if (o->row[*row].c > limit)
            return false;
    }
}

static void number_full(Oracle *o)
{
    o->full_m = o->full_n = 0;
    for (uint32_t r = 0; r < o->m; r++) {
        o->row[r].base = o->full_m;
        o->full_m += o->row[r].c + 1;
    }
    for (uint32_t c = 0; c < o->n; c++) {
        o->col[c].base = o->full_n;
        o->full_n += o->col[c].d + 1;
    }
    o->states = o->full_n - o->full_m;
    o->z = arena_alloc(&o->arena, (o->full_n + 1) * sizeof *o->z);
}

bool oracle_offsets(Oracle *o)
{
    uint32_t *from = arena_alloc(&o->arena, (o->m + 1) * sizeof *from), row;

    reset_offsets(o);
    while (!iterate_offsets(o, false, from, &row)) {
        apply_cycle(o, from, row);
        reset_offsets(o);
    }
    if (!iterate_offsets(o, true, from, &row))
        return false;
    number_full(o);
    oracle_tapes(o);
    return true;
}
