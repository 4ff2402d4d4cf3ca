/* impulse_system.c: the relations around variables that jump -> what an impulse can pass through. See impulse_system.h.
 *
 * Gathering goes along relations, from derivatives over variables that have none, and ends at those that have: they are
 * finite. So the resistors of a circuit are walked through up to the capacitors, and no further. Variables that
 * constraints compute from states lead to these states.
 *
 * Most of what was gathered has no impulse. A relation with one variable that may have one makes it finite; so does any function
 * that is not linear (a diode's exponential: infinite voltages have no meaning there). A relation that only computes a
 * variable of its own, like a power that is shown, is not needed.
 */
#include "runtime/event/impulse_system.h"

enum { LARGEST = 4000 }; /* relations */

void impulse_system_open(ImpulseSystem *s, Sim *sim)
{
    *s = (ImpulseSystem){.sim = sim};
}

void impulse_system_look(ImpulseSystem *s, uint32_t n)
{
    const Sim *sim = s->sim;
    for (; s->looked < n; s->looked++)
        if (!map_get(&s->before, sim->update.befores.at[s->looked].var))
            map_put(sim->mem, &s->before, sim->update.befores.at[s->looked].var, s->looked + 1);
}

static bool is_restarted(const Sim *sim, DdpVar var)
{
    for (uint32_t i = 0; i < sim->update.restarted.n; i++)
        if (sim->update.restarted.at[i] == var)
            return true;
    return false;
}

void impulse_system_close(ImpulseSystem *s)
{
    Mem *mem = s->sim->mem;
    vec_free(mem, &s->var);
    vec_free(mem, &s->jump);
    vec_free(mem, &s->term);
    vec_free(mem, &s->row);
    vec_free(mem, &s->nodes);
    map_free(mem, &s->var_at);
    map_free(mem, &s->jump_at);
    map_free(mem, &s->row_at);
    map_free(mem, &s->before);
}

double impulse_system_before(const ImpulseSystem *s, DdpVar var)
{
    uint32_t jump = map_get(&s->jump_at, var), at = map_get(&s->before, var);
    if (jump)
        return s->jump.at[jump - 1].before;
    if (at && !is_restarted(s->sim, var))
        return s->sim->update.befores.at[at - 1].value;
    evaluate_fetch(s->sim, var, EVAL_EVENT | EVAL_TRIAL); /* its part may not be here yet */
    return s->sim->value[var];
}

/* ---- gathering ---- */

/* The derivative relation of the text that names `var` at `position`, from *cursor on; 0: no more. */
static DdpRel next_derivative(const Sim *sim, DdpVar var, uint32_t position, uint32_t *cursor)
{
    for (DdpRel rel; (rel = ddp_next_use(sim->ddp, var, cursor));) {
        DdpRelView view = ddp_rel(sim->ddp, rel);
        if (view.kind == DDP_DERIVATIVE && view.order == 0 && view.vars[position] == var)
            return rel;
    }
    return 0;
}

bool impulse_has_derivative(const Sim *sim, DdpVar var)
{
    uint32_t cursor = 0;
    return ddp_var_rank(sim->ddp, var) && next_derivative(sim, var, 1, &cursor);
}

bool impulse_system_add(ImpulseSystem *s, DdpVar var)
{
    Sim *sim = s->sim;
    if (map_get(&s->jump_at, var) || !impulse_has_derivative(sim, var))
        return map_get(&s->jump_at, var) != 0;
    vec_push(sim->mem, &s->jump,
             ((ImpulseJump){.var = var,
                            .before = impulse_system_before(s, var),
                            .born = sim->info[var].birth > sim->update.births_before}));
    map_put(sim->mem, &s->jump_at, var, s->jump.n);
    return true;
}

static uint32_t add_var(ImpulseSystem *s, DdpVar var)
{
    uint32_t at = map_get(&s->var_at, var);
    if (at)
        return at - 1;
    vec_push(s->sim->mem, &s->var, ((ImpulseVar){.var = var}));
    map_put(s->sim->mem, &s->var_at, var, s->var.n);
    return s->var.n - 1;
}

