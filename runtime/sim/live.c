/* live.c: what somebody types -> a change of the running model, with its verdict; the public functions of edits.
 *
 * An edit is an event whose first structural change comes from outside (event_iterate.c). What was is written
 * before (save_peek) and read into a fresh simulation when the edit is refused, which then takes the place
 * of the one that was tried: so nothing is left of it, whatever went wrong, memory included. What an edit
 * did is kept as a list of steps, each of which can be done backwards. */
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
        for (uint32_t k = 0; k < done->steps.at[i].kept.n; k++)
            mem_free(mem, done->steps.at[i].kept.at[k].path);
    for (uint32_t i = 0; i < done->steps.n; i++) {
        vec_free(mem, &done->steps.at[i].kept);
        mem_free(mem, done->steps.at[i].path);
    }
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
    mem_free(sol->model->mem, sol->history);
    sol->history = NULL;
}

/* ---- one step and its reverse ---- */

static char *copy_text(Sim *sim, const char *text)
{
    return strcpy(mem_alloc(sim->mem, strlen(text) + 1), text);
}

typedef struct Keeping {
    Sim *sim;
    EditStep *step;
    size_t prefix; /* length of the path of what is declared */
} Keeping;

static void keep_value(void *context, DdpVar var)
{
    Keeping *k = context;
    char path[1024];
    if (evaluate_fetch(k->sim, var) != SOL_OK || !k->sim->info[var].has)
        return;
    world_var_path(k->sim->world, var, path, sizeof path);
    const char *inside = strlen(path) > k->prefix ? path + k->prefix + 1 : "";
    KeptValue kept = {copy_text(k->sim, inside), k->sim->value[var]};
    vec_push(k->sim->mem, &k->step->kept, kept);
}

/* Values of what a declaration takes with it. */
static void keep_values(Sim *sim, EditStep *step)
{
    if (step->stmt->kind != S_DECLARE)
        return;
    while (step->kept.n)
        mem_free(sim->mem, vec_pop(&step->kept).path);
    char path[1024];
    world_inst_path(sim->world, step->model, path, sizeof path);
    const char *name = intern_text(program_names(sim->program), step->stmt->member->name);
    size_t prefix = strlen(path) + (path[0] != 0) + strlen(name);
    world_edit_vars(sim->world, step->model, step->stmt, keep_value, &(Keeping){sim, step, prefix});
}

static bool may_be_set(const Sim *sim, DdpVar var)
{
    DdpVarKind kind = ddp_var(sim->ddp, var).kind;
    bool held = kind != DDP_UNKNOWN && kind != DDP_TIME && !sim->info[var].node;
    return held || sim->info[var].state;
}

/* States, parameters and held variables that came back go on from what they were; of a component that was
 * replaced, the states do. */
static void give_back(Sim *sim, const EditStep *step, bool states_only)
{
    const Stmt *stmt = step->stmt;
    if (states_only && step->kept.n)
        stmt = world_stmt_declaring(
            sim->world, step->model,
            intern_text(program_names(sim->program), step->stmt->member->name));
    for (uint32_t i = 0; i < step->kept.n && stmt; i++) {
        DdpVar var = world_edit_var(sim->world, step->model, stmt, step->kept.at[i].path);
        if (var && var < sim->n_values &&
            (states_only ? sim->info[var].state != 0 : may_be_set(sim, var)))
            values_set(sim, var, step->kept.at[i].value);
    }
}

static SolStatus world_status(const Sim *sim, bool fine)
{
    if (world_out_of_memory(sim->world) || program_out_of_memory(sim->program))
        return SOL_MEMORY;
    return fine ? SOL_OK : SOL_MODEL;
}

static SolStatus do_hide(Sim *sim, EditStep *step)
{
    keep_values(sim, step);
    sim->build.structure_changed = true;
    return world_status(sim, world_edit_hide(sim->world, step->model, step->stmt));
}

static SolStatus do_show(Sim *sim, const EditStep *step)
{
    WorldInst inst;
    if (!world_inst(sim->world, step->model, &inst)) {
        diag_error(sim->diags, 0, "the instance that was edited does not exist any more");
        return SOL_MODEL;
    }
    sim->build.structure_changed = true;
    return world_status(sim, world_edit_show(sim->world, step->model, step->stmt));
}

