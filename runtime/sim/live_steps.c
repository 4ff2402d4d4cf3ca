/* live_steps.c: edits that are wanted -> steps, done as they are found; each step and its reverse.
 *
 * A step shows a statement, hides one, or sets a value. */
#include "runtime/sim/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one step and its reverse ---- */

char *live_copy(Sim *sim, const char *text)
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
    if (evaluate_fetch(k->sim, var, EVAL_EVENT) != SOL_OK || !k->sim->info[var].has)
        return;
    world_var_path(k->sim->world, var, path, sizeof path);
    const char *inside = strlen(path) > k->prefix ? path + k->prefix + 1 : "";
    KeptValue kept = {live_copy(k->sim, inside), k->sim->value[var]};
    vec_push(k->sim->mem, &k->step->kept, kept);
}

static void keep_edit(void *context, InstId model, uint32_t number, const Stmt *hidden)
{
    Keeping *k = context;
    char path[1024];
    world_inst_path(k->sim->world, model, path, sizeof path);
    KeptEdit kept = {live_copy(k->sim, path), model, number, hidden};
    vec_push(k->sim->mem, &k->step->inside, kept);
}

static void drop_inside(Mem *mem, EditStep *step)
{
    while (step->inside.n)
        mem_free(mem, vec_pop(&step->inside).path);
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
    Keeping keeping = {sim, step, prefix};
    world_edit_vars(sim->world, step->model, step->stmt, keep_value, &keeping);
    drop_inside(sim->mem, step);
    world_edit_inside(sim->world, step->model, step->stmt, keep_edit, &keeping);
}

void live_free_step(Mem *mem, EditStep *step)
{
    while (step->kept.n)
        mem_free(mem, vec_pop(&step->kept).path);
    drop_inside(mem, step);
    vec_free(mem, &step->kept);
    vec_free(mem, &step->inside);
    mem_free(mem, step->path);
}

/* Steps of the history that name the instance `before` name `now`. */
static void renumber(EditDone *done, InstId before, InstId now)
{
    for (uint32_t i = 0; i < done->steps.n; i++)
        if (done->steps.at[i].model == before)
            done->steps.at[i].model = now;
}

/* What was typed into the component, and taken away there, when it went. */
static bool edit_inside_again(Sim *sim, SolHistory *h, EditStep *step)
{
    bool fine = true;
    for (uint32_t i = 0; i < step->inside.n && fine; i++) {
        KeptEdit *kept = &step->inside.at[i];
        InstId before = kept->model, now = world_find_inst(sim->world, kept->path);
        fine = now && (kept->number ? world_edit_again(sim->world, kept->number, now)
                                    : world_edit_hide(sim->world, now, kept->hidden));
        for (uint32_t k = i + 1; k < step->inside.n; k++)
            if (step->inside.at[k].model == before)
                step->inside.at[k].model = now;
        for (uint32_t k = 0; k < h->edits.n; k++)
            renumber(&h->edits.at[k], before, now);
        renumber(&h->now, before, now);
    }
    drop_inside(sim->mem, step);
    return fine;
}

bool live_may_be_set(const Sim *sim, DdpVar var)
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
            (states_only ? sim->info[var].state != 0 : live_may_be_set(sim, var)))
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
    event_note_structure(sim);
    return world_status(sim, world_edit_hide(sim->world, step->model, step->stmt));
}

static SolStatus do_show(Sim *sim, SolHistory *h, EditStep *step)
{
    event_note_structure(sim);
    bool fine = world_edit_show(sim->world, step->model, step->stmt);
    return world_status(sim, fine && edit_inside_again(sim, h, step));
}

static SolStatus set_value(Sim *sim, const char *path, double value)
{
    DdpVar var = world_find(sim->world, path);
    if (!var) {
        diag_error(sim->diags, 0, "there is no variable '%s'", path);
        return SOL_USAGE;
    }
    evaluate_fetch(sim, var, EVAL_EVENT);
    if (!live_may_be_set(sim, var)) {
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
SolStatus live_do_step(Sim *sim, SolHistory *h, EditStep *step, bool forwards, int phase)
{
    if (step->kind == STEP_VALUE)
        return phase ? set_value(sim, step->path, forwards ? step->after : step->before) : SOL_OK;
    bool show = (step->kind == STEP_SHOW) == forwards;
    if (!world_edit_has(sim->world, step->model, step->stmt)) {
        if (!forwards) /* it died, and all that was done to it with it */
            return SOL_OK;
        diag_error(sim->diags, 0, "the instance that was edited does not exist any more");
        return SOL_MODEL;
    }
    if (phase == 0)
        return show ? do_show(sim, h, step) : do_hide(sim, step);
    if (show)
        give_back(sim, step, false);
    return SOL_OK;
}

SolStatus live_repeat_steps(Sim *sim, void *context, int phase)
{
    SolHistory *h = context;
    EditDone *done = &h->edits.at[h->forwards ? h->done : h->done - 1];
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < done->steps.n && status == SOL_OK; i++) {
        uint32_t at = h->forwards ? i : done->steps.n - 1 - i;
        status = live_do_step(sim, h, &done->steps.at[at], h->forwards, phase);
        if (phase == 0 && status == SOL_OK)
            h->repeated = i + 1;
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
    event_note_structure(sim);
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
    WorldUser *users = explain_room(sim, MOST_USERS * sizeof *users);
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
    if (edit->what[0] == '+' && end > edit->what + 1 && !*end && number <= UINT32_MAX)
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
    WorldUser *users = explain_room(sim, MOST_USERS * sizeof *users);
    uint32_t n = world_edit_users(sim->world, model, stmt, MOST_USERS, users);
    for (uint32_t i = 0; i < n && status == SOL_OK; i++) {
        const WorldUser *user = &users[i];
        size_t length;
        const char *from = world_stmt_text(sim->world, user->stmt, &length, NULL);
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
    EditStep step = {.kind = STEP_VALUE, .path = live_copy(sim, path), .after = value};
    if (var && evaluate_fetch(sim, var, EVAL_PLAIN) == SOL_OK)
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

SolStatus live_do_edits(Sim *sim, void *context, int phase)
{
    EditsWanted *w = context;
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
