/* parts.h: an independent part of the dynamics and its integrator. Private to runtime/. */
#ifndef RUNTIME_PARTS_H
#define RUNTIME_PARTS_H

#include "runtime/sim_int.h"

typedef struct PartState {
    DdpVar var, slope;
} PartState;

typedef enum PartMethod { PART_CLOCK, PART_IDA, PART_RK } PartMethod;

struct Part {
    Sim *sim;
    NodeList dynamics; /* in the order of the schedule */
    NodeList probes;   /* what its conditions need */
    NodeList watched;  /* those of the probes that compare something that must be searched for */
    VEC(PartState) states;
    NodeList loops;     /* whose tearing variables are unknowns of the integrator */
    uint32_t n;         /* unknowns: states, then tearing variables */
    bool restart;       /* something its dynamics reads changed */
    bool search;        /* comparisons must be looked at again */
    bool clocked;       /* some comparison is driven by the clock */
    bool claimed, kept; /* scratch of parts.c */
    uint32_t place;     /* likewise: in Sim.before */
    bool constrained;   /* has dummies whose choice may turn singular */
    double floor;       /* reselect.c: least motion that counts */
    bool reselect;      /* the choice of states should be made anew at `event` */
    bool started;       /* the integrator stands at `now` */
    double from;        /* comparisons were remembered here: begin of what is searched */
    double back, now;   /* dense output reaches from back to now */
    double event;       /* where a comparison was found to change, or infinite */
    double step;        /* last step taken, first guess after a restart */
    PartMethod method;
    struct IdaDriver *ida;
    struct RkDriver *rk;
    struct Blocks *blocks; /* blocks.c: code for `dynamics`, or NULL: not made since it changed */
};

/* One node of the dynamics; an outer loop's residuals go to *residuals, which moves on (NULL: it is
 * solved). */
int part_evaluate_node(Part *part, DdpNode n, double **residuals);
void part_tangent_node(Part *part, DdpNode n, double **loop_results);

/* ---- reselect.c ---- */

void reselect_begin(Part *part);
bool reselect_wanted(Part *part);
void reselect_advise(Part *part);
bool reselect_concerns(const Part *part);

/* The unknowns' variables: i-th state or tearing variable. */
DdpVar part_unknown(const Part *part, uint32_t i);

/* Slopes at values of the unknowns: all dynamics evaluated, loops solved in place but for outer
 * ones, whose residuals go to `residuals`. 0, or positive: no value there, try a smaller step. */
int part_evaluate(Part *part, double time, double *residuals);

/* ---- integrators: start at Sim.time from Sim.value, one accepted step, values inside it ---- */

SolStatus ida_driver_start(Part *part);
SolStatus ida_driver_step(Part *part, double limit);
void ida_driver_at(Part *part, double time);
void ida_driver_close(Part *part);
void ida_driver_close_all(Sim *sim); /* what all drivers of a simulation share */

SolStatus rk_start(Part *part);
SolStatus rk_step(Part *part, double limit);
void rk_at(Part *part, double time);
void rk_close(Part *part);

#endif
