/* test_jit.c: the code service: entries, tiers, refusals, eviction, the cache on disk. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/timer.h"
#include "jit/disk_cache.h"
#include "jit/interp.h"
#include "jit/jit_int.h" /* to make its memory fail */
#include "tests/support/random_x.h"
#include "tests/support/soak.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <signal.h>
#include <unistd.h>

#define MODULE SOLSTICE_BINARY_DIR "/solstice_llvm.so"

enum { READ = 6, TARGET = READ, VARS = READ + 1, BLOCKS = 400 };

/* A block `variable TARGET := x`, and what the interpreter needs to run it. */
typedef struct Block {
    X x;
    const Code *code;
    const Shape *shape;
    const double *constants;
    uint32_t slots[64];
} Block;

typedef struct World {
    Mem *mem;
    FormTable *forms;
    Interp *interp;
    Shapes *shapes;
    JitEnv env;
    char folder[64];     /* for the cache on disk, empty */
    Block block[BLOCKS]; /* all of different shapes */
} World;

static const uint32_t vars[READ] = {0, 1, 2, 3, 4, 5};

/* ---- setting up ---- */

static bool make_block(World *w, Rng *rng, Block *b)
{
    uint32_t target = INTERP_NO_TARGET, before = shape_totals(w->shapes).shapes;
    b->x = random_x(w->forms, rng, RANDOM_SMOOTH, 6 + rng_below(rng, 8), READ, 0);
    ShapeItem item = {TARGET, b->x, vars};
    ShapeUse use = shape_of(w->shapes, 1, &item, NULL);
    assert_true(use.shape->n_slots <= 64);
    b->code = interp_get(w->interp, interp_code(w->interp, 1, &target, &b->x));
    b->shape = use.shape;
    b->constants = use.constants;
    memcpy(b->slots, use.slots, use.shape->n_slots * sizeof *b->slots);
    return shape_totals(w->shapes).shapes > before;
}

static int open_world(void **state)
{
    Mem *mem = mem_open();
    World *w = mem_alloc(mem, sizeof *w);
    Rng rng = {soak_seed(1)};
    w->mem = mem;
    w->forms = forms_open(mem);
    w->interp = interp_open(mem, w->forms);
    w->shapes = shapes_open(mem, w->forms);
    jit_env(&w->env, NULL, NULL);
    for (uint32_t i = 0; i < BLOCKS;)
        i += make_block(w, &rng, &w->block[i]);
    strcpy(w->folder, "/tmp/test_jit_XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    World *w = *state;
    Mem *mem = w->mem;
    disk_cache_clear(w->folder);
    assert_int_equal(rmdir(w->folder), 0); /* nothing else was left there */
    shapes_close(w->shapes);
    interp_close(w->interp);
    forms_close(w->forms);
    mem_free(mem, w);
    assert_int_equal(mem_used(mem), 0);
    mem_close(mem);
    return 0;
}

static Jit *open_jit(JitOptions options)
{
    options.module = options.module ? options.module : MODULE;
    Jit *jit = jit_open(&options);
    assert_non_null(jit);
    return jit;
}

static JitEntry *request(Jit *jit, const Block *b)
{
    JitEntry *entry = jit_request(jit, &(JitRequest){.shape = b->shape});
    assert_non_null(entry);
    return entry;
}

/* ---- running ---- */

static double interpreted(const Block *b, double *values)
{
    double scratch[256];
    assert_true(interp_scratch(b->code) <= 256);
    interp_run(b->code, vars, values, scratch, NULL, NULL);
    return scratch[0];
}

/* The function's result is the interpreter's, bit for bit. */
static bool is_right(World *w, const Block *b, JitValueFn f)
{
    double values[VARS];
    for (uint32_t i = 0; i < READ; i++)
        values[i] = 0.3 + i * 0.7;
    double expected = interpreted(b, values);
    values[TARGET] = 77;
    f(values, b->slots, b->constants, &w->env);
    return memcmp(&values[TARGET], &expected, sizeof expected) == 0;
}

static void check(World *w, const Block *b, JitEntry *entry)
{
    assert_int_equal(jit_refusal(entry), JIT_ACCEPTED);
    assert_non_null(jit_code(entry).any);
    assert_true(is_right(w, b, jit_code(entry).value));
}

/* Requests the first n blocks, waits, checks, releases. */
static JitStats use_blocks(World *w, JitOptions options, uint32_t n)
{
    JitEntry *entry[BLOCKS];
    Jit *jit = open_jit(options);
    for (uint32_t i = 0; i < n; i++)
        entry[i] = request(jit, &w->block[i]);
    jit_wait(jit);
    for (uint32_t i = 0; i < n; i++)
        check(w, &w->block[i], entry[i]);
    for (uint32_t i = 0; i < n; i++)
        jit_release(jit, entry[i]);
    JitStats stats = jit_stats(jit);
    jit_close(jit);
    return stats;
}

/* ---- entries and tiers ---- */

static void code_arrives_and_is_right(void **state)
{
    JitStats stats = use_blocks(*state, (JitOptions){0}, 100);
    assert_int_equal(stats.functions_compiled, 100);
    assert_int_equal(stats.shapes, 100);
    assert_true(stats.modules <= 50); /* many functions to a module */
    assert_true(stats.code_bytes > 0);
    stats = use_blocks(*state, (JitOptions){.only_optimised = true}, 50);
    assert_int_equal(stats.functions_compiled, 50);
}

static void the_module_is_found_beside_the_program(void **state)
{
    World *w = *state;
    Jit *jit = jit_open(&(JitOptions){0});
    JitEntry *entry = request(jit, &w->block[0]);
    jit_wait(jit);
    check(w, &w->block[0], entry);
    jit_close(jit);
}

static void nothing_starts_without_a_request(void **state)
{
    (void)state;
    Jit *jit = open_jit((JitOptions){0});
    jit_wait(jit);
    JitStats stats = jit_stats(jit);
    assert_true(stats.load_seconds == 0 && stats.functions_compiled == 0);
    jit_close(jit);
}

static void a_known_shape_compiles_nothing(void **state)
{
    World *w = *state;
    Jit *jit = open_jit((JitOptions){0});
    JitEntry *first = request(jit, &w->block[0]);
    jit_wait(jit);
    JitEntry *second = request(jit, &w->block[0]);
    assert_ptr_equal(first, second);
    assert_non_null(jit_code(second).any); /* at once */
    jit_release(jit, first);
    jit_release(jit, second);
    JitEntry *third = request(jit, &w->block[0]); /* nobody held it for a while */
    assert_non_null(jit_code(third).any);
    JitStats stats = jit_stats(jit);
    assert_int_equal(stats.functions_compiled, 1);
    assert_int_equal(stats.shapes_from_memory, 2);
    jit_close(jit);
}

static void what_is_hot_is_optimised_and_old_code_stays(void **state)
{
    World *w = *state;
    Jit *jit = open_jit((JitOptions){.hot = 1000});
    JitEntry *entry = request(jit, &w->block[3]);
    jit_wait(jit);
    JitValueFn quick = jit_code(entry).value;
    assert_int_equal(jit_tier(entry), JIT_QUICK);
    jit_heat(jit, entry, 999);
    jit_wait(jit);
    assert_ptr_equal(jit_code(entry).any, quick);
    jit_heat(jit, entry, 1);
    jit_wait(jit);
    assert_int_equal(jit_tier(entry), JIT_OPTIMISED);
    assert_ptr_not_equal(jit_code(entry).any, quick);
    check(w, &w->block[3], entry);
    assert_true(is_right(w, &w->block[3], quick));
    assert_int_equal(jit_stats(jit).functions_compiled, 2);
    jit_close(jit);
}

/* Lock held. Optimised functions that were linked after module `from` and before module `to`. */
static uint32_t count_optimised(const Jit *jit, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < jit->entries.n; i++) {
        const JitModule *module = jit->entries.at[i]->placed[1].module;
        n += module && module->id > from && module->id < to;
    }
    return n;
}

