/* serve_commands.c: a message of a client -> what is done, and the answer. See serve.h. */
#include "base/timer.h"
#include "runtime/cli/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was done ---- */

static void drop_edits(Serve *serve, uint32_t from)
{
    serve->edited++;
    while (serve->edits.n > from)
        mem_free(serve->live.mem, vec_pop(&serve->edits).text);
    if (serve->done > from)
        serve->done = from;
}

/* "set R1.R = 5" -> the length of "set R1.R"; 0: something else */
static size_t set_length(const char *line)
{
    const char *equal = strchr(line, '=');
    return strncmp(line, "set ", 4) == 0 && equal ? (size_t)(equal - line) : 0;
}

static ServeEdit *note_edit(Serve *serve, const char *line)
{
    static const char *const words[] = {"accepted", "incomplete", "refused"};
    Mem *mem = serve->live.mem;
    ServeEdit *last =
        serve->done == serve->edits.n && serve->done ? &vec_last(&serve->edits) : NULL;
    size_t n = set_length(line);
    serve->edited++;
    char *text = strcpy(mem_alloc(mem, strlen(line) + 1), line);
    const char *verdict = words[serve->live.answer.edited.verdict];
    if (last && n && set_length(last->text) == n && strncmp(last->text, line, n) == 0) {
        mem_free(mem, last->text);
        last->text = text;
        last->count++;
        last->undos += serve->live.joined ? 0 : 1;
        return last;
    }
    drop_edits(serve, serve->done);
    ServeEdit edit = {.text = text,
                      .verdict = verdict,
                      .count = 1,
                      .undos = 1,
                      .time = sol_time(serve->live.sim)};
    vec_push(mem, &serve->edits, edit);
    serve->done = serve->edits.n;
    return &vec_last(&serve->edits);
}

/* ---- commands of `live` ---- */

static bool begins(const char *line, const char *word)
{
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == 0 || line[n] == ' ');
}

/* A slider that moved is undone as a whole. */
static void turn(Serve *serve, const char *line)
{
    bool undo = begins(line, "undo");
    uint32_t at = undo ? serve->done - 1 : serve->done;
    uint32_t count = at < serve->edits.n ? serve->edits.at[at].undos : 1;
    SolEdited edited;
    for (uint32_t i = 1; i < count; i++) {
        SolStatus status =
            undo ? sol_undo(serve->live.sim, &edited) : sol_redo(serve->live.sim, &edited);
        if (status != SOL_OK || edited.verdict == SOL_REFUSED)
            break;
        live_note(&serve->live, undo ? "undo" : "redo");
    }
    live_line(&serve->live, line);
    if (serve->live.answer.verdict && serve->live.answer.edited.verdict != SOL_REFUSED &&
        at < serve->edits.n) {
        serve->done += undo ? -1u : 1u;
        serve->edited++;
        if (serve->edits.at[at].versions[0])
            serve->text = serve->edits.at[at].versions[undo ? 0 : 1];
    }
}

/* What was run in pieces is one line of the script. */
static void note_time(Serve *serve)
{
    char text[64];
    if (sol_time(serve->live.sim) == serve->noted)
        return;
    serve->noted = sol_time(serve->live.sim);
    snprintf(text, sizeof text, "run to %.17g", serve->noted);
    live_note(&serve->live, text);
}

static bool is_edit(const char *line)
{
    static const char *const edits[] = {"add", "remove", "replace", "set", "commit"};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (begins(line, edits[i]))
            return true;
    return false;
}

/* After anything that may have changed the model. */
static void look_again(Serve *serve, bool changed)
{
    Live *live = &serve->live;
    if (sol_is_complete(live->sim))
        serve->failure[0] = 0;
    if (live->output.recorder)
        serve->record = record_output(live->output.recorder);
    serve_attach(serve);
    if (changed)
        serve_stage_now(serve);
    serve->wall = timer_now();
    serve->from = sol_time(live->sim);
}

/* A slider that goes on: the last line of the script is what it did so far. */
static bool is_move(const Serve *serve, const char *line)
{
    enum { MOST_MOVES = 400 }; /* of a line */
    const Live *live = &serve->live;
    const ServeEdit *last =
        serve->edits.n && serve->done == serve->edits.n ? &vec_last(&serve->edits) : NULL;
    size_t n = set_length(line);
    return n && last && set_length(last->text) == n && strncmp(last->text, line, n) == 0 &&
           live->last && strncmp(live->script.at[live->last - 1].text, line, n) == 0 &&
           !strchr(line, ';') && last->count % MOST_MOVES && !live->collecting;
}

