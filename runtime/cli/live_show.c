/* live_show.c: commands that look at the model -> lines. See live.h. */
#define _GNU_SOURCE
#include "runtime/cli/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, SHOWN = 200 };

static void print_value(Live *live, SolVar var, const SolVarInfo *info, FILE *out)
{
    double value;
    if (sol_read(live->sim, var, &value) != SOL_OK || isnan(value))
        fputs("no value", out);
    else if (info->type == SOL_STRING)
        fprintf(out, "\"%s\"", sol_text(live->sim, value));
    else if (info->type == SOL_BOOLEAN)
        fputs(value != 0 ? "true" : "false", out);
    else
        fprintf(out, "%.10g", value);
    if (info->unit && info->unit[0])
        fprintf(out, " %s", info->unit);
}

void live_value(Live *live, const char *path, FILE *out)
{
    SolVarInfo info;
    SolVar var = sol_find(live->sim, path);
    fprintf(out, "%s = ", path);
    if (var && sol_var_info(live->sim, var, &info))
        print_value(live, var, &info, out);
    else
        fputs("not there", out);
}

static const char *kind_of(const SolVarInfo *info)
{
    return info->parameter ? " (parameter)"
           : info->state   ? " (state)"
           : info->held    ? " (held)"
                           : "";
}

/* Variables of the instance itself: no dot behind its path. */
static uint32_t show_variables(Live *live, const char *path, bool states)
{
    char at[PATH];
    uint32_t n = 0;
    size_t length = strlen(path);
    SolVarInfo info;
    for (SolVar var = sol_next_var(live->sim, 0); var; var = sol_next_var(live->sim, var)) {
        if (!sol_var_info(live->sim, var, &info) || (states && !info.state))
            continue;
        sol_var_path(live->sim, var, at, sizeof at);
        if (!states && length && (strncmp(at, path, length) != 0 || at[length] != '.'))
            continue;
        if (!states && strchr(at + length + (length > 0), '.'))
            continue;
        if (n++ == SHOWN)
            answer_say(live, "...\n");
        if (n > SHOWN)
            continue;
        answer_say(live, "%s = ", at);
        print_value(live, var, &info, live->answer.text);
        answer_say(live, "%s\n", states ? "" : kind_of(&info));
    }
    return n;
}

static void show_statement(void *context, const SolStatement *s)
{
    Live *live = context;
    if (s->removed)
        return;
    answer_say(live, "%-8s ", s->handle);
    for (size_t i = 0; i < s->length; i++)
        fputc(s->text[i] == '\n' ? ' ' : s->text[i], live->answer.text);
    answer_say(live, "\n");
}

void live_list(Live *live, char *rest)
{
    char *path = live_word(&rest);
    if (!sol_statements(live->sim, path, show_statement, live))
        answer_fail(live, "there is no instance '%s'", path);
}

static void no_such(Live *live, const char *path)
{
    answer_fail(live, "there is nothing at '%s' now", path);
}

void live_show(Live *live, char *rest)
{
    char *path = live_word(&rest);
    SolVar var = *path ? sol_find(live->sim, path) : 0;
    if (var) {
        answer_status(live, sol_why(live->sim, var, 0, false, live->answer.text));
        return;
    }
    uint32_t n = show_variables(live, path, false);
    if (!sol_statements(live->sim, path, show_statement, live) && n == 0)
        no_such(live, path);
}

static void explain(Live *live, char *rest, bool readers)
{
    char *path = live_word(&rest), *depth = live_word(&rest);
    SolVar var = sol_find(live->sim, path);
    if (!var)
        no_such(live, path);
    else
        answer_status(live, sol_why(live->sim, var, *depth ? (uint32_t)atoi(depth) : 1, readers,
                                    live->answer.text));
}

void live_why(Live *live, char *rest)
{
    explain(live, rest, false);
}

void live_uses(Live *live, char *rest)
{
    explain(live, rest, true);
}

void live_states(Live *live, char *rest)
{
    (void)rest;
    if (show_variables(live, "", true) == 0)
        answer_say(live, "there is no state\n");
}

static void show_instance(void *context, const char *path)
{
    answer_say(context, "%s\n", *path ? path : "(top)");
}

void live_instances(Live *live, char *rest)
{
    sol_instances(live->sim, live_word(&rest), show_instance, live);
}

void live_flat(Live *live, char *rest)
{
    (void)rest;
    answer_status(live, sol_print_flat(live->sim, live->answer.text));
}

/* ---- events ---- */

enum { EVENTS = 10000 };

void live_event(void *context, const SolEvent *event)
{
    Live *live = context;
    char text[600] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < event->n_triggers && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", event->triggers[i]);
    char *own = strdup(text);
    if (live->events.n == EVENTS) {
        free(live->events.at[0].text);
        memmove(live->events.at, live->events.at + 1, (EVENTS - 1) * sizeof *live->events.at);
        live->events.n--;
    }
    vec_reserve(live->mem, &live->events, live->events.n + 1);
    live->events.at[live->events.n++] = (LiveEvent){event->time, event->structural, own};
}

void live_events(Live *live, char *rest)
{
    char *word = live_word(&rest);
    uint32_t wanted = *word ? (uint32_t)atoi(word) : 20;
    uint32_t first = live->events.n > wanted ? live->events.n - wanted : 0;
    answer_say(live, "%u events\n", live->events.n);
    for (uint32_t i = first; i < live->events.n; i++) {
        const LiveEvent *e = &live->events.at[i];
        answer_say(live, "%-14.9g %s%s\n", e->time, e->structural ? "structure " : "",
                   e->text ? e->text : "");
    }
}
