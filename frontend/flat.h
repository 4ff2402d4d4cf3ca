/* flat.h: a World -> its variables, relations and branches as text. */
#ifndef FRONTEND_FLAT_H
#define FRONTEND_FLAT_H

#include "frontend/world.h"

/* Value of a variable for printing, false when there is none. */
typedef bool (*FlatValue)(const void *context, DdpVar var, double *value);

/* One line each, in the order of the text, instance by instance. */
bool flat_print(World *world, const char *name, FlatValue value, const void *context, FILE *out);

/* The same with the values of variables behind them, as comments. */
bool flat_print_values(World *world, const char *name, FlatValue value, const void *context,
                       FILE *out);

#endif
