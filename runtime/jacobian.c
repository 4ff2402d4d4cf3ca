/* jacobian.c: a part -> pattern, colours and values of its Jacobian -> linear systems solved.
 *
 * Residuals are F = [y' - f(t, y, w); g(t, y, w)] over states y and tearing variables w. Columns
 * come from forward tangents of the dynamics' codes. Columns that share no row are seeded together
 * (Curtis, Powell, Reid, J. Inst. Maths Applics 13, 1974), greedily in order, so the number of
 * sweeps is the number of colours. The pattern of a column is what can be reached from its variable
 * along reads.
 *
 * Two solvers behind one SUNLinearSolver: dense LU with partial pivoting, and KLU, whose analysis
 * is made once for a pattern and whose pivot order is kept while it stays good (klu_refactor).
 */
#include "runtime/jacobian.h"

#include "runtime/blocks.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Jacobian {
    Part *part;
    Mem *mem;
    uint32_t n;
    bool sparse;
    /* pattern, compressed columns */
    int *column; /* [n + 1] */
    VEC(int) row;
    double *value; /* sparse: [column[n]]; dense: [n * n] by rows */
    /* colours */
    uint32_t n_colours;
    uint32_t *colour; /* [n] */
    DdpVar *unknown;  /* [n]: the variables of the columns */
    double *result;   /* [n]: tangents of residuals in one sweep */
    double cj;        /* of the last evaluation, 0: none yet */
    /* factors */
    uint32_t *pivot;
    double *factors; /* dense */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* ---- pattern ---- */

/* Rows of states by their slope: first[slope] is the row + 1, next[row] the next with the same
 * slope. */
typedef struct Rows {
    Map first;
    uint32_t *next; /* [states], row + 1 or 0 */
    Map loop;       /* outer loop -> its first row + 1 */
} Rows;

static void rows_open(const Part *part, Rows *rows)
{
    Mem *mem = part->sim->mem;
    *rows = (Rows){.next = mem_alloc(mem, (part->states.n + 1) * sizeof *rows->next)};
    for (uint32_t i = part->states.n; i-- > 0;) {
        DdpVar slope = part->states.at[i].slope;
        rows->next[i] = map_get(&rows->first, slope);
        map_put(mem, &rows->first, slope, i + 1);
    }
    uint32_t at = part->states.n;
    for (uint32_t i = 0; i < part->loops.n; i++) {
        map_put(mem, &rows->loop, part->loops.at[i], at + 1);
        at += part->sim->nodes.at[part->loops.at[i]].n_tears;
    }
}

static void rows_close(const Part *part, Rows *rows)
{
    map_free(part->sim->mem, &rows->first);
    map_free(part->sim->mem, &rows->loop);
    mem_free(part->sim->mem, rows->next);
}

static void add_row(Jacobian *j, uint32_t row)
{
    vec_push(j->mem, &j->row, (int)row);
}

/* A variable depends on the column: rows whose slope it is, and nodes that read it. */
static void reach_var(Jacobian *j, const Rows *rows, DdpVar var, NodeList *work)
{
    Sim *sim = j->part->sim;
    for (uint32_t r = map_get(&rows->first, var); r; r = rows->next[r - 1])
        add_row(j, r - 1);
    for (ReadEdge *edge = sim->info[var].readers; edge; edge = edge->next) {
        EvalNode *node = &sim->nodes.at[edge->node];
        if (node->mark == sim->mark || node->part != j->part || !node->needed[NEED_DYNAMICS])
            continue;
        node->mark = sim->mark;
        vec_push(j->mem, work, edge->node);
    }
}

