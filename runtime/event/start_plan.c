/* start_plan.c: initial conditions and the equations that they hang on -> a DDP of their own -> blocks in order. See start_plan.h. */
#include "runtime/event/start_plan.h"

#include "runtime/eval/trace.h"

#include <assert.h>
#include <string.h>

/* An equation of the plan, over places. */
typedef struct Equation {
    Form form;
    uint32_t n;
    uint32_t *vars;
    DdpRel rel;     /* of the model */
    uint32_t found; /* variable that it is matched with; 0: none */
} Equation;

typedef struct Making {
    const Starts *s;
    Sim *sim;
    StartPlan *plan;
    Map moves, needed; /* variables of the model that depend on columns; that rows need of these */
    NodeList nodes;    /* of the model, in order; then those that are needed, the last one first */
    VEC(FreeEquation) made; /* of parameters that move, as far as they are needed */
    VEC(DdpVar) of;
    VEC(bool) unknown;
    VEC(Equation) equations;
    VEC(uint32_t) match; /* of a variable: index of its equation + 1 */
    VEC(uint32_t) seen;  /* of an equation: the search that came to it; SEARCHED: one that failed */
    VEC(uint32_t) from, queue;
    uint32_t search;
    bool columns_too; /* may they be matched? */
    bool lacks;       /* something that is given has no value */
    VEC(DdpRel) rel_of;
} Making;

enum { SEARCHED = UINT32_MAX };

/* ---- what conditions hang on ---- */

static void note(Making *m, Map *map, DdpVar var)
{
    if (var)
        map_put(m->sim->mem, map, var, 1);
}

static uint32_t size_of(const EvalNode *node)
{
    return node->n_steps + node->n_tears;
}

static bool any_moves(const Making *m, uint32_t n, const DdpVar *vars)
{
    for (uint32_t k = 0; k < n; k++)
        if (vars[k] && map_get(&m->moves, vars[k]))
            return true;
    return false;
}

static bool reads_moved(const Making *m, const EvalNode *node)
{
    bool any = false;
    for (uint32_t i = 0; i < size_of(node) && !any; i++) {
        DdpRelView rel = ddp_rel(m->sim->ddp, node->ops[i].rel);
        any = any_moves(m, rel.n, rel.vars);
    }
    return any;
}

static void note_if_moved(Making *m, DdpNode n)
{
    const EvalNode *node = &m->sim->nodes.at[n];
    if (!node->live || !reads_moved(m, node))
        return;
    vec_push(m->sim->mem, &m->nodes, n);
    for (uint32_t i = 0; i < size_of(node); i++)
        note(m, &m->moves, node_output(node, i));
}

/* False: something is known by value only. */
static bool note_made(Making *m)
{
    FreeEquation made;
    for (uint32_t i = 0; i < world_free_made(m->sim->world); i++) {
        if (!world_free_equation(m->sim->world, &m->plan->arena, i, &made))
            return false;
        if (!made.var || !any_moves(m, made.n, made.vars))
            continue;
        note(m, &m->moves, made.var);
        vec_push(m->sim->mem, &m->made, made);
    }
    return true;
}

/* Forward from the columns, in the order of the schedule. */
static bool find_moved(Making *m)
{
    const Starts *s = m->s;
    for (uint32_t c = 0; c < s->n_columns; c++)
        note(m, &m->moves, s->column[c]);
    if (!note_made(m))
        return false;
    for (uint32_t i = 0; i < s->pattern.n_nodes && !s->n_params; i++)
        note_if_moved(m, s->pattern.node[i]);
    for (DdpNode n = s->n_params ? ddp_first(m->sim->ddp) : 0; n; n = ddp_next(m->sim->ddp, n))
        note_if_moved(m, n);
    return true;
}

static void need_all(Making *m, uint32_t n, const DdpVar *vars)
{
    for (uint32_t k = 0; k < n; k++)
        if (vars[k] && map_get(&m->moves, vars[k]))
            note(m, &m->needed, vars[k]);
}

static bool makes_needed(const Making *m, const EvalNode *node)
{
    for (uint32_t i = 0; i < size_of(node); i++)
        if (map_get(&m->needed, node_output(node, i)))
            return true;
    return false;
}

