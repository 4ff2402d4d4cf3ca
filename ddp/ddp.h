/* ddp.h: the dynamic DAE processor: relations and variables in, schedule and its delta out.
 *
 * The DDP knows nothing of Sol, of code or of integrators. Its input are four commands (enter and
 * remove a variable, enter and remove a relation), collected until a commit. Its output is an ordered
 * set of *nodes*: explicit assignments and torn loops, the states to integrate, and what changed since
 * the commit before. Everything it does is local: its cost, counted in relations visited, depends on
 * what a change affects, not on the size of the system.
 *
 * Error rule: wrong systems are a result (DdpResult, ddp_diagnose), never an error; a broken invariant
 * aborts with its number (docs/invariants.md); running out of memory goes to the guard of the Mem.
 */
#ifndef DDP_DDP_H
#define DDP_DDP_H

#include "ddp/expr.h"

#include <stdio.h>

typedef uint32_t DdpVar;  /* 0: none. Numbers of removed variables are used again */
typedef uint32_t DdpRel;  /* 0: none. Likewise */
typedef uint32_t DdpNode; /* 0: none. A unit of the schedule */

typedef enum DdpVarKind {
    DDP_UNKNOWN, /* must be determined by a relation */
    DDP_KNOWN,   /* parameter, constant, or set from outside; does not vary between events */
    DDP_HELD,    /* determined by an active transmission, else keeps its value; known either way */
    DDP_TIME     /* the clock; its derivative is 1 */
} DdpVarKind;

typedef enum DdpRelKind {
    DDP_EQUATION,     /* form over vars: solved for whichever variable fits */
    DDP_TRANSMISSION, /* vars[0] << form's right side; causal: determines vars[0] and nothing else */
    DDP_DERIVATIVE    /* vars[0] = d vars[1] / dt; form 0 */
} DdpRelKind;

/* DDP_DERIVATIVE: vars[1] is to be a state ... One of them at most. */
enum {
    DDP_PREFER_STATE = 1, /* rather than others (derState) */
    DDP_ALWAYS_STATE = 2, /* in any case */
    DDP_AVOID_STATE = 4,  /* if nothing else can be one */
    DDP_NEVER_STATE = 8   /* in no case */
};

typedef struct Ddp Ddp;

Ddp *ddp_open(Mem *mem, FormTable *forms);
/* For tests: what depends on relations that are scheduled anew is so at every commit, not only where that is cheaper. */
void ddp_eager(Ddp *ddp);
void ddp_close(Ddp *ddp);

/* ---- input ---- */

DdpVar ddp_enter_var(Ddp *ddp, DdpVarKind kind);
void ddp_remove_var(Ddp *ddp, DdpVar var); /* no relation may name it any more */
void ddp_drop_var(Ddp *ddp, DdpVar var);   /* at once: one that no relation has ever named */
/* From the next commit on: of an unknown that a transmission is to hold, and of a held one that equations are to
 * determine. Relations that name it keep their numbers, and look for their causalities anew. */
void ddp_turn_var(Ddp *ddp, DdpVar var, DdpVarKind kind); /* DDP_UNKNOWN or DDP_HELD */
DdpVarKind ddp_kind_to_be(const Ddp *ddp, DdpVar var);    /* with the next commit */
/* vars[0..n-1] are the form's positions. `logic` (0: none) is a variable on which the existence of the
 * relation depends (the condition of its `if`): it must be known before the relation is evaluated. */
DdpRel ddp_enter_rel(Ddp *ddp, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                     DdpVar logic, unsigned flags);
void ddp_remove_rel(Ddp *ddp, DdpRel rel);
/* From the next commit on, an equation over other variables in the place of `rel`, under its
 * number: it must follow from rel and `others`, and rel from it and these. When one of the others is
 * removed, rel is what it was. All of them were entered by the user. */
void ddp_combine(Ddp *ddp, DdpRel rel, Form form, uint32_t n, const DdpVar *vars, uint32_t n_others,
                 const DdpRel *others);

/* The same, but it stays when one of the others leaves or becomes another: whoever kept it looks at what is left of them, and
 * amends it, or ends it. */
void ddp_combine_kept(Ddp *ddp, DdpRel rel, Form form, uint32_t n, const DdpVar *vars,
                      uint32_t n_others, const DdpRel *others);
void ddp_amend(Ddp *ddp, DdpRel rel, uint32_t n, const DdpRel *others); /* further others */
/* By the last commit: relations in whose place another equation came to stand, or that returned; what they named before it:
 * by[i] named vars[i]; and what combinations that ended were made of: others[i] in the place of ended[i]. */
