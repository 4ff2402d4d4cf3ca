/* progress.c: how far a run is -> one line on the terminal. See progress.h. */
#include "runtime/cli/progress.h"
#include "base/timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR = 24 };

static const double FIRST = 0.3, PERIOD = 0.1; /* seconds; short runs show nothing */

void progress_start(Progress *p, bool quiet, double start, double stop)
{
    double now = timer_now();
    *p = (Progress){.shown = !quiet && isatty(STDERR_FILENO),
                    .start = start,
                    .stop = stop,
                    .began = now,
                    .next = now + FIRST};
}

static void draw_bar(double part)
{
    char bar[BAR + 1];
    int full = (int)(part * BAR);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%", bar, part * 100);
}

void progress_draw(Progress *p, const Sol *sim, double time)
{
    if (!p->shown)
        return;
    double now = timer_now();
    if (now < p->next)
        return;
    p->next = now + PERIOD;
    SolStats stats;
    sol_stats(sim, &stats);
    double part = p->stop > p->start ? (time - p->start) / (p->stop - p->start) : 1;
    double wall = now - p->began;
    draw_bar(part < 0 ? 0 : part > 1 ? 1 : part);
    fprintf(stderr, "  t = %.6g  %.1f s  %.3g x  %" PRIu64 " events  %u states\033[K", time, wall,
            (time - p->start) / wall, stats.events_count, stats.states);
    fflush(stderr);
    p->drawn = true;
}

void progress_clear(Progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
