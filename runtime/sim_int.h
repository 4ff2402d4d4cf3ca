/* sim_int.h: one simulation from the inside. Private to runtime/.
 *
 * Who owns what:
 *   Values    value of every variable by its DDP number, and whether it has one      values.c
 *   Nodes     the DDP's nodes as codes with their variables, and who reads whom      nodes.c
 *   Orders    nodes in the order of the schedule, cut into segments                  node_order.c
 *   Parts     independent pieces of the dynamics, each with its integrator           part_graph.c
 *   Branches  memory of every condition                                              conditions.c
 *   Compares  what may change between events                                         event_detect.c
 *
 * Time: parts integrate on their own and stand at different times. What is in the value vector for
 * a part is what was last asked of it; `point_number` numbers the points of time at which somebody looks
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
#include "base/pack.h"
#include "base/timer.h"
#include "runtime/foreign/foreign.h"
#include "runtime/node.h"

#include <stdatomic.h>

typedef struct Sim Sim;

/* ---- branches (conditions.c) ---- */

/* The firings of a condition that states caused. */
typedef struct Firings {
    double last;          /* time of the last one; NaN: none yet */
    double gap;           /* between the last two */
    double ratio, limit;  /* to the gap before; where firings accumulate if it goes on */
    double since;         /* the first of those that follow each other quickly */
    uint32_t often;       /* how many they are */
    double beyond, up_to; /* how long it has been changed without counting, and until when */
    uint32_t shrinking;   /* how many times in a row the gap became smaller */
    uint32_t tight;       /* how many times in a row the gap was no longer than rounding */
    uint32_t undone;      /* how many times in a row the event made it false again */
} Firings;

/* What a condition is called, until paths change (explain.c). */
typedef struct BranchTexts {
    uint64_t paths;                   /* world_paths() then */
    bool related;                     /* its relation was there */
    char *condition;                  /* explain_condition(); NULL: not asked for */
    char *mode_path, *mode_condition; /* of SolMode; likewise */
} BranchTexts;

typedef struct BranchMemo {
    bool live : 1;
    bool truth : 1;     /* `when`: of the condition when it was decided last, false before the first
                         time; `if`: the branch that is there */
    bool when : 1;      /* else `if` */
    bool noted : 1;     /* in Sim.output.modes */
    bool candidate : 1; /* in Sim.decide.candidates */
    bool newborn : 1;   /* no branch was chosen yet */
    bool turned : 1;    /* in Sim.update.turned */
    uint8_t told;       /* WorldChoice the output knows of */
    uint32_t movable;   /* index in Sim.decide.movable + 1: its path may lead elsewhere */
    DdpVar condition;
    BranchId next;      /* with the same condition */
    uint64_t serial;    /* SolMode.branch; 0: the output knows nothing */
    uint64_t born;      /* SimBuild.births then */
    double false_since; /* when its truth ended between events, or infinite */
    Firings *firings;   /* NULL: none yet, as of most */
    BranchTexts *texts; /* NULL: none yet, or they may change at any time */
} BranchMemo;

typedef VEC(BranchId) BranchList;

/* A condition that fired, as it was then: its branch may be gone when it is told. */
typedef struct CycleMemo {
    Place at;
    const char *text; /* in Sim.eval.texts */
} CycleMemo;

typedef enum CauseKind {
    CAUSE_JUMP,
    CAUSE_SAMPLE,
    CAUSE_DELAY,
    CAUSE_STATES,
    CAUSE_WRITTEN,
    CAUSE_EDITED
} CauseKind;

typedef struct EventCause {
    const char *function; /* that jumped */
    CauseKind kind;
    uint32_t number; /* relation or variable */
} EventCause;

typedef struct SampleMemo {
    DdpVar var;
    double origin, interval;
    uint64_t next; /* due at origin + next * interval */
    bool broad;    /* it concerns too many parts: all steps end there */
} SampleMemo;

