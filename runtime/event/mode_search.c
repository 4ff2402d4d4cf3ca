/* mode_search.c: decisions of updates -> the same, or one of them. See mode_search.h.
 *
 * A round is a rule by which decisions are taken; when a combination returns in a round, the next
 * one begins.
 *
 *   TOGETHER  as always, but comparisons within rounding of their boundary are decided by the side
 *             they leave to: at the corner of two laws both hold, and only the slope tells them
 *             apart (U6).
 *   TOLERANT  the same, within the tolerance of the integrator, and as if the event were when the
 *             comparison that rounding blurs most crosses its boundary.
 *   LOWEST    of the conditions that fired the one with the lowest number alone. For diodes with
 *             resistance, and for contacts, that ends: their equations are a linear complementarity
 *             problem with positive principal minors, and this is the least-index rule of Murty
 *             (1974).
 *   HIGHEST   the one with the highest number.
 *   DRAWN     any of them, drawn.
 *   FORCED    first some that have not fired, whatever their conditions say: each alone, then each
 *             two, and so on through all combinations of the few that are armed; then the lowest.
 *   AS_IT_WAS as always; states may jump.
 *
 * From LOWEST on a round is an attempt: it begins where the event began (trail.h). One that leads
 * in a circle, cannot be solved, or makes a state jump has failed. Where an event has come to rest
 * with a state that jumped, and had a choice, attempts are made as well: the first that keeps the
 * states counts, else it goes as it went. Where updates went round in a circle, further attempts
 * tell whether there are several answers: the first counts, and a warning says so. Where there is
 * no way back to where the event began, rounds go on from where they are.
 *
 * Who can wait: conditions on what moves. What follows from held variables alone is carried out at
 * once, and as long as something is, nobody else decides: modes and what they bring belong
 * together.
 */
#include "runtime/event/mode_search.h"
#include "runtime/event/cout.h"
#include "runtime/eval/compare.h"
#include "runtime/event/mode_trace.h"
#include "runtime/event/trail.h"

#include "base/map.h"

#include <math.h>

enum {
    PATIENCE = 12,
    ENOUGH = 100,
    TIGHT = 3,
    MOST_NAMED = 20,
    FEW_DRAWN = 6,
    MOST_DRAWN = 12,
    MOST_ARMED = 16,
    MOST_COMPANIONS = 6,
    MOST_FORCED = 128 /* attempts: all combinations of seven */
};
static const double SAME = 1e-6; /* answers that differ by less are one */

typedef enum Round {
    NO_SEARCH,
    TOGETHER,
    TOLERANT,
    LOWEST,
    HIGHEST,
    DRAWN,
    FORCED,
    AS_IT_WAS
} Round;

typedef struct Concerned {
    BranchId id;
    Place at;
    const char *text;
} Concerned;

struct ModeSearch {
    Round round;
    uint64_t drawn;
    uint32_t stale;           /* updates since the last combination that was new */
    Map seen, combinations;   /* in this round; in all of them */
    double moment;            /* how exactly the time of the event is known */
    VEC(Concerned) concerned; /* conditions that fired in the search */
    bool attempts;            /* rounds begin where the event began */
    bool returning;           /* to there */
    bool returned;            /* in the update that ends */
    bool check;               /* that states have their values again */
    bool jumped;              /* the search began because a state jumped, not in a circle */
    bool last;                /* this attempt counts, whatever comes */
    bool plain;               /* behind it all begins again, as always */
    bool freely;              /* and there are no attempts any more: states may jump */
    bool told;                /* that there are several answers */
    uint32_t drawn_rounds, forced_rounds;
    VEC(BranchId) armed; /* that could be forced */
    uint32_t forced;     /* which of them are in this attempt: bit i is armed.at[i] */
    bool to_force;       /* that is still to be done */
    bool
        impulsive; /* those that an impulse would fire are forced, when it came, beside all that fires */
    uint32_t from; /* updates of the event when the return was over */
    bool found;
    Round found_round; /* of the first answer */
    uint32_t found_draw, found_forced;
    VEC(OldValue) answer;
};

