/* Sol text of an event model -> its tree. See event_model.h. */
#include "tests/support/event_model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    EmModel *model;
    const char *at;
    char token[64]; /* the one that comes next; "" at the end */
    uint32_t line;  /* of the token */
    uint32_t lines; /* up to `at` */
    bool failed;
    FILE *tell;
} Reader;

/* ---- tokens ---- */

static void skip_blanks(Reader *r)
{
    for (;; r->at++) {
        if (r->at[0] == '/' && r->at[1] == '/')
            r->at += strcspn(r->at, "\n");
        if (!isspace((unsigned char)*r->at))
            return;
        r->lines += *r->at == '\n';
    }
}

static size_t token_length(const char *at)
{
    static const char *const pairs[] = {"<<", "<-", "<=", ">=", "==", "<>"};
    size_t n = 0;
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        return n;
    }
    if (isdigit((unsigned char)*at)) {
        while (isalnum((unsigned char)at[n]) || at[n] == '.')
            n++;
        return n;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strncmp(at, pairs[i], 2) == 0)
            return 2;
    return *at ? 1 : 0;
}

static void advance(Reader *r)
{
    skip_blanks(r);
    size_t n = token_length(r->at);
    r->line = r->lines;
    snprintf(r->token, sizeof r->token, "%.*s", (int)n, r->at);
    r->at += n;
}

static bool next_is(const Reader *r, const char *token)
{
    return strcmp(r->token, token) == 0;
}

static bool take(Reader *r, const char *token)
{
    if (!next_is(r, token))
        return false;
    advance(r);
    return true;
}

static void expect(Reader *r, const char *token)
{
    if (take(r, token) || r->failed)
        return;
    if (r->tell)
        fprintf(r->tell, "event model: line %u: '%s' expected, not '%s'\n", r->line, token,
                r->token);
    r->failed = true;
}

static void take_name(Reader *r, char *name)
{
    snprintf(name, EM_NAME, "%.*s", EM_NAME - 1, r->token);
    if (isalpha((unsigned char)r->token[0]))
        advance(r);
    else
        expect(r, "a name");
}

static void take_path(Reader *r, EmPath *path)
{
    take_name(r, path->first);
    if (take(r, "."))
        take_name(r, path->second);
}

/* ---- expressions ---- */

static EmExpr *read_expr(Reader *r);

static EmExpr *node(Reader *r, EmOp op, EmExpr *a, EmExpr *b)
{
    EmExpr *e = em_room(r->model, sizeof *e);
    *e = (EmExpr){.op = op, .a = a, .b = b};
    return e;
}

static EmExpr *read_number(Reader *r)
{
    EmExpr *e = node(r, EM_CONSTANT, NULL, NULL);
    e->type = strpbrk(r->token, ".eE") ? EM_REAL : EM_INTEGER;
    e->value = strtod(r->token, NULL);
    advance(r);
    return e;
}

static EmExpr *read_call(Reader *r)
{
    EmExpr *e = NULL;
    if (take(r, "time"))
        return node(r, EM_TIME, NULL, NULL);
    if (take(r, "initial")) {
        expect(r, "(");
        e = node(r, EM_INITIAL, NULL, NULL);
    } else if (take(r, "pre")) {
        expect(r, "(");
        e = node(r, EM_PRE, NULL, NULL);
        take_path(r, &e->path);
    } else if (take(r, "Sample")) {
        expect(r, "(");
        expect(r, "interval");
        expect(r, "=");
        e = node(r, EM_SAMPLE, NULL, NULL);
        e->value = strtod(r->token, NULL);
        advance(r);
    }
    if (e)
        expect(r, ")");
    return e;
}

static EmExpr *read_element(Reader *r)
{
    EmExpr *e;
    if (isdigit((unsigned char)r->token[0]))
        return read_number(r);
    if (next_is(r, "true") || next_is(r, "false")) {
        e = node(r, EM_CONSTANT, NULL, NULL);
        e->value = next_is(r, "true");
        advance(r);
        return e;
    }
    if (take(r, "(")) {
        e = read_expr(r);
        expect(r, ")");
        return e;
    }
    if ((e = read_call(r)))
        return e;
    e = node(r, EM_VAR, NULL, NULL);
    take_path(r, &e->path);
    if (take(r, "?"))
        e->op = EM_EXISTS;
    return e;
}

