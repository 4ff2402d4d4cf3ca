/* update.c: what changed in an update (t, i) -> what is evaluated, what is left alone, what is
 * decided.
 *
 * The rules of docs/language.md, sections 7 and 8, by their numbers; two of them live elsewhere:
 * births in frontend/birth.c (U3), and the withdrawal and return of the else branch of a `when` in
 * frontend/rest.c (U5).
 *
 *   U1  When a condition comes out against the branch of its `if` that is there, the relations of
 *       that branch and all that depends on them are left alone: they keep their values, and the
 *       branch is exchanged for the next update. Only a `when` that acts in this update is
 *       computed, wherever it stands, with all that it needs, and what it transmits counts.
 *   U2  A condition that depends on something left alone is not decided: it keeps its truth and is
 *       looked at in the next update. A Sample that it reads stays true for it until then.
 *   U3  What may yet be determined by an `if` that is born in this update and stays undecided is
 *       left alone likewise.
 *   U4  initial() is false from the beginning of the second update: conditions that read it are
 *       decided again before that, and their branches change together with everything else.
 *   U5  A start value in the else branch of a `when` that returns counts again if a value that it
 *       reads was transmitted while the `when` acted.
 *
 * How U1 works: nodes are evaluated in the order of the schedule, in which the content of a branch
 * comes after its condition (thesis 7.3.3). From the relations of a branch whose condition turned
 * against it everything behind them is marked with the number of the update, along reads. What is
 * marked
 *
 *   - and due, is set aside (`skipped`) and due again in the next update;
 *   - and was evaluated in this update already, because an `if` that was born later turned the
 *     condition, gets its value before the update back (`olds`), and is set aside.
 *
 * The marks end at nodes of a `when` that acts (`exempt`). Those are evaluated, and before them
 * what they need of what is left alone; again, whenever something is set aside. When branches are
 * born, and when a condition agrees with its branch again, all marks are made anew, in the order of
 * the schedule, and what was set aside is due.
 */
#include "runtime/event/cout.h"
#include "runtime/event/implicit.h"
#include "runtime/event/trail.h"

#include <stdlib.h>
#include <string.h>

/* ---- marks ---- */

bool update_left_alone(const Sim *sim, DdpVar var)
{
    return sim->info[var].left == sim->update.number;
}

bool update_branch_turned(const Sim *sim, BranchId id)
{
    for (; id && sim->update.turned.n; id = world_branch_around(sim->world, id))
        if (id < sim->branches.n && sim->branches.at[id].turned)
            return true;
    return false;
}

static bool is_turned(const Sim *sim, DdpRel rel)
{
    return update_branch_turned(sim, world_rel_branch(sim->world, rel));
}

static bool is_acting(const Sim *sim, BranchId id)
{
    return world_branch_acting(sim->world, id) != 0;
}

bool update_branch_acts(const Sim *sim, BranchId branch)
{
    return is_acting(sim, world_branch_around(sim->world, branch));
}

/* Does it stand in a `when` that acts in this update? */
static bool acts(const Sim *sim, DdpRel rel)
{
    return is_acting(sim, world_rel_branch(sim->world, rel));
}

static bool any_rel(const Sim *sim, const EvalNode *node, bool (*is)(const Sim *sim, DdpRel rel))
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (is(sim, node->ops[i].rel))
            return true;
    return false;
}

bool update_acts(const Sim *sim, const EvalNode *node)
{
    return sim->update.acting && any_rel(sim, node, acts);
}

static void set_aside(Sim *sim, DdpNode n)
{
    if (sim->nodes.at[n].in_update.skipped)
        return;
    sim->nodes.at[n].in_update.skipped = true;
    vec_push(sim->mem, &sim->update.skipped, n);
}

/* What was evaluated in this update gets back what it had before. */
static void take_back(Sim *sim, DdpNode n, DdpVar var)
{
    const ValueBefore *old = before_find(sim, var);
    if (!old || memcmp(&old->value, &sim->value[var], sizeof old->value) == 0)
        return;
    sim->value[var] = old->value;
    set_aside(sim, n);
    evaluate_touch(sim, var); /* whoever read the other one */
}

static void note_exempt(Sim *sim, DdpNode n)
{
    if (!sim->nodes.at[n].in_update.exempt)
        vec_push(sim->mem, &sim->update.exempt, n);
    sim->nodes.at[n].in_update.exempt = true;
    evaluate_touch_node(sim, n);
}

