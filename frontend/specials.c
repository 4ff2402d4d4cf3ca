/* specials.c: uses of predefined functions and models in expressions -> resolved expressions. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <string.h>

/* ---- arguments ---- */

static int find_in(Context *cx, const Predefined *pre, const AArg *arg, int *position)
{
    Program *p = cx->program;
    if (arg->name.n) {
        *position = -1;
        const char *name = intern_text(&p->names, arg->name.name[0].sym);
        for (uint32_t i = 0; i < pre->n_ins && arg->name.n == 1; i++)
            if (strcmp(name, pre->ins[i]) == 0)
                return (int)i;
        resolve_error(cx->level, arg->at, "'%s' has no %s '%s'%s", pre->name,
                      pre->kind == PRE_CONNECTION ? "parameter" : "'in' member",
                      resolve_text(p, &arg->name),
                      suggest_of(p, arg->name.name[0].sym, pre->n_ins, pre->ins));
    } else if (*position < 0) {
        resolve_error(cx->level, arg->at, "a value by position behind one by name");
    } else if (*position >= (int)pre->n_ins) {
        resolve_error(cx->level, arg->at, "too many values: '%s' takes %u", pre->name, pre->n_ins);
    } else {
        return (*position)++;
    }
    return -1;
}

bool expr_bind_predefined(Context *cx, uint32_t number, const AExpr *a, const AList *list,
                          const AArg **bound)
{
    const Predefined *pre = predefined_at(number);
    uint32_t errors = cx->program->diags.errors;
    int position = 0;
    bool ok = true;
    for (uint32_t i = 0; i < PRE_MAX_INS; i++)
        bound[i] = NULL;
    for (const AArg *arg = list->first; arg; arg = arg->next) {
        int i = find_in(cx, pre, arg, &position);
        if (i >= 0 && bound[i])
            resolve_error(cx->level, arg->at, "'%s' is given twice", pre->ins[i]);
        if (i >= 0 && arg->op == REL_MOVE)
            resolve_error(cx->level, arg->at, "only '=' and '<<' can stand in parentheses");
        ok = ok && i >= 0 && !bound[i] && arg->op != REL_MOVE;
        if (i >= 0)
            bound[i] = arg;
    }
    uint32_t optional =
        pre->kind == PRE_DER || pre->kind == PRE_DER_STATE || pre->kind == PRE_DELAY ? 1 : 0;
    for (uint32_t i = 0; i + optional < pre->n_ins && ok; i++)
        if (!bound[i]) {
            resolve_error(cx->level, a->at, "'%s' needs '%s'", pre->name, pre->ins[i]);
            ok = false;
        }
    return ok && errors == cx->program->diags.errors;
}

/* The value of argument i, of the type given (TYPE_REAL: any number); false after an error. */
static bool argument(Context *cx, const Predefined *pre, const AArg **bound, int i, TypeKind wanted,
                     RExpr **out)
{
    RExpr *e = *out = expr_resolve(cx, bound[i]->value, WANT_VALUE);
    TypeKind kind = e->type.kind;
    if (kind == wanted || (wanted == TYPE_REAL && kind == TYPE_INTEGER))
        return true;
    if (kind != TYPE_ERROR)
        resolve_error(cx->level, e->at, "'%s' of '%s' is %s, but %s is needed", pre->ins[i],
                      pre->name, types_name(cx->program, e->type),
                      wanted == TYPE_REAL ? "a number"
                                          : types_name(cx->program, (Type){wanted, NULL}));
    return false;
}

/* ---- one function per kind ---- */

static RExpr *function(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *e = expr_new(cx, R_OP, (Type){TYPE_REAL, NULL}, at);
    bool integers = true;
    e->op = (uint8_t)pre->op;
    for (uint32_t i = 0; i < pre->n_ins; i++) {
        if (!argument(cx, pre, bound, (int)i, TYPE_REAL, &e->arg[i]))
            return expr_error(cx, at);
        e->n++;
        integers = integers && e->arg[i]->type.kind == TYPE_INTEGER;
        e->continuous = e->continuous || e->arg[i]->continuous;
    }
    if (pre->result == RESULT_INTEGER || (pre->result == RESULT_LIKE && integers))
        e->type.kind = TYPE_INTEGER;
    return e;
}

