/* truth_lab.c: a network -> the program's run of it against the truth. See truth_lab.h. */
#include "tests/support/truth_lab.h"

#include "tests/support/net_soak.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 53 };
static const double ALLOWED = 1e-5;      /* of the largest potential or flow, at rtol 1e-9 */
static const double MOST_ITERATIONS = 2; /* of Newton in a step of IDA, on the average */
/* Errors of the states behind each event, and how much of what they would do is allowed. */
static const double SHAKE = 1e-7, SHAKEN = 10;
/* What is off by no more than this may be an error that tolerances allow: it is gone with those that are so
 * many times smaller. */
static const double NEARLY = 1e-4, TIGHTER = 1e-2;

typedef struct Run {
    const Network *net;
    double tighter; /* tolerances are smaller by this */
    NetTruth truth;
    NetTruth *shaken; /* NULL: not needed so far */
    Sol *sim;
    SolVar potential[NET_MOST][2], flow[NET_MOST][2];
    int point; /* next */
    bool tightened;
    uint32_t compared, events;
    uint64_t steps, iterations; /* of IDA, where nothing else integrates */
    double size[2];             /* the largest potential, flow, so far */
    bool against[NET_MOST];     /* diodes that were on their wrong side at the point before */
    double worst;
    char wrong[300], refused[TRUTH_CAUSE];
} Run;

/* ---- comparison ---- */

/* At the last point a switch may have moved, or not yet. */
static bool near_event(const Network *net, const NetTruth *truth, double time)
{
    double stop = net->stop;
    for (int i = 0; i < truth->n_events; i++)
        if (fabs(time - truth->event[i]) < 1e-4 * stop)
            return true;
    for (int i = 0; i < net->n; i++) {
        const NetElement *e = &net->element[i];
        if ((e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH) &&
            fmin(fabs(time - e->p[2]), fabs(time - e->p[3])) < 1e-4 * stop)
            return true;
    }
    return fabs(time - truth->until) < 1e-4 * stop && truth->doubt;
}

/* How far from the truth errors of states lead up to the present point; infinite: anywhere. */
static double led_away(Run *run)
{
    const NetTruth *t = &run->truth;
    double away = 0;
    if (!run->shaken) {
        run->shaken = malloc(sizeof *run->shaken);
        net_truth_shaken(run->net, POINTS, SHAKE, run->shaken);
    }
    if (run->shaken->n_points <= run->point)
        return INFINITY;
    for (int k = 0; k <= run->point; k++)
        for (int i = 0; i < run->net->n && !near_event(run->net, t, t->time[k]); i++) {
            for (int end = 0; end < 2; end++)
                away = fmax(away,
                            fabs(run->shaken->flow[k][i][end] - t->flow[k][i][end]) / t->size[1]);
            if (i < run->net->n_nodes)
                away = fmax(away,
                            fabs(run->shaken->potential[k][i] - t->potential[k][i]) / t->size[0]);
        }
    return away;
}

static void compare(Run *run, int element, int end, bool flow, double ours, double true_value)
{
    double off = fabs(ours - true_value) / run->truth.size[flow];
    char path[NET_PATH];
    if (off <= run->worst)
        return;
    run->worst = isnan(off) ? INFINITY : off;
    if (off <= ALLOWED || run->wrong[0] || off <= SHAKEN * led_away(run))
        return;
    (flow ? network_flow : network_potential)(run->net, element, end, path);
    snprintf(run->wrong, sizeof run->wrong, "at %.10g %s is %.10g, but %.10g (off by %.2g)",
             run->truth.time[run->point], path, ours, true_value, off);
}

static void compare_point(Run *run, const SolPoint *point)
{
    const NetTruth *t = &run->truth;
    for (int i = 0; i < run->net->n; i++) {
        const NetElement *e = &run->net->element[i];
        for (int k = 0; k < network_ends(e->kind); k++) {
            if (e->node[k] >= 0)
                compare(run, i, k, false, point->values[run->potential[i][k]],
                        t->potential[run->point][e->node[k]]);
            compare(run, i, k, true, point->values[run->flow[i][k]], t->flow[run->point][i][k]);
        }
    }
    run->compared++;
}

