/* net_truth.c: a network as data -> its motion over time. See net_truth.h. */
#include "tests/support/net_truth.h"

#include "tests/support/linear_dae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 1024, MOST_CONDITIONS = 4 * NET_MOST, MOST_CHANGES = 40, ONE = 0, TIME = 1 };
static const Long PI = 3.14159265358979323846264338328L;
/* Parts of the largest value: what is zero, and up to where it is doubtful whether it is. */
static const Long ZERO = 1e-10L, NEAR = 1e-7L;

/* Something that is not negative as long as an element keeps its mode. */
typedef struct Condition {
    LinearForm form;
    int element, mode; /* the mode behind it */
    bool motion;       /* positions and speeds: these do not jump over their boundary */
    Long scale;        /* a large value of it */
} Condition;

typedef struct World {
    const Network *net;
    NetTruth *truth;
    int n, potential, rate, flow; /* variables; first of each kind */
    int sine[NET_MOST];           /* of a source: its sine, its cosine behind */
    int mode[NET_MOST];
    bool turned[NET_MOST]; /* it was on its wrong side in the updates of the present time */
    int n_conditions;
    Condition condition[MOST_CONDITIONS];
    int n_states;
    LinearForm state[2 * LD_MOST];
    Long value[2 * LD_MOST];
    Long time, step, x[LD_FREE];
    Long size[3]; /* the largest potential, rate, flow so far */
    Long shake;   /* 0, or what states are off behind an event */
    LinearFlow flow_now;
    LinearDae dae;
    int looks; /* in the present step */
} World;

static bool give_up(World *w, const char *why)
{
    if (!w->truth->doubt) {
        w->truth->doubt = why;
        w->truth->until = (double)w->time;
    }
    return false;
}

/* ---- variables ---- */

static bool is_sine(NetKind kind)
{
    return kind == NET_SINE_FORCE || kind == NET_VOLTAGE || kind == NET_CURRENT;
}

static int flow_of(const World *w, int element, int end)
{
    return w->flow + 2 * element + end;
}

static LinearForm form_1(int var, Long k)
{
    return (LinearForm){1, {var}, {k}};
}

static void form_add(LinearForm *form, int var, Long k)
{
    form->var[form->n] = var;
    form->k[form->n++] = k;
}

/* The difference of potentials, or of rates, from end 0 to end 1; the housing has none. */
static LinearForm across(const World *w, int element, int first, Long k)
{
    const NetElement *e = &w->net->element[element];
    bool two = network_ends(e->kind) == 2;
    LinearForm form = {0};
    if (!two)
        form_add(&form, first + e->node[0], k);
    else {
        form_add(&form, first + e->node[1], k);
        form_add(&form, first + e->node[0], -k);
    }
    return form;
}

static bool is_mechanical(const World *w)
{
    return w->net->domain != NET_ELECTRIC;
}

static void number_variables(World *w)
{
    w->n = 2;
    for (int i = 0; i < w->net->n; i++)
        if (is_sine(w->net->element[i].kind)) {
            w->sine[i] = w->n;
            w->n += 2;
        }
    w->potential = w->n;
    w->rate = w->n += w->net->n_nodes;
    w->flow = w->n += is_mechanical(w) ? w->net->n_nodes : 0;
    w->n += 2 * w->net->n;
}

/* ---- equations ---- */

static int new_row(LinearDae *d)
{
    return d->n++;
}

static void put_a(LinearDae *d, int row, const LinearForm *form)
{
    for (int i = 0; i < form->n; i++)
        d->a[row][form->var[i]] += form->k[i];
}

static void law_a(LinearDae *d, LinearForm form)
{
    put_a(d, new_row(d), &form);
}

