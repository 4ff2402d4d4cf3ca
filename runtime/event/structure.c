/* structure.c: instances that were just born -> values of everything, and the branches they choose.
 *
 * The birth update (at the start, and whenever branches were taken at an event): frontend/birth.c
 * decides (U3), here are the values it asks for:
 *
 *     changes of the front end taken over; commit of what there is so far
 *     evaluate what is determined, loops held back as long as an `if` waits for its branch
 *     give new states their start values, as soon as these are known
 *     if that decides branches: from the beginning
 *     nothing to decide: evaluate the loops too; if that decides branches: from the beginning
 *     still nothing: states that nobody gave a value start at 0; if that decides branches: from the beginning
 *
 * Start values count only in the update in which their der is born; what is no state takes
 * its start value as the first guess of whatever loop determines it.
 */
#include "runtime/event/implicit.h"
#include "runtime/event/reinit.h"
#include "runtime/event/trail.h"
#include "frontend/birth.h"
#include "runtime/eval/loop_rest.h"
#include "runtime/eval/redundant.h"
#include "runtime/eval/rounding.h"
#include "runtime/eval/trace.h"

#include <math.h>
#include <stdlib.h>

static bool newborn_left(const Sim *sim)
{
    uint32_t n;
    world_newborn(sim->world, &n);
    return n > 0;
}

/* ---- start values ---- */

static bool known_now(Sim *sim, DdpVar var)
{
    evaluate_fetch(sim, var, EVAL_EVENT);
    const ValueInfo *info = &sim->info[var];
    return info->has && !info->pending;
}

/* A branch that is entered starts its derivatives. Where the start is a fixed number, and the
 * variable had another value, that may be meant or not: it is told the first time. */
static void tell_started_again(Sim *sim, const StartMemo *start)
{
    const ValueInfo *info = &sim->info[start->var];
    double before = sim->value[start->var], now = sim->value[start->start];
    bool older = sim->record.news.shown && info->birth <= sim->record.births_before && info->has &&
                 !info->pending;
    if (!older || start->again || before == now || map_get(&sim->start.started_again, start->at) ||
        ddp_var(sim->ddp, start->start).kind != DDP_KNOWN)
        return;
    map_put(sim->mem, &sim->start.started_again, start->at, 1);
    diag_warning(sim->diags, start->at,
                 "at time %.10g this branch is entered and %s starts at %.10g: it was %.10g",
                 sim->time, explain_var(sim, start->var), now, before);
    diag_note(sim->diags, 0,
              "a derivative that stands outside of the branches goes on from its value");
}

static bool give_start(Sim *sim, StartMemo *start)
{
    if (!sim->info[start->var].state)
        return false;
    start->given = true;
    tell_started_again(sim, start);
    trail_started(sim, start->var);
    if (trail_is_old(sim, start->var))
        trail_state(sim, start->var);
    values_set(sim, start->var, sim->value[start->start]);
    return true;
}

/* True when a state got a value. */
static bool give_starts(Sim *sim)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        StartMemo *start = &sim->start.starts.at[i];
        if (!start->var || start->given || !known_now(sim, start->start))
            continue;
        bool lacks_value = !sim->info[start->var].has || sim->info[start->var].pending;
        if (give_start(sim, start))
            any = true;
        else if (lacks_value)
            sim->value[start->var] = sim->value[start->start]; /* a first guess */
    }
    return any;
}

/* Those that nothing has to be evaluated for, so that what follows from these states need not wait.
 */
static void give_plain_starts(Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        StartMemo *start = &sim->start.starts.at[i];
        if (start->var && !start->given && !sim->info[start->start].node &&
            sim->info[start->start].has)
            give_start(sim, start);
    }
}

static bool lacks(const Sim *sim, DdpVar var)
{
    return sim->info[var].state && !sim->info[var].has;
}

static StartMemo *start_of(Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var == var && !sim->start.starts.at[i].given)
            return &sim->start.starts.at[i];
    return NULL;
}

