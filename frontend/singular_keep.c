/* singular_keep.c: a potential that was set in a circuit without ground, and a change -> is it still right?
 *
 * It was set in the place of a sum of currents that all the others of its circuit imply. To find that, all equations of
 * the circuit were looked at; to see that it goes on to be so, the change is enough. Two things are kept of each
 * such circuit: how often each equation is taken in the sum that vanishes, and how far each variable moves when the
 * potential does. What a relation that left had in common with others shows in its variables: in these, and in those of
 * relations that came, the sum must vanish again, the new relations taken as often as need be. Likewise all new relations
 * must stay true when the potential moves, with new variables moving along. Both are small systems for exact/. If one of them has no
 * answer (a ground came, or a relation that is not of this kind), the sum of currents comes back and the circuit is looked
 * at as a whole.
 */
#include "frontend/singular_int.h"

#include "base/pack.h"

static KeptRel *member(const Singular *s, DdpRel rel)
{
    uint32_t at = map_get(&s->kept_rel_at, rel);
    return at && s->kept.at[s->kept_rel.at[at - 1].kept].live ? &s->kept_rel.at[at - 1] : NULL;
}

static KeptVar *mover(const Singular *s, DdpVar var)
{
    uint32_t at = map_get(&s->kept_var_at, var);
    return at && s->kept.at[s->kept_var.at[at - 1].kept].live ? &s->kept_var.at[at - 1] : NULL;
}

static void put_rel(World *world, uint32_t kept, DdpRel rel, int64_t times)
{
    Singular *s = world->singular;
    vec_push(world->mem, &s->kept_rel, ((KeptRel){times, kept, rel}));
    map_put(world->mem, &s->kept_rel_at, rel, s->kept_rel.n);
}

static void put_var(World *world, uint32_t kept, DdpVar var, int64_t amount)
{
    Singular *s = world->singular;
    vec_push(world->mem, &s->kept_var, ((KeptVar){amount, kept, var}));
    map_put(world->mem, &s->kept_var_at, var, s->kept_var.n);
}

static void touch(World *world, uint32_t id)
{
    Kept *k = &world->singular->kept.at[id];
    if (!k->touched)
        vec_push(world->mem, &world->singular->touched, id);
    k->touched = true;
}

static void forget(World *world, uint32_t id)
{
    Kept *k = &world->singular->kept.at[id];
    world->singular->n_kept -= k->live;
    k->live = false;
    vec_free(world->mem, &k->dirty);
    vec_free(world->mem, &k->named);
    vec_free(world->mem, &k->changed);
}

/* The sum of currents comes back. */
static void give_up(World *world, uint32_t id)
{
    Kept *k = &world->singular->kept.at[id];
    if (!k->live)
        return;
    ddp_end_combination(world->ddp, k->rel);
    map_put(world->mem, &world->singular->replaced, k->rel, 1);
    forget(world, id);
}

/* ---- a new one ---- */

/* Entries of what is kept no longer go. */
static void compact_rels(World *world, const uint32_t *now)
{
    Singular *s = world->singular;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->kept_rel.n; i++) {
        KeptRel m = s->kept_rel.at[i];
        if (map_get(&s->kept_rel_at, m.rel) == i + 1 && now[m.kept]) {
            m.kept = now[m.kept] - 1;
            s->kept_rel.at[n++] = m;
        }
    }
    s->kept_rel.n = n;
    map_free(world->mem, &s->kept_rel_at);
    for (uint32_t i = 0; i < n; i++)
        map_put(world->mem, &s->kept_rel_at, s->kept_rel.at[i].rel, i + 1);
}

static void compact_vars(World *world, const uint32_t *now)
{
    Singular *s = world->singular;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->kept_var.n; i++) {
        KeptVar v = s->kept_var.at[i];
        if (map_get(&s->kept_var_at, v.var) == i + 1 && now[v.kept]) {
            v.kept = now[v.kept] - 1;
            s->kept_var.at[n++] = v;
        }
    }
    s->kept_var.n = n;
    map_free(world->mem, &s->kept_var_at);
    for (uint32_t i = 0; i < n; i++)
        map_put(world->mem, &s->kept_var_at, s->kept_var.at[i].var, i + 1);
}

