/* declarations of an event model -> instances and branches that exist. See event_world.h. */
#include "tests/support/event_world.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory: all of a run is freed together ---- */

typedef struct Block {
    struct Block *next;
    max_align_t room[];
} Block;

void *world_room(ErRun *run, size_t size)
{
    Block *block = calloc(1, sizeof *block + size);
    block->next = run->pool;
    run->pool = block;
    return block->room;
}

void er_free(ErRun *run)
{
    for (Block *block = run ? run->pool : NULL; block;) {
        Block *next = block->next;
        free(block);
        block = next;
    }
    free(run);
}

/* ---- places ---- */

Frame *frame_of(Frame *from, const EmBody *body)
{
    while (from && from->body != body)
        from = from->outer;
    return from;
}

/* The frame around, across the border of an instance too. */
Frame *frame_around(const Frame *frame)
{
    return frame->outer ? frame->outer : frame->inst->place;
}

Inst **slot_of(Frame *from, const EmPath *path)
{
    Frame *frame = frame_of(from, path->decl->body);
    return frame ? &frame->parts[path->decl->index] : NULL;
}

/* The variable, or NULL where the path leads through an empty member. */
Var *var_of(Frame *from, const EmPath *path)
{
    Frame *frame = frame_of(from, path->decl->body);
    if (!path->sub)
        return frame ? &frame->vars[path->decl->index] : NULL;
    Inst *inst = frame ? frame->parts[path->decl->index] : NULL;
    return inst ? &inst->root->vars[path->sub->index] : NULL;
}

bool frame_in_pulse(const Frame *frame)
{
    for (; frame; frame = frame_around(frame))
        if (frame->fork && frame->fork->active && frame == frame->fork->then)
            return true;
    return false;
}

Frame *branch_of(const Fork *fork)
{
    if (fork->stmt->act == EM_WHEN)
        return fork->active ? fork->then : fork->otherwise;
    if (!fork->decided)
        return NULL;
    return fork->truth ? fork->then : fork->otherwise;
}

void inst_path(const Inst *inst, char *out, size_t size)
{
    char outer[ER_PATH] = "";
    out[0] = '\0';
    if (!inst->place)
        return;
    inst_path(inst->place->inst, outer, sizeof outer);
    snprintf(out, size, "%.40s%s%s", outer, outer[0] ? "." : "", inst->member->name);
}
void each_frame(World *w, Frame *frame, FrameVisit *visit)
{
    if (!frame)
        return;
    visit(w, frame);
    for (uint32_t i = 0; i < frame->body->n_decls; i++)
        if (frame->parts[i])
            each_frame(w, frame->parts[i]->root, visit);
    for (uint32_t i = 0; i < frame->body->n_stmts; i++)
        if (frame->forks[i])
            each_frame(w, branch_of(frame->forks[i]), visit);
}

/* ---- births, moves, deaths ---- */

static void kill_inst(Inst *inst);

void frame_kill(Frame *frame)
{
    if (!frame || frame->dead)
        return;
    frame->dead = true;
    for (uint32_t i = 0; i < frame->body->n_decls; i++)
        if (frame->parts[i])
            kill_inst(frame->parts[i]);
    for (uint32_t i = 0; i < frame->body->n_stmts; i++)
        if (frame->forks[i]) {
            frame_kill(frame->forks[i]->then);
            frame_kill(frame->forks[i]->otherwise);
        }
}

static void kill_inst(Inst *inst)
{
    frame_kill(inst->root);
}

static void run_move(World *w, const EmStmt *s, Frame *frame)
{
    Inst **to = s->act == EM_TRASH ? NULL : slot_of(frame, &s->target);
    Inst **from = s->act == EM_BIRTH ? NULL : slot_of(frame, &s->source);
    Frame *place = to ? frame_of(frame, s->target.decl->body) : NULL;
    Inst *inst = from ? *from : inst_make(w, &s->maker, frame, place, s->target.decl);
    if (!inst)
        return;
    if (from)
        *from = NULL;
    if (!to) {
        kill_inst(inst);
        return;
    }
    if (*to)
        kill_inst(*to);
    *to = inst;
    inst->place = place;
    inst->member = s->target.decl;
}

static void run_moves(World *w, Frame *frame)
{
    for (const EmStmt *s = frame->body->stmts; s; s = s->next)
        if (s->act == EM_BIRTH || s->act == EM_MOVE || s->act == EM_TRASH)
            run_move(w, s, frame);
}

static Fork *make_fork(World *w, const EmStmt *s, Frame *home)
{
    Fork *fork = world_room(w->run, sizeof *fork);
    *fork = (Fork){.stmt = s, .home = home};
    if (s->act == EM_WHEN && s->otherwise)
        fork->otherwise = frame_make(w, s->otherwise, home, home->inst, fork);
    return fork;
}

static void make_vars(World *w, Frame *frame)
{
    uint32_t i = 0;
    for (const EmDecl *d = frame->body->decls; d; d = d->next, i++) {
        frame->vars[i].decl = d;
        frame->vars[i].older = w->all_vars;
        w->all_vars = &frame->vars[i];
    }
}

static void make_parts(World *w, Frame *frame)
{
    for (const EmDecl *d = frame->body->decls; d; d = d->next)
        if (d->kind == EM_PART || (d->kind == EM_DYNAMIC && d->braces))
            frame->parts[d->index] = inst_make(w, &d->maker, frame, frame, d);
}

Frame *frame_make(World *w, const EmBody *body, Frame *outer, Inst *inst, Fork *fork)
{
    Frame *frame = world_room(w->run, sizeof *frame);
    *frame = (Frame){.body = body, .outer = outer, .inst = inst, .fork = fork, .born = w->time};
    frame->vars = world_room(w->run, (body->n_decls + 1) * sizeof *frame->vars);
    frame->parts = world_room(w->run, (body->n_decls + 1) * sizeof *frame->parts);
    frame->forks = world_room(w->run, (body->n_stmts + 1) * sizeof *frame->forks);
    make_vars(w, frame);
    if (outer) { /* an instance has its parameters first */
        make_parts(w, frame);
        run_moves(w, frame);
    }
    for (const EmStmt *s = body->stmts; s; s = s->next)
        if (s->act == EM_IF || s->act == EM_WHEN)
            frame->forks[s->index] = make_fork(w, s, frame);
    return frame;
}

static void give_parameters(World *w, Inst *inst, const EmMaker *maker, Frame *scope)
{
    for (const EmDecl *d = inst->class->body->decls; d; d = d->next) {
        const EmExpr *value = d->preset;
        Frame *frame = inst->root;
        if (!d->parameter)
            continue;
        for (const EmArg *arg = maker->args; arg; arg = arg->next)
            if (strcmp(arg->name, d->name) == 0) {
                value = arg->value;
                frame = scope;
            }
        if (value)
            inst->root->vars[d->index].value = world_last(w, value, frame);
    }
}

Inst *inst_make(World *w, const EmMaker *maker, Frame *scope, Frame *place, const EmDecl *member)
{
    Inst *inst = world_room(w->run, sizeof *inst);
    *inst = (Inst){.class = maker->class,
                   .place = place,
                   .member = member,
                   .newborn = true,
                   .older = w->insts};
    w->insts = inst;
    inst->root = frame_make(w, maker->class->body, NULL, inst, NULL);
    give_parameters(w, inst, maker, scope);
    make_parts(w, inst->root);
    run_moves(w, inst->root);
    return inst;
}
