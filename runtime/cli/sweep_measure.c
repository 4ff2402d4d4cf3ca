/* sweep_measure.c: one case -> a run of the model -> end values, extrema, times of events. See sweep.h.
 *
 * A runner is one process's: it runs case after case with one model. One that has told an error is loaded anew, since a
 * model keeps a limited number of errors. */
#include "runtime/cli/sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct SweepRunner {
    const SweepJob *job;
    SolModel *model;
    Sol *sim;
    double *values; /* of the case that runs */
    SolVar *var;    /* [quantity]: the variable that has its path now, or 0 */
    bool recorded;  /* births are the recorder's: variables are looked for at each point */
};

static bool is_of_variable(const SweepQuantity *q)
{
    return q->kind != SWEEP_EVENT;
}

/* ---- callbacks ---- */

static const char *last_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static bool on_name(void *context, const char *name)
{
    const SweepRunner *r = context;
    for (uint32_t i = 0; i < r->job->n_quantities; i++) {
        const SweepQuantity *q = &r->job->quantities[i];
        const char *last = last_name(q->name);
        if (is_of_variable(q) && strncmp(last, name, strlen(name)) == 0)
            return true; /* also of an element of an array */
    }
    return false;
}

static bool on_birth(void *context, const SolVarInfo *info, const char *path)
{
    SweepRunner *r = context;
    bool wanted = false;
    for (uint32_t i = 0; i < r->job->n_quantities; i++)
        if (is_of_variable(&r->job->quantities[i]) &&
            strcmp(r->job->quantities[i].name, path) == 0) {
            r->var[i] = info->var;
            wanted = true;
        }
    return wanted;
}

static void on_death(void *context, SolVar var)
{
    SweepRunner *r = context;
    for (uint32_t i = 0; i < r->job->n_quantities; i++)
        if (r->var[i] == var)
            r->var[i] = 0;
}

static void measure(SweepRunner *r, uint32_t i, double x)
{
    double *value = &r->values[i];
    switch (r->job->quantities[i].kind) {
    case SWEEP_END:
        *value = x;
        break;
    case SWEEP_MIN:
        *value = fmin(*value, x); /* of which NaN is none */
        break;
    case SWEEP_MAX:
        *value = fmax(*value, x);
        break;
    case SWEEP_EVENT:
        break;
    }
}

static bool on_point(void *context, const SolPoint *point)
{
    SweepRunner *r = context;
    for (uint32_t i = 0; i < r->job->n_quantities; i++) {
        if (!is_of_variable(&r->job->quantities[i]))
            continue;
        if (r->recorded)
            r->var[i] = sol_find(r->sim, r->job->quantities[i].name);
        double x = r->var[i] && r->var[i] < point->limit ? point->values[r->var[i]] : NAN;
        if (sol_unseen(x))
            continue;
        const SweepQuantity *q = &r->job->quantities[i];
        measure(r, i, q->by ? sol_sensitivity(r->sim, q->by_index, r->var[i]) : x);
    }
    return true;
}

static void on_event(void *context, const SolEvent *event)
{
    SweepRunner *r = context;
    for (uint32_t i = 0; i < r->job->n_quantities; i++) {
        const SweepQuantity *q = &r->job->quantities[i];
        bool first = q->kind == SWEEP_EVENT && isnan(r->values[i]);
        for (uint32_t k = 0; first && k < event->n_triggers; k++)
            if (strstr(event->triggers[k], q->name)) {
                r->values[i] = event->time;
                break;
            }
    }
}

static void silent(void *context, double time, const char *text)
{
    (void)context, (void)time, (void)text;
}

/* ---- a run ---- */

Sol *sweep_start(const SweepJob *job, SolModel *model, uint64_t index, SolEngine engine)
{
    uint32_t n = sweep_path_count(job->cases), fixed = job->options.n_sets, used = fixed;
    SolOptions options = job->options;
    SolSet *sets = calloc(fixed + n + 1, sizeof *sets);
    char *texts = malloc((size_t)(n + 1) * SWEEP_VALUE);
    Sol *sim = NULL;
    if (sets && texts) {
        for (uint32_t i = 0; i < fixed; i++)
            sets[i] = job->options.sets[i];
        for (uint32_t i = 0; i < n; i++)
            if (sweep_value(job->cases, index, i, texts + (size_t)i * SWEEP_VALUE))
                sets[used++] = (SolSet){sweep_path(job->cases, i), texts + (size_t)i * SWEEP_VALUE};
        options.sets = sets;
        options.n_sets = used;
        options.engine = engine;
        sim = sol_create(model, job->designator, &options);
    }
    free(sets);
    free(texts);
    return sim;
}

