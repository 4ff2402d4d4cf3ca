/* replace.c: a relation entered for one that leaves, with the same unknowns -> takes its place.
 *
 * Exchanging an equation by one of equal structure is the commonest change of all (an engine for an engine, a
 * resistance for a resistance), and the one where the thesis opens a loop only to close it again (9.8).
 * Here the new relation inherits causality, place in the order and role in the loop, as long as the rest of
 * what it reads is computed early enough. Everything else about the node stays.
 */
#include "ddp/ddp_int.h"

static uint64_t signature(const Ddp *d, DdpRel r)
{
    uint64_t sum = REL(d, r).kind;
    for (uint32_t i = 0; i < REL(d, r).n; i++)
        if (relation_vars(d, r)[i] && relation_edge(d, r, i))
            sum += hash_u64(relation_vars(d, r)[i]);
    return sum ? sum : 1;
}

static bool same_unknowns(const Ddp *d, DdpRel a, DdpRel b)
{
    uint32_t edges_a = 0, edges_b = 0;
    for (uint32_t i = 0; i < REL(d, a).n; i++) {
        if (!relation_edge(d, a, i))
            continue;
        edges_a++;
        int at = relation_position(d, b, relation_vars(d, a)[i]);
        if (at < 0 || !relation_edge(d, b, (uint32_t)at))
            return false;
    }
    for (uint32_t i = 0; i < REL(d, b).n; i++)
        edges_b += relation_edge(d, b, i);
    return edges_a == edges_b;
}

/* Is all that r reads computed before node n, or in it? */
static bool inputs_ready(const Ddp *d, DdpRel r, DdpVar out, DdpNode n)
{
    uint32_t count = REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u);
    for (uint32_t k = 0; k < count; k++) {
        DdpVar v = relation_vars(d, r)[k];
        DdpRel p = v && v != out ? schedule_provider(d, v) : 0;
        if (!p)
            continue;
        DdpNode m = REL(d, p).node;
        if (!m || (m != n && NODE(d, m).label > NODE(d, n).label))
            return false;
    }
    return true;
}

/* Is r linear in the variables of node n? */
static bool linear_in(const Ddp *d, DdpRel r, DdpNode n)
{
    const FormInfo *info = form_info(d->forms, REL(d, r).form);
    for (uint32_t k = 0; k < info->n; k++) {
        DdpRel p = schedule_provider(d, relation_vars(d, r)[k]);
        if (!p || REL(d, p).node != n)
            continue;
        if (!info->position[k].factor)
            return false;
        for (uint32_t j = 0; j < info->n; j++) {
            DdpVar w = relation_vars(d, r)[j];
            if (!form_factor_uses(d->forms, &info->position[k], j))
                continue;
            DdpRel q = schedule_provider(d, w);
            if ((q && REL(d, q).node == n) || VAR(d, w).varies)
                return false;
        }
    }
    return true;
}

/* How many times an error in the other variables of node n grows when r is solved for v. */
static double gain(const Ddp *d, DdpRel r, DdpVar v, DdpNode n)
{
    double sum = 0;
    for (uint32_t k = 0; k < REL(d, r).n; k++) {
        DdpVar w = relation_vars(d, r)[k];
        DdpRel p = w != v ? schedule_provider(d, w) : 0;
        if (p && REL(d, p).node == n)
            sum += tear_factor(d, r, k);
    }
    return sum / tear_factor(d, r, (uint32_t)relation_position(d, r, v));
}

/* May `young` compute v inside the loop of node n in place of `old`? */
static bool fits_step(Ddp *d, DdpNode n, DdpRel old, DdpRel young, DdpVar v)
{
    if (relation_solvable(d, young, v) != SOLVE_SAFE)
        return false;
    double more = gain(d, young, v, n) / gain(d, old, v, n);
    double growth = NODE(d, n).loop->growth * (more > 1 ? more : 1);
    if (!(growth <= MOST_GROWTH))
        return false;
    NODE(d, n).loop->growth = growth;
    return true;
}

