/* network.c: a network as data -> its text in Sol, and whether values obey its laws. See network.h.
 */
#include "tests/support/network.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.141592653589793;

/* ---- the library ---- */

/* A component of the library: name in its package, ends, parameters in the order of NetElement.p.
 */
typedef struct Component {
    const char *name;
    char letter;
    int ends;
    const char *end[2];
    const char *parameter[NET_PARAMETERS];
} Component;

static const Component rotation[NET_KINDS] = {
    [NET_MASS] = {"Basic.Inertia", 'J', 2, {"a", "b"}, {"J", "w_start"}},
    [NET_SPRING] = {"Basic.Spring", 'c', 2, {"a", "b"}, {"c", "phi_0"}},
    [NET_DAMPER] = {"Basic.Damper", 'd', 2, {"a", "b"}, {"d"}},
    [NET_SPRING_DAMPER] = {"Basic.SpringDamper", 'k', 2, {"a", "b"}, {"c", "d"}},
    [NET_LEVER] = {"Basic.Gear", 'G', 2, {"a", "b"}, {"ratio"}},
    [NET_FIXED] = {"Sources.Fixed", 'W', 1, {"f"}, {0}},
    [NET_SPEED] = {"Sources.ConstantSpeed", 'V', 1, {"f"}, {"w"}},
    [NET_FORCE] = {"Sources.ConstantTorque", 'T', 1, {"f"}, {"T"}},
    [NET_SINE_FORCE] = {"Sources.SineTorque", 'S', 1, {"f"}, {"T", "freq", "phase"}},
    [NET_BEARING] = {"Contacts.Bearing", 'B', 1, {"f"}, {"tau_c", "peak", "d"}},
    [NET_CLUTCH] = {"Contacts.Clutch", 'K', 2, {"a", "b"}, {"mu", NULL, NULL, "peak"}},
    [NET_ONE_WAY] = {"Contacts.OneWayClutch", 'O', 2, {"a", "b"}, {0}},
    [NET_HARD_STOP] = {"Contacts.HardStop", 'H', 1, {"f"}, {"phi_min", "phi_max"}},
    [NET_ELASTIC_STOP] =
        {"Contacts.ElasticStop", 'E', 2, {"a", "b"}, {"phi_min", "phi_max", "c", "d"}},
};

static const Component translation[NET_KINDS] = {
    [NET_MASS] = {"Basic.Mass", 'M', 2, {"a", "b"}, {"m", "v_start"}},
    [NET_SPRING] = {"Basic.Spring", 'c', 2, {"a", "b"}, {"c", "s_0"}},
    [NET_DAMPER] = {"Basic.Damper", 'd', 2, {"a", "b"}, {"d"}},
    [NET_SPRING_DAMPER] = {"Basic.SpringDamper", 'k', 2, {"a", "b"}, {"c", "d"}},
    [NET_LEVER] = {"Basic.Lever", 'L', 2, {"a", "b"}, {"ratio"}},
    [NET_FIXED] = {"Sources.Fixed", 'W', 1, {"a"}, {0}},
    [NET_SPEED] = {"Sources.ConstantSpeed", 'V', 1, {"a"}, {"v"}},
    [NET_FORCE] = {"Sources.ConstantForce", 'F', 1, {"a"}, {"F"}},
    [NET_SINE_FORCE] = {"Sources.SineForce", 'S', 1, {"a"}, {"F", "freq", "phase"}},
    [NET_FRICTION] = {"Contacts.SlidingFriction", 'R', 2, {"a", "b"}, {"F_c", "peak", "d"}},
    [NET_ONE_WAY] = {"Contacts.OneWay", 'O', 2, {"a", "b"}, {0}},
    [NET_HARD_STOP] = {"Contacts.HardStop", 'H', 1, {"a"}, {"s_min", "s_max"}},
    [NET_ELASTIC_STOP] = {"Contacts.ElasticStop", 'E', 2, {"a", "b"}, {"s_min", "s_max", "c", "d"}},
};

static const Component electric[NET_KINDS] = {
    [NET_RESISTOR] = {"Basic.Resistor", 'R', 2, {"p", "n"}, {"R"}},
    [NET_CAPACITOR] = {"Basic.Capacitor", 'C', 2, {"p", "n"}, {"C", "u_start"}},
    [NET_INDUCTOR] = {"Basic.Inductor", 'L', 2, {"p", "n"}, {"L", "i_start"}},
    [NET_VOLTAGE] = {"Sources.SineVoltage", 'V', 2, {"p", "n"}, {"U", "f", "phase"}},
    [NET_CURRENT] = {"Sources.SineCurrent", 'I', 2, {"p", "n"}, {"I", "f", "phase"}},
    [NET_DIODE] = {"Switches.Diode", 'D', 2, {"p", "n"}, {0}},
    [NET_SOFT_DIODE] = {"Switches.ResistiveDiode", 'Q', 2, {"p", "n"}, {"R_on", "G_off"}},
    [NET_SWITCH] = {"Switches.ResistiveSwitch", 'S', 2, {"p", "n"}, {"R_on", "G_off"}},
    [NET_IDEAL_SWITCH] = {"Switches.ImpulsiveSwitch", 'X', 2, {"p", "n"}, {0}},
    [NET_GROUND] = {"Sources.Ground", 'G', 1, {"p"}, {0}},
};

