/* blocks.c: the nodes of a part -> blocks, their shapes and their code. See blocks.h. */
#include "runtime/blocks.h"

#include "jit/disk_cache.h"

#include <math.h>
#include <string.h>

enum { BLOCK_NODES = 16, HEAT_EVERY = 256 };

struct Engine {
    Sim *sim;
    Jit *jit;
    Shapes *shapes;
    JitEnv env;
    bool rebuild, wait;
    uint32_t rebuilt; /* blocks since engine_take_counts */
    uint64_t shapes_before;
};

typedef struct Block {
    DdpNode node;     /* a single node, or 0: code */
    uint32_t first;   /* in part->dynamics */
    uint32_t count;   /* of nodes */
    JitEntry *value, *tangent;
    const double *constants;
    const uint32_t *slots;
} Block;

struct Blocks {
    Engine *engine;
    Arena arena;
    VEC(Block) list;
    VEC(ShapeItem) items;
    uint32_t evaluations; /* not reported to jit_heat yet */
    bool tangents;        /* code for tangents was asked for */
};

/* ---- engine ---- */

Engine *engine_open(Sim *sim)
{
    if (sim->opt.engine == SOL_ENGINE_INTERP)
        return NULL;
    Engine *engine = mem_alloc(sim->mem, sizeof *engine);
    engine->sim = sim;
    engine->rebuild = sim->opt.engine == SOL_ENGINE_REBUILD;
    engine->wait = sim->opt.jit_wait || engine->rebuild;
    char folder[4096];
    const char *cache = sim->opt.cache;
    if (engine->rebuild || (cache && strcmp(cache, "off") == 0))
        cache = NULL;
    else if (!cache)
        cache = disk_cache_folder(folder, sizeof folder) ? folder : NULL;
    JitOptions options = {.cache = cache,
                          .fast_math = sim->opt.fast_math,
                          .only_quick = engine->rebuild,
                          .warm = engine->wait ? 0 : HEAT_EVERY};
    engine->jit = jit_open(&options);
    if (!engine->jit) {
        mem_free(sim->mem, engine);
        return NULL;
    }
    engine->shapes = shapes_open(sim->mem, sim->forms);
    jit_env(&engine->env, evaluate_foreign, sim);
    return engine;
}

void engine_close(Engine *engine)
{
    if (!engine)
        return;
    jit_close(engine->jit);
    shapes_close(engine->shapes);
    mem_free(engine->sim->mem, engine);
}

void engine_stats(const Engine *engine, SolStats *stats)
{
    JitStats jit = jit_stats(engine->jit);
    stats->compile_wait = jit.wait_seconds;
    stats->compile_background = jit.compile_seconds;
    stats->functions_compiled = (uint32_t)jit.functions_compiled;
    stats->shapes = shape_totals(engine->shapes).shapes;
    stats->shapes_from_memory = (uint32_t)jit.shapes_from_memory;
    stats->shapes_from_disk = (uint32_t)jit.shapes_from_disk;
    stats->blocks = 0;
    for (uint32_t i = 0; i < engine->sim->parts.n; i++)
        if (engine->sim->parts.at[i]->blocks)
            stats->blocks += engine->sim->parts.at[i]->blocks->list.n;
}

void engine_take_counts(Engine *engine, SolEvent *event)
{
    uint64_t shapes = shape_totals(engine->shapes).shapes;
    uint32_t all = 0;
    for (uint32_t i = 0; i < engine->sim->parts.n; i++)
        if (engine->sim->parts.at[i]->blocks)
            all += engine->sim->parts.at[i]->blocks->list.n;
    event->blocks_rebuilt = engine->rebuilt;
    event->blocks_kept = all - (engine->rebuilt < all ? engine->rebuilt : all);
    event->shapes_new = (uint32_t)(shapes - engine->shapes_before);
    engine->rebuilt = 0;
    engine->shapes_before = shapes;
}

/* ---- cutting ---- */

static bool plain(const Sim *sim, DdpNode n)
{
    const EvalNode *node = &sim->nodes.at[n];
    return !node->loop && !node->compares && !node->outer;
}

static InstId owner_of(const Sim *sim, DdpNode n)
{
    DdpRel rel = sim->nodes.at[n].ops[0].rel;
    return world_rel_owner(sim->world, ddp_rel(sim->ddp, rel).origin);
}

static void request(Blocks *blocks, Block *block, const Shape *shape)
{
    JitRequest wanted = {.shape = shape, .kind = JIT_VALUE, .layout = JIT_SINGLE};
    block->value = jit_request(blocks->engine->jit, &wanted);
}

static void make_block(Blocks *blocks, const Part *part, uint32_t first, uint32_t count)
{
    Engine *engine = blocks->engine;
    const Sim *sim = engine->sim;
    blocks->items.n = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const EvalOp *op = &sim->nodes.at[part->dynamics.at[i]].ops[0];
        vec_push(sim->mem, &blocks->items, ((ShapeItem){op->target, op->value, op->vars}));
    }
    ShapeUse use = shape_of(engine->shapes, count, blocks->items.at, NULL);
    uint32_t *slots = arena_alloc(&blocks->arena, (use.shape->n_slots + 1) * sizeof *slots);
    memcpy(slots, use.slots, use.shape->n_slots * sizeof *slots);
    Block block = {.first = first, .count = count, .constants = use.constants, .slots = slots};
    request(blocks, &block, use.shape);
    vec_push(sim->mem, &blocks->list, block);
}

