/* access.c: values in parentheses -> the in members that they are for; with arrays `y = m(u = x)` -> `m.u = x` and `y = m.y`.
 *
 * What stands in parentheses is said once, not once for each element. So where m has arrays as in or out members it becomes statements
 * of its own before elements are looked at, and what is left is a name, which is an array as any other. An anonymous instance becomes
 * a member that nobody declared. */
#include "frontend/resolve_int.h"

static Member *find_in(Context *cx, Def *def, const AArg *arg, uint32_t *position)
{
    Program *p = cx->program;
    if (arg->name.n) {
        *position = UINT32_MAX;
        Member *m = body_find(def->body, arg->name.name[0].sym);
        if (m && m->io == IO_IN)
            return m;
        resolve_error(cx->level, arg->at, "'%s' has no 'in' member '%s'%s", def_path(p, def),
                      intern_text(&p->names, arg->name.name[0].sym),
                      suggest_in(p, def, arg->name.name[0].sym));
        return NULL;
    }
    if (*position == UINT32_MAX)
        resolve_error(cx->level, arg->at, "a value by position behind one by name");
    else if (*position >= def->n_ins)
        resolve_error(cx->level, arg->at, "too many values: '%s' takes %u", def_path(p, def),
                      def->n_ins);
    else
        return def->ins[(*position)++];
    return NULL;
}

void access_each_in(Context *cx, Def *def, const AList *list, AccessIn *each, void *context)
{
    Program *p = cx->program;
    uint32_t position = 0;
    bool *given = arena_alloc(&p->arena, def->body->n_members + 1);
    for (const AArg *arg = list->first; arg; arg = arg->next) {
        Member *in = find_in(cx, def, arg, &position);
        if (!in)
            continue;
        if (given[in->index] && arg->name.n <= 1)
            resolve_error(cx->level, arg->at, "'%s' is given twice",
                          intern_text(&p->names, in->name));
        else
            each(context, in, arg);
        given[in->index] = given[in->index] || arg->name.n <= 1;
    }
}

/* ---- arrays ---- */

typedef struct Spread {
    Context *cx;
    const AStmt *text; /* the statement that it stands in */
    AExpr *instance;   /* the name of the member */
} Spread;

static bool has_arrays(Def *def)
{
    body_interface(def);
    bool any = def->out && def->out->rank;
    for (uint32_t i = 0; i < def->n_ins; i++)
        any |= def->ins[i]->rank > 0;
    return any && !def->external;
}

/* The model whose members the parentheses name, if they are arrays; else NULL. */
static Def *accessed(Context *cx, const AExpr *a)
{
    const ADesignator *d = &a->member->name;
    Def *def = NULL;
    if (!a->member->ins.present || a->member->question || !cx->body || cx->call)
        return NULL;
    if (expr_is_member(cx, d)) {
        const Member *m = elements_last(cx, elements_named(cx, d));
        def = m && m->type.kind == TYPE_MODEL && !a->member->params.present ? m->type.def : NULL;
    } else if (resolve_lookup(cx->level, &d->name[0]).kind == FOUND_DEF) {
        Found found = resolve_designator(cx->level, cx->body, d);
        def = found.kind == FOUND_DEF && found.def->kind != DEF_PACKAGE &&
                      found.def->kind != DEF_FUNCTION
                  ? found.def
                  : NULL;
    }
    return def && has_arrays(def) ? def : NULL;
}

static AExpr *name_alone(Context *cx, const AExpr *a, ADesignator name)
{
    Arena *arena = &cx->program->arena;
    AExpr *e = arena_alloc(arena, sizeof *e);
    *e = (AExpr){.kind = A_MEMBER, .depth = 1, .at = a->at};
    e->member = arena_alloc(arena, sizeof *e->member);
    e->member->name = name;
    return e;
}

/* The member itself; of an anonymous instance one that is declared here. */
static AExpr *instance_of(Context *cx, const AExpr *a, Def *def)
{
    ADesignator name = a->member->name;
    if (!expr_is_member(cx, &name)) {
        name.n = 1;
        name.name = arena_alloc(&cx->program->arena, sizeof *name.name);
        Context inside = *cx;
        inside.owner = def->name;
        name.name[0] = (AName){expr_hidden_instance(&inside, 0, def, a)->name, a->at, NULL};
    }
    return name_alone(cx, a, name);
}

