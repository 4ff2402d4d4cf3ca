/* part.h: an independent part of the dynamics, as data. Private to runtime/; its functions: parts/parts.h. */
#ifndef RUNTIME_PART_H
#define RUNTIME_PART_H

#include "runtime/sim_int.h"

typedef struct PartState {
    DdpVar var, slope;
    double atol, rtol; /* the error allowed of a value x: atol + rtol*|x| (integrate.c) */
} PartState;

/* A node that determines a condition, in a form that is looked at often. */
typedef struct RootNote {
    DdpVar var; /* 0: it determines several variables */
    int8_t
        idle_truth; /* while the condition has this truth no branch will be taken; -1: not known */
} RootNote;

/* A node with one comparison whose sides are variables or numbers, in a form that is looked at in every event. */
typedef struct WatchNote {
    DdpVar left, right; /* right 0: `constant`; left 0: it is no such node */
    double constant;
} WatchNote;

/* What a constraint determines, and its derivative. */
typedef struct DummyNote {
    double value, slope;
    DdpVar unknown; /* of a loop that is not linear; 0: no such */
} DummyNote;

typedef struct PartAim {
    DdpNode node;
    bool constraint;
} PartAim;

typedef enum PartMethod {
    PART_CLOCK,
    PART_IDA,
    PART_RK,
    PART_EULER,
    PART_RODAS,
    PART_INLINE,
    PART_DAE,
    PART_METHODS
} PartMethod;

typedef struct Integrator Integrator; /* integrator.h */

/* Memory that a step of a part reads, as far as it is worth asking for ahead of its turn: a few
 * lines each, of a part that is small. */
enum {
    MEMORY_DRIVER,
    MEMORY_IDA,
    MEMORY_VECTORS,
    MEMORY_JACOBIAN,
    MEMORY_FACTORS,
    MEMORY_TAPE,
    MEMORY_CALLS,
    MEMORY_VALUES,
    MEMORY_TRUTHS,
    MEMORIES
};

typedef struct PartMemory {
    const char *at;
    uint32_t lines;
} PartMemory;

/* Nodes of a part that somebody asks for. part_members.c */
typedef struct PartLists {
    NodeList watched;           /* compare something that must be searched for */
    VEC(WatchNote) watch_notes; /* [watched] */
    NodeList by_clock;          /* those of them that read the clock */
    NodeList timers;            /* compare the clock with something fixed */
    NodeList roots;             /* determine conditions */
    VEC(RootNote) notes;        /* [roots] */
    NodeList loops;             /* are loops */
} PartLists;

/* Its dynamics in order, made when it starts. part_dynamics */
typedef struct PartOrder {
    NodeList nodes;
    uint32_t version; /* of the order then */
} PartOrder;

typedef struct PartCounts {
    uint64_t steps, restarts;
    uint64_t steps_at_restart; /* `steps` when it started last */
    uint64_t audited;          /* 1 + `steps` when its slopes were looked at last */
} PartCounts;

/* How its dynamics is evaluated. tape.c, fixed_code.c, blocks.c */
typedef struct PartCode {
    struct Tape *tape;       /* tape.h; NULL: not made since the orders changed */
    struct FixedCode *fixed; /* fixed_code.c; NULL: none */
    uint32_t prepared;       /* sum of the orders' versions + 1 when code was asked for */
    uint32_t steady;         /* evaluations segment by segment since order 0 became this version: */
    uint32_t steady_version;
    uint32_t untaped; /* evaluations since it had a tape */
    uint32_t sought;  /* versions of orders and states + 1 when a tape of before was looked for */
    bool likes_tapes; /* its last tape was worth having: the next is made at once */
} PartCode;

/* Whether the choice of its states is a good one. reselect.c, sim/time_loop.c */
typedef struct PartChoice {
    bool constrained;       /* has dummies whose choice may turn singular */
    bool wanted;            /* the choice should be made anew at `event` */
    double far;             /* how much farther a dummy may move than a state */
    double floor;           /* least motion that counts */
    VEC(DummyNote) dummies; /* what constraints determine, at the end of a step */
    double noted;           /* which ended there */
    double period;          /* state_choice.h, of what its constraints compare */
    VEC(PartAim) aims;      /* constraints and what they depend on, in order */
    double alarm, room;     /* when to measure all; inverse of the motion last seen */
    uint32_t wait, waited;  /* steps until the next look, and since the last */
    double undone;          /* where the last step that was undone began */
    uint32_t undone_steps;  /* how often without getting on */
} PartChoice;

