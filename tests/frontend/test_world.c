/* test_world.c: instances come and go: branches, moves, copies, aliases, paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/world_lab.h"

#define MECHANICS                                                                                  \
    "connector Flange\n"                                                                           \
    "interface: potential Real phi; flow Real t;\n"                                                \
    "end Flange;\n"

/* ---- static models ---- */

static void test_connections_as_in_5_5_4(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(MECHANICS "model M\n"
                                       "implementation:\n"
                                       "  Flange f1; Flange f2; Flange f3;\n"
                                       "  connection{a << f1, b << f2};\n"
                                       "  connection{a << f2, b << f3};\n"
                                       "  f1.phi = time; f2.t = 1; f3.t = 2;\n"
                                       "end M;\n",
                             NULL);
    assert_true(wlab_has_line(&lab, "f1.phi = f2.phi;"));
    assert_true(wlab_has_line(&lab, "f2.phi = f3.phi;"));
    assert_true(wlab_has_line(&lab, "f1.t + f2.t + f3.t = 0;"));
    assert_int_equal(first_mode_result(lab.mode).verdict, DDP_DETERMINED);
    wlab_close(&lab);
}

/* A connector of the model's own interface counts negative inside. */
static void test_composite(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(MECHANICS "model Inner\n"
                                       "interface: Flange f;\n"
                                       "implementation: f.t = 3*f.phi;\n"
                                       "end Inner;\n"
                                       "model Outer\n"
                                       "interface: Flange f;\n"
                                       "implementation:\n"
                                       "  Inner x; Inner y;\n"
                                       "  connection{a << f, b << x.f};\n"
                                       "  connection{a << f, b << y.f};\n"
                                       "end Outer;\n"
                                       "model M\n"
                                       "implementation:\n"
                                       "  Outer o; Flange tip;\n"
                                       "  connection{a << o.f, b << tip};\n"
                                       "  tip.phi = 2;\n"
                                       "end M;\n",
                             NULL);
    assert_true(wlab_has_line(&lab, "-o.f.t + o.x.f.t + o.y.f.t = 0;"));
    assert_true(wlab_has_line(&lab, "o.f.t + tip.t = 0;"));
    wlab_close(&lab);
}

static void test_connector_of_connectors(void **state)
{
    (void)state;
    WorldLab lab =
        wlab_open(MECHANICS "connector Plug\n"
                            "interface: Flange left; Flange right; potential Real level;\n"
                            "end Plug;\n"
                            "model M\n"
                            "implementation:\n"
                            "  Plug p; Plug q;\n"
                            "  connection{a << p, b << q};\n"
                            "  p.level = 1; p.left.phi = 2; p.right.phi = 3;\n"
                            "  p.left.t = 4; p.right.t = 5;\n"
                            "end M;\n",
                  NULL);
    assert_true(wlab_has_line(&lab, "p.left.phi = q.left.phi;"));
    assert_true(wlab_has_line(&lab, "p.level = q.level;"));
    assert_true(wlab_has_line(&lab, "p.right.t + q.right.t = 0;"));
    wlab_close(&lab);
}

/* Names that both ends have are related; a name that a connector lacks ends there. */
static void test_partly_common_names(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("connector Pin\n"
                             "interface: potential Real u; flow Real i;\n"
                             "end Pin;\n"
                             "connector Hot extends Pin;\n"
                             "interface: potential Real T; flow Real q;\n"
                             "end Hot;\n"
                             "model M\n"
                             "implementation:\n"
                             "  Hot a; Hot b; Pin p; Hot c; Boolean no;\n"
                             "  connection{a << a, b << b};\n"
                             "  connection{a << b, b << p};\n"
                             "  if no then connection{a << p, b << c}; end if;\n" /* line 12 */
                             "  no << false;\n"
                             "end M;\n",
                             NULL);
    assert_true(wlab_has_line(&lab, "a.T = b.T;"));
    assert_true(wlab_has_line(&lab, "a.q + b.q = 0;"));
    assert_true(wlab_has_line(&lab, "a.i + b.i + p.i = 0;"));
    BranchId branch = wlab_branch(&lab, 12, 0);
    world_choose(lab.world, 1, &(WorldDecision){branch, WORLD_THEN});
    assert_true(wlab_has_line(&lab, "a.i + b.i + p.i + c.i = 0;"));
    assert_true(wlab_has_line(&lab, "p.u = c.u;"));
    assert_true(wlab_has_line(&lab, "a.q + b.q = 0;")); /* c.q is not among them */
    assert_int_equal(world_totals(lab.world).connections, 3);
    world_choose(lab.world, 1, &(WorldDecision){branch, WORLD_ELSE});
    assert_true(wlab_has_line(&lab, "a.i + b.i + p.i = 0;"));
    ddp_commit(lab.ddp, DDP_SO_FAR);
    wlab_close(&lab);
}

