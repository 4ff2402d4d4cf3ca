/* select.c: names and patterns on the command line -> columns of result files. See select.h. */
#include "runtime/cli/select.h"

#include <stdio.h>
#include <string.h>

int select_file(Series *series, const char *name)
{
    char why[1024];
    bool readable = series_add_file(series, name, why, sizeof why);
    if (*why)
        fprintf(stderr, "solstice: %s: %s\n", readable ? "warning" : "error", why);
    if (!readable)
        return EXIT_IO;
    if (vec_last(&series->files).rows)
        return EXIT_DONE;
    fprintf(stderr, "solstice: error: %s: there are no values in it\n", name);
    return EXIT_IO;
}

static int nothing_fits(const Series *series, const char *pattern, bool texts)
{
    const char *near[5];
    uint32_t n = texts ? 0 : series_near(series, pattern, 5, near);
    fprintf(stderr, "solstice: error: %s '%s'",
            texts ? "no curve can be drawn of the text" : "no variable is called", pattern);
    for (uint32_t i = 0; i < n; i++)
        fprintf(stderr, "%s%s", i ? ", " : "; near it are ", near[i]);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int select_pattern(Series *series, const char *pattern)
{
    bool any = false, texts = false;
    const ResultSelection selection = {1, &pattern};
    for (uint32_t f = 0; f < series->files.n; f++) {
        const SeriesFile *file = &series->files.at[f];
        for (uint32_t i = 0; i < file->columns.n; i++) {
            const SeriesColumn *column = &file->columns.at[i];
            if (!result_matches(&selection, column->path))
                continue;
            texts |= column->type == RESULT_STRING;
            if (column->type == RESULT_STRING)
                continue;
            series_select(series, f, i);
            any = true;
        }
    }
    return any ? EXIT_DONE : nothing_fits(series, pattern, texts);
}

int select_columns(Series *series, uint32_t n, const char *const *patterns)
{
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < n; i++) {
        int one = select_pattern(series, patterns[i]);
        if (code == EXIT_DONE)
            code = one;
    }
    return code;
}

/* Without flags all that is not drawn: places of shapes are seen in the animation. */
static uint32_t select_flagged(Series *series, unsigned flags, uint32_t most)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < series->files.n; f++) {
        const SeriesFile *file = &series->files.at[f];
        for (uint32_t i = 0; i < file->columns.n; i++) {
            const SeriesColumn *column = &file->columns.at[i];
            if (column->type == RESULT_STRING || column->flags & RESULT_PARAMETER ||
                (flags ? !(column->flags & flags) : column->drawn != NULL))
                continue;
            if (found++ < most)
                series_select(series, f, i);
        }
    }
    return found;
}

uint32_t select_main(Series *series, uint32_t most)
{
    uint32_t found = select_flagged(series, RESULT_STATE, most);
    if (!found)
        found = select_flagged(series, RESULT_TOP, most);
    if (!found)
        found = select_flagged(series, 0, most);
    return found;
}

uint32_t select_report(Series *series, uint32_t most)
{
    uint32_t found = select_flagged(series, RESULT_STATE | RESULT_TOP | RESULT_MONITORED, most);
    return found ? found : select_flagged(series, 0, most);
}
