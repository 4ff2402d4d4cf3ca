/* parse.c: tokens -> syntax tree. Recursive descent over the grammar of the Sol thesis, appendix A,
 * with the liberties listed in docs/language.md.
 *
 * Recovery: after an error the parser skips to the next `;` or to a word that begins something, and
 * goes on there, so that several errors are found in one run. Nesting is bounded (max_depth); what
 * lies deeper is reported once, and the rest of the text is given up. */
#include "frontend/parse_int.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens and errors ---- */

void parse_advance(Parser *p)
{
    p->last_end = p->token.end;
    if (!p->gave_up)
        p->token = lex_next(&p->lexer);
}

bool parse_accept(Parser *p, TokenKind kind)
{
    if (p->panic || p->token.kind != kind)
        return false;
    parse_advance(p);
    return true;
}

void parse_error(Parser *p, Place at, const char *format, ...)
{
    if (p->panic)
        return;
    p->panic = true;
    if (p->token.kind == T_BAD)
        return; /* the lexer has reported it */
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_error(p->diags, at, "%s", text);
}

const char *parse_found(Parser *p)
{
    enum { SHOWN = 60 };
    const char *name = lex_token_name(&p->token, p->names);
    if (p->token.kind == T_EOF || p->token.kind > T_ID)
        return name;
    char *quoted = arena_alloc(p->arena, SHOWN + 8);
    snprintf(quoted, SHOWN + 8, "'%.*s'", SHOWN, name);
    return quoted;
}

bool parse_expect(Parser *p, TokenKind kind, const char *what, const char *where)
{
    if (parse_accept(p, kind))
        return true;
    if (where)
        parse_error(p, p->token.at, "expected %s %s, found %s", what, where, parse_found(p));
    else
        parse_error(p, p->token.at, "expected %s, found %s", what, parse_found(p));
    return false;
}

/* A missing `;` is reported where it is missing, not where the next statement begins. */
static void expect_semicolon(Parser *p, const char *after)
{
    if (!p->panic && p->token.kind != T_SEMICOLON && p->token.kind != T_BAD) {
        diag_error(p->diags, p->last_end, "expected ';' after %s", after);
        p->panic = true;
    }
    parse_accept(p, T_SEMICOLON);
}

bool parse_enter(Parser *p)
{
    if (++p->depth <= p->max_depth)
        return true;
    parse_error(p, p->token.at, "nested deeper than %u levels", p->max_depth);
    p->panic = p->gave_up = true;
    p->token.kind = T_EOF;
    return false;
}

void parse_leave(Parser *p)
{
    p->depth--;
}

static bool begins_something(TokenKind kind)
{
    switch (kind) {
    case T_MODEL:
    case T_PACKAGE:
    case T_CONNECTOR:
    case T_REDEFINE:
    case T_PARTIAL:
    case T_DEFINE:
    case T_INTERFACE:
    case T_IMPLEMENTATION:
    case T_END:
    case T_PARAMETER:
    case T_STATIC:
    case T_DYNAMIC:
    case T_ALIAS:
    case T_REDECLARE:
    case T_IF:
    case T_WHEN:
    case T_ELSE:
    case T_EOF:
        return true;
    default:
        return false;
    }
}

/* Goes to where reading can go on after an error: behind the next `;`, or to a word that begins
 * something. Always leaves panic, except when the text was given up. */
static void synchronize(Parser *p)
{
    if (!p->panic)
        return;
    while (!begins_something(p->token.kind) && p->token.kind != T_SEMICOLON)
        parse_advance(p);
    if (p->token.kind == T_SEMICOLON)
        parse_advance(p);
    p->panic = p->gave_up;
}

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
        d->name.subs = parse_subscripts(p);
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
                        "only a parameter has a default value; write a relation of its own");
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

