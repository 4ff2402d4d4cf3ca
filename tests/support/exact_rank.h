/* exact_rank.h: a matrix of whole numbers -> its rank, exactly; independent of exact/.
 *
 * By the rank modulo primes: it is never above the true one, and a minor that is not zero cannot vanish
 * modulo primes whose product is larger than it. As many primes are taken as the largest possible minor
 * (Hadamard's bound) asks for: numbers of any size, without storing one. */
#ifndef TESTS_SUPPORT_EXACT_RANK_H
#define TESTS_SUPPORT_EXACT_RANK_H

#include <stdint.h>

/* rows * columns numbers, row by row. */
uint32_t exact_rank(uint32_t rows, uint32_t columns, const int64_t *at);

#endif
