/* world_int.h: private to the files of the dynamic half (world.c, instantiate.c, connect.c, ..).
 *
 * Invariants
 *   W1  word w of an instance holds what operation plan->word_op[w] made, or 0.
 *   W2  var_info and rel_info name the owner of every live variable and relation: following them
 *       leads to a word with that number.
 *   W3  an instance's owner holds it: in the word `owner_word` of the owner lies its number; for
 * the body of a branch, the Branch in that word names it. W4  a Link stands in the list of the
 * instance it refers to, a Watch in the list of the member it watches; both name what they serve.
 *   W5  nothing that is alive refers to an instance in `doomed`, except aliases and connections
 * that are cut when it is removed. W6  between two calls, a relation of a statement exists exactly
 * when all its paths lead somewhere, and names the variables they lead to.
 */
#ifndef FRONTEND_WORLD_INT_H
#define FRONTEND_WORLD_INT_H

#include "frontend/plan.h"
#include "frontend/world.h"

typedef struct Inst {
    Plan *plan;     /* NULL: memory waiting to be used again */
    uint64_t birth; /* hash of the place of birth */
    uint32_t id;
    uint32_t owner;      /* InstId; of a branch: the instance of the body around it */
    uint32_t owner_word; /* where it lies in the owner */
    DdpVar logic;        /* condition of the innermost `if` on which its existence depends */
    uint32_t links;      /* first Link that refers to it */
    uint32_t task;       /* == World.task: born by the call that is going on */
    uint32_t depth : 29;
    uint32_t copied : 1;
    uint32_t typed : 1; /* by an edit, or by what an edit made */
    uint32_t rests : 1; /* its relations are withdrawn while a `when` around it acts (rest.c) */
    uint32_t word[];
} Inst;

/* A reference that does not keep its target alive: of an alias, or of an end of a connection. */
typedef struct Link {
    uint32_t target;     /* InstId; 0: free, then `next` is the next free one */
    uint32_t next, prev; /* in the list of the target */
    uint32_t inst;       /* alias: the instance it belongs to; 0: of a connection */
    uint32_t what;       /* alias: its word; connection: edge */
} Link;

/* Operation `op` of `inst` must hear when the dynamic or alias member at (slot_inst, slot_word)
 * changes. slot_word is the word with the head of the member's list. */
typedef struct Watch {
    uint32_t inst, op; /* inst 0: free */
    uint32_t slot_inst, slot_word;
    uint32_t next, prev; /* in the member's list */
    uint32_t next_of_op;
} Watch;

typedef struct Branch {
    uint32_t inst; /* of the body it stands in; 0: free, then `body` is the next free one */
    uint32_t op;
    uint32_t body;    /* InstId of the chosen branch */
    uint32_t resting; /* InstId of the branch `rested`, which may come back (rest.c) */
    uint8_t rested;   /* WorldChoice */
    uint32_t newborn; /* index + 1 in the list of newborn ones, or 0 */
    uint32_t copy_of;
    uint8_t choice;
    bool leaving;  /* while decisions are taken: it changes its choice */
    bool implicit; /* its condition depends on what its branches say (implicit.h) */
    uint32_t seen_by,
        seen_in; /* while branches are born: by which condition, in which round (birth.c) */
} Branch;

typedef enum OwnerTag {
    OWNER_NONE,
    OWNER_INST,
    OWNER_EDGE,
    OWNER_SUM,
    OWNER_CLOCK,
    OWNER_SET,
    OWNER_HOMOTOPY
} OwnerTag;

typedef struct OwnerInfo {
    uint32_t who;       /* InstId, edge or sum */
    uint32_t what : 29; /* word (variables), operation (relations), or index of the terminal */
    uint32_t tag : 3;
} OwnerInfo;

typedef enum FrameWork { FRAME_CREATE, FRAME_REMOVE, FRAME_REST, FRAME_WAKE } FrameWork;

/* Work in progress on one instance. */
typedef struct Frame {
    Inst *inst;
    uint32_t op; /* the next one forwards; backwards: the one done last */
    FrameWork work;
    const Op *cause; /* with the parameter list, or NULL */
    Inst *scope;     /* of the parameter list */
    uint32_t source; /* InstId of the instance it is a copy of, or 0 */
    uint32_t copy;   /* which of World.copies it belongs to (from 1), 0: none */
    bool again;      /* a group that was there before */
    bool woken;      /* what rested while a `when` acted */
} Frame;

typedef struct CopyRoots {
    uint32_t from, to; /* InstIds */
} CopyRoots;

