/* pattern.c: a part -> rows, columns and colours of its Jacobian, and what each colour passes.
 *
 * Each variable of the dynamics gets the set of columns it depends on, in one pass over the segments
 * in the order of the schedule. Alone this would be quadratic as soon as there is a hub: a sum over
 * n things that all of them read makes n full columns of n rows, all in conflict, so n sweeps.
 * By hand one would write an arrow: the sum as an unknown of its own. So what depends on more than
 * `most` columns is *kept*: it gets a column and a row (itself minus its expression), and whoever
 * reads it depends on that one column. The integrator does not know of it, only the linear system
 * is larger; eliminating what is kept gives the Jacobian again. (The extended systems of Griewank
 * and Walther, Evaluating Derivatives, section 9, but only of hubs.)
 *
 * Inside a segment nothing is kept, because its code computes tangents in one go: what a segment gives to
 * others is kept behind it, as a function of what the segment reads. Segments are short, so rows are.
 * Then tangents pass through a segment as always, and behind it those of what is kept are the row, and
 * are set to what the column was seeded with.
 *
 * Where the part has a tape, this one knows the sets already, unless some are large (tape_sets.c).
 *
 * Cost: reads of all nodes times the size of sets, at most `most` outside of segments.
 *
 * Colours: columns that share no row are seeded together (Curtis, Powell, Reid, J. Inst. Maths
 * Applics 13, 1974), greedily in order. Sets of colours are words of bits, one set for each row.
 */
#include "runtime/solve/pattern.h"

#include "runtime/eval/tape.h"

#include <string.h>

typedef struct Set {
    uint32_t from, n; /* in Sets.pool */
} Set;

typedef struct VarSet {
    uint32_t making, set; /* valid if `making` is that of Sets */
} VarSet;

/* Sets are numbered; number 0 is empty, 1 + c is column c of the integrator. */
typedef struct PatternSets {
    Part *part;
    Pattern *pattern;
    Mem *mem;
    uint32_t most;
    uint32_t making;      /* number of this pattern */
    VEC(VarSet) of_var;   /* [var] */
    VEC(uint32_t) united; /* sets whose union is wanted */
    VEC(Set) set;
    VEC(uint32_t) pool;  /* columns, in no order */
    VEC(uint32_t) stamp; /* [columns]: == serial: in the union that is being made */
    uint32_t serial;
    VEC(uint32_t) row;    /* [rows]: set of the row, but for its diagonal */
    VEC(uint32_t) inside; /* sets of the nodes of all segments, one after the other */
    VEC(uint32_t) upto;   /* [segments]: where those of a segment end */
    VEC(uint32_t) row_n;  /* [states]: as tape_rows has them */
    VEC(const DdpVar *) row_vars;
    VEC(uint64_t) taken; /* [words * m]: colours 64 w ... 64 w + 63 of row r, at w * m + r */
} Sets;

/* ---- sets ---- */

static uint32_t set_of(const Sets *s, DdpVar var)
{
    const VarSet *it = &s->of_var.at[var];
    return it->making == s->making ? it->set : 0;
}

static void give_set(Sets *s, DdpVar var, uint32_t set)
{
    s->of_var.at[var] = (VarSet){s->making, set};
}

static uint32_t end_set(Sets *s, uint32_t from)
{
    vec_push(s->mem, &s->set, ((Set){from, s->pool.n - from}));
    return s->set.n - 1;
}

static uint32_t new_column(Sets *s, DdpVar var)
{
    vec_push(s->mem, &s->pattern->var, var);
    vec_push(s->mem, &s->stamp, 0);
    vec_push(s->mem, &s->row, 0);
    vec_push(s->mem, &s->pool, s->stamp.n - 1);
    return end_set(s, s->pool.n - 1);
}

