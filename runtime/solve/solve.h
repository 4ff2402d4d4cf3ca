/* solve.h: a part starts, by which method, with which states. Private to runtime/. */
#ifndef RUNTIME_SOLVE_SOLVE_H
#define RUNTIME_SOLVE_SOLVE_H

#include "runtime/parts/parts.h"

/* ---- integrate.c ---- */

void part_choose_unknowns(Part *part); /* which loops are unknowns of the integrator */
SolStatus part_start(Part *part);      /* at Sim.time */

/* The error that is allowed of state i where it has a size of `size`. */
static inline double part_allowed(const Part *part, uint32_t i, double size)
{
    return part->states.at[i].atol + part->states.at[i].rtol * size;
}

/* Steps of h are too short: that is told, with the state that changes fastest and, if nothing else is known, advice. */
SolStatus part_explain_short(Part *part, uint32_t worst, double h, const char *advice);

/* ---- method.c ---- */

void method_restarts(Part *part); /* it is about to: how long is the last time ago? */
PartMethod method_of(Part *part); /* to start with */
/* After an accepted step, with h times the dominant eigenvalue. */
void method_after_rk(Part *part, double h_lambda);
void method_after_ida(Part *part, double h_lambda);
void method_after_rodas(Part *part);
bool method_asks_radius(Part *part); /* is that eigenvalue wanted after this step of IDA? */
bool method_leave(Part *part);       /* steps become too small: may it try the other one? */
SolStatus method_change(Part *part); /* part->trial.change is set, and a step about to begin */

/* ---- known_step.c ---- */

void known_step_begin(Sim *sim);               /* an event begins, or is over */
void known_step_kind(Sim *sim, uint64_t kind); /* of it; the first one counts */
void known_steps_forget(Sim *sim);
void known_steps_pack(Sim *sim, Pack *p);

/* ---- reselect.c ---- */

void reselect_begin(Part *part);
void reselect_mark(Part *part); /* whose structure is new */
/* The part is evaluated at the end of a step: has all that constraints determine moved as its slopes say?
 * If not, the step passed a point where the choice of states is singular, and those values are as at its
 * beginning again. reselect_before: the part is evaluated there. */
bool reselect_follows(Part *part);
void reselect_before(Part *part);
bool reselect_due(Part *part); /* after each step: is it time to look? */
bool reselect_wanted(
    Part *part); /* then, everything evaluated: the DDP was advised to choose other states */
bool reselect_concerns(Part *part);
bool reselect_unsolved(Sim *sim); /* true: the DDP was advised; a commit is due */
bool reselect_singular(
    Sim *sim); /* the same for loops with constant factors that have no solution */
void reselect_note(Sim *sim, DdpNode n); /* n was made */
void reselect_note_constant(Sim *sim,
                            DdpNode n); /* a loop with constant factors, made or touched */
void reselect_note_aside(Sim *sim);     /* what was set aside was closed */
/* Constraints that were noted: their choice of states is to be looked at. */
const NodeList *reselect_unexamined(const Sim *sim);
void reselect_forget(Sim *sim); /* those */
void reselect_note_differentiated(Sim *sim, DdpRel rel);
void reselect_forget_all(Sim *sim); /* the structure is made anew */

#endif
