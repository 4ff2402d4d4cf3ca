/* plan.h: a body compiled once for all its instances.
 *
 * A plan is a straight list of operations. Creating an instance runs it forwards, removing one runs
 * it backwards: that is all of "removal in exact reverse order". What the operations produce for
 * one instance (numbers of variables, relations, sub-instances, branches) lies in the instance's
 * words; everything else stays in the plan.
 *
 * Where a statement says `G.f1.phi`, the plan holds a Ref: how many bodies to go up, then a chain
 * of words. In chains through dynamic and alias members the definition that stands there is known
 * at run time only: such a Ref is `movable`, its members are looked up, and the operation is grouped
 * with those that must come and go when the member changes (P3).
 *
 * A variable that the surrounding model transmits to is held; so the same body may have several
 * plans that differ in the kinds of their variables (and of those of their parts), nothing else.
 *
 * Invariants
 *   P1  the layout of the words depends on the body alone, not on the variant.
 *   P2  operations come in this order: parameters, variables, other members, statements in textual
 * order, each preceded by the auxiliary variables and anonymous instances it needs. P3  an
 * operation that refers to a variable through a dynamic or alias member stands in a group, and a
 * group contains no operation that creates an instance.
 */
#ifndef FRONTEND_PLAN_H
#define FRONTEND_PLAN_H

#include "ddp/ddp.h"
#include "frontend/frontend.h"

typedef struct Plan Plan;
typedef struct Plans Plans;

enum {
    REF_TIME = UINT32_MAX, /* Ref.up of the clock */
    REF_INDEX =
        UINT32_MAX - 1, /* of the number of the element that is born, `n` sizes further out */
    REF_HOMOTOPY = UINT32_MAX - 2, /* of the part that simplified equations have (world_homotopy) */
    REF_FOLD = UINT32_MAX - 3,     /* of what `fold` says; without steps */
    REF_ROUND =
        UINT32_MAX - 4, /* of the number of its round, `size` folds further out; without steps */
    NO_WORD = UINT32_MAX
};

typedef struct PlanValue PlanValue;

typedef struct RefStep {
    Member *member; /* NULL for anonymous instances and auxiliary variables */
    uint32_t word;  /* in the plans of the declared definition */
    uint32_t n_index;
    PlanValue *index;   /* of an element of an array: known at birth, in the scope of the ref */
    const Plan *round;  /* of a sum that rounds add up: in instances of this plan it is `word`, */
    uint32_t otherwise; /* in others this word; NULL: no sum */
} RefStep;

typedef struct Ref {
    uint32_t up;
    uint32_t n;   /* steps; the last one is the variable, instance or member meant */
    bool movable; /* a step before the last is a dynamic or alias member */
    bool whole;   /* the last step counts too: an end of a connection that comes and goes */
    uint8_t
        size; /* not a variable, but size number size - 1 of the array it leads to, or from SIZE_FOLDS
                     on all its elements by an operation; 0: none */
    RefStep *step;
    const struct PlanFold *fold; /* NULL: another value */
    Place at;
} Ref;

typedef struct RefList {
    uint32_t n;
    Ref *at;
} RefList;

