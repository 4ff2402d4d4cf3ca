/* test_shape.c: what shares a shape, what does not, and what is left as data. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/shape.h"
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <math.h>
#include <string.h>

typedef struct World {
    Mem *mem;
    FormTable *forms;
    Shapes *shapes;
} World;

static World *make_world(void)
{
    Mem *mem = mem_open();
    World *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->forms = forms_open(mem);
    w->shapes = shapes_open(mem, w->forms);
    return w;
}

static void free_world(World *w)
{
    Mem *mem = w->mem;
    shapes_close(w->shapes);
    forms_close(w->forms);
    mem_free(mem, w);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

static int open_world(void **state)
{
    *state = make_world();
    return 0;
}

static int close_world(void **state)
{
    free_world(*state);
    return 0;
}

static X pos(World *w, uint32_t p)
{
    return x_pos(w->forms, p);
}

static X num(World *w, double k)
{
    return x_const(w->forms, k);
}

static X op2(World *w, XOp op, X a, X b)
{
    return x_binary(w->forms, op, a, b);
}

static const uint32_t plain[] = {10, 11, 12, 13, 14, 15};

/* The shape of `variable 20 := x`, position p standing for variable 10 + p. */
static ShapeUse use_of(World *w, X x)
{
    ShapeItem item = {20, x, plain};
    return shape_of(w->shapes, 1, &item, NULL);
}

static const Shape *shape(World *w, X x)
{
    return use_of(w, x).shape;
}

static bool has_op(const Shape *s, uint32_t op)
{
    for (uint32_t i = 0; i < s->n_ops; i++)
        if (s->ops[i].op == op)
            return true;
    return false;
}

/* ---- data against shape ---- */

static void constants_are_data(void **state)
{
    World *w = *state;
    ShapeUse two = use_of(w, op2(w, X_MUL, num(w, 2), pos(w, 0)));
    ShapeUse three = use_of(w, op2(w, X_MUL, num(w, 3), pos(w, 0)));
    assert_ptr_equal(two.shape, three.shape);
    assert_int_equal(two.shape->n_constants, 1);
    assert_true(two.constants[0] == 2 && three.constants[0] == 3);
}

static void equal_constants_are_not_part_of_the_shape(void **state)
{
    World *w = *state;
    X a = op2(w, X_ADD, op2(w, X_MUL, num(w, 2), pos(w, 0)), num(w, 2));
    X b = op2(w, X_ADD, op2(w, X_MUL, num(w, 2), pos(w, 0)), num(w, 5));
    assert_ptr_equal(shape(w, a), shape(w, b));
}

static void variables_are_data(void **state)
{
    World *w = *state;
    X x = op2(w, X_MUL, pos(w, 0), pos(w, 1));
    ShapeItem first = {3, x, (uint32_t[]){1, 2}}, second = {9, x, (uint32_t[]){8, 7}};
    ShapeUse use = shape_of(w->shapes, 1, &first, NULL);
    assert_int_equal(use.shape->n_slots, 3);
    assert_true(use.slots[0] == 1 && use.slots[1] == 2 && use.slots[2] == 3);
    const Shape *s = use.shape;
    use = shape_of(w->shapes, 1, &second, NULL);
    assert_ptr_equal(use.shape, s);
    assert_true(use.slots[0] == 8 && use.slots[1] == 7 && use.slots[2] == 9);
}

static void one_variable_at_two_positions_is_another_shape(void **state)
{
    World *w = *state;
    X x = op2(w, X_MUL, pos(w, 0), pos(w, 1));
    ShapeItem different = {3, x, (uint32_t[]){1, 2}}, same = {3, x, (uint32_t[]){1, 1}};
    const Shape *s = shape_of(w->shapes, 1, &different, NULL).shape;
    ShapeUse use = shape_of(w->shapes, 1, &same, NULL);
    assert_ptr_not_equal(use.shape, s);
    assert_int_equal(use.shape->n_slots, 2);
    /* but it is that of x*x */
    ShapeItem square = {3, op2(w, X_MUL, pos(w, 0), pos(w, 0)), (uint32_t[]){5}};
    assert_ptr_equal(shape_of(w->shapes, 1, &square, NULL).shape, use.shape);
}

