/* test_random_modes.c: random circuits of diodes and switches: modes after events as an independent
 * search finds them.
 *
 * At the start, after events and at points between them, currents of coils and voltages of
 * capacitors are known. Of all combinations of open and closed diodes those that agree with
 * themselves are found in long double, with derivatives where a current or voltage is zero
 * (tests/support/net_modes.h). Where they have one answer, and it is beyond doubt, the run must
 * have its currents; at one point between events alone it may be late, where something goes beyond
 * its boundary and comes back within a step, and behind an event where the next one, of a part that
 * shares nothing with it, follows within the width of their location, or where a switch turns within that width. Where
 * currents are so small that the states, which are known up to the tolerance, give them the wrong sign, a run with a
 * ten-thousandth of the tolerance decides: it must have these modes at that time, and there they must be what the search
 * finds. Left out and counted: points at which rounding decides
 * among several answers, and at which none is consistent: a state would have to jump.
 *
 *     test_random_modes             some hundreds of them
 *     test_random_modes print SEED  prints one and what was found
 */
#include "tests/support/net_modes.h"
#include "tests/support/net_soak.h"
#include "tests/support/slow.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 80, STEPS = 30 };
static const long double RIGHT = 1e-5L, STATE_RIGHT = 1e-5L;

typedef struct Tally {
    uint32_t circuits, complete, refused, wrong, found[NET_FINDINGS];
    uint32_t by_errors; /* runs that ended where errors within the tolerance decide a sign */
    uint32_t crossed;   /* events whose states were compared on both sides */
} Tally;

typedef struct Run {
    Network net;
    Sol *sim;
    Tally *tally;
    NetModes *search;
    SolVar flow[NET_MOST], voltage[NET_MOST], closed[NET_MOST];
    double before[NET_MOST]; /* states on the left side of the event, of coils and capacitors */
    uint32_t points;
    bool print;
    double tolerance, end; /* 1: that of the test; no point behind it is looked at */
    uint32_t modes; /* at the last point that was looked at: bits of diodes that are closed */
    double looked;  /* its time */
    bool confirmed, between;    /* the search has the same there; it lies between events */
    char wrong[300], late[300]; /* late: at the point before, without an event since */
    char early[300];            /* behind the event at that time, which another may follow */
    double early_time;
} Run;

/* ---- the run ---- */

static void compare(Run *run, const SolPoint *point, const NetAnswer *answer)
{
    const Network *net = &run->net;
    for (int i = 0; i < net->n; i++) {
        char name[NET_NAME];
        double ours = point->values[run->flow[i]];
        if (fabsl(ours - answer->current[i]) <= RIGHT * answer->size[1] || run->wrong[0])
            continue;
        network_name(net, i, name);
        snprintf(run->wrong, sizeof run->wrong,
                 "at time %.17g: current of %s is %.10g, the only consistent mode %x has %.10g",
                 point->time, name, ours, answer->closed, (double)answer->current[i]);
    }
}

/* Can the times of two events be told apart? */
static bool is_later(const Run *run, double time, double than)
{
    return time - than > 64 * DBL_EPSILON * fmax(fabs(than), run->net.stop / STEPS);
}

/* What differs behind an event counts unless another one follows within the width of their location. */
static void judge_early(Run *run, const SolPoint *point)
{
    if (run->early[0] && (is_later(run, point->time, run->early_time) || point->side == SOL_AT_END))
        memcpy(run->wrong, run->early, sizeof run->wrong);
    if (point->side != SOL_AFTER_EVENT)
        return;
    if (!run->early[0])
        run->early_time = point->time;
    run->early[0] = 0;
}

/* What differs between events counts when it does so at two points in a row. */
static void judge(Run *run, const SolPoint *point, const NetAnswer *answer)
{
    bool before = run->late[0] != 0, jumped = run->wrong[0] != 0;
    compare(run, point, answer);
    memcpy(run->late, run->wrong, sizeof run->late);
    if (point->side == SOL_AT_POINT && !before)
        run->wrong[0] = 0;
    if (point->side == SOL_AFTER_EVENT && !jumped) {
        memcpy(run->early, run->wrong, sizeof run->early);
        run->wrong[0] = 0;
    }
}

static bool is_diode(NetKind kind)
{
    return kind == NET_DIODE || kind == NET_SOFT_DIODE;
}

static bool is_state(NetKind kind)
{
    return kind == NET_INDUCTOR || kind == NET_CAPACITOR;
}

static void read_states(const Run *run, const SolPoint *point, double *known)
{
    for (int i = 0; i < run->net.n; i++)
        known[i] =
            point
                ->values[run->net.element[i].kind == NET_INDUCTOR ? run->flow[i] : run->voltage[i]];
}

