/* test_stdlib_signals.c: examples of Blocks, Thermal, Graphics, Machine, Population and Traffic ->
 * closed forms and what must be conserved. */
#include "tests/support/slow.h"
#include "tests/support/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static const double pi = 3.141592653589793;

static void responses(void **state)
{
    (void)state;
    Trial *t = trial_start("Blocks.Examples.Responses", 2, 1e-10, NULL, NULL);
    for (double x = 0.1; x < 2; x += 0.3) {
        double w = 10 * sqrt(1 - 0.04);
        double swing = 1 - exp(-2 * x) * (cos(w * x) + 2 / w * sin(w * x));
        NEAR(trial_at(t, x, "gain.y"), 3, 0);
        NEAR(trial_read(t, "integrator.y"), 1 + 6 * x, 1e-8);
        NEAR(trial_read(t, "lag.y"), 2 * (1 - exp(-2 * x)), 1e-8);
        NEAR(trial_read(t, "swing.y"), swing, 1e-8);
        NEAR(trial_read(t, "lead.y"), 10 * exp(-10 * x), 1e-7);
        NEAR(trial_read(t, "pi_.y"), 2 * (1 + 2 * x), 1e-8);
    }
    trial_end(t);
}

/* The limit holds first; then error and output die away without the integral having run off. */
static void control(void **state)
{
    (void)state;
    Trial *t = trial_start("Blocks.Examples.Control", 20, 1e-8, NULL, NULL);
    NEAR(trial_at(t, 0.1, "controller.y"), 1, 0);
    for (double x = 0.2; x < 20; x += 0.1) {
        double y = trial_at(t, x, "controller.y"), place = trial_read(t, "position.y");
        assert_true(fabs(y) <= 1 && place < 1.01);
    }
    NEAR(trial_read(t, "position.y"), 1, 1e-6);
    trial_end(t);
}

static void signals(void **state)
{
    (void)state;
    Trial *t = trial_start("Blocks.Examples.Signals", 2, 1e-8, NULL, NULL);
    int on = 0;
    for (int i = 1; i < 200; i++) {
        double time = 0.00997 * i, x = sin(2 * pi * time);
        on = x > 0.5 ? 1 : x < -0.5 ? 0 : on;
        NEAR(trial_at(t, time, "limiter.y"), fmin(fmax(x, -0.5), 0.8), 1e-12);
        NEAR(trial_read(t, "hold.y"), sin(2 * pi * 0.125 * floor(time / 0.125)), 1e-9);
        NEAR(trial_read(t, "relay.y"), on, 0);
    }
    trial_end(t);
}

static void heat(void **state)
{
    (void)state;
    Trial *t = trial_start("Thermal.Examples.Contact", 2, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 2, "hot.T"), 323.15 + 50 * exp(-2 * 10.0 / 15 * 2), 1e-5);
    NEAR(trial_read(t, "hot.T") + trial_read(t, "cold.T"), 646.3, 1e-6);
    trial_end(t);
}

/* Between the thresholds from the first time on; the heat that went in is stored or has left. */
static void thermostat(void **state)
{
    (void)state;
    Trial *t = trial_start("Thermal.Examples.Thermostat", 20000, 1e-9, NULL, NULL);
    double lost = 0, before = trial_at(t, 2000, "room.T") * 1e5 + trial_read(t, "wall.T") * 5e5;
    double given = 0, h = 1;
    for (int i = 0; i < 3000; i++) {
        double room = trial_at(t, 2000 + (i + 0.5) * h, "room.T");
        lost += h * (trial_read(t, "outside.q") + trial_read(t, "sky.q"));
        given += h * (trial_read(t, "heater.signal") + 100);
        assert_true(room > 292.65 - 1e-4 && room < 293.65 + 1e-4);
    }
    double after = trial_at(t, 5000, "room.T") * 1e5 + trial_read(t, "wall.T") * 5e5;
    /* The sum over midpoints is off by at most one interval for every switching. */
    NEAR(after - before, given - lost, 5000 * h * 60);
    double wall = trial_read(t, "wall.T");
    NEAR(trial_read(t, "sky.q"), 2 * 5.670374419e-8 * (pow(wall, 4) - pow(273.15, 4)), 1e-6);
    trial_end(t);
}