static void mark_node(Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    if (node->in_update.left == sim->update.number)
        return;
    if (node->in_update.acts) {
        note_exempt(sim, n);
        return;
    }
    sim->nodes.at[n].in_update.left = sim->update.number;
    vec_push(sim->mem, &sim->update.marked, n);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        sim->info[node_output(node, i)].left = sim->update.number;
    for (uint32_t i = 0; sim->update.olds.n && i < node->n_steps + node->n_tears; i++)
        take_back(sim, n, node_output(node, i));
}

static void mark_edges(Sim *sim, DdpVar var)
{
    for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next)
        mark_node(sim, edge->node);
}

/* All that depends on what was marked since there were `from` marks. */
static void mark_readers(Sim *sim, uint32_t from)
{
    for (uint32_t k = from; k < sim->update.marked.n; k++) {
        const EvalNode *node = &sim->nodes.at[sim->update.marked.at[k]];
        sim->work++;
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
            mark_edges(sim, node_output(node, i));
    }
}

/* What an undecided `if` may determine. */
static void mark_var(Sim *sim, DdpVar var)
{
    uint32_t from = sim->update.marked.n;
    sim->info[var].left = sim->update.number;
    if (sim->info[var].branches)
        event_add_readers_of(sim, var);
    if (sim->info[var].node)
        mark_node(sim, sim->info[var].node);
    mark_edges(sim, var);
    mark_readers(sim, from);
}

typedef struct Leaving {
    Sim *sim;
    uint64_t label; /* of the node that determines the condition, 0: none does */
} Leaving;

/* Content that is solved together with its condition has been evaluated with it. */
static void mark_rel(void *context, DdpRel rel)
{
    const Leaving *leaving = context;
    Sim *sim = leaving->sim;
    DdpVar var = ddp_causality(sim->ddp, rel);
    DdpNode n = var ? sim->info[var].node : 0;
    if (n && (!leaving->label || ddp_label(sim->ddp, n) > leaving->label))
        mark_node(sim, n);
}

/* It has the value of the update before now, and is due in the next one if something that it reads has changed. */
static void settle_marked(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (before_find(sim, node_output(node, 0)))
        set_aside(sim, n);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        take_back(sim, n, node_output(node, i));
    node->waits = false;
    node->point_number = sim->point_number;
}

/* What is left alone keeps the value of the update before; what nobody looked at has not been
 * computed for long, and gets that value now. It may become a state in this event. */
static void fetch_marked(Sim *sim, uint32_t from)
{
    bool few = sim->parts.n <= SOL_FEW_PARTS;
    for (uint32_t i = from; i < sim->update.marked.n; i++) {
        DdpNode n = sim->update.marked.at[i];
        bool unknown = before_is_unknown(sim, n);
        if ((unknown || sim->nodes.at[n].waits) &&
            (!unknown || before_evaluate(sim, n, !few, EVAL_EVENT | EVAL_TRIAL) == SOL_OK))
            settle_marked(sim, n);
    }
}

static void leave_alone(Sim *sim, BranchId id)
{
    DdpNode condition = sim->info[sim->branches.at[id].condition].node;
    Leaving leaving = {sim, condition ? ddp_label(sim->ddp, condition) : 0};
    sim->branches.at[id].turned = true;
    vec_push(sim->mem, &sim->update.turned, id);
    uint32_t from = sim->update.marked.n;
    world_branch_rels(sim->world, id, mark_rel, &leaving);
    mark_readers(sim, from);
    fetch_marked(sim, from);
}

/* ---- U1 ---- */

/* What is solved together with its condition is exchanged in the update itself (implicit.c). */
static bool against(Sim *sim, BranchId id)
{
    const BranchMemo *memo = &sim->branches.at[id];
    const ValueInfo *info = &sim->info[memo->condition];
    return memo->live && !memo->when && !memo->newborn && info->has && !info->pending &&
           info->left != sim->update.number && memo->truth != (sim->value[memo->condition] != 0) &&
           !implicit_is_solved(sim, id);
}

/* The value of a condition is another one now. */
void update_condition(Sim *sim, DdpVar var)
{
    event_add_readers_of(sim, var);
    if (!sim->update.complete)
        return;
    for (BranchId id = sim->info[var].branches; id; id = sim->branches.at[id].next)
        if (!sim->branches.at[id].turned && against(sim, id))
            leave_alone(sim, id);
}

/* A node that is due: is it left alone? */
bool update_skips(Sim *sim, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    if (node->in_update.left != sim->update.number && !node->in_update.acts &&
        any_rel(sim, node, is_turned)) { /* e.g. a derivative of such a relation */
        mark_node(sim, n);
        mark_readers(sim, sim->update.marked.n - 1);
    }
    if (node->in_update.left != sim->update.number)
        return false;
    set_aside(sim, n);
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
        if (sim->info[node_output(node, i)].branches)
            event_add_readers_of(sim, node_output(node, i)); /* not decided now: U2 */
    for (uint32_t i = 0; i < sim->update.exempt.n; i++)
        if (ddp_label(sim->ddp, sim->update.exempt.at[i]) >
            ddp_label(sim->ddp, n)) /* it may need it */
            evaluate_touch_node(sim, sim->update.exempt.at[i]);
    return true;
}

