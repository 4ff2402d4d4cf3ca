/* hybrid_random.c: a number -> the text of a small hybrid model, always the same one. */
#include "tests/support/hybrid_random.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64, NAME = 16, EXPRESSION = 160 };

typedef struct Text {
    char *at;
    size_t n, cap;
} Text;

/* What a model made so far: declarations, equations, and the names that may be read. */
typedef struct Draft {
    uint64_t random;
    Text members, equations;
    char name[MOST_NAMES][NAME];
    int names, first; /* those of the present cell begin at `first` */
    int cell;
} Draft;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t n = (size_t)vsnprintf(NULL, 0, format, args);
    if (text->n + n + 1 > text->cap)
        text->at = realloc(text->at, text->cap = 2 * (text->n + n + 1));
    vsnprintf(text->at + text->n, n + 1, format, again);
    text->n += n;
    va_end(args);
    va_end(again);
}

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

/* With few digits, so that ties happen. */
static double between(Draft *d, double low, double high)
{
    return (double)(long)((low + (high - low) * below(d, 101) / 100) * 100) / 100;
}

/* ---- expressions ---- */

static void declare(Draft *d, const char *type, const char *prefix, bool readable)
{
    add(&d->members, "  static %s %s%d;\n", type, prefix, d->cell);
    if (readable && d->names < MOST_NAMES)
        snprintf(d->name[d->names++], NAME, "%s%d", prefix, d->cell);
}

static const char *other(Draft *d)
{
    if (!d->first || one_in(d, 4))
        return "1";
    return d->name[below(d, d->first)];
}

/* Of what earlier cells determine, and the clock. */
static const char *expression(Draft *d, char *out)
{
    switch (below(d, 5)) {
    case 0:
        snprintf(out, EXPRESSION, "(%g)", between(d, -1, 1));
        break;
    case 1:
        snprintf(out, EXPRESSION, "sin(x = %g*time + %g)", between(d, 0.5, 9), between(d, 0, 3));
        break;
    case 2:
        snprintf(out, EXPRESSION, "((%g)*%s + (%g))", between(d, -1, 1), other(d),
                 between(d, -1, 1));
        break;
    default:
        snprintf(out, EXPRESSION, "(0.5*%s + (%g)*%s)", other(d), between(d, -1, 1), other(d));
    }
    return out;
}

static const char *condition(Draft *d, char *out)
{
    char e[EXPRESSION];
    switch (below(d, 7)) {
    case 0:
        snprintf(out, 2 * EXPRESSION, "time > %g", between(d, 0, 3));
        break;
    case 1:
        snprintf(out, 2 * EXPRESSION, "sin(x = %g*time) > %g", between(d, 1, 9), between(d, -1, 1));
        break;
    case 2:
        snprintf(out, 2 * EXPRESSION, "%s > %g", other(d), between(d, -1, 1));
        break;
    case 3:
        snprintf(out, 2 * EXPRESSION, "%s + %s < %g", other(d), other(d), between(d, -1, 1));
        break;
    case 4:
        snprintf(out, 2 * EXPRESSION, "%s > %g and %s < %g", other(d), between(d, -1, 0), other(d),
                 between(d, 0, 1));
        break;
    case 5:
        snprintf(out, 2 * EXPRESSION, "%s*sin(x = 7*time) >= %g", other(d), between(d, 0, 1));
        break;
    default:
        snprintf(out, 2 * EXPRESSION, "%s < time - %g", expression(d, e), between(d, 0, 3));
    }
    return out;
}

/* ---- cells ---- */

static void lag(Draft *d)
{
    char e[EXPRESSION];
    declare(d, "Real", "x", true);
    add(&d->equations, "  der(x = x%d, start << %g) = %g*(%s - x%d);\n", d->cell, between(d, -1, 1),
        between(d, 0.2, 5), expression(d, e), d->cell);
}

