/* loop_code.c: steps and residuals of a loop -> shape -> code. See loop_code.h. */
#include "runtime/eval/loop_code.h"

#include "runtime/eval/loop_whole.h"
#include "runtime/eval/tape_int.h"

#include <string.h>

struct LoopBlock {
    const Shape *shape; /* NULL: too many residuals for code */
    BlockCode code;
    uint32_t n_results;
    uint32_t room;         /* Sim.n_values when the slots were written */
    uint32_t *slots;       /* [n_slots] */
    uint32_t *result_slot; /* [n_results]: where residuals are stored, behind the slots */
    uint64_t born;         /* SimCounts.events then */
};

/* ---- life ---- */

/* Residuals are the last things that are stored. */
static void find_results(LoopBlock *block)
{
    uint32_t left = block->n_results;
    for (uint32_t i = block->shape->n_ops; left > 0;)
        if (block->shape->ops[--i].op == SHAPE_STORE)
            block->result_slot[--left] = block->shape->ops[i].a;
}

static LoopBlock *keep_use(Sim *sim, ShapeUse use, uint32_t n_results)
{
    uint32_t n = use.shape ? use.shape->n_slots : 0;
    LoopBlock *block = mem_alloc(sim->mem, sizeof *block + (n + n_results) * sizeof *block->slots);
    block->n_results = n_results;
    block->slots = (uint32_t *)(block + 1);
    block->result_slot = block->slots + n;
    if (!use.shape)
        return block;
    block->shape = use.shape;
    block->room = sim->n_values;
    memcpy(block->slots, use.slots, n * sizeof *block->slots);
    find_results(block);
    block_code_keep(sim->engine, &block->code, &use);
    return block;
}

LoopBlock *loop_block_open(Sim *sim, uint32_t n, const ShapeItem *items)
{
    Engine *engine = sim->engine;
    uint32_t n_results = 0;
    if (!engine)
        return NULL;
    engine->items.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        ShapeItem item = items[i];
        if (!item.target)
            item.target = sim->n_values + n_results++;
        vec_push(sim->mem, &engine->items, item);
    }
    ShapeUse use = {0};
    if (n_results <= VALUES_ROOM)
        use = shape_of(engine->shapes, n, engine->items.at, NULL);
    return keep_use(sim, use, n_results);
}

void loop_block_close(Sim *sim, LoopBlock *block)
{
    if (!block)
        return;
    block_code_close(sim->engine, &block->code);
    mem_free(sim->mem, block);
}

/* ---- evaluation ---- */

/* Counts the evaluation; the code for it, or NULL. */
static JitCode code_for(Sim *sim, LoopBlock *block, JitKind kind)
{
    JitCode code = block_code(&block->code, kind);
    block_code_used(sim->engine, &block->code);
    if (code.any && block->room != sim->n_values) { /* more variables: the room behind has moved */
        block->room = sim->n_values;
        for (uint32_t i = 0; i < block->n_results; i++)
            block->slots[block->result_slot[i]] = block->room + i;
    }
    return code;
}

bool loop_block_value(Sim *sim, LoopBlock *block, double *results)
{
    if (block)
        block_code_ask_single(sim->engine, &block->code, block->shape, JIT_VALUE);
    JitCode code = block ? code_for(sim, block, JIT_VALUE) : (JitCode){.any = NULL};
    if (!code.any)
        return false;
    code.value(sim->value, block->slots, block->code.constants, &sim->engine->env);
    for (uint32_t i = 0; i < block->n_results; i++) /* mostly one or two */
        results[i] = sim->value[block->room + i];
    return true;
}

bool loop_block_tangent(Sim *sim, LoopBlock *block, double *results)
{
    if (block)
        block_code_ask_single(sim->engine, &block->code, block->shape, JIT_TANGENT);
    JitCode code = block ? code_for(sim, block, JIT_TANGENT) : (JitCode){.any = NULL};
    if (!code.any)
        return false;
    code.tangent(sim->value, sim->tangent, block->slots, block->code.constants, &sim->engine->env);
    for (uint32_t i = 0; i < block->n_results; i++)
        results[i] = sim->tangent[block->room + i];
    return true;
}

/* ---- torn loops ---- */

static LoopBlock *block_of(Sim *sim, EvalNode *node)
{
    uint32_t n = node->n_steps + node->n_tears;
    if (node_loop(node)->code || !sim->engine)
        return node_loop(node)->code;
    ShapeItem *items = mem_alloc(sim->mem, n * sizeof *items);
    for (uint32_t i = 0; i < n; i++)
        items[i] = (ShapeItem){node->ops[i].target, node->ops[i].value, node->ops[i].vars};
    node_loop(node)->code = loop_block_open(sim, n, items);
    mem_free(sim->mem, items);
    node_loop(node)->code->born = sim->counts.events;
    sim->engine->blocks++;
    sim->engine->rebuilt++;
    return node_loop(node)->code;
}

void loop_code_values(Sim *sim, EvalNode *node, double *residuals)
{
    if (loop_block_value(sim, block_of(sim, node), residuals))
        return;
    evaluate_ops(sim, node, 0, node->n_steps, NULL);
    evaluate_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, residuals);
}

void loop_code_tangents(Sim *sim, EvalNode *node, double *residuals)
{
    if (loop_block_tangent(sim, block_of(sim, node), residuals))
        return;
    evaluate_tangent_ops(sim, node, 0, node->n_steps, NULL);
    evaluate_tangent_ops(sim, node, node->n_steps, node->n_steps + node->n_tears, residuals);
}

bool loop_code_note(const EvalNode *node, JitTier *tier, uint64_t *born)
{
    const LoopBlock *block = node->loop ? node_loop(node)->code : NULL;
    if (!block)
        return false;
    *tier = block_code_tier(&block->code);
    *born = block->born;
    return true;
}

void loop_code_forget(Sim *sim, EvalNode *node)
{
    NodeLoop *loop = node->loop ? node_loop(node) : NULL;
    if (loop && loop->whole)
        loop_whole_forget_code(sim, loop->whole);
    if (!loop || !loop->code)
        return;
    loop_block_close(sim, loop->code);
    loop->code = NULL;
    sim->engine->blocks--;
}
