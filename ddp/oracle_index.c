/* matched rows and columns -> how often each is differentiated; causal relations in loops.
 *
 * Signature method (Pryce, BIT 41, 2001, section 3): sigma(i, j) is the order of the highest
 * derivative of variable j in relation i. Wanted is a matching of largest total sigma, and the
 * smallest c, d >= 0 with d[j] - c[i] >= sigma(i, j), equal on the matching. Then relation i is
 * differentiated c[i] times, and the number of states is that total. The fixed-point iteration
 *     d[j] = max over i of sigma(i, j) + c[i],    c[i] = d[j] - sigma(i, j), j the match of i
 * ends at the smallest offsets if the matching is best, and grows for ever along a cycle of gain if
 * it is not; so the cycle is applied to the matching, and the iteration starts again.
 *
 * Transmissions are the one addition: what an equation reads from a held variable, and what a
 * transmission reads, counts for the offsets but can not be matched. A cycle of gain through such
 * an entry means that a transmission depends on its own derivative: false causality.
 */
#include "ddp/oracle_int.h"

/* ---- offsets ---- */

/* One round of the iteration over entries that may match (or all); from[row]: the row that forced
 * its c up. Returns a row that changed, or ORACLE_NONE at the fixed point. */
static uint32_t raise_offsets(Oracle *o, bool all, uint32_t *from)
{
    uint32_t changed = ORACLE_NONE;

    for (uint32_t r = 0; r < o->m; r++) {
        for (uint32_t i = 0; i < o->row[r].n; i++) {
            OracleEntry entry = o->row[r].entry[i];
            OracleCol *col = &o->col[entry.col];
            if ((!entry.may && !all) || col->d >= o->row[r].c + entry.sigma)
                continue;
            col->d = o->row[r].c + entry.sigma;
            from[col->match] = r;
        }
    }
    for (uint32_t c = 0; c < o->n; c++) {
        OracleRow *row = &o->row[o->col[c].match];
        uint32_t i = 0;
        while (row->entry[i].col != c)
            i++;
        uint32_t need = o->col[c].d - row->entry[i].sigma;
        if (need > row->c) {
            row->c = need;
            changed = o->col[c].match;
        }
    }
    return changed;
}

static void reset_offsets(Oracle *o)
{
    for (uint32_t r = 0; r < o->m; r++)
        o->row[r].c = 0;
    for (uint32_t c = 0; c < o->n; c++)
        o->col[c].d = 0;
    /* d starts at the sigma of its own match, so that c = d - sigma is never negative */
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t i = 0; i < o->row[r].n; i++)
            if (o->row[r].entry[i].col == o->row[r].match)
                o->col[o->row[r].match].d = o->row[r].entry[i].sigma;
}

/* A cycle of gain: following `from` long enough ends in it. Each row of it takes the column of the
 * row that it forced up. */
static void apply_cycle(Oracle *o, const uint32_t *from, uint32_t row)
{
    for (uint32_t i = 0; i < o->m; i++)
        row = from[row];
    uint32_t first = row, col = o->row[first].match;
    do {
        uint32_t up = from[row], next = o->row[up].match;
        o->row[up].match = col;
        o->col[col].match = up;
        col = next;
        row = up;
    } while (row != first);
}

/* True at the fixed point. Otherwise offsets grew beyond what all derivatives together allow; *row
 * is then one that still grows. */
static bool iterate_offsets(Oracle *o, bool all, uint32_t *from, uint32_t *row)
{
    uint32_t limit = 1;

    for (uint32_t r = 0; r < o->m; r++)
        limit += o->sys->rel[o->row[r].rel].kind == DDP_DERIVATIVE;
    for (uint32_t r = 0; r < o->m; r++)
        from[r] = ORACLE_NONE;
    for (;;) {
        *row = raise_offsets(o, all, from);
        if (*row == ORACLE_NONE)
            return true;
        if (o->row[*row].c > limit)
            return false;
    }
}

static void number_full(Oracle *o)
{
    o->full_m = o->full_n = 0;
    for (uint32_t r = 0; r < o->m; r++) {
        o->row[r].base = o->full_m;
        o->full_m += o->row[r].c + 1;
    }
    for (uint32_t c = 0; c < o->n; c++) {
        o->col[c].base = o->full_n;
        o->full_n += o->col[c].d + 1;
    }
    o->states = o->full_n - o->full_m;
    o->z = arena_alloc(&o->arena, (o->full_n + 1) * sizeof *o->z);
}

bool oracle_offsets(Oracle *o)
{
    uint32_t *from = arena_alloc(&o->arena, (o->m + 1) * sizeof *from), row;

    reset_offsets(o);
    while (!iterate_offsets(o, false, from, &row)) {
        apply_cycle(o, from, row);
        reset_offsets(o);
    }
    if (!iterate_offsets(o, true, from, &row))
        return false;
    number_full(o);
    oracle_tapes(o);
    return true;
}

/* ---- causal relations in loops ---- */

typedef VEC(OracleEdge) Edges;

/* The full column that row r, differentiated k times, determines with the matching. */
static uint32_t determined(const Oracle *o, uint32_t r, uint32_t k)
{
    const OracleCol *col = &o->col[o->row[r].match];
    return col->base + col->d - (o->row[r].c - k);
}

/* Edges from full row base + k to the full rows that determine what it reads. Undifferentiated
 * relations read what occurs in them; for the others the pattern at an arbitrary point decides. */
