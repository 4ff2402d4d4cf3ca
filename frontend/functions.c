/* functions.c: calls of functions -> their results in the place of the call.
 *
 * A function has no instance: its text is resolved anew for each call, with values for its names. Values that are
 * not plain names become variables that nobody declared, so that a text grows with its calls and not with their
 * nesting, and nothing that remembers something (a derivative, a draw) is made twice. Where a value is needed at
 * birth there are no such variables; there the tree of the expression is bounded. */
#include "frontend/resolve_int.h"

typedef struct Name {
    Sym name;
    RExpr *value;
} Name;

struct Call {
    const Def *def;
    uint32_t depth; /* of the body it stands in: paths are seen from there */
    uint32_t nested;
    uint32_t n;
    Name *name;
    const struct Call *outer;
};

enum { MOST_NESTED = 100, CALL_COSTS = 50, MOST_NODES = 100000 };

/* ---- values ---- */

static bool is_simple(const RExpr *e)
{
    return e->kind == R_CONST || e->kind == R_TIME || e->kind == R_HOMOTOPY ||
           (e->kind == R_PATH && !e->path->index);
}

/* Nodes of the tree, up to a bound; more than that also where something in it remembers. */
static uint32_t weigh(const RExpr *e, uint32_t bound)
{
    uint32_t n = e->slot == SLOT_NONE ? 1 : bound;
    for (uint32_t i = 0; i < e->n && n < bound; i++)
        n += weigh(e->arg[i], bound - n);
    return n;
}

/* A value that may be used several times. */
static RExpr *shared(Context *cx, RExpr *e)
{
    if (e->type.kind == TYPE_ERROR || is_simple(e))
        return e;
    if (cx->body && !cx->at_birth)
        return statements_named(cx, e);
    if (weigh(e, MOST_NODES) < MOST_NODES)
        return e;
    resolve_error(cx->level, e->at, "this is too much for a value of a function at birth");
    return expr_error(cx, e->at);
}

/* The same value seen from a branch inside. */
static RExpr *seen_from(Context *cx, RExpr *e, uint32_t depth)
{
    if (!cx->body || cx->body->depth == depth || e->kind != R_PATH)
        return e;
    RExpr *moved = expr_new(cx, R_PATH, e->type, e->at);
    moved->continuous = e->continuous;
    moved->path = arena_alloc(&cx->program->arena, sizeof *moved->path);
    *moved->path = *e->path;
    moved->path->up += cx->body->depth - depth;
    return moved;
}

RExpr *function_name(Context *cx, const AExpr *a)
{
    const AMember *m = a->member;
    for (uint32_t i = 0; cx->call && m->name.n == 1 && i < cx->call->n; i++) {
        if (cx->call->name[i].name != m->name.name[0].sym)
            continue;
        if (m->ins.present || m->params.present || m->question || m->name.name[0].subs) {
            resolve_error(cx->level, a->at, "'%s' is a value", resolve_text(cx->program, &m->name));
            return expr_error(cx, a->at);
        }
        return seen_from(cx, cx->call->name[i].value, cx->call->depth);
    }
    return NULL;
}

/* ---- calls ---- */

static bool calls_itself(Context *cx, const Def *def, Place at)
{
    const char *name = intern_text(&cx->program->names, def->name);
    for (const struct Call *call = cx->call; call; call = call->outer)
        if (call->def == def) {
            resolve_error(cx->level, at, "the function '%s' calls itself", name);
            return true;
        }
    if (cx->call && cx->call->nested >= MOST_NESTED)
        resolve_error(cx->level, at, "functions call each other more than %d levels deep",
                      MOST_NESTED);
    return cx->call && cx->call->nested >= MOST_NESTED;
}

