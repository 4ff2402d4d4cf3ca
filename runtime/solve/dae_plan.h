/* dae_plan.h: the equations of a part as one index-1 system (Otter and Elmqvist 2017). Private to runtime/.
 *
 * Words: an equation that the DDP differentiated has its derivative *above* it, and so has a variable. The *height* of either is
 * the number of derivatives above it. Variables of height 0 are highest derivatives and those that are never differentiated.
 *
 *   x      unknowns that appear differentiated
 *   z      unknowns that do not, as they are, or as slope of their integral (lambda) where they belong to slopes of x
 *   mu     one for each constraint that is a derivative itself and has one, as slope of its integral
 *
 *   0 = x' - up(x) + transpose(G) mu'      motion: of each x whose derivative is an unknown or computed
 *   0 = r                                  equations of height 0 that compute nothing
 *   0 = g                                  of greater height likewise: constraints, with all their derivatives but the last
 *
 * G has the derivatives of a constraint by the unknowns of its own height; its mu belongs to the constraint above it. At the solution mu' is 0, so it need not be exact: the
 * last Jacobian has it (dae_system.c).
 *
 * Partial state selection: an equation is solved for a variable of its own height, and each of its derivatives for the derivative of
 * that variable, where the factor is a constant or made of parameters and nothing then depends on itself (tearing with retained solution space). A
 * constraint that would is solved if, with what is computed put into it, it is linear with a factor that is a number.
 */
#ifndef RUNTIME_SOLVE_DAE_PLAN_H
#define RUNTIME_SOLVE_DAE_PLAN_H

#include "base/map.h"
#include "runtime/solve/solve.h"

typedef enum DaeRole {
    DAE_GIVEN, /* does not vary between events */
    DAE_CLOCK,
    DAE_STATE,      /* an x */
    DAE_SLOPE,      /* highest derivative of one that nothing computes: x' */
    DAE_ALGEBRAIC,  /* a z as it is */
    DAE_MULTIPLIER, /* the slope of a z */
    DAE_COMPUTED
} DaeRole;

typedef struct DaeVar {
    DdpVar of;
    double nominal;    /* its size, as the modeller says */
    bool known;        /* a parameter: not 0 */
    bool state;        /* of the graph */
    bool shared;       /* the derivative of several */
    uint32_t up, down; /* its derivative; what it is the derivative of; 0: none */
    uint32_t height;
    DaeRole role;
    uint32_t column; /* of its unknown; of a DAE_SLOPE: of what it is the slope of */
    uint32_t by;     /* DAE_COMPUTED: by equation by - 1; else 0 */
} DaeVar;

typedef struct DaeEquation {
    Form form;
    uint32_t n;
    uint32_t *vars;        /* [n], 0: none */
    uint64_t key;          /* origin and order of its relation */
    uint32_t above, below; /* index + 1; 0: none */
    uint32_t height;
    uint32_t wish;   /* what the graph solves it for; 0: nothing */
    uint32_t target; /* what it computes; 0: nothing */
    X value;         /* of target */
    uint32_t n_uses; /* of value */
    uint32_t *uses;  /* [n_uses], by position */
} DaeEquation;

/* A row of the system: motion of an x, or an equation. */
typedef struct DaeRow {
    uint32_t state;    /* variable; 0: it is an equation */
    uint32_t equation; /* index */
    uint32_t mu;       /* column + 1 of the mu that belongs to this constraint; 0: none */
} DaeRow;

typedef struct DaePlan {
    Arena arena;
    Map var_of;       /* variable of the model -> of the plan */
    Map equation_of;  /* origin and order of a relation -> index + 1 */
    VEC(DaeVar) vars; /* [0]: none */
    VEC(DaeEquation) equations;
    VEC(uint32_t) order; /* what is computed, in order */
    VEC(DaeRow) rows;    /* [n] */
    VEC(uint32_t)
    column; /* [n]: variable of each unknown, by its number in the model; 0: of a mu */
    uint32_t n;
    uint32_t n_constraints; /* rows that are constraints */
    VEC(uint32_t) state;    /* variables that are states of the graph, as Part.states */
    bool plain;             /* all of these are unknowns */
} DaePlan;

/* Of the part as it is now; `partial`: with partial state selection. NULL: its equations have no such form. */
DaePlan *dae_plan_open(Part *part, bool partial);
void dae_plan_close(Sim *sim, DaePlan *plan); /* NULL is fine */
/* The same unknowns, in the same order. Of two plans of the same relations, between which the graph only selected other states, this says that
 * both describe the same system. */
bool dae_plan_same(const DaePlan *a, const DaePlan *b);

/* ---- dae_merge.c, dae_tear.c ---- */

/* Copies: a = b. One of all that are equal is left, and stands for the others in all equations. */
void dae_merge(Sim *sim, DaePlan *plan);

/* Which equations compute what: targets are set, and the order. */
void dae_tear(Sim *sim, DaePlan *plan, bool partial);

#endif
