/* lower_ops.c: paths -> refs and the positions that stand for them; operations into a plan, or into the draft of a
 * statement. */
#include "frontend/lower_int.h"

#include <string.h>

uint32_t lower_new_words(Lower *l, uint32_t n)
{
    uint32_t word = l->plan->n_words;
    l->plan->n_words += n;
    return word;
}

/* ---- refs ---- */

Ref lower_ref_make(Lower *l, uint32_t up, uint32_t n, Place at)
{
    Ref ref = {.up = up, .n = n, .at = at};
    ref.step = arena_alloc(&l->plans->arena, (n ? n : 1) * sizeof *ref.step);
    return ref;
}

void lower_ref_set(Lower *l, Ref *ref, uint32_t i, Member *m)
{
    ref->step[i] =
        (RefStep){.member = m, .word = plans_family(l->plans, m->body)->member_word[m->index]};
    if (i + 1 < ref->n && m->binding != BIND_STATIC)
        ref->movable = true;
}

static void ref_index(Lower *l, RefStep *step, const PathIndex *index)
{
    step->n_index = index->n;
    step->index = arena_alloc(&l->plans->arena, (index->n + 1) * sizeof *step->index);
    for (uint32_t i = 0; i < index->n; i++)
        step->index[i] = lower_value(l, index->at[i]);
}

/* What rounds of a loop add up, seen from the next one or from the body around. */
static void ref_sum(Lower *l, RefStep *step, const Member *sum)
{
    const Plan *round = plans_variant(l->plans, sum->body, NULL);
    *step = (RefStep){.word = round->family->member_word[sum->index], .round = round};
    step->otherwise =
        plans_family(l->plans, sum->otherwise->body)->member_word[sum->otherwise->index];
}

Ref lower_ref_path(Lower *l, const Path *path)
{
    Ref ref = lower_ref_make(l, path->up, path->n, path->at);
    if (path->step[0]->element > ELEMENT_OF && path->n == 2) {
        lower_ref_set(l, &ref, 0, path->step[0]);
        ref_sum(l, &ref.step[1], path->step[1]);
        return ref;
    }
    for (uint32_t i = 0; i < path->n; i++) {
        lower_ref_set(l, &ref, i, path->step[i]);
        if (path->index && path->index[i].n)
            ref_index(l, &ref.step[i], &path->index[i]);
    }
    return ref;
}

Ref lower_ref_word(Lower *l, uint32_t word, Place at)
{
    Ref ref = lower_ref_make(l, 0, 1, at);
    ref.step[0].word = word;
    return ref;
}

/* A member of the instance that `base` leads to. */
Ref lower_ref_member(Lower *l, const Ref *base, Member *m, Place at)
{
    Ref ref = lower_ref_make(l, base->up, base->n + 1, at);
    memcpy(ref.step, base->step, base->n * sizeof *ref.step);
    const Member *last = base->step[base->n - 1].member;
    ref.movable = base->movable || (last && last->binding != BIND_STATIC);
    lower_ref_set(l, &ref, base->n, m);
    return ref;
}

static bool ref_equal(const Ref *a, const Ref *b);

static bool value_equal(const PlanValue *a, const PlanValue *b)
{
    if (a->x != b->x || a->refs.n != b->refs.n)
        return false;
    for (uint32_t i = 0; i < a->refs.n; i++)
        if (!ref_equal(&a->refs.at[i], &b->refs.at[i]))
            return false;
    return true;
}

static bool ref_equal(const Ref *a, const Ref *b)
{
    if (a->up != b->up || a->n != b->n || a->movable != b->movable || a->size != b->size)
        return false;
    if (a->fold)
        return a->fold->op == b->fold->op && value_equal(&a->fold->rounds, &b->fold->rounds) &&
               value_equal(&a->fold->value, &b->fold->value);
    for (uint32_t i = 0; i < a->n && a->up != REF_INDEX; i++) {
        if (a->step[i].word != b->step[i].word || a->step[i].member != b->step[i].member ||
            a->step[i].n_index != b->step[i].n_index || a->step[i].round != b->step[i].round)
            return false;
        for (uint32_t k = 0; k < a->step[i].n_index; k++)
            if (!value_equal(&a->step[i].index[k], &b->step[i].index[k]))
                return false;
    }
    return true;
}

