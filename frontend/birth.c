/* birth.c: newborn branches and known values -> decisions, in the update of their birth. Rule U3;
 * see birth.h.
 *
 * Each round looks at the graph of who waits for whom among the undecided `if`s and decides the
 * strong components that wait for nobody outside themselves. A component of one that waits for
 * nobody is the common case; larger ones are conditions that wait for each other through held
 * variables. */
#include "frontend/birth.h"

#include "frontend/implicit.h"
#include "frontend/world_int.h"

#include <stdlib.h>
#include <string.h>

typedef enum OfferKind {
    OFFER_VALUE,    /* a transmission */
    OFFER_EQUATION, /* an equation that names it */
    OFFER_PATH      /* a move of what a path to it passes through */
} OfferKind;

/* How a condition depends on a variable. */
typedef enum Way {
    SOFT = 1,  /* through a condition around, or through a `when` that acts: if it stays undecided,
                  that is no reason to wait any longer */
    EXEMPT = 2 /* through a `when` that acts: conditions around do not matter; never without SOFT */
} Way;

/* An undecided `if` may determine `var`. */
typedef struct Offer {
    DdpVar var;
    uint32_t from; /* index in Round.wait */
    OfferKind kind;
} Offer;

enum { OFFER_BITS = 4096 };

/* A newborn branch. */
typedef struct Waiting {
    BranchId branch;
    bool when;
    bool pulse;         /* it stands in a `when` that acts */
    bool clean;         /* it waits for nobody */
    bool may_be_left;   /* a condition around what it depends on is awaited */
    WorldChoice choice; /* WORLD_NONE: not decided in this round */
    DdpVar condition;
    uint32_t first, n; /* its part of Round.edge: whom it waits for */
    uint32_t index, low;
    uint32_t next; /* edge to look at */
    bool on_stack;
} Waiting;

/* A body whose statements are looked at. */
typedef struct Look {
    const Body *body;
    uint32_t depth; /* bodies between it and the instance that the `if` stands in */
} Look;

typedef struct Round {
    World *world;
    const BirthHost *host;
    Mem *mem;
    VEC(Waiting) wait; /* in order of birth */
    VEC(Offer) offer;
    VEC(Look) look;                    /* bodies that wait */
    uint64_t offered[OFFER_BITS / 64]; /* bit of a variable: 0 where none is on offer */
    VEC(uint32_t) edge;                /* index in `wait` * 2 + SOFT */
    VEC(uint32_t) stack, call;         /* of the search for components */
    VEC(uint32_t) work;                /* variable * 4 + Way */
    Map seen;                          /* the same -> the last condition that looked at it, + 1 */
    VEC(WorldDecision) decision;
    VEC(DdpVar) left;
    bool equations; /* what equations name is on offer, too */
    bool asked;     /* it is not, and something was met that they may determine */
    bool awaits;    /* a condition of a branch that is there will be known later */
    bool last;      /* nothing can be decided any more: see waits_outside */
    bool implicit;  /* who depends on its own content gets a branch to begin with */
} Round;

/* ---- what an undecided `if` may transmit to ---- */

/* Where a path in a body that does not exist yet leads; inst NULL: nowhere, or into that body. */
static Target target_of(const World *world, Inst *inst, const Path *path, uint32_t depth)
{
    RefStep steps[16];
    if (path->up < depth || path->n > sizeof steps / sizeof *steps || path->index)
        return (Target){0};
    for (uint32_t i = 0; i < path->n; i++)
        steps[i] = (RefStep){.member = path->step[i]};
    Ref ref = {.up = path->up - depth, .n = path->n, .movable = true, .step = steps};
    return follow(world, inst, &ref);
}

static DdpNode node_of(const Round *r, DdpVar var)
{
    return ddp_is_state(r->world->ddp, var) ? 0 : ddp_node_of(r->world->ddp, var);
}

/* A variable that is determined already is not determined by an `if` any more; where its path
 * leads may change all the same. */
static bool is_open(const Round *r, DdpVar var, OfferKind kind)
{
    const Ddp *ddp = r->world->ddp;
    if (kind == OFFER_PATH)
        return true;
    if (kind == OFFER_EQUATION && (ddp_var(ddp, var).kind != DDP_UNKNOWN || ddp_is_state(ddp, var)))
        return false;
    DdpNode node = kind == OFFER_EQUATION ? ddp_node_of(ddp, var) : node_of(r, var);
    return !node || (kind == OFFER_EQUATION && !ddp_node(ddp, node).determined);
}

