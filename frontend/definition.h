/* definition.h: what a Sol text means before anything is instantiated. The static half of the front
 * end produces it, the dynamic half (instances, connections, flattening) and nobody else reads it.
 *
 * Everything is resolved and type-checked: no name has to be looked up again, every expression
 * has a type, every statement one kind. Names stay for messages and instance paths. The objects are
 * immutable once produced and live as long as their Program.
 *
 * Definitions appear on demand. A Def is one *text* in one *surrounding*: when a package is
 * inherited, its models exist once more inside the heir, because there they may see redefined
 * neighbours. So definitions are compared by type (types.h), hardly ever by pointer.
 *
 * Invariants (verify_definitions.c checks them in builds with SOLSTICE_VERIFY)
 *   F1  def->body is NULL until the definition was asked for with program_complete() (frontend.h)
 *       or is the definition of a member, base or anonymous instance of a completed one; whatever
 *       is reachable from a completed definition is completed.
 *   F2  members of a body are numbered 0..n-1 in order of declaration, inherited ones first;
 *       member->body->members[member->index] == member.
 *   F3  in a Program without errors no pointer documented as "never NULL" is NULL, every
 *       expression has a type, and exactly `if` and `when` have branches. With errors nothing may
 *       be instantiated.
 *   F4  expressions are at most DEFINITION_MAX_EXPR_DEPTH deep, lists inside them counted, and
 *       branches at most max_depth (frontend.h): so walks over them may recurse.
 *   F5  the first step of a path is a member of the body that `up` leads to, each further one of
 *       the definition that the step before is declared with.
 *   F6  parameter lists name parameters, parentheses `in` members, of their definition.
 *   F7  slots of a body are numbered 0..n_slots-1, each with exactly one owner; of R_ACCESS, the
 *       anonymous ones have one.
 *   F8  births is a permutation of members in which each comes after what its parameters name.
 */
#ifndef FRONTEND_DEFINITION_H
#define FRONTEND_DEFINITION_H

#include "base/diag.h"
#include "base/intern.h"
#include "ddp/expr.h"

enum { DEFINITION_MAX_EXPR_DEPTH = 2000 };

typedef struct Program Program;
typedef struct Def Def;
typedef struct Body Body;
typedef struct Member Member;
typedef struct RExpr RExpr;
typedef struct Stmt Stmt;

/* ---- types ---- */

typedef enum TypeKind {
    TYPE_ERROR, /* only while errors were found: fits everything, so that one mistake is one message
                 */
    TYPE_VOID,  /* of `Void` aliases, and of an access without an out member */
    TYPE_REAL,
    TYPE_INTEGER,
    TYPE_BOOLEAN,
    TYPE_STRING,
    TYPE_MODEL
} TypeKind;

typedef struct Type {
    TypeKind kind;
    Def *def; /* TYPE_MODEL: never NULL; else NULL */
} Type;

static inline bool type_is_basic(Type type)
{
    return type.kind >= TYPE_REAL && type.kind <= TYPE_STRING;
}

/* ---- paths ---- */

/* A member seen from a statement: go up `up` bodies from the statement's own body (0: the body the
 * statement stands in; branches lie inside their parents), take step[0] there, then step[1] inside
 * the instance found, and so on.
 *
 * The steps are the members of the *declared* types. A dynamic or alias member may hold an instance
 * of another definition with a compatible type; then member_in() finds the corresponding member. */
typedef struct PathIndex {
    uint32_t n; /* the rank of the step, or 0 */
    RExpr **at; /* Integers that are known at birth, in the scope of the path */
} PathIndex;

typedef struct Path {
    uint32_t up;
    uint32_t n; /* steps, at least 1 */
    Member **step;
    PathIndex *index; /* [n], or NULL: no step is an element of an array */
    Place at;
} Path;

static inline Member *path_last(const Path *path)
{
    return path->step[path->n - 1];
}

/* ---- members ---- */

typedef enum Binding { BIND_STATIC, BIND_DYNAMIC, BIND_ALIAS } Binding;
typedef enum ConAttr { CON_NONE, CON_POTENTIAL, CON_FLOW } ConAttr;
typedef enum IoAttr { IO_NONE, IO_IN, IO_OUT } IoAttr;

/* `name << value` in a parameter list */
typedef struct ParamArg {
    Member *parameter; /* of the definition that is instantiated */
    RExpr *value;      /* in the scope around the parameter list. An alias parameter: R_PATH */
    Place at;
} ParamArg;

