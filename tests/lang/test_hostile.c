/* test_hostile.c: texts that nobody would write -> a message, no crash, no hang, bounded memory. */
#include "base/timer.h"
#include "frontend/frontend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 100000, MEGABYTE = 1 << 20 };

typedef struct Text {
    char *at;
    size_t n, cap;
} Text;

static void add_bytes(Text *t, const char *bytes, size_t n)
{
    if (t->n + n + 1 > t->cap) {
        t->cap = (t->n + n + 1) * 2;
        t->at = realloc(t->at, t->cap);
        assert_non_null(t->at);
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
}

static void add(Text *t, const char *text)
{
    add_bytes(t, text, strlen(text));
}

static void repeat(Text *t, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        add(t, text);
}

typedef struct Outcome {
    uint32_t errors;
    char first[300];
    size_t peak;
    double seconds;
} Outcome;

static Outcome check_bytes(const char *text, size_t n)
{
    Outcome out = {0};
    Mem *mem = mem_open();
    double start = timer_now();
    Program *program = program_open(mem, NULL);
    assert_non_null(program);
    if (program_load_text(program, "hostile.sol", text, n) && program_check(program))
        program_find(program, NULL);
    out.seconds = timer_now() - start;
    const Diags *diags = program_diags(program);
    out.errors = diags->errors;
    if (diags->list.n)
        snprintf(out.first, sizeof out.first, "%s", diags->list.at[0].text);
    assert_true(out.errors == 0 || diags->list.n > 0);
    out.peak = mem_peak(mem);
    program_close(program);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
    return out;
}

/* The text is wrong: its first message is `expected`, memory stays within `times` its size and 8
 * MB. */
static void reject(Text *t, const char *expected, size_t times)
{
    Outcome out = check_bytes(t->at, t->n);
    free(t->at);
    assert_string_equal(out.first, expected);
    assert_true(out.errors > 0);
    assert_true(out.peak < t->n * times + 8 * MEGABYTE);
    assert_true(out.seconds < 120);
}

static void accept(Text *t, size_t times)
{
    Outcome out = check_bytes(t->at, t->n);
    free(t->at);
    assert_string_equal(out.first, "");
    assert_true(out.peak < t->n * times + 8 * MEGABYTE);
    assert_true(out.seconds < 120);
}

/* ---- nesting ---- */

static void parentheses(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = ");
    repeat(&t, "(", MANY);
    add(&t, "1");
    repeat(&t, ")", MANY);
    add(&t, ";\nend A;\n");
    reject(&t, "nested deeper than 500 levels", 40);
}

static void unclosed_parentheses(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = ");
    repeat(&t, "(", MANY);
    reject(&t, "nested deeper than 500 levels", 40);
}

static void branches(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n");
    repeat(&t, "if true then\n", MANY);
    repeat(&t, "end;\n", MANY);
    add(&t, "end A;\n");
    reject(&t, "nested deeper than 500 levels", 40);
}

static void else_chain(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\nif true then\n");
    repeat(&t, "else if true then\n", MANY);
    add(&t, "end;\nend A;\n");
    reject(&t, "nested deeper than 500 levels", 40);
}

static void models(void **state)
{
    (void)state;
    Text t = {0};
    repeat(&t, "model A\n", MANY);
    repeat(&t, "end A;\n", MANY);
    reject(&t, "nested deeper than 500 levels", 40);
}

static void lists(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = ");
    repeat(&t, "sin(", MANY);
    repeat(&t, "f{a << ", MANY);
    reject(&t, "nested deeper than 500 levels", 40);
}

static void as_deep_as_allowed(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = ");
    repeat(&t, "sin(x = -(", 240);
    add(&t, "1");
    repeat(&t, "))", 240);
    add(&t, ";\n");
    repeat(&t, "if time > 1 then\n", 490);
    repeat(&t, "end;\n", 490);
    add(&t, "end A;\n");
    accept(&t, 200);
}

static void long_sum(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = 1");
    repeat(&t, "+1", MANY);
    add(&t, ";\nend A;\n");
    reject(&t, "expression with more than 1999 operators in a row: split it up", 400);
}

/* Depth must be counted over lists as well: each call holds a long sum with the next call in it. */
static void sums_in_calls(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = ");
    repeat(&t, "sin(", 400);
    add(&t, "1");
    for (int i = 0; i < 400; i++) {
        repeat(&t, "+1", 100);
        add(&t, ")");
    }
    add(&t, ";\nend A;\n");
    reject(&t, "expression with more than 1999 operators in a row: split it up", 400);
}

static void long_designator(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n  Real x;\n  x = a");
    repeat(&t, ".a", MANY);
    add(&t, ";\nend A;\n");
    reject(&t, "unknown name 'a'", 100);
}

/* ---- definitions ---- */

static void inheritance_chain(void **state)
{
    (void)state;
    Text t = {0};
    char line[100];
    add(&t, "model M0\nend M0;\n");
    for (int i = 1; i < 20000; i++) {
        snprintf(line, sizeof line, "model M%d extends M%d;\nend M%d;\n", i, i - 1, i);
        add(&t, line);
    }
    reject(&t, "inherited over more than 500 levels", 500);
}

static void inheritance_chain_backwards(void **state)
{
    (void)state;
    Text t = {0};
    char line[100];
    for (int i = 20000; i > 0; i--) {
        snprintf(line, sizeof line, "model M%d extends M%d;\nend M%d;\n", i, i - 1, i);
        add(&t, line);
    }
    add(&t, "model M0\nend M0;\n");
    reject(&t, "definitions depend on each other more than 500 levels deep", 2000);
}

static void constants_chain(void **state)
{
    (void)state;
    Text t = {0};
    char line[100];
    add(&t, "package P\n");
    for (int i = MANY; i > 0; i--) {
        snprintf(line, sizeof line, "define c%d as c%d + 1;\n", i, i - 1);
        add(&t, line);
    }
    add(&t, "define c0 as 1;\nend P;\n");
    reject(&t, "definitions depend on each other more than 500 levels deep", 100);
}

/* A large base with many heirs would need memory by the product of the two. */
static void many_heirs(void **state)
{
    (void)state;
    Text t = {0};
    char line[100];
    add(&t, "model B\nimplementation:\n");
    for (int i = 0; i < 3000; i++) {
        snprintf(line, sizeof line, "Real x%d;\n", i);
        add(&t, line);
    }
    add(&t, "end B;\n");
    for (int i = 0; i < 3000; i++) {
        snprintf(line, sizeof line, "model H%d extends B;\nend H%d;\n", i, i);
        add(&t, line);
    }
    Outcome out = check_bytes(t.at, t.n);
    free(t.at);
    assert_string_equal(out.first,
                        "more than 5000000 members and statements, inherited ones included");
    assert_true(out.peak < (size_t)1500 * MEGABYTE);
}

/* Two packages, each with heirs of the other: an endless family of definitions. */
static void endless_family(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "package P\n  package A extends Q;\n  end A;\n  package B extends Q;\n  end B;\n"
            "  model M\n  implementation:\n    A.M a; B.M b;\n  end M;\nend P;\n"
            "package Q\n  package C extends R;\n  end C;\n  package D extends R;\n  end D;\n"
            "  model M\n  implementation:\n    C.M c; D.M d;\n  end M;\nend Q;\n"
            "package R\n  package E extends P;\n  end E;\n  package F extends Q;\n  end F;\n"
            "  model M\n  implementation:\n    E.M e; F.M f;\n  end M;\nend R;\n");
    Outcome out = check_bytes(t.at, t.n);
    free(t.at);
    assert_true(out.errors > 0);
    assert_true(out.peak < (size_t)1500 * MEGABYTE);
    assert_true(out.seconds < 120);
}

