/* result.h: the result file (.solr): written as a run goes, read as a stream.
 *
 * The format is described in docs/result-format.md. A file is a sequence of records with length and
 * checksum, only ever appended to; it can be read up to its last complete record whatever happened
 * to the process that wrote it. Columns are born, die, and may return; a row has one value for each
 * column that lives.
 *
 * Memory: the writer keeps the living columns, the reader a description of every column; neither
 * keeps rows.
 *
 * Error rules. Memory: the guard of the caller's Mem; close afterwards as always. Writing: the
 * first failure stays, see result_error(). Reading: a damaged file is a result (ResultEnd), never
 * an error of the program.
 */
#ifndef RUNTIME_RESULT_H
#define RUNTIME_RESULT_H

#include "base/mem.h"

struct Pack; /* base/pack.h */

enum { RESULT_VERSION = 1 };

typedef enum ResultType { RESULT_REAL, RESULT_INTEGER, RESULT_BOOLEAN, RESULT_STRING } ResultType;

/* flags of a column */
enum {
    RESULT_PARAMETER = 1, /* keeps its value while it lives */
    RESULT_HELD = 2,      /* changes at events only */
    RESULT_STATE = 4,     /* was a state when it was born */
    RESULT_TOP = 8,       /* in the interface of the top model */
    RESULT_MONITORED = 16
};

typedef enum ResultSide {
    RESULT_AT_START,
    RESULT_AT_POINT,
    RESULT_BEFORE_EVENT,
    RESULT_AFTER_EVENT,
    RESULT_AT_END
} ResultSide;

typedef struct ResultPair {
    const char *key, *value;
} ResultPair;

/* An event as the file knows it: only what is the same whenever the run is repeated. */
typedef struct ResultEvent {
    double time;
    bool structural;
    uint32_t updates, entered, removed;
    uint64_t visited;
    uint32_t states_before, states_after, loops_before, loops_after;
    uint32_t n_triggers;
    const char *const *triggers;
    uint32_t n_changes;     /* updates that changed the structure */
    const uint32_t *states; /* number of states after each of them */
} ResultEvent;

/* What an `if` chose. */
typedef enum ResultChoice { RESULT_GONE, RESULT_ELSE, RESULT_THEN } ResultChoice;

typedef struct ResultMode {
    uint32_t number;              /* of the `if`: its instance and condition */
    const char *path, *condition; /* path "": the top model */
    const char *names[2];         /* of its branches, else and then; "": none */
    ResultChoice choice;
} ResultMode;

/* ---- writing ---- */

typedef struct ResultWriter ResultWriter;
typedef struct ResultReader ResultReader;

/* Text of a String value (as rows have it). */
typedef const char *(*ResultText)(void *context, double value);

/* Creates the file, with the pairs as its header. On failure too a writer is returned, which has
 * result_error(). */
ResultWriter *result_create(Mem *mem, const char *path, uint32_t n, const ResultPair *pairs);
/* The same in memory, without a file. */
ResultWriter *result_create_in_memory(Mem *mem, uint32_t n, const ResultPair *pairs);
/* All that was written so far, until the next call; NULL: not in memory, or result_error(). */
const uint8_t *result_bytes(ResultWriter *writer, size_t *n);
/* What the writer keeps, at this point of the file: result_continue() goes on from there. */
void result_pack(ResultWriter *writer, struct Pack *pack);
/* Goes on with a file that was cut: everything behind the point where `pack` was written goes away.
 * Columns that lived there have no source until result_source() gives them one. Costs what lives,
 * not what was written: of the file, its head and the record before that point are read. EINVAL:
 * they are not what was written then. */
ResultWriter *result_continue(Mem *mem, struct Pack *pack, const char *path);
bool result_close(ResultWriter *writer); /* false: something was not written */
void result_texts(ResultWriter *writer, ResultText text, void *context);

/* A new column; its value in a row will be values[source]. Returns its number, 0, 1, 2, ... */
uint32_t result_birth(ResultWriter *writer, const char *path, ResultType type, unsigned flags,
                      uint32_t source);
/* The column born next belongs to an instance of this model of a package Graphics. */
void result_drawn(ResultWriter *writer, const char *model);
void result_unit(ResultWriter *writer, const char *unit); /* of the column born next: "m/s" */
void result_death(ResultWriter *writer, uint32_t column); /* must live */
void result_return(ResultWriter *writer, uint32_t column, uint32_t source); /* must be dead */
void result_source(ResultWriter *writer, uint32_t column, uint32_t source);

void result_row(ResultWriter *writer, double time, ResultSide side, const double *values);
void result_event(ResultWriter *writer, const ResultEvent *event);
/* The number of an `if`: the same for the same path and condition. Names of its branches: else, then; NULL or "": none. */
uint32_t result_mode_number(ResultWriter *writer, const char *path, const char *condition,
                            const char *const names[2]);
ResultChoice result_mode_written(const ResultWriter *writer, uint32_t number); /* last */
/* Writes nothing when the choice is the one written last. */
void result_mode(ResultWriter *writer, double time, uint32_t number, ResultChoice choice);
void result_note(ResultWriter *writer, double time, const char *text); /* what `cout` showed */
void result_finish(ResultWriter *writer, double time, uint32_t status, const char *message);

