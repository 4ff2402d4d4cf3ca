/* audit.c: values that are shown -> the relation that they violate most. See audit.h. */
#include "runtime/sim/audit.h"
#include "runtime/sim/audit_plain.h"
#include "runtime/sim/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT = 400,
    SIDES =
        64, /* ways in which the variables of a relation that jumps are moved a little, at most */
    LISTED = 6 /* variables of a violated relation in a message */
};

/* A relation of the model, with what is needed to evaluate it again and again. */
typedef struct Checked {
    Form form; /* as it was when this was found out: numbers of relations are used again */
    bool jumps;
} Checked;

/* What is known of a variable from the points before. */
typedef struct Seen {
    uint64_t birth; /* of the variable: its number may be used again */
    uint64_t used;  /* Audit.structure in which a relation has it */
    uint64_t kept;  /* likewise, one for which `largest` and `last` are needed */
    double largest, last;
} Seen;

enum { SLOPE_HERE, SLOPE_NEAR, SLOPE_FAR, SLOPE_POINTS };

/* A derivative as the model has it, and the values of its variable at three points of the step. */
typedef struct Slope {
    Part *part;
    DdpRel rel;
    bool output; /* follows from any part */
    bool state;  /* of the part: its values need no evaluation */
    double slope;
    double value[SLOPE_POINTS];
    double apart; /* the points; 0: not looked at */
    double size;  /* what its error is relative to */
} Slope;

struct Audit {
    Sim *sim;
    double bound;
    uint64_t structure;  /* 1 + the one that the following lists are of */
    AuditPlain *plain;   /* relations that are checked together */
    RelList others;      /* and those that are not */
    RelList derivatives; /* that have slopes */
    RelList suspects;    /* scratch */
    NodeList loops;
    NodeList used;           /* variables of relations */
    NodeList kept;           /* those whose values are remembered, beside states */
    bool known;              /* all of them have values, as they do up to the next event */
    VEC(Checked) checked;    /* [DdpRel] */
    VEC(Seen) seen;          /* [DdpVar] */
    VEC(double) size_least;  /* [DdpVar]: what counts as its value where it is less */
    Form form;               /* of the relation that is looked at */
    VEC(double) local;       /* values of one relation's variables, by position */
    VEC(double) least;       /* what counts as their value where it is less */
    VEC(double) moved;       /* how far they may be off for a comparison */
    VEC(double) unmoved;     /* scratch */
    VEC(double) present;     /* [DdpVar]: all values, while slopes are looked at */
    VEC(uint32_t) positions; /* 0, 1, 2, ... */
    VEC(Slope) slopes;       /* of the part that is looked at */
    double before;           /* time of the point before */
    bool astray;             /* somebody met at another time than the present */
    uint64_t points, relations;
    double worst, worst_time;
    SolSide worst_side;
    char worst_text[TEXT];
    char worst_values[TEXT];
    Place worst_at;
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
    vec_free(mem, &audit->suspects);
    vec_free(mem, &audit->loops);
    vec_free(mem, &audit->used);
    vec_free(mem, &audit->kept);
    vec_free(mem, &audit->size_least);
    vec_free(mem, &audit->checked);
    vec_free(mem, &audit->local);
    vec_free(mem, &audit->positions);
    vec_free(mem, &audit->seen);
    vec_free(mem, &audit->least);
    vec_free(mem, &audit->moved);
    vec_free(mem, &audit->unmoved);
    vec_free(mem, &audit->present);
    vec_free(mem, &audit->slopes);
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
    if (left == right || fabs(off) <= rounding)
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

/* How far a variable may be off for a comparison: by rounding, which is that of constants of
 * ordinary size at least, and of the largest quantity in its loop where it has one (a loop is solved
 * when its violation is 1e-11: loop_solve.c), and by what it moves while an event is located. */
static double play(const Audit *audit, DdpVar var, double value)
{
    const Seen *seen = &audit->seen.at[var];
    double time = audit->sim->time, passed = time - audit->before;
    bool apart = passed > 16 * DBL_EPSILON * fabs(time); /* else both sides of an event */
    double rate = apart ? fabs(value - seen->last) / passed : 0;
    double largest = fmax(fabs(value), seen->largest);
    double rounding = fmax(1e-10 * largest, 1e-6 * audit->size_least.at[var]);
    return fmax(rounding, 4 * DBL_EPSILON) + 16 * DBL_EPSILON * fabs(time) * rate;
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
        audit->moved.at[i] = jumps ? play(audit, var, audit->local.at[i]) : 0;
    }
}

