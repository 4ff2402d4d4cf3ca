/* audit.c: values that are shown -> the relation that they violate most. See audit.h. */
#include "runtime/sim/audit_int.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SIDES =
        64, /* ways in which the variables of a relation that jumps are moved a little, at most */
    LISTED = 6 /* variables of a violated relation in a message */
};

Audit *audit_open(Sim *sim)
{
    Audit *audit = mem_alloc(sim->mem, sizeof *audit);
    audit->sim = sim;
    audit->bound = sim->opt.audit;
    audit->before = NAN;
    audit->plain = audit_plain_open(sim);
    return audit;
}

void audit_close(Audit *audit)
{
    if (!audit)
        return;
    Mem *mem = audit->sim->mem;
    audit_plain_close(audit->plain);
    vec_free(mem, &audit->others);
    vec_free(mem, &audit->derivatives);
    vec_free(mem, &audit->candidates);
    vec_free(mem, &audit->loops);
    vec_free(mem, &audit->loop_vars);
    vec_free(mem, &audit->used);
    vec_free(mem, &audit->kept);
    vec_free(mem, &audit->memory);
    vec_free(mem, &audit->size_least);
    vec_free(mem, &audit->checked);
    vec_free(mem, &audit->local);
    vec_free(mem, &audit->positions);
    vec_free(mem, &audit->seen);
    vec_free(mem, &audit->least);
    vec_free(mem, &audit->moved);
    vec_free(mem, &audit->unmoved);
    vec_free(mem, &audit->present);
    vec_free(mem, &audit->far);
    vec_free(mem, &audit->slopes);
    vec_free(mem, &audit->needs.list);
    audit_view_free(audit);
    mem_free(mem, audit);
}

/* ---- one relation ---- */

static bool is_jump(XOp op)
{
    return op == X_SIGN || op == X_FLOOR || op == X_CEIL || op == X_ROUND || op == X_MOD ||
           (op >= X_LT && op <= X_GT);
}

static bool has_jump(Sim *sim, const FormInfo *form)
{
    const X sides[2] = {form->lhs, form->rhs};
    uint32_t n;
    bool found = false;
    X *nodes = x_nodes(sim->forms, sim->mem, 2, sides, &n);
    for (uint32_t i = 0; i < n && !found; i++)
        found = is_jump(x_node(sim->forms, nodes[i]).op);
    mem_free(sim->mem, nodes);
    return found;
}

static const Checked *look_up(Audit *audit, DdpRel rel, Form form)
{
    Sim *sim = audit->sim;
    while (audit->checked.n <= rel)
        vec_push(sim->mem, &audit->checked, ((Checked){0}));
    Checked *checked = &audit->checked.at[rel];
    if (checked->form != form)
        *checked = (Checked){form, has_jump(sim, form_info(sim->forms, form))};
    return checked;
}

static double side_value(Audit *audit, X x)
{
    Sim *sim = audit->sim;
    return x_value(sim->forms, x, audit->positions.at, audit->local.at, evaluate_foreign, sim);
}

/* left - right, less what rounding alone makes of it */
static double residual(Audit *audit, const FormInfo *form)
{
    double left, right;
    if (!audit_plain_sides(audit->plain, audit->form, audit->local.at, &left, &right)) {
        left = side_value(audit, form->lhs);
        right = side_value(audit, form->rhs);
    }
    double off = left - right, rounding = 8 * DBL_EPSILON * (fabs(left) + fabs(right));
    if (left == right || (isfinite(off) && fabs(off) <= rounding))
        return 0;
    return off;
}

/* What the residual is worth: by how much it moves when all variables change by their own size, and
 * when they move as far as they may be off for a comparison. */
typedef struct Worth {
    double relative, play;
} Worth;

