/* event_iterate.c: one event -> its updates (t, i), until no trigger fires (thesis 5.8).
 *
 * In each update all conditions are looked at in the present structure; what fired is taken
 * together as one structural change, whose birth update (init.c) is the next one. A `when` branch
 * lives for one update. Between two updates flags are cleared (initial(), Sample) and pre values
 * become those of the update that ends. The event is over when an update fires nothing and clears
 * nothing that anyone reads; only then must everything be determined.
 */
#include "runtime/sim_int.h"

#include <math.h>
#include <string.h>

/* ---- memory of conditions ---- */

static void count_condition(Sim *sim, BranchMemo *memo, DdpVar var)
{
    if (memo->condition == var)
        return;
    if (memo->condition)
        evaluate_need(sim, memo->condition, NEED_CONDITIONS, -1);
    memo->condition = var;
    if (var)
        evaluate_need(sim, var, NEED_CONDITIONS, 1);
}

void event_note_mode(Sim *sim, BranchId id)
{
    BranchMemo *memo = &sim->branches.at[id];
    if (!sim->out.mode || memo->when || memo->noted || !memo->live)
        return;
    memo->noted = true;
    vec_push(sim->mem, &sim->modes_seen, id);
}

/* The number may stand in modes_seen, and be used again by another branch: one entry serves it. */
static void forget_mode(Sim *sim, BranchMemo *memo)
{
    if (memo->serial)
        vec_push(sim->mem, &sim->modes_gone, memo->serial);
    memo->serial = 0;
    memo->told = WORLD_NONE;
}

void event_branch_changed(Sim *sim, const WorldChange *change)
{
    BranchId id = change->a;
    while (sim->branches.n <= id)
        vec_push(sim->mem, &sim->branches, (BranchMemo){0});
    BranchMemo *memo = &sim->branches.at[id];
    sim->lists_stale = true;
    if (!change->born) {
        count_condition(sim, memo, 0);
        forget_mode(sim, memo);
        memo->live = false;
        return;
    }
    WorldBranch view = {0};
    world_branch(sim->world, id, &view);
    count_condition(sim, memo, 0);
    forget_mode(sim, memo);
    *memo = (BranchMemo){
        .live = true, .when = view.when, .noted = memo->noted, .fell = INFINITY, .fired = NAN};
    if (view.copy_of && view.copy_of < sim->branches.n)
        memo->truth = sim->branches.at[view.copy_of].truth;
    count_condition(sim, memo, view.condition);
    event_note_mode(sim, id);
}

/* The truth of a condition in this update; one that is not determined keeps the one it had. */
static bool truth_of(const Sim *sim, const BranchMemo *memo, DdpVar condition)
{
    const ValueInfo *info = &sim->info[condition];
    if (!info->has || info->pending)
        return memo->truth;
    if (info->node && !sim->nodes.at[info->node].determined)
        return memo->truth;
    return sim->value[condition] != 0;
}

static void remember_trigger(Sim *sim, BranchId id)
{
    for (uint32_t i = 0; i < sim->event_triggers.n; i++)
        if (sim->event_triggers.at[i] == id)
            return;
    vec_push(sim->mem, &sim->event_triggers, id);
    vec_push(sim->mem, &sim->trigger_texts, explain_condition(sim, id));
}

/* ---- events that follow each other ever faster ---- */

enum { SHRINKING = 15, TIGHT = 30 };

/* Firings of one condition by states: at intervals that shrink without end (Zeno), or that are no
 * longer than rounding (chattering). Conditions of the clock and of held values may fire as they
 * like. */
static void note_firing(Sim *sim, BranchId id, BranchMemo *memo)
{
    DdpNode node = sim->info[memo->condition].node;
    if (!node || !sim->nodes.at[node].varies || sim->event.updates > 1)
        return;
    double gap = sim->time - memo->fired, whole = sim->opt.stop - sim->opt.start;
    if (gap < memo->gap) {
        memo->shrinking++;
    } else {
        memo->shrinking = 0;
        memo->first_gap = gap;
    }
    double ratio = gap / memo->gap;
    if (ratio < 1 && ratio > memo->ratio / 2) /* the last gaps are made of rounding */
        memo->limit = sim->time + gap * ratio / (1 - ratio);
    memo->ratio = ratio;
    memo->tight = gap <= 1e-10 * fmax(whole, fabs(sim->time)) ? memo->tight + 1 : 0;
    memo->gap = gap;
    memo->fired = sim->time;
    if (memo->tight >= TIGHT || (memo->shrinking >= SHRINKING && gap < 1e-5 * memo->first_gap))
        sim->runaway = id;
}

