/* start_int.h: who takes part when states are given where they begin (start_solve.c, start_attempts.c, start_parts.c, start_tell.c). */
#ifndef RUNTIME_EVENT_START_INT_H
#define RUNTIME_EVENT_START_INT_H

#include "runtime/event/event.h"
#include "runtime/solve/sparse_lu.h"

/* What a variable is to be: a start value, or 0 where it is what a condition is off by. */
typedef struct StartRow {
    DdpVar var;
    const StartMemo *start; /* NULL: a condition */
    DdpRel rel;             /* of a condition */
} StartRow;

typedef struct StartColumns {
    uint32_t n;
    uint32_t *at; /* in ascending order */
} StartColumns;

/* What can depend on what (start_pattern.c). */
typedef struct StartPattern {
    StartColumns *row; /* [n_rows] */
    uint32_t n_colours, n_groups;
    uint32_t *colour; /* [n_columns]: columns of one colour share no row */
    uint32_t *group;  /* [n_columns], from 1: of two groups no row has columns of both */
    uint32_t n_nodes; /* nodes that depend on columns, in order */
    DdpNode *node;
    uint32_t *node_column; /* [n_nodes]: one of them */
} StartPattern;

/* The square matrix where most of it is 0 (start_matrix.c). */
typedef struct StartSparse {
    bool is;
    SparseLu lu;
    VEC(int) first, row; /* compressed columns */
    VEC(double) value;
} StartSparse;

typedef struct Starts {
    Sim *sim;
    const StartPattern *among; /* its nodes alone can depend on columns; NULL: all can */
    uint32_t n_conditions;     /* they come first */
    bool anew;                 /* those that were given count too */
    bool
        early; /* a loop of the model has no solution where states are guessed: not all has values */
    uint32_t n_rows, n_columns, n; /* n: equations that were found independent */
    uint32_t n_params;             /* the last columns: parameters that conditions determine */
    StartRow *row;                 /* wanted, in order of preference */
    DdpVar *column;
    uint32_t *chosen_row, *chosen_column; /* [n] */
    double *unit; /* [n_rows]: how large the terms of a condition are where one begins, 1 at most */
    Arena *arena;
    double *matrix; /* [n_rows][n_columns]: d row / d column; NULL: nobody asked for it */
    double *factor; /* [n_rows][n_columns]: row r had factor k times chosen row k taken away */
    double *system, *step, *old;
    uint32_t *pivot, *place; /* place: [n_columns] */
    StartSparse sparse;
    double *least, *most; /* [n_columns]: bounds */
    StartPattern pattern;
} Starts;

static inline bool start_is_conditioned(const Starts *s)
{
    return s->n_conditions > 0 || s->n_params > 0;
}

/* ---- start_solve.c ---- */

double start_off(const Starts *s, uint32_t row); /* NAN: it has no value at this point */
/* How far a condition is off, against what its sides consist of. */
double start_violation(const Starts *s, uint32_t row);
void start_find_units(Starts *s); /* at the guess */
bool start_is_chosen(const Starts *s, uint32_t row);
void start_choose(Starts *s); /* derivatives at the present point, and rows and columns by them */
void start_choose_met(
    Starts *s); /* the same where conditions hold: what they determine, however weakly */
void start_fill(Starts *s);             /* derivatives */
double start_distance(const Starts *s); /* largest difference of what was chosen */
bool start_evaluate(Starts *s);         /* with the columns as they are; false: that cannot be */
void start_set(Starts *s, uint32_t column, double value);
bool start_newton_step(Starts *s);
bool start_met(const Starts *s, uint32_t *worst, double *most); /* all conditions, within bounds */
#define START_MET 1e-9 /* against the terms of the equation */

/* ---- start_matrix.c ---- */

void start_make_room(Starts *s, Arena *arena); /* once rows and columns are known */
void start_close(Starts *s);                   /* also where there was no room made */
void start_make_matrix(Starts *s); /* room for it and for its elimination, which is dense */
/* Row by row in order of preference: a row that is no combination of those before is chosen together with the column of its largest
 * entry. Of a row, what is more than rounding: of conditions, of start values. */
void start_eliminate(Starts *s, double of_conditions, double of_starts);
bool start_factor(Starts *s); /* of the rows and columns that were chosen; false: singular */
void start_solve_linear(Starts *s, double *b);

/* ---- start_attempts.c ---- */

/* Conditions, by one way after the other. */
void start_attempt(Starts *s, Arena *arena);

/* ---- start_pattern.c ---- */

void start_find_pattern(Starts *s, Arena *arena);

/* ---- start_parts.c ---- */

/* Conditions of which there are too many, or columns that are left open: in sets that share nothing. */
typedef struct StartSets {
    uint32_t n;
    uint32_t *of;     /* [conditions or columns]: the set it is in, from 1; 0: in none */
    uint32_t *excess; /* [1 .. n]: so many of the set are too many, or open */
} StartSets;

StartSets start_sets_over(const Starts *s, Arena *arena);
/* `held`: columns that begin somewhere without a row of their own. */
StartSets start_sets_open(const Starts *s, const bool *held, Arena *arena);
/* Derivatives at a point where they are any numbers, of the greatest rank that was seen; the columns are left there. */
void start_fill_anywhere(Starts *s, Arena *arena);

/* ---- start_tell.c ---- */

bool start_is_conditions(const Starts *s,
                         uint32_t row); /* a start value that conditions overrule */
void start_note_free(const Starts *s);  /* states that nothing holds */
SolStatus start_refuse(Starts *s, uint32_t worst);
SolStatus start_refuse_param(Starts *s, uint32_t column);

#endif
