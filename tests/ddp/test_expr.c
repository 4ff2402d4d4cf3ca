/* test_expr.c: forms: sharing, text, derivatives, solved forms. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ddp/apply.h"
#include "ddp/expr.h"
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t same_vars[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static Mem *mem;
static FormTable *t;

static int open_table(void **state)
{
    (void)state;
    mem = mem_open();
    t = forms_open(mem);
    return 0;
}

static int close_table(void **state)
{
    (void)state;
    forms_verify(t);
    forms_close(t);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
    return 0;
}

static X pos(uint32_t p)
{
    return x_pos(t, p);
}

static X num(double k)
{
    return x_const(t, k);
}

static X add(X a, X b)
{
    return x_binary(t, X_ADD, a, b);
}

static X sub(X a, X b)
{
    return x_binary(t, X_SUB, a, b);
}

static X mul(X a, X b)
{
    return x_binary(t, X_MUL, a, b);
}

static const char *letter(void *context, uint32_t position)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    (void)context;
    return position < 8 ? names[position] : NULL;
}

static void assert_text(X x, const char *expected)
{
    char text[400] = "";
    x_print(t, x, letter, NULL, text, sizeof text);
    assert_string_equal(text, expected);
}

static double value(X x, const double *at)
{
    return x_value(t, x, same_vars, at, NULL, NULL);
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

/* ---- sharing ---- */

static void equal_nodes_have_equal_numbers(void **state)
{
    (void)state;
    assert_int_equal(num(1.5), num(1.5));
    assert_int_not_equal(num(0.0), num(-0.0));
    assert_int_equal(num(NAN), num(-NAN));
    assert_int_equal(pos(3), pos(3));
    assert_int_not_equal(pos(3), pos(4));
    assert_int_equal(add(pos(0), pos(1)), add(pos(0), pos(1)));
    assert_int_not_equal(add(pos(0), pos(1)), add(pos(1), pos(0)));
    assert_int_not_equal(add(pos(0), pos(1)), sub(pos(0), pos(1)));
    uint32_t f = x_new_function(t), g = x_new_function(t);
    X args[] = {pos(0), pos(1)};
    assert_int_equal(x_call(t, f, 2, args), x_call(t, f, 2, args));
    assert_int_not_equal(x_call(t, f, 2, args), x_call(t, g, 2, args));
    assert_int_not_equal(x_call(t, f, 1, args), x_call(t, f, 2, args));
    assert_int_equal(form_make(t, pos(0), num(1), 1), form_make(t, pos(0), num(1), 1));
    assert_int_not_equal(form_make(t, pos(0), num(1), 1), form_make(t, pos(0), num(1), 2));
}

static void invariants_hold_in_a_used_table(void **state)
{
    (void)state;
    Rng rng = {soak_seed(1)};
    uint32_t f = x_new_function(t);
    for (int i = 0; i < 200; i++) {
        X x = random_x(t, &rng, RANDOM_ANY, 40, 4, f);
        form_info(t, form_make(t, x, x_partial(t, x, 1), 4));
        x_lower_powers(t, x_rename(t, x, (uint32_t[]){3, 2, 1, 0}));
    }
    forms_verify(t);
}

static void partial_functions_are_shared(void **state)
{
    (void)state;
    uint32_t f = x_new_function(t), origin, which;
    uint32_t f1 = x_call_partial(t, f, 1), f10 = x_call_partial(t, f1, 0);
    assert_int_equal(f1, x_call_partial(t, f, 1));
    assert_int_not_equal(f1, x_call_partial(t, f, 0));
    assert_false(x_call_origin(t, f, &origin, &which));
    assert_true(x_call_origin(t, f10, &origin, &which));
    assert_int_equal(origin, f1);
    assert_int_equal(which, 0);
}

static void rename_and_uses(void **state)
{
    (void)state;
    uint32_t map[] = {4, 0, 2};
    X x = add(mul(pos(0), pos(1)), x_unary(t, X_SIN, pos(2)));
    X y = x_rename(t, x, map);
    assert_int_equal(y, add(mul(pos(4), pos(0)), x_unary(t, X_SIN, pos(2))));
    assert_true(x_uses(t, y, 4) && x_uses(t, y, 2) && !x_uses(t, y, 1));
    uint32_t f = x_new_function(t);
    X call = x_call(t, f, 2, (X[]){pos(0), pos(1)});
    assert_int_equal(x_rename(t, call, map), x_call(t, f, 2, (X[]){pos(4), pos(0)}));
    assert_false(x_uses(t, x_call(t, f, 0, NULL), f));
}

static bool stands_in(X x, uint32_t position)
{
    uint32_t n;
    X *list = x_nodes(t, mem, 1, &x, &n);
    bool found = false;
    for (uint32_t i = 0; i < n; i++)
        found |= x_node(t, list[i]).op == X_POS && x_node(t, list[i]).a == position;
    mem_free(mem, list);
    return found;
}

