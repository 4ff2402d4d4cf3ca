/* list_code.h: assignments over a vector of the caller's own -> values and tangents. Private to runtime/.
 *
 * The step of an integrator that solves model and method together (solve/inline.c) has variables for each of its stages,
 * in a vector that is not Sim.value. Its assignments are done in order, in blocks of bounded size that have native code
 * as segments have (block_code.h), and shapes in common with them; until it is there the interpreter computes the same bits.
 */
#ifndef RUNTIME_EVAL_LIST_CODE_H
#define RUNTIME_EVAL_LIST_CODE_H

#include "jit/shape.h"
#include "runtime/eval/eval.h"

typedef struct ListCode ListCode;

/* Each item has a target; their `vars` stay as long as the list. */
ListCode *list_code_open(Sim *sim, uint32_t n, const ShapeItem *items);
void list_code_close(Sim *sim, ListCode *list); /* NULL is fine */

const ShapeItem *list_code_items(const ListCode *list, uint32_t *n);

/* Asks for the code of tangents now, so that no step in real time waits for it. */
void list_code_want_tangents(Sim *sim, ListCode *list);

void list_code_values(Sim *sim, ListCode *list, double *values);
/* Values, and derivatives in the direction `tangents`. */
void list_code_tangents(Sim *sim, ListCode *list, double *values, double *tangents);

#endif
