/* hold.c: functions that jump inside what a node evaluates -> places that keep their value
 * between events (rule U6).
 *
 * sign, floor, ceil, round and mod, and comparisons that choose a value, are no part of the code of
 * a node. Each of them has a place of its own in the vector of values, and the code reads that: y =
 * x + floor(u) is evaluated as y = x + h. mod(a, b) is a - b*h, where h keeps floor(a/b). So an
 * integrator never sees a jump, whatever engine evaluates for it, and tangents are those of the
 * piece.
 *
 * What stands in the place is found anew where the node is evaluated by change, that is at events,
 * and where a node is evaluated that belongs to no part. In between the function is one of the
 * node's comparisons (event_detect.c): when it has another value than its place, that is an event.
 *
 * Where the argument is linear in the clock, the times of the jumps are computed, and at such a
 * time the function has the value that it has just afterwards.
 */
#include "runtime/eval/hold.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- which of them ---- */

static bool is_stair(XOp op)
{
    return op >= X_FLOOR && op <= X_ROUND;
}

/* Which variables make it vary between events: the clock, and others. */
static bool varies(const Sim *sim, const EvalOp *op, X x, bool *clock, bool *others)
{
    uint32_t n = ddp_rel_size(sim->ddp, op->rel); /* behind these are places that do not vary */
    *clock = *others = false;
    for (uint32_t i = 0; i < n; i++) {
        DdpVar var = op->vars[i];
        if (!var || !ddp_var(sim->ddp, var).varies || !x_uses(sim->forms, x, i))
            continue;
        if (var == sim->clock)
            *clock = true;
        else
            *others = true;
    }
    return *clock || *others;
}

static uint32_t clock_position(const Sim *sim, const EvalOp *op)
{
    uint32_t n = ddp_rel_size(sim->ddp, op->rel);
    for (uint32_t i = 0; i < n; i++)
        if (op->vars[i] == sim->clock)
            return i;
    return 0;
}

/* ---- expressions with places ---- */

/* One operation while its expression is rebuilt. */
typedef struct Holding {
    Sim *sim;
    EvalNode *node;
    uint32_t op;
    uint32_t n;  /* positions so far */
    Map map;     /* expression -> the same with places, if that is another one */
    Map chooses; /* comparisons that choose a value */
    uint32_t n_list;
    X *list; /* the expression and all in it, operands first */
} Holding;

static X with_places(const Holding *h, X x)
{
    X other = map_get(&h->map, x);
    return other ? other : x;
}

static void note_places(Holding *h, X x, X other)
{
    if (other != x)
        map_put(h->sim->mem, &h->map, x, other);
}

static X call_with_places(Holding *h, XNode call)
{
    X few[8], *args = few;
    uint32_t n = 0;
    for (X list = call.b; list; list = x_node(h->sim->forms, list).b)
        n++;
    if (n > 8)
        args = mem_alloc(h->sim->mem, n * sizeof *args);
    uint32_t i = n;
    for (X list = call.b; list; list = x_node(h->sim->forms, list).b)
        args[--i] = with_places(h, x_node(h->sim->forms, list).a);
    X result = x_call(h->sim->forms, call.a, n, args);
    if (args != few)
        mem_free(h->sim->mem, args);
    return result;
}

/* The same node over operands with places. */
static X rebuilt(Holding *h, X x)
{
    FormTable *forms = h->sim->forms;
    XNode node = x_node(forms, x);
    if (node.op == X_CONST || node.op == X_POS || node.op == X_ARG)
        return x;
    if (node.op == X_CALL)
        return call_with_places(h, node);
    X a = with_places(h, node.a), b = with_places(h, node.b), c = with_places(h, node.c);
    if (a == node.a && b == node.b && c == node.c)
        return x;
    if (node.op == X_SELECT)
        return x_select(forms, a, b, c);
    return node.op >= X_ADD ? x_binary(forms, (XOp)node.op, a, b) : x_unary(forms, (XOp)node.op, a);
}

static Compare *new_compare(Holding *h)
{
    EvalNode *node = h->node;
    if ((node->n_compares & (node->n_compares - 1)) == 0) /* 0, 1, 2, 4, ... */
        node->compare =
            mem_resize(h->sim->mem, node->compare,
                       (node->n_compares ? 2 * node->n_compares : 1) * sizeof *node->compare);
    Compare *compare = &node->compare[node->n_compares++];
    *compare = (Compare){.op = h->op};
    return compare;
}