/* What is known of a node when it is made, against its nodes: positions around 63 and far behind. */
static void uses_are_those_of_the_nodes(void **state)
{
    (void)state;
    enum { EXPRESSIONS = 300, POSITIONS = 200 };
    X made[EXPRESSIONS];
    uint32_t f = x_new_function(t);
    for (uint32_t i = 0; i < EXPRESSIONS; i++) {
        X a = i ? made[(i * 7919u) % i] : 0, b = i ? made[(i * 104729u) % i] : 0;
        uint32_t position = i % 2 ? 58 + (i * 31u) % 12 : (i * 31u) % POSITIONS;
        made[i] = i % 5 == 0   ? pos(position)
                  : i % 5 == 1 ? mul(a, x_const(t, i))
                  : i % 5 == 2 ? x_call(t, f, 2, (X[]){a, b})
                  : i % 5 == 3 ? x_select(t, a, b, pos(position))
                               : add(a, b);
        if (i % 17 == 0)
            made[i] = x_const(t, i);
        uint32_t last = 0;
        for (uint32_t p = 0; p < POSITIONS; p++) {
            bool stands = stands_in(made[i], p);
            assert_int_equal(x_uses(t, made[i], p), stands);
            last = stands ? p + 1 : last;
        }
        assert_int_equal(x_positions(t, made[i]), last);
    }
}

/* ---- text: a small reader for Sol's expressions, as the grammar nests them ---- */

typedef struct Reader {
    const char *at;
} Reader;

static X read_logic(Reader *r);

static bool accept(Reader *r, const char *token)
{
    while (*r->at == ' ')
        r->at++;
    if (strncmp(r->at, token, strlen(token)) != 0)
        return false;
    r->at += strlen(token);
    return true;
}

static X read_function(Reader *r)
{
    static const struct {
        const char *name;
        XOp op;
    } functions[] = {
        {"sinh(", X_SINH},   {"cosh(", X_COSH}, {"tanh(", X_TANH},    {"sin(", X_SIN},
        {"cos(", X_COS},     {"tan(", X_TAN},   {"asin(", X_ASIN},    {"acos(", X_ACOS},
        {"atan2(", X_ATAN2}, {"atan(", X_ATAN}, {"exp(", X_EXP},      {"log10(", X_LOG10},
        {"log(", X_LOG},     {"sqrt(", X_SQRT}, {"abs(", X_ABS},      {"sign(", X_SIGN},
        {"floor(", X_FLOOR}, {"ceil(", X_CEIL}, {"round(", X_ROUND},  {"min(", X_MIN},
        {"max(", X_MAX},     {"mod(", X_MOD},   {"select(", X_SELECT}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!accept(r, functions[i].name))
            continue;
        X arg[3] = {0};
        uint32_t n = 0;
        do
            arg[n++] = read_logic(r);
        while (accept(r, ","));
        assert_true(accept(r, ")"));
        if (functions[i].op == X_SELECT)
            return x_select(t, arg[0], arg[1], arg[2]);
        return n == 2 ? x_binary(t, functions[i].op, arg[0], arg[1])
                      : x_unary(t, functions[i].op, arg[0]);
    }
    return 0;
}

static X read_element(Reader *r)
{
    if (accept(r, "(")) {
        X x = read_logic(r);
        assert_true(accept(r, ")"));
        return x;
    }
    X x = read_function(r);
    if (x)
        return x;
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double k = strtod(r->at, &end);
        r->at = end;
        return num(k);
    }
    assert_true(*r->at >= 'a' && *r->at <= 'h');
    return pos((uint32_t)(*r->at++ - 'a'));
}

static X read_signed(Reader *r)
{
    if (accept(r, "-"))
        return x_unary(t, X_NEG, read_element(r));
    if (accept(r, "not "))
        return x_unary(t, X_NOT, read_element(r));
    return read_element(r);
}

typedef struct Operator {
    const char *token;
    XOp op;
} Operator;

static bool accept_operator(Reader *r, const Operator *list, XOp *op)
{
    for (; list->token; list++)
        if (accept(r, list->token)) {
            *op = list->op;
            return true;
        }
    return false;
}

static X read_chain(Reader *r, X (*operand)(Reader *), const Operator *list)
{
    XOp op;
    X x = operand(r);
    while (accept_operator(r, list, &op))
        x = x_binary(t, op, x, operand(r));
    return x;
}

static X read_power(Reader *r)
{
    return read_chain(r, read_signed, (Operator[]){{"^", X_POW}, {0}});
}

static X read_product(Reader *r)
{
    return read_chain(r, read_power, (Operator[]){{"*", X_MUL}, {"/", X_DIV}, {0}});
}

static X read_sum(Reader *r)
{
    return read_chain(r, read_product, (Operator[]){{"+", X_ADD}, {"-", X_SUB}, {0}});
}

static X read_comparison(Reader *r)
{
    static const Operator list[] = {{"<=", X_LE}, {"<>", X_NE}, {"<", X_LT}, {">=", X_GE},
                                    {">", X_GT},  {"==", X_EQ}, {0}};
    XOp op;
    X x = read_sum(r);
    return accept_operator(r, list, &op) ? x_binary(t, op, x, read_sum(r)) : x;
}

static X read_logic(Reader *r)
{
    return read_chain(r, read_comparison, (Operator[]){{"and ", X_AND}, {"or ", X_OR}, {0}});
}

