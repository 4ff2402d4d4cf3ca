/* test_random_trains.c: random trains of masses with dry friction, clutches, freewheels and stops:
 * modes after events as an independent search finds them.
 *
 * At the start, after events and at points between them positions, speeds and the forces of springs
 * and dampers are known. A contact whose speed is not zero has one mode; the others have two or
 * three: sticking or sliding either way, locked or free, at the stop or leaving it. For every
 * combination accelerations and forces are a linear system, solved here by elimination in long
 * double. A combination is consistent where what holds holds with a force it can bear, and what
 * lets go goes that way. Where exactly one is, and it is beyond doubt, the run must have its
 * forces; at one point between events alone it may be late. Left out and counted: points at which a
 * speed or a condition is at its boundary, at which several are consistent (friction at rest that
 * is larger than sliding), and at which a speed would have to jump.
 *
 *     test_random_trains             some hundreds of them
 *     test_random_trains print SEED  prints one and what was found
 */
#include "tests/support/mode_system.h"
#include "tests/support/net_soak.h"
#include "tests/support/slow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTACTS = 8, MOST_POINTS = 120, MOST_MODES = 3 };
static const double RESTS = 1e-14, MOVES = 1e-5;
static const long double DOUBT = 1e-6L, RIGHT = 1e-5L;

typedef enum Finding { ONE, NONE, SEVERAL, DOUBTFUL, UNDETERMINED, JUMP, FINDINGS } Finding;

typedef struct Tally {
    uint32_t trains, complete, refused, wrong, found[FINDINGS];
} Tally;

/* What a contact may do: hold (no relative acceleration), or a force, and which way it may go. */
typedef struct Mode {
    bool holds;
    double force;       /* of one that does not hold, at its last end */
    double least, most; /* of one that holds: what it bears */
    int way;            /* relative acceleration must not go against it; 0: as it likes */
} Mode;

typedef struct Contact {
    int element, n_modes;
    Mode mode[MOST_MODES];
} Contact;

typedef struct Run {
    Network net;
    Sol *sim;
    Tally *tally;
    SolVar flow[NET_MOST][2], place[NET_MOST], speed[NET_MOST];
    int unknown[NET_MOST][2]; /* of the force at an end, behind the accelerations of nodes */
    int n_unknowns;
    Contact contact[NET_MOST];
    int n_contacts;
    uint32_t points;
    bool print;
    char wrong[300], late[300];
} Run;

static bool is_contact(NetKind kind)
{
    return kind == NET_FRICTION || kind == NET_BEARING || kind == NET_CLUTCH ||
           kind == NET_ONE_WAY || kind == NET_HARD_STOP;
}

/* ---- modes of one contact ---- */

static void add_mode(Contact *c, Mode mode)
{
    c->mode[c->n_modes++] = mode;
}

static void friction_modes(Contact *c, double v, double limit, double peak, double viscous)
{
    double held = peak * limit;
    if (limit <= 0) {
        add_mode(c, (Mode){.force = viscous});
        return;
    }
    if (fabs(v) <= RESTS)
        add_mode(c, (Mode){.holds = true, .least = viscous - held, .most = viscous + held});
    if (v > -RESTS)
        add_mode(c, (Mode){.force = viscous + limit, .way = v <= RESTS});
    if (v < RESTS)
        add_mode(c, (Mode){.force = viscous - limit, .way = -(v >= -RESTS)});
}

static void one_way_modes(Contact *c, double v)
{
    if (v <= RESTS)
        add_mode(c, (Mode){.holds = true, .least = -INFINITY, .most = 0});
    add_mode(c, (Mode){.way = v <= RESTS});
}

static void stop_modes(Contact *c, const NetElement *e, double q, double v)
{
    bool high = fabs(q - e->p[1]) <= RESTS, low = fabs(q - e->p[0]) <= RESTS;
    bool rests = fabs(v) <= RESTS && (high || low);
    if (rests)
        add_mode(c,
                 (Mode){.holds = true, .least = high ? 0 : -INFINITY, .most = high ? INFINITY : 0});
    add_mode(c, (Mode){.way = !rests ? 0 : high ? -1 : 1});
}