static SolStatus set_value(Sim *sim, const char *path, double value)
{
    DdpVar var = world_find(sim->world, path);
    if (!var) {
        diag_error(sim->diags, 0, "there is no variable '%s'", path);
        return SOL_USAGE;
    }
    evaluate_fetch(sim, var);
    if (!may_be_set(sim, var)) {
        diag_error(sim->diags, 0, "'%s' cannot be set: equations determine it", path);
        return SOL_USAGE;
    }
    if (!sim_has_value(sim, var, value)) {
        diag_error(sim->diags, 0, "'%s' cannot be %.17g: its type has no such value", path, value);
        return SOL_USAGE;
    }
    values_set(sim, var, value);
    return SOL_OK;
}

/* Phase 0 changes the structure, phase 1 values. */
static SolStatus do_step(Sim *sim, EditStep *step, bool forwards, int phase)
{
    if (step->kind == STEP_VALUE)
        return phase ? set_value(sim, step->path, forwards ? step->after : step->before) : SOL_OK;
    bool show = (step->kind == STEP_SHOW) == forwards;
    if (phase == 0)
        return show ? do_show(sim, step) : do_hide(sim, step);
    if (show)
        give_back(sim, step, false);
    return SOL_OK;
}

static SolStatus repeat_steps(Sim *sim, void *context, int phase)
{
    SolHistory *h = context;
    EditDone *done = &h->edits.at[h->forwards ? h->done : h->done - 1];
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < done->steps.n && status == SOL_OK; i++) {
        uint32_t at = h->forwards ? i : done->steps.n - 1 - i;
        status = do_step(sim, &done->steps.at[at], h->forwards, phase);
    }
    return status;
}

/* ---- what is wanted -> steps, done at once ---- */

static EditStep *new_step(Sol *sol, EditStep step)
{
    vec_push(sol->model->mem, &sol->history->now.steps, step);
    return &vec_last(&sol->history->now.steps);
}

static SolStatus hide(Sol *sol, InstId model, const Stmt *stmt)
{
    if (world_edit_is_hidden(sol->sim->world, model, stmt))
        return SOL_OK;
    return do_hide(sol->sim,
                   new_step(sol, (EditStep){.kind = STEP_HIDE, .model = model, .stmt = stmt}));
}

static InstId scope_of(Sim *sim, const char *path)
{
    WorldInst inst;
    InstId id = world_find_inst(sim->world, path ? path : "");
    if (id && world_inst(sim->world, id, &inst))
        return id;
    diag_error(sim->diags, 0, "there is no instance '%s'", path);
    return 0;
}

/* With the semicolon that people leave out at the end of a line. */
static char *complete_text(Sim *sim, const char *text)
{
    size_t n = strlen(text);
    char *out = mem_alloc(sim->mem, n + 2);
    memcpy(out, text, n);
    while (n && (out[n - 1] == ' ' || out[n - 1] == '\n' || out[n - 1] == '\t'))
        n--;
    if (n && out[n - 1] != ';')
        out[n++] = ';';
    out[n] = 0;
    return out;
}

static SolStatus add(Sol *sol, InstId model, const char *given)
{
    Sim *sim = sol->sim;
    const Body *body;
    char *text = complete_text(sim, given);
    sim->build.structure_changed = true;
    bool fine = world_edit_add(sim->world, model, text, strlen(text), &sol->history->number);
    mem_free(sim->mem, text);
    if (!sol->history->number || !world_edit(sim->world, sol->history->number, &model, &body))
        return world_status(sim, false);
    for (uint32_t i = 0; i < body->n_stmts; i++)
        new_step(sol, (EditStep){.kind = STEP_SHOW, .model = model, .stmt = body->stmts[i]});
    return world_status(sim, fine);
}

static bool is_component(const Stmt *stmt)
{
    return stmt->kind == S_DECLARE && !type_is_basic(stmt->member->type);
}

static void note_user(Sim *sim, const WorldUser *user)
{
    char handle[200], path[400];
    world_stmt_handle(sim->world, user->stmt, handle, sizeof handle);
    world_inst_path(sim->world, user->model, path, sizeof path);
    diag_note(sim->diags, user->stmt->at, "%s%s%s names it", path, path[0] ? " " : "", handle);
}

enum { MOST_USERS = 1000 };

