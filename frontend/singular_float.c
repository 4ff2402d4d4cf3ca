/* singular_float.c: equations that sum up all flows of a part -> a potential of it that may have any value.
 *
 * Potentials float when they may all move and every equation stays true. That can be decided exactly for
 * variables that nothing but equations with whole factors names (the *plain* ones: potentials, and voltages
 * that nobody uses): all others must not move. An equation with a plain variable of its own stays true
 * whatever happens to the rest, because that variable follows; so an open switch does not hold what is
 * behind it, and the search does not pass through it. From one potential on, all that the other equations
 * lead to is looked at: a way to move is a sum of columns that vanishes.
 *
 * Conditions may read what moves: a diode that blocks watches its voltage. Then 0 is no answer, because it may be one at
 * which the diode would not block. The potential is where the sum of the squares of all that is watched is
 * smallest, as if all that block leaked equally: an equation with whole factors, too. If a diode does not block there, it closes
 * without a current, which is an answer again.
 */
#include "frontend/singular_int.h"

#include <stdlib.h>

enum { PLAIN = 1, FIXED = 2, WATCHED = 3 };

static uint64_t var_key(DdpVar var)
{
    return (uint64_t)1 << 32 | var;
}

/* A condition that reads it. */
static bool is_watch(const World *world, const DdpRelView *use, DdpVar var)
{
    WorldVar target;
    return use->kind == DDP_TRANSMISSION && use->vars[0] != var && use->logic != var &&
           world_var(world, use->vars[0], &target) && target.type == TYPE_BOOLEAN;
}

static const Inst *connector_of(const World *world, DdpVar var)
{
    WorldVar view;
    bool is = world_var(world, var, &view) && view.member && view.member->con == CON_POTENTIAL;
    return is && view.owner ? world_at(world, view.owner) : NULL;
}

/* Of the relations that name it, how many are no conditions; *watched: there are some that are. 0: one of them does not allow
 * that it moves. */
static uint32_t count_uses(World *world, DdpVar var, bool *watched)
{
    uint32_t n = 0, cursor = 0;
    *watched = false;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        DdpRelView use = ddp_rel(world->ddp, rel);
        bool watch = is_watch(world, &use, var);
        if (!watch && (use.logic == var || !singular_whole(world, &use)))
            return 0;
        *watched |= watch;
        n += !watch;
    }
    return n;
}

static uint32_t kind_of(World *world, DdpVar var)
{
    uint32_t known = map_get(&world->singular->seen, var_key(var));
    if (known)
        return known;
    DdpVarView view = ddp_var(world->ddp, var);
    bool plain = view.kind == DDP_UNKNOWN && view.order == 0, watched = false;
    plain = plain && count_uses(world, var, &watched) > 0 &&
            !(watched && connector_of(world, var)); /* who asks for a potential wants a ground */
    known = !plain ? FIXED : watched ? WATCHED : PLAIN;
    map_put(world->mem, &world->singular->seen, var_key(var), known);
    return known;
}

bool float_is_plain(World *world, DdpVar var)
{
    return kind_of(world, var) != FIXED;
}

/* Does no other equation name it? */
bool float_is_own(World *world, DdpVar var)
{
    bool watched;
    return float_is_plain(world, var) &&
           (ddp_use_count(world->ddp, var) == 1 || count_uses(world, var, &watched) == 1);
}

/* Does a variable of its own make the equation true, wherever the others are? */
bool float_gives_way(World *world, const DdpRelView *view, DdpVar asked)
{
    for (uint32_t k = 0; k < view->n; k++)
        if (view->vars[k] != asked && float_is_own(world, view->vars[k]))
            return true;
    return false;
}

/* A relation that must stay true, unless it gives way. */
static void look_at(World *world, DdpRel rel, DdpVar asked)
{
    Singular *s = world->singular;
    if (map_get(&s->seen, rel))
        return;
    DdpRelView view = ddp_rel(world->ddp, rel);
    map_put(world->mem, &s->seen, rel, 1);
    if (view.kind == DDP_TRANSMISSION) /* it watches */
        return;
    s->looked_at++;
    if (float_gives_way(world, &view, asked))
        return;
    vec_push(world->mem, &s->bound, rel);
    for (uint32_t k = 0; k < view.n; k++)
        if (float_is_plain(world, view.vars[k]))
            singular_column(world, view.vars[k]);
}

/* ---- what moves equally ---- */

/* Most equations name two variables that may move, and say that they move equally, or in opposite directions: of a node, or of
 * both pins of a component. These make classes, one row each, and exact/ has only the others to deal with. */
