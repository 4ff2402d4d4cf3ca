/* tape_ready.c: a part -> its tape, once it is worth having and its code is there.
 *
 * A tape is made when a structure has been evaluated a few times, changed where segments come and go,
 * and closed where that is not worth it. What evaluations read of it (TapeQuick) is made here too.
 */
#include "runtime/eval/tape_int.h"

#include "base/timer.h"

#include <string.h>

enum {
    MADE_AFTER = 3, /* evaluations of one structure */
    FEW_UNITS = 64,
    FEW_PLACES = 512
};

/* ---- life ---- */

void tape_detach(Part *part)
{
    const Tape *tape = part->code.tape;
    Engine *engine = part->sim->engine;
    part->code.tape = NULL;
    part->code.untaped = 0;
    for (int which = MEMORY_TAPE; which <= MEMORY_TRUTHS; which++)
        part_prefetch_note(part, which, NULL, 0);
    if (!tape)
        return;
    part->code.likes_tapes = tape->worth;
    part->code.prepared = 0; /* segments that it evaluated have no code */
    engine->batches -= tape->n_batches;
    engine->batched -= tape->n_batched;
    for (int which = 0; which < 2; which++) {
        part->orders[which].tape = NULL;
        node_order_forget_fresh(&part->orders[which]);
    }
}

void tape_free(Engine *engine, Tape *tape)
{
    Mem *mem = engine->sim->mem;
    for (uint32_t i = 0; i < tape->units.n; i++)
        block_code_close(engine, &tape->units.at[i].code);
    tape_memory_forget(engine, tape);
    vec_free(mem, &tape->units);
    vec_free(mem, &tape->order);
    vec_free(mem, &tape->patched.changed);
    vec_free(mem, &tape->patched.compared);
    vec_free(mem, &tape->patched.known);
    tape_sets_close(engine->sim->mem, tape);
    tape_fixed_drop(engine, tape);
    vec_free(mem, &tape->inputs);
    vec_free(mem, &tape->states);
    vec_free(mem, &tape->slopes.all);
    vec_free(mem, &tape->slopes.rest);
    vec_free(mem, &tape->results.all);
    tape_spread_free(mem, tape);
    vec_free(mem, &tape->spans);
    arena_free(&tape->arena);
    mem_free(mem, tape);
}

void tape_close(Part *part)
{
    Tape *tape = part->code.tape;
    tape_detach(part);
    if (tape)
        tape_free(part->sim->engine, tape);
}

static void request(Engine *engine, Unit *unit, JitKind kind)
{
    JitRequest wanted = {.shape = unit->shape,
                         .kind = kind,
                         .layout = unit->layout,
                         .common = unit->layout == JIT_ARRAYS ? unit->common : NULL,
                         .arrays = unit->layout == JIT_TABLES ? unit->common : NULL};
    block_code_ask(engine, &unit->code, &wanted);
}

/* For all units that have not asked yet. */
static void ask_values(Engine *engine, Tape *tape)
{
    for (uint32_t i = 0; i < tape->units.n; i++)
        request(engine, &tape->units.at[i], JIT_VALUE);
    if (engine->wait)
        jit_wait(engine->jit);
}

/* Only dynamics have tangents. */
static void ask_tangents(Engine *engine, Tape *tape)
{
    tape->tangents_wanted = true;
    if (!tape->tangent)
        tape_make_tangents(tape);
    for (uint32_t i = 0; i < tape->units.n; i++)
        if (tape->units.at[i].section == SECTION_DYNAMICS)
            request(engine, &tape->units.at[i], JIT_TANGENT);
    if (engine->wait)
        jit_wait(engine->jit);
}

static bool has_code(Engine *engine, Unit *unit, JitKind kind)
{
    if (block_code(&unit->code, kind).any)
        return true;
    block_code_report(engine, &unit->code, unit->n);
    return false;
}

static bool is_ready(Engine *engine, Tape *tape)
{
    bool ready = true;
    for (uint32_t i = 0; i < tape->units.n; i++)
        ready &= has_code(engine, &tape->units.at[i], JIT_VALUE);
    return ready;
}