static void test_parameters(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("model P\n"
                             "interface:\n"
                             "  parameter Real k; parameter Real twice << 2*k; Real y;\n"
                             "implementation: y = k + twice;\n"
                             "end P;\n"
                             "model M\n"
                             "implementation:\n"
                             "  P p{k << a + 1}; P q{k << 1, twice << 7}; Real a;\n"
                             "  a << 20;\n"
                             "end M;\n",
                             NULL);
    assert_float_equal(wlab_value(&lab, "p.k"), 21, 0);
    assert_float_equal(wlab_value(&lab, "p.y"), 63, 0);
    assert_float_equal(wlab_value(&lab, "q.y"), 8, 0);
    wlab_close(&lab);
}

/* ---- branches ---- */

static const char branches[] = "model Part\n"
                               "interface: parameter Real k; Real y;\n"
                               "implementation:\n"
                               "  Boolean more;\n"
                               "  y = k*time;\n"
                               "  if more then\n" /* line 6 */
                               "    Part inner{k << k + 1};\n"
                               "  end if;\n"
                               "  when y > 3 then more << true; end when;\n"
                               "end Part;\n"
                               "model M\n"
                               "implementation:\n"
                               "  Boolean on;\n"
                               "  if on then\n" /* line 14 */
                               "    Part p{k << 1};\n"
                               "  else then\n"
                               "    Part q{k << 5}; Part r{k << 6};\n"
                               "  end if;\n"
                               "  when time > 1 then on << true; end when;\n"
                               "end M;\n";

/* Whatever its condition says. */
static void force(WorldLab *lab, BranchId branch, WorldChoice choice)
{
    world_choose(lab->world, 1, &(WorldDecision){branch, choice});
    first_mode_settle(lab->mode);
}

static void test_branches_come_and_go(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(branches, NULL);
    uint32_t before = world_totals(lab.world).relations;
    assert_int_equal(world_find(lab.world, "p.y"), 0);
    assert_int_not_equal(world_find(lab.world, "q.y"), 0);
    BranchId top = wlab_branch(&lab, 14, 0);
    force(&lab, top, WORLD_THEN);
    wlab_consistent(&lab);
    assert_int_not_equal(world_find(lab.world, "p.y"), 0);
    assert_int_equal(world_find(lab.world, "r.y"), 0);
    for (int depth = 0; depth < 5; depth++) { /* each level bears the next */
        uint32_t n = 0;
        while (wlab_branch(&lab, 6, n))
            n++;
        WorldBranch b;
        for (uint32_t i = 0; i < n; i++) {
            BranchId id = wlab_branch(&lab, 6, i);
            world_branch(lab.world, id, &b);
            if (b.choice == WORLD_ELSE)
                force(&lab, id, WORLD_THEN);
        }
    }
    assert_int_not_equal(world_find(lab.world, "p.inner.inner.inner.inner.inner.y"), 0);
    assert_float_equal(wlab_value(&lab, "p.inner.inner.inner.k"), 4, 0);
    force(&lab, top, WORLD_ELSE);
    wlab_consistent(&lab);
    assert_int_equal(world_totals(lab.world).relations, before);
    wlab_close(&lab);
}