static void offer(Round *r, DdpVar var, uint32_t from, OfferKind kind)
{
    if (!var || !is_open(r, var, kind))
        return;
    vec_push(r->mem, &r->offer, ((Offer){var, from, kind}));
    r->offered[var % OFFER_BITS / 64] |= 1ull << var % 64;
}

/* What a group of operations determines by a path. */
static void offer_group(Round *r, Inst *inst, uint32_t op, uint32_t from)
{
    for (uint32_t i = op + 1; i <= op + inst->plan->ops[op].span; i++)
        if (inst->plan->ops[i].kind == OP_REL)
            offer(r, follow_var(r->world, inst, &inst->plan->ops[i].refs.at[0]), from, OFFER_PATH);
}

/* `m?` and paths through m, for a member that may be moved, or get another instance. */
static void offer_member(Round *r, Target t, uint32_t from)
{
    const World *world = r->world;
    t = list_array(world, list_slot(world, t)); /* who names an element names the array */
    if (!t.inst || !t.member || t.member->binding != BIND_DYNAMIC)
        return;
    for (uint32_t id = t.inst->word[t.word + 1]; id; id = world->watch.at[id].next) {
        const Watch *w = &world->watch.at[id];
        Inst *inst = world_at(world, w->inst);
        const Op *op = &inst->plan->ops[w->op];
        if (op->kind == OP_EXISTS)
            offer(r, inst->word[op->word], from, OFFER_PATH);
        else if (op->kind == OP_GROUP)
            offer_group(r, inst, w->op, from);
    }
}

/* ---- all that a path may lead to: which element it means is known when its text is born ---- */

typedef struct Offering {
    const Path *path;
    uint32_t from;
    OfferKind kind; /* of a variable */
    bool member;    /* not a variable, but a member that is moved */
} Offering;

static void offer_step(Round *r, Inst *at, const Offering *o, uint32_t step);

static void offer_target(Round *r, Target t, const Offering *o, uint32_t step)
{
    uint32_t there = t.inst ? t.inst->word[t.word] : 0;
    if (step + 1 < o->path->n && there)
        offer_step(r, world_at(r->world, there), o, step + 1);
    else if (step + 1 == o->path->n && o->member)
        offer_member(r, t, o->from);
    else if (step + 1 == o->path->n)
        offer(r, there, o->from, o->kind);
}

static void offer_row(Round *r, Inst *node, uint32_t rank, const Offering *o, uint32_t step)
{
    for (uint32_t k = 0; k < ROW_FAN; k++) {
        if (!node->word[k])
            continue;
        if (node->word[ROW_LEVEL])
            offer_row(r, world_at(r->world, node->word[k]), rank, o, step);
        else if (rank > 1)
            offer_row(r, world_at(r->world, node->word[k]), rank - 1, o, step);
        else
            offer_target(r, (Target){node, k, o->path->step[step]}, o, step);
    }
}

static void offer_elements(Round *r, Target array, const Offering *o, uint32_t step)
{
    for (Inst *cell = list_next(r->world, array, NULL); cell;
         cell = list_next(r->world, array, cell))
        offer_target(r, (Target){cell, CHAIN_CONTENT, array.member}, o, step);
}

static void offer_step(Round *r, Inst *at, const Offering *o, uint32_t step)
{
    Target t = {.inst = at};
    t.word = plan_member_word(at->plan, o->path->step[step], &t.member);
    if (t.word == NO_WORD)
        return;
    if (list_is_whole(&t) && step + 1 < o->path->n)
        offer_elements(r, t, o, step);
    else if (!o->path->step[step]->rank)
        offer_target(r, t, o, step);
    else if (at->word[t.word])
        offer_row(r, world_at(r->world, at->word[t.word]), o->path->step[step]->rank, o, step);
}

static void offer_path(Round *r, Inst *inst, const Offering *o, uint32_t depth)
{
    if (o->path->index && o->path->up >= depth) {
        offer_step(r, follow_up(r->world, inst, o->path->up - depth), o, 0);
        return;
    }
    Target t = target_of(r->world, inst, o->path, depth);
    if (o->member)
        offer_member(r, t, o->from);
    else
        offer(r, t.inst ? t.inst->word[t.word] : 0, o->from, o->kind);
}

