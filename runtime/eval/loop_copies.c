/* loop_copies.c: the relations of a loop -> which of its variables are equal or opposite to others.
 *
 * Connections make such relations: potentials are equal, the flows into the two ends of a component are opposite. A copy is
 * exact, so leaving it out of the system loses no digit, whatever the sizes of the numbers. A sum is not left out: it would
 * compute a small current as the difference of two large ones.
 */
#include "runtime/eval/loop_copies.h"

/* Relation `op` as a = sign * b, both outputs of the loop (by number); false: it says something else. */
static bool is_copy(Sim *sim, const EvalOp *op, const Map *index, uint32_t *a, LoopCopy *b)
{
    DdpRelView rel = ddp_rel(sim->ddp, op->rel);
    const FormInfo *form = form_info(sim->forms, rel.form);
    for (uint32_t k = 0; k < form->n; k++) {
        if (!form->position[k].occurs)
            continue;
        if (form->position[k].solvable != SOLVE_SAFE)
            return false;
        XNode x = x_node(sim->forms, form->position[k].solved);
        *b = (LoopCopy){.sign = x.op == X_NEG ? -1 : 1};
        if (x.op == X_NEG)
            x = x_node(sim->forms, x.a);
        if (x.op != X_POS)
            return false;
        uint32_t left = map_get(index, op->vars[k]), right = map_get(index, op->vars[x.a]);
        *a = left - 1;
        b->root = right - 1;
        return left && right;
    }
    return false;
}

/* Where it leads, with the sign of the way, which is short from then on. */
static LoopCopy root_of(LoopCopies *copies, uint32_t i)
{
    LoopCopy at = {i, 1};
    while (copies->of[at.root].root != at.root) {
        LoopCopy next = copies->of[at.root];
        at = (LoopCopy){next.root, at.sign * next.sign};
    }
    copies->of[i] = at;
    return at;
}

/* The one with the smaller number stands for both. False: they hang together already, and the relation says something of that. */
static bool unite(LoopCopies *copies, LoopCopy a, LoopCopy b)
{
    if (a.root == b.root)
        return false;
    LoopCopy *later = &copies->of[a.root > b.root ? a.root : b.root];
    *later = (LoopCopy){a.root > b.root ? b.root : a.root, a.sign * b.sign};
    return true;
}

LoopCopies loop_copies_open(Sim *sim, const EvalNode *node, const Map *index)
{
    uint32_t n = node->n_steps + node->n_tears, a;
    LoopCopies copies = {.of = mem_alloc(sim->mem, n * sizeof *copies.of),
                         .left_out = mem_alloc(sim->mem, n * sizeof *copies.left_out)};
    LoopCopy b;
    for (uint32_t i = 0; i < n; i++)
        copies.of[i] = (LoopCopy){i, 1};
    for (uint32_t i = 0; index && i < n; i++) {
        if (!is_copy(sim, &node->ops[i], index, &a, &b))
            continue;
        LoopCopy to = root_of(&copies, b.root);
        to.sign *= b.sign;
        copies.left_out[i] = unite(&copies, root_of(&copies, a), to);
    }
    for (uint32_t i = 0; i < n; i++)
        root_of(&copies, i);
    return copies;
}

void loop_copies_close(Sim *sim, LoopCopies *copies)
{
    mem_free(sim->mem, copies->of);
    mem_free(sim->mem, copies->left_out);
}
