/* inline_plan.h: the equations of a part and of the method that integrates it, sorted and torn together.
 *
 * Inline integration (Elmqvist, Otter, Cellier 1995): x = h * der(x) + old(x) is an equation like those of the model. All
 * of them go into a DDP of their own, which sorts them; of loops that are not linear those variables are iterated
 * that leave nothing but linear loops between them (inline_cut.c). The plan is made for one stage; a method with
 * several does each of its operations once per stage (inline_step.c), which is in order because what couples the stages
 * is that same equation.
 */
#ifndef RUNTIME_SOLVE_INLINE_PLAN_H
#define RUNTIME_SOLVE_INLINE_PLAN_H

#include "runtime/solve/solve.h"

typedef enum InlineRole {
    INLINE_VALUE, /* a variable of the part, another one in each stage */
    INLINE_GIVEN, /* does not vary between events */
    INLINE_CLOCK,
    INLINE_OLD, /* old(x), of a state */
    INLINE_H    /* what the derivative is multiplied by */
} InlineRole;

typedef struct InlineVar {
    InlineRole role;
    DdpVar of;      /* in the model; of old(x): x */
    uint32_t state; /* whose derivative it is: index + 1; 0: none */
    bool hinted;    /* the modeller wants it to be torn */
} InlineVar;

typedef struct InlineOp {
    uint32_t target; /* 0: a residual */
    X value;
    uint32_t *vars; /* by position */
    uint32_t
        state; /* x = h * der(x) + old(x) of this state: index + 1; 0: an equation of the model */
} InlineOp;

typedef enum InlineKind {
    INLINE_EXPLICIT, /* assignments */
    INLINE_LINEAR,   /* linear in its tearing variables */
    INLINE_ITERATED  /* the blocks inside, then the residuals */
} InlineKind;

typedef struct InlineBlock {
    InlineKind kind;
    bool inside;                   /* of an iterated one that comes later */
    bool constant;                 /* linear: with factors that change at events and with h only */
    uint32_t from, to;             /* InlinePlan.ops */
    uint32_t residuals, n_tears;   /* first of its residuals there */
    uint32_t tears;                /* InlinePlan.tears */
    uint32_t inner_from, inner_to; /* InlinePlan.blocks: iterated only */
    /* Linear with one tearing variable: its value, all else eliminated, for methods of one stage; 0: it is not known.
     * Then `from` to `to` are assignments. */
    X solved;
    uint32_t *solved_vars;
} InlineBlock;

typedef struct InlinePlan {
    uint32_t n_vars; /* numbers are below; 0 is none */
    InlineVar *var;
    uint32_t n_states;
    uint32_t *state, *slope, *old; /* [n_states]: variables */
    uint32_t h;
    VEC(InlineOp) ops;
    VEC(InlineBlock) blocks;
    VEC(uint32_t) tears;
    Arena arena; /* of InlineOp.vars */
} InlinePlan;

/* Of the part as it is now. NULL: its equations could not be sorted so, which says something of the structure. */
InlinePlan *inline_plan_open(Part *part);
void inline_plan_close(Sim *sim, InlinePlan *plan); /* NULL is fine */

/* ---- inline_merge.c ---- */

/* What is known of a variable of the model while a plan is made. */
typedef struct InlineName {
    uint32_t turn; /* of the plan that it is known for: InlineNames.turn; another one: nothing is */
    bool known;    /* the part determines it */
    DdpVar into;   /* one that it is equal to, nearer to who is left; 0: none */
    uint32_t var;  /* of the plan; 0: none */
} InlineName;

/* Kept from plan to plan, so that one costs what its part has, not what the model has. */
typedef struct InlineNames {
    VEC(InlineName) at; /* by variable of the model */
    uint32_t turn;
} InlineNames;

InlineNames *inline_names_begin(Sim *sim); /* inline_memory.c: nothing is known */

static inline InlineName *inline_name(InlineNames *names, DdpVar var)
{
    InlineName *name = &names->at.at[var];
    if (name->turn != names->turn)
        *name = (InlineName){.turn = names->turn};
    return name;
}

DdpVar inline_merged(InlineNames *names, DdpVar var); /* who is left of those equal to it */
/* True: the relation says that two variables are equal; they are one now. */
bool inline_merge_relation(Sim *sim, InlineNames *names, const EvalNode *node, uint32_t at);

/* ---- inline_text.c ---- */

void inline_graph(Sim *sim, FILE *out); /* of all parts that have states */

/* ---- inline_cut.c ---- */

typedef struct InlineMember {
    DdpRel rel;
    DdpVar var;   /* that it determines */
    uint8_t wish; /* to iterate on var rather than on others: the larger the better */
    bool hinted;  /* before all others */
    bool must;    /* it cannot be solved for var */
} InlineMember;

/* Of a loop that is not linear: cut[i] becomes true where var i is to be iterated, and its relation a residual. */
void inline_cut(Mem *mem, const Ddp *ddp, FormTable *forms, uint32_t n, const InlineMember *members,
                bool *cut);

/* ---- inline_peel.c ---- */

typedef struct InlinePeelName {
    uint32_t var; /* below InlinePeel.n_vars */
    bool solvable;
} InlinePeelName;

typedef struct InlinePeelItem {
    uint32_t from,
        to; /* unknowns that it names, each once: InlinePeel.names; of a block without its own */
    bool block;
    uint32_t own_from, own_to; /* of a block: InlinePeel.own */
    bool used;                 /* out: it determines something */
} InlinePeelItem;

typedef struct InlinePeel {
    uint32_t n_vars;
    VEC(InlinePeelItem) items;
    VEC(InlinePeelName) names; /* what a block determines is solvable nowhere */
    VEC(uint32_t) own;
} InlinePeel;

/* True: all unknowns are determined one after the other, by the items that are `used`. */
bool inline_peel(Mem *mem, InlinePeel *of);

#endif
