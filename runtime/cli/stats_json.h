/* stats_json.h: statistics of a run and its events -> JSON, as docs/running.md names the fields. */
#ifndef RUNTIME_CLI_STATS_JSON_H
#define RUNTIME_CLI_STATS_JSON_H

#include "base/mem.h"
#include "runtime/results/outfile.h"
#include "runtime/solstice.h"

typedef struct EventList EventList;

/* Keeps the first `limit` events, counts all. */
EventList *events_open(Mem *mem, uint64_t limit);
void events_close(EventList *events);
void events_add(void *events, const SolEvent *event); /* fits sol_set_event(); sets its own guard */
uint64_t events_structural(const EventList *events);

typedef struct StatsHead { /* what was run, for whoever finds the file */
    const char *file, *model, *options;
    double start, stop, reached;
    int exit_code;
    const char *terminated;      /* why the model ended the run; NULL: it did not */
    const SolAudit *audit;       /* NULL: none */
    const SolRealtime *realtime; /* likewise */
} StatsHead;

void stats_write(OutFile *out, const StatsHead *head, const SolStats *stats,
                 const EventList *events);

#endif