/* Lock held. Modules have numbers in the order in which they are linked, as long as none goes. */
static uint32_t newest_module(const Jit *jit)
{
    uint32_t newest = 0;
    for (uint32_t i = 1; i < jit->entries.n; i++)
        for (int tier = 0; tier < 2; tier++) {
            const JitModule *module = jit->entries.at[i]->placed[tier].module;
            newest = module && module->id > newest ? module->id : newest;
        }
    return newest;
}

/* Quick code that is asked for waits for the optimised function that is being made, not for those
 * that are queued. */
static void quick_code_overtakes_optimised_code(void **state)
{
    enum { OPTIMISED = 60, QUICK = 5 };
    World *w = *state;
    uint32_t overtaken = 0;
    Jit *jit = open_jit((JitOptions){.hot = 1000});
    JitEntry *entry[OPTIMISED];
    for (uint32_t i = 0; i < OPTIMISED; i++)
        entry[i] = request(jit, &w->block[i]);
    jit_wait(jit);
    for (uint32_t i = 0; i < OPTIMISED; i++)
        jit_heat(jit, entry[i], 1000);
    for (uint32_t i = 0; i < QUICK; i++) {
        JitEntry *quick = request(jit, &w->block[OPTIMISED + i]);
        pthread_mutex_lock(&jit->lock);
        uint32_t newest = newest_module(jit);
        pthread_mutex_unlock(&jit->lock);
        while (!jit_code(quick).any)
            sched_yield();
        pthread_mutex_lock(&jit->lock);
        assert_int_equal(quick->wanted, JIT_QUICK);
        assert_true(count_optimised(jit, newest, quick->placed[0].module->id) <= 1);
        overtaken += count_optimised(jit, 0, UINT32_MAX) < OPTIMISED;
        pthread_mutex_unlock(&jit->lock);
    }
    jit_wait(jit);
    assert_int_equal(count_optimised(jit, 0, UINT32_MAX), OPTIMISED);
    print_message("%u of %u came before the last optimised function\n", overtaken, QUICK);
    jit_close(jit);
}

static void heat_before_the_first_code_counts(void **state)
{
    World *w = *state;
    Jit *jit = open_jit((JitOptions){.hot = 10});
    JitEntry *entry = request(jit, &w->block[0]);
    jit_heat(jit, entry, 10);
    jit_wait(jit);
    assert_int_equal(jit_tier(entry), JIT_OPTIMISED);
    jit_close(jit);
}

static void llvm_is_not_loaded_for_what_is_not_warm(void **state)
{
    World *w = *state;
    Jit *jit = open_jit((JitOptions){.warm = 50, .cache = w->folder});
    JitEntry *entry = request(jit, &w->block[0]);
    jit_heat(jit, entry, 49);
    jit_wait(jit);
    assert_null(jit_code(entry).any);
    assert_true(jit_stats(jit).load_seconds == 0);
    jit_heat(jit, entry, 1);
    jit_wait(jit);
    check(w, &w->block[0], entry);
    jit_close(jit);
}

