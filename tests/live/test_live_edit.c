/* test_live_edit.c: edits of a running model -> verdicts, what they leave behind, and trajectories that are those of
 * the text they amount to. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/saved_bytes.h"
#include "runtime/solstice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lab {
    SolModel *model;
    Sol *sim;
} Lab;

static Lab open_lab(const char *text, double rtol)
{
    Lab lab = {.model = sol_load(&(SolLoad){.path = "lab", .text = text, .length = strlen(text)})};
    lab.sim = sol_create(
        lab.model, NULL,
        &(SolOptions){.stop = 1, .rtol = rtol, .editable = true, .engine = SOL_ENGINE_INTERP});
    if (!lab.sim || sol_init(lab.sim) != SOL_OK) {
        sol_print_messages(lab.model, 0, stderr, false);
        fail();
    }
    return lab;
}

static void close_lab(Lab *lab)
{
    sol_close(lab->sim);
    sol_unload(lab->model);
}

static SolEdited edit(Lab *lab, SolEdit wanted)
{
    SolEdited edited;
    assert_int_equal(sol_edit(lab->sim, 1, &wanted, &edited), SOL_OK);
    return edited;
}

static SolEdited add(Lab *lab, const char *text)
{
    return edit(lab, (SolEdit){.kind = SOL_ADD, .text = text});
}

static SolEdited take_away(Lab *lab, const char *what)
{
    return edit(lab, (SolEdit){.kind = SOL_REMOVE, .what = what});
}

/* The first message about the edit, or "". */
static const char *words(Lab *lab, const SolEdited *edited)
{
    SolMessage m;
    return sol_message(lab->model, edited->message, &m) ? m.text : "";
}

static void expect(Lab *lab, SolEdited edited, SolVerdict verdict, const char *said)
{
    if (edited.verdict != verdict || !strstr(words(lab, &edited), said))
        sol_print_messages(lab->model, edited.message, stderr, false);
    assert_int_equal(edited.verdict, verdict);
    if (!strstr(words(lab, &edited), said))
        fail_msg("'%s' does not say '%s'", words(lab, &edited), said);
}

static double value(Lab *lab, const char *path)
{
    double x;
    SolVar var = sol_find(lab->sim, path);
    if (!var)
        fail_msg("there is no %s", path);
    assert_int_equal(sol_read(lab->sim, var, &x), SOL_OK);
    return x;
}

static void run_to(Lab *lab, double time)
{
    if (sol_run_to(lab->sim, time) != SOL_OK) {
        sol_print_messages(lab->model, 0, stderr, false);
        fail();
    }
}

/* ---- bytes ---- */

static bool get(void *context, void *bytes, size_t n)
{
    Bytes *b = context;
    if (b->n - b->read < n)
        return false;
    memcpy(bytes, b->at + b->read, n);
    b->read += n;
    return true;
}

static Bytes save(Sol *sim)
{
    Bytes b = {0};
    assert_int_equal(sol_save(sim, put, &b), SOL_OK);
    return b;
}

static void same_bytes(Bytes a, Bytes b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    free(a.at);
    free(b.at);
}

/* ---- verdicts ---- */

static const char empty[] = "model Empty implementation: end Empty;";

static void equations_one_by_one(void **state)
{
    (void)state;
    Lab lab = open_lab(empty, 1e-8);
    expect(&lab, add(&lab, "Real x"), SOL_INCOMPLETE, "nothing determines 'x'");
    assert_false(sol_is_complete(lab.sim));
    assert_int_equal(sol_run_to(lab.sim, 1), SOL_USAGE);
    SolEdited done = add(&lab, "der(x = x, start << 1) = -x");
    expect(&lab, done, SOL_ACCEPTED, "");
    assert_int_equal(done.edit, 2);
    assert_int_equal(done.entered, 2);
    run_to(&lab, 1);
    assert_true(fabs(value(&lab, "x") - exp(-1)) < 1e-6);
    close_lab(&lab);
}

