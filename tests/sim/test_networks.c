/* test_networks.c: random resistive networks, against Kirchhoff's laws and a nodal analysis.
 *
 * Resistors, switches that the clock throws one by one and diodes, with conductances from 1e-9 to
 * 1e3, joined at random, a sine source and sometimes a capacitor. Between the events every
 * component's law, the currents of every node and the voltages are held against what the run says;
 * and the potentials against a nodal analysis in long double, which takes from the run only the
 * potentials that are given (source, capacitor) and which diodes are closed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/sim_lab.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 8, MOST_PARTS = 32 };

typedef enum Kind { SOURCE, CAPACITOR, RESISTOR, SWITCH, DIODE } Kind;

typedef struct Component {
    Kind kind;
    int p, n;             /* nodes */
    double on, off, time; /* conductances; when it is thrown */
    bool opens;           /* a switch that is closed before that time */
} Component;

typedef struct Network {
    uint64_t random;
    int n_nodes, n; /* node 0 is the ground */
    Component part[MOST_PARTS];
} Network;

static uint64_t draw(Network *w)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(Network *w, int limit)
{
    return (int)(draw(w) % (uint64_t)limit);
}

static double power(Network *w, double low, double high)
{
    return pow(10, low + (high - low) * (double)(draw(w) >> 11) * 0x1p-53);
}

/* ---- a network ---- */

static void add(Network *w, Kind kind, int p, int n)
{
    Component *c = &w->part[w->n];
    *c = (Component){.kind = kind, .p = p, .n = n};
    c->on = kind == RESISTOR ? power(w, -9, 3) : power(w, 0, 3);
    c->off = power(w, -9, -5);
    c->time = 0.001 * (1 + below(w, 8)) + 1e-5 * w->n;
    c->opens = below(w, 4) == 0;
    w->n++;
}

static int count_pins(const Network *w, int node)
{
    int count = 0;
    for (int i = 0; i < w->n; i++)
        count += (w->part[i].p == node) + (w->part[i].n == node);
    return count;
}

/* Every node hangs by something on one before it, and no pin is alone. */
static void make_network(Network *w, uint64_t seed)
{
    static const Kind kinds[] = {RESISTOR, RESISTOR, SWITCH, SWITCH, DIODE};
    *w = (Network){.random = seed};
    w->n_nodes = 3 + below(w, MOST_NODES - 2);
    add(w, SOURCE, 1, 0);
    if (below(w, 3) == 0)
        add(w, CAPACITOR, 2, 0);
    for (int i = 2; i < w->n_nodes; i++)
        add(w, kinds[below(w, 5)], i, below(w, i));
    for (int more = 2 + below(w, 9); more > 0; more--) {
        int p = below(w, w->n_nodes), n = below(w, w->n_nodes);
        if (p != n)
            add(w, kinds[below(w, 5)], p, n);
    }
    for (int i = 1; i < w->n_nodes; i++)
        if (count_pins(w, i) < 2)
            add(w, RESISTOR, i, 0);
}

static void print_component(FILE *f, const Component *c, int i)
{
    fprintf(f, "  static Electric.");
    if (c->kind == SOURCE)
        fprintf(f, "Sources.SineVoltage X%d{U << 10, f << 25, phase << 1};\n", i);
    else if (c->kind == CAPACITOR)
        fprintf(f, "Basic.Capacitor X%d{C << 1e-4};\n", i);
    else if (c->kind == RESISTOR)
        fprintf(f, "Basic.Resistor X%d{R << %.17g};\n", i, 1 / c->on);
    else
        fprintf(f, "Switches.%s X%d{R_on << %.17g, G_off << %.17g};\n",
                c->kind == SWITCH ? "ResistiveSwitch" : "ResistiveDiode", i, 1 / c->on, c->off);
}

static void print_node(FILE *f, const Network *w, int node)
{
    int last = -1;
    char side = 0;
    for (int i = 0; i < 2 * w->n; i++) {
        const Component *c = &w->part[i / 2];
        if ((i % 2 ? c->n : c->p) != node)
            continue;
        if (last >= 0)
            fprintf(f, "  connection{a << X%d.%c, b << X%d.%c};\n", last, side, i / 2,
                    i % 2 ? 'n' : 'p');
        last = i / 2;
        side = i % 2 ? 'n' : 'p';
    }
    if (node == 0)
        fprintf(f, "  connection{a << G.p, b << X%d.%c};\n", last, side);
}

