/* an event model -> its updates, one by one. See event_rules.h for how the rules are read. */
#include "tests/support/event_world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void give_verdict(World *w, ErVerdict verdict, const char *why)
{
    if (w->run->verdict != ER_FINE)
        return;
    w->run->verdict = verdict;
    snprintf(w->run->why, sizeof w->run->why, "%s", why);
}
/* ---- evaluation ---- */

typedef enum Mode { /* how variables are read */
                    PLAIN,
                    EXEMPT, /* whatever conditions say: for an active `when` */
                    PULSE,  /* likewise, and what is free as its last value: by an active `when` */
                    LAST    /* as they stand */
} Mode;

static Val eval(World *w, const EmExpr *e, Frame *frame, Mode mode, Fork *fork);

static Val known(double v)
{
    return (Val){KNOWN, v};
}

static Val without(State state)
{
    return (Val){state, 0};
}

static bool waits(const World *w, const Var *x)
{
    return x->seen == w->round && x->waits && x->let_go != w->updates;
}

/* What it waits for may be decided in this update, or not before the next. */
static State not_yet(const World *w, const Var *x)
{
    for (const Wait *wait = x->waits; wait; wait = wait->next)
        if (wait->fork->postponed != w->updates)
            return WAITS;
    return LEFT;
}

static Val cond_of(World *w, Fork *fork);

/* U1: what stands in a branch whose condition comes out against it is left alone. A condition that
 * is not decided in this update keeps its truth, and so its branch (U2). */
static State guard(World *w, Frame *frame)
{
    for (; frame; frame = frame_around(frame)) {
        Fork *fork = frame->fork;
        if (!fork || fork->stmt->act == EM_WHEN)
            continue;
        Val cond = cond_of(w, fork);
        if (cond.state == WAITS)
            return WAITS;
        if (cond.state == KNOWN && (cond.v != 0) != fork->truth)
            return LEFT;
    }
    return KNOWN;
}

static Val find_value(World *w, Var *x, bool exempt)
{
    if (x->decl->parameter)
        return known(x->value);
    Rel *rel = x->seen == w->round ? x->rels : NULL;
    if (rel && rel->pulse)
        return eval(w, rel->stmt->value, rel->frame, PULSE, NULL);
    if (rel) {
        State state = exempt ? KNOWN : guard(w, rel->frame);
        return state == KNOWN ? eval(w, rel->stmt->value, rel->frame, exempt ? EXEMPT : PLAIN, NULL)
                              : without(state);
    }
    if (waits(w, x) && !(exempt && not_yet(w, x) == LEFT)) /* a pulse has no other update */
        return without(not_yet(w, x));
    return x->decl->held ? known(x->value) : without(FREE);
}

static Val value_of(World *w, Var *x, bool exempt)
{
    Memo *memo = exempt ? &x->exempt : &x->plain;
    if (memo->round == w->round) {
        if (memo->busy)
            give_verdict(w, ER_SELF, x->decl->name);
        return memo->val;
    }
    *memo = (Memo){w->round, true, without(LEFT)};
    memo->val = find_value(w, x, exempt);
    memo->busy = false;
    return memo->val;
}

static Val cond_of(World *w, Fork *fork)
{
    Memo *memo = &fork->memo;
    if (memo->round == w->round) {
        if (memo->busy)
            give_verdict(w, ER_SELF, "a condition");
        return memo->val;
    }
    *memo = (Memo){w->round, true, without(LEFT)};
    bool pulse = frame_in_pulse(fork->home); /* it has no other update */
    State state = pulse ? KNOWN : guard(w, fork->home);
    memo->val = without(state);
    if (state == KNOWN)
        memo->val = eval(w, fork->stmt->value, fork->home, pulse ? PULSE : PLAIN, fork);
    memo->busy = false;
    return memo->val;
}

/* Does a member wait, for one who looks at it in this way? */
static State member_state(const World *w, const EmPath *path, Frame *frame, Mode mode)
{
    const Var *x = &frame_of(frame, path->decl->body)->vars[path->decl->index];
    State state = mode != LAST && waits(w, x) ? not_yet(w, x) : KNOWN;
    return state == LEFT && (mode == EXEMPT || mode == PULSE) ? KNOWN : state;
}

