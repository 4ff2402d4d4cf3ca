/* live_commands.c: a line -> a command that is run; time that goes on. See live.h. */
#include "runtime/cli/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *live_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    size_t n = strcspn(word, " \t");
    *rest = word + n;
    if (**rest) {
        *(*rest)++ = 0;
        *rest += strspn(*rest, " \t");
    }
    return word;
}

/* ---- the script ---- */

void live_note(Live *live, const char *line)
{
    LiveLine noted = {strcpy(mem_alloc(live->mem, strlen(line) + 1), line), live->last};
    vec_push(live->mem, &live->script, noted);
    live->last = live->script.n;
    if (!live->journal)
        return;
    bool goes_on = live->slides && strncmp(line, "set ", 4) == 0;
    fprintf(live->journal, "%s%s%s", live->journal_open ? "\n" : "", line, goes_on ? "" : "\n");
    live->journal_open = goes_on;
    fflush(live->journal);
}

/* "set k = 2" goes on: "set k = 2; 2.1 at 0.3". So a slider that moves is one line, however long it moves. */
static void note_move(Live *live, const char *line)
{
    const char *value = strchr(line, '=') + 1;
    LiveLine *last = &live->script.at[live->last - 1];
    size_t n = strlen(last->text), size = n + strlen(value) + 40;
    char *text = mem_alloc(live->mem, size);
    memcpy(text, last->text, n);
    snprintf(text + n, size - n, "; %s at %.17g", value + strspn(value, " "), sol_time(live->sim));
    mem_free(live->mem, last->text);
    last->text = text;
    if (!live->journal)
        return;
    fputs(text + n, live->journal);
    fflush(live->journal);
}

int live_journal_close(Live *live)
{
    FILE *journal = live->journal;
    live->journal = NULL;
    if (journal && live->journal_open)
        putc('\n', journal);
    return journal ? fclose(journal) : 0;
}

/* ---- time ---- */

/* Ctrl-C stops what runs; SIGTERM and SIGHUP that, and the session with it. */
static void listen(Live *live, bool running)
{
    live_hear(live, running);
    if (!live->interrupt)
        return;
    interrupt_aim(live->interrupt, running ? live->sim : NULL);
    live->done |= !running && interrupt_seen(live->interrupt) != 0;
}

/* In pieces of the output interval, so that curves move: a step ends where a piece does. */
static SolStatus run_watched(Live *live, double to)
{
    SolStatus status = SOL_OK;
    double interval = live->options.interval > 0 ? live->options.interval
                                                 : (live->options.stop - live->options.start) / 500;
    if (live->every > 0)
        interval = live->every;
    if (!(sol_time(live->sim) + interval > sol_time(live->sim) && to - interval < to))
        interval = to - sol_time(live->sim); /* too short to tell from nothing, or none was given */
    double shown = sol_time(live->sim);
    live_draw(live, false);
    while (status == SOL_OK && sol_time(live->sim) < to && !sol_terminated(live->sim)) {
        status = sol_run_to(live->sim, fmin(to, sol_time(live->sim) + interval));
        live_sample(live);
        live_tell_samples(live);
        if (sol_time(live->sim) >= shown + 10 * interval) {
            shown = sol_time(live->sim);
            live_draw(live, true);
        }
    }
    live_draw(live, true);
    return status;
}

static void say_where(Live *live, SolStatus status)
{
    answer_status(live, status);
    answer_say(live, "time %.10g\n", sol_time(live->sim));
    if (sol_terminated(live->sim))
        answer_say(live, "the model ended the run: %s\n", sol_terminated(live->sim));
    for (uint32_t i = 0; i < live->watches.n && live->style != LIVE_PEOPLE; i++) {
        live_value(live, live->watches.at[i].path, live->answer.text);
        answer_say(live, "\n");
    }
}

static bool read_time(Live *live, const char *word, double *time)
{
    char *end;
    *time = strtod(word, &end);
    if (end > word && !*end && isfinite(*time))
        return true;
    answer_fail(live, "to what time? 'run to 0.5'");
    return false;
}

