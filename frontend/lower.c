/* lower.c: statements of a body -> operations of its plan.
 *
 * Every statement becomes forms over positions; each position is a Ref. What an expression needs
 * beside variables of the model (slopes of derivatives, anonymous instances, draws, ..) becomes
 * operations before it. Those that stand for the life of the body go straight into the plan; those
 * that make up the statement itself are collected in a Draft, and when one of their refs passes
 * through a dynamic or alias member, they are put behind an OP_GROUP (invariant P3).
 *
 * Expressions are walked recursively: the parser bounds their depth (ProgramOptions.max_depth). */
#include "frontend/lower_int.h"

#include <string.h>

static X lower_expr(Lower *l, const RExpr *e, Refs *refs);

/* target << e */
static void emit_transmission(Lower *l, Ref target, const RExpr *e, Place at)
{
    Refs refs = {0};
    X lhs = lower_x_ref(l, &refs, target);
    X rhs = lower_expr(l, e, &refs);
    lower_emit_relation(l, DDP_TRANSMISSION, lhs, rhs, &refs, at);
}

/* ---- values evaluated at birth ---- */

PlanValue lower_value(Lower *l, const RExpr *e)
{
    Refs refs = {0};
    PlanValue value = {.at = e->at};
    bool before = l->at_birth;
    l->at_birth = true;
    value.x = lower_expr(l, e, &refs);
    value.refs = lower_keep_refs(l, &refs);
    value.sizes = arena_alloc(&l->plans->arena, (e->n_sizes + 1u) * sizeof *value.sizes);
    while (value.n_sizes < e->n_sizes) {
        value.sizes[value.n_sizes] = lower_value(l, e->sizes[value.n_sizes]);
        value.n_sizes++;
    }
    l->at_birth = before;
    return value;
}

PlanValue *lower_keep_value(Lower *l, PlanValue value)
{
    PlanValue *kept = arena_alloc(&l->plans->arena, sizeof *kept);
    *kept = value;
    return kept;
}

PlanArg *lower_args(Lower *l, const ParamList *list)
{
    PlanArg *args = arena_alloc(&l->plans->arena, (list->n + 1) * sizeof *args);
    for (uint32_t i = 0; i < list->n; i++) {
        args[i].parameter = list->arg[i].parameter;
        if (list->arg[i].parameter->binding == BIND_ALIAS)
            args[i].target = lower_ref_path(l, list->arg[i].value->path);
        else
            args[i].value = lower_value(l, list->arg[i].value);
        args[i].value.at = list->arg[i].at;
    }
    return args;
}

/* ---- anonymous instances and access by parentheses ---- */

/* `in = value`, `in << value`: a statement of its own beside the one around it. */
static void lower_in(Lower *l, const Ref *base, const InRel *in)
{
    Draft draft = {0}, *outer = l->draft;
    l->draft = &draft;
    Ref target = lower_ref_member(l, base, in->in, in->at);
    if (in->in->binding == BIND_ALIAS) {
        RefList refs = lower_two_refs(l, target, lower_ref_path(l, in->value->path));
        lower_emit(l, OP_BIND, in->at)->refs = refs;
    } else if (in->op == REL_COPY) {
        emit_transmission(l, target, in->value, in->at);
    } else {
        Refs refs = {0};
        X lhs = lower_x_ref(l, &refs, target);
        X rhs = lower_expr(l, in->value, &refs);
        lower_emit_relation(l, DDP_EQUATION, lhs, rhs, &refs, in->at);
    }
    lower_draft_end(l, &draft, outer, in->at);
}

/* Creates the instance, relates its in members; returns the ref that leads to it. */
static Ref lower_anonymous(Lower *l, const RExpr *e, bool transient)
{
    const Access *access = e->access;
    HeldWords held = {0};
    for (uint32_t i = 0; i < access->n_ins; i++)
        if (access->in[i].op == REL_COPY && access->in[i].in->binding != BIND_ALIAS) {
            vec_push(l->plans->mem, &held, 1);
            vec_push(l->plans->mem, &held, access->in[i].in->index);
        }
    PlanArg *args = lower_args(l, &access->params);
    Op *op = lower_emit(l, OP_PART, e->at);
    op->word = lower_new_words(l, 1);
    op->plan = plans_variant(l->plans, access->def->body, &held);
    op->n_args = access->params.n;
    op->args = args;
    op->transient = transient;
    vec_free(l->plans->mem, &held);
    Ref base = lower_ref_word(l, op->word, e->at);
    for (uint32_t i = 0; i < access->n_ins; i++)
        lower_in(l, &base, &access->in[i]);
    return base;
}