typedef struct Package {
    const char *name, *potential, *flow, *through, *relative, *rate;
    const Component *components;
} Package;

static const Package packages[NET_DOMAINS] = {
    [NET_ROTATION] = {"Rotational", "phi", "t", "tau", "phi_rel", "w_rel", rotation},
    [NET_TRANSLATION] = {"Translational", "s", "f", "f", "s_rel", "v_rel", translation},
    [NET_ELECTRIC] = {"Electric", "u", "i", "i", "u", NULL, electric},
};

static const Component *component_of(const Network *net, int element)
{
    return &packages[net->domain].components[net->element[element].kind];
}

int network_ends(NetKind kind)
{
    for (int domain = 0; domain < NET_DOMAINS; domain++)
        if (packages[domain].components[kind].name)
            return packages[domain].components[kind].ends;
    return 0;
}

void network_name(const Network *net, int element, char name[NET_NAME])
{
    snprintf(name, NET_NAME, "%c%d", component_of(net, element)->letter, element);
}

void network_member(const Network *net, int element, const char *member, char path[NET_PATH])
{
    char name[NET_NAME];
    network_name(net, element, name);
    snprintf(path, NET_PATH, "%s.%s", name, member);
}

static void at_end(const Network *net, int element, int end, const char *what, char path[NET_PATH])
{
    char member[NET_NAME];
    snprintf(member, sizeof member, "%s.%s", component_of(net, element)->end[end], what);
    network_member(net, element, member, path);
}

void network_potential(const Network *net, int element, int end, char path[NET_PATH])
{
    at_end(net, element, end, packages[net->domain].potential, path);
}

void network_flow(const Network *net, int element, int end, char path[NET_PATH])
{
    at_end(net, element, end, packages[net->domain].flow, path);
}

/* ---- text ---- */

typedef struct Text {
    char *at;
    size_t n, room;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t n = (size_t)vsnprintf(NULL, 0, format, args);
    if (text->n + n + 1 > text->room)
        text->at = realloc(text->at, text->room = 2 * (text->n + n + 1));
    vsnprintf(text->at + text->n, n + 1, format, again);
    text->n += n;
    va_end(args);
    va_end(again);
}

