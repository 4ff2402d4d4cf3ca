/* net_soak.h: random networks, one after the other: text, model, report of one that failed. */
#ifndef TESTS_SUPPORT_NET_SOAK_H
#define TESTS_SUPPORT_NET_SOAK_H

#include "runtime/solstice.h"
#include "tests/support/network.h"

/* The network with the library; its text is to be freed. */
SolModel *net_soak_load(const Network *net, char **text);

/* To standard error: the text, the messages, and what was found. */
void net_soak_report(const Network *net, SolModel *model, const char *text, SolStatus status,
                     const char *found);

/* One case; true: it is fine. */
typedef bool (*NetSoakRun)(uint64_t seed, bool print, void *tally);

/* All cases of the loop `name`, so many in `make test`. `PROGRAM print SEED` runs one and prints it. True: that was
 * it, the verdict is in `fine`. */
bool net_soak(int argc, char **argv, const char *name, uint64_t cases, NetSoakRun run, void *tally,
              bool *fine);

#endif
