/* parts.c: dynamics -> independent parts, each with its own integrator -> time goes on.
 *
 * Two nodes belong to one part when one reads the other, or both read the same state, through
 * something that varies; conditions count too, so that a condition and all it compares are in one
 * part. Parts never read each other, so each steps on its own. The one that is furthest behind
 * steps first. So when a comparison is found to change at time t, every other part is either behind
 * t, and still has to step, or its last step began before t: dense output reaches t in all of them,
 * and the earliest change is handled when no part is behind it.
 *
 * After an event a part whose states, dynamics and what these read are as before goes on without
 * notice; the others start anew from the event.
 */
#include "runtime/parts.h"

#include "runtime/blocks.h"

#include <math.h>
#include <string.h>

void part_disturb(Part *part)
{
    blocks_free(part->blocks);
    part->blocks = NULL;
    part->restart = true;
}

void part_search_again(Part *part)
{
    part->search = true;
}

DdpVar part_unknown(const Part *part, uint32_t i)
{
    if (i < part->states.n)
        return part->states.at[i].var;
    i -= part->states.n;
    for (uint32_t k = 0;; k++) {
        const EvalNode *node = &part->sim->nodes.at[part->loops.at[k]];
        if (i < node->n_tears)
            return node->tears[i];
        i -= node->n_tears;
    }
}

/* ---- evaluation of one part ---- */

int part_evaluate_node(Part *part, DdpNode n, double **residuals)
{
    Sim *sim = part->sim;
    const EvalNode *node = &sim->nodes.at[n];
    if (!node->outer || !*residuals)
        return evaluate_node(sim, n) != SOL_OK;
    evaluate_ops(sim, node, 0, node->n_steps, NULL);
    evaluate_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, *residuals);
    *residuals += node->n_tears;
    return 0;
}

int part_evaluate(Part *part, double time, double *residuals)
{
    Sim *sim = part->sim;
    int result = 0;
    sim->value[sim->clock] = time;
    sim->quiet = true;
    if (sim->engine && !sim->break_ties)
        result = blocks_evaluate(part, residuals);
    else
        for (uint32_t i = 0; i < part->dynamics.n && result == 0; i++)
            result = part_evaluate_node(part, part->dynamics.at[i], &residuals);
    sim->quiet = false;
    sim->counts.residuals++;
    return result;
}

/* ---- integrators ---- */

static SolStatus start_part(Part *part)
{
    Sim *sim = part->sim;
    SolStatus status = SOL_OK;
    part->back = part->now = part->from = sim->time;
    part->event = INFINITY;
    part->restart = part->search = part->reselect = false;
    part->method = part->n == 0                       ? PART_CLOCK
                   : sim->opt.solver == SOL_SOLVER_RK ? PART_RK
                                                      : PART_IDA;
    if (part->method == PART_IDA)
        status = ida_driver_start(part);
    else if (part->method == PART_RK)
        status = rk_start(part);
    part->started = status == SOL_OK;
    sim->counts.restarts += part->n > 0;
    return status;
}

/* `limit`: not behind it, something may jump there; `wanted`: no need to go further. */
static SolStatus step_part(Part *part, double limit, double wanted)
{
    Sim *sim = part->sim;
    double before = part->now;
    SolStatus status = SOL_OK;
    if (part->method == PART_CLOCK) {
        part->back = part->now;
        part->now = part->watched.n ? fmin(part->now + sim->opt.max_step, limit) : wanted;
    } else {
        status = part->method == PART_IDA ? ida_driver_step(part, limit) : rk_step(part, limit);
        sim->counts.steps++;
    }
    if (part->method == PART_IDA)
        sim->counts.time_ida += part->now - before;
    else if (part->method == PART_RK)
        sim->counts.time_rk += part->now - before;
    return status;
}