/* ---- diodes, whatever the truth is ---- */

static void note_sizes(Run *run, const SolPoint *point)
{
    for (int i = 0; i < run->net->n; i++)
        for (int k = 0; k < network_ends(run->net->element[i].kind); k++) {
            run->size[0] = fmax(run->size[0], fabs(point->values[run->potential[i][k]]));
            run->size[1] = fmax(run->size[1], fabs(point->values[run->flow[i][k]]));
        }
}

/* How far a diode is from both of its branches, in parts of the largest quantities. */
static double off_its_branches(const Run *run, const SolPoint *point, int i)
{
    const double *value = point->values, *p = run->net->element[i].p;
    double u = value[run->potential[i][0]] - value[run->potential[i][1]];
    double flow = value[run->flow[i][0]], su = run->size[0] + 1e-9, sf = run->size[1] + 1e-9;
    double r = run->net->element[i].kind == NET_DIODE ? 0 : p[0];
    double g = run->net->element[i].kind == NET_DIODE ? 0 : p[1];
    double open = fmax(fabs(flow - g * u) / sf, fmax(0, u) / su);
    double closed = fmax(fabs(u - r * flow) / su, fmax(0, -flow) / sf);
    return fmin(open, closed);
}

/* Where nothing is known of the motion, because errors lead anywhere, this is. A boundary may be crossed a
 * little before it is noticed: at two points it is not. */
static void look_at_diodes(Run *run, const SolPoint *point)
{
    note_sizes(run, point);
    for (int i = 0; i < run->net->n; i++) {
        NetKind kind = run->net->element[i].kind;
        if (kind != NET_DIODE && kind != NET_SOFT_DIODE)
            continue;
        double off = off_its_branches(run, point, i);
        bool against = !(off <= ALLOWED);
        char path[NET_PATH];
        network_flow(run->net, i, 0, path);
        if (against && run->against[i] && !run->wrong[0])
            snprintf(run->wrong, sizeof run->wrong,
                     "at %.10g the diode of %s is neither open nor closed, by %.2g", point->time,
                     path, off);
        run->against[i] = against;
    }
}

/* ---- points ---- */

static bool on_point(void *context, const SolPoint *point)
{
    Run *run = context;
    const NetTruth *t = &run->truth;
    if (point->side != SOL_AT_POINT)
        return true;
    look_at_diodes(run, point);
    while (run->point < t->n_points && t->time[run->point] < point->time - 1e-9 * run->net->stop)
        run->point++;
    if (run->point < t->n_points &&
        fabs(t->time[run->point] - point->time) <= 1e-9 * run->net->stop &&
        !near_event(run->net, t, point->time))
        compare_point(run, point);
    return !run->wrong[0];
}

static void on_event(void *context, const SolEvent *event)
{
    (void)event;
    ((Run *)context)->events++;
}

/* ---- one run ---- */

/* A message without what differs from model to model. */
static void keep_cause(Run *run, SolModel *model)
{
    SolMessage message;
    size_t n = 0;
    for (uint32_t i = 0; sol_message(model, i, &message); i++)
        if (message.severity == SOL_ERROR)
            break;
    const char *s = message.text ? message.text : "no message";
    for (; *s && n < TRUTH_CAUSE - 1; s++)
        if (!isdigit((unsigned char)*s))
            run->refused[n++] = *s;
    run->refused[n] = '\0';
}

static void find_variables(Run *run)
{
    for (int i = 0; i < run->net->n; i++)
        for (int k = 0; k < network_ends(run->net->element[i].kind); k++) {
            char path[NET_PATH];
            network_potential(run->net, i, k, path);
            run->potential[i][k] = sol_find(run->sim, path);
            network_flow(run->net, i, k, path);
            run->flow[i][k] = sol_find(run->sim, path);
        }
}

static SolOptions options_for(const Network *net, double tighter)
{
    static const SolSolver solvers[] = {SOL_SOLVER_IDA, SOL_SOLVER_AUTO, SOL_SOLVER_IDA};
    return (SolOptions){.stop = net->stop,
                        .steps = POINTS,
                        .solver = net->seed % 20 ? solvers[net->seed % 3] : SOL_SOLVER_RK,
                        .rtol = 1e-9 * tighter,
                        .atol = 1e-11 * tighter,
                        .max_events = 2000,
                        .engine = net->seed % 16 ? SOL_ENGINE_INTERP : SOL_ENGINE_JIT,
                        .cache = "off"};
}