/* Every wrong step is told at that step, and leaves the bytes of before. */
static void wrong_steps_leave_no_trace(void **state)
{
    (void)state;
    static const char text[] = "model M implementation:\n"
                               "  static Real x; static Real y; static Real z; static Boolean b;\n"
                               "  der(x = x, start << 1) = -x + floor(3*time);\n"
                               "  y = 2*x; z + sin(z) = y;\n"
                               "  when x < 0.7 then b << true; end;\n"
                               "  if x > 0.5 then static Real w; w = x; end;\n"
                               "end M;\n";
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"x = 3", "too many equations"},
        {"y = 2", "too many equations"},
        {"y = x + 1", "too many equations"},
        {"b << true", "second transmission"},
        {"x << 1", "not held"},
        {"Real y", "already declared"},
        {"y = ", "expected"},
        {"Real b2 = x", "expected"},
    };
    Lab lab = open_lab(text, 1e-6);
    run_to(&lab, 0.4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        add(&lab, wrong[i].text); /* its names are known from now on */
        Bytes before = save(lab.sim);
        SolEdited edited = add(&lab, wrong[i].text);
        if (edited.verdict != SOL_REFUSED)
            fail_msg("'%s' was not refused", wrong[i].text);
        same_bytes(before, save(lab.sim));
    }
    run_to(&lab, 0.8);
    close_lab(&lab);
}

static void numerics_are_tried(void **state)
{
    (void)state;
    Lab lab = open_lab("model M implementation: static Real x; x = 1 + time; end M;", 1e-6);
    Bytes before = save(lab.sim);
    expect(&lab, add(&lab, "Real x1; x1 = sqrt(-x)"), SOL_REFUSED, "x1 has no value");
    expect(&lab, add(&lab, "Real x1; Real x2; x1 + x2 = x; 2*x1 + 2*x2 = 2*x + 1"), SOL_REFUSED,
           "");
    expect(&lab, add(&lab, "Real x1; x1*x1 + 1 = -x"), SOL_REFUSED, "");
    expect(&lab, add(&lab, "Real x1; x1 = 2*x"), SOL_ACCEPTED, "");
    free(before.at);
    close_lab(&lab);
}

/* ---- the rectifier ---- */

static const char *const rectifier[] = {
    "Real us",
    "us = sin(314.159265358979*time)",
    "Real i",
    "Real uL",
    "uL = 0.2*der(x = i)",
    "Real uR",
    "uR = 10*i",
    "Real ud",
    "Boolean off; when i < 0 then off << true; else when ud > 0 then off << false; end",
    "if off then i = 0; else then ud = 0; end",
    "Real uC",
    "us = uL + uR + ud + uC",
    "Real iC",
    "iC = 0.001*der(x = uC, start << 0)",
    "i = iC + uC/50",
};
enum { EQUATIONS = sizeof rectifier / sizeof *rectifier };

static uint32_t n_events;
static double times[2][200];

static void count_event(void *context, const SolEvent *event)
{
    if (event->structural && n_events < 200)
        ((double *)context)[n_events++] = event->time;
}

static void rectifier_typed(void **state)
{
    (void)state;
    char text[2000] = "model Rectifier implementation:\n";
    for (size_t i = 0; i < EQUATIONS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  %s;\n", rectifier[i]);
    strcat(text, "end Rectifier;\n");
    Lab file = open_lab(text, 1e-11), typed = open_lab(empty, 1e-11);
    for (size_t i = 0; i < EQUATIONS; i++) {
        SolEdited edited = add(&typed, rectifier[i]);
        if (edited.verdict == SOL_REFUSED)
            fail_msg("'%s': %s", rectifier[i], words(&typed, &edited));
        assert_int_equal(edited.verdict == SOL_ACCEPTED, sol_is_complete(typed.sim));
        if (i == 6)
            expect(&typed, add(&typed, "us = 3"), SOL_REFUSED, "too many equations");
    }
    assert_true(sol_is_complete(typed.sim));
    expect(&typed, add(&typed, "i = 1"), SOL_REFUSED, "too many equations");
    n_events = 0;
    sol_set_event(file.sim, count_event, times[0]);
    run_to(&file, 0.1);
    uint32_t events = n_events;
    n_events = 0;
    sol_set_event(typed.sim, count_event, times[1]);
    run_to(&typed, 0.1);
    for (uint32_t i = 0; i < 12 && events != n_events; i++)
        print_message("%.12g %.12g\n", times[0][i], times[1][i]);
    assert_int_equal(events, n_events);
    assert_true(events >= 9);
    for (uint32_t i = 0; i < events; i++)
        assert_true(fabs(times[0][i] - times[1][i]) < 1e-9);
    static const char *const vars[] = {"us", "i", "uL", "uR", "ud", "uC", "iC", "off"};
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++)
        if (!(fabs(value(&file, vars[i]) - value(&typed, vars[i])) < 1e-9))
            fail_msg("%s: %.15g, %.15g", vars[i], value(&file, vars[i]), value(&typed, vars[i]));
    SolStats a, b;
    sol_stats(file.sim, &a);
    sol_stats(typed.sim, &b);
    assert_int_equal(a.states, b.states);
    assert_int_equal(a.relations, b.relations);
    assert_int_equal(a.variables, b.variables);
    close_lab(&file);
    close_lab(&typed);
}