/* When lists have twice the length they had last, so that it costs no more than what was entered. */
static void compact(World *world)
{
    enum { LEAST = 1000 };
    Singular *s = world->singular;
    if (s->kept.n + s->kept_rel.n + s->kept_var.n < s->kept_limit || s->touched.n)
        return;
    uint32_t n = 0, *now = mem_alloc(world->mem, (s->kept.n + 1) * sizeof *now);
    for (uint32_t i = 0; i < s->kept.n; i++)
        if (s->kept.at[i].live) {
            s->kept.at[n++] = s->kept.at[i];
            now[i] = n;
        }
    s->kept.n = n;
    compact_rels(world, now);
    compact_vars(world, now);
    s->kept_limit = 2 * (s->kept.n + s->kept_rel.n + s->kept_var.n) + LEAST;
    mem_free(world->mem, now);
}

/* The sum and the island that were just found. */
void keep_island(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    compact(world);
    uint32_t id = s->kept.n;
    vec_push(world->mem, &s->kept, ((Kept){.rel = rel, .live = true}));
    s->n_kept++;
    for (uint32_t i = 0; i < s->sum.rels.n; i++)
        put_rel(world, id, s->sum.rels.at[i], s->sum.times.at[i]);
    for (uint32_t i = 0; i < s->island.n; i++)
        if (s->amount.at[i])
            put_var(world, id, s->island.at[i], s->amount.at[i]);
}

/* Two circuits that open switches separate have some equations in common: one of them is kept. */
static bool is_shared(const Singular *s)
{
    for (uint32_t i = 0; i < s->sum.rels.n; i++)
        if (member(s, s->sum.rels.at[i]))
            return true;
    for (uint32_t i = 0; i < s->island.n; i++)
        if (mover(s, s->island.at[i]))
            return true;
    return false;
}

/* Of the equations of a sum, the one in whose place the potential is set: that was there first, so that it does not leave with what
 * came later. 0: none can be kept. */
DdpRel keep_choice(const World *world)
{
    const Dependence *sum = &world->singular->sum;
    DdpCombination made;
    if (is_shared(world->singular))
        return 0;
    DdpRel best = 0;
    uint32_t least = 0;
    for (uint32_t i = 0; i < sum->rels.n; i++) {
        DdpRel rel = sum->rels.at[i];
        OwnerInfo owner = world_rel_info(world, rel);
        uint32_t who = owner.tag == OWNER_INST ? owner.who : UINT32_MAX;
        bool once = sum->times.at[i] == 1 || sum->times.at[i] == -1;
        if (!once || (best && who >= least) || ddp_rel(world->ddp, rel).logic ||
            ddp_combination(world->ddp, rel, &made))
            continue;
        best = rel;
        least = who;
    }
    return sum->constant == 0 && sum->vars.n == 0 ? best : 0;
}

/* ---- what comes and goes ---- */

static void note_named(World *world, DdpRel rel, uint32_t n, const DdpVar *vars)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < n; i++) {
        const KeptVar *v = vars[i] ? mover(s, vars[i]) : NULL;
        if (!v || s->kept.at[v->kept].rel == rel)
            continue;
        touch(world, v->kept);
        vec_push(world->mem, &s->kept.at[v->kept].named, rel);
    }
}

void keep_entered(World *world, DdpRel rel, uint32_t n, const DdpVar *vars)
{
    map_put(world->mem, &world->singular->fresh_rel, rel, 1);
    note_named(world, rel, n, vars);
}

void keep_born(World *world, DdpVar var)
{
    if (world->singular->n_kept)
        map_put(world->mem, &world->singular->fresh_var, var, 1);
}

