/* result_writer.h: what a writer of a result file keeps. Private to result_write.c and
 * result_continue.c. */
#ifndef RUNTIME_RESULT_WRITER_H
#define RUNTIME_RESULT_WRITER_H

#include "base/map.h"
#include "base/vec.h"
#include "runtime/results/outfile.h"
#include "runtime/results/result_int.h"

typedef struct LiveColumn {
    uint32_t column;
    uint32_t source;
    uint8_t type;
    bool dead;   /* to be taken out before the next row */
    bool fresh;  /* no row had it yet */
    double last; /* value in the last row; 0 before the first */
} LiveColumn;

struct ResultWriter {
    Mem *mem;
    OutFile out;
    VEC(LiveColumn) live; /* ascending column */
    bool has_dead;
    uint32_t n_columns, n_strings; /* born so far; living columns of type String */
    VEC(uint8_t) types;            /* types.at[column] */
    VEC(uint8_t) record;           /* the record being built, head included */
    Map texts;                     /* String values whose text is in the file */
    Map modes;                     /* hash of path and condition -> number of the `if`, from 1 */
    VEC(uint8_t) choices;          /* choices.at[number]: ResultChoice written last */
    ResultText text;
    void *text_context;
    double flushed_at;
    uint64_t last_record; /* where it begins */
};

ResultWriter *result_new_writer(Mem *mem); /* without a file */

#endif
