/* serve_text.c: the text of the main file <-> the statements that run. See serve.h.
 *
 * The text is that of the file with what was changed since, here or by commands. An anchor is the place of a statement in it;
 * its key tells which one: where the file had it, or, of one that was entered since, what it says. All instances
 * whose statements have that key hold it: those of its model, and of models that extend it. So a changed
 * line is known to concern them, and a statement that a command took away or entered is found here, or put here. */
#include "runtime/cli/serve.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTANCES = 2000, MOST_NAME = 128 };

/* ---- which statements there are ---- */

typedef struct Collecting {
    Serve *serve;
    ServeCensus *census;
    const char *path; /* of the instance whose statements come */
} Collecting;

static bool is_nested(const char *handle) /* "#3.then.1", "+2.1.then.1" */
{
    const char *dot = strchr(handle, '.');
    return dot && (handle[0] == '#' || strchr(dot + 1, '.'));
}

static void take_path(void *context, const char *path)
{
    Collecting *c = context;
    if (c->census->paths.n < MOST_INSTANCES)
        vec_push(c->serve->live.mem, &c->census->paths,
                 strcpy(mem_alloc(c->serve->live.mem, strlen(path) + 1), path));
}

static void take_statement(void *context, const SolStatement *s)
{
    Collecting *c = context;
    bool entered = s->handle[0] == '+';
    if (!s->length || is_nested(s->handle) || strlen(s->handle) >= sizeof(ServeHeld){0}.handle ||
        (!entered && (!s->file || strcmp(s->file, c->serve->file) != 0)))
        return;
    ServeHeld held = {.path = c->path,
                      .key = entered ? hash_bytes(s->text, s->length, 1) | 1ull << 63
                                     : (uint64_t)s->offset + 1,
                      .text = s->text,
                      .length = s->length,
                      .at = s->offset,
                      .live = !s->removed};
    strcpy(held.handle, s->handle);
    vec_push(c->serve->live.mem, &c->census->held, held);
}

ServeCensus serve_census(Serve *serve)
{
    ServeCensus census = {0};
    Collecting c = {serve, &census, NULL};
    sol_instances(serve->live.sim, "", take_path, &c);
    if (!census.paths.n || census.paths.n == MOST_INSTANCES) { /* too many: the top alone */
        serve_census_drop(serve, &census);
        take_path(&c, "");
    }
    for (uint32_t i = 0; i < census.paths.n; i++) {
        c.path = census.paths.at[i];
        sol_statements(serve->live.sim, census.paths.at[i], take_statement, &c);
    }
    return census;
}

void serve_census_drop(Serve *serve, ServeCensus *census)
{
    while (census->paths.n)
        mem_free(serve->live.mem, vec_pop(&census->paths));
    vec_free(serve->live.mem, &census->paths);
    vec_free(serve->live.mem, &census->held);
    *census = (ServeCensus){0};
}

uint32_t serve_holders(const ServeCensus *census, uint64_t key, bool live)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < census->held.n; i++)
        n += census->held.at[i].key == key && (!live || census->held.at[i].live);
    return n;
}

/* ---- versions ---- */

const ServeVersion *serve_version(const Serve *serve)
{
    return serve->text ? &serve->texts.at[serve->text - 1] : NULL;
}

static void drop_version(Serve *serve, ServeVersion *version)
{
    mem_free(serve->live.mem, version->text);
    vec_free(serve->live.mem, &version->anchors);
}

ServeVersion serve_version_copy(Serve *serve)
{
    const ServeVersion *now = serve_version(serve);
    Mem *mem = serve->live.mem;
    ServeVersion next = {.text = strcpy(mem_alloc(mem, strlen(now->text) + 1), now->text)};
    for (uint32_t i = 0; i < now->anchors.n; i++)
        vec_push(mem, &next.anchors, now->anchors.at[i]);
    return next;
}