/* A result of a case that was cut has another name, so that none is taken for whole. */
static void result_names(const SweepRunner *r, uint64_t index, char *part, char *whole)
{
    snprintf(whole, PATH_MAX, "%.3000s/case-%06llu.solr", r->job->results,
             (unsigned long long)index + 1);
    snprintf(part, PATH_MAX, "%.4000s.part", whole);
}

static SolStatus listen(SweepRunner *r, const char *part)
{
    r->recorded = r->job->results != NULL;
    if (r->recorded)
        return sol_record(r->sim, &(SolRecording){.path = part,
                                                  .n_patterns = r->job->vars.n,
                                                  .patterns = r->job->vars.patterns,
                                                  .context = r,
                                                  .point = on_point,
                                                  .event = on_event});
    sol_set_output(r->sim, &(SolOutput){.context = r,
                                        .name = on_name,
                                        .birth = on_birth,
                                        .death = on_death,
                                        .point = on_point,
                                        .cout = silent});
    sol_set_event(r->sim, on_event, r);
    return SOL_OK;
}

static SolStatus run_case(SweepRunner *r, uint64_t index)
{
    char part[PATH_MAX], whole[PATH_MAX];
    r->sim = sweep_start(r->job, r->model, index, r->job->options.engine);
    if (!r->sim)
        return sol_model_status(r->model) ? sol_model_status(r->model) : SOL_MEMORY;
    if (r->job->results)
        result_names(r, index, part, whole);
    SolStatus status = listen(r, part);
    if (status == SOL_OK)
        status = sol_run_to(r->sim, r->job->options.stop);
    if (r->recorded && sol_record_end(r->sim) == SOL_IO && status == SOL_OK)
        status = SOL_IO;
    sol_close(r->sim);
    r->sim = NULL;
    if (r->recorded && status != SOL_IO && rename(part, whole) != 0)
        status = SOL_IO;
    return status;
}

static void first_error(const SolModel *model, uint32_t from, char *text)
{
    SolMessage m;
    snprintf(text, SWEEP_MESSAGE, "failed");
    for (uint32_t i = from; sol_message(model, i, &m); i++)
        if (m.severity == SOL_ERROR) {
            snprintf(text, SWEEP_MESSAGE, "%s", m.text);
            return;
        }
}

static void reload(SweepRunner *r)
{
    sol_unload(r->model);
    r->model = sol_load(&r->job->load);
}

void sweep_run(SweepRunner *r, SweepOutcome *outcome)
{
    enum { MANY = 1000 };
    uint32_t n = r->job->n_quantities;
    if (!r->model) {
        outcome->status = SOL_MEMORY;
        snprintf(outcome->message, SWEEP_MESSAGE, "out of memory");
        return;
    }
    uint32_t messages = sol_message_count(r->model);
    r->values = outcome->values;
    for (uint32_t i = 0; i < n; i++) {
        r->values[i] = NAN;
        r->var[i] = 0;
    }
    outcome->status = run_case(r, outcome->index);
    outcome->message[0] = '\0';
    if (outcome->status == SOL_OK && messages < MANY)
        return;
    if (outcome->status != SOL_OK) {
        first_error(r->model, messages, outcome->message);
        for (uint32_t i = 0; i < n; i++)
            r->values[i] = NAN;
    }
    reload(r);
}

SweepRunner *sweep_runner_open(const SweepJob *job, SolModel *model)
{
    SweepRunner *r = calloc(1, sizeof *r);
    SolVar *var = calloc(job->n_quantities + 1, sizeof *var);
    if (!r || !var) {
        free(r);
        free(var);
        return NULL;
    }
    *r = (SweepRunner){.job = job, .model = model, .var = var};
    return r;
}

void sweep_runner_close(SweepRunner *r)
{
    if (!r)
        return;
    sol_unload(r->model);
    free(r->var);
    free(r);
}
