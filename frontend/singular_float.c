/* singular_float.c: equations that sum up all flows of a part -> a potential of it that may have any value.
 *
 * Potentials float when they may all move and every equation stays true. That can be decided exactly for
 * variables that nothing but equations with whole factors names (the *plain* ones: potentials, and voltages
 * that nobody uses): all others must not move. An equation with a plain variable of its own stays true
 * whatever happens to the rest, because that variable follows; so an open switch does not hold what is
 * behind it, and the search does not pass through it. From one potential on, all that the other equations
 * lead to is looked at: a way to move is a sum of columns that vanishes.
 */
#include "frontend/singular_int.h"

enum { PLAIN = 1, FIXED = 2 };

static uint64_t var_key(DdpVar var)
{
    return (uint64_t)1 << 32 | var;
}

static bool is_plain(World *world, DdpVar var)
{
    uint32_t known = map_get(&world->singular->seen, var_key(var)), cursor = 0;
    if (known)
        return known == PLAIN;
    DdpVarView view = ddp_var(world->ddp, var);
    bool plain = view.kind == DDP_UNKNOWN && view.order == 0;
    for (DdpRel rel; plain && (rel = ddp_next_use(world->ddp, var, &cursor));) {
        DdpRelView use = ddp_rel(world->ddp, rel);
        plain = use.logic != var && singular_whole(world, &use);
    }
    map_put(world->mem, &world->singular->seen, var_key(var), plain ? PLAIN : FIXED);
    return plain;
}

/* Does a variable of its own make the equation true, wherever the others are? */
static bool gives_way(World *world, const DdpRelView *view, DdpVar asked)
{
    for (uint32_t k = 0; k < view->n; k++)
        if (view->vars[k] != asked && ddp_use_count(world->ddp, view->vars[k]) == 1 &&
            is_plain(world, view->vars[k]))
            return true;
    return false;
}

/* A relation among those that must stay true: its number + 1; 0: it need not be looked at. */
static uint32_t row_of(World *world, DdpRel rel, DdpVar asked)
{
    Singular *s = world->singular;
    uint32_t row = map_get(&s->seen, rel);
    if (row)
        return row - 1;
    DdpRelView view = ddp_rel(world->ddp, rel);
    s->looked_at++;
    if (!gives_way(world, &view, asked)) {
        vec_push(world->mem, &s->bound, rel);
        row = s->bound.n;
        for (uint32_t k = 0; k < view.n; k++)
            if (is_plain(world, view.vars[k]))
                singular_column(world, view.vars[k]);
    }
    map_put(world->mem, &s->seen, rel, row + 1);
    return row;
}

static int64_t factor_in(const World *world, DdpRel rel, DdpVar var)
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    for (uint32_t k = 0; k < view.n; k++)
        if (view.vars[k] == var)
            return singular_factor(world, view.form, k);
    return 0;
}

/* What a variable does to the equations is a row here. */
static void enter_var(World *world, DdpVar var, DdpVar asked)
{
    Singular *s = world->singular;
    uint32_t cursor = 0;
    vec_clear(&s->row_columns);
    vec_clear(&s->row_factors);
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        uint32_t row = row_of(world, rel, asked);
        if (!row)
            continue;
        vec_push(world->mem, &s->row_columns, row - 1);
        vec_push(world->mem, &s->row_factors, factor_in(world, rel, var));
    }
    exact_row(s->moves, s->row_columns.n, s->row_columns.at, s->row_factors.at);
}

static void gather(World *world, DdpVar asked)
{
    Singular *s = world->singular;
    map_free(world->mem, &s->seen);
    vec_clear(&s->bound);
    singular_column(world, asked);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        uint32_t cursor = 0;
        for (DdpRel rel; (rel = ddp_next_use(world->ddp, s->columns.at[i], &cursor));)
            row_of(world, rel, asked);
    }
    exact_begin(s->moves, s->bound.n);
    for (uint32_t i = 0; i < s->columns.n; i++)
        enter_var(world, s->columns.at[i], asked);
    exact_eliminate(s->moves);
}

static const Inst *connector_of(const World *world, DdpVar var)
{
    WorldVar view;
    bool is = world_var(world, var, &view) && view.member && view.member->con == CON_POTENTIAL;
    return is && view.owner ? world_at(world, view.owner) : NULL;
}

