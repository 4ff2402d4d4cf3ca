/* inline_memory.c: the structure of a part -> the plan, code and places that it had when it was like this before.
 *
 * Bearings that begin to slip and stop doing so lead to the same equations again and again. To sort the equations of the library's arm and
 * to make code of them takes some 3,400,000 instructions, to find that they were there a thirtieth of that (inline_equations.c).
 * A plan follows from its description alone, and what is put back begins like one that was made, so results are those of `--modes off`.
 *
 * The memory is bounded; what was put away first goes first.
 */
#include "runtime/solve/inline_plan_int.h"

#include "runtime/eval/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SYSTEMS = 128, MOST_PLACES = 400000 }; /* some 100 bytes for each place */

struct InlineMemory {
    VEC(InlineSystem *) kept; /* the oldest first */
    uint32_t places;          /* of all of them */
    InlineNames names;
    InlineRecords *records;
    InlineLoops *loops;
    InlineMaking *making;
};

static struct InlineMemory *memory_of(Sim *sim)
{
    if (!sim->solve.inlined)
        sim->solve.inlined = mem_alloc(sim->mem, sizeof *sim->solve.inlined);
    return sim->solve.inlined;
}

InlineNames *inline_names_begin(Sim *sim)
{
    InlineNames *names = &memory_of(sim)->names;
    uint32_t limit = ddp_var_limit(sim->ddp);
    vec_reserve(sim->mem, &names->at, limit);
    while (names->at.n < limit)
        names->at.at[names->at.n++] = (InlineName){0};
    names->turn++;
    return names;
}

InlineMaking *inline_memory_making(Sim *sim)
{
    struct InlineMemory *memory = memory_of(sim);
    if (!memory->making)
        memory->making = mem_alloc(sim->mem, sizeof *memory->making);
    return memory->making;
}

InlineRecords *inline_memory_records(Sim *sim)
{
    struct InlineMemory *memory = memory_of(sim);
    if (!memory->records)
        memory->records = inline_records_open(sim->mem);
    return memory->records;
}

InlineLoops *inline_memory_loops(Sim *sim)
{
    struct InlineMemory *memory = memory_of(sim);
    if (!memory->loops)
        memory->loops = inline_loops_open(sim->mem);
    return memory->loops;
}

/* ---- what is kept ---- */

static void close_system(Sim *sim, InlineSystem *system)
{
    inline_step_close(system->one);
    inline_step_close(system->many);
    inline_step_close(system->between);
    inline_plan_close(sim, system->plan);
    mem_free(sim->mem, system->words);
    mem_free(sim->mem, system);
}

static InlineSystem *take_out(struct InlineMemory *memory, uint32_t at)
{
    InlineSystem *system = memory->kept.at[at];
    memory->kept.n--;
    memmove(memory->kept.at + at, memory->kept.at + at + 1,
            (memory->kept.n - at) * sizeof *memory->kept.at);
    memory->places -= system->places;
    return system;
}

static InlineSystem *find(struct InlineMemory *memory, const InlineDescription *wanted)
{
    for (uint32_t i = memory->kept.n; i-- > 0;) {
        const InlineSystem *system = memory->kept.at[i];
        if (system->key == wanted->key && system->n_words == wanted->n_words &&
            inline_description_is(memory->records, system->words))
            return take_out(memory, i);
    }
    return NULL;
}

static uint32_t count_places(const InlineSystem *system)
{
    const InlineStep *steps[] = {system->one, system->many, system->between};
    uint32_t places = system->plan->ops.n;
    for (int i = 0; i < 3; i++)
        places += steps[i] ? inline_step_places(steps[i]) : 0;
    return places;
}

void inline_system_put_away(Sim *sim, InlineSystem *system)
{
    struct InlineMemory *memory = sim->solve.inlined;
    if (!system)
        return;
    if (!system->n_words) {
        close_system(sim, system);
        return;
    }
    vec_push(sim->mem, &memory->kept, system);
    system->places = count_places(system);
    memory->places += system->places;
    while (memory->kept.n > MOST_SYSTEMS || memory->places > MOST_PLACES)
        close_system(sim, take_out(memory, 0));
}

