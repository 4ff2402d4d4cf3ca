/* ddp_pack.c: the whole causality graph between two commits <-> a block of bytes. See ddp.h.
 *
 * Relations, matching, requests, groups and schedule are written as they are, with their numbers:
 * what later commits do depends on the order of lists and on numbers that are used again, and a
 * graph that was read goes on exactly like the one that was written. Left out is what one commit
 * makes for itself: the delta, work lists' memory, marks of searches. Whoever adds a field to the
 * graph adds a line here; tests/ddp/test_ddp_pack.c finds what was forgotten. */
#include "base/pack.h"
#include "ddp/ddp_int.h"

static void pack_var(Pack *p, Var *v)
{
    PACK(p, v->occs);
    PACK(p, v->n_occs);
    PACK(p, v->match);
    PACK(p, v->origin);
    PACK(p, v->up);
    PACK(p, v->by);
    PACK(p, v->free_at);
    PACK(p, v->rank);
    PACK(p, v->hints);
    PACK(p, v->order);
    PACK(p, v->kind);
    PACK(p, v->turns_to);
    PACK_BIT(p, v->used);
    PACK_BIT(p, v->leaving);
    PACK_BIT(p, v->varies);
    PACK_BIT(p, v->solid);
    PACK_BIT(p, v->candidate);
    PACK_BIT(p, v->undetermined);
    PACK_BIT(p, v->driven);
    PACK_BIT(p, v->exchanged);
    PACK_BIT(p, v->marked);
}

static void pack_rel_flags(Pack *p, Rel *r)
{
    PACK_BIT(p, r->used);
    PACK_BIT(p, r->leaving);
    PACK_BIT(p, r->waits);
    PACK_BIT(p, r->has_logic);
    PACK_BIT(p, r->prefer);
    PACK_BIT(p, r->queued);
    PACK_BIT(p, r->moved);
    PACK_BIT(p, r->asked);
    PACK_BIT(p, r->held);
    PACK_BIT(p, r->banned);
    PACK_BIT(p, r->noted);
    PACK_BIT(p, r->marked);
}

static void pack_rel(Pack *p, Rel *r)
{
    PACK(p, r->form);
    PACK(p, r->occ);
    PACK(p, r->match);
    PACK(p, r->origin);
    PACK(p, r->up);
    PACK(p, r->group);
    PACK(p, r->out);
    PACK(p, r->loan);
    PACK(p, r->node);
    PACK(p, r->next);
    PACK(p, r->free_at);
    PACK(p, r->state_at);
    PACK(p, r->n);
    PACK(p, r->order);
    PACK(p, r->kind);
    PACK(p, r->wish);
    PACK(p, r->select);
    pack_rel_flags(p, r);
}

static void pack_loop(Ddp *d, Pack *p, Node *node)
{
    bool loop = node->loop != NULL;
    PACK_BIT(p, loop);
    if (!loop)
        return;
    if (!p->writing)
        node->loop = mem_alloc(d->mem, sizeof *node->loop);
    PACK_BIT(p, node->loop->linear);
    PACK_BIT(p, node->loop->constant);
    PACK_BIT(p, node->loop->untorn);
    PACK(p, node->loop->growth);
    PACK_LIST(p, &node->loop->steps);
    PACK_LIST(p, &node->loop->tears);
    PACK_LIST(p, &node->loop->residuals);
}

/* Without its place in the delta. */
static void pack_node(Ddp *d, Pack *p, Node *n)
{
    PACK(p, n->label);
    PACK(p, n->prev);
    PACK(p, n->next);
    PACK(p, n->first);
    PACK(p, n->count);
    PACK(p, n->step);
    PACK_BIT(p, n->used);
    PACK_BIT(p, n->false_causal);
    PACK_BIT(p, n->undetermined);
    PACK_BIT(p, n->was_undetermined);
    PACK_BIT(p, n->reached);
    PACK_BIT(p, n->reaching);
    PACK_BIT(p, n->dirty);
    pack_loop(d, p, n);
}

static void pack_combined(Pack *p, Combined *c)
{
    PACK(p, c->rel);
    PACK(p, c->form_before);
    PACK(p, c->form);
    PACK_LIST(p, &c->before);
    PACK_LIST(p, &c->vars);
    PACK_LIST(p, &c->others);
    PACK(p, c->rest);
    PACK(p, c->age);
    PACK_BIT(p, c->stands);
    PACK_BIT(p, c->aside);
    PACK_BIT(p, c->renewed);
    PACK_BIT(p, c->kept);
}

