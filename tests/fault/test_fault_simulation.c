/* test_fault_simulation.c: memory that runs out at every possible moment of a simulation -> a
 * message and SOL_MEMORY each time, a result that can be read as far as it was written, and nothing
 * lost.
 *
 * A small run with events, births and deaths, loops and compiled code is repeated, and each time
 * another allocation fails: of the simulation, of the recorder, of the code service, of KLU, and of
 * SUNDIALS (whose calls of malloc are caught by where they come from; sanitizers catch them first).
 * What is not reached: LLVM, libffi and the C library on their own account, the memory of the
 * compiling thread, and two places of SUNDIALS 6.4 that crash by themselves without memory:
 * SUNContext_Create, and the first setup of its GMRES, which frees twice.
 *
 * `make test` takes every k-th allocation from an offset that FAULT_SEED sets, FAULT_EVERY=1 takes
 * all.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */

#include "tests/support/slow.h"

#include "jit/jit_int.h"
#include "runtime/eval/blocks.h"
#include "runtime/sim/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "model Child\n"
    "interface: parameter Real k; static Real x;\n"
    "implementation:\n"
    "  static Real square;\n"
    "  der(x = x, start << k) = 3*(k - x) + sin(x = 5*time);\n"
    "  square = x*x;\n"
    "end Child;\n"
    "model Top\n"
    "interface: parameter Real s << 0.2;\n"
    "implementation:\n"
    "  static Real u; static Real i; static Real d; static Boolean on; static Integer n;\n"
    "  dynamic Child c; static Real y; static Real p; static Real q; static Real r;\n"
    "  static Real a; static Real b; static Real f;\n"
    "  0.4*der(x = u) = i - u;\n"
    "  sin(x = 9*time) = i + d + s*der(x = i) + u;\n"
    "  if on then d = 0; else then i = 0; end;\n"
    "  when i < 0 then on << false; n << pre(x = n) + 1; else when d > 0 then on << true; end;\n"
    "  when time > 0.3 then c <- Child{k << 0.4}; else when time > 0.8 then trash <- c; end;\n"
    "  if c? then y = c.x; else then y = u; end;\n"
    "  p + 2*q + 0.3*sin(x = r) = y; q - 0.3*p*p = u; r + p = 1 + q;\n"
    "  der(x = a, start << 1) = p - a - f;\n"
    "  2*der(x = b, start << 1) = f;\n"
    "  if time < 0.6 then a = b; else then static Child own{k << 0.1}; f = own.x; end;\n"
    "end Top;\n";

enum { MOST_ROWS = 400 };
static const double STOP = 1.2;

typedef struct Variant {
    const char *name;
    SolSolver solver;
    SolEngine engine;
    SolLinear linear;
    uint32_t n_sensitivities; /* by the parameter */
} Variant;

