/* random circuits, most without a ground, with loops of sources and capacitors and cuts of sources and coils, against
 * the same made regular by exact ranks and solved by tests/support/linear_dae.h: which are refused, how many
 * states the others have, which parts have no ground, and what they do.
 *
 * A loop of nothing but voltages, or a cut of nothing but currents, is contradictory. Each independent loop of
 * capacitors and voltages besides takes a state away, and each independent cut of coils and currents: these
 * numbers are ranks of parts of the incidence matrix. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/exact_rank.h"
#include "tests/support/linear_dae.h"
#include "tests/support/net_text.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 10, ELEMENTS = 16, TEXT = 20000, POINTS = 4, SINE = 0, COSINE = 1, FIRST_NODE = 2 };
typedef enum Kind { RESISTOR, CAPACITOR, COIL, VOLTAGE, CURRENT, KINDS } Kind;

typedef struct Element {
    Kind kind;
    int p, n;
    double value;
} Element;

typedef struct Circuit {
    int n_nodes, n;
    int ground; /* node, or -1 */
    Element e[ELEMENTS];
    int part[NODES]; /* of a node: the smallest node it is connected with */
} Circuit;

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (int)((drawn >> 33) % (uint64_t)below);
}

/* ---- a circuit ---- */

static void join_parts(Circuit *c)
{
    for (int k = 0; k < c->n_nodes; k++)
        c->part[k] = k;
    for (int round = 0; round < c->n_nodes; round++)
        for (int i = 0; i < c->n; i++) {
            int least =
                c->part[c->e[i].p] < c->part[c->e[i].n] ? c->part[c->e[i].p] : c->part[c->e[i].n];
            c->part[c->e[i].p] = c->part[c->e[i].n] = least;
        }
}

/* Nodes of up to three groups, each used by two pins at least. */
static bool try_circuit(Circuit *c)
{
    int groups = 1 + draw(3), degree[NODES] = {0};
    *c = (Circuit){.n_nodes = groups + 1 + draw(NODES - groups - 1), .ground = -1};
    c->n = c->n_nodes + draw(ELEMENTS - c->n_nodes + 1);
    for (int i = 0; i < c->n; i++) {
        static const Kind often[] = {RESISTOR, RESISTOR, CAPACITOR, CAPACITOR,
                                     COIL,     COIL,     VOLTAGE,   CURRENT};
        Element *e = &c->e[i];
        e->kind = often[draw(8)];
        e->value = 0.25 * (1 + draw(12));
        e->p = draw(c->n_nodes);
        do
            e->n = draw(c->n_nodes);
        while (e->n % groups != e->p % groups || (e->n == e->p && draw(20)));
        if (e->n == e->p)
            return false;
        degree[e->p]++;
        degree[e->n]++;
    }
    for (int k = 0; k < c->n_nodes; k++)
        if (degree[k] < 2)
            return false;
    if (draw(4) == 0)
        c->ground = draw(c->n_nodes);
    join_parts(c);
    return true;
}

static void make_text(const Circuit *c, char *out)
{
    static const char *const type[] = {"Basic.Resistor E%d{R << %.17g} n%d n%d;",
                                       "Basic.Capacitor E%d{C << %.17g} n%d n%d;",
                                       "Basic.Inductor E%d{L << %.17g} n%d n%d;",
                                       "Sources.SineVoltage E%d{U << %.17g, f << 1} n%d n%d;",
                                       "Sources.SineCurrent E%d{I << %.17g, f << 1} n%d n%d;"};
    char net[ELEMENTS * 100] = "";
    for (int i = 0; i < c->n; i++)
        sprintf(net + strlen(net), type[c->e[i].kind], i, c->e[i].value, c->e[i].p, c->e[i].n);
    if (c->ground >= 0)
        sprintf(net + strlen(net), "Sources.Ground G n%d", c->ground);
    else
        net[strlen(net) - 1] = '\0';
    net_text(net, "Circuit", out, TEXT);
}

/* ---- ranks ---- */

/* Of the incidence matrix of the elements whose kinds are in the set. */
static int rank_of(const Circuit *c, unsigned kinds)
{
    int64_t at[NODES * ELEMENTS] = {0};
    uint32_t n = 0;
    for (int i = 0; i < c->n; i++)
        if (kinds >> c->e[i].kind & 1) {
            at[n * NODES + (uint32_t)c->e[i].p] += 1;
            at[n * NODES + (uint32_t)c->e[i].n] -= 1;
            n++;
        }
    return (int)exact_rank(n, NODES, at);
}

