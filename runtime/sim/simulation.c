/* simulation.c: the public functions: text -> model -> simulation -> trajectory.
 *
 * Every function that may allocate sets the memory guard; what runs out of memory ends with
 * SOL_MEMORY and can still be asked and closed.
 */
#include "frontend/world_edit.h"
#include "runtime/event/cout.h"
#include "runtime/event/mode_search.h"
#include "runtime/event/trail.h"
#include "runtime/event/event_cause.h"
#include "runtime/sim/audit.h"
#include "runtime/sim/save.h"
#include "runtime/sim/sense.h"
#include "runtime/eval/tape.h"
#include "runtime/eval/blocks.h"
#include "runtime/sim/stdlib_folder.h"
#include "runtime/sim/value_check.h"
#include "runtime/eval/trace.h"
#include "runtime/solve/integrators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- models ---- */

static SolStatus wrong_or_exhausted(const SolModel *model)
{
    return program_out_of_memory(model->program) ? SOL_MEMORY : SOL_MODEL;
}

static SolStatus read_text(SolModel *model, const SolLoad *load)
{
    bool fine = load->text ? program_load_text(model->program, load->path ? load->path : "text",
                                               load->text, load->length)
                           : load->path && program_load(model->program, load->path);
    if (fine)
        return SOL_OK;
    if (!load->text && !load->path) {
        diag_error(program_diags(model->program), 0, "neither a file nor a text is given");
        return SOL_USAGE;
    }
    return program_io_failed(model->program) ? SOL_IO : wrong_or_exhausted(model);
}

SolModel *sol_load(const SolLoad *load)
{
    double begin = timer_now();
    char stdlib[STDLIB_ROOM];
    Mem *mem = mem_open();
    if (!mem)
        return NULL;
    MemGuard guard;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        mem_close(mem);
        return NULL;
    }
    SolModel *model = mem_alloc(mem, sizeof *model);
    model->mem = mem;
    if (load->path && !load->text)
        model->path = strcpy(mem_alloc(mem, strlen(load->path) + 1), load->path);
    ProgramOptions options = {.n_folders = load->n_folders,
                              .folders = load->folders,
                              .stdlib = load->stdlib ? load->stdlib : stdlib_folder(stdlib),
                              .max_depth = load->max_nesting,
                              .max_definitions = load->max_definitions,
                              .max_statements = load->max_statements,
                              .strict_units = load->strict_units};
    model->program = program_open(mem, &options);
    mem_guard_pop(mem, &guard);
    if (!model->program) {
        mem_close(mem);
        return NULL;
    }
    if (load->memory_limit)
        mem_limit(mem, load->memory_limit);
    /* Not before stdlib_folder: whoever asks the dynamic loader waits for what it is loading. */
    if (load->run && model->path)
        model->ahead = engine_ahead(load->run, model->path);
    model->status = model->load_status = read_text(model, load);
    model->parse_seconds = timer_now() - begin;
    return model;
}

SolStatus sol_model_status(const SolModel *model)
{
    return model->status;
}

SolStatus sol_check(SolModel *model)
{
    model->status = model->load_status;
    if (model->status == SOL_OK && !program_check(model->program))
        model->status = wrong_or_exhausted(model);
    return model->status;
}

void sol_unload(SolModel *model)
{
    if (!model)
        return;
    while (model->sims)
        sol_close(model->sims);
    engine_forget(model);
    jit_ahead_end(model->ahead);
    program_close(model->program);
    mem_close(model->mem);
}

uint64_t sol_text_hash(const SolModel *model)
{
    const Sources *sources = program_sources(model->program);
    uint64_t hash = sources->files.n;
    for (uint32_t i = 0; i < sources->files.n; i++)
        hash = hash_bytes(sources->files.at[i].text, sources->files.at[i].length, hash);
    return hash;
}

/* ---- messages ---- */

uint32_t sol_message_count(const SolModel *model)
{
    return program_diags(model->program)->list.n;
}

void sol_forget_messages(SolModel *model)
{
    diags_forget(program_diags(model->program));
}

