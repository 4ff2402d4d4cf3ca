/* verify.c: the whole structure -> nothing, or the number of the first invariant that is broken.
 *
 * Everything is recomputed from relations, variables and causalities alone. docs/invariants.md explains the
 * numbers. Cost: the size of the system times a logarithm, and one failed search per free relation.
 */
#include "ddp/ddp_int.h"

#include <stdio.h>
#include <stdlib.h>

static void check(bool holds, const char *invariant, uint32_t a, uint32_t b)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant %s (%u, %u)\n", invariant, a, b);
    abort();
}

/* R5: asked while requests are followed. */
void verify_honest(bool comes_back, DdpRel derived)
{
    check(!comes_back, "R5", derived, 0);
}

/* G1: occurrences and positions say the same. */
static void verify_occurrences(const Ddp *d)
{
    for (DdpVar v = 1; v < d->vars.n; v++) {
        if (!VAR(d, v).used)
            continue;
        uint32_t count = 0;
        bool plain = false;
        for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o], count++) {
            DdpRel r = d->occ_rel.at[o];
            check(d->occ_var.at[o] == v && REL(d, r).used, "G1", v, r);
            check(o >= REL(d, r).occ &&
                      o - REL(d, r).occ < REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u),
                  "G1", v, r);
            bool derivative = REL(d, r).kind == DDP_DERIVATIVE && o < REL(d, r).occ + REL(d, r).n;
            check(!derivative || !plain, "G2", v, r);
            plain |= !derivative;
        }
        check(count == VAR(d, v).n_occs, "G1", v, count);
    }
}

/* M1: causality is one to one. M2: the lists of what has none are exact. */
static void verify_matching(const Ddp *d)
{
    uint32_t free_vars = 0, free_rels = 0, states = 0;
    for (DdpRel r = 1; r < d->rels.n; r++) {
        const Rel *rel = &REL(d, r);
        if (!rel->used)
            continue;
        if (rel->match) {
            int at = relation_position(d, r, rel->match);
            check(VAR(d, rel->match).match == r && at >= 0, "M1", r, rel->match);
            check(rel->order || relation_edge(d, r, (uint32_t)at), "M1", r, rel->match);
            check(!rel->free_at, "M2", r, 0);
        } else if (rel->order) {
            check(d->runaway, "R2", r, rel->origin);
        } else {
            check(rel->free_at && d->free_rels.at[rel->free_at - 1] == r, "M2", r, 0);
            free_rels++;
        }
        check((rel->state_at != 0) == relation_is_integrator(d, r), "M4", r, rel->state_at);
        states += rel->state_at != 0;
    }
    for (DdpVar v = 1; v < d->vars.n; v++) {
        const Var *var = &VAR(d, v);
        if (!var->used)
            continue;
        bool open = var->kind == DDP_UNKNOWN && !var->match && !var->order;
        check(open == (var->free_at != 0), "M2", v, var->free_at);
        free_vars += open;
    }
    check(free_vars == d->free_vars.n && free_rels == d->free_rels.n && states == d->states.n, "M2",
          free_vars, free_rels);
}

/* M3: no augmenting path is left: from each free relation everything reachable is determined. */
static void verify_maximum(Ddp *d)
{
    List queue = {0};
    for (uint32_t i = 0; i < d->free_rels.n; i++) {
        vec_clear(&queue);
        vec_push(d->mem, &queue, d->free_rels.at[i]);
        d->search++;
        for (uint32_t k = 0; k < queue.n; k++) {
            DdpRel r = queue.at[k];
            for (uint32_t p = 0; p < REL(d, r).n; p++) {
                DdpVar v = relation_vars(d, r)[p];
                if (!v || d->stamp.at[v] == d->search || !relation_edge(d, r, p))
                    continue;
                d->stamp.at[v] = d->search;
                check(VAR(d, v).match, "M3", d->free_rels.at[i], v);
                vec_push(d->mem, &queue, VAR(d, v).match);
            }
        }
    }
    vec_free(d->mem, &queue);
}

/* R3: the derivative of r, made again. */
static void verify_derivative(Ddp *d, DdpRel r)
{
    DdpRel up = REL(d, r).up;
    uint32_t n = REL(d, r).n, m = 0;
    FormOperand *operands = mem_alloc(d->mem, (2 * (size_t)n + 1) * sizeof *operands);
    DdpVar *vars = mem_alloc(d->mem, (2 * (size_t)n + 1) * sizeof *vars);
    Form form = requests_form(d, r, operands, &m);
    for (uint32_t i = 0; i < m; i++) {
        vars[i] = relation_vars(d, r)[operands[i].position];
        if (operands[i].derivative)
            vars[i] = VAR(d, vars[i]).up;
        check(vars[i], "R3", r, up);
    }
    form = relation_unify(d, form, &m, vars);
    check(form == REL(d, up).form && m == REL(d, up).n, "R3", r, up);
    for (uint32_t i = 0; i < m; i++)
        check(vars[i] == relation_vars(d, up)[i], "R3", r, up);
    mem_free(d->mem, operands);
    mem_free(d->mem, vars);
}

