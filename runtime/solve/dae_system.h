/* dae_system.h: a plan -> residuals and Jacobian of its rows, and linear systems with it. Private to runtime/. */
#ifndef RUNTIME_SOLVE_DAE_SYSTEM_H
#define RUNTIME_SOLVE_DAE_SYSTEM_H

#include "runtime/solve/dae_plan.h"

typedef struct DaeSystem DaeSystem;

DaeSystem *dae_system_open(Sim *sim, const DaePlan *plan);
void dae_system_close(DaeSystem *system); /* NULL is fine */
uint32_t dae_system_nonzeros(const DaeSystem *system);

/* y and slope of all unknowns from Sim.value, mu 0. */
void dae_system_present(const DaeSystem *system, double *y, double *slope);
void dae_system_begin(
    DaeSystem *system); /* with what does not vary between events, from Sim.value */
/* Is what does not vary between events what it was then? */
bool dae_system_undisturbed(const DaeSystem *system);

/* 0, or positive: no value there. */
int dae_system_residual(DaeSystem *system, double time, const double *y, const double *slope,
                        double *out);
/* cj dF/dy' + dF/dy there. */
int dae_system_jacobian(DaeSystem *system, double time, double cj, const double *y,
                        const double *slope);
int dae_system_factor(DaeSystem *system); /* 0, or positive: singular */
int dae_system_solve(DaeSystem *system, double *b);

/* Values of the part's states there: value[i] of Part.states. */
void dae_system_states(DaeSystem *system, double time, const double *y, const double *slope,
                       double *value);

#endif
