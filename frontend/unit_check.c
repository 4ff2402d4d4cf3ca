/* unit_check.c: expressions -> their units; both sides of what must be alike -> a message where they differ.
 *
 * Looked at when all texts are resolved, so that all attributes are known. What has no unit of its own fits
 * everything: a variable without one, and a number that is not obviously a mere factor. So who gives no units
 * hears nothing, and one that is given is held against all that is given. */
#include "frontend/resolve_int.h"
#include "frontend/units.h"

#include <math.h>
#include <stdio.h>

typedef enum HasUnit { UNIT_OPEN, UNIT_NUMBER, UNIT_KNOWN } HasUnit;

/* UNIT_NUMBER: a factor without a unit, which as a term fits everything. */
typedef struct Of {
    HasUnit has;
    Unit unit;
    Sym text; /* as it was given, where it is that of a variable; else 0 */
    bool
        signal; /* made of the time and of values of functions: its factors are amplitudes, which have units */
} Of;

typedef struct UnitCheck {
    Program *program;
    Def *def;
} UnitCheck;

static const Of OPEN = {.has = UNIT_OPEN},
                ONE = {.has = UNIT_KNOWN, .unit = {.factor = 1}, .signal = true};

static Of unit_of(UnitCheck *c, const RExpr *e);
static void check_body(UnitCheck *c, const Body *body);

static void write(UnitCheck *c, const Of *of, char *text, size_t size)
{
    if (of->text)
        snprintf(text, size, "%s", intern_text(&c->program->names, of->text));
    else
        unit_write(&of->unit, text, size);
}

static void tell(UnitCheck *c, Place at, const char *what, Of a, Of b)
{
    char left[200], right[200];
    write(c, &a, left, sizeof left);
    write(c, &b, right, sizeof right);
    (c->program->strict_units ? resolve_error : resolve_warning)(
        resolve_own_level(c->def), at, "%s have different units: %s and %s", what, left, right);
}

/* Two things that must have the same unit: the one that is known. */
static Of alike(UnitCheck *c, Place at, const char *what, Of a, Of b)
{
    if (a.has == UNIT_KNOWN && b.has == UNIT_KNOWN && !unit_same(&a.unit, &b.unit))
        tell(c, at, what, a, b);
    if (a.has == UNIT_KNOWN)
        return a;
    return b.has == UNIT_KNOWN ? b : a.has == UNIT_OPEN ? a : b;
}

/* Functions of mathematics take numbers. */
static void must_be_number(UnitCheck *c, const RExpr *e, Of of, const char *what)
{
    char text[200];
    if (of.has != UNIT_KNOWN || unit_is_number(&of.unit))
        return;
    write(c, &of, text, sizeof text);
    (c->program->strict_units ? resolve_error : resolve_warning)(
        resolve_own_level(c->def), e->at, "%s is a number, but this is in %s", what, text);
}

/* Whole numbers, and halves, quarters and so on of small ones, are factors; others may stand for something. */
static bool is_factor(double k)
{
    return fabs(k) <= 1000 && 16 * k == floor(16 * k);
}

static Of product(Of a, Of b, int sign)
{
    if (a.has == UNIT_OPEN || b.has == UNIT_OPEN)
        return OPEN;
    if (a.has == UNIT_NUMBER && b.has == UNIT_NUMBER)
        return a;
    if ((a.has == UNIT_NUMBER && b.signal) || (b.has == UNIT_NUMBER && a.signal))
        return OPEN;
    Of of = {.has = UNIT_KNOWN, .unit = {.factor = 1}, .signal = a.signal && b.signal};
    if (a.has == UNIT_KNOWN)
        of.unit = a.unit;
    if (b.has == UNIT_KNOWN)
        of.unit = unit_times(of.unit, b.unit, sign);
    return of;
}

static Of power(UnitCheck *c, const RExpr *e, Of a, Of b)
{
    double k;
    must_be_number(c, e->arg[1], b, "an exponent");
    if (a.has != UNIT_KNOWN)
        return a;
    Of of = {.has = UNIT_KNOWN, .signal = a.signal};
    if (const_value(e->arg[1], &k))
        return unit_power(a.unit, k, &of.unit) ? of : OPEN;
    must_be_number(c, e->arg[0], a, "what has an exponent that is no constant");
    return OPEN;
}