/* Of a component, its connections go first. Others that name what is declared must go before. */
static SolStatus clear_users(Sol *sol, InstId model, const Stmt *stmt)
{
    Sim *sim = sol->sim;
    SolStatus status = SOL_OK;
    WorldUser *users = arena_alloc(&sim->record.arena, MOST_USERS * sizeof *users);
    uint32_t n = world_edit_users(sim->world, model, stmt, MOST_USERS, users), left = 0;
    for (uint32_t i = 0; i < n && status == SOL_OK; i++) {
        if (is_component(stmt) && users[i].stmt->kind == S_CONNECT)
            status = hide(sol, users[i].model, users[i].stmt);
        else
            users[left++] = users[i];
    }
    if (status != SOL_OK || (left == 0 && n < MOST_USERS))
        return status;
    diag_error(sim->diags, stmt->at, "'%s' cannot be removed: something that is there names it",
               intern_text(program_names(sim->program), stmt->member->name));
    for (uint32_t i = 0; i < left && i < 8; i++)
        note_user(sim, &users[i]);
    return SOL_USAGE;
}

static SolStatus remove_stmt(Sol *sol, InstId model, const Stmt *stmt)
{
    SolStatus status = stmt->kind == S_DECLARE ? clear_users(sol, model, stmt) : SOL_OK;
    if (stmt->kind == S_DECLARE && stmt->member->parameter) {
        diag_error(sol->sim->diags, stmt->at, "a parameter cannot be removed");
        return SOL_USAGE;
    }
    return status == SOL_OK ? hide(sol, model, stmt) : status;
}

/* All of an edit: first what relates, then what is declared. */
static SolStatus remove_edit(Sol *sol, uint32_t number)
{
    InstId model;
    const Body *body;
    SolStatus status = SOL_OK;
    if (!world_edit(sol->sim->world, number, &model, &body)) {
        diag_error(sol->sim->diags, 0, "there is no edit +%u", number);
        return SOL_USAGE;
    }
    for (int declared = 0; declared < 2; declared++)
        for (uint32_t i = body->n_stmts; i-- > 0 && status == SOL_OK;)
            if ((body->stmts[i]->kind == S_DECLARE) == declared)
                status = remove_stmt(sol, model, body->stmts[i]);
    return status;
}

/* "a.b.c" in the scope -> the instance of a.b and the last name. */
static InstId scope_of_member(Sim *sim, const char *scope, const char *what, const char **name)
{
    char path[2048];
    const char *dot = strrchr(what, '.');
    *name = dot ? dot + 1 : what;
    snprintf(path, sizeof path, "%s%s%.*s", scope ? scope : "", scope && scope[0] && dot ? "." : "",
             dot ? (int)(dot - what) : 0, what);
    return scope_of(sim, path);
}

/* The statement that a handle or a name means; NULL with a message. */
static const Stmt *stmt_of(Sim *sim, const SolEdit *edit, InstId *model)
{
    const char *name;
    bool handle = edit->what[0] == '#' || edit->what[0] == '+';
    *model =
        handle ? scope_of(sim, edit->scope) : scope_of_member(sim, edit->scope, edit->what, &name);
    if (!*model)
        return NULL;
    const Body *body;
    const Stmt *stmt = handle ? world_stmt_find(sim->world, *model, edit->what)
                              : world_stmt_declaring(sim->world, *model, name);
    if (stmt && edit->what[0] == '+')
        world_edit(sim->world, (uint32_t)strtoul(edit->what + 1, NULL, 10), model, &body);
    if (stmt && !world_edit_is_hidden(sim->world, *model, stmt))
        return stmt;
    diag_error(sim->diags, 0, handle ? "there is no statement %s" : "there is no member '%s'",
               edit->what);
    return NULL;
}

static SolStatus take_away(Sol *sol, const SolEdit *edit)
{
    char *end;
    InstId model;
    unsigned long number = strtoul(edit->what + 1, &end, 10);
    if (edit->what[0] == '+' && end > edit->what + 1 && !*end)
        return remove_edit(sol, (uint32_t)number);
    const Stmt *stmt = stmt_of(sol->sim, edit, &model);
    return stmt ? remove_stmt(sol, model, stmt) : SOL_USAGE;
}

/* ---- replacing ---- */

typedef VEC(char) Text;

static void put(Sol *sol, Text *text, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(sol->model->mem, text, from[i]);
}