static void pack_tables(Ddp *d, Pack *p)
{
    PACK_LENGTH(p, &d->vars, 1);
    for (DdpVar v = 1; v < d->vars.n; v++)
        pack_var(p, &VAR(d, v));
    PACK_LENGTH(p, &d->rels, 1);
    for (DdpRel r = 1; r < d->rels.n; r++)
        pack_rel(p, &REL(d, r));
    PACK_LENGTH(p, &d->nodes, 1);
    for (DdpNode n = 1; n < d->nodes.n; n++)
        pack_node(d, p, &NODE(d, n));
    PACK_LIST(p, &d->occ_var);
    PACK_LIST(p, &d->occ_rel);
    for (uint32_t i = 0; i < sizeof d->unused_occs / sizeof *d->unused_occs; i++)
        PACK_LIST(p, &d->unused_occs[i]);
    PACK_LENGTH(p, &d->groups, 1);
    for (uint32_t g = 0; g < d->groups.n; g++) {
        PACK_LIST(p, &d->groups.at[g].rels);
        PACK_LIST(p, &d->groups.at[g].vars);
    }
    pack_map(p, &d->bans);
    PACK_LENGTH(p, &d->combined, 1);
    for (uint32_t i = 0; i < d->combined.n; i++)
        pack_combined(p, &d->combined.at[i]);
    PACK(p, d->combined_age);
    PACK(p, d->n_aside);
    PACK_LIST(p, &d->combined_new);
    PACK_LIST(p, &d->combined_ending);
    if (!p->writing && !p->bad)
        combine_index(d);
}

static void pack_lists(Ddp *d, Pack *p)
{
    List *lists[] = {
        &d->unused_vars, &d->unused_rels, &d->unused_nodes, &d->unused_groups, &d->occ_next,
        &d->occ_prev,    &d->entering,    &d->leaving,      &d->leaving_vars,  &d->advised_rel,
        &d->advised_var, &d->entered,     &d->free_vars,    &d->free_rels,     &d->states,
        &d->under_nodes, &d->under_vars,  &d->work,         &d->holes,         &d->select,
        &d->prefer,      &d->moved,       &d->asked,        &d->held_back,     &d->gone_nodes,
        &d->placed,      &d->stale,       &d->candidates,   &d->wished,        &d->demanding,
        &d->false_nodes, &d->turning,     &d->steered};
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++)
        PACK_LIST(p, lists[i]);
}

static void pack_numbers(Ddp *d, Pack *p)
{
    PACK(p, d->first_node);
    PACK(p, d->last_node);
    PACK(p, d->select_at);
    PACK(p, d->prefer_at);
    PACK(p, d->ranks);
    PACK(p, d->n_rels);
    PACK(p, d->n_vars);
    PACK(p, d->n_derived);
    PACK(p, d->n_ders);
    PACK(p, d->n_nodes);
    PACK(p, d->n_loops);
    PACK(p, d->n_false);
    PACK_BIT(p, d->was_determined);
    PACK(p, d->visited);
    PACK(p, d->commits);
    PACK(p, d->scratch_rebuilds);
    PACK(p, d->counts.entered);
    PACK(p, d->counts.removed);
    PACK(p, d->guard_order);
    PACK(p, d->turned);
    PACK_BIT(p, d->scratch_now);
    PACK_BIT(p, d->runaway);
    PACK_BIT(p, d->any_select);
}

/* No search has seen a variable yet. */
static void forget_searches(Ddp *d)
{
    vec_clear(&d->parent);
    vec_clear(&d->stamp);
    for (uint32_t v = 0; v < d->vars.n; v++) {
        vec_push(d->mem, &d->parent, 0);
        vec_push(d->mem, &d->stamp, 0);
    }
    d->search = 0;
}

void ddp_pack(Ddp *d, Pack *p)
{
    pack_tables(d, p);
    pack_lists(d, p);
    pack_numbers(d, p);
    if (p->writing)
        return;
    vec_clear(&d->delta);
    vec_clear(&d->state_delta);
    forget_searches(d);
}

/* ---- all of it as a delta ---- */

void ddp_list_all(Ddp *d)
{
    for (uint32_t i = 0; i < d->delta.n; i++)
        NODE(d, d->delta.at[i].node).delta_at = 0;
    vec_clear(&d->delta);
    vec_clear(&d->state_delta);
    d->n_shifted = 0;
    for (DdpNode n = d->first_node; n; n = NODE(d, n).next) {
        vec_push(d->mem, &d->delta, ((DdpDelta){n, DDP_NODE_NEW}));
        NODE(d, n).delta_at = d->delta.n;
    }
    for (uint32_t i = 0; i < d->states.n; i++) {
        DdpState state = ddp_state(d, i);
        vec_push(d->mem, &d->state_delta,
                 ((DdpStateDelta){state.var, state.slope, state.rel, true}));
    }
}
