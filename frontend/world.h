/* world.h: the dynamic half of the front end: definitions -> instances -> variables and relations.
 *
 * A World holds all instances of one simulation and tells a Ddp what they mean: every variable and
 * every relation that exists is entered there, and removed when its owner goes. The runtime drives
 * it: it evaluates conditions, tells the World which branches to take, and reads here what it
 * must know beyond the DDP's schedule: start values, samples, pre values, outputs, names.
 *
 *     World *world = world_open(mem, program, forms, ddp, &host, NULL);
 *     world_create(world, top);
 *     for (;;) {
 *         ddp_commit(ddp, DDP_SO_FAR);
 *         ... evaluate what is determined; look through world_newborn(); decide those whose
 * condition is determined ... if (!n_choices) break; world_choose(world, n_choices, choices);
 *     }
 *     ddp_commit(ddp, DDP_FINAL);
 *     ... time goes on; conditions change: world_choose(...); and so on ...
 *     world_close(world);
 *
 * Errors: messages `file:line:column: error: text` go to program_diags(); functions that return
 * bool give false when there was a new error. World_ok() stays false from then on: the structure is
 * still consistent with the DDP (everything may be looked at, named and removed), but what the
 * model meant is not what is there. Running out of memory is such an error too; after it, only
 * world_close() may be called (world_out_of_memory()). Every function here sets its own memory
 * guard.
 *
 * No call recurses on the C stack: depth of nesting costs heap only.
 */
#ifndef FRONTEND_WORLD_H
#define FRONTEND_WORLD_H

#include "ddp/ddp.h"
#include "frontend/frontend.h"

typedef struct World World;
typedef uint32_t
    InstId; /* an instance of a model or of a branch; 0: none. Numbers are used again */
typedef uint32_t BranchId; /* an `if` or `when` of an instance; 0: none. Numbers are used again */

/* ---- host: where values live ---- */

/* The World stores no values. It reads them when parameters are evaluated, and writes parameters,
 * presence of members (`m?`) and copies. Functions must not call back into the World. */
typedef struct WorldHost {
    void *context;
    /* Value of `var`, as of the update before, or as evaluated in the present one; false while it
     * has none. Variables that were written have a value. */
    bool (*read)(void *context, DdpVar var, double *value);
    /* From now on `var` (DDP_KNOWN or DDP_HELD) has this value; what depends on it must be
     * evaluated. */
    void (*write)(void *context, DdpVar var, double value);
    /* A variable comes to life: forget what a former owner of this number had. Its value is 0 for
     * DDP_HELD and DDP_KNOWN, none otherwise. May be NULL. */
    void (*born)(void *context, DdpVar var, DdpVarKind kind);
    void (*died)(void *context, DdpVar var); /* may be NULL */
    /* A variable that was just born has this start: the value of a held one, a first guess otherwise. May be
     * NULL. */
    void (*begin)(void *context, DdpVar var, DdpVarKind kind, double value);
    /* A number of [0,1] from the stream keyed by the seed, `place` (a hash of path and text of the
     * place of birth) and `ordinal` (births at that place before this one). */
    double (*draw)(void *context, uint64_t place, uint32_t ordinal);
    XForeign
        foreign; /* calls of foreign functions in parameter values; may be NULL: no value then */
} WorldHost;

/* 0 stands for the default */
typedef struct WorldLimits {
    uint32_t instances; /* 10,000,000 */
    uint32_t depth;     /* nesting of owners at birth: 1,000,000 */
} WorldLimits;

/* ---- life ---- */

/* NULL when out of memory (with a message). Nothing of `program` may be freed before the World. */
World *world_open(Mem *mem, Program *program, FormTable *forms, Ddp *ddp, const WorldHost *host,
                  const WorldLimits *limits);
void world_close(World *world); /* frees its memory; says nothing to the Ddp */

/* `--set PATH=VALUE`: the parameter at this instance path gets `value` whenever an instance is born
 * there, instead of what its parameter list says; the path of a variable whose derivative is taken
 * gets it as start value (WorldChange.overridden). Before world_create(). Text values: the Sym. */