static const Shape *shape_with_constants(const World *w)
{
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (w->block[i].shape->n_constants > 0 && w->block[i].shape->n_constants <= 64)
            return w->block[i].shape;
    fail_msg("no block has constants");
    return NULL;
}

static void kinds_and_layouts_are_entries_of_their_own(void **state)
{
    World *w = *state;
    const Shape *s = shape_with_constants(w);
    bool common[64] = {true};
    uint32_t slots[2][64] = {{0}};
    double constants[2][64] = {{0}};
    slots[1][0] = 1;
    constants[1][0] = 1;
    JitRequest requests[] = {{s, JIT_VALUE, JIT_SINGLE, NULL, NULL, NULL, NULL},
                             {s, JIT_TANGENT, JIT_SINGLE, NULL, NULL, NULL, NULL},
                             {s, JIT_VALUE, JIT_ARRAYS, NULL, NULL, NULL, NULL},
                             {s, JIT_VALUE, JIT_ARRAYS, common, NULL, NULL, NULL},
                             {s, JIT_VALUE, JIT_FIXED, NULL, slots[0], constants[0], NULL},
                             {s, JIT_VALUE, JIT_FIXED, NULL, slots[1], constants[0], NULL},
                             {s, JIT_VALUE, JIT_FIXED, NULL, slots[0], constants[1], NULL},
                             {s, JIT_VALUE, JIT_TABLES, NULL, NULL, NULL, NULL},
                             {s, JIT_VALUE, JIT_TABLES, NULL, NULL, NULL, common}};
    Jit *jit = open_jit((JitOptions){0});
    for (uint32_t i = 0; i < 9; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_ptr_not_equal(jit_request(jit, &requests[i]), jit_request(jit, &requests[j]));
    jit_wait(jit);
    assert_int_equal(jit_stats(jit).functions_compiled, 9);
    for (uint32_t i = 0; i < 9; i++)
        assert_ptr_equal(jit_request(jit, &requests[i]), jit_request(jit, &requests[i]));
    jit_wait(jit);
    assert_int_equal(jit_stats(jit).functions_compiled, 9);
    jit_close(jit);
}

/* ---- refusals ---- */

static void llvm_refuses_some(void **state)
{
    World *w = *state;
    JitEntry *entry[60];
    uint32_t refused = 0;
    Jit *jit = open_jit((JitOptions){.refuse_every = 7});
    for (uint32_t i = 0; i < 60; i++)
        entry[i] = request(jit, &w->block[i]);
    jit_wait(jit);
    for (uint32_t i = 0; i < 60; i++) {
        if (jit_refusal(entry[i]) == JIT_ACCEPTED) {
            check(w, &w->block[i], entry[i]);
            continue;
        }
        refused++;
        assert_int_equal(jit_refusal(entry[i]), JIT_LLVM_REFUSED);
        assert_null(jit_code(entry[i]).any);
    }
    assert_int_equal(refused, 60 / 7);
    assert_int_equal(jit_stats(jit).refused, refused);
    /* asking again does not try again */
    for (uint32_t i = 0; i < 60; i++)
        request(jit, &w->block[i]);
    jit_wait(jit);
    assert_int_equal(jit_stats(jit).refused, refused);
    jit_close(jit);
}

static void check_all_refused(World *w, JitOptions options, JitRefusal why)
{
    Jit *jit = open_jit(options);
    JitEntry *a = request(jit, &w->block[0]), *b = request(jit, &w->block[1]);
    jit_wait(jit);
    assert_int_equal(jit_refusal(a), why);
    assert_int_equal(jit_refusal(b), why);
    assert_null(jit_code(a).any);
    assert_true(strlen(jit_refusal_text(why)) > 0);
    jit_close(jit);
}

static void without_the_module_everything_is_refused(void **state)
{
    check_all_refused(*state, (JitOptions){.module = "/nowhere/solstice_llvm.so"}, JIT_NO_MODULE);
    /* a file that is no module */
    check_all_refused(*state, (JitOptions){.module = SOLSTICE_SOURCE_DIR "/README.md"},
                      JIT_NO_MODULE);
}

static void too_large_blocks_are_refused(void **state)
{
    World *w = *state;
    X x = x_pos(w->forms, 0);
    for (uint32_t i = 0; i < 6000; i++)
        x = x_binary(w->forms, X_ADD, x_unary(w->forms, X_SIN, x), x_pos(w->forms, i % READ));
    ShapeItem item = {TARGET, x, vars};
    Block b = {.shape = shape_of(w->shapes, 1, &item, NULL).shape};
    Jit *jit = open_jit((JitOptions){0});
    JitEntry *entry = request(jit, &b);
    jit_wait(jit);
    assert_int_equal(jit_refusal(entry), JIT_TOO_LARGE);
    jit_close(jit);
}

static void fail_allocation(Jit *jit, uint32_t n)
{
    pthread_mutex_lock(&jit->lock);
    mem_fail_at(jit->mem, n);
    pthread_mutex_unlock(&jit->lock);
}

/* True when it has code, and then it is right. */
static bool is_made(World *w, Jit *jit, const Block *b)
{
    JitEntry *entry = jit_request(jit, &(JitRequest){.shape = b->shape});
    jit_wait(jit);
    if (!entry || jit_refusal(entry) == JIT_NO_MEMORY)
        return false;
    check(w, b, entry);
    return true;
}

/* Wherever memory runs out once, in the request or in the thread: an answer, and others are right. */
static void out_of_memory_is_an_answer(void **state)
{
    World *w = *state;
    uint32_t failed[2] = {0};
    for (uint32_t n = 2; n < 60; n++) {
        bool in_thread = n % 2;
        JitOptions options = {.cache = w->folder, .fail_at = in_thread ? n / 2 : 0};
        Jit *jit = open_jit(options);
        fail_allocation(jit, in_thread ? 0 : n / 2);
        uint32_t made = 0;
        for (uint32_t i = 0; i < 3; i++)
            made += is_made(w, jit, &w->block[i]);
        assert_true(made >= 2);
        failed[in_thread] += made == 2;
        jit_close(jit);
        disk_cache_clear(w->folder);
    }
    print_message("%u requests and %u functions failed\n", failed[0], failed[1]);
    assert_true(failed[0] > 2 && failed[1] > 2);
}

/* ---- coming and going ---- */

static void requests_dropped_while_compiled(void **state)
{
    World *w = *state;
    Rng rng = {soak_seed(3)};
    Jit *jit = open_jit((JitOptions){.batch = 4, .hot = 5});
    for (uint32_t round = 0; round < 300; round++) {
        JitEntry *entry[20];
        for (uint32_t i = 0; i < 20; i++) {
            entry[i] = request(jit, &w->block[rng_below(&rng, 40)]);
            jit_heat(jit, entry[i], rng_below(&rng, 5));
        }
        usleep(rng_below(&rng, 3000)); /* somewhere in the middle of it */
        for (uint32_t i = 0; i < 20; i++)
            jit_release(jit, entry[i]);
        if (rng_below(&rng, 2))
            jit_forget(jit);
    }
    JitEntry *entry = request(jit, &w->block[0]);
    jit_wait(jit);
    check(w, &w->block[0], entry);
    jit_release(jit, entry);
    jit_forget(jit);
    JitStats stats = jit_stats(jit);
    assert_int_equal(stats.shapes, 0);
    assert_int_equal(stats.code_bytes, 0);
    assert_int_equal(stats.entry_bytes, 0);
    jit_close(jit);
}

static void eviction_keeps_memory_flat(void **state)
{
    enum { HELD = 8, BOUND = 64 << 10 };
    World *w = *state;
    JitEntry *held[HELD] = {NULL};
    Rng rng = {soak_seed(4)};
    uint64_t most = 0;
    Jit *jit = open_jit((JitOptions){.memory = BOUND});
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t at = rng_below(&rng, HELD), which = rng_below(&rng, BLOCKS);
        jit_release(jit, held[at]);
        held[at] = request(jit, &w->block[which]);
        if (i % 250 != 0)
            continue;
        jit_wait(jit);
        check(w, &w->block[which], held[at]);
        JitStats stats = jit_stats(jit);
        most = stats.code_bytes + stats.entry_bytes > most ? stats.code_bytes + stats.entry_bytes
                                                           : most;
    }
    JitStats stats = jit_stats(jit);
    assert_true(stats.evicted > 10000);
    assert_true(stats.functions_compiled > 500);
    /* what is held may be above the bound, with whatever shares an object with it */
    assert_true(most <= BOUND + HELD * 5 * 4096);
    jit_close(jit);
}

