/* parse_int.h: what the files of the parser share. */
#ifndef FRONTEND_PARSE_INT_H
#define FRONTEND_PARSE_INT_H

#include "frontend/ast.h"

/* Error rule: the first error of a statement is reported and sets `panic`; until the parser has
 * found the next statement nothing more is reported and nothing is consumed. Loops end when panic
 * is set. */
typedef struct Parser {
    Lexer lexer;
    Token token;    /* the one to be read next */
    Place last_end; /* end of the token read before */
    Arena *arena;
    Mem *mem;
    Intern *names;
    Diags *diags;
    bool panic;
    bool gave_up; /* too deep: the rest of the text is skipped */
    uint32_t depth, max_depth;
    uint32_t subscripts; /* around the present place: there `end` is a size */
    VEC(AName) ids;      /* of the designators being read, inner ones behind outer ones */
    VEC(AModel *) open;  /* models around the present place */
} Parser;

/* A sum of this many terms, or this many nested operators, is the most an expression may have. */
enum { PARSE_MAX_EXPR_DEPTH = DEFINITION_MAX_EXPR_DEPTH };

void parse_advance(Parser *p);
bool parse_accept(Parser *p, TokenKind kind);
bool parse_expect(Parser *p, TokenKind kind, const char *what, const char *where);
void parse_error(Parser *p, Place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *parse_found(Parser *p); /* the present token for a message */
bool parse_enter(Parser *p);        /* one level deeper; false when that is too deep */
void parse_leave(Parser *p);

/* ---- parse.c ---- */

void parse_semicolon(Parser *p, const char *after);
bool parse_begins_something(TokenKind kind);
void parse_synchronize(Parser *p);

/* ---- parse_statement.c ---- */

AStmt *parse_declaration(Parser *p, bool in_interface);
int parse_open_model(const Parser *p, Sym name);
AStmt *parse_statements(Parser *p);

/* ---- parse_habits.c ---- */

bool parse_at_word(const Parser *p, const char *word);
Token parse_look_ahead(const Parser *p);
bool parse_at_else_word(const Parser *p);    /* elseif, elsewhen */
bool parse_at_section_word(const Parser *p); /* equation, algorithm */
bool parse_skip_section_word(Parser *p);     /* with its message; false: there is none */
void parse_check_assignment(Parser *p);      /* := */
bool parse_at_for(const Parser *p);
bool parse_at_function(const Parser *p);
void parse_function(Parser *p, AModel *m);
/* behind its name, up to its `end` */ /* a loop begins here; `for` is not reserved */
void parse_check_type(Parser *p, const ADesignator *type); /* Real[10] T */
void parse_check_word(Parser *p); /* a word of other languages in front of a declaration */
const char *parse_definition_habit(const Parser *p); /* in front of a definition, or NULL */
const char *parse_semicolon_habit(const Parser *p);  /* what stands there in place of ';' */

/* ---- parse_expr.c ---- */

ADesignator parse_designator(Parser *p);
ASub *parse_subscripts(Parser *p); /* the present token is '[' */
ASub *parse_sizes(Parser *p);      /* likewise, of a declaration; [] is one without `from` */
AFor *parse_iterators(Parser *p);  /* behind `for` */
AList parse_list(Parser *p, TokenKind close);
AExpr *parse_expression(Parser *p);
AExpr *parse_expression_from(Parser *p, ADesignator first); /* whose first designator was read */
bool parse_relation_op(Parser *p, RelOp *op);

#endif