/* States that have no value yet start at 0, or where a start value left them as a first guess. */
static bool give_zeros(Sim *sim, bool all)
{
    bool any = false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->start.lacking.n; i++) {
        DdpVar var = sim->start.lacking.at[i];
        if (!lacks(sim, var))
            continue;
        StartMemo *start = start_of(sim, var);
        if (!all && start) {
            sim->start.lacking.at[kept++] = var;
            continue;
        }
        if (start)
            start->late = true;
        values_set(sim, var, sim->value[var]);
        vec_push(sim->mem, &sim->start.zeroed, var);
        any = true;
    }
    sim->start.lacking.n = kept;
    return any;
}

/* Start values of what is no state, while some state has no value. */
static bool starts_wait(const Sim *sim)
{
    bool wait = false, lack = false;
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        wait |= sim->start.starts.at[i].var && !sim->start.starts.at[i].given;
    for (uint32_t i = 0; wait && i < sim->start.lacking.n && !lack; i++)
        lack = lacks(sim, sim->start.lacking.at[i]);
    return wait && lack;
}

/* U5: which of those that come back with the else branch of a `when` count. */
static void judge_starts(Sim *sim)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        StartMemo *start = &sim->start.starts.at[i];
        if (start->again && start->var && !update_pulsed(sim, start->start))
            start->var = 0;
        if (start->again && start->var)
            sim->search.impulse_time = sim->time;
        start->again = false;
    }
}

/* ---- branches ---- */

/* The branch of an `if` is what its condition is compared with from now on. */
static void note_choice(Sim *sim, BranchId id)
{
    BranchMemo *memo = &sim->branches.at[id];
    WorldChoice choice;
    bool newborn;
    if (!world_branch_choice(sim->world, id, &choice, &newborn))
        return; /* it went with a branch around it */
    memo->newborn = newborn;
    if (!memo->when && !newborn)
        memo->truth = choice == WORLD_THEN;
    event_unsettle(sim, memo->condition);
    event_note_mode(sim, id);
    event_add_candidate(sim,
                        id); /* a `when` is left again, an `if` may have to be changed at once */
}

SolStatus structure_choose(Sim *sim)
{
    double begin = timer_now();
    trace_choices(sim, sim->record.event.updates, sim->decide.decisions.n,
                  sim->decide.decisions.at);
    sim->update.complete = false; /* until the structure is complete */
    bool fine = world_choose(sim->world, sim->decide.decisions.n, sim->decide.decisions.at);
    sim->counts.instantiate += timer_now() - begin;
    sim->build.structure_changed = true;
    for (uint32_t i = 0; i < sim->decide.decisions.n; i++)
        note_choice(sim, sim->decide.decisions.at[i].branch);
    if (world_out_of_memory(sim->world))
        return SOL_MEMORY;
    return fine ? SOL_OK : SOL_MODEL;
}

/* ---- states ---- */

static const double ASIDE_HOLDS = 1e-9;         /* against the terms of the equation */
enum { MOST_CHOICES = 4, MOST_COMBINED = 100 }; /* of states in one update; of loops */

/* Guesses are needed where a constraint reads what has no value yet. */
static bool lacks_values(const Sim *sim)
{
    const NodeList *list = reselect_unexamined(sim);
    for (uint32_t i = 0; i < list->n; i++) {
        const EvalNode *node = &sim->nodes.at[list->at[i]];
        for (uint32_t k = 0; node->live && k < node->n_steps + node->n_tears; k++)
            if (!sim->info[node_output(node, k)].has || sim->info[node_output(node, k)].pending)
                return true;
    }
    return false;
}

/* Other states where the choice is singular; start values are given anew then. */
static bool choose_states(Sim *sim)
{
    if (!reselect_unexamined(sim)->n)
        return false;
    if (lacks_values(sim))
        start_guess(sim);
    if (!reselect_unsolved(sim))
        return false;
    reselect_forget(sim);
    sim->update.complete = false;
    nodes_commit(sim, DDP_SO_FAR);
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        sim->start.starts.at[i].given = false;
    return true;
}

