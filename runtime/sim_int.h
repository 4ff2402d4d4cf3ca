/* sim_int.h: one simulation from the inside. Private to runtime/.
 *
 * Who owns what:
 *   Values    value of every variable by its DDP number, and whether it has one      values.c
 *   Nodes     the DDP's nodes as codes with their variables, and who reads whom      nodes.c
 *   Ropes     nodes in the order of the schedule, cut into leaves                    rope.c
 *   Parts     independent pieces of the dynamics, each with its integrator           part_graph.c
 *   Branches  memory of every condition                                              event_iterate.c
 *   Compares  what may change between events                                         event_detect.c
 *
 * Time: parts integrate on their own and stand at different times. What is in the value vector for
 * a part is what was last asked of it; `moment` numbers the points of time at which somebody looks
 * (events, outputs), and a part or an output that carries this number has its values at Sim.time.
 * Who reads a value in an event asks evaluate_fetch() first, which brings the part there.
 *
 * Error rule inside: functions return a SolStatus; whoever returns the first one that is not SOL_OK
 * has put a message into the program's diagnostics. Memory runs out by a jump to the guard that the
 * public function set (simulation.c).
 */
#ifndef RUNTIME_SIM_INT_H
#define RUNTIME_SIM_INT_H

#include "base/map.h"
#include "base/timer.h"
#include "frontend/world.h"
#include "jit/interp.h"
#include "runtime/foreign/foreign.h"
#include "runtime/solstice.h"

#include <stdatomic.h>

typedef struct Sim Sim;
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
    ReadEdge *readers;
    DdpNode node;              /* that determines it, 0: none */
    uint32_t need[NEED_KINDS]; /* how many read it for this purpose: nodes and roots */
    uint32_t state;            /* index in Sim.states + 1, 0: no state */
    Part *part;                /* of a state */
    DdpVar slope_of;           /* first state whose slope this is, 0: none */
    DdpVar slope_next;         /* of a state: the next one with the same slope */
    uint32_t branches;         /* first branch whose condition it is, 0: none */
    uint32_t group, seen;      /* of a state: scratch of part_graph.c */
    uint32_t wanted;           /* index in Sim.wanted + 1: its values are; 0: not */
    uint32_t mark;             /* == Sim.mark: seen by the walk that is going on */
    uint32_t left;             /* == Sim.update: left alone in this update (update.c, U1) */
    uint32_t old;              /* index in Sim.olds, if that is of this variable */
    uint32_t pulsed;           /* number of the update in which a `when` that acted determined it */
    bool has;                  /* it has a value */
    bool guess;                /* value is a first guess from a start value */
    bool stiff;                /* method.c: as a state it was in a stiff part */
    bool linked : 1;    /* part_graph.c: connected its readers when parts were settled last */
    bool clocked : 1;   /* follows the clock other than through states */
    bool pending : 1;   /* its node still has to be evaluated: do not read */
    bool announced : 1; /* the output was told of its birth */
    bool glanced : 1;   /* glance.c: output follows from it */
    bool varied : 1;    /* it varied between events, by the last commit that named it */
    uint64_t birth;
} ValueInfo;

/* ---- nodes (evaluate.c) ---- */