typedef enum OpKind {
    OP_VAR,     /* word: basic variable of kind `var_kind`; `value`: its start, if it has one */
    OP_PARAM,   /* word: parameter; value from the parameter list, or `value` as default */
    OP_ALIAS,   /* word: instance referred to, +1: its Link, +2: first watch */
    OP_PART,    /* word: instance of `plan`, with parameters `args` */
    OP_DYNAMIC, /* word: instance, +1: first watch; born with one of `plan` when that is not NULL */
    OP_LIST,    /* word: LIST_WORDS of a dynamic array; plan: nodes of its bag, other: cells */
    OP_EACH, /* word: EACH_WORDS of a loop over the dynamic array refs[0]; plan: nodes of its bag, other: rounds;
                   member: ELEMENT_LAST of a sum, or NULL */
    OP_APPEND, /* a new element of the dynamic array refs[0]: an instance of `plan`, with parameters `args` */
    OP_AUX,     /* word: auxiliary variable of kind `var_kind` */
    OP_INITIAL, /* word: DDP_KNOWN variable */
    OP_BORN,    /* the same, of one expression: true in the event in which that came to life */
    OP_DELAY, /* word: DDP_KNOWN variable; refs[0]: of what; refs[1], if any: the delay, which varies; `value`: the longest */
    OP_RANDOM, /* word: DDP_KNOWN variable */
    OP_INDEX,  /* word: DDP_KNOWN variable with the number of the round of a loop */
    OP_SAMPLE, /* word: DDP_KNOWN variable; `value`: the interval; args, if any: where it begins */
    OP_PRE,    /* word: DDP_KNOWN variable; refs[0]: of what */
    OP_HANDLE, /* word: DDP_KNOWN variable; `function` */
    OP_KNOWN,  /* word: DDP_KNOWN variable with `value`, evaluated at birth (start values) */
    OP_ASSERT, /* `value`, of parameters only, must not hold at birth; else `assertion` is told */
    OP_EXISTS, /* word: DDP_KNOWN variable, +1: first watch, +2: index in pending, +1; refs[0] */
    OP_REL,    /* word: relation of kind `var_kind`, `form` over refs */
    OP_DER,    /* word: relation; refs[0] = d refs[1] / dt; refs[2], if any: start value */
    OP_TEAR,   /* refs[0] */
    OP_COUT,   /* refs[0]: the variable shown */
    OP_TERMINATE, /* the run ends behind this event, for the reason `assertion` */
    OP_REINIT,    /* refs[0]: the value that the state refs[1] gets when the branch ends */
    OP_CONNECT,   /* word: edge; refs[0], refs[1]; own[i]: connector of the model's own interface */
    OP_BIND,      /* alias refs[0] << instance refs[1] */
    OP_MOVE,      /* refs[0] <- refs[1] */
    OP_COPY,      /* refs[0] << refs[1], models */
    OP_TRASH,     /* trash <- refs[0] */
    OP_BRANCH, /* word: branch; refs[0]: condition; plan, other: then and else branch (or NULL) */
    OP_GROUP   /* word: state, +1: first watch; the next `span` operations come and go together */
} OpKind;

/* An expression over the values of variables, for parameters and the like: evaluated at birth. */
struct PlanValue {
    X x;
    RefList refs;
    uint32_t n_sizes; /* of the array whose elements it gives; 0: it is none */
    PlanValue *sizes;
    Place at;
};

/* The values of an expression for the numbers from 1 to `rounds`, combined by an operation: evaluated at birth. */
typedef struct PlanFold {
    uint8_t op; /* XOp */
    TypeKind type;
    PlanValue rounds, value;
} PlanFold;

/* Argument of a parameter list; in the scope of the instance that owns the new one. */
typedef struct PlanArg {
    const Member *parameter;
    PlanValue value; /* basic parameters */
    Ref target;      /* alias parameters */
} PlanArg;

typedef struct Op {
    uint8_t kind;          /* OpKind */
    uint8_t var_kind;      /* DdpVarKind; OP_REL: DdpRelKind */
    uint8_t type;          /* TypeKind of the variable */
    uint8_t flags;         /* OP_DER: flags of ddp_enter_rel() */
    bool own[2];           /* OP_CONNECT */
    bool when, continuous; /* OP_BRANCH */
    bool watch;            /* OP_BRANCH: see Stmt */
    Sym names[2];          /* OP_BRANCH: of its branches, else and then; or 0 */
    Sym assertion;         /* OP_BRANCH, OP_ASSERT, OP_TERMINATE: see Stmt */
    bool condition;        /* OP_REL: of a branch; OP_AUX: likewise */
    bool lasts;            /* OP_PRE: see RExpr */
    bool transient;        /* OP_PART: made to be moved elsewhere */
    bool unused;           /* OP_VAR: nothing names it, so that it needs no equation */
    bool grouped;          /* stands in a group: its OP_GROUP runs it */
    bool defines;          /* OP_REL, OP_DER: says what the auxiliary variable refs[0] stands for */
    uint32_t word;
    uint32_t chosen;   /* OP_BRANCH: word + 1 of the value of a conditional expression, or 0 */
    uint32_t span;     /* OP_GROUP */
    uint32_t function; /* OP_HANDLE */
    Form form;
    RefList refs;
    Member *member; /* OP_VAR, OP_PARAM, OP_ALIAS, OP_PART (NULL: anonymous), OP_DYNAMIC */
    Plan *plan, *other;
    uint32_t n_args;
    PlanArg *args;
    PlanValue *value;   /* or NULL */
    PlanValue *nominal; /* OP_VAR: how large it usually is, made of parameters; or NULL */
    const Stmt *stmt;   /* that it belongs to; NULL: to the body as such */
    Place at;
} Op;

