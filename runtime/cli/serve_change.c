/* serve_change.c: changed lines of the text -> one edit of the running model. See serve.h.
 *
 * Statements that stood in these lines are removed from all instances that hold them (serve_text.c), what stands there now
 * is entered into the same. One statement that became another of the same name is a value that is set, or a component that is
 * replaced, so that states go on. */
#include "runtime/cli/serve.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char LINE_END[] = "↵"; /* in a message, which is one line */

typedef struct Change {
    uint32_t from, to;   /* lines; to < from: nothing goes */
    size_t begin, end;   /* of them in the text */
    char *lines;         /* what they become, each with its end */
    char *statements;    /* the same without comments, as long, in one line */
    const char *before;  /* the whole text */
    ServeCensus census;  /* before it */
    VEC(ServeHeld) gone; /* in all instances */
    uint32_t n_gone;     /* places in the text */
    VEC(char *) paths;   /* instances concerned */
    bool sets;           /* one statement, which keeps its key */
    uint64_t key;
} Change;

/* ---- texts ---- */

static uint32_t count_lines(const char *text)
{
    uint32_t n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static size_t offset_of_line(const char *text, uint32_t line)
{
    const char *at = text;
    while (--line && (at = strchr(at, '\n')) != NULL)
        at++;
    return at ? (size_t)(at - text) : strlen(text);
}

/* Comments, and with `strings` what stands in quotation marks, become blanks; `text` stays as long as it is. */
static void blank(char *text, bool strings)
{
    for (char *at = text; *at; at++) {
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++) {
                bool escape = *at == '\\' && at[1];
                if (strings && *at != '\n')
                    *at = ' ';
                at += escape;
            }
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

static char *copy_of(Mem *mem, const char *text, size_t n)
{
    return memcpy(mem_alloc(mem, n + 1), text, n);
}

static char *without_comments(Mem *mem, const char *text, size_t n)
{
    char *copy = copy_of(mem, text, n);
    blank(copy, false);
    for (char *at = copy; *at; at++)
        *at = *at == '\n' || *at == '\t' || *at == '\r' ? ' ' : *at;
    return copy;
}

/* ---- the definition around a place ---- */

static size_t word_at(const char *text, size_t at, const char *word)
{
    size_t n = strlen(word);
    bool begins = !at || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
    return begins && strncmp(text + at, word, n) == 0 && isspace((unsigned char)text[at + n]) ? n
                                                                                              : 0;
}

/* Where the innermost model or package around `place` begins, + 1; 0: there is none. `text` has no comments. */
static size_t definition_around(Mem *mem, const char *text, size_t place)
{
    typedef struct Open {
        size_t at, name, length;
    } Open;
    VEC(Open) open = {0};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    static const char *const words[] = {"model", "package", "connector", "function"};
    for (size_t at = 0; at < place && text[at]; at++) {
        size_t n = word_at(text, at, "end");
        for (size_t i = 0; !n && i < sizeof words / sizeof *words; i++)
            n = word_at(text, at, words[i]);
        if (!n)
            continue;
        size_t name = at + n + strspn(text + at + n, " \t\n"),
               length = strspn(text + name, letters);
        if (text[at] != 'e') {
            vec_push(mem, &open, ((Open){at, name, length}));
            continue;
        }
        for (uint32_t i = open.n; i-- > 0;)
            if (open.at[i].length == length &&
                strncmp(text + open.at[i].name, text + name, length) == 0) {
                open.n = i;
                break;
            }
    }
    size_t found = open.n ? vec_last(&open).at + 1 : 0;
    vec_free(mem, &open);
    return found;
}

/* ---- what is asked ---- */

static bool ends_piece(char letter)
{
    return letter == ';' || letter == ':' || letter == '\n';
}

/* Of the lines only what differs, from one end of a statement to another: what else stands there goes on as it is. */
static void narrow(Serve *serve, Change *c)
{
    const ServeVersion *v = serve_version(serve);
    const char *old = c->before + c->begin;
    size_t n = c->end - c->begin, m = strlen(c->lines), front = 0, back = 0;
    while (front < n && front < m && old[front] == c->lines[front])
        front++;
    while (front && !ends_piece(old[front - 1]))
        front--;
    while (back < n - front && back < m - front && old[n - 1 - back] == c->lines[m - 1 - back])
        back++;
    while (back && !(n > back && ends_piece(old[n - back - 1])))
        back--;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 0; i < v->anchors.n; i++) {
            ServeAnchor a = v->anchors.at[i];
            size_t from = c->begin + front, to = c->end - back;
            bool meets = (a.from < to && a.to > from) || (a.from < from && from < a.to);
            if (!meets || a.from < c->begin || a.to > c->end || (a.from >= from && a.to <= to))
                continue;
            front = a.from < from ? a.from - c->begin : front;
            back = a.to > to ? c->end - a.to : back;
            grows = true;
        }
    }
    c->lines[m - back] = 0;
    memmove(c->lines, c->lines + front, m - back - front + 1);
    c->begin += front;
    c->end -= back;
}

