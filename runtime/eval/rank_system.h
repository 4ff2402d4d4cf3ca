/* rank_system.h: some relations over some variables, at the present values. Private to runtime/.
 *
 * Relations that are no loop: derivatives by any of their variables, a point where all of them hold, and whether those that say
 * nothing new there say nothing new around it either.
 */
#ifndef RUNTIME_EVAL_RANK_SYSTEM_H
#define RUNTIME_EVAL_RANK_SYSTEM_H

#include "base/map.h"
#include "numerics/dense_rank.h"
#include "runtime/eval/eval.h"

typedef struct RankSystem {
    Sim *sim;
    VEC(DdpRel) rel; /* equations */
    VEC(DdpVar) var; /* that move */
    Map row, column; /* number + 1 of each */
    bool entered;    /* relations as they were entered, also where others stand in their place */
} RankSystem;

RankSystem rank_system_of_loop(Sim *sim, const EvalNode *node); /* square, in its order */
void rank_system_close(RankSystem *s);
DdpRelView rank_system_rel(const RankSystem *s, uint32_t i);
void rank_system_add_rel(RankSystem *s, DdpRel rel);
void rank_system_add_var(RankSystem *s, DdpVar var);

/* Relations with a variable that no other names leave, and so on: they are in no sum that vanishes. Those without any
 * leave, too. */
void rank_system_peel(RankSystem *s);

/* How far relation i is from holding, against the terms it consists of. */
double rank_system_violation(const RankSystem *s, uint32_t i);
double rank_system_worst(const RankSystem *s);

/* Would all relations hold if the variables, or where none are given all that they name, were 0? */
bool rank_system_holds_at_zero(const RankSystem *s);

/* Left minus right sides, and their derivatives; false: some have no value. The caller closes the second. */
bool rank_system_residuals(const RankSystem *s, double *r);
bool rank_system_derivatives(const RankSystem *s, DenseRank *out);

/* What is 0 in the eliminated derivatives, in units of rows and columns: rounding where all factors are numbers that were given, and
 * where they depend on variables, how well these are known. */
double rank_system_zero(const RankSystem *s);

/* From the present values to near ones where all relations hold, also where these leave some variables
 * open. False: there are none; values are where it came to rest. */
bool rank_system_settle(const RankSystem *s);

/* With the derivatives eliminated: variables move along what is open, such that the pivot rows go on to
 * hold. True: so do all others. Values are as they were. */
bool rank_system_follows(const RankSystem *s, const DenseRank *rank);

#endif
