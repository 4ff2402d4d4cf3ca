/* serve_tree.c: what exists, its values, and what was done -> JSON. See serve.h. */
#include "runtime/cli/serve.h"

#include <math.h>
#include <string.h>

enum { PATH = 1024, MOST_LISTED = 2000, MOST_EDITS = 500, MOST_BLOCKS = 200 };

void serve_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.9g", x);
    else
        fputs("null", out);
}

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\":", key);
    answer_json_text(out, text, strlen(text));
}

static const char *kind_of(const SolVarInfo *info)
{
    return info->parameter ? "parameter" : info->state ? "state" : info->held ? "held" : "";
}

static void count_effect(void *context, const SolBlock *b)
{
    *(uint32_t *)context += b->depth > 0;
}

static void count_no_edge(void *context, uint32_t from, uint32_t to, bool integrates)
{
    (void)context;
    (void)from;
    (void)to;
    (void)integrates;
}

/* Nothing that is evaluated now reads it: a start value, or what a branch that is not chosen would need. */
static bool is_idle(Serve *serve, SolVar var)
{
    uint32_t effects = 0;
    sol_graph(serve->live.sim, var, 1, &(SolGraph){&effects, 2, count_effect, count_no_edge});
    return effects == 0;
}

static void put_variable(Serve *serve, SolVar var, const SolVarInfo *info, const char *path,
                         FILE *out)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String"};
    double value = NAN;
    putc('{', out);
    put_text(out, "path", path);
    fprintf(out, ",\"kind\":\"%s\",\"type\":\"%s\",\"value\":", kind_of(info), types[info->type]);
    if (sol_read(serve->live.sim, var, &value) != SOL_OK)
        value = NAN;
    if (info->type == SOL_STRING)
        answer_json_text(out, sol_text(serve->live.sim, value),
                         strlen(sol_text(serve->live.sim, value)));
    else
        serve_number(out, value);
    if (info->unit) {
        putc(',', out);
        put_text(out, "unit", info->unit);
    }
    if (info->parameter && is_idle(serve, var))
        fputs(",\"idle\":true", out);
    if (isfinite(info->min))
        fprintf(out, ",\"min\":%.9g", info->min);
    if (isfinite(info->max))
        fprintf(out, ",\"max\":%.9g", info->max);
    putc('}', out);
}

/* The rest of a path in the instance `path`; NULL: it lies elsewhere. */
static const char *inside(const char *at, const char *path, size_t length)
{
    if (!length)
        return at;
    return strncmp(at, path, length) == 0 && at[length] == '.' ? at + length + 1 : NULL;
}

/* Variables of the instance itself, or all parameters: the first of them. How many there are. */
static uint32_t put_variables(Serve *serve, const char *path, bool parameters, FILE *out)
{
    char at[PATH];
    uint32_t n = 0;
    size_t length = strlen(path);
    SolVarInfo info;
    for (SolVar var = sol_next_var(serve->live.sim, 0); var;
         var = sol_next_var(serve->live.sim, var)) {
        if (!sol_var_info(serve->live.sim, var, &info) || (parameters && !info.parameter))
            continue;
        sol_var_path(serve->live.sim, var, at, sizeof at);
        const char *rest = inside(at, path, length);
        if (!rest || (!parameters && strchr(rest, '.')) || n++ >= MOST_LISTED)
            continue;
        if (n > 1)
            putc(',', out);
        put_variable(serve, var, &info, at, out);
    }
    return n;
}

typedef struct Listing {
    const char *path;
    FILE *out;
    uint32_t n;
} Listing;

static void put_instance(void *context, const char *path)
{
    Listing *l = context;
    const char *rest = inside(path, l->path, strlen(l->path));
    if (!rest || !*rest || strchr(rest, '.') || l->n++ >= MOST_LISTED)
        return;
    if (l->n > 1)
        putc(',', l->out);
    answer_json_text(l->out, path, strlen(path));
}

