/* tape_int.h: a tape from the inside. Private to tape*.c and blocks.c. */
#ifndef RUNTIME_EVAL_TAPE_INT_H
#define RUNTIME_EVAL_TAPE_INT_H

#include "base/map.h"
#include "runtime/eval/block_code.h"
#include "runtime/eval/segment_reads.h"
#include "runtime/eval/tape.h"

/* What a variable is while a tape is made; valid if `stamp` is that of the making. */
typedef struct TapeVar {
    uint32_t stamp;
    DdpVar origin;       /* that it is a copy of, or itself */
    uint32_t level : 30; /* 0: it comes from outside */
    uint32_t read : 1;   /* of a state: a patch made dynamics read it */
    uint32_t used : 1;   /* a block read it when the tape was made */
    uint32_t place;      /* in Tape.value, or NO_PLACE */
    DdpVar order;        /* a block reads it that stands in the order of this state, or 0 */
    uint32_t set;        /* of the states it depends on (tape_sets.c) */
    uint32_t result;     /* index + 1 in Tape.results, 0: it comes from outside */
    uint32_t patch;      /* is Engine.patches: found anew by the patch that is going on */
    DdpVar slope_of;     /* the state whose slope it is; valid if slope_stamp is the stamp */
    uint32_t slope_stamp;
    uint32_t state_stamp; /* is the stamp: it is a state of the part */
} TapeVar;

enum { NO_PLACE = UINT32_MAX };

/* Tapes of structures that may return. tape_memory.c */
typedef struct TapeMemory {
    struct Tape *oldest, *newest;
    VEC(struct Tape *) slot;
    VEC(uint32_t) free;  /* slots */
    Map of_key;          /* key -> slot + 1 */
    VEC(uint32_t) words; /* the description that was made last */
    uint32_t n, most;    /* kept; and at most, 0: MOST_TAPES */
    size_t bytes;
    uint64_t returned;     /* so many times one was put back */
    uint64_t returned_now; /* since engine_take_counts */
} TapeMemory;

struct Engine {
    Sim *sim;
    Jit *jit;        /* the model's; with `rebuild` its own */
    JitStats before; /* of simulations that had it earlier */
    Shapes *shapes;
    JitEnv env;
    bool rebuild, wait;
    bool told_failure;     /* why there is no native code */
    bool foreseen;         /* that the run is long */
    double opened_at;      /* timer_now() */
    uint32_t fixed_after;  /* evaluations of one structure before it is compiled in larger pieces */
    bool fixed_quick;      /* tests: pieces are used before they are optimised */
    uint64_t fixed_calls;  /* of such pieces */
    VEC(ShapeItem) items;  /* scratch */
    VEC(uint32_t) origin;  /* [var]: itself; scratch of plans */
    VEC(TapeVar) tape_var; /* [var]: scratch of tape_build.c */
    uint32_t stamp;
    uint32_t patches; /* of all tapes, counted */
    uint64_t spreads; /* lists of results that were made, counted (tape_spread.c) */
    uint32_t blocks;  /* segments that have code or asked for it */
    uint32_t rebuilt; /* blocks since engine_take_counts */
    uint32_t batches; /* of all tapes */
    uint32_t batched; /* blocks in them */
    uint64_t shapes_before;
    TapeMemory memory;
};

/* ---- tape_plan.c: what a segment, or the comparisons of a node, are as a block ---- */

enum { HIDDEN = 0x80000000u }; /* | 2 k: truth of comparison k, | 2 k + 1: its difference */

typedef struct SegmentPlan {
    const Shape *shape; /* NULL: nothing but copies */
    const double *constants;
    uint64_t key;           /* of shape and constants */
    const Segment *segment; /* whose plan it is; NULL: of comparisons */
    uint32_t *origin;       /* [n]: what each slot is a copy of; scratch of tape_build.c */
    DdpVar *copy;           /* [2 * n_copies]: target, and what it is a copy of; in order */
    uint32_t n_copies;
    uint32_t pattern; /* that the constants belong to (shape_keep) */
    uint32_t stamp;   /* of the tape it has a place in: valid if that is the tape's */
    uint32_t unit;    /* there: index in Tape.units, or NO_UNIT: nothing but copies */
    uint32_t at;      /* which member */
    uint32_t n;       /* slots */
    uint32_t var[];   /* [n]: variable, number of a function, or HIDDEN */
} SegmentPlan;