/* "Type{a << 1}" and its name -> "Type name{a << 1};" */
static void put_declaration(Sol *sol, Text *text, const char *type, const char *name)
{
    size_t n = strcspn(type, "{(");
    put(sol, text, type, n);
    put(sol, text, " ", 1);
    put(sol, text, name, strlen(name));
    put(sol, text, type + n, strlen(type + n));
    put(sol, text, ";\n", 2);
}

/* The statements that name the component go, and their texts are entered again. */
static SolStatus take_users(Sol *sol, InstId model, const Stmt *stmt, Text *text)
{
    Sim *sim = sol->sim;
    SolStatus status = SOL_OK;
    WorldUser *users = arena_alloc(&sim->record.arena, MOST_USERS * sizeof *users);
    uint32_t n = world_edit_users(sim->world, model, stmt, MOST_USERS, users);
    for (uint32_t i = 0; i < n && status == SOL_OK; i++) {
        const WorldUser *user = &users[i];
        size_t length;
        const char *from = world_stmt_text(sim->world, user->stmt, &length);
        bool plain = !user->stmt->body->parent || user->stmt->body->edit;
        if (user->model != model || !plain || user->stmt->kind == S_DECLARE || !length ||
            n == MOST_USERS) {
            diag_error(sim->diags, stmt->at,
                       "'%s' cannot be replaced: something that cannot be entered anew names it",
                       intern_text(program_names(sim->program), stmt->member->name));
            note_user(sim, user);
            return SOL_USAGE;
        }
        put(sol, text, from, length);
        put(sol, text, ";\n", 2);
        status = hide(sol, model, user->stmt);
    }
    return status;
}

static SolStatus replace_component(Sol *sol, InstId model, const Stmt *stmt, const char *type,
                                   Text *text)
{
    const char *name = intern_text(program_names(sol->sim->program), stmt->member->name);
    put_declaration(sol, text, type, name);
    SolStatus status = take_users(sol, model, stmt, text);
    if (status == SOL_OK)
        status = hide(sol, model, stmt);
    if (status != SOL_OK)
        return status;
    uint32_t hidden = sol->history->now.steps.n - 1;
    put(sol, text, "", 1);
    status = add(sol, model, text->at);
    if (status == SOL_OK)
        sol->history->now.steps.at[hidden].goes_over = true;
    return status;
}

static SolStatus replace(Sol *sol, const SolEdit *edit)
{
    InstId model;
    Text text = {0};
    const Stmt *stmt = stmt_of(sol->sim, edit, &model);
    if (!stmt)
        return SOL_USAGE;
    if (!is_component(stmt) || stmt->member->binding != BIND_STATIC) {
        diag_error(sol->sim->diags, stmt->at, "'%s' is no component that could be replaced",
                   edit->what);
        return SOL_USAGE;
    }
    SolStatus status = replace_component(sol, model, stmt, edit->text, &text);
    vec_free(sol->model->mem, &text);
    return status;
}

/* ---- assigning ---- */

static SolStatus assign(Sol *sol, const SolEdit *edit)
{
    Sim *sim = sol->sim;
    char path[1024], *end, name[1100];
    snprintf(path, sizeof path, "%s%s%s", edit->scope ? edit->scope : "",
             edit->scope && edit->scope[0] ? "." : "", edit->what);
    double value = strtod(edit->text, &end);
    snprintf(name, sizeof name, "value of %s", path);
    if ((end == edit->text || *end || !isfinite(value)) &&
        program_constant(sim->program, sim->run.top, name, edit->text, &value) == TYPE_ERROR)
        return SOL_USAGE;
    DdpVar var = world_find(sim->world, path);
    EditStep step = {.kind = STEP_VALUE, .path = copy_text(sim, path), .after = value};
    if (var && evaluate_fetch(sim, var) == SOL_OK)
        step.before = sim->value[var];
    new_step(sol, step);
    return SOL_OK;
}

static SolStatus do_edit(Sol *sol, const SolEdit *edit)
{
    if (edit->kind == SOL_REMOVE || edit->kind == SOL_REPLACE || edit->kind == SOL_ASSIGN)
        if (!edit->what || !edit->what[0] || (edit->kind != SOL_REMOVE && !edit->text)) {
            diag_error(sol->sim->diags, 0, "the edit does not say what it is about");
            return SOL_USAGE;
        }
    InstId model = edit->kind == SOL_ADD ? scope_of(sol->sim, edit->scope) : 0;
    switch (edit->kind) {
    case SOL_ADD:
        return model && edit->text ? add(sol, model, edit->text) : SOL_USAGE;
    case SOL_REMOVE:
        return take_away(sol, edit);
    case SOL_REPLACE:
        return replace(sol, edit);
    case SOL_ASSIGN:
        return assign(sol, edit);
    }
    return SOL_USAGE;
}

