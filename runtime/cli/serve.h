/* serve.h: `solstice serve`: a running model behind a page. One thread runs the model and does what clients ask, in
 * turn; another serves them (web/web_server.h). Between two pieces of time the first looks at what was asked; what
 * there is to tell it hands to the other, and to a client that is behind nothing is handed until it has caught up.
 *
 * Clients share the model, its clock and the curves. Messages are commands of `live` and those of serve_commands.c, each
 * behind "@N " to which the answer {"id": N, ..} belongs; docs/protocol.md. */
#ifndef RUNTIME_CLI_SERVE_H
#define RUNTIME_CLI_SERVE_H

#include "runtime/cli/live.h"
#include "runtime/cli/web/web_server.h"

#include <pthread.h>

enum { SERVE_CURVES = 40, SERVE_ROWS = 8192 };

typedef struct ServeMessage {
    struct ServeMessage *next;
    uint32_t client;
    enum { SERVE_JOINED, SERVE_LEFT, SERVE_TEXT } kind;
    size_t n;
    char text[];
} ServeMessage;

typedef struct ServeClient {
    uint32_t id;    /* 0: nobody */
    uint64_t row;   /* number of the last row that it got */
    uint64_t epoch; /* of the table that it knows; another one: all of it is sent anew */
    uint64_t state; /* number of the state that it got */
} ServeClient;

/* What was done; a slider that moves makes one of many. */
typedef struct ServeEdit {
    char *text;
    const char *verdict;
    uint32_t count;
    double time;
} ServeEdit;

typedef struct ServeRow {
    double time;
    uint64_t number;
    double value[SERVE_CURVES];
} ServeRow;

typedef struct ServeCurve {
    char *path;
    SolVar var; /* 0: not there now */
} ServeCurve;

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

/* ---- serve_tree.c: what exists, as JSON ---- */

void serve_tree(Serve *serve, const char *path, FILE *out);
void serve_parameters(Serve *serve, FILE *out);
void serve_state(Serve *serve, FILE *out);
void serve_number(FILE *out, double x); /* null for what is no number */

#endif