/* "3 4: TEXT" -> a change; false: it is none. */
static bool read_change(Serve *serve, const char *rest, Change *c)
{
    int n = 0;
    *c = (Change){.before = serve->text ? serve_version(serve)->text : ""};
    if (!serve->text || sscanf(rest, "%u %u:%n", &c->from, &c->to, &n) < 2 || !n || !c->from ||
        c->from > count_lines(c->before) || c->to + 1 < c->from)
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
    c->begin = offset_of_line(c->before, c->from);
    c->end = c->to < c->from ? c->begin : offset_of_line(c->before, c->to + 1);
    narrow(serve, c);
    c->statements = without_comments(serve->live.mem, c->lines, strlen(c->lines));
    c->census = serve_census(serve);
    return true;
}

static void drop_change(Serve *serve, Change *c)
{
    Mem *mem = serve->live.mem;
    serve_census_drop(serve, &c->census);
    vec_free(mem, &c->gone);
    vec_free(mem, &c->paths);
    mem_free(mem, c->lines);
    mem_free(mem, c->statements);
}

static void add_holders(Serve *serve, Change *c, uint64_t key, bool live, bool first)
{
    for (uint32_t i = 0; i < c->census.held.n; i++) {
        ServeHeld *h = &c->census.held.at[i];
        if (h->key != key || (live && !h->live))
            continue;
        if (live)
            vec_push(serve->live.mem, &c->gone, *h);
        if (first)
            vec_push(serve->live.mem, &c->paths, (char *)h->path);
    }
}

/* Without statements that go: instances of the definition in which the lines stand, by any statement of it. */
static void find_hosts(Serve *serve, Change *c)
{
    const ServeVersion *v = serve_version(serve);
    char *text = copy_of(serve->live.mem, c->before, strlen(c->before));
    blank(text, true);
    size_t around = definition_around(serve->live.mem, text, c->begin);
    for (uint32_t i = 0; around && !c->paths.n && i < v->anchors.n; i++)
        if (definition_around(serve->live.mem, text, v->anchors.at[i].from) == around)
            add_holders(serve, c, v->anchors.at[i].key, false, true);
    mem_free(serve->live.mem, text);
}

/* Lines between the statements of a model that runs, or of none that does? */
static bool is_elsewhere(Serve *serve, const Change *c)
{
    char *text = copy_of(serve->live.mem, c->before, strlen(c->before));
    blank(text, true);
    bool same = definition_around(serve->live.mem, text, c->begin) ==
                definition_around(serve->live.mem, text, c->end);
    mem_free(serve->live.mem, text);
    return same && !c->paths.n;
}

/* The statements that go; NULL, or why these lines cannot be changed. */
static const char *find_gone(Serve *serve, Change *c)
{
    const ServeVersion *v = serve_version(serve);
    const char *why = NULL;
    char *rest = copy_of(serve->live.mem, c->before + c->begin, c->end - c->begin);
    for (uint32_t i = 0; i < v->anchors.n; i++) {
        ServeAnchor a = v->anchors.at[i];
        uint32_t n = c->gone.n;
        if (a.to <= c->begin || a.from >= c->end)
            continue;
        if (a.from < c->begin || a.to > c->end)
            why = "a statement goes on beyond these lines";
        else
            memset(rest + (a.from - c->begin), ' ', a.to - a.from);
        add_holders(serve, c, a.key, true, !c->n_gone);
        c->n_gone++;
        c->key = a.key;
        if (!why && c->gone.n - n != c->paths.n)
            why = "these lines belong to several models: change them one after the other";
    }
    if (!c->n_gone)
        find_hosts(serve, c);
    blank(rest, false);
    if (!why && !is_blank(rest) && !is_elsewhere(serve, c))
        why = "of a model that runs only statements can be changed, not what stands around them";
    mem_free(serve->live.mem, rest);
    return why;
}