static void oscillator(Draft *d)
{
    char e[EXPRESSION];
    declare(d, "Real", "x", true);
    declare(d, "Real", "v", true);
    add(&d->equations, "  v%d = der(x = x%d, start << %g);\n", d->cell, d->cell, between(d, -1, 1));
    add(&d->equations, "  der(x = v%d, start << 0) = -%g*x%d - %g*v%d + 0.3*%s;\n", d->cell,
        between(d, 1, 30), d->cell, between(d, 0, 1), d->cell, expression(d, e));
}

/* An ideal diode: its current is a state now and then. */
static void rectifier(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION];
    declare(d, "Real", "u", true);
    declare(d, "Real", "i", one_in(d, 2));
    declare(d, "Real", "d", false);
    declare(d, "Boolean", "on", false);
    add(&d->equations, "  %g*der(x = u%d) = i%d - u%d;\n", between(d, 0.2, 1), c, c, c);
    add(&d->equations, "  %s + sin(x = %g*time) = i%d + d%d + %g*der(x = i%d) + u%d;\n",
        expression(d, e), between(d, 3, 12), c, c, between(d, 0.1, 0.5), c, c);
    add(&d->equations,
        "  if initial() then on%d << false;\n"
        "  else then\n"
        "    when i%d < 0 then on%d << false; else when d%d > 0 then on%d << true; end;\n"
        "  end;\n"
        "  if on%d then d%d = 0; else then i%d = 0; end;\n",
        c, c, c, c, c, c, c, c);
}

static void comes_and_goes(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION], f[EXPRESSION], g[2 * EXPRESSION];
    declare(d, "Real", "x", true);
    if (one_in(d, 2))
        add(&d->equations,
            "  if %s then der(x = x%d, start << %g) = %s - x%d; else then x%d = %s; end;\n",
            condition(d, g), c, between(d, -1, 1), expression(d, e), c, c, expression(d, f));
    else
        add(&d->equations,
            "  if %s then der(x = x%d) = %s - x%d; else then der(x = x%d) = %s - 2*x%d; end;\n",
            condition(d, g), c, expression(d, e), c, c, expression(d, f), c);
}

/* Up and down between two bounds, by a held direction. */
static void back_and_forth(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION];
    declare(d, "Real", "x", true);
    declare(d, "Real", "h", true);
    add(&d->equations,
        "  der(x = x%d, start << 0) = h%d*%g + 0.1*%s;\n"
        "  if initial() then h%d << 1; end;\n"
        "  when x%d > %g then h%d << -1; else when x%d < %g then h%d << 1; end;\n",
        c, c, between(d, 1, 5), expression(d, e), c, c, between(d, 0.2, 1), c, c,
        between(d, -1, -0.2), c);
}

static void counter(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION], g[2 * EXPRESSION];
    declare(d, "Real", "k", true);
    declare(d, "Integer", "n", false);
    add(&d->equations, "  when %s then k%d << %s; n%d << pre(x = n%d) + 1; end;\n", condition(d, g),
        c, expression(d, e), c, c);
}

static void keeps_what_was(Draft *d)
{
    char g[2 * EXPRESSION];
    declare(d, "Real", "k", true);
    declare(d, "Real", "o", true);
    add(&d->equations, "  o%d = %s + 0.5*time;\n", d->cell, other(d));
    add(&d->equations, "  when %s then k%d << 0.5*pre(x = o%d); end;\n", condition(d, g), d->cell,
        d->cell);
}

static void sample(Draft *d)
{
    char e[EXPRESSION];
    declare(d, "Real", "k", true);
    add(&d->equations, "  when Sample(interval = %g) then k%d << %s; end;\n", between(d, 0.3, 1.5),
        d->cell, expression(d, e));
}

/* The next time depends on how often it was due. */
static void alarm(Draft *d)
{
    declare(d, "Real", "k", true);
    declare(d, "Integer", "n", false);
    add(&d->equations, "  when time > %g + %g*n%d then n%d << pre(x = n%d) + 1; k%d << %s; end;\n",
        between(d, 0, 0.5), between(d, 0.2, 1), d->cell, d->cell, d->cell, d->cell, other(d));
}