static Val read_path(World *w, const EmPath *path, Frame *frame, Mode mode)
{
    State state = path->sub ? member_state(w, path, frame, mode) : KNOWN;
    if (state != KNOWN)
        return without(state);
    Var *x = var_of(frame, path);
    if (!x)
        return without(LEFT);
    if (mode == LAST)
        return known(x->value);
    Val val = value_of(w, x, mode == EXEMPT || mode == PULSE);
    return mode == PULSE && val.state == FREE ? known(x->before) : val;
}

static Val exists(World *w, const EmPath *path, Frame *frame, Mode mode)
{
    State state = member_state(w, path, frame, mode);
    if (state != KNOWN)
        return without(state);
    return known(frame_of(frame, path->decl->body)->parts[path->decl->index] != NULL);
}

static bool sample_due(const World *w, const Frame *frame, double interval)
{
    double n = floor((w->time - frame->born) / interval + 0.5);
    return w->update == 0 && n >= 1 && frame->born + n * interval == w->time;
}

/* Comparisons of time have the value just afterwards. */
static Val compare_time(const World *w, EmOp op, double limit)
{
    assert(op != EM_EQUAL && op != EM_UNEQUAL);
    bool less = op == EM_LESS || op == EM_LESS_EQUAL;
    return known(less ? w->time < limit : w->time >= limit);
}

static EmOp mirrored(EmOp op)
{
    return op == EM_LESS            ? EM_GREATER
           : op == EM_LESS_EQUAL    ? EM_GREATER_EQUAL
           : op == EM_GREATER       ? EM_LESS
           : op == EM_GREATER_EQUAL ? EM_LESS_EQUAL
                                    : op;
}

static double apply(World *w, EmOp op, double a, double b)
{
    switch (op) {
    case EM_NOT:
        return a == 0;
    case EM_MINUS:
        return -a;
    case EM_ADD:
        return a + b;
    case EM_SUB:
        return a - b;
    case EM_MUL:
        return a * b;
    case EM_DIV:
        if (b == 0)
            give_verdict(w, ER_NO_VALUE, "a division");
        return b == 0 ? 0 : a / b;
    case EM_LESS:
        return a < b;
    case EM_LESS_EQUAL:
        return a <= b;
    case EM_EQUAL:
        return a == b;
    case EM_UNEQUAL:
        return a != b;
    case EM_GREATER_EQUAL:
        return a >= b;
    case EM_GREATER:
        return a > b;
    case EM_AND:
        return a != 0 && b != 0;
    default:
        assert(op == EM_OR);
        return a != 0 || b != 0;
    }
}

static Val eval_operation(World *w, const EmExpr *e, Frame *frame, Mode mode, Fork *fork)
{
    if (e->a->op == EM_TIME)
        return compare_time(w, e->op, eval(w, e->b, frame, mode, fork).v);
    if (e->b && e->b->op == EM_TIME)
        return compare_time(w, mirrored(e->op), eval(w, e->a, frame, mode, fork).v);
    Val a = eval(w, e->a, frame, mode, fork);
    Val b = e->b ? eval(w, e->b, frame, mode, fork) : known(0);
    if (a.state != KNOWN || b.state != KNOWN)
        return without(a.state > b.state ? a.state : b.state);
    return known(apply(w, e->op, a.v, b.v));
}

static Val eval(World *w, const EmExpr *e, Frame *frame, Mode mode, Fork *fork)
{
    Var *x;
    switch (e->op) {
    case EM_CONSTANT:
        return known(e->value);
    case EM_INITIAL:
        return known(frame->inst->newborn);
    case EM_SAMPLE:
        return known(sample_due(w, frame, e->value) || (fork && fork->carry));
    case EM_VAR:
        return read_path(w, &e->path, frame, mode);
    case EM_PRE:
        x = var_of(frame, &e->path);
        return x ? known(x->before) : without(LEFT);
    case EM_EXISTS:
        return exists(w, &e->path, frame, mode);
    default:
        return eval_operation(w, e, frame, mode, fork);
    }
}

double world_last(World *w, const EmExpr *e, Frame *frame)
{
    return eval(w, e, frame, LAST, NULL).v;
}

/* ---- what is there ---- */

typedef struct Reads {
    World *w;
    Frame *frame;
    bool broken;  /* a path leads through an empty member */
    bool newborn; /* an initial() that is true */
    bool initial; /* an initial() that was true in the update before */
} Reads;