static RExpr *derivative(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *e = expr_new(cx, R_DER, (Type){TYPE_REAL, NULL}, at);
    e->n = 1;
    e->is_state = pre->kind == PRE_DER_STATE;
    e->continuous = true;
    e->slot = expr_slot(cx);
    if (!argument(cx, pre, bound, 0, TYPE_REAL, &e->arg[0]))
        return expr_error(cx, at);
    if (bound[1]) {
        Context inside = *cx;
        inside.in_start = true;
        e->start_op = bound[1]->op;
        if (!argument(&inside, pre, bound, 1, TYPE_REAL, &e->start))
            return expr_error(cx, at);
    }
    if (e->arg[0]->type.kind == TYPE_INTEGER && e->arg[0]->kind != R_CONST) {
        resolve_error(cx->level, e->arg[0]->at, "'%s' of an Integer: it has no derivative",
                      pre->name);
        return expr_error(cx, at);
    }
    return e;
}

static RExpr *before(Context *cx, const AArg **bound, Place at)
{
    RExpr *x = expr_resolve(cx, bound[0]->value, WANT_VALUE);
    if (x->type.kind == TYPE_ERROR)
        return x;
    if (x->kind != R_PATH) {
        resolve_error(cx->level, x->at, "'pre' needs a variable");
        return expr_error(cx, at);
    }
    bool lasts = !cx->in_when && !cx->in_condition && !cx->in_start;
    if (lasts && x->type.kind == TYPE_REAL)
        resolve_error(cx->level, at,
                      "'pre' of a Real belongs in 'when' branches, conditions and start values");
    RExpr *e = expr_new(cx, R_PRE, x->type, at);
    e->path = x->path;
    e->slot = expr_slot(cx);
    e->lasts = lasts;
    /* `b and not pre(b)`: when b falls the condition stays as it is. What stands in a `when` is gone
     * by then. */
    if (!cx->in_when && !cx->in_start && x->type.kind == TYPE_BOOLEAN)
        statements_watch(cx, x);
    return e;
}

/* edge(b): b and not pre(b); change(v): v <> pre(v). */
static RExpr *compared_before(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *was = before(cx, bound, at);
    if (was->kind != R_PRE)
        return expr_error(cx, at);
    RExpr *is = expr_resolve(cx, bound[0]->value, WANT_VALUE);
    if (pre->kind == PRE_EDGE ? is->type.kind != TYPE_BOOLEAN : is->type.kind == TYPE_REAL) {
        resolve_error(cx->level, at,
                      pre->kind == PRE_EDGE
                          ? "'edge' needs a Boolean variable"
                          : "'change' needs an Integer, Boolean or String: Reals vary");
        return expr_error(cx, at);
    }
    if (pre->kind == PRE_CHANGE)
        return expr_apply(cx, X_NE, TYPE_BOOLEAN, at, is, was);
    return expr_apply(cx, X_AND, TYPE_BOOLEAN, at, is,
                      expr_apply(cx, X_NOT, TYPE_BOOLEAN, at, was, NULL));
}

static RExpr *table(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    static const TypeKind wanted[] = {TYPE_REAL, TYPE_STRING, TYPE_INTEGER};
    RExpr *e = expr_new(cx, R_TABLE, (Type){TYPE_REAL, NULL}, at);
    e->n = 3;
    e->slot = expr_slot(cx);
    for (int i = 0; i < 3; i++)
        if (!argument(cx, pre, bound, i, wanted[i], &e->arg[i]))
            return expr_error(cx, at);
    e->continuous = e->arg[0]->continuous;
    return e;
}

/* ---- delay ---- */

typedef struct Delay {
    const Predefined *pre;
    const AArg **bound;
    Path *of;
    Place at;
} Delay;

/* Made of constants and parameters: does not change while its instance is there. */
static bool never_changes(const RExpr *e)
{
    if (e->kind == R_PATH)
        return path_last(e->path)->parameter;
    if (e->kind != R_CONST && e->kind != R_SIZE && e->kind != R_INDEX && e->kind != R_OP &&
        e->kind != R_FOLD && e->kind != R_ROUND)
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!never_changes(e->arg[i]))
            return false;
    return true;
}

