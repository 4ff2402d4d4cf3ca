/* made_up.c: a number -> equations that a chosen solution satisfies. See made_up.h. */
#include "tests/support/made_up.h"

#include "tests/support/random_x.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum TermKind { TERM_LINE, TERM_SINE, TERM_SQUARE, TERM_PRODUCT, TERM_KINDS } TermKind;

typedef struct Term {
    TermKind kind;
    double k;
    uint32_t a, b;
} Term;

enum { TERMS = 6 };

/* A sum of terms, equal to the same sum of trajectories. */
typedef struct Equation {
    uint32_t n;
    Term term[TERMS];
} Equation;

typedef struct Maker {
    MadeUp *out;
    Rng rng;
    size_t at;
    uint32_t free[MADE_UP_VARS],
        n_free; /* variables that anybody may read: states without constraints, and more */
    uint32_t watch[MADE_UP_VARS], n_watch; /* states whose size may decide a branch */
} Maker;

/* ---- trajectories ---- */

double made_up_value(const MadeUp *s, uint32_t var, double t)
{
    const Track *f = &s->track[var];
    double phase = f->w * t + f->p;
    switch (s->order[var]) {
    case 0:
        return f->a + f->b * sin(phase) + f->c * t;
    case 1:
        return f->b * f->w * cos(phase) + f->c;
    default:
        return -f->b * f->w * f->w * sin(phase);
    }
}

