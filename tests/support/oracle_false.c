/* the differentiated system -> causal relations that depend on themselves, whatever the states are.
 *
 * Once the states are chosen, all other columns of the differentiated system are determined by its
 * rows, and the strong components of who reads from whom do not depend on the matching. A component
 * with a transmission in it is falsely causal. Whether there is one can depend on the choice of
 * states: a relation that gives x is no matter for h << x once x is a state. So where the first
 * choice has one, all others are looked at, one after the other: every set of arguments of
 * derivative relations of the right size that leaves a system with a perfect matching in which each
 * relation determines a variable of its level (as many derivatives below the highest as itself).
 * Across levels there can be more choices, but with these the Jacobian can be singular for every
 * value, so nobody looks for them.
 */
#include "tests/support/oracle_int.h"

enum { MOST_CHOICES = 4000 };

typedef VEC(OracleEdge) Edges;

typedef struct Falsity {
    Oracle *o;
    Edges reads;      /* full row -> full column */
    Edges may;        /* full row -> full column of its level that it may determine */
    uint32_t *by;     /* [full column]: the row that determines it */
    uint32_t *own;    /* [full row]: the column that it determines */
    uint32_t *comp;   /* [full row] */
    bool *bad;        /* [component] */
    bool *state;      /* [full column]: chosen */
    uint32_t *column; /* full columns that may be states */
    uint32_t n_columns;
    uint32_t looked_at;
} Falsity;

/* ---- who reads what ---- */

/* Undifferentiated relations read what occurs in them; for the others the pattern at an arbitrary
 * point decides. */
static void push_row(Falsity *f, uint32_t r, const double *jac)
{
    Oracle *o = f->o;
    const OracleRow *row = &o->row[r];
    DdpVar logic = o->sys->rel[row->rel].logic;

    for (uint32_t k = 0; k <= row->c; k++) {
        for (uint32_t i = 0; i < row->n; i++) {
            const OracleCol *col = &o->col[row->entry[i].col];
            uint32_t top = k + row->entry[i].sigma;
            for (uint32_t l = k == 0 ? top : 0; l <= top && l <= col->d; l++) {
                OracleEdge edge = {row->base + k, col->base + l};
                if (k > 0 && jac[(size_t)k * o->full_n + edge.to] == 0)
                    continue;
                vec_push(o->mem, &f->reads, edge);
                if (l == top && row->entry[i].may && col->d - l == row->c - k)
                    vec_push(o->mem, &f->may, edge);
            }
        }
        if (logic && o->var_col[logic] != ORACLE_NONE)
            vec_push(o->mem, &f->reads,
                     ((OracleEdge){row->base + k, o->col[o->var_col[logic]].base}));
    }
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

static void push_rows(Falsity *f)
{
    Oracle *o = f->o;
    double *value = arena_alloc(&o->arena, (o->sys->var_limit + 1) * sizeof *value);

    arbitrary_point(o, value);
    for (uint32_t r = 0; r < o->m; r++) {
        size_t cells = (size_t)(o->row[r].c + 1) * o->full_n;
        double *jac = mem_alloc(o->mem, (cells + o->row[r].c + 1) * sizeof *jac);
        oracle_residual(o, r, value, jac + cells, jac);
        push_row(f, r, jac);
        mem_free(o->mem, jac);
    }
}

/* ---- one choice of states ---- */

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

/* Marks the components that make a causal relation depend on itself; true: there are some. */
static bool mark_false(Falsity *f, const uint32_t *size)
{
    Oracle *o = f->o;
    bool any = false;

    for (uint32_t i = 0; i < o->full_m; i++)
        f->bad[i] = false;
    for (uint32_t r = 0; r < o->m; r++) {
        const OracleRel *rel = &o->sys->rel[o->row[r].rel];
        if (rel->kind != DDP_TRANSMISSION)
            continue;
        for (uint32_t k = 0; k <= o->row[r].c; k++) {
            uint32_t mine = f->comp[o->row[r].base + k];
            if (size[mine] > 1 || reads_itself(o, rel))
                any = f->bad[mine] = true;
        }
    }
    return any;
}

/* With the matching in f->by and f->own. */
static bool is_false(Falsity *f, Arena *arena)
{
    Oracle *o = f->o;
    Edges edges = {0};
    uint32_t *size = arena_alloc(arena, (o->full_m + 1) * sizeof *size);

    for (uint32_t e = 0; e < f->reads.n; e++) {
        OracleEdge read = f->reads.at[e];
        if (f->own[read.from] != read.to && f->by[read.to] != ORACLE_NONE)
            vec_push(o->mem, &edges, ((OracleEdge){read.from, f->by[read.to]}));
    }
    OracleGraph graph = oracle_graph(arena, o->full_m, edges.n, edges.at);
    vec_free(o->mem, &edges);
    oracle_strong(arena, graph, f->comp);
    for (uint32_t i = 0; i < o->full_m; i++)
        size[f->comp[i]]++;
    return mark_false(f, size);
}

/* The choice that the matching of the signature method makes. */
static bool first_is_false(Falsity *f)
{
    Oracle *o = f->o;

    for (uint32_t i = 0; i < o->full_n; i++)
        f->by[i] = ORACLE_NONE;
    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t k = 0; k <= o->row[r].c; k++) {
            const OracleCol *col = &o->col[o->row[r].match];
            f->own[o->row[r].base + k] = col->base + col->d - (o->row[r].c - k);
            f->by[f->own[o->row[r].base + k]] = o->row[r].base + k;
        }
    return is_false(f, &o->arena);
}

