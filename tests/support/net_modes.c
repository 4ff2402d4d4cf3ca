/* net_modes.c: a circuit, a time and its states -> which diodes conduct. See net_modes.h. */
#include "tests/support/net_modes.h"

#include "tests/support/linear_dae.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIODES = 8, ONE = 0, ORDERS = 4 };
static const Long PI = 3.14159265358979323846264338328L;
/* Parts of the largest value: what is zero, what derivatives of it are; up to where it is doubtful
 * whether they are; what states are known to, and what two answers may differ by that are one. */
static const Long ZERO = 1e-14L, FLAT = 1e-10L, NEAR = 1e-7L, ROUNDING = 1e-15L, SAME = 1e-6L;

/* The circuit in one combination, as long as no switch moves. */
typedef struct Case {
    bool made;
    LinearVerdict verdict;
    LinearMotion motion;
} Case;

struct NetModes {
    const Network *net;
    int diode[MOST_DIODES], n_diodes;
    int n, potential, current; /* variables; first of each kind */
    int sine[NET_MOST];        /* of a source: its sine, its cosine behind */
    uint64_t switched;         /* which switches were closed when the cases were made */
    Case *cases[1 << MOST_DIODES];
    LinearDae dae;
    Long size[2]; /* the largest potential, current so far */
    Long now[2];  /* in the combination that is looked at */
};

static bool is_sine(NetKind kind)
{
    return kind == NET_VOLTAGE || kind == NET_CURRENT;
}

static bool is_diode(NetKind kind)
{
    return kind == NET_DIODE || kind == NET_SOFT_DIODE;
}

NetModes *net_modes_open(const Network *net)
{
    NetModes *m = calloc(1, sizeof *m);
    m->net = net;
    m->n = 1;
    m->size[0] = m->size[1] = 1e-3L;
    for (int i = 0; i < net->n; i++) {
        if (is_sine(net->element[i].kind)) {
            m->sine[i] = m->n;
            m->n += 2;
        }
        if (is_diode(net->element[i].kind) && m->n_diodes++ < MOST_DIODES)
            m->diode[m->n_diodes - 1] = i;
    }
    m->potential = m->n;
    m->current = m->potential + net->n_nodes;
    m->n = m->current + net->n;
    if (m->n_diodes > 0 && m->n_diodes <= MOST_DIODES && m->n <= LD_MOST)
        return m;
    free(m);
    return NULL;
}

static void forget_cases(NetModes *m)
{
    for (int k = 0; k < 1 << MOST_DIODES; k++) {
        free(m->cases[k]);
        m->cases[k] = NULL;
    }
}

void net_modes_close(NetModes *m)
{
    if (m)
        forget_cases(m);
    free(m);
}

/* ---- equations ---- */

static void source_rows(NetModes *m)
{
    LinearDae *d = &m->dae;
    d->e[d->n++][ONE] = 1;
    for (int i = 0; i < m->net->n; i++)
        for (int k = 0; k < 2 && is_sine(m->net->element[i].kind); k++) {
            Long speed = 2 * PI * m->net->element[i].p[1];
            d->e[d->n][m->sine[i] + k] = 1;
            d->a[d->n++][m->sine[i] + 1 - k] = k ? -speed : speed;
        }
}

/* k_u * (u[0] - u[1]) + k_i * i in a row of E or A */
static void law(NetModes *m, Long *row, int i, Long k_u, Long k_i)
{
    const NetElement *e = &m->net->element[i];
    row[m->potential + e->node[0]] += k_u;
    if (e->kind != NET_GROUND)
        row[m->potential + e->node[1]] -= k_u;
    row[m->current + i] += k_i;
}

static void element_row(NetModes *m, int i, bool closed)
{
    const NetElement *e = &m->net->element[i];
    Long *a = m->dae.a[m->dae.n], *der = m->dae.e[m->dae.n];
    m->dae.n++;
    switch (e->kind) {
    case NET_RESISTOR:
        law(m, a, i, 1, -e->p[0]);
        break;
    case NET_CAPACITOR:
        law(m, der, i, e->p[0], 0);
        law(m, a, i, 0, 1);
        break;
    case NET_INDUCTOR:
        law(m, der, i, 0, e->p[0]);
        law(m, a, i, 1, 0);
        break;
    case NET_VOLTAGE:
    case NET_CURRENT:
        law(m, a, i, e->kind == NET_VOLTAGE, e->kind == NET_CURRENT);
        a[m->sine[i]] -= e->p[0];
        break;
    case NET_DIODE:
    case NET_IDEAL_SWITCH:
        law(m, a, i, closed, !closed);
        break;
    case NET_SOFT_DIODE:
    case NET_SWITCH:
        law(m, a, i, closed ? 1 : e->p[1], closed ? -e->p[0] : -1);
        break;
    default: /* ground */
        law(m, a, i, 1, 0);
    }
}