static void add_dirty(World *world, Kept *k, uint32_t n, const DdpVar *vars)
{
    for (uint32_t i = 0; i < n; i++)
        if (vars[i])
            vec_push(world->mem, &k->dirty, vars[i]);
}

/* They may have to be taken otherwise. */
static void add_changed(World *world, Kept *k, uint32_t n, const DdpRel *rels)
{
    for (uint32_t i = 0; i < n; i++)
        vec_push(world->mem, &k->changed, rels[i]);
}

void keep_left(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    const KeptRel *m = s->n_kept ? member(s, rel) : NULL;
    map_remove(&s->fresh_rel, rel);
    if (m) {
        Kept *k = &s->kept.at[m->kept];
        DdpRelView view = ddp_rel(world->ddp, rel);
        DdpCombination made;
        touch(world, m->kept);
        add_dirty(world, k, view.n, view.vars);
        if (ddp_combination(world->ddp, rel, &made) && rel != k->rel)
            add_changed(world, k, made.n_others, made.others);
        if (rel == k->rel) /* the potential is free again with the next commit */
            forget(world, m->kept);
    }
    map_remove(&s->kept_rel_at, rel);
}

void keep_died(World *world, DdpVar var)
{
    Singular *s = world->singular;
    const KeptVar *v = s->n_kept ? mover(s, var) : NULL;
    map_remove(&s->fresh_var, var);
    if (v && ddp_rel(world->ddp, s->kept.at[v->kept].rel).vars[0] == var)
        give_up(world, v->kept);
    map_remove(&s->kept_var_at, var);
}

static Kept *kept_by(const Singular *s, DdpRel rel)
{
    const KeptRel *m = member(s, rel);
    return m && s->kept.at[m->kept].rel != rel ? &s->kept.at[m->kept] : NULL;
}

static void note_exchange(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    Kept *k = kept_by(s, rel);
    DdpRelView view = ddp_rel(world->ddp, rel);
    DdpCombination made;
    note_named(world, rel, view.n, view.vars);
    if (!k)
        return;
    touch(world, (uint32_t)(k - s->kept.at));
    add_dirty(world, k, view.n, view.vars);
    add_changed(world, k, 1, &rel);
    if (ddp_combination(world->ddp, rel, &made))
        add_changed(world, k, made.n_others, made.others);
}

/* Relations that others stand for since the last commit, or no longer. */
static void note_exchanged(World *world)
{
    Singular *s = world->singular;
    DdpExchanged e = ddp_exchanged(world->ddp);
    for (uint32_t i = 0; i < e.n_vars; i++)
        if (kept_by(s, e.by[i]))
            add_dirty(world, kept_by(s, e.by[i]), 1, &e.vars[i]);
    for (uint32_t i = 0; i < e.n_others; i++)
        if (kept_by(s, e.ended[i]))
            add_changed(world, kept_by(s, e.ended[i]), 1, &e.others[i]);
    for (uint32_t i = 0; i < e.n; i++)
        if (ddp_rel_used(world->ddp, e.rels[i]))
            note_exchange(world, e.rels[i]);
}

/* ---- does the sum still vanish? ---- */

static int64_t factor_of(const World *world, Form form, uint32_t n, const DdpVar *vars, DdpVar var)
{
    for (uint32_t k = 0; k < n; k++)
        if (vars[k] == var)
            return singular_factor(world, form, k);
    return 0;
}

/* What the relations of the sum that are there add up to in one variable. */
static int64_t left_in(World *world, uint32_t id, DdpVar var)
{
    Singular *s = world->singular;
    DdpRel own = s->kept.at[id].rel;
    DdpCombination entered;
    int64_t left = 0;
    uint32_t cursor = 0;
    for (DdpRel rel; (rel = ddp_next_use(world->ddp, var, &cursor));) {
        const KeptRel *m = member(s, rel);
        if (!m || m->kept != id || rel == own)
            continue;
        DdpRelView view = ddp_rel(world->ddp, rel);
        left += m->times * factor_of(world, view.form, view.n, view.vars, var);
        s->looked_at++;
    }
    if (member(s, own) && ddp_combination(world->ddp, own, &entered))
        left +=
            member(s, own)->times * factor_of(world, entered.form, entered.n, entered.vars, var);
    return left;
}

