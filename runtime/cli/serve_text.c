/* serve_text.c: the text of the running model <-> its statements; changed lines -> one edit. See serve.h.
 *
 * The text is the definition of the top model as its file has it, with the changes that were made here. A statement is
 * looked for by its own text, so lines that others changed by commands are just lines to which no statement belongs. */
#include "runtime/cli/serve.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char LINE_END[] = "↵"; /* in a message, which is one line */

typedef struct Found { /* a statement in the text */
    char handle[48];
    size_t from, to; /* offsets; to: behind it */
} Found;

typedef struct Matching {
    Mem *mem;
    const char *text;
    VEC(Found) found;
} Matching;

/* ---- statements in a text ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool overlaps(const Matching *m, size_t from, size_t to)
{
    for (uint32_t i = 0; i < m->found.n; i++)
        if (from < m->found.at[i].to && m->found.at[i].from < to)
            return true;
    return false;
}

static void match(void *context, const SolStatement *s)
{
    Matching *m = context;
    size_t whole = strlen(m->text);
    bool nested = s->handle[0] == '#' && strchr(s->handle, '.'); /* "#3.then.1" */
    if (s->removed || nested || !s->length || s->length > whole)
        return;
    for (size_t at = 0; at + s->length <= whole; at++) {
        const char *end = m->text + at + s->length;
        if (m->text[at] != s->text[0] || memcmp(m->text + at, s->text, s->length) != 0 ||
            (at && is_word(m->text[at - 1])) || end[strspn(end, " \t\n")] != ';' ||
            overlaps(m, at, at + s->length))
            continue;
        Found found = {.from = at, .to = at + s->length};
        snprintf(found.handle, sizeof found.handle, "%s", s->handle);
        vec_push(m->mem, &m->found, found);
        return;
    }
}

static void match_all(Serve *serve, const char *text, Matching *m)
{
    *m = (Matching){.mem = serve->live.mem, .text = text};
    sol_statements(serve->live.sim, "", match, m);
}

/* ---- the definition in its file ---- */

/* The definition that begins at `at`: up to "end NAME;", 0 if there is none. */
static size_t definition_length(const char *at)
{
    char end[300];
    const char *name = at + strlen("model");
    name += strspn(name, " \t");
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    snprintf(end, sizeof end, "end %.*s;", (int)n, name);
    const char *found = n && n < 200 ? strstr(name, end) : NULL;
    return found ? (size_t)(found - at) + strlen(end) : 0;
}

/* Of the definitions of the file the one in which most statements of the top model are found. */
static char *find_definition(Serve *serve, const char *file)
{
    char *best = NULL;
    uint32_t most = 0;
    for (const char *at = strstr(file, "model"); at; at = strstr(at + 1, "model")) {
        size_t n = (at == file || isspace((unsigned char)at[-1])) ? definition_length(at) : 0;
        if (!n)
            continue;
        while (at > file && at[-1] != '\n') /* its whole first line */
            at--, n++;
        char *text = memcpy(mem_alloc(serve->live.mem, n + 2), at, n);
        memcpy(text + n, "\n", 2);
        Matching m;
        match_all(serve, text, &m);
        if (m.found.n > most) {
            mem_free(serve->live.mem, best);
            most = m.found.n;
            best = text;
        } else {
            mem_free(serve->live.mem, text);
        }
        vec_free(serve->live.mem, &m.found);
        at = strstr(at, "model");
    }
    return best;
}

void serve_text_open(Serve *serve, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *all = NULL, buffer[4096];
    size_t n = 0, got;
    FILE *copy = file ? open_memstream(&all, &n) : NULL;
    while (copy && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        fwrite(buffer, 1, got, copy);
    if (file)
        fclose(file);
    if (!copy)
        return;
    fclose(copy);
    char *text = strlen(all) == n ? find_definition(serve, all) : NULL;
    free(all);
    if (text)
        vec_push(serve->live.mem, &serve->texts, text);
    serve->text = serve->texts.n;
}

void serve_text_drop(Serve *serve)
{
    while (serve->texts.n)
        mem_free(serve->live.mem, vec_pop(&serve->texts));
    vec_free(serve->live.mem, &serve->texts);
}

static const char *present(const Serve *serve)
{
    return serve->text ? serve->texts.at[serve->text - 1] : "";
}

static uint32_t line_of(const char *text, size_t offset)
{
    uint32_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

void serve_text(Serve *serve, const char *rest, FILE *out)
{
    const char *text = present(serve);
    Matching m;
    (void)rest;
    match_all(serve, text, &m);
    fprintf(out, "{\"version\":%u,\"text\":", serve->text);
    answer_json_text(out, text, strlen(text));
    fputs(",\"statements\":[", out);
    for (uint32_t i = 0; i < m.found.n; i++)
        fprintf(out, "%s{\"handle\":\"%s\",\"from\":%u,\"to\":%u}", i ? "," : "",
                m.found.at[i].handle, line_of(text, m.found.at[i].from),
                line_of(text, m.found.at[i].to));
    fputs("]}", out);
    vec_free(serve->live.mem, &m.found);
}

/* ---- changed lines ---- */

typedef struct Change {
    uint32_t from, to;  /* lines; to < from: nothing goes */
    size_t begin, end;  /* of them in the text */
    char *lines;        /* what they become, each with its end */
    char *statements;   /* the same without comments, in one line */
    const char *before; /* the whole text */
} Change;

static size_t offset_of_line(const char *text, uint32_t line)
{
    const char *at = text;
    while (--line && (at = strchr(at, '\n')) != NULL)
        at++;
    return at ? (size_t)(at - text) : strlen(text);
}

/* Comments become blanks; `text` stays as long as it is. */
static void blank_comments(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++)
                at += *at == '\\' && at[1];
            if (!*at)
                return;
        } else if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            bool block = at[1] == '*';
            char *end = strstr(at + 2, block ? "*/" : "\n");
            end = end ? end + (block ? 2 : 0) : at + strlen(at);
            for (; at < end; at++)
                *at = *at == '\n' ? '\n' : ' ';
            at--;
        }
    }
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n;")] == 0;
}