static bool tangents_are_ready(Engine *engine, Tape *tape)
{
    bool ready = true;
    for (uint32_t i = 0; i < tape->units.n; i++)
        if (tape->units.at[i].section == SECTION_DYNAMICS)
            ready &= has_code(engine, &tape->units.at[i], JIT_TANGENT);
    return ready;
}

/* ---- lists for evaluations ---- */

/* Code that is better came meanwhile, perhaps. */
void tape_take_code(Tape *tape)
{
    const TapeQuick *quick = &tape->quick;
    for (uint32_t i = 0; quick->calls && i < tape->order.n; i++) {
        const Unit *unit = &tape->units.at[tape->order.at[i]];
        quick->calls[i].value = block_code(&unit->code, JIT_VALUE);
        if (tape->tangents_ready && i < tape->end[SECTION_DYNAMICS])
            quick->tangents[i] = block_code(&unit->code, JIT_TANGENT);
    }
}

/* How many slots all units have, or 0: they are not few, or there are batches. */
static uint32_t count_slots(const Tape *tape)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tape->units.n && tape->units.n <= FEW_UNITS; i++) {
        if (tape->units.at[i].layout != JIT_SINGLE)
            return 0;
        n += tape->units.at[i].shape->n_slots;
    }
    return n;
}

static void *take(char **room, const void *from, size_t size)
{
    void *to = *room;
    if (from)
        memcpy(to, from, size);
    *room += (size + 7) / 8 * 8;
    return to;
}

/* Does it write something of that, or do conditions need it, or is it a comparison? */
static bool is_probe(const Unit *unit, const bool *needed)
{
    if (!unit->member[0]) /* it died */
        return false;
    bool any = unit->section == SECTION_COMPARES || unit->probe;
    for (uint32_t s = 0; s < unit->shape->n_slots && !any; s++)
        any = unit->shape->role[s] == SLOT_STORED && needed[unit->slots[s]];
    return any;
}

/* Backwards from the comparisons: who writes what is read. What conditions need is looked at also
 * where no comparison needs it, so that nothing without a number is passed over. */
static void find_probes(Tape *tape, uint32_t *probes, uint32_t *finite)
{
    TapeQuick *quick = &tape->quick;
    bool needed[FEW_PLACES] = {false};
    uint32_t n = tape->order.n, first = n;
    if (tape->n_places > FEW_PLACES)
        return;
    while (n-- > 0) {
        const Unit *unit = &tape->units.at[tape->order.at[n]];
        if (!is_probe(unit, needed))
            continue;
        probes[--first] = n;
        const uint8_t *role = unit->shape->role;
        for (uint32_t s = 0; s < unit->shape->n_slots; s++)
            if (role[s] == SLOT_READ ||
                (role[s] == SLOT_STORED && unit->section != SECTION_COMPARES))
                needed[unit->slots[s]] = true;
    }
    quick->n_probes = tape->order.n - first;
    quick->probes = probes + first;
    quick->finite = finite;
    for (uint32_t i = 0; i < tape->n_places; i++)
        if (needed[i])
            finite[quick->n_finite++] = i;
}

void tape_note_memory(const Tape *tape)
{
    const TapeQuick *quick = &tape->quick;
    if (!quick->bytes)
        return;
    part_prefetch_note(tape->part, MEMORY_TAPE, tape, offsetof(Tape, tangent));
    part_prefetch_note(tape->part, MEMORY_CALLS, quick->states, quick->bytes);
    part_prefetch_note(tape->part, MEMORY_VALUES, tape->value,
                       tape->n_places * sizeof *tape->value);
    part_prefetch_note(tape->part, MEMORY_TRUTHS, tape->compares.left,
                       2 * tape->compares.room * sizeof *tape->compares.left);
}

