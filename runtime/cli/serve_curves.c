/* serve_curves.c: points of the simulation -> rows of the variables that are plotted -> messages. See serve.h. */
#include "runtime/cli/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find_curve(const Serve *serve, const char *path)
{
    for (uint32_t i = 0; i < serve->curves.n; i++)
        if (strcmp(serve->curves.at[i].path, path) == 0)
            return (int)i;
    return -1;
}

/* ---- rows ---- */

/* When there are too many, every second of the older half goes. */
static void thin(Serve *serve)
{
    uint32_t kept = 0, half = serve->rows.n / 2;
    for (uint32_t i = 0; i < serve->rows.n; i++)
        if (i >= half || i % 2 == 0)
            serve->rows.at[kept++] = serve->rows.at[i];
    serve->rows.n = kept;
}

static void add_row(Serve *serve, double time, const double *values, uint32_t limit)
{
    ServeRow row = {.time = time, .number = ++serve->last_row};
    const ServeRow *before = serve->rows.n ? &vec_last(&serve->rows) : NULL;
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        SolVar var = serve->curves.at[i].var;
        row.value[i] = var && var < limit ? values[var] : NAN;
        if (sol_unseen(row.value[i])) /* an event of others: it is what it was */
            row.value[i] = before ? before->value[i] : NAN;
    }
    if (serve->rows.n == SERVE_ROWS)
        thin(serve);
    vec_push(serve->live.mem, &serve->rows, row);
}

void serve_cut_rows(Serve *serve, double time)
{
    while (serve->rows.n && vec_last(&serve->rows).time > time)
        serve->rows.n--;
    serve->epoch++;
}

/* ---- what the simulation tells ---- */

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    Serve *serve = context;
    bool recorded = serve->record.birth && serve->record.birth(serve->record.context, info, path);
    int i = find_curve(serve, path);
    if (i >= 0)
        serve->curves.at[i].var = info->var;
    return recorded || i >= 0;
}

static void on_death(void *context, SolVar var)
{
    Serve *serve = context;
    for (uint32_t i = 0; i < serve->curves.n; i++)
        if (serve->curves.at[i].var == var)
            serve->curves.at[i].var = 0;
    if (serve->record.death)
        serve->record.death(serve->record.context, var);
}

static void on_mode(void *context, double time, const SolMode *mode)
{
    Serve *serve = context;
    if (serve->record.mode)
        serve->record.mode(serve->record.context, time, mode);
}

static void on_cout(void *context, double time, const char *text)
{
    Serve *serve = context;
    if (serve->record.cout)
        serve->record.cout(serve->record.context, time, text);
}

static bool on_point(void *context, const SolPoint *point)
{
    Serve *serve = context;
    MemGuard guard;
    mem_guard_push(serve->live.mem, &guard);
    if (setjmp(guard.env) != 0)
        return false;
    if (serve->curves.n)
        add_row(serve, point->time, point->values, point->limit);
    mem_guard_pop(serve->live.mem, &guard);
    return !serve->record.point || serve->record.point(serve->record.context, point);
}

void serve_attach(Serve *serve)
{
    sol_set_output(serve->live.sim, &(SolOutput){.context = serve,
                                                 .birth = on_birth,
                                                 .death = on_death,
                                                 .mode = on_mode,
                                                 .point = on_point,
                                                 .cout = on_cout});
}

/* ---- which curves ---- */

/* From now on; the time before is empty. */
bool serve_plot(Serve *serve, const char *path)
{
    SolVar var = sol_find(serve->live.sim, path);
    if (find_curve(serve, path) >= 0)
        return true;
    if (!var || serve->curves.n == SERVE_CURVES)
        return false;
    char *own = strcpy(mem_alloc(serve->live.mem, strlen(path) + 1), path);
    vec_push(serve->live.mem, &serve->curves, ((ServeCurve){own, var}));
    sol_want(serve->live.sim, var);
    for (uint32_t i = 0; i < serve->rows.n; i++)
        serve->rows.at[i].value[serve->curves.n - 1] = NAN;
    double value;
    if (sol_read(serve->live.sim, var, &value) == SOL_OK && serve->rows.n &&
        vec_last(&serve->rows).time == sol_time(serve->live.sim))
        vec_last(&serve->rows).value[serve->curves.n - 1] = value;
    serve->epoch++;
    return true;
}

bool serve_unplot(Serve *serve, const char *path)
{
    int at = find_curve(serve, path);
    if (at < 0)
        return false;
    ServeCurve curve = serve->curves.at[at];
    uint32_t left = serve->curves.n - (uint32_t)at - 1;
    memmove(&serve->curves.at[at], &serve->curves.at[at + 1], left * sizeof curve);
    serve->curves.n--;
    for (uint32_t i = 0; i < serve->rows.n; i++)
        memmove(&serve->rows.at[i].value[at], &serve->rows.at[i].value[at + 1],
                left * sizeof(double));
    mem_free(serve->live.mem, curve.path);
    serve->epoch++;
    return true;
}

/* ---- telling ---- */

static void put_column(const Serve *serve, uint32_t first, int curve, FILE *out)
{
    putc('[', out);
    for (uint32_t i = first; i < serve->rows.n; i++) {
        if (i > first)
            putc(',', out);
        serve_number(out, curve < 0 ? serve->rows.at[i].time : serve->rows.at[i].value[curve]);
    }
    putc(']', out);
}

void serve_tell_rows(Serve *serve, ServeClient *client)
{
    bool anew = client->epoch != serve->epoch;
    uint32_t first = anew ? 0 : serve->rows.n;
    while (!anew && first && serve->rows.at[first - 1].number > client->row)
        first--;
    if (!anew && first == serve->rows.n)
        return;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return;
    fprintf(out, "{\"rows\":{\"anew\":%s,\"paths\":[", anew ? "true" : "false");
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        fputs(i ? "," : "", out);
        answer_json_text(out, serve->curves.at[i].path, strlen(serve->curves.at[i].path));
    }
    fputs("],\"t\":", out);
    put_column(serve, first, -1, out);
    fputs(",\"y\":[", out);
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        fputs(i ? "," : "", out);
        put_column(serve, first, (int)i, out);
    }
    fputs("]}}", out);
    fclose(out);
    serve->module->send(serve->web, client->id, text, n);
    free(text);
    client->epoch = serve->epoch;
    client->row = serve->last_row;
}
