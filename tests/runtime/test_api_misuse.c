/* test_api_misuse.c: what a program does wrong with solstice.h -> a status and a message; nothing
 * is lost. */
#include "runtime/solstice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const text =
    "model M interface: parameter Real k << 1; static Real x; static Integer n; static Boolean b;"
    " static String s; implementation: der(x = x, start << 1) = -k*x;"
    " when x < 0.5 then n << pre(n) + 1; s << \"half\"; b << true; end; end M;\n";

static SolModel *load(const char *source)
{
    return sol_load(&(SolLoad){.path = "m.sol", .text = source, .length = strlen(source)});
}

static const char *last_message(const SolModel *model)
{
    SolMessage message = {0};
    sol_message(model, sol_message_count(model) - 1, &message);
    return message.text ? message.text : "";
}

static void model_outlives_wrong_designator(void **state)
{
    (void)state;
    SolModel *model = load(text);
    double x;
    assert_null(sol_create(model, "NoSuch", &(SolOptions){.stop = 1}));
    assert_int_equal(sol_model_status(model), SOL_MODEL);
    assert_null(sol_create(model, "M", &(SolOptions){.stop = -1}));
    assert_int_equal(sol_model_status(model), SOL_USAGE);
    Sol *sim = sol_create(model, "M", &(SolOptions){.stop = 1});
    assert_non_null(sim);
    assert_int_equal(sol_model_status(model), SOL_OK);
    assert_int_equal(sol_run_to(sim, 1), SOL_OK);
    assert_int_equal(sol_read(sim, sol_find(sim, "x"), &x), SOL_OK);
    assert_true(fabs(x - exp(-1)) < 1e-5);
    sol_unload(model);
}

/* Whatever is created from it, and in whatever order. */
static void wrong_text_never_runs(void **state)
{
    (void)state;
    SolModel *model = load("model M interface: static Real x; implementation: x = 1; end M;\n"
                           "model M interface: static Real x; implementation: x = 2; end M;\n");
    for (int i = 0; i < 2; i++) {
        assert_null(sol_create(model, "M", NULL));
        assert_int_equal(sol_model_status(model), SOL_MODEL);
    }
    sol_unload(model);
    model = load("model A implementation: static Real x; x = true; end A;\n"
                 "model B implementation: static A a; end B;\n"
                 "model C interface: static Real y; implementation: y = 2; end C;\n");
    assert_null(sol_create(model, "B", NULL));
    assert_null(sol_create(model, "C", NULL));
    assert_int_equal(sol_model_status(model), SOL_MODEL);
    sol_unload(model);
}

static void wrong_options(void **state)
{
    (void)state;
    static const char *const monitored = "M";
    const struct {
        SolOptions options;
        const char *message;
    } cases[] = {
        {{.rtol = -1}, "rtol must be a number above 0"},
        {{.rtol = NAN}, "rtol must be a number above 0"},
        {{.atol = -1e-9}, "atol must be a number above 0"},
        {{.interval = NAN}, "the output interval must be a number above 0"},
        {{.interval = 1e-300}, "the output interval of 1e-300 is too small for times up to 1"},
        {{.max_step = INFINITY}, "the maximal step must be a number above 0"},
        {{.step = -1}, "the step must be a number above 0"},
        {{.max_order = 99}, "the maximal order must be a number from 1 to 5"},
        {{.solver = (SolSolver)77}, "there is no such solver"},
        {{.linear = (SolLinear)4}, "there is no such linear solver"},
        {{.engine = (SolEngine)-1}, "there is no such engine"},
        {{.trace = "zz"}, "a trace wants some of the letters i, d, e, s, u"},
        {{.stop = NAN}, "start and stop must be numbers"},
        {{.start = 2, .stop = 1}, "the stop time 1 lies before the start time 2"},
        {{.n_sets = 1}, "values to be set are announced but not given"},
        {{.n_monitored = 1}, "monitored models are announced but not given"},
    };
    SolModel *model = load(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(sol_create(model, "M", &cases[i].options));
        assert_int_equal(sol_model_status(model), SOL_USAGE);
        assert_string_equal(last_message(model), cases[i].message);
    }
    assert_non_null(
        sol_create(model, "M", &(SolOptions){.n_monitored = 1, .monitored = &monitored}));
    sol_unload(model);
}

static void values_fit_their_types(void **state)
{
    (void)state;
    const struct {
        const char *path;
        double value;
        SolStatus status;
    } cases[] = {{"n", 2.5, SOL_USAGE},      {"n", NAN, SOL_USAGE},  {"n", 0x1p60, SOL_USAGE},
                 {"b", 7, SOL_USAGE},        {"b", -0.5, SOL_USAGE}, {"s", 1e9, SOL_USAGE},
                 {"s", -1, SOL_USAGE},       {"s", 0.5, SOL_USAGE},  {"x", NAN, SOL_USAGE},
                 {"x", INFINITY, SOL_USAGE}, {"n", -3, SOL_OK},      {"b", 1, SOL_OK},
                 {"x", 4, SOL_OK},           {"k", 2, SOL_OK}};
    SolModel *model = load(text);
    Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 2});
    assert_int_equal(sol_init(sim), SOL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double before, after;
        SolVar var = sol_find(sim, cases[i].path);
        sol_read(sim, var, &before);
        assert_int_equal(sol_write(sim, var, cases[i].value), cases[i].status);
        assert_int_equal(sol_read(sim, var, &after), SOL_OK);
        assert_true(after == (cases[i].status == SOL_OK ? cases[i].value : before));
    }
    sol_unload(model);
}

