/* node.h: values of variables and nodes of the schedule, as data. Private to runtime/; their functions: eval/eval.h. */
#ifndef RUNTIME_NODE_H
#define RUNTIME_NODE_H

#include "frontend/world.h"
#include "jit/interp.h"
#include "runtime/solstice.h"

typedef struct Part Part;

/* ---- values (values.c) ---- */

/* One reader of a variable: a node. Lists of readers are doubly linked through the edges. */
typedef struct ReadEdge {
    struct ReadEdge *next, **link; /* link NULL: the first of its list */
    DdpVar var;
    DdpNode node;
} ReadEdge;

enum { NEED_DYNAMICS, NEED_CONDITIONS, NEED_KINDS };

typedef struct ValueInfo {
    /* what every update reads comes first, so that it lies together: */
    ReadEdge *readers;
    DdpNode node;       /* that determines it, 0: none */
    uint32_t state;     /* index in Sim.states + 1, 0: no state */
    uint32_t branches;  /* first branch whose condition it is, 0: none */
    uint32_t left;      /* == Sim.update.number: left alone in this update (update.c, U1) */
    uint32_t old;       /* index in Sim.update.olds, if that is of this variable */
    bool has;           /* it has a value */
    bool guess;         /* value is a first guess from a start value */
    bool stiff;         /* method.c: as a state it was in a stiff part */
    bool exchanged;     /* reselect.c: became a state, or none, on the way */
    bool bound;         /* reselect.c: of a state; constraints that can turn singular bind it */
    bool linked : 1;    /* part_graph.c: connected its readers when parts were settled last */
    bool clocked : 1;   /* follows the clock other than through states */
    bool pending : 1;   /* its node still has to be evaluated: do not read */
    bool announced : 1; /* the output was told of its birth */
    bool in_output_plan : 1;   /* output_plan.c: output follows from it */
    bool varied : 1;           /* it varied between events, by the last commit that named it */
    Part *part;                /* of a state */
    DdpVar slope_of;           /* first state whose slope this is, 0: none */
    uint32_t pulsed;           /* number of the update in which a `when` that acted determined it */
    uint32_t mark;             /* == Sim.mark: seen by the walk that is going on */
    DdpVar slope_next;         /* of a state: the next one with the same slope */
    uint32_t need[NEED_KINDS]; /* how many read it for this purpose: nodes and roots */
    uint32_t group, seen;      /* of a state: scratch of part_graph.c */
    uint32_t wanted;           /* index in Sim.output.wanted + 1: its values are; 0: not */
    uint64_t birth;
} ValueInfo;

/* ---- nodes (evaluate.c) ---- */

/* A comparison, or a function that jumps, inside what a node evaluates: where events come from. */
typedef struct Compare {
    /* what every look at it reads: */
    double left;      /* value at the begin of the interval that is searched */
    double low, high; /* difference at the ends of the bracket */
    const Code *self_code, *difference_code;
    double constant; /* of a plain one, whose sides are variables or numbers: its right side, */
    uint32_t first, second; /* 1 + positions of its left and right side; second 0: the number;
                               first 0: it is not plain */
    DdpVar slot;      /* keeps its value between events (hold.c); 0: a condition remembers it */
    uint32_t op;      /* index in EvalNode.ops */
    bool timed;       /* linear in the clock with fixed factors: a time event, never searched for */
    bool moved;       /* changed between low and high */
    bool masked;      /* until the next event: whatever it is, the value of its node stays */
    bool close;       /* `tie` was decided within rounding of its boundary, not at it */
    double changes;   /* where it was found to change next, as far as is remembered */
    uint16_t unasked; /* for so many steps it is left to looks (event/clock_change.c), */
    uint16_t unasked_next; /* and when it is again */
    bool near;     /* within rounding of its boundary: `left` is what it is about to become */
    bool leaves;   /* it was at its boundary behind the event, and leads away from it */
    int8_t tie;    /* at its boundary in this event, leaves it to this side; 0: not */
    uint8_t turns; /* times that this was decided otherwise */
    uint8_t kind;  /* of a plain one: XOp */
    /* and the rest: */
    X self;         /* the comparison, over the positions of op */
    X source;       /* kept: the function as the relation has it */
    X difference;   /* left - right; of functions their argument, which crosses boundaries */
    X unit;         /* b of mod(a, b), whose floor(a/b) is kept; 0: it is no mod */
    X factor, rest; /* timed: difference = factor * clock + rest */
    uint32_t tight; /* kept: how many times in a row it jumped so soon that rounding makes it */
    double jumped;  /* and when it got another value last */
    double lower;   /* difference at the look before `low` */
    double swing;   /* how much it moves from look to look: eval/looks.h */
    double nominal; /* of what is compared, as the modeller says */
    double least;   /* difference below which errors explain that it moved; 0: all counts */
    double
        reach; /* largest difference on the side from which it moved, as far as the search looked */
    double rounding, tolerance, bound_to; /* its error bound, up to that time */
    uint64_t bound_event;                 /* and behind the event of that number */
} Compare;

