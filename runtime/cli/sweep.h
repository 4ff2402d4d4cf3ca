/* sweep.h: many runs of one model: which cases, what is measured of each, who runs them, what is kept.
 *
 * cases (sweep_cases.c) -> workers, each a process that runs one case after the other (sweep_team.c, sweep_measure.c) -> journal, so that a
 * sweep that was killed goes on (sweep_journal.c) -> table (sweep_table.c). Cases are numbered from 0 here, from 1 for people. */
#ifndef RUNTIME_CLI_SWEEP_H
#define RUNTIME_CLI_SWEEP_H

#include "base/vec.h"
#include "runtime/cli/options.h"
#include "runtime/results/outfile.h"
#include "runtime/results/result.h"

#include <stdio.h>

/* ---- sweep_cases.c: what is varied -> the values of each case ---- */

typedef struct SweepRange {
    char *path;
    double from, to;
    bool log;
    uint64_t n;       /* points of the grid; 0: none were given */
    double *list;     /* values that were listed, n of them, or NULL */
    uint32_t *strata; /* Latin hypercube: strata[case], each once; or NULL */
} SweepRange;

typedef struct SweepCases {
    Mem *mem;
    uint64_t n;
    VEC(SweepRange) ranges;
    bool sampled;
    uint64_t seed;
    VEC(char *) paths; /* of a file of cases: its columns */
    VEC(char *) cells; /* row by row; "": not set in this case */
} SweepCases;

typedef enum SweepSampling { SWEEP_LATIN, SWEEP_RANDOM } SweepSampling;

enum { SWEEP_MOST_CASES = 100000000, SWEEP_VALUE = 4096 };

/* "R=1:10:100", "C=log:1e-6:1e-3:20", "k=1,2,5"; for samples "R=1:10". False: `why`. */
bool sweep_add_range(SweepCases *cases, const char *text, char *why, size_t size);
bool sweep_make_grid(SweepCases *cases, char *why, size_t size);
bool sweep_make_samples(SweepCases *cases, uint64_t n, SweepSampling sampling, uint64_t seed,
                        char *why, size_t size);
bool sweep_read_cases(SweepCases *cases, const char *file, char *why, size_t size);
uint32_t sweep_path_count(const SweepCases *cases);
const char *sweep_path(const SweepCases *cases, uint32_t i);
bool sweep_is_log(const SweepCases *cases, uint32_t i); /* spread evenly in its logarithm */
/* As it is written in Sol, in `text` of SWEEP_VALUE bytes; false: not set in this case. */
bool sweep_value(const SweepCases *cases, uint64_t index, uint32_t i, char *text);

/* ---- sweep_measure.c: one case -> its numbers ---- */

typedef enum SweepKind { SWEEP_END, SWEEP_MIN, SWEEP_MAX, SWEEP_EVENT } SweepKind;

typedef struct SweepQuantity {
    SweepKind kind;
    const char *name;  /* path of the variable; part of what fired */
    const char *by;    /* NULL, or a parameter: the derivative by it */
    uint32_t by_index; /* its place in SolOptions.sensitivities */
} SweepQuantity;

typedef struct SweepJob {
    SolLoad load;
    const char *designator;
    SolOptions options; /* of all cases; its sets are those that do not vary */
    const SweepCases *cases;
    uint32_t n_quantities;
    const SweepQuantity *quantities;
    const char *results;  /* folder for a result of each case, or NULL */
    ResultSelection vars; /* of these */
} SweepJob;

enum { SWEEP_MESSAGE = 1000 };

typedef struct SweepOutcome {
    uint64_t index;
    uint32_t status;             /* SolStatus; SWEEP_CRASHED */
    double *values;              /* [quantity], NaN: none */
    char message[SWEEP_MESSAGE]; /* of one that failed */
} SweepOutcome;

enum { SWEEP_CRASHED = 100 };

typedef struct SweepRunner SweepRunner;