static bool is_due(const Sim *sim, const EvalNode *node)
{
    return node->in_update.skipped || node->dirty || evaluate_is_stale(sim, node);
}

static bool has_inputs(const Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_reads; i++) {
        const ValueInfo *info = &sim->info[node->reads[i].var];
        if (!info->has || info->pending)
            return false;
    }
    return true;
}

/* What a node needs of what is left alone: each node after what it reads. */
static SolStatus compute_needs(Sim *sim, DdpNode first)
{
    NodeList stack = {0};
    SolStatus status = SOL_OK;
    sim->mark++;
    vec_push(sim->mem, &stack, first);
    vec_push(sim->mem, &stack, 0);
    while (stack.n && status == SOL_OK) {
        DdpNode n = stack.at[stack.n - 2];
        uint32_t next = stack.at[stack.n - 1]++;
        EvalNode *node = &sim->nodes.at[n];
        if (next == node->n_reads) {
            stack.n -= 2;
            if (!has_inputs(sim, node))
                continue;
            if (n != first && is_due(sim, node))
                status = evaluate_renew(sim, n, EVAL_EVENT);
            sim->nodes.at[n].in_update.skipped = sim->nodes.at[n].dirty = false;
            continue;
        }
        const ValueInfo *info = &sim->info[node->reads[next].var];
        if (info->left != sim->update.number || !info->node ||
            sim->nodes.at[info->node].mark == sim->mark)
            continue;
        sim->nodes.at[info->node].mark = sim->mark;
        vec_push(sim->mem, &stack, info->node);
        vec_push(sim->mem, &stack, 0);
    }
    vec_free(sim->mem, &stack);
    return status;
}

SolStatus update_needs(Sim *sim, DdpNode n)
{
    return sim->update.marked.n ? compute_needs(sim, n) : SOL_OK;
}

bool update_compute(Sim *sim, DdpVar var)
{
    DdpNode n = sim->info[var].node;
    if (!update_left_alone(sim, var) || !n)
        return true;
    bool due = is_due(sim, &sim->nodes.at[n]);
    SolStatus status = compute_needs(sim, n);
    if (status == SOL_OK && (due || is_due(sim, &sim->nodes.at[n])))
        status = evaluate_renew(sim, n, EVAL_EVENT);
    return status == SOL_OK;
}

static void touch_skipped(Sim *sim)
{
    for (uint32_t i = 0; i < sim->update.skipped.n; i++) {
        DdpNode n = sim->update.skipped.at[i];
        if (n >= sim->nodes.n || !sim->nodes.at[n].in_update.skipped)
            continue;
        sim->nodes.at[n].in_update.skipped = false;
        evaluate_touch_node(sim, n);
    }
    vec_clear(&sim->update.skipped);
}

static void forget_turned(Sim *sim)
{
    for (uint32_t i = 0; i < sim->update.turned.n; i++)
        sim->branches.at[sim->update.turned.at[i]].turned = false;
    for (uint32_t i = 0; i < sim->update.exempt.n; i++)
        sim->nodes.at[sim->update.exempt.at[i]].in_update.exempt = false;
    vec_clear(&sim->update.exempt);
    vec_clear(&sim->update.turned);
    vec_clear(&sim->update.marked);
    sim->update.number = evaluate_next_update(sim);
}

void update_is_due(Sim *sim)
{
    sim->update.due = true;
}

void update_begin(Sim *sim)
{
    sim->update.pulse_from = sim->update.from; /* what acts may have transmitted since */
    forget_turned(sim);
    sim->update.from = sim->update.number;
    sim->update.due = false;
    vec_clear(&sim->update.undecided);
    touch_skipped(sim);
}

static bool is_still(const Sim *sim, BranchId id)
{
    const BranchMemo *memo = &sim->branches.at[id];
    return memo->live && !update_left_alone(sim, memo->condition) &&
           memo->truth != (sim->value[memo->condition] != 0);
}

/* While branches are born, a condition may be seen with values that are not final: where one agrees
 * with its branch again, the branch is evaluated after all. */
bool update_turned_back(Sim *sim)
{
    bool back = false;
    for (uint32_t i = 0; i < sim->update.turned.n; i++)
        back |= !is_still(sim, sim->update.turned.at[i]);
    if (!back)
        return false;
    for (uint32_t i = 0; i < sim->update.turned.n; i++)
        event_add_candidate(sim, sim->update.turned.at[i]);
    update_resume(sim);
    return sim->change.heap.n > 0;
}

