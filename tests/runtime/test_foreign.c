/* test_foreign.c: foreign functions called by number, as the evaluation does: values, derivatives,
 * handles, tables, and every way in which a library can be wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "frontend/world.h"
#include "jit/interp.h"
#include "runtime/foreign/foreign_int.h"
#include "runtime/foreign/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAMPER "\"" SOLSTICE_BINARY_DIR "/libdamper\""
#define SENSOR "\"" SOLSTICE_BINARY_DIR "/libsensor\""
#define BROKEN "\"" SOLSTICE_BINARY_DIR "/libbroken\""

static const char models[] =
    "model Plain external " DAMPER " \"damper_force\";\n"
    "  interface: in Real v; in Real d; out Real f; end Plain;\n"
    "model Sloped external " DAMPER " \"damper_force\" derivative \"damper_slope\";\n"
    "  interface: in Real v; in Real d; out Real f; end Sloped;\n"
    "model Count external " DAMPER " \"damper_count\";\n"
    "  interface: out Real n; end Count;\n"
    "model Sensor external " SENSOR " \"sensor_read\" constructor \"sensor_new\"\n"
    "  destructor \"sensor_free\"; interface: in Real x; out Real y; end Sensor;\n"
    "model Alive external " SENSOR " \"sensor_alive\";\n"
    "  interface: in Integer n; out Integer y; end Alive;\n"
    "model Refuses external " SENSOR " \"sensor_read\" constructor \"sensor_refuses\";\n"
    "  interface: in Real x; out Real y; end Refuses;\n"
    "model Fails external " SENSOR " \"sensor_fails\";\n"
    "  interface: in Real x; out Real y; end Fails;\n"
    "model Flag external " SENSOR " \"sensor_flag\";\n"
    "  interface: in Integer a; in Boolean on; out Integer y; end Flag;\n"
    "model Label external " SENSOR " \"sensor_label\";\n"
    "  interface: in String s; in Integer n; out String y; end Label;\n"
    "model Power external \"m\" \"exp2\"; interface: in Real x; out Real y; end Power;\n"
    "model Lost external \"no_such_library\" \"f\"; interface: in Real x; out Real y; end Lost;\n"
    "model Broken external " BROKEN " \"broken_value\";\n"
    "  interface: in Real x; out Real y; end Broken;\n"
    "model Nameless external " DAMPER " \"no_such_function\";\n"
    "  interface: in Real x; out Real y; end Nameless;\n"
    "model Top\n"
    "implementation:\n"
    "  Plain plain; Sloped sloped; Count count; Sensor sensor; Alive alive;\n"
    "  Refuses refuses; Fails fails; Flag flag; Label label; Power power; Lost lost;\n"
    "  Broken broken; Nameless nameless;\n"
    "end Top;\n";

typedef struct Lab {
    Mem *mem;
    Program *program;
    FormTable *forms;
    Ddp *ddp;
    World *world;
    Foreign *foreign;
} Lab;

static bool host_read(void *context, DdpVar var, double *value)
{
    (void)context, (void)var;
    *value = 0;
    return true;
}

static void host_write(void *context, DdpVar var, double value)
{
    (void)context, (void)var, (void)value;
}

static double host_draw(void *context, uint64_t place, uint32_t ordinal)
{
    (void)context, (void)place, (void)ordinal;
    return 0;
}

static int open_lab(void **state)
{
    Lab *lab = calloc(1, sizeof *lab);
    lab->mem = mem_open();
    lab->program = program_open(lab->mem, NULL);
    lab->forms = forms_open(lab->mem);
    lab->ddp = ddp_open(lab->mem, lab->forms);
    WorldHost host = {.read = host_read, .write = host_write, .draw = host_draw};
    bool loaded = program_load_text(lab->program, "lab.sol", models, strlen(models));
    Def *top = loaded ? program_find(lab->program, "Top") : NULL;
    lab->world = world_open(lab->mem, lab->program, lab->forms, lab->ddp, &host, NULL);
    if (!top || !program_ok(lab->program) || !world_create(lab->world, top)) {
        diags_print(program_diags(lab->program), 0, stderr, false);
        return -1;
    }
    lab->foreign = foreign_open(lab->mem, lab->program, lab->forms);
    foreign_attach(lab->foreign, lab->world);
    *state = lab;
    return 0;
}

static int close_lab(void **state)
{
    Lab *lab = *state;
    foreign_close(lab->foreign);
    world_close(lab->world);
    ddp_close(lab->ddp);
    forms_close(lab->forms);
    program_close(lab->program);
    assert_int_equal(mem_used(lab->mem), 0);
    mem_close(lab->mem);
    free(lab);
    return 0;
}

static uint32_t number_of(const Lab *lab, const char *name)
{
    WorldFunction view;
    for (uint32_t number = 0; number < 1000; number++)
        if (world_function(lab->world, number, &view) && view.def &&
            strcmp(def_path(lab->program, view.def), name) == 0)
            return number;
    fail_msg("no function %s", name);
    return 0;
}

static double call1(Lab *lab, const char *name, double a)
{
    return foreign_call(lab->foreign, number_of(lab, name), 1, &a);
}

static double call2(Lab *lab, const char *name, double a, double b)
{
    return foreign_call(lab->foreign, number_of(lab, name), 2, (double[]){a, b});
}

static void expect_message(const Lab *lab, uint32_t index, Severity severity, const char *text)
{
    const Diags *diags = program_diags(lab->program);
    assert_true(index < diags->list.n);
    assert_int_equal(diags->list.at[index].severity, severity);
    if (!strstr(diags->list.at[index].text, text))
        fail_msg("'%s' is not in '%s'", text, diags->list.at[index].text);
    assert_true(diags->list.at[index].at != 0);
}

static void expect_failure(Lab *lab, const char *text)
{
    const char *failure = foreign_failure(lab->foreign);
    assert_non_null(failure);
    if (!strstr(failure, text))
        fail_msg("'%s' is not in '%s'", text, failure);
    assert_null(foreign_failure(lab->foreign)); /* told once */
}