static void source_rows(World *w)
{
    LinearDae *d = &w->dae;
    int row = new_row(d);
    d->e[row][ONE] = 1;
    row = new_row(d);
    d->e[row][TIME] = 1;
    d->a[row][ONE] = 1;
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        Long speed = 2 * PI * e->p[1];
        if (!is_sine(e->kind))
            continue;
        for (int k = 0; k < 2; k++) {
            row = new_row(d);
            d->e[row][w->sine[i] + k] = 1;
            d->a[row][w->sine[i] + 1 - k] = k ? -speed : speed;
        }
    }
}

static void node_rows(World *w)
{
    LinearDae *d = &w->dae;
    for (int node = 0; node < w->net->n_nodes; node++) {
        int row = new_row(d);
        for (int i = 0; i < w->net->n; i++)
            for (int k = 0; k < network_ends(w->net->element[i].kind); k++)
                if (w->net->element[i].node[k] == node)
                    d->a[row][flow_of(w, i, k)] = 1;
        if (!is_mechanical(w))
            continue;
        row = new_row(d);
        d->e[row][w->potential + node] = 1;
        d->a[row][w->rate + node] = 1;
    }
}

/* What goes in at one end comes out at the other; an end that is not there takes nothing. */
static void balance(World *w, int i)
{
    LinearForm form = form_1(flow_of(w, i, 1), 1);
    if (network_ends(w->net->element[i].kind) == 2)
        form_add(&form, flow_of(w, i, 0), 1);
    law_a(&w->dae, form);
}

/* k_u * (u[0] - u[1]) + k_i * i + k_s * source = 0 */
static void electric_law(World *w, int i, Long k_u, Long k_i, int source, Long k_s)
{
    const NetElement *e = &w->net->element[i];
    LinearForm form = form_1(flow_of(w, i, 0), k_i);
    form_add(&form, w->potential + e->node[0], k_u);
    if (e->kind != NET_GROUND)
        form_add(&form, w->potential + e->node[1], -k_u);
    form_add(&form, source, k_s);
    law_a(&w->dae, form);
}

static void storing_law(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    LinearDae *d = &w->dae;
    int row = new_row(d);
    bool coil = e->kind == NET_INDUCTOR;
    for (int k = 0; k < 2; k++)
        (coil ? d->a : d->e)[row][w->potential + e->node[k]] = (k ? -1 : 1) * (coil ? 1 : e->p[0]);
    (coil ? d->e : d->a)[row][flow_of(w, i, 0)] = coil ? e->p[0] : 1;
}

static void circuit_element(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    int on = w->mode[i];
    balance(w, i);
    switch (e->kind) {
    case NET_RESISTOR:
        electric_law(w, i, 1, -e->p[0], ONE, 0);
        break;
    case NET_CAPACITOR:
    case NET_INDUCTOR:
        storing_law(w, i);
        break;
    case NET_VOLTAGE:
        electric_law(w, i, 1, 0, w->sine[i], -e->p[0]);
        break;
    case NET_CURRENT:
        electric_law(w, i, 0, 1, w->sine[i], -e->p[0]);
        break;
    case NET_DIODE:
    case NET_IDEAL_SWITCH:
        electric_law(w, i, on, !on, ONE, 0);
        break;
    case NET_SOFT_DIODE:
    case NET_SWITCH:
        electric_law(w, i, on ? 1 : e->p[1], on ? -e->p[0] : -1, ONE, 0);
        break;
    default:
        electric_law(w, i, 1, 0, ONE, 0);
    }
}

static void mass_laws(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    LinearDae *d = &w->dae;
    int row = new_row(d);
    d->e[row][w->rate + e->node[0]] = e->p[0];
    d->a[row][flow_of(w, i, 0)] = 1;
    d->a[row][flow_of(w, i, 1)] = 1;
    if (e->node[1] < 0)
        law_a(d, form_1(flow_of(w, i, 1), 1));
    else
        law_a(d, across(w, i, w->potential, 1));
}

