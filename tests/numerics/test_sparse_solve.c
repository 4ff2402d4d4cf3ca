/* drawn sparse matrices, factored by KLU -> the same bits of the solution as klu_solve gives. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "numerics/sparse_solve.h"

enum { MOST = 40 };

static uint64_t drawn = 1;

static double draw(void)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (double)(drawn >> 11) / 4503599627370496.0 - 1;
}

/* By columns: the diagonal, and one entry in six of the others, of sizes far apart. */
static void fill(int n, int *first, int *row, double *value)
{
    int count = 0;
    for (int c = 0; c < n; c++) {
        first[c] = count;
        for (int r = 0; r < n; r++) {
            if (r != c && draw() < 0.67)
                continue;
            row[count] = r;
            value[count++] = draw() * (draw() < 0 ? 1e-6 : 1);
        }
    }
    first[n] = count;
}

static void compare(Mem *mem, int n)
{
    int first[MOST + 1], row[MOST * MOST];
    double value[MOST * MOST], ours[MOST], theirs[MOST];
    klu_common common;
    klu_defaults(&common);
    common.btf = common.scale = 0;
    fill(n, first, row, value);
    klu_symbolic *symbolic = klu_analyze(n, first, row, &common);
    klu_numeric *numeric = klu_factor(first, row, value, symbolic, &common);
    assert_non_null(numeric);
    SparseSolve *solve = sparse_solve_open(mem, symbolic, numeric, &common);
    assert_non_null(solve);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            ours[i] = theirs[i] = draw();
        klu_solve(symbolic, numeric, n, 1, theirs, &common);
        sparse_solve(solve, ours);
        assert_memory_equal(ours, theirs, (size_t)n * sizeof *ours);
    }
    sparse_solve_close(mem, solve);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
}

static void test_same_bits(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    for (int i = 0; i < 300; i++)
        compare(mem, 1 + i % MOST);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
