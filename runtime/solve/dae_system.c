/* dae_system.c: a plan -> one list of assignments; values and tangents of it -> rows and columns. See dae_system.h.
 *
 * Variable v of the plan has place v of a vector of its own, equations that are rows have places behind. Columns of the Jacobian come from
 * tangents of the list, one sweep for each colour. transpose(G) is part of it, and stays in the residuals until the next one: mu'
 * is 0 at the solution whatever it is.
 *
 * Scaling with the step size (4a of the paper): rows that have slopes in them are multiplied by 1 / cj, about h, as matrix and right side. So the
 * matrix does not turn singular where steps become short: rows of slopes are then those of dF/dy', the others those of dF/dy.
 */
#include "runtime/solve/dae_system.h"

#include "runtime/eval/list_code.h"
#include "runtime/solve/sparse_lu.h"

#include <math.h>
#include <string.h>

typedef struct Columns {
    uint32_t n;
    uint32_t *at;
} Columns;

/* Of transpose(G): the entry `of` of the Jacobian is the factor of mu in `column` in the motion of `row`, which is at `entry`. */
typedef struct MuEntry {
    uint32_t row, column, of, entry;
    double value;
} MuEntry;

struct DaeSystem {
    Sim *sim;
    const DaePlan *plan;
    Arena arena;
    uint32_t n, n_places;
    ListCode *list;
    double *value, *tangent; /* [n_places] */
    uint32_t
        *place;    /* [n]: row -> what is looked at: its residual, or the derivative of its state */
    uint32_t *own; /* [n]: row -> column of its state; n: it is an equation */
    bool *by_slope;         /* [n]: row -> it has slopes in it */
    int *column, *row;      /* compressed columns */
    double *entry, *scaled; /* [column[n]] */
    double *scale;          /* [n]: of rows */
    uint32_t n_colours;
    uint32_t *colour; /* [n]: of columns; n: of a mu */
    VEC(MuEntry) mus;
    SparseLu lu;
};

/* ---- the list ---- */

static void make_list(DaeSystem *s)
{
    const DaePlan *plan = s->plan;
    FormTable *forms = s->sim->forms;
    VEC(ShapeItem) items = {0};
    for (uint32_t i = 0; i < plan->order.n; i++) {
        const DaeEquation *e = &plan->equations.at[plan->vars.at[plan->order.at[i]].by - 1];
        vec_push(s->sim->mem, &items, ((ShapeItem){e->target, e->value, e->uses}));
    }
    s->n_places = plan->vars.n;
    for (uint32_t r = 0; r < s->n; r++) {
        const DaeRow *row = &plan->rows.at[r];
        s->own[r] = row->state ? plan->vars.at[row->state].column : s->n;
        s->place[r] = row->state ? plan->vars.at[row->state].up : s->n_places++;
        if (row->state)
            continue;
        const DaeEquation *e = &plan->equations.at[row->equation];
        const FormInfo *info = form_info(forms, e->form);
        vec_push(s->sim->mem, &items,
                 ((ShapeItem){s->place[r], x_binary(forms, X_SUB, info->lhs, info->rhs), e->vars}));
    }
    s->list = list_code_open(s->sim, items.n, items.at);
    vec_free(s->sim->mem, &items);
}

/* ---- who depends on which unknown ---- */

typedef struct Pattern {
    DaeSystem *s;
    Columns *of;  /* [vars]: columns that a variable depends on */
    bool *slopes; /* [vars]: it depends on a slope */
    uint32_t *seen, walk;
    VEC(uint32_t) found;
} DaePattern;

static void add_columns(DaePattern *p, uint32_t v)
{
    for (uint32_t i = 0; i < p->of[v].n; i++) {
        uint32_t c = p->of[v].at[i];
        if (p->seen[c] == p->walk)
            continue;
        p->seen[c] = p->walk;
        vec_push(p->s->sim->mem, &p->found, c);
    }
}

