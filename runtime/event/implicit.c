/* implicit.c: `if`s that are solved together with their content -> branches that agree with what follows from them. See implicit.h.
 *
 * First all that disagree are exchanged together, then only the first, only the last; then combinations of those that
 * disagreed, and of the others, are tried from where the update began, each followed by exchanges of the first. A combination that
 * returns, that cannot be solved, or that makes a state jump has failed; if nothing else is left one in which states jump is taken. For
 * resistive networks of diodes, and for contacts, the first alone ends (Murty 1974, see mode_search.c).
 */
#include "runtime/event/implicit.h"
#include "runtime/event/conditions.h"
#include "runtime/event/reinit.h"
#include "runtime/event/trail.h"

#include "base/map.h"

#include <math.h>

enum { MOST_ARMED = 10, MOST_ATTEMPTS = 600, MOST_MOVES = 200, MOST_NAMED = 20 };

/* FIRST, LAST: as by their values alone; .._OR_STAYS: what is at its boundary stays. FORCED: it stays, too. */
typedef enum Rule { TOGETHER, FIRST, LAST, FIRST_OR_STAYS, LAST_OR_STAYS, FORCED } Rule;

typedef struct Search {
    Sim *sim;
    Rule rule;
    uint32_t forced; /* bit i: armed.at[i] is exchanged to begin with */
    bool jumps;      /* are allowed */
    bool found;      /* one in which states jump: by these */
    Rule found_rule;
    uint32_t found_forced;
    uint32_t attempts;
    VEC(OldTruth) begin; /* branches where the update began */
    BranchList armed;   /* those that disagreed first, then others; of several that are alike one */
    BranchList against; /* those that disagree now */
    Map seen;
} Search;

/* ---- who disagrees ---- */

static bool is_against(Sim *sim, BranchId id)
{
    const BranchMemo *memo = &sim->branches.at[id];
    if (!memo->live || memo->newborn || !implicit_is_solved(sim, id))
        return false;
    evaluate_fetch(sim, memo->condition, EVAL_EVENT);
    return condition_is_decided(sim, memo->condition) &&
           memo->truth != (sim->value[memo->condition] != 0);
}

/* Where two pieces meet both hold. If that leads nowhere, the one that is there stays, until the phase that begins leaves to the
 * other (U6). */
static SolStatus list_against(Search *s)
{
    Sim *sim = s->sim;
    bool kept = false;
    vec_clear(&s->against);
    for (uint32_t i = 0; i < sim->decide.candidates.n; i++) {
        BranchId id = sim->decide.candidates.at[i];
        if (!is_against(sim, id))
            continue;
        if (s->rule >= FIRST_OR_STAYS &&
            event_keep_at_boundary(sim, sim->branches.at[id].condition, sim->branches.at[id].truth))
            kept = true;
        else
            vec_push(sim->mem, &s->against, id);
    }
    return kept ? evaluate_dirty(sim, EVAL_EVENT) : SOL_OK;
}

/* ---- states ---- */

static void start_again(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.implicit.starts.n; i++)
        if (sim->decide.implicit.starts.at[i].var)
            vec_push(sim->mem, &sim->start.starts, sim->decide.implicit.starts.at[i]);
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        sim->start.starts.at[i].given = false;
    vec_clear(&sim->decide.implicit.starts);
}

/* Does something begin elsewhere than its start says? */
static bool misses_start(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.implicit.starts.n; i++) {
        const StartMemo *start = &sim->decide.implicit.starts.at[i];
        if (!start->var || !ddp_var_used(sim->ddp, start->var))
            continue;
        evaluate_fetch(sim, start->var, EVAL_EVENT);
        double is = sim->value[start->var], said = sim->value[start->start];
        if (!(fabs(is - said) <= values_allowed(sim, start->var, fmax(fabs(is), fabs(said)))))
            return true;
    }
    return false;
}

static void warn_of_starts(Sim *sim)
{
    for (uint32_t i = 0; i < sim->decide.implicit.starts.n && !parts_running(sim); i++)
        if (sim->decide.implicit.starts.at[i].var)
            start_warn_left_over(sim, &sim->decide.implicit.starts.at[i]);
}

