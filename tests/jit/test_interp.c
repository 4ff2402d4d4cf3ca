/* test_interp.c: the interpreter against x_value bit for bit, tangents against symbolic ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"
#include "jit/interp.h"
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 6, SCRATCH = 4096 };

static const uint32_t vars[POSITIONS] = {3, 1, 4, 0, 5, 2};

typedef struct World {
    Mem *mem;
    FormTable *forms;
    Interp *interp;
    double scratch[SCRATCH];
} World;

static int open_world(void **state)
{
    Mem *mem = mem_open();
    World *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->forms = forms_open(mem);
    w->interp = interp_open(mem, w->forms);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    World *w = *state;
    Mem *mem = w->mem;
    interp_close(w->interp);
    forms_close(w->forms);
    mem_free(mem, w);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
    return 0;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

static const Code *code_of(World *w, X x)
{
    uint32_t target = INTERP_NO_TARGET;
    return interp_get(w->interp, interp_code(w->interp, 1, &target, &x));
}

static double *scratch_for(World *w, size_t n)
{
    assert_true(n <= SCRATCH);
    memset(w->scratch, 0xff, sizeof w->scratch); /* NaN: nothing may be left from before */
    return w->scratch;
}

/* f(u, ...) = sum of sin((i + 1) * u_i); derivatives of any order by the table's numbers. */
static double foreign_sines(void *context, uint32_t function, uint32_t n, const double *args)
{
    const FormTable *forms = context;
    uint32_t origin = function, which = 0, order = 0, first = UINT32_MAX;
    while (x_call_origin(forms, origin, &origin, &which)) {
        if (order++ && which != first)
            return 0;
        first = which;
    }
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        if (order == 0 || i == first)
            total += pow(i + 1, order) * sin((i + 1) * args[i] + order * M_PI / 2);
    return total;
}

static double random_value(Rng *rng)
{
    static const double special[] = {0, -0.0, 1, -1, 2, 0.5, INFINITY, -INFINITY, NAN, 1e308};
    return rng_below(rng, 8) ? rng_real(rng, -3, 3) : special[rng_below(rng, 10)];
}

static void results_have_the_bits_of_x_value(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(11)};
    uint32_t function = x_new_function(w->forms);
    uint32_t numbers = 0;
    for (int i = 0; i < 100000; i++) {
        X x = random_x(w->forms, &rng, RANDOM_ANY, rng_below(&rng, 20), POSITIONS, function);
        double values[POSITIONS];
        for (uint32_t p = 0; p < POSITIONS; p++)
            values[p] = random_value(&rng);
        const Code *code = code_of(w, x);
        double *scratch = scratch_for(w, interp_scratch(code));
        interp_run(code, vars, values, scratch, foreign_sines, w->forms);
        double expected = x_value(w->forms, x, vars, values, foreign_sines, w->forms);
        if (!same_bits(scratch[0], expected))
            fail_msg("expression %d: %.17g, expected %.17g", i, scratch[0], expected);
        numbers += !isnan(expected);
    }
    assert_true(numbers > 60000);
}

static void tangent_runs_give_the_same_values(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(12)};
    uint32_t function = x_new_function(w->forms);
    for (int i = 0; i < 20000; i++) {
        X x = random_x(w->forms, &rng, RANDOM_ANY, rng_below(&rng, 20), POSITIONS, function);
        double values[POSITIONS], tangents[POSITIONS];
        for (uint32_t p = 0; p < POSITIONS; p++) {
            values[p] = random_value(&rng);
            tangents[p] = rng_real(&rng, -1, 1);
        }
        const Code *code = code_of(w, x);
        double *scratch = scratch_for(w, interp_tangent_scratch(code));
        interp_tangent(code, vars, values, tangents, scratch, NULL, foreign_sines, w->forms);
        double expected = x_value(w->forms, x, vars, values, foreign_sines, w->forms);
        assert_true(same_bits(scratch[0], expected));
    }
}

