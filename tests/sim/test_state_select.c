/* The attributes stateSelect and nominal.
 *
 * Drawn constraints between variables that all could be states, with all five choices: a greedy oracle over ranks says how many variables of
 * each choice are states, and whether "always" and "never" can be met. (Sets that may be states are the bases of a matroid, so the greedy
 * choice is the best one.) Values are held against x(t) = x(0) exp(-t), which solves all of the equations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/random_x.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, CHOICES = 5 };

static const char *const names[CHOICES] = {"never", "avoid", "default", "prefer", "always"};

typedef struct Drawn {
    int n, m;             /* variables, constraints */
    double c[MOST][MOST]; /* [m][n] */
    double b[MOST][MOST]; /* [n - m][n]: equations of motion */
    double start[MOST];
    int select[MOST]; /* index into names */
    bool state[MOST]; /* by the oracle */
} Drawn;

/* ---- the oracle ---- */

/* The rank of the columns that are not states. */
static int rank_without(const Drawn *s, const bool *state)
{
    double a[MOST][MOST];
    int rank = 0;
    memcpy(a, s->c, sizeof a);
    for (int j = 0; j < s->n; j++) {
        int p = rank;
        for (int i = rank; i < s->m && !state[j]; i++)
            p = fabs(a[i][j]) > fabs(a[p][j]) ? i : p;
        if (state[j] || p >= s->m || fabs(a[p][j]) < 1e-9)
            continue;
        for (int k = 0; k < s->n; k++) {
            double t = a[p][k];
            a[p][k] = a[rank][k];
            a[rank][k] = t;
        }
        for (int i = 0; i < s->m; i++)
            for (int k = s->n - 1; k >= 0 && i != rank; k--)
                a[i][k] -= a[i][j] / a[rank][j] * a[rank][k] * (k != j);
        for (int i = 0; i < s->m; i++)
            a[i][j] = i == rank ? a[i][j] : 0;
        rank++;
    }
    return rank;
}

static void choose(Drawn *s)
{
    memset(s->state, 0, sizeof s->state);
    for (int choice = CHOICES - 1; choice >= 0; choice--)
        for (int j = 0; j < s->n; j++) {
            if (s->select[j] != choice)
                continue;
            s->state[j] = true;
            if (rank_without(s, s->state) < s->m)
                s->state[j] = false;
        }
}

static bool can_be_met(const Drawn *s)
{
    for (int j = 0; j < s->n; j++)
        if ((s->select[j] == 4 && !s->state[j]) || (s->select[j] == 0 && s->state[j]))
            return false;
    return true;
}

/* Starts of states are given, the others follow: Gauss and Jordan over what is computed. */
static void solve_starts(Drawn *s)
{
    double a[MOST][MOST], right[MOST];
    bool done[MOST] = {0};
    memcpy(a, s->c, sizeof a);
    for (int i = 0; i < s->m; i++) {
        right[i] = 0;
        for (int j = 0; j < s->n; j++)
            right[i] -= s->state[j] ? a[i][j] * s->start[j] : 0;
    }
    for (int j = 0; j < s->n; j++) {
        int p = -1;
        for (int i = 0; i < s->m && !s->state[j]; i++)
            if (!done[i] && (p < 0 || fabs(a[i][j]) > fabs(a[p][j])))
                p = i;
        if (p < 0)
            continue;
        done[p] = true;
        for (int i = 0; i < s->m; i++) {
            double factor = i == p ? 0 : a[i][j] / a[p][j];
            for (int k = 0; k < s->n && i != p; k++)
                a[i][k] -= s->state[k] ? 0 : factor * a[p][k];
            right[i] -= factor * right[p];
        }
    }
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++)
            if (!s->state[j] && fabs(a[i][j]) > 1e-9)
                s->start[j] = right[i] / a[i][j];
}

/* ---- drawing ---- */

static double factor(Rng *r)
{
    return (rng_below(r, 2) ? 1 : -1) * (rng_real(r, 0.6, 1.5));
}

