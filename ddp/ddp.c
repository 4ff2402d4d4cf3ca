/* ddp.c: commands and commits -> schedule. The whole update path is ddp_commit().
 *
 * One commit, in the order of the thesis' figure 9.9 with its conflicts resolved exactly:
 *
 *     replace_equals       an equation for one of equal structure: nothing else happens
 *     remove_leaving       what goes leaves potential causalities behind
 *     enter                what comes is tried by forward causalization
 *     causalize_forward    ... which also selects states
 *     state_select_restore integrators return to variables that nobody determines any more
 *     residual_throw       contradictions move along potential paths
 *     state_select_preferred  preferred states for others, in the matching
 *     requests_update      derivatives that are needed now
 *     requests_collect     ... and those that are not any more
 *     levels_prefer        preferred states for others of their level
 *     avoided_exchange     others of their level for states that are to be avoided
 *     schedule_update      order, strong components, tearing
 *     untangle             other states where a transmission depends on itself
 *     schedule_determine   what is determined, what only potentially
 */
#include "ddp/ddp_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_LIST = 16384, VERIFIED = 2000 };

/* ---- life ---- */

Ddp *ddp_open(Mem *mem, FormTable *forms)
{
    Ddp *d = mem_alloc(mem, sizeof *d);
    d->mem = mem;
    d->forms = forms;
    d->copy_form = form_make(forms, x_pos(forms, 0), x_pos(forms, 2), 3);
    d->was_determined = true;
    d->guard_order = 100;
    vec_push(mem, &d->vars, (Var){0}); /* number 0 means none, everywhere */
    vec_push(mem, &d->rels, (Rel){0});
    vec_push(mem, &d->nodes, (Node){0});
    vec_push(mem, &d->occ_var, 0);
    vec_push(mem, &d->occ_rel, 0);
    vec_push(mem, &d->occ_next, 0);
    vec_push(mem, &d->occ_prev, 0);
    vec_push(mem, &d->parent, 0);
    vec_push(mem, &d->stamp, 0);
    return d;
}

static List *const *all_lists(Ddp *d, List *lists[64])
{
    List *every[] = {&d->unused_groups,   &d->unused_vars,    &d->unused_rels,  &d->unused_nodes,
                     &d->occ_next,        &d->occ_prev,       &d->entering,     &d->leaving,
                     &d->leaving_vars,    &d->advised_rel,    &d->advised_var,  &d->entered,
                     &d->free_vars,       &d->free_rels,      &d->states,       &d->under_nodes,
                     &d->under_vars,      &d->work,           &d->select,       &d->prefer,
                     &d->moved,           &d->asked,          &d->held_back,    &d->gone_nodes,
                     &d->placed,          &d->stale,          &d->candidates,   &d->scratch,
                     &d->scratch2,        &d->scratch3,       &d->stamp,        &d->holes,
                     &d->scc_open,        &d->scc_order,      &d->scc_ends,     &d->wished,
                     &d->demanding,       &d->level_rels,     &d->level_vars,   &d->false_nodes,
                     &d->unused_combined, &d->unused_uses,    &d->combined_new, &d->combined_ending,
                     &d->exchanged,       &d->exchanged_vars, &d->exchanged_by, &d->ended,
                     &d->ended_others,    &d->turning,        &d->steered,      &d->under_before};
    memset(lists, 0, 64 * sizeof *lists);
    memcpy(lists, every, sizeof every);
    return lists;
}

void ddp_close(Ddp *d)
{
    if (!d)
        return;
    for (uint32_t n = 0; n < d->nodes.n; n++)
        if (NODE(d, n).loop)
            tear_free(d, NODE(d, n).loop);
    for (uint32_t g = 0; g < d->groups.n; g++) {
        vec_free(d->mem, &d->groups.at[g].rels);
        vec_free(d->mem, &d->groups.at[g].vars);
    }
    vec_free(d->mem, &d->groups);
    for (uint32_t i = 0; i < d->combined.n; i++)
        combine_free(d, &d->combined.at[i]);
    vec_free(d->mem, &d->combined);
    vec_free(d->mem, &d->combined_uses);
    map_free(d->mem, &d->combined_of);
    List *lists[64];
    for (List *const *list = all_lists(d, lists); *list; list++)
        vec_free(d->mem, *list);
    for (uint32_t i = 0; i < sizeof d->unused_occs / sizeof *d->unused_occs; i++)
        vec_free(d->mem, &d->unused_occs[i]);
    for (uint32_t i = 0; i < sizeof d->diagnosis / sizeof *d->diagnosis; i++)
        vec_free(d->mem, &d->diagnosis[i]);
    vec_free(d->mem, &d->vars);
    vec_free(d->mem, &d->rels);
    vec_free(d->mem, &d->nodes);
    vec_free(d->mem, &d->occ_var);
    vec_free(d->mem, &d->occ_rel);
    vec_free(d->mem, &d->parent);
    vec_free(d->mem, &d->delta);
    vec_free(d->mem, &d->noted);
    vec_free(d->mem, &d->scc_frames);
    vec_free(d->mem, &d->state_delta);
    map_free(d->mem, &d->bans);
    map_free(d->mem, &d->offsets);
    mem_free(d->mem, d);
}

