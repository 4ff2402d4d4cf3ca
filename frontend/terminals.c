/* terminals.c: definitions -> what a connection to an instance relates, in bundles.
 *
 * A connection relates potentials and flows of the same name (thesis 5.5.4). Connectors that are
 * connected need not have all names in common; then a name that one of them lacks ends there, as a
 * wire that leads no further. So, strictly, each name has connection sets of its own. But nearly
 * always the same names come together: those that occur together in every definition of the program
 * make a bundle, and sets are formed per bundle. The partition is refined with each definition that
 * plans_survey() sees (what it has is split from what it has not); it is final before anything is
 * connected. A program with one kind of connector has one bundle. */
#include "frontend/plan_int.h"

#include <string.h>

/* ---- collecting ---- */

/* A connector inside the one that is connected, still to be looked through. */
typedef struct Inner {
    Body *body;
    const char *prefix; /* "p.", or "" */
    ConAttr con;        /* attribute of the whole, or CON_NONE */
    uint32_t n;
    struct TerminalStep *step;
} Inner;

typedef struct Collect {
    Plans *plans;
    VEC(Inner) todo;
    VEC(Terminal) terminals;
} Collect;

static struct TerminalStep *append_step(Plans *plans, const Inner *in, const Member *m)
{
    struct TerminalStep *steps = arena_alloc(&plans->arena, (in->n + 1) * sizeof *steps);
    if (in->n)
        memcpy(steps, in->step, in->n * sizeof *steps);
    steps[in->n].word = plans_family(plans, in->body)->member_word[m->index];
    steps[in->n].rank = m->rank;
    return steps;
}

static const char *append_name(Plans *plans, const Inner *in, const Member *m, const char *end)
{
    const char *name = intern_text(program_names(plans->program), m->name);
    size_t size = strlen(in->prefix) + strlen(name) + strlen(end) + 1;
    char *text = arena_alloc(&plans->arena, size);
    size_t k = strlen(in->prefix);
    memcpy(text, in->prefix, k);
    memcpy(text + k, name, strlen(name));
    memcpy(text + k + strlen(name), end, strlen(end) + 1);
    return text;
}

static void collect_member(Collect *c, const Inner *in, Member *m, bool connector)
{
    Plans *plans = c->plans;
    if (m->binding != BIND_STATIC || m->parameter)
        return;
    ConAttr con = m->con ? m->con : in->con;
    if (type_is_basic(m->type) && con) {
        const char *text = append_name(plans, in, m, "");
        Terminal t = {.name = intern_str(program_names(plans->program), text),
                      .flow = con == CON_FLOW,
                      .n = in->n + 1,
                      .step = append_step(plans, in, m)};
        vec_push(plans->mem, &c->terminals, t);
    } else if (m->type.kind == TYPE_MODEL && m->type.def->body && in->n < 64 &&
               (con || (connector && m->type.def->kind == DEF_CONNECTOR))) {
        Inner inner = {m->type.def->body, append_name(plans, in, m, "."), con, in->n + 1,
                       append_step(plans, in, m)};
        vec_push(plans->mem, &c->todo, inner);
    }
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

/* All terminals of a body, sorted by name; kept in its family. */
static void collect(Plans *plans, Family *f, Def *def)
{
    Collect c = {.plans = plans};
    if (f->collected)
        return;
    vec_push(plans->mem, &c.todo, ((Inner){.body = f->body, .prefix = ""}));
    while (c.todo.n) {
        Inner in = vec_pop(&c.todo);
        for (uint32_t i = 0; i < in.body->n_members; i++)
            collect_member(&c, &in, in.body->members[i], def->kind == DEF_CONNECTOR);
    }
    sort_terminals(plans, c.terminals.at, c.terminals.n);
    f->n_terminals = c.terminals.n;
    f->terminals = arena_alloc(&plans->arena, (c.terminals.n + 1) * sizeof *f->terminals);
    if (c.terminals.n)
        memcpy(f->terminals, c.terminals.at, c.terminals.n * sizeof *f->terminals);
    f->collected = true;
    vec_free(plans->mem, &c.todo);
    vec_free(plans->mem, &c.terminals);
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
        for (uint32_t k = 0; k < t->n; k++)
            b->arrays |= t->step[k].rank > 0;
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