/* A derivative has no text of its own: its relation is one of the processor. */
static void worst_text(Audit *audit, DdpRel rel, const DdpRelView *view)
{
    Sim *sim = audit->sim;
    char path[TEXT / 3];
    if (view->kind == DDP_DERIVATIVE) {
        world_var_path(sim->world, view->vars[1], path, sizeof path);
        snprintf(audit->worst_text, TEXT, "der(%s) is not the slope of %s", path, path);
    } else {
        world_rel_text(sim->world, rel, audit->worst_text, TEXT);
    }
}

/* As the model has it, also where another relation stands in its place (frontend/singular.c). */
static DdpRelView as_entered(const Sim *sim, DdpRel rel)
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

static void keep_worst(Audit *audit, DdpRel rel, SolSide side, double amount)
{
    Sim *sim = audit->sim;
    char path[TEXT / 4];
    size_t at = 0;
    DdpRelView view = as_entered(sim, rel);
    if (!(amount > audit->worst))
        return;
    audit->worst = amount;
    audit->worst_time = sim->time;
    audit->worst_side = side;
    audit->worst_at = world_rel_place(sim->world, rel);
    worst_text(audit, rel, &view);
    audit->worst_values[0] = '\0';
    for (uint32_t i = 0; i < view.n && i < LISTED && at < TEXT - 1; i++) {
        if (!view.vars[i])
            continue;
        world_var_path(sim->world, view.vars[i], path, sizeof path);
        at += (size_t)snprintf(audit->worst_values + at, TEXT - at, "%s%s = %.17g", i ? ", " : "",
                               path, sim->value[view.vars[i]]);
    }
}

/* Rounding of a relation that others imply is that of the largest quantity in all of them. */
static double largest_around(const Sim *sim, const DdpCombination *made)
{
    double largest = sim->opt.atol;
    for (uint32_t i = 0; i < made->n_others; i++) {
        DdpRelView view = ddp_rel(sim->ddp, made->others[i]);
        for (uint32_t k = 0; k < view.n; k++)
            largest = fmax(largest, fabs(sim->value[view.vars[k]]));
    }
    return largest;
}

static void check_relation(Audit *audit, DdpRel rel, SolSide side)
{
    Sim *sim = audit->sim;
    DdpRelView view = as_entered(sim, rel);
    if (view.order > 0 || view.kind == DDP_DERIVATIVE)
        return;
    if (!load_values(audit, &view)) { /* time goes on, so everything is determined */
        keep_worst(audit, rel, side, INFINITY);
        return;
    }
    const FormInfo *form = form_info(sim->forms, view.form);
    audit->form = view.form;
    audit->relations++;
    double off = residual(audit, form);
    if (off == 0)
        return;
    DdpCombination made;
    if (ddp_combination(sim->ddp, rel, &made)) {
        keep_worst(audit, rel, side, fabs(off) / largest_around(sim, &made));
        return;
    }
    bool jumps = look_up(audit, rel, view.form)->jumps;
    load_sizes(audit, &view, jumps);
    double amount = violation(audit, form, off);
    if (amount > audit->bound && jumps)
        amount = least_violation(audit, form);
    keep_worst(audit, rel, side, amount);
}

/* ---- lists of one structure ---- */