static void lever_laws(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    LinearForm way = form_1(w->potential + e->node[0], 1), force = form_1(flow_of(w, i, 1), 1);
    form_add(&way, w->potential + e->node[1], -e->p[0]);
    form_add(&force, flow_of(w, i, 0), e->p[0]);
    law_a(&w->dae, way);
    law_a(&w->dae, force);
}

/* The flow that counts: into the end that moves. */
static int force_of(const World *w, int i)
{
    return flow_of(w, i, network_ends(w->net->element[i].kind) - 1);
}

/* force = k_q*q + k_v*v + constant + k_s*source */
static void force_law(World *w, int i, Long k_q, Long k_v, Long constant, int source, Long k_s)
{
    int row = new_row(&w->dae);
    LinearForm form = form_1(force_of(w, i), -1), q = across(w, i, w->potential, k_q),
               v = across(w, i, w->rate, k_v);
    put_a(&w->dae, row, &form);
    put_a(&w->dae, row, &q);
    put_a(&w->dae, row, &v);
    w->dae.a[row][ONE] += constant;
    w->dae.a[row][source] += k_s;
}

static Long limit_of(const World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    return e->p[0] * (e->kind != NET_CLUTCH ? 1 : w->time < 1 ? e->p[1] : e->p[2]);
}

static Long peak_of(const NetElement *e)
{
    return e->p[e->kind == NET_CLUTCH ? 3 : 1];
}

enum { STICKS = 0, OPEN = 2 };

static void friction_law(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    Long damping = e->kind == NET_CLUTCH ? 0 : e->p[2];
    if (w->mode[i] == STICKS)
        law_a(&w->dae, across(w, i, w->rate, 1));
    else
        force_law(w, i, 0, damping, w->mode[i] == OPEN ? 0 : w->mode[i] * limit_of(w, i), ONE, 0);
}

static void held_law(World *w, int i, Long value, int var)
{
    LinearForm form = form_1(w->potential + w->net->element[i].node[0], 1);
    form_add(&form, var, -value);
    law_a(&w->dae, form);
}

/* Modes of an elastic stop: 1, -1 pressed, 2, -2 beyond its end but not pressed. */
static void contact_element(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    int mode = w->mode[i];
    switch (e->kind) {
    case NET_ONE_WAY:
        if (mode)
            law_a(&w->dae, across(w, i, w->rate, 1));
        else
            force_law(w, i, 0, 0, 0, ONE, 0);
        break;
    case NET_HARD_STOP:
        if (mode)
            held_law(w, i, e->p[mode > 0], ONE);
        else
            force_law(w, i, 0, 0, 0, ONE, 0);
        break;
    case NET_ELASTIC_STOP:
        if (mode == 1 || mode == -1)
            force_law(w, i, e->p[2], e->p[3], -e->p[2] * e->p[mode > 0], ONE, 0);
        else
            force_law(w, i, 0, 0, 0, ONE, 0);
        break;
    default:
        friction_law(w, i);
    }
}

static void train_element(World *w, int i)
{
    const NetElement *e = &w->net->element[i];
    if (e->kind != NET_MASS && e->kind != NET_LEVER)
        balance(w, i);
    switch (e->kind) {
    case NET_MASS:
        mass_laws(w, i);
        break;
    case NET_LEVER:
        lever_laws(w, i);
        break;
    case NET_SPRING:
        force_law(w, i, e->p[0], 0, -(Long)e->p[0] * e->p[1], ONE, 0);
        break;
    case NET_DAMPER:
        force_law(w, i, 0, e->p[0], 0, ONE, 0);
        break;
    case NET_SPRING_DAMPER:
        force_law(w, i, e->p[0], e->p[1], 0, ONE, 0);
        break;
    case NET_FIXED:
        held_law(w, i, 0, ONE);
        break;
    case NET_SPEED:
        held_law(w, i, e->p[0], TIME);
        break;
    case NET_FORCE:
        force_law(w, i, 0, 0, -e->p[0], ONE, 0);
        break;
    case NET_SINE_FORCE:
        force_law(w, i, 0, 0, 0, w->sine[i], -e->p[0]);
        break;
    default:
        contact_element(w, i);
    }
}

