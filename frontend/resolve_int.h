/* resolve_int.h: private to the static half of the front end (syntax tree -> definitions).
 *
 * How definitions come about
 *
 * A Def is one model text in one surrounding. What it inherits makes it a stack of *pieces*: the
 * texts of its bases, the most basic one first, and its own text last. A name in a piece is looked
 * up from the Level of that piece: first in the definition itself, among the names that this piece
 * or one below it introduces, then in the surrounding of that piece's text, and so on to the file.
 *
 *   - A redefinition in a later piece replaces what the name means in *all* pieces: so inherited
 * text sees redefinitions in the heir.
 *   - A name that a later piece introduces is invisible to earlier ones: so text that is inherited
 *     means the same as where it was written, except for what was redefined on purpose.
 *   - A sub-definition of an inherited package exists again in the heir, on demand, with the heir's
 *     Level as its surrounding.
 *
 * Nothing is resolved before somebody asks, and whoever is asked while being resolved is part of a
 * circle, which is reported. This replaces the several sweeps of an eager resolver.
 */
#ifndef FRONTEND_RESOLVE_INT_H
#define FRONTEND_RESOLVE_INT_H

#include "frontend/ast.h"
#include "frontend/frontend.h"

typedef struct FileScope FileScope;
typedef struct Level Level;
typedef struct Version Version;

/* From where a name is looked up. */
struct Level {
    Def *def;
    uint32_t piece; /* names of this piece and those below it are visible */
    Level *outer;   /* NULL for a file */
};

typedef enum Progress { TODO, BUSY, DONE } Progress;

/* One meaning of a name inside a definition; a redefinition has the one before it behind it. */
struct Version {
    AModel *model;   /* a sub-definition, or NULL */
    ADefine *define; /* `define`, or NULL */
    uint32_t piece;  /* whose text it is */
    Version *before;
    Progress state;      /* of `define` */
    uint32_t predefined; /* a `define` of a predefined name: its number + 1 */
    const Version *
        type_of; /* a `define` of a type with attributes: what it names, if that is a `define` too */
    const AList *attributes;
    Def *def;  /* the definition, once asked for; a `define` may name one too */
    Type type; /* of a constant */
    double k;
};

typedef struct Entry {
    Sym name;
    uint32_t introduced; /* first piece that defines the name */
    Version *last;
} Entry;

typedef struct Piece {
    AModel *text;
    Level level;
} Piece;

typedef struct Edge { /* an instance of `to` is created with every instance */
    Def *to;
    Place at;
    struct Edge *next;
} Edge;

typedef struct Equality { /* == or <> of Reals, to be judged when all transmissions are known */
    const RExpr *e;
    Level *level;
    struct Equality *next;
} Equality;

typedef struct HeldPath { /* a target of `<<` inside a sub-model */
    Path path;
    Body *owner; /* of the first step */
    struct HeldPath *next;
} HeldPath;

typedef struct DefText {
    Program *program;
    AModel *model;
    FileScope *file;
    bool is_unit;       /* stands for a whole file; its sub-definitions are the top ones */
    Level *surrounding; /* NULL for a file */
    Version *version;   /* as which it was reached; NULL for a file */
    bool lost_base;     /* something it extends was not found: missing names are no news */
    uint32_t depth;     /* definitions around it */

    Progress names; /* pieces and entries */
    uint32_t n_pieces;
    Piece *piece;
    uint32_t n_entries;
    Entry *entry; /* program->entries finds the number by name */

    Progress interface, statements; /* of the body */
    bool queued, walked, on_stack;  /* to be completed; recursion was looked for */
    Edge *edges;
    HeldPath *held; /* newest first */
    Equality *equalities;
    struct Redeclared *redeclared;
} DefText;

struct FileScope {
    const char *path;   /* no name of the text: what is saved does not depend on it */
    const char *folder; /* with the last '/', "" for the present one; NULL: a text in memory */
    bool broken;        /* it has syntax errors: nothing in it is resolved */
    Def *unit;
};

