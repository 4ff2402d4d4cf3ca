/* write_result.c: a number of rows -> result file, for tests that need one or kill its writer.
 *
 *     write_result FILE ROWS      rows 0, 1, 2, ...; x = row, y = 2 * row lives in every other hundred
 *
 * ROWS 0: until it is killed. */
#include "runtime/results/result.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    long rows = atol(argv[2]);
    double v[2];
    Mem *mem = mem_open();
    ResultWriter *w = result_create(mem, argv[1], 1, &(ResultPair){"model", "Rows"});
    uint32_t x = result_birth(w, "x", RESULT_REAL, RESULT_STATE, 0);
    uint32_t y = result_birth(w, "y", RESULT_REAL, 0, 1);
    (void)x;
    for (long row = 0; (rows == 0 || row < rows) && !result_error(w); row++) {
        if (row % 200 == 100)
            result_death(w, y);
        else if (row % 200 == 0 && row > 0)
            result_return(w, y, 1);
        v[0] = (double)row;
        v[1] = 2.0 * (double)row;
        result_row(w, (double)row, RESULT_AT_POINT, v);
    }
    result_finish(w, (double)rows, 0, "");
    int error = result_error(w);
    result_close(w);
    mem_close(mem);
    return error ? 4 : 0;
}
