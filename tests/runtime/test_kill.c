/* test_kill.c: 1,000 runs that are killed (SIGKILL) at random moments: each left a result that can
 * be read to its last complete record, and whose bytes are the beginning of what a whole run
 * writes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/results/result.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { KILLS = 100 }; /* a start takes ten times as long */
#else
enum { KILLS = 1000 };
#endif
enum { MOST_MS = 15 };

static const char model[] = "model Wave\n"
                            "implementation:\n"
                            "  static Real x; static Real v;\n"
                            "  v = der(x=x, start=1);\n"
                            "  der(x=v, start=0) = -x;\n"
                            "  if x > 0 then static Real up; up = 2*x;\n"
                            "  else then static Real down; down = 3*x; end;\n"
                            "end Wave;\n";

static char folder[] = "test_kill_XXXXXX";

static void in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static pid_t start_run(const char *result, const char *stop)
{
    char source[100];
    const char *program = getenv("SOLSTICE");
    in_folder(source, sizeof source, "Wave.sol");
    pid_t pid = fork();
    if (pid == 0) {
        execl(program ? program : SOLSTICE_BINARY_DIR "/solstice", "solstice", "run", source,
              "--stop", stop, "--interval", "0.01", "--quiet", "--output", result, (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void sleep_us(unsigned us)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000L * us}, NULL);
}

static uint8_t *load(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

/* Reads to the end; rows must come in order of time. */
static uint64_t check_readable(const char *path, uint64_t size)
{
    Mem *mem = mem_open();
    ResultReader *reader = result_open(mem, path);
    ResultRecord record;
    uint64_t rows = 0;
    double time = 0;
    while (result_next(reader, &record)) {
        if (record.kind != RESULT_ROW)
            continue;
        assert_true(record.time >= time);
        time = record.time;
        rows++;
    }
    assert_int_equal(result_end(reader), RESULT_CUT);
    assert_true(result_position(reader) <= size);
    result_close_reader(reader);
    mem_close(mem);
    return rows;
}

static void killed_runs_are_readable(void **state)
{
    char whole_path[100], path[100];
    size_t n_whole, n;
    uint64_t rows = 0;
    struct stat info;
    (void)state;
    in_folder(whole_path, sizeof whole_path, "whole.solr");
    in_folder(path, sizeof path, "k.solr");
    int status;
    pid_t pid = start_run(whole_path, "300");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    uint8_t *whole = load(whole_path, &n_whole);
    srand(1);
    for (int i = 0; i < KILLS; i++) {
        unlink(path);
        pid = start_run(path, "300000");
        /* every tenth run gets as far as writing rows, however slow the build */
        off_t wanted = i % 10 == 0 ? 1000 : 0;
        while (stat(path, &info) != 0 || info.st_size <= wanted)
            sleep_us(200);
        sleep_us((unsigned)(rand() % (1000 * MOST_MS)));
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        uint8_t *bytes = load(path, &n);
        rows += check_readable(path, n);
        /* the headers tell different stop times: compare from the first record after them */
        size_t from_a = 12 + 9 + (size_t)(bytes[12] | bytes[13] << 8);
        size_t from_b = 12 + 9 + (size_t)(whole[12] | whole[13] << 8);
        size_t most =
            (n_whole - from_b) / 10 * 9; /* the last step of the whole run ends at its stop */
        if (n > from_a)
            assert_memory_equal(bytes + from_a, whole + from_b,
                                n - from_a < most ? n - from_a : most);
        free(bytes);
    }
    free(whole);
    assert_true(rows > KILLS); /* the kills did hit runs that were writing */
}

int main(void)
{
    char path[100];
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed_runs_are_readable)};
    if (!mkdtemp(folder))
        return 1;
    in_folder(path, sizeof path, "Wave.sol");
    FILE *f = fopen(path, "w");
    if (!f || fputs(model, f) < 0 || fclose(f) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        const char *names[] = {"Wave.sol", "whole.solr", "k.solr"};
        in_folder(path, sizeof path, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return failed;
}
