/* live_output.c: the values of a live session -> a result file, as `run` writes it. See live.h.
 *
 * Columns come and go with edits; what is put back, or replaced by another component of that name, goes on in the columns it
 * had. All is with the system before a command is answered, so the file can be read up to there whatever
 * happens to the process. `back` cuts the file where the point was marked. */
#include "base/pack.h"
#include "runtime/cli/cli.h"
#include "runtime/cli/export.h"
#include "runtime/cli/live.h"
#include "runtime/results/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fails(const Live *live, const char *what)
{
    fprintf(stderr, "solstice: error: %s: %s\n", live->output.path, what);
    return false;
}

/* The format follows from the end of the name; others are made from a result file when the session ends. */
static bool name_result(Live *live, const char *path)
{
    LiveOutput *o = &live->output;
    bool known = export_format(path) != EXPORT_BY_NAME;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    o->path = path;
    if (!known && dot && strcmp(dot, ".solr") != 0)
        return fails(live, "results are written as .solr, .csv or .mat");
    if (!known)
        return true;
    if (snprintf(o->name, sizeof o->name, "%s.solr", path) >= (int)sizeof o->name)
        return fails(live, "the name is too long");
    o->exported = path;
    o->path = o->name;
    return true;
}

static void show_cout(void *context, double time, const char *text)
{
    (void)time;
    (void)context;
    printf("%s\n", text);
}

static void attach(Live *live)
{
    LiveOutput *o = &live->output;
    o->recorder = record_open(live->mem, o->writer, &o->options);
    record_attach(o->recorder, live->sim);
    record_on_event(o->recorder, live_event, live);
}

bool live_output_open(Live *live, const char *path, const char *file, uint32_t n_vars,
                      const char *const *vars)
{
    LiveOutput *o = &live->output;
    char start[OUT_NUMBER];
    number_text(live->options.start, start);
    const ResultPair header[] = {{"program", "solstice " SOLSTICE_VERSION},
                                 {"file", file},
                                 {"model", live->designator},
                                 {"options", "live"},
                                 {"start", start}};
    if (!name_result(live, path))
        return false;
    o->options = (RecordOptions){.selection = {n_vars, vars}, .returns = true, .cout = show_cout};
    o->writer = result_create(live->mem, o->path, sizeof header / sizeof *header, header);
    if (result_error(o->writer))
        return fails(live, strerror(result_error(o->writer)));
    attach(live);
    return true;
}

void live_output_flush(Live *live)
{
    if (live->output.writer)
        result_flush(live->output.writer);
}

/* ---- points ---- */

void live_output_mark(Live *live, LivePoint *point)
{
    LiveOutput *o = &live->output;
    Pack pack = {.mem = live->mem, .writing = true};
    LiveBytes b = {.live = live};
    if (!o->writer)
        return;
    result_flush(o->writer);
    result_pack(o->writer, &pack);
    uint64_t length = pack.n;
    live_put_bytes(&b, &length, sizeof length);
    live_put_bytes(&b, pack.bytes, pack.n);
    record_save(o->recorder, live_put_bytes, &b);
    pack_free(&pack);
    point->columns = b.at;
    point->n_columns = b.n;
}

void live_output_back(Live *live, const LivePoint *point)
{
    LiveOutput *o = &live->output;
    uint64_t length;
    if (!o->writer || !point->columns)
        return;
    record_close(o->recorder);
    result_close(o->writer);
    memcpy(&length, point->columns, sizeof length);
    Pack pack = {.mem = live->mem, .bytes = point->columns + sizeof length, .n = length};
    LiveBytes b = {
        .live = live, .at = point->columns, .n = point->n_columns, .read = sizeof length + length};
    o->writer = result_continue(live->mem, &pack, o->path);
    attach(live);
    if (result_error(o->writer) || !record_restore(o->recorder, live_get_bytes, &b))
        fails(live, "cannot go on where the point was marked");
}

/* ---- the end ---- */

static int finish(Live *live)
{
    LiveOutput *o = &live->output;
    result_finish(o->writer, sol_time(live->sim), EXIT_DONE, "");
    if (!result_flush(o->writer) || result_error(o->writer)) {
        fails(live, strerror(result_error(o->writer)));
        return EXIT_IO;
    }
    if (!o->exported)
        return EXIT_DONE;
    int code = export_file(o->path, o->exported, export_format(o->exported), NULL, false, true);
    if (code == EXIT_DONE)
        unlink(o->path);
    return code;
}

int live_output_close(Live *live)
{
    LiveOutput *o = &live->output;
    int code = o->writer && o->recorder && live->sim ? finish(live) : EXIT_DONE;
    if (live->sim && o->recorder)
        sol_set_output(live->sim, &(SolOutput){0});
    record_close(o->recorder);
    result_close(o->writer);
    return code;
}
