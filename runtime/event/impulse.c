/* impulse.c: states that new equations bind -> how they and others jump. See impulse.h.
 *
 * A clutch that locks while its sides turn at different speeds, two charged capacitors that an ideal switch joins: behind the
 * event a constraint holds that did not hold before. Over the moment of the event the equations with derivatives are integrated
 * as they are written (impulse_system.h):
 *
 *     sum of m (x+ - x-)  +  sum of b p  =  0        m, b: factors of derivatives and of what may have an impulse p
 *
 * while the constraints hold at x+. So unknowns are the states behind the event, from which the schedule computes all other
 * x+, and the impulses p. Where a factor moves in the moment itself (a capacitance that depends on its voltage, a power u*i) its
 * mean on the straight way from x- to x+ counts: then q(u+) - q(u-) is what flows, and energies add up.
 *
 * The system is solved by Newton's method with the derivatives of the schedule, each step by elimination with the largest
 * pivots: equations that say nothing new must agree, and an impulse that is open is 0. Where they do not agree no impulse
 * does what the equations ask (a wheel that would have to turn in no time): that is an error, unless it is within tolerances.
 */
#include "runtime/event/impulse.h"
#include "numerics/dense_rank.h"
#include "runtime/eval/trace.h"
#include "runtime/event/impulse_system.h"
#include "runtime/event/mode_search.h"
#include "runtime/event/trail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50, LARGEST = 1500, MOST_NAMED = 8, MOST_WARNED = 10, POINTS = 8 };

static const double NOTHING = 1e-11; /* of a pivot */
static const double SETTLED = 4e-16; /* steps, against values */
static const double CONTRARY = 100;  /* tolerances */

/* Gauss and Legendre's points and weights on (0, 1), one half: the others lie opposite. */
static const double point[POINTS / 2] = {0.01985507175123188, 0.10166676129318664,
                                         0.23723379504183550, 0.40828267875217510};
static const double weight[POINTS / 2] = {0.05061426814518813, 0.11119051722668724,
                                          0.15685332293894364, 0.18134189168918100};

/* ---- what is noted ---- */

void impulse_begin(Sim *sim)
{
    vec_clear(&sim->decide.jumps);
    vec_clear(&sim->decide.impulses);
    vec_clear(&sim->decide.impulsive);
    sim->decide.contrary = 0;
}

void impulse_close(Sim *sim)
{
    vec_free(sim->mem, &sim->decide.jumps);
    vec_free(sim->mem, &sim->decide.impulses);
    vec_free(sim->mem, &sim->decide.impulsive);
    map_free(sim->mem, &sim->decide.impulses_told);
    map_free(sim->mem, &sim->decide.jumps_told_at);
    vec_free(sim->mem, &sim->decide.jumps_told);
}

static bool differs(const Sim *sim, DdpVar var, double a, double b)
{
    return !(fabs(a - b) <= values_allowed(sim, var, fmax(fabs(a), fabs(b))));
}

/* ---- the equations ---- */

typedef struct Balance {
    ImpulseSystem s;
    Arena arena;
    uint32_t n; /* unknowns: states that may jump, impulses */
    uint32_t m; /* equations: rows that are left, then what is steady and follows from states */
    double *tangent; /* [jump][state column]: of what follows from states */
    double *b;       /* [m]: what is missing */
    double *size;    /* [m]: of what was added up */
    double *step;    /* [n] */
    double *local;   /* values of one relation */
    uint32_t *same;  /* 0, 1, .. */
    uint32_t states; /* columns of these come first */
} Balance;

static bool is_state(const Balance *e, const ImpulseJump *jump)
{
    return e->s.sim->info[jump->var].state != 0;
}

static bool is_checked(const Balance *e, const ImpulseJump *jump)
{
    return jump->steady && !jump->born && !is_state(e, jump);
}

