/* export.h: result file -> CSV or MAT, with messages for people; shared by `run` and `convert`. */
#ifndef RUNTIME_CLI_EXPORT_H
#define RUNTIME_CLI_EXPORT_H

#include "runtime/results/result.h"

typedef enum ExportFormat { EXPORT_BY_NAME, EXPORT_CSV, EXPORT_MAT } ExportFormat;

/* By the end of the name: .csv, .mat; otherwise EXPORT_BY_NAME (not known). */
ExportFormat export_format(const char *output);

/* An exit code; messages on stderr, those about a cut or damaged input included unless quiet. */
int export_file(const char *input, const char *output, ExportFormat format,
                const ResultSelection *selection, bool units, bool quiet);

#endif