/* Memory of variables for all there are now; a number that is used again begins anew. */
static void meet_variables(Audit *audit)
{
    Sim *sim = audit->sim;
    while (audit->seen.n < ddp_var_limit(sim->ddp)) {
        vec_push(sim->mem, &audit->seen, ((Seen){0}));
        vec_push(sim->mem, &audit->size_least, sim->opt.atol);
    }
    for (DdpVar var = 1; var < ddp_var_limit(sim->ddp) && var < sim->n_values; var++) {
        Seen *seen = &audit->seen.at[var];
        audit->size_least.at[var] = sim->opt.atol;
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
}

static void list_relation(Audit *audit, DdpRel rel)
{
    Sim *sim = audit->sim;
    DdpRelView view = as_entered(sim, rel);
    DdpCombination made;
    if (view.order > 0)
        return;
    use_variables(audit, &view);
    if (view.kind == DDP_DERIVATIVE) {
        vec_push(sim->mem, &audit->derivatives, rel);
        keep_variable(audit, view.vars[1]);
    } else if (ddp_combination(sim->ddp, rel, &made) ||
               !audit_plain_add(audit->plain, rel, &view)) {
        vec_push(sim->mem, &audit->others, rel);
        for (uint32_t i = 0; i < view.n && look_up(audit, rel, view.form)->jumps; i++)
            keep_variable(audit, view.vars[i]);
    }
}

static void list_loops(Audit *audit)
{
    Sim *sim = audit->sim;
    vec_clear(&audit->loops);
    for (DdpNode n = 1; n < sim->nodes.n; n++)
        if (sim->nodes.at[n].live && sim->nodes.at[n].loop)
            vec_push(sim->mem, &audit->loops, n);
}

static void meet_structure(Audit *audit)
{
    Sim *sim = audit->sim;
    if (audit->structure == sim->build.structures + 1)
        return;
    audit->structure = sim->build.structures + 1;
    audit->known = false;
    meet_variables(audit);
    audit_plain_clear(audit->plain);
    vec_clear(&audit->others);
    vec_clear(&audit->derivatives);
    vec_clear(&audit->used);
    vec_clear(&audit->kept);
    for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++)
        if (ddp_rel_used(sim->ddp, rel))
            list_relation(audit, rel);
    list_loops(audit);
}

/* Rounding in a loop is relative to the largest quantity in it: 45 units in its last place are no
 * violation of 1e-9. */
static void set_floors(Audit *audit)
{
    Sim *sim = audit->sim;
    for (uint32_t l = 0; l < audit->loops.n; l++) {
        const EvalNode *node = &sim->nodes.at[audit->loops.at[l]];
        double largest = 0;
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++) {
            DdpRelView view = ddp_rel(sim->ddp, node->ops[i].rel);
            for (uint32_t k = 0; k < view.n; k++) {
                double size = fabs(sim->value[view.vars[k]]);
                largest = size > largest ? size : largest;
            }
        }
        for (uint32_t i = 0; i < node->n_steps + node->n_tears; i++)
            audit->size_least.at[node_output(node, i)] = fmax(sim->opt.atol, 1e-5 * largest);
    }
}

/* Time goes on, so everything is determined. */
static bool all_known(Audit *audit, SolSide side)
{
    const Sim *sim = audit->sim;
    if (audit->known && side == SOL_AT_POINT)
        return true;
    audit->known = false;
    for (uint32_t i = 0; i < audit->used.n; i++) {
        const ValueInfo *info = &sim->info[audit->used.at[i]];
        if (!info->has || info->pending)
            return false;
    }
    audit->known = side == SOL_AT_POINT;
    return true;
}

static void remember(Audit *audit, DdpVar var)
{
    double value = audit->sim->value[var], size = fabs(value);
    Seen *seen = &audit->seen.at[var];
    if (size > seen->largest && size <= DBL_MAX)
        seen->largest = size;
    seen->last = value;
}

/* Of relations that jump, of derivatives, and states: of others nobody asks. */
static void remember_values(Audit *audit)
{
    const Sim *sim = audit->sim;
    for (uint32_t i = 0; i < audit->kept.n; i++)
        remember(audit, audit->kept.at[i]);
    for (uint32_t k = 0; k < sim->parts.n; k++) {
        const Part *part = sim->parts.at[k];
        for (uint32_t i = 0; i < part->states.n; i++)
            if (audit->seen.at[part->states.at[i].var].kept != audit->structure)
                remember(audit, part->states.at[i].var);
    }
    audit->before = sim->time;
}

/* ---- derivatives against the dense output ---- */

/* Has the dense output of a part two steps behind it, and no event in it? */
static bool is_smooth(const Part *part)
{
    double time = part->sim->time;
    if (part->n == 0 || part->fixed_steps || !part->started)
        return false;
    bool settled =
        part->counts.steps >= part->counts.steps_at_restart + 2 && !isfinite(part->event);
    return settled && time >= part->back && time <= part->now;
}

