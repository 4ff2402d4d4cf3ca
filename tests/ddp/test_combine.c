/* test_combine.c: a combination of relations in the place of one of them comes, stands for it under
 * its number, and goes with what it is made of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/pack.h"
#include "ddp/ddp.h"

/* Two voltages that are states, around a circle of two potentials: p - q = u and p - q = w hide
 * u = w. */
typedef struct Circle {
    Mem *mem;
    FormTable *forms;
    Ddp *ddp;
    DdpVar p, q, u, w, du, dw, i;
    DdpRel first, second, der_u, der_w, slope_u, slope_w;
} Circle;

static Form difference(FormTable *forms)
{
    return form_make(forms, x_binary(forms, X_SUB, x_pos(forms, 0), x_pos(forms, 1)),
                     x_pos(forms, 2), 3);
}

static Form copy(FormTable *forms)
{
    return form_make(forms, x_pos(forms, 0), x_pos(forms, 1), 2);
}

static Form opposite(FormTable *forms)
{
    return form_make(forms, x_pos(forms, 0), x_unary(forms, X_NEG, x_pos(forms, 1)), 2);
}

static void enter(Circle *c)
{
    DdpVar *all[] = {&c->p, &c->q, &c->u, &c->w, &c->du, &c->dw, &c->i};
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = ddp_enter_var(c->ddp, DDP_UNKNOWN);
    Form f = difference(c->forms), g = copy(c->forms), h = opposite(c->forms);
    c->first = ddp_enter_rel(c->ddp, DDP_EQUATION, f, 3, (DdpVar[]){c->p, c->q, c->u}, 0, 0);
    c->second = ddp_enter_rel(c->ddp, DDP_EQUATION, f, 3, (DdpVar[]){c->p, c->q, c->w}, 0, 0);
    c->der_u = ddp_enter_rel(c->ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){c->du, c->u}, 0, 0);
    c->der_w = ddp_enter_rel(c->ddp, DDP_DERIVATIVE, 0, 2, (DdpVar[]){c->dw, c->w}, 0, 0);
    c->slope_u = ddp_enter_rel(c->ddp, DDP_EQUATION, g, 2, (DdpVar[]){c->du, c->i}, 0, 0);
    c->slope_w = ddp_enter_rel(c->ddp, DDP_EQUATION, h, 2, (DdpVar[]){c->dw, c->i}, 0, 0);
}

static Circle circle_open(void)
{
    Circle c = {.mem = mem_open()};
    c.forms = forms_open(c.mem);
    c.ddp = ddp_open(c.mem, c.forms);
    enter(&c);
    return c;
}

static void circle_close(Circle *c)
{
    ddp_close(c->ddp);
    forms_close(c->forms);
    mem_close(c->mem);
}

static void combine(Circle *c)
{
    DdpRel others[] = {c->first};
    ddp_combine(c->ddp, c->second, copy(c->forms), 2, (DdpVar[]){c->u, c->w}, 1, others);
}

/* The sum is a constraint of states: one of them is none, its derivative is asked for. What is left
 * of p and q is one relation for both. */
static void one_state_less(void **state)
{
    (void)state;
    Circle c = circle_open();
    ddp_commit(c.ddp, DDP_SO_FAR);
    uint32_t before = ddp_state_count(c.ddp);
    combine(&c);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_state_count(c.ddp), before - 1);
    assert_int_equal(ddp_rel(c.ddp, c.second).n, 2);
    ddp_verify(c.ddp);
    circle_close(&c);
}

static void ends_with_the_others(void **state)
{
    (void)state;
    Circle c = circle_open();
    ddp_commit(c.ddp, DDP_SO_FAR);
    combine(&c);
    ddp_commit(c.ddp, DDP_SO_FAR);
    ddp_remove_rel(c.ddp, c.first);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_true(ddp_rel_used(c.ddp, c.second));
    assert_int_equal(ddp_rel(c.ddp, c.second).n, 3);
    assert_int_equal(ddp_rel(c.ddp, c.second).vars[2], c.w);
    ddp_verify(c.ddp);
    circle_close(&c);
}

/* A combination is itself part of another one: both end. */
static void ends_in_a_row(void **state)
{
    (void)state;
    Circle c = circle_open();
    combine(&c);
    ddp_commit(c.ddp, DDP_SO_FAR);
    DdpRel others[] = {c.second};
    ddp_combine(c.ddp, c.slope_u, copy(c.forms), 2, (DdpVar[]){c.dw, c.i}, 1, others);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_rel(c.ddp, c.slope_u).vars[0], c.dw);
    ddp_remove_rel(c.ddp, c.first);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_rel(c.ddp, c.second).n, 3);
    assert_int_equal(ddp_rel(c.ddp, c.slope_u).vars[0], c.du);
    ddp_verify(c.ddp);
    circle_close(&c);
}

static void goes_when_it_is_removed(void **state)
{
    (void)state;
    Circle c = circle_open();
    combine(&c); /* before any commit, and removed before it stands */
    ddp_remove_rel(c.ddp, c.second);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_false(ddp_rel_used(c.ddp, c.second));
    ddp_verify(c.ddp);
    circle_close(&c);
}

/* p - q = w for the third time, with nothing left of it: a variable of its own stands there. */
static DdpRel set_aside(Circle *c)
{
    DdpRel third = ddp_enter_rel(c->ddp, DDP_EQUATION, difference(c->forms), 3,
                                 (DdpVar[]){c->p, c->q, c->w}, 0, 0);
    DdpRel others[] = {c->second};
    ddp_commit(c->ddp, DDP_SO_FAR);
    Form zero = form_make(c->forms, x_pos(c->forms, 0), x_const(c->forms, 0), 1);
    ddp_set_aside(c->ddp, third, zero, 0, NULL, 1, others);
    ddp_commit(c->ddp, DDP_SO_FAR);
    return third;
}

