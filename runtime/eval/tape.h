/* tape.h: the orders of a part as a short list of calls over a vector of its own.
 *
 * Between events an integrator evaluates the same blocks again and again. A *tape* is what a part's
 * orders are at such a time, laid out for speed:
 *
 *   copies     `a = b` costs nothing: a has the place of b, and segments that only copy are not
 *              there.
 *   levels     a block has a level above those of all blocks that it reads. Blocks of one level do
 *              not read each other, so those of one shape with the same constants are one *batch*,
 *              wherever they stand in the order: life forms at level 1, the first sums of what
 *              they eat at level 2, and so on.
 *   places     the tape has its own vector of values. A batch writes each of its results as an
 *              array over its members. What it reads is an array too if nobody else laid it out
 *              before (states, parameters), or one place that all members share (the clock), or is
 *              gathered into an array ahead of the call. Neighbours in a field have places in the
 *              order of declaration, so that rows of members find theirs in rows. A batch for which most would have to be
 *              gathered has a table of places for each member instead.
 *   compares   comparisons that are searched for events are blocks of a last section: their truth
 *              and their differences are results in hidden places, and whether any of them
 *              changed is one sweep over an array.
 *
 * Simulation and events know nothing of it: they read and write Sim.value, by variable. States come
 * in with each evaluation, other inputs (held values, parameters) once after each event that
 * touched the part, slopes go out. So layouts may change at any time, need not be saved, and cannot
 * matter to results: the calls compute the bits that the interpreter computes.
 *
 * A tape is made after a few evaluations of one structure, in one pass over the orders. When they
 * change it is changed with them (tape_patch.c), until too much of it is patchwork or dead. A part
 * has none if it has loops. It is used as soon as all of its code is there; until then segments are
 * evaluated one by one (blocks.c).
 */
#ifndef RUNTIME_EVAL_TAPE_H
#define RUNTIME_EVAL_TAPE_H

#include "runtime/eval/blocks.h"
#include "runtime/eval/compare.h"

/* Something outside changed: inputs, or what comparisons are compared with, are read again. */
void tape_forget_inputs(Part *part);
void tape_close(Part *part);
void tape_forget_all(Sim *sim); /* those that might return: before the engine is closed */
/* Before a segment changes or goes, and when a node leaves or joins Part.watched. */
void tape_segment_leaves(Sim *sim, const Segment *segment);
void tape_compares_leave(Part *part, const EvalNode *node);
void tape_compares_come(Part *part, DdpNode node);
void tape_plan_free(Sim *sim,
                    struct SegmentPlan *plan); /* of a segment or node that changes; or NULL */

/* Slopes of all states at states y (NULL: those in Sim.value). False: there is no tape that is
 * ready, nothing was done. */
bool tape_slopes(Part *part, double time, const double *y, double *slopes);
/* Of each state: how many states its slope depends on, and which, ascending, until the structure
 * changes. False: not known. */
bool tape_rows(Part *part, uint32_t *n, const DdpVar **rows);
/* The same at the end of an event, from Sim.value. False also where comparisons are decided at
 * their boundary, of which a tape knows nothing. */
bool tape_at_event(Part *part);
bool tape_has_tangents(Part *part); /* asks for their code when there is none */
/* Was that the last evaluation of the part? If not, it was segment by segment, in Sim.value. */
bool tape_is_latest(const Part *part);
void tape_outdated(Part *part); /* the part is about to be evaluated segment by segment */
void tape_settle(Part *part);   /* Sim.value too knows what the last tape_slopes computed */
/* Tangents of slopes from those of the states and of the clock, at the states of the last
 * tape_slopes. */
void tape_tangent(Part *part, double clock, const double *states, double *slopes);

/* All variables of dynamics and conditions in Sim.value, from the states there. False: not ready,
 * or something is not finite, or comparisons have to be decided at their boundary. */
bool tape_evaluate(Part *part, double time, EvalHow how);

enum { TAPE_NOWHERE = UINT32_MAX };

/* What a tape has of the variables of its part, for who reads it there: Sim.value is spared the copy. */
typedef struct TapeView {
    const double *value; /* [place] */
    uint64_t number;     /* places are the same as when it was the same */
} TapeView;

/* As tape_evaluate, but nothing of it comes into Sim.value, and whether all is finite has to be seen by who looks. value
 * NULL: as when that is false, or nobody has looked often at this structure. */
TapeView tape_view(Part *part, double time);
/* Where those variables are that have a place: place[var]; others are left alone. */
void tape_view_places(const Part *part, uint32_t *place);

/* May a part of this simulation have a tape some time? */
bool tape_possible(const Sim *sim);

/* As compare_remember for Part.watched, from Sim.value. False: not ready, nothing was done. */
bool tape_remember(Part *part, double time);
typedef enum TapeLook {
    TAPE_BLIND, /* not ready, or somebody has to look closely */
    TAPE_QUIET, /* none has another value than at the begin of the interval that is searched */
    TAPE_MOVED  /* some have: those nodes are in `moved`, with their Compare.low */
} TapeLook;
/* The comparisons in Part.watched at states y. */
TapeLook tape_look(Part *part, double time, const double *y, NodeList *moved);
/* Of those that the clock drives, by the last look: the largest looks_surprise(). */
double tape_surprise(const Part *part, double at);
void tape_note_look(Part *part, double at); /* the last look, a quiet one at that time, counts */
/* Does it evaluate no more than comparisons need? Else a few of them are had for less without it. */
bool tape_probes(const Part *part);
/* Those in `moved` there: has one changed? Compare.low of theirs, or high and moved, are set
 * as that says. False: not ready, or something has no number. */
bool tape_look_moved(Part *part, double time, const double *y, const NodeList *moved,
                     bool *changed);
void tape_last_slopes(const Part *part, double *slopes); /* fixed steps: of the last quiet look */
/* Compare.low, lower and swing of all comparisons become what the last quiet look left. */
void tape_tell_compares(Part *part);
/* `left` and `low` of the comparisons of some nodes were set. */
void tape_hear_compares(Part *part, const NodeList *nodes);

#endif
