/* parse_statement.c: tokens -> declarations and statements of a body. */
#include "frontend/parse_int.h"

#include <stdio.h>
#include <string.h>

/* ---- declarations ---- */

static void parse_attributes(Parser *p, ADecl *d)
{
    if (p->token.kind >= T_IN && p->token.kind <= T_FLOW)
        d->attr_at = p->token.at;
    if (parse_accept(p, T_IN))
        d->io = IO_IN;
    else if (parse_accept(p, T_OUT))
        d->io = IO_OUT;
    if (parse_accept(p, T_POTENTIAL))
        d->con = CON_POTENTIAL;
    else if (parse_accept(p, T_FLOW))
        d->con = CON_FLOW;
    if (p->token.kind >= T_IN && p->token.kind <= T_FLOW)
        parse_error(p, p->token.at,
                    "%s cannot stand here: the order is in or out, then potential or flow",
                    parse_found(p));
}

static void parse_binding(Parser *p, ADecl *d)
{
    d->has_binding = true;
    if (parse_accept(p, T_STATIC))
        d->binding = BIND_STATIC;
    else if (parse_accept(p, T_DYNAMIC))
        d->binding = BIND_DYNAMIC;
    else if (parse_accept(p, T_ALIAS))
        d->binding = BIND_ALIAS;
    else
        d->has_binding = false;
}

/* The rest of a declaration whose type designator was read. */
static void parse_declared(Parser *p, ADecl *d)
{
    parse_check_type(p, &d->type);
    d->name = (AName){p->token.sym, p->token.at, NULL};
    if (!parse_expect(p, T_ID, "the name of the member", "after its type"))
        d->name = (AName){0};
    else if (p->token.kind == T_LBRACKET)
        d->name.subs = parse_sizes(p);
    if (p->token.kind == T_LPAREN)
        parse_error(
            p, p->token.at,
            "nothing in parentheses behind a name: parameters stand in braces, a start value "
            "in the derivative: 'der(x, start << 1)'");
    if (p->token.kind == T_LBRACE && !p->panic)
        d->params = parse_list(p, T_RBRACE);
    parse_check_assignment(p);
    if (p->token.kind == T_COPY || p->token.kind == T_EQUAL) {
        if (!d->parameter)
            parse_error(p, p->token.at,
                        "only a parameter has a default value; a relation is a statement, a start "
                        "is written "
                        "'x {start << 1}'");
        parse_advance(p);
        if (!p->panic)
            d->value = parse_expression(p);
    }
}

static AStmt *new_stmt(Parser *p, AStmtKind kind, Place at)
{
    AStmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->at = s->operator_at = at;
    return s;
}

AStmt *parse_declaration(Parser *p, bool in_interface)
{
    AStmt *s = new_stmt(p, A_DECL, p->token.at);
    ADecl *d = s->decl = arena_alloc(p->arena, sizeof *d);
    d->at = s->at;
    d->in_interface = in_interface;
    parse_check_word(p);
    d->redeclare = parse_accept(p, T_REDECLARE);
    d->parameter = parse_accept(p, T_PARAMETER);
    parse_binding(p, d);
    parse_attributes(p, d);
    if (!p->panic)
        d->type = parse_designator(p);
    if (!p->panic)
        parse_declared(p, d);
    return s;
}

/* ---- statements ---- */

static AStmt *parse_relation(Parser *p, ADesignator *first)
{
    AStmt *s = new_stmt(p, A_REL, p->token.at);
    s->lhs = first ? parse_expression_from(p, *first) : parse_expression(p);
    if (first && first->n)
        s->at = s->operator_at = first->name[0].at;
    if (p->panic)
        return s;
    Place op_at = p->token.at;
    parse_check_assignment(p);
    if (!parse_relation_op(p, &s->op)) {
        s->kind = A_ALONE;
        return s;
    }
    s->operator_at = op_at;
    s->rhs = parse_expression(p);
    return s;
}

/* Words that mean nothing behind a designator, unless somebody takes them for names. */
static bool is_reserved(TokenKind kind)
{
    return (kind >= T_MODEL && kind <= T_IMPLEMENTATION) ||
           (kind >= T_PARAMETER && kind <= T_FLOW) || kind == T_TRUE || kind == T_FALSE;
}