typedef struct EvalOp {
    const Code *code;
    const uint32_t *vars; /* the relation's, by position */
    CodeId id;
    DdpRel rel;
    DdpVar target; /* 0: residual */
    X value;       /* what is evaluated, over the positions */
    X source;      /* the same as the DDP gave it: without places of what is kept */
} EvalOp;

typedef enum NodePlace {
    PLACE_NONE,       /* does not vary, or is not determined */
    PLACE_DYNAMICS,   /* slopes of states need it */
    PLACE_CONDITIONS, /* only conditions do */
    PLACE_OUTPUTS     /* neither: evaluated when somebody looks */
} NodePlace;

/* A node in the update that is going on. update.c */
typedef struct NodeUpdate {
    bool acts;     /* it belongs to a `when` that acts */
    bool skipped;  /* due, and left alone: in Sim.update.skipped */
    bool exempt;   /* it acts behind what is left alone: in Sim.update.exempt */
    bool open;     /* a constraint that may be singular: in Sim.solve.unexamined */
    uint32_t left; /* == Sim.update.number: left alone */
} NodeUpdate;

/* Its index + 1 in the lists of its part, 0: not in it. part_members.c */
typedef struct NodeInLists {
    uint32_t watch, timer, root;
    uint32_t described; /* in what solve/inline_equations.c has of all parts */
} NodeInLists;

/* Scratch of part_cut.c. */
typedef struct NodeSearch {
    uint32_t group, seen;
} NodeSearch;

typedef struct EvalNode {
    bool live : 1, determined : 1, loop : 1, linear : 1, constant : 1, varies : 1;
    bool dirty : 1;    /* in the heap of what has to be evaluated */
    bool clocked : 1;  /* reads the clock, or something that does, not only through states */
    bool compares : 1; /* compares something that varies, or rounds it: may jump between events */
    bool outer : 1;    /* loop whose tearing variables are unknowns of its part's integrator */
    bool timed : 1;    /* some comparison is a time event */
    bool waits : 1;    /* an output that changed and was not evaluated since */
    bool listed : 1;   /* in Sim.loop.unsettled */
    bool kept : 1;     /* the commit that is applied changed it, but not what it does */
    bool in_output_plan : 1; /* output_plan.c: output follows from it */
    bool factored;           /* loop: node_lu() holds factors */
    bool untorn;             /* loop: solved as a whole, by `whole`; node_lu() is not used */
    bool holds;              /* some function that jumps is kept between events (hold.c) */
    bool forced; /* in this event a comparison at its boundary was decided by the side it
                          leaves to */
    bool needed[NEED_KINDS];
    uint8_t place; /* NodePlace: where it was put when parts were settled last */
    bool remade;   /* in Sim.build.remade: to be made anew by the commit that is applied */
    uint8_t made;  /* how often a node of this number was made, for who watches (live_graph.c) */
    NodeUpdate in_update;
    uint32_t mark;
    uint32_t n_steps, n_tears;
    EvalOp *ops; /* steps, then residuals; the begin of one allocation, see node_kept() */
    Part *part;
    uint64_t
        point_number; /* of an output: when it was evaluated, or node_made_at(); of others: when it was looked at */
    ReadEdge *reads; /* in the allocation of `ops` */
    uint32_t n_reads, n_compares;
    uint32_t varying; /* with comparisons: which variables varied when these were made */
    NodeSearch search;
    NodeInLists in;
    struct Segment *segment; /* of an order, or NULL */
    Compare *compare;
    uint32_t *place_vars;     /* variables of ops that compare, and places behind them; or NULL */
    struct SegmentPlan *plan; /* of the comparisons, tape_plan.c; NULL: not asked for */
} EvalNode;