/* Any variable that an equation names may be the one that it determines. */
static void offer_terms(Round *r, Inst *inst, const RExpr *e, uint32_t depth, uint32_t from)
{
    if (e->kind == R_PATH)
        offer_path(r, inst, &(Offering){e->path, from, OFFER_EQUATION, false}, depth);
    for (uint32_t i = 0; i < e->n; i++)
        offer_terms(r, inst, e->arg[i], depth, from);
}

/* A statement of a branch that is not there yet. */
static void offer_statement(Round *r, Inst *inst, const Stmt *s, uint32_t depth, uint32_t from)
{
    if (s->kind == S_COPY_VALUE) {
        offer_path(r, inst, &(Offering){s->path, from, OFFER_VALUE, false}, depth);
    } else if (s->kind == S_EQUATION && r->equations) {
        offer_terms(r, inst, s->a, depth, from);
        offer_terms(r, inst, s->b, depth, from);
    } else if (s->kind == S_MOVE || s->kind == S_COPY_MODEL) {
        offer_path(r, inst, &(Offering){s->path, from, OFFER_PATH, true}, depth);
    }
    if ((s->kind == S_MOVE || s->kind == S_TRASH) && s->b->kind == R_PATH)
        offer_path(r, inst, &(Offering){s->b->path, from, OFFER_PATH, true}, depth);
}

/* Transmissions and moves of a body, and of the branches that could be born with it in this update.
 */
static void collect_offers(Round *r, uint32_t from)
{
    World *world = r->world;
    const Branch *b = &world->branch.at[r->wait.at[from].branch];
    Inst *inst = world_at(world, b->inst);
    const Op *op = &inst->plan->ops[b->op];
    vec_clear(&r->look);
    if (op->plan)
        vec_push(r->mem, &r->look, ((Look){op->plan->body, 1}));
    if (op->other)
        vec_push(r->mem, &r->look, ((Look){op->other->body, 1}));
    while (r->look.n) {
        Look look = vec_pop(&r->look);
        for (uint32_t i = 0; i < look.body->n_stmts; i++) {
            const Stmt *s = look.body->stmts[i];
            offer_statement(r, inst, s, look.depth, from);
            if (s->kind == S_IF || s->kind == S_FOR)
                vec_push(r->mem, &r->look, ((Look){s->then_body, look.depth + 1}));
            if ((s->kind == S_IF || s->kind == S_WHEN) && s->else_body)
                vec_push(r->mem, &r->look, ((Look){s->else_body, look.depth + 1}));
        }
    }
}

/* ---- whom a condition waits for ---- */

static int by_var(const void *a, const void *b)
{
    const Offer *x = a, *y = b;
    return x->var != y->var ? (x->var > y->var) - (x->var < y->var)
                            : (x->from > y->from) - (x->from < y->from);
}

enum { FEW = 16 }; /* are sorted in place, without a call */

static void sort_offers(Round *r)
{
    Offer *list = r->offer.at;
    if (r->offer.n > FEW) {
        qsort(list, r->offer.n, sizeof *list, by_var);
        return;
    }
    for (uint32_t i = 1; i < r->offer.n; i++) {
        Offer one = list[i];
        uint32_t k = i;
        for (; k && by_var(&list[k - 1], &one) > 0; k--)
            list[k] = list[k - 1];
        list[k] = one;
    }
}

