/* history.h: what variables were before: polynomials over stretches of time, for `delay`. Private to runtime/.
 *
 * A history begins at a birth; before that its variable was what it was then. It is a row of stretches, each a polynomial, and of
 * breaks between some of them, where the variable jumped or turned. Between two breaks lies a piece. Who reads says which piece: at a
 * break it has another value on either side, and an integrator that looks a little too far must not see the other side.
 *
 * Error rule: reading never fails; where nothing is known yet the value is NaN. */
#ifndef RUNTIME_HISTORY_H
#define RUNTIME_HISTORY_H

#include "base/pack.h"

#include <stdbool.h>

typedef struct HistorySet HistorySet;

enum { HISTORY_POINTS = 7 }; /* values that a stretch is made of; or 2, for a straight line */

HistorySet *histories_open(Mem *mem);
void histories_close(HistorySet *set);
void histories_pack(HistorySet *set, Pack *pack);

/* Its key with the piece before birth: what a reader passes. `any` piece: readers see all of them. */
double history_birth(HistorySet *set, double time, double value, bool any);
void history_death(HistorySet *set, double key);

/* The times at which `n` values of a stretch are wanted, the last one first: from `to` down to `from`. */
double history_time(double from, double to, uint32_t n, uint32_t i);
/* A polynomial through values at these times; evaluated, and its derivatives. */
double history_stretch_value(uint32_t n, const double *values, double from, double to, double time);
/* The next stretch of the last piece. */
void history_append(HistorySet *set, double key, double from, double to, uint32_t n,
                    const double *values);
void history_extend(HistorySet *set, double key, double to); /* its last stretch, a little */
/* The variable jumps (level 0) or turns here: another piece begins. */
void history_break(HistorySet *set, double key, double time, uint32_t level);
/* Where the piece of this key ends, and its level; INFINITY: nobody knows yet. */
double history_end(const HistorySet *set, double key, uint32_t *level);
bool history_is_fresh(const HistorySet *set,
                      double key); /* nothing was appended since its last break */
double history_last(const HistorySet *set, double key); /* the value there */
/* Nobody asks for what lies before. */
void history_forget(HistorySet *set, double key, double time);

/* Value, or derivative, at `time` in the piece of the key; NaN: not known yet. */
double history_value(const HistorySet *set, double key, double time, uint32_t order);

#endif