/* ---- the birth update: what birth.c asks for ---- */

static SolStatus evaluate_starting(Sim *sim)
{
    SolStatus status;
    do
        status = evaluate_dirty(sim, EVAL_EVENT);
    while (status == SOL_OK && give_starts(sim));
    return status;
}

/* Evaluates, and gives the starts that are known then. What could not be evaluated perhaps can be where initial conditions say that
 * states begin. */
static SolStatus evaluate_and_start(Sim *sim)
{
    uint32_t messages = sim->diags->list.n;
    SolStatus status = evaluate_starting(sim);
    if (status != SOL_NUMERICS || loop_solve_combined(sim) || newborn_left(sim) ||
        !start_solve_early(sim))
        return status;
    diags_drop_errors(sim->diags, messages);
    return evaluate_starting(sim);
}

static int birth_begin(void *context)
{
    Sim *sim = context;
    sim->update.complete = false;
    vec_clear(&sim->update.undecided);
    SolStatus status = structure_take_changes(sim);
    if (status != SOL_OK)
        return status;
    nodes_commit(sim, DDP_SO_FAR);
    if (sim->update.due) /* only now: what went with the commit was still left alone */
        update_begin(sim);
    implicit_committed(sim);
    /* A loop waits for branches, and for start values that are its first guesses. */
    evaluate_hold_loops(sim, newborn_left(sim) || sim->start.starts.n > 0 ||
                                 reselect_unexamined(sim)->n > 0);
    sim->start.boldness = sim->start.choices = 0;
    sim->start.guessed = false;
    judge_starts(sim);
    give_plain_starts(sim);
    status = reinit_give(sim);
    update_resume(sim);
    return status == SOL_OK ? evaluate_and_start(sim) : status;
}

/* Loops; then states that nobody gives a value, first those without a start value of their own. */
static int birth_bolder(void *context, bool *more)
{
    Sim *sim = context;
    *more = true;
    if (!sim->start.guessed && starts_wait(sim)) {
        sim->start.guessed = true;
        start_guess(sim);
    }
    if (evaluate_holds_loops(sim) && sim->start.choices++ < MOST_CHOICES && choose_states(sim)) {
        give_plain_starts(sim);
        update_resume(sim);
        return evaluate_and_start(sim);
    }
    if (evaluate_release(sim) || give_zeros(sim, sim->start.boldness > 0))
        return evaluate_and_start(sim);
    *more = sim->start.boldness++ == 0;
    return SOL_OK;
}

/* What is left alone decides nothing in this update (U2), but for what a `when` that acts holds. */
static bool birth_known(void *context, BranchId branch, DdpVar var, double *value)
{
    Sim *sim = context;
    bool acts = sim->update.acting && update_branch_acts(sim, branch);
    if (acts ? !update_compute(sim, var)
             : update_left_alone(sim, var) || !evaluate_is_determined(sim, var) ||
                   update_branch_turned(sim, branch))
        return false;
    if (!known_now(sim, var))
        return false;
    *value = sim->value[var];
    return true;
}

/* It waits for what has no value yet: a start, a loop. What is left alone keeps its truth. */
static bool birth_awaited(void *context, DdpVar var)
{
    const Sim *sim = context;
    const ValueInfo *info = &sim->info[var];
    return info->pending && !update_left_alone(sim, var) && evaluate_is_determined(sim, var);
}

/* Who waits was told of as who changed. */
static bool birth_awaits(void *context)
{
    Sim *sim = context;
    for (uint32_t i = 0; i < sim->decide.candidates.n; i++) {
        const BranchMemo *memo = &sim->branches.at[sim->decide.candidates.at[i]];
        if (memo->live && !memo->when && !memo->newborn && birth_awaited(sim, memo->condition))
            return true;
    }
    return false;
}

static int birth_choose(void *context, uint32_t n, const WorldDecision *list)
{
    Sim *sim = context;
    vec_clear(&sim->decide.decisions);
    for (uint32_t i = 0; i < n; i++)
        vec_push(sim->mem, &sim->decide.decisions, list[i]);
    return structure_choose(sim);
}