static void text_reads_back(void **state)
{
    (void)state;
    Rng rng = {soak_seed(2)};
    static char text[1 << 20];
    uint32_t checked = 0;
    for (int i = 0; i < 20000; i++) {
        X x = random_x(t, &rng, RANDOM_TEXT, 1 + rng_below(&rng, 12), 8, 0);
        text[0] = '\0';
        x_print(t, x, letter, NULL, text, sizeof text);
        if (strlen(text) + 1 == sizeof text)
            continue;
        checked++;
        Reader r = {text};
        X y = read_logic(&r);
        if (x != y)
            fail_msg("%s", text);
        assert_true(*r.at == '\0');
    }
    assert_true(checked > 19000);
}

static void text_is_as_in_sol(void **state)
{
    (void)state;
    X a = pos(0), b = pos(1), c = pos(2);
    assert_text(sub(a, sub(b, c)), "a - (b - c)");
    assert_text(sub(sub(a, b), c), "a - b - c");
    assert_text(mul(add(a, b), c), "(a + b)*c");
    assert_text(x_unary(t, X_NEG, mul(a, b)), "-(a*b)");
    assert_text(mul(x_unary(t, X_NEG, a), b), "-a*b");
    assert_text(add(a, num(-3)), "a + (-3)");
    assert_text(x_binary(t, X_POW, x_unary(t, X_NEG, a), num(2)), "-a^2");
    assert_text(x_unary(t, X_NEG, x_binary(t, X_POW, a, num(2))), "-(a^2)");
    assert_text(x_binary(t, X_POW, a, x_binary(t, X_POW, b, c)), "a^(b^c)");
    assert_text(x_binary(t, X_AND, x_binary(t, X_LT, a, b), x_binary(t, X_OR, a, c)),
                "a < b and (a or c)");
    assert_text(x_binary(t, X_ATAN2, a, num(0.1)), "atan2(a, 0.1)");
    assert_text(num(1.0 / 3), "0.3333333333333333");
    assert_text(pos(9), "#9");
    assert_text(x_call(t, 7, 2, (X[]){a, add(b, c)}), "function7(a, b + c)");
}

static void text_is_cut_off(void **state)
{
    (void)state;
    char text[8] = "x=";
    x_print(t, add(pos(0), mul(pos(1), pos(2))), letter, NULL, text, sizeof text);
    assert_string_equal(text, "x=a + b");
    X x = pos(0);
    for (int i = 0; i < 100; i++) /* 2^100 letters if written out */
        x = mul(x, x);
    x_print(t, x, letter, NULL, text, sizeof text);
    assert_int_equal(strlen(text), 7);
}

/* ---- values ---- */

static void operators_mean_what_sol_says(void **state)
{
    (void)state;
    double at[] = {-7.5, 2, 0};
    X a = pos(0), b = pos(1), c = pos(2);
    assert_true(value(x_binary(t, X_MOD, a, b), at) == 0.5);
    assert_true(value(x_unary(t, X_ROUND, a), at) == -8);
    assert_true(value(x_unary(t, X_SIGN, a), at) == -1 && value(x_unary(t, X_SIGN, c), at) == 0);
    assert_true(value(x_binary(t, X_MIN, a, b), at) == -7.5);
    assert_true(value(x_binary(t, X_MAX, a, b), at) == 2);
    assert_true(value(x_select(t, c, a, b), at) == 2);
    assert_true(value(x_unary(t, X_NOT, c), at) == 1);
    assert_true(value(x_binary(t, X_AND, a, b), at) == 1);
    assert_true(value(x_binary(t, X_OR, c, c), at) == 0);
    assert_true(value(x_binary(t, X_GE, b, a), at) == 1);
    assert_true(value(x_binary(t, X_POW, c, c), at) == 1);
}

static void powers_are_products(void **state)
{
    (void)state;
    Rng rng = {soak_seed(3)};
    for (int n = -18; n <= 18; n++) {
        X direct = x_binary(t, X_POW, pos(0), num(n));
        X lowered = x_lower_powers(t, direct);
        X simple = x_simple(t, X_POW, pos(0), num(n));
        assert_true((x_node(t, lowered).op == X_POW) == (abs(n) > 16));
        assert_int_equal(lowered, simple);
        for (int i = 0; i < 100; i++) {
            double at[] = {rng_real(&rng, -4, 4)};
            assert_true(value(direct, at) == value(lowered, at));
            assert_true(near(value(direct, at), pow(at[0], n), 1e-13));
        }
    }
    X minus_two = x_binary(t, X_POW, pos(0), x_unary(t, X_NEG, num(2)));
    assert_text(x_lower_powers(t, minus_two), "1/(a*a)");
}

static double count_args(void *context, uint32_t function, uint32_t n, const double *args)
{
    double total = *(double *)context * function;
    for (uint32_t i = 0; i < n; i++)
        total = total * 10 + args[i];
    return total;
}

static void calls_get_their_arguments_in_order(void **state)
{
    (void)state;
    uint32_t f = x_new_function(t);
    double at[] = {1, 2, 3}, scale = 0;
    X inner = x_call(t, f, 1, (X[]){pos(2)});
    X x = x_call(t, f, 3, (X[]){pos(0), pos(1), inner});
    assert_true(x_value(t, x, same_vars, at, count_args, &scale) == 123);
}

