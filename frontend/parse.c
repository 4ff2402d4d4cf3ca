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
void parse_semicolon(Parser *p, const char *after)
{
    if (!p->panic && p->token.kind != T_SEMICOLON && p->token.kind != T_BAD) {
        diag_error(p->diags, p->last_end, "expected ';' after %s%s", after,
                   parse_semicolon_habit(p));
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

bool parse_begins_something(TokenKind kind)
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
void parse_synchronize(Parser *p)
{
    if (!p->panic)
        return;
    while (!parse_begins_something(p->token.kind) && p->token.kind != T_SEMICOLON)
        parse_advance(p);
    if (p->token.kind == T_SEMICOLON)
        parse_advance(p);
    p->panic = p->gave_up;
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
           kind == T_PARTIAL || parse_at_function(p);
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
        parse_semicolon(p, "'extends'");
        parse_synchronize(p);
    }
    while (!p->gave_up) {
        if (p->token.kind == T_DEFINE) {
            ADefine *d = parse_define(p);
            parse_semicolon(p, "the definition");
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
            parse_semicolon(p, "'external'");
        } else {
            return;
        }
        parse_synchronize(p);
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
        parse_semicolon(p, "the declaration");
        parse_synchronize(p);
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

/* A declaration, as far as its first word tells. */
static bool at_declaration(const Parser *p)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String"};
    int kind = p->token.kind;
    for (int i = 0; kind == T_ID && i < 4; i++)
        if (strcmp(intern_text(p->names, p->token.sym), types[i]) == 0)
            return true;
    return kind == T_STATIC || kind == T_PARAMETER || kind == T_DYNAMIC || kind == T_ALIAS;
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
    else if (!m->interface_at && !m->implementation_at && at_declaration(p))
        parse_error(p, p->token.at,
                    "declarations stand behind 'interface:' (what others see) or "
                    "'implementation:', found %s",
                    parse_found(p));
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
    if (closing.kind == T_ID && closing.sym != m->name.sym &&
        parse_open_model(p, closing.sym) >= 0) {
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
    if (next.kind == T_ID && parse_open_model(p, next.sym) >= 0)
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
    return junk && next.kind == T_ID && parse_open_model(p, next.sym) < 0;
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
    else if (parse_at_function(p)) {
        m->kind = DEF_FUNCTION;
        parse_advance(p);
    } else
        parse_expect(p, T_MODEL, "'model', 'package' or 'connector'", NULL);
    m->name = (AName){p->token.sym, p->token.at, NULL};
    if (!parse_expect(p, T_ID, "a name", "for the definition"))
        m->name.sym = 0;
    if (parse_enter(p)) {
        parse_synchronize(p);
        vec_push(p->mem, &p->open, m);
        if (m->kind == DEF_FUNCTION)
            parse_function(p, m);
        else
            parse_model_content(p, m);
        parse_model_end(p, m);
        (void)vec_pop(&p->open);
    }
    parse_leave(p);
    if (!p->panic) {
        parse_semicolon(p, "'end'");
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
            const char *habit = parse_definition_habit(&p);
            parse_error(&p, p.token.at,
                        habit ? "%s" : "expected 'model', 'package' or 'connector', found %s",
                        habit ? habit : parse_found(&p));
            while (p.token.kind != T_EOF && !at_model(&p))
                parse_advance(&p);
        }
        p.panic = p.gave_up;
    }
    close_parser(&p);
    return first;
}