/* The first offer for a variable, or where it would be. */
static uint32_t first_offer(const Round *r, DdpVar var)
{
    uint32_t lo = 0, hi = r->offer.n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (r->offer.at[mid].var < var)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool in_pulse(const Round *r, BranchId id)
{
    for (; id && r->host->acting; id = world_branch_around(r->world, id)) {
        const Branch *b = &r->world->branch.at[id];
        if (b->choice == WORLD_THEN && world_at(r->world, b->inst)->plan->ops[b->op].when)
            return true;
    }
    return false;
}

/* Was it looked at, for this condition or for one that waits for nobody? `by`: the last one, + 1. */
static bool is_seen(const Round *r, uint32_t by, uint32_t w)
{
    return by && (by == w + 1 || r->wait.at[by - 1].clean);
}

/* The same of a branch, which is noted as seen by it. */
static bool is_branch_seen(Round *r, Branch *b, uint32_t w)
{
    if (is_seen(r, b->seen_in == r->world->birth_looks ? b->seen_by : 0, w))
        return true;
    b->seen_in = r->world->birth_looks;
    b->seen_by = w + 1;
    return false;
}

static bool may_be_offered(const Round *r, DdpVar var)
{
    return r->offered[var % OFFER_BITS / 64] >> var % 64 & 1;
}

/* What nothing determines and nobody offers is no reason to wait. */
static void push_var(Round *r, DdpVar var, uint32_t way)
{
    if (!var)
        return;
    if (r->host->leave && !r->equations && !r->asked)
        r->asked = is_open(r, var, OFFER_EQUATION);
    if (may_be_offered(r, var) || node_of(r, var) ||
        (r->implicit && is_open(r, var, OFFER_EQUATION)))
        vec_push(r->mem, &r->work, var << 2 | way);
}

/* The conditions around what stands in a branch, up to those that were looked at. */
static void push_guards(Round *r, BranchId id, uint32_t w)
{
    for (; id; id = world_branch_around(r->world, id)) {
        Branch *b = &r->world->branch.at[id];
        if (is_branch_seen(r, b, w))
            return;
        Inst *inst = world_at(r->world, b->inst);
        const Op *op = &inst->plan->ops[b->op];
        if (op->when)
            continue;
        DdpVar condition = follow_var(r->world, inst, &op->refs.at[0]);
        if (r->awaits && condition && r->host->awaited(r->host->context, condition))
            r->wait.at[w].may_be_left = true;
        push_var(r, condition, SOFT);
    }
}

static void push_reads(Round *r, DdpNode node, uint32_t way, uint32_t w)
{
    const Ddp *ddp = r->world->ddp;
    DdpNodeView view = ddp_node(ddp, node);
    for (uint32_t i = 0; i < view.n_steps + view.n_tears; i++) {
        DdpRel rel = i < view.n_steps ? view.steps[i].rel : view.residuals[i - view.n_steps].rel;
        BranchId branch = r->host->leave ? world_rel_branch(r->world, rel) : 0;
        uint32_t then = in_pulse(r, branch) ? SOFT | EXEMPT : way;
        DdpRelView at = ddp_rel(ddp, rel);
        for (uint32_t k = 0; k < at.n; k++)
            push_var(r, at.vars[k], then);
        if (!(then & EXEMPT))
            push_guards(r, branch, w);
    }
}

/* All that stands beside it in a relation. */
static void push_neighbours(Round *r, DdpVar var, uint32_t way)
{
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = ddp_next_use(r->world->ddp, var, &cursor));) {
        DdpRelView view = ddp_rel(r->world->ddp, rel);
        for (uint32_t k = 0; k < view.n && view.logic != var; k++)
            push_var(r, view.vars[k], way);
    }
}

/* Backwards along the schedule from a condition, to variables that are on offer. */
static void find_edges(Round *r, uint32_t w)
{
    Waiting *waiting = &r->wait.at[w];
    vec_clear(&r->work);
    push_var(r, waiting->condition, waiting->pulse ? SOFT | EXEMPT : 0);
    if (r->host->leave && !waiting->pulse)
        push_guards(r, world_branch_around(r->world, waiting->branch), w);
    waiting->first = r->edge.n;
    while (r->work.n) {
        uint32_t item = vec_pop(&r->work);
        if (is_seen(r, map_get(&r->seen, item), w))
            continue;
        map_put(r->mem, &r->seen, item, w + 1);
        DdpVar var = item >> 2;
        DdpNode node = node_of(r, var);
        if (r->implicit && is_open(r, var, OFFER_EQUATION))
            push_neighbours(r, var, item & (SOFT | EXEMPT));
        else if (node)
            push_reads(r, node, item & (SOFT | EXEMPT), w);
        for (uint32_t i = first_offer(r, var); i < r->offer.n && r->offer.at[i].var == var; i++)
            vec_push(r->mem, &r->edge, r->offer.at[i].from << 1 | (item & SOFT));
    }
    waiting->n = r->edge.n - waiting->first;
    waiting->clean = waiting->n == 0 && !waiting->may_be_left;
}

/* ---- components that wait for nobody else ---- */

