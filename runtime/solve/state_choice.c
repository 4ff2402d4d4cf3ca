/* state_choice.c: a level of the DDP and values -> which of its variables should be states.
 *
 * The relations of a level (ddp_level) are constraints between its variables; some of these are
 * states, the others are computed from them. Structure alone cannot say whether that is possible at
 * the present point: of a pendulum that lies level, x does not determine y, and a sliding joint
 * that a wheel holds fast can never have a speed of its own. So the relations' derivatives are
 * taken at the present values, and choose_columns.c says which variables should be computed; the
 * rest are states, and the DDP is advised so.
 *
 * Sizes are measured by the largest value a variable has had; but an angle that has turned often is
 * large and moves no farther for that, so of what motion has made, only as much counts as is made in
 * the time in which the quickest of the level moves by its size. A speed is measured as what it is
 * the speed of: constraints between speeds have the same factors as those between places, and at
 * rest all speeds are 0. Where the size is 0, it is the change that changes some relation by as much
 * as its other variables can.
 */
#include "runtime/solve/state_choice.h"

#include "base/map.h"
#include "runtime/solve/choose_columns.h"

#include <math.h>

typedef struct Level {
    Sim *sim;
    DdpLevel view;
    Map index; /* variable -> column + 1 */
    Arena arena;
    uint32_t *first;
    ColumnEntry *entry;
    double *scale;
    DdpRel *der; /* [column]: by which it is or could be a state, or 0 */
    bool finite;
} Level;

/* ---- derivatives ---- */

/* Of the relation left - right = 0 by those of its variables that belong to the level. */
static uint32_t fill_row(Level *l, uint32_t i, uint32_t at)
{
    Sim *sim = l->sim;
    DdpRelView rel = ddp_rel(sim->ddp, l->view.rels[i]);
    const FormInfo *form = form_info(sim->forms, rel.form);
    const Code *code = evaluate_make_code(sim, x_binary(sim->forms, X_SUB, form->lhs, form->rhs));
    l->first[i] = at;
    for (uint32_t k = 0; k < rel.n; k++) {
        uint32_t column = rel.vars[k] ? map_get(&l->index, rel.vars[k]) : 0;
        const double *tangents;
        if (!column || !form->position[k].occurs)
            continue;
        sim->tangent[rel.vars[k]] = 1;
        interp_tangent(code, rel.vars, sim->value, sim->tangent, evaluate_scratch(sim), &tangents,
                       evaluate_foreign, sim);
        sim->tangent[rel.vars[k]] = 0;
        l->finite = l->finite && isfinite(tangents[0]);
        l->entry[at++] = (ColumnEntry){column - 1, tangents[0]};
    }
    return at;
}

static void fill_rows(Level *l)
{
    uint32_t most = 0, at = 0;
    for (uint32_t i = 0; i < l->view.n_rels; i++)
        most += ddp_rel(l->sim->ddp, l->view.rels[i]).n;
    l->first = arena_alloc(&l->arena, (l->view.n_rels + 1) * sizeof *l->first);
    l->entry = arena_alloc(&l->arena, (most + 1) * sizeof *l->entry);
    l->finite = true;
    for (uint32_t i = 0; i < l->view.n_rels && l->finite; i++)
        at = fill_row(l, i, at);
    l->first[l->view.n_rels] = at;
}

/* ---- sizes ---- */

static double largest(const Level *l)
{
    double most = 0;
    for (uint32_t j = 0; j < l->view.n_vars; j++)
        most = fmax(most, l->scale[j]);
    return most;
}

/* The change of column j that changes relation i by as much as what is known in it can; INFINITY:
 * there is nothing to compare with. */
static double scale_by(const Level *l, uint32_t i, double factor)
{
    double unit = 0;
    for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++)
        unit = fmax(unit, fabs(l->entry[k].value) * l->scale[l->entry[k].column]);
    return unit > 0 ? unit / fabs(factor) : INFINITY;
}

