/* engine.c: options of a simulation -> its code service; counts of what it did. See blocks.h. */
#include "runtime/eval/tape_int.h"

#include "base/timer.h"
#include "jit/disk_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED_AFTER = 20000 };

#define PATIENCE 0.03  /* seconds before LLVM is loaded, whatever the run may need it for */
#define A_MOMENT 0.003 /* seconds after which the length of a run can be foreseen */
#define LONG 0.06      /* seconds of a run that is worth loading LLVM at once */

/* Where options for a code service find their texts. */
typedef struct EngineTexts {
    char folder[4096], model[PATH_MAX];
} EngineTexts;

static const char *cache_folder(const SolOptions *options, EngineTexts *texts)
{
    const char *cache = options->cache;
    if (options->engine == SOL_ENGINE_REBUILD || (cache && strcmp(cache, "off") == 0))
        return NULL;
    if (cache)
        return cache;
    return disk_cache_folder(texts->folder, sizeof texts->folder) ? texts->folder : NULL;
}

/* In real time until the clock begins: engine_wait_no_more. */
static bool waits(const SolOptions *options)
{
    return options->jit_wait || options->engine == SOL_ENGINE_REBUILD || options->realtime > 0;
}

static JitOptions code_options(const SolOptions *options, const char *path, EngineTexts *texts)
{
    bool rebuild = options->engine == SOL_ENGINE_REBUILD, wait = waits(options);
    return (JitOptions){.cache = cache_folder(options, texts),
                        .model = path && realpath(path, texts->model) ? texts->model : NULL,
                        .fast_math = options->fast_math,
                        .names = options->jit_names,
                        .only_quick = rebuild,
                        .warm = wait ? 0 : HEAT_EVERY,
                        .patience = wait ? 0 : PATIENCE};
}

JitAhead *engine_ahead(const SolOptions *options, const char *path)
{
    EngineTexts texts;
    if (options->engine != SOL_ENGINE_JIT)
        return NULL;
    JitOptions code = code_options(options, path, &texts);
    return jit_ahead(&code);
}

static Jit *shared_code(SolModel *model, const JitOptions *options)
{
    for (uint32_t i = 0; i < model->code.n; i++)
        if (jit_serves(model->code.at[i], options))
            return model->code.at[i];
    vec_reserve(model->mem, &model->code, model->code.n + 1);
    Jit *jit = jit_open(options); /* has memory of its own, which the model's does not close */
    if (jit)
        model->code.at[model->code.n++] = jit;
    return jit;
}

void engine_forget(SolModel *model)
{
    for (uint32_t i = 0; i < model->code.n; i++) {
        jit_released(model->code.at[i]);
        jit_close(model->code.at[i]);
    }
    vec_free(model->mem, &model->code);
}

Engine *engine_open(Sim *sim, SolModel *model)
{
    if (sim->opt.engine == SOL_ENGINE_INTERP)
        return NULL;
    Engine *engine = mem_alloc(sim->mem, sizeof *engine);
    engine->sim = sim;
    engine->rebuild = sim->opt.engine == SOL_ENGINE_REBUILD;
    engine->wait = waits(&sim->opt);
    engine->fixed_after = FIXED_AFTER;
    engine->opened_at = timer_now();
    EngineTexts texts;
    JitOptions options = code_options(&sim->opt, model->path, &texts);
    engine->shapes = shapes_open(sim->mem, sim->forms);
    shapes_callees(engine->shapes, foreign_callee, sim->foreign);
    foreign_env(&engine->env, sim->foreign);
    engine->jit = engine->rebuild ? jit_open(&options) : shared_code(model, &options); /* last */
    if (engine->jit) {
        engine->before = jit_stats(engine->jit);
        return engine;
    }
    shapes_close(engine->shapes);
    mem_free(sim->mem, engine);
    return NULL;
}

void engine_wait_no_more(Engine *engine)
{
    if (engine)
        engine->wait = engine->sim->opt.jit_wait || engine->rebuild;
}

void engine_note_returned(Engine *engine)
{
    if (!engine)
        return;
    engine->memory.returned++;
    engine->memory.returned_now++;
}

void engine_close(Engine *engine)
{
    if (!engine)
        return;
    if (engine->rebuild)
        jit_close(engine->jit);
    shapes_close(engine->shapes);
    vec_free(engine->sim->mem, &engine->items);
    vec_free(engine->sim->mem, &engine->origin);
    vec_free(engine->sim->mem, &engine->tape_var);
    mem_free(engine->sim->mem, engine);
}

void engine_check(Engine *engine)
{
    char words[160];
    if (!engine || engine->told_failure)
        return;
    JitRefusal failure = jit_failure(engine->jit, words, sizeof words);
    if (failure == JIT_ACCEPTED)
        return;
    engine->told_failure = true;
    diag_warning(engine->sim->diags, 0,
                 "%s (%s): what is not compiled is interpreted, which takes longer and gives the "
                 "same results",
                 jit_refusal_text(failure), words);
}

Jit *engine_jit(Engine *engine)
{
    return engine->jit;
}

void engine_stats(const Engine *engine, SolStats *stats)
{
    const JitStats *before = &engine->before;
    JitStats jit = jit_stats(engine->jit);
    stats->compile_wait = jit.wait_seconds - before->wait_seconds;
    stats->compile_background = jit.compile_seconds - before->compile_seconds;
    stats->functions_compiled = (uint32_t)(jit.functions_compiled - before->functions_compiled);
    stats->shapes = shape_totals(engine->shapes).shapes;
    stats->shapes_from_memory = (uint32_t)(jit.shapes_from_memory - before->shapes_from_memory);
    stats->shapes_from_disk = (uint32_t)(jit.shapes_from_disk - before->shapes_from_disk);
    stats->code_waits = jit.waits - before->waits;
    stats->code_wait_median = jit.wait_median;
    stats->code_wait_95 = jit.wait_95;
    stats->blocks = engine->blocks;
    stats->batches = engine->batches;
    stats->blocks_batched = engine->batched;
    stats->modes_remembered = engine->memory.n;
    stats->modes_returned = engine->memory.returned;
}

void engine_take_counts(Engine *engine, SolEvent *event)
{
    uint64_t shapes = shape_totals(engine->shapes).made;
    event->blocks_rebuilt = engine->rebuilt;
    event->blocks_kept =
        engine->blocks - (engine->rebuilt < engine->blocks ? engine->rebuilt : engine->blocks);
    event->shapes_new = (uint32_t)(shapes - engine->shapes_before);
    event->modes_returned = (uint32_t)engine->memory.returned_now;
    engine->memory.returned_now = 0;
    engine->rebuilt = 0;
    engine->shapes_before = shapes;
}

/* Whoever has to wait for LLVM at the end of a short run has lost. So it is loaded late, unless a
 * glance at the clock says that most of the run is still to come. */
void engine_foresee(Engine *engine)
{
    const Sim *sim = engine->sim;
    double elapsed = engine->foreseen ? 0 : timer_now() - engine->opened_at;
    double done = (sim->time - sim->opt.start) / (sim->opt.stop - sim->opt.start);
    if (elapsed < A_MOMENT || elapsed < done * LONG)
        return;
    engine->foreseen = true;
    jit_hurry(engine->jit);
}
