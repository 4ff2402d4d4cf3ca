/* blocks.c: leaves of ropes -> shapes -> code, and evaluation by it. See blocks.h. */
#include "runtime/eval/loop_code.h"
#include "runtime/eval/tape_int.h"

#include "base/timer.h"
#include "jit/disk_cache.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct LeafCode {
    BlockCode block;
    uint64_t born; /* SimCounts.events then */
    uint32_t n_slots;
    uint32_t slots[]; /* [n_slots], and behind them [nodes]: what these determine */
};

/* ---- the code of a leaf ---- */

static ShapeUse shape_leaf(Engine *engine, const Leaf *leaf)
{
    const Sim *sim = engine->sim;
    engine->items.n = 0;
    for (uint32_t i = 0; i < leaf->nodes.n; i++) {
        const EvalOp *op = &sim->nodes.at[leaf->nodes.at[i]].ops[0];
        vec_push(sim->mem, &engine->items, ((ShapeItem){op->target, op->value, op->vars}));
    }
    return shape_of(engine->shapes, leaf->nodes.n, engine->items.at, NULL);
}

/* `rebuild` shares nothing: each block has a function of its own, with its numbers written into it.
 */
static void request(Engine *engine, struct LeafCode *code, const ShapeUse *use, JitKind kind)
{
    JitRequest wanted = {.shape = use->shape, .kind = kind, .layout = JIT_SINGLE};
    if (engine->rebuild) {
        wanted.layout = JIT_FIXED;
        wanted.slots = use->slots;
        wanted.constants = use->constants;
    }
    block_code_ask(engine, &code->block, &wanted);
}

static void make_code(Sim *sim, Leaf *leaf)
{
    Engine *engine = sim->engine;
    ShapeUse use = shape_leaf(engine, leaf);
    uint32_t n = use.shape->n_slots;
    struct LeafCode *code =
        mem_alloc(sim->mem, sizeof *code + (n + leaf->nodes.n) * sizeof *code->slots);
    *code = (struct LeafCode){.born = sim->counts.events, .n_slots = n};
    memcpy(code->slots, use.slots, n * sizeof *code->slots);
    for (uint32_t i = 0; i < leaf->nodes.n; i++)
        code->slots[n + i] = engine->items.at[i].target;
    leaf->code = code;
    request(engine, code, &use, JIT_VALUE);
    block_code_keep(engine, &code->block, &use);
    engine->blocks++;
    engine->rebuilt++;
}

/* Code for tangents is asked for when the first Jacobian is wanted: explicit methods never want
 * one. */
static void make_tangent(Sim *sim, Leaf *leaf)
{
    ShapeUse use = shape_leaf(sim->engine, leaf);
    request(sim->engine, leaf->code, &use, JIT_TANGENT);
}

BlockNote block_note(const Sim *sim, DdpNode n)
{
    const EvalNode *node = n < sim->nodes.n ? &sim->nodes.at[n] : NULL;
    BlockNote note = {.held = !node || !node->varies, .size = 1};
    if (!node || !node->leaf)
        return note;
    const struct LeafCode *code = node->leaf->code;
    note.size = node->leaf->nodes.n;
    if (node->loop && loop_code_note(node, &note.tier, &note.age)) {
        note.counted = true;
        note.age = sim->counts.events - note.age;
    }
    if (!code)
        return note;
    note.counted = true;
    note.age = sim->counts.events - code->born;
    note.tier = block_code_tier(&code->block);
    return note;
}

void leaf_code_free(Sim *sim, Leaf *leaf)
{
    struct LeafCode *code = leaf->code;
    tape_leaf_leaves(sim, leaf);
    tape_plan_free(sim, leaf->plan);
    leaf->plan = NULL;
    mem_free(sim->mem, leaf->reads);
    leaf->reads = NULL;
    if (!code)
        return;
    block_code_close(sim->engine, &code->block);
    mem_free(sim->mem, code);
    leaf->code = NULL;
    sim->engine->blocks--;
}

