/* statements.c: syntax of statements -> resolved statements, in textual order.
 *
 * Requires the members of the body (body.c). Recursion only into branches, whose nesting the parser
 * bounds. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

static Stmt *new_stmt(Context *cx, StmtKind kind, const AStmt *a)
{
    Stmt *s = arena_alloc(&cx->program->arena, sizeof *s);
    s->kind = kind;
    s->number = ++cx->program->n_stmts;
    s->at = a->at;
    s->end = a->end;
    s->operator_at = a->operator_at;
    s->body = cx->body;
    cx->stmt = s;
    return s;
}

static void add_stmt(Context *cx, Stmt *s)
{
    body_add_stmt(cx->body, s);
}

/* ---- declarations ---- */

/* An inherited declaration that was replaced stands for the one that replaces it, whose parameter
 * list is read where that one was written. */
static void declaration(Context *cx, const AStmt *a)
{
    Member *m = body_find(cx->body, a->decl->name.sym);
    if (!m || body_member_text(m)->stated)
        return;
    MemberText *text = body_member_text(m);
    text->stated = true;
    Context inside = *cx;
    if (!cx->body->parent)
        inside.level = &cx->def->text->piece[text->piece].level;
    Stmt *s = new_stmt(cx, S_DECLARE, a);
    s->member = m;
    body_params(&inside, m);
    add_stmt(cx, s);
}

/* ---- relations ---- */

/* The predefined `kind` that a left side names without any list; false when it names something
 * else. */
static bool names_predefined(Context *cx, const AExpr *a, PreKind kind)
{
    if (a->kind != A_MEMBER || a->member->name.n != 1 || expr_is_member(cx, &a->member->name))
        return false;
    uint32_t number = map_get(&cx->program->predefined, a->member->name.name[0].sym);
    if (!number || predefined_at(number - 1)->kind != kind)
        return false;
    Found found = resolve_lookup(cx->level, &a->member->name.name[0]);
    return found.kind == FOUND_PREDEFINED;
}

static bool is_bare(const AExpr *a)
{
    return a->kind == A_MEMBER && !a->paren && !a->member->params.present &&
           !a->member->ins.present && !a->member->question;
}

static void equation(Context *cx, const AStmt *a)
{
    Program *p = cx->program;
    Stmt *s = new_stmt(cx, S_EQUATION, a);
    s->a = expr_resolve(cx, a->lhs, WANT_VALUE);
    s->b = expr_resolve(cx, a->rhs, WANT_VALUE);
    TypeKind x = s->a->type.kind, y = s->b->type.kind;
    bool numbers = (x == TYPE_REAL || x == TYPE_INTEGER) && (y == TYPE_REAL || y == TYPE_INTEGER);
    if (x != y && !numbers && x != TYPE_ERROR && y != TYPE_ERROR)
        resolve_error(cx->level, a->operator_at, "an equation between %s and %s",
                      types_name(p, s->a->type), types_name(p, s->b->type));
    if (x != y && numbers)
        choices_meet_real(cx, x == TYPE_REAL ? s->b : s->a);
    add_stmt(cx, s);
}

/* The target of `<<` or `<-`; NULL with a message when the left side is no member. */
static Path *target_of(Context *cx, const AStmt *a, const char *op)
{
    Program *p = cx->program;
    if (!is_bare(a->lhs)) {
        resolve_error(cx->level, a->lhs->at, "only a member can stand left of '%s'", op);
        return NULL;
    }
    const ADesignator *d = &a->lhs->member->name;
    if (!expr_is_member(cx, d)) {
        Found found = resolve_designator(cx->level, cx->body, d);
        if (names_predefined(cx, a->lhs, PRE_TRASH))
            resolve_error(cx->level, a->lhs->at, "'trash' only takes instances: 'trash <- member'");
        else if (found.kind != FOUND_NOTHING)
            resolve_error(cx->level, a->lhs->at, "'%s' is no member of this model",
                          resolve_text(p, d));
        return NULL;
    }
    Context whole = *cx;
    whole.whole_list = true;
    Path *path = expr_path(&whole, d);
    return path && elements_can_take(cx, path, a->lhs->at) ? path : NULL;
}