void serve_tree(Serve *serve, const char *path, FILE *out)
{
    Listing l = {path, out, 0};
    putc('{', out);
    put_text(out, "path", path);
    fputs(",\"variables\":[", out);
    uint32_t n = put_variables(serve, path, false, out);
    fputs("],\"instances\":[", out);
    sol_instances(serve->live.sim, path, put_instance, &l);
    fprintf(out, "],\"left_out\":%u}",
            (n > MOST_LISTED ? n - MOST_LISTED : 0) + (l.n > MOST_LISTED ? l.n - MOST_LISTED : 0));
}

void serve_parameters(Serve *serve, FILE *out)
{
    putc('[', out);
    put_variables(serve, "", true, out);
    putc(']', out);
}

/* ---- the causality graph around a variable ---- */

typedef struct Drawing {
    Serve *serve;
    FILE *out;
    bool any, edges;
} Drawing;

static void put_block(void *context, const SolBlock *b)
{
    static const char *const kinds[] = {"equation", "loop", "state", "held", "given", "clock"};
    Drawing *d = context;
    SolVarInfo info;
    fprintf(d->out, "%s{\"id\":%u,\"kind\":\"%s\",\"depth\":%d,\"made\":%u,\"variables\":%u,",
            d->any ? "," : "", b->id, kinds[b->kind], (int)b->depth, b->made, b->variables);
    d->any = true;
    put_text(d->out, "path", b->path);
    putc(',', d->out);
    put_text(d->out, "text", b->text);
    fputs(",\"value\":", d->out);
    bool known = sol_var_info(d->serve->live.sim, b->var, &info);
    serve_number(d->out, b->has_value && !(known && info.type == SOL_STRING) ? b->value : NAN);
    if (known && info.unit) {
        putc(',', d->out);
        put_text(d->out, "unit", info.unit);
    }
    putc('}', d->out);
}

static void put_edge(void *context, uint32_t from, uint32_t to, bool integrates)
{
    Drawing *d = context;
    if (!d->edges)
        fputs("],\"edges\":[", d->out);
    fprintf(d->out, "%s[%u,%u,%d]", d->edges ? "," : "", from, to, integrates);
    d->edges = true;
}

void serve_graph(Serve *serve, const char *path, FILE *out)
{
    Drawing d = {serve, out, false, false};
    SolVar var = sol_find(serve->live.sim, path);
    fputs("{\"blocks\":[", out);
    if (var)
        sol_graph(serve->live.sim, var, 2, &(SolGraph){&d, MOST_BLOCKS, put_block, put_edge});
    fputs(d.edges ? "]}" : "],\"edges\":[]}", out);
}

static void put_edits(const Serve *serve, FILE *out)
{
    fputs(",\"edits\":[", out);
    uint32_t first = serve->edits.n > MOST_EDITS ? serve->edits.n - MOST_EDITS : 0;
    for (uint32_t i = first; i < serve->edits.n; i++) {
        const ServeEdit *e = &serve->edits.at[i];
        fprintf(out, "%s{", i > first ? "," : "");
        put_text(out, "text", e->text);
        fprintf(out, ",\"verdict\":\"%s\",\"count\":%u,\"undone\":%s,\"time\":", e->verdict,
                e->count, i >= serve->done ? "true" : "false");
        serve_number(out, e->time);
        putc('}', out);
    }
    putc(']', out);
}

void serve_state(Serve *serve, bool edits, FILE *out)
{
    SolStats stats;
    sol_stats(serve->live.sim, &stats);
    fprintf(out, "{\"state\":{\"time\":");
    serve_number(out, sol_time(serve->live.sim));
    fprintf(out, ",\"playing\":%s,\"complete\":%s,\"speed\":", serve->playing ? "true" : "false",
            sol_is_complete(serve->live.sim) ? "true" : "false");
    serve_number(out, serve->speed);
    fputs(",\"natural\":", out);
    serve_number(out, serve->natural);
    fputs(",\"start\":", out);
    serve_number(out, serve->live.options.start);
    fprintf(out, ",\"text\":%u,\"states\":%u,\"relations\":%u,\"events\":%llu,",
            serve_version(serve) ? serve_version(serve)->number : 0, stats.states, stats.relations,
            (unsigned long long)stats.events_count);
    put_text(out, "failure", serve->failure);
    if (edits)
        put_edits(serve, out);
    fputs("}}", out);
}
