/* an event model -> a smaller one, by one small edit after another. See event_shrink.h.
 *
 * All edits of a tree are numbered in the order of a walk. Each is tried on a tree read anew; the
 * first that gives a text that still shows the thing is kept, and the walk goes on from there. */
#include "tests/support/event_shrink.h"
#include "tests/support/event_model.h"

#include <stdlib.h>
#include <string.h>

typedef struct Editor {
    EmModel *model;
    uint32_t left; /* edits to pass before the one that is made */
    bool done;
} Editor;

/* Whether this is the edit to be made. */
static bool now(Editor *editor)
{
    if (editor->done || editor->left-- > 0)
        return false;
    return editor->done = true;
}

static void edit_expr(Editor *editor, EmExpr **place)
{
    EmExpr *e = *place;
    if (!e || e->op == EM_TIME)
        return;
    if (e->a && e->a->op != EM_TIME && now(editor))
        *place = e->a;
    else if (e->b && e->b->op != EM_TIME && now(editor))
        *place = e->b;
    else if (e->op != EM_CONSTANT && now(editor))
        *e = (EmExpr){.op = EM_CONSTANT, .type = EM_BOOLEAN, .value = 0};
    else if (e->op != EM_CONSTANT && now(editor))
        *e = (EmExpr){.op = EM_CONSTANT, .type = EM_BOOLEAN, .value = 1};
    else if (e->op != EM_CONSTANT && now(editor))
        *e = (EmExpr){.op = EM_CONSTANT, .type = EM_INTEGER, .value = 1};
    else if (e->op == EM_PRE && now(editor))
        e->op = EM_VAR;
    if (editor->done)
        return;
    edit_expr(editor, &e->a);
    edit_expr(editor, &e->b);
}

/* The content of a branch in the place of its statement. */
static void hoist(EmBody *body, EmStmt **place, EmBody *branch)
{
    EmStmt *rest = (*place)->next;
    EmDecl **decls = &body->decls;
    *place = branch->stmts;
    while (*place)
        place = &(*place)->next;
    *place = rest;
    while (*decls)
        decls = &(*decls)->next;
    *decls = branch->decls;
}

static void edit_body(Editor *editor, EmBody *body, uint32_t *n_public);

static void edit_stmt(Editor *editor, EmBody *body, EmStmt **place)
{
    EmStmt *s = *place;
    if (now(editor))
        *place = s->next;
    else if (s->then && !s->chained && now(editor))
        hoist(body, place, s->then);
    else if (s->otherwise && now(editor))
        hoist(body, place, s->otherwise);
    else if (s->otherwise && now(editor))
        s->chained = false, s->otherwise = NULL;
    else if (s->act == EM_BIRTH && s->maker.args && now(editor))
        s->maker.args = s->maker.args->next;
    if (editor->done)
        return;
    edit_expr(editor, &s->value);
    for (EmArg *arg = s->maker.args; arg; arg = arg->next)
        edit_expr(editor, &arg->value);
    if (s->then)
        edit_body(editor, s->then, NULL);
    if (s->otherwise && !s->chained)
        edit_body(editor, s->otherwise, NULL);
    else if (s->otherwise && s->otherwise->stmts)
        edit_stmt(editor, s->otherwise, &s->otherwise->stmts);
}

/* Takes out all that determines or moves what is called `name`. */
static void drop_statements(EmBody *body, const char *name)
{
    for (EmStmt **s = &body->stmts; *s;) {
        bool fork = (*s)->act == EM_IF || (*s)->act == EM_WHEN;
        if (!fork &&
            (strcmp((*s)->target.first, name) == 0 || strcmp((*s)->source.first, name) == 0)) {
            *s = (*s)->next;
            continue;
        }
        if ((*s)->then)
            drop_statements((*s)->then, name);
        if ((*s)->otherwise)
            drop_statements((*s)->otherwise, name);
        s = &(*s)->next;
    }
}

/* `n_public`: of a model, whose first declarations are its interface. */
static void edit_body(Editor *editor, EmBody *body, uint32_t *n_public)
{
    uint32_t i = 0;
    for (EmStmt **s = &body->stmts; *s && !editor->done; s = &(*s)->next) {
        edit_stmt(editor, body, s);
        if (!*s)
            break;
    }
    for (EmDecl **d = &body->decls; *d && !editor->done; d = &(*d)->next, i++)
        if (now(editor)) {
            drop_statements(body, (*d)->name);
            *d = (*d)->next;
            if (n_public && i < *n_public)
                --*n_public;
            break;
        }
}

static void edit_model(Editor *editor)
{
    for (EmClass **c = &editor->model->classes; *c && !editor->done; c = &(*c)->next) {
        if ((*c)->next && now(editor)) {
            *c = (*c)->next;
            return;
        }
        edit_body(editor, (*c)->body, &(*c)->n_public);
    }
}

/* A chain whose inner statement went away is an ordinary else branch. */
static void mend_chains(EmBody *body)
{
    for (EmStmt *s = body ? body->stmts : NULL; s; s = s->next) {
        const EmBody *o = s->otherwise;
        s->chained =
            s->chained && o && o->stmts && !o->stmts->next && !o->decls && o->stmts->act == s->act;
        mend_chains(s->then);
        mend_chains(s->otherwise);
    }
}

/* The text behind edit number n; NULL: it makes no correct tree. *over: there is no such edit. */
static char *edited(const char *text, uint32_t n, bool *over)
{
    EmModel *model = em_read(text, NULL);
    Editor editor = {.model = model, .left = n};
    edit_model(&editor);
    *over = !editor.done;
    for (EmClass *c = model->classes; c; c = c->next)
        mend_chains(c->body);
    char *result = editor.done ? em_print(model) : NULL;
    em_free(model);
    return result;
}

char *event_shrink(const char *text, EventShows *shows, void *context)
{
    char *best = strdup(text);
    bool progress = true;
    while (progress) {
        progress = false;
        bool end = false;
        for (uint32_t n = 0; !end; n++) {
            char *next = edited(best, n, &end);
            if (next && strcmp(next, best) != 0 && shows(context, next)) {
                free(best);
                best = next;
                progress = true;
                n--; /* the next edit has this number now */
            } else {
                free(next);
            }
        }
    }
    return best;
}