/* Its modes at speed v and place q. */
static void find_modes(Contact *c, const NetElement *e, double time, double q, double v)
{
    c->n_modes = 0;
    if (e->kind == NET_ONE_WAY)
        one_way_modes(c, v);
    else if (e->kind == NET_HARD_STOP)
        stop_modes(c, e, q, v);
    else if (e->kind == NET_CLUTCH)
        friction_modes(c, v, e->p[0] * (time < 1 ? e->p[1] : e->p[2]), e->p[3], 0);
    else
        friction_modes(c, v, e->p[0], e->p[1], e->p[2] * v);
}

/* A speed that is neither zero nor clearly not, a place likewise; a speed that has to change at
 * once. */
static Finding judge_state(const NetElement *e, double q, double v)
{
    bool slow = fabs(v) > RESTS && fabs(v) < MOVES;
    if (e->kind == NET_ONE_WAY && v <= -MOVES)
        return JUMP;
    if (e->kind != NET_HARD_STOP)
        return slow ? DOUBTFUL : ONE;
    double beyond = fmax(q - e->p[1], e->p[0] - q), outward = q > e->p[1] - MOVES ? v : -v;
    if (beyond < -MOVES)
        return ONE;
    if (beyond < -RESTS || slow)
        return DOUBTFUL;
    return outward >= MOVES ? JUMP : beyond > MOVES ? DOUBTFUL : ONE;
}

/* ---- the train in one combination ---- */

static void put(ModeSystem *s, int row, int column, double factor)
{
    if (column >= 0)
        s->a[row][column] += factor;
}

/* Two rows for an element with two ends that are connected. */
static int add_element(ModeSystem *s, const Run *run, int i, const double *force, const Mode *mode,
                       int row)
{
    const NetElement *e = &run->net.element[i];
    bool two = network_ends(e->kind) == 2 && e->node[1] >= 0;
    const int *f = run->unknown[i];
    int last = two ? 1 : 0;
    if (e->kind == NET_MASS) {
        put(s, row, e->node[0], e->p[0]);
        put(s, row, f[0], -1);
        put(s, row, f[1], -1);
    } else if (e->kind == NET_LEVER) {
        put(s, row, e->node[0], 1);
        put(s, row, e->node[1], -e->p[0]);
    } else if (e->kind == NET_FIXED || e->kind == NET_SPEED) {
        put(s, row, e->node[0], 1);
    } else if (mode && mode->holds) {
        put(s, row, e->node[last], 1);
        if (two)
            put(s, row, e->node[0], -1);
    } else {
        put(s, row, f[last], 1);
        s->a[row][s->n] = mode ? mode->force : force[i];
    }
    row++;
    if (!two)
        return row;
    if (e->kind == NET_MASS) {
        put(s, row, e->node[0], 1);
        put(s, row, e->node[1], -1);
    } else {
        put(s, row, f[0], e->kind == NET_LEVER ? e->p[0] : 1);
        put(s, row, f[1], 1);
    }
    return row + 1;
}

static void build(ModeSystem *s, const Run *run, const double *force, const int *chosen)
{
    const Network *net = &run->net;
    memset(s, 0, sizeof *s);
    s->n = run->n_unknowns;
    int row = net->n_nodes;
    for (int i = 0, k = 0; i < net->n; i++) {
        const NetElement *e = &net->element[i];
        const Mode *mode = NULL;
        if (k < run->n_contacts && run->contact[k].element == i) {
            mode = &run->contact[k].mode[chosen[k]];
            k++;
        }
        for (int end = 0; end < 2; end++)
            if (run->unknown[i][end] >= 0)
                put(s, e->node[end], run->unknown[i][end], 1);
        row = add_element(s, run, i, force, mode, row);
    }
}

static long double most(const long double *x, int from, int to)
{
    long double size = 1e-3L;
    for (int i = from; i < to; i++)
        size = fmaxl(size, fabsl(x[i]));
    return size;
}