static Columns keep_found(DaePattern *p)
{
    Columns kept = {p->found.n, arena_alloc(&p->s->arena, (p->found.n + 1) * sizeof *kept.at)};
    if (kept.n)
        memcpy(kept.at, p->found.at, kept.n * sizeof *kept.at);
    return kept;
}

static Columns columns_of_all(DaePattern *p, uint32_t n, const uint32_t *vars, bool *slopes)
{
    p->walk++;
    vec_clear(&p->found);
    for (uint32_t i = 0; i < n; i++) {
        add_columns(p, vars[i]);
        *slopes |= p->slopes[vars[i]];
    }
    return keep_found(p);
}

static void spread(DaePattern *p)
{
    const DaePlan *plan = p->s->plan;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        const DaeVar *var = &plan->vars.at[v];
        bool own = var->role >= DAE_STATE && var->role <= DAE_MULTIPLIER;
        p->slopes[v] = var->role == DAE_SLOPE || var->role == DAE_MULTIPLIER;
        p->walk++;
        vec_clear(&p->found);
        if (own)
            vec_push(p->s->sim->mem, &p->found, var->column);
        p->of[v] = keep_found(p);
    }
    for (uint32_t i = 0; i < plan->order.n; i++) {
        uint32_t v = plan->order.at[i];
        const DaeEquation *e = &plan->equations.at[plan->vars.at[v].by - 1];
        p->of[v] = columns_of_all(p, e->n_uses, e->uses, &p->slopes[v]);
    }
}

/* Columns of a row, without those of mu. */
static Columns row_columns(DaePattern *p, uint32_t r)
{
    DaeSystem *s = p->s;
    const DaeRow *row = &s->plan->rows.at[r];
    if (!row->state) {
        const DaeEquation *e = &s->plan->equations.at[row->equation];
        return columns_of_all(p, e->n, e->vars, &s->by_slope[r]);
    }
    s->by_slope[r] = true;
    p->walk++;
    vec_clear(&p->found);
    add_columns(p, row->state);
    add_columns(p, s->place[r]);
    return keep_found(p);
}

/* ---- compressed columns ---- */

/* What mu of a constraint acts on: motions of what the constraint below it holds, by its factors there. */
static void find_mus_of(DaeSystem *s, uint32_t column, uint32_t below, const Columns *of,
                        const uint32_t *motion)
{
    const DaePlan *plan = s->plan;
    uint32_t height = plan->equations.at[plan->rows.at[below].equation].height;
    for (uint32_t i = 0; i < of->n; i++) {
        const DaeVar *var = &plan->vars.at[plan->column.at[of->at[i]]];
        if (var->role == DAE_STATE && var->height == height && motion[of->at[i]] < s->n)
            vec_push(
                s->sim->mem, &s->mus,
                ((MuEntry){
                    .row = motion[of->at[i]], .column = column, .of = below, .entry = of->at[i]}));
    }
}

static void find_mus(DaeSystem *s, const Columns *rows)
{
    const DaePlan *plan = s->plan;
    uint32_t *motion = mem_alloc(s->sim->mem, (s->n + 1) * sizeof *motion); /* column -> row */
    uint32_t *row_of = mem_alloc(s->sim->mem, (plan->equations.n + 1) * sizeof *row_of);
    for (uint32_t c = 0; c < s->n; c++)
        motion[c] = s->n;
    for (uint32_t r = 0; r < s->n; r++)
        if (s->own[r] < s->n)
            motion[s->own[r]] = r;
        else
            row_of[plan->rows.at[r].equation] = r;
    for (uint32_t r = 0; r < s->n; r++) {
        const DaeRow *row = &plan->rows.at[r];
        if (!row->mu)
            continue;
        uint32_t below = row_of[plan->equations.at[row->equation].below - 1];
        find_mus_of(s, row->mu - 1, below, &rows[below], motion);
    }
    mem_free(s->sim->mem, motion);
    mem_free(s->sim->mem, row_of);
}