typedef struct DdpExchanged {
    uint32_t n, n_vars, n_others;
    const DdpRel *rels, *by, *ended, *others;
    const DdpVar *vars;
} DdpExchanged;

DdpExchanged ddp_exchanged(const Ddp *ddp);

/* From the next commit on `rel` is what it was; nothing happens where it is that already. */
void ddp_end_combination(Ddp *ddp, DdpRel rel);
/* Likewise, for a relation that says nothing new: from the next commit on a variable of its own stands in its
 * place, position 0 of `form`, whose others are `vars`. Its value is what the equations are apart. */
void ddp_set_aside(Ddp *ddp, DdpRel rel, Form form, uint32_t n, const DdpVar *vars,
                   uint32_t n_others, const DdpRel *others);
/* A relation that was set aside and left something undetermined: from the next commit on the equation `form`
 * over `vars`, which determines it, stands in its place. It ends with `others`, too. */
void ddp_close_aside(Ddp *ddp, DdpRel rel, Form form, uint32_t n, const DdpVar *vars,
                     uint32_t n_others, const DdpRel *others);
/* All that are set aside: the first from *cursor (0 at the beginning) on, 0 when there are no more. *rest is 0
 * where it was closed. */
DdpRel ddp_next_aside(const Ddp *ddp, uint32_t *cursor, DdpVar *rest);

/* What stands in the place of `rel` now, for whoever tells of it. */
typedef struct DdpCombination {
    Form form; /* of rel as it was entered */
    uint32_t n;
    const DdpVar *vars;
    uint32_t n_others;
    const DdpRel *others;
} DdpCombination;

bool ddp_any_combination(const Ddp *d);
bool ddp_combination(const Ddp *ddp, DdpRel rel, DdpCombination *out); /* false: rel itself does */
/* The modeller's `tearing(x)`: +1 enters, -1 removes a hint. */
void ddp_hint_tearing(Ddp *ddp, DdpVar var, int change);
bool ddp_tearing_hinted(const Ddp *ddp, DdpVar var); /* some hint names it */
uint32_t ddp_hint_changes(const Ddp *ddp);           /* how many hints came and went */
/* Advice from the numerics: do not solve `rel` for `var` (its pivot is or comes near zero). Counts as a
 * change; the next commit looks for another way, and takes it only if one exists. */
void ddp_advise_against(Ddp *ddp, DdpRel rel, DdpVar var);

/* Advice from the numerics on the derivative relation `rel`: its variable should be a state (1), should
 * not (-1), or as it comes (0). Counts as a change, and stays until other advice; a variable that
 * should be one takes the place of one on its level that should not, where a way exists. */
void ddp_advise_state(Ddp *ddp, DdpRel rel, int wish);
/* Derivative relations that are to be a state in any case, or in no case, and came into the hands of the last commit. Whether it
 * could do so is for the caller to see: ddp_select_is_met. */
const DdpRel *ddp_demanding(const Ddp *ddp, uint32_t *n);
bool ddp_select_is_met(const Ddp *ddp, DdpRel der);
/* Advice that was given before, but not followed when others were entered and removed, counts as new. */
void ddp_insist_on_state(Ddp *ddp, DdpRel der);

typedef enum DdpCommit {
    DDP_SO_FAR, /* more may come: underdetermination is no fault */
    DDP_FINAL
} DdpCommit;

typedef enum DdpVerdict {
    DDP_DETERMINED,
    DDP_UNDERDETERMINED, /* some variables are not determined */
    DDP_OVERDETERMINED,  /* some relations contradict each other structurally */
    DDP_FALSE_CAUSALITY  /* a transmission or condition depends on itself, or lies in a loop */
} DdpVerdict;

typedef struct DdpResult {
    DdpVerdict verdict;
    uint32_t free_vars, free_rels; /* not determined, not used */
    uint32_t states, loops;
    uint64_t visited; /* relations looked at by this commit, each time one is */
    bool scratch;     /* the guard tripped and a component was rebuilt */
    uint32_t changed; /* length of the delta, without what only moved */
} DdpResult;

/* Works off what was entered and removed. With DDP_SO_FAR an underdetermined system is
 * DDP_DETERMINED as far as it goes: its undetermined nodes say so. */
DdpResult ddp_commit(Ddp *ddp, DdpCommit kind);

/* ---- schedule ---- */

typedef struct DdpStep {
    DdpRel rel;
    DdpVar var; /* what it determines; for a residual 0 */
    X value;    /* explicit value over the relation's vars; for a residual 0: lhs - rhs counts */
} DdpStep;