static void number_columns(Balance *e)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < e->s.jump.n; i++) {
        ImpulseJump *jump = &e->s.jump.at[i];
        if (is_state(e, jump) && (!jump->steady || jump->born))
            jump->column = ++e->n;
        e->m += is_checked(e, jump);
    }
    e->states = e->n;
    for (uint32_t i = 0; i < e->s.var.n; i++)
        if (!e->s.var.at[i].finite && !e->s.var.at[i].of)
            e->s.var.at[i].column = ++e->n;
    for (uint32_t r = 0; r < e->s.row.n; r++) {
        uint32_t size = ddp_rel_size(e->s.sim->ddp, e->s.row.at[r].rel);
        e->m += !e->s.row.at[r].done;
        widest = size > widest ? size : widest;
    }
    e->local = arena_alloc(&e->arena, (widest + 1) * sizeof *e->local);
    e->same = arena_alloc(&e->arena, (widest + 1) * sizeof *e->same);
    for (uint32_t i = 0; i < widest; i++)
        e->same[i] = i;
}

static void open_balance(Balance *e)
{
    number_columns(e);
    e->tangent = arena_alloc(&e->arena, ((size_t)e->s.jump.n * e->states + 1) * sizeof *e->tangent);
    e->b = arena_alloc(&e->arena, (e->m + 1) * sizeof *e->b);
    e->size = arena_alloc(&e->arena, (e->m + 1) * sizeof *e->size);
    e->step = arena_alloc(&e->arena, (e->n + 1) * sizeof *e->step);
}

/* How what follows from states moves with each of them. */
static void fill_tangents(Balance *e)
{
    Sim *sim = e->s.sim;
    for (uint32_t c = 0; c < e->s.jump.n; c++) {
        uint32_t column = e->s.jump.at[c].column;
        if (!column)
            continue;
        sim->tangent[e->s.jump.at[c].var] = 1;
        for (uint32_t i = 0; i < e->s.nodes.n; i++) {
            const EvalNode *node = &sim->nodes.at[e->s.nodes.at[i]];
            if (node->determined && !(node->loop && !node->factored))
                evaluate_tangent_node(sim, e->s.nodes.at[i]);
        }
        for (uint32_t i = 0; i < e->s.jump.n; i++)
            e->tangent[(size_t)i * e->states + column - 1] = sim->tangent[e->s.jump.at[i].var];
        sim->tangent[e->s.jump.at[c].var] = 0;
        for (uint32_t i = 0; i < e->s.nodes.n; i++)
            evaluate_clear_tangents(sim, e->s.nodes.at[i]);
    }
}

/* The factor with all that moves at this part of the way from before to now. */
static double factor_at(const Balance *e, const DdpRelView *view, X factor, double part)
{
    const Sim *sim = e->s.sim;
    for (uint32_t k = 0; k < view->n; k++) {
        DdpVar var = view->vars[k];
        e->local[k] = var ? sim->value[var] : 0;
        if (var && sim->info[var].birth <= sim->update.births_before)
            e->local[k] += (1 - part) * (impulse_system_before(&e->s, var) - sim->value[var]);
    }
    return x_value(sim->forms, factor, e->same, e->local, evaluate_foreign, e->s.sim);
}

static double mean_factor(const Balance *e, const ImpulseRow *row, X factor)
{
    XNode node = x_node(e->s.sim->forms, factor);
    if (node.op == X_CONST)
        return node.k;
    DdpRelView view = ddp_rel(e->s.sim->ddp, row->rel);
    for (uint32_t k = 0; k < view.n; k++)
        if (view.vars[k] && x_uses(e->s.sim->forms, factor, k))
            evaluate_fetch(e->s.sim, view.vars[k], EVAL_EVENT | EVAL_TRIAL);
    double begin = factor_at(e, &view, factor, 0), end = factor_at(e, &view, factor, 1), sum = 0;
    if (begin == end)
        return end;
    for (int i = 0; i < POINTS / 2; i++)
        sum += weight[i] *
               (factor_at(e, &view, factor, point[i]) + factor_at(e, &view, factor, 1 - point[i]));
    return sum;
}

static double jumped(const Balance *e, const ImpulseJump *jump)
{
    return jump->born ? 0 : e->s.sim->value[jump->var] - jump->before;
}

