/* tape_memory.c: the structure of a small part -> the tape that it had when it was like this before.
 *
 * A diode that opens and closes leads to the same two tapes again and again. A part that changes gives its tape to the
 * memory of the engine, under a description of what it was made of; when the part is described by the same words again,
 * the tape is put back instead of made. Descriptions name variables by their numbers, so that each part finds its own
 * tapes: a thousand rectifiers have two thousand of them.
 *
 * The description has all that tape_build.c reads: segments and their nodes in order, with expressions and variables; what
 * of it conditions need; states and their slopes; what is compared. Expressions are numbers in a table that only grows,
 * so equal numbers are equal expressions (X2, X3). Whoever puts a tape back connects it with the comparisons of the part
 * as it is now. Segments have no plans then: what reads them (fixed pieces) has the tape made anew.
 *
 * Only small tapes are kept: large ones are patched (tape_patch.c). The memory is bounded; what was put away first goes
 * first. In builds with verifiers a tape that is put back is compared with one that is made.
 */
#include "runtime/eval/tape_int.h"

#include <string.h>

enum {
    MOST_TAPES = 8192,
    MOST_BYTES = 16 * 1024 * 1024,
    MOST_NODES = 256 /* of a part that is described */
};

static size_t size_of(const Tape *tape)
{
    return sizeof *tape + tape->arena.used + tape->kept.n_content * sizeof *tape->kept.content;
}

/* ---- descriptions ---- */

static void say(Engine *engine, uint32_t word)
{
    vec_push(engine->sim->mem, &engine->memory.words, word);
}

/* False: it keeps something between events, in places that are its own. */
static bool describe_node(Engine *engine, DdpNode n)
{
    const Sim *sim = engine->sim;
    const EvalNode *node = &sim->nodes.at[n];
    const EvalOp *op = &node->ops[0];
    if (node->loop || node->holds)
        return false;
    uint32_t size = ddp_rel_size(sim->ddp, op->rel);
    say(engine, op->target);
    say(engine, op->value);
    say(engine, size);
    vec_reserve(sim->mem, &engine->memory.words, engine->memory.words.n + size);
    memcpy(engine->memory.words.at + engine->memory.words.n, op->vars, size * sizeof *op->vars);
    engine->memory.words.n += size;
    return true;
}

static bool describe_node_order(Engine *engine, const NodeOrder *order)
{
    bool fine = true;
    say(engine, order->n_segments);
    EACH_SEGMENT (order, segment) {
        say(engine, segment->nodes.n << 1 | segment->probe);
        for (uint32_t i = 0; fine && i < segment->nodes.n; i++)
            fine = describe_node(engine, segment->nodes.at[i]);
    }
    return fine;
}

static void describe_compares(Engine *engine, const EvalNode *node)
{
    say(engine, node->ops[0].target);
    say(engine, node->n_compares);
    for (uint32_t k = 0; k < node->n_compares; k++) {
        say(engine, node->compare[k].self);
        say(engine, node->compare[k].difference);
        say(engine, node->compare[k].timed);
    }
}

/* Into Engine.memory.words; false: it has no tape that could be kept. */
static bool describe(Engine *engine, const Part *part)
{
    const Sim *sim = engine->sim;
    vec_clear(&engine->memory.words);
    if (part->orders[0].n + part->orders[1].n > MOST_NODES || part->lists.loops.n)
        return false;
    if (!describe_node_order(engine, &part->orders[0]) ||
        !describe_node_order(engine, &part->orders[1]))
        return false;
    say(engine, part->states.n);
    for (uint32_t i = 0; i < part->states.n; i++) {
        say(engine, part->states.at[i].var);
        say(engine, part->states.at[i].slope);
    }
    say(engine, part->lists.watched.n);
    for (uint32_t i = 0; i < part->lists.watched.n; i++)
        describe_compares(engine, &sim->nodes.at[part->lists.watched.at[i]]);
    return true;
}

static uint64_t key_of(const Engine *engine)
{
    return hash_bytes(engine->memory.words.at, engine->memory.words.n * sizeof(uint32_t), 1);
}

