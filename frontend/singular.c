/* singular.c: a commit of the DDP -> equations that depend on each other, and commands that put it right.
 *
 * Structure sees which variables an equation names, not its numbers. Of the equations whose factors are whole
 * numbers (connections, sums of flows, balances) the numbers are known exactly, so it is decided here, by
 * exact/, what structure cannot: whether a sum of some of them leaves nothing of what they are to
 * determine. A system is singular only where one of its closed loops is, so the loops that a commit
 * made are looked at, and the overdetermined part, if there is one; nothing else. What such a sum leaves is
 *
 *   - a relation among other unknowns, states above all: it is entered in the place of one of the equations it is
 *     made of, and the DDP selects as many states as there are;
 *   - nothing, where currents are summed up in a circuit without ground: in the place of a sum of
 *     currents, which the others imply, a potential that nothing fixes is set to 0, or, where diodes that
 *     block watch it, between those (singular_float.c);
 *   - nothing, or known values that agree: the equation is set aside;
 *   - known values that contradict each other: entered likewise, which is an overdetermined system.
 *
 * All of it ends by itself when one of the equations leaves (ddp/combine.c), and the commit of that change
 * is looked at again.
 */
#include "frontend/singular_int.h"

#include "base/pack.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 1000 };
static const double AGREE = 1e-12; /* known values, relative to what is added up */

/* ---- life ---- */

void singular_open(World *world)
{
    world->singular = mem_alloc(world->mem, sizeof *world->singular);
    world->singular->exact = exact_open(world->mem);
    world->singular->moves = exact_open(world->mem);
}

void singular_close(World *world)
{
    Singular *s = world->singular;
    Mem *mem = world->mem;
    if (!s)
        return;
    exact_close(s->exact);
    exact_close(s->moves);
    vec_free(mem, &s->whole);
    vec_free(mem, &s->column);
    vec_free(mem, &s->columns);
    vec_free(mem, &s->rows);
    vec_free(mem, &s->loops);
    vec_free(mem, &s->row_columns);
    vec_free(mem, &s->row_factors);
    vec_free(mem, &s->sum.rels);
    vec_free(mem, &s->sum.times);
    vec_free(mem, &s->sum.vars);
    vec_free(mem, &s->sum.factors);
    map_free(mem, &s->replaced);
    vec_free(mem, &s->bound);
    vec_free(mem, &s->spread);
    map_free(mem, &s->tried);
    map_free(mem, &s->held);
    vec_free(mem, &s->island);
    vec_free(mem, &s->parent);
    vec_free(mem, &s->turned);
    vec_free(mem, &s->roots);
    vec_free(mem, &s->cells);
    vec_free(mem, &s->amount);
    vec_free(mem, &s->watched);
    vec_free(mem, &s->watched_amount);
    vec_free(mem, &s->again);
    map_free(mem, &s->fixed);
    map_free(mem, &s->seen);
    map_free(mem, &s->told);
    map_free(mem, &s->aside);
    keep_close(world);
    drop_notes(world);
    vec_free(mem, &s->notes);
    mem_free(mem, s);
}

/* What lives between two commits; the commands that were given are in the DDP. */
void singular_pack(World *world, Pack *p)
{
    pack_map(p, &world->singular->held);
    pack_map(p, &world->singular->told);
    pack_map(p, &world->singular->aside);
    PACK_LIST(p, &world->singular->loops);
    PACK(p, world->singular->looked_at);
    keep_pack(world, p);
}

/* ---- which equations ---- */

/* The factor of a position where it is a whole number; false: it is none, or no number. */
bool singular_whole_factor(const World *world, const FormPosition *position, int64_t *factor)
{
    XNode node = position->factor ? x_node(world->forms, position->factor) : (XNode){.op = X_POS};
    *factor = 0;
    if (node.op != X_CONST || !(fabs(node.k) <= LARGEST) || node.k != round(node.k))
        return false;
    *factor = (int64_t)node.k;
    return true;
}

static bool calls_nobody(const World *world, const FormInfo *info)
{
    X roots[2] = {info->lhs, info->rhs};
    uint32_t n;
    X *nodes = x_nodes(world->forms, world->mem, 2, roots, &n);
    bool none = true;
    for (uint32_t i = 0; i < n; i++)
        none &= x_node(world->forms, nodes[i]).op != X_CALL;
    mem_free(world->mem, nodes);
    return none;
}