static double size_of(const Balance *e, const ImpulseJump *jump)
{
    const Sim *sim = e->s.sim;
    double size = fmax(fabs(sim->value[jump->var]), fabs(jump->before));
    return values_allowed(sim, jump->var, size) / sim->opt.rtol;
}

static void add_moves(const Balance *e, const DenseRank *a, uint32_t i, uint32_t jump,
                      double factor)
{
    const ImpulseJump *it = &e->s.jump.at[jump];
    e->b[i] -= factor * jumped(e, it);
    e->size[i] += fabs(factor) * size_of(e, it);
    if (it->born)
        return;
    if (it->column)
        *dense_rank_at(a, i, it->column - 1) += factor;
    for (uint32_t c = 0; c < e->states && !is_state(e, it); c++)
        *dense_rank_at(a, i, c) += factor * e->tangent[(size_t)jump * e->states + c];
}

static void fill_row(const Balance *e, const DenseRank *a, uint32_t i, const ImpulseRow *row)
{
    for (uint32_t k = 0; k < row->n; k++) {
        const ImpulseTerm *term = &e->s.term.at[row->first + k];
        const ImpulseVar *var = &e->s.var.at[term->var];
        if (var->finite)
            continue;
        double factor = mean_factor(e, row, term->factor);
        if (var->of) {
            add_moves(e, a, i, var->of - 1, factor);
            continue;
        }
        e->b[i] -= factor * var->impulse;
        e->size[i] += fabs(factor * var->impulse);
        *dense_rank_at(a, i, var->column - 1) += factor;
    }
}

static DenseRank fill(Balance *e)
{
    DenseRank a = dense_rank_open(e->s.sim->mem, e->m, e->n);
    uint32_t i = 0;
    memset(e->b, 0, e->m * sizeof *e->b);
    memset(e->size, 0, e->m * sizeof *e->size);
    impulse_system_look(&e->s, e->s.sim->update.befores.n);
    fill_tangents(e);
    for (uint32_t r = 0; r < e->s.row.n; r++)
        if (!e->s.row.at[r].done)
            fill_row(e, &a, i++, &e->s.row.at[r]);
    for (uint32_t k = 0; k < e->s.jump.n; k++)
        if (is_checked(e, &e->s.jump.at[k]))
            add_moves(e, &a, i++, k, 1);
    return a;
}

/* ---- Newton ---- */

/* What row k of the eliminated matrix makes of the right side, and of its sizes. */
static double combined(const Balance *e, const DenseRank *a, uint32_t k, double *size)
{
    const double *times = dense_rank_at(a, a->row[k], a->n);
    double sum = 0;
    *size = 0;
    for (uint32_t i = 0; i < e->m; i++) {
        sum += times[i] * (e->b[i] / a->row_unit[i]);
        *size += fabs(times[i]) * (e->size[i] / a->row_unit[i]);
    }
    return sum;
}

typedef enum Outcome {
    BALANCE_STEPPED,
    BALANCE_CONTRARY, /* equations do not agree */
    BALANCE_OPEN      /* nothing says how a state jumps that something bound follows from */
} Outcome;

static const char *const outcome_text[] = {"balanced", "contrary", "open"};

static bool is_open(const Balance *e, uint32_t column)
{
    for (uint32_t i = 0; i < e->s.jump.n && column < e->states; i++)
        if (!is_state(e, &e->s.jump.at[i]) && !e->s.jump.at[i].born &&
            e->tangent[(size_t)i * e->states + column] != 0)
            return true;
    return false;
}

static Outcome newton_step(Balance *e)
{
    DenseRank a = fill(e);
    Outcome outcome = BALANCE_STEPPED;
    double size;
    dense_rank_eliminate(e->s.sim->mem, &a, NOTHING);
    memset(e->step, 0, e->n * sizeof *e->step);
    for (uint32_t k = 0; k < a.rank; k++)
        e->step[a.column[k]] = a.column_unit[a.column[k]] * combined(e, &a, k, &size);
    for (uint32_t k = a.rank; k < a.m && outcome == BALANCE_STEPPED; k++)
        if (fabs(combined(e, &a, k, &size)) > CONTRARY * e->s.sim->opt.rtol * size)
            outcome = BALANCE_CONTRARY;
    for (uint32_t k = a.rank; k < a.n && outcome == BALANCE_STEPPED; k++)
        if (is_open(e, a.column[k]))
            outcome = BALANCE_OPEN;
    dense_rank_close(e->s.sim->mem, &a);
    return outcome;
}

