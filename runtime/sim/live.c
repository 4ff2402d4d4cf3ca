/* live.c: what somebody types -> a change of the running model, with its verdict; the public functions of edits.
 *
 * An edit is an event whose first structural change comes from outside (event_iterate.c). What was is written
 * before (save_peek) and read into a fresh simulation when the edit is refused, which then takes the place
 * of the one that was tried: so nothing is left of it, whatever went wrong, memory included. What an edit
 * did is kept as a list of steps, each of which can be done backwards. */
#include "runtime/event/delay.h"
#include "runtime/sim/live.h"
#include "runtime/sim/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was done ---- */

static void free_edit(Sol *sol, EditDone *done)
{
    Mem *mem = sol->model->mem;
    for (uint32_t i = 0; i < done->steps.n; i++)
        live_free_step(mem, &done->steps.at[i]);
    vec_free(mem, &done->steps);
    for (uint32_t i = 0; i < done->n_wanted; i++) {
        mem_free(mem, (void *)done->wanted[i].scope);
        mem_free(mem, (void *)done->wanted[i].what);
        mem_free(mem, (void *)done->wanted[i].text);
    }
    mem_free(mem, done->wanted);
    pack_free(&done->before);
    *done = (EditDone){0};
}

static void cut_history(Sol *sol, uint32_t n)
{
    SolHistory *h = sol->history;
    while (h && h->edits.n > n) {
        EditDone done = vec_pop(&h->edits);
        free_edit(sol, &done);
    }
    if (h && h->done > n)
        h->done = n;
    if (h && h->kept_from > n)
        h->kept_from = n;
}

void live_forget(Sol *sol)
{
    if (!sol->history)
        return;
    cut_history(sol, 0);
    free_edit(sol, &sol->history->now);
    vec_free(sol->model->mem, &sol->history->edits);
    pack_free(&sol->history->before);
    vec_free(sol->model->mem, &sol->history->values);
    vec_free(sol->model->mem, &sol->history->left.values);
    mem_free(sol->model->mem, sol->history);
    sol->history = NULL;
}

/* ---- where it stands ---- */

static EditStamp stamp_of(const Sim *sim, uint64_t number)
{
    return (EditStamp){sim->time, sim->counts.steps, sim->counts.events, event_births(sim), number};
}

static bool same_stamp(const EditStamp *a, const EditStamp *b)
{
    return a->time == b->time && a->steps == b->steps && a->events == b->events &&
           a->births == b->births && a->number == b->number;
}

/* Of the present; a new one if something happened since the last. */
static EditStamp present(Sol *sol)
{
    SolHistory *h = sol->history;
    EditStamp now = stamp_of(sol->sim, h->state.number);
    if (!same_stamp(&now, &h->state))
        now.number = ++h->numbers;
    return h->state = now;
}

static const char *own_text(Sim *sim, const char *text)
{
    return text ? live_copy(sim, text) : NULL;
}

enum {
    MOST_KEPT = 1 << 20,     /* bytes of a state before an edit */
    MOST_KEPT_ALL = 1 << 24, /* of all of them */
};

/* A state before an edit is of use as long as the way back to it is one of edits alone. */
static void forget_states(SolHistory *h)
{
    uint32_t last = h->edits.n - 1;
    size_t kept = 0;
    bool reached = last > 0 && same_stamp(&h->edits.at[last - 1].to, &h->edits.at[last].from);
    for (uint32_t i = h->kept_from; i <= last; i++)
        kept += h->edits.at[i].before.n;
    for (; h->kept_from < last && (!reached || kept > MOST_KEPT_ALL); h->kept_from++) {
        kept -= h->edits.at[h->kept_from].before.n;
        pack_free(&h->edits.at[h->kept_from].before);
    }
}

