/* event_cause.h: what an event is in which no condition changed. Private to runtime/. */
#ifndef RUNTIME_EVENT_EVENT_CAUSE_H
#define RUNTIME_EVENT_EVENT_CAUSE_H

#include "runtime/event/event.h"

void cause_jump(Sim *sim, const char *function, DdpRel rel); /* a function in the relation jumped */
void cause_delay(Sim *sim, DdpVar of);      /* what happened to it before has its effect now */
void cause_sample(Sim *sim, DdpVar sample); /* a Sample was due */
void cause_states(Sim *sim);                /* states are chosen anew */
void cause_written(Sim *sim, DdpVar var);   /* somebody wrote a value */
void cause_edited(Sim *sim);

/* At the end of an event: texts of what was noted, where no condition is its trigger. */
void cause_end(Sim *sim);

#endif