static Of of_function(UnitCheck *c, const RExpr *e, Of a)
{
    Of of = {.has = UNIT_KNOWN};
    switch (e->op) {
    case X_NEG:
    case X_ABS:
        return a;
    case X_SQRT:
        return a.has == UNIT_KNOWN && unit_power(a.unit, 0.5, &of.unit) ? of : OPEN;
    case X_SIGN:
    case X_NOT:
        return ONE;
    case X_FLOOR:
    case X_CEIL:
    case X_ROUND:
        return OPEN;
    default:
        must_be_number(c, e->arg[0], a, "the argument of a function");
        return ONE;
    }
}

static Of of_operation(UnitCheck *c, const RExpr *e)
{
    Of a = unit_of(c, e->arg[0]), b = e->n > 1 ? unit_of(c, e->arg[1]) : OPEN;
    if (e->op == X_SELECT)
        return alike(c, e->at, "the two values", b, unit_of(c, e->arg[2]));
    if (e->n == 1)
        return of_function(c, e, a);
    switch (e->op) {
    case X_MUL:
    case X_DIV:
        return product(a, b, e->op == X_MUL ? 1 : -1);
    case X_POW:
        return power(c, e, a, b);
    case X_ATAN2:
        alike(c, e->at, "the two arguments", a, b);
        return ONE;
    case X_AND:
    case X_OR:
        return ONE;
    case X_LT:
    case X_LE:
    case X_EQ:
    case X_NE:
    case X_GE:
    case X_GT:
        alike(c, e->at, "the two sides of this comparison", a, b);
        return ONE;
    default:
        return alike(c, e->at, "the two terms", a, b);
    }
}

static Of of_member(const Member *m)
{
    return m->unit ? (Of){.has = UNIT_KNOWN, .unit = *m->unit, .text = m->unit_text} : OPEN;
}

static void check_params(UnitCheck *c, const ParamList *params)
{
    for (uint32_t i = 0; i < params->n; i++)
        if (params->arg[i].value->kind != R_PATH || type_is_basic(params->arg[i].value->type))
            alike(c, params->arg[i].at, "a parameter and its value",
                  of_member(params->arg[i].parameter), unit_of(c, params->arg[i].value));
}

static Of of_access(UnitCheck *c, const Access *access)
{
    check_params(c, &access->params);
    for (uint32_t i = 0; i < access->n_ins; i++) {
        const InRel *in = &access->in[i];
        const Member *m = in->n_rest ? in->rest[in->n_rest - 1] : in->in;
        if (type_is_basic(in->value->type))
            alike(c, in->at, "the two sides", of_member(m), unit_of(c, in->value));
    }
    return access->out ? of_member(access->out) : OPEN;
}

static Of of_derivative(UnitCheck *c, const RExpr *e)
{
    Of x = unit_of(c, e->arg[0]), second = ONE;
    second.unit.power[2] = UNIT_PART;
    if (e->start)
        alike(c, e->start->at, "a variable and its start", x, unit_of(c, e->start));
    return x.has == UNIT_KNOWN ? product(x, second, -1) : OPEN;
}

/* A sum, the smallest and the largest have the unit of what they are made of. */
static Of of_terms(XOp op, Of term)
{
    return op != X_MUL && term.has == UNIT_KNOWN ? term : OPEN;
}

/* Recursion is bounded by the depth of expressions. */
static Of unit_of(UnitCheck *c, const RExpr *e)
{
    Of of = ONE;
    switch (e->kind) {
    case R_CONST:
        return is_factor(e->k) ? (Of){.has = UNIT_NUMBER} : OPEN;
    case R_OP:
        return of_operation(c, e);
    case R_PATH:
    case R_PRE:
        return of_member(path_last(e->path));
    case R_ACCESS:
        return of_access(c, e->access);
    case R_TIME:
        of.unit.power[2] = UNIT_PART;
        return of;
    case R_DER:
        return of_derivative(c, e);
    case R_RANDOM:
    case R_DELAY:
        return unit_of(c, e->arg[0]);
    case R_FOLD:
        return of_terms(e->op, unit_of(c, e->arg[1]));
    case R_SIZE:
        return e->op > SIZE_FOLDS ? of_terms(e->op - SIZE_FOLDS, of_member(path_last(e->path)))
                                  : OPEN;
    default:
        return OPEN;
    }
}

