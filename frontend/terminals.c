/* terminals.c: definitions -> what a connection to an instance relates, in bundles.
 *
 * A connection relates potentials and flows of the same name (thesis 5.5.4). Connectors that are
 * connected need not have all names in common; then a name that one of them lacks ends there, as a
 * wire that leads no further. So, strictly, each name has connection sets of its own. But nearly
 * always the same names come together: those that occur together in every definition of the program
 * make a bundle, and sets are formed per bundle. The partition is refined with each definition that
 * plans_survey() sees (what it has is split from what it has not); it is final before anything is
 * connected. A program with one kind of connector has one bundle.
 *
 * Connectors inside connectors are connected each with its like, so that one of them may be connected by itself as well. */
#include "frontend/plan_int.h"

#include <string.h>

/* ---- collecting ---- */

typedef VEC(Terminal) Terminals;

static void collect_member(Plans *plans, const Family *f, const Member *m, Terminals *out,
                           Terminals *inner)
{
    if (m->binding != BIND_STATIC || m->parameter)
        return;
    Terminal t = {.name = m->name,
                  .flow = m->con == CON_FLOW,
                  .word = f->member_word[m->index],
                  .rank = m->rank};
    if (type_is_basic(m->type) && m->con)
        vec_push(plans->mem, out, t);
    else if (m->type.kind == TYPE_MODEL && m->type.def->kind == DEF_CONNECTOR)
        vec_push(plans->mem, inner, t);
}

static void sort_terminals(Plans *plans, Terminal *t, uint32_t n)
{
    const Intern *names = program_names(plans->program);
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0; k--) {
            if (strcmp(intern_text(names, t[k - 1].name), intern_text(names, t[k].name)) <= 0)
                break;
            Terminal swap = t[k];
            t[k] = t[k - 1];
            t[k - 1] = swap;
        }
}

static Terminal *keep(Plans *plans, const Terminals *from)
{
    Terminal *kept = arena_alloc(&plans->arena, (from->n + 1) * sizeof *kept);
    if (from->n)
        memcpy(kept, from->at, from->n * sizeof *kept);
    return kept;
}

/* All terminals of a body, sorted by name, and connectors inside a connector; kept in its family. */
static void collect(Plans *plans, Family *f, Def *def)
{
    Terminals own = {0}, inner = {0};
    if (f->collected)
        return;
    for (uint32_t i = 0; i < f->body->n_members; i++)
        collect_member(plans, f, f->body->members[i], &own, &inner);
    sort_terminals(plans, own.at, own.n);
    f->n_terminals = own.n;
    f->terminals = keep(plans, &own);
    f->n_inner = def->kind == DEF_CONNECTOR ? inner.n : 0;
    f->inner = keep(plans, &inner);
    f->collected = true;
    vec_free(plans->mem, &own);
    vec_free(plans->mem, &inner);
}

/* ---- bundles ---- */

/* The number of a terminal of this name and kind, from 1; 0: not seen yet. */
static uint32_t terminal_number(const Plans *plans, const Terminal *t)
{
    return map_get(&plans->terminal_of, (uint64_t)t->name << 1 | t->flow);
}

static uint32_t new_bundle(Plans *plans)
{
    vec_push(plans->mem, &plans->bundle_size, 0u);
    return plans->bundle_size.n - 1;
}

static void put_in_bundle(Plans *plans, uint32_t terminal, uint32_t bundle)
{
    plans->bundle_size.at[plans->bundle_of.at[terminal]]--;
    plans->bundle_of.at[terminal] = bundle;
    plans->bundle_size.at[bundle]++;
}

/* Names seen for the first time come together in a bundle of their own. */
static void add_new_terminals(Plans *plans, const Family *f)
{
    uint32_t bundle = 0;
    for (uint32_t i = 0; i < f->n_terminals; i++) {
        const Terminal *t = &f->terminals[i];
        if (terminal_number(plans, t))
            continue;
        if (!bundle)
            bundle = new_bundle(plans);
        vec_push(plans->mem, &plans->bundle_of, bundle);
        plans->bundle_size.at[bundle]++;
        map_put(plans->mem, &plans->terminal_of, (uint64_t)t->name << 1 | t->flow,
                plans->bundle_of.n - 1);
    }
}

