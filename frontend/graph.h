/* graph.h: pictures of the definitions of a program's main file, in the DOT language. */
#ifndef FRONTEND_GRAPH_H
#define FRONTEND_GRAPH_H

#include "frontend/frontend.h"

#include <stdio.h>

/* Both require program_check(), and give nothing back but text; false when memory ran out. */
bool graph_types(Program *program, FILE *out);
bool graph_packages(Program *program, FILE *out);

#endif