static EmExpr *read_signed(Reader *r)
{
    if (take(r, "not"))
        return node(r, EM_NOT, read_element(r), NULL);
    if (take(r, "-")) {
        EmExpr *e = read_element(r);
        if (e->op != EM_CONSTANT)
            return node(r, EM_MINUS, e, NULL);
        e->value = -e->value;
        return e;
    }
    return read_element(r);
}

/* Operators from the tightest level to the loosest; all group to the left. */
static const struct {
    const char *sign;
    EmOp op;
    int level;
} binary[] = {{"*", EM_MUL, 0},     {"/", EM_DIV, 0},      {"+", EM_ADD, 1},
              {"-", EM_SUB, 1},     {"<", EM_LESS, 2},     {"<=", EM_LESS_EQUAL, 2},
              {"==", EM_EQUAL, 2},  {"<>", EM_UNEQUAL, 2}, {">=", EM_GREATER_EQUAL, 2},
              {">", EM_GREATER, 2}, {"and", EM_AND, 3},    {"or", EM_OR, 3}};

static EmExpr *read_level(Reader *r, int level)
{
    if (level < 0)
        return read_signed(r);
    EmExpr *e = read_level(r, level - 1);
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (binary[i].level == level && take(r, binary[i].sign)) {
            e = node(r, binary[i].op, e, read_level(r, level - 1));
            i = (size_t)-1; /* all signs of this level may follow */
        }
    return e;
}

static EmExpr *read_expr(Reader *r)
{
    return read_level(r, 3);
}

/* ---- declarations ---- */

static void read_args(Reader *r, EmMaker *maker)
{
    EmArg **end = &maker->args;
    expect(r, "{");
    while (!next_is(r, "}") && !r->failed) {
        EmArg *arg = em_room(r->model, sizeof *arg);
        take_name(r, arg->name);
        expect(r, "<<");
        arg->value = read_expr(r);
        *end = arg;
        end = &arg->next;
        take(r, ",");
    }
    expect(r, "}");
}

static bool starts_decl(const Reader *r)
{
    return next_is(r, "static") || next_is(r, "dynamic") || next_is(r, "parameter");
}

static void read_type(Reader *r, EmDecl *d)
{
    static const char *const types[] = {"Boolean", "Integer", "Real"};
    for (int i = 0; i < 3; i++)
        if (take(r, types[i])) {
            d->type = (EmType)i;
            return;
        }
    d->kind = d->kind == EM_DYNAMIC ? EM_DYNAMIC : EM_PART;
    take_name(r, d->maker.name);
}

static EmDecl *read_decl(Reader *r)
{
    EmDecl *d = em_room(r->model, sizeof *d);
    d->parameter = next_is(r, "parameter");
    d->kind = next_is(r, "dynamic") ? EM_DYNAMIC : EM_VARIABLE;
    advance(r);
    read_type(r, d);
    take_name(r, d->name);
    if (next_is(r, "{")) {
        d->braces = true;
        read_args(r, &d->maker);
    }
    if (take(r, "<<"))
        d->preset = read_expr(r);
    expect(r, ";");
    return d;
}

/* ---- statements ---- */

static EmBody *read_body(Reader *r, EmBody *outer, EmClass *class);

static void read_fork(Reader *r, EmStmt *s, EmBody *body);

/* Behind the `else` of a chain: another condition, or the last branch. */
static void read_otherwise(Reader *r, EmStmt *s, EmBody *body)
{
    if (take(r, "then")) {
        s->otherwise = read_body(r, body, body->class);
        return;
    }
    s->chained = true;
    s->otherwise = em_room(r->model, sizeof *s->otherwise);
    *s->otherwise = (EmBody){.outer = body, .class = body->class};
    EmStmt *inner = em_room(r->model, sizeof *inner);
    s->otherwise->stmts = inner;
    read_fork(r, inner, s->otherwise);
}