typedef struct DelayMemo {
    DdpVar key, of;  /* whose history it is (foreign/history.h), as a value; of which variable */
    DdpVar varies;   /* the delay as it is now; 0: it is always `longest` */
    uint32_t unused; /* no padding: it is packed as it is */
    double longest;
    double last; /* its value at the last point of a grid */
} DelayMemo;

typedef struct PreMemo {
    DdpVar var, of;
    uint32_t lasts; /* 1: an event lasts until both are the same */
} PreMemo;

typedef struct StartMemo {
    DdpRel rel;
    DdpVar start, var;
    bool given; /* a state got it */
    bool again; /* it comes back with the else branch of a `when` (U5) */
    bool late;  /* it was not known before its state had a value */
    Place at;
} StartMemo;

/* `reinit` in a `when` that acts, or acted in the update before (reinit.c). */
typedef struct ReinitMemo {
    DdpVar value_of, state;
    double value;
    bool noted; /* `value` is known */
    bool due;   /* the `when` is over */
    bool given;
    Place at;
} ReinitMemo;

typedef struct OldValue {
    DdpVar var;
    double value;
} OldValue;

/* A value of the update before (value_before.c). */
typedef struct ValueBefore {
    DdpVar var;
    bool unknown; /* nobody looked at it: it can be computed */
    double value;
} ValueBefore;

typedef struct CoutMemo {
    DdpVar var;
    double shown;
    bool any;
} CoutMemo;

/* A line that a `cout` shows. */
typedef struct CoutLine {
    TypeKind type;
    double value;
} CoutLine;

/* ---- states and parts ---- */

typedef struct StateInfo {
    DdpVar var, slope;
    DdpRel rel;
} StateInfo;

/* Parts in dae form, as they are now. */
typedef struct SimForms {
    uint32_t parts, equations, constraints, nonzeros;
} SimForms;

typedef struct SimCounts {
    uint64_t steps, residuals, jacobians, sweeps, newton, error_failures, events, updates, restarts,
        loop_rounds;
    uint32_t states_max, parts, parts_max;
    double instantiate, ddp, lower, integrate, event, output;
    double time[6]; /* [PartMethod - PART_IDA]: simulated by each */
    uint64_t method_changes;
    SimForms forms;
    uint32_t nonzeros;   /* of the largest Jacobian of states, so far */
    uint64_t unfinished; /* SolRealtime */
    double unfinished_by;
    uint64_t starts_unsaid; /* states that began where no condition and no start said */
} SimCounts;

typedef VEC(DdpNode) NodeList;

/* ---- orders (node_order.c) ---- */

/* Nodes in the order of the schedule, changed locally. A segment is what becomes a block of code: a
 * run of explicit nodes of one instance, or a single node that is a loop or compares something. */
typedef struct Segment {
    struct Chunk *chunk;
    NodeList nodes;
    bool plain;                 /* a run of explicit nodes */
    bool probe;                 /* conditions need something in it */
    uint32_t dirty;             /* index in NodeOrder.dirty + 1 */
    uint32_t fresh;             /* index in NodeOrder.fresh + 1 */
    uint32_t queued;            /* tape_patch.c: by the patch of this number */
    struct SegmentCode *code;   /* blocks.c; NULL: not asked for since it changed */
    struct SegmentPlan *plan;   /* tape_plan.c; likewise */
    struct SegmentReads *reads; /* pattern.c; likewise */
} Segment;

enum { CHUNK_LEAVES = 64 };

typedef struct Chunk {
    struct NodeOrder *order;
    uint32_t at; /* in NodeOrder.chunks */
    uint32_t n;
    uint32_t room; /* of `segment`: small parts have few segments */
    Segment **segment;
} Chunk;

typedef struct NodeOrder {
    uint32_t version; /* counts changes of segments */
    uint32_t n;       /* nodes */
    uint32_t n_segments;
    VEC(Chunk *) chunks;
    NodeList incoming;    /* to be put in place by node_order_settle */
    VEC(Segment *) dirty; /* to be cut anew by it */
    struct Tape *tape;    /* that is told of segments that go; NULL: nobody is */
    VEC(Segment *)
    fresh; /* segments that came since `tape` was made or patched; NULL: gone again */
    struct OrderCalls *calls; /* blocks.c: all of it, evaluated often; NULL: not made */
} NodeOrder;

