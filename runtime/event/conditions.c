/* conditions.c: conditions and their branches -> which may fire: something that they read has changed, and their truth is not
 * the one that is remembered. */
#include "runtime/event/conditions.h"
#include "runtime/event/trail.h"

#include <math.h>

/* ---- memory of conditions ---- */

static void unlink_branch(Sim *sim, const BranchMemo *memo)
{
    BranchId id = (BranchId)(memo - sim->branches.at), *link = &sim->info[memo->condition].branches;
    while (*link != id)
        link = &sim->branches.at[*link].next;
    *link = memo->next;
    if (sim->info[memo->condition].node)
        part_graph_root(sim, sim->info[memo->condition].node);
}

static void link_branch(Sim *sim, BranchMemo *memo)
{
    ValueInfo *info = &sim->info[memo->condition];
    memo->next = info->branches;
    info->branches = (BranchId)(memo - sim->branches.at);
    if (info->node)
        part_graph_root(sim, info->node);
}

/* Of those with one condition, kept as a list. */
void condition_count(Sim *sim, BranchMemo *memo, DdpVar var)
{
    if (memo->condition == var)
        return;
    event_unsettle(sim, memo->condition);
    event_unsettle(sim, var);
    if (memo->condition) {
        unlink_branch(sim, memo);
        evaluate_need(sim, memo->condition, NEED_CONDITIONS, -1);
    }
    memo->condition = var;
    if (var) {
        link_branch(sim, memo);
        evaluate_need(sim, var, NEED_CONDITIONS, 1);
    }
}

void event_note_mode(Sim *sim, BranchId id)
{
    BranchMemo *memo = &sim->branches.at[id];
    WorldBranch view;
    if (!sim->record.news.modes_wanted || memo->when || memo->noted || !memo->live)
        return;
    if (world_branch(sim->world, id, &view) && view.watch)
        return;
    memo->noted = true;
    vec_push(sim->mem, &sim->record.news.modes, id);
}

/* The number may stand in modes_seen, and be used again by another branch: one entry serves it. */
static void forget_mode(Sim *sim, BranchMemo *memo)
{
    if (memo->serial)
        vec_push(sim->mem, &sim->record.news.modes_gone, memo->serial);
    memo->serial = 0;
    memo->told = WORLD_NONE;
}

/* ---- who may have changed ---- */

void event_add_candidate(Sim *sim, BranchId id)
{
    if (sim->branches.at[id].candidate)
        return;
    sim->branches.at[id].candidate = true;
    vec_push(sim->mem, &sim->decide.candidates, id);
}

void event_add_readers_of(Sim *sim, DdpVar var)
{
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next)
        event_add_candidate(sim, id);
}

void event_forget_candidates(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.candidates.n; i++)
        sim->branches.at[sim->decide.candidates.at[i]].candidate = false;
    vec_clear(&sim->decide.candidates);
}

/* The path to its condition goes through what may be exchanged: it is looked at in every update. */
static void set_movable(Sim *sim, BranchId id, bool movable)
{
    BranchMemo *memo = &sim->branches.at[id];
    if (movable && !memo->movable) {
        vec_push(sim->mem, &sim->decide.movable, id);
        memo->movable = sim->decide.movable.n;
    } else if (!movable && memo->movable) {
        BranchId last = vec_pop(&sim->decide.movable);
        if (last != id) {
            sim->decide.movable.at[memo->movable - 1] = last;
            sim->branches.at[last].movable = memo->movable;
        }
        memo->movable = 0;
    }
}

void event_branch_changed(Sim *sim, const WorldChange *change)
{
    BranchId id = change->a;
    while (sim->branches.n <= id)
        vec_push(sim->mem, &sim->branches, (BranchMemo){0});
    BranchMemo *memo = &sim->branches.at[id];
    if (change->again) { /* an `if` that comes back with the else branch of a `when` */
        memo->newborn = true;
        event_add_candidate(sim, id);
        return;
    }
    set_movable(sim, id, false);
    mem_free(sim->mem, memo->firings);
    memo->firings = NULL;
    explain_forget_branch(sim, memo);
    if (!change->born) {
        if (memo->when && memo->born <= sim->record.births_before)
            trail_break(sim); /* its memory is gone */
        condition_count(sim, memo, 0);
        forget_mode(sim, memo);
        memo->live = false;
        return;
    }
    WorldBranch view = {0};
    world_branch(sim->world, id, &view);
    condition_count(sim, memo, 0);
    forget_mode(sim, memo);
    *memo = (BranchMemo){.live = true,
                         .when = view.when,
                         .noted = memo->noted,
                         .candidate = memo->candidate,
                         .turned = memo->turned, /* it is in that list */
                         .newborn = true,
                         .born = sim->build.births,
                         .false_since = INFINITY};
    if (view.copy_of && view.copy_of < sim->branches.n)
        memo->truth = sim->branches.at[view.copy_of].truth;
    condition_count(sim, memo, view.condition);
    set_movable(sim, id, view.movable);
    event_add_candidate(sim, id);
    event_note_mode(sim, id);
}

/* Where the path to its condition may lead elsewhere is asked again. */
void event_link_branch(Sim *sim, BranchId id, DdpVar condition)
{
    BranchMemo *memo = &sim->branches.at[id];
    WorldBranch view = {0};
    world_branch(sim->world, id, &view);
    memo->condition = memo->next = 0;
    condition_count(sim, memo, condition);
    set_movable(sim, id, memo->live && view.movable);
}