static const Variant variants[] = {
    {"interpreter, dense", SOL_SOLVER_IDA, SOL_ENGINE_INTERP, SOL_LINEAR_DENSE, 0},
    {"compiled, KLU", SOL_SOLVER_IDA, SOL_ENGINE_JIT, SOL_LINEAR_KLU, 0},
    {"Runge-Kutta", SOL_SOLVER_RK, SOL_ENGINE_INTERP, SOL_LINEAR_AUTO, 0},
    {"inline", SOL_SOLVER_INLINE, SOL_ENGINE_INTERP, SOL_LINEAR_AUTO, 0},
    {"GMRES", SOL_SOLVER_IDA, SOL_ENGINE_INTERP, SOL_LINEAR_KRYLOV, 0},
    {"sensitivities", SOL_SOLVER_IDA, SOL_ENGINE_INTERP, SOL_LINEAR_DENSE, 1},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- whose allocation fails ---- */

typedef enum Owner { SIMULATION, RECORDER, CODE, KLU, SUNDIALS, OWNERS } Owner;

/* Calls of other people's allocators: which one fails, and how many there were. */
typedef struct Foreign {
    uint64_t fail_at, count;
} Foreign;

static Foreign klu, sundials;
static const Sim *watched; /* whose run fails SUNDIALS */

static bool fails(Foreign *foreign)
{
    foreign->count++;
    return foreign->fail_at && --foreign->fail_at == 0;
}

/* The begin of SuiteSparse's record of functions, which all of its libraries call. */
typedef struct Allocator {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
} Allocator;

static Allocator before;

static void *klu_malloc_or_not(size_t n)
{
    return fails(&klu) ? NULL : before.malloc(n);
}

static void *klu_calloc_or_not(size_t n, size_t size)
{
    return fails(&klu) ? NULL : before.calloc(n, size);
}

static void *klu_realloc_or_not(void *p, size_t n)
{
    return fails(&klu) ? NULL : before.realloc(p, n);
}

static void catch_klu(void)
{
    Allocator *allocator = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
    assert_non_null(allocator);
    before = *allocator;
    *allocator = (Allocator){klu_malloc_or_not, klu_calloc_or_not, klu_realloc_or_not};
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { CATCHES_MALLOC = 0 };
static void find_sundials(void)
{
}
#else
enum { CATCHES_MALLOC = 1, MOST_RANGES = 32 };

static struct {
    uintptr_t from, to;
} range[MOST_RANGES];
static int ranges;

static int look_at_library(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; strstr(info->dlpi_name, "sundials") && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || ranges == MOST_RANGES)
            continue;
        range[ranges].from = info->dlpi_addr + header->p_vaddr;
        range[ranges].to = range[ranges].from + header->p_memsz;
        ranges++;
    }
    return 0;
}

static void find_sundials(void)
{
    dl_iterate_phdr(look_at_library, NULL);
    assert_true(ranges > 0);
}

static bool fails_for(const void *caller)
{
    for (int i = 0; i < ranges; i++)
        if ((uintptr_t)caller >= range[i].from && (uintptr_t)caller < range[i].to)
            return watched && watched->solve.sun && fails(&sundials);
    return false;
}

/* In front of the C library's. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
    return fails_for(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails_for(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails_for(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}
#endif

/* ---- one run ---- */

typedef struct Row {
    double time, first, sum;
} Row;

typedef struct Run {
    Mem *own; /* of recorder and result */
    char path[64];
    SolModel *model;
    Sol *sim;
    SolStatus status;
    uint64_t count; /* allocations of whoever was to fail */
    Row row[MOST_ROWS];
    int rows;
} Run;

static void fail_at(Run *run, Owner owner, uint64_t n)
{
    switch (owner) {
    case SIMULATION:
        mem_fail_at(run->model->mem, n);
        break;
    case RECORDER:
        mem_fail_at(run->own, n);
        break;
    case KLU:
        klu = (Foreign){.fail_at = n};
        break;
    case SUNDIALS:
        sundials = (Foreign){.fail_at = n};
        break;
    default:
        break;
    }
}

static uint64_t counted(const Run *run, Owner owner)
{
    return owner == SIMULATION ? mem_count(run->model->mem)
           : owner == RECORDER ? mem_count(run->own)
           : owner == KLU      ? klu.count
                               : sundials.count;
}

/* The code service is made with the simulation. */
static uint64_t fail_code(Run *run, Owner owner, uint64_t n)
{
    Jit *jit = owner == CODE && run->sim ? engine_jit(run->sim->sim->engine) : NULL;
    if (!jit)
        return 0;
    pthread_mutex_lock(&jit->lock);
    uint64_t count = mem_count(jit->mem);
    mem_fail_at(jit->mem, n);
    pthread_mutex_unlock(&jit->lock);
    return count;
}

static void read_rows(Run *run)
{
    ResultRecord record;
    Mem *mem = mem_open();
    ResultReader *reader = result_open(mem, run->path);
    while (reader && result_next(reader, &record)) {
        if (record.kind != RESULT_ROW || run->rows == MOST_ROWS)
            continue;
        Row *row = &run->row[run->rows++];
        *row = (Row){.time = record.time};
        for (uint32_t i = 0; i < result_column_count(reader); i++) {
            const ResultColumn *column = result_column(reader, i);
            if (column->alive)
                row->sum += (i + 1) * column->value;
        }
    }
    result_close_reader(reader);
    mem_close(mem);
}

