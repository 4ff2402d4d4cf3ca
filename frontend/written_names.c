/* written_names.c: names in a text that is put out elsewhere -> which of them mean something that stands around the text, and
 * the paths of those. See written_names.h.
 *
 * A name that the text declares anywhere is taken for its own, whatever it means where it stands. Where that is wrong
 * the written text has an error, or says something else, which is noticed when it is read again (transplant.c). */
#include "frontend/written_names.h"

#include <string.h>

typedef struct Walk {
    Program *program;
    Level *level;
    const Body *body;
    Map declared; /* names that the text declares -> 1 */
    bool collect; /* them; else names are told */
    NameFound *found;
    void *context;
} Walk;

static void walk_expr(Walk *w, const AExpr *e);
static void walk_stmts(Walk *w, const AStmt *list);

/* ---- what a name means ---- */

static bool is_member(const Walk *w, Sym name)
{
    for (const Body *body = w->body; body; body = body->parent)
        if (body_find(body, name))
            return true;
    return false;
}

/* From where it can be named by a path; NULL: it is its own, of the file as a whole, or means nothing here. */
static const Def *owner_of(const Walk *w, const Level *level, Sym name)
{
    for (; level; level = level->outer) {
        const Entry *entry = resolve_entry(level->def, name);
        if (entry && entry->introduced <= level->piece)
            return level == w->level || level->def->text->is_unit ? NULL : level->def;
    }
    return NULL;
}

/* A name that is looked up from `level`. */
static void tell(Walk *w, const Level *level, const AName *name)
{
    const Def *owner = owner_of(w, level, name->sym);
    if (!owner)
        return;
    const char *around = def_path(w->program, owner);
    const char *own = intern_text(&w->program->names, name->sym);
    size_t n = strlen(around), m = strlen(own);
    char *path = arena_alloc(&w->program->arena, n + m + 2);
    memcpy(path, around, n);
    path[n] = '.';
    memcpy(path + n + 1, own, m);
    w->found(w->context, name, path);
}

static void declare(Walk *w, Sym name)
{
    if (w->collect)
        map_put(w->program->mem, &w->declared, name, 1);
}

/* ---- the tree ---- */

static void walk_subs(Walk *w, const ADesignator *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        for (const ASub *s = d->name[i].subs; s; s = s->next) {
            walk_expr(w, s->from);
            walk_expr(w, s->to);
        }
}

/* `type`: no member can be meant. */
static void walk_designator(Walk *w, const ADesignator *d, bool type)
{
    if (!d->n)
        return;
    walk_subs(w, d);
    Sym name = d->name[0].sym;
    if (!w->collect && (type || (!map_get(&w->declared, name) && !is_member(w, name))))
        tell(w, w->level, &d->name[0]);
}

static void walk_loop(Walk *w, const AFor *loop)
{
    for (; loop; loop = loop->next) {
        declare(w, loop->name.sym);
        walk_expr(w, loop->from);
        walk_expr(w, loop->to);
    }
}

static void walk_list(Walk *w, const AList *list)
{
    walk_loop(w, list->loop);
    for (const AArg *a = list->first; a; a = a->next)
        walk_expr(w, a->value);
}

static void walk_expr(Walk *w, const AExpr *e)
{
    if (!e)
        return;
    if (e->kind == A_MEMBER) {
        walk_designator(w, &e->member->name, false);
        walk_list(w, &e->member->params);
        walk_list(w, &e->member->ins);
    } else if (e->kind == A_ARRAY) {
        walk_list(w, e->list);
    } else if (e->kind == A_UNARY || e->kind == A_BINARY || e->kind == A_CHOICE) {
        walk_expr(w, e->a);
        if (e->kind != A_UNARY)
            walk_expr(w, e->b);
        if (e->kind == A_CHOICE)
            walk_expr(w, e->c);
    }
}

static void walk_decl(Walk *w, const ADecl *d)
{
    declare(w, d->name.sym);
    walk_designator(w, &d->type, true);
    walk_subs(w, &(ADesignator){1, (AName *)&d->name});
    walk_list(w, &d->params);
    walk_expr(w, d->value);
}

static void walk_stmt(Walk *w, const AStmt *s)
{
    if (s->kind == A_DECL) {
        walk_decl(w, s->decl);
    } else if (s->kind == A_REL || s->kind == A_ALONE) {
        walk_expr(w, s->lhs);
        if (s->kind == A_REL)
            walk_expr(w, s->rhs);
    } else {
        if (s->kind == A_FOR)
            walk_loop(w, s->loop);
        else
            walk_expr(w, s->condition);
        walk_stmts(w, s->then_list);
        walk_stmts(w, s->else_list);
    }
}

static void walk_stmts(Walk *w, const AStmt *list)
{
    for (; list; list = list->next)
        walk_stmt(w, list);
}

static void walk_defines(Walk *w, const ADefine *list)
{
    for (; list; list = list->next) {
        declare(w, list->name.sym);
        walk_expr(w, list->value);
    }
}

static void walk_model(Walk *w, const AModel *m)
{
    walk_defines(w, m->defines);
    walk_defines(w, m->ins);
    walk_defines(w, m->locals);
    for (const AModel *inside = m->models; inside; inside = inside->next) {
        declare(w, inside->name.sym);
        if (!map_get(&w->declared, inside->base.n ? inside->base.name[0].sym : 0))
            walk_designator(w, &inside->base, true);
        walk_model(w, inside);
    }
    walk_expr(w, m->result);
    walk_stmts(w, m->interface);
    walk_stmts(w, m->implementation);
}

static Walk walk_open(Level *level, const Body *body, NameFound *found, void *context)
{
    return (Walk){.program = level->def->text->program,
                  .level = level,
                  .body = body,
                  .collect = true,
                  .found = found,
                  .context = context};
}

void written_names_of_model(Level *level, const Body *body, const AModel *model, NameFound *found,
                            void *context)
{
    Walk w = walk_open(level, body, found, context);
    walk_model(&w, model);
    w.collect = false;
    walk_model(&w, model);
    if (model->base.n)
        tell(&w, level->outer, &model->base.name[0]);
    map_free(w.program->mem, &w.declared);
}

void written_names_of_stmt(Level *level, const Body *body, const AStmt *stmt, NameFound *found,
                           void *context)
{
    Walk w = walk_open(level, body, found, context);
    walk_stmt(&w, stmt);
    w.collect = false;
    walk_stmt(&w, stmt);
    map_free(w.program->mem, &w.declared);
}
