/* event_iterate.c: one event -> its updates (t, i), until no trigger fires (thesis 5.8).
 *
 * In each update all conditions are looked at in the present structure; what fired is taken
 * together as one structural change, whose birth update (structure.c) is the next one. A `when` branch
 * lives for one update. Between two updates flags are cleared (initial(), Sample) and pre values
 * become those of the update that ends. The event is over when an update fires nothing and clears
 * nothing that anyone reads; only then must everything be determined.
 */
#include "runtime/event/delay.h"
#include "runtime/event/conditions.h"
#include "runtime/event/cout.h"
#include "runtime/event/event_cause.h"
#include "runtime/eval/compare.h"
#include "runtime/event/implicit.h"
#include "runtime/event/impulse.h"
#include "runtime/event/mode_search.h"
#include "runtime/event/reinit.h"
#include "runtime/event/trail.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- decisions ---- */

/* A second look, after initial() ended (U4), may find an `if` otherwise. */
static void decide(Sim *sim, BranchId id, WorldChoice choice)
{
    for (uint32_t i = 0; i < sim->decide.decided_before; i++)
        if (sim->decide.decisions.at[i].branch == id) {
            if (!sim->branches.at[id].when)
                sim->decide.decisions.at[i].choice = choice;
            return;
        }
    vec_push(sim->mem, &sim->decide.decisions, ((WorldDecision){id, choice}));
}

static void assertion_failed(Sim *sim, const WorldBranch *view)
{
    char path[500];
    world_inst_path(sim->world, view->owner, path, sizeof path);
    diag_error(sim->diags, view->at, "at time %.10g: %s%s%s", sim->time, path, path[0] ? ": " : "",
               intern_text(program_names(sim->program), view->assertion));
    if (view->relation)
        diag_note(sim->diags, view->at, "this does not hold: %s", explain_assertion(sim, view));
    sim->decide.assertion_failed = true;
}

static void look_at_when(Sim *sim, BranchId id, BranchMemo *memo, const WorldBranch *view)
{
    bool truth = condition_truth(sim, memo, view->condition);
    if (view->choice == WORLD_THEN) {
        decide(sim, id, WORLD_ELSE); /* active for this one update */
    } else if (!condition_is_decided(sim, view->condition)) {
        return; /* what is known of it stays: it may have been false since it was true */
    } else if (truth && view->assertion) {
        assertion_failed(sim, view);
    } else if (truth && !condition_remembered(memo, sim->time)) {
        decide(sim, id, WORLD_THEN);
        firings_note(sim, id, memo);
    }
    if (memo->truth != truth) {
        trail_truth(sim, id, memo->truth);
        event_unsettle(sim, memo->condition);
    }
    memo->truth = truth;
    if (memo->false_since <=
        sim->time) /* else it was found in a step that reaches beyond this event */
        memo->false_since = INFINITY;
}

/* What it is compared with is the branch that is there: truth changes when that does. */
static void look_at_if(Sim *sim, BranchId id, BranchMemo *memo, const WorldBranch *view)
{
    bool truth = condition_truth(sim, memo, view->condition);
    if (truth == memo->truth)
        return;
    decide(sim, id, truth ? WORLD_THEN : WORLD_ELSE);
    sim->decide.chose_if = true;
    firings_note(sim, id, memo);
}

static int ascending(const void *a, const void *b)
{
    BranchId x = *(const BranchId *)a, y = *(const BranchId *)b;
    return (x > y) - (x < y);
}

enum { FEW = 8 }; /* are sorted in place, without a call */

static void sort_branches(uint32_t n, BranchId *list)
{
    if (n > FEW)
        qsort(list, n, sizeof *list, ascending);
    for (uint32_t i = 1; i < n && n <= FEW; i++) {
        BranchId id = list[i];
        uint32_t k = i;
        for (; k && list[k - 1] > id; k--)
            list[k] = list[k - 1];
        list[k] = id;
    }
}