/* The parameter list of a declaration or an anonymous instance: every parameter without a default
 * value occurs exactly once, those with one at most once; in the order as written. */
typedef struct ParamList {
    uint32_t n;
    ParamArg *arg;
} ParamList;

/* Attribute `fixed`: the start is a condition; a first guess, and a parameter is computed; nothing was said. */
typedef enum Fixed { FIXED_NOT_SAID, FIXED_TRUE, FIXED_FALSE } Fixed;

/* Members that nobody declared, in the body of a loop over the elements of a dynamic array: aliases that the loop keeps
 * up to date while elements come and go. */
typedef enum ElementRole {
    ELEMENT_NONE,
    ELEMENT_OF,     /* the element of the round, or the one `offset` places behind it */
    ELEMENT_BEFORE, /* the round before, or the body around the loop: where a sum stands so far */
    ELEMENT_LAST    /* in the body around the loop: the last round, or that body itself */
} ElementRole;

struct Member {
    Sym name;
    Type type;      /* basic, or a model; TYPE_VOID for a parameter `alias Void` */
    Body *body;     /* the body it is a member of */
    uint32_t index; /* in its body, dense from 0 */
    Binding binding;
    ConAttr con;
    IoAttr io;
    bool is_public; /* declared in an interface */
    bool parameter; /* static when of basic type, alias when of model type, however declared */
    bool has_list;  /* declared with { }: a dynamic member is born with an instance only then */
    bool held;     /* basic: some `<<` in its own body, or in a branch inside, names it as target */
    bool named;    /* some expression or statement of its own model begins with its name */
    bool hidden;   /* nobody declared it: the value of a conditional expression */
    bool iterator; /* of a loop: a parameter that has the number of the round */
    bool list;     /* dynamic array: elements come and go; rank is 0 */
    uint8_t element; /* ElementRole */
    int32_t offset;  /* ELEMENT_OF */
    Member *
        otherwise; /* of a sum in a round: the variable of the body around that is there before the first one */
    uint32_t rank;           /* of an array: number of sizes; else 0 */
    RExpr **size;            /* Integers that are known at birth, in the scope of `body` */
    Sym unit_text;           /* "m/s", or 0 */
    const struct Unit *unit; /* NULL: none was given */
    bool has_least, has_most;
    double least, most; /* min and max that are constants */
    ParamList params;   /* in the scope of `body` */
    RExpr *
        start; /* a variable's value at birth, or first guess of it, in the scope of `body`; NULL: none */
    uint8_t fixed;     /* Fixed */
    uint8_t select;    /* stateSelect: flags of its derivative relations (ddp.h), 0: default */
    double nominal;    /* 0: none was given as a constant, but perhaps by */
    RExpr *nominal_by; /* parameters, in the scope of `body`; or NULL */
    RExpr *value;      /* a parameter's default value, in the scope of `body`; NULL: none */
    Place at;          /* of its name in the declaration that counts (a redeclaration moves it) */
};

/* ---- bodies ---- */

/* Scope, members and statements: the body of a model (interface and implementation, inherited text
 * first) or of one branch. A branch that is left out has no body; an empty branch has one. */
struct Body {
    Def *def;       /* the model it belongs to, also for branches */
    Body *parent;   /* NULL for the body of a model */
    uint32_t id;    /* dense from 1 in its Program */
    Stmt *owner;    /* the if or when it is a branch of; NULL for the body of a model */
    uint32_t depth; /* number of parents */
    bool edit;      /* typed into a running model: it lies inside the body of the model it is for */
    uint32_t n_members;
    Member **members;
    Member **births; /* the same members in an order in which they can be created: each after those
                        that its parameter list or default value names; else as declared */
    uint32_t n_stmts;
    Stmt **stmts;     /* in textual order, S_DECLARE for each member among them */
    uint32_t n_slots; /* anonymous instances and specials in this body's own statements, parameter
                         lists and conditions of its ifs and whens: RExpr.slot < n_slots */
    uint32_t n_held;  /* targets of `<<` that lie deeper: basic variables inside a sub-model that is
                         a  member of this body; up == 0 and n >= 2; each listed once */
    Path *held;
};

/* ---- expressions ---- */

enum { SIZE_FOLDS = 64 }; /* R_SIZE: op - SIZE_FOLDS is an XOp that all elements are combined by */