/* The dense output of a step is looked at once, where the first point lies in it. */
static bool is_new_step(const Part *part)
{
    return part->counts.audited != part->counts.steps + 1 && is_smooth(part);
}

/* Where the dense output of one part, or of several, reaches. */
typedef struct Reach {
    double from, to;
} Reach;

/* What is evaluated for output alone may follow from any part: the one with the least step, if all
 * are smooth, and where the dense output of all of them reaches. */
static Part *least_part(const Sim *sim, Reach *reach)
{
    Part *least = NULL;
    *reach = (Reach){-INFINITY, INFINITY};
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        Part *part = sim->parts.at[i];
        if (!is_smooth(part))
            return NULL;
        if (!least || part->now - part->back < least->now - least->back)
            least = part;
        reach->from = fmax(reach->from, part->back);
        reach->to = fmin(reach->to, part->now);
    }
    return least;
}

/* The part in whose steps a variable moves, if it has a new one that is smooth at Sim.time. */
static Part *part_of_slope(const Sim *sim, DdpVar var, Part *least)
{
    const ValueInfo *info = &sim->info[var];
    const EvalNode *node = info->node ? &sim->nodes.at[info->node] : NULL;
    Part *part = info->state ? info->part : node ? node->part : NULL;
    if (!part)
        part = node && node->place == PLACE_OUTPUTS ? least : NULL;
    return part && is_new_step(part) ? part : NULL;
}

/* A state has its own error; what follows from states has theirs. */
static double error_size(const Audit *audit, const Part *part, DdpVar var)
{
    const Sim *sim = audit->sim;
    const Seen *seen = audit->seen.at;
    double size = fmax(fabs(sim->value[var]), seen[var].largest);
    for (uint32_t i = 0; i < part->states.n && !sim->info[var].state; i++)
        size = fmax(size, seen[part->states.at[i].var].largest);
    return size;
}

static int by_part(const void *a, const void *b)
{
    const Slope *x = a, *y = b;
    if (x->part->index != y->part->index)
        return x->part->index < y->part->index ? -1 : 1;
    return x->rel < y->rel ? -1 : x->rel > y->rel;
}

static bool any_step(const Sim *sim)
{
    for (uint32_t i = 0; i < sim->parts.n; i++)
        if (is_new_step(sim->parts.at[i]))
            return true;
    return false;
}

static bool is_output(const Sim *sim, DdpVar var)
{
    const ValueInfo *info = &sim->info[var];
    return !info->state && info->node && sim->nodes.at[info->node].place == PLACE_OUTPUTS;
}

static void list_slopes(Audit *audit, Reach *all)
{
    Sim *sim = audit->sim;
    vec_clear(&audit->slopes);
    if (!any_step(sim))
        return;
    Part *least = least_part(sim, all);
    for (uint32_t i = 0; i < audit->derivatives.n; i++) {
        DdpRel rel = audit->derivatives.at[i];
        DdpRelView view = ddp_rel(sim->ddp, rel);
        DdpVar slope = view.vars[0], var = view.vars[1];
        Part *part =
            sim->info[slope].has && sim->info[var].has ? part_of_slope(sim, var, least) : NULL;
        if (part)
            vec_push(sim->mem, &audit->slopes,
                     ((Slope){.part = part,
                              .rel = rel,
                              .output = is_output(sim, var),
                              .state = sim->info[var].state && sim->info[var].part == part,
                              .slope = sim->value[slope],
                              .size = error_size(audit, part, var)}));
    }
    if (audit->slopes.n)
        qsort(audit->slopes.at, audit->slopes.n, sizeof *audit->slopes.at, by_part);
}

/* Values of slopes[from .. to-1], which are states of one part, at another time of its step. */
static void states_there(Audit *audit, uint32_t from, uint32_t to, double time, int which)
{
    Sim *sim = audit->sim;
    part_at(audit->slopes.at[from].part, time);
    for (uint32_t i = from; i < to; i++)
        audit->slopes.at[i].value[which] =
            sim->value[ddp_rel(sim->ddp, audit->slopes.at[i].rel).vars[1]];
}