/* Keeps what undoing it exactly, and doing it again, needs. */
static void keep_wanted(Sol *sol, EditDone *done, uint32_t n, const SolEdit *edits)
{
    Sim *sim = sol->sim;
    Pack *before = &sol->history->before;
    done->wanted = mem_alloc(sim->mem, n * sizeof *done->wanted);
    for (uint32_t i = 0; i < n; i++, done->n_wanted++)
        done->wanted[i] = (SolEdit){.kind = edits[i].kind,
                                    .scope = own_text(sim, edits[i].scope),
                                    .what = own_text(sim, edits[i].what),
                                    .text = own_text(sim, edits[i].text)};
    done->before.mem = sim->mem;
    if (sol->history->exact && before->n <= MOST_KEPT) {
        done->before.writing = true;
        pack_bytes(&done->before, before->bytes, before->n);
    }
}

/* ---- the verdict ---- */

/* What is new has to have a value. The list is in the order of births; numbers of some that died are used again. */
static SolStatus check_births(Sim *sim, uint64_t before)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = event_news(sim)->births.n; i-- > 0 && status == SOL_OK;) {
        DdpVar var = event_news(sim)->births.at[i];
        if (sim->info[var].birth <= before)
            break;
        if (!ddp_var_used(sim->ddp, var))
            continue;
        status = evaluate_fetch(sim, var, EVAL_PLAIN);
        if (status == SOL_OK && sim->info[var].has && isnan(sim->value[var])) {
            diag_error(sim->diags, 0, "%s has no value", explain_var(sim, var));
            explain_determined_by(sim, var);
            status = SOL_NUMERICS;
        }
    }
    return status;
}

/* The event of the edit; `numbers` of its record are kept before the next one. */
static SolStatus try_edit(Sim *sim, SolEdited *edited)
{
    uint64_t births = event_births(sim), visited = ddp_counts(sim->ddp).visited;
    if (sim->opt.solver == SOL_SOLVER_EULER)
        grid_cut(sim);
    SolStatus status = delay_cut(sim);
    if (status == SOL_OK)
        status = sim_point_before(sim, sim->time);
    if (status == SOL_OK)
        status = time_event(sim);
    if (status == SOL_OK && !event_is_incomplete(sim))
        status = check_births(sim, births);
    if (status != SOL_OK)
        return status;
    edited->entered = event_record(sim)->entered;
    edited->removed = event_record(sim)->removed;
    edited->visited = ddp_counts(sim->ddp).visited - visited;
    edited->verdict = event_is_incomplete(sim) ? SOL_INCOMPLETE : SOL_ACCEPTED;
    if (event_is_incomplete(sim))
        explain_structure(sim);
    world_edit_pardon(sim->world);
    return SOL_OK;
}

/* What the output is told of an edit: the row before it, and when it is accepted what came, went, and the row behind. Where
 * variables lack an equation there is nothing to tell. */
static void tell_output(Sim *sim, bool behind)
{
    MemGuard guard;
    if (!sim->output.to.point || event_is_incomplete(sim))
        return;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return;
    if (behind)
        sim_point(sim, SOL_AFTER_EVENT);
    else
        sim_point_before(sim, sim->time);
    mem_guard_pop(sim->mem, &guard);
}

/* The row before it is told when it is accepted: of what is refused nothing is seen. (Derivatives by parameters are read while
 * a point is told, so that one does not wait.) */
static void keep_left(Sim *sim, SolHistory *h)
{
    h->left.any = false;
    sim->output.held = sim->output.sense ? NULL : &h->left;
    tell_output(sim, false);
    sim->output.held = NULL;
}

static void tell_both(Sim *sim, SolHistory *h)
{
    if (h->left.any && sim->output.to.point)
        sim->output.to.point(sim->output.to.context, &h->left.point);
    tell_output(sim, true);
}

static SolStatus guarded_try(Sol *sol, const EditsWanted *wanted, SolEdited *edited)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return SOL_MEMORY;
    SolStatus status = try_edit(sim, edited);
    if (status == SOL_OK && wanted)
        keep_wanted(sol, &sol->history->now, wanted->n, wanted->edits);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