typedef struct DdpNodeView {
    bool determined;  /* false: keeps its last values, is not evaluated */
    bool loop;        /* solve for `tears` so that the residuals vanish */
    bool linear;      /* loop: residuals are linear in the tears */
    bool constant;    /* linear loop: with factors that change at events only */
    bool untorn;      /* loop: handed over whole; tears are all its variables, no steps between */
    uint32_t n_steps; /* explicit assignments in order; a plain node has exactly one, no tears */
    const DdpStep *steps;
    uint32_t n_tears;
    const DdpVar *tears;
    const DdpStep *residuals; /* n_tears of them */
} DdpNodeView;

DdpNode ddp_first(const Ddp *ddp);
DdpNode ddp_next(const Ddp *ddp, DdpNode node);
bool ddp_before(const Ddp *ddp, DdpNode a, DdpNode b); /* a is scheduled before b */
uint64_t ddp_label(const Ddp *ddp, DdpNode node);      /* ascends so, until the next commit */
DdpNodeView ddp_node(const Ddp *ddp, DdpNode node);    /* valid until the next commit */
DdpNode ddp_node_of(const Ddp *ddp, DdpVar var);       /* that determines it; 0: known or a state */

typedef struct DdpState {
    DdpRel rel;        /* the derivative relation that integrates */
    DdpVar var, slope; /* slope = d var / dt */
} DdpState;

/* Index 0..n-1, in an order that depends on nothing but the history of commands. */
uint32_t ddp_state_count(const Ddp *ddp);
DdpState ddp_state(const Ddp *ddp, uint32_t index);
bool ddp_is_state(const Ddp *ddp, DdpVar var);

typedef enum DdpChange {
    DDP_NODE_NEW,
    DDP_NODE_CHANGED, /* perhaps moved and turned besides */
    DDP_NODE_GONE,
    DDP_NODE_MOVED, /* is what it was, at another place in the order */
    DDP_NODE_TURNED /* is what and where it was, but determined now, or no longer */
} DdpChange;

typedef struct DdpDelta {
    DdpNode node; /* each at most once; the next commit may use the number of one that is gone */
    DdpChange change;
} DdpDelta;

/* Of the last commit. Who keeps nodes sorted by ddp_before need not sort again (D2): a list that
 * was sorted before the commit still is when all nodes that are gone, changed or moved are taken
 * out of it. */
const DdpDelta *ddp_delta(const Ddp *ddp, uint32_t *n);

typedef struct DdpStateDelta {
    DdpVar var, slope;
    DdpRel rel;
    bool born; /* false: it ended */
} DdpStateDelta;

/* Of the last commit: first all states that ended, as they were before it, then all that began. A
 * state that goes on under another relation or slope does both; one that stays as it was is not
 * named. The states before the commit, less the first, plus the second, are those after it (D3);
 * their index may differ. */
const DdpStateDelta *ddp_state_delta(const Ddp *ddp, uint32_t *n);

/* ---- looking closer ---- */

/* Derivatives appear as variables of their own, entered by the DDP. What it derives from a variable that is
 * known has a known value: 1 for the first derivative of the clock, else 0; a derivative of a held variable is 0
 * while no transmission determines it. */

typedef struct DdpRelView {
    DdpRelKind kind;
    Form form;
    uint32_t n;
    const DdpVar *vars; /* valid until the next command */
    DdpVar logic;
    unsigned flags;
    DdpRel origin;  /* user relation that was differentiated, or itself */
    uint32_t order; /* how many times */
} DdpRelView;

typedef struct DdpVarView {
    DdpVarKind kind;
    DdpVar origin;  /* variable entered by the user whose derivative this is, or itself */
    uint32_t order; /* how many times */
    bool varies;    /* false: changes at events only (after a commit) */
} DdpVarView;

DdpRelView ddp_rel(const Ddp *ddp, DdpRel rel);
uint32_t ddp_rel_size(const Ddp *ddp, DdpRel rel); /* DdpRelView.n alone */
DdpVarView ddp_var(const Ddp *ddp, DdpVar var);
/* Relations that name the variable, or depend on it (logic): *cursor is 0 at the beginning; 0: no more. */
DdpRel ddp_next_use(const Ddp *ddp, DdpVar var, uint32_t *cursor);
uint32_t ddp_use_count(const Ddp *ddp, DdpVar var);
bool ddp_rel_used(const Ddp *ddp, DdpRel rel); /* the number is in use */
bool ddp_var_used(const Ddp *ddp, DdpVar var);
uint32_t ddp_var_limit(const Ddp *ddp); /* all variable numbers are below: size of a value vector */
uint32_t ddp_rel_limit(const Ddp *ddp);

/* Relations that were differentiated equally often as `var` was, as far as they hang together around it, and
 * their variables of that kind: by these relations, some of these variables are computed from the others,
 * which are states (levels.c). Empty where nothing was differentiated. Valid until the next command. */
