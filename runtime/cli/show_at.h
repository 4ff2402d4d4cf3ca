/* show_at.h: `flat --at T`, `graph --at T`, `linearize --at T`: run to a time, then show what is there. */
#ifndef RUNTIME_CLI_SHOW_AT_H
#define RUNTIME_CLI_SHOW_AT_H

#include "runtime/cli/solver_options.h"

/* The options of the run, as they are read. */
typedef struct ShowAt {
    OptionNumber time;
    double until; /* beyond `time`: how far it may be run on */
    OptionTexts sets;
    SolverOptions solver;
} ShowAt;

enum { SHOW_AT_OPTIONS = SOLVER_OPTIONS + 2 };

void show_at_table(ShowAt *at, Option table[SHOW_AT_OPTIONS]);
/* Options of a run that is not asked for: a message and EXIT_USAGE. */
int show_at_check(const Args *args, const ShowAt *at);
/* Anything else that is done with the simulation there. */
typedef SolStatus (*ShowSim)(void *context, Sol *sim);
int show_at_with(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at,
                 ShowSim show, void *context, bool code);
/* `code`: by native code, waited for, because what is shown tells of it. An exit code, after messages on
 * stderr. */
int show_at(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at,
            SolStatus (*print)(Sol *sim, FILE *out), bool code);

#endif