static const RExpr *argument_of(const Access *access, const Member *in)
{
    for (uint32_t i = 0; i < access->n_ins; i++)
        if (access->in[i].in == in)
            return access->in[i].value;
    return NULL;
}

/* The handle of a foreign function with a constructor, else nothing. */
uint32_t lower_handle(Lower *l, const Def *def, uint32_t function, Refs *refs, X *args)
{
    if (!def->external->constructor)
        return 0;
    Op *op = lower_emit(l, OP_HANDLE, def->external->at);
    op->function = function;
    Ref ref = lower_aux_var(l, op, DDP_KNOWN, TYPE_REAL);
    args[0] = lower_x_ref(l, refs, ref);
    return 1;
}

/* A call without parameters: an expression, no instance. */
static X lower_foreign(Lower *l, const RExpr *e, Refs *refs)
{
    const Def *def = e->access->def;
    uint32_t function = plans_foreign(l->plans, def);
    l->plan->foreign = true;
    X *args = arena_alloc(&l->plans->arena, (def->n_ins + 1) * sizeof *args);
    uint32_t n = lower_handle(l, def, function, refs, args);
    for (uint32_t i = 0; i < def->n_ins; i++) {
        const RExpr *arg = argument_of(e->access, def->ins[i]);
        args[n++] = arg ? lower_expr(l, arg, refs) : x_const(l->plans->forms, 0);
    }
    return x_call(l->plans->forms, function, n, args);
}

static Ref lower_access_base(Lower *l, const RExpr *e)
{
    if (!e->access->path)
        return lower_anonymous(l, e, false);
    Ref base = lower_ref_path(l, e->access->path);
    for (uint32_t i = 0; i < e->access->n_ins; i++)
        lower_in(l, &base, &e->access->in[i]);
    return base;
}

static X lower_access(Lower *l, const RExpr *e, Refs *refs)
{
    const Access *access = e->access;
    if (access->def->external && !access->path && access->def->out && !access->def->n_params)
        return lower_foreign(l, e, refs);
    Ref base = lower_access_base(l, e);
    if (!access->out)
        return x_const(l->plans->forms, 0);
    return lower_x_ref(l, refs, lower_ref_member(l, &base, access->out, e->at));
}

/* ---- the other predefined models ---- */

/* A variable with the value of `e`: itself when it is one, else an auxiliary one. */
static Ref lower_to_variable(Lower *l, const RExpr *e)
{
    if (e->kind == R_PATH)
        return lower_ref_path(l, e->path);
    Ref ref = lower_aux_var(l, lower_emit_part(l, OP_AUX, e->at), DDP_UNKNOWN, e->type.kind);
    Refs refs = {0};
    X lhs = lower_x_ref(l, &refs, ref);
    X rhs = lower_expr(l, e, &refs);
    lower_emit_relation(l, DDP_EQUATION, lhs, rhs, &refs, e->at);
    vec_last(l->draft).defines = true;
    return ref;
}

static bool only_parameters(const RefList *refs)
{
    for (uint32_t i = 0; i < refs->n; i++) {
        const Ref *ref = &refs->at[i];
        if (ref->up == REF_TIME || ref->up == REF_INDEX || ref->fold || ref->movable || !ref->n)
            return false;
        if (ref->size)
            continue;
        const Member *m = ref->step[ref->n - 1].member;
        if (!m || !m->parameter)
            return false;
    }
    return true;
}

/* Start values of constants and parameters are evaluated here once; others are transmissions, so
 * that the DDP orders them. Trying the first may emit operations that the second needs as well,
 * so expressions other than constants, parameters and operators go to the second at once. */
