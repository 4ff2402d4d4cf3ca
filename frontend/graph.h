/* graph.h: pictures of the definitions of a program's main file, and of the causality of instances, in
 * the DOT language. */
#ifndef FRONTEND_GRAPH_H
#define FRONTEND_GRAPH_H

#include "frontend/world.h"

#include <stdio.h>

/* Both require program_check(), and give nothing back but text; false when memory ran out. */
bool graph_types(Program *program, FILE *out);
bool graph_packages(Program *program, FILE *out);

/* The causality of what exists in `world` now, after a commit. */
void graph_causality(const World *world, FILE *out);
/* The same with colours and lines of the caller's: as in DdpNames, for `context`. */
typedef struct GraphFill {
    void *context;
    void (*fill)(void *context, DdpNode node, char *colour, char *line, size_t size);
    void (*legend)(void *context, FILE *out);
} GraphFill;
void graph_causality_filled(const World *world, const GraphFill *fill, FILE *out);

#endif