static int birth_leave(void *context, uint32_t n, const DdpVar *vars)
{
    return update_undecided(context, n, vars);
}

/* What is overdetermined by equations that say nothing new. */
static bool sets_aside(Sim *sim)
{
    return loop_solve_may_combine(sim) && evaluate_committed(sim)->verdict == DDP_OVERDETERMINED &&
           !newborn_left(sim) && redundant_over(sim);
}

static bool close_open(Sim *sim)
{
    if (!redundant_close(sim))
        return false;
    reselect_note_aside(sim);
    return true;
}

/* What equations that were set aside leave open is closed before start values are given: until then forces are missing, and
 * what would be a state is computed from what is left. */
static bool closes(Sim *sim)
{
    if (!loop_solve_may_combine(sim) || newborn_left(sim) || !redundant_is_open(sim))
        return false;
    nodes_commit(sim, DDP_FINAL);
    return evaluate_committed(sim)->verdict == DDP_UNDERDETERMINED && close_open(sim);
}

static SolStatus settle_births(Sim *sim)
{
    BirthHost host = {.context = sim,
                      .begin = birth_begin,
                      .bolder = birth_bolder,
                      .known = birth_known,
                      .awaits = birth_awaits,
                      .awaited = birth_awaited,
                      .choose = birth_choose,
                      .leave = sim->update.births_before ? birth_leave : NULL,
                      .acting = sim->update.acting};
    SolStatus status = (SolStatus)birth_settle(sim->world, &host);
    if (status != SOL_OK)
        return status;
    if (sets_aside(sim) || closes(sim)) {
        loop_solve_note_combined(sim, false);
        return SOL_NUMERICS;
    }
    SolStatus met = start_solve(sim);
    sim->start.recombined = false;
    implicit_keep_starts(sim);
    vec_clear(&sim->start.starts);
    vec_clear(&sim->start.zeroed);
    vec_clear(&sim->start.begins);
    return met;
}

/* Start values are first guesses again where what was solved with them was not determined. What determines such a variable gives
 * it its value again: the change that follows need not touch it. */
static void begin_again(Sim *sim, StartMemo *start)
{
    start->given = false;
    if (!loop_solve_is_arbitrary(sim) || !start->var || !known_now(sim, start->start))
        return;
    sim->value[start->var] = sim->value[start->start];
    if (sim->info[start->var].node)
        evaluate_touch_node(sim, sim->info[start->var].node);
    evaluate_touch(sim, start->var);
}

/* Where a loop is singular because it hides a relation, that takes the place of one of the loop's:
 * other variables are states then. */
static SolStatus settle_combining(Sim *sim)
{
    SolStatus status;
    int i = 0;
    do {
        loop_solve_combine(sim, i++ < MOST_COMBINED);
        status = settle_births(sim);
        sim->start.recombined |= loop_solve_combined(sim) && !parts_running(sim);
        for (uint32_t k = 0; loop_solve_combined(sim) && k < sim->start.starts.n; k++)
            begin_again(sim, &sim->start.starts.at[k]);
        /* what was set aside need not be in the loop that could not be solved */
        if (loop_solve_combined(sim) && loop_solve_unsolved(sim))
            evaluate_touch_node(sim, loop_solve_unsolved(sim));
    } while (loop_solve_combined(sim));
    loop_solve_combine_no_more(sim);
    return status;
}

/* Is the choice of states a bad one, now that all is solved, or the reason why something could not be? */
static bool wants_other_states(Sim *sim, SolStatus status)
{
    bool solved = status == SOL_OK, failed = status == SOL_NUMERICS || status == SOL_MODEL;
    return (solved || failed) && (reselect_singular(sim) || (solved && reselect_unsolved(sim)));
}