bool sol_message(const SolModel *model, uint32_t index, SolMessage *message)
{
    const Diags *diags = program_diags(model->program);
    if (index >= diags->list.n)
        return false;
    const Message *from = &diags->list.at[index];
    *message = (SolMessage){.severity = from->severity == DIAG_ERROR     ? SOL_ERROR
                                        : from->severity == DIAG_WARNING ? SOL_WARNING
                                                                         : SOL_NOTE,
                            .text = from->text};
    if (from->at) {
        Location location = source_locate(program_sources(model->program), from->at);
        message->file = location.file;
        message->line = location.line;
        message->column = location.column;
    }
    return true;
}

uint32_t sol_warning_count(const SolModel *model)
{
    return program_diags(model->program)->warnings;
}

uint32_t sol_print_messages(const SolModel *model, uint32_t from, FILE *out, bool colour)
{
    return diags_print(program_diags(model->program), from, out, colour);
}

/* ---- running out of memory ---- */

/* Where not even the message finds room, the program's reserve has some. */
static void say_exhausted(SolModel *model, const char *where)
{
    MemGuard guard;
    mem_guard_push(model->mem, &guard);
    if (setjmp(guard.env) == 0) {
        diag_error(program_diags(model->program), 0, "out of memory %s", where);
        mem_guard_pop(model->mem, &guard);
    } else {
        program_exhausted(model->program);
    }
}

SolStatus sim_exhausted(Sim *sim)
{
    char where[40];
    snprintf(where, sizeof where, "at time %.10g", sim->time);
    say_exhausted(sim->run.model, where);
    return sim->run.status = SOL_MEMORY;
}

/* ---- creating ---- */

/* A part was brought to the present time: which of its conditions may fire. Who looks between events, or between two points of
 * a grid, only looks: nothing is decided there, and nothing is remembered. */
static bool part_is_there(Part *part)
{
    const Sim *sim = part->sim;
    bool looks = part->fixed_steps ? sim->time > sim->grid.time : !sim->run.in_event;
    return !looks && event_add_changed(part);
}

static const SenseHost sense_host = {.like = sim_like,
                                     .close = sim_close,
                                     .start = sim_start,
                                     .peek = save_peek,
                                     .restore = save_return,
                                     .event = time_event,
                                     .run = time_run,
                                     .exhausted = sim_exhausted};

/* All but the choice of the model. */
static void open_layers(Sim *sim)
{
    sim->forms = forms_open(sim->mem);
    sim->ddp = ddp_open(sim->mem, sim->forms);
    sim->interp = interp_open(sim->mem, sim->forms);
    sim->foreign = foreign_open(sim->mem, sim->program, sim->forms);
    parts_open(sim, integrators, part_is_there);
    sim->engine = engine_open(sim, sim->run.model);
    sim->output.audit = sim->opt.audit > 0 ? audit_open(sim) : NULL;
    sim->output.sense = sense_open(sim, &sense_host);
    sim->time = sim->grid.time = sim->opt.start;
    sim->output.next = sim->opt.start + sim->opt.interval;
}

static SolStatus open_model(Sim *sim, const char *designator, const SolOptions *options)
{
    arena_init(&sim->run.opt_arena, sim->mem);
    values_open(sim);
    if (!options_fill(sim, options))
        return SOL_USAGE;
    sim->run.top = program_find(sim->program, designator);
    if (!sim->run.top || program_text_wrong(sim->program))
        return wrong_or_exhausted(sim->run.model);
    if (sim->run.top->kind == DEF_PACKAGE) {
        program_report_package(sim->program, sim->run.top);
        return SOL_USAGE;
    }
    if (sim->run.top->kind == DEF_FUNCTION) {
        diag_error(sim->diags, sim->run.top->at, "a function does not run: a model is needed");
        return SOL_USAGE;
    }
    sim->run.n_texts = program_sources(sim->program)->files.n;
    open_layers(sim);
    return SOL_OK;
}

