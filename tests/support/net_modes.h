/* net_modes.h: a circuit as data, a time and its states -> which of its diodes conduct, by a search
 * over all combinations.
 *
 * For every combination of open and closed diodes the circuit is a linear system of differential
 * and algebraic equations (tests/support/linear_dae.h); with the states it has one solution, or
 * these would have to jump. A combination is consistent where every closed diode has a current, and
 * every open one a voltage, of the right sign, or one that is zero and leaves to the right side by
 * its first derivative that is not zero. Combinations that have the same values are one answer.
 *
 *     NetModes *modes = net_modes_open(&net);
 *     NetFinding finding = net_modes_search(modes, time, state, &answer);
 *     net_modes_close(modes);
 */
#ifndef TESTS_SUPPORT_NET_MODES_H
#define TESTS_SUPPORT_NET_MODES_H

#include "tests/support/network.h"

typedef enum NetFinding {
    NET_ONE,
    NET_NONE,         /* a state would have to jump */
    NET_SEVERAL,      /* answers that are not the same */
    NET_DOUBTFUL,     /* rounding and errors of the integrator may decide which one */
    NET_UNDETERMINED, /* a combination has no solution, or many */
    NET_FINDINGS
} NetFinding;

typedef struct NetAnswer {
    uint32_t closed; /* a bit for each diode, in the order of elements */
    long double potential[NET_MOST], current[NET_MOST]; /* [node], [element] */
    long double size[2];                                /* the largest potential, current so far */
} NetAnswer;

typedef struct NetModes NetModes;

NetModes *net_modes_open(const Network *net); /* NULL: no diode, or too many */
/* state[i]: the voltage of a capacitor i, the current of a coil. The answer is one of those that
 * are consistent, where there are any. */
NetFinding net_modes_search(NetModes *modes, double time, const double *state, NetAnswer *answer);
void net_modes_close(NetModes *modes);

#endif
