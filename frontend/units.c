/* units.c: SI units with prefixes. See units.h.
 *
 *     Unit   = Group {("." | "*" | "/") Group}
 *     Group  = "(" Unit ")" | "1" | [prefix] name ["^"] [["-"] digits]
 *
 * "/" divides by the one group behind it. */
#include "frontend/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NESTED = 20, MOST_POWER = 1000 };

typedef struct Known {
    const char *name;
    double factor;
    int power[UNIT_BASES]; /* kg m s A K mol cd */
    bool prefixed;         /* may have a prefix */
    bool written;          /* results are written with it */
} Known;

/* clang-format off */
static const Known known[] = {
    {"g",   1e-3, {1},                 true,  false},
    {"m",   1,    {0, 1},              true,  true},
    {"s",   1,    {0, 0, 1},           true,  true},
    {"A",   1,    {0, 0, 0, 1},        true,  true},
    {"K",   1,    {0, 0, 0, 0, 1},     true,  true},
    {"mol", 1,    {0, 0, 0, 0, 0, 1},  true,  true},
    {"cd",  1,    {0, 0, 0, 0, 0, 0, 1}, true, true},
    {"N",   1,    {1, 1, -2},          true,  true},
    {"Pa",  1,    {1, -1, -2},         true,  true},
    {"J",   1,    {1, 2, -2},          true,  true},
    {"W",   1,    {1, 2, -3},          true,  true},
    {"C",   1,    {0, 0, 1, 1},        true,  true},
    {"V",   1,    {1, 2, -3, -1},      true,  true},
    {"F",   1,    {-1, -2, 4, 2},      true,  true},
    {"Ohm", 1,    {1, 2, -3, -2},      true,  true},
    {"S",   1,    {-1, -2, 3, 2},      true,  true},
    {"Wb",  1,    {1, 2, -2, -1},      true,  true},
    {"T",   1,    {1, 0, -2, -1},      true,  true},
    {"H",   1,    {1, 2, -2, -2},      true,  true},
    {"Hz",  1,    {0, 0, -1},          true,  false},
    {"rad", 1,    {0},                 false, false},
    {"sr",  1,    {0},                 false, false},
    {"deg", 0.017453292519943295, {0}, false, false},
    {"rev", 6.283185307179586, {0},    false, false},
    {"min", 60,   {0, 0, 1},           false, false},
    {"h",   3600, {0, 0, 1},           false, false},
    {"d",   86400, {0, 0, 1},          false, false},
    {"l",   1e-3, {0, 3},              true,  false},
    {"L",   1e-3, {0, 3},              true,  false},
    {"t",   1000, {1},                 false, false},
    {"bar", 1e5,  {1, -1, -2},         true,  false},
    {"eV",  1.602176634e-19, {1, 2, -2}, true, false},
    {"%",   0.01, {0},                 false, false},
};

