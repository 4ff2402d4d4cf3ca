/* plan_uses.c: a plan -> an index of which of its operations name a word. See plan_uses.h.
 *
 * One pass counts, a second one fills in: the index costs as much as looking through the plan does, once. */
#include "frontend/plan_uses.h"

#include "frontend/plan_int.h"

typedef struct Uses {
    PlanUses *uses;
    uint32_t at;   /* the operation */
    bool movable;  /* a path of it was */
    bool fills;    /* else: counts, into first[word + 1] */
    uint32_t *end; /* [word]: where the next one goes */
} Uses;

static void use_list(Uses *u, const RefList *refs);

static void use_ref(Uses *u, const Ref *ref)
{
    if (ref->fold) {
        use_list(u, &ref->fold->rounds.refs);
        use_list(u, &ref->fold->value.refs);
    }
    if (ref->up == REF_TIME || ref->up == REF_INDEX || !ref->n)
        return;
    u->movable |= ref->movable;
    uint32_t word = ref->step[0].word;
    if (ref->up || word == NO_WORD)
        return;
    if (!u->fills)
        u->uses->first[word + 1]++;
    else
        u->uses->op[u->end[word]++] = u->at;
}

static void use_list(Uses *u, const RefList *refs)
{
    for (uint32_t i = 0; i < refs->n; i++)
        use_ref(u, &refs->at[i]);
}

static void use_op(Uses *u, const Op *op)
{
    u->movable = false;
    use_list(u, &op->refs);
    if (op->value)
        use_list(u, &op->value->refs);
    if (op->nominal)
        use_list(u, &op->nominal->refs);
    for (uint32_t i = 0; i < op->n_args; i++) {
        use_list(u, &op->args[i].value.refs);
        if (op->args[i].target.n)
            use_ref(u, &op->args[i].target);
    }
}

static void count(Uses *u, const Plan *plan)
{
    for (uint32_t i = 0; i < plan->n_ops; i++) {
        use_op(u, &plan->ops[i]);
        u->uses->n_movable += u->movable;
        u->uses->n_branches += plan->ops[i].kind == OP_BRANCH;
    }
    for (uint32_t w = 0; w < plan->n_words; w++)
        u->uses->first[w + 1] += u->uses->first[w];
    for (uint32_t i = 0; i < plan->body->n_stmts; i++)
        u->uses->n_stmts += plan->body->stmts[i]->then_body != NULL;
}

static void fill(Uses *u, const Plan *plan)
{
    uint32_t movable = 0, branches = 0, stmts = 0;
    u->fills = true;
    for (uint32_t w = 0; w < plan->n_words; w++)
        u->end[w] = u->uses->first[w];
    for (u->at = 0; u->at < plan->n_ops; u->at++) {
        use_op(u, &plan->ops[u->at]);
        if (u->movable)
            u->uses->movable[movable++] = u->at;
        if (plan->ops[u->at].kind == OP_BRANCH)
            u->uses->branches[branches++] = u->at;
    }
    for (uint32_t i = 0; i < plan->body->n_stmts; i++)
        if (plan->body->stmts[i]->then_body)
            u->uses->stmts[stmts++] = i;
}

const PlanUses *plan_uses(Plans *plans, Plan *plan)
{
    if (plan->uses)
        return plan->uses;
    Arena *arena = &plans->arena;
    PlanUses *uses = arena_alloc(arena, sizeof *uses);
    Uses u = {.uses = uses};
    uses->first = arena_alloc(arena, (plan->n_words + 1) * sizeof *uses->first);
    count(&u, plan);
    uses->op = arena_alloc(arena, (uses->first[plan->n_words] + 1) * sizeof *uses->op);
    uses->movable = arena_alloc(arena, (uses->n_movable + 1) * sizeof *uses->movable);
    uses->branches = arena_alloc(arena, (uses->n_branches + 1) * sizeof *uses->branches);
    uses->stmts = arena_alloc(arena, (uses->n_stmts + 1) * sizeof *uses->stmts);
    u.end = mem_alloc(plans->mem, (plan->n_words + 1) * sizeof *u.end);
    fill(&u, plan);
    mem_free(plans->mem, u.end);
    return plan->uses = uses;
}