static char *print_network(const Network *w)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "model Network\ninterface:\n  static Electric.Sources.Ground G;\n");
    for (int i = 0; i < w->n; i++)
        print_component(f, &w->part[i], i);
    fprintf(f, "implementation:\n");
    for (int i = 0; i < w->n; i++)
        if (w->part[i].kind == SWITCH)
            fprintf(f, "  X%d.command << time %s %.17g;\n", i,
                    w->part[i].opens ? "<" : ">=", w->part[i].time);
    for (int k = 0; k < w->n_nodes; k++)
        print_node(f, w, k);
    fprintf(f, "end Network;\n");
    fclose(f);
    return text;
}

/* ---- what the run says ---- */

typedef struct Seen {
    double u[MOST_PARTS], i[MOST_PARTS], g[MOST_PARTS]; /* g: conductance; 0: none */
    double pin[MOST_PARTS][2];                          /* potentials of p and n */
} Seen;

static double value(SimLab *lab, int part, const char *member)
{
    char path[32];
    snprintf(path, sizeof path, "X%d.%s", part, member);
    return sim_lab_value(lab, path);
}

static double conductance(SimLab *lab, const Component *c, int i, double time)
{
    if (c->kind == RESISTOR)
        return c->on;
    if (c->kind == SWITCH)
        return (time >= c->time) != c->opens ? c->on : c->off;
    if (c->kind == DIODE)
        return value(lab, i, "closed") != 0 ? c->on : c->off;
    return 0;
}

static void look(SimLab *lab, const Network *w, double time, Seen *seen)
{
    for (int i = 0; i < w->n; i++) {
        seen->u[i] = value(lab, i, "u");
        seen->i[i] = value(lab, i, "i");
        seen->pin[i][0] = value(lab, i, "p.u");
        seen->pin[i][1] = value(lab, i, "n.u");
        seen->g[i] = conductance(lab, &w->part[i], i, time);
    }
}

/* |r| against the terms it is made of; what is below the absolute tolerance counts as that. */
static const double ATOL = 1e-8, BOUND = 1e-9;

static double missed(double r, double terms)
{
    return fabs(r) / terms;
}

static double size(double x)
{
    return fmax(fabs(x), ATOL);
}

static double by_laws(const Network *w, const Seen *s)
{
    double most = 0;
    for (int i = 0; i < w->n; i++) {
        double up = s->pin[i][0], un = s->pin[i][1];
        most = fmax(most, missed(s->u[i] - (up - un), size(s->u[i]) + size(up) + size(un)));
        if (s->g[i] > 0)
            most = fmax(
                most, missed(s->i[i] - s->g[i] * s->u[i], size(s->i[i]) + s->g[i] * size(s->u[i])));
    }
    return most;
}

/* Currents of all nodes but the ground, whose own is not known; and one potential for all pins. */
static double by_nodes(const Network *w, const Seen *s)
{
    double most = 0;
    for (int node = 1; node < w->n_nodes; node++) {
        double sum = 0, terms = 0, potential = NAN;
        for (int i = 0; i < 2 * w->n; i++) {
            const Component *c = &w->part[i / 2];
            if ((i % 2 ? c->n : c->p) != node)
                continue;
            double u = s->pin[i / 2][i % 2];
            sum += i % 2 ? -s->i[i / 2] : s->i[i / 2];
            terms += size(s->i[i / 2]);
            if (potential == potential)
                most = fmax(most, missed(u - potential, size(u) + size(potential)));
            potential = u;
        }
        most = fmax(most, missed(sum, terms));
    }
    return most;
}

/* ---- nodal analysis ---- */

/* Nodes are taken out one by one, the star of conductances around each becoming a mesh between its
 * neighbours. Nothing is ever subtracted, so that every potential is right to rounding, however far
 * apart the conductances are. */
typedef struct Nodal {
    long double g[MOST_NODES][MOST_NODES], u[MOST_NODES];
    bool known[MOST_NODES];
} Nodal;

static long double around(const Nodal *m, int n, int node, const bool *out)
{
    long double sum = 0;
    for (int k = 0; k < n; k++)
        sum += k == node || out[k] ? 0 : m->g[node][k];
    return sum;
}

static void take_out(Nodal *m, int n, int node, const bool *out)
{
    long double sum = around(m, n, node, out);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (i != k && i != node && k != node && !out[i] && !out[k])
                m->g[i][k] += m->g[i][node] * m->g[node][k] / sum;
}

static void analyse(Nodal *m, int n)
{
    bool out[MOST_NODES] = {false};
    int order[MOST_NODES], count = 0;
    for (int node = 0; node < n; node++)
        if (!m->known[node]) {
            take_out(m, n, node, out);
            out[node] = true;
            order[count++] = node;
        }
    while (count-- > 0) {
        int node = order[count];
        long double sum = 0;
        for (int k = 0; k < n; k++)
            sum += k == node || out[k] ? 0 : m->g[node][k] * m->u[k];
        m->u[node] = sum / around(m, n, node, out);
        out[node] = false;
    }
}

