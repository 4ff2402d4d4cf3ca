/* live_prompt.c: keys in a terminal -> lines: history and completion by libedit. See live.h. */
#define _GNU_SOURCE
#include "runtime/cli/live.h"

#include <histedit.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Prompt {
    Live *live;
    EditLine *el;
    History *history;
    char text[80];
} Prompt;

static char *prompt_text(EditLine *el)
{
    Prompt *p;
    el_get(el, EL_CLIENTDATA, &p);
    snprintf(p->text, sizeof p->text, "%.6g%s> ", sol_time(p->live->sim),
             sol_is_complete(p->live->sim) ? "" : " incomplete");
    return p->text;
}

/* ---- completion ---- */

/* What the word at the cursor may become: the longest common beginning of all that fit, and how many these are. */
typedef struct Completion {
    const char *word;
    size_t length;
    char common[512];
    uint32_t n;
    char list[2000];
    bool from_prompt;
} Completion;

static void offer(Completion *c, const char *text)
{
    if (strncmp(text, c->word, c->length) != 0)
        return;
    size_t k = 0;
    if (c->n == 0)
        snprintf(c->common, sizeof c->common, "%s", text);
    while (c->common[k] && c->common[k] == text[k])
        k++;
    c->common[k] = 0;
    c->n++;
    size_t used = strlen(c->list);
    if (used + strlen(text) + 3 < sizeof c->list)
        snprintf(c->list + used, sizeof c->list - used, "%s  ", text);
}

/* The path up to the next dot: names are offered one by one. */
static void offer_step(Completion *c, const char *path)
{
    char text[512];
    if (strncmp(path, c->word, c->length) != 0)
        return;
    size_t n = c->length + strcspn(path + c->length, ".");
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), path);
    size_t used = strlen(c->list), length = strlen(text);
    if (used >= length + 2 && strncmp(c->list + used - length - 2, text, length) == 0)
        return; /* the same as the one before */
    offer(c, text);
}

static void offer_instance(void *context, const char *path)
{
    offer_step(context, path);
}

static void offer_names(Live *live, Completion *c)
{
    static const char *const keywords[] = {
        "Real", "Boolean", "Integer", "connection{a << ", "when ",    "if ", "then ", "else ",
        "end;", "start",   "der(x=",  "static ",          "dynamic ", "by ", "in "};
    char path[512];
    for (SolVar v = sol_next_var(live->sim, 0); v; v = sol_next_var(live->sim, v)) {
        sol_var_path(live->sim, v, path, sizeof path);
        offer_step(c, path);
    }
    if (!c->n)
        sol_instances(live->sim, "", offer_instance, c);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords && c->length; i++)
        offer(c, keywords[i]);
}

static unsigned char complete(EditLine *el, int key)
{
    Prompt *p;
    (void)key;
    el_get(el, EL_CLIENTDATA, &p);
    const LineInfo *line = el_line(el);
    const char *begin = line->cursor;
    while (begin > line->buffer && !strchr(" \t{}()=,;:+-*/<>", begin[-1]))
        begin--;
    char word[512];
    snprintf(word, sizeof word, "%.*s", (int)(line->cursor - begin), begin);
    Completion c = {.word = word, .length = strlen(word)};
    if (begin == line->buffer)
        for (uint32_t i = 0; live_command_name(i); i++)
            offer(&c, live_command_name(i));
    else
        offer_names(p->live, &c);
    if (c.n == 0)
        return CC_ERROR;
    if (strlen(c.common) > c.length)
        el_insertstr(el, c.common + c.length);
    else if (c.n > 1)
        fprintf(p->live->out, "\n%s\n", c.list);
    if (c.n == 1 && begin == line->buffer)
        el_insertstr(el, " ");
    return c.n > 1 && strlen(c.common) <= c.length ? CC_REDISPLAY : CC_REFRESH;
}

/* ---- lines ---- */

static bool open_prompt(Prompt *p)
{
    HistEvent event;
    p->el = el_init("solstice", stdin, p->live->out, stderr);
    p->history = history_init();
    if (!p->el || !p->history)
        return false;
    history(p->history, &event, H_SETSIZE, 1000);
    el_set(p->el, EL_CLIENTDATA, p);
    el_set(p->el, EL_PROMPT, prompt_text);
    el_set(p->el, EL_EDITOR, "emacs");
    el_set(p->el, EL_HIST, history, p->history);
    el_set(p->el, EL_ADDFN, "complete", "names and commands", complete);
    el_set(p->el, EL_BIND, "^I", "complete", NULL);
    el_set(p->el, EL_SIGNAL, 0);
    return true;
}

int live_prompt(Live *live)
{
    Prompt p = {.live = live};
    HistEvent event;
    int n = 0;
    if (!open_prompt(&p)) {
        fputs("solstice: error: the terminal cannot be used\n", stderr);
        return 4;
    }
    const char *line;
    while (!live->done && (line = el_gets(p.el, &n)) != NULL && n > 0) {
        if (line[strspn(line, " \t\n")])
            history(p.history, &event, H_ENTER, line);
        live_line(live, line);
    }
    if (!live->done)
        fputc('\n', live->out);
    history_end(p.history);
    el_end(p.el);
    return 0;
}