/* States, and tearing variables as first guesses, as they are at `time`. */
static void put_at(Part *part, double time)
{
    if (part->method == PART_IDA)
        ida_driver_at(part, time);
    else if (part->method == PART_RK)
        rk_at(part, time);
    part->sim->value[part->sim->clock] = time;
}

/* ---- searching for events ---- */

static SolStatus probe_at(void *context, double time, const NodeList *nodes)
{
    Part *part = context;
    put_at(part, time);
    part->sim->time = time;
    return evaluate_list(part->sim, nodes ? nodes : &part->probes);
}

/* A comparison changed: an event, if a condition changed with it or dynamics reads it. */
static bool event_is_real(Sim *sim, const Part *part)
{
    for (uint32_t i = 0; i < part->watched.n; i++)
        if (sim->nodes.at[part->watched.at[i]].needed[NEED_DYNAMICS] &&
            event_changed(sim, part->watched.at[i]))
            return true;
    return event_conditions_changed(sim, part);
}

static SolStatus search_part(Part *part, double to)
{
    Sim *sim = part->sim;
    EventSearch search = {

        .nodes = &part->watched,
        .all = &part->probes,
        .at = probe_at,
        .context = part,
        .clocked = part->clocked};
    part->search = false;
    part->event = INFINITY;
    while (part->from < to) {
        bool found;
        double time = to;
        SolStatus status = event_search(sim, &search, part->from, to, &time, &found);
        if (status != SOL_OK)
            return status;
        if (found && event_is_real(sim, part)) {
            part->event = time;
            return SOL_OK;
        }
        if (found) /* a comparison changed, but no condition did */
            event_remember(sim, &part->watched);
        part->from = time;
    }
    return SOL_OK;
}

/* ---- parts from the structure ---- */

/* Union-find over nodes and, behind them, states. */
static uint32_t find(uint32_t *up, uint32_t x)
{
    while (up[x] != x)
        x = up[x] = up[up[x]];
    return x;
}

static void unite(uint32_t *up, uint32_t a, uint32_t b)
{
    a = find(up, a);
    b = find(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

static void unite_reads(Sim *sim, uint32_t *up, const NodeList *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const EvalNode *node = &sim->nodes.at[list->at[i]];
        for (uint32_t k = 0; k < node->n_reads; k++) {
            const ValueInfo *info = &sim->info[node->reads[k].var];
            if (info->state)
                unite(up, list->at[i], sim->nodes.n + info->state - 1);
            else if (info->node && sim->nodes.at[info->node].varies)
                unite(up, list->at[i], info->node);
        }
    }
}

static uint32_t *components(Sim *sim)
{
    uint32_t n = sim->nodes.n + sim->states.n;
    uint32_t *up = mem_alloc(sim->mem, (n + 1) * sizeof *up);
    for (uint32_t i = 0; i < n; i++)
        up[i] = i;
    unite_reads(sim, up, &sim->dynamics);
    unite_reads(sim, up, &sim->conditions);
    for (uint32_t i = 0; i < sim->states.n; i++) {
        DdpNode node = sim->info[sim->states.at[i].slope].node;
        if (node && sim->nodes.at[node].varies)
            unite(up, sim->nodes.n + i, node);
        else if (sim->info[sim->states.at[i].slope].state) /* the slope is a state itself */
            unite(up, sim->nodes.n + i,
                  sim->nodes.n + sim->info[sim->states.at[i].slope].state - 1);
    }
    for (uint32_t i = 0; i < n; i++)
        up[i] = find(up, i);
    return up;
}

static Part *new_part(Sim *sim)
{
    Part *part = mem_alloc(sim->mem, sizeof *part);
    part->sim = sim;
    return part;
}

static void free_part(Part *part)
{
    Mem *mem = part->sim->mem;
    blocks_free(part->blocks);
    ida_driver_close(part);
    rk_close(part);
    vec_free(mem, &part->dynamics);
    vec_free(mem, &part->probes);
    vec_free(mem, &part->watched);
    vec_free(mem, &part->states);
    vec_free(mem, &part->loops);
    mem_free(mem, part);
}

void parts_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++)
        free_part(sim->parts.at[i]);
    vec_free(sim->mem, &sim->parts);
    vec_free(sim->mem, &sim->lost_parts);
    vec_free(sim->mem, &sim->before);
    ida_driver_close_all(sim);
}

