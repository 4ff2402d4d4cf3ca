/* choice.c: a component of the schedule -> rows and columns; a matching of these -> exchanges of
 * states.
 *
 * Requires: nothing of the component is exchanged (levels.c), so each relation computes its
 * default.
 */
#include "ddp/choice.h"

#include <string.h>

/* ---- the component ---- */

/* States without a derivative occur in no relation of their level: nobody could compute them. */
static bool is_column(const Ddp *d, DdpVar v)
{
    return v && (schedule_provider(d, v) || (ddp_is_state(d, v) && VAR(d, v).up));
}

static uint32_t positions(const Ddp *d, DdpRel r)
{
    return REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u);
}

static void add_rel(Ddp *d, DdpRel r, List *rels)
{
    if (!r || REL(d, r).marked || !schedule_out(d, r))
        return;
    REL(d, r).marked = true;
    vec_push(d->mem, rels, r);
}

static void add_users(Ddp *d, DdpVar v, List *rels)
{
    if (d->stamp.at[v] == d->search || !is_column(d, v))
        return;
    d->stamp.at[v] = d->search;
    add_rel(d, schedule_provider(d, v), rels);
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o])
        add_rel(d, d->occ_rel.at[o], rels);
}

void choice_component(Ddp *d, DdpNode n, List *rels)
{
    d->search++;
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
        add_rel(d, r, rels);
    for (uint32_t i = 0; i < rels->n; i++)
        for (uint32_t k = 0; k < positions(d, rels->at[i]); k++)
            if (relation_vars(d, rels->at[i])[k])
                add_users(d, relation_vars(d, rels->at[i])[k], rels);
}

/* ---- columns ---- */

/* d->parent of a variable stamped in this search is the number of its column. */
static void add_column(Choice *c, DdpVar v)
{
    Ddp *d = c->d;
    if (d->stamp.at[v] == d->search)
        return;
    d->stamp.at[v] = d->search;
    d->parent.at[v] = c->vars.n;
    vec_push(d->mem, &c->vars, v);
}

static void add_columns(Choice *c)
{
    Ddp *d = c->d;
    d->search++;
    for (uint32_t i = 0; i < c->rows; i++)
        add_column(c, schedule_out(d, c->rel[i]));
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t k = 0; k < positions(d, c->rel[i]); k++)
            if (is_column(d, relation_vars(d, c->rel[i])[k]))
                add_column(c, relation_vars(d, c->rel[i])[k]);
    c->cols = c->vars.n;
}

static DdpRel derivative_of(const Ddp *d, DdpVar v)
{
    if (ddp_is_state(d, v))
        return VAR(d, v).match;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        if (REL(d, r).kind != DDP_DERIVATIVE)
            break; /* derivative relations come first in the list */
        if (relation_vars(d, r)[1] == v && levels_may_borrow(d, r))
            return r;
    }
    return 0;
}

/* What the numerics want, then what the modeller prefers, the first declared most; then what is a
 * state by default. */
static uint64_t weight_of(const Ddp *d, DdpVar v, DdpRel der)
{
    uint64_t kind = REL(d, der).select == 2 ? 5
                    : REL(d, der).wish > 0  ? 4
                    : REL(d, der).wish < 0  ? 0
                    : REL(d, der).prefer    ? 3
                    : REL(d, der).select    ? 0
                    : ddp_is_state(d, v)    ? 2
                                            : 1;
    return kind << 32 | (UINT32_MAX - VAR(d, v).rank);
}

static void judge_columns(Choice *c)
{
    Ddp *d = c->d;
    c->der = arena_alloc(&c->arena, (c->cols + 1) * sizeof *c->der);
    c->weight = arena_alloc(&c->arena, (c->cols + 1) * sizeof *c->weight);
    c->mark = arena_alloc(&c->arena, c->cols + 1);
    for (uint32_t v = 0; v < c->cols; v++) {
        c->der[v] = derivative_of(d, c->vars.at[v]);
        c->weight[v] = c->der[v] ? weight_of(d, c->vars.at[v], c->der[v]) : 0;
    }
}

/* ---- who reads what, who may compute what ---- */

static Links link_pairs(Choice *c, uint32_t n, const List *from, const List *to)
{
    Links links = {arena_alloc(&c->arena, (n + 2) * sizeof *links.start),
                   arena_alloc(&c->arena, (to->n + 1) * sizeof *links.to)};
    for (uint32_t i = 0; i < from->n; i++)
        links.start[from->at[i] + 2]++;
    for (uint32_t i = 2; i < n + 2; i++)
        links.start[i] += links.start[i - 1];
    for (uint32_t i = 0; i < from->n; i++)
        links.to[links.start[from->at[i] + 1]++] = to->at[i];
    return links;
}