static void closing_does_not_wait_for_the_queue(void **state)
{
    World *w = *state;
    Jit *jit = open_jit((JitOptions){.only_optimised = true, .batch = 1});
    for (uint32_t i = 0; i < BLOCKS; i++)
        request(jit, &w->block[i]);
    double start = timer_now();
    jit_close(jit);
    double closing = timer_now() - start;
    start = timer_now();
    use_blocks(w, (JitOptions){.only_optimised = true, .batch = 1}, BLOCKS / 4);
    assert_true(closing < timer_now() - start);
}

static bool is_optimising(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    bool busy = jit->optimiser.state == OPTIMISER_BUSY;
    pthread_mutex_unlock(&jit->lock);
    return busy;
}

/* Then it is dropped while it is optimised. */
static void quick_code_does_not_wait_for_optimised(void **state)
{
    World *w = *state;
    enum { N = 40 };
    JitEntry *entry[N];
    Jit *jit = open_jit((JitOptions){.hot = 10, .slow_optimise = 2000});
    JitEntry *hot = request(jit, &w->block[0]);
    jit_heat(jit, hot, 10);
    while (!is_optimising(jit))
        sched_yield();
    for (uint32_t i = 1; i < N; i++)
        entry[i] = request(jit, &w->block[i]);
    for (uint32_t i = 1; i < N; i++) {
        while (!jit_code(entry[i]).any && is_optimising(jit))
            sched_yield();
        check(w, &w->block[i], entry[i]);
    }
    assert_true(is_optimising(jit));
    assert_int_equal(jit_tier(hot), JIT_QUICK);
    jit_release(jit, hot);
    jit_forget(jit);
    jit_wait(jit);
    assert_int_equal(jit_stats(jit).shapes, N - 1);
    jit_close(jit);
}

