/* test_random_networks.c: random circuits and drive trains of the library, run where verifiers look
 * on.
 *
 * Contacts that stick, diodes that close and switches turn causality round in all that hangs on
 * them: parts unite and come apart in one event while their nodes only move in the order. Whatever
 * the numbers, nothing may crash or break an invariant; and at every point that is shown, the laws
 * that stand in the model hold, which no integrator can excuse: sources, nodes, springs, resistors,
 * diodes.
 *
 *     test_random_networks             some dozens of them
 *     test_random_networks print SEED  prints one and its messages
 */
#include "tests/support/net_soak.h"
#include "tests/support/slow.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { MOST_SEEN = 1024 };
static const double TOLERANCE = 1e-6; /* of what loops determine; sources have a tighter one */

typedef struct Run {
    Network net;
    SolModel *model;
    Sol *sim;
    const SolPoint *point;
    uint32_t events, points;
    char path[MOST_SEEN][NET_PATH]; /* what was asked for, in the order it was asked for */
    SolVar var[MOST_SEEN];
    int n_seen, next;
    uint32_t most_late;
    uint32_t late; /* points in a row at which an inequality did not hold, without an event */
    char wrong[200], doubt[200];
} Run;

/* Every point is asked the same questions; the answers of the first are not searched for again. */
static double on_read(void *context, const char *path)
{
    Run *run = context;
    if (run->next == run->n_seen || strcmp(run->path[run->next], path) != 0) {
        int i = 0;
        while (i < run->n_seen && strcmp(run->path[i], path) != 0)
            i++;
        if (i == run->n_seen && i < MOST_SEEN) {
            snprintf(run->path[i], NET_PATH, "%s", path);
            run->var[run->n_seen++] = sol_find(run->sim, path);
        }
        run->next = i;
    }
    SolVar var = run->next < MOST_SEEN ? run->var[run->next++] : 0;
    return var ? run->point->values[var] : NAN;
}

/* One point at which an inequality does not hold lies perhaps between a crossing and the way back,
 * within a step; two of them without an event in between do not. The steps of an explicit method are
 * as long as stability allows, where stiff voltages have the error that its tolerance allows
 * currents, many times enlarged, with either sign: there it takes more of them. */
static bool on_point(void *context, const SolPoint *point)
{
    Run *run = context;
    if (point->side != SOL_AT_POINT)
        return true;
    run->point = point;
    run->next = 0;
    run->points++;
    NetVerdict verdict = network_look(&run->net, point->time, TOLERANCE, on_read, run, run->doubt,
                                      sizeof run->doubt);
    run->late = verdict == NET_LATE ? run->late + 1 : 0;
    if (verdict == NET_BROKEN || run->late == run->most_late)
        memcpy(run->wrong, run->doubt, sizeof run->wrong);
    return !run->wrong[0];
}

static void on_event(void *context, const SolEvent *event)
{
    Run *run = context;
    (void)event;
    run->events++;
    run->late = 0;
}

/* A run that takes too long is given up: not what is tested here. */
static Sol *running;

static void on_alarm(int number)
{
    (void)number;
    if (running)
        sol_cancel(running);
}

static void set_alarm(Sol *sim, long seconds)
{
    struct itimerval timer = {.it_value.tv_sec = seconds};
    running = sim;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
}

typedef struct Tally {
    uint32_t models, fine, failed, events;
} Tally;

static SolOptions options_for(const Run *run, uint64_t seed)
{
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_RK, SOL_SOLVER_IDA,
                                        SOL_SOLVER_AUTO};
    return (SolOptions){.stop = run->net.stop,
                        .steps = 60,
                        .solver = solvers[seed / 8 % 4],
                        .rtol = seed % 2 ? 1e-6 : 1e-8,
                        .max_events = 2000,
                        .engine = seed % 16 ? SOL_ENGINE_INTERP : SOL_ENGINE_JIT,
                        .cache = "off"};
}

static bool run_network(uint64_t seed, bool print, void *context)
{
    Tally *tally = context;
    Run *run = calloc(1, sizeof *run);
    network_random(&run->net, seed, NET_ANY);
    char *text;
    SolOptions options = options_for(run, seed);
    run->most_late = options.solver == SOL_SOLVER_IDA ? 2 : 8;
    SolStatus status = SOL_MODEL;
    run->model = net_soak_load(&run->net, &text);
    run->sim = sol_create(run->model, NULL, &options);
    if (run->sim) {
        sol_set_output(run->sim, &(SolOutput){.context = run, .point = on_point});
        sol_set_event(run->sim, on_event, run);
        set_alarm(run->sim, 4);
        status = sol_run_to(run->sim, run->net.stop);
        set_alarm(NULL, 0);
    }
    bool fine = run->sim && !run->wrong[0];
    if (print || !fine) {
        char found[2000];
        snprintf(found, sizeof found, "%u points, %u events, %s", run->points, run->events,
                 fine ? "laws hold" : run->wrong);
        net_soak_report(&run->net, run->model, text, status, found);
    }
    tally->models++;
    tally->fine += status == SOL_OK;
    tally->failed += !fine;
    tally->events += run->events;
    sol_unload(run->model);
    free(text);
    free(run);
    return fine;
}

int main(int argc, char **argv)
{
    Tally tally = {0};
    bool fine;
    if (net_soak(argc, argv, "networks", SLOW_BUILD ? 100 : 300, run_network, &tally, &fine))
        return !fine;
    printf("%u networks, %u ran to their end, %u events, %u failed\n", tally.models, tally.fine,
           tally.events, tally.failed);
    /* most must run, and things must happen in them, or this tests nothing */
    bool enough =
        tally.models < 50 || (2 * tally.fine > tally.models && tally.events > tally.models);
    return tally.failed || !enough;
}