static double symbolic_tangent(World *w, X x, const double *values, const double *tangents)
{
    double total = 0;
    for (uint32_t p = 0; p < POSITIONS; p++) {
        double d = tangents[vars[p]];
        if (d != 0)
            total += d * x_value(w->forms, x_partial(w->forms, x, p), vars, values, foreign_sines,
                                 w->forms);
    }
    return total;
}

static void fail_tangent(World *w, X x, double d, double expected)
{
    char text[1000] = "";
    x_print(w->forms, x, NULL, NULL, text, sizeof text);
    fail_msg("tangent of %s: %.17g, expected %.17g", text, d, expected);
}

/* Is x or a part of it zero, not finite, or so large that its square is not finite? 1^NaN and
 * atan2(0, 0) are numbers, mod(u, u) lies on a jump, and the slopes of atan2 divide by squares. */
static bool is_singular(World *w, X x, const double *at)
{
    XNode node = x_node(w->forms, x);
    double value = x_value(w->forms, x, vars, at, foreign_sines, w->forms);
    if (!isfinite(value * value) || value == 0)
        return true;
    if (node.op == X_POS || node.op == X_CONST)
        return false;
    bool any = false;
    for (X list = node.op == X_CALL ? node.b : 0; list && !any; list = x_node(w->forms, list).b)
        any = is_singular(w, x_node(w->forms, list).a, at);
    if (node.op == X_CALL)
        return any;
    return is_singular(w, node.a, at) || (node.b && is_singular(w, node.b, at)) ||
           (node.c && is_singular(w, node.c, at));
}

/* Where the value is no number the two may differ, and at singular points of a part: a simplified
 * derivative forgets 0*NaN. */
static void assert_tangent(World *w, X x, const double *at, const double *direction, bool *checked)
{
    double values[POSITIONS], tangents[POSITIONS];
    const double *d;
    memcpy(values, at, sizeof values);
    memcpy(tangents, direction, sizeof tangents);
    const Code *code = code_of(w, x);
    double *scratch = scratch_for(w, interp_tangent_scratch(code));
    interp_tangent(code, vars, values, tangents, scratch, &d, foreign_sines, w->forms);
    double expected = symbolic_tangent(w, x, at, direction);
    *checked = isfinite(scratch[0]) && isfinite(expected) && fabs(expected) < 1e6;
    if (*checked && !near(d[0], expected, 1e-9) && !is_singular(w, x, at))
        fail_tangent(w, x, d[0], expected);
}

static void tangents_agree_with_symbolic_derivatives(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(13)};
    uint32_t function = x_new_function(w->forms), checked = 0;
    for (int i = 0; i < 10000; i++) {
        RandomKind kind = i % 2 ? RANDOM_SMOOTH : RANDOM_ANY;
        X x = random_x(w->forms, &rng, kind, 1 + rng_below(&rng, 6), POSITIONS, function);
        double values[POSITIONS], tangents[POSITIONS];
        for (uint32_t p = 0; p < POSITIONS; p++) {
            values[p] = rng_real(&rng, -2, 2);
            tangents[p] = rng_below(&rng, 3) ? rng_real(&rng, -1, 1) : 0;
        }
        bool finite;
        assert_tangent(w, x, values, tangents, &finite);
        checked += finite;
    }
    assert_true(checked > 7000);
}

static void every_operator_has_its_tangent(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(14)};
    X a = x_pos(w->forms, 0), b = x_pos(w->forms, 1);
    for (int i = 0; i < 200; i++) {
        double values[POSITIONS] = {0}, tangents[POSITIONS] = {0};
        values[vars[0]] = rng_real(&rng, 0.1, 0.9);
        values[vars[1]] = rng_real(&rng, 0.1, 1.9);
        tangents[vars[0]] = rng_real(&rng, -1, 1);
        tangents[vars[1]] = rng_real(&rng, -1, 1);
        bool finite;
        for (unsigned op = X_NEG; op <= X_ROUND; op++) {
            assert_tangent(w, x_unary(w->forms, op, a), values, tangents, &finite);
            assert_true(finite);
        }
        for (unsigned op = X_ADD; op <= X_OR; op++) {
            assert_tangent(w, x_binary(w->forms, op, a, b), values, tangents, &finite);
            assert_true(finite);
        }
        for (int n = -20; n <= 20; n++) {
            X power = x_binary(w->forms, X_POW, b, x_const(w->forms, n));
            assert_tangent(w, power, values, tangents, &finite);
        }
    }
}

