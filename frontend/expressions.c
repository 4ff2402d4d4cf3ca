/* expressions.c: syntax of expressions -> resolved, typed expressions.
 *
 * A designator in an expression is a member where one of that name is visible, else a constant, a
 * predefined name, or a definition, of which it makes an anonymous instance (Sol thesis, 5.6.3).
 * After an error the result has TYPE_ERROR, which fits everywhere: one mistake, one message. The
 * recursion is bounded by the depth of syntax trees (parse_int.h). */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <string.h>

RExpr *expr_new(Context *cx, RKind kind, Type type, Place at)
{
    RExpr *e = arena_alloc(&cx->program->arena, sizeof *e);
    e->kind = kind;
    e->type = type;
    e->at = at;
    e->slot = SLOT_NONE;
    return e;
}

RExpr *expr_error(Context *cx, Place at)
{
    return expr_new(cx, R_CONST, (Type){0}, at);
}

RExpr *expr_constant(Context *cx, TypeKind kind, double k, Place at)
{
    RExpr *e = expr_new(cx, R_CONST, (Type){kind, NULL}, at);
    e->k = k;
    return e;
}

uint32_t expr_slot(Context *cx)
{
    return cx->body ? cx->body->n_slots++ : 0;
}

static bool is_number(Type type)
{
    return type.kind == TYPE_REAL || type.kind == TYPE_INTEGER || type.kind == TYPE_ERROR;
}

static bool is_boolean(Type type)
{
    return type.kind == TYPE_BOOLEAN || type.kind == TYPE_ERROR;
}

/* ---- paths ---- */

/* The member a name means in the body of the context or in one around it. Inherited text does not
 * see members that only heirs declare. */
Member *expr_find_member(Context *cx, Sym name, uint32_t *up)
{
    *up = 0;
    for (Body *body = cx->call || rule_named(cx, name) ? NULL : cx->body; body;
         body = body->parent, ++*up) {
        Member *m = body_find(body, name);
        if (m && !edit_is_gone(cx->program, m) &&
            (body->parent || body_member_text(m)->introduced <= cx->level->piece))
            return m;
    }
    return NULL;
}

bool expr_is_member(Context *cx, const ADesignator *d)
{
    uint32_t up;
    d = cx->rule ? elements_named(cx, d) : d;
    return expr_find_member(cx, d->name[0].sym, &up) != NULL;
}

/* The public member `name` of what `owner` holds; NULL with a message. */
static Member *step_into(Context *cx, const Member *owner, const AName *name)
{
    Program *p = cx->program;
    const char *owner_name = intern_text(&p->names, owner->name);
    const char *text = intern_text(&p->names, name->sym);
    if (owner->type.kind == TYPE_ERROR)
        return NULL;
    if (owner->type.kind != TYPE_MODEL) {
        resolve_error(cx->level, name->at, "'%s' is %s and has no members", owner_name,
                      types_name(p, owner->type));
        return NULL;
    }
    body_interface(owner->type.def);
    map_put(p->mem, &p->stepped, name->sym, 1);
    Member *m = body_find(owner->type.def->body, name->sym);
    if (m && m->is_public)
        return m;
    if (!m && owner->type.def->text->lost_base)
        return NULL;
    resolve_error(cx->level, name->at, m ? "'%s' is private in '%s'%s" : "no member '%s' in '%s'%s",
                  text, def_path(p, owner->type.def),
                  m ? "" : suggest_member(p, owner->type.def->body, name->sym));
    if (m)
        resolve_note(cx->level, m->at, "declared in the implementation");
    return NULL;
}

/* Subscripts of name number i, which was put last on the path. */
static bool index_step(Context *cx, Path *path, const ADesignator *d, uint32_t i, uint32_t *used)
{
    if (path_last(path)->list)
        return elements_index(cx, path, d->n, &d->name[i], i + 1 == d->n);
    return array_index(cx, path, d->n, &d->name[i], used);
}