static void values_of_all_types(void **state)
{
    Lab *lab = *state;
    Intern *names = program_names(lab->program);
    assert_true(call2(lab, "Plain", 2, 3) == 30);
    assert_true(call1(lab, "Power", 5) == 32);
    assert_true(call2(lab, "Flag", 7, 1) == -7);
    assert_true(call2(lab, "Flag", 7, 0) == 0);
    double label = call2(lab, "Label", intern_str(names, "left"), 3);
    assert_string_equal(intern_text(names, (Sym)label), "left three");
    assert_null(foreign_failure(lab->foreign));
    assert_int_equal(program_diags(lab->program)->list.n, 0);
}

static void derivative_function_is_used(void **state)
{
    Lab *lab = *state;
    uint32_t f = number_of(lab, "Sloped");
    double args[2] = {2, 3}, before = foreign_call(lab->foreign, number_of(lab, "Count"), 0, NULL);
    uint32_t by_v = x_call_partial(lab->forms, f, 0), by_d = x_call_partial(lab->forms, f, 1);
    assert_true(foreign_call(lab->foreign, by_v, 2, args) == 39);
    assert_true(foreign_call(lab->foreign, by_d, 2, args) == 10);
    assert_true(foreign_call(lab->foreign, number_of(lab, "Count"), 0, NULL) == before + 2);
    assert_int_equal(program_diags(lab->program)->warnings, 0);
    uint32_t twice = x_call_partial(lab->forms, by_v, 0); /* 6 d v, from differences of the slope */
    assert_true(fabs(foreign_call(lab->foreign, twice, 2, args) - 36) < 1e-6);
}

static void differences_otherwise_with_a_warning(void **state)
{
    Lab *lab = *state;
    uint32_t by_v = x_call_partial(lab->forms, number_of(lab, "Plain"), 0);
    double args[2] = {2, 3};
    assert_true(fabs(foreign_call(lab->foreign, by_v, 2, args) - 39) < 1e-8);
    args[0] = 1e6;
    assert_true(fabs(foreign_call(lab->foreign, by_v, 2, args) / (3 + 9e12) - 1) < 1e-8);
    assert_int_equal(program_diags(lab->program)->warnings, 1);
    expect_message(lab, 0, DIAG_WARNING, "'Plain' has no derivative function");
    uint32_t twice = x_call_partial(lab->forms, by_v, 0);
    args[0] = 2;
    assert_true(fabs(foreign_call(lab->foreign, twice, 2, args) - 36) < 1e-3);
    uint32_t by_flag = x_call_partial(lab->forms, number_of(lab, "Flag"), 0);
    assert_true(foreign_call(lab->foreign, by_flag, 2, (double[]){7, 1}) == 0); /* Integer */
}

