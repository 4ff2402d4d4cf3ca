/* inline_plan_int.h: what inline_plan.c, inline_match.c and inline_redo.c share while a plan is made. Private to these. */
#ifndef RUNTIME_SOLVE_INLINE_PLAN_INT_H
#define RUNTIME_SOLVE_INLINE_PLAN_INT_H

#include "runtime/solve/inline_memory.h"

typedef struct InlineResidual {
    uint32_t rel, tear;
} InlineResidual;

/* Its room is kept from plan to plan. */
struct InlineMaking {
    Part *part;
    Sim *sim;
    InlinePlan *plan;
    InlineNames *names;
    InlineLoops *loops;
    const InlineEquations *equations;
    VEC(InlineVar) vars;  /* the first is none */
    VEC(uint32_t) rel_of; /* [var]: the relation that determines it + 1; 0: none */
    VEC(uint32_t) mark;   /* [var]: by which search it was met last */
    uint32_t marks;
    VEC(InlineRel) rels;
    VEC(uint32_t) all;   /* their numbers */
    VEC(uint32_t) reads; /* of all of them */
    VEC(uint32_t) room;  /* of the relation that is entered: its variables, then positions */
};

void inline_making_close(Mem *mem, InlineMaking *m); /* NULL is fine */

/* ---- inline_match.c ---- */

/* Each of the relations determines one of the variables, anew. False: that is not possible, and nothing has changed. */
bool inline_match(InlineMaking *m, uint32_t n, const uint32_t *rels, const uint32_t *vars);

/* ---- inline_redo.c ---- */

/* What is iterated together, while its blocks are made. */
typedef struct InlineGroup {
    VEC(InlineResidual) residuals;
    VEC(uint32_t) rels; /* the others, ascending */
    InlineOrder order;  /* of these */
} InlineGroup;

/* Other equations become residuals where no loop whose factors move is left then. True: they did, `rels` are others. */
bool inline_redo(InlineMaking *m, InlineGroup *group);

/* ---- inline_plan.c ---- */

/* Of a component. No loop: one relation that is solved for what it determines. */
bool inline_is_loop(const InlineMaking *m, uint32_t n, const uint32_t *rels);
/* Its factors change at events and with h only, or it has one tearing variable. */
bool inline_loop_stays(InlineMaking *m, uint32_t n, const uint32_t *rels);

#endif