static AStmt *parse_declaration(Parser *p, bool in_interface)
{
    AStmt *s = new_stmt(p, A_DECL, p->token.at);
    ADecl *d = s->decl = arena_alloc(p->arena, sizeof *d);
    d->at = s->at;
    d->in_interface = in_interface;
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

static AStmt *parse_statements(Parser *p);

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
           !begins_something(p->token.kind))
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
        parse_error(p, p->token.at, "'=' is an equation; a comparison is written '=='");
    if (!p->panic && p->token.kind == T_MOVE)
        parse_error(p, p->token.at, "'<-' is a move; put a blank between '<' and '-' to compare");
    parse_expect(p, T_THEN, "'then'", word);
    skip_to_then(p);
}

/* Number of the innermost open model with this name, or -1. */
static int open_model(const Parser *p, Sym name)
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
    if (p->token.kind != T_END || (next.kind == T_ID && open_model(p, next.sym) >= 0)) {
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
static AStmt *parse_statements(Parser *p)
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
        expect_semicolon(p, statement_name(*end));
        end = &(*end)->next;
        synchronize(p);
        if (p->token.at == before && !p->gave_up)
            parse_advance(p); /* never stay in place */
    }
    return first;
}

/* ---- definitions ---- */

static bool is_value_first(const AExpr *value)
{
    if (value->kind == A_UNARY)
        return value->op != T_NOT && value->a->kind != A_MEMBER && value->a->kind != A_BINARY;
    return value->kind <= A_STRING || (value->kind == A_MEMBER && !value->member->params.present &&
                                       !value->member->ins.present);
}

static bool is_plain_name(const AExpr *e)
{
    return e->kind == A_MEMBER && e->member->name.n == 1 && !e->paren && !e->member->question &&
           !e->member->params.present && !e->member->ins.present;
}

/* `define NAME as VALUE` is meant whenever the left side is a plain name. */
static ADefine *parse_define(Parser *p)
{
    ADefine *d = arena_alloc(p->arena, sizeof *d);
    parse_advance(p);
    AExpr *left = parse_expression(p);
    if (!parse_expect(p, T_AS, "'as'", "in this definition"))
        return d;
    AExpr *right = parse_expression(p);
    if (p->panic)
        return d;
    if (is_plain_name(left)) {
        d->name = left->member->name.name[0];
        d->value = right;
    } else if (is_value_first(left) && is_plain_name(right)) {
        d->name = right->member->name.name[0];
        d->value = left;
    } else {
        parse_error(p, left->at, "expected 'define NAME as VALUE'");
    }
    return d;
}

static Sym parse_external_text(Parser *p, const char *what)
{
    Sym text = p->token.sym;
    return parse_expect(p, T_STRING, what, "in quotation marks") ? text : 0;
}

/* external "LIBRARY" "FUNCTION" [derivative "F"] [constructor "F"] [destructor "F"] */
static External *parse_external(Parser *p)
{
    External *x = arena_alloc(p->arena, sizeof *x);
    x->at = p->token.at;
    parse_advance(p);
    x->library = parse_external_text(p, "the library");
    x->function = parse_external_text(p, "the function");
    while (!p->panic && p->token.kind == T_ID) {
        const char *word = intern_text(p->names, p->token.sym);
        Sym *target = strcmp(word, "derivative") == 0    ? &x->derivative
                      : strcmp(word, "constructor") == 0 ? &x->constructor
                      : strcmp(word, "destructor") == 0  ? &x->destructor
                                                         : NULL;
        if (!target) {
            parse_error(p, p->token.at,
                        "expected 'derivative', 'constructor' or 'destructor', found %s",
                        parse_found(p));
            break;
        }
        if (*target) {
            parse_error(p, p->token.at, "'%s' is given twice", word);
            break;
        }
        parse_advance(p);
        *target = parse_external_text(p, "the function");
    }
    return x;
}

static bool at_model(const Parser *p)
{
    TokenKind kind = p->token.kind;
    return kind == T_MODEL || kind == T_PACKAGE || kind == T_CONNECTOR || kind == T_REDEFINE ||
           kind == T_PARTIAL;
}

static AModel *parse_model(Parser *p);

/* `external` and its companions are words of their own only here, so that they stay free as names.
 */