static bool is_plain(const RExpr *e)
{
    if (e->kind == R_PATH)
        return path_last(e->path)->parameter;
    if (e->kind == R_SIZE)
        return true;
    if (e->kind != R_CONST && e->kind != R_OP)
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!is_plain(e->arg[i]))
            return false;
    return true;
}

static Ref lower_start(Lower *l, const RExpr *e)
{
    if (is_plain(e)) {
        PlanValue value = lower_value(l, e);
        if (only_parameters(&value.refs)) {
            Op *op = lower_emit(l, OP_KNOWN, e->at);
            op->value = lower_keep_value(l, value);
            return lower_aux_var(l, op, DDP_KNOWN, TYPE_REAL);
        }
    }
    Ref ref = lower_aux_var(l, lower_emit_part(l, OP_AUX, e->at), DDP_UNKNOWN, TYPE_REAL);
    emit_transmission(l, ref, e, e->at);
    vec_last(l->draft).defines = true;
    return ref;
}

/* slope = der(..): as a relation of its own, onto the variable given. */
static void lower_der_onto(Lower *l, const RExpr *e, Ref slope)
{
    Refs refs = {0};
    vec_push(l->plans->mem, &refs, slope);
    vec_push(l->plans->mem, &refs, lower_to_variable(l, e->arg[0]));
    if (e->start)
        vec_push(l->plans->mem, &refs, lower_start(l, e->start));
    Op *op = lower_emit_part(l, OP_DER, e->at);
    op->word = lower_new_words(l, 1);
    op->flags = e->is_state ? DDP_PREFER_STATE : 0;
    op->refs = lower_keep_refs(l, &refs);
}

static X lower_der(Lower *l, const RExpr *e, Refs *refs)
{
    Ref slope = lower_aux_var(l, lower_emit_part(l, OP_AUX, e->at), DDP_UNKNOWN, TYPE_REAL);
    lower_der_onto(l, e, slope);
    vec_last(l->draft).defines = true;
    return lower_x_ref(l, refs, slope);
}

static X lower_exists(Lower *l, const RExpr *e, Refs *refs)
{
    Ref path = lower_ref_path(l, e->path);
    if (!path.movable && path_last(e->path)->binding == BIND_STATIC)
        return x_const(l->plans->forms, 1);
    Op *op = lower_emit(l, OP_EXISTS, e->at);
    Ref ref = lower_aux_var(l, op, DDP_KNOWN, TYPE_BOOLEAN);
    lower_new_words(l, 2);
    op->refs = lower_one_ref(l, path);
    return lower_x_ref(l, refs, ref);
}

static X lower_initial(Lower *l, const RExpr *e, Refs *refs)
{
    Ref ref = lower_ref_make(l, l->body->depth, 1, e->at);
    ref.step[0].word = plans_family(l->plans, l->plan->def->body)->initial_word;
    return lower_x_ref(l, refs, ref);
}

static X lower_time(Lower *l, const RExpr *e, Refs *refs)
{
    uint32_t what = e->kind == R_HOMOTOPY ? REF_HOMOTOPY : REF_TIME;
    return lower_x_ref(l, refs, lower_ref_make(l, what, 0, e->at));
}

static X lower_random(Lower *l, const RExpr *e, Refs *refs)
{
    Ref ref = lower_aux_var(l, lower_emit(l, OP_RANDOM, e->at), DDP_KNOWN, TYPE_REAL);
    X draw = lower_x_ref(l, refs, ref);
    return x_binary(l->plans->forms, X_MUL, draw, lower_expr(l, e->arg[0], refs));
}

static X lower_sample(Lower *l, const RExpr *e, Refs *refs)
{
    PlanValue *interval = lower_keep_value(l, lower_value(l, e->arg[0]));
    PlanArg *from = e->n > 1 ? arena_alloc(&l->plans->arena, sizeof *from) : NULL;
    if (from)
        from->value = lower_value(l, e->arg[1]);
    Op *op = lower_emit(l, OP_SAMPLE, e->at);
    op->value = interval;
    op->n_args = from ? 1 : 0;
    op->args = from;
    return lower_x_ref(l, refs, lower_aux_var(l, op, DDP_KNOWN, TYPE_BOOLEAN));
}