/* A comparison, or a function that jumps, inside what a node evaluates: where events come from. */
typedef struct Compare {
    X self;         /* the comparison, over the positions of op */
    X source;       /* kept: the function as the relation has it */
    X difference;   /* left - right; of functions their argument, which crosses boundaries */
    X unit;         /* b of mod(a, b), whose floor(a/b) is kept; 0: it is no mod */
    DdpVar slot;    /* keeps its value between events (hold.c); 0: a condition remembers it */
    double jumped;  /* kept: when it got another value last */
    uint32_t tight; /* and how many times in a row that was so soon that rounding makes it */
    const Code *self_code, *difference_code;
    double left;      /* value at the begin of the interval that is searched */
    double low, high; /* difference at the ends of the bracket */
    uint32_t op;      /* index in EvalNode.ops */
    X factor, rest;   /* timed: difference = factor * clock + rest */
    bool timed;       /* linear in the clock with fixed factors: a time event, never searched for */
    bool moved;       /* changed between low and high */
    bool masked;      /* until the next event: whatever it is, the value of its node stays */
    bool close;       /* `tie` was decided within rounding of its boundary, not at it */
    bool near;        /* within rounding of its boundary: `left` is what it is about to become */
    int8_t tie;       /* at its boundary in this event, leaves it to this side; 0: not */
    uint8_t turns;    /* times that this was decided otherwise */
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

typedef struct EvalNode {
    bool live : 1, determined : 1, loop : 1, linear : 1, constant : 1, varies : 1;
    bool dirty : 1;    /* in the heap of what has to be evaluated */
    bool clocked : 1;  /* reads the clock, or something that does, not only through states */
    bool compares : 1; /* compares something that varies, or rounds it: may jump between events */
    bool outer : 1;    /* loop whose tearing variables are unknowns of its part's integrator */
    bool timed : 1;    /* some comparison is a time event */
    bool waits : 1;    /* an output that changed and was not evaluated since */
    bool listed : 1;   /* in Sim.unsettled */
    bool kept : 1;     /* the commit that is applied changed it, but not what it does */
    bool glanced : 1;  /* glance.c: output follows from it */
    bool factored;     /* loop: node_lu() holds factors */
    bool untorn;       /* loop: solved as a whole, by `whole`; node_lu() is not used */
    bool given_whole;  /* loop: so by the DDP */
    bool checked;      /* loop: what NodeLoop.check has of the relations is true */
    bool holds;        /* some function that jumps is kept between events (hold.c) */
    bool forced;       /* in this event a comparison at its boundary was decided by the side it
                          leaves to */
    bool needed[NEED_KINDS];
    uint8_t place; /* NodePlace: where it was put when parts were settled last */
    bool remade;   /* in Sim.remade: to be made anew by the commit that is applied */
    bool acts;     /* it belongs to a `when` that acts in this update */
    bool skipped;  /* due, and left alone: in Sim.skipped */
    bool exempt;   /* it acts behind what is left alone: in Sim.exempt */
    uint32_t left; /* == Sim.update: left alone in this update (update.c) */
    uint32_t mark;
    uint32_t group, seen;        /* scratch of part_graph.c */
    uint32_t watch, timer, root; /* index + 1 in the lists of its part, 0: not in it */
    uint32_t n_steps, n_tears, n_reads, n_compares;
    uint32_t varying; /* with comparisons: which variables varied when these were made */
    uint64_t moment;  /* of an output: when it was evaluated; of others: glanced at */
    Part *part;
    struct Leaf *leaf; /* of a rope, or NULL */
    EvalOp *ops;       /* steps, then residuals; the begin of one allocation, see node_kept() */
    ReadEdge *reads;   /* in it */
    Compare *compare;
    uint32_t *place_vars;  /* variables of ops that compare, and places behind them; or NULL */
    struct LeafPlan *plan; /* of the comparisons, tape_plan.c; NULL: not asked for */
} EvalNode;

typedef struct DirtyNode {
    uint64_t label; /* ddp_label() since the last commit */
    DdpNode node;
} DirtyNode;

/* In the allocation of a node lie, one behind the other: ops; of a loop NodeLoop, kept and lu;
 * reads; the variables of the ops; tears and pivot. */

/* What only loops have. */
typedef struct NodeLoop {
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

/* ---- branches (event_iterate.c) ---- */

/* The firings of a condition that states caused. */
typedef struct Firings {
    double last;         /* time of the last one; NaN: none yet */
    double gap;          /* between the last two */
    double ratio, limit; /* to the gap before; where firings accumulate if it goes on */
    double first_gap;    /* when the gaps began to shrink */
    uint32_t shrinking;  /* how many times in a row the gap became smaller */
    uint32_t tight;      /* how many times in a row the gap was no longer than rounding */
} Firings;

typedef struct BranchMemo {
    bool live : 1;
    bool truth : 1;   /* `when`: of the condition when it was decided last, false before the first
                         time; `if`: the branch that is there */
    bool when : 1;    /* else `if` */
    bool noted : 1;   /* in Sim.modes_seen */
    bool suspect : 1; /* in Sim.suspects */
    bool newborn : 1; /* no branch was chosen yet */
    bool turned : 1;  /* in Sim.turned */
    uint8_t told;     /* WorldChoice the output knows of */
    uint32_t loose;   /* index in Sim.loose + 1: its path may lead elsewhere */
    DdpVar condition;
    BranchId next;    /* with the same condition */
    uint64_t serial;  /* SolMode.branch; 0: the output knows nothing */
    double fell;      /* when its truth ended between events, or infinite */
    Firings *firings; /* NULL: none yet, as of most */
} BranchMemo;

/* A condition that fired, as it was then: its branch may be gone when it is told. */
typedef struct CycleMemo {
    Place at;
    const char *text; /* in Sim.event_arena */
} CycleMemo;

typedef enum CauseKind { CAUSE_JUMP, CAUSE_SAMPLE, CAUSE_STATES, CAUSE_WRITTEN } CauseKind;

typedef struct EventCause {
    const char *function; /* that jumped */
    CauseKind kind;
    uint32_t number; /* relation or variable */
} EventCause;

typedef struct SampleMemo {
    DdpVar var;
    double origin, interval;
    uint64_t next; /* due at origin + next * interval */
} SampleMemo;

typedef struct PreMemo {
    DdpVar var, of;
} PreMemo;

typedef struct StartMemo {
    DdpRel rel;
    DdpVar start, var;
    bool given; /* a state got it */
    bool again; /* it comes back with the else branch of a `when` (U5) */
    Place at;
} StartMemo;

typedef struct OldValue {
    DdpVar var;
    double value;
} OldValue;

typedef struct CoutMemo {
    DdpVar var;
    double shown;
    bool any;
} CoutMemo;

/* ---- states and parts ---- */

typedef struct StateInfo {
    DdpVar var, slope;
    DdpRel rel;
} StateInfo;

typedef struct SimCounts {
    uint64_t steps, residuals, jacobians, sweeps, newton, error_failures, events, updates, restarts,
        loop_rounds;
    uint32_t states_max, parts, parts_max;
    double instantiate, ddp, lower, integrate, event, output;
    double time[3]; /* [PartMethod - PART_IDA]: simulated by each */
    uint64_t method_changes;
} SimCounts;

typedef VEC(DdpNode) NodeList;

/* ---- ropes (rope.c) ---- */

/* Nodes in the order of the schedule, changed locally. A leaf is what becomes a block of code: a
 * run of explicit nodes of one instance, or a single node that is a loop or compares something. */
typedef struct Leaf {
    struct Chunk *chunk;
    NodeList nodes;
    bool plain;              /* a run of explicit nodes */
    bool probe;              /* conditions need something in it */
    uint32_t dirty;          /* index in Rope.dirty + 1 */
    uint32_t fresh;          /* index in Rope.fresh + 1 */
    uint32_t queued;         /* tape_patch.c: by the patch of this number */
    struct LeafCode *code;   /* blocks.c; NULL: not asked for since it changed */
    struct LeafPlan *plan;   /* tape_plan.c; likewise */
    struct LeafReads *reads; /* pattern.c; likewise */
} Leaf;

enum { CHUNK_LEAVES = 64 };

typedef struct Chunk {
    struct Rope *rope;
    uint32_t at; /* in Rope.chunks */
    uint32_t n;
    uint32_t room; /* of `leaf`: small parts have few leaves */
    Leaf **leaf;
} Chunk;

typedef struct Rope {
    uint32_t version; /* counts changes of leaves */
    uint32_t n;       /* nodes */
    uint32_t n_leaves;
    VEC(Chunk *) chunks;
    NodeList incoming; /* to be put in place by rope_settle */
    VEC(Leaf *) dirty; /* to be cut anew by it */
    struct Tape *tape; /* that is told of leaves that go; NULL: nobody is */
    VEC(Leaf *) fresh; /* leaves that came since `tape` was made or patched; NULL: gone again */
} Rope;

#define EACH_LEAF(rope, leaf)                                                                      \
    for (uint32_t c_ = 0; c_ < (rope)->chunks.n; c_++)                                             \
        for (uint32_t l_ = 0, last_ = (rope)->chunks.at[c_]->n; l_ < last_; l_++)                  \
            for (Leaf *leaf = (rope)->chunks.at[c_]->leaf[l_]; leaf; leaf = NULL)

/* Parts ordered by a time; by what: part_heap.c. */
typedef struct PartKey {
    double key;     /* as it was when the part was put in order */
    uint32_t index; /* of the part, in Sim.parts */
} PartKey;
typedef struct PartHeap {
    PartKey *at;
    uint32_t *place; /* [index of a part]: its index in `at` + 1, 0: it is not there */
    uint32_t n, room;
} PartHeap;
enum { HEAP_BEHIND, HEAP_DUE, HEAP_CLOCKS, HEAPS };

struct Sim {
    SolModel *model;
    Sol *next; /* of the same model */
    Mem *mem;
    Program *program;
    Diags *diags;
    Def *top;
    uint32_t n_texts; /* files that were read when it was created */
    SolOptions opt;
    Arena opt_arena;
    SolStatus status;
    atomic_bool cancel;
    double cancel_seen; /* when somebody first noticed; 0: not yet */
    bool broken_off;    /* inside an event or a search: values are those of no point of time */
    bool assertion_failed;
    bool initialised;
    SolStatus start_status; /* how that ended */
    bool sets_checked;
    uint64_t births_at_start; /* Sim.births then */

    FormTable *forms;
    Ddp *ddp;
    Interp *interp;
    struct Engine *engine; /* blocks.c: native code; NULL: the interpreter does it all */
    Foreign *foreign;
    World *world;
    WorldHost host;
    struct Audit *audit; /* audit.h; NULL: not asked for */

    /* values */
    double *value;   /* [var] */
    double *tangent; /* [var], all 0 between uses */
    ValueInfo *info; /* [var] */
    double *scale; /* [var]: largest value so far, in constrained parts (reselect.c); NULL: none */
    uint32_t n_values;
    uint64_t births;
    uint64_t changes; /* by values_set() */
    uint32_t mark;
    DdpVar clock;
    double time;

    /* nodes */
    VEC(EvalNode) nodes;    /* [DdpNode] */
    Map codes;              /* expression and target position -> CodeId * 2 + whether it jumps */
    VEC(DirtyNode) heap;    /* dirty nodes, earliest first */
    VEC(DdpNode) held_back; /* loops that were dirty while hold_loops was set */
    VEC(DdpVar) dying;      /* removed by the front end, not committed yet */
    VEC(DdpVar) orphans;    /* lost their node in the delta that is applied */
    VEC(uint32_t) need_work;
    VEC(uint8_t) differentiated; /* [DdpRel]: the DDP differentiated it */
    bool hold_loops;             /* loops are not evaluated now: branches have to be chosen first */
    uint8_t boldness;            /* init.c: what was tried to decide newborn branches */
    uint8_t choices;             /* of states, in this update */
    bool guessed;
    bool applying;      /* the order of the heap is not kept now */
    bool break_ties;    /* in an event: comparisons at their boundary look ahead */
    bool quiet;         /* failures of loops are no messages: the integrator will try again */
    NodeList unsettled; /* nodes whose place may have changed */
    VEC(DdpVar) cuts;   /* what nodes that left the parts had connected */
    VEC(DdpVar) clocked_work;
    VEC(DdpVar) lacking; /* states that were born without a value */
    Rope outputs;
    NodeList compared;                   /* nodes that compare and were evaluated by change */
    NodeList followers, remade;          /* scratch of nodes_apply */
    NodeList fetch_stack;                /* scratch of evaluate_fetch: node, next read */
    NodeList narrow_nodes, narrow_needs; /* event_detect.c: who changed in a step; scratch */
    NodeList tied;                       /* scratch of tape.c */
    double search_left;    /* event_detect.c: the other end of the bracket that was found */
    uint64_t moment;       /* number of the point of time that is looked at */
    uint64_t structures;   /* so many times another one was taken over */
    SolStatus meet_status; /* why a part could not be brought there */
    double *scratch;       /* of the interpreter */
    size_t n_scratch;
    double *loop_work;
    size_t n_loop_work;

    /* the update that is going on (update.c) */
    uint32_t update;      /* its number; some more where marks are made anew */
    uint32_t update_from; /* the first of these */
    uint32_t pulse_from;  /* of the update before */
    bool updating;        /* the structure is complete: conditions may turn against their branch */
    bool acting;          /* a `when` acts */
    bool looking_back;    /* what is left alone gets its value before the event */
    bool update_due; /* a structural change began an update: it counts from its first commit on */
    VEC(BranchId) turned;   /* `if`s whose condition came out against the branch that is there */
    NodeList skipped;       /* due, and left alone */
    NodeList marking;       /* scratch */
    NodeList marked;        /* what was marked since marks were made anew */
    NodeList exempt;        /* what acts behind it */
    VEC(DdpVar) undecided;  /* what `if`s may determine that are born and stay undecided */
    VEC(OldValue) olds;     /* values of the update before, of what changed in this one */
    uint64_t births_before; /* Sim.births when it began */
    VEC(BranchId) deferred; /* whose conditions depend on what is left alone (U2) */

    /* roles */
    VEC(BranchMemo) branches; /* [BranchId] */
    VEC(SampleMemo) samples;
    VEC(PreMemo) pres;
    VEC(StartMemo) starts; /* of this update */
    NodeList
        unexamined; /* constraints made by this update: their choice of states is to be looked at */
    VEC(DdpVar) zeroed; /* states that nobody gave a value in this update */
    VEC(CoutMemo) couts;
    VEC(DdpVar) initials;
    VEC(const Def *) monitored; /* definitions whose instances are */
    VEC(WorldDecision) decisions;
    uint32_t decided_before;              /* of these, before initial() ended (U4) */
    VEC(BranchId) suspects;               /* whose condition may have changed */
    VEC(BranchId) loose;                  /* whose condition may be another variable */
    VEC(DdpVar) wanted;                   /* whose values the output wants */
    VEC(DdpNode) forced;                  /* nodes with `forced` set */
    double tie_time;                      /* when that was */
    VEC(DdpVar) births_seen, deaths_seen; /* for the output, since its last point */
    VEC(BranchId) modes_seen;             /* `if`s that were born or chose since then */
    VEC(uint64_t) modes_gone;             /* serial numbers of those the output knew */
    uint64_t mode_serial;                 /* given so far */
    VEC(DdpVar) integers;                 /* got another relation in this event: to be checked */
    bool role_failed;
    VEC(CycleMemo) cycle;  /* conditions that fired in the last updates that an event may have */
    uint32_t tight_events; /* in a row that cannot be told apart by their time */
    double event_time;     /* of the last one */
    struct ModeSearch *search; /* of this event (mode_search.c), or NULL */
    BranchId runaway;          /* a condition that fires ever faster; 0: none */
    bool structure_changed;    /* in this event */
    bool combining;            /* singular loops may change the structure (loop_combine.h) */
    bool combined;             /* one did: what was evaluated is to be done again */

    /* states and parts */
    VEC(StateInfo) states; /* in no order */
    VEC(Part *) parts;     /* likewise */
    VEC(Part *) touched;   /* by the event: to be started or searched again */
    VEC(Part *) due;       /* whose event it is */
    VEC(Part *) to_search; /* for events behind the one that is past */
    PartHeap heaps[HEAPS];
    const struct Integrator *const *integrators; /* [PartMethod] */
    bool (*part_met)(Part *part); /* its conditions may have changed: true if one would fire */
    bool running;                 /* the parts have integrators */
    char trouble[800];            /* trouble.c: what had no value in this step; empty: nothing */
    Place trouble_at;
    void *sun;                        /* SUNContext */
    struct PatternSets *pattern_sets; /* pattern.c: scratch */
    VEC(uint64_t) sums_before;        /* rebuild.c, in builds with verifiers */
    uint64_t grid;                    /* Euler: whole steps taken since the start */
    double grid_time;                 /* Euler: where the last step ended */

    /* output */
    struct {
        bool valid;
        VEC(uint32_t) items;
        VEC(DdpVar) vars; /* that have `glanced` set */
        NodeList nodes;   /* likewise */
    } glance;             /* glance.c: what wanted variables need */
    SolOutput out;
    double *out_values;
    bool shown;      /* some point was */
    uint32_t n_told; /* variables that were told to have no value */
    DdpVar told[3];
    bool unseen;       /* the point that was to be shown last has no values */
    double last_point; /* when */
    uint32_t n_out_values;
    double next_output;
    uint64_t output_index;
    void (*on_event)(void *context, const SolEvent *event);
    void *on_event_context;
    SolEvent event; /* being made */
    VEC(const char *) trigger_texts;
    uint64_t births_at_event;   /* of variables, when it began */
    Map started_again;          /* place of a start -> 1: it was told that it counts again */
    VEC(EventCause) causes;     /* of the event, besides conditions (event_cause.c) */
    VEC(uint32_t) event_states; /* after each update that changed the structure */
    Arena event_arena;
    double left_time; /* where the values before the event are taken; Sim.time: nowhere else */
    double event_begin;
    double met_seconds;   /* bringing parts to the time of the event, before it begins */
    bool event_untold;    /* the event is over, the client does not know of it yet */
    double waited_before; /* for the compiler, when it was */
    uint64_t work;        /* SolEvent.touched, summed up, in this process; between events too */
    uint64_t work_before; /* when the event began */
    uint64_t entered_before, removed_before;

    DdpResult last;
    SimCounts counts;
    double created_at;
};

struct Sol {
    Sim sim;
};

struct SolModel {
    Mem *mem;
    char *path; /* of the file, or NULL */
    struct JitAhead *ahead;
    Program *program;
    Sol *sims;
    SolStatus load_status; /* of the text */
    SolStatus status;      /* of the last call */
    double parse_seconds;
};

/* ---- options_fill.c ---- */

bool options_fill(Sim *sim, const SolOptions *options); /* false: a message says what is wrong */

/* ---- values.c ---- */

void values_grow(Sim *sim); /* room for every variable the DDP knows */
/* A variable or parameter of the text, no derivative of one. */
bool values_declared(const Sim *sim, DdpVar var, WorldVar *view);
double values_scale(const Sim *sim, DdpVar var);
void values_set_scale(Sim *sim, DdpVar var, double scale);
void values_set(Sim *sim, DdpVar var, double value); /* and whoever reads it has to be evaluated */
void values_close(Sim *sim);

/* ---- cancel.c ---- */

/* For what may last: a cancellation was asked for and no consistent point came within a moment, so that what
 * is going on has to be broken off with SOL_CANCELLED. */
bool cancel_break_off(Sim *sim);

/* ---- codes.c, evaluate.c ---- */

double evaluate_foreign(void *sim, uint32_t function, uint32_t n, const double *args);
bool evaluate_all_finite(uint32_t n, const double *values);
void evaluate_order_changed(Sim *sim); /* the heap follows the schedule */
void evaluate_need(Sim *sim, DdpVar var, int kind, int change);
void evaluate_gather(Sim *sim, DdpVar var); /* before its value changes */
void evaluate_touch(Sim *sim, DdpVar var);  /* its readers have to be evaluated */
void evaluate_touch_node(Sim *sim, DdpNode node);
void evaluate_disturb_part(const EvalNode *node); /* it was evaluated, or is another one now */
SolStatus evaluate_dirty(Sim *sim); /* until nothing is left but what waits for a value */
bool evaluate_release(Sim *sim);    /* loops that were held back; false: there were none */
/* The relation that determines `var`, inside whatever node; 0: none. */
DdpRel evaluate_relation_of(const Sim *sim, DdpVar var);
SolStatus evaluate_node(Sim *sim, DdpNode node);
/* A loop whose functions that jump are decided with it; `changed`: one of them has another value. */
SolStatus evaluate_pieces(Sim *sim, DdpNode node, bool *changed);
bool evaluate_is_determined(const Sim *sim, DdpVar var); /* in this update */
SolStatus evaluate_renew(Sim *sim, DdpNode node); /* and those who read it are due if it changed */
SolStatus evaluate_list(Sim *sim, const NodeList *list);
void evaluate_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to, double *results);
void evaluate_tangent_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to,
                          double *result_tangents);
