/* ast.h: the syntax tree: what was written, before any name means anything.
 *
 * All nodes lie in one arena and never change after parsing. Lists are linked in textual order.
 * After a syntax error the tree holds what could be read; no pointer documented as present is ever
 * NULL. */
#ifndef FRONTEND_AST_H
#define FRONTEND_AST_H

#include "frontend/definition.h"
#include "frontend/lex.h"

typedef struct AExpr AExpr;
typedef struct AStmt AStmt;
typedef struct AModel AModel;

/* One subscript: `a`, `a:b`, or `:` alone (both NULL). */
typedef struct ASub {
    AExpr *from, *to;
    bool range;
    Place at;
    struct ASub *next;
} ASub;

typedef struct AName {
    Sym sym;
    Place at;
    ASub *subs; /* `name[..]`, or NULL */
} AName;

typedef struct ADesignator {
    uint32_t n; /* 0: none */
    AName *name;
} ADesignator;

/* One entry of a list in braces or parentheses: `name op value`, or `value` alone (name.n == 0). */
typedef struct AArg {
    ADesignator name;
    RelOp op;
    AExpr *value;
    Place at;
    struct AArg *next;
} AArg;

/* `i in a:b` behind `for`; `c in cars`: to is NULL, and from names an array */
typedef struct AFor {
    AName name;
    AExpr *from, *to;
    struct AFor *next;
} AFor;

typedef struct AList {
    bool present; /* the braces or parentheses were written */
    Place at;     /* of the opening one */
    AArg *first;
    AFor *loop; /* `e for i in a:b`, or NULL */
} AList;

typedef enum AExprKind {
    A_INTEGER,
    A_REAL,
    A_BOOLEAN,
    A_STRING,
    A_UNARY,  /* op a */
    A_BINARY, /* a op b */
    A_MEMBER, /* designator [params] [ins] [?] */
    A_CHOICE, /* if c then a else b */
    A_ARRAY,  /* {a, b, c} */
    A_END,    /* `end` in a subscript: the size */
    A_BAD     /* a syntax error, reported */
} AExprKind;

typedef struct AMember {
    ADesignator name;
    AList params, ins;
    bool question;
} AMember;

struct AExpr {
    uint8_t kind;
    uint8_t op;     /* TokenKind */
    bool paren;     /* it stands in parentheses */
    uint16_t depth; /* of the tree below, leaves 1; bounded by the parser */
    Place at;       /* of the operator for A_BINARY, else of the first token */
    union {
        double k;
        Sym text;
        AMember *member;
        AList *list; /* A_ARRAY */
        struct {
            AExpr *a, *b, *c;
        };
    };
};

typedef struct ADecl {
    bool parameter, redeclare, in_interface;
    bool has_binding; /* written, not by default */
    Binding binding;
    IoAttr io;
    ConAttr con;
    ADesignator type;
    AName name; /* its subscripts are the sizes of an array */
    AList params;
    AExpr *value;      /* default, or NULL */
    Place at, attr_at; /* first token; first of in, out, potential, flow, else 0 */
} ADecl;

typedef enum AStmtKind { A_DECL, A_REL, A_ALONE, A_IF, A_WHEN, A_FOR } AStmtKind;

struct AStmt {
    AStmtKind kind;
    RelOp op;
    bool has_else;
    Place at, operator_at, end; /* end: behind the last token */
    AStmt *next;
    union {
        ADecl *decl;
        struct {
            AExpr *lhs, *rhs; /* A_ALONE: lhs only */
        };
        struct {
            AExpr *condition;
            AStmt *then_list, *else_list; /* `else if` is a list of one statement */
            Sym then_name, else_name;     /* A_IF: of its branches, or 0 */
            AFor *loop;                   /* A_FOR; the content is then_list */
        };
    };
};

/* `define NAME as VALUE`: the value is an expression; a lone designator may name a definition. */
typedef struct ADefine {
    AName name;
    AExpr *value;
    struct ADefine *next;
} ADefine;

struct AModel {
    DefKind kind;
    bool redefine, partial;
    AName name;
    Place at;         /* first token */
    ADesignator base; /* n == 0: extends nothing */
    External *external;
    ADefine *defines;
    AModel *models;
    ADefine *ins,
        *locals; /* of a function: names of its values (no value here), and of what it computes first */
    AExpr *result;    /* of a function; NULL after an error */
    AStmt *interface; /* A_DECL only */
    AStmt *implementation;
    Place interface_at, implementation_at; /* of the section's keyword, or 0 */
    Place end_at, end_name_at, end;        /* of its `end`, of the name there; behind the `;` */
    uint32_t n_names;                      /* defines and models */
    AModel *next;
};

/* Parses a text; returns its models. Errors go to diags, and what was understood is returned. */
AModel *parse_text(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                   uint32_t max_depth);
/* A text of statements, as an implementation has them; NULL after errors, and where there are none. */
AStmt *parse_statement_text(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                            uint32_t max_depth);
/* A text that is one expression; NULL with a message when it is none. */
AExpr *parse_value(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                   uint32_t max_depth);

#endif
