/* linearize.c: a simulation at its present point -> its linear model there: A, B, C, D, eigenvalues.
 *
 * Columns are tangents through the whole schedule, the same that Jacobians are made of: no differences. What is kept between
 * events (comparisons, floor) stays as it is, so the linear model is that of the present structure.
 */
#include "numerics/eigenvalues.h"
#include "numerics/participation.h"
#include "runtime/sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    DdpVar x = ((const StateInfo *)a)->var, y = ((const StateInfo *)b)->var;
    return (x > y) - (x < y);
}

typedef struct Linear {
    Sim *sim;
    StateInfo *state; /* [n] */
    const SolVar *in, *out;
    SolLinearized *to;
} Linear;

/* Values and factors of loops are those of the present time. */
static SolStatus bring_here(const Linear *l)
{
    Sim *sim = l->sim;
    SolStatus status = SOL_OK;
    for (DdpNode n = ddp_first(sim->ddp); n && status == SOL_OK; n = ddp_next(sim->ddp, n)) {
        const EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !node->determined)
            continue;
        status = evaluate_fetch(sim, node_output(node, 0), EVAL_PLAIN);
        if (status == SOL_OK && node->loop)
            status = evaluate_node(sim, n, EVAL_PLAIN);
    }
    return status;
}

static void sweep(Sim *sim, DdpVar seed)
{
    sim->tangent[seed] = 1;
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n)) {
        const EvalNode *node = &sim->nodes.at[n];
        if (node->live && node->determined && !(node->loop && !node->factored))
            evaluate_tangent_node(sim, n);
    }
}

static void clear(Sim *sim, DdpVar seed)
{
    sim->tangent[seed] = 0;
    for (DdpNode n = ddp_first(sim->ddp); n; n = ddp_next(sim->ddp, n))
        if (sim->nodes.at[n].live)
            evaluate_clear_tangents(sim, n);
}

/* One column of A and C, or of B and D. */
static void fill_column(const Linear *l, DdpVar seed, double *a, double *c, uint32_t width)
{
    sweep(l->sim, seed);
    for (uint32_t i = 0; i < l->to->n; i++)
        a[(size_t)i * width] = l->sim->tangent[l->state[i].slope];
    for (uint32_t i = 0; i < l->to->n_out; i++)
        c[(size_t)i * width] = l->sim->tangent[l->out[i]];
    clear(l->sim, seed);
}

static SolStatus fill(const Linear *l)
{
    SolLinearized *to = l->to;
    SolStatus status = bring_here(l);
    if (status != SOL_OK)
        return status;
    for (uint32_t j = 0; j < to->n; j++)
        fill_column(l, l->state[j].var, to->a + j, to->c + j, to->n);
    for (uint32_t j = 0; j < to->n_in; j++)
        fill_column(l, l->in[j], to->b + j, to->d + j, to->n_in);
    size_t cells = (size_t)to->n * to->n;
    double *copy = mem_alloc(l->sim->mem, (cells + 1) * sizeof *copy);
    if (cells)
        memcpy(copy, to->a, cells * sizeof *copy);
    bool found = eigenvalues(to->n, copy, to->re, to->im);
    mem_free(l->sim->mem, copy);
    if (!found)
        diag_error(l->sim->diags, 0,
                   "at time %.10g the eigenvalues cannot be found: a derivative is no number",
                   l->sim->time);
    return found ? SOL_OK : SOL_NUMERICS;
}

/* By their distance from 0, the slowest first; pairs stay together. */
static void sort_eigenvalues(SolLinearized *to)
{
    for (uint32_t i = 1; i < to->n; i++)
        for (uint32_t k = i; k; k--) {
            double size = hypot(to->re[k], to->im[k]), before = hypot(to->re[k - 1], to->im[k - 1]);
            bool later = size != before               ? size > before
                         : to->re[k] != to->re[k - 1] ? to->re[k] < to->re[k - 1]
                                                      : to->im[k] <= to->im[k - 1];
            if (later)
                break;
            double re = to->re[k], im = to->im[k];
            to->re[k] = to->re[k - 1];
            to->im[k] = to->im[k - 1];
            to->re[k - 1] = re;
            to->im[k - 1] = im;
        }
}

