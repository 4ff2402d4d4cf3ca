/* plan_int.h: private to plan.c (which plans exist), lower.c (what they contain) and terminals.c.
 */
#ifndef FRONTEND_PLAN_INT_H
#define FRONTEND_PLAN_INT_H

#include "frontend/plan.h"

/* A list of variables inside an instance, each as the indices of the members that lead to it:
 * n0, i, i, .., n1, i, .. Equal lists have equal numbers. */
typedef struct HeldList {
    uint32_t n; /* words */
    uint32_t *at;
    uint32_t same_hash; /* next list with this hash, or 0 */
} HeldList;

/* A transmission `d.x.y << ..` through a dynamic or alias member of declared definition `type`. */
typedef struct MovableTarget {
    const Def *type;
    uint32_t n;
    Member **step; /* below the member */
} MovableTarget;

enum { MADE_EDIT = 1u << 31 }; /* in Plans.made */

struct Plans {
    Mem *mem;
    Arena arena;
    Program *program;
    FormTable *forms;
    VEC(Plan *) plans;
    Map by_key; /* family and variant -> index + 1 */
    VEC(Family *) families;
    Map family_of;      /* Body * -> index + 1 */
    VEC(HeldList) held; /* [0]: the empty list */
    Map held_by_hash;
    VEC(MovableTarget) movable;
    Map terminal_of;           /* name and kind -> number of the terminal */
    VEC(uint32_t) bundle_of;   /* [terminal]; [0] unused */
    VEC(uint32_t) bundle_size; /* [bundle]: terminals in it; [0] unused */
    Map function_of_def;       /* Def.id -> function number */
    Map def_of_function;       /* number + 1 -> index + 1 in functions */
    VEC(const Def *) functions;
    uint32_t builtin[BUILTINS]; /* number of the function + 1; 0: nobody needed it */
    VEC(uint32_t)
    made; /* what was made on demand, in order: number of the plan * 2, + 1 where
                              it is a signature; MADE_EDIT + number of the edit */
    VEC(uint32_t)
    numbers;            /* given to functions so far, in order; more of them while plans that
                              were written are made again */
    uint32_t n_numbers; /* of these, given */
    struct Plans
        *like; /* functions that these plans have get the numbers they have there; or NULL */
    VEC(PlanEdit) edits;
    uint32_t reach; /* plans_reach() */
    bool split;     /* names that made one bundle, and are connected, do so no longer */
};

typedef VEC(uint32_t) HeldWords;

Family *plans_family(Plans *plans, Body *body);
/* The plan of `body` in which the variables of `list` (and those the survey found) are held. */
Plan *plans_variant(Plans *plans, Body *body, const HeldWords *list);
bool plans_is_held(const Plans *plans, const Plan *plan, uint32_t member);
/* Some transmission through a dynamic or alias member may reach it. */
bool plans_hold_loosely(const Plans *plans, const Member *member);
/* Appends the entries of the plan's list that lie in this member, without their first step. */
void plans_held_inside(Plans *plans, const Plan *plan, uint32_t member, HeldWords *out);
uint32_t plans_foreign(Plans *plans, const Def *def); /* its function number */
uint32_t plans_builtin(Plans *plans, PlanBuiltin which);
void terminals_survey(Plans *plans, Def *def);
void lower_body(Plans *plans, Plan *plan);

#endif