static void outputs(Draft *d)
{
    char e[EXPRESSION], f[EXPRESSION];
    declare(d, "Real", "y", true);
    declare(d, "Real", "z", one_in(d, 2));
    add(&d->equations, "  y%d = %s*%s;\n", d->cell, expression(d, e), expression(d, f));
    add(&d->equations, "  z%d = 0.5*sin(x = 3*y%d) + (%g)*time;\n", d->cell, d->cell,
        between(d, -0.2, 0.2));
}

static void loop(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION], f[EXPRESSION];
    declare(d, "Real", "p", true);
    declare(d, "Real", "q", true);
    if (one_in(d, 2))
        add(&d->equations, "  p%d + 2*q%d = %s; p%d - q%d = %s;\n", c, c, expression(d, e), c, c,
            expression(d, f));
    else
        add(&d->equations, "  p%d + 0.3*sin(x = q%d) = %s; q%d - 0.3*sin(x = p%d) = %s;\n", c, c,
            expression(d, e), c, c, expression(d, f));
}

static void births(Draft *d)
{
    int c = d->cell;
    char g[2 * EXPRESSION], h[2 * EXPRESSION];
    declare(d, "Real", "y", true);
    add(&d->members, "  dynamic Child c%d;\n", c);
    add(&d->equations,
        "  when %s then c%d <- Child{k << %g}; else when %s then trash <- c%d; end;\n",
        condition(d, g), c, between(d, -1, 1), condition(d, h), c);
    add(&d->equations, "  if c%d? then y%d = c%d.x; else then y%d = %g; end;\n", c, c, c, c,
        between(d, -1, 1));
}

static void branch_with_child(Draft *d)
{
    char e[EXPRESSION], g[2 * EXPRESSION];
    declare(d, "Real", "y", true);
    add(&d->equations,
        "  if %s then static Child own%d{k << %g}; y%d = own%d.x + 0.2*%s;\n"
        "  else then y%d = %g; end;\n",
        condition(d, g), d->cell, between(d, -1, 1), d->cell, d->cell, expression(d, e), d->cell,
        between(d, -1, 1));
}

/* Two lags of which a branch makes one part now and then. */
static void coupling(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION], g[2 * EXPRESSION];
    declare(d, "Real", "a", true);
    declare(d, "Real", "b", true);
    declare(d, "Real", "f", false);
    add(&d->equations, "  der(x = a%d, start << 1) = %s - a%d - f%d;\n", c, expression(d, e), c, c);
    add(&d->equations, "  der(x = b%d, start << -1) = f%d - b%d;\n", c, c, c);
    add(&d->equations, "  if %s then f%d = %g*(a%d - b%d); else then f%d = 0; end;\n",
        condition(d, g), c, between(d, 0.5, 3), c, c, c);
}

/* Index 2: one of two states, and only while they are tied together. */
static void tied(Draft *d)
{
    int c = d->cell;
    char e[EXPRESSION], g[2 * EXPRESSION];
    declare(d, "Real", "a", true);
    declare(d, "Real", "b", true);
    declare(d, "Real", "f", one_in(d, 2));
    add(&d->equations, "  der(x = a%d, start << 1) = %s - a%d - f%d;\n", c, expression(d, e), c, c);
    add(&d->equations, "  2*der(x = b%d, start << 1) = f%d;\n", c, c);
    if (one_in(d, 2))
        add(&d->equations, "  a%d = b%d;\n", c, c);
    else
        add(&d->equations, "  if %s then a%d = b%d; else then f%d = 0; end;\n", condition(d, g), c,
            c, c);
}

/* Bodies in a row, each a part of its own while it is free. Those that are tied at the time have one
 * state between them, and forces find their way along the row in this order or in that: an event
 * unites parts, or cuts them, while most equations only change their place in the order. */