static Sim *new_sim(SolModel *model)
{
    Sim *sim = mem_alloc(model->mem, sizeof *sim);
    sim->run.model = model;
    sim->mem = model->mem;
    sim->program = model->program;
    sim->diags = program_diags(model->program);
    sim->run.created_at = timer_now();
    return sim;
}

Sim *sim_like(const Sim *other, const SolOptions *options)
{
    MemGuard guard;
    Sim *volatile made = NULL;
    mem_guard_push(other->mem, &guard);
    if (setjmp(guard.env) != 0) {
        sim_close(made);
        return NULL;
    }
    Sim *sim = made = new_sim(other->run.model);
    arena_init(&sim->run.opt_arena, sim->mem);
    values_open(sim);
    options_fill(sim, options);
    sim->run.top = other->run.top;
    sim->run.n_texts = other->run.n_texts;
    sim->run.initialised = true;
    sim->output.to = other->output.to;
    event_record_like(sim, other);
    event_news_to(sim, &sim->output.to);
    open_layers(sim);
    mem_guard_pop(other->mem, &guard);
    return sim;
}

Sol *sol_create(SolModel *model, const char *designator, const SolOptions *options)
{
    if (model->load_status != SOL_OK) {
        model->status = model->load_status;
        return NULL;
    }
    MemGuard guard;
    Sol *volatile made = NULL;
    mem_guard_push(model->mem, &guard);
    if (setjmp(guard.env) != 0) {
        sol_close(made);
        say_exhausted(model, "for a simulation");
        model->status = SOL_MEMORY;
        return NULL;
    }
    Sol *sol = made = mem_alloc(model->mem, sizeof *sol);
    sol->model = model;
    sol->next = model->sims;
    model->sims = sol;
    sol->sim = new_sim(model);
    model->status = open_model(sol->sim, designator, options);
    mem_guard_pop(model->mem, &guard);
    if (model->status == SOL_OK)
        return sol;
    sol_close(sol);
    return NULL;
}

static void close_output(Sim *sim)
{
    failure_close(sim);
    mem_free(sim->mem, sim->output.values);
    vec_free(sim->mem, &sim->run.sums);
}

void sim_close(Sim *sim)
{
    if (!sim)
        return;
    parts_close(sim);
    integrators_close(sim);
    if (sim->world)
        world_close(sim->world);
    if (sim->foreign)
        foreign_close(sim->foreign);
    nodes_close(sim);
    tape_forget_all(sim);
    loop_solve_forget_whole(sim);
    engine_close(sim->engine); /* loops have had code */
    values_close(sim);
    event_close(sim);
    close_output(sim);
    if (sim->interp)
        interp_close(sim->interp);
    if (sim->ddp)
        ddp_close(sim->ddp);
    if (sim->forms)
        forms_close(sim->forms);
    audit_close(sim->output.audit);
    sense_close(sim->output.sense);
    arena_free(&sim->run.opt_arena);
    mem_free(sim->mem, sim);
}

void sol_close(Sol *sol)
{
    if (!sol)
        return;
    Sol **link = &sol->model->sims;
    while (*link != sol)
        link = &(*link)->next;
    *link = sol->next;
    live_forget(sol);
    if (sol->keeper)
        sol->keeper->close(sol);
    sim_close(sol->sim);
    mem_free(sol->model->mem, sol);
}

/* ---- output ---- */

static const double *visible_values(Sim *sim)
{
    uint32_t n = ddp_var_limit(sim->ddp);
    if (n > sim->output.n_values) {
        sim->output.n_values = 2 * n;
        sim->output.values = mem_resize(sim->mem, sim->output.values,
                                        sim->output.n_values * sizeof *sim->output.values);
    }
    VarList wanted = output_plan_vars(sim);
    for (uint32_t i = 0; i < wanted.n; i++) {
        DdpVar v = wanted.at[i];
        sim->output.values[v] = sim->info[v].has ? sim->value[v] : NAN;
    }
    return sim->output.values;
}

/* A foreign function failed since the last point. Integrator and loops try values that are no
 * solution and find a way around failures there; what has no number now is a real one. */