static bool all_known(Round *r, uint32_t from)
{
    double value;
    for (uint32_t i = from; i < r->stack.n; i++) {
        const Waiting *w = &r->wait.at[r->stack.at[i]];
        if (!r->host->known(r->host->context, w->branch, w->condition, &value))
            return false;
    }
    return true;
}

/* Does one of the component wait for somebody outside? Those were completed before: in the last
 * round who is undecided stays so. */
static bool waits_outside(const Round *r, uint32_t from)
{
    for (uint32_t i = from; i < r->stack.n; i++) {
        const Waiting *w = &r->wait.at[r->stack.at[i]];
        if (w->may_be_left && !r->last)
            return true;
        for (uint32_t k = 0; k < w->n; k++) {
            uint32_t edge = r->edge.at[w->first + k];
            const Waiting *to = &r->wait.at[edge >> 1];
            if (!to->on_stack && !(r->last && (edge & SOFT) && to->choice == WORLD_NONE))
                return true;
        }
    }
    return false;
}

/* Does one of the component wait for itself, or for another one of it? */
static bool is_circle(const Round *r, uint32_t from)
{
    const Waiting *w = &r->wait.at[r->stack.at[from]];
    if (r->stack.n - from > 1)
        return true;
    for (uint32_t k = 0; k < w->n; k++)
        if (r->edge.at[w->first + k] >> 1 == r->stack.at[from])
            return true;
    return false;
}

static bool all_implicit(Round *r, uint32_t from)
{
    for (uint32_t i = from; i < r->stack.n; i++)
        if (!implicit_fits(r->world, r->wait.at[r->stack.at[i]].branch))
            return false;
    return true;
}

/* A branch to begin with: the one before, where the else of a `when` returns. */
static void begin_implicit(Round *r, Waiting *w)
{
    Branch *b = &r->world->branch.at[w->branch];
    double value = b->rested != WORLD_ELSE;
    r->host->known(r->host->context, w->branch, w->condition, &value);
    b->implicit = r->world->has_implicit = true;
    w->choice = value != 0 ? WORLD_THEN : WORLD_ELSE;
}

static void decide_component(Round *r, uint32_t root)
{
    uint32_t from = r->stack.n;
    while (r->stack.at[from - 1] != root)
        from--;
    from--;
    /* what lies below in the stack is of other components, and counts as outside */
    for (uint32_t i = 0; i < from; i++)
        r->wait.at[r->stack.at[i]].on_stack = false;
    bool alone = !waits_outside(r, from), ready = alone && all_known(r, from);
    bool implicit = r->implicit && alone && !ready && is_circle(r, from) && all_implicit(r, from);
    for (uint32_t i = 0; i < from; i++)
        r->wait.at[r->stack.at[i]].on_stack = true;
    for (uint32_t i = from; i < r->stack.n; i++) {
        Waiting *w = &r->wait.at[r->stack.at[i]];
        double value = 0;
        w->on_stack = false;
        if (ready && r->host->known(r->host->context, w->branch, w->condition, &value))
            w->choice = value != 0 ? WORLD_THEN : WORLD_ELSE;
        if (implicit)
            begin_implicit(r, w);
    }
    r->stack.n = from;
}

static void enter(Round *r, uint32_t at, uint32_t *count)
{
    Waiting *w = &r->wait.at[at];
    w->index = w->low = ++*count;
    w->on_stack = true;
    vec_push(r->mem, &r->stack, at);
    vec_push(r->mem, &r->call, at);
}

/* Tarjan's search, with a stack of its own. */
static void find_components(Round *r)
{
    uint32_t count = 0;
    for (uint32_t start = 0; start < r->wait.n; start++) {
        if (!r->wait.at[start].index && !r->wait.at[start].when)
            enter(r, start, &count);
        while (r->call.n) {
            uint32_t at = vec_last(&r->call);
            Waiting *w = &r->wait.at[at];
            if (w->next < w->n) {
                uint32_t to = r->edge.at[w->first + w->next++] >> 1;
                if (!r->wait.at[to].index)
                    enter(r, to, &count);
                else if (r->wait.at[to].on_stack && r->wait.at[to].index < w->low)
                    w->low = r->wait.at[to].index;
                continue;
            }
            r->call.n--;
            if (r->call.n) {
                Waiting *up = &r->wait.at[vec_last(&r->call)];
                up->low = w->low < up->low ? w->low : up->low;
            }
            if (w->low == w->index)
                decide_component(r, at);
        }
    }
}