/* The union that began at pool[from], and a set. */
static void add_set(Sets *s, uint32_t set)
{
    Set it = s->set.at[set];
    vec_reserve(s->mem, &s->pool, s->pool.n + it.n);
    for (uint32_t i = 0; i < it.n; i++) {
        uint32_t column = s->pool.at[it.from + i];
        if (s->stamp.at[column] == s->serial)
            continue;
        s->stamp.at[column] = s->serial;
        s->pool.at[s->pool.n++] = column;
    }
}

/* Of the sets in `united`. One that contains all others is shared. */
static uint32_t unite(Sets *s)
{
    uint32_t from = s->pool.n, largest = 0;
    bool alone = true;
    for (uint32_t i = 0; i < s->united.n; i++) {
        uint32_t set = s->united.at[i];
        if (!set || set == largest)
            continue;
        if (largest && alone) {
            alone = false;
            s->serial++;
            add_set(s, largest);
        }
        if (!alone)
            add_set(s, set);
        if (!largest || s->set.at[set].n > s->set.at[largest].n)
            largest = set;
    }
    if (!alone && s->pool.n - from > s->set.at[largest].n)
        return end_set(s, from);
    s->pool.n = from;
    return largest;
}

/* Of what a node reads, and of its own tearing variables if they are unknowns. */
static uint32_t set_of_reads(Sets *s, const EvalNode *node)
{
    s->united.n = 0;
    for (uint32_t i = 0; i < node->n_reads; i++)
        vec_push(s->mem, &s->united, set_of(s, node->reads[i].var));
    for (uint32_t i = 0; i < node->n_tears && node->outer; i++)
        vec_push(s->mem, &s->united, set_of(s, node_tears(node)[i]));
    return unite(s);
}

/* ---- one segment ---- */

static bool read_outside(const Sets *s, DdpVar var, const Segment *segment)
{
    const Sim *sim = s->part->sim;
    for (const ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        const EvalNode *reader = &sim->nodes.at[edge->node];
        if (reader->segment != segment && reader->part == s->part && reader->needed[NEED_DYNAMICS])
            return true;
    }
    return false;
}

static void keep_var(Sets *s, DdpVar var, PatternSegment *segment)
{
    uint32_t set = set_of(s, var);
    if (s->set.at[set].n <= s->most || !read_outside(s, var, segment->segment))
        return;
    uint32_t own = new_column(s, var);
    vec_last(&s->row) = set;
    give_set(s, var, own);
    vec_push(s->mem, &s->inside, own);
    segment->n_kept++;
}

static void keep_node(Sets *s, const EvalNode *node, PatternSegment *segment)
{
    for (uint32_t i = 0; i < node->n_steps; i++)
        keep_var(s, node->ops[i].target, segment);
    for (uint32_t i = 0; i < node->n_tears && !node->outer; i++)
        keep_var(s, node_tears(node)[i], segment);
}

static void determined(Sets *s, DdpVar var, uint32_t set)
{
    give_set(s, var, set);
    vec_push(s->mem, &s->pattern->target, var);
}

static uint32_t pass_node(Sets *s, const EvalNode *node, uint32_t *residuals)
{
    uint32_t set = set_of_reads(s, node);
    for (uint32_t i = 0; i < node->n_steps; i++)
        determined(s, node->ops[i].target, set);
    for (uint32_t i = 0; i < node->n_tears && !node->outer; i++)
        determined(s, node_tears(node)[i], set);
    for (uint32_t i = 0; i < node->n_tears && node->outer; i++)
        s->row.at[(*residuals)++] = set;
    return set;
}

/* The nodes of a segment one by one; true: some set is large. */
static bool pass_nodes(Sets *s, const Segment *segment, uint32_t *residuals)
{
    uint32_t last = 0;
    bool large = false;
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalNode *node = &s->part->sim->nodes.at[segment->nodes.at[i]];
        uint32_t set = pass_node(s, node, residuals);
        large |= s->set.at[set].n > s->most;
        if (set != last)
            vec_push(s->mem, &s->inside, set);
        last = set;
    }
    return large;
}