#define EACH_SEGMENT(order, segment)                                                               \
    for (uint32_t c_ = 0; c_ < (order)->chunks.n; c_++)                                            \
        for (uint32_t l_ = 0, last_ = (order)->chunks.at[c_]->n; l_ < last_; l_++)                 \
            for (Segment *segment = (order)->chunks.at[c_]->segment[l_]; segment; segment = NULL)

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

/* A cancellation that was asked for (cancel.c). */
typedef struct SimCancel {
    atomic_bool asked;
    double seen;     /* when somebody first noticed; 0: not yet */
    bool broken_off; /* inside an event or a search: values are those of no point of time */
} SimCancel;

/* How far the simulation has come, as a client sees it (simulation.c, set_check.c, save.c). */
/* Steps that wait for the clock (realtime.c). */
typedef struct SimRealtime {
    bool started, checked; /* the clock is; the variable of overruns is */
    bool late;             /* the last step was */
    double time, clock;    /* of the model, and of timer_now() there */
    double total;          /* seconds of all steps */
    SolRealtime told;      /* as far as it is known here */
} SimRealtime;

typedef struct SimRun {
    uint32_t n_texts; /* files that were read when it was created */
    Arena opt_arena;
    SolStatus status;
    bool initialised;
    bool event_failed; /* at Sim.time */
    bool in_event;     /* parts are brought there because of an event, not because somebody looks */
    SolStatus start_status; /* how that ended */
    bool sets_checked;
    uint64_t births_at_start; /* Sim.build.births then */
    double created_at;
    SolModel *model;
    Def *top;
    SimRealtime realtime;
    VEC(uint64_t) sums; /* rebuild.c, in builds with verifiers */
} SimRun;

/* The row before an edit, which is told when the edit is accepted (live.c). */
typedef struct HeldPoint {
    bool any;
    SolPoint point;
    VEC(double) values; /* of it */
} HeldPoint;

/* What output wants, and what it was told (simulation.c, announce.c). */
typedef struct SimOutput {
    uint64_t mode_serial; /* given so far */
    SolOutput to;
    HeldPoint *held; /* takes the point that is at hand; NULL: it is told */
    double *values;  /* [var] */
    bool unseen;     /* the point that was to be shown last has no values */
    double last;     /* when that was */
    uint32_t n_values;
    double next;         /* time of the next point */
    uint64_t index;      /* and its number */
    struct Audit *audit; /* audit.h; NULL: not asked for */
    struct Sense *sense; /* sense.h; likewise */
} SimOutput;

/* What happened since the last point, for the output; who listens (news.c). */
typedef struct EventNews {
    VEC(DdpVar) births, deaths;
    VEC(BranchId) modes;      /* `if`s that were born or chose */
    VEC(uint64_t) modes_gone; /* serial numbers of those the output knew */
    bool shown;               /* some point was */
    bool modes_wanted;
    void (*monitor)(void *context, double time, bool born, uint32_t instance, const char *path);
    void *context;
} EventNews;

/* The record of an event that is being made (simulation.c, event_cause.c). */
typedef struct SimRecord {
    void (*tell)(void *context, const SolEvent *event);
    void *context;
    uint64_t births_before; /* of variables, when it began */
    VEC(EventCause) causes; /* of the event, besides conditions (event_cause.c) */
    double begin;
    double bring_seconds; /* bringing parts to the time of the event, before it begins */
    bool untold;          /* the event is over, the client does not know of it yet */
    double waited_before; /* for the compiler, when it was */
    uint64_t work_before; /* when the event began */
    uint64_t entered_before, removed_before;
    SolEvent event; /* being made */
    VEC(const char *) triggers;
    VEC(uint32_t) states; /* after each update that changed the structure */
    VEC(CoutMemo) couts;  /* that are there (cout.c) */
    VEC(CoutLine) noted;  /* of them, in the updates of the event; shown behind it */
    EventNews news;
} SimRecord;