/* The lists as they are; those of a small tape as copies, one behind the other. */
static void make_quick(Tape *tape)
{
    TapeQuick *quick = &tape->quick;
    uint32_t n_slots = count_slots(tape), n = tape->order.n;
    tape_spread_forget(tape);
    *quick = (TapeQuick){.states = tape->states.at,
                         .slopes = tape->slopes.all.at,
                         .rest = tape->slopes.direct ? tape->slopes.rest.at : tape->slopes.all.at,
                         .spans = tape->spans.at,
                         .n_states = tape->states.n,
                         .n_slopes = tape->slopes.all.n,
                         .n_rest = tape->slopes.direct ? tape->slopes.rest.n : tape->slopes.all.n,
                         .n_segments = tape->spans.n,
                         .n_read = tape->n_read};
    if (!n_slots)
        return;
    size_t states = tape->states.n * sizeof *quick->states,
           slopes = tape->slopes.all.n * sizeof *quick->slopes,
           spans = tape->spans.n * sizeof *quick->spans;
    char *room = arena_alloc(&tape->arena, n * (sizeof *quick->calls + sizeof *quick->tangents) +
                                               states + slopes + spans + 8 * 8 +
                                               (2 * n_slots + n) * sizeof(uint32_t) + n * 8);
    quick->states = take(&room, quick->states, states);
    quick->slopes = quick->rest = take(&room, quick->slopes, slopes); /* batches there are none */
    quick->spans = take(&room, quick->spans, spans);
    quick->calls = take(&room, NULL, n * sizeof *quick->calls);
    for (uint32_t i = 0; i < n; i++) {
        const Unit *unit = &tape->units.at[tape->order.at[i]];
        quick->calls[i].constants = unit->code.constants;
        quick->calls[i].slots =
            take(&room, unit->slots, unit->shape->n_slots * sizeof *unit->slots);
    }
    quick->tangents = take(&room, NULL, n * sizeof *quick->tangents);
    uint32_t *probes = take(&room, NULL, n * sizeof *probes);
    find_probes(tape, probes, take(&room, NULL, n_slots * sizeof(uint32_t)));
    quick->bytes = (size_t)(room - (char *)quick->states);
    tape_take_code(tape);
    tape_note_memory(tape);
}

bool tape_fits(const Part *part, const Tape *tape)
{
    return tape->version[0] == part->orders[0].version &&
           tape->version[1] == part->orders[1].version && tape->version[2] == part->states_version;
}

/* What does not fit any longer is made to fit, or closed. */
static void bring_up_to_date(Engine *engine, Part *part)
{
    if (!part->code.tape || tape_fits(part, part->code.tape))
        return;
    double begin = timer_now();
    bool patched = part->code.tape->worth && tape_patch(part->code.tape);
    part->sim->counts.lower += timer_now() - begin;
    if (!patched) {
        tape_put_away(part);
        return;
    }
    ask_values(engine, part->code.tape);
    if (part->code.tape->tangents_wanted)
        ask_tangents(engine, part->code.tape);
}

bool tape_possible(const Sim *sim)
{
    return sim->engine && !sim->engine->rebuild;
}

/* The tape of the part, if it is worth having and ready. */
Tape *tape_current(Part *part)
{
    Engine *engine = part->sim->engine;
    if (!tape_possible(part->sim))
        return NULL;
    bring_up_to_date(engine, part);
    if (!part->code.tape && !tape_put_back(part)) {
        uint32_t after = part->sim->opt.batch_from || part->code.likes_tapes ? 1 : MADE_AFTER;
        if (part->orders[0].n_segments < 2 || ++part->code.untaped < after)
            return NULL;
        double begin = timer_now();
        bool worth = tape_build(part)->worth;
        tape_memory_note(part->code.tape);
        part->sim->counts.lower += timer_now() - begin;
        if (worth)
            ask_values(engine, part->code.tape);
        engine->batches += part->code.tape->n_batches;
        engine->batched += part->code.tape->n_batched;
    }
    Tape *tape = part->code.tape;
    if (tape->worth && !tape->ready && is_ready(engine, tape)) {
        tape->ready = true;
        make_quick(tape);
    }
    return tape->ready ? tape : NULL;
}

void tape_forget_inputs(Part *part)
{
    if (!part->code.tape)
        return;
    part->code.tape->loaded = false;
    part->code.tape->remembered = false;
}

bool tape_has_tangents(Part *part)
{
    Engine *engine = part->sim->engine;
    Tape *tape = tape_current(part);
    if (!tape)
        return false;
    if (!tape->tangents_wanted)
        ask_tangents(engine, tape);
    if (!tape->tangents_ready && tangents_are_ready(engine, tape)) {
        tape->tangents_ready = true;
        tape_take_code(tape);
    }
    return tape->tangents_ready;
}