static bool at_external(const Parser *p)
{
    return p->token.kind == T_ID && strcmp(intern_text(p->names, p->token.sym), "external") == 0;
}

static void parse_header(Parser *p, AModel *m)
{
    ADefine **define_end = &m->defines;
    AModel **model_end = &m->models;
    if (parse_accept(p, T_EXTENDS)) {
        m->base = parse_designator(p);
        expect_semicolon(p, "'extends'");
        synchronize(p);
    }
    while (!p->gave_up) {
        if (p->token.kind == T_DEFINE) {
            ADefine *d = parse_define(p);
            expect_semicolon(p, "the definition");
            if (!p->panic && d->value) {
                *define_end = d;
                define_end = &d->next;
                m->n_names++;
            }
        } else if (at_model(p)) {
            *model_end = parse_model(p);
            model_end = &(*model_end)->next;
            m->n_names++;
        } else if (at_external(p) && !m->external) {
            m->external = parse_external(p);
            expect_semicolon(p, "'external'");
        } else {
            return;
        }
        synchronize(p);
    }
}

static void parse_interface(Parser *p, AModel *m)
{
    AStmt **end = &m->interface;
    while (!p->gave_up) {
        TokenKind kind = p->token.kind;
        if (parse_accept(p, T_SEMICOLON))
            continue;
        if (kind != T_REDECLARE && kind != T_PARAMETER && kind != T_STATIC && kind != T_DYNAMIC &&
            kind != T_ALIAS && kind != T_ID && !(kind >= T_IN && kind <= T_FLOW))
            return;
        if (parse_at_section_word(p))
            return;
        AStmt *s = parse_declaration(p, true);
        s->end = p->last_end;
        expect_semicolon(p, "the declaration");
        synchronize(p);
        *end = s;
        end = &s->next;
    }
}

static void parse_sections(Parser *p, AModel *m)
{
    Place at = p->token.at;
    if (parse_accept(p, T_INTERFACE)) {
        m->interface_at = at;
        parse_expect(p, T_COLON, "':'", "after 'interface'");
        p->panic = p->gave_up;
        parse_interface(p, m);
    }
    at = p->token.at;
    bool other_word = parse_skip_section_word(p);
    if (other_word || parse_accept(p, T_IMPLEMENTATION)) {
        m->implementation_at = at;
        if (!other_word)
            parse_expect(p, T_COLON, "':'", "after 'implementation'");
        p->panic = p->gave_up;
        m->implementation = parse_statements(p);
    }
}

/* The name that an `end` must repeat; a model whose own is missing was reported for that. */
static const char *model_name(const Parser *p, const AModel *m)
{
    return m->name.sym ? intern_text(p->names, m->name.sym) : "NAME";
}

/* What stands between the sections and `end` belongs nowhere; it is reported once and skipped. */
static void skip_to_end(Parser *p, const AModel *m)
{
    if (p->panic || p->token.kind == T_END || p->token.kind == T_EOF)
        return;
    if (p->token.kind == T_ELSE || parse_at_else_word(p))
        parse_error(p, p->token.at, "%s without 'if' or 'when'", parse_found(p));
    else if (p->token.kind == T_INTERFACE || p->token.kind == T_IMPLEMENTATION)
        parse_error(p, p->token.at, "%s a second time, or in the wrong order", parse_found(p));
    else if (at_model(p) || p->token.kind == T_DEFINE)
        parse_error(p, p->token.at, "definitions belong before 'interface' and 'implementation'");
    else if (p->token.kind == T_EXTENDS)
        parse_error(p, p->token.at, "'extends' comes first, directly after the name");
    else if (!m->interface_at && !m->implementation_at)
        parse_error(p, p->token.at,
                    "expected 'interface:', 'implementation:' or 'end %s', found %s",
                    model_name(p, m), parse_found(p));
    else if (!m->implementation_at)
        parse_error(p, p->token.at,
                    "expected a declaration, 'implementation:' or 'end %s', found %s",
                    model_name(p, m), parse_found(p));
    else
        parse_error(p, p->token.at, "expected a statement or 'end %s', found %s", model_name(p, m),
                    parse_found(p));
}

