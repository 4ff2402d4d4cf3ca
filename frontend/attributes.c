/* attributes.c: what stands in braces behind a variable or a type, `static Real v {start << 1};` -> attributes.
 *
 * All of them are known at birth: made of constants and parameters, in a `define` of constants alone. A range
 * is an assertion that nobody wrote. */
#include "ddp/ddp.h"
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"
#include "frontend/units.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"unit",  "start",       "min",    "max",
                                    "fixed", "stateSelect", "nominal"};
enum {
    ATTR_UNIT,
    ATTR_START,
    ATTR_MIN,
    ATTR_MAX,
    ATTR_FIXED,
    ATTR_SELECT,
    ATTR_NOMINAL,
    ATTRIBUTES
};

/* The number of the attribute that an argument names; -1 with a message. */
static int find(Context *cx, const AArg *arg)
{
    Program *p = cx->program;
    if (!arg->name.n) {
        resolve_error(cx->level, arg->at, "an attribute needs its name: 'start << 1'");
        return -1;
    }
    const char *name = intern_text(&p->names, arg->name.name[0].sym);
    for (int i = 0; i < ATTRIBUTES && arg->name.n == 1 && !arg->name.name[0].subs; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    resolve_error(cx->level, arg->at, "'%s' is no attribute of a variable%s",
                  resolve_text(p, &arg->name),
                  suggest_of(p, arg->name.name[0].sym, ATTRIBUTES, names));
    return -1;
}

/* ---- one function per attribute ---- */

/* What people write for units -> what to say. */
static const char *unit_hint(const char *text)
{
    static const char *const hints[][2] = {
        {"degC", "nothing is converted, so degrees are written \"K\", or without a unit"},
        {"degF", "nothing is converted, so degrees are written \"K\", or without a unit"},
        {"rpm", "turns are written \"rev/min\""},
        {"ohm", "it is written \"Ohm\""},
        {"Ohms", "it is written \"Ohm\""},
        {"Volt", "it is written \"V\""},
        {"Ampere", "it is written \"A\""},
        {"sec", "it is written \"s\""},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcmp(text, hints[i][0]) == 0)
            return hints[i][1];
    return "they are written like \"m/s\", \"kg.m2\", \"kV\", \"W/(m2.K)\"";
}

static const Unit *read_unit(Context *cx, const AArg *arg, Sym *text)
{
    Program *p = cx->program;
    RExpr *e = expr_resolve(cx, arg->value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return NULL;
    if (e->kind != R_CONST || e->type.kind != TYPE_STRING) {
        resolve_error(cx->level, e->at, "a unit is a constant text: unit << \"m/s\"");
        return NULL;
    }
    Unit *unit = arena_alloc(&p->arena, sizeof *unit);
    *text = (Sym)e->k;
    if (unit_read(intern_text(&p->names, *text), unit)) {
        p->any_units = true;
        return unit;
    }
    const char *written = intern_text(&p->names, *text);
    resolve_error(cx->level, e->at, "'%s' is no unit: %s", written, unit_hint(written));
    return NULL;
}

static void read_start(Context *cx, Member *m, const AArg *arg)
{
    Context inside = *cx;
    inside.at_birth = true;
    m->start = array_argument(&inside, m, arg->value);
    expr_check_assignable(cx, m->type, m->start, "the start");
    if (m->start->type.kind == TYPE_ERROR)
        m->start = NULL;
    else if (m->body->def->kind == DEF_CONNECTOR && m->type.kind != TYPE_REAL && !m->body->parent)
        m->held = true; /* a signal that need not be wired */
}

static bool is_number(Type type)
{
    return type.kind == TYPE_REAL || type.kind == TYPE_INTEGER;
}

static const char *range_text(Context *cx, const Member *m, const RExpr *bound, int which)
{
    char text[300];
    double k;
    const char *name = intern_text(&cx->program->names, m->name);
    const char *side = which == ATTR_MIN ? "at least" : "at most";
    if (!bound->n_sizes && const_value(bound, &k))
        snprintf(text, sizeof text, "'%.200s' must be %s %.10g", name, side, k);
    else
        snprintf(text, sizeof text, "'%.200s' must be %s its '%s'", name, side, names[which]);
    return arena_copy(&cx->program->arena, text, strlen(text));
}

static AExpr *new_expr(Context *cx, AExprKind kind, Place at)
{
    AExpr *e = arena_alloc(&cx->program->arena, sizeof *e);
    e->kind = (uint8_t)kind;
    e->at = at;
    return e;
}

/* For who asks what a variable may be; asserted it is in any case. */
static void note_range(Member *m, const RExpr *bound, int which)
{
    if (bound->n_sizes)
        return;
    if (which == ATTR_MIN)
        m->has_least = const_value(bound, &m->least);
    else
        m->has_most = const_value(bound, &m->most);
}

static AExpr *name_of(Context *cx, Sym name, Place at)
{
    AExpr *x = new_expr(cx, A_MEMBER, at);
    x->member = arena_alloc(&cx->program->arena, sizeof *x->member);
    x->member->name.n = 1;
    x->member->name.name = arena_alloc(&cx->program->arena, sizeof(AName));
    x->member->name.name[0] = (AName){name, at, NULL};
    return x;
}

/* assert(x >= min, ".."), for each element of an array. */
static void read_range(Context *cx, Member *m, const AArg *arg, int which)
{
    if (!is_number(m->type)) {
        resolve_error(cx->level, arg->at, "only numbers have '%s'", names[which]);
        return;
    }
    Context inside = *cx;
    inside.at_birth = true;
    RExpr *bound = array_argument(&inside, m, arg->value);
    expr_check_assignable(cx, (Type){TYPE_REAL, NULL}, bound,
                          expr_quoted(cx, arg->name.name[0].sym));
    if (bound->type.kind != TYPE_REAL && bound->type.kind != TYPE_INTEGER)
        return;
    note_range(m, bound, which);
    AExpr *holds = new_expr(cx, A_BINARY, arg->at);
    holds->op = which == ATTR_MIN ? T_GE : T_LE;
    holds->a = name_of(cx, m->name, arg->at);
    holds->b = arg->value;
    AExpr *text = new_expr(cx, A_STRING, arg->at);
    text->text = intern_str(&cx->program->names, range_text(cx, m, bound, which));
    statements_range(cx, holds, text);
}

/* ---- fixed ---- */

static void read_fixed(Context *cx, Member *m, const AArg *arg)
{
    double k;
    RExpr *e = expr_resolve(cx, arg->value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return;
    if (e->type.kind != TYPE_BOOLEAN || !const_value(e, &k))
        resolve_error(cx->level, e->at, "'fixed' is true or false");
    else if (m->type.kind != TYPE_REAL)
        resolve_error(cx->level, arg->at, "only Reals have 'fixed'");
    else
        m->fixed = k ? FIXED_TRUE : FIXED_FALSE;
}

static void read_select(Context *cx, Member *m, const AArg *arg)
{
    static const char *const choices[] = {"never", "avoid", "default", "prefer", "always"};
    static const uint8_t flags[] = {DDP_NEVER_STATE, DDP_AVOID_STATE, 0, DDP_PREFER_STATE,
                                    DDP_ALWAYS_STATE};
    RExpr *e = expr_resolve(cx, arg->value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return;
    bool text = e->kind == R_CONST && e->type.kind == TYPE_STRING;
    for (int i = 0; i < 5; i++)
        if (text && strcmp(intern_text(&cx->program->names, (Sym)e->k), choices[i]) == 0) {
            m->select = flags[i];
            if (m->type.kind != TYPE_REAL || m->parameter)
                resolve_error(cx->level, arg->at, "only Reals that vary have 'stateSelect'");
            return;
        }
    resolve_error(cx->level, e->at,
                  "'stateSelect' is \"never\", \"avoid\", \"default\", \"prefer\" or \"always\"");
}

static void read_nominal(Context *cx, Member *m, const AArg *arg)
{
    double k = 1;
    Context inside = *cx;
    inside.at_birth = true;
    RExpr *e = array_argument(&inside, m, arg->value);
    if (e->type.kind == TYPE_ERROR)
        return;
    bool constant = !e->n_sizes && const_value(e, &k);
    if (!is_number(e->type) || !(k > 0) || !array_is_known(e))
        resolve_error(cx->level, e->at,
                      "'nominal' is a number above 0, made of constants and parameters: nominal << "
                      "1e5");
    else if (m->type.kind != TYPE_REAL || m->parameter)
        resolve_error(cx->level, arg->at, "only Reals that vary have 'nominal'");
    else if (constant)
        m->nominal = k;
    else
        m->nominal_by = e;
    cx->program->any_nominal = true;
}

/* if initial() then x = start; end, for each element of an array. */
static void begin_at_start(Context *cx, const Member *m, const AArg *start, Place at)
{
    Program *p = cx->program;
    AExpr *zero = new_expr(cx, A_REAL, at),
          *initial = name_of(cx, intern_str(&p->names, "initial"), at);
    AStmt *equal = arena_alloc(&p->arena, sizeof *equal),
          *branch = arena_alloc(&p->arena, sizeof *branch);
    initial->member->ins.present = true;
    *equal = (AStmt){.kind = A_REL,
                     .op = REL_EQUAL,
                     .at = at,
                     .operator_at = at,
                     .lhs = name_of(cx, m->name, at),
                     .rhs = start ? start->value : zero};
    *branch = (AStmt){
        .kind = A_IF, .at = at, .operator_at = at, .condition = initial, .then_list = equal};
    statements_generated(cx, branch);
}

/* ---- lists ---- */

static void read_list(Context *cx, Member *m, const AList *list, const AArg **given)
{
    const AArg *here[ATTRIBUTES] = {NULL};
    for (const AArg *arg = list->first; arg; arg = arg->next) {
        int i = find(cx, arg);
        if (i < 0)
            continue;
        if (here[i])
            resolve_error(cx->level, arg->at, "'%s' is given twice", names[i]);
        else if (arg->op == REL_MOVE)
            resolve_error(cx->level, arg->at, "an attribute takes a value by '<<', not by '<-'");
        else if (given[i])
            ; /* the declaration counts */
        else if (i == ATTR_UNIT)
            m->unit = read_unit(cx, arg, &m->unit_text);
        else if (i == ATTR_START)
            read_start(cx, m, arg);
        else if (i == ATTR_FIXED)
            read_fixed(cx, m, arg);
        else if (i == ATTR_SELECT)
            read_select(cx, m, arg);
        else if (i == ATTR_NOMINAL)
            read_nominal(cx, m, arg);
        else
            read_range(cx, m, arg, i);
        here[i] = arg;
    }
    for (int i = 0; i < ATTRIBUTES; i++)
        given[i] = given[i] ? given[i] : here[i];
}

/* Is the attribute given where the member is declared? Else by its type. */
static bool is_own(Member *m, const AArg *arg)
{
    const AArg *own = body_member_text(m)->decl->params.first;
    while (own && own != arg)
        own = own->next;
    return own;
}

/* What `start` and `fixed` mean together. */
static void settle_start(Context *cx, Member *m, const AArg *const *given)
{
    const AArg *start = given[ATTR_START];
    if (!m->parameter && m->fixed == FIXED_TRUE)
        begin_at_start(cx, m, start, start ? start->at : given[ATTR_FIXED]->at);
    if (!m->parameter || m->fixed == FIXED_FALSE)
        return;
    if (start && is_own(m, start))
        resolve_error(cx->level, start->at, "a parameter has a value, not a start");
    m->start = NULL; /* that of its type is not meant for it */
}

void attributes_read(Context *cx, Member *m)
{
    const AArg *given[ATTRIBUTES] = {NULL};
    const MemberText *text = body_member_text(m);
    read_list(cx, m, &text->decl->params, given);
    for (const Version *v = text->type; v; v = v->type_of)
        if (v->attributes)
            read_list(cx, m, v->attributes, given);
    settle_start(cx, m, given);
    if (m->unit && m->type.kind != TYPE_REAL && m->type.kind != TYPE_INTEGER)
        resolve_error(cx->level, m->at, "only numbers have 'unit'");
}

/* Each value is replaced by the constant that it is here. */
void attributes_define(Context *cx, const AList *list)
{
    for (AArg *arg = list->first; arg; arg = arg->next) {
        int i = find(cx, arg);
        Sym text;
        double k;
        if (i < 0)
            continue;
        if (i == ATTR_UNIT) {
            read_unit(cx, arg, &text);
            continue;
        }
        RExpr *e = expr_resolve(cx, arg->value, WANT_VALUE);
        if (e->type.kind == TYPE_ERROR)
            continue;
        if (!const_value(e, &k)) {
            resolve_error(cx->level, e->at, "this is no constant");
            continue;
        }
        AExpr *value = arena_alloc(&cx->program->arena, sizeof *value);
        *value = (AExpr){.kind = e->type.kind == TYPE_REAL      ? A_REAL
                                 : e->type.kind == TYPE_INTEGER ? A_INTEGER
                                 : e->type.kind == TYPE_BOOLEAN ? A_BOOLEAN
                                                                : A_STRING,
                         .at = arg->value->at};
        if (e->type.kind == TYPE_STRING)
            value->text = (Sym)k;
        else
            value->k = k;
        arg->value = value;
    }
}