/* What crosses a boundary, with its code; and when, where that can be computed. */
static void find_times(Holding *h, Compare *compare, X linear, bool timed)
{
    Sim *sim = h->sim;
    const EvalOp *op = &h->node->ops[h->op];
    compare->difference_code = evaluate_make_code(sim, compare->difference);
    compare->timed = timed && x_linear(sim->forms, linear, clock_position(sim, op),
                                       &compare->factor, &compare->rest);
    h->node->timed |= compare->timed;
}

/* Its sides, where they are a variable and a variable or a number. */
static void find_sides(const Sim *sim, Compare *compare, XNode self)
{
    XNode a = x_node(sim->forms, self.a), b = x_node(sim->forms, self.b);
    if (a.op != X_POS || (b.op != X_POS && b.op != X_CONST))
        return;
    compare->kind = (uint8_t)self.op;
    compare->first = a.a + 1;
    compare->second = b.op == X_POS ? b.a + 1 : 0;
    compare->constant = b.op == X_CONST ? b.k : 0;
}

static void watch_comparison(Holding *h, X x, bool clock_alone)
{
    Sim *sim = h->sim;
    XNode node = x_node(sim->forms, x);
    Compare *compare = new_compare(h);
    compare->self = x;
    compare->self_code = evaluate_make_code(sim, x);
    compare->difference = x_binary(sim->forms, X_SUB, node.a, node.b);
    find_sides(sim, compare, node);
    find_times(h, compare, compare->difference, clock_alone);
}

static DdpVar new_slot(Sim *sim)
{
    DdpVar var = ddp_enter_var(sim->ddp, DDP_KNOWN);
    values_grow(sim);
    ValueInfo *info = &sim->info[var];
    *info = (ValueInfo){.has = true};
    sim->value[var] = 0;
    return var;
}

/* `self` is kept in a place of its own; its position. */
static X hold(Holding *h, X source, X self, X difference, X unit)
{
    Sim *sim = h->sim;
    EvalNode *node = h->node;
    bool clock, others, unit_clock = false, unit_others = false;
    varies(sim, &node->ops[h->op], self, &clock, &others);
    if (unit)
        varies(sim, &node->ops[h->op], unit, &unit_clock, &unit_others);
    Compare *compare = new_compare(h);
    compare->source = source;
    compare->self = self;
    compare->self_code = evaluate_make_code(sim, self);
    compare->difference = difference;
    compare->unit = unit;
    X linear = unit ? x_node(sim->forms, difference).a : difference;
    find_times(h, compare, linear, clock && !others && !unit_clock);
    compare->slot = new_slot(sim);
    ((uint32_t *)node->ops[h->op].vars)[h->n] = compare->slot;
    node->holds = true;
    return x_pos(sim->forms, h->n++);
}

static X hold_mod(Holding *h, X source, X a, X b)
{
    FormTable *forms = h->sim->forms;
    X ratio = x_binary(forms, X_DIV, a, b);
    X floor = hold(h, source, x_unary(forms, X_FLOOR, ratio), ratio, b);
    return x_binary(forms, X_SUB, a, x_binary(forms, X_MUL, b, floor));
}

/* What stands for a jump in the code of its node. */
static X place_jump(Holding *h, X source, X self)
{
    Sim *sim = h->sim;
    bool clock, others;
    XNode node = x_node(sim->forms, self);
    if (!varies(sim, &h->node->ops[h->op], self, &clock, &others))
        return self; /* it changes at events only */
    if (node.op == X_MOD)
        return hold_mod(h, source, node.a, node.b);
    if (!hold_is_comparison(node.op))
        return hold(h, source, self, node.a, 0);
    if (map_get(&h->chooses, source))
        return hold(h, source, self, x_binary(sim->forms, X_SUB, node.a, node.b), 0);
    watch_comparison(h, self, clock && !others);
    return self;
}

/* How many places the expression may need; notes comparisons that choose. */
static uint32_t count_places(Holding *h)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < h->n_list; k++) {
        XNode node = x_node(h->sim->forms, h->list[k]);
        count += hold_is_jump((XOp)node.op);
        if (node.op == X_SELECT)
            map_put(h->sim->mem, &h->chooses, node.a, 1);
    }
    return count;
}

/* Room that its variables and places take: 0 where nothing jumps. */
static uint32_t look_for_places(Holding *h)
{
    const EvalOp *op = &h->node->ops[h->op];
    h->list = x_nodes(h->sim->forms, h->sim->mem, 1, &op->source, &h->n_list);
    uint32_t count = count_places(h);
    h->n = count ? ddp_rel(h->sim->ddp, op->rel).n : 0;
    return count ? h->n + count : 0;
}

