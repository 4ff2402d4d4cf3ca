/* impulse.h: states that new equations bind -> how they and others jump, such that what is under `der` is kept. Private to runtime/. */
#ifndef RUNTIME_EVENT_IMPULSE_H
#define RUNTIME_EVENT_IMPULSE_H

#include "runtime/event/event.h"

void impulse_begin(Sim *sim); /* an event begins */
void impulse_close(Sim *sim);

/* An update is evaluated: states jump as the equations ask. */
SolStatus impulse_settle(Sim *sim);
/* An event is over: what jumped is told, the first time. An error where no impulse could do it. */
SolStatus impulse_tell(Sim *sim);

#endif