typedef struct DdpLevel {
    uint32_t n_rels, n_vars;
    const DdpRel *rels;
    const DdpVar *vars;
} DdpLevel;

DdpLevel ddp_level(Ddp *ddp, DdpVar var);
DdpRel ddp_level_candidate(const Ddp *ddp,
                           DdpVar var); /* by which it is or could be a state; 0: it cannot */
DdpVar ddp_level_above(const Ddp *ddp, DdpVar var); /* its derivative, if it exists; else 0 */
bool ddp_is_differentiated(const Ddp *ddp, DdpRel rel);
DdpVar ddp_level_root(const Ddp *ddp, DdpVar var); /* what it is a derivative of, first of all */
uint32_t ddp_var_rank(const Ddp *ddp,
                      DdpVar var); /* the smaller the earlier a derivative relation named it */
int ddp_state_advice(const Ddp *ddp, DdpRel rel); /* as it was given */

typedef enum DdpRelState {
    DDP_NONCAUSAL,  /* no causality yet */
    DDP_POTENTIAL,  /* keeps its causality though something it needs is not determined */
    DDP_CAUSAL,     /* determines a variable */
    DDP_RESIDUAL,   /* everything in it is determined elsewhere */
    DDP_INTEGRATOR, /* derivative relation: its variable is a state */
    DDP_DIFFERENTIATOR
} DdpRelState;

DdpRelState ddp_rel_state(const Ddp *ddp, DdpRel rel); /* after a commit */
DdpVar ddp_causality(const Ddp *ddp, DdpRel rel);      /* what it determines, or 0 */
/* The same as its node has it: of an integrator the derivative of its state. The relations of a loop compute its variables. */
DdpVar ddp_computed_by(const Ddp *ddp, DdpRel rel);

typedef struct DdpPart {
    uint32_t n_rels, n_vars;
    const DdpRel *rels; /* user relations, ascending */
    const DdpVar *vars; /* user variables, ascending */
} DdpPart;

typedef struct DdpDiagnosis {
    DdpPart over, under;  /* Dulmage-Mendelsohn parts: minimal, independent of the matching */
    DdpPart false_causal; /* one cycle that goes through a causal relation */
    DdpRel tipped; /* last relation whose entry made a well-determined system overdetermined */
} DdpDiagnosis;

/* Valid until the next command. */
DdpDiagnosis ddp_diagnose(Ddp *ddp);

typedef struct DdpTotals {
    uint32_t rels, vars, derived_rels, states, nodes, loops;
    uint64_t visited, commits, scratch_rebuilds;
    size_t bytes; /* memory the DDP holds, without the forms */
} DdpTotals;

DdpTotals ddp_totals(const Ddp *ddp);

/* The causality graph in DOT, with blocks, loops, potential relations and states drawn apart. The functions
 * write a NUL-terminated text of at most `size` bytes. */
typedef struct DdpNames {
    void *context;
    void (*rel)(void *context, DdpRel rel, char *out, size_t size);
    void (*var)(void *context, DdpVar var, char *out, size_t size);
    /* NULL, or: a colour for a node in the language of dot, and a line for its boxes; empty: none */
    void (*fill)(void *context, DdpNode node, char *colour, char *line, size_t size);
    void (*legend)(void *context,
                   FILE *out); /* NULL, or: what the colours mean, in that language */
} DdpNames;

void ddp_graph(const Ddp *ddp, const DdpNames *names, FILE *out);

/* Order of differentiation at which a component is rebuilt from scratch (100 unless set). */
void ddp_guard(Ddp *ddp, uint32_t order);

/* ---- written and read ---- */

typedef struct Pack Pack; /* base/pack.h */

/* Between two commits, commands of the next one included; forms first. Read into a Ddp and a table
 * that were just opened: what was written goes on there with the same numbers and the same results.
 * Afterwards the delta is empty. */
void forms_pack(FormTable *table, Pack *pack);
void ddp_pack(Ddp *ddp, Pack *pack);
/* From here to the next commit the deltas list all nodes, in order, and all states as new: for a
 * client that begins anew. */
void ddp_list_all(Ddp *ddp);

typedef struct DdpCounts {
    uint64_t entered, removed; /* relations, by command, since the beginning */
    uint64_t visited;          /* as DdpTotals has it */
    uint32_t rels;
} DdpCounts;

DdpCounts ddp_counts(const Ddp *ddp);

/* The verifier: checks all invariants against a from-scratch computation; aborts with the number of
 * the first that is broken. Debug builds run it after each commit of a small system. */
void ddp_verify(Ddp *ddp);

#endif
