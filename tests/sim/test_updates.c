/* test_updates.c: models of updates.sol -> what the rules of updates, U1 to U6, say of them. */
#include "tests/support/sim_lab.h"
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static Trial *begin(const char *model, double stop)
{
    return trial_start(model, stop, 1e-8, NULL, "../sim/updates.sol");
}

static void safe_division(void **state)
{
    (void)state;
    Trial *t = begin("Updates.SafeDivision", 5);
    NEAR(trial_at(t, 1.5, "share"), 6, 0);
    NEAR(trial_at(t, 2.5, "share"), 12, 0);
    NEAR(trial_at(t, 4.5, "share"), 12, 0);
    NEAR(trial_read(t, "root"), -1, 0);
    trial_end(t);
}

static void safe_root(void **state)
{
    (void)state;
    Trial *t = begin("Updates.SafeRoot", 2);
    double y = trial_at(t, 2, "y"), z = trial_read(t, "z");
    assert_true(isfinite(y) && y >= 0 && y < 1e-6);
    assert_true(isfinite(z) && z < -20);
    trial_end(t);
}

static void left_limit(void **state)
{
    (void)state;
    Trial *t = begin("Updates.LeftLimit", 2);
    NEAR(trial_at(t, 2, "y"), 7, 1e-6);
    NEAR(trial_read(t, "seen"), 6, 1e-6);
    trial_end(t);
}

static void last_word(void **state)
{
    (void)state;
    Trial *t = begin("Updates.LastWord", 2);
    NEAR(trial_at(t, 2, "taken"), 30, 0);
    NEAR(trial_read(t, "force"), 7, 0);
    trial_end(t);
}

static void one_structure(void **state)
{
    (void)state;
    Trial *t = begin("Updates.OneStructure", 2);
    NEAR(trial_at(t, 2, "fired"), 0, 0);
    NEAR(trial_read(t, "slow"), 1, 0);
    trial_end(t);
}

static void late_sample(void **state)
{
    (void)state;
    Trial *t = begin("Updates.LateSample", 1.5);
    NEAR(trial_at(t, 1.5, "seen"), 1, 0);
    trial_end(t);
}

static void birth(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Birth", 3);
    NEAR(trial_at(t, 1, "there"), 0, 0);
    NEAR(trial_at(t, 3, "count"), 0, 0);
    NEAR(trial_read(t, "there"), 0, 0);
    trial_end(t);
}

static void chain(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Chain", 1);
    NEAR(trial_read(t, "c"), 3, 0);
    NEAR(trial_read(t, "wrong"), 0, 0);
    trial_end(t);
}

static void circle(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Circle", 1);
    NEAR(trial_read(t, "a"), 0, 0);
    NEAR(trial_read(t, "late"), 1, 0);
    trial_end(t);
}

static void parameters(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Parameters", 1);
    NEAR(trial_read(t, "y"), 42, 0);
    trial_end(t);
}

static void initial(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Initial", 1);
    NEAR(trial_read(t, "n"), 6, 0);
    NEAR(trial_read(t, "before"), 5, 0);
    NEAR(trial_read(t, "after"), 1, 0);
    trial_end(t);
}

static void else_when(void **state)
{
    (void)state;
    Trial *t = begin("Updates.ElseWhen", 2);
    NEAR(trial_at(t, 2, "a"), 1, 0);
    NEAR(trial_read(t, "b"), 1, 0);
    trial_end(t);
}

static void higher(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Higher", 3);
    NEAR(trial_at(t, 1.5, "outer"), 1, 0);
    NEAR(trial_read(t, "inner"), 0, 0);
    NEAR(trial_at(t, 3, "inner"), 10, 0);
    trial_end(t);
}

static void memory(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Memory", 2);
    double drawn = trial_at(t, 0.1, "drawn");
    assert_true(drawn > 0);
    NEAR(trial_at(t, 2, "kept"), 1, 0);
    NEAR(trial_read(t, "drawn"), drawn, 0);
    NEAR(trial_read(t, "x"), 4, 1e-6);
    trial_end(t);
}