/* ---- length ---- */

static void one_line(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A implementation: Real x; Real y; ");
    repeat(&t, "x + y = 1; ", 10 * MEGABYTE / 11);
    add(&t, "end A;");
    accept(&t, 150);
}

static void one_name(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A implementation: Real ");
    repeat(&t, "abcdefghijklmnop", 10 * MEGABYTE / 16);
    add(&t, "; end A;");
    accept(&t, 10);
}

static void one_number(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A implementation: Real x; x = ");
    repeat(&t, "1234567890", MEGABYTE);
    add(&t, "; end A;");
    reject(&t, "number too large", 10);
}

static void one_text(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A implementation: String s; s << \"");
    repeat(&t, "abcdefghijklmnop", 10 * MEGABYTE / 16);
    add(&t, "\"; end A;");
    accept(&t, 10);
}

static void one_comment(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "/*");
    repeat(&t, "*", 10 * MEGABYTE);
    reject(&t, "comment without end", 10);
}

static void only_errors(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n");
    repeat(&t, "u = ;\n", 1000000);
    add(&t, "v = w;\nend A;\n");
    reject(&t, "expected an expression, found ';'", 60);
}

static void only_unknown_names(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model A\nimplementation:\n");
    repeat(&t, "u = v;\n", 500000);
    add(&t, "end A;\n");
    reject(&t, "unknown name 'u'", 150);
}

