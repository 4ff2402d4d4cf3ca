/* result_index.h: where the rows of a result stand, so that some columns, or rows in the middle, are read without all that is
 * between. */
#ifndef RUNTIME_RESULT_INDEX_H
#define RUNTIME_RESULT_INDEX_H

#include "runtime/results/result.h"

typedef struct ResultIndex ResultIndex;

typedef struct ResultWanted {
    uint64_t from, count; /* rows */
    double *times;        /* [count], or NULL */
    uint8_t *sides;       /* likewise */
    uint32_t n;
    const uint32_t *columns; /* [n] */
    double *const *values;   /* [n], each [count] or NULL */
} ResultWanted;

ResultIndex *result_index_open(Mem *mem);
void result_index_close(ResultIndex *index); /* NULL is fine */

/* The pass that makes it tells each record that result_next() gave, and where the reader stood before. */
void result_index_note(ResultIndex *index, const ResultReader *reader, const ResultRecord *record,
                       uint64_t before);
bool result_index_usable(const ResultIndex *index); /* false: it would have been too large */

/* Rows that the pass saw. The reader stays where it stands. False: the file is not what it was. */
bool result_index_read(ResultIndex *index, const ResultReader *reader, const ResultWanted *wanted);

#endif