static bool form_whole(const World *world, Form form)
{
    const FormInfo *info = form_info(world->forms, form);
    int64_t factor;
    for (uint32_t k = 0; k < info->n; k++)
        if (info->position[k].occurs && !singular_whole_factor(world, &info->position[k], &factor))
            return false;
    return calls_nobody(world, info);
}

bool singular_whole(World *world, const DdpRelView *view)
{
    Singular *s = world->singular;
    if (view->kind != DDP_EQUATION)
        return false;
    while (s->whole.n <= view->form)
        vec_push(world->mem, &s->whole, 0);
    if (!s->whole.at[view->form])
        s->whole.at[view->form] = form_whole(world, view->form) ? 1 : 2;
    return s->whole.at[view->form] == 1;
}

int64_t singular_factor(const World *world, Form form, uint32_t position)
{
    const FormPosition *at = &form_info(world->forms, form)->position[position];
    int64_t factor = 0;
    if (at->occurs)
        singular_whole_factor(world, at, &factor);
    return factor;
}

/* ---- a system ---- */

uint32_t singular_column(World *world, DdpVar var)
{
    Singular *s = world->singular;
    while (s->column.n <= var)
        vec_push(world->mem, &s->column, 0);
    if (!s->column.at[var]) {
        vec_push(world->mem, &s->columns, var);
        s->column.at[var] = s->columns.n;
    }
    return s->column.at[var] - 1;
}

void singular_forget_columns(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < s->columns.n; i++)
        s->column.at[s->columns.at[i]] = 0;
    vec_clear(&s->columns);
}

static uint32_t known_column(const Singular *s, DdpVar var)
{
    return var < s->column.n ? s->column.at[var] : 0;
}

/* Derivatives of relations are summed as the relations themselves. */
static void add_row(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    DdpRelView view = ddp_rel(world->ddp, rel);
    s->looked_at++;
    if (!singular_whole(world, &view))
        return;
    if (view.order) {
        DdpRelView origin = ddp_rel(world->ddp, view.origin);
        if (!singular_whole(world, &origin))
            return;
    }
    vec_clear(&s->row_columns);
    vec_clear(&s->row_factors);
    for (uint32_t k = 0; k < view.n; k++) {
        uint32_t column = view.vars[k] ? known_column(s, view.vars[k]) : 0;
        if (!column)
            continue;
        vec_push(world->mem, &s->row_columns, column - 1);
        vec_push(world->mem, &s->row_factors, singular_factor(world, view.form, k));
    }
    exact_row(s->exact, s->row_columns.n, s->row_columns.at, s->row_factors.at);
    vec_push(world->mem, &s->rows, rel);
}

static void begin_examination(World *world)
{
    map_free(world->mem, &world->singular->replaced);
    map_free(world->mem, &world->singular->fixed);
}

static void begin_system(World *world)
{
    exact_begin(world->singular->exact, world->singular->columns.n);
    vec_clear(&world->singular->rows);
}

/* ---- what is left of a sum ---- */

static void add_term(World *world, Dependence *sum, DdpVar var, int64_t factor)
{
    uint32_t column = singular_column(world, var);
    while (sum->vars.n <= column) {
        DdpVar next = world->singular->columns.at[sum->vars.n];
        vec_push(world->mem, &sum->vars, next);
        vec_push(world->mem, &sum->factors, 0);
    }
    sum->factors.at[column] += factor;
}

static void add_relation(World *world, Dependence *sum, DdpRel rel, int64_t times)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    const FormInfo *form = form_info(world->forms, view.form);
    uint32_t *zero = mem_alloc(world->mem, (form->n + 1) * sizeof *zero);
    double nothing = 0;
    double left = x_value(world->forms, form->lhs, zero, &nothing, NULL, NULL);
    double right = x_value(world->forms, form->rhs, zero, &nothing, NULL, NULL);
    sum->constant += (double)times * (left - right);
    sum->scale += fabs((double)times) * (fabs(left) + fabs(right));
    for (uint32_t k = 0; k < form->n; k++)
        add_term(world, sum, view.vars[k], times * singular_factor(world, view.form, k));
    vec_push(world->mem, &sum->rels, rel);
    vec_push(world->mem, &sum->times, times);
    mem_free(world->mem, zero);
}