static void foreign_functions_are_data(void **state)
{
    World *w = *state;
    uint32_t f = x_new_function(w->forms), g = x_new_function(w->forms);
    X args[] = {pos(w, 0), pos(w, 1)};
    ShapeUse use = use_of(w, x_call(w->forms, f, 2, args));
    const Shape *s = use.shape;
    assert_int_equal(s->n_slots,
                     6); /* two variables, the function and two derivatives, the target */
    assert_int_equal(use.slots[2], f);
    assert_int_equal(use.slots[3], x_call_partial(w->forms, f, 0));
    assert_int_equal(use.slots[4], x_call_partial(w->forms, f, 1));
    use = use_of(w, x_call(w->forms, g, 2, args));
    assert_ptr_equal(use.shape, s);
    assert_int_equal(use.slots[2], g);
    assert_ptr_not_equal(shape(w, x_call(w->forms, f, 1, args)), s);
}

/* ---- normalisation ---- */

static void operands_that_commute_are_ordered(void **state)
{
    static const XOp commuting[] = {X_ADD, X_MUL, X_EQ, X_NE, X_AND, X_OR};
    static const XOp others[] = {X_SUB, X_DIV, X_POW, X_ATAN2, X_MIN, X_MAX, X_MOD, X_LT, X_LE};
    World *w = *state;
    X sine = x_unary(w->forms, X_SIN, pos(w, 0)), y = pos(w, 1);
    for (size_t i = 0; i < sizeof commuting / sizeof *commuting; i++)
        assert_ptr_equal(shape(w, op2(w, commuting[i], sine, y)),
                         shape(w, op2(w, commuting[i], y, sine)));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_ptr_not_equal(shape(w, op2(w, others[i], sine, y)),
                             shape(w, op2(w, others[i], y, sine)));
}

static void nested_operands_are_ordered_too(void **state)
{
    World *w = *state;
    X x = pos(w, 0), y = pos(w, 1), one = num(w, 1);
    X a = op2(w, X_MUL, x, op2(w, X_ADD, y, one));
    X b = op2(w, X_MUL, op2(w, X_ADD, one, y), x);
    assert_ptr_equal(shape(w, a), shape(w, b));
}

static void greater_is_less_the_other_way_round(void **state)
{
    World *w = *state;
    X sine = x_unary(w->forms, X_SIN, pos(w, 0)), y = pos(w, 1);
    assert_ptr_equal(shape(w, op2(w, X_GT, sine, y)), shape(w, op2(w, X_LT, y, sine)));
    assert_ptr_equal(shape(w, op2(w, X_GE, sine, y)), shape(w, op2(w, X_LE, y, sine)));
    assert_ptr_not_equal(shape(w, op2(w, X_GE, sine, y)), shape(w, op2(w, X_LT, y, sine)));
}

static void adding_a_negative_is_subtracting(void **state)
{
    World *w = *state;
    X x = pos(w, 0), y = x_unary(w->forms, X_SIN, pos(w, 1));
    X minus_y = x_unary(w->forms, X_NEG, y);
    const Shape *difference = shape(w, op2(w, X_SUB, x, y));
    assert_ptr_equal(shape(w, op2(w, X_ADD, x, minus_y)), difference);
    assert_ptr_equal(shape(w, op2(w, X_ADD, minus_y, x)), difference);
    assert_ptr_equal(shape(w, op2(w, X_SUB, x, minus_y)), shape(w, op2(w, X_ADD, x, y)));
}

static void integer_powers_are_products(void **state)
{
    World *w = *state;
    const Shape *cube = shape(w, op2(w, X_POW, pos(w, 0), num(w, 3)));
    assert_false(has_op(cube, X_POW));
    assert_true(has_op(shape(w, op2(w, X_POW, pos(w, 0), num(w, 2.5))), X_POW));
}

/* ---- several items, copies ---- */

static uint32_t loads(const Shape *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_ops; i++)
        n += s->ops[i].op == SHAPE_LOAD;
    return n;
}