static void need_made(Making *m)
{
    uint32_t left = m->made.n;
    for (uint32_t i = m->made.n; i-- > 0;) {
        FreeEquation made = m->made.at[i];
        if (!map_get(&m->needed, made.var))
            continue;
        need_all(m, made.n, made.vars);
        m->made.at[--left] = made;
    }
    if (left)
        memmove(m->made.at, m->made.at + left, (m->made.n - left) * sizeof *m->made.at);
    m->made.n -= left;
}

/* Back from the rows. */
static bool find_needed(Making *m)
{
    const Starts *s = m->s;
    DdpCombination entered = {0};
    for (uint32_t r = 0; r < s->n_rows; r++) {
        if (s->row[r].start) {
            need_all(m, 1, &s->row[r].var);
            need_all(m, 1, &s->row[r].start->start);
        } else {
            if (!ddp_combination(m->sim->ddp, s->row[r].rel, &entered))
                return false;
            need_all(m, entered.n, entered.vars);
        }
    }
    uint32_t left = m->nodes.n;
    for (uint32_t i = m->nodes.n; i-- > 0;) {
        const EvalNode *node = &m->sim->nodes.at[m->nodes.at[i]];
        if (!makes_needed(m, node))
            continue;
        if (!node->determined)
            return false;
        m->nodes.at[--left] = m->nodes.at[i];
        for (uint32_t k = 0; k < size_of(node); k++) {
            DdpRelView rel = ddp_rel(m->sim->ddp, node->ops[k].rel);
            need_all(m, rel.n, rel.vars);
            note(m, &m->needed, node_output(node, k));
        }
    }
    if (left)
        memmove(m->nodes.at, m->nodes.at + left, (m->nodes.n - left) * sizeof *m->nodes.at);
    m->nodes.n -= left;
    need_made(m);
    return true;
}

/* ---- variables and equations ---- */

static uint32_t new_place(Making *m, DdpVar of, bool unknown)
{
    Mem *mem = m->sim->mem;
    vec_push(mem, &m->of, of);
    vec_push(mem, &m->unknown, unknown);
    vec_push(mem, &m->match, 0);
    vec_push(mem, &m->from, 0);
    if (of)
        map_put(mem, &m->plan->place_of, of, m->of.n - 1);
    return m->of.n - 1;
}

/* What is given must have a value. */
static uint32_t place_of(Making *m, DdpVar var)
{
    uint32_t place = var ? map_get(&m->plan->place_of, var) : 0;
    if (place || !var)
        return place;
    bool fine = evaluate_fetch(m->sim, var, EVAL_EVENT | EVAL_TRIAL) == SOL_OK;
    m->lacks |= !fine || m->sim->info[var].pending || !m->sim->info[var].has;
    return new_place(m, var, false);
}

/* Where rows are too few, those columns that were chosen for them. */
static bool may_move(const Starts *s, uint32_t column)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (s->chosen_column[k] == column)
            return true;
    return s->n == 0 || s->n_rows >= s->n_columns;
}

static void add_places(Making *m)
{
    const Starts *s = m->s;
    new_place(m, 0, false);
    for (uint32_t c = 0; c < s->n_columns; c++)
        new_place(m, s->column[c], may_move(s, c));
    for (uint32_t i = 0; i < m->made.n; i++)
        new_place(m, m->made.at[i].var, true);
    for (uint32_t i = 0; i < m->nodes.n; i++) {
        const EvalNode *node = &m->sim->nodes.at[m->nodes.at[i]];
        for (uint32_t k = 0; k < size_of(node); k++)
            new_place(m, node_output(node, k), true);
    }
}

/* Positions that stand for one variable become one. */
static Equation equation_of(Making *m, DdpRel rel, Form form, uint32_t n, const DdpVar *vars)
{
    Equation e = {.form = form, .rel = rel};
    e.vars = arena_alloc(&m->plan->arena, 2 * (n + 1) * sizeof *e.vars);
    uint32_t *map = e.vars + n + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = place_of(m, vars[i]);
        map[i] = 0;
        while (map[i] < e.n && !(place && e.vars[map[i]] == place))
            map[i]++;
        e.vars[map[i]] = place;
        e.n += map[i] == e.n;
    }
    if (e.n < n)
        e.form = form_rename(m->sim->forms, form, map, e.n);
    return e;
}