static void graphics(void **state)
{
    (void)state;
    Trial *t = trial_start("Graphics.Examples.Face", 2, 1e-6, NULL, NULL);
    trial_run(t, 2);
    uint32_t texts = 0, shapes = 0;
    char path[200];
    for (SolVar v = sol_next_var(t->sim, 0); v; v = sol_next_var(t->sim, v)) {
        SolVarInfo info;
        sol_var_path(t->sim, v, path, sizeof path);
        assert_true(sol_var_info(t->sim, v, &info));
        texts += info.type == SOL_STRING;
        shapes += info.held && info.type == SOL_REAL;
    }
    assert_int_equal(
        texts,
        4 * 2 + 2 +
            2); /* colour and fill of each shape; colour and text; source of the image, axes of the point */
    assert_int_equal(shapes, 5 * 4 + 2 + 2);
    trial_end(t);
}

/* Angle of the engine and speed of the wheel, which turns 1.8 times as fast. */
static void piston_ode(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1] / 1.8;
    dx[1] = (1 + cos(x[0])) * 10 / 1.8;
}

static void machine(void **state)
{
    (void)state;
    double x[2] = {0, 0};
    trial_rk4(piston_ode, 2, x, 0, 10, 100000);
    Trial *t = trial_start("Machine.Examples.Slow", 10, 1e-9, NULL, NULL);
    NEAR(trial_at(t, 10, "wheel.w"), x[1], 1e-5);
    trial_end(t);
    for (int i = 0; i < 2; i++) {
        t = trial_start(i ? "Machine.Examples.ByExchange" : "Machine.Examples.ByBranch", 10, 1e-9,
                        NULL, NULL);
        trial_run(t, 10);
        assert_int_equal(t->n_events, 1);
        double w = 40 + 10 / 1.8 * (10 - t->event[0].time);
        NEAR(trial_read(t, "wheel.w"), w, 1e-6);
        x[0] = x[1] = 0;
        trial_rk4(piston_ode, 2, x, 0, t->event[0].time, 100000);
        NEAR(x[1], 40, 1e-5);
        trial_end(t);
    }
}

static void hermit_ode(double t, const double *x, double *dx)
{
    double nc = 0.2 * exp(-0.002 * t), pc = 0.2 - nc;
    (void)x;
    dx[0] = nc * 0.002 * 100 - 0.005 - pc * pc * 1.5;
}

static void hermit(void **state)
{
    (void)state;
    double energy = 1;
    Trial *t = trial_start("Population.Examples.Alone", 600, 1e-9, NULL, NULL);
    trial_rk4(hermit_ode, 1, &energy, 0, 600, 6000);
    NEAR(trial_at(t, 600, "life.E"), energy, 1e-6);
    NEAR(trial_read(t, "tank.Nc"), 0.2 * exp(-1.2), 1e-8);
    NEAR(trial_read(t, "tank.Nc") + trial_read(t, "tank.Pc"), 0.2, 1e-10);
    trial_end(t);
}

/* In a small tank: it grows, nothing is lost, and it dies out. */
static void colony(void **state)
{
    (void)state;
    Trial *t = trial_start("Population.Examples.Colony", 600, 1e-6, "V=10", NULL);
    double most = 0;
    for (int i = 1; i <= 120; i++) {
        double alive = trial_at(t, 5 * i, "root.alive"), greed = trial_read(t, "root.greed");
        assert_true(alive == 0 || (greed / alive > 0.05 && greed / alive < 0.2));
        NEAR(trial_read(t, "tank.Nc") + trial_read(t, "tank.Pc"), 0.2, 1e-6);
        most = fmax(most, alive);
    }
    assert_true(most > 30 && most < 60);
    NEAR(trial_read(t, "root.alive"), 0, 0);
    NEAR(trial_read(t, "root.E"), 0, 0);
    trial_end(t);
}

/* The same life forms in a dynamic array: as many of them, and nothing is lost. */
static void culture(void **state)
{
    (void)state;
    Trial *t = trial_start("Population.Examples.Culture", 600, 1e-6, "V=10", NULL);
    double most = 0;
    for (int i = 1; i <= 120; i++) {
        double n = 0;
        trial_run(t, 5 * i);
        for (int k = 1; k < 400; k++) {
            char path[40];
            snprintf(path, sizeof path, "lives[%d].E", k);
            n += trial_has(t, path);
        }
        double absorbance = trial_read(t, "absorbance");
        assert_true(n == 0 ? absorbance == 0 : absorbance > 0.05 && absorbance < 0.2);
        NEAR(trial_read(t, "tank.Nc") + trial_read(t, "tank.Pc"), 0.2, 1e-6);
        most = fmax(most, n);
    }
    assert_true(most > 30 && most < 60);
    NEAR(trial_read(t, "absorbance"), 0, 0);
    trial_end(t);
}

/* In a larger one: some 4.3 live per litre at the most, the end is steep, and the mean absorbance
 * rises as long as there is plenty and falls when only thrift survives. */
