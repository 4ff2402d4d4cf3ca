/* what is looked at for equations that depend on each other is what a change
 * touches: counts in models of 1,000 to 1,000,000 relations: separate circuits
 * without ground, circuits on one common node that is grounded, and one large
 * circuit without ground, whose parts meet in one node or are a line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "frontend/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Verifiers and sanitizers make large systems slow; the counts are the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(SOLSTICE_VERIFY)
enum { SIZES = 2 };
#else
enum { SIZES = 3 };
#endif
/* Relations. */
static const uint32_t sizes[][3] = {
    {1000, 10000, 1000000}, {1000, 10000, 1000000}, {1000, 10000, 300000}, {1000, 10000, 300000}};

/* A cell is figure 1 of Otter and Elmqvist: two coils with two resistors
 * between them. */
static const char library[] =
    "connector Pin interface: static potential Real u; static flow Real i; end "
    "Pin;\n"
    "partial model Two interface: static Pin p; static Pin n; static Real u; "
    "static Real i;\n"
    "implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0; end Two;\n"
    "model Source extends Two; implementation: u = 10; end Source;\n"
    "model Resistor extends Two; interface: parameter Real R; implementation: "
    "u = R*i; end "
    "Resistor;\n"
    "model Coil extends Two; interface: parameter Real L; implementation: u = "
    "L*der(x = i); end "
    "Coil;\n"
    "model Ground interface: static Pin p; implementation: p.u = 0; end "
    "Ground;\n"
    "model Cell interface: static Pin c; implementation:\n"
    "  static Source V; static Coil L1{L << 1}; static Resistor R1{R << 1};\n"
    "  static Resistor R2{R << 2}; static Coil L2{L << 2};\n"
    "  connection{a << V.p, b << L1.p}; connection{a << L1.n, b << R1.p};\n"
    "  connection{a << R1.p, b << R2.p}; connection{a << R1.n, b << R2.n};\n"
    "  connection{a << R2.n, b << L2.p}; connection{a << L2.n, b << V.n};\n"
    "  connection{a << V.n, b << c};\n"
    "end Cell;\n"
    "model Cap extends Two; interface: parameter Real C; implementation: "
    "C*der(x = u) = i; end Cap;\n"
    "model Piece interface: static Pin p; static Pin r; static Pin g; implementation:\n"
    "  static Coil L{L << 1}; static Cap C{C << 2};\n"
    "  connection{a << p, b << L.p}; connection{a << L.n, b << C.p}; connection{a << C.p, b << "
    "r};\n"
    "  connection{a << C.n, b << g};\n"
    "end Piece;\n";

typedef enum Layout { SEPARATE, GROUNDED, FLOATING, LINE, LAYOUTS } Layout;

static const char *const layout_name[] = {"separate", "one grounded node", "one node, no ground",
                                          "a line, no ground"};

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

/* A piece of a line hangs on the one before, the first one on a source; all have one way back. */
static char *put_piece(char *at, uint32_t i)
{
    at += sprintf(at, "static Piece c%u; connection{a << c%u.g, b << V.n}; ", i, i);
    if (i == 1)
        return at + sprintf(at, "connection{a << V.p, b << c1.p};\n");
    return at + sprintf(at, "connection{a << c%u.r, b << c%u.p};\n", i - 1, i);
}

static char *put_cell(char *at, Layout layout, uint32_t i)
{
    if (layout == LINE)
        return put_piece(at, i);
    at += sprintf(at, "static Cell c%u;", i);
    if (layout == SEPARATE)
        return at + sprintf(at, " c%u.c.i = 0;\n", i);
    if (layout == GROUNDED)
        return at + sprintf(at, " connection{a << c%u.c, b << g.p};\n", i);
    return at + (i > 1 ? sprintf(at, " connection{a << c%u.c, b << c1.c};\n", i) : 0);
}

/* The last cell is in a branch. A pin that is not connected outside has no
 * current. */
static char *make_text(uint32_t cells, Layout layout)
{
    char *text = malloc(sizeof library + (size_t)cells * 120 + 1000), *at = text;
    at += sprintf(at, "%smodel Many implementation: static Boolean on; on << true;\n", library);
    if (layout == GROUNDED)
        at += sprintf(at, "static Ground g;\n");
    if (layout == LINE)
        at += sprintf(at, "static Source V;\n");
    for (uint32_t i = 1; i <= cells; i++) {
        if (i == cells)
            at += sprintf(at, "if on then\n");
        at = put_cell(at, layout, i);
    }
    if (layout == LINE)
        at += sprintf(at, "c%u.r.i = 0; else then c%u.r.i = 0; ", cells, cells - 1);
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

static void open_lab(Lab *lab, uint32_t cells, Layout layout)
{
    *lab = (Lab){.mem = mem_open(), .text = make_text(cells, layout)};
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

static void measure(uint32_t relations, Layout layout, double *count)
{
    /* nodes sum up their currents by eights: the last sum has the same length in
   * all sizes */
    enum { PER_CELL = 35, ROUNDS = 3, FAN = 8 };
    Lab lab;
    uint32_t cells = relations / PER_CELL / FAN * FAN + 4;
    uint32_t states =
        layout == LINE ? 2 : 1; /* of two coils, one; of a coil and a capacitor, both */
    open_lab(&lab, cells, layout);
    count[FIRST] = (double)choose(&lab, WORLD_THEN) / cells;
    assert_int_equal(lab.result.states, states * cells);
    for (int i = 0; i < ROUNDS; i++) {
        count[REMOVE] += (double)choose(&lab, WORLD_ELSE) / ROUNDS;
        assert_int_equal(lab.result.states, states * (cells - 1));
        count[ADD] += (double)choose(&lab, WORLD_THEN) / ROUNDS;
        assert_int_equal(lab.result.states, states * cells);
    }
    close_lab(&lab);
}

static void check_sizes(void **state)
{
    Layout layout = *(const Layout *)*state;
    double count[SIZES][COUNTS] = {{0}};
    for (int i = 0; i < SIZES; i++) {
        measure(sizes[layout][i], layout, count[i]);
        printf("%7u relations, %s: looked at %.1f per cell at first, %.1f to "
               "remove one, %.1f to "
               "add one\n",
               sizes[layout][i], layout_name[layout], count[i][FIRST], count[i][REMOVE],
               count[i][ADD]);
    }
    for (int i = 1; i < SIZES; i++) {
        /* which small loops the end of a line makes depends on what was solved for what before */
        double slack = layout == LINE ? 10 : 0;
        assert_true(fabs(count[i][REMOVE] - count[0][REMOVE]) <= slack);
        assert_true(count[i][ADD] == count[0][ADD]);
        assert_true(count[i][FIRST] <= count[0][FIRST] * 1.05 + 1);
    }
    assert_true(count[0][ADD] > 0); /* a cell is singular: it must have been looked at */
}

int main(void)
{
    static const Layout layouts[] = {SEPARATE, GROUNDED, FLOATING, LINE};
    struct CMUnitTest tests[LAYOUTS];
    for (int i = 0; i < LAYOUTS; i++)
        tests[i] = (struct CMUnitTest){layout_name[i], check_sizes, NULL, NULL,
                                       (void *)(uintptr_t)&layouts[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
