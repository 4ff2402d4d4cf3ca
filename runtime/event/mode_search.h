/* mode_search.h: an event whose updates take turns -> one combination of its modes that agrees with
 * its consequences, or none.
 *
 * All conditions that fired are taken together (U2); that may lead round in a circle: two diodes
 * open each other's way, a contact that breaks loose lets another one stick. When modes, held
 * values and decisions of an update return exactly as they were before at this time, the search
 * begins. It goes through combinations by what the model itself does, one condition after the
 * other, so that every combination is one that the model can reach and remembers as its own. */
#ifndef RUNTIME_EVENT_MODE_SEARCH_H
#define RUNTIME_EVENT_MODE_SEARCH_H

#include "runtime/event/event.h"

void mode_search_begin(Sim *sim); /* an event begins */
void mode_search_close(Sim *sim);
bool mode_search_is_tight(const Sim *sim);    /* several events follow each other at once */
bool mode_search_is_tolerant(const Sim *sim); /* the tolerance of the integrator counts */

/* How exactly the time of the event is known, as far as comparisons have told; 0 where that does not count. */
double mode_search_moment(const Sim *sim);
void mode_search_blur(Sim *sim, double moment); /* one has: rounding moves it by as much */

/* An update has decided: Sim.decide.decisions. In a search all but one of the conditions that could wait
 * are put off. False: no combination was found, messages say so. */
bool mode_search_choose(Sim *sim);

/* An update has been evaluated: in a search, comparisons within rounding of their boundary are
 * decided by the side they leave to in this structure. `acting`: a `when` acts in it. */
SolStatus mode_search_settle(Sim *sim, bool acting);

bool mode_search_returns(const Sim *sim); /* to where the event began */

/* Has it gone back to the beginning of the event in the update that ends? Said once. */
bool mode_search_returned(Sim *sim);

/* The event has come to rest: true if another attempt begins. */
bool mode_search_again(Sim *sim);
/* The combination that is tried cannot be solved: true if another attempt begins. */
bool mode_search_failed(Sim *sim);

void mode_search_tell(Sim *sim); /* a note: what was tried, if anything was */

#endif