void event_forget_branches(Sim *sim)
{
    event_forget_candidates(sim);
    vec_clear(&sim->decide.movable);
    for (BranchId id = 0; id < sim->branches.n; id++) {
        BranchMemo *memo = &sim->branches.at[id];
        memo->condition = memo->next = memo->movable = 0;
    }
}

/* ---- who would fire ---- */

/* One that is not determined is not decided, and neither is one that depends on what is left alone (U2). */
bool condition_is_decided(const Sim *sim, DdpVar condition)
{
    const ValueInfo *info = &sim->info[condition];
    return info->has && !info->pending && evaluate_is_determined(sim, condition) &&
           !update_left_alone(sim, condition);
}

/* The truth of a condition in this update; one that is not decided keeps the one it had. */
bool condition_truth(const Sim *sim, const BranchMemo *memo, DdpVar condition)
{
    return condition_is_decided(sim, condition) ? sim->value[condition] != 0 : memo->truth;
}

/* What a `when` remembers: between events its condition may have become false without notice. */
bool condition_remembered(const BranchMemo *memo, double time)
{
    return memo->truth && !(memo->false_since < time);
}

/* Would it be taken? A `when` whose condition ended in between remembers since when. */
static bool would_fire(Sim *sim, BranchMemo *memo, double time)
{
    if (!condition_is_decided(sim, memo->condition))
        return false;
    bool truth = sim->value[memo->condition] != 0;
    if (memo->when && !truth && memo->truth) {
        memo->false_since = fmin(memo->false_since, time);
        event_unsettle(sim, memo->condition);
        return false;
    }
    return memo->when ? truth && !condition_remembered(memo, time) : truth != memo->truth;
}

/* Would a condition of this truth take a branch? */
bool event_would_take(const Sim *sim, DdpVar var, bool truth)
{
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next) {
        const BranchMemo *memo = &sim->branches.at[id];
        if (memo->when ? truth && !condition_remembered(memo, sim->time) : truth != memo->truth)
            return true;
    }
    return false;
}

/* The truth in which none of the branches of a condition will be taken, or -1. */
static int8_t find_idle_truth(const Sim *sim, DdpVar var)
{
    BranchId first = sim->info[var].branches;
    int8_t truth = first ? sim->branches.at[first].truth : -1;
    for (BranchId id = first; id; id = sim->branches.at[id].next)
        if (sim->branches.at[id].truth != truth || sim->branches.at[id].false_since != INFINITY)
            return -1;
    return truth;
}

/* Memory or branches of the condition change. */
void event_unsettle(Sim *sim, DdpVar var)
{
    const EvalNode *node = sim->info[var].node ? &sim->nodes.at[sim->info[var].node] : NULL;
    if (node && node->part && node->in.root)
        node->part->lists.notes.at[node->in.root - 1].idle_truth = -1;
}

#define EACH_BRANCH(sim, node, id)                                                                 \
    for (uint32_t o_ = 0; o_ < (node)->n_steps + (node)->n_tears; o_++)                            \
        for (BranchId id = (sim)->info[node_output((node), o_)].branches; id;                      \
             id = (sim)->branches.at[id].next)

bool event_conditions_changed(Sim *sim, const NodeList *nodes, double time)
{
    bool any = false;
    for (uint32_t i = 0; i < nodes->n; i++)
        EACH_BRANCH (sim, &sim->nodes.at[nodes->at[i]], id)
            any |= would_fire(sim, &sim->branches.at[id], time);
    return any;
}

static bool add_candidates_of(Sim *sim, const EvalNode *node)
{
    bool any = false;
    EACH_BRANCH (sim, node, id) {
        BranchMemo *memo = &sim->branches.at[id];
        bool fires = would_fire(sim, memo, sim->time);
        if (fires || memo->false_since <= sim->time || update_left_alone(sim, memo->condition))
            event_add_candidate(sim, id); /* what is left alone is decided in the next update: U2 */
        any |= fires;
    }
    return any;
}

/* Roots that are not calm: in a population of thousands these are a few. */
bool event_add_changed(Part *part)
{
    Sim *sim = part->sim;
    bool any = false;
    for (uint32_t i = 0; i < part->lists.roots.n; i++) {
        RootNote *note = &part->lists.notes.at[i];
        if (note->var && note->idle_truth == (sim->value[note->var] != 0))
            continue;
        any |= add_candidates_of(sim, &sim->nodes.at[part->lists.roots.at[i]]);
        if (note->var)
            note->idle_truth = find_idle_truth(sim, note->var);
    }
    return any;
}

/* What a step found behind this event is searched for again. Who fell is not calm. */
void event_forget_falls(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->lists.roots.n; i++)
        if (part->lists.notes.at[i].idle_truth < 0)
            EACH_BRANCH (sim, &sim->nodes.at[part->lists.roots.at[i]], id)
                if (sim->branches.at[id].false_since > sim->time)
                    sim->branches.at[id].false_since = INFINITY;
}

/* The condition `var` is known to become false at once (event_detect.c). False when that would take
 * a branch, and when nobody waits for it to become true again: then nothing is done. */
bool event_condition_falls(Sim *sim, DdpVar var)
{
    BranchId first = sim->info[var].branches;
    for (BranchId id = first; id; id = sim->branches.at[id].next)
        if (!sim->branches.at[id].when)
            return false;
    for (BranchId id = first; id; id = sim->branches.at[id].next)
        if (sim->branches.at[id].truth)
            sim->branches.at[id].false_since = sim->time;
    event_unsettle(sim, var);
    return first != 0;
}
