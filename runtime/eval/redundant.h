/* redundant.h: equations that say nothing new by their numbers -> set aside; what that leaves open -> closed.
 *
 * Each is asked while the structure may still change, and gives commands; true: commit and look again. Private to
 * runtime/. */
#ifndef RUNTIME_EVAL_REDUNDANT_H
#define RUNTIME_EVAL_REDUNDANT_H

#include "runtime/eval/eval.h"

bool redundant_loop(Sim *sim, const EvalNode *node); /* that is singular */
bool redundant_over(Sim *sim);                       /* the overdetermined part */
bool redundant_close(Sim *sim);                      /* the underdetermined part */
bool redundant_is_open(const Sim *sim); /* was something set aside that is not closed? */

/* While time goes on: has the part relations that were set aside and closed? Then, with the part evaluated: does one of them no
 * longer hold, or would others be set aside now? Those were taken back, and an event is due in which it is found anew. */
bool redundant_concerns(const Part *part);
bool redundant_turned(const Part *part);

#endif