void evaluate_tangent_node(Sim *sim, DdpNode node); /* the same for a whole node, loops solved */
/* slope.c: rate of change of `code`, over the variables of an operation of node n, along the
 * solution. */
/* Sizes that bound the rounding of a value, what the tolerances of states make of it, and its rate
 * of change along the solution (error_bound.c). */
typedef struct ErrorBound {
    double rounding, tolerance, speed;
} ErrorBound;

ErrorBound error_bound(Sim *sim, const EvalOp *op, const Code *code);
double slope_along(Sim *sim, DdpNode n, const EvalOp *op, const Code *code);
void evaluate_clear_tangents(Sim *sim, DdpNode node);
NodePlace evaluate_place(const EvalNode *node); /* where it belongs now */
/* Values at Sim.time of `var` and of what it needs: its part is brought there, an output evaluated.
 */
SolStatus evaluate_fetch(Sim *sim, DdpVar var);
/* The same without bringing any part there: false when that would be needed. */
bool evaluate_fetch_met(Sim *sim, DdpVar var);
bool evaluate_is_stale(const Sim *sim, const EvalNode *node);
SolStatus evaluate_output(Sim *sim, DdpNode node); /* what it reads was */
SolStatus evaluate_outputs(Sim *sim);              /* all of them */
SolStatus evaluate_rope(Sim *sim, Rope *rope);     /* outer loops are solved */
void evaluate_unsettle(Sim *sim, DdpNode node);
double evaluate_code(Sim *sim, const Code *code, const uint32_t *vars);
bool evaluate_change_op(Sim *sim, EvalOp *op, X value); /* from now on; true: it may jump */
const Code *evaluate_make_code(Sim *sim, X x);          /* of one value without target */

