/* save.h: the journal behind sol_save(): everything that made the structure what it is. Private to
 * runtime/.
 *
 * Instances, relations and schedule are not written out. They follow from the commands that the
 * simulation gave, and from the values it answered when the front end asked; these are kept, in
 * order, and done again in the other process. Both layers promise that what they do depends on
 * nothing but the history of commands. The journal grows with the number of structural changes, so
 * it is kept only when the options say that the simulation will be saved. */
#ifndef RUNTIME_SAVE_H
#define RUNTIME_SAVE_H

#include "ddp/ddp.h"
#include "frontend/world.h"

typedef struct Sim Sim;
typedef struct Journal Journal;

void journal_open(Sim *sim); /* Sim.journal */
void journal_close(Sim *sim);

/* Each does nothing when there is no journal, or when it is being done again. */
void journal_create(Sim *sim);
void journal_take_changes(Sim *sim);
void journal_choose(Sim *sim, uint32_t n, const WorldDecision *list);
void journal_commit(Sim *sim, DdpCommit kind);
void journal_advise(Sim *sim, DdpRel rel, DdpVar var);
/* What the front end reads: the value as it is now, or, while the journal is done again, as it was.
 */
bool journal_read(Sim *sim, bool has, double *value);

bool journal_replaying(const Sim *sim);

#endif
