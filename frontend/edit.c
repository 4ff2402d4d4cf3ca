/* edit.c: a text typed into an instance that exists -> a body inside that of its model. See frontend.h.
 *
 * The body is that of a branch without a condition: it sees the members of the model and of the edits before it,
 * and what it declares is its own. Nothing of the definitions that exist is changed by it, so that an
 * edit which is refused leaves nothing behind but text that nobody reaches. */
#include "frontend/resolve_int.h"

#include <string.h>

bool edit_is_gone(const Program *p, const Member *m)
{
    return p->edit && p->edit->gone && p->edit->gone(p->edit->context, m);
}

static AStmt *parse_edit(Program *p, const Edit *edit)
{
    const SourceFile *added = sources_add(&p->sources, edit->name, edit->text, edit->length);
    if (!added) {
        diag_error(&p->diags, 0, "too much text, 4 GB in all are possible");
        return NULL;
    }
    SourceFile file = *added; /* the list may move */
    uint32_t errors = p->diags.errors;
    if (!lookup_check_text(p, &file))
        return NULL;
    AStmt *list = parse_statement_text(&p->arena, &p->names, &p->diags, &file, p->max_depth);
    if (!list && p->diags.errors == errors)
        diag_error(&p->diags, file.base, "there is no statement in this text");
    return list;
}

/* What a definition collects while its statements are resolved is collected for the edit alone. */
static Body *resolve_edit(Program *p, const Edit *edit, AStmt *list)
{
    DefText *text = edit->def->text;
    HeldPath *held = text->held;
    Equality *equalities = text->equalities;
    text->held = NULL;
    text->equalities = NULL;
    Context cx = {.program = p,
                  .def = edit->def,
                  .body = edit->parent,
                  .level = resolve_own_level(edit->def)};
    Body *body = statements_edit(&cx, list);
    program_complete_queue(p);
    body_finish_held(edit->def);
    check_equalities(edit->def);
    text->held = held;
    text->equalities = equalities;
    return body;
}

uint32_t program_edit_number(const Program *p, const Body *body)
{
    (void)p;
    return ((const BodyText *)body)->edit;
}

/* The body of the edit with this number, if it is this one. */
static Body *made_before(const Program *p, const Edit *edit)
{
    if (!edit->number || edit->number > p->edits.n)
        return NULL;
    const EditBody *made = &p->edits.at[edit->number - 1];
    bool same = made->body->def == edit->def && made->body->parent == edit->parent &&
                strlen(made->text) == edit->length &&
                memcmp(made->text, edit->text, edit->length) == 0;
    return same ? made->body : NULL;
}

static Body *make_edit(Program *p, const Edit *edit)
{
    Body *before = made_before(p, edit);
    if (before)
        return before;
    uint32_t errors = p->diags.errors, wrong = p->text_errors;
    AStmt *list = parse_edit(p, edit);
    Body *body = list ? resolve_edit(p, edit, list) : NULL;
    p->text_errors = wrong; /* those of an edit are its own */
    if (p->diags.errors != errors || !body)
        return NULL;
    EditBody made = {arena_copy(&p->arena, edit->text, edit->length), body, list};
    vec_push(p->mem, &p->edits, made);
    ((BodyText *)body)->edit = p->edits.n;
    return body;
}

Body *program_edit(Program *p, const Edit *edit)
{
    MemGuard guard;
    if (p->exhausted)
        return NULL;
    p->edit = edit;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env) == 0) {
        Body *body = make_edit(p, edit);
        mem_guard_pop(p->mem, &guard);
        p->edit = NULL;
        return body;
    }
    p->edit = NULL;
    vec_clear(&p->queue);
    program_exhausted(p);
    return NULL;
}