bool world_override(World *world, const char *path, TypeKind type, double value);
/* One of them does not fit the type of what was born at its path, which is an error of who gave it.
 */
bool world_override_misfit(const World *world);
/* Paths given to world_override() that nothing had so far: the i-th, or NULL. */
const char *world_override_unused(const World *world, uint32_t i);
/* From now on births and deaths of instances of `def` (and of what extends it) are listed as
 * changes; NULL: those of all instances, for a trace. */
void world_monitor(World *world, const Def *def);

bool world_create(World *world, Def *top); /* program_find()'s; once */
bool world_remove(World *world);           /* the top instance and all it owns, in reverse order */

bool world_ok(const World *world);
bool world_out_of_memory(const World *world);
DdpVar world_time(const World *world); /* the clock, entered as DDP_TIME by world_open() */
/* The part that `simplified` has in each homotopy(actual, simplified): 0, but while starts are solved. 0: the model has none. */
DdpVar world_homotopy(const World *world);
InstId world_top(const World *world);

/* ---- branches ---- */

typedef enum WorldChoice {
    WORLD_NONE, /* no branch is there: not chosen yet, or the one chosen was left out */
    WORLD_ELSE,
    WORLD_THEN
} WorldChoice;

typedef struct WorldBranch {
    bool when; /* else `if` */
    bool has_else;
    bool newborn;    /* no choice was made yet */
    bool rests;      /* it stands in the else branch of a `when` that acts: it is not decided */
    bool continuous; /* the condition compares values that vary between events */
    bool movable;    /* the path to the condition's variable may lead elsewhere later */
    bool
        implicit; /* its condition depends on what its branches say: they are solved together (implicit.h) */
    bool watch;    /* nobody wrote it: it has an empty branch, and lets events happen */
    Sym assertion; /* `when`: the run ends with this message when it fires; 0: it does not */
    Sym names[2];  /* `if`: what the text calls its branches, else and then; or 0 */
    WorldChoice choice;
    DdpVar condition; /* Boolean. A DDP_HELD one keeps its value where the path leads nowhere */
    DdpRel relation;  /* that determines it, for its expression; 0: the condition is a variable of
                         the  model, or its path leads nowhere now */
    InstId owner;     /* instance of the body it stands in */
    InstId body;      /* instance of the chosen branch, or 0 */
    BranchId
        copy_of; /* newborn by `<<` on a model: the original (its memory of the condition counts) */
    Place at;
} WorldBranch;

/* Numbers of branches are below; false when `branch` is no live one. */
uint32_t world_branch_limit(const World *world);
bool world_branch(const World *world, BranchId branch, WorldBranch *view);

/* Is it solved together with what its branches say (implicit.h); is any? */
bool world_branch_is_implicit(const World *world, BranchId branch);
bool world_has_implicit(const World *world);

/* The innermost branch that a relation stands in, and the one around a branch; 0: none. */
BranchId world_rel_branch(const World *world, DdpRel rel);
BranchId world_branch_around(const World *world, BranchId branch);
Place world_branch_place(const World *world, BranchId branch); /* of its text; 0: it is gone */
/* False: it is gone. */
bool world_branch_choice(const World *world, BranchId branch, WorldChoice *choice, bool *newborn);
/* Has it this choice, and does not rest? */
bool world_branch_chose(const World *world, BranchId branch, WorldChoice choice);
/* The innermost `when` that acts and that this branch stands in, or is; 0: none. */
BranchId world_branch_acting(const World *world, BranchId branch);
/* Relations of the chosen body of `branch` and of all that it owns, one call each. */
void world_branch_rels(const World *world, BranchId branch, void (*each)(void *context, DdpRel rel),
                       void *context);

/* Branches no choice was made for, in order of birth. The list changes with each world_choose(). */
const BranchId *world_newborn(const World *world, uint32_t *n);

typedef struct WorldDecision {
    BranchId branch;
    WorldChoice choice; /* WORLD_THEN or WORLD_ELSE */
} WorldDecision;

