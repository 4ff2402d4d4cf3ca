/* differentiated system, values of its states -> values of everything else.
 *
 * Rows are all relations differentiated 0..c times, columns all variables differentiated 0..d
 * times. What is given is taken out of the columns; the rest must match perfectly. Which entries
 * are there is read from the Jacobian at an arbitrary point, so that terms which vanish by
 * differentiation do not count. The strong components are solved one after the other, each by
 * damped Newton with dense LU on all its unknowns.
 */
#include "tests/support/oracle_int.h"
#include "numerics/dense_lu.h"

#include <math.h>
#include <string.h>

typedef struct Solve {
    Oracle *o;
    Arena arena;
    const double *value;
    uint32_t n_guess;
    const OracleValue *guess; /* of what value[] does not tell */
    bool *given;              /* [full column] */
    double *jac;              /* full_m by full_n */
    double *f;                /* [full row] */
    uint32_t *row_of;         /* [full row]: its row */
    uint32_t *match;          /* [full row]: full column it is solved for */
    uint32_t *col_by;         /* [full column]: the other way */
    uint32_t *comp, n_comp;
} Solve;

static void evaluate_row(Solve *s, uint32_t r, bool with_jac)
{
    Oracle *o = s->o;
    double *jac = s->jac + (size_t)o->row[r].base * o->full_n;

    if (with_jac)
        memset(jac, 0, (size_t)(o->row[r].c + 1) * o->full_n * sizeof *jac);
    oracle_residual(o, r, s->value, s->f + o->row[r].base, with_jac ? jac : NULL);
}

/* ---- structure ---- */

typedef VEC(OracleEdge) Edges;

/* May full row i determine full column c? Transmissions only their target. */
static bool may_determine(const Solve *s, uint32_t i, uint32_t c)
{
    const Oracle *o = s->o;
    const OracleRow *row = &o->row[s->row_of[i]];

    if (s->given[c] || s->jac[(size_t)i * o->full_n + c] == 0)
        return false;
    for (uint32_t e = 0; e < row->n; e++) {
        const OracleCol *col = &o->col[row->entry[e].col];
        if (c >= col->base && c <= col->base + col->d)
            return row->entry[e].may;
    }
    return false;
}

/* Values far from zero and from each other, for the pattern of the Jacobian. */
static void pattern_point(Solve *s, double *value)
{
    double x = 0.41;

    for (uint32_t i = 0; i < s->o->full_n; i++) {
        x = 3.9 * x * (1 - x);
        s->o->z[i] = 0.5 + x;
    }
    for (DdpVar v = 0; v < s->o->sys->var_limit; v++) {
        x = 3.9 * x * (1 - x);
        value[v] = 0.5 + x;
    }
}

static void find_pattern(Solve *s)
{
    Oracle *o = s->o;
    const double *value = s->value;
    double *some = arena_alloc(&s->arena, (o->sys->var_limit + 1) * sizeof *some);

    pattern_point(s, some);
    s->value = some;
    for (uint32_t r = 0; r < o->m; r++)
        evaluate_row(s, r, true);
    s->value = value;
}

static bool match_rows(Solve *s)
{
    Oracle *o = s->o;
    Edges edges = {0};

    for (uint32_t i = 0; i < o->full_m; i++)
        for (uint32_t c = 0; c < o->full_n; c++)
            if (may_determine(s, i, c))
                vec_push(o->mem, &edges, ((OracleEdge){i, c}));
    OracleGraph graph = oracle_graph(&s->arena, o->full_m, edges.n, edges.at);
    vec_free(o->mem, &edges);
    return oracle_match(&s->arena, graph, o->full_n, s->match, s->col_by) == o->full_m;
}

static void find_blocks(Solve *s)
{
    Oracle *o = s->o;
    Edges edges = {0};

    for (uint32_t i = 0; i < o->full_m; i++)
        for (uint32_t c = 0; c < o->full_n; c++)
            if (s->jac[(size_t)i * o->full_n + c] != 0 && s->match[i] != c &&
                s->col_by[c] != ORACLE_NONE)
                vec_push(o->mem, &edges, ((OracleEdge){i, s->col_by[c]}));
    OracleGraph graph = oracle_graph(&s->arena, o->full_m, edges.n, edges.at);
    vec_free(o->mem, &edges);
    s->n_comp = oracle_strong(&s->arena, graph, s->comp);
    o->blocks = s->n_comp;
}