/* Where the relation jumps between x and x + step, the other side tells how it moves. */
static double slope_at(Audit *audit, const FormInfo *form, uint32_t i, double step, double at)
{
    double x = audit->local.at[i];
    audit->local.at[i] = x + step;
    double above = fabs(residual(audit, form) - at);
    audit->local.at[i] = x - step;
    double below = fabs(residual(audit, form) - at);
    audit->local.at[i] = x;
    double change = fmin(isfinite(above) ? above : below, isfinite(below) ? below : above);
    return isfinite(change) ? change / step : 0;
}

static Worth worth_of(Audit *audit, const FormInfo *form, double at)
{
    Worth worth = {0, 0};
    for (uint32_t i = 0; i < form->n; i++) {
        double size = fmax(fabs(audit->local.at[i]), audit->least.at[i]);
        double slope = slope_at(audit, form, i, 1e-7 * size, at);
        worth.relative += slope * size;
        worth.play += slope * audit->moved.at[i];
    }
    return worth;
}

static double violation(Audit *audit, const FormInfo *form, double off)
{
    Worth worth = worth_of(audit, form, off);
    return isfinite(off) && worth.relative > 0 ? fabs(off) / worth.relative : INFINITY;
}

/* ---- jumps at their boundary ---- */

/* How far apart in time two points are between which the search for events does not tell: fixed steps see what has
 * changed at their end. */
static double located_within(const Sim *sim)
{
    double width = 16 * DBL_EPSILON * fabs(sim->time);
    return sim->opt.solver == SOL_SOLVER_EULER ? fmax(width, sim->opt.step) : width;
}

/* How far a variable may be off for a comparison: by rounding, which is that of constants of
 * ordinary size at least, and of the largest quantity in its loop where it has one (a loop is solved
 * when its violation is 1e-11: loop_solve.c), and by what it moves while an event is located. */
static double play(const Audit *audit, DdpVar var, double value)
{
    const Sim *sim = audit->sim;
    Memory memory = audit_memory(audit, var);
    double time = sim->time, passed = time - audit->before;
    bool apart = passed > 16 * DBL_EPSILON * fabs(time); /* else both sides of an event */
    double rate = apart ? fabs(value - memory.last) / passed : 0;
    double largest = fmax(fabs(value), memory.largest);
    double rounding = fmax(1e-10 * largest, 1e-6 * audit->size_least.at[var]);
    return fmax(rounding, 4 * DBL_EPSILON) + located_within(sim) * rate;
}

/* Bit i of the way-th of them says whether variable i is a little larger or smaller. */
static uint32_t way_bits(uint32_t way, uint32_t n)
{
    return n <= 6 ? way : way * 2654435761u;
}

/* The violation with the jumps of the relation as they are at values next to the present ones,
 * where the rest of it may be off by as much as these are. */
static double moved_violation(Audit *audit, const FormInfo *form)
{
    double off = residual(audit, form);
    if (!isfinite(off))
        return INFINITY;
    Worth worth = worth_of(audit, form, off);
    double beyond = fmax(0, fabs(off) - 2 * worth.play);
    return beyond == 0 ? 0 : worth.relative > 0 ? beyond / worth.relative : INFINITY;
}

static double least_violation(Audit *audit, const FormInfo *form)
{
    double least = INFINITY;
    uint32_t ways = form->n < 6 ? 1u << form->n : SIDES;
    vec_clear(&audit->unmoved);
    for (uint32_t i = 0; i < form->n; i++)
        vec_push(audit->sim->mem, &audit->unmoved, audit->local.at[i]);
    for (uint32_t way = 0; way < ways && least > audit->bound; way++) {
        uint32_t bits = way_bits(way, form->n);
        for (uint32_t i = 0; i < form->n; i++)
            audit->local.at[i] += bits >> (i % 32) & 1 ? audit->moved.at[i] : -audit->moved.at[i];
        least = fmin(least, moved_violation(audit, form));
        memcpy(audit->local.at, audit->unmoved.at, form->n * sizeof *audit->unmoved.at);
    }
    return least;
}

