/* inline_plan.h: the equations of a part and of the method that integrates it, sorted and torn together.
 *
 * Inline integration (Elmqvist, Otter, Cellier 1995): x = h * der(x) + old(x) is an equation like those of the model. All
 * of them are sorted together; of loops that are not linear those variables are iterated
 * that leave nothing but linear loops between them (inline_cut.c). The plan is made for one stage; a method with
 * several does each of its operations once per stage (inline_step.c), which is in order because what couples the stages
 * is that same equation.
 *
 * A plan follows from the equations of the part alone, not from plans before, so that results do not depend on what is remembered. It costs
 * a few passes over these equations; what costs more, the tearing of linear loops, is kept by shape (inline_loop.c), so only loops of a
 * shape that was never there are torn.
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
    bool solid;     /* a parameter: as a factor it is taken as not zero */
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

typedef struct InlineEquations InlineEquations;

/* Of the part as it is now. NULL: its equations could not be sorted so, which says something of the structure. */
InlinePlan *inline_plan_open(Part *part);
InlinePlan *inline_plan_of(Part *part,
                           const InlineEquations *equations); /* these are its equations */
void inline_plan_close(Sim *sim, InlinePlan *plan);           /* NULL is fine */

/* ---- inline_equations.c ---- */

/* An equation of the part, as its schedule has it. Words: a variable of the model << 1 | something that is known of it. */
typedef struct InlineEquation {
    Form form;
    uint16_t n;
    uint16_t order;       /* how often what it determines was differentiated */
    uint32_t output;      /* what it determines | the modeller wants that to be torn */
    uint32_t copy;        /* inline_copy() of the form */
    const uint32_t *vars; /* by position | it is a parameter */
} InlineEquation;

struct InlineEquations {
    InlineEquation *at;
    uint32_t n, cap;
};

/* All that plans are made of, as words: equal words, equal plans. */
typedef struct InlineDescription {
    uint64_t key;
    uint32_t n_words;
} InlineDescription;

/* What is known of the nodes of all parts. */
typedef struct InlineRecords InlineRecords;

InlineRecords *inline_records_open(Mem *mem);
void inline_records_close(Mem *mem, InlineRecords *records); /* NULL is fine */

/* Of the part as it is now; what follows is of the part that was described last. */
InlineDescription inline_describe(Part *part, InlineRecords *records);
bool inline_description_is(const InlineRecords *records, const uint32_t *words);
void inline_description_copy(const InlineRecords *records, uint32_t *words);
/* Its equations in order: valid until the next call. */
const InlineEquations *inline_equations(Sim *sim, InlineRecords *records);

/* ---- inline_loop.c ---- */

/* While a plan is made: an equation over its variables. */
typedef struct InlineRel {
    Form form;
    uint32_t n, *vars;        /* by position; each once, or 0 */
    uint32_t n_reads, *reads; /* those of them that occur and are unknown */
    uint32_t var;             /* that it determines; 0: nothing, it is a residual */
    uint32_t state;           /* the discretisation of this state: index + 1; 0: of the model */
} InlineRel;

/* One step of a linear loop, or a residual: numbers in the loop. */
typedef struct InlineLoopStep {
    uint32_t rel, var; /* var: index + 1 in what inline_loop() is told of; 0: a residual */
    X value;
} InlineLoopStep;

/* How a linear loop is torn. */
typedef struct InlineLoop {
    uint32_t n_words, *words; /* its shape */
    uint32_t n_steps, n_tears;
    InlineLoopStep *steps; /* n_steps, then n_tears residuals */
    uint32_t *tears;       /* [n_tears]: as InlineLoopStep.var */
    bool constant;         /* its factors change at events and with h only */
    X solved;              /* InlineBlock.solved, over solved_vars: as InlineLoopStep.var */
    uint32_t n_solved, *solved_vars;
} InlineLoop;

typedef struct InlineLoops InlineLoops; /* all shapes that are known */

/* The loop that these relations are. vars[i] is the i-th variable of the plan in it, until the next call. NULL: it could not be torn. */
const InlineLoop *inline_loop(Sim *sim, InlineLoops *loops, const InlineVar *var,
                              const InlineRel *rels, uint32_t n, const uint32_t *members,
                              const uint32_t **vars);
InlineLoops *inline_loops_open(Mem *mem);
void inline_loops_close(Mem *mem, InlineLoops *loops); /* NULL is fine */

/* ---- inline_sort.c ---- */

/* Strong components in an order in which each depends on those before it; the relations of one ascend. */
typedef struct InlineOrder {
    VEC(uint32_t) rels;
    VEC(uint32_t) ends; /* of each component, in rels */
} InlineOrder;

/* rel_of[var]: the relation that determines it + 1; 0: it is known, or determined by none of those that are sorted. `list`: ascending. */
void inline_sort(Mem *mem, uint32_t n_rels, const InlineRel *rels, const uint32_t *rel_of,
                 uint32_t n, const uint32_t *list, InlineOrder *order);
void inline_order_free(Mem *mem, InlineOrder *order);

/* ---- inline_merge.c ---- */

/* What is known of a variable of the model while a plan is made. */
typedef struct InlineName {
    uint32_t turn; /* of the plan that it is known for: InlineNames.turn; another one: nothing is */
    bool known;    /* the part determines it */
    uint32_t rank; /* who is left of those that are equal: the largest; UINT32_MAX: a state */
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
/* It says that two positions are equal: one of them << 16 | the other; 0: it does not. */
uint32_t inline_copy(FormTable *forms, Form form);
/* True: the equation says that two variables are equal; they are one now. */
bool inline_merge_relation(InlineNames *names, const InlineEquation *equation);

/* ---- inline_text.c ---- */

void inline_graph(Sim *sim, FILE *out); /* of all parts that have states */

/* ---- inline_cut.c ---- */

typedef struct InlineMember {
    uint32_t rel;
    uint32_t var; /* that it determines */
    uint8_t wish; /* to iterate on var rather than on others: the larger the better */
    bool hinted;  /* before all others */
    bool must;    /* it cannot be solved for var */
} InlineMember;

/* Of a loop that is not linear: cut[i] becomes true where var i is to be iterated, and its relation a residual. */
void inline_cut(Mem *mem, FormTable *forms, uint32_t n_vars, const InlineRel *rels, uint32_t n,
                const InlineMember *members, bool *cut);

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
    bool used;                 /* out: it determines something, */
    uint32_t var;              /* and if it is no block, this */
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