/* It is the present one; what was undone cannot come back behind it. */
void serve_version_push(Serve *serve, ServeVersion version)
{
    while (serve->texts.n > serve->text) {
        ServeVersion gone = vec_pop(&serve->texts);
        drop_version(serve, &gone);
    }
    version.number = ++serve->last_text;
    vec_push(serve->live.mem, &serve->texts, version);
    serve->text = serve->texts.n;
}

static void put_anchor(Serve *serve, ServeVersion *v, size_t from, size_t to, uint64_t key)
{
    vec_push(serve->live.mem, &v->anchors, ((ServeAnchor){from, to, key}));
}

/* Anchors before and behind stay with their statements, one around grows; one that is cut goes. */
void serve_splice(Serve *serve, ServeVersion *v, size_t from, size_t to, const char *text)
{
    size_t n = strlen(text), rest = strlen(v->text + to);
    char *whole = mem_alloc(serve->live.mem, from + n + rest + 1);
    memcpy(whole, v->text, from);
    memcpy(whole + from, text, n);
    memcpy(whole + from + n, v->text + to, rest + 1);
    mem_free(serve->live.mem, v->text);
    v->text = whole;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->anchors.n; i++) {
        ServeAnchor a = v->anchors.at[i];
        bool behind = a.from >= to, around = a.from <= from && to <= a.to;
        if (a.to > from && !behind && !around)
            continue;
        a.from += behind ? n + from - to : 0;
        a.to += a.to > from ? n + from - to : 0;
        v->anchors.at[kept++] = a;
    }
    v->anchors.n = kept;
}

ServeAnchor *serve_anchor(const ServeVersion *v, uint64_t key)
{
    for (uint32_t i = 0; i < v->anchors.n; i++)
        if (v->anchors.at[i].key == key)
            return &v->anchors.at[i];
    return NULL;
}

static void put_first_anchors(Serve *serve, ServeVersion *v)
{
    ServeCensus census = serve_census(serve);
    size_t whole = strlen(v->text);
    for (uint32_t i = 0; i < census.held.n; i++) {
        const ServeHeld *h = &census.held.at[i];
        if (h->handle[0] == '#' && h->at + h->length <= whole && !serve_anchor(v, h->key))
            put_anchor(serve, v, h->at, h->at + h->length, h->key);
    }
    serve_census_drop(serve, &census);
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
    if (strlen(all) == n && n < WEB_LONGEST / 2) {
        Mem *mem = serve->live.mem;
        serve->file = path;
        ServeVersion first = {.text = strcpy(mem_alloc(mem, n + 1), all)};
        put_first_anchors(serve, &first);
        serve_version_push(serve, first);
        serve_follow(serve, "");
    }
    free(all);
}

void serve_text_drop(Serve *serve)
{
    serve->text = 0;
    while (serve->texts.n) {
        ServeVersion gone = vec_pop(&serve->texts);
        drop_version(serve, &gone);
    }
    vec_free(serve->live.mem, &serve->texts);
}

/* ---- told ---- */

static uint32_t line_of(const char *text, size_t offset)
{
    uint32_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

/* Where the text of the top model begins, for the reader to look at first. */
static uint32_t first_line(const ServeVersion *v, const ServeCensus *census)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < census->held.n; i++) {
        const ServeHeld *h = &census->held.at[i];
        const ServeAnchor *a = *h->path ? NULL : serve_anchor(v, h->key);
        uint32_t line = a ? line_of(v->text, a->from) : 0;
        first = line && (!first || line < first) ? line : first;
    }
    return first;
}

