/* serve.h: `solstice serve`: a running model behind a page. One thread runs the model and does what clients ask, in
 * turn; another serves them (web/web_server.h). Between two pieces of time the first looks at what was asked; what
 * there is to tell it hands to the other, and to a client that is behind nothing is handed until it has caught up.
 *
 * Clients share the model, its clock and the curves. Messages are commands of `live` and those of serve_commands.c, each
 * behind "@N " to which the answer {"id": N, ..} belongs; docs/protocol.md. */
#ifndef RUNTIME_CLI_SERVE_H
#define RUNTIME_CLI_SERVE_H

#include "base/map.h"
#include "runtime/cli/live.h"
#include "runtime/cli/shapes.h"
#include "runtime/cli/web/web_server.h"

#include <pthread.h>

enum { SERVE_CURVES = 40, SERVE_ROWS = 8192, SERVE_FRAMES = 2000, SERVE_NUMBERS = 1500000 };

typedef struct ServeMessage {
    struct ServeMessage *next;
    uint32_t client;
    enum { SERVE_JOINED, SERVE_LEFT, SERVE_TEXT } kind;
    size_t n;
    char text[];
} ServeMessage;

typedef struct ServeClient {
    uint32_t id;           /* 0: nobody */
    uint64_t row;          /* number of the last row that it got */
    uint64_t epoch;        /* of the table that it knows; another one: all of it is sent anew */
    uint64_t state;        /* number of the state that it got */
    uint64_t frame, stage; /* of the animation, likewise: last frame, epoch */
    uint32_t looks;        /* how many it knows */
} ServeClient;

/* What was done; a slider that moves makes one of many. */
typedef struct ServeEdit {
    char *text;
    const char *verdict;
    uint32_t count;
    double time;
    uint32_t versions[2]; /* of a changed line: the texts before and behind it; else 0 */
} ServeEdit;

typedef struct ServeRow {
    double time;
    uint64_t number;
    double value[SERVE_CURVES];
} ServeRow;

typedef struct ServeCurve {
    char *path;
    SolVar var; /* 0: not there now */
    char unit[24];
    bool steps; /* no Real: it jumps */
} ServeCurve;

typedef struct ServeShape { /* an instance of the package Graphics that exists now */
    uint32_t instance;
    ShapeKind kind;
    uint32_t look; /* 0: not known yet */
    SolVar column[SHAPE_COLUMNS];
    double last[SHAPE_PLACES];
} ServeShape;

typedef struct ServeFrame {
    double time;
    uint64_t number;
    uint32_t n; /* shapes that are there */
    float *at;  /* six numbers for each: instance, look, places */
} ServeFrame;

typedef struct ServeStage { /* the animation, of serve_shapes.c */
    bool stale;             /* shapes came or went */
    VEC(ServeShape) shapes;
    Map by_instance; /* -> index of a shape, from 1 */
    VEC(char *) looks;
    Map look_of; /* hash of a look -> its number, from 1 */
    VEC(ServeFrame) frames;
    size_t numbers;       /* in all frames */
    uint64_t last, epoch; /* frame; when it changes, all is told anew */
} ServeStage;

typedef struct Serve {
    Live live;
    const WebModule *module;
    Web *web;
    pthread_mutex_t lock; /* over what was asked */
    pthread_cond_t asked;
    ServeMessage *first, *last;
    uint32_t waiting;
    ServeClient clients[WEB_CLIENTS];
    /* the clock */
    bool playing;
    double speed;      /* simulated seconds a second; infinite: as fast as it goes */
    double goal;       /* it stops there; infinite: it does not */
    double rate;       /* simulated seconds a second that the model manages */
    double wall, from; /* when playing began, and where */
    char failure[600]; /* why time does not go on; "": it does */
    /* curves */
    VEC(ServeCurve) curves;
    VEC(ServeRow) rows;
    uint64_t last_row, epoch, state;
    double noted; /* the time that the script has come to */
    double told;  /* when clients were told something last */
    VEC(ServeEdit) edits;
    uint32_t done;    /* of these; the rest was undone */
    SolOutput record; /* of --output, or empty */
    ServeStage stage;
    VEC(char *) texts; /* of the model, as it was and is */
    uint32_t text;     /* number of the present one, from 1; 0: there is none */
} Serve;

/* ---- serve_commands.c ---- */

void serve_message(Serve *serve, const ServeMessage *message);
void serve_drop(Serve *serve);

/* ---- serve_curves.c ---- */

void serve_attach(
    Serve *serve); /* before the simulation starts: hears of births, deaths and points */
bool serve_plot(Serve *serve, const char *path);
bool serve_unplot(Serve *serve, const char *path);
void serve_tell_rows(Serve *serve, ServeClient *client); /* what it does not have yet */
void serve_cut_rows(Serve *serve, double time);          /* what lies behind did not happen */

/* ---- serve_shapes.c ---- */

void serve_stage_point(Serve *serve, const SolPoint *point);
void serve_stage_now(Serve *serve);              /* after anything that is no run */
void serve_stage_cut(Serve *serve, double time); /* what lies behind did not happen */
void serve_tell_frames(Serve *serve, ServeClient *client);
void serve_stage_drop(Serve *serve);

/* ---- serve_text.c ---- */

void serve_text_open(Serve *serve, const char *path);
void serve_text(Serve *serve, const char *rest, FILE *out);
/* "3 4: TEXT", where "↵" is the end of a line: lines become others, in one edit. True: taken. *why: not done, or "": there was
 * nothing to be done but to the text; NULL: it was answered. */
bool serve_change(Serve *serve, const char *rest, const char **why);
void serve_text_drop(Serve *serve);

/* ---- serve_tree.c: what exists, as JSON ---- */

void serve_tree(Serve *serve, const char *path, FILE *out);
void serve_parameters(Serve *serve, FILE *out);
void serve_state(Serve *serve, FILE *out);
void serve_number(FILE *out, double x); /* null for what is no number */

#endif