static LinearVerdict make_flow(World *w)
{
    memset(&w->dae, 0, sizeof w->dae);
    source_rows(w);
    node_rows(w);
    for (int i = 0; i < w->net->n; i++)
        if (is_mechanical(w))
            train_element(w, i);
        else
            circuit_element(w, i);
    return linear_flow_make(&w->flow_now, &w->dae, w->step);
}

/* ---- states ---- */

static void want(World *w, LinearForm form, Long value)
{
    w->state[w->n_states] = form;
    w->value[w->n_states++] = value;
}

static void want_sources(World *w)
{
    w->n_states = 0;
    want(w, form_1(ONE, 1), 1);
    want(w, form_1(TIME, 1), w->time);
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        Long phase = 2 * PI * e->p[1] * w->time + e->p[2];
        if (!is_sine(e->kind))
            continue;
        want(w, form_1(w->sine[i], 1), sinl(phase));
        want(w, form_1(w->sine[i] + 1, 1), cosl(phase));
    }
}

/* With the values of the present motion, or, at the start, of the parameters. */
static void want_states(World *w, bool start)
{
    want_sources(w);
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        LinearForm form[2];
        Long value[2] = {e->p[1], 0};
        int n = 1;
        if (e->kind == NET_CAPACITOR) {
            form[0] = across(w, i, w->potential, -1);
        } else if (e->kind == NET_INDUCTOR) {
            form[0] = form_1(flow_of(w, i, 0), 1);
        } else if (e->kind == NET_MASS) {
            n = 2;
            form[0] = form_1(w->potential + e->node[0], 1);
            form[1] = form_1(w->rate + e->node[0], 1);
            value[0] = 0;
            value[1] = e->p[1];
        } else {
            continue;
        }
        for (int k = 0; k < n; k++)
            want(w, form[k],
                 start ? value[k] : linear_motion_form(&w->flow_now.motion, &form[k], w->x));
    }
}

/* A little up, a little down; of two positions that follow each other, one up and one down. */
static void shake_states(World *w)
{
    int first = 0;
    while (first < w->n_states && w->state[first].var[0] < w->potential)
        first++;
    Long most = 0;
    for (int i = first; i < w->n_states; i++)
        most = fmaxl(most, fabsl(w->value[i]));
    for (int i = first; i < w->n_states; i++)
        w->value[i] += (((i - first) ^ (i - first) >> 1) & 1 ? -1 : 1) * w->shake * most;
}

/* How far the values of the present motion change where state `first` is kept before all others. */
static Long changed_by_keeping(World *w, int sources, int first)
{
    LinearForm form[2 * LD_MOST];
    Long value[2 * LD_MOST], x[LD_FREE], conflict, off = 0, most = 1e-3L;
    for (int i = 0; i < w->n_states; i++) {
        int from = i < sources || i > first ? i : i == sources ? first : i - 1;
        form[i] = w->state[from];
        value[i] = w->value[from];
    }
    linear_motion_start(&w->flow_now.motion, w->n_states, form, value, x, &conflict);
    for (int k = 0; k < w->flow_now.motion.m; k++) {
        off = fmaxl(off, fabsl(x[k] - w->x[k]));
        most = fmaxl(most, fabsl(x[k]));
    }
    return off / most;
}

/* A state that has to jump does so to one value, whichever of the others are kept, or nobody knows.
 * Where a state that jumps could have been kept, the values change when it is. */
static bool one_way_to_jump(World *w)
{
    int sources = 0;
    while (sources < w->n_states && w->state[sources].var[0] < w->potential)
        sources++;
    for (int first = sources; first < w->n_states; first++)
        if (changed_by_keeping(w, sources, first) > ZERO)
            return false;
    return true;
}