static bool is_described(const Engine *engine, const Tape *tape)
{
    return tape->kept.n_content == engine->memory.words.n &&
           memcmp(tape->kept.content, engine->memory.words.at,
                  tape->kept.n_content * sizeof *tape->kept.content) == 0;
}

/* ---- what is kept ---- */

static void unlink_tape(Engine *engine, Tape *tape)
{
    TapeMemory *memory = &engine->memory;
    *(tape->kept.older ? &tape->kept.older->kept.newer : &memory->oldest) = tape->kept.newer;
    *(tape->kept.newer ? &tape->kept.newer->kept.older : &memory->newest) = tape->kept.older;
    tape->kept.older = tape->kept.newer = NULL;
    memory->n--;
    memory->bytes -= tape->kept.bytes;
    map_remove(&memory->of_key, tape->kept.key);
    memory->slot.at[tape->kept.slot] = NULL;
    vec_push(engine->sim->mem, &memory->free, tape->kept.slot);
}

static void link_tape(Engine *engine, Tape *tape)
{
    TapeMemory *memory = &engine->memory;
    Mem *mem = engine->sim->mem;
    if (!memory->free.n) {
        vec_push(mem, &memory->slot, NULL);
        vec_push(mem, &memory->free, memory->slot.n - 1);
    }
    tape->kept.slot = vec_pop(&memory->free);
    memory->slot.at[tape->kept.slot] = tape;
    map_put(mem, &memory->of_key, tape->kept.key, tape->kept.slot + 1);
    tape->kept.older = memory->newest;
    *(memory->newest ? &memory->newest->kept.newer : &memory->oldest) = tape;
    memory->newest = tape;
    tape->kept.bytes = size_of(tape);
    memory->bytes += tape->kept.bytes;
    memory->n++;
}

static Tape *kept_under(const Engine *engine, uint64_t key)
{
    uint32_t slot = map_get(&engine->memory.of_key, key);
    return slot ? engine->memory.slot.at[slot - 1] : NULL;
}

static void drop(Engine *engine, Tape *tape)
{
    unlink_tape(engine, tape);
    tape_free(engine, tape);
}

static void make_room(Engine *engine)
{
    const TapeMemory *memory = &engine->memory;
    uint32_t most = memory->most ? memory->most : MOST_TAPES;
    while (memory->n > most || memory->bytes > MOST_BYTES)
        drop(engine, memory->oldest);
}

void tape_memory_limit(Engine *engine, uint32_t most)
{
    engine->memory.most = most;
    make_room(engine);
}

void tape_forget_all(Sim *sim)
{
    Engine *engine = sim->engine;
    if (!engine)
        return;
    TapeMemory *memory = &engine->memory;
    Mem *mem = engine->sim->mem;
    while (memory->oldest)
        drop(engine, memory->oldest);
    vec_free(mem, &memory->slot);
    vec_free(mem, &memory->free);
    vec_free(mem, &memory->words);
    map_free(mem, &memory->of_key);
}

/* ---- a tape that was made ---- */

static bool is_on(const Engine *engine)
{
    return !engine->sim->opt.forget_modes && !engine->sim->opt.batch_from;
}

/* What of the plans has to outlive them: constants belong to patterns, which plans keep. */
static void keep_patterns(Engine *engine, Tape *tape)
{
    uint32_t n = 0;
    for (uint32_t u = 0; u < tape->units.n; u++)
        n += tape->units.at[u].n;
    tape->kept.patterns = arena_alloc(&tape->arena, (n + 1) * sizeof *tape->kept.patterns);
    for (uint32_t u = 0; u < tape->units.n; u++)
        for (uint32_t i = 0; i < tape->units.at[u].n; i++) {
            uint32_t pattern = tape->units.at[u].member[i]->pattern;
            shape_keep(engine->shapes, pattern);
            tape->kept.patterns[tape->kept.n_patterns++] = pattern;
        }
}

static SegmentPlan *copy_plan(Engine *engine, const SegmentPlan *plan)
{
    size_t size = sizeof *plan + 2 * plan->n * sizeof *plan->var;
    SegmentPlan *copy = mem_alloc(engine->sim->mem, size);
    memcpy(copy, plan, size);
    copy->origin = copy->var + copy->n;
    copy->copy = copy->origin + copy->n;
    if (copy->shape)
        shape_keep(engine->shapes, copy->pattern);
    return copy;
}