/* Decisions taken together: one for a branch inside a branch that goes is skipped. */
static void test_outer_rules(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(branches, NULL);
    BranchId outer = wlab_branch(&lab, 14, 0), inner = wlab_branch(&lab, 6, 0);
    WorldDecision both[] = {{inner, WORLD_THEN}, {outer, WORLD_THEN}};
    assert_true(world_choose(lab.world, 2, both));
    first_mode_settle(lab.mode);
    assert_int_equal(world_find(lab.world, "q.inner.y"), 0);
    assert_int_not_equal(world_find(lab.world, "p.y"), 0);
    assert_int_equal(world_find(lab.world, "p.inner.y"), 0);
    wlab_close(&lab);
}

/* Decisions taken together: what rests with the else branch of a `when` is not decided, though it
 * wakes by a decision before. */
static void test_resting_is_not_decided(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("model M\n"
                             "implementation:\n"
                             "  Boolean no; no << false;\n"
                             "  when no then\n"
                             "  else then\n"
                             "    Real x;\n"
                             "    when no then x = 2; else then x = 1; end when;\n"
                             "    if no then Real y; y = 2*x; end if;\n"
                             "  end when;\n"
                             "end M;\n",
                             NULL);
    BranchId outer = wlab_branch(&lab, 4, 0), inner = wlab_branch(&lab, 7, 0);
    BranchId choice = wlab_branch(&lab, 8, 0);
    assert_true(world_choose(lab.world, 1, &(WorldDecision){outer, WORLD_THEN}));
    world_verify(lab.world);
    WorldDecision all[] = {{outer, WORLD_ELSE}, {inner, WORLD_THEN}, {choice, WORLD_THEN}};
    assert_true(world_choose(lab.world, 3, all));
    world_verify(lab.world);
    WorldBranch b;
    assert_true(world_branch(lab.world, inner, &b) && b.choice == WORLD_ELSE);
    assert_true(world_branch(lab.world, choice, &b) && b.choice == WORLD_NONE && b.newborn);
    first_mode_settle(lab.mode);
    wlab_consistent(&lab);
    wlab_close(&lab);
}

/* ---- moves ---- */

static const char queue[] = "model Car\n"
                            "interface: Real x; dynamic Car next;\n"
                            "implementation:\n"
                            "  Real gap;\n"
                            "  x = random(x = 1) + time;\n"
                            "  if next? then\n"
                            "    gap << next.x - x;\n"
                            "  else then\n"
                            "    gap << 99;\n"
                            "  end if;\n"
                            "end Car;\n"
                            "model Queue\n"
                            "implementation:\n"
                            "  dynamic Car first; dynamic Car buf; Real head; Boolean never;\n"
                            "  when never then\n" /* line 15: push */
                            "    buf <- first;\n"
                            "    first <- Car;\n"
                            "    if first? then first.next <- buf; end if;\n"
                            "  end when;\n"
                            "  when never then\n" /* line 20: pop */
                            "    if first? then buf <- first.next; first <- buf; end if;\n"
                            "\n" /* not in an `if` beside: `first?` would wait for that (U3) */
                            "  end when;\n"
                            "  when never then trash <- first; end when;\n" /* line 24 */
                            "  head << first.x;\n"
                            "  never << false;\n"
                            "end Queue;\n";

static uint32_t queue_length(const WorldLab *lab)
{
    uint32_t n = 0;
    InstId at = world_find_inst(lab->world, "first");
    for (; at; n++) {
        InstId next = 0;
        for (InstId p = world_next_part(lab->world, at, 0); p;
             p = world_next_part(lab->world, at, p)) {
            WorldInst view;
            world_inst(lab->world, p, &view);
            if (!view.is_branch)
                next = p;
        }
        at = next;
    }
    return n;
}

