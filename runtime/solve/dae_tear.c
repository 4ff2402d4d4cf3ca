/* dae_tear.c: equations with their derivatives -> which compute what, in which order. See dae_plan.h.
 *
 * Requires: heights, and what is above and below. An equation and its derivatives are solved together, for a
 * variable and its derivatives (a chain). Whoever is solved for makes an edge from the equation's other variables; nothing may
 * depend on itself, which one walk along the edges tells. So the cost is at most that of a walk for each variable in each equation.
 *
 * Constraints come first, then what is not differentiated: of each kind first those of the form `a = ...`, solved for a, then the others, for the variable that
 * the graph solves them for, or any. Copies have their targets already (dae_merge.c).
 */
#include "runtime/solve/dae_plan.h"

#include "base/map.h"

#include <string.h>

typedef struct Tearing {
    Sim *sim;
    DaePlan *plan;
    uint32_t *seen; /* [vars]: == walk */
    uint32_t walk;
    VEC(uint32_t) stack;
} Tearing;

static DaeEquation *equation(const Tearing *t, uint32_t number)
{
    return &t->plan->equations.at[number - 1];
}

static DaeVar *var_at(const Tearing *t, uint32_t v)
{
    return &t->plan->vars.at[v];
}

static bool is_free(const DaeVar *var)
{
    return var->role == DAE_STATE &&
           !var->by; /* roles are chosen later: so far all unknowns have this one */
}

/* ---- what depends on what ---- */

static void push_uses(Tearing *t, const DaeEquation *e)
{
    for (uint32_t i = 0; i < e->n_uses; i++) {
        uint32_t v = e->uses[i];
        if (!v || t->seen[v] == t->walk || v == e->target)
            continue;
        t->seen[v] = t->walk;
        if (var_at(t, v)->by)
            vec_push(t->sim->mem, &t->stack, v);
    }
}

/* All that the value of an equation depends on is `seen`; true: its target is among it. */
static bool depends_on_itself(Tearing *t, const DaeEquation *e)
{
    t->walk++;
    vec_clear(&t->stack);
    push_uses(t, e);
    while (t->stack.n) {
        const DaeEquation *next = equation(t, var_at(t, vec_pop(&t->stack))->by);
        for (uint32_t i = 0; i < next->n_uses; i++)
            if (next->uses[i] == e->target)
                return true;
        push_uses(t, next);
    }
    return false;
}

/* ---- solving a chain ---- */

static uint32_t position_of(const DaeEquation *e, uint32_t v)
{
    uint32_t at = e->n;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->vars[i] == v)
            at = at == e->n ? i : e->n + 1; /* twice: not to be solved for */
    return at;
}

/* Is the factor made of parameters alone? */
static bool is_factor_known(const Tearing *t, const DaeEquation *e, X factor)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (x_uses(t->sim->forms, factor, i) && (!e->vars[i] || !var_at(t, e->vars[i])->known))
            return false;
    return true;
}

static X solved_for(const Tearing *t, const DaeEquation *e, uint32_t v)
{
    uint32_t at = position_of(e, v);
    if (at >= e->n)
        return 0;
    const FormPosition *p = &form_info(t->sim->forms, e->form)->position[at];
    bool safe = p->solvable == SOLVE_SAFE ||
                (p->solvable == SOLVE_RISKY && p->factor && is_factor_known(t, e, p->factor));
    return safe ? p->solved : 0;
}

static void solve_for(Tearing *t, uint32_t number, uint32_t v, X value, uint32_t n, uint32_t *uses)
{
    DaeEquation *e = equation(t, number);
    e->target = v;
    e->value = value;
    e->n_uses = n;
    e->uses = uses;
    var_at(t, v)->by = number;
}

/* From this equation up. */
static void give_up(Tearing *t, uint32_t number)
{
    for (; number; number = equation(t, number)->above) {
        DaeEquation *e = equation(t, number);
        if (e->target)
            var_at(t, e->target)->by = 0;
        e->target = e->n_uses = 0;
    }
}