/* ---- simplification ---- */

static void simple_forms(void **state)
{
    (void)state;
    X a = pos(0), b = pos(1), na = x_unary(t, X_NEG, a), nb = x_unary(t, X_NEG, b);
    assert_int_equal(x_simple(t, X_ADD, a, num(0)), a);
    assert_int_equal(x_simple(t, X_SUB, num(0), a), na);
    assert_int_equal(x_simple(t, X_NEG, na, 0), a);
    assert_int_equal(x_simple(t, X_SUB, a, nb), add(a, b));
    assert_int_equal(x_simple(t, X_ADD, na, b), sub(b, a));
    assert_int_equal(x_simple(t, X_ADD, a, num(-2)), sub(a, num(2)));
    assert_int_equal(x_simple(t, X_NEG, sub(a, b), 0), sub(b, a));
    assert_int_equal(x_simple(t, X_SUB, a, a), num(0));
    assert_int_equal(x_simple(t, X_MUL, na, nb), mul(a, b));
    assert_int_equal(x_simple(t, X_MUL, num(-1), a), na);
    assert_int_equal(x_simple(t, X_MUL, num(0), a), num(0));
    assert_int_equal(x_simple(t, X_DIV, a, num(1)), a);
    assert_int_equal(x_simple(t, X_DIV, a, x_binary(t, X_DIV, num(1), b)), mul(a, b));
    assert_int_equal(x_simple(t, X_MUL, num(2), num(3)), num(6));
    assert_int_equal(x_simple(t, X_SIN, num(0), 0), num(0));
    assert_int_equal(x_node(t, x_simple(t, X_DIV, num(1), num(0))).op, X_DIV);
}

static void simplification_keeps_values(void **state)
{
    (void)state;
    Rng rng = {soak_seed(4)};
    uint32_t checked = 0;
    for (int i = 0; i < 20000; i++) {
        X a = random_x(t, &rng, RANDOM_SMOOTH, 1 + rng_below(&rng, 4), 4, 0);
        X b = random_x(t, &rng, RANDOM_SMOOTH, 1 + rng_below(&rng, 4), 4, 0);
        double at[] = {rng_real(&rng, -2, 2), rng_real(&rng, -2, 2), rng_real(&rng, -2, 2), 1};
        XOp op = X_ADD + rng_below(&rng, X_OR - X_ADD + 1);
        if (op == X_AND || op == X_OR) {
            a = rng_below(&rng, 3) ? x_binary(t, X_LT, a, b) : num(rng_below(&rng, 2));
            b = rng_below(&rng, 3) ? x_binary(t, X_GT, b, pos(0)) : num(rng_below(&rng, 2));
        }
        double plain = value(x_binary(t, op, a, b), at);
        if (!isfinite(plain) || fabs(plain) > 1e6)
            continue;
        checked++;
        assert_true(near(plain, value(x_simple(t, op, a, b), at), 1e-9));
    }
    assert_true(checked > 15000);
}

/* ---- derivatives ---- */

enum { BELOW, HERE, ABOVE };

/* The slopes to the left and to the right of `at`. */
static void slopes(X x, uint32_t p, const double *at, double side[2])
{
    double h = 1e-6, moved[8], v[3];
    memcpy(moved, at, sizeof moved);
    for (int i = BELOW; i <= ABOVE; i++) {
        moved[p] = at[p] + (i - HERE) * h;
        v[i] = value(x, moved);
    }
    side[0] = (v[HERE] - v[BELOW]) / h;
    side[1] = (v[ABOVE] - v[HERE]) / h;
}

static void assert_derivatives(X x, const double *at, uint32_t n, double tolerance)
{
    for (uint32_t p = 0; p < n; p++) {
        double exact = value(x_partial(t, x, p), at), side[2];
        slopes(x, p, at, side);
        double measured = (side[0] + side[1]) / 2;
        if (near(exact, measured, tolerance))
            continue;
        /* a jump (mod, floor, ..) within the distance of the two points: the other side tells */
        bool jumps = fabs(side[0] - side[1]) > 1e3 * fmax(1, fabs(exact));
        if (jumps && (near(exact, side[0], 1e-3) || near(exact, side[1], 1e-3)))
            continue;
        char text[2000] = "";
        x_print(t, x, letter, NULL, text, sizeof text);
        fail_msg("d/d%u of %s: %.10g, measured %.10g", p, text, exact, measured);
    }
}

static void every_operator_has_its_derivative(void **state)
{
    (void)state;
    Rng rng = {soak_seed(5)};
    for (int i = 0; i < 200; i++) {
        double at[8] = {rng_real(&rng, 0.1, 0.9), rng_real(&rng, 1.1, 1.9), rng_real(&rng, 0, 1)};
        if (i % 2)
            at[0] = -at[0];
        bool positive = at[0] > 0;
        for (unsigned op = X_NEG; op <= X_ROUND; op++)
            if (positive || !(op == X_LOG || op == X_LOG10 || op == X_SQRT))
                assert_derivatives(x_unary(t, op, pos(0)), at, 1, 1e-7);
        for (unsigned op = X_ADD; op <= X_OR; op++) {
            assert_derivatives(x_binary(t, op, pos(1), pos(0)), at, 2, 1e-6);
            if (op != X_POW || positive)
                assert_derivatives(x_binary(t, op, pos(0), pos(1)), at, 2, 1e-6);
        }
        X condition = x_binary(t, X_LT, pos(0), num(0));
        assert_derivatives(x_select(t, condition, mul(pos(0), pos(1)), pos(1)), at, 2, 1e-7);
        for (int n = -20; n <= 20; n++)
            assert_derivatives(x_binary(t, X_POW, pos(1), num(n)), at, 2, 1e-5);
    }
}

