/* net_soak.c: see net_soak.h. */
#include "tests/support/net_soak.h"
#include "tests/support/soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SolModel *net_soak_load(const Network *net, char **text)
{
    *text = network_text(net);
    return sol_load(&(SolLoad){.path = "network.sol",
                               .text = *text,
                               .length = strlen(*text),
                               .stdlib = SOLSTICE_SOURCE_DIR "/stdlib"});
}

void net_soak_report(const Network *net, SolModel *model, const char *text, SolStatus status,
                     const char *found)
{
    fprintf(stderr, "%s", text);
    sol_print_messages(model, 0, stderr, false);
    fprintf(stderr, "seed %llu: status %d, %s\n", (unsigned long long)net->seed, status, found);
}

bool net_soak(int argc, char **argv, const char *name, uint64_t cases, NetSoakRun run, void *tally,
              bool *fine)
{
    if (argc > 2) {
        *fine = run(strtoull(argv[2], NULL, 10), true, tally);
        return true;
    }
    Soak soak = soak_begin(name, cases, 1);
    while (soak_next(&soak))
        if (!run(soak.seed, false, tally))
            soak_failed(&soak);
    soak_end(&soak);
    return false;
}
