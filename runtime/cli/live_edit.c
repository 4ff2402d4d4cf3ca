/* live_edit.c: commands that change the model -> edits and their verdicts. See live.h. */
#include "runtime/cli/live.h"

#include <string.h>

static char *keep(Live *live, const char *text)
{
    return strcpy(mem_alloc(live->mem, strlen(text) + 1), text);
}

static void tell(Live *live, SolStatus status, const SolEdited *edited)
{
    static const char *const words[] = {"accepted", "incomplete", "refused"};
    live->answer.edited = *edited;
    live->answer.verdict = status == SOL_OK; /* else it says why there is none */
    live->answer.word = words[edited->verdict];
    if (status != SOL_OK)
        answer_status(live, status);
}

/* At once, or with others when `commit` comes. */
static void edit(Live *live, SolEdit wanted)
{
    SolEdited edited;
    if (live->collecting) {
        SolEdit own = {.kind = wanted.kind,
                       .scope = wanted.scope ? keep(live, wanted.scope) : NULL,
                       .what = wanted.what ? keep(live, wanted.what) : NULL,
                       .text = wanted.text ? keep(live, wanted.text) : NULL};
        vec_push(live->mem, &live->pending, own);
        live->answer.word = "ok";
        answer_say(live, "%u to commit", live->pending.n);
        return;
    }
    SolStatus status = sol_edit(live->sim, 1, &wanted, &edited);
    tell(live, status, &edited);
}

/* "in PATH: rest" -> PATH, and the rest; else NULL. */
static const char *scope_of(char **rest)
{
    char *at = *rest;
    if (strncmp(at, "in ", 3) != 0)
        return NULL;
    char *colon = strchr(at, ':');
    if (!colon)
        return NULL;
    *colon = 0;
    *rest = colon + 1 + strspn(colon + 1, " \t");
    at += 3 + strspn(at + 3, " \t");
    at[strcspn(at, " \t")] = 0;
    return at;
}

void live_add(Live *live, char *rest)
{
    const char *scope = scope_of(&rest);
    if (!*rest)
        answer_fail(live, "add what? 'add Real x;' or 'add in PATH: x = 3;'");
    else
        edit(live, (SolEdit){.kind = SOL_ADD, .scope = scope, .text = rest});
}

void live_remove(Live *live, char *rest)
{
    const char *scope = scope_of(&rest);
    char *what = live_word(&rest);
    if (!*what || *rest)
        answer_fail(live, "remove what? a handle that 'list' shows, or the name of a member");
    else
        edit(live, (SolEdit){.kind = SOL_REMOVE, .scope = scope, .what = what});
}

void live_replace(Live *live, char *rest)
{
    const char *scope = scope_of(&rest);
    char *what = live_word(&rest);
    if (strncmp(rest, "by ", 3) == 0)
        rest += 3 + strspn(rest + 3, " \t");
    size_t n = strlen(rest);
    while (n && (rest[n - 1] == ';' || rest[n - 1] == ' '))
        rest[--n] = 0;
    if (!*what || !*rest)
        answer_fail(live, "replace what? 'replace R1 by Resistor{R << 5}'");
    else
        edit(live, (SolEdit){.kind = SOL_REPLACE, .scope = scope, .what = what, .text = rest});
}

void live_set(Live *live, char *rest)
{
    char *equal = strchr(rest, '=');
    if (!equal || equal == rest) {
        answer_fail(live, "set what? 'set R1.R = 5'");
        return;
    }
    *equal = 0;
    char *what = live_word(&rest), *value = equal + 1 + strspn(equal + 1, " \t");
    size_t n = strlen(value);
    while (n && (value[n - 1] == ';' || value[n - 1] == ' '))
        value[--n] = 0;
    edit(live, (SolEdit){.kind = SOL_ASSIGN, .what = what, .text = value});
}

static void turn(Live *live, SolStatus (*how)(Sol *, SolEdited *))
{
    SolEdited edited;
    SolStatus status = how(live->sim, &edited);
    tell(live, status, &edited);
}

void live_undo(Live *live, char *rest)
{
    (void)rest;
    turn(live, sol_undo);
}

void live_redo(Live *live, char *rest)
{
    (void)rest;
    turn(live, sol_redo);
}

/* ---- several at once ---- */

void live_drop_pending(Live *live)
{
    while (live->pending.n) {
        SolEdit e = vec_pop(&live->pending);
        mem_free(live->mem, (void *)e.scope);
        mem_free(live->mem, (void *)e.what);
        mem_free(live->mem, (void *)e.text);
    }
    live->collecting = false;
}

void live_begin(Live *live, char *rest)
{
    (void)rest;
    if (live->collecting)
        answer_fail(live, "'begin' was said before: 'commit' or 'abort'");
    live->collecting = true;
}

void live_commit(Live *live, char *rest)
{
    SolEdited edited;
    (void)rest;
    if (!live->collecting) {
        answer_fail(live, "there is nothing to commit: 'begin' comes first");
        return;
    }
    SolStatus status = sol_edit(live->sim, live->pending.n, live->pending.at, &edited);
    tell(live, status, &edited);
    live_drop_pending(live);
}

void live_abort(Live *live, char *rest)
{
    (void)rest;
    live_drop_pending(live);
}
