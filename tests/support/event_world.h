/* event_world.h: what exists in a run of an event model: instances, branches, variables. Of
 * event_rules.c alone. */
#ifndef TESTS_EVENT_WORLD_H
#define TESTS_EVENT_WORLD_H

#include "tests/support/event_rules.h"

typedef struct Frame Frame;
typedef struct Inst Inst;
typedef struct Fork Fork;
typedef struct Var Var;

typedef enum State { /* of what reads several things: the last of theirs */
                     KNOWN,
                     FREE,  /* nothing determines it */
                     WAITS, /* for a condition of this update */
                     LEFT   /* left alone by U1, or behind an empty member */
} State;

typedef struct Val {
    State state;
    double v;
} Val;

typedef struct Memo {
    uint32_t round; /* in which it was found */
    bool busy;      /* it is being looked for */
    Val val;
} Memo;

typedef struct Rel { /* an active equation or transmission */
    const EmStmt *stmt;
    Frame *frame;
    Var *target;
    bool pulse; /* content of an active `when` */
    struct Rel *next, *next_of_target;
} Rel;

typedef struct Wait { /* an undecided `if` that may determine a variable or fill a member */
    Fork *fork;
    struct Wait *next;
} Wait;

struct Var { /* of a dynamic member: only what waits for it */
    const EmDecl *decl;
    double value, before; /* now, and in the update before */
    Memo plain, exempt;   /* by U1, and as an active `when` reads it */
    Rel *rels;
    Wait *waits;
    uint32_t seen;   /* round of `rels` and `waits` */
    uint32_t let_go; /* update in which it counts as what it holds */
    Var *older;
};

struct Frame { /* a body that exists: of an instance, or of a branch */
    const EmBody *body;
    Frame *outer; /* in the same instance */
    Inst *inst;
    Fork *fork; /* whose branch it is; NULL: an instance's own */
    double born;
    bool dead;
    Var *vars;    /* [declaration] */
    Inst **parts; /* [declaration] */
    Fork **forks; /* [statement], NULL for other statements */
};

struct Inst {
    const EmClass *class;
    Frame *root, *place; /* place: the body that declares its member; NULL: the top */
    const EmDecl *member;
    bool newborn, was_newborn;
    Inst *older;
};

struct Fork {
    const EmStmt *stmt;
    Frame *home;
    bool truth;         /* `if`: the branch that is there. `when`: its condition, last time */
    bool decided;       /* false only for an `if` that is born */
    bool active;        /* a `when` in its update */
    uint32_t postponed; /* update in which it has no branch yet */
    bool kept;          /* an `if` that returns: `truth` and its branch are those before */
    bool fires, flips;
    bool carry; /* a Sample stays true for it */
    Frame *then, *otherwise;
    Memo memo;
};

typedef struct World {
    const EmModel *model;
    ErRun *run;
    double time;
    uint32_t update;  /* at this time */
    uint32_t updates; /* since the start, never 0 */
    uint32_t round;
    Inst *top, *insts;
    Var *all_vars;
    Rel *rels;
    Fork *open[200]; /* `if`s to decide */
    uint32_t n_open;
    Fork *due[400]; /* forks whose branches change with the update that begins */
    uint32_t n_due;
    bool goes_on;     /* another update follows */
    double next_time; /* at which a comparison of time or a Sample matters */
} World;

void *world_room(ErRun *run, size_t size); /* zeroed; freed with the run */

/* ---- places ---- */

Frame *frame_of(Frame *from, const EmBody *body); /* of `from` and those around in its instance */
Frame *frame_around(const Frame *frame);          /* across the border of an instance too */
Inst **slot_of(Frame *from, const EmPath *path);
Var *var_of(Frame *from, const EmPath *path); /* NULL: the path leads through an empty member */
bool frame_in_pulse(const Frame *frame);      /* content of an active `when` */
Frame *branch_of(const Fork *fork);           /* that exists now, or NULL */
void inst_path(const Inst *inst, char *out, size_t size);

typedef void FrameVisit(World *w, Frame *frame);
void each_frame(World *w, Frame *frame,
                FrameVisit *visit); /* of all that exists in it, itself included */

/* ---- births and deaths ---- */

/* With its parts, its moves executed, its parameters as the update before has them. */
Inst *inst_make(World *w, const EmMaker *maker, Frame *scope, Frame *place, const EmDecl *member);
Frame *frame_make(World *w, const EmBody *body, Frame *outer, Inst *inst, Fork *fork);
void frame_kill(Frame *frame);

/* A value as it stands, for parameters. */
double world_last(World *w, const EmExpr *e, Frame *frame);

#endif