static double by_analysis(const Network *w, const Seen *s)
{
    Nodal m = {.known = {true}};
    double most = 0, largest = ATOL;
    for (int i = 0; i < w->n; i++) {
        const Component *c = &w->part[i];
        m.g[c->p][c->n] += s->g[i];
        m.g[c->n][c->p] += s->g[i];
        if (c->kind == SOURCE || c->kind == CAPACITOR) {
            m.known[c->p] = true;
            m.u[c->p] = s->u[i];
            largest = fmax(largest, fabs(s->u[i]));
        }
    }
    analyse(&m, w->n_nodes);
    for (int i = 0; i < w->n; i++)
        most = fmax(most, fabs((double)(s->pin[i][0] - m.u[w->part[i].p])) / largest);
    return most;
}

/* ---- one network ---- */

static const double STOP = 0.011;

/* The run ended because diodes keep firing at one time: that is for others to judge. */
static bool cycles(const SimLab *lab)
{
    return sim_lab_said(lab, "conditions still change") || sim_lab_said(lab, "fire");
}

static uint64_t run_network(const Network *w, const char *text, SolEngine engine, bool *given_up)
{
    SolOptions options = {.stop = STOP, .interval = STOP / 20, .engine = engine};
    SimLab *lab = sim_lab_text(text, &options);
    Seen seen;
    *given_up = false;
    for (int k = 1; k <= 10; k++) {
        double time = 0.001 * k + 0.0005;
        SolStatus status = sim_lab_run(lab, time);
        *given_up = status != SOL_OK && cycles(lab);
        if (status != SOL_OK && !*given_up)
            fail_msg("time %g: status %d\n%s", time, status, text);
        if (status != SOL_OK)
            break;
        look(lab, w, time, &seen);
        double laws = by_laws(w, &seen), nodes = by_nodes(w, &seen), other = by_analysis(w, &seen);
        if (!(laws <= BOUND && nodes <= BOUND && other <= BOUND))
            fail_msg("time %g: laws are missed by %g, Kirchhoff's by %g, potentials by %g\n%s",
                     time, laws, nodes, other, text);
    }
    uint64_t hash = lab->hash;
    sim_lab_close(lab);
    return hash;
}

static void random_networks(void **state)
{
    (void)state;
    uint64_t all = 0, cycled = 0;
    Soak soak = soak_begin("resistive networks", SLOW_BUILD ? 40 : 400, 1);
    while (soak_next(&soak)) {
        Network w;
        bool given_up;
        make_network(&w, soak.seed);
        char *text = print_network(&w);
        uint64_t hash = run_network(&w, text, SOL_ENGINE_INTERP, &given_up);
        all++;
        cycled += given_up;
        if (!given_up && soak.seed % 40 == 0)
            assert_true(run_network(&w, text, SOL_ENGINE_REBUILD, &given_up) == hash);
        free(text);
    }
    soak_end(&soak);
    printf("%llu networks, %llu of them given up in a cycle of diodes\n", (unsigned long long)all,
           (unsigned long long)cycled);
    assert_true(cycled <= 1 + all / 20);
}

/* ---- by hand ---- */

/* Two diodes close one after the other while their branches are joined by open switches: the loop
 * keeps the order of evaluation that it had with both of them open. */
static void branches_that_close_one_by_one(void **state)
{
    (void)state;
    static const Component parts[] = {
        {SOURCE, 1, 0, 0, 0, 0, false},         {DIODE, 1, 2, 1e3, 1e-6, 0, false},
        {DIODE, 1, 3, 1e3, 1e-6, 0, false},     {SWITCH, 1, 2, 1e3, 1e-6, 0.02, false},
        {SWITCH, 3, 2, 1e3, 1e-6, 0.02, false}, {RESISTOR, 2, 0, 0.01, 0, 0, false},
        {RESISTOR, 3, 0, 0.01, 0, 0, false}};
    Network w = {.n_nodes = 4, .n = sizeof parts / sizeof *parts};
    bool given_up;
    memcpy(w.part, parts, sizeof parts);
    char *text = print_network(&w);
    run_network(&w, text, SOL_ENGINE_INTERP, &given_up);
    assert_false(given_up);
    w.part[4].kind = DIODE; /* sees the difference of two branches that are alike: stays open */
    free(text);
    text = print_network(&w);
    run_network(&w, text, SOL_ENGINE_INTERP, &given_up);
    assert_false(given_up);
    free(text);
}

/* test_networks SEED prints the network of a case. */
static int print_case(uint64_t seed)
{
    Network w;
    make_network(&w, seed);
    char *text = print_network(&w);
    fputs(text, stdout);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_case(strtoull(argv[1], NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_that_close_one_by_one),
        cmocka_unit_test(random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
