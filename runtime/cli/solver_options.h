/* solver_options.h: the options that say how a model is integrated, shared by the commands that run one. */
#ifndef RUNTIME_CLI_SOLVER_OPTIONS_H
#define RUNTIME_CLI_SOLVER_OPTIONS_H

#include "runtime/cli/options.h"

typedef struct SolverOptions {
    OptionNumber rtol, atol, max_step, step;
    OptionCount max_order, seed, max_events, max_updates;
    uint32_t solver, method, form, linear;
} SolverOptions;

enum { SOLVER_OPTIONS = 12 };
#define SOLVER_NO_METHOD                                                                           \
    UINT32_MAX /* of SolverOptions.method, from solver_options_table() on: none was named */

void solver_options_table(SolverOptions *options, Option table[SOLVER_OPTIONS]);
int solver_options_check(const Args *args, const SolverOptions *options);
void solver_options_fill(const SolverOptions *options, SolOptions *to);

#endif
