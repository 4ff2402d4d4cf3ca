/* matrices of known rank, made as products: the rank, sums of rows that vanish, moves of columns that nobody
 * notices. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics/dense_rank.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 12 };

static uint64_t drawn = 1;

static double draw(void)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (double)(drawn >> 11) / 4503599627370496.0 - 1;
}

/* m x k times k x n, with units of rows and columns that are far apart. */
static void fill(double a[MOST][MOST], uint32_t m, uint32_t n, uint32_t k)
{
    double left[MOST][MOST], right[MOST][MOST];
    for (uint32_t i = 0; i < MOST; i++)
        for (uint32_t j = 0; j < MOST; j++) {
            left[i][j] = draw();
            right[i][j] = draw();
        }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            a[i][j] = 0;
            for (uint32_t p = 0; p < k; p++)
                a[i][j] += left[i][p] * right[p][j];
            a[i][j] *= pow(10, (double)(i % 5) - 2) * pow(10, 3 - (double)(j % 4));
        }
}

static void rows_vanish(const DenseRank *r, double a[MOST][MOST])
{
    double times[MOST];
    for (uint32_t k = r->rank; k < r->m; k++) {
        dense_rank_rows(r, k, times);
        assert_true(times[r->row[k]] != 0);
        for (uint32_t j = 0; j < r->n; j++) {
            double sum = 0, size = 0;
            for (uint32_t i = 0; i < r->m; i++) {
                sum += times[i] / r->row_unit[i] * a[i][j];
                size += fabs(times[i] / r->row_unit[i] * a[i][j]);
            }
            assert_true(fabs(sum) <= 1e-9 * size);
        }
    }
}

static void columns_are_open(const DenseRank *r, double a[MOST][MOST])
{
    double moves[MOST];
    for (uint32_t k = r->rank; k < r->n; k++) {
        dense_rank_moves(r, k, moves);
        assert_true(moves[r->column[k]] == 1);
        for (uint32_t i = 0; i < r->m; i++) {
            double sum = 0, size = 0;
            for (uint32_t j = 0; j < r->n; j++) {
                sum += a[i][j] * moves[j] * r->column_unit[j];
                size += fabs(a[i][j] * moves[j] * r->column_unit[j]);
            }
            assert_true(fabs(sum) <= 1e-9 * size);
        }
    }
}

static void ranks(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        Mem *mem = mem_open();
        uint32_t m = 1 + (uint32_t)(fabs(draw()) * MOST) % MOST;
        uint32_t n = 1 + (uint32_t)(fabs(draw()) * MOST) % MOST, least = m < n ? m : n;
        uint32_t k = (uint32_t)(fabs(draw()) * (least + 1)) % (least + 1);
        double a[MOST][MOST];
        fill(a, m, n, k);
        DenseRank r = dense_rank_open(mem, m, n);
        for (uint32_t i = 0; i < m; i++)
            for (uint32_t j = 0; j < n; j++)
                *dense_rank_at(&r, i, j) = a[i][j];
        dense_rank_eliminate(mem, &r, 1e-9);
        assert_int_equal(r.rank, k);
        rows_vanish(&r, a);
        columns_are_open(&r, a);
        dense_rank_close(mem, &r);
        mem_close(mem);
    }
}

/* Of equal rows that with the smallest weight is left over. */
static void weights_decide(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    for (uint32_t light = 0; light < 3; light++) {
        DenseRank r = dense_rank_open(mem, 3, 2);
        for (uint32_t i = 0; i < 3; i++) {
            *dense_rank_at(&r, i, 0) = 1;
            *dense_rank_at(&r, i, 1) = i + 1.0;
        }
        r.row_weight[light] = 0.01;
        dense_rank_eliminate(mem, &r, 1e-9);
        assert_int_equal(r.rank, 2);
        assert_int_equal(r.row[2], light);
        dense_rank_close(mem, &r);
    }
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks), cmocka_unit_test(weights_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
