/* live_prompt.c: lines from a terminal -> answers: the prompt, and what a word may become. See live.h. */
#include "runtime/cli/cli.h"
#include "runtime/cli/edit/line_editor.h"
#include "runtime/cli/live.h"

#include <string.h>

static const char *prompt_text(void *context, char *text, size_t size)
{
    const Live *live = context;
    snprintf(text, size, "%.6g%s> ", sol_time(live->sim),
             sol_is_complete(live->sim) ? "" : " incomplete");
    return text;
}

/* ---- completion ---- */

/* What the word at the cursor may become: the longest common beginning of all that fit, and how many these are. */
typedef struct Completion {
    const char *word;
    size_t length;
    char common[512];
    uint32_t n;
    char list[2000];
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

static LineFound complete(void *context, const char *line, size_t cursor, char *more, size_t size)
{
    Live *live = context;
    size_t begin = cursor;
    while (begin > 0 && !strchr(" \t{}()=,;:+-*/<>", line[begin - 1]))
        begin--;
    char word[512];
    snprintf(word, sizeof word, "%.*s", (int)(cursor - begin), line + begin);
    Completion c = {.word = word, .length = strlen(word)};
    if (begin == 0)
        for (uint32_t i = 0; live_command_name(i); i++)
            offer(&c, live_command_name(i));
    else
        offer_names(live, &c);
    if (c.n == 0)
        return LINE_NOTHING;
    if (c.n > 1 && strlen(c.common) <= c.length) {
        fprintf(live->out, "\n%s\n", c.list);
        return LINE_SHOWN;
    }
    snprintf(more, size, "%s%s", c.common + c.length, c.n == 1 && begin == 0 ? " " : "");
    return LINE_MORE;
}

/* ---- lines ---- */

static bool take_line(void *context, const char *line)
{
    Live *live = context;
    live_line(live, line);
    return !live->done;
}

bool live_prompt(Live *live)
{
    char words[500];
    LineEdit edit;
    LineUser user = {live, prompt_text, complete, take_line};
    *(void **)&edit = cli_module(LINE_MODULE, LINE_SYMBOL, words, sizeof words);
    if (edit && edit(&user, stdin, live->out))
        return true;
    fprintf(stderr, "solstice: warning: lines cannot be edited here: %s\n",
            edit ? "the terminal cannot be used" : words);
    return false;
}