Path *expr_path(Context *cx, const ADesignator *d)
{
    Arena *arena = &cx->program->arena;
    Path *path = arena_alloc(arena, sizeof *path);
    d = elements_named(cx, d);
    Member *m = expr_find_member(cx, d->name[0].sym, &path->up);
    if (!m)
        return NULL;
    path->step = arena_alloc(arena, d->n * sizeof *path->step);
    path->at = d->name[0].at;
    uint32_t used = 0, i = 0;
    bool good;
    path->step[path->n++] = m;
    if (!body_is_typed(cx->body) ||
        body_is_typed(m->body)) /* what is typed names it in one instance (world_hold.c) */
        m->named = true;
    while ((good = index_step(cx, path, d, i, &used)) && ++i < d->n) {
        m = step_into(cx, m, &d->name[i]);
        if (!m)
            return NULL;
        path->step[path->n++] = m;
    }
    if (!good)
        return NULL;
    if (used && used < cx->elements->n && !cx->elements->any) {
        resolve_error(cx->level, d->name[0].at, "'%s' has fewer dimensions than are wanted here",
                      resolve_text(cx->program, d));
        return NULL;
    }
    return path;
}

bool expr_same_path(const Path *a, const Path *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->step[i] != b->step[i])
            return false;
    return !a->index && !b->index; /* of elements only their birth can tell */
}

/* ---- lists ---- */

void expr_check_assignable(Context *cx, Type to, const RExpr *from, const char *what)
{
    Program *p = cx->program;
    if (to.kind == from->type.kind || to.kind == TYPE_ERROR || from->type.kind == TYPE_ERROR ||
        (to.kind == TYPE_REAL && from->type.kind == TYPE_INTEGER))
        return;
    resolve_error(cx->level, from->at, "%s is %s, but %s is needed%s", what,
                  types_name(p, from->type), types_name(p, to),
                  to.kind == TYPE_INTEGER && from->type.kind == TYPE_REAL
                      ? "; round() makes an Integer"
                      : "");
}

/* An alias refers to a member; what it refers to must have a sub-type of its own. */
void expr_check_alias(Context *cx, Type wanted, const RExpr *value, const char *what)
{
    Program *p = cx->program;
    Mismatch why;
    if (value->type.kind == TYPE_ERROR)
        return;
    if (value->kind != R_PATH)
        resolve_error(cx->level, value->at, "%s needs a member to refer to", what);
    else if (!types_is_sub(value->type, wanted, &why))
        resolve_error(cx->level, value->at, "%s cannot refer to this: %s", what,
                      types_reason(p, &why));
}

const char *expr_quoted(Context *cx, Sym name)
{
    Program *p = cx->program;
    const char *text = intern_text(&p->names, name);
    size_t n = strlen(text);
    char *out = arena_alloc(&p->arena, n + 3);
    out[0] = out[n + 1] = '\'';
    memcpy(out + 1, text, n);
    return out;
}

static Member *find_parameter(Context *cx, Def *def, const AArg *arg)
{
    Program *p = cx->program;
    if (!arg->name.n) {
        resolve_error(cx->level, arg->at, "a parameter list needs names: 'name << value'");
        return NULL;
    }
    const AName *name = &arg->name.name[arg->name.n - 1];
    if (name->subs)
        resolve_error(cx->level, name->subs->at,
                      "a parameter that is an array is given as a whole: '%s << {..}'",
                      intern_text(&p->names, name->sym));
    Member *m = arg->name.n == 1 ? body_find(def->body, name->sym) : NULL;
    if (m && m->parameter)
        return m;
    resolve_error(cx->level, arg->at, "'%s' has no parameter '%s'%s", def_path(p, def),
                  resolve_text(p, &arg->name), suggest_parameter(p, def, name->sym));
    return NULL;
}