SegmentPlan *tape_plan_segment(Sim *sim, const Segment *segment);
SegmentPlan *tape_plan_compares(Sim *sim, const EvalNode *node);

/* ---- tapes ---- */

typedef struct Gather {
    uint32_t to;    /* first place of the array */
    uint32_t *from; /* [n] */
} Gather;

/* What a call costs, in values that are gathered. */
enum { STRETCH_FROM = 12 };

/* Members of a batch whose places follow one another, as a call of its own. */
typedef struct Stretch {
    uint32_t n;
    uint32_t *slots;
} Stretch;

/* One call: a batch, or a single block. */
typedef struct Unit {
    const Shape *shape;
    BlockCode code;
    JitLayout layout;
    uint8_t section;
    bool probe; /* conditions need something of a member, as it was when the unit was made */
    uint32_t level;
    uint32_t n, stride;
    SegmentPlan **member;      /* [n]; NULL: it died, what is computed for it nobody reads */
    uint32_t span, n_segments; /* SECTION_COMPARES: in Tape.spans */
    uint32_t *slots;
    bool *common; /* JIT_ARRAYS: JitRequest.common; JIT_TABLES: JitRequest.arrays */
    ptrdiff_t
        ahead; /* JIT_ARRAYS: the place of a result that is marked there lies so far behind that of the state in the integrator's vector */
    bool direct; /* there are such results */
    uint32_t n_gathers;
    Gather *gathers;
    uint32_t n_stretches; /* that make gathering needless; 0: they would be too short */
    Stretch *stretches;
} Unit;

/* Some states, by variable, ascending. */
typedef struct DependSet {
    uint32_t n;
    DdpVar var[PATTERN_KEEP_FROM];
} DependSet;

/* Values that move between two vectors: n of them from `from` on to `to` on. */
typedef struct Run {
    uint32_t from, to, n;
} Run;

/* Units [first, first + n) of Tape.order as one function (tape_fixed.c). */
typedef struct TapePiece {
    uint32_t first, n;
    BlockCode code;
} TapePiece;

typedef struct Input {
    DdpVar var;
    uint32_t place;
} Input;

/* Truths and differences of one comparison in each member of a batch. */
typedef struct CompareSpan {
    uint32_t truth, difference; /* places; difference NO_PLACE: it has none */
    uint32_t n, at;             /* at: first index in TapeCompares */
} CompareSpan;

enum { SECTION_DYNAMICS, SECTION_CONDITIONS, SECTION_COMPARES, SECTIONS };

/* A single block as a call. */
typedef struct TapeCall {
    JitCode value;
    const double *constants;
    const uint32_t *slots;
} TapeCall;

/* The lists of a tape that is ready, as evaluations read them. Those of a small tape of single
 * blocks are copied into one block: what a part needs in its turn lies together. */
typedef struct TapeQuick {
    TapeCall *calls;   /* [order.n], or NULL: there are batches, or many units */
    JitCode *tangents; /* likewise, of dynamics, if Tape.tangents_ready */
    const Run *states, *slopes;
    const Run *rest; /* of the slopes: those that no batch writes where they are wanted */
    const CompareSpan *spans;
    uint32_t n_states, n_slopes, n_rest, n_segments;
    uint32_t n_read; /* states that dynamics reads */
    /* What comparisons need: [n_probes] indices of calls, [n_finite] places that must have a
     * number. 0 probes: all. */
    uint32_t n_probes, n_finite;
    const uint32_t *probes, *finite;
    size_t bytes; /* of the copies; 0: there are none */
} TapeQuick;

