/* process.c: a run in real time -> scheduling and memory as far as the system allows. See process.h. */
#define _GNU_SOURCE
#include "runtime/cli/process.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Threads that compile stay ordinary ones. */
static int ask_scheduling(void)
{
    int least = sched_get_priority_min(SCHED_FIFO);
    struct sched_param wanted = {.sched_priority = least < 0 ? 1 : least};
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &wanted) == 0 ? 0 : errno;
}

void process_realtime(char *text, size_t size)
{
    int refused = ask_scheduling();
    int n = refused ? snprintf(text, size, "no SCHED_FIFO (%s)", strerror(refused))
                    : snprintf(text, size, "SCHED_FIFO");
    size_t at = n > 0 && (size_t)n < size ? (size_t)n : 0;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
        snprintf(text + at, size - at, ", memory locked");
    else
        snprintf(text + at, size - at, ", memory not locked (%s)", strerror(errno));
}
