/* event.h: comparisons, branches, updates, changes of structure. Private to runtime/. */
#ifndef RUNTIME_EVENT_EVENT_H
#define RUNTIME_EVENT_EVENT_H

#include "runtime/solve/solve.h"

/* ---- evaluate_change.c ---- */

void evaluate_order_changed(Sim *sim);      /* the heap follows the schedule */
void evaluate_give_up(Sim *sim);            /* what failed belongs to a change that is taken back */
void evaluate_gather(Sim *sim, DdpVar var); /* before its value changes */
/* values_set, on either side of an event. */
void values_set_how(Sim *sim, DdpVar var, double value, EvalHow how);
void evaluate_touch(Sim *sim, DdpVar var); /* its readers have to be evaluated */
void evaluate_touch_node(Sim *sim, DdpNode node);
void evaluate_disturb_part(const EvalNode *node); /* it was evaluated, or is another one now */
SolStatus evaluate_dirty(Sim *sim,
                         EvalHow how); /* until nothing is left but what waits for a value */
/* Loops outside of parts that the event made or touched: solved once, whoever looks, to know how. */
SolStatus evaluate_loops_alone(Sim *sim);
bool evaluate_release(Sim *sim); /* loops that were held back; false: there were none */
/* Nodes of the list that keep what is no longer so have to be evaluated; false: there are none. */
bool evaluate_touch_outdated(Sim *sim, const NodeList *list);
bool evaluate_is_determined(const Sim *sim, DdpVar var); /* in this update */
SolStatus evaluate_renew(Sim *sim, DdpNode node,
                         EvalHow how); /* and those who read it are due if it changed */
void values_set(Sim *sim, DdpVar var, double value); /* and whoever reads it has to be evaluated */

/* ---- nodes.c ---- */

DdpResult nodes_commit(Sim *sim, DdpCommit kind); /* ddp_commit, and everything kept up to date */
void nodes_apply(Sim *sim);                       /* the delta of the last commit */
void nodes_clear(Sim *sim);                       /* nothing is known of any */
void nodes_all_evaluated(Sim *sim);
void nodes_close(Sim *sim);
void event_close(Sim *sim); /* what event/ keeps beside nodes */
void evaluate_need(Sim *sim, DdpVar var, int kind, int change);
void evaluate_unsettle(Sim *sim, DdpNode node);

/* ---- world_host.c ---- */

void world_host_open(Sim *sim);

/* ---- structure.c ---- */

SolStatus structure_open_world(Sim *sim, Def *top); /* what comes before the first instance */
SolStatus structure_create(Sim *sim, Def *top);     /* instances; event_settle_start() follows */
bool structure_monitors(const Sim *sim, const Def *def); /* its instances are monitored */
SolStatus structure_choose(Sim *sim); /* Sim.decide.decisions as one structural change */
/* After that: commits, values and choices of the newborn until nothing changes. */
SolStatus structure_settle(Sim *sim);
SolStatus structure_finish(Sim *sim); /* final commit; diagnosis when it is not determined */
SolStatus structure_take_changes(Sim *sim);

/* ---- start_guess.c, start_solve.c ---- */

void start_guess(Sim *sim); /* first guesses of what follows from start values */

/* Start values of variables that are no states, met by the states that nobody gave a value. */
SolStatus start_solve(Sim *sim);
/* The same where a loop could not be solved with the states that were guessed: true, they have others, which meet the conditions. */
bool start_solve_early(Sim *sim);
void start_warn_left_over(Sim *sim, const StartMemo *start); /* if its variable begins elsewhere */

/* ---- select_check.c ---- */

void select_note(Sim *sim); /* after a commit: variables with stateSelect "always" or "never" */
SolStatus select_check(Sim *sim); /* after a final one, of those noted */

/* ---- integer_check.c ---- */

void integer_note(Sim *sim);       /* after a commit */
SolStatus integer_check(Sim *sim); /* after a final one, of those noted */

/* ---- update.c: rules U1, U2, U4, U5 ---- */

