/* participation.h: a matrix and its eigenvalues -> how much each of its variables takes part in each of them. */
#ifndef NUMERICS_PARTICIPATION_H
#define NUMERICS_PARTICIPATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Doubles, and numbers, that participation() works in. */
size_t participation_room(uint32_t n);
size_t participation_pivots(uint32_t n);

/* share: [n][n], a row for each eigenvalue: |w_i v_i|, v and w its right and left eigenvector, in parts of their sum (Perez-Arriaga,
 * Verghese and Schweppe, 1982). a by rows. Of an eigenvalue that occurs several times the vectors are some of those it has. False: a
 * vector was not found, its row is 0. */
bool participation(uint32_t n, const double *a, const double *re, const double *im, double *share,
                   double *work, uint32_t *pivot);

#endif
