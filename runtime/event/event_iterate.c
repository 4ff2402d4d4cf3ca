/* event_iterate.c: one event -> its updates (t, i), until no trigger fires (thesis 5.8).
 *
 * In each update all conditions are looked at in the present structure; what fired is taken
 * together as one structural change, whose birth update (init.c) is the next one. A `when` branch
 * lives for one update. Between two updates flags are cleared (initial(), Sample) and pre values
 * become those of the update that ends. The event is over when an update fires nothing and clears
 * nothing that anyone reads; only then must everything be determined.
 */
#include "runtime/event/event_cause.h"
#include "runtime/eval/compare.h"
#include "runtime/event/mode_search.h"
#include "runtime/event/event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
static void count_condition(Sim *sim, BranchMemo *memo, DdpVar var)
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
    if (!sim->output.to.mode || memo->when || memo->noted || !memo->live)
        return;
    memo->noted = true;
    vec_push(sim->mem, &sim->output.modes, id);
}

/* The number may stand in modes_seen, and be used again by another branch: one entry serves it. */
static void forget_mode(Sim *sim, BranchMemo *memo)
{
    if (memo->serial)
        vec_push(sim->mem, &sim->output.modes_gone, memo->serial);
    memo->serial = 0;
    memo->told = WORLD_NONE;
}

/* ---- who may have changed ---- */

void event_suspect(Sim *sim, BranchId id)
{
    if (sim->branches.at[id].suspect)
        return;
    sim->branches.at[id].suspect = true;
    vec_push(sim->mem, &sim->suspects, id);
}

void event_suspect_var(Sim *sim, DdpVar var)
{
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next)
        event_suspect(sim, id);
}

void event_forget_suspects(Sim *sim)
{
    for (uint32_t i = 0; i < sim->suspects.n; i++)
        sim->branches.at[sim->suspects.at[i]].suspect = false;
    vec_clear(&sim->suspects);
}

/* The path to its condition goes through what may be exchanged: it is looked at in every update. */
static void set_loose(Sim *sim, BranchId id, bool loose)
{
    BranchMemo *memo = &sim->branches.at[id];
    if (loose && !memo->loose) {
        vec_push(sim->mem, &sim->loose, id);
        memo->loose = sim->loose.n;
    } else if (!loose && memo->loose) {
        BranchId last = vec_pop(&sim->loose);
        if (last != id) {
            sim->loose.at[memo->loose - 1] = last;
            sim->branches.at[last].loose = memo->loose;
        }
        memo->loose = 0;
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
        event_suspect(sim, id);
        return;
    }
    set_loose(sim, id, false);
    mem_free(sim->mem, memo->firings);
    memo->firings = NULL;
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
    *memo = (BranchMemo){.live = true,
                         .when = view.when,
                         .noted = memo->noted,
                         .suspect = memo->suspect,
                         .turned = memo->turned, /* it is in that list */
                         .newborn = true,
                         .fell = INFINITY};
    if (view.copy_of && view.copy_of < sim->branches.n)
        memo->truth = sim->branches.at[view.copy_of].truth;
    count_condition(sim, memo, view.condition);
    set_loose(sim, id, view.loose);
    event_suspect(sim, id);
    event_note_mode(sim, id);
}

/* Where the path to its condition may lead elsewhere is asked again. */
void event_link_branch(Sim *sim, BranchId id, DdpVar condition)
{
    BranchMemo *memo = &sim->branches.at[id];
    WorldBranch view = {0};
    world_branch(sim->world, id, &view);
    memo->condition = memo->next = 0;
    count_condition(sim, memo, condition);
    set_loose(sim, id, memo->live && view.loose);
}

void event_forget_branches(Sim *sim)
{
    event_forget_suspects(sim);
    vec_clear(&sim->loose);
    for (BranchId id = 0; id < sim->branches.n; id++) {
        BranchMemo *memo = &sim->branches.at[id];
        memo->condition = memo->next = memo->loose = 0;
    }
}

/* The truth of a condition in this update; one that is not determined keeps the one it had, and so
 * does one that depends on what is left alone (U2). */