static SolStatus read_element(Run *run, int i, double *values)
{
    for (int end = 0; end < network_ends(run->net->element[i].kind); end++) {
        SolVar both[2] = {run->potential[i][end], run->flow[i][end]};
        for (int k = 0; k < 2; k++) {
            SolStatus status = sol_read(run->sim, both[k], &values[both[k]]);
            if (status != SOL_OK)
                return status;
        }
    }
    return SOL_OK;
}

/* Nobody looks but at the points, and only at what is compared: what is looked at must not matter.
 */
static SolStatus run_unseen(Run *run)
{
    double *values = calloc(sol_var_limit(run->sim), sizeof *values);
    SolStatus status = SOL_OK;
    for (int k = 1; k <= POINTS && status == SOL_OK && !run->wrong[0]; k++) {
        status = sol_run_to(run->sim, run->net->stop * k / POINTS);
        for (int i = 0; i < run->net->n && status == SOL_OK; i++)
            status = read_element(run, i, values);
        SolPoint point = {.time = sol_time(run->sim), .side = SOL_AT_POINT, .values = values};
        if (status == SOL_OK)
            on_point(run, &point);
    }
    free(values);
    return status;
}

static SolStatus simulate(Run *run, SolModel *model)
{
    SolOptions options = options_for(run->net, run->tighter);
    bool unseen = run->net->seed % 4 == 0;
    options.audit = unseen ? 0 : SIM_LAB_AUDIT;
    run->sim = sol_create(model, NULL, &options);
    if (!run->sim)
        return SOL_MODEL;
    SolStatus status = sol_init(run->sim);
    if (status != SOL_OK)
        return status;
    find_variables(run);
    sol_set_event(run->sim, on_event, run);
    if (unseen)
        return run_unseen(run);
    sol_set_output(run->sim, &(SolOutput){.context = run, .point = on_point});
    return sol_run_to(run->sim, run->net->stop);
}

static void count_iterations(Run *run)
{
    SolStats stats;
    if (!run->sim)
        return;
    sol_stats(run->sim, &stats);
    run->steps = stats.time_rk > 0 ? 0 : stats.steps;
    run->iterations = stats.time_rk > 0 ? 0 : stats.newton_iterations;
}

static TruthVerdict run_with(const Network *net, double tighter, Run *run, bool print)
{
    memset(run, 0, sizeof *run);
    run->net = net;
    run->tighter = tighter;
    net_truth(net, POINTS, &run->truth);
    char *text;
    SolModel *model = net_soak_load(net, &text);
    SolStatus status = simulate(run, model);
    count_iterations(run);
    free(run->shaken);
    run->shaken = NULL;
    TruthVerdict verdict = run->wrong[0]      ? TRUTH_WRONG
                           : status == SOL_OK ? TRUTH_RIGHT
                                              : TRUTH_REFUSED;
    if (verdict == TRUTH_REFUSED)
        keep_cause(run, model);
    if (print) {
        fprintf(stderr, "%s", text);
        sol_print_messages(model, 0, stderr, false);
        fprintf(
            stderr,
            "seed %llu: %s; %u points compared, off by %.2g at most; known up to %.10g (%s), %d "
            "events, %u events in the program\n",
            (unsigned long long)net->seed,
            verdict == TRUTH_RIGHT   ? "right"
            : verdict == TRUTH_WRONG ? run->wrong
                                     : "refused",
            run->compared, run->worst, run->truth.until,
            run->truth.doubt ? run->truth.doubt : "all", run->truth.n_events, run->events);
    }
    sol_unload(model);
    free(text);
    return verdict;
}

/* A diode on its wrong side is no matter of tolerances. */
static TruthVerdict run_network(const Network *net, Run *run, bool print)
{
    TruthVerdict verdict = run_with(net, 1, run, print);
    if (verdict != TRUTH_WRONG || run->worst <= ALLOWED || run->worst > NEARLY)
        return verdict;
    Run *again = malloc(sizeof *again);
    bool right = run_with(net, TIGHTER, again, print) == TRUTH_RIGHT && again->worst <= ALLOWED;
    free(again);
    run->tightened = right;
    return right ? TRUTH_RIGHT : TRUTH_WRONG;
}

