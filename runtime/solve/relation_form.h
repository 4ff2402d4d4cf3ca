/* relation_form.h: a relation as a node of the schedule has it. Private to runtime/. */
#ifndef RUNTIME_SOLVE_RELATION_FORM_H
#define RUNTIME_SOLVE_RELATION_FORM_H

#include "runtime/solve/solve.h"

/* The equation behind an operation of a node, over the operation's variables: as it is written, with functions that jump as
 * what the last event made of them. *n: its positions. */
Form relation_form(Sim *sim, const EvalNode *node, uint32_t op, uint32_t *n);

#endif