/* The definition that an argument names, to make an instance of it for a parameter of model type;
 * NULL when the argument is something else, or the parameter is declared as alias and so takes
 * members only. */
static Def *given_definition(Context *cx, Member *parameter, const AExpr *a)
{
    if (parameter->type.kind != TYPE_MODEL || a->kind != A_MEMBER || a->member->question ||
        body_member_text(parameter)->decl->binding == BIND_ALIAS ||
        expr_is_member(cx, &a->member->name))
        return NULL;
    Found found = resolve_designator(cx->level, cx->body, &a->member->name);
    return found.kind == FOUND_DEF && found.def->kind != DEF_PACKAGE &&
                   found.def->kind != DEF_FUNCTION
               ? found.def
               : NULL;
}

Member *expr_hidden_instance(Context *cx, Sym parameter, Def *def, const AExpr *a)
{
    Context inside = *cx;
    Member *m = body_add_hidden(cx, parameter, def, a->at);
    inside.owner = m->name;
    resolve_enqueue(def);
    body_creates(cx, def, a->at);
    expr_bind_params(&inside, def, &a->member->params, a->at, &m->params);
    return m;
}

/* An instance given as a parameter becomes a member of the body around, to which the parameter
 * refers. */
static RExpr *given_instance(Context *cx, Member *parameter, Def *def, const AExpr *a)
{
    Member *m = expr_hidden_instance(cx, parameter->name, def, a);
    if (a->member->ins.first)
        resolve_error(cx->level, a->member->ins.at, "an instance is needed here, not a value");
    RExpr *e = expr_new(cx, R_PATH, m->type, a->at);
    e->path = arena_alloc(&cx->program->arena, sizeof *e->path);
    *e->path = (Path){.n = 1, .at = a->at};
    e->path->step = arena_alloc(&cx->program->arena, sizeof *e->path->step);
    e->path->step[0] = m;
    return e;
}

static void bind_param(Context *cx, Member *parameter, const AArg *arg, ParamArg *out)
{
    bool alias = parameter->binding == BIND_ALIAS;
    const char *what = expr_quoted(cx, parameter->name);
    Def *given = alias ? given_definition(cx, parameter, arg->value) : NULL;
    Context inside = *cx;
    inside.at_birth = true;
    RExpr *value = given   ? given_instance(cx, parameter, given, arg->value)
                   : alias ? expr_resolve(&inside, arg->value, WANT_MODEL)
                           : array_argument(&inside, parameter, arg->value);
    *out = (ParamArg){parameter, value, arg->at};
    if (arg->op == REL_MOVE)
        resolve_error(cx->level, arg->at, "a parameter takes a value by '<<', not by '<-'");
    else if (alias)
        expr_check_alias(cx, parameter->type, value, what);
    else
        expr_check_assignable(cx, parameter->type, value, what);
}

void expr_bind_params(Context *cx, Def *def, const AList *list, Place at, ParamList *out)
{
    Program *p = cx->program;
    body_interface(def);
    bool *given = arena_alloc(&p->arena, def->body->n_members + 1);
    uint32_t n = 0;
    for (const AArg *arg = list->first; arg; arg = arg->next)
        n++;
    out->arg = arena_alloc(&p->arena, n * sizeof *out->arg);
    for (const AArg *arg = list->first; arg; arg = arg->next) {
        Member *m = find_parameter(cx, def, arg);
        if (m && given[m->index])
            resolve_error(cx->level, arg->at, "parameter '%s' is given twice",
                          intern_text(&p->names, m->name));
        else if (m)
            bind_param(cx, m, arg, &out->arg[out->n++]);
        if (m)
            given[m->index] = true;
    }
    for (uint32_t i = 0; i < def->n_params; i++) {
        const Member *m = def->params[i];
        if (!given[m->index] && !body_member_text((Member *)m)->decl->value) {
            resolve_error(cx->level, at, "parameter '%s' of '%s' is missing",
                          intern_text(&p->names, m->name), def_path(p, def));
            resolve_note(cx->level, m->at, "the parameter");
        }
    }
}

