/* test_circles.c: circles of voltages and cuts of currents that structure does not see: what they
 * hide is found when a loop turns out to be singular. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.141592653589793;

/* A diode beside a capacitor, neither of which is grounded: while it conducts the capacitor's
 * voltage is 0, and no state. */
static const char bypass[] = "model Bypass\n"
                             "interface:\n"
                             "  static Electric.Sources.SineVoltage V{U << 10, f << 50};\n"
                             "  static Electric.Basic.Resistor R1{R << 30};\n"
                             "  static Electric.Basic.Capacitor C{C << 1e-4};\n"
                             "  static Electric.Switches.Diode D;\n"
                             "  static Electric.Basic.Resistor R2{R << 70};\n"
                             "implementation:\n"
                             "  static Electric.Sources.Ground G;\n"
                             "  connection{a << V.p, b << R1.p};\n"
                             "  connection{a << R1.n, b << C.p};\n"
                             "  connection{a << C.p, b << D.p};\n"
                             "  connection{a << C.n, b << D.n};\n"
                             "  connection{a << D.n, b << R2.p};\n"
                             "  connection{a << R2.n, b << G.p};\n"
                             "  connection{a << V.n, b << G.p};\n"
                             "end Bypass;\n";

static void a_capacitor_is_bypassed(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(bypass, &(SolOptions){.stop = 0.05, .rtol = 1e-8});
    assert_int_equal(sim_lab_run(lab, 0.005), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "D.i") - 0.1) < 1e-9);
    assert_true(fabs(sim_lab_value(lab, "C.u")) < 1e-12);
    assert_int_equal(sim_lab_run(lab, 0.013), SOL_OK); /* C is charged the other way, by 100 Ohm */
    assert_true(sim_lab_value(lab, "C.u") < -1);
    double tau = 1e-2, w = 2 * PI * 50, t = 0.003;
    double a = 10 / (1 + w * w * tau * tau);
    double u = -a * (sin(w * t) - w * tau * cos(w * t) + w * tau * exp(-t / tau));
    assert_true(fabs(sim_lab_value(lab, "C.u") - u) < 1e-6);
    assert_int_equal(sim_lab_run(lab, 0.05), SOL_OK);
    sim_lab_close(lab);
}

/* Two nodes that hang on the rest by one coil, with a source of current between them: the coil's
 * current is 0. */
static const char island[] = "model Island\n"
                             "interface:\n"
                             "  static Electric.Sources.SineCurrent I{I << 0.1, f << 50};\n"
                             "  static Electric.Basic.Resistor R1{R << 30};\n"
                             "  static Electric.Basic.Resistor R2{R << 60};\n"
                             "  static Electric.Basic.Inductor L{L << 0.1};\n"
                             "implementation:\n"
                             "  static Electric.Sources.Ground G;\n"
                             "  connection{a << I.p, b << R1.p};\n"
                             "  connection{a << R1.p, b << R2.p};\n"
                             "  connection{a << I.n, b << R1.n};\n"
                             "  connection{a << R1.n, b << R2.n};\n"
                             "  connection{a << R2.n, b << L.p};\n"
                             "  connection{a << L.n, b << G.p};\n"
                             "end Island;\n";

static void a_coil_carries_nothing(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(island, &(SolOptions){.stop = 0.05});
    assert_int_equal(sim_lab_run(lab, 0.005), SOL_OK);
    assert_true(fabs(sim_lab_value(lab, "R1.u") + 2) < 1e-9);
    assert_true(fabs(sim_lab_value(lab, "L.i")) < 1e-12);
    sim_lab_close(lab);
}