static void handles_live_with_their_instance(void **state)
{
    Lab *lab = *state;
    uint32_t f = number_of(lab, "Sensor");
    double a, b, none;
    assert_true(call1(lab, "Alive", 0) == 0);
    assert_true(foreign_birth(lab->foreign, 11, f, 1, NULL, &a));
    assert_true(foreign_birth(lab->foreign, 12, f, 1, NULL, &b));
    assert_true(call1(lab, "Alive", 0) == 2);
    assert_true(foreign_call(lab->foreign, f, 2, (double[]){a, 8}) == 4);
    assert_true(foreign_call(lab->foreign, f, 2, (double[]){a, 8}) == 6);
    assert_true(foreign_call(lab->foreign, f, 2, (double[]){b, 8}) == 4); /* a memory of its own */
    foreign_death(lab->foreign, 11);
    assert_true(call1(lab, "Alive", 0) == 1);
    assert_true(isnan(foreign_call(lab->foreign, f, 2, (double[]){a, 8})));
    expect_failure(lab, "'Sensor' (lab.sol:7:");
    assert_true(foreign_birth(lab->foreign, 13, f, 1, NULL, &a)); /* the place is used again */
    assert_true(foreign_call(lab->foreign, f, 2, (double[]){a, 8}) == 4);
    foreign_close(lab->foreign); /* what still lives is destroyed */
    lab->foreign = foreign_open(lab->mem, lab->program, lab->forms);
    foreign_attach(lab->foreign, lab->world);
    assert_true(call1(lab, "Alive", 0) == 0);
    assert_false(foreign_birth(lab->foreign, 14, number_of(lab, "Refuses"), 1, NULL, &none));
    expect_message(lab, 0, DIAG_ERROR, "the constructor of 'Refuses' failed: no such device");
}

static void broken_libraries_are_named(void **state)
{
    Lab *lab = *state;
    assert_true(isnan(call1(lab, "Lost", 1)));
    expect_message(lab, 0, DIAG_ERROR, "library \"no_such_library\" cannot be opened");
    expect_failure(lab, "'f' of library \"no_such_library\"");
    assert_true(isnan(call1(lab, "Broken", 1)));
    expect_message(lab, 1, DIAG_ERROR, "broken_missing");
    assert_true(isnan(call1(lab, "Nameless", 1)));
    expect_message(lab, 2, DIAG_ERROR, "no function 'no_such_function' in library");
    assert_true(isnan(call1(lab, "Nameless", 1))); /* again: no second message */
    uint32_t slope = x_call_partial(lab->forms, number_of(lab, "Nameless"), 0);
    assert_true(isnan(foreign_call(lab->foreign, slope, 1, (double[]){1})));
    assert_int_equal(program_diags(lab->program)->list.n, 3);
}

static void failing_calls_are_told(void **state)
{
    Lab *lab = *state;
    assert_true(call1(lab, "Fails", 4) == 2);
    assert_null(foreign_failure(lab->foreign));
    assert_true(isnan(call1(lab, "Fails", -1)));
    expect_failure(lab, "'Fails' (lab.sol:13:13) failed: x is negative");
    assert_true(isnan(call2(lab, "Flag", 1e10, 1)));
    expect_failure(lab, "argument 1 of 'Flag'");
}

/* ---- compiled code ---- */

enum { SLOTS = 4, RESULT = 3 }; /* arguments and the result */

/* y = f(arguments) as compiled code and interpreted. */
typedef struct Compiled {
    Lab *lab;
    Shapes *shapes;
    Interp *interp;
    const Code *code;
    Jit *jit;
    JitEnv env;
    ShapeUse use;
    JitEntry *value, *tangent;
    double native[SLOTS], slope[SLOTS]; /* what the last run of code gave */
} Compiled;

static const uint32_t positions[SLOTS] = {0, 1, 2, RESULT};

static void open_compiled(Compiled *c, Lab *lab, uint32_t function, uint32_t n)
{
    X args[SLOTS];
    for (uint32_t i = 0; i < n; i++)
        args[i] = x_pos(lab->forms, i);
    X call = x_call(lab->forms, function, n, args);
    *c = (Compiled){.lab = lab};
    c->interp = interp_open(lab->mem, lab->forms);
    c->code = interp_get(c->interp, interp_code(c->interp, 1, (uint32_t[]){RESULT}, &call));
    c->shapes = shapes_open(lab->mem, lab->forms);
    shapes_callees(c->shapes, foreign_callee, lab->foreign);
    foreign_env(&c->env, lab->foreign);
    c->use = shape_of(c->shapes, 1, &(ShapeItem){RESULT, call, positions}, NULL);
    c->jit = jit_open(&(JitOptions){0});
    c->value = jit_request(c->jit, &(JitRequest){.shape = c->use.shape, .kind = JIT_VALUE});
    c->tangent = jit_request(c->jit, &(JitRequest){.shape = c->use.shape, .kind = JIT_TANGENT});
    jit_wait(c->jit);
    assert_non_null(jit_code(c->value).any);
    assert_non_null(jit_code(c->tangent).any);
}