static bool is_sound(Tearing *t, uint32_t number)
{
    for (; number; number = equation(t, number)->above)
        if (depends_on_itself(t, equation(t, number)))
            return false;
    return true;
}

/* The positions of v stay among the uses of its value: walks pass them over. */
static bool solve_chain(Tearing *t, uint32_t first, uint32_t v)
{
    uint32_t number = first;
    if (var_at(t, v)->height != equation(t, first)->height)
        return false;
    for (; number; number = equation(t, number)->above, v = var_at(t, v)->up) {
        DaeEquation *e = equation(t, number);
        X value = v && is_free(var_at(t, v)) ? solved_for(t, e, v) : 0;
        if (!value)
            break;
        solve_for(t, number, v, value, e->n, e->vars);
    }
    bool fine = !number && is_sound(t, first);
    if (!fine)
        give_up(t, first);
    return fine;
}

/* ---- linear with what is computed put into it ---- */

enum { MOST_PUT = 40 };

typedef struct Putting {
    Tearing *t;
    uint32_t v;   /* all that depends on it is put in */
    Map value_of; /* variable -> its value over these positions */
    VEC(uint32_t) vars;
    uint32_t n_put;
} Putting;

static X put_var(Putting *p, uint32_t v);

static X put_in(Putting *p, X x, uint32_t n, const uint32_t *uses, uint32_t not )
{
    Tearing *t = p->t;
    X *by = mem_alloc(t->sim->mem, (n + 1) * sizeof *by);
    for (uint32_t i = 0; i < n; i++)
        by[i] = uses[i] == not || !uses[i] ? x_const(t->sim->forms, 0) : put_var(p, uses[i]);
    x = x_put(t->sim->forms, x, by);
    mem_free(t->sim->mem, by);
    return x;
}

static bool leads_to(Putting *p, uint32_t v)
{
    const DaeVar *var = var_at(p->t, v);
    if (!var->by || p->n_put >= MOST_PUT)
        return false;
    depends_on_itself(p->t, equation(p->t, var->by));
    return p->t->seen[p->v] == p->t->walk;
}

/* Deeper than MOST_PUT it does not go. */
static X put_var(Putting *p, uint32_t v)
{
    Tearing *t = p->t;
    uint32_t known = map_get(&p->value_of, v);
    if (known)
        return known;
    X value;
    if (v != p->v && leads_to(p, v)) {
        const DaeEquation *e = equation(t, var_at(t, v)->by);
        p->n_put++;
        value = put_in(p, e->value, e->n_uses, e->uses, v);
    } else {
        vec_push(t->sim->mem, &p->vars, v);
        value = x_pos(t->sim->forms, p->vars.n - 1);
    }
    map_put(t->sim->mem, &p->value_of, v, value);
    return value;
}

/* false: not linear, or its factor is no number, or it still depends on itself. */
static bool solve_put(Tearing *t, uint32_t number, uint32_t v)
{
    FormTable *forms = t->sim->forms;
    DaeEquation *e = equation(t, number);
    const FormInfo *info = form_info(forms, e->form);
    Putting p = {.t = t, .v = v};
    put_var(&p, v);
    X left = put_in(&p, x_binary(forms, X_SUB, info->lhs, info->rhs), e->n, e->vars, 0);
    Form form = form_make(forms, left, x_const(forms, 0), p.vars.n);
    const FormPosition *at = &form_info(forms, form)->position[0];
    bool fine = at->solvable == SOLVE_SAFE && at->solved;
    if (fine) {
        uint32_t *uses = arena_alloc(&t->plan->arena, (p.vars.n + 1) * sizeof *uses);
        memcpy(uses, p.vars.at, p.vars.n * sizeof *uses);
        solve_for(t, number, v, at->solved, p.vars.n, uses);
    }
    map_free(t->sim->mem, &p.value_of);
    vec_free(t->sim->mem, &p.vars);
    return fine;
}

static bool solve_chain_put(Tearing *t, uint32_t first, uint32_t v)
{
    uint32_t number = first;
    if (var_at(t, v)->height != equation(t, first)->height)
        return false;
    for (; number; number = equation(t, number)->above, v = var_at(t, v)->up)
        if (!v || !is_free(var_at(t, v)) || !solve_put(t, number, v))
            break;
    bool fine = !number && is_sound(t, first);
    if (!fine)
        give_up(t, first);
    return fine;
}

