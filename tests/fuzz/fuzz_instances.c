/* fuzz_instances.c: any bytes -> instances, some structural changes, and back to nothing.
 *
 * Values matter little here, so besides what the first mode decides, branches are switched by a
 * number made from the text. The verifier must be content after each step, and nothing may be left.
 */
#include "frontend/first_mode.h"
#include "frontend/flat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 12, AT_ONCE = 8 };

static void switch_some(World *world, uint32_t *number)
{
    WorldDecision list[AT_ONCE];
    uint32_t n = 0;
    for (BranchId id = 1; id < world_branch_limit(world) && n < AT_ONCE; id++) {
        WorldBranch b;
        *number = *number * 1664525 + 1013904223;
        if (!world_branch(world, id, &b) || *number >> 29 > 2)
            continue;
        list[n++] = (WorldDecision){id, b.choice == WORLD_THEN ? WORLD_ELSE : WORLD_THEN};
    }
    world_choose(world, n, list);
    world_verify(world);
}

static void live(Mem *mem, Program *program, Def *top, uint32_t number)
{
    WorldLimits limits = {.instances = 1000, .depth = 40};
    FirstMode *mode = first_mode_open(mem, program, &limits);
    if (!mode)
        return;
    World *world = first_mode_world(mode);
    first_mode_run(mode, top);
    world_verify(world);
    for (int i = 0; i < STEPS; i++)
        switch_some(world, &number);
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        flat_print(world, "fuzz", NULL, NULL, out);
        fclose(out);
    }
    world_remove(world);
    world_verify(world);
    WorldTotals totals = world_totals(world);
    if (totals.instances || totals.relations || totals.variables != 1 || totals.watches)
        abort(); /* something was left */
    first_mode_close(mode);
}

static void read_text(Mem *mem, const uint8_t *data, size_t size)
{
    ProgramOptions options = {.max_depth = 60, .max_definitions = 500, .max_statements = 5000};
    Program *program = program_open(mem, &options);
    if (!program)
        return;
    Def *top = NULL;
    if (program_load_text(program, "fuzz", (const char *)data, size))
        top = program_find(program, NULL);
    if (top && program_ok(program))
        live(mem, program, top, (uint32_t)hash_bytes(data, size, 1));
    program_close(program);
    if (mem_used(mem))
        abort(); /* closing forgot something */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Mem *mem = mem_open();
    if (!mem)
        return 0;
    read_text(mem, data, size);
    mem_close(mem);
    return 0;
}
