/* test_births.c: models of births.sol -> values and events of first updates. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void initial_first(void **state)
{
    (void)state;
    Trial *t = trial_start("Births.InitialFirst", 1, 1e-8, NULL, "../sim/births.sol");
    NEAR(trial_read(t, "w1"), 10, 0);
    NEAR(trial_read(t, "w2"), 0, 0);
    trial_end(t);
}

static void guess_first(void **state)
{
    (void)state;
    Trial *t = trial_start("Births.GuessFirst", 1, 1e-8, NULL, "../sim/births.sol");
    NEAR(trial_at(t, 1, "y"), -0.8, 1e-9);
    trial_end(t);
}

/* Breaks away at 1.5 = 10*time, sticks again when the motion has come to an end. */
static void reborn(void **state)
{
    (void)state;
    double slip = (2 * 3.141592653589793 - 2 * atan(0.5)) / 10;
    Trial *t = trial_start("Births.Reborn", 1, 1e-10, NULL, "../sim/births.sol");
    NEAR(trial_at(t, 0.1, "sticking"), 1, 0);
    NEAR(trial_at(t, 0.4, "direction"), 1, 0);
    NEAR(trial_at(t, 0.7, "sticking"), 1, 0);
    assert_int_equal(t->n_events, 2);
    NEAR(t->event[0].time, 0.15, 1e-8);
    NEAR(t->event[1].time, 0.15 + slip, 1e-6);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_first),
        cmocka_unit_test(guess_first),
        cmocka_unit_test(reborn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
