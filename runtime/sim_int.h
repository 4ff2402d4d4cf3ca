/* sim_int.h: one simulation from the inside. Private to runtime/.
 *
 * Who owns what:
 *   Values      value of every variable by its DDP number, and whether it has one    values.c
 *   Nodes       the DDP's nodes as codes with their variables, and who reads whom    evaluate.c
 *   Branches    memory of every condition event_iterate.c Watches     conditions that vary between
 * events                                  event_detect.c Parts       independent pieces of the
 * dynamics, each with its integrator         parts.c
 *
 * Error rule inside: functions return a SolStatus; whoever returns the first one that is not SOL_OK
 * has put a message into the program's diagnostics. Memory runs out by a jump to the guard that the
 * public function set (simulation.c).
 */
#ifndef RUNTIME_SIM_INT_H
#define RUNTIME_SIM_INT_H

#include "base/timer.h"
#include "frontend/world.h"
#include "jit/interp.h"
#include "runtime/foreign.h"
#include "runtime/save.h"
#include "runtime/solstice.h"

#include <stdatomic.h>

typedef struct Part Part;

/* ---- values (values.c) ---- */

/* One reader of a variable: a node. Lists of readers are doubly linked through the edges. */
typedef struct ReadEdge {
    struct ReadEdge *next, **link;
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
    bool has;                  /* it has a value */
    bool pending;              /* its node still has to be evaluated: do not read */
    bool guess;                /* value is a first guess from a start value */
    bool announced;            /* the output was told of its birth */
    bool wanted;               /* and wants its values */
    uint32_t mark;             /* == Sim.mark: seen by the walk that is going on */
    double scale;              /* largest value so far, in constrained parts (reselect.c) */
    uint64_t birth;
} ValueInfo;

/* ---- nodes (evaluate.c) ---- */

/* A comparison, or a function that jumps, inside what a node evaluates: where events come from. */
typedef struct Compare {
    X self;       /* the comparison, over the positions of op */
    X difference; /* left - right; for sign(a): a; 0: nothing that crosses zero */
    const Code *self_code, *difference_code;
    uint32_t op;      /* index in EvalNode.ops */
    bool timed;       /* linear in the clock with fixed factors: a time event, never searched for */
    X factor, rest;   /* timed: difference = factor * clock + rest */
    double left;      /* value at the begin of the interval that is searched */
    double low, high; /* difference at the ends of the bracket */
    bool moved;       /* changed between them */
    bool near;        /* within rounding of its boundary: `left` is what it is about to become */
    int8_t tie;       /* at its boundary in this event, leaves it to this side; 0: not */
} Compare;

typedef struct EvalOp {
    CodeId id;
    const Code *code;
    const uint32_t *vars; /* the relation's, by position */
    DdpRel rel;
    DdpVar target; /* 0: residual */
    X value;       /* what is evaluated, over the positions */
} EvalOp;

typedef struct EvalNode {
    bool live, determined, loop, linear, constant, varies;
    bool dirty;    /* in the heap of what has to be evaluated */
    bool clocked;  /* reads the clock, or something that does, not only through states */
    bool compares; /* compares something that varies, or rounds it: may jump between events */
    bool needed[NEED_KINDS];
    bool outer; /* loop whose tearing variables are unknowns of its part's integrator */
    uint32_t mark;
    Part *part;
    uint32_t n_steps, n_tears;
    EvalOp *ops; /* steps, then residuals */
    DdpVar *tears;
    uint32_t n_reads;
    ReadEdge *reads;
    double *lu;      /* loop: factors of its Jacobian at the last solution, n_tears squared */
    uint32_t *pivot; /* and its row exchanges */
    bool factored;
    uint32_t n_compares;
    Compare *compare;
    bool forced; /* in this event a comparison at its boundary was decided by the side it leaves to
                  */
    void *block; /* the allocation behind all of these but the comparisons */
} EvalNode;

/* ---- branches (event_iterate.c) ---- */

typedef struct BranchMemo {
    bool live;
    bool truth;      /* of the condition in the update before; false before the first */
    bool when;       /* else `if` */
    bool noted;      /* in Sim.modes_seen */
    uint8_t told;    /* WorldChoice the output knows of */
    uint64_t serial; /* SolMode.branch; 0: the output knows nothing */
    double fell;     /* when its truth ended between events, or infinite */
    DdpVar condition;
    double fired;        /* time of the last firing that a state caused, or NaN */
    double gap;          /* between the last two */
    double ratio, limit; /* to the gap before; where firings accumulate if it goes on */
    double first_gap;    /* when the gaps began to shrink */
    uint32_t shrinking;  /* how many times in a row the gap became smaller */
    uint32_t tight;      /* how many times in a row the gap was no longer than rounding */
} BranchMemo;

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
    Place at;
} StartMemo;

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
    uint64_t steps, residuals, jacobians, newton, error_failures, events, updates, restarts,
        loop_rounds;
    uint32_t states_max, parts, parts_max;
    double instantiate, ddp, lower, integrate, event, output;
    double time_ida, time_rk, time_euler;
} SimCounts;