void serve_text(Serve *serve, const char *rest, FILE *out)
{
    const ServeVersion *v = serve_version(serve);
    ServeCensus census = serve_census(serve);
    bool any = false;
    (void)rest;
    fprintf(out, "{\"version\":%u,\"first\":%u,\"text\":", v ? v->number : 0,
            v ? first_line(v, &census) : 0);
    answer_json_text(out, v ? v->text : "", v ? strlen(v->text) : 0);
    fputs(",\"statements\":[", out);
    for (uint32_t i = 0; v && i < v->anchors.n; i++) {
        const ServeAnchor *a = &v->anchors.at[i];
        uint32_t n = serve_holders(&census, a->key, true);
        if (n)
            fprintf(out, "%s{\"from\":%u,\"to\":%u,\"instances\":%u}", any ? "," : "",
                    line_of(v->text, a->from), line_of(v->text, a->to), n);
        any |= n > 0;
    }
    fputs("]}", out);
    serve_census_drop(serve, &census);
}

void serve_words(Serve *serve, const char *rest, FILE *out)
{
    static const char *const names[] = {"keywords", "types", "functions"};
    SolWord kind;
    const char *word;
    (void)serve;
    (void)rest;
    for (SolWord wanted = SOL_KEYWORD; wanted <= SOL_FUNCTION_NAME; wanted++) {
        bool any = false;
        fprintf(out, "%s\"%s\":[", wanted ? "," : "{", names[wanted]);
        for (uint32_t i = 0; (word = sol_word(i, &kind)) != NULL; i++)
            if (kind == wanted) {
                fprintf(out, "%s\"%s\"", any ? "," : "", word);
                any = true;
            }
        putc(']', out);
    }
    putc('}', out);
}

/* ---- what commands changed ---- */

static bool same_words(const char *a, size_t n, const char *b, size_t m)
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < n && isspace((unsigned char)a[i]))
            i++;
        while (j < m && isspace((unsigned char)b[j]))
            j++;
        if (i == n || j == m)
            return i == n && j == m;
        if (a[i] != b[j])
            return false;
    }
}

/* What a declaration declares; false: it is none. */
static bool declared(const char *text, size_t n, char name[MOST_NAME])
{
    char copy[400], value[SERVE_VALUE], type[SERVE_TYPE];
    size_t head;
    snprintf(copy, sizeof copy, "%.*s", (int)(n < 399 ? n : 399), text);
    return serve_read_component(copy, name, type) || serve_read_parameter(copy, name, value, &head);
}

/* A statement that was entered anew in place of one that is gone: the same words, or the same name declared. */
static bool stands_for(const ServeVersion *v, const ServeAnchor *a, const ServeHeld *h)
{
    char old[MOST_NAME], now[MOST_NAME];
    const char *text = v->text + a->from;
    size_t n = a->to - a->from;
    return same_words(text, n, h->text, h->length) ||
           (declared(text, n, old) && declared(h->text, h->length, now) && strcmp(old, now) == 0);
}

static bool substitute(Serve *serve, ServeVersion *v, const ServeCensus *census)
{
    bool changed = false;
    for (uint32_t i = 0; i < census->held.n; i++) {
        const ServeHeld *h = &census->held.at[i];
        if (!h->live || h->handle[0] != '+' || serve_anchor(v, h->key))
            continue;
        for (uint32_t j = 0; j < v->anchors.n; j++) {
            ServeAnchor *a = &v->anchors.at[j];
            if (serve_holders(census, a->key, true) || !serve_holders(census, a->key, false) ||
                !stands_for(v, a, h))
                continue;
            a->key = h->key;
            changed = true;
            if (!same_words(v->text + a->from, a->to - a->from, h->text, h->length)) {
                char *text = mem_alloc(serve->live.mem, h->length + 1);
                memcpy(text, h->text, h->length);
                serve_splice(serve, v, a->from, a->to, text);
                mem_free(serve->live.mem, text);
            }
            break;
        }
    }
    return changed;
}

static unsigned handle_number(const char *handle)
{
    return (unsigned)strtoul(handle + 1, NULL, 10);
}