static uint32_t entry_at(const DaeSystem *s, uint32_t r, uint32_t c)
{
    int low = s->column[c], high = s->column[c + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->row[middle] < (int)r)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Rows ascend in each column, because they are put in one after the other. */
static void compress(DaeSystem *s, const Columns *rows)
{
    uint32_t *mu_from = mem_alloc(s->sim->mem, (s->n + 2) * sizeof *mu_from);
    s->column = arena_alloc(&s->arena, (s->n + 2) * sizeof *s->column);
    for (uint32_t r = 0; r < s->n; r++)
        for (uint32_t i = 0; i < rows[r].n; i++)
            s->column[rows[r].at[i] + 1]++;
    for (uint32_t i = 0; i < s->mus.n; i++)
        s->column[s->mus.at[i].column + 1]++;
    for (uint32_t c = 0; c < s->n; c++)
        s->column[c + 1] += s->column[c];
    uint32_t nonzeros = (uint32_t)s->column[s->n];
    s->row = arena_alloc(&s->arena, (nonzeros + 1) * sizeof *s->row);
    s->entry = arena_alloc(&s->arena, 2 * (size_t)(nonzeros + 1) * sizeof *s->entry);
    s->scaled = s->entry + nonzeros + 1;
    uint32_t *next = mu_from;
    for (uint32_t c = 0; c < s->n; c++)
        next[c] = (uint32_t)s->column[c];
    for (uint32_t r = 0; r < s->n; r++)
        for (uint32_t i = 0; i < rows[r].n; i++)
            s->row[next[rows[r].at[i]]++] = (int)r;
    for (uint32_t i = 0; i < s->mus.n; i++) { /* of columns that have nothing else */
        MuEntry *mu = &s->mus.at[i];
        uint32_t at = next[mu->column]++;
        for (; at > (uint32_t)s->column[mu->column] && s->row[at - 1] > (int)mu->row; at--)
            s->row[at] = s->row[at - 1];
        s->row[at] = (int)mu->row;
    }
    for (uint32_t i = 0; i < s->mus.n; i++) {
        MuEntry *mu = &s->mus.at[i];
        mu->of = entry_at(s, mu->of, mu->entry);
        mu->entry = entry_at(s, mu->row, mu->column);
    }
    mem_free(s->sim->mem, mu_from);
}

/* Columns of one colour share no row. */
static void paint(DaeSystem *s, const Columns *rows)
{
    uint32_t *last = mem_alloc(s->sim->mem, (s->n + 1) * sizeof *last); /* colour -> column + 1 */
    s->colour = arena_alloc(&s->arena, (s->n + 1) * sizeof *s->colour);
    for (uint32_t c = 0; c < s->n; c++)
        s->colour[c] = s->n;
    for (uint32_t c = 0; c < s->n; c++) {
        if (!s->plan->column.at[c])
            continue;
        for (int i = s->column[c]; i < s->column[c + 1]; i++) {
            const Columns *row = &rows[s->row[i]];
            for (uint32_t k = 0; k < row->n; k++)
                if (s->colour[row->at[k]] < s->n)
                    last[s->colour[row->at[k]]] = c + 1;
        }
        uint32_t free = 0;
        while (last[free] == c + 1)
            free++;
        s->colour[c] = free;
        if (free >= s->n_colours)
            s->n_colours = free + 1;
    }
    mem_free(s->sim->mem, last);
}

static void make_pattern(DaeSystem *s)
{
    Mem *mem = s->sim->mem;
    DaePattern p = {.s = s};
    p.of = mem_alloc(mem, s->plan->vars.n * sizeof *p.of);
    p.slopes = mem_alloc(mem, s->plan->vars.n);
    p.seen = mem_alloc(mem, (s->n + 1) * sizeof *p.seen);
    Columns *rows = mem_alloc(mem, (s->n + 1) * sizeof *rows);
    spread(&p);
    for (uint32_t r = 0; r < s->n; r++)
        rows[r] = row_columns(&p, r);
    find_mus(s, rows);
    compress(s, rows);
    paint(s, rows);
    mem_free(mem, rows);
    mem_free(mem, p.of);
    mem_free(mem, p.slopes);
    mem_free(mem, p.seen);
    vec_free(mem, &p.found);
}

/* ---- life ---- */

int dae_system_factor(DaeSystem *s)
{
    for (uint32_t c = 0; c < s->n; c++)
        for (int i = s->column[c]; i < s->column[c + 1]; i++)
            s->scaled[i] = s->entry[i] * s->scale[s->row[i]];
    return sparse_lu_factor(&s->lu, s->sim->mem, s->n, s->column, s->row, s->scaled);
}

int dae_system_solve(DaeSystem *s, double *b)
{
    for (uint32_t r = 0; r < s->n; r++)
        b[r] *= s->scale[r];
    return sparse_lu_solve(&s->lu, s->n, b);
}

DaeSystem *dae_system_open(Sim *sim, const DaePlan *plan)
{
    DaeSystem *s = mem_alloc(sim->mem, sizeof *s);
    uint32_t n = s->n = plan->n;
    s->sim = sim;
    s->plan = plan;
    arena_init(&s->arena, sim->mem);
    sparse_lu_open(&s->lu);
    s->place = arena_alloc(&s->arena, 2 * (size_t)(n + 1) * sizeof *s->place);
    s->own = s->place + n + 1;
    s->by_slope = arena_alloc(&s->arena, n + 1);
    s->scale = arena_alloc(&s->arena, (n + 1) * sizeof *s->scale);
    make_list(s);
    s->value = arena_alloc(&s->arena, 2 * (size_t)(s->n_places + 1) * sizeof *s->value);
    s->tangent = s->value + s->n_places + 1;
    make_pattern(s);
    return s;
}

void dae_system_close(DaeSystem *s)
{
    if (!s)
        return;
    Sim *sim = s->sim;
    sparse_lu_forget(&s->lu);
    list_code_close(sim, s->list);
    vec_free(sim->mem, &s->mus);
    arena_free(&s->arena);
    mem_free(sim->mem, s);
}

uint32_t dae_system_nonzeros(const DaeSystem *s)
{
    return (uint32_t)s->column[s->n];
}

/* ---- values ---- */

static void put_unknowns(DaeSystem *s, double time, const double *y, const double *slope)
{
    const DaePlan *plan = s->plan;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        const DaeVar *var = &plan->vars.at[v];
        if (var->role == DAE_STATE || var->role == DAE_ALGEBRAIC)
            s->value[v] = y[var->column];
        else if (var->role == DAE_SLOPE || var->role == DAE_MULTIPLIER)
            s->value[v] = slope[var->column];
        else if (var->role == DAE_CLOCK)
            s->value[v] = time;
    }
}

