/* part_graph_int.h: what the files of the graph of parts share. Private to part_graph.c,
 * part_members.c, part_cut.c and part_verify.c. */
#ifndef RUNTIME_PARTS_PART_GRAPH_INT_H
#define RUNTIME_PARTS_PART_GRAPH_INT_H

#include "runtime/parts/parts.h"

/* ---- part_graph.c ---- */

bool part_graph_is_vertex(const Sim *sim, DdpVar var);
Part *part_graph_part_of(const Sim *sim, DdpVar var); /* NULL: of none */
uint32_t part_graph_size(const Part *part);           /* vertices */
bool part_graph_is_clocked(const Sim *sim, const EvalNode *node);

/* ---- part_members.c ---- */

void part_add_state(Part *part, PartState state);
PartState part_drop_state(Part *part, DdpVar var);
void part_add_node(Part *part, DdpNode node);
void part_drop_node(Part *part, DdpNode node);

/* ---- part_cut.c ---- */

/* Parts that what Sim.loop.cuts names held together become as many as there are pieces. */
void part_cut_settle(Sim *sim);

/* ---- part_verify.c, and what it asks of the others: in builds with verifiers ---- */

#ifdef SOLSTICE_VERIFY
void part_must(bool holds, const char *invariant, uint32_t which, const char *what);
void part_verify_homes(Sim *sim);
void part_verify_lists(Sim *sim, DdpNode node);
void part_cut_verify(Sim *sim, Part *part);
#else
static inline void part_verify_homes(Sim *sim)
{
    (void)sim;
}
#endif

#endif