/* Behind which anchor a statement of this instance belongs: that of its last own one. */
static const ServeAnchor *last_of(const ServeVersion *v, const ServeCensus *census,
                                  const char *path)
{
    const ServeAnchor *best = NULL;
    unsigned most = 0;
    for (uint32_t i = 0; i < census->held.n; i++) {
        const ServeHeld *h = &census->held.at[i];
        const ServeAnchor *a =
            h->handle[0] == '#' && strcmp(h->path, path) == 0 && handle_number(h->handle) >= most
                ? serve_anchor(v, h->key)
                : NULL;
        if (a) {
            best = a;
            most = handle_number(h->handle);
        }
    }
    return best;
}

static size_t behind_semicolon(const char *text, size_t at)
{
    at += strspn(text + at, " \t\n");
    return at + (text[at] == ';');
}

static void insert_behind(Serve *serve, ServeVersion *v, const ServeAnchor *a, const ServeHeld *h)
{
    size_t at = behind_semicolon(v->text, a->to), line = a->from;
    while (line && v->text[line - 1] != '\n')
        line--;
    int indent = (int)strspn(v->text + line, " ");
    at += strcspn(v->text + at, "\n");
    size_t size = h->length + (size_t)indent + 8;
    char *text = mem_alloc(serve->live.mem, size);
    snprintf(text, size, "\n%*s%.*s;", indent, "", (int)h->length, h->text);
    serve_splice(serve, v, at, at, text);
    put_anchor(serve, v, at + 1 + (size_t)indent, at + 1 + (size_t)indent + h->length, h->key);
    mem_free(serve->live.mem, text);
}

/* What all instances of a model have got is in its text. */
static bool insert_new(Serve *serve, ServeVersion *v, const ServeCensus *census)
{
    bool changed = false;
    for (uint32_t i = 0; i < census->held.n; i++) {
        const ServeHeld *h = &census->held.at[i];
        if (!h->live || h->handle[0] != '+' || serve_anchor(v, h->key))
            continue;
        const ServeAnchor *a = last_of(v, census, h->path);
        if (!a || serve_holders(census, a->key, false) != serve_holders(census, h->key, true))
            continue;
        insert_behind(serve, v, a, h);
        changed = true;
    }
    return changed;
}

static void take_out(Serve *serve, ServeVersion *v, const ServeAnchor *a)
{
    size_t from = a->from, to = behind_semicolon(v->text, a->to), line = from;
    while (line && (v->text[line - 1] == ' ' || v->text[line - 1] == '\t'))
        line--;
    size_t end = to + strspn(v->text + to, " \t");
    bool alone = (!line || v->text[line - 1] == '\n') && v->text[end] == '\n';
    serve_splice(serve, v, alone ? line : from, alone ? end + 1 : to, "");
}

static bool remove_gone(Serve *serve, ServeVersion *v, const ServeCensus *census)
{
    bool changed = false;
    for (uint32_t i = 0; i < v->anchors.n;) {
        ServeAnchor a = v->anchors.at[i];
        if (serve_holders(census, a.key, true) || !serve_holders(census, a.key, false)) {
            i++;
            continue;
        }
        v->anchors.at[i] = vec_last(&v->anchors);
        v->anchors.n--;
        take_out(serve, v, &a);
        changed = true;
        i = 0;
    }
    return changed;
}

/* ---- values that were set ---- */

/* Where in a declaration's list the value of `name` stands; *to == *from: it is not there, and belongs there. */
static void find_modifier(const char *text, size_t n, const char *name, size_t *from, size_t *to)
{
    int depth = 0;
    size_t start = 0, length = strlen(name);
    *from = *to = 0;
    for (size_t i = 0; i < n; i++) {
        depth += text[i] == '{' || text[i] == '(';
        if (depth == 1 && (text[i] == '{' || text[i] == ','))
            start = i + 1;
        size_t at = start + strspn(text + start, " \n\t"), value = at + length;
        value += strspn(text + value, " ");
        bool own =
            start && strncmp(text + at, name, length) == 0 && strncmp(text + value, "<<", 2) == 0;
        if (depth == 1 && (text[i] == ',' || text[i] == '}') && i > start && own && !*to) {
            *from = value + 2 + strspn(text + value + 2, " ");
            *to = i;
        }
        if (depth == 1 && text[i] == '}' && !*to)
            *from = *to = i;
        depth -= text[i] == '}' || text[i] == ')';
    }
    if (!*to)
        *from = *to = n;
}

