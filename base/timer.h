/* timer.h: wall-clock seconds per stage. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

double timer_now(void); /* monotonic seconds */

#endif
