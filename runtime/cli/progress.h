/* progress.h: how far a run is -> one line on the terminal, drawn again a few times a second. */
#ifndef RUNTIME_CLI_PROGRESS_H
#define RUNTIME_CLI_PROGRESS_H

#include "runtime/solstice.h"

typedef struct Progress {
    bool shown; /* stderr is a terminal and nobody asked for quiet */
    bool drawn; /* a line stands there */
    double start, stop;
    double began, next; /* on the clock: start of the run, time of the next drawing */
} Progress;

void progress_start(Progress *progress, bool quiet, double start, double stop);
void progress_draw(Progress *progress, const Sol *sim, double time); /* when it is time to */
void progress_clear(Progress *progress); /* before something else is written */

#endif
