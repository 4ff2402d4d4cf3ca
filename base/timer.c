/* timer.c: the clock -> seconds. */
#include "base/timer.h"

#include <math.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double timer_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void timer_sleep_until(double time)
{
    double whole = floor(time);
    struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (time - whole))};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

double timer_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