/* ---- declarations ---- */

bool serve_read_parameter(const char *statement, char name[128], char value[SERVE_VALUE],
                          size_t *head)
{
    char type[128];
    int n = 0;
    size_t blanks = strspn(statement, " \n\t");
    const char *at = statement + blanks;
    if (sscanf(at, "parameter %127s %127[a-zA-Z0-9_]%n", type, name, &n) < 2 || !n)
        return false;
    const char *sign = strstr(at + n, "<<"), *brace = strchr(at + n, '}');
    if (brace && sign && sign < brace) /* an attribute's */
        sign = strstr(brace, "<<");
    *head = sign ? (size_t)(sign - at) + blanks : 0;
    return sign && sscanf(sign + 2, " %511[^;]", value) == 1;
}

bool serve_read_component(const char *statement, char name[128], char type[SERVE_TYPE])
{
    char model[400], list[600] = "";
    int n = 0;
    const char *at = statement + strspn(statement, " \n\t");
    if (strncmp(at, "static ", 7) == 0)
        at += 7 + strspn(at + 7, " ");
    if (sscanf(at, "%399[a-zA-Z0-9_.] %127[a-zA-Z0-9_]%n", model, name, &n) < 2 || !n ||
        (at[n] != '{' && !is_blank(at + n)))
        return false;
    if (at[n] == '{' && sscanf(at + n, "%599[^;]", list) != 1)
        return false;
    snprintf(type, SERVE_TYPE, "%s%s", model, list);
    const char *last = strrchr(model, '.') ? strrchr(model, '.') + 1 : model;
    return isupper((unsigned char)*last) && strcmp(model, "Real") != 0 &&
           strcmp(model, "Integer") != 0 && strcmp(model, "Boolean") != 0 &&
           strcmp(model, "String") != 0;
}

/* The value alone is another one. */
static bool same_head(const char *a, const char *b, const size_t head[2])
{
    size_t skip[2] = {strspn(a, " \n\t"), strspn(b, " \n\t")};
    return head[0] - skip[0] == head[1] - skip[1] &&
           memcmp(a + skip[0], b + skip[1], head[0] - skip[0]) == 0;
}

typedef enum Became { OTHERS, VALUE, COMPONENT } Became;

/* One statement that became another of the same name. */
static Became compare(Serve *serve, const Change *c, char name[128], char what[SERVE_TYPE])
{
    char old_name[128], value[SERVE_VALUE], type[SERVE_TYPE];
    const char *semicolon = strchr(c->statements, ';');
    size_t head[2] = {0, 0};
    if (c->n_gone != 1 || !c->gone.n || (semicolon && !is_blank(semicolon)) ||
        strlen(c->statements) > SERVE_LONGEST)
        return OTHERS;
    const ServeAnchor *a = serve_anchor(serve_version(serve), c->key);
    if (a->to - a->from > SERVE_LONGEST)
        return OTHERS;
    char *old = without_comments(serve->live.mem, c->before + a->from, a->to - a->from);
    Became became = OTHERS;
    if (serve_read_parameter(old, old_name, value, &head[0]) &&
        serve_read_parameter(c->statements, name, value, &head[1]) &&
        same_head(old, c->statements, head)) {
        became = VALUE;
        snprintf(what, SERVE_TYPE, "%s", value);
    } else if (serve_read_component(old, old_name, type) &&
               serve_read_component(c->statements, name, what) && strcmp(old_name, name) == 0) {
        became = COMPONENT;
    }
    mem_free(serve->live.mem, old);
    return became;
}

/* ---- as commands of `live` ---- */

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

