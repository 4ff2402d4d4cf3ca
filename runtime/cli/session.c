/* session.c: a job -> a simulation that is run, recorded, watched and summed up. See session.h. */
#define _GNU_SOURCE
#include "runtime/cli/session.h"
#include "base/timer.h"
#include "runtime/cli/checkpoint.h"
#include "runtime/cli/export.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/process.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/stats_json.h"
#include "runtime/results/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Session {
    const Job *job;
    Mem *mem;
    char file[PATH_MAX];
    const char *designator; /* NULL: the last top model */
    char result[PATH_MAX];  /* the .solr file that is written */
    char checkpoint[PATH_MAX];
    const char *exported; /* file to be made from it at the end, or NULL */
    ExportFormat format;
    bool temporary; /* the result file goes when the session does */
    bool started;   /* before that an older result of this name stays what it is */
    SolModel *model;
    Sol *sim;
    ResultWriter *writer;
    Recorder *recorder;
    EventList *events;
    FILE *trace;
    Interrupt interrupt;
    Progress progress;
    uint32_t printed; /* messages of the model so far */
    uint64_t n_checkpoints;
    double wall_start;
    char realtime[200]; /* what the system allowed for it */
};

static int exit_code(const Session *s, SolStatus status)
{
    switch (status) {
    case SOL_OK:
        return EXIT_DONE;
    case SOL_MODEL:
        return EXIT_MODEL;
    case SOL_USAGE:
        return EXIT_USAGE;
    case SOL_NUMERICS:
        return EXIT_NUMERICS;
    case SOL_CANCELLED:
        return EXIT_SIGNAL + interrupt_seen(&s->interrupt);
    case SOL_IO:
    case SOL_MEMORY:
        break;
    }
    return EXIT_IO;
}

static void print_messages(Session *s)
{
    progress_clear(&s->progress);
    if (s->model)
        s->printed = sol_print_messages(s->model, s->printed, stderr, cli_colour());
}

static int complain(Session *s, int code, const char *file, const char *what)
{
    progress_clear(&s->progress);
    fprintf(stderr, "solstice: error: %s: %s\n", file, what);
    return code;
}

static int out_of_memory(void)
{
    fputs("solstice: error: out of memory\n", stderr);
    return EXIT_IO;
}

/* ---- names of files ---- */

/* "Examples.Machine" -> Machine, models/Machine.sol -> Machine */
static void base_name(const Session *s, char *out, size_t size)
{
    const char *from = s->designator ? s->designator : s->file;
    const char *cut = strrchr(from, s->designator ? '.' : '/');
    snprintf(out, size, "%.200s", cut ? cut + 1 : from);
    char *end = s->designator ? NULL : strrchr(out, '.');
    if (end && end != out)
        *end = '\0';
}