/* An Integer is not a little more than it is: `s == 0 and time > 1` at time 1. */
static bool is_exact(const Sim *sim, DdpVar var)
{
    WorldVar view;
    return ddp_var(sim->ddp, var).order == 0 && world_var(sim->world, var, &view) &&
           view.type != TYPE_REAL;
}

/* As least_violation, where variables may be off by all that loops make of rounding, and by what they
 * move in times that cannot be told apart: what decides a comparison then (event/boundary.c). It
 * takes long, and is for what would end the run. */
static double least_by_events(Audit *audit, const FormInfo *form, const DdpRelView *view)
{
    double moment = event_point_number(audit->sim);
    for (uint32_t i = 0; i < view->n; i++) {
        if (!view->vars[i] || is_exact(audit->sim, view->vars[i]))
            continue;
        ErrorBound bound = error_bound_of_var(audit->sim, view->vars[i]);
        double off = fmax(BOUNDARY_ROUNDINGS * bound.rounding, moment * bound.speed);
        audit->moved.at[i] = fmax(audit->moved.at[i], off);
    }
    return least_violation(audit, form);
}

/* ---- all relations ---- */

static bool load_values(Audit *audit, const DdpRelView *view)
{
    Sim *sim = audit->sim;
    while (audit->local.n < view->n) {
        vec_push(sim->mem, &audit->positions, audit->local.n);
        vec_push(sim->mem, &audit->local, 0.0);
        vec_push(sim->mem, &audit->least, 0.0);
        vec_push(sim->mem, &audit->moved, 0.0);
    }
    for (uint32_t i = 0; i < view->n; i++) {
        DdpVar var = view->vars[i];
        if (var >= sim->n_values || !sim->info[var].has || sim->info[var].pending)
            return false;
        audit->local.at[i] = sim->value[var];
    }
    return true;
}

static void load_sizes(Audit *audit, const DdpRelView *view, bool jumps)
{
    for (uint32_t i = 0; i < view->n; i++) {
        DdpVar var = view->vars[i];
        audit->least.at[i] = audit->size_least.at[var];
        audit->moved.at[i] =
            jumps && !is_exact(audit->sim, var) ? play(audit, var, audit->local.at[i]) : 0;
    }
}

/* A derivative has no text of its own: its relation is one of the processor. */
static void worst_text(Audit *audit, DdpRel rel, const DdpRelView *view)
{
    Sim *sim = audit->sim;
    char path[AUDIT_TEXT / 3];
    if (view->kind == DDP_DERIVATIVE) {
        world_var_path(sim->world, view->vars[1], path, sizeof path);
        snprintf(audit->worst_text, AUDIT_TEXT, "der(%s) is not the slope of %s", path, path);
    } else {
        world_rel_text(sim->world, rel, audit->worst_text, AUDIT_TEXT);
    }
}

DdpRelView audit_as_entered(const Sim *sim, DdpRel rel)
{
    DdpRelView view = ddp_rel(sim->ddp, rel);
    DdpCombination entered;
    if (ddp_combination(sim->ddp, rel, &entered)) {
        view.form = entered.form;
        view.n = entered.n;
        view.vars = entered.vars;
    }
    return view;
}

void audit_keep_worst(Audit *audit, DdpRel rel, SolSide side, double amount)
{
    Sim *sim = audit->sim;
    char path[AUDIT_TEXT / 4];
    size_t at = 0;
    DdpRelView view = audit_as_entered(sim, rel);
    if (!(amount > audit->worst))
        return;
    audit->worst = amount;
    audit->worst_time = sim->time;
    audit->worst_side = side;
    audit->worst_at = world_rel_place(sim->world, rel);
    worst_text(audit, rel, &view);
    audit->worst_values[0] = '\0';
    for (uint32_t i = 0; i < view.n && i < LISTED && at < AUDIT_TEXT - 1; i++) {
        if (!view.vars[i])
            continue;
        world_var_path(sim->world, view.vars[i], path, sizeof path);
        at += (size_t)snprintf(audit->worst_values + at, AUDIT_TEXT - at, "%s%s = %.17g",
                               i ? ", " : "", path, sim->value[view.vars[i]]);
    }
}