/* The same from what is known of the segment. */
static bool pass_run(Sets *s, const SegmentReads *r)
{
    uint32_t in[SEGMENT_MOST_IN], last = 0;
    uint64_t before = 0;
    bool large = false;
    for (uint32_t i = 0; i < r->n_in; i++)
        in[i] = set_of(s, r->in[i]);
    for (uint32_t i = 0; i < r->n_out; i++) {
        uint32_t set = last;
        if (r->of[i] != before) {
            s->united.n = 0;
            for (uint64_t bits = r->of[i]; bits; bits &= bits - 1)
                vec_push(s->mem, &s->united, in[__builtin_ctzll(bits)]);
            set = unite(s);
        }
        determined(s, r->out[i], set);
        large |= s->set.at[set].n > s->most;
        if (set != last)
            vec_push(s->mem, &s->inside, set);
        last = set;
        before = r->of[i];
    }
    return large;
}

static void pass_segment(Sets *s, Segment *segment, uint32_t *residuals)
{
    const Sim *sim = s->part->sim;
    PatternSegment it = {.segment = segment, .kept = s->row.n, .row = *residuals};
    it.target = s->pattern->target.n;
    const SegmentReads *reads = segment_reads(s->part->sim, segment);
    bool large = reads ? pass_run(s, reads) : pass_nodes(s, segment, residuals);
    for (uint32_t i = 0; i < segment->nodes.n && large; i++)
        keep_node(s, &sim->nodes.at[segment->nodes.at[i]], &it);
    vec_push(s->mem, &s->upto, s->inside.n);
    vec_push(s->mem, &s->pattern->segments, it);
}

static void find_sets(Sets *s)
{
    Part *part = s->part;
    uint32_t residuals = part->states.n;
    vec_push(s->mem, &s->set, ((Set){0, 0}));
    for (uint32_t i = 0; i < part->states.n; i++)
        give_set(s, part->states.at[i].var, new_column(s, part->states.at[i].var));
    for (uint32_t k = 0; k < part->loops.n; k++) {
        const EvalNode *node = &part->sim->nodes.at[part->loops.at[k]];
        for (uint32_t i = 0; i < node->n_tears; i++)
            give_set(s, node_tears(node)[i], new_column(s, node_tears(node)[i]));
    }
    EACH_SEGMENT (&part->orders[0], segment)
        pass_segment(s, segment, &residuals);
    for (uint32_t i = 0; i < part->states.n; i++)
        s->row.at[i] = set_of(s, part->states.at[i].slope);
}

/* ---- columns ---- */

/* Has row r a diagonal? y' of states, and what is kept itself. */
static bool has_diagonal(const Sets *s, uint32_t r)
{
    return r < s->part->states.n || r >= s->pattern->n;
}

/* Entries, row by row; `to` NULL: are counted in column[c + 1], else put in place. */
static void each_entry(const Sets *s, int *column, int *to)
{
    for (uint32_t r = 0; r < s->row.n; r++) {
        Set set = s->set.at[s->row.at[r]];
        bool diagonal = has_diagonal(s, r);
        for (uint32_t i = 0; i < set.n + diagonal; i++) {
            uint32_t c = i < set.n ? s->pool.at[set.from + i] : r;
            if (i < set.n && diagonal && c == r)
                continue;
            if (to)
                to[column[c]] = (int)r;
            column[to ? c : c + 1]++;
        }
    }
}

static void make_columns(Sets *s)
{
    Pattern *p = s->pattern;
    p->m = p->var.n;
    vec_reserve(s->mem, &p->column, p->m + 1);
    int *column = p->column.at;
    memset(column, 0, (p->m + 1) * sizeof *column);
    each_entry(s, column, NULL);
    for (uint32_t c = 0; c < p->m; c++)
        column[c + 1] += column[c];
    vec_reserve(s->mem, &p->row, (uint32_t)column[p->m]);
    p->row.n = (uint32_t)column[p->m];
    each_entry(s, column, p->row.at);
    for (uint32_t c = p->m; c > 0; c--) /* each has moved to its end */
        column[c] = column[c - 1];
    column[0] = 0;
}