/* Small loops are solved in place, large ones by the integrator's own Newton iteration. In place
 * also where they are nonlinear: a prediction of tearing variables that is a little off becomes far
 * off behind a chain of exponentials, so Newton failed at every third step (transistor amplifier,
 * rtol 1e-8: 37,500 steps with the two tearing variables as unknowns, 4,000 with the loop solved in
 * place). */
enum { IN_PLACE = 8 };

static bool is_outer(const Sim *sim, const EvalNode *node)
{
    return sim->opt.solver != SOL_SOLVER_RK && node->loop && node->n_tears > IN_PLACE;
}

static void add_dynamics(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    vec_push(sim->mem, &part->dynamics, n);
    node->outer = is_outer(sim, node);
    if (node->outer) {
        vec_push(sim->mem, &part->loops, n);
        part->n += node->n_tears;
    }
}

static void add_probe(Sim *sim, Part *part, DdpNode n)
{
    EvalNode *node = &sim->nodes.at[n];
    vec_push(sim->mem, &part->probes, n);
    bool searched = false;
    for (uint32_t k = 0; k < node->n_compares; k++)
        searched |= !node->compare[k].timed;
    if (searched)
        vec_push(sim->mem, &part->watched, n);
    part->clocked |= searched && node->clocked;
}

/* The part that the component of `x` becomes, made when it is seen first. */
static Part *part_of(Sim *sim, Part **of, const uint32_t *up, uint32_t x)
{
    if (!of[up[x]]) {
        of[up[x]] = new_part(sim);
        vec_push(sim->mem, &sim->parts, of[up[x]]);
    }
    return of[up[x]];
}

static void fill_parts(Sim *sim, const uint32_t *up, Part **of)
{
    for (uint32_t i = 0; i < sim->states.n; i++) {
        const StateInfo *state = &sim->states.at[i];
        Part *part = part_of(sim, of, up, sim->nodes.n + i);
        vec_push(sim->mem, &part->states, ((PartState){state->var, state->slope}));
        part->n++;
    }
    for (uint32_t i = 0; i < sim->dynamics.n; i++)
        add_dynamics(sim, part_of(sim, of, up, sim->dynamics.at[i]), sim->dynamics.at[i]);
    for (uint32_t i = 0; i < sim->probes.n; i++)
        add_probe(sim, part_of(sim, of, up, sim->probes.at[i]), sim->probes.at[i]);
}

/* ---- what stays ---- */

static bool same_states(const Part *a, const Part *b)
{
    return a->states.n == b->states.n &&
           (a->states.n == 0 ||
            memcmp(a->states.at, b->states.at, a->states.n * sizeof *a->states.at) == 0);
}