/* The motion in the present modes from the states that are wanted. */
static bool restart(World *w, bool start)
{
    Long conflict;
    LinearVerdict verdict = make_flow(w);
    if (verdict != LINEAR_SOLVED)
        return give_up(w, verdict == LINEAR_DOUBTFUL ? "rounding" : "undetermined");
    if (!linear_motion_start(&w->flow_now.motion, w->n_states, w->state, w->value, w->x, &conflict))
        return give_up(w, "states");
    Long shaken = 100 * w->shake;
    if (conflict > ZERO + shaken && conflict < NEAR + shaken)
        return give_up(w, "rounding");
    if (conflict > NEAR + shaken && !start && !one_way_to_jump(w))
        return give_up(w, "jump");
    return true;
}

/* ---- boundaries ---- */

static void condition(World *w, int element, int mode, bool motion, LinearForm form)
{
    Condition *c = &w->condition[w->n_conditions++];
    *c = (Condition){.form = form, .element = element, .mode = mode, .motion = motion};
    for (int i = 0; i < form.n; i++) {
        int var = form.var[i];
        Long size = var == ONE                           ? 1
                    : var >= w->flow                     ? w->size[2]
                    : var >= w->rate && is_mechanical(w) ? w->size[1]
                                                         : w->size[0];
        c->scale += fabsl(form.k[i]) * size;
    }
}

static void friction_conditions(World *w, int i)
{
    int mode = w->mode[i];
    if (mode == OPEN)
        return;
    if (mode != STICKS) {
        condition(w, i, STICKS, true, across(w, i, w->rate, mode));
        return;
    }
    for (int side = -1; side < 2; side += 2) {
        LinearForm form = form_1(force_of(w, i), -side);
        form_add(&form, ONE, peak_of(&w->net->element[i]) * limit_of(w, i));
        condition(w, i, side, false, form);
    }
}

/* side * (q - p[side > 0]) */
static LinearForm beyond(const World *w, int i, int side, Long k)
{
    LinearForm form = across(w, i, w->potential, side * k);
    form_add(&form, ONE, -side * k * w->net->element[i].p[side > 0]);
    return form;
}

/* How hard an elastic stop is pressed. */
static LinearForm pressed(const World *w, int i, int side, Long k)
{
    const NetElement *e = &w->net->element[i];
    LinearForm form = beyond(w, i, side, k * e->p[2]),
               v = across(w, i, w->rate, side * k * e->p[3]);
    for (int n = 0; n < v.n; n++)
        form_add(&form, v.var[n], v.k[n]);
    return form;
}

static void stop_conditions(World *w, int i)
{
    bool hard = w->net->element[i].kind == NET_HARD_STOP;
    int mode = w->mode[i], side = mode > 0 ? 1 : -1;
    if (mode == 0) {
        condition(w, i, 1, true, beyond(w, i, 1, -1));
        condition(w, i, -1, true, beyond(w, i, -1, -1));
    } else if (hard) {
        condition(w, i, 0, false, form_1(force_of(w, i), side));
    } else {
        bool touching = mode == side;
        condition(w, i, 0, true, beyond(w, i, side, 1));
        condition(w, i, touching ? 2 * side : side, false, pressed(w, i, side, touching ? 1 : -1));
    }
}

static void list_conditions(World *w)
{
    w->n_conditions = 0;
    for (int i = 0; i < w->net->n; i++)
        switch (w->net->element[i].kind) {
        case NET_DIODE:
        case NET_SOFT_DIODE:
            condition(w, i, !w->mode[i], false,
                      w->mode[i] ? form_1(flow_of(w, i, 0), 1) : across(w, i, w->potential, 1));
            break;
        case NET_CLUTCH:
        case NET_FRICTION:
        case NET_BEARING:
            friction_conditions(w, i);
            break;
        case NET_ONE_WAY:
            condition(w, i, !w->mode[i], !w->mode[i],
                      w->mode[i] ? form_1(force_of(w, i), -1) : across(w, i, w->rate, 1));
            break;
        case NET_HARD_STOP:
        case NET_ELASTIC_STOP:
            stop_conditions(w, i);
            break;
        default:
            break;
        }
}