/* A member that was redeclared: what it was before, to be checked when all interfaces exist. */
typedef struct Redeclared {
    Member before;
    Member *now;
    struct Redeclared *next;
} Redeclared;

typedef struct MemberText {
    Member member; /* first, so that a Member * can be cast */
    ADecl *decl;
    const Version *type;     /* the `define` that names its type, or NULL */
    uint32_t piece;          /* of decl */
    uint32_t introduced;     /* piece that declared the name first */
    bool stated;             /* its S_DECLARE exists */
    bool follows;            /* some `<<` lets it follow what varies between events */
    const ADesignator *over; /* of an iterator `c in cells`: the array whose element it names */
} MemberText;

typedef struct BodyText {
    Body body; /* first, so that a Body * can be cast */
    uint32_t members_cap, stmts_cap;
    uint32_t edit; /* of an edit: its number in Program.edits, from 1 */
} BodyText;

typedef struct EditBody {
    const char *text;
    Body *body;
    const AStmt *list; /* as it was parsed */
} EditBody;

struct Program {
    Mem *mem;
    Arena arena;
    Sources sources;
    Intern names;
    Diags diags;
    uint32_t n_folders;
    const char **folders;
    const char *stdlib;
    uint32_t n_file_names;
    const char *const *file_names; /* of packages in those folders; NULL: not looked up yet */
    uint32_t max_depth, max_definitions, max_statements;
    uint64_t n_statements; /* counted against max_statements */
    void *reserve; /* given back when memory runs out, so that there is room for the message */
    bool exhausted, io_failed, limit_reported;
    uint32_t text_errors; /* of diags.errors, those that are wrong in a text */

    FileScope *main;
    VEC(FileScope *) files;
    Map library;       /* hash of path -> number of the file + 1, or 1 for "no such file" */
    VEC(Def *) defs;   /* by id - 1 */
    Map entries;       /* def id, name -> number of the entry + 1 */
    Map members;       /* body id, name -> index of the member + 1 */
    bool any_nominal;  /* some variable has a nominal value */
    bool any_homotopy; /* some expression has a simplified form */
    bool any_units, strict_units; /* some variable has a unit; differences are errors */
    uint32_t n_bodies, n_stmts;
    VEC(EditBody) edits; /* bodies that were made */
    const Edit *edit;    /* whose text is being resolved, or NULL */
    VEC(Def *) queue;    /* to be completed */
    Map predefined;      /* name -> number + 1 */
    Map reported;        /* hash of place and text of messages */
    Map held;            /* hash of steps -> 1, for targets of `<<` inside sub-models */
    Map stepped;         /* name -> 1: of a member that some path leads to through another one */
    Map transmitted;     /* hash of body and target -> number in `transmissions` + 1 */
    VEC(Stmt *) transmissions;
    Map subtypes; /* pair of def ids -> 1 sub-type, 2 not */
    bool last_reported;
    uint32_t depth; /* nested questions at present, bounded by max_depth */
};

/* ---- resolve.c: names -> definitions and constants ---- */

typedef enum FoundKind { FOUND_NOTHING, FOUND_DEF, FOUND_CONST, FOUND_PREDEFINED } FoundKind;

typedef struct Found {
    FoundKind kind;
    Def *def;
    Type type; /* of a constant */
    double k;
    uint32_t predefined; /* number for predefined.h */
    Version *version;    /* NULL for predefined names */
    bool failed;         /* nothing, but the reason was reported already */
} Found;

Def *resolve_new_def(Program *p, AModel *model, Def *outer, Level *surrounding, FileScope *file);
/* Makes pieces and entries known; false, with a message at the place that asks, when that is
 * circular. */