static bool set_states(Balance *e, bool back)
{
    Sim *sim = e->s.sim;
    for (uint32_t i = 0; i < e->s.jump.n; i++) {
        const ImpulseJump *jump = &e->s.jump.at[i];
        if (!is_state(e, jump) || (jump->born && !jump->column))
            continue;
        double value = back ? jump->before : sim->value[jump->var];
        if (!back && jump->column)
            value += e->step[jump->column - 1];
        values_set(sim, jump->var, value);
    }
    SolStatus status = evaluate_dirty(sim, EVAL_EVENT | EVAL_TRIAL);
    for (uint32_t i = 0; i < e->s.jump.n && status == SOL_OK; i++)
        status = evaluate_fetch(sim, e->s.jump.at[i].var, EVAL_EVENT | EVAL_TRIAL);
    return status == SOL_OK;
}

/* The largest part of its value by which a state would move. */
static double step_size(const Balance *e)
{
    double most = 0;
    for (uint32_t i = 0; i < e->s.jump.n; i++) {
        const ImpulseJump *jump = &e->s.jump.at[i];
        if (jump->column)
            most = fmax(most, fabs(e->step[jump->column - 1]) / size_of(e, jump));
    }
    return most;
}

static Outcome newton(Balance *e)
{
    double last = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        Outcome outcome = newton_step(e);
        if (outcome != BALANCE_STEPPED)
            return outcome;
        double size = step_size(e);
        for (uint32_t i = 0; i < e->s.var.n; i++)
            if (e->s.var.at[i].column)
                e->s.var.at[i].impulse += e->step[e->s.var.at[i].column - 1];
        if (round == 0 && size <= e->s.sim->opt.rtol)
            return BALANCE_STEPPED; /* states stay as they are */
        if (!set_states(e, false))
            return BALANCE_OPEN;
        if (size <= SETTLED || (size < 1e-13 && size >= last / 2))
            return BALANCE_STEPPED;
        last = size;
    }
    return last < 1e-9 ? BALANCE_STEPPED : BALANCE_OPEN;
}

/* ---- one update ---- */

/* It has a derivative, had a value before, and is another now. */
static bool has_jumped(Sim *sim, const OldValue *old)
{
    const ValueInfo *info = &sim->info[old->var];
    if (!ddp_var_used(sim->ddp, old->var) || !ddp_var_rank(sim->ddp, old->var) ||
        info->birth > sim->update.births_before)
        return false;
    evaluate_fetch(sim, old->var, EVAL_EVENT | EVAL_TRIAL);
    return info->has && !info->pending && differs(sim, old->var, old->value, sim->value[old->var]);
}

/* Mostly nothing has: which of several entries of a variable is the first is asked last. */
static bool gather(ImpulseSystem *s)
{
    Sim *sim = s->sim;
    uint32_t n = sim->update.befores.n;
    for (uint32_t i = 0; i < n; i++) {
        OldValue old = sim->update.befores.at[i];
        if (!has_jumped(sim, &old) || !impulse_has_derivative(sim, old.var))
            continue;
        impulse_system_look(s, n);
        if (map_get(&s->before, old.var) == i + 1)
            impulse_system_add(s, old.var);
    }
    if (!s->jump.n)
        return false;
    impulse_system_gather(s);
    return true;
}

static void note_jump(Sim *sim, const ImpulseJump *jump)
{
    for (uint32_t i = 0; i < sim->decide.jumps.n; i++)
        if (sim->decide.jumps.at[i].var == jump->var)
            return;
    vec_push(sim->mem, &sim->decide.jumps, ((OldValue){jump->var, jump->before}));
}