static bool has_jumped(Sim *sim)
{
    if (misses_start(sim))
        return true;
    for (uint32_t i = sim->decide.trail.states_before; i < sim->decide.trail.states.n; i++)
        if (parts_running(sim) && !implicit_is_started(sim, sim->decide.trail.states.at[i].var) &&
            trail_jumped(sim, i))
            return true;
    return false;
}

/* ---- combinations ---- */

static uint64_t combination(const Sim *sim)
{
    uint64_t sum = 0;
    for (BranchId id = 1; id < sim->branches.n; id++)
        if (sim->branches.at[id].live && implicit_is(sim, id))
            sum += hash_u64((uint64_t)id << 1 | sim->branches.at[id].truth);
    return sum;
}

static bool is_armed(const Search *s, BranchId id)
{
    for (uint32_t i = 0; i < s->armed.n; i++)
        if (implicit_is_alike(s->sim, s->armed.at[i], id))
            return true;
    return false;
}

static void arm(Search *s, BranchId id)
{
    if (s->armed.n < MOST_ARMED && !is_armed(s, id))
        vec_push(s->sim->mem, &s->armed, id);
}

static void note_begin(Search *s)
{
    const Sim *sim = s->sim;
    for (BranchId id = 1; id < sim->branches.n; id++)
        if (sim->branches.at[id].live && implicit_is(sim, id) && !sim->branches.at[id].newborn)
            vec_push(sim->mem, &s->begin, ((OldTruth){id, sim->branches.at[id].truth}));
}

static void decide(Search *s, BranchId id, bool truth)
{
    const BranchMemo *memo = &s->sim->branches.at[id];
    if (memo->live && implicit_is(s->sim, id) && memo->truth != truth)
        vec_push(s->sim->mem, &s->sim->decide.decisions,
                 ((WorldDecision){id, truth ? WORLD_THEN : WORLD_ELSE}));
}

static bool is_forced(const Search *s, BranchId id)
{
    for (uint32_t i = 0; i < s->armed.n && s->rule == FORCED; i++)
        if ((s->forced >> i & 1) && implicit_is_alike(s->sim, s->armed.at[i], id))
            return true;
    return false;
}

static SolStatus exchange(Search *s)
{
    start_again(s->sim);
    s->sim->decide.implicit.tries = true;
    SolStatus status = s->sim->decide.decisions.n ? structure_choose(s->sim) : SOL_OK;
    status = status == SOL_OK ? structure_settle(s->sim) : status;
    s->sim->decide.implicit.tries = false;
    return status;
}

/* From where the update began. */
static SolStatus begin_attempt(Search *s)
{
    vec_clear(&s->sim->decide.decisions);
    for (uint32_t i = 0; i < s->begin.n; i++)
        decide(s, s->begin.at[i].branch,
               s->begin.at[i].truth ^ is_forced(s, s->begin.at[i].branch));
    return exchange(s);
}

/* What disagrees, or one of it. */
static SolStatus move(Search *s)
{
    BranchId only = s->against.at[0];
    for (uint32_t i = 0; i < s->against.n; i++) {
        BranchId id = s->against.at[i];
        bool last = s->rule == LAST || s->rule == LAST_OR_STAYS;
        only = (last ? id > only : id < only) ? id : only;
    }
    vec_clear(&s->sim->decide.decisions);
    for (uint32_t i = 0; i < s->against.n; i++)
        if (s->rule == TOGETHER || implicit_is_alike(s->sim, s->against.at[i], only))
            decide(s, s->against.at[i], !s->sim->branches.at[s->against.at[i]].truth);
    return exchange(s);
}

/* ---- attempts ---- */

static bool can_go_on(const Sim *sim, SolStatus status)
{
    return (status == SOL_NUMERICS || status == SOL_MODEL) && !sim->decide.assertion_failed &&
           !sim->start.role_failed && !world_transmits_twice(sim->world);
}

/* Until all agree; SOL_NUMERICS: that leads nowhere. */
static SolStatus follow(Search *s, SolStatus status)
{
    Sim *sim = s->sim;
    map_free(sim->mem, &s->seen);
    s->seen = (Map){0};
    for (int i = 0; status == SOL_OK && i < MOST_MOVES; i++) {
        status = list_against(s);
        if (status == SOL_OK && !s->against.n && (s->jumps || !has_jumped(sim)))
            return SOL_OK;
        if (!s->against.n && !s->found) {
            s->found = true;
            s->found_rule = s->rule;
            s->found_forced = s->forced;
        }
        uint64_t now = combination(sim);
        if (status != SOL_OK || !s->against.n || map_get(&s->seen, now))
            return SOL_NUMERICS;
        map_put(sim->mem, &s->seen, now, 1);
        for (uint32_t k = 0; k < s->against.n; k++)
            arm(s, s->against.at[k]);
        status = move(s);
    }
    return status == SOL_OK ? SOL_NUMERICS : status;
}