/* A list of assignments means what it says, also when it reads what it assigns, in any order. */
static void assignments_are_done_in_order(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(15)};
    for (int i = 0; i < 5000; i++) {
        uint32_t n = 1 + rng_below(&rng, 8), targets[8];
        X x[8];
        double values[POSITIONS], expected[POSITIONS], results[8];
        for (uint32_t p = 0; p < POSITIONS; p++)
            expected[p] = values[p] = rng_real(&rng, -2, 2);
        for (uint32_t k = 0; k < n; k++) {
            bool repeat = k && rng_below(&rng, 3) == 0;
            x[k] = repeat ? x[k - 1]
                          : random_x(w->forms, &rng, RANDOM_ANY, rng_below(&rng, 6), POSITIONS, 0);
            targets[k] = rng_below(&rng, 3) ? rng_below(&rng, POSITIONS) : INTERP_NO_TARGET;
            results[k] = x_value(w->forms, x[k], vars, expected, NULL, NULL);
            if (targets[k] != INTERP_NO_TARGET)
                expected[vars[targets[k]]] = results[k];
        }
        const Code *code = interp_get(w->interp, interp_code(w->interp, n, targets, x));
        double *scratch = scratch_for(w, interp_scratch(code));
        interp_run(code, vars, values, scratch, NULL, NULL);
        for (uint32_t p = 0; p < POSITIONS; p++)
            assert_true(same_bits(values[p], expected[p]));
        for (uint32_t k = 0; k < n; k++)
            assert_true(targets[k] != INTERP_NO_TARGET || same_bits(scratch[k], results[k]));
    }
}

/* y = a*b, z = sin(y), a = z + a: tangents flow through what was assigned. */
static void tangents_flow_through_assignments(void **state)
{
    World *w = *state;
    FormTable *f = w->forms;
    X a = x_pos(f, 0), b = x_pos(f, 1), y = x_pos(f, 2), z = x_pos(f, 3);
    uint32_t targets[] = {2, 3, 0, INTERP_NO_TARGET};
    X x[] = {x_binary(f, X_MUL, a, b), x_unary(f, X_SIN, y), x_binary(f, X_ADD, z, a), a};
    double values[POSITIONS] = {0}, tangents[POSITIONS] = {0};
    values[vars[0]] = 0.5, values[vars[1]] = 0.75;
    tangents[vars[0]] = 2, tangents[vars[1]] = -1;
    double dy = 2 * 0.75 - 0.5, dz = cos(0.375) * dy;
    const Code *code = interp_get(w->interp, interp_code(w->interp, 4, targets, x));
    const double *d;
    double *scratch = scratch_for(w, interp_tangent_scratch(code));
    interp_tangent(code, vars, values, tangents, scratch, &d, NULL, NULL);
    assert_true(near(tangents[vars[2]], dy, 1e-15) && near(tangents[vars[3]], dz, 1e-15));
    assert_true(near(tangents[vars[0]], dz + 2, 1e-15) && d[3] == tangents[vars[0]]);
    assert_true(values[vars[0]] == sin(0.375) + 0.5 && scratch[3] == values[vars[0]]);
}

static double count_calls(void *context, uint32_t function, uint32_t n, const double *args)
{
    (void)function;
    (void)n;
    ++*(uint32_t *)context;
    return args[0];
}