static void composites_have_their_derivatives(void **state)
{
    (void)state;
    Rng rng = {soak_seed(6)};
    for (int i = 0; i < 2000; i++) {
        X x = random_x(t, &rng, RANDOM_SMOOTH, 1 + rng_below(&rng, 8), 3, 0);
        double at[8] = {rng_real(&rng, -1, 1), rng_real(&rng, -1, 1), rng_real(&rng, -1, 1)};
        if (fabs(value(x, at)) < 100)
            assert_derivatives(x, at, 3, 1e-4);
    }
}

static void powers_at_zero(void **state)
{
    (void)state;
    double at[8] = {0, 0, 2};
    X a = pos(0), b = pos(1), c = pos(2);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, num(2)), 0), at) == 0);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, num(1)), 0), at) == 1);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, num(0)), 0), at) == 0);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, b), 0), at) == 0);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, c), 0), at) == 0);
    assert_true(value(x_partial(t, x_binary(t, X_POW, a, c), 2), at) == 0);
    assert_text(x_partial(t, x_binary(t, X_POW, a, num(2)), 0), "2*a");
}

/* f(u, v) = u*u*v and its derivatives, as the runtime would know them. */
static double foreign_square(void *context, uint32_t function, uint32_t n, const double *args)
{
    uint32_t origin = function, which, by[2] = {0};
    (void)context;
    assert_int_equal(n, 2);
    while (x_call_origin(t, origin, &origin, &which))
        by[which]++;
    double u = by[0] == 0 ? args[0] * args[0] : by[0] == 1 ? 2 * args[0] : by[0] == 2 ? 2 : 0;
    return by[1] == 0 ? u * args[1] : by[1] == 1 ? u : 0;
}

static void calls_are_differentiated_through_their_arguments(void **state)
{
    (void)state;
    uint32_t f = x_new_function(t);
    X x = x_call(t, f, 2, (X[]){x_unary(t, X_SIN, pos(0)), mul(pos(0), pos(1))});
    double a = 0.7, b = 1.3, at[] = {a, b};
    double d = 2 * sin(a) * cos(a) * a * b + sin(a) * sin(a) * b;
    X first = x_partial(t, x, 0), mixed = x_partial(t, first, 1);
    assert_true(near(x_value(t, first, same_vars, at, foreign_square, NULL), d, 1e-14));
    assert_true(near(x_value(t, mixed, same_vars, at, foreign_square, NULL), d / b, 1e-14));
    assert_int_equal(x_partial(t, x, 2), num(0));
}

static void higher_derivatives(void **state)
{
    (void)state;
    Rng rng = {soak_seed(7)};
    for (int i = 0; i < 300; i++) {
        X x = random_x(t, &rng, RANDOM_SMOOTH, 1 + rng_below(&rng, 4), 3, 0);
        double at[8] = {rng_real(&rng, -1, 1), rng_real(&rng, -1, 1), rng_real(&rng, -1, 1)};
        X first = x_partial(t, x, 0), second = x_partial(t, first, 1);
        if (fabs(value(second, at)) > 100)
            continue;
        assert_derivatives(first, at, 3, 1e-4);
        assert_derivatives(second, at, 3, 1e-4);
    }
}

/* ---- differentiated equations ---- */

static void linear_equations_forget_what_was_not_differentiated(void **state)
{
    (void)state;
    Form f = form_make(t, pos(0), add(mul(pos(1), pos(2)), sub(num(3), pos(3))), 4);
    PositionKind kinds[] = {POSITION_VARIES, POSITION_FIXED, POSITION_VARIES, POSITION_TIME};
    FormOperand operands[8];
    uint32_t n;
    Form d = form_derivative(t, f, kinds, operands, &n);
    assert_int_equal(n, 3);
    assert_true(operands[0].position == 1 && !operands[0].derivative);
    assert_true(operands[1].position == 0 && operands[1].derivative);
    assert_true(operands[2].position == 2 && operands[2].derivative);
    const FormInfo *info = form_info(t, d);
    assert_int_equal(info->n, 3);
    assert_text(info->lhs, "b");
    assert_text(info->rhs, "a*c - 1");
    assert_int_equal(form_derivative(t, f, kinds, operands, &n), d);
    kinds[1] = POSITION_VARIES;
    assert_int_not_equal(form_derivative(t, f, kinds, operands, &n), d);
    assert_int_equal(n, 5);
}

