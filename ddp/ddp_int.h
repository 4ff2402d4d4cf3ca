/* ddp_int.h: the causality graph inside the DDP, private to ddp/.
 *
 * Three structures lie over each other.
 *
 *   The bipartite graph of relations and variables (relation.c). Occurrences are linked in lists per
 *   variable, so that a relation enters and leaves in time proportional to its own length.
 *
 *   The matching over it: causality c(r, v) is match(r) = v, match(v) = r (causalize.c, residual.c). A
 *   derivative relation a = der(b) is matched with b (integrator: b is a state) or with a
 *   (differentiator). Only relations entered by the user take part: a differentiated relation
 *   determines the derivative of what its origin determines (requests.c), unless levels.c exchanged it.
 *
 *   The schedule (schedule.c): matched relations grouped into nodes, single relations or strong
 *   components, in a topological order kept by labels (topo_order.c).
 *
 * The invariants have numbers; docs/invariants.md lists them and verify.c checks them.
 */
#ifndef DDP_DDP_INT_H
#define DDP_DDP_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "ddp/ddp.h"

typedef VEC(uint32_t) List; /* numbers of variables, relations or nodes */

typedef struct Var {
    uint32_t occs;    /* first occurrence, or 0 */
    uint32_t n_occs;  /* how many */
    DdpRel match;     /* relation that determines it, or 0 */
    DdpVar origin;    /* itself, or the variable whose derivative it is */
    DdpVar up;        /* its derivative, if somebody requested it, or 0 */
    DdpRel by;        /* exchanged: the relation that computes it instead, 0: it is a state */
    uint32_t free_at; /* index + 1 in ddp->free_vars, or 0 */
    uint32_t
        rank; /* among variables with derivative relations: the earlier the smaller; 0: has none */
    uint16_t hints;   /* modeller's wishes to tear here */
    uint16_t order;   /* of the derivative */
    uint8_t kind;     /* DdpVarKind */
    uint8_t turns_to; /* DdpVarKind + 1 with the next commit; 0: it stays */
    bool used : 1;    /* the number is in use */
    bool leaving : 1; /* removed, to be freed by the commit */
    bool varies : 1;  /* may change between events (schedule.c keeps it) */
    bool solid : 1;   /* a parameter, or a product of parameters and constants: taken as not zero */
    bool candidate : 1; /* on the list of derivatives perhaps no longer requested */
    bool undetermined : 1;
    bool driven : 1;    /* held, and a transmission determines it (requests.c keeps it) */
    bool exchanged : 1; /* levels.c: not computed as by default */
    bool marked : 1;    /* scratch of one pass, clean between passes */
} Var;

typedef struct Rel {
    Form form;
    uint32_t occ;   /* first of n + (has_logic ? 1 : 0) occurrences, the logic one last */
    DdpVar match;   /* what it determines, or 0 */
    DdpRel origin;  /* itself, or the relation that was differentiated */
    DdpRel up;      /* its derivative, or 0 */
    uint32_t group; /* levels.c: it computes `out` instead of its default, or 0 */
    DdpVar out;
    DdpRel loan;       /* derivative relation: that borrowed or lent the place of a state, or 0 */
    DdpNode node;      /* that holds it, or 0 */
    DdpRel next;       /* next member of the node, or 0 */
    uint32_t free_at;  /* index + 1 in ddp->free_rels, or 0 */
    uint32_t state_at; /* integrator: index + 1 in ddp->states, or 0 */
    uint16_t n;        /* positions */
    uint16_t order;    /* of the derivative */
    uint8_t kind;      /* DdpRelKind */
    int8_t wish;       /* derivative relation: advice of the numerics (ddp_advise_state) */
    int8_t select;     /* derivative relation: a state never -2, avoid -1, 0, prefer 1, always 2 */
    bool used : 1;
    bool leaving : 1;
    bool waits : 1; /* in the list `entering` */
    bool has_logic : 1;
    bool prefer : 1; /* select > 0 */
    bool queued : 1; /* on the list of relations to causalize */
    bool moved : 1;  /* causality or form new in this commit: to be scheduled anew */
    bool asked : 1;  /* on the list of relations whose derivatives are to be looked at */
    bool held : 1;   /* on the list of those that are held back */
    bool banned : 1; /* some edge of it is advised against */
    bool noted : 1;  /* derivative relation: on the list of states that perhaps changed */
    bool marked : 1;
} Rel;

