/* select.c: names and patterns on the command line -> columns of result files. See select.h. */
#include "runtime/cli/select.h"

#include "base/map.h"

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

/* ---- without patterns ----
 *
 * Of families, the members of an array or what was born at one place one after the other, some are selected that lie
 * evenly among them: so the whole of the time has curves. */

typedef struct Found {
    uint32_t file, column, family;
} Found;

typedef struct Family {
    uint32_t members, seen, chosen, room;
} Family;

typedef struct Choice {
    Mem *mem;
    VEC(Found) found;
    VEC(Family) families;
    Map by_name;
} Choice;

/* "cars[3].x#2" -> that of "cars[].x" */
static uint64_t family_key(const char *path)
{
    uint64_t key = 1;
    bool counted = false; /* digits now are a number of a member */
    for (; *path; path++) {
        if (*path == '#' || (counted && *path >= '0' && *path <= '9')) {
            counted = true;
            continue;
        }
        counted = *path == '[';
        key = hash_bytes(path, 1, key);
    }
    return key;
}

static void find(Choice *choice, uint32_t file, uint32_t column, const char *path)
{
    uint64_t key = family_key(path);
    uint32_t family = map_get(&choice->by_name, key);
    if (!family) {
        vec_push(choice->mem, &choice->families, (Family){0});
        family = choice->families.n;
        map_put(choice->mem, &choice->by_name, key, family);
    }
    choice->families.at[family - 1].members++;
    vec_push(choice->mem, &choice->found, ((Found){file, column, family - 1}));
}

/* Without flags all that is not drawn: places of shapes are seen in the animation. */
static void find_flagged(Choice *choice, const Series *series, unsigned flags)
{
    for (uint32_t f = 0; f < series->files.n; f++) {
        const SeriesFile *file = &series->files.at[f];
        for (uint32_t i = 0; i < file->columns.n; i++) {
            const SeriesColumn *column = &file->columns.at[i];
            if (column->type == RESULT_STRING || column->flags & RESULT_PARAMETER ||
                (flags ? !(column->flags & flags) : column->drawn != NULL))
                continue;
            find(choice, f, i, column->path);
        }
    }
}

/* Families get their room one by one, small ones first: what these leave others have. */
static void share_room(Choice *choice, uint32_t most)
{
    uint32_t left = most, waiting = choice->families.n;
    for (bool given = true; given && waiting;) {
        uint32_t share = left / waiting;
        given = false;
        for (uint32_t i = 0; i < choice->families.n; i++) {
            Family *family = &choice->families.at[i];
            if (family->room || family->members > share)
                continue;
            family->room = family->members;
            left -= family->room;
            waiting--;
            given = true;
        }
    }
    for (uint32_t i = 0; i < choice->families.n; i++) {
        Family *family = &choice->families.at[i];
        if (family->room)
            continue;
        family->room = (left + waiting - 1) / waiting;
        left -= family->room;
        waiting--;
    }
}

/* The first, the last, and some between. */
static bool takes(Family *family)
{
    uint64_t place = family->seen++, last = family->members - 1;
    bool taken = family->chosen < family->room &&
                 (family->room < 2 || place >= family->chosen * last / (family->room - 1));
    family->chosen += taken;
    return taken;
}

static uint32_t select_flagged(Series *series, unsigned flags, uint32_t most)
{
    Choice choice = {.mem = series->mem};
    find_flagged(&choice, series, flags);
    share_room(&choice, most);
    for (uint32_t i = 0; i < choice.found.n; i++) {
        const Found *found = &choice.found.at[i];
        if (takes(&choice.families.at[found->family]))
            series_select(series, found->file, found->column);
    }
    uint32_t n = choice.found.n;
    vec_free(series->mem, &choice.found);
    vec_free(series->mem, &choice.families);
    map_free(series->mem, &choice.by_name);
    return n;
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