/* ---- access by parentheses ---- */

/* The members behind the first name in `in.a.b = value`. */
static Member *find_rest(Context *cx, Member *in, const AArg *arg, InRel *rel)
{
    rel->rest = arena_alloc(&cx->program->arena, arg->name.n * sizeof *rel->rest);
    Member *m = in;
    for (uint32_t i = 1; i < arg->name.n && m; i++)
        if ((m = step_into(cx, m, &arg->name.name[i])))
            rel->rest[rel->n_rest++] = m;
    return m;
}

static void check_in(Context *cx, const Member *target, const AArg *arg, const RExpr *value)
{
    const char *what = expr_quoted(cx, target->name);
    if (arg->op == REL_MOVE)
        resolve_error(cx->level, arg->at, "only '=' and '<<' can stand in parentheses");
    else if (target->binding == BIND_ALIAS)
        expr_check_alias(cx, target->type, value, what);
    else if (target->type.kind == TYPE_MODEL)
        resolve_error(cx->level, arg->at, "%s is a model; name one of its variables", what);
    else if (target->parameter)
        resolve_error(cx->level, arg->at, "%s is a parameter and belongs in braces", what);
    else if (arg->op == REL_COPY || !is_number(target->type) || !is_number(value->type))
        expr_check_assignable(cx, target->type, value, what);
}

typedef struct InsOf {
    Context *cx;
    Access *access;
} InsOf;

static void bind_in(void *context, Member *in, const AArg *arg)
{
    Context *cx = ((const InsOf *)context)->cx;
    Access *access = ((const InsOf *)context)->access;
    InRel *rel = &access->in[access->n_ins];
    *rel = (InRel){.in = in, .op = arg->op, .at = arg->at};
    Member *target = find_rest(cx, in, arg, rel);
    bool alias = target && target->binding == BIND_ALIAS;
    rel->value = expr_resolve(cx, arg->value, alias ? WANT_MODEL : WANT_VALUE);
    if (!target)
        return;
    if (alias)
        rel->op = REL_COPY;
    check_in(cx, target, arg, rel->value);
    access->n_ins++;
}

static void bind_ins(Context *cx, Access *access, const AList *list)
{
    InsOf ins = {cx, access};
    uint32_t n = 0;
    for (const AArg *arg = list->first; arg; arg = arg->next)
        n++;
    access->in = arena_alloc(&cx->program->arena, n * sizeof *access->in);
    access_each_in(cx, access->def, list, bind_in, &ins);
}

/* A transmission in parentheses holds a member of a named instance as one outside would. */
static void hold_ins(Context *cx, const Access *access)
{
    for (uint32_t i = 0; access->path && i < access->n_ins; i++) {
        const InRel *rel = &access->in[i];
        if (rel->op != REL_COPY || rel->in->binding == BIND_ALIAS)
            continue;
        Path target = *access->path;
        uint32_t n = target.n + 1 + rel->n_rest;
        target.step = arena_alloc(&cx->program->arena, n * sizeof *target.step);
        memcpy(target.step, access->path->step, access->path->n * sizeof *target.step);
        target.step[target.n++] = rel->in;
        for (uint32_t k = 0; k < rel->n_rest; k++)
            target.step[target.n++] = rel->rest[k];
        body_hold(cx, &target);
    }
}

static RExpr *new_access(Context *cx, const AExpr *a, Def *def, Path *path)
{
    RExpr *e = expr_new(cx, R_ACCESS, (Type){TYPE_VOID, NULL}, a->at);
    Access *access = e->access = arena_alloc(&cx->program->arena, sizeof *access);
    body_interface(def);
    *access = (Access){.def = def, .path = path, .out = def->out};
    bind_ins(cx, access, &a->member->ins);
    hold_ins(cx, access);
    if (def->out) {
        e->type = def->out->type;
        e->continuous = e->type.kind == TYPE_REAL;
    }
    return e;
}