/* An alias of a copy, still to be bound. */
typedef struct CopiedAlias {
    uint32_t inst, word;
    uint32_t target; /* what the original's alias refers to */
    uint32_t copy;   /* which of World.copies */
} CopiedAlias;

typedef struct Pending {
    uint32_t inst, op; /* inst 0: withdrawn */
} Pending;

typedef struct Override {
    const char *path;
    TypeKind type;
    double value;
    DdpVar var; /* DDP_KNOWN with this value, once it is a start value; 0: not yet */
    bool used;
} Override;

/* Text typed into a model instance (world_edit.c). */
typedef struct EditInst {
    uint32_t model; /* 0: it died */
    uint32_t inst;  /* of the edit's body */
} EditInst;

typedef struct HiddenStmt {
    uint32_t model;
    const Stmt *stmt;
} HiddenStmt;

/* What was made of parameters that initial conditions determine (free_params.c). */
typedef struct FreeMade {
    uint32_t scope; /* InstId */
    DdpVar var;     /* 0: an assertion */
    const PlanValue *value;
    const Op *assertion;
    Place cause;
} FreeMade;

typedef struct FreeParams {
    VEC(DdpVar) params; /* born in this update */
    VEC(FreeMade) made; /* in order of birth */
    Map is;             /* those, and what was made of them -> 1 */
    bool read;          /* one of them, since this was cleared */
    bool checked;       /* they are known */
} FreeParams;

typedef struct Connect Connect;
typedef struct Singular Singular;

struct World {
    Mem *mem;
    Arena arena;
    Program *program;
    Diags *diags;
    FormTable *forms;
    Ddp *ddp;
    WorldHost host;
    WorldLimits limits;
    Plans *plans;
    DdpVar time;
    DdpVar homotopy; /* world_homotopy */
    uint32_t top;
    uint32_t birth_looks; /* rounds in which newborn branches were looked at */
    bool has_implicit;    /* an `if` was solved together with its content (implicit.h) */
    bool failed, exhausted, too_many;
    uint32_t task;  /* number of the call that is going on */
    uint64_t paths; /* changes of what dynamic members and aliases hold, and moves */

    VEC(Inst *) inst; /* [InstId]; [0] unused */
    VEC(uint32_t) free_inst;
    uint32_t n_inst;
    size_t inst_bytes;
    VEC(OwnerInfo) var, rel; /* [DdpVar], [DdpRel] */
    uint32_t n_vars, n_rels;

    VEC(Branch) branch; /* [BranchId]; [0] unused */
    uint32_t free_branch, n_branches;
    VEC(BranchId) newborn; /* 0 where one was chosen or died */
    VEC(Link) link;        /* [0] unused */
    uint32_t free_link;
    VEC(Watch) watch; /* [0] unused */
    uint32_t free_watch, n_watches;

    VEC(Frame) frames;
    VEC(uint32_t) doomed;  /* InstIds cut off from their owners */
    VEC(Pending) pending;  /* groups and `?` to look at when the work is done */
    VEC(CopyRoots) copies; /* in progress */
    VEC(CopiedAlias) copied_aliases;

    VEC(WorldChange) changes;
    VEC(const Def *) monitored;
    bool monitor_all;
    VEC(Override) overrides;
    bool misfit;            /* of an override and the type of its variable */
    Map warned;             /* place -> 1: of a declaration that was told to be of no use */
    Map births;             /* hash of the place of birth of a draw -> number of births + 1 */
    VEC(EditInst) edits;    /* [number of the edit in Plans] */
    VEC(HiddenStmt) hidden; /* statements that were taken away, in order of time */
    Map is_hidden;          /* model instance, number of statement -> 1 */
    const Inst *
        element; /* whose values are evaluated: it, or what lies in word `element_word` of this node */
    uint32_t element_word;
    const struct Round *round; /* of the sum that is evaluated (birth_value.c); NULL: none is */
    bool editing;              /* an edit creates what is created now */
    bool edits_call_foreign;   /* it may call foreign functions */
    Connect *connect;
    Singular *singular;
    FreeParams free;
    VEC(DdpVar) vars_scratch;
    VEC(double) values_scratch;
    VEC(char) text_scratch;
};

static inline Inst *world_at(const World *world, InstId id)
{
    return world->inst.at[id];
}

static inline bool world_alive(const World *world, InstId id)
{
    return id && id < world->inst.n && world->inst.at[id];
}

/* ---- world.c: tables ---- */