static X lower_pre(Lower *l, const RExpr *e, Refs *refs)
{
    Ref of = lower_ref_path(l, e->path);
    Op *op = lower_emit_part(l, OP_PRE, e->at);
    Ref ref = lower_aux_var(l, op, DDP_KNOWN, e->type.kind);
    op->lasts = e->lasts;
    op->refs = lower_one_ref(l, of);
    return lower_x_ref(l, refs, ref);
}

/* Of a dynamic array: a variable that is told when it changes, as that of `?` is. */
static X lower_count(Lower *l, const RExpr *e, Refs *refs)
{
    Ref path = lower_ref_path(l, e->path);
    path.size = 1;
    Op *op = lower_emit(l, OP_EXISTS, e->at);
    Ref ref = lower_aux_var(l, op, DDP_KNOWN, TYPE_INTEGER);
    lower_new_words(l, 2);
    op->refs = lower_one_ref(l, path);
    return lower_x_ref(l, refs, ref);
}

static Ref lower_fold(Lower *l, const RExpr *e)
{
    PlanFold *fold = arena_alloc(&l->plans->arena, sizeof *fold);
    *fold = (PlanFold){e->op, e->type.kind, lower_value(l, e->arg[0]), lower_value(l, e->arg[1])};
    return (Ref){.up = REF_FOLD, .fold = fold, .at = e->at};
}

/* The size of an array, the number of an element, a sum: in a value at birth as such, else as a variable that has it. */
static X lower_size(Lower *l, const RExpr *e, Refs *refs)
{
    bool list = e->kind == R_SIZE && path_last(e->path)->list;
    if (list && !l->at_birth)
        return lower_count(l, e, refs);
    if (!l->at_birth) {
        PlanValue *value = lower_keep_value(l, lower_value(l, e));
        Op *op = lower_emit(l, OP_KNOWN, e->at);
        op->value = value;
        return lower_x_ref(l, refs, lower_aux_var(l, op, DDP_KNOWN, e->type.kind));
    }
    Ref ref;
    if (e->kind == R_FOLD) {
        ref = lower_fold(l, e);
    } else if (e->kind == R_ROUND) {
        ref = (Ref){.up = REF_ROUND, .size = e->op, .at = e->at};
    } else if (e->kind == R_INDEX) {
        ref = (Ref){.up = REF_INDEX, .n = e->op, .at = e->at};
    } else {
        ref = lower_ref_path(l, e->path);
        ref.size = (uint8_t)(e->op + 1);
    }
    return lower_x_ref(l, refs, ref);
}

static X lower_table(Lower *l, const RExpr *e, Refs *refs)
{
    X args[3];
    for (uint32_t i = 0; i < 3; i++)
        args[i] = lower_expr(l, e->arg[i], refs);
    l->plan->foreign = true;
    return x_call(l->plans->forms, plans_builtin(l->plans, BUILTIN_TABLE), 3, args);
}

static X lower_born(Lower *l, const RExpr *e, Refs *refs)
{
    return lower_x_ref(l, refs,
                       lower_aux_var(l, lower_emit(l, OP_BORN, e->at), DDP_KNOWN, TYPE_BOOLEAN));
}

/* The value that x had at time - T, from the history that the runtime keeps: a function of that time and of
 * a variable which says whose history it is. */
static X lower_delay(Lower *l, const RExpr *e, Refs *refs)
{
    FormTable *forms = l->plans->forms;
    PlanValue *longest = lower_keep_value(l, lower_value(l, e->arg[e->n - 1]));
    Ref of = lower_ref_path(l, e->arg[0]->path), delay = of;
    if (e->n > 2)
        delay = lower_to_variable(l, e->arg[1]);
    Op *op = lower_emit_part(l, OP_DELAY, e->at);
    Ref ref = lower_aux_var(l, op, DDP_KNOWN, TYPE_REAL);
    op->value = longest;
    op->refs = e->n > 2 ? lower_two_refs(l, of, delay) : lower_one_ref(l, of);
    X whose = lower_x_ref(l, refs, ref), now = lower_time(l, e, refs);
    X by = e->n > 2 ? lower_x_ref(l, refs, delay) : lower_expr(l, e->arg[1], refs);
    X args[] = {whose, x_binary(forms, X_SUB, now, by)};
    return x_call(forms, plans_builtin(l->plans, BUILTIN_DELAY), 2, args);
}