static void note_read(void *context, EmExpr *e)
{
    Reads *reads = context;
    if ((e->op == EM_VAR || e->op == EM_PRE) && !var_of(reads->frame, &e->path))
        reads->broken = true;
    if (e->op == EM_INITIAL && reads->frame->inst->newborn)
        reads->newborn = true;
    if (e->op == EM_INITIAL && reads->frame->inst->was_newborn)
        reads->initial = true;
}

static Reads reads_of(World *w, EmExpr *e, Frame *frame)
{
    Reads reads = {.w = w, .frame = frame};
    em_each(e, note_read, &reads);
    return reads;
}

static void touch(World *w, Var *x)
{
    if (x->seen == w->round)
        return;
    x->seen = w->round;
    x->rels = NULL;
    x->waits = NULL;
}

static void add_relation(World *w, const EmStmt *s, Frame *frame)
{
    Var *target = var_of(frame, &s->target);
    if (!target || reads_of(w, s->value, frame).broken)
        return;
    Rel *rel = world_room(w->run, sizeof *rel);
    touch(w, target);
    *rel = (Rel){.stmt = s,
                 .frame = frame,
                 .target = target,
                 .pulse = frame_in_pulse(frame),
                 .next = w->rels,
                 .next_of_target = target->rels};
    w->rels = target->rels = rel;
}

static void add_wait(World *w, Fork *fork, const EmPath *path, bool member)
{
    Frame *owner = frame_of(fork->home, path->decl->body);
    Var *x = !owner ? NULL : member ? &owner->vars[path->decl->index] : var_of(fork->home, path);
    if (!x)
        return; /* declared in the branch itself */
    Wait *wait = world_room(w->run, sizeof *wait);
    touch(w, x);
    *wait = (Wait){fork, x->waits};
    x->waits = wait;
}

/* All that the branches of an undecided `if` may determine in this update. */
static void add_waits(World *w, Fork *fork, const EmBody *body)
{
    for (const EmStmt *s = body ? body->stmts : NULL; s; s = s->next) {
        if (s->act == EM_EQUATION || s->act == EM_SEND)
            add_wait(w, fork, &s->target, false);
        if (s->act == EM_BIRTH || s->act == EM_MOVE)
            add_wait(w, fork, &s->target, true);
        if (s->act == EM_MOVE || s->act == EM_TRASH)
            add_wait(w, fork, &s->source, true);
        if (s->act == EM_IF)
            add_waits(w, fork, s->then);
        if (s->act == EM_IF || s->act == EM_WHEN)
            add_waits(w, fork, s->otherwise);
    }
}

static void look_at(World *w, Frame *frame)
{
    for (const EmStmt *s = frame->body->stmts; s; s = s->next) {
        Fork *fork = frame->forks[s->index];
        if (s->act == EM_EQUATION || s->act == EM_SEND)
            add_relation(w, s, frame);
        if (fork && s->act == EM_IF && !fork->decided) {
            assert(w->n_open < sizeof w->open / sizeof *w->open);
            w->open[w->n_open++] = fork;
            add_waits(w, fork, s->then);
            add_waits(w, fork, s->otherwise);
        }
    }
}

static void look_around(World *w)
{
    w->round++;
    w->rels = NULL;
    w->n_open = 0;
    each_frame(w, w->top->root, look_at);
}

/* ---- U3: births wait for their condition ---- */

static void note_choice(World *w, const Fork *fork, bool then);

static void come_back(Frame *frame);

static void decide(World *w, Fork *fork, bool truth)
{
    bool same = fork->kept && fork->truth == truth;
    const EmBody *body = truth ? fork->stmt->then : fork->stmt->otherwise;
    Frame **branch = truth ? &fork->then : &fork->otherwise;
    if (!same) {
        frame_kill(fork->then);
        frame_kill(fork->otherwise);
        fork->then = fork->otherwise = NULL;
    }
    fork->truth = truth;
    fork->decided = true;
    fork->kept = false;
    if (same && *branch)
        come_back(*branch);
    else if (body)
        *branch = frame_make(w, body, fork->home, fork->home->inst, fork);
}