static void test_queue(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(queue, NULL);
    assert_false(
        wlab_has_line(&lab, "head << first.x;")); /* while it is empty, it does not exist */
    wlab_pulse(&lab, 15);
    assert_true(wlab_has_line(&lab, "head << first.x;"));
    DdpVar x = world_find(lab.world, "first.x");
    wlab_pulse(&lab, 15);
    assert_int_equal(queue_length(&lab), 2);
    assert_int_equal(world_find(lab.world, "first.next.x"), x); /* moved, not made anew */
    assert_true(wlab_has_line(&lab, "first.gap << first.next.x - first.x;"));
    assert_true(wlab_has_line(&lab, "first.next.gap << 99;"));
    wlab_consistent(&lab);
    wlab_pulse(&lab, 24);
    assert_int_equal(queue_length(&lab), 0);
    wlab_close(&lab);
}

/* No relation of the moved model is entered or removed: their numbers stay. */
static void test_move_keeps_identity(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("model Thing\n"
                             "interface: Real x;\n"
                             "implementation: Real y; y = 2*x; der(x = x) = y;\n"
                             "end Thing;\n"
                             "model M\n"
                             "implementation:\n"
                             "  dynamic Thing a{}; dynamic Thing b; Boolean go;\n"
                             "  when go then b <- a; end when;\n"
                             "  go << false;\n"
                             "end M;\n",
                             NULL);
    InstId thing = world_find_inst(lab.world, "a");
    DdpVar x = world_find(lab.world, "a.x");
    DdpTotals before = ddp_totals(lab.ddp);
    BranchId when = wlab_branch(&lab, 8, 0);
    world_choose(lab.world, 1, &(WorldDecision){when, WORLD_THEN});
    DdpResult r = ddp_commit(lab.ddp, DDP_SO_FAR);
    assert_int_equal(r.visited, 0);
    assert_int_equal(r.changed, 0);
    assert_int_equal(ddp_totals(lab.ddp).rels, before.rels);
    assert_int_equal(world_find_inst(lab.world, "a"), 0);
    assert_int_equal(world_find_inst(lab.world, "b"), thing);
    assert_int_equal(world_find(lab.world, "b.x"), x);
    wlab_close(&lab);
}

static void test_own_part(void **state)
{
    (void)state;
    WorldLab lab = wlab_open_any("model L\n"
                                 "interface: dynamic L next;\n"
                                 "end L;\n"
                                 "model M\n"
                                 "implementation:\n"
                                 "  dynamic L first{};\n"
                                 "  if true then first.next <- first; end if;\n"
                                 "end M;\n",
                                 NULL);
    assert_string_equal(wlab_first_error(&lab),
                        "7:27: 'first' cannot be moved into a part of itself");
    wlab_close(&lab);
}

/* A chain of 100,000 nested dynamic members, built at its front, goes at once. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 100 * 1000 };
    WorldLab lab = wlab_open("model Link\n"
                             "interface: dynamic Link next; Real x;\n"
                             "implementation: x = time;\n"
                             "end Link;\n"
                             "model Chain\n"
                             "implementation:\n"
                             "  dynamic Link first; dynamic Link fresh; Boolean go;\n"
                             "  when go then\n" /* line 8 */
                             "    fresh <- Link;\n"
                             "    fresh.next <- first;\n"
                             "    first <- fresh;\n"
                             "  end when;\n"
                             "  go << false;\n"
                             "end Chain;\n",
                             NULL);
    BranchId when = wlab_branch(&lab, 8, 0);
    for (int i = 0; i < LENGTH; i++) {
        world_choose(lab.world, 1, &(WorldDecision){when, WORLD_THEN});
        world_choose(lab.world, 1, &(WorldDecision){when, WORLD_ELSE});
        world_changes_clear(lab.world);
    }
    assert_true(world_ok(lab.world));
    assert_int_equal(world_totals(lab.world).instances, LENGTH + 1);
    ddp_commit(lab.ddp, DDP_SO_FAR);
    char path[400];
    world_inst_path(lab.world, world_find_inst(lab.world, "first.next.next"), path, sizeof path);
    assert_string_equal(path, "first.next.next");
    wlab_close(&lab);
}

/* ---- copies and aliases ---- */