typedef struct Loop {
    bool linear, constant, untorn;
    double
        growth; /* how many times an error of the tearing variables grows in the steps, at the most */
    VEC(DdpStep) steps;
    VEC(DdpVar) tears;
    VEC(DdpStep) residuals;
} Loop;

typedef struct Node {
    uint64_t label;     /* ascending in schedule order */
    DdpNode prev, next; /* neighbours in schedule order */
    DdpRel first;       /* members, linked by Rel.next */
    uint32_t count;     /* of members */
    Loop *loop;         /* NULL: one explicit assignment */
    DdpStep step;       /* that assignment */
    uint32_t delta_at;  /* index + 1 in ddp->delta, or 0 */
    bool used : 1;
    bool false_causal : 1;
    bool undetermined : 1;
    bool was_undetermined : 1; /* scratch of schedule_determine */
    bool reached : 1;          /* scratch of the order's searches, clean between them */
    bool reaching : 1;
    bool dirty : 1; /* members changed: tear anew, look again at what varies */
} Node;

/* Relations and variables that levels.c exchanged together. */
typedef struct Group {
    List rels, vars;
} Group;

/* A combination of relations that stands in the place of one of them (combine.c). */
typedef struct Combined {
    DdpRel rel;
    Form form_before, form;
    List before, vars; /* of the two forms */
    List others;       /* relations that it is made of besides */
    DdpVar rest; /* set aside: what is apart from it, position 0 of form; 0: closed, or not aside */
    uint32_t age; /* 0: not in use */
    bool stands;  /* since a commit */
    bool aside;   /* set aside */
    bool renewed; /* what stands there changes with the next commit */
    bool kept;    /* does not end with what it is made of */
} Combined;

typedef struct CombinedUse {
    uint32_t which, next; /* next: index + 1 of the next one that names the same relation */
    uint32_t at;          /* in the list of others; UINT32_MAX: it is the relation itself */
} CombinedUse;

/* A relation whose inputs are visited. scc.c */
typedef struct SccFrame {
    DdpRel rel;
    uint32_t position; /* next input to look at */
    uint32_t index;    /* number of the visit, from 1 */
    uint32_t low;      /* smallest visit number reachable that is still open */
} SccFrame;

struct Ddp {
    Mem *mem;
    FormTable *forms;
    Form copy_form; /* position 0 = position 2: a derivative relation over (a, b, b') */

    VEC(Var) vars;
    VEC(Rel) rels;
    VEC(Node) nodes;
    List unused_vars, unused_rels, unused_nodes;

    /* occurrence o: relation occ_rel[o] names variable occ_var[o]; lists per variable */
    VEC(DdpVar) occ_var;
    VEC(DdpRel) occ_rel;
    List occ_next, occ_prev;
    VEC(uint32_t) unused_occs[64]; /* free runs by length (relation.c) */

    DdpNode first_node, last_node;
    Map bans; /* (relation, variable) advised against -> 1 */