/* How far the worst contact is within its mode, in parts of the largest acceleration or force. */
static long double margin(const Run *run, const int *chosen, const long double *x)
{
    const Network *net = &run->net;
    long double worst = 1, a_size = most(x, 0, net->n_nodes),
                f_size = most(x, net->n_nodes, run->n_unknowns);
    for (int k = 0; k < run->n_contacts; k++) {
        const NetElement *e = &net->element[run->contact[k].element];
        const Mode *mode = &run->contact[k].mode[chosen[k]];
        int last = run->unknown[run->contact[k].element][1] >= 0 ? 1 : 0;
        long double f = x[run->unknown[run->contact[k].element][last]];
        long double a = x[e->node[last]] - (last ? x[e->node[0]] : 0);
        if (mode->holds)
            worst = fminl(worst, fminl(f - mode->least, mode->most - f) / f_size);
        else if (mode->way)
            worst = fminl(worst, mode->way * a / a_size);
    }
    return worst;
}

/* ---- the search ---- */

static bool next(const Run *run, int *chosen)
{
    for (int k = 0; k < run->n_contacts; k++) {
        if (++chosen[k] < run->contact[k].n_modes)
            return true;
        chosen[k] = 0;
    }
    return false;
}

static Finding search(const Run *run, const double *force, long double *answer)
{
    ModeSystem *s = malloc(sizeof *s);
    long double x[MODE_MOST] = {0};
    int chosen[NET_MOST] = {0}, sure = 0, doubtful = 0, open = 0;
    do {
        build(s, run, force, chosen);
        int solved = mode_system_solve(s, x);
        long double within = solved > 0 ? margin(run, chosen, x) : -1;
        open += solved == 0;
        doubtful += solved > 0 && fabsl(within) <= DOUBT;
        if (within > DOUBT) {
            sure++;
            memcpy(answer, x, sizeof x);
        }
    } while (next(run, chosen));
    free(s);
    return open ? UNDETERMINED : doubtful ? DOUBTFUL : sure == 1 ? ONE : sure ? SEVERAL : NONE;
}

/* ---- the run ---- */

static void compare(Run *run, const SolPoint *point, const long double *answer)
{
    const Network *net = &run->net;
    long double size = most(answer, net->n_nodes, run->n_unknowns);
    for (int i = 0; i < net->n && !run->wrong[0]; i++) {
        int last = run->unknown[i][1] >= 0 ? 1 : 0;
        char name[NET_NAME];
        double ours = point->values[run->flow[i][last]];
        long double theirs = answer[run->unknown[i][last]];
        if (fabsl(ours - theirs) <= RIGHT * size)
            continue;
        network_name(net, i, name);
        snprintf(
            run->wrong, sizeof run->wrong,
            "at time %.17g: the force of %s is %.10g, in the only consistent combination %.10g",
            point->time, name, ours, (double)theirs);
    }
}

/* What differs between events counts when it does so at two points in a row. */
static void judge(Run *run, const SolPoint *point, const long double *answer)
{
    bool before = run->late[0] != 0;
    compare(run, point, answer);
    memcpy(run->late, run->wrong, sizeof run->late);
    if (point->side == SOL_AT_POINT && !before)
        run->wrong[0] = 0;
}

/* The modes of all contacts; or why there is nothing to search. */
static Finding look_at_contacts(Run *run, const SolPoint *point)
{
    Finding worst = ONE;
    for (int k = 0; k < run->n_contacts; k++) {
        int i = run->contact[k].element;
        const NetElement *e = &run->net.element[i];
        double v = point->values[run->speed[i]], q = point->values[run->place[i]];
        Finding finding = judge_state(e, q, v);
        if (finding == JUMP || (finding != ONE && worst == ONE))
            worst = finding;
        find_modes(&run->contact[k], e, point->time, q, v);
    }
    return worst;
}