static bool draw(Rng *r, Drawn *s)
{
    static const bool none[MOST] = {0};
    memset(s, 0, sizeof *s);
    s->n = 2 + (int)rng_below(r, MOST - 1);
    s->m = 1 + (int)rng_below(r, (uint32_t)s->n - 1);
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < 3; k++)
            s->c[i][rng_below(r, (uint32_t)s->n)] = factor(r);
    for (int i = 0; i < s->n - s->m; i++)
        for (int j = 0; j < s->n; j++)
            s->b[i][j] = factor(r);
    for (int j = 0; j < s->n; j++) {
        s->start[j] = factor(r);
        s->select[j] = rng_below(r, 6) ? 1 + (int)rng_below(r, 3) : 4 * (int)rng_below(r, 2);
    }
    choose(s);
    if (rank_without(s, none) < s->m)
        return false;
    solve_starts(s);
    return true;
}

static void write_sum(FILE *out, const Drawn *s, const double *row, char name)
{
    fputs("0", out);
    for (int j = 0; j < s->n; j++)
        if (row[j] != 0)
            fprintf(out, " + (%.17g)*%c%d", row[j], name, j);
}

static void write_model(const Drawn *s, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    fputs("model M\ninterface:\n", out);
    for (int j = 0; j < s->n; j++)
        fprintf(out, "  static Real x%d {stateSelect << \"%s\"}; static Real v%d;\n", j,
                names[s->select[j]], j);
    fputs("implementation:\n", out);
    for (int j = 0; j < s->n; j++)
        fprintf(out, "  v%d = der(x = x%d, start << %.17g);\n", j, j, s->start[j]);
    for (int i = 0; i < s->m; i++) {
        write_sum(out, s, s->c[i], 'x');
        fputs(" = 0;\n", out);
    }
    for (int i = 0; i < s->n - s->m; i++) {
        write_sum(out, s, s->b[i], 'v');
        fputs(" = -(", out);
        write_sum(out, s, s->b[i], 'x');
        fputs(");\n", out);
    }
    fputs("end M;\n", out);
    fclose(out);
}

/* ---- the comparison ---- */

static void count_states(const Sol *sim, int count[CHOICES], const Drawn *s)
{
    SolVarInfo info;
    char path[20];
    for (SolVar v = 0; (v = sol_next_var(sim, v)) != 0;) {
        sol_var_path(sim, v, path, sizeof path);
        if (path[0] == 'x' && sol_var_info(sim, v, &info) && info.state)
            count[s->select[path[1] - '0']]++;
    }
}

static bool is_right(const Drawn *s, SimLab *lab)
{
    int seen[CHOICES] = {0}, wanted[CHOICES] = {0};
    char path[20];
    if (sim_lab_run(lab, 1) != SOL_OK)
        return false;
    count_states(lab->sim, seen, s);
    for (int j = 0; j < s->n; j++) {
        snprintf(path, sizeof path, "x%d", j);
        wanted[s->select[j]] += s->state[j];
        if (!(fabs(sim_lab_value(lab, path) - s->start[j] * exp(-1)) <
              1e-7 * (1 + fabs(s->start[j]))))
            return false;
    }
    return memcmp(seen, wanted, sizeof seen) == 0;
}

static bool try_one(uint64_t seed, int told[2])
{
    static char text[8000];
    Rng r = {seed};
    Drawn s;
    if (!draw(&r, &s))
        return true;
    SolOptions options = {.stop = 1, .rtol = 1e-9, .atol = 1e-10, .engine = SOL_ENGINE_INTERP};
    write_model(&s, text, sizeof text);
    SimLab *lab = sim_lab_text(text, &options);
    bool fine, can = can_be_met(&s);
    told[can]++;
    if (can)
        fine = is_right(&s, lab);
    else
        fine = sim_lab_run(lab, 1) == SOL_MODEL && sim_lab_said(lab, "to be a state, but");
    if (!fine)
        printf("%s\n", text);
    sim_lab_close(lab);
    return fine;
}

/* Constraints that are nearly singular in the only choice that "always" allows: values a million times larger than their state. */
enum { NEARLY_SINGULAR = 981121406 };

static void drawn_choices(void **state)
{
    (void)state;
    int told[2] = {0}, wrong = 0;
    assert_true(try_one(NEARLY_SINGULAR, told));
    Soak soak = soak_begin("test_state_select", 400, 1);
    while (soak_next(&soak))
        if (!try_one(soak.seed, told)) {
            wrong++;
            soak_failed(&soak);
        }
    soak_end(&soak);
    printf("%d chosen, %d refused, %d wrong\n", told[1], told[0], wrong);
    assert_int_equal(wrong, 0);
    assert_true(soak_is_long() || (told[0] > 10 && told[1] > 200));
}