/* ---- input ---- */

DdpVar ddp_enter_var(Ddp *d, DdpVarKind kind)
{
    DdpVar v = relation_new_var(d, kind);
    if (kind == DDP_UNKNOWN)
        free_vars_add(d, v);
    return v;
}

void ddp_remove_var(Ddp *d, DdpVar v)
{
    VAR(d, v).leaving = true;
    vec_push(d->mem, &d->leaving_vars, v);
}

void ddp_drop_var(Ddp *d, DdpVar v)
{
    relation_free_var(d, v);
}

static const unsigned select_flags[] = {DDP_NEVER_STATE, DDP_AVOID_STATE, 0, DDP_PREFER_STATE,
                                        DDP_ALWAYS_STATE};

static int8_t select_of(unsigned flags)
{
    int8_t select = -2;
    while (select_flags[select + 2] != flags && select < 2)
        select++;
    return select;
}

DdpRel ddp_enter_rel(Ddp *d, DdpRelKind kind, Form form, uint32_t n, const DdpVar *vars,
                     DdpVar logic, unsigned flags)
{
    DdpRel r;
    if (kind == DDP_DERIVATIVE) {
        DdpVar slots[3] = {vars[0], vars[1], 0};
        r = relation_new_rel(d, kind, d->copy_form, 3, slots, logic);
        REL(d, r).select = select_of(flags);
        REL(d, r).prefer = REL(d, r).select > 0;
        d->any_select |= (flags & ~(unsigned)DDP_PREFER_STATE) != 0;
        if (!VAR(d, vars[1]).rank)
            VAR(d, vars[1]).rank = ++d->ranks;
    } else {
        DdpVar *own = mem_alloc(d->mem, (n + 1) * sizeof *own);
        if (n) /* 1 = 1 has no variables */
            memcpy(own, vars, n * sizeof *own);
        form = kind == DDP_EQUATION ? relation_unify(d, form, &n, own)
                                    : form_cancel(d->forms, form, 1);
        r = relation_new_rel(d, kind, form, n, own, logic);
        mem_free(d->mem, own);
    }
    REL(d, r).waits = true;
    vec_push(d->mem, &d->entering, r);
    d->counts.entered++;
    return r;
}

void ddp_remove_rel(Ddp *d, DdpRel r)
{
    REL(d, r).leaving = true;
    vec_push(d->mem, &d->leaving, r);
    d->counts.removed++;
}

void ddp_hint_tearing(Ddp *d, DdpVar v, int change)
{
    d->hint_changes++;
    VAR(d, v).hints = (uint16_t)(VAR(d, v).hints + change);
    DdpRel r = VAR(d, v).match;
    schedule_tear_again(d, r ? REL(d, r).node : 0);
}

bool ddp_tearing_hinted(const Ddp *d, DdpVar v)
{
    return VAR(d, v).hints > 0;
}

uint32_t ddp_hint_changes(const Ddp *d)
{
    return d->hint_changes;
}

void ddp_advise_against(Ddp *d, DdpRel rel, DdpVar var)
{
    DdpRel r = REL(d, rel).origin;
    DdpVar v = VAR(d, var).origin;
    if (REL(d, r).banned) /* older advice on this relation is from another time */
        for (uint32_t i = 0; i < REL(d, r).n; i++)
            map_remove(&d->bans, (uint64_t)r << 32 | relation_vars(d, r)[i]);
    /* and so is advice to others on this variable: what was singular then is what is asked for now
     */
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o])
        if (REL(d, d->occ_rel.at[o]).banned)
            map_remove(&d->bans, (uint64_t)d->occ_rel.at[o] << 32 | v);
    REL(d, r).banned = true;
    map_put(d->mem, &d->bans, (uint64_t)r << 32 | v, 1);
    vec_push(d->mem, &d->advised_rel, r);
    vec_push(d->mem, &d->advised_var, v);
}

