/* stats_json.c: statistics -> JSON. See stats_json.h. */
#include "runtime/cli/stats_json.h"
#include "base/vec.h"
#include "runtime/results/json.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { SECONDS = 9, MICROSECONDS = 3 }; /* digits behind the point: nanoseconds */

struct EventList {
    Mem *mem;
    Arena texts;
    uint64_t limit, count, structural;
    VEC(SolEvent) list;
};

EventList *events_open(Mem *mem, uint64_t limit)
{
    EventList *events = mem_alloc(mem, sizeof *events);
    events->mem = mem;
    events->limit = limit;
    arena_init(&events->texts, mem);
    return events;
}

void events_close(EventList *events)
{
    if (!events)
        return;
    arena_free(&events->texts);
    vec_free(events->mem, &events->list);
    mem_free(events->mem, events);
}

static void keep(EventList *events, const SolEvent *event)
{
    SolEvent copy = *event;
    const char **triggers = arena_alloc(&events->texts, (event->n_triggers + 1) * sizeof *triggers);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        triggers[i] = arena_copy(&events->texts, event->triggers[i], strlen(event->triggers[i]));
    copy.triggers = triggers;
    uint32_t *states = arena_alloc(&events->texts, (event->n_changes + 1) * sizeof *states);
    for (uint32_t i = 0; i < event->n_changes; i++)
        states[i] = event->states[i];
    copy.states = states;
    vec_push(events->mem, &events->list, copy);
}

void events_add(void *context, const SolEvent *event)
{
    EventList *events = context;
    MemGuard guard;
    events->count++;
    events->structural += event->structural;
    if (events->list.n >= events->limit)
        return;
    mem_guard_push(events->mem, &guard);
    if (setjmp(guard.env) == 0) {
        keep(events, event);
        mem_guard_pop(events->mem, &guard);
    } else {
        events->limit = events->list.n; /* no memory for more of them: the list is cut here */
    }
}

uint64_t events_structural(const EventList *events)
{
    return events->structural;
}

/* Not from getrusage where the system tells more: its peak contains that of the process that called
 * exec, such as a script that started us. */
