/* live_edit.c: commands that change the model -> edits and their verdicts. See live.h. */
#include "runtime/cli/live.h"

#include <math.h>
#include <stdlib.h>
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

/* At once, or with others when `commit` comes. One that joins goes on with the assignment before it. */
static void edit(Live *live, SolEdit wanted, bool joins)
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
    live->joined =
        joins && status == SOL_OK && edited.verdict != SOL_REFUSED && sol_join_edits(live->sim);
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
        edit(live, (SolEdit){.kind = SOL_ADD, .scope = scope, .text = rest}, false);
}

void live_remove(Live *live, char *rest)
{
    const char *scope = scope_of(&rest);
    char *what = live_word(&rest);
    if (!*what || *rest)
        answer_fail(live, "remove what? a handle that 'list' shows, or the name of a member");
    else
        edit(live, (SolEdit){.kind = SOL_REMOVE, .scope = scope, .what = what}, false);
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
        edit(live, (SolEdit){.kind = SOL_REPLACE, .scope = scope, .what = what, .text = rest},
             false);
}

static void cut_end(char *text)
{
    for (size_t n = strlen(text); n && strchr("; \t", text[n - 1]);)
        text[--n] = 0;
}

/* "2.1 at 0.3; 2.2 at 0.4": do these times lie ahead, in this order? */
static bool are_moves(const Live *live, const char *moves)
{
    double before = sol_time(live->sim);
    while (*moves) {
        const char *at = strstr(moves, " at "), *end = moves + strcspn(moves, ";");
        double time = at && at < end ? strtod(at + 4, NULL) : NAN;
        if (!(time >= before && isfinite(time)) || live->collecting)
            return false;
        before = time;
        moves = *end ? end + 1 : end;
    }
    return true;
}

/* Time goes on, and it is set again. */
static void set_later(Live *live, const char *what, char *moves)
{
    while (*moves && (live->answer.verdict && live->answer.edited.verdict != SOL_REFUSED)) {
        char *next = moves + strcspn(moves, ";"), *at = strstr(moves, " at ");
        if (*next)
            *next++ = 0;
        *at = 0;
        SolStatus status = sol_run_to(live->sim, strtod(at + 4, NULL));
        if (status != SOL_OK) {
            answer_status(live, status);
            return;
        }
        edit(live, (SolEdit){.kind = SOL_ASSIGN, .what = what, .text = moves + strspn(moves, " ")},
             true);
        moves = next;
    }
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
    cut_end(value);
    char *moves = value + strcspn(value, ";");
    if (*moves)
        *moves++ = 0;
    if (!are_moves(live, moves)) {
        answer_fail(live, "set when? 'set R1.R = 5; 6 at 0.1': times ascend");
        return;
    }
    edit(live, (SolEdit){.kind = SOL_ASSIGN, .what = what, .text = value}, live->moves);
    set_later(live, what, moves);
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