/* One structural change: all decisions of one update, taken together. First old branches are
 * removed, innermost first; then new ones are instantiated, outer ones first, in order of the list
 * otherwise, and moves and copies in them executed; what lost its owner is removed last. A decision
 * for a branch that goes with another decision, or that rests, is skipped. A choice that is already
 * there changes nothing. The runtime ends a `when` by deciding WORLD_ELSE in the next update (also
 * without an else branch). While a `when` acts its else branch rests: instances, variables and
 * choices stay, relations and connections are withdrawn (U5). All of `list` must be live branches
 * at the time of the call, each at most once. */
bool world_choose(World *world, uint32_t n, const WorldDecision *list);

/* ---- parameters that initial conditions determine (`fixed << false`) ---- */

/* Those that were born since world_free_done(). */
uint32_t world_free_params(const World *world, const DdpVar **params);
/* What was made of them at birth, in this order: var = x over vars; var 0: it is there no more. False: it is known by value only. */
typedef struct FreeEquation {
    DdpVar var;
    X x;
    uint32_t n;
    DdpVar *vars;
} FreeEquation;

uint32_t world_free_made(const World *world);
bool world_free_equation(World *world, Arena *arena, uint32_t i, FreeEquation *out);
/* What was made of them at birth (parameters of parts, start values) follows their present values, */
void world_free_follow(World *world);
/* and, given their tangents, its tangents. */
void world_free_tangents(World *world, double *tangent);
void world_free_clear_tangents(const World *world, double *tangent);
/* They have their values: assertions that waited for them. False, with a message: one does not hold. */
bool world_free_done(World *world);

/* The constants `min` and `max` of a variable, infinite where there are none. */
void world_var_bounds(const World *world, DdpVar var, double *least, double *most);
double world_var_nominal(const World *world, DdpVar var); /* by its attribute; else 1 */
bool world_has_nominals(const World *world);              /* some variable has that attribute */

/* ---- roles: what the runtime must know of births and deaths ---- */

typedef enum WorldRole {
    WORLD_BRANCH,  /* a: BranchId */
    WORLD_START,   /* a: DdpRel, a DDP_DERIVATIVE with a start value; b: variable with the start
                      value,   determined in causal order in the update of birth (DDP_KNOWN when it
                      consists of   constants and parameters); c: variable that is integrated */
    WORLD_SAMPLE,  /* a: DDP_KNOWN Boolean; the host sets it in one update at from + k * value */
    WORLD_INITIAL, /* a: DDP_KNOWN Boolean, true now; the host clears it when the update ends */
    WORLD_PRE, /* a: DDP_KNOWN; the host gives it the value of b of the update before; c: 1 where an
                      event lasts until both are the same */
    WORLD_RANDOM,    /* a: DDP_KNOWN, drawn already */
    WORLD_COUT,      /* a: variable `cout << expression` shows */
    WORLD_TERMINATE, /* a: Sym; the run ends behind this event, for this reason */
    WORLD_REINIT, /* a: variable of a `when`; at its death the state b gets the value that it had */
    WORLD_HANDLE, /* a: DDP_KNOWN, first argument of foreign function b that has a constructor; the
                      host  calls it and writes the handle, and the destructor at its death; c: where
                      the function has parameters, its instance (world_param()) */
    WORLD_BORN,   /* a: DDP_KNOWN Boolean, true now; the host clears it at the end of the event */
    WORLD_DELAY, /* a: DDP_KNOWN, first argument of delay(): the host gives it a number, and keeps the history of b
                      from now on, as long as `value` tells; c: the delay where it varies, else 0 */
    WORLD_MONITORED /* a: InstId of a monitored definition; b: 1 when only a trace wants it */
} WorldRole;

typedef struct WorldChange {
    uint8_t role; /* WorldRole */
    bool born;    /* else: died; then a is what it was, and may be in use again later in the list */
    bool copied;  /* born by a copy: values were copied, so a start value does not count */
    bool again; /* WORLD_BRANCH: an `if` that rested and has to be decided again; WORLD_START in the
                   else branch of a `when` that comes back: it counts if a value that it reads was
                   transmitted while the `when` acted (U5) */
    uint32_t a, b, c;
    double value,
        from; /* WORLD_SAMPLE: the interval, WORLD_DELAY: the longest one; where it begins, if b is not 0, else now */
    Place at;
} WorldChange;