/* Three capacitors around a circle of four nodes, the fourth one a switch that opens and closes. */
static const char ring[] = "model Ring\n"
                           "interface:\n"
                           "  static Electric.Sources.SineVoltage V{U << 10, f << 50};\n"
                           "  static Electric.Basic.Resistor R{R << 10};\n"
                           "  static Electric.Basic.Capacitor C1{C << 1e-4};\n"
                           "  static Electric.Basic.Capacitor C2{C << 2e-4};\n"
                           "  static Electric.Basic.Capacitor C3{C << 1e-4};\n"
                           "  static Electric.Basic.Resistor R2{R << 10};\n"
                           "implementation:\n"
                           "  static Electric.Sources.Ground G;\n"
                           "  connection{a << V.p, b << R.p};\n"
                           "  connection{a << R.n, b << C1.p};\n"
                           "  connection{a << C1.n, b << C2.p};\n"
                           "  connection{a << C1.p, b << C3.p};\n"
                           "  connection{a << C2.n, b << C3.n};\n"
                           "  connection{a << C3.n, b << R2.p};\n"
                           "  connection{a << R2.n, b << G.p};\n"
                           "  connection{a << V.n, b << G.p};\n"
                           "end Ring;\n";

static void capacitors_around_a_ring(void **state)
{
    (void)state;
    SimLab *lab = sim_lab_text(ring, &(SolOptions){.stop = 0.05, .rtol = 1e-8});
    assert_int_equal(sim_lab_run(lab, 0.004), SOL_OK);
    double c = 1e-4 + 1 / (1 / 1e-4 + 1 / 2e-4), tau = 20 * c, w = 2 * PI * 50, t = 0.004;
    double a = 10 / (1 + w * w * tau * tau);
    double u = a * (sin(w * t) - w * tau * cos(w * t) + w * tau * exp(-t / tau));
    assert_true(fabs(sim_lab_value(lab, "C3.u") - u) < 1e-6);
    assert_true(fabs(sim_lab_value(lab, "C1.u") - 2 * sim_lab_value(lab, "C2.u")) < 1e-9);
    sim_lab_close(lab);
}

/* A coil in series with a source of current and with a coil that a switch bridges: from then on the
 * bridged one keeps its current, whoever asks for it and however late. */
static const char bridged[] = "model Bridged\n"
                              "interface:\n"
                              "  static Electric.Sources.SineVoltage V{U << 8, f << 25};\n"
                              "  static Electric.Basic.Inductor L1{L << 0.02};\n"
                              "  static Electric.Basic.Inductor L2{L << 0.03};\n"
                              "  static Electric.Switches.ImpulsiveSwitch S;\n"
                              "  static Electric.Sources.SineCurrent I{I << 0.4, f << 25};\n"
                              "  static Electric.Basic.Capacitor C{C << 5e-4, u_start << 1.5};\n"
                              "implementation:\n"
                              "  static Electric.Sources.Ground G;\n"
                              "  connection{a << L2.n, b << L1.p};\n"
                              "  connection{a << S.p, b << L1.p};\n"
                              "  connection{a << L2.p, b << I.n};\n"
                              "  connection{a << S.n, b << L2.p};\n"
                              "  connection{a << V.n, b << G.p};\n"
                              "  connection{a << C.n, b << G.p};\n"
                              "  connection{a << V.p, b << L1.n};\n"
                              "  connection{a << C.p, b << I.p};\n"
                              "  S.command << time >= 0.013 and time < 0.034;\n"
                              "end Bridged;\n";

static void a_bridged_coil_keeps_its_current(void **state)
{
    (void)state;
    const double audits[] = {SIM_LAB_UNAUDITED, SIM_LAB_AUDIT};
    for (int i = 0; i < 2; i++) {
        SimLab *lab =
            sim_lab_text(bridged, &(SolOptions){.stop = 0.05, .rtol = 1e-8, .audit = audits[i]});
        assert_int_equal(sim_lab_run(lab, 0.03), SOL_OK);
        assert_false(sim_lab_said(lab, "not independent"));
        double kept = 0.4 * sin(2 * PI * 25 * 0.013), now = 0.4 * sin(2 * PI * 25 * 0.03);
        assert_true(fabs(sim_lab_value(lab, "L2.i") - kept) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "L1.i") - now) < 1e-9);
        assert_true(fabs(sim_lab_value(lab, "S.i") - (kept - now)) < 1e-9);
        sim_lab_close(lab);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capacitor_is_bypassed),
        cmocka_unit_test(a_coil_carries_nothing),
        cmocka_unit_test(capacitors_around_a_ring),
        cmocka_unit_test(a_bridged_coil_keeps_its_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