static SolStatus guarded_return(Sim *sim, Pack *before)
{
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return SOL_MEMORY;
    SolStatus status = save_return(sim, before);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

static SolStatus try_back(Sol *sol, Pack *before, bool told)
{
    Sim *old = sol->sim, *fresh;
    if (!program_recover(old->program) || !(fresh = sim_like(old, &old->opt)))
        return SOL_MEMORY;
    SolStatus status = guarded_return(fresh, before);
    if (status != SOL_OK) {
        sim_close(fresh);
        return status;
    }
    world_edit_allow_foreign(fresh->world, fresh->opt.edits_call_foreign);
    if (told)
        announce_return(old, fresh);
    sol->sim = fresh;
    sim_close(old);
    if (sol->keeper)
        sol->keeper->reconcile(sol);
    return SOL_OK;
}

/* What was before takes the place of what was tried, or of what is there and was told to the output. Without memory it is
 * tried again: there may be some by then. */
static SolStatus take_back(Sol *sol, Pack *before, bool told)
{
    SolStatus status = SOL_MEMORY;
    for (int i = 0; i < 3 && status == SOL_MEMORY; i++)
        status = try_back(sol, before, told);
    return status;
}

/* What is tried: a new edit, or one that is undone or done again, as far as that came. */
static EditDone *tried(SolHistory *h, uint32_t *n, bool *forwards)
{
    EditDone *done = h->repeats ? &h->edits.at[h->forwards ? h->done : h->done - 1] : &h->now;
    *n = h->repeats ? h->repeated : h->now.steps.n;
    *forwards = h->repeats ? h->forwards : true;
    return done;
}

/* What the event that failed made anew may not have been evaluated. */
static void touch_unsettled(Sim *sim)
{
    const NodeList *list = part_graph_unsettled(sim);
    for (uint32_t i = 0; i < list->n; i++)
        if (sim->nodes.at[list->at[i]].live)
            evaluate_touch_node(sim, list->at[i]);
}

/* What was done is done backwards, and values are those from before. */
static SolStatus reverse_now(Sim *sim, void *context, int phase)
{
    SolHistory *h = context;
    SolStatus status = SOL_OK;
    uint32_t n;
    bool forwards;
    EditDone *done = tried(h, &n, &forwards);
    if (phase == 0)
        status = event_end_whens(sim);
    for (uint32_t i = n; i-- > 0 && status == SOL_OK;) {
        EditStep *step = &done->steps.at[forwards ? i : done->steps.n - 1 - i];
        if (step->kind != STEP_VALUE)
            status = live_do_step(sim, h, step, !forwards, phase);
    }
    if (phase == 0)
        touch_unsettled(sim);
    for (uint32_t i = 0; i < sim->states.n && phase == 1; i++) {
        DdpVar var = sim->states.at[i].var;
        if (var < h->values.n && sim->value[var] != h->values.at[var])
            values_set(sim, var, h->values.at[var]);
    }
    for (uint32_t i = done->steps.n; i-- > 0 && phase == 1 && status == SOL_OK;) {
        const EditStep *step = &done->steps.at[i];
        DdpVar var = step->kind == STEP_VALUE ? world_find(sim->world, step->path) : 0;
        if (var && var < h->values.n && live_may_be_set(sim, var))
            values_set(sim, var, h->values.at[var]);
    }
    return status;
}

/* Values as they were, but for what follows from others, which was evaluated now. Few are different: the others cost a look
 * at both. */
static void restore_numbers(Sim *sim, const SolHistory *h)
{
    for (DdpVar var = 0; var < h->values.n; var++)
        if (memcmp(&sim->value[var], &h->values.at[var], sizeof *sim->value) != 0 &&
            sim->info[var].has && !sim->info[var].node && ddp_var_used(sim->ddp, var))
            sim->value[var] = h->values.at[var];
}

/* In a large model: another event, whose change is the reverse of what was tried. */
static SolStatus do_backwards(Sol *sol)
{
    Sim *sim = sol->sim;
    SolHistory *h = sol->history;
    MemGuard guard;
    if (!program_recover(sim->program))
        return SOL_MEMORY;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    event_record_drop(sim);
    world_edit_pardon(sim->world);
    event_pardon(sim);
    parts_recover(sim);
    event_set_edit(sim, reverse_now, h);
    SolStatus status = time_event(sim);
    event_record_drop(sim);
    event_set_edit(sim, NULL, NULL);
    if (status == SOL_OK)
        restore_numbers(sim, h);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

static void say_no_memory(Sim *sim)
{
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) == 0) {
        diag_error(sim->diags, 0, "there is no memory for this edit");
        mem_guard_pop(sim->mem, &guard);
    }
}