/* ---- components ---- */

static const char circuit[] =
    "connector Pin interface: static potential Real u; static flow Real i; end Pin;\n"
    "partial model Two interface: static Pin p; static Pin n; static Real u; static Real i;\n"
    "implementation: u = p.u - n.u; i = p.i; p.i + n.i = 0; end Two;\n"
    "model R extends Two; interface: parameter Real R << 1; implementation: u = R*i; end R;\n"
    "model C extends Two; interface: parameter Real C << 1;\n"
    "implementation: i = C*der(x = u, start << 0); end C;\n"
    "model L extends Two; interface: parameter Real L << 1;\n"
    "implementation: u = L*der(x = i, start << 0); end L;\n"
    "model V extends Two; interface: parameter Real U << 1; implementation: u = U; end V;\n"
    "model G interface: static Pin p; implementation: p.u = 0; end G;\n"
    "model Circuit\n"
    "interface: static V v{U << 2}; static R r{R << 3}; static C c{C << 0.1};\n"
    "implementation: static G g;\n"
    "  connection{a << v.p, b << r.p}; connection{a << r.n, b << c.p};\n"
    "  connection{a << v.n, b << g.p}; connection{a << c.n, b << g.p};\n"
    "end Circuit;\n";

static void grounds_and_sources(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    assert_int_equal(add(&lab, "G g2; connection{a << g2.p, b << g.p}").verdict, SOL_REFUSED);
    expect(
        &lab,
        add(&lab, "V v2{U << 1}; connection{a << v2.p, b << v.p}; connection{a << v2.n, b << v.n}"),
        SOL_REFUSED, "contradict each other");
    expect(&lab, add(&lab, "R r2{R << 1}; connection{a << r2.p, b << c.p}"), SOL_INCOMPLETE,
           "not connected");
    expect(&lab, add(&lab, "connection{a << r2.n, b << g.p}"), SOL_ACCEPTED, "");
    double c = value(&lab, "c.u");
    assert_true(fabs(value(&lab, "r2.i") - c) < 1e-12);
    run_to(&lab, 0.2);
    expect(&lab, take_away(&lab, "r2"), SOL_ACCEPTED, "");
    assert_int_equal(sol_find(lab.sim, "r2.i"), 0);
    expect(&lab, take_away(&lab, "r"), SOL_INCOMPLETE, "not connected");
    SolEdited edited;
    assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
    assert_int_equal(edited.verdict, SOL_ACCEPTED);
    run_to(&lab, 0.3);
    close_lab(&lab);
}

/* What is exactly singular is told, and accepted: an equation that agrees, a circuit without ground. */
static void redundant_but_right(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    double u = value(&lab, "c.u");
    SolEdited edited = add(&lab, "2*r.u = 2*r.p.u - 2*r.n.u");
    expect(&lab, edited, SOL_ACCEPTED, "it is set aside");
    expect(&lab, take_away(&lab, "g"), SOL_INCOMPLETE, "not connected");
    expect(&lab, add(&lab, "connection{a << v.n, b << c.n}"), SOL_ACCEPTED, "has no ground");
    assert_true(fabs(value(&lab, "c.u") - u) < 1e-12);
    run_to(&lab, 0.4);
    assert_true(fabs(value(&lab, "c.u") - 2 * (1 - exp(-0.4 / 0.3))) < 1e-6);
    close_lab(&lab);
}