static bool decide_ready(World *w)
{
    Fork *ready[200];
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_open; i++)
        if (cond_of(w, w->open[i]).state == KNOWN)
            ready[n++] = w->open[i];
    for (uint32_t i = 0; i < n; i++)
        note_choice(w, ready[i], ready[i]->memo.val.v != 0);
    for (uint32_t i = 0; i < n; i++)
        if (!ready[i]->home->dead)
            decide(w, ready[i], ready[i]->memo.val.v != 0);
    return n > 0;
}

/* Those that read something left alone, or free, have no branch in this update. */
static bool postpone(World *w)
{
    bool progress = false;
    for (uint32_t i = 0; i < w->n_open; i++) {
        State state = cond_of(w, w->open[i]).state;
        if (state == WAITS || w->open[i]->postponed == w->updates)
            continue;
        w->open[i]->postponed = w->updates;
        progress = true;
    }
    return progress;
}

typedef struct Search { /* of what a condition waits for */
    World *w;
    Frame *frame;
    bool reached[200]; /* [open `if`] */
    Var *held[400];    /* held variables and members waited for */
    uint32_t n_held;
    Var *seen[2000];
    uint32_t n_seen;
} Search;

static void search_expr(Search *search, EmExpr *e, Frame *frame);

static void search_waits(Search *search, Var *x)
{
    if (x->decl->held || x->decl->kind == EM_DYNAMIC)
        search->held[search->n_held++] = x;
    for (Wait *wait = x->waits; wait; wait = wait->next)
        for (uint32_t i = 0; i < search->w->n_open; i++)
            if (search->w->open[i] == wait->fork)
                search->reached[i] = true;
}

static void search_var(Search *search, Var *x)
{
    World *w = search->w;
    for (uint32_t i = 0; i < search->n_seen; i++)
        if (search->seen[i] == x)
            return;
    assert(search->n_seen < 2000 && search->n_held < 400);
    search->seen[search->n_seen++] = x;
    if (x->seen == w->round && x->rels) {
        search_expr(search, x->rels->stmt->value, x->rels->frame);
        for (Frame *f = x->rels->frame; f && !x->rels->pulse; f = frame_around(f))
            if (f->fork && f->fork->stmt->act == EM_IF)
                search_expr(search, f->fork->stmt->value, f->fork->home);
    } else if (waits(w, x)) {
        search_waits(search, x);
    }
}

static void search_read(void *context, EmExpr *e)
{
    Search *search = context;
    if (e->op != EM_VAR && e->op != EM_EXISTS)
        return;
    Frame *frame = search->frame;
    Frame *owner = frame_of(frame, e->path.decl->body);
    if (e->path.decl->kind == EM_DYNAMIC && waits(search->w, &owner->vars[e->path.decl->index]))
        search_waits(search, &owner->vars[e->path.decl->index]);
    Var *x = e->op == EM_VAR ? var_of(frame, &e->path) : NULL;
    if (x)
        search_var(search, x);
    search->frame = frame;
}

static void search_expr(Search *search, EmExpr *e, Frame *frame)
{
    Frame *outer = search->frame;
    search->frame = frame;
    em_each(e, search_read, search);
    search->frame = outer;
}

/* Conditions that wait for each other only: what they wait for and hold counts as it is. */
static bool let_go(World *w)
{
    uint32_t n = w->n_open;
    Search *all = calloc(n, sizeof *all);
    bool progress = false;
    for (uint32_t i = 0; i < n; i++) {
        all[i].w = w;
        search_expr(&all[i], w->open[i]->stmt->value, w->open[i]->home);
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && all[i].reached[k]; j++)
                all[i].reached[j] |= all[k].reached[j];
    for (uint32_t i = 0; i < n; i++) {
        bool smallest = cond_of(w, w->open[i]).state == WAITS;
        for (uint32_t j = 0; j < n; j++)
            smallest = smallest && (!all[i].reached[j] || all[j].reached[i]);
        for (uint32_t k = 0; smallest && k < all[i].n_held; k++) {
            progress |= all[i].held[k]->let_go != w->updates;
            all[i].held[k]->let_go = w->updates;
        }
    }
    free(all);
    return progress;
}

static bool all_postponed(const World *w)
{
    for (uint32_t i = 0; i < w->n_open; i++)
        if (w->open[i]->postponed != w->updates)
            return false;
    return true;
}

static void decide_births(World *w)
{
    for (;;) {
        look_around(w);
        if (w->run->verdict != ER_FINE)
            return;
        if (decide_ready(w) || postpone(w))
            continue;
        if (all_postponed(w))
            return;
        if (!let_go(w))
            give_verdict(w, ER_SELF, "conditions that wait for each other");
    }
}