static bool on_point(void *context, const SolPoint *point)
{
    Run *run = context;
    double force[NET_MOST] = {0};
    long double answer[MODE_MOST] = {0};
    if (point->side != SOL_AT_POINT)
        run->late[0] = 0;
    if (point->side == SOL_BEFORE_EVENT || point->side == SOL_AT_END ||
        run->points++ >= MOST_POINTS)
        return true;
    for (int i = 0; i < run->net.n; i++)
        force[i] = point->values[run->flow[i][run->unknown[i][1] >= 0 ? 1 : 0]];
    Finding finding = look_at_contacts(run, point);
    if (finding == ONE)
        finding = search(run, force, answer);
    run->tally->found[finding]++;
    if (run->print)
        fprintf(stderr, "%.17g: finding %d\n", point->time, (int)finding);
    if (finding == ONE)
        judge(run, point, answer);
    return !run->wrong[0];
}

static void find_contacts(Run *run)
{
    const Network *net = &run->net;
    run->n_unknowns = net->n_nodes;
    for (int i = 0; i < net->n; i++) {
        const NetElement *e = &net->element[i];
        for (int end = 0; end < 2; end++)
            run->unknown[i][end] =
                end < network_ends(e->kind) && e->node[end] >= 0 ? run->n_unknowns++ : -1;
        if (is_contact(e->kind))
            run->contact[run->n_contacts++].element = i;
    }
}

static void find_variables(Run *run)
{
    const Network *net = &run->net;
    for (int i = 0; i < net->n; i++) {
        char path[NET_PATH];
        for (int end = 0; end < network_ends(net->element[i].kind); end++) {
            network_flow(net, i, end, path);
            run->flow[i][end] = sol_find(run->sim, path);
        }
        if (!is_contact(net->element[i].kind))
            continue;
        network_member(net, i, "contact.v", path);
        run->speed[i] = sol_find(run->sim, path);
        network_member(net, i, "contact.q", path);
        run->place[i] = sol_find(run->sim, path);
    }
}

static SolStatus simulate(Run *run, SolModel *model, uint64_t seed)
{
    SolOptions options = {.stop = run->net.stop,
                          .steps = 40,
                          .solver = seed % 2 ? SOL_SOLVER_IDA : SOL_SOLVER_AUTO,
                          .rtol = 1e-8,
                          .atol = 1e-11,
                          .max_events = 1000,
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

static bool run_train(uint64_t seed, bool print, void *context)
{
    Tally *tally = context;
    Run *run = calloc(1, sizeof *run);
    run->tally = tally;
    run->print = print;
    network_random(&run->net, seed, seed / 2 % 2 ? NET_ROTATION : NET_TRANSLATION);
    find_contacts(run);
    if (run->n_contacts == 0 || run->n_contacts > MOST_CONTACTS || run->n_unknowns >= MODE_MOST) {
        free(run);
        return true;
    }
    char *text;
    SolModel *model = net_soak_load(&run->net, &text);
    SolStatus status = simulate(run, model, seed);
    bool fine = !run->wrong[0];
    tally->trains++;
    tally->complete += status == SOL_OK;
    tally->refused += status != SOL_OK && fine;
    tally->wrong += !fine;
    if (status != SOL_OK && fine)
        fprintf(stderr, "seed %llu is refused, status %d\n", (unsigned long long)seed, status);
    if (print || !fine)
        net_soak_report(&run->net, model, text, status, fine ? "as found" : run->wrong);
    sol_unload(model);
    free(text);
    free(run);
    return fine;
}

int main(int argc, char **argv)
{
    Tally tally = {0};
    bool fine;
    if (net_soak(argc, argv, "modes of trains", SLOW_BUILD ? 60 : 300, run_train, &tally, &fine))
        return !fine;
    printf(
        "%u trains, %u ran to their end, %u refused, %u wrong; points with one mode %u, none %u, "
        "several %u, in doubt %u, undetermined %u, jump %u\n",
        tally.trains, tally.complete, tally.refused, tally.wrong, tally.found[ONE],
        tally.found[NONE], tally.found[SEVERAL], tally.found[DOUBTFUL], tally.found[UNDETERMINED],
        tally.found[JUMP]);
    /* nearly all must run and be compared, or this tests nothing */
    bool enough = tally.trains < 50 ||
                  (100 * tally.refused <= tally.trains && tally.found[ONE] > tally.trains);
    return tally.wrong || !enough;
}