static uint64_t switches_at(const NetModes *m, double time)
{
    uint64_t closed = 0;
    for (int i = 0; i < m->net->n; i++) {
        const NetElement *e = &m->net->element[i];
        if ((e->kind == NET_SWITCH || e->kind == NET_IDEAL_SWITCH) && time >= e->p[2] &&
            time < e->p[3])
            closed |= UINT64_C(1) << i;
    }
    return closed;
}

static void make_case(NetModes *m, Case *c, uint32_t closed)
{
    const Network *net = m->net;
    memset(&m->dae, 0, sizeof m->dae);
    source_rows(m);
    for (int node = 0; node < net->n_nodes; node++, m->dae.n++)
        for (int i = 0; i < net->n; i++)
            for (int k = 0; k < network_ends(net->element[i].kind); k++)
                if (net->element[i].node[k] == node)
                    m->dae.a[m->dae.n][m->current + i] += k ? -1 : 1;
    for (int i = 0, k = 0; i < net->n; i++) {
        bool on = m->switched >> i & 1;
        if (k < m->n_diodes && m->diode[k] == i)
            on = closed >> k++ & 1;
        element_row(m, i, on);
    }
    c->verdict = linear_motion_make(&c->motion, &m->dae);
    c->made = true;
}

static const Case *case_of(NetModes *m, uint32_t closed)
{
    if (!m->cases[closed])
        m->cases[closed] = calloc(1, sizeof **m->cases);
    if (!m->cases[closed]->made)
        make_case(m, m->cases[closed], closed);
    return m->cases[closed];
}

/* ---- values ---- */

static LinearForm voltage(const NetModes *m, int i, Long k)
{
    const NetElement *e = &m->net->element[i];
    return (LinearForm){2, {m->potential + e->node[0], m->potential + e->node[1]}, {k, -k}};
}

/* Sources and states, and the motion that has them. */
static bool start(const NetModes *m, const Case *c, double time, const double *state, Long *x,
                  Long *conflict)
{
    LinearForm form[2 * NET_MOST + 1] = {{1, {ONE}, {1}}};
    Long value[2 * NET_MOST + 1] = {1};
    int n = 1;
    for (int i = 0; i < m->net->n; i++) {
        const NetElement *e = &m->net->element[i];
        Long phase = 2 * PI * e->p[1] * time + e->p[2];
        for (int k = 0; k < 2 && is_sine(e->kind); k++, n++) {
            form[n] = (LinearForm){1, {m->sine[i] + k}, {1}};
            value[n] = k ? cosl(phase) : sinl(phase);
        }
    }
    for (int i = 0; i < m->net->n; i++) {
        NetKind kind = m->net->element[i].kind;
        if (kind != NET_CAPACITOR && kind != NET_INDUCTOR)
            continue;
        form[n] = kind == NET_CAPACITOR ? voltage(m, i, 1) : (LinearForm){1, {m->current + i}, {1}};
        value[n++] = state[i];
    }
    return linear_motion_start(&c->motion, n, form, value, x, conflict);
}

static Long size_of(const NetModes *m, const Long *size, int var)
{
    return var >= m->current ? size[1] : var >= m->potential ? size[0] : 1;
}

/* ---- sides ---- */

typedef enum Side { INSIDE, OUTSIDE, NOWHERE } Side;

/* Of the free variables: how exactly they are known, and then their derivatives. */
static void error_slope(const LinearMotion *motion, const Long *error, Long *next)
{
    for (int i = 0; i < motion->m; i++) {
        next[i] = 0;
        for (int j = 0; j < motion->m; j++)
            next[i] += fabsl(motion->slope[i][j]) * error[j];
    }
}

static Long error_of(const LinearMotion *motion, const LinearForm *form, const Long *error)
{
    Long sum = 0;
    for (int i = 0; i < form->n; i++)
        for (int j = 0; j < motion->m; j++)
            sum += fabsl(form->k[i] * motion->from[form->var[i]][j]) * error[j];
    return sum;
}

/* Where something that must not be negative is, or goes: by its first derivative that is not zero.
 * Derivatives count in parts of the time that is looked at. */