/* Has a definition that was connected this bundle? */
static bool is_connected(const Plans *plans, uint32_t bundle)
{
    for (uint32_t i = 0; i < plans->families.n; i++)
        if (plans->families.at[i]->signature &&
            signature_bundle(plans->families.at[i]->signature, bundle))
            return true;
    return false;
}

/* A bundle of which this definition has only a part is split. */
static void split_bundles(Plans *plans, const Family *f)
{
    uint32_t n = plans->bundle_size.n;
    uint32_t *mine = mem_alloc(plans->mem, n * sizeof *mine);
    uint32_t *fresh = mem_alloc(plans->mem, n * sizeof *fresh);
    for (uint32_t i = 0; i < f->n_terminals; i++)
        mine[plans->bundle_of.at[terminal_number(plans, &f->terminals[i])]]++;
    for (uint32_t b = 1; b < n; b++)
        if (mine[b] && mine[b] < plans->bundle_size.at[b]) {
            plans->split |= is_connected(plans, b);
            fresh[b] = new_bundle(plans);
        }
    for (uint32_t i = 0; i < f->n_terminals; i++) {
        uint32_t number = terminal_number(plans, &f->terminals[i]);
        uint32_t old = plans->bundle_of.at[number];
        if (old < n && fresh[old])
            put_in_bundle(plans, number, fresh[old]);
    }
    mem_free(plans->mem, mine);
    mem_free(plans->mem, fresh);
}

void terminals_survey(Plans *plans, Def *def)
{
    if (!plans->bundle_of.n) { /* numbers start at 1 */
        vec_push(plans->mem, &plans->bundle_of, 0u);
        vec_push(plans->mem, &plans->bundle_size, 1u);
    }
    Family *f = plans_family(plans, def->body);
    collect(plans, f, def);
    if (!f->n_terminals)
        return;
    add_new_terminals(plans, f);
    split_bundles(plans, f);
}

/* ---- signatures ---- */

static Bundle *bundle_in(Signature *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->bundle[i].id == id)
            return &s->bundle[i];
    s->bundle[s->n] = (Bundle){.id = id};
    return &s->bundle[s->n++];
}

static void fill_bundle(Plans *plans, const Family *f, Bundle *b)
{
    b->potentials = arena_alloc(&plans->arena, f->n_terminals * sizeof(Terminal));
    b->flows = arena_alloc(&plans->arena, f->n_terminals * sizeof(Terminal));
    for (uint32_t i = 0; i < f->n_terminals; i++) {
        const Terminal *t = &f->terminals[i];
        if (plans->bundle_of.at[terminal_number(plans, t)] != b->id)
            continue;
        b->arrays |= t->rank > 0;
        if (t->flow)
            b->flows[b->n_flows++] = *t;
        else
            b->potentials[b->n_potentials++] = *t;
    }
}

const Signature *plans_signature(Plans *plans, Plan *plan)
{
    Family *f = plan->family;
    if (f->signature)
        return f->signature;
    vec_push(plans->mem, &plans->made, plan->number * 2 + 1);
    if (!f->collected) /* no definition that the survey saw: its names belong together all the same
                        */
        terminals_survey(plans, plan->def);
    Signature *s = arena_alloc(&plans->arena, sizeof *s);
    s->bundle = arena_alloc(&plans->arena, (f->n_terminals + 1) * sizeof *s->bundle);
    for (uint32_t i = 0; i < f->n_terminals; i++)
        bundle_in(s, plans->bundle_of.at[terminal_number(plans, &f->terminals[i])]);
    for (uint32_t i = 0; i < s->n; i++)
        fill_bundle(plans, f, &s->bundle[i]);
    s->n_inner = f->n_inner;
    s->inner = f->inner;
    f->signature = s;
    return s;
}

const Bundle *signature_bundle(const Signature *signature, uint32_t id)
{
    for (uint32_t i = 0; i < signature->n; i++)
        if (signature->bundle[i].id == id)
            return &signature->bundle[i];
    return NULL;
}