typedef struct Wanted {
    Sol *sol;
    uint32_t n;
    const SolEdit *edits;
} Wanted;

static SolStatus do_edits(Sim *sim, void *context, int phase)
{
    Wanted *w = context;
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < w->n && phase == 0 && status == SOL_OK; i++)
        status = do_edit(w->sol, &w->edits[i]);
    EditDone *now = &w->sol->history->now;
    for (uint32_t i = 0; i < now->steps.n && phase == 1 && status == SOL_OK; i++) {
        EditStep *step = &now->steps.at[i];
        if (step->kind == STEP_VALUE)
            status = set_value(sim, step->path, step->after);
        else if (step->goes_over)
            give_back(sim, step, true);
    }
    return status;
}

/* ---- where it stands ---- */

static EditStamp stamp_of(const Sim *sim, uint64_t number)
{
    return (EditStamp){sim->time, sim->counts.steps, sim->counts.events, sim->build.births, number};
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
    return text ? copy_text(sim, text) : NULL;
}

enum { MOST_KEPT = 1 << 20 }; /* bytes of a state before an edit */

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

/* What is new has to have a value. */
static SolStatus check_births(Sim *sim, uint64_t before)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < sim->output.births.n && status == SOL_OK; i++) {
        DdpVar var = sim->output.births.at[i];
        if (!ddp_var_used(sim->ddp, var) || sim->info[var].birth <= before)
            continue;
        status = evaluate_fetch(sim, var);
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
    uint64_t births = sim->build.births, visited = ddp_totals(sim->ddp).visited;
    if (sim->opt.solver == SOL_SOLVER_EULER)
        grid_cut(sim);
    SolStatus status = sim_point_before(sim, sim->time);
    if (status == SOL_OK)
        status = time_event(sim);
    if (status == SOL_OK && !sim->run.incomplete)
        status = check_births(sim, births);
    if (status != SOL_OK)
        return status;
    edited->entered = sim->record.event.entered;
    edited->removed = sim->record.event.removed;
    edited->visited = ddp_totals(sim->ddp).visited - visited;
    edited->verdict = sim->run.incomplete ? SOL_INCOMPLETE : SOL_ACCEPTED;
    if (sim->run.incomplete)
        explain_structure(sim);
    world_edit_pardon(sim->world);
    return SOL_OK;
}

static SolStatus guarded_try(Sol *sol, const Wanted *wanted, SolEdited *edited)
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

static SolStatus try_back(Sol *sol, Pack *before)
{
    Sim *old = sol->sim, *fresh;
    if (!program_recover(old->program) || !(fresh = sim_like(old)))
        return SOL_MEMORY;
    SolStatus status = guarded_return(fresh, before);
    if (status != SOL_OK) {
        sim_close(fresh);
        return status;
    }
    world_edit_allow_foreign(fresh->world, fresh->opt.edits_call_foreign);
    sol->sim = fresh;
    sim_close(old);
    return SOL_OK;
}

/* What was before takes the place of what was tried. Without memory it is tried again: there may be some by then. */
static SolStatus take_back(Sol *sol, Pack *before)
{
    SolStatus status = SOL_MEMORY;
    for (int i = 0; i < 3 && status == SOL_MEMORY; i++)
        status = try_back(sol, before);
    return status;
}