static void constant_equations_have_no_operands(void **state)
{
    (void)state;
    PositionKind kinds[] = {POSITION_FIXED};
    FormOperand operands[2];
    uint32_t n = 9;
    const FormInfo *info =
        form_info(t, form_derivative(t, form_make(t, pos(0), num(3), 1), kinds, operands, &n));
    assert_int_equal(n, 0);
    assert_true(info->lhs == num(0) && info->rhs == num(0));
}

/* x^2 + y^2 = 1 along x = cos(time), y = sin(time), up to the third derivative. Position 2*k + i is
 * the k-th derivative of x (i = 0) or y (i = 1): both the derivative of position 0 and the value of
 * position 2 are x', and are merged. */
static void circle_three_times(void **state)
{
    (void)state;
    X radius = add(x_binary(t, X_POW, pos(0), num(2)), x_binary(t, X_POW, pos(1), num(2)));
    Form form = form_make(t, radius, num(1), 2);
    double at[8];
    for (uint32_t i = 0; i < 8; i++)
        at[i] = i % 2 ? sin(0.4 + i / 2 * M_PI / 2) : cos(0.4 + i / 2 * M_PI / 2);
    for (uint32_t k = 1; k <= 3; k++) {
        PositionKind kinds[8] = {POSITION_VARIES};
        FormOperand operands[16];
        uint32_t map[16], n;
        form = form_derivative(t, form, kinds, operands, &n);
        assert_true(n > 2 * k && n <= 4 * k);
        for (uint32_t i = 0; i < n; i++)
            map[i] = operands[i].position + 2 * operands[i].derivative;
        form = form_rename(t, form, map, 2 * k + 2);
        const FormInfo *info = form_info(t, form);
        for (uint32_t i = 0; i < 2 * k + 2; i++)
            assert_true(info->position[i].occurs);
        assert_int_equal(info->position[2 * k].solvable, SOLVE_RISKY);
        assert_true(fabs(value(info->lhs, at) - value(info->rhs, at)) < 1e-13);
        assert_true(fabs(value(info->position[2 * k].solved, at) - at[2 * k]) < 1e-13);
    }
}

/* ---- solved forms ---- */

static void assert_solved(X lhs, X rhs, uint32_t p, Solvable solvable, const char *text)
{
    const FormInfo *info = form_info(t, form_make(t, lhs, rhs, 8));
    assert_true(info->position[p].occurs);
    assert_int_equal(info->position[p].solvable, solvable);
    if (solvable != SOLVE_NOT)
        assert_text(info->position[p].solved, text);
    else
        assert_int_equal(info->position[p].solved, 0);
}

static void solved_forms_are_natural(void **state)
{
    (void)state;
    X a = pos(0), b = pos(1), c = pos(2);
    assert_solved(a, mul(b, c), 0, SOLVE_SAFE, "b*c");
    assert_solved(a, mul(b, c), 1, SOLVE_RISKY, "a/c");
    assert_solved(mul(b, c), a, 2, SOLVE_RISKY, "a/b");
    assert_solved(add(a, b), c, 0, SOLVE_SAFE, "c - b");
    assert_solved(add(a, b), c, 1, SOLVE_SAFE, "c - a");
    assert_solved(sub(a, b), c, 1, SOLVE_SAFE, "a - c");
    assert_solved(num(0), add(a, b), 1, SOLVE_SAFE, "-a");
    assert_solved(add(add(a, b), c), num(0), 1, SOLVE_SAFE, "-(a + c)");
    assert_solved(mul(num(2), a), b, 0, SOLVE_SAFE, "b/2");
    assert_solved(x_binary(t, X_DIV, a, b), c, 0, SOLVE_RISKY, "c*b");
    assert_solved(x_binary(t, X_DIV, a, b), c, 1, SOLVE_NOT, NULL);
    assert_solved(mul(a, add(b, c)), c, 2, SOLVE_RISKY, "-(a*b/(a - 1))");
    assert_solved(a, x_binary(t, X_LT, b, c), 0, SOLVE_SAFE, "b < c");
    assert_solved(a, x_binary(t, X_LT, b, c), 1, SOLVE_NOT, NULL);
    assert_solved(a, x_select(t, b, c, num(1)), 1, SOLVE_NOT, NULL);
    assert_solved(a, x_unary(t, X_FLOOR, b), 1, SOLVE_NOT, NULL);
    assert_solved(a, x_unary(t, X_SIN, a), 0, SOLVE_NOT, NULL);
    assert_solved(x_unary(t, X_NOT, a), b, 1, SOLVE_SAFE, "not a");
}

static void positions_that_do_not_occur(void **state)
{
    (void)state;
    const FormInfo *info = form_info(t, form_make(t, pos(0), num(1), 3));
    assert_true(info->position[0].occurs && !info->position[2].occurs);
    assert_int_equal(info->position[2].solvable, SOLVE_NOT);
    assert_int_equal(info->position[2].factor, 0);
    X factor, rest;
    assert_true(x_linear(t, pos(0), 1, &factor, &rest));
    assert_true(factor == num(0) && rest == pos(0));
    assert_false(x_linear(t, mul(pos(0), pos(0)), 0, &factor, &rest));
    assert_ptr_equal(info, form_info(t, form_make(t, pos(0), num(1), 3)));
}

