/* cell_model.h: systems of many equal components, straight through ddp.h, for counts and times.
 *
 * A cell has 25 relations: a pin, a conductance, a capacity (one state), a loop of three and a
 * chain of outputs. Cells stand alone, or hang on one common node: each pin copies the node's
 * potential, and the currents are summed by a tree of partial sums of at most 8 terms.
 */
#ifndef TESTS_CELL_MODEL_H
#define TESTS_CELL_MODEL_H

#include "ddp/ddp.h"
#include "base/vec.h"

enum { CELL = 25, FANOUT = 8 };

typedef struct Cell {
    DdpVar var[CELL];
    DdpRel rel[CELL];
    uint32_t leaf; /* partial sum that holds its current */
} Cell;

typedef struct Leaf {
    DdpVar sum;
    DdpRel rel;
    uint32_t n;
    DdpVar term[FANOUT];
} Leaf;

typedef struct CellModel {
    Mem *mem;
    FormTable *forms;
    Ddp *ddp;
    bool common;
    DdpVar source, gain, node, clock;
    Form copy, flow, slope, loop[3], other, start, next[2], sum[FANOUT + 1], drive[2];
    DdpRel driven; /* common node: by this relation */
    uint32_t drives;
    VEC(Cell) cells;
    VEC(Leaf) leaves; /* sums of currents; sums of sums are not kept */
} CellModel;

/* At least `relations` relations, entered but not committed. */
CellModel *cell_open(Mem *mem, uint32_t relations, bool common);
void cell_close(CellModel *model);

/* Changes of the size of a cell, each to be committed: */
uint32_t cell_add(CellModel *model, uint32_t leaf); /* index of the new cell */
void cell_replace(CellModel *model,
                  uint32_t cell); /* 11 relations by others, 5 of another structure */
void cell_remove(CellModel *model, uint32_t cell);
void cell_redrive(CellModel *model); /* another source at the common node */

#endif