/* Nothing was flushed yet: what was in the file before result_create stays; close it as usual. */
void result_discard(ResultWriter *writer, const char *path);
bool result_flush(ResultWriter *writer);             /* all so far is with the system */
int result_error(const ResultWriter *writer);        /* errno, or 0 */
uint64_t result_offset(const ResultWriter *writer);  /* length of the file so far */
uint32_t result_columns(const ResultWriter *writer); /* born so far */
uint32_t result_living(const ResultWriter *writer);

/* ---- reading ---- */

typedef struct ResultColumn {
    const char *path;
    uint8_t type, flags; /* ResultType, RESULT_... */
    bool alive;
    const char *drawn; /* model of a package Graphics its instance is of, or NULL */
    const char *unit;  /* or NULL */
    double value;      /* of the last row in which it lived */
} ResultColumn;

typedef enum ResultKind {
    RESULT_HEADER, /* pairs */
    RESULT_BIRTH,  /* column */
    RESULT_DEATH,  /* column */
    RESULT_RETURN, /* column */
    RESULT_ROW,    /* time, side; values are in the columns */
    RESULT_EVENT,  /* event */
    RESULT_MODE,   /* time, mode: holds from the next row on */
    RESULT_NOTE,   /* time, text */
    RESULT_FINISH  /* time, status, text */
} ResultKind;

typedef struct ResultRecord {
    ResultKind kind;
    uint32_t column;
    double time;
    ResultSide side;
    ResultEvent event;
    ResultMode mode;
    uint32_t n_pairs;
    const ResultPair *pairs;
    uint32_t status;
    const char *text;
} ResultRecord;

typedef enum ResultEnd {
    RESULT_OPEN,      /* there may be more records */
    RESULT_COMPLETE,  /* ended with RESULT_FINISH */
    RESULT_CUT,       /* ended without it: the process was killed, or still runs */
    RESULT_DAMAGED,   /* a record's checksum or content is wrong: what follows is not read */
    RESULT_FOREIGN,   /* no result file */
    RESULT_NEWER,     /* of a later version */
    RESULT_UNREADABLE /* the system says so, result_read_error() */
} ResultEnd;

/* Never NULL; look at result_end(): RESULT_OPEN, or why it cannot be read. */
ResultReader *result_open(Mem *mem, const char *path);
/* The bytes of a result, which stay the caller's and live as long as the reader. */
ResultReader *result_open_bytes(Mem *mem, const uint8_t *bytes, size_t n);
void result_close_reader(ResultReader *reader);
void result_rewind(ResultReader *reader); /* from the first record again, columns forgotten */
/* False at the end. What the record points to is valid until the next call. */
bool result_next(ResultReader *reader, ResultRecord *record);
ResultEnd result_end(const ResultReader *reader);
uint64_t result_position(const ResultReader *reader); /* behind the last complete record */
/* Columns of which the last row has values, ascending. */
const uint32_t *result_reader_live(const ResultReader *reader, uint32_t *n);
const uint8_t *result_reader_bytes(const ResultReader *reader,
                                   uint64_t *n); /* NULL: it is a file, */
/* of which these are bytes, wherever reading stands: how many of n there are. */
uint32_t result_peek(const ResultReader *reader, uint64_t at, void *to, uint32_t n);
int result_read_error(const ResultReader *reader);

uint32_t result_column_count(const ResultReader *reader); /* known so far */
const ResultColumn *result_column(const ResultReader *reader, uint32_t column);
uint32_t result_mode_count(const ResultReader *reader); /* `if`s known so far */
const char *result_mode_path(const ResultReader *reader, uint32_t number);
const char *result_mode_condition(const ResultReader *reader, uint32_t number);
const char *result_mode_name(const ResultReader *reader, uint32_t number, ResultChoice choice);
ResultChoice result_mode_choice(const ResultReader *reader, uint32_t number); /* at present */
const char *result_string(const ResultReader *reader, double value); /* of a String column */

/* "x.solr: damaged at byte 1234: read up to there", for people; "" when all is well. */
void result_end_text(const ResultReader *reader, const char *path, char *out, size_t size);

/* ---- exports ---- */

/* Which columns: any of the patterns, "*" any text, "?" one character; n == 0: all. */
typedef struct ResultSelection {
    uint32_t n;
    const char *const *patterns;
} ResultSelection;

bool result_matches(const ResultSelection *selection, const char *path);

typedef enum ResultExport {
    RESULT_EXPORTED,
    RESULT_NOT_READABLE, /* result_end() of the input says why, no output was made */
    RESULT_NOT_WRITTEN,  /* *error is errno */
    RESULT_TOO_LARGE,    /* for the format: more than 2^31 rows or columns */
    RESULT_NO_COLUMN,    /* the selection fits nothing, no output was made */
    RESULT_NO_MEMORY
} ResultExport;

/* From now on names in the first line of CSV have their units: "v [m/s]". */
void result_name_units(ResultReader *reader);
bool result_names_units(const ResultReader *reader);
/* Both read the file twice, first for the columns. Output "-": standard output. A damaged or cut
 * input is exported as far as it can be read. They set their own memory guard. */
ResultExport result_to_csv(Mem *mem, ResultReader *reader, const char *output,
                           const ResultSelection *selection, int *error);
ResultExport result_to_mat(Mem *mem, ResultReader *reader, const char *output,
                           const ResultSelection *selection, int *error);

#endif
