/* net_truth.h: a network as data -> its motion over time, by a program of its own.
 *
 * In a mode (who conducts, who sticks) a network is a linear system of differential and algebraic
 * equations in the potentials of its nodes and the flows of its elements;
 * tests/support/linear_dae.h solves it exactly. Boundaries are searched for between points and at
 * least values in between; behind one the modes that are on their wrong side change, together,
 * until none is. Two boundaries at nearly one time, a boundary that is only just touched, a state
 * that would have to jump by a rule of nobody's: from there on nothing is said.
 *
 *     static NetTruth truth;
 *     net_truth(&net, 60, &truth);
 */
#ifndef TESTS_SUPPORT_NET_TRUTH_H
#define TESTS_SUPPORT_NET_TRUTH_H

#include "tests/support/network.h"

enum { TRUTH_POINTS = 64, TRUTH_EVENTS = 512 };

typedef struct NetTruth {
    int n_points; /* that are known; point k at stop*k/points, beginning with 0 */
    double time[TRUTH_POINTS + 1];
    double potential[TRUTH_POINTS + 1][NET_MOST]; /* [node] */
    double flow[TRUTH_POINTS + 1][NET_MOST][2];   /* [element][end] */
    double size[2]; /* the largest potential, flow, up to the last point that is known */
    int n_events;
    double event[TRUTH_EVENTS]; /* times */
    double until;               /* what is behind is not known */
    const char *doubt;          /* why; NULL: all is known */
} NetTruth;

void net_truth(const Network *net, int points, NetTruth *truth);
/* The same with states that are off by `shake`, in parts of the largest, behind every event: how
 * far that leads away is what errors of that size may do. */
void net_truth_shaken(const Network *net, int points, double shake, NetTruth *truth);

#endif