/* "remove in PATH: REST" */
static bool do_in(Live *live, const char *command, const char *path, const char *rest)
{
    size_t size = strlen(path) + strlen(rest) + 32;
    char *line = mem_alloc(live->mem, size);
    if (*path)
        snprintf(line, size, "%s in %s: %s", command, path, rest);
    else
        snprintf(line, size, "%s %s", command, rest);
    bool fine = do_quietly(live, line);
    mem_free(live->mem, line);
    return fine;
}

static void commit_lines(Serve *serve, const Change *c, const char *replaced)
{
    Live *live = &serve->live;
    bool fine = do_quietly(live, "begin");
    for (uint32_t i = 0; fine && !replaced && i < c->gone.n; i++)
        fine = do_in(live, "remove", c->gone.at[i].path, c->gone.at[i].handle);
    for (uint32_t i = 0; fine && !is_blank(c->statements) && i < c->paths.n; i++)
        fine = do_in(live, replaced ? "replace" : "add", c->paths.at[i],
                     replaced ? replaced : c->statements);
    if (fine)
        live_line(live, "commit");
    else
        do_quietly(live, "abort");
}

static const char *act(Serve *serve, Change *c)
{
    char name[128], what[SERVE_TYPE], line[SERVE_TYPE + 200];
    Became became = compare(serve, c, name, what);
    if (became == VALUE && (c->gone.n > 1 || *c->gone.at[0].path))
        return "the value of a component's parameter belongs to its declaration: change it there, "
               "or "
               "move its slider";
    c->sets = became == VALUE;
    if (became == COMPONENT)
        snprintf(line, sizeof line, "%s by %s", name, what);
    else
        snprintf(line, sizeof line, "set %s = %s", name, what);
    if (became == VALUE)
        live_line(&serve->live, line);
    else
        commit_lines(serve, c, became == COMPONENT ? line : NULL);
    return NULL;
}

/* ---- the text behind it ---- */

/* Statements of the new lines, which have no place yet. */
static void anchor_new(Serve *serve, ServeVersion *v, const Change *c)
{
    ServeCensus census = serve_census(serve);
    size_t whole = strlen(c->statements);
    if (c->sets) {
        size_t from = strspn(c->statements, " "), to = from + strcspn(c->statements + from, ";");
        vec_push(serve->live.mem, &v->anchors,
                 ((ServeAnchor){c->begin + from, c->begin + to, c->key}));
    }
    for (uint32_t i = 0; i < census.held.n; i++) {
        const ServeHeld *h = &census.held.at[i];
        if (!h->live || h->handle[0] != '+' || serve_anchor(v, h->key))
            continue;
        for (size_t at = 0; at + h->length <= whole; at++) {
            const char *end = c->statements + at + h->length;
            if (memcmp(c->statements + at, h->text, h->length) != 0 ||
                (end[strspn(end, " ")] != ';' && end[strspn(end, " ")] != 0))
                continue;
            vec_push(serve->live.mem, &v->anchors,
                     ((ServeAnchor){c->begin + at, c->begin + at + h->length, h->key}));
            break;
        }
    }
    serve_census_drop(serve, &census);
}

static void take_over(Serve *serve, const Change *c)
{
    ServeVersion next = serve_version_copy(serve);
    serve_splice(serve, &next, c->begin, c->end, c->lines);
    anchor_new(serve, &next, c);
    serve_follow_in(serve, &next);
    serve_version_push(serve, next);
}

bool serve_change(Serve *serve, const char *rest, const char **why)
{
    Change c;
    *why = NULL;
    if (!read_change(serve, rest, &c)) {
        *why = "which lines become what? 'change 3 3: TEXT'";
        return false;
    }
    serve->live.answer.verdict = false;
    *why = find_gone(serve, &c);
    bool nothing = !*why && !c.gone.n && (is_blank(c.statements) || !c.paths.n);
    if (!*why && !nothing)
        *why = act(serve, &c);
    bool taken = nothing || (!*why && serve->live.answer.verdict &&
                             serve->live.answer.edited.verdict != SOL_REFUSED);
    if (taken)
        take_over(serve, &c);
    if (nothing)
        *why = is_blank(c.statements) ? "" : "no instance has these lines now";
    drop_change(serve, &c);
    return taken;
}