static void prepare_rope(Sim *sim, const Rope *rope)
{
    for (uint32_t i = 0; rope->tape && i < rope->fresh.n; i++)
        if (rope->fresh.at[i] && rope->fresh.at[i]->plain && !rope->fresh.at[i]->code)
            make_code(sim, rope->fresh.at[i]);
    if (rope->tape) /* all others have theirs, or were never evaluated but by it */
        return;
    EACH_LEAF (rope, leaf)
        if (leaf->plain && !leaf->code)
            make_code(sim, leaf);
}

void blocks_prepare(Part *part)
{
    Engine *engine = part->sim->engine;
    uint32_t versions = part->ropes[0].version + part->ropes[1].version;
    if (!engine || part->code.prepared == versions + 1)
        return;
    part->code.prepared = versions + 1;
    if (part->code.steady_version != part->ropes[0].version)
        fixed_code_drop(part);
    double begin = timer_now();
    if (!part->code.tape && !engine->rebuild)
        tape_put_back(part); /* then leaves need no code of their own */
    prepare_rope(part->sim, &part->ropes[0]);
    prepare_rope(part->sim, &part->ropes[1]);
    part->sim->counts.lower += timer_now() - begin;
    if (engine->wait)
        jit_wait(engine->jit);
}

static void forget_rope(Sim *sim, const Rope *rope)
{
    EACH_LEAF (rope, leaf) {
        leaf_code_free(sim, leaf);
        if (!leaf->plain)
            loop_code_forget(sim, &sim->nodes.at[leaf->nodes.at[0]]);
    }
}

void engine_restructured(Sim *sim)
{
    Engine *engine = sim->engine;
    if (!engine || !engine->rebuild)
        return;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        forget_rope(sim, &sim->parts.at[i]->ropes[0]);
        forget_rope(sim, &sim->parts.at[i]->ropes[1]);
    }
    forget_rope(sim, &sim->outputs);
    jit_forget(engine->jit);
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        prepare_rope(sim, &sim->parts.at[i]->ropes[0]);
        prepare_rope(sim, &sim->parts.at[i]->ropes[1]);
    }
    prepare_rope(sim, &sim->outputs);
    jit_wait(engine->jit);
}

/* ---- evaluation ---- */

/* All at once: what is not finite times 0 is not 0. Nodes lie far apart and are not looked at where
 * there is code: that was a fifth of a run with many events. */
static bool finite_results(const Sim *sim, const Leaf *leaf)
{
    double sum = 0, other = 0; /* two, as each has to wait for its last addition */
    uint32_t i = 0, n = leaf->nodes.n;
    const uint32_t *target = leaf->code ? leaf->code->slots + leaf->code->n_slots : NULL;
    for (; target && i + 2 <= n; i += 2) {
        sum += 0 * sim->value[target[i]];
        other += 0 * sim->value[target[i + 1]];
    }
    for (; i < n; i++)
        sum += 0 * sim->value[target ? target[i] : sim->nodes.at[leaf->nodes.at[i]].ops[0].target];
    return sum + other == 0;
}

/* One of them has no value, if it is needed: the one that says so itself. */
static SolStatus not_finite(Sim *sim, const Leaf *leaf, EvalHow how)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < leaf->nodes.n && status == SOL_OK; i++)
        status = evaluate_node(sim, leaf->nodes.at[i], how);
    return status;
}

static void evaluate_run(Sim *sim, Leaf *leaf)
{
    if (sim->engine && !leaf->code)
        make_code(sim, leaf);
    struct LeafCode *code = leaf->code;
    JitCode native = code ? block_code(&code->block, JIT_VALUE) : (JitCode){.any = NULL};
    if (native.any)
        native.value(sim->value, code->slots, code->block.constants, &sim->engine->env);
    else
        for (uint32_t i = 0; i < leaf->nodes.n; i++)
            evaluate_ops(sim, &sim->nodes.at[leaf->nodes.at[i]], 0, 1, NULL);
    if (code)
        block_code_used(sim->engine, &code->block);
}

