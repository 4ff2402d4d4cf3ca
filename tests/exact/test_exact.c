/* exact/ against the rank by another way: as many sums as rows less rank, each vanishes, independent. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exact/exact.h"
#include "tests/support/exact_rank.h"
#include "tests/support/soak.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(drawn >> 33) % below;
}

/* ---- random matrices ---- */

typedef struct Matrix {
    uint32_t rows, columns;
    int64_t *at;
} Matrix;

static int64_t *cell(const Matrix *m, uint32_t row, uint32_t column)
{
    return &m->at[(size_t)row * m->columns + column];
}

/* A graph's nodes and branches: +1 and -1 per branch; or any numbers; and rows that repeat others. */
static Matrix random_matrix(void)
{
    Matrix m = {1 + draw(14), 1 + draw(14), NULL};
    uint32_t kind = draw(3), largest = 1 + draw(kind == 2 ? 1000 : 3);
    m.at = calloc((size_t)m.rows * m.columns, sizeof *m.at);
    for (uint32_t c = 0; c < m.columns && kind == 0; c++) {
        *cell(&m, draw(m.rows), c) += 1;
        *cell(&m, draw(m.rows), c) -= 1;
    }
    for (uint32_t r = 0; r < m.rows && kind != 0; r++)
        for (uint32_t n = draw(5); n > 0; n--)
            *cell(&m, r, draw(m.columns)) = (int64_t)draw(2 * largest + 1) - largest;
    for (uint32_t n = draw(3); n > 0 && m.rows > 2; n--) {
        uint32_t a = draw(m.rows), b = draw(m.rows), c = draw(m.rows);
        int64_t x = (int64_t)draw(5) - 2, y = (int64_t)draw(5) - 2;
        for (uint32_t k = 0; k < m.columns && c != a && c != b; k++)
            *cell(&m, c, k) = x * *cell(&m, a, k) + y * *cell(&m, b, k);
    }
    return m;
}

static void enter(Exact *exact, const Matrix *m)
{
    uint32_t *columns = malloc(m->columns * sizeof *columns);
    for (uint32_t c = 0; c < m->columns; c++)
        columns[c] = c;
    exact_begin(exact, m->columns);
    for (uint32_t r = 0; r < m->rows; r++)
        assert_int_equal(exact_row(exact, m->columns, columns, cell(m, r, 0)), r);
    exact_eliminate(exact);
    free(columns);
}

static void check_sum(const Matrix *m, ExactSum sum, int64_t *times)
{
    for (uint32_t i = 0; i < sum.n; i++)
        times[sum.rows[i]] = sum.times[i];
    for (uint32_t c = 0; c < m->columns; c++) {
        __int128 left = 0;
        for (uint32_t i = 0; i < sum.n; i++)
            left += (__int128)sum.times[i] * *cell(m, sum.rows[i], c);
        assert_true(left == 0);
    }
}

static bool is_small(const Matrix *m)
{
    for (size_t i = 0; i < (size_t)m->rows * m->columns; i++)
        if (m->at[i] > 40 || m->at[i] < -40)
            return false;
    return true;
}

static void check_matrix(Exact *exact, const Matrix *m)
{
    enter(exact, m);
    if (exact_counts(exact).given_up) { /* a number that is too large, which it says */
        assert_false(is_small(m));
        return;
    }
    uint32_t n = exact_sum_count(exact), rank = exact_rank(m->rows, m->columns, m->at);
    assert_int_equal(n, m->rows - rank);
    int64_t *times = calloc((size_t)n * m->rows + 1, sizeof *times);
    uint32_t told = 0;
    for (uint32_t i = 0; i < n; i++) {
        ExactSum sum = exact_sum(exact, i);
        assert_true(sum.n > 0 || !is_small(m)); /* else too large for 64 bits */
        check_sum(m, sum, &times[(size_t)told * m->rows]);
        told += sum.n > 0;
    }
    assert_int_equal(exact_rank(told, m->rows, times), told);
    exact_verify(exact);
    free(times);
}

static void test_random(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Exact *exact = exact_open(mem); /* one for all: nothing of the system before may be left */
    Soak soak = soak_begin("exact sums", 3000, 1);
    while (soak_next(&soak)) {
        drawn = soak.seed * 7919;
        Matrix m = random_matrix();
        check_matrix(exact, &m);
        free(m.at);
    }
    soak_end(&soak);
    exact_close(exact);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

/* ---- what is said in exact.h ---- */

static void test_example(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Exact *exact = exact_open(mem);
    int64_t at[] = {1, 1, 1, -1, 3, 0};
    Matrix m = {3, 2, at};
    enter(exact, &m);
    assert_int_equal(exact_sum_count(exact), 1);
    ExactSum sum = exact_sum(exact, 0);
    assert_int_equal(sum.n, 3);
    assert_int_equal(sum.times[0], 3);
    assert_int_equal(sum.times[1], 3);
    assert_int_equal(sum.times[2], -2);
    mem_close(mem);
}

/* A chain of nodes from a ground peels, and so does a star of them, of any length: nothing is eliminated. */
static void test_peels(void **state)
{
    (void)state;
    enum { N = 100000 };
    Mem *mem = mem_open();
    Exact *exact = exact_open(mem);
    exact_begin(exact, 2 * N);
    for (uint32_t i = 0; i < N; i++)
        exact_row(exact, 2, (uint32_t[]){i, i + 1}, (int64_t[]){1, -1});
    for (uint32_t i = 1; i < N; i++)
        exact_row(exact, 2, (uint32_t[]){0, N + i}, (int64_t[]){1, -1});
    exact_eliminate(exact);
    assert_int_equal(exact_counts(exact).core, 0);
    assert_int_equal(exact_sum_count(exact), 0);
    mem_close(mem);
}

/* A ring of 10,000 nodes: all of them sum up to nothing, and the work grows as the ring does. */
static void test_ring(void **state)
{
    (void)state;
    enum { N = 10000 };
    Mem *mem = mem_open();
    Exact *exact = exact_open(mem);
    exact_begin(exact, N);
    for (uint32_t i = 0; i < N; i++)
        exact_row(exact, 2, (uint32_t[]){i, (i + 1) % N}, (int64_t[]){1, -1});
    exact_eliminate(exact);
    assert_int_equal(exact_sum_count(exact), 1);
    assert_int_equal(exact_sum(exact, 0).n, N);
    assert_true(exact_counts(exact).cells <= 2 * N);
    mem_close(mem);
}

/* Numbers beyond 127 bits are not wrapped around: it is said that there may be more. */
static void test_gives_up(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Exact *exact = exact_open(mem);
    enum { N = 12 };
    drawn = 5;
    uint32_t columns[N];
    int64_t factors[N];
    exact_begin(exact, N);
    for (uint32_t r = 0; r < 2 * N; r++) {
        for (uint32_t c = 0; c < N; c++) {
            columns[c] = c;
            factors[c] = (int64_t)draw(1u << 31) << 29 | draw(1u << 29) | 1;
        }
        exact_row(exact, N, columns, factors);
    }
    exact_eliminate(exact);
    assert_true(exact_counts(exact).given_up);
    exact_verify(exact);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),  cmocka_unit_test(test_peels),  cmocka_unit_test(test_ring),
        cmocka_unit_test(test_gives_up), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