static void row(Draft *d)
{
    int c = d->cell, n = 3 + below(d, 3);
    char e[EXPRESSION], g[2 * EXPRESSION];
    for (int i = 0; i < n; i++) {
        add(&d->members, "  static Real v%d_%d;\n  static Real p%d_%d;\n", i, c, i, c);
        if (i + 1 < n)
            add(&d->members, "  static Real f%d_%d;\n", i, c);
    }
    for (int i = 0; i < n; i++) {
        add(&d->equations, "  p%d_%d = %s - %g*v%d_%d;\n", i, c, expression(d, e),
            between(d, 0.1, 2), i, c);
        add(&d->equations, "  %g*der(x = v%d_%d, start << 0) = p%d_%d", between(d, 0.5, 3), i, c, i,
            c);
        if (i)
            add(&d->equations, " + f%d_%d", i - 1, c);
        if (i + 1 < n)
            add(&d->equations, " - f%d_%d", i, c);
        add(&d->equations, ";\n");
    }
    for (int i = 0; i + 1 < n; i++)
        add(&d->equations, "  if %s then v%d_%d = v%d_%d; else then f%d_%d = %g*p%d_%d; end;\n",
            condition(d, g), i, c, i + 1, c, i, c, one_in(d, 2) ? 0 : between(d, -0.4, 0.4), i, c);
    if (d->names + n <= MOST_NAMES)
        for (int i = 0; i < n; i++)
            snprintf(d->name[d->names++], NAME, "%c%d_%d", one_in(d, 4) ? 'p' : 'v', i, c);
}

/* An instance that goes from one place to another and back, and is drawn by lot. */
static void moves(Draft *d)
{
    int c = d->cell;
    char g[2 * EXPRESSION], h[2 * EXPRESSION];
    declare(d, "Real", "y", true);
    add(&d->members, "  dynamic Child l%d{k << 0.4};\n  dynamic Child r%d;\n", c, c);
    add(&d->equations,
        "  when %s then r%d <- l%d; l%d <- Child{k << random(x = 1)};\n"
        "  else when %s then l%d <- r%d; end;\n",
        condition(d, g), c, c, c, condition(d, h), c, c);
    add(&d->equations, "  if r%d? then y%d = r%d.x; else then y%d = 0.5; end;\n", c, c, c, c);
}

static const char child[] = "model Child\n"
                            "interface:\n"
                            "  parameter Real k;\n"
                            "  static Real x;\n"
                            "implementation:\n"
                            "  static Real square; static Integer n;\n"
                            "  der(x = x, start << 0.5 - k) = 3*(k - x) + sin(x = 5*time);\n"
                            "  square = x*x + time;\n"
                            "  when x > 0.2 then n << pre(x = n) + 1; end;\n"
                            "end Child;\n"
                            "model Many\n"
                            "interface:\n"
                            "  parameter Integer n;\n"
                            "implementation:\n"
                            "  static Child one{k << 0.5 - 0.02*n};\n"
                            "  if n > 1 then static Many rest{n << n - 1}; end;\n"
                            "end Many;\n";

static void add_cell(Draft *d)
{
    static void (*const kinds[])(Draft *) = {lag,
                                             oscillator,
                                             rectifier,
                                             comes_and_goes,
                                             back_and_forth,
                                             counter,
                                             sample,
                                             keeps_what_was,
                                             alarm,
                                             outputs,
                                             loop,
                                             births,
                                             branch_with_child,
                                             coupling,
                                             tied,
                                             moves,
                                             row,
                                             row};
    d->first = d->names;
    kinds[below(d, (int)(sizeof kinds / sizeof *kinds))](d);
    d->cell++;
}

char *hybrid_random(uint64_t seed)
{
    Draft d = {.random = seed};
    Text all = {0};
    lag(&d);
    d.cell++;
    for (int cells = 2 + below(&d, 8); cells > 0; cells--)
        add_cell(&d);
    add(&all, "%s", child);
    add(&all, "model Top\nimplementation:\n");
    if (one_in(&d, 8))
        add(&d.members, "  static Many many{n << 40};\n");
    add(&all, "%s%s", d.members.at, d.equations.at);
    add(&all, "end Top;\n");
    free(d.members.at);
    free(d.equations.at);
    return all.at;
}