static void push_reads(Oracle *o, uint32_t r, const double *jac, const uint32_t *by, Edges *edges)
{
    const OracleRow *row = &o->row[r];
    DdpVar logic = o->sys->rel[row->rel].logic;

    for (uint32_t k = 0; k <= row->c; k++) {
        uint32_t self = row->base + k, own = determined(o, r, k);
        for (uint32_t i = 0; i < row->n; i++) {
            const OracleCol *col = &o->col[row->entry[i].col];
            uint32_t lowest = k == 0 ? row->entry[i].sigma : 0;
            for (uint32_t l = lowest; l <= k + row->entry[i].sigma && l <= col->d; l++) {
                uint32_t at = col->base + l;
                bool reads = k == 0 || jac[(size_t)k * o->full_n + at] != 0;
                if (reads && at != own && by[at] != ORACLE_NONE)
                    vec_push(o->mem, edges, ((OracleEdge){self, by[at]}));
            }
        }
        if (logic && o->var_col[logic] != ORACLE_NONE &&
            by[o->col[o->var_col[logic]].base] != ORACLE_NONE)
            vec_push(o->mem, edges, ((OracleEdge){self, by[o->col[o->var_col[logic]].base]}));
    }
}

/* A transmission whose own target occurs in its right side. */
static bool reads_itself(const Oracle *o, const OracleRel *rel)
{
    const FormInfo *info = form_info(o->sys->forms, rel->form);

    if (x_uses(o->sys->forms, info->rhs, 0))
        return true;
    for (uint32_t i = 1; i < rel->n; i++)
        if (rel->vars[i] == rel->vars[0] && info->position[i].occurs)
            return true;
    return false;
}

/* Marks component comp[...] as false when it makes a causal relation depend on itself. */
static void mark_false(Oracle *o, const uint32_t *comp, uint32_t *size, const uint32_t *by,
                       bool *bad)
{
    for (uint32_t r = 0; r < o->m; r++) {
        const OracleRel *rel = &o->sys->rel[o->row[r].rel];
        uint32_t logic_col = rel->logic ? o->var_col[rel->logic] : ORACLE_NONE;
        uint32_t logic_by = logic_col == ORACLE_NONE ? ORACLE_NONE : by[o->col[logic_col].base];
        for (uint32_t k = 0; k <= o->row[r].c; k++) {
            uint32_t mine = comp[o->row[r].base + k];
            if (rel->kind == DDP_TRANSMISSION && (size[mine] > 1 || reads_itself(o, rel)))
                bad[mine] = true;
            if (logic_by != ORACLE_NONE && comp[logic_by] == mine)
                bad[mine] = true;
        }
    }
}

static void collect_false(Oracle *o, const uint32_t *comp, const bool *bad)
{
    DdpRel *rels = arena_alloc(&o->arena, (o->m + 1) * sizeof *rels);
    DdpVar *vars = arena_alloc(&o->arena, (o->n + 1) * sizeof *vars);
    bool *seen = arena_alloc(&o->arena, o->n + 1);
    DdpPart part = {0, 0, rels, vars};

    for (uint32_t r = 0; r < o->m; r++) {
        bool in = false;
        for (uint32_t k = 0; k <= o->row[r].c; k++)
            in |= bad[comp[o->row[r].base + k]];
        if (in) {
            rels[part.n_rels++] = o->row[r].rel;
            seen[o->row[r].match] = true;
        }
    }
    for (uint32_t c = 0; c < o->n; c++)
        if (seen[c])
            vars[part.n_vars++] = o->col[c].var;
    o->false_causal = part;
}

/* Arbitrary values, the same each time, for finding out where a Jacobian is zero for good. */
static void arbitrary_point(Oracle *o, double *value)
{
    double x = 0.37;

    for (uint32_t i = 0; i < o->full_n; i++) {
        x = 3.9 * x * (1 - x);
        o->z[i] = 0.5 + x;
    }
    for (DdpVar v = 0; v < o->sys->var_limit; v++) {
        x = 3.9 * x * (1 - x);
        value[v] = 0.5 + x;
    }
}

void oracle_find_false(Oracle *o)
{
    Edges edges = {0};
    uint32_t *by = arena_alloc(&o->arena, (o->full_n + 1) * sizeof *by);
    uint32_t *comp = arena_alloc(&o->arena, (o->full_m + 1) * sizeof *comp);
    uint32_t *size = arena_alloc(&o->arena, (o->full_m + 1) * sizeof *size);
    bool *bad = arena_alloc(&o->arena, o->full_m + 1);
    double *value = arena_alloc(&o->arena, (o->sys->var_limit + 1) * sizeof *value);

    for (uint32_t i = 0; i < o->full_n; i++)
        by[i] = ORACLE_NONE;
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t k = 0; k <= o->row[r].c; k++)
            by[determined(o, r, k)] = o->row[r].base + k;
    arbitrary_point(o, value);
    for (uint32_t r = 0; r < o->m; r++) {
        size_t cells = (size_t)(o->row[r].c + 1) * o->full_n;
        double *jac = mem_alloc(o->mem, (cells + o->row[r].c + 1) * sizeof *jac);
        oracle_residual(o, r, value, jac + cells, jac);
        push_reads(o, r, jac, by, &edges);
        mem_free(o->mem, jac);
    }
    OracleGraph graph = oracle_graph(&o->arena, o->full_m, edges.n, edges.at);
    vec_free(o->mem, &edges);
    oracle_strong(&o->arena, graph, comp);
    for (uint32_t i = 0; i < o->full_m; i++)
        size[comp[i]]++;
    mark_false(o, comp, size, by, bad);
    collect_false(o, comp, bad);
}