/* The same where some follow from states, and are evaluated there. */
static SolStatus values_there(Audit *audit, uint32_t from, uint32_t to, double time, int which)
{
    Sim *sim = audit->sim;
    sim->time = time;
    sim->moment++;
    part_meet(audit->slopes.at[from].part);
    for (uint32_t i = from; i < to; i++) {
        Slope *slope = &audit->slopes.at[i];
        DdpVar var = ddp_rel(sim->ddp, slope->rel).vars[1];
        SolStatus status = evaluate_fetch(sim, var);
        if (status != SOL_OK)
            return status;
        slope->value[which] = sim->value[var];
    }
    return SOL_OK;
}

/* Where a slope follows steeply from the states, their errors show in it magnified: by how much,
 * when each is off by its tolerance. */
static double steepness(Audit *audit, const Slope *slope)
{
    enum { STATES = 500 };
    Sim *sim = audit->sim;
    Part *part = slope->part;
    DdpVar of = ddp_rel(sim->ddp, slope->rel).vars[0];
    double sum = 0;
    for (uint32_t i = 0; i < part->states.n && i < STATES; i++) {
        DdpVar var = part->states.at[i].var;
        double x = sim->value[var];
        sim->value[var] = x + sim->opt.rtol * audit->seen.at[var].largest + sim->opt.atol;
        if (part_evaluate_all(part) == SOL_OK && isfinite(sim->value[of]))
            sum += fabs(sim->value[of] - slope->slope);
        sim->value[var] = x;
    }
    part_evaluate_all(part);
    return sum;
}

/* The dense output of Runge and Kutta is of a lower order than its steps. */
static void check_slope(Audit *audit, const Slope *slope)
{
    double apart = slope->apart, step = slope->part->now - slope->part->back;
    const SolOptions *opt = &audit->sim->opt;
    double seen =
        (3 * slope->value[SLOPE_HERE] - 4 * slope->value[SLOPE_NEAR] + slope->value[SLOPE_FAR]) /
        (2 * apart);
    double size =
        fmax(slope->size, fmax(fabs(slope->value[SLOPE_NEAR]), fabs(slope->value[SLOPE_FAR])));
    double factor = slope->part->method == PART_RK ? 1000 : 100;
    double allowed =
        factor * (opt->rtol * size + opt->atol) / step + 16 * DBL_EPSILON * size / fabs(apart);
    double off = fabs(seen - slope->slope);
    if (off > allowed)
        allowed += factor * steepness(audit, slope);
    if (off > allowed || isnan(off))
        keep_worst(audit, slope->rel, SOL_AT_POINT,
                   isnan(off) ? INFINITY : audit->bound * (off / allowed));
}

/* How far apart the points of a step are that are looked at, back in time or ahead, so that they lie
 * in reach; 0: nowhere. */
static double apart_of(const Part *part, Reach reach, double time)
{
    double apart = 1e-4 * (part->now - part->back); /* bends less than the tolerance */
    if (!(apart > 16 * DBL_EPSILON * fabs(time)))
        return 0;
    if (time - 2 * apart >= reach.from)
        return apart;
    return time + 2 * apart <= reach.to ? -apart : 0;
}

/* Values of the present are there. Beyond the dense output of a part there are none. */
static SolStatus see_part_slopes(Audit *audit, uint32_t from, uint32_t to, Reach all, double time)
{
    Part *part = audit->slopes.at[from].part;
    Reach reach = {part->back, part->now};
    bool states = true;
    for (uint32_t i = from; i < to; i++) {
        states &= audit->slopes.at[i].state;
        if (audit->slopes.at[i].output)
            reach = all;
    }
    double apart = apart_of(part, reach, time);
    if (apart == 0)
        return SOL_OK;
    for (uint32_t i = from; i < to; i++)
        audit->slopes.at[i].apart = apart;
    part->counts.audited = part->counts.steps + 1;
    if (states) {
        states_there(audit, from, to, time - 2 * apart, SLOPE_FAR);
        states_there(audit, from, to, time - apart, SLOPE_NEAR);
        return SOL_OK;
    }
    audit->astray = true;
    SolStatus status = values_there(audit, from, to, time - 2 * apart, SLOPE_FAR);
    return status == SOL_OK ? values_there(audit, from, to, time - apart, SLOPE_NEAR) : status;
}

