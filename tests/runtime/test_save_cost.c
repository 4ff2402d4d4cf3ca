/* test_save_cost.c: what a run keeps and what it saves is measured by the model, not by its past:
 * after a hundred times as many structural changes a simulation has the same memory, its checkpoint
 * the same length, and one that goes on from it the same memory again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/save_lab.h"
#include "tests/support/slow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A state that comes and goes, a held value, one switch in a unit of time. */
static const char switching[] =
    "model Switching\n"
    "implementation:\n"
    "  static Real s; static Real x; static Real n;\n"
    "  s = sin(x = 3.14159265358979*time);\n"
    "  if s > 0 then der(x = x, start = 1) = -x; else then x = -5 + s; end;\n"
    "  when s > 0.5 then n << pre(n) + 1; end;\n"
    "end Switching;\n";

/* Instances that are born, moved, copied and thrown away; draws; what is kept between events. */
static const char churning[] =
    "model Thing\n"
    "interface: static Real x;\n"
    "implementation:\n"
    "  static Real k;\n"
    "  der(x = x, start = random(x = 1)) = -k*x;\n"
    "  if x > 0.5 then k = 0.1; else then k = 0.3; end;\n"
    "end Thing;\n"
    "model Churning\n"
    "implementation:\n"
    "  dynamic Thing a{}; dynamic Thing b; dynamic Thing c;\n"
    "  static Real s; static Real n; static Real w;\n"
    "  s = sin(x = 3.14159265358979*time);\n"
    "  w = floor(x = 3*s) + s;\n"
    "  if s > 0 then static Real y; der(x = y, start = 1) = -y;\n"
    "  else then static Real z; z = 2*s; end;\n"
    "  when Sample(interval = 1) then n << pre(n) + 1; c <- b; b <- a; a <- Thing{}; end;\n"
    "  when Sample(interval = 3) then c << b; end;\n"
    "end Churning;\n";

/* A sum of many terms that changes its place: relations of more variables than most have. */
static char *long_sums(void)
{
    enum { TERMS = 50 };
    char *text, terms[TERMS * 6] = "", *end = terms;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("model Sums\nimplementation:\n  static Real s; static Real y;\n", out);
    for (int i = 0; i < TERMS; i++) {
        fprintf(out, "  static Real a%d; a%d = s + %d;\n", i, i, i);
        end += sprintf(end, "%sa%d", i ? " + " : "", i);
    }
    fprintf(out,
            "  s = sin(x = 3.14159265358979*time);\n"
            "  if s > 0 then y = %s; else then y + %s = 0; end;\nend Sums;\n",
            terms, terms);
    fclose(out);
    return text;
}

typedef struct Cost {
    size_t memory, saved, restored;
} Cost;

static bool show_nothing(void *context, const SolPoint *point)
{
    (void)context;
    (void)point;
    return true;
}

static Sol *open_sim(const char *text, double stop, bool shows, SolModel **model)
{
    *model = sol_load(&(SolLoad){.path = "m.sol", .text = text, .length = strlen(text)});
    Sol *sim = sol_create(*model, NULL,
                          &(SolOptions){.stop = stop,
                                        .interval = 100,
                                        .step = 0.25,
                                        .solver = SOL_SOLVER_EULER,
                                        .engine = SOL_ENGINE_INTERP,
                                        .savable = true});
    assert_non_null(sim);
    sol_set_output(sim, &(SolOutput){.point = shows ? show_nothing : NULL});
    return sim;
}

static size_t memory_of(const Sol *sim)
{
    SolStats stats = {0};
    sol_stats(sim, &stats);
    return stats.memory_bytes;
}

/* After so many switches. */
static Cost cost_after(const char *text, double stop, double switches, bool shows)
{
    SolModel *model;
    SaveBytes saved = {0};
    Sol *sim = open_sim(text, stop, shows, &model);
    assert_int_equal(sol_run_to(sim, switches), SOL_OK);
    Cost cost = {.memory = memory_of(sim)};
    assert_int_equal(sol_save(sim, save_lab_put, &saved), SOL_OK);
    cost.saved = saved.n;
    sol_unload(model);
    sim = open_sim(text, stop, shows, &model);
    assert_int_equal(sol_restore(sim, save_lab_get, &saved), SOL_OK);
    cost.restored = memory_of(sim);
    sol_unload(model);
    free(saved.at);
    return cost;
}

static void no_more_than(const char *what, size_t now, size_t before)
{
    if (now > before + before / 30)
        fail_msg("%s: %zu bytes, %zu in the beginning", what, now, before);
}

static void check_costs(const char *text, double few, double many)
{
    for (int shows = 0; shows < 2; shows++) {
        Cost before = cost_after(text, many, few, shows), now = cost_after(text, many, many, shows);
        no_more_than("memory", now.memory, before.memory);
        no_more_than("checkpoint", now.saved, before.saved);
        no_more_than("memory of the resumed run", now.restored, before.restored);
    }
}

static void states_that_come_and_go(void **state)
{
    (void)state;
    check_costs(switching, 1000, SLOW_BUILD ? 10000 : 100000);
}

static void births_moves_and_copies(void **state)
{
    (void)state;
    check_costs(churning, 300, SLOW_BUILD ? 3000 : 30000);
}

static void relations_of_many_variables(void **state)
{
    (void)state;
    char *text = long_sums();
    check_costs(text, 100, SLOW_BUILD ? 1000 : 10000);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_that_come_and_go),
        cmocka_unit_test(births_moves_and_copies),
        cmocka_unit_test(relations_of_many_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