static void check_model_fits(Context *cx, const Stmt *s, Type wanted)
{
    Mismatch why;
    Program *p = cx->program;
    if (s->b->type.kind == TYPE_ERROR || types_is_sub(s->b->type, wanted, &why))
        return;
    resolve_error(cx->level, s->b->at, "'%s' cannot hold this: %s",
                  intern_text(&p->names, path_last(s->path)->name), types_reason(p, &why));
}

/* The source of a copy or move of a model: a member, or an anonymous instance. */
static bool is_model_source(Context *cx, const RExpr *e)
{
    if (e->type.kind == TYPE_ERROR)
        return false;
    if (e->type.kind == TYPE_MODEL && (e->kind == R_PATH || !e->access->path))
        return true;
    resolve_error(cx->level, e->at, "a model is needed here: a member or an anonymous declaration");
    return false;
}

static void copy_value(Context *cx, const AStmt *a, Path *target)
{
    Stmt *s = new_stmt(cx, S_COPY_VALUE, a);
    const Member *m = path_last(target);
    s->path = target;
    s->b = expr_resolve(cx, a->rhs, WANT_VALUE);
    expr_check_assignable(cx, m->type, s->b, "the value");
    if (m->parameter)
        resolve_error(cx->level, a->at,
                      "'%s' is a parameter: its value is given where the instance "
                      "is created",
                      resolve_text(cx->program, &a->lhs->member->name));
    else
        body_hold(cx, target);
    if (s->b->continuous && !cx->in_when && !cx->in_initial)
        body_member_text(path_last(target))->follows = true;
    if (!target->index)
        check_transmission(cx, s);
    add_stmt(cx, s);
}

static void copy_model(Context *cx, const AStmt *a, Path *target)
{
    Stmt *s = new_stmt(cx, S_COPY_MODEL, a);
    const Member *m = path_last(target);
    s->path = target;
    s->b = expr_resolve(cx, a->rhs, WANT_MODEL);
    if (m->binding != BIND_DYNAMIC)
        resolve_error(cx->level, a->at,
                      "'%s' is static: only a dynamic member can be given another instance",
                      resolve_text(cx->program, &a->lhs->member->name));
    else if (is_model_source(cx, s->b))
        check_model_fits(cx, s, m->type);
    add_stmt(cx, s);
}

static void bind_alias(Context *cx, const AStmt *a, Path *target)
{
    Stmt *s = new_stmt(cx, S_ALIAS, a);
    s->path = target;
    s->b = expr_resolve(cx, a->rhs, WANT_MODEL);
    const char *name = resolve_text(cx->program, &a->lhs->member->name);
    if (path_last(target)->parameter)
        resolve_error(cx->level, a->at,
                      "'%s' is a parameter: its value is given where the instance is created",
                      name);
    else
        expr_check_alias(cx, path_last(target)->type, s->b,
                         expr_quoted(cx, path_last(target)->name));
    add_stmt(cx, s);
}

static void copy(Context *cx, const AStmt *a)
{
    if (names_predefined(cx, a->lhs, PRE_COUT) && is_bare(a->lhs)) {
        Stmt *s = new_stmt(cx, S_COUT, a);
        s->b = expr_resolve(cx, a->rhs, WANT_VALUE);
        add_stmt(cx, s);
        return;
    }
    Path *target = target_of(cx, a, "<<");
    if (!target) {
        expr_resolve(cx, a->rhs, WANT_ANY);
        return;
    }
    const Member *m = path_last(target);
    if (m->binding == BIND_ALIAS)
        bind_alias(cx, a, target);
    else if (m->type.kind == TYPE_MODEL)
        copy_model(cx, a, target);
    else
        copy_value(cx, a, target);
}

