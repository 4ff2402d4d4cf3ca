/* serve_tree.c: what exists, its values, and what was done -> JSON. See serve.h. */
#include "runtime/cli/serve.h"

#include <math.h>
#include <string.h>

enum { PATH = 1024, MOST_LISTED = 500 };

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

/* Variables of the instance itself, or all parameters. */
static void put_variables(Serve *serve, const char *path, bool parameters, FILE *out)
{
    char at[PATH];
    uint32_t n = 0;
    size_t length = strlen(path);
    SolVarInfo info;
    for (SolVar var = sol_next_var(serve->live.sim, 0); var && n < MOST_LISTED;
         var = sol_next_var(serve->live.sim, var)) {
        if (!sol_var_info(serve->live.sim, var, &info) || (parameters && !info.parameter))
            continue;
        sol_var_path(serve->live.sim, var, at, sizeof at);
        const char *rest = inside(at, path, length);
        if (!rest || (!parameters && strchr(rest, '.')))
            continue;
        if (n++)
            putc(',', out);
        put_variable(serve, var, &info, at, out);
    }
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
    if (!rest || !*rest || strchr(rest, '.') || l->n >= MOST_LISTED)
        return;
    if (l->n++)
        putc(',', l->out);
    answer_json_text(l->out, path, strlen(path));
}

void serve_tree(Serve *serve, const char *path, FILE *out)
{
    Listing l = {path, out, 0};
    putc('{', out);
    put_text(out, "path", path);
    fputs(",\"variables\":[", out);
    put_variables(serve, path, false, out);
    fputs("],\"instances\":[", out);
    sol_instances(serve->live.sim, path, put_instance, &l);
    fputs("]}", out);
}

void serve_parameters(Serve *serve, FILE *out)
{
    putc('[', out);
    put_variables(serve, "", true, out);
    putc(']', out);
}

static void put_edits(const Serve *serve, FILE *out)
{
    fputs(",\"edits\":[", out);
    uint32_t first = serve->edits.n > MOST_LISTED ? serve->edits.n - MOST_LISTED : 0;
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

void serve_state(Serve *serve, FILE *out)
{
    SolStats stats;
    sol_stats(serve->live.sim, &stats);
    fprintf(out, "{\"state\":{\"time\":");
    serve_number(out, sol_time(serve->live.sim));
    fprintf(out, ",\"playing\":%s,\"complete\":%s,\"speed\":", serve->playing ? "true" : "false",
            sol_is_complete(serve->live.sim) ? "true" : "false");
    serve_number(out, serve->speed);
    fprintf(out, ",\"text\":%u,\"states\":%u,\"relations\":%u,\"events\":%llu,", serve->text,
            stats.states, stats.relations, (unsigned long long)stats.events_count);
    put_text(out, "failure", serve->failure);
    put_edits(serve, out);
    fputs("}}", out);
}