void ddp_guard(Ddp *d, uint32_t order)
{
    d->guard_order = order;
}

/* ---- commit ---- */

void relation_remove(Ddp *d, DdpRel r)
{
    d->visited++;
    if (REL(d, r).match)
        vec_push(d->mem, &d->holes, REL(d, r).match);
    causalize_release(d, r);
    requests_drop_chain(d, r);
    schedule_detach(d, r);
    if (REL(d, r).kind == DDP_DERIVATIVE)
        requests_add_candidate(d, relation_vars(d, r)[2]);
    relation_free_rel(d, r);
}

static void remove_leaving(Ddp *d)
{
    for (uint32_t i = 0; i < d->leaving.n; i++)
        relation_remove(d, d->leaving.at[i]);
    vec_clear(&d->leaving);
    for (uint32_t i = 0; i < d->leaving_vars.n; i++) {
        free_vars_drop(d, d->leaving_vars.at[i]);
        for (DdpVar up = VAR(d, d->leaving_vars.at[i]).up; up; up = VAR(d, up).up)
            requests_add_candidate(d, up);
    }
}

/* What was entered and removed before any commit comes and goes without a trace. */
static void enter(Ddp *d)
{
    vec_clear(&d->entered);
    for (uint32_t i = 0; i < d->entering.n; i++) {
        DdpRel r = d->entering.at[i];
        REL(d, r).waits = false;
        if (!REL(d, r).used || REL(d, r).match)
            continue;
        free_rels_add(d, r);
        causalize_push(d, r);
    }
    List done = d->entered;
    d->entered = d->entering;
    d->entering = done;
}

static void free_leaving_vars(Ddp *d)
{
    for (uint32_t i = 0; i < d->leaving_vars.n; i++) {
        DdpVar v = d->leaving_vars.at[i];
        if (VAR(d, v).n_occs || VAR(d, v).up) {
            fprintf(stderr, "solstice: broken invariant D1: variable %u is removed but named\n", v);
            abort();
        }
        relation_free_var(d, v);
    }
    vec_clear(&d->leaving_vars);
}

static void begin_delta(Ddp *d)
{
    for (uint32_t i = 0; i < d->delta.n; i++)
        if (d->delta.at[i].node)
            NODE(d, d->delta.at[i].node).delta_at = 0;
    vec_clear(&d->delta);
    vec_clear(&d->state_delta);
    if (d->delta.cap > LARGE_LIST)
        vec_free(d->mem, &d->delta);
    if (d->state_delta.cap > LARGE_LIST)
        vec_free(d->mem, &d->state_delta);
}

static void end_delta(Ddp *d)
{
    uint32_t kept = 0;
    d->n_shifted = 0;
    for (uint32_t i = 0; i < d->delta.n; i++)
        if (d->delta.at[i].node) {
            d->delta.at[kept++] = d->delta.at[i];
            NODE(d, d->delta.at[i].node).delta_at = kept;
            d->n_shifted += d->delta.at[i].change == DDP_NODE_MOVED;
        }
    d->delta.n = kept;
    state_select_delta(d);
    for (uint32_t i = 0; i < d->gone_nodes.n; i++)
        vec_push(d->mem, &d->unused_nodes, d->gone_nodes.at[i]);
    vec_clear(&d->gone_nodes);
}

/* A large change leaves large work lists behind; their memory goes back. */
static void trim(Ddp *d)
{
    List *work[] = {&d->work,        &d->select,   &d->prefer,     &d->moved,        &d->asked,
                    &d->placed,      &d->stale,    &d->candidates, &d->scratch,      &d->scratch2,
                    &d->scratch3,    &d->entering, &d->leaving,    &d->leaving_vars, &d->gone_nodes,
                    &d->holes,       &d->scc_open, &d->scc_order,  &d->scc_ends,     &d->steered,
                    &d->under_before};
    for (uint32_t i = 0; i < sizeof work / sizeof *work; i++)
        if (work[i]->cap > LARGE_LIST)
            vec_free(d->mem, work[i]);
    if (d->noted.cap > LARGE_LIST)
        vec_free(d->mem, &d->noted);
    if (d->scc_frames.cap > LARGE_LIST)
        vec_free(d->mem, &d->scc_frames);
    if (d->entered.cap > LARGE_LIST && !d->free_rels.n)
        vec_free(d->mem, &d->entered);
}