static void close_compiled(Compiled *c)
{
    jit_close(c->jit);
    shapes_close(c->shapes);
    interp_close(c->interp);
}

/* Value and derivative, the direction being 1 in every argument with moves[i]; the number of calls
 * through libffi that code needed. */
static uint64_t run_compiled(Compiled *c, const double *args, const double *moves)
{
    memcpy(c->native, args, sizeof c->native);
    memcpy(c->slope, moves, sizeof c->slope);
    uint64_t before = c->lab->foreign->ffi_calls;
    jit_code(c->value).value(c->native, c->use.slots, c->use.constants, &c->env);
    double value = c->native[RESULT];
    jit_code(c->tangent).tangent(c->native, c->slope, c->use.slots, c->use.constants, &c->env);
    assert_true(memcmp(&value, &c->native[RESULT], sizeof value) == 0 || isnan(value));
    return c->lab->foreign->ffi_calls - before;
}

/* The interpreter's bits; what is not open yet may go through libffi the first time. */
static void check_compiled(Lab *lab, uint32_t function, uint32_t n, const double *args,
                           const double *moves)
{
    Compiled c;
    double expected[SLOTS], slope[SLOTS], scratch[64];
    open_compiled(&c, lab, function, n);
    run_compiled(&c, args, moves);
    assert_int_equal(run_compiled(&c, args, moves), 0);
    memcpy(expected, args, sizeof expected);
    memcpy(slope, moves, sizeof slope);
    interp_tangent(c.code, positions, expected, slope, scratch, NULL, foreign_call, lab->foreign);
    assert_memory_equal(expected, c.native, sizeof expected);
    assert_memory_equal(slope, c.slope, sizeof slope);
    assert_null(foreign_failure(lab->foreign));
    close_compiled(&c);
}

static void code_calls_without_libffi(void **state)
{
    Lab *lab = *state;
    static const double still[SLOTS] = {0}, both[SLOTS] = {0.5, -2};
    double left = intern_str(program_names(lab->program), "left");
    uint32_t sloped = number_of(lab, "Sloped"), plain = number_of(lab, "Plain");
    check_compiled(lab, sloped, 2, (double[SLOTS]){2, 3}, both);
    check_compiled(lab, x_call_partial(lab->forms, sloped, 0), 2, (double[SLOTS]){2, 3}, both);
    check_compiled(lab, plain, 2, (double[SLOTS]){2e3, 3}, both);
    check_compiled(lab, plain, 2, (double[SLOTS]){-0.3, 3}, (double[SLOTS]){1});
    check_compiled(lab, number_of(lab, "Power"), 1, (double[SLOTS]){5}, both);
    check_compiled(lab, number_of(lab, "Flag"), 2, (double[SLOTS]){7, 1}, still);
    check_compiled(lab, number_of(lab, "Label"), 2, (double[SLOTS]){left, 3}, still);
    check_compiled(lab, number_of(lab, "Count"), 0, (double[SLOTS]){0}, still);
    check_compiled(lab, number_of(lab, "Fails"), 1, (double[SLOTS]){4}, both);
}

static void code_passes_handles(void **state)
{
    Lab *lab = *state;
    static const double still[SLOTS] = {0};
    uint32_t f = number_of(lab, "Sensor");
    Compiled c;
    double handle;
    assert_true(foreign_birth(lab->foreign, 11, f, 1, NULL, &handle));
    open_compiled(&c, lab, f, 2);
    jit_code(c.value).value((double[SLOTS]){handle, 8}, c.use.slots, c.use.constants, &c.env);
    memcpy(c.native, (double[SLOTS]){handle, 8}, sizeof c.native);
    jit_code(c.value).value(c.native, c.use.slots, c.use.constants, &c.env);
    assert_true(c.native[RESULT] == 6); /* it remembers the call before */
    assert_int_equal(lab->foreign->ffi_calls, 0);
    foreign_death(lab->foreign, 11);
    run_compiled(&c, (double[SLOTS]){handle, 8}, still);
    assert_true(isnan(c.native[RESULT]));
    expect_failure(lab, "'Sensor' (lab.sol:7:");
    close_compiled(&c);
}