/* With a model that is loaded already, which the runner owns then. */
SweepRunner *sweep_runner_open(const SweepJob *job, SolModel *model);
void sweep_run(SweepRunner *runner, SweepOutcome *outcome); /* the case outcome->index */
void sweep_runner_close(SweepRunner *runner);
/* Creates the simulation of a case and initialises it; the answer is NULL after a failure. */
Sol *sweep_start(const SweepJob *job, SolModel *model, uint64_t index, SolEngine engine);

/* ---- what is known so far; sweep_journal.c ---- */

typedef struct Sweep {
    Mem *mem;
    const SweepJob *job;
    uint64_t n_done, n_failed, n_before; /* cases; those that a journal had */
    uint8_t *done;                       /* [case]: 1 done, 2 failed */
    double *values;                      /* [case][quantity] */
    VEC(char *) messages;
    uint32_t *message; /* [case]: index in messages, from 1; 0: none */
    char *journal;     /* its path, or NULL: none is kept */
    int fd;
    char why[5000]; /* what went wrong with files */
} Sweep;

Sweep *sweep_open(Mem *mem, const SweepJob *job);
/* Goes on with the journal at `path`, or begins it; `about` says what is swept. False: why. */
bool sweep_journal_open(Sweep *sweep, const char *path, const char *about, bool fresh);
bool sweep_add(Sweep *sweep, const SweepOutcome *outcome); /* false: cannot be written, why */
void sweep_journal_remove(Sweep *sweep);
void sweep_close(Sweep *sweep);

/* An outcome as bytes, for pipe and journal. */
size_t sweep_pack_size(const SweepJob *job); /* most */
size_t sweep_pack(const SweepJob *job, const SweepOutcome *outcome, uint8_t *bytes);
bool sweep_unpack(const SweepJob *job, const uint8_t *bytes, size_t n, SweepOutcome *outcome);

/* ---- sweep_team.c ---- */

/* Runs what is not done yet in `jobs` processes. EXIT_DONE, EXIT_IO, or EXIT_SIGNAL + its number. */
int sweep_team_run(Sweep *sweep, SolModel *model, uint32_t jobs, bool quiet);

/* ---- sweep_mpi.c: under mpirun ---- */

typedef struct SweepLink SweepLink;

typedef enum SweepNews {
    SWEEP_NO_NEWS,
    SWEEP_ASKED, /* rank wants cases */
    SWEEP_TOLD,  /* an outcome */
    SWEEP_LIST,  /* cases to be run; none: there are no more */
    SWEEP_BAD_NEWS
} SweepNews;

int sweep_rank(
    void); /* 0: has the journal; 1, 2, ...: works for it; -1: not under mpirun, or alone */
uint32_t sweep_ranks(void);                                   /* how many there are */
SweepLink *sweep_link_open(Mem *mem, char *why, size_t size); /* NULL: why */
void sweep_link_close(SweepLink *link);
int sweep_link_others(const SweepLink *link); /* ranks beside rank 0 */
void sweep_link_ask(SweepLink *link);
void sweep_link_outcome(SweepLink *link, const uint8_t *bytes, size_t n);
void sweep_link_list(SweepLink *link, int rank, const uint64_t *list, uint32_t n);
/* What came, if anything did: its n bytes, and from whom. */
SweepNews sweep_link_news(SweepLink *link, uint8_t *bytes, size_t room, size_t *n, int *rank);

/* ---- sweep_table.c ---- */

bool sweep_write_table(const Sweep *sweep, const char *path, int *error); /* "-": standard output */
void sweep_quantity_name(const SweepQuantity *quantity, char *name, size_t size); /* "end(x)" */

typedef struct SweepStatistics {
    double mean, deviation;
} SweepStatistics;

SweepStatistics sweep_statistics(const double *values, uint64_t n);
double sweep_quantile(const double *sorted, uint64_t n, double part); /* n > 0 */
void sweep_print_summary(const Sweep *sweep, double seconds, uint32_t jobs, FILE *out);

/* ---- sweep_report.c ---- */

bool sweep_write_report(const Sweep *sweep, const char *path, int *error);

#endif