/* What this examination has fixed does not float, though the DDP does not know it yet. */
static bool was_fixed(const Singular *s)
{
    for (uint32_t i = 0; i < s->island.n && s->fixed.n; i++)
        if (map_get(&s->fixed, s->island.at[i]))
            return true;
    return false;
}

/* A way to move that takes a potential along, as a list of variables. */
static bool find_island(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < exact_sum_count(s->moves); i++) {
        ExactSum sum = exact_sum(s->moves, i);
        bool pins = false;
        vec_clear(&s->island);
        for (uint32_t k = 0; k < sum.n; k++) {
            vec_push(world->mem, &s->island, s->columns.at[sum.rows[k]]);
            pins |= connector_of(world, s->columns.at[sum.rows[k]]) != NULL;
        }
        if (pins && !was_fixed(s))
            return true;
    }
    return false;
}

/* Variables of the equations that gave way move, too: pins that nothing holds but their connection, voltages of
 * open switches. */
static void add_followers(World *world)
{
    Singular *s = world->singular;
    uint32_t n = s->island.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cursor = 0;
        for (DdpRel rel; (rel = ddp_next_use(world->ddp, s->island.at[i], &cursor));) {
            DdpRelView view = ddp_rel(world->ddp, rel);
            for (uint32_t k = 0; k < view.n; k++)
                if (view.vars[k] != s->island.at[i] &&
                    ddp_use_count(world->ddp, view.vars[k]) == 1 && is_plain(world, view.vars[k]))
                    vec_push(world->mem, &s->island, view.vars[k]);
        }
    }
}

/* What was looked at from another potential need not be looked at again. */
static bool floats(World *world, DdpVar var)
{
    Singular *s = world->singular;
    if (map_get(&s->tried, var))
        return false;
    map_free(world->mem, &s->seen);
    if (!is_plain(world, var))
        return false;
    gather(world, var);
    bool found = find_island(world);
    for (uint32_t i = 0; i < s->columns.n; i++)
        map_put(world->mem, &s->tried, s->columns.at[i], 1);
    singular_forget_columns(world);
    if (found)
        add_followers(world);
    return found;
}

/* Of what floats: the last pin of the component that was there first. */
static DdpVar choose_pin(World *world)
{
    Singular *s = world->singular;
    InstId first = UINT32_MAX;
    DdpVar best = 0;
    for (uint32_t i = 0; i < s->island.n; i++) {
        const Inst *pin = connector_of(world, s->island.at[i]);
        if (!pin || pin->owner > first || (pin->owner == first && s->island.at[i] < best))
            continue;
        first = pin->owner;
        best = s->island.at[i];
    }
    return best;
}

/* Potentials of the node whose flows the relation sums up, one by one. */
static DdpVar floating_at(World *world, DdpRel rel)
{
    const Connect *c = world->connect;
    OwnerInfo owner = world_rel_info(world, rel);
    if (owner.tag != OWNER_SUM || c->sum.at[owner.who].level > 0)
        return 0;
    const Node *node = &c->node.at[c->sum.at[owner.who].child[0]];
    const Bundle *bundle = connect_bundle(c, world_at(world, node->inst), node->bundle);
    for (uint32_t i = 0; bundle && i < bundle->n_potentials; i++) {
        DdpVar var = connect_terminal(c, node->inst, &bundle->potentials[i]);
        if (var && floats(world, var))
            return choose_pin(world);
    }
    return 0;
}

/* The equations, and those that they were made of when they are combinations themselves. */
static void spread(World *world, const Dependence *sum)
{
    Singular *s = world->singular;
    DdpCombination c;
    vec_clear(&s->spread);
    map_free(world->mem, &s->tried);
    for (uint32_t i = 0; i < sum->rels.n; i++)
        vec_push(world->mem, &s->spread, sum->rels.at[i]);
    for (uint32_t i = 0; i < s->spread.n; i++) {
        if (map_get(&s->tried, s->spread.at[i]) ||
            !ddp_combination(world->ddp, s->spread.at[i], &c))
            continue;
        map_put(world->mem, &s->tried, s->spread.at[i], 1);
        for (uint32_t k = 0; k < c.n_others; k++)
            vec_push(world->mem, &s->spread, c.others[k]);
    }
    map_free(world->mem, &s->tried);
}

DdpVar singular_floating(World *world, const Dependence *sum)
{
    Singular *s = world->singular;
    DdpVar found = 0;
    spread(world, sum);
    for (uint32_t i = 0; i < s->spread.n && !found; i++)
        found = floating_at(world, s->spread.at[i]);
    return found;
}
