/* leaf_reads.h: what the variables of a leaf depend on. Private to runtime/. */
#ifndef RUNTIME_EVAL_LEAF_READS_H
#define RUNTIME_EVAL_LEAF_READS_H

#include "runtime/eval/eval.h"

/* Columns: what depends on more is a column of its own (pattern.c); and most variables that a leaf may read. */
enum { PATTERN_KEEP_FROM = 6, LEAF_MOST_IN = 64 };

/* What a leaf reads, for a run of explicit nodes. It lives as long as the code of the leaf. */
typedef struct LeafReads {
    uint32_t n_in, n_out;
    DdpVar *in;   /* [n_in]: variables from outside that may vary */
    DdpVar *out;  /* [n_out]: determined by the leaf, in order */
    uint64_t *of; /* [n_out]: bits of those of `in` that it depends on */
} LeafReads;
const LeafReads *leaf_reads(Sim *sim, Leaf *leaf); /* NULL: a loop, or it reads too much */

#endif