    /* collected between commits */
    List entering, leaving, leaving_vars, advised_rel, advised_var;
    List wished;     /* derivative relations with new advice */
    List demanding;  /* ddp_demanding */
    bool any_select; /* some derivative relation had another `select` than 0 and 1 */
    List entered;    /* what the last commit found in `entering`, for the diagnosis */
    /* standing */
    List free_vars, free_rels;
    VEC(Combined) combined;
    VEC(CombinedUse) combined_uses;
    Map combined_of; /* DdpRel -> index + 1 of the first of its uses */
    List unused_combined, unused_uses, combined_new, combined_ending;
    List exchanged, exchanged_by, exchanged_vars, ended, ended_others; /* ddp_exchanged() */
    List turning; /* variables that become unknown or held with the next commit */
    uint32_t combined_age, n_aside;
    VEC(Group) groups; /* at[0] is unused */
    List unused_groups;
    List states;                  /* integrators */
    List under_nodes, under_vars; /* marked undetermined by the last commit */
    List under_before;            /* scratch: those of the commit before it */
    /* work lists of one commit */
    List work;                /* relations to try by forward causalization */
    List holes;               /* variables whose relation was removed */
    VEC(SccFrame) scc_frames; /* scc.c */
    List scc_open, scc_order, scc_ends;
    List select, prefer;           /* derivative relations that may become integrators */
    uint32_t select_at, prefer_at; /* those before are done */
    List moved;                    /* relations to schedule anew */
    bool eager;                    /* tests: schedule.c puts back all that depends on them */
    uint32_t hint_changes;         /* how many there were, not packed */
    List asked;                    /* relations whose chain of derivatives is to be looked at */
    List held_back;                /* of those: a derivative seems to depend on itself */
    List steered;     /* held variables to which a transmission came, or from which one went */
    List gone_nodes;  /* numbers to use again after the commit */
    List placed;      /* nodes made or merged by this commit */
    List stale;       /* nodes an input of which began or ceased to vary */
    List false_nodes; /* all that are falsely causal, and some that were */
    List candidates;  /* derivatives perhaps no longer requested */
    List scratch, scratch2, scratch3;
    List level_rels, level_vars; /* level_view.c: what was asked for last */
    VEC(DdpDelta) delta;
    uint32_t n_shifted;       /* of the delta: nodes that only moved */
    VEC(DdpStateDelta) noted; /* derivative relations; born: were no state before the commit */
    VEC(DdpStateDelta) state_delta; /* of these what did change */
    List diagnosis[6];

    /* search state: parent[v] is the relation that reached v in search number stamp[v] */
    VEC(DdpRel) parent;
    List stamp;
    uint32_t search;

    uint32_t ranks; /* given so far */
    uint32_t n_rels, n_vars, n_derived, n_ders, n_nodes, n_loops, n_false;
    bool was_determined; /* before the last commit nothing was overdetermined */
    uint64_t visited, commits, scratch_rebuilds;
    DdpCounts counts;
    uint32_t guard_order; /* derivatives of this order make a component rebuild from scratch */
    uint64_t turned;      /* improving cycles so far */
    Map offsets;          /* offsets.c: relation -> its number + 1, while requests are followed */
    bool offsets_fail;    /* there are none, or none was found */
    bool scratch_now;
    bool runaway; /* a derivative depends on itself through a causal relation */
};

#define VAR(d, v) ((d)->vars.at[v])
#define REL(d, r) ((d)->rels.at[r])
#define NODE(d, n) ((d)->nodes.at[n])

/* ---- relation.c ---- */
DdpVar relation_new_var(Ddp *d, DdpVarKind kind);
void relation_free_var(Ddp *d, DdpVar v);
DdpRel relation_new_rel(Ddp *d, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                        DdpVar logic);
void relation_free_rel(Ddp *d, DdpRel r);
/* The form over distinct variables: vars and *n lose what stands twice. What cancels then goes. */
Form relation_unify(Ddp *d, Form form, uint32_t *n, DdpVar *vars);
void relation_bind(Ddp *d, DdpRel r, uint32_t position, DdpVar v); /* v may be 0 */
static inline const DdpVar *relation_vars(const Ddp *d, DdpRel r)
{
    return &d->occ_var.at[REL(d, r).occ];
}
/* May relation r, entered by the user, determine its variable at this position? (the set U) */
bool relation_edge(const Ddp *d, DdpRel r, uint32_t position);
int relation_position(const Ddp *d, DdpRel r, DdpVar v); /* -1: not there */
bool relation_banned(const Ddp *d, DdpRel r, DdpVar v);
Solvable relation_solvable(const Ddp *d, DdpRel r, DdpVar v); /* with factors judged by `solid` */
static inline bool relation_is_integrator(const Ddp *d, DdpRel r)
{
    const Rel *rel = &REL(d, r);
    return rel->kind == DDP_DERIVATIVE && rel->match && rel->match == relation_vars(d, r)[1];
}