static void make_places(Holding *h, uint32_t **vars)
{
    Sim *sim = h->sim;
    EvalOp *op = &h->node->ops[h->op];
    memcpy(*vars, op->vars, h->n * sizeof **vars);
    op->vars = *vars;
    for (uint32_t k = 0; k < h->n_list; k++) {
        X x = rebuilt(h, h->list[k]);
        if (hold_is_jump((XOp)x_node(sim->forms, h->list[k]).op))
            x = place_jump(h, h->list[k], x);
        note_places(h, h->list[k], x);
    }
    *vars += h->n;
    if (h->map.n)
        evaluate_change_op(sim, op, with_places(h, op->source));
}

/* Which variables of its relations vary, as a number. */
static uint32_t varying(const Sim *sim, const EvalNode *node)
{
    uint64_t sum = 1;
    for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
        const EvalOp *op = &node->ops[i];
        uint32_t n = ddp_rel_size(sim->ddp, op->rel);
        for (uint32_t k = 0; k < n; k++)
            sum = hash_u64(2 * sum + (op->vars[k] && ddp_var(sim->ddp, op->vars[k]).varies));
    }
    return (uint32_t)sum;
}

bool hold_compares_stay(const Sim *sim, const EvalNode *node)
{
    return !node->compares || node->varying == varying(sim, node);
}

static void make_compares(Sim *sim, EvalNode *node)
{
    uint32_t room = 0, n_ops = node->n_steps + node->n_tears;
    Holding one, *h = n_ops == 1 ? &one : mem_alloc(sim->mem, n_ops * sizeof *h);
    for (uint32_t i = 0; i < n_ops; i++) {
        h[i] = (Holding){.sim = sim, .node = node, .op = i};
        room += look_for_places(&h[i]);
    }
    uint32_t *vars = node->place_vars = mem_alloc(sim->mem, room * sizeof *vars);
    for (uint32_t i = 0; i < n_ops; i++) {
        if (h[i].n)
            make_places(&h[i], &vars);
        map_free(sim->mem, &h[i].map);
        map_free(sim->mem, &h[i].chooses);
        mem_free(sim->mem, h[i].list);
    }
    if (h != &one)
        mem_free(sim->mem, h);
    sim->eval.holding += node->holds;
}

/* ---- the same expression again ---- */

/* What was made of an expression where the same of its variables vary: thousands of nodes share one. */
typedef struct ComparePlan {
    X value; /* with places */
    uint32_t n;
    Compare *compare; /* [n]: slots are positions here */
} ComparePlan;

enum { PLAN_VARS = 22, PLAN_PLACE = 5 };

/* Which expression, how many variables, which of them vary, which is the clock; 0: too many. */
static uint64_t plan_key(const Sim *sim, const EvalOp *op, uint32_t n)
{
    if (n > PLAN_VARS)
        return 0;
    uint64_t vary = 0, clock = n;
    for (uint32_t i = 0; i < n; i++) {
        vary = 2 * vary + (op->vars[i] && ddp_var(sim->ddp, op->vars[i]).varies);
        if (op->vars[i] == sim->clock)
            clock = i;
    }
    return (uint64_t)op->source << 32 | vary << 2 * PLAN_PLACE | clock << PLAN_PLACE | n;
}

static void keep_plan(Sim *sim, uint64_t key, const EvalNode *node)
{
    const EvalOp *op = node->ops;
    ComparePlan plan = {op->value, node->n_compares, NULL};
    uint32_t n = ddp_rel_size(sim->ddp, op->rel);
    vec_reserve(sim->mem, &sim->eval.compare_plans, sim->eval.compare_plans.n + 1);
    plan.compare = mem_alloc(sim->mem, plan.n * sizeof *plan.compare);
    memcpy(plan.compare, node->compare, plan.n * sizeof *plan.compare);
    for (uint32_t i = 0; i < plan.n; i++)
        if (plan.compare[i].slot)
            plan.compare[i].slot = n++;
    vec_push(sim->mem, &sim->eval.compare_plans, plan);
    map_put(sim->mem, &sim->eval.compares, key, sim->eval.compare_plans.n);
}