static void live_command(Serve *serve, const char *line)
{
    Live *live = &serve->live;
    live->moves = is_move(serve, line);
    if (live->moves)
        serve->noted = sol_time(live->sim);
    if (is_edit(line) || begins(line, "undo") || begins(line, "redo") || begins(line, "mark"))
        note_time(serve);
    if (begins(line, "undo") || begins(line, "redo"))
        turn(serve, line);
    else
        live_line(live, line);
    live->moves = false;
    if (is_edit(line) && live->answer.verdict && live->answer.edited.verdict != SOL_REFUSED) {
        ServeEdit *edit = note_edit(serve, line);
        if (edit->count > 1 && edit->versions[0])
            serve->text = edit->versions[0];
        edit->versions[0] = serve->text;
        serve_follow(serve, line);
        edit->versions[1] = serve->text;
    }
    if (begins(line, "back")) {
        drop_edits(serve, 0); /* they belong to the model now */
        serve_cut_rows(serve, sol_time(live->sim));
        serve->noted = sol_time(live->sim);
    }
    look_again(serve, is_edit(line) || begins(line, "undo") || begins(line, "redo") ||
                          begins(line, "back"));
}

/* ---- own commands ---- */

static void answer(Serve *serve, const char *command, bool fine, const char *why)
{
    FILE *out = serve->live.out;
    fprintf(out, "{\"command\":\"%s\",\"answer\":\"%s\",\"text\":", command, fine ? "ok" : "error");
    answer_json_text(out, why, strlen(why));
    fputs("}", out);
}

static void play(Serve *serve, double goal)
{
    serve->goal = goal;
    serve->playing = true;
    serve->failure[0] = 0;
    serve->wall = timer_now();
    serve->from = sol_time(serve->live.sim);
}

static void set_speed(Serve *serve, const char *text)
{
    double speed = strcmp(text, "max") == 0 ? INFINITY : strtod(text, NULL);
    if (speed > 0)
        serve->speed = speed;
    serve->wall = timer_now();
    serve->from = sol_time(serve->live.sim);
    answer(serve, "speed", speed > 0, speed > 0 ? "" : "how fast? 'speed 0.5', 'speed max'");
}

static void run_to(Serve *serve, const char *text)
{
    char *end;
    double goal = strtod(text, &end);
    bool fine = end > text && isfinite(goal) && goal >= sol_time(serve->live.sim);
    if (fine)
        play(serve, goal);
    answer(serve, "run", fine, fine ? "" : "to what time? 'run to 0.5'");
}

static void with_data(Serve *serve, const char *command, void (*put)(Serve *, const char *, FILE *),
                      const char *rest)
{
    fprintf(serve->live.out, "{\"command\":\"%s\",\"answer\":\"ok\",\"data\":", command);
    put(serve, rest, serve->live.out);
    fputs("}", serve->live.out);
}

static void put_parameters(Serve *serve, const char *rest, FILE *out)
{
    (void)rest;
    serve_parameters(serve, out);
}

/* Lines of the text become others. */
static void change(Serve *serve, const char *rest)
{
    const char *why;
    uint32_t before = serve->text;
    note_time(serve);
    bool taken = serve_change(serve, rest, &why);
    if (taken && !why) {
        char line[80];
        const char *colon = strchr(rest, ':'), *text = colon + 1 + strspn(colon + 1, " ");
        snprintf(line, sizeof line, "line %.*s: %.50s", (int)strspn(rest, "0123456789"), rest,
                 text);
        for (char *at; (at = strstr(line, "\xe2\x86\xb5")) != NULL;) /* ends of lines */
            memmove(at, at + 3, strlen(at + 3) + 1);
        note_edit(serve, line);
        vec_last(&serve->edits).versions[0] = before;
        vec_last(&serve->edits).versions[1] = serve->text;
    }
    if (why)
        answer(serve, "change", taken, why);
    look_again(serve, true);
}

static bool is_own(const char *line)
{
    static const char *const names[] = {"play", "pause", "speed", "plot",   "unplot",    "tree",
                                        "text", "words", "graph", "change", "parameters"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(line, names[i]))
            return true;
    return false;
}

/* A beginning of a command of `live` becomes its whole name, so that what is not for clients is known: "q" too. */
static char *whole_names(Serve *serve, const char *line)
{
    char name[32];
    size_t n = strcspn(line, " \t");
    snprintf(name, sizeof name, "%.*s", (int)(n < 31 ? n : 31), line);
    const char *whole = n && n < 31 && !is_own(line) ? live_command_called(name) : NULL;
    size_t size = strlen(line) + 32;
    char *text = mem_alloc(serve->live.mem, size);
    snprintf(text, size, "%s%s", whole ? whole : "", whole ? line + n : line);
    return text;
}