static bool same_list(const NodeList *a, const NodeList *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

/* The old part whose dynamics is exactly this one's, untouched; else NULL. */
static Part *unchanged(const Sim *sim, const Part *part)
{
    Part *old = part->dynamics.n ? sim->nodes.at[part->dynamics.at[0]].part : NULL;
    if (part->dynamics.n == 0 && part->states.n)
        old = sim->info[part->states.at[0].var].part;
    if (!old || old->restart || old->claimed || !old->started || old->n != part->n ||
        old->dynamics.n != part->dynamics.n || !same_states(old, part))
        return NULL;
    for (uint32_t i = 0; i < part->dynamics.n; i++)
        if (sim->nodes.at[part->dynamics.at[i]].part != old)
            return NULL;
    return old;
}

static void take_lists(Part *to, Part *from)
{
    Part old = *to;
    blocks_free(to->blocks);
    to->blocks = NULL;
    to->dynamics = from->dynamics;
    to->probes = from->probes;
    to->watched = from->watched;
    to->loops = from->loops;
    to->clocked = from->clocked;
    from->dynamics = old.dynamics;
    from->probes = old.probes;
    from->watched = old.watched;
    from->loops = old.loops;
}

/* An old part that lost its work gives its integrator's memory to a new one. */
static void inherit(Part *to, Part *from)
{
    to->ida = from->ida;
    to->rk = from->rk;
    to->step = from->step;
    from->ida = NULL;
    from->rk = NULL;
}

static Part *any_old(const Sim *sim, const Part *part)
{
    for (uint32_t i = 0; i < part->states.n; i++) {
        Part *old = sim->info[part->states.at[i].var].part;
        if (old && !old->claimed)
            return old;
    }
    return NULL;
}

static void label_nodes(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        for (uint32_t k = 0; k < part->probes.n; k++)
            sim->nodes.at[part->probes.at[k]].part = part;
        for (uint32_t k = 0; k < part->dynamics.n; k++)
            sim->nodes.at[part->dynamics.at[k]].part = part;
        for (uint32_t k = 0; k < part->states.n; k++)
            sim->info[part->states.at[k].var].part = part;
    }
}

/* Nothing may point to it any more; it is freed when the nodes have their new parts. */
static void lose_part(Sim *sim, Part *part)
{
    for (uint32_t i = 0; i < part->states.n; i++)
        if (sim->info[part->states.at[i].var].part == part)
            sim->info[part->states.at[i].var].part = NULL;
    vec_push(sim->mem, &sim->lost_parts, part);
}

/* Old parts that are still what they were replace their new doubles; the rest is taken apart. */
static void settle_parts(Sim *sim, uint32_t n_old, Part **old)
{
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i], *same = unchanged(sim, part);
        if (same) {
            same->claimed = true;
            same->search |= !same_list(&same->watched, &part->watched) ||
                            !same_list(&same->probes, &part->probes);
            take_lists(same, part);
            sim->parts.at[i] = same;
            free_part(part);
        }
    }
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i], *from = part->claimed ? NULL : any_old(sim, part);
        part->restart |= !part->claimed;
        if (from) {
            from->claimed = true;
            inherit(part, from);
        }
    }
    for (uint32_t i = 0; i < n_old; i++)
        old[i]->claimed = old[i]->kept = false;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        sim->parts.at[i]->kept = true;
    for (uint32_t i = 0; i < n_old; i++)
        if (!old[i]->kept)
            lose_part(sim, old[i]);
}

static void rebuild_parts(Sim *sim)
{
    uint32_t n_old = sim->parts.n;
    Part **old = mem_alloc(sim->mem, (n_old + 1) * sizeof *old);
    if (n_old)
        memcpy(old, sim->parts.at, n_old * sizeof *old);
    vec_clear(&sim->parts);
    uint32_t *up = components(sim);
    Part **of = mem_alloc(sim->mem, (sim->nodes.n + sim->states.n + 1) * sizeof *of);
    fill_parts(sim, up, of);
    settle_parts(sim, n_old, old);
    for (uint32_t i = 0; i < sim->nodes.n; i++)
        sim->nodes.at[i].part = NULL;
    label_nodes(sim);
    for (uint32_t i = 0; i < sim->lost_parts.n; i++)
        free_part(sim->lost_parts.at[i]);
    vec_clear(&sim->lost_parts);
    mem_free(sim->mem, of);
    mem_free(sim->mem, up);
    mem_free(sim->mem, old);
    sim->counts.parts = 0; /* those that integrate something */
    for (uint32_t i = 0; i < sim->parts.n; i++)
        sim->counts.parts += sim->parts.at[i]->n > 0;
    if (sim->counts.parts > sim->counts.parts_max)
        sim->counts.parts_max = sim->counts.parts;
}

/* ---- after an event ---- */

