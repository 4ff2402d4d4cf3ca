/* a Sol file -> a run whose values, events and messages a test can ask for. */
#include "tests/support/sim_lab.h"

#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool on_point(void *context, const SolPoint *point)
{
    SimLab *lab = context;
    lab->points++;
    lab->hash = hash_bytes(&point->time, sizeof point->time, lab->hash);
    lab->hash = hash_bytes(point->values, point->limit * sizeof *point->values, lab->hash);
    for (uint32_t i = 0; i < lab->n_tracked; i++) {
        SolVar var = sol_find(lab->sim, lab->tracked[i]);
        double value = var ? point->values[var] : NAN;
        lab->least[i] = fmin(lab->least[i], value);
        lab->most[i] = fmax(lab->most[i], value);
    }
    return true;
}

static void on_event(void *context, const SolEvent *event)
{
    SimLab *lab = context;
    if (lab->n_events < SIM_LAB_EVENTS) {
        lab->event_time[lab->n_events] = event->time;
        lab->event[lab->n_events] = *event;
    }
    lab->n_events++;
}

static void give_up(SimLab *lab, const char *what)
{
    fprintf(stderr, "%s\n", what);
    if (lab->model)
        sol_print_messages(lab->model, 0, stderr, false);
    abort();
}

static SimLab *open_lab(const SolLoad *load, const char *designator, const SolOptions *options)
{
    SimLab *lab = calloc(1, sizeof *lab);
    lab->model = sol_load(load);
    if (!lab->model || sol_model_status(lab->model) != SOL_OK)
        give_up(lab, load->path);
    SolOptions audited = options ? *options : (SolOptions){0};
    audited.audit = audited.audit == SIM_LAB_UNAUDITED ? 0
                    : audited.audit == 0               ? SIM_LAB_AUDIT
                                                       : audited.audit;
    lab->sim = sol_create(lab->model, designator, &audited);
    if (!lab->sim)
        give_up(lab, load->path);
    sol_set_output(lab->sim, &(SolOutput){.context = lab, .point = on_point});
    sol_set_event(lab->sim, on_event, lab);
    return lab;
}

SimLab *sim_lab_open(const char *file, const char *designator, const SolOptions *options)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/sim/%s", SOLSTICE_SOURCE_DIR, file);
    return open_lab(&(SolLoad){.path = path}, designator, options);
}

SimLab *sim_lab_text(const char *text, const SolOptions *options)
{
    return open_lab(&(SolLoad){.path = "text", .text = text, .length = strlen(text)}, NULL,
                    options);
}

void sim_lab_track(SimLab *lab, const char *path)
{
    lab->tracked[lab->n_tracked] = path;
    lab->least[lab->n_tracked] = INFINITY;
    lab->most[lab->n_tracked++] = -INFINITY;
}

SolStatus sim_lab_run(SimLab *lab, double time)
{
    uint32_t before = sol_message_count(lab->model);
    SolStatus status = sol_run_to(lab->sim, time);
    sol_print_messages(lab->model, before, stderr, false);
    return status;
}

double sim_lab_value(SimLab *lab, const char *path)
{
    double value = NAN;
    SolVar var = sol_find(lab->sim, path);
    if (var)
        sol_read(lab->sim, var, &value);
    return value;
}

bool sim_lab_said(const SimLab *lab, const char *text)
{
    SolMessage message;
    for (uint32_t i = 0; sol_message(lab->model, i, &message); i++)
        if (strstr(message.text, text))
            return true;
    return false;
}

void sim_lab_close(SimLab *lab)
{
    sol_close(lab->sim);
    sol_unload(lab->model);
    free(lab);
}