typedef struct Turning {
    uint64_t label; /* of what determines its condition, 0: nothing does */
    BranchId id;
} Turning;

static int by_label(const void *a, const void *b)
{
    const Turning *x = a, *y = b;
    return (x->label > y->label) - (x->label < y->label);
}

/* Of the candidates those that are against their branch: upstream first, since one that is left alone
 * turns nothing. */
static void turn_candidates(Sim *sim)
{
    VEC(Turning) list = {0};
    for (uint32_t i = 0; i < sim->decide.candidates.n; i++) {
        const BranchMemo *memo = &sim->branches.at[sim->decide.candidates.at[i]];
        DdpNode node = sim->info[memo->condition].node;
        if (against(sim, sim->decide.candidates.at[i]))
            vec_push(
                sim->mem, &list,
                ((Turning){node ? ddp_label(sim->ddp, node) : 0, sim->decide.candidates.at[i]}));
    }
    if (list.n > 1)
        qsort(list.at, list.n, sizeof *list.at, by_label);
    for (uint32_t i = 0; i < list.n; i++)
        if (against(sim, list.at[i].id))
            leave_alone(sim, list.at[i].id);
    vec_free(sim->mem, &list);
}

/* The structure is complete: what changed before that is looked at, and marks are made anew, since
 * births may change who determines what. */
void update_resume(Sim *sim)
{
    sim->update.complete = true;
    if (sim->update.turned.n || sim->update.marked.n) {
        forget_turned(sim);
        touch_skipped(sim);
    }
    for (uint32_t i = 0; i < sim->update.undecided.n; i++)
        mark_var(sim, sim->update.undecided.at[i]);
    turn_candidates(sim);
}

/* U3: variables that `if`s which stay undecided may determine. */
SolStatus update_undecided(Sim *sim, uint32_t n, const DdpVar *vars)
{
    for (uint32_t i = 0; i < n; i++)
        vec_push(sim->mem, &sim->update.undecided, vars[i]);
    for (uint32_t i = 0; i < sim->update.turned.n; i++)
        event_add_candidate(sim, sim->update.turned.at[i]);
    update_resume(sim);
    return evaluate_dirty(sim, EVAL_EVENT);
}

/* At an event, its parts were evaluated as a whole beyond the boundary: what is left alone has no
 * business there, and gets the values that it had before. It is due in the next update. A part
 * whose event it is not goes on steadily, and has these values still when it is brought here. */
SolStatus update_look_back(Sim *sim)
{
    NodeList across = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sim->update.marked.n; i++) {
        const EvalNode *node = &sim->nodes.at[sim->update.marked.at[i]];
        if (!node->varies)
            continue;
        if (!node->part || part_due(node->part))
            vec_push(sim->mem, &across, sim->update.marked.at[i]);
        sim->update.marked.at[n++] = sim->update.marked.at[i];
        set_aside(sim, sim->update.marked.at[i]);
    }
    sim->update.marked.n = n;
    SolStatus status = across.n ? parts_look_back(sim, &across) : SOL_OK;
    vec_free(sim->mem, &across);
    return status;
}

void update_end(Sim *sim)
{
    sim->update.complete = false; /* what follows belongs to the next update */
    sim->update.births_before = sim->build.births;
    vec_clear(&sim->update.olds);
    trail_end_update(sim);
}

/* ---- U5 ---- */

/* Was something that `var` depends on transmitted while a `when` acted in the update before? */
bool update_pulsed(Sim *sim, DdpVar var)
{
    NodeList work = {0};
    bool found = sim->info[var].pulsed >= sim->update.pulse_from;
    sim->mark++;
    if (sim->info[var].node)
        vec_push(sim->mem, &work, sim->info[var].node);
    while (work.n && !found) {
        const EvalNode *node = &sim->nodes.at[vec_pop(&work)];
        for (uint32_t i = 0; i < node->n_reads && !found; i++) {
            ValueInfo *info = &sim->info[node->reads[i].var];
            if (info->mark == sim->mark)
                continue;
            info->mark = sim->mark;
            found = info->pulsed >= sim->update.pulse_from;
            if (info->node && !info->state)
                vec_push(sim->mem, &work, info->node);
        }
    }
    vec_free(sim->mem, &work);
    return found;
}

void update_note_pulse(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        sim->info[node_output(node, i)].pulsed = sim->update.number;
        if (node->in_update.acts && ddp_var(sim->ddp, node_output(node, i)).kind != DDP_HELD &&
            !cout_shows(sim, node_output(node, i)))
            sim->search.impulse_time = sim->time;
    }
}