void free_vars_add(Ddp *d, DdpVar v);
void free_vars_drop(Ddp *d, DdpVar v);
void free_rels_add(Ddp *d, DdpRel r);
void free_rels_drop(Ddp *d, DdpRel r);

/* ---- causalize.c ---- */
void causalize_assign(Ddp *d, DdpRel r, DdpVar v);
void causalize_release(Ddp *d, DdpRel r);
void causalize_push(Ddp *d, DdpRel r);
void causalize_forward(Ddp *d);

/* ---- residual.c ---- */
bool residual_resolve(Ddp *d, DdpRel r); /* augmenting path from r; true: it has a causality now */
/* The same without touching preferred states; `changed` receives pairs (relation, variable before). */
bool residual_reroute(Ddp *d, DdpRel r, List *changed);
void residual_throw(Ddp *d);  /* all relations without causality */
void residual_advice(Ddp *d); /* moves causalities that the numerics advised against */

/* ---- requests.c ---- */
void requests_update(Ddp *d); /* differentiates what is requested; may turn cycles (state_select) */
void requests_collect(Ddp *d);              /* lazily removes what is not */
void requests_drop_chain(Ddp *d, DdpRel r); /* removes all derivatives of r */
void requests_add_candidate(Ddp *d, DdpVar v);
/* What r computes by default. */
static inline DdpVar requests_out(const Ddp *d, DdpRel r)
{
    if (relation_is_integrator(d, r))
        return relation_vars(d, r)[2];
    return REL(d, r).match;
}
void requests_ask(Ddp *d, DdpRel r); /* r's chain of derivatives is to be looked at */
void requests_steer(Ddp *d,
                    DdpVar v); /* whether anything determines v changes, perhaps back again */
/* The form of r's derivative, as r is now; what its positions stand for, in `operands`. */
Form requests_form(Ddp *d, DdpRel r, FormOperand *operands, uint32_t *n);

/* ---- state_select.c ---- */
void state_select_note(Ddp *d, DdpRel r);      /* r became or ceased to be an integrator */
void state_select_touch(Ddp *d, DdpRel r);     /* r is about to begin or cease to have a state */
void state_select_delta(Ddp *d);               /* which of those touched did */
bool state_select_has(const Ddp *d, DdpRel r); /* does it stand for a state? */
void state_select_restore(Ddp *d);
void state_select_preferred(
    Ddp *d); /* preferred states for others, where the number stays the same */
/* Turns an improving cycle through `derived`, if there is one. False: there is a cycle, but a causal relation
 * keeps it from being turned; its members are in diagnosis[4]. */
bool state_select_turn(Ddp *d, DdpRel derived);
/* May origin(q) take the variable of origin(p)? */
bool state_select_may_take(const Ddp *d, DdpRel q, DdpRel p);

/* ---- offsets.c ---- */
enum { HOPELESS_ORDER = 8 };
/* Is it proved that no request for a derivative of r comes back to r along turnable ones (state_select_turn)? */
bool offsets_honest(Ddp *d, DdpRel r);
void offsets_forget(Ddp *d); /* the matching changes */

/* ---- verify.c ---- */
void verify_honest(bool comes_back, DdpRel derived); /* R5 */

/* ---- levels.c ---- */
void levels_touch(Ddp *d, DdpRel r); /* what r or its derivatives compute by default changes */
void levels_prefer(Ddp *d);          /* preferred states for others of their level */
void avoided_exchange(Ddp *d);       /* others of their level for states that are to be avoided */
/* The state of the derivative relation `wanted` for that of `lender`; false: there is no way. */
bool levels_exchange(Ddp *d, DdpRel wanted, DdpRel lender, bool anything);
void levels_lenders(Ddp *d, DdpRel wanted, bool anything,
                    List *lenders);                  /* with whom it could be */
bool levels_may_borrow(const Ddp *d, DdpRel wanted); /* nothing but a lender is missing */
/* May r compute its variable at this position instead of what it computes now? anything: against advice, too. */
bool levels_may(const Ddp *d, DdpRel r, uint32_t position, bool anything);
bool levels_retract(Ddp *d,
                    DdpNode n); /* undoes the exchanges of its members; false: there are none */

