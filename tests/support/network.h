/* network.h: circuits and drive trains of the library as data: a seed -> a network -> its text in
 * Sol.
 *
 * A network is a list of elements between nodes. All that a reference needs to compute the same
 * network by other means is in it: kinds, nodes and parameters, whose laws stand below. The text
 * has the same elements in the same order, connected in an order that the seed shuffles.
 *
 *     Network net;
 *     network_random(&net, seed, NET_ANY);
 *     char *text = network_text(&net);
 *
 * At a node potentials are equal and flows, which count into the elements, add up to 0. In
 * mechanics q is an angle or a position, f a torque or a force; v = dq/dt. Of an element with two
 * ends, q = q[1] - q[0], f = f[1] = -f[0]; an electric one has u = u[0] - u[1], i = i[0] = -i[1].
 */
#ifndef TESTS_SUPPORT_NETWORK_H
#define TESTS_SUPPORT_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum NetDomain {
    NET_ROTATION,
    NET_TRANSLATION,
    NET_ELECTRIC,
    NET_DOMAINS,
    NET_ANY
} NetDomain;

/* p: parameters. */
typedef enum NetKind {
    NET_MASS,          /* p0*d2q/dt2 = f[0] + f[1], q[0] = q[1]; dq/dt = p1 at the start, q = 0 */
    NET_SPRING,        /* f = p0*(q - p1) */
    NET_DAMPER,        /* f = p0*v */
    NET_SPRING_DAMPER, /* f = p0*q + p1*v */
    NET_LEVER,         /* q[0] = p0*q[1], p0*f[0] + f[1] = 0: a lever, or a gear */
    NET_FIXED,         /* q[0] = 0 */
    NET_SPEED,         /* q[0] = p0*time */
    NET_FORCE,         /* f[0] = -p0 */
    NET_SINE_FORCE,    /* f[0] = -p0*sin(2*pi*p1*time + p2) */
    NET_FRICTION,      /* between two ends, Coulomb: p0 sliding, p0*p1 before, and p2*v on top */
    NET_BEARING,       /* the same between one end and the housing */
    NET_CLUTCH,        /* friction of p0*fn, p0*p3*fn at rest; fn = p1 up to time 1, then p2 */
    NET_ONE_WAY,       /* v >= 0, f <= 0, v*f = 0 */
    NET_HARD_STOP,     /* p0 <= q[0] <= p1, inelastic */
    NET_ELASTIC_STOP,  /* p2 times what q is beyond p0 or p1, damping p3 there; never pulls */
    NET_RESISTOR,      /* u = p0*i */
    NET_CAPACITOR,     /* i = p0*du/dt; u = p1 at the start */
    NET_INDUCTOR,      /* u = p0*di/dt; i = p1 at the start */
    NET_VOLTAGE,       /* u = p0*sin(2*pi*p1*time + p2) */
    NET_CURRENT,       /* i = p0*sin(2*pi*p1*time + p2) */
    NET_DIODE,         /* u <= 0, i >= 0, u*i = 0 */
    NET_SOFT_DIODE,    /* u = p0*i closed, i = p1*u open */
    NET_SWITCH,        /* u = p0*i from time p2 to p3, else i = p1*u */
    NET_IDEAL_SWITCH,  /* u = 0 from time p2 to p3, else i = 0 */
    NET_GROUND,        /* u[0] = 0 */
    NET_KINDS
} NetKind;

enum { NET_PARAMETERS = 4, NET_MOST = 40, NET_NAME = 16, NET_PATH = 40 };

typedef struct NetElement {
    NetKind kind;
    int node[2]; /* -1: nothing is connected there, its flow is 0; or there is no such end */
    double p[NET_PARAMETERS];
} NetElement;

typedef struct Network {
    NetDomain domain;
    uint64_t seed;
    int n_nodes, n;
    NetElement element[NET_MOST];
    double stop; /* a time within which something happens */
} Network;

/* Of one domain, or NET_ANY. The network is determined in all of its modes: rigid connections and
 * contacts, and voltages and diodes, form no circles; without diodes and currents all is connected.
 */
void network_random(Network *net, uint64_t seed, NetDomain domain);

/* A circuit without ideal diodes whose switches follow time: resistive ones, and ideal ones, which
 * change the structure, most of them with a resistor of their own. Coils and capacitors start with
 * something. */
void network_switched(Network *net, uint64_t seed);

char *network_text(const Network *net); /* in Sol, to be freed; the model is `Network` */

int network_ends(NetKind kind); /* 1 or 2 */
void network_name(const Network *net, int element, char name[NET_NAME]);
/* Potential or flow at an end of an element; another quantity of it by its name in the library. */
void network_potential(const Network *net, int element, int end, char path[NET_PATH]);
void network_flow(const Network *net, int element, int end, char path[NET_PATH]);
void network_member(const Network *net, int element, const char *name, char path[NET_PATH]);

/* What a source gives at that time: f[0], q[0], u or i; false: it is no source. */
bool network_source(const NetElement *element, double time, double *value);

/* Do values obey the laws? At a node, of sources, and of elements as far as they are no
 * derivatives; within `tolerance` of the largest term, or of 1. NET_LATE: an inequality does not
 * hold, as it may at a point where what it bounds goes beyond and comes back within a step. `wrong`
 * says what it is. */
typedef enum NetVerdict { NET_HOLDS, NET_LATE, NET_BROKEN } NetVerdict;
typedef double NetRead(void *context, const char *path);
NetVerdict network_look(const Network *net, double time, double tolerance, NetRead *read,
                        void *context, char *wrong, size_t size);

#endif
