/* singular_int.h: private to singular.c (equations -> sums), singular_float.c (potentials that nothing
 * fixes) and report_singular.c (words). */
#ifndef FRONTEND_SINGULAR_INT_H
#define FRONTEND_SINGULAR_INT_H

#include "exact/exact.h"
#include "frontend/connect_int.h"

/* Equations, how often each is taken, and what is left of all of them together: constant + factors * vars
 * = 0. */
typedef struct Dependence {
    VEC(DdpRel) rels;
    VEC(int64_t) times;
    VEC(DdpVar) vars;
    VEC(int64_t) factors;
    double constant, scale; /* scale: of the constants that were added up */
} Dependence;

struct Singular {
    Exact *exact, *moves;      /* for sums of equations, for variables that move together */
    VEC(uint8_t) whole;        /* [Form]: 0 not asked yet, 1 all factors are whole numbers, 2 not */
    VEC(uint32_t) column;      /* [DdpVar]: number + 1 while a system is put together, else 0 */
    VEC(DdpVar) columns;       /* of the system */
    VEC(DdpRel) rows;          /* likewise */
    VEC(DdpVar) loops;         /* a variable of each loop that is to be looked at */
    VEC(uint32_t) row_columns; /* of one row */
    VEC(int64_t) row_factors;
    Dependence sum;
    Map replaced;       /* by this examination */
    VEC(DdpRel) bound;  /* singular_float.c: equations that must stay true */
    VEC(DdpRel) spread; /* singular_float.c: equations whose nodes are asked */
    Map tried;          /* ... and variables that were */
    Map held;           /* variable of an island -> equation in whose place it was fixed */
    VEC(DdpVar) island; /* what floats together */
    Map fixed;          /* potentials that this examination set to 0 */
    Map seen;           /* singular_float.c: relations and variables */
    Map aside;          /* singular_numeric.c: relation that was set aside -> was that told? */
    Map told;           /* hash of what was told -> 1 */
    uint64_t looked_at; /* equations, since the beginning */
};

/* ---- singular.c ---- */

bool singular_whole(World *world, const DdpRelView *view); /* an equation with whole factors */
bool singular_whole_factor(const World *world, const FormPosition *position, int64_t *factor);
int64_t singular_factor(const World *world, Form form, uint32_t position);
uint32_t singular_column(World *world, DdpVar var); /* a new one if need be */
void singular_forget_columns(World *world);

/* ---- singular_float.c ---- */

/* A potential of the nodes whose flows the equations sum up, that may have any value; `island` has
 * all that moves with it. 0: there is none. */
DdpVar singular_floating(World *world, const Dependence *sum);

/* ---- report_singular.c ---- */

/* Each once. */
void tell_island(World *world, DdpVar at);
void tell_aside(World *world, const Dependence *sum, DdpRel rel);
void tell_hidden(World *world, const Dependence *sum);
void tell_redundant(World *world, DdpRel rel, uint32_t n, const DdpRel *others);
void tell_closed(World *world, DdpRel rel, DdpVar var);

#endif