static bool may_determine(const Making *m, const Equation *e, uint32_t k)
{
    const FormPosition *position = &form_info(m->sim->forms, e->form)->position[k];
    return e->vars[k] && m->unknown.at[e->vars[k]] && position->occurs && position->steers;
}

/* ---- which of them determine something: a matching ---- */

static bool is_free(const Making *m, uint32_t var)
{
    return !m->match.at[var] && (m->columns_too || var > m->s->n_columns);
}

/* From the variable back to where the search began, each equation takes the variable that led to it. */
static void turn_path(Making *m, uint32_t var)
{
    while (var) {
        uint32_t equation = m->from.at[var], before = m->equations.at[equation].found;
        m->match.at[var] = equation + 1;
        m->equations.at[equation].found = var;
        var = before;
    }
}

/* A variable that is free is taken at once; else all go on to the equations that they are matched with. */
static bool look_from(Making *m, uint32_t equation)
{
    const Equation *e = &m->equations.at[equation];
    for (uint32_t k = 0; k < e->n; k++)
        if (may_determine(m, e, k) && is_free(m, e->vars[k])) {
            m->from.at[e->vars[k]] = equation;
            turn_path(m, e->vars[k]);
            return true;
        }
    for (uint32_t k = 0; k < e->n; k++) {
        uint32_t next = may_determine(m, e, k) ? m->match.at[e->vars[k]] : 0;
        if (!next || m->seen.at[next - 1] == m->search || m->seen.at[next - 1] == SEARCHED)
            continue;
        m->seen.at[next - 1] = m->search;
        m->from.at[e->vars[k]] = equation;
        vec_push(m->sim->mem, &m->queue, next - 1);
    }
    return false;
}

/* What a search that failed came to leads nowhere later either. */
static bool match(Making *m, uint32_t equation)
{
    m->search++;
    vec_clear(&m->queue);
    vec_push(m->sim->mem, &m->queue, equation);
    m->seen.at[equation] = m->search;
    for (uint32_t i = 0; i < m->queue.n; i++)
        if (look_from(m, m->queue.at[i]))
            return true;
    for (uint32_t i = 0; i < m->queue.n; i++)
        m->seen.at[m->queue.at[i]] = SEARCHED;
    return false;
}

/* False: it says nothing new, as far as the structure tells. */
static bool take(Making *m, Equation e)
{
    vec_push(m->sim->mem, &m->equations, e);
    vec_push(m->sim->mem, &m->seen, 0);
    if (match(m, m->equations.n - 1))
        return true;
    m->equations.n--;
    m->seen.n--;
    return false;
}

/* ---- the equations ---- */

static bool add_made(Making *m)
{
    FormTable *forms = m->sim->forms;
    for (uint32_t i = 0; i < m->made.n; i++) {
        const FreeEquation *made = &m->made.at[i];
        uint32_t n = made->n;
        DdpVar *vars = arena_alloc(&m->plan->arena, (n + 1) * sizeof *vars);
        memcpy(vars, made->vars, n * sizeof *vars);
        vars[n] = made->var;
        Form form = form_make(forms, x_pos(forms, n), made->x, n + 1);
        if (!take(m, equation_of(m, 0, form, n + 1, vars)))
            return false;
    }
    return true;
}

static bool add_nodes(Making *m)
{
    for (uint32_t i = 0; i < m->nodes.n; i++) {
        const EvalNode *node = &m->sim->nodes.at[m->nodes.at[i]];
        for (uint32_t k = 0; k < size_of(node); k++) {
            DdpRelView rel = ddp_rel(m->sim->ddp, node->ops[k].rel);
            if (!take(m, equation_of(m, node->ops[k].rel, rel.form, rel.n, rel.vars)))
                return false;
        }
    }
    return true;
}

static Equation start_equation(Making *m, const StartMemo *start)
{
    FormTable *forms = m->sim->forms;
    DdpVar vars[] = {start->var, start->start};
    return equation_of(m, 0, form_make(forms, x_pos(forms, 0), x_pos(forms, 1), 2), 2, vars);
}