/* A `when` that was taken is left in the next update, so it stays a candidate. */
static void look_at_candidates(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.movable.n; i++)
        event_add_candidate(sim, sim->decide.movable.at[i]);
    BranchList *list = &sim->decide.looked_at, kept = *list;
    *list = sim->decide.candidates;
    sim->decide.candidates = kept;
    vec_clear(&sim->decide.candidates);
    sort_branches(list->n, list->at);
    sim->work += list->n;
    for (uint32_t i = 0; i < list->n; i++)
        sim->branches.at[list->at[i]].candidate = false;
    for (uint32_t i = 0; i < list->n; i++) {
        BranchId id = list->at[i];
        BranchMemo *memo = &sim->branches.at[id];
        WorldBranch view;
        if (!memo->live || !world_branch(sim->world, id, &view))
            continue;
        if (view.newborn || view.rests) {
            event_add_candidate(sim, id);
            continue;
        }
        if (view.condition)
            evaluate_fetch(sim, view.condition, EVAL_EVENT);
        condition_count(sim, memo, view.condition);
        if (view.condition && (update_left_alone(sim, view.condition) ||
                               !evaluate_is_determined(sim, view.condition))) { /* U2 */
            event_add_candidate(sim, id);
            vec_push(sim->mem, &sim->update.deferred, id);
        }
        if (view.when)
            look_at_when(sim, id, memo, &view);
        else
            look_at_if(sim, id, memo, &view);
    }
}

/* ---- flags between updates ---- */

static void set_pre(Sim *sim, const PreMemo *pre, EvalHow how)
{
    evaluate_fetch(sim, pre->of, how);
    if (sim->info[pre->of].has)
        values_set_how(sim, pre->var, sim->value[pre->of], how);
}

static void set_pres(Sim *sim, EvalHow how)
{
    sim->work += sim->decide.pres.n;
    for (uint32_t i = 0; i < sim->decide.pres.n; i++)
        set_pre(sim, &sim->decide.pres.at[i], how);
}

static bool steps_are_fixed(const Sim *sim)
{
    return sim->opt.solver == SOL_SOLVER_EULER;
}

static bool is_real(const Sim *sim, DdpVar var)
{
    WorldVar view;
    return !world_var(sim->world, var, &view) || view.type == TYPE_REAL;
}

/* A fixed step sees at its end what has changed, when Booleans have their new values already. What is no Real changes at events
 * alone: before this one it had the value behind the last. */
void event_set_left_pres(Sim *sim)
{
    if (!steps_are_fixed(sim)) {
        set_pres(sim, EVAL_PLAIN);
        return;
    }
    for (uint32_t i = 0; i < sim->decide.pres.n; i++)
        if (is_real(sim, sim->decide.pres.at[i].of))
            set_pre(sim, &sim->decide.pres.at[i], EVAL_PLAIN);
}

void event_keep_pres(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.pres.n && steps_are_fixed(sim); i++)
        if (!is_real(sim, sim->decide.pres.at[i].of))
            set_pre(sim, &sim->decide.pres.at[i], EVAL_PLAIN);
}

/* One in a relation that lasts, and that has not the value of the update that ends; 0: none. */
static DdpVar unsettled_pre(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.pres.n; i++) {
        const PreMemo *pre = &sim->decide.pres.at[i];
        if (!pre->lasts)
            continue;
        evaluate_fetch(sim, pre->of, EVAL_EVENT);
        if (sim->info[pre->of].has && sim->value[pre->of] != sim->value[pre->var])
            return pre->of;
    }
    return 0;
}

/* U4: initial() ends, and conditions that read it are decided again, before the next update begins.
 */
static SolStatus end_initial(Sim *sim)
{
    if (!sim->decide.initials.n)
        return SOL_OK;
    vec_clear(&sim->update.olds); /* the update that ends keeps its values */
    for (uint32_t i = 0; i < sim->decide.initials.n; i++)
        values_set(sim, sim->decide.initials.at[i], 0);
    vec_clear(&sim->decide.initials);
    SolStatus status = evaluate_dirty(sim, EVAL_EVENT);
    sim->decide.decided_before = sim->decide.decisions.n;
    if (status == SOL_OK)
        look_at_candidates(sim);
    return status;
}

/* All that the update that ends says of branches. */
static SolStatus decide_all(Sim *sim)
{
    vec_clear(&sim->decide.decisions);
    vec_clear(&sim->update.deferred);
    sim->decide.decided_before = 0;
    look_at_candidates(sim);
    return end_initial(sim);
}

const char *event_terminated(const Sim *sim)
{
    return sim->decide.terminated ? intern_text(program_names(sim->program), sim->decide.terminated)
                                  : NULL;
}

/* ---- the updates ---- */

enum { NAMED = 20, CYCLE = 100 };

