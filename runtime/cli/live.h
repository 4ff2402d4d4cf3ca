/* live.h: a running model and lines of commands -> answers. `solstice live` reads the lines from a prompt or a pipe
 * (cmd_live.c, live_prompt.c); what a command does is in live_commands.c and live_edit.c, how it answers in
 * live_answer.c.
 *
 * An answer is one word (ok, accepted, incomplete, refused, error), a text of lines, and messages. People get it as lines,
 * a pipe as one line, a program as one object of JSON. */
#ifndef RUNTIME_CLI_LIVE_H
#define RUNTIME_CLI_LIVE_H

#include "base/vec.h"
#include "runtime/cli/interrupt.h"
#include "runtime/sim/record.h"
#include "runtime/solstice.h"

#include <stdio.h>

typedef enum LiveStyle { LIVE_PEOPLE, LIVE_LINE, LIVE_JSON } LiveStyle;

/* A point to which `back` returns. */
enum { LIVE_POINTS = 100 };

typedef struct LivePoint {
    uint32_t number;
    char name[64];
    double time;
    uint8_t *bytes;
    size_t n;
    uint8_t *columns; /* of the result file, and what its writer keeps; NULL: there is none */
    size_t n_columns;
    uint32_t script; /* the line that marks it */
} LivePoint;

/* A line of the script, and the one before it, from 1. */
typedef struct LiveLine {
    char *text;
    uint32_t before;
} LiveLine;

typedef struct LiveSample {
    double time, value;
} LiveSample;

typedef struct LiveWatch {
    char *path;
    VEC(LiveSample) samples;
} LiveWatch;

typedef struct LiveEvent {
    double time;
    bool structural;
    char *text;
} LiveEvent;

/* The result file (live_output.c). */
typedef struct LiveOutput {
    const char *path;     /* of the result file; NULL: none */
    const char *exported; /* made from it at the end, or NULL */
    char name[4200];
    RecordOptions options;
    ResultWriter *writer;
    Recorder *recorder;
} LiveOutput;

typedef struct LiveAnswer {
    const char *command;
    const char *word;
    SolEdited edited;
    bool verdict;   /* `edited` says something */
    uint32_t first; /* message about it */
    FILE *text;     /* into `lines` */
    char *lines;
    size_t size;
} LiveAnswer;

typedef struct Live {
    Mem *mem;
    SolModel *model;
    Sol *sim;
    SolOptions options;
    const char *designator; /* of the model in its file, "": the last one */
    LiveStyle style;
    FILE *out;
    bool colour;
    bool files; /* commands may read and write files */
    bool done;
    Interrupt *interrupt; /* NULL: nobody can press Ctrl-C */
    int client;           /* socket of who may say `stop` while time goes on; -1: none */
    pthread_t listener;
    bool hearing;
    atomic_bool run_ended;
    LiveAnswer answer;
    VEC(LiveLine) script;  /* what was done; `back` goes on from an earlier line */
    uint32_t last;         /* line of it, from 1; 0: nothing was done yet */
    FILE *journal;         /* the same as it arises, or NULL */
    bool slides;           /* a line `set` of it may go on: its end is not written yet */
    bool moves;            /* what is set now goes on with the last line */
    bool joined;           /* and the last edit was joined with the one before it */
    bool journal_open;     /* the last line of the journal has no end */
    VEC(LivePoint) points; /* at most LIVE_POINTS, older ones are gone */
    uint32_t marked;       /* points so far */
    VEC(SolEdit) pending;  /* between `begin` and `commit`; texts are its own */
    bool collecting;
    VEC(LiveWatch) watches;
    double every; /* watched variables are looked at so often; 0: every output interval */
    VEC(LiveEvent) events;
    LiveOutput output;
    int failed; /* answers that were refusals or errors */
} Live;

/* One line: does it and prints the answer. */
void live_line(Live *live, const char *line);
void live_close(Live *live);                           /* what commands left */
void live_event(void *context, const SolEvent *event); /* for sol_set_event() */

/* ---- live_answer.c ---- */

void answer_begin(Live *live, const char *command);
void answer_say(Live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "error", with a line of text. */
void answer_fail(Live *live, const char *format, ...) __attribute__((format(printf, 2, 3)));
void answer_status(Live *live,
                   SolStatus status); /* SOL_OK: "ok"; the rest: an error, or what it was */
void answer_end(Live *live);
void answer_json_text(FILE *out, const char *text, size_t n); /* in quotes */

/* ---- live_edit.c: commands that change the model ---- */

void live_add(Live *live, char *rest);
void live_remove(Live *live, char *rest);
void live_replace(Live *live, char *rest);
void live_set(Live *live, char *rest);
void live_undo(Live *live, char *rest);
void live_redo(Live *live, char *rest);
void live_begin(Live *live, char *rest);
void live_commit(Live *live, char *rest);
void live_abort(Live *live, char *rest);
void live_drop_pending(Live *live);

/* ---- live_show.c: commands that look ---- */

void live_show(Live *live, char *rest);
void live_why(Live *live, char *rest);
void live_uses(Live *live, char *rest);
void live_list(Live *live, char *rest);
void live_instances(Live *live, char *rest);
void live_states(Live *live, char *rest);
void live_events(Live *live, char *rest);
void live_flat(Live *live, char *rest);
void live_value(Live *live, const char *path, FILE *out); /* "x = 1" */

/* ---- live_watch.c ---- */

void live_watch(Live *live, char *rest);
void live_sample(Live *live);           /* at the present time */
void live_draw(Live *live, bool again); /* over what was drawn before */
void live_drop_watches(Live *live);
void live_tell_samples(Live *live); /* to a program: the last ones, as a line of their own */

/* ---- live_file.c: points and files ---- */

void live_mark(Live *live, char *rest);
void live_back(Live *live, char *rest);
void live_save(Live *live, char *rest);
void live_write(Live *live, char *rest);
void live_script(Live *live, char *rest);
void live_source(Live *live, char *rest);
void live_drop_points(Live *live);
SolStatus live_restore_file(Live *live, const char *name);

typedef struct LiveBytes {
    Live *live;
    uint8_t *at;
    size_t n, room, read;
} LiveBytes;

bool live_put_bytes(void *context, const void *bytes, size_t n); /* into LiveBytes */
bool live_get_bytes(void *context, void *bytes, size_t n);

/* ---- live_output.c ---- */

/* Of a simulation that was not started; false, after a message: it cannot be written. */
bool live_output_open(Live *live, const char *path, const char *file, uint32_t n_vars,
                      const char *const *vars);
void live_output_flush(Live *live); /* all so far is with the system */
void live_output_mark(Live *live, LivePoint *point);
void live_output_back(Live *live, const LivePoint *point); /* what lies behind it goes away */
int live_output_close(Live *live); /* an exit code; the simulation is closed afterwards */

/* ---- live_commands.c ---- */

void live_note(Live *live, const char *line); /* it was done: a line of the script */
int live_journal_close(Live *live);           /* not 0: it could not be written */
/* The next word of *rest, cut off; "" at the end. */
char *live_word(char **rest);
const char *live_command_name(uint32_t i); /* NULL at the end */
const char *
live_command_called(const char *name); /* the whole name, of a beginning too; NULL: none */

/* ---- live_socket.c ---- */

int live_serve(Live *live,
               const char *path); /* lines from clients of a socket, until one says quit */

void live_hear(Live *live, bool running); /* of `stop`, while time goes on */

/* ---- live_prompt.c ---- */

/* Lines from a terminal, until the end; false, after a warning: lines cannot be edited. */
bool live_prompt(Live *live);

#endif