/* ---- colours ---- */

/* The first colour that no row of column c has. */
static uint32_t first_free(const Pattern *p, const uint64_t *taken, uint32_t words, uint32_t c)
{
    for (uint32_t w = 0; w < words; w++) {
        uint64_t used = 0;
        for (int i = p->column.at[c]; i < p->column.at[c + 1]; i++)
            used |= taken[(size_t)w * p->m + (uint32_t)p->row.at[i]];
        if (~used)
            return 64 * w + (uint32_t)__builtin_ctzll(~used);
    }
    return 64 * words;
}

static void choose_colours(Sets *s)
{
    Pattern *p = s->pattern;
    uint32_t words = 0;
    vec_reserve(s->mem, &p->colour, p->m);
    for (uint32_t c = 0; c < p->m; c++) {
        uint32_t k = first_free(p, s->taken.at, words, c);
        if (k == 64 * words) {
            vec_reserve(s->mem, &s->taken, (words + 1) * p->m);
            memset(s->taken.at + (size_t)words++ * p->m, 0, p->m * sizeof *s->taken.at);
        }
        uint64_t *taken = s->taken.at + (size_t)(k / 64) * p->m, bit = (uint64_t)1 << k % 64;
        for (int i = p->column.at[c]; i < p->column.at[c + 1]; i++)
            taken[p->row.at[i]] |= bit;
        p->colour.at[c] = k;
        if (k >= p->n_colours)
            p->n_colours = k + 1;
    }
}

static void sort_by_colour(Sets *s)
{
    Pattern *p = s->pattern;
    vec_reserve(s->mem, &p->colour_from, p->n_colours + 2);
    vec_reserve(s->mem, &p->by_colour, p->m);
    uint32_t *from = p->colour_from.at;
    memset(from, 0, (p->n_colours + 2) * sizeof *from);
    for (uint32_t c = 0; c < p->m; c++)
        from[p->colour.at[c] + 2]++;
    for (uint32_t k = 2; k < p->n_colours + 2; k++)
        from[k] += from[k - 1];
    for (uint32_t c = 0; c < p->m; c++)
        p->by_colour.at[from[p->colour.at[c] + 1]++] = c;
}

static uint64_t colours_of(const Sets *s, uint32_t set)
{
    Set it = s->set.at[set];
    uint64_t colours = 0;
    for (uint32_t i = 0; i < it.n; i++)
        colours |= (uint64_t)1 << s->pattern->colour.at[s->pool.at[it.from + i]] % 64;
    return colours;
}

static void colour_segments(Sets *s)
{
    uint32_t at = 0, known = 0;
    uint64_t colours = 0;
    for (uint32_t i = 0; i < s->pattern->segments.n; i++)
        for (; at < s->upto.at[i]; at++) {
            if (s->inside.at[at] != known)
                colours = colours_of(s, known = s->inside.at[at]);
            s->pattern->segments.at[i].colours |= colours;
            s->pattern->passing |= colours;
        }
}

/* ---- life ---- */

/* Shared by all parts, because restarts are many: its vectors stay, empty. */
static Sets *scratch(Part *part, Pattern *pattern, uint32_t most)
{
    Sim *sim = part->sim;
    if (!sim->solve.pattern)
        sim->solve.pattern = mem_alloc(sim->mem, sizeof *sim->solve.pattern);
    Sets *s = sim->solve.pattern;
    s->part = part;
    s->pattern = pattern;
    s->mem = sim->mem;
    s->most = most;
    s->serial = 0;
    s->making++;
    if (s->of_var.n < sim->n_values) {
        vec_reserve(s->mem, &s->of_var, sim->n_values);
        memset(s->of_var.at + s->of_var.n, 0, (s->of_var.cap - s->of_var.n) * sizeof(VarSet));
        s->of_var.n = s->of_var.cap;
    }
    s->set.n = s->pool.n = s->stamp.n = s->row.n = s->inside.n = s->upto.n = 0;
    return s;
}