static bool has_constant(const World *world, Form form)
{
    const FormInfo *info = form_info(world->forms, form);
    uint32_t *zero = mem_alloc(world->mem, (info->n + 1) * sizeof *zero);
    double nothing = 0;
    bool has = x_value(world->forms, info->lhs, zero, &nothing, NULL, NULL) !=
               x_value(world->forms, info->rhs, zero, &nothing, NULL, NULL);
    mem_free(world->mem, zero);
    return has;
}

/* A relation that may be taken otherwise than it was. */
static void add_row(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    if (map_get(&s->seen, rel) || !ddp_rel_used(world->ddp, rel))
        return;
    map_put(world->mem, &s->seen, rel, 1);
    s->looked_at++;
    DdpRelView view = ddp_rel(world->ddp, rel);
    if (view.order || !singular_whole(world, &view) || has_constant(world, view.form))
        return;
    vec_push(world->mem, &s->rows, rel);
    for (uint32_t j = 0; j < view.n; j++)
        if (view.vars[j])
            singular_column(world, view.vars[j]);
}

/* What changed, and from what is dirty over new relations and variables. */
static void gather_rows(World *world, uint32_t id, uint32_t *n_dirty)
{
    Singular *s = world->singular;
    const Kept *k = &s->kept.at[id];
    vec_clear(&s->rows);
    map_free(world->mem, &s->seen);
    map_put(world->mem, &s->seen, k->rel, 1);
    for (uint32_t i = 0; i < k->dirty.n; i++)
        if (ddp_var_used(world->ddp, k->dirty.at[i]))
            singular_column(world, k->dirty.at[i]);
    *n_dirty = s->columns.n;
    for (uint32_t i = 0; i < k->changed.n; i++)
        add_row(world, k->changed.at[i]);
    for (uint32_t i = 0; i < s->columns.n; i++) {
        uint32_t cursor = 0;
        if (i >= *n_dirty && !map_get(&s->fresh_var, s->columns.at[i]))
            continue;
        for (DdpRel rel; (rel = ddp_next_use(world->ddp, s->columns.at[i], &cursor));)
            if (map_get(&s->fresh_rel, rel))
                add_row(world, rel);
    }
}

static void enter_row(World *world, DdpRel rel)
{
    Singular *s = world->singular;
    DdpRelView view = ddp_rel(world->ddp, rel);
    vec_clear(&s->row_columns);
    vec_clear(&s->row_factors);
    for (uint32_t j = 0; j < view.n; j++) {
        if (!view.vars[j])
            continue;
        vec_push(world->mem, &s->row_columns, singular_column(world, view.vars[j]));
        vec_push(world->mem, &s->row_factors, singular_factor(world, view.form, j));
    }
    exact_row(s->exact, s->row_columns.n, s->row_columns.at, s->row_factors.at);
}

/* One in which row 0 is taken once; n is 0 where there is none. */
static ExactSum sum_with_first(Exact *exact)
{
    for (uint32_t i = 0; i < exact_sum_count(exact); i++) {
        ExactSum sum = exact_sum(exact, i);
        if (sum.n && sum.rows[0] == 0 && (sum.times[0] == 1 || sum.times[0] == -1))
            return sum;
    }
    return (ExactSum){0};
}

static void take_otherwise(World *world, uint32_t id, DdpRel rel, int64_t change)
{
    Singular *s = world->singular;
    KeptRel *m = member(s, rel);
    if (m && m->kept == id) {
        m->times += change;
        if (!m->times)
            map_remove(&s->kept_rel_at, rel);
        return;
    }
    put_rel(world, id, rel, change);
    ddp_amend(world->ddp, s->kept.at[id].rel, 1, &rel);
}

