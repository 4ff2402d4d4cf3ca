/* result_int.h: the record types of the result file, for its writer and its reader. */
#ifndef RUNTIME_RESULT_INT_H
#define RUNTIME_RESULT_INT_H

#include "runtime/results/result.h"

/* The first bytes of a file: this and the version. As in PNG, the line ends in it show a file that
 * a transfer as text has changed. */
#define RESULT_MAGIC "SOLR\r\n\x1a\n"

enum {
    RESULT_MAGIC_LENGTH = 8,
    RESULT_FILE_HEAD = 12,  /* magic, u32 version */
    RESULT_RECORD_HEAD = 9, /* u32 length of the payload, u32 checksum, u8 type */
    RESULT_SUM_FROM = 8,    /* the checksum covers type and payload */

    /* types of records */
    REC_HEADER = 'H',
    REC_BIRTH = 'B',
    REC_DRAWN = 'G', /* of the column born next */
    REC_UNIT = 'u',  /* likewise */
    REC_DEATH = 'D',
    REC_RETURN = 'U',
    REC_TEXT = 'T',
    REC_ROW = 'R',    /* every living column */
    REC_DELTA = 'r',  /* those whose bits changed, after a bit for each that lives */
    REC_STATES = 'S', /* what the event that follows did in its updates */
    REC_EVENT = 'E',
    REC_IF = 'C',       /* a condition, for the modes */
    REC_IF_NAMES = 'c', /* names of its branches */
    REC_MODE = 'M',
    REC_NOTE = 'N',
    REC_FINISH = 'Z'
};

#endif