enum { MOST_PARTICIPATING = 100 }; /* their cost grows with the fourth power */

/* Of eigenvalues in their final order. */
static void share(const Linear *l)
{
    SolLinearized *to = l->to;
    Mem *mem = l->sim->mem;
    if (to->n == 0 || to->n > MOST_PARTICIPATING)
        return;
    double *work = mem_alloc(mem, participation_room(to->n) * sizeof *work);
    uint32_t *pivot = mem_alloc(mem, participation_pivots(to->n) * sizeof *pivot);
    to->participation = mem_alloc(mem, (size_t)to->n * to->n * sizeof *to->participation);
    participation(to->n, to->a, to->re, to->im, to->participation, work, pivot);
    mem_free(mem, pivot);
    mem_free(mem, work);
}

static void open_result(Linear *l)
{
    SolLinearized *to = l->to;
    Mem *mem = l->sim->mem;
    size_t n = to->n, in = to->n_in, out = to->n_out;
    double *cells =
        mem_alloc(mem, (n * n + n * in + out * n + out * in + 2 * n + 1) * sizeof *cells);
    to->a = cells;
    to->b = to->a + n * n;
    to->c = to->b + n * in;
    to->d = to->c + out * n;
    to->re = to->d + out * in;
    to->im = to->re + n;
    to->states = mem_alloc(mem, (n + 1) * sizeof *to->states);
    l->state = mem_alloc(mem, (n + 1) * sizeof *l->state);
    if (n)
        memcpy(l->state, l->sim->states.at, n * sizeof *l->state);
    qsort(l->state, n, sizeof *l->state, ascending);
    for (uint32_t i = 0; i < n; i++)
        to->states[i] = l->state[i].var;
}

/* An input is what stays between events: a parameter, what is held. */
static bool is_input(Sim *sim, SolVar var)
{
    DdpVarKind kind = ddp_var_used(sim->ddp, var) ? ddp_var(sim->ddp, var).kind : DDP_TIME;
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    return (kind == DDP_KNOWN || kind == DDP_HELD) && !sim->info[var].node &&
           view.type == TYPE_REAL;
}

static SolStatus check_inputs(Sim *sim, uint32_t n, const SolVar *in)
{
    for (uint32_t i = 0; i < n; i++)
        if (in[i] >= sim->n_values || !is_input(sim, in[i])) {
            diag_error(sim->diags, 0,
                       "%s is no input: a Real parameter or a variable that is held is wanted",
                       in[i] < sim->n_values ? explain_var(sim, in[i]) : "this");
            return SOL_USAGE;
        }
    return SOL_OK;
}

SolStatus sol_linearize(Sol *sol, uint32_t n_in, const SolVar *in, uint32_t n_out,
                        const SolVar *out, SolLinearized *to)
{
    Sim *sim = sol->sim;
    *to = (SolLinearized){.n_in = n_in, .n_out = n_out};
    SolStatus status = sol_init(sol);
    if (status == SOL_OK)
        status = check_inputs(sim, n_in, in);
    if (status != SOL_OK)
        return status;
    to->n = sim->states.n;
    Linear l = {.sim = sim, .in = in, .out = out, .to = to};
    MemGuard guard;
    mem_guard_push(sim->mem, &guard);
    if (setjmp(guard.env) != 0)
        return sim_exhausted(sim);
    open_result(&l);
    status = fill(&l);
    if (status == SOL_OK) {
        sort_eigenvalues(to);
        share(&l);
    }
    mem_free(sim->mem, l.state);
    mem_guard_pop(sim->mem, &guard);
    return status;
}

void sol_linearized_free(Sol *sol, SolLinearized *of)
{
    mem_free(sol->sim->mem, of->a);
    mem_free(sol->sim->mem, of->states);
    mem_free(sol->sim->mem, of->participation);
    *of = (SolLinearized){0};
}