/* ---- smaller ---- */

/* Elements are left out one by one as long as the rest is wrong, or refused, too; what is refused
 * must be known to the end. */
static void print_smaller(const Network *net, Run *run, TruthVerdict verdict)
{
    Network small = *net;
    for (int i = 0; i < small.n;) {
        Network less = small;
        memmove(&less.element[i], &less.element[i + 1],
                (size_t)(less.n - i - 1) * sizeof *less.element);
        less.n--;
        bool same = run_network(&less, run, false) == verdict &&
                    (verdict == TRUTH_WRONG || !run->truth.doubt);
        if (same)
            small = less;
        i = same ? 0 : i + 1;
    }
    fprintf(stderr, "made smaller:\n");
    run_network(&small, run, true);
}

/* ---- all ---- */

static void count(TruthCause *causes, const char *text, uint64_t seed)
{
    int i = 0;
    while (i < TRUTH_CAUSES - 1 && causes[i].n && strcmp(causes[i].text, text) != 0)
        i++;
    if (!causes[i].n) {
        snprintf(causes[i].text, TRUTH_CAUSE, "%s", text);
        causes[i].seed = seed;
    }
    causes[i].n++;
}

TruthVerdict truth_check(const Network *net, bool print, TruthTally *tally)
{
    Run *run = malloc(sizeof *run);
    TruthVerdict verdict = run_network(net, run, print);
    tally->networks++;
    tally->right += verdict == TRUTH_RIGHT;
    tally->wrong += verdict == TRUTH_WRONG;
    tally->refused += verdict == TRUTH_REFUSED;
    tally->tightened += run->tightened;
    tally->points += run->compared;
    tally->events += run->events;
    tally->steps += run->steps;
    tally->iterations += run->iterations;
    if (verdict == TRUTH_RIGHT && run->worst > tally->worst) {
        tally->worst = run->worst;
        tally->worst_seed = net->seed;
    }
    if (verdict == TRUTH_REFUSED)
        count(tally->refusals, run->refused, net->seed);
    if (run->truth.doubt)
        count(tally->doubts, run->truth.doubt, net->seed);
    if (verdict == TRUTH_WRONG)
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)net->seed, run->wrong);
    if (verdict == TRUTH_WRONG || (print && verdict == TRUTH_REFUSED))
        print_smaller(net, run, verdict);
    free(run);
    return verdict;
}

static void report_causes(const char *what, const TruthCause *causes)
{
    for (int i = 0; i < TRUTH_CAUSES && causes[i].n; i++)
        printf("  %s: %u times, first with seed %llu: %s\n", what, causes[i].n,
               (unsigned long long)causes[i].seed, causes[i].text);
}

void truth_report(const char *name, const TruthTally *t)
{
    printf(
        "%u %s: %u right (%u with tighter tolerances), %u wrong, %u refused; %u points compared, "
        "%u events; off by %.2g at most (seed %llu)\n",
        t->networks, name, t->right, t->tightened, t->wrong, t->refused, t->points, t->events,
        t->worst, (unsigned long long)t->worst_seed);
    printf("  %.2f iterations of Newton a step of IDA\n",
           (double)t->iterations / (double)(t->steps + !t->steps));
    report_causes("refused", t->refusals);
    report_causes("not known to the end", t->doubts);
}

bool truth_passed(const TruthTally *t)
{
    bool enough = t->networks < 50 || (t->points > 20 * t->networks && t->events > t->networks);
    bool few = t->networks < 50 || 100 * t->refused <= t->networks;
    /* equations that are linear need one iteration, and now and then another: a Jacobian that is
     * wrong needs many. The bound is for the networks of `make test`: others differ by some percent */
    bool straight = t->networks < 50 || t->networks > 1000 || soak_is_long() ||
                    (double)t->iterations < MOST_ITERATIONS * (double)t->steps;
    return t->wrong == 0 && enough && few && straight;
}