static const struct Prefix {
    const char *name;
    double factor;
} prefixes[] = {
    {"da", 1e1},  {"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},  {"T", 1e12},  {"G", 1e9},
    {"M", 1e6},   {"k", 1e3},   {"h", 1e2},   {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3},  {"u", 1e-6},
    {"n", 1e-9},  {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24},
};
/* clang-format on */

enum { KNOWN = sizeof known / sizeof *known, PREFIXES = sizeof prefixes / sizeof *prefixes };

/* ---- algebra ---- */

Unit unit_times(Unit a, Unit b, int sign)
{
    for (int i = 0; i < UNIT_BASES; i++)
        a.power[i] += sign * b.power[i];
    a.factor = sign > 0 ? a.factor * b.factor : a.factor / b.factor;
    return a;
}

bool unit_power(Unit a, double power, Unit *out)
{
    for (int i = 0; i < UNIT_BASES; i++) {
        double p = a.power[i] * power;
        if (!(fabs(p) <= UNIT_PART * MOST_POWER) || fabs(p - round(p)) > 1e-9)
            return false;
        out->power[i] = (int)round(p);
    }
    out->factor = pow(a.factor, power);
    return true;
}

bool unit_same_powers(const Unit *a, const Unit *b)
{
    for (int i = 0; i < UNIT_BASES; i++)
        if (a->power[i] != b->power[i])
            return false;
    return true;
}

bool unit_same(const Unit *a, const Unit *b)
{
    return unit_same_powers(a, b) && fabs(a->factor - b->factor) <= 1e-9 * fabs(a->factor);
}

bool unit_is_number(const Unit *a)
{
    Unit one = {.factor = 1};
    return unit_same(a, &one);
}

static Unit of_known(const Known *k, double factor)
{
    Unit unit = {.factor = k->factor * factor};
    for (int i = 0; i < UNIT_BASES; i++)
        unit.power[i] = UNIT_PART * k->power[i];
    return unit;
}

/* ---- reading ---- */

static bool named(const char *text, size_t n, bool prefixed, double factor, Unit *unit)
{
    for (int i = 0; i < KNOWN; i++)
        if (strlen(known[i].name) == n && strncmp(text, known[i].name, n) == 0 &&
            (!prefixed || known[i].prefixed)) {
            *unit = of_known(&known[i], factor);
            return true;
        }
    return false;
}

static bool read_name(const char *text, size_t n, Unit *unit)
{
    if (named(text, n, false, 1, unit))
        return true;
    for (int i = 0; i < PREFIXES; i++) {
        size_t skip = strlen(prefixes[i].name);
        if (n > skip && strncmp(text, prefixes[i].name, skip) == 0 &&
            named(text + skip, n - skip, true, prefixes[i].factor, unit))
            return true;
    }
    return false;
}

static bool read_exponent(const char **at, Unit *unit)
{
    int sign = 1, power = 0;
    *at += **at == '^';
    if (**at == '-') {
        sign = -1;
        ++*at;
    }
    if (!isdigit((unsigned char)**at))
        return (*at)[-1] != '^' && (*at)[-1] != '-';
    for (; isdigit((unsigned char)**at) && power < MOST_POWER; ++*at)
        power = 10 * power + **at - '0';
    return unit_power(*unit, sign * power, unit);
}

static bool read_product(const char **at, int nested, Unit *unit);

static bool read_group(const char **at, int nested, Unit *unit)
{
    const char *begin = *at;
    *unit = (Unit){.factor = 1};
    if (*begin == '(') {
        ++*at;
        if (nested >= MOST_NESTED || !read_product(at, nested + 1, unit) || **at != ')')
            return false;
        ++*at;
        return read_exponent(at, unit);
    }
    if (*begin == '1' && !isdigit((unsigned char)begin[1])) {
        ++*at;
        return true;
    }
    while (isalpha((unsigned char)**at) || **at == '%')
        ++*at;
    return read_name(begin, (size_t)(*at - begin), unit) && read_exponent(at, unit);
}

static bool read_product(const char **at, int nested, Unit *unit)
{
    if (!read_group(at, nested, unit))
        return false;
    while (**at == '.' || **at == '*' || **at == '/') {
        int sign = **at == '/' ? -1 : 1;
        Unit next;
        ++*at;
        if (!read_group(at, nested, &next))
            return false;
        *unit = unit_times(*unit, next, sign);
    }
    return true;
}

bool unit_read(const char *text, Unit *unit)
{
    *unit = (Unit){.factor = 1};
    if (!*text)
        return true;
    return read_product(&text, 0, unit) && !*text && isfinite(unit->factor) && unit->factor > 0;
}

/* ---- writing ---- */

static void write_powers(const Unit *unit, int sign, char *text, size_t size)
{
    static const char *const base[UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < UNIT_BASES && used + 24 < size; i++) {
        int power = sign * unit->power[i];
        if (power <= 0)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "", base[i]);
        if (power % UNIT_PART)
            used += (size_t)snprintf(text + used, size - used, "^%g", (double)power / UNIT_PART);
        else if (power != UNIT_PART)
            used += (size_t)snprintf(text + used, size - used, "%d", power / UNIT_PART);
    }
}

void unit_write(const Unit *unit, char *text, size_t size)
{
    char up[160], down[160], factor[32] = "";
    if (fabs(unit->factor - 1) > 1e-9)
        snprintf(factor, sizeof factor, "%g ", unit->factor);
    for (int i = 0; i < KNOWN; i++) {
        Unit one = of_known(&known[i], 1);
        if (known[i].written && unit_same_powers(unit, &one)) {
            snprintf(text, size, "%s%s", factor, known[i].name);
            return;
        }
    }
    write_powers(unit, 1, up, sizeof up);
    write_powers(unit, -1, down, sizeof down);
    const char *open = strchr(down, '.') ? "/(" : "/", *close = strchr(down, '.') ? ")" : "";
    snprintf(text, size, "%s%s%s%s%s", factor, up[0] ? up : "1", down[0] ? open : "", down,
             down[0] ? close : "");
}
