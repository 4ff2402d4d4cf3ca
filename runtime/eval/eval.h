/* eval.h: nodes -> values. What the folders above use of eval/; larger pieces have headers of their own. */
#ifndef RUNTIME_EVAL_EVAL_H
#define RUNTIME_EVAL_EVAL_H

#include "runtime/part.h"

/* ---- values.c ---- */

void values_open(Sim *sim);
/* Who knows whether a start value was given to a variable in the present update. */
void values_ask_starts(Sim *sim, bool (*has_start)(const Sim *sim, DdpVar var));
void values_grow(Sim *sim); /* room for every variable the DDP knows */
/* A variable or parameter of the text, no derivative of one. */
bool values_declared(const Sim *sim, DdpVar var, WorldVar *view);
/* The error that tolerances allow of a variable so large: atol counts in units of its nominal value. */
double values_allowed(const Sim *sim, DdpVar var, double size);
double values_scale(const Sim *sim, DdpVar var);
void values_set_scale(Sim *sim, DdpVar var, double scale);
void values_close(Sim *sim); /* and all that eval/ keeps */

/* ---- cancel.c ---- */

/* For what may last: a cancellation was asked for and no consistent point came within a moment, so that what
 * is going on has to be broken off with SOL_CANCELLED. */
bool cancel_break_off(Sim *sim);
bool cancel_broke_off(const Sim *sim); /* it has been */
void cancel_ask(Sim *sim);             /* by any thread */
bool cancel_asked(Sim *sim);
void cancel_forget(Sim *sim);

/* ---- codes.c ---- */

double evaluate_foreign(void *sim, uint32_t function, uint32_t n, const double *args);
bool evaluate_all_finite(uint32_t n, const double *values);
double evaluate_code(Sim *sim, const Code *code, const uint32_t *vars);
bool evaluate_change_op(Sim *sim, EvalOp *op, X value); /* from now on; true: it may jump */
const Code *evaluate_make_code(Sim *sim, X x);          /* of one value without target */

/* ---- evaluate.c ---- */

/* What something is evaluated for; bits. */
typedef enum EvalHow {
    EVAL_PLAIN = 0,
    EVAL_TRIAL = 1, /* failures are no messages: whoever tries will try something else */
    EVAL_EVENT = 2, /* comparisons at their boundary are what they become behind it */
    EVAL_BACK = 4   /* what an update leaves alone gets its value, too, as it is before the event */
} EvalHow;

SolStatus evaluate_node(Sim *sim, DdpNode node, EvalHow how);
/* A loop whose functions that jump are decided with it; `changed`: one of them has another value. */
SolStatus evaluate_pieces(Sim *sim, DdpNode node, EvalHow how, bool *changed);
SolStatus evaluate_list(Sim *sim, const NodeList *list, EvalHow how);
void evaluate_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to, double *results);
void evaluate_tangent_ops(Sim *sim, const EvalNode *node, uint32_t from, uint32_t to,
                          double *result_tangents);
void evaluate_tangent_node(Sim *sim, DdpNode node); /* the same for a whole node, loops solved */
void evaluate_clear_tangents(Sim *sim, DdpNode node);
/* The relation that determines `var`, inside whatever node; 0: none. */
DdpRel evaluate_relation_of(const Sim *sim, DdpVar var);
bool evaluate_is_stale(const Sim *sim, const EvalNode *node);
/* Loops are not evaluated: branches have to be chosen first. */
void evaluate_hold_loops(Sim *sim, bool hold);
/* While loops wait: a loop, or what constraints determine by a division that may be by zero with this choice of states. */
static inline bool evaluate_holds(const Sim *sim, const EvalNode *node)
{
    return sim->eval.hold_loops && (node->loop || node->in_update.open);
}
bool evaluate_holds_loops(const Sim *sim);
double *evaluate_scratch(Sim *sim);                             /* of the interpreter */
SolStatus evaluate_output(Sim *sim, DdpNode node, EvalHow how); /* what it reads was */
/* An update begins, or its marks are made anew: the number of nodes that are left alone in it. */
uint32_t evaluate_next_update(Sim *sim);
void evaluate_note_commit(Sim *sim, const DdpResult *result);
const DdpResult *evaluate_committed(const Sim *sim); /* the last commit */

/* ---- slope.c, error_bound.c ---- */

/* Rate of change of `code`, over the variables of an operation of node n, along the solution. */
double slope_along(Sim *sim, DdpNode n, const EvalOp *op, const Code *code);

/* Sizes that bound the rounding of a value, what the tolerances of states make of it, its rate of
 * change along the solution, and the rounding of that (error_bound.c). */
typedef struct ErrorBound {
    double rounding, tolerance, speed, drift;
} ErrorBound;

ErrorBound error_bound(Sim *sim, const EvalOp *op, const Code *code); /* without drift */
ErrorBound error_bound_of_var(Sim *sim, DdpVar var);                  /* without drift */
ErrorBound error_bound_of_slope(Sim *sim, const EvalOp *op, const Code *code);

/* ---- node_order.c, blocks.c ---- */

void node_order_add(Sim *sim, NodeOrder *order,
                    DdpNode node);              /* it is there after node_order_settle */
void node_order_remove(Sim *sim, DdpNode node); /* from wherever it is, at once */
void node_order_shift(Sim *sim,
                      DdpNode node); /* its place in the order changed: out, and in again */