static void see_present(Audit *audit)
{
    const Sim *sim = audit->sim;
    for (uint32_t i = 0; i < audit->slopes.n; i++) {
        Slope *slope = &audit->slopes.at[i];
        slope->value[SLOPE_HERE] = sim->value[ddp_rel(sim->ddp, slope->rel).vars[1]];
    }
}

static SolStatus check_slopes(Audit *audit)
{
    Sim *sim = audit->sim;
    double time = sim->time;
    SolStatus status = SOL_OK;
    Reach all = {-INFINITY, INFINITY};
    list_slopes(audit, &all);
    if (!audit->slopes.n)
        return SOL_OK;
    see_present(audit);
    vec_reserve(sim->mem, &audit->present, sim->n_values);
    memcpy(audit->present.at, sim->value, sim->n_values * sizeof *sim->value);
    audit->astray = false;
    for (uint32_t from = 0, to; from < audit->slopes.n && status == SOL_OK; from = to) {
        for (to = from;
             to < audit->slopes.n && audit->slopes.at[to].part == audit->slopes.at[from].part;)
            to++;
        status = see_part_slopes(audit, from, to, all, time);
    }
    sim->time = time;
    memcpy(sim->value, audit->present.at, sim->n_values * sizeof *sim->value);
    sim->moment += audit->astray; /* who looks now evaluates anew */
    for (uint32_t i = 0; i < audit->slopes.n && status == SOL_OK; i++)
        if (audit->slopes.at[i].apart != 0)
            check_slope(audit, &audit->slopes.at[i]);
    return status;
}

/* ---- a point ---- */

/* Output may have been evaluated by another way than all values are now. What follows from loops
 * may differ by rounding, which is relative to the largest quantities there are. */
static SolStatus check_shown(Audit *audit, const double *shown)
{
    Sim *sim = audit->sim;
    double largest = 0;
    for (uint32_t i = 0; shown && i < sim->output.wanted.n; i++)
        if (isfinite(sim->value[sim->output.wanted.at[i]]))
            largest = fmax(largest, fabs(sim->value[sim->output.wanted.at[i]]));
    for (uint32_t i = 0; shown && i < sim->output.wanted.n; i++) {
        DdpVar var = sim->output.wanted.at[i];
        double value = sim->value[var], off = fabs(shown[var] - value);
        if (!sim->info[var].has || sol_unseen(shown[var]) || shown[var] == value ||
            off <= fmax(audit->bound, 1e-9) * fabs(value) + 1e-13 * largest)
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
    return SOL_NUMERICS;
}

/* Are the values of a relation those of Sim.time without asking any part for them? */
static bool is_met(Sim *sim, DdpRel rel)
{
    DdpRelView view = as_entered(sim, rel);
    for (uint32_t i = 0; i < view.n; i++)
        if (!evaluate_fetch_met(sim, view.vars[i]))
            return false;
    return true;
}

/* At an event among many parts: only what it touches. */
static void check_touched(Audit *audit, SolSide side)
{
    Sim *sim = audit->sim;
    for (DdpRel rel = 1; rel < ddp_rel_limit(sim->ddp); rel++)
        if (ddp_rel_used(sim->ddp, rel) && is_met(sim, rel))
            check_relation(audit, rel, side);
}

static void check_all(Audit *audit, SolSide side)
{
    if (!all_known(audit, side)) {
        check_touched(audit, side);
        return;
    }
    vec_clear(&audit->suspects);
    audit_plain_check(audit->plain, audit->size_least.at, fmin(audit->worst, audit->bound),
                      &audit->suspects);
    audit->relations += audit_plain_count(audit->plain) - audit->suspects.n;
    for (uint32_t i = 0; i < audit->suspects.n; i++)
        check_relation(audit, audit->suspects.at[i], side);
    for (uint32_t i = 0; i < audit->others.n; i++)
        check_relation(audit, audit->others.at[i], side);
}

SolStatus audit_point(Audit *audit, SolSide side, const double *shown)
{
    Sim *sim = audit->sim;
    bool partly =
        sim->parts.n > SOL_FEW_PARTS && (side == SOL_BEFORE_EVENT || side == SOL_AFTER_EVENT);
    SolStatus status = partly ? SOL_OK : evaluate_outputs(sim);
    meet_structure(audit);
    set_floors(audit);
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
        remember_values(audit);
    if (side == SOL_AT_POINT)
        status = check_slopes(audit);
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
