/* save_lab.c: a model -> a run with checkpoints and the runs resumed from them, compared. */
#include "tests/support/save_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool save_lab_put(void *context, const void *bytes, size_t n)
{
    SaveBytes *to = context;
    if (to->n + n > to->cap) {
        to->cap = 2 * (to->n + n);
        to->at = realloc(to->at, to->cap);
    }
    memcpy(to->at + to->n, bytes, n);
    to->n += n;
    return true;
}

bool save_lab_get(void *context, void *bytes, size_t n)
{
    SaveBytes *from = context;
    if (n > from->n - from->next)
        return false;
    memcpy(bytes, from->at + from->next, n);
    from->next += n;
    return true;
}

/* One run: everything it shows, as bytes: points with the values of all living variables, events. */
typedef struct Run {
    SolModel *model;
    Sol *sim;
    SaveBytes shown;
} Run;

static bool show_point(void *context, const SolPoint *point)
{
    Run *run = context;
    save_lab_put(&run->shown, &point->time, sizeof point->time);
    for (SolVar var = sol_next_var(run->sim, 0); var; var = sol_next_var(run->sim, var)) {
        SolVarInfo info;
        char path[200];
        sol_var_info(run->sim, var, &info);
        sol_var_path(run->sim, var, path, sizeof path);
        save_lab_put(&run->shown, path, strlen(path));
        save_lab_put(&run->shown, &info.birth, sizeof info.birth);
        save_lab_put(&run->shown, &point->values[var], sizeof(double));
    }
    return true;
}

static void show_event(void *context, const SolEvent *event)
{
    Run *run = context;
    save_lab_put(&run->shown, &event->time, sizeof event->time);
    save_lab_put(&run->shown, &event->updates, sizeof event->updates);
    save_lab_put(&run->shown, &event->entered, sizeof event->entered);
    for (uint32_t i = 0; i < event->n_triggers; i++)
        save_lab_put(&run->shown, event->triggers[i], strlen(event->triggers[i]));
}

static bool open_run(Run *run, const SaveCase *c)
{
    SolLoad load = {.path = c->file ? c->file : "m.sol", .text = c->text};
    SolOptions options = c->options;
    load.length = c->text ? strlen(c->text) : 0;
    load.stdlib = SOLSTICE_SOURCE_DIR "/stdlib";
    options.savable = true;
    *run = (Run){.model = sol_load(&load)};
    run->sim = sol_create(run->model, c->model, &options);
    if (!run->sim) {
        sol_print_messages(run->model, 0, stderr, false);
        return false;
    }
    sol_set_output(run->sim, &(SolOutput){.context = run, .point = show_point});
    sol_set_event(run->sim, show_event, run);
    return true;
}

static void close_run(Run *run)
{
    sol_unload(run->model);
    free(run->shown.at);
}

static int count_of(const SaveCase *c)
{
    return c->checkpoints ? c->checkpoints : SAVE_LAB_CHECKPOINTS;
}

static double time_of(const SaveCase *c, int checkpoint)
{
    return c->options.start + (c->options.stop - c->options.start) * checkpoint / (count_of(c) + 1);
}

/* Runs to checkpoint number i and writes it; past the last one, to the end. */
static SolStatus go_on(Run *run, const SaveCase *c, int i, SaveBytes *saved)
{
    if (i > count_of(c))
        return sol_run_to(run->sim, c->options.stop);
    SolStatus status = sol_run_to(run->sim, time_of(c, i));
    return status == SOL_OK ? sol_save(run->sim, save_lab_put, saved) : status;
}

static bool same(const SaveBytes *a, const SaveBytes *b, size_t from)
{
    return a->n == b->n - from && (!a->n || memcmp(a->at, b->at + from, a->n) == 0);
}

/* From checkpoint number i; what it shows must be what the whole run showed from there. */
static const char *resume(Run *run, const SaveCase *c, int i, SaveBytes *saved, const Run *whole,
                          size_t mark, SolStatus expected)
{
    SaveBytes again = {0};
    const char *wrong = NULL;
    if (sol_restore(run->sim, save_lab_get, saved) != SOL_OK || saved->next != saved->n)
        return "a checkpoint cannot be read";
    if (!(fabs(sol_time(run->sim) - time_of(c, i)) <= c->options.step)) /* of the grid */
        return "a resumed run stands at another time";
    SolStatus status = sol_save(run->sim, save_lab_put, &again);
    if (status != SOL_OK || !same(&again, saved, 0))
        wrong = "a resumed run saves something else";
    for (int k = i + 1; k <= count_of(c) + 1 && status == SOL_OK; k++) {
        again.n = 0;
        status = go_on(run, c, k, &again);
    }
    if (!wrong && status != expected) {
        wrong = "a resumed run ends differently";
        sol_print_messages(run->model, 0, stderr, false);
    }
    if (!wrong && !same(&run->shown, &whole->shown, mark))
        wrong = "a resumed run shows something else";
    free(again.at);
    return wrong;
}

const char *save_lab_check(const SaveCase *c)
{
    Run whole, part;
    SaveBytes saved[SAVE_LAB_CHECKPOINTS] = {0};
    size_t marks[SAVE_LAB_CHECKPOINTS];
    const char *wrong = NULL;
    int done = 0;
    if (!open_run(&whole, c))
        return "the model cannot be created";
    SolStatus status = SOL_OK;
    for (int i = 1; i <= count_of(c) + 1 && status == SOL_OK; i++) {
        status = go_on(&whole, c, i, &saved[i - 1 < SAVE_LAB_CHECKPOINTS ? i - 1 : 0]);
        if (status == SOL_OK && i <= count_of(c))
            marks[done++] = whole.shown.n;
    }
    for (int i = 0; i < done && !wrong; i++) {
        if (!open_run(&part, c))
            return "the model cannot be created again";
        wrong = resume(&part, c, i + 1, &saved[i], &whole, marks[i], status);
        close_run(&part);
    }
    for (int i = 0; i < SAVE_LAB_CHECKPOINTS; i++)
        free(saved[i].at);
    if (!wrong && status == SOL_OK && (!done || whole.shown.n <= marks[done - 1]))
        wrong = "the run shows nothing behind its last checkpoint";
    close_run(&whole);
    return wrong;
}