static void code_fails_in_the_same_words(void **state)
{
    Lab *lab = *state;
    static const double still[SLOTS] = {0};
    Compiled c;
    open_compiled(&c, lab, number_of(lab, "Fails"), 1);
    assert_int_equal(run_compiled(&c, (double[SLOTS]){-1}, still), 0);
    assert_true(isnan(c.native[RESULT]));
    expect_failure(lab, "'Fails' (lab.sol:13:13) failed: x is negative");
    close_compiled(&c);
    open_compiled(&c, lab, number_of(lab, "Flag"), 2);
    run_compiled(&c, (double[SLOTS]){1e10, 1}, still);
    assert_true(isnan(c.native[RESULT]));
    expect_failure(lab, "argument 1 of 'Flag'");
    run_compiled(&c, (double[SLOTS]){NAN, 1}, still);
    expect_failure(lab, "argument 1 of 'Flag'");
    close_compiled(&c);
    open_compiled(&c, lab, number_of(lab, "Plain"), 2);
    assert_int_equal(run_compiled(&c, (double[SLOTS]){NAN, 1}, still), 0);
    expect_failure(lab, "its result is no number");
    close_compiled(&c);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static double table_value(TableSet *tables, const char *file, double column, double x, bool slope)
{
    char message[200];
    double value;
    if (!tables_value(tables, "models/Top.sol", file, column, x, slope, &value, message,
                      sizeof message))
        fail_msg("%s", message);
    return value;
}

static void expect_bad_table(Mem *mem, const char *text, double column, const char *why)
{
    char path[200], message[300];
    double value;
    snprintf(path, sizeof path, "%s/test_foreign_%d.txt", SOLSTICE_BINARY_DIR, (int)getpid());
    write_file(path, text);
    TableSet *tables = tables_open(mem);
    assert_false(tables_value(tables, "", path, column, 0, false, &value, message, sizeof message));
    if (!strstr(message, why))
        fail_msg("'%s' is not in '%s'", why, message);
    tables_close(tables);
    unlink(path);
}

static void tables_interpolate(void **state)
{
    (void)state;
    char path[200];
    Mem *mem = mem_open();
    TableSet *tables = tables_open(mem);
    snprintf(path, sizeof path, "%s/test_foreign_%d.txt", SOLSTICE_BINARY_DIR, (int)getpid());
    write_file(path, "t; a; b\n# comment\n0; 1; 10\n\n1;3;10\r\n3 ;\t7;-10 # end\n");
    assert_true(table_value(tables, path, 2, -5, false) == 1);
    assert_true(table_value(tables, path, 2, 0.5, false) == 2);
    assert_true(table_value(tables, path, 2, 1, false) == 3);
    assert_true(table_value(tables, path, 2, 2, false) == 5);
    assert_true(table_value(tables, path, 3, 2, false) == 0);
    assert_true(table_value(tables, path, 3, 2, true) == -10);
    assert_true(table_value(tables, path, 3, 99, false) == -10);
    assert_true(table_value(tables, path, 3, 99, true) == 0);
    assert_true(table_value(tables, path, 2, 0.25, false) == 1.5); /* back again */
    unlink(path);
    tables_close(tables);
    expect_bad_table(mem, "0 1\n0 2\n", 2, "line 2: the first column does not ascend");
    expect_bad_table(mem, "0 1\n1 2 3\n", 2, "line 2: another number of columns");
    expect_bad_table(mem, "0 1\nx 2\n", 2, "line 2: not a number");
    expect_bad_table(mem, "# nothing\n", 2, "no numbers");
    expect_bad_table(mem, "0,5 1,5\n1,5 2,5\n", 2, "line 1: columns are apart by different signs");
    expect_bad_table(mem, "0,5;1\n1,5;2\n", 2, "line 1: columns are apart by different signs");
    expect_bad_table(mem, "0;1\n1,2\n", 2, "line 2: columns are apart by different signs");
    expect_bad_table(mem, "0,1\n1,\n", 2, "line 2: a column is empty");
    expect_bad_table(mem, "0;;1\n", 2, "line 1: a column is empty");
    expect_bad_table(mem, "0 1\n1 2\n", 3, "has the columns 2 to 2");
    char message[200];
    double value;
    tables = tables_open(mem);
    assert_false(tables_value(tables, "a/b.sol", "none.txt", 2, 0, false, &value, message, 200));
    assert_non_null(strstr(message, "No such file"));
    tables_close(tables);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_lab, close_lab)
        TEST(values_of_all_types),
        TEST(derivative_function_is_used),
        TEST(differences_otherwise_with_a_warning),
        TEST(handles_live_with_their_instance),
        TEST(broken_libraries_are_named),
        TEST(failing_calls_are_told),
        TEST(code_calls_without_libffi),
        TEST(code_passes_handles),
        TEST(code_fails_in_the_same_words),
        cmocka_unit_test(tables_interpolate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