static void drop_zeros(Dependence *sum)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sum->vars.n; i++) {
        if (sum->factors.at[i] == 0)
            continue;
        sum->vars.at[n] = sum->vars.at[i];
        sum->factors.at[n++] = sum->factors.at[i];
    }
    sum->vars.n = sum->factors.n = n;
}

/* False: it mixes derivatives of different order, its numbers are too large, or it contains what this
 * examination has replaced: then the next one will see what is left. */
static bool collect(World *world, ExactSum found)
{
    enum { BOUND = 1000 * 1000 * 1000 };
    Singular *s = world->singular;
    Dependence *sum = &s->sum;
    uint32_t order = found.n ? ddp_rel(world->ddp, s->rows.at[found.rows[0]]).order : 0;
    bool fine = found.n > 0;
    vec_clear(&sum->rels);
    vec_clear(&sum->times);
    vec_clear(&sum->vars);
    vec_clear(&sum->factors);
    sum->constant = sum->scale = 0;
    for (uint32_t i = 0; i < found.n && fine; i++) {
        DdpRelView view = ddp_rel(world->ddp, s->rows.at[found.rows[i]]);
        fine = view.order == order && found.times[i] <= BOUND && found.times[i] >= -BOUND &&
               !map_get(&s->replaced, view.origin);
    }
    for (uint32_t i = 0; i < found.n && fine; i++)
        add_relation(world, sum, ddp_rel(world->ddp, s->rows.at[found.rows[i]]).origin,
                     found.times[i]);
    singular_forget_columns(world);
    drop_zeros(sum);
    return fine;
}

typedef enum Left { LEFT_RELATION, LEFT_NOTHING, LEFT_CONTRADICTION } Left;

static Left what_is_left(const World *world, const Dependence *sum)
{
    double total = sum->constant, scale = sum->scale;
    for (uint32_t i = 0; i < sum->vars.n; i++) {
        DdpVarKind kind = ddp_var(world->ddp, sum->vars.at[i]).kind;
        double value;
        if ((kind != DDP_KNOWN && kind != DDP_HELD) ||
            !world->host.read(world->host.context, sum->vars.at[i], &value))
            return LEFT_RELATION;
        total += (double)sum->factors.at[i] * value;
        scale += fabs((double)sum->factors.at[i] * value);
    }
    return fabs(total) <= AGREE * scale ? LEFT_NOTHING : LEFT_CONTRADICTION;
}

/* ---- commands ---- */

/* One that is there once rather than several times, and always rather than in a branch. */
static DdpRel choose(const World *world, const Dependence *sum)
{
    DdpRel best = sum->rels.at[0];
    int worth = 0;
    for (uint32_t i = 0; i < sum->rels.n; i++) {
        bool once = sum->times.at[i] == 1 || sum->times.at[i] == -1;
        int value = 1 + once + 2 * !ddp_rel(world->ddp, sum->rels.at[i]).logic;
        if (value >= worth)
            best = sum->rels.at[i];
        worth = value > worth ? value : worth;
    }
    return best;
}

/* factors * positions, from `first` on */
static X weighted(const World *world, uint32_t n, const int64_t *factors, uint32_t first)
{
    FormTable *forms = world->forms;
    X x = 0;
    for (uint32_t i = 0; i < n; i++) {
        double factor = (double)factors[i];
        X term = x_pos(forms, first + i);
        if (fabs(factor) != 1)
            term = x_binary(forms, X_MUL, x_const(forms, fabs(factor)), term);
        if (x)
            x = x_binary(forms, factor > 0 ? X_ADD : X_SUB, x, term);
        else
            x = factor > 0 ? term : x_unary(forms, X_NEG, term);
    }
    return x ? x : x_const(forms, 0);
}

static X left_expression(const World *world, const Dependence *sum, uint32_t first)
{
    return weighted(world, sum->vars.n, sum->factors.at, first);
}

/* The equations besides the one that is replaced. */
static uint32_t others_of(const Dependence *sum, DdpRel rel, DdpRel *others)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sum->rels.n; i++)
        if (sum->rels.at[i] != rel)
            others[n++] = sum->rels.at[i];
    return n;
}

