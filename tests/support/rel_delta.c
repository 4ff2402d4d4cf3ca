/* a commit's deltas, nodes and states kept so far -> the whole as it is now, or what differs.
 *
 * A client that never looks at the whole: it keeps the nodes sorted and the set of states by what
 * the deltas say. The order is kept as D2 in docs/invariants.md promises: what is gone, changed or
 * moved is taken out, what turned stays, the rest must still ascend, and everything that is there finds its place by
 * halving. The states are kept as D3 says. Then both are compared with the full lists.
 */
#include "tests/support/rel_lab.h"

#include <stdio.h>

#define FAIL(lab, ...) (snprintf((lab)->message, sizeof(lab)->message, __VA_ARGS__), LAB_FAILED)

/* ---- nodes (D2) ---- */

static LabResult take_out(Lab *lab, DdpDelta delta)
{
    uint32_t at = 0;

    while (at < lab->kept.n && lab->kept.at[at] != delta.node)
        at++;
    if ((at == lab->kept.n) != (delta.change == DDP_NODE_NEW))
        return FAIL(lab, "D2: node %u %s", delta.node,
                    at == lab->kept.n ? "was not there before the commit" : "is new but was there");
    if (delta.change == DDP_NODE_NEW || delta.change == DDP_NODE_TURNED)
        return LAB_DONE;
    for (uint32_t i = at + 1; i < lab->kept.n; i++)
        lab->kept.at[i - 1] = lab->kept.at[i];
    lab->kept.n--;
    return LAB_DONE;
}

static void put_in(Lab *lab, DdpNode node)
{
    uint32_t low = 0, high = lab->kept.n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ddp_before(lab->ddp, lab->kept.at[middle], node))
            low = middle + 1;
        else
            high = middle;
    }
    vec_push(lab->mem, &lab->kept, node);
    for (uint32_t i = lab->kept.n - 1; i > low; i--)
        lab->kept.at[i] = lab->kept.at[i - 1];
    lab->kept.at[low] = node;
}

/* Of a node that only turned it is the contrary of what it was. */
static void note_determined(Lab *lab, DdpDelta delta)
{
    while (lab->determined.n <= delta.node)
        vec_push(lab->mem, &lab->determined, 0);
    uint32_t *known = &lab->determined.at[delta.node];
    *known = delta.change == DDP_NODE_TURNED ? !*known : ddp_node(lab->ddp, delta.node).determined;
}

static LabResult follow_nodes(Lab *lab)
{
    uint32_t n, moved = 0;
    const DdpDelta *delta = ddp_delta(lab->ddp, &n);
    LabResult result = LAB_DONE;

    for (uint32_t i = 0; i < n && result == LAB_DONE; i++) {
        result = take_out(lab, delta[i]);
        moved += delta[i].change == DDP_NODE_MOVED;
    }
    if (result != LAB_DONE)
        return result;
    for (uint32_t i = 1; i < lab->kept.n; i++)
        if (!ddp_before(lab->ddp, lab->kept.at[i - 1], lab->kept.at[i]))
            return FAIL(lab, "D2: the delta does not say that node %u or %u moved",
                        lab->kept.at[i - 1], lab->kept.at[i]);
    for (uint32_t i = 0; i < n; i++)
        if (delta[i].change != DDP_NODE_GONE && delta[i].change != DDP_NODE_TURNED)
            put_in(lab, delta[i].node);
    for (uint32_t i = 0; i < n; i++)
        if (delta[i].change != DDP_NODE_GONE)
            note_determined(lab, delta[i]);
    lab->counts.moved += moved;
    return lab->last.changed == n - moved
               ? LAB_DONE
               : FAIL(lab, "%u nodes changed, the result says %u", n - moved, lab->last.changed);
}

static LabResult compare_nodes(Lab *lab)
{
    uint32_t at = 0;

    for (DdpNode n = ddp_first(lab->ddp); n; n = ddp_next(lab->ddp, n), at++)
        if (at == lab->kept.n || lab->kept.at[at] != n)
            return FAIL(lab, "D2: node %u stands at place %u, by the deltas node %u", n, at,
                        at < lab->kept.n ? lab->kept.at[at] : 0);
    if (at < lab->kept.n)
        return FAIL(lab, "D2: node %u is gone", lab->kept.at[at]);
    for (DdpNode n = ddp_first(lab->ddp); n; n = ddp_next(lab->ddp, n))
        if (lab->determined.at[n] != ddp_node(lab->ddp, n).determined)
            return FAIL(lab, "D2: the delta does not say that node %u turned", n);
    return LAB_DONE;
}

/* ---- states (D3) ---- */

static uint32_t find_state(const LabStates *states, DdpState wanted)
{
    uint32_t at = 0;

    for (; at < states->n; at++)
        if (states->at[at].var == wanted.var && states->at[at].slope == wanted.slope &&
            states->at[at].rel == wanted.rel)
            break;
    return at;
}

/* What ended is kept apart, to see that it did not begin again. */
static LabResult follow_states(Lab *lab, LabStates *ended)
{
    uint32_t n;
    const DdpStateDelta *delta = ddp_state_delta(lab->ddp, &n);

    for (uint32_t i = 0; i < n; i++) {
        DdpState state = {delta[i].rel, delta[i].var, delta[i].slope};
        uint32_t at = find_state(&lab->kept_states, state);
        if (i > 0 && delta[i - 1].born && !delta[i].born)
            return FAIL(lab, "D3: the state %u ends behind one that begins", state.var);
        if ((at == lab->kept_states.n) != delta[i].born)
            return FAIL(lab, "D3: the state %u of relation %u %s", state.var, state.rel,
                        delta[i].born ? "begins but was there" : "ends but was not there");
        if (delta[i].born && find_state(ended, state) < ended->n)
            return FAIL(lab, "D3: the state %u of relation %u is as it was", state.var, state.rel);
        vec_push(lab->mem, delta[i].born ? &lab->kept_states : ended, state);
        if (!delta[i].born)
            lab->kept_states.at[at] = vec_pop(&lab->kept_states);
        lab->counts.ended += !delta[i].born;
        lab->counts.begun += delta[i].born;
    }
    return LAB_DONE;
}

static LabResult compare_states(Lab *lab)
{
    for (uint32_t i = 0; i < ddp_state_count(lab->ddp); i++)
        if (find_state(&lab->kept_states, ddp_state(lab->ddp, i)) == lab->kept_states.n)
            return FAIL(lab, "D3: the delta does not say that the state %u began",
                        ddp_state(lab->ddp, i).var);
    if (lab->kept_states.n != ddp_state_count(lab->ddp))
        return FAIL(lab, "D3: %u states by the deltas, %u are there", lab->kept_states.n,
                    ddp_state_count(lab->ddp));
    return LAB_DONE;
}

LabResult lab_commit(Lab *lab, DdpCommit kind)
{
    LabStates ended = {0};

    lab->last = ddp_commit(lab->ddp, kind);
    lab->last_kind = kind;
    LabResult result = follow_nodes(lab);
    if (result == LAB_DONE)
        result = compare_nodes(lab);
    if (result == LAB_DONE)
        result = follow_states(lab, &ended);
    if (result == LAB_DONE)
        result = compare_states(lab);
    vec_free(lab->mem, &ended);
    return result;
}