static double largest_in(const Audit *audit, const DdpRelView *view, double largest)
{
    for (uint32_t k = 0; k < view->n; k++) {
        DdpVar var = view->vars[k];
        double least = var < audit->size_least.n ? audit->size_least.at[var] : 0;
        largest = fmax(largest, fmax(fabs(audit->sim->value[var]), least));
    }
    return largest;
}

/* Rounding of a relation that others imply is that of the largest quantity in it and in all of them, and in their loops. */
static double largest_around(const Audit *audit, const DdpRelView *view, const DdpCombination *made)
{
    double largest = largest_in(audit, view, audit->sim->opt.atol);
    for (uint32_t i = 0; i < made->n_others; i++) {
        DdpRelView other = ddp_rel(audit->sim->ddp, made->others[i]);
        largest = largest_in(audit, &other, largest);
    }
    return largest;
}

/* On the left of an event only parts whose event it is are at the time of that side: others go on and are at the event
 * itself, a width of the search later. A relation may be of those. */
static double violation_at_event(Audit *audit, const FormInfo *form, const DdpRelView *view)
{
    bool timed = false;
    for (uint32_t i = 0; i < view->n; i++) {
        if (view->vars[i] != audit->sim->clock)
            continue;
        audit->local.at[i] = parts_event_time(audit->sim);
        timed = true;
    }
    double off = timed ? residual(audit, form) : INFINITY;
    return off == 0 ? 0 : violation(audit, form, off);
}

static void bring_lists(Audit *audit);
static double least_size(const Sim *sim, DdpVar var);

/* Is it no news, even where variables count as no larger than they are? Then nothing needs to be known of the structure
 * that an event has made. */
static bool is_no_news(Audit *audit, const FormInfo *form, const DdpRelView *view, double off)
{
    if (audit->structure == event_structures(audit->sim) + 1)
        return false;
    for (uint32_t i = 0; i < view->n; i++) {
        audit->least.at[i] = least_size(audit->sim, view->vars[i]);
        audit->moved.at[i] = 0;
    }
    return violation(audit, form, off) <= fmin(audit->worst, audit->bound);
}

static void check_relation(Audit *audit, DdpRel rel, SolSide side)
{
    Sim *sim = audit->sim;
    DdpRelView view = audit_as_entered(sim, rel);
    if (view.order > 0 || view.kind == DDP_DERIVATIVE)
        return;
    if (!load_values(audit, &view)) { /* time goes on, so everything is determined */
        audit_keep_worst(audit, rel, side, INFINITY);
        return;
    }
    const FormInfo *form = form_info(sim->forms, view.form);
    audit->form = view.form;
    audit->relations++;
    double off = residual(audit, form);
    if (off == 0)
        return;
    audit_view_settle(audit);
    DdpCombination made;
    if (ddp_combination(sim->ddp, rel, &made)) {
        bring_lists(audit);
        audit_keep_worst(audit, rel, side, fabs(off) / largest_around(audit, &view, &made));
        return;
    }
    if (is_no_news(audit, form, &view, off))
        return;
    bring_lists(audit);
    bool jumps = look_up(audit, rel, view.form)->jumps;
    load_sizes(audit, &view, jumps);
    double amount = violation(audit, form, off);
    if (amount > audit->bound && jumps)
        amount = least_violation(audit, form);
    if (amount > audit->bound && jumps)
        amount = least_by_events(audit, form, &view);
    if (amount > audit->bound && side == SOL_BEFORE_EVENT)
        amount = fmin(amount, violation_at_event(audit, form, &view));
    audit_keep_worst(audit, rel, side, amount);
}

