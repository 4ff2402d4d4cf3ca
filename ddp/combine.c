/* combine.c: a combination of relations -> in the place of one of them, as long as all of them are
 * there.
 *
 * Structure does not see that equations contradict or repeat each other by their numbers: voltages
 * around a circle of components, currents into a part of a circuit that hangs on a coil. Such a
 * circle is a singular loop, and hides a relation among what it reads. Whoever finds the
 * combination (frontend/singular.c) has it stand for one of the relations that it is made of,
 * under its number, so that for the world nothing has changed. Where nothing is left of a combination the
 * relation is set aside: in its place stands a variable of its own, what the equations are apart. Where one
 * of the others leaves, the relation is what it was; first those combinations end that were made of this
 * one. Where that leaves something else undetermined, the force of a joint that says nothing new, it is closed:
 * an equation for that takes the place of its variable.
 *
 * Combinations are found by the relations that they name, so what a commit costs does not depend on how many
 * there are. One that is *kept* only loses what leaves: the potential that is set in a large circuit without ground is made
 * of all its sums of currents, and goes on to be right where a component comes or goes (frontend/singular_keep.c).
 */
#include "ddp/ddp_int.h"

#include <stdlib.h>
#include <string.h>

/* Another equation under the same number, with the commit that is about to begin. */
static void exchange(Ddp *d, DdpRel r, Form form, const List *vars)
{
    DdpVar logic = REL(d, r).has_logic ? relation_vars(d, r)[REL(d, r).n] : 0;
    bool waits = REL(d, r).waits;
    vec_push(d->mem, &d->exchanged, r);
    for (uint32_t i = 0; i < REL(d, r).n; i++) {
        vec_push(d->mem, &d->exchanged_by, r);
        vec_push(d->mem, &d->exchanged_vars, relation_vars(d, r)[i]);
    }
    relation_remove(d, r);
    DdpRel again = relation_new_rel(d, DDP_EQUATION, form, vars->n, vars->at, logic);
    if (again != r)
        abort();
    REL(d, r).waits = true;
    if (!waits)
        vec_push(d->mem, &d->entering, r);
}

void combine_free(Ddp *d, Combined *c)
{
    vec_free(d->mem, &c->before);
    vec_free(d->mem, &c->vars);
    vec_free(d->mem, &c->others);
}

/* ---- which name a relation ---- */

static void use(Ddp *d, DdpRel rel, uint32_t which, uint32_t place)
{
    uint32_t at = d->combined_uses.n;
    CombinedUse made = {which, map_get(&d->combined_of, rel), place};
    if (d->unused_uses.n) {
        at = vec_pop(&d->unused_uses);
        d->combined_uses.at[at] = made;
    } else {
        vec_push(d->mem, &d->combined_uses, made);
    }
    map_put(d->mem, &d->combined_of, rel, at + 1);
}

static void unuse(Ddp *d, DdpRel rel, uint32_t which)
{
    uint32_t before = 0, at = map_get(&d->combined_of, rel);
    while (at && d->combined_uses.at[at - 1].which != which) {
        before = at;
        at = d->combined_uses.at[at - 1].next;
    }
    if (!at)
        return; /* named twice */
    uint32_t next = d->combined_uses.at[at - 1].next;
    if (before)
        d->combined_uses.at[before - 1].next = next;
    else if (next)
        map_put(d->mem, &d->combined_of, rel, next);
    else
        map_remove(&d->combined_of, rel);
    vec_push(d->mem, &d->unused_uses, at - 1);
}

static void use_all(Ddp *d, uint32_t which)
{
    const Combined *c = &d->combined.at[which];
    use(d, c->rel, which, UINT32_MAX);
    for (uint32_t i = 0; i < c->others.n; i++)
        use(d, c->others.at[i], which, i);
}

/* Lists that were read from bytes: all else follows from them. */
void combine_index(Ddp *d)
{
    for (uint32_t i = 0; i < d->combined.n; i++)
        if (d->combined.at[i].age)
            use_all(d, i);
        else
            vec_push(d->mem, &d->unused_combined, i);
}

/* ---- commands ---- */

static bool is_listed(const List *list, DdpRel rel)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == rel)
            return true;
    return false;
}

/* What stands in the place of the relation already was made of others, too. */
static void add_older_others(Ddp *d, Combined *c)
{
    for (uint32_t u = map_get(&d->combined_of, c->rel); u; u = d->combined_uses.at[u - 1].next) {
        const Combined *older = &d->combined.at[d->combined_uses.at[u - 1].which];
        for (uint32_t i = 0; i < older->others.n && older->rel == c->rel; i++)
            if (!is_listed(&c->others, older->others.at[i]))
                vec_push(d->mem, &c->others, older->others.at[i]);
    }
}