static void what_was_assigned_is_not_loaded_again(void **state)
{
    World *w = *state;
    X x = op2(w, X_MUL, pos(w, 0), pos(w, 1));
    ShapeItem items[] = {{3, x, (uint32_t[]){1, 2}}, {4, x, (uint32_t[]){3, 1}}};
    ShapeUse use = shape_of(w->shapes, 2, items, NULL);
    assert_int_equal(loads(use.shape), 2);
    assert_int_equal(use.shape->n_slots, 4);
    /* 4 := 3 * 3 is something else */
    items[1].vars = (uint32_t[]){3, 3};
    assert_ptr_not_equal(shape_of(w->shapes, 2, items, NULL).shape, use.shape);
}

static void copies_in_a_block_are_seen_through(void **state)
{
    World *w = *state;
    ShapeItem items[] = {{3, pos(w, 0), (uint32_t[]){1}},
                         {4, x_unary(w->forms, X_SIN, pos(w, 0)), (uint32_t[]){3}}};
    ShapeUse use = shape_of(w->shapes, 2, items, NULL);
    assert_int_equal(loads(use.shape), 1);
}

static void a_changed_copy_changes_slots_and_not_the_shape(void **state)
{
    World *w = *state;
    uint32_t origin[] = {0, 1, 2, 3, 4, 1, 6}; /* 5 is a copy of 1 */
    ShapeItem item = {6, op2(w, X_MUL, pos(w, 0), pos(w, 1)), (uint32_t[]){5, 2}};
    ShapeUse use = shape_of(w->shapes, 1, &item, origin);
    const Shape *s = use.shape;
    assert_int_equal(use.slots[0], 1);
    origin[5] = 3; /* now of 3 */
    use = shape_of(w->shapes, 1, &item, origin);
    assert_ptr_equal(use.shape, s);
    assert_int_equal(use.slots[0], 3);
}

/* ---- at large ---- */

/* Random expressions twice: in tables with different histories, with other constants and variables.
 */
static X again(World *to, const FormTable *from, X x, X *made)
{
    XNode n = x_node(from, x);
    X a = n.a && n.op != X_POS && n.op != X_CALL && n.op != X_CONST ? made[n.a] : 0;
    X b = n.b ? made[n.b] : 0, c = n.c ? made[n.c] : 0;
    switch (n.op) {
    case X_CONST: /* exponents decide about products, so they stay */
        return x_const(to->forms, n.k);
    case X_POS:
        return x_pos(to->forms, n.a);
    case X_SELECT:
        return x_select(to->forms, a, b, c);
    default:
        return b ? x_binary(to->forms, n.op, a, b) : x_unary(to->forms, n.op, a);
    }
}

static X rebuild(World *to, World *from, X x)
{
    X *made = mem_alloc(to->mem, ((size_t)x + 1) * sizeof *made);
    uint32_t n;
    X *nodes = x_nodes(from->forms, to->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n; i++)
        made[nodes[i]] = again(to, from->forms, nodes[i], made);
    X result = made[x];
    mem_free(to->mem, nodes);
    mem_free(to->mem, made);
    return result;
}

static void hashes_do_not_depend_on_the_history_of_tables(void **state)
{
    World *w = *state, *other = make_world();
    Rng rng = {soak_seed(5)};
    for (uint32_t i = 0; i < 1000; i++) /* another history */
        random_x(other->forms, &rng, RANDOM_ANY, 5, 6, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        X x = random_x(w->forms, &rng, RANDOM_ANY, 1 + rng_below(&rng, 15), 6, 0);
        const Shape *a = shape(w, x), *b = shape(other, rebuild(other, w, x));
        shape_verify(a);
        assert_true(shape_same(a, b));
    }
    free_world(other);
}

