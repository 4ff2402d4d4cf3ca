/* sim_lab.h: a model run by a test: load, run, compare. A failure prints the model's messages. */
#ifndef TESTS_SIM_LAB_H
#define TESTS_SIM_LAB_H

#include "runtime/solstice.h"

enum { SIM_LAB_EVENTS = 4096 };

/* Every run of a lab is audited, unless its options name a bound of their own. */
#define SIM_LAB_AUDIT 1e-9
#define SIM_LAB_UNAUDITED -1.0 /* for tests that count what a run does */

typedef struct SimLab {
    SolModel *model;
    Sol *sim;
    uint32_t n_events; /* counted; the first SIM_LAB_EVENTS are kept */
    double event_time[SIM_LAB_EVENTS];
    SolEvent event[SIM_LAB_EVENTS]; /* without its texts */
    uint64_t hash;                  /* of all values at all points */
    uint64_t points;
    uint32_t n_tracked;
    const char *tracked[8]; /* paths whose extremes are kept */
    double least[8], most[8];
} SimLab;

/* FILE in tests/sim, its model by designator (NULL: the last). Aborts when it cannot be created. */
SimLab *sim_lab_open(const char *file, const char *designator, const SolOptions *options);
SimLab *sim_lab_text(const char *text, const SolOptions *options);
void sim_lab_track(SimLab *lab, const char *path); /* before the first run */
/* Runs; prints messages and returns the status. */
SolStatus sim_lab_run(SimLab *lab, double time);
double sim_lab_value(SimLab *lab, const char *path);    /* NaN: no such variable */
bool sim_lab_said(const SimLab *lab, const char *text); /* some message contains it */
void sim_lab_close(SimLab *lab);

#endif
