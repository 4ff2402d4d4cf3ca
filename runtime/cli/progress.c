/* progress.c: how far a run is -> one line on the terminal. See progress.h. */
#include "runtime/cli/progress.h"
#include "base/timer.h"
#include "runtime/cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 24 };

static const double FIRST = 0.3, PERIOD = 0.1; /* seconds; short runs show nothing */

void progress_start(Progress *p, bool quiet, double start, double stop)
{
    double now = timer_now();
    *p = (Progress){.shown = !quiet && cli_terminal(),
                    .start = start,
                    .stop = stop,
                    .began = now,
                    .next = now + FIRST};
}

static size_t width_of_terminal(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static size_t put_bar(char *out, size_t size, double part)
{
    char bar[BAR + 1];
    int full = (int)(part * BAR);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = '\0';
    return (size_t)snprintf(out, size, "[%s] %3.0f %%", bar, part * 100);
}

/* One line, no longer than the terminal is wide: longer ones would break and could not be drawn
 * over. */
void progress_draw(Progress *p, const Sol *sim, double time)
{
    if (!p->shown)
        return;
    double now = timer_now();
    if (now < p->next)
        return;
    p->next = now + PERIOD;
    SolStats stats;
    char line[200];
    sol_stats(sim, &stats);
    double part = p->stop > p->start ? (time - p->start) / (p->stop - p->start) : 1;
    double wall = now - p->began;
    size_t used = put_bar(line, sizeof line, part < 0 ? 0 : part > 1 ? 1 : part);
    snprintf(line + used, sizeof line - used,
             "  t = %.6g  %.1f s  %.3g x  %" PRIu64 " events  %u states", time, wall,
             (time - p->start) / wall, stats.events_count, stats.states);
    fprintf(stderr, "\r%.*s\033[K", (int)width_of_terminal() - 1, line);
    fflush(stderr);
    p->drawn = true;
}

void progress_clear(Progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
