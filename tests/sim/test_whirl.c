/* Pendulums and chains in Cartesian coordinates that go round many times: the choice of states is exchanged at every quarter of a turn, and
 * the energy, which no equation of the model names, says what that costs. The same solver and tolerance on the angle, which needs no
 * choice, are shown beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static const char cartesian[] =
    "model M\ninterface:\n  static Real x; static Real y; static Real vx; static Real vy;\n"
    "  static Real E; static Real place; static Real speed;\nimplementation:\n  static Real f;\n"
    "  der(x = x, start << 0) = vx; der(x = y, start << -1) = vy;\n"
    "  der(x = vx, start << 8) = -f*x; der(x = vy, start << 0) = -f*y - 9.81;\n  x*x + y*y = 1;\n"
    "  E = 0.5*(vx*vx + vy*vy) + 9.81*y; place = x*x + y*y - 1; speed = x*vx + y*vy;\nend M;\n";

static const char minimal[] =
    "model M\ninterface:\n  static Real E;\nimplementation:\n  static Real p; static Real w;\n"
    "  der(x = p, start << 0) = w; der(x = w, start << 8) = -9.81*sin(p);\n"
    "  E = 0.5*w*w - 9.81*cos(p);\nend M;\n";

static const double TURN = 0.9820, ENERGY = 22.19; /* seconds; at the start */

static SimLab *run(const char *text, SolSolver solver, double rtol, double time)
{
    SolOptions options = {.stop = time,
                          .solver = solver,
                          .rtol = rtol,
                          .atol = rtol,
                          .interval = time,
                          .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, time), SOL_OK);
    return lab;
}

static double energy_lost(SimLab *lab)
{
    return fabs(sim_lab_value(lab, "E") - ENERGY) / ENERGY;
}

static double angle_lost(SolSolver solver, double rtol, double time)
{
    SimLab *lab = run(minimal, solver, rtol, time);
    double lost = energy_lost(lab);
    sim_lab_close(lab);
    return lost;
}

/* At most three times what the angle loses. */
static double pendulum(SolSolver solver, double rtol, double turns)
{
    SimLab *lab = run(cartesian, solver, rtol, turns * TURN);
    double lost = energy_lost(lab), least = angle_lost(solver, rtol, turns * TURN);
    printf("%g turns at rtol %g: energy off by %.3g of it, by %.3g with the angle\n", turns, rtol,
           lost, least);
    assert_true(fabs(sim_lab_value(lab, "place")) < 1e-9);
    assert_true(fabs(sim_lab_value(lab, "speed")) < 1e-9);
    assert_true(lost <= 3 * least);
    sim_lab_close(lab);
    return lost;
}

static void a_pendulum_goes_round(void **state)
{
    (void)state;
    assert_true(pendulum(SOL_SOLVER_RK, 1e-9, 1000) < 1e-6);
    pendulum(SOL_SOLVER_RK, 1e-7, 100);
    pendulum(SOL_SOLVER_IDA, 1e-9, 30);
    pendulum(SOL_SOLVER_IDA, 1e-6, 30);
}

/* ---- a chain ---- */

enum { LINKS = 10 };

/* Of link i: all alike turn the chain as a whole, for angles a motion on a straight line. */
static double speed_of(int i, double spread)
{
    return 6 + spread * sin(2 * i);
}

/* Stretched along a line at 30 degrees, with little gravity. */
static void write_chain(char *text, size_t size, double spread)
{
    FILE *out = fmemopen(text, size, "w");
    double c = cos(0.5), s = sin(0.5), v = 0;
    fputs("model M\ninterface:\n  static Real E; static Real place;\nimplementation:\n", out);
    for (int i = 1; i <= LINKS; i++)
        fprintf(
            out,
            "  static Real x%d; static Real y%d; static Real vx%d; static Real vy%d; static Real "
            "f%d; static Real d%d;\n",
            i, i, i, i, i, i);
    for (int i = 1; i <= LINKS; i++) {
        char dx[40], dy[40], next[160] = "", nexty[160] = "";
        v += speed_of(i, spread);
        snprintf(dx, sizeof dx, i > 1 ? "(x%d - x%d)" : "x%d", i, i - 1);
        snprintf(dy, sizeof dy, i > 1 ? "(y%d - y%d)" : "y%d", i, i - 1);
        if (i < LINKS) {
            snprintf(next, sizeof next, " + f%d*(x%d - x%d)", i + 1, i + 1, i);
            snprintf(nexty, sizeof nexty, " + f%d*(y%d - y%d)", i + 1, i + 1, i);
        }
        fprintf(out,
                "  der(x = x%d, start << %.17g) = vx%d; der(x = y%d, start << %.17g) = vy%d;\n", i,
                i * c, i, i, i * s, i);
        fprintf(out, "  der(x = vx%d, start << %.17g) = -f%d*%s%s;\n", i, -v * s, i, dx, next);
        fprintf(out, "  der(x = vy%d, start << %.17g) = -f%d*%s%s - 1;\n", i, v * c, i, dy, nexty);
        fprintf(out, "  %s*%s + %s*%s = 1; d%d = %s*%s + %s*%s - 1;\n", dx, dx, dy, dy, i, dx, dx,
                dy, dy);
    }
    fputs("  E = 0", out);
    for (int i = 1; i <= LINKS; i++)
        fprintf(out, " + 0.5*(vx%d*vx%d + vy%d*vy%d) + y%d", i, i, i, i, i);
    fputs(";\n  place = 0", out);
    for (int i = 1; i <= LINKS; i++)
        fprintf(out, " + d%d*d%d", i, i);
    fputs(";\nend M;\n", out);
    fclose(out);
}