static SolStatus foreign_failed(Sim *sim)
{
    const char *failure = foreign_failure(sim->foreign), *data = foreign_data_failure(sim->foreign);
    if (data) {
        diag_error(sim->diags, 0, "%s", data);
        return SOL_IO;
    }
    for (DdpVar v = 1; failure && v < ddp_var_limit(sim->ddp); v++)
        if (sim->info[v].has && isnan(sim->value[v])) {
            diag_error(sim->diags, 0, "at time %.10g: %s", sim->time, failure);
            diag_note(sim->diags, 0, "so %s has no value", explain_var(sim, v));
            return SOL_NUMERICS;
        }
    return SOL_OK;
}

/* What will be shown, at Sim.time. When most outputs are wanted they are evaluated as a whole;
 * between events a few variables cost what they need. */
static SolStatus fetch_wanted(Sim *sim, SolSide side)
{
    VarList wanted = output_plan_vars(sim);
    SolStatus status = SOL_OK;
    if (!sim->output.to.point)
        return SOL_OK;
    if (2 * wanted.n > sim->outputs.n && sim->outputs.n > 8)
        return evaluate_outputs(sim);
    if (side == SOL_AT_POINT)
        return output_plan_wanted(sim);
    for (uint32_t i = 0; i < wanted.n && status == SOL_OK; i++)
        status = evaluate_fetch(sim, wanted.at[i], EVAL_PLAIN);
    return status;
}

/* At an event of one part among many: what the event touches, and nothing else. */
static const double *touched_values(Sim *sim)
{
    union {
        uint64_t bits;
        double value;
    } unseen = {.bits = SOL_UNSEEN};
    visible_values(sim);
    VarList wanted = output_plan_vars(sim);
    for (uint32_t i = 0; i < wanted.n; i++) {
        DdpVar var = wanted.at[i];
        bool here = evaluate_fetch_brought(sim, var, EVAL_PLAIN);
        sim->output.values[var] = !here ? unseen.value : sim->info[var].has ? sim->value[var] : NAN;
    }
    return sim->output.values;
}

/* Are the values that are shown such as may be shown? */
static SolStatus judge(Sim *sim, SolSide side, bool partly)
{
    SolStatus status = value_check(sim, partly);
    if (status == SOL_OK && sim->output.audit) {
        status =
            audit_point(sim->output.audit, side, sim->output.to.point ? sim->output.values : NULL);
        if (status == SOL_OK) /* it has evaluated all that there is */
            status = value_check(sim, partly);
    }
    sim->output.unseen |= status != SOL_OK; /* what lies behind is nobody's */
    return status;
}

static void tell_cout(Sim *sim, const char *text)
{
    if (sim->output.to.cout)
        sim->output.to.cout(sim->output.to.context, sim->time, text);
    else
        printf("%s\n", text);
}

static bool tell_point(Sim *sim, const SolPoint *point)
{
    HeldPoint *held = sim->output.held;
    if (!held)
        return sim->output.to.point(sim->output.to.context, point);
    vec_reserve(sim->mem, &held->values, point->limit);
    memcpy(held->values.at, point->values, point->limit * sizeof *held->values.at);
    held->point = *point;
    held->point.values = held->values.at;
    return held->any = true;
}

/* Is it one of the points that were asked for, or the end? An event there shows all that they would. */
static bool is_output_point(const Sim *sim, double time)
{
    double rounding = 1e-15 * fabs(time);
    double last = sim->opt.start + (double)sim->output.index * sim->opt.interval;
    return sim->output.next <= time + rounding || fabs(time - last) <= rounding ||
           time >= sim->opt.stop;
}