/* Where it is, it is made anew. */
SolStatus structure_settle(Sim *sim)
{
    uint32_t messages = sim->diags->list.n;
    SolStatus status = settle_combining(sim);
    for (int i = 0; i < MOST_CHOICES && wants_other_states(sim, status); i++) {
        if (status != SOL_OK)
            diags_drop_errors(sim->diags, messages);
        reselect_forget(sim);
        status = settle_combining(sim);
    }
    reselect_forget(sim);
    if (status != SOL_OK)
        return status;
    if (evaluate_committed(sim)->verdict == DDP_OVERDETERMINED ||
        evaluate_committed(sim)->verdict == DDP_FALSE_CAUSALITY)
        return explain_structure(sim);
    return SOL_OK;
}

/* Time would go on: now everything must be determined. */
static SolStatus finish(Sim *sim)
{
    nodes_commit(sim, DDP_FINAL);
    if (evaluate_committed(sim)->verdict == DDP_UNDERDETERMINED && loop_solve_may_combine(sim) &&
        close_open(sim)) {
        loop_solve_note_combined(sim, false);
        return SOL_NUMERICS;
    }
    sim->build.incomplete =
        (sim->decide.edit || (!sim->record.news.shown && sim->opt.editable)) &&
        evaluate_committed(sim)->verdict == DDP_UNDERDETERMINED; /* more may be typed */
    if (sim->build.incomplete)
        return evaluate_dirty(sim, EVAL_EVENT);
    if (evaluate_committed(sim)->verdict == DDP_DETERMINED ||
        evaluate_committed(sim)->verdict == DDP_UNDERDETERMINED)
        if (newborn_left(sim)) /* the reason why something is not determined, if anything is */
            return explain_newborn(sim);
    if (evaluate_committed(sim)->verdict != DDP_DETERMINED)
        return explain_structure(sim);
    SolStatus status = integer_check(sim) == SOL_OK ? select_check(sim) : SOL_MODEL;
    return status == SOL_OK ? evaluate_dirty(sim, EVAL_EVENT) : status;
}

/* Loops that are new and that nobody but output needs: that one hides a relation has to be found
 * while the structure may still change. */
static SolStatus solve_new_loops(Sim *sim)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < part_graph_unsettled(sim)->n && status == SOL_OK; i++) {
        const EvalNode *node = &sim->nodes.at[part_graph_unsettled(sim)->at[i]];
        if (node->live && node->loop && evaluate_is_stale(sim, node))
            status = evaluate_fetch(sim, node_output(node, 0), EVAL_EVENT);
    }
    return status;
}

/* How far a relation that was set aside is off, and what its terms add up to. */
static double aside_off(Sim *sim, DdpRel rel, DdpVar rest, double *size)
{
    DdpRelView view = ddp_rel(sim->ddp, rel);
    DdpCombination entered = {0};
    *size = 1;
    if (rest) {
        evaluate_fetch(sim, rest, EVAL_EVENT);
        for (uint32_t i = 1; i < view.n; i++)
            *size = fmax(*size, fabs(sim->value[view.vars[i]]));
        return sim->value[rest];
    }
    ddp_combination(sim->ddp, rel, &entered);
    const FormInfo *form = form_info(sim->forms, entered.form);
    X left_right = x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
    for (uint32_t i = 0; i < entered.n; i++)
        if (entered.vars[i])
            evaluate_fetch(sim, entered.vars[i], EVAL_EVENT);
    *size = fmax(*size, rounding_size(sim, left_right, entered.vars));
    return x_value(sim->forms, left_right, entered.vars, sim->value, evaluate_foreign, sim);
}

/* Equations that were set aside followed from others while known values were what they were. */
static SolStatus check_aside(Sim *sim)
{
    DdpVar rest;
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = ddp_next_aside(sim->ddp, &cursor, &rest));) {
        char text[400];
        double size, off = aside_off(sim, rel, rest, &size);
        if (isfinite(off) && fabs(off) <= ASIDE_HOLDS * size)
            continue;
        world_rel_text(sim->world, rel, text, sizeof text);
        diag_error(sim->diags, world_rel_place(sim->world, rel),
                   "at time %.10g '%s' is off by %.3g: it followed from others and was set aside, "
                   "now it contradicts them",
                   sim->time, text, off);
        return SOL_MODEL;
    }
    return SOL_OK;
}