/* ---- world_host.c, nodes.c ---- */

void world_host_open(Sim *sim);
DdpResult nodes_commit(Sim *sim, DdpCommit kind); /* ddp_commit, and everything kept up to date */
void nodes_apply(Sim *sim);                       /* the delta of the last commit */
void nodes_close(Sim *sim);

/* ---- rebuild.c ---- */

/* Nodes, states and parts are made anew from the DDP and from values at Sim.time, and depend on
 * nothing else; of what they were nothing is left. Parts have no integrators then. In three steps:
 * behind the first the DDP is as if nobody had used it, behind the second whoever knows gives nodes
 * and branches their memory back. */
void rebuild_clear(Sim *sim);
void rebuild_nodes(Sim *sim);
void rebuild_parts(Sim *sim);

/* ---- glance.c ---- */

/* Values at Sim.time of all wanted variables, at an output point, after which nobody needs the
 * rest: of a part only what they need is evaluated, and the part has not met. */
SolStatus glance_wanted(Sim *sim);
void glance_forget(Sim *sim); /* what they need is different now */

/* ---- rope.c ---- */

void rope_add(Sim *sim, Rope *rope, DdpNode node); /* it is there after rope_settle */
void rope_remove(Sim *sim, DdpNode node);          /* from wherever it is, at once */
void rope_shift(Sim *sim, DdpNode node); /* its place in the order changed: out, and in again */
void rope_settle(Sim *sim, Rope *rope);
void rope_free(Sim *sim, Rope *rope);
void rope_forget_fresh(Rope *rope);
void rope_probe(Sim *sim, Leaf *leaf); /* finds out again whether conditions need it */
void rope_list(Sim *sim, const Rope *rope, NodeList *list);
void rope_sort(Sim *sim, NodeList *list); /* any nodes, into the order of the schedule */

