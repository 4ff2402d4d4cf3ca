/* scc.c: relations to be scheduled -> strong components in order of dependence.
 *
 * Tarjan (Depth-first search and linear graph algorithms, SIAM J. Comput. 1, 1972) over the moved relations
 * only, along their inputs, with an explicit stack. A component is complete when everything it depends on
 * is; so components come out in an order in which each depends only on those before it. Dependences that
 * lead through relations that stayed where they were are not seen here: edge_insert finds those.
 */
#include "ddp/ddp_int.h"

/* The lists, d->scc_frames and d->scc_open (relations of components not complete yet), are empty in between. */
typedef struct Tarjan {
    Ddp *d;
    uint32_t count;
} Tarjan;

/* The visit number of a relation, 0: not visited, COMPLETE: its component is. A relation that is not in a
 * node has no use for its link to the next member; it lies there. */
#define VISIT(d, r) (REL(d, r).next)
enum { COMPLETE = -1 };

static void enter(Tarjan *t, DdpRel r)
{
    Mem *mem = t->d->mem;
    t->count++;
    VISIT(t->d, r) = t->count;
    vec_push(mem, &t->d->scc_open, r);
    vec_push(mem, &t->d->scc_frames, ((SccFrame){r, 0, t->count, t->count}));
    t->d->visited++;
}

/* The next input of the frame's relation that is itself to be scheduled; 0: none is left. */
static DdpRel next_input(Tarjan *t, SccFrame *f)
{
    Ddp *d = t->d;
    uint32_t n = REL(d, f->rel).n + (REL(d, f->rel).has_logic ? 1u : 0u);
    DdpVar out = schedule_out(d, f->rel);
    while (f->position < n) {
        uint32_t k = f->position++;
        if (!schedule_reads_for(d, f->rel, out, k))
            continue;
        DdpRel p = schedule_provider(d, relation_vars(d, f->rel)[k]);
        if (p && !REL(d, p).node && REL(d, p).moved)
            return p;
    }
    return 0;
}

static void complete(Tarjan *t, DdpRel root, List *out, List *ends)
{
    Mem *mem = t->d->mem;
    DdpRel r;
    do {
        r = vec_pop(&t->d->scc_open);
        VISIT(t->d, r) = (uint32_t)COMPLETE;
        vec_push(mem, out, r);
    } while (r != root);
    vec_push(mem, ends, out->n);
}

static void visit_from(Tarjan *t, DdpRel root, List *out, List *ends)
{
    enter(t, root);
    while (t->d->scc_frames.n) {
        SccFrame *f = &vec_last(&t->d->scc_frames);
        DdpRel p = next_input(t, f);
        if (p) {
            uint32_t seen = VISIT(t->d, p);
            if (!seen)
                enter(t, p);
            else if (seen != (uint32_t)COMPLETE && seen < f->low)
                f->low = seen;
            continue;
        }
        SccFrame done = *f;
        t->d->scc_frames.n--;
        if (done.low == done.index)
            complete(t, done.rel, out, ends);
        else if (vec_last(&t->d->scc_frames).low > done.low)
            vec_last(&t->d->scc_frames).low = done.low;
    }
}

void scc_of_moved(Ddp *d, List *out, List *ends)
{
    Tarjan t = {.d = d};
    for (uint32_t i = 0; i < d->moved.n; i++) {
        DdpRel r = d->moved.at[i];
        if (REL(d, r).used && REL(d, r).moved && !REL(d, r).node && schedule_out(d, r) &&
            !VISIT(d, r))
            visit_from(&t, r, out, ends);
    }
}