static void closing_keeps_what_is_being_optimised(void **state)
{
    World *w = *state;
    JitOptions options = {.hot = 10, .cache = w->folder, .slow_optimise = 100};
    Jit *jit = open_jit(options);
    jit_heat(jit, request(jit, &w->block[0]), 10);
    while (!is_optimising(jit))
        sched_yield();
    jit_close(jit);
    jit = open_jit(options);
    JitEntry *entry = request(jit, &w->block[0]);
    jit_wait(jit);
    assert_int_equal(jit_tier(entry), JIT_OPTIMISED);
    assert_int_equal(jit_stats(jit).functions_compiled, 0);
    check(w, &w->block[0], entry);
    jit_close(jit);
}

typedef struct Runner {
    World *w;
    Jit *jit;
    bool right;
} Runner;

static void run_often(Runner *r, const Block *b, JitEntry *entry)
{
    for (uint32_t k = 0; k < 50; k++) {
        JitCode code = jit_code(entry);
        if (code.any && !is_right(r->w, b, code.value))
            r->right = false;
    }
    jit_heat(r->jit, entry, 50);
}

static void *run_thread(void *argument)
{
    Runner *r = argument;
    JitEntry *entry[30];
    r->right = true;
    for (uint32_t i = 0; i < 30; i++)
        entry[i] = jit_request(r->jit, &(JitRequest){.shape = r->w->block[i].shape});
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 30; i++)
            run_often(r, &r->w->block[i], entry[i]);
        uint32_t other = round % 30; /* let go and ask again */
        jit_release(r->jit, entry[other]);
        entry[other] = jit_request(r->jit, &(JitRequest){.shape = r->w->block[other].shape});
    }
    jit_wait(r->jit);
    for (uint32_t i = 0; i < 30; i++) {
        r->right = r->right && jit_tier(entry[i]) == JIT_OPTIMISED;
        run_often(r, &r->w->block[i], entry[i]);
        jit_release(r->jit, entry[i]);
    }
    return NULL;
}

/* Two threads ask and run while the third compiles and swaps. */
static void several_threads_share_a_service(void **state)
{
    pthread_t thread[2];
    Jit *jit = open_jit((JitOptions){.hot = 200});
    Runner runner[2] = {{*state, jit, false}, {*state, jit, false}};
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_thread, &runner[i]), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_true(runner[0].right && runner[1].right);
    assert_int_equal(jit_stats(jit).functions_compiled, 60);
    jit_close(jit);
}

/* Not the same bits, but the same numbers; and never mixed up with exact code. */
static void fast_math_is_near_and_apart(void **state)
{
    World *w = *state;
    use_blocks(w, (JitOptions){.cache = w->folder}, 10);
    Jit *jit = open_jit((JitOptions){.cache = w->folder, .fast_math = true});
    for (uint32_t i = 0; i < 10; i++) {
        double values[VARS] = {0.3, 1, 1.7, 2.4, 3.1, 3.8};
        JitEntry *entry = request(jit, &w->block[i]);
        jit_wait(jit);
        double expected = interpreted(&w->block[i], values);
        jit_code(entry).value(values, w->block[i].slots, w->block[i].constants, &w->env);
        assert_true(fabs(values[TARGET] - expected) <= 1e-9 * (1 + fabs(expected)));
    }
    assert_int_equal(jit_stats(jit).functions_compiled, 10);
    assert_int_equal(jit_stats(jit).shapes_from_disk, 0);
    jit_close(jit);
}

static void perf_is_told_the_names(void **state)
{
    World *w = *state;
    char path[64], line[256];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    Jit *jit = open_jit((JitOptions){.names = true});
    JitEntry *entry = request(jit, &w->block[0]);
    jit_wait(jit);
    unsigned long long at = 0;
    FILE *map = fopen(path, "r");
    assert_non_null(map);
    assert_non_null(fgets(line, sizeof line, map));
    assert_int_equal(sscanf(line, "%llx", &at), 1);
    assert_true((uintptr_t)at == (uintptr_t)jit_code(entry).any);
    assert_non_null(strstr(line, "solstice_quick_value_single"));
    fclose(map);
    unlink(path);
    jit_close(jit);
}

/* As gdb's manual has them ("JIT Compilation Interface"); they lie in the module. */
struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

static const struct jit_code_entry *gdb_list(void)
{
    void *module = dlopen(SOLSTICE_BINARY_DIR "/solstice_orc.so", RTLD_NOW | RTLD_NOLOAD);
    const struct jit_descriptor *list = module ? dlsym(module, "__jit_debug_descriptor") : NULL;
    return list ? list->first_entry : NULL;
}

/* The function at this address in one of the objects that gdb is shown, or NULL. */
static const char *function_in(const char *object, const void *code, uint64_t *size)
{
    const Elf64_Ehdr *head = (const void *)object;
    const Elf64_Shdr *section = (const void *)(object + head->e_shoff);
    for (uint32_t i = 0; i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbol = (const void *)(object + section[i].sh_offset);
        const char *strings = object + section[section[i].sh_link].sh_offset;
        for (; (const char *)symbol < object + section[i].sh_offset + section[i].sh_size; symbol++)
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                section[symbol->st_shndx].sh_addr + symbol->st_value == (uintptr_t)code) {
                *size = symbol->st_size;
                return strings + symbol->st_name;
            }
    }
    return NULL;
}

static const char *gdb_name(const void *code, uint64_t *size)
{
    for (const struct jit_code_entry *e = gdb_list(); e; e = e->next_entry) {
        const Elf64_Ehdr *head = (const void *)e->symfile_addr;
        assert_memory_equal(head->e_ident, ELFMAG, SELFMAG);
        assert_true(head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr) <= e->symfile_size);
        const char *name = function_in(e->symfile_addr, code, size);
        if (name)
            return name;
    }
    return NULL;
}

