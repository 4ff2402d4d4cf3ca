/* singular_int.h: private to singular.c (equations -> sums), singular_float.c (potentials that nothing
 * fixes), singular_keep.c (what is known of them after a change) and report_singular.c (words). */
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

/* singular_keep.c: a circuit without ground whose potential was set. */
typedef struct Kept {
    DdpRel rel; /* in whose place */
    bool live;
    bool touched;        /* listed, to be looked at */
    VEC(DdpVar) dirty;   /* in which its sum may not vanish any more */
    VEC(DdpRel) named;   /* relations that came and name what moves */
    VEC(DdpRel) changed; /* relations that may have to be taken otherwise than they were */
} Kept;

typedef struct KeptRel {
    int64_t times;
    uint32_t kept;
    DdpRel rel;
} KeptRel;

typedef struct KeptVar {
    int64_t amount;
    uint32_t kept;
    DdpVar var;
} KeptVar;

/* singular_float.c: a factor of a class of variables in an equation. */
typedef struct FloatCell {
    int64_t factor;
    uint32_t row, column;
} FloatCell;

/* To be told of the relation when all of an event has been decided. */
typedef struct SingularNote {
    DdpRel rel;
    Place at;
    char *text;
} SingularNote;

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
    Map replaced;         /* by this examination */
    VEC(DdpRel) bound;    /* singular_float.c: equations that must stay true */
    VEC(DdpRel) spread;   /* singular_float.c: equations whose nodes are asked */
    Map tried;            /* ... and variables that were */
    Map held;             /* variable of an island -> equation in whose place it was fixed */
    VEC(uint32_t) parent; /* [column], singular_float.c: of the same class, itself at the end */
    VEC(uint8_t) turned;  /* ... moves in the other direction */
    VEC(uint32_t) roots;  /* of classes, by rows of `moves` */
    VEC(FloatCell) cells;
    VEC(DdpVar) island;  /* what floats together */
    VEC(int64_t) amount; /* ... by how much each moves */
    VEC(DdpVar) watched; /* of these, what conditions read and what moves */
    VEC(int64_t) watched_amount;
    bool deferred;       /* what floats was fixed in part: the next examination sees what is left */
    bool later;          /* ... in the loop that is looked at */
    VEC(DdpVar) again;   /* a variable of each loop of which that is so */
    bool initial;        /* one under `if initial()` was set aside by this examination */
    bool opened;         /* it made flows of open connectors 0, or no longer */
    Map fixed;           /* potentials that this examination set to 0 */
    Map seen;            /* singular_float.c: relations and variables */
    VEC(Kept) kept;      /* singular_keep.c */
    uint32_t n_kept;     /* of these, in use */
    uint32_t kept_limit; /* when these lists are this long, what is of before goes */
    VEC(KeptRel)
    kept_rel; /* the sums, and what moves; entries that no map leads to are of before */
    VEC(KeptVar) kept_var;
    Map kept_rel_at, kept_var_at; /* relation, variable -> index + 1 */
    VEC(uint32_t) touched;        /* of kept */
    Map fresh_rel, fresh_var; /* that came since the last examination, where something is kept */
    Map aside; /* singular_numeric.c: relation that was set aside -> was that told? */
    VEC(SingularNote) notes;
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
 * all that moves with it, `watched` what of that conditions read. 0: there is none. */
DdpVar singular_floating(World *world, const Dependence *sum);

bool float_is_plain(World *world, DdpVar var); /* may it move? */
bool float_is_own(World *world, DdpVar var);   /* ... and no other equation names it */
/* Does a variable of its own, other than `asked`, make the equation true, wherever the others are? */
bool float_gives_way(World *world, const DdpRelView *view, DdpVar asked);

/* ---- singular_keep.c ---- */

DdpRel keep_choice(const World *world);     /* in whose place; 0: it cannot be kept */
void keep_island(World *world, DdpRel rel); /* the sum and the island that were just found */
void keep_examine(World *world);            /* after each commit */
void keep_entered(World *world, DdpRel rel, uint32_t n, const DdpVar *vars);
void keep_close(World *world);
void keep_pack(World *world, struct Pack *pack);

/* ---- report_singular.c ---- */

/* Each once. */
void tell_island(World *world, DdpRel rel, DdpVar at);
void tell_blocked(World *world, DdpRel rel); /* an island that conditions watch */
void drop_notes(World *world);
void tell_aside(World *world, const Dependence *sum, DdpRel rel);
void tell_hidden(World *world, const Dependence *sum);
void tell_redundant(World *world, DdpRel rel, uint32_t n, const DdpRel *others);
void tell_closed(World *world, DdpRel rel, DdpVar var);

#endif