/* States that `var` follows from, and the nodes on the way. */
static void trace_back(ImpulseSystem *s, DdpVar var)
{
    Sim *sim = s->sim;
    uint32_t from = s->nodes.n;
    if (sim->info[var].node && sim->nodes.at[sim->info[var].node].mark != sim->mark) {
        sim->nodes.at[sim->info[var].node].mark = sim->mark;
        vec_push(sim->mem, &s->nodes, sim->info[var].node);
    }
    for (uint32_t i = from; i < s->nodes.n && s->nodes.n < LARGEST; i++) {
        const EvalNode *node = &sim->nodes.at[s->nodes.at[i]];
        for (uint32_t k = 0; k < node->n_reads; k++) {
            const ValueInfo *info = &sim->info[node->reads[k].var];
            if (info->state)
                impulse_system_add(s, node->reads[k].var);
            if (info->state || !info->node || !sim->nodes.at[info->node].varies ||
                sim->nodes.at[info->node].mark == sim->mark)
                continue;
            sim->nodes.at[info->node].mark = sim->mark;
            vec_push(sim->mem, &s->nodes, info->node);
        }
    }
}

static void gather_jump(ImpulseSystem *s, uint32_t i)
{
    DdpVar var = s->jump.at[i].var;
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = next_derivative(s->sim, var, 1, &cursor));) {
        uint32_t slope = add_var(s, ddp_rel(s->sim->ddp, rel).vars[0]);
        s->var.at[slope].of = i + 1;
    }
    if (!s->sim->info[var].state)
        trace_back(s, var);
}

static void add_term(ImpulseSystem *s, DdpVar var, X difference, uint32_t position)
{
    X factor, rest;
    bool linear = x_linear(s->sim->forms, difference, position, &factor, &rest);
    uint32_t at = add_var(s, var);
    s->var.at[at].uses++;
    vec_push(s->sim->mem, &s->term, ((ImpulseTerm){at, linear ? factor : 0}));
}

static void add_row(ImpulseSystem *s, DdpRel rel)
{
    Sim *sim = s->sim;
    DdpRelView view = ddp_rel(sim->ddp, rel);
    if (view.kind == DDP_DERIVATIVE || view.order || map_get(&s->row_at, rel))
        return;
    const FormInfo *form = form_info(sim->forms, view.form);
    X difference = x_binary(sim->forms, X_SUB, form->lhs, form->rhs);
    ImpulseRow row = {.rel = rel, .first = s->term.n};
    for (uint32_t k = 0; k < view.n; k++)
        if (view.vars[k] && form->position[k].steers &&
            ddp_var(sim->ddp, view.vars[k]).kind == DDP_UNKNOWN &&
            !impulse_has_derivative(sim, view.vars[k]))
            add_term(s, view.vars[k], difference, k);
    row.n = s->term.n - row.first;
    vec_push(sim->mem, &s->row, row);
    map_put(sim->mem, &s->row_at, rel, s->row.n);
}

/* Of a derivative what it is the derivative of; and the relations that name it. */
static void gather_var(ImpulseSystem *s, uint32_t i)
{
    Sim *sim = s->sim;
    DdpVar var = s->var.at[i].var;
    s->var.at[i].finite = impulse_has_derivative(sim, var);
    uint32_t cursor = 0;
    DdpRel rel = s->var.at[i].of ? 0 : next_derivative(sim, var, 0, &cursor);
    if (rel && impulse_system_add(s, ddp_rel(sim->ddp, rel).vars[1]))
        s->var.at[i].of = map_get(&s->jump_at, ddp_rel(sim->ddp, rel).vars[1]);
    cursor = 0;
    while (!s->var.at[i].finite && (rel = ddp_next_use(sim->ddp, var, &cursor)))
        add_row(s, rel);
}

void impulse_system_gather(ImpulseSystem *s)
{
    uint32_t jump = 0, var = 0;
    s->sim->mark++;
    while ((jump < s->jump.n || var < s->var.n) && s->row.n < LARGEST && s->nodes.n < LARGEST)
        if (jump < s->jump.n)
            gather_jump(s, jump++);
        else
            gather_var(s, var++);
    s->too_large = s->row.n >= LARGEST || s->nodes.n >= LARGEST;
    node_order_sort(s->sim, &s->nodes);
}

