/* cmd_plot.c: `solstice plot`: result files -> SVG, PNG, or a plot in the terminal. */
#include "runtime/cli/options.h"
#include "runtime/cli/plot.h"
#include "runtime/cli/select.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_OPERANDS = 256, MAIN_CURVES = 8, MAX_PIXELS = 20000 };

typedef struct PlotJob {
    uint32_t n;
    const char *operands[MAX_OPERANDS]; /* result files, then variables */
    uint32_t n_files;
    PlotOptions options;
    OptionNumber from, to;
    OptionCount width, height;
} PlotJob;

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* ---- sizes ---- */

static uint32_t clamp(uint64_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : (uint32_t)value;
}

/* COLUMNS and LINES rule over what the terminal says; without either 80 x 24. */
static void terminal_size(uint32_t *columns, uint32_t *lines)
{
    struct winsize size = {0};
    uint64_t value;
    const char *wide = getenv("COLUMNS"), *high = getenv("LINES");
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    *columns = known ? size.ws_col : 80;
    *lines = known ? size.ws_row : 24;
    if (wide && option_parse_count(wide, &value))
        *columns = clamp(value, 20, 1000);
    if (high && option_parse_count(high, &value))
        *lines = clamp(value, 8, 1000);
}

static bool speaks_utf8(void)
{
    setlocale(LC_CTYPE, "");
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    setlocale(LC_CTYPE, "C");
    return utf8;
}