/* ---- part_graph.c: which parts there are ---- */

void part_graph_take_out(Sim *sim, DdpNode node); /* before a node goes or changes */
void part_graph_state_ends(Sim *sim, DdpVar var, DdpVar slope);
void part_graph_state_begins(Sim *sim, DdpVar var, DdpVar slope);
void part_graph_settle(Sim *sim);             /* after a final commit: parts fit the structure */
void part_graph_root(Sim *sim, DdpNode node); /* one of its variables became a condition, or none */
void part_graph_verify(Sim *sim);             /* debug builds: parts are the connected components */

/* ---- loop_solve.c ---- */

enum { LOOP_TORN = 60 }; /* most tearing variables of a loop that is solved torn */

/* Places behind the last of Sim.value and Sim.tangent, for residuals that native code computes. */
enum { VALUES_ROOM = 64 };

SolStatus loop_solve(Sim *sim, DdpNode node);
void loop_solve_forget(Sim *sim, EvalNode *node); /* all it keeps beside the node's block */
/* Tangents of a loop's variables from those of what it reads, at its solution. */
void loop_solve_tangent(Sim *sim, DdpNode node);

/* ---- init.c ---- */

SolStatus init_open_world(Sim *sim); /* what comes before the first instance */
SolStatus init_create(Sim *sim);
SolStatus init_choose(Sim *sim); /* Sim.decisions as one structural change */
/* After that: commits, values and choices of the newborn until nothing changes. */
SolStatus init_settle(Sim *sim);
SolStatus init_finish(Sim *sim); /* final commit; diagnosis when it is not determined */
SolStatus init_take_changes(Sim *sim);