static uint32_t gdb_objects(void)
{
    uint32_t n = 0;
    for (const struct jit_code_entry *e = gdb_list(); e; e = e->next_entry)
        n++;
    return n;
}

static void gdb_is_told_the_names(void **state)
{
    World *w = *state;
    char path[64];
    uint64_t size = 0;
    Jit *none = open_jit((JitOptions){0});
    Jit *jit = open_jit((JitOptions){.names = true, .batch = 1});
    JitEntry *unnamed = request(none, &w->block[0]), *entry[3];
    jit_wait(none);
    assert_null(gdb_list()); /* only who wants it pays for it */
    for (uint32_t i = 0; i < 3; i++)
        entry[i] = request(jit, &w->block[i]);
    jit_wait(jit);
    for (uint32_t i = 0; i < 3; i++) {
        const char *name = gdb_name(jit_code(entry[i]).any, &size);
        assert_non_null(name);
        assert_true(strncmp(name, "solstice_quick_value_single_", 28) == 0 && size > 0);
    }
    assert_int_equal(gdb_objects(), 3);
    jit_release(jit, entry[1]);
    jit_forget(jit); /* code that goes takes its name with it, before other code comes */
    JitEntry *later = request(jit, &w->block[3]);
    jit_wait(jit);
    assert_int_equal(gdb_objects(), 3);
    assert_non_null(gdb_name(jit_code(entry[2]).any, &size));
    assert_non_null(gdb_name(jit_code(later).any, &size));
    jit_close(jit);
    assert_null(gdb_list());
    jit_release(none, unnamed);
    jit_close(none);
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    unlink(path);
}

/* ---- the cache on disk ---- */

static void a_second_run_compiles_nothing(void **state)
{
    World *w = *state;
    JitStats stats = use_blocks(w, (JitOptions){.cache = w->folder}, 50);
    assert_int_equal(stats.functions_compiled, 50);
    assert_int_equal(stats.shapes_from_disk, 0);
    stats = use_blocks(w, (JitOptions){.cache = w->folder}, 50);
    assert_int_equal(stats.functions_compiled, 0);
    assert_int_equal(stats.shapes_from_disk, 50);
    assert_true(stats.linker_seconds > 0 && stats.load_seconds == 0); /* nor loads who compiles */
    /* other options are another cache */
    stats = use_blocks(w, (JitOptions){.cache = w->folder, .only_optimised = true}, 10);
    assert_int_equal(stats.functions_compiled, 10);
    /* optimised code serves for quick requests too */
    Jit *jit = open_jit((JitOptions){.cache = w->folder});
    JitEntry *entry = request(jit, &w->block[0]);
    jit_wait(jit);
    assert_int_equal(jit_tier(entry), JIT_OPTIMISED);
    jit_close(jit);
}

static LoadState compiler_load(Jit *jit)
{
    pthread_mutex_lock(&jit->lock);
    LoadState load = jit->part[PART_COMPILER].load;
    pthread_mutex_unlock(&jit->lock);
    return load;
}

/* The code generator begins to load, and takes long. What is on disk comes before it is there, what
 * is not there comes later. */
static void code_on_disk_comes_while_the_code_generator_loads(void **state)
{
    enum { ON_DISK = 20 };
    World *w = *state;
    JitEntry *entry[ON_DISK];
    use_blocks(w, (JitOptions){.cache = w->folder}, ON_DISK);
    Jit *jit = open_jit((JitOptions){.cache = w->folder, .slow_load = 2000});
    JitEntry *other = request(jit, &w->block[ON_DISK]);
    while (compiler_load(jit) == PART_NOT_LOADED)
        sched_yield();
    for (uint32_t i = 0; i < ON_DISK; i++)
        entry[i] = request(jit, &w->block[i]);
    for (uint32_t i = 0; i < ON_DISK; i++)
        while (!jit_code(entry[i]).any && compiler_load(jit) == PART_LOADING)
            sched_yield();
    assert_int_equal(compiler_load(jit), PART_LOADING);
    assert_null(jit_code(other).any);
    for (uint32_t i = 0; i < ON_DISK; i++)
        check(w, &w->block[i], entry[i]);
    assert_int_equal(jit_stats(jit).shapes_from_disk, ON_DISK);
    jit_wait(jit);
    check(w, &w->block[ON_DISK], other);
    jit_close(jit);
}

typedef void (*Damage)(const char *path, Rng *rng);

static void damage_all(const char *folder, Damage damage, Rng *rng)
{
    DIR *dir = opendir(folder);
    char path[512];
    for (const struct dirent *e; (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            damage(path, rng);
    }
    closedir(dir);
}

static void cut(const char *path, Rng *rng)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(truncate(path, s.st_size ? rng_below(rng, (uint32_t)s.st_size) : 0), 0);
}

static void flip_a_bit(const char *path, Rng *rng)
{
    FILE *file = fopen(path, "r+b");
    struct stat s;
    assert_true(file && fstat(fileno(file), &s) == 0);
    long at = s.st_size ? (long)rng_below(rng, (uint32_t)s.st_size) : 0;
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (1 << rng_below(rng, 8)), file);
    fclose(file);
}

static void overwrite(const char *path, Rng *rng)
{
    FILE *file = fopen(path, "wb");
    for (uint32_t i = 0; i < 300; i++)
        fputc((int)rng_below(rng, 256), file);
    fclose(file);
}

