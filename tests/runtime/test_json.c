/* test_json.c: the JSON writer and the texts of numbers, byte by byte. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/results/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void number_texts_are_short_and_exact(void **state)
{
    (void)state;
    const struct {
        double x;
        const char *text;
    } cases[] = {{0, "0"},          {-0.0, "-0"},
                 {1, "1"},          {-12345678, "-12345678"},
                 {0.1, "0.1"},      {0.1 + 0.2, "0.30000000000000004"},
                 {1e300, "1e+300"}, {NAN, "nan"},
                 {INFINITY, "inf"}, {-INFINITY, "-inf"},
                 {1e15, "1e+15"},   {5e-324, "4.94065645841247e-324"}};
    char text[OUT_NUMBER];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(number_text(cases[i].x, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    uint64_t bits = 1;
    for (int i = 0; i < 100000; i++) {
        double x, back;
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        number_text(x, text);
        back = strtod(text, NULL);
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static char *written(void (*write_it)(Json *))
{
    static char text[2000];
    int ends[2];
    OutFile *out = malloc(sizeof *out);
    Json json;
    assert_int_equal(pipe(ends), 0);
    out_attach(out, ends[1]);
    json_open(&json, out);
    write_it(&json);
    json_close(&json);
    assert_true(out_close(out));
    close(ends[1]);
    ssize_t n = read(ends[0], text, sizeof text - 1);
    assert_true(n >= 0);
    text[n] = '\0';
    close(ends[0]);
    free(out);
    return text;
}

static void nested(Json *json)
{
    json_object(json, NULL);
    json_number(json, "a", 0.5);
    json_list(json, "events");
    json_flat_object(json, NULL);
    json_integer(json, "n", 18446744073709551615u);
    json_list(json, "t");
    json_text(json, NULL, "x");
    json_text(json, NULL, "y");
    json_end_list(json);
    json_end_object(json);
    json_flat_object(json, NULL);
    json_end_object(json);
    json_end_list(json);
    json_list(json, "none");
    json_end_list(json);
    json_bool(json, "ok", true);
    json_number(json, "bad", NAN);
    json_end_object(json);
}

static void nesting(void **state)
{
    (void)state;
    assert_string_equal(written(nested),
                        "{\n"
                        "  \"a\": 0.5,\n"
                        "  \"events\": [\n"
                        "    {\"n\": 18446744073709551615, \"t\": [\"x\", \"y\"]},\n"
                        "    {}\n"
                        "  ],\n"
                        "  \"none\": [],\n"
                        "  \"ok\": true,\n"
                        "  \"bad\": null\n"
                        "}\n");
}

static void times(Json *json)
{
    json_list(json, NULL);
    json_measured(json, NULL, 131.3539996772306, 3);
    json_measured(json, NULL, 0, 3);
    json_measured(json, NULL, 1200, 3);
    json_measured(json, NULL, 0.0004, 3);
    json_measured(json, NULL, 0.9999999996, 9);
    json_measured(json, NULL, 2e20, 9);
    json_measured(json, NULL, -0.5, 3);
    json_measured(json, NULL, NAN, 3);
    json_end_list(json);
}

static void measured(void **state)
{
    (void)state;
    assert_string_equal(written(times),
                        "[\n  131.354,\n  0,\n  1200,\n  0,\n  1,\n  2e+20,\n  -0.5,\n  null\n]\n");
}

static void odd_texts(Json *json)
{
    json_list(json, NULL);
    json_text(json, NULL, "say \"a\\b\"\n\t\x01");
    json_text(json, NULL, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    json_text(json, NULL, "\xC3(\xFF\xED\xA0\x80\xC0\x80");
    json_end_list(json);
}

static void texts_are_valid(void **state)
{
    (void)state;
    assert_string_equal(written(odd_texts),
                        "[\n  \"say \\\"a\\\\b\\\"\\n\\u0009\\u0001\",\n  "
                        "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\",\n"
                        "  \"\\ufffd(\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"\n]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_texts_are_short_and_exact),
        cmocka_unit_test(nesting),
        cmocka_unit_test(measured),
        cmocka_unit_test(texts_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
