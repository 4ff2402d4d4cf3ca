/* Real time: the same values as without, as long as the clock says; overruns told to the model; rounds bounded; nothing
 * allocated between events. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/timer.h"
#include "runtime/sim/record.h"
#include "tests/support/sim_lab.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- allocations are counted: every one of this program comes here, unless a sanitizer has its own ---- */

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ &&          \
    !defined __clang__
#define COUNTED 1
static _Thread_local uint64_t allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#else
#define COUNTED 0
static uint64_t allocations;
#endif

/* A pendulum of two kinds: a rope that breaks at 0.5. */
static const char ROPE[] =
    "model Rope\n"
    "interface:\n"
    "  parameter Integer missed << 0; parameter Boolean late << false;\n"
    "  static Real x; static Real v; static Integer alarms; static Boolean seen;\n"
    "implementation:\n"
    "  static Boolean broken; static Real a;\n"
    "  when time > 0.5 then broken << true; end when;\n"
    "  der(x = x, start << 1) = v;\n"
    "  der(x = v, start << 0) = a;\n"
    "  if broken then a = -9.81; else then a = -100*sin(x = x) - v*abs(x = v); end if;\n"
    "  when missed > 2 then alarms << missed; end when;\n"
    "  when late then seen << true; end when;\n"
    "end Rope;\n";

static SolOptions options_of(SolSolver solver, double factor)
{
    return (SolOptions){.stop = 1,
                        .steps = 100,
                        .step = 1e-3,
                        .solver = solver,
                        .realtime = factor,
                        .engine = SOL_ENGINE_INTERP};
}

typedef struct Run {
    double x, v, alarms, seen, seconds;
    SolRealtime told;
} Run;

static Run run_rope(const SolOptions *options)
{
    Run run;
    SimLab *lab = sim_lab_text(ROPE, options);
    assert_int_equal(sol_init(lab->sim), SOL_OK);
    double begin = timer_now();
    assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
    run.seconds = timer_now() - begin;
    run.x = sim_lab_value(lab, "x");
    run.v = sim_lab_value(lab, "v");
    run.alarms = sim_lab_value(lab, "alarms");
    run.seen = sim_lab_value(lab, "seen");
    assert_int_equal(sol_realtime(lab->sim, &run.told), options->realtime > 0);
    sim_lab_close(lab);
    return run;
}

static void test_same_values(void **state)
{
    (void)state;
    static const SolSolver solvers[] = {SOL_SOLVER_INLINE, SOL_SOLVER_EULER};
    for (int i = 0; i < 2; i++) {
        SolOptions free = options_of(solvers[i], 0), paced = options_of(solvers[i], 4);
        Run a = run_rope(&free), b = run_rope(&paced);
        assert_true(fabs(a.x - b.x) < 1e-8 && fabs(a.v - b.v) < 1e-8);
        assert_int_equal(a.told.steps, 0);
        assert_in_range(b.told.steps, 1000, 1001);
        assert_true(b.seconds >= 0.25);
        assert_true(b.told.worst >= b.told.mean && b.told.mean > 0);
    }
}

/* Nobody computes a step within a nanosecond. */
static void test_overruns(void **state)
{
    (void)state;
    SolOptions options = options_of(SOL_SOLVER_INLINE, 1e6);
    options.overrun = "missed";
    Run run = run_rope(&options);
    assert_int_equal(run.told.overruns, run.told.steps);
    assert_true(run.alarms == 3);
    assert_true(run.told.latest > 0);
    options.overrun = "late";
    options.solver = SOL_SOLVER_EULER;
    run = run_rope(&options);
    assert_true(run.alarms == 0 && run.seen == 1);
}

static void test_wrong_variable(void **state)
{
    (void)state;
    static const char *const wrong[] = {"nothing", "x"};
    for (int i = 0; i < 2; i++) {
        SolOptions options = options_of(SOL_SOLVER_INLINE, 10);
        options.overrun = wrong[i];
        SimLab *lab = sim_lab_text(ROPE, &options);
        assert_int_equal(sim_lab_run(lab, 1), SOL_USAGE);
        sim_lab_close(lab);
    }
}

