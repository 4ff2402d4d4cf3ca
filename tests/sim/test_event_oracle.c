/* test_event_oracle.c: the interpreter of the update rules, rule by rule, on models that can be
 * worked out by hand. The program is not involved: what is wrong here would be wrong in
 * test_event_rules.c too. */
#include "tests/support/event_random.h"
#include "tests/support/event_rules.h"
#include "tests/support/event_shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ErRun *run(const char *text)
{
    EmModel *model = em_read(text, stderr);
    assert_non_null(model);
    ErRun *result = er_run(model, 4, 50);
    em_free(model);
    return result;
}

/* The value behind update i of the event at `time`. */
static double at(const ErRun *result, double time, uint32_t i, const char *path)
{
    for (uint32_t k = 0; k < result->n_events; k++)
        if (result->events[k].time == time && i < result->events[k].n_updates)
            return er_value(&result->events[k].updates[i], path);
    return NAN;
}

static uint32_t updates(const ErRun *result, double time)
{
    for (uint32_t k = 0; k < result->n_events; k++)
        if (result->events[k].time == time)
            return result->events[k].n_updates;
    return 0;
}

static double at_end(const ErRun *result, const char *path)
{
    const ErEvent *event = &result->events[result->n_events - 1];
    return er_value(&event->updates[event->n_updates - 1], path);
}

#define IS(value, expected) assert_true((value) == (expected))
#define MODEL(decls, body) "model M interface: " decls " implementation: " body " end M;"

/* ---- U1: branches are safe ---- */

static void branch_is_left_alone(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer n; static Real y; static Real z;",
                         "if initial() then n << 2; else then"
                         "  when Sample(interval = 1) then n << pre(n) - 1; end when; end if;"
                         "if n > 0 then y << 6 / n; end if;"
                         "if n > 0 then z = 6 / n; else then z = 0 - 1; end if;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 0, 0, "y"), 3);
    IS(at(r, 1, 1, "y"), 6);
    IS(at(r, 2, 1, "n"), 0);
    IS(at(r, 2, 1, "z"), 6); /* left alone in the update that goes against it */
    IS(at(r, 2, 2, "z"), -1);
    IS(at_end(r, "y"), 6);
    er_free(r);
}

static void what_depends_on_it_too(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Boolean b; static Integer x; static Integer y; static Integer z;",
                         "b = time >= 1;"
                         "if b then x = 1; else then x = 2; end if;"
                         "y = x; z = x + 10;"
                         "when z == 11 and time < 2 then y2 << 1; end when; static Integer y2;"));
    IS(at(r, 1, 0, "b"), 1);
    IS(at(r, 1, 0, "z"), 12);
    IS(at(r, 1, 1, "z"), 11);
    IS(at(r, 1, 2, "y2"), 1);
    er_free(r);
}

static void pulse_is_computed_in_outgoing_branch(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer mode; static Real f; static Real k; static Integer seen;",
                         "when time >= 1 then mode << 1; k << f; end when;"
                         "if mode == 0 then f = 5.0; else then f = 7.0; end if;"
                         "when f < 6.0 and mode == 1 then seen << 1; end when;"));
    IS(at(r, 1, 1, "k"), 5);
    IS(at(r, 1, 1, "f"), 5);
    IS(at(r, 1, 2, "f"), 7);
    IS(at_end(r, "seen"), 0); /* U2: computed for the pulse, left alone for conditions */
    er_free(r);
}

static void machine_in_its_own_branch(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer m; static Integer n;",
                         "if m == 0 then when time >= 1 then m << 1; n << pre(n) + 1; end when;"
                         "else then when time >= 2 and n == 1 then m << 0; end when; end if;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 1, 1, "m"), 1);
    IS(updates(r, 1), 3);
    IS(at(r, 2, 1, "m"), 0);
    IS(at(r, 2, 3, "m"), 1); /* born again with a condition that is true: it fires */
    er_free(r);
}

/* A branch that came by a change is against its condition in the same update: content and
 * conditions in it are left alone. */
static void branch_that_comes_too_late(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer n; static Real x; static Integer hit;",
                         "when time >= 1 then n << 3; end when;"
                         "when n == 3 then n << 0; end when;"
                         "if n > 0 then x = 6 / n; if 6 / n > 1.5 then hit << 1; end if;"
                         "else then x = 0.5; end if;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 1, 2, "n"), 0);
    IS(at(r, 1, 2, "x"), 0.5);
    IS(updates(r, 1), 4);
    IS(at_end(r, "hit"), 0);
    er_free(r);
}