/* What a move takes away must be owned by something that can lose it. */
static bool can_lose(Context *cx, const RExpr *e)
{
    static const char *const why[] = {
        [BIND_STATIC] =
            "'%s' is static and keeps its instance: only a dynamic member or an anonymous "
            "declaration can be moved",
        [BIND_ALIAS] = "'%s' is an alias and owns no instance to move",
    };
    if (e->kind != R_PATH)
        return true;
    const Member *m = path_last(e->path);
    if (m->binding == BIND_DYNAMIC || m->element == ELEMENT_OF)
        return true;
    resolve_error(cx->level, e->at, why[m->binding], intern_text(&cx->program->names, m->name));
    return false;
}

static void move(Context *cx, const AStmt *a)
{
    bool trash = names_predefined(cx, a->lhs, PRE_TRASH) && is_bare(a->lhs);
    Path *target = trash ? NULL : target_of(cx, a, "<-");
    Stmt *s = new_stmt(cx, trash ? S_TRASH : S_MOVE, a);
    Context source_of = *cx;
    source_of.whole_list = trash;
    s->path = target;
    s->b = expr_resolve(&source_of, a->rhs, WANT_MODEL);
    add_stmt(cx, s);
    bool source = is_model_source(cx, s->b) && can_lose(cx, s->b);
    if (!target)
        return;
    const Member *m = path_last(target);
    const char *name = resolve_text(cx->program, &a->lhs->member->name);
    if (m->type.kind != TYPE_MODEL && m->type.kind != TYPE_ERROR)
        resolve_error(cx->level, a->at, "'%s' is a variable; values are copied by '<<'", name);
    else if (m->binding != BIND_DYNAMIC && m->type.kind == TYPE_MODEL)
        resolve_error(cx->level, a->at,
                      "'%s' is %s: only a dynamic member can be given another instance", name,
                      m->binding == BIND_STATIC ? "static" : "an alias");
    else if (source)
        check_model_fits(cx, s, m->type);
}

/* ---- statements of one expression ---- */

static RExpr *connected(Context *cx, const AExpr *a)
{
    RExpr *e = expr_resolve(cx, a, WANT_MODEL);
    bool model = e->type.kind == TYPE_MODEL || e->type.kind == TYPE_VOID;
    if (e->type.kind == TYPE_ERROR || (e->kind == R_PATH && model))
        return e;
    resolve_error(cx->level, e->at, "a connection joins members that are models");
    return expr_error(cx, e->at);
}

/* Whether a path leads to an instance of the declared definition, and not perhaps of a sub-type. */
static bool is_fixed(const Path *path)
{
    for (uint32_t i = 0; i < path->n; i++)
        if (path->step[i]->binding != BIND_STATIC)
            return false;
    return true;
}

static void joins(void *any, const Member *a, const Member *b)
{
    *(bool *)any |= a->con == b->con && a->type.kind == b->type.kind;
}

/* Both ends, or elements of both where they are arrays. */
static void connect_ends(Context *cx, const AStmt *a)
{
    Stmt *s = new_stmt(cx, S_CONNECT, a);
    s->a = connected(cx, a->lhs);
    s->b = connected(cx, a->rhs);
    add_stmt(cx, s);
    if (s->a->type.kind == TYPE_ERROR || s->b->type.kind == TYPE_ERROR)
        return;
    if (expr_same_path(s->a->path, s->b->path)) {
        resolve_error(cx->level, a->at, "a connection of a member with itself");
        return;
    }
    if (!is_fixed(s->a->path) || !is_fixed(s->b->path))
        return;       /* the instances decide */
    bool any = false; /* without a potential or flow in common a connection does nothing */
    wholes_joined(s->a->type.def, s->b->type.def, joins, &any);
    if (!any)
        resolve_error(cx->level, a->at, "'%s' and '%s' have no potential or flow member in common",
                      def_path(cx->program, s->a->type.def), def_path(cx->program, s->b->type.def));
}