static SolStatus too_many(Sim *sim)
{
    diag_error(sim->diags, 0, "at time %.10g, conditions still change after %u updates", sim->time,
               sim->opt.max_updates);
    for (uint32_t i = 0; i < sim->decide.cycle.n && i < NAMED; i++)
        diag_note(sim->diags, sim->decide.cycle.at[i].at, "this condition keeps firing: %s",
                  sim->decide.cycle.at[i].text);
    if (sim->decide.cycle.n > NAMED)
        diag_note(sim->diags, 0, "and %u others", sim->decide.cycle.n - NAMED);
    mode_search_tell(sim);
    return SOL_NUMERICS;
}

static bool is_noted(const Sim *sim, Place at, const char *text)
{
    for (uint32_t i = 0; i < sim->decide.cycle.n; i++)
        if (sim->decide.cycle.at[i].at == at && strcmp(sim->decide.cycle.at[i].text, text) == 0)
            return true;
    return false;
}

/* Who fires in update i, once the event is about to have too many: a cycle may be longer than one
 * update. */
static void note_cycle(Sim *sim, uint32_t i)
{
    if (i == 0)
        vec_clear(&sim->decide.cycle);
    if (i + CYCLE < sim->opt.max_updates)
        return;
    for (uint32_t k = 0; k < sim->decide.decisions.n; k++) {
        BranchId id = sim->decide.decisions.at[k].branch;
        WorldBranch view;
        bool leaves = sim->branches.at[id].when && sim->decide.decisions.at[k].choice != WORLD_THEN;
        if (leaves || !world_branch(sim->world, id, &view))
            continue;
        const char *text = explain_condition(sim, id);
        if (!is_noted(sim, view.at, text))
            vec_push(sim->mem, &sim->decide.cycle, ((CycleMemo){view.at, text}));
    }
}

/* Do the decisions at hand begin a `when`? */
static bool fires(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++)
        if (sim->decide.decisions.at[i].choice == WORLD_THEN &&
            sim->branches.at[sim->decide.decisions.at[i].branch].when)
            return true;
    return false;
}

/* Notes the number of states after an update that changed the structure. A `when` that only
 * transmits is no change of its own: what it does shows in the next update. Where it takes states
 * away, it is an impulse, and is noted. */
static void note_states(Sim *sim, bool fired)
{
    uint32_t n = sim->record.states.n;
    uint32_t before = n ? sim->record.states.at[n - 1] : sim->record.event.states_before;
    if (!fired || sim->states.n != before)
        vec_push(sim->mem, &sim->record.states, sim->states.n);
}

typedef struct Placed {
    Place at;
    WorldDecision decision;
} Placed;

static int by_text(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    if (x->at != y->at)
        return (x->at > y->at) - (x->at < y->at);
    return (x->decision.branch > y->decision.branch) - (x->decision.branch < y->decision.branch);
}

static void sort_placed(uint32_t n, Placed *list)
{
    if (n > FEW)
        qsort(list, n, sizeof *list, by_text);
    for (uint32_t i = 1; i < n && n <= FEW; i++) {
        Placed one = list[i];
        uint32_t k = i;
        for (; k && by_text(&list[k - 1], &one) > 0; k--)
            list[k] = list[k - 1];
        list[k] = one;
    }
}

/* Moves of branches that begin together run in the order of the text. */
static void sort_decisions(Sim *sim)
{
    uint32_t n = sim->decide.decisions.n;
    if (n < 2)
        return;
    Placed few[FEW], *list = n > FEW ? mem_alloc(sim->mem, n * sizeof *list) : few;
    for (uint32_t i = 0; i < n; i++)
        list[i] = (Placed){world_branch_place(sim->world, sim->decide.decisions.at[i].branch),
                           sim->decide.decisions.at[i]};
    sort_placed(n, list);
    for (uint32_t i = 0; i < n; i++)
        sim->decide.decisions.at[i] = list[i].decision;
    if (list != few)
        mem_free(sim->mem, list);
}

/* Two events are alike if their first decisions are: of the same branches, not of others that have their numbers now. */
static void note_kind(Sim *sim)
{
    uint64_t kind = 0;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++) {
        WorldDecision one = sim->decide.decisions.at[i];
        kind = hash_u64(kind ^ sim->branches.at[one.branch].born);
        kind = hash_u64(kind ^ ((uint64_t)one.branch << 2 | (uint64_t)one.choice));
    }
    known_step_kind(sim, kind);
}

/* Triggers of the event are the decisions that were taken: not those that one higher up ruled over.
 */