/* What a coil or capacitor had before the event it has behind it, where a combination agrees with
 * that. */
static void compare_states(Run *run, const SolPoint *point, const double *known, uint32_t mode)
{
    long double size = 1;
    for (int i = 0; i < run->net.n; i++)
        if (is_state(run->net.element[i].kind))
            size = fmaxl(size, fabsl(run->before[i]));
    for (int i = 0; i < run->net.n; i++) {
        char name[NET_NAME];
        if (!is_state(run->net.element[i].kind) || run->wrong[0] ||
            fabsl(known[i] - run->before[i]) <= STATE_RIGHT * size)
            continue;
        network_name(&run->net, i, name);
        snprintf(run->wrong, sizeof run->wrong,
                 "at time %.17g: the state of %s jumps from %.10g to %.10g, mode %x needs no jump",
                 point->time, name, run->before[i], known[i], mode);
    }
}

static uint32_t modes_of(const Run *run, const SolPoint *point)
{
    uint32_t modes = 0, diode = 0;
    for (int i = 0; i < run->net.n; i++)
        if (run->closed[i])
            modes |= (uint32_t)(point->values[run->closed[i]] != 0) << diode++;
    return modes;
}

/* With the states before the event, where exactly one combination agrees with them; else with those
 * behind it. */
static NetFinding look(Run *run, const SolPoint *point, double time, NetAnswer *answer)
{
    double known[NET_MOST] = {0};
    read_states(run, point, known);
    if (point->side == SOL_AFTER_EVENT &&
        net_modes_search(run->search, time, run->before, answer) == NET_ONE) {
        compare_states(run, point, known, answer->closed);
        run->tally->crossed++;
    }
    return net_modes_search(run->search, time, known, answer);
}

/* What a switch does within the width of the location is part of this event. */
static NetFinding look_behind(Run *run, const SolPoint *point, NetAnswer *answer)
{
    NetFinding finding = look(run, point, point->time, answer);
    if (point->side != SOL_AFTER_EVENT || finding != NET_ONE || run->wrong[0])
        return finding;
    compare(run, point, answer);
    bool differs = run->wrong[0] != 0;
    run->wrong[0] = 0;
    return differs ? look(run, point, point->time * (1 + 16 * DBL_EPSILON), answer) : finding;
}

static bool on_point(void *context, const SolPoint *point)
{
    Run *run = context;
    NetAnswer answer = {0};
    judge_early(run, point);
    if (run->wrong[0])
        return false;
    if (point->side != SOL_AT_POINT)
        run->late[0] = 0;
    if (point->side == SOL_BEFORE_EVENT)
        read_states(run, point, run->before);
    if (point->side == SOL_BEFORE_EVENT || point->side == SOL_AT_END ||
        run->points++ >= MOST_POINTS)
        return true;
    if (point->time > run->end)
        return false;
    NetFinding finding = look_behind(run, point, &answer);
    run->tally->found[finding]++;
    if (run->print)
        fprintf(stderr, "%.17g, side %d: finding %d, mode %x\n", point->time, (int)point->side,
                (int)finding, answer.closed);
    if (finding == NET_ONE)
        judge(run, point, &answer);
    run->modes = modes_of(run, point);
    run->looked = point->time;
    run->between = point->side == SOL_AT_POINT;
    run->confirmed = finding == NET_ONE && !run->late[0] && answer.closed == run->modes;
    return !run->wrong[0];
}

static void find_variables(Run *run)
{
    for (int i = 0; i < run->net.n; i++) {
        char path[NET_PATH];
        network_flow(&run->net, i, 0, path);
        run->flow[i] = sol_find(run->sim, path);
        network_member(&run->net, i, "u", path);
        run->voltage[i] = run->net.element[i].kind == NET_GROUND ? 0 : sol_find(run->sim, path);
        network_member(&run->net, i, "closed", path);
        run->closed[i] = is_diode(run->net.element[i].kind) ? sol_find(run->sim, path) : 0;
    }
}

static SolStatus simulate(Run *run, SolModel *model, uint64_t seed)
{
    SolOptions options = {.stop = run->net.stop,
                          .steps = STEPS,
                          .solver = seed % 2 ? SOL_SOLVER_IDA : SOL_SOLVER_AUTO,
                          .rtol = 1e-7 * run->tolerance,
                          .atol = 1e-10 * run->tolerance,
                          .max_events = 2000,
                          .engine = SOL_ENGINE_INTERP,
                          .cache = "off"};
    run->sim = sol_create(model, NULL, &options);
    if (!run->sim)
        return SOL_MODEL;
    SolStatus status = sol_init(run->sim);
    if (status != SOL_OK)
        return status;
    find_variables(run);
    sol_set_output(run->sim, &(SolOutput){.context = run, .point = on_point});
    return sol_run_to(run->sim, run->net.stop);
}

