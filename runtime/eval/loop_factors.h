/* loop_factors.h: the factors of a loop's sparse system. Private to eval/. */
#ifndef RUNTIME_EVAL_LOOP_FACTORS_H
#define RUNTIME_EVAL_LOOP_FACTORS_H

#include "runtime/eval/loop_whole.h"

/* By the last factors, roughly: were more digits than this lost in making them? */
bool loop_factors_lose_digits(LoopWhole *whole, double most);

/* The next factors are made anew, and all from now on with the largest pivots, at the cost of fill. */
void loop_factors_be_strict(Sim *sim, LoopWhole *whole);

/* Where the next factors begin (which pivots, how strict), whoever asked for some in between: as it is now; as it was then. What
 * was never noted is made of the derivatives alone. */
void loop_factors_note(Sim *sim, LoopWhole *whole);
void loop_factors_put(Sim *sim, LoopWhole *whole);
bool loop_factors_are_first(const LoopWhole *whole); /* they were made of the derivatives alone */

#endif