static void add_combined(Ddp *d, Combined c, uint32_t n_others, const DdpRel *others)
{
    for (uint32_t i = 0; i < REL(d, c.rel).n; i++)
        vec_push(d->mem, &c.before, relation_vars(d, c.rel)[i]);
    for (uint32_t i = 0; i < n_others; i++)
        vec_push(d->mem, &c.others, others[i]);
    add_older_others(d, &c);
    c.age = ++d->combined_age;
    uint32_t which = d->combined.n;
    if (d->unused_combined.n) {
        which = vec_pop(&d->unused_combined);
        d->combined.at[which] = c;
    } else {
        vec_push(d->mem, &d->combined, c);
    }
    use_all(d, which);
    vec_push(d->mem, &d->combined_new, which);
}

void ddp_combine(Ddp *d, DdpRel rel, Form form, uint32_t n, const DdpVar *vars, uint32_t n_others,
                 const DdpRel *others)
{
    Combined c = {.rel = rel, .form_before = REL(d, rel).form, .form = form};
    for (uint32_t i = 0; i < n; i++)
        vec_push(d->mem, &c.vars, vars[i]);
    add_combined(d, c, n_others, others);
}

void ddp_combine_kept(Ddp *d, DdpRel rel, Form form, uint32_t n, const DdpVar *vars,
                      uint32_t n_others, const DdpRel *others)
{
    ddp_combine(d, rel, form, n, vars, n_others, others);
    d->combined.at[vec_last(&d->combined_new)].kept = true;
}

static uint32_t kept_of(const Ddp *d, DdpRel rel)
{
    for (uint32_t u = map_get(&d->combined_of, rel); u; u = d->combined_uses.at[u - 1].next) {
        const Combined *c = &d->combined.at[d->combined_uses.at[u - 1].which];
        if (c->rel == rel && c->kept)
            return d->combined_uses.at[u - 1].which;
    }
    return UINT32_MAX;
}

void ddp_amend(Ddp *d, DdpRel rel, uint32_t n, const DdpRel *others)
{
    uint32_t which = kept_of(d, rel);
    if (which == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < n; i++) {
        use(d, others[i], which, d->combined.at[which].others.n);
        vec_push(d->mem, &d->combined.at[which].others, others[i]);
    }
}

void ddp_set_aside(Ddp *d, DdpRel rel, Form form, uint32_t n, const DdpVar *vars, uint32_t n_others,
                   const DdpRel *others)
{
    Combined c = {.rel = rel, .form_before = REL(d, rel).form, .form = form, .aside = true};
    c.rest = ddp_enter_var(d, DDP_UNKNOWN);
    vec_push(d->mem, &c.vars, c.rest);
    for (uint32_t i = 0; i < n; i++)
        vec_push(d->mem, &c.vars, vars[i]);
    d->n_aside++;
    add_combined(d, c, n_others, others);
}

/* The one that was set aside and has its own variable still; UINT32_MAX: there is none. */
static uint32_t open_aside(const Ddp *d, DdpRel rel)
{
    for (uint32_t u = map_get(&d->combined_of, rel); u; u = d->combined_uses.at[u - 1].next) {
        const Combined *c = &d->combined.at[d->combined_uses.at[u - 1].which];
        if (c->rel == rel && c->rest && c->stands)
            return d->combined_uses.at[u - 1].which;
    }
    return UINT32_MAX;
}

void ddp_close_aside(Ddp *d, DdpRel rel, Form form, uint32_t n, const DdpVar *vars,
                     uint32_t n_others, const DdpRel *others)
{
    uint32_t which = open_aside(d, rel);
    if (which == UINT32_MAX)
        return;
    Combined *c = &d->combined.at[which];
    ddp_remove_var(d, c->rest);
    c->rest = 0;
    c->form = form;
    c->renewed = true;
    vec_clear(&c->vars);
    for (uint32_t i = 0; i < n; i++)
        vec_push(d->mem, &c->vars, vars[i]);
    for (uint32_t i = 0; i < n_others; i++) {
        if (others[i] == rel || is_listed(&c->others, others[i]))
            continue;
        use(d, others[i], which, c->others.n);
        vec_push(d->mem, &c->others, others[i]);
    }
    vec_push(d->mem, &d->combined_new, which);
}

void ddp_end_combination(Ddp *d, DdpRel rel)
{
    vec_push(d->mem, &d->combined_ending, rel);
}

/* ---- commits ---- */

