/* known_step.c: what an event decided first -> the step that fitted when the same was decided before.
 *
 * Behind an event a one-step method begins with the step from before it. Where two modes want steps of other lengths, each
 * event costs a step that fails, or a ramp of short ones. So it is remembered which step fitted behind events
 * that began with the same decisions, for each part that started anew there. A step that does not fit after all fails as any other would. */
#include "runtime/solve/one_step.h"
#include "base/pack.h"

/* So many are kept; then all are forgotten. */
enum { MOST_KNOWN = 4096 };

static uint64_t key_of(const Part *part)
{
    uint64_t kind = part->sim->solve.kind;
    return kind && part->states.n ? hash_u64(kind ^ part->states.at[0].var) : 0;
}

void known_step_begin(Sim *sim)
{
    sim->solve.kind = 0;
}

void known_step_kind(Sim *sim, uint64_t kind)
{
    if (!sim->solve.kind)
        sim->solve.kind = kind;
}

double known_step(Part *part)
{
    const SimSolve *solve = &part->sim->solve;
    part->awaits_step = key_of(part);
    uint32_t i = part->awaits_step ? map_get(&solve->step_of, part->awaits_step) : 0;
    return i ? fmin(solve->steps.at[i - 1].h, part->sim->opt.max_step) : 0;
}

void known_step_note(Part *part, double h)
{
    SimSolve *solve = &part->sim->solve;
    Mem *mem = part->sim->mem;
    uint64_t key = part->awaits_step;
    if (!key)
        return;
    uint32_t i = map_get(&solve->step_of, key);
    if (i) {
        solve->steps.at[i - 1].h = h;
        return;
    }
    if (solve->steps.n == MOST_KNOWN)
        known_steps_forget(part->sim);
    vec_push(mem, &solve->steps, ((KnownStep){key, h}));
    map_put(mem, &solve->step_of, key, solve->steps.n);
}

void known_steps_forget(Sim *sim)
{
    map_free(sim->mem, &sim->solve.step_of);
    vec_free(sim->mem, &sim->solve.steps);
}

void known_steps_pack(Sim *sim, Pack *p)
{
    SimSolve *solve = &sim->solve;
    PACK_LIST(p, &solve->steps);
    if (p->writing)
        return;
    map_free(sim->mem, &solve->step_of);
    for (uint32_t i = 0; i < solve->steps.n && !p->bad; i++)
        map_put(sim->mem, &solve->step_of, solve->steps.at[i].key, i + 1);
}
