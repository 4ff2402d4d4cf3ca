/* test_record.c: which variables of a simulation become columns, what they are called, and that
 * columns end and go on as instances and branches do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/sim/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Lab {
    Mem *mem;
    char path[64];
    ResultReader *reader; /* of the last run, read to its end */
    uint64_t rows, events;
    bool narrowed;
} Lab;

static int open_lab(void **state)
{
    Lab *lab = calloc(1, sizeof *lab);
    lab->mem = mem_open();
    snprintf(lab->path, sizeof lab->path, "test_record_%d.solr", (int)getpid());
    *state = lab;
    return 0;
}

static int close_lab(void **state)
{
    Lab *lab = *state;
    result_close_reader(lab->reader);
    unlink(lab->path);
    assert_int_equal(mem_used(lab->mem), 0);
    mem_close(lab->mem);
    free(lab);
    return 0;
}

/* Runs the text and reads the result to its end, keeping the reader. */
static SolStatus run(Lab *lab, const char *text, const SolOptions *sim_options,
                     const RecordOptions *options)
{
    SolModel *model = sol_load(&(SolLoad){.path = "m.sol", .text = text, .length = strlen(text)});
    Sol *sim = sol_create(model, NULL, sim_options);
    ResultWriter *writer = result_create(lab->mem, lab->path, 0, NULL);
    Recorder *recorder = record_open(lab->mem, writer, options);
    SolStatus status = SOL_MODEL;
    if (sim) {
        record_attach(recorder, sim);
        status = sol_run_to(sim, sim_options->stop);
    }
    if (status != SOL_OK)
        sol_print_messages(model, 0, stderr, false);
    sol_close(sim);
    sol_unload(model);
    lab->narrowed = record_narrowed(recorder);
    record_close(recorder);
    assert_true(result_close(writer));
    ResultRecord record;
    lab->reader = result_open(lab->mem, lab->path);
    while (result_next(lab->reader, &record)) {
        lab->rows += record.kind == RESULT_ROW;
        lab->events += record.kind == RESULT_EVENT;
    }
    return status;
}

static const ResultColumn *column(const Lab *lab, const char *path)
{
    for (uint32_t i = 0; i < result_column_count(lab->reader); i++)
        if (strcmp(result_column(lab->reader, i)->path, path) == 0)
            return result_column(lab->reader, i);
    return NULL;
}

static void expect_columns(const Lab *lab, const char *expected)
{
    char text[2000] = "";
    for (uint32_t i = 0; i < result_column_count(lab->reader); i++) {
        strcat(text, i ? " " : "");
        strcat(text, result_column(lab->reader, i)->path);
    }
    assert_string_equal(text, expected);
}

static void branches_go_on_in_their_columns(void **state)
{
    Lab *lab = *state;
    const char *text = "model M\n"
                       "implementation:\n"
                       "  static Real s;\n"
                       "  s = sin(x=6.283185307179586*time + 1);\n"
                       "  if s > 0 then static Real up; up = s;\n"
                       "  else then static Real down; down = s; end;\n"
                       "end M;\n";
    SolOptions sim = {.stop = 2.5, .steps = 25};
    assert_int_equal(run(lab, text, &sim, &(RecordOptions){0}), SOL_OK);
    expect_columns(lab, "s up down"); /* five changes, and no more columns */
    assert_int_equal(lab->events, 5);
    assert_int_equal(lab->rows, 26 + 2 * 5);
    const ResultColumn *up = column(lab, "up"), *down = column(lab, "down");
    assert_false(up->alive);
    assert_true(down->alive && fabs(down->value + sin(1)) < 1e-9);
}

static void instances_at_one_place_are_numbered(void **state)
{
    Lab *lab = *state;
    const char *text = "model Car\n"
                       "interface: static Real x;\n"
                       "implementation: der(x=x, start=0) = 1;\n"
                       "end Car;\n"
                       "model Road\n"
                       "implementation:\n"
                       "  dynamic Car car{};\n"
                       "  when Sample(interval=1) then car <- Car{}; end;\n"
                       "end Road;\n";
    SolOptions sim = {.stop = 2.5, .steps = 5};
    assert_int_equal(run(lab, text, &sim, &(RecordOptions){0}), SOL_OK);
    expect_columns(lab, "car.x car.x#2 car.x#3");
    const ResultColumn *first = column(lab, "car.x"), *last = column(lab, "car.x#3");
    assert_false(first->alive);
    assert_true(fabs(first->value - 1) < 1e-9);
    assert_true(last->alive && fabs(last->value - 0.5) < 1e-9);
}

