/* test_jit_bits.c: random blocks: the interpreter against code of every tier, kind and layout, bit
 * by bit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "jit/interp.h"
#include "jit/jit.h"
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    READ = 8,  /* variables that expressions read; number 0 is the same for all instances */
    ITEMS = 8, /* assignments per block at most */
    VARS = READ + ITEMS,
    INSTANCES = 11, /* one turn of the vectorised loop and three more */
    GROUP = 64      /* blocks requested together */
};

typedef struct Block {
    uint32_t n;
    ShapeItem item[ITEMS];
    uint32_t vars[ITEMS][READ];
    const Code *code[ITEMS]; /* the interpreter's, one per item */
    ShapeUse use;
    uint32_t slots[512];
    JitEntry *entry;
} Block;

typedef struct World {
    Mem *mem;
    FormTable *forms;
    Interp *interp;
    Shapes *shapes;
    Jit *jit;
    JitEnv env;
    Rng rng;
    uint32_t function;
    uint64_t expressions, numbers; /* compared; of the results, those that are no NaN */
    double scratch[4096];
    Block block[GROUP];
} World;

/* Values and tangents of all instances, [instance][variable]. */
typedef struct Data {
    double value[INSTANCES][VARS], tangent[INSTANCES][VARS];
} Data;

/* f(u, ...) = sum of sin((i + 1) * u_i) and its derivatives. */
static double foreign_sines(void *context, uint32_t function, uint32_t n, const double *args)
{
    const FormTable *forms = context;
    uint32_t origin, which, total_order = 0;
    double total = 0;
    for (uint32_t f = function; x_call_origin(forms, f, &origin, &which); f = origin)
        total_order++;
    bool partial = x_call_origin(forms, function, &origin, &which);
    for (uint32_t i = 0; i < n; i++)
        if (!partial || i == which)
            total += pow(i + 1, total_order) * sin((i + 1) * args[i] + total_order * M_PI / 2);
    return total;
}

static int open_world(void **state)
{
    Mem *mem = mem_open();
    World *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->forms = forms_open(mem);
    w->interp = interp_open(mem, w->forms);
    w->shapes = shapes_open(mem, w->forms);
    w->function = x_new_function(w->forms);
    jit_env(&w->env, foreign_sines, w->forms);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    World *w = *state;
    Mem *mem = w->mem;
    shapes_close(w->shapes);
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

/* ---- random blocks and data ---- */

static void random_block(World *w, Block *b, uint32_t size)
{
    static const uint32_t no_target = INTERP_NO_TARGET;
    b->n = 1 + rng_below(&w->rng, ITEMS);
    for (uint32_t i = 0; i < b->n; i++) {
        X x = random_x(w->forms, &w->rng, RANDOM_ANY, rng_below(&w->rng, size), READ, w->function);
        for (uint32_t p = 0; p < READ; p++) /* now and then what an item before has assigned */
            b->vars[i][p] = i && rng_below(&w->rng, 4) == 0 ? READ + rng_below(&w->rng, i)
                                                            : rng_below(&w->rng, READ);
        b->item[i] = (ShapeItem){READ + i, x, b->vars[i]};
        b->code[i] = interp_get(w->interp, interp_code(w->interp, 1, &no_target, &x));
    }
    b->use = shape_of(w->shapes, b->n, b->item, NULL);
    assert_true(b->use.shape->n_slots <= 512);
    shape_keep(w->shapes, b->use.id);
    memcpy(b->slots, b->use.slots, b->use.shape->n_slots * sizeof *b->slots);
    w->expressions += b->n;
}

static double random_value(Rng *rng)
{
    static const double special[] = {0, -0.0, 1, -1, 2, 0.5, INFINITY, -INFINITY, NAN, 1e308};
    return rng_below(rng, 10) ? rng_real(rng, -3, 3) : special[rng_below(rng, 10)];
}

static double random_tangent(Rng *rng)
{
    static const double special[] = {0, -0.0, 1, 0, INFINITY};
    return rng_below(rng, 3) ? rng_real(rng, -1, 1) : special[rng_below(rng, 5)];
}

static void random_data(World *w, Data *d)
{
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t v = 0; v < VARS; v++) {
            bool common = v == 0 && i > 0;
            d->value[i][v] = common ? d->value[0][v] : random_value(&w->rng);
            d->tangent[i][v] = common ? d->tangent[0][v] : random_tangent(&w->rng);
        }
}

/* ---- the interpreter ---- */

static void interpret(World *w, const Block *b, JitKind kind, double *value, double *tangent)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const double *d = NULL;
        assert_true(interp_tangent_scratch(b->code[i]) <= 4096);
        if (kind == JIT_TANGENT)
            interp_tangent(b->code[i], b->vars[i], value, tangent, w->scratch, &d, foreign_sines,
                           w->forms);
        else
            interp_run(b->code[i], b->vars[i], value, w->scratch, foreign_sines, w->forms);
        value[READ + i] = w->scratch[0];
        if (d)
            tangent[READ + i] = d[0];
        w->numbers += !isnan(w->scratch[0]);
    }
}

/* ---- code ---- */

