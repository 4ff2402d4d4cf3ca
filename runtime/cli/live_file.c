/* live_file.c: points to return to, scripts, files <-> the session. See live.h. */
#include "runtime/cli/live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- points in memory ---- */

bool live_put_bytes(void *context, const void *bytes, size_t n)
{
    LiveBytes *b = context;
    if (b->n + n > b->room) {
        b->room = 2 * (b->n + n);
        b->at = mem_resize(b->live->mem, b->at, b->room);
    }
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

bool live_get_bytes(void *context, void *bytes, size_t n)
{
    LiveBytes *b = context;
    if (b->n - b->read < n)
        return false;
    memcpy(bytes, b->at + b->read, n);
    b->read += n;
    return true;
}

static void drop_point(Live *live, LivePoint p)
{
    mem_free(live->mem, p.bytes);
    mem_free(live->mem, p.columns);
}

void live_drop_points(Live *live)
{
    while (live->points.n)
        drop_point(live, vec_pop(&live->points));
}

/* The oldest goes where there are too many. */
static void keep_point(Live *live, LivePoint point)
{
    if (live->points.n == LIVE_POINTS) {
        answer_say(live, "point %u is gone, %d are kept; ", live->points.at[0].number, LIVE_POINTS);
        drop_point(live, live->points.at[0]);
        memmove(live->points.at, live->points.at + 1, (LIVE_POINTS - 1) * sizeof point);
        live->points.n--;
    }
    vec_push(live->mem, &live->points, point);
}

void live_mark(Live *live, char *rest)
{
    char *name = live_word(&rest);
    LiveBytes b = {.live = live};
    SolStatus status = sol_save(live->sim, live_put_bytes, &b);
    answer_status(live, status);
    if (status != SOL_OK)
        return;
    LivePoint p = {.number = ++live->marked,
                   .time = sol_time(live->sim),
                   .bytes = mem_resize(live->mem, b.at, b.n),
                   .n = b.n,
                   .script = live->script.n + 1}; /* with the line that marks it */
    snprintf(p.name, sizeof p.name, "%s", name);
    live_output_mark(live, &p);
    keep_point(live, p);
    answer_say(live, "point %u%s%s at time %.10g, %zu bytes", p.number, *name ? " " : "", name,
               p.time, p.n);
}

/* By name, by number, or the last. */
static const LivePoint *find_point(const Live *live, const char *name)
{
    for (uint32_t i = live->points.n; i > 0; i--) {
        const LivePoint *p = &live->points.at[i - 1];
        if (!*name || strcmp(p->name, name) == 0 || atoi(name) == (int)p->number)
            return p;
    }
    return NULL;
}

void live_back(Live *live, char *rest)
{
    char *name = live_word(&rest);
    const LivePoint *p = find_point(live, name);
    if (!p) {
        answer_fail(live, "there is no point '%s': 'mark NAME' makes one", name);
        return;
    }
    LiveBytes b = {.live = live, .at = p->bytes, .n = p->n};
    SolStatus status = sol_back(live->sim, live_get_bytes, &b);
    answer_status(live, status);
    if (status != SOL_OK)
        return;
    live_output_back(live, p);
    if (live->journal) /* a replay goes back too */
        fprintf(live->journal, "%sback %s\n", live->journal_open ? "\n" : "", name);
    live->journal_open = false;
    live->last = p->script;
    answer_say(live, "time %.10g", sol_time(live->sim));
}

/* ---- files ---- */

static bool allowed(Live *live)
{
    if (!live->files)
        answer_fail(live, "files are out of reach from here");
    return live->files;
}

static bool put_file(void *context, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, context) == n;
}

static bool get_file(void *context, void *bytes, size_t n)
{
    return fread(bytes, 1, n, context) == n;
}

SolStatus live_restore_file(Live *live, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file) {
        fprintf(stderr, "solstice: error: %s: %s\n", name, strerror(errno));
        return SOL_IO;
    }
    SolStatus status = sol_restore(live->sim, get_file, file);
    fclose(file);
    return status;
}

