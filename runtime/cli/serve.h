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
    uint64_t edits;        /* of the edits that it knows */
    uint64_t frame, stage; /* of the animation, likewise: last frame, epoch */
    uint32_t looks;        /* how many it knows */
    bool some;             /* it was told only some of the rows or frames */
} ServeClient;

/* What was done; a slider that moves makes one of many. */
typedef struct ServeEdit {
    char *text;
    const char *verdict;
    uint32_t count; /* moves of a slider */
    uint32_t undos; /* edits of the simulation that it is: moves are joined */
    double time;
    uint32_t
        versions[2]; /* the texts before and behind it, in Serve.texts, from 1; 0: there is none */
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

/* ---- the text (serve_text.c) ---- */

enum {
    SERVE_LONGEST = 500,
    SERVE_VALUE = 512,
    SERVE_TYPE = 1024
}; /* of statements that are looked at closer */

typedef struct ServeAnchor { /* a statement in the text */
    size_t from, to;         /* to: behind it, before the semicolon */
    uint64_t key;
} ServeAnchor;

typedef struct ServeVersion {
    char *text;
    VEC(ServeAnchor) anchors; /* in no order */
    uint32_t number;          /* for clients; never used again */
} ServeVersion;

typedef struct ServeHeld { /* a statement of an instance */
    const char *path;      /* of the instance */
    char handle[24];
    uint64_t key;
    const char *text; /* as it was written */
    size_t length, at;
    bool live; /* it was not taken away */
} ServeHeld;

typedef struct
    ServeCensus { /* what the instances hold now of the main file, and of what was entered */
    VEC(char *) paths;
    VEC(ServeHeld) held;
} ServeCensus;

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
    double natural;    /* the speed at first: --stop is there after ten seconds */
    double goal;       /* it stops there; infinite: it does not */
    double rate;       /* simulated seconds a second that the model manages */
    double wall, from; /* when playing began, and where */
    char failure[600]; /* why time does not go on; "": it does */
    /* curves */
    VEC(ServeCurve) curves;
    VEC(ServeRow) rows;
    uint64_t last_row, epoch, state, edited; /* numbers: of a row; of what changed as a whole */
    double noted;                            /* the time that the script has come to */
    double told;                             /* when clients were told something last */
    VEC(ServeEdit) edits;
    uint32_t done;    /* of these; the rest was undone */
    SolOutput record; /* of --output, or empty */
    ServeStage stage;
    const char *file;        /* the main file */
    VEC(ServeVersion) texts; /* as it was, is, and would be if undone edits came back */
    uint32_t text;           /* number of the present one, from 1; 0: there is none */
    uint32_t last_text;      /* ServeVersion.number */
} Serve;

/* ---- serve_commands.c ---- */

void serve_message(Serve *serve, const ServeMessage *message);
void serve_drop(Serve *serve);

/* ---- serve_curves.c ---- */

void serve_attach(
    Serve *serve); /* before the simulation starts: hears of births, deaths and points */
bool serve_plot(Serve *serve, const char *path);
bool serve_unplot(Serve *serve, const char *path);
void serve_row_now(Serve *serve);  /* before time goes on for the first time */
void serve_row_here(Serve *serve); /* where time stands between two points */
void serve_tell_rows(Serve *serve, ServeClient *client); /* what it does not have yet */
void serve_cut_rows(Serve *serve, double time);          /* what lies behind did not happen */

/* ---- serve_shapes.c ---- */

void serve_stage_point(Serve *serve, const SolPoint *point);
void serve_stage_now(Serve *serve);              /* after anything that is no run */
void serve_stage_cut(Serve *serve, double time); /* what lies behind did not happen */
void serve_tell_frames(Serve *serve, ServeClient *client);
void serve_stage_drop(Serve *serve);

/* ---- serve_text.c: the text and where its statements are ---- */

void serve_text_open(Serve *serve, const char *path);
void serve_text(Serve *serve, const char *rest, FILE *out);
void serve_words(Serve *serve, const char *rest, FILE *out); /* of the language */
void serve_follow(Serve *serve, const char *line); /* the text follows a command that was taken */
void serve_text_drop(Serve *serve);
const ServeVersion *serve_version(const Serve *serve); /* the present one; NULL: there is none */
ServeVersion serve_version_copy(Serve *serve);
void serve_version_push(Serve *serve, ServeVersion version);
void serve_splice(Serve *serve, ServeVersion *v, size_t from, size_t to, const char *text);
bool serve_follow_in(Serve *serve, ServeVersion *v);
ServeAnchor *serve_anchor(const ServeVersion *v, uint64_t key); /* or NULL */
ServeCensus serve_census(Serve *serve);
void serve_census_drop(Serve *serve, ServeCensus *census);
uint32_t serve_holders(const ServeCensus *census, uint64_t key, bool live);

/* ---- serve_change.c: changed lines ---- */

/* "3 4: TEXT", where "↵" is the end of a line: lines become others, in one edit. True: taken. *why: not done, or, if it was
 * taken, that nothing was to be done but to the text; NULL: it was answered. */
bool serve_change(Serve *serve, const char *rest, const char **why);
/* "parameter Real k {min << 0} << 2" -> its name, its value, and where "<<" stands; false: something else */
bool serve_read_parameter(const char *statement, char name[128], char value[SERVE_VALUE],
                          size_t *head);
/* "static Parts.Body tip{m << 1}" -> its name and "Parts.Body{m << 1}"; false: something else */
bool serve_read_component(const char *statement, char name[128], char type[SERVE_TYPE]);

/* ---- serve_tree.c: what exists, as JSON ---- */

void serve_tree(Serve *serve, const char *path, FILE *out);
void serve_parameters(Serve *serve, FILE *out);
void serve_graph(Serve *serve, const char *path, FILE *out); /* causes and effects of a variable */
void serve_state(Serve *serve, bool edits, FILE *out); /* with the list of edits, or without */
void serve_number(FILE *out, double x);                /* null for what is no number */

#endif