static SolStatus ran_away(Sim *sim)
{
    const BranchMemo *memo = &sim->branches.at[sim->runaway];
    WorldBranch view = {0};
    world_branch(sim->world, sim->runaway, &view);
    const char *text = explain_condition(sim, sim->runaway);
    if (memo->tight >= TIGHT) {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s chatters: it fired %u times in a row at intervals of "
            "%.3g or less",
            sim->time, text, memo->tight, memo->gap);
        diag_note(sim->diags, view.at,
                  "give it a hysteresis, or a branch for the motion along its boundary");
    } else {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s has fired %u times at ever shorter intervals, the last "
            "of %.3g: its events accumulate at about %.10g",
            sim->time, text, memo->shrinking + 1, memo->gap, memo->limit);
        diag_note(sim->diags, view.at, "give the model a branch in which it comes to rest");
    }
    return SOL_NUMERICS;
}

static void decide(Sim *sim, BranchId id, WorldChoice choice)
{
    vec_push(sim->mem, &sim->decisions, ((WorldDecision){id, choice}));
}

/* What a `when` remembers: between events its condition may have become false without notice. */
static bool remembered(const Sim *sim, const BranchMemo *memo)
{
    return memo->truth && !(memo->fell < sim->time);
}

static void assertion_failed(Sim *sim, const WorldBranch *view)
{
    char path[500];
    world_inst_path(sim->world, view->owner, path, sizeof path);
    diag_error(sim->diags, view->at, "at time %.10g: %s%s%s", sim->time, path, path[0] ? ": " : "",
               intern_text(program_names(sim->program), view->assertion));
    if (view->relation)
        diag_note(sim->diags, view->at, "this does not hold: %s", explain_rel(sim, view->relation));
    sim->assertion_failed = true;
}

static void look_at_when(Sim *sim, BranchId id, BranchMemo *memo, const WorldBranch *view)
{
    bool truth = truth_of(sim, memo, view->condition);
    if (view->choice == WORLD_THEN) {
        decide(sim, id, WORLD_ELSE); /* active for this one update */
    } else if (truth && view->assertion) {
        assertion_failed(sim, view);
    } else if (truth && !remembered(sim, memo)) {
        decide(sim, id, WORLD_THEN);
        remember_trigger(sim, id);
        note_firing(sim, id, memo);
    }
    memo->truth = truth;
    memo->fell = INFINITY;
}

static void look_at_if(Sim *sim, BranchId id, BranchMemo *memo, const WorldBranch *view)
{
    bool truth = truth_of(sim, memo, view->condition);
    if (truth == memo->truth)
        return;
    decide(sim, id, truth ? WORLD_THEN : WORLD_ELSE);
    remember_trigger(sim, id);
    note_firing(sim, id, memo);
    memo->truth = truth;
}

static void look_at_all(Sim *sim)
{
    vec_clear(&sim->decisions);
    for (BranchId id = 1; id < sim->branches.n; id++) {
        BranchMemo *memo = &sim->branches.at[id];
        WorldBranch view;
        if (!memo->live || !world_branch(sim->world, id, &view) || view.newborn)
            continue;
        count_condition(sim, memo, view.condition);
        if (view.when)
            look_at_when(sim, id, memo, &view);
        else
            look_at_if(sim, id, memo, &view);
    }
}

bool event_conditions_changed(Sim *sim, const Part *part)
{
    bool any = false;
    for (BranchId id = 1; id < sim->branches.n; id++) {
        BranchMemo *memo = &sim->branches.at[id];
        if (!memo->live || !memo->condition)
            continue;
        DdpNode node = sim->info[memo->condition].node;
        if (part && !(node && sim->nodes.at[node].part == part))
            continue;
        bool truth = truth_of(sim, memo, memo->condition);
        if (memo->when && !truth && memo->truth)
            memo->fell = fmin(memo->fell, sim->time);
        else if (memo->when)
            any |= truth && !remembered(sim, memo);
        else
            any |= truth != memo->truth;
    }
    return any;
}

/* The condition `var` is known to become false at once (event_detect.c). False when that would take
 * a branch, and when nobody waits for it to become true again: then nothing is done. */