/* A statement that begins with a name is a declaration when another name follows the designator. */
static AStmt *parse_named(Parser *p)
{
    Place at = p->token.at;
    parse_check_word(p);
    if (p->panic || p->token.kind != T_ID)
        return parse_declaration(p, false);
    ADesignator first = parse_designator(p);
    if (is_reserved(p->token.kind))
        parse_error(p, p->token.at, "%s is a word of the language and cannot be a name",
                    parse_found(p));
    if (p->panic || p->token.kind != T_ID)
        return parse_relation(p, &first);
    AStmt *s = new_stmt(p, A_DECL, at);
    s->decl = arena_alloc(p->arena, sizeof *s->decl);
    s->decl->at = at;
    s->decl->type = first;
    parse_declared(p, s->decl);
    return s;
}

/* After an error in what stands before `then`. */
static void skip_to_then(Parser *p)
{
    if (!p->panic || p->gave_up)
        return;
    while (p->token.kind != T_THEN && p->token.kind != T_SEMICOLON &&
           !parse_begins_something(p->token.kind))
        parse_advance(p);
    p->panic = false;
    parse_accept(p, T_THEN);
}

static void parse_condition(Parser *p, AStmt *s)
{
    const char *word =
        s->kind == A_IF ? "after the condition of 'if'" : "after the condition of 'when'";
    s->condition = parse_expression(p);
    if (!p->panic && p->token.kind == T_EQUAL)
        parse_error(p, p->token.at,
                    "'=' is an equation; a comparison is written '==', '<=' or '>='");
    if (!p->panic && p->token.kind == T_MOVE)
        parse_error(p, p->token.at, "'<-' is a move; put a blank between '<' and '-' to compare");
    parse_expect(p, T_THEN, "'then'", word);
    skip_to_then(p);
}

/* Number of the innermost open model with this name, or -1. */
int parse_open_model(const Parser *p, Sym name)
{
    for (uint32_t i = p->open.n; i-- > 0;)
        if (p->open.at[i]->name.sym == name)
            return (int)i;
    return -1;
}

/* Behind the last statement of a branch: `end`, `end if`, `end when`. An `end` with the name of a
 * model is that model's, and the branch has none. */
static void parse_branch_end(Parser *p, const AStmt *s)
{
    const char *word = s->kind == A_IF ? "if" : s->kind == A_WHEN ? "when" : "for";
    Token next = p->token.kind == T_END ? parse_look_ahead(p) : p->token;
    if (p->token.kind != T_END || (next.kind == T_ID && parse_open_model(p, next.sym) >= 0)) {
        diag_error(p->diags, s->at, "'%s' without 'end'", word);
        p->panic = true;
        return;
    }
    parse_advance(p);
    TokenKind own = s->kind == A_IF ? T_IF : s->kind == A_WHEN ? T_WHEN : T_ID;
    if (s->kind == A_FOR && parse_at_word(p, "for")) {
        parse_advance(p);
        return;
    }
    if (p->token.kind == T_IF || p->token.kind == T_WHEN) {
        if (p->token.kind != own) {
            diag_error(p->diags, p->token.at, "'end %s' closes the '%s' that begins here",
                       p->token.kind == T_IF ? "if" : "when", word);
            diag_note(p->diags, s->at, "the '%s'", word);
        }
        parse_advance(p);
    }
}

/* Branches behind `else then`, which closes a chain: reported once, read for their errors. */
static void skip_more_else(Parser *p)
{
    if (p->panic || p->token.kind != T_ELSE)
        return;
    diag_error(p->diags, p->token.at, "'else then' was the last branch");
    while (!p->panic && parse_accept(p, T_ELSE)) {
        if (parse_accept(p, T_IF) || parse_accept(p, T_WHEN))
            parse_expression(p);
        parse_accept(p, T_THEN);
        parse_statements(p);
    }
}

/* `then "closed"`: what a branch of an `if` is called, or 0 */
static Sym parse_branch_name(Parser *p, const AStmt *s)
{
    if (p->panic || p->token.kind != T_STRING)
        return 0;
    Sym name = p->token.sym;
    if (s->kind == A_WHEN)
        diag_error(p->diags, p->token.at,
                   "a branch of 'when' has no name: it lasts no time; one of 'if' may have one");
    parse_advance(p);
    return name;
}

/* A whole chain `if .. else if .. else then .. end`. Each link lies in the else list of the one
 * before, but the chain is read in a loop. */