static void forget(Ddp *d, uint32_t which, Combined *c)
{
    unuse(d, c->rel, which);
    for (uint32_t i = 0; i < c->others.n; i++)
        unuse(d, c->others.at[i], which);
    d->combined.at[which] = (Combined){0};
    vec_push(d->mem, &d->unused_combined, which);
    d->n_aside -= c->aside;
    if (c->rest)
        ddp_remove_var(d, c->rest);
}

/* Does it end with `rel`? */
static bool ends_with(const Combined *c, DdpRel rel)
{
    return !c->kept || c->rel == rel;
}

/* The youngest that names `rel` and is not older than `age`, of all or of those that stand; UINT32_MAX: there is none. */
static uint32_t youngest(const Ddp *d, DdpRel rel, uint32_t age, bool all)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t u = map_get(&d->combined_of, rel); u; u = d->combined_uses.at[u - 1].next) {
        uint32_t which = d->combined_uses.at[u - 1].which;
        const Combined *c = &d->combined.at[which];
        if (c->age >= age && (all || c->stands) && ends_with(c, rel)) {
            age = c->age;
            found = which;
        }
    }
    return found;
}

/* Younger ones are made of older ones, never the other way round: those that are made of this one end first. */
static void end(Ddp *d, uint32_t which, bool all)
{
    DdpRel rel = d->combined.at[which].rel;
    uint32_t last;
    while ((last = youngest(d, rel, d->combined.at[which].age, all)) != which)
        end(d, last, all);
    Combined c = d->combined.at[which];
    for (uint32_t i = 0; i < c.others.n && !c.kept; i++) {
        vec_push(d->mem, &d->ended, c.rel);
        vec_push(d->mem, &d->ended_others, c.others.at[i]);
    }
    forget(d, which, &c);
    if (c.stands && !REL(d, c.rel).leaving)
        exchange(d, c.rel, c.form_before, &c.before);
    combine_free(d, &c);
}

/* A combination that stands in the place of `rel`. */
static uint32_t replacing(const Ddp *d, DdpRel rel)
{
    for (uint32_t u = map_get(&d->combined_of, rel); u; u = d->combined_uses.at[u - 1].next)
        if (d->combined.at[d->combined_uses.at[u - 1].which].rel == rel &&
            d->combined.at[d->combined_uses.at[u - 1].which].stands)
            return d->combined_uses.at[u - 1].which;
    return UINT32_MAX;
}

/* Kept ones go on without it. The last of the others takes its place in the list. */
static void lose(Ddp *d, DdpRel rel)
{
    uint32_t u;
    while ((u = map_get(&d->combined_of, rel))) {
        CombinedUse lost = d->combined_uses.at[u - 1];
        List *others = &d->combined.at[lost.which].others;
        DdpRel last = vec_last(others);
        for (uint32_t k = map_get(&d->combined_of, last); k; k = d->combined_uses.at[k - 1].next)
            if (d->combined_uses.at[k - 1].which == lost.which &&
                d->combined_uses.at[k - 1].at == others->n - 1)
                d->combined_uses.at[k - 1].at = lost.at;
        others->at[lost.at] = last;
        others->n--;
        unuse(d, rel, lost.which);
    }
}

static void end_all(Ddp *d, DdpRel rel)
{
    uint32_t which;
    while (d->combined_of.n && (which = youngest(d, rel, 0, true)) != UINT32_MAX)
        end(d, which, true);
}

/* ---- variables that turn ---- */

void ddp_turn_var(Ddp *d, DdpVar v, DdpVarKind kind)
{
    vec_push(d->mem, &d->turning, v);
    VAR(d, v).turns_to = (uint8_t)(kind + 1);
}

DdpVarKind ddp_kind_to_be(const Ddp *d, DdpVar v)
{
    return (DdpVarKind)(VAR(d, v).turns_to ? VAR(d, v).turns_to - 1 : VAR(d, v).kind);
}

/* Relations that the user entered and that name v, into `rels`. */
static void list_users(Ddp *d, DdpVar v, List *rels)
{
    vec_clear(rels);
    for (uint32_t o = VAR(d, v).occs; o; o = d->occ_next.at[o]) {
        DdpRel r = d->occ_rel.at[o];
        if (!REL(d, r).order && !REL(d, r).leaving && o < REL(d, r).occ + REL(d, r).n)
            vec_push(d->mem, rels, r);
    }
}

/* It has no causality any more, nor have its derivatives, and looks for one. */
static void start_again(Ddp *d, DdpRel r)
{
    if (REL(d, r).waits)
        return; /* it has none yet */
    d->visited++;
    if (REL(d, r).match)
        vec_push(d->mem, &d->holes, REL(d, r).match);
    causalize_release(d, r);
    requests_drop_chain(d, r);
    schedule_detach(d, r);
    if (REL(d, r).kind == DDP_DERIVATIVE && relation_vars(d, r)[2]) {
        requests_add_candidate(d, relation_vars(d, r)[2]);
        relation_bind(d, r, 2, 0);
    }
    causalize_push(d, r);
}