/* Comparisons of a tape, in the order of its spans. */
typedef struct TapeCompares {
    double *left, *low, *lower, *swing; /* [n]: as Compare has them */
    uint32_t n, room;
    Compare **at; /* [n]; &nobody: its node died */
    DdpNode *by;  /* [n]: whose it is, or was */
    Compare nobody;
} TapeCompares;

/* What happened to a tape since it was made. tape_patch.c */
typedef struct TapePatched {
    uint32_t n_members, n_dead, n_added;
    uint64_t paid;         /* for the dead and the new, in evaluations of one */
    VEC(DdpVar) changed;   /* lost what determined them, since the last patch */
    VEC(DdpNode) compared; /* nodes that came to PartLists.watched since then */
    VEC(DdpVar) known;     /* its states, ascending */
} TapePatched;

/* All that dynamics and conditions determine. What follows `looks` is made when somebody has looked often. tape_spread.c */
typedef struct TapeResults {
    VEC(Input) all;       /* and where it is */
    uint32_t looks;       /* at all values since the tape was made or changed, up to then */
    VEC(Input) fill;      /* states, by variable */
    VEC(DdpVar) spread;   /* results, by place */
    VEC(Run) spread_runs; /* places that follow each other -> `spread`; none: it is no shorter */
    uint64_t number;      /* of these lists, among all that there were */
} TapeResults;

/* The states that slopes depend on. tape_sets.c */
typedef struct TapeDepends {
    VEC(DependSet) sets; /* none: nobody will want a Jacobian */
    Map set_of;          /* hash of a set -> its number */
} TapeDepends;

/* Where slopes go. tape_direct.c */
typedef struct TapeSlopes {
    VEC(Run) all;  /* from places to slopes */
    VEC(Run) rest; /* those that no batch writes there, if `direct` */
    bool direct;   /* some do; until the tape is changed */
} TapeSlopes;

/* Of a tape that may return. tape_memory.c */
typedef struct TapeKept {
    uint32_t *content, n_content; /* what it was made of; NULL: it may not return */
    uint64_t key;
    uint32_t *patterns, n_patterns; /* whose constants it has */
    SegmentPlan **watched;          /* [n_watched]: plans of the nodes that compare, its own */
    uint32_t n_watched;
    uint32_t *sets; /* [states]: that their slopes depend on */
    bool returned;  /* it was put back: its units' members have no plans */
    bool again;     /* and is to be made, because these are wanted */
    uint32_t slot;  /* while it is away: in TapeMemory.slot, and its neighbours in age */
    size_t bytes;
    struct Tape *older, *newer;
} TapeKept;

/* What an evaluation reads comes first. */
struct Tape {
    Part *part;
    uint32_t version[3];  /* of the orders, and of the states */
    uint32_t evaluations; /* not reported to jit_heat yet */
    uint32_t steady;      /* evaluations since it was made or changed, up to Engine.fixed_after */
    bool worth;           /* false: segments one by one are as good */
    bool loaded;          /* inputs are */
    bool ready;           /* all code is there */
    bool tangents_wanted, tangents_ready;
    bool evaluated;  /* later than Sim.value was, for this part */
    bool remembered; /* left and low are */
    bool told;       /* Compare.low is what low is */
    double time;     /* when it was evaluated */
    double *value;   /* [room_places] */
    TapeCompares compares;
    TapeQuick quick;        /* while it is ready */
    uint32_t clock;         /* its place, or NO_PLACE */
    uint32_t end[SECTIONS]; /* of units of the section, in `order` */
    uint32_t n_places;
    uint32_t n_checked;    /* places below are of inputs, dynamics and conditions */
    uint32_t n_made;       /* places below were there before the first patch */
    VEC(TapePiece) pieces; /* ascending */

    double *tangent; /* [room_places], once they are wanted; of inputs they are 0 */
    Arena arena;
    uint32_t stamp; /* of this tape alone */
    uint32_t room_places, n_batches, n_batched;
    uint32_t n_read_places; /* places below: states there are read by dynamics */
    VEC(Unit) units;
    VEC(uint32_t) order; /* units by section and level */
    VEC(Input) inputs;
    VEC(Run) states; /* from unknowns; first those that dynamics reads */
    uint32_t n_read; /* how many runs these are */
    TapeSlopes slopes;
    TapeResults results;
    VEC(CompareSpan) spans;
    TapePatched patched;
    TapeDepends depends;