static void see_sizes(World *w)
{
    const int first[4] = {w->potential, w->rate, w->flow, w->n};
    for (int kind = 0; kind < 3; kind++)
        for (int var = first[kind]; var < first[kind + 1]; var++)
            w->size[kind] =
                fmaxl(w->size[kind], fabsl(linear_motion_value(&w->flow_now.motion, var, w->x)));
}

typedef enum Side { INSIDE, OUTSIDE, NOWHERE } Side;

/* Where a condition that begins at its boundary goes: by the first derivative that is not zero. */
static Side side_of(World *w, const Condition *c)
{
    Long x[LD_FREE], next[LD_FREE], unit = 1;
    memcpy(x, w->x, sizeof x);
    for (int order = 0; order < 4; order++) {
        Long value = linear_motion_form(&w->flow_now.motion, &c->form, x) * unit;
        if (fabsl(value) > NEAR * c->scale)
            return value > 0 ? INSIDE : OUTSIDE;
        if (fabsl(value) > ZERO * c->scale)
            return NOWHERE;
        linear_motion_slope(&w->flow_now.motion, x, next);
        memcpy(x, next, sizeof x);
        unit *= w->step;
    }
    return INSIDE; /* it stays there */
}

/* ---- modes ---- */

static bool is_friction(NetKind kind)
{
    return kind == NET_CLUTCH || kind == NET_FRICTION || kind == NET_BEARING;
}

/* Switches that follow time, and contacts that time opens or closes. */
static void obey_time(World *w)
{
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        if (e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH)
            w->mode[i] = w->time >= e->p[2] && w->time < e->p[3];
        if (is_friction(e->kind) && limit_of(w, i) <= 0)
            w->mode[i] = OPEN;
    }
}

/* A contact that is open and has friction: it slides as it moves, or sticks. What passes through rest just
 * then slides one way or the other by errors of the integrator; at the start it is at rest. */
static bool close_contacts(World *w)
{
    bool closed = false;
    Long slope[LD_FREE];
    linear_motion_slope(&w->flow_now.motion, w->x, slope);
    for (int i = 0; i < w->net->n; i++) {
        if (!is_friction(w->net->element[i].kind) || w->mode[i] != OPEN || limit_of(w, i) <= 0)
            continue;
        LinearForm form = across(w, i, w->rate, 1);
        Long v = linear_motion_form(&w->flow_now.motion, &form, w->x);
        Long a = linear_motion_form(&w->flow_now.motion, &form, slope);
        bool passes = w->time > 0 && fabsl(a) > NEAR;
        if (fabsl(v) < NEAR && (fabsl(v) > ZERO || passes))
            return give_up(w, "closing");
        w->mode[i] = v > ZERO ? 1 : v < -ZERO ? -1 : STICKS;
        closed = true;
    }
    return closed;
}

/* The modes of those that are on the wrong side change. Returns how many; -1: nobody knows. */
static int change_modes(World *w)
{
    int changes = 0;
    list_conditions(w);
    for (int k = 0; k < w->n_conditions; k++) {
        const Condition *c = &w->condition[k];
        Side side = side_of(w, c);
        if (side == NOWHERE) {
            give_up(w, "boundary");
            return -1;
        }
        Long value = linear_motion_form(&w->flow_now.motion, &c->form, w->x);
        if (side == OUTSIDE && c->motion && value < -NEAR * c->scale) {
            give_up(w, "impact");
            return -1;
        }
        if (side == OUTSIDE) {
            w->turned[c->element] = true;
            w->mode[c->element] = c->mode;
            changes++;
        }
    }
    return changes;
}