/* Runs of plain nodes of one instance; what is not plain stands alone. */
static void cut(Blocks *blocks, const Part *part)
{
    const Sim *sim = part->sim;
    for (uint32_t i = 0, next; i < part->dynamics.n; i = next) {
        DdpNode n = part->dynamics.at[i];
        next = i + 1;
        if (!plain(sim, n)) {
            vec_push(sim->mem, &blocks->list, ((Block){.node = n, .first = i, .count = 1}));
            continue;
        }
        InstId owner = owner_of(sim, n);
        while (next < part->dynamics.n && next - i < BLOCK_NODES &&
               plain(sim, part->dynamics.at[next]) && owner_of(sim, part->dynamics.at[next]) == owner)
            next++;
        make_block(blocks, part, i, next - i);
    }
}

static void make_blocks(Part *part)
{
    Sim *sim = part->sim;
    Engine *engine = sim->engine;
    Blocks *blocks = mem_alloc(sim->mem, sizeof *blocks);
    blocks->engine = engine;
    arena_init(&blocks->arena, sim->mem);
    if (engine->rebuild)
        jit_forget(engine->jit);
    cut(blocks, part);
    engine->rebuilt += blocks->list.n;
    part->blocks = blocks;
    if (engine->wait)
        jit_wait(engine->jit);
}

static void report_heat(Blocks *blocks)
{
    Jit *jit = blocks->engine->jit;
    for (uint32_t b = 0; b < blocks->list.n; b++) {
        if (blocks->list.at[b].value)
            jit_heat(jit, blocks->list.at[b].value, blocks->evaluations);
        if (blocks->list.at[b].tangent)
            jit_heat(jit, blocks->list.at[b].tangent, blocks->evaluations);
    }
    blocks->evaluations = 0;
}

void blocks_free(Blocks *blocks)
{
    if (!blocks)
        return;
    Engine *engine = blocks->engine;
    report_heat(blocks);
    for (uint32_t i = 0; i < blocks->list.n; i++) {
        if (blocks->list.at[i].value)
            jit_release(engine->jit, blocks->list.at[i].value);
        if (blocks->list.at[i].tangent)
            jit_release(engine->jit, blocks->list.at[i].tangent);
    }
    Mem *mem = engine->sim->mem;
    arena_free(&blocks->arena);
    vec_free(mem, &blocks->list);
    vec_free(mem, &blocks->items);
    mem_free(mem, blocks);
}

/* Code for tangents is asked for when the first Jacobian is wanted: explicit methods never want one. */
static void request_tangents(Blocks *blocks, const Part *part)
{
    Engine *engine = blocks->engine;
    const Sim *sim = engine->sim;
    blocks->tangents = true;
    for (uint32_t b = 0; b < blocks->list.n; b++) {
        Block *block = &blocks->list.at[b];
        if (block->node)
            continue;
        blocks->items.n = 0;
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const EvalOp *op = &sim->nodes.at[part->dynamics.at[i]].ops[0];
            vec_push(sim->mem, &blocks->items, ((ShapeItem){op->target, op->value, op->vars}));
        }
        ShapeUse use = shape_of(engine->shapes, block->count, blocks->items.at, NULL);
        JitRequest wanted = {.shape = use.shape, .kind = JIT_TANGENT, .layout = JIT_SINGLE};
        block->tangent = jit_request(engine->jit, &wanted);
    }
    if (engine->wait)
        jit_wait(engine->jit);
}

/* ---- evaluation ---- */

/* All at once: what is not finite times 0 is not 0. */
static bool finite_results(const Sim *sim, const Part *part, const Block *block)
{
    double sum = 0;
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        sum += 0 * sim->value[sim->nodes.at[part->dynamics.at[i]].ops[0].target];
    return sum == 0;
}

static int evaluate_block(Part *part, const Block *block)
{
    Sim *sim = part->sim;
    JitCode code = block->value ? jit_code(block->value) : (JitCode){.any = NULL};
    if (code.any)
        code.value(sim->value, block->slots, block->constants, &sim->engine->env);
    else
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            evaluate_ops(sim, &sim->nodes.at[part->dynamics.at[i]], 0, 1, NULL);
    return finite_results(sim, part, block) ? 0 : 1;
}

int blocks_evaluate(Part *part, double *residuals)
{
    if (!part->blocks)
        make_blocks(part);
    Blocks *blocks = part->blocks;
    for (uint32_t b = 0; b < blocks->list.n; b++) {
        const Block *block = &blocks->list.at[b];
        int result = block->node ? part_evaluate_node(part, block->node, &residuals)
                                 : evaluate_block(part, block);
        if (result)
            return result;
    }
    if (++blocks->evaluations >= HEAT_EVERY)
        report_heat(blocks);
    return 0;
}

void blocks_tangent(Part *part, double *loop_results)
{
    Sim *sim = part->sim;
    if (!part->blocks)
        make_blocks(part);
    Blocks *blocks = part->blocks;
    if (!blocks->tangents)
        request_tangents(blocks, part);
    for (uint32_t b = 0; b < blocks->list.n; b++) {
        const Block *block = &blocks->list.at[b];
        JitCode code = block->tangent ? jit_code(block->tangent) : (JitCode){.any = NULL};
        if (code.any) {
            code.tangent(sim->value, sim->tangent, block->slots, block->constants,
                         &sim->engine->env);
            continue;
        }
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            part_tangent_node(part, part->dynamics.at[i], &loop_results);
    }
}