/* ---- statements ---- */

typedef struct Joint {
    UnitCheck *check;
    Place at;
} Joint;

static void check_joint(void *joint, const Member *a, const Member *b)
{
    const Joint *j = joint;
    if (a->unit && b->unit && !unit_same(a->unit, b->unit))
        tell(j->check, j->at, "the two ends", of_member(a), of_member(b));
}

/* Potentials and flows that a connection relates. */
static void check_connection(UnitCheck *c, const Stmt *s)
{
    Joint joint = {c, s->at};
    if (s->a->type.def && s->b->type.def)
        wholes_joined(s->a->type.def, s->b->type.def, check_joint, &joint);
}

/* The value that a branch of a conditional expression has. */
static Of of_branch(UnitCheck *c, const Body *body)
{
    check_body(c, body);
    for (uint32_t i = body->n_stmts; i-- > 0;)
        if (body->stmts[i]->b && body->stmts[i]->kind <= S_COPY_VALUE)
            return unit_of(c, body->stmts[i]->b);
    return OPEN;
}

/* What nobody declared has the unit of its value; it comes before the statement that it is part of. */
static void give_unit(UnitCheck *c, Member *m, Of of)
{
    if (of.has != UNIT_KNOWN || m->unit)
        return;
    Unit *unit = arena_alloc(&c->program->arena, sizeof *unit);
    *unit = of.unit;
    m->unit = unit;
    m->unit_text = of.text;
}

static Of of_value(UnitCheck *c, const Stmt *s)
{
    if (s->kind != S_IF)
        return unit_of(c, s->b);
    return alike(c, s->at, "the two values", of_branch(c, s->then_body),
                 of_branch(c, s->else_body));
}

/* s[k + 1] = s[k] + e: in which a sum is added up (loops.c). */
static void give_unit_of_terms(UnitCheck *c, const Stmt *s)
{
    const RExpr *sum = s->b;
    const Path *target = s->kind == S_COPY_VALUE                         ? s->path
                         : s->kind == S_EQUATION && s->a->kind == R_PATH ? s->a->path
                                                                         : NULL;
    if (!target || !path_last(target)->hidden || sum->kind != R_OP || sum->n != 2 ||
        sum->arg[0]->kind != R_PATH || path_last(sum->arg[0]->path) != path_last(target))
        return;
    give_unit(c, path_last(target), of_terms(sum->op, unit_of(c, sum->arg[1])));
}

static void check_stmt(UnitCheck *c, const Stmt *s)
{
    if (s->member && s->kind != S_DECLARE && s->kind != S_FOR)
        give_unit(c, s->member, of_value(c, s));
    else
        give_unit_of_terms(c, s);
    if (s->member && s->kind == S_IF) {
        unit_of(c, s->a); /* its branches were looked at */
        return;
    }
    switch (s->kind) {
    case S_EQUATION:
        alike(c, s->operator_at, "the two sides", unit_of(c, s->a), unit_of(c, s->b));
        break;
    case S_COPY_VALUE:
    case S_REINIT:
        alike(c, s->operator_at, "a variable and its value", of_member(path_last(s->path)),
              unit_of(c, s->b));
        break;
    case S_CONNECT:
        check_connection(c, s);
        break;
    case S_INSTANCE:
    case S_IF:
    case S_WHEN:
        unit_of(c, s->a);
        break;
    default:
        break;
    }
    if (s->then_body)
        check_body(c, s->then_body);
    if (s->else_body)
        check_body(c, s->else_body);
}

static void check_body(UnitCheck *c, const Body *body)
{
    for (uint32_t i = 0; i < body->n_members; i++) {
        const Member *m = body->members[i];
        check_params(c, &m->params);
        if (m->value)
            alike(c, m->value->at, "a parameter and its value", of_member(m), unit_of(c, m->value));
        if (m->start)
            alike(c, m->start->at, "a variable and its start", of_member(m), unit_of(c, m->start));
    }
    for (uint32_t i = 0; i < body->n_stmts; i++)
        check_stmt(c, body->stmts[i]);
}

void unit_check(Def *def)
{
    UnitCheck c = {.program = def->text->program, .def = def};
    if (c.program->any_units && def->text->statements == DONE && def->body)
        check_body(&c, def->body);
}