typedef enum Command { COMMAND_LEFT, COMMAND_FIX, COMMAND_MIDDLE, COMMAND_ASIDE } Command;

/* What moves is free to do so as long as nobody else names it (singular_entered). */
static void hold_island(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < s->island.n; i++)
        map_put(world->mem, &s->held, s->island.at[i], rel);
}

/* In the place of one of its equations: what is left of them; that `var` is 0; that what is watched is as small as can be; or
 * nothing. */
static DdpRel give(World *world, Command what, DdpVar var)
{
    Singular *s = world->singular;
    Dependence *sum = &s->sum;
    FormTable *forms = world->forms;
    DdpRel kept = what == COMMAND_FIX ? keep_choice(world) : 0;
    DdpRel rel = kept ? kept : choose(world, sum);
    DdpRel *others = mem_alloc(world->mem, (sum->rels.n + 1) * sizeof *others);
    uint32_t n = others_of(sum, rel, others);
    X zero = x_const(forms, 0);
    if (kept)
        ddp_combine_kept(world->ddp, rel, form_make(forms, x_pos(forms, 0), zero, 1), 1, &var, n,
                         others);
    else if (what == COMMAND_FIX)
        ddp_combine(world->ddp, rel, form_make(forms, x_pos(forms, 0), zero, 1), 1, &var, n,
                    others);
    else if (what == COMMAND_MIDDLE)
        ddp_combine(world->ddp, rel,
                    form_make(forms, weighted(world, s->watched.n, s->watched_amount.at, 0), zero,
                              s->watched.n),
                    s->watched.n, s->watched.at, n, others);
    else if (what == COMMAND_LEFT)
        ddp_combine(world->ddp, rel,
                    form_make(forms, left_expression(world, sum, 0), x_const(forms, -sum->constant),
                              sum->vars.n),
                    sum->vars.n, sum->vars.at, n, others);
    else
        ddp_set_aside(world->ddp, rel,
                      form_make(forms, x_pos(forms, 0),
                                x_binary(forms, X_ADD, left_expression(world, sum, 1),
                                         x_const(forms, sum->constant)),
                                sum->vars.n + 1),
                      sum->vars.n, sum->vars.at, n, others);
    map_put(world->mem, &s->replaced, rel, 1);
    if (kept)
        keep_island(world, rel);
    else if (what == COMMAND_FIX || what == COMMAND_MIDDLE)
        hold_island(world, rel);
    mem_free(world->mem, others);
    return rel;
}

/* ---- what ends by what comes ---- */

/* A relation names what was free to move when nobody but others did: perhaps it no longer is. The
 * equation comes back, and the next examination sees. */
void singular_entered(World *world, DdpRel rel, uint32_t n, const DdpVar *vars)
{
    Singular *s = world->singular;
    if (s->n_kept)
        keep_entered(world, rel, n, vars);
    if (!s->held.n)
        return;
    for (uint32_t i = 0; i < n; i++) {
        DdpRel held = map_get(&s->held, vars[i]);
        if (!held)
            continue;
        map_remove(&s->held, vars[i]);
        ddp_end_combination(world->ddp, held);
    }
}

static void fix_island(World *world, DdpVar floating)
{
    Singular *s = world->singular;
    bool blocked = s->watched.n > 0;
    DdpRel rel = give(world, blocked ? COMMAND_MIDDLE : COMMAND_FIX, floating);
    for (uint32_t i = 0; i < s->watched.n; i++)
        map_put(world->mem, &s->fixed, s->watched.at[i], 1);
    map_put(world->mem, &s->fixed, floating, 1);
    if (blocked)
        tell_blocked(world, rel);
    else
        tell_island(world, rel, floating);
}

/* Equations may be set aside where that leaves everything determined. In a loop it does not: as many
 * variables as equations, so some are not determined then. */
static void nothing_left(World *world, bool loop, bool spare)
{
    Dependence *sum = &world->singular->sum;
    DdpVar floating = singular_floating(world, sum);
    if (floating) {
        fix_island(world, floating);
    } else if (spare) {
        DdpRel rel = give(world, COMMAND_ASIDE, 0);
        tell_aside(world, sum, rel);
    } else if (loop && world->singular->deferred) {
        world->singular->later = true;
    } else if (loop) {
        give(world, COMMAND_LEFT, 0);
    }
}

