/* list_code.c: assignments over a vector of the caller's own -> shapes -> code. See list_code.h. */
#include "runtime/eval/list_code.h"

#include "runtime/eval/tape_int.h"

#include <string.h>

enum { BLOCK_ITEMS = 48 };

typedef struct ListBlock {
    uint32_t from, to;  /* items */
    const Shape *shape; /* NULL: without an engine */
    uint32_t *slots;    /* [n_slots] */
    BlockCode code;
} ListBlock;

struct ListCode {
    uint32_t n, n_blocks;
    ShapeItem *items;
    const Code **codes; /* [n]: without target; NULL: nobody interpreted it so far */
    ListBlock *blocks;
};

/* ---- life ---- */

static void open_block(Sim *sim, const ListCode *list, ListBlock *block)
{
    Engine *engine = sim->engine;
    ShapeUse use =
        shape_of(engine->shapes, block->to - block->from, list->items + block->from, NULL);
    block->shape = use.shape;
    if (!use.shape)
        return;
    block->slots = mem_alloc(sim->mem, use.shape->n_slots * sizeof *block->slots);
    memcpy(block->slots, use.slots, use.shape->n_slots * sizeof *block->slots);
    block_code_keep(engine, &block->code, &use);
    block_code_ask_single(engine, &block->code, block->shape, JIT_VALUE);
    engine->blocks++;
    engine->rebuilt++;
}

static const Code *code_at(Sim *sim, ListCode *list, uint32_t i)
{
    if (!list->codes[i])
        list->codes[i] = evaluate_make_code(sim, list->items[i].value);
    return list->codes[i];
}

/* Now, where no native code is ready: so nothing is allocated while time goes on. */
static void prepare_interpreting(Sim *sim, ListCode *list, const ListBlock *block, JitKind kind)
{
    bool ready = block->shape && block_code(&block->code, kind).any;
    for (uint32_t i = block->from; i < block->to && !ready; i++)
        code_at(sim, list, i);
}

ListCode *list_code_open(Sim *sim, uint32_t n, const ShapeItem *items)
{
    Mem *mem = sim->mem;
    ListCode *list = mem_alloc(mem, sizeof *list);
    list->n = n;
    list->items = mem_alloc(mem, (n + 1) * sizeof *list->items);
    if (n)
        memcpy(list->items, items, n * sizeof *items);
    list->codes = mem_alloc(mem, (n + 1) * sizeof *list->codes);
    list->n_blocks = (n + BLOCK_ITEMS - 1) / BLOCK_ITEMS;
    list->blocks = mem_alloc(mem, (list->n_blocks + 1) * sizeof *list->blocks);
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        ListBlock *block = &list->blocks[b];
        block->from = b * BLOCK_ITEMS;
        block->to = block->from + BLOCK_ITEMS < n ? block->from + BLOCK_ITEMS : n;
        if (sim->engine)
            open_block(sim, list, block);
        prepare_interpreting(sim, list, block, JIT_VALUE);
    }
    return list;
}

void list_code_close(Sim *sim, ListCode *list)
{
    if (!list)
        return;
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        if (!list->blocks[b].shape)
            continue;
        block_code_close(sim->engine, &list->blocks[b].code);
        mem_free(sim->mem, list->blocks[b].slots);
        sim->engine->blocks--;
    }
    mem_free(sim->mem, list->blocks);
    mem_free(sim->mem, (void *)list->codes);
    mem_free(sim->mem, list->items);
    mem_free(sim->mem, list);
}

const ShapeItem *list_code_items(const ListCode *list, uint32_t *n)
{
    *n = list->n;
    return list->items;
}

void list_code_want_tangents(Sim *sim, ListCode *list)
{
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        ListBlock *block = &list->blocks[b];
        if (block->shape)
            block_code_ask_single(sim->engine, &block->code, block->shape, JIT_TANGENT);
        prepare_interpreting(sim, list, block, JIT_TANGENT);
    }
}

/* ---- evaluation ---- */

static JitCode code_for(Sim *sim, ListBlock *block, JitKind kind)
{
    if (!block->shape)
        return (JitCode){.any = NULL};
    if (!block->code.asked[kind])
        block_code_ask_single(sim->engine, &block->code, block->shape, kind);
    block_code_used(sim->engine, &block->code);
    return block_code(&block->code, kind);
}

static void interpret_values(Sim *sim, ListCode *list, const ListBlock *block, double *values)
{
    for (uint32_t i = block->from; i < block->to; i++) {
        const Code *code = code_at(sim, list, i);
        double *scratch = evaluate_scratch(sim);
        interp_run(code, list->items[i].vars, values, scratch, evaluate_foreign, sim);
        values[list->items[i].target] = scratch[0];
    }
}

static void interpret_tangents(Sim *sim, ListCode *list, const ListBlock *block, double *values,
                               double *tangents)
{
    for (uint32_t i = block->from; i < block->to; i++) {
        const Code *code = code_at(sim, list, i);
        double *scratch = evaluate_scratch(sim);
        const double *tangent;
        uint32_t target = list->items[i].target;
        interp_tangent(code, list->items[i].vars, values, tangents, scratch, &tangent,
                       evaluate_foreign, sim);
        values[target] = scratch[0];
        tangents[target] = tangent[0];
    }
}

void list_code_values(Sim *sim, ListCode *list, double *values)
{
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        ListBlock *block = &list->blocks[b];
        JitCode code = code_for(sim, block, JIT_VALUE);
        if (code.any)
            code.value(values, block->slots, block->code.constants, &sim->engine->env);
        else
            interpret_values(sim, list, block, values);
    }
}

void list_code_tangents(Sim *sim, ListCode *list, double *values, double *tangents)
{
    for (uint32_t b = 0; b < list->n_blocks; b++) {
        ListBlock *block = &list->blocks[b];
        JitCode code = code_for(sim, block, JIT_TANGENT);
        if (code.any)
            code.tangent(values, tangents, block->slots, block->code.constants, &sim->engine->env);
        else
            interpret_tangents(sim, list, block, values, tangents);
    }
}