static uint64_t peak_rss_bytes(void)
{
    struct rusage usage;
    char line[128];
    unsigned long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && !kilobytes && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %lu kB", &kilobytes);
    if (status)
        fclose(status);
    if (kilobytes)
        return (uint64_t)kilobytes * 1024;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void write_head(Json *json, const StatsHead *head)
{
    json_text(json, "program", "solstice " SOLSTICE_VERSION);
    json_text(json, "file", head->file);
    json_text(json, "model", head->model);
    json_text(json, "options", head->options);
    json_number(json, "start", head->start);
    json_number(json, "stop", head->stop);
    json_number(json, "reached", head->reached);
    json_integer(json, "exit_code", (uint64_t)head->exit_code);
    if (head->terminated)
        json_text(json, "terminated", head->terminated);
}

static void write_stages(Json *json, const SolStats *s)
{
    json_object(json, "stages");
    json_measured(json, "parse", s->parse, SECONDS);
    json_measured(json, "instantiate", s->instantiate, SECONDS);
    json_measured(json, "ddp", s->ddp, SECONDS);
    json_measured(json, "lower", s->lower, SECONDS);
    json_measured(json, "compile_wait", s->compile_wait, SECONDS);
    json_measured(json, "compile_background", s->compile_background, SECONDS);
    json_measured(json, "integrate", s->integrate, SECONDS);
    json_measured(json, "events", s->events, SECONDS);
    json_measured(json, "output", s->output, SECONDS);
    json_measured(json, "total", s->total, SECONDS);
    json_end_object(json);
}

static void write_parts(Json *json, const SolStats *s)
{
    json_object(json, "parts");
    json_integer(json, "at_end", s->parts);
    json_integer(json, "most", s->parts_max);
    json_object(json, "simulated_time");
    json_number(json, "ida", s->time_ida);
    json_number(json, "rk", s->time_rk);
    json_number(json, "euler", s->time_euler);
    json_number(json, "rodas", s->time_rodas);
    json_number(json, "inline", s->time_inline);
    json_number(json, "dae", s->time_dae);
    json_end_object(json);
    json_object(json, "form");
    json_integer(json, "dae_parts", s->dae_parts);
    json_integer(json, "dae_equations", s->dae_equations);
    json_integer(json, "dae_constraints", s->dae_constraints);
    json_integer(json, "dae_nonzeros", s->dae_nonzeros);
    json_integer(json, "ode_nonzeros", s->ode_nonzeros);
    json_end_object(json);
    json_integer(json, "solver_changes", s->method_changes);
    json_end_object(json);
}

static void write_code(Json *json, const SolStats *s)
{
    json_object(json, "code");
    json_integer(json, "waits", s->code_waits);
    json_number(json, "wait_median", s->code_wait_median);
    json_number(json, "wait_95", s->code_wait_95);
    json_end_object(json);
}

static void write_totals(Json *json, const SolStats *s, uint64_t structural)
{
    json_object(json, "totals");
    json_integer(json, "steps", s->steps);
    json_integer(json, "residuals", s->residuals);
    json_integer(json, "jacobians", s->jacobians);
    json_integer(json, "tangent_sweeps", s->tangent_sweeps);
    json_integer(json, "newton_iterations", s->newton_iterations);
    json_integer(json, "error_test_failures", s->error_test_failures);
    json_integer(json, "restarts", s->restarts);
    json_integer(json, "events", s->events_count);
    json_integer(json, "structural_events", structural);
    json_integer(json, "updates", s->updates);
    json_integer(json, "warnings", s->warnings);
    json_integer(json, "instances", s->instances);
    json_integer(json, "relations", s->relations);
    json_integer(json, "variables", s->variables);
    json_integer(json, "states", s->states);
    json_integer(json, "states_max", s->states_max);
    json_integer(json, "starts_unsaid", s->starts_unsaid);
    json_integer(json, "blocks", s->blocks);
    json_integer(json, "batches", s->batches);
    json_integer(json, "blocks_batched", s->blocks_batched);
    json_integer(json, "modes_remembered", s->modes_remembered);
    json_integer(json, "modes_returned", s->modes_returned);
    json_integer(json, "functions_compiled", s->functions_compiled);
    json_integer(json, "shapes", s->shapes);
    json_integer(json, "shapes_from_memory", s->shapes_from_memory);
    json_integer(json, "shapes_from_disk", s->shapes_from_disk);
    json_integer(json, "scratch_rebuilds", s->scratch_rebuilds);
    json_integer(json, "examined", s->examined);
    json_integer(json, "memory_bytes", s->memory_bytes);
    json_integer(json, "memory_peak_bytes", s->memory_peak);
    json_integer(json, "peak_rss_bytes", peak_rss_bytes());
    json_end_object(json);
}

static void write_event(Json *json, const SolEvent *e)
{
    json_flat_object(json, NULL);
    json_number(json, "time", e->time);
    json_integer(json, "updates", e->updates);
    json_list(json, "triggers");
    for (uint32_t i = 0; i < e->n_triggers; i++)
        json_text(json, NULL, e->triggers[i]);
    json_end_list(json);
    json_integer(json, "entered", e->entered);
    json_integer(json, "removed", e->removed);
    json_integer(json, "visited", e->visited);
    json_integer(json, "touched", e->touched);
    json_integer(json, "blocks_kept", e->blocks_kept);
    json_integer(json, "blocks_rebuilt", e->blocks_rebuilt);
    json_integer(json, "shapes_new", e->shapes_new);
    json_integer(json, "modes_returned", e->modes_returned);
    json_integer(json, "states_before", e->states_before);
    json_integer(json, "states_after", e->states_after);
    json_list(json, "states_in_updates");
    for (uint32_t i = 0; i < e->n_changes; i++)
        json_integer(json, NULL, e->states[i]);
    json_end_list(json);
    json_integer(json, "loops_before", e->loops_before);
    json_integer(json, "loops_after", e->loops_after);
    json_bool(json, "structural", e->structural);
    json_bool(json, "restarted", e->restarted);
    json_integer(json, "parts_restarted", e->parts_restarted);
    json_measured(json, "structure_us", e->structure_us, MICROSECONDS);
    json_measured(json, "restart_us", e->restart_us, MICROSECONDS);
    json_measured(json, "wait_us", e->wait_us, MICROSECONDS);
    json_end_object(json);
}

static void write_audit(Json *json, const SolAudit *audit)
{
    json_object(json, "audit");
    json_number(json, "bound", audit->bound);
    json_integer(json, "points", audit->points);
    json_integer(json, "relations", audit->relations);
    json_number(json, "worst", audit->worst);
    json_number(json, "time", audit->time);
    json_text(json, "relation", audit->relation);
    json_end_object(json);
}

static void write_realtime(Json *json, const SolRealtime *r)
{
    json_object(json, "realtime");
    json_integer(json, "steps", r->steps);
    json_integer(json, "overruns", r->overruns);
    json_measured(json, "mean", r->mean, SECONDS);
    json_measured(json, "worst", r->worst, SECONDS);
    json_number(json, "worst_at", r->worst_at);
    json_measured(json, "latest", r->latest, SECONDS);
    json_measured(json, "jitter", r->jitter, SECONDS);
    json_integer(json, "max_rounds", r->max_rounds);
    json_integer(json, "unfinished", r->unfinished);
    json_number(json, "unfinished_by", r->unfinished_by);
    json_end_object(json);
}

void stats_write(OutFile *out, const StatsHead *head, const SolStats *stats,
                 const EventList *events)
{
    Json json;
    json_open(&json, out);
    json_object(&json, NULL);
    write_head(&json, head);
    write_stages(&json, stats);
    write_parts(&json, stats);
    write_totals(&json, stats, events->structural);
    write_code(&json, stats);
    if (head->audit)
        write_audit(&json, head->audit);
    if (head->realtime)
        write_realtime(&json, head->realtime);
    json_integer(&json, "events_listed", events->list.n);
    json_bool(&json, "events_cut", events->count > events->list.n);
    json_list(&json, "events");
    for (uint32_t i = 0; i < events->list.n; i++)
        write_event(&json, &events->list.at[i]);
    json_end_list(&json);
    json_end_object(&json);
    json_close(&json);
}