/* ---- start_guess.c, start_solve.c ---- */

void start_guess(Sim *sim); /* first guesses of what follows from start values */

/* Start values of variables that are no states, met by the states that nobody gave a value. */
SolStatus start_solve(Sim *sim);

/* ---- set_check.c ---- */

SolStatus set_check(Sim *sim); /* after the start: SOL_USAGE when a path of opt.sets is a slip */
void set_check_end(Sim *sim);  /* warns once of those that nothing had */

/* ---- integer_check.c ---- */

void integer_note(Sim *sim);       /* after a commit */
SolStatus integer_check(Sim *sim); /* after a final one, of those noted */

/* ---- explain.c: failures in the modeller's words ---- */

SolStatus explain_structure(Sim *sim);
SolStatus explain_newborn(Sim *sim);
const char *explain_var(Sim *sim, DdpVar var); /* path, in event_arena */
const char *explain_rel(Sim *sim, DdpRel rel);
const char *explain_condition(Sim *sim, BranchId branch); /* "path: text" */
/* The text alone; of a condition that has no expression now, the name of its variable. */
void explain_condition_text(const Sim *sim, const WorldBranch *branch, char *out, size_t size);
const char *explain_assertion(Sim *sim, const WorldBranch *branch); /* what should hold */
/* Notes: the equation that determines a variable, or those that do so together. */
void explain_determined_by(Sim *sim, DdpVar var);
void explain_values(Sim *sim, const EvalOp *op); /* notes: values of what it reads */
void explain_values_of(Sim *sim, DdpRel rel);    /* likewise, of all that the relation names */

