/* cout.h: what `cout << e` shows. Private to runtime/. */
#ifndef RUNTIME_EVENT_COUT_H
#define RUNTIME_EVENT_COUT_H

#include "runtime/event/event.h"

/* At the end of an update in which a `when` acts: what stands in it is noted, it is gone in the next update. */
void cout_note(Sim *sim);
/* The event begins again: what was noted did not happen. */
static inline void cout_forget(Sim *sim)
{
    vec_clear(&sim->record.noted);
}
typedef void CoutShow(Sim *sim, const char *text);
/* At a point: what was noted, then what has a new value. */
void cout_show(Sim *sim, CoutShow *to);

/* Is it what a `cout` shows? */
static inline bool cout_shows(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->record.couts.n; i++)
        if (sim->record.couts.at[i].var == var)
            return true;
    return false;
}

#endif