/* ---- untangle.c ---- */
void untangle(Ddp *d); /* chooses other states where a transmission depends on itself */

/* ---- topo_order.c ---- */
void topo_insert_after(Ddp *d, DdpNode n, DdpNode after); /* after 0: at the front */
void topo_remove(Ddp *d, DdpNode n);
void topo_take_slots(Ddp *d, List *nodes, List *order, uint32_t early);

/* ---- schedule.c ---- */
void schedule_detach(Ddp *d, DdpRel r); /* takes r out of its node; a loop falls apart */
void schedule_again(Ddp *d, DdpRel r);  /* r is to be scheduled anew */
void schedule_move(Ddp *d, DdpRel r);   /* and its derivatives are to be looked at */
void schedule_update(Ddp *d);
void schedule_tear_again(Ddp *d, DdpNode n); /* if it is a loop; 0: nothing */
void schedule_touch(Ddp *d, DdpNode n, DdpChange change);
void schedule_settle(Ddp *d, DdpVar v, bool varies, bool solid);
void schedule_determine(Ddp *d); /* marks what is not determined */
/* What r computes: its match, for integrators b'. */
static inline DdpVar schedule_out(const Ddp *d, DdpRel r)
{
    return REL(d, r).group ? REL(d, r).out : requests_out(d, r);
}
/* That computes v; 0: known, a state, or nobody. */
static inline DdpRel schedule_provider(const Ddp *d, DdpVar v)
{
    if (VAR(d, v).exchanged)
        return VAR(d, v).by;
    DdpRel r = VAR(d, v).match;
    if (r && REL(d, r).kind == DDP_DERIVATIVE && relation_vars(d, r)[1] == v)
        return 0; /* a state */
    return r;
}
/* Does r, which computes `out`, read what stands at this position, as an input? */
static inline bool schedule_reads_for(const Ddp *d, DdpRel r, DdpVar out, uint32_t position)
{
    const Rel *rel = &REL(d, r);
    DdpVar v = relation_vars(d, r)[position];
    if (!v || !out)
        return false;
    if (position == rel->n)
        return true; /* the logic one */
    if (rel->kind == DDP_DERIVATIVE)
        return position != 1 && v != out;
    if (rel->kind == DDP_TRANSMISSION)
        return position > 0 && form_info(d->forms, rel->form)->position[position].occurs;
    return v != out && form_info(d->forms, rel->form)->position[position].occurs;
}
static inline bool schedule_reads(const Ddp *d, DdpRel r, uint32_t position)
{
    return schedule_reads_for(d, r, schedule_out(d, r), position);
}

/* ---- edge_insert.c ---- */
/* `from` now comes before all of `to`: restores the order; merges what became a cycle. */
void edge_insert(Ddp *d, DdpNode from, const List *to);

/* ---- scc.c ---- */
/* Strong components of the moved relations, in an order in which each only depends on those
 * before it: out receives the relations, ends the end index of each component. */
void scc_of_moved(Ddp *d, List *out, List *ends);

/* ---- tear.c ---- */
void tear_node(Ddp *d, DdpNode n);
double tear_factor(const Ddp *d, DdpRel r, uint32_t position); /* without its sign; 1: not known */
static const double MOST_GROWTH = 1e6;                         /* beyond, a loop is not torn */
void tear_free(Ddp *d, Loop *loop);

/* ---- scratch.c ---- */
void scratch_rebuild(Ddp *d, DdpRel r); /* the component around r, as if it had just been entered */

/* ---- replace.c ---- */
void combine_update(Ddp *d); /* combinations come, or go with what they are made of */
void combine_free(Ddp *d, Combined *combined);
void combine_index(Ddp *d);             /* once the list was read from bytes */
void relation_remove(Ddp *d, DdpRel r); /* at once, with all that follows from it (ddp.c) */
void replace_equals(Ddp *d); /* an entered relation takes the place of a leaving one like it */

#endif
