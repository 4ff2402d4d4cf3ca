/* mode_search.c: decisions of updates -> the same, or one of them. See mode_search.h.
 *
 * A round is a rule by which decisions are taken; when a combination returns in a round, the next
 * one begins.
 *
 *   TOGETHER  as always, but comparisons within rounding of their boundary are decided by the side
 *             they leave to: at the corner of two laws both hold, and only the slope tells them
 *             apart (U6).
 *   TOLERANT  the same, within the tolerance of the integrator.
 *   LOWEST    of the conditions that fired the one with the lowest number alone. For diodes with
 *             resistance, and for contacts, that ends: their equations are a linear complementarity
 *             problem with positive principal minors, and this is the least-index rule of Murty
 *             (1974).
 *   HIGHEST   the one with the highest number.
 *   DRAWN     any of them, drawn, until nothing new comes or the event has too many updates.
 *
 * Who can wait: conditions on what moves. What follows from held variables alone is carried out at
 * once, and as long as something is, nobody else decides: modes and what they bring belong
 * together.
 */
#include "runtime/event/mode_search.h"
#include "runtime/eval/compare.h"

#include "base/map.h"

#include <math.h>

enum { PATIENCE = 12, ENOUGH = 100, TIGHT = 3, MOST_NAMED = 20 };

typedef enum Round { NO_SEARCH, TOGETHER, TOLERANT, LOWEST, HIGHEST, DRAWN } Round;

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
    VEC(Concerned) concerned; /* conditions that fired in the search */
};

void mode_search_close(Sim *sim)
{
    if (!sim->decide.modes)
        return;
    map_free(sim->mem, &sim->decide.modes->seen);
    map_free(sim->mem, &sim->decide.modes->combinations);
    vec_free(sim->mem, &sim->decide.modes->concerned);
    mem_free(sim->mem, sim->decide.modes);
    sim->decide.modes = NULL;
}

bool mode_search_is_tight(const Sim *sim)
{
    return sim->decide.tight_events >= TIGHT;
}

bool mode_search_is_tolerant(const Sim *sim)
{
    return sim->decide.modes && sim->decide.modes->round >= TOLERANT;
}

/* Events that follow each other at once are one circle: rounding is asked from the first update. */
void mode_search_begin(Sim *sim)
{
    double moment = 1e-8 * fmax(fabs(sim->time), compare_look(sim));
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

/* Values that are equal up to rounding are one: what is transmitted again comes out of a loop. */
static uint64_t value_sign(double value)
{
    float rough = (float)value + 0.0F;
    return hash_bytes(&rough, sizeof rough, 1);
}

/* Branches that are there, and what is held. */
static uint64_t combination(const Sim *sim)
{
    uint64_t sum = 0;
    WorldBranch view;
    for (BranchId id = 1; id < sim->branches.n; id++)
        if (sim->branches.at[id].live && world_branch(sim->world, id, &view))
            sum += hash_u64((uint64_t)id << 8 | view.choice);
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp); var++)
        if (ddp_var_used(sim->ddp, var) && ddp_var(sim->ddp, var).kind == DDP_HELD)
            sum += hash_u64((uint64_t)var << 32 ^ value_sign(sim->value[var]));
    return sum;
}

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

static bool is_timed(const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_compares; i++)
        if (!node->compare[i].timed)
            return false;
    return node->n_compares > 0;
}

/* Does it depend on what moves? The clock stands still in an event: who compares nothing else is as
 * fixed as what is held. */
static bool moves(Sim *sim, DdpNode first)
{
    NodeList work = {0};
    bool found = false;
    sim->mark++;
    vec_push(sim->mem, &work, first);
    while (work.n && !found) {
        const EvalNode *node = &sim->nodes.at[vec_pop(&work)];
        bool timed = is_timed(node);
        found = node->loop || (node->n_compares && !timed);
        for (uint32_t i = 0; i < node->n_reads && !found; i++) {
            ValueInfo *info = &sim->info[node->reads[i].var];
            found = info->state || (node->reads[i].var == sim->clock && !timed);
            if (info->mark == sim->mark || !info->node || !sim->nodes.at[info->node].varies)
                continue;
            info->mark = sim->mark;
            vec_push(sim->mem, &work, info->node);
        }
    }
    vec_free(sim->mem, &work);
    return found;
}

/* Its condition depends on what moves, and it takes a branch. */
static bool can_wait(Sim *sim, const WorldDecision *decision)
{
    const BranchMemo *memo = &sim->branches.at[decision->branch];
    if (memo->when && decision->choice != WORLD_THEN)
        return false;
    DdpNode node = memo->condition ? sim->info[memo->condition].node : 0;
    return node && sim->nodes.at[node].varies && moves(sim, node);
}

/* As if it had not been looked at. */
static void put_off(Sim *sim, const WorldDecision *decision)
{
    BranchMemo *memo = &sim->branches.at[decision->branch];
    if (memo->when) /* of an `if` it is the branch that is there */
        memo->truth = !memo->truth;
    event_unsettle(sim, memo->condition);
    event_suspect(sim, decision->branch);
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
        if (!can_wait(sim, &sim->decide.decisions.at[i]))
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
        waiting += can_wait(sim, &sim->decide.decisions.at[i]);
    BranchId only = waiting == n ? pick(sim, n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        WorldDecision decision = sim->decide.decisions.at[i];
        if (decision.branch != only && can_wait(sim, &decision))
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
        if (k < search->concerned.n || !can_wait(sim, &sim->decide.decisions.at[i]) ||
            !world_branch(sim->world, id, &view))
            continue;
        vec_push(sim->mem, &search->concerned,
                 ((Concerned){id, view.at, explain_condition(sim, id)}));
    }
}

void mode_search_tell(Sim *sim)
{
    if (sim->record.event.combinations)
        diag_note(sim->diags, 0,
                  "%u combinations of their branches were tried, one condition after the other: "
                  "none agrees with its consequences",
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

bool mode_search_choose(Sim *sim)
{
    if (!sim->decide.decisions.n || (!sim->decide.modes && sim->record.event.updates < PATIENCE))
        return true;
    if (!sim->decide.modes)
        sim->decide.modes = mem_alloc(sim->mem, sizeof *sim->decide.modes);
    struct ModeSearch *search = sim->decide.modes;
    uint64_t modes = combination(sim);
    if (returns(sim, &search->seen, modes ^ decisions(sim)))
        next_round(sim);
    if (search->round == NO_SEARCH)
        return true;
    note_concerned(sim);
    search->stale = returns(sim, &search->combinations, modes) ? search->stale + 1 : 0;
    sim->record.event.combinations = search->combinations.n;
    if (search->stale > ENOUGH + 8 * search->combinations.n)
        return give_up(sim);
    if (search->round > TOLERANT)
        take_one(sim);
    return true;
}

SolStatus mode_search_settle(Sim *sim, bool acting)
{
    if (!sim->decide.modes || sim->decide.modes->round == NO_SEARCH || acting)
        return SOL_OK;
    if (sim->update.turned.n || !event_leave_close(sim))
        return SOL_OK; /* where a branch is left alone, slopes are not those of one structure */
    update_resume(sim);
    return evaluate_dirty(sim);
}