void mode_search_close(Sim *sim)
{
    if (!sim->decide.modes)
        return;
    map_free(sim->mem, &sim->decide.modes->seen);
    map_free(sim->mem, &sim->decide.modes->combinations);
    vec_free(sim->mem, &sim->decide.modes->concerned);
    vec_free(sim->mem, &sim->decide.modes->armed);
    vec_free(sim->mem, &sim->decide.modes->answer);
    mem_free(sim->mem, sim->decide.modes);
    sim->decide.modes = NULL;
}

bool mode_search_returned(Sim *sim)
{
    bool returned = sim->decide.modes && sim->decide.modes->returned;
    if (returned)
        sim->decide.modes->returned = false;
    return returned;
}

bool mode_search_is_tight(const Sim *sim)
{
    return sim->decide.tight_events >= TIGHT;
}

bool mode_search_is_tolerant(const Sim *sim)
{
    return sim->decide.modes && sim->decide.modes->round >= TOLERANT && !sim->decide.modes->jumped;
}

double mode_search_moment(const Sim *sim)
{
    return mode_search_is_tolerant(sim) ? sim->decide.modes->moment : 0;
}

bool mode_search_returns(const Sim *sim)
{
    return sim->decide.modes && sim->decide.modes->returning;
}

/* Times that are closer belong to one circle. */
static double circle_moment(const Sim *sim)
{
    return 1e-8 * fmax(fabs(sim->time), compare_look(sim));
}

void mode_search_blur(Sim *sim, double moment)
{
    if (sim->decide.modes)
        sim->decide.modes->moment =
            fmin(fmax(sim->decide.modes->moment, moment), circle_moment(sim));
}

/* Events that follow each other at once are one circle: rounding is asked from the first update. */
void mode_search_begin(Sim *sim)
{
    double moment = circle_moment(sim);
    sim->decide.tight_events =
        sim->time - sim->decide.event_time <= moment ? sim->decide.tight_events + 1 : 0;
    sim->decide.event_time = sim->time;
    mode_search_close(sim);
    if (!mode_search_is_tight(sim))
        return;
    sim->decide.modes = mem_alloc(sim->mem, sizeof *sim->decide.modes);
    sim->decide.modes->round = TOGETHER;
}

/* ---- combinations ---- */

static uint64_t decisions(const Sim *sim)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++)
        sum += hash_u64((uint64_t)sim->decide.decisions.at[i].branch << 8 |
                        sim->decide.decisions.at[i].choice);
    return hash_u64(sum);
}

static bool returns(Sim *sim, Map *map, uint64_t key)
{
    if (map_get(map, key))
        return true;
    map_put(sim->mem, map, key, 1);
    return false;
}

/* ---- who waits ---- */

/* As if it had not been looked at; a Sample that it reads stays true for it. */
static void put_off(Sim *sim, const WorldDecision *decision)
{
    BranchMemo *memo = &sim->branches.at[decision->branch];
    if (memo->when) /* of an `if` it is the branch that is there */
        memo->truth = !memo->truth;
    vec_push(sim->mem, &sim->update.deferred, decision->branch);
    event_unsettle(sim, memo->condition);
    event_add_candidate(sim, decision->branch);
}

static uint64_t draw(struct ModeSearch *search)
{
    search->drawn += UINT64_C(0x9e3779b97f4a7c15);
    return hash_u64(search->drawn);
}

/* Of n that can wait, which one is taken; decisions are in no particular order. */
static BranchId pick(Sim *sim, uint32_t n)
{
    struct ModeSearch *search = sim->decide.modes;
    uint32_t nth = search->round == DRAWN ? (uint32_t)(draw(search) % n) : 0;
    BranchId best = 0;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++) {
        BranchId id = sim->decide.decisions.at[i].branch;
        if (!mode_can_wait(sim, &sim->decide.decisions.at[i]))
            continue;
        if (search->round == DRAWN && nth-- == 0)
            return id;
        if (!best || (search->round == HIGHEST ? id > best : id < best))
            best = id;
    }
    return best;
}