/* Elements of an array or rounds of a loop are the leaves of a tree of instances (rows.c): nodes of ROW_FAN words
 * with a node below or, in the lowest ones, an element each; behind them three words. */
enum {
    ROW_FAN = 32,
    ROW_FIRST = ROW_FAN, /* word: number of the first element below this node, a signed one */
    ROW_COUNT,           /* word: elements below this node */
    ROW_LEVEL,           /* word: nodes between it and the elements */
    ROW_WORDS
};

/* Dynamic arrays (lists.c): words of the array, of a loop over it, and of what holds an element or a round. */
enum { LIST_BAG, LIST_WATCH, LIST_FIRST, LIST_LAST, LIST_COUNT, LIST_BORN, LIST_WORDS };
enum { EACH_BAG, EACH_WATCHES, EACH_PENDING, EACH_LAST, EACH_WORDS };
enum {
    CHAIN_CONTENT, /* the element, or the body of the round */
    CHAIN_WATCH,
    CHAIN_PREV,
    CHAIN_NEXT,
    CHAIN_NUMBER, /* of the birth in this array, from 1 */
    CHAIN_CELL,   /* of a round: that of its element */
    CHAIN_ROUNDS, /* of a cell: its first round; of a round: the next one of the same cell */
    CHAIN_WORDS
};

typedef enum RowKind { ROW_ARRAY, ROW_BAG, ROW_CHAIN } RowKind;

typedef struct Row {
    RowKind kind;          /* ROW_BAG and ROW_CHAIN: lists.c, and nothing else is used */
    Member *member;        /* the array; NULL: a loop */
    PlanValue first, last; /* numbers of its elements, in the scope of the body it is declared in */
    uint32_t n_checks;
    PlanValue *checks; /* values that `last` must have too */
    Plan *leaf, *inner;
    Place at;
} Row;

/* A potential or flow that a connection to an instance relates, or a connector inside it. */
typedef struct Terminal {
    Sym name;
    bool flow;
    uint32_t word; /* of the variable */
    uint32_t rank; /* sizes of the array that lies there, or 0 */
} Terminal;

/* Terminals that occur together wherever one of them does (terminals.c); sorted by name, so that
 * the i-th entries of the same bundle in two signatures belong together. */
typedef struct Bundle {
    uint32_t id; /* equal for equal names */
    uint32_t n_potentials, n_flows;
    bool arrays; /* some of them are: they are several variables each */
    Terminal *potentials, *flows;
} Bundle;

typedef struct Signature {
    uint32_t n; /* 0: nothing to connect but connectors inside */
    Bundle *bundle;
    uint32_t n_inner;
    const Terminal *inner; /* connectors inside a connector */
} Signature;

/* What all plans of one body have in common. */
typedef struct Family {
    Body *body;
    uint32_t number;
    uint32_t n_words;      /* of members and initial() */
    uint32_t *member_word; /* [index of member] */
    uint32_t initial_word; /* of the body of a model whose text has initial(), else NO_WORD */
    uint32_t n_terminals;  /* all, sorted by name; valid once `collected` */
    Terminal *terminals;
    uint32_t n_inner; /* connectors inside a connector, likewise */
    Terminal *inner;
    bool collected;
    Signature *signature; /* NULL until asked for */
} Family;