static bool still_vanishes(World *world, uint32_t id)
{
    Singular *s = world->singular;
    uint32_t n_dirty;
    gather_rows(world, id, &n_dirty);
    exact_begin(s->exact, s->columns.n);
    vec_clear(&s->row_columns);
    vec_clear(&s->row_factors);
    for (uint32_t i = 0; i < n_dirty; i++) {
        vec_push(world->mem, &s->row_columns, i);
        vec_push(world->mem, &s->row_factors, left_in(world, id, s->columns.at[i]));
    }
    exact_row(s->exact, n_dirty, s->row_columns.at, s->row_factors.at);
    for (uint32_t i = 0; i < s->rows.n; i++)
        enter_row(world, s->rows.at[i]);
    exact_eliminate(s->exact);
    singular_forget_columns(world);
    ExactSum sum = sum_with_first(s->exact);
    bool fine = sum.n > 0;
    for (uint32_t i = 1; i < sum.n && fine; i++) {
        const KeptRel *m = member(s, s->rows.at[sum.rows[i] - 1]);
        fine = !m || m->kept == id; /* two circuits became one */
    }
    for (uint32_t i = 1; i < sum.n && fine; i++)
        take_otherwise(world, id, s->rows.at[sum.rows[i] - 1], sum.times[i] * sum.times[0]);
    return fine;
}

/* ---- does the potential still move freely? ---- */

static int64_t amount_in(const Singular *s, uint32_t id, DdpVar var)
{
    const KeptVar *v = mover(s, var);
    return v && v->kept == id ? v->amount : 0;
}

/* Relations that must stay true, and new variables that may move; false: one of them is not of the kind that can be looked at. */
static bool gather_bound(World *world, uint32_t id)
{
    Singular *s = world->singular;
    vec_clear(&s->bound);
    vec_clear(&s->spread);
    map_free(world->mem, &s->seen);
    for (uint32_t i = 0; i < s->kept.at[id].named.n; i++)
        vec_push(world->mem, &s->spread, s->kept.at[id].named.at[i]);
    for (uint32_t i = 0; i < s->spread.n; i++) {
        DdpRel rel = s->spread.at[i];
        if (!ddp_rel_used(world->ddp, rel) || map_get(&s->seen, rel))
            continue;
        DdpRelView view = ddp_rel(world->ddp, rel);
        map_put(world->mem, &s->seen, rel, 1);
        s->looked_at++;
        if (!singular_whole(world, &view))
            return false;
        if (!float_gives_way(world, &view, 0))
            vec_push(world->mem, &s->bound, rel);
        for (uint32_t j = 0; j < view.n; j++) {
            DdpVar var = view.vars[j];
            if (!map_get(&s->fresh_var, var) || !float_is_plain(world, var))
                continue;
            uint32_t cursor = 0, before = s->columns.n;
            if (singular_column(world, var) < before)
                continue;
            for (DdpRel use; (use = ddp_next_use(world->ddp, var, &cursor));)
                vec_push(world->mem, &s->spread, use);
        }
    }
    return true;
}

static void enter_mover(World *world, uint32_t id, DdpVar var)
{
    Singular *s = world->singular;
    vec_clear(&s->row_columns);
    vec_clear(&s->row_factors);
    for (uint32_t i = 0; i < s->bound.n; i++) {
        DdpRelView view = ddp_rel(world->ddp, s->bound.at[i]);
        int64_t factor = var ? factor_of(world, view.form, view.n, view.vars, var) : 0;
        for (uint32_t j = 0; j < view.n && !var; j++)
            factor += amount_in(s, id, view.vars[j]) * singular_factor(world, view.form, j);
        vec_push(world->mem, &s->row_columns, i);
        vec_push(world->mem, &s->row_factors, factor);
    }
    exact_row(s->moves, s->bound.n, s->row_columns.at, s->row_factors.at);
}