static bool next_attempt(Search *s)
{
    if (s->attempts++ >= MOST_ATTEMPTS || s->jumps)
        return false;
    if (s->rule < FORCED) {
        s->rule++;
        for (uint32_t i = 0; s->rule == FORCED && i < s->begin.n; i++)
            arm(s, s->begin.at[i].branch);
    }
    s->forced += s->rule == FORCED;
    if (s->rule != FORCED || s->forced < UINT32_C(1) << s->armed.n)
        return true;
    s->jumps = s->found;
    s->rule = s->found_rule;
    s->forced = s->found_forced;
    return s->found;
}

static SolStatus give_up(Search *s)
{
    Sim *sim = s->sim;
    WorldBranch view = {0};
    SolStatus status = begin_attempt(s); /* its messages, where it cannot be solved */
    if (status != SOL_OK)
        return status;
    for (uint32_t i = 0, told = 0; i < s->armed.n && told < MOST_NAMED; i++) {
        if (!sim->branches.at[s->armed.at[i]].live ||
            !world_branch(sim->world, s->armed.at[i], &view))
            continue;
        if (told++)
            diag_note(sim->diags, view.at, "nor of this one: %s",
                      explain_condition(sim, s->armed.at[i]));
        else
            diag_error(sim->diags, view.at,
                       "at time %.10g no branch of this 'if' agrees with what follows from it: %s",
                       sim->time, explain_condition(sim, s->armed.at[i]));
    }
    return SOL_NUMERICS;
}

static void note_changes(Search *s)
{
    Sim *sim = s->sim;
    for (uint32_t i = 0; i < s->begin.n; i++) {
        BranchId id = s->begin.at[i].branch;
        BranchMemo *memo = &sim->branches.at[id];
        if (!memo->live || !implicit_is(sim, id) || memo->truth == s->begin.at[i].truth)
            continue;
        event_remember_trigger(sim, id);
        sim->decide.chose_if = true;
        firings_note(sim, id, memo);
    }
}

static void close_search(Search *s)
{
    map_free(s->sim->mem, &s->seen);
    vec_free(s->sim->mem, &s->begin);
    vec_free(s->sim->mem, &s->armed);
    vec_free(s->sim->mem, &s->against);
    vec_clear(&s->sim->decide.implicit.starts);
    vec_clear(&s->sim->decide.implicit.begins);
}

static SolStatus search(Search *s, SolStatus status, uint32_t messages)
{
    Sim *sim = s->sim;
    note_begin(s);
    status = follow(s, status);
    while (can_go_on(sim, status)) {
        diags_drop_errors(sim->diags, messages); /* of a combination that cannot be solved */
        if (!next_attempt(s))
            return give_up(s);
        status = follow(s, begin_attempt(s));
    }
    if (status == SOL_OK)
        note_changes(s);
    return status;
}

SolStatus implicit_agree(Sim *sim, SolStatus status, uint32_t messages)
{
    Search s = {.sim = sim};
    if (!world_has_implicit(sim->world) || (status != SOL_OK && !can_go_on(sim, status)))
        return status;
    if (status == SOL_OK)
        status = list_against(&s);
    if (status != SOL_OK || s.against.n || has_jumped(sim))
        status = search(&s, status, messages);
    if (status == SOL_OK)
        warn_of_starts(sim);
    close_search(&s);
    return status;
}

SolStatus implicit_settle(Sim *sim)
{
    uint32_t messages = sim->diags->list.n;
    SolStatus status = implicit_agree(sim, structure_settle(sim), messages);
    return status == SOL_OK ? reinit_finish(sim) : status;
}

SolStatus implicit_finish(Sim *sim)
{
    SolStatus status = structure_finish(sim);
    return status == SOL_OK ? implicit_agree(sim, status, sim->diags->list.n) : status;
}