static void shared_parts_are_computed_once(void **state)
{
    World *w = *state;
    FormTable *f = w->forms;
    uint32_t function = x_new_function(f), calls = 0;
    X call = x_call(f, function, 1, (X[]){x_pos(f, 0)});
    X x[] = {x_binary(f, X_MUL, call, call), x_unary(f, X_SIN, call)};
    uint32_t targets[] = {1, INTERP_NO_TARGET};
    double values[POSITIONS] = {1, 2, 3, 4, 5, 6};
    const Code *code = interp_get(w->interp, interp_code(w->interp, 2, targets, x));
    interp_run(code, vars, values, scratch_for(w, interp_scratch(code)), count_calls, &calls);
    assert_int_equal(calls, 1);
    assert_true(values[vars[1]] == 16 && w->scratch[1] == sin(4));
}

static void codes_are_found_by_content(void **state)
{
    World *w = *state;
    X a = x_pos(w->forms, 0), b = x_pos(w->forms, 1);
    uint32_t to_one[] = {1, 2}, to_two[] = {2, 1};
    X x[] = {a, b};
    CodeId first = interp_code(w->interp, 2, to_one, x);
    assert_int_equal(first, interp_code(w->interp, 2, to_one, x));
    assert_int_not_equal(first, interp_code(w->interp, 2, to_two, x));
    assert_int_not_equal(first, interp_code(w->interp, 1, to_one, x));
    const Code *code = interp_get(w->interp, first);
    for (uint32_t i = 0; i < 1000; i++)
        interp_code(w->interp, 1, &i, &a);
    assert_ptr_equal(code, interp_get(w->interp, first));
    assert_int_equal(interp_code(w->interp, 2, to_one, x), first);
    assert_int_equal(interp_totals(w->interp).codes, 3 + 1000 - 1); /* targets 1, value a: known */
    assert_true(interp_totals(w->interp).bytes <= mem_used(w->mem));
    CodeId nothing = interp_code(w->interp, 0, NULL, NULL);
    interp_run(interp_get(w->interp, nothing), NULL, NULL, w->scratch, NULL, NULL);
}

static void registers_are_used_again(void **state)
{
    World *w = *state;
    X sum = x_pos(w->forms, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        X p = x_pos(w->forms, i % POSITIONS);
        sum = x_binary(w->forms, X_ADD, sum, x_binary(w->forms, X_MUL, p, sum));
        if (i % 1000 == 0)
            sum = x_unary(w->forms, X_SIN, sum);
    }
    const Code *code = code_of(w, sum);
    assert_true(interp_tangent_scratch(code) < 64);
    double values[POSITIONS] = {0.01, -0.02, 0.03, -0.01, 0.02, -0.03};
    interp_run(code, vars, values, scratch_for(w, interp_scratch(code)), NULL, NULL);
    assert_true(same_bits(w->scratch[0], x_value(w->forms, sum, vars, values, NULL, NULL)));
}

static void running_allocates_nothing(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(16)};
    for (int i = 0; i < 100; i++) {
        const Code *code = code_of(w, random_x(w->forms, &rng, RANDOM_ANY, 50, POSITIONS, 0));
        double values[POSITIONS] = {1, 2, 3, 4, 5, 6}, tangents[POSITIONS] = {1};
        uint64_t before = mem_count(w->mem);
        interp_run(code, vars, values, w->scratch, NULL, NULL);
        interp_tangent(code, vars, values, tangents, w->scratch, NULL, NULL, NULL);
        assert_true(mem_count(w->mem) == before);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_have_the_bits_of_x_value),
        TEST(tangent_runs_give_the_same_values),
        TEST(tangents_agree_with_symbolic_derivatives),
        TEST(every_operator_has_its_tangent),
        TEST(assignments_are_done_in_order),
        TEST(tangents_flow_through_assignments),
        TEST(shared_parts_are_computed_once),
        TEST(codes_are_found_by_content),
        TEST(registers_are_used_again),
        TEST(running_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    return soak_run("interpreted expressions", run_all);
}