static AStmt *parse_chain(Parser *p)
{
    TokenKind word = p->token.kind;
    AStmt *chain = NULL, **link = &chain, *s;
    uint32_t entered = p->depth;
    for (;;) {
        s = *link = new_stmt(p, word == T_IF ? A_IF : A_WHEN, p->token.at);
        parse_advance(p);
        s->condition = NULL;
        if (!parse_enter(p))
            break;
        parse_condition(p, s);
        s->then_name = parse_branch_name(p, s);
        s->then_list = parse_statements(p);
        if (!p->panic && parse_at_else_word(p)) {
            diag_error(p->diags, p->token.at, "%s is written 'else %s'", parse_found(p),
                       word == T_IF ? "if" : "when");
            s->has_else = true;
            link = &s->else_list;
            continue;
        }
        if (p->panic || !parse_accept(p, T_ELSE))
            break;
        s->has_else = true;
        if (p->token.kind == T_IF || p->token.kind == T_WHEN) {
            if (p->token.kind != word)
                diag_error(p->diags, p->token.at, "'%s' goes on with 'else %s', not with 'else %s'",
                           word == T_IF ? "if" : "when", word == T_IF ? "if" : "when",
                           word == T_IF ? "when" : "if");
            link = &s->else_list;
            continue;
        }
        if (!parse_accept(p, T_THEN) && !p->panic)
            diag_error(p->diags, p->token.at, "the last branch begins with 'else then', found %s",
                       parse_found(p));
        s->else_name = parse_branch_name(p, s);
        s->else_list = parse_statements(p);
        skip_more_else(p);
        break;
    }
    if (!p->panic)
        parse_branch_end(p, chain);
    p->depth = entered;
    return chain;
}

/* for i in a:b then .. end [for] */
static AStmt *parse_for(Parser *p)
{
    AStmt *s = new_stmt(p, A_FOR, p->token.at);
    parse_advance(p);
    if (!parse_enter(p))
        return s;
    s->loop = parse_iterators(p);
    if (!p->panic && s->loop->next)
        parse_error(p, s->loop->next->name.at, "one iterator for each 'for' of statements");
    if (!p->panic && p->token.kind == T_ID && parse_at_word(p, "loop")) {
        diag_error(p->diags, p->token.at, "'loop' is written 'then'");
        parse_advance(p);
    } else {
        parse_expect(p, T_THEN, "'then'", "after the range of 'for'");
    }
    skip_to_then(p);
    s->then_list = parse_statements(p);
    if (!p->panic)
        parse_branch_end(p, s);
    parse_leave(p);
    return s;
}

static AStmt *parse_statement(Parser *p)
{
    if (parse_at_for(p))
        return parse_for(p);
    switch (p->token.kind) {
    case T_IF:
    case T_WHEN:
        return parse_chain(p);
    case T_STATIC:
    case T_DYNAMIC:
    case T_ALIAS:
    case T_REDECLARE:
    case T_IN:
    case T_OUT:
    case T_POTENTIAL:
    case T_FLOW:
    case T_PARAMETER:
        return parse_declaration(p, false);
    case T_ID:
        return parse_named(p);
    default:
        return parse_relation(p, NULL);
    }
}

static const char *statement_name(const AStmt *s)
{
    switch (s->kind) {
    case A_DECL:
        return "the declaration";
    case A_IF:
    case A_WHEN:
    case A_FOR:
        return "'end'";
    default:
        return "the statement";
    }
}

/* Until a word that closes the list, which is left to be read. */
AStmt *parse_statements(Parser *p)
{
    AStmt *first = NULL, **end = &first;
    while (!p->gave_up) {
        TokenKind kind = p->token.kind;
        if (kind == T_EOF || kind == T_END || kind == T_ELSE || kind == T_INTERFACE ||
            kind == T_IMPLEMENTATION || kind == T_MODEL || kind == T_PACKAGE ||
            kind == T_CONNECTOR || kind == T_REDEFINE || kind == T_PARTIAL || kind == T_DEFINE ||
            parse_at_else_word(p))
            break;
        if (parse_accept(p, T_SEMICOLON) || parse_skip_section_word(p))
            continue; /* a statement may be empty */
        Place before = p->token.at;
        *end = parse_statement(p);
        (*end)->end = p->last_end;
        parse_semicolon(p, statement_name(*end));
        end = &(*end)->next;
        parse_synchronize(p);
        if (p->token.at == before && !p->gave_up)
            parse_advance(p); /* never stay in place */
    }
    return first;
}