/* A slope that no node of the dynamics computes, because it changes at events only. */
static double fixed_slope(const Sim *sim, const PartState *state)
{
    return ddp_var_used(sim->ddp, state->slope) && !ddp_var(sim->ddp, state->slope).varies
               ? sim->value[state->slope]
               : 0;
}

/* A state that jumped, or whose fixed slope did: its integrator must not go on as it thought. */
static bool jumped(Part *part)
{
    Sim *sim = part->sim;
    const double *before = sim->before.at + part->place;
    bool result = false;
    for (uint32_t i = 0; i < part->states.n && part->started; i++) {
        double now[2] = {sim->value[part->states.at[i].var], fixed_slope(sim, &part->states.at[i])};
        result |= memcmp(now, before + 2 * i, sizeof now) != 0;
    }
    return result;
}

/* What the states are before an event, to see afterwards which of them jumped. */
static void note_states(Sim *sim)
{
    vec_clear(&sim->before);
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        part->place = sim->before.n;
        for (uint32_t k = 0; k < part->states.n; k++) {
            vec_push(sim->mem, &sim->before, sim->value[part->states.at[k].var]);
            vec_push(sim->mem, &sim->before, fixed_slope(sim, &part->states.at[k]));
        }
    }
}

static SolStatus restart_parts(Sim *sim)
{
    sim->event.parts_restarted = 0;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (part->restart || !part->started) {
            SolStatus status = start_part(part);
            if (status != SOL_OK)
                return status;
            event_remember(sim, &part->watched);
            reselect_begin(part);
            sim->event.parts_restarted += part->n > 0;
        } else if (part->search) {
            part->from = sim->time;
            event_remember(sim, &part->watched);
            part->event = INFINITY;
        }
    }
    sim->event.restarted = sim->event.parts_restarted > 0;
    return SOL_OK;
}

/* Brings the parts in line with the structure and starts those that must start. */
static SolStatus renew_after(Sim *sim)
{
    if (sim->parts_stale)
        rebuild_parts(sim);
    sim->parts_stale = false;
    SolStatus status = restart_parts(sim);
    event_leave_near(sim);
    return status;
}

static SolStatus renew_parts(Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (jumped(sim->parts.at[i]))
            sim->parts.at[i]->restart = true;
    return renew_after(sim);
}

/* ---- time goes on ---- */

/* All parts at `time`, everything evaluated there. */
static SolStatus meet(Sim *sim, double time, bool event)
{
    sim->time = time;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        put_at(sim->parts.at[i], time);
    sim->value[sim->clock] = time;
    sim->break_ties = event;
    SolStatus status = evaluate_all(sim);
    sim->break_ties = false;
    return status;
}

static SolStatus handle_event(Sim *sim, double time)
{
    sim->time = time;
    event_forget_ties(sim);
    SolStatus status = meet(sim, time, true);
    if (status != SOL_OK)
        return status;
    note_states(sim);
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (part->event > time)
            continue;
        part->search = true;
        if (part->reselect)
            reselect_advise(part);
        part->restart |= part->reselect;
        part->reselect = false;
    }
    status = sim_event(sim);
    double begin = timer_now();
    if (status == SOL_OK)
        status = renew_parts(sim);
    sim_event_done(sim, timer_now() - begin);
    return status;
}

static Part *last_behind(const Sim *sim, double limit)
{
    Part *last = NULL;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->now < limit && (!last || sim->parts.at[i]->now < last->now))
            last = sim->parts.at[i];
    return last;
}

static double first_event(const Sim *sim)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        first = fmin(first, sim->parts.at[i]->event);
    return first;
}

static SolStatus search_all(Sim *sim, double limit)
{
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (!part->search)
            continue;
        SolStatus status = search_part(part, fmin(part->now, limit));
        if (status != SOL_OK)
            return status;
    }
    return SOL_OK;
}