static void known_blocks_add_nothing(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(6)};
    X x[100];
    for (uint32_t i = 0; i < 100; i++)
        x[i] = random_x(w->forms, &rng, RANDOM_ANY, 8, 6, 0);
    for (uint32_t i = 0; i < 100; i++)
        use_of(w, x[i]);
    ShapeTotals before = shape_totals(w->shapes);
    size_t used = mem_used(w->mem);
    for (uint32_t round = 0; round < 100; round++)
        for (uint32_t i = 0; i < 100; i++)
            use_of(w, x[i]);
    ShapeTotals after = shape_totals(w->shapes);
    assert_int_equal(before.patterns, after.patterns);
    assert_int_equal(before.shapes, after.shapes);
    assert_int_equal(mem_used(w->mem), used);
}

/* What nobody keeps goes, longest unused first; what is kept or was used of late stays. */
static void ever_new_blocks_need_bounded_memory(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(8)};
    X kept = op2(w, X_ADD, op2(w, X_MUL, pos(w, 0), num(w, 3)), num(w, 4));
    X often = op2(w, X_SUB, op2(w, X_MUL, pos(w, 0), pos(w, 1)), num(w, 5));
    shapes_limit(w->shapes, 100000);
    ShapeUse use = use_of(w, kept);
    shape_keep(w->shapes, use.id);
    const Shape *used = shape(w, often);
    uint32_t most = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        ShapeItem items[4];
        uint32_t vars[4][2];
        for (uint32_t k = 0; k < 4; k++) {
            vars[k][0] = 10 + rng_below(&rng, 6);
            vars[k][1] = 10 + rng_below(&rng, 6);
            X x = op2(w, X_MUL, op2(w, X_ADD, pos(w, 0), num(w, rng_below(&rng, 5))), pos(w, 1));
            items[k] = (ShapeItem){20 + k, x, vars[k]};
        }
        shape_verify(shape_of(w->shapes, 4, items, NULL).shape);
        assert_ptr_equal(shape(w, often), used);
        uint32_t now = shape_totals(w->shapes).patterns;
        most = now > most ? now : most;
    }
    assert_true(most > 50 && most < 500);
    assert_true(shape_totals(w->shapes).bytes < 300000);
    assert_true(shape_totals(w->shapes).made > 10 * most);
    ShapeUse again = use_of(w, kept);
    assert_ptr_equal(again.shape, use.shape);
    assert_ptr_equal(again.constants, use.constants);
    assert_true(again.constants[0] == 3 && again.constants[1] == 4);
    shape_drop(w->shapes, use.id);
}

/* The n-th allocation fails: the guard is reached, and closing the session frees everything. */
static bool fails_at(uint32_t n)
{
    World *w = make_world();
    Rng rng = {soak_seed(7)};
    X x = random_x(w->forms, &rng, RANDOM_ANY, 30, 6, x_new_function(w->forms));
    MemGuard guard;
    volatile bool failed = false;
    mem_guard_push(w->mem, &guard);
    mem_fail_at(w->mem, n);
    if (setjmp(guard.env) == 0)
        shape_verify(shape(w, x));
    else
        failed = true;
    mem_close(w->mem);
    return failed;
}

static void running_out_of_memory_ends_at_the_guard(void **state)
{
    (void)state;
    uint32_t n = 1;
    while (fails_at(n))
        n++;
    assert_true(n > 20); /* there was something to fail */
}

static int run_all(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(constants_are_data),
        TEST(equal_constants_are_not_part_of_the_shape),
        TEST(variables_are_data),
        TEST(one_variable_at_two_positions_is_another_shape),
        TEST(foreign_functions_are_data),
        TEST(operands_that_commute_are_ordered),
        TEST(nested_operands_are_ordered_too),
        TEST(greater_is_less_the_other_way_round),
        TEST(adding_a_negative_is_subtracting),
        TEST(integer_powers_are_products),
        TEST(what_was_assigned_is_not_loaded_again),
        TEST(copies_in_a_block_are_seen_through),
        TEST(a_changed_copy_changes_slots_and_not_the_shape),
        TEST(hashes_do_not_depend_on_the_history_of_tables),
        TEST(known_blocks_add_nothing),
        TEST(ever_new_blocks_need_bounded_memory),
        cmocka_unit_test(running_out_of_memory_ends_at_the_guard),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}

int main(void)
{
    return soak_run("shapes of expressions", run_all);
}