/* Everything since world_changes_clear(), in order of time. Deaths are listed for the same roles.
 */
const WorldChange *world_changes(const World *world, uint32_t *n);
void world_changes_clear(World *world);
/* All live things with roles, as if born just now (for a host that was restored); appended to the
 * list. */
void world_changes_list_all(World *world);

/* Foreign functions: numbers as X_CALL has them (x_new_function()). */
typedef struct WorldFunction {
    bool table; /* predefined table(x, file, column): arguments in this order, file a Sym */
    bool delay; /* predefined delay: a DDP_KNOWN variable of WORLD_DELAY, a time */
    const External *what; /* of a foreign function of the model, else NULL */
    const Def *def;
    bool has_handle; /* the first argument is the handle */
} WorldFunction;

bool world_function(const World *world, uint32_t number, WorldFunction *view);
/* The numbers of those that instances needed so far, in the order in which they came. */
uint32_t world_function_count(const World *world);
uint32_t world_function_number(const World *world, uint32_t index);
/* The variable of parameter number `index` of the definition of `inst`. */
DdpVar world_param(const World *world, InstId inst, uint32_t index);

/* ---- looking closer: names, places, texts ----
 *
 * Texts are written to out[0..size-1], cut if need be, always terminated. */

typedef enum WorldVarKind {
    WORLD_VARIABLE, /* declared by the modeller */
    WORLD_PARAMETER,
    WORLD_AUXILIARY, /* made here: slope of a derivative, condition, partial sum, ... */
    WORLD_CLOCK
} WorldVarKind;

typedef struct WorldVar {
    WorldVarKind kind;
    TypeKind type;
    InstId owner; /* instance (of a model or branch) it belongs to; 0 for the clock and sums */
    const Member *member; /* NULL for auxiliary ones */
    bool is_public;
    Place at;
} WorldVar;

/* All take numbers of derivatives that the DDP made too: these answer for their origin, with a path
 * der(...) around. False: no such variable. */
/* The last part of its path: "T", "T[3]". Requires a variable with a member. */
void world_var_name(const World *world, DdpVar var, char *text, size_t size);
bool world_var(const World *world, DdpVar var, WorldVar *view);
bool world_var_is_integer(const World *world, DdpVar var); /* a variable of type Integer */
void world_var_path(const World *world, DdpVar var, char *out, size_t size); /* "R2.n.u" */
Place world_rel_place(const World *world, DdpRel rel);
InstId world_rel_owner(const World *world, DdpRel rel); /* 0 for sums */
void world_rel_text(const World *world, DdpRel rel, char *out,
                    size_t size); /* "R2.u = R2.R * R2.i" */
/* A condition, "R2.u > 0 and R2.closed", and in `path`, unless that is NULL, the instance that it belongs to. */
void world_condition_text(const World *world, const WorldBranch *branch, char *path, char *text,
                          size_t size);

typedef struct WorldInst {
    const Def *def; /* the model; of a branch: the model it belongs to */
    const Body *body;
    bool is_branch;
    bool is_loop; /* not a branch, but a round of a loop, or what holds the elements of an array */
    InstId owner; /* 0 for the top instance */
    InstId model; /* itself, or the model instance a branch belongs to */
} WorldInst;

bool world_inst(const World *world, InstId inst, WorldInst *view);
void world_inst_path(const World *world, InstId inst, char *out, size_t size); /* "" for the top */
/* The last step of its path, for who puts many paths together; "" for the top and for branches. */
void world_inst_step(const World *world, InstId inst, char *out, size_t size);
enum { WORLD_PATH_STEPS = 256 }; /* paths of more begin with "..." */
/* All instances, ascending numbers: the first above `after`, 0 when there is none. */
InstId world_next_inst(const World *world, InstId after);
/* What the instance owns directly (members, anonymous instances, chosen branches): start with 0. */
InstId world_next_part(const World *world, InstId inst, InstId after);