/* The position that stands for `ref`: the same for the same ref. */
uint32_t lower_position(Lower *l, Refs *refs, Ref ref)
{
    for (uint32_t i = 0; i < refs->n; i++)
        if (ref_equal(&refs->at[i], &ref))
            return i;
    vec_push(l->plans->mem, refs, ref);
    return refs->n - 1;
}

X lower_x_ref(Lower *l, Refs *refs, Ref ref)
{
    return x_pos(l->plans->forms, lower_position(l, refs, ref));
}

RefList lower_keep_refs(Lower *l, Refs *refs)
{
    RefList list = {.n = refs->n};
    list.at = arena_alloc(&l->plans->arena, (refs->n + 1) * sizeof *list.at);
    if (refs->n)
        memcpy(list.at, refs->at, refs->n * sizeof *list.at);
    vec_free(l->plans->mem, refs);
    return list;
}

RefList lower_one_ref(Lower *l, Ref a)
{
    Refs refs = {0};
    vec_push(l->plans->mem, &refs, a);
    return lower_keep_refs(l, &refs);
}

RefList lower_two_refs(Lower *l, Ref a, Ref b)
{
    Refs refs = {0};
    vec_push(l->plans->mem, &refs, a);
    vec_push(l->plans->mem, &refs, b);
    return lower_keep_refs(l, &refs);
}

/* ---- operations ---- */

/* Into the plan: for the life of the body. */
Op *lower_emit(Lower *l, OpKind kind, Place at)
{
    vec_push(l->plans->mem, &l->ops, ((Op){.kind = kind, .word = NO_WORD, .at = at}));
    return &vec_last(&l->ops);
}

/* Into the draft: part of the statement. */
Op *lower_emit_part(Lower *l, OpKind kind, Place at)
{
    vec_push(l->plans->mem, l->draft, ((Op){.kind = kind, .word = NO_WORD, .at = at}));
    return &vec_last(l->draft);
}

bool lower_draft_is_movable(const Draft *draft)
{
    for (uint32_t i = 0; i < draft->n; i++)
        for (uint32_t k = 0; k < draft->at[i].refs.n; k++)
            if (draft->at[i].refs.at[k].movable)
                return true;
    return false;
}

/* Puts the statement's operations into the plan. */
void lower_draft_end(Lower *l, Draft *draft, Draft *outer, Place at)
{
    bool movable = lower_draft_is_movable(draft);
    if (movable) {
        Op *group = lower_emit(l, OP_GROUP, at);
        group->word = lower_new_words(l, 2);
        group->span = draft->n;
    }
    for (uint32_t i = 0; i < draft->n; i++) {
        draft->at[i].grouped = movable;
        vec_push(l->plans->mem, &l->ops, draft->at[i]);
    }
    vec_free(l->plans->mem, draft);
    l->draft = outer;
}

Ref lower_aux_var(Lower *l, Op *op, DdpVarKind kind, TypeKind type)
{
    op->word = lower_new_words(l, 1);
    op->var_kind = kind;
    op->type = type;
    return lower_ref_word(l, op->word, op->at);
}

void lower_emit_relation(Lower *l, DdpRelKind kind, X lhs, X rhs, Refs *refs, Place at)
{
    Op *op = lower_emit_part(l, OP_REL, at);
    op->var_kind = kind;
    op->word = lower_new_words(l, 1);
    op->form = form_make(l->plans->forms, lhs, rhs, refs->n);
    op->refs = lower_keep_refs(l, refs);
}