static void replacing_keeps_connections_and_states(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.2);
    double u = value(&lab, "c.u");
    expect(&lab, edit(&lab, (SolEdit){.kind = SOL_REPLACE, .what = "c", .text = "C{C << 0.3}"}),
           SOL_ACCEPTED, "");
    assert_true(value(&lab, "c.u") == u);
    assert_true(value(&lab, "c.C") == 0.3);
    double now = sol_time(lab.sim), want = 2 + (u - 2) * exp(-0.3 / (3 * 0.3));
    run_to(&lab, now + 0.3);
    assert_true(fabs(value(&lab, "c.u") - want) < 1e-6);
    expect(&lab, edit(&lab, (SolEdit){.kind = SOL_REPLACE, .what = "c", .text = "R{R << 1}"}),
           SOL_ACCEPTED, "");
    assert_true(fabs(value(&lab, "r.i") - 0.5) < 1e-12);
    SolEdited edited;
    assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
    assert_int_equal(edited.verdict, SOL_ACCEPTED);
    assert_true(fabs(value(&lab, "c.u") - want) < 1e-6);
    expect(&lab, edit(&lab, (SolEdit){.kind = SOL_REPLACE, .what = "c", .text = "Pin"}),
           SOL_REFUSED, "no member");
    close_lab(&lab);
}

static void edits_inside_a_component(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    SolEdit heat = {.kind = SOL_ADD, .scope = "r", .text = "Real heat; heat = R*i*i"};
    expect(&lab, edit(&lab, heat), SOL_ACCEPTED, "");
    double i = value(&lab, "r.i");
    assert_true(fabs(value(&lab, "r.heat") - 3 * i * i) < 1e-12);
    SolEdit half = {.kind = SOL_REMOVE, .scope = "r", .what = "#9"};
    SolEdited edited = edit(&lab, half); /* u = R*i, or what stands there */
    assert_int_not_equal(edited.verdict, SOL_REFUSED);
    assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
    run_to(&lab, 0.2);
    assert_true(value(&lab, "r.heat") > 0);
    close_lab(&lab);
}

static void setting(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    SolEdit set = {.kind = SOL_ASSIGN, .what = "c.u", .text = "1.5"};
    expect(&lab, edit(&lab, set), SOL_ACCEPTED, "");
    assert_true(value(&lab, "c.u") == 1.5 && fabs(value(&lab, "r.i") - 0.5 / 3) < 1e-12);
    set = (SolEdit){.kind = SOL_ASSIGN, .what = "r.i", .text = "1"};
    expect(&lab, edit(&lab, set), SOL_REFUSED, "equations determine it");
    set = (SolEdit){.kind = SOL_ASSIGN, .what = "r.R", .text = "6"};
    expect(&lab, edit(&lab, set), SOL_ACCEPTED, "");
    assert_true(fabs(value(&lab, "r.i") - 0.5 / 6) < 1e-12);
    set = (SolEdit){.kind = SOL_ASSIGN, .what = "none", .text = "6"};
    expect(&lab, edit(&lab, set), SOL_REFUSED, "no variable");
    close_lab(&lab);
}

/* ---- undo, back, fork, checkpoints ---- */