/* ---- U2: one structure at a time ---- */

static void deferred_condition_keeps_its_branch(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer n; static Boolean y; static Boolean b; static Boolean z;",
                         "b = time >= 2; if time < 2 then n = 2; else then n = 3; end if;"
                         "if n > 4 then y = false; else then y = b; end if;"
                         "when y then z << true; end when;"));
    IS(at(r, 2, 0, "y"), 1);
    IS(at(r, 2, 1, "z"), 1);
    er_free(r);
}

static void deferred_condition_is_decided_next(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Boolean b; static Integer n;",
                         "when time >= 1 or b then n << 1; end when;"
                         "if time >= 1 then b = time >= 3; else then b = time >= 2; end if;"));
    IS(at(r, 1, 1, "n"), 0);
    IS(at(r, 1, 2, "n"), 1);
    er_free(r);
}

static void no_condition_sees_two_structures(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer mode; static Integer fired; static Real f;",
                         "if mode == 0 then f = 5.0; else then f = 1.0; end if;"
                         "when time >= 1 then mode << 1; end when;"
                         "when mode == 1 and f > 2.5 then fired << 1; end when;"));
    IS(at_end(r, "fired"), 0);
    IS(at_end(r, "f"), 1);
    er_free(r);
}

static void sample_waits_for_its_condition(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Real f; static Integer n; static Integer lost;",
                         "if time < 1 then f = 1.0; else then f = 2.0; end if;"
                         "when Sample(interval = 1) and f > 1.5 then n << pre(n) + 1; end when;"
                         "when Sample(interval = 1) and f < 1.5 then lost << 1; end when;"));
    IS(at(r, 1, 1, "n"), 0); /* deferred with the exchange of the branch */
    IS(at(r, 1, 2, "n"), 1);
    IS(at(r, 2, 1, "n"), 2);
    IS(at_end(r, "lost"), 0);
    er_free(r);
}

/* ---- U3: births wait for their condition ---- */

static void birth_waits_for_a_transmission(void **state)
{
    (void)state;
    ErRun *r = run("model P interface: static Integer n; implementation: n = 7; end P;" MODEL(
        "static Integer mode; static Integer count; static Boolean b; dynamic P p;",
        "static Integer m;"
        "if mode == 0 then p <- P{}; end if;"
        "mode << m;"
        "if time < 2 then m << 1; else then m << 2; end if;"
        "when mode == 0 then count << 99; end when; b = p?;"));
    IS(at(r, 0, 0, "mode"), 1);
    IS(at_end(r, "mode"), 2);
    IS(at_end(r, "b"), 0);
    IS(at_end(r, "count"), 0);
    er_free(r);
}

static void conditions_that_wait_for_each_other(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Boolean a; static Boolean b; static Boolean c; static Integer n;",
                         "if b then a << true; end if; if a then b << true; end if;"
                         "if not a then n << 5; end if; if n == 5 then c << true; end if;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 0, 0, "a"), 0);
    IS(at(r, 0, 0, "b"), 0);
    IS(at(r, 0, 0, "c"), 1); /* waits for those two, and is decided behind them */
    IS(updates(r, 0), 1);
    er_free(r);
}

static void moves_run_before_births_are_decided(void **state)
{
    (void)state;
    ErRun *r = run("model P interface: static Integer n; implementation: n = 3; end P;" MODEL(
        "static Integer k; dynamic P p; dynamic P q;",
        "when time >= 1 then p <- P{};"
        "  if p? then q <- p; k << 1; else then k << 2; end if; end when;"));
    IS(at(r, 1, 1, "k"), 1);
    IS(at(r, 1, 1, "q.n"), 3);
    assert_true(isnan(at(r, 1, 1, "p.n")));
    er_free(r);
}

static void self_dependence_is_an_error(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Boolean a;", "if not a then a << true; end if;"));
    IS(r->verdict, ER_SELF);
    er_free(r);
    r = run(MODEL("static Integer x; static Integer y;",
                  "if y > 0 then x = 1; else then x = 2; end if;"
                  "if x > 1 then y = 1; else then y = 2; end if;"));
    IS(r->verdict, ER_SELF);
    er_free(r);
}

/* ---- U4: initial() is a pulse ---- */

