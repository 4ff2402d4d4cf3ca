/* test_soak.c: the loop of a random test runs the cases that it should, and says which one failed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void surroundings(const char *seconds, const char *cases, const char *seed)
{
    setenv("SOAK_SECONDS", seconds, 1);
    setenv("SOAK_CASES", cases, 1);
    setenv("SOAK_SEED", seed, 1);
}

static void a_number_of_cases_without_surroundings(void **state)
{
    (void)state;
    surroundings("", "", "");
    Soak soak = soak_begin("some", 3, 1);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(soak_next(&soak));
        assert_true(soak.seed == seed);
    }
    assert_false(soak_next(&soak));
    assert_false(soak_is_long());
    soak_end(&soak);
}

static void seed_and_number_can_be_set(void **state)
{
    (void)state;
    surroundings("1000", "2", "77");
    Soak soak = soak_begin("two", 500, 1);
    assert_false(soak_is_long());
    assert_true(soak_next(&soak) && soak.seed == 77);
    assert_true(soak_next(&soak) && soak.seed == 78);
    assert_false(soak_next(&soak));
    soak_end(&soak);
}

static void time_sets_the_limit(void **state)
{
    (void)state;
    surroundings("0.2", "", "5");
    Soak soak = soak_begin("half of it", 1, 0.5);
    assert_true(soak_is_long());
    while (soak_next(&soak))
        usleep(1000);
    assert_true(soak.done > 1 && soak.done <= 101);
    soak_end(&soak);
    soak = soak_begin("no time", 1, 0.0000001);
    assert_true(soak_next(&soak)); /* one case at least */
    usleep(10);
    assert_false(soak_next(&soak));
    soak_end(&soak);
}

/* ---- what a loop says that ends early ---- */

static void leave(int way)
{
    Soak soak = soak_begin("early", 10, 1);
    while (soak_next(&soak))
        if (soak.done == 4 && way == 0)
            abort();
        else if (soak.done == 4 && way == 1)
            exit(1);
        else if (soak.done == 4 && way == 2)
            soak_failed(&soak);
    soak_end(&soak);
    exit(0);
}

static void words_of(int way, char *text, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        leave(way);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static void a_case_that_failed_can_be_repeated(void **state)
{
    char text[4000];
    (void)state;
    surroundings("", "", "20");
    for (int way = 0; way < 3; way++) {
        words_of(way, text, sizeof text);
        assert_string_equal(
            text, "soak: early: case 4 failed; repeat it with SOAK_SEED=23 SOAK_CASES=1\n");
    }
    words_of(3, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_of_cases_without_surroundings),
        cmocka_unit_test(seed_and_number_can_be_set),
        cmocka_unit_test(time_sets_the_limit),
        cmocka_unit_test(a_case_that_failed_can_be_repeated),
    };
    return cmocka_run_group_tests_name("soak", tests, NULL, NULL);
}