void tape_memory_note(Tape *tape)
{
    Part *part = tape->part;
    Engine *engine = part->sim->engine;
    const TapeVar *var = engine->tape_var.at;
    if (!is_on(engine) || !tape->worth || !describe(engine, part))
        return;
    tape->kept.n_content = engine->memory.words.n;
    tape->kept.content =
        arena_alloc(&tape->arena, (tape->kept.n_content + 1) * sizeof *tape->kept.content);
    memcpy(tape->kept.content, engine->memory.words.at,
           tape->kept.n_content * sizeof *tape->kept.content);
    tape->kept.key = key_of(engine);
    keep_patterns(engine, tape);
    tape->kept.n_watched = part->lists.watched.n;
    tape->kept.watched =
        arena_alloc(&tape->arena, (tape->kept.n_watched + 1) * sizeof(SegmentPlan *));
    for (uint32_t i = 0; i < tape->kept.n_watched; i++)
        tape->kept.watched[i] =
            copy_plan(engine, part->sim->nodes.at[part->lists.watched.at[i]].plan);
    tape->kept.sets = arena_alloc(&tape->arena, (part->states.n + 1) * sizeof *tape->kept.sets);
    for (uint32_t i = 0; i < part->states.n; i++) {
        const TapeVar *at = &var[part->states.at[i].slope];
        tape->kept.sets[i] = at->stamp == tape->stamp ? at->set : 0;
    }
}

void tape_memory_forget(Engine *engine, Tape *tape)
{
    for (uint32_t i = 0; i < tape->kept.n_patterns; i++)
        shape_drop(engine->shapes, tape->kept.patterns[i]);
    for (uint32_t i = 0; i < tape->kept.n_watched; i++)
        tape_plan_free(engine->sim, tape->kept.watched[i]);
    tape->kept.n_patterns = tape->kept.n_watched = 0;
}

/* ---- put away ---- */

/* Where the plans of members were: these go with their segments. */
static SegmentPlan away;

bool tape_may_return(const Tape *tape)
{
    return tape->kept.content != NULL;
}

void tape_put_away(Part *part)
{
    Tape *tape = part->code.tape;
    Engine *engine = part->sim->engine;
    if (!tape_may_return(tape)) {
        tape_close(part);
        return;
    }
    tape_detach(part);
    tape_fixed_drop(engine, tape);
    for (uint32_t i = 0; i < tape->compares.n; i++)
        tape->compares.at[i] = &tape->compares.nobody;
    for (uint32_t u = 0; u < tape->units.n; u++)
        for (uint32_t i = 0; i < tape->units.at[u].n; i++)
            tape->units.at[u].member[i] = &away;
    vec_clear(&tape->patched.known);
    vec_clear(&tape->patched.changed);
    vec_clear(&tape->patched.compared);
    Tape *same = kept_under(engine, tape->kept.key);
    if (same)
        drop(engine, same);
    link_tape(engine, tape);
    make_room(engine);
}

/* ---- and put back ---- */

/* The comparisons of the part's i-th node that compares, in the spans of its unit. */
static void connect_compares(Tape *tape, uint32_t i)
{
    Part *part = tape->part;
    Sim *sim = part->sim;
    DdpNode n = part->lists.watched.at[i];
    EvalNode *node = &sim->nodes.at[n];
    const SegmentPlan *known = tape->kept.watched[i];
    if (!node->plan)
        node->plan = copy_plan(sim->engine, known);
    node->plan->stamp = tape->stamp;
    node->plan->unit = known->unit;
    node->plan->at = known->at;
    if (!known->shape)
        return;
    const Unit *unit = &tape->units.at[known->unit];
    unit->member[known->at] = node->plan;
    uint32_t span = unit->span;
    for (uint32_t s = 0; s < known->n; s++) {
        if (known->shape->role[s] != SLOT_STORED || (known->var[s] & 1))
            continue;
        uint32_t at = tape->spans.at[span++].at + known->at;
        tape->compares.at[at] = &node->compare[(known->var[s] & ~(uint32_t)HIDDEN) / 2];
        tape->compares.by[at] = n;
    }
}