static void reach_node(Jacobian *j, const Rows *rows, DdpNode n, NodeList *work)
{
    const EvalNode *node = &j->part->sim->nodes.at[n];
    for (uint32_t i = 0; i < node->n_steps; i++)
        reach_var(j, rows, node->ops[i].target, work);
    if (node->outer) {
        uint32_t first = map_get(&rows->loop, n) - 1;
        for (uint32_t i = 0; i < node->n_tears; i++)
            add_row(j, first + i);
    } else {
        for (uint32_t i = 0; i < node->n_tears; i++)
            reach_var(j, rows, node->tears[i], work);
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sort_column(Jacobian *j, int from)
{
    qsort(j->row.at + from, j->row.n - (uint32_t)from, sizeof(int), ascending);
    uint32_t kept = (uint32_t)from;
    for (uint32_t i = (uint32_t)from; i < j->row.n; i++)
        if (i == (uint32_t)from || j->row.at[i] != j->row.at[kept - 1])
            j->row.at[kept++] = j->row.at[i];
    j->row.n = kept;
}

static void make_pattern(Jacobian *j)
{
    Part *part = j->part;
    Sim *sim = part->sim;
    Rows rows;
    NodeList work = {0};
    rows_open(part, &rows);
    for (uint32_t c = 0; c < j->n; c++) {
        DdpVar var = part_unknown(part, c);
        j->column[c] = (int)j->row.n;
        sim->mark++;
        vec_clear(&work);
        if (c < part->states.n)
            add_row(j, c); /* y' */
        DdpNode own = c < part->states.n ? 0 : sim->info[var].node;
        if (own) {
            sim->nodes.at[own].mark = sim->mark;
            vec_push(j->mem, &work, own);
        }
        reach_var(j, &rows, var, &work);
        while (work.n)
            reach_node(j, &rows, vec_pop(&work), &work);
        sort_column(j, j->column[c]);
    }
    j->column[j->n] = (int)j->row.n;
    vec_free(j->mem, &work);
    rows_close(part, &rows);
}

/* ---- colours ---- */

static void make_colours(Jacobian *j)
{
    /* taken[k * n + r] would be large: lists of the last column that used a row, per colour */
    VEC(uint8_t) used = {0};
    for (uint32_t c = 0; c < j->n; c++) {
        uint32_t k = 0;
        for (;; k++) {
            if (k == j->n_colours) {
                j->n_colours++;
                vec_reserve(j->mem, &used, j->n_colours * j->n);
                memset(used.at + (size_t)k * j->n, 0, j->n);
            }
            const uint8_t *taken = used.at + (size_t)k * j->n;
            bool free_colour = true;
            for (int i = j->column[c]; i < j->column[c + 1] && free_colour; i++)
                free_colour = !taken[j->row.at[i]];
            if (free_colour)
                break;
        }
        for (int i = j->column[c]; i < j->column[c + 1]; i++)
            used.at[(size_t)k * j->n + (uint32_t)j->row.at[i]] = 1;
        j->colour[c] = k;
    }
    vec_free(j->mem, &used);
}

/* ---- values ---- */

void part_tangent_node(Part *part, DdpNode n, double **loop_results)
{
    Sim *sim = part->sim;
    const EvalNode *node = &sim->nodes.at[n];
    if (!node->outer) {
        evaluate_tangent_node(sim, n);
        return;
    }
    evaluate_tangent_ops(sim, node, 0, node->n_steps, NULL);
    evaluate_tangent_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, *loop_results);
    *loop_results += node->n_tears;
}

static void sweep(Jacobian *j)
{
    Part *part = j->part;
    Sim *sim = part->sim;
    double *loop_results = j->result + part->states.n;
    if (sim->engine)
        blocks_tangent(part, loop_results);
    else
        for (uint32_t i = 0; i < part->dynamics.n; i++)
            part_tangent_node(part, part->dynamics.at[i], &loop_results);
    for (uint32_t i = 0; i < part->states.n; i++)
        j->result[i] = -sim->tangent[part->states.at[i].slope];
}

static void clear_sweep(Jacobian *j)
{
    Sim *sim = j->part->sim;
    for (uint32_t c = 0; c < j->n; c++)
        sim->tangent[j->unknown[c]] = 0;
    for (uint32_t i = 0; i < j->part->dynamics.n; i++)
        evaluate_clear_tangents(sim, j->part->dynamics.at[i]);
}

static void store_colour(Jacobian *j, uint32_t colour, double cj)
{
    for (uint32_t c = 0; c < j->n; c++) {
        if (j->colour[c] != colour)
            continue;
        for (int i = j->column[c]; i < j->column[c + 1]; i++) {
            uint32_t r = (uint32_t)j->row.at[i];
            double value = j->result[r] + (r == c && c < j->part->states.n ? cj : 0);
            if (j->sparse)
                j->value[i] = value;
            else
                j->value[(size_t)r * j->n + c] = value;
        }
    }
}

int jacobian_evaluate(Jacobian *j, double time, double cj)
{
    Sim *sim = j->part->sim;
    if (part_evaluate(j->part, time, j->result + j->part->states.n) != 0)
        return 1;
    if (!j->sparse)
        memset(j->value, 0, (size_t)j->n * j->n * sizeof *j->value);
    for (uint32_t k = 0; k < j->n_colours; k++) {
        for (uint32_t c = 0; c < j->n; c++)
            if (j->colour[c] == k)
                sim->tangent[j->unknown[c]] = 1;
        sweep(j);
        store_colour(j, k, cj);
        clear_sweep(j);
    }
    j->cj = cj;
    sim->counts.jacobians++;
    return 0;
}

double jacobian_effect(const Jacobian *j, uint32_t c, const double *weight)
{
    double most = 0;
    for (int i = j->column[c]; i < j->column[c + 1] && j->cj != 0; i++) {
        uint32_t r = (uint32_t)j->row.at[i];
        double value = j->sparse ? j->value[i] : j->value[(size_t)r * j->n + c];
        if (r < j->part->states.n)
            most = fmax(most, fabs(value / j->cj) * weight[r]);
    }
    return most;
}

/* ---- solving ---- */

static int setup_dense(Jacobian *j)
{
    double smallest;
    memcpy(j->factors, j->value, (size_t)j->n * j->n * sizeof *j->factors);
    return loop_solve_factor(j->n, j->factors, j->pivot, &smallest) ? 0 : 1;
}

static int setup_klu(Jacobian *j)
{
    if (!j->symbolic)
        j->symbolic = klu_analyze((int)j->n, j->column, j->row.at, &j->common);
    if (!j->symbolic)
        return j->common.status == KLU_SINGULAR ? 1 : -1;
    if (j->numeric &&
        klu_refactor(j->column, j->row.at, j->value, j->symbolic, j->numeric, &j->common)) {
        klu_rcond(j->symbolic, j->numeric, &j->common);
        if (j->common.rcond > 1e-13)
            return 0;
    }
    if (j->numeric)
        klu_free_numeric(&j->numeric, &j->common);
    j->numeric = klu_factor(j->column, j->row.at, j->value, j->symbolic, &j->common);
    return j->numeric ? 0 : 1;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)matrix;
    Jacobian *j = solver->content;
    return j->sparse ? setup_klu(j) : setup_dense(j);
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        realtype tolerance)
{
    (void)matrix;
    (void)tolerance;
    Jacobian *j = solver->content;
    double *at = N_VGetArrayPointer(x);
    if (x != b)
        memcpy(at, N_VGetArrayPointer(b), j->n * sizeof *at);
    if (j->sparse)
        return klu_solve(j->symbolic, j->numeric, (int)j->n, 1, at, &j->common) ? 0 : 1;
    loop_solve_apply(j->n, j->factors, j->pivot, at);
    return 0;
}