static void read_fork(Reader *r, EmStmt *s, EmBody *body)
{
    s->line = r->line;
    s->act = next_is(r, "if") ? EM_IF : EM_WHEN;
    if (!take(r, "if"))
        expect(r, "when");
    s->value = read_expr(r);
    expect(r, "then");
    s->then = read_body(r, body, body->class);
    if (take(r, "else"))
        read_otherwise(r, s, body);
}

static void read_receiver(Reader *r, EmStmt *s)
{
    advance(r); /* the arrow */
    EmPath path = {0};
    take_path(r, &path);
    s->act = next_is(r, "{") ? EM_BIRTH : s->target.first[0] ? EM_MOVE : EM_TRASH;
    if (s->act == EM_BIRTH) {
        memcpy(s->maker.name, path.first, EM_NAME);
        read_args(r, &s->maker);
    } else {
        s->source = path;
    }
}

/* `x = e`, `e = x`, `x << e`, `p <- ..`. */
static void read_relation(Reader *r, EmStmt *s)
{
    bool trash = take(r, "trash");
    EmExpr *left = trash ? NULL : read_level(r, 1);
    if (left && left->op == EM_VAR)
        s->target = left->path;
    if (next_is(r, "<-")) {
        read_receiver(r, s);
        return;
    }
    s->act = next_is(r, "<<") ? EM_SEND : EM_EQUATION;
    if (!take(r, "<<"))
        expect(r, "=");
    s->value = read_expr(r);
    s->flipped = !left || left->op != EM_VAR;
    if (s->flipped && s->value->op == EM_VAR) {
        s->target = s->value->path;
        s->value = left;
    }
}

static EmStmt *read_stmt(Reader *r, EmBody *body)
{
    EmStmt *s = em_room(r->model, sizeof *s);
    s->line = r->line;
    if (!next_is(r, "if") && !next_is(r, "when")) {
        read_relation(r, s);
    } else {
        const char *word = next_is(r, "if") ? "if" : "when";
        read_fork(r, s, body);
        expect(r, "end");
        take(r, word);
    }
    expect(r, ";");
    return s;
}

static void read_into(Reader *r, EmBody *body)
{
    EmDecl **decls = &body->decls;
    EmStmt **stmts = &body->stmts;
    while (*decls)
        decls = &(*decls)->next;
    while (!next_is(r, "end") && !next_is(r, "else") && r->token[0] && !r->failed) {
        if (starts_decl(r)) {
            *decls = read_decl(r);
            decls = &(*decls)->next;
        } else {
            *stmts = read_stmt(r, body);
            stmts = &(*stmts)->next;
        }
    }
}

static EmBody *read_body(Reader *r, EmBody *outer, EmClass *class)
{
    EmBody *body = em_room(r->model, sizeof *body);
    *body = (EmBody){.outer = outer, .class = class};
    read_into(r, body);
    return body;
}

static EmClass *read_class(Reader *r)
{
    EmClass *class = em_room(r->model, sizeof *class);
    class->body = em_room(r->model, sizeof *class->body);
    class->body->class = class;
    expect(r, "model");
    take_name(r, class->name);
    EmDecl **end = &class->body->decls;
    if (take(r, "interface")) {
        expect(r, ":");
        while (starts_decl(r) && !r->failed) {
            *end = read_decl(r);
            end = &(*end)->next;
            class->n_public++;
        }
    }
    if (take(r, "implementation")) {
        expect(r, ":");
        read_into(r, class->body);
    }
    expect(r, "end");
    expect(r, class->name);
    expect(r, ";");
    return class;
}

EmModel *em_read(const char *text, FILE *tell)
{
    Reader r = {.model = em_new(), .at = text, .lines = 1, .tell = tell};
    EmClass **end = &r.model->classes;
    advance(&r);
    while (r.token[0] && !r.failed) {
        *end = read_class(&r);
        end = &(*end)->next;
    }
    if (!r.failed && em_resolve(r.model, tell))
        return r.model;
    em_free(r.model);
    return NULL;
}