SolStatus leaf_evaluate(Sim *sim, Leaf *leaf, EvalHow how)
{
    if (!leaf->plain)
        return evaluate_node(sim, leaf->nodes.at[0], how);
    evaluate_run(sim, leaf);
    return finite_results(sim, leaf) ? SOL_OK : not_finite(sim, leaf, how);
}

/* A leaf whose code is there: 0, or what is not when one of its values has no number. False: it has none. */
static inline bool evaluate_quickly(Sim *sim, const Leaf *leaf, double *none)
{
    struct LeafCode *code = leaf->code;
    JitCode native = code ? block_code(&code->block, JIT_VALUE) : (JitCode){.any = NULL};
    if (!leaf->plain || !native.any)
        return false;
    native.value(sim->value, code->slots, code->block.constants, &sim->engine->env);
    block_code_used(sim->engine, &code->block);
    const uint32_t *target = code->slots + code->n_slots, *end = target + leaf->nodes.n;
    for (*none = 0; target < end; target++)
        *none += 0 * sim->value[*target];
    return true;
}

SolStatus evaluate_rope(Sim *sim, Rope *rope, EvalHow how)
{
    double none;
    EACH_LEAF (rope, leaf) {
        if (evaluate_quickly(sim, leaf, &none) && none == 0)
            continue;
        SolStatus status = leaf_evaluate(sim, leaf, how);
        if (status != SOL_OK)
            return status;
    }
    return SOL_OK;
}

/* A single node inside a step, where nobody looks but at slopes and residuals. */
static SolStatus step_node(Sim *sim, DdpNode n, double **residuals)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->loop) {
        evaluate_ops(sim, node, 0, 1, NULL);
        return SOL_OK;
    }
    if (!node->outer || !*residuals)
        return evaluate_node(sim, n, EVAL_TRIAL);
    loop_code_values(sim, node, *residuals);
    *residuals += node->n_tears;
    return SOL_OK;
}

static bool finite_slopes(const Part *part)
{
    double sum = 0;
    for (uint32_t i = 0; i < part->states.n; i++)
        sum += 0 * part->sim->value[part->states.at[i].slope];
    return sum == 0;
}

/* residuals: double **, where those of the next outer loop go */
static int step_leaf(Part *part, Leaf *leaf, void *residuals)
{
    if (!leaf->plain)
        return step_node(part->sim, leaf->nodes.at[0], residuals) != SOL_OK;
    evaluate_run(part->sim, leaf);
    return 0;
}

static int step_leaves(Part *part, double **residuals)
{
    EACH_LEAF (&part->ropes[0], leaf)
        if (step_leaf(part, leaf, residuals))
            return 1;
    return 0;
}

int blocks_evaluate(Part *part, double *residuals)
{
    int failed;
    tape_outdated(part);
    if (!fixed_code_evaluate(part, step_leaf, &residuals, &failed))
        failed = step_leaves(part, &residuals);
    return failed || !finite_slopes(part);
}

void blocks_prepare_tangents(Part *part)
{
    Sim *sim = part->sim;
    bool asked = false;
    EACH_LEAF (&part->ropes[0], leaf)
        if (leaf->code && !leaf->code->block.asked[JIT_TANGENT]) {
            make_tangent(sim, leaf);
            asked = true;
        }
    if (asked && sim->engine->wait)
        jit_wait(sim->engine->jit);
}

static void tangent_single(Sim *sim, DdpNode n, double *results)
{
    EvalNode *node = &sim->nodes.at[n];
    if (!node->outer || !results) {
        evaluate_tangent_node(sim, n);
        return;
    }
    loop_code_tangents(sim, node, results);
}

void leaf_tangent(Sim *sim, const Leaf *leaf, double *results)
{
    const struct LeafCode *code = leaf->code;
    JitCode native = code ? block_code(&code->block, JIT_TANGENT) : (JitCode){.any = NULL};
    if (native.any)
        native.tangent(sim->value, sim->tangent, code->slots, code->block.constants,
                       &sim->engine->env);
    else
        for (uint32_t i = 0; i < leaf->nodes.n; i++)
            tangent_single(sim, leaf->nodes.at[i], results);
}