typedef enum RKind {
    R_CONST,    /* k */
    R_OP,       /* op applied to arg[0..n-1]: operators and predefined functions */
    R_PATH,     /* path: the value of a basic variable; or a model, where a model is wanted */
    R_EXISTS,   /* path?: Boolean */
    R_ACCESS,   /* access: an instance, or the out member of one (see Access) */
    R_TIME,     /* Real */
    R_HOMOTOPY, /* Real: the part that simplified equations have, 0 but while starts are solved */
    R_INITIAL,  /* Boolean: the update in which the model instance was created */
    R_PRE,      /* path: the value of a basic variable in the update before */
    R_DER,      /* arg[0], start: Real */
    R_RANDOM,   /* arg[0]: Real, drawn once per birth */
    R_SAMPLE,   /* arg[0] the interval, arg[1], if any, where it begins: Boolean */
    R_TABLE,    /* arg[0] x, arg[1] file (String), arg[2] column (Integer): Real */
    R_DELAY,    /* arg[0] x (a path), arg[1] the delay, arg[2], if any, the longest one: Real */
    R_BORN,     /* Boolean: the event in which this expression came to life */
    R_SIZE,     /* path, whose last step is an array without index: its size number `op`, Integer */
    R_INDEX, /* number of the element that is born, in a value at birth; `op` sizes further out: Integer */
    R_FOLD, /* arg[1] for the numbers from 1 to arg[0], combined by `op`; in a value at birth */
    R_ROUND /* that number; `op` R_FOLD further out: Integer */
} RKind;

typedef enum RelOp { REL_EQUAL, REL_COPY, REL_MOVE } RelOp; /* = << <- */

/* `in << value` or `in = value` inside parentheses */
typedef struct InRel {
    Member *in;   /* of access->def */
    RelOp op;     /* REL_EQUAL or REL_COPY; REL_COPY makes the in member held. For a member of alias
                     binding: REL_COPY binds it */
    RExpr *value; /* in the scope around the parentheses */
    uint32_t n_rest; /* `in.a.b = value`: the members behind `in`, hardly ever any; the last one is
                        meant */
    Member **rest;
    Place at;
} InRel;

/* An instance used in an expression: `M{p << 1}(x = u)` creates one of its own (path NULL) that
 * lives as long as the body around it; `m(x = u)` uses the member m. In-members may be left out.
 * The expression's type decides what it stands for: a model: the instance itself (source of a move
 * or a copy); otherwise the out member's value (`out`), or nothing (TYPE_VOID, only as a
 * statement). Where def->external is set, the anonymous instance is a call of a foreign function.
 */
typedef struct Access {
    Def *def;
    Path *path;       /* the member, or NULL for an anonymous instance */
    ParamList params; /* of an anonymous instance */
    uint32_t n_ins;
    InRel *in;
    Member *out; /* the out member of def when it has one, whether used or not */
} Access;

enum { SLOT_NONE = UINT32_MAX };

struct RExpr {
    RKind kind;
    Type type;
    Place at;
    uint32_t
        slot; /* anonymous R_ACCESS, R_DER, R_RANDOM, R_SAMPLE, R_PRE, R_TABLE, R_DELAY, R_BORN: dense number in
                      the body of the statement, for what the instance of the body remembers; else
                      SLOT_NONE */
    uint8_t
        op; /* R_OP: XOp from ddp/expr.h, X_NEG .. X_OR; X_SELECT of values at birth and in noEvent */
    uint8_t n;       /* number of arg */
    bool continuous; /* Real that may vary between events, or depends on one: events of its
                        comparisons have to be watched. false: changes at events only */
    bool is_state;   /* R_DER: written derState */
    bool lasts;      /* R_PRE: in a relation that lasts: updates go on while it changes */
    RelOp start_op;  /* R_DER with start: REL_COPY or REL_EQUAL */
    double k; /* R_CONST: as ddp/expr.h has it: Boolean 0 or 1, String the number of its Sym */
    RExpr *arg[3];
    uint8_t
        n_sizes; /* a value at birth that is an array: an element of it, and the sizes of the whole */
    RExpr **sizes;
    RExpr *start; /* R_DER: the start value or NULL */
    Path *path;
    Access *access;
};

/* ---- statements ---- */