void node_order_settle(Sim *sim, NodeOrder *order);
void node_order_free(Sim *sim, NodeOrder *order);
void node_order_forget_fresh(NodeOrder *order);
void node_order_probe(Sim *sim, Segment *segment); /* finds out again whether conditions need it */
void node_order_list(Sim *sim, const NodeOrder *order, NodeList *list);
void node_order_sort(Sim *sim, NodeList *list); /* any nodes, into the order of the schedule */
SolStatus evaluate_node_order(Sim *sim, NodeOrder *order, EvalHow how); /* outer loops are solved */

/* ---- loop_solve.c ---- */

enum { LOOP_TORN = 60 }; /* most tearing variables of a loop that is solved torn */

/* Places behind the last of Sim.value and Sim.tangent, for residuals that native code computes. */
enum { VALUES_ROOM = 64 };

SolStatus loop_solve(Sim *sim, DdpNode node, EvalHow how);
/* From now on singular loops may change the structure (frontend/singular.c), or may not. */
void loop_solve_combine(Sim *sim, bool may);
void loop_solve_combine_no_more(Sim *sim);
bool loop_solve_may_combine(const Sim *sim); /* it is allowed, and nobody did yet */
/* `arbitrary`: equations said nothing new, so where they were solved means nothing. */
void loop_solve_note_combined(Sim *sim, bool arbitrary);
bool loop_solve_is_arbitrary(const Sim *sim);
bool loop_solve_combined(const Sim *sim);    /* one did: what was evaluated is to be done again */
DdpNode loop_solve_unsolved(const Sim *sim); /* the loop that was found so; 0: none */
void loop_solve_forget_whole(Sim *sim);      /* which loops lost digits, and those that are away */
void loop_solve_forget(Sim *sim, EvalNode *node);   /* all it keeps beside the node's block */
void loop_solve_put_away(Sim *sim, EvalNode *node); /* the same, but it may return with its mode */
bool loop_solve_is_singular(Sim *sim, EvalNode *node); /* at the present values; they stay */
/* Tangents of a loop's variables from those of what it reads, at its solution. */
void loop_solve_tangent(Sim *sim, DdpNode node);

/* ---- loop_keep.c ---- */

void loop_keep_begin(const EvalNode *node); /* it was made */
void loop_keep_outdate(
    EvalNode *node); /* of any node: its factors, if it has some, are to be made anew */
void loop_keep_note(Sim *sim, EvalNode *node);      /* its part begins here the next time */
void loop_keep_put(Sim *sim, EvalNode *node);       /* its part is about to begin */
bool loop_keep_must_be_whole(const EvalNode *node); /* by the DDP, or by its size */
/* The same loop lost digits when it was torn, in an earlier mode. */
bool loop_keep_is_known_whole(const Sim *sim, const EvalNode *node);
/* Elsewhere: it was solved, and begins in this form from now on; there is nothing to find out. */
void loop_keep_note_form(Sim *sim, EvalNode *node);
bool loop_keep_knows_how(const EvalNode *node);
bool loop_keep_is_alone(const EvalNode *node); /* no part evaluates it */
/* It is about to be solved, and where it begins is not given by its part. */
bool loop_keep_is_free(Sim *sim, EvalNode *node);
/* To begin with: the present values rounded; `found` gets these. */
void loop_keep_round(Sim *sim, EvalNode *node, double *found);
bool loop_keep_is_near(const Sim *sim, const EvalNode *node, const double *found);

/* ---- explain.c: failures in the modeller's words ---- */

const char *explain_keep(Sim *sim, const char *text); /* until explain_forget */
const char *explain_keep_n(Sim *sim, const char *text, size_t n);
void *explain_room(Sim *sim, size_t size); /* likewise */
void explain_forget(Sim *sim);             /* an event begins */
SolStatus explain_structure(Sim *sim);
SolStatus explain_newborn(Sim *sim);
const char *explain_var(Sim *sim, DdpVar var); /* path; explain_keep */
const char *explain_rel(Sim *sim, DdpRel rel);
/* What the branch is called, as far as it was asked for while paths are as they are; NULL: that may not be kept. */
BranchTexts *explain_texts(Sim *sim, BranchId branch, const WorldBranch *view);
char *explain_own(Sim *sim, const char *text); /* a copy, for BranchTexts */
void explain_forget_branch(Sim *sim, BranchMemo *memo);
const char *explain_condition(Sim *sim, BranchId branch); /* "path: text" */
/* The text alone; of a condition that has no expression now, the name of its variable. */
void explain_condition_text(const Sim *sim, const WorldBranch *branch, char *out, size_t size);
const char *explain_assertion(Sim *sim, const WorldBranch *branch); /* what should hold */
/* Notes: the equation that determines a variable, or those that do so together. */
void explain_determined_by(Sim *sim, DdpVar var);
void explain_values(Sim *sim, const EvalOp *op); /* notes: values of what it reads */
void explain_values_of(Sim *sim, DdpRel rel);    /* likewise, of all that the relation names */

/* ---- failure.c: what had no value inside a step, in case the integrator gives up ---- */

void failure_forget(Sim *sim); /* a step begins */
bool failure_next(Sim *sim,
                  NoValue *none); /* takes one of what had no value since the last point */
void failure_close(Sim *sim);
void failure_in_loop(Sim *sim, const EvalNode *node);
void failure_in_nodes(Sim *sim, const NodeList *list);
bool failure_tell(Sim *sim); /* a note; false: there was nothing */
bool failure_any(const Sim *sim);

/* ---- prefetch.c ---- */

/* Lies at `at`, so many bytes; 0 bytes: nowhere. */
void part_prefetch_note(Part *part, int which, const void *at, size_t bytes);
/* Hints to the processor: the head of a part will be read; then, memory first .. last of it. */
void part_prefetch_head(const Part *part);
void part_prefetch(const Part *part, int first, int last);

#endif