static void take_one(Sim *sim)
{
    uint32_t waiting = 0, kept = 0, n = sim->decide.decisions.n;
    for (uint32_t i = 0; i < n; i++)
        waiting += mode_can_wait(sim, &sim->decide.decisions.at[i]);
    BranchId only = waiting == n ? pick(sim, n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        WorldDecision decision = sim->decide.decisions.at[i];
        if (decision.branch != only && mode_can_wait(sim, &decision))
            put_off(sim, &decision);
        else
            sim->decide.decisions.at[kept++] = decision;
    }
    sim->decide.decisions.n = kept;
}

/* ---- the search ---- */

static void note_concerned(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++) {
        BranchId id = sim->decide.decisions.at[i].branch;
        uint32_t k = 0;
        while (k < search->concerned.n && search->concerned.at[k].id != id)
            k++;
        WorldBranch view;
        if (k < search->concerned.n || !mode_can_wait(sim, &sim->decide.decisions.at[i]) ||
            !world_branch(sim->world, id, &view))
            continue;
        vec_push(sim->mem, &search->concerned,
                 ((Concerned){id, view.at, explain_condition(sim, id)}));
    }
}

void mode_search_tell(Sim *sim)
{
    if (sim->decide.unsettled)
        diag_note(sim->diags, 0, "%s and its 'pre' never agree",
                  explain_var(sim, sim->decide.unsettled));
    if (sim->record.event.combinations)
        diag_note(sim->diags, 0,
                  "%u combinations of their branches were tried: none agrees with its "
                  "consequences",
                  sim->record.event.combinations);
}

static bool give_up(Sim *sim)
{
    const struct ModeSearch *search = sim->decide.modes;
    diag_error(sim->diags, 0, "at time %.10g, conditions still change after %u updates", sim->time,
               sim->record.event.updates);
    for (uint32_t i = 0; i < search->concerned.n && i < MOST_NAMED; i++)
        diag_note(sim->diags, search->concerned.at[i].at, "this condition keeps firing: %s",
                  search->concerned.at[i].text);
    if (search->concerned.n > MOST_NAMED)
        diag_note(sim->diags, 0, "and %u others", search->concerned.n - MOST_NAMED);
    mode_search_tell(sim);
    return false;
}

static void next_round(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (search->round == DRAWN)
        return;
    search->round++;
    map_free(sim->mem, &search->seen);
    search->seen = (Map){0};
}

/* ---- back to where the event began ---- */

/* What a `when` made jump was meant to. */
static bool has_jumped(Sim *sim)
{
    if (sim->search.impulse_time >= sim->time)
        return false;
    for (uint32_t i = 0; i < sim->decide.trail.states.n; i++)
        if (trail_jumped(sim, i))
            return true;
    return false;
}

static void return_held(Sim *sim)
{
    for (uint32_t i = sim->decide.trail.held.n; i-- > 0;)
        if (trail_is_old(sim, sim->decide.trail.held.at[i].var))
            values_set(sim, sim->decide.trail.held.at[i].var, sim->decide.trail.held.at[i].value);
}

/* What a branch holds that is there all the same (the clock chose it) is as that branch says, the rest as it was. */
static void settle_held(Sim *sim)
{
    for (uint32_t i = sim->decide.trail.held.n; i-- > 0;) {
        OldValue old = sim->decide.trail.held.at[i];
        if (!trail_is_old(sim, old.var))
            continue;
        if (sim->info[old.var].node)
            evaluate_touch_node(sim, sim->info[old.var].node);
        else
            values_set(sim, old.var, old.value);
    }
}

/* And truths of `when`s; when the structure is there. */
static void return_states(Sim *sim)
{
    settle_held(sim);
    for (uint32_t i = sim->decide.trail.begun.n; i-- > 0;)
        if (sim->info[sim->decide.trail.begun.at[i].var].state)
            values_set(sim, sim->decide.trail.begun.at[i].var, sim->decide.trail.begun.at[i].value);
    for (uint32_t i = sim->decide.trail.states.n; i-- > 0;)
        if (sim->info[sim->decide.trail.states.at[i].var].state &&
            trail_is_old(sim, sim->decide.trail.states.at[i].var))
            values_set(sim, sim->decide.trail.states.at[i].var,
                       sim->decide.trail.states.at[i].value);
    for (uint32_t i = sim->decide.trail.truths.n; i-- > 0;) {
        BranchMemo *memo = &sim->branches.at[sim->decide.trail.truths.at[i].branch];
        if (memo->live && memo->when && memo->born <= sim->record.births_before)
            memo->truth = sim->decide.trail.truths.at[i].truth;
        if (memo->live)
            event_add_candidate(sim, sim->decide.trail.truths.at[i].branch);
    }
}

