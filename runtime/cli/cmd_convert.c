/* cmd_convert.c: `solstice convert`: result file -> CSV or MAT. */
#include "runtime/cli/export.h"
#include "runtime/cli/options.h"

#include <string.h>

static const char *const formats[] = {"by-name", "csv", "mat", NULL}; /* as ExportFormat */

static int run_convert(int argc, char **argv)
{
    Args args = args_begin(&cli_convert, argc, argv);
    OptionTexts patterns = {0};
    uint32_t format = EXPORT_BY_NAME, n;
    bool quiet = false, units = false;
    const char *files[2];
    const Option options[] = {{"--to", OPTION_CHOICE, &format, formats, false},
                              {"--vars", OPTION_TEXTS, &patterns, NULL, false},
                              {"--header-units", OPTION_FLAG, &units, NULL, false},
                              {"--quiet", OPTION_FLAG, &quiet, NULL, false}};
    int code = options_read(&args, 4, options, NULL, 2, files, &n, NULL);
    if (code != EXIT_DONE)
        return code;
    if (n == 0)
        return args_fail(&args, "which result file?");
    const char *output = n == 2 ? files[1] : "-";
    if (format == EXPORT_BY_NAME)
        format = strcmp(output, "-") == 0 ? EXPORT_CSV : export_format(output);
    if (format == EXPORT_BY_NAME)
        return args_fail(&args, "'%s' ends with neither .csv nor .mat: add --to csv or --to mat",
                         output);
    if (strcmp(files[0], output) == 0)
        return args_fail(&args, "'%s' would overwrite itself", output);
    return export_file(files[0], output, (ExportFormat)format,
                       &(ResultSelection){patterns.n, patterns.at}, units, quiet);
}

const Command cli_convert = {
    "convert",
    "writes a result file in another format",
    "usage: solstice convert RESULT.solr [OUTPUT] [options]\n\n"
    "Writes the result as comma-separated values (OUTPUT ends with .csv) or as a MAT file of\n"
    "level 4 as Modelica tools read it (.mat). Without OUTPUT, or with '-', CSV goes to standard\n"
    "output. Cells of variables that do not exist at a time are empty (CSV) or NaN (MAT). A\n"
    "result whose run was cut short is converted as far as it goes.\n\n"
    "  --vars GLOB    only variables whose path fits, '*' any text, '?' one character;\n"
    "                 may be given several times\n"
    "  --to csv|mat   the format, whatever the name\n"
    "  --header-units units in the first line of CSV: 'v [m/s]'\n"
    "  --quiet        no warning about a result that was cut short\n\n"
    "examples:\n"
    "  solstice convert Machine.solr Machine.csv\n"
    "  solstice convert Machine.solr --vars 'engine.*' | head\n"
    "  solstice convert Machine.solr Machine.mat\n",
    run_convert,
};
