/* loop_whole_int.h: what loop_whole.c and loop_factors.c share. Private to both. */
#ifndef RUNTIME_EVAL_LOOP_WHOLE_INT_H
#define RUNTIME_EVAL_LOOP_WHOLE_INT_H

#include "numerics/sparse_solve.h"
#include "runtime/eval/loop_code.h"
#include "runtime/eval/loop_factors.h"
#include "runtime/eval/loop_whole.h"

#include <klu.h>

/* A relation reads a variable. Those that one unknown stands for follow each other. */
typedef struct Entry {
    DdpVar var;
    int at, column; /* in value[]; of the unknown */
    double sign;    /* against the unknown */
    bool last;      /* of those of the same column */
} Entry;

/* What it is called while it is away; n 0: it does not return. */
typedef struct LoopName {
    uint32_t n, *words;
    uint64_t key;
} LoopName;

typedef struct Copy {
    DdpVar var, of;
    double sign;
} Copy;

struct LoopWhole {
    uint32_t n;
    DdpVar *unknown;                  /* [n]: variables of the steps, then tearing variables */
    uint32_t n_copies;                /* variables that an unknown stands for besides itself */
    Copy *copy;                       /* [n_copies] */
    uint32_t *relation;               /* [n]: operation of the node that row i is */
    const Code **code;                /* [n]: left - right of row i */
    const EvalOp *ops;                /* of the node */
    X *residual;                      /* [n]: what the code is of */
    LoopBlock **block;                /* [n]: the same as native code; NULL: not asked for */
    LoopBlock *all;                   /* all of them in one; NULL: not asked for, or too many */
    uint32_t *first;                  /* [n + 1]: entries of row i begin here */
    Entry *entry;                     /* by rows */
    int *column, *row;                /* the same by columns, as KLU wants it */
    double *value;                    /* derivatives as they are, by columns */
    double *scaled;                   /* what KLU gets */
    double *row_scale, *column_scale; /* [n]: by relation; by unknown */
    double *r, *right;
    int *place; /* [n]: the row that relation i becomes */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    uint32_t solves;   /* with these factors */
    SparseSolve *fast; /* them, once they are used often; else NULL */
    LoopName name;
    bool
        first_factors; /* symbolic and numeric are what `value` alone leads to: no others came before */
    klu_numeric
        *noted; /* what loop_factors_note() saw, where others took its place since; else NULL */
    bool noted_anew; /* it saw nothing that counts: the next factors are made of `value` alone */
    bool noted_none; /* it saw an analysis without numbers */
    double noted_tol;
    bool returned; /* and since then it was away: they count if `value` is the same again */
};

/* ---- loop_factors.c ---- */

void loop_factors_begin(LoopWhole *w);
/* Analysis and numbers go; the next ones are made of the derivatives alone. */
void loop_factors_forget(Sim *sim, LoopWhole *w);
void loop_factors_rest(
    Sim *sim, LoopWhole *w); /* the loop goes: what is left counts if the same derivatives return */
/* Of LoopWhole.value, `same`: as it was; `scale`: the largest entry of each row. False: singular. */
bool loop_factors_make(Sim *sim, LoopWhole *w, bool same, const double *scale);
bool loop_factors_are_finite(const LoopWhole *w); /* LoopWhole.value */
/* LoopWhole.r := inverse of the Jacobian times b, in the order of the unknowns. */
void loop_factors_solve(Sim *sim, LoopWhole *w, const double *b);

#endif
