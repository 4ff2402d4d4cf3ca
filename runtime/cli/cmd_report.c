/* cmd_report.c: `solstice report`: result file -> one HTML page that needs nothing else. */
#include "runtime/cli/options.h"
#include "runtime/cli/page_assets.h"
#include "runtime/cli/report_data.h"
#include "runtime/cli/select.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Curves have as many points as the page can carry: what is too fine for a screen is seen by zooming. */
enum { CURVES = 40, LEAST_BINS = 1000, MOST_BINS = 8000, ALL_BINS = 80000 };

typedef struct ReportJob {
    const char *result, *output, *stats;
    OptionTexts vars;
    char page[4096]; /* name of the page when none was given */
} ReportJob;

/* ---- statistics, taken over as they are ---- */

/* "</" would end the element around it; "<\/" is the same text to a reader of JSON. */
static void copy_json(OutFile *out, FILE *from)
{
    int c, before = 0;
    while ((c = getc(from)) != EOF) {
        char byte = (char)c;
        if (before == '<' && c == '/')
            out_text(out, "\\");
        if (before == '<' && c == '!')
            byte = ' '; /* no JSON that we write has it */
        out_bytes(out, &byte, 1);
        before = c;
    }
}

static int write_stats(OutFile *out, const char *path)
{
    FILE *from = path ? fopen(path, "rb") : NULL;
    if (!path) {
        out_text(out, "null");
        return EXIT_DONE;
    }
    int first = from ? getc(from) : EOF;
    if (first != '{') {
        fprintf(stderr, "solstice: error: %s: %s\n", path,
                from ? "no statistics of a run" : strerror(errno));
        if (from)
            fclose(from);
        return EXIT_IO;
    }
    ungetc(first, from);
    copy_json(out, from);
    fclose(from);
    return EXIT_DONE;
}

/* ---- the page ---- */

/* The page's text with its {{names}} replaced; {{data}} and {{stats}} are what was gathered. */
static int write_page(OutFile *out, const ReportData *data, const ReportJob *job)
{
    const PageAsset *page = page_asset("report.html", strlen("report.html"));
    const char *at = page->begin;
    int code = EXIT_DONE;
    for (;;) {
        const char *open = strstr(at, "{{");
        const char *close = open ? strstr(open, "}}") : NULL;
        if (!close)
            break;
        out_bytes(out, at, (size_t)(open - at));
        size_t n = (size_t)(close - open) - 2;
        const PageAsset *asset = page_asset(open + 2, n);
        if (asset)
            out_bytes(out, asset->begin, (size_t)(asset->end - asset->begin));
        else if (strncmp(open + 2, "data", n) == 0)
            report_data_write(data, out, job->result);
        else if (strncmp(open + 2, "stats", n) == 0)
            code = write_stats(out, job->stats);
        at = close + 2;
    }
    out_bytes(out, at, (size_t)(page->end - at));
    return code;
}

static int select_curves(Series *series, const ReportJob *job, uint32_t *found)
{
    int code = select_file(series, job->result);
    if (code != EXIT_DONE)
        return code;
    if (job->vars.n)
        return select_columns(series, job->vars.n, job->vars.at);
    *found = select_report(series, CURVES);
    if (*found > series->curves.n)
        fprintf(stderr,
                "solstice: note: %u of %u variables are on the page; --vars selects others\n",
                series->curves.n, *found);
    return EXIT_DONE;
}

static int finish(OutFile *out, const char *output, int code)
{
    if (out_close(out)) {
        if (code == EXIT_DONE)
            fprintf(stderr, "page: %s\n", output);
        return code;
    }
    fprintf(stderr, "solstice: error: %s: %s\n", output, strerror(out->error));
    return EXIT_IO;
}

static uint32_t bins_for(uint32_t curves)
{
    uint32_t bins = curves ? ALL_BINS / curves : LEAST_BINS;
    return bins < LEAST_BINS ? LEAST_BINS : bins > MOST_BINS ? MOST_BINS : bins;
}

/* Everything that needs memory comes before the file is opened. */
static int make_page(Series *series, const ReportJob *job, OutFile *out)
{
    ReportData data;
    uint32_t found = 0;
    int code = select_curves(series, job, &found);
    if (code != EXIT_DONE)
        return code;
    report_data_open(&data, series);
    data.selectable = found;
    series_read(series, bins_for(series->curves.n), NAN, NAN);
    if (out_create(out, job->output))
        code = write_page(out, &data, job);
    code = finish(out, job->output, code);
    report_data_close(&data);
    return code;
}

static int report(const ReportJob *job)
{
    Mem *mem = mem_open();
    MemGuard guard;
    Series series;
    if (mem) {
        mem_guard_push(mem, &guard);
        if (setjmp(guard.env) == 0) {
            series_open(&series, mem);
            int code = make_page(&series, job, mem_alloc(mem, sizeof(OutFile)));
            series_close(&series);
            mem_guard_pop(mem, &guard);
            mem_close(mem);
            return code;
        }
        mem_close(mem);
    }
    fputs("solstice: error: out of memory\n", stderr);
    return EXIT_IO;
}

static void name_page(ReportJob *job)
{
    size_t n = strlen(job->result);
    if (n > 5 && strcmp(job->result + n - 5, ".solr") == 0)
        n -= 5;
    snprintf(job->page, sizeof job->page, "%.*s.html", (int)n, job->result);
    job->output = job->page;
}

static int run_report(int argc, char **argv)
{
    Args args = args_begin(&cli_report, argc, argv);
    ReportJob job = {0};
    uint32_t n;
    const Option options[] = {{"--output", OPTION_TEXT, &job.output, NULL, false},
                              {"--vars", OPTION_TEXTS, &job.vars, NULL, false},
                              {"--stats", OPTION_TEXT, &job.stats, NULL, false}};
    int code = options_read(&args, 3, options, NULL, 1, &job.result, &n, NULL);
    if (code != EXIT_DONE)
        return code;
    if (n == 0)
        return args_fail(&args, "which result file?");
    if (!job.output)
        name_page(&job);
    if (strcmp(job.output, job.result) == 0)
        return args_fail(&args, "'%s' would overwrite itself", job.output);
    return report(&job);
}

const Command cli_report = {
    "report",
    "makes an HTML page of a result file: plots, events, modes, animation",
    "usage: solstice report RESULT.solr [options]\n\n"
    "Writes one HTML file that opens from disk without a network: plots that can be zoomed, the\n"
    "table of events, which branch of which component was active when, the animation of the\n"
    "instances of the package Graphics, and the parameters. Long runs are thinned to what can be\n"
    "seen; the page says so.\n\n"
    "  --output FILE    the page; by default RESULT.html\n"
    "  --vars GLOB      variables to plot, '*' any text, '?' one character; may be given several\n"
    "                   times. By default states and the top model's interface\n"
    "  --stats FILE     what `solstice run --stats FILE` wrote: adds what each event cost\n\n"
    "examples:\n"
    "  solstice report Trebuchet.solr\n"
    "  solstice run Machine.sol --stats m.json && solstice report Machine.solr --stats m.json\n",
    run_report,
};