/* Evaluation (eval/). */
typedef struct SimEval {
    double *scale; /* [var]: largest value so far, in constrained parts (reselect.c); NULL: none */
    Map compares;  /* expression and what of it varies -> index + 1 in compare_plans (hold.c) */
    VEC(struct ComparePlan) compare_plans;
    Map codes;      /* expression and target position -> CodeId * 2 + whether it jumps */
    Map rests_told; /* place of a relation -> 1: its loop segments only 0 (loop_rank.c) */
    struct LoopMemory *loops_away; /* that may return (loop_whole.c); NULL: none yet */
    Map whole_loops;               /* that lost digits when they were torn; see loop_key */
    uint32_t holding;              /* nodes that hold something (hold.c) */
    DdpResult committed;           /* by the last commit */
    uint32_t update;               /* number of the update that is going on: Sim.update.number */
    bool hold_loops; /* loops are not evaluated now: branches have to be chosen first */
    bool combining;  /* singular loops may change the structure (frontend/singular.c) */
    bool combined;   /* one did: what was evaluated is to be done again */
    bool arbitrary;  /* and it said nothing new: where it was solved means nothing */
    DdpVar unsolved; /* of the loop that was found so; 0: none */
    bool (*has_start)(const struct Sim *sim, DdpVar var); /* in this update; values_ask_starts */
    NodeList forced;                                      /* nodes with `forced` set */
    double tie_time, tie_moment;                          /* when that was, and how exactly known */
    Arena texts;    /* of explanations, until the next event */
    NodeList tied;  /* scratch of tape.c */
    double *interp; /* scratch of the interpreter */
    size_t n_interp;
    double *loop; /* scratch of loop_solve.c */
    size_t n_loop;
} SimEval;

/* The step that fitted behind events of a kind (known_step.c). */
typedef struct KnownStep {
    uint64_t key;
    double h;
} KnownStep;

/* Integration (solve/). */
typedef struct SimSolve {
    void *sun;                    /* SUNContext */
    struct PatternSets *pattern;  /* scratch of pattern.c */
    NodeList moved;               /* scratch of euler.c */
    VEC(uint8_t) differentiated;  /* [DdpRel]: the DDP differentiated it */
    struct InlineMemory *inlined; /* what parts had in other modes (inline_memory.c) */
    uint64_t kind;                /* of this event: a hash of what it decided first; 0: nothing */
    VEC(KnownStep) steps;
    Map step_of;                /* key -> index + 1 in steps */
    struct DaeDriver *dae_left; /* integrations of parts that are no more (dae.c) */
    NodeList unexamined; /* constraints of this update: their choice of states is to be looked at */
    NodeList constant;   /* loops of them with constant factors, made or touched since */
} SimSolve;

/* What had no value in this step (failure.c). */
/* A variable that nobody needs, without a value, and the relation that gave it none. */
typedef struct NoValue {
    DdpVar var;
    Place at;
} NoValue;

typedef struct SimFailure {
    VEC(NoValue) without; /* since the last point */
    char text[800];       /* empty: nothing */
    Place at;
} SimFailure;

/* Fixed steps (grid_steps.c). */
typedef struct SimGrid {
    uint64_t steps; /* whole ones taken since the start */
    double time;    /* where the last step ended */
} SimGrid;

/* Nodes and states as commits make them (nodes.c), and what is not in its part yet (part_graph.c). */
typedef struct SimBuild {
    uint64_t births;
    VEC(DdpVar) dying;   /* removed by the front end, not committed yet */
    VEC(DdpVar) orphans; /* lost their node in the delta that is applied */
    VEC(uint32_t) need_work;
    bool applying;              /* the order of the heap is not kept now */
    NodeList followers, remade; /* scratch of nodes_apply */
    uint64_t structures;        /* so many times another one was taken over */
    bool structure_changed;     /* in this event */
    bool incomplete;            /* variables lack equations: more is typed before time goes on */
} SimBuild;

