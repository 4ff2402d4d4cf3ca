/* event_model.h: Sol text of models without numerics <-> a tree of its own.
 *
 * The language of random event models: Booleans, Integers and Reals that change at events only,
 * equations `x = e` that determine their left side (or, written `e = x`, their right side),
 * transmissions, `if` and `when` chains, parts, dynamic members with births, moves and `trash`,
 * parameters, `initial()`, `pre`, `Sample`, and comparisons of `time` with constants. Nothing here
 * is shared with frontend/: the reader is an oracle's, which takes correct texts of this form and
 * nothing else.
 *
 * `else if C then .. end` is read as an `if` that stands alone in the else branch, so is
 * `else when`.
 */
#ifndef TESTS_EVENT_MODEL_H
#define TESTS_EVENT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EM_NAME = 16 };

typedef enum EmType { EM_BOOLEAN, EM_INTEGER, EM_REAL } EmType;

typedef enum EmOp {
    EM_CONSTANT,
    EM_TIME,
    EM_INITIAL,
    EM_SAMPLE, /* value: the interval */
    EM_VAR,
    EM_PRE,
    EM_EXISTS,
    EM_NOT,
    EM_MINUS,
    EM_ADD,
    EM_SUB,
    EM_MUL,
    EM_DIV,
    EM_LESS,
    EM_LESS_EQUAL,
    EM_EQUAL,
    EM_UNEQUAL,
    EM_GREATER_EQUAL,
    EM_GREATER,
    EM_AND,
    EM_OR
} EmOp;

typedef struct EmBody EmBody;
typedef struct EmClass EmClass;
typedef struct EmExpr EmExpr;
typedef struct EmDecl EmDecl;
typedef struct EmStmt EmStmt;

/* `first` or `first.second`; the declarations are known after reading. */
typedef struct EmPath {
    char first[EM_NAME], second[EM_NAME];
    EmDecl *decl, *sub; /* sub: NULL without a second name */
} EmPath;

struct EmExpr {
    EmOp op;
    EmType type; /* of a constant: how it is written */
    double value;
    EmPath path;
    EmExpr *a, *b;
};

typedef struct EmArg { /* parameter << value */
    char name[EM_NAME];
    EmExpr *value;
    struct EmArg *next;
} EmArg;

/* What `p <- PART{..}` and a declaration create. */
typedef struct EmMaker {
    char name[EM_NAME]; /* of the model */
    EmClass *class;
    EmArg *args;
} EmMaker;

typedef enum EmKind { EM_VARIABLE, EM_PART, EM_DYNAMIC } EmKind;

struct EmDecl {
    EmKind kind;
    char name[EM_NAME];
    EmType type;
    bool parameter;
    bool braces; /* of a dynamic member: it is born with an instance */
    bool held;   /* a transmission names it as target */
    EmMaker maker;
    EmExpr *preset; /* a parameter's default, or NULL */
    EmBody *body;   /* that it stands in */
    uint32_t index; /* among the declarations of that body */
    EmDecl *next;
};

typedef enum EmAct { EM_EQUATION, EM_SEND, EM_BIRTH, EM_MOVE, EM_TRASH, EM_IF, EM_WHEN } EmAct;

struct EmStmt {
    EmAct act;
    EmPath target;
    EmPath source;            /* of EM_MOVE, EM_TRASH */
    EmExpr *value;            /* of EM_EQUATION, EM_SEND; condition of EM_IF, EM_WHEN */
    bool flipped;             /* an equation written with its unknown on the right */
    EmMaker maker;            /* of EM_BIRTH */
    EmBody *then, *otherwise; /* otherwise: NULL if there is none */
    bool chained; /* `otherwise` holds one statement of the same kind, written `else if` */
    uint32_t line;
    uint32_t index; /* among the statements of its body */
    EmStmt *next;
};

struct EmBody {
    EmDecl *decls;
    EmStmt *stmts;
    uint32_t n_decls, n_stmts;
    EmBody *outer; /* the body around this branch; NULL: that of a model */
    EmClass *class;
};

struct EmClass {
    char name[EM_NAME];
    EmBody *body;
    uint32_t n_public; /* the first declarations of its body: its interface */
    EmClass *next;
};

typedef struct EmModel {
    EmClass *classes; /* the last one is run */
    struct EmPool *pool;
} EmModel;

/* Reads; NULL if the text is not of this form, and a line about it to `tell` unless that is NULL.
 */
EmModel *em_read(const char *text, FILE *tell);
char *em_print(const EmModel *model); /* to be freed */
void em_free(EmModel *model);
EmClass *em_top(const EmModel *model);

/* For those who make trees: zeroed memory that lives as long as the model. */
EmModel *em_new(void);
void *em_room(EmModel *model, size_t size);
/* Looks up all names and numbers everything; false if something is missing. */
bool em_resolve(EmModel *model, FILE *tell);

/* Calls `see` for each expression in the tree of `e`, itself included. */
void em_each(EmExpr *e, void (*see)(void *context, EmExpr *e), void *context);

#endif
