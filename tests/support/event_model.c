/* a tree of an event model -> names looked up, Sol text. See event_model.h. */
#include "tests/support/event_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

typedef struct EmPool {
    struct EmPool *next;
    max_align_t room[];
} EmPool;

EmModel *em_new(void)
{
    return calloc(1, sizeof(EmModel));
}

void *em_room(EmModel *model, size_t size)
{
    EmPool *pool = calloc(1, sizeof *pool + size);
    pool->next = model->pool;
    model->pool = pool;
    return pool->room;
}

void em_free(EmModel *model)
{
    for (EmPool *pool = model ? model->pool : NULL; pool;) {
        EmPool *next = pool->next;
        free(pool);
        pool = next;
    }
    free(model);
}

EmClass *em_top(const EmModel *model)
{
    EmClass *class = model->classes;
    while (class && class->next)
        class = class->next;
    return class;
}

void em_each(EmExpr *e, void (*see)(void *context, EmExpr *e), void *context)
{
    if (!e)
        return;
    see(context, e);
    em_each(e->a, see, context);
    em_each(e->b, see, context);
}

/* ---- names ---- */

typedef struct Resolver {
    EmModel *model;
    EmBody *body;
    bool good;
    FILE *tell;
} Resolver;

static void missing(Resolver *r, const char *name)
{
    if (r->tell)
        fprintf(r->tell, "event model: nothing is called '%s'\n", name);
    r->good = false;
}