/* What a change asks for (evaluate_change.c). */
typedef struct SimChange {
    uint64_t count;         /* by values_set() */
    VEC(DirtyNode) heap;    /* dirty nodes, earliest first */
    VEC(DdpNode) held_back; /* loops that were dirty while hold_loops was set */
    VEC(DdpNode) loops;     /* that were made or touched since evaluate_loops_alone(); some twice */
    DdpNode failed;         /* has no value after the last look, and stays dirty; 0: none */
} SimChange;

/* The update that is going on (update.c). */
typedef struct SimUpdate {
    uint32_t number;     /* its number; some more where marks are made anew */
    uint32_t from;       /* the first of these */
    uint32_t pulse_from; /* of the update before */
    bool complete;       /* the structure is complete: conditions may turn against their branch */
    bool acting;         /* a `when` acts */
    bool due; /* a structural change began an update: it counts from its first commit on */
    VEC(BranchId) turned;  /* `if`s whose condition came out against the branch that is there */
    NodeList skipped;      /* due, and left alone */
    NodeList marked;       /* what was marked since marks were made anew */
    NodeList exempt;       /* what acts behind it */
    VEC(DdpVar) undecided; /* what `if`s may determine that are born and stay undecided */
    VEC(ValueBefore) olds; /* values of the update before, of what changed in this one */
    VEC(OldValue)
    befores;                /* likewise, also while branches are born; of one that is listed twice
                               the first counts (impulse.c) */
    VEC(DdpVar) restarted;  /* states that got a start value */
    uint64_t births_before; /* Sim.build.births when it began */
    VEC(BranchId) deferred; /* whose conditions depend on what is left alone (U2) */
} SimUpdate;

typedef struct OldTruth {
    BranchId branch;
    bool truth;
} OldTruth;

/* What the event that is going on has changed (trail.c); of one that is listed twice the first counts. */
typedef struct Trail {
    VEC(OldValue) held, states, begun; /* `begun`: what became a state */
    VEC(OldTruth) truths;
    uint32_t states_before; /* so many of `states` were there before this update */
    uint64_t paths;         /* world_paths() when the event began */
    double impulse_time;    /* SimSearch.impulse_time then */
    bool broken;            /* something that remembers died: there is no return */
    bool changed;           /* something was born, or died */
    bool chose;             /* several conditions that could wait were taken together */
    bool stays;             /* an `if` followed what moves: held values do not lead back from it */
} Trail;

/* `if`s that are solved together with their content (implicit.c). */
typedef struct Implicit {
    VEC(StartMemo)
    starts; /* of this update, for another combination of branches; var 0: it is gone */
    VEC(OldValue) begins; /* likewise */
    bool tries;           /* another combination: what it commits first begins anew */
} Implicit;