static DdpResult result_of(const Ddp *d, DdpCommit kind, uint64_t visited)
{
    DdpResult result = {.free_vars = d->free_vars.n,
                        .free_rels = d->free_rels.n,
                        .states = d->states.n,
                        .loops = d->n_loops,
                        .visited = d->visited - visited,
                        .scratch = d->scratch_now,
                        .changed = d->delta.n - d->n_shifted};
    if (d->free_rels.n)
        result.verdict = DDP_OVERDETERMINED;
    else if (d->n_false || d->runaway)
        result.verdict = DDP_FALSE_CAUSALITY;
    else if (d->free_vars.n && kind == DDP_FINAL)
        result.verdict = DDP_UNDERDETERMINED;
    return result;
}

DdpResult ddp_commit(Ddp *d, DdpCommit kind)
{
    uint64_t visited = d->visited;
    d->was_determined = !d->free_rels.n;
    d->runaway = d->scratch_now = false;
    vec_clear(&d->diagnosis[4]);
    d->commits++;
    begin_delta(d);
    combine_update(d);
    replace_equals(d);
    remove_leaving(d);
    enter(d);
    residual_advice(d);
    causalize_forward(d);
    state_select_restore(d);
    causalize_forward(d);
    residual_throw(d);
    state_select_preferred(d);
    do {
        requests_update(d);
        requests_collect(d);
    } while (d->asked.n && !d->runaway);
    levels_prefer(d);
    avoided_exchange(d);
    schedule_update(d);
    untangle(d);
    free_leaving_vars(d);
    schedule_determine(d);
    end_delta(d);
    trim(d);
#ifdef SOLSTICE_VERIFY
    if (d->n_rels <= VERIFIED)
        ddp_verify(d);
#endif
    return result_of(d, kind, visited);
}

/* ---- output ---- */

DdpNode ddp_first(const Ddp *d)
{
    return d->first_node;
}

DdpNode ddp_next(const Ddp *d, DdpNode n)
{
    return NODE(d, n).next;
}

bool ddp_before(const Ddp *d, DdpNode a, DdpNode b)
{
    return NODE(d, a).label < NODE(d, b).label;
}

uint64_t ddp_label(const Ddp *d, DdpNode n)
{
    return NODE(d, n).label;
}

DdpNodeView ddp_node(const Ddp *d, DdpNode n)
{
    const Node *node = &NODE(d, n);
    const Loop *loop = node->loop;
    if (!loop)
        return (DdpNodeView){.determined = !node->undetermined, .n_steps = 1, .steps = &node->step};
    return (DdpNodeView){.determined = !node->undetermined,
                         .loop = true,
                         .linear = loop->linear,
                         .constant = loop->constant,
                         .untorn = loop->untorn,
                         .n_steps = loop->steps.n,
                         .steps = loop->steps.at,
                         .n_tears = loop->tears.n,
                         .tears = loop->tears.at,
                         .residuals = loop->residuals.at};
}

DdpNode ddp_node_of(const Ddp *d, DdpVar v)
{
    DdpRel r = schedule_provider(d, v);
    return r ? REL(d, r).node : 0;
}

uint32_t ddp_state_count(const Ddp *d)
{
    return d->states.n;
}

/* An integrator that lent its place stands for the derivative relation that borrowed it. */
DdpState ddp_state(const Ddp *d, uint32_t index)
{
    DdpRel r = d->states.at[index];
    if (REL(d, r).loan)
        r = REL(d, r).loan;
    const DdpVar *vars = relation_vars(d, r);
    return (DdpState){r, vars[1], vars[0]};
}

bool ddp_is_state(const Ddp *d, DdpVar v)
{
    if (VAR(d, v).exchanged)
        return !VAR(d, v).by;
    DdpRel r = VAR(d, v).match;
    return r && relation_is_integrator(d, r) && relation_vars(d, r)[1] == v;
}

const DdpDelta *ddp_delta(const Ddp *d, uint32_t *n)
{
    *n = d->delta.n;
    return d->delta.at;
}

const DdpStateDelta *ddp_state_delta(const Ddp *d, uint32_t *n)
{
    *n = d->state_delta.n;
    return d->state_delta.at;
}