/* After an accepted step: events in it, and whether the choice of states still holds at its end. */
static SolStatus look_at_step(Part *part)
{
    if (part->from < part->back)
        part->from = part->back;
    SolStatus status = search_part(part, part->now);
    if (status != SOL_OK || !part->constrained || part->event <= part->now)
        return status;
    put_at(part, part->now);
    part->reselect = part_evaluate(part, part->now, NULL) == 0 && reselect_wanted(part);
    if (part->reselect)
        part->event = part->now;
    return SOL_OK;
}

/* Steps until every part has reached `limit` or the first event before it. */
static SolStatus advance(Sim *sim, double limit, double stop_at, bool one_step, double *event)
{
    double begin = timer_now();
    SolStatus status = search_all(sim, INFINITY);
    *event = fmin(first_event(sim), limit);
    for (Part *part; status == SOL_OK && (part = last_behind(sim, *event));) {
        status = step_part(part, stop_at, *event);
        if (status == SOL_OK)
            status = look_at_step(part);
        *event = fmin(*event, part->event);
        if (atomic_load(&sim->cancel))
            status = status == SOL_OK ? SOL_CANCELLED : status;
        if (one_step)
            break;
    }
    sim->counts.integrate += timer_now() - begin;
    return status;
}

static SolStatus go_to(Sim *sim, double stop, bool one_step, bool *event)
{
    double timed = fmin(event_next_time(sim, sim->time), event_next_sample(sim));
    double limit = fmin(fmin(stop, sim->next_output), timed), found;
    SolStatus status =
        advance(sim, limit, fmin(timed, fmax(stop, sim->opt.stop)), one_step, &found);
    if (status != SOL_OK)
        return status;
    for (uint32_t i = 0; one_step && i < sim->parts.n; i++)
        found = fmin(found, sim->parts.at[i]->now);
    *event = found == timed || found == first_event(sim);
    if (*event)
        return handle_event(sim, found);
    status = meet(sim, found, false);
    if (status == SOL_OK && found >= sim->next_output)
        status = sim_point(sim, SOL_AT_POINT);
    return status;
}

bool parts_last(Sim *sim)
{
    double time = INFINITY;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (sim->parts.at[i]->started)
            time = fmin(time, sim->parts.at[i]->now);
    if (!isfinite(time) || time < sim->last_point || sim->parts_stale)
        return true; /* it failed in an event: values are those of its last update */
    sim->quiet = true;
    SolStatus status = meet(sim, time, false);
    sim->quiet = false;
    return status == SOL_OK;
}

/* An event here and now, because somebody wrote a value: every part may be touched. */
SolStatus parts_event(Sim *sim)
{
    if (!sim->running)
        return sim_event(sim);
    sim->break_ties = true;
    SolStatus status = evaluate_dirty(sim);
    sim->break_ties = false;
    if (status == SOL_OK)
        status = sim_event(sim);
    for (uint32_t i = 0; i < sim->parts.n; i++)
        sim->parts.at[i]->restart = true;
    double begin = timer_now();
    if (status == SOL_OK)
        status = renew_after(sim);
    sim_event_done(sim, timer_now() - begin);
    return status;
}

/* For fixed steps, which need no integrators but must see when a choice of states turns singular.
 */
void parts_refresh(Sim *sim)
{
    if (!sim->parts_stale)
        return;
    rebuild_parts(sim);
    sim->parts_stale = false;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        reselect_begin(sim->parts.at[i]);
}

bool parts_advise(Sim *sim)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (reselect_wanted(sim->parts.at[i])) {
            reselect_advise(sim->parts.at[i]);
            any = true;
        }
    return any;
}

SolStatus parts_run(Sim *sim, double stop, bool to_event, bool one_step, bool *happened)
{
    SolStatus status = SOL_OK;
    if (!sim->running) {
        sim->running = true;
        status = renew_parts(sim);
    }
    while (status == SOL_OK && sim->time < stop) {
        status = go_to(sim, stop, one_step, happened);
        if (one_step || (to_event && *happened))
            break;
    }
    return status;
}
