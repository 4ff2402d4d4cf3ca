/* inline_memory.c: the structure of a part -> the plan, code and places that it had when it was like this before.
 *
 * Bearings that begin to slip and stop doing so lead to the same equations again and again. To sort the equations of the library's arm takes
 * some 14,000,000 instructions, to describe them a seventieth of that. A description has all that inline_plan.c reads: states and slopes, relations in the order
 * of the schedule with their forms and variables, what is a parameter, what is to be torn. Forms and expressions are numbers in a
 * table that only grows, so equal numbers are equal equations. What is put back begins like one that was made, so results are those of
 * `--modes off`.
 *
 * The memory is bounded; what was put away first goes first.
 */
#include "runtime/solve/inline_memory.h"

#include "runtime/eval/blocks.h"
#include <string.h>

enum { MOST_SYSTEMS = 128, MOST_PLACES = 400000 }; /* some 100 bytes for each place */

struct InlineMemory {
    VEC(InlineSystem *) kept; /* the oldest first */
    uint32_t places;          /* of all of them */
    InlineNames names;
    InlineEquations equations; /* of the part that is looked at */
    VEC(uint32_t) words;       /* and what describes it */
    InlineLoops *loops;
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

InlineEquations *inline_memory_equations(Sim *sim)
{
    return &memory_of(sim)->equations;
}

InlineLoops *inline_memory_loops(Sim *sim)
{
    struct InlineMemory *memory = memory_of(sim);
    if (!memory->loops)
        memory->loops = inline_loops_open(sim->mem);
    return memory->loops;
}

/* ---- descriptions ---- */

static uint32_t hinted_word(const Sim *sim, DdpVar var)
{
    return var << 1 | ddp_tearing_hinted(sim->ddp, var);
}

static uint32_t known_word(const Sim *sim, DdpVar var)
{
    return var << 1 | (var && ddp_var(sim->ddp, var).kind == DDP_KNOWN);
}

static uint32_t count_words(const Part *part, const InlineEquations *equations)
{
    uint32_t n = 1 + 2 * part->states.n;
    for (uint32_t i = 0; i < equations->n; i++)
        n += 2 + equations->at[i].n;
    return n;
}

static void describe(Part *part, const InlineEquations *equations)
{
    const Sim *sim = part->sim;
    struct InlineMemory *memory = sim->solve.inlined;
    vec_reserve(sim->mem, &memory->words, memory->words.n = count_words(part, equations));
    uint32_t *word = memory->words.at;
    *word++ = part->states.n;
    for (uint32_t i = 0; i < part->states.n; i++) {
        *word++ = hinted_word(sim, part->states.at[i].var);
        *word++ = part->states.at[i].slope;
    }
    for (uint32_t i = 0; i < equations->n; i++) {
        const InlineEquation *equation = &equations->at[i];
        *word++ = equation->form;
        *word++ = hinted_word(sim, equation->var);
        for (uint32_t k = 0; k < equation->n; k++)
            *word++ = known_word(sim, equation->vars[k]);
    }
}

static bool is_described(const struct InlineMemory *memory, const InlineSystem *system,
                         uint64_t key)
{
    return system->key == key && system->n_words == memory->words.n &&
           memcmp(system->words, memory->words.at, memory->words.n * sizeof *system->words) == 0;
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

static InlineSystem *find(struct InlineMemory *memory, uint64_t key)
{
    for (uint32_t i = memory->kept.n; i-- > 0;)
        if (is_described(memory, memory->kept.at[i], key))
            return take_out(memory, i);
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
    vec_free(sim->mem, &memory->words);
    vec_free(sim->mem, &memory->equations);
    inline_loops_close(sim->mem, memory->loops);
    vec_free(sim->mem, &memory->names.at);
    mem_free(sim->mem, memory);
    sim->solve.inlined = NULL;
}

/* ---- the system of a part ---- */

static InlineSystem *put_back(Sim *sim, InlineSystem *system)
{
    InlineStep *steps[] = {system->one, system->many, system->between};
    for (int i = 0; i < 3; i++)
        if (steps[i])
            inline_step_renew(steps[i]);
    engine_note_returned(sim->engine);
    return system;
}

static void keep_words(Sim *sim, InlineSystem *system, uint64_t key)
{
    const struct InlineMemory *memory = sim->solve.inlined;
    size_t size = memory->words.n * sizeof *system->words;
    system->words = mem_alloc(sim->mem, size);
    memcpy(system->words, memory->words.at, size);
    system->n_words = memory->words.n;
    system->key = key;
}

InlineSystem *inline_system_open(Part *part)
{
    Sim *sim = part->sim;
    bool keeps = !sim->opt.forget_modes && sim->opt.engine != SOL_ENGINE_REBUILD;
    uint64_t key = 0;
    const InlineEquations *equations = inline_equations(part);
    if (keeps) {
        describe(part, equations);
        key = hash_bytes(sim->solve.inlined->words.at,
                         sim->solve.inlined->words.n * sizeof(uint32_t), 3);
        InlineSystem *known = find(sim->solve.inlined, key);
        if (known)
            return put_back(sim, known);
    }
    InlinePlan *plan = inline_plan_of(part, equations);
    if (!plan)
        return NULL;
    InlineSystem *system = mem_alloc(sim->mem, sizeof *system);
    system->plan = plan;
    if (keeps)
        keep_words(sim, system, key);
    return system;
}