static const char copies[] = "model Leaf\n"
                             "interface: parameter Real k; Real v;\n"
                             "implementation: if initial() then v << k; end if;\n"
                             "end Leaf;\n"
                             "model Tree\n"
                             "interface: parameter Real p; Leaf a{k << p}; Leaf b{k << p + 1};\n"
                             "  alias Leaf best; alias Leaf far; dynamic Leaf extra{k << 7};\n"
                             "implementation:\n"
                             "  Real w;\n"
                             "  w << best.v;\n"
                             "end Tree;\n"
                             "model M\n"
                             "implementation:\n"
                             "  Leaf outside{k << 100};\n"
                             "  Tree t{p << 3}; dynamic Tree c; Boolean go; alias Tree look;\n"
                             "  t.best << t.b;\n"
                             "  t.far << outside;\n"
                             "  when go then c << t; look << c; end when;\n" /* line 18 */
                             "  when go then trash <- c; end when;\n"        /* line 19 */
                             "  go << false;\n"
                             "end M;\n";

static void test_copy(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(copies, NULL);
    assert_true(wlab_has_line(&lab, "t.w << t.b.v;"));
    wlab_pulse(&lab, 18);
    assert_float_equal(wlab_value(&lab, "c.p"), 3, 0);
    assert_float_equal(wlab_value(&lab, "c.b.k"), 4, 0);
    assert_float_equal(wlab_value(&lab, "c.extra.k"), 7, 0);
    assert_float_equal(wlab_value(&lab, "c.b.v"), 4, 0);
    /* inside stays inside, outside stays outside */
    assert_int_equal(world_find_inst(lab.world, "c.best"), world_find_inst(lab.world, "c.b"));
    assert_int_equal(world_find_inst(lab.world, "c.far"), world_find_inst(lab.world, "outside"));
    assert_true(wlab_has_line(&lab, "c.w << c.b.v;"));
    assert_int_equal(world_find_inst(lab.world, "look"), world_find_inst(lab.world, "c"));
    wlab_consistent(&lab);
    wlab_pulse(&lab, 19);
    assert_int_equal(world_find_inst(lab.world, "look"),
                     0); /* an alias lives as long as its target */
    wlab_pulse(&lab, 18);
    wlab_pulse(&lab, 18); /* onto an occupied member: the old copy goes */
    assert_int_equal(world_find_inst(lab.world, "c.best"), world_find_inst(lab.world, "c.b"));
    wlab_close(&lab);
}

/* ---- connections to what comes and goes ---- */

static const char plugs[] =
    MECHANICS "model Motor\n"
              "interface: Flange f;\n"
              "implementation: f.t = 1;\n"
              "end Motor;\n"
              "model M\n"
              "implementation:\n"
              "  Flange shaft; Motor base; dynamic Motor m{}; dynamic Motor n;\n"
              "  Boolean go;\n"
              "  connection{a << shaft, b << base.f};\n"
              "  connection{a << shaft, b << m.f};\n"
              "  shaft.phi = time;\n"
              "  when go then n <- m; end when;\n"     /* line 15 */
              "  when go then trash <- n; end when;\n" /* line 16 */
              "  go << false;\n"
              "end M;\n";

static void test_connection_to_dynamic(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(plugs, NULL);
    assert_true(wlab_has_line(&lab, "shaft.t + base.f.t + m.f.t = 0;"));
    wlab_pulse(&lab, 15);
    assert_true(wlab_has_line(&lab, "shaft.t + base.f.t + n.f.t = 0;")); /* survives the move */
    assert_true(wlab_has_line(&lab, "shaft.phi = n.f.phi;"));
    wlab_pulse(&lab, 16);
    assert_true(wlab_has_line(&lab, "shaft.t + base.f.t = 0;")); /* dies with the instance */
    wlab_consistent(&lab);
    wlab_close(&lab);
}

/* ---- random scripts ---- */

static void test_random_script(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(queue, NULL);
    uint32_t seed = 12345, expected = 0;
    for (int i = 0; i < 400; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t what = seed >> 28;
        if (what < 9) {
            wlab_pulse(&lab, 15);
            expected++;
        } else if (what < 15) {
            wlab_pulse(&lab, 20);
            expected -= expected > 1; /* the last one: there is nothing to move up */
        } else if (what == 15 && i % 7 == 0) {
            wlab_pulse(&lab, 24);
            expected = 0;
        }
        assert_int_equal(queue_length(&lab), expected);
        wlab_consistent(&lab);
    }
    assert_true(world_ok(lab.world));
    wlab_close(&lab);
}

