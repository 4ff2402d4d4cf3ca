/* clock_change.h: comparisons that the clock alone drives -> when the first of them changes. */
#ifndef RUNTIME_EVENT_CLOCK_CHANGE_H
#define RUNTIME_EVENT_CLOCK_CHANGE_H

#include "runtime/part.h"

void clock_change_list(Part *part); /* its comparisons may be others than before */
/* A time in (from, to] before which none of them changes and comes back. If it is not `to`, one has changed there, or more is
 * not known yet. */
double clock_change_next(Part *part, double from, double to);

#endif