static bool truth_of(const Sim *sim, const BranchMemo *memo, DdpVar condition)
{
    const ValueInfo *info = &sim->info[condition];
    if (!info->has || info->pending)
        return memo->truth;
    if (!evaluate_is_determined(sim, condition))
        return memo->truth;
    if (update_left_alone(sim, condition))
        return memo->truth;
    return sim->value[condition] != 0;
}

/* For the record of the event; the start has none. */
static void remember_trigger(Sim *sim, BranchId id)
{
    if (!sim->record.tell || !sim->output.shown)
        return;
    const char *text = explain_condition(sim, id);
    for (uint32_t i = 0; i < sim->trigger_texts.n; i++)
        if (strcmp(sim->trigger_texts.at[i], text) == 0)
            return;
    vec_push(sim->mem, &sim->trigger_texts, text);
}

/* ---- events that follow each other ever faster ---- */

enum { SHRINKING = 15, TIGHT = 30, QUICK = 16, OFTEN = 8, MOST_MARGIN = 100 };

/* Gaps between firings that are made of rounding, as a part of the whole time: some hundred times
 * what the location of events can tell apart. */
static const double SHORTEST = 1e-13;

/* Firings of one condition by states: at intervals that shrink without end (Zeno), or that are no
 * longer than rounding (chattering). Conditions of the clock and of held values may fire as they
 * like. */
static void note_firing(Sim *sim, BranchId id, BranchMemo *memo)
{
    DdpNode node = sim->info[memo->condition].node;
    if (!node || !sim->nodes.at[node].varies || sim->event.updates > 1)
        return;
    if (!memo->firings) {
        memo->firings = mem_alloc(sim->mem, sizeof *memo->firings);
        memo->firings->last = NAN;
    }
    Firings *past = memo->firings;
    double gap = sim->time - past->last, whole = sim->opt.stop - sim->opt.start;
    if (gap < past->gap) {
        past->shrinking++;
    } else {
        past->shrinking = 0;
    }
    double ratio = gap / past->gap;
    if (ratio < 1 && ratio > past->ratio / 2) /* the last gaps are made of rounding */
        past->limit = sim->time + gap * ratio / (1 - ratio);
    past->ratio = ratio;
    bool short_gap = gap <= SHORTEST * fmax(whole, fabs(sim->time));
    past->tight = short_gap ? past->tight + 1 : 0;
    past->often = gap <= compare_look(sim) / QUICK ? past->often + 1 : past->often / 2;
    past->since = past->often ? past->since : sim->time;
    past->gap = gap;
    past->last = sim->time;
    past->up_to = -INFINITY;
    if (past->tight >= TIGHT || (past->shrinking >= SHRINKING && short_gap))
        sim->runaway = id;
}

/* How many tolerances of the integrator a condition must be beyond its boundary to count. Where it
 * fires again and again, quickly and without any impulse, the integrator's error fires, and more of
 * them the longer it goes on. */
uint32_t event_margin(const Sim *sim, DdpVar var)
{
    uint32_t margin = 0;
    for (BranchId id = var ? sim->info[var].branches : 0; id; id = sim->branches.at[id].next) {
        const Firings *past = sim->branches.at[id].firings;
        if (past && past->often / OFTEN > margin && sim->impulse_time < past->since)
            margin = past->often / OFTEN;
    }
    return margin < MOST_MARGIN ? margin : MOST_MARGIN;
}

/* What is on the other side for half a look counts there, however near it is: errors come and go.
 */
bool event_persists(Sim *sim, DdpVar var, double lo, double hi)
{
    bool long_enough = false;
    double look = compare_look(sim);
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next) {
        Firings *past = sim->branches.at[id].firings;
        if (!past)
            continue;
        if (lo - past->up_to > 1e-12 * fmax(look, fabs(lo)))
            past->doubted = hi;
        past->up_to = hi;
        long_enough |= hi - past->doubted > look / 2;
    }
    return long_enough;
}