static RExpr *anonymous(Context *cx, const AExpr *a, Def *def, Want want)
{
    Program *p = cx->program;
    const char *name = resolve_text(p, &a->member->name);
    if (a->member->question) {
        resolve_error(cx->level, a->at, "'%s' is a definition; '?' asks for a member", name);
        return expr_error(cx, a->at);
    }
    if (!cx->body || cx->call) {
        resolve_error(cx->level, a->at,
                      cx->call ? "a function has no instances, like this one of '%s'"
                               : "'%s' is no constant",
                      name);
        return expr_error(cx, a->at);
    }
    if (def->kind == DEF_PACKAGE) {
        resolve_error(cx->level, a->at, "'%s' is a package and has no instances", name);
        return expr_error(cx, a->at);
    }
    resolve_enqueue(def);
    if ((a->member->ins.present || want == WANT_VALUE) && access_refused(cx, def, a->at))
        return expr_error(cx, a->at);
    RExpr *e = new_access(cx, a, def, NULL);
    body_creates(cx, def, a->at);
    Context inside = *cx;
    inside.owner = def->name;
    expr_bind_params(&inside, def, &a->member->params, a->at, &e->access->params);
    e->slot = expr_slot(cx);
    if (want == WANT_MODEL)
        e->type = (Type){TYPE_MODEL, def};
    return e;
}

static RExpr *named_access(Context *cx, const AExpr *a, Path *path)
{
    const Member *m = path_last(path);
    if (m->type.kind == TYPE_ERROR)
        return expr_error(cx, a->at);
    if (m->type.kind != TYPE_MODEL) {
        resolve_error(cx->level, a->at, "'%s' is %s; only models are accessed by parentheses%s",
                      resolve_text(cx->program, &a->member->name), types_name(cx->program, m->type),
                      m->rank ? "; an element is written with brackets, 'x[1]'"
                              : "; a product is written with '*'");
        return expr_error(cx, a->at);
    }
    if (access_refused(cx, m->type.def, a->at))
        return expr_error(cx, a->at);
    return new_access(cx, a, m->type.def, path);
}

/* ---- members, constants, instances ---- */

static RExpr *member_value(Context *cx, const AExpr *a)
{
    Path *path = expr_path(cx, &a->member->name);
    if (!path)
        return expr_error(cx, a->at);
    const Member *m = path_last(path);
    if (a->member->params.present) {
        resolve_error(cx->level, a->member->params.at,
                      "'%s' is a member; only a definition takes a parameter list here",
                      resolve_text(cx->program, &a->member->name));
        return expr_error(cx, a->at);
    }
    RExpr *e;
    if (a->member->ins.present) {
        e = named_access(cx, a, path);
    } else {
        e = expr_new(cx, R_PATH, m->type, a->at);
        e->continuous = m->type.kind == TYPE_REAL && !m->parameter;
        e->path = path;
    }
    if (!a->member->question)
        return e;
    if (a->member->ins.present)
        resolve_error(cx->level, a->at, "'?' asks for a member, not for a value");
    e = expr_new(cx, R_EXISTS, (Type){TYPE_BOOLEAN, NULL}, a->at);
    e->path = path;
    return e;
}

static RExpr *constant(Context *cx, const AExpr *a, const Found *found)
{
    if (a->member->params.present || a->member->ins.present || a->member->question) {
        resolve_error(cx->level, a->at, "'%s' is a constant",
                      resolve_text(cx->program, &a->member->name));
        return expr_error(cx, a->at);
    }
    return expr_constant(cx, found->type.kind, found->k, a->at);
}