/* ---- lists of one structure ---- */

/* What was kept in the structure that ends. */
static void put_back(Audit *audit)
{
    for (uint32_t i = 0; i < audit->kept.n; i++) {
        Seen *seen = &audit->seen.at[audit->kept.at[i]];
        seen->largest = audit->memory.at[i].largest;
        seen->last = audit->memory.at[i].last;
    }
}

static double least_size(const Sim *sim, DdpVar var)
{
    return sim->opt.atol * world_var_nominal(sim->world, var);
}

/* Memory of variables for all there are now; a number that is used again begins anew. */
static void bring_variables(Audit *audit)
{
    Sim *sim = audit->sim;
    while (audit->seen.n < ddp_var_limit(sim->ddp)) {
        vec_push(sim->mem, &audit->seen, ((Seen){0}));
        vec_push(sim->mem, &audit->size_least, sim->opt.atol);
    }
    bool nominals = world_has_nominals(sim->world);
    uint32_t limit = ddp_var_limit(sim->ddp);
    for (DdpVar var = 1; var < limit && var < sim->n_values; var++) {
        Seen *seen = &audit->seen.at[var];
        audit->size_least.at[var] = nominals ? least_size(sim, var) : sim->opt.atol;
        if (seen->birth != sim->info[var].birth)
            *seen = (Seen){.birth = sim->info[var].birth, .last = sim->value[var]};
    }
}

static void use_variables(Audit *audit, const DdpRelView *view)
{
    Sim *sim = audit->sim;
    for (uint32_t i = 0; i < view->n; i++) {
        Seen *seen = &audit->seen.at[view->vars[i]];
        if (!view->vars[i] || seen->used == audit->structure)
            continue;
        seen->used = audit->structure;
        vec_push(sim->mem, &audit->used, view->vars[i]);
    }
}

static void keep_variable(Audit *audit, DdpVar var)
{
    Seen *seen = &audit->seen.at[var];
    if (!var || seen->kept == audit->structure)
        return;
    seen->kept = audit->structure;
    vec_push(audit->sim->mem, &audit->kept, var);
    vec_push(audit->sim->mem, &audit->memory, ((Memory){seen->largest, seen->last}));
    seen->at = audit->kept.n;
}

static void keep_variables(Audit *audit, const DdpRelView *view)
{
    for (uint32_t i = 0; i < view->n; i++)
        keep_variable(audit, view->vars[i]);
}

static void list_relation(Audit *audit, DdpRel rel, bool combines)
{
    Sim *sim = audit->sim;
    DdpRelView view = ddp_rel(sim->ddp, rel);
    DdpCombination made;
    bool combined = combines && ddp_combination(sim->ddp, rel, &made);
    if (view.order > 0)
        return;
    if (!combined && view.kind != DDP_DERIVATIVE && audit_plain_add(audit->plain, rel, &view)) {
        if (!audit_plain_is_smooth(audit->plain, rel))
            keep_variables(audit, &view);
        return;
    }
    if (combined)
        view = audit_as_entered(sim, rel);
    use_variables(audit, &view);
    if (view.kind == DDP_DERIVATIVE) {
        vec_push(sim->mem, &audit->derivatives, ((Derivative){rel, view.vars[0], view.vars[1]}));
        return;
    }
    vec_push(sim->mem, &audit->others, rel);
    if (look_up(audit, rel, view.form)->jumps)
        keep_variables(audit, &view);
}