static void genes(void **state)
{
    (void)state;
    Trial *t = trial_start("Population.Examples.Colony", 500, 1e-5, "V=100", NULL);
    double early = trial_at(t, 230, "absorbance"), rich, late, most = 0;
    for (int i = 1; i <= 20; i++)
        most = fmax(most, trial_at(t, 230 + 6 * i, "root.alive"));
    rich = trial_read(t, "absorbance");
    late = trial_at(t, 425, "absorbance");
    assert_true(most > 420 && most < 450);
    assert_true(trial_read(t, "root.alive") > 0);
    assert_true(rich > early + 0.0005 && late < rich - 0.005);
    NEAR(trial_at(t, 500, "root.alive"), 0, 0);
    NEAR(trial_read(t, "tank.Nc"), 0.0555, 0.001);
    trial_end(t);
}

/* The cars on the road, from the last one on; they must stand in line. */
typedef struct Cars {
    uint32_t n, slow; /* all; those that have gone 100 m and are slower than 10 m/s */
    double ahead;
} Cars;

static Cars look_at_cars(Trial *t)
{
    char path[2000] = "last";
    Cars cars = {.ahead = -1};
    for (size_t n = 4; n < sizeof path - 20; n += 5, cars.n++) {
        snprintf(path + n, sizeof path - n, ".car.x");
        if (!trial_has(t, path))
            break;
        double x = trial_read(t, path);
        assert_true(x > cars.ahead);
        cars.ahead = x;
        snprintf(path + n, sizeof path - n, ".car.v");
        cars.slow += x > 100 && trial_read(t, path) < 10;
        snprintf(path + n, sizeof path - n, ".next");
    }
    return cars;
}

/* A car every 2.6 s; they stay in line, and leave behind 4000 m. */
static void traffic(void **state)
{
    (void)state;
    Trial *t = trial_start("Traffic.Examples.Road", 230, 1e-6, NULL, NULL);
    trial_run(t, 20);
    NEAR(trial_has(t, "last.next.next.next.next.next.next.next.car.x"), 1, 0);
    NEAR(trial_has(t, "last.next.next.next.next.next.next.next.next.car.x"), 0, 0);
    trial_run(t, 230);
    Cars cars = look_at_cars(t);
    assert_true(cars.n > 50 && cars.n < 89);
    assert_true(cars.ahead < 4000 + 2 * 25);
    trial_end(t);
}

/* The same road with a dynamic array: the places of the cars, and who has left. */
static void lane(void **state)
{
    (void)state;
    Trial *t = trial_start("Traffic.Examples.Lane", 230, 1e-6, NULL, NULL);
    trial_run(t, 20);
    NEAR(trial_has(t, "cars[8].x"), 1, 0);
    NEAR(trial_has(t, "cars[9].x"), 0, 0);
    trial_run(t, 230);
    double ahead = 4000 + 2 * 25;
    uint32_t n = 0;
    for (int k = 1; k <= 89; k++) {
        char path[40];
        snprintf(path, sizeof path, "cars[%d].x", k);
        if (!trial_has(t, path))
            continue;
        assert_true(trial_read(t, path) < ahead);
        ahead = trial_read(t, path);
        n++;
    }
    assert_true(n > 50 && n < 89);
    trial_end(t);
}

/* A jam: three cars at least that are slow. When the first one is there; the end if there is none.
 */
static double first_jam(double stop, const char *set, Cars *cars)
{
    Trial *t = trial_start("Traffic.Examples.Road", stop, 1e-5, set, NULL);
    double jam = stop;
    for (double x = 2; x <= stop; x += 2) {
        trial_run(t, x);
        *cars = look_at_cars(t);
        if (cars->slow >= 3)
            jam = fmin(jam, x);
    }
    trial_end(t);
    return jam;
}

/* Jams appear after about 300 s, and the road fills. Drivers who react at once have none. */
static void jams(void **state)
{
    (void)state;
    if (SLOW_BUILD)
        skip();
    Cars cars;
    double jam = first_jam(500, NULL, &cars);
    assert_true(jam > 230 && jam < 380);
    assert_true(cars.n > 72);
    NEAR(first_jam(500, "reaction=0", &cars), 500, 0);
    assert_true(cars.n < 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responses), cmocka_unit_test(control),    cmocka_unit_test(signals),
        cmocka_unit_test(heat),      cmocka_unit_test(thermostat), cmocka_unit_test(graphics),
        cmocka_unit_test(machine),   cmocka_unit_test(hermit),     cmocka_unit_test(colony),
        cmocka_unit_test(culture),   cmocka_unit_test(lane),       cmocka_unit_test(genes),
        cmocka_unit_test(traffic),   cmocka_unit_test(jams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