static void note_impulse(Sim *sim, DdpVar var, double impulse)
{
    WorldVar view;
    bool listed = sim->decide.impulses.n >= MOST_NAMED || !values_declared(sim, var, &view);
    for (uint32_t i = 0; i < sim->decide.impulses.n; i++)
        listed |= sim->decide.impulses.at[i].var == var;
    if (!listed)
        vec_push(sim->mem, &sim->decide.impulses, ((OldValue){var, impulse}));
}

/* Impulses of what stands beside a derivative: the others follow from them. */
static void note_impulses(const Balance *e)
{
    Sim *sim = e->s.sim;
    vec_clear(&sim->decide.impulses);
    for (uint32_t r = 0; r < e->s.row.n; r++) {
        const ImpulseTerm *terms = &e->s.term.at[e->s.row.at[r].first];
        bool beside = false;
        for (uint32_t i = 0; !e->s.row.at[r].done && i < e->s.row.at[r].n; i++)
            beside |= e->s.var.at[terms[i].var].of != 0;
        for (uint32_t i = 0; beside && i < e->s.row.at[r].n; i++) {
            const ImpulseVar *var = &e->s.var.at[terms[i].var];
            double impulse = var->of ? jumped(e, &e->s.jump.at[var->of - 1]) : var->impulse;
            if (!var->finite && impulse != 0)
                note_impulse(sim, var->var, impulse);
        }
    }
}

/* Is a state among them that another value was asked of than it had? */
static DdpVar bound_state(const Balance *e)
{
    const Sim *sim = e->s.sim;
    for (uint32_t i = 0; i < sim->decide.trail.states.n; i++) {
        uint32_t at = map_get(&e->s.jump_at, sim->decide.trail.states.at[i].var);
        if (at && !is_state(e, &e->s.jump.at[at - 1]) &&
            differs(sim, e->s.jump.at[at - 1].var, e->s.jump.at[at - 1].before,
                    sim->value[e->s.jump.at[at - 1].var]))
            return e->s.jump.at[at - 1].var;
    }
    return 0;
}

static void take_result(Balance *e)
{
    Sim *sim = e->s.sim;
    bool moved = bound_state(e) != 0;
    for (uint32_t i = 0; i < e->s.jump.n; i++) {
        const ImpulseJump *jump = &e->s.jump.at[i];
        moved |= is_state(e, jump) && !jump->born &&
                 differs(sim, jump->var, jump->before, sim->value[jump->var]);
    }
    for (uint32_t i = 0; i < e->s.jump.n && moved; i++) {
        const ImpulseJump *jump = &e->s.jump.at[i];
        if (!jump->born && differs(sim, jump->var, jump->before, sim->value[jump->var]))
            note_jump(sim, jump);
    }
    if (moved)
        note_impulses(e);
    if (moved && !sim->decide.modes && !sim->decide.impulsive.n) {
        impulse_conditions(&e->s);
        sim->decide.impulsive_update = sim->record.event.updates;
    }
}

/* The way back (trail.h) leads to what states were. */
static void note_trail(const Balance *e)
{
    for (uint32_t i = 0; i < e->s.jump.n; i++)
        if (e->s.jump.at[i].column)
            trail_state(e->s.sim, e->s.jump.at[i].var);
}

static SolStatus solve(Balance *e)
{
    Sim *sim = e->s.sim;
    open_balance(e);
    if (!set_states(e, true))
        return SOL_OK;
    note_trail(e);
    Outcome outcome = newton(e);
    trace_line(sim, 'e', sim->time, "  impulse: %u variables, %u equations, %u unknowns: %s",
               e->s.jump.n, e->m, e->n, outcome_text[outcome]);
    if (outcome == BALANCE_STEPPED) {
        take_result(e);
    } else {
        set_states(e, true);
        if (outcome == BALANCE_CONTRARY)
            sim->decide.contrary = bound_state(e);
    }
    update_resume(sim);
    return evaluate_dirty(sim, EVAL_EVENT);
}