static void initial_falls_with_the_second_update(void **state)
{
    (void)state;
    ErRun *r =
        run(MODEL("static Integer n; static Real x;", "x = 1.0; if initial() then n << 5; end if;"
                                                      "when x > 0.5 then n << 6; end when;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 0, 0, "n"), 5);
    IS(at(r, 0, 1, "n"), 6);
    er_free(r);
}

static void initial_belongs_to_the_instance(void **state)
{
    (void)state;
    ErRun *r = run("model P interface: parameter Integer m; static Integer n; implementation:"
                   " if initial() then n << m; end if;"
                   " if time >= 2 then if initial() then n << 100; end if; end if; end P;" MODEL(
                       "static Integer k; dynamic P p; dynamic P q;",
                       "k = 2; when time >= 1 then p <- P{m << k + 1}; end when;"
                       "when time >= 3 then q <- p; end when;"));
    IS(at(r, 1, 1, "p.n"), 3);
    IS(at(r, 2, 1, "p.n"), 3);
    IS(at_end(r, "q.n"), 3);
    er_free(r);
}

/* ---- U5: a pulse leaves things as they were ---- */

static void true_at_birth_fires_once(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer a; static Integer b; static Real u;",
                         "u = 5.0; when time >= 1 then a << pre(a) + 1;"
                         "else when u > 0.5 then b << pre(b) + 1; end when;"));
    IS(at(r, 0, 1, "b"), 1);
    IS(at_end(r, "a"), 1);
    IS(at_end(r, "b"), 1);
    er_free(r);
}

static void else_returns_with_its_memory(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer a; static Integer c; static Integer d;",
                         "when time >= 2 then a << 1;"
                         "else then static Integer k; static Integer j;"
                         "  when time >= 1 then k << 8; end when; j = k + 1;"
                         "  when time >= 2 and j == 9 then c << 1; end when;"
                         "  when a == 1 then d << j; end when;"
                         "end when;"));
    assert_true(isnan(at(r, 2, 1, "k")));
    IS(at(r, 2, 2, "k"), 8);
    IS(at_end(r, "c"), 0);   /* became true with the outer one: lost */
    IS(at(r, 2, 3, "d"), 9); /* became true by the pulse */
    er_free(r);
}

static void higher_event_rules(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer n;",
                         "if time < 1 then when time >= 1 then n << 1; end when; end if;"));
    IS(at_end(r, "n"), 0);
    er_free(r);
}

/* ---- impulse updates, errors ---- */

static void what_is_not_determined_keeps_its_value(void **state)
{
    (void)state;
    ErRun *r =
        run(MODEL("static Integer n; static Integer x; static Integer seen; static Integer hit;",
                  "when time >= 1 then n << 1; seen << x;"
                  "else then x = 4 + n; end when;"
                  "when x > 4 then hit << pre(hit) + 1; end when;"));
    IS(r->verdict, ER_FINE);
    IS(at(r, 1, 1, "seen"), 4);
    IS(at(r, 1, 1, "x"), 4);
    IS(at(r, 1, 2, "x"), 5);
    IS(at(r, 1, 3, "hit"), 1);
    er_free(r);
}

static void choice_in_a_pulse_reads_last_values(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer x; static Integer k; static Integer j; static Integer i;",
                         "when time >= 1 then if x == 2 then k << 1; else then k << 2; end if;"
                         "else then x = 2; end when;"
                         "if time >= 1 then if x == 2 then j << 1; end if; end if;"
                         "when k == 1 then i << 1; end when;"));
    IS(at(r, 1, 1, "k"), 1);
    IS(at(r, 1, 2, "i"), 1); /* what a pulse transmits is known */
    IS(at(r, 1, 1, "j"), 0); /* a birth outside waits for the next update */
    IS(at(r, 1, 2, "j"), 1);
    er_free(r);
}

static void errors_are_predicted(void **state)
{
    (void)state;
    ErRun *r = run(MODEL("static Integer n;", "when time >= 1 then n << 1; end when;"
                                              "when time >= 1 then n << 2; end when;"));
    IS(r->verdict, ER_OVER);
    er_free(r);
    r = run(MODEL("static Integer n;", "if time >= 1 then n = 1; end if;"));
    IS(r->verdict, ER_UNDER);
    er_free(r);
    r = run(MODEL("static Real x; static Integer n;", "n = 0; x = 1 / n;"));
    IS(r->verdict, ER_NO_VALUE);
    er_free(r);
    r = run(MODEL("static Boolean a;", "when a then a << false; end when;"
                                       "when not a then a << true; end when;"));
    IS(r->verdict, ER_ENDLESS);
    er_free(r);
}