/* ---- one round ---- */

static void list_undecided(Round *r)
{
    uint32_t n;
    const BranchId *newborn = world_newborn(r->world, &n);
    for (uint32_t i = 0; i < n; i++) {
        WorldBranch view;
        if (!world_branch(r->world, newborn[i], &view) || view.rests)
            continue;
        if (view.when || view.condition)
            vec_push(r->mem, &r->wait,
                     ((Waiting){.branch = newborn[i],
                                .when = view.when,
                                .pulse = in_pulse(r, newborn[i]),
                                .choice = view.when ? WORLD_ELSE : WORLD_NONE,
                                .condition = view.condition}));
    }
}

/* Decisions, if nothing has to be asked of equations. */
static void look(Round *r)
{
    vec_clear(&r->wait);
    vec_clear(&r->offer);
    vec_clear(&r->edge);
    vec_clear(&r->decision);
    r->asked = false;
    r->world->birth_looks++;
    list_undecided(r);
    if (!r->wait.n)
        return;
    memset(r->offered, 0, sizeof r->offered);
    for (uint32_t i = 0; i < r->wait.n; i++)
        if (!r->wait.at[i].when)
            collect_offers(r, i);
    sort_offers(r);
    map_free(r->mem, &r->seen);
    r->awaits = r->host->leave && r->host->awaits(r->host->context);
    bool any = r->offer.n || r->awaits || (r->host->leave && !r->equations);
    for (uint32_t i = 0; i < r->wait.n && any && !r->asked; i++)
        if (!r->wait.at[i].when)
            find_edges(r, i);
    if (r->asked)
        return;
    find_components(r);
    for (uint32_t i = 0; i < r->wait.n; i++)
        if (r->wait.at[i].choice != WORLD_NONE)
            vec_push(r->mem, &r->decision,
                     ((WorldDecision){r->wait.at[i].branch, r->wait.at[i].choice}));
}

/* Equations of undecided branches are many, and conditions mostly follow from what is determined already: equations are
 * asked where one does not, or nothing can be decided. */
static void decide(Round *r)
{
    r->equations = r->last || r->implicit;
    look(r);
    if (r->equations || !r->host->leave || !r->wait.n || r->decision.n)
        return;
    r->equations = true;
    look(r);
}

/* What nobody determines because an `if` stays undecided. */
static int leave(Round *r)
{
    vec_clear(&r->left);
    for (uint32_t i = 0; i < r->offer.n; i++) {
        const Offer *offer = &r->offer.at[i];
        if (offer->kind != OFFER_EQUATION)
            vec_push(r->mem, &r->left, offer->var);
    }
    return r->left.n ? r->host->leave(r->host->context, r->left.n, r->left.at) : 0;
}

static void decide_implicit(Round *r)
{
    r->implicit = r->last = true;
    decide(r);
    r->implicit = r->last = false;
}

static int settle(Round *r)
{
    for (;;) {
        int status = r->host->begin(r->host->context);
        bool more = true;
        while (status == 0 && more) {
            decide(r);
            if (r->decision.n)
                break;
            status = r->host->bolder(r->host->context, &more);
        }
        if (status == 0 && !r->decision.n && (r->offer.n || r->awaits) && r->host->leave) {
            r->last = true;
            decide(r);
            r->last = false;
        }
        if (status == 0 && !r->decision.n && !r->host->acting)
            decide_implicit(r);
        if (status == 0 && !r->decision.n && r->offer.n && r->host->leave)
            return leave(r);
        if (status != 0 || !r->decision.n)
            return status;
        status = r->host->choose(r->host->context, r->decision.n, r->decision.at);
        if (status != 0)
            return status;
    }
}

int birth_settle(World *world, const BirthHost *host)
{
    Round r = {.world = world, .host = host, .mem = world->mem};
    int status = settle(&r);
    vec_free(r.mem, &r.wait);
    vec_free(r.mem, &r.offer);
    vec_free(r.mem, &r.look);
    vec_free(r.mem, &r.edge);
    vec_free(r.mem, &r.stack);
    vec_free(r.mem, &r.call);
    vec_free(r.mem, &r.work);
    vec_free(r.mem, &r.decision);
    vec_free(r.mem, &r.left);
    map_free(r.mem, &r.seen);
    return status;
}
