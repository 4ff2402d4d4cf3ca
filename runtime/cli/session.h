/* session.h: one simulation run by the program: model, simulation, result file, progress,
 * statistics. `run` opens one, advances it to the end and closes it; `solsim` keeps one while its
 * commands come. */
#ifndef RUNTIME_CLI_SESSION_H
#define RUNTIME_CLI_SESSION_H

#include "runtime/cli/cli.h"
#include "runtime/sim/record.h"

typedef struct Job {
    const char *name;  /* FILE[:MODEL] */
    const char *model; /* not NULL: the model, whatever `name` says */
    CliFolders folders;
    SolOptions options;
    const char *output; /* NULL: MODEL.solr; "-": CSV on standard output; else by its end */
    bool csv;           /* names that end with nothing known are CSV, not result files */
    RecordSet set;
    ResultSelection vars;
    const char *stats;        /* NULL: none; "-": standard output */
    uint64_t stats_events;    /* at most so many are listed */
    const char *trace_file;   /* NULL: trace lines go to stderr */
    double checkpoint;        /* simulated time between checkpoints; 0: none */
    const char *resume;       /* NULL: from the start */
    const char *options_text; /* all that was asked for, for the header of the result */
    bool header_units;        /* in the first line of CSV */
    bool quiet;
} Job;

typedef struct Session Session;

/* An exit code, after messages on stderr; *session is NULL when it is not EXIT_DONE. The job must
 * live as long as the session. */
int session_open(const Job *job, Session **session);
/* Runs to the time given, with checkpoints on the way. An exit code. */
int session_advance(Session *session, double to);
double session_time(const Session *session);
/* Finishes result file, exports, statistics and summary; `code` is the exit code so far, the answer
 * the final one. */
int session_close(Session *session, int code);

#endif