static bool is_batch(JitLayout layout)
{
    return layout != JIT_SINGLE && layout != JIT_FIXED;
}

static size_t place_of(JitLayout layout, uint32_t instance, uint32_t var)
{
    bool arrays = layout == JIT_ARRAYS || layout == JIT_TABLES;
    return arrays ? var * INSTANCES + instance : instance * VARS + var;
}

static bool is_variable(const Shape *shape, uint32_t slot)
{
    for (uint32_t i = 0; i < shape->n_ops; i++)
        if ((shape->ops[i].op == SHAPE_LOAD || shape->ops[i].op == SHAPE_STORE) &&
            shape->ops[i].a == slot)
            return true;
    return false;
}

/* Results of JIT_ARRAYS that go to the second vector: every other one. */
static bool is_apart(const Block *b, JitLayout layout, uint32_t slot)
{
    return layout == JIT_ARRAYS && b->slots[slot] % 2 && b->slots[slot] >= READ &&
           is_variable(b->use.shape, slot);
}

/* There they are, and where they would be else is what was there. */
static void bring_together(const Block *b, JitLayout layout, const Data *data, double *value,
                           const double *second)
{
    for (uint32_t s = 0; s < b->use.shape->n_slots; s++)
        for (uint32_t i = 0; is_apart(b, layout, s) && i < INSTANCES; i++) {
            size_t at = place_of(layout, i, b->slots[s]);
            assert_true(same_bits(value[at], data->value[i][b->slots[s]]));
            value[at] = second[at];
        }
}

/* The slots that a call needs for all instances. */
static void lay_out_slots(const Block *b, JitLayout layout, uint32_t *slots)
{
    uint32_t n = b->use.shape->n_slots, tables = layout == JIT_TABLES ? INSTANCES : 1;
    for (uint32_t i = 0; i < tables; i++)
        for (uint32_t s = 0; s < n; s++)
            slots[i * n + s] = is_variable(b->use.shape, s)
                                   ? (uint32_t)place_of(layout, i, b->slots[s])
                                   : b->slots[s];
}

static void call(World *w, const Block *b, JitKind kind, JitLayout layout, double *value,
                 double *tangent)
{
    static uint32_t slots[INSTANCES * 512];
    JitCode code = jit_code(b->entry);
    const double *k = b->use.constants;
    lay_out_slots(b, layout, slots);
    if (layout == JIT_FIXED && kind == JIT_VALUE)
        code.value(value, NULL, NULL, &w->env);
    else if (layout == JIT_FIXED)
        code.tangent(value, tangent, NULL, NULL, &w->env);
    else if (layout == JIT_SINGLE && kind == JIT_VALUE)
        code.value(value, slots, k, &w->env);
    else if (layout == JIT_SINGLE)
        code.tangent(value, tangent, slots, k, &w->env);
    else
        code.batch(value, kind == JIT_TANGENT || layout == JIT_ARRAYS ? tangent : NULL, slots, k,
                   &w->env, INSTANCES, layout == JIT_TABLES ? b->use.shape->n_slots : VARS);
}

static void report(World *w, const Block *b, const char *what, uint32_t instance, uint32_t var,
                   double got, double expected)
{
    char text[2000] = "";
    x_print(w->forms, b->item[var - READ].value, NULL, NULL, text, sizeof text);
    fail_msg("%s of instance %u: %.17g, expected %.17g from %s", what, instance, got, expected,
             text);
}

static void compare(World *w, const Block *b, JitKind kind, JitLayout layout, const Data *expected,
                    const double *value, const double *tangent)
{
    for (uint32_t i = 0; i < (is_batch(layout) ? INSTANCES : 1); i++)
        for (uint32_t v = READ; v < READ + b->n; v++) {
            size_t at = place_of(layout, i, v);
            if (!same_bits(value[at], expected->value[i][v]))
                report(w, b, "value", i, v, value[at], expected->value[i][v]);
            if (kind == JIT_TANGENT && !same_bits(tangent[at], expected->tangent[i][v]))
                report(w, b, "tangent", i, v, tangent[at], expected->tangent[i][v]);
        }
}

static void check_block(World *w, const Block *b, JitKind kind, JitLayout layout)
{
    Data data;
    double value[INSTANCES * VARS], tangent[INSTANCES * VARS];
    uint32_t instances = is_batch(layout) ? INSTANCES : 1;
    random_data(w, &data);
    for (uint32_t i = 0; i < INSTANCES; i++)
        for (uint32_t v = 0; v < VARS; v++) {
            value[place_of(layout, i, v)] = data.value[i][v];
            tangent[place_of(layout, i, v)] = data.tangent[i][v];
        }
    call(w, b, kind, layout, value, tangent);
    if (kind == JIT_VALUE)
        bring_together(b, layout, &data, value, tangent);
    for (uint32_t i = 0; i < instances; i++)
        interpret(w, b, kind, data.value[i], data.tangent[i]);
    compare(w, b, kind, layout, &data, value, tangent);
}

/* ---- groups of blocks ---- */