static void follow_plan(Sim *sim, const ComparePlan *plan, EvalNode *node)
{
    EvalOp *op = node->ops;
    uint32_t n = ddp_rel_size(sim->ddp, op->rel);
    uint32_t *vars = node->place_vars = mem_alloc(sim->mem, (n + plan->n) * sizeof *vars);
    node->compare = mem_alloc(sim->mem, plan->n * sizeof *node->compare);
    memcpy(vars, op->vars, n * sizeof *vars);
    memcpy(node->compare, plan->compare, plan->n * sizeof *node->compare);
    op->vars = vars;
    for (node->n_compares = 0; node->n_compares < plan->n; node->n_compares++) {
        Compare *compare = &node->compare[node->n_compares];
        node->timed |= compare->timed;
        if (!compare->slot)
            continue;
        vars[compare->slot] = new_slot(sim);
        compare->slot = vars[compare->slot];
        node->holds = true;
    }
    if (op->value != plan->value)
        evaluate_change_op(sim, op, plan->value);
    sim->eval.holding += node->holds;
}

void hold_close(Sim *sim)
{
    for (uint32_t i = 0; i < sim->eval.compare_plans.n; i++)
        mem_free(sim->mem, sim->eval.compare_plans.at[i].compare);
    vec_free(sim->mem, &sim->eval.compare_plans);
    map_free(sim->mem, &sim->eval.compares);
}

/* The smallest of what stands around it. */
static void find_nominals(Sim *sim, EvalNode *node)
{
    for (uint32_t k = 0; k < node->n_compares; k++) {
        Compare *compare = &node->compare[k];
        const EvalOp *op = &node->ops[compare->op];
        compare->nominal = 1;
        for (uint32_t i = 0; i < ddp_rel_size(sim->ddp, op->rel) && world_has_nominals(sim->world);
             i++)
            if (op->vars[i])
                compare->nominal =
                    fmin(compare->nominal, world_var_nominal(sim->world, op->vars[i]));
    }
}

static void make_all(Sim *sim, EvalNode *node)
{
    uint64_t key = node->n_steps + node->n_tears == 1
                       ? plan_key(sim, node->ops, ddp_rel_size(sim->ddp, node->ops->rel))
                       : 0;
    uint32_t known = key ? map_get(&sim->eval.compares, key) : 0;
    if (known) {
        follow_plan(sim, &sim->eval.compare_plans.at[known - 1], node);
        return;
    }
    make_compares(sim, node);
    if (key && node->n_compares)
        keep_plan(sim, key, node);
}

void hold_make_compares(Sim *sim, EvalNode *node)
{
    node->varying = varying(sim, node);
    make_all(sim, node);
    find_nominals(sim, node);
}

X hold_in(Sim *sim, const EvalNode *node, uint32_t op, X x)
{
    if (!node->holds)
        return x;
    uint32_t n;
    Holding h = {.sim = sim, .node = (EvalNode *)node, .op = op};
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    for (uint32_t k = 0; k < n; k++) {
        X y = rebuilt(&h, list[k]);
        for (uint32_t c = 0; c < node->n_compares; c++) {
            const Compare *compare = &node->compare[c];
            if (!compare->slot || compare->op != op || compare->source != list[k])
                continue;
            uint32_t at = 0;
            while (node->ops[op].vars[at] != compare->slot)
                at++;
            X place = x_pos(sim->forms, at);
            XNode whole = x_node(sim->forms, y);
            y = compare->unit ? x_binary(sim->forms, X_SUB, whole.a,
                                         x_binary(sim->forms, X_MUL, whole.b, place))
                              : place;
        }
        note_places(&h, list[k], y);
    }
    X result = with_places(&h, x);
    map_free(sim->mem, &h.map);
    mem_free(sim->mem, list);
    return result;
}

void hold_forget(Sim *sim, EvalNode *node)
{
    sim->eval.holding -= node->holds;
    for (uint32_t i = 0; i < node->n_compares; i++) {
        DdpVar slot = node->compare[i].slot;
        if (!slot)
            continue;
        sim->info[slot].has = false;
        ddp_remove_var(sim->ddp, slot);
    }
}

void hold_drop(Sim *sim, EvalNode *node)
{
    sim->eval.holding -= node->holds;
    for (uint32_t i = node->n_compares; i-- > 0;) {
        DdpVar slot = node->compare[i].slot;
        if (!slot)
            continue;
        sim->info[slot].has = false;
        ddp_drop_var(sim->ddp, slot);
    }
}

/* ---- boundaries ---- */

double hold_boundary(XOp op, double argument)
{
    if (!is_stair(op))
        return 0;
    return op == X_ROUND ? floor(argument) + 0.5 : round(argument);
}

double hold_ahead(XOp op, double value, bool up)
{
    switch (op) {
    case X_FLOOR:
        return up ? value + 1 : value;
    case X_CEIL:
        return up ? value : value - 1;
    case X_ROUND:
        return up ? value + 0.5 : value - 0.5;
    default:
        return 0;
    }
}