/* The first fall lasts sqrt(2/g), each flight half as long as the one before. */
static void ball(void **state)
{
    (void)state;
    double fall = sqrt(2 / 9.81), t2 = 2 * fall + 0.1;
    Trial *t = begin("Updates.Ball", 1.5);
    NEAR(trial_at(t, t2, "bounces"), 2, 0);
    NEAR(trial_read(t, "v"), 0.25 * 9.81 * fall - 9.81 * 0.1, 1e-4);
    trial_end(t);
}

static void impact(void **state)
{
    (void)state;
    Trial *t = begin("Updates.Impact", 0.6);
    NEAR(trial_at(t, 0.6, "seen"), -sqrt(2 * 9.81), 1e-5);
    trial_end(t);
}

static void tie_in_chain(void **state)
{
    (void)state;
    Trial *t = begin("Updates.TieInChain", 3);
    NEAR(trial_at(t, 3, "k"), -1, 0);
    trial_end(t);
}

static void tie_in_ifs(void **state)
{
    (void)state;
    Trial *t = begin("Updates.TieInIfs", 3);
    NEAR(trial_at(t, 1, "a"), 2, 0);
    NEAR(trial_at(t, 1, "b"), 1, 0);
    NEAR(trial_at(t, 2.5, "a"), 1, 0);
    NEAR(trial_read(t, "b"), 2, 0);
    NEAR(t->event[0].time, 2, 0);
    assert_int_equal(t->n_events, 1);
    trial_end(t);
}

/* By code that is waited for, with each solver. */
static void sampled_slope(void **state)
{
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    (void)state;
    for (int i = 0; i < 3; i++) {
        SolOptions options = {.stop = 1,
                              .step = 0.001,
                              .solver = solvers[i],
                              .engine = SOL_ENGINE_JIT,
                              .jit_wait = true,
                              .cache = "off"};
        SimLab *lab = sim_lab_open("updates.sol", "Updates.SampledSlope", &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        NEAR(sim_lab_value(lab, "x"), 2.36, 1e-6);
        sim_lab_close(lab);
    }
}

static void undecided(void **state)
{
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_EULER};
    (void)state;
    for (int i = 0; i < 3; i++) {
        SolOptions options = {.stop = 2, .step = 0.05, .solver = solvers[i]};
        SimLab *lab = sim_lab_open("updates.sol", "Updates.Undecided", &options);
        assert_int_equal(sim_lab_run(lab, 2), SOL_OK);
        NEAR(sim_lab_value(lab, "fired"), 1, 0);
        NEAR(sim_lab_value(lab, "y"), -1, 0);
        sim_lab_close(lab);
    }
}

/* At 1.5 n was 2, so x was 17, z 34, a part of that k has y = 68; p is (2*x + 1)/3. */
static void late_birth(void **state)
{
    (void)state;
    Trial *t = begin("Updates.LateBirth", 1.75);
    NEAR(trial_at(t, 1.75, "n"), 3, 0);
    NEAR(trial_read(t, "seen"), 34, 1e-6);
    NEAR(trial_read(t, "solved"), 35.0 / 3, 1e-6);
    NEAR(trial_read(t, "given"), 68, 1e-6);
    trial_end(t);
}

/* 2*(1 + 0 + 10) */
static void left_unseen(void **state)
{
    (void)state;
    Trial *t = begin("Updates.LeftUnseen", 1.75);
    NEAR(trial_at(t, 1.75, "seen"), 22, 1e-6);
    NEAR(trial_read(t, "twice"), -2, 0);
    trial_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_division), cmocka_unit_test(safe_root),
        cmocka_unit_test(left_limit),    cmocka_unit_test(last_word),
        cmocka_unit_test(one_structure), cmocka_unit_test(late_sample),
        cmocka_unit_test(birth),         cmocka_unit_test(chain),
        cmocka_unit_test(circle),        cmocka_unit_test(parameters),
        cmocka_unit_test(initial),       cmocka_unit_test(else_when),
        cmocka_unit_test(higher),        cmocka_unit_test(memory),
        cmocka_unit_test(ball),          cmocka_unit_test(impact),
        cmocka_unit_test(tie_in_chain),  cmocka_unit_test(tie_in_ifs),
        cmocka_unit_test(sampled_slope), cmocka_unit_test(undecided),
        cmocka_unit_test(late_birth),    cmocka_unit_test(left_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
