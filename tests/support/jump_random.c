/* jump_random.c: a number -> the text of a small model with functions that jump, always the same
 * one.
 */
#include "tests/support/jump_random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 14, EXPRESSION = 400 };

typedef struct Draft {
    uint64_t random;
    unsigned cells;
    size_t n;
    char *text; /* [ROOM] */
} Draft;

static void add(Draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->n += (size_t)vsnprintf(d->text + d->n, ROOM - d->n, format, args);
    va_end(args);
}

static unsigned below(Draft *d, unsigned n)
{
    d->random = d->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(d->random >> 33) % n;
}

/* Between -2 and 2, with two decimals. */
static double number(Draft *d)
{
    return (double)(below(d, 401)) / 100 - 2;
}

/* Something smooth that moves by about 1. */
static const char *smooth(Draft *d, char *out)
{
    unsigned i = below(d, d->cells), k = below(d, d->cells);
    switch (below(d, 4)) {
    case 0:
        snprintf(out, EXPRESSION, "%g*time + %g", number(d), number(d));
        break;
    case 1:
        snprintf(out, EXPRESSION, "x%u - %g", i, number(d));
        break;
    case 2:
        snprintf(out, EXPRESSION, "%g*x%u + %g*v%u", number(d), i, number(d), k);
        break;
    default:
        snprintf(out, EXPRESSION, "s%u + %g*time", i, number(d) / 4);
    }
    return out;
}

/* A function of it that jumps. */
static const char *jump(Draft *d, char *out)
{
    char inner[EXPRESSION], other[EXPRESSION];
    static const char *const functions[] = {"sign", "floor", "ceil", "round"};
    switch (below(d, 4)) {
    case 0:
        snprintf(out, EXPRESSION, "mod(%.200s, %g)", smooth(d, inner), 0.3 + below(d, 20) * 0.1);
        break;
    case 1:
        snprintf(out, EXPRESSION, "floor(mod(%.150s, 3) + 0.4*sign(%.150s))", smooth(d, inner),
                 smooth(d, other));
        break;
    default:
        snprintf(out, EXPRESSION, "%s(%.300s)", functions[below(d, 4)], smooth(d, inner));
    }
    return out;
}

static void add_cell(Draft *d, unsigned i)
{
    char a[EXPRESSION], b[EXPRESSION];
    add(d, "  v%u = der(x = x%u, start << %g);\n", i, i, number(d));
    add(d, "  der(x = v%u, start << %g) = -%g*x%u + %g*u%u;\n", i, number(d),
        0.5 + below(d, 80) * 0.1, i, number(d), i);
    add(d, "  s%u = 0.7*x%u + 0.3*v%u;\n", i, i, i);
    switch (below(d, 3)) {
    case 0:
        add(d, "  u%u = %s;\n", i, jump(d, a));
        break;
    case 1: /* in a loop */
        add(d, "  u%u = 0.3*u%u + %s;\n", i, i, jump(d, a));
        break;
    default:
        add(d, "  if %s > %g then u%u = %s; else then u%u = -0.5; end if;\n", jump(d, a), number(d),
            i, jump(d, b), i);
    }
    add(d, "  o%u = x%u + %s;\n", i, i, jump(d, a));
    if (below(d, 2))
        add(d, "  when %s < %g then n%u << pre(n%u) + 1; end when;\n", jump(d, a), number(d), i, i);
    else
        add(d, "  when Sample(interval = %g) then n%u << floor(o%u); end when;\n",
            0.3 + below(d, 10) * 0.1, i, i);
}

char *jump_random(uint64_t seed)
{
    Draft d = {.random = seed * UINT64_C(0x9e3779b97f4a7c15), .text = malloc(ROOM)};
    d.cells = 1 + below(&d, 4);
    add(&d, "model Top\ninterface:\n");
    for (unsigned i = 0; i < d.cells; i++)
        add(&d,
            "  static Real x%u; static Real v%u; static Real s%u; static Real u%u; static Real "
            "o%u;\n"
            "  static Integer n%u;\n",
            i, i, i, i, i, i);
    add(&d, "implementation:\n");
    for (unsigned i = 0; i < d.cells; i++)
        add_cell(&d, i);
    add(&d, "end Top;\n");
    return d.text;
}