/* ---- sums that others close ---- */

/* An equation that names nothing unknown but the variable, once: 0: there is none. */
static DdpRel fixed_by(World *world, DdpVar var, int64_t *factor)
{
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        DdpRelView view = ddp_rel(world->ddp, rel);
        uint32_t unknown = 0;
        if (view.order || !singular_whole(world, &view))
            continue;
        for (uint32_t k = 0; k < view.n; k++) {
            unknown += ddp_var(world->ddp, view.vars[k]).kind == DDP_UNKNOWN;
            if (view.vars[k] == var)
                *factor = singular_factor(world, view.form, k);
        }
        if (unknown == 1 && (*factor == 1 || *factor == -1))
            return rel;
    }
    return 0;
}

/* What is left of the sum are currents that equations outside of the loop fix, at the open end of a line: with these nothing is
 * left. */
static bool close_sum(World *world)
{
    Dependence *sum = &world->singular->sum;
    uint32_t n = sum->vars.n;
    bool fixed = true;
    for (uint32_t i = 0; i < n; i++)
        singular_column(world, sum->vars.at[i]);
    for (uint32_t i = 0; i < n && fixed; i++) {
        int64_t factor = 0;
        DdpRel rel = fixed_by(world, sum->vars.at[i], &factor);
        fixed = rel != 0;
        if (rel)
            add_relation(world, sum, rel, -factor * sum->factors.at[i]);
    }
    singular_forget_columns(world);
    drop_zeros(sum);
    return fixed && what_is_left(world, sum) == LEFT_NOTHING;
}

static bool floats_when_closed(World *world, uint32_t index)
{
    Singular *s = world->singular;
    DdpVar floating = close_sum(world) ? singular_floating(world, &s->sum) : 0;
    if (floating)
        fix_island(world, floating);
    else
        collect(world, exact_sum(s->exact, index));
    return floating != 0;
}

/* ---- where to look ---- */

/* In a loop, or in what is overdetermined. */
static void examine_sums(World *world, bool loop, bool spare)
{
    Singular *s = world->singular;
    exact_eliminate(s->exact);
    singular_forget_columns(world);
    for (uint32_t i = 0; i < exact_sum_count(s->exact); i++) {
        if (!collect(world, exact_sum(s->exact, i)))
            continue;
        Left left = what_is_left(world, &s->sum);
        if (left == LEFT_NOTHING) {
            nothing_left(world, loop, spare);
        } else if (loop && (left != LEFT_RELATION || !floats_when_closed(world, i))) {
            give(world, COMMAND_LEFT, 0);
            if (left == LEFT_RELATION)
                tell_hidden(world, &s->sum);
        }
    }
}

static DdpVar any_output(const DdpNodeView *view)
{
    return view->n_tears ? view->tears[0] : view->steps[0].var;
}

static void examine_loop(World *world, const DdpNodeView *view)
{
    world->singular->later = false;
    for (uint32_t i = 0; i < view->n_steps; i++)
        singular_column(world, view->steps[i].var);
    for (uint32_t i = 0; i < view->n_tears; i++)
        singular_column(world, view->tears[i]);
    begin_system(world);
    for (uint32_t i = 0; i < view->n_steps; i++)
        add_row(world, view->steps[i].rel);
    for (uint32_t i = 0; i < view->n_tears; i++)
        add_row(world, view->residuals[i].rel);
    examine_sums(world, true, false);
    if (world->singular->later)
        vec_push(world->mem, &world->singular->again, any_output(view));
}

static void enter_part(World *world, const DdpPart *part)
{
    for (uint32_t i = 0; i < part->n_vars; i++)
        singular_column(world, part->vars[i]);
    begin_system(world);
    for (uint32_t i = 0; i < part->n_rels; i++)
        add_row(world, part->rels[i]);
}

static void examine_over(World *world, const DdpResult *result)
{
    DdpPart over = ddp_diagnose(world->ddp).over;
    enter_part(world, &over);
    examine_sums(world, false, result->free_vars == 0);
}

/* ---- when ---- */

/* Loops that this commit made wait for those that branches will make: while an `if` has not chosen its
 * branch, equations are missing, and what looks singular is not. */
