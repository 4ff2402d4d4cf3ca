/* what is looked at for equations that depend on each other is what a change touches: counts in models of 1,000
 * to 1,000,000 relations, separate circuits without ground and circuits on one common node. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "frontend/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Verifiers and sanitizers make large systems slow; the counts are the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SOLSTICE_VERIFY)
enum { SIZES = 2 };
#else
enum { SIZES = 3 };
#endif
static const uint32_t sizes[] = {1000, 10000, 1000000};

/* A cell is figure 1 of Otter and Elmqvist: two coils with two resistors between them. */
static const char library[] =
    "connector Pin interface: static potential Real u; static flow Real i; end Pin;\n"
    "partial model Two interface: static Pin p; static Pin n; static Real u; static Real i;\n"
    "implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0; end Two;\n"
    "model Source extends Two; implementation: u = 10; end Source;\n"
    "model Resistor extends Two; interface: parameter Real R; implementation: u = R*i; end "
    "Resistor;\n"
    "model Coil extends Two; interface: parameter Real L; implementation: u = L*der(x = i); end "
    "Coil;\n"
    "model Ground interface: static Pin p; implementation: p.u = 0; end Ground;\n"
    "model Cell interface: static Pin c; implementation:\n"
    "  static Source V; static Coil L1{L << 1}; static Resistor R1{R << 1};\n"
    "  static Resistor R2{R << 2}; static Coil L2{L << 2};\n"
    "  connection{a << V.p, b << L1.p}; connection{a << L1.n, b << R1.p};\n"
    "  connection{a << R1.p, b << R2.p}; connection{a << R1.n, b << R2.n};\n"
    "  connection{a << R2.n, b << L2.p}; connection{a << L2.n, b << V.n};\n"
    "  connection{a << V.n, b << c};\n"
    "end Cell;\n";

typedef struct Lab {
    Mem *mem;
    Ddp *ddp;
    World *world;
    BranchId branch;
    char *text;
    DdpResult result;
    double *value;
    uint32_t n_values;
} Lab;

/* The last cell is in a branch. A pin that is not connected outside has no current. */
static char *make_text(uint32_t cells, bool common)
{
    char *text = malloc(sizeof library + (size_t)cells * 100 + 1000), *at = text;
    const char *tie = common ? " connection{a << c%u.c, b << g.p};\n" : " c%u.c.i = 0;\n";
    at += sprintf(at, "%smodel Many implementation: static Boolean on; on << true;\n", library);
    if (common)
        at += sprintf(at, "static Ground g;\n");
    for (uint32_t i = 1; i <= cells; i++) {
        if (i == cells)
            at += sprintf(at, "if on then\n");
        at += sprintf(at, "static Cell c%u;", i);
        at += sprintf(at, tie, i);
    }
    sprintf(at, "end if; end Many;\n");
    return text;
}

static bool host_read(void *context, DdpVar var, double *value)
{
    Lab *lab = context;
    *value = var < lab->n_values ? lab->value[var] : 0;
    return true;
}

static void host_write(void *context, DdpVar var, double value)
{
    Lab *lab = context;
    if (var >= lab->n_values) {
        uint32_t n = var * 2 + 1024;
        lab->value = realloc(lab->value, n * sizeof *lab->value);
        memset(lab->value + lab->n_values, 0, (n - lab->n_values) * sizeof *lab->value);
        lab->n_values = n;
    }
    lab->value[var] = value;
}

/* Equations that were looked at, until nothing more is found. */
static uint64_t settle(Lab *lab)
{
    uint64_t before = world_examined(lab->world);
    int rounds = 0;
    do
        lab->result = ddp_commit(lab->ddp, DDP_FINAL);
    while (world_examine(lab->world, &lab->result) && rounds++ < 20);
    assert_int_equal(lab->result.verdict, DDP_DETERMINED);
    return world_examined(lab->world) - before;
}

static uint64_t choose(Lab *lab, WorldChoice choice)
{
    world_choose(lab->world, 1, &(WorldDecision){lab->branch, choice});
    world_changes_clear(lab->world);
    return settle(lab);
}

static void open_lab(Lab *lab, uint32_t cells, bool common)
{
    *lab = (Lab){.mem = mem_open(), .text = make_text(cells, common)};
    Program *program = program_open(lab->mem, NULL);
    program_load_text(program, "many.sol", lab->text, strlen(lab->text));
    FormTable *forms = forms_open(lab->mem);
    lab->ddp = ddp_open(lab->mem, forms);
    WorldHost host = {.context = lab, .read = host_read, .write = host_write};
    lab->world = world_open(lab->mem, program, forms, lab->ddp, &host, NULL);
    uint32_t n;
    assert_true(world_create(lab->world, program_find(program, "Many")));
    lab->branch = world_newborn(lab->world, &n)[0];
    assert_int_equal(n, 1);
}

static void close_lab(Lab *lab)
{
    world_close(lab->world);
    mem_close(lab->mem);
    free(lab->text);
    free(lab->value);
}

enum { FIRST, REMOVE, ADD, COUNTS };

static void measure(uint32_t relations, bool common, double *count)
{
    enum { PER_CELL = 35, ROUNDS = 3 };
    Lab lab;
    uint32_t cells = relations / PER_CELL;
    open_lab(&lab, cells, common);
    count[FIRST] = (double)choose(&lab, WORLD_THEN) / cells;
    assert_int_equal(lab.result.states, cells); /* of two coils, one */
    for (int i = 0; i < ROUNDS; i++) {
        count[REMOVE] += (double)choose(&lab, WORLD_ELSE) / ROUNDS;
        assert_int_equal(lab.result.states, cells - 1);
        count[ADD] += (double)choose(&lab, WORLD_THEN) / ROUNDS;
        assert_int_equal(lab.result.states, cells);
    }
    close_lab(&lab);
}

static void check_sizes(bool common)
{
    double count[SIZES][COUNTS] = {{0}};
    for (int i = 0; i < SIZES; i++) {
        measure(sizes[i], common, count[i]);
        printf("%7u relations, %s: looked at %.1f per cell at first, %.1f to remove one, %.1f to "
               "add one\n",
               sizes[i], common ? "one common node" : "separate", count[i][FIRST], count[i][REMOVE],
               count[i][ADD]);
    }
    for (int i = 1; i < SIZES; i++) {
        assert_true(count[i][REMOVE] == count[0][REMOVE]);
        assert_true(count[i][ADD] == count[0][ADD]);
        assert_true(count[i][FIRST] <= count[0][FIRST] * 1.05 + 1);
    }
    assert_true(count[0][ADD] > 0); /* a cell is singular: it must have been looked at */
}

static void separate(void **state)
{
    (void)state;
    check_sizes(false);
}

static void common_node(void **state)
{
    (void)state;
    check_sizes(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(separate), cmocka_unit_test(common_node)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