/* Whatever it computes: what occurs in it, and its condition. */
static bool names(const Ddp *d, DdpRel r, uint32_t position)
{
    if (position == REL(d, r).n)
        return true;
    if (REL(d, r).kind == DDP_DERIVATIVE)
        return position != 1;
    return (REL(d, r).kind != DDP_TRANSMISSION || position > 0) &&
           form_info(d->forms, REL(d, r).form)->position[position].occurs;
}

static void link_reads(Choice *c)
{
    Ddp *d = c->d;
    List from = {0}, to = {0};
    for (uint32_t i = 0; i < c->rows; i++)
        for (uint32_t k = 0; k < positions(d, c->rel[i]); k++) {
            DdpVar v = relation_vars(d, c->rel[i])[k];
            if (!is_column(d, v) || !names(d, c->rel[i], k))
                continue;
            c->self |= REL(d, c->rel[i]).kind == DDP_TRANSMISSION && d->parent.at[v] == i;
            vec_push(d->mem, &from, i);
            vec_push(d->mem, &to, d->parent.at[v]);
        }
    c->reads = link_pairs(c, c->rows, &from, &to);
    c->readers = link_pairs(c, c->cols, &to, &from);
    vec_free(d->mem, &from);
    vec_free(d->mem, &to);
}

static void link_may(Choice *c, bool anything)
{
    Ddp *d = c->d;
    List from = {0}, to = {0};
    for (uint32_t i = 0; i < c->rows; i++) {
        vec_push(d->mem, &from, i);
        vec_push(d->mem, &to, i);
        for (uint32_t k = 0; k < REL(d, c->rel[i]).n; k++)
            if (is_column(d, relation_vars(d, c->rel[i])[k]) &&
                levels_may(d, c->rel[i], k, anything)) {
                vec_push(d->mem, &from, i);
                vec_push(d->mem, &to, d->parent.at[relation_vars(d, c->rel[i])[k]]);
            }
    }
    c->may = link_pairs(c, c->rows, &from, &to);
    c->takers = link_pairs(c, c->cols, &to, &from);
    vec_free(d->mem, &from);
    vec_free(d->mem, &to);
}

/* ---- life ---- */

static void match_by_default(Choice *c)
{
    c->own = arena_alloc(&c->arena, (c->rows + 1) * sizeof *c->own);
    c->by = arena_alloc(&c->arena, (c->cols + 1) * sizeof *c->by);
    for (uint32_t i = 0; i < c->cols; i++)
        c->by[i] = i < c->rows ? i : CHOICE_NONE;
    for (uint32_t i = 0; i < c->rows; i++)
        c->own[i] = i;
}

void choice_open(Choice *c, Ddp *d, const List *rels, bool anything)
{
    *c = (Choice){.d = d, .rows = rels->n, .rel = rels->at};
    arena_init(&c->arena, d->mem);
    add_columns(c);
    c->causal = arena_alloc(&c->arena, c->rows + 1);
    for (uint32_t i = 0; i < c->rows; i++)
        c->causal[i] = REL(d, REL(d, c->rel[i]).origin).kind == DDP_TRANSMISSION;
    c->comp = arena_alloc(&c->arena, (c->rows + 1) * sizeof *c->comp);
    link_reads(c);
    link_may(c, anything);
    judge_columns(c);
    match_by_default(c);
}

void choice_close(Choice *c)
{
    vec_free(c->d->mem, &c->vars);
    vec_free(c->d->mem, &c->trail);
    arena_free(&c->arena);
}

/* ---- the matching becomes the choice of the DDP ---- */

/* Whoever may lend and is no state of the matching. There is one: the states of the matching are
 * independent, so not all that `wanted` depends on can be among them. */
static void borrow(Ddp *d, DdpRel wanted, List *lenders)
{
    vec_clear(lenders);
    levels_lenders(d, wanted, true, lenders);
    for (uint32_t i = 0; i < lenders->n; i++)
        if (!VAR(d, relation_vars(d, lenders->at[i])[1]).marked) {
            if (!levels_exchange(d, wanted, lenders->at[i], false))
                levels_exchange(d, wanted, lenders->at[i], true);
            return;
        }
}

void choice_apply(const Choice *c)
{
    Ddp *d = c->d;
    List lenders = {0};
    for (uint32_t i = 0; i < c->cols; i++)
        VAR(d, c->vars.at[i]).marked = c->by[i] == CHOICE_NONE;
    for (uint32_t i = 0; i < c->rows; i++)
        if (c->by[i] == CHOICE_NONE)
            borrow(d, c->der[i], &lenders);
    for (uint32_t i = 0; i < c->cols; i++)
        VAR(d, c->vars.at[i]).marked = false;
    vec_free(d->mem, &lenders);
}
