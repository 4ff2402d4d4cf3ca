/* ddp.h as a service: the guard, the picture, exhausted memory, numbers used again. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ddp/ddp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pendulum {
    DdpVar x, y, vx, vy, ax, ay, f;
    DdpRel rod;
} Pendulum;

static X square(FormTable *forms, uint32_t position)
{
    X p = x_pos(forms, position);
    return x_binary(forms, X_MUL, p, p);
}

static void derivative(Ddp *ddp, DdpVar slope, DdpVar var)
{
    DdpVar vars[] = {slope, var};
    ddp_enter_rel(ddp, DDP_DERIVATIVE, 0, 2, vars, 0, 0);
}

/* a = -f*s - g along one axis */
static void axis(Ddp *ddp, FormTable *forms, DdpVar a, DdpVar f, DdpVar s, double g)
{
    X pull = x_unary(forms, X_NEG, x_binary(forms, X_MUL, x_pos(forms, 1), x_pos(forms, 2)));
    X rhs = x_binary(forms, X_SUB, pull, x_const(forms, g));
    DdpVar vars[] = {a, f, s};
    ddp_enter_rel(ddp, DDP_EQUATION, form_make(forms, x_pos(forms, 0), rhs, 3), 3, vars, 0, 0);
}

static Pendulum enter_pendulum(Ddp *ddp, FormTable *forms)
{
    Pendulum p;
    DdpVar *all[] = {&p.x, &p.y, &p.vx, &p.vy, &p.ax, &p.ay, &p.f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = ddp_enter_var(ddp, DDP_UNKNOWN);
    derivative(ddp, p.vx, p.x);
    derivative(ddp, p.vy, p.y);
    derivative(ddp, p.ax, p.vx);
    derivative(ddp, p.ay, p.vy);
    axis(ddp, forms, p.ax, p.f, p.x, 0);
    axis(ddp, forms, p.ay, p.f, p.y, 9.81);
    DdpVar vars[] = {p.x, p.y};
    X sum = x_binary(forms, X_ADD, square(forms, 0), square(forms, 1));
    p.rod = ddp_enter_rel(ddp, DDP_EQUATION, form_make(forms, sum, x_const(forms, 1), 2), 2, vars,
                          0, 0);
    return p;
}

static void guard_rebuilds_once_and_agrees(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    ddp_guard(ddp, 2);
    enter_pendulum(ddp, forms);
    DdpResult result = ddp_commit(ddp, DDP_FINAL);
    ddp_verify(ddp);
    assert_int_equal(result.verdict, DDP_DETERMINED);
    assert_int_equal(result.states, 2);
    assert_true(result.scratch);
    assert_int_equal(ddp_totals(ddp).scratch_rebuilds, 1);

    Ddp *plain = ddp_open(mem, forms);
    enter_pendulum(plain, forms);
    result = ddp_commit(plain, DDP_FINAL);
    assert_int_equal(result.states, 2);
    assert_false(result.scratch);
    assert_int_equal(ddp_totals(plain).derived_rels, ddp_totals(ddp).derived_rels);
    mem_close(mem);
}

static void name_rel(void *context, DdpRel rel, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "relation \"%u\"", rel);
}

static void name_var(void *context, DdpVar var, char *out, size_t size)
{
    DdpVarView view = ddp_var(context, var);
    snprintf(out, size, "v%u.%u", view.origin, view.order);
}

static void picture_shows_states_loops_and_residuals(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    Pendulum p = enter_pendulum(ddp, forms);
    ddp_commit(ddp, DDP_FINAL);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    ddp_graph(ddp, &(DdpNames){.context = ddp, .rel = name_rel, .var = name_var}, out);
    fclose(out);
    assert_non_null(strstr(text, "digraph causality"));
    assert_non_null(strstr(text, "doublecircle"));
    assert_non_null(strstr(text, "nonlinear loop"));
    assert_non_null(strstr(text, "\"linear loop"));
    assert_non_null(strstr(text, "mistyrose"));
    assert_non_null(strstr(text, "relation \\\"1\\\""));
    assert_null(strstr(text, "dashed"));

    ddp_remove_rel(ddp, p.rod);
    ddp_commit(ddp, DDP_SO_FAR);
    free(text);
    out = open_memstream(&text, &length);
    ddp_graph(ddp, &(DdpNames){.context = ddp, .rel = name_rel, .var = name_var}, out);
    fclose(out);
    assert_non_null(strstr(text, "dashed"));
    free(text);
    mem_close(mem);
}

/* One life of a small system, its n-th allocation failing; true: it never came to that. */
static bool survive(uint64_t n)
{
    Mem *mem = mem_open();
    MemGuard guard;
    mem_fail_at(mem, n);
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return false;
    }
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    Pendulum p = enter_pendulum(ddp, forms);
    ddp_commit(ddp, DDP_FINAL);
    ddp_advise_against(ddp, p.rod, ddp_causality(ddp, p.rod));
    ddp_commit(ddp, DDP_FINAL);
    ddp_remove_rel(ddp, p.rod);
    ddp_commit(ddp, DDP_SO_FAR);
    ddp_diagnose(ddp);
    mem_guard_pop(mem, &guard);
    mem_close(mem);
    return true;
}

/* Every allocation fails once, in all stages of entering, committing and changing. */
static void exhausted_memory_returns_to_the_guard(void **state)
{
    (void)state;
    uint64_t n = 1;
    while (!survive(n))
        n++;
    assert_true(n > 100);
}