/* ---- attempts ---- */

/* Conditions that depend on something on which those that fired depend too. */
static void list_armed(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    Map known = {0};
    vec_clear(&search->armed);
    for (uint32_t i = 0; i < search->concerned.n; i++)
        if (sim->branches.at[search->concerned.at[i].id].live)
            mode_trace_condition(sim, search->concerned.at[i].id, &known, false);
    for (BranchId id = 1; id < sim->branches.n && search->armed.n < MOST_ARMED; id++)
        if (sim->branches.at[id].live && mode_trace_condition(sim, id, &known, true))
            vec_push(sim->mem, &search->armed, id);
    map_free(sim->mem, &known);
}

static bool has_another_to_force(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (search->round != FORCED) {
        list_armed(sim);
        search->forced = 0;
    }
    search->forced = mode_next_subset(search->forced, search->armed.n);
    return search->forced && search->forced_rounds++ < MOST_FORCED;
}

static void put_off_all(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++)
        put_off(sim, &sim->decide.decisions.at[i]);
    vec_clear(&sim->decide.decisions);
}

/* Begins where the event began. */
static void attempt(Sim *sim, Round round)
{
    struct ModeSearch *search = sim->decide.modes;
    search->round = round;
    search->attempts = search->returning = true;
    search->stale = 0;
    search->drawn = search->drawn_rounds;
    sim->search.impulse_time = sim->decide.trail.impulse_time;
    search->to_force = round == FORCED;
    map_free(sim->mem, &search->seen);
    search->seen = (Map){0};
    cout_forget(sim);
    put_off_all(sim);
    return_held(sim);
    sim->change.count++; /* another update, also where nothing has to return */
}

/* The first answer once more, or all as it went; where that was a circle, rounds without going back,
 * in which rounding counts as it is. */
static void attempt_last(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    search->last = true;
    search->freely = search->plain = !search->found && !search->jumped;
    search->drawn_rounds = search->found_draw;
    search->forced = search->found_forced;
    if (search->freely)
        event_be_exact(sim);
    attempt(sim, search->found ? search->found_round : AS_IT_WAS);
}

/* False: there are no more of them. */
static bool next_impulsive(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (!search->impulsive)
        return false;
    search->impulsive = search->forced > 1;
    search->forced -= search->impulsive;
    if (search->impulsive)
        attempt(sim, FORCED);
    else if (!sim->decide.trail.chose || !trail_leads_back(sim))
        attempt_last(sim);
    else
        search->round = NO_SEARCH;
    return search->round != NO_SEARCH;
}

static void begin_impulsive(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    search->impulsive = true;
    for (uint32_t i = 0; i < sim->decide.impulsive.n; i++)
        vec_push(sim->mem, &search->armed, sim->decide.impulsive.at[i]);
    search->forced = (UINT32_C(1) << search->armed.n) - 1;
    attempt(sim, FORCED);
}

static void next_attempt(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (next_impulsive(sim))
        return;
    uint32_t drawn = search->jumped || search->found ? FEW_DRAWN : MOST_DRAWN;
    if (search->round < HIGHEST)
        attempt(sim, search->round < LOWEST ? LOWEST : HIGHEST);
    else if (search->drawn_rounds < drawn && search->round <= DRAWN) {
        search->drawn_rounds++;
        attempt(sim, DRAWN);
    } else if (!search->found && !search->jumped && has_another_to_force(sim)) {
        attempt(sim, FORCED);
    } else {
        attempt_last(sim);
    }
}

/* Held variables have their values back, and branches follow: what moves waits until they are
 * there, and so does every `when`, whose memory comes back then. */
