/* trial.h: a model of the standard library, run by a test through the public interface.
 *
 *     Trial *t = trial_start("Rotational.Examples.Servo", 2, 1e-9, NULL, NULL);
 *     NEAR(trial_at(t, 2, "shaft.phi"), cos(4), 1e-7);
 *     trial_end(t);
 *
 * Anything that goes wrong in a run prints the messages and fails the test. */
#ifndef TESTS_TRIAL_H
#define TESTS_TRIAL_H

#include "runtime/solstice.h"

enum { TRIAL_EVENTS = 4096 };

typedef struct TrialEvent {
    double time;
    uint32_t updates, states_before, states_after;
} TrialEvent;

typedef struct Trial {
    SolModel *model;
    Sol *sim;
    double stop;
    uint32_t n_events; /* all; the list ends with the first TRIAL_EVENTS */
    TrialEvent event[TRIAL_EVENTS];
} Trial;

/* The model `designator` of stdlib/PACKAGE.sol, PACKAGE being its first name, or, if `file` is
 * given, of that file beside the tests. `set`: NULL or "path=value". */
Trial *trial_start(const char *designator, double stop, double rtol, const char *set,
                   const char *file);
/* Runs to `time`, which must not lie before the present, and reads. */
double trial_at(Trial *trial, double time, const char *path);
double trial_read(Trial *trial, const char *path);
bool trial_has(Trial *trial, const char *path);
void trial_run(Trial *trial, double time);
/* Closes it; the structure must never have been rebuilt from scratch. */
void trial_end(Trial *trial);

/* Runge and Kutta's fourth-order method, the reference beside: x(t0) -> x(t1). n <= 8. */
typedef void TrialOde(double t, const double *x, double *dx);
void trial_rk4(TrialOde *ode, uint32_t n, double *x, double t0, double t1, uint32_t steps);

/* Fails with both numbers unless |value - expected| <= tolerance. */
#define NEAR(value, expected, tolerance)                                                           \
    trial_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)
void trial_near(double value, double expected, double tolerance, const char *text, const char *file,
                int line);

#endif