/* The basic variable at an instance path as it is now, "a.b.c"; 0: none. */
DdpVar world_find(const World *world, const char *path);
InstId world_find_inst(const World *world, const char *path);

/* To be called after each ddp_commit(), with its result: equations with whole factors that depend on each
 * other by their numbers are found, in what this commit changed, and commands are given to the DDP that
 * put it right: hidden relations among states become visible, one potential of a circuit without
 * ground is set to 0, equations that follow from others are set aside; what it did is told once, as notes. True: commit
 * again (and call this again). */
bool world_examine(World *world, const DdpResult *result);
/* The same for one loop, whose numbers turned out to be singular while branches are still to be chosen. */
bool world_examine_loop(World *world, DdpNode node);
/* To be called when an event has been decided, after its last commit: tells what of that there is to tell. */
void world_settled(World *world);
/* What the numerics found: `rel` says nothing that the others do not say. It is set aside while they are there, and told
 * once; `again`: in the place of another, without a word. Then, where that leaves `var` open: it is 0, as long as the relation is set aside. False: no memory. */
bool world_set_aside(World *world, DdpRel rel, uint32_t n, const DdpRel *others, bool again);
/* Does it stand under a condition that reads initial(), in the update in which that is true? */
bool world_rel_initial(const World *world, DdpRel rel);
bool world_close_aside(World *world, DdpRel rel, DdpVar var);
/* Which relation, and which variable then; the smaller the sooner, at most 1. */
double world_aside_weight(World *world, DdpRel rel);
double world_close_weight(const World *world, DdpVar var, DdpRel aside);
bool world_takes_part(const World *world, DdpVar var, DdpRel aside);
bool world_may_close(const World *world, DdpVar var, DdpRel aside);
bool world_may_repeat(World *world, uint32_t n, const DdpRel *rels);      /* else it is a mistake */
bool world_in_branch(const World *world, uint32_t n, const DdpRel *rels); /* one of them */
uint64_t world_examined(const World *world); /* equations looked at, since the beginning */

/* Says in the modeller's words what is wrong with the structure that ddp_commit() judged: over- and
 * underdetermined parts, false causality, each as one error with notes; connectors that are not
 * connected and double or missing grounds as such. After it the world is no longer world_ok().
 * False when there was nothing to report. */
bool world_report(World *world, const DdpResult *result);
/* In a structure that is overdetermined: two transmissions act on one variable. */
bool world_transmits_twice(const World *world);
/* Potentials that nothing fixes although there are equations enough: a circuit without a ground.
 * Linear in the model, so for `check` and for loops that turned out to be singular. */
bool world_report_floating(World *world);
/* After a commit, when newborn `if`s are left and nothing more can be evaluated: an error for the
 * first one whose condition is structurally undetermined (it depends on the content of its own
 * branches). False when there is none. */
bool world_report_undecided(World *world);

/* Is the relation one that a modeller wrote, or that follows from one? Else it only says what an
 * auxiliary variable stands for. */
bool world_rel_written(const World *world, DdpRel rel);

/* The components that the relations belong to, by name; false when they are not two or more that
 * are connected. */
bool world_components(World *world, uint32_t n, const DdpRel *rels, char *out, size_t size);

typedef struct WorldTotals {
    uint32_t instances, variables, relations, branches, connections, sets, watches;
    size_t bytes; /* the front end's share: instances, tables, connection sets, plans */
} WorldTotals;

/* Another number when paths, or what stands behind the names of a statement, may be others than before; 0: never the same. */
uint64_t world_paths(const World *world);
WorldTotals world_totals(const World *world);

/* ---- written and read ---- */

/* All instances, and what is known of them, with their numbers. Read into a World that was just
 * opened (paths and definitions that options name were told to it), `top` not created, whose table
 * of forms was read before; the Ddp is read for itself. The host hears of nothing. Memory that runs
 * out goes to the caller's guard. */
void world_pack(World *world, Def *top, struct Pack *pack);

/* The verifier: checks every instance, table and set against what its plan says; aborts with the
 * number of the invariant that is broken. Linear in the size of the world. */
void world_verify(const World *world);

#endif