void pattern_free_scratch(Sim *sim)
{
    Sets *s = sim->solve.pattern;
    if (!s)
        return;
    vec_free(sim->mem, &s->of_var);
    vec_free(sim->mem, &s->united);
    vec_free(sim->mem, &s->set);
    vec_free(sim->mem, &s->pool);
    vec_free(sim->mem, &s->stamp);
    vec_free(sim->mem, &s->row);
    vec_free(sim->mem, &s->inside);
    vec_free(sim->mem, &s->upto);
    vec_free(sim->mem, &s->taken);
    vec_free(sim->mem, &s->row_n);
    vec_free(sim->mem, &s->row_vars);
    mem_free(sim->mem, s);
    sim->solve.pattern = NULL;
}

/* Rows from the part's tape, where it knows them all. */
static bool take_rows(Sets *s, uint32_t most)
{
    Part *part = s->part;
    uint32_t n = part->states.n;
    if (most != PATTERN_KEEP_FROM || part->n != n)
        return false;
    vec_reserve(s->mem, &s->row_n, n);
    vec_reserve(s->mem, &s->row_vars, n);
    if (!tape_rows(part, s->row_n.at, s->row_vars.at))
        return false;
    vec_push(s->mem, &s->set, ((Set){0, 0}));
    for (uint32_t i = 0; i < n; i++)
        give_set(s, part->states.at[i].var, new_column(s, part->states.at[i].var));
    const DdpVar *last = NULL; /* neighbours often share a set */
    for (uint32_t i = 0; i < n; i++) {
        const DdpVar *vars = s->row_vars.at[i];
        if (vars == last && i) {
            s->row.at[i] = s->row.at[i - 1];
            continue;
        }
        last = vars;
        uint32_t from = s->pool.n;
        for (uint32_t k = 0; k < s->row_n.at[i]; k++)
            vec_push(s->mem, &s->pool, set_of(s, vars[k]) - 1);
        s->row.at[i] = end_set(s, from);
    }
    return true;
}

void pattern_list_segments(Part *part, Pattern *pattern)
{
    Mem *mem = part->sim->mem;
    if (pattern->listed)
        return;
    pattern->listed = true;
    EACH_SEGMENT (&part->orders[0], segment) {
        PatternSegment it = {
            .segment = segment, .colours = UINT64_MAX, .target = pattern->target.n};
        vec_push(mem, &pattern->segments, it);
        for (uint32_t i = 0; i < segment->nodes.n; i++) {
            const EvalNode *node = &part->sim->nodes.at[segment->nodes.at[i]];
            vec_push(mem, &pattern->target, node->ops[0].target);
        }
    }
}

void pattern_make(Part *part, Pattern *pattern, uint32_t most)
{
    Sets *sets = scratch(part, pattern, most);
    pattern->n = part->n;
    pattern->n_colours = 0;
    pattern->passing = 0;
    pattern->var.n = pattern->segments.n = pattern->target.n = 0;
    pattern->listed = !take_rows(sets, most);
    if (pattern->listed)
        find_sets(sets);
    else
        pattern->passing = UINT64_MAX;
    make_columns(sets);
    choose_colours(sets);
    sort_by_colour(sets);
    colour_segments(sets);
}

bool pattern_same(const Pattern *a, const Pattern *b)
{
    return a->m == b->m && a->row.n == b->row.n && b->column.at &&
           memcmp(a->column.at, b->column.at, (a->m + 1) * sizeof *a->column.at) == 0 &&
           memcmp(a->row.at, b->row.at, a->row.n * sizeof *a->row.at) == 0;
}

void pattern_free(Mem *mem, Pattern *pattern)
{
    vec_free(mem, &pattern->var);
    vec_free(mem, &pattern->segments);
    vec_free(mem, &pattern->target);
    vec_free(mem, &pattern->column);
    vec_free(mem, &pattern->row);
    vec_free(mem, &pattern->colour);
    vec_free(mem, &pattern->colour_from);
    vec_free(mem, &pattern->by_colour);
}