static X lower_op(Lower *l, const RExpr *e, Refs *refs)
{
    X a = lower_expr(l, e->arg[0], refs);
    if (e->n == 1)
        return x_unary(l->plans->forms, e->op, a);
    if (e->n == 3) {
        X yes = lower_expr(l, e->arg[1], refs);
        return x_select(l->plans->forms, a, yes, lower_expr(l, e->arg[2], refs));
    }
    return x_binary(l->plans->forms, e->op, a, lower_expr(l, e->arg[1], refs));
}

static X lower_expr(Lower *l, const RExpr *e, Refs *refs)
{
    switch (e->kind) {
    case R_CONST:
        return x_const(l->plans->forms, e->k);
    case R_OP:
        return lower_op(l, e, refs);
    case R_PATH:
        return lower_x_ref(l, refs, lower_ref_path(l, e->path));
    case R_EXISTS:
        return lower_exists(l, e, refs);
    case R_ACCESS:
        return lower_access(l, e, refs);
    case R_TIME:
    case R_HOMOTOPY:
        return lower_time(l, e, refs);
    case R_INITIAL:
        return lower_initial(l, e, refs);
    case R_PRE:
        return lower_pre(l, e, refs);
    case R_DER:
        return lower_der(l, e, refs);
    case R_RANDOM:
        return lower_random(l, e, refs);
    case R_SAMPLE:
        return lower_sample(l, e, refs);
    case R_TABLE:
        return lower_table(l, e, refs);
    case R_DELAY:
        return lower_delay(l, e, refs);
    case R_BORN:
        return lower_born(l, e, refs);
    case R_SIZE:
    case R_INDEX:
    case R_FOLD:
    case R_ROUND:
        return lower_size(l, e, refs);
    }
    return x_const(l->plans->forms, 0);
}

/* ---- statements ---- */

/* `w = der(x = phi)`: w itself is the slope. */
static bool is_slope(const RExpr *a, const RExpr *b)
{
    return a->kind == R_PATH && b->kind == R_DER && a->type.kind == TYPE_REAL &&
           !path_last(a->path)->parameter && !path_last(a->path)->held;
}

static void lower_equation(Lower *l, const Stmt *s)
{
    if (is_slope(s->a, s->b)) {
        lower_der_onto(l, s->b, lower_ref_path(l, s->a->path));
    } else if (is_slope(s->b, s->a)) {
        lower_der_onto(l, s->a, lower_ref_path(l, s->b->path));
    } else {
        Refs refs = {0};
        X lhs = lower_expr(l, s->a, &refs);
        X rhs = lower_expr(l, s->b, &refs);
        lower_emit_relation(l, DDP_EQUATION, lhs, rhs, &refs, s->at);
    }
}

static void lower_cout(Lower *l, const Stmt *s)
{
    Ref ref = lower_aux_var(l, lower_emit_part(l, OP_AUX, s->at), DDP_UNKNOWN, s->b->type.kind);
    emit_transmission(l, ref, s->b, s->at);
    vec_last(l->draft).defines = true;
    Op *op = lower_emit_part(l, OP_COUT, s->at);
    op->refs = lower_one_ref(l, ref);
}

/* The value is one of the branch; the state has it when the branch ends. */
static void lower_reinit(Lower *l, const Stmt *s)
{
    Ref ref = lower_aux_var(l, lower_emit_part(l, OP_AUX, s->at), DDP_UNKNOWN, TYPE_REAL);
    emit_transmission(l, ref, s->b, s->at);
    vec_last(l->draft).defines = true;
    RefList refs = lower_two_refs(l, ref, lower_ref_path(l, s->path));
    lower_emit_part(l, OP_REINIT, s->at)->refs = refs;
}

/* What a move, copy or alias takes: a member, or an instance made for it. */
static Ref lower_source(Lower *l, const RExpr *e, bool *fresh)
{
    *fresh = false;
    if (e->kind == R_PATH)
        return lower_ref_path(l, e->path);
    if (e->access->path)
        return lower_access_base(l, e);
    *fresh = true;
    return lower_anonymous(l, e, true);
}