/* Gives sizes to columns that have none; false when no relation knows any more. */
static bool find_scales(Level *l, double most)
{
    bool any = false;
    for (uint32_t i = 0; i < l->view.n_rels; i++)
        for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++) {
            const ColumnEntry *e = &l->entry[k];
            double scale =
                e->value != 0 && l->scale[e->column] == 0 ? scale_by(l, i, e->value) : INFINITY;
            if (!isfinite(scale))
                continue;
            l->scale[e->column] = fmin(scale, most);
            any = true;
        }
    return any;
}

void size_note(Sim *sim, DdpVar var)
{
    DdpVar root = ddp_level_root(sim->ddp, var), speed = ddp_level_above(sim->ddp, root);
    values_set_scale(sim, root, fmax(values_scale(sim, root), fabs(sim->value[root])));
    if (speed && sim->info[speed].has)
        values_set_scale(sim, speed, fmax(values_scale(sim, speed), fabs(sim->value[speed])));
}

double size_period(const Sim *sim, DdpVar var)
{
    DdpVar root = ddp_level_root(sim->ddp, var), speed = ddp_level_above(sim->ddp, root);
    double value = values_scale(sim, root), rate = speed ? values_scale(sim, speed) : 0;
    return value > 0 && rate > 0 ? value / rate : INFINITY;
}

double size_of(const Sim *sim, DdpVar var, double period)
{
    double size = values_scale(sim, ddp_level_root(sim->ddp, var)), own = size_period(sim, var);
    bool made_by_motion = own <= sim_clock(sim) - sim->opt.start;
    return made_by_motion && own > period ? size * period / own : size;
}

static void measure(Level *l)
{
    Sim *sim = l->sim;
    double period = INFINITY;
    l->scale = arena_alloc(&l->arena, l->view.n_vars * sizeof *l->scale);
    for (uint32_t j = 0; j < l->view.n_vars; j++)
        period = fmin(period, size_period(sim, l->view.vars[j]));
    for (uint32_t j = 0; j < l->view.n_vars; j++) {
        double value = fabs(sim->value[ddp_level_root(sim->ddp, l->view.vars[j])]);
        double size = size_of(sim, l->view.vars[j], period);
        l->scale[j] = size > 0 ? size : isfinite(value) ? value : 0;
    }
    double most = largest(l);
    for (uint32_t j = 0; j < l->view.n_vars; j++)
        if (l->scale[j] < 1e-6 * most)
            l->scale[j] = 0;
    while (most > 0 && find_scales(l, most))
        ;
    for (uint32_t j = 0; j < l->view.n_vars; j++)
        if (l->scale[j] == 0)
            l->scale[j] = most > 0 ? most : 1;
    for (uint32_t k = 0; k < l->first[l->view.n_rels]; k++)
        l->entry[k].value *= l->scale[l->entry[k].column];
}

/* ---- the choice ---- */

static bool open_level(Level *l, DdpVar var)
{
    Sim *sim = l->sim;
    uint32_t candidates = 0, states = 0;
    l->view = ddp_level(sim->ddp, var);
    l->der = arena_alloc(&l->arena, (l->view.n_vars + 1) * sizeof *l->der);
    for (uint32_t j = 0; j < l->view.n_vars; j++) {
        map_put(sim->mem, &l->index, l->view.vars[j], j + 1);
        l->der[j] = ddp_level_candidate(sim->ddp, l->view.vars[j]);
        candidates += l->der[j] != 0;
        states += l->der[j] && ddp_is_state(sim->ddp, l->view.vars[j]);
    }
    return states > 0 && states < candidates;
}

static const uint32_t NOT_PREFERRED = UINT32_C(2) << 29;

/* What the modeller prefers is rather a state than the rest, that rather than what he would avoid; what he declared first rather than
 * what he declared later. */
static uint32_t rank_of(const Sim *sim, DdpVar var, unsigned flags)
{
    uint32_t rank = ddp_var_rank(sim->ddp, var), last = (UINT32_C(1) << 29) - 1;
    uint32_t group = flags & DDP_ALWAYS_STATE   ? 0
                     : flags & DDP_PREFER_STATE ? 1
                     : flags & DDP_AVOID_STATE  ? 3
                                                : 2;
    return group << 29 | (rank < last ? rank : last);
}

/* By how much the bounds of what is to be avoided differ from those of others. */
static const double RELUCTANCE = 25;