/* Friction that is larger before it slides may stick or slide where several contacts turn at once:
 * both agree with themselves, and the order decides. */
static bool is_one_of_several(const World *w)
{
    int n = 0;
    bool peak = false;
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        n += w->turned[i];
        peak |= w->turned[i] && is_friction(e->kind) && peak_of(e) > 1;
    }
    return n > 1 && peak;
}

static bool settle(World *w, bool start)
{
    memset(w->turned, 0, sizeof w->turned);
    want_states(w, start);
    shake_states(w);
    obey_time(w);
    if (!restart(w, start))
        return false;
    see_sizes(w);
    for (int round = 0; round < MOST_CHANGES; round++) {
        int changes = close_contacts(w) ? 1 : w->truth->doubt ? -1 : change_modes(w);
        if (changes == 0 && is_one_of_several(w))
            return give_up(w, "peak");
        if (changes <= 0)
            return changes == 0;
        want_states(w, false);
        if (!restart(w, false))
            return false;
        see_sizes(w);
    }
    return give_up(w, "chatter");
}

/* ---- time ---- */

typedef enum Way { GOES_ON, EVENT, LOST } Way;

typedef struct Ends {
    Long value[MOST_CONDITIONS], slope[MOST_CONDITIONS];
} Ends;

static void look_at(const World *w, Ends *ends)
{
    Long slope[LD_FREE];
    linear_motion_slope(&w->flow_now.motion, w->x, slope);
    for (int k = 0; k < w->n_conditions; k++) {
        ends->value[k] = linear_motion_form(&w->flow_now.motion, &w->condition[k].form, w->x);
        ends->slope[k] = linear_motion_form(&w->flow_now.motion, &w->condition[k].form, slope);
    }
}

/* Its first slope leads beyond within the step, but it has hardly moved in the end: something decayed fast. */
static bool is_steep(const Ends *a, const Ends *b, int k, Long h)
{
    Long way = h * a->slope[k];
    return a->value[k] + way < 0 && fabsl(way) > 4 * fabsl(b->value[k] - a->value[k]);
}

/* Is it beyond at the end; may it have been in between? Short steps hide nothing that is steep. */
static void compare(const World *w, const Ends *a, const Ends *b, Long h, bool is_short,
                    bool *crossed, bool *perhaps)
{
    *crossed = *perhaps = false;
    for (int k = 0; k < w->n_conditions; k++) {
        *perhaps |= !is_short && is_steep(a, b, k, h);
        *crossed |= b->value[k] < -1e-13L * w->condition[k].scale;
        bool turns = a->slope[k] < 0 && b->slope[k] > 0;
        *perhaps |= turns && fminl(a->value[k] + h * a->slope[k], b->value[k] - h * b->slope[k]) <
                                 NEAR * w->condition[k].scale;
    }
}

enum {
    MOST_LOOKS = 10000
};                   /* in one step; a value within rounding of its boundary has no crossing */
enum { TOUCH = 18 }; /* halvings after which something that turns at its boundary only touches it */

/* By step/2^k, or to just behind the first boundary in it. */
static Way advance(World *w, int k)
{
    Long before[LD_FREE], h = ldexpl(w->step, -k);
    Ends a, b;
    bool crossed, perhaps;
    memcpy(before, w->x, sizeof before);
    look_at(w, &a);
    linear_flow_move(&w->flow_now, k, w->x);
    look_at(w, &b);
    compare(w, &a, &b, h, k >= TOUCH, &crossed, &perhaps);
    if (perhaps && !crossed && k >= TOUCH) {
        give_up(w, "touch");
        return LOST;
    }
    if (++w->looks > MOST_LOOKS) {
        give_up(w, "hovers");
        return LOST;
    }
    if ((!crossed && !perhaps) || k == LD_HALVINGS - 1) {
        w->time += h;
        return crossed ? EVENT : GOES_ON;
    }
    memcpy(w->x, before, sizeof before);
    Way way = advance(w, k + 1);
    return way == GOES_ON ? advance(w, k + 1) : way;
}