static RExpr *designated(Context *cx, const AExpr *a, Want want)
{
    RExpr *value = cx->rule ? rule_value(cx, a) : NULL;
    if (!value && cx->call)
        value = function_name(cx, a);
    if (value)
        return value;
    if (expr_is_member(cx, &a->member->name))
        return member_value(cx, a);
    Found found = resolve_designator(cx->level, cx->call ? NULL : cx->body, &a->member->name);
    switch (found.kind) {
    case FOUND_DEF:
        return found.def->kind == DEF_FUNCTION ? function_call(cx, a, found.def, want)
                                               : anonymous(cx, a, found.def, want);
    case FOUND_CONST:
        return constant(cx, a, &found);
    case FOUND_PREDEFINED:
        return expr_predefined(cx, found.predefined, a);
    default:
        return expr_error(cx, a->at);
    }
}

/* ---- operators ---- */

static const char *operator_name(int op)
{
    Token token = {.kind = (TokenKind)op};
    return op == T_AND   ? "'and'"
           : op == T_OR  ? "'or'"
           : op == T_NOT ? "'not'"
                         : lex_token_name(&token, NULL);
}

RExpr *expr_apply(Context *cx, XOp op, TypeKind type, Place at, RExpr *a, RExpr *b)
{
    RExpr *e = expr_new(cx, R_OP, (Type){type, NULL}, at);
    e->op = (uint8_t)op;
    e->arg[e->n++] = a;
    if (b)
        e->arg[e->n++] = b;
    e->continuous = a->continuous || (b && b->continuous);
    return e;
}

static RExpr *wrong_operand(Context *cx, const AExpr *a, const RExpr *operand, const char *needed)
{
    if (operand->type.kind != TYPE_ERROR)
        resolve_error(cx->level, operand->at, "%s needs %s, not %s", operator_name(a->op), needed,
                      types_name(cx->program, operand->type));
    return expr_error(cx, a->at);
}

static RExpr *unary(Context *cx, const AExpr *a)
{
    RExpr *x = expr_resolve(cx, a->a, WANT_VALUE);
    if (x->type.kind == TYPE_ERROR)
        return x;
    if (a->op == T_NOT)
        return is_boolean(x->type) ? expr_apply(cx, X_NOT, TYPE_BOOLEAN, a->at, x, NULL)
                                   : wrong_operand(cx, a, x, "a Boolean");
    if (!is_number(x->type))
        return wrong_operand(cx, a, x, "a number");
    if (a->op == T_PLUS)
        return x;
    if (x->kind == R_CONST)
        return expr_constant(cx, x->type.kind, -x->k, a->at);
    return expr_apply(cx, X_NEG, x->type.kind, a->at, x, NULL);
}

static XOp binary_op(int op)
{
    switch (op) {
    case T_PLUS:
        return X_ADD;
    case T_MINUS:
        return X_SUB;
    case T_STAR:
        return X_MUL;
    case T_SLASH:
        return X_DIV;
    case T_CARET:
        return X_POW;
    case T_LT:
        return X_LT;
    case T_LE:
        return X_LE;
    case T_EQ:
        return X_EQ;
    case T_NE:
        return X_NE;
    case T_GE:
        return X_GE;
    case T_GT:
        return X_GT;
    case T_AND:
        return X_AND;
    default:
        return X_OR;
    }
}

static RExpr *arithmetic(Context *cx, const AExpr *a, RExpr *x, RExpr *y)
{
    if (!is_number(x->type))
        return wrong_operand(cx, a, x, "numbers");
    if (!is_number(y->type))
        return wrong_operand(cx, a, y, "numbers");
    bool integer = x->type.kind == TYPE_INTEGER && y->type.kind == TYPE_INTEGER &&
                   a->op != T_SLASH && a->op != T_CARET;
    if (!integer) {
        choices_meet_real(cx, x);
        choices_meet_real(cx, y);
    }
    return expr_apply(cx, binary_op(a->op), integer ? TYPE_INTEGER : TYPE_REAL, a->at, x, y);
}