/* Whether another method would suit it better. method.c */
typedef struct PartTrial {
    bool change;                              /* the other method from the next step on */
    uint32_t held, free, not_stiff, patience; /* counts of what tests found */
    uint32_t brief;                           /* starts in a row that came behind few steps */
} PartTrial;

/* Behind `from` it goes straight on. event/bridge.c */
typedef struct PartBridge {
    bool on;
    double from, *at; /* states and slopes there */
} PartBridge;

/* What output has of it. */
typedef struct PartShown {
    bool whole;     /* much of it: one by one does not pay */
    uint32_t nodes; /* that were evaluated one by one at `point_number` */
    uint64_t
        point_number; /* its states are those of Sim.time if this is Sim.point_number (part_evaluate_wanted) */
} PartShown;

enum { PART_STOPS = 8 };

/* The last looks at comparisons that the clock drives. eval/looks.c */
typedef struct PartLooks {
    double at[2];      /* the times of the last two */
    double gap, least; /* to the next one */
    uint32_t jumps;    /* looks in this piece that no distance made what was expected */
} PartLooks;

/* Time events of other parts at which its steps end, and of a part without states what is known of whom its own
 * concern. event/time_stops.c */
typedef struct PartStops {
    DdpVar at[PART_STOPS]; /* conditions of parts without states, and samples */
    uint8_t n;
    bool all;   /* at all of them */
    bool known; /* those whom its events concern have it in their lists */
    bool broad; /* they are too many: all steps end there */
} PartStops;

/* What an event does to it. time_loop.c, part_search.c */
typedef struct PartTouch {
    uint32_t listed; /* index + 1 in Sim.loop.touched, or 0 */
    bool restart;    /* something its dynamics reads changed */
    bool search;     /* comparisons must be looked at again */
    bool searching;  /* in Sim.loop.to_search */
    bool behind;     /* has the values of the left side of an event that is its own */
    bool steady;     /* brought to the time of an event that is not its own, for both sides of it */
    uint64_t due;    /* number of the last event that was its own: SimLoop.number */
} PartTouch;

/* What every step reads comes first. */
struct Part {
    Sim *sim;
    PartMemory memory[MEMORIES];
    uint32_t index;          /* in Sim.parts */
    uint32_t n;              /* unknowns: states, then tearing variables */
    uint32_t states_version; /* counts changes of `states` */
    VEC(PartState) states;   /* ascending by variable */
    NodeList loops;          /* whose tearing variables are unknowns of the integrator */
    PartLists lists;
    double from; /* comparisons were remembered here: begin of what is searched */
    PartLooks looks;
    double back, now; /* dense output reaches from back to now */
    double event;     /* where a comparison was found to change, or infinite */
    double before;    /* the last point at which it had not */
    double crossed;   /* where that was found last */
    double timed;     /* its next time event, or infinite */
    PartStops stops;
    double step; /* last step taken, first guess after a restart */
    uint64_t
        awaits_step; /* known_step.c: the key under which its next step is to be noted; 0: none */
    double longest;  /* step that rk.c or rodas.c has taken */
    PartCounts counts;
    PartMethod method;
    const Integrator *integrator; /* of this method; NULL: not started yet */
    bool fixed_steps;             /* its steps end at points of a grid: sim/grid_steps.c */
    bool started;                 /* the integrator stands at `now` */
    bool strayed;                 /* Sim.value has what part_slopes tried */
    bool clocked;                 /* some comparison is driven by the clock */
    bool restructured;            /* other states or dynamics than when it started */
    PartTouch touch;
    uint64_t point_number; /* its values are those of Sim.time if this is Sim.point_number */
    PartShown shown;
    void *driver[PART_METHODS]; /* what each method keeps; NULL: nothing */
    PartCode code;
    PartBridge bridge;
    NodeOrder orders[2]; /* dynamics, and what only conditions need; by NodePlace - 1 */

    PartOrder order;
    PartChoice choice;
    PartTrial trial;
};

#endif