/* run to T, run T, run by DT, run to event [T] */
static void run(Live *live, char *rest)
{
    char *word = live_word(&rest);
    bool by = strcmp(word, "by") == 0, event = false, happened;
    double to;
    if (by || strcmp(word, "to") == 0)
        word = live_word(&rest);
    if (strcmp(word, "event") == 0) {
        event = true;
        word = live_word(&rest);
        to = INFINITY; /* or until Ctrl-C */
    }
    if ((!event || *word) && !read_time(live, word, &to))
        return;
    if (by)
        to += sol_time(live->sim);
    listen(live, true);
    SolStatus status = event             ? sol_run_to_event(live->sim, to, &happened)
                       : live->watches.n ? run_watched(live, to)
                                         : sol_run_to(live->sim, to);
    listen(live, false);
    say_where(live, status);
}

static void step(Live *live, char *rest)
{
    char *word = live_word(&rest);
    int n = *word ? atoi(word) : 1;
    SolStatus status = SOL_OK;
    listen(live, true);
    for (int i = 0; i < n && status == SOL_OK; i++) {
        status = sol_step(live->sim, fmax(live->options.stop, 2 * sol_time(live->sim)));
        live_sample(live);
    }
    listen(live, false);
    say_where(live, status);
}

/* ---- the table ---- */

static void quit(Live *live, char *rest)
{
    (void)rest;
    live->done = true;
}

/* It was heard while a run went on; afterwards there is nothing to do. */
static void stop(Live *live, char *rest)
{
    (void)live;
    (void)rest;
}

static void help(Live *live, char *rest);
static void try_line(Live *live, char *rest);

typedef struct LiveCommand {
    const char *name;
    void (*run)(Live *live, char *rest);
    const char *usage, *summary;
    bool noted; /* it changes what comes after: a line of the script */
} LiveCommand;

