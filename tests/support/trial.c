/* trial.c: designator of a model of the standard library -> its run and values. See trial.h. */
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* What no condition triggered is a new choice of states: not the model's event. */
static void note_event(void *context, const SolEvent *event)
{
    Trial *trial = context;
    if (!event->n_triggers)
        return;
    if (trial->n_events < TRIAL_EVENTS)
        trial->event[trial->n_events] =
            (TrialEvent){event->time, event->updates, event->states_before, event->states_after};
    trial->n_events++;
}

static void demand(Trial *trial, bool fine, const char *what)
{
    if (fine)
        return;
    sol_print_messages(trial->model, 0, stderr, false);
    fail_msg("%s failed", what);
}

Trial *trial_start(const char *designator, double stop, double rtol, const char *set,
                   const char *file)
{
    static const char stdlib[] = SOLSTICE_SOURCE_DIR "/stdlib";
    Trial *trial = calloc(1, sizeof *trial);
    char path[512], name[128] = "";
    SolSet one = {0};
    assert_non_null(trial);
    if (file)
        snprintf(path, sizeof path, "%s/tests/stdlib/%s", SOLSTICE_SOURCE_DIR, file);
    else
        snprintf(path, sizeof path, "%s/%.*s.sol", stdlib, (int)strcspn(designator, "."),
                 designator);
    if (set) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(set, "="), set);
        one = (SolSet){name, strchr(set, '=') + 1};
    }
    trial->stop = stop;
    trial->model = sol_load(&(SolLoad){.path = path, .stdlib = stdlib});
    assert_non_null(trial->model);
    SolOptions options = {
        .stop = stop, .rtol = rtol, .n_sets = set != NULL, .sets = &one, .audit = 1e-9};
    trial->sim = sol_create(trial->model, designator, &options);
    demand(trial, trial->sim != NULL, designator);
    sol_set_event(trial->sim, note_event, trial);
    demand(trial, sol_init(trial->sim) == SOL_OK, "the start");
    return trial;
}

void trial_run(Trial *trial, double time)
{
    demand(trial, sol_run_to(trial->sim, time) == SOL_OK, "the run");
}

bool trial_has(Trial *trial, const char *path)
{
    return sol_find(trial->sim, path) != 0;
}

double trial_read(Trial *trial, const char *path)
{
    double value = NAN;
    demand(trial, sol_read(trial->sim, sol_find(trial->sim, path), &value) == SOL_OK, path);
    return value;
}

double trial_at(Trial *trial, double time, const char *path)
{
    trial_run(trial, time);
    return trial_read(trial, path);
}

void trial_end(Trial *trial)
{
    SolStats stats;
    sol_stats(trial->sim, &stats);
    assert_int_equal(stats.scratch_rebuilds, 0);
    sol_close(trial->sim);
    sol_unload(trial->model);
    free(trial);
}

void trial_rk4(TrialOde *ode, uint32_t n, double *x, double t0, double t1, uint32_t steps)
{
    double h = (t1 - t0) / steps, k[4][8], at[8];
    static const double part[] = {0, 0.5, 0.5, 1};
    for (uint32_t s = 0; s < steps; s++) {
        double t = t0 + s * h;
        for (int stage = 0; stage < 4; stage++) {
            for (uint32_t i = 0; i < n; i++)
                at[i] = x[i] + (stage ? part[stage] * h * k[stage - 1][i] : 0);
            ode(t + part[stage] * h, at, k[stage]);
        }
        for (uint32_t i = 0; i < n; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

void trial_near(double value, double expected, double tolerance, const char *text, const char *file,
                int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.12g, expected %.12g, off by %.3g\n", text, value, expected,
                value - expected);
    _fail(file, line);
}