static void damaged_entries_are_dropped_and_made_anew(void **state)
{
    static const Damage damages[] = {cut, flip_a_bit, overwrite};
    World *w = *state;
    Rng rng = {soak_seed(5)};
    use_blocks(w, (JitOptions){.cache = w->folder}, 40);
    for (uint32_t i = 0; i < 9; i++) {
        damage_all(w->folder, damages[i % 3], &rng);
        JitStats stats = use_blocks(w, (JitOptions){.cache = w->folder}, 40);
        assert_int_equal(stats.shapes_from_disk, 0);
        assert_int_equal(stats.disk_dropped, 40);
        assert_int_equal(stats.functions_compiled, 40);
    }
    assert_int_equal(use_blocks(w, (JitOptions){.cache = w->folder}, 40).shapes_from_disk, 40);
}

/* The files of the first n blocks name, as their object, something that is none. */
static void spoil_objects(World *w, uint32_t n)
{
    static const char garbage[] = "whole and unaltered, and no object";
    uint64_t hash[2];
    char flavour[512];
    Jit *jit = open_jit((JitOptions){.warm = UINT64_MAX});
    jit_host_flavour(flavour, sizeof flavour, MODULE, false);
    DiskCache *disk = disk_cache_open(w->mem, w->folder, flavour);
    jit_hash_object(garbage, sizeof garbage, hash);
    DiskKey object = jit_object_key(hash);
    disk_cache_store(disk, &object, garbage, sizeof garbage);
    for (uint32_t i = 0; i < n; i++) {
        size_t size = 0;
        DiskKey key = jit_disk_key(request(jit, &w->block[i]), JIT_QUICK);
        unsigned char *code = disk_cache_load(disk, w->mem, &key, &size);
        assert_true(code && size >= sizeof hash);
        memcpy(code, hash, sizeof hash);
        disk_cache_store(disk, &key, code, size);
        mem_free(w->mem, code);
    }
    disk_cache_close(disk);
    jit_close(jit);
}

static void objects_that_cannot_be_linked_are_made_anew(void **state)
{
    enum { N = 30 };
    World *w = *state;
    JitOptions options = {.cache = w->folder};
    use_blocks(w, options, N);
    assert_int_equal(use_blocks(w, options, N).shapes_from_disk, N);
    spoil_objects(w, N);
    JitStats stats = use_blocks(w, options, N);
    assert_int_equal(stats.shapes_from_disk, 0);
    assert_int_equal(stats.functions_compiled, N);
    assert_int_equal(use_blocks(w, options, N).shapes_from_disk, N);
}

/* A whole and sound file under the name of another entry. */
static void entries_under_a_wrong_name_are_dropped(void **state)
{
    World *w = *state;
    char name[2][300], path[3][700];
    uint32_t n = 0;
    use_blocks(w, (JitOptions){.cache = w->folder, .batch = 1}, 2);
    DIR *dir = opendir(w->folder);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            snprintf(name[n++ % 2], sizeof *name, "%s", e->d_name);
    closedir(dir);
    assert_int_equal(n, 2);
    for (uint32_t i = 0; i < 2; i++)
        snprintf(path[i], sizeof *path, "%s/%s", w->folder, name[i]);
    snprintf(path[2], sizeof *path, "%s/other", w->folder);
    assert_int_equal(rename(path[0], path[2]) | rename(path[1], path[0]), 0);
    assert_int_equal(rename(path[2], path[1]), 0);
    JitStats stats = use_blocks(w, (JitOptions){.cache = w->folder}, 2);
    assert_int_equal(stats.disk_dropped, 2);
    assert_int_equal(stats.functions_compiled, 2);
}

static void folders_that_cannot_be_used_do_no_harm(void **state)
{
    World *w = *state;
    JitStats stats = use_blocks(w, (JitOptions){.cache = "/proc/solstice/code"}, 20);
    assert_int_equal(stats.functions_compiled, 20);
    assert_true(stats.disk_errors > 0);
    stats = use_blocks(w, (JitOptions){.cache = SOLSTICE_SOURCE_DIR "/README.md"}, 20);
    assert_int_equal(stats.functions_compiled, 20);
    /* others could write code into it that we would run */
    assert_int_equal(chmod(w->folder, 0777), 0);
    use_blocks(w, (JitOptions){.cache = w->folder}, 5);
    assert_int_equal(use_blocks(w, (JitOptions){.cache = w->folder}, 5).shapes_from_disk, 0);
    assert_int_equal(chmod(w->folder, 0700), 0);
}

