/* soak.c: environment -> the cases of a random test. See soak.h. */
#include "tests/support/soak.h"

#include "base/map.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is said of the case that runs if it fails; empty between loops. */
static char last_words[400];

static void say_last_words(void)
{
    size_t n = strlen(last_words), at = 0;

    while (at < n) {
        ssize_t written = write(STDERR_FILENO, last_words + at, n - at);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    last_words[0] = 0;
}

static void on_abort(int number)
{
    say_last_words();
    signal(number, SIG_DFL);
    raise(number);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

static void prepare_last_words(void)
{
    static bool prepared;

    if (prepared)
        return;
    prepared = true;
    atexit(say_last_words);
    signal(SIGABRT, on_abort);
    signal(SIGTERM, on_abort);
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    __sanitizer_set_death_callback(say_last_words);
#endif
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number that cannot be read ends the program: a run with another seed would be no repetition. */
static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return otherwise;
    errno = 0;
    double value = strtod(text, &end);
    if (*end || errno || !(value >= 0 && value < 9e15)) {
        fprintf(stderr, "soak: %s=%s is no number\n", name, text);
        exit(2);
    }
    return value;
}

bool soak_is_long(void)
{
    return number_of("SOAK_SECONDS", 0) > 0 && number_of("SOAK_CASES", 0) == 0;
}

Soak soak_begin(const char *name, uint64_t cases, double share)
{
    Soak soak = {.name = name, .begun = now()};

    prepare_last_words();
    say_last_words(); /* of a loop that a failed check has left */
    soak.first = (uint64_t)number_of("SOAK_SEED", 1);
    soak.limit = (uint64_t)number_of("SOAK_CASES", (double)cases);
    if (soak_is_long())
        soak.seconds = share * number_of("SOAK_SECONDS", 0);
    return soak;
}

bool soak_next(Soak *soak)
{
    bool more = soak->seconds > 0 ? !soak->done || now() - soak->begun < soak->seconds
                                  : soak->done < soak->limit;

    if (!more) {
        last_words[0] = 0;
        return false;
    }
    soak->seed = soak->first + soak->done++;
    snprintf(last_words, sizeof last_words,
             "soak: %s: case %llu failed; repeat it with SOAK_SEED=%llu SOAK_CASES=1\n", soak->name,
             (unsigned long long)soak->done, (unsigned long long)soak->seed);
    return true;
}

void soak_failed(Soak *soak)
{
    (void)soak;
    say_last_words();
}

void soak_end(Soak *soak)
{
    last_words[0] = 0;
    printf("soak: %s: %llu cases from seed %llu in %.1f s\n", soak->name,
           (unsigned long long)soak->done, (unsigned long long)soak->first, now() - soak->begun);
    fflush(stdout);
}

static uint64_t case_seed = 1;

uint64_t soak_seed(uint64_t stream)
{
    return case_seed == 1 ? stream : hash_u64(case_seed * 1000 + stream);
}

int soak_run(const char *name, int (*group)(void))
{
    int failed = 0;
    Soak soak = soak_begin(name, 1, 1);

    while (soak_next(&soak)) {
        case_seed = soak.seed;
        int now_failed = group();
        if (now_failed)
            soak_failed(&soak);
        failed += now_failed;
    }
    soak_end(&soak);
    return failed;
}