/* ---- one update ---- */

static void *listed(ErRun *run, void *old, uint32_t n, size_t size)
{
    if (n & (n - 1))
        return old; /* there is room up to the next power of two */
    void *list = world_room(run, (n ? 2 * (size_t)n : 1) * size);
    if (n)
        memcpy(list, old, n * size);
    return list;
}

static ErUpdate *this_update(World *w)
{
    ErEvent *event = &w->run->events[w->run->n_events - 1];
    return &event->updates[event->n_updates - 1];
}

static void note_choice(World *w, const Fork *fork, bool then)
{
    ErUpdate *update = this_update(w);
    update->choices = listed(w->run, update->choices, update->n_choices, sizeof *update->choices);
    ErChoice *choice = &update->choices[update->n_choices++];
    *choice = (ErChoice){.line = fork->stmt->line,
                         .when = fork->stmt->act == EM_WHEN,
                         .then = then,
                         .again = fork->kept && fork->truth == then};
    inst_path(fork->home->inst, choice->path, sizeof choice->path);
}

static void note_values(World *w, Frame *frame)
{
    ErUpdate *update = this_update(w);
    char path[ER_PATH];
    inst_path(frame->inst, path, sizeof path);
    for (uint32_t i = 0; i < frame->body->n_decls; i++) {
        const Var *x = &frame->vars[i];
        if (x->decl->kind != EM_VARIABLE)
            continue;
        update->values = listed(w->run, update->values, update->n_values, sizeof *update->values);
        ErValue *value = &update->values[update->n_values++];
        *value = (ErValue){.value = x->value};
        value->visible = x->decl->held && (x->seen != w->round || !x->rels || x->rels->pulse);
        snprintf(value->path, sizeof value->path, "%.40s%s%s", path, path[0] ? "." : "",
                 x->decl->name);
    }
}

static void begin_update(World *w)
{
    ErEvent *event = &w->run->events[w->run->n_events - 1];
    event->updates = listed(w->run, event->updates, event->n_updates, sizeof *event->updates);
    event->updates[event->n_updates++] = (ErUpdate){0};
    w->update = event->n_updates - 1;
    w->updates++;
    for (Var *x = w->all_vars; x; x = x->older)
        x->before = x->value;
}

/* U2 and U5: a condition fires if it is decided in this update and came out otherwise than before.
 */
static void look_at_conditions(World *w, Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_stmts; i++) {
        Fork *fork = frame->forks[i];
        if (!fork || !(fork->stmt->act == EM_WHEN || fork->decided))
            continue;
        Val cond = cond_of(w, fork);
        bool decided = cond.state == KNOWN;
        if (fork->stmt->act == EM_IF) {
            fork->flips = decided && (cond.v != 0) != fork->truth;
        } else {
            fork->fires = decided && cond.v != 0 && !fork->truth;
            if (decided)
                fork->truth = cond.v != 0;
        }
    }
}

static void carry_sample(void *context, EmExpr *e)
{
    Reads *reads = context;
    if (e->op == EM_SAMPLE && sample_due(reads->w, reads->frame, e->value))
        reads->broken = true;
}

static void carry_samples(World *w, Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_stmts; i++) {
        Fork *fork = frame->forks[i];
        Reads reads = {.w = w, .frame = frame};
        if (!fork)
            continue;
        em_each(fork->stmt->value, carry_sample, &reads);
        fork->carry = cond_of(w, fork).state != KNOWN && (fork->carry || reads.broken) &&
                      !reads_of(w, fork->stmt->value, frame).broken;
    }
}

static void evaluate_all(World *w)
{
    for (Rel *rel = w->rels; rel; rel = rel->next) {
        if (rel->next_of_target)
            give_verdict(w, ER_OVER, rel->target->decl->name);
        value_of(w, rel->target, rel->pulse);
        value_of(w, rel->target, false);
    }
}

static void assign_all(World *w)
{
    for (Rel *rel = w->rels; rel; rel = rel->next) {
        Var *x = rel->target;
        if (x->plain.val.state == KNOWN)
            x->value = x->plain.val.v;
        else if (x->exempt.round == w->round && x->exempt.val.state == KNOWN)
            x->value = x->exempt.val.v;
    }
}