/* Where it belongs now. */
static inline NodePlace node_place(const EvalNode *node)
{
    if (!node->live || !node->varies || !node->determined)
        return PLACE_NONE;
    return node->needed[NEED_DYNAMICS]     ? PLACE_DYNAMICS
           : node->needed[NEED_CONDITIONS] ? PLACE_CONDITIONS
                                           : PLACE_OUTPUTS;
}

/* EvalNode.point_number of a node that was made, or made anew, at this point and was not evaluated since: no point has
 * this number. */
static inline uint64_t node_made_at(uint64_t point_number)
{
    return ~point_number;
}

typedef struct DirtyNode {
    uint64_t label; /* ddp_label() since the last commit */
    DdpNode node;
} DirtyNode;

/* In the allocation of a node lie, one behind the other: ops; of a loop NodeLoop, kept and lu;
 * reads; the variables of the ops; tears and pivot. */

/* How a loop is solved. */
typedef struct LoopForm {
    bool untorn, factored, checked; /* as in EvalNode and NodeLoop */
} LoopForm;

/* What only loops have. */
typedef struct NodeLoop {
    bool noted;       /* by its part: node_kept() has the values of its last step or event */
    bool tried;       /* it was solved: `kept` is how, not how it was made */
    bool alone;       /* when it was solved last no part evaluated it */
    bool made_untorn; /* EvalNode.untorn when it was made */
    LoopForm kept;    /* what its next solution begins with (loop_keep.c) */
    bool given_whole; /* solved as a whole because the DDP says so */
    bool checked;     /* what `check` has of the relations is true */
    DdpVar *tears;
    struct LoopWhole *whole; /* loop_whole.c; NULL: not made yet */
    struct LoopBlock *code;  /* loop_code.c; NULL: not asked for */
    struct LoopCheck *check; /* loop_check.c; likewise */
    uint32_t steps;          /* of its part, counted by part_keep_loops */
    uint32_t inner;          /* index + 1 in the list of its part, 0: not in it */
} NodeLoop;

static inline NodeLoop *node_loop(const EvalNode *node)
{
    return (NodeLoop *)(node->ops + node->n_steps + node->n_tears);
}

/* [n_tears] */
static inline DdpVar *node_tears(const EvalNode *node)
{
    return node_loop(node)->tears;
}

/* Of a loop: its variables, as its next solution in its part begins with them. */
static inline double *node_kept(const EvalNode *node)
{
    return (double *)(node_loop(node) + 1);
}

/* Of a loop: factors of its Jacobian at the last solution, dense_lu_room(n_tears). */
static inline double *node_lu(const EvalNode *node)
{
    return node_kept(node) + node->n_steps + node->n_tears;
}

/* And its exchanges, dense_lu_pivots(n_tears). */
static inline uint32_t *node_pivot(const EvalNode *node)
{
    return node_tears(node) + node->n_tears;
}

/* The i-th variable that a node determines: targets of its steps, then tearing variables. */
static inline DdpVar node_output(const EvalNode *node, uint32_t i)
{
    return i < node->n_steps ? node->ops[i].target : node_tears(node)[i - node->n_steps];
}

#endif