/* ---- trouble.c: what had no value inside a step, in case the integrator gives up ---- */

void trouble_forget(Sim *sim); /* a step begins */
void trouble_in_loop(Sim *sim, const EvalNode *node);
void trouble_in_nodes(Sim *sim, const NodeList *list);
bool trouble_tell(Sim *sim); /* a note; false: there was nothing */

/* ---- update.c: rules U1, U2, U4, U5 ---- */

void update_begin(Sim *sim);
bool update_turned_back(Sim *sim);    /* more has to be evaluated */
void update_resume(Sim *sim);         /* the structure is complete */
SolStatus update_look_back(Sim *sim); /* an event begins: values of what is left alone */
void update_condition(Sim *sim, DdpVar var);
bool update_skips(Sim *sim, DdpNode node); /* it is due: is it left alone? */
SolStatus update_needs(Sim *sim,
                       DdpNode node); /* what it needs of what is left alone, if it acts */
SolStatus update_undecided(Sim *sim, uint32_t n, const DdpVar *vars); /* who waits is left alone */
bool update_left_alone(const Sim *sim, DdpVar var);
bool update_branch_turned(const Sim *sim, BranchId branch); /* it stands in a branch left alone */
bool update_branch_acts(const Sim *sim, BranchId branch);   /* it stands in a `when` that acts */
bool update_compute(Sim *sim, DdpVar var); /* though it is left alone; false: that failed */
bool update_acts(const Sim *sim, const EvalNode *node);
void update_note_pulse(Sim *sim, const EvalNode *node); /* it was evaluated */
bool update_pulsed(Sim *sim, DdpVar var);
void update_note_old(Sim *sim, DdpVar var, double value);
const OldValue *update_find_old(const Sim *sim, DdpVar var);
double update_value_before(const Sim *sim, DdpVar var);
void update_end(Sim *sim);

/* ---- event_iterate.c ---- */

/* All updates at the present time, after values at the left limit were evaluated. `first` at birth.
 */
SolStatus event_iterate(Sim *sim, bool first);
void event_branch_changed(Sim *sim, const WorldChange *change);
void event_note_mode(Sim *sim, BranchId branch); /* its choice may have changed */
double event_next_sample(const Sim *sim);
/* For a structure that is built anew: all branches lose their conditions, and get them back one by
 * one. */
void event_forget_branches(Sim *sim);
void event_link_branch(Sim *sim, BranchId branch, DdpVar condition);
void event_set_pres(Sim *sim); /* pre values are the present ones */

/* ---- hold.c, event_detect.c ---- */