static void evaluate_update(World *w)
{
    decide_births(w);
    if (w->run->verdict != ER_FINE)
        return;
    evaluate_all(w);
    each_frame(w, w->top->root, look_at_conditions);
    each_frame(w, w->top->root, carry_samples);
    assign_all(w);
    each_frame(w, w->top->root, note_values);
}

/* ---- from one update to the next ---- */

/* The else branch of a `when` returns: what was active in it is over, its `if`s choose anew. */
static void come_back(Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_decls; i++)
        if (frame->parts[i])
            come_back(frame->parts[i]->root);
    for (uint32_t i = 0; i < frame->body->n_stmts; i++) {
        Fork *fork = frame->forks[i];
        if (!fork)
            continue;
        fork->fires = fork->flips = fork->active = fork->carry = false;
        if (fork->stmt->act == EM_WHEN && fork->otherwise)
            come_back(fork->otherwise);
        if (fork->stmt->act == EM_IF && fork->decided) {
            fork->decided = false;
            fork->kept = true;
        }
    }
}

/* U4: conditions that read an initial() that fell, decided before the update begins. */
static void redecide_initial(World *w, Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_stmts; i++) {
        Fork *fork = frame->forks[i];
        if (!fork || fork->stmt->act != EM_IF || !fork->decided ||
            !reads_of(w, fork->stmt->value, frame).initial)
            continue;
        Val cond = eval(w, fork->stmt->value, frame, LAST, NULL);
        fork->flips = cond.state == KNOWN && (cond.v != 0) != fork->truth;
    }
}

/* Lists what changes, from the outside to the inside: below a change nothing else counts. */
static void plan(World *w, Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_decls; i++)
        if (frame->parts[i])
            plan(w, frame->parts[i]->root);
    for (uint32_t i = 0; i < frame->body->n_stmts; i++) {
        Fork *fork = frame->forks[i];
        if (!fork)
            continue;
        assert(w->n_due < sizeof w->due / sizeof *w->due);
        if (fork->flips || fork->fires || fork->active)
            w->due[w->n_due++] = fork;
        else if (branch_of(fork))
            plan(w, branch_of(fork));
    }
}

static void take_down(Fork *fork)
{
    if (fork->stmt->act == EM_IF || fork->active) {
        frame_kill(branch_of(fork));
        if (fork->active)
            fork->then = NULL;
    }
}

static void build_up(World *w, Fork *fork)
{
    if (fork->home->dead)
        return;
    if (fork->stmt->act == EM_IF) {
        note_choice(w, fork, !fork->truth);
        decide(w, fork, !fork->truth);
    } else if (fork->fires) {
        fork->active = true;
        note_choice(w, fork, true);
        fork->then = frame_make(w, fork->stmt->then, fork->home, fork->home->inst, fork);
    } else {
        fork->active = false;
        if (fork->otherwise)
            come_back(fork->otherwise);
    }
    fork->fires = fork->flips = false;
}

static void change_structure(World *w)
{
    for (Inst *inst = w->insts; inst; inst = inst->older) {
        inst->was_newborn = inst->newborn;
        inst->newborn = false;
    }
    each_frame(w, w->top->root, redecide_initial);
    w->n_due = 0;
    plan(w, w->top->root);
    begin_update(w);
    for (uint32_t i = 0; i < w->n_due; i++)
        take_down(w->due[i]);
    for (uint32_t i = 0; i < w->n_due; i++)
        build_up(w, w->due[i]);
}

/* ---- time ---- */

static void ask_for_more(World *w, Frame *frame)
{
    for (const EmStmt *s = frame->body->stmts; s; s = s->next) {
        const Fork *fork = frame->forks[s->index];
        if (fork && (fork->fires || fork->flips || fork->active))
            w->goes_on = true;
        if (s->value && reads_of(w, s->value, frame).newborn)
            w->goes_on = true;
    }
}

static bool more_updates(World *w)
{
    w->goes_on = false;
    each_frame(w, w->top->root, ask_for_more);
    return w->goes_on;
}

static void look_for_free(World *w, Frame *frame)
{
    for (uint32_t i = 0; i < frame->body->n_decls; i++) {
        const Var *x = &frame->vars[i];
        bool determined = x->seen == w->round && x->rels;
        if (x->decl->kind == EM_VARIABLE && !x->decl->parameter && !x->decl->held && !determined)
            give_verdict(w, ER_UNDER, x->decl->name);
    }
}