/* x*y + z = y*x + 1 says z = 1, however the product is written. */
static void what_cancels_does_not_occur(void **state)
{
    (void)state;
    X a = pos(0), b = pos(1), c = pos(2), k = num(0.25);
    Form form = form_make(t, add(mul(mul(k, a), b), c), add(mul(mul(k, b), a), num(1)), 3);
    const FormInfo *info = form_info(t, form);
    assert_false(info->position[0].occurs || info->position[0].steers);
    assert_false(info->position[1].occurs || info->position[1].steers);
    assert_true(info->position[2].occurs);
    info = form_info(t, form_cancel(t, form, 0));
    for (uint32_t p = 0; p < 2; p++)
        assert_false(x_uses(t, info->lhs, p) || x_uses(t, info->rhs, p));
    assert_text(info->position[2].solved, "1");
    form = form_make(t, add(a, b), add(a, c), 3);
    assert_false(form_info(t, form)->position[0].occurs);
    assert_text(form_info(t, form_cancel(t, form, 0))->position[1].solved, "c");
    assert_true(form_cancel(t, form, 1) == form); /* what is to stay stays */
    form = form_make(t, c, add(b, mul(num(0), a)), 3);
    assert_true(form_info(t, form)->position[0].occurs && form_cancel(t, form, 0) == form);
    form = form_make(t, sub(mul(a, a), mul(a, a)), c, 3);
    assert_true(form_info(t, form)->position[0].occurs); /* not linear: nobody looks so closely */
}

/* An expression that is linear in position 0 by construction: sums of products with smooth ones. */
static X random_linear(Rng *rng, uint32_t terms)
{
    X x = pos(0);
    for (uint32_t i = 0; i < terms; i++) {
        X free = x_rename(t, random_x(t, rng, RANDOM_SMOOTH, 1 + rng_below(rng, 3), 3, 0),
                          (uint32_t[]){1, 2, 3});
        X two = add(num(2), x_unary(t, X_SIN, free));
        XOp op = X_ADD + rng_below(rng, 4);
        if (op == X_DIV || op == X_MUL)
            free = two;
        x = op == X_DIV || rng_below(rng, 2) ? x_binary(t, op, x, free) : x_binary(t, op, free, x);
        if (rng_below(rng, 6) == 0)
            x = x_unary(t, X_NEG, x);
        if (rng_below(rng, 6) == 0)
            x = x_select(t, x_binary(t, X_LT, pos(1), pos(2)), x, add(x, pos(0)));
        if (rng_below(rng, 6) == 0)
            x = add(x, mul(two, pos(0)));
    }
    return x;
}

static void solved_values_satisfy_the_equation(void **state)
{
    (void)state;
    Rng rng = {soak_seed(8)};
    uint32_t checked = 0;
    for (int i = 0; i < 3000; i++) {
        X lhs = random_linear(&rng, 1 + rng_below(&rng, 6));
        X rhs = rng_below(&rng, 2) ? random_linear(&rng, 1 + rng_below(&rng, 3)) : pos(3);
        const FormInfo *info = form_info(t, form_make(t, lhs, rhs, 4));
        if (info->position[0].solvable == SOLVE_NOT) /* lhs - rhs may cancel, but only then */
            assert_int_equal(info->position[0].factor, num(0));
        if (info->position[0].solvable == SOLVE_NOT)
            continue;
        assert_false(x_uses(t, info->position[0].solved, 0));
        double at[8] = {rng_real(&rng, -1, 1), rng_real(&rng, -1, 1), rng_real(&rng, -1, 1),
                        rng_real(&rng, -1, 1)};
        double factor = value(info->position[0].factor, at);
        double difference = value(x_partial(t, lhs, 0), at) - value(x_partial(t, rhs, 0), at);
        assert_true(near(factor, difference, 1e-9));
        at[0] = value(info->position[0].solved, at);
        if (fabs(factor) < 1e-3 || fabs(at[0]) > 1e3)
            continue;
        checked++;
        assert_true(near(value(lhs, at), value(rhs, at), 1e-9));
    }
    assert_true(checked > 2000);
}

static void hundreds_of_positions(void **state)
{
    (void)state;
    enum { N = 400 };
    static uint32_t vars[N];
    static double at[N];
    X x = pos(0);
    for (uint32_t i = 1; i < N; i++)
        x = i % 3 ? add(x, pos(i)) : sub(x, mul(num(2), pos(i)));
    const FormInfo *info = form_info(t, form_make(t, x, num(7), N));
    for (uint32_t p = 0; p < N; p++) {
        assert_int_equal(info->position[p].solvable, SOLVE_SAFE);
        vars[p] = p;
        at[p] = p % 17;
    }
    for (uint32_t p = 0; p < N; p += 37) {
        double kept = at[p];
        at[p] = x_value(t, info->position[p].solved, vars, at, NULL, NULL);
        assert_true(x_value(t, x, vars, at, NULL, NULL) == 7);
        at[p] = kept;
    }
}

/* ---- size and depth ---- */

