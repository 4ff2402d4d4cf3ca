/* parts.h: independent parts of the dynamics: values at a time, slopes, who belongs together. Private to runtime/. */
#ifndef RUNTIME_PARTS_PARTS_H
#define RUNTIME_PARTS_PARTS_H

#include "runtime/eval/eval.h"

/* ---- part.c ---- */

Part *part_new(Sim *sim);
void part_free(Part *part);
void parts_open(Sim *sim, const Integrator *const *methods, bool (*brought)(Part *part));
void parts_clear(Sim *sim); /* there are none */
void parts_close(Sim *sim);
const Integrator *parts_integrator(const Sim *sim, PartMethod method); /* NULL: not opened */

typedef struct PartList {
    uint32_t n;
    Part *const *at;
} PartList;

SolStatus parts_status(const Sim *sim); /* why a part could not be brought to Sim.time */
void parts_recover(Sim *sim);           /* that is past */
bool parts_running(const Sim *sim);     /* they have integrators */
void parts_run(Sim *sim, bool running); /* from now on, or no longer */
PartList parts_touched(const Sim *sim); /* by the event: to be started or searched again */
void parts_forget_touched(Sim *sim);
PartList parts_due(const Sim *sim); /* whose event it is */
/* An event: nobody is due yet; where the values before it are taken (Sim.time: nowhere else). */
void parts_next_event(Sim *sim, double left);
void parts_set_left(Sim *sim, double time);
double parts_left(const Sim *sim);
double parts_event_time(const Sim *sim); /* while its left side is looked at */
void part_is_due(Part *part);
bool part_due(const Part *part);         /* it is its event */
void part_search_later(Part *part);      /* for events behind the one that is past */
Part *parts_next_search(Sim *sim);       /* that has to be; NULL: there is none */
void part_count(Part *part, int change); /* in SimCounts.parts */
void part_disturb(Part *part);           /* something its dynamics reads changed: restart */
void part_search_again(Part *part);
void part_touch(Part *part); /* its orders have to be settled */
void part_bring(
    Part *part,
    EvalHow how); /* its values at Sim.time, all evaluated; failures go to bring_status */
/* As part_bring at an output point, but of its values only states come into Sim.value; the others are where the view says, and the
 * part has not met. value NULL: it has to be brought. */
struct TapeView part_view(Part *part);
bool part_evaluate_wanted(Part *part); /* its states only; false: brought here as a whole */
bool part_may_evaluate_wanted(
    Part *part); /* one of its nodes is to be evaluated alone; false: likewise */
SolStatus parts_bring_all(Sim *sim, EvalHow how);
SolStatus parts_bring_due(Sim *sim, EvalHow how); /* those whose event it is */
void parts_look_at(Sim *sim, double time);        /* parts are brought there when they are asked */
/* The event at Sim.time: its left side, and back again. Parts whose event it is not are evaluated once for
 * both. */
void parts_look_left(Sim *sim);
void parts_look_right(Sim *sim);
void parts_look_anew(Sim *sim); /* values of parts were overwritten: evaluated again when asked */
void part_at(Part *part, double time);     /* its states there, into Sim.value */
void part_remember(Part *part);            /* comparisons as they are now */
const NodeList *part_dynamics(Part *part); /* its dynamics as a list, in order */
/* The unknowns' variables: i-th state or tearing variable. */
DdpVar part_unknown(const Part *part, uint32_t i);
/* Slopes at values of the unknowns: all dynamics evaluated, loops solved in place but for outer
 * ones, whose residuals go to `residuals`. 0, or positive: no value there, try a smaller step. */
int part_evaluate(Part *part, double time, double *residuals);
/* All that varies in it at `time`, conditions too, from the states in Sim.value. */
SolStatus part_evaluate_all(Part *part, double time, EvalHow how);
/* Where the iterations of its loops begin, whoever looked in between: as they are now, which is kept
 * at the end of a step, too. */