/* A new element is born in its place, so that its path is known. */
static bool lower_append(Lower *l, const Stmt *s)
{
    const RExpr *e = s->b;
    if (!path_last(s->path)->list || e->kind != R_ACCESS || e->access->path || e->access->n_ins)
        return false;
    PlanArg *args = lower_args(l, &e->access->params);
    RefList refs = lower_one_ref(l, lower_ref_path(l, s->path));
    Op *op = lower_emit(l, OP_APPEND, e->at);
    op->plan = plans_variant(l->plans, e->access->def->body, NULL);
    op->n_args = e->access->params.n;
    op->args = args;
    op->refs = refs;
    return true;
}

static void lower_transfer(Lower *l, const Stmt *s, OpKind kind)
{
    bool fresh;
    if (kind != OP_BIND && lower_append(l, s))
        return;
    Ref source = lower_source(l, s->b, &fresh);
    Ref target = lower_ref_path(l, s->path);
    if (kind == OP_COPY && fresh)
        kind = OP_MOVE; /* nobody could tell a copy of it from itself */
    Op *op = lower_emit(l, kind, s->operator_at);
    op->refs = lower_two_refs(l, target, source);
}

static void lower_trash(Lower *l, const Stmt *s)
{
    bool fresh;
    Ref source = lower_source(l, s->b, &fresh);
    Op *op = lower_emit(l, OP_TRASH, s->operator_at);
    op->refs = lower_one_ref(l, source);
}

/* Is it a connector of the interface of the model whose text this is? */
static bool is_own(const Lower *l, const Path *path)
{
    const Member *m = path->step[0];
    return path->up == l->body->depth && m->is_public && m->binding == BIND_STATIC &&
           m->type.kind == TYPE_MODEL && m->type.def->kind == DEF_CONNECTOR;
}

/* An end that is another one when elements of a dynamic array come and go. */
static bool is_elsewhere(Ref *ref)
{
    bool element = false;
    for (uint32_t i = 0; i < ref->n; i++) {
        const Member *m = ref->step[i].member;
        element |= m && (m->list || (m->element && m->offset));
    }
    ref->movable = ref->whole = ref->movable || element;
    return element;
}

static void lower_connect(Lower *l, const Stmt *s)
{
    Ref a = lower_ref_path(l, s->a->path), b = lower_ref_path(l, s->b->path);
    bool comes_and_goes = is_elsewhere(&a);
    comes_and_goes |= is_elsewhere(&b);
    Op *op =
        comes_and_goes ? lower_emit_part(l, OP_CONNECT, s->at) : lower_emit(l, OP_CONNECT, s->at);
    op->word = lower_new_words(l, 1);
    op->own[0] = is_own(l, s->a->path);
    op->own[1] = is_own(l, s->b->path);
    op->refs = lower_two_refs(l, a, b);
}

static Plan *branch_plan(Lower *l, Body *body)
{
    return body ? plans_variant(l->plans, body, NULL) : NULL;
}

/* The condition's variable. A variable of the model stands for itself; an expression gets one, held
 * when its path may lead nowhere. So does every condition of an `if` inside a branch: its relation
 * comes after the condition of that branch, and with it all that depends on it (U1). */
static Ref lower_condition(Lower *l, const Stmt *s)
{
    Draft draft = {0}, *outer = l->draft;
    l->draft = &draft;
    Refs refs = {0};
    vec_push(l->plans->mem, &refs, ((Ref){.at = s->a->at})); /* the condition's variable, below */
    X rhs = lower_expr(l, s->a, &refs);
    XNode node = x_node(l->plans->forms, rhs);
    bool inside = l->body->owner && s->kind == S_IF; /* an edit is no branch */
    if (node.op == X_POS && draft.n == 0 && !refs.at[node.a].movable && !inside) {
        Ref itself = refs.at[node.a];
        vec_free(l->plans->mem, &refs);
        lower_draft_end(l, &draft, outer, s->at);
        return itself;
    }
    bool movable = lower_draft_is_movable(&draft);
    for (uint32_t i = 1; i < refs.n; i++)
        movable |= refs.at[i].movable;
    Op *var = lower_emit(l, OP_AUX, s->a->at);
    var->condition = true;
    Ref ref = lower_aux_var(l, var, movable ? DDP_HELD : DDP_UNKNOWN, TYPE_BOOLEAN);
    refs.at[0] = ref;
    lower_emit_relation(l, DDP_TRANSMISSION, x_pos(l->plans->forms, 0), rhs, &refs, s->a->at);
    vec_last(&draft).condition = vec_last(&draft).defines = true;
    lower_draft_end(l, &draft, outer, s->at);
    return ref;
}