typedef VEC(DdpNode) NodeList;

struct Sim {
    SolModel *model;
    Sol *next; /* of the same model */
    Mem *mem;
    Program *program;
    Diags *diags;
    Def *top;
    SolOptions opt;
    Arena opt_arena;
    SolStatus status;
    atomic_bool cancel;
    bool assertion_failed;
    bool initialised;

    FormTable *forms;
    Ddp *ddp;
    Interp *interp;
    struct Engine *engine; /* blocks.c: native code; NULL: the interpreter does it all */
    Foreign *foreign;
    World *world;
    WorldHost host;
    Journal *journal; /* NULL: the simulation will not be saved */

    /* values */
    double *value;   /* [var] */
    double *tangent; /* [var], all 0 between uses */
    ValueInfo *info; /* [var] */
    uint32_t n_values;
    uint64_t births;
    uint64_t changes; /* by values_set() */
    uint32_t mark;
    DdpVar clock;
    double time;

    /* nodes */
    VEC(EvalNode) nodes;    /* [DdpNode] */
    VEC(DdpNode) heap;      /* dirty nodes, earliest first */
    VEC(DdpNode) held_back; /* loops that were dirty while hold_loops was set */
    VEC(DdpVar) orphans;    /* lost their node in the delta that is applied */
    VEC(uint32_t) need_work;
    VEC(uint8_t) differentiated; /* [DdpRel]: the DDP differentiated it */
    bool hold_loops;             /* loops are not evaluated now: branches have to be chosen first */
    bool applying;               /* the order of the heap is not kept now */
    bool break_ties;             /* in an event: comparisons at their boundary look ahead */
    bool quiet;       /* failures of loops are no messages: the integrator will try again */
    bool lists_stale; /* the lists below do not fit the structure any more */
    NodeList dynamics, conditions, outputs;
    NodeList narrow_nodes, narrow_needs; /* scratch of event_detect.c */
    NodeList probes;                     /* what conditions need, dynamics included */
    double *scratch;                     /* of the interpreter */
    size_t n_scratch;
    double *loop_work;
    size_t n_loop_work;

    /* roles */
    VEC(BranchMemo) branches; /* [BranchId] */
    VEC(SampleMemo) samples;
    VEC(PreMemo) pres;
    VEC(StartMemo) starts; /* of this update */
    VEC(DdpVar) zeroed;    /* states that nobody gave a value in this update */
    VEC(CoutMemo) couts;
    VEC(DdpVar) initials;
    VEC(const Def *) monitored; /* definitions whose instances are */
    VEC(WorldDecision) decisions;
    VEC(DdpNode) forced;                  /* nodes with `forced` set */
    double tie_time;                      /* when that was */
    VEC(DdpVar) births_seen, deaths_seen; /* for the output, since its last point */
    VEC(BranchId) modes_seen;             /* `if`s that were born or chose since then */
    VEC(uint64_t) modes_gone;             /* serial numbers of those the output knew */
    uint64_t mode_serial;                 /* given so far */
    bool role_failed;
    BranchId runaway;       /* a condition that fires ever faster; 0: none */
    bool structure_changed; /* in this event */

    /* states and parts */
    VEC(StateInfo) states; /* as the DDP lists them */
    VEC(Part *) parts, lost_parts;
    VEC(double) before; /* values of states before the event */
    bool parts_stale;
    bool running; /* the parts were made */
    void *sun;    /* SUNContext */
    VEC(double) euler_next;
    uint64_t grid; /* Euler: steps taken since the start */

    /* output */
    SolOutput out;
    double *out_values;
    bool shown;        /* some point was */
    double last_point; /* when */
    uint32_t n_out_values;
    double next_output;
    uint64_t output_index;
    void (*on_event)(void *context, const SolEvent *event);
    void *on_event_context;
    SolEvent event; /* being made */
    VEC(BranchId) event_triggers;
    VEC(const char *) trigger_texts;
    VEC(uint32_t) event_states; /* after each update that changed the structure */
    Arena event_arena;
    double event_begin;
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
    Program *program;
    Sol *sims;
    SolStatus status;
    double parse_seconds;
};

/* ---- values.c ---- */

void values_open(Sim *sim);
void values_grow(Sim *sim);                          /* room for every variable the DDP knows */
void values_set(Sim *sim, DdpVar var, double value); /* and whoever reads it has to be evaluated */
void values_close(Sim *sim);
DdpResult values_commit(Sim *sim, DdpCommit kind); /* ddp_commit, and everything kept up to date */

/* ---- evaluate.c ---- */

double evaluate_foreign(void *sim, uint32_t function, uint32_t n, const double *args);
void evaluate_apply(Sim *sim); /* the delta of the last commit */
void evaluate_need(Sim *sim, DdpVar var, int kind, int change);
void evaluate_close(Sim *sim);
void evaluate_touch(Sim *sim, DdpVar var); /* its readers have to be evaluated */
void evaluate_touch_node(Sim *sim, DdpNode node);
SolStatus evaluate_dirty(Sim *sim); /* until nothing is left but what waits for a value */
bool evaluate_release(Sim *sim);    /* loops that were held back; false: there were none */
/* The relation that determines `var`, inside whatever node; 0: none. */
DdpRel evaluate_relation_of(const Sim *sim, DdpVar var);
SolStatus evaluate_node(Sim *sim, DdpNode node);
SolStatus evaluate_list(Sim *sim, const NodeList *list);
void evaluate_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to, double *results);
void evaluate_tangent_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to,
                          double *result_tangents);
