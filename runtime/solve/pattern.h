/* pattern.h: which unknowns the residuals of a part depend on. Private to runtime/. */
#ifndef RUNTIME_SOLVE_PATTERN_H
#define RUNTIME_SOLVE_PATTERN_H

#include "runtime/eval/segment_reads.h"
#include "runtime/solve/solve.h"

/* A segment of the dynamics as tangents pass through it. */
typedef struct PatternSegment {
    Segment *segment;
    uint64_t colours;      /* bit k % 64: colour k may pass; the others leave all its tangents 0 */
    uint32_t kept, n_kept; /* columns of what is kept behind it */
    uint32_t row;          /* an outer loop: of its first residual */
    uint32_t target;       /* first of its variables in Pattern.target */
} PatternSegment;

/* Rows and columns: the n unknowns of the integrator, then what is kept (pattern.c). */
typedef struct Pattern {
    uint32_t n, m;
    VEC(DdpVar) var; /* [m]: of the columns */
    VEC(int) column; /* [m + 1]: compressed columns, rows ascending */
    VEC(int) row;    /* [column[m]] */
    uint32_t n_colours;
    VEC(uint32_t) colour;      /* [m] */
    VEC(uint32_t) colour_from; /* [n_colours + 1]: where its columns begin in by_colour */
    VEC(uint32_t) by_colour;   /* [m] */
    VEC(PatternSegment) segments;
    VEC(DdpVar) target; /* all variables that the segments determine */
    bool listed;        /* segments and target are */
    uint64_t passing;   /* bit k % 64: colour k passes through some segment */
} Pattern;

/* A variable that depends on more than `most` columns is kept. Zeroed before it is made first; its
 * memory is used again when it is made anew. */
void pattern_make(Part *part, Pattern *pattern, uint32_t most);
/* Of tangents segment by segment, for a pattern that came from a tape. */
void pattern_list_segments(Part *part, Pattern *pattern);
bool pattern_same(const Pattern *a, const Pattern *b); /* rows and columns */
void pattern_free(Mem *mem, Pattern *pattern);
void pattern_free_scratch(Sim *sim);

#endif
