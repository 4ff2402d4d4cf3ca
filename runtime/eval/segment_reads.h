/* segment_reads.h: what the variables of a segment depend on. Private to runtime/. */
#ifndef RUNTIME_EVAL_LEAF_READS_H
#define RUNTIME_EVAL_LEAF_READS_H

#include "runtime/eval/eval.h"

/* Columns: what depends on more is a column of its own (pattern.c); and most variables that a segment may read. */
enum { PATTERN_KEEP_FROM = 6, SEGMENT_MOST_IN = 64 };

/* What a segment reads, for a run of explicit nodes. It lives as long as the code of the segment. */
typedef struct SegmentReads {
    uint32_t n_in, n_out;
    DdpVar *in;   /* [n_in]: variables from outside that may vary */
    DdpVar *out;  /* [n_out]: determined by the segment, in order */
    uint64_t *of; /* [n_out]: bits of those of `in` that it depends on */
} SegmentReads;
const SegmentReads *segment_reads(Sim *sim,
                                  Segment *segment); /* NULL: a loop, or it reads too much */

#endif
