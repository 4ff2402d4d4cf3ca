/* live_watch.c: variables that somebody watches -> curves in the terminal that move. See live.h. */
#include "runtime/cli/live.h"
#include "runtime/cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { HEIGHT = 12, MOST = 8, SAMPLES = 4000 };

void live_drop_watches(Live *live)
{
    while (live->watches.n) {
        LiveWatch w = vec_pop(&live->watches);
        vec_free(live->mem, &w.samples);
        mem_free(live->mem, w.path);
    }
}

void live_watch(Live *live, char *rest)
{
    char *path = live_word(&rest);
    live_drop_watches(live);
    live->every = 0;
    if (strcmp(path, "every") == 0) {
        live->every = atof(live_word(&rest));
        path = live_word(&rest);
        if (!(live->every > 0)) {
            live->every = 0;
            answer_fail(live, "how often? 'watch every 0.01 x'");
            return;
        }
    }
    for (; *path && live->watches.n < MOST; path = live_word(&rest)) {
        if (!sol_find(live->sim, path)) {
            answer_fail(live, "there is no variable '%s' now", path);
            live_drop_watches(live);
            return;
        }
        LiveWatch w = {.path = strcpy(mem_alloc(live->mem, strlen(path) + 1), path)};
        vec_push(live->mem, &live->watches, w);
    }
    live_sample(live);
    for (uint32_t i = 0; i < live->watches.n; i++) {
        live_value(live, live->watches.at[i].path, live->answer.text);
        answer_say(live, "\n");
    }
}

/* Every second one goes when there are too many. */
static void thin(LiveWatch *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->samples.n; i += 2)
        w->samples.at[n++] = w->samples.at[i];
    w->samples.n = n;
}

void live_sample(Live *live)
{
    for (uint32_t i = 0; i < live->watches.n; i++) {
        LiveWatch *w = &live->watches.at[i];
        double value = NAN;
        SolVar var = sol_find(live->sim, w->path);
        if (var)
            sol_read(live->sim, var, &value);
        if (w->samples.n == SAMPLES)
            thin(w);
        vec_push(live->mem, &w->samples, ((LiveSample){sol_time(live->sim), value}));
    }
}

void live_tell_samples(Live *live)
{
    if (live->style != LIVE_JSON || !live->watches.n)
        return;
    fprintf(live->out, "{\"sample\":%.17g,\"values\":{", sol_time(live->sim));
    for (uint32_t i = 0; i < live->watches.n; i++) {
        const LiveWatch *w = &live->watches.at[i];
        double value = vec_last(&w->samples).value;
        fputs(i ? "," : "", live->out);
        answer_json_text(live->out, w->path, strlen(w->path));
        if (isfinite(value))
            fprintf(live->out, ":%.17g", value);
        else
            fputs(":null", live->out);
    }
    fputs("}}\n", live->out);
}

static Curve curve_of(Live *live, const LiveWatch *w)
{
    Curve curve = {.path = w->path, .low = INFINITY, .high = -INFINITY};
    for (uint32_t i = 0; i < w->samples.n; i++) {
        double y = w->samples.at[i].value;
        vec_push(live->mem, &curve.points, ((SeriesPoint){w->samples.at[i].time, y}));
        curve.samples += !isnan(y);
        curve.low = fmin(curve.low, y);
        curve.high = fmax(curve.high, y);
    }
    return curve;
}

static uint32_t terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 30 ? size.ws_col - 1 : 79;
}

void live_draw(Live *live, bool again)
{
    if (!live->watches.n || live->style != LIVE_PEOPLE)
        return;
    Series series = {.mem = live->mem, .from = live->watches.at[0].samples.at[0].time};
    series.to = sol_time(live->sim);
    for (uint32_t i = 0; i < live->watches.n; i++)
        vec_push(live->mem, &series.curves, curve_of(live, &live->watches.at[i]));
    if (again) /* curves, line and times, legend */
        fprintf(live->out, "\x1b[%uA\x1b[J", HEIGHT + 2 + live->watches.n);
    plot_terminal(&series,
                  &(PlotOptions){.n_panels = 1,
                                 .width = terminal_width(),
                                 .height = HEIGHT,
                                 .utf8 = true,
                                 .colour = live->colour},
                  live->out);
    fflush(live->out);
    for (uint32_t i = 0; i < series.curves.n; i++)
        vec_free(live->mem, &series.curves.at[i].points);
    vec_free(live->mem, &series.curves);
}