static SolStatus refuse(Sol *sol, SolStatus why, SolEdited *edited)
{
    edited->verdict = SOL_REFUSED;
    edited->reason = why;
    edited->edit = 0;
    SolStatus status =
        sol->history->exact ? take_back(sol, &sol->history->before, false) : do_backwards(sol);
    free_edit(sol, &sol->history->now);
    if (why == SOL_MEMORY)
        say_no_memory(sol->sim);
    if (status != SOL_OK)
        sol->sim->run.status = status;
    return status;
}

static bool open_history(Sol *sol)
{
    MemGuard guard;
    if (sol->history)
        return true;
    mem_guard_push(sol->model->mem, &guard);
    if (setjmp(guard.env) != 0)
        return false;
    sol->history = mem_alloc(sol->model->mem, sizeof *sol->history);
    sol->history->before.mem = sol->model->mem;
    mem_guard_pop(sol->model->mem, &guard);
    return true;
}

static void keep_numbers(Sim *sim, SolHistory *h)
{
    vec_reserve(sim->mem, &h->values, sim->n_values);
    memcpy(h->values.at, sim->value, sim->n_values * sizeof *sim->value);
    h->values.n = sim->n_values;
}

static SolStatus peek(Sim *sim, SolHistory *h)
{
    MemGuard guard;
    h->before.n = h->before.at = 0;
    h->before.bad = false;
    h->exact = ddp_counts(sim->ddp).rels <= sim->opt.exact_edits;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return SOL_MEMORY;
    vec_reserve(sim->mem, &h->edits, h->edits.n + 1);
    if (!h->exact)
        keep_numbers(sim, h);
    SolStatus status = h->exact ? save_peek(sim, &h->before) : SOL_OK;
    mem_guard_pop(sim->mem, &guard);
    return status;
}

/* What every edit has around it. */
static SolStatus change(Sol *sol, SolStatus (*edit)(Sim *, void *, int), void *context,
                        SolEdited *edited)
{
    double begin = timer_now();
    Sim *sim = sol->sim;
    Diags *diags = sim->diags;
    diags->limit = diags->errors + 100; /* a long session has many */
    *edited = (SolEdited){.message = diags->list.n};
    keep_left(sim, sol->history);
    SolStatus status = peek(sim, sol->history);
    if (status != SOL_OK) {
        *edited = (SolEdited){.verdict = SOL_REFUSED, .reason = status, .message = edited->message};
        return SOL_OK;
    }
    world_edit_allow_foreign(sim->world, sim->opt.edits_call_foreign);
    event_set_edit(sim, edit, context);
    status = guarded_try(sol, edit == live_do_edits ? context : NULL, edited);
    event_set_edit(sol->sim, NULL, NULL);
    SolStatus back = status == SOL_OK ? SOL_OK : refuse(sol, status, edited);
    if (status == SOL_OK)
        tell_both(sol->sim, sol->history);
    edited->microseconds = (timer_now() - begin) * 1e6;
    return back;
}

/* May it be edited now? */
static SolStatus ready(Sol *sol)
{
    Sim *sim = sol->sim;
    if (!sim->opt.editable) {
        diag_error(sim->diags, 0, "only a simulation whose options say `editable` can be edited");
        return SOL_USAGE;
    }
    SolStatus status = sol_init(sol);
    if ((status != SOL_OK && status != SOL_CANCELLED && status != SOL_USAGE) ||
        cancel_broke_off(sim))
        return status == SOL_OK ? SOL_CANCELLED : status;
    return open_history(sol) ? SOL_OK : SOL_MEMORY;
}