DdpRelView ddp_rel(const Ddp *d, DdpRel r)
{
    const Rel *rel = &REL(d, r);
    return (DdpRelView){.kind = (DdpRelKind)rel->kind,
                        .form = rel->form,
                        .n = rel->n,
                        .vars = relation_vars(d, r),
                        .logic = rel->has_logic ? relation_vars(d, r)[rel->n] : 0,
                        .flags = select_flags[rel->select + 2],
                        .origin = rel->origin,
                        .order = rel->order};
}

uint32_t ddp_rel_size(const Ddp *d, DdpRel r)
{
    return REL(d, r).n;
}

DdpVarView ddp_var(const Ddp *d, DdpVar v)
{
    const Var *var = &VAR(d, v);
    return (DdpVarView){(DdpVarKind)var->kind, var->origin, var->order, var->varies};
}

bool ddp_rel_used(const Ddp *d, DdpRel r)
{
    return r < d->rels.n && REL(d, r).used;
}

bool ddp_var_used(const Ddp *d, DdpVar v)
{
    return v < d->vars.n && VAR(d, v).used;
}

uint32_t ddp_var_limit(const Ddp *d)
{
    return d->vars.n;
}

uint32_t ddp_rel_limit(const Ddp *d)
{
    return d->rels.n;
}

DdpVar ddp_causality(const Ddp *d, DdpRel r)
{
    bool integrates = ddp_rel_state(d, r) == DDP_INTEGRATOR;
    if (integrates)
        return relation_vars(d, r)[1];
    return REL(d, r).group ? REL(d, r).out : REL(d, r).match;
}

DdpVar ddp_computed_by(const Ddp *d, DdpRel r)
{
    return schedule_out(d, r);
}

DdpRelState ddp_rel_state(const Ddp *d, DdpRel r)
{
    const Rel *rel = &REL(d, r);
    if (!rel->match) {
        for (uint32_t i = 0; i < rel->n; i++)
            if (relation_vars(d, r)[i] && relation_edge(d, r, i) &&
                !VAR(d, relation_vars(d, r)[i]).match)
                return DDP_NONCAUSAL;
        return DDP_RESIDUAL;
    }
    if (relation_is_integrator(d, r) != (rel->loan != 0))
        return DDP_INTEGRATOR; /* its own state, or one that it borrowed */
    if (rel->node && NODE(d, rel->node).undetermined)
        return DDP_POTENTIAL;
    return rel->kind == DDP_DERIVATIVE ? DDP_DIFFERENTIATOR : DDP_CAUSAL;
}

static size_t bytes_of(const Ddp *d)
{
    size_t bytes = sizeof *d;
    bytes += d->vars.cap * sizeof(Var) + d->parent.cap * sizeof(DdpRel);
    bytes += d->rels.cap * sizeof(Rel);
    bytes += d->nodes.cap * sizeof(Node);
    bytes += d->occ_var.cap * sizeof(DdpVar) + d->occ_rel.cap * sizeof(DdpRel);
    for (DdpNode n = 1; n < d->nodes.n; n++)
        if (NODE(d, n).loop)
            bytes += sizeof(Loop) + NODE(d, n).loop->steps.cap * sizeof(DdpStep) +
                     NODE(d, n).loop->tears.cap * (sizeof(DdpStep) + sizeof(DdpVar));
    List *lists[64];
    for (List *const *list = all_lists((Ddp *)d, lists); *list; list++)
        bytes += (*list)->cap * sizeof(uint32_t);
    bytes += (d->noted.cap + d->state_delta.cap) * sizeof(DdpStateDelta);
    return bytes + d->delta.cap * sizeof(DdpDelta);
}

DdpCounts ddp_counts(const Ddp *d)
{
    DdpCounts counts = d->counts;
    counts.visited = d->visited;
    counts.rels = d->n_rels - d->n_derived;
    return counts;
}

DdpTotals ddp_totals(const Ddp *d)
{
    return (DdpTotals){.rels = d->n_rels - d->n_derived,
                       .vars = d->n_vars,
                       .derived_rels = d->n_derived,
                       .states = d->states.n,
                       .nodes = d->n_nodes,
                       .loops = d->n_loops,
                       .visited = d->visited,
                       .commits = d->commits,
                       .scratch_rebuilds = d->scratch_rebuilds,
                       .bytes = bytes_of(d)};
}