static SolStatus ran_away(Sim *sim)
{
    const Firings *known = sim->branches.at[sim->runaway].firings;
    Firings past = known ? *known : (Firings){0}; /* none: the event that it caused ended it */
    WorldBranch view = {0};
    world_branch(sim->world, sim->runaway, &view);
    const char *text = explain_condition(sim, sim->runaway);
    if (past.tight >= TIGHT && !sim->branches.at[sim->runaway].when) {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s slides: where it holds the motion leads to where "
            "it does not, and back, %u times in a row at intervals of %.3g or less",
            sim->time, text, past.tight, past.gap);
        diag_note(sim->diags, view.at,
                  "give it a hysteresis, or a branch for the motion along its boundary");
    } else if (past.tight >= TIGHT) {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s chatters: it fired %u times in a row at intervals of "
            "%.3g or less",
            sim->time, text, past.tight, past.gap);
        diag_note(sim->diags, view.at,
                  "give it a hysteresis, or a branch for the motion along its boundary");
    } else {
        diag_error(
            sim->diags, view.at,
            "at time %.10g the condition %s has fired %u times at ever shorter intervals, the last "
            "of %.3g: its events accumulate at about %.10g",
            sim->time, text, past.shrinking + 1, past.gap, past.limit);
        diag_note(sim->diags, view.at, "give the model a branch in which it comes to rest");
    }
    return SOL_NUMERICS;
}

/* A second look, after initial() ended (U4), may find an `if` otherwise. */
static void decide(Sim *sim, BranchId id, WorldChoice choice)
{
    for (uint32_t i = 0; i < sim->decided_before; i++)
        if (sim->decisions.at[i].branch == id) {
            if (!sim->branches.at[id].when)
                sim->decisions.at[i].choice = choice;
            return;
        }
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
        diag_note(sim->diags, view->at, "this does not hold: %s", explain_assertion(sim, view));
    sim->run.assertion_failed = true;
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
        note_firing(sim, id, memo);
    }
    if (memo->truth != truth)
        event_unsettle(sim, memo->condition);
    memo->truth = truth;
    if (memo->fell <= sim->time) /* else it was found in a step that reaches beyond this event */
        memo->fell = INFINITY;
}

/* What it is compared with is the branch that is there: truth changes when that does. */
static void look_at_if(Sim *sim, BranchId id, BranchMemo *memo, const WorldBranch *view)
{
    bool truth = truth_of(sim, memo, view->condition);
    if (truth == memo->truth)
        return;
    decide(sim, id, truth ? WORLD_THEN : WORLD_ELSE);
    note_firing(sim, id, memo);
}

static int ascending(const void *a, const void *b)
{
    BranchId x = *(const BranchId *)a, y = *(const BranchId *)b;
    return (x > y) - (x < y);
}

/* A `when` that was taken is left in the next update, so it stays suspect. */
static void look_at_suspects(Sim *sim)
{
    for (uint32_t i = 0; i < sim->loose.n; i++)
        event_suspect(sim, sim->loose.at[i]);
    VEC(BranchId) list = {0};
    list.at = sim->suspects.at;
    list.n = sim->suspects.n;
    list.cap = sim->suspects.cap;
    sim->suspects.at = NULL;
    sim->suspects.n = sim->suspects.cap = 0;
    if (list.n > 1)
        qsort(list.at, list.n, sizeof *list.at, ascending);
    sim->work += list.n;
    for (uint32_t i = 0; i < list.n; i++)
        sim->branches.at[list.at[i]].suspect = false;
    for (uint32_t i = 0; i < list.n; i++) {
        BranchId id = list.at[i];
        BranchMemo *memo = &sim->branches.at[id];
        WorldBranch view;
        if (!memo->live || !world_branch(sim->world, id, &view))
            continue;
        if (view.newborn || view.rests) {
            event_suspect(sim, id);
            continue;
        }
        if (view.condition)
            evaluate_fetch(sim, view.condition);
        count_condition(sim, memo, view.condition);
        if (view.condition && (update_left_alone(sim, view.condition) ||
                               !evaluate_is_determined(sim, view.condition))) { /* U2 */
            event_suspect(sim, id);
            vec_push(sim->mem, &sim->deferred, id);
        }
        if (view.when)
            look_at_when(sim, id, memo, &view);
        else
            look_at_if(sim, id, memo, &view);
    }
    vec_free(sim->mem, &list);
}