    TapeKept kept;
};
typedef struct Tape Tape;

enum { NO_UNIT = UINT32_MAX };

/* ---- tape_stretch.c ---- */

void tape_stretch(Tape *tape, Unit *unit); /* whose places are known */

/* ---- tape_field.c ---- */

/* Places from `first` on for what n members read at some slots, where they read each other's neighbours; returns how
 * many. fresh[s]: nothing at slot s has a place yet. */
uint32_t tape_field(Sim *sim, SegmentPlan *const *plan, uint32_t n, const bool *fresh,
                    uint32_t first);

/* ---- tape_direct.c ---- */

void tape_direct(Tape *tape); /* that was just made: Tape.slopes.direct, and what belongs to it */

/* ---- tape_sets.c ---- */

void tape_sets_open(Tape *tape);
void tape_sets_close(Mem *mem, Tape *tape);
/* What the variables of a segment depend on, from what those it reads do; `changed`, or NULL, is told
 * of those that had another set. */
void tape_sets_pass(Tape *tape, Segment *segment, void (*changed)(void *context, DdpVar var),
                    void *context);
/* Of a slope; NULL: it is not known here. */
const DependSet *tape_sets_row(const Tape *tape, DdpVar slope);

/* ---- tape_fixed.c ---- */

void tape_fixed_count(Tape *tape);                /* an evaluation; makes pieces when it is time */
void tape_fixed_drop(Engine *engine, Tape *tape); /* the tape changes */

/* ---- tape_spread.c ---- */

void tape_spread_forget(Tape *tape); /* it changed */
void tape_spread_free(Mem *mem, Tape *tape);
/* States from Sim.value into the tape; false: nobody has looked often, and nothing was done. */
bool tape_fill(Tape *tape, const double *value);
/* All results into Sim.value. False: perhaps one is not finite. */
bool tape_spread(const Tape *tape, double *value);

/* ---- tape_ready.c ---- */

Tape *tape_current(Part *part); /* NULL: it is not worth having, or its code is not there */
bool tape_fits(const Part *part, const Tape *tape);
void tape_take_code(Tape *tape); /* better code came meanwhile, perhaps */

/* ---- tape_memory.c ---- */

void tape_memory_note(Tape *tape); /* it was made: it may return, if it is small */
void tape_memory_forget(Engine *engine, Tape *tape); /* and is freed */
bool tape_may_return(const Tape *tape);
void tape_put_away(Part *part); /* its tape, before something of it goes; or closes it */
bool tape_put_back(Part *part); /* one that was made for the part as it is; false: there is none */
void tape_memory_limit(Engine *engine, uint32_t most); /* for tests: tapes that are kept */

/* ---- making and changing ---- */

void tape_need_vars(Engine *engine);        /* Engine.tape_var for all variables */
void tape_follow(Tape *tape);               /* from now on the orders tell what changes */
void tape_detach(Part *part);               /* its tape is no longer its own */
void tape_free(Engine *engine, Tape *tape); /* that nobody has */
void tape_note_memory(const Tape *tape);    /* what a step reads of it, to be fetched ahead */

Tape *tape_build(Part *part);
void tape_more_places(Tape *tape);
void tape_make_tangents(Tape *tape); /* of all places, zero */
void tape_more_compares(Tape *tape, uint32_t need);
void tape_order(Tape *tape); /* Tape.order and end, from the units */
void tape_add_run(Mem *mem, void *runs, uint32_t from, uint32_t to);
/* The orders or the states changed: so does the tape. False: too much of it, it has to be made anew.
 */
bool tape_patch(Tape *tape);
bool tape_has_paid(const Tape *tape); /* evaluations have, for a new one */
void tape_verify(const Tape *tape);   /* debug builds: B1..B5; aborts when one is broken */

#endif