static void list_loop(Audit *audit, const EvalNode *node)
{
    Sim *sim = audit->sim;
    uint32_t n = node->n_steps + node->n_tears;
    AuditLoop loop = {audit->loop_vars.n, 0, 0};
    for (uint32_t i = 0; i < n; i++)
        vec_push(sim->mem, &audit->loop_vars, node_output(node, i));
    loop.outputs = audit->loop_vars.n;
    sim->mark++;
    for (uint32_t i = 0; i < n; i++) {
        DdpRelView view = ddp_rel(sim->ddp, node->ops[i].rel);
        for (uint32_t k = 0; k < view.n; k++) {
            Seen *seen = &audit->seen.at[view.vars[k]];
            if (seen->mark != sim->mark)
                vec_push(sim->mem, &audit->loop_vars, view.vars[k]);
            seen->mark = sim->mark;
        }
    }
    loop.end = audit->loop_vars.n;
    vec_push(sim->mem, &audit->loops, loop);
}

static void list_loops(Audit *audit)
{
    Sim *sim = audit->sim;
    vec_clear(&audit->loops);
    vec_clear(&audit->loop_vars);
    for (DdpNode n = 1; n < sim->nodes.n; n++)
        if (sim->nodes.at[n].live && sim->nodes.at[n].loop)
            list_loop(audit, &sim->nodes.at[n]);
}

static bool is_state_slope(const Sim *sim, const Derivative *derivative)
{
    DdpVar state = sim->info[derivative->of].slope_of;
    while (state && state != derivative->var)
        state = sim->info[state].slope_next;
    return state != 0;
}

static void bring_structure(Audit *audit)
{
    Sim *sim = audit->sim;
    if (audit->structure == event_structures(sim) + 1)
        return;
    put_back(audit);
    audit->needs.of = NULL;
    audit->structure = event_structures(sim) + 1;
    audit->known = false;
    bring_variables(audit);
    audit_plain_begin(audit->plain);
    vec_clear(&audit->others);
    vec_clear(&audit->derivatives);
    vec_clear(&audit->used);
    vec_clear(&audit->kept);
    vec_clear(&audit->memory);
    bool combines = ddp_any_combination(sim->ddp);
    for (DdpRel rel = 1, limit = ddp_rel_limit(sim->ddp); rel < limit; rel++)
        if (ddp_rel_used(sim->ddp, rel))
            list_relation(audit, rel, combines);
    audit_plain_end(audit->plain);
    audit->kept_always = audit->kept.n;
    for (uint32_t i = 0; i < audit->derivatives.n; i++)
        keep_variable(audit, audit->derivatives.at[i].var);
    for (uint32_t i = 0; i < sim->states.n; i++)
        keep_variable(audit, sim->states.at[i].var);
    audit->states_only = true;
    for (uint32_t i = 0; i < audit->derivatives.n && audit->states_only; i++)
        audit->states_only = is_state_slope(sim, &audit->derivatives.at[i]);
    list_loops(audit);
}

/* Rounding in a loop is relative to the largest quantity in it: 45 units in its last place are no
 * violation of 1e-9. */
static void set_floors(Audit *audit)
{
    const Sim *sim = audit->sim;
    const DdpVar *var = audit->loop_vars.at;
    bool nominals = world_has_nominals(sim->world);
    for (const AuditLoop *l = audit->loops.at, *end = l + audit->loops.n; l < end; l++) {
        double largest = 0;
        for (uint32_t i = l->outputs; i < l->end; i++) {
            double size = fabs(sim->value[var[i]]);
            largest = size > largest ? size : largest;
        }
        for (uint32_t i = l->from; i < l->outputs; i++) {
            double least = nominals ? least_size(sim, var[i]) : sim->opt.atol,
                   *to = &audit->size_least.at[var[i]];
            *to = 1e-5 * largest > least ? 1e-5 * largest : least;
        }
    }
}

/* At an event of which only a part is looked at they are made when a relation asks for them. */
static void bring_lists(Audit *audit)
{
    bring_structure(audit);
    if (!audit->floored)
        set_floors(audit);
    audit->floored = true;
}