static void set_sizes(PlotJob *job)
{
    PlotOptions *o = &job->options;
    if (o->output) {
        o->width = job->width.given ? clamp(job->width.value, 100, MAX_PIXELS) : 900;
        o->height = job->height.given ? clamp(job->height.value, 80, MAX_PIXELS) : 500;
        return;
    }
    uint32_t columns, lines;
    terminal_size(&columns, &lines);
    o->width = job->width.given ? clamp(job->width.value, 20, 1000) : columns;
    o->height = job->height.given ? clamp(job->height.value, 4, 1000)
                                  : clamp(lines > 8 ? lines - 8 : 4, 8, 40);
    o->utf8 = speaks_utf8();
    o->colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

/* ---- the command ---- */

/* The operands are patterns; "/" between them begins a panel. */
static int select_panels(Series *series, PlotJob *job)
{
    PlotOptions *o = &job->options;
    uint32_t begin = job->n_files;
    o->n_panels = 0;
    for (uint32_t i = begin; i <= job->n; i++) {
        if (i < job->n && strcmp(job->operands[i], "/") != 0)
            continue;
        if (i == begin || o->n_panels == PLOT_PANELS) {
            fprintf(stderr, "solstice: error: '/' stands between variables, at most %d times\n",
                    PLOT_PANELS - 1);
            return EXIT_USAGE;
        }
        int code = select_columns(series, i - begin, job->operands + begin);
        if (code != EXIT_DONE)
            return code;
        o->panel_end[o->n_panels++] = series->curves.n;
        begin = i + 1;
    }
    return EXIT_DONE;
}

static int select_curves(Series *series, PlotJob *job)
{
    for (uint32_t i = 0; i < job->n_files; i++) {
        int code = select_file(series, job->operands[i]);
        if (code != EXIT_DONE)
            return code;
    }
    if (job->n > job->n_files)
        return select_panels(series, job);
    uint32_t found = select_main(series, MAIN_CURVES);
    if (found > series->curves.n)
        fprintf(stderr, "solstice: note: %u of %u curves are shown; name those you want\n",
                series->curves.n, found);
    return EXIT_DONE;
}

/* Columns of pixels that time has, or more where single points are drawn. */
static uint32_t bins_of(const PlotOptions *o)
{
    if (!o->output)
        return 2 * o->width;
    return (o->sideways ? o->height : o->width) * (o->points ? PLOT_POINTS : 1);
}

static int plot_picture(const Series *series, const PlotOptions *options)
{
    char words[500];
    PlotPicture draw;
    *(void **)&draw = cli_module(PLOT_MODULE, PLOT_SYMBOL, words, sizeof words);
    if (draw)
        return draw(series, options);
    fprintf(stderr, "solstice: error: no picture can be drawn: %s\n", words);
    return EXIT_IO;
}

static int draw_curves(Series *series, PlotJob *job)
{
    int code = select_curves(series, job);
    if (code != EXIT_DONE)
        return code;
    const PlotOptions *o = &job->options;
    series_read(series, bins_of(o), job->from.given ? job->from.value : NAN,
                job->to.given ? job->to.value : NAN);
    if (o->output)
        return plot_picture(series, o);
    plot_terminal(series, o, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    perror("solstice: error: standard output");
    return EXIT_IO;
}

static int plot(PlotJob *job)
{
    Mem *mem = mem_open();
    MemGuard guard;
    Series series;
    int code = EXIT_IO;
    if (mem) {
        mem_guard_push(mem, &guard);
        if (setjmp(guard.env) == 0) {
            series_open(&series, mem);
            code = draw_curves(&series, job);
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

/* Files come first: the first operand, and further ones that end with .solr. */
static void count_files(PlotJob *job)
{
    job->n_files = 1;
    while (job->n_files < job->n && ends_with(job->operands[job->n_files], ".solr"))
        job->n_files++;
}

static int run_plot(int argc, char **argv)
{
    Args args = args_begin(&cli_plot, argc, argv);
    PlotJob job = {.options.n_panels = 1};
    const Option options[] = {{"--output", OPTION_TEXT, &job.options.output, NULL, false},
                              {"--title", OPTION_TEXT, &job.options.title, NULL, false},
                              {"--label", OPTION_TEXT, &job.options.label, NULL, false},
                              {"--points", OPTION_FLAG, &job.options.points, NULL, false},
                              {"--sideways", OPTION_FLAG, &job.options.sideways, NULL, false},
                              {"--no-events", OPTION_FLAG, &job.options.plain, NULL, false},
                              {"--width", OPTION_COUNT, &job.width, NULL, false},
                              {"--height", OPTION_COUNT, &job.height, NULL, false},
                              {"--from", OPTION_NUMBER, &job.from, NULL, false},
                              {"--to", OPTION_NUMBER, &job.to, NULL, false}};
    int code = options_read(&args, sizeof options / sizeof *options, options, NULL, MAX_OPERANDS,
                            job.operands, &job.n, NULL);
    if (code != EXIT_DONE)
        return code;
    if (job.n == 0)
        return args_fail(&args, "which result file?");
    const char *output = job.options.output;
    if (output && !ends_with(output, ".svg") && !ends_with(output, ".png"))
        return args_fail(&args, "'%s' ends with neither .svg nor .png", output);
    if (!output && (job.options.points || job.options.sideways || job.options.label))
        return args_fail(&args, "--points, --sideways and --label need --output");
    if (job.from.given && job.to.given && !(job.from.value < job.to.value))
        return args_fail(&args, "--from must lie before --to");
    count_files(&job);
    set_sizes(&job);
    return plot(&job);
}

const Command cli_plot = {
    "plot",
    "draws variables of a result file: SVG, PNG, or in the terminal",
    "usage: solstice plot RESULT.solr... [VARIABLE...] [options]\n\n"
    "Draws variables over time. A VARIABLE is an instance path, in which '*' is any text and '?'\n"
    "one character; without any, the states are drawn. Several result files (their names end with\n"
    ".solr) are drawn into one picture. A '/' between variables begins a new panel below, with\n"
    "an axis of its own. Curves have gaps where their variable does not exist; "
    "thin\n"
    "vertical lines are events, those that changed the structure stronger. Without --output the\n"
    "plot appears in the terminal.\n\n"
    "  --output FILE    FILE.svg or FILE.png\n"
    "  --from T, --to T the span of time\n"
    "  --title TEXT     above the picture\n"
    "  --label TEXT     what the axis of values means, such as 'voltage [V]'; of several panels\n"
    "                   'voltage [V] / current [A]'\n"
    "  --points         a dot for each value instead of lines; without a legend if many\n"
    "  --sideways       values to the right, time upwards\n"
    "  --no-events      without the lines at events\n"
    "  --width N        in pixels (900), in the terminal in characters\n"
    "  --height N       in pixels (500), in the terminal in lines\n\n"
    "examples:\n"
    "  solstice plot Machine.solr\n"
    "  solstice plot Machine.solr 'engine.*' flywheel.w --output speed.svg\n"
    "  solstice plot before.solr after.solr x --from 2 --to 3 --output x.png\n"
    "  solstice plot Circuit.solr C.u / D.i --label 'voltage [V] / current [A]' --output c.png\n"
    "  solstice plot Road.solr '*.car.x*' --points --sideways --no-events --output jams.png\n",
    run_plot,
};
