/* result_csv.c: result file -> comma-separated values.
 *
 * One line for each row; the first column is the time, then the selected columns in order of birth.
 * A cell is empty where its column does not exist, or has no value. Numbers read back as the same
 * bits; Booleans are 0 and 1; texts are quoted where they must be (RFC 4180). At an event two lines
 * have the same time: its left and its right side. */
#include "base/vec.h"
#include "runtime/results/outfile.h"
#include "runtime/results/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Plain and iterative: on a mismatch the last star takes one character more. */
static bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool result_matches(const ResultSelection *selection, const char *path)
{
    if (!selection || selection->n == 0)
        return true;
    for (uint32_t i = 0; i < selection->n; i++)
        if (glob_matches(selection->patterns[i], path))
            return true;
    return false;
}

typedef struct Csv {
    OutFile out;
    ResultReader *reader;
    VEC(uint32_t) columns; /* selected */
    bool units;
} Csv;

static void write_text_cell(OutFile *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        out_text(out, text);
        return;
    }
    out_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            out_text(out, "\"");
        out_bytes(out, text, 1);
    }
    out_text(out, "\"");
}

static void write_name(Csv *csv, const ResultColumn *column)
{
    char text[1200];
    if (!csv->units || !column->unit) {
        write_text_cell(&csv->out, column->path);
        return;
    }
    snprintf(text, sizeof text, "%s [%s]", column->path, column->unit);
    write_text_cell(&csv->out, text);
}

static void write_names(Csv *csv)
{
    out_text(&csv->out, csv->units ? "time [s]" : "time");
    for (uint32_t i = 0; i < csv->columns.n; i++) {
        out_text(&csv->out, ",");
        write_name(csv, result_column(csv->reader, csv->columns.at[i]));
    }
    out_text(&csv->out, "\n");
}

static void write_row(Csv *csv, double time)
{
    uint32_t known = result_column_count(csv->reader);
    out_number(&csv->out, time);
    for (uint32_t i = 0; i < csv->columns.n; i++) {
        out_text(&csv->out, ",");
        if (csv->columns.at[i] >= known)
            continue;
        const ResultColumn *column = result_column(csv->reader, csv->columns.at[i]);
        if (!column->alive || isnan(column->value))
            continue;
        if (column->type == RESULT_STRING)
            write_text_cell(&csv->out, result_string(csv->reader, column->value));
        else
            out_number(&csv->out, column->value);
    }
    out_text(&csv->out, "\n");
}

/* First pass: columns are known only at the end of the file. */
static bool collect_columns(Mem *mem, Csv *csv, const ResultSelection *selection)
{
    ResultRecord record;
    bool any = false;
    while (result_next(csv->reader, &record)) {
        any = true;
        if (record.kind == RESULT_BIRTH &&
            result_matches(selection, result_column(csv->reader, record.column)->path))
            vec_push(mem, &csv->columns, record.column);
    }
    return any;
}

static void write_file(Csv *csv, const char *output)
{
    ResultRecord record;
    if (strcmp(output, "-") == 0)
        out_attach(&csv->out, 1);
    else if (!out_create(&csv->out, output))
        return;
    write_names(csv);
    result_rewind(csv->reader);
    while (!csv->out.error && result_next(csv->reader, &record))
        if (record.kind == RESULT_ROW)
            write_row(csv, record.time);
    out_close(&csv->out);
}

static ResultExport export(Mem *mem, Csv *csv, const char *output, const ResultSelection *selection)
{
    result_rewind(csv->reader);
    if (!collect_columns(mem, csv, selection))
        return RESULT_NOT_READABLE;
    csv->units = result_names_units(csv->reader);
    if (selection && selection->n && csv->columns.n == 0)
        return RESULT_NO_COLUMN;
    write_file(csv, output);
    return csv->out.error ? RESULT_NOT_WRITTEN : RESULT_EXPORTED;
}

ResultExport result_to_csv(Mem *mem, ResultReader *reader, const char *output,
                           const ResultSelection *selection, int *error)
{
    MemGuard guard;
    Csv *csv = mem_alloc(mem, sizeof *csv);
    csv->reader = reader;
    csv->out.fd = -1;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env) != 0) {
        out_close(&csv->out);
        return RESULT_NO_MEMORY;
    }
    ResultExport verdict = export(mem, csv, output, selection);
    mem_guard_pop(mem, &guard);
    *error = csv->out.error;
    vec_free(mem, &csv->columns);
    mem_free(mem, csv);
    return verdict;
}
