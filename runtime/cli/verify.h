/* verify.h: runs of one model by different ways, kept for comparison. */
#ifndef RUNTIME_CLI_VERIFY_H
#define RUNTIME_CLI_VERIFY_H

#include "base/map.h"
#include "base/vec.h"
#include "runtime/cli/cli.h"
#include "runtime/solstice.h"

typedef struct VerifyColumn {
    const char *path; /* of its birth; with #2, #3, ... for later ones at the same place */
    SolType type;
    double *value; /* [point]; NaN where it does not exist */
} VerifyColumn;

/* A condition that fired, for the ordinal-th time. Events that are simultaneous but for rounding may come as one or as several,
 * in any order: so each of their conditions is compared with its own like. */
typedef struct VerifyEvent {
    double time;
    const char *trigger;
    uint32_t ordinal;
} VerifyEvent;

typedef struct VerifyRun {
    const char *name; /* "ida 1e-06, interpreted" */
    SolStatus status;
    double reached;
    uint64_t steps,
        hash; /* hash: of the bits of all values at all points and of all times of events */
    SolAudit audit;
    uint32_t n_points; /* of the grid start, start + interval, ... */
    VEC(VerifyColumn) columns;
    Map column_of;      /* hash of the path -> index + 1 */
    uint32_t n_events;  /* of the model: some condition fired */
    VEC(double) jumped; /* times of all events: there is no other point at these */
    VEC(VerifyEvent) events;
    Map event_of; /* hash of trigger and ordinal -> index + 1 */
    Map fired;    /* hash of trigger -> index + 1 of the last one */
} VerifyRun;

/* Runs the model once; messages go to stderr. The status of the run is in *run. */
void verify_run(Mem *mem, SolModel *model, const char *designator, const SolOptions *options,
                VerifyRun *run);

const VerifyColumn *verify_column(const VerifyRun *run, const char *path); /* NULL: none */
/* The same condition as in another run, for the same time; NULL: none. */
const VerifyEvent *verify_twin(const VerifyRun *run, const VerifyEvent *event);

/* ---- verify_table.c ---- */

typedef struct VerifyOptions {
    double within; /* of the range of a variable: what counts as agreement */
    double until;  /* the runs must agree up to there */
    uint32_t rows; /* of the table, at most */
} VerifyOptions;

/* runs[0] is as asked for, runs[1] the same by other code, runs[2] and runs[3] have tighter tolerances, runs[4] is by another
 * solver. Prints the comparison; true when they agree up to options->until. */
enum { VERIFY_ASKED, VERIFY_CODE, VERIFY_TIGHT, VERIFY_TIGHTEST, VERIFY_OTHER, VERIFY_RUNS };
bool verify_table(Mem *mem, const VerifyRun runs[VERIFY_RUNS], const SolOptions *asked,
                  const VerifyOptions *options, FILE *out);

#endif