static int count_of(const Circuit *c, unsigned kinds)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += kinds >> c->e[i].kind & 1;
    return n;
}

static int loops_of(const Circuit *c, unsigned kinds)
{
    return count_of(c, kinds) - rank_of(c, kinds);
}

static int cuts_of(const Circuit *c, unsigned kinds)
{
    unsigned all = (1u << KINDS) - 1;
    return rank_of(c, all) - rank_of(c, all & ~kinds);
}

static bool is_contradictory(const Circuit *c)
{
    return loops_of(c, 1u << VOLTAGE) > 0 || cuts_of(c, 1u << CURRENT) > 0;
}

static int states_of(const Circuit *c)
{
    unsigned cv = 1u << CAPACITOR | 1u << VOLTAGE, li = 1u << COIL | 1u << CURRENT;
    return count_of(c, 1u << CAPACITOR | 1u << COIL) - loops_of(c, cv) - cuts_of(c, li);
}

/* ---- made regular, and solved ---- */

static int current(const Circuit *c, int element)
{
    return FIRST_NODE + c->n_nodes + element;
}

static void voltage_row(Long *row, const Element *e, Long factor)
{
    row[FIRST_NODE + e->p] += factor;
    row[FIRST_NODE + e->n] -= factor;
}

static void element_row(LinearDae *d, const Circuit *c, int i, int row)
{
    const Element *e = &c->e[i];
    Long *a = d->a[row];
    switch (e->kind) {
    case RESISTOR:
        voltage_row(a, e, 1);
        a[current(c, i)] = -(Long)e->value;
        break;
    case CAPACITOR:
        voltage_row(d->e[row], e, e->value);
        a[current(c, i)] = 1;
        break;
    case COIL:
        d->e[row][current(c, i)] = e->value;
        voltage_row(a, e, 1);
        break;
    case VOLTAGE:
        voltage_row(a, e, 1);
        a[SINE] = -(Long)e->value;
        break;
    default:
        a[current(c, i)] = 1;
        a[SINE] = -(Long)e->value;
        break;
    }
}

/* One node of each part is at 0, and its sum of currents, which the others imply, is left out. */
static LinearVerdict solve(const Circuit *c, Long step, LinearFlow *flow)
{
    static LinearDae d;
    const Long omega = 2 * 3.14159265358979323846264338327950288L;
    memset(&d, 0, sizeof d);
    d.n = FIRST_NODE + c->n_nodes + c->n;
    d.e[0][SINE] = d.e[1][COSINE] = 1;
    d.a[0][COSINE] = omega;
    d.a[1][SINE] = -omega;
    for (int k = 0; k < c->n_nodes; k++) {
        if (c->part[k] == k)
            d.a[FIRST_NODE + k][FIRST_NODE + k] = 1;
        for (int i = 0; i < c->n && c->part[k] != k; i++)
            d.a[FIRST_NODE + k][current(c, i)] += (c->e[i].p == k) - (c->e[i].n == k);
    }
    for (int i = 0; i < c->n; i++)
        element_row(&d, c, i, current(c, i));
    return linear_flow_make(flow, &d, step);
}

static bool start(const Circuit *c, const LinearFlow *flow, Long *x)
{
    LinearForm form[ELEMENTS + 2] = {{1, {SINE}, {1}}, {1, {COSINE}, {1}}};
    Long value[ELEMENTS + 2] = {0, 1}, conflict;
    int n = 2;
    for (int i = 0; i < c->n; i++) {
        const Element *e = &c->e[i];
        if (e->kind == CAPACITOR)
            form[n++] = (LinearForm){2, {FIRST_NODE + e->p, FIRST_NODE + e->n}, {1, -1}};
        if (e->kind == COIL)
            form[n++] = (LinearForm){1, {current(c, i)}, {1}};
    }
    return linear_motion_start(&flow->motion, n, form, value, x, &conflict) && conflict < 1e-9L;
}

/* ---- comparison ---- */