/* What comes and goes forever must not pile up anywhere. */
static void test_memory_stays_flat(void **state)
{
    (void)state;
    WorldLab lab = wlab_open(queue, NULL);
    size_t before = 0;
    for (int i = 0; i < 3000; i++) {
        wlab_pulse(&lab, 15);
        wlab_pulse(&lab, 15);
        wlab_pulse(&lab, 24);
        world_changes_clear(lab.world);
        if (i == 1000)
            before = mem_used(lab.mem);
    }
    assert_int_equal(mem_used(lab.mem), before);
    wlab_close(&lab);
}

/* ---- depth ---- */

/* Models in branches of models, 50,000 deep: created level by level, removed at once. */
static void test_deep_branches(void **state)
{
    (void)state;
    enum { LEVELS = 50 * 1000 };
    static const char text[] = "model M\n"
                               "implementation:\n"
                               "  Real x; x = 1;\n"
                               "  if x > 2 then M inner; end if;\n"
                               "end M;\n";
    WorldLab lab = {.mem = mem_open()};
    lab.program = program_open(lab.mem, NULL);
    assert_true(program_load_text(lab.program, "test.sol", text, strlen(text)));
    lab.mode = first_mode_open(lab.mem, lab.program, &(WorldLimits){.depth = 3 * LEVELS});
    lab.world = first_mode_world(lab.mode);
    lab.ddp = first_mode_ddp(lab.mode);
    assert_true(world_create(lab.world, program_find(lab.program, NULL)));
    for (int i = 0; i < LEVELS; i++) {
        uint32_t n;
        const BranchId *newborn = world_newborn(lab.world, &n);
        assert_int_equal(n, 1);
        assert_true(world_choose(lab.world, 1, &(WorldDecision){newborn[0], WORLD_THEN}));
    }
    assert_int_equal(world_totals(lab.world).instances, 2 * LEVELS + 1);
    wlab_close(&lab);
}

/* ---- roles ---- */

static void test_roles(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("model M\n"
                             "implementation:\n"
                             "  Real x; Real v; Boolean tick; Real count;\n"
                             "  v = der(x = x, start << 4);\n"
                             "  v = -x;\n"
                             "  tick << Sample(interval = 0.5);\n"
                             "  when tick then count << pre(count) + 1; end when;\n" /* line 7 */
                             "  cout << x + v;\n"
                             "end M;\n",
                             NULL);
    uint32_t n, seen[16] = {0};
    const WorldChange *list = world_changes(lab.world, &n);
    for (uint32_t i = 0; i < n; i++) {
        seen[list[i].role] += list[i].born;
        if (list[i].role == WORLD_SAMPLE)
            assert_float_equal(list[i].value, 0.5, 0);
        if (list[i].role == WORLD_START) {
            double start;
            assert_int_equal(list[i].c, world_find(lab.world, "x"));
            assert_true(first_mode_value(lab.mode, list[i].b, &start));
            assert_float_equal(start, 4, 0);
        }
    }
    assert_int_equal(seen[WORLD_START], 1);
    assert_int_equal(seen[WORLD_SAMPLE], 1);
    assert_int_equal(seen[WORLD_COUT], 1);
    assert_int_equal(seen[WORLD_BRANCH], 1);
    assert_int_equal(seen[WORLD_PRE], 0);
    world_changes_clear(lab.world);
    BranchId when = wlab_branch(&lab, 7, 0);
    world_choose(lab.world, 1, &(WorldDecision){when, WORLD_THEN});
    list = world_changes(lab.world, &n);
    assert_int_equal(n, 1);
    assert_int_equal(list[0].role, WORLD_PRE);
    assert_int_equal(list[0].b, world_find(lab.world, "count"));
    wlab_close(&lab);
}

