/* eigenvalues.h: a square matrix -> its eigenvalues.
 *
 * Rows and columns are balanced by powers of 2, the matrix is brought to Hessenberg form by reflections, and QR steps with two shifts
 * at once (Francis) take it apart from below: Golub and Van Loan, Matrix Computations, 7.4 and 7.5. Every sum has its
 * order: the same matrix gives the same bits everywhere. */
#ifndef NUMERICS_EIGENVALUES_H
#define NUMERICS_EIGENVALUES_H

#include <stdbool.h>
#include <stdint.h>

/* a: n * n by rows, destroyed; re, im: [n], complex ones in pairs, the positive imaginary part first. False: no number in it, or
 * the iteration did not end. */
bool eigenvalues(uint32_t n, double *a, double *re, double *im);

#endif