static void connection(Context *cx, const AStmt *a, uint32_t number)
{
    const AArg *bound[PRE_MAX_INS];
    const AMember *m = a->lhs->member;
    bool call = predefined_at(number)->soft; /* connect(x, y) */
    if ((call ? m->params : m->ins).present || m->question ||
        !(call ? m->ins : m->params).present) {
        resolve_error(cx->level, a->at, "a connection is written '%s'",
                      call ? "connect(x, y)" : "connection{a << x, b << y}");
        return;
    }
    if (!expr_bind_predefined(cx, number, a->lhs, call ? &m->ins : &m->params, bound))
        return;
    AStmt ends = *a;
    bool swap = array_rank(cx, bound[1]->value) && !array_rank(cx, bound[0]->value);
    ends.kind = A_REL; /* one end stands for all elements of the other one */
    ends.operator_at = a->at;
    ends.lhs = bound[swap]->value;
    ends.rhs = bound[!swap]->value;
    if (!loop_relation(cx, &ends, connect_ends))
        connect_ends(cx, &ends);
}

static void tearing(Context *cx, const AStmt *a, uint32_t number)
{
    const AArg *bound[PRE_MAX_INS];
    Stmt *s = new_stmt(cx, S_TEARING, a);
    if (a->lhs->member->params.present || a->lhs->member->question) {
        resolve_error(cx->level, a->at, "a hint is written 'tearing(x = variable)'");
        return;
    }
    if (!expr_bind_predefined(cx, number, a->lhs, &a->lhs->member->ins, bound))
        return;
    RExpr *e = expr_resolve(cx, bound[0]->value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return;
    if (e->kind != R_PATH || e->type.kind != TYPE_REAL || path_last(e->path)->parameter) {
        resolve_error(cx->level, e->at, "'tearing' needs a Real variable");
        return;
    }
    s->path = e->path;
    add_stmt(cx, s);
}

/* reinit(x, e): the state x has the value e when the `when` around it is over. */
static void reinit(Context *cx, const AStmt *a, uint32_t number)
{
    const AArg *bound[PRE_MAX_INS];
    const AMember *m = a->lhs->member;
    Stmt *s = new_stmt(cx, S_REINIT, a);
    if (m->params.present || m->question || !m->ins.present) {
        resolve_error(cx->level, a->at, "another value for a state is written 'reinit(x, value)'");
        return;
    }
    if (!expr_bind_predefined(cx, number, a->lhs, &m->ins, bound))
        return;
    RExpr *x = expr_resolve(cx, bound[0]->value, WANT_VALUE);
    s->b = expr_resolve(cx, bound[1]->value, WANT_VALUE);
    if (!cx->in_when)
        resolve_error(cx->level, a->at,
                      "'reinit' stands in a 'when': 'when c then reinit(x, value); end'");
    if (x->type.kind == TYPE_ERROR || s->b->type.kind == TYPE_ERROR)
        return;
    expr_check_assignable(cx, (Type){TYPE_REAL, NULL}, s->b, "the value");
    if (x->kind != R_PATH || x->type.kind != TYPE_REAL || path_last(x->path)->parameter) {
        resolve_error(cx->level, x->at, "'reinit' needs a Real variable whose derivative is taken");
        return;
    }
    s->path = x->path;
    add_stmt(cx, s);
}

/* The text of assert and terminate; 0 after an error. */
static Sym constant_text(Context *cx, const AExpr *a, const char *what)
{
    RExpr *e = expr_resolve(cx, a, WANT_VALUE);
    if (e->kind == R_CONST && e->type.kind == TYPE_STRING)
        return (Sym)e->k;
    if (e->type.kind != TYPE_ERROR)
        resolve_error(cx->level, e->at, "the message of %s is a constant text", what);
    return 0;
}

static void terminate(Context *cx, const AStmt *a, uint32_t number)
{
    const AArg *bound[PRE_MAX_INS];
    const AMember *m = a->lhs->member;
    Stmt *s = new_stmt(cx, S_TERMINATE, a);
    if (m->params.present || m->question || !m->ins.present) {
        resolve_error(cx->level, a->at, "the end of a run is written 'terminate(\"why\")'");
        return;
    }
    if (!expr_bind_predefined(cx, number, a->lhs, &m->ins, bound))
        return;
    s->assertion = constant_text(cx, bound[0]->value, "terminate");
    if (!cx->in_when)
        resolve_error(cx->level, a->at,
                      "'terminate' stands in a 'when': 'when c then terminate(\"why\"); end'");
    if (s->assertion)
        add_stmt(cx, s);
}

static void assertion(Context *cx, const AStmt *a, uint32_t number);

static bool special_alone(Context *cx, const AStmt *a)
{
    if (a->lhs->kind != A_MEMBER)
        return false;
    Sym name = a->lhs->member->name.name[0].sym;
    uint32_t number = map_get(&cx->program->predefined, name) - 1;
    if (names_predefined(cx, a->lhs, PRE_CONNECTION))
        connection(cx, a, number);
    else if (names_predefined(cx, a->lhs, PRE_REINIT))
        reinit(cx, a, number);
    else if (names_predefined(cx, a->lhs, PRE_TERMINATE))
        terminate(cx, a, number);
    else if (names_predefined(cx, a->lhs, PRE_TEARING))
        tearing(cx, a, number);
    else if (names_predefined(cx, a->lhs, PRE_ASSERT))
        assertion(cx, a, number);
    else
        return false;
    return true;
}

static void alone(Context *cx, const AStmt *a)
{
    if (special_alone(cx, a) || access_alone(cx, a))
        return;
    if (a->lhs->kind == A_BINARY && a->lhs->op == T_EQ && !a->lhs->paren) {
        resolve_error(cx->level, a->lhs->at, "'==' compares; an equation is written '='");
        return;
    }
    RExpr *e = expr_resolve(cx, a->lhs, WANT_ANY);
    if (e->kind == R_ACCESS) {
        Stmt *s = new_stmt(cx, S_INSTANCE, a);
        s->a = e;
        add_stmt(cx, s);
    } else if (e->type.kind != TYPE_ERROR) {
        resolve_error(cx->level, a->at,
                      "this statement says nothing: '=', '<<' or '<-' is missing");
    }
}

/* ---- branches ---- */

static void statement_list(Context *cx, AStmt *list);

static Body *branch(Context *cx, Stmt *owner, AStmt *list, bool taken)
{
    Context inside = *cx;
    inside.body = body_branch(cx, owner, list);
    inside.in_when = cx->in_when || (taken && owner->kind == S_WHEN);
    inside.in_initial = cx->in_initial || (taken && owner->a->kind == R_INITIAL);
    statement_list(&inside, list);
    births_order(&inside);
    return inside.body;
}

static void must_hold(Context *cx, const AStmt *a, RExpr *holds, Sym message)
{
    Stmt *s = new_stmt(cx, S_WHEN, a);
    s->a = expr_apply(cx, X_NOT, TYPE_BOOLEAN, holds->at, holds, NULL);
    s->assertion = message;
    add_stmt(cx, s);
    s->then_body = branch(cx, s, NULL, true);
}

/* assert(condition = c, message = "...") is `when not c` with an empty branch and a message. */
static void assertion(Context *cx, const AStmt *a, uint32_t number)
{
    const AArg *bound[PRE_MAX_INS];
    if (a->lhs->member->params.present || a->lhs->member->question) {
        resolve_error(cx->level, a->at,
                      "an assertion is written 'assert(condition = ..., message = \"...\")'");
        return;
    }
    if (!expr_bind_predefined(cx, number, a->lhs, &a->lhs->member->ins, bound))
        return;
    Context condition = *cx;
    condition.in_condition = true;
    RExpr *holds = expr_resolve(&condition, bound[0]->value, WANT_VALUE);
    Sym message = constant_text(cx, bound[1]->value, "an assertion");
    if (holds->type.kind == TYPE_ERROR)
        return;
    if (holds->type.kind != TYPE_BOOLEAN) {
        resolve_error(cx->level, holds->at, "a condition is Boolean, not %s",
                      types_name(cx->program, holds->type));
        return;
    }
    if (message)
        must_hold(cx, a, holds, message);
}

static void range(Context *cx, const AStmt *a)
{
    Context condition = *cx;
    condition.in_condition = true;
    RExpr *holds = expr_resolve(&condition, a->lhs, WANT_VALUE);
    if (holds->type.kind == TYPE_BOOLEAN)
        must_hold(cx, a, holds, a->rhs->text);
}

void statements_range(Context *cx, AExpr *holds, AExpr *text)
{
    Context inside = *cx;
    AStmt a = {.kind = A_REL, .at = holds->at, .operator_at = holds->at, .lhs = holds, .rhs = text};
    if (!loop_relation(&inside, &a, range))
        range(&inside, &a);
}

/* One branch of a conditional expression: `value = e`, where e is resolved inside the branch. */
static Stmt *choice_branch(Context *cx, Stmt *owner, BranchValue *value, const void *what,
                           Body **body)
{
    Context inside = *cx;
    AStmt text = {.kind = A_REL, .at = owner->at, .operator_at = owner->at};
    *body = inside.body = body_branch(cx, owner, NULL);
    Stmt *s = new_stmt(&inside, S_EQUATION, &text);
    s->b = value(&inside, what);
    s->at = s->operator_at = s->b->at;
    add_stmt(&inside, s);
    births_order(&inside);
    return s;
}

static Path *choice_path(Context *cx, Member *value, uint32_t up, Place at)
{
    Path *path = arena_alloc(&cx->program->arena, sizeof *path);
    *path = (Path){.up = up, .n = 1, .at = at};
    path->step = arena_alloc(&cx->program->arena, sizeof *path->step);
    path->step[0] = value;
    return path;
}

static RExpr *choice_value(Context *cx, Member *value, uint32_t up, const RExpr *from)
{
    RExpr *e = expr_new(cx, R_PATH, value->type, from->at);
    e->path = choice_path(cx, value, up, from->at);
    e->continuous = from->continuous;
    return e;
}

/* Held where its type has no derivative: then it is a transmission. */
static void choice_relation(Context *cx, Stmt *s, Member *value)
{
    if (value->held) {
        s->kind = S_COPY_VALUE;
        s->path = choice_path(cx, value, 1, s->at);
    } else {
        s->a = choice_value(cx, value, 1, s->b);
    }
}

static RExpr *value_of_text(Context *inside, const void *what)
{
    return expr_resolve(inside, what, WANT_VALUE);
}

/* An `if` around two values, as a part of the statement at hand. */
static Stmt *choice_if(Context *cx, RExpr *c, Place at)
{
    Context inside = *cx;
    Stmt *s = new_stmt(&inside, S_IF, &(AStmt){.kind = A_IF, .at = at, .operator_at = at});
    s->a = c;
    s->part_of = cx->stmt;
    return s;
}

RExpr *statements_choice(Context *cx, const AExpr *a)
{
    Context condition = *cx;
    condition.in_condition = true;
    RExpr *c = expr_resolve(&condition, a->c, WANT_VALUE);
    Stmt *s = choice_if(cx, c, a->at), *x, *y;
    x = choice_branch(cx, s, value_of_text, a->a, &s->then_body);
    y = choice_branch(cx, s, value_of_text, a->b, &s->else_body);
    Type type;
    if (!expr_is_condition(cx, c) || !expr_choice_type(cx, a, x->b, y->b, &type))
        return expr_error(cx, a->at);
    s->member = body_add_choice(cx, type, a->at);
    if (type.kind == TYPE_REAL) {
        choices_meet_real(cx, x->b);
        choices_meet_real(cx, y->b);
    }
    choice_relation(cx, x, s->member);
    choice_relation(cx, y, s->member);
    add_stmt(cx, s);
    RExpr *e = choice_value(cx, s->member, 0, c);
    e->at = a->at;
    e->continuous = type.kind == TYPE_REAL && (x->b->continuous || y->b->continuous);
    return e;
}

RExpr *statements_seen(Context *cx, const Path *path, Place at)
{
    RExpr *e = expr_new(cx, R_PATH, path_last(path)->type, at);
    e->path = arena_alloc(&cx->program->arena, sizeof *e->path);
    *e->path = *path;
    e->path->up++;
    e->continuous = true;
    return e;
}

RExpr *statements_since_birth(Context *cx, Place at, BranchValue *first, BranchValue *later,
                              const void *what)
{
    RExpr *born = expr_new(cx, R_BORN, (Type){TYPE_BOOLEAN, NULL}, at);
    born->slot = expr_slot(cx);
    Stmt *s = choice_if(cx, born, at);
    Stmt *x = choice_branch(cx, s, first, what, &s->then_body);
    Stmt *y = choice_branch(cx, s, later, what, &s->else_body);
    if (x->b->type.kind == TYPE_ERROR || y->b->type.kind == TYPE_ERROR)
        return expr_error(cx, at);
    s->member = body_add_choice(cx, (Type){TYPE_REAL, NULL}, at);
    choice_relation(cx, x, s->member);
    choice_relation(cx, y, s->member);
    add_stmt(cx, s);
    RExpr *e = choice_value(cx, s->member, 0, born);
    e->continuous = true;
    return e;
}

void statements_watch(Context *cx, RExpr *b)
{
    Context inside = *cx;
    Stmt *s = new_stmt(&inside, S_IF, &(AStmt){.kind = A_IF, .at = b->at, .operator_at = b->at});
    s->a = b;
    s->watch = true;
    s->part_of = cx->stmt;
    s->then_body = inside.body = body_branch(cx, s, NULL);
    births_order(&inside);
    add_stmt(cx, s);
}

RExpr *statements_named(Context *cx, RExpr *e)
{
    Context inside = *cx;
    Stmt *s = new_stmt(&inside, S_EQUATION, &(AStmt){.at = e->at, .operator_at = e->at});
    s->b = e;
    s->part_of = cx->stmt;
    s->member = body_add_choice(cx, e->type, e->at);
    if (s->member->held) {
        s->kind = S_COPY_VALUE;
        s->path = choice_path(cx, s->member, 0, e->at);
    } else {
        s->a = choice_value(cx, s->member, 0, e);
    }
    add_stmt(cx, s);
    return choice_value(cx, s->member, 0, e);
}

/* One of the conditions in `when {c1, c2}`: a hidden variable b << c, and whether it just became true. */
static RExpr *one_of_several(Context *cx, const AExpr *c)
{
    Context inside = *cx;
    Stmt *s = new_stmt(&inside, S_COPY_VALUE, &(AStmt){.at = c->at, .operator_at = c->at});
    inside.in_condition = true;
    s->b = expr_resolve(&inside, c, WANT_VALUE);
    s->part_of = cx->stmt;
    if (!expr_is_condition(cx, s->b))
        return expr_error(cx, c->at);
    s->member = body_add_choice(cx, s->b->type, c->at);
    s->path = choice_path(cx, s->member, 0, c->at);
    add_stmt(cx, s);
    RExpr *was = expr_new(cx, R_PRE, s->b->type, c->at);
    was->path = s->path;
    was->slot = expr_slot(cx);
    RExpr *is = choice_value(cx, s->member, 0, s->b);
    is->at = c->at;
    is->continuous = false;
    statements_watch(cx, is);
    return expr_apply(cx, X_AND, TYPE_BOOLEAN, c->at, is,
                      expr_apply(cx, X_NOT, TYPE_BOOLEAN, c->at, was, NULL));
}

/* when {c1, c2}: when one of them becomes true, also while others are. */
static RExpr *any_of(Context *cx, const AExpr *list)
{
    RExpr *all = NULL;
    if (list->list->loop) {
        resolve_error(cx->level, list->list->loop->name.at,
                      "conditions of one 'when' are listed, as in '{c1, c2}'; for each of many "
                      "stands a 'when' of its own in a loop");
        return expr_error(cx, list->at);
    }
    for (const AArg *arg = list->list->first; arg; arg = arg->next) {
        RExpr *one = one_of_several(cx, arg->value);
        if (arg->name.n || one->type.kind == TYPE_ERROR)
            return expr_error(cx, arg->at);
        all = all ? expr_apply(cx, X_OR, TYPE_BOOLEAN, arg->at, all, one) : one;
    }
    return all ? all : expr_resolve(cx, list, WANT_VALUE);
}

static void conditional(Context *cx, const AStmt *a)
{
    Stmt *s = new_stmt(cx, a->kind == A_IF ? S_IF : S_WHEN, a);
    Context condition = *cx;
    condition.in_condition = true;
    s->a = a->kind == A_WHEN && a->condition->kind == A_ARRAY
               ? any_of(cx, a->condition)
               : expr_resolve(&condition, a->condition, WANT_VALUE);
    expr_is_condition(cx, s->a);
    s->names[0] = a->else_name;
    s->names[1] = a->then_name;
    add_stmt(cx, s);
    s->then_body = branch(cx, s, a->then_list, true);
    if (a->has_else)
        s->else_body = branch(cx, s, a->else_list, false);
}

/* Declarations inside were not read with those of the body around. */
static void loop(Context *cx, const AStmt *a)
{
    Context inside;
    Member *iterator;
    bool over = !a->loop->to; /* the elements of an array */
    Stmt *s = over ? elements_open(cx, a->loop, a->at, &inside, &iterator)
                   : loop_open(cx, &a->loop->name, a->at, &inside, &iterator);
    if (!s)
        return;
    s->end = a->end;
    if (!over) {
        s->a = array_known(cx, a->loop->from, "a bound of 'for'");
        s->b = array_known(cx, a->loop->to, "a bound of 'for'");
    }
    body_declare(&inside, a->then_list);
    statement_list(&inside, a->then_list);
    loop_close(cx, s, &inside);
}

static void relation(Context *cx, AStmt a)
{
    if (a.op == REL_MOVE) {
        move(cx, &a);
        return;
    }
    access_spread(cx, &a);
    if (a.op == REL_EQUAL && wholes_relate(cx, &a, equation))
        return;
    if (!loop_relation(cx, &a, a.op == REL_EQUAL ? equation : copy))
        (a.op == REL_EQUAL ? equation : copy)(cx, &a);
}

static void statement_list(Context *cx, AStmt *list)
{
    for (const AStmt *a = list; a; a = a->next) {
        switch (a->kind) {
        case A_DECL:
            declaration(cx, a);
            break;
        case A_REL:
            relation(cx, *a);
            break;
        case A_FOR:
            loop(cx, a);
            break;
        case A_ALONE:
            alone(cx, a);
            break;
        default:
            conditional(cx, a);
            break;
        }
    }
}

void statements_generated(Context *cx, AStmt *statement)
{
    Context inside = *cx;
    statement_list(&inside, statement);
}

Body *statements_edit(Context *around, AStmt *list)
{
    Context inside = *around;
    inside.body = body_branch(around, NULL, list);
    statement_list(&inside, list);
    births_order(&inside);
    return inside.body;
}

/* Completes one definition; its base first, so that errors show where they were written. */
void statements_resolve(Def *def)
{
    DefText *text = def->text;
    if (text->statements != TODO)
        return;
    text->statements = BUSY;
    body_interface(def);
    if (def->base)
        statements_resolve(def->base);
    check_def(def);
    redefine_check(def);
    for (uint32_t k = 0; k < text->n_pieces; k++) {
        Context cx = {.program = text->program,
                      .def = def,
                      .body = def->body,
                      .level = &text->piece[k].level};
        statement_list(&cx, text->piece[k].text->interface);
        statement_list(&cx, text->piece[k].text->implementation);
    }
    births_order(&(Context){
        .program = text->program, .def = def, .body = def->body, .level = resolve_own_level(def)});
    body_finish_held(def);
    check_equalities(def);
    text->statements = DONE;
}