static bool has_end(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* A result for standard output is written to a temporary file first. */
static int make_temporary(Session *s)
{
    const char *folder = getenv("TMPDIR");
    snprintf(s->result, sizeof s->result, "%s/solstice-XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(s->result);
    if (fd < 0)
        return complain(s, EXIT_IO, s->result, "cannot be created");
    close(fd);
    s->temporary = true;
    s->exported = "-";
    s->format = EXPORT_CSV;
    return EXIT_DONE;
}

/* The format follows from the ending: one that stands for another format must not get this one. */
static bool known_ending(const Session *s, const char *output)
{
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    const char *dot = strrchr(name, '.');
    return s->job->csv || !dot || dot == name || dot[1] == '\0' || has_end(output, ".solr") ||
           export_format(output) != EXPORT_BY_NAME;
}

static int name_files(Session *s)
{
    const char *output = s->job->output;
    char base[NAME_MAX];
    if (output && strcmp(output, "-") == 0)
        return make_temporary(s);
    if (output && strlen(output) + 16 > sizeof s->result)
        return complain(s, EXIT_USAGE, "--output", "the name is too long");
    if (output && !known_ending(s, output))
        return complain(s, EXIT_USAGE, output, "results are written as .solr, .csv or .mat");
    if (output) {
        s->format = export_format(output);
        if (s->format == EXPORT_BY_NAME && s->job->csv && !has_end(output, ".solr"))
            s->format = EXPORT_CSV;
        s->exported = s->format == EXPORT_BY_NAME ? NULL : output;
        snprintf(s->result, sizeof s->result, "%s%s", output, s->exported ? ".solr" : "");
    } else {
        base_name(s, base, sizeof base);
        snprintf(s->result, sizeof s->result, "%s.solr", base);
    }
    snprintf(s->checkpoint, sizeof s->checkpoint, "%.*s.check",
             (int)(strlen(s->result) - (has_end(s->result, ".solr") ? 5 : 0)), s->result);
    return EXIT_DONE;
}

/* ---- opening ---- */

static int load_model(Session *s)
{
    char library[2 * PATH_MAX];
    const char *name = cli_library(s->job->name, library, sizeof library);
    if (strlen(name) >= sizeof s->file)
        return complain(s, EXIT_USAGE, "the name of the model file", "too long");
    strcpy(s->file, name);
    s->designator = cli_split(s->file);
    if (s->job->model)
        s->designator = s->job->model;
    s->model = sol_load(&(SolLoad){.path = s->file,
                                   .n_folders = s->job->folders.n,
                                   .folders = s->job->folders.at,
                                   .max_nesting = s->job->folders.max_nesting,
                                   .max_definitions = s->job->folders.max_definitions,
                                   .max_statements = s->job->folders.max_statements,
                                   .strict_units = s->job->folders.strict_units,
                                   .run = &s->job->options});
    if (!s->model)
        return out_of_memory();
    SolOptions options = s->job->options;
    options.trace_to = s->trace;
    if (sol_model_status(s->model) == SOL_OK)
        s->sim = sol_create(s->model, s->designator, &options);
    print_messages(s);
    return s->sim ? EXIT_DONE : exit_code(s, sol_model_status(s->model));
}

static int create_result(Session *s)
{
    char start[OUT_NUMBER], stop[OUT_NUMBER];
    number_text(s->job->options.start, start);
    number_text(s->job->options.stop, stop);
    const ResultPair header[] = {{"program", "solstice " SOLSTICE_VERSION},
                                 {"file", s->file},
                                 {"model", s->designator ? s->designator : ""},
                                 {"options", s->job->options_text},
                                 {"start", start},
                                 {"stop", stop}};
    s->writer = result_create(s->mem, s->result, sizeof header / sizeof *header, header);
    int error = result_error(s->writer);
    return error ? complain(s, EXIT_IO, s->result, strerror(error)) : EXIT_DONE;
}

static void show_cout(void *context, double time, const char *text)
{
    Session *s = context;
    (void)time;
    progress_clear(&s->progress);
    bool free_stdout = !s->exported || strcmp(s->exported, "-") != 0;
    fprintf(free_stdout ? stdout : stderr, "%s\n", text);
}

static void show_progress(void *context, double time)
{
    Session *s = context;
    progress_draw(&s->progress, s->sim, time);
}

static void record(Session *s)
{
    RecordOptions options = {.set = s->job->set,
                             .selection = s->job->vars,
                             .cout = show_cout,
                             .pulse = show_progress,
                             .context = s};
    s->recorder = record_open(s->mem, s->writer, &options);
    s->events = events_open(s->mem, s->job->stats_events);
    record_attach(s->recorder, s->sim);
    record_on_event(s->recorder, events_add, s->events);
}

static int resume(Session *s)
{
    const char *path = s->job->resume;
    Checkpoint saved;
    char why[200];
    CheckpointFile *file = checkpoint_load(s->mem, path, &saved, why, sizeof why);
    if (!file)
        return complain(s, EXIT_IO, path, why);
    if (strcmp(saved.options, s->job->options_text) != 0) {
        complain(s, EXIT_USAGE, path, "saved by a run with other options");
        fprintf(stderr, "note: its options were: %s\n", saved.options);
        return EXIT_USAGE;
    }
    /* the simulation first: a checkpoint that is refused leaves the result as it was */
    SolStatus status = checkpoint_restore_simulation(file, s->sim);
    print_messages(s);
    if (status != SOL_OK) {
        fprintf(stderr, "solstice: note: this was saved: %s\n", path);
        return exit_code(s, status);
    }
    if (access(s->result, R_OK | W_OK) != 0)
        return complain(s, EXIT_IO, s->result, strerror(errno));
    s->writer = checkpoint_restore_writer(file, s->mem, s->result);
    if (result_error(s->writer))
        return complain(s, EXIT_IO, s->result, "does not fit the checkpoint");
    s->n_checkpoints = saved.index;
    record(s);
    if (!checkpoint_restore_recorder(file, s->recorder))
        return complain(s, EXIT_IO, path, "does not fit the result file");
    return EXIT_DONE;
}

static int open_trace(Session *s)
{
    if (!s->job->trace_file)
        return EXIT_DONE;
    s->trace = fopen(s->job->trace_file, "w");
    return s->trace ? EXIT_DONE : complain(s, EXIT_IO, s->job->trace_file, strerror(errno));
}

static int close_trace(Session *s, int code)
{
    bool failed = s->trace && fclose(s->trace) != 0;
    s->trace = NULL;
    return failed ? complain(s, code ? code : EXIT_IO, s->job->trace_file, strerror(errno)) : code;
}

static int open_all(Session *s)
{
    int code = open_trace(s);
    if (code == EXIT_DONE)
        code = load_model(s);
    if (code == EXIT_DONE)
        code = name_files(s);
    if (code != EXIT_DONE)
        return code;
    if (s->job->resume) {
        code = resume(s);
    } else {
        code = create_result(s);
        if (code == EXIT_DONE)
            record(s);
    }
    if (code != EXIT_DONE)
        return code;
    interrupt_start(&s->interrupt, s->sim);
    bool lines = s->job->options.trace && !s->trace; /* would tear the bar apart */
    progress_start(&s->progress, s->job->quiet || lines, s->job->options.start,
                   s->job->options.stop);
    return EXIT_DONE;
}

/* The simulation first: its callbacks use what comes after. */
static void release(Session *s)
{
    interrupt_stop(&s->interrupt);
    sol_close(s->sim);
    sol_unload(s->model);
    close_trace(s, EXIT_DONE);
    record_close(s->recorder);
    events_close(s->events);
    if (!s->started)
        result_discard(s->writer, s->result);
    result_close(s->writer);
    if (s->temporary)
        unlink(s->result);
    mem_close(s->mem);
}

int session_open(const Job *job, Session **session)
{
    MemGuard guard;
    Mem *mem = mem_open();
    *session = NULL;
    if (!mem)
        return out_of_memory();
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        if (*session)
            release(*session);
        else
            mem_close(mem);
        *session = NULL;
        return out_of_memory();
    }
    Session *s = *session = mem_alloc(mem, sizeof *s);
    s->job = job;
    s->mem = mem;
    s->wall_start = timer_now();
    int code = open_all(s);
    mem_guard_pop(mem, &guard);
    if (code != EXIT_DONE) {
        release(s);
        *session = NULL;
    }
    return code;
}

/* ---- running ---- */

static int save_checkpoint(Session *s)
{
    Checkpoint checkpoint = {s->n_checkpoints, s->job->options_text};
    int error;
    if (!result_flush(s->writer))
        return EXIT_IO;
    SolStatus status =
        checkpoint_save(s->mem, s->checkpoint, &checkpoint, s->writer, s->recorder, s->sim, &error);
    print_messages(s);
    if (status != SOL_OK)
        complain(s, EXIT_IO, s->checkpoint, error ? strerror(error) : "the run cannot be saved");
    return exit_code(s, status);
}

/* Why the run ended, where the simulation itself cannot know. */
static void explain_end(Session *s, SolStatus status)
{
    int error = result_error(s->writer);
    print_messages(s);
    if (error)
        complain(s, EXIT_IO, s->result, strerror(error));
    else if (record_out_of_memory(s->recorder) || status == SOL_MEMORY)
        out_of_memory();
    const char *pattern;
    for (uint32_t i = 0; record_rows(s->recorder) && !s->job->resume; i++) {
        if ((pattern = record_unfitted(s->recorder, i)) == NULL)
            break;
        fprintf(stderr, "solstice: warning: --vars '%s': no variable had such a path\n", pattern);
    }
    if (record_narrowed(s->recorder) && !s->job->quiet)
        fprintf(stderr,
                "solstice: note: more than %d variables: only states, the interface of the top "
                "model and monitored instances are written; --vars selects others\n",
                RECORD_LIMIT);
}

int session_advance(Session *s, double to)
{
    double every = s->job->checkpoint, start = s->job->options.start;
    SolStatus status = sol_init(s->sim);
    int code = EXIT_DONE;
    s->started |= status == SOL_OK;
    if (s->job->options.realtime > 0)
        process_realtime(s->realtime, sizeof s->realtime);
    if (s->started && !result_flush(s->writer))
        code = EXIT_IO;
    while (status == SOL_OK && code == EXIT_DONE) {
        double stop = every > 0 ? start + (double)(s->n_checkpoints + 1) * every : to;
        bool last = stop >= to;
        status = sol_run_to(s->sim, last ? to : stop);
        if (last || sol_terminated(s->sim))
            break;
        if (status == SOL_OK) {
            s->n_checkpoints++;
            code = save_checkpoint(s);
        }
    }
    explain_end(s, status);
    return code != EXIT_DONE ? code : exit_code(s, status);
}

double session_time(const Session *s)
{
    return sol_time(s->sim);
}

/* ---- the end ---- */

static void print_size(uint64_t bytes)
{
    if (bytes < 10000)
        fprintf(stderr, "%" PRIu64 " bytes", bytes);
    else if (bytes < 10000000)
        fprintf(stderr, "%.4g kB", (double)bytes / 1e3);
    else
        fprintf(stderr, "%.4g MB", (double)bytes / 1e6);
}

/* In the summary, and with the result for its page; false: not asked for. */
static bool audit_text(const Session *s, char *text, size_t size)
{
    SolAudit audit;
    if (!sol_audit(s->sim, &audit))
        return false;
    int n = snprintf(text, size, "audit: %" PRIu64 " relations at %" PRIu64 " points, ",
                     audit.points ? audit.relations / audit.points : 0, audit.points);
    if (audit.worst > 0)
        snprintf(text + n, size - (size_t)n, "worst violation %.2g at time %g: %s", audit.worst,
                 audit.time, audit.relation);
    else
        snprintf(text + n, size - (size_t)n, "none violated");
    return true;
}

static void print_realtime(const Session *s)
{
    SolRealtime r;
    if (!sol_realtime(s->sim, &r))
        return;
    fprintf(stderr,
            "real time: %" PRIu64 " steps of %g s, mean %.3g us, worst %.4g us at time %g, %" PRIu64
            " late",
            r.steps, s->job->options.step, 1e6 * r.mean, 1e6 * r.worst, r.worst_at, r.overruns);
    if (r.overruns)
        fprintf(stderr, " (by %.4g us at most)", 1e6 * r.latest);
    fprintf(stderr, ", waiting ends up to %.4g us late\n", 1e6 * r.jitter);
    fprintf(stderr, "real time: at most %u rounds of Newton's method, %" PRIu64 " loops unfinished",
            r.max_rounds, r.unfinished);
    if (r.unfinished)
        fprintf(stderr, " (relative error about %.2g at most)", r.unfinished_by);
    fprintf(stderr, "; %s\n", s->realtime);
}

static void print_summary(const Session *s, const SolStats *stats, uint64_t size)
{
    double wall = timer_now() - s->wall_start;
    double from = s->job->options.start, to = sol_time(s->sim);
    int number = interrupt_seen(&s->interrupt);
    if (number)
        fprintf(stderr, "interrupted by signal %d (%s)\n", number, strsignal(number));
    if (sol_terminated(s->sim))
        fprintf(stderr, "the model ended the run at time %.10g: %s\n", to, sol_terminated(s->sim));
    fprintf(stderr,
            "%g to %g in %.3g s: %" PRIu64 " steps, %" PRIu64 " events (%" PRIu64
            " structural), %u states",
            from, to, wall, stats->steps, stats->events_count, events_structural(s->events),
            stats->states);
    if (stats->states_max > stats->states)
        fprintf(stderr, " (most %u)", stats->states_max);
    fprintf(stderr, ", %u variables", stats->variables);
    if (stats->warnings)
        fprintf(stderr, ", %" PRIu64 " warnings", stats->warnings);
    fprintf(stderr, "\n");
    if (s->job->options.form)
        fprintf(stderr,
                "form: %u of %u parts dae, %u equations, %u of them constraints, %u nonzeros\n",
                stats->dae_parts, stats->parts, stats->dae_equations, stats->dae_constraints,
                stats->dae_nonzeros);
    print_realtime(s);
    char audit[600];
    if (audit_text(s, audit, sizeof audit))
        fprintf(stderr, "%s\n", audit);
    if (s->exported && strcmp(s->exported, "-") == 0)
        return;
    fprintf(stderr, "results: %s, %" PRIu64 " rows, %u columns, ",
            s->exported ? s->exported : s->result, record_rows(s->recorder),
            result_columns(s->writer));
    print_size(size);
    fprintf(stderr, "\n");
}

static int write_stats(Session *s, const SolStats *stats, int code)
{
    const char *path = s->job->stats;
    SolAudit audit;
    SolRealtime realtime;
    OutFile *out = mem_alloc(s->mem, sizeof *out);
    StatsHead head = {.file = s->file,
                      .model = s->designator ? s->designator : "",
                      .options = s->job->options_text,
                      .start = s->job->options.start,
                      .stop = s->job->options.stop,
                      .reached = sol_time(s->sim),
                      .exit_code = code,
                      .terminated = sol_terminated(s->sim),
                      .audit = sol_audit(s->sim, &audit) ? &audit : NULL,
                      .realtime = sol_realtime(s->sim, &realtime) ? &realtime : NULL};
    if (strcmp(path, "-") == 0)
        out_attach(out, STDOUT_FILENO);
    else if (!out_create(out, path))
        return complain(s, code ? code : EXIT_IO, path, strerror(out->error));
    stats_write(out, &head, stats, s->events);
    if (!out_close(out))
        return complain(s, code ? code : EXIT_IO, path, strerror(out->error));
    return code;
}

/* The result file is complete now. An export that fails leaves it where it is. */
static int export_result(Session *s, int code)
{
    int failed = export_file(s->result, s->exported, s->format, NULL, s->job->header_units, true);
    if (failed && strcmp(s->exported, "-") != 0) {
        fprintf(stderr, "note: the results are in %s\n", s->result);
        return code ? code : failed;
    }
    unlink(s->result);
    return code ? code : failed;
}

static int finish(Session *s, int code)
{
    SolStats stats;
    struct stat info = {0};
    bool broken = result_error(s->writer) != 0;
    char audit[600] = "";
    audit_text(s, audit, sizeof audit);
    if (s->started)
        result_finish(s->writer, sol_time(s->sim), (uint32_t)code, audit);
    if (!broken && result_error(s->writer))
        code = complain(s, code ? code : EXIT_IO, s->result, strerror(result_error(s->writer)));
    sol_stats(s->sim, &stats);
    if (s->exported && s->started)
        code = export_result(s, code);
    if (!s->job->quiet && record_rows(s->recorder)) {
        stat(s->exported ? s->exported : s->result, &info);
        print_summary(s, &stats, (uint64_t)info.st_size);
    }
    return s->job->stats ? write_stats(s, &stats, code) : code;
}

int session_close(Session *s, int code)
{
    MemGuard guard;
    if (!s)
        return code;
    interrupt_stop(&s->interrupt);
    print_messages(s);
    mem_guard_push(s->mem, &guard);
    if (setjmp(guard.env) != 0) {
        release(s);
        return out_of_memory();
    }
    int final = finish(s, close_trace(s, code));
    mem_guard_pop(s->mem, &guard);
    release(s);
    return final;
}