static RExpr *value_before(Context *inside, const void *what)
{
    const Delay *d = what;
    return statements_seen(inside, d->of, d->at);
}

/* Inside the branch that exists from the end of the event on. */
static RExpr *value_delayed(Context *inside, const void *what)
{
    const Delay *d = what;
    RExpr *e = expr_new(inside, R_DELAY, (Type){TYPE_REAL, NULL}, d->at);
    e->slot = expr_slot(inside);
    e->continuous = true;
    e->arg[e->n++] = statements_seen(inside, d->of, d->at);
    for (int i = 1; i < 3 && d->bound[i]; i++)
        if (!argument(inside, d->pre, d->bound, i, TYPE_REAL, &e->arg[e->n++]))
            return expr_error(inside, d->at);
    if (never_changes(e->arg[e->n - 1]))
        return e;
    resolve_error(inside->level, e->arg[e->n - 1]->at,
                  e->n > 2 ? "the longest delay is made of constants and parameters"
                           : "this delay varies: 'delay(x, T, longest)' says how long it can "
                             "become");
    return expr_error(inside, d->at);
}

/* delay(x, T): in the event of its birth x itself, so that x is known before its history begins. */
static RExpr *delayed(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    Delay d = {.pre = pre, .bound = bound, .at = at};
    RExpr *x;
    if (cx->in_when || cx->at_birth || cx->no_event) {
        resolve_error(cx->level, at, "'delay' cannot stand in %s",
                      cx->in_when    ? "a 'when': what it would remember ends with it"
                      : cx->at_birth ? "a value that is needed at birth: nothing happened before"
                                     : "'noEvent': what it remembers may jump");
        return expr_error(cx, at);
    }
    if (!argument(cx, pre, bound, 0, TYPE_REAL, &x))
        return expr_error(cx, at);
    bool plain = x->kind == R_PATH && !x->path->index; /* subscripts are seen from here */
    d.of = plain ? x->path : statements_named(cx, x)->path;
    return statements_since_birth(cx, at, value_before, value_delayed, &d);
}

static RExpr *one_argument(Context *cx, RKind kind, TypeKind type, const Predefined *pre,
                           const AArg **bound, Place at)
{
    RExpr *e = expr_new(cx, kind, (Type){type, NULL}, at);
    e->n = 1;
    e->slot = expr_slot(cx);
    return argument(cx, pre, bound, 0, TYPE_REAL, &e->arg[0]) ? e : expr_error(cx, at);
}

/* Sample(interval), counted from its birth; sample(start, interval), counted from there. */
static RExpr *sampled(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *e = expr_new(cx, R_SAMPLE, (Type){TYPE_BOOLEAN, NULL}, at);
    e->slot = expr_slot(cx);
    for (uint32_t i = pre->n_ins; i-- > 0;)
        if (!argument(cx, pre, bound, (int)i, TYPE_REAL, &e->arg[e->n++]))
            return expr_error(cx, at);
    return e;
}

/* Comparisons inside are evaluated as they are at every moment, and choose between values that are both
 * computed. A branch is chosen at events, so it has no use for it. */
static RExpr *without_events(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    Context inside = *cx;
    RExpr *e;
    inside.no_event = true;
    if (!argument(&inside, pre, bound, 0, TYPE_REAL, &e))
        return expr_error(cx, at);
    if (cx->in_condition && !cx->no_event && !cx->at_birth) {
        resolve_error(cx->level, at, "a condition changes at events: 'noEvent' cannot stand in it");
        return expr_error(cx, at);
    }
    return e;
}

static RExpr *smooth(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *order, *e;
    double k;
    if (!argument(cx, pre, bound, 0, TYPE_INTEGER, &order) ||
        !argument(cx, pre, bound, 1, TYPE_REAL, &e))
        return expr_error(cx, at);
    if (const_value(order, &k) && k >= 0)
        return e;
    resolve_error(cx->level, order->at,
                  "'p' of 'smooth' is how often it can be differentiated: a constant, 0 or more");
    return expr_error(cx, at);
}

