/* oracle_int.h: what the files of the oracle share. Rows are relations, columns are unknowns. */
#ifndef TESTS_ORACLE_INT_H
#define TESTS_ORACLE_INT_H

#include "base/vec.h"
#include "tests/support/oracle.h"

#define ORACLE_NONE UINT32_MAX

/* ---- graphs (oracle_graph.c) ---- */

/* Node i has the neighbours to[start[i]] .. to[start[i + 1] - 1]. */
typedef struct OracleGraph {
    uint32_t n;
    const uint32_t *start; /* n + 1 */
    const uint32_t *to;
} OracleGraph;

typedef struct OracleEdge {
    uint32_t from, to;
} OracleEdge;

OracleGraph oracle_graph(Arena *arena, uint32_t n, uint32_t n_edges, const OracleEdge *edges);
/* Maximum matching of rows (nodes of the graph) with columns 0..cols-1; ORACLE_NONE: not matched.
 */
uint32_t oracle_match(Arena *arena, OracleGraph graph, uint32_t cols, uint32_t *row_match,
                      uint32_t *col_match);
/* comp[node]: its strong component; a component is numbered after all it leads to. Returns how
 * many. */
uint32_t oracle_strong(Arena *arena, OracleGraph graph, uint32_t *comp);

/* ---- the system by rows and columns ---- */

typedef struct OracleEntry {
    uint32_t col;
    uint8_t sigma; /* order of the derivative that occurs: 1 only for b in a = der(b) */
    bool may;      /* the relation may determine it */
} OracleEntry;

typedef struct OracleRow {
    DdpRel rel;
    uint32_t n;
    OracleEntry *entry; /* one per column */
    uint32_t match;     /* column it determines at the highest order */
    uint32_t c;         /* times it is differentiated */
    uint32_t base;      /* of its rows base + k, k = 0..c, in the differentiated system */
} OracleRow;

typedef struct OracleCol {
    DdpVar var;
    uint32_t match; /* row */
    uint32_t d;     /* highest derivative */
    uint32_t base;  /* of its columns base + l, l = 0..d */
} OracleCol;

typedef struct OracleTape OracleTape;

struct Oracle {
    Mem *mem;
    Arena arena;
    const OracleSystem *sys;
    uint32_t m, n; /* rows, columns */
    OracleRow *row;
    OracleCol *col;
    uint32_t *var_col; /* [var]: its column or ORACLE_NONE */
    uint32_t *rel_row; /* [rel]: its row or ORACLE_NONE */
    DdpVerdict verdict;
    DdpPart over, under, false_causal;
    bool undecided; /* more choices of states than were looked at */
    uint32_t states;
    uint32_t full_m, full_n; /* rows and columns of the differentiated system */
    OracleTape **tape;       /* [row]: 0 for derivative relations */
    double *z;               /* [full column]: value of the derivative */
    double condition;
    uint32_t blocks, largest;
};

/* ---- index (oracle_index.c) ---- */

/* Offsets c, d of all rows and columns; false when a transmission would have to be differentiated
 * without end, that is: depends on its own derivative. */
bool oracle_offsets(Oracle *o);

/* ---- causal relations in loops (oracle_false.c) ---- */

void oracle_find_false(Oracle *o);

/* ---- numerics ---- */

/* (oracle_jet.c) The residual of row i differentiated 0..c times, at z and the values of what is no
 * unknown: f[0..c]. With dense jac (rows of full_n numbers) also rows base..base+c of the Jacobian.
 */
void oracle_tapes(Oracle *o);
void oracle_residual(Oracle *o, uint32_t row, const double *value, double *f, double *jac);

#endif