/* Are the modes that the run ended with those of a run that is more exact, and those that the search finds there? */
static bool is_of_the_solution(const Run *run, SolModel *model, uint64_t seed)
{
    Tally none = {0};
    Run *exact = calloc(1, sizeof *exact);
    exact->net = run->net;
    exact->tally = &none;
    exact->search = net_modes_open(&run->net);
    exact->tolerance = 1e-4;
    exact->end = run->looked;
    simulate(exact, model, seed);
    bool same = !exact->wrong[0] && exact->confirmed && exact->looked == run->looked &&
                exact->modes == run->modes;
    sol_close(exact->sim);
    net_modes_close(exact->search);
    free(exact);
    return same;
}

static bool run_circuit(uint64_t seed, bool print, void *context)
{
    Tally *tally = context;
    Run *run = calloc(1, sizeof *run);
    run->tally = tally;
    run->print = print;
    run->tolerance = 1;
    run->end = INFINITY;
    network_random(&run->net, seed, NET_ELECTRIC);
    run->search = net_modes_open(&run->net);
    if (!run->search) {
        free(run);
        return true;
    }
    char *text;
    SolModel *model = net_soak_load(&run->net, &text);
    if (print)
        fprintf(stderr, "%s", text);
    SolStatus status = simulate(run, model, seed);
    bool by_errors = run->wrong[0] && run->between && is_of_the_solution(run, model, seed);
    bool fine = !run->wrong[0] || by_errors;
    tally->circuits++;
    tally->by_errors += by_errors;
    tally->complete += status == SOL_OK;
    tally->refused += status != SOL_OK && !run->wrong[0];
    tally->wrong += !fine;
    if (status != SOL_OK && !run->wrong[0])
        fprintf(stderr, "seed %llu is refused, status %d\n", (unsigned long long)seed, status);
    if (print || !fine)
        net_soak_report(&run->net, model, print ? "" : text, status,
                        fine ? "as found" : run->wrong);
    sol_unload(model);
    net_modes_close(run->search);
    free(text);
    free(run);
    return fine;
}

/* Circuits that were refused once, or went on in another mode, or fired more than 500 times: each must run to its end. */
static const uint64_t mended[] = {
    1140,     200226,    200276,    200320,     200862,     200964,     201118,     201184,
    201252,   201402,    201438,    201516,     201576,     201834,     500442,     502344,
    503625,   505397,    508378,    508681,     509447,     501053,     502182,     502472,
    504501,   505049,    506815,    507024,     507160,     508667,     509495,     500720,
    502936,   501717,    501829,    502198,     503249,     503746,     506450,     509626,
    509897,   505021,    505312,    506522,     507148,     507190,     507477,     990574,
    991940,   992036,    992516,    993279,     993336,     993950,     994028,     995720,
    995890,   996136,    996896,    998656,     998798,     999386,     1001078,    93002284,
    93002410, 183001472, 183001562, 1311183162, 1311184228, 1311189580, 1311189600, 1361181206,
};

static bool all_mended(void)
{
    Tally tally = {0};
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        run_circuit(mended[i], false, &tally);
    printf("%u circuits that once failed: %u refused, %u wrong\n", tally.circuits, tally.refused,
           tally.wrong);
    return tally.refused == 0 && tally.wrong == 0;
}

int main(int argc, char **argv)
{
    Tally tally = {0};
    bool fine;
    if (net_soak(argc, argv, "modes of circuits", SLOW_BUILD ? 60 : 300, run_circuit, &tally,
                 &fine))
        return !fine;
    printf("%u circuits, %u ran to their end, %u refused, %u wrong, %u up to where errors decide; "
           "points with one mode %u, none "
           "%u, several %u, in doubt %u, undetermined %u; events with states on both sides %u\n",
           tally.circuits, tally.complete, tally.refused, tally.wrong, tally.by_errors,
           tally.found[NET_ONE], tally.found[NET_NONE], tally.found[NET_SEVERAL],
           tally.found[NET_DOUBTFUL], tally.found[NET_UNDETERMINED], tally.crossed);
    /* nearly all must run and be compared, or this tests nothing */
    uint32_t points = 0;
    for (int i = 0; i < NET_FINDINGS; i++)
        points += tally.found[i];
    bool enough = tally.circuits < 50 ||
                  (100 * tally.refused <= tally.circuits && 10 * tally.found[NET_ONE] > 9 * points);
    return tally.wrong || !enough || !all_mended();
}
