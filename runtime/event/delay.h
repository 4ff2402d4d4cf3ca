/* delay.h: histories of delayed variables, and the events that follow from what happened to them. Private to runtime/. */
#ifndef RUNTIME_EVENT_DELAY_H
#define RUNTIME_EVENT_DELAY_H

#include "runtime/event/event.h"

void delay_take(Sim *sim, const WorldChange *change); /* WORLD_DELAY */
void delay_pack(Sim *sim, Pack *pack);

double delay_next(const Sim *sim); /* when a break has its effect */
void delay_due(Sim *sim);          /* breaks whose time has come, in the first update of an event */

/* So far time may go until delay_reach() is called: beyond it nothing is known of what was. */
double delay_limit(const Sim *sim);
/* All parts reach so far, and there is no event before. */
SolStatus delay_reach(Sim *sim, double time);
SolStatus delay_before(Sim *sim, double left); /* up to an event at Sim.time, from its left side */
SolStatus delay_grid(Sim *sim);                /* at the end of a fixed step */
SolStatus delay_after(Sim *sim);               /* behind an event */
/* Integrators end here: somebody writes a value, edits or saves. */
SolStatus delay_cut(Sim *sim);

#endif
