/* sweep_cases.c: ranges, samples or a file -> the values of each case. See sweep.h. */
#include "runtime/cli/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(char *why, size_t size, const char *what, const char *text)
{
    snprintf(why, size, "%s: '%.200s'", what, text);
    return false;
}

static char *copy(Mem *mem, const char *text, size_t n)
{
    char *made = mem_alloc(mem, n + 1);
    memcpy(made, text, n);
    return made;
}

/* ---- ranges ---- */

/* Numbers between `separator`s; how many, or 0: one of them is none. */
static uint32_t read_numbers(const char *text, char separator, uint32_t most, double *numbers)
{
    uint32_t n = 0;
    for (;;) {
        char word[64], *end = word;
        size_t length = strcspn(text, (char[]){separator, 0});
        if (n == most || length == 0 || length >= sizeof word)
            return 0;
        memcpy(word, text, length);
        word[length] = '\0';
        numbers[n++] = strtod(word, &end);
        if (*end || !isfinite(numbers[n - 1]))
            return 0;
        if (!text[length])
            return n;
        text += length + 1;
    }
}

static bool read_list(SweepCases *cases, SweepRange *range, const char *text)
{
    uint32_t most = 1;
    for (const char *p = text; *p; p++)
        most += *p == ',';
    range->list = mem_alloc(cases->mem, most * sizeof *range->list);
    range->n = read_numbers(text, ',', most, range->list);
    return range->n > 0;
}

static bool read_span(SweepRange *range, const char *text)
{
    double numbers[3];
    range->log = strncmp(text, "log:", 4) == 0;
    uint32_t n = read_numbers(range->log ? text + 4 : text, ':', 3, numbers);
    if (n < 2)
        return false;
    range->from = numbers[0];
    range->to = numbers[1];
    range->n = n == 3 ? (uint64_t)numbers[2] : 0;
    bool points = n == 2 || (numbers[2] >= 1 && numbers[2] <= SWEEP_MOST_CASES &&
                             numbers[2] == floor(numbers[2]));
    return points && (!range->log || (range->from > 0 && range->to > 0));
}

bool sweep_add_range(SweepCases *cases, const char *text, char *why, size_t size)
{
    const char *equals = strchr(text, '=');
    SweepRange range = {0};
    if (!equals || equals == text || !equals[1])
        return fail(why, size, "--vary wants PATH=FROM:TO:POINTS", text);
    range.path = copy(cases->mem, text, (size_t)(equals - text));
    bool span = strchr(equals, ':') != NULL;
    if (span ? !read_span(&range, equals + 1) : !read_list(cases, &range, equals + 1))
        return fail(
            why, size,
            "--vary wants PATH=FROM:TO:POINTS, PATH=log:FROM:TO:POINTS with ends above 0, or "
            "PATH=VALUE,VALUE,...",
            text);
    for (uint32_t i = 0; i < cases->ranges.n; i++)
        if (strcmp(cases->ranges.at[i].path, range.path) == 0)
            return fail(why, size, "--vary names a path twice", range.path);
    vec_push(cases->mem, &cases->ranges, range);
    return true;
}

bool sweep_make_grid(SweepCases *cases, char *why, size_t size)
{
    cases->n = 1;
    for (uint32_t i = 0; i < cases->ranges.n; i++) {
        const SweepRange *range = &cases->ranges.at[i];
        if (!range->n)
            return fail(why, size, "how many points? FROM:TO:POINTS, or --samples N", range->path);
        if (cases->n > SWEEP_MOST_CASES / range->n)
            return fail(why, size, "more than 100,000,000 cases, with", range->path);
        cases->n *= range->n;
    }
    return true;
}

static double between(const SweepRange *range, double part)
{
    if (part <= 0)
        return range->from;
    if (part >= 1)
        return range->to;
    return range->log ? range->from * pow(range->to / range->from, part)
                      : range->from + part * (range->to - range->from);
}

/* The last range varies fastest. */
static double grid_value(const SweepCases *cases, uint64_t index, uint32_t i)
{
    const SweepRange *range = &cases->ranges.at[i];
    for (uint32_t k = cases->ranges.n; --k > i;)
        index /= cases->ranges.at[k].n;
    index %= range->n;
    if (range->list)
        return range->list[index];
    return range->n > 1 ? between(range, (double)index / (double)(range->n - 1)) : range->from;
}

/* ---- samples ---- */

/* A number of [0, 1) that belongs to seed, case and range, and to nothing else (splitmix64). */
static double uniform(uint64_t seed, uint64_t index, uint64_t stream)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + index + (stream << 40) + 0x632be59bd9b4e019u;
    for (int round = 0; round < 2; round++) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return (double)(x >> 11) * 0x1p-53;
}

static uint32_t *shuffled(SweepCases *cases, uint32_t stream)
{
    uint32_t *at = mem_alloc(cases->mem, cases->n * sizeof *at);
    for (uint32_t i = 0; i < cases->n; i++)
        at[i] = i;
    for (uint32_t i = (uint32_t)cases->n; i-- > 1;) {
        uint32_t k = (uint32_t)(uniform(cases->seed, i, 1000 + stream) * (i + 1.0));
        uint32_t swapped = at[i];
        at[i] = at[k];
        at[k] = swapped;
    }
    return at;
}

