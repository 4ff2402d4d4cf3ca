/* Stiff problems against the end values that the Test Set for IVP Solvers publishes, to five
 * digits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdio.h>

typedef struct Expected {
    const char *path;
    double value;
} Expected;

static void check(const char *model, double stop, double rtol, double atol,
                  const Expected *expected)
{
    SimLab *lab = sim_lab_open(
        "stiff.sol", model,
        &(SolOptions){
            .stop = stop, .steps = 10, .rtol = rtol, .atol = atol, .solver = SOL_SOLVER_IDA});
    assert_int_equal(sim_lab_run(lab, stop), SOL_OK);
    for (; expected->path; expected++) {
        double value = sim_lab_value(lab, expected->path);
        if (!(fabs(value - expected->value) <= 1e-5 * fabs(expected->value)))
            fail_msg("%s: %.12g instead of %.12g", expected->path, value, expected->value);
    }
    sim_lab_close(lab);
}

static void test_van_der_pol(void **state)
{
    (void)state;
    check("VanDerPol", 2000, 1e-8, 1e-10,
          (Expected[]){{"x", 0.1706167732170469e1}, {"v", -0.8928097010248125e-3}, {0}});
}

static void test_robertson(void **state)
{
    (void)state;
    check("Robertson", 1e11, 1e-8, 1e-20,
          (Expected[]){{"a", 0.2083340149701255e-7},
                       {"b", 0.8333360770334713e-13},
                       {"c", 0.9999999791665050},
                       {0}});
}

static void test_transistor_amplifier(void **state)
{
    (void)state;
    check("Amplifier", 0.2, 1e-8, 1e-10,
          (Expected[]){{"C1.p.u", -0.5562145012262709e-2},
                       {"T1.b.u", 0.3006522471903042e1},
                       {"T1.e.u", 0.2849958788608128e1},
                       {"T1.c.u", 0.2926422536206241e1},
                       {"T2.b.u", 0.2704617865010554e1},
                       {"T2.e.u", 0.2761837778393145e1},
                       {"T2.c.u", 0.4770927631616772e1},
                       {"R9.p.u", 0.1236995868091548e1},
                       {0}});
}

/* Velocities that pass through 0 need a digit more for their five. */
static void test_car_axis(void **state)
{
    (void)state;
    check("CarAxis", 3, 1e-9, 1e-12,
          (Expected[]){{"xl", 0.493455784275402809e-1},
                       {"yl", 0.496989460230171154},
                       {"xr", 0.104174252488542152e1},
                       {"yr", 0.373911027265361257},
                       {"vxl", -0.770583684040972358e-1},
                       {"vyl", 0.744686658723778553e-2},
                       {"vxr", 0.175568157537232222e-1},
                       {"vyr", 0.770341043779251976},
                       {"lam1", -0.473688659084893325e-2},
                       {"lam2", -0.110468033125734369e-2},
                       {0}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_van_der_pol),
        cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_transistor_amplifier),
        cmocka_unit_test(test_car_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
