/* lower_members.c: members of a body, and what an external function is called with -> operations. */
#include "frontend/lower_int.h"

static Plan *member_plan(Lower *l, const Member *m)
{
    HeldWords held = {0};
    plans_held_inside(l->plans, l->plan, m->index, &held);
    for (uint32_t i = 0; i < l->body->n_held; i++) {
        const Path *path = &l->body->held[i];
        if (path->step[0] != m)
            continue;
        vec_push(l->plans->mem, &held, path->n - 1);
        for (uint32_t k = 1; k < path->n; k++)
            vec_push(l->plans->mem, &held, path->step[k]->index);
    }
    Plan *plan = plans_variant(l->plans, m->type.def->body, &held);
    vec_free(l->plans->mem, &held);
    return plan;
}

static Op basic_op(Lower *l, Member *m)
{
    PlanValue *value = NULL;
    const RExpr *given = m->parameter && m->value ? m->value : m->start;
    if (given)
        value = lower_keep_value(l, lower_value(l, given));
    Op made = {.kind = m->parameter ? OP_PARAM : OP_VAR, .at = m->at}, *op = &made;
    op->member = m;
    op->type = m->type.kind;
    op->value = value;
    if (m->nominal_by)
        op->nominal = lower_keep_value(l, lower_value(l, m->nominal_by));
    op->word = l->plan->family->member_word[m->index];
    op->var_kind = DDP_UNKNOWN;
    if (m->parameter)
        op->var_kind = DDP_KNOWN;
    else if (m->held || plans_is_held(l->plans, l->plan, m->index))
        op->var_kind = DDP_HELD;
    op->unused = op->var_kind == DDP_UNKNOWN && !m->body->edit && /* where more may be typed */
                 member_is_unused(l->plans->program, m);
    if (op->unused)
        op->var_kind = DDP_HELD; /* it stays as it is born */
    if (m->hidden) {
        op->kind = OP_AUX;
        op->member = NULL;
        op->unused = false;
    }
    return made;
}

static Op list_op(Lower *l, Member *m)
{
    Op element = {.kind = OP_DYNAMIC, .at = m->at, .member = m, .stmt = l->declared[m->index]};
    Op op = {.kind = OP_LIST, .at = m->at, .member = m};
    op.plan = plans_bag(l->plans, l->plan, &element, &op.other);
    op.word = l->plan->family->member_word[m->index];
    return op;
}

static Op part_op(Lower *l, Member *m)
{
    if (m->list)
        return list_op(l, m);
    uint32_t far = (uint32_t)(m->offset < 0 ? -m->offset : m->offset);
    if (m->element && far > l->plans->reach)
        l->plans->reach = far;
    bool born = m->binding == BIND_STATIC || (m->binding == BIND_DYNAMIC && m->has_list);
    Plan *plan = born ? member_plan(l, m) : NULL;
    PlanArg *args = born ? lower_args(l, &m->params) : NULL;
    OpKind kind = OP_PART;
    if (m->binding != BIND_STATIC)
        kind = m->binding == BIND_ALIAS ? OP_ALIAS : OP_DYNAMIC;
    return (Op){.kind = kind,
                .at = m->at,
                .member = m,
                .word = l->plan->family->member_word[m->index],
                .plan = plan,
                .n_args = born ? m->params.n : 0,
                .args = args};
}

/* An array is a row for each of its sizes; the innermost one has the elements. */
static Op array_op(Lower *l, Member *m, Op element)
{
    for (uint32_t i = m->rank; i-- > 0;) {
        PlanValue first = {.x = x_const(l->plans->forms, 1), .at = m->at};
        Row row = {.member = m, .first = first, .last = lower_value(l, m->size[i]), .at = m->at};
        element.stmt = l->declared[m->index];
        Plan *plan = plans_row(l->plans, l->plan, &row, &element);
        element = (Op){.kind = OP_PART, .at = m->at, .member = m, .plan = plan};
    }
    element.word = l->plan->family->member_word[m->index];
    return element;
}

/* Operations may emit others: what they are made of comes before them. */
void lower_emit_member(Lower *l, Member *m)
{
    Op op = type_is_basic(m->type) ? basic_op(l, m) : part_op(l, m);
    if (m->iterator)
        op = (Op){.kind = OP_INDEX,
                  .at = m->at,
                  .word = op.word,
                  .type = TYPE_INTEGER,
                  .var_kind = DDP_KNOWN};
    else if (m->rank)
        op = array_op(l, m, op);
    *lower_emit(l, op.kind, op.at) = op;
}

static void lower_member(Lower *l, Member *m)
{
    if (!m->iterator || m->named)
        lower_emit_member(l, m);
}

/* The statement that somebody wrote. */
const Stmt *lower_written(const Stmt *s)
{
    return s->part_of ? s->part_of : s;
}

/* Operations from number `from` on belong to the statement. */
void lower_give_stmt(Draft *ops, uint32_t from, const Stmt *stmt)
{
    for (; from < ops->n; from++)
        ops->at[from].stmt = stmt;
}

void lower_members(Lower *l, bool parameters, bool basic)
{
    for (uint32_t i = 0; i < l->body->n_members; i++) {
        Member *m = l->body->births[i];
        if (m->parameter != parameters || (!parameters && type_is_basic(m->type) != basic) ||
            m->hidden)
            continue;
        uint32_t before = l->ops.n, drafted = l->draft->n;
        lower_member(l, m);
        lower_give_stmt(&l->ops, before, l->declared[m->index]);
        lower_give_stmt(l->draft, drafted, l->declared[m->index]);
    }
}

/* The statement that declares each member. */
void lower_find_declarations(Lower *l)
{
    l->declared = arena_alloc(&l->plans->arena, (l->body->n_members + 1) * sizeof *l->declared);
    for (uint32_t i = 0; i < l->body->n_stmts; i++)
        if (l->body->stmts[i]->kind == S_DECLARE)
            l->declared[l->body->stmts[i]->member->index] = l->body->stmts[i];
}

static X x_member(Lower *l, Refs *refs, Member *member, Place at)
{
    Ref ref = lower_ref_make(l, 0, 1, at);
    lower_ref_set(l, &ref, 0, member);
    return lower_x_ref(l, refs, ref);
}

/* An instance of a foreign function: out = function(ins), or function(parameters, ins) where no
 * constructor takes the parameters. */
void lower_external(Lower *l)
{
    const Def *def = l->plan->def;
    if (l->body->parent || !def->external || !def->out)
        return;
    Draft draft = {0}, *outer = l->draft;
    l->draft = &draft;
    uint32_t function = plans_foreign(l->plans, def);
    l->plan->foreign = true;
    Refs refs = {0};
    X lhs = x_member(l, &refs, def->out, def->external->at);
    X *args = arena_alloc(&l->plans->arena, (def->n_params + def->n_ins + 1) * sizeof *args);
    uint32_t n = lower_handle(l, def, function, &refs, args);
    for (uint32_t i = 0; !def->external->constructor && i < def->n_params; i++)
        args[n++] = x_member(l, &refs, def->params[i], def->external->at);
    for (uint32_t i = 0; i < def->n_ins; i++)
        args[n++] = x_member(l, &refs, def->ins[i], def->external->at);
    X rhs = x_call(l->plans->forms, function, n, args);
    lower_emit_relation(l, DDP_EQUATION, lhs, rhs, &refs, def->external->at);
    lower_draft_end(l, &draft, outer, def->external->at);
}
