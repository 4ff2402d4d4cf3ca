/* loop_copies.h: which variables of a loop are equal or opposite to others. Private to runtime/. */
#ifndef RUNTIME_EVAL_LOOP_COPIES_H
#define RUNTIME_EVAL_LOOP_COPIES_H

#include "base/map.h"
#include "runtime/eval/eval.h"

typedef struct LoopCopy {
    uint32_t root; /* the output of the node, by number, that stands for it */
    double sign;   /* 1: it is equal to that, -1: opposite */
} LoopCopy;

typedef struct LoopCopies {
    LoopCopy *of;   /* [outputs] */
    bool *left_out; /* [relations]: says no more than that */
} LoopCopies;

/* index: variable -> number of the output + 1; NULL: nothing is a copy. */
LoopCopies loop_copies_open(Sim *sim, const EvalNode *node, const Map *index);
void loop_copies_close(Sim *sim, LoopCopies *copies);

#endif
