/* live.h: what edits did, as steps that can be done backwards. Private to runtime/sim. */
#ifndef RUNTIME_SIM_LIVE_H
#define RUNTIME_SIM_LIVE_H

#include "base/pack.h"
#include "frontend/world_edit.h"
#include "runtime/sim/sim.h"

typedef enum StepKind { STEP_SHOW, STEP_HIDE, STEP_VALUE } StepKind;

typedef struct KeptValue {
    char *path;
    double value;
} KeptValue;

typedef struct EditStep {
    StepKind kind;
    bool goes_over; /* of a component that was replaced: its states go over to the new one */
    InstId model;   /* STEP_SHOW, STEP_HIDE: whose statement */
    const Stmt *stmt;
    VEC(KeptValue) kept; /* of what a declaration took with it */
    char *path;          /* STEP_VALUE */
    double before, after;
} EditStep;

typedef struct EditDone {
    VEC(EditStep) steps;
} EditDone;

typedef struct SolHistory {
    VEC(EditDone) edits;
    uint32_t done;   /* of these; the rest was undone */
    EditDone now;    /* the one that is tried */
    uint32_t number; /* of the last edit in it that entered something */
    bool forwards;   /* redo, else undo */
    Pack before;     /* the simulation as it was; its memory is used again */
} SolHistory;

#endif
