/* mode_system.c: see mode_system.h. */
#include "tests/support/mode_system.h"

#include <math.h>

static void swap_rows(ModeSystem *s, int a, int b)
{
    for (int j = 0; j <= s->n; j++) {
        long double t = s->a[a][j];
        s->a[a][j] = s->a[b][j];
        s->a[b][j] = t;
    }
}

/* The largest entry of what is left to the place (rank, column[rank]). */
static void find_pivot(ModeSystem *s, int rank, int *column)
{
    int row = rank, at = rank;
    for (int i = rank; i < s->n; i++)
        for (int j = rank; j < s->n; j++)
            if (fabsl(s->a[i][column[j]]) > fabsl(s->a[row][column[at]])) {
                row = i;
                at = j;
            }
    int t = column[rank];
    column[rank] = column[at];
    column[at] = t;
    swap_rows(s, row, rank);
}

int mode_system_solve(ModeSystem *s, long double *x)
{
    int column[MODE_MOST], rank = 0;
    for (int i = 0; i < s->n; i++)
        column[i] = i;
    for (; rank < s->n; rank++) {
        find_pivot(s, rank, column);
        long double pivot = s->a[rank][column[rank]];
        if (fabsl(pivot) < 1e-13L)
            break;
        for (int i = 0; i < s->n; i++) {
            long double factor = s->a[i][column[rank]] / pivot;
            for (int j = 0; i != rank && factor != 0 && j <= s->n; j++)
                s->a[i][j] -= factor * s->a[rank][j];
        }
    }
    for (int i = rank; i < s->n; i++)
        if (fabsl(s->a[i][s->n]) > 1e-7L)
            return -1;
    for (int i = 0; i < rank; i++)
        x[column[i]] = s->a[i][s->n] / s->a[i][column[i]];
    return rank == s->n;
}