static void many_arguments(void **state)
{
    (void)state;
    Text t = {0};
    add(&t, "model B\ninterface:\n  parameter Real p << 1;\nend B;\n"
            "model A\nimplementation:\n  B b{p << 1");
    repeat(&t, ", p << 1", MANY);
    add(&t, "};\nend A;\n");
    reject(&t, "parameter 'p' is given twice", 100);
}

/* ---- bytes ---- */

static void junk_bytes(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 200; round++) {
        char bytes[2000];
        for (size_t i = 0; i < sizeof bytes; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            bytes[i] = round % 2 ? (char)x : (char)(32 + (unsigned char)x % 95);
        }
        assert_true(check_bytes(bytes, sizeof bytes).errors > 0);
    }
}

static const char small[] =
    "package P\n  define k as 2.5e1; // c\n  connector Pin\n  interface:\n    potential Real u;\n"
    "    flow Real i;\n  end Pin;\n  model M extends Pin;\n  interface:\n    parameter Real R << "
    "1;\n"
    "    in Real x;\n    out Real y;\n  implementation:\n    u = R*i; /* d */\n    y = -x^2;\n"
    "  end M;\nend P;\nmodel A\nimplementation:\n  P.Pin p; P.M m{R << P.k};\n  dynamic P.M d{};\n"
    "  String s;\n  connection{a << p, b << m};\n  s << \"text\";\n  p.i = der(x = p.u, start << "
    "0);\n"
    "  m.x = sin(time) + d(x = 1);\n  if d? and time >= 1 then\n    p.u = 1;\n"
    "  else if time < 3 or not true then\n  else then\n    p.u = 2;\n  end if;\n"
    "  when time > 4 then\n    d <- P.M{};\n    trash <- d;\n  end when;\nend A;\n";

static void truncated(void **state)
{
    (void)state;
    size_t n = sizeof small - 1, fine = 0;
    for (size_t i = 0; i <= n; i++)
        fine += check_bytes(small, i).errors == 0;
    /* Whole are those that end behind `end P;` and behind `end A;`, with or without the line's end.
     */
    assert_int_equal(fine, 4);
    assert_int_equal(check_bytes(small, n).errors, 0);
}

static void one_byte_wrong(void **state)
{
    (void)state;
    static const char replacements[] = {'\0', '\x80', '\xff', '(', '}', ';', ' ', 'e', '"', '<'};
    char text[sizeof small];
    for (size_t i = 0; i < sizeof small - 1; i++)
        for (size_t k = 0; k < sizeof replacements; k++) {
            memcpy(text, small, sizeof small);
            text[i] = replacements[k];
            Outcome out = check_bytes(text, sizeof small - 1);
            if (k < 3)
                assert_true(out.errors > 0);
        }
}

static void one_byte_missing(void **state)
{
    (void)state;
    char text[sizeof small];
    for (size_t i = 0; i < sizeof small - 1; i++) {
        memcpy(text, small, i);
        memcpy(text + i, small + i + 1, sizeof small - i - 1);
        check_bytes(text, sizeof small - 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses),
        cmocka_unit_test(unclosed_parentheses),
        cmocka_unit_test(branches),
        cmocka_unit_test(else_chain),
        cmocka_unit_test(models),
        cmocka_unit_test(lists),
        cmocka_unit_test(as_deep_as_allowed),
        cmocka_unit_test(long_sum),
        cmocka_unit_test(sums_in_calls),
        cmocka_unit_test(long_designator),
        cmocka_unit_test(inheritance_chain),
        cmocka_unit_test(inheritance_chain_backwards),
        cmocka_unit_test(constants_chain),
        cmocka_unit_test(many_heirs),
        cmocka_unit_test(endless_family),
        cmocka_unit_test(one_line),
        cmocka_unit_test(one_name),
        cmocka_unit_test(one_number),
        cmocka_unit_test(one_text),
        cmocka_unit_test(one_comment),
        cmocka_unit_test(only_errors),
        cmocka_unit_test(only_unknown_names),
        cmocka_unit_test(many_arguments),
        cmocka_unit_test(junk_bytes),
        cmocka_unit_test(truncated),
        cmocka_unit_test(one_byte_wrong),
        cmocka_unit_test(one_byte_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
