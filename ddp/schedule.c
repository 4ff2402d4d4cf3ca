/* schedule.c: causalities -> nodes in an order of evaluation, and what changed (thesis 7.3.3, 7.4).
 *
 * Requires: matching and derivatives are final. Maintains
 *   S1  labels ascend along the list of nodes.
 *   S2  every input of a node is known, a state, not determined by anybody, or computed by an earlier node.
 *   S3  a relation that computes something is in exactly one node; nodes are strong components.
 *   S4  Var.varies is false exactly for what can only change at events.
 *
 * A relation whose causality changed is taken out of the order and put back behind its latest input; only
 * where an old node now stands before one of its inputs, edge_insert moves or merges. A loop that lost a
 * member falls apart: all its members are put back, and those that still depend on each other meet again.
 * Where many components are put back and the order gives way for one after the other, all that depends on them
 * is taken out too, and put back in one pass.
 */
#include "ddp/ddp_int.h"

/* ---- the delta ---- */

/* One entry per node. What was new stays new or goes without a trace; what moved or turned may yet
 * change or go, and has changed when it did both. */
void schedule_touch(Ddp *d, DdpNode n, DdpChange change)
{
    Node *node = &NODE(d, n);
    if (!node->delta_at) {
        vec_push(d->mem, &d->delta, ((DdpDelta){n, change}));
        node->delta_at = d->delta.n;
    } else if (change == DDP_NODE_MOVED || change == DDP_NODE_TURNED) {
        DdpChange *before = &d->delta.at[node->delta_at - 1].change;
        if (*before != change && (*before == DDP_NODE_MOVED || *before == DDP_NODE_TURNED))
            *before = DDP_NODE_CHANGED; /* the others say as much */
        return;
    } else if (d->delta.at[node->delta_at - 1].change != DDP_NODE_NEW) {
        d->delta.at[node->delta_at - 1].change = change;
    } else if (change == DDP_NODE_GONE) {
        d->delta.at[node->delta_at - 1].node = 0; /* came and went within the commit */
    }
    if (change != DDP_NODE_GONE)
        return;
    if (node->loop) {
        tear_free(d, node->loop);
        node->loop = NULL;
        d->n_loops--;
    }
    d->n_false -= node->false_causal;
    node->false_causal = false;
    node->used = false;
    d->n_nodes--;
    vec_push(d->mem, &d->gone_nodes, n);
}

static DdpNode new_node(Ddp *d)
{
    DdpNode n;
    if (d->unused_nodes.n) {
        n = vec_pop(&d->unused_nodes);
    } else {
        n = d->nodes.n;
        vec_push(d->mem, &d->nodes, (Node){0});
    }
    NODE(d, n) = (Node){.used = true, .dirty = true};
    d->n_nodes++;
    schedule_touch(d, n, DDP_NODE_NEW);
    return n;
}

/* ---- out and in again ---- */

void schedule_detach(Ddp *d, DdpRel r)
{
    DdpNode n = REL(d, r).node;
    if (!n)
        return;
    for (DdpRel q = NODE(d, n).first, next; q; q = next) {
        next = REL(d, q).next;
        REL(d, q).node = 0;
        REL(d, q).next = 0;
        d->visited++;
        if (q != r)
            schedule_move(d, q);
    }
    NODE(d, n).first = 0;
    NODE(d, n).count = 0;
    topo_remove(d, n);
    schedule_touch(d, n, DDP_NODE_GONE);
}

void schedule_again(Ddp *d, DdpRel r)
{
    if (!REL(d, r).moved) {
        REL(d, r).moved = true;
        vec_push(d->mem, &d->moved, r);
    }
    schedule_detach(d, r);
}

void schedule_move(Ddp *d, DdpRel r)
{
    if (!REL(d, r).order)
        requests_ask(d, r);
    schedule_again(d, r);
}

static DdpNode latest_input(Ddp *d, DdpNode n)
{
    DdpNode latest = 0;
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next) {
        uint32_t count = REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u);
        DdpVar out = schedule_out(d, r);
        for (uint32_t k = 0; k < count; k++) {
            if (!schedule_reads_for(d, r, out, k))
                continue;
            DdpRel p = schedule_provider(d, relation_vars(d, r)[k]);
            DdpNode m = p ? REL(d, p).node : 0;
            if (m && m != n && (!latest || NODE(d, m).label > NODE(d, latest).label))
                latest = m;
        }
    }
    return latest;
}

/* Nodes that read what n computes and stand before it: the order gives way, or they join n. */
static void settle_readers(Ddp *d, DdpNode n)
{
    List early = {0};
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next) {
        DdpVar v = schedule_out(d, r);
        for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
            DdpRel q = d->occ_rel.at[o];
            DdpNode m = REL(d, q).node;
            d->visited++;
            if (m && m != n && NODE(d, m).label < NODE(d, n).label &&
                schedule_reads(d, q, o - REL(d, q).occ))
                vec_push(d->mem, &early, m);
        }
    }
    if (early.n)
        edge_insert(d, n, &early);
    vec_free(d->mem, &early);
}