static const char many[] = "model Part\n"
                           "interface: static Real a; in Real u;\n"
                           "implementation: static Real b; a = 2*u; b = 3*u;\n"
                           "end Part;\n"
                           "model Top\n"
                           "interface: static Real shown;\n"
                           "implementation:\n"
                           "  static Real x;\n"
                           "  der(x=x, start=0) = 1;\n"
                           "  shown = x;\n"
                           "  static Part p; static Part q;\n"
                           "  p.u = x; q.u = -x;\n"
                           "end Top;\n";

static void limit_leaves_the_main_ones(void **state)
{
    Lab *lab = *state;
    SolOptions sim = {.stop = 1, .steps = 2};
    assert_int_equal(run(lab, many, &sim, &(RecordOptions){.limit = 8}), SOL_OK);
    assert_int_equal(result_column_count(lab->reader), 8);
    assert_false(lab->narrowed);
    result_close_reader(lab->reader);
    assert_int_equal(run(lab, many, &sim, &(RecordOptions){.limit = 7}), SOL_OK);
    expect_columns(lab, "shown x");
    assert_true(lab->narrowed);
}

static void monitored_and_selected(void **state)
{
    Lab *lab = *state;
    const char *monitored[] = {"Part"}, *patterns[] = {"q.?", "x"};
    SolOptions sim = {.stop = 1, .steps = 2, .n_monitored = 1, .monitored = monitored};
    assert_int_equal(run(lab, many, &sim, &(RecordOptions){.set = RECORD_INTERFACE}), SOL_OK);
    expect_columns(lab, "shown p.a p.u q.a q.u");
    assert_true(column(lab, "p.a")->flags & RESULT_MONITORED);
    assert_true(column(lab, "shown")->flags & RESULT_TOP);
    result_close_reader(lab->reader);
    assert_int_equal(run(lab, many, &sim, &(RecordOptions){.selection = {2, patterns}}), SOL_OK);
    expect_columns(lab, "x q.a q.u q.b");
    assert_true(column(lab, "x")->flags & RESULT_STATE);
    assert_true(fabs(column(lab, "q.b")->value + 3) <
                1e-9); /* evaluated, though nobody else reads it */
    result_close_reader(lab->reader);
    const char *names[] = {"*.a", "q.u", "p.none"}; /* rejected by their last names */
    assert_int_equal(run(lab, many, &sim, &(RecordOptions){.selection = {3, names}}), SOL_OK);
    expect_columns(lab, "p.a q.a q.u");
}

/* Every allocation of the recorder fails once: the run ends with SOL_IO, nothing else happens. */
static void memory_may_run_out(void **state)
{
    Lab *lab = *state;
    const char *text = many;
    for (uint64_t n = 1; n < 40; n++) {
        Mem *mem = mem_open();
        SolModel *model =
            sol_load(&(SolLoad){.path = "m.sol", .text = text, .length = strlen(text)});
        Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = 1, .steps = 5});
        ResultWriter *writer = result_create(mem, lab->path, 0, NULL);
        Recorder *recorder = record_open(mem, writer, &(RecordOptions){0});
        record_attach(recorder, sim);
        mem_fail_at(mem, n);
        SolStatus status = sol_run_to(sim, 1);
        assert_int_equal(status, record_out_of_memory(recorder) ? SOL_IO : SOL_OK);
        if (n == 1)
            assert_int_equal(status, SOL_IO);
        sol_close(sim);
        sol_unload(model);
        record_close(recorder);
        result_close(writer);
        mem_close(mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_lab, close_lab)
        TEST(branches_go_on_in_their_columns),
        TEST(instances_at_one_place_are_numbered),
        TEST(limit_leaves_the_main_ones),
        TEST(monitored_and_selected),
        TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