/* Would it be taken? A `when` whose condition ended in between remembers since when. */
static bool would_fire(Sim *sim, BranchMemo *memo)
{
    bool truth = truth_of(sim, memo, memo->condition);
    if (memo->when && !truth && memo->truth) {
        memo->fell = fmin(memo->fell, sim->time);
        event_unsettle(sim, memo->condition);
        return false;
    }
    return memo->when ? truth && !remembered(sim, memo) : truth != memo->truth;
}

/* Would a condition of this truth take a branch? */
bool event_would_take(const Sim *sim, DdpVar var, bool truth)
{
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next) {
        const BranchMemo *memo = &sim->branches.at[id];
        if (memo->when ? truth && !remembered(sim, memo) : truth != memo->truth)
            return true;
    }
    return false;
}

/* The truth in which none of the branches of a condition will be taken, or -1. */
static int8_t calm_truth(const Sim *sim, DdpVar var)
{
    BranchId first = sim->info[var].branches;
    int8_t truth = first ? sim->branches.at[first].truth : -1;
    for (BranchId id = first; id; id = sim->branches.at[id].next)
        if (sim->branches.at[id].truth != truth || sim->branches.at[id].fell != INFINITY)
            return -1;
    return truth;
}

/* Memory or branches of the condition change. */
void event_unsettle(Sim *sim, DdpVar var)
{
    const EvalNode *node = sim->info[var].node ? &sim->nodes.at[sim->info[var].node] : NULL;
    if (node && node->part && node->root)
        node->part->notes.at[node->root - 1].calm = -1;
}

#define EACH_BRANCH(sim, node, id)                                                                 \
    for (uint32_t o_ = 0; o_ < (node)->n_steps + (node)->n_tears; o_++)                            \
        for (BranchId id = (sim)->info[node_output((node), o_)].branches; id;                      \
             id = (sim)->branches.at[id].next)

bool event_conditions_changed(Sim *sim, const NodeList *nodes)
{
    bool any = false;
    for (uint32_t i = 0; i < nodes->n; i++)
        EACH_BRANCH (sim, &sim->nodes.at[nodes->at[i]], id)
            any |= would_fire(sim, &sim->branches.at[id]);
    return any;
}

static bool suspect_node(Sim *sim, const EvalNode *node)
{
    bool any = false;
    EACH_BRANCH (sim, node, id) {
        BranchMemo *memo = &sim->branches.at[id];
        bool fires = would_fire(sim, memo);
        if (fires || memo->fell <= sim->time || update_left_alone(sim, memo->condition))
            event_suspect(sim, id); /* what is left alone is decided in the next update: U2 */
        any |= fires;
    }
    return any;
}

/* Roots that are not calm: in a population of thousands these are a few. */
bool event_suspect_changed(Part *part)
{
    Sim *sim = part->sim;
    bool any = false;
    for (uint32_t i = 0; i < part->roots.n; i++) {
        RootNote *note = &part->notes.at[i];
        if (note->var && note->calm == (sim->value[note->var] != 0))
            continue;
        any |= suspect_node(sim, &sim->nodes.at[part->roots.at[i]]);
        if (note->var)
            note->calm = calm_truth(sim, note->var);
    }
    return any;
}

/* What a step found behind this event is searched for again. Who fell is not calm. */
void event_forget_falls(Part *part)
{
    Sim *sim = part->sim;
    for (uint32_t i = 0; i < part->roots.n; i++)
        if (part->notes.at[i].calm < 0)
            EACH_BRANCH (sim, &sim->nodes.at[part->roots.at[i]], id)
                if (sim->branches.at[id].fell > sim->time)
                    sim->branches.at[id].fell = INFINITY;
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
            sim->branches.at[id].fell = sim->time;
    event_unsettle(sim, var);
    return first != 0;
}

/* ---- flags between updates ---- */