static uint64_t shuffle_next(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

static void declare(const Network *net, int i, Text *text)
{
    const Component *c = component_of(net, i);
    char name[NET_NAME];
    const char *separator = "{";
    network_name(net, i, name);
    add(text, "  static %s.%s %s", packages[net->domain].name, c->name, name);
    for (int k = 0; k < NET_PARAMETERS; k++) {
        if (!c->parameter[k])
            continue;
        add(text, "%s%s << %.17g", separator, c->parameter[k], net->element[i].p[k]);
        separator = ", ";
    }
    add(text, "%s;\n", separator[0] == ',' ? "}" : "");
}

/* What the model around sets. */
static void command(const Network *net, int i, Text *text)
{
    const NetElement *e = &net->element[i];
    char path[NET_PATH];
    if (e->kind == NET_CLUTCH) {
        network_member(net, i, "fn", path);
        add(text, "  if time < 1 then %s = %.17g; else then %s = %.17g; end;\n", path, e->p[1],
            path, e->p[2]);
    } else if (e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH) {
        network_member(net, i, "command", path);
        add(text, "  %s << (time >= %.17g and time < %.17g);\n", path, e->p[2], e->p[3]);
    }
}

/* One end of an element. */
typedef struct End {
    int element, end;
} End;

static int ends_at(const Network *net, int node, End ends[2 * NET_MOST])
{
    int n = 0;
    for (int i = 0; i < net->n; i++)
        for (int k = 0; k < component_of(net, i)->ends; k++)
            if (net->element[i].node[k] == node)
                ends[n++] = (End){i, k};
    return n;
}

static void end_name(const Network *net, End end, char path[NET_PATH])
{
    network_member(net, end.element, component_of(net, end.element)->end[end.end], path);
}

/* In an order that the seed shuffles, each with one that came before. */
static void connect(const Network *net, int node, uint64_t *random, Text *text)
{
    End ends[2 * NET_MOST];
    char a[NET_PATH], b[NET_PATH];
    int n = ends_at(net, node, ends);
    for (int i = 0; i < n; i++) {
        int k = i + (int)(shuffle_next(random) % (uint64_t)(n - i));
        End t = ends[i];
        ends[i] = ends[k];
        ends[k] = t;
        if (i == 0)
            continue;
        end_name(net, ends[i], a);
        end_name(net, ends[shuffle_next(random) % (uint64_t)i], b);
        bool turned = shuffle_next(random) % 2;
        add(text, "  connection{a << %s, b << %s};\n", turned ? b : a, turned ? a : b);
    }
    if (n == 1) {
        network_flow(net, ends[0].element, ends[0].end, a);
        add(text, "  %s = 0;\n", a);
    }
}

static void free_ends(const Network *net, Text *text)
{
    End ends[2 * NET_MOST];
    char path[NET_PATH];
    int n = ends_at(net, -1, ends);
    for (int i = 0; i < n; i++) {
        network_flow(net, ends[i].element, ends[i].end, path);
        add(text, "  %s = 0;\n", path);
    }
}

char *network_text(const Network *net)
{
    Text text = {0};
    uint64_t random = net->seed;
    add(&text, "model Network\ninterface:\n");
    for (int i = 0; i < net->n; i++)
        declare(net, i, &text);
    add(&text, "implementation:\n");
    int first = (int)(shuffle_next(&random) % (uint64_t)net->n_nodes);
    for (int i = 0; i < net->n_nodes; i++)
        connect(net, (i + first) % net->n_nodes, &random, &text);
    free_ends(net, &text);
    for (int i = 0; i < net->n; i++)
        command(net, i, &text);
    add(&text, "end Network;\n");
    return text.at;
}

/* ---- laws ---- */

bool network_source(const NetElement *e, double time, double *value)
{
    double sine = sin(2 * PI * e->p[1] * time + e->p[2]);
    switch (e->kind) {
    case NET_FIXED:
    case NET_GROUND:
        *value = 0;
        return true;
    case NET_SPEED:
        *value = e->p[0] * time;
        return true;
    case NET_FORCE:
        *value = -e->p[0];
        return true;
    case NET_SINE_FORCE:
        *value = -e->p[0] * sine;
        return true;
    case NET_VOLTAGE:
    case NET_CURRENT:
        *value = e->p[0] * sine;
        return true;
    default:
        return false;
    }
}

/* One look at the values of a network. */
typedef struct Look {
    const Network *net;
    double time, tolerance;
    NetRead *read;
    void *context;
    char *wrong;
    size_t size;
    NetVerdict verdict;
} Look;

static double value_of(const Look *look, int element, const char *member)
{
    char path[NET_PATH];
    network_member(look->net, element, member, path);
    return look->read(look->context, path);
}

static double flow_at(const Look *look, int element, int end)
{
    char path[NET_PATH];
    network_flow(look->net, element, end, path);
    return look->read(look->context, path);
}

static double potential_at(const Look *look, int element, int end)
{
    char path[NET_PATH];
    network_potential(look->net, element, end, path);
    return look->read(look->context, path);
}

static void object(Look *look, NetVerdict verdict, int element, const char *what, double found,
                   double expected)
{
    char name[NET_NAME];
    if (verdict <= look->verdict)
        return;
    look->verdict = verdict;
    network_name(look->net, element, name);
    snprintf(look->wrong, look->size, "at %.17g, %s of %s: %.12g should be %.12g", look->time, what,
             name, found, expected);
}

/* What is not a number fulfils nothing. */
static void equal(Look *look, int element, const char *what, double left, double right)
{
    double scale = fmax(1, fmax(fabs(left), fabs(right)));
    if (!(fabs(left - right) <= look->tolerance * scale))
        object(look, NET_BROKEN, element, what, left, right);
}

static void at_most(Look *look, int element, const char *what, double value, double limit)
{
    if (!(value <= limit + look->tolerance * fmax(1, fabs(limit))))
        object(look, isnan(value) ? NET_BROKEN : NET_LATE, element, what, value, limit);
}

static void look_at_node(Look *look, int node)
{
    End ends[2 * NET_MOST];
    double sum = 0, largest = 0;
    int n = ends_at(look->net, node, ends);
    for (int i = 0; i < n; i++) {
        double flow = flow_at(look, ends[i].element, ends[i].end);
        sum += flow;
        largest = fmax(largest, fabs(flow));
        equal(look, ends[i].element, "a potential",
              potential_at(look, ends[i].element, ends[i].end),
              potential_at(look, ends[0].element, ends[0].end));
    }
    if (n)
        equal(look, ends[0].element, "flows at a node", sum + largest, largest);
}

/* A source, tighter: nothing but its own law stands behind it. */
static void look_at_source(Look *look, int i)
{
    const NetElement *e = &look->net->element[i];
    double value, tolerance = look->tolerance;
    if (!network_source(e, look->time, &value))
        return;
    bool potential = e->kind == NET_FIXED || e->kind == NET_SPEED || e->kind == NET_GROUND;
    double found = e->kind == NET_VOLTAGE ? value_of(look, i, "u")
                   : potential            ? potential_at(look, i, 0)
                                          : flow_at(look, i, 0);
    look->tolerance = fmin(tolerance, 1e-9);
    equal(look, i, "what it gives", found, value);
    look->tolerance = tolerance;
}

static void look_at_branch(Look *look, int i)
{
    const NetElement *e = &look->net->element[i];
    double u = value_of(look, i, "u"), flow = value_of(look, i, "i");
    bool closed = (e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH) && look->time >= e->p[2] &&
                  look->time < e->p[3];
    if (e->kind == NET_DIODE || e->kind == NET_SOFT_DIODE)
        closed = value_of(look, i, "closed") != 0;
    if (e->kind == NET_RESISTOR || ((e->kind == NET_SOFT_DIODE || e->kind == NET_SWITCH) && closed))
        equal(look, i, "the voltage", u, e->p[0] * flow);
    else if (e->kind == NET_SOFT_DIODE || e->kind == NET_SWITCH)
        equal(look, i, "the current", flow, e->p[1] * u);
    if (e->kind != NET_DIODE && e->kind != NET_IDEAL_SWITCH)
        return;
    equal(look, i, "voltage or current", closed ? u : flow, 0);
    if (e->kind == NET_IDEAL_SWITCH)
        return;
    at_most(look, i, "current or voltage against it", closed ? -flow : u, 0);
}

/* The largest force that friction takes up. */
static double friction(const Look *look, int i)
{
    const NetElement *e = &look->net->element[i];
    if (e->kind == NET_CLUTCH)
        return e->p[0] * e->p[3] * (look->time < 1 ? e->p[1] : e->p[2]);
    const char *rate = e->kind == NET_BEARING ? "w" : packages[look->net->domain].rate;
    return e->p[0] * e->p[1] + fabs(e->p[2] * value_of(look, i, rate));
}

/* Elements with one end have their other one in the housing. */
static void look_at_link(Look *look, int i)
{
    const NetElement *e = &look->net->element[i];
    bool two = component_of(look->net, i)->ends == 2, locked;
    double f[2] = {flow_at(look, i, 0), two ? flow_at(look, i, 1) : 0};
    double q[2] = {potential_at(look, i, 0), two ? potential_at(look, i, 1) : 0};
    const char *rate = packages[look->net->domain].rate;
    switch (e->kind) {
    case NET_MASS:
        equal(look, i, "an end", q[0], q[1]);
        equal(look, i, "the force", f[0] + f[1],
              e->p[0] * value_of(look, i, look->net->domain == NET_ROTATION ? "z" : "acc"));
        break;
    case NET_SPRING:
        equal(look, i, "the force", f[1], e->p[0] * (q[1] - q[0] - e->p[1]));
        break;
    case NET_DAMPER:
        equal(look, i, "the force", f[1], e->p[0] * value_of(look, i, rate));
        break;
    case NET_SPRING_DAMPER:
        equal(look, i, "the force", f[1],
              e->p[0] * (q[1] - q[0]) + e->p[1] * value_of(look, i, rate));
        break;
    case NET_LEVER:
        equal(look, i, "an end", q[0], e->p[0] * q[1]);
        equal(look, i, "the force", f[1], -e->p[0] * f[0]);
        break;
    case NET_FRICTION:
    case NET_BEARING:
    case NET_CLUTCH:
        at_most(look, i, "friction", fabs(f[0]), friction(look, i));
        break;
    case NET_ONE_WAY:
        locked = value_of(look, i, "locked") != 0;
        equal(look, i, "the force while it is open", locked ? 0 : f[1], 0);
        at_most(look, i, "the force", f[1], 0);
        at_most(look, i, "the rate", -value_of(look, i, rate), 0);
        break;
    case NET_HARD_STOP:
        at_most(look, i, "the way", q[0], e->p[1]);
        at_most(look, i, "the way back", -q[0], -e->p[0]);
        break;
    default:
        break;
    }
    if (two && e->kind != NET_MASS && e->kind != NET_LEVER)
        equal(look, i, "the force at its other end", f[0], -f[1]);
}

NetVerdict network_look(const Network *net, double time, double tolerance, NetRead *read,
                        void *context, char *wrong, size_t size)
{
    Look look = {net, time, tolerance, read, context, wrong, size, NET_HOLDS};
    for (int i = 0; i < net->n; i++) {
        look_at_source(&look, i);
        if (net->domain != NET_ELECTRIC)
            look_at_link(&look, i);
        else if (component_of(net, i)->ends == 2)
            look_at_branch(&look, i);
    }
    for (int node = 0; node < net->n_nodes; node++)
        look_at_node(&look, node);
    return look.verdict;
}