bool resolve_names(Def *def, Level *asker, Place at);
Entry *resolve_entry(const Def *def, Sym name);
Def *resolve_version_def(Def *owner, Version *version);
Found resolve_lookup(Level *level, const AName *name);
/* Reports what is wrong; nothing found then. `body`, or NULL: whose members could be meant too. */
Found resolve_designator(Level *level, const Body *body, const ADesignator *designator);
const char *resolve_text(Program *p, const ADesignator *designator);
void resolve_enqueue(Def *def);
bool resolve_admit(Def *def, uint32_t n); /* n more names, members or statements; false: too many */
Level *resolve_own_level(Def *def);

/* Messages; one place gives the same message only once, however often its text is inherited. */
void resolve_error(Level *level, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void resolve_warning(Level *level, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void resolve_note(Level *level, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- suggest.c: how a message about a name that means nothing ends; perhaps not at all ---- */

const char *suggest_member(Program *p, const Body *body, Sym word);
const char *suggest_parameter(Program *p, const Def *def, Sym word);
const char *suggest_in(Program *p, const Def *def, Sym word);
const char *suggest_of(Program *p, Sym word, uint32_t n, const char *const *names);
const char *suggest_definition(Def *def, Sym word);
const char *suggest_name(const Level *level, const Body *body,
                         Sym word); /* body NULL: no members */

/* ---- extend.c, redefine.c: text and base -> pieces and names ---- */

void extend_pieces(Def *def);
void redefine_entries(Def *def);
void redefine_check(Def *def); /* redefinitions and redeclarations against the types before */

/* ---- const_eval.c ---- */

/* Finds out what a `define` stands for; false, with a message, when that is circular. */
bool const_define(Def *owner, Version *version, Level *asker, Place at);
bool const_value(const RExpr *e, double *k); /* false: not constant */

/* ---- body.c: declarations -> members; statements.c; expressions.c ---- */

/* The subscript that stands for one dimension of whatever is an array in an expression that is resolved
 * element by element. */
typedef struct Element {
    Member *iterator; /* of a loop around; or NULL: */
    bool born; /* the number of the element that is born, `k` sizes further out; or the number k */
    uint32_t fold; /* or of the round of the R_FOLD that has this depth, from 1; 0: of none */
    uint32_t k;
} Element;

/* The iterator of braces, or of a sum at birth: it stands for a number while what it is named in is resolved (rules.c). */
typedef struct Rule {
    const AFor *loop;
    Element element; /* which one is being resolved */
    const struct Call *call;
    const Body *body; /* around the braces */
    struct Rule *outer;
    uint32_t uses;
} Rule;

typedef struct Elements {
    uint32_t n;
    const Element *at;
    bool any; /* there may be more of them than are needed */
} Elements;

typedef struct Context {
    Program *program;
    Def *def;
    Body *body; /* NULL in a constant */
    Level *level;
    bool in_when, in_condition;
    bool in_start;            /* in the start value of a derivative: read once, at its birth */
    bool in_initial;          /* in a branch that exists in the first update only */
    bool at_birth;            /* a value that is evaluated once, when an instance is born */
    bool no_event;            /* inside noEvent(..) */
    Sym owner;                /* whose parameter list is being read; 0: none */
    Stmt *stmt;               /* at hand, or NULL */
    const Elements *elements; /* NULL: arrays have to be indexed */
    const Path *end_of;       /* what `end` is a size of; NULL: none */
    uint32_t end_dim;
    bool subscript;          /* inside of brackets: the name of an element is its number */
    bool whole_list;         /* a dynamic array may be named as a whole */
    const struct Call *call; /* whose text it is (functions.c); NULL: no function's */
    Rule *rule;              /* iterators of braces around (rules.c) */
    Rule *frozen;            /* of these the ones that count as 1: in a bound of another */
    uint32_t own_rank;       /* of the array whose parameter list is being read */
    uint32_t folds;          /* R_FOLD around */
} Context;

void body_interface(Def *def);
Body *body_branch(Context *around, Stmt *owner, AStmt *list);
Member *body_find(const Body *body, Sym name);
bool body_is_typed(const Body *body); /* of an edit, or of a branch in one */
MemberText *body_member_text(Member *member);
void body_declare(Context *cx, AStmt *list);   /* the declarations of a list */
void body_params(Context *cx, Member *member); /* parameter list and default value */
void body_add_stmt(Body *body, Stmt *s);
/* A member that nobody declared: an instance that is given as a parameter. */
Member *body_add_hidden(Context *cx, Sym parameter, Def *def, Place at);
/* A variable that nobody declared: the value of a conditional expression. */
Member *body_add_choice(Context *cx, Type type, Place at);
Member *body_add_iterator(Context *cx, Sym name, Place at); /* name 0: hidden */
/* An alias of a loop over a dynamic array; name 0: hidden. */
Member *body_add_element(Context *cx, Sym name, Type type, ElementRole role, Place at);
void body_hold(Context *cx, const Path *target);
void body_finish_held(Def *def);
bool body_is_inside(const Body *body, const Body *around); /* it is, or lies in it */
void body_creates(Context *cx, Def *def, Place at);        /* an instance of def is created here */

void statements_resolve(Def *def);
/* `if condition` around `value = then` and `value = else`, as a part of the statement at hand. The type is
 * known when both were resolved. */
RExpr *statements_choice(Context *cx, const AExpr *a);
/* An Integer that meets a Real: conditional expressions in it get Real values. */
void choices_meet_real(Context *cx, RExpr *e);
/* A value inside a branch, resolved there. */
typedef RExpr *BranchValue(Context *inside, const void *what);
/* The value `first` in the event in which this comes to life, `later` from its end on. */
RExpr *statements_since_birth(Context *cx, Place at, BranchValue *first, BranchValue *later,
                              const void *what);
RExpr *statements_seen(Context *cx, const Path *path, Place at); /* from a branch inside */
/* Makes events where the Boolean variable changes: an empty `if`. Without it nobody would notice that it became false
 * before it becomes true again. */
void statements_watch(Context *cx, RExpr *b);
/* A variable that nobody declared, with the value of e: a part of the statement at hand. */
RExpr *statements_named(Context *cx, RExpr *e);
/* An assertion that nobody wrote, for each element where `holds` is an array. */
void statements_range(Context *cx, AExpr *holds, AExpr *text);
/* A statement that nobody wrote. */
void statements_generated(Context *cx, AStmt *statement);
/* Statements of an edit into a body of its own. */
Body *statements_edit(Context *around, AStmt *list);

typedef enum Want { WANT_VALUE, WANT_MODEL, WANT_ANY } Want;
RExpr *expr_resolve(Context *cx, const AExpr *a, Want want);
RExpr *expr_new(Context *cx, RKind kind, Type type, Place at);
Path *expr_path(Context *cx,
                const ADesignator *d); /* NULL: the first name is no member, or error */
bool expr_is_member(Context *cx, const ADesignator *d);
Member *expr_find_member(Context *cx, Sym name, uint32_t *up); /* visible from here, or NULL */
RExpr *expr_constant(Context *cx, TypeKind kind, double k, Place at);
RExpr *zero_factor_product(Context *cx, const AExpr *a); /* NULL: it is no such product */
RExpr *expr_apply(Context *cx, XOp op, TypeKind type, Place at, RExpr *a, RExpr *b);
bool expr_is_condition(Context *cx, const RExpr *c); /* false with a message, or after an error */
/* The type of a conditional expression; false with a message, or after an error. */
bool expr_choice_type(Context *cx, const AExpr *a, const RExpr *x, const RExpr *y, Type *type);
void expr_bind_params(Context *cx, Def *def, const AList *list, Place at, ParamList *out);
/* A member that nobody declared: what `M{..}` names, for a parameter of that name, or 0. */
Member *expr_hidden_instance(Context *cx, Sym parameter, Def *def, const AExpr *a);
RExpr *expr_predefined(Context *cx, uint32_t number, const AExpr *a);
/* Arguments of a predefined function or model by name or position; false after an error. */
bool expr_bind_predefined(Context *cx, uint32_t number, const AExpr *a, const AList *list,
                          const AArg **bound);
RExpr *expr_error(Context *cx, Place at);
const char *expr_quoted(Context *cx, Sym name);
bool expr_same_path(const Path *a, const Path *b); /* both seen from the same body */
void expr_check_alias(Context *cx, Type wanted, const RExpr *value, const char *what);
void expr_check_assignable(Context *cx, Type to, const RExpr *from, const char *what);
uint32_t expr_slot(Context *cx);

/* ---- arrays.c ---- */

/* Subscripts of the step that was put last on the path, which has `most` steps at most. *used: elements that were
 * taken so far. */
bool array_index(Context *cx, Path *path, uint32_t most, const AName *name, uint32_t *used);
RExpr *array_end(Context *cx, Place at);
RExpr *array_size_of(Context *cx, const AExpr *a);                /* size(T, 1) */
RExpr *array_fold(Context *cx, XOp op, const AExpr *a, Place at); /* sum(k), at birth */
void array_sizes(Context *cx, Member *m);                         /* of a declaration */
uint32_t array_rank(Context *cx, const AExpr *a);
RExpr *array_constructor(Context *cx, const AExpr *a);
RExpr *array_value(Context *cx, Element element, Place at);
/* `c.f + 1` in a parameter list, whose value may be an array: what `parameter` of the elements gets. */
RExpr *array_argument(Context *cx, const Member *parameter, const AExpr *value);
/* An Integer that is known at birth and never changes; 1 with a message when it is something else. */
RExpr *array_known(Context *cx, const AExpr *a, const char *what);
bool array_is_known(const RExpr *e); /* made of parameters, constants and iterators */
RExpr *array_subscript(Context *cx, const Path *path, uint32_t dim, const AExpr *a);

/* ---- access.c ---- */

/* Calls `each` for the values in parentheses, with the in members that they are for. */
typedef void AccessIn(void *context, Member *in, const AArg *arg);
void access_each_in(Context *cx, Def *def, const AList *list, AccessIn *each, void *context);
/* Parentheses whose in or out members are arrays, in a relation -> statements of their own; names are left. */
void access_spread(Context *cx, AStmt *a);
bool access_alone(Context *cx, const AStmt *a); /* likewise of an access alone; false: it is none */
/* In other places they are an error; false: the definition has no such arrays. */
bool access_refused(Context *cx, Def *def, Place at);

/* ---- loops.c ---- */

Stmt *loop_stmt(Context *cx, StmtKind kind, Place at); /* that nobody wrote */
/* A loop whose statements are resolved in *inside; loop_close() ends it. name 0: nobody names the iterator. */
Stmt *loop_open(Context *cx, const AName *name, Place at, Context *inside, Member **iterator);
void loop_close(Context *cx, Stmt *s, Context *inside);
/* Relations between arrays: a loop for each dimension around the relation between elements. False: not arrays. */
bool loop_relation(Context *cx, const AStmt *a, void (*relation)(Context *cx, const AStmt *a));
RExpr *loop_size(Context *cx, const AExpr *a, uint32_t dim); /* of an expression that is an array */
RExpr *loop_reduction(Context *cx, XOp op, const AExpr *a);  /* sum, product, min, max */
double loop_of_nothing(XOp op, TypeKind type);    /* the value of a reduction without elements */
RExpr *loop_product(Context *cx, const AExpr *a); /* a*b of arrays, of which one is no scalar */

/* ---- elements.c: dynamic arrays, and loops over elements ---- */

/* `for c in cars`: the loop, with *inside for its statements; NULL with a message. It is a reduction where `stmt` is
 * not the text of a loop. */
Stmt *elements_open(Context *cx, const AFor *loop, Place at, Context *inside, Member **iterator);
Member *elements_last(Context *cx,
                      const ADesignator *d); /* what a designator leads to, or NULL: no message */
bool elements_is_list(Context *cx, const AFor *loop); /* over a dynamic array */
bool elements_can_go_over(Context *cx,
                          const AFor *loop); /* over an array of fixed size; else a message */
/* The numbers of the first and the last element that it goes over: all, or those of a slice. */
void elements_bounds(Context *cx, const AFor *loop, RExpr **from, RExpr **to);
/* The subscript of a step that leads to a dynamic array. May replace the path by that of a neighbour. */
bool elements_index(Context *cx, Path *path, uint32_t most, const AName *name, bool last);
/* What a name stands for whose iterator goes over an array: `c.x` -> `cells[c].x`; NULL: itself. */
const ADesignator *elements_named(Context *cx, const ADesignator *d);
bool elements_can_take(Context *cx, const Path *target,
                       Place at); /* left of << or <-; else a message */
RExpr *elements_reduce(Context *cx, XOp op, const AFor *loop, const AExpr *value, Place at);

/* ---- wholes.c ---- */

typedef void WholeRelation(Context *cx, const AStmt *a);
/* `a = b` of sub-models: an equation for each variable of their interfaces. False: they are none. */
bool wholes_relate(Context *cx, const AStmt *a, WholeRelation *equation);
AExpr *wholes_part(Context *cx, const AExpr *whole, Sym name); /* whole.name */
/* Calls `each` for potentials and flows of the same name, those of connectors inside connectors too. */
typedef void WholeJoined(void *context, const Member *a, const Member *b);
void wholes_joined(Def *a, Def *b, WholeJoined *each, void *context);

/* ---- functions.c ---- */

RExpr *function_call(Context *cx, const AExpr *a, Def *def, Want want);
RExpr *function_name(Context *cx,
                     const AExpr *a); /* what it means in the function at hand, or NULL */

/* ---- rules.c: `{e for i in a:b}` ---- */

void rule_open(Context *inside, const AFor *loop, Element element, Rule *rule);
const AFor *rule_named(const Context *cx, Sym name); /* the iterator that it means, or NULL */
RExpr *rule_value(Context *cx, const AExpr *a);      /* the number that a name means, or NULL */
uint32_t rule_rank(Context *cx, const AExpr *a);
RExpr *rule_size(Context *cx, const AExpr *a, uint32_t dim);
RExpr *rule_constructor(Context *cx, const AExpr *a);

/* ---- attributes.c ---- */

/* Of a basic variable, from its declaration and the `define` of its type. */
void attributes_read(Context *cx, Member *m);
/* Those of a `define` are constants: they mean the same wherever the type is used. */
void attributes_define(Context *cx, const AList *list);

/* ---- unit_check.c ---- */

void unit_check(Def *def); /* when all that is queued is resolved */

/* ---- births.c ---- */

void births_order(Context *cx); /* of the body, when all its statements are resolved */

/* ---- check.c ---- */

void check_def(Def *def); /* restrictions of package, connector, external */
void check_recursion(Program *p, Def *start);
void check_transmission(Context *cx, Stmt *s); /* S_COPY_VALUE: to itself, or a second time */
void check_equality_later(Context *cx, const RExpr *e);
void check_equalities(Def *def);
void check_reading(Context *cx, const AExpr *a); /* operators read differently than usual */

/* ---- verify_definitions.c ---- */

/* The invariant that is broken, by its number, and where; NULL when all hold. */
const char *verify_definitions(Program *p, Place *at);

/* ---- program.c ---- */

void program_complete_queue(Program *p); /* all that is queued; recursion */

/* ---- edit.c ---- */

bool edit_is_gone(const Program *p,
                  const Member *m); /* an edit is resolved, and m was taken away */

/* ---- lookup.c ---- */

bool lookup_check_text(Program *p,
                       const SourceFile *file); /* false: a message says that it is none */

FileScope *lookup_file(Program *p, const char *path, bool optional);
FileScope *lookup_text(Program *p, const char *name, const char *folder, const char *text,
                       size_t length);
FileScope *lookup_library(Program *p, FileScope *from, Sym name);
/* Names of the packages in the folders given and in the standard library. */
const char *const *lookup_files(Program *p, uint32_t *n);

#endif