typedef enum StmtKind {
    S_DECLARE,    /* member */
    S_EQUATION,   /* a = b, both basic and of the same kind (Integer and Real mix) */
    S_COPY_VALUE, /* path << b, path a basic variable */
    S_COPY_MODEL, /* path << b, path a dynamic member, b R_PATH or anonymous R_ACCESS of a model */
    S_MOVE,       /* path <- b, path a dynamic member, b R_PATH of a dynamic member or R_ACCESS */
    S_ALIAS,      /* path << b, path an alias member, b R_PATH */
    S_TRASH,      /* trash <- b, as S_MOVE */
    S_CONNECT,    /* connection{a << a, b << b}, both R_PATH of models, or Void aliases */
    S_TEARING,    /* tearing(x = path) */
    S_COUT,       /* cout << b */
    S_TERMINATE,  /* terminate("why"): in a `when`; `assertion` is the text */
    S_REINIT,     /* reinit(path, b): in a `when`; path a Real variable */
    S_INSTANCE,   /* a: an R_ACCESS alone */
    S_IF,         /* a: condition, Boolean */
    S_WHEN,       /* a: condition, Boolean; an assertion is one that ends the run */
    S_FOR /* then_body once for each number from a to b, which are known at birth; its first member is
                     the iterator. Or, with a path, for each element of that dynamic array: ELEMENT_OF comes first */
} StmtKind;

struct Stmt {
    StmtKind kind;
    uint32_t number;   /* dense from 1 in its Program */
    uint32_t index;    /* body->stmts[index] */
    Place at;          /* of its first token */
    Place operator_at; /* of its = << <- where it has one, else as `at` */
    Place end;         /* behind its last token; 0: nobody wrote it */
    Body *body;        /* the body it stands in */
    Member *
        member; /* S_DECLARE; S_FOR of a reduction: what it adds up in, or ELEMENT_LAST; S_IF of a conditional expression: its value, which both branches determine */
    const Stmt
        *part_of;      /* S_IF of a conditional expression: the statement it stands in; else NULL */
    Path *path;        /* target, see StmtKind */
    RExpr *a, *b;      /* see StmtKind */
    uint32_t n_checks; /* S_FOR over the elements of arrays: sizes that must be b, known at birth */
    RExpr **checks;
    bool watch;    /* S_IF that nobody wrote: a `pre` in a condition reads the Boolean of its own */
    Sym assertion; /* S_WHEN: message with which the run ends when it fires, or 0; S_TERMINATE */
    Sym names[2];  /* S_IF: what the text calls its branches, else and then; or 0 */
    Body *then_body; /* S_IF, S_WHEN: never NULL. parent == body */
    Body *else_body; /* S_IF, S_WHEN: NULL when there is none; `else if` is a body with one S_IF.
                          parent == body */
};

/* ---- definitions ---- */

typedef enum DefKind { DEF_MODEL, DEF_PACKAGE, DEF_CONNECTOR, DEF_FUNCTION } DefKind;

/* `external "LIBRARY" "FUNCTION" [derivative "F"] [constructor "F"] [destructor "F"];`, texts or 0
 */
typedef struct External {
    Sym library, function;
    Sym derivative, constructor, destructor;
    Place at;
} External;

struct Def {
    Sym name;
    DefKind kind;
    bool partial;
    bool predefined; /* no text; never instantiated: its uses are RKinds and StmtKinds of their own
                      */
    Def *outer; /* the definition around it, where it was reached (the heir for inherited ones);
                   NULL at the top of a file */
    Def *base;  /* what it extends, or NULL; its content is part of `body` already */
    External *external; /* foreign function, or NULL */
    Place at;           /* of its name */
    Body *body;         /* see F1; a package has an empty one */

    /* members of the body by role, in order of declaration, inherited first */
    uint32_t n_params;
    Member **params;
    uint32_t n_ins;
    Member **ins; /* as parentheses by position count them */
    Member *out;  /* or NULL */

    uint32_t id;          /* dense from 1 in its Program: for tables of the instantiator */
    struct DefText *text; /* private to the static half */
};

/* The member of `actual` that stands for `declared`, a member of the body of a compatible
 * definition: `declared` itself when it belongs to `actual`, else the one of the same name; NULL
 * when there is none (a checked program never asks for it). One hash look-up at most. */
Member *member_in(const Def *actual, const Member *declared);

/* The member of this name that a body declares itself, or NULL. One hash look-up. */
Member *member_of(const Body *body, Sym name);

/* A variable that no text names: not its own model, and no path into an instance, by whatever type
 * that was declared. Known when all texts are resolved. */
bool member_is_unused(const Program *program, const Member *m);

/* "Electric.Basic.Resistor", in the program's arena. */
const char *def_path(Program *program, const Def *def);

#endif