static const ADefine *find_in(Context *cx, const AModel *f, const AArg *arg, const ADefine **next)
{
    Program *p = cx->program;
    const char *name = intern_text(&p->names, f->name.sym);
    const ADefine *in = f->ins;
    if (arg->name.n) {
        *next = NULL;
        while (in && (arg->name.n > 1 || in->name.sym != arg->name.name[0].sym))
            in = in->next;
        if (!in)
            resolve_error(cx->level, arg->at, "'%s' has no value '%s'", name,
                          resolve_text(p, &arg->name));
        return in;
    }
    in = *next;
    if (!in)
        resolve_error(cx->level, arg->at,
                      "too many values for '%s', or one by position behind one "
                      "by name",
                      name);
    else
        *next = in->next;
    return in;
}

static bool bind(Context *cx, struct Call *call, const AModel *f, const AExpr *a)
{
    const ADefine *next = f->ins;
    for (const AArg *arg = a->member->ins.first; arg; arg = arg->next) {
        const ADefine *in = find_in(cx, f, arg, &next);
        if (!in)
            return false;
        if (arg->op == REL_MOVE)
            resolve_error(cx->level, arg->at, "only '=' and '<<' can stand in parentheses");
        Name *name = call->name;
        while (name->name != in->name.sym)
            name++;
        if (name->value)
            resolve_error(cx->level, arg->at, "'%s' is given twice",
                          intern_text(&cx->program->names, in->name.sym));
        name->value = shared(cx, expr_resolve(cx, arg->value, WANT_VALUE));
        if (name->value->type.kind == TYPE_ERROR)
            return false;
    }
    for (uint32_t i = 0; i < call->n; i++)
        if (!call->name[i].value) {
            resolve_error(cx->level, a->at, "'%s' needs '%s'",
                          intern_text(&cx->program->names, f->name.sym),
                          intern_text(&cx->program->names, call->name[i].name));
            return false;
        }
    return true;
}

static bool is_call(Context *cx, const AExpr *a, Want want)
{
    const char *name = resolve_text(cx->program, &a->member->name);
    if (a->member->question || a->member->params.present || !a->member->ins.present)
        resolve_error(cx->level, a->at, "'%s' is a function: its values stand in parentheses",
                      name);
    else if (want == WANT_MODEL)
        resolve_error(cx->level, a->at, "'%s' is a function, not a model", name);
    else if (a->member->ins.loop)
        resolve_error(cx->level, a->member->ins.loop->name.at,
                      "'for' stands in sum, product, min and max only");
    else
        return true;
    return false;
}

RExpr *function_call(Context *cx, const AExpr *a, Def *def, Want want)
{
    const AModel *f = def->text->model;
    uint32_t n = 0;
    if (!is_call(cx, a, want) || calls_itself(cx, def, a->at) || !f->result ||
        !resolve_admit(cx->def, CALL_COSTS))
        return expr_error(cx, a->at);
    resolve_names(def, cx->level, a->at);
    for (const ADefine *d = f->ins; d; d = d->next)
        n++;
    for (const ADefine *d = f->locals; d; d = d->next)
        n++;
    struct Call call = {.def = def, .outer = cx->call};
    call.depth = cx->body ? cx->body->depth : 0;
    call.nested = cx->call ? cx->call->nested + 1 : 0;
    call.name = arena_alloc(&cx->program->arena, (n + 1) * sizeof *call.name);
    for (const ADefine *d = f->ins; d; d = d->next)
        call.name[call.n++].name = d->name.sym;
    if (!bind(cx, &call, f, a))
        return expr_error(cx, a->at);
    Context inside = *cx;
    inside.level = resolve_own_level(def);
    inside.call = &call;
    inside.elements = NULL;
    for (const ADefine *d = f->locals; d; d = d->next) {
        RExpr *value = shared(&inside, expr_resolve(&inside, d->value, WANT_VALUE));
        if (value->type.kind == TYPE_ERROR)
            return expr_error(cx, a->at);
        call.name[call.n++] = (Name){d->name.sym, value};
    }
    RExpr *result = expr_resolve(&inside, f->result, WANT_VALUE);
    return result->type.kind == TYPE_ERROR ? expr_error(cx, a->at) : result;
}
