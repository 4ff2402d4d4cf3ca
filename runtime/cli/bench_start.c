/* bench_start.c: a command line -> how long whole processes take from start to exit. See bench.h.
 *
 * The program runs itself, with the options that bench got and a cache folder that is empty the
 * first time; what the first run leaves there the second one finds. Processes of the engines take
 * turns. */
#define _GNU_SOURCE
#include "base/timer.h"
#include "runtime/cli/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_WORDS = 512 };

/* Words of the command line of one process: `run`, what bench got, and ours. */
typedef struct Words {
    char *at[MOST_WORDS];
    uint32_t n;
} Words;

static void add(Words *words, const char *word)
{
    if (words->n + 1 < MOST_WORDS)
        words->at[words->n++] = (char *)word; /* exec does not write to them */
}

static bool only_of_bench(const char *word, bool *with_value)
{
    static const char *const names[] = {"--runs", "--starts", "--cache"};
    size_t length = strcspn(word, "=");
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            *with_value = word[length] == '\0';
            return true;
        }
    return false;
}

static void fill(const Bench *bench, Words *words, const char *engine, const char *folder,
                 const char *output)
{
    words->n = 0;
    add(words, "solstice");
    add(words, "run");
    for (int i = 1; i < bench->argc; i++) {
        bool with_value;
        if (!only_of_bench(bench->argv[i], &with_value))
            add(words, bench->argv[i]);
        else if (with_value)
            i++;
    }
    const char *ours[] = {"--quiet", "--engine", engine, "--cache", folder, "--output", output};
    for (uint32_t i = 0; i < sizeof ours / sizeof *ours; i++)
        add(words, ours[i]);
    words->at[words->n] = NULL;
}

/* One process; its messages are those that bench has shown already. */
static int run_process(Bench *bench, const Words *words, BenchStart *to)
{
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    double begin = timer_now();
    int failed = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, words->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return EXIT_IO;
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return EXIT_IO;
    vec_push(bench->mem, &to->seconds, timer_now() - begin);
    double peak = (double)usage.ru_maxrss * 1024;
    to->peak_bytes = peak > to->peak_bytes ? peak : to->peak_bytes;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_DONE : EXIT_IO;
}

static int start_engine(Bench *bench, uint32_t engine, const char *folder)
{
    BenchSeries *series = &bench->series[engine];
    char cache[300], output[300];
    Words words;
    snprintf(cache, sizeof cache, "%s/code", folder);
    snprintf(output, sizeof output, "%s/r.solr", folder);
    bool cached = engine == SOL_ENGINE_JIT;
    fill(bench, &words, bench_engines[engine], cached ? cache : "off", output);
    int code = run_process(bench, &words, &series->first);
    if (code == EXIT_DONE && cached)
        code = run_process(bench, &words, &series->again);
    return code;
}

/* The folder is ours, flat but for the code in it: `rm -r` without a shell. */
static void remove_folder(const char *folder)
{
    char *argv[] = {"rm", "-rf", "--", (char *)folder, NULL};
    pid_t pid;
    if (posix_spawnp(&pid, "rm", NULL, NULL, argv, environ) == 0)
        waitpid(pid, NULL, 0);
}

int bench_starts(Bench *bench)
{
    const char *place = getenv("TMPDIR");
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < bench->starts && code == EXIT_DONE; i++)
        for (uint32_t e = 0; e < BENCH_ENGINES && code == EXIT_DONE; e++) {
            char folder[256];
            snprintf(folder, sizeof folder, "%.200s/solstice-bench-XXXXXX", place ? place : "/tmp");
            if (!mkdtemp(folder))
                code = EXIT_IO;
            if (code == EXIT_DONE) {
                code = start_engine(bench, e, folder);
                remove_folder(folder);
            }
        }
    return code;
}
