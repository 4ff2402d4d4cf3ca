/* timer.h: seconds per stage. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

double timer_now(void); /* monotonic wall-clock seconds */
double timer_cpu(void); /* seconds of processor time used by this process, all threads */
void timer_sleep_until(double time); /* of timer_now(); shorter where a signal comes */

#endif