/* Under another name first: a file that is there is replaced by a whole one, or stays. */
static FILE *begin_file(Live *live, const char *name, char *temporary, size_t size)
{
    snprintf(temporary, size, "%s.new", name);
    FILE *file = *name ? fopen(temporary, "wb") : NULL;
    if (!file)
        answer_fail(live, "%s: %s", *name ? name : "which file?", *name ? strerror(errno) : "");
    return file;
}

static void end_file(Live *live, FILE *file, bool fine, const char *temporary, const char *name)
{
    bool written = fclose(file) == 0;
    if (fine && written && rename(temporary, name) == 0)
        return;
    if (fine || !written)
        answer_fail(live, "%s: %s", name, strerror(errno));
    unlink(temporary);
}

void live_save(Live *live, char *rest)
{
    char temporary[4200], *name = live_word(&rest);
    if (!allowed(live))
        return;
    FILE *file = begin_file(live, name, temporary, sizeof temporary);
    if (!file)
        return;
    SolStatus status = sol_save(live->sim, put_file, file);
    answer_status(live, status);
    end_file(live, file, status == SOL_OK, temporary, name);
}

/* "a.sol" -> "a.save" */
static void name_of_state(const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    snprintf(out, size, "%.*s.save", (int)(n > 4 && strcmp(name + n - 4, ".sol") == 0 ? n - 4 : n),
             name);
}

static void write_files(Live *live, const char *name)
{
    char state[4200], text_new[4300], state_new[4300];
    name_of_state(name, state, sizeof state);
    FILE *text_file = begin_file(live, name, text_new, sizeof text_new);
    FILE *state_file = text_file ? begin_file(live, state, state_new, sizeof state_new) : NULL;
    SolStatus status =
        state_file
            ? sol_write_model(live->sim, &(SolWriting){put_file, text_file, put_file, state_file})
            : SOL_IO;
    if (state_file)
        answer_status(live, status);
    if (text_file)
        end_file(live, text_file, status == SOL_OK, text_new, name);
    if (state_file)
        end_file(live, state_file, status == SOL_OK, state_new, state);
    if (status == SOL_OK)
        answer_say(live, "%s, %s: go on with 'solstice live %s%s%s --resume %s'", name, state, name,
                   *live->designator ? ":" : "", live->designator, state);
}

/* Without a file, the text is the answer. */
void live_write(Live *live, char *rest)
{
    char *name = live_word(&rest);
    if (*name && allowed(live))
        write_files(live, name);
    else if (!*name)
        answer_status(live,
                      sol_write_model(live->sim, &(SolWriting){.text = put_file,
                                                               .text_context = live->answer.text}));
}

/* What led to the present, from the start; returns the number of lines. */
static uint32_t print_script(const Live *live, FILE *file)
{
    VEC(uint32_t) lines = {0};
    for (uint32_t i = live->last; i; i = live->script.at[i - 1].before)
        vec_push(live->mem, &lines, i);
    uint32_t n = lines.n;
    while (lines.n)
        fprintf(file, "%s\n", live->script.at[vec_pop(&lines) - 1].text);
    vec_free(live->mem, &lines);
    return n;
}

void live_script(Live *live, char *rest)
{
    char temporary[4200], *name = live_word(&rest);
    if (!*name) {
        print_script(live, live->answer.text);
        return;
    }
    if (!allowed(live))
        return;
    FILE *file = begin_file(live, name, temporary, sizeof temporary);
    if (!file)
        return;
    uint32_t lines = print_script(live, file);
    end_file(live, file, !ferror(file), temporary, name);
    answer_say(live, "%u lines", lines);
}

/* Each line is answered by itself; the answer of `source` comes last. */
void live_source(Live *live, char *rest)
{
    char *line = NULL, *name = live_word(&rest);
    size_t size = 0;
    if (!allowed(live))
        return;
    FILE *file = fopen(name, "r");
    if (!file) {
        answer_fail(live, "%s: %s", name, strerror(errno));
        return;
    }
    char kept[4096];
    snprintf(kept, sizeof kept, "%s", name);
    LiveAnswer own = live->answer;
    ssize_t n;
    uint32_t lines = 0;
    while (!live->done && (n = getline(&line, &size, file)) > 0) {
        live_line(live, line);
        lines++;
    }
    free(line);
    fclose(file);
    own.first = sol_message_count(live->model);
    live->answer = own;
    answer_say(live, "%u lines of %s", lines, kept);
}
