/* soak.h: which cases a random test runs: a fixed number of them in `make test`, as many as the
 * time allows in `make soak`.
 *
 *     Soak soak = soak_begin("drive trains", 150, 1);
 *     while (soak_next(&soak))
 *         check_drive_train(soak.seed);
 *     soak_end(&soak);
 *
 * All that is random in a case follows from soak.seed, and each case stands for itself: its seed
 * alone repeats it. From the environment come
 *
 *     SOAK_SECONDS   how long the program may run; without it the given number of cases is run
 *     SOAK_CASES     how many cases to run, whatever the time
 *     SOAK_SEED      the seed of the first case (1); those that follow have the next numbers
 *
 * A program that ends within a case, by a failed check, a signal or a sanitizer, says how to repeat
 * it.
 */
#ifndef TESTS_SUPPORT_SOAK_H
#define TESTS_SUPPORT_SOAK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Soak {
    const char *name; /* lives as long as the loop */
    uint64_t seed;    /* of the case that runs */
    uint64_t first, done, limit;
    double begun, seconds; /* seconds: 0 where cases are counted */
} Soak;

/* `cases`: number of them in `make test`. `share`: part of SOAK_SECONDS that this loop may take, 1
 * where the program has only this one. */
Soak soak_begin(const char *name, uint64_t cases, double share);
/* The next case, at least one; false when there are no more. */
bool soak_next(Soak *soak);
/* The case failed and the loop goes on: says how to repeat it. */
void soak_failed(Soak *soak);
/* Prints the number of cases and the first seed. */
void soak_end(Soak *soak);
/* Whether time sets the limit: `make soak`. */
bool soak_is_long(void);

/* For a program whose tests draw from streams of their own: a case runs all of them (`group` returns how
 * many failed), once in `make test`. Returns how many failed in all. */
int soak_run(const char *name, int (*group)(void));
/* The seed of a stream in the case that runs; in the first one of `make test` the number itself. */
uint64_t soak_seed(uint64_t stream);

#endif
