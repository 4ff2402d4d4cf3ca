/* dense_distance.h: a square matrix whose entries are not exactly known -> how far it is from a singular one. */
#ifndef NUMERICS_DENSE_DISTANCE_H
#define NUMERICS_DENSE_DISTANCE_H

#include "base/mem.h"

/* 1 / rho(|inverse of A| E), rho the spectral radius: A changed by less than that times E, entry by entry and with any sign, stays
 * regular, and at some 6 n times that it need not (Rump, Ill-conditioned matrices are componentwise near to
 * singularity, SIAM Review 41, 1999). Rows and columns may have any units. E has no negative entries; both lie by rows. 0: A is
 * singular as it is; infinite: no such change makes it so. */
double dense_distance(Mem *mem, uint32_t n, const double *a, const double *e);

#endif
