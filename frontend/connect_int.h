/* connect_int.h: private to connect.c (sets and edges), connect_sum.c (zero-sums), connect_vars.c (their variables) and
 * their verifier. */
#ifndef FRONTEND_CONNECT_INT_H
#define FRONTEND_CONNECT_INT_H

#include "frontend/world_int.h"

enum { FAN = 8, LEVELS = 10 };

typedef struct Node {
    uint32_t model, inst; /* InstIds */
    uint32_t bundle;
    uint32_t other; /* next node of the same instance in the same model, for another bundle */
    uint32_t set;   /* 0: free */
    uint32_t first_edge;
    uint32_t sum; /* of level 0 that it is a term of */
    uint8_t slot;
    bool own;  /* of the model's own interface: flows count negative */
    bool told; /* open, and a note was given */
} Node;

/* Nobody connects it: it is a set by itself, so that its flows are 0. */
static inline bool node_is_open(const Node *node)
{
    return node->set && !node->first_edge;
}

/* An edge between nodes that hang together already is a spare one: it is in no list and relates nothing until the set
 * falls apart without it. */
typedef struct Edge {
    uint32_t node[2]; /* 0: free, or spare where `inst` is not 0 */
    union {
        struct {
            uint32_t next[2],
                prev[2]; /* in the lists of its nodes; free: next[0] is the next free one */
        };
        struct {
            uint32_t end[2], bundle; /* InstIds */
            bool own[2], told;
        } spare;
    };
    uint32_t also; /* edge of the same connection for another bundle, or 0 */
    uint32_t inst, op;
    uint32_t link[2];
    uint32_t rels; /* index of a block of n_potentials relations; 0: none */
    Place at;
} Edge;

typedef struct Sum {
    uint32_t set; /* 0: free */
    uint32_t parent;
    uint32_t child[FAN];    /* nodes (level 0) or sums */
    uint32_t next, prev;    /* in the list of its level; next of a free one: the next free one */
    uint32_t vars, rels;    /* blocks of n_flows numbers; 0: none */
    uint8_t n, level, slot; /* slot: in the parent */
    bool listed, dirty;
} Sum;

typedef struct Set {
    uint32_t n; /* nodes; 0: free */
    uint32_t root;
    uint32_t open[LEVELS]; /* first sum with room; open[0] of a free set: the next free one */
    const Bundle *bundle;
    uint32_t n_potentials,
        n_flows; /* variables of each node: elements of arrays count one by one */
} Set;

typedef VEC(DdpVar) Vars;

/* One of the two sides that a removed edge leaves, searched edge by edge. */
typedef struct Side {
    VEC(uint32_t) nodes;
    VEC(uint32_t) via; /* the edge by which each was reached */
    uint32_t at, edge;
} Side;

struct Connect {
    World *world;
    Mem *mem;
    VEC(Node) node; /* all [0] unused */
    VEC(Edge) edge;
    VEC(Sum) sum;
    VEC(Set) set;
    uint32_t free_node, free_edge, free_sum, free_set;
    uint32_t n_edges, n_sets;
    uint32_t n_spares;
    bool lost;               /* an edge went: spare ones may be needed */
    Map node_of;             /* model and instance -> node */
    Map open_of;             /* instance whose nodes are open -> model */
    bool open_untold;        /* there are open nodes of which nothing was told */
    VEC(uint32_t) words;     /* blocks of numbers */
    uint32_t free_block[96]; /* by size: first free block, linked through its first word */
    VEC(uint32_t) dirty;
    Vars vars[2]; /* of what is being connected */
    Side side[2];
    Form equal;
    Map sum_forms; /* number of terms, signs, root -> form + 1 */
};

/* ---- connect.c ---- */

uint32_t connect_block_take(Connect *connect, uint32_t n); /* n zeroed numbers; index in words */
void connect_block_give(Connect *connect, uint32_t at, uint32_t n);
/* The part of the instance's terminals that belongs to a bundle; NULL: it has none of them. */
const Bundle *connect_bundle(const Connect *connect, const Inst *inst, uint32_t id);

/* Takes the instance part in a connection of the model, and not as a connector of the model's own interface? */
bool connect_is_term(const Connect *connect, InstId model, InstId inst);

void connect_use_spares(Connect *connect); /* where sets fell apart that they hold together */

/* Makes the flows of a connector 0 that nobody connects in the model, and no longer. False: it has no flows, or was open. */
bool connect_end_open(Connect *connect, InstId model, InstId inst);
void connect_end_close(Connect *connect, InstId inst);
void connect_end_read(Connect *connect, const Node *node); /* of nodes that come as they are */

/* ---- connect_vars.c ---- */

/* The same terminal of two instances that are connected. */
typedef struct Meeting {
    const Inst *end[2];
    const Terminal *terminal[2];
    Place at;
} Meeting;

/* Appends what a word is, or where an array lies there, its elements. */
void connect_elements(const Connect *connect, uint32_t word, uint32_t rank, Vars *out);
/* Appends the variables of the terminals. */
void connect_vars(const Connect *connect, InstId inst, uint32_t n, const Terminal *terminals,
                  Vars *out);
/* What each node of a set has that the instance belongs to. */
void connect_shape(const Connect *connect, Set *set, const Bundle *bundle, InstId inst);
/* Have the arrays of both ends the same sizes? Else a message. */
bool connect_fits(const Connect *connect, const Meeting *meeting);
bool connect_bundles_fit(const Connect *connect, const Inst *a, const Inst *b, uint32_t bundle,
                         Place at);

/* ---- connect_sum.c ---- */

/* Makes the node a term of its set's zero-sum, or no longer. */
void connect_sum_add(Connect *connect, uint32_t node);
void connect_sum_remove(Connect *connect, uint32_t node);

#endif