static void place(Ddp *d, const DdpRel *members, uint32_t count)
{
    DdpNode n = new_node(d);
    for (uint32_t i = 0; i < count; i++) {
        DdpRel r = members[i];
        REL(d, r).node = n;
        REL(d, r).next = NODE(d, n).first;
        NODE(d, n).first = r;
    }
    NODE(d, n).count = count;
    topo_insert_after(d, n, latest_input(d, n));
    vec_push(d->mem, &d->placed, n);
    settle_readers(d, n);
}

/* ---- what varies between events ---- */

void schedule_settle(Ddp *d, DdpVar v, bool varies, bool solid)
{
    if (VAR(d, v).varies == varies && VAR(d, v).solid == solid)
        return;
    VAR(d, v).varies = varies;
    VAR(d, v).solid = solid;
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel q = d->occ_rel.at[o];
        DdpNode m = REL(d, q).node;
        d->visited++;
        if (m && !NODE(d, m).dirty && schedule_reads(d, q, o - REL(d, q).occ)) {
            NODE(d, m).dirty = true;
            vec_push(d->mem, &d->stale, m);
        }
    }
}

void schedule_tear_again(Ddp *d, DdpNode n)
{
    if (!n || !NODE(d, n).loop || NODE(d, n).dirty)
        return;
    NODE(d, n).dirty = true;
    vec_push(d->mem, &d->placed, n);
}

static bool node_varies(const Ddp *d, DdpNode n)
{
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next) {
        DdpVar out = schedule_out(d, r);
        for (uint32_t k = 0; k < REL(d, r).n; k++) {
            DdpVar v = relation_vars(d, r)[k];
            if (!VAR(d, v).varies || !schedule_reads_for(d, r, out, k))
                continue;
            DdpRel p = schedule_provider(d, v);
            if (!p || REL(d, p).node != n)
                return true;
        }
    }
    return false;
}

/* An explicit value made of solid values and constants other than zero by products and quotients only:
 * nobody expects that to be zero. */
static bool node_solid(Ddp *d, DdpNode n)
{
    DdpRel r = NODE(d, n).first;
    if (NODE(d, n).loop || REL(d, r).kind != DDP_EQUATION || REL(d, r).order)
        return false;
    X todo[32] = {NODE(d, n).step.value};
    for (uint32_t left = 1; left;) {
        XNode x = x_node(d->forms, todo[--left]);
        if (x.op == X_CONST ? x.k == 0 : x.op == X_POS && !VAR(d, relation_vars(d, r)[x.a]).solid)
            return false;
        if (x.op == X_CONST || x.op == X_POS)
            continue;
        if ((x.op != X_NEG && x.op != X_MUL && x.op != X_DIV) || left + 2 > 32)
            return false;
        todo[left++] = x.a;
        if (x.op != X_NEG)
            todo[left++] = x.b;
    }
    return true;
}

static bool is_false(const Ddp *d, DdpNode n)
{
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next) {
        if (REL(d, r).kind != DDP_TRANSMISSION && NODE(d, n).count == 1)
            continue;
        if (NODE(d, n).count > 1) {
            if (REL(d, REL(d, r).origin).kind == DDP_TRANSMISSION)
                return true;
            continue;
        }
        uint32_t count = REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u);
        for (uint32_t k = 1; k < count; k++)
            if (relation_vars(d, r)[k] == REL(d, r).match && schedule_reads(d, r, k))
                return true;
    }
    return false;
}

static void finish_node(Ddp *d, DdpNode n)
{
    if (!NODE(d, n).used || !NODE(d, n).dirty)
        return;
    NODE(d, n).dirty = false;
    bool wrong = is_false(d, n);
    d->n_false += wrong - NODE(d, n).false_causal;
    if (wrong && !NODE(d, n).false_causal)
        vec_push(d->mem, &d->false_nodes, n);
    NODE(d, n).false_causal = wrong;
    tear_node(d, n);
    bool varies = node_varies(d, n), solid = !varies && node_solid(d, n);
    for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
        schedule_settle(d, schedule_out(d, r), varies, solid);
    schedule_touch(d, n, DDP_NODE_CHANGED);
}

/* ---- many at once ---- */

enum { FEW_LEFT = 16, FEW_VISITS = 20000, VISITS_EACH = 16 };

void ddp_eager(Ddp *d)
{
    d->eager = true;
}

/* Have moves and merges cost more than putting back all that depends on what moved would, once? */
static bool gives_way_often(const Ddp *d, uint64_t begin, uint32_t left)
{
    if (d->eager)
        return left == 1;
    return left > FEW_LEFT && d->visited - begin > FEW_VISITS + (uint64_t)VISITS_EACH * d->moved.n;
}