/* --set: parameters, and start values of variables whose derivative is taken. */
static void test_override(void **state)
{
    (void)state;
    static const char text[] = "model P\n"
                               "interface: parameter Real k; Real x; Real v;\n"
                               "implementation: v = der(x = x, start << k); v = -x;\n"
                               "end P;\n"
                               "model M\n"
                               "implementation: P p{k << 1}; P q{k << 2}; Real y;\n"
                               "  der(x = y) = 1;\n"
                               "end M;\n";
    WorldLab lab = {.mem = mem_open()};
    lab.program = program_open(lab.mem, NULL);
    assert_true(program_load_text(lab.program, "test.sol", text, strlen(text)));
    lab.mode = first_mode_open(lab.mem, lab.program, NULL);
    lab.world = first_mode_world(lab.mode);
    lab.ddp = first_mode_ddp(lab.mode);
    world_override(lab.world, "p.k", TYPE_REAL, 10);
    world_override(lab.world, "q.x", TYPE_REAL, 20);
    world_override(lab.world, "y", TYPE_REAL, 30);
    world_override(lab.world, "q.nothing", TYPE_REAL, 40);
    assert_true(first_mode_run(lab.mode, program_find(lab.program, NULL)));
    assert_float_equal(wlab_value(&lab, "p.k"), 10, 0);
    assert_float_equal(wlab_value(&lab, "p.x"), 10, 0);
    assert_float_equal(wlab_value(&lab, "q.k"), 2, 0);
    assert_float_equal(wlab_value(&lab, "q.x"), 20, 0);
    assert_float_equal(wlab_value(&lab, "y"), 30, 0);
    assert_string_equal(world_override_unused(lab.world, 0), "q.nothing");
    assert_null(world_override_unused(lab.world, 1));
    wlab_close(&lab);
}

static void test_names(void **state)
{
    (void)state;
    WorldLab lab = wlab_open("model P\n"
                             "interface: in Real u; out Real y;\n"
                             "implementation: y = 2*u;\n"
                             "end P;\n"
                             "model M\n"
                             "implementation:\n"
                             "  Real a; Real b;\n"
                             "  a = P(u = time) + P(u = 3);\n"
                             "  b = a + der(x = a);\n"
                             "end M;\n",
                             NULL);
    char text[200];
    assert_true(wlab_has_line(&lab, "a = P#1.y + P#2.y;"));
    assert_true(wlab_has_line(&lab, "P#2.u = 3;"));
    assert_true(wlab_has_line(&lab, "b = a + der(a);"));
    DdpVar a = world_find(lab.world, "a");
    world_var_path(lab.world, a, text, sizeof text);
    assert_string_equal(text, "a");
    world_var_path(lab.world, a, text, 2); /* cut, and terminated */
    assert_string_equal(text, "a");
    WorldVar view;
    assert_true(world_var(lab.world, a, &view));
    assert_int_equal(source_locate(program_sources(lab.program), view.at).line, 7);
    assert_false(world_var(lab.world, 0, &view));
    wlab_close(&lab);
}

static void test_limits(void **state)
{
    (void)state;
    WorldLab lab = wlab_open_any("model M\n"
                                 "implementation:\n"
                                 "  Real x; x = 1;\n"
                                 "  if true then M inner; end if;\n"
                                 "end M;\n",
                                 NULL);
    assert_string_equal(wlab_first_error(&lab), "1:7: instances nested deeper than 4000: does a "
                                                "model declare itself without end?");
    wlab_close(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_as_in_5_5_4),
        cmocka_unit_test(test_composite),
        cmocka_unit_test(test_connector_of_connectors),
        cmocka_unit_test(test_partly_common_names),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_branches_come_and_go),
        cmocka_unit_test(test_outer_rules),
        cmocka_unit_test(test_resting_is_not_decided),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_move_keeps_identity),
        cmocka_unit_test(test_own_part),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_connection_to_dynamic),
        cmocka_unit_test(test_random_script),
        cmocka_unit_test(test_memory_stays_flat),
        cmocka_unit_test(test_deep_branches),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