static void begin_event(World *w)
{
    ErRun *run = w->run;
    run->events = listed(run, run->events, run->n_events, sizeof *run->events);
    run->events[run->n_events++] = (ErEvent){.time = w->time};
    begin_update(w);
}

static void run_event(World *w, uint32_t max_updates)
{
    evaluate_update(w);
    while (w->run->verdict == ER_FINE && more_updates(w)) {
        if (w->update + 1 >= max_updates) {
            give_verdict(w, ER_ENDLESS, "");
            return;
        }
        change_structure(w);
        evaluate_update(w);
    }
    for (Inst *inst = w->insts; inst; inst = inst->older)
        inst->newborn = inst->was_newborn = false;
    if (w->run->verdict == ER_FINE)
        each_frame(w, w->top->root, look_for_free);
}

static void note_time(void *context, EmExpr *e)
{
    Reads *reads = context;
    World *w = reads->w;
    double t = INFINITY;
    if (e->op == EM_SAMPLE)
        t = reads->frame->born +
            e->value * (floor((w->time - reads->frame->born) / e->value + 0.5 * 1e-9) + 1);
    else if (e->a && e->a->op == EM_TIME)
        t = eval(w, e->b, reads->frame, LAST, NULL).v;
    else if (e->b && e->b->op == EM_TIME)
        t = eval(w, e->a, reads->frame, LAST, NULL).v;
    if (t > w->time && t < w->next_time)
        w->next_time = t;
}

static void look_for_times(World *w, Frame *frame)
{
    Reads reads = {.w = w, .frame = frame};
    for (const EmStmt *s = frame->body->stmts; s; s = s->next)
        em_each(s->value, note_time, &reads);
}

static double find_next_time(World *w)
{
    w->next_time = INFINITY;
    each_frame(w, w->top->root, look_for_times);
    return w->next_time;
}

ErRun *er_run(const EmModel *model, double stop, uint32_t max_updates)
{
    World world = {.model = model, .run = calloc(1, sizeof(ErRun))};
    World *w = &world;
    EmMaker maker = {.class = em_top(model)};
    begin_event(w);
    w->top = inst_make(w, &maker, NULL, NULL, NULL);
    run_event(w, max_updates);
    while (w->run->verdict == ER_FINE && (w->time = find_next_time(w)) <= stop) {
        begin_event(w);
        run_event(w, max_updates);
    }
    return w->run;
}
/* ---- for people ---- */

const char *er_verdict(ErVerdict verdict)
{
    static const char *const texts[] = {[ER_FINE] = "fine",
                                        [ER_OVER] = "overdetermined",
                                        [ER_UNDER] = "underdetermined",
                                        [ER_NO_VALUE] = "no value",
                                        [ER_SELF] = "depends on itself",
                                        [ER_ENDLESS] = "endless updates"};
    return texts[verdict];
}

double er_value(const ErUpdate *update, const char *path)
{
    for (uint32_t i = 0; i < update->n_values; i++)
        if (strcmp(update->values[i].path, path) == 0)
            return update->values[i].value;
    return NAN;
}

static void print_update(const ErUpdate *update, uint32_t number, FILE *out)
{
    fprintf(out, "  update %u:", number);
    for (uint32_t i = 0; i < update->n_values; i++)
        fprintf(out, " %s=%g", update->values[i].path, update->values[i].value);
    fputc('\n', out);
    for (uint32_t i = 0; i < update->n_choices; i++) {
        const ErChoice *c = &update->choices[i];
        fprintf(out, "    %s%s%s in line %u%s%s\n", c->path, c->path[0] ? ": " : "",
                c->when ? "when" : "if", c->line,
                c->when   ? ""
                : c->then ? " -> then"
                          : " -> else",
                c->again ? " again" : "");
    }
}

void er_print(const ErRun *run, FILE *out)
{
    for (uint32_t i = 0; i < run->n_events; i++) {
        fprintf(out, "time %g\n", run->events[i].time);
        for (uint32_t k = 0; k < run->events[i].n_updates; k++)
            print_update(&run->events[i].updates[k], k, out);
    }
    fprintf(out, "verdict: %s %s\n", er_verdict(run->verdict), run->why);
}