/* ---- what has no impulse ---- */

static bool is_active(const ImpulseSystem *s, const ImpulseTerm *term)
{
    return !s->var.at[term->var].finite;
}

/* Does it depend on the value of something that may have an impulse? */
static bool is_multiplied(const ImpulseSystem *s, const ImpulseRow *row, X factor)
{
    DdpRelView view = ddp_rel(s->sim->ddp, row->rel);
    for (uint32_t k = 0; k < view.n; k++) {
        uint32_t at = view.vars[k] ? map_get(&s->var_at, view.vars[k]) : 0;
        if (at && !s->var.at[at - 1].finite && x_uses(s->sim->forms, factor, k))
            return true;
    }
    return false;
}

/* A factor that is other than 0, whatever moves. */
static bool is_safe(const ImpulseSystem *s, const ImpulseRow *row, X factor)
{
    const Sim *sim = s->sim;
    DdpRelView view = ddp_rel(sim->ddp, row->rel);
    for (uint32_t k = 0; factor && k < view.n; k++)
        if (view.vars[k] && x_uses(sim->forms, factor, k) && ddp_var(sim->ddp, view.vars[k]).varies)
            return false;
    return factor &&
           x_value(sim->forms, factor, view.vars, sim->value, evaluate_foreign, s->sim) != 0;
}

static void finish_row(ImpulseSystem *s, ImpulseRow *row)
{
    row->done = true;
    for (uint32_t i = 0; i < row->n; i++)
        s->var.at[s->term.at[row->first + i].var].uses--;
}

/* Only computes something that no other relation names, and not from a derivative: what gives that is told. */
static bool is_output(const ImpulseSystem *s, const ImpulseRow *row)
{
    bool output = false;
    for (uint32_t i = 0; i < row->n; i++) {
        const ImpulseTerm *term = &s->term.at[row->first + i];
        const ImpulseVar *var = &s->var.at[term->var];
        if (!var->finite && var->of)
            return false;
        output |= !var->finite && var->uses == 1 && is_safe(s, row, term->factor);
    }
    return output;
}

static bool peel_row(ImpulseSystem *s, ImpulseRow *row)
{
    const ImpulseTerm *only = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < row->n; i++)
        if (is_active(s, &s->term.at[row->first + i])) {
            only = &s->term.at[row->first + i];
            n++;
        }
    if (n == 1 && is_safe(s, row, only->factor))
        s->var.at[only->var].finite = true;
    else if (n && !is_output(s, row))
        return false;
    finish_row(s, row);
    return true;
}

/* One that a function which is not linear keeps finite. */
static bool peel_nonlinear(ImpulseSystem *s)
{
    for (uint32_t r = 0; r < s->row.n; r++)
        for (uint32_t i = 0; !s->row.at[r].done && i < s->row.at[r].n; i++) {
            const ImpulseTerm *term = &s->term.at[s->row.at[r].first + i];
            if (term->factor || !is_active(s, term))
                continue;
            s->var.at[term->var].finite = true;
            return true;
        }
    return false;
}

bool impulse_system_peel(ImpulseSystem *s)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t r = 0; r < s->row.n; r++)
            more |= !s->row.at[r].done && peel_row(s, &s->row.at[r]);
        more = more || peel_nonlinear(s);
    }
    for (uint32_t i = 0; i < s->var.n; i++)
        if (s->var.at[i].of && s->var.at[i].finite)
            s->jump.at[s->var.at[i].of - 1].steady = true;
    for (uint32_t r = 0; r < s->row.n; r++)
        for (uint32_t i = 0; !s->row.at[r].done && i < s->row.at[r].n; i++) {
            const ImpulseTerm *term = &s->term.at[s->row.at[r].first + i];
            if (is_active(s, term) && is_multiplied(s, &s->row.at[r], term->factor))
                return false;
        }
    return true;
}