static void go_on_returning(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++) {
        WorldDecision decision = sim->decide.decisions.at[i];
        bool fires = sim->branches.at[decision.branch].when && decision.choice == WORLD_THEN;
        if (fires || mode_can_wait(sim, &decision))
            put_off(sim, &decision);
        else
            sim->decide.decisions.at[kept++] = decision;
    }
    sim->decide.decisions.n = kept;
    if (kept)
        return;
    search->returning = false;
    search->from = sim->record.event.updates;
    search->returned = search->check = true;
    search->attempts = !search->plain;
    if (search->plain)
        search->round = NO_SEARCH;
    search->plain = false;
    return_states(sim);
    sim->change.count++; /* another update looks at them */
}

static bool can_be_forced(const Sim *sim, BranchId id)
{
    const BranchMemo *memo = &sim->branches.at[id];
    WorldBranch view;
    return memo->live && world_branch(sim->world, id, &view) && !view.newborn && !view.rests &&
           !(memo->when && view.choice == WORLD_THEN);
}

/* Some that have not fired are taken, whatever their conditions say. */
static void take_forced(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    search->to_force = false;
    put_off_all(sim);
    for (uint32_t i = 0; i < search->armed.n; i++) {
        BranchId id = search->armed.at[i];
        if (!(search->forced >> i & 1) || !can_be_forced(sim, id))
            continue;
        const BranchMemo *memo = &sim->branches.at[id];
        WorldChoice choice = memo->when || !memo->truth ? WORLD_THEN : WORLD_ELSE;
        vec_push(sim->mem, &sim->decide.decisions, ((WorldDecision){id, choice}));
    }
}

/* A `when` acts one update before what it transmits takes effect. */
static void take_impulsive(Sim *sim)
{
    const struct ModeSearch *search = sim->decide.modes;
    uint32_t now = sim->record.event.updates - search->from;
    for (uint32_t i = 0; i < search->armed.n; i++) {
        BranchId id = search->armed.at[i];
        const BranchMemo *memo = &sim->branches.at[id];
        if (!(search->forced >> i & 1) || !can_be_forced(sim, id) ||
            now + memo->when != sim->decide.impulsive_update)
            continue;
        WorldChoice choice = memo->when || !memo->truth ? WORLD_THEN : WORLD_ELSE;
        bool decided = false;
        for (uint32_t k = 0; k < sim->decide.decisions.n; k++)
            decided |= sim->decide.decisions.at[k].branch == id;
        if (!decided)
            vec_push(sim->mem, &sim->decide.decisions, ((WorldDecision){id, choice}));
    }
}

static void note_value(Sim *sim, DdpVar var)
{
    vec_push(sim->mem, &sim->decide.modes->answer, ((OldValue){var, sim->value[var]}));
}

/* What conditions read, and how states move. */
static void note_answer(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    for (uint32_t i = 0; i < search->concerned.n; i++) {
        const BranchMemo *memo = &sim->branches.at[search->concerned.at[i].id];
        DdpNode n = memo->live ? sim->info[memo->condition].node : 0;
        for (uint32_t k = 0; n && k < sim->nodes.at[n].n_reads; k++)
            if (ddp_var(sim->ddp, sim->nodes.at[n].reads[k].var).kind != DDP_HELD)
                note_value(sim, sim->nodes.at[n].reads[k].var);
    }
    for (uint32_t i = 0; i < sim->states.n; i++)
        note_value(sim, sim->states.at[i].slope);
}

static bool is_same_answer(const Sim *sim)
{
    const struct ModeSearch *search = sim->decide.modes;
    for (uint32_t i = 0; i < search->answer.n; i++) {
        DdpVar var = search->answer.at[i].var;
        if (!ddp_var_used(sim->ddp, var))
            continue;
        double a = search->answer.at[i].value, b = sim->value[var];
        if (!(fabs(a - b) <= SAME * fmax(fmax(fabs(a), fabs(b)), SAME)))
            return false;
    }
    return true;
}

