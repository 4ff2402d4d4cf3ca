/* test_world_random.c: random structural changes, several at a time, all kinds mixed.
 *
 * One model with every kind of statement that moves, copies, refers to or names instances
 * elsewhere; each stands in a `when` of its own. A script fires some of them together, over and
 * over. After each step the verifier checks all invariants of the world (among them: every relation
 * names what its path leads to now), and the DDP its own; in the end everything is removed and
 * nothing may be left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/soak.h"
#include "tests/support/world_lab.h"

static const char library[] =
    "connector Pin\n"
    "interface: potential Real u; flow Real i;\n"
    "end Pin;\n"
    "model Cell\n"
    "interface:\n"
    "  parameter Real k; Real x; Pin p;\n"
    "  dynamic Cell next; dynamic Cell side; alias Cell mate;\n"
    "implementation:\n"
    "  Boolean odd; Real sum; Real mine; Real slope;\n"
    "  x = k + random(x = 1);\n"
    "  p.i = x*p.u;\n"
    "  odd << x > 3;\n"
    "  if odd then Pin inner; inner.i = 1; connection{a << p, b << inner}; end;\n"
    "  if next? then sum << next.x + x; else then sum << x; end;\n"
    "  if initial() then mine << sum; end;\n"
    "  slope = der(x = x);\n"
    "end Cell;\n"
    "model M\n"
    "implementation:\n"
    "  dynamic Cell a{k << 1}; dynamic Cell b; dynamic Cell c; Cell s{k << 9};\n"
    "  alias Cell l; alias Cell m; Pin hub; Boolean no; Real y1; Real y2;\n"
    "  Real y3; Real y4; Real y5; Boolean e1; Boolean e2;\n"
    "  no << false;\n"
    "  y1 << a.x; y2 << a.next.x + b.x; y3 << l.next.x;\n"
    "  y4 << m.mate.x - c.side.next.x; y5 << s.next.next.x;\n"
    "  e1 << a.next? and l?; e2 << m.mate.next? or c.side.next?;\n"
    "  if a.next? then Real z; z = a.next.x; end;\n";

static const char *const actions[] = {
    "a <- Cell{k << 2};",
    "b <- Cell{k << 3};",
    "c <- Cell{k << 4};",
    "b <- a;",
    "a <- b;",
    "c <- b;",
    "b <- c;",
    "a.next <- b;",
    "b.next <- c;",
    "c.side <- a;",
    "a <- c.side;",
    "c <- a.next;",
    "a.next.next <- c;",
    "b.side <- b.next;",
    "s.next <- a;",
    "a <- s.next;",
    "s.next.next <- b;",
    "a << s;",
    "b << a;",
    "c << b;",
    "a.side << c;",
    "b.next << s;",
    "l << a;",
    "l << b.next;",
    "m << s;",
    "m << l;",
    "m << c.side;",
    "a.mate << b;",
    "s.mate << s.next;",
    "b.mate << b.next;",
    "trash <- a;",
    "trash <- b.next;",
    "trash <- c;",
    "trash <- s.next;",
    "trash <- a.side;",
    "connection{a << hub, b << a.p};",
    "connection{a << hub, b << b.p};",
    "connection{a << s.p, b << c.p};",
    "connection{a << hub, b << s.p};",
    "b <- a; a <- Cell{k << 5}; a.next <- b;",
    "Cell t{k << 6}; t.next << a; c << t;",
    "l << a; trash <- a; a << s;",
    "a << s; a.next << a.side; b <- a;",
};

enum { N_ACTIONS = sizeof actions / sizeof *actions, FIRST_LINE = 28 };

static char *make_text(void)
{
    char *text = malloc(20000), *at = text;
    at += sprintf(at, "%s", library);
    for (uint32_t i = 0; i < N_ACTIONS; i++)
        at += sprintf(at, "  when no then %s end;\n", actions[i]);
    sprintf(at, "end M;\n");
    return text;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 10;
}

/* A cycle of connections or a move into an own part is the script's mistake, not the world's. */
static void forgive(WorldLab *lab)
{
    Diags *diags = program_diags(lab->program);
    for (uint32_t i = 0; i < diags->list.n; i++)
        if (diags->list.at[i].severity == DIAG_ERROR)
            assert_true(strstr(diags->list.at[i].text, "cycle") ||
                        strstr(diags->list.at[i].text, "part of itself") ||
                        strstr(diags->list.at[i].text, "cannot be decided"));
    diags_clear(diags);
}