/* in = value, as a statement. */
static void say_in(void *context, Member *in, const AArg *arg)
{
    const Spread *s = context;
    AExpr *target = wholes_part(s->cx, s->instance, in->name);
    for (uint32_t i = 1; i < arg->name.n; i++)
        target = wholes_part(s->cx, target, arg->name.name[i].sym);
    if (arg->op == REL_MOVE) {
        resolve_error(s->cx->level, arg->at, "only '=' and '<<' can stand in parentheses");
        return;
    }
    AStmt say = {.kind = A_REL,
                 .op = in->binding == BIND_ALIAS ? REL_COPY : arg->op,
                 .at = s->text->at,
                 .operator_at = arg->at,
                 .end = s->text->end};
    say.lhs = target;
    say.rhs = arg->value;
    statements_generated(s->cx, &say);
}

static AExpr *spread(Context *cx, const AStmt *text, AExpr *a);

static AExpr *copy_call(Arena *arena, const AExpr *a)
{
    AExpr *copy = arena_alloc(arena, sizeof *copy);
    *copy = *a;
    copy->member = arena_alloc(arena, sizeof *copy->member);
    *copy->member = *a->member;
    AArg **end = &copy->member->ins.first;
    for (const AArg *arg = a->member->ins.first; arg; arg = arg->next) {
        *end = arena_alloc(arena, sizeof **end);
        **end = *arg;
        end = &(*end)->next;
    }
    return copy;
}

/* The call itself, or a copy where an argument is another one now. */
static AExpr *spread_arguments(Context *cx, const AStmt *text, AExpr *a)
{
    AExpr *copy = a;
    uint32_t n = 0;
    for (AArg *arg = a->member->ins.first; arg; arg = arg->next, n++) {
        AExpr *value = spread(cx, text, arg->value);
        if (value == arg->value)
            continue;
        if (copy == a) {
            copy = copy_call(&cx->program->arena, a);
            arg = copy->member->ins.first;
            for (uint32_t k = 0; k < n; k++)
                arg = arg->next;
        }
        arg->value = value;
    }
    return copy;
}

static AExpr *spread_member(Context *cx, const AStmt *text, AExpr *a)
{
    Def *def = accessed(cx, a);
    if (!def)
        return a->member->ins.first && !a->member->ins.loop ? spread_arguments(cx, text, a) : a;
    Spread s = {cx, text, instance_of(cx, a, def)};
    access_each_in(cx, def, &a->member->ins, say_in, &s);
    return def->out ? wholes_part(cx, s.instance, def->out->name) : s.instance;
}

/* The branches of a conditional expression have their own statements: what stands there stays. */
static AExpr *spread(Context *cx, const AStmt *text, AExpr *a)
{
    if (a->kind == A_MEMBER)
        return spread_member(cx, text, a);
    if (a->kind != A_UNARY && a->kind != A_BINARY)
        return a;
    AExpr *x = spread(cx, text, a->a), *y = a->kind == A_BINARY ? spread(cx, text, a->b) : NULL;
    if (x == a->a && (!y || y == a->b))
        return a;
    AExpr *copy = arena_alloc(&cx->program->arena, sizeof *copy);
    *copy = *a;
    copy->a = x;
    if (y)
        copy->b = y;
    return copy;
}

void access_spread(Context *cx, AStmt *a)
{
    AStmt text = *a;
    a->lhs = spread(cx, &text, a->lhs);
    a->rhs = spread(cx, &text, a->rhs);
}

bool access_alone(Context *cx, const AStmt *a)
{
    return a->lhs->kind == A_MEMBER && accessed(cx, a->lhs) && spread_member(cx, a, a->lhs);
}

bool access_refused(Context *cx, Def *def, Place at)
{
    if (!has_arrays(def))
        return false;
    resolve_error(cx->level, at,
                  "'%s' has arrays as in or out members: its parentheses stand in an equation, a "
                  "transmission or alone, not inside an 'if', a condition or a sum",
                  def_path(cx->program, def));
    return true;
}
