/* test_random_clock.c: drawn functions of the clock, however seldom output is wanted -> their changes of sign, against 40,000 points of
 * the function, evaluated here. Between two events it has one sign: a pulse that is missed, or told, and is none, shows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/random_x.h"
#include "tests/support/sim_lab.h"
#include "tests/support/soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 40000, TEXT = 4000, DEPTH = 4 };
static const double STOP = 4;

typedef enum Kind {
    NUMBER,
    CLOCK,
    WAVE,
    SUM,
    PRODUCT,
    QUOTIENT,
    LEAST,
    SIZE,
    SINE,
    POWER,
    ROOT,
    ARC,
    TANH
} Kind;

typedef struct Tree {
    Kind kind;
    double k, l;
    int a, b; /* operands */
} Tree;

typedef struct Drawn {
    Tree tree[1 << (DEPTH + 2)];
    int n;
    char text[TEXT];
    size_t length;
    bool full;
} Drawn;

static int draw(Drawn *d, Rng *rng, int depth)
{
    int at = d->n++;
    Tree tree = {.kind = (Kind)rng_below(rng, depth ? TANH + 1 : WAVE + 1)};
    tree.k = floor(rng_real(rng, 1, 600)) / 10;
    tree.l = floor(rng_real(rng, -20, 20)) / 10;
    if (tree.kind <= CLOCK)
        tree.k = tree.l;
    if (tree.kind == POWER)
        tree.k = 2 + rng_below(rng, 20);
    if (tree.kind >= SUM)
        tree.a = draw(d, rng, depth - 1);
    if (tree.kind >= SUM && tree.kind <= LEAST)
        tree.b = draw(d, rng, depth - 1);
    d->tree[at] = tree;
    return at;
}

static double value(const Drawn *d, int i, double t)
{
    const Tree *tree = &d->tree[i];
    double a = tree->kind >= SUM ? value(d, tree->a, t) : 0;
    double b = tree->kind >= SUM && tree->kind <= LEAST ? value(d, tree->b, t) : 0;
    switch (tree->kind) {
    case NUMBER:
        return tree->k;
    case CLOCK:
        return tree->k * t;
    case WAVE:
        return sin(tree->k * t + tree->l);
    case SUM:
        return a - b;
    case PRODUCT:
        return a * b;
    case QUOTIENT:
        return a / (1.2 + b * b);
    case LEAST:
        return fmin(a, b);
    case SIZE:
        return fabs(a);
    case SINE:
        return sin(2 * a);
    case POWER:
        return pow(cos(a), tree->k);
    case ROOT:
        return sqrt(fabs(a) + 0.01);
    case ARC:
        return asin(0.999 * cos(a));
    case TANH:
        return tanh(a);
    }
    return NAN;
}

static void say(Drawn *d, const char *format, double k, double l)
{
    char piece[80];
    int n = snprintf(piece, sizeof piece, format, k, l);
    d->full |= d->length + (size_t)n >= TEXT;
    if (d->full)
        return;
    memcpy(d->text + d->length, piece, (size_t)n + 1);
    d->length += (size_t)n;
}

static void write_down(Drawn *d, int i)
{
    static const char *const begin[] = {"(%.1f)",
                                        "((%.1f)*time)",
                                        "sin(%.1f*time + (%.1f))",
                                        "(",
                                        "(",
                                        "(",
                                        "min(",
                                        "abs(",
                                        "sin(2*",
                                        "(cos(",
                                        "sqrt(0.01 + abs(",
                                        "asin(0.999*cos(",
                                        "tanh("};
    static const char *const middle[] = {" - ", "*", "/square(", ", "};
    static const char *const end[] = {")", ")", "))", ")", ")", ")", ")^%.0f)", "))", "))", ")"};
    const Tree *tree = &d->tree[i];
    say(d, begin[tree->kind], tree->k, tree->l);
    if (tree->kind < SUM)
        return;
    write_down(d, tree->a);
    if (tree->kind <= LEAST) {
        say(d, middle[tree->kind - SUM], 0, 0);
        write_down(d, tree->b);
    }
    say(d, end[tree->kind - SUM], tree->k, tree->l);
}

/* Where it is so small, rounding may have it either way. */
static const double SMALL = 1e-9, EARLY = 1e-9;

static bool agrees(const Drawn *d, const SimLab *lab, bool begins)
{
    uint32_t event = 0;
    while (event < lab->n_events && lab->event_time[event] < EARLY)
        event++;
    uint32_t before = event;
    for (int i = 1; i < POINTS; i++) {
        double t = STOP * i / POINTS, is = value(d, 0, t);
        while (event < lab->n_events && lab->event_time[event] <= t)
            event++;
        bool positive = begins ^ ((event - before) & 1);
        if (fabs(is) > SMALL && positive != (is > 0)) {
            print_error("at %.10g it is %g, and %u events lie before\n", t, is, event);
            return false;
        }
    }
    return true;
}

static bool check(Soak *soak)
{
    static const uint32_t steps[] = {1, 3, 41};
    Rng rng = {soak->seed};
    Drawn d = {.n = 0};
    draw(&d, &rng, DEPTH);
    write_down(&d, 0);
    double first = value(&d, 0, EARLY);
    if (d.full || fabs(first) < SMALL)
        return true;
    bool fine = true;
    char model[TEXT + 300];
    snprintf(model, sizeof model,
             "function square(x)\n  return 1.2 + x*x;\nend square;\n"
             "model M\ninterface:\n  static Boolean b; static Integer n;\nimplementation:\n"
             "  b << %s > 0;\n  when change(b) then n << pre(n) + 1; end when;\nend M;\n",
             d.text);
    for (int i = 0; i < 3; i++) {
        SimLab *lab =
            sim_lab_text(model, &(SolOptions){.stop = STOP, .steps = steps[i], .cache = "off"});
        bool ran = sim_lab_run(lab, STOP) == SOL_OK;
        if (!ran || (lab->n_events < SIM_LAB_EVENTS && !agrees(&d, lab, first > 0))) {
            print_error("%u steps: %s\n", steps[i], d.text);
            soak_failed(soak);
            fine = false;
        }
        sim_lab_close(lab);
    }
    return fine;
}

int main(void)
{
    Soak soak = soak_begin("functions of the clock", 200, 1);
    int failed = 0;
    while (soak_next(&soak))
        failed += !check(&soak);
    soak_end(&soak);
    return failed;
}
