/* exact_rank.c: a matrix of whole numbers -> its rank. See exact_rank.h. */
#include "tests/support/exact_rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef unsigned __int128 Product;

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t prime)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = (uint64_t)((Product)result * base % prime);
        base = (uint64_t)((Product)base * base % prime);
    }
    return result;
}

/* Miller and Rabin's test; these bases decide for all numbers below 2^64. */
static bool is_prime(uint64_t n)
{
    static const uint64_t base[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint64_t odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; twos++)
        odd /= 2;
    for (uint32_t i = 0; i < sizeof base / sizeof *base; i++) {
        uint64_t x = power(base[i], odd, n);
        bool composite = x != 1 && x != n - 1;
        for (int k = 1; k < twos && composite; k++) {
            x = (uint64_t)((Product)x * x % n);
            composite = x != n - 1;
        }
        if (composite)
            return false;
    }
    return true;
}

static uint64_t residue(int64_t value, uint64_t prime)
{
    int64_t rest = value % (int64_t)prime;
    return rest < 0 ? (uint64_t)(rest + (int64_t)prime) : (uint64_t)rest;
}

static void subtract(uint64_t *from, const uint64_t *pivot, uint32_t column, uint32_t columns,
                     uint64_t prime)
{
    uint64_t times =
        (uint64_t)((Product)from[column] * power(pivot[column], prime - 2, prime) % prime);
    for (uint32_t k = column; k < columns; k++) {
        uint64_t part = (uint64_t)((Product)times * pivot[k] % prime);
        from[k] = from[k] >= part ? from[k] - part : from[k] + prime - part;
    }
}

static uint32_t rank_modulo(uint32_t rows, uint32_t columns, const int64_t *at, uint64_t prime)
{
    uint64_t *m = malloc((size_t)rows * columns * sizeof *m + 1);
    uint32_t rank = 0;
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        m[i] = residue(at[i], prime);
    for (uint32_t column = 0; column < columns && rank < rows; column++) {
        uint32_t row = rank;
        while (row < rows && !m[(size_t)row * columns + column])
            row++;
        if (row == rows)
            continue;
        for (uint32_t k = 0; k < columns; k++) {
            uint64_t kept = m[(size_t)row * columns + k];
            m[(size_t)row * columns + k] = m[(size_t)rank * columns + k];
            m[(size_t)rank * columns + k] = kept;
        }
        for (uint32_t i = rank + 1; i < rows; i++)
            if (m[(size_t)i * columns + column])
                subtract(&m[(size_t)i * columns], &m[(size_t)rank * columns], column, columns,
                         prime);
        rank++;
    }
    free(m);
    return rank;
}

uint32_t exact_rank(uint32_t rows, uint32_t columns, const int64_t *at)
{
    double largest = 1;
    uint32_t size = rows < columns ? rows : columns, best = 0;
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        largest = fmax(largest, fabs((double)at[i]));
    double bits = size * log2(largest * sqrt(size + 1.0)) + 1;
    uint64_t prime = ((uint64_t)1 << 61) - 1;
    for (; bits > 0 && best < size; bits -= 60) {
        uint32_t rank = rank_modulo(rows, columns, at, prime);
        best = rank > best ? rank : best;
        do
            prime -= 2;
        while (!is_prime(prime));
    }
    return best;
}