static void sums_of_a_hundred_thousand_terms(void **state)
{
    (void)state;
    X left = num(0), right = num(0), term = mul(pos(0), pos(1));
    for (uint32_t i = 0; i < 100000; i++) {
        left = add(left, i % 2 ? term : pos(i % 5));
        right = add(i % 2 ? term : pos(i % 5), right);
    }
    double at[] = {1, 2, 3, 4, 5};
    uint32_t back[] = {4, 3, 2, 1, 0};
    assert_true(value(left, at) == 50000 * 2 + 20000 / 2 * 15);
    assert_true(value(right, at) == value(left, at));
    assert_true(value(x_partial(t, left, 0), at) == 50000 * 2 + 10000);
    assert_true(value(x_partial(t, right, 1), at) == 50000 * 1 + 10000);
    assert_true(value(x_rename(t, left, back), at) == 50000 * 20 + 10000 * 15);
    X factor, rest;
    assert_true(x_linear(t, left, 0, &factor, &rest));
    assert_true(value(factor, at) == 50000 * 2 + 10000);
    const FormInfo *info = form_info(t, form_make(t, left, add(right, pos(4)), 5));
    assert_true(info->position[4].occurs && !info->position[3].occurs);
    char text[64] = "";
    x_print(t, right, letter, NULL, text, sizeof text);
    assert_int_equal(strlen(text), 63);
}

static void deep_nests(void **state)
{
    (void)state;
    X sines = pos(0), signs = pos(0), choices = pos(0);
    for (uint32_t i = 0; i < 100000; i++) {
        sines = x_unary(t, X_SIN, sines);
        signs = x_unary(t, X_NEG, signs);
        choices = x_select(t, choices, pos(1), choices);
    }
    double at[] = {0.5, 2};
    double y = value(sines, at);
    assert_true(y > 0 && y < 0.01);
    assert_true(isfinite(value(x_partial(t, sines, 0), at)));
    assert_int_equal(x_simple(t, X_ADD, pos(1), signs), add(pos(1), pos(0)));
    assert_true(value(signs, at) == 0.5);
    assert_true(value(choices, at) == 2);
    const FormInfo *info = form_info(t, form_make(t, signs, pos(1), 2));
    assert_int_equal(info->position[0].solved, pos(1));
    static char text[1 << 20];
    text[0] = '\0';
    x_print(t, sines, letter, NULL, text, sizeof text);
    assert_int_equal(strlen(text), 500001);
}

static void memory_is_counted(void **state)
{
    (void)state;
    size_t before = forms_bytes(t);
    for (uint32_t i = 0; i < 10000; i++)
        form_info(t, form_make(t, pos(i), num(i), 1));
    assert_true(forms_bytes(t) > before + 10000 * sizeof(XNode));
    assert_true(forms_bytes(t) <= mem_used(mem));
}

/* Everything once, in a table of its own; true when memory sufficed. */
static bool build_with_failure(Mem *small, uint64_t at)
{
    MemGuard guard;
    mem_guard_push(small, &guard);
    if (setjmp(guard.env) != 0)
        return false;
    mem_fail_at(small, at);
    FormTable *own = forms_open(small);
    Rng rng = {9}; /* whatever the seed: how much is allocated depends on it */
    uint32_t f = x_new_function(own), n;
    X x = random_x(own, &rng, RANDOM_ANY, 100, 4, f);
    Form form = form_make(own, x, x_pos(own, 3), 4);
    form_info(own, form);
    form_derivative(own, form, (PositionKind[4]){0}, (FormOperand[8]){{0, false}}, &n);
    x_value(own, x, same_vars, (double[4]){1, 2, 3, 4}, NULL, NULL);
    char text[100] = "";
    x_print(own, x, letter, NULL, text, sizeof text);
    mem_fail_at(small, 0);
    mem_guard_pop(small, &guard);
    forms_close(own);
    return true;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (bool done = false; !done; at++) {
        Mem *small = mem_open();
        done = build_with_failure(small, at);
        if (done)
            assert_int_equal(mem_used(small), 0);
        mem_close(small);
    }
    assert_true(at > 50);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_table, close_table)

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_nodes_have_equal_numbers),
        TEST(invariants_hold_in_a_used_table),
        TEST(partial_functions_are_shared),
        TEST(rename_and_uses),
        TEST(uses_are_those_of_the_nodes),
        TEST(text_reads_back),
        TEST(text_is_as_in_sol),
        TEST(text_is_cut_off),
        TEST(operators_mean_what_sol_says),
        TEST(powers_are_products),
        TEST(calls_get_their_arguments_in_order),
        TEST(simple_forms),
        TEST(simplification_keeps_values),
        TEST(every_operator_has_its_derivative),
        TEST(composites_have_their_derivatives),
        TEST(powers_at_zero),
        TEST(calls_are_differentiated_through_their_arguments),
        TEST(higher_derivatives),
        TEST(linear_equations_forget_what_was_not_differentiated),
        TEST(constant_equations_have_no_operands),
        TEST(circle_three_times),
        TEST(solved_forms_are_natural),
        TEST(positions_that_do_not_occur),
        TEST(what_cancels_does_not_occur),
        TEST(what_cancels_does_not_occur),
        TEST(solved_values_satisfy_the_equation),
        TEST(hundreds_of_positions),
        TEST(sums_of_a_hundred_thousand_terms),
        TEST(deep_nests),
        TEST(memory_is_counted),
        TEST(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return soak_run("expressions", run_all);
}
