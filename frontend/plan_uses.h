/* plan_uses.h: which operations of a plan name a word. */
#ifndef FRONTEND_PLAN_USES_H
#define FRONTEND_PLAN_USES_H

#include "frontend/plan.h"

typedef struct PlanUses {
    uint32_t *first; /* [word]: index in op of the first; [n_words]: the end */
    uint32_t *
        op; /* operations with a path that begins with the word, in the plan's own body; ascending */
    uint32_t n_movable, n_branches, n_stmts;
    uint32_t *movable;  /* operations with a path through an alias or a dynamic member */
    uint32_t *branches; /* OP_BRANCH */
    uint32_t *stmts;    /* statements of its body that have branches: their index */
} PlanUses;

/* Made when it is asked for the first time. */
const PlanUses *plan_uses(Plans *plans, Plan *plan);

#endif