static SolStatus point_at(Sim *sim, SolSide side, double time)
{
    double begin = timer_now();
    bool fine = true, tries = event_is_edit(sim), tells = sim->output.to.point && !tries;
    if (!tries) /* a trial: if it is accepted, it is told then (live.c) */
        event_record_tell(sim);
    if (tells)
        announce_births(sim);
    else if (!sim->output.to.point)
        announce_nothing(sim);
    bool partly = sim->parts.n > SOL_FEW_PARTS &&
                  (side == SOL_BEFORE_EVENT || side == SOL_AFTER_EVENT) &&
                  !is_output_point(sim, time);
    SolStatus status = partly ? SOL_OK : fetch_wanted(sim, side);
    sim->output.unseen = status != SOL_OK;
    if (status != SOL_OK)
        return status;
    if (side != SOL_AT_END && (status = foreign_failed(sim)) != SOL_OK)
        return status;
    if (tells && (status = sense_point(sim->output.sense)) != SOL_OK)
        return status;
    event_news(sim)->shown = true;
    sim->output.last = time;
    cout_show(sim, tell_cout);
    if (tells) {
        announce_modes(sim);
        SolPoint point = {.time = time,
                          .side = side,
                          .values = partly ? touched_values(sim) : visible_values(sim),
                          .limit = ddp_var_limit(sim->ddp)};
        fine = tell_point(sim, &point);
    }
    if (side != SOL_AT_END || sim->time >= sim->opt.stop)
        status = judge(sim, side, partly);
    while (sim->output.next <= time + 1e-15 * fabs(time))
        sim->output.next = sim->opt.start + (double)(++sim->output.index + 1) * sim->opt.interval;
    sim->counts.output += timer_now() - begin;
    return fine ? status : SOL_IO;
}

SolStatus sim_point(Sim *sim, SolSide side)
{
    return point_at(sim, side, sim->time);
}

SolStatus sim_point_before(Sim *sim, double event)
{
    SolStatus status = point_at(sim, SOL_BEFORE_EVENT, event);
    event_set_left_pres(sim);
    return status;
}

void sol_set_output(Sol *sol, const SolOutput *output)
{
    sol->sim->output.to = *output;
    event_news_to(sol->sim, output);
}

void sol_set_event(Sol *sol, void (*event)(void *context, const SolEvent *event), void *context)
{
    event_record_listen(sol->sim, event, context);
}

/* ---- events ---- */

/* At Sim.time, where everything was evaluated: the updates of the event, and the point behind it.
 */
SolStatus sim_event(Sim *sim)
{
    event_record_begin(sim);
    trace_event_begin(sim);
    SolStatus status = event_iterate(sim, false);
    sim->run.in_event = false;
    event_record_end(sim);
    sim->counts.events++;
    if (status == SOL_OK)
        status = sense_after(sim->output.sense);
    if (status != SOL_OK)
        return status;
    event_keep_pres(sim);
    status = evaluate_loops_alone(sim);
    if (status == SOL_OK)
        status = sim_point(sim, SOL_AFTER_EVENT);
    if (status == SOL_OK && sim->opt.max_events && sim->counts.events >= sim->opt.max_events) {
        diag_error(sim->diags, 0, "at time %.10g the limit of %llu events is reached", sim->time,
                   (unsigned long long)sim->opt.max_events);
        return SOL_NUMERICS;
    }
    return status;
}

/* ---- running ---- */

static SolStatus first_updates(Sim *sim)
{
    event_record_begin(sim);
    trace_line(sim, 'e', sim->time, "start");
    update_is_due(sim);
    SolStatus status = structure_create(sim, sim->run.top);
    if (status == SOL_OK)
        status = event_settle_start(sim);
    if (status == SOL_OK)
        status = event_iterate(sim, true);
    event_record_end(sim);
    if (status == SOL_OK)
        event_keep_pres(sim);
    return status == SOL_OK ? set_check(sim) : status;
}

/* A start that failed is not tried again: the instances are there already. */
SolStatus sim_start(Sim *sim)
{
    if (sim->run.initialised)
        return sim->run.start_status;
    sim->run.initialised = true;
    sim->run.start_status = first_updates(sim);
    if (sim->run.start_status == SOL_OK && event_is_incomplete(sim)) {
        explain_structure(sim);
        world_edit_pardon(sim->world);
    }
    if (sim->run.start_status == SOL_OK)
        sim->run.start_status = sense_start(sim->output.sense);
    if (sim->run.start_status == SOL_OK)
        sim->run.start_status = evaluate_loops_alone(sim);
    return sim->run.start_status == SOL_OK ? sim_point(sim, SOL_AT_START) : sim->run.start_status;
}