/* Opens writer and recorder; without memory for them there is no run. */
static void simulate(Run *run, const Variant *variant, Owner owner, uint64_t n)
{
    SolOptions options = {.stop = STOP,
                          .steps = 12,
                          .solver = variant->solver,
                          .engine = variant->engine,
                          .linear = variant->linear,
                          .n_sensitivities = variant->n_sensitivities,
                          .sensitivities = (const char *[]){"s"},
                          .jit_wait = true,
                          .cache = "off"};
    ResultWriter *volatile writer = NULL;
    Recorder *volatile recorder = NULL;
    MemGuard guard;
    run->status = SOL_MEMORY;
    mem_guard_push(run->own, &guard);
    if (setjmp(guard.env) == 0) {
        writer = result_create(run->own, run->path, 0, NULL);
        recorder = record_open(run->own, writer, &(RecordOptions){0});
        mem_guard_pop(run->own, &guard);
    }
    if (recorder) {
        run->sim = sol_create(run->model, NULL, &options);
        run->status = sol_model_status(run->model);
    }
    uint64_t code_before = fail_code(run, owner, n);
    if (run->sim) {
        record_attach(recorder, run->sim);
        watched = run->sim->sim;
        run->status = sol_run_to(run->sim, STOP);
        watched = NULL;
    }
    run->count = counted(run, owner);
    if (owner == CODE)
        run->count = fail_code(run, owner, 0) - code_before;
    if (recorder && record_out_of_memory(recorder))
        run->status = SOL_MEMORY;
    if (run->sim && run->status != SOL_OK)
        assert_int_not_equal(sol_run_to(run->sim, STOP), SOL_OK); /* it does not go on */
    fail_at(run, owner, 0);
    sol_close(run->sim);
    record_close(recorder);
    if (writer)
        result_close(writer);
}

static bool says_exhausted(const SolModel *model)
{
    SolMessage message;
    for (uint32_t i = 0; sol_message(model, i, &message); i++)
        if (message.severity == SOL_ERROR && strstr(message.text, "out of memory"))
            return true;
    return false;
}

static Run *run_once(const Variant *variant, Owner owner, uint64_t n)
{
    Run *run = calloc(1, sizeof *run);
    run->own = mem_open();
    snprintf(run->path, sizeof run->path, "test_fault_%d.solr", (int)getpid());
    run->model = sol_load(&(SolLoad){.path = "m.sol", .text = text, .length = strlen(text)});
    assert_int_equal(sol_model_status(run->model), SOL_OK);
    uint64_t loaded = owner == SIMULATION ? mem_count(run->model->mem) : 0;
    fail_at(run, owner, n);
    simulate(run, variant, owner, n);
    run->count -= loaded;
    read_rows(run);
    return run;
}

static void end_run(Run *run)
{
    sol_unload(run->model);
    mem_close(run->own);
    unlink(run->path);
    free(run);
}

/* ---- every allocation ---- */

/* What was written is what the whole run has: the same rows, up to where it stopped. */
static bool is_begin_of(const Run *part, const Run *whole)
{
    for (int i = 0; i < part->rows; i++)
        if (i >= whole->rows || memcmp(&part->row[i], &whole->row[i], sizeof(Row)) != 0)
            return false;
    return true;
}

