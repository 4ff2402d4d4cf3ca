/* test_threads.c: a client of the library runs two simulations in two threads; each has the results
 * it has when it runs alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/solstice.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const char pendulum[] = "model Pendulum\n"
                               "implementation:\n"
                               "  static Real phi; static Real w; static Real n;\n"
                               "  w = der(x=phi, start=1);\n"
                               "  der(x=w, start=0) = -9.81*sin(phi);\n"
                               "  when phi < 0 then n << pre(n) + 1; end;\n"
                               "end Pendulum;\n";
static const char decay[] = "model Decay\n"
                            "implementation:\n"
                            "  static Real x;\n"
                            "  der(x=x, start=1) = -x;\n"
                            "end Decay;\n";

typedef struct Run {
    const char *text, *path;
    double stop;
    SolStatus status;
    double value;
    uint64_t events, points;
} Run;

static bool count_point(void *context, const SolPoint *point)
{
    Run *run = context;
    (void)point;
    run->points++;
    return true;
}

static void *simulate(void *context)
{
    Run *run = context;
    SolStats stats;
    SolModel *model =
        sol_load(&(SolLoad){.path = "m.sol", .text = run->text, .length = strlen(run->text)});
    Sol *sim = sol_create(model, NULL, &(SolOptions){.stop = run->stop, .steps = 2000});
    if (sim) {
        sol_set_output(sim, &(SolOutput){.context = run, .point = count_point});
        run->status = sol_run_to(sim, run->stop);
        sol_read(sim, sol_find(sim, run->path), &run->value);
        sol_stats(sim, &stats);
        run->events = stats.events_count;
    } else {
        run->status = SOL_MODEL;
    }
    sol_close(sim);
    sol_unload(model);
    return NULL;
}

static void two_threads_give_what_one_gives(void **state)
{
    (void)state;
    Run alone[2] = {{.text = pendulum, .path = "phi", .stop = 20},
                    {.text = decay, .path = "x", .stop = 3}};
    Run together[2] = {alone[0], alone[1]};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        simulate(&alone[i]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, simulate, &together[i]), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(together[i].status, SOL_OK);
        assert_memory_equal(&together[i].value, &alone[i].value, sizeof(double));
        assert_int_equal(together[i].events, alone[i].events);
        assert_int_equal(together[i].points, alone[i].points);
    }
    assert_true(alone[0].events >= 9); /* one for each swing of about 2.14 s */
    assert_true(fabs(alone[1].value - exp(-3)) < 1e-6);
    assert_true(alone[1].points >= 2001);
}

typedef struct Cancelled {
    Sol *sim;
    uint64_t points;
} Cancelled;

static bool cancel_at_hundred(void *context, const SolPoint *point)
{
    Cancelled *c = context;
    (void)point;
    if (++c->points == 100)
        sol_cancel(c->sim);
    return true;
}

static void a_cancelled_run_may_go_on(void **state)
{
    (void)state;
    double value;
    SolModel *model = sol_load(&(SolLoad){.path = "m.sol", .text = decay, .length = strlen(decay)});
    Cancelled c = {.sim = sol_create(model, NULL, &(SolOptions){.stop = 1, .steps = 1000})};
    sol_set_output(c.sim, &(SolOutput){.context = &c, .point = cancel_at_hundred});
    assert_int_equal(sol_run_to(c.sim, 1), SOL_CANCELLED);
    assert_true(sol_time(c.sim) > 0.05 && sol_time(c.sim) < 0.2);
    assert_int_equal(sol_run_to(c.sim, 1), SOL_OK);
    assert_true(sol_time(c.sim) == 1);
    assert_int_equal(sol_read(c.sim, sol_find(c.sim, "x"), &value), SOL_OK);
    assert_true(fabs(value - exp(-1)) < 1e-6);
    sol_close(c.sim);
    sol_unload(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_give_what_one_gives),
        cmocka_unit_test(a_cancelled_run_may_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