static DdpPart false_part(const Falsity *f)
{
    Oracle *o = f->o;
    DdpRel *rels = arena_alloc(&o->arena, (o->m + 1) * sizeof *rels);
    DdpVar *vars = arena_alloc(&o->arena, (o->n + 1) * sizeof *vars);
    bool *seen = arena_alloc(&o->arena, o->n + 1);
    DdpPart part = {0, 0, rels, vars};

    for (uint32_t r = 0; r < o->m; r++) {
        bool in = false;
        for (uint32_t k = 0; k <= o->row[r].c; k++)
            in |= f->bad[f->comp[o->row[r].base + k]];
        if (in) {
            rels[part.n_rels++] = o->row[r].rel;
            seen[o->row[r].match] = true;
        }
    }
    for (uint32_t c = 0; c < o->n; c++)
        if (seen[c])
            vars[part.n_vars++] = o->col[c].var;
    return part;
}

/* ---- all the others ---- */

static void find_columns(Falsity *f)
{
    Oracle *o = f->o;

    f->column = arena_alloc(&o->arena, (o->n + 1) * sizeof *f->column);
    for (uint32_t r = 0; r < o->m; r++) {
        const OracleRel *rel = &o->sys->rel[o->row[r].rel];
        uint32_t c = rel->kind == DDP_DERIVATIVE ? o->var_col[rel->vars[1]] : ORACLE_NONE;
        bool known = c == ORACLE_NONE || o->col[c].d == 0;
        for (uint32_t i = 0; i < f->n_columns && !known; i++)
            known = f->column[i] == o->col[c].base;
        if (!known)
            f->column[f->n_columns++] = o->col[c].base;
    }
}

/* Do the chosen states leave a system with a perfect matching, and one without false causality? */
static bool choice_is_good(Falsity *f)
{
    Oracle *o = f->o;
    Edges edges = {0};
    Arena arena;

    f->looked_at++;
    arena_init(&arena, o->mem);
    for (uint32_t e = 0; e < f->may.n; e++)
        if (!f->state[f->may.at[e].to])
            vec_push(o->mem, &edges, f->may.at[e]);
    OracleGraph graph = oracle_graph(&arena, o->full_m, edges.n, edges.at);
    bool good =
        oracle_match(&arena, graph, o->full_n, f->own, f->by) == o->full_m && !is_false(f, &arena);
    vec_free(o->mem, &edges);
    arena_free(&arena);
    return good;
}

/* Adds `missing` of the columns from number `from` on to the chosen ones, in every way. */
static bool some_choice_is_good(Falsity *f, uint32_t from, uint32_t missing)
{
    bool good = false;

    if (missing == 0)
        return choice_is_good(f);
    for (uint32_t i = from; i + missing <= f->n_columns && !good; i++) {
        if (f->looked_at >= MOST_CHOICES)
            return false;
        f->state[f->column[i]] = true;
        good = some_choice_is_good(f, i + 1, missing - 1);
        f->state[f->column[i]] = false;
    }
    return good;
}

void oracle_find_false(Oracle *o)
{
    Falsity f = {.o = o};

    f.by = arena_alloc(&o->arena, (o->full_n + 1) * sizeof *f.by);
    f.own = arena_alloc(&o->arena, (o->full_m + 1) * sizeof *f.own);
    f.comp = arena_alloc(&o->arena, (o->full_m + 1) * sizeof *f.comp);
    f.bad = arena_alloc(&o->arena, o->full_m + 1);
    f.state = arena_alloc(&o->arena, o->full_n + 1);
    push_rows(&f);
    if (first_is_false(&f)) {
        o->false_causal = false_part(&f);
        find_columns(&f);
        if (o->states > 0 && some_choice_is_good(&f, 0, o->states))
            o->false_causal = (DdpPart){0};
        o->undecided = f.looked_at >= MOST_CHOICES;
    }
    vec_free(o->mem, &f.reads);
    vec_free(o->mem, &f.may);
}
