/* export.c: result file -> CSV or MAT, with messages for people. */
#include "runtime/cli/export.h"
#include "runtime/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

ExportFormat export_format(const char *output)
{
    size_t n = strlen(output);
    if (n > 4 && strcmp(output + n - 4, ".csv") == 0)
        return EXPORT_CSV;
    if (n > 4 && strcmp(output + n - 4, ".mat") == 0)
        return EXPORT_MAT;
    return EXPORT_BY_NAME;
}

static int explain(ResultExport verdict, const char *output, int error)
{
    switch (verdict) {
    case RESULT_EXPORTED:
        return EXIT_DONE;
    case RESULT_NOT_WRITTEN:
        if (error == EPIPE)
            return EXIT_IO; /* whoever read it has seen enough */
        fprintf(stderr, "solstice: error: %s: %s\n", output, strerror(error));
        return EXIT_IO;
    case RESULT_TOO_LARGE:
        fprintf(stderr, "solstice: error: %s: too large for this format\n", output);
        return EXIT_IO;
    case RESULT_NO_COLUMN:
        fputs("solstice: error: no variable of the result fits --vars\n", stderr);
        return EXIT_USAGE;
    case RESULT_NO_MEMORY:
        fputs("solstice: error: out of memory\n", stderr);
        return EXIT_IO;
    case RESULT_NOT_READABLE:
        break;
    }
    return EXIT_IO; /* the reader's own message says why */
}

/* A result that was cut is no failure, but nobody should take it for a whole one. */
static void report_end(const ResultReader *reader, const char *input, ResultExport verdict,
                       bool quiet)
{
    char text[1024];
    result_end_text(reader, input, text, sizeof text);
    if (verdict == RESULT_NOT_READABLE)
        fprintf(stderr, "solstice: error: %s\n", *text ? text : "no records");
    else if (*text && !quiet)
        fprintf(stderr, "solstice: warning: %s\n", text);
}

int export_file(const char *input, const char *output, ExportFormat format,
                const ResultSelection *selection, bool units, bool quiet)
{
    int error = 0;
    Mem *mem = mem_open();
    if (!mem)
        return explain(RESULT_NO_MEMORY, output, 0);
    ResultReader *reader = result_open(mem, input);
    if (units)
        result_name_units(reader);
    ResultExport verdict = format == EXPORT_MAT
                               ? result_to_mat(mem, reader, output, selection, &error)
                               : result_to_csv(mem, reader, output, selection, &error);
    report_end(reader, input, verdict, quiet);
    bool damaged = result_end(reader) == RESULT_DAMAGED;
    result_close_reader(reader);
    mem_close(mem);
    int code = explain(verdict, output, error);
    return code == EXIT_DONE && damaged ? EXIT_IO : code;
}