static char *without_comments(Mem *mem, const char *text)
{
    char *copy = strcpy(mem_alloc(mem, strlen(text) + 1), text);
    blank_comments(copy);
    for (char *at = copy; *at; at++)
        *at = *at == '\n' || *at == '\t' || *at == '\r' ? ' ' : *at;
    return copy;
}

/* "3 4: TEXT" -> a change; false: it is none. */
static bool read_change(Serve *serve, const char *rest, Change *c)
{
    int n = 0;
    *c = (Change){.before = present(serve)};
    if (!serve->text || sscanf(rest, "%u %u:%n", &c->from, &c->to, &n) < 2 || !n || !c->from ||
        c->from > line_of(c->before, strlen(c->before)) || c->to + 1 < c->from)
        return false;
    rest += n + (rest[n] == ' ');
    c->lines = mem_alloc(serve->live.mem, strlen(rest) + 2);
    char *out = c->lines;
    for (const char *at = rest; *at;)
        if (strncmp(at, LINE_END, strlen(LINE_END)) == 0) {
            *out++ = '\n';
            at += strlen(LINE_END);
        } else {
            *out++ = *at++;
        }
    if (out > c->lines && out[-1] != '\n')
        *out++ = '\n';
    *out = 0;
    c->statements = without_comments(serve->live.mem, c->lines);
    c->begin = offset_of_line(c->before, c->from);
    c->end = c->to < c->from ? c->begin : offset_of_line(c->before, c->to + 1);
    return true;
}

/* The statements that go; NULL, or why these lines cannot be changed. */
static const char *find_gone(Serve *serve, const Change *c, Matching *gone)
{
    Matching all;
    const char *why = NULL;
    *gone = (Matching){.mem = serve->live.mem};
    char *rest = memcpy(mem_alloc(serve->live.mem, c->end - c->begin + 1), c->before + c->begin,
                        c->end - c->begin);
    match_all(serve, c->before, &all);
    for (uint32_t i = 0; i < all.found.n; i++) {
        const Found *f = &all.found.at[i];
        if (f->to <= c->begin || f->from >= c->end)
            continue;
        if (f->from < c->begin || f->to > c->end)
            why = "a statement goes on beyond these lines";
        else
            memset(rest + (f->from - c->begin), ' ', f->to - f->from);
        vec_push(serve->live.mem, &gone->found, *f);
    }
    blank_comments(rest);
    if (!why && !is_blank(rest))
        why = "of a running model only the statements of the top can be changed";
    mem_free(serve->live.mem, rest);
    vec_free(serve->live.mem, &all.found);
    return why;
}

/* ---- as commands of `live` ---- */

enum { LONGEST_STATEMENT = 500 }; /* that is looked at closer */

/* "parameter Real k {min << 0} << 2" -> its name, its value, and what stands before that; false: something else */
static bool read_parameter(const char *statement, char name[128], char value[512], size_t *head)
{
    char type[128];
    int n = 0;
    const char *at = statement + strspn(statement, " ");
    if (sscanf(at, "parameter %127s %127[a-zA-Z0-9_]%n", type, name, &n) < 2 || !n)
        return false;
    const char *sign = strstr(at + n, "<<"), *brace = strchr(at + n, '}');
    if (brace && sign && sign < brace) /* an attribute's */
        sign = strstr(brace, "<<");
    *head = sign ? (size_t)(sign - at) : 0;
    return sign && sscanf(sign + 2, " %511[^;]", value) == 1;
}

/* The value alone is another one. */
static bool same_head(const char *a, const char *b, const size_t head[2])
{
    return head[0] == head[1] && memcmp(a + strspn(a, " "), b + strspn(b, " "), head[0]) == 0;
}