static uint32_t class_of(Singular *s, uint32_t i, int *sign)
{
    uint32_t root = i, next;
    int all = 1;
    for (; s->parent.at[root] != root; root = s->parent.at[root])
        all *= s->turned.at[root] ? -1 : 1;
    *sign = all;
    for (; s->parent.at[i] != root; i = next) {
        int own = s->turned.at[i] ? -1 : 1;
        next = s->parent.at[i];
        s->parent.at[i] = root;
        s->turned.at[i] = all < 0;
        all *= own;
    }
    return root;
}

typedef struct Term {
    uint32_t column;
    int64_t factor;
} Term;

/* What of a relation may move: how many, and the first two. */
static uint32_t moving_terms(World *world, DdpRel rel, Term term[2])
{
    DdpRelView view = ddp_rel(world->ddp, rel);
    uint32_t n = 0;
    for (uint32_t k = 0; k < view.n; k++) {
        int64_t factor = singular_factor(world, view.form, k);
        if (!factor || !float_is_plain(world, view.vars[k]))
            continue;
        if (n < 2)
            term[n] = (Term){singular_column(world, view.vars[k]), factor};
        n++;
    }
    return n;
}

/* True: the relation is done with. */
static bool joins(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    Term term[2];
    int sign[2];
    if (moving_terms(world, rel, term) != 2 ||
        (term[0].factor != term[1].factor && term[0].factor != -term[1].factor))
        return false;
    uint32_t a = class_of(s, term[0].column, &sign[0]), b = class_of(s, term[1].column, &sign[1]);
    bool opposite = (term[0].factor == term[1].factor) != (sign[0] != sign[1]);
    if (a == b)
        return !opposite; /* else they do not move at all: that is for exact/ */
    s->parent.at[a] = b;
    s->turned.at[a] = opposite;
    return true;
}

static void make_classes(World *world)
{
    Singular *s = world->singular;
    uint32_t n = 0;
    vec_clear(&s->parent);
    vec_clear(&s->turned);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        vec_push(world->mem, &s->parent, i);
        vec_push(world->mem, &s->turned, 0);
    }
    for (uint32_t i = 0; i < s->bound.n; i++)
        if (!joins(world, s->bound.at[i]))
            s->bound.at[n++] = s->bound.at[i];
    s->bound.n = n;
}

static int by_class(const void *a, const void *b)
{
    const FloatCell *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* What a class does to the equations that are left. */
static void list_cells(World *world)
{
    Singular *s = world->singular;
    vec_clear(&s->cells);
    for (uint32_t i = 0; i < s->bound.n; i++) {
        DdpRelView view = ddp_rel(world->ddp, s->bound.at[i]);
        for (uint32_t k = 0; k < view.n; k++) {
            int sign;
            if (!float_is_plain(world, view.vars[k]))
                continue;
            uint32_t root = class_of(s, singular_column(world, view.vars[k]), &sign);
            vec_push(world->mem, &s->cells,
                     ((FloatCell){sign * singular_factor(world, view.form, k), root, i}));
        }
    }
    if (s->cells.n)
        qsort(s->cells.at, s->cells.n, sizeof *s->cells.at, by_class);
}

/* A row for each class; `roots` tells whose. */
static void enter_classes(World *world)
{
    Singular *s = world->singular;
    uint32_t at = 0;
    list_cells(world);
    exact_begin(s->moves, s->bound.n);
    vec_clear(&s->roots);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        if (s->parent.at[i] != i)
            continue;
        vec_clear(&s->row_columns);
        vec_clear(&s->row_factors);
        for (; at < s->cells.n && s->cells.at[at].row == i; at++) {
            const FloatCell *c = &s->cells.at[at];
            if (s->row_columns.n && vec_last(&s->row_columns) == c->column) {
                vec_last(&s->row_factors) += c->factor;
                continue;
            }
            vec_push(world->mem, &s->row_columns, c->column);
            vec_push(world->mem, &s->row_factors, c->factor);
        }
        exact_row(s->moves, s->row_columns.n, s->row_columns.at, s->row_factors.at);
        vec_push(world->mem, &s->roots, i);
    }
}

/* ---- islands ---- */

static void gather(World *world, DdpVar asked)
{
    Singular *s = world->singular;
    map_free(world->mem, &s->seen);
    vec_clear(&s->bound);
    singular_column(world, asked);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        uint32_t cursor = 0;
        for (DdpRel rel; (rel = ddp_next_use(world->ddp, s->columns.at[i], &cursor));)
            look_at(world, rel, asked);
    }
    make_classes(world);
    enter_classes(world);
    exact_eliminate(s->moves);
}

/* What this examination has fixed does not float, though the DDP does not know it yet. */
static bool was_fixed(const Singular *s)
{
    for (uint32_t i = 0; i < s->island.n && s->fixed.n; i++)
        if (map_get(&s->fixed, s->island.at[i]))
            return true;
    return false;
}