/* Into History.now. */
static SolStatus enter(Sol *sol, uint32_t n, const SolEdit *edits, SolEdited *edited)
{
    SolHistory *h = sol->history;
    EditsWanted wanted = {sol, n, edits};
    h->number = 0;
    EditStamp from = present(sol);
    SolStatus status = change(sol, live_do_edits, &wanted, edited);
    if (status != SOL_OK || edited->verdict == SOL_REFUSED)
        return status;
    edited->edit = h->number;
    h->now.from = from;
    h->now.to = h->state = stamp_of(sol->sim, ++h->numbers);
    return SOL_OK;
}

SolStatus sol_edit(Sol *sol, uint32_t n, const SolEdit *edits, SolEdited *edited)
{
    *edited = (SolEdited){.verdict = SOL_REFUSED};
    SolStatus status = ready(sol);
    if (status != SOL_OK)
        return edited->reason = status;
    SolHistory *h = sol->history;
    status = enter(sol, n, edits, edited);
    if (status != SOL_OK || edited->verdict == SOL_REFUSED)
        return status;
    cut_history(sol, h->done);
    h->edits.at[h->edits.n++] = h->now; /* there is room: peek() */
    h->now = (EditDone){0};
    h->done = h->edits.n;
    forget_states(h);
    return SOL_OK;
}

static const EditStep *only_value(const EditDone *done)
{
    bool one = done->steps.n == 1 && done->n_wanted == 1 && done->steps.at[0].kind == STEP_VALUE;
    return one ? &done->steps.at[0] : NULL;
}

bool sol_join_edits(Sol *sol)
{
    SolHistory *h = sol->history;
    if (!h || h->done < 2 || h->done != h->edits.n)
        return false;
    EditDone *first = &h->edits.at[h->done - 2], *last = first + 1;
    const EditStep *before = only_value(first), *behind = only_value(last);
    if (!before || !behind || strcmp(before->path, behind->path) != 0)
        return false;
    first->steps.at[0].after = behind->after;
    SolEdit wanted = first->wanted[0];
    first->wanted[0] = last->wanted[0];
    last->wanted[0] = wanted;
    if (!same_stamp(&first->to, &last->from)) /* time went on: there is no exact way back */
        pack_free(&first->before);
    first->to = last->to;
    cut_history(sol, h->done - 1);
    return true;
}

/* Nothing happened since: what was is there again, bit by bit. */
static SolStatus undo_exactly(Sol *sol, EditDone *done, SolEdited *edited)
{
    double begin = timer_now();
    *edited = (SolEdited){.message = sol->sim->diags->list.n};
    SolStatus status = take_back(sol, &done->before, true);
    if (status != SOL_OK) {
        edited->verdict = SOL_REFUSED;
        return edited->reason = status;
    }
    Mem *mem = sol->model->mem;
    for (uint32_t i = 0; i < done->steps.n; i++)
        live_free_step(mem, &done->steps.at[i]);
    vec_free(mem, &done->steps);
    done->exact = true;
    sol->history->state = done->from;
    sol->history->done--;
    edited->verdict = event_is_incomplete(sol->sim) ? SOL_INCOMPLETE : SOL_ACCEPTED;
    edited->microseconds = (timer_now() - begin) * 1e6;
    return SOL_OK;
}

/* What was undone exactly is entered anew. */
static SolStatus redo_anew(Sol *sol, SolEdited *edited)
{
    SolHistory *h = sol->history;
    const EditDone undone = h->edits.at[h->done]; /* the list may move */
    SolStatus status = enter(sol, undone.n_wanted, undone.wanted, edited);
    if (status != SOL_OK || edited->verdict == SOL_REFUSED)
        return status;
    EditDone *done = &h->edits.at[h->done];
    free_edit(sol, done);
    *done = h->now;
    h->now = (EditDone){0};
    h->done++;
    return SOL_OK;
}