/* Puts `young` into the steps or residuals of the loop instead of `old`; false: it does not fit there. */
static bool patch_loop(Ddp *d, DdpNode n, DdpRel old, DdpRel young)
{
    Loop *loop = NODE(d, n).loop;
    if (!loop->linear || !loop->constant || !linear_in(d, young, n))
        return false;
    for (uint32_t i = 0; i < loop->steps.n; i++) {
        DdpStep *s = &loop->steps.at[i];
        if (s->rel != old)
            continue;
        if (!fits_step(d, n, old, young, s->var))
            return false;
        int at = relation_position(d, young, s->var);
        *s = (DdpStep){young, s->var, form_info(d->forms, REL(d, young).form)->position[at].solved};
        return true;
    }
    for (uint32_t i = 0; i < loop->residuals.n; i++)
        if (loop->residuals.at[i].rel == old) {
            loop->residuals.at[i].rel = young;
            return true;
        }
    return false;
}

static void take_place(Ddp *d, DdpRel old, DdpRel young)
{
    DdpVar v = REL(d, old).match;
    DdpNode n = REL(d, old).node;
    REL(d, young).match = v;
    REL(d, young).node = n;
    REL(d, young).next = REL(d, old).next;
    VAR(d, v).match = young;
    if (NODE(d, n).first == old) {
        NODE(d, n).first = young;
    } else {
        DdpRel r = NODE(d, n).first;
        while (REL(d, r).next != old)
            r = REL(d, r).next;
        REL(d, r).next = young;
    }
    REL(d, old).match = 0;
    REL(d, old).node = 0;
    REL(d, old).next = 0;
    d->visited += 2;
    bool patched = NODE(d, n).loop && patch_loop(d, n, old, young);
    if (!patched && !NODE(d, n).dirty) {
        NODE(d, n).dirty = true;
        vec_push(d->mem, &d->placed, n);
    }
    schedule_touch(d, n, DDP_NODE_CHANGED);
    requests_ask(d, young);
}

/* A component with causal relations may fall apart; and so did the node of a relation whose derivatives
 * were in one with those of another that was replaced. */
static bool may_be_replaced(const Ddp *d, DdpRel old)
{
    DdpNode n = REL(d, old).node;
    if (!n || REL(d, old).group ||
        !relation_edge(d, old, (uint32_t)relation_position(d, old, REL(d, old).match)))
        return false; /* what it determined is held now */
    return NODE(d, n).count == 1 || (!NODE(d, n).false_causal && REL(d, old).kind == DDP_EQUATION);
}

void replace_equals(Ddp *d)
{
    if (!d->leaving.n || !d->entering.n)
        return;
    Map by_signature = {0};
    for (uint32_t i = 0; i < d->leaving.n; i++) {
        DdpRel r = d->leaving.at[i];
        if (REL(d, r).kind != DDP_DERIVATIVE && REL(d, r).node)
            map_put(d->mem, &by_signature, signature(d, r), r);
    }
    for (uint32_t i = 0; i < d->entering.n && by_signature.n; i++) {
        DdpRel young = d->entering.at[i];
        if (REL(d, young).leaving || REL(d, young).kind == DDP_DERIVATIVE)
            continue;
        uint64_t key = signature(d, young);
        DdpRel old = map_get(&by_signature, key);
        if (!old || REL(d, old).kind != REL(d, young).kind || !same_unknowns(d, old, young))
            continue;
        if (!may_be_replaced(d, old))
            continue;
        requests_drop_chain(d, old); /* these nodes fall apart, and others may be members of them */
        if (!REL(d, old).node || !inputs_ready(d, young, REL(d, old).match, REL(d, old).node))
            continue;
        map_remove(&by_signature, key);
        take_place(d, old, young);
    }
    map_free(d->mem, &by_signature);
}