static void paths_through_empty_members(void **state)
{
    (void)state;
    ErRun *r = run("model P interface: parameter Integer m << 4; static Integer n; implementation:"
                   " n = m; end P;" MODEL(
                       "static Integer x; static Integer y; static Integer hit; dynamic P p;",
                       "x << p.n; if p? then y = p.n; else then y = 0; end if;"
                       "when p.n > 3 then hit << pre(hit) + 1; end when;"
                       "when time >= 1 then p <- P{}; end when;"
                       "when time >= 2 then trash <- p; end when;"
                       "when time >= 3 then p <- P{m << 5}; end when;"));
    IS(at(r, 1, 1, "x"), 4);
    IS(at(r, 1, 1, "y"), 0);
    IS(at(r, 1, 2, "y"), 4);
    IS(at(r, 2, 1, "x"), 4);
    IS(at(r, 2, 1, "y"), 4);
    IS(at(r, 2, 2, "y"), 0);
    IS(at_end(r, "x"), 5);
    IS(at_end(r, "hit"), 1); /* empty: the condition keeps its truth */
    er_free(r);
}

/* ---- the tools around it ---- */

static void text_survives_reading(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        char *raw = event_random(seed, EVENT_ALL);
        EmModel *model = em_read(raw, stderr);
        assert_non_null(model);
        char *text = em_print(model);
        EmModel *same = em_read(text, stderr);
        char *again = em_print(same);
        assert_string_equal(text, again);
        em_free(model);
        em_free(same);
        free(raw);
        free(text);
        free(again);
    }
}

static bool fires_twice(void *context, const char *text)
{
    EmModel *model = em_read(text, NULL);
    (void)context;
    if (!model)
        return false;
    ErRun *r = er_run(model, 4, 50);
    bool shows = at(r, 1, 1, "n") == 1 && at(r, 2, 1, "n") == 2;
    er_free(r);
    em_free(model);
    return shows;
}

static void shrinking_keeps_what_is_shown(void **state)
{
    (void)state;
    const char *text = MODEL("static Integer n; static Real x; static Boolean b;",
                             "if b then x = 1.0; else then x = 2.5; end if; b = time >= 3;"
                             "if initial() then n << 0; else then when Sample(interval = 1) then"
                             " n << pre(n) + 1; end when; end if;");
    assert_true(fires_twice(NULL, text));
    char *small = event_shrink(text, fires_twice, NULL);
    assert_true(fires_twice(NULL, small));
    assert_null(strstr(small, "initial"));
    assert_null(strstr(small, "x"));
    assert_non_null(strstr(small, "Sample"));
    free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branch_is_left_alone),
        cmocka_unit_test(branch_that_comes_too_late),
        cmocka_unit_test(what_depends_on_it_too),
        cmocka_unit_test(pulse_is_computed_in_outgoing_branch),
        cmocka_unit_test(machine_in_its_own_branch),
        cmocka_unit_test(no_condition_sees_two_structures),
        cmocka_unit_test(deferred_condition_is_decided_next),
        cmocka_unit_test(deferred_condition_keeps_its_branch),
        cmocka_unit_test(sample_waits_for_its_condition),
        cmocka_unit_test(birth_waits_for_a_transmission),
        cmocka_unit_test(conditions_that_wait_for_each_other),
        cmocka_unit_test(moves_run_before_births_are_decided),
        cmocka_unit_test(self_dependence_is_an_error),
        cmocka_unit_test(initial_falls_with_the_second_update),
        cmocka_unit_test(initial_belongs_to_the_instance),
        cmocka_unit_test(true_at_birth_fires_once),
        cmocka_unit_test(else_returns_with_its_memory),
        cmocka_unit_test(higher_event_rules),
        cmocka_unit_test(what_is_not_determined_keeps_its_value),
        cmocka_unit_test(choice_in_a_pulse_reads_last_values),
        cmocka_unit_test(errors_are_predicted),
        cmocka_unit_test(paths_through_empty_members),
        cmocka_unit_test(text_survives_reading),
        cmocka_unit_test(shrinking_keeps_what_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
