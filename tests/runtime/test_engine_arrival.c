/* test_engine_arrival.c: code that comes late, in any order, or never -> the interpreter's bits.
 *
 * Random models with functions that jump in dynamics, conditions and outputs run by the
 * interpreter, and then with code that the module `fickle` delays and withholds at random, while
 * the queue of what is to be compiled is shuffled between steps. Values at all points, events and
 * messages are the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/module.h"
#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"
#include "tests/support/jump_random.h"
#include "tests/support/slow.h"
#include "tests/support/soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Outcome {
    SolStatus status;
    uint64_t hash, points, events, functions;
} Outcome;

static bool on_point(void *context, const SolPoint *point)
{
    Outcome *o = context;
    o->points++;
    o->hash = hash_bytes(&point->time, sizeof point->time, o->hash);
    o->hash = hash_bytes(point->values, point->limit * sizeof *point->values, o->hash);
    return true;
}

static void on_event(void *context, const SolEvent *event)
{
    Outcome *o = context;
    o->events++;
    o->hash = hash_bytes(&event->time, sizeof event->time, o->hash + event->updates);
}

static uint64_t draw(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Those that wait for the compiler, in another order. */
static void shuffle(Jit *jit, uint64_t *random)
{
    pthread_mutex_lock(&jit->lock);
    for (int q = 0; q < QUEUES; q++) {
        JitLink *head = &jit->queue[q], *next;
        for (JitLink *link = head->next; link != head; link = next) {
            next = link->next;
            if (draw(random) % 2 == 0)
                continue;
            jit_unlink(link);
            jit_link_last(head->next, link); /* before the first */
        }
    }
    pthread_mutex_unlock(&jit->lock);
}

static void make_fickle(Jit *jit, uint64_t seed)
{
    char text[40], real[4096];
    assert_true(module_find("solstice_llvm.so", real, sizeof real));
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    setenv("FICKLE_SEED", text, 1);
    setenv("FICKLE_MODULE", real, 1);
    static char module[] = SOLSTICE_BINARY_DIR "/libfickle.so";
    jit->module = module; /* the thread that reads it is not there yet */
    jit->options.warm = seed % 3 * 10;
    jit->options.patience = 0;
    jit->options.hot = 100 + seed % 7 * 100;
    jit->options.batch = 1 + (uint32_t)(seed % 5);
}

static SolStatus run_steps(Sol *sim, double stop, uint64_t seed)
{
    SolStatus status = SOL_OK;
    while (status == SOL_OK && sol_time(sim) < stop) {
        status = sol_step(sim, stop);
        if (sim->sim->engine)
            shuffle(engine_jit(sim->sim->engine), &seed);
    }
    return status;
}

/* seed 0: the interpreter */
static Outcome run(const char *text, uint64_t seed)
{
    Outcome o = {.status = SOL_MODEL};
    SolOptions options = {.stop = 40,
                          .steps = 200,
                          .max_events = 600,
                          .engine = seed ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP,
                          .batch_from = seed % 2 ? 2 : 0,
                          .cache = "off"};
    SolModel *model = sol_load(&(SolLoad){.text = text, .length = strlen(text), .path = "random"});
    Sol *sim = sol_create(model, NULL, &options);
    if (sim) {
        if (seed)
            make_fickle(engine_jit(sim->sim->engine), seed);
        sol_set_output(sim, &(SolOutput){.context = &o, .point = on_point});
        sol_set_event(sim, on_event, &o);
        o.status = run_steps(sim, options.stop, seed);
        SolStats stats;
        sol_stats(sim, &stats);
        o.functions = stats.functions_compiled;
    }
    SolMessage message;
    for (uint32_t i = 0; sol_message(model, i, &message); i++) {
        o.hash = hash_bytes(message.text, strlen(message.text), o.hash);
        if (o.status == SOL_MODEL)
            print_error("%s\n", message.text);
    }
    sol_close(sim);
    sol_unload(model);
    return o;
}

static bool check_seed(uint64_t seed, uint64_t *events, uint64_t *functions)
{
    char *text = jump_random(seed);
    Outcome expected = run(text, 0);
    bool same = expected.status == SOL_OK || expected.status == SOL_NUMERICS;
    if (!same)
        print_error("seed %llu: status %d\n%s", (unsigned long long)seed, expected.status, text);
    for (uint64_t way = 1; way <= 3 && same; way++) {
        Outcome o = run(text, 4 * seed + way);
        *functions += o.functions;
        *events += o.events;
        same = o.status == expected.status && o.hash == expected.hash;
        if (!same)
            print_error("seed %llu, way %llu: status %d, %llu points, %llu events, not %d, %llu, "
                        "%llu, or values differ\n%s",
                        (unsigned long long)seed, (unsigned long long)way, o.status,
                        (unsigned long long)o.points, (unsigned long long)o.events, expected.status,
                        (unsigned long long)expected.points, (unsigned long long)expected.events,
                        text);
    }
    free(text);
    return same;
}

/* Errors fire a condition again and again: looks by code were elsewhere behind one that did not count. */
static const uint64_t FOUND = 1061306307;

static void whenever_code_comes(void **state)
{
    uint64_t events = 0, functions = 0, wrong = 0;
    (void)state;
    assert_true(check_seed(FOUND, &events, &functions));
    Soak soak = soak_begin("code that comes when it likes", SLOW_BUILD ? 6 : 40, 1);
    while (soak_next(&soak))
        if (!check_seed(soak.seed, &events, &functions)) {
            soak_failed(&soak);
            wrong++;
        }
    soak_end(&soak);
    print_message("%llu events, %llu functions compiled\n", (unsigned long long)events,
                  (unsigned long long)functions);
    assert_true(wrong == 0);
    assert_true(events > 0);
#ifndef __SANITIZE_THREAD__ /* where compiling takes longer than these runs do */
    assert_true(functions > 0);
#endif
}

/* Times of all events of a population that grows and dies; late: see JitOptions, 0: the
 * interpreter. */
static uint64_t population(uint32_t late)
{
    Outcome o = {0};
    SolOptions options = {.stop = 200,
                          .rtol = 1e-8,
                          .solver = SOL_SOLVER_RK,
                          .engine = late ? SOL_ENGINE_JIT : SOL_ENGINE_INTERP,
                          .jit_wait = true,
                          .cache = "off"};
    SolModel *model = sol_load(&(SolLoad){.path = SOLSTICE_SOURCE_DIR "/tests/sim/lists.sol"});
    Sol *sim = sol_create(model, "Lists.Recursive", &options);
    assert_non_null(sim);
    if (late)
        engine_jit(sim->sim->engine)->options.late = late;
    sol_set_event(sim, on_event, &o);
    assert_int_equal(sol_run_to(sim, options.stop), SOL_OK);
    sol_unload(model);
    return o.hash;
}

/* What the first step after an event is guessed from was tried by the interpreter, and put back by code that came
 * just then, which leaves no values where the interpreter looks for them: the next event was missed. */
static void between_two_evaluations(void **state)
{
    (void)state;
    uint64_t expected = population(0);
    for (uint32_t late = 1; late < (SLOW_BUILD ? 20 : 210); late++)
        if (population(late) != expected)
            fail_msg("with code that is late by draw %u other events are found", late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whenever_code_comes),
                                       cmocka_unit_test(between_two_evaluations)};
    return cmocka_run_group_tests_name("arrival of code", tests, NULL, NULL);
}