double hold_leaving(XOp op, double boundary, double direction)
{
    bool up = direction > 0;
    switch (op) {
    case X_LT:
    case X_LE:
        return !up;
    case X_GT:
    case X_GE:
        return up;
    case X_NE:
        return 1;
    case X_SIGN:
        return up ? 1 : -1;
    case X_FLOOR:
        return up ? boundary : boundary - 1;
    case X_CEIL:
        return up ? boundary + 1 : boundary;
    case X_ROUND:
        return up ? boundary + 0.5 : boundary - 0.5;
    default:
        return 0;
    }
}

/* ---- times ---- */

static double value_of(Sim *sim, const EvalOp *op, X x)
{
    return x_value(sim->forms, x, op->vars, sim->value, evaluate_foreign, sim);
}

bool hold_reached(const Sim *sim, double time)
{
    return time <= sim->time + 2 * DBL_EPSILON * fabs(sim->time);
}

/* When the argument is at a boundary; NaN when never. */
static double time_at(Sim *sim, const EvalOp *op, const Compare *compare, double boundary)
{
    double factor = value_of(sim, op, compare->factor), rest = value_of(sim, op, compare->rest);
    if (compare->unit)
        boundary *= value_of(sim, op, compare->unit);
    return factor != 0 ? (boundary - rest) / factor : NAN;
}

/* Does the clock drive it upwards? */
static bool goes_up(Sim *sim, const EvalOp *op, const Compare *compare)
{
    double factor = value_of(sim, op, compare->factor);
    return compare->unit ? factor / value_of(sim, op, compare->unit) > 0 : factor > 0;
}

enum { FEW = 4 }; /* steps of a stair that rounding may be off by */

/* The value of a timed function now, by the times of its jumps; `value` is what its argument says,
 * which may be a step off by rounding. */
static double value_by_time(Sim *sim, const EvalOp *op, const Compare *compare, double value)
{
    XOp kind = (XOp)x_node(sim->forms, compare->self).op;
    bool up = goes_up(sim, op, compare);
    double step = up ? 1 : -1, first = time_at(sim, op, compare, 0);
    if (isnan(first) || isnan(value))
        return value;
    if (!is_stair(kind))
        return hold_leaving(kind, 0, hold_reached(sim, first) == up ? 1 : -1);
    for (int i = 0;
         i < FEW && hold_reached(sim, time_at(sim, op, compare, hold_ahead(kind, value, up))); i++)
        value += step;
    for (int i = 0;
         i < FEW && !hold_reached(sim, time_at(sim, op, compare, hold_ahead(kind, value, !up)));
         i++)
        value -= step;
    return value;
}

double hold_next_time(Sim *sim, const EvalOp *op, const Compare *compare)
{
    XOp kind = (XOp)x_node(sim->forms, compare->self).op;
    return time_at(sim, op, compare,
                   hold_ahead(kind, sim->value[compare->slot], goes_up(sim, op, compare)));
}

/* ---- values ---- */

double hold_value_now(Sim *sim, const EvalNode *node, const Compare *compare)
{
    const EvalOp *op = &node->ops[compare->op];
    double value = evaluate_code(sim, compare->self_code, op->vars);
    if (compare->timed)
        return value_by_time(sim, op, compare, value);
    if (compare->tie == 0)
        return value;
    XOp kind = (XOp)x_node(sim->forms, compare->self).op;
    double argument = evaluate_code(sim, compare->difference_code, op->vars);
    double boundary = hold_boundary(kind, argument);
    return argument == boundary ? hold_leaving(kind, boundary, compare->tie) : value;
}

bool hold_renew(Sim *sim, const EvalNode *node)
{
    bool changed = false;
    for (uint32_t i = 0; i < node->n_compares; i++) {
        const Compare *compare = &node->compare[i];
        if (!compare->slot)
            continue;
        double value = hold_value_now(sim, node, compare);
        changed |= memcmp(&value, &sim->value[compare->slot], sizeof value) != 0;
        sim->value[compare->slot] = value;
    }
    return changed;
}

bool hold_is_outdated(Sim *sim, const EvalNode *node)
{
    for (uint32_t i = 0; i < node->n_compares; i++)
        if (node->compare[i].slot &&
            hold_value_now(sim, node, &node->compare[i]) != sim->value[node->compare[i].slot])
            return true;
    return false;
}

bool hold_any(const Sim *sim)
{
    return sim->eval.holding > 0;
}