void event_set_pres(Sim *sim)
{
    sim->work += sim->pres.n;
    for (uint32_t i = 0; i < sim->pres.n; i++) {
        evaluate_fetch(sim, sim->pres.at[i].of);
        if (sim->info[sim->pres.at[i].of].has)
            values_set(sim, sim->pres.at[i].var, sim->value[sim->pres.at[i].of]);
    }
}

/* U2: does a condition that was not decided read it? */
static bool is_awaited(const Sim *sim, DdpVar sample)
{
    for (uint32_t i = 0; i < sim->deferred.n; i++) {
        DdpNode n = sim->info[sim->branches.at[sim->deferred.at[i]].condition].node;
        for (uint32_t k = 0; n && k < sim->nodes.at[n].n_reads; k++)
            if (sim->nodes.at[n].reads[k].var == sample)
                return true;
    }
    return false;
}

static void clear_samples(Sim *sim)
{
    for (uint32_t i = 0; i < sim->samples.n; i++)
        if (!sim->deferred.n || !is_awaited(sim, sim->samples.at[i].var))
            values_set(sim, sim->samples.at[i].var, 0);
}

/* U4: initial() ends, and conditions that read it are decided again, before the next update begins.
 */
static SolStatus end_initial(Sim *sim)
{
    if (!sim->initials.n)
        return SOL_OK;
    vec_clear(&sim->olds); /* the update that ends keeps its values */
    for (uint32_t i = 0; i < sim->initials.n; i++)
        values_set(sim, sim->initials.at[i], 0);
    vec_clear(&sim->initials);
    SolStatus status = evaluate_dirty(sim);
    sim->decided_before = sim->decisions.n;
    if (status == SOL_OK)
        look_at_suspects(sim);
    return status;
}

/* All that the update that ends says of branches. */
static SolStatus decide_all(Sim *sim)
{
    vec_clear(&sim->decisions);
    vec_clear(&sim->deferred);
    sim->decided_before = 0;
    look_at_suspects(sim);
    return end_initial(sim);
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
        if (!hold_reached(sim, due(memo)))
            continue;
        values_set(sim, memo->var, 1);
        cause_sample(sim, memo->var);
        while (hold_reached(sim, due(memo)))
            memo->next++;
    }
}

/* ---- the updates ---- */

enum { NAMED = 20, CYCLE = 100 };

static SolStatus too_many(Sim *sim)
{
    diag_error(sim->diags, 0, "at time %.10g, conditions still change after %u updates", sim->time,
               sim->opt.max_updates);
    for (uint32_t i = 0; i < sim->cycle.n && i < NAMED; i++)
        diag_note(sim->diags, sim->cycle.at[i].at, "this condition keeps firing: %s",
                  sim->cycle.at[i].text);
    if (sim->cycle.n > NAMED)
        diag_note(sim->diags, 0, "and %u others", sim->cycle.n - NAMED);
    mode_search_tell(sim);
    return SOL_NUMERICS;
}

static bool is_noted(const Sim *sim, Place at, const char *text)
{
    for (uint32_t i = 0; i < sim->cycle.n; i++)
        if (sim->cycle.at[i].at == at && strcmp(sim->cycle.at[i].text, text) == 0)
            return true;
    return false;
}

/* Who fires in update i, once the event is about to have too many: a cycle may be longer than one
 * update. */
static void note_cycle(Sim *sim, uint32_t i)
{
    if (i == 0)
        vec_clear(&sim->cycle);
    if (i + CYCLE < sim->opt.max_updates)
        return;
    for (uint32_t k = 0; k < sim->decisions.n; k++) {
        BranchId id = sim->decisions.at[k].branch;
        WorldBranch view;
        bool leaves = sim->branches.at[id].when && sim->decisions.at[k].choice != WORLD_THEN;
        if (leaves || !world_branch(sim->world, id, &view))
            continue;
        const char *text = explain_condition(sim, id);
        if (!is_noted(sim, view.at, text))
            vec_push(sim->mem, &sim->cycle, ((CycleMemo){view.at, text}));
    }
}

/* Do the decisions at hand begin a `when`? */
static bool fires(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->decisions.n; i++)
        if (sim->decisions.at[i].choice == WORLD_THEN &&
            sim->branches.at[sim->decisions.at[i].branch].when)
            return true;
    return false;
}