static void parse_model_end(Parser *p, AModel *m)
{
    const char *name = model_name(p, m);
    if (p->panic)
        return;
    Place at = p->token.at;
    if (p->token.kind != T_END) {
        diag_error(p->diags, m->name.at, "'%s' without 'end %s'", name, name);
        p->panic = true;
        return;
    }
    Token closing = parse_look_ahead(p); /* to leave the `end` of an outer model unread */
    if (closing.kind == T_ID && closing.sym != m->name.sym && open_model(p, closing.sym) >= 0) {
        diag_error(p->diags, m->name.at, "'%s' without 'end %s'", name, name);
        diag_note(p->diags, at, "the next 'end' is that of '%s'",
                  intern_text(p->names, closing.sym));
        p->panic = true;
        return;
    }
    parse_advance(p);
    m->end_at = at;
    m->end_name_at = p->token.at;
    if (p->token.kind == T_ID && m->name.sym && p->token.sym != m->name.sym) {
        diag_error(p->diags, p->token.at, "'end %s' closes '%s'",
                   intern_text(p->names, p->token.sym), name);
        diag_note(p->diags, m->name.at, "'%s' begins here", name);
        parse_advance(p);
    } else if (!parse_accept(p, T_ID) && m->name.sym) {
        parse_error(p, p->token.at, "expected '%s' after 'end', found %s", name, parse_found(p));
    }
}

/* Whether the present `end` is not the model's: its own one comes soon after, before any other
 * model begins. Only looked at when the `end` has not the model's name, so only after mistakes. */
static bool is_stray_end(const Parser *p, const AModel *m)
{
    enum { LOOK = 200 };
    Lexer copy = p->lexer;
    Diags silent = {.limit = 0, .suppressed = true};
    copy.diags = &silent;
    Token before = p->token, next = lex_next(&copy);
    if (next.kind == T_ID && open_model(p, next.sym) >= 0)
        return false;
    for (int i = 0; i < LOOK && next.kind != T_EOF; i++) {
        if (next.kind == T_MODEL || next.kind == T_PACKAGE || next.kind == T_CONNECTOR)
            return false;
        if (before.kind == T_END && next.kind == T_ID && next.sym == m->name.sym)
            return true;
        before = next;
        next = lex_next(&copy);
    }
    return false;
}

/* An `end` that closes nothing, and the statements behind it, which are read for their errors only.
 */
static void skip_stray_end(Parser *p)
{
    if (!p->panic)
        diag_error(p->diags, p->token.at, "this 'end' closes nothing");
    parse_advance(p);
    if (p->token.kind == T_IF || p->token.kind == T_WHEN || p->token.kind == T_ID)
        parse_advance(p);
    if (p->token.kind == T_SEMICOLON)
        parse_advance(p);
    p->panic = p->gave_up;
    parse_statements(p);
}

/* Content in the wrong place, reported by skip_to_end(): read for its own errors and then
 * forgotten. */
static void parse_misplaced(Parser *p, const AModel *m)
{
    while (p->token.kind != T_END && p->token.kind != T_EOF && !at_model(p) &&
           p->token.kind != T_INTERFACE && p->token.kind != T_IMPLEMENTATION)
        parse_advance(p);
    if (at_model(p)) {
        p->panic = p->gave_up;
        parse_model(p);
        if (!p->panic && p->token.kind == T_SEMICOLON)
            parse_advance(p);
        p->panic = true;
    } else if (p->token.kind == T_INTERFACE || p->token.kind == T_IMPLEMENTATION) {
        p->panic = p->gave_up;
        parse_sections(p, &(AModel){.name = m->name});
    }
}

/* Behind something that was not understood, the `end` of a name that nobody began belongs to it. */
static bool is_end_of_junk(const Parser *p, bool junk)
{
    Token next = parse_look_ahead(p);
    return junk && next.kind == T_ID && open_model(p, next.sym) < 0;
}

