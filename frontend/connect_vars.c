/* connect_vars.c: an instance and its terminals -> the variables that a connection relates.
 *
 * A terminal may be an array: then each element is related with the one that has the same numbers on the other side, so both sides
 * must have the same sizes. They are known when the instances are born. */
#include "frontend/connect_int.h"

/* Word of element k, from 0, of the row; 0: it was not born. */
static uint32_t element_word(const Connect *c, const Inst *row, uint32_t k)
{
    Target element = {0};
    bool there = row_find(c->world, (Inst *)row, 1 + (int64_t)k, &element);
    return there ? element.inst->word[element.word] : 0;
}

void connect_elements(const Connect *c, uint32_t word, uint32_t rank, Vars *out)
{
    if (!rank) {
        vec_push(c->mem, out, word);
        return;
    }
    const Inst *row = word ? world_at(c->world, word) : NULL;
    for (uint32_t k = 0; row && k < row->word[ROW_COUNT]; k++)
        connect_elements(c, element_word(c, row, k), rank - 1, out);
}

void connect_vars(const Connect *c, InstId inst, uint32_t n, const Terminal *terminals, Vars *out)
{
    const Inst *at = world_at(c->world, inst);
    for (uint32_t i = 0; i < n; i++)
        connect_elements(c, at->word[terminals[i].word], terminals[i].rank, out);
}

static uint32_t count(const Connect *c, InstId inst, uint32_t n, const Terminal *terminals)
{
    Vars vars = {0};
    connect_vars(c, inst, n, terminals, &vars);
    uint32_t all = vars.n;
    vec_free(c->mem, &vars);
    return all;
}

void connect_shape(const Connect *c, Set *set, const Bundle *bundle, InstId inst)
{
    set->bundle = bundle;
    set->n_potentials = bundle->n_potentials;
    set->n_flows = bundle->n_flows;
    if (!bundle->arrays)
        return;
    set->n_potentials = count(c, inst, bundle->n_potentials, bundle->potentials);
    set->n_flows = count(c, inst, bundle->n_flows, bundle->flows);
}

/* ---- do two sides fit? ---- */

/* `what`: "element" or "dimension". */
static bool tell_ends(World *world, const Meeting *meeting, const char *what, const uint32_t n[2])
{
    const char *name = intern_text(program_names(world->program), meeting->terminal[0]->name);
    world_fail(world, meeting->at,
               "connection of arrays that differ: '%s' has %u %s%s here, %u there", name, n[0],
               what, n[0] == 1 ? "" : "s", n[1]);
    for (int i = 0; i < 2; i++)
        world_remark(world, report_place_of(world, meeting->end[i]), "'%s.%s' has %u %s%s",
                     world_path_text(world, meeting->end[i]->id), name, n[i], what,
                     n[i] == 1 ? "" : "s");
    return false;
}

/* All rows of a row are equal. */
static bool rows_fit(const Connect *c, const Meeting *meeting, const uint32_t word[2],
                     uint32_t rank)
{
    if (!rank || !word[0] || !word[1])
        return true; /* what was not born was told there */
    const Inst *row[2] = {world_at(c->world, word[0]), world_at(c->world, word[1])};
    uint32_t n[2] = {row[0]->word[ROW_COUNT], row[1]->word[ROW_COUNT]};
    uint32_t first[2] = {element_word(c, row[0], 0), element_word(c, row[1], 0)};
    if (n[0] != n[1])
        return tell_ends(c->world, meeting, "element", n);
    return rows_fit(c, meeting, first, rank - 1);
}

bool connect_fits(const Connect *c, const Meeting *meeting)
{
    const Terminal *const *t = meeting->terminal;
    uint32_t rank[2] = {t[0]->rank, t[1]->rank};
    uint32_t word[2] = {meeting->end[0]->word[t[0]->word], meeting->end[1]->word[t[1]->word]};
    if (rank[0] != rank[1])
        return tell_ends(c->world, meeting, "dimension", rank);
    return rows_fit(c, meeting, word, rank[0]);
}

static bool terminals_fit(const Connect *c, Meeting meeting, uint32_t n, const Terminal *a,
                          const Terminal *b)
{
    for (uint32_t i = 0; i < n; i++) {
        meeting.terminal[0] = &a[i];
        meeting.terminal[1] = &b[i];
        if (!connect_fits(c, &meeting))
            return false;
    }
    return true;
}

bool connect_bundles_fit(const Connect *c, const Inst *a, const Inst *b, uint32_t bundle, Place at)
{
    const Bundle *x = connect_bundle(c, a, bundle), *y = connect_bundle(c, b, bundle);
    Meeting meeting = {.end = {a, b}, .at = at};
    return (!x->arrays && !y->arrays) ||
           (terminals_fit(c, meeting, x->n_potentials, x->potentials, y->potentials) &&
            terminals_fit(c, meeting, x->n_flows, x->flows, y->flows));
}