static void undo_of_all_is_where_it_began(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    static const char *const texts[] = {
        "Real x; x = c.u*2", "R r2{R << 2}; connection{a << r2.p, b << c.p}",
        "connection{a << r2.n, b << g.p}", "Real y; der(x = y) = x"};
    for (int i = 0; i < 4; i++) /* names are known from now on */
        add(&lab, texts[i]);
    SolEdited edited;
    for (int i = 0; i < 4; i++)
        sol_undo(lab.sim, &edited);
    Bytes before = save(lab.sim);
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(add(&lab, texts[i]).verdict, SOL_REFUSED);
    take_away(&lab, "r2");
    edit(&lab, (SolEdit){.kind = SOL_ASSIGN, .what = "c.u", .text = "1"});
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
        assert_int_not_equal(edited.verdict, SOL_REFUSED);
    }
    same_bytes(before, save(lab.sim));
    for (int i = 0; i < 6; i++)
        assert_int_equal(sol_redo(lab.sim, &edited), SOL_OK);
    assert_true(value(&lab, "c.u") == 1 && value(&lab, "x") == 2);
    assert_int_equal(sol_find(lab.sim, "r2.i"), 0);
    close_lab(&lab);
}

static void what_returns_has_its_last_values(void **state)
{
    (void)state;
    Lab lab = open_lab(empty, 1e-8);
    add(&lab, "Real x; der(x = x, start << 0) = 1");
    add(&lab, "Real y; der(x = y, start << 5) = -y");
    run_to(&lab, 0.5);
    double y = value(&lab, "y");
    SolEdited edited;
    sol_undo(lab.sim, &edited);
    assert_int_equal(sol_find(lab.sim, "y"), 0);
    run_to(&lab, 1);
    sol_redo(lab.sim, &edited);
    assert_int_equal(edited.verdict, SOL_ACCEPTED);
    assert_true(value(&lab, "y") == y);
    assert_true(fabs(value(&lab, "x") - 1) < 1e-9);
    close_lab(&lab);
}

static void forks_and_checkpoints_go_on_alike(void **state)
{
    (void)state;
    Lab lab = open_lab(circuit, 1e-8);
    run_to(&lab, 0.1);
    add(&lab, "Real x; x = c.u*2; when x > 0.5 then cout << x; end");
    take_away(&lab, "#6");
    add(&lab, "L l{L << 0.5}; connection{a << r.n, b << l.p}; connection{a << l.n, b << c.p}");
    Sol *twin = sol_fork(lab.sim);
    assert_non_null(twin);
    Bytes point = save(lab.sim);
    Lab other = {
        .model = sol_load(&(SolLoad){.path = "lab", .text = circuit, .length = strlen(circuit)})};
    other.sim = sol_create(
        other.model, NULL,
        &(SolOptions){.stop = 1, .rtol = 1e-8, .editable = true, .engine = SOL_ENGINE_INTERP});
    SolStatus status = sol_restore(other.sim, get, &point);
    if (status != SOL_OK)
        sol_print_messages(other.model, 0, stderr, false);
    assert_int_equal(status, SOL_OK);
    run_to(&lab, 0.5);
    run_to(&other, 0.5);
    assert_int_equal(sol_run_to(twin, 0.5), SOL_OK);
    static const char *const vars[] = {"x", "c.u", "l.i", "r.u"};
    for (int i = 0; i < 4; i++) {
        double a = value(&lab, vars[i]), b;
        assert_true(a == value(&other, vars[i]));
        assert_int_equal(sol_read(twin, sol_find(twin, vars[i]), &b), SOL_OK);
        assert_true(a == b);
    }
    point.read = 0;
    assert_int_equal(sol_back(lab.sim, get, &point), SOL_OK);
    assert_true(sol_time(lab.sim) == 0.1);
    run_to(&lab, 0.5);
    assert_true(value(&lab, "x") == value(&other, "x"));
    free(point.at);
    sol_close(twin);
    close_lab(&lab);
    close_lab(&other);
}

static void foreign_functions_are_out_of_reach(void **state)
{
    (void)state;
    Lab lab = open_lab("model F external \"libm.so.6\" \"cos\";\n"
                       "interface: in Real x; out Real y; end F;\n"
                       "model M implementation: static Real x; x = time; end M;",
                       1e-6);
    expect(&lab, add(&lab, "Real y; y = F(x = x)"), SOL_REFUSED, "edits may not");
    expect(&lab, add(&lab, "F f; f.x = x"), SOL_REFUSED, "edits may not");
    expect(&lab, add(&lab, "Real y; y = table(x = x, file = \"/etc/passwd\", column = 1)"),
           SOL_REFUSED, "edits may not");
    close_lab(&lab);
}