/* ---- which first ---- */

typedef bool (*Solve)(Tearing *t, uint32_t number, uint32_t v);

enum { RANKS = 3 };

/* Highest derivatives rather stay slopes of the integrator, and states of the graph its unknowns. */
static uint32_t rank_of(const Tearing *t, uint32_t v)
{
    const DaeVar *var = var_at(t, v);
    return var->state ? 2 : var->down && !var->height ? 1 : 0;
}

static bool solve_any(Tearing *t, uint32_t number, Solve solve)
{
    const DaeEquation *e = equation(t, number);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < e->n; i++) {
            uint32_t v = e->vars[i];
            if (v && rank_of(t, v) == rank && solve(t, number, v))
                return true;
        }
    return false;
}

static bool is_left(const Tearing *t, uint32_t number)
{
    return !equation(t, number)->below && !equation(t, number)->target;
}

/* `a = ...`: for a, as the modeller thought of it; states of the graph stay unknowns. */
static void solve_as_written(Tearing *t, uint32_t number)
{
    const DaeEquation *e = equation(t, number);
    XNode left = x_node(t->sim->forms, form_info(t->sim->forms, e->form)->lhs);
    uint32_t v = left.op == X_POS ? e->vars[left.a] : 0;
    if (v && !var_at(t, v)->state)
        solve_chain(t, number, v);
}

static void solve_as_graph(Tearing *t, uint32_t number)
{
    uint32_t wish = equation(t, number)->wish;
    if (!wish || !solve_chain(t, number, wish))
        solve_any(t, number, solve_chain);
}

/* ---- the order ---- */

/* Whoever is used comes first: each is looked at twice, the second time all it uses is there. */
static void put_in_order(Tearing *t)
{
    DaePlan *plan = t->plan;
    bool *done = mem_alloc(t->sim->mem, plan->vars.n);
    t->walk++;
    for (uint32_t v = 1; v < plan->vars.n; v++) {
        if (var_at(t, v)->by)
            vec_push(t->sim->mem, &t->stack, v);
        while (t->stack.n) {
            uint32_t at = vec_last(&t->stack);
            bool first = t->seen[at] != t->walk;
            t->seen[at] = t->walk;
            const DaeEquation *e = equation(t, var_at(t, at)->by);
            for (uint32_t i = 0; first && i < e->n_uses; i++)
                if (e->uses[i] && var_at(t, e->uses[i])->by && t->seen[e->uses[i]] != t->walk)
                    vec_push(t->sim->mem, &t->stack, e->uses[i]);
            if (first)
                continue;
            t->stack.n--;
            if (!done[at])
                vec_push(t->sim->mem, &plan->order, at);
            done[at] = true;
        }
    }
    mem_free(t->sim->mem, done);
}

static void solve_put_in(Tearing *t, uint32_t number)
{
    solve_any(t, number, solve_chain_put);
}

/* Of constraints, or of what is not differentiated, those that are left. */
static void solve_each(Tearing *t, bool constraints, void (*solve)(Tearing *t, uint32_t number))
{
    for (uint32_t i = 1; i <= t->plan->equations.n; i++)
        if (is_left(t, i) && (equation(t, i)->height > 0) == constraints)
            solve(t, i);
}

void dae_tear(Sim *sim, DaePlan *plan, bool partial)
{
    Tearing t = {.sim = sim, .plan = plan};
    t.seen = mem_alloc(sim->mem, plan->vars.n * sizeof *t.seen);
    for (uint32_t constraints = 2; partial && constraints-- > 0;) {
        solve_each(&t, constraints, solve_as_written);
        solve_each(&t, constraints, solve_as_graph);
        if (constraints)
            solve_each(&t, true, solve_put_in);
    }
    vec_clear(&t.stack);
    put_in_order(&t);
    vec_free(sim->mem, &t.stack);
    mem_free(sim->mem, t.seen);
}