/* The same by its angles, which are states throughout. */
static void write_angles(char *text, size_t size, double spread)
{
    FILE *out = fmemopen(text, size, "w");
    fputs("model M\ninterface:\n  static Real E; static Real place;\nimplementation:\n"
          "  static Real x0; static Real y0; static Real f11; static Real x11; static Real y11;\n"
          "  x0 = 0; y0 = 0; f11 = 0; x11 = 0; y11 = 0; place = 0;\n",
          out);
    for (int i = 1; i <= LINKS; i++) {
        fprintf(out,
                "  static Real x%d; static Real y%d; static Real vx%d; static Real vy%d; static "
                "Real f%d;\n  static Real p%d; static Real w%d; static Real a%d;\n",
                i, i, i, i, i, i, i, i);
        fprintf(
            out,
            "  x%d = x%d + cos(p%d); y%d = y%d + sin(p%d); der(x%d) = vx%d; der(y%d) = vy%d;\n"
            "  derState(x = p%d, start << 0.5) = w%d; derState(x = w%d, start << %.17g) = a%d;\n",
            i, i - 1, i, i, i - 1, i, i, i, i, i, i, i, i, speed_of(i, spread), i);
        fprintf(out, "  der(vx%d) = -f%d*(x%d - x%d) + f%d*(x%d - x%d);\n", i, i, i, i - 1, i + 1,
                i + 1, i);
        fprintf(out, "  der(vy%d) = -f%d*(y%d - y%d) + f%d*(y%d - y%d) - 1;\n", i, i, i, i - 1,
                i + 1, i + 1, i);
    }
    fputs("  E = 0", out);
    for (int i = 1; i <= LINKS; i++)
        fprintf(out, " + 0.5*(vx%d*vx%d + vy%d*vy%d) + y%d", i, i, i, i, i);
    fputs(";\nend M;\n", out);
    fclose(out);
}
/* Two turns; the part of its energy that is lost. */
static double whirl(const char *text, const char *name)
{
    SolOptions options = {.stop = 2,
                          .solver = SOL_SOLVER_RK,
                          .rtol = 1e-8,
                          .atol = 1e-9,
                          .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    double before = sim_lab_value(lab, "E");
    assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
    double off = fabs(sim_lab_value(lab, "E") - before) / before,
           drift = sqrt(sim_lab_value(lab, "place"));
    printf("ten links, two turns, %s: energy off by %.3g of it, lengths by %.3g\n", name, off,
           drift);
    assert_true(drift < 1e-9);
    sim_lab_close(lab);
    return off;
}

static void a_chain_whirls(void **state)
{
    (void)state;
    static char text[20000];
    write_chain(text, sizeof text, 0);
    assert_true(whirl(text, "as a whole") < 1e-7);
    write_chain(text, sizeof text, 8);
    double lost = whirl(text, "coordinates");
    write_angles(text, sizeof text, 8);
    assert_true(lost <= 3 * whirl(text, "angles"));
}

/* The largest part of its energy that is off at any of 60 points of the first turn; most of them lie inside steps. */
static double most_off(const char *text, SolSolver solver, double rtol)
{
    enum { AT = 60 };
    SolOptions options = {.stop = 0.6,
                          .solver = solver,
                          .rtol = rtol,
                          .atol = rtol,
                          .interval = 0.01,
                          .max_step = 1,
                          .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
    double before = sim_lab_value(lab, "E"), most = 0;
    for (int i = 1; i <= AT; i++) {
        assert_int_equal(sim_lab_run(lab, i * options.interval), SOL_OK);
        most = fmax(most, fabs(sim_lab_value(lab, "E") - before) / before);
        assert_true(sqrt(sim_lab_value(lab, "place")) < 1e-9);
    }
    sim_lab_close(lab);
    return most;
}

/* Everywhere at most three times what the angles lose, from the first step on: before the first exchange of states too. */
static void a_chain_loses_no_more_than_its_angles(void **state)
{
    (void)state;
    static const struct {
        SolSolver solver;
        const char *name;
        double rtol;
    } cases[] = {{SOL_SOLVER_RK, "rk", 1e-6},
                 {SOL_SOLVER_RK, "rk", 1e-9},
                 {SOL_SOLVER_IDA, "ida", 1e-6},
                 {SOL_SOLVER_IDA, "ida", 1e-9},
                 {SOL_SOLVER_RODAS, "rodas", 1e-6}};
    static char text[20000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int spread = 2; spread <= 8; spread += 6) {
            write_chain(text, sizeof text, spread);
            double lost = most_off(text, cases[i].solver, cases[i].rtol);
            write_angles(text, sizeof text, spread);
            double least = most_off(text, cases[i].solver, cases[i].rtol);
            printf("%s, rtol %g, spread %d: energy off by %.3g of it, by %.3g with angles: %.2f\n",
                   cases[i].name, cases[i].rtol, spread, lost, least, lost / least);
            assert_true(lost <= 3 * least);
        }
}

/* Its ends move by more than a link is wide while a step lasts: a point inside that step, reached from its end, is on the same side of
 * each link all the same. */
static void a_chain_is_looked_at_inside_steps(void **state)
{
    (void)state;
    static char text[20000];
    SolOptions options = {.stop = 0.6,
                          .solver = SOL_SOLVER_RK,
                          .rtol = 1e-6,
                          .atol = 1e-6,
                          .interval = 0.0005,
                          .engine = SOL_ENGINE_INTERP};
    for (int spread = 0; spread <= 4; spread++) {
        write_chain(text, sizeof text, spread);
        SimLab *lab = sim_lab_text(text, &options);
        assert_int_equal(sim_lab_run(lab, 0), SOL_OK);
        double before = sim_lab_value(lab, "E"), most = 0;
        for (int i = 1; i <= 1200; i++) {
            assert_int_equal(sim_lab_run(lab, i * options.interval), SOL_OK);
            most = fmax(most, fabs(sim_lab_value(lab, "E") - before) / before);
        }
        printf("spread %d, at 1,200 points: energy off by %.3g of it\n", spread, most);
        assert_true(most < 2e-5);
        sim_lab_close(lab);
    }
}

/* What a rope bound is as free as any other mass when it is gone. */
static void a_rope_that_lets_go_is_forgotten(void **state)
{
    (void)state;
    static const char text[] =
        "model Rope\ninterface:\n  parameter Boolean tied << true;\n  static Real x;\n  static "
        "Real y;\n"
        "  static Real F;\n  static Boolean rope;\nimplementation:\n  static Real vx;\n  static "
        "Real vy;\n"
        "  rope = tied and time < 0.2;\n  vx = der(x, start << 1);\n  vy = der(y, start << 0);\n"
        "  der(vx, start << 0) = -F*x - 0.3*vx + sin(20*time);\n"
        "  der(vy, start << -0.1) = -F*y - 1 - 0.3*vy + cos(17*time);\n"
        "  if rope then\n    x^2 + y^2 = 1;\n  else then\n    F = 0;\n  end if;\nend Rope;\n";
    const SolSolver solvers[] = {SOL_SOLVER_RK, SOL_SOLVER_IDA};
    for (int k = 0; k < 2; k++) {
        uint64_t steps[2];
        for (int tied = 0; tied < 2; tied++) {
            SolOptions options = {.stop = 20,
                                  .interval = 20,
                                  .solver = solvers[k],
                                  .n_sets = 1,
                                  .sets = &(SolSet){"tied", tied ? "true" : "false"},
                                  .engine = SOL_ENGINE_INTERP};
            SolStats stats;
            SimLab *lab = sim_lab_text(text, &options);
            assert_int_equal(sim_lab_run(lab, 20), SOL_OK);
            sol_stats(lab->sim, &stats);
            steps[tied] = stats.steps;
            sim_lab_close(lab);
        }
        assert_true(steps[1] < 1.2 * steps[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_goes_round), cmocka_unit_test(a_rope_that_lets_go_is_forgotten),
        cmocka_unit_test(a_chain_whirls), cmocka_unit_test(a_chain_loses_no_more_than_its_angles),
        cmocka_unit_test(a_chain_is_looked_at_inside_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