static RExpr *operation(Context *cx, uint8_t op, uint32_t n, RExpr *a, RExpr *b, RExpr *c)
{
    RExpr *e = expr_new(cx, R_OP, (Type){TYPE_REAL, NULL}, a->at), *arg[] = {a, b, c};
    e->op = op;
    e->n = n;
    for (uint32_t i = 0; i < n; i++) {
        e->arg[i] = arg[i];
        e->continuous |= arg[i]->continuous;
    }
    return e;
}

/* Is it made of variables, constants and functions alone? Then it may stand in two places. */
static bool is_plain(const RExpr *e)
{
    bool plain = e->kind == R_CONST || e->kind == R_OP || e->kind == R_PATH || e->kind == R_TIME ||
                 e->kind == R_HOMOTOPY;
    for (uint32_t i = 0; i < e->n && plain; i++)
        plain = is_plain(e->arg[i]);
    return plain && e->slot == SLOT_NONE;
}

/* Where the part h of `simplified` is 0 it is `actual`, where that is 1 `simplified`, in between (1 - h)*actual + h*simplified: so what
 * has no value does no harm where it does not count. In parameters and conditions, in what is typed into a running model, and
 * around instances and derivatives, it is `actual` alone. */
static RExpr *mix(Context *cx, RExpr *actual, RExpr *simplified, Place at)
{
    cx->program->any_homotopy = true;
    RExpr *part = expr_new(cx, R_HOMOTOPY, (Type){TYPE_REAL, NULL}, at),
          *one = expr_new(cx, R_CONST, (Type){TYPE_REAL, NULL}, at);
    one->k = 1;
    RExpr *rest = operation(cx, X_SUB, 2, one, part, NULL);
    RExpr *mixed = operation(cx, X_ADD, 2, operation(cx, X_MUL, 2, rest, actual, NULL),
                             operation(cx, X_MUL, 2, part, simplified, NULL), NULL);
    return operation(cx, X_SELECT, 3, part, operation(cx, X_SELECT, 3, rest, mixed, simplified),
                     actual);
}

static RExpr *homotopy(Context *cx, const Predefined *pre, const AArg **bound, Place at)
{
    RExpr *actual, *simplified;
    bool fine = argument(cx, pre, bound, 0, TYPE_REAL, &actual);
    if (!argument(cx, pre, bound, 1, TYPE_REAL, &simplified) || !fine)
        return expr_error(cx, at);
    bool alone = cx->at_birth || cx->in_condition || !cx->body || body_is_typed(cx->body);
    return alone || !is_plain(actual) || !is_plain(simplified) ? actual
                                                               : mix(cx, actual, simplified, at);
}

static bool check_lists(Context *cx, const Predefined *pre, const AExpr *a)
{
    const AMember *m = a->member;
    if (m->question)
        resolve_error(cx->level, a->at, "'?' asks for a member; '%s' is predefined", pre->name);
    else if (m->params.present)
        resolve_error(cx->level, m->params.at, "'%s' has no parameters", pre->name);
    else if (pre->n_ins && !m->ins.present)
        resolve_error(cx->level, a->at, "'%s' needs '%s'", pre->name, pre->ins[0]);
    else
        return true;
    return false;
}

static RExpr *out_of_place(Context *cx, const Predefined *pre, const AExpr *a)
{
    const char *use = pre->kind == PRE_TYPE         ? "is a type, not a value"
                      : pre->kind == PRE_COUT       ? "only takes values: 'cout << value'"
                      : pre->kind == PRE_TRASH      ? "only takes instances: 'trash <- member'"
                      : pre->kind == PRE_CONNECTION ? "stands alone: 'connection{a << x, b << y}'"
                      : pre->kind == PRE_REINIT     ? "stands alone, in a 'when'"
                      : pre->kind == PRE_TERMINATE  ? "stands alone: 'terminate(\"why\")'"
                      : pre->kind == PRE_ASSERT
                          ? "stands alone: 'assert(condition = ..., message = \"...\")'"
                          : "stands alone: 'tearing(x = variable)'";
    resolve_error(cx->level, a->at, "'%s' %s", pre->name, use);
    return expr_error(cx, a->at);
}