/* "static Parts.Body tip{m << 1}" -> its name and "Parts.Body{m << 1}"; false: something else */
static bool read_component(const char *statement, char name[128], char type[1024])
{
    char model[400], list[600] = "";
    int n = 0;
    const char *at = statement + strspn(statement, " ");
    if (strncmp(at, "static ", 7) == 0)
        at += 7;
    if (sscanf(at, "%399[a-zA-Z0-9_.] %127[a-zA-Z0-9_]%n", model, name, &n) < 2 || !n ||
        (at[n] != '{' && !is_blank(at + n)))
        return false;
    if (at[n] == '{' && sscanf(at + n, "%599[^;]", list) != 1)
        return false;
    snprintf(type, 1024, "%s%s", model, list);
    return strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                  *(strrchr(model, '.') ? strrchr(model, '.') + 1 : model)) &&
           strcmp(model, "Real") != 0 && strcmp(model, "Integer") != 0 &&
           strcmp(model, "Boolean") != 0 && strcmp(model, "String") != 0;
}

static char *text_of(Mem *mem, const Change *c, const Found *f)
{
    char *copy = memcpy(mem_alloc(mem, f->to - f->from + 1), c->before + f->from, f->to - f->from);
    char *flat = without_comments(mem, copy);
    mem_free(mem, copy);
    return flat;
}

/* One statement that became another of the same name: a value that is set, a component that is replaced; so states go on. */
static bool one_command(Serve *serve, const Change *c, const Matching *gone, char *line,
                        size_t size)
{
    char name[2][128], value[2][512], type[2][1024];
    const char *semicolon = strchr(c->statements, ';');
    size_t head[2] = {0, 0};
    if (gone->found.n != 1 || (semicolon && !is_blank(semicolon)) ||
        strlen(c->statements) > LONGEST_STATEMENT ||
        gone->found.at[0].to - gone->found.at[0].from > LONGEST_STATEMENT)
        return false;
    char *old = text_of(serve->live.mem, c, &gone->found.at[0]);
    bool set = read_parameter(old, name[0], value[0], &head[0]) &&
               read_parameter(c->statements, name[1], value[1], &head[1]) &&
               same_head(old, c->statements, head);
    bool replaced = !set && read_component(old, name[0], type[0]) &&
                    read_component(c->statements, name[1], type[1]) &&
                    strcmp(name[0], name[1]) == 0;
    if (set)
        snprintf(line, size, "set %s = %s", name[1], value[1]);
    else if (replaced)
        snprintf(line, size, "replace %s by %s", name[1], type[1]);
    mem_free(serve->live.mem, old);
    return set || replaced;
}

/* False: it was answered by an error. */
static bool do_quietly(Live *live, const char *line)
{
    FILE *out = live->out;
    char *text = NULL;
    size_t n = 0;
    live->out = open_memstream(&text, &n);
    if (live->out) {
        live_line(live, line);
        fclose(live->out);
    }
    live->out = out;
    bool fine = strcmp(live->answer.word, "error") != 0;
    if (!fine)
        fwrite(text, 1, n, out);
    free(text);
    return fine;
}

static void commit_lines(Serve *serve, const Change *c, const Matching *gone)
{
    Live *live = &serve->live;
    char remove[80];
    bool fine = do_quietly(live, "begin");
    for (uint32_t i = 0; fine && i < gone->found.n; i++) {
        snprintf(remove, sizeof remove, "remove %s", gone->found.at[i].handle);
        fine = do_quietly(live, remove);
    }
    if (fine && !is_blank(c->statements)) {
        size_t size = strlen(c->statements) + 8;
        char *add = mem_alloc(live->mem, size);
        snprintf(add, size, "add %s", c->statements);
        fine = do_quietly(live, add);
        mem_free(live->mem, add);
    }
    if (fine)
        live_line(live, "commit");
    else
        do_quietly(live, "abort");
}

static void take_over(Serve *serve, const Change *c)
{
    size_t n = strlen(c->lines), rest = strlen(c->before + c->end);
    char *text = mem_alloc(serve->live.mem, c->begin + n + rest + 1);
    memcpy(text, c->before, c->begin);
    memcpy(text + c->begin, c->lines, n);
    memcpy(text + c->begin + n, c->before + c->end, rest);
    vec_push(serve->live.mem, &serve->texts, text);
    serve->text = serve->texts.n;
}

bool serve_change(Serve *serve, const char *rest, const char **why)
{
    Change c;
    Matching gone = {0};
    char line[2000];
    *why = NULL;
    if (!read_change(serve, rest, &c)) {
        *why = "which lines become what? 'change 3 3: TEXT'";
        return false;
    }
    serve->live.answer.verdict = false;
    *why = find_gone(serve, &c, &gone);
    bool nothing = !*why && !gone.found.n && is_blank(c.statements);
    if (!*why && !nothing && one_command(serve, &c, &gone, line, sizeof line))
        live_line(&serve->live, line);
    else if (!*why && !nothing)
        commit_lines(serve, &c, &gone);
    bool taken = nothing || (!*why && serve->live.answer.verdict &&
                             serve->live.answer.edited.verdict != SOL_REFUSED);
    if (taken)
        take_over(serve, &c);
    if (nothing)
        *why = "";
    vec_free(serve->live.mem, &gone.found);
    mem_free(serve->live.mem, c.lines);
    mem_free(serve->live.mem, c.statements);
    return taken;
}
