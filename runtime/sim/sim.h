/* sim.h: the loop of time, points and events as a client sees them. Private to runtime/. */
#ifndef RUNTIME_SIM_SIM_H
#define RUNTIME_SIM_SIM_H

#include "runtime/event/event.h"

/* ---- time_loop.c, grid_steps.c ---- */

/* To `stop`, as fast as it goes. */
SolStatus time_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);
bool time_last(
    Sim *sim); /* values at the last time that all parts reached; false: there are none */
SolStatus time_event(Sim *sim); /* at the present time: something was written from outside */
SolStatus grid_begin(Sim *sim); /* parts that an event touched are ready to step */
SolStatus grid_go_to(Sim *sim, double stop,
                     bool *event); /* to the next grid point, or to `stop` before it */
void grid_cut(Sim *sim);           /* the step that Sim.time lies in ends there */

/* ---- realtime.c ---- */

SolStatus realtime_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);

/* ---- simulation.c ---- */

/* A simulation of the same text with the same callbacks, with these options, into which what was saved can be read. NULL:
 * there is no memory. */
Sim *sim_like(const Sim *other, const SolOptions *options);
SolStatus sim_start(Sim *sim);     /* once */
void sim_close(Sim *sim);          /* NULL is fine */
SolStatus sim_exhausted(Sim *sim); /* memory ran out: says so; the simulation goes no further */
SolStatus sim_point(Sim *sim, SolSide side);
SolStatus sim_point_before(Sim *sim, double event); /* values are those just before the event */
/* At Sim.time, values evaluated there; the point before it was shown. */
SolStatus sim_event(Sim *sim);

/* ---- announce.c ---- */

bool sim_var_info(const Sim *sim, DdpVar var, SolVarInfo *info);
void announce_births(Sim *sim);  /* and deaths */
void announce_all(Sim *sim);     /* next time of all there are, in the order of their births */
void announce_nothing(Sim *sim); /* nobody listens: births are not remembered for ever */
void announce_modes(Sim *sim);
/* The output knows what `old` told it, and hears from `fresh`, which is what was before: what is different is told. */
void announce_return(Sim *old, Sim *fresh);

/* ---- rebuild.c ---- */

/* Nodes, states and parts are made anew from the DDP and from values at Sim.time, and depend on
 * nothing else; of what they were nothing is left. Parts have no integrators then. In three steps:
 * behind the first the DDP is as if nobody had used it, behind the second whoever knows gives nodes
 * and branches their memory back. */
void rebuild_clear(Sim *sim);
void rebuild_nodes(Sim *sim);
void rebuild_parts(Sim *sim);

/* ---- inspect.c ---- */

bool sim_has_value(const Sim *sim, DdpVar var, double value); /* its type does */

/* From outside, an event at Sim.time. SOL_USAGE: equations determine it, or its type has no such value. */
SolStatus sim_write(Sim *sim, DdpVar var, double value);

/* ---- result_view.c ---- */

/* Takes `bytes`, of malloc(), over; NULL: there is no memory, and they are freed. */
SolResult *result_view_bytes(uint8_t *bytes, size_t n);

/* ---- live.c ---- */

void live_forget(Sol *sol); /* what was edited */

/* ---- options_fill.c ---- */

bool options_fill(Sim *sim, const SolOptions *options); /* false: a message says what is wrong */

/* ---- set_check.c ---- */

/* The variable that exists now whose path is nearest; "" when none is near. */
void set_nearest(const Sim *sim, const char *path, char *best, size_t size);
void set_refuse(Sim *sim, const char *path); /* there is no such variable: says so */
SolStatus set_check(Sim *sim); /* after the start: SOL_USAGE when a path of opt.sets is a slip */
void set_check_end(Sim *sim);  /* warns once of those that nothing had */

#endif