static SolStatus change_structure(Sim *sim)
{
    uint32_t n = sim->decide.decisions.n;
    sort_decisions(sim);
    note_kind(sim);
    SolStatus status = structure_choose(sim);
    for (uint32_t i = 0; i < n && status == SOL_OK; i++) {
        const WorldDecision *decision = &sim->decide.decisions.at[i];
        if ((!sim->branches.at[decision->branch].when || decision->choice == WORLD_THEN) &&
            world_branch_chose(sim->world, decision->branch, decision->choice))
            event_remember_trigger(sim, decision->branch);
    }
    return status;
}

/* One update after the other. On entry values are those of the update that begins the event. */
static SolStatus updates(Sim *sim)
{
    for (uint32_t i = 0;; i++) {
        sim->counts.updates++;
        sim->record.event.updates++;
        uint64_t before = sim->change.count;
        if (sim->update.acting) {
            cout_note(sim);
            reinit_note(sim);
        }
        SolStatus status = decide_all(sim);
        if (sim->decide.assertion_failed)
            return SOL_MODEL;
        if (status != SOL_OK)
            return status;
        if (!mode_search_choose(sim))
            return SOL_NUMERICS;
        update_end(sim);
        samples_clear(sim, mode_search_returned(sim));
        sim->decide.unsettled = unsettled_pre(sim);
        if (!sim->decide.decisions.n && !sim->change.heap.n && sim->change.count == before &&
            !sim->decide.unsettled)
            return SOL_OK; /* other pre values alone begin no update */
        set_pres(sim, EVAL_EVENT);
        note_cycle(sim, i);
        if (i >= sim->opt.max_updates)
            return too_many(sim);
        bool structural = sim->decide.decisions.n > 0, fired = fires(sim);
        if (structural)
            status = change_structure(sim);
        sim->update.acting = fired;
        sim->update.due = true;
        if (status == SOL_OK)
            status = implicit_settle(sim);
        if (status == SOL_OK)
            status = mode_search_settle(sim, fired);
        if (status == SOL_OK)
            status = impulse_settle(sim);
        if (status != SOL_OK)
            return status;
        if (structural)
            note_states(sim, fired);
    }
}

/* What lasts as long as the event in which it was born ends; false: there is nothing. */
static bool end_births(Sim *sim)
{
    bool any = sim->decide.borns.n > 0;
    for (uint32_t i = 0; i < sim->decide.borns.n; i++)
        values_set(sim, sim->decide.borns.at[i], 0);
    vec_clear(&sim->decide.borns);
    return any;
}

/* Comparisons at their boundary are decided when the phase would begin; what that makes true
 * belongs to this event. */
static SolStatus updates_and_ties(Sim *sim)
{
    uint32_t messages = sim->diags->list.n;
    for (;;) {
        SolStatus status =
            sim->record.event.updates > sim->opt.max_updates ? too_many(sim) : updates(sim);
        if (status == SOL_OK)
            status = implicit_finish(sim);
        if (status == SOL_OK && !event_leave_ties(sim) && !mode_search_again(sim) &&
            !end_births(sim))
            break;
        if (status == SOL_OK) {
            update_resume(sim);
            status = evaluate_dirty(sim, EVAL_EVENT);
        }
        bool contradicts = status == SOL_MODEL && world_transmits_twice(sim->world);
        if ((status == SOL_NUMERICS || (status == SOL_MODEL && !contradicts)) &&
            mode_search_failed(sim)) {
            diags_drop_errors(sim->diags, messages); /* of a combination that cannot be solved */
            continue;
        }
        if (status != SOL_OK)
            return status;
    }
    part_graph_settle(sim); /* once: ties may change the structure again */
    return parts_status(sim);
}

bool event_is_edit(const Sim *sim)
{
    return sim->decide.edit != NULL;
}

void event_set_edit(Sim *sim, SolStatus (*edit)(Sim *sim, void *context, int phase), void *context)
{
    sim->decide.edit = edit;
    sim->decide.edit_context = context;
}

void event_pardon(Sim *sim)
{
    sim->start.role_failed = sim->decide.assertion_failed = false;
    evaluate_give_up(sim);
}

SolStatus event_end_whens(Sim *sim)
{
    WorldBranch view;
    vec_clear(&sim->decide.decisions);
    for (uint32_t i = 0; i < sim->decide.candidates.n; i++) {
        BranchId id = sim->decide.candidates.at[i];
        if (sim->branches.at[id].live && sim->branches.at[id].when &&
            world_branch(sim->world, id, &view) && view.choice == WORLD_THEN)
            decide(sim, id, WORLD_ELSE);
    }
    return sim->decide.decisions.n ? structure_choose(sim) : SOL_OK;
}