/* Time goes on, so everything is determined. */
static bool all_known(Audit *audit, SolSide side)
{
    const Sim *sim = audit->sim;
    if (audit->known && side == SOL_AT_POINT)
        return true;
    audit->known = false;
    if (!audit_plain_has_values(audit->plain))
        return false;
    for (uint32_t i = 0; i < audit->used.n; i++) {
        const ValueInfo *info = &sim->info[audit->used.at[i]];
        if (!info->has || info->pending)
            return false;
    }
    audit->known = side == SOL_AT_POINT;
    return true;
}

/* Of relations that jump; of derivatives, and states, where a step is looked at: how large they are is asked there. Of
 * others nobody asks. */
static void remember_values(Audit *audit, SolSide side)
{
    const double *value = audit->sim->value;
    const DdpVar *var = audit->kept.at;
    bool all = side != SOL_AT_POINT || audit_any_step(audit);
    if (all && !audit->states_only)
        audit_view_settle(audit);
    uint32_t n = all ? audit->memory.n : audit->kept_always;
    for (Memory *m = audit->memory.at, *end = m + n; m < end; m++) {
        m->last = value[*var++];
        if (fabs(m->last) > m->largest && isfinite(m->last))
            m->largest = fabs(m->last);
    }
    audit->before = audit->sim->time;
}

/* ---- a point ---- */

/* Output may have been evaluated by another way than all values are now. What follows from loops
 * may differ by rounding, which is relative to the largest quantities there are, or by what
 * loops make of it. */
static SolStatus check_shown(Audit *audit, const double *shown)
{
    Sim *sim = audit->sim;
    VarList wanted = output_plan_vars(sim);
    double largest = 0;
    for (uint32_t i = 0; shown && i < wanted.n; i++)
        if (isfinite(sim->value[wanted.at[i]]))
            largest = fmax(largest, fabs(sim->value[wanted.at[i]]));
    for (uint32_t i = 0; shown && i < wanted.n; i++) {
        DdpVar var = wanted.at[i];
        double value = sim->value[var], off = fabs(shown[var] - value);
        if (!sim->info[var].has || sol_unseen(shown[var]) || shown[var] == value ||
            off <= fmax(audit->bound, 1e-9) * fabs(value) + 1e-13 * largest)
            continue;
        audit_view_settle(audit);
        if (off <= BOUNDARY_ROUNDINGS * error_bound_of_var(sim, var).rounding)
            continue;
        diag_error(sim->diags, 0,
                   "at time %.10g the audit finds %s shown as %.17g, but it is %.17g", sim->time,
                   explain_var(sim, var), shown[var], value);
        return SOL_NUMERICS;
    }
    return SOL_OK;
}

static const char *side_text(SolSide side)
{
    return side == SOL_BEFORE_EVENT  ? ", before the event,"
           : side == SOL_AFTER_EVENT ? ", after the event,"
                                     : "";
}

/* Near a point where the motion can go on in several ways rounding is amplified, and equations that were set aside are the first to
 * show it: the step that passed it was undone. */
static void name_cause(const Audit *audit)
{
    const Sim *sim = audit->sim;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        const Part *part = sim->parts.at[i];
        const PartChoice *choice = &part->choice;
        if (choice->constrained && choice->undone_steps && choice->undone >= part->back) {
            diag_note(sim->diags, 0,
                      "a step from there passed a point where the constraints leave open how the "
                      "motion goes on, and was undone");
            return;
        }
    }
}

static SolStatus verdict(Audit *audit)
{
    Sim *sim = audit->sim;
    if (!(audit->worst > audit->bound))
        return SOL_OK;
    diag_error(sim->diags, audit->worst_at,
               "at time %.10g%s the audit finds a violation of %.3g, where %.3g is allowed: %s",
               audit->worst_time, side_text(audit->worst_side), audit->worst, audit->bound,
               audit->worst_text);
    diag_note(sim->diags, 0, "with %s", audit->worst_values);
    name_cause(audit);
    return SOL_NUMERICS;
}

