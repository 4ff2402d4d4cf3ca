/* test_units.c: texts of units -> powers and factors, against the definitions of the SI written out here. */
#include "frontend/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void is(const char *text, double factor, int kg, int m, int s, int a, int k)
{
    Unit unit;
    if (!unit_read(text, &unit))
        fail_msg("%s was not read", text);
    const int power[] = {kg, m, s, a, k, 0, 0};
    for (int i = 0; i < UNIT_BASES; i++)
        if (unit.power[i] != UNIT_PART * power[i])
            fail_msg("%s: power %d is %d/12", text, i, unit.power[i]);
    if (fabs(unit.factor - factor) > 1e-12 * factor)
        fail_msg("%s: factor %g", text, unit.factor);
}

static void reading(void **state)
{
    (void)state;
    is("", 1, 0, 0, 0, 0, 0);
    is("1", 1, 0, 0, 0, 0, 0);
    is("kg", 1, 1, 0, 0, 0, 0);
    is("g", 1e-3, 1, 0, 0, 0, 0);
    is("m/s", 1, 0, 1, -1, 0, 0);
    is("m/s2", 1, 0, 1, -2, 0, 0);
    is("m.s-2", 1, 0, 1, -2, 0, 0);
    is("m*s^-2", 1, 0, 1, -2, 0, 0);
    is("km/h", 1000.0 / 3600, 0, 1, -1, 0, 0);
    is("N.m", 1, 1, 2, -2, 0, 0);
    is("W/(m2.K)", 1, 1, 0, -3, 0, -1);
    is("1/(Ohm.F)", 1, 0, 0, -1, 0, 0);
    is("V.A", 1, 1, 2, -3, 0, 0);
    is("V/A", 1, 1, 2, -3, -2, 0);
    is("Wb/s", 1, 1, 2, -3, -1, 0);
    is("H.A/s", 1, 1, 2, -3, -1, 0);
    is("T.m2", 1, 1, 2, -2, -1, 0);
    is("S.V", 1, 0, 0, 0, 1, 0);
    is("C/F", 1, 1, 2, -3, -1, 0);
    is("Pa.m2", 1, 1, 1, -2, 0, 0);
    is("kV", 1e3, 1, 2, -3, -1, 0);
    is("uF", 1e-6, -1, -2, 4, 2, 0);
    is("mm2", 1e-6, 0, 2, 0, 0, 0);
    is("min", 60, 0, 0, 1, 0, 0);
}

/* What has two readings is the unit, not prefix and unit. */
static void names_before_prefixes(void **state)
{
    (void)state;
    is("Pa", 1, 1, -1, -2, 0, 0);
    is("T", 1, 1, 0, -2, -1, 0);
    is("cd/cd", 1, 0, 0, 0, 0, 0);
    is("dam", 10, 0, 1, 0, 0, 0);
    is("h", 3600, 0, 0, 1, 0, 0);
}

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "Volt", "m/",  "/s", "m//s",          "(m", "m)",      "m.", "kmin", "2m", "m^",
        "m-",   "m s", "k",  "m^99999999999", "()", "\xc3\xa9"};
    Unit unit;
    char deep[200];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (unit_read(texts[i], &unit))
            fail_msg("'%s' was read", texts[i]);
    memset(deep, '(', 100);
    memset(deep + 100, ')', 99);
    deep[199] = 0;
    assert_false(unit_read(deep, &unit));
}

static void writes(const char *text, const char *expected)
{
    Unit unit;
    char out[100];
    assert_true(unit_read(text, &unit));
    unit_write(&unit, out, sizeof out);
    assert_string_equal(out, expected);
}

static void writing(void **state)
{
    (void)state;
    writes("kg.m2/s2", "J");
    writes("kg.m2/(s3.A)", "V");
    writes("kV", "1000 V");
    writes("W/(m2.K)", "kg/(s3.K)");
    writes("1/s", "1/s");
    writes("", "1");
    writes("m2", "m2");
    Unit metre, root;
    char out[100];
    assert_true(unit_read("m", &metre) && unit_power(metre, 0.5, &root));
    unit_write(&root, out, sizeof out);
    assert_string_equal(out, "m^0.5");
    assert_false(unit_power(metre, 0.123, &root));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reading),
                                       cmocka_unit_test(names_before_prefixes),
                                       cmocka_unit_test(refused), cmocka_unit_test(writing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