/* An assertion about parameters is decided at birth, and costs nothing afterwards. */
static bool lower_birth_assertion(Lower *l, const Stmt *s)
{
    if (!s->assertion || !is_plain(s->a))
        return false;
    PlanValue value = lower_value(l, s->a);
    if (!only_parameters(&value.refs))
        return false;
    Op *op = lower_emit(l, OP_ASSERT, s->at);
    op->value = lower_keep_value(l, value);
    op->assertion = s->assertion;
    return true;
}

static void lower_branch(Lower *l, const Stmt *s)
{
    if (lower_birth_assertion(l, s))
        return;
    if (s->member) { /* the value of a conditional expression, which lives as long as its statement */
        Op *value = lower_emit(l, OP_AUX, s->at);
        value->word = l->plan->family->member_word[s->member->index];
        value->var_kind = s->member->held ? DDP_HELD : DDP_UNKNOWN;
        value->type = s->member->type.kind;
    }
    bool plain = s->a->kind == R_PATH || s->a->kind == R_INITIAL || s->a->kind == R_BORN;
    uint32_t word = plain ? lower_new_words(l, 1) : 0; /* draws in the branches are keyed by it */
    Ref condition = lower_condition(l, s);
    Op *op = lower_emit(l, OP_BRANCH, s->at);
    op->word = plain ? word : lower_new_words(l, 1);
    op->when = s->kind == S_WHEN;
    op->watch = s->watch;
    op->assertion = s->assertion;
    memcpy(op->names, s->names, sizeof op->names);
    op->chosen = s->member ? l->plan->family->member_word[s->member->index] + 1 : 0;
    op->continuous = s->a->continuous;
    op->refs = lower_one_ref(l, condition);
    Plan *then_plan = branch_plan(l, s->then_body);
    Plan *else_plan = branch_plan(l, s->else_body);
    op->plan = then_plan;
    op->other = else_plan;
}

static void lower_each(Lower *l, const Stmt *s)
{
    Op round = {.kind = OP_PART, .at = s->at, .stmt = lower_written(s)};
    RefList refs = lower_one_ref(l, lower_ref_path(l, s->path));
    round.plan = plans_variant(l->plans, s->then_body, NULL);
    round.plan->in_loop = true;
    Op *op = lower_emit(l, OP_EACH, s->at);
    op->plan = plans_bag(l->plans, l->plan, &round, &op->other);
    op->member = s->member;
    op->word = lower_new_words(l, EACH_WORDS);
    op->refs = refs;
}

static void lower_for(Lower *l, const Stmt *s)
{
    if (s->path) {
        lower_each(l, s);
        return;
    }
    if (s->member) /* in which a sum is added up */
        lower_emit_member(l, s->member);
    Row row = {.first = lower_value(l, s->a), .last = lower_value(l, s->b), .at = s->at};
    row.n_checks = s->n_checks;
    row.checks = arena_alloc(&l->plans->arena, (s->n_checks + 1) * sizeof *row.checks);
    for (uint32_t i = 0; i < s->n_checks; i++)
        row.checks[i] = lower_value(l, s->checks[i]);
    Op element = {.kind = OP_PART, .at = s->at, .stmt = lower_written(s)};
    element.plan = plans_variant(l->plans, s->then_body, NULL);
    element.plan->in_loop = true;
    Plan *plan = plans_row(l->plans, l->plan, &row, &element);
    Op *op = lower_emit(l, OP_PART, s->at);
    op->plan = plan;
    op->word = lower_new_words(l, 1);
}

static void lower_tearing(Lower *l, const Stmt *s)
{
    Op *op = lower_emit_part(l, OP_TEAR, s->at);
    op->refs = lower_one_ref(l, lower_ref_path(l, s->path));
}