static void tell_several(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (search->told)
        return;
    search->told = sim->record.event.several = true;
    if (sim->decide.told_several)
        return;
    sim->decide.told_several = true;
    diag_warning(sim->diags, 0,
                 "at time %.10g several combinations of branches agree with their consequences; "
                 "one of them is taken (said once; the record of each event tells)",
                 sim->time);
    for (uint32_t i = 0; i < search->concerned.n && i < MOST_NAMED; i++)
        diag_note(sim->diags, search->concerned.at[i].at, "this condition is concerned: %s",
                  search->concerned.at[i].text);
}

/* Where several states jump, or others are chosen, those of before are not found again for sure. */
static bool may_avoid_impulse(const Sim *sim)
{
    return sim->decide.impulsive.n && trail_is_whole(sim) && !sim->decide.trail.begun.n &&
           sim->decide.jumps.n == 1;
}

/* Is a state bound now, by a branch that stays? Then it cannot have the value back that it had. */
static bool is_held_fast(Sim *sim)
{
    const Trail *trail = &sim->decide.trail;
    bool bound = false;
    for (uint32_t i = 0; i < trail->states.n && trail->stays; i++)
        bound |= !sim->info[trail->states.at[i].var].state && trail_jumped(sim, i);
    return bound;
}

static bool may_begin(Sim *sim)
{
    bool other = sim->decide.trail.chose && trail_leads_back(sim) && !is_held_fast(sim);
    return (may_avoid_impulse(sim) || other) && has_jumped(sim);
}

bool mode_search_again(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (search && search->freely)
        return false;
    if ((!search || !search->attempts) && !may_begin(sim))
        return false;
    if (!search)
        search = sim->decide.modes = mem_alloc(sim->mem, sizeof *search);
    if (!search->attempts) {
        search->jumped = true;
        search->round = NO_SEARCH;
        if (may_avoid_impulse(sim))
            begin_impulsive(sim);
        else
            next_attempt(sim);
        return true;
    }
    if (search->last)
        return false;
    if (!has_jumped(sim)) {
        if (search->jumped)
            return false;
        if (search->found && !is_same_answer(sim))
            tell_several(sim);
        if (!search->found) {
            search->found = true;
            search->found_round = search->round;
            search->found_draw = search->drawn_rounds;
            search->found_forced = search->forced;
            note_answer(sim);
        }
    }
    next_attempt(sim);
    return true;
}

/* One change alone leads to something that cannot be solved (a switch connects a source with a diode that conducts): conditions
 * on what moves that may have to change with it. False: there are none, or too many. */
static bool list_companions(Sim *sim)
{
    BranchList *list = &sim->decide.impulsive;
    vec_clear(list);
    for (BranchId id = 1; id < sim->branches.n && list->n <= MOST_COMPANIONS; id++) {
        const BranchMemo *memo = &sim->branches.at[id];
        DdpNode node = memo->live && memo->condition ? sim->info[memo->condition].node : 0;
        if (node && can_be_forced(sim, id) && mode_moves(sim, node))
            vec_push(sim->mem, list, id);
    }
    sim->decide.impulsive_update = sim->record.event.updates;
    return list->n && list->n <= MOST_COMPANIONS;
}

static bool begin_companions(Sim *sim)
{
    if (!list_companions(sim))
        return false;
    sim->decide.modes = mem_alloc(sim->mem, sizeof *sim->decide.modes);
    sim->decide.modes->jumped = true;
    begin_impulsive(sim);
    return true;
}

bool mode_search_failed(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    if (!trail_is_whole(sim) || (search && search->last) || sim->decide.assertion_failed)
        return false;
    if (!search && !sim->decide.trail.chose)
        return begin_companions(sim);
    if (!search)
        search = sim->decide.modes = mem_alloc(sim->mem, sizeof *search);
    if (!search->attempts) {
        search->jumped = true;
        search->round = NO_SEARCH;
    }
    next_attempt(sim);
    return true;
}

/* Other states are chosen than when the event began, and nothing tells what they were. */
static bool no_return(Sim *sim)
{
    diag_error(sim->diags, 0,
               "at time %.10g a combination of branches cannot be solved, and the states that the "
               "event began with are not found again",
               sim->time);
    sim->decide.modes->last = true;
    return false;
}

