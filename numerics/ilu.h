/* ilu.h: incomplete factors of a sparse matrix, in its own pattern. Private to runtime/. */
#ifndef RUNTIME_ILU_H
#define RUNTIME_ILU_H

#include <stdbool.h>
#include <stdint.h>

/* Compressed columns with rows ascending, every diagonal entry present. factors[column[n]] receives
 * L (unit diagonal, below) and U; work[n] and place[n] are scratch. False when a pivot vanishes. */
bool ilu_factor(uint32_t n, const int *column, const int *row, const double *value, double *factors,
                double *work, int *place);

void ilu_solve(uint32_t n, const int *column, const int *row, const double *factors, double *b);

#endif