/* Numbers compare with numbers; Booleans and texts with their like, by == and <> only. */
/* x < y as an expression that makes no events: 0 is false, and so is max(y - x, 0) unless x is below y. */
static RExpr *quiet_comparison(Context *cx, const AExpr *a, RExpr *x, RExpr *y)
{
    bool below = a->op == T_LT || a->op == T_GE, strict = a->op == T_LT || a->op == T_GT;
    RExpr *off = expr_apply(cx, X_SUB, TYPE_REAL, a->at, below ? y : x, below ? x : y);
    RExpr *zero = expr_constant(cx, TYPE_REAL, 0, a->at);
    RExpr *e = expr_apply(cx, X_MAX, TYPE_REAL, a->at, off, zero);
    e = expr_apply(cx, X_NOT, TYPE_BOOLEAN, a->at, e, NULL);
    return strict ? expr_apply(cx, X_NOT, TYPE_BOOLEAN, a->at, e, NULL) : e;
}

static RExpr *comparison(Context *cx, const AExpr *a, RExpr *x, RExpr *y)
{
    bool equality = a->op == T_EQ || a->op == T_NE;
    bool numbers = is_number(x->type) && is_number(y->type);
    if (!equality && !is_number(x->type))
        return wrong_operand(cx, a, x, "numbers");
    if (!equality && !is_number(y->type))
        return wrong_operand(cx, a, y, "numbers");
    if (!numbers && x->type.kind != y->type.kind) {
        resolve_error(cx->level, a->at, "%s cannot compare %s with %s", operator_name(a->op),
                      types_name(cx->program, x->type), types_name(cx->program, y->type));
        return expr_error(cx, a->at);
    }
    if (cx->no_event && !equality && (x->continuous || y->continuous))
        return quiet_comparison(cx, a, x, y);
    RExpr *e = expr_apply(cx, binary_op(a->op), TYPE_BOOLEAN, a->at, x, y);
    if (equality && e->continuous && (x->type.kind == TYPE_REAL || y->type.kind == TYPE_REAL))
        check_equality_later(cx, e);
    return e;
}

static RExpr *binary(Context *cx, const AExpr *a)
{
    if (a->op == T_STAR && array_rank(cx, a->a) && array_rank(cx, a->b))
        return loop_product(cx, a);
    RExpr *moved = zero_factor_product(cx, a);
    if (moved)
        return moved;
    RExpr *x = expr_resolve(cx, a->a, WANT_VALUE), *y = expr_resolve(cx, a->b, WANT_VALUE);
    check_reading(cx, a);
    if (x->type.kind == TYPE_ERROR || y->type.kind == TYPE_ERROR)
        return expr_error(cx, a->at);
    switch (a->op) {
    case T_PLUS:
    case T_MINUS:
    case T_STAR:
    case T_SLASH:
    case T_CARET:
        return arithmetic(cx, a, x, y);
    case T_AND:
    case T_OR:
        if (!is_boolean(x->type) || !is_boolean(y->type))
            return wrong_operand(cx, a, is_boolean(x->type) ? y : x, "Booleans");
        return expr_apply(cx, binary_op(a->op), TYPE_BOOLEAN, a->at, x, y);
    default:
        return comparison(cx, a, x, y);
    }
}

/* ---- conditional expressions ---- */

bool expr_is_condition(Context *cx, const RExpr *c)
{
    if (c->type.kind != TYPE_BOOLEAN && c->type.kind != TYPE_ERROR)
        resolve_error(cx->level, c->at, "a condition is Boolean, not %s",
                      types_name(cx->program, c->type));
    return c->type.kind == TYPE_BOOLEAN;
}

