/* live.h: what edits did, as steps that can be done backwards. Private to runtime/sim. */
#ifndef RUNTIME_SIM_LIVE_H
#define RUNTIME_SIM_LIVE_H

#include "base/pack.h"
#include "frontend/world_edit.h"
#include "runtime/sim/sim.h"

typedef enum StepKind { STEP_SHOW, STEP_HIDE, STEP_VALUE } StepKind;

typedef struct KeptValue {
    char *path; /* behind that of what is declared, "" for itself */
    double value;
} KeptValue;

/* An edit, or a statement taken away, in a component that is taken away: it comes back with it. */
typedef struct KeptEdit {
    char *path; /* of the model */
    InstId model;
    uint32_t number; /* of the edit, or 0 */
    const Stmt *hidden;
} KeptEdit;

typedef struct EditStep {
    StepKind kind;
    bool goes_over; /* of a component that was replaced: its states go over to the new one */
    InstId model;   /* STEP_SHOW, STEP_HIDE: whose statement */
    const Stmt *stmt;
    VEC(KeptValue) kept;  /* of what a declaration took with it */
    VEC(KeptEdit) inside; /* likewise */
    char *path;           /* STEP_VALUE */
    double before, after;
} EditStep;

/* A state that the simulation was in, told by how far it had come. */
typedef struct EditStamp {
    double time;
    uint64_t steps, events, births;
    uint64_t number; /* of the edits and their reverses so far */
} EditStamp;

typedef struct EditDone {
    VEC(EditStep) steps;
    uint32_t n_wanted;
    SolEdit *wanted;    /* as it was asked for; texts are its own */
    Pack before;        /* the simulation as it was, if that is not too much */
    EditStamp from, to; /* before and behind it */
    bool exact;         /* it was undone by going back: there are no steps any more */
} EditDone;

typedef struct SolHistory {
    VEC(EditDone) edits;
    uint32_t done;      /* of these; the rest was undone */
    uint32_t kept_from; /* from this one on states before them are kept */
    EditDone now;       /* the one that is tried */
    uint32_t number;    /* of the last edit in it that entered something */
    bool forwards;      /* redo, else undo */
    bool repeats;       /* one of the two is tried */
    uint32_t repeated;  /* so many steps of it are done */
    Pack before;        /* the simulation as it was; its memory is used again */
    bool exact;         /* `before` was written; else `values` were */
    VEC(double) values;
    HeldPoint left;   /* the row before the one that is tried */
    uint64_t numbers; /* given to stamps so far */
    EditStamp state;  /* of what is there now, unless time went on */
} SolHistory;

/* ---- live_steps.c ---- */

typedef struct EditsWanted {
    Sol *sol;
    uint32_t n;
    const SolEdit *edits;
} EditsWanted;

/* What an event is given (event_iterate.c); phase 0 changes the structure, phase 1 values. */
SolStatus live_do_edits(Sim *sim, void *wanted, int phase);
SolStatus live_repeat_steps(Sim *sim, void *history, int phase);
SolStatus live_do_step(Sim *sim, SolHistory *history, EditStep *step, bool forwards, int phase);
bool live_may_be_set(const Sim *sim, DdpVar var);
char *live_copy(Sim *sim, const char *text);
void live_free_step(Mem *mem, EditStep *step);

#endif
