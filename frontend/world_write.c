/* world_write.c: what was typed into instances and taken away there -> changes of definitions. See world_write.h,
 * written.h. */
#include "frontend/world_write.h"

#include "frontend/world_int.h"

#include <string.h>

typedef struct Writing {
    Writer *writer;
    WrittenText *text;
    Map defs; /* model instance -> number of its changed definition */
} Writing;

/* A text cannot say that of several instances which one place makes, one is another than the rest. */
static uint32_t no_place(World *world, const Inst *inst)
{
    world_fail(world, inst->plan->def->at,
               "'%s' was edited, but it is not there all the time: a text cannot say so",
               world_path_text(world, inst->id));
    return 0;
}

/* The changed definition of a model instance that was edited, or that has an edited one inside. */
static uint32_t def_of(World *world, Writing *w, InstId model)
{
    const Inst *inst = world_at(world, model);
    uint32_t found = map_get(&w->defs, model);
    if (found)
        return found;
    if (model == world->top) {
        found = writer_def(w->writer, inst->plan->def, NULL);
    } else {
        const Inst *owner = world_at(world, inst->owner);
        const Op *op = inst_is_edit(inst) || !owner
                           ? NULL
                           : &owner->plan->ops[owner->plan->word_op[inst->owner_word]];
        bool fixed = op && op->kind == OP_PART && op->member && op->stmt && op->stmt->end &&
                     (!owner->plan->is_branch || inst_is_edit(owner));
        if (!fixed)
            return no_place(world, inst);
        uint32_t around = def_of(world, w, follow_model(world, owner));
        const char *name = intern_text(program_names(world->program), op->member->name);
        found = around ? writer_def(w->writer, inst->plan->def, name) : 0;
        if (found && !writer_retype(w->writer, around, op->stmt, found))
            found = 0;
    }
    if (found)
        map_put(world->mem, &w->defs, model, found);
    return found;
}

static bool write_hidden(World *world, Writing *w)
{
    for (uint32_t i = 0; i < world->hidden.n; i++) {
        HiddenStmt h = world->hidden.at[i];
        if (h.stmt->body->edit)
            continue; /* it is not added */
        uint32_t def = def_of(world, w, h.model);
        if (!def || !writer_remove(w->writer, def, h.stmt))
            return false;
    }
    return true;
}

static bool write_edits(World *world, Writing *w)
{
    for (uint32_t i = 0; i < world->edits.n; i++) {
        const Body *body = world->edits.at[i].inst ? plans_edit_at(world->plans, i)->body : NULL;
        for (uint32_t k = 0; body && k < body->n_stmts; k++) {
            InstId model = world->edits.at[i].model;
            const Stmt *stmt = body->stmts[k];
            if (!stmt->end || map_get(&world->is_hidden, (uint64_t)model << 32 | stmt->number))
                continue;
            uint32_t def = def_of(world, w, model);
            if (!def || !writer_add(w->writer, def, stmt))
                return false;
        }
    }
    return true;
}

static void write_task(World *world, void *argument)
{
    Writing *w = argument;
    uint32_t errors = world->diags->errors;
    bool fine =
        write_hidden(world, w) && write_edits(world, w) && writer_finish(w->writer, w->text);
    map_free(world->mem, &w->defs);
    if (!fine && world->diags->errors == errors)
        world_fail(world, 0, "the edits cannot be written");
}

bool world_write_text(World *world, Writer *writer, WrittenText *text)
{
    Writing w = {.writer = writer, .text = text};
    return world_guarded(world, write_task, &w);
}
