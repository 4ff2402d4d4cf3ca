/* recording.c: a simulation -> what it shows, kept in a result file or in memory: sol_record() and its like.
 *
 * The recorder (record.h) decides on columns and writes; here is who owns it, its memory and its texts. */
#include "runtime/sim/record.h"
#include "runtime/results/outfile.h"
#include "runtime/sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* One recording, in a memory of its own: callbacks come under the guard of the simulation's. */
typedef struct Kept {
    Mem *mem;
    ResultWriter *writer;
    Recorder *recorder; /* NULL: ended */
    char *path;         /* NULL: in memory */
    SolRecording wanted;
} Kept;

static char *copy(Mem *mem, const char *text)
{
    return strcpy(mem_alloc(mem, strlen(text) + 1), text);
}

static void own_patterns(Kept *kept, const SolRecording *from)
{
    const char **patterns = mem_alloc(kept->mem, (from->n_patterns + 1) * sizeof *patterns);
    for (uint32_t i = 0; i < from->n_patterns; i++)
        patterns[i] = copy(kept->mem, from->patterns[i]);
    kept->wanted.patterns = patterns;
}

static void drop(Sol *sol)
{
    Kept *kept = sol->kept;
    sol->kept = NULL;
    sol->keeper = NULL;
    record_close(kept->recorder); /* of a recording that did not begin */
    result_close(kept->writer);
    mem_close(kept->mem);
    free(kept);
}

/* ---- beginning ---- */

static ResultWriter *open_writer(Sol *sol, const Kept *kept)
{
    char start[OUT_NUMBER], stop[OUT_NUMBER];
    const Sim *sim = sol->sim;
    number_text(sim->opt.start, start);
    number_text(sim->opt.stop, stop);
    const ResultPair header[] = {{"program", "solstice " SOLSTICE_VERSION},
                                 {"file", sol->model->path ? sol->model->path : ""},
                                 {"model", def_path(sim->program, sim->run.top)},
                                 {"options", ""},
                                 {"start", start},
                                 {"stop", stop}};
    enum { N = sizeof header / sizeof *header };
    return kept->path ? result_create(kept->mem, kept->path, N, header)
                      : result_create_in_memory(kept->mem, N, header);
}

static void attach(Sol *sol, Kept *kept)
{
    RecordOptions options = {
        .selection = {kept->wanted.n_patterns, kept->wanted.patterns},
        .cout = kept->wanted.cout,
        .point = kept->wanted.point,
        .context = kept->wanted.context,
    };
    kept->recorder = record_open(kept->mem, kept->writer, &options);
    record_attach(kept->recorder, sol);
    record_on_event(kept->recorder, kept->wanted.event, kept->wanted.context);
}

static SolStatus begin(Sol *sol, const SolRecording *recording)
{
    Kept *kept = sol->kept;
    kept->wanted = *recording;
    own_patterns(kept, recording);
    kept->path = recording->path ? copy(kept->mem, recording->path) : NULL;
    kept->writer = open_writer(sol, kept);
    int error = result_error(kept->writer);
    if (error) {
        diag_error(sol->sim->diags, 0, "%s: %s", kept->path, strerror(error));
        return SOL_IO;
    }
    attach(sol, kept);
    return SOL_OK;
}

/* Under the guard of both memories: the name of the model is put together in the simulation's. */
static SolStatus begin_guarded(Sol *sol, const SolRecording *recording)
{
    MemGuard outer, inner;
    volatile SolStatus status = SOL_MEMORY;
    mem_guard_push(sol->sim->mem, &outer);
    if (setjmp(outer.env) != 0)
        return SOL_MEMORY;
    mem_guard_push(sol->kept->mem, &inner);
    if (setjmp(inner.env) == 0) {
        status = begin(sol, recording);
        mem_guard_pop(sol->kept->mem, &inner);
    }
    mem_guard_pop(sol->sim->mem, &outer);
    return status;
}

/* ---- going on ---- */

static void reconcile(Sol *sol)
{
    if (sol->kept->recorder)
        record_reconcile(sol->kept->recorder);
}

static SolResult *copy_of(ResultWriter *writer)
{
    size_t n;
    const uint8_t *bytes = result_bytes(writer, &n);
    uint8_t *own = bytes ? malloc(n) : NULL;
    return own ? result_view_bytes(memcpy(own, bytes, n), n) : NULL;
}

SolResult *sol_recorded(Sol *sol)
{
    Kept *kept = sol->kept;
    if (!kept)
        return NULL;
    if (!kept->path)
        return copy_of(kept->writer);
    if (kept->recorder)
        result_flush(kept->writer);
    return sol_result_open(kept->path);
}

/* ---- the end ---- */

static uint32_t exit_code(SolStatus status)
{
    static const uint32_t codes[] = {
        [SOL_OK] = 0, [SOL_MODEL] = 1,  [SOL_USAGE] = 2,      [SOL_NUMERICS] = 3,
        [SOL_IO] = 4, [SOL_MEMORY] = 4, [SOL_CANCELLED] = 130};
    return codes[status];
}

static const char *last_error(const Sim *sim)
{
    for (uint32_t i = sim->diags->list.n; i-- > 0;)
        if (sim->diags->list.at[i].severity == DIAG_ERROR)
            return sim->diags->list.at[i].text;
    return "";
}

static void finish(Kept *kept, double time, SolStatus status, const char *text)
{
    MemGuard guard;
    mem_guard_push(kept->mem, &guard);
    if (setjmp(guard.env) != 0)
        return;
    result_finish(kept->writer, time, exit_code(status), text);
    mem_guard_pop(kept->mem, &guard);
}

static bool end(Kept *kept, double time, SolStatus status, const char *text)
{
    bool good = !record_out_of_memory(kept->recorder);
    finish(kept, time, status, text);
    record_close(kept->recorder);
    kept->recorder = NULL;
    return good && result_error(kept->writer) == 0;
}

static void silent(void *context, double time, const char *text)
{
    (void)context, (void)time, (void)text;
}

SolStatus sol_record_end(Sol *sol)
{
    Kept *kept = sol->kept;
    const Sim *sim = sol->sim;
    if (!kept || !kept->recorder)
        return SOL_USAGE;
    SolStatus status = sim->run.status;
    bool good = end(kept, sim->time, status, status == SOL_OK ? "" : last_error(sim));
    sol_set_output(sol, &(SolOutput){.cout = silent});
    sol_set_event(sol, NULL, NULL);
    return good ? SOL_OK : SOL_IO;
}

static void close_recording(Sol *sol)
{
    sol_record_end(sol);
    drop(sol);
}

static const Keeper keeper = {reconcile, close_recording};

/* ---- the whole ---- */

static SolStatus refuse(Sol *sol, const char *why)
{
    diag_error(sol->sim->diags, 0, "%s", why);
    return SOL_USAGE;
}

SolStatus sol_record(Sol *sol, const SolRecording *recording)
{
    if (sol->kept)
        return refuse(sol, "the simulation is recorded already");
    if (sol->sim->output.to.point)
        return refuse(sol, "somebody else gets the output of the simulation");
    if (recording->n_patterns && !recording->patterns)
        return refuse(sol, "patterns are announced but not given");
    Mem *mem = mem_open();
    if (!mem)
        return SOL_MEMORY;
    Kept *kept = malloc(sizeof *kept);
    if (!kept) {
        mem_close(mem);
        return SOL_MEMORY;
    }
    *kept = (Kept){.mem = mem};
    sol->kept = kept;
    sol->keeper = &keeper;
    SolStatus status = begin_guarded(sol, recording);
    if (status != SOL_OK)
        drop(sol);
    return status;
}
