/* mode_trace.h: what the search over modes asks of the structure. Private to runtime/event/. */
#ifndef RUNTIME_EVENT_MODE_TRACE_H
#define RUNTIME_EVENT_MODE_TRACE_H

#include "runtime/event/event.h"

#include "base/map.h"

uint64_t mode_combination(const Sim *sim);
/* The next larger number with as many bits set, or the first with one more; 0 behind the last of n bits. */
uint32_t mode_next_subset(uint32_t bits,
                          uint32_t n);    /* of branches that are there, and of what is held */
bool mode_moves(Sim *sim, DdpNode first); /* does it depend on what moves? */
bool mode_can_wait(Sim *sim, const WorldDecision *decision);
/* Adds to `known` what varies and determines the condition at this time, states excepted; or only asks whether some of it is known. */
bool mode_trace_condition(Sim *sim, BranchId id, Map *known, bool ask);

#endif