/* ---- Newton on one block ---- */

typedef struct Block {
    uint32_t n;
    uint32_t *row; /* full rows */
    uint32_t *col; /* full columns */
    double *a, *b, *old;
    uint32_t *pivot;
} Block;

static Block make_block(Solve *s, uint32_t comp)
{
    Oracle *o = s->o;
    Block block = {0};
    size_t size = (o->full_m + 1) * sizeof(uint32_t);

    block.row = arena_alloc(&s->arena, size);
    block.col = arena_alloc(&s->arena, size);
    for (uint32_t i = 0; i < o->full_m; i++) {
        if (s->comp[i] != comp)
            continue;
        block.row[block.n] = i;
        block.col[block.n++] = s->match[i];
    }
    if (block.n > o->largest)
        o->largest = block.n;
    block.a = arena_alloc(&s->arena, dense_lu_room(block.n) * sizeof *block.a);
    block.b = arena_alloc(&s->arena, block.n * sizeof *block.b);
    block.old = arena_alloc(&s->arena, block.n * sizeof *block.old);
    block.pivot = arena_alloc(&s->arena, dense_lu_pivots(block.n) * sizeof *block.pivot);
    return block;
}

/* Residuals of the block into b; returns their largest. */
static double block_residual(Solve *s, Block *block, bool with_jac)
{
    double most = 0;
    uint32_t last = ORACLE_NONE; /* rows of one relation lie together */

    for (uint32_t i = 0; i < block->n; i++) {
        uint32_t r = s->row_of[block->row[i]];
        if (r != last)
            evaluate_row(s, r, with_jac);
        last = r;
        block->b[i] = s->f[block->row[i]];
        if (!(fabs(block->b[i]) <= most))
            most = fabs(block->b[i]);
        for (uint32_t j = 0; with_jac && j < block->n; j++)
            block->a[(size_t)i * block->n + j] =
                s->jac[(size_t)block->row[i] * s->o->full_n + block->col[j]];
    }
    return most;
}

/* Goes as far along the step as the residual shrinks; returns the size of the step relative to x.
 */
static double damped_step(Solve *s, Block *block, double before)
{
    double *z = s->o->z, *step = block->a, size = 0;

    memcpy(step, block->b, block->n * sizeof *step); /* the factors are not needed any more */
    for (uint32_t i = 0; i < block->n; i++) {
        block->old[i] = z[block->col[i]];
        size = fmax(size, fabs(step[i]) / (1 + fabs(block->old[i])));
    }
    for (double part = 1; part > 1e-4; part /= 2) {
        for (uint32_t i = 0; i < block->n; i++)
            z[block->col[i]] = block->old[i] - part * step[i];
        if (block_residual(s, block, false) <= before || size < 1e-10)
            break;
    }
    return size;
}

static OracleSolved solve_block(Solve *s, Block *block)
{
    for (int round = 0; round < 60; round++) {
        double before = block_residual(s, block, true);
        if (!isfinite(before))
            return ORACLE_ASTRAY;
        if (!dense_lu_factor(block->n, block->a, block->pivot))
            return ORACLE_SINGULAR;
        dense_lu_solve(block->n, block->a, block->pivot, block->b);
        if (damped_step(s, block, before) < 1e-13)
            return ORACLE_SOLVED;
        if (round > 30 && before < 1e-12)
            return ORACLE_SOLVED; /* rounding does not let it come closer */
    }
    return ORACLE_ASTRAY;
}

/* ---- the whole ---- */

/* Condition of the whole system in its unknowns: bounds the errors of all values together. */
static void estimate_condition(Solve *s)
{
    Oracle *o = s->o;
    uint32_t n = o->full_m, *col = arena_alloc(&s->arena, (n + 1) * sizeof *col), at = 0;
    double *a = arena_alloc(&s->arena, (dense_lu_room(n) + 2 * n) * sizeof *a);
    double *work = a + dense_lu_room(n);
    uint32_t *pivot = arena_alloc(&s->arena, (dense_lu_pivots(n) + 1) * sizeof *pivot);

    for (uint32_t c = 0; c < o->full_n; c++)
        if (!s->given[c])
            col[at++] = c;
    for (uint32_t r = 0; r < o->m; r++)
        evaluate_row(s, r, true);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            a[(size_t)i * n + j] = s->jac[(size_t)i * o->full_n + col[j]];
    double norm = dense_lu_norm(n, a);
    o->condition =
        !dense_lu_factor(n, a, pivot) ? INFINITY : norm * dense_lu_inverse_norm(n, a, pivot, work);
}