static void times(void **state)
{
    (void)state;
    SolModel *model = load(text);
    Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 2});
    assert_int_equal(sol_run_to(sim, NAN), SOL_USAGE);
    assert_int_equal(sol_run_to(sim, 1), SOL_OK);
    assert_int_equal(sol_run_to(sim, 0.5), SOL_USAGE);
    assert_int_equal(sol_run_to(sim, 2), SOL_OK);
    sol_unload(model);
}

static bool refuse_late(void *context, const SolPoint *point)
{
    (void)context;
    return point->time < 0.3;
}

static void readable_after_failure(void **state)
{
    (void)state;
    double x = -1;
    SolModel *model = load(text);
    Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 2, .steps = 10});
    sol_set_output(sim, &(SolOutput){.point = refuse_late});
    assert_int_equal(sol_run_to(sim, 2), SOL_IO);
    assert_int_equal(sol_read(sim, sol_find(sim, "x"), &x), SOL_OK);
    assert_true(fabs(x - exp(-sol_time(sim))) < 1e-5);
    assert_int_equal(sol_run_to(sim, 2), SOL_IO);
    sol_unload(model);
}

static void nothing_to_load(void **state)
{
    (void)state;
    SolModel *model = sol_load(&(SolLoad){0});
    assert_non_null(model);
    assert_int_equal(sol_model_status(model), SOL_USAGE);
    assert_null(sol_create(model, NULL, NULL));
    assert_int_equal(sol_check(model), SOL_USAGE);
    sol_unload(model);
    model = sol_load(&(SolLoad){.text = text, .length = strlen(text)});
    assert_int_equal(sol_check(model), SOL_OK);
    sol_unload(model);
}

/* The packages that come with the library are found without being told where; "" hides them. */
static void own_packages(void **state)
{
    (void)state;
    static const char *const circuit =
        "model M implementation: static Electric.Sources.Ground g; g.p.i = 0; end M;\n";
    SolModel *model = load(circuit);
    assert_int_equal(sol_check(model), SOL_OK);
    sol_unload(model);
    model = sol_load(&(SolLoad){.text = circuit, .length = strlen(circuit), .stdlib = ""});
    assert_int_equal(sol_check(model), SOL_MODEL);
    sol_unload(model);
}

static SolStatus with(const char *path, const char *value, double *read)
{
    SolModel *model = load(text);
    SolSet set = {path, value};
    Sol *sim = sol_create(model, NULL, &(SolOptions){.n_sets = 1, .sets = &set});
    SolStatus status = sol_init(sim);
    if (status == SOL_OK)
        sol_read(sim, sol_find(sim, path), read);
    sol_unload(model);
    return status;
}

static void sets_are_constants_of_the_type(void **state)
{
    (void)state;
    double k = 0;
    assert_int_equal(with("k", "2*3 + 1", &k), SOL_OK);
    assert_true(k == 7);
    assert_int_equal(with("k", ".5", &k), SOL_OK);
    assert_true(k == 0.5);
    assert_int_equal(with("x", "2^0.5", &k), SOL_OK);
    assert_true(k == sqrt(2));
    static const char *const wrong[] = {"true", "\"text\"", "nan", "inf", "1e999",
                                        "x",    "1 2",      "",    "1/0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(with("k", wrong[i], &k), SOL_USAGE);
}

/* Nobody needs y, so nobody notices that it has no value behind time 1 until somebody asks. */
static void no_value_is_no_old_value(void **state)
{
    (void)state;
    SolModel *model = load("model M interface: static Real x; static Real y; implementation:\n"
                           "  der(x = x, start << 1) = -x; y^2 + time = 1; end M;\n");
    double x = 0, y = 0;
    Sol *sim = sol_create(model, "M", &(SolOptions){.stop = 3});
    assert_int_equal(sol_run_to(sim, 0.5), SOL_OK);
    assert_int_equal(sol_read(sim, sol_find(sim, "y"), &y), SOL_OK);
    assert_true(fabs(y * y - 0.5) < 1e-9);
    assert_int_equal(sol_run_to(sim, 2), SOL_OK);
    assert_int_equal(sol_read(sim, sol_find(sim, "x"), &x), SOL_OK);
    assert_int_equal(sol_read(sim, sol_find(sim, "y"), &y), SOL_NUMERICS);
    assert_true(isnan(y));
    sol_unload(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_outlives_wrong_designator),
        cmocka_unit_test(wrong_text_never_runs),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(values_fit_their_types),
        cmocka_unit_test(times),
        cmocka_unit_test(readable_after_failure),
        cmocka_unit_test(nothing_to_load),
        cmocka_unit_test(own_packages),
        cmocka_unit_test(sets_are_constants_of_the_type),
        cmocka_unit_test(no_value_is_no_old_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