void update_is_due(Sim *sim); /* a structural change begins: it counts from its first commit on */
void update_begin(Sim *sim);
bool update_turned_back(Sim *sim);    /* more has to be evaluated */
void update_resume(Sim *sim);         /* the structure is complete */
SolStatus update_look_back(Sim *sim); /* an event begins: values of what is left alone */
void update_condition(Sim *sim, DdpVar var);
bool update_skips(Sim *sim, DdpNode node); /* it is due: is it left alone? */
SolStatus update_needs(Sim *sim,
                       DdpNode node); /* what it needs of what is left alone, if it acts */
SolStatus update_undecided(Sim *sim, uint32_t n, const DdpVar *vars); /* who waits is left alone */
bool update_left_alone(const Sim *sim, DdpVar var);
bool update_branch_turned(const Sim *sim, BranchId branch); /* it stands in a branch left alone */
bool update_branch_acts(const Sim *sim, BranchId branch);   /* it stands in a `when` that acts */
bool update_compute(Sim *sim, DdpVar var); /* though it is left alone; false: that failed */
bool update_acts(const Sim *sim, const EvalNode *node);
void update_note_pulse(Sim *sim, const EvalNode *node); /* it was evaluated */
bool update_pulsed(Sim *sim, DdpVar var);
void update_end(Sim *sim);

/* ---- value_before.c: values of the update before ---- */

void before_note(Sim *sim, DdpVar var, double value); /* it had this */
void before_note_set(Sim *sim, DdpVar var);           /* it is about to be set */
/* True: it is an output that nobody looked at; its values are noted as unknown. */
bool before_note_unseen(Sim *sim, const EvalNode *node);
const ValueBefore *before_find(const Sim *sim, DdpVar var); /* NULL: none is noted */
bool before_is_unknown(const Sim *sim, DdpNode node);
/* What was noted as unknown, or nobody looked at. SOL_CANCELLED: with `only_brought`, a part would have to be brought
 * here. */
SolStatus before_evaluate(Sim *sim, DdpNode node, bool only_brought, EvalHow how);
void before_keep(Sim *sim, DdpNode node); /* it is about to change: if its values are unknown */
/* The value of the update before; of what was born or is known in this one the present value. A branch may be born
 * late in an update, when some values are new already: `pre` and parameters see these. */
double before_value(Sim *sim, DdpVar var);

/* ---- event_record.c ---- */

void event_record_listen(Sim *sim, void (*tell)(void *, const SolEvent *), void *context);
void event_record_like(Sim *sim, const Sim *other);  /* the same listens */
void event_record_noticed(Sim *sim);                 /* what is evaluated from now on is its work */
void event_record_brought(Sim *sim, double seconds); /* that bringing parts to its time took */
void event_record_begin(Sim *sim);
void event_record_end(Sim *sim);
void event_record_restarts(Sim *sim, uint32_t parts);
void event_record_done(Sim *sim, double restart_seconds);
void event_record_drop(Sim *sim);                       /* nobody hears of it: it was taken back */
void event_record_tell(Sim *sim);                       /* that is due, if any */
void event_remember_trigger(Sim *sim, BranchId branch); /* it was taken; the start has no record */
const SolEvent *event_record(const Sim *sim);
bool event_structure_changed(const Sim *sim); /* in this event */
void event_note_structure(Sim *sim);          /* it did */

uint64_t event_structures(const Sim *sim); /* so many times another one was taken over */
bool event_is_incomplete(const Sim *sim);  /* variables lack equations: more may be typed */

/* ---- news.c: what happened since the last point, for the output ---- */

EventNews *event_news(Sim *sim);
void event_news_close(Sim *sim);
void event_news_to(Sim *sim, const SolOutput *output); /* who listens */
uint64_t event_births(const Sim *sim);                 /* of variables, so far */

/* ---- event_pack.c: what events remember, for a checkpoint ---- */

