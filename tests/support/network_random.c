/* network_random.c: a number -> a circuit or a drive train of the library, always the same one.
 *
 * Mechanics: every rigid class of nodes has a mass, or is held. Levers and contacts, which may all
 * stick at once, form no circle, the housing counted as one vertex: so all forces are determined.
 * Circuits: a tree of voltages, resistors, coils and capacitors reaches every node; voltages and
 * ideal diodes, which may all conduct at once, form no circle. */
#include "tests/support/network.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 12 };

typedef struct Draft {
    Network *net;
    uint64_t random;
    int rigid[MOST_NODES + 1];  /* nodes that always move together: the next one, or itself */
    int joined[MOST_NODES + 1]; /* that may do so; the last one is the housing */
    int wall;                   /* node that is held, or -1 */
} Draft;

/* ---- chances ---- */

static uint64_t draw(Draft *d)
{
    d->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = d->random;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int below(Draft *d, int n)
{
    return (int)(draw(d) % (uint64_t)n);
}

static bool one_in(Draft *d, int n)
{
    return below(d, n) == 0;
}

/* By orders of magnitude, with three digits; one in four times what it begins with. */
static double size(Draft *d, double low, double high)
{
    if (one_in(d, 4))
        return low;
    double x = low * pow(high / low, below(d, 1001) / 1000.0), unit = pow(10, floor(log10(x)) - 2);
    return floor(x / unit) * unit;
}

static double number(Draft *d, double low, double high)
{
    return floor((low + (high - low) * below(d, 101) / 100) * 100) / 100;
}

/* ---- classes of nodes ---- */

static int find(const int *up, int i)
{
    while (up[i] != i)
        i = up[i];
    return i;
}

static bool join(int *up, int a, int b)
{
    a = find(up, a);
    b = find(up, b);
    up[a] = b;
    return a != b;
}

static void put(Draft *d, NetKind kind, int a, int b, double p0, double p1, double p2, double p3)
{
    if (d->net->n < NET_MOST)
        d->net->element[d->net->n++] = (NetElement){kind, {a, b}, {p0, p1, p2, p3}};
}

static int any_node(Draft *d)
{
    return below(d, d->net->n_nodes);
}

static int other_node(Draft *d, int node)
{
    return (node + 1 + below(d, d->net->n_nodes - 1)) % d->net->n_nodes;
}

/* A node that moves: the wall is the last one. */
static int body(Draft *d)
{
    return below(d, d->net->n_nodes - (d->wall >= 0));
}

/* ---- drive trains ---- */

static void add_bodies(Draft *d, int n)
{
    for (int i = 0; i < n; i++) {
        bool tied = i && one_in(d, 3);
        if (tied) {
            int to = below(d, i);
            join(d->rigid, i, to);
            join(d->joined, i, to);
            if (one_in(d, 3))
                put(d, NET_MASS, i, to, size(d, 1, 20), 0, 0, 0);
            else
                put(d, NET_LEVER, i, to, (one_in(d, 4) ? -1 : 1) * size(d, 1, 5), 0, 0, 0);
        }
        if (!tied || one_in(d, 2))
            put(d, NET_MASS, i, -1, size(d, 1, 20), 0, 0, 0);
    }
}

/* A speed at the start, for bodies that are alone in their class; not against one that must not be
 * turned back. */
static void start_bodies(Draft *d)
{
    Network *net = d->net;
    for (int i = 0; i < net->n; i++)
        if (net->element[i].kind == NET_ONE_WAY)
            return;
    for (int i = 0; i < net->n; i++) {
        NetElement *e = &net->element[i];
        int tied = 0;
        for (int k = 0; k < net->n_nodes; k++)
            tied += find(d->rigid, k) == find(d->rigid, e->node[0]);
        if (e->kind == NET_MASS && tied == 1 && one_in(d, 4))
            e->p[1] = number(d, -3, 3);
    }
}

static void add_wall(Draft *d)
{
    d->wall = -1;
    if (one_in(d, 3))
        return;
    d->wall = d->net->n_nodes++;
    join(d->joined, d->wall, MOST_NODES);
    if (one_in(d, 4))
        put(d, NET_SPEED, d->wall, -1, number(d, -2, 2), 0, 0, 0);
    else
        put(d, NET_FIXED, d->wall, -1, 0, 0, 0, 0);
}

static void add_compliance(Draft *d)
{
    int a = any_node(d), b = other_node(d, a);
    switch (below(d, 5)) {
    case 0:
        put(d, NET_SPRING, a, b, size(d, 1, 1000), one_in(d, 2) ? number(d, -1, 1) : 0, 0, 0);
        break;
    case 1:
        put(d, NET_DAMPER, a, b, size(d, 1, 10), 0, 0, 0);
        break;
    case 2:
        put(d, NET_ELASTIC_STOP, a, b, number(d, -1, -0.1), number(d, 0.1, 1), size(d, 100, 10000),
            one_in(d, 2) ? size(d, 1, 10) : 0);
        break;
    default:
        put(d, NET_SPRING_DAMPER, a, b, size(d, 1, 1000), size(d, 0.1, 10), 0, 0);
    }
}

static void add_contact_to_housing(Draft *d)
{
    int a = body(d);
    if (!join(d->joined, a, MOST_NODES))
        return;
    if (d->net->domain == NET_ROTATION && !one_in(d, 3))
        put(d, NET_BEARING, a, -1, size(d, 1, 10), one_in(d, 2) ? 1 : number(d, 1, 2),
            one_in(d, 2) ? 0 : number(d, 0.1, 1), 0);
    else
        put(d, NET_HARD_STOP, a, -1, number(d, -2, -0.1), number(d, 0.1, 2), 0, 0);
}

static void add_contact(Draft *d)
{
    int a = any_node(d), b = other_node(d, a);
    if (one_in(d, 3)) {
        add_contact_to_housing(d);
        return;
    }
    if (!join(d->joined, a, b))
        return;
    if (one_in(d, 3))
        put(d, NET_ONE_WAY, a, b, 0, 0, 0, 0);
    else if (d->net->domain == NET_ROTATION)
        put(d, NET_CLUTCH, a, b, number(d, 0.2, 1), one_in(d, 3) ? 0 : size(d, 1, 20),
            one_in(d, 3) ? 0 : size(d, 1, 20), one_in(d, 2) ? 1 : number(d, 1, 2));
    else
        put(d, NET_FRICTION, a, b, size(d, 1, 10), one_in(d, 2) ? 1 : number(d, 1, 2),
            one_in(d, 2) ? 0 : number(d, 0.1, 1), 0);
}

static void add_force(Draft *d)
{
    if (one_in(d, 5))
        put(d, NET_FORCE, body(d), -1, number(d, -10, 10), 0, 0, 0);
    else
        put(d, NET_SINE_FORCE, body(d), -1, size(d, 1, 20), one_in(d, 2) ? 1 : number(d, 0.3, 3),
            one_in(d, 2) ? 0 : number(d, 0, 3), 0);
}

static void make_train(Draft *d)
{
    int n = 2 + below(d, 4);
    d->net->n_nodes = n;
    d->net->stop = 3;
    add_bodies(d, n);
    add_wall(d);
    for (int i = below(d, n + 1); i > 0; i--)
        add_compliance(d);
    for (int i = 1 + below(d, n + 1); i > 0; i--)
        add_contact(d);
    for (int i = 1 + below(d, 3); i > 0; i--)
        add_force(d);
    start_bodies(d);
}

/* ---- circuits ---- */

static void add_passive(Draft *d, int a, int b)
{
    switch (below(d, 4)) {
    case 0:
        put(d, NET_CAPACITOR, a, b, size(d, 1e-5, 1e-3), 0, 0, 0);
        break;
    case 1:
        put(d, NET_INDUCTOR, a, b, size(d, 1e-2, 0.2), 0, 0, 0);
        break;
    default:
        put(d, NET_RESISTOR, a, b, size(d, 1, 1000), 0, 0, 0);
    }
}

static void add_voltage(Draft *d, int a, int b)
{
    join(d->joined, a, b);
    put(d, NET_VOLTAGE, a, b, size(d, 1, 20), one_in(d, 2) ? 50 : 25,
        one_in(d, 2) ? 0 : number(d, 0, 3), 0);
}

static void add_branch(Draft *d)
{
    int a = any_node(d), b = other_node(d, a);
    switch (below(d, 7)) {
    case 0:
    case 1:
    case 2:
        if (join(d->joined, a, b))
            put(d, NET_DIODE, a, b, 0, 0, 0, 0);
        break;
    case 3:
        put(d, NET_SOFT_DIODE, a, b, size(d, 1e-3, 0.1), size(d, 1e-6, 1e-3), 0, 0);
        break;
    case 4:
        put(d, NET_SWITCH, a, b, size(d, 1e-3, 0.1), size(d, 1e-6, 1e-3), number(d, 0, 0.3) / 10,
            number(d, 0.3, 0.7) / 10);
        break;
    case 5:
        if (one_in(d, 2))
            put(d, NET_CURRENT, a, b, size(d, 0.01, 1), one_in(d, 2) ? 50 : 25, 0, 0);
        break;
    default:
        add_passive(d, a, b);
    }
}

/* Every node hangs on one before it, by a source or by what `add` brings. The number of nodes. */
static int make_tree(Draft *d, void (*add)(Draft *d, int a, int b))
{
    int n = 3 + below(d, 5);
    d->net->n_nodes = n;
    d->net->stop = 0.06;
    put(d, NET_GROUND, 0, -1, 0, 0, 0, 0);
    add_voltage(d, 1, 0);
    for (int i = 2; i < n; i++)
        if (one_in(d, 8))
            add_voltage(d, i, below(d, i));
        else
            add(d, i, below(d, i));
    return n;
}

static void make_circuit(Draft *d)
{
    int n = make_tree(d, add_passive);
    for (int i = 2 + below(d, n + 2); i > 0; i--)
        add_branch(d);
}

/* ---- circuits whose switches follow time ---- */

static void add_storing(Draft *d, int a, int b)
{
    double begin = one_in(d, 2) ? 0 : number(d, -5, 5);
    switch (below(d, 4)) {
    case 0:
        put(d, NET_CAPACITOR, a, b, size(d, 1e-5, 1e-3), begin, 0, 0);
        break;
    case 1:
        put(d, NET_INDUCTOR, a, b, size(d, 1e-2, 0.2), begin / 10, 0, 0);
        break;
    default:
        put(d, NET_RESISTOR, a, b, size(d, 1, 1000), 0, 0, 0);
    }
}

/* Seven in eight ideal ones are in series with a resistor. */
static void add_switch(Draft *d, int a, int b)
{
    double from = number(d, 0, 0.3) / 10, to = number(d, 0.3, 0.7) / 10;
    if (one_in(d, 2)) {
        put(d, NET_SWITCH, a, b, size(d, 1e-3, 0.1), size(d, 1e-6, 1e-3), from, to);
        return;
    }
    int middle = b;
    if (!one_in(d, 8) && d->net->n_nodes < MOST_NODES) {
        middle = d->net->n_nodes++;
        put(d, NET_RESISTOR, middle, b, size(d, 1, 1000), 0, 0, 0);
    } else if (!join(d->joined, a, b)) {
        return;
    }
    put(d, NET_IDEAL_SWITCH, a, middle, 0, 0, from, to);
}

static void add_switched_branch(Draft *d, int n)
{
    int a = below(d, n), b = (a + 1 + below(d, n - 1)) % n;
    switch (below(d, 7)) {
    case 0:
    case 1:
    case 2:
        add_switch(d, a, b);
        break;
    case 3:
        put(d, NET_CURRENT, a, b, size(d, 0.01, 1), one_in(d, 2) ? 50 : 25, 0, 0);
        break;
    case 4:
        if (one_in(d, 3))
            put(d, NET_SOFT_DIODE, a, b, size(d, 1e-3, 0.1), size(d, 1e-6, 1e-3), 0, 0);
        break;
    default:
        add_storing(d, a, b);
    }
}

static void make_switched(Draft *d)
{
    int n = make_tree(d, add_storing);
    add_switch(d, below(d, n - 1), n - 1);
    for (int i = 1 + below(d, n + 1); i > 0; i--)
        add_switched_branch(d, n);
}

/* ---- all ---- */

static void shuffle(Draft *d)
{
    Network *net = d->net;
    for (int i = net->n - 1; i > 0; i--) {
        int k = below(d, i + 1);
        NetElement t = net->element[i];
        net->element[i] = net->element[k];
        net->element[k] = t;
    }
}

static Draft begin_draft(Network *net, uint64_t seed)
{
    Draft d = {.net = net, .random = seed};
    memset(net, 0, sizeof *net);
    net->seed = seed;
    for (int i = 0; i <= MOST_NODES; i++)
        d.rigid[i] = d.joined[i] = i;
    return d;
}

void network_random(Network *net, uint64_t seed, NetDomain domain)
{
    Draft d = begin_draft(net, seed);
    net->domain = domain < NET_DOMAINS ? domain : (NetDomain)below(&d, NET_DOMAINS);
    if (net->domain == NET_ELECTRIC)
        make_circuit(&d);
    else
        make_train(&d);
    shuffle(&d);
}

void network_switched(Network *net, uint64_t seed)
{
    Draft d = begin_draft(net, seed);
    net->domain = NET_ELECTRIC;
    make_switched(&d);
    shuffle(&d);
}