static void is_set_aside(void **state)
{
    (void)state;
    Circle c = circle_open();
    DdpVar rest = 0;
    uint32_t cursor = 0;
    DdpRel third = set_aside(&c);
    assert_int_equal(ddp_next_aside(c.ddp, &cursor, &rest), third);
    assert_int_equal(ddp_next_aside(c.ddp, &cursor, &rest), 0);
    assert_int_equal(ddp_rel(c.ddp, third).n, 1);
    assert_int_equal(ddp_rel(c.ddp, third).vars[0], rest);
    assert_int_equal(ddp_causality(c.ddp, third), rest);
    ddp_verify(c.ddp);
    circle_close(&c);
}

/* What is open then gets an equation in its place; its variable is gone. With whoever names what is open, all ends. */
static void is_closed(void **state)
{
    (void)state;
    Circle c = circle_open();
    DdpVar rest = 0, open = ddp_enter_var(c.ddp, DDP_UNKNOWN), now = 0;
    uint32_t cursor = 0;
    DdpRel user =
        ddp_enter_rel(c.ddp, DDP_EQUATION, copy(c.forms), 2, (DdpVar[]){open, open}, 0, 0);
    DdpRel third = set_aside(&c), others[] = {user};
    ddp_next_aside(c.ddp, &cursor, &rest);
    Form zero = form_make(c.forms, x_pos(c.forms, 0), x_const(c.forms, 0), 1);
    ddp_close_aside(c.ddp, third, zero, 1, &open, 1, others);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_rel(c.ddp, third).vars[0], open);
    assert_int_equal(ddp_causality(c.ddp, third), open);
    assert_false(ddp_var_used(c.ddp, rest));
    cursor = 0;
    assert_int_equal(ddp_next_aside(c.ddp, &cursor, &now), third);
    assert_int_equal(now, 0);
    ddp_verify(c.ddp);
    ddp_remove_rel(c.ddp, user);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_rel(c.ddp, third).n, 3);
    ddp_verify(c.ddp);
    circle_close(&c);
}

/* In one commit one comes back and another, which follows from it, is set aside: nothing is ever missing. */
static void is_exchanged(void **state)
{
    (void)state;
    Circle c = circle_open();
    DdpVar rest;
    uint32_t cursor = 0;
    DdpRel third = set_aside(&c), others[] = {third};
    uint32_t states = ddp_state_count(c.ddp);
    Form zero = form_make(c.forms, x_pos(c.forms, 0), x_const(c.forms, 0), 1);
    ddp_end_combination(c.ddp, third);
    ddp_set_aside(c.ddp, c.second, zero, 0, NULL, 1, others);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_next_aside(c.ddp, &cursor, &rest), c.second);
    assert_int_equal(ddp_next_aside(c.ddp, &cursor, &rest), 0);
    assert_int_equal(ddp_rel(c.ddp, third).n, 3);
    assert_int_equal(ddp_state_count(c.ddp), states);
    ddp_verify(c.ddp);
    circle_close(&c);
}

/* When what it followed from goes, it says what that said; its variable is gone. */
static void comes_back(void **state)
{
    (void)state;
    for (int by_command = 0; by_command < 2; by_command++) {
        Circle c = circle_open();
        DdpVar rest = 0;
        uint32_t cursor = 0;
        DdpRel third = set_aside(&c);
        ddp_next_aside(c.ddp, &cursor, &rest);
        if (by_command)
            ddp_end_combination(c.ddp, third);
        else
            ddp_remove_rel(c.ddp, c.second);
        ddp_commit(c.ddp, DDP_SO_FAR);
        assert_int_equal(ddp_rel(c.ddp, third).n, 3);
        assert_int_equal(ddp_rel(c.ddp, third).vars[2], c.w);
        assert_false(ddp_var_used(c.ddp, rest));
        cursor = 0;
        assert_int_equal(ddp_next_aside(c.ddp, &cursor, &rest), 0);
        ddp_verify(c.ddp);
        circle_close(&c);
    }
}

static void survives_being_written(void **state)
{
    (void)state;
    Circle c = circle_open();
    combine(&c);
    ddp_commit(c.ddp, DDP_SO_FAR);
    Pack p = {.mem = c.mem, .writing = true};
    forms_pack(c.forms, &p);
    ddp_pack(c.ddp, &p);
    ddp_close(c.ddp);
    forms_close(c.forms);
    c.forms = forms_open(c.mem);
    c.ddp = ddp_open(c.mem, c.forms);
    p.writing = p.bad = false;
    p.at = 0;
    forms_pack(c.forms, &p);
    ddp_pack(c.ddp, &p);
    assert_false(p.bad);
    pack_free(&p);
    ddp_remove_rel(c.ddp, c.first);
    ddp_commit(c.ddp, DDP_SO_FAR);
    assert_int_equal(ddp_rel(c.ddp, c.second).n, 3);
    circle_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_state_less),         cmocka_unit_test(ends_with_the_others),
        cmocka_unit_test(ends_in_a_row),          cmocka_unit_test(goes_when_it_is_removed),
        cmocka_unit_test(is_set_aside),           cmocka_unit_test(is_closed),
        cmocka_unit_test(is_exchanged),           cmocka_unit_test(comes_back),
        cmocka_unit_test(survives_being_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