/* One balance; *n: variables that it is about. Where others jump then, there is another, about more. */
static SolStatus balance(Sim *sim, uint32_t *n)
{
    Balance e = {.n = 0};
    SolStatus status = SOL_OK;
    uint32_t before = *n;
    impulse_system_open(&e.s, sim);
    arena_init(&e.arena, sim->mem);
    bool found = gather(&e.s) && e.s.jump.n > before;
    *n = found ? e.s.jump.n : 0;
    if (found && !e.s.too_large && e.s.jump.n + e.s.var.n <= LARGEST && impulse_system_peel(&e.s))
        status = solve(&e);
    arena_free(&e.arena);
    impulse_system_close(&e.s);
    return status;
}

SolStatus impulse_settle(Sim *sim)
{
    SolStatus status = SOL_OK;
    uint32_t n = 0;
    if (sim->search.impulse_time >= sim->time || mode_search_returns(sim))
        return SOL_OK;
    do
        status = sim->update.befores.n ? balance(sim, &n) : SOL_OK;
    while (status == SOL_OK && n > 0 && sim->update.befores.n);
    return status;
}

/* ---- what is told ---- */

static int by_rank(const void *a, const void *b)
{
    const OldValue *x = a, *y = b;
    return (x->var > y->var) - (x->var < y->var);
}

static bool is_told(Sim *sim, Place at)
{
    if (map_get(&sim->decide.impulses_told, at))
        return true;
    map_put(sim->mem, &sim->decide.impulses_told, at, 1);
    return false;
}

static SolStatus contradiction(Sim *sim, DdpVar var, double before)
{
    WorldVar view = {0};
    world_var(sim->world, var, &view);
    diag_error(sim->diags, view.at,
               "at time %.10g the new equations ask the state %s to jump from %.10g to %.10g: no "
               "impulse can do that",
               sim->time, explain_var(sim, var), before, sim->value[var]);
    explain_determined_by(sim, var);
    diag_note(sim->diags, 0, "its derivative, or that of what it follows from, stays finite");
    return SOL_MODEL;
}

static void tell_jumps(Sim *sim)
{
    OldValue *list = sim->decide.jumps.at, first = list[0];
    WorldVar view = {0};
    world_var(sim->world, first.var, &view);
    if (is_told(sim, view.at) || sim->decide.impulses_told.n > MOST_WARNED)
        return;
    diag_warning(sim->diags, view.at,
                 "at time %.10g the new equations force an impulse: %s jumps from %.10g to %.10g",
                 sim->time, explain_var(sim, first.var), first.value, sim->value[first.var]);
    for (uint32_t i = 1; i < sim->decide.jumps.n && i < MOST_NAMED; i++)
        diag_note(sim->diags, 0, "%s jumps from %.10g to %.10g", explain_var(sim, list[i].var),
                  list[i].value, sim->value[list[i].var]);
    for (uint32_t i = 0; i < sim->decide.impulses.n; i++)
        diag_note(sim->diags, 0, "the impulse of %s is %.10g",
                  explain_var(sim, sim->decide.impulses.at[i].var),
                  sim->decide.impulses.at[i].value);
}

/* Those that are no more, or came back, do not count. */
static void drop_undone(Sim *sim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->decide.jumps.n; i++) {
        OldValue old = sim->decide.jumps.at[i];
        if (ddp_var_used(sim->ddp, old.var) &&
            differs(sim, old.var, old.value, sim->value[old.var]))
            sim->decide.jumps.at[kept++] = old;
    }
    sim->decide.jumps.n = kept;
}

SolStatus impulse_tell(Sim *sim)
{
    drop_undone(sim);
    if (sim->decide.jumps.n) {
        qsort(sim->decide.jumps.at, sim->decide.jumps.n, sizeof *sim->decide.jumps.at, by_rank);
        tell_jumps(sim);
    }
    uint32_t i = trail_bound(sim, sim->decide.contrary);
    return i ? contradiction(sim, sim->decide.contrary, sim->decide.trail.states.at[i - 1].value)
             : SOL_OK;
}
