/* test_lists.c: dynamic arrays -> values, against recursion and closed forms. */
#include "tests/support/sim_lab.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void is(SimLab *lab, const char *path, double expected, double within)
{
    double value = sim_lab_value(lab, path);
    if (!(fabs(value - expected) <= within * (1 + fabs(expected))))
        fail_msg("%s = %.12g, not %.12g", path, value, expected);
}

/* Two models of lists.sol have the same values at some times. */
static void agree(const char *one, const char *other, double stop, uint32_t n,
                  const char *const *paths)
{
    SolOptions options = {.stop = stop, .rtol = 1e-8, .solver = SOL_SOLVER_RK};
    SimLab *a = sim_lab_open("lists.sol", one, &options);
    SimLab *b = sim_lab_open("lists.sol", other, &options);
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(sim_lab_run(a, stop * i / 10), SOL_OK);
        assert_int_equal(sim_lab_run(b, stop * i / 10), SOL_OK);
        for (uint32_t k = 0; k < n; k++)
            is(b, paths[k], sim_lab_value(a, paths[k]), 1e-6);
    }
    sim_lab_close(a);
    sim_lab_close(b);
}

static void population(void **state)
{
    (void)state;
    agree("Lists.Recursive", "Lists.Listed", 400, 5,
          (const char *const[]){"alive", "greed", "E", "tank.Nc", "tank.Pc"});
}

static void traffic(void **state)
{
    (void)state;
    agree("Lists.Road", "Lists.Lane", 120, 3, (const char *const[]){"n", "first", "last"});
}

/* Resistors in series between 10 V and ground; the current follows who is there, by neighbours that are connected. */
static void neighbours(void **state)
{
    (void)state;
    static const char text[] =
        "connector Pin\ninterface: static potential Real v; static flow Real i;\nend Pin;\n"
        "model Link\ninterface: parameter Real R; static Pin a; static Pin b; static Real age;\n"
        "implementation: a.i + b.i = 0; R*a.i = a.v - b.v; der(age, start << 0) = 1;\nend Link;\n"
        "model M\ninterface: static Real total; static Real i; static Real old; static Real "
        "young;\n"
        "  static Integer n; static Integer numbers; static Real gaps; dynamic Link l[]; dynamic "
        "Link away;\n"
        "  static Real second;\n"
        "implementation:\n  static Pin s; static Pin g; s.v = 10; g.v = 0;\n"
        "  for k in 1:3 then when initial() then l <- Link{R << k}; end when; end for;\n"
        "  when sample(1, 1) then l <- Link{R << 2}; end when;\n"
        "  when time >= 2.5 then trash <- l[2]; end when;\n"
        "  when time >= 3.5 then away <- l[1]; end when;\n"
        "  when time >= 4.5 then l <- away; end when;\n"
        "  when time >= 5.5 then trash <- l[end]; trash <- l[end-1]; end when;\n"
        "  if away? then away.a.v = 0; away.b.v = 0; end if;\n"
        "  for c in l then\n"
        "    if l[c-1]? then connect(l[c-1].b, c.a); else then connect(s, c.a); end if;\n"
        "    if not l[c+1]? then connect(c.b, g); end if;\n"
        "  end for;\n"
        "  n << size(l); total = sum(c.R for c in l); i = -g.i;\n"
        "  old = max(c.age for c in l); young = min(c.age for c in l);\n"
        "  numbers << sum(1 for c in l); second = l[2].R;\n"
        "  gaps = sum((if l[c-1]? then l[c-1].age - c.age else 0) for c in l);\n"
        "end M;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 7, .rtol = 1e-9});
    static const struct {
        double time, total, n, old, young, second;
    } expected[] = {
        {0.5, 6, 3, 0.5, 0.5, 2},  {1.5, 8, 4, 1.5, 0.5, 2},  {2.2, 10, 5, 2.2, 0.2, 2},
        {2.7, 8, 4, 2.7, 0.7, 3},  {3.7, 9, 4, 3.7, 0.7, 2},  {4.7, 12, 6, 4.7, 0.7, 2},
        {5.2, 14, 7, 5.2, 0.2, 2}, {5.7, 10, 5, 5.7, 2.7, 2},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        assert_int_equal(sim_lab_run(lab, expected[k].time), SOL_OK);
        is(lab, "total", expected[k].total, 1e-12);
        is(lab, "i", -10 / expected[k].total, 1e-12);
        is(lab, "n", expected[k].n, 0);
        is(lab, "numbers", expected[k].n, 0);
        is(lab, "old", expected[k].old, 1e-9);
        is(lab, "young", expected[k].young, 1e-9);
        is(lab, "second", expected[k].second, 0);
    }
    sim_lab_close(lab);
}