/* Its members are to be put back, as they are. */
static void dissolve(Ddp *d, DdpNode n)
{
    for (DdpRel r = NODE(d, n).first, next; r; r = next) {
        next = REL(d, r).next;
        REL(d, r).node = 0;
        REL(d, r).next = 0;
        d->visited++;
        if (REL(d, r).moved)
            continue;
        REL(d, r).moved = true;
        vec_push(d->mem, &d->moved, r);
    }
    NODE(d, n).first = 0;
    NODE(d, n).count = 0;
    topo_remove(d, n);
    schedule_touch(d, n, DDP_NODE_GONE);
}

static void dissolve_readers(Ddp *d, DdpVar v)
{
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel q = d->occ_rel.at[o];
        d->visited++;
        if (REL(d, q).node && schedule_reads(d, q, o - REL(d, q).occ))
            dissolve(d, REL(d, q).node);
    }
}

/* All that depends on what moved moves too: then nobody stands before one of its inputs. */
static void take_out_readers(Ddp *d)
{
    for (uint32_t i = 0; i < d->moved.n; i++) {
        DdpRel r = d->moved.at[i];
        if (!REL(d, r).used)
            continue;
        if (REL(d, r).node)
            dissolve(d, REL(d, r).node);
        REL(d, r).next = 0; /* scc.c begins anew */
        if (schedule_out(d, r))
            dissolve_readers(d, schedule_out(d, r));
    }
}

/* False: not to the end, because it became dear. */
static bool place_moved(Ddp *d, bool may_stop)
{
    List *order = &d->scc_order, *ends = &d->scc_ends;
    uint64_t begin = d->visited;
    uint32_t start = 0, i = 0;
    scc_of_moved(d, order, ends);
    for (; i < ends->n && !(may_stop && gives_way_often(d, begin, ends->n - i)); i++) {
        place(d, order->at + start, ends->at[i] - start);
        start = ends->at[i];
    }
    bool done = i == ends->n;
    vec_clear(order);
    vec_clear(ends);
    return done;
}

void schedule_update(Ddp *d)
{
    if (!place_moved(d, true)) {
        take_out_readers(d);
        place_moved(d, false);
    }
    for (uint32_t i = 0; i < d->moved.n; i++)
        REL(d, d->moved.at[i]).moved = false;
    vec_clear(&d->moved);
    for (uint32_t i = 0; i < d->placed.n; i++)
        finish_node(d, d->placed.at[i]);
    vec_clear(&d->placed);
    for (uint32_t i = 0; i < d->stale.n; i++)
        finish_node(d, d->stale.at[i]);
    vec_clear(&d->stale);
}

/* ---- what is determined (thesis 8.6: causalized or only potentially) ---- */

static void mark_var(Ddp *d, DdpVar v)
{
    if (VAR(d, v).undetermined)
        return;
    VAR(d, v).undetermined = true;
    vec_push(d->mem, &d->under_vars, v);
}

static void mark_readers(Ddp *d, DdpVar v)
{
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel q = d->occ_rel.at[o];
        DdpNode n = REL(d, q).node;
        d->visited++;
        if (!n || NODE(d, n).undetermined || !schedule_reads(d, q, o - REL(d, q).occ))
            continue;
        NODE(d, n).undetermined = true;
        vec_push(d->mem, &d->under_nodes, n);
        for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next)
            mark_var(d, schedule_out(d, r));
    }
}

/* A node is undetermined when it reads, directly or not, a variable that nobody determines. States are
 * roots: they stay determined whatever happens to their slopes. */
void schedule_determine(Ddp *d)
{
    if (!d->under_nodes.n && !d->under_vars.n && !d->free_vars.n)
        return;
    List before = d->under_nodes;
    d->under_nodes = d->under_before;
    d->under_before = before;
    vec_clear(&d->under_nodes);
    for (uint32_t i = 0; i < d->under_vars.n; i++)
        VAR(d, d->under_vars.at[i]).undetermined = false;
    vec_clear(&d->under_vars);
    for (uint32_t i = 0; i < before.n; i++) {
        NODE(d, before.at[i]).undetermined = false;
        NODE(d, before.at[i]).was_undetermined = true;
    }
    for (uint32_t i = 0; i < d->free_vars.n; i++)
        for (DdpVar v = d->free_vars.at[i]; v; v = VAR(d, v).up)
            mark_var(d, v);
    for (uint32_t i = 0; i < d->under_vars.n; i++)
        mark_readers(d, d->under_vars.at[i]);
    for (uint32_t i = 0; i < before.n; i++)
        if (NODE(d, before.at[i]).used && !NODE(d, before.at[i]).undetermined)
            schedule_touch(d, before.at[i], DDP_NODE_TURNED);
    for (uint32_t i = 0; i < d->under_nodes.n; i++)
        if (!NODE(d, d->under_nodes.at[i]).was_undetermined)
            schedule_touch(d, d->under_nodes.at[i], DDP_NODE_TURNED);
    for (uint32_t i = 0; i < before.n; i++)
        NODE(d, before.at[i]).was_undetermined = false;
}
