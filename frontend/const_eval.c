/* const_eval.c: `define` -> constant or definition; expressions of constants -> values. */
#include "frontend/resolve_int.h"

#include <math.h>

static double apply1(XOp op, double a)
{
    switch (op) {
    case X_NEG:
        return -a;
    case X_NOT:
        return a == 0;
    case X_SIN:
        return sin(a);
    case X_COS:
        return cos(a);
    case X_TAN:
        return tan(a);
    case X_ASIN:
        return asin(a);
    case X_ACOS:
        return acos(a);
    case X_ATAN:
        return atan(a);
    case X_SINH:
        return sinh(a);
    case X_COSH:
        return cosh(a);
    case X_TANH:
        return tanh(a);
    case X_EXP:
        return exp(a);
    case X_LOG:
        return log(a);
    case X_LOG10:
        return log10(a);
    case X_SQRT:
        return sqrt(a);
    case X_ABS:
        return fabs(a);
    case X_SIGN:
        return (a > 0) - (a < 0);
    case X_FLOOR:
        return floor(a);
    case X_CEIL:
        return ceil(a);
    case X_ROUND:
        return round(a);
    default:
        return NAN;
    }
}

static double apply2(XOp op, double a, double b)
{
    switch (op) {
    case X_ADD:
        return a + b;
    case X_SUB:
        return a - b;
    case X_MUL:
        return a * b;
    case X_DIV:
        return a / b;
    case X_POW:
        return pow(a, b);
    case X_ATAN2:
        return atan2(a, b);
    case X_MIN:
        return a < b ? a : b;
    case X_MAX:
        return a > b ? a : b;
    case X_MOD:
        return a - b * floor(a / b);
    case X_LT:
        return a < b;
    case X_LE:
        return a <= b;
    case X_EQ:
        return a == b;
    case X_NE:
        return a != b;
    case X_GE:
        return a >= b;
    case X_GT:
        return a > b;
    case X_AND:
        return a != 0 && b != 0;
    case X_OR:
        return a != 0 || b != 0;
    default:
        return NAN;
    }
}

/* Recursion is bounded by the depth of expressions (parse_int.h). */
bool const_value(const RExpr *e, double *k)
{
    double arg[2] = {0, 0};
    if (e->kind == R_CONST) {
        *k = e->k;
        return true;
    }
    if (e->kind != R_OP || e->n > 2)
        return false;
    for (int i = 0; i < e->n; i++)
        if (!const_value(e->arg[i], &arg[i]))
            return false;
    *k = e->n == 1 ? apply1((XOp)e->op, arg[0]) : apply2((XOp)e->op, arg[0], arg[1]);
    return true;
}

static void define_value(Def *owner, Version *version, Level *level)
{
    Program *p = owner->text->program;
    const AExpr *value = version->define->value;
    Context cx = {.program = p, .def = owner, .level = level};
    RExpr *e = expr_resolve(&cx, value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return;
    if (!const_value(e, &version->k)) {
        resolve_error(level, value->at, "this is no constant");
    } else if (!isfinite(version->k)) {
        resolve_error(level, value->at, "this constant is not a finite number");
    } else {
        version->type = e->type;
    }
}

static bool is_designator(const AExpr *e)
{
    return e->kind == A_MEMBER && !e->member->params.present && !e->member->ins.present &&
           !e->member->question;
}

static void define_designator(Version *version, Level *level)
{
    Found found = resolve_designator(level, &version->define->value->member->name);
    version->def = found.def;
    version->type = found.type;
    version->k = found.k;
    if (found.kind == FOUND_PREDEFINED)
        version->predefined = found.predefined + 1;
}

bool const_define(Def *owner, Version *version, Level *asker, Place at)
{
    Program *p = owner->text->program;
    if (version->state == DONE)
        return true;
    if (version->state == BUSY) {
        resolve_error(asker, at, "circular: '%s' is needed to define itself",
                      intern_text(&p->names, version->define->name.sym));
        return false;
    }
    if (p->depth >= p->max_depth) {
        resolve_error(asker, at, "definitions depend on each other more than %u levels deep",
                      p->max_depth);
        return false;
    }
    Level *level = &owner->text->piece[version->piece].level;
    version->state = BUSY;
    p->depth++;
    if (is_designator(version->define->value))
        define_designator(version, level);
    else
        define_value(owner, version, level);
    p->depth--;
    version->state = DONE;
    return true;
}
