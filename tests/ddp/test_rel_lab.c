/* the script language itself: what is wrong must be called wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/rel_lab.h"

#include <stdio.h>
#include <string.h>

typedef struct Wrong {
    const char *line;
    LabResult result;
} Wrong;

static const char *const circuit[] = {
    "var x y z v", "time t",          "held h = 2",        "known p = 3",
    "eq a: x = p", "eq b: y + z = x", "eq c: y - 2*z = h", "der d: v = der(x)",
    "final",
};

/* All of them about the circuit above, none of them right. */
static const Wrong wrong[] = {
    {"expect under {x}", LAB_FAILED},
    {"expect over {a}", LAB_FAILED},
    {"expect false", LAB_FAILED},
    {"expect a -> y", LAB_FAILED},
    {"expect a potential", LAB_FAILED},
    {"expect d integrator", LAB_FAILED},
    {"expect states {x}", LAB_FAILED},
    {"expect states 1", LAB_FAILED},
    {"expect loop {a b} tears 1", LAB_FAILED},
    {"expect loop {b c} tears 2", LAB_FAILED},
    {"expect loop kept", LAB_FAILED},
    {"expect loops 2", LAB_FAILED},
    {"expect changed <= {a b}", LAB_FAILED},
    {"expect moved {a}", LAB_FAILED},
    {"expect began {x}", LAB_FAILED},
    {"expect ended {x}", LAB_FAILED},
    {"expect visited <= 1", LAB_FAILED},
    {"expect scratch 1", LAB_FAILED},
    {"expect value x = 4", LAB_FAILED},
    {"expect nothing", LAB_SKIPPED},
    {"expect loop", LAB_SKIPPED},
    {"eq e: x + = 3", LAB_SKIPPED},
    {"eq e: x = 3 4", LAB_SKIPPED},
    {"eq e: x = w", LAB_SKIPPED},
    {"eq a: x = 3", LAB_SKIPPED},
    {"eq e: x = (3", LAB_SKIPPED},
    {"trans e: h = 3", LAB_SKIPPED},
    {"der e: v = x", LAB_SKIPPED},
    {"var x", LAB_SKIPPED},
    {"remove e", LAB_SKIPPED},
    {"remove var x", LAB_SKIPPED},
    {"advise a w", LAB_SKIPPED},
    {"nonsense", LAB_SKIPPED},
};

static const char *const right[] = {
    "expect determined",
    "expect a -> x",
    "expect a causal",
    "expect d differentiator",
    "expect states 0",
    "expect states {}",
    "expect loop {c b}",
    "expect loop {b c} tears 1",
    "expect loops 1",
    "expect changed {a b c d}",
    "expect visited <= 1000",
    "expect scratch 0",
    "expect value x = 3",
    "expect value z = 0.333333333333333",
    "  # nothing",
    "",
};

static Lab *enter_circuit(Mem *mem)
{
    Lab *lab = lab_open(mem);

    for (size_t i = 0; i < sizeof circuit / sizeof *circuit; i++)
        if (lab_line(lab, circuit[i]) != LAB_DONE)
            fail_msg("%s: %s", circuit[i], lab->message);
    return lab;
}

static void what_is_right_passes(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Lab *lab = enter_circuit(mem);

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        if (lab_line(lab, right[i]) != LAB_DONE)
            fail_msg("%s: %s", right[i], lab->message);
    lab_close(lab);
    mem_close(mem);
}

static void what_is_wrong_is_called_wrong(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Lab *lab = enter_circuit(mem);

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (lab_line(lab, wrong[i].line) != wrong[i].result)
            fail_msg("%s: passes as %s", wrong[i].line, lab->message);
    lab_close(lab);
    mem_close(mem);
}

/* The comparison with the oracle must notice when the two do not speak of the same system. */
static void comparison_notices_a_different_system(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Lab *lab = enter_circuit(mem);
    LabRel *a = lab_rel(lab, "a"), kept = *a;

    assert_int_equal(lab_check(lab), LAB_DONE);
    a->live = false; /* the oracle sees one relation less */
    assert_int_equal(lab_check(lab), LAB_FAILED);
    *a = kept;
    a->form = lab_rel(lab, "b")->form; /* same names, another law */
    a->n = 2;
    assert_int_equal(lab_check(lab), LAB_FAILED);
    *a = kept;
    lab->last.states = 1;
    assert_int_equal(lab_check(lab), LAB_FAILED);
    lab->last.states = 0;
    assert_int_equal(lab_check(lab), LAB_DONE);
    X lhs = x_pos(lab->forms, 0), rhs = x_const(lab->forms, 2.5);
    a->form = form_make(lab->forms, lhs, rhs, 2); /* same structure, another value */
    assert_int_equal(lab_check(lab), LAB_FAILED);
    assert_non_null(strstr(lab->message, "value"));
    *a = kept;
    lab_close(lab);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_passes),
        cmocka_unit_test(what_is_wrong_is_called_wrong),
        cmocka_unit_test(comparison_notices_a_different_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