bool sweep_make_samples(SweepCases *cases, uint64_t n, SweepSampling sampling, uint64_t seed,
                        char *why, size_t size)
{
    cases->n = n;
    cases->sampled = true;
    cases->seed = seed;
    for (uint32_t i = 0; i < cases->ranges.n; i++) {
        SweepRange *range = &cases->ranges.at[i];
        if (range->n)
            return fail(why, size, "samples want a range without points, PATH=FROM:TO",
                        range->path);
        range->strata = sampling == SWEEP_LATIN ? shuffled(cases, i) : NULL;
    }
    return true;
}

static double sample_value(const SweepCases *cases, uint64_t index, uint32_t i)
{
    const SweepRange *range = &cases->ranges.at[i];
    double u = uniform(cases->seed, index, i);
    return between(range, range->strata ? (range->strata[index] + u) / (double)cases->n : u);
}

/* ---- a file ---- */

typedef struct Csv {
    Mem *mem;
    const char *at; /* what was not read yet, terminated */
    VEC(char) cell;
} Csv;

/* The next cell; *last: of its line. False: a quotation mark is missing. */
static bool next_cell(Csv *csv, bool *last)
{
    bool quoted = *csv->at == '"';
    csv->at += quoted;
    vec_clear(&csv->cell);
    for (;; csv->at++) {
        if (quoted && csv->at[0] == '"' && csv->at[1] == '"')
            csv->at++;
        else if (quoted ? *csv->at == '"' : !*csv->at || strchr(",\r\n", *csv->at))
            break;
        else if (!*csv->at)
            return false;
        vec_push(csv->mem, &csv->cell, *csv->at);
    }
    csv->at += quoted;
    while (*csv->at == '\r' || *csv->at == ' ')
        csv->at++;
    *last = *csv->at != ',';
    if (*csv->at && !strchr(",\n", *csv->at))
        return false;
    csv->at += *csv->at != '\0';
    vec_push(csv->mem, &csv->cell, '\0');
    return true;
}

static bool read_row(SweepCases *cases, Csv *csv, uint64_t row, char *why, size_t size)
{
    uint32_t n = 0;
    for (bool last = false; !last; n++) {
        if (!next_cell(csv, &last)) {
            snprintf(why, size, "row %llu: a quotation mark is missing or stands in the middle",
                     (unsigned long long)row);
            return false;
        }
        char *cell = copy(cases->mem, csv->cell.at, csv->cell.n - 1);
        if (row == 0)
            vec_push(cases->mem, &cases->paths, cell);
        else
            vec_push(cases->mem, &cases->cells, cell);
    }
    if (row > 0 && n != cases->paths.n) {
        snprintf(why, size, "row %llu has %u cells, the first line has %u", (unsigned long long)row,
                 n, cases->paths.n);
        return false;
    }
    return true;
}

static char *file_content(Mem *mem, const char *file)
{
    FILE *in = fopen(file, "rb");
    VEC(char) text = {0};
    char part[65536];
    size_t n;
    while (in && (n = fread(part, 1, sizeof part, in)) > 0) {
        vec_reserve(mem, &text, text.n + (uint32_t)n + 1);
        memcpy(text.at + text.n, part, n);
        text.n += (uint32_t)n;
    }
    bool good = in && !ferror(in);
    if (in)
        fclose(in);
    if (good)
        vec_push(mem, &text, '\0');
    return good ? text.at : NULL;
}

bool sweep_read_cases(SweepCases *cases, const char *file, char *why, size_t size)
{
    char *text = file_content(cases->mem, file);
    Csv csv = {.mem = cases->mem, .at = text};
    if (!text)
        return fail(why, size, strerror(errno), file);
    for (uint64_t row = 0; *csv.at; row++) {
        if (!read_row(cases, &csv, row, why, size))
            return false;
        while (*csv.at == '\n' || *csv.at == '\r')
            csv.at++;
    }
    for (uint32_t i = 0; i < cases->paths.n; i++)
        if (!cases->paths.at[i][0])
            return fail(why, size, "the first line names the paths; one of them is empty", file);
    cases->n = cases->paths.n ? cases->cells.n / cases->paths.n : 0;
    return cases->n > 0 || fail(why, size, "there are no cases in the file", file);
}

/* What is no number and no Boolean is a text. */
static void write_cell(const char *cell, char *text)
{
    char *end;
    strtod(cell, &end);
    bool plain =
        *end == '\0' || strcmp(cell, "true") == 0 || strcmp(cell, "false") == 0 || cell[0] == '"';
    snprintf(text, SWEEP_VALUE, plain ? "%.4000s" : "\"%.4000s\"", cell);
}

/* ---- all kinds ---- */

uint32_t sweep_path_count(const SweepCases *cases)
{
    return cases->paths.n ? cases->paths.n : cases->ranges.n;
}

const char *sweep_path(const SweepCases *cases, uint32_t i)
{
    return cases->paths.n ? cases->paths.at[i] : cases->ranges.at[i].path;
}

bool sweep_is_log(const SweepCases *cases, uint32_t i)
{
    return !cases->paths.n && cases->ranges.at[i].log;
}

bool sweep_value(const SweepCases *cases, uint64_t index, uint32_t i, char *text)
{
    if (cases->paths.n) {
        const char *cell = cases->cells.at[index * cases->paths.n + i];
        text[0] = '\0';
        if (*cell)
            write_cell(cell, text);
        return *cell != '\0';
    }
    number_text(cases->sampled ? sample_value(cases, index, i) : grid_value(cases, index, i), text);
    return true;
}