static void check_failure(const Run *run, const Run *whole, const Variant *variant, Owner owner,
                          uint64_t n)
{
    static const char *const names[] = {"the simulation", "the recorder", "the code service", "KLU",
                                        "SUNDIALS"};
    bool told = owner == RECORDER || says_exhausted(run->model);
    bool ended = run->status == SOL_OK && run->rows == whole->rows;
    bool fine = owner == CODE ? ended : run->status == SOL_MEMORY && told;
    fine |= owner == KLU && ended; /* what it has too much of it keeps, if need be */
    if (fine && is_begin_of(run, whole))
        return;
    sol_print_messages(run->model, 0, stderr, false);
    fail_msg("%s: allocation %lu of %s failed: status %d, %s, %d of %d rows%s", variant->name,
             (unsigned long)n, names[owner], run->status, told ? "told" : "not told", run->rows,
             whole->rows, is_begin_of(run, whole) ? "" : ", and others");
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* Of so many allocations, about `wanted`. */
static uint64_t stride(uint64_t count, uint64_t wanted)
{
    uint64_t every = number_of("FAULT_EVERY", count / wanted);
    return every ? every : 1;
}

static void fail_everywhere(const Variant *variant, Owner owner, uint64_t wanted, uint64_t least)
{
    Run *whole = run_once(variant, owner, 0);
    if (whole->status != SOL_OK)
        sol_print_messages(whole->model, 0, stderr, false);
    assert_int_equal(whole->status, SOL_OK);
    assert_true(whole->rows > 20 && whole->rows < MOST_ROWS);
    assert_true(whole->count >= least); /* or nobody could fail */
    uint64_t every = stride(whole->count, wanted), runs = 0;
    for (uint64_t n = 1 + number_of("FAULT_SEED", 1) % every; n <= whole->count;
         n += every, runs++) {
        Run *run = run_once(variant, owner, n);
        check_failure(run, whole, variant, owner, n);
        end_run(run);
    }
    printf("%s: %lu of %lu allocations failed\n", variant->name, (unsigned long)runs,
           (unsigned long)whole->count);
    end_run(whole);
}

enum { SOME = SLOW_BUILD ? 25 : 100 };

static void test_simulation(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        fail_everywhere(&variants[i], SIMULATION, SOME, 1000);
}

static void test_recorder(void **state)
{
    (void)state;
    fail_everywhere(&variants[0], RECORDER, SOME, 30);
}

static void test_code_service(void **state)
{
    (void)state;
    fail_everywhere(&variants[1], CODE, SOME / 2, 10);
}

static void test_klu(void **state)
{
    (void)state;
    fail_everywhere(&variants[1], KLU, SOME, 30);
}

static void test_sundials(void **state)
{
    (void)state;
    for (int i = 0; CATCHES_MALLOC && i < VARIANTS; i++)
        if (variants[i].solver == SOL_SOLVER_IDA && variants[i].linear != SOL_LINEAR_KRYLOV &&
            !variants[i].n_sensitivities) /* whose copies make contexts */
            fail_everywhere(&variants[i], SUNDIALS, SOME, 10);
}

/* Memory that is gone for good: at the limit, each of model, simulation and result ends in order.
 */
static void test_limit(void **state)
{
    (void)state;
    uint32_t refused = 0, stopped = 0, fine = 0;
    for (size_t limit = 120 * 1000; limit < 3000 * 1000 && fine < 3; limit += limit / 16) {
        SolModel *model = sol_load(&(SolLoad){
            .path = "m.sol", .text = text, .length = strlen(text), .memory_limit = limit});
        assert_non_null(model);
        SolOptions options = {.stop = STOP, .engine = SOL_ENGINE_INTERP};
        Sol *sim = sol_create(model, NULL, &options);
        SolStatus status = sim ? sol_run_to(sim, STOP) : sol_model_status(model);
        assert_true(status == SOL_OK || says_exhausted(model));
        refused += !sim;
        stopped += sim && status == SOL_MEMORY;
        fine += status == SOL_OK;
        assert_true(mem_peak(model->mem) <= limit || mem_used(model->mem) <= limit);
        sol_unload(model);
    }
    assert_true(refused && stopped && fine); /* the range has all three in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulation),   cmocka_unit_test(test_recorder),
        cmocka_unit_test(test_code_service), cmocka_unit_test(test_klu),
        cmocka_unit_test(test_sundials),     cmocka_unit_test(test_limit),
    };
    catch_klu();
    find_sundials();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