/* R1, R2: chains of derivatives of variables and relations run in parallel. */
static void verify_requests(Ddp *d)
{
    for (DdpVar v = 1; v < d->vars.n; v++) {
        DdpVar up = VAR(d, v).used ? VAR(d, v).up : 0;
        bool driven = VAR(d, v).kind == DDP_HELD && VAR(d, v).match && !VAR(d, v).order;
        check(!VAR(d, v).used || VAR(d, v).driven == driven, "R6", v, 0);
        if (!up)
            continue;
        check(VAR(d, up).used && VAR(d, up).order == VAR(d, v).order + 1, "R1", v, up);
        check(VAR(d, up).origin == VAR(d, v).origin, "R1", v, up);
        DdpRel r = VAR(d, VAR(d, v).origin).match;
        check(!r || d->runaway || VAR(d, up).match, "R2", v, up);
        if (!r || d->runaway)
            continue;
        DdpRel provider = VAR(d, up).match;
        check(REL(d, provider).origin == r, "R2", up, provider);
    }
    for (DdpRel r = 1; r < d->rels.n; r++) {
        DdpRel up = REL(d, r).used ? REL(d, r).up : 0;
        check(!up || (REL(d, up).used && REL(d, up).origin == REL(d, r).origin), "R3", r, up);
        check(!up || REL(d, REL(d, r).origin).match, "R4", r, up);
        if (up && !d->runaway)
            verify_derivative(d, r);
    }
}

/* L1, L2: what is exchanged is so on both sides; a loan is mutual and has one integrator. */
static void verify_levels(const Ddp *d)
{
    for (DdpRel r = 1; r < d->rels.n; r++) {
        const Rel *rel = &REL(d, r);
        if (!rel->used)
            continue;
        if (rel->group && rel->out)
            check(schedule_provider(d, rel->out) == r, "L1", r, rel->out);
        if (!rel->loan)
            continue;
        check(rel->group && REL(d, rel->loan).loan == r, "L2", r, rel->loan);
        check(relation_is_integrator(d, r) != relation_is_integrator(d, rel->loan), "L2", r,
              rel->loan);
        DdpVar b = relation_vars(d, r)[1];
        check(ddp_is_state(d, b) != relation_is_integrator(d, r), "L2", r, b);
    }
    for (DdpVar v = 1; v < d->vars.n; v++)
        if (VAR(d, v).used && VAR(d, v).exchanged && VAR(d, v).by)
            check(schedule_out(d, VAR(d, v).by) == v, "L1", v, VAR(d, v).by);
}

/* S1 to S3: order and membership. */
static void verify_schedule(const Ddp *d)
{
    uint32_t nodes = 0;
    for (DdpNode n = d->first_node, before = 0; n; before = n, n = NODE(d, n).next, nodes++) {
        check(NODE(d, n).used && NODE(d, n).prev == before, "S1", n, before);
        check(!before || NODE(d, before).label < NODE(d, n).label, "S1", n, before);
        uint32_t count = 0;
        for (DdpRel r = NODE(d, n).first; r; r = REL(d, r).next, count++) {
            check(REL(d, r).node == n, "S3", r, n);
            for (uint32_t k = 0; k < REL(d, r).n + (REL(d, r).has_logic ? 1u : 0u); k++) {
                if (!schedule_reads(d, r, k))
                    continue;
                DdpRel p = schedule_provider(d, relation_vars(d, r)[k]);
                DdpNode m = p ? REL(d, p).node : 0;
                check(!p || (m && (m == n || NODE(d, m).label < NODE(d, n).label)), "S2", r, p);
            }
        }
        check(count == NODE(d, n).count && count, "S3", n, count);
    }
    check(nodes == d->n_nodes, "S1", nodes, d->n_nodes);
    for (DdpRel r = 1; r < d->rels.n; r++)
        if (REL(d, r).used)
            check((schedule_out(d, r) != 0) == (REL(d, r).node != 0), "S3", r, REL(d, r).node);
}

/* S5: the list of falsely causal nodes is exact. */
static void verify_false(const Ddp *d)
{
    for (uint32_t i = 0; i < d->false_nodes.n; i++) {
        DdpNode n = d->false_nodes.at[i];
        check(NODE(d, n).used && NODE(d, n).false_causal, "S5", n, i);
    }
    check(d->false_nodes.n == d->n_false, "S5", d->false_nodes.n, d->n_false);
}

/* T1: a loop determines each of its members' variables once, steps in order. */
static void verify_loops(Ddp *d)
{
    for (DdpNode n = d->first_node; n; n = NODE(d, n).next) {
        const Loop *loop = NODE(d, n).loop;
        if (!loop) {
            check(NODE(d, n).count == 1 && NODE(d, n).step.rel == NODE(d, n).first, "T1", n, 0);
            check(NODE(d, n).step.var == schedule_out(d, NODE(d, n).first), "T1", n, 1);
            continue;
        }
        check(loop->tears.n == loop->residuals.n, "T1", n, loop->tears.n);
        check(loop->steps.n + loop->residuals.n == NODE(d, n).count, "T1", n, loop->steps.n);
        d->search++;
        for (uint32_t i = 0; i < loop->tears.n; i++)
            d->stamp.at[loop->tears.at[i]] = d->search;
        for (uint32_t i = 0; i < loop->steps.n; i++) {
            const DdpStep *s = &loop->steps.at[i];
            for (uint32_t k = 0; k < REL(d, s->rel).n; k++) {
                DdpVar v = relation_vars(d, s->rel)[k];
                DdpRel p = v && v != s->var ? schedule_provider(d, v) : 0;
                if (p && REL(d, p).node == n && x_uses(d->forms, s->value, k))
                    check(d->stamp.at[v] == d->search, "T2", s->rel, v);
            }
            check(d->stamp.at[s->var] != d->search, "T1", s->rel, s->var);
            d->stamp.at[s->var] = d->search;
        }
    }
}

void ddp_verify(Ddp *d)
{
    verify_occurrences(d);
    verify_matching(d);
    verify_maximum(d);
    verify_requests(d);
    verify_levels(d);
    verify_schedule(d);
    verify_false(d);
    verify_loops(d);
}