bool event_condition_falls(Sim *sim, DdpVar var)
{
    bool any = false;
    for (BranchId id = 1; id < sim->branches.n; id++) {
        const BranchMemo *memo = &sim->branches.at[id];
        if (memo->live && memo->condition == var && !memo->when)
            return false;
        any |= memo->live && memo->condition == var;
    }
    for (BranchId id = 1; any && id < sim->branches.n; id++) {
        BranchMemo *memo = &sim->branches.at[id];
        if (memo->live && memo->truth && memo->condition == var)
            memo->fell = sim->time;
    }
    return any;
}

/* ---- flags between updates ---- */

static void set_pres(Sim *sim)
{
    for (uint32_t i = 0; i < sim->pres.n; i++)
        if (sim->info[sim->pres.at[i].of].has)
            values_set(sim, sim->pres.at[i].var, sim->value[sim->pres.at[i].of]);
}

static void clear_flags(Sim *sim)
{
    for (uint32_t i = 0; i < sim->initials.n; i++)
        values_set(sim, sim->initials.at[i], 0);
    vec_clear(&sim->initials);
    for (uint32_t i = 0; i < sim->samples.n; i++)
        values_set(sim, sim->samples.at[i].var, 0);
}

static double due(const SampleMemo *memo)
{
    return memo->origin + (double)memo->next * memo->interval;
}

double event_next_sample(const Sim *sim)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < sim->samples.n; i++)
        next = fmin(next, due(&sim->samples.at[i]));
    return next;
}

/* Samples whose time has come are true in the first update of the event. */
static void samples_due(Sim *sim)
{
    for (uint32_t i = 0; i < sim->samples.n; i++) {
        SampleMemo *memo = &sim->samples.at[i];
        if (due(memo) > sim->time)
            continue;
        values_set(sim, memo->var, 1);
        while (due(memo) <= sim->time)
            memo->next++;
    }
}

/* ---- the updates ---- */

static SolStatus too_many(Sim *sim)
{
    diag_error(sim->diags, 0, "at time %.10g, conditions still change after %u updates", sim->time,
               sim->opt.max_updates);
    for (uint32_t i = 0; i < sim->decisions.n && i < 10; i++) {
        WorldBranch view;
        if (world_branch(sim->world, sim->decisions.at[i].branch, &view))
            diag_note(sim->diags, view.at, "this condition keeps firing: %s",
                      explain_condition(sim, sim->decisions.at[i].branch));
    }
    return SOL_NUMERICS;
}

/* One update after the other. On entry values are those of the update that begins the event. */
static SolStatus updates(Sim *sim)
{
    for (uint32_t i = 0;; i++) {
        sim->counts.updates++;
        sim->event.updates++;
        look_at_all(sim);
        if (sim->assertion_failed)
            return SOL_MODEL;
        uint64_t before = sim->changes;
        set_pres(sim);
        clear_flags(sim);
        if (!sim->decisions.n && !sim->heap.n && sim->changes == before)
            return SOL_OK;
        if (i >= sim->opt.max_updates)
            return too_many(sim);
        bool structural = sim->decisions.n > 0;
        SolStatus status = structural ? init_choose(sim) : SOL_OK;
        if (status == SOL_OK)
            status = init_settle(sim);
        if (status != SOL_OK)
            return status;
        if (structural)
            vec_push(sim->mem, &sim->event_states, sim->states.n);
    }
}

/* Comparisons at their boundary are decided when the phase would begin; what that makes true
 * belongs to this event. */
static SolStatus updates_and_ties(Sim *sim)
{
    for (;;) {
        SolStatus status = sim->event.updates > sim->opt.max_updates ? too_many(sim) : updates(sim);
        if (status == SOL_OK)
            status = init_finish(sim);
        if (status != SOL_OK || !event_leave_ties(sim))
            return status;
        status = evaluate_dirty(sim);
        if (status != SOL_OK)
            return status;
    }
}

SolStatus event_iterate(Sim *sim, bool first)
{
    sim->break_ties = true;
    if (!first) {
        set_pres(sim);
        samples_due(sim);
    }
    SolStatus status = evaluate_dirty(sim);
    if (status == SOL_OK)
        status = updates_and_ties(sim);
    sim->break_ties = false;
    if (status == SOL_OK && sim->runaway)
        status = ran_away(sim);
    return status;
}
