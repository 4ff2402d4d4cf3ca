/* test_recording.c: sol_record() and sol_result_read(): rows against a closed form, in memory and in a file, in any order of questions;
 * arguments that are wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solstice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* x = 1 - t; what stands in the branch lives from t = 1/2 on */
static const char text[] = "model Falling\n"
                           "implementation:\n"
                           "  static Real x; static Boolean low;\n"
                           "  der(x=x, start=1) = -1;\n"
                           "  when x < 0.5 then low << true; end;\n"
                           "  if low then static Real inner; inner = 3*x; end;\n"
                           "end Falling;\n";

typedef struct Lab {
    SolModel *model;
    Sol *sim;
    unsigned points, events;
} Lab;

static bool on_point(void *context, const SolPoint *point)
{
    (void)point;
    ((Lab *)context)->points++;
    return true;
}

static void on_event(void *context, const SolEvent *event)
{
    (void)event;
    ((Lab *)context)->events++;
}

static Lab open_lab(void)
{
    Lab lab = {.model = sol_load(
                   &(SolLoad){.path = "falling.sol", .text = text, .length = sizeof text - 1})};
    lab.sim = sol_create(lab.model, NULL, &(SolOptions){.stop = 1, .steps = 23, .rtol = 1e-9});
    assert_non_null(lab.sim);
    return lab;
}

static void close_lab(Lab *lab)
{
    sol_close(lab->sim);
    sol_unload(lab->model);
}

static SolResult *record(Lab *lab, const char *path)
{
    assert_int_equal(
        sol_record(
            lab->sim,
            &(SolRecording){.path = path, .context = lab, .point = on_point, .event = on_event}),
        SOL_OK);
    assert_int_equal(sol_run_to(lab->sim, 1), SOL_OK);
    assert_int_equal(sol_record_end(lab->sim), SOL_OK);
    SolResult *result = sol_recorded(lab->sim);
    assert_non_null(result);
    return result;
}

static uint32_t column_of(SolResult *result, const char *path)
{
    SolColumn column;
    uint32_t i = 0;
    while (sol_result_column(result, i, &column) && strcmp(column.path, path) != 0)
        i++;
    assert_string_equal(column.path, path);
    return i;
}

/* Rows from, ..., from + count - 1 are what the model says. */
static void check_rows(SolResult *result, uint64_t from, uint64_t count)
{
    double *times = calloc(count + 1, sizeof *times), *x = calloc(count + 1, sizeof *x),
           *inner = calloc(count + 1, sizeof *inner);
    uint8_t *sides = calloc(count + 1, 1);
    const uint32_t columns[] = {column_of(result, "inner"), column_of(result, "x")};
    double *const values[] = {inner, x};
    assert_int_equal(sol_result_read(result, from, count, times, sides, 2, columns, values),
                     SOL_OK);
    for (uint64_t i = 0; i < count; i++) {
        bool behind = times[i] > 0.5 + 1e-9 || sides[i] == SOL_AFTER_EVENT;
        assert_true(fabs(x[i] - (1 - times[i])) < 1e-7);
        assert_true(behind ? fabs(inner[i] - 3 * x[i]) < 1e-12 : isnan(inner[i]));
    }
    free(times);
    free(x);
    free(inner);
    free(sides);
}

static void check_result(SolResult *result)
{
    SolResultInfo info;
    sol_result_info(result, &info);
    assert_int_equal(info.status, SOL_OK);
    assert_string_equal(info.message, "");
    assert_true(info.complete);
    assert_int_equal(info.rows, 24 + 2); /* output points, and both sides of one event */
    assert_true(info.end == 1);
    const uint64_t from[] = {0, 20, 3, 25, 26, 0, 7}, count[] = {26, 6, 1, 1, 0, 1, 19};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        check_rows(result, from[i], count[i]);
}

static void memory_and_file_agree(void **state)
{
    (void)state;
    char path[] = "/tmp/solstice_recording_XXXXXX";
    close(mkstemp(path));
    Lab inside = open_lab(), outside = open_lab();
    SolResult *kept = record(&inside, NULL), *filed = record(&outside, path);
    size_t n, m;
    check_result(kept);
    check_result(filed);
    assert_int_equal(inside.points, 26);
    assert_int_equal(inside.events, 1);
    const void *bytes = sol_result_bytes(kept, &n);
    assert_non_null(bytes);
    assert_null(sol_result_bytes(filed, &m));
    SolResult *copy = sol_result_open_bytes(bytes, n);
    close_lab(&inside); /* a result needs nothing of its simulation */
    close_lab(&outside);
    check_result(kept);
    check_result(copy);
    sol_result_close(kept);
    check_result(copy);
    sol_result_close(copy);
    sol_result_close(filed);
    unlink(path);
}

static void wrong_arguments(void **state)
{
    (void)state;
    Lab lab = open_lab();
    double value;
    double *const values[] = {&value};
    assert_null(sol_recorded(lab.sim));
    assert_int_equal(sol_record_end(lab.sim), SOL_USAGE);
    assert_int_equal(sol_record(lab.sim, &(SolRecording){.n_patterns = 2}), SOL_USAGE);
    assert_int_equal(sol_record(lab.sim, &(SolRecording){.path = "/nowhere/at/all.solr"}), SOL_IO);
    SolResult *result = record(&lab, NULL);
    assert_int_equal(sol_record_end(lab.sim), SOL_USAGE);
    assert_int_equal(sol_record(lab.sim, &(SolRecording){0}), SOL_USAGE);
    const uint32_t many = 1000, first = 0;
    assert_int_equal(sol_result_read(result, 0, 1, NULL, NULL, 1, &many, values), SOL_USAGE);
    assert_int_equal(sol_result_read(result, 0, 1, NULL, NULL, 1, NULL, values), SOL_USAGE);
    assert_int_equal(sol_result_read(result, 26, 1, NULL, NULL, 1, &first, values), SOL_USAGE);
    assert_int_equal(sol_result_read(result, 1, UINT64_MAX, NULL, NULL, 0, NULL, NULL), SOL_USAGE);
    assert_int_equal(sol_result_read(result, 5, 1, NULL, NULL, 1, &first, NULL), SOL_OK);
    assert_int_equal(sol_result_visit(result, &(SolVisit){0}), SOL_OK);
    assert_string_equal(sol_result_text(result, NAN), "");
    assert_string_equal(sol_result_text(result, 1e300), "");
    sol_result_close(result);
    close_lab(&lab);
    SolResultInfo info;
    result = sol_result_open("/nowhere/at/all.solr");
    sol_result_info(result, &info);
    assert_int_equal(info.status, SOL_IO);
    assert_int_equal(sol_result_read(result, 0, 0, NULL, NULL, 0, NULL, NULL), SOL_IO);
    assert_int_equal(sol_result_visit(result, &(SolVisit){0}), SOL_IO);
    sol_result_close(result);
    sol_result_close(NULL);
}

/* A recording that goes on while it is looked at, and one that is closed without an end. */
static void looked_at_while_it_runs(void **state)
{
    (void)state;
    Lab lab = open_lab();
    SolResultInfo info;
    assert_int_equal(sol_record(lab.sim, &(SolRecording){0}), SOL_OK);
    uint64_t before = 0;
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(sol_run_to(lab.sim, 0.2 * i), SOL_OK);
        SolResult *so_far = sol_recorded(lab.sim);
        sol_result_info(so_far, &info);
        assert_false(info.complete);
        assert_true(info.rows > before);
        before = info.rows;
        sol_result_close(so_far);
    }
    close_lab(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_file_agree),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(looked_at_while_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