/* An angle that has turned often is large and moves no farther for that: the bound grows with it.
 * Only of what is preferred, because there it is meant. */
static const double TURN = 6.28;

static double bound_of(const Level *l, uint32_t j, unsigned flags, const ChoiceBounds *bounds)
{
    return flags & DDP_ALWAYS_STATE   ? INFINITY
           : flags & DDP_PREFER_STATE ? bounds->preferred * fmax(1, l->scale[j] / TURN)
           : flags & DDP_AVOID_STATE  ? bounds->far / RELUCTANCE
                                      : bounds->far;
}

static bool choose(Level *l, const ChoiceBounds *bounds)
{
    Sim *sim = l->sim;
    uint32_t n = l->view.n_vars;
    bool *fixed = arena_alloc(&l->arena, n), *chosen = arena_alloc(&l->arena, n);
    uint32_t *rank = arena_alloc(&l->arena, n * sizeof *rank);
    double *far = arena_alloc(&l->arena, 2 * n * sizeof *far), *back = far + n;
    for (uint32_t j = 0; j < n; j++) {
        unsigned flags = l->der[j] ? ddp_rel(sim->ddp, l->der[j]).flags : 0;
        fixed[j] = !l->der[j] || flags & DDP_NEVER_STATE;
        chosen[j] = !ddp_is_state(sim->ddp, l->view.vars[j]);
        rank[j] = l->der[j] ? rank_of(sim, l->view.vars[j], flags) : 0;
        far[j] = bound_of(l, j, flags, bounds);
        back[j] = flags & DDP_AVOID_STATE ? RELUCTANCE : 1;
    }
    ColumnChoice choice = {l->view.n_rels, n,   l->first, l->entry, fixed,
                           rank,           far, back,     chosen,   0};
    if (bounds->insist)
        choice.out = NOT_PREFERRED;
    if (!choose_columns(sim->mem, &choice))
        return false;
    bool advised = false;
    for (uint32_t j = 0; j < n && bounds->on_the_way; j++)
        sim->info[l->view.vars[j]].exchanged |= l->der[j] != 0;
    for (uint32_t j = 0; j < n; j++) {
        int wish = chosen[j] ? -1 : 1;
        bool is = ddp_is_state(sim->ddp, l->view.vars[j]);
        if (!l->der[j])
            continue;
        if (ddp_state_advice(sim->ddp, l->der[j]) != wish)
            ddp_advise_state(sim->ddp, l->der[j], wish);
        else if (bounds->insist && is != (wish > 0))
            ddp_insist_on_state(sim->ddp, l->der[j]);
        else
            continue;
        advised = true;
    }
    return advised;
}

/* Opens the level of `var` unless it was seen; false: it was, or has nothing to choose. */
static bool open_unseen(Level *l, DdpVar var, Map *seen)
{
    Sim *sim = l->sim;
    if (!ddp_var_used(sim->ddp, var) || map_get(seen, var))
        return false;
    bool concerns = open_level(l, var);
    for (uint32_t j = 0; j < l->view.n_vars; j++)
        map_put(sim->mem, seen, l->view.vars[j], 1);
    return concerns;
}

static void close_level(Level *l)
{
    map_free(l->sim->mem, &l->index);
    arena_free(&l->arena);
}

bool state_choice_examine(Sim *sim, DdpVar var, const ChoiceBounds *bounds, Map *seen)
{
    Level l = {.sim = sim};
    bool advised = false;
    arena_init(&l.arena, sim->mem);
    if (open_unseen(&l, var, seen)) {
        fill_rows(&l);
        if (l.finite) {
            measure(&l);
            advised = choose(&l, bounds);
        }
    }
    close_level(&l);
    return advised;
}

void state_choice_mark(Sim *sim, DdpVar var, Map *seen)
{
    Level l = {.sim = sim};
    arena_init(&l.arena, sim->mem);
    if (open_unseen(&l, var, seen))
        for (uint32_t j = 0; j < l.view.n_vars; j++)
            sim->info[l.view.vars[j]].bound = l.der[j] && !(ddp_rel(sim->ddp, l.der[j]).flags &
                                                            (DDP_PREFER_STATE | DDP_ALWAYS_STATE));
    close_level(&l);
}
