/* record.h: a simulation's output -> columns and rows of a result file.
 *
 * A client of solstice.h: it gives the simulation its output callbacks, decides which variables
 * become columns and what they are called, and writes what arises. A column belongs to an instance:
 * it has the path of its birth, with #2, #3, ... for later instances born at the same place; what
 * stands in a branch continues its column when the branch returns. Of a simulation with
 * sensitivities every Real that is no parameter has the columns of its derivatives behind its own:
 * d(PATH)/d(PARAMETER).
 *
 * Error rule: a failure (no memory, output not written) makes the simulation end with SOL_IO; the
 * recorder says why. */
#ifndef RUNTIME_SIM_RECORD_H
#define RUNTIME_SIM_RECORD_H

#include "runtime/results/result.h"
#include "runtime/solstice.h"

enum { RECORD_LIMIT = 10000 }; /* columns of a run whose columns nobody selected */

typedef enum RecordSet {
    RECORD_ALL,      /* every variable, up to the limit; beyond it as RECORD_MAIN */
    RECORD_MAIN,     /* states, interface of the top model, interface of monitored instances */
    RECORD_INTERFACE /* as RECORD_MAIN without states */
} RecordSet;

typedef struct RecordOptions {
    RecordSet set;
    ResultSelection selection; /* not empty: these and no others */
    uint32_t limit;            /* 0: RECORD_LIMIT */
    bool
        returns; /* whatever is born where the last one died goes on in its column: of a model that is edited */
    /* shown to people: what `cout` shows; NULL: nobody */
    void (*cout)(void *context, double time, const char *text);
    /* after each point and event, for a progress bar; NULL: nobody */
    void (*pulse)(void *context, double time);
    /* after each point; false: the run ends with SOL_IO; NULL: nobody */
    bool (*point)(void *context, const SolPoint *point);
    void *context;
} RecordOptions;

typedef struct Recorder Recorder;

/* The writer stays the caller's. The texts of the selection must live as long as the recorder. */
Recorder *record_open(Mem *mem, ResultWriter *writer, const RecordOptions *options);
void record_close(Recorder *recorder);
void record_attach(Recorder *recorder, Sol *sim); /* sets its output and event callbacks */
SolOutput record_output(Recorder *recorder);      /* as it set it: for who listens, too */
/* Another event callback, called after the recorder's own. */
void record_on_event(Recorder *recorder, void (*event)(void *context, const SolEvent *event),
                     void *context);

/* The simulation is another one at the same point, or at an earlier one: columns of what does not live there
 * end. */
void record_reconcile(Recorder *recorder);

bool record_narrowed(const Recorder *recorder); /* the limit was reached */
const char *record_unfitted(const Recorder *recorder,
                            uint32_t i); /* i-th pattern without a path; NULL */
bool record_out_of_memory(const Recorder *recorder);
uint64_t record_rows(const Recorder *recorder);

/* For checkpoints: which variable (by number of birth) has which column, and the names given so
 * far. */
bool record_save(Recorder *recorder, SolWrite write, void *context);
bool record_restore(Recorder *recorder, SolRead read, void *context);

#endif