bool expr_choice_type(Context *cx, const AExpr *a, const RExpr *x, const RExpr *y, Type *type)
{
    *type = x->type;
    if (x->type.kind == TYPE_ERROR || y->type.kind == TYPE_ERROR)
        return false;
    if (is_number(x->type) && is_number(y->type)) {
        if (y->type.kind == TYPE_REAL)
            *type = y->type;
        return true;
    }
    if (x->type.kind == y->type.kind)
        return true;
    resolve_error(cx->level, a->at, "one branch of this expression is %s, the other %s",
                  types_name(cx->program, x->type), types_name(cx->program, y->type));
    return false;
}

static RExpr *choice_at_birth(Context *cx, const AExpr *a)
{
    Context inside = *cx;
    inside.in_condition = true;
    RExpr *c = expr_resolve(&inside, a->c, WANT_VALUE);
    RExpr *x = expr_resolve(cx, a->a, WANT_VALUE), *y = expr_resolve(cx, a->b, WANT_VALUE);
    RExpr *e = expr_new(cx, R_OP, (Type){0}, a->at);
    if (!expr_is_condition(cx, c) || !expr_choice_type(cx, a, x, y, &e->type))
        return expr_error(cx, a->at);
    e->op = X_SELECT;
    e->n = 3;
    e->arg[0] = c;
    e->arg[1] = x;
    e->arg[2] = y;
    e->continuous = x->continuous || y->continuous;
    return e;
}

/* Of syntax alone: may this consist of parameters and constants? Then it is decided at birth. */
static bool is_plain_text(Context *cx, const AExpr *a)
{
    switch (a->kind) {
    case A_UNARY:
        return is_plain_text(cx, a->a);
    case A_BINARY:
        return is_plain_text(cx, a->a) && is_plain_text(cx, a->b);
    case A_CHOICE:
        return is_plain_text(cx, a->a) && is_plain_text(cx, a->b) && is_plain_text(cx, a->c);
    case A_MEMBER:
        break;
    default:
        return a->kind != A_BAD;
    }
    uint32_t up;
    const Member *m = expr_find_member(cx, a->member->name.name[0].sym, &up);
    return !a->member->ins.present && !a->member->params.present && a->member->name.n == 1 &&
           !a->member->question &&
           (m ? m->parameter : rule_named(cx, a->member->name.name[0].sym) != NULL);
}

static RExpr *choice(Context *cx, const AExpr *a)
{
    if (cx->at_birth || cx->no_event || !cx->body || is_plain_text(cx, a))
        return choice_at_birth(cx, a);
    return statements_choice(cx, a);
}

/* ---- all kinds ---- */

static RExpr *resolve_any(Context *cx, const AExpr *a, Want want)
{
    switch (a->kind) {
    case A_INTEGER:
        return expr_constant(cx, TYPE_INTEGER, a->k, a->at);
    case A_REAL:
        return expr_constant(cx, TYPE_REAL, a->k, a->at);
    case A_BOOLEAN:
        return expr_constant(cx, TYPE_BOOLEAN, a->k, a->at);
    case A_STRING:
        return expr_constant(cx, TYPE_STRING, a->text, a->at);
    case A_UNARY:
        return unary(cx, a);
    case A_BINARY:
        return binary(cx, a);
    case A_MEMBER:
        return designated(cx, a, want);
    case A_CHOICE:
        return choice(cx, a);
    case A_ARRAY:
        return array_constructor(cx, a);
    case A_END:
        return array_end(cx, a->at);
    default:
        return expr_error(cx, a->at);
    }
}

RExpr *expr_resolve(Context *cx, const AExpr *a, Want want)
{
    RExpr *e = resolve_any(cx, a, want);
    if (want != WANT_VALUE || type_is_basic(e->type) || e->type.kind == TYPE_ERROR)
        return e;
    if (e->kind == R_ACCESS)
        resolve_error(cx->level, a->at, "'%s' has no 'out' member and so no value",
                      def_path(cx->program, e->access->def));
    else
        resolve_error(cx->level, a->at, "'%s' is a model, not a value",
                      resolve_text(cx->program, &a->member->name));
    return expr_error(cx, a->at);
}
