/* table.h: files of numbers, interpolated: what the predefined model `table` reads.
 *
 * A file is lines of numbers, separated by blanks, tabs, commas or semicolons; the first column is
 * the abscissa and must ascend. Empty lines and lines that start with '#' are skipped, and so is a
 * first line of names. Column 2 is the first one beside the abscissa. Between the lines values are
 * interpolated linearly, outside they stay as they are at the ends. */
#ifndef RUNTIME_TABLE_H
#define RUNTIME_TABLE_H

#include "base/mem.h"

typedef struct TableSet TableSet;

TableSet *tables_open(Mem *mem);
void tables_close(TableSet *tables);

/* The value at x in column `column` of the file (looked for beside `model_file` unless absolute),
 * or the slope there; at a line of the file the slope to the right. False with a message that names
 * the file. */
bool tables_value(TableSet *tables, const char *model_file, const char *file, double column,
                  double x, bool slope, double *value, char *message, size_t size);

/* What is wrong with the first file that cannot be used, with its name; NULL: nothing. */
const char *tables_complaint(const TableSet *tables);

#endif