/* In an attempt: false if it is over and was the last. */
static bool choose_in_attempt(Sim *sim, uint64_t modes)
{
    struct ModeSearch *search = sim->decide.modes;
    if (search->returning) {
        go_on_returning(sim);
        return true;
    }
    if (search->check && has_jumped(sim))
        return no_return(sim);
    search->check = false;
    bool forces = search->to_force || search->impulsive;
    if (search->impulsive)
        take_impulsive(sim);
    else if (forces)
        take_forced(sim);
    if (!sim->decide.decisions.n)
        return true;
    bool circle = returns(sim, &search->seen, modes ^ decisions(sim));
    search->stale += circle;
    bool over = search->round == DRAWN ? search->stale > 2 * search->seen.n : circle;
    note_concerned(sim);
    sim->record.event.combinations = search->combinations.n;
    if (over || (search->round != AS_IT_WAS && has_jumped(sim))) {
        if (search->last)
            return give_up(sim);
        next_attempt(sim);
        return true;
    }
    if (search->round != AS_IT_WAS && !forces)
        take_one(sim);
    return true;
}

/* The circle may come from slopes of what is within rounding of its boundary. */
static void begin_exactly(Sim *sim)
{
    event_be_exact(sim);
    sim->decide.modes->plain = true;
    attempt(sim, AS_IT_WAS);
}

/* Several that can wait? What the clock alone decides cannot: two clutches that lock at one time do so together. */
static bool has_choice(Sim *sim)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sim->decide.decisions.n && n < 2; i++)
        n += mode_can_wait(sim, &sim->decide.decisions.at[i]);
    return n > 1;
}

static bool follows_directly(Sim *sim, const WorldDecision *decision)
{
    return !sim->branches.at[decision->branch].when && mode_can_wait(sim, decision);
}

bool mode_search_choose(Sim *sim)
{
    struct ModeSearch *search = sim->decide.modes;
    bool attempts = search && search->attempts;
    if (attempts) {
        uint64_t modes = mode_combination(sim);
        returns(sim, &search->combinations, modes);
        return choose_in_attempt(sim, modes);
    }
    if (sim->decide.decisions.n > 1 && !sim->decide.trail.chose)
        sim->decide.trail.chose = has_choice(sim);
    for (uint32_t i = 0; i < sim->decide.decisions.n && !sim->decide.trail.stays; i++)
        sim->decide.trail.stays = follows_directly(sim, &sim->decide.decisions.at[i]);
    if (!sim->decide.decisions.n || (!search && sim->record.event.updates < PATIENCE))
        return true;
    if (!search)
        search = sim->decide.modes = mem_alloc(sim->mem, sizeof *search);
    uint64_t modes = mode_combination(sim);
    if (returns(sim, &search->seen, modes ^ decisions(sim))) {
        if (sim->search.rounded && !sim->search.exact && trail_leads_back(sim)) {
            begin_exactly(sim);
            return true;
        }
        next_round(sim);
    }
    if (search->round == NO_SEARCH)
        return true;
    note_concerned(sim);
    search->stale = returns(sim, &search->combinations, modes) ? search->stale + 1 : 0;
    sim->record.event.combinations = search->combinations.n;
    if (search->stale > ENOUGH + 8 * search->combinations.n)
        return give_up(sim);
    if (search->round == LOWEST && !search->freely && trail_leads_back(sim))
        attempt(sim, LOWEST);
    else if (search->round > TOLERANT)
        take_one(sim);
    return true;
}

SolStatus mode_search_settle(Sim *sim, bool acting)
{
    if (!sim->decide.modes || sim->decide.modes->round == NO_SEARCH || acting)
        return SOL_OK;
    if (sim->decide.modes->jumped || sim->decide.modes->returning)
        return SOL_OK;
    if (sim->update.turned.n || !event_leave_close(sim))
        return SOL_OK; /* where a branch is left alone, slopes are not those of one structure */
    update_resume(sim);
    return evaluate_dirty(sim, EVAL_EVENT);
}
