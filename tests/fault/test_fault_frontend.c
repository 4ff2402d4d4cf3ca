/* test_fault_frontend.c: memory that runs out at every possible moment of reading and checking a
 * model -> a message each time, nothing lost, no file left open. */
#include "frontend/frontend.h"
#include "frontend/graph.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const good = SOLSTICE_SOURCE_DIR "/tests/lang/good/inheritance.sol";
static const char *const bad = SOLSTICE_SOURCE_DIR "/tests/lang/bad/argument_missing.sol";
static const char *const uses_library = SOLSTICE_SOURCE_DIR "/tests/lang/library/uses.sol";

static int open_files(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static bool says_exhausted(Program *program)
{
    const Diags *diags = program_diags(program);
    for (uint32_t i = 0; i < diags->list.n; i++)
        if (strcmp(diags->list.at[i].text, "out of memory") == 0)
            return true;
    return false;
}

/* Reads, checks and finds; true when memory ran out. */
static bool work(Mem *mem, const char *path)
{
    const char *folders[] = {SOLSTICE_SOURCE_DIR "/tests/lang/library/more"};
    ProgramOptions options = {.n_folders = 1, .folders = folders};
    Program *program = program_open(mem, &options);
    if (!program)
        return true;
    program_load(program, path);
    program_check(program);
    Def *def = program_find(program, NULL);
    if (def)
        program_complete(program, def);
    bool exhausted = says_exhausted(program);
    if (exhausted) {
        assert_false(program_ok(program));
        assert_false(program_load(program, path)); /* nothing more can be asked of it */
        assert_false(program_check(program));
        assert_null(program_find(program, NULL));
    }
    program_close(program);
    return exhausted;
}

static void fail_everywhere(const char *path)
{
    int files = open_files();
    uint64_t n = 0;
    bool exhausted = true;
    while (exhausted) {
        Mem *mem = mem_open();
        mem_fail_at(mem, ++n);
        exhausted = work(mem, path);
        if (!exhausted)
            assert_true(mem_count(mem) < n);
        mem_close(mem);
        assert_true(n < 100000);
    }
    assert_true(n > 150); /* or the objects of arenas do not count */
    assert_int_equal(open_files(), files);
}

static void good_model(void **state)
{
    (void)state;
    fail_everywhere(good);
}

static void wrong_model(void **state)
{
    (void)state;
    fail_everywhere(bad);
}

static void model_with_library(void **state)
{
    (void)state;
    fail_everywhere(uses_library);
}

/* Memory that is gone for good, not for one request: the message comes out of the reserve. */
static void limited(void **state)
{
    (void)state;
    uint32_t exhausted = 0, runs = 0;
    for (size_t limit = 50 * 1000; limit < 1000 * 1000; limit += 7777) {
        Mem *mem = mem_open();
        mem_limit(mem, limit);
        exhausted += work(mem, good);
        runs++;
        assert_true(mem_peak(mem) <= limit);
        mem_close(mem);
    }
    assert_true(exhausted > 5 && exhausted < runs); /* the range has both ends in it */
}

static void graphs(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 30; n++) {
        Mem *mem = mem_open();
        Program *program = program_open(mem, NULL);
        assert_true(program_load(program, good) && program_check(program));
        FILE *out = fopen("/dev/null", "w");
        assert_non_null(out);
        mem_fail_at(mem, n);
        graph_types(program, out);
        graph_packages(program, out);
        fclose(out);
        mem_fail_at(mem, 0);
        program_close(program);
        mem_close(mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_model),
        cmocka_unit_test(wrong_model),
        cmocka_unit_test(model_with_library),
        cmocka_unit_test(limited),
        cmocka_unit_test(graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