static SolStatus go(Sim *sim, double time, bool to_event, bool one_step, bool *happened)
{
    SolStatus status = sim_start(sim);
    if (status != SOL_OK)
        return status;
    if (event_is_incomplete(sim)) {
        diag_error(sim->diags, 0, "time cannot go on: some variables lack an equation");
        return SOL_USAGE;
    }
    if (!(time >= sim->time)) {
        diag_error(sim->diags, 0, "the simulation stands at %.10g and cannot go to %.10g",
                   sim->time, time);
        return SOL_USAGE;
    }
    if (sim->opt.realtime > 0)
        return realtime_run(sim, time, to_event, one_step, happened);
    return time_run(sim, time, to_event, one_step, happened);
}

/* Numerics may fail because a foreign function did. */
static void note_foreign_failure(Sim *sim, SolStatus status)
{
    bool failed = status == SOL_NUMERICS || status == SOL_MODEL;
    const char *failure = failed ? foreign_failure(sim->foreign) : NULL;
    if (failure)
        diag_note(sim->diags, 0, "%s", failure);
}

/* The last point of a run, where it stopped or where it failed: as far as values are known there.
 */
static SolStatus end_point(Sim *sim, SolStatus status)
{
    bool failed = status == SOL_NUMERICS || status == SOL_MODEL;
    bool ended = status == SOL_OK && (sim->time >= sim->opt.stop || event_terminated(sim));
    if (ended)
        set_check_end(sim);
    if (!event_news(sim)->shown || !(failed || ended) || (ended && sim->output.last == sim->time))
        return status;
    if (failed && (sim->output.unseen || (parts_running(sim) && !time_last(sim))))
        return status; /* what lies behind a point without values is nobody's */
    SolStatus shown = sim_point(sim, SOL_AT_END);
    return failed ? status : shown;
}

/* What every call that moves the simulation has around it. */
static SolStatus guarded(Sim *sim, double time, bool init_only, bool to_event, bool one_step,
                         bool *happened)
{
    bool ignored = false;
    MemGuard guard;
    if (sim->run.status != SOL_OK && sim->run.status != SOL_CANCELLED &&
        sim->run.status != SOL_USAGE)
        return sim->run.status;
    if (cancel_broke_off(sim))
        return SOL_CANCELLED;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    SolStatus status = init_only
                           ? sim_start(sim)
                           : go(sim, time, to_event, one_step, happened ? happened : &ignored);
    note_foreign_failure(sim, status);
    event_record_tell(sim);
    status = end_point(sim, status);
    engine_check(sim->engine);
    mem_guard_pop(sim->mem, &guard);
    if (status == SOL_CANCELLED)
        cancel_forget(sim);
    return sim->run.status = status;
}

SolStatus sol_init(Sol *sol)
{
    return guarded(sol->sim, 0, true, false, false, NULL);
}

SolStatus sol_run_to(Sol *sol, double time)
{
    return guarded(sol->sim, time, false, false, false, NULL);
}

SolStatus sol_run_to_event(Sol *sol, double time, bool *happened)
{
    *happened = false;
    return guarded(sol->sim, time, false, true, false, happened);
}

SolStatus sol_step(Sol *sol, double time)
{
    return guarded(sol->sim, time, false, false, true, NULL);
}

void sol_cancel(Sol *sol)
{
    cancel_ask(sol->sim);
}

double sol_time(const Sol *sol)
{
    return sol->sim->time;
}

const char *sol_terminated(const Sol *sol)
{
    return event_terminated(sol->sim);
}

SolStatus sol_status(const Sol *sol)
{
    return sol->sim->run.status;
}

double sol_sensitivity(const Sol *sol, uint32_t parameter, SolVar var)
{
    return sense_of(sol->sim->output.sense, parameter, var);
}

const char *sol_sensitivity_by(const Sol *sol, uint32_t parameter)
{
    const SolOptions *opt = &sol->sim->opt;
    return parameter < opt->n_sensitivities ? opt->sensitivities[parameter] : NULL;
}