/* What was done is done backwards, and values are those from before. */
static SolStatus reverse_now(Sim *sim, void *context, int phase)
{
    SolHistory *h = context;
    SolStatus status = SOL_OK;
    for (uint32_t i = h->now.steps.n; i-- > 0 && status == SOL_OK;)
        if (h->now.steps.at[i].kind != STEP_VALUE)
            status = do_step(sim, &h->now.steps.at[i], false, phase);
    for (uint32_t i = 0; i < sim->states.n && phase == 1; i++) {
        DdpVar var = sim->states.at[i].var;
        if (var < h->values.n && sim->value[var] != h->values.at[var])
            values_set(sim, var, h->values.at[var]);
    }
    for (uint32_t i = h->now.steps.n; i-- > 0 && phase == 1 && status == SOL_OK;) {
        const EditStep *step = &h->now.steps.at[i];
        DdpVar var = step->kind == STEP_VALUE ? world_find(sim->world, step->path) : 0;
        if (var && may_be_set(sim, var))
            values_set(sim, var, step->before);
    }
    return status;
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
    world_edit_pardon(sim->world);
    sim->start.role_failed = sim->run.assertion_failed = false;
    sim->loop.status = SOL_OK;
    sim->run.edit = reverse_now;
    sim->run.edit_context = h;
    SolStatus status = time_event(sim);
    sim->run.edit = NULL;
    for (DdpVar var = 0; var < h->values.n && status == SOL_OK; var++)
        if (sim->info[var].has && !sim->info[var].pending && ddp_var_used(sim->ddp, var))
            sim->value[var] = h->values.at[var];
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
        sol->history->exact ? take_back(sol, &sol->history->before) : do_backwards(sol);
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
    h->exact = ddp_totals(sim->ddp).rels <= sim->opt.exact_edits;
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
    SolStatus status = peek(sim, sol->history);
    if (status != SOL_OK) {
        *edited = (SolEdited){.verdict = SOL_REFUSED, .reason = status, .message = edited->message};
        return SOL_OK;
    }
    world_edit_allow_foreign(sim->world, sim->opt.edits_call_foreign);
    sim->run.edit = edit;
    sim->run.edit_context = context;
    status = guarded_try(sol, edit == do_edits ? context : NULL, edited);
    sol->sim->run.edit = NULL;
    SolStatus back = status == SOL_OK ? SOL_OK : refuse(sol, status, edited);
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
        sim->cancel.broken_off)
        return status == SOL_OK ? SOL_CANCELLED : status;
    return open_history(sol) ? SOL_OK : SOL_MEMORY;
}

/* Into History.now. */
static SolStatus enter(Sol *sol, uint32_t n, const SolEdit *edits, SolEdited *edited)
{
    SolHistory *h = sol->history;
    Wanted wanted = {sol, n, edits};
    h->number = 0;
    EditStamp from = present(sol);
    SolStatus status = change(sol, do_edits, &wanted, edited);
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
    return SOL_OK;
}

/* Nothing happened since: what was is there again, bit by bit. */
static SolStatus undo_exactly(Sol *sol, EditDone *done, SolEdited *edited)
{
    double begin = timer_now();
    *edited = (SolEdited){.message = sol->sim->diags->list.n};
    SolStatus status = take_back(sol, &done->before);
    if (status != SOL_OK) {
        edited->verdict = SOL_REFUSED;
        return edited->reason = status;
    }
    Mem *mem = sol->model->mem;
    for (uint32_t i = 0; i < done->steps.n; i++) {
        for (uint32_t k = 0; k < done->steps.at[i].kept.n; k++)
            mem_free(mem, done->steps.at[i].kept.at[k].path);
        vec_free(mem, &done->steps.at[i].kept);
        mem_free(mem, done->steps.at[i].path);
    }
    vec_free(mem, &done->steps);
    done->exact = true;
    sol->history->state = done->from;
    sol->history->done--;
    edited->verdict = sol->sim->run.incomplete ? SOL_INCOMPLETE : SOL_ACCEPTED;
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
        return edited->reason = SOL_USAGE;
    }
    EditDone *done = &h->edits.at[forwards ? h->done : h->done - 1];
    EditStamp now = present(sol);
    if (forwards && done->exact)
        return redo_anew(sol, edited);
    if (!forwards && done->before.n && same_stamp(&now, &done->to))
        return undo_exactly(sol, done, edited);
    h->forwards = forwards;
    status = change(sol, repeat_steps, h, edited);
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
    return !sol->sim->run.incomplete;
}

/* ---- other points of time, other simulations ---- */

SolStatus sol_back(Sol *sol, SolRead read, void *context)
{
    Sim *fresh = sim_like(sol->sim), *old = sol->sim;
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
    twin->sim = sim_like(sim);
    if (status == SOL_OK && twin->sim) {
        twin->sim->output.to = (SolOutput){0};
        twin->sim->record.tell = NULL;
        status = save_read(twin->sim, &pack);
    }
    pack_free(&pack);
    mem_guard_pop(sim->mem, &guard);
    if (status == SOL_OK && twin->sim)
        return twin;
    sol_close(twin);
    return NULL;
}