/* One round of Newton's method does not solve what is not linear: told, by how much. */
static void test_rounds(void **state)
{
    (void)state;
    SolOptions options = options_of(SOL_SOLVER_INLINE, 1e6);
    options.method = SOL_METHOD_IMPLICIT_EULER;
    options.step = 0.005;
    Run whole = run_rope(&options);
    assert_int_equal(whole.told.unfinished, 0);
    assert_int_equal(whole.told.max_rounds, 8);
    options.max_rounds = 2;
    Run cut = run_rope(&options);
    assert_true(cut.told.unfinished > 0);
    assert_true(cut.told.unfinished_by > 0 && cut.told.unfinished_by < 1e-3);
    assert_true(fabs(cut.x - whole.x) < 1e-3 && cut.x != whole.x);
}

/* Code is waited for before the clock begins, then only if that was asked for. */
static void test_code_is_not_waited_for(void **state)
{
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        SolOptions options = options_of(SOL_SOLVER_INLINE, 1000);
        SolStats before, after;
        options.engine = SOL_ENGINE_JIT;
        options.cache = "off";
        options.jit_wait = wait;
        SimLab *lab = sim_lab_text(ROPE, &options);
        assert_int_equal(sim_lab_run(lab, 0.4), SOL_OK);
        sol_stats(lab->sim, &before);
        assert_int_equal(sim_lab_run(lab, 1), SOL_OK);
        sol_stats(lab->sim, &after);
        assert_true(before.compile_wait > 0);
        if (wait)
            assert_true(after.compile_wait > before.compile_wait);
        else
            assert_true(after.compile_wait == before.compile_wait);
        sim_lab_close(lab);
    }
}

/* Behind 0.5 there is no solution: no step is divided, and that is said. */
static void test_no_solution(void **state)
{
    (void)state;
    static const char TEXT[] =
        "model End\ninterface: static Real y; static Real z;\nimplementation:\n"
        "  der(x = y, start << 1) = z;\n"
        "  z*z*z*z + z*z = 0.5 - time + 0*y;\n"
        "end End;\n";
    SolOptions options = options_of(SOL_SOLVER_INLINE, 1e6);
    SimLab *lab = sim_lab_text(TEXT, &options);
    assert_int_equal(sim_lab_run(lab, 1), SOL_NUMERICS);
    assert_true(fabs(sol_time(lab->sim) - 0.5) < 0.002);
    assert_true(sim_lab_said(lab, "in real time it is not divided"));
    sim_lab_close(lab);
}

/* ---- nothing is allocated between events ---- */

typedef struct Watch {
    uint64_t before, points, most;
    bool settled; /* an output point came since the last event */
} Watch;

static void at_point(void *context, double time)
{
    Watch *w = context;
    bool event = fabs(time - 0.5) < 1e-6;
    if (w->settled && !event) {
        w->points++;
        if (allocations - w->before > w->most)
            w->most = allocations - w->before;
    }
    w->settled = !event && time > 0;
    w->before = allocations;
}

static void count_allocations(SolSolver solver, SolEngine engine)
{
    char path[] = "/tmp/solstice-realtime-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    Watch watch = {0};
    SolOptions options = options_of(solver, 1000);
    options.engine = engine;
    options.cache = "off";
    SolModel *model =
        sol_load(&(SolLoad){.path = "rope.sol", .text = ROPE, .length = sizeof ROPE - 1});
    Sol *sim = sol_create(model, NULL, &options);
    assert_non_null(sim);
    Mem *mem = mem_open();
    ResultWriter *writer = result_create(mem, path, 0, NULL);
    Recorder *recorder =
        record_open(mem, writer, &(RecordOptions){.pulse = at_point, .context = &watch});
    record_attach(recorder, sim);
    assert_int_equal(sol_run_to(sim, 1), SOL_OK);
    assert_in_range(watch.points, 90, 101);
    assert_int_equal(watch.most, 0);
    sol_close(sim);
    sol_unload(model);
    record_close(recorder);
    result_close(writer);
    mem_close(mem);
    unlink(path);
}

static void test_no_allocations(void **state)
{
    (void)state;
    if (!COUNTED)
        skip();
    uint64_t before = allocations;
    free(malloc(10));
    assert_true(allocations > before);
    count_allocations(SOL_SOLVER_INLINE, SOL_ENGINE_INTERP);
    count_allocations(SOL_SOLVER_INLINE, SOL_ENGINE_JIT);
    count_allocations(SOL_SOLVER_EULER, SOL_ENGINE_JIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_values),
        cmocka_unit_test(test_overruns),
        cmocka_unit_test(test_wrong_variable),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_no_allocations),
        cmocka_unit_test(test_code_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