static SolStatus undo_or_redo(Sol *sol, bool forwards, SolEdited *edited)
{
    *edited = (SolEdited){.verdict = SOL_REFUSED};
    SolStatus status = ready(sol);
    if (status != SOL_OK)
        return edited->reason = status;
    SolHistory *h = sol->history;
    if (forwards ? h->done == h->edits.n : h->done == 0) {
        diag_error(sol->sim->diags, 0, "there is nothing to %s", forwards ? "redo" : "undo");
        if (!forwards && world_edit_count(sol->sim->world) > 0)
            diag_note(sol->sim->diags, 0,
                      "edits before the point that was returned to, or resumed from, belong to the "
                      "model: 'remove +1' takes one of them away");
        return edited->reason = SOL_USAGE;
    }
    EditDone *done = &h->edits.at[forwards ? h->done : h->done - 1];
    EditStamp now = present(sol);
    if (forwards && done->exact)
        return redo_anew(sol, edited);
    if (!forwards && done->before.n && same_stamp(&now, &done->to))
        return undo_exactly(sol, done, edited);
    h->forwards = forwards;
    h->repeats = true;
    h->repeated = 0;
    status = change(sol, live_repeat_steps, h, edited);
    h->repeats = false;
    if (status != SOL_OK || edited->verdict == SOL_REFUSED)
        return status;
    h->done += forwards ? 1u : -1u;
    if (forwards)
        h->edits.at[h->done - 1].before.n = 0; /* what was before it is another state now */
    h->state = stamp_of(sol->sim, ++h->numbers);
    return SOL_OK;
}

SolStatus sol_undo(Sol *sol, SolEdited *edited)
{
    return undo_or_redo(sol, false, edited);
}

SolStatus sol_redo(Sol *sol, SolEdited *edited)
{
    return undo_or_redo(sol, true, edited);
}

bool sol_is_complete(const Sol *sol)
{
    return !event_is_incomplete(sol->sim);
}

/* ---- other points of time, other simulations ---- */

SolStatus sol_back(Sol *sol, SolRead read, void *context)
{
    Sim *fresh = sim_like(sol->sim, &sol->sim->opt), *old = sol->sim;
    if (!fresh)
        return SOL_MEMORY;
    fresh->run.initialised = false;
    fresh->output.to.point = old->output.to.point;
    sol->sim = fresh;
    SolStatus status = sol_restore(sol, read, context);
    if (status != SOL_OK) {
        sol->sim = old;
        sim_close(fresh);
        return status;
    }
    cut_history(sol, 0);
    sim_close(old);
    if (sol->keeper)
        sol->keeper->reconcile(sol);
    return SOL_OK;
}

Sol *sol_fork(Sol *sol)
{
    Sim *sim = sol->sim;
    Pack pack = {.mem = sim->mem};
    MemGuard guard;
    Sol *volatile made = NULL;
    if (!sim->opt.savable || sol_init(sol) != SOL_OK)
        return NULL;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0) {
        pack_free(&pack);
        sol_close(made);
        return NULL;
    }
    Sol *twin = made = mem_alloc(sim->mem, sizeof *twin);
    twin->model = sol->model;
    twin->next = sol->model->sims;
    sol->model->sims = twin;
    SolStatus status = save_write(sim, &pack); /* both begin anew, so both go on alike */
    twin->sim = sim_like(sim, &sim->opt);
    if (status == SOL_OK && twin->sim) {
        twin->sim->output.to = (SolOutput){0};
        event_news_to(twin->sim, &twin->sim->output.to);
        event_record_listen(twin->sim, NULL, NULL);
        status = save_read(twin->sim, &pack);
    }
    pack_free(&pack);
    mem_guard_pop(sim->mem, &guard);
    if (status == SOL_OK && twin->sim)
        return twin;
    sol_close(twin);
    return NULL;
}