/* ---- nominal values ---- */

static double end_of(const char *attributes, SolSolver solver)
{
    char text[500];
    SolOptions options = {
        .stop = 3, .rtol = 1e-6, .atol = 1e-6, .solver = solver, .engine = SOL_ENGINE_INTERP};
    snprintf(text, sizeof text,
             "model M\ninterface:\n  parameter Real size << 2e-9;\n  static Real x%s; static Real "
             "v;\nimplementation:\n"
             "  der(x = x, start << 1e-9) = v; der(x = v, start << 0) = -25*x;\nend M;\n",
             attributes);
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 3), SOL_OK);
    double x = sim_lab_value(lab, "x");
    sim_lab_close(lab);
    return x;
}

/* An oscillation a thousand times smaller than the tolerance: only who knows its size can follow it. */
static void tolerances_know_the_size(void **state)
{
    (void)state;
    static const SolSolver solvers[] = {SOL_SOLVER_RK, SOL_SOLVER_IDA, SOL_SOLVER_RODAS};
    double right = 1e-9 * cos(15);
    for (int i = 0; i < 3; i++) {
        double with = end_of(" {nominal << 1e-9}", solvers[i]), without = end_of("", solvers[i]);
        assert_true(end_of(" {nominal << size/2}", solvers[i]) == with);
        printf("solver %d: off by %.3g with a nominal value, by %.3g without\n", (int)solvers[i],
               fabs(with - right) / 1e-9, fabs(without - right) / 1e-9);
        assert_true(fabs(with - right) < 2e-12);
        assert_true(fabs(without - right) > 2e-11);
    }
}

/* Of elements, and of parts with their own parameters: the same as states with a constant each. */
static void elements_have_their_own_size(void **state)
{
    (void)state;
    static const char texts[2][700] = {
        "model P\ninterface:\n  parameter Real a << 1;\n"
        "  static Real x[2] {nominal << {a*i for i in 1:2}};\nimplementation:\n"
        "  der(x, start << 1e-9) = {-9*x[1], -x[2]};\nend P;\n"
        "model M\ninterface:\n  parameter Real a[2] << {1e-9, 1e-3};\n"
        "  static P p[2]{a << a};\nend M;\n",
        "model P\ninterface:\n  static Real x[2];\n  static Real b {nominal << 1e-9};\n"
        "  static Real c {nominal << 2e-9};\n  static Real d {nominal << 1e-3};\n"
        "  static Real e {nominal << 2e-3};\nimplementation:\n"
        "  der(b, start << 1e-9) = -9*b;\n  der(c, start << 1e-9) = -c;\n"
        "  der(d, start << 1e-9) = -9*d;\n  der(e, start << 1e-9) = -e;\n  x = {b, c};\nend P;\n"};
    static const char *const names[2][4] = {{"p[1].x[1]", "p[1].x[2]", "p[2].x[1]", "p[2].x[2]"},
                                            {"b", "c", "d", "e"}};
    double end[2][4];
    for (int k = 0; k < 2; k++) {
        SolOptions options = {.stop = 1, .atol = 1e-4, .engine = SOL_ENGINE_INTERP};
        SimLab *lab = sim_lab_text(texts[k], &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        for (int i = 0; i < 4; i++)
            end[k][i] = sim_lab_value(lab, names[k][i]);
        sim_lab_close(lab);
    }
    for (int i = 0; i < 4; i++)
        assert_true(end[0][i] == end[1][i]);
}

/* Charges of some 1e-15: a step of Newton's that is small beside 1 is large beside them. */
static void loops_know_the_size(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  define Charge as Real {nominal << 1e-15, unit << \"C\"};\ninterface:\n"
        "  static Charge q {start << 1e-15}; static Charge r;\nimplementation:\n"
        "  q*exp(q/1e-15) = 1e-15*(1 + time); r = 2*q;\nend M;\n";
    SolOptions options = {.stop = 1, .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "q") / 0.85260550201372549e-15 - 1) < 1e-14);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_choices), cmocka_unit_test(tolerances_know_the_size),
        cmocka_unit_test(elements_have_their_own_size), cmocka_unit_test(loops_know_the_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