/* Notes the number of states after an update that changed the structure. A `when` that only
 * transmits is no change of its own: what it does shows in the next update. Where it takes states
 * away, it is an impulse, and is noted. */
static void note_states(Sim *sim, bool fired)
{
    uint32_t n = sim->event_states.n;
    uint32_t before = n ? sim->event_states.at[n - 1] : sim->event.states_before;
    if (!fired || sim->states.n != before)
        vec_push(sim->mem, &sim->event_states, sim->states.n);
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

/* Moves of branches that begin together run in the order of the text. */
static void sort_decisions(Sim *sim)
{
    uint32_t n = sim->decisions.n;
    if (n < 2)
        return;
    Placed *list = mem_alloc(sim->mem, n * sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        WorldBranch view = {0};
        world_branch(sim->world, sim->decisions.at[i].branch, &view);
        list[i] = (Placed){view.at, sim->decisions.at[i]};
    }
    qsort(list, n, sizeof *list, by_text);
    for (uint32_t i = 0; i < n; i++)
        sim->decisions.at[i] = list[i].decision;
    mem_free(sim->mem, list);
}

/* Triggers of the event are the decisions that were taken: not those that one higher up ruled over.
 */
static SolStatus change_structure(Sim *sim)
{
    WorldBranch view;
    uint32_t n = sim->decisions.n;
    sort_decisions(sim);
    SolStatus status = init_choose(sim);
    for (uint32_t i = 0; i < n && status == SOL_OK; i++) {
        const WorldDecision *decision = &sim->decisions.at[i];
        if (world_branch(sim->world, decision->branch, &view) && view.choice == decision->choice &&
            !view.rests && (!view.when || view.choice == WORLD_THEN))
            remember_trigger(sim, decision->branch);
    }
    return status;
}

/* One update after the other. On entry values are those of the update that begins the event. */
static SolStatus updates(Sim *sim)
{
    for (uint32_t i = 0;; i++) {
        sim->counts.updates++;
        sim->event.updates++;
        uint64_t before = sim->changes;
        SolStatus status = decide_all(sim);
        if (sim->run.assertion_failed)
            return SOL_MODEL;
        if (status != SOL_OK)
            return status;
        if (!mode_search_choose(sim))
            return SOL_NUMERICS;
        update_end(sim);
        clear_samples(sim);
        if (!sim->decisions.n && !sim->heap.n && sim->changes == before)
            return SOL_OK; /* pre values alone begin no update */
        event_set_pres(sim);
        note_cycle(sim, i);
        if (i >= sim->opt.max_updates)
            return too_many(sim);
        bool structural = sim->decisions.n > 0, fired = fires(sim);
        if (structural)
            status = change_structure(sim);
        sim->acting = fired;
        sim->update_due = true;
        if (status == SOL_OK)
            status = init_settle(sim);
        if (status == SOL_OK)
            status = mode_search_settle(sim, fired);
        if (status != SOL_OK)
            return status;
        if (structural)
            note_states(sim, fired);
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
        if (status != SOL_OK)
            return status;
        if (!event_leave_ties(sim))
            break;
        update_resume(sim);
        status = evaluate_dirty(sim);
        if (status != SOL_OK)
            return status;
    }
    part_graph_settle(sim); /* once: ties may change the structure again */
    return sim->meet_status;
}

SolStatus event_iterate(Sim *sim, bool first)
{
    sim->break_ties = true;
    mode_search_begin(sim);
    if (first) {
        sim->impulse_time = -INFINITY;
    } else {
        update_end(sim);
        samples_due(sim);
        update_begin(sim);
        update_resume(sim);
    }
    SolStatus status = first ? SOL_OK : update_look_back(sim);
    if (status == SOL_OK)
        status = evaluate_dirty(sim);
    if (status == SOL_OK)
        status = updates_and_ties(sim);
    sim->break_ties = sim->updating = sim->acting = false;
    if (status == SOL_OK && sim->runaway)
        status = ran_away(sim);
    return status;
}