static void note_loops(World *world)
{
    uint32_t n;
    const DdpDelta *delta = ddp_delta(world->ddp, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (delta[i].change != DDP_NODE_NEW && delta[i].change != DDP_NODE_CHANGED)
            continue;
        DdpNodeView view = ddp_node(world->ddp, delta[i].node);
        if (view.loop)
            vec_push(world->mem, &world->singular->loops, any_output(&view));
    }
}

static void examine_loops(World *world)
{
    Singular *s = world->singular;
    DdpNode last = 0;
    for (uint32_t i = 0; i < s->loops.n; i++) {
        DdpVar var = s->loops.at[i];
        DdpNode node = ddp_var_used(world->ddp, var) ? ddp_node_of(world->ddp, var) : 0;
        if (!node || node == last)
            continue;
        DdpNodeView view = ddp_node(world->ddp, node);
        if (view.loop)
            examine_loop(world, &view);
        last = node;
    }
    vec_clear(&s->loops);
    for (uint32_t i = 0; i < s->again.n; i++)
        vec_push(world->mem, &s->loops, s->again.at[i]);
    vec_clear(&s->again);
}

static void examine(World *world, const DdpResult *result)
{
    begin_examination(world);
    keep_examine(world);
    note_loops(world);
    world->singular->initial = world_set_initial_aside(world, result);
    world->singular->opened = false;
    if (world->newborn.n || world->singular->initial)
        return;
    if (result->verdict == DDP_UNDERDETERMINED)
        world->singular->opened = connect_open_ends(world);
    else if (result->verdict == DDP_OVERDETERMINED)
        world->singular->opened = connect_close_ends(world);
    if (world->singular->opened)
        return;
    examine_loops(world);
    if (result->verdict == DDP_OVERDETERMINED)
        examine_over(world, result);
}

static void examine_node(World *world, DdpNode node)
{
    DdpNodeView view = ddp_node(world->ddp, node);
    begin_examination(world);
    if (view.loop)
        examine_loop(world, &view);
}

static bool gave_commands(World *world, const DdpResult *result, DdpNode node)
{
    if (world->exhausted)
        return false;
    MemGuard guard;
    mem_guard_push(world->mem, &guard);
    if (setjmp(guard.env) == 0) {
        if (node)
            examine_node(world, node);
        else
            examine(world, result);
        mem_guard_pop(world->mem, &guard);
    } else {
        world_exhausted(world);
    }
    return !world->exhausted && (world->singular->replaced.n > 0 ||
                                 (!node && (world->singular->initial || world->singular->opened)));
}

bool world_examine(World *world, const DdpResult *result)
{
    return gave_commands(world, result, 0);
}

bool world_examine_loop(World *world, DdpNode node)
{
    return gave_commands(world, NULL, node);
}

/* ---- for messages ---- */

/* What is held is held by a transmission: that there is an equation too many says more. */
static bool names_held(const World *world, const Dependence *sum)
{
    DdpCombination made;
    bool held = false;
    for (uint32_t i = 0; i < sum->vars.n; i++)
        held |= ddp_var(world->ddp, sum->vars.at[i]).kind == DDP_HELD;
    for (uint32_t i = 0; i < sum->rels.n; i++)
        held &= !ddp_combination(world->ddp, sum->rels.at[i], &made);
    return held;
}

/* Equations of the part that contradict each other, or at least say the same; as many as need be. */
DdpPart singular_dependent(World *world, const DdpPart *over, bool *contradict)
{
    Singular *s = world->singular;
    DdpPart found = {0};
    *contradict = false;
    enter_part(world, over);
    exact_eliminate(s->exact);
    singular_forget_columns(world);
    begin_examination(world);
    for (uint32_t i = 0; i < exact_sum_count(s->exact) && !*contradict; i++) {
        if (!collect(world, exact_sum(s->exact, i)) || names_held(world, &s->sum))
            continue;
        *contradict = what_is_left(world, &s->sum) == LEFT_CONTRADICTION;
        DdpRel *rels = arena_alloc(&world->arena, s->sum.rels.n * sizeof *rels);
        memcpy(rels, s->sum.rels.at, s->sum.rels.n * sizeof *rels);
        found = (DdpPart){.n_rels = s->sum.rels.n, .rels = rels};
    }
    return found;
}

uint64_t world_examined(const World *world)
{
    return world->singular->looked_at;
}