static void check_parts(const Circuit *c, const SimLab *lab, const char *text)
{
    for (int k = 0; k < c->n_nodes; k++) {
        char names[200] = "";
        int n = 0, all = 0, told = 0;
        if (c->part[k] != k)
            continue;
        for (int i = 0; i < c->n; i++)
            all += c->part[c->e[i].p] == k;
        for (int i = 0; i < c->n && n < 4; i++)
            if (c->part[c->e[i].p] == k) {
                n++;
                sprintf(names + strlen(names), "%s'E%d'",
                        n == 1     ? ""
                        : n == all ? " and "
                                   : ", ",
                        i);
            }
        strcat(names, all > 4 ? " and others has no ground" : " has no ground");
        told = sim_lab_said(lab, names);
        bool grounded = c->ground >= 0 && c->part[c->ground] == k;
        if (told == grounded)
            sol_print_messages(lab->model, 0, stderr, false);
        if (told == grounded)
            fail_msg("'%s' was%s said\n%s", names, told ? "" : " not", text);
    }
}

static void compare(const Circuit *c, SimLab *lab, const LinearFlow *flow, const Long *x,
                    const char *text)
{
    Long largest = 1;
    for (int z = FIRST_NODE; z < flow->motion.n; z++)
        largest = fmaxl(largest, fabsl(linear_motion_value(&flow->motion, z, x)));
    for (int i = 0; i < c->n; i++) {
        const Element *e = &c->e[i];
        char path[20];
        sprintf(path, "E%d.i", i);
        Long wanted = linear_motion_value(&flow->motion, current(c, i), x),
             found = sim_lab_value(lab, path);
        if (!(fabsl(found - wanted) <= 1e-9L * largest))
            fail_msg("%s = %.12Lg, not %.12Lg\n%s", path, found, wanted, text);
        sprintf(path, "E%d.u", i);
        wanted = linear_motion_value(&flow->motion, FIRST_NODE + e->p, x) -
                 linear_motion_value(&flow->motion, FIRST_NODE + e->n, x);
        found = sim_lab_value(lab, path);
        if (!(fabsl(found - wanted) <= 1e-9L * largest))
            fail_msg("%s = %.12Lg, not %.12Lg\n%s", path, found, wanted, text);
    }
}

static void follow(const Circuit *c, SimLab *lab, const char *text, int *skipped)
{
    static LinearFlow flow;
    Long x[LD_FREE];
    const double step = 0.13;
    LinearVerdict verdict = solve(c, step, &flow);
    if (verdict != LINEAR_SOLVED || !start(c, &flow, x)) {
        ++*skipped;
        return;
    }
    assert_int_equal(flow.motion.m - 2, states_of(c));
    for (int k = 1; k <= POINTS; k++) {
        linear_flow_move(&flow, 0, x);
        if (sol_run_to(lab->sim, k * step) != SOL_OK) {
            sol_print_messages(lab->model, 0, stderr, false);
            fail_msg("refused\n%s", text);
        }
        compare(c, lab, &flow, x, text);
    }
}

typedef struct Tally {
    int contradictory, regular, fewer, floating, skipped;
} Tally;

static void check(const Circuit *c, Tally *tally)
{
    char *text = malloc(TEXT);
    make_text(c, text);
    SolOptions options = {
        .stop = 1, .interval = 1, .rtol = 1e-12, .atol = 1e-14, .engine = SOL_ENGINE_INTERP};
    SimLab *lab = sim_lab_text(text, &options);
    SolStatus status = sol_run_to(lab->sim, 0);
    SolStats stats;
    sol_stats(lab->sim, &stats);
    if (is_contradictory(c) != (status == SOL_MODEL)) {
        sol_print_messages(lab->model, 0, stderr, false);
        fail_msg("status %d, though it is %s\n%s", status,
                 is_contradictory(c) ? "contradictory" : "regular", text);
    }
    if (is_contradictory(c)) {
        tally->contradictory++;
    } else {
        if ((int)stats.states != states_of(c))
            fail_msg("%u states, not %d\n%s", stats.states, states_of(c), text);
        check_parts(c, lab, text);
        follow(c, lab, text, &tally->skipped);
        tally->regular++;
        tally->fewer += states_of(c) < count_of(c, 1u << CAPACITOR | 1u << COIL);
        tally->floating += c->ground < 0;
    }
    sim_lab_close(lab);
    free(text);
}

static void random_circuits(void **state)
{
    (void)state;
    Tally tally = {0};
    Soak soak = soak_begin("singular circuits", 300, 1);
    while (soak_next(&soak)) {
        Circuit c;
        drawn = soak.seed * 7919;
        while (!try_circuit(&c))
            continue;
        check(&c, &tally);
    }
    soak_end(&soak);
    printf("%d contradictory, %d not: %d with fewer states than coils and capacitors, %d without a "
           "ground; "
           "%d only counted\n",
           tally.contradictory, tally.regular, tally.fewer, tally.floating, tally.skipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_circuits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