static void everything_removed_leaves_nothing(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    uint32_t vars = 0, rels = 0;
    for (int round = 0; round < 5; round++) {
        enter_pendulum(ddp, forms);
        ddp_commit(ddp, DDP_FINAL);
        for (DdpRel r = 1; r < ddp_rel_limit(ddp); r++)
            if (ddp_rel_used(ddp, r) && ddp_rel(ddp, r).order == 0)
                ddp_remove_rel(ddp, r);
        for (DdpVar v = 1; v < ddp_var_limit(ddp); v++)
            if (ddp_var_used(ddp, v) && ddp_var(ddp, v).order == 0)
                ddp_remove_var(ddp, v);
        DdpResult result = ddp_commit(ddp, DDP_FINAL);
        ddp_verify(ddp);
        assert_int_equal(result.verdict, DDP_DETERMINED);
        assert_int_equal(ddp_totals(ddp).rels + ddp_totals(ddp).derived_rels, 0);
        assert_int_equal(ddp_totals(ddp).vars, 0);
        assert_int_equal(ddp_first(ddp), 0);
        if (round == 0) {
            vars = ddp_var_limit(ddp);
            rels = ddp_rel_limit(ddp);
        }
        assert_int_equal(ddp_var_limit(ddp), vars);
        assert_int_equal(ddp_rel_limit(ddp), rels);
    }
    ddp_close(ddp);
    forms_close(forms);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

/* x[0] = sin(t) and x[i+1] = der(x[i]): nothing is left to integrate, and sin(t) has to be
 * differentiated as often as the chain is long. */
static void orders_beyond_a_byte_are_differentiated(void **state)
{
    (void)state;
    enum { ORDER = 258 };
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    DdpVar x[ORDER + 1], t = ddp_enter_var(ddp, DDP_TIME);
    ddp_guard(ddp, 2 * ORDER);
    for (int i = 0; i <= ORDER; i++)
        x[i] = ddp_enter_var(ddp, DDP_UNKNOWN);
    for (int i = 0; i < ORDER; i++)
        derivative(ddp, x[i + 1], x[i]);
    Form wave = form_make(forms, x_pos(forms, 0), x_unary(forms, X_SIN, x_pos(forms, 1)), 2);
    DdpRel first = ddp_enter_rel(ddp, DDP_EQUATION, wave, 2, (DdpVar[]){x[0], t}, 0, 0);
    DdpResult result = ddp_commit(ddp, DDP_FINAL);
    assert_int_equal(result.verdict, DDP_DETERMINED);
    assert_int_equal(result.states, 0);
    uint32_t highest = 0;
    for (DdpRel r = 1; r < ddp_rel_limit(ddp); r++)
        if (ddp_rel_used(ddp, r) && ddp_rel(ddp, r).origin == first &&
            ddp_rel(ddp, r).order > highest)
            highest = ddp_rel(ddp, r).order;
    assert_int_equal(highest, ORDER);
    mem_close(mem);
}

/* The level of `wanted` has two variables that could be states; the advice is to take `wanted`. */
static void advise_for(Ddp *ddp, DdpVar wanted, DdpVar other)
{
    ddp_advise_state(ddp, ddp_level_candidate(ddp, wanted), 1);
    ddp_advise_state(ddp, ddp_level_candidate(ddp, other), -1);
}

static void advised_states_are_taken_level_by_level(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    FormTable *forms = forms_open(mem);
    Ddp *ddp = ddp_open(mem, forms);
    Pendulum p = enter_pendulum(ddp, forms);
    ddp_commit(ddp, DDP_FINAL);
    DdpLevel level = ddp_level(ddp, p.x);
    assert_int_equal(level.n_rels, 1); /* the rod */
    assert_int_equal(level.n_vars, 2);
    level = ddp_level(ddp, p.vx);
    assert_int_equal(level.n_rels, 3); /* its derivative, and vx = x', vy = y' */
    assert_int_equal(level.n_vars, 4);
    assert_int_equal(ddp_level(ddp, p.f).n_rels, 0);
    assert_int_equal(ddp_level_root(ddp, p.vx), p.x);
    for (int place = 0; place < 2; place++) /* all four choices, in an order that goes round */
        for (int speed = 0; speed < 2; speed++) {
            bool x = place == 0, vx = place == speed;
            advise_for(ddp, x ? p.x : p.y, x ? p.y : p.x);
            advise_for(ddp, vx ? p.vx : p.vy, vx ? p.vy : p.vx);
            DdpResult result = ddp_commit(ddp, DDP_FINAL);
            ddp_verify(ddp);
            assert_int_equal(result.verdict, DDP_DETERMINED);
            assert_int_equal(result.states, 2);
            assert_int_equal(ddp_is_state(ddp, p.x), x);
            assert_int_equal(ddp_is_state(ddp, p.y), !x);
            assert_int_equal(ddp_is_state(ddp, p.vx), vx);
            assert_int_equal(ddp_is_state(ddp, p.vy), !vx);
        }
    ddp_remove_rel(ddp, p.rod);
    DdpResult result = ddp_commit(ddp, DDP_SO_FAR);
    ddp_verify(ddp);
    assert_int_equal(result.states, 4);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advised_states_are_taken_level_by_level),
        cmocka_unit_test(guard_rebuilds_once_and_agrees),
        cmocka_unit_test(picture_shows_states_loops_and_residuals),
        cmocka_unit_test(exhausted_memory_returns_to_the_guard),
        cmocka_unit_test(everything_removed_leaves_nothing),
        cmocka_unit_test(orders_beyond_a_byte_are_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