void dae_system_present(const DaeSystem *s, double *y, double *slope)
{
    const DaePlan *plan = s->plan;
    const double *value = s->sim->value;
    for (uint32_t c = 0; c < s->n; c++) {
        const DaeVar *var = &plan->vars.at[plan->column.at[c]];
        bool mu = !plan->column.at[c], multiplier = mu || var->role == DAE_MULTIPLIER;
        y[c] = multiplier ? 0 : value[var->of];
        slope[c] = 0;
        if (!mu && multiplier)
            slope[c] = value[var->of];
        else if (!mu && var->role == DAE_STATE)
            slope[c] = value[plan->vars.at[var->up].of];
    }
}

void dae_system_begin(DaeSystem *s)
{
    for (uint32_t v = 1; v < s->plan->vars.n; v++)
        s->value[v] = s->sim->value[s->plan->vars.at[v].of];
    for (uint32_t i = 0; i < s->mus.n; i++)
        s->mus.at[i].value = 0;
}

bool dae_system_undisturbed(const DaeSystem *s)
{
    for (uint32_t v = 1; v < s->plan->vars.n; v++) {
        const DaeVar *var = &s->plan->vars.at[v];
        if (var->role == DAE_GIVEN && s->value[v] != s->sim->value[var->of])
            return false;
    }
    return true;
}

