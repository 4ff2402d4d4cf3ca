/* const_eval.c: `define` -> constant or definition; expressions of constants -> values. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#include "ddp/apply.h"

#include <math.h>

/* The same bits as an expression of the same text gives in a running model, where small powers are
 * multiplied out. */
static double apply2(unsigned op, double a, double b)
{
    if (op == X_POW && fabs(b) <= X_POWER_LIMIT && b == floor(b))
        return x_power(a, (int)b);
    return x_apply_binary(op, a, b);
}

/* Recursion is bounded by the depth of expressions (parse_int.h). */
bool const_value(const RExpr *e, double *k)
{
    double arg[2] = {0, 0};
    if (e->kind == R_CONST) {
        *k = e->k;
        return true;
    }
    if (e->kind != R_OP)
        return false;
    if (e->op == X_SELECT)
        return const_value(e->arg[0], &arg[0]) && const_value(e->arg[arg[0] != 0 ? 1 : 2], k);
    for (int i = 0; i < e->n; i++)
        if (!const_value(e->arg[i], &arg[i]))
            return false;
    *k = e->n == 1 ? x_apply_unary(e->op, arg[0]) : apply2(e->op, arg[0], arg[1]);
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

/* `define Voltage as Real {unit << "V"}` */
static bool is_type(const AExpr *e)
{
    return e->kind == A_MEMBER && e->member->params.present && !e->member->ins.present &&
           !e->member->question;
}

static void define_type(Def *owner, Version *version, Level *level)
{
    const AExpr *value = version->define->value;
    Found found = resolve_designator(level, NULL, &value->member->name);
    if (found.kind == FOUND_PREDEFINED && predefined_at(found.predefined)->kind == PRE_TYPE) {
        Context cx = {.program = owner->text->program, .def = owner, .level = level};
        version->predefined = found.predefined + 1;
        version->type_of = found.version;
        version->attributes = &value->member->params;
        attributes_define(&cx, version->attributes);
    } else if (found.kind != FOUND_NOTHING) {
        resolve_error(level, value->member->params.at,
                      "only Real, Integer, Boolean and String have attributes");
    }
}

static void define_designator(Version *version, Level *level)
{
    Found found = resolve_designator(level, NULL, &version->define->value->member->name);
    version->type_of = found.kind == FOUND_PREDEFINED ? found.version : NULL;
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
    else if (is_type(version->define->value))
        define_type(owner, version, level);
    else
        define_value(owner, version, level);
    p->depth--;
    version->state = DONE;
    return true;
}