void part_note_loops(Part *part);
void part_keep_loops(Part *part);
void part_put_loops(Part *part);
/* Does some slope follow the clock, not only the states? */
bool part_follows_clock(const Part *part);
/* States, and tearing variables of outer loops, into Sim.value. */
void part_put_unknowns(Part *part, const double *unknowns);
/* Slopes, and residuals of outer loops, at these unknowns, by the fastest way there is; where that is
 * a tape, Sim.value knows nothing of it. residuals NULL: outer loops are solved, and only states
 * are unknowns. Results as part_evaluate; when it is not 0, Sim.value has what was evaluated. */
int part_slopes(Part *part, double time, const double *unknowns, double *slopes, double *residuals);
/* After part_slopes elsewhere, by whatever way: values are those of the present again. `slopes`: room. */
void part_return(Part *part, const double *states, double *slopes);

/* ---- part_heap.c ---- */

/* The key of a part in one of the heaps changed; one that does not belong there leaves it. */
void part_reorder(Part *part);
bool part_needs_steps(const Part *part);
double parts_first_key(const Sim *sim, int which);
Part *parts_first(const Sim *sim, int which, uint32_t i);
const Part *parts_second(const Sim *sim); /* whose turn comes next; NULL: parts are few */
/* The part with the second index has the first one now, which has nobody. */
void part_heap_rename(PartHeap *heap, uint32_t to, uint32_t from);
void part_heaps_close(Sim *sim);

/* ---- part_graph.c: which parts there are ---- */

void part_graph_take_out(Sim *sim, DdpNode node); /* before a node goes or changes */
void part_graph_state_ends(Sim *sim, DdpVar var, DdpVar slope);
void part_graph_state_begins(Sim *sim, DdpVar var, DdpVar slope);
const NodeList *part_graph_unsettled(const Sim *sim); /* nodes whose place may have changed */
void part_graph_unsettle(Sim *sim, DdpNode node);
void part_graph_unclock(Sim *sim, DdpVar var); /* lost its node: does it follow the clock? */
void part_graph_settle(Sim *sim);              /* after a final commit: parts fit the structure */
void part_graph_root(Sim *sim, DdpNode node); /* one of its variables became a condition, or none */
void part_graph_verify(Sim *sim);             /* debug builds: parts are the connected components */

/* ---- evaluate_fetch.c ---- */

Part *part_of_var(const Sim *sim, DdpVar var); /* that brings it to a time; NULL: none does */
/* Values at Sim.time of `var` and of what it needs: its part is brought there, an output evaluated.
 */
SolStatus evaluate_fetch(Sim *sim, DdpVar var, EvalHow how);
/* The same without bringing any part there: false when that would be needed. */
bool evaluate_fetch_brought(Sim *sim, DdpVar var, EvalHow how);
SolStatus evaluate_outputs(Sim *sim); /* all of them */
/* The same where none waits since the last event. They are not marked as evaluated: who asks for one
 * evaluates it again. */
SolStatus evaluate_outputs_again(Sim *sim);

/* ---- output_plan.c ---- */

typedef struct VarList {
    uint32_t n;
    const DdpVar *at;
} VarList;

VarList output_plan_vars(const Sim *sim); /* whose values the output wants */
void output_plan_want(Sim *sim, DdpVar var);
void output_plan_unwant(Sim *sim, DdpVar var); /* if it was */
void output_plan_pack_wanted(Sim *sim, Pack *p);
void output_plan_number_wanted(Sim *sim); /* ValueInfo.wanted, from the list */

/* Values at Sim.time of all wanted variables, at an output point, after which nobody needs the
 * rest: of a part only what they need is evaluated, and the part itself is not brought here. */
SolStatus output_plan_wanted(Sim *sim);
void output_plan_clear(Sim *sim);  /* all of it */
void output_plan_forget(Sim *sim); /* what they need is different now */

#endif