static void add_moving(World *world, DdpVar var, int64_t amount)
{
    vec_push(world->mem, &world->singular->island, var);
    vec_push(world->mem, &world->singular->amount, amount);
}

/* How far the variable at position `own` must go when those of the island move, whose places are known. */
static int64_t follow_amount(const World *world, const DdpRelView *view, uint32_t own,
                             const Map *place)
{
    int64_t rest = 0, factor = singular_factor(world, view->form, own);
    for (uint32_t k = 0; k < view->n; k++) {
        uint32_t at = k == own ? 0 : map_get(place, view->vars[k]);
        if (at)
            rest -= world->singular->amount.at[at - 1] * singular_factor(world, view->form, k);
    }
    return factor ? rest / factor : 0;
}

/* Variables of the equations that gave way move, too: pins that nothing holds but their connection, voltages of
 * open switches. */
static void add_followers(World *world)
{
    Singular *s = world->singular;
    uint32_t n = s->island.n;
    Map place = {0};
    for (uint32_t i = 0; i < n; i++)
        map_put(world->mem, &place, s->island.at[i], i + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cursor = 0;
        for (DdpRel rel; (rel = ddp_next_use(world->ddp, s->island.at[i], &cursor));) {
            DdpRelView view = ddp_rel(world->ddp, rel);
            for (uint32_t k = 0; k < view.n; k++)
                if (!map_get(&place, view.vars[k]) && float_is_own(world, view.vars[k])) {
                    add_moving(world, view.vars[k], follow_amount(world, &view, k, &place));
                    map_put(world->mem, &place, view.vars[k], s->island.n);
                }
        }
    }
    map_free(world->mem, &place);
}

/* All that moves with the classes of the sum; true: there are pins among them. */
static bool list_island(World *world, const ExactSum *sum)
{
    Singular *s = world->singular;
    Map times = {0};
    bool pins = false;
    for (uint32_t k = 0; k < sum->n; k++)
        map_put(world->mem, &times, s->roots.at[sum->rows[k]], k + 1);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        int sign;
        uint32_t k = map_get(&times, class_of(s, i, &sign));
        if (!k)
            continue;
        add_moving(world, s->columns.at[i], sign * sum->times[k - 1]);
        pins |= connector_of(world, s->columns.at[i]) != NULL;
    }
    map_free(world->mem, &times);
    return pins;
}

/* A way to move that takes a potential along, as a list of variables. */
static bool find_island(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < exact_sum_count(s->moves); i++) {
        ExactSum sum = exact_sum(s->moves, i);
        bool pins;
        vec_clear(&s->island);
        vec_clear(&s->amount);
        pins = list_island(world, &sum);
        if (!pins)
            continue;
        add_followers(world);
        if (!was_fixed(s))
            return true;
        s->deferred = true;
    }
    return false;
}

/* What was looked at from another potential need not be looked at again. */
static bool floats(World *world, DdpVar var)
{
    Singular *s = world->singular;
    if (map_get(&s->tried, var))
        return false;
    map_free(world->mem, &s->seen);
    if (!float_is_plain(world, var))
        return false;
    gather(world, var);
    bool found = find_island(world);
    for (uint32_t i = 0; i < s->columns.n; i++)
        map_put(world->mem, &s->tried, s->columns.at[i], 1);
    singular_forget_columns(world);
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
    Vars *vars = &world->connect->vars[0];
    vec_clear(vars);
    connect_vars(c, node->inst, bundle ? bundle->n_potentials : 0,
                 bundle ? bundle->potentials : NULL, vars);
    bool any = false;
    for (uint32_t i = 0; i < vars->n && !any; i++)
        any = vars->at[i] && floats(world, vars->at[i]);
    return any ? choose_pin(world) : 0;
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

/* Of what moves, what conditions read. */
static void list_watched(World *world)
{
    Singular *s = world->singular;
    vec_clear(&s->watched);
    vec_clear(&s->watched_amount);
    for (uint32_t i = 0; i < s->island.n; i++) {
        if (!s->amount.at[i] || kind_of(world, s->island.at[i]) != WATCHED)
            continue;
        vec_push(world->mem, &s->watched, s->island.at[i]);
        vec_push(world->mem, &s->watched_amount, s->amount.at[i]);
    }
}

DdpVar singular_floating(World *world, const Dependence *sum)
{
    Singular *s = world->singular;
    DdpVar found = 0;
    s->deferred = false;
    spread(world, sum);
    for (uint32_t i = 0; i < s->spread.n && !found; i++)
        found = floating_at(world, s->spread.at[i]);
    if (found)
        list_watched(world);
    return found;
}