static void start_values(Solve *s, uint32_t n, const OracleValue *given)
{
    Oracle *o = s->o;

    for (uint32_t c = 0; c < o->n; c++)
        for (uint32_t l = 0; l <= o->col[c].d; l++)
            o->z[o->col[c].base + l] = l == 0 ? s->value[o->col[c].var] : 0;
    for (uint32_t i = 0; i < s->n_guess; i++)
        o->z[o->col[o->var_col[s->guess[i].var]].base + s->guess[i].order] = s->guess[i].value;
    for (uint32_t i = 0; i < n; i++)
        o->z[o->col[o->var_col[given[i].var]].base + given[i].order] = given[i].value;
}

static bool mark_given(Solve *s, uint32_t n, const OracleValue *given)
{
    Oracle *o = s->o;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = o->var_col[given[i].var];
        if (c == ORACLE_NONE || given[i].order > o->col[c].d ||
            s->given[o->col[c].base + given[i].order])
            return false;
        s->given[o->col[c].base + given[i].order] = true;
    }
    return n == o->states;
}

static OracleSolved solve_all(Solve *s, uint32_t n, const OracleValue *given)
{
    Oracle *o = s->o;

    if (!mark_given(s, n, given))
        return ORACLE_NO_FIT;
    find_pattern(s);
    if (!match_rows(s))
        return ORACLE_NO_FIT;
    find_blocks(s);
    start_values(s, n, given);
    for (uint32_t comp = 0; comp < s->n_comp; comp++) {
        Block block = make_block(s, comp);
        OracleSolved solved = solve_block(s, &block);
        if (solved != ORACLE_SOLVED)
            return solved;
    }
    estimate_condition(s);
    return isfinite(o->condition) ? ORACLE_SOLVED : ORACLE_SINGULAR;
}

OracleSolved oracle_solve(Oracle *oracle, const double *value, uint32_t n, const OracleValue *given)
{
    return oracle_solve_near(oracle, value, n, given, 0, NULL);
}

OracleSolved oracle_solve_near(Oracle *oracle, const double *value, uint32_t n,
                               const OracleValue *given, uint32_t n_guess, const OracleValue *guess)
{
    Oracle *o = oracle;
    Solve s = {.o = o, .value = value, .n_guess = n_guess, .guess = guess};

    arena_init(&s.arena, o->mem);
    s.given = arena_alloc(&s.arena, o->full_n + 1);
    s.jac = arena_alloc(&s.arena, ((size_t)o->full_m * o->full_n + 1) * sizeof *s.jac);
    s.f = arena_alloc(&s.arena, (o->full_m + 1) * sizeof *s.f);
    s.row_of = arena_alloc(&s.arena, (o->full_m + 1) * sizeof *s.row_of);
    s.match = arena_alloc(&s.arena, (o->full_m + 1) * sizeof *s.match);
    s.col_by = arena_alloc(&s.arena, (o->full_n + 1) * sizeof *s.col_by);
    s.comp = arena_alloc(&s.arena, (o->full_m + 1) * sizeof *s.comp);
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t k = 0; k <= o->row[r].c; k++)
            s.row_of[o->row[r].base + k] = r;
    o->largest = o->blocks = 0;
    o->condition = INFINITY;
    OracleSolved solved = solve_all(&s, n, given);
    arena_free(&s.arena);
    return solved;
}

/* ---- states by pivoting ----
 *
 * Mattsson and Soderlind, SIAM J. Sci. Comput. 14 (1993), section 3: at level s stand the relations
 * that are differentiated at least s times and, of the variables that were not states at level s -
 * 1, those of order s or more, with the same Jacobian at all levels. As many columns as rows,
 * picked by elimination with full pivoting, become dummy derivatives; the rest at that level are
 * states. A transmission can only determine its target, so its pivot is settled before all others.
 */

typedef struct Pick {
    Oracle *o;
    double *jac; /* m by n: derivative of the highest derivatives */
    bool *dummy; /* [column]: at the level before */
    bool *done_row, *done_col;
} Pick;

