/* line_editor.c: keys in a terminal -> lines, by libedit. See line_editor.h. */
#include "runtime/cli/edit/line_editor.h"

#include <histedit.h>
#include <signal.h>
#include <string.h>

typedef struct Editor {
    const LineUser *user;
    EditLine *el;
    FILE *out;
    History *history;
    bool discarded; /* the line that ended */
    char text[80];
} Editor;

static char *show_prompt(EditLine *el)
{
    Editor *e;
    el_get(el, EL_CLIENTDATA, &e);
    e->user->prompt(e->user->context, e->text, sizeof e->text);
    return e->text;
}

static unsigned char complete(EditLine *el, int key)
{
    Editor *e;
    char more[512] = "";
    (void)key;
    el_get(el, EL_CLIENTDATA, &e);
    const LineInfo *line = el_line(el);
    size_t cursor = (size_t)(line->cursor - line->buffer);
    switch (e->user->complete(e->user->context, line->buffer, cursor, more, sizeof more)) {
    case LINE_NOTHING:
        return CC_ERROR;
    case LINE_SHOWN:
        return CC_REDISPLAY;
    case LINE_MORE:
        break;
    }
    if (more[0])
        el_insertstr(el, more);
    return CC_REFRESH;
}

/* Ctrl-C: the line ends, and is taken by nobody. */
static unsigned char discard(EditLine *el, int key)
{
    Editor *e;
    (void)key;
    el_get(el, EL_CLIENTDATA, &e);
    e->discarded = true;
    el_insertstr(el, "\n"); /* a line without any letter would be the end of input */
    fputs("^C\n", e->out);
    fflush(e->out);
    return CC_NEWLINE;
}

/* Ctrl-Z: the shell has the terminal as it was; the line is still there afterwards. */
static unsigned char suspend(EditLine *el, int key)
{
    (void)key;
    el_set(el, EL_PREP_TERM, 0);
    raise(SIGTSTP);
    el_set(el, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
}

static bool open_editor(Editor *e, FILE *in, FILE *out)
{
    HistEvent event;
    e->el = el_init("solstice", in, out, stderr);
    e->history = history_init();
    if (!e->el || !e->history)
        return false;
    history(e->history, &event, H_SETSIZE, 1000);
    el_set(e->el, EL_CLIENTDATA, e);
    el_set(e->el, EL_PROMPT, show_prompt);
    el_set(e->el, EL_EDITOR, "emacs");
    el_set(e->el, EL_HIST, history, e->history);
    el_set(e->el, EL_ADDFN, "complete", "names and commands", complete);
    el_set(e->el, EL_BIND, "^I", "complete", NULL);
    el_set(e->el, EL_SIGNAL, 0);
    /* While a line is edited Ctrl-C and Ctrl-Z are keys; while a command runs, the signals that they always are. */
    el_set(e->el, EL_SETTY, "-d", "-isig", NULL);
    el_set(e->el, EL_ADDFN, "discard", "gives the line up", discard);
    el_set(e->el, EL_BIND, "^C", "discard", NULL);
    el_set(e->el, EL_ADDFN, "suspend", "stops until the shell goes on with it", suspend);
    el_set(e->el, EL_BIND, "^Z", "suspend", NULL);
    return true;
}

static void close_editor(Editor *e)
{
    if (e->history)
        history_end(e->history);
    if (e->el)
        el_end(e->el);
}

__attribute__((visibility("default"))) bool solstice_edit_lines(const LineUser *user, FILE *in,
                                                                FILE *out)
{
    Editor e = {.user = user, .out = out};
    HistEvent event;
    const char *line;
    int n = 0;
    bool opened = open_editor(&e, in, out), more = opened;
    while (more && (line = el_gets(e.el, &n)) != NULL && n > 0) {
        if (e.discarded) {
            e.discarded = false;
            continue;
        }
        if (line[strspn(line, " \t\n")])
            history(e.history, &event, H_ENTER, line);
        more = user->take(user->context, line);
    }
    if (opened && more) /* the end of input: whoever writes next begins a line */
        fputc('\n', out);
    close_editor(&e);
    return opened;
}