/* Elements that hold arrays of elements, a loop inside a branch, one over an array of fixed size. */
static void nested(void **state)
{
    (void)state;
    static const char text[] =
        "model Leaf\ninterface: static Real x;\nimplementation: der(x, start << 1) = -x;\nend "
        "Leaf;\n"
        "model Twig\ninterface: dynamic Leaf leaves[]; static Real all; static Real T[3];\n"
        "implementation:\n"
        "  when sample(0, 1) then leaves <- Leaf{}; end when;\n"
        "  all = sum(l.x for l in leaves); for t in T then t = 2*time; end for;\nend Twig;\n"
        "model M\ninterface: dynamic Twig twigs[]; static Real all; static Real some; static Real "
        "fixed;\n"
        "  static Real square[2]; static Integer power; static Integer triangle;\n"
        "implementation:\n  static Twig own[2];\n"
        "  when sample(0, 2) then twigs <- Twig{}; end when;\n"
        "  all = sum(t.all for t in twigs);\n"
        "  if time > 1 then some = sum(t.T[3] for t in twigs); else then some = 0; end if;\n"
        "  fixed = sum(o.all for o in own); for s in square then s = time + 4; end for;\n"
        "  power << product(2 for t in twigs); triangle << sum(k for k in 1:4);\n"
        "end M;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .rtol = 1e-10});
    assert_int_equal(sim_lab_run(lab, 2.5), SOL_OK);
    double twig = exp(-2.5) + exp(-1.5) + exp(-0.5), young = exp(-0.5);
    is(lab, "all", twig + young, 1e-8); /* the second twig has one leaf, of time 2 */
    is(lab, "some", 2 * 5, 1e-12);
    is(lab, "fixed", 2 * twig, 1e-8);
    is(lab, "square[2]", 6.5, 1e-12);
    is(lab, "power", 4, 0);
    is(lab, "triangle", 10, 0);
    is(lab, "twigs[2].leaves[1].x", exp(-0.5), 1e-8);
    sim_lab_close(lab);
}

/* Who removes others, or all, while the loop goes over them; moves from one array to another. */
static void while_iterated(void **state)
{
    (void)state;
    static const char text[] =
        "model Ball\ninterface: parameter Integer k; static Real x;\n"
        "implementation: der(x, start << 0) = k;\nend Ball;\n"
        "model M\ninterface: dynamic Ball a[]; dynamic Ball b[]; static Integer n; static Integer "
        "m;\n"
        "  static Real sa; static Real sb;\n"
        "implementation:\n"
        "  for k in 1:6 then when initial() then a <- Ball{k << k}; end when; end for;\n"
        "  for c in a then\n"
        "    when time >= 1 and c.k == 2 then trash <- a[1]; trash <- c; trash <- a[1]; end when;\n"
        "    when time >= 2 then b <- c; end when;\n"
        "  end for;\n"
        "  for c in b then when time >= 3 and c.k == 5 then trash <- b; b <- Ball{k << 9}; end "
        "when; end for;\n"
        "  n << size(a); m << size(b); sa = sum(c.x for c in a); sb = sum(c.x for c in b);\n"
        "end M;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 4, .rtol = 1e-9});
    assert_int_equal(sim_lab_run(lab, 1.5), SOL_OK);
    is(lab, "n", 3, 0); /* 1, 2, then the first of 3, 4, 5, 6 */
    is(lab, "sa", (4 + 5 + 6) * 1.5, 1e-9);
    assert_int_equal(sim_lab_run(lab, 2.5), SOL_OK);
    is(lab, "n", 0, 0);
    is(lab, "m", 3, 0);
    is(lab, "sa", 0, 0);
    is(lab, "sb", (4 + 5 + 6) * 2.5, 1e-9);
    assert_int_equal(sim_lab_run(lab, 3.5), SOL_OK);
    is(lab, "m", 1, 0);
    is(lab, "sb", 9 * 0.5, 1e-9);
    sim_lab_close(lab);
}

/* Thousands come and go: a bag grows, and places are used again. */
static void many(void **state)
{
    (void)state;
    static const char text[] =
        "model Ball\ninterface: static Real x;\nimplementation: der(x, start << 0) = 1;\nend "
        "Ball;\n"
        "model M\ninterface: dynamic Ball a[]; static Integer n; static Real s;\n"
        "implementation:\n"
        "  for k in 1:1500 then when initial() then a <- Ball{}; end when; end for;\n"
        "  for c in a then when time >= 1 and time < 1.5 then trash <- c; end when; end for;\n"
        "  for k in 1:1100 then when time >= 2 then a <- Ball{}; end when; end for;\n"
        "  n << size(a); s = sum(c.x for c in a);\nend M;\n";
    SimLab *lab = sim_lab_text(text, &(SolOptions){.stop = 3, .solver = SOL_SOLVER_RK});
    assert_int_equal(sim_lab_run(lab, 0.5), SOL_OK);
    is(lab, "n", 1500, 0);
    is(lab, "s", 750, 1e-6);
    assert_int_equal(sim_lab_run(lab, 1.5), SOL_OK);
    is(lab, "n", 0, 0);
    assert_int_equal(sim_lab_run(lab, 2.5), SOL_OK);
    is(lab, "n", 1100, 0);
    is(lab, "s", 550, 1e-6);
    is(lab, "a[1501].x", 0.5, 1e-6);
    sim_lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(population),     cmocka_unit_test(traffic),
        cmocka_unit_test(neighbours),     cmocka_unit_test(nested),
        cmocka_unit_test(while_iterated), cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