/* Values are of no interest here: each branch that is born takes one side or the other. */
static void decide_newborn(WorldLab *lab, uint32_t *seed)
{
    for (int round = 0; round < 20; round++) {
        uint32_t n;
        const BranchId *list = world_newborn(lab->world, &n);
        WorldDecision decisions[200];
        uint32_t taken = 0;
        for (uint32_t i = 0; i < n && taken < 200; i++) {
            WorldBranch b;
            world_branch(lab->world, list[i], &b);
            bool then = !b.when && next_random(seed) % 2;
            decisions[taken++] = (WorldDecision){list[i], then ? WORLD_THEN : WORLD_ELSE};
        }
        if (!taken)
            return;
        world_choose(lab->world, taken, decisions);
    }
}

static uint32_t fire(WorldLab *lab, uint32_t *seed, WorldChoice choice, BranchId *list, uint32_t n)
{
    WorldDecision decisions[4];
    for (uint32_t i = 0; i < n; i++)
        decisions[i] = (WorldDecision){list[i], choice};
    world_choose(lab->world, n, decisions);
    forgive(lab);
    decide_newborn(lab, seed);
    forgive(lab);
    world_verify(lab->world);
    return n;
}

static void toggle_some_ifs(WorldLab *lab, uint32_t *seed)
{
    WorldDecision d[3];
    uint32_t n = 0;
    for (int tries = 0; tries < 6 && n < 3; tries++) {
        BranchId id = 1 + next_random(seed) % (world_branch_limit(lab->world) - 1);
        WorldBranch b;
        bool fresh = true;
        for (uint32_t i = 0; i < n; i++)
            fresh &= d[i].branch != id;
        if (fresh && world_branch(lab->world, id, &b) && !b.when)
            d[n++] = (WorldDecision){id, b.choice == WORLD_THEN ? WORLD_ELSE : WORLD_THEN};
    }
    world_choose(lab->world, n, d);
    decide_newborn(lab, seed);
    forgive(lab);
    world_verify(lab->world);
}

static void random_run(uint32_t seed, uint32_t steps)
{
    char *text = make_text();
    WorldLab lab = wlab_open_any(text, NULL);
    free(text);
    forgive(&lab);
    decide_newborn(&lab, &seed);
    for (uint32_t step = 0; step < steps; step++) {
        BranchId list[3];
        uint32_t n = 0, many = 1 + next_random(&seed) % 3, first = next_random(&seed) % N_ACTIONS;
        for (uint32_t i = 0; i < many; i++) {
            uint32_t action = (first + i * 7) % N_ACTIONS;
            BranchId id = wlab_branch(&lab, FIRST_LINE + action, 0);
            assert_int_not_equal(id, 0);
            list[n++] = id;
        }
        fire(&lab, &seed, WORLD_THEN, list, n);
        if (step % 3 == 0)
            ddp_commit(lab.ddp, DDP_SO_FAR);
        fire(&lab, &seed, WORLD_ELSE, list, n);
        if (next_random(&seed) % 2)
            toggle_some_ifs(&lab, &seed);
        if (world_totals(lab.world).instances > 3000) { /* copies double */
            BranchId clear = wlab_branch(&lab, FIRST_LINE + 30, 0);
            fire(&lab, &seed, WORLD_THEN, &clear, 1);
            fire(&lab, &seed, WORLD_ELSE, &clear, 1);
        }
        world_changes_clear(lab.world);
    }
    ddp_commit(lab.ddp, DDP_SO_FAR);
    wlab_close(&lab);
}

static void test_random_changes(void **state)
{
    (void)state;
    Soak soak = soak_begin("structural changes of a world", 150, 1);
    while (soak_next(&soak))
        random_run((uint32_t)soak.seed, 60);
    soak_end(&soak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