/* The states that slopes depend on. */
static void connect_sets(Tape *tape)
{
    Part *part = tape->part;
    TapeVar *var = part->sim->engine->tape_var.at;
    for (uint32_t i = 0; i < part->states.n; i++) {
        TapeVar *at = &var[part->states.at[i].slope];
        *at = (TapeVar){.stamp = tape->stamp, .set = tape->kept.sets[i], .place = NO_PLACE};
    }
    for (uint32_t i = 0; i < part->states.n; i++)
        var[part->states.at[i].var].state_stamp = tape->stamp;
}

static void attach(Engine *engine, Part *part, Tape *tape)
{
    tape->part = part;
    part->code.tape = tape;
    part->code.likes_tapes = true;
    tape->stamp = ++engine->stamp;
    tape->kept.returned = true;
    tape->version[0] = part->orders[0].version;
    tape->version[1] = part->orders[1].version;
    tape->version[2] = part->states_version;
    tape->loaded = tape->evaluated = tape->remembered = tape->told = false;
    tape_need_vars(engine);
    for (uint32_t i = 0; i < tape->kept.n_watched; i++)
        connect_compares(tape, i);
    connect_sets(tape);
    tape_follow(tape);
    tape_note_memory(tape);
    engine->batches += tape->n_batches;
    engine->batched += tape->n_batched;
}

#ifdef SOLSTICE_VERIFY
#include <stdio.h>
#include <stdlib.h>

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "solstice: broken invariant B5: %s\n", what);
    abort();
}

#define SAME_LIST(a, b)                                                                            \
    ((a).n == (b).n && ((a).n == 0 || memcmp((a).at, (b).at, (a).n * sizeof *(a).at) == 0))

static void compare_units(const Unit *a, const Unit *b)
{
    must(a->shape == b->shape && a->layout == b->layout && a->section == b->section &&
             a->level == b->level && a->n == b->n && a->stride == b->stride && a->span == b->span &&
             a->n_segments == b->n_segments,
         "a unit of a tape that returned is another one");
    size_t slots = a->layout == JIT_TABLES ? (size_t)a->n * a->stride : a->shape->n_slots;
    must(memcmp(a->slots, b->slots, slots * sizeof *a->slots) == 0,
         "a unit of a tape that returned reads or writes elsewhere");
    must(memcmp(a->code.constants, b->code.constants,
                a->shape->n_constants * sizeof *a->code.constants) == 0,
         "a unit of a tape that returned has other constants");
}

/* What is put back is what would be made. */
static void compare_with_made(Part *part, const Tape *kept)
{
    const Tape *made = tape_build(part);
    must(made->worth && kept->units.n == made->units.n, "a tape that returned has other units");
    for (uint32_t i = 0; i < kept->units.n; i++)
        compare_units(&kept->units.at[i], &made->units.at[i]);
    must(SAME_LIST(kept->order, made->order) && SAME_LIST(kept->inputs, made->inputs) &&
             SAME_LIST(kept->states, made->states) &&
             SAME_LIST(kept->slopes.all, made->slopes.all) &&
             SAME_LIST(kept->results.all, made->results.all) && SAME_LIST(kept->spans, made->spans),
         "a tape that returned has other lists");
    must(kept->clock == made->clock && kept->n_places == made->n_places &&
             kept->n_checked == made->n_checked && kept->n_read == made->n_read &&
             kept->compares.n == made->compares.n,
         "a tape that returned has other places");
    part->sim->engine->batches += made->n_batches;
    part->sim->engine->batched += made->n_batched;
    tape_close(part);
}
#endif

bool tape_put_back(Part *part)
{
    Engine *engine = part->sim->engine;
    uint32_t versions =
        part->orders[0].version + part->orders[1].version + part->states_version + 1;
    if (!engine->memory.n || part->code.sought == versions)
        return false;
    part->code.sought = versions;
    if (part->orders[0].n_segments < 2 || !describe(engine, part))
        return false;
    Tape *tape = kept_under(engine, key_of(engine));
    if (!tape || !is_described(engine, tape))
        return false;
    unlink_tape(engine, tape);
#ifdef SOLSTICE_VERIFY
    compare_with_made(part, tape);
#endif
    attach(engine, part, tape);
    engine_note_returned(engine);
    return true;
}