static void write_modifier(Serve *serve, ServeVersion *v, const ServeAnchor *a, const char *name,
                           const char *value)
{
    char text[SERVE_VALUE + MOST_NAME + 16];
    size_t from, to, n = a->to - a->from;
    const char *own = v->text + a->from;
    find_modifier(own, n, name, &from, &to);
    if (from < to)
        snprintf(text, sizeof text, "%s", value);
    else if (to == n)
        snprintf(text, sizeof text, "{%s << %s}", name, value);
    else
        snprintf(text, sizeof text, "%s%s << %s", own[to - 1] == '{' ? "" : ", ", name, value);
    serve_splice(serve, v, a->from + from, a->from + to, text);
}

static bool write_value(Serve *serve, ServeVersion *v, const ServeAnchor *a, const char *value)
{
    char name[MOST_NAME], old[SERVE_VALUE], copy[SERVE_LONGEST + 1], text[SERVE_VALUE + 8];
    size_t head;
    snprintf(copy, sizeof copy, "%.*s", (int)(a->to - a->from), v->text + a->from);
    if (!serve_read_parameter(copy, name, old, &head))
        return false;
    snprintf(text, sizeof text, "<< %s", value);
    serve_splice(serve, v, a->from + head, a->to, text);
    return true;
}

/* "set k = 3", "set R.R = 5": in the declaration, if the top model has it. */
static bool write_set(Serve *serve, ServeVersion *v, const ServeCensus *census, const char *line)
{
    char path[2 * MOST_NAME], value[SERVE_VALUE], name[MOST_NAME];
    SolVarInfo info;
    if (sscanf(line, "set %255[^ =] = %511[^\n]", path, value) < 2 ||
        !sol_var_info(serve->live.sim, sol_find(serve->live.sim, path), &info) || !info.parameter)
        return false;
    char *dot = strchr(path, '.');
    if (dot)
        *dot = 0;
    for (size_t n = strlen(value); n && strchr("; ", value[n - 1]);)
        value[--n] = 0;
    for (uint32_t i = 0; i < census->held.n; i++) {
        const ServeHeld *h = &census->held.at[i];
        const ServeAnchor *a = h->live && !*h->path ? serve_anchor(v, h->key) : NULL;
        if (!a || a->to - a->from > SERVE_LONGEST ||
            !declared(v->text + a->from, a->to - a->from, name) || strcmp(name, path) != 0)
            continue;
        if (!dot)
            return write_value(serve, v, a, value);
        if (strchr(dot + 1, '.'))
            return false;
        write_modifier(serve, v, a, dot + 1, value);
        return true;
    }
    return false;
}

bool serve_follow_in(Serve *serve, ServeVersion *v)
{
    ServeCensus census = serve_census(serve);
    bool changed = substitute(serve, v, &census);
    changed |= insert_new(serve, v, &census);
    changed |= remove_gone(serve, v, &census);
    serve_census_drop(serve, &census);
    return changed;
}

void serve_follow(Serve *serve, const char *line)
{
    if (!serve->text)
        return;
    ServeVersion next = serve_version_copy(serve);
    ServeCensus census = serve_census(serve);
    bool changed = write_set(serve, &next, &census, line);
    serve_census_drop(serve, &census);
    changed |= serve_follow_in(serve, &next);
    if (changed)
        serve_version_push(serve, next);
    else
        drop_version(serve, &next);
}