struct Plan {
    Family *family;
    Body *body;
    Def *def;
    uint32_t number; /* in order of first need */
    bool is_branch;
    const Row *row; /* its instances are nodes of a row; else NULL */
    bool in_loop;   /* its instances are rounds of a loop */
    bool compiled;
    bool foreign;     /* an instance of it calls foreign functions, or reads a table */
    uint32_t variant; /* number of the list of variables that are held from outside */
    uint32_t n_words;
    uint32_t n_ops;
    Op *ops;
    uint32_t *word_op;     /* [word]: the operation it belongs to */
    uint32_t *member_op;   /* [index of member]: the operation that makes it */
    uint32_t *stmt_op;     /* [index of statement]: its first operation + 1; 0: it has none */
    struct Inst *free;     /* memory of removed instances */
    struct PlanUses *uses; /* plan_uses.c; NULL: nobody asked yet */
};

/* A text typed into an instance that exists (world_edit.h), and its body. */
typedef struct PlanEdit {
    uint32_t scope;  /* number of the plan of the instance */
    uint32_t parent; /* of the edit whose body is around it, + 1; 0: the body of the model */
    uint32_t number; /* program_edit_number(), when it is written */
    const char *text;
    Body *body; /* NULL: what was written was not read yet */
    Plan *plan;
} PlanEdit;

Plans *plans_open(Mem *mem, Program *program, FormTable *forms);
void plans_close(Plans *plans);
/* Takes note of all transmissions that reach their target through dynamic or alias members, in all
 * that is reachable from `top`: instances that may come to stand there have those variables held.
 */
void plans_survey(Plans *plans, Def *top);
/* plans_survey(), of a text that is like that of `other`, whose table of forms was read before: foreign functions get the
 * numbers they have there. `other` must stay while plans are compiled. */
void plans_like(Plans *plans, Plans *other, Def *top);
/* The plan of a definition where nothing around transmits to its variables by a fixed path. */
Plan *plans_get(Plans *plans, Def *def);
void plans_compile(Plans *plans, Plan *plan); /* does nothing when it is compiled */
const Signature *plans_signature(Plans *plans, Plan *plan);
const Bundle *signature_bundle(const Signature *signature, uint32_t id); /* or NULL */
/* The word of the member of `plan` that stands for `declared`; *actual: that member. */
uint32_t plan_member_word(const Plan *plan, const Member *declared, Member **actual);

/* The plan of the nodes of a row whose elements are what `element` makes. */
Plan *plans_row(Plans *plans, Plan *around, const Row *row, const Op *element);

/* For dynamic arrays and loops over them: a plan for what `content` makes, and one for nodes of bags of it. */
Plan *plans_bag(Plans *plans, Plan *around, const Op *content, Plan **item);
/* How far away neighbours are that loops name. */
uint32_t plans_reach(const Plans *plans);

/* The plan of an edit of instances of `scope`, compiled; NULL with messages. `edit`: its text, and what it
 * does not see any more; the rest is filled in. */
Plan *plans_edit(Plans *plans, Plan *scope, uint32_t parent, const Edit *edit);
uint32_t plans_edit_count(const Plans *plans);
/* May it call a foreign function or read a table, now or in a branch that comes later? */
bool plans_edit_is_foreign(const Plans *plans, uint32_t number);
const PlanEdit *plans_edit_at(const Plans *plans, uint32_t number);

/* Functions that every text knows and the runtime computes. */
typedef enum PlanBuiltin { BUILTIN_TABLE, BUILTIN_DELAY, BUILTINS } PlanBuiltin;
/* Which of them has this number; BUILTINS: none. */
PlanBuiltin plans_builtin_of(const Plans *plans, uint32_t number);
uint32_t plans_function_count(const Plans *plans);
uint32_t plans_function_number(const Plans *plans, uint32_t index); /* from 0, in order of need */
const Def *plans_function(const Plans *plans, uint32_t number);     /* foreign; NULL: none */
size_t plans_bytes(const Plans *plans);

/* Numbers of plans, families and functions go by the order in which something was needed first. It
 * is written, and read into plans that were just opened, whose table of forms was read before: then
 * the same things are made in that order, with the same numbers. */
void plans_pack(Plans *plans, Def *top, struct Pack *pack);
Plan *plans_by_number(const Plans *plans, uint32_t number); /* NULL: none, or it is not compiled */

#endif