static int solver_free(SUNLinearSolver solver)
{
    solver->content = NULL;
    SUNLinSolFreeEmpty(solver);
    return 0;
}

SUNLinearSolver jacobian_solver(Jacobian *j, SUNContext context)
{
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (!solver)
        return NULL;
    solver->ops->gettype = solver_type;
    solver->ops->getid = solver_id;
    solver->ops->setup = solver_setup;
    solver->ops->solve = solver_solve;
    solver->ops->free = solver_free;
    solver->content = j;
    return solver;
}

/* IDA keeps a matrix only to hand it on: the values live in the Jacobian. */
static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

static void matrix_destroy(SUNMatrix matrix)
{
    matrix->content = NULL;
    SUNMatFreeEmpty(matrix);
}

SUNMatrix jacobian_matrix(Jacobian *j, SUNContext context)
{
    SUNMatrix matrix = SUNMatNewEmpty(context);
    if (!matrix)
        return NULL;
    matrix->ops->getid = matrix_id;
    matrix->ops->zero = matrix_zero;
    matrix->ops->destroy = matrix_destroy;
    matrix->content = j;
    return matrix;
}

/* ---- life ---- */

Jacobian *jacobian_open(Part *part, bool sparse)
{
    Mem *mem = part->sim->mem;
    uint32_t n = part->n;
    Jacobian *j = mem_alloc(mem, sizeof *j);
    *j = (Jacobian){.part = part, .mem = mem, .n = n, .sparse = sparse};
    j->column = mem_alloc(mem, (n + 1) * sizeof *j->column);
    j->colour = mem_alloc(mem, n * sizeof *j->colour);
    j->unknown = mem_alloc(mem, n * sizeof *j->unknown);
    j->result = mem_alloc(mem, n * sizeof *j->result);
    for (uint32_t i = 0; i < n; i++)
        j->unknown[i] = part_unknown(part, i);
    make_pattern(j);
    make_colours(j);
    if (sparse) {
        j->value = mem_alloc(mem, (j->row.n + 1) * sizeof *j->value);
        klu_defaults(&j->common);
    } else {
        j->value = mem_alloc(mem, (size_t)n * n * sizeof *j->value);
        j->factors = mem_alloc(mem, (size_t)n * n * sizeof *j->factors);
        j->pivot = mem_alloc(mem, n * sizeof *j->pivot);
    }
    return j;
}

void jacobian_close(Jacobian *j)
{
    if (!j)
        return;
    if (j->numeric)
        klu_free_numeric(&j->numeric, &j->common);
    if (j->symbolic)
        klu_free_symbolic(&j->symbolic, &j->common);
    mem_free(j->mem, j->column);
    vec_free(j->mem, &j->row);
    mem_free(j->mem, j->value);
    mem_free(j->mem, j->colour);
    mem_free(j->mem, j->unknown);
    mem_free(j->mem, j->result);
    mem_free(j->mem, j->pivot);
    mem_free(j->mem, j->factors);
    mem_free(j->mem, j);
}