/* All conditions, and start values as far as they are not determined by what came before. */
static bool add_rows(Making *m)
{
    const Starts *s = m->s;
    uint32_t taken = 0;
    m->columns_too = true;
    for (uint32_t r = 0; r < s->n_rows; r++) {
        DdpCombination entered = {0};
        if (s->row[r].start) {
            taken += take(m, start_equation(m, s->row[r].start));
            continue;
        }
        ddp_combination(m->sim->ddp, s->row[r].rel, &entered);
        if (!take(m, equation_of(m, s->row[r].rel, entered.form, entered.n, entered.vars)))
            return false;
        taken++;
    }
    m->plan->all_rows = taken == s->n_rows && taken == s->n_columns;
    return true;
}

/* ---- the DDP ---- */

/* What is given has its value now: it may be a divisor where that is not 0. */
static DdpVarKind kind_of(const Making *m, uint32_t place)
{
    double value = m->sim->value[m->of.at[place]];
    return m->match.at[place] ? DDP_UNKNOWN : value != 0 && value == value ? DDP_KNOWN : DDP_HELD;
}

/* Of states the first guesses are the modeller's: loops are torn in them where that will do. */
static Ddp *enter(Making *m)
{
    Ddp *ddp = ddp_open(m->sim->mem, m->sim->forms);
    for (uint32_t place = 1; place < m->of.n; place++) {
        DdpVar var = ddp_enter_var(ddp, kind_of(m, place));
        assert(var == place);
        if (place <= m->s->n_columns || ddp_tearing_hinted(m->sim->ddp, m->of.at[place]))
            ddp_hint_tearing(ddp, var, 1);
    }
    for (uint32_t i = 0; i < m->equations.n; i++) {
        const Equation *e = &m->equations.at[i];
        DdpRel rel = ddp_enter_rel(ddp, DDP_EQUATION, e->form, e->n, e->vars, 0, 0);
        while (m->rel_of.n <= rel)
            vec_push(m->sim->mem, &m->rel_of, 0);
        m->rel_of.at[rel] = e->rel;
    }
    return ddp;
}

static X residual_of(const Making *m, DdpRelView rel)
{
    const FormInfo *info = form_info(m->sim->forms, rel.form);
    return x_binary(m->sim->forms, X_SUB, info->lhs, info->rhs);
}

/* `value` 0: a residual. */
static void add_op(Making *m, const Ddp *ddp, DdpRel rel, uint32_t target, X value)
{
    DdpRelView view = ddp_rel(ddp, rel);
    PlanOp op = {.target = target, .residual = residual_of(m, view), .rel = m->rel_of.at[rel]};
    uint32_t *vars = arena_alloc(&m->plan->arena, (view.n + 1) * sizeof *vars);
    if (view.n)
        memcpy(vars, view.vars, view.n * sizeof *vars);
    op.vars = vars;
    op.value = value ? value : op.residual;
    op.code = evaluate_make_code(m->sim, op.value);
    vec_push(m->sim->mem, &m->plan->ops, op);
}

/* A single loop of several unknowns is what who asked solves by all ways, unless the model has loops of its own. */
static void find_loops(Making *m)
{
    StartPlan *plan = m->plan;
    uint32_t loops = 0, most = 0;
    for (uint32_t i = 0; i < plan->blocks.n; i++) {
        loops += plan->blocks.at[i].n > 0;
        most = plan->blocks.at[i].n > most ? plan->blocks.at[i].n : most;
    }
    for (uint32_t i = 0; i < m->nodes.n; i++) {
        const EvalNode *node = &m->sim->nodes.at[m->nodes.at[i]];
        if (node->loop && !node->linear)
            vec_push(m->sim->mem, &plan->loops, m->nodes.at[i]);
    }
    plan->thorough = loops > 1 || most == 1 || plan->loops.n;
}