static void set_age(const char *folder, const char *name, int days)
{
    char path[512];
    struct timespec times[2] = {{.tv_sec = time(NULL) - days * 86400L}, {0}};
    times[1] = times[0];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void old_entries_go_when_something_is_stored(void **state)
{
    World *w = *state;
    unsigned char code[10] = {0};
    char other[128];
    DiskCache *cache = disk_cache_open(w->mem, w->folder, "flavour");
    disk_cache_store(cache, &(DiskKey){{1, 2}, "old", 3}, code, sizeof code);
    DIR *dir = opendir(w->folder);
    for (const struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            set_age(w->folder, e->d_name, 61);
    closedir(dir);
    snprintf(other, sizeof other, "%s/somebody's file", w->folder); /* as old, and not ours */
    fclose(fopen(other, "w"));
    set_age(w->folder, "somebody's file", 1000);
    disk_cache_close(cache);
    cache = disk_cache_open(w->mem, w->folder, "flavour");
    disk_cache_store(cache, &(DiskKey){{3, 4}, "new", 3}, code, sizeof code);
    disk_cache_close(cache);
    assert_int_equal(disk_cache_clear(w->folder), 1);
    assert_int_equal(unlink(other), 0);
}

static bool in_child(World *w, bool (*check_it)(World *w))
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(check_it(w) ? 0 : 1);
    waitpid(child, &status, 0);
    return status == 0;
}

/* No file can grow: what a full disk looks like to the one who writes. */
static bool survives_a_full_disk(World *w)
{
    DiskKey key = {{1, 2}, "content", 7};
    unsigned char code[500] = {0};
    size_t size;
    struct rlimit none = {64, 64};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    DiskCache *cache = disk_cache_open(w->mem, w->folder, "full");
    disk_cache_store(cache, &key, code, sizeof code);
    return disk_cache_totals(cache).errors == 1 && !disk_cache_load(cache, w->mem, &key, &size);
}

static void a_full_disk_does_no_harm(void **state)
{
    World *w = *state;
    assert_true(in_child(w, survives_a_full_disk));
    assert_int_equal(use_blocks(w, (JitOptions){.cache = w->folder}, 5).functions_compiled, 5);
}

/* Root may write anywhere; so this is done as somebody else. */
static bool reads_but_cannot_write(World *w)
{
    enum { NOBODY = 65534 };
    unsigned char code[100] = {1, 2, 3}, *loaded;
    DiskKey first = {{1, 2}, "first", 5}, second = {{3, 4}, "second", 6};
    size_t size = 0;
    if (geteuid() == 0 && (chown(w->folder, NOBODY, NOBODY) != 0 || setuid(NOBODY) != 0))
        return false;
    DiskCache *cache = disk_cache_open(w->mem, w->folder, "flavour");
    disk_cache_store(cache, &first, code, sizeof code);
    if (chmod(w->folder, 0500) != 0)
        return false;
    disk_cache_store(cache, &second, code, sizeof code);
    loaded = disk_cache_load(cache, w->mem, &first, &size);
    bool read = loaded && size == sizeof code && memcmp(loaded, code, size) == 0;
    DiskTotals totals = disk_cache_totals(cache);
    bool written = disk_cache_load(cache, w->mem, &second, &size) || totals.errors != 1;
    return chmod(w->folder, 0700) == 0 && read && !written;
}

static void a_read_only_folder_is_read(void **state)
{
    assert_true(in_child(*state, reads_but_cannot_write));
}

static void count_sound(void *context, const DiskEntry *entry)
{
    uint32_t *sound = context;
    *sound += entry->sound && entry->bytes > 0;
}

static void eight_processes_share_a_folder(void **state)
{
    World *w = *state;
    pid_t child[8];
    for (uint32_t i = 0; i < 8; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            for (uint32_t round = 0; round < 3; round++) /* each starts elsewhere, all meet */
                use_blocks(w, (JitOptions){.cache = w->folder, .batch = 3 + i}, 60);
            _exit(0);
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        assert_int_equal(status, 0);
    }
    uint32_t sound = 0;
    uint64_t entries = disk_cache_list(w->mem, w->folder, count_sound, &sound);
    assert_true(entries > 60); /* functions, and objects that several of them share */
    assert_int_equal(sound, entries);
    assert_int_equal(disk_cache_clear(w->folder), entries); /* no temporary file was left */
}

static int run_all(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        /* first, while this process has no other thread: forks */
        TEST(eight_processes_share_a_folder),
        TEST(a_full_disk_does_no_harm),
        TEST(a_read_only_folder_is_read),
        TEST(old_entries_go_when_something_is_stored),
        TEST(nothing_starts_without_a_request),
        TEST(code_arrives_and_is_right),
        TEST(the_module_is_found_beside_the_program),
        TEST(a_known_shape_compiles_nothing),
        TEST(what_is_hot_is_optimised_and_old_code_stays),
        TEST(quick_code_overtakes_optimised_code),
        TEST(heat_before_the_first_code_counts),
        TEST(llvm_is_not_loaded_for_what_is_not_warm),
        TEST(kinds_and_layouts_are_entries_of_their_own),
        TEST(llvm_refuses_some),
        TEST(without_the_module_everything_is_refused),
        TEST(too_large_blocks_are_refused),
        TEST(out_of_memory_is_an_answer),
        TEST(requests_dropped_while_compiled),
        TEST(eviction_keeps_memory_flat),
        TEST(closing_does_not_wait_for_the_queue),
        TEST(quick_code_does_not_wait_for_optimised),
        TEST(closing_keeps_what_is_being_optimised),
        TEST(several_threads_share_a_service),
        TEST(fast_math_is_near_and_apart),
        TEST(perf_is_told_the_names),
        TEST(gdb_is_told_the_names),
        TEST(a_second_run_compiles_nothing),
        TEST(code_on_disk_comes_while_the_code_generator_loads),
        TEST(damaged_entries_are_dropped_and_made_anew),
        TEST(objects_that_cannot_be_linked_are_made_anew),
        TEST(entries_under_a_wrong_name_are_dropped),
        TEST(folders_that_cannot_be_used_do_no_harm),
    };
    return cmocka_run_group_tests_name("jit", tests, NULL, NULL);
}

int main(void)
{
    return soak_run("code that comes and goes", run_all);
}