static void parse_model_content(Parser *p, AModel *m)
{
    bool junk = false;
    parse_header(p, m);
    parse_sections(p, m);
    while (!p->gave_up && p->token.kind != T_EOF) {
        if (p->token.kind != T_END) {
            skip_to_end(p, m);
            parse_misplaced(p, m);
            junk = true;
        } else if (is_end_of_junk(p, junk) || is_stray_end(p, m)) {
            skip_stray_end(p);
        } else {
            break;
        }
        if (!m->interface_at && !m->implementation_at && at_model(p)) {
            p->panic = p->gave_up;
            parse_header(p, m);
            parse_sections(p, m);
        }
    }
    p->panic = p->gave_up;
}

static AModel *parse_model(Parser *p)
{
    AModel *m = arena_alloc(p->arena, sizeof *m);
    m->at = p->token.at;
    m->redefine = parse_accept(p, T_REDEFINE);
    m->partial = parse_accept(p, T_PARTIAL);
    if (parse_accept(p, T_PACKAGE))
        m->kind = DEF_PACKAGE;
    else if (parse_accept(p, T_CONNECTOR))
        m->kind = DEF_CONNECTOR;
    else
        parse_expect(p, T_MODEL, "'model', 'package' or 'connector'", NULL);
    m->name = (AName){p->token.sym, p->token.at, NULL};
    if (!parse_expect(p, T_ID, "a name", "for the definition"))
        m->name.sym = 0;
    if (parse_enter(p)) {
        synchronize(p);
        vec_push(p->mem, &p->open, m);
        parse_model_content(p, m);
        parse_model_end(p, m);
        (void)vec_pop(&p->open);
    }
    parse_leave(p);
    if (!p->panic) {
        expect_semicolon(p, "'end'");
        m->end = p->last_end;
        p->panic = p->gave_up; /* a missing `;` here needs no search for the next statement */
    }
    return m;
}

static void open_parser(Parser *p, Arena *arena, Intern *names, Diags *diags,
                        const SourceFile *file, uint32_t max_depth)
{
    *p = (Parser){
        .arena = arena, .mem = arena->mem, .names = names, .diags = diags, .max_depth = max_depth};
    lex_open(&p->lexer, names, diags, file);
    parse_advance(p);
}

static void close_parser(Parser *p)
{
    vec_free(p->mem, &p->ids);
    vec_free(p->mem, &p->open);
}

AExpr *parse_value(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                   uint32_t max_depth)
{
    Parser p;
    uint32_t errors = diags->errors;
    open_parser(&p, arena, names, diags, file, max_depth);
    AExpr *value = parse_expression(&p);
    if (!p.panic && p.token.kind != T_EOF)
        parse_error(&p, p.token.at, "expected the end of the value, found %s", parse_found(&p));
    close_parser(&p);
    return diags->errors == errors ? value : NULL;
}

AStmt *parse_statement_text(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                            uint32_t max_depth)
{
    Parser p;
    uint32_t errors = diags->errors;
    open_parser(&p, arena, names, diags, file, max_depth);
    AStmt *list = parse_statements(&p);
    if (!p.panic && p.token.kind != T_EOF)
        parse_error(&p, p.token.at, "expected a statement, found %s", parse_found(&p));
    close_parser(&p);
    return diags->errors == errors ? list : NULL;
}

AModel *parse_text(Arena *arena, Intern *names, Diags *diags, const SourceFile *file,
                   uint32_t max_depth)
{
    Parser p;
    open_parser(&p, arena, names, diags, file, max_depth);
    AModel *first = NULL, **end = &first;
    while (p.token.kind != T_EOF) {
        if (parse_accept(&p, T_SEMICOLON))
            continue;
        if (at_model(&p)) {
            AModel *m = parse_model(&p);
            *end = m;
            end = &m->next;
        } else {
            parse_error(&p, p.token.at, "expected 'model', 'package' or 'connector', found %s",
                        parse_found(&p));
            while (p.token.kind != T_EOF && !at_model(&p))
                parse_advance(&p);
        }
        p.panic = p.gave_up;
    }
    close_parser(&p);
    return first;
}
