/* One interface to the integrators, for models that run in phases between events.
 *
 * A stepper takes accepted steps and knows its state anywhere inside the last one. stepper_phase
 * runs it to the next event of the caller's automaton and writes the output points on the way.
 */
#ifndef PERF_STEPPER_H
#define PERF_STEPPER_H

#include "common.h"
#include "dp5.h"

typedef struct Stepper Stepper;
struct Stepper {
    int n;
    double t0, t; /* the last step */
    double *y;    /* the state at t; the caller may change it before `begin` */
    void (*begin)(Stepper *s, double t);
    void (*step)(Stepper *s, double stop);
    void (*dense)(Stepper *s, double t, double *y);
    void (*close)(Stepper *s, Counts *c); /* adds what was done */
    Dp5Rhs rhs;
    void *user;
    double *room;
    Dp5 dp5;
    Ida ida;
    Counts counts; /* IDA: of the phases before this one */
};

void stepper_open_dp5(Stepper *s, int n, Dp5Rhs rhs, void *user, double rtol, double atol,
                      double max_step);
/* Classical method of order 4 with steps of constant length; dense output is Hermite's cubic. */
void stepper_open_rk4(Stepper *s, int n, Dp5Rhs rhs, void *user, double step);
/* `rhs` gives the derivatives a restart needs. */
void stepper_open_ida(Stepper *s, const IdaCase *k, Dp5Rhs rhs);
void stepper_close(Stepper *s, Counts *c);

typedef struct Phase {
    Stepper *stepper;
    double stop;
    double (*event)(double t, const double *y, void *user); /* happens when positive; or NULL */
    void (*output)(double t, const double *y, void *user);
    void *user;
    double interval;
    long *row; /* number of output points written so far */
} Phase;

/* Integrates from stepper->y at `t` until `event` or `stop`; stepper->t and ->y are the point
 * reached, at an event the right side of it. Says whether there was an event. */
bool stepper_phase(const Phase *p, double t);

#endif
