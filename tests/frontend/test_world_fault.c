/* test_world_fault.c: every single allocation fails once, on a small model with a bit of
 * everything. Each time the work ends with a message, nothing crashes, and closing gives all memory
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/first_mode.h"
#include "frontend/flat.h"

static const char text[] = "connector Pin\n"
                           "interface: potential Real u; flow Real i;\n"
                           "end Pin;\n"
                           "model Part\n"
                           "interface: parameter Real k; Pin p; Real y; dynamic Part next;\n"
                           "implementation:\n"
                           "  y = der(x = p.u, start << k) + random(x = k);\n"
                           "  p.i = k*y;\n"
                           "  if initial() then Real z; z = 2*y; end if;\n"
                           "end Part;\n"
                           "model M\n"
                           "implementation:\n"
                           "  Part a{k << 1}; Part b{k << 2}; dynamic Part c; alias Part d;\n"
                           "  Boolean go; Real sum; Pin hub;\n"
                           "  connection{a << hub, b << a.p};\n"
                           "  connection{a << hub, b << b.p};\n"
                           "  go << Sample(interval = 1);\n"
                           "  if c? then sum << c.y + a.y; else then sum << 0; end if;\n"
                           "  when go then\n" /* line 19 */
                           "    c <- Part{k << 3};\n"
                           "    c.next << a;\n"
                           "    d << b;\n"
                           "    cout << d.y;\n"
                           "    connection{a << c.p, b << hub};\n"
                           "  end when;\n"
                           "end M;\n";

static bool value_of(const void *context, DdpVar var, double *value)
{
    return first_mode_value(context, var, value);
}

/* The first `when`, in and out again. */
static void pulse(FirstMode *mode)
{
    World *world = first_mode_world(mode);
    for (BranchId id = 1; id < world_branch_limit(world); id++) {
        WorldBranch b;
        if (!world_branch(world, id, &b) || !b.when)
            continue;
        WorldDecision in = {id, WORLD_THEN}, out = {id, WORLD_ELSE};
        if (world_choose(world, 1, &in) && first_mode_settle(mode) && world_choose(world, 1, &out))
            first_mode_settle(mode);
        return;
    }
}

static void work(Mem *mem, Program *program)
{
    Def *top = NULL;
    if (program_load_text(program, "small.sol", text, strlen(text)))
        top = program_find(program, NULL);
    FirstMode *mode = top ? first_mode_open(mem, program, NULL) : NULL;
    if (!mode)
        return;
    if (first_mode_run(mode, top)) {
        pulse(mode);
        FILE *out = fopen("/dev/null", "w");
        flat_print(first_mode_world(mode), "M", value_of, mode, out);
        fclose(out);
        DdpResult result = first_mode_result(mode); /* c is not connected any more: its flow is 0 */
        world_report_floating(first_mode_world(mode));
        world_report(first_mode_world(mode), &result);
        if (!world_out_of_memory(first_mode_world(mode)))
            world_remove(first_mode_world(mode));
    }
    first_mode_close(mode);
}

/* Fails the n-th allocation; false when there are fewer. */
static bool run_with_failure(uint64_t n)
{
    Mem *mem = mem_open();
    assert_non_null(mem);
    mem_fail_at(mem, n);
    Program *program = program_open(mem, NULL);
    if (program)
        work(mem, program);
    bool reached = mem_count(mem) >= n;
    if (program && reached && program_ok(program))
        fail_msg("allocation %lu failed without a message", (unsigned long)n);
    program_close(program);
    mem_close(mem);
    return reached;
}

static void test_every_allocation(void **state)
{
    (void)state;
    uint64_t n = 1;
    while (run_with_failure(n))
        n++;
    assert_true(n > 1000); /* or the model was not read, or the objects of arenas do not count */
}

static void test_nothing_left_without_failure(void **state)
{
    (void)state;
    Mem *mem = mem_open();
    Program *program = program_open(mem, NULL);
    work(mem, program);
    const Diags *diags = program_diags(program);
    assert_int_equal(diags->errors, 1); /* nothing says what flows into the hub */
    assert_string_equal(diags->list.at[0].text,
                        "not connected, so that nothing flows there: 'c.next.p'");
    assert_string_equal(diags->list.at[1].text,
                        "not connected, so that nothing flows there: 'c.p'");
    program_close(program);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_left_without_failure),
        cmocka_unit_test(test_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
