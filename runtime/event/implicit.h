/* implicit.h: `if`s that are solved together with their content -> branches that agree with what follows from them.
 *
 * Such an `if` is one equation of several pieces (frontend/implicit.h), so its branch is exchanged in the update itself: nobody
 * else sees a piece that does not hold. */
#ifndef RUNTIME_EVENT_IMPLICIT_H
#define RUNTIME_EVENT_IMPLICIT_H

#include "runtime/event/event.h"

/* ---- implicit_reads.c ---- */

bool implicit_is(const Sim *sim, BranchId id); /* may it be such an `if`? */
bool implicit_is_solved(
    Sim *sim, BranchId id); /* does the branch that is there determine its own condition? */

/* Have the two the same condition, or conditions of the same text about the same variables? They have one truth. */
bool implicit_is_alike(const Sim *sim, BranchId a, BranchId b);

/* ---- implicit_starts.c ---- */

void implicit_committed(
    Sim *sim); /* states that come back have the value they had before this update */
void implicit_keep_starts(Sim *sim); /* before they are forgotten: another branch may need them */
void implicit_drop_start(Sim *sim, DdpRel rel);
bool implicit_is_started(const Sim *sim,
                         DdpVar var); /* it got a value in this update, by a start or `reinit` */
void implicit_close(Sim *sim);

/* ---- implicit.c ---- */

/* Values have been computed, with this status and what was told behind so many messages: exchanges branches until all such
 * `if`s agree with theirs. Where several combinations are tried, one that makes no state jump is taken before one that does. */
SolStatus implicit_agree(Sim *sim, SolStatus status, uint32_t messages);
SolStatus implicit_settle(Sim *sim); /* structure_settle, with that */
SolStatus implicit_finish(Sim *sim); /* structure_finish, likewise */

#endif
