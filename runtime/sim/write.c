/* write.c: a simulation with edits -> a text that has them, and a checkpoint of that text. See sol_write_model(). */
#include "runtime/sim/live.h"
#include "runtime/sim/save.h"

#include <string.h>

/* What was said about the written text is said here: its model is closed. */
static void pass_on(Sim *sim, const SolModel *model)
{
    SolMessage m;
    for (uint32_t i = 0; sol_message(model, i, &m); i++)
        if (m.severity == SOL_ERROR)
            diag_error(sim->diags, 0, "of the written text: %s", m.text);
}

/* The folder of the main file, with the last slash; "": the present one, or of none. */
static const char *folder_of(Sim *sim, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? explain_keep_n(sim, path, (size_t)(slash - path) + 1) : ".";
}

static SolModel *load_written(Sol *sol, const WrittenText *text)
{
    Sim *sim = sol->sim;
    ProgramOptions o = program_options(sim->program);
    const char **folders = explain_room(sim, (o.n_folders + 1) * sizeof *folders);
    folders[0] = folder_of(sim, sol->model->path);
    for (uint32_t i = 0; i < o.n_folders; i++)
        folders[i + 1] = o.folders[i];
    return sol_load(&(SolLoad){.path = "written",
                               .text = text->text,
                               .length = text->length,
                               .n_folders = o.n_folders + 1,
                               .folders = folders,
                               .stdlib = o.stdlib,
                               .max_nesting = o.max_depth,
                               .max_definitions = o.max_definitions,
                               .max_statements = o.max_statements,
                               .strict_units = o.strict_units});
}

/* As at every checkpoint: who goes on here and who goes on there begin alike. */
static SolStatus restart(Sim *sim)
{
    Pack p = {.mem = sim->mem};
    SolStatus status = save_write(sim, &p);
    pack_free(&p);
    return status;
}

/* *made: closed by who called, also when memory runs out. */
static SolStatus write_state(Sol *sol, const WrittenText *text, const SolWriting *w,
                             SolModel *volatile *made)
{
    Sim *sim = sol->sim;
    SolModel *model = *made = load_written(sol, text);
    if (!model)
        return SOL_MEMORY;
    SolStatus status = restart(sim);
    if (status != SOL_OK)
        return status;
    Sol *other = sol_model_status(model) == SOL_OK
                     ? sol_create(model, def_path(sim->program, sim->run.top), &sim->opt)
                     : NULL;
    status = other ? save_transplant(sim, other->sim, text) : sol_model_status(model);
    if (status == SOL_OK)
        status = sol_save(other, w->state, w->state_context);
    if (status != SOL_OK)
        pass_on(sim, model);
    return status;
}

static SolStatus write_both(Sol *sol, Writer *writer, const SolWriting *w, SolModel *volatile *made)
{
    Sim *sim = sol->sim;
    WrittenText text;
    if (!world_write_text(sim->world, writer, &text))
        return world_out_of_memory(sim->world) ? SOL_MEMORY : SOL_MODEL;
    SolStatus status = w->state ? write_state(sol, &text, w, made) : SOL_OK;
    if (status == SOL_OK && !w->text(w->text_context, text.text, text.length))
        status = SOL_IO;
    return status;
}

SolStatus sol_write_model(Sol *sol, const SolWriting *writing)
{
    Sim *sim = sol->sim;
    MemGuard guard;
    SolModel *volatile made = NULL;
    SolStatus status = sol_init(sol);
    if ((status != SOL_OK && status != SOL_CANCELLED) || cancel_broke_off(sim))
        return status == SOL_OK ? SOL_CANCELLED : status;
    if (!sim->opt.editable) {
        diag_error(sim->diags, 0, "only a simulation whose options say `editable` can be written");
        return SOL_USAGE;
    }
    sim->diags->limit = sim->diags->errors + 100;
    if (event_is_incomplete(sim)) {
        diag_error(sim->diags, 0, "a model is not written while variables lack an equation");
        return SOL_USAGE;
    }
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0) {
        sol_unload(made);
        return sim_exhausted(sim); /* as at every checkpoint: nodes may be half built */
    }
    Writer *writer = writer_open(sim->mem, sim->program);
    status = write_both(sol, writer, writing, &made);
    writer_close(writer);
    sol_unload(made);
    world_edit_pardon(sim->world);
    mem_guard_pop(sim->mem, &guard);
    return world_out_of_memory(sim->world) ? sim_exhausted(sim) : status;
}
