/* connect_vars.c: an instance and its terminals -> the variables that a connection relates.
 *
 * A terminal may be an array, or lead through arrays of connectors: then each element is related with the one that has the
 * same numbers on the other side, so both sides must have the same sizes. They are known when the instances are born. */
#include "frontend/connect_int.h"

/* One terminal seen from an instance, from step number `step` on. */
typedef struct Way {
    const Connect *connect;
    const Terminal *terminal;
    uint32_t step;
} Way;

static const Inst *inst_of(const Way *way, uint32_t id)
{
    return world_at(way->connect->world, id);
}

static uint32_t first_word(const Way *way, const Inst *inst)
{
    return inst->word[way->terminal->step[way->step].word];
}

/* Word of element k, from 0, of the row. */
static uint32_t element_word(const Way *way, const Inst *row, uint32_t k)
{
    Target element = {0};
    bool there = row_find(way->connect->world, (Inst *)row, 1 + (int64_t)k, &element);
    return there ? element.inst->word[element.word] : 0;
}

/* ---- all of them ---- */

/* `word`: the variable, the instance, or the row with `rank` sizes that the step leads to. */
static void push_vars(Way way, uint32_t word, uint32_t rank, Vars *out)
{
    if (!word)
        return;
    if (rank) {
        const Inst *row = inst_of(&way, word);
        for (uint32_t k = 0; k < row->word[ROW_COUNT]; k++)
            push_vars(way, element_word(&way, row, k), rank - 1, out);
    } else if (++way.step == way.terminal->n) {
        vec_push(way.connect->mem, out, word);
    } else {
        push_vars(way, first_word(&way, inst_of(&way, word)), way.terminal->step[way.step].rank,
                  out);
    }
}

void connect_vars(const Connect *c, InstId inst, uint32_t n, const Terminal *terminals, Vars *out)
{
    for (uint32_t i = 0; i < n; i++) {
        Way way = {c, &terminals[i], 0};
        push_vars(way, first_word(&way, inst_of(&way, inst)), terminals[i].step[0].rank, out);
    }
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

typedef struct Meeting {
    const Inst *end[2];
    Place at;
} Meeting;

/* `what`: "element" or "dimension". */
static void tell_ends(World *world, const Meeting *meeting, const Way *way, const char *what,
                      const uint32_t n[2])
{
    const char *name = intern_text(program_names(world->program), way->terminal->name);
    world_fail(world, meeting->at,
               "connection of arrays that differ: '%s' has %u %s%s here, %u there", name, n[0],
               what, n[0] == 1 ? "" : "s", n[1]);
    for (int i = 0; i < 2; i++)
        world_remark(world, report_place_of(world, meeting->end[i]), "'%s.%s' has %u %s%s",
                     world_path_text(world, meeting->end[i]->id), name, n[i], what,
                     n[i] == 1 ? "" : "s");
}

static bool ways_agree(const Meeting *meeting, const Way way[2], const uint32_t word[2],
                       uint32_t rank);

/* Both lead to instances. */
static bool steps_agree(const Meeting *meeting, const Way way[2], const uint32_t word[2])
{
    uint32_t next[2], rank[2];
    for (int i = 0; i < 2; i++) {
        next[i] = first_word(&way[i], inst_of(&way[i], word[i]));
        rank[i] = way[i].terminal->step[way[i].step].rank;
    }
    if (rank[0] != rank[1]) {
        tell_ends(way->connect->world, meeting, way, "dimension", rank);
        return false;
    }
    return ways_agree(meeting, way, next, rank[0]);
}

static bool ways_agree(const Meeting *meeting, const Way way[2], const uint32_t word[2],
                       uint32_t rank)
{
    if (!word[0] || !word[1])
        return true; /* told where it was to be born */
    if (!rank) {
        Way next[2] = {way[0], way[1]};
        next[0].step++;
        next[1].step++;
        return next->step == next->terminal->n || steps_agree(meeting, next, word);
    }
    const Inst *row[2] = {inst_of(way, word[0]), inst_of(way, word[1])};
    uint32_t n[2] = {row[0]->word[ROW_COUNT], row[1]->word[ROW_COUNT]};
    if (n[0] != n[1])
        tell_ends(way->connect->world, meeting, way, "element", n);
    for (uint32_t k = 0; k < n[0] && n[0] == n[1]; k++) {
        uint32_t inner[2] = {element_word(way, row[0], k), element_word(way, row[1], k)};
        if (!ways_agree(meeting, way, inner, rank - 1))
            return false;
    }
    return n[0] == n[1];
}

bool connect_fits(const Connect *c, const Inst *a, const Inst *b, uint32_t bundle, Place at)
{
    const Bundle *x = connect_bundle(c, a, bundle), *y = connect_bundle(c, b, bundle);
    Meeting meeting = {{a, b}, at};
    uint32_t word[2] = {a->id, b->id};
    for (uint32_t i = 0; i < x->n_potentials + x->n_flows && (x->arrays || y->arrays); i++) {
        uint32_t k = i - x->n_potentials;
        bool flow = i >= x->n_potentials;
        Way way[2] = {{c, flow ? &x->flows[k] : &x->potentials[i], 0},
                      {c, flow ? &y->flows[k] : &y->potentials[i], 0}};
        if (!steps_agree(&meeting, way, word))
            return false;
    }
    return true;
}