SolStatus structure_finish(Sim *sim)
{
    for (int i = 0;; i++) {
        loop_solve_combine(sim, i < MOST_COMBINED);
        SolStatus status = finish(sim);
        if (status == SOL_OK)
            status = solve_new_loops(sim);
        loop_solve_combine_no_more(sim);
        if (status == SOL_OK)
            loop_rest_tell(sim, part_graph_unsettled(sim));
        if (status == SOL_OK || !loop_solve_combined(sim))
            return status == SOL_OK ? check_aside(sim) : status;
        status = structure_settle(sim);
        if (status != SOL_OK)
            return status;
    }
}

/* ---- the beginning ---- */

/* A number as other programs write it (`.5`, `+3`), or a constant expression of Sol. */
static TypeKind value_of(Sim *sim, Def *top, const SolSet *set, double *value)
{
    char *end, name[256];
    *value = strtod(set->value, &end);
    if (end != set->value && !*end && isfinite(*value))
        return TYPE_REAL;
    snprintf(name, sizeof name, "value of %s", set->path);
    return program_constant(sim->program, top, name, set->value, value);
}

static SolStatus override_parameters(Sim *sim, Def *top)
{
    for (uint32_t i = 0; i < sim->opt.n_sets; i++) {
        const SolSet *set = &sim->opt.sets[i];
        double value;
        TypeKind type = value_of(sim, top, set, &value);
        if (type == TYPE_ERROR)
            diag_note(
                sim->diags, 0,
                "%s=%s: a number, true, false, a \"text\" in quotes or an expression of these "
                "is wanted",
                set->path, set->value);
        if (type == TYPE_ERROR || !world_override(sim->world, set->path, type, value))
            return SOL_USAGE;
    }
    return SOL_OK;
}

static SolStatus monitor(Sim *sim)
{
    if (trace_on(sim, 'i'))
        world_monitor(sim->world, NULL);
    for (uint32_t i = 0; i < sim->opt.n_monitored; i++) {
        Def *def = program_find(sim->program, sim->opt.monitored[i]);
        if (!def)
            return SOL_USAGE;
        world_monitor(sim->world, def);
        vec_push(sim->mem, &sim->start.monitored, def);
    }
    return SOL_OK;
}

bool structure_monitors(const Sim *sim, const Def *def)
{
    for (uint32_t i = 0; i < sim->start.monitored.n; i++)
        for (const Def *base = def; base; base = base->base)
            if (base == sim->start.monitored.at[i])
                return true;
    return false;
}

static bool was_started(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->start.starts.n; i++)
        if (sim->start.starts.at[i].var == var)
            return true;
    return false;
}

SolStatus structure_open_world(Sim *sim, Def *top)
{
    WorldLimits limits = {.instances = sim->opt.max_instances};
    world_host_open(sim);
    values_ask_starts(sim, was_started);
    sim->world =
        world_open(sim->mem, sim->program, sim->forms, sim->ddp, &sim->start.host, &limits);
    if (!sim->world)
        return SOL_MEMORY;
    foreign_attach(sim->foreign, sim->world);
    sim->clock = world_time(sim->world);
    values_grow(sim);
    SolStatus status = override_parameters(sim, top);
    if (status == SOL_OK)
        status = monitor(sim);
    return status;
}

SolStatus structure_create(Sim *sim, Def *top)
{
    SolStatus status = structure_open_world(sim, top);
    if (status != SOL_OK)
        return status;
    values_set(sim, sim->clock, sim->time);
    double begin = timer_now();
    bool fine = world_create(sim->world, top);
    sim->counts.instantiate += timer_now() - begin;
    if (world_out_of_memory(sim->world))
        return SOL_MEMORY;
    if (world_override_misfit(sim->world))
        return SOL_USAGE;
    return fine ? SOL_OK : SOL_MODEL;
}
