/* solver_options.c: --solver, --rtol and their like -> SolOptions. See solver_options.h. */
#include "runtime/cli/solver_options.h"

#include <string.h>

static const char *const solvers[] = {"ida",   "auto",   "rk", "euler",
                                      "rodas", "inline", NULL}; /* SolSolver */
static const char *const methods[] = {"radau5",         "radau3",         "bdf3", "bdf2",
                                      "implicit-euler", "explicit-euler", NULL}; /* SolMethod */
static const char *const forms[] = {"ode", "dae", "auto", "whole", NULL};        /* SolForm */
static const char *const linears[] = {"auto", "dense", "klu", "krylov", NULL};   /* SolLinear */

void solver_options_table(SolverOptions *s, Option table[SOLVER_OPTIONS])
{
    const Option options[SOLVER_OPTIONS] = {
        {"--rtol", OPTION_POSITIVE, &s->rtol, NULL, false},
        {"--atol", OPTION_POSITIVE, &s->atol, NULL, false},
        {"--max-step", OPTION_POSITIVE, &s->max_step, NULL, false},
        {"--max-order", OPTION_COUNT, &s->max_order, NULL, false},
        {"--solver", OPTION_CHOICE, &s->solver, solvers, false},
        {"--method", OPTION_CHOICE, &s->method, methods, false},
        {"--step", OPTION_POSITIVE, &s->step, NULL, false},
        {"--form", OPTION_CHOICE, &s->form, forms, false},
        {"--linear", OPTION_CHOICE, &s->linear, linears, false},
        {"--seed", OPTION_COUNT, &s->seed, NULL, false},
        {"--max-events", OPTION_COUNT, &s->max_events, NULL, false},
        {"--max-updates", OPTION_COUNT, &s->max_updates, NULL, false},
    };
    memcpy(table, options, sizeof options);
    s->method = SOLVER_NO_METHOD;
}

int solver_options_check(const Args *args, const SolverOptions *s)
{
    if (s->max_order.given && (s->max_order.value < 1 || s->max_order.value > 5))
        return args_fail(args, "--max-order wants a number from 1 to 5");
    if (s->method != SOLVER_NO_METHOD && s->solver != SOL_SOLVER_INLINE)
        return args_fail(args, "--method is for --solver inline");
    if (s->form && s->solver != SOL_SOLVER_IDA)
        return args_fail(args, "--form %s is for --solver ida", forms[s->form]);
    if (s->max_updates.value > UINT32_MAX)
        return args_fail(args, "--max-updates wants a number up to %u", UINT32_MAX);
    return EXIT_DONE;
}

void solver_options_fill(const SolverOptions *s, SolOptions *to)
{
    to->rtol = s->rtol.value;
    to->atol = s->atol.value;
    to->max_step = s->max_step.value;
    to->max_order = (uint32_t)s->max_order.value;
    to->solver = (SolSolver)s->solver;
    to->method = s->method == SOLVER_NO_METHOD ? SOL_METHOD_RADAU5 : (SolMethod)s->method;
    to->step = s->step.value;
    to->form = (SolForm)s->form;
    to->linear = (SolLinear)s->linear;
    to->seed = s->seed.value;
    to->max_events = s->max_events.value;
    to->max_updates = (uint32_t)s->max_updates.value;
}
