/* system described from outside -> verdict and Dulmage-Mendelsohn parts.
 *
 * The graph is the merged one: a = der(b) is one relation that may determine a or b. A variable is
 * a column if somebody has to determine it: every unknown, and a held variable that has an active
 * transmission. Held variables are read, never determined, by equations. Relations left without a
 * column and what they lead to by alternating paths are the overdetermined part; columns left
 * without a relation, and what leads to them, the underdetermined part. Both are the same for every
 * maximum matching (Dulmage and Mendelsohn 1958; Pothen and Fan, ACM TOMS 16, 1990, section 2).
 */
#include "tests/support/oracle_int.h"

/* ---- rows and columns ---- */

static void number_columns(Oracle *o)
{
    const OracleSystem *s = o->sys;
    bool *active = arena_alloc(&o->arena, s->var_limit + 1); /* target of a transmission */

    for (DdpRel r = 1; r < s->rel_limit; r++)
        if (s->rel[r].used && s->rel[r].kind == DDP_TRANSMISSION)
            active[s->rel[r].vars[0]] = true;
    o->var_col = arena_alloc(&o->arena, (s->var_limit + 1) * sizeof *o->var_col);
    o->col = arena_alloc(&o->arena, (s->var_limit + 1) * sizeof *o->col);
    for (DdpVar v = 0; v < s->var_limit; v++) {
        bool unknown = v > 0 && s->var[v].used &&
                       (s->var[v].kind == DDP_UNKNOWN || (s->var[v].kind == DDP_HELD && active[v]));
        o->var_col[v] = unknown ? o->n : ORACLE_NONE;
        if (unknown)
            o->col[o->n++].var = v;
    }
}

static void add_entry(Oracle *o, OracleRow *row, DdpVar var, uint8_t sigma, bool may)
{
    uint32_t col = o->var_col[var];

    if (col == ORACLE_NONE)
        return;
    for (uint32_t i = 0; i < row->n; i++) {
        if (row->entry[i].col != col)
            continue;
        if (sigma > row->entry[i].sigma)
            row->entry[i].sigma = sigma;
        row->entry[i].may |= may;
        return;
    }
    row->entry[row->n++] = (OracleEntry){col, sigma, may};
}

static void fill_row(Oracle *o, OracleRow *row)
{
    const OracleRel *rel = &o->sys->rel[row->rel];

    row->entry = arena_alloc(&o->arena, (rel->n + 1) * sizeof *row->entry);
    if (rel->kind == DDP_DERIVATIVE) {
        add_entry(o, row, rel->vars[0], 0, o->sys->var[rel->vars[0]].kind == DDP_UNKNOWN);
        add_entry(o, row, rel->vars[1], 1, o->sys->var[rel->vars[1]].kind == DDP_UNKNOWN);
        return;
    }
    const FormInfo *info = form_info(o->sys->forms, rel->form);
    for (uint32_t i = 0; i < rel->n; i++) {
        bool target = rel->kind == DDP_TRANSMISSION && i == 0;
        bool may = rel->kind == DDP_EQUATION && info->position[i].steers &&
                   o->sys->var[rel->vars[i]].kind == DDP_UNKNOWN;
        if (target || info->position[i].occurs)
            add_entry(o, row, rel->vars[i], 0, target || may);
    }
}

static void number_rows(Oracle *o)
{
    const OracleSystem *s = o->sys;

    o->row = arena_alloc(&o->arena, (s->rel_limit + 1) * sizeof *o->row);
    o->rel_row = arena_alloc(&o->arena, (s->rel_limit + 1) * sizeof *o->rel_row);
    o->rel_row[0] = ORACLE_NONE;
    for (DdpRel r = 1; r < s->rel_limit; r++) {
        o->rel_row[r] = s->rel[r].used ? o->m : ORACLE_NONE;
        if (!s->rel[r].used)
            continue;
        o->row[o->m].rel = r;
        fill_row(o, &o->row[o->m++]);
    }
}

/* ---- matching and parts ---- */

typedef VEC(OracleEdge) Edges;

static void first_match(Oracle *o)
{
    Edges edges = {0};
    uint32_t *row_match = arena_alloc(&o->arena, (o->m + 1) * sizeof *row_match);
    uint32_t *col_match = arena_alloc(&o->arena, (o->n + 1) * sizeof *col_match);

    for (uint32_t r = 0; r < o->m; r++)
        for (uint32_t i = 0; i < o->row[r].n; i++)
            if (o->row[r].entry[i].may)
                vec_push(o->mem, &edges, ((OracleEdge){r, o->row[r].entry[i].col}));
    OracleGraph graph = oracle_graph(&o->arena, o->m, edges.n, edges.at);
    vec_free(o->mem, &edges);
    oracle_match(&o->arena, graph, o->n, row_match, col_match);
    for (uint32_t r = 0; r < o->m; r++)
        o->row[r].match = row_match[r];
    for (uint32_t c = 0; c < o->n; c++)
        o->col[c].match = col_match[c];
}

/* Marked rows and columns as a part by ascending numbers (rows and columns are numbered that way).
 */