/* Are the values of a relation those of Sim.time without asking any part for them? */
static bool is_here(Sim *sim, DdpRel rel)
{
    DdpRelView view = audit_as_entered(sim, rel);
    for (uint32_t i = 0; i < view.n; i++)
        if (!evaluate_fetch_brought(sim, view.vars[i], EVAL_PLAIN))
            return false;
    return true;
}

/* Was it evaluated at this point, or something that it reads, as far as that is known? A node that an event left out by
 * mistake reads something that was. */
static bool is_touched(const Sim *sim, const EvalNode *node)
{
    if (node->part)
        return node->part->point_number == sim->point_number;
    if (evaluate_is_stale(sim, node)) /* nobody looked */
        return false;
    bool touched = node->point_number == sim->point_number;
    for (uint32_t i = 0; i < node->n_reads && !touched; i++) {
        DdpVar var = node->reads[i].var;
        const Part *part = part_of_var(sim, var);
        DdpNode n = sim->info[var].node;
        touched = part ? part->point_number == sim->point_number
                       : !n || sim->nodes.at[n].point_number == sim->point_number;
    }
    return touched;
}

/* At an event among many parts: only what it touches. */
static void check_touched(Audit *audit, SolSide side)
{
    Sim *sim = audit->sim;
    for (DdpNode n = 1; n < sim->nodes.n; n++) {
        const EvalNode *node = &sim->nodes.at[n];
        if (!node->live || !is_touched(sim, node))
            continue;
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
            if (is_here(sim, node->ops[i].rel))
                check_relation(audit, node->ops[i].rel, side);
    }
}

static void check_all(Audit *audit, SolSide side)
{
    if (!all_known(audit, side)) {
        check_touched(audit, side);
        return;
    }
    vec_clear(&audit->candidates);
    audit_plain_check(audit->plain, audit->view.value, audit->size_least.at,
                      fmin(audit->worst, audit->bound), &audit->candidates);
    if (audit->candidates.n)
        audit_view_settle(audit);
    audit->relations += audit_plain_count(audit->plain) - audit->candidates.n;
    for (uint32_t i = 0; i < audit->candidates.n; i++)
        check_relation(audit, audit->candidates.at[i], side);
    for (uint32_t i = 0; i < audit->others.n; i++)
        check_relation(audit, audit->others.at[i], side);
}

/* All variables to Sim.time. */
static SolStatus bring_all(Audit *audit, SolSide side)
{
    Sim *sim = audit->sim;
    bool settled =
        audit->known && side == SOL_AT_POINT && audit->structure == event_structures(sim) + 1;
    if (settled && audit_view_bring(audit))
        return SOL_OK;
    return settled ? evaluate_outputs_again(sim) : evaluate_outputs(sim);
}

SolStatus audit_point(Audit *audit, SolSide side, const double *shown)
{
    Sim *sim = audit->sim;
    bool partly =
        sim->parts.n > SOL_FEW_PARTS && (side == SOL_BEFORE_EVENT || side == SOL_AFTER_EVENT);
    audit->view.value = NULL;
    SolStatus status = partly ? SOL_OK : bring_all(audit, side);
    audit->floored = false;
    if (!partly)
        bring_lists(audit);
    if (status == SOL_OK && !partly)
        status = check_shown(audit, shown);
    if (status != SOL_OK)
        return status;
    audit->points++;
    if (partly)
        check_touched(audit, side);
    else
        check_all(audit, side);
    if (!partly)
        remember_values(audit, side);
    if (side == SOL_AT_POINT)
        status = audit_slopes(audit);
    if (status == SOL_OK)
        status = parts_status(sim);
    return status == SOL_OK ? verdict(audit) : status;
}

void audit_stats(const Audit *audit, SolAudit *stats)
{
    *stats = (SolAudit){.points = audit->points,
                        .relations = audit->relations,
                        .bound = audit->bound,
                        .worst = audit->worst,
                        .time = audit->worst_time,
                        .relation = audit->worst_text};
}