void evaluate_tangent_node(Sim *sim, DdpNode node); /* the same for a whole node, loops solved */
/* slope.c: rate of change of `code`, over the variables of an operation of node n, along the
 * solution. */
double slope_along(Sim *sim, DdpNode n, const EvalOp *op, const Code *code);
void evaluate_clear_tangents(Sim *sim, DdpNode node);
void evaluate_lists(Sim *sim);    /* classes of nodes as lists, when the structure changed */
SolStatus evaluate_all(Sim *sim); /* everything that varies, at the present point */
double evaluate_code(Sim *sim, const Code *code, const uint32_t *vars);
const Code *evaluate_make_code(Sim *sim, X x); /* of one value without target */

/* ---- loop_solve.c ---- */

SolStatus loop_solve(Sim *sim, DdpNode node);
/* Tangents of a loop's variables from those of what it reads, at its solution. */
void loop_solve_tangent(Sim *sim, DdpNode node);
bool loop_solve_factor(uint32_t n, double *a, uint32_t *pivot, double *smallest); /* row-wise LU */
void loop_solve_apply(uint32_t n, const double *a, const uint32_t *pivot, double *b);

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

/* ---- explain.c: failures in the modeller's words ---- */

SolStatus explain_structure(Sim *sim);
SolStatus explain_newborn(Sim *sim);
const char *explain_var(Sim *sim, DdpVar var); /* path, in event_arena */
const char *explain_rel(Sim *sim, DdpRel rel);
const char *explain_condition(Sim *sim, BranchId branch); /* "path: text" */
/* The text alone; of a condition that has no expression now, the name of its variable. */
void explain_condition_text(const Sim *sim, const WorldBranch *branch, char *out, size_t size);
void explain_values(Sim *sim, const EvalOp *op); /* notes: values of what it reads */

/* ---- event_iterate.c ---- */

/* All updates at the present time, after values at the left limit were evaluated. `first` at birth.
 */
SolStatus event_iterate(Sim *sim, bool first);
void event_branch_changed(Sim *sim, const WorldChange *change);
void event_note_mode(Sim *sim, BranchId branch); /* its choice may have changed */
double event_next_sample(const Sim *sim);

/* ---- event_detect.c ---- */

void event_make_compares(Sim *sim, EvalNode *node);
/* The time of the next time event after `now`, infinite when there is none. */
double event_next_time(Sim *sim, double now);
/* Comparisons of the clock that are at their boundary take the value they have just afterwards. */
void event_break_ties(Sim *sim, DdpNode node);
/* The same for all others, decided by the side they leave to; true when a condition changed. */
bool event_leave_ties(Sim *sim);
void event_forget_ties(Sim *sim);
/* Comparisons that the event left within rounding of their boundary, about to leave it. */
void event_leave_near(Sim *sim);
bool event_condition_falls(Sim *sim, DdpVar var);
/* Remembers the values of the comparisons in `list` as those at the begin of the interval. */
void event_remember(Sim *sim, const NodeList *list);
/* Evaluates `nodes` there, or NULL: all that conditions need. */
typedef SolStatus (*EventAt)(void *context, double time, const NodeList *nodes);
typedef struct EventSearch {
    const NodeList *nodes; /* those with comparisons */
    const NodeList *all;   /* those and what they need, in order */
    EventAt at;
    void *context;
    bool clocked;
} EventSearch;
/* The first point in (from, to] at which a comparison has changed, to the right of the change;
 * values there are evaluated then. */
SolStatus event_search(Sim *sim, const EventSearch *search, double from, double to, double *time,
                       bool *found);
/* Would an update take a branch? Of conditions in `part`, or NULL: all. */
bool event_conditions_changed(Sim *sim, const Part *part);
bool event_changed(Sim *sim, DdpNode node); /* has one of its comparisons changed? */

/* ---- parts.c, integrators ---- */

void part_disturb(Part *part); /* something its dynamics reads changed: restart */
void part_search_again(Part *part);
void parts_close(Sim *sim);
SolStatus parts_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);
bool parts_last(
    Sim *sim); /* values at the last time that all parts reached; false: there are none */
SolStatus parts_event(Sim *sim); /* at the present time: something was written from outside */
void parts_refresh(Sim *sim);
bool parts_advise(Sim *sim); /* true: states should be selected anew, as an event */
SolStatus euler_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened);

/* ---- simulation.c ---- */

bool sim_var_info(const Sim *sim, DdpVar var, SolVarInfo *info);
SolStatus sim_point(Sim *sim, SolSide side);
SolStatus sim_event(Sim *sim); /* at Sim.time, values evaluated there */
void sim_event_done(Sim *sim, double restart_seconds);

#endif
