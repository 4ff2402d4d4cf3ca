/* test_array_values.c: sums where a value is needed at birth, loops over slices -> values, against loops in C. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static SimLab *run(const char *text, double stop)
{
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = stop, .rtol = 1e-10});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    return lab;
}

static void is(SimLab *lab, const char *path, double expected)
{
    double value = sim_lab_value(lab, path);
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

static void is_at(SimLab *lab, const char *array, int i, int j, double expected)
{
    char path[64];
    snprintf(path, sizeof path, j ? "%s[%d,%d]" : "%s[%d]", array, i, j);
    is(lab, path, expected);
}

enum { N = 3 };

static void sums_at_birth(void **state)
{
    (void)state;
    static const char text[] =
        "function square(x) return x*x; end square;\n"
        "model Cell\n"
        "interface:\n"
        "  parameter Real R << 2;\n"
        "  parameter Real w[2] << {R, sum({R, 2*R, 3*R})};\n"
        "  static Real T {start << sum(w[k]*k for k in 1:2)};\n"
        "implementation:\n"
        "  der(T) = 0;\n"
        "end Cell;\n"
        "model M\n"
        "interface:\n"
        "  parameter Integer n << 3;\n"
        "  parameter Real R[n] << {10*i for i in 1:n};\n"
        "  parameter Real mean << sum(r for r in R)/n;\n"
        "  parameter Real rest << sum(r for r in R[2:end]);\n"
        "  parameter Real K[n, n] << {{sum(i*j*k for k in 1:n) + square(i) for j in 1:n} "
        "for i in 1:n};\n"
        "  parameter Real P[n, n] << K*transpose(K);\n"
        "  parameter Real v[n] << K*R;\n"
        "  parameter Real all << sum(P[i, j] for i in 1:n, j in 1:n);\n"
        "  parameter Real most << max(K[:, 2] - R);\n"
        "  parameter Real factor << product(square(x = i) for i in 1:n);\n"
        "  parameter Integer size << sum(i for i in 1:n);\n"
        "  parameter Integer largest << max(max(i*j for j in 1:2) for i in 1:n);\n"
        "  parameter Real nothing << sum(i for i in 1:0);\n"
        "  static Cell cell[n]{R << R};\n"
        "  static Real x[size];\n"
        "  static Real y {start << K[1, :]*K[2, :]};\n"
        "implementation:\n"
        "  for i in 1:sum(j for j in 1:n) then x[i] = i; end for;\n"
        "  der(y) = 0;\n"
        "end M;\n";
    SimLab *lab = run(text, 1);
    double K[N][N], all = 0, most = -1e300, scalar = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K[i][j] = (i + 1) * (i + 1);
            for (int k = 1; k <= N; k++)
                K[i][j] += (i + 1) * (j + 1) * k;
        }
    for (int i = 0; i < N; i++) {
        double row = 0;
        for (int j = 0; j < N; j++) {
            double p = 0;
            for (int k = 0; k < N; k++)
                p += K[i][k] * K[j][k];
            is_at(lab, "K", i + 1, j + 1, K[i][j]);
            is_at(lab, "P", i + 1, j + 1, p);
            row += K[i][j] * 10 * (j + 1);
            all += p;
        }
        is_at(lab, "v", i + 1, 0, row);
        most = fmax(most, K[i][1] - 10 * (i + 1));
        scalar += K[0][i] * K[1][i];
    }
    is(lab, "mean", 20);
    is(lab, "rest", 50);
    is(lab, "all", all);
    is(lab, "most", most);
    is(lab, "factor", 36);
    is(lab, "size", 6);
    is(lab, "largest", 6);
    is(lab, "nothing", 0);
    is(lab, "cell[2].T", 20 + 2 * 120);
    is(lab, "x[6]", 6);
    is(lab, "y", scalar);
    sim_lab_close(lab);
}

/* What is born at an event takes the values of the update before. */
static void sums_of_what_moves(void **state)
{
    (void)state;
    static const char text[] =
        "model B\n"
        "interface:\n"
        "  parameter Real k[2]; parameter Real t << sum(i*k[i] for i in 1:2); static Real y;\n"
        "implementation:\n"
        "  y = t;\n"
        "end B;\n"
        "model M\n"
        "interface:\n"
        "  static Real x[3]; static Real y;\n"
        "  dynamic B b;\n"
        "implementation:\n"
        "  x = {i*time for i in 1:3};\n"
        "  when time > 2 then b <- B{k << {sum(2*x), x[2:3]*x[1:2]}}; end when;\n"
        "  y = if b? then b.t else 0;\n"
        "end M;\n";
    SimLab *lab = run(text, 3);
    is(lab, "y", 24 + 2 * (8 + 24));
    sim_lab_close(lab);
}

/* Parameters that initial conditions determine: what is summed up follows them. */
static void sums_of_what_is_looked_for(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n"
        "interface:\n"
        "  parameter Real k[3] {fixed << false, start << 1};\n"
        "  parameter Real t << sum(i*k[i]*k[i] for i in 1:3);\n"
        "  parameter Real u << product(k);\n"
        "  static Real x;\n"
        "implementation:\n"
        "  der(x) = -x + t + u;\n"
        "  if initial() then der(x) = 0; x = 48; k[1] = 1; k[2] = 3*u/(k[1]*k[3]) - 4; end if;\n"
        "end M;\n";
    /* k2 = 3 k2 - 4: k2 = 2; 48 = 1 + 8 + 3 k3^2 + 2 k3: k3 = (-1 + sqrt(118))/3 */
    SimLab *lab = run(text, 1);
    is(lab, "k[2]", 2);
    is(lab, "k[3]", (-1 + sqrt(118)) / 3);
    is(lab, "x", 48);
    sim_lab_close(lab);
}

static void slices(void **state)
{
    (void)state;
    static const char text[] =
        "model Cell\n"
        "interface:\n"
        "  static Real T; static Real q;\n"
        "end Cell;\n"
        "model M\n"
        "interface:\n"
        "  parameter Integer n << 5;\n"
        "  static Cell cells[n]; static Real s; static Real A[2, 3]; static Real row; static Real "
        "column;\n"
        "  static Real v[3]; static Real w[2]; static Real most; static Real none;\n"
        "implementation:\n"
        "  cells[1].T = time;\n"
        "  for c in cells[2:end] then c.T = 2*cells[c-1].T; end for;\n"
        "  for c in cells[:] then c.q = c.T + 1; end for;\n"
        "  s = sum(c.T for c in cells[2:end-1]);\n"
        "  for i in 1:2 then for j in 1:3 then A[i, j] = 10*i + j; end for; end for;\n"
        "  row = sum(a for a in A[2, :]);\n"
        "  column = sum(2*a for a in A[:, 3]);\n"
        "  v = {c.q for c in cells[3:5]};\n"
        "  w = {a for a in A[1, 2:3]};\n"
        "  most = max(c.T for c in cells[1:3]);\n"
        "  none = sum(c.T for c in cells[3:2]);\n"
        "end M;\n";
    SimLab *lab = run(text, 1);
    is(lab, "cells[5].T", 16);
    is(lab, "cells[2].q", 3);
    is(lab, "s", 2 + 4 + 8);
    is(lab, "row", 66);
    is(lab, "column", 72);
    is(lab, "v[1]", 5);
    is(lab, "v[3]", 17);
    is(lab, "w[1]", 12);
    is(lab, "w[2]", 13);
    is(lab, "most", 4);
    is(lab, "none", 0);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_at_birth),
        cmocka_unit_test(sums_of_what_moves),
        cmocka_unit_test(sums_of_what_is_looked_for),
        cmocka_unit_test(slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