static bool note_event(World *w)
{
    NetTruth *t = w->truth;
    if (t->n_events == TRUTH_EVENTS)
        return give_up(w, "events");
    if (t->n_events && w->time - t->event[t->n_events - 1] < 1e-6L * w->net->stop)
        return give_up(w, "two events");
    t->event[t->n_events++] = (double)w->time;
    return true;
}

/* To a time, through whatever happens on the way. */
static bool go_to(World *w, Long time)
{
    while (time - w->time > ldexpl(w->step, 1 - LD_HALVINGS)) {
        int k = 0;
        while (ldexpl(w->step, -k) > time - w->time && k < LD_HALVINGS - 1)
            k++;
        w->looks = 0;
        Way way = advance(w, k);
        see_sizes(w);
        if (way == LOST || (way == EVENT && !(note_event(w) && settle(w, false))))
            return false;
    }
    w->time = time;
    return true;
}

/* The next time at which time itself decides something. */
static Long next_instant(const World *w, Long end)
{
    for (int i = 0; i < w->net->n; i++) {
        const NetElement *e = &w->net->element[i];
        bool follows = e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH;
        for (int k = 2; k < 4 && follows; k++)
            if (e->p[k] > w->time && e->p[k] < end)
                end = e->p[k];
        if (e->kind == NET_CLUTCH && w->time < 1 && end > 1)
            end = 1;
    }
    return end;
}

/* What follows steeply from the states shows their errors magnified, at the point itself too. */
static void shake_point(World *w, Long *x)
{
    Long conflict;
    want_states(w, false);
    shake_states(w);
    linear_motion_start(&w->flow_now.motion, w->n_states, w->state, w->value, x, &conflict);
}

static void keep_point(World *w)
{
    NetTruth *t = w->truth;
    int k = t->n_points++;
    Long x[LD_FREE];
    memcpy(x, w->x, sizeof x);
    if (w->shake > 0)
        shake_point(w, x);
    t->time[k] = (double)w->time;
    for (int node = 0; node < w->net->n_nodes; node++)
        t->potential[k][node] =
            (double)linear_motion_value(&w->flow_now.motion, w->potential + node, x);
    for (int i = 0; i < 2 * w->net->n; i++)
        t->flow[k][i / 2][i % 2] = (double)linear_motion_value(&w->flow_now.motion, w->flow + i, x);
    t->size[0] = (double)w->size[0];
    t->size[1] = (double)w->size[2];
}

static bool run_to(World *w, Long time)
{
    for (Long next; w->time < time;) {
        next = next_instant(w, time);
        if (!go_to(w, next))
            return false;
        if (next < time && !(note_event(w) && settle(w, false)))
            return false;
    }
    return true;
}

static void begin(World *w)
{
    number_variables(w);
    for (int i = 0; i < w->net->n; i++)
        if (is_friction(w->net->element[i].kind))
            w->mode[i] = OPEN;
    for (int i = 0; i < 3; i++)
        w->size[i] = 1e-2L;
}

void net_truth(const Network *net, int points, NetTruth *truth)
{
    net_truth_shaken(net, points, 0, truth);
}

void net_truth_shaken(const Network *net, int points, double shake, NetTruth *truth)
{
    World *w = calloc(1, sizeof *w);
    *truth = (NetTruth){.until = net->stop};
    w->net = net;
    w->truth = truth;
    w->shake = shake;
    w->step = (Long)net->stop / GRID;
    begin(w);
    bool known = w->n <= LD_MOST ? settle(w, true) : give_up(w, "large");
    for (int k = 0; k <= points && known; k++) {
        known = run_to(w, (Long)(net->stop * k / points));
        if (known)
            keep_point(w);
    }
    free(w);
}