/* False: it is none of them. */
static bool own_command(Serve *serve, const char *line)
{
    const char *rest = line + strcspn(line, " ");
    rest += strspn(rest, " ");
    if (begins(line, "play")) {
        play(serve, INFINITY);
        answer(serve, "play", true, "");
    } else if (begins(line, "pause") || begins(line, "stop")) {
        serve->playing = false;
        answer(serve, "pause", true, "");
    } else if (begins(line, "speed")) {
        set_speed(serve, rest);
    } else if (begins(line, "run to")) {
        run_to(serve, rest + strspn(rest + 2, " ") + 2);
    } else if (begins(line, "plot")) {
        bool fine = serve_plot(serve, rest);
        answer(serve, "plot", fine, fine ? "" : "there is no such variable now, or 40 are plotted");
    } else if (begins(line, "unplot")) {
        answer(serve, "unplot", serve_unplot(serve, rest), "");
    } else if (begins(line, "tree")) {
        with_data(serve, "tree", serve_tree, rest);
    } else if (begins(line, "text")) {
        with_data(serve, "text", serve_text, rest);
    } else if (begins(line, "words")) {
        with_data(serve, "words", serve_words, rest);
    } else if (begins(line, "graph")) {
        with_data(serve, "graph", serve_graph, rest);
    } else if (begins(line, "change")) {
        change(serve, rest);
    } else if (begins(line, "parameters")) {
        with_data(serve, "parameters", put_parameters, rest);
    } else if (begins(line, "quit") || begins(line, "watch") || begins(line, "run")) {
        answer(serve, "?", false, "not from here");
    } else {
        return false;
    }
    return true;
}

/* ---- messages ---- */

static void answer_to(Serve *serve, uint32_t client, const char *line, unsigned long id)
{
    Live *live = &serve->live;
    char *text = NULL;
    size_t n = 0;
    live->out = open_memstream(&text, &n);
    if (!live->out)
        return;
    fprintf(live->out, "{\"id\":%lu,\"reply\":", id);
    long before = ftell(live->out);
    if (!own_command(serve, line))
        live_command(serve, line);
    if (ftell(live->out) == before)
        fputs("null", live->out);
    fputs("}", live->out);
    fclose(live->out);
    live->out = stdout;
    serve->module->send(serve->web, client, text, n);
    free(text);
    serve->state++;
}

static void take_text(Serve *serve, const ServeMessage *m)
{
    char *end, *line = mem_alloc(serve->live.mem, m->n + 1);
    unsigned long id = 0;
    for (size_t i = 0; i < m->n; i++) /* a message is one line of text */
        line[i] = (unsigned char)m->text[i] < ' ' ? ' ' : m->text[i];
    const char *at = line + strspn(line, " ");
    if (*at == '@') {
        id = strtoul(at + 1, &end, 10);
        at = end + strspn(end, " ");
    }
    char *whole = whole_names(serve, at);
    answer_to(serve, m->client, whole, id);
    mem_free(serve->live.mem, whole);
    mem_free(serve->live.mem, line);
}

void serve_message(Serve *serve, const ServeMessage *m)
{
    for (uint32_t i = 0; i < WEB_CLIENTS && m->kind != SERVE_TEXT; i++) {
        ServeClient *c = &serve->clients[i];
        if (m->kind == SERVE_LEFT && c->id == m->client) {
            *c = (ServeClient){0};
            return;
        }
        if (m->kind == SERVE_JOINED && !c->id) {
            *c = (ServeClient){
                .id = m->client, .epoch = UINT64_MAX, .state = UINT64_MAX, .edits = UINT64_MAX};
            return;
        }
    }
    if (m->kind == SERVE_TEXT)
        take_text(serve, m);
    interrupt_aim(serve->live.interrupt, serve->live.sim); /* commands may have turned it away */
}

void serve_drop(Serve *serve)
{
    Mem *mem = serve->live.mem;
    drop_edits(serve, 0);
    serve_stage_drop(serve);
    serve_text_drop(serve);
    while (serve->curves.n)
        mem_free(mem, vec_pop(&serve->curves).path);
    vec_free(mem, &serve->edits);
    vec_free(mem, &serve->curves);
    vec_free(mem, &serve->rows);
}
