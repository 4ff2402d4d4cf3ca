/* show_at.h: `flat --at T`, `graph --at T`: run to a time, then show what is there. */
#ifndef RUNTIME_CLI_SHOW_AT_H
#define RUNTIME_CLI_SHOW_AT_H

#include "runtime/cli/options.h"

typedef struct ShowAt {
    double time;
    const OptionTexts *sets; /* --set, and the same cut into paths and values */
    const OptionSets *values;
    SolStatus (*print)(Sol *sim, FILE *out);
    bool code; /* by native code, waited for: what is shown tells of it */
} ShowAt;

/* An exit code, after messages on stderr. */
int show_at(const Args *args, const char *name, const CliFolders *folders, const ShowAt *at);

#endif