static const LiveCommand commands[] = {
    {"run", run, "run to T | run by DT | run to event [T]", "time goes on", true},
    {"step", step, "step [N]", "steps of the integrator", true},
    {"show", live_show, "show [PATH]", "values and statements of an instance, or a variable",
     false},
    {"why", live_why, "why VAR [DEPTH]", "what determines a variable", false},
    {"uses", live_uses, "uses VAR [DEPTH]", "what follows from a variable", false},
    {"list", live_list, "list [PATH]", "statements of an instance, with their handles", false},
    {"instances", live_instances, "instances [PATH]", "what exists", false},
    {"states", live_states, "states", "the states and their values", false},
    {"flat", live_flat, "flat", "all variables and relations", false},
    {"events", live_events, "events [N]", "the last events", false},
    {"add", live_add, "add [in PATH:] STATEMENTS",
     "enters declarations, equations, connections, if, when", true},
    {"remove", live_remove, "remove [in PATH:] HANDLE | NAME", "takes a statement or a member away",
     true},
    {"replace", live_replace, "replace [in PATH:] NAME by TYPE{..}",
     "another component in its place, with its connections", true},
    {"set", live_set, "set PATH = VALUE[; VALUE at T]..",
     "a parameter, a state or a held variable, now and later", true},
    {"begin", live_begin, "begin", "collects edits until 'commit'", true},
    {"commit", live_commit, "commit", "all of them together, or none", true},
    {"abort", live_abort, "abort", "none of them", true},
    {"try", try_line, "try EDIT", "what it would be, and the model as it was", true},
    {"undo", live_undo, "undo", "takes the last edit out", true},
    {"redo", live_redo, "redo", "puts it back", true},
    {"mark", live_mark, "mark [NAME]", "a point to return to", true},
    {"back", live_back, "back [NAME]", "returns to it, time included", false},
    {"watch", live_watch, "watch [every DT] [VAR..]",
     "curves that move while time goes on; alone: none", true},
    {"save", live_save, "save FILE", "a checkpoint, with all edits (--resume)", true},
    {"write", live_write, "write [FILE]", "the edited model as text, and a checkpoint of it", true},
    {"script", live_script, "script [FILE]", "what was done, to be replayed", false},
    {"source", live_source, "source FILE", "replays a script", false},
    {"stop", stop, "stop", "of a client: ends the run that goes on", false},
    {"help", help, "help", "this", false},
    {"quit", quit, "quit", "ends", false},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void help(Live *live, char *rest)
{
    (void)rest;
    for (uint32_t i = 0; i < N_COMMANDS; i++)
        answer_say(live, "%-40s %s\n", commands[i].usage, commands[i].summary);
}

const char *live_command_name(uint32_t i)
{
    return i < N_COMMANDS ? commands[i].name : NULL;
}

/* A whole name, or the beginning of one. */
static const LiveCommand *find_command(const char *name)
{
    const LiveCommand *found = NULL;
    for (uint32_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        if (strncmp(commands[i].name, name, strlen(name)) == 0 && !found)
            found = &commands[i];
    }
    return found;
}

const char *live_command_called(const char *name)
{
    const LiveCommand *found = find_command(name);
    return found ? found->name : NULL;
}

static bool is_edit(const LiveCommand *command)
{
    static void (*const edits[])(Live *, char *) = {live_add, live_remove, live_replace, live_set,
                                                    live_commit};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (command && command->run == edits[i])
            return true;
    return false;
}

/* The verdict of an edit that is not to stay. */
static void try_line(Live *live, char *rest)
{
    SolEdited undone;
    const LiveCommand *command = find_command(live_word(&rest));
    if (!is_edit(command) || (live->collecting && command->run != live_commit)) {
        answer_fail(live, "try what? 'try add x = 3'");
        return;
    }
    command->run(live, rest);
    if (live->answer.verdict && live->answer.edited.verdict != SOL_REFUSED &&
        sol_undo(live->sim, &undone) == SOL_OK)
        answer_say(live, "taken back: it was a trial\n");
}

static bool was_done(const Live *live)
{
    const char *word = live->answer.word;
    return strcmp(word, "ok") == 0 || strcmp(word, "accepted") == 0 ||
           strcmp(word, "incomplete") == 0;
}

/* What is refused leaves the model as it was, but integrators start anew: a replay tries it too. */
static void note_try(Live *live, const char *line)
{
    char *text = mem_alloc(live->mem, strlen(line) + 5);
    memcpy(text, "try ", 4);
    strcpy(text + 4, line);
    live_note(live, text);
    mem_free(live->mem, text);
}

/* A checkpoint restarts the integrators; a run that was stopped ended somewhere: a replay does the same. */
static void note_command(Live *live, const LiveCommand *command, const char *line)
{
    char text[64];
    bool saves = command->run == live_save || command->run == live_write;
    if (live->moves && was_done(live)) {
        note_move(live, line);
        return;
    }
    if (live->moves) { /* refused: what was run since the last move is told first */
        snprintf(text, sizeof text, "run to %.17g", sol_time(live->sim));
        live_note(live, text);
    }
    if (saves) {
        if (was_done(live) && line[strcspn(line, " \t")])
            live_note(live, "mark");
    } else if (command->run == try_line) {
        if (live->answer.verdict)
            live_note(live, line);
    } else if (command->run == live_watch && !was_done(live)) {
        live_note(live, "watch"); /* nothing is watched then */
    } else if (strcmp(live->answer.word, "refused") == 0) {
        note_try(live, line);
    } else if (strcmp(live->answer.word, "stopped") == 0 && command->run == run) {
        snprintf(text, sizeof text, "run to %.17g", sol_time(live->sim));
        live_note(live, text);
    } else if (was_done(live)) {
        live_note(live, line);
    }
}

void live_line(Live *live, const char *line)
{
    size_t from = strspn(line, " \t"), n = strcspn(line + from, "\r\n");
    if (n == 0 || line[from] == '/') /* nothing, or a comment */
        return;
    char *copy = mem_alloc(live->mem, n + 1), *whole = mem_alloc(live->mem, n + 1), *rest = copy;
    memcpy(copy, line + from, n);
    memcpy(whole, line + from, n);
    const char *name = live_word(&rest);
    const LiveCommand *command = find_command(name);
    answer_begin(live, command ? command->name : "?");
    if (command)
        command->run(live, rest);
    else
        answer_fail(live, "unknown command '%s': 'help' lists them", name);
    if (command && command->noted) {
        note_command(live, command, whole);
        live_output_flush(live);
    }
    answer_end(live);
    mem_free(live->mem, copy);
    mem_free(live->mem, whole);
}

void live_close(Live *live)
{
    live_drop_pending(live);
    live_drop_points(live);
    live_drop_watches(live);
    while (live->script.n)
        mem_free(live->mem, vec_pop(&live->script).text);
    while (live->events.n)
        free(vec_pop(&live->events).text);
    vec_free(live->mem, &live->script);
    vec_free(live->mem, &live->points);
    vec_free(live->mem, &live->pending);
    vec_free(live->mem, &live->watches);
    vec_free(live->mem, &live->events);
}