void event_pack_births(Sim *sim, Pack *p);
void event_pack_times(Sim *sim, Pack *p);   /* of the last events */
void event_pack_modes(Sim *sim, Pack *p);   /* those that the output knows, and does not know yet */
void event_pack_runaway(Sim *sim, Pack *p); /* the condition that fires ever faster */
void event_pack_roles(Sim *sim, Pack *p);   /* samples, pre values, delays, initial(), couts */
void event_pack_loops(Sim *sim, Pack *p);   /* how many the last commit left */
void event_pack_incomplete(Sim *sim, Pack *p);

/* ---- event_iterate.c ---- */

/* The next event begins with an edit: what it does to the structure (0), then to values (1). NULL: it does not. */
bool event_is_edit(const Sim *sim); /* one is tried now */
void event_set_edit(Sim *sim, SolStatus (*edit)(Sim *sim, void *context, int phase), void *context);
void event_pardon(Sim *sim);         /* what failed is undone */
SolStatus event_end_whens(Sim *sim); /* those that act, of an event that failed */

/* All updates at the present time, after values at the left limit were evaluated. `first` at birth.
 */
SolStatus event_iterate(Sim *sim, bool first);
SolStatus event_settle_start(Sim *sim); /* values and choices of what was created */
void event_branch_changed(Sim *sim, const WorldChange *change);
void event_note_mode(Sim *sim, BranchId branch); /* its choice may have changed */
/* Why the model ended the run (terminate); NULL: it did not. */
const char *event_terminated(const Sim *sim);
/* For a structure that is built anew: all branches lose their conditions, and get them back one by
 * one. */
void event_forget_branches(Sim *sim);
void event_link_branch(Sim *sim, BranchId branch, DdpVar condition);
void event_set_left_pres(Sim *sim); /* pre values are those just before the event */
void event_keep_pres(Sim *sim);     /* behind an event: those that it needs of this one are kept */

/* ---- boundary.c ---- */

/* Differences beyond the first need no bound of their rounding; so many roundings count. */
#define BOUNDARY_NEAR 1e-8
#define BOUNDARY_ROUNDINGS 64.0
double event_point_number(const Sim *sim); /* times that are this close cannot be told apart */

/* Comparisons at their boundary are decided by the side they leave to; true when a condition changed. */
bool event_leave_ties(Sim *sim);
bool event_leave_close(Sim *sim); /* likewise, within rounding of it; decided again each time */
/* Has a condition this truth if a comparison within rounding of its boundary is decided so? Then it is. */
bool event_keep_at_boundary(Sim *sim, DdpVar condition, bool truth);
void event_forget_ties(Sim *sim);
/* Until this event ends only what is exactly at its boundary counts as being there. */
void event_be_exact(Sim *sim);
/* Comparisons that the event left within rounding of their boundary, about to leave it. */
void event_leave_near(Sim *sim);
/* Is it true, near a boundary, and on the way further beyond? When a phase begins. */
bool event_leads_on(Sim *sim, DdpVar condition);

/* ---- event_detect.c ---- */

bool event_condition_falls(Sim *sim, DdpVar var);
uint32_t event_margin(const Sim *sim, DdpVar var); /* for conditions that chatter, else 0 */
/* One that was changed between lo and hi and did not count: for long? */
bool event_persists(Sim *sim, DdpVar var, double lo, double hi);
/* A branch, if its value is this? */
bool event_would_take(const Sim *sim, DdpVar var, bool truth);
/* Comparisons in `list` changed and no condition did: those that cannot matter before the next event are
 * not searched for until then. */
void event_mask(Sim *sim, const NodeList *list);
bool event_unmask(Sim *sim, const NodeList *changed,
                  const NodeList *all); /* true: some are not so any more */
/* Evaluates `nodes` there, or NULL: all that conditions need. */
typedef SolStatus (*EventAt)(void *context, double time, const NodeList *nodes);
/* The comparisons of Sim.search.moved there, by another way: has one changed? If so, their `high`
 * and `moved` are set, else `low`. False: evaluate them. */