void inline_memory_close(Sim *sim)
{
    struct InlineMemory *memory = sim->solve.inlined;
    if (!memory)
        return;
    while (memory->kept.n)
        close_system(sim, take_out(memory, memory->kept.n - 1));
    vec_free(sim->mem, &memory->kept);
    inline_records_close(sim->mem, memory->records);
    inline_loops_close(sim->mem, memory->loops);
    inline_making_close(sim->mem, memory->making);
    vec_free(sim->mem, &memory->names.at);
    mem_free(sim->mem, memory);
    sim->solve.inlined = NULL;
}

/* ---- the system of a part ---- */

#ifdef SOLSTICE_VERIFY
static bool same_ops(const Sim *sim, const InlinePlan *a, const InlinePlan *b)
{
    bool same = a->ops.n == b->ops.n;
    for (uint32_t i = 0; i < a->ops.n && same; i++) {
        const InlineOp *x = &a->ops.at[i], *y = &b->ops.at[i];
        uint32_t n = x_positions(sim->forms, x->value);
        same = x->target == y->target && x->value == y->value && x->state == y->state &&
               memcmp(x->vars, y->vars, n * sizeof *x->vars) == 0;
    }
    return same;
}

static bool same_blocks(const InlinePlan *a, const InlinePlan *b)
{
    bool same = a->blocks.n == b->blocks.n && a->tears.n == b->tears.n;
    for (uint32_t i = 0; i < a->tears.n && same; i++)
        same = a->tears.at[i] == b->tears.at[i];
    for (uint32_t i = 0; i < a->blocks.n && same; i++) {
        const InlineBlock *x = &a->blocks.at[i], *y = &b->blocks.at[i];
        same = x->kind == y->kind && x->inside == y->inside && x->constant == y->constant &&
               x->from == y->from && x->to == y->to && x->residuals == y->residuals &&
               x->n_tears == y->n_tears && x->tears == y->tears && x->solved == y->solved &&
               x->inner_from == y->inner_from && x->inner_to == y->inner_to;
    }
    return same;
}

/* A plan that returns is the one that would be made now. */
static void verify(Part *part, const InlinePlan *plan)
{
    Sim *sim = part->sim;
    InlinePlan *made = inline_plan_of(part, inline_equations(sim, sim->solve.inlined->records));
    if (!made || !same_ops(sim, plan, made) || !same_blocks(plan, made)) {
        fprintf(stderr, "inline_memory: a plan that returns is not the one that would be made\n");
        abort();
    }
    inline_plan_close(sim, made);
}
#endif

static InlineSystem *put_back(Sim *sim, InlineSystem *system)
{
    InlineStep *steps[] = {system->one, system->many, system->between};
    for (int i = 0; i < 3; i++)
        if (steps[i])
            inline_step_renew(steps[i]);
    engine_note_returned(sim->engine);
    return system;
}

static void keep_words(Sim *sim, InlineSystem *system, const InlineDescription *description)
{
    system->words = mem_alloc(sim->mem, description->n_words * sizeof *system->words);
    inline_description_copy(sim->solve.inlined->records, system->words);
    system->n_words = description->n_words;
    system->key = description->key;
}

InlineSystem *inline_system_open(Part *part)
{
    Sim *sim = part->sim;
    bool keeps = !sim->opt.forget_modes && sim->opt.engine != SOL_ENGINE_REBUILD;
    InlineRecords *records = inline_memory_records(sim);
    InlineDescription description = inline_describe(part, records);
    InlineSystem *known = keeps ? find(sim->solve.inlined, &description) : NULL;
#ifdef SOLSTICE_VERIFY
    if (known)
        verify(part, known->plan);
#endif
    if (known)
        return put_back(sim, known);
    InlinePlan *plan = inline_plan_of(part, inline_equations(sim, records));
    if (!plan)
        return NULL;
    InlineSystem *system = mem_alloc(sim->mem, sizeof *system);
    system->plan = plan;
    if (keeps)
        keep_words(sim, system, &description);
    return system;
}