/* An edit: its change of the structure with the births that follow, then values that it sets. */
static SolStatus take_edit(Sim *sim)
{
    sim->update.complete = false;
    cause_edited(sim);
    SolStatus status = sim->decide.edit(sim, sim->decide.edit_context, 0);
    if (status != SOL_OK)
        return status;
    sim->start.edited = true;
    sim->update.acting = false;
    sim->update.due = true;
    status = implicit_settle(sim);
    if (status == SOL_OK)
        status = mode_search_settle(sim, false);
    if (status == SOL_OK)
        status = impulse_settle(sim);
    if (status == SOL_OK)
        note_states(sim, false);
    if (status == SOL_OK)
        status = sim->decide.edit(sim, sim->decide.edit_context, 1);
    return status == SOL_OK ? evaluate_dirty(sim, EVAL_EVENT) : status;
}

SolStatus event_iterate(Sim *sim, bool first)
{
    sim->search.exact = sim->search.rounded = sim->decide.chose_if = sim->start.edited = false;
    known_step_begin(sim);
    mode_search_begin(sim);
    trail_begin(sim);
    impulse_begin(sim);
    if (first) {
        sim->search.impulse_time = -INFINITY;
    } else {
        update_end(sim);
        samples_due(sim);
        delay_due(sim);
        update_begin(sim);
        update_resume(sim);
    }
    SolStatus status = first ? SOL_OK : update_look_back(sim);
    if (status == SOL_OK)
        status = evaluate_dirty(sim, EVAL_EVENT);
    if (status == SOL_OK && !first)
        status = implicit_agree(sim, SOL_OK, sim->diags->list.n);
    if (status == SOL_OK && sim->decide.edit)
        status = take_edit(sim);
    if (status == SOL_OK)
        status = updates_and_ties(sim);
    sim->update.complete = sim->update.acting = false;
    if (status == SOL_OK && !first)
        status = impulse_tell(sim);
    if (status == SOL_OK && !first)
        trail_warn_jumps(sim);
    if (status == SOL_OK && sim->decide.runaway)
        status = firings_ran_away(sim);
    return status;
}

SolStatus event_settle_start(Sim *sim)
{
    return implicit_settle(sim);
}

void event_close(Sim *sim)
{
    for (BranchId id = 0; id < sim->branches.n; id++) {
        mem_free(sim->mem, sim->branches.at[id].firings);
        explain_forget_branch(sim, &sim->branches.at[id]);
    }
    vec_free(sim->mem, &sim->branches);
    samples_close(sim);
    vec_free(sim->mem, &sim->decide.faster);
    vec_free(sim->mem, &sim->decide.pres);
    vec_free(sim->mem, &sim->decide.delays);
    vec_free(sim->mem, &sim->decide.borns);
    vec_free(sim->mem, &sim->decide.delayed);
    vec_free(sim->mem, &sim->start.monitored);
    vec_free(sim->mem, &sim->start.starts);
    vec_free(sim->mem, &sim->start.zeroed);
    vec_free(sim->mem, &sim->start.reinits);
    vec_free(sim->mem, &sim->start.begins);
    vec_free(sim->mem, &sim->decide.initials);
    vec_free(sim->mem, &sim->decide.decisions);
    vec_free(sim->mem, &sim->start.integers);
    vec_free(sim->mem, &sim->start.selected);
    vec_free(sim->mem, &sim->decide.candidates);
    vec_free(sim->mem, &sim->decide.looked_at);
    vec_free(sim->mem, &sim->search.clocks);
    vec_free(sim->mem, &sim->update.turned);
    vec_free(sim->mem, &sim->update.undecided);
    vec_free(sim->mem, &sim->update.deferred);
    vec_free(sim->mem, &sim->update.olds);
    vec_free(sim->mem, &sim->decide.movable);
    mode_search_close(sim);
    trail_close(sim);
    impulse_close(sim);
    implicit_close(sim);
    event_news_close(sim);
    vec_free(sim->mem, &sim->record.couts);
    vec_free(sim->mem, &sim->record.noted);
    vec_free(sim->mem, &sim->record.triggers);
    vec_free(sim->mem, &sim->record.causes);
    map_free(sim->mem, &sim->start.started_again);
    vec_free(sim->mem, &sim->record.states);
}
