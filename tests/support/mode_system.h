/* mode_system.h: one combination of modes as a linear system -> its solution, by elimination in
 * long double. For tests that search all combinations; shares nothing with runtime/. */
#ifndef TESTS_SUPPORT_MODE_SYSTEM_H
#define TESTS_SUPPORT_MODE_SYSTEM_H

enum { MODE_MOST = 100 };

typedef struct ModeSystem {
    int n;
    long double a[MODE_MOST][MODE_MOST + 1]; /* the right side in column n */
} ModeSystem;

/* By complete pivoting; destroys it. 1: solved, 0: undetermined, -1: a contradiction. */
int mode_system_solve(ModeSystem *system, long double *x); /* room for n */

#endif
