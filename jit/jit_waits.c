/* jit_waits.c: when quick code was asked for and came -> how long it is waited for. See jit_int.h. */
#include "jit/jit_int.h"

#include "base/timer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = sizeof((JitWaits *)0)->at / sizeof(double) };

/* What waits for LLVM to be loaded, or for the first code that it makes, does not count: that happens
 * once in a process. */
void jit_wait_begins(const Jit *jit, JitEntry *entry)
{
    if (jit->stats.functions_compiled > 0 && jit_tier(entry) == JIT_NONE)
        entry->asked_at = timer_now();
}

void jit_wait_ends(Jit *jit, JitEntry *entry)
{
    if (entry->asked_at > 0)
        jit->waits.at[jit->waits.n++ % MOST] = timer_now() - entry->asked_at;
    entry->asked_at = 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void jit_waits_sum(const Jit *jit, JitStats *stats)
{
    double sorted[MOST];
    uint32_t n = jit->waits.n < MOST ? jit->waits.n : MOST;
    stats->waits = jit->waits.n;
    if (n == 0)
        return;
    memcpy(sorted, jit->waits.at, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    stats->wait_median = sorted[n / 2];
    stats->wait_95 = sorted[n - 1 - n / 20];
}