static void fill_pick(Pick *p, const double *value, Arena *arena)
{
    Oracle *o = p->o;
    double *f = arena_alloc(arena, (o->full_m + 1) * sizeof *f);
    double *full = arena_alloc(arena, ((size_t)o->full_m * o->full_n + 1) * sizeof *full);

    for (uint32_t c = 0; c < o->n; c++)
        for (uint32_t l = 0; l <= o->col[c].d; l++)
            o->z[o->col[c].base + l] = l == 0 ? value[o->col[c].var] : 0;
    for (uint32_t r = 0; r < o->m; r++)
        oracle_residual(o, r, value, f, full + (size_t)o->row[r].base * o->full_n);
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t c = 0; c < o->n; c++)
            p->jac[(size_t)r * o->n + c] = full[(size_t)(o->row[r].base + o->row[r].c) * o->full_n +
                                                o->col[c].base + o->col[c].d];
}

/* Largest entry left among rows and columns not done; a transmission's target before anything. */
static bool find_pivot(const Pick *p, const double *a, uint32_t *row, uint32_t *col)
{
    const Oracle *o = p->o;
    double best = 0;

    for (uint32_t r = 0; r < o->m; r++) {
        bool causal = o->sys->rel[o->row[r].rel].kind == DDP_TRANSMISSION;
        for (uint32_t c = 0; c < o->n && !p->done_row[r]; c++) {
            if (p->done_col[c] || (causal && o->row[r].match != c))
                continue;
            double weight = fabs(a[(size_t)r * o->n + c]);
            if (causal && weight > 0)
                weight = INFINITY;
            if (weight > best) {
                best = weight;
                *row = r;
                *col = c;
            }
        }
    }
    return best > 1e-12;
}

static void eliminate(const Pick *p, double *a, uint32_t row, uint32_t col)
{
    uint32_t n = p->o->n;

    for (uint32_t r = 0; r < p->o->m; r++) {
        double factor = a[(size_t)r * n + col] / a[(size_t)row * n + col];
        if (p->done_row[r] || factor == 0)
            continue;
        for (uint32_t c = 0; c < n; c++)
            a[(size_t)r * n + c] -= factor * a[(size_t)row * n + c];
    }
}

/* One level: updates p->dummy; false when singular. */
static bool pick_level(Pick *p, uint32_t level, Arena *arena)
{
    Oracle *o = p->o;
    uint32_t rows = 0, row = 0, col = 0;
    double *a = arena_alloc(arena, ((size_t)o->m * o->n + 1) * sizeof *a);

    memcpy(a, p->jac, (size_t)o->m * o->n * sizeof *a);
    for (uint32_t r = 0; r < o->m; r++) {
        p->done_row[r] = o->row[r].c < level;
        rows += !p->done_row[r];
    }
    for (uint32_t c = 0; c < o->n; c++) {
        p->done_col[c] = !p->dummy[c] || o->col[c].d < level;
        p->dummy[c] = false;
    }
    for (; rows > 0; rows--) {
        if (!find_pivot(p, a, &row, &col))
            return false;
        p->done_row[row] = p->done_col[col] = true;
        p->dummy[col] = true;
        eliminate(p, a, row, col);
    }
    return true;
}

bool oracle_pick_states(Oracle *oracle, const double *value, OracleValue *states)
{
    Oracle *o = oracle;
    Arena arena;
    uint32_t found = 0;
    bool good = true;

    arena_init(&arena, o->mem);
    Pick p = {o, arena_alloc(&arena, ((size_t)o->m * o->n + 1) * sizeof(double)),
              arena_alloc(&arena, o->n + 1), arena_alloc(&arena, o->m + 1),
              arena_alloc(&arena, o->n + 1)};
    fill_pick(&p, value, &arena);
    memset(p.dummy, true, o->n);
    for (uint32_t level = 1; good && level <= oracle_index(o) + 1; level++) {
        good = pick_level(&p, level, &arena);
        for (uint32_t c = 0; good && c < o->n; c++) {
            uint32_t d = o->col[c].d;
            if (d < level || p.dummy[c] || found == o->states)
                continue;
            states[found++] =
                (OracleValue){o->col[c].var, d - level, d == level ? value[o->col[c].var] : 0};
        }
    }
    arena_free(&arena);
    return good && found == o->states;
}