typedef bool (*EventLook)(void *context, double time, bool *changed);
/* A step is looked at in so many pieces: as many as it is long in compare_look(), up to a bound, and more
 * where the clock drives a comparison. */
int event_pieces(const Sim *sim, bool clocked, double length);
double event_piece(double begin, double to, int i, int pieces); /* where the i-th of them ends */
typedef struct EventSearch {
    const NodeList *nodes; /* those with comparisons */
    EventAt at;
    EventLook look; /* or NULL */
    void *context;
    bool clocked;
    double jump;      /* a time event lies there */
    bool dips;        /* comparisons may cross and come back between two looks */
    double begin;     /* pieces divide the way from here to the end of the step */
    PartLooks *looks; /* inside of pieces */
} EventSearch;
/* The first point in (from, to] at which a comparison has changed, to the right of the change;
 * values there are evaluated then. Who changed between there and the point before is in
 * Sim.search.moved. */
SolStatus event_search(Sim *sim, const EventSearch *search, double from, double to, double *time,
                       bool *found);
/* The same when it is known that at `to` those in Sim.search.moved have changed, and no other. */
SolStatus event_search_moved(Sim *sim, const EventSearch *search, double from, double to,
                             double *time, bool *found);
/* Has something that happened to the comparisons in Sim.search.moved changed dynamics, or would an
 * update take a branch? */
bool event_is_real(Sim *sim, double time);
/* Would an update take a branch? Of conditions that are values of `nodes`. */
bool event_conditions_changed(Sim *sim, const NodeList *nodes, double time);
/* The same of all conditions of a part, and those that changed are looked at in the next update. */
bool event_add_changed(Part *part);
void event_forget_falls(Part *part); /* what is known of later times */
void event_add_readers_of(Sim *sim, DdpVar var);
void event_unsettle(Sim *sim, DdpVar condition); /* its memory, or whose it is, changes */
void event_add_candidate(Sim *sim, BranchId branch);
void event_forget_candidates(Sim *sim);

/* ---- samples.c ---- */

SolStatus sample_take(Sim *sim, const WorldChange *change); /* one is born or dies */
SampleMemo *sample_of(const Sim *sim, DdpVar var);          /* NULL: it is none */
double sample_next_time(const Sim *sim, DdpVar var);        /* infinite: it is none */
/* Of all, or of those at whose times all steps end. */
double samples_next(const Sim *sim, bool stops_all);
bool sample_was_due(const Sim *sim, const SampleMemo *memo); /* at the present time */
bool samples_same(const Sim *sim, const Sim *other);         /* at the same times */
void samples_due(Sim *sim); /* those whose time has come are true in this update */
/* Behind it they are false. `again`: the search over modes has gone back to the beginning of the event, and what was
 * due then is due again. */
void samples_clear(Sim *sim, bool again);
void samples_pack(Sim *sim, Pack *p);
void samples_close(Sim *sim);

/* ---- time_stops.c ---- */

double time_stop(const Part *part);    /* where its next step ends at the latest */
double time_stops_all(const Sim *sim); /* where those of all parts do */
bool time_stop_everywhere(Part *part); /* false: it does already */
void time_stops_begin(
    Sim *sim); /* lists the clocks whose event it was; parts that it touched start: */
void time_stops_restarted(Part *part);
void time_stops_end(Sim *sim);

/* ---- part_search.c, bridge.c ---- */

SolStatus part_search(Part *part, double to); /* part_search.c: for an event up to there */
/* Its next time event, and whether the clock drives a comparison that is searched for. */
void part_look_at_clock(Part *part);
void parts_cross(
    Sim *sim); /* from the left side of an event: what conditions need is that of now */
/* Values before the event of what is left alone from its beginning on (U1). */
SolStatus parts_look_back(Sim *sim, const NodeList *nodes);
/* The step failed because something has no value behind a point: goes straight on from there, by less than
 * the tolerance, until a condition changes. False: none does. */
bool part_bridge(Part *part);

#endif