static void lower_stmt(Lower *l, const Stmt *s)
{
    switch (s->kind) {
    case S_DECLARE: /* done with the members */
        break;
    case S_EQUATION:
        if (s->member) /* a value of a function */
            lower_emit_member(l, s->member);
        lower_equation(l, s);
        vec_last(l->draft).defines = s->member;
        break;
    case S_COPY_VALUE:
        if (s->member) /* one of several conditions */
            lower_emit_member(l, s->member);
        emit_transmission(l, lower_ref_path(l, s->path), s->b, s->at);
        vec_last(l->draft).defines = s->member;
        break;
    case S_COPY_MODEL:
        lower_transfer(l, s, OP_COPY);
        break;
    case S_MOVE:
        lower_transfer(l, s, OP_MOVE);
        break;
    case S_ALIAS:
        lower_transfer(l, s, OP_BIND);
        break;
    case S_TRASH:
        lower_trash(l, s);
        break;
    case S_CONNECT:
        lower_connect(l, s);
        break;
    case S_TEARING:
        lower_tearing(l, s);
        break;
    case S_COUT:
        lower_cout(l, s);
        break;
    case S_TERMINATE:
        lower_emit(l, OP_TERMINATE, s->at)->assertion = s->assertion;
        break;
    case S_REINIT:
        lower_reinit(l, s);
        break;
    case S_INSTANCE:
        if (s->a->access->path || s->a->access->def->body)
            lower_access_base(l, s->a);
        break;
    case S_IF:
    case S_WHEN:
        lower_branch(l, s);
        break;
    case S_FOR:
        lower_for(l, s);
        break;
    }
}

/* ---- the whole ---- */

static void index_words(Lower *l)
{
    Plan *plan = l->plan;
    Arena *arena = &l->plans->arena;
    plan->word_op = arena_alloc(arena, (plan->n_words + 1) * sizeof *plan->word_op);
    plan->member_op = arena_alloc(arena, (plan->body->n_members + 1) * sizeof *plan->member_op);
    plan->stmt_op = arena_alloc(arena, (plan->body->n_stmts + 1) * sizeof *plan->stmt_op);
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        const Op *op = &plan->ops[i];
        if (op->word != NO_WORD)
            plan->word_op[op->word] = i;
        if (op->member && op->member->body == plan->body)
            plan->member_op[op->member->index] = i;
        if (op->stmt && !plan->stmt_op[op->stmt->index])
            plan->stmt_op[op->stmt->index] = i + 1;
    }
}

void lower_body(Plans *plans, Plan *plan)
{
    Lower l = {.plans = plans, .plan = plan, .body = plan->body};
    Draft members = {0}; /* derivatives in parameter lists */
    plan->n_words = plan->family->n_words;
    if (plan->family->initial_word != NO_WORD) {
        Op *op = lower_emit(&l, OP_INITIAL, plan->def->at);
        op->word = plan->family->initial_word;
        op->var_kind = DDP_KNOWN;
        op->type = TYPE_BOOLEAN;
    }
    l.draft = &members;
    lower_find_declarations(&l);
    lower_members(&l, true, false);
    lower_members(&l, false, true); /* what transmissions to them say may be needed at birth */
    lower_members(&l, false, false);
    lower_draft_end(&l, &members, NULL, plan->def->at);
    lower_external(&l);
    for (uint32_t i = 0; i < plan->body->n_stmts; i++) {
        Draft draft = {0};
        uint32_t before = l.ops.n;
        l.draft = &draft;
        lower_stmt(&l, plan->body->stmts[i]);
        lower_draft_end(&l, &draft, NULL, plan->body->stmts[i]->at);
        lower_give_stmt(&l.ops, before, lower_written(plan->body->stmts[i]));
    }
    plan->n_ops = l.ops.n;
    plan->ops = arena_alloc(&plans->arena, (l.ops.n + 1) * sizeof *plan->ops);
    if (l.ops.n)
        memcpy(plan->ops, l.ops.at, l.ops.n * sizeof *plan->ops);
    vec_free(plans->mem, &l.ops);
    index_words(&l);
}