/* What remembers something between updates needs an instance around it. */
static bool needs_instance(PreKind kind)
{
    return kind != PRE_FUNCTION && kind != PRE_TYPE && kind != PRE_NO_EVENT && kind != PRE_SMOOTH &&
           kind != PRE_HOMOTOPY;
}

/* min(T), max(T): of the elements of one array. */
static bool is_reduction(const Predefined *pre, const AList *ins)
{
    return (pre->op == X_MIN || pre->op == X_MAX) && pre->kind == PRE_FUNCTION &&
           (ins->loop || !ins->first->next) && !ins->first->name.n;
}

static RExpr *transposed(Context *cx, const AExpr *a)
{
    const AArg *arg = a->member->ins.first;
    if (!arg || arg->next || array_rank(cx, arg->value) != 2) {
        resolve_error(cx->level, a->at, "'transpose' needs an array with two sizes");
        return expr_error(cx, a->at);
    }
    if (!cx->elements || cx->elements->n != 2) {
        resolve_error(cx->level, a->at, "this is an array: a single value is needed here");
        return expr_error(cx, a->at);
    }
    Context inside = *cx;
    Element swapped[2] = {cx->elements->at[1], cx->elements->at[0]};
    inside.elements = &(Elements){2, swapped, false};
    return expr_resolve(&inside, arg->value, WANT_VALUE);
}

RExpr *expr_predefined(Context *cx, uint32_t number, const AExpr *a)
{
    const Predefined *pre = predefined_at(number);
    const AArg *bound[PRE_MAX_INS];
    if (pre->kind == PRE_TYPE || pre->kind >= PRE_TEARING)
        return out_of_place(cx, pre, a);
    if (needs_instance(pre->kind) && cx->call) {
        resolve_error(cx->level, a->at, "'%s' cannot stand in a function", pre->name);
        return expr_error(cx, a->at);
    }
    if (needs_instance(pre->kind) && !cx->body) {
        resolve_error(cx->level, a->at, "'%s' is no constant", pre->name);
        return expr_error(cx, a->at);
    }
    if (a->member->ins.first && (pre->kind == PRE_REDUCE || is_reduction(pre, &a->member->ins)))
        return loop_reduction(cx, pre->op, a);
    if (pre->kind == PRE_SIZE)
        return array_size_of(cx, a);
    if (pre->kind == PRE_TRANSPOSE)
        return transposed(cx, a);
    if (a->member->ins.loop)
        resolve_error(cx->level, a->member->ins.loop->name.at,
                      "'for' stands in sum, product, min and max only");
    if (!check_lists(cx, pre, a) || !expr_bind_predefined(cx, number, a, &a->member->ins, bound))
        return expr_error(cx, a->at);
    RExpr *e;
    switch (pre->kind) {
    case PRE_FUNCTION:
        return function(cx, pre, bound, a->at);
    case PRE_DER:
    case PRE_DER_STATE:
        return derivative(cx, pre, bound, a->at);
    case PRE_PRE:
        return before(cx, bound, a->at);
    case PRE_EDGE:
    case PRE_CHANGE:
        return compared_before(cx, pre, bound, a->at);
    case PRE_TABLE:
        return table(cx, pre, bound, a->at);
    case PRE_DELAY:
        return delayed(cx, pre, bound, a->at);
    case PRE_RANDOM:
        return one_argument(cx, R_RANDOM, TYPE_REAL, pre, bound, a->at);
    case PRE_SAMPLE:
        return sampled(cx, pre, bound, a->at);
    case PRE_NO_EVENT:
        return without_events(cx, pre, bound, a->at);
    case PRE_SMOOTH:
        return smooth(cx, pre, bound, a->at);
    case PRE_HOMOTOPY:
        return homotopy(cx, pre, bound, a->at);
    case PRE_INITIAL:
        return expr_new(cx, R_INITIAL, (Type){TYPE_BOOLEAN, NULL}, a->at);
    default:
        e = expr_new(cx, R_TIME, (Type){TYPE_REAL, NULL}, a->at);
        e->continuous = true;
        return e;
    }
}