int dae_system_residual(DaeSystem *s, double time, const double *y, const double *slope,
                        double *out)
{
    bool fine = true;
    put_unknowns(s, time, y, slope);
    list_code_values(s->sim, s->list, s->value);
    for (uint32_t r = 0; r < s->n; r++) {
        double value = s->value[s->place[r]];
        out[r] = s->own[r] < s->n ? slope[s->own[r]] - value : value;
    }
    for (uint32_t i = 0; i < s->mus.n; i++)
        out[s->mus.at[i].row] += s->mus.at[i].value * slope[s->mus.at[i].column];
    for (uint32_t r = 0; r < s->n; r++)
        fine &= isfinite(out[r]);
    s->sim->counts.residuals++;
    return fine ? 0 : 1;
}

void dae_system_states(DaeSystem *s, double time, const double *y, const double *slope,
                       double *value)
{
    const DaePlan *plan = s->plan;
    if (!plan->plain) {
        put_unknowns(s, time, y, slope);
        list_code_values(s->sim, s->list, s->value);
    }
    for (uint32_t i = 0; i < plan->state.n; i++) {
        const DaeVar *var = &plan->vars.at[plan->state.at[i]];
        value[i] = var->role == DAE_STATE ? y[var->column] : s->value[plan->state.at[i]];
    }
}

/* ---- Jacobian ---- */

/* Tangents of the unknowns of one colour. */
static void seed(DaeSystem *s, uint32_t colour, double cj)
{
    const DaePlan *plan = s->plan;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        const DaeVar *var = &plan->vars.at[v];
        bool value = var->role == DAE_STATE || var->role == DAE_ALGEBRAIC;
        bool slope = var->role == DAE_SLOPE || var->role == DAE_MULTIPLIER;
        bool seeded = (value || slope) && s->colour[var->column] == colour;
        s->tangent[v] = seeded ? value ? 1 : cj : 0;
    }
}

static void read_colour(DaeSystem *s, uint32_t colour, double cj)
{
    for (uint32_t c = 0; c < s->n; c++)
        for (int i = s->column[c]; s->colour[c] == colour && i < s->column[c + 1]; i++) {
            uint32_t r = (uint32_t)s->row[i];
            double tangent = s->tangent[s->place[r]];
            s->entry[i] = s->own[r] == s->n ? tangent : (s->own[r] == c ? cj : 0) - tangent;
        }
}

int dae_system_jacobian(DaeSystem *s, double time, double cj, const double *y, const double *slope)
{
    bool fine = true;
    put_unknowns(s, time, y, slope);
    for (uint32_t colour = 0; colour < s->n_colours; colour++) {
        seed(s, colour, cj);
        list_code_tangents(s->sim, s->list, s->value, s->tangent);
        read_colour(s, colour, cj);
    }
    memset(s->tangent, 0, s->n_places * sizeof *s->tangent);
    for (uint32_t i = 0; i < s->mus.n; i++) {
        MuEntry *mu = &s->mus.at[i];
        mu->value = s->entry[mu->of];
        s->entry[mu->entry] = cj * mu->value;
    }
    for (uint32_t r = 0; r < s->n; r++)
        s->scale[r] = s->by_slope[r] ? 1 / cj : 1;
    for (int i = 0; i < s->column[s->n]; i++)
        fine &= isfinite(s->entry[i]);
    s->sim->counts.jacobians++;
    s->sim->counts.sweeps += s->n_colours;
    return fine ? 0 : 1;
}
