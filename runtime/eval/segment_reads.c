/* segment_reads.c: a segment -> which of the variables that it reads each of its own depends on. */
#include "runtime/eval/segment_reads.h"

static uint32_t index_of(DdpVar var, const DdpVar *list, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && list[i] != var)
        i++;
    return i;
}

/* Bits of what a node reads; `out` is filled as far as the nodes before it. False: too many. */
static bool bits_of(const Sim *sim, const EvalNode *node, SegmentReads *r, uint64_t *bits)
{
    *bits = 0;
    for (uint32_t i = 0; i < node->n_reads; i++) {
        DdpVar var = node->reads[i].var;
        if (ddp_var(sim->ddp, var).kind != DDP_UNKNOWN)
            continue;
        uint32_t inside = index_of(var, r->out, r->n_out);
        uint32_t at = inside < r->n_out ? 0 : index_of(var, r->in, r->n_in);
        if (inside < r->n_out) {
            *bits |= r->of[inside];
        } else if (at == SEGMENT_MOST_IN) {
            return false;
        } else {
            r->in[at] = var;
            r->n_in += at == r->n_in;
            *bits |= (uint64_t)1 << at;
        }
    }
    return true;
}

const SegmentReads *segment_reads(Sim *sim, Segment *segment)
{
    if (segment->reads || !segment->plain)
        return segment->reads;
    uint32_t n = segment->nodes.n;
    SegmentReads *r = mem_alloc(sim->mem, sizeof *r + n * (sizeof *r->of + sizeof *r->out) +
                                              SEGMENT_MOST_IN * sizeof *r->in);
    r->of = (uint64_t *)(r + 1);
    r->out = (DdpVar *)(r->of + n);
    r->in = r->out + n;
    for (uint32_t i = 0; i < n; i++) {
        const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
        if (!bits_of(sim, node, r, &r->of[i])) {
            mem_free(sim->mem, r);
            return NULL;
        }
        r->out[r->n_out++] = node->ops[0].target;
    }
    segment->reads = mem_resize(sim->mem, r, (size_t)((char *)(r->in + r->n_in) - (char *)r));
    r = segment->reads;
    r->of = (uint64_t *)(r + 1);
    r->out = (DdpVar *)(r->of + n);
    r->in = r->out + n;
    return r;
}