/* Conditions that may fire, and what they decide (conditions.c, event_iterate.c, mode_search.c). */
typedef struct SimDecide {
    VEC(SampleMemo) samples;
    Map sample_of; /* variable -> index + 1 in samples */
    VEC(PreMemo) pres;
    VEC(DelayMemo) delays;
    VEC(DdpVar) borns;    /* flags that end with the event */
    VEC(double) delayed;  /* values of one stretch of all of them */
    double delays_known;  /* so far their histories reach */
    uint32_t delay_level; /* of the breaks that this event is because of (delay.c) */
    bool delays_broken;   /* there was an event: histories may break */
    DdpVar
        unsettled;  /* a variable whose `pre` in a relation that lasts has another value; 0: none */
    Sym terminated; /* why the model ends the run here; 0: it does not */
    VEC(DdpVar) initials;
    VEC(WorldDecision) decisions;
    bool assertion_failed;
    /* What an edit does to the structure (0) and then to values (1); NULL: there is none. */
    SolStatus (*edit)(struct Sim *sim, void *context, int phase);
    void *edit_context;
    uint32_t decided_before;  /* of these, before initial() ended (U4) */
    BranchList candidates;    /* whose condition may have changed */
    BranchList looked_at;     /* those that an update looks at now */
    VEC(BranchId) movable;    /* whose condition may be another variable */
    VEC(CycleMemo) cycle;     /* conditions that fired in the last updates that an event may have */
    uint32_t tight_events;    /* in a row that cannot be told apart by their time */
    double event_time;        /* of the last one */
    struct ModeSearch *modes; /* of this event (mode_search.c), or NULL */
    Trail trail;
    Implicit implicit;
    bool told_several; /* that several combinations agree, in some event */
    BranchId runaway;  /* a condition that fires ever faster; 0: none */
    VEC(Place)
    jumps_told; /* of states of which a warning said that they jump: where they are declared */
    Map jumps_told_at;    /* the same, of earlier events: place -> 1 */
    Map impulses_told;    /* place of a state -> 1: a warning told that an impulse made it jump */
    BranchList impulsive; /* conditions that an impulse of this event would decide otherwise */
    uint32_t impulsive_update; /* the update of the event in which it was found */
    VEC(OldValue) jumps;       /* by impulses of this event, with the values before */
    VEC(OldValue) impulses;    /* and these */
    DdpVar contrary;      /* a state that is bound at a value that no impulse leads to; 0: none */
    bool chose_if;        /* in this event an `if` took another branch */
    VEC(BranchId) faster; /* `when`s that fired in this event, sooner than the time before */
} SimDecide;

/* Values of what is born (structure.c, start_solve.c). */
typedef struct SimStart {
    WorldHost host;
    VEC(const Def *) monitored; /* definitions whose instances are */
    uint8_t boldness;           /* structure.c: what was tried to decide newborn branches */
    uint8_t choices;            /* of states, in this update */
    bool guessed;
    bool
        recombined; /* values of what are states now were computed before equations were set aside */
    VEC(DdpVar) lacking;   /* states that were born without a value */
    VEC(StartMemo) starts; /* of this update */
    VEC(ReinitMemo) reinits;
    VEC(OldValue) begins; /* starts of variables that were born in this update */
    VEC(DdpVar) zeroed;   /* states that nobody gave a value in this update */
    VEC(DdpVar) integers; /* got another relation in this event: to be checked */
    VEC(DdpRel) selected; /* select_check.c: whose choice may have changed in this event */
    bool role_failed;
    bool edited;       /* the changes that are taken next are those of an edit itself */
    Map started_again; /* place of a start -> 1: it was told that it counts again */
} SimStart;

/* What wanted variables need at an output point (output_plan.c). */
typedef struct SimOutputPlan {
    VEC(DdpVar) wanted; /* by the output */
    bool valid;
    VEC(uint32_t) items;
    VEC(DdpVar) vars; /* that have `in_output_plan` set */
    NodeList nodes;   /* likewise */
} SimOutputPlan;

/* Parts in the loop of time (part.c, part_heap.c, time_loop.c). */
typedef struct SimLoop {
    SolStatus status;      /* why a part could not be brought there */
    VEC(Part *) touched;   /* by the event: to be started or searched again */
    VEC(Part *) due;       /* whose event it is */
    VEC(Part *) to_search; /* for events behind the one that is past */
    PartHeap heaps[HEAPS];
    NodeList unsettled; /* nodes whose place may have changed */
    VEC(DdpVar) cuts;   /* what nodes that left the parts had connected */
    VEC(DdpVar) clocked_work;
    NodeList fetch; /* scratch of evaluate_fetch: node, next read */
    SimOutputPlan output_plan;
    const struct Integrator *const *integrators; /* [PartMethod] */
    bool (*part_brought)(Part *part); /* its conditions may have changed: true if one would fire */
    bool running;                     /* the parts have integrators */
    double left_time;  /* where the values before the event are taken; Sim.time: nowhere else */
    double event_time; /* and where it is, while its left side is looked at */
    bool left;         /* that side is looked at */
    uint64_t number;   /* of the event */
    uint64_t
        event_point_number; /* Sim.point_number of the first look at either side; UINT64_MAX: between events */
} SimLoop;