static void request(World *w, Block *b, JitKind kind, JitLayout layout)
{
    bool common[512] = {0}, arrays[512] = {0};
    for (uint32_t s = 0; s < b->use.shape->n_slots; s++) {
        common[s] = (is_variable(b->use.shape, s) && b->slots[s] == 0) || is_apart(b, layout, s);
        arrays[s] = is_variable(b->use.shape, s) && (b->slots[s] >= READ || b->slots[s] % 2);
    }
    JitRequest r = {b->use.shape, kind, layout, common, b->slots, b->use.constants, arrays};
    b->entry = jit_request(w->jit, &r);
    assert_non_null(b->entry);
}

static void check_group(World *w, uint32_t n, JitKind kind, JitLayout layout)
{
    for (uint32_t i = 0; i < n; i++)
        request(w, &w->block[i], kind, layout);
    jit_wait(w->jit);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(jit_refusal(w->block[i].entry), JIT_ACCEPTED);
        check_block(w, &w->block[i], kind, layout);
    }
    for (uint32_t i = 0; i < n; i++) {
        jit_release(w->jit, w->block[i].entry);
        shape_drop(w->shapes, w->block[i].use.id);
    }
}

/* With sanitizers the same in a smaller number: LLVM takes long there, and finds nothing more. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SHARE = 8 };
#else
enum { SHARE = 1 };
#endif

typedef struct Plan {
    JitTier tier;
    JitKind kind;
    JitLayout layout;
    uint32_t expressions, size;
} Plan;

static void check_plan(World *w, const Plan *plan)
{
    JitOptions options = {.module = SOLSTICE_BINARY_DIR "/solstice_llvm.so",
                          .only_quick = plan->tier == JIT_QUICK,
                          .only_optimised = plan->tier == JIT_OPTIMISED};
    w->jit = jit_open(&options);
    w->rng = (Rng){soak_seed(plan->tier * 100u + plan->kind * 10u + plan->layout)};
    w->expressions = w->numbers = 0;
    uint64_t results = 0;
    while (w->expressions < plan->expressions / SHARE) {
        uint64_t before = w->expressions;
        for (uint32_t i = 0; i < GROUP; i++)
            random_block(w, &w->block[i], plan->size);
        check_group(w, GROUP, plan->kind, plan->layout);
        results += (w->expressions - before) * (is_batch(plan->layout) ? INSTANCES : 1);
    }
    JitStats stats = jit_stats(w->jit);
    assert_true(stats.functions_compiled > 0 && stats.refused == 0);
    assert_true(w->numbers > results / 3); /* not just NaN against NaN */
    print_message("tier %d kind %d layout %d: %llu expressions, %llu functions, %.2f s\n",
                  plan->tier, plan->kind, plan->layout, (unsigned long long)w->expressions,
                  (unsigned long long)stats.functions_compiled, stats.compile_seconds);
    jit_close(w->jit);
}

static void all_tiers_kinds_and_layouts_have_the_same_bits(void **state)
{
    static const Plan plans[] = {
        {JIT_QUICK, JIT_VALUE, JIT_SINGLE, 56000, 10},
        {JIT_QUICK, JIT_TANGENT, JIT_SINGLE, 16000, 10},
        {JIT_QUICK, JIT_VALUE, JIT_TABLES, 5000, 8},
        {JIT_QUICK, JIT_VALUE, JIT_RECORDS, 5000, 8},
        {JIT_QUICK, JIT_VALUE, JIT_ARRAYS, 4000, 8},
        {JIT_QUICK, JIT_TANGENT, JIT_ARRAYS, 2000, 8},
        {JIT_QUICK, JIT_TANGENT, JIT_FIXED, 3000, 8},
        {JIT_OPTIMISED, JIT_VALUE, JIT_SINGLE, 4000, 10},
        {JIT_OPTIMISED, JIT_TANGENT, JIT_SINGLE, 1500, 10},
        {JIT_OPTIMISED, JIT_VALUE, JIT_FIXED, 1500, 8},
        {JIT_OPTIMISED, JIT_TANGENT, JIT_FIXED, 700, 8},
        {JIT_OPTIMISED, JIT_VALUE, JIT_TABLES, 1500, 8},
        {JIT_OPTIMISED, JIT_VALUE, JIT_RECORDS, 1500, 8},
        {JIT_OPTIMISED, JIT_VALUE, JIT_ARRAYS, 1200, 8},
        {JIT_OPTIMISED, JIT_TANGENT, JIT_ARRAYS, 600, 8},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        check_plan(*state, &plans[i]);
}

/* Long blocks: several basic blocks, many constants and slots. */
static void long_blocks_have_the_same_bits(void **state)
{
    static const Plan plans[] = {
        {JIT_QUICK, JIT_TANGENT, JIT_SINGLE, 300, 200},
        {JIT_OPTIMISED, JIT_VALUE, JIT_SINGLE, 100, 200},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        check_plan(*state, &plans[i]);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_tiers_kinds_and_layouts_have_the_same_bits, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(long_blocks_have_the_same_bits, open_world, close_world),
    };
    return cmocka_run_group_tests_name("jit bits", tests, NULL, NULL);
}

int main(void)
{
    return soak_run("bits of compiled expressions", run_all);
}