static DdpPart make_part(Oracle *o, const bool *rows, const bool *cols)
{
    DdpRel *rels = arena_alloc(&o->arena, (o->m + 1) * sizeof *rels);
    DdpVar *vars = arena_alloc(&o->arena, (o->n + 1) * sizeof *vars);
    DdpPart part = {0, 0, rels, vars};

    for (uint32_t r = 0; r < o->m; r++)
        if (rows[r])
            rels[part.n_rels++] = o->row[r].rel;
    for (uint32_t c = 0; c < o->n; c++)
        if (cols[c])
            vars[part.n_vars++] = o->col[c].var;
    return part;
}

/* Grows the marked sets until they are closed. Upwards: a marked row marks its columns, a marked
 * column the row that determines it. Downwards: a marked column marks all rows that may determine
 * it, a marked row the column that it determines. */
static DdpPart close_part(Oracle *o, bool *rows, bool *cols, bool upwards)
{
    bool grew = true;

    while (grew) {
        grew = false;
        for (uint32_t r = 0; r < o->m; r++) {
            for (uint32_t i = 0; i < o->row[r].n; i++) {
                uint32_t c = o->row[r].entry[i].col;
                if (!o->row[r].entry[i].may)
                    continue;
                bool *from = upwards ? &rows[r] : &cols[c], *to = upwards ? &cols[c] : &rows[r];
                if (*from && !*to)
                    *to = grew = true;
            }
            uint32_t match = o->row[r].match;
            if (match == ORACLE_NONE || rows[r] == cols[match])
                continue;
            if (upwards ? cols[match] : rows[r])
                rows[r] = cols[match] = grew = true;
        }
    }
    return make_part(o, rows, cols);
}

static void find_parts(Oracle *o)
{
    bool *over_r = arena_alloc(&o->arena, o->m + 1), *over_c = arena_alloc(&o->arena, o->n + 1);
    bool *under_r = arena_alloc(&o->arena, o->m + 1), *under_c = arena_alloc(&o->arena, o->n + 1);

    for (uint32_t r = 0; r < o->m; r++)
        over_r[r] = o->row[r].match == ORACLE_NONE;
    for (uint32_t c = 0; c < o->n; c++)
        under_c[c] = o->col[c].match == ORACLE_NONE;
    o->over = close_part(o, over_r, over_c, true);
    o->under = close_part(o, under_r, under_c, false);
}

/* ---- interface ---- */

Oracle *oracle_open(Mem *mem, const OracleSystem *system)
{
    Oracle *o = mem_alloc(mem, sizeof *o);

    o->mem = mem;
    o->sys = system;
    arena_init(&o->arena, mem);
    number_columns(o);
    number_rows(o);
    first_match(o);
    find_parts(o);
    if (o->over.n_rels > 0) {
        o->verdict = DDP_OVERDETERMINED;
    } else if (o->under.n_vars > 0) {
        o->verdict = DDP_UNDERDETERMINED;
    } else {
        bool finite = oracle_offsets(o);
        if (finite)
            oracle_find_false(o);
        o->verdict = !finite || o->false_causal.n_rels > 0 ? DDP_FALSE_CAUSALITY : DDP_DETERMINED;
    }
    return o;
}

void oracle_close(Oracle *oracle)
{
    arena_free(&oracle->arena);
    mem_free(oracle->mem, oracle);
}

DdpVerdict oracle_verdict(const Oracle *oracle)
{
    return oracle->verdict;
}

DdpPart oracle_over(const Oracle *oracle)
{
    return oracle->over;
}

DdpPart oracle_under(const Oracle *oracle)
{
    return oracle->under;
}

DdpPart oracle_false(const Oracle *oracle)
{
    return oracle->false_causal;
}

bool oracle_undecided(const Oracle *oracle)
{
    return oracle->undecided;
}

uint32_t oracle_states(const Oracle *oracle)
{
    return oracle->states;
}

uint32_t oracle_rel_order(const Oracle *oracle, DdpRel rel)
{
    uint32_t row = oracle->rel_row[rel];
    return row == ORACLE_NONE ? 0 : oracle->row[row].c;
}

uint32_t oracle_var_order(const Oracle *oracle, DdpVar var)
{
    uint32_t col = oracle->var_col[var];
    return col == ORACLE_NONE ? 0 : oracle->col[col].d;
}

uint32_t oracle_index(const Oracle *oracle)
{
    uint32_t most = 0;

    for (uint32_t r = 0; r < oracle->m; r++)
        if (oracle->row[r].c > most)
            most = oracle->row[r].c;
    return most;
}

bool oracle_transmission_differentiated(const Oracle *oracle)
{
    for (uint32_t r = 0; r < oracle->m; r++)
        if (oracle->row[r].c > 0 && oracle->sys->rel[oracle->row[r].rel].kind == DDP_TRANSMISSION)
            return true;
    return false;
}

uint32_t oracle_blocks(const Oracle *oracle)
{
    return oracle->blocks;
}

uint32_t oracle_largest_block(const Oracle *oracle)
{
    return oracle->largest;
}

double oracle_value(const Oracle *oracle, DdpVar var, uint32_t order)
{
    const OracleCol *col = &oracle->col[oracle->var_col[var]];
    return oracle->z[col->base + order];
}

double oracle_condition(const Oracle *oracle)
{
    return oracle->condition;
}