DdpVar world_enter_var(World *world, DdpVarKind kind, OwnerInfo owner);
void world_leave_var(World *world, DdpVar var);
DdpRel world_enter_rel(World *world, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                       DdpVar logic, unsigned flags, OwnerInfo owner);
void world_leave_rel(World *world, DdpRel rel);
void world_enter_branch(World *world, BranchId branch, WorldChoice choice);
void world_exhausted(World *world); /* memory ran out: says so, once */
/* Runs a task under the memory guard; true when it ended without a new error. */
bool world_guarded(World *world, void (*task)(World *world, void *argument), void *argument);
void world_compact_newborn(World *world);
/* A task that reports; true when it found an error. */
bool report_guarded(World *world, void (*task)(World *world));
void world_note(World *world, WorldChange change);
void world_fail(World *world, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void world_warn(World *world, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void world_remark(World *world, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whose relation it is; of a derivative, whose the relation is that was differentiated. */
/* Where there are too many equations: one of `if initial()` is set aside (initial_aside.c). False: there is none. */
bool world_set_initial_aside(World *world, const DdpResult *result);
OwnerInfo world_rel_info(const World *world, DdpRel rel);
/* The path of an instance in memory that stays until the next call. */
const char *world_path_text(World *world, InstId inst);

/* ---- follow.c: Ref -> instance and word ---- */

typedef struct Target {
    Inst *inst; /* NULL: the path leads nowhere now */
    uint32_t word;
    Member *member; /* the actual one; NULL for anonymous and auxiliary */
} Target;

/* The word the ref means; through empty members: inst NULL. */
Target follow(const World *world, Inst *from, const Ref *ref);
DdpVar follow_var(const World *world, Inst *from, const Ref *ref); /* 0: nowhere */
Inst *follow_inst(const World *world, Inst *from, const Ref *ref); /* NULL: nowhere */
Inst *follow_up(const World *world, Inst *from, uint32_t up);
uint32_t follow_model(const World *world, const Inst *inst); /* InstId of the model it belongs to */

/* Watches on all dynamic and alias members that the ref passes (with `last`: its last step too),
 * put before *list. */
void follow_watch(World *world, Inst *inst, uint32_t op, const Ref *ref, bool last, uint32_t *list);
void follow_unwatch(World *world, uint32_t *list);
/* The member at this word has changed: suspends what passes through it, to be looked at again. */
void follow_fire(World *world, Inst *inst, uint32_t head_word);

uint32_t follow_link(World *world, Inst *target, uint32_t inst, uint32_t what);
void follow_unlink(World *world, uint32_t link);

/* ---- rows.c: elements of arrays and rounds of loops ---- */

/* The plan of a node that operation `op` of `inst` makes, and its words behind ROW_FAN; NULL with a message. */
Plan *row_node(World *world, Inst *inst, const Op *op, uint32_t words[ROW_WORDS - ROW_FAN]);
bool row_has(const Inst *inst, const Op *op); /* does the operation of this node make something? */
/* The word of an element; inst NULL: there is none, with a message where the row is there. */
Target row_element(World *world, Inst *from, Target row, const RefStep *step, Place at);
bool row_find(const World *world, Inst *row, int64_t index, Target *out); /* false: there is none */
bool row_size(const World *world, Inst *row, uint32_t dim, double *size);
/* The number of the element that `inst` is, or that lies in word `word` of the node `inst`; `out` sizes further
 * out. */
int32_t row_index(const World *world, const Inst *inst, uint32_t word, uint32_t out);
/* Of an element that is born: as row_index, and behind the sizes of its array those of the array of models that has it. */
int32_t row_born(const World *world, const Inst *inst, uint32_t word, uint32_t out);
/* Of the array that the element which is born belongs to: has it the sizes of the value? Else a message. */
bool row_fits(World *world, Inst *scope, const PlanValue *value, const char *name);
/* Numbers of all rows between a word and the model around it, innermost first; how many. */
uint32_t row_indices(const World *world, const Inst *inst, uint32_t word, uint32_t most,
                     int32_t *out);

/* ---- lists.c: dynamic arrays and loops over them ---- */

void list_make_alias(World *world, Inst *inst, const Op *op); /* of a round, or of a sum */
void list_born(World *world, Inst *inst, const Op *op);       /* OP_APPEND */
void list_drop(World *world, Inst *inst, const Op *op);       /* OP_LIST backwards */
void list_each_update(World *world, Inst *inst, uint32_t op); /* OP_EACH: rounds for who came */
void list_each_drop(World *world, Inst *inst, const Op *op);
bool list_is_whole(const Target *t); /* an array, not one of its elements */
/* A place at the end, to be filled; inst NULL: there are too many instances. */
Target list_append(World *world, Target array);
void list_filled(World *world, const Inst *cell); /* tells all that depend on it */
/* Where an element was taken out, if it was one: its place goes. */
void list_emptied(World *world, Inst *cell);
void list_clear(World *world, Target array);
Target list_slot(const World *world,
                 Target t); /* where the element lies that an alias of a loop names; else t */
Target list_array(const World *world, Target slot); /* the array of an element; else the same */
/* The element in this place, from 1; inst NULL: there is none. */
Target list_element(const World *world, Target array, double place);
/* The element with this number of birth; false: there is none. */
bool list_find(const World *world, Target array, int64_t number, Target *out);
Inst *list_next(const World *world, Target array, const Inst *cell); /* NULL: the first cell */

/* ---- birth_value.c: values evaluated at birth ---- */

/* False, with a message, when something in it is not known; *out is 0 then. `parameter`: its name,
 * or NULL. */
bool birth_value(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                 double *out);
/* Likewise, and does it read a parameter that initial conditions determine? For birth_value() that is an error. */
bool birth_value_of(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                    double *out, bool *reads_free);
/* An expression over the refs of the value; false: not known. */
bool birth_value_x(World *world, Inst *scope, const PlanValue *value, X x, double *out);
/* How it follows the parameters that initial conditions determine, where these have the given tangents. */
double birth_tangent(World *world, Inst *scope, const PlanValue *value, const double *tangent);
/* The value as an expression over vars: [value->refs.n], 0 for what is a number. False: it is none, but a sum over rounds, or an array. */
bool birth_equation(World *world, Inst *scope, const PlanValue *value, DdpVar *vars, X *x);

/* ---- free_params.c: parameters that initial conditions determine ---- */

void free_note(World *world, DdpVar parameter); /* it was born */
bool free_is(const World *world, DdpVar var);   /* is it one, or made of one? */
/* The value at birth of `var`, which follows the parameters it is made of. */
double free_made(World *world, Inst *scope, const PlanValue *value, const char *parameter,
                 DdpVar var);
/* An assertion is looked at when the parameters are known; false: they are. */
bool free_waits(World *world, Inst *inst, const Op *op, Place cause);
void free_close(World *world);

/* ---- instantiate.c ---- */

Inst *inst_memory(World *world, Plan *plan); /* zeroed */
/* The condition on which the content of a branch depends, or 0. */
DdpVar inst_branch_logic(World *world, Inst *inst, const Op *op, WorldChoice choice);
void inst_note_newborn(World *world, BranchId branch, bool again); /* it has to be decided */
/* Puts an instance to be created on the list of work; it is named in the owner's word at once. */
Inst *inst_create_later(World *world, Plan *plan, Inst *owner, uint32_t word, const Op *cause,
                        Inst *scope, uint32_t source, DdpVar logic);
void inst_remove_later(World *world, Inst *inst);
void inst_doom(World *world,
               Inst *inst); /* cut off from its owner; removed at the end of the work */
void inst_forget_newborn(World *world, BranchId branch);
const PlanArg *inst_argument(const Frame *frame, const Member *parameter); /* or NULL */
/* Runs one operation of the plan: creates what it stands for, or removes it. */
void inst_op_forwards(World *world, Inst *inst, uint32_t index, const Frame *frame);
void inst_op_backwards(World *world, Inst *inst, uint32_t index);
void world_run(World *world); /* until no instance is under construction or removal */
void inst_enter_rel(World *world, Inst *inst, uint32_t op, const Frame *frame); /* OP_REL, OP_DER */
void inst_leave_rel(World *world, Inst *inst, const Op *op);
void inst_hint(World *world, Inst *inst, const Op *op, int change); /* OP_TEAR */
DdpVar inst_make_var(World *world, Inst *inst, const Op *op);
/* What world_override() says about the variable's path, or NULL. */
Override *override_of(World *world, DdpVar var);
/* Where values at birth may ask for the number of an element: it is the one that is born. */
void inst_note_element(World *world, const Inst *inst, const Op *op);
/* OP_ASSERT; `cause`: where the instance is declared, or 0 */
void inst_assert(World *world, Inst *inst, const Op *op, Place cause);
void inst_begin_value(World *world, Inst *inst, const Op *op);             /* OP_VAR with a start */
void inst_make_sample(World *world, Inst *inst, const Op *op);             /* OP_SAMPLE */
void inst_make_delay(World *world, Inst *inst, const Op *op);              /* OP_DELAY */
void inst_note_special(World *world, Inst *inst, const Op *op, bool born); /* OP_COUT, OP_REINIT */
void inst_connect(World *world, Inst *inst, uint32_t op);
void inst_disconnect(World *world, Inst *inst, const Op *op);

/* ---- world_find.c ---- */

DdpVar find_var_in(const World *world, InstId inst,
                   const char *path); /* path from there; 0: none */

/* ---- world_edit.c: what was typed into instances, and what was taken away there ---- */

/* Is the operation's statement taken away? Hardly any model has some. */
bool edit_is_hidden(const World *world, const Inst *inst, const Op *op);
static inline bool edit_hides(const World *world, const Inst *inst, const Op *op)
{
    return world->hidden.n && edit_is_hidden(world, inst, op);
}
/* The next edit behind number `after` (from 1) whose body lies in `inst` itself; 0: none. */
uint32_t edit_next(const World *world, const Inst *inst, uint32_t after);
uint32_t edit_number(const World *world, InstId inst); /* of the edit whose body it is, from 1 */
void edit_forget(World *world, const Inst *inst);      /* it dies */
void edits_remove_later(World *world, const Inst *model);
void edits_rest_later(World *world, const Inst *model);
void edits_wake_later(World *world, const Inst *model);
void edits_pack(World *world, struct Pack *pack);
bool edit_is_of(const World *world, uint32_t i,
                const Inst *model); /* edits.at[i], and it is there */
/* The instance of a body that belongs to the model instance, or NULL while its branch is not there. */
Inst *edit_inst_of_body(const World *world, InstId model, const Body *body);

/* ---- world_users.c ---- */

struct WorldUser;
/* world_edit_users(), for who has a memory guard. */
uint32_t users_of(World *world, InstId model, const Stmt *stmt, uint32_t most,
                  struct WorldUser *users);

/* ---- world_hold.c: variables that are held because of what was typed, and no longer because of what was taken away ---- */

void hold_by_body(World *world, InstId model, const Body *body); /* its statements came */
void hold_by_stmt(World *world, InstId model, const Stmt *stmt, bool came); /* else it went */
DdpVarKind hold_at_birth(World *world, const Inst *inst, const Op *op);

static inline bool world_is_edited(const World *world)
{
    return world->edits.n || world->hidden.n;
}

static inline bool inst_is_edit(const Inst *inst)
{
    return inst->owner_word == NO_WORD;
}

/* Is it the body of a branch? Edits, loops and nodes of rows are none. */
static inline bool inst_is_in_branch(const Inst *inst)
{
    return inst->plan->is_branch && !inst_is_edit(inst) && !inst->plan->row && !inst->plan->in_loop;
}

/* ---- rest.c: the else branch of a `when` while the `when` acts ---- */

void rest_later(World *world, Inst *inst);     /* withdraws its relations and those of its parts */
void wake_later(World *world, Inst *inst);     /* enters them again */
void rest_body(World *world, BranchId branch); /* the body of a branch, which has no choice then */
void rest_op(World *world, Inst *inst, uint32_t op);
void wake_op(World *world, Inst *inst, uint32_t op, const Frame *frame);
/* Runs all work there is, until nothing is left to do. */
void world_work(World *world);

/* ---- depend.c: what exists while a path leads somewhere ---- */

enum { GROUP_OUT, GROUP_IN, GROUP_PENDING }; /* word of an OP_GROUP; .. + index in World.pending */

/* Operation `op` (OP_GROUP or OP_EXISTS) depends on a path that has changed: takes back what it
 * entered, to be looked at again at the end of the work. */
void depend_suspend(World *world, Inst *inst, uint32_t op);
void depend_group_enter(World *world, Inst *inst, uint32_t op, bool again);
void depend_exists_update(World *world, Inst *inst, uint32_t op);
void depend_drop_group(World *world, Inst *inst, uint32_t op);
void depend_drop_exists(World *world, Inst *inst, uint32_t op);
void depend_resume(World *world);

/* ---- transfer.c: moves, copies, aliases ---- */

void transfer_make_alias(World *world, Inst *inst, const Op *op, const Frame *frame);
void transfer_set_alias(World *world, Inst *inst, uint32_t word,
                        Inst *target); /* NULL: to nothing */
void transfer_bind_copies(World *world);
void transfer_move(World *world, Inst *inst, const Op *op);
void transfer_copy(World *world, Inst *inst, const Op *op);
void transfer_bind(World *world, Inst *inst, const Op *op);
void transfer_trash(World *world, Inst *inst, const Op *op);

/* ---- connect.c ---- */

typedef struct EdgeView {
    uint32_t inst, op; /* the statement */
    uint32_t a, b;     /* InstIds of the ends */
} EdgeView;

Connect *connect_open(World *world);
void connect_close(Connect *connect);
/* 0, with a message, when it would close a cycle or there is nothing to connect. */
uint32_t connect_add(Connect *connect, Inst *inst, uint32_t op, Inst *a, bool own_a, Inst *b,
                     bool own_b, Place at);
void connect_remove(Connect *connect, uint32_t edge);
bool connect_has_spares(const Connect *connect);
/* connect_open.c: where equations are missing and connectors are not connected, their flows are 0 from now on; where there are too
 * many, no longer for those that equations name. False: nothing changed. */
bool connect_open_ends(World *world);
bool connect_close_ends(World *world);
void connect_end_removed(World *world, const Inst *inst); /* it is about to go */
void connect_tell_open(World *world);                     /* once for each model */
void connect_tell_spares(Connect *connect); /* connections that say nothing new, once each */
/* Zero-sums that lost their relations get new ones. */
void connect_flush(Connect *connect);
EdgeView connect_edge(const Connect *connect, uint32_t edge);
void connect_edge_links(Connect *connect, uint32_t edge, uint32_t link_a, uint32_t link_b);
/* The model whose set it belongs to, and a place in it. */
InstId connect_sum_model(const Connect *connect, uint32_t sum);
Place connect_sum_place(const Connect *connect, uint32_t sum);
/* The flow that a partial sum is named after: that of its first connector. */
DdpVar connect_sum_flow(const Connect *connect, uint32_t sum, uint32_t flow);
/* The relations of an edge and of a sum, index from 0; 0 at the end (and for sums that are free).
 */
DdpRel connect_edge_rel(const Connect *connect, uint32_t edge, uint32_t i);
DdpRel connect_sum_rel(const Connect *connect, uint32_t sum, uint32_t flow);
uint32_t connect_sum_limit(const Connect *connect);
uint32_t connect_edge_count(const Connect *connect);
uint32_t connect_set_count(const Connect *connect);
size_t connect_bytes(const Connect *connect);
void connect_pack(Connect *connect, struct Pack *pack); /* instances first */
void connect_verify(const Connect *connect);

/* ---- singular.c: equations that depend on each other ---- */

void singular_open(World *world);
void singular_close(World *world);
void singular_pack(World *world, struct Pack *pack);
void singular_entered(World *world, DdpRel rel, uint32_t n,
                      const DdpVar *vars); /* a new relation */
void tell_notes(World *world); /* that waited for the end of the event; report_singular.c */
/* singular_keep.c: likewise; relations and variables are still there. */
void keep_left(World *world, DdpRel rel);
void keep_born(World *world, DdpVar var);
void keep_died(World *world, DdpVar var);
DdpPart singular_dependent(World *world, const DdpPart *over, bool *contradict);

/* ---- report_connect.c: mistakes in connections, told as such; false when it is none ---- */

bool report_unconnected(World *world, const DdpPart *under);
bool report_two_grounds(World *world, const DdpPart *over);
bool report_components(World *world, const DdpPart *over);
bool report_contradicting(World *world, const DdpPart *part); /* these, all of them, do */
bool report_circle(World *world, const DdpPart *part);
/* What the modeller placed: the innermost instance around that is no connector and no branch; where. */
const Inst *report_component_of(const World *world, const Inst *inst);
Place report_place_of(const World *world, const Inst *inst);
/* The connector that a potential or flow variable belongs to, or NULL. */
const Inst *report_connector_of(const World *world, DdpVar var);
/* The outermost connector around it; NULL: it is connected, or equations outside of its component name it. */
const Inst *report_bare_connector(const World *world, const Inst *inst);
void report_note_component(World *world, InstId of); /* nothing for the model itself */

/* ---- instantiate.c, instantiate_branch.c ---- */

void world_note_role(World *world, const Inst *inst, const Op *op, WorldRole role, bool born,
                     uint32_t a, uint32_t b, uint32_t c);
void world_make_branch(World *world, Inst *inst, uint32_t index, const Op *op, const Frame *frame);
void world_drop_branch(World *world, Inst *inst, const Op *op);

#endif