static void turn(Ddp *d, DdpVar v, DdpVarKind kind)
{
    List rels = {0};
    list_users(d, v, &rels);
    for (uint32_t i = 0; i < rels.n; i++)
        end_all(d, rels.at[i]);
    list_users(d, v, &rels); /* as they were entered */
    for (uint32_t i = 0; i < rels.n; i++)
        start_again(d, rels.at[i]);
    vec_free(d->mem, &rels);
    for (DdpVar up = v; up; up = VAR(d, up).up)
        VAR(d, up).kind = (uint8_t)kind;
    if (kind == DDP_HELD)
        free_vars_drop(d, v);
    else if (!VAR(d, v).match) /* else what determines it leaves */
        free_vars_add(d, v);
    VAR(d, v).driven = false;
    requests_steer(d, v);
    schedule_settle(d, v, kind == DDP_UNKNOWN, false);
}

static void turn_all(Ddp *d)
{
    for (uint32_t i = 0; i < d->turning.n; i++) {
        DdpVar v = d->turning.at[i];
        if (!VAR(d, v).used || !VAR(d, v).turns_to)
            continue;
        DdpVarKind kind = ddp_kind_to_be(d, v);
        VAR(d, v).turns_to = 0;
        if (kind != (DdpVarKind)VAR(d, v).kind && !VAR(d, v).leaving)
            turn(d, v, kind);
    }
    vec_clear(&d->turning);
}

void combine_update(Ddp *d)
{
    uint32_t which;
    vec_clear(&d->exchanged);
    vec_clear(&d->exchanged_by);
    vec_clear(&d->exchanged_vars);
    vec_clear(&d->ended);
    vec_clear(&d->ended_others);
    for (uint32_t i = 0; i < d->leaving.n && d->combined_of.n; i++) {
        end_all(d, d->leaving.at[i]);
        lose(d, d->leaving.at[i]);
    }
    turn_all(d);
    for (uint32_t i = 0; i < d->combined_ending.n; i++)
        while ((which = replacing(d, d->combined_ending.at[i])) != UINT32_MAX)
            end(d, which, false); /* new ones are made of what it is then */
    vec_clear(&d->combined_ending);
    for (uint32_t i = 0; i < d->combined_new.n; i++) {
        Combined *c = &d->combined.at[d->combined_new.at[i]];
        if (!c->age || (c->stands && !c->renewed))
            continue;
        c->stands = true;
        c->renewed = false;
        exchange(d, c->rel, c->form, &c->vars);
    }
    vec_clear(&d->combined_new);
}

/* ---- looking closer ---- */

DdpExchanged ddp_exchanged(const Ddp *d)
{
    return (DdpExchanged){.n = d->exchanged.n,
                          .n_vars = d->exchanged_vars.n,
                          .n_others = d->ended_others.n,
                          .rels = d->exchanged.at,
                          .by = d->exchanged_by.at,
                          .ended = d->ended.at,
                          .others = d->ended_others.at,
                          .vars = d->exchanged_vars.at};
}

bool ddp_any_combination(const Ddp *d)
{
    return d->combined_of.n > 0;
}

/* The oldest one has the relation as it was entered; younger ones are made of more. */
bool ddp_combination(const Ddp *d, DdpRel rel, DdpCombination *out)
{
    uint32_t oldest = UINT32_MAX, newest = 0;
    if (!d->combined_of.n)
        return false;
    for (uint32_t u = map_get(&d->combined_of, rel); u; u = d->combined_uses.at[u - 1].next) {
        const Combined *c = &d->combined.at[d->combined_uses.at[u - 1].which];
        if (c->rel != rel || !c->stands)
            continue;
        if (c->age < oldest) {
            oldest = c->age;
            out->form = c->form_before;
            out->n = c->before.n;
            out->vars = c->before.at;
        }
        if (c->age > newest) {
            newest = c->age;
            out->n_others = c->others.n;
            out->others = c->others.at;
        }
    }
    return newest > 0;
}

DdpRel ddp_next_aside(const Ddp *d, uint32_t *cursor, DdpVar *rest)
{
    for (; d->n_aside && *cursor < d->combined.n; ++*cursor) {
        const Combined *c = &d->combined.at[*cursor];
        if (!c->age || !c->aside || !c->stands)
            continue;
        *rest = c->rest;
        ++*cursor;
        return c->rel;
    }
    return 0;
}