static EmDecl *decl_in(EmBody *body, const char *name)
{
    for (EmDecl *d = body->decls; d; d = d->next)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

static EmDecl *decl_around(EmBody *body, const char *name)
{
    EmDecl *found = NULL;
    for (; body && !found; body = body->outer)
        found = decl_in(body, name);
    return found;
}

static EmClass *class_named(const EmModel *model, const char *name)
{
    for (EmClass *class = model->classes; class; class = class->next)
        if (strcmp(class->name, name) == 0)
            return class;
    return NULL;
}

static void resolve_path(Resolver *r, EmPath *path)
{
    path->sub = NULL;
    path->decl = decl_around(r->body, path->first);
    if (!path->decl) {
        missing(r, path->first);
    } else if (path->second[0]) {
        EmClass *class =
            path->decl->kind == EM_VARIABLE ? NULL : class_named(r->model, path->decl->maker.name);
        path->sub = class ? decl_in(class->body, path->second) : NULL;
        if (!path->sub)
            missing(r, path->second);
    }
}

static void resolve_one(void *context, EmExpr *e)
{
    if (e->op == EM_VAR || e->op == EM_PRE || e->op == EM_EXISTS)
        resolve_path(context, &e->path);
}

static void resolve_maker(Resolver *r, EmMaker *maker)
{
    maker->class = class_named(r->model, maker->name);
    if (!maker->class) {
        missing(r, maker->name);
        return;
    }
    for (EmArg *arg = maker->args; arg; arg = arg->next) {
        em_each(arg->value, resolve_one, r);
        if (!decl_in(maker->class->body, arg->name))
            missing(r, arg->name);
    }
}

static void resolve_body(Resolver r, EmBody *body, bool *good);

static void resolve_stmt(Resolver *r, EmStmt *s, bool *good)
{
    if (s->act != EM_IF && s->act != EM_WHEN && s->act != EM_TRASH)
        resolve_path(r, &s->target);
    if (s->act == EM_MOVE || s->act == EM_TRASH)
        resolve_path(r, &s->source);
    em_each(s->value, resolve_one, r);
    if (s->act == EM_BIRTH)
        resolve_maker(r, &s->maker);
    if (s->act == EM_SEND && s->target.decl)
        (s->target.sub ? s->target.sub : s->target.decl)->held = true;
    if (s->then)
        resolve_body(*r, s->then, good);
    if (s->otherwise)
        resolve_body(*r, s->otherwise, good);
}

static void resolve_body(Resolver r, EmBody *body, bool *good)
{
    r.body = body;
    r.good = true;
    body->n_decls = body->n_stmts = 0;
    for (EmDecl *d = body->decls; d; d = d->next) {
        d->index = body->n_decls++;
        d->body = body;
        em_each(d->preset, resolve_one, &r);
        if (d->kind != EM_VARIABLE)
            resolve_maker(&r, &d->maker);
    }
    for (EmStmt *s = body->stmts; s; s = s->next) {
        s->index = body->n_stmts++;
        resolve_stmt(&r, s, good);
    }
    *good = *good && r.good;
}

static void clear_held(EmBody *body)
{
    for (EmDecl *d = body->decls; d; d = d->next)
        d->held = false;
    for (EmStmt *s = body->stmts; s; s = s->next) {
        if (s->then)
            clear_held(s->then);
        if (s->otherwise)
            clear_held(s->otherwise);
    }
}

bool em_resolve(EmModel *model, FILE *tell)
{
    Resolver r = {.model = model, .tell = tell};
    bool good = model->classes != NULL;
    for (EmClass *class = model->classes; class; class = class->next)
        clear_held(class->body);
    for (EmClass *class = model->classes; class; class = class->next)
        resolve_body(r, class->body, &good);
    return good;
}

/* ---- text ---- */

typedef struct Text {
    FILE *out;
    uint32_t line;
} Text;

static void put(Text *text, const char *format, ...)
{
    char piece[400];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    for (const char *c = piece; *c; c++)
        text->line += *c == '\n';
    fputs(piece, text->out);
}

static const char *const signs[] = {
    [EM_ADD] = "+",     [EM_SUB] = "-",      [EM_MUL] = "*",
    [EM_DIV] = "/",     [EM_LESS] = "<",     [EM_LESS_EQUAL] = "<=",
    [EM_EQUAL] = "==",  [EM_UNEQUAL] = "<>", [EM_GREATER_EQUAL] = ">=",
    [EM_GREATER] = ">", [EM_AND] = "and",    [EM_OR] = "or"};

static void put_path(Text *text, const EmPath *path)
{
    put(text, "%s%s%s", path->first, path->second[0] ? "." : "", path->second);
}

static void put_number(Text *text, EmType type, double value)
{
    if (type == EM_BOOLEAN)
        put(text, value != 0 ? "true" : "false");
    else if (type == EM_REAL && value == (double)(long)value)
        put(text, "%.1f", value);
    else
        put(text, "%.17g", value);
}

static void put_expr(Text *text, const EmExpr *e, bool inside)
{
    switch (e->op) {
    case EM_CONSTANT:
        put_number(text, e->type, e->value);
        return;
    case EM_TIME:
        put(text, "time");
        return;
    case EM_INITIAL:
        put(text, "initial()");
        return;
    case EM_SAMPLE:
        put(text, "Sample(interval = %.17g)", e->value);
        return;
    case EM_PRE:
        put(text, "pre(");
        put_path(text, &e->path);
        put(text, ")");
        return;
    case EM_VAR:
    case EM_EXISTS:
        put_path(text, &e->path);
        put(text, e->op == EM_EXISTS ? "?" : "");
        return;
    case EM_NOT:
    case EM_MINUS:
        put(text, e->op == EM_NOT ? "not (" : "-(");
        put_expr(text, e->a, false);
        put(text, ")");
        return;
    default:
        put(text, inside ? "(" : "");
        put_expr(text, e->a, true);
        put(text, " %s ", signs[e->op]);
        put_expr(text, e->b, true);
        put(text, inside ? ")" : "");
    }
}

static void put_args(Text *text, const EmArg *args)
{
    put(text, "{");
    for (const EmArg *arg = args; arg; arg = arg->next) {
        put(text, "%s%s << ", arg == args ? "" : ", ", arg->name);
        put_expr(text, arg->value, false);
    }
    put(text, "}");
}

static void put_decl(Text *text, const EmDecl *d, int depth)
{
    static const char *const types[] = {"Boolean", "Integer", "Real"};
    put(text, "%*s%s %s %s", 2 * depth, "",
        d->parameter            ? "parameter"
        : d->kind == EM_DYNAMIC ? "dynamic"
                                : "static",
        d->kind == EM_VARIABLE ? types[d->type] : d->maker.name, d->name);
    if (d->kind == EM_PART || (d->kind == EM_DYNAMIC && d->braces))
        put_args(text, d->maker.args);
    if (d->preset) {
        put(text, " << ");
        put_expr(text, d->preset, false);
    }
    put(text, ";\n");
}

static void put_body(Text *text, const EmBody *body, const EmDecl *from, int depth);

static void put_relation(Text *text, const EmStmt *s)
{
    if (s->flipped) {
        put_expr(text, s->value, false);
        put(text, " = ");
        put_path(text, &s->target);
    } else {
        put_path(text, &s->target);
        put(text, s->act == EM_SEND ? " << " : " = ");
        put_expr(text, s->value, false);
    }
}

static void put_chain(Text *text, EmStmt *s, int depth)
{
    const char *word = s->act == EM_IF ? "if" : "when";
    for (;; s = s->otherwise->stmts) {
        s->line = text->line;
        put(text, "%s ", word);
        put_expr(text, s->value, false);
        put(text, " then\n");
        put_body(text, s->then, s->then->decls, depth + 1);
        if (!s->chained)
            break;
        put(text, "%*selse ", 2 * depth, "");
    }
    if (s->otherwise) {
        put(text, "%*selse then\n", 2 * depth, "");
        put_body(text, s->otherwise, s->otherwise->decls, depth + 1);
    }
    put(text, "%*send %s", 2 * depth, "", word);
}

static void put_stmt(Text *text, EmStmt *s, int depth)
{
    put(text, "%*s", 2 * depth, "");
    s->line = text->line;
    if (s->act == EM_IF || s->act == EM_WHEN) {
        put_chain(text, s, depth);
    } else if (s->act == EM_EQUATION || s->act == EM_SEND) {
        put_relation(text, s);
    } else {
        put(text, s->act == EM_TRASH ? "trash" : "");
        put_path(text, &s->target);
        put(text, " <- ");
        if (s->act == EM_BIRTH) {
            put(text, "%s", s->maker.name);
            put_args(text, s->maker.args);
        } else {
            put_path(text, &s->source);
        }
    }
    put(text, ";\n");
}

static void put_body(Text *text, const EmBody *body, const EmDecl *from, int depth)
{
    for (const EmDecl *d = from; d; d = d->next)
        put_decl(text, d, depth);
    for (EmStmt *s = body->stmts; s; s = s->next)
        put_stmt(text, s, depth);
}

static void put_class(Text *text, const EmClass *class)
{
    const EmDecl *d = class->body->decls;
    put(text, "model %s\ninterface:\n", class->name);
    for (uint32_t i = 0; d && i < class->n_public; i++, d = d->next)
        put_decl(text, d, 1);
    put(text, "implementation:\n");
    put_body(text, class->body, d, 1);
    put(text, "end %s;\n", class->name);
}

char *em_print(const EmModel *model)
{
    char *bytes = NULL;
    size_t size;
    Text text = {open_memstream(&bytes, &size), 1};
    for (const EmClass *class = model->classes; class; class = class->next)
        put_class(&text, class);
    fclose(text.out);
    return bytes;
}