static void add_block(Making *m, const Ddp *ddp, const DdpNodeView *view)
{
    StartPlan *plan = m->plan;
    PlanBlock block = {.from = plan->ops.n, .n = view->n_tears, .tears = plan->tears.n};
    for (uint32_t i = 0; i < view->n_steps; i++)
        add_op(m, ddp, view->steps[i].rel, view->steps[i].var, view->steps[i].value);
    block.to = plan->ops.n;
    for (uint32_t i = 0; i < view->n_tears; i++) {
        add_op(m, ddp, view->residuals[i].rel, plan->n_vars + i, 0);
        vec_push(m->sim->mem, &plan->tears, view->tears[i]);
    }
    uint32_t size = plan->n_vars + view->n_steps + view->n_tears;
    plan->n_places = plan->n_places < size ? size : plan->n_places;
    vec_push(m->sim->mem, &plan->blocks, block);
}

static bool sort(Making *m)
{
    Ddp *ddp = enter(m);
    bool fine = ddp_commit(ddp, DDP_FINAL).verdict == DDP_DETERMINED;
    m->plan->n_vars = m->plan->n_places = m->of.n;
    for (DdpNode node = fine ? ddp_first(ddp) : 0; node; node = ddp_next(ddp, node)) {
        DdpNodeView view = ddp_node(ddp, node);
        add_block(m, ddp, &view);
    }
    ddp_close(ddp);
    find_loops(m);
    return fine;
}

/* ---- the whole ---- */

static void finish(Making *m)
{
    StartPlan *plan = m->plan;
    plan->of = arena_alloc(&plan->arena, plan->n_vars * sizeof *plan->of);
    plan->guess = arena_alloc(&plan->arena, plan->n_vars * sizeof *plan->guess);
    plan->before = arena_alloc(&plan->arena, plan->n_vars * sizeof *plan->before);
    plan->value = arena_alloc(&plan->arena, plan->n_places * sizeof *plan->value);
    plan->tangent = arena_alloc(&plan->arena, plan->n_places * sizeof *plan->tangent);
    plan->least = arena_alloc(&plan->arena, plan->n_vars * sizeof *plan->least);
    plan->most = arena_alloc(&plan->arena, plan->n_vars * sizeof *plan->most);
    for (uint32_t place = 1; place < plan->n_vars; place++) {
        plan->of[place] = m->of.at[place];
        world_var_bounds(m->sim->world, plan->of[place], &plan->least[place], &plan->most[place]);
    }
}

static void close_making(Making *m)
{
    Mem *mem = m->sim->mem;
    map_free(mem, &m->moves);
    map_free(mem, &m->needed);
    vec_free(mem, &m->nodes);
    vec_free(mem, &m->made);
    vec_free(mem, &m->of);
    vec_free(mem, &m->unknown);
    vec_free(mem, &m->equations);
    vec_free(mem, &m->match);
    vec_free(mem, &m->seen);
    vec_free(mem, &m->from);
    vec_free(mem, &m->queue);
    vec_free(mem, &m->rel_of);
}

static void tell(const StartPlan *plan)
{
    uint32_t loops = 0, most = 0;
    for (uint32_t i = 0; i < plan->blocks.n; i++) {
        uint32_t n = plan->blocks.at[i].n;
        loops += n > 0;
        most = n > most ? n : most;
    }
    trace_line(plan->sim, 'i', plan->sim->time,
               "initial conditions: %u equations of their own, %u loops, at most %u unknowns",
               plan->ops.n, loops, most);
}

StartPlan *start_plan_open(const Starts *s)
{
    Sim *sim = s->sim;
    StartPlan *plan = mem_alloc(sim->mem, sizeof *plan);
    plan->sim = sim;
    arena_init(&plan->arena, sim->mem);
    Making m = {.s = s, .sim = sim, .plan = plan};
    bool fine = find_moved(&m) && find_needed(&m);
    if (fine)
        add_places(&m);
    fine = fine && add_made(&m) && add_nodes(&m) && add_rows(&m) && !m.lacks && sort(&m);
    if (fine)
        finish(&m);
    close_making(&m);
    if (fine) {
        tell(plan);
        return plan;
    }
    start_plan_close(plan);
    return NULL;
}

void start_plan_close(StartPlan *plan)
{
    if (!plan)
        return;
    Mem *mem = plan->sim->mem;
    map_free(mem, &plan->place_of);
    vec_free(mem, &plan->loops);
    vec_free(mem, &plan->ops);
    vec_free(mem, &plan->tears);
    vec_free(mem, &plan->blocks);
    arena_free(&plan->arena);
    mem_free(mem, plan);
}