static Side side_of(const NetModes *m, const Case *c, const LinearForm *form, const Long *x0)
{
    const LinearMotion *motion = &c->motion;
    Long x[LD_FREE], error[LD_FREE], next[LD_FREE], unit = 1, scale = 0, zero = 0;
    for (int i = 0; i < form->n; i++) {
        scale += fabsl(form->k[i]) * size_of(m, m->size, form->var[i]);
        zero += ZERO * fabsl(form->k[i]) * size_of(m, m->now, form->var[i]);
    }
    memcpy(x, x0, sizeof x);
    for (int i = 0; i < motion->m; i++)
        error[i] = ROUNDING * size_of(m, m->now, motion->free[i]);
    for (int order = 0; order < ORDERS; order++, unit *= (Long)m->net->stop / 1024) {
        Long value = linear_motion_form(motion, form, x) * unit;
        Long doubt = 100 * error_of(motion, form, error) * unit;
        if (fabsl(value) > fmaxl(NEAR * scale, doubt))
            return value > 0 ? INSIDE : OUTSIDE;
        if (fabsl(value) > zero || doubt > FLAT * scale)
            return NOWHERE;
        zero = FLAT * scale;
        linear_motion_slope(motion, x, next);
        memcpy(x, next, sizeof x);
        error_slope(motion, error, next);
        memcpy(error, next, sizeof error);
    }
    return INSIDE; /* it stays there */
}

static Side side_of_all(const NetModes *m, const Case *c, uint32_t closed, const Long *x)
{
    Side worst = INSIDE;
    for (int k = 0; k < m->n_diodes && worst != OUTSIDE; k++) {
        LinearForm form = closed >> k & 1 ? (LinearForm){1, {m->current + m->diode[k]}, {1}}
                                          : voltage(m, m->diode[k], -1);
        Side side = side_of(m, c, &form, x);
        worst = side == INSIDE ? worst : side;
    }
    return worst;
}

/* ---- the search ---- */

static void read_answer(const NetModes *m, const Case *c, const Long *x, NetAnswer *answer)
{
    for (int i = 0; i < m->net->n_nodes; i++)
        answer->potential[i] = linear_motion_value(&c->motion, m->potential + i, x);
    for (int i = 0; i < m->net->n; i++)
        answer->current[i] = linear_motion_value(&c->motion, m->current + i, x);
}

static bool is_same(const NetModes *m, const NetAnswer *a, const NetAnswer *b)
{
    for (int i = 0; i < m->net->n_nodes; i++)
        if (fabsl(a->potential[i] - b->potential[i]) > SAME * m->size[0])
            return false;
    for (int i = 0; i < m->net->n; i++)
        if (fabsl(a->current[i] - b->current[i]) > SAME * m->size[1])
            return false;
    return true;
}

static void see_sizes(NetModes *m, const double *state)
{
    for (int i = 0; i < m->net->n; i++) {
        NetKind kind = m->net->element[i].kind;
        Long *size = &m->size[kind == NET_INDUCTOR || kind == NET_CURRENT];
        if (is_sine(kind))
            *size = fmaxl(*size, fabs(m->net->element[i].p[0]));
        else if (kind == NET_CAPACITOR || kind == NET_INDUCTOR)
            *size = fmaxl(*size, fabs(state[i]));
    }
}

static void see_answer(const NetModes *m, const NetAnswer *answer, Long size[2])
{
    for (int i = 0; i < m->net->n_nodes; i++)
        size[0] = fmaxl(size[0], fabsl(answer->potential[i]));
    for (int i = 0; i < m->net->n; i++)
        size[1] = fmaxl(size[1], fabsl(answer->current[i]));
}

/* One combination: the side on which the worst of its diodes is. */
static Side look_at(NetModes *m, uint32_t closed, double time, const double *state,
                    NetAnswer *answer, bool *undetermined)
{
    const Case *c = case_of(m, closed);
    Long x[LD_FREE] = {0}, conflict;
    *undetermined = c->verdict != LINEAR_SOLVED || !start(m, c, time, state, x, &conflict);
    if (*undetermined || conflict > NEAR)
        return OUTSIDE;
    answer->closed = closed;
    read_answer(m, c, x, answer);
    m->now[0] = m->now[1] = 1e-3L;
    see_answer(m, answer, m->now);
    Side side = side_of_all(m, c, closed, x);
    return side == INSIDE && conflict > FLAT ? NOWHERE : side;
}

NetFinding net_modes_search(NetModes *m, double time, const double *state, NetAnswer *answer)
{
    int found = 0, doubtful = 0, open = 0;
    bool same = true;
    if (switches_at(m, time) != m->switched)
        forget_cases(m);
    m->switched = switches_at(m, time);
    see_sizes(m, state);
    for (uint32_t closed = 0; closed < 1U << m->n_diodes; closed++) {
        NetAnswer other = {0};
        bool undetermined;
        Side side = look_at(m, closed, time, state, &other, &undetermined);
        open += undetermined;
        doubtful += side == NOWHERE;
        if (side == OUTSIDE)
            continue;
        same = same && (!found || is_same(m, answer, &other));
        if (!found++ || side == INSIDE)
            *answer = other;
    }
    if (open)
        return NET_UNDETERMINED;
    if (!found || !same)
        return !found ? NET_NONE : doubtful ? NET_DOUBTFUL : NET_SEVERAL;
    see_answer(m, answer, m->size);
    memcpy(answer->size, m->size, sizeof answer->size);
    return NET_ONE;
}