/* x' = v: v is 1, then held and set to 3 at time 2, then 2*time. */
static void kinds_change(void **state)
{
    (void)state;
    Lab lab = open_lab(
        "model M implementation: Real v; Real x; v = 1; v = der(x = x, start << 0); end M;", 1e-10);
    SolEdited edited;
    const SolEdit held[] = {{.kind = SOL_REMOVE, .what = "#3"},
                            {.kind = SOL_ADD, .text = "when time > 2 then v << 3; end"}};
    assert_int_equal(sol_run_to(lab.sim, 1), SOL_OK);
    assert_int_equal(sol_edit(lab.sim, 2, held, &edited), SOL_OK);
    expect(&lab, edited, SOL_ACCEPTED, "");
    assert_true(value(&lab, "v") == 1);
    expect(&lab, add(&lab, "v = sin(time)"), SOL_REFUSED, "too many equations");
    assert_int_equal(sol_run_to(lab.sim, 3), SOL_OK);
    assert_true(fabs(value(&lab, "x") - 5) < 1e-8);
    expect(&lab, take_away(&lab, "+1"), SOL_INCOMPLETE, "too few equations");
    expect(&lab, add(&lab, "v = 2*time"), SOL_ACCEPTED, "");
    assert_int_equal(sol_run_to(lab.sim, 4), SOL_OK);
    assert_true(fabs(value(&lab, "x") - 12) < 1e-7);
    for (int i = 0; i < 3;
         i++) /* the equation out, the `when` in again, both of the first edit back */
        assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
    expect(&lab, edited, SOL_ACCEPTED, "");
    assert_int_equal(sol_run_to(lab.sim, 5), SOL_OK);
    assert_true(fabs(value(&lab, "x") - 13) < 1e-7);
    close_lab(&lab);
}

/* Of one component among others, from the text around it; and what is born later is as the text says by then. */
static void kinds_inside(void **state)
{
    (void)state;
    Lab lab = open_lab(
        "model R interface: static Real k; static Real y; implementation: y = 2*k; end R;\n"
        "model M implementation: static R a; static R b; a.k = 2; b.k = 3;\n"
        "  if time < 2 then Real q; Real w; when time > 9 then q << 1; end; w = q; end; end M;",
        1e-8);
    SolEdited edited;
    const SolEdit held[] = {{.kind = SOL_REMOVE, .what = "#3"},
                            {.kind = SOL_ADD, .text = "when time > 1 then a.k << 5; end"}};
    assert_int_equal(sol_edit(lab.sim, 2, held, &edited), SOL_OK);
    expect(&lab, edited, SOL_ACCEPTED, "");
    assert_int_equal(sol_run_to(lab.sim, 1.5), SOL_OK);
    assert_true(value(&lab, "a.y") == 10);
    assert_true(value(&lab, "b.y") == 6);
    expect(&lab, take_away(&lab, "a"), SOL_REFUSED, "names it");
    expect(&lab, take_away(&lab, "#5.then.3"), SOL_INCOMPLETE,
           "too few equations: 1 for 2 variables");
    assert_int_equal(sol_undo(lab.sim, &edited), SOL_OK);
    expect(&lab, edited, SOL_ACCEPTED, "");
    close_lab(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_one_by_one),
        cmocka_unit_test(wrong_steps_leave_no_trace),
        cmocka_unit_test(numerics_are_tried),
        cmocka_unit_test(rectifier_typed),
        cmocka_unit_test(grounds_and_sources),
        cmocka_unit_test(redundant_but_right),
        cmocka_unit_test(replacing_keeps_connections_and_states),
        cmocka_unit_test(edits_inside_a_component),
        cmocka_unit_test(kinds_change),
        cmocka_unit_test(kinds_inside),
        cmocka_unit_test(setting),
        cmocka_unit_test(undo_of_all_is_where_it_began),
        cmocka_unit_test(what_returns_has_its_last_values),
        cmocka_unit_test(forks_and_checkpoints_go_on_alike),
        cmocka_unit_test(foreign_functions_are_out_of_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