/* The own variable of a relation that gives way moves along. */
static void follow_by(World *world, uint32_t id, DdpRel rel)
{
    Singular *s = world->singular;
    DdpRelView view = ddp_rel(world->ddp, rel);
    int64_t rest = 0;
    for (uint32_t j = 0; j < view.n; j++)
        rest += amount_in(s, id, view.vars[j]) * singular_factor(world, view.form, j);
    for (uint32_t j = 0; j < view.n && rest; j++) {
        int64_t factor = singular_factor(world, view.form, j);
        if (factor && !mover(s, view.vars[j]) && float_is_own(world, view.vars[j])) {
            put_var(world, id, view.vars[j], -rest / factor);
            return;
        }
    }
}

static bool still_floats(World *world, uint32_t id)
{
    Singular *s = world->singular;
    if (!gather_bound(world, id)) {
        singular_forget_columns(world);
        return false;
    }
    exact_begin(s->moves, s->bound.n);
    enter_mover(world, id, 0);
    for (uint32_t i = 0; i < s->columns.n; i++)
        enter_mover(world, id, s->columns.at[i]);
    exact_eliminate(s->moves);
    ExactSum sum = sum_with_first(s->moves);
    for (uint32_t i = 1; i < sum.n; i++)
        put_var(world, id, s->columns.at[sum.rows[i] - 1], sum.times[i] * sum.times[0]);
    for (uint32_t i = 0; i < s->spread.n && sum.n; i++)
        if (ddp_rel_used(world->ddp, s->spread.at[i]))
            follow_by(world, id, s->spread.at[i]);
    singular_forget_columns(world);
    return sum.n > 0;
}

/* ---- after each commit ---- */

void keep_examine(World *world)
{
    Singular *s = world->singular;
    if (s->n_kept)
        note_exchanged(world);
    for (uint32_t i = 0; i < s->touched.n; i++) {
        uint32_t id = s->touched.at[i];
        Kept *k = &s->kept.at[id];
        if (!k->live)
            continue;
        if ((k->dirty.n && !still_vanishes(world, id)) ||
            (k->named.n && !still_floats(world, id))) {
            give_up(world, id);
            continue;
        }
        k->touched = false;
        vec_clear(&k->dirty);
        vec_clear(&k->named);
        vec_clear(&k->changed);
    }
    vec_clear(&s->touched);
    map_free(world->mem, &s->fresh_rel);
    map_free(world->mem, &s->fresh_var);
}

/* ---- life ---- */

void keep_close(World *world)
{
    Singular *s = world->singular;
    for (uint32_t i = 0; i < s->kept.n; i++)
        forget(world, i);
    vec_free(world->mem, &s->kept);
    vec_free(world->mem, &s->kept_rel);
    vec_free(world->mem, &s->kept_var);
    vec_free(world->mem, &s->touched);
    map_free(world->mem, &s->kept_rel_at);
    map_free(world->mem, &s->kept_var_at);
    map_free(world->mem, &s->fresh_rel);
    map_free(world->mem, &s->fresh_var);
}

void keep_pack(World *world, struct Pack *p)
{
    Singular *s = world->singular;
    PACK(p, s->n_kept);
    PACK(p, s->kept_limit);
    PACK_LENGTH(p, &s->kept, 1);
    for (uint32_t i = 0; i < s->kept.n; i++) {
        Kept *k = &s->kept.at[i];
        PACK(p, k->rel);
        PACK_BIT(p, k->live);
        PACK_BIT(p, k->touched);
        PACK_LIST(p, &k->dirty);
        PACK_LIST(p, &k->named);
        PACK_LIST(p, &k->changed);
    }
    PACK_LIST(p, &s->kept_rel);
    PACK_LIST(p, &s->kept_var);
    PACK_LIST(p, &s->touched);
    pack_map(p, &s->kept_rel_at);
    pack_map(p, &s->kept_var_at);
    pack_map(p, &s->fresh_rel);
    pack_map(p, &s->fresh_var);
}
