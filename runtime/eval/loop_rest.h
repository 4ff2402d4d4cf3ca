/* loop_rest.h: a linear loop that leaves nothing but 0 for a place -> a warning. Private to runtime/. */
#ifndef RUNTIME_EVAL_LOOP_REST_H
#define RUNTIME_EVAL_LOOP_REST_H

#include "runtime/eval/eval.h"

/* Of new nodes, which are solved: each loop of components that does, once for each place in the text. */
void loop_rest_tell(Sim *sim, const NodeList *list);

#endif