/* Comparisons at their boundary are decided by the side they leave to; true when a condition changed. */
bool event_leave_ties(Sim *sim);
bool event_leave_close(Sim *sim); /* likewise, within rounding of it; decided again each time */
void event_forget_ties(Sim *sim);
/* Comparisons that the event left within rounding of their boundary, about to leave it. */
void event_leave_near(Sim *sim);
bool event_condition_falls(Sim *sim, DdpVar var);
/* Comparisons in `list` changed and no condition did: those that cannot matter before the next event are
 * not searched for until then. */
void event_mask(Sim *sim, const NodeList *list);
bool event_unmask(Sim *sim, const NodeList *changed,
                  const NodeList *all); /* true: some are not so any more */
/* Evaluates `nodes` there, or NULL: all that conditions need. */
typedef SolStatus (*EventAt)(void *context, double time, const NodeList *nodes);
/* The comparisons of Sim.narrow_nodes there, by another way: has one changed? If so, their `high`
 * and `moved` are set, else `low`. False: evaluate them. */
typedef bool (*EventLook)(void *context, double time, bool *changed);
/* A step is looked at in so many pieces: as many as it is long in compare_look(), up to a bound, and more
 * where the clock drives a comparison. */
int event_pieces(const Sim *sim, bool clocked, double length);
typedef struct EventSearch {
    const NodeList *nodes; /* those with comparisons */
    EventAt at;
    EventLook look; /* or NULL */
    void *context;
    bool clocked;
} EventSearch;
/* The first point in (from, to] at which a comparison has changed, to the right of the change;
 * values there are evaluated then. Who changed between there and the point before is in
 * Sim.narrow_nodes. */
SolStatus event_search(Sim *sim, const EventSearch *search, double from, double to, double *time,
                       bool *found);
/* The same when it is known that at `to` those in Sim.narrow_nodes have changed, and no other. */
SolStatus event_search_moved(Sim *sim, const EventSearch *search, double from, double to,
                             double *time, bool *found);
/* Has something that happened to the comparisons in Sim.narrow_nodes changed dynamics, or would an
 * update take a branch? */
bool event_is_real(Sim *sim);
/* Would an update take a branch? Of conditions that are values of `nodes`. */
bool event_conditions_changed(Sim *sim, const NodeList *nodes);
/* The same of all conditions of a part, and those that changed are looked at in the next update. */
bool event_suspect_changed(Part *part);
void event_forget_falls(Part *part); /* what is known of later times */
void event_suspect_var(Sim *sim, DdpVar var);
void event_unsettle(Sim *sim, DdpVar condition); /* its memory, or whose it is, changes */
void event_suspect(Sim *sim, BranchId branch);
void event_forget_suspects(Sim *sim);

/* ---- part.c ---- */

void part_disturb(Part *part); /* something its dynamics reads changed: restart */
void part_search_again(Part *part);
void part_touch(Part *part); /* its ropes have to be settled */
void part_meet(Part *part);  /* its values at Sim.time, all evaluated; failures go to meet_status */
bool part_glance(Part *part);     /* its states only; false: met as a whole */
bool part_may_glance(Part *part); /* one of its nodes is to be evaluated alone; false: likewise */
void parts_close(Sim *sim);
void parts_cross(
    Sim *sim); /* from the left side of an event: what conditions need is that of now */
/* Values before the event of what is left alone from its beginning on (U1). */
SolStatus parts_look_back(Sim *sim, const NodeList *nodes);
SolStatus parts_meet_all(Sim *sim);
SolStatus parts_meet_due(Sim *sim);        /* those whose event it is */
void parts_look_at(Sim *sim, double time); /* parts are brought there when they are asked */
bool reselect_unsolved(Sim *sim);          /* true: the DDP was advised; a commit is due */
void reselect_note(Sim *sim, DdpNode n);   /* n was made */
/* ---- time_loop.c, grid_loop.c ---- */

SolStatus time_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);
bool time_last(
    Sim *sim); /* values at the last time that all parts reached; false: there are none */
SolStatus time_event(Sim *sim); /* at the present time: something was written from outside */
SolStatus grid_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);
void grid_cut(Sim *sim); /* the step that Sim.time lies in ends there */

/* ---- announce.c ---- */

bool sim_var_info(const Sim *sim, DdpVar var, SolVarInfo *info);
void announce_births(Sim *sim);  /* and deaths */
void announce_all(Sim *sim);     /* next time of all there are, in the order of their births */
void announce_nothing(Sim *sim); /* nobody listens: births are not remembered for ever */
void announce_modes(Sim *sim);

/* ---- simulation.c ---- */

SolStatus sim_exhausted(Sim *sim); /* memory ran out: says so; the simulation goes no further */
SolStatus sim_point(Sim *sim, SolSide side);
SolStatus sim_point_before(Sim *sim, double event); /* values are those just before the event */
/* At Sim.time, values evaluated there; the point before it was shown. */
SolStatus sim_event(Sim *sim);
void sim_event_done(Sim *sim, double restart_seconds);

#endif
