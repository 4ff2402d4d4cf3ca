/* conditions.h: what conditions remember. Private to runtime/event/. */
#ifndef RUNTIME_EVENT_CONDITIONS_H
#define RUNTIME_EVENT_CONDITIONS_H

#include "runtime/event/event.h"

/* The branch has this condition from now on; 0: none. */
void condition_count(Sim *sim, BranchMemo *memo, DdpVar var);
/* Does this update decide it? Else it keeps its truth and fires nothing. */
bool condition_is_decided(const Sim *sim, DdpVar condition);
/* The truth of a condition in this update. */
bool condition_truth(const Sim *sim, const BranchMemo *memo, DdpVar condition);
/* Is it remembered as true, and has not been false since? */
bool condition_remembered(const BranchMemo *memo, double time);

/* ---- firings.c ---- */

void firings_note(Sim *sim, BranchId id, BranchMemo *memo); /* it fires */
SolStatus firings_end(
    Sim *sim); /* a phase begins: an error where one fired ever faster, and goes on holding now */
SolStatus firings_ran_away(Sim *sim); /* Sim.decide.runaway fires ever faster: says so */

#endif