/* Comparisons in a step, and at their boundary in an event (event_detect.c, compare.c). */
typedef struct SimSearch {
    NodeList compared;     /* nodes that compare and were evaluated by change */
    NodeList moved, needs; /* nodes whose comparisons changed in a step; what these need */
    double left;           /* the other end of the bracket that was found */
    bool doubted;          /* some have Compare.least */
    bool rounded;          /* in this event something within rounding of its boundary was decided */
    bool exact;            /* from now on only what is exactly there */
    double impulse_time;   /* of the last one in which a `when` changed what moves */
    VEC(DdpVar) clocks;    /* whose event it is (event/time_stops.c) */
} SimSearch;

/* First what everybody reads, then what each folder keeps: its files alone touch that (tests/tools/test_layers.sh). */
struct Sim {
    Mem *mem;
    Program *program;
    Diags *diags;
    SolOptions opt;
    FormTable *forms;
    Ddp *ddp;
    Interp *interp;
    struct Engine *engine; /* blocks.h: native code; NULL: the interpreter does it all */
    Foreign *foreign;
    World *world;

    double time;
    uint64_t point_number; /* number of the point of time that is looked at */
    DdpVar clock;
    uint32_t n_values;
    double *value;            /* [var] */
    double *tangent;          /* [var], all 0 between uses */
    ValueInfo *info;          /* [var] */
    uint32_t mark;            /* of the last walk over variables or nodes */
    VEC(EvalNode) nodes;      /* [DdpNode] */
    VEC(BranchMemo) branches; /* [BranchId] */
    VEC(StateInfo) states;    /* in no order */
    VEC(Part *) parts;        /* likewise */
    NodeOrder outputs;
    SimCounts counts;
    uint64_t work; /* SolEvent.touched, summed up, in this process; between events too */

    SimEval eval;       /* eval/ */
    SimSolve solve;     /* solve/ */
    SimFailure failure; /* eval/ */
    SimCancel cancel;   /* eval/ */
    SimBuild build;     /* event/ */
    SimChange change;   /* event/ */
    SimSearch search;   /* event/ */
    SimUpdate update;   /* event/ */
    SimDecide decide;   /* event/ */
    SimStart start;     /* event/ */
    SimLoop loop;       /* parts/ */
    SimGrid grid;       /* sim/ */
    SimOutput output;   /* sim/ */
    SimRecord record;   /* event/ */
    SimRun run;         /* sim/ */
};

/* The time that is evaluated at. Sim.time is the one that the simulation is at: a step, the search for an event and the
 * left side of one evaluate elsewhere. */
static inline double sim_clock(const Sim *sim)
{
    return sim->value[sim->clock];
}

/* An edit that was taken: what it did, to be done backwards and again (live.c). */
struct SolHistory;

/* What records a simulation (sim/recording.c). */
typedef struct Keeper {
    void (*reconcile)(Sol *sol); /* another Sim took the place of its own */
    void (*close)(Sol *sol);     /* the simulation ends */
} Keeper;

struct Sol {
    SolModel *model;
    Sim *sim;  /* another one with the same past takes its place when an edit is refused */
    Sol *next; /* of the same model */
    struct SolHistory *history; /* NULL: nothing was edited */
    struct Kept *kept;          /* what is recorded, or NULL */
    const Keeper *keeper;       /* of it, or NULL */
};

struct SolModel {
    Mem *mem;
    char *path; /* of the file, or NULL */
    struct JitAhead *ahead;
    VEC(struct Jit *) code; /* services that its simulations share, by options (engine_open) */
    Program *program;
    Sol *sims;
    SolStatus load_status; /* of the text */
    SolStatus status;      /* of the last call */
    double parse_seconds;
};

#endif
