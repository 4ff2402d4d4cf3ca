/* tape_sets.c: which states each variable of a tape depends on, kept up to date by its patches.
 *
 * The same sets as pattern.c finds in a pass over all segments, but kept: a variable carries the
 * number of its set, equal sets have equal numbers, and a segment that did not change and whose inputs
 * have the sets they had need not be looked at. States are named by variable, so sets outlive
 * changes of the order of unknowns. A set of more than MOST states is LARGE, whatever it contains:
 * then pattern.c has to keep something and does its own work.
 *
 * Invariant: set 0 is empty; sets ascend; sets of dead states stay in the table until the tape is
 * made anew, but no living variable has one. Explicit methods want no Jacobian and have no sets.
 */
#include "runtime/eval/segment_reads.h"
#include "runtime/eval/tape_int.h"

#include <string.h>

enum { MOST = PATTERN_KEEP_FROM, LARGE = 1 };

void tape_sets_open(Tape *tape)
{
    Mem *mem = tape->part->sim->mem;
    SolSolver solver = tape->part->sim->opt.solver;
    if (solver == SOL_SOLVER_RK || solver == SOL_SOLVER_EULER || solver == SOL_SOLVER_INLINE)
        return;
    vec_push(mem, &tape->depends.sets, ((DependSet){0}));
    vec_push(mem, &tape->depends.sets, ((DependSet){0})); /* LARGE */
}

void tape_sets_close(Mem *mem, Tape *tape)
{
    vec_free(mem, &tape->depends.sets);
    map_free(mem, &tape->depends.set_of);
}

/* The number of a set; a table whose hash falls on another one's grows by a copy, no more. */
static uint32_t number_of(Tape *tape, const DependSet *set)
{
    Mem *mem = tape->part->sim->mem;
    uint64_t key = hash_bytes(set->var, set->n * sizeof *set->var, set->n);
    uint32_t known = map_get(&tape->depends.set_of, key);
    if (known && tape->depends.sets.at[known].n == set->n &&
        memcmp(tape->depends.sets.at[known].var, set->var, set->n * sizeof *set->var) == 0)
        return known;
    vec_push(mem, &tape->depends.sets, *set);
    map_put(mem, &tape->depends.set_of, key, tape->depends.sets.n - 1);
    return tape->depends.sets.n - 1;
}

static uint32_t set_of(Tape *tape, DdpVar var)
{
    const TapeVar *at = &tape->part->sim->engine->tape_var.at[var];
    if (at->state_stamp == tape->stamp)
        return number_of(tape, &(DependSet){.n = 1, .var = {var}});
    return at->stamp == tape->stamp ? at->set : 0;
}

static uint32_t unite(Tape *tape, uint32_t a, uint32_t b)
{
    if (a == b || !b || a == LARGE)
        return a;
    if (!a || b == LARGE)
        return b;
    const DependSet *x = &tape->depends.sets.at[a], *y = &tape->depends.sets.at[b];
    DependSet both = {0};
    for (uint32_t i = 0, k = 0; i < x->n || k < y->n;) {
        DdpVar u = i < x->n ? x->var[i] : UINT32_MAX, v = k < y->n ? y->var[k] : UINT32_MAX;
        if (both.n == MOST)
            return LARGE;
        both.var[both.n++] = u < v ? u : v;
        i += u <= v;
        k += v <= u;
    }
    return number_of(tape, &both);
}

static bool give(Tape *tape, DdpVar var, uint32_t set)
{
    TapeVar *at = &tape->part->sim->engine->tape_var.at[var];
    bool changed = at->set != set;
    at->set = set;
    return changed;
}

static uint32_t set_of_node(Tape *tape, const EvalNode *node)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < node->n_reads; i++)
        set = unite(tape, set, set_of(tape, node->reads[i].var));
    return set;
}

void tape_sets_pass(Tape *tape, Segment *segment, void (*changed)(void *context, DdpVar var),
                    void *context)
{
    Sim *sim = tape->part->sim;
    if (!tape->depends.sets.n)
        return;
    const SegmentReads *r = segment_reads(sim, segment);
    uint32_t in[SEGMENT_MOST_IN], set = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; r && i < r->n_in; i++)
        in[i] = set_of(tape, r->in[i]);
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalNode *node = r ? NULL : &sim->nodes.at[segment->nodes.at[i]];
        if (!r)
            set = set_of_node(tape, node);
        else if (r->of[i] != before || !i)
            set = 0;
        for (uint64_t bits = r && (r->of[i] != before || !i) ? r->of[i] : 0; bits; bits &= bits - 1)
            set = unite(tape, set, in[__builtin_ctzll(bits)]);
        before = r ? r->of[i] : 0;
        DdpVar var = r ? r->out[i] : node->ops[0].target;
        if (give(tape, var, set) && changed)
            changed(context, var);
    }
}

const DependSet *tape_sets_row(const Tape *tape, DdpVar slope)
{
    const TapeVar *at = &tape->part->sim->engine->tape_var.at[slope];
    if (!tape->depends.sets.n)
        return NULL;
    if (at->state_stamp == tape->stamp)
        return NULL; /* its set may have no number yet: rare, and not worth it */
    uint32_t set = at->stamp == tape->stamp ? at->set : 0;
    return set == LARGE ? NULL : &tape->depends.sets.at[set];
}