static void put(Maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(Maker *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(m->out->text + m->at, sizeof m->out->text - m->at, format, list);
    va_end(list);
    m->at += n > 0 && m->at + (size_t)n < sizeof m->out->text ? (size_t)n : 0;
}

static void put_track(Maker *m, uint32_t var)
{
    const Track *f = &m->out->track[var];
    switch (m->out->order[var]) {
    case 0:
        put(m, "(%.17g + %.17g*sin(%.17g*time + %.17g) + %.17g*time)", f->a, f->b, f->w, f->p,
            f->c);
        break;
    case 1:
        put(m, "(%.17g*cos(%.17g*time + %.17g) + %.17g)", f->b * f->w, f->w, f->p, f->c);
        break;
    default:
        put(m, "(%.17g*sin(%.17g*time + %.17g))", -f->b * f->w * f->w, f->w, f->p);
        break;
    }
}

static Track random_track(Maker *m)
{
    return (Track){.a = rng_real(&m->rng, 1.5, 2.5),
                   .b = rng_real(&m->rng, 0.2, 0.6),
                   .w = rng_real(&m->rng, 0.5, 4),
                   .p = rng_real(&m->rng, 0, 6),
                   .c = rng_real(&m->rng, -0.1, 0.1)};
}

static uint32_t new_var(Maker *m, Track track, uint32_t order)
{
    MadeUp *s = m->out;
    s->track[s->n] = track;
    s->order[s->n] = order;
    return s->n++;
}

/* ---- equations ---- */

static void put_operand(Maker *m, uint32_t var, bool solution)
{
    if (solution)
        put_track(m, var);
    else
        put(m, "v%u", var);
}

static void put_term(Maker *m, const Term *t, bool solution)
{
    put(m, " + (%.17g)*", t->k);
    if (t->kind == TERM_SINE)
        put(m, "sin(");
    put_operand(m, t->a, solution);
    if (t->kind == TERM_SINE)
        put(m, ")");
    if (t->kind == TERM_SQUARE)
        put(m, "^2");
    if (t->kind == TERM_PRODUCT) {
        put(m, "*");
        put_operand(m, t->b, solution);
    }
}

static void put_equation(Maker *m, const Equation *e)
{
    for (int solution = 0; solution < 2; solution++) {
        put(m, solution ? " = 0" : "  0");
        for (uint32_t i = 0; i < e->n; i++)
            put_term(m, &e->term[i], solution);
    }
    put(m, ";\n");
}

static void add(Equation *e, TermKind kind, double k, uint32_t a, uint32_t b)
{
    e->term[e->n++] = (Term){kind, k, a, b};
}

static double some(Maker *m, double low, double high)
{
    return rng_real(&m->rng, low, high) * (rng_below(&m->rng, 2) ? 1 : -1);
}

/* Weak terms of what anybody may read. */
static void couple(Maker *m, Equation *e, uint32_t most)
{
    for (uint32_t i = rng_below(&m->rng, most + 1); i > 0 && m->n_free && e->n < TERMS; i--) {
        uint32_t a = m->free[rng_below(&m->rng, m->n_free)];
        add(e, rng_below(&m->rng, 2) ? TERM_SINE : TERM_LINE, some(m, 0.02, 0.15), a, 0);
    }
}

/* One that `var` dominates. */
static Equation equation_for(Maker *m, uint32_t var, uint32_t couplings)
{
    Equation e = {0};
    double k = some(m, 1.5, 3);
    add(&e, TERM_LINE, k, var, 0);
    if (rng_below(&m->rng, 2))
        add(&e, TERM_SINE, 0.3 * k, var, 0);
    couple(m, &e, couplings);
    return e;
}

/* One equation, or one of two that do not differ in what solves them, as time or a state decides.
 */
static void put_perhaps_switched(Maker *m, const Equation *e, const Equation *other)
{
    if (rng_below(&m->rng, 3)) {
        put_equation(m, e);
        return;
    }
    m->out->n_switches++;
    if (m->n_watch && rng_below(&m->rng, 2)) {
        uint32_t var = m->watch[rng_below(&m->rng, m->n_watch)];
        const Track *f = &m->out->track[var];
        put(m, "  if v%u > %.17g then\n  ", var, f->a + f->b * rng_real(&m->rng, -0.8, 0.8));
    } else {
        put(m, "  if time < %.17g then\n  ", rng_real(&m->rng, 0.1, 1.9));
    }
    put_equation(m, e);
    put(m, "  else then\n  ");
    put_equation(m, other);
    put(m, "  end if;\n");
}

static void put_switchable(Maker *m, uint32_t var, uint32_t couplings)
{
    Equation e = equation_for(m, var, couplings), other = equation_for(m, var, couplings);
    put_perhaps_switched(m, &e, &other);
}

static uint32_t put_derivative(Maker *m, uint32_t var)
{
    uint32_t slope = new_var(m, m->out->track[var], m->out->order[var] + 1);
    put(m, "  v%u = der(x = v%u, start << %.17g);\n", slope, var, made_up_value(m->out, var, 0));
    return slope;
}

/* ---- blocks: a few variables and as many equations ---- */

static Equation damped(Maker *m, uint32_t slope, uint32_t var)
{
    Equation e = {0};
    add(&e, TERM_LINE, 1, slope, 0);
    add(&e, rng_below(&m->rng, 3) ? TERM_LINE : TERM_SQUARE, rng_real(&m->rng, 0.2, 1.5), var, 0);
    couple(m, &e, 2);
    return e;
}

static void make_free(Maker *m, uint32_t var)
{
    m->free[m->n_free++] = var;
}

/* Now and then its state is there on one side of a branch only. */
static void block_state(Maker *m)
{
    uint32_t x = new_var(m, random_track(m), 0), slope = put_derivative(m, x);
    Equation e = damped(m, slope, x);
    if (rng_below(&m->rng, 5) == 0) {
        Equation fixed = equation_for(m, x, 0);
        put_perhaps_switched(m, &e, &fixed);
    } else {
        put_equation(m, &e);
        make_free(m, x);
        m->watch[m->n_watch++] = x;
    }
}

static void block_loop(Maker *m)
{
    uint32_t first = m->out->n, n = 1 + rng_below(&m->rng, 4);
    for (uint32_t i = 0; i < n; i++)
        new_var(m, random_track(m), 0);
    for (uint32_t i = 0; i < n; i++) {
        Equation e[2] = {equation_for(m, first + i, 1), equation_for(m, first + i, 1)};
        for (int k = 0; k < 2; k++)
            for (uint32_t j = 0; j < n && e[k].n < TERMS; j++)
                if (j != i)
                    add(&e[k], TERM_SINE, some(m, 0.05, 0.3), first + j, 0);
        put_perhaps_switched(m, &e[0], &e[1]);
    }
    for (uint32_t i = 0; i < n; i++)
        make_free(m, first + i);
}

static void note_index(Maker *m, uint32_t index)
{
    if (m->out->index < index)
        m->out->index = index;
}

/* A constraint on x, and what must act on its derivative to keep it. */
static void block_index2(Maker *m)
{
    note_index(m, 2);
    uint32_t x = new_var(m, random_track(m), 0), force = new_var(m, random_track(m), 0);
    Equation motion = damped(m, put_derivative(m, x), x);
    if (motion.n == TERMS)
        motion.n--;
    add(&motion, TERM_LINE, some(m, 0.5, 2), force, 0);
    put_equation(m, &motion);
    put_switchable(m, x, 0);
}

static void block_index3(Maker *m)
{
    note_index(m, 3);
    uint32_t x = new_var(m, random_track(m), 0), force = new_var(m, random_track(m), 0);
    uint32_t v = put_derivative(m, x), a = put_derivative(m, v);
    Equation motion = damped(m, a, v);
    if (motion.n == TERMS)
        motion.n--;
    add(&motion, TERM_LINE, some(m, 0.5, 2), force, 0);
    put_equation(m, &motion);
    put_switchable(m, x, 0);
}

/* Two positions on a curve, held there by a force along its normal. */
static void block_curve(Maker *m)
{
    note_index(m, 3);
    uint32_t x[2], v[2], a[2], force = new_var(m, random_track(m), 0);
    double k[2];
    Equation curve = {0};
    for (int i = 0; i < 2; i++) {
        x[i] = new_var(m, random_track(m), 0);
        k[i] = rng_real(&m->rng, 0.5, 2);
    }
    for (int i = 0; i < 2; i++) {
        v[i] = put_derivative(m, x[i]);
        a[i] = put_derivative(m, v[i]);
        Equation motion = {0};
        add(&motion, TERM_LINE, 1, a[i], 0);
        add(&motion, TERM_LINE, rng_real(&m->rng, 0.5, 2), v[i], 0);
        add(&motion, TERM_LINE, rng_real(&m->rng, 0.5, 2), x[i], 0);
        add(&motion, TERM_PRODUCT, -k[i], force, x[i]);
        couple(m, &motion, 1);
        put_equation(m, &motion);
        add(&curve, TERM_SQUARE, k[i], x[i], 0);
    }
    put_equation(m, &curve);
}

static void put_head(MadeUp *out, uint32_t n, size_t length)
{
    char head[MADE_UP_VARS * 20 + 100], *text = out->text;
    size_t at = (size_t)snprintf(head, sizeof head, "model M\ninterface:\n");
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(head + at, sizeof head - at, "  static Real v%u;\n", i);
    at += (size_t)snprintf(head + at, sizeof head - at, "implementation:\n");
    memmove(text + at, text, length + 1);
    memcpy(text, head, at);
}

void made_up_random(MadeUp *out, uint64_t seed)
{
    static void (*const blocks[])(Maker *) = {block_state, block_loop, block_index2, block_index3,
                                              block_curve};
    memset(out, 0, sizeof *out);
    Maker m = {.out = out, .rng = {seed * 2654435761u + 12345}};
    uint32_t n = 1 + rng_below(&m.rng, 6);
    for (uint32_t i = 0; i < n && out->n + 8 < MADE_UP_VARS; i++)
        blocks[i == 0 ? 0 : rng_below(&m.rng, 5)](&m);
    put(&m, "end M;\n");
    put_head(out, out->n, strlen(out->text));
}
