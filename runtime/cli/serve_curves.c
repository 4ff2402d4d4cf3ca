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

void serve_row_now(Serve *serve)
{
    ServeRow row = {.time = sol_time(serve->live.sim), .number = ++serve->last_row};
    for (uint32_t i = 0; i < serve->curves.n; i++)
        if (sol_read(serve->live.sim, serve->curves.at[i].var, &row.value[i]) != SOL_OK)
            row.value[i] = NAN;
    vec_push(serve->live.mem, &serve->rows, row);
}

void serve_row_here(Serve *serve)
{
    if (!serve->rows.n || !(vec_last(&serve->rows).time < sol_time(serve->live.sim)))
        return;
    if (serve->rows.n == SERVE_ROWS)
        thin(serve);
    serve_row_now(serve);
    serve_stage_now(serve);
}

void serve_cut_rows(Serve *serve, double time)
{
    while (serve->rows.n && vec_last(&serve->rows).time > time)
        serve->rows.n--;
    serve->epoch++;
    serve_stage_cut(serve, time);
}

/* ---- what the simulation tells ---- */

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    Serve *serve = context;
    bool recorded = serve->record.birth && serve->record.birth(serve->record.context, info, path);
    int i = find_curve(serve, path);
    if (i >= 0)
        serve->curves.at[i].var = info->var;
    serve->stage.stale |= info->drawn != NULL;
    return recorded || i >= 0 || shape_kind(info->drawn);
}

static void on_death(void *context, SolVar var)
{
    Serve *serve = context;
    for (uint32_t i = 0; i < serve->curves.n; i++)
        if (serve->curves.at[i].var == var)
            serve->curves.at[i].var = 0;
    for (uint32_t i = 0; i < serve->stage.shapes.n; i++)
        serve->stage.stale |= serve->stage.shapes.at[i].column[0] == var;
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
    serve_stage_point(serve, point);
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

static void describe(ServeCurve *curve, const Sol *sim)
{
    SolVarInfo info;
    if (!sol_var_info(sim, curve->var, &info))
        return;
    curve->steps = info.type != SOL_REAL;
    if (info.unit)
        snprintf(curve->unit, sizeof curve->unit, "%s", info.unit);
}

/* From now on; the time before is empty. */
bool serve_plot(Serve *serve, const char *path)
{
    SolVar var = sol_find(serve->live.sim, path);
    if (find_curve(serve, path) >= 0)
        return true;
    if (!var || serve->curves.n == SERVE_CURVES)
        return false;
    char *own = strcpy(mem_alloc(serve->live.mem, strlen(path) + 1), path);
    vec_push(serve->live.mem, &serve->curves, ((ServeCurve){.path = own, .var = var}));
    describe(&vec_last(&serve->curves), serve->live.sim);
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

/* A message has so many rows, or some more: a thirtieth of a second is some pixels wide. Who comes anew gets all. */
enum { MOST_TOLD = 60 };

/* told[i]: row first + i is told. Of many rows, in each of some groups, those where a curve is lowest or highest; and the
 * last. */
static void choose_rows(const Serve *serve, uint32_t first, bool *told)
{
    uint32_t n = serve->rows.n - first, curves = serve->curves.n;
    uint32_t groups = MOST_TOLD / (2 * curves + 1) + 1;
    bool few = n <= MOST_TOLD || n <= groups;
    memset(told, few, n);
    told[n - 1] = true;
    for (uint32_t g = 0; !few && g < groups; g++) {
        uint32_t from = (uint32_t)((uint64_t)n * g / groups);
        uint32_t end = (uint32_t)((uint64_t)n * (g + 1) / groups);
        for (uint32_t c = 0; c < curves; c++) {
            uint32_t low = from, high = from;
            for (uint32_t i = from; i < end; i++) {
                double value = serve->rows.at[first + i].value[c];
                low = value < serve->rows.at[first + low].value[c] ? i : low;
                high = value > serve->rows.at[first + high].value[c] ? i : high;
            }
            told[low] = told[high] = true;
        }
    }
}

static void put_column(const Serve *serve, uint32_t first, const bool *told, int curve, FILE *out)
{
    bool any = false;
    putc('[', out);
    for (uint32_t i = first; i < serve->rows.n; i++) {
        if (!told[i - first])
            continue;
        if (any)
            putc(',', out);
        any = true;
        serve_number(out, curve < 0 ? serve->rows.at[i].time : serve->rows.at[i].value[curve]);
    }
    putc(']', out);
}

/* What the columns are: told with the first rows of a table. */
static void put_names(const Serve *serve, FILE *out)
{
    fputs("\"paths\":[", out);
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        fputs(i ? "," : "", out);
        answer_json_text(out, serve->curves.at[i].path, strlen(serve->curves.at[i].path));
    }
    fputs("],\"units\":[", out);
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        fputs(i ? "," : "", out);
        answer_json_text(out, serve->curves.at[i].unit, strlen(serve->curves.at[i].unit));
    }
    fputs("],\"steps\":[", out);
    for (uint32_t i = 0; i < serve->curves.n; i++)
        fprintf(out, "%s%s", i ? "," : "", serve->curves.at[i].steps ? "true" : "false");
    fputs("],", out);
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
    fprintf(out, "{\"rows\":{\"anew\":%s,", anew ? "true" : "false");
    if (anew)
        put_names(serve, out);
    fputs("\"t\":", out);
    bool told[SERVE_ROWS];
    if (anew)
        memset(told, true, sizeof told);
    else
        choose_rows(serve, first, told);
    client->some |= !anew && serve->rows.n - first > MOST_TOLD;
    put_column(serve, first, told, -1, out);
    fputs(",\"y\":[", out);
    for (uint32_t i = 0; i < serve->curves.n; i++) {
        fputs(i ? "," : "", out);
        put_column(serve, first, told, (int)i, out);
    }
    fputs("]}}", out);
    fclose(out);
    serve->module->send(serve->web, client->id, text, n);
    free(text);
    client->epoch = serve->epoch;
    client->row = serve->last_row;
}
