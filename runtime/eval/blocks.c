/* blocks.c: segments of orders -> shapes -> code, and evaluation by it. See blocks.h. */
#include "runtime/eval/loop_code.h"
#include "runtime/eval/tape_int.h"

#include "base/timer.h"
#include "jit/disk_cache.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct SegmentCode {
    BlockCode block;
    uint64_t born; /* SimCounts.events then */
    uint32_t n_slots;
    uint32_t slots[]; /* [n_slots], and behind them [nodes]: what these determine */
};

/* ---- the code of a segment ---- */

static ShapeUse shape_segment(Engine *engine, const Segment *segment)
{
    const Sim *sim = engine->sim;
    engine->items.n = 0;
    for (uint32_t i = 0; i < segment->nodes.n; i++) {
        const EvalOp *op = &sim->nodes.at[segment->nodes.at[i]].ops[0];
        vec_push(sim->mem, &engine->items, ((ShapeItem){op->target, op->value, op->vars}));
    }
    return shape_of(engine->shapes, segment->nodes.n, engine->items.at, NULL);
}

/* `rebuild` shares nothing: each block has a function of its own, with its numbers written into it.
 */
static void request(Engine *engine, struct SegmentCode *code, const ShapeUse *use, JitKind kind)
{
    JitRequest wanted = {.shape = use->shape, .kind = kind, .layout = JIT_SINGLE};
    if (engine->rebuild) {
        wanted.layout = JIT_FIXED;
        wanted.slots = use->slots;
        wanted.constants = use->constants;
    }
    block_code_ask(engine, &code->block, &wanted);
}

static void make_code(Sim *sim, Segment *segment)
{
    Engine *engine = sim->engine;
    ShapeUse use = shape_segment(engine, segment);
    uint32_t n = use.shape->n_slots;
    struct SegmentCode *code =
        mem_alloc(sim->mem, sizeof *code + (n + segment->nodes.n) * sizeof *code->slots);
    *code = (struct SegmentCode){.born = sim->counts.events, .n_slots = n};
    memcpy(code->slots, use.slots, n * sizeof *code->slots);
    for (uint32_t i = 0; i < segment->nodes.n; i++)
        code->slots[n + i] = engine->items.at[i].target;
    segment->code = code;
    request(engine, code, &use, JIT_VALUE);
    block_code_keep(engine, &code->block, &use);
    engine->blocks++;
    engine->rebuilt++;
}

/* Code for tangents is asked for when the first Jacobian is wanted: explicit methods never want
 * one. */
static void make_tangent(Sim *sim, Segment *segment)
{
    ShapeUse use = shape_segment(sim->engine, segment);
    request(sim->engine, segment->code, &use, JIT_TANGENT);
}

BlockNote block_note(const Sim *sim, DdpNode n)
{
    const EvalNode *node = n < sim->nodes.n ? &sim->nodes.at[n] : NULL;
    BlockNote note = {.held = !node || !node->varies, .size = 1};
    if (!node || !node->segment)
        return note;
    const struct SegmentCode *code = node->segment->code;
    note.size = node->segment->nodes.n;
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

void segment_code_free(Sim *sim, Segment *segment)
{
    struct SegmentCode *code = segment->code;
    tape_segment_leaves(sim, segment);
    tape_plan_free(sim, segment->plan);
    segment->plan = NULL;
    mem_free(sim->mem, segment->reads);
    segment->reads = NULL;
    if (!code)
        return;
    block_code_close(sim->engine, &code->block);
    mem_free(sim->mem, code);
    segment->code = NULL;
    sim->engine->blocks--;
}

static void prepare_node_order(Sim *sim, const NodeOrder *order)
{
    for (uint32_t i = 0; order->tape && i < order->fresh.n; i++)
        if (order->fresh.at[i] && order->fresh.at[i]->plain && !order->fresh.at[i]->code)
            make_code(sim, order->fresh.at[i]);
    if (order->tape) /* all others have theirs, or were never evaluated but by it */
        return;
    EACH_SEGMENT (order, segment)
        if (segment->plain && !segment->code)
            make_code(sim, segment);
}

void blocks_prepare(Part *part)
{
    Engine *engine = part->sim->engine;
    uint32_t versions = part->orders[0].version + part->orders[1].version;
    if (!engine || part->code.prepared == versions + 1)
        return;
    part->code.prepared = versions + 1;
    if (part->code.steady_version != part->orders[0].version)
        fixed_code_drop(part);
    double begin = timer_now();
    if (!part->code.tape && !engine->rebuild)
        tape_put_back(part); /* then segments need no code of their own */
    prepare_node_order(part->sim, &part->orders[0]);
    prepare_node_order(part->sim, &part->orders[1]);
    part->sim->counts.lower += timer_now() - begin;
    if (engine->wait)
        jit_wait(engine->jit);
}

static void forget_node_order(Sim *sim, const NodeOrder *order)
{
    EACH_SEGMENT (order, segment) {
        segment_code_free(sim, segment);
        if (!segment->plain)
            loop_code_forget(sim, &sim->nodes.at[segment->nodes.at[0]]);
    }
}

void engine_restructured(Sim *sim)
{
    Engine *engine = sim->engine;
    if (!engine || !engine->rebuild)
        return;
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        forget_node_order(sim, &sim->parts.at[i]->orders[0]);
        forget_node_order(sim, &sim->parts.at[i]->orders[1]);
    }
    forget_node_order(sim, &sim->outputs);
    jit_forget(engine->jit);
    for (uint32_t i = 0; i < sim->parts.n; i++) {
        prepare_node_order(sim, &sim->parts.at[i]->orders[0]);
        prepare_node_order(sim, &sim->parts.at[i]->orders[1]);
    }
    prepare_node_order(sim, &sim->outputs);
    jit_wait(engine->jit);
}

/* ---- evaluation ---- */

/* All at once: what is not finite times 0 is not 0. Nodes lie far apart and are not looked at where
 * there is code: that was a fifth of a run with many events. */
static bool finite_results(const Sim *sim, const Segment *segment)
{
    double sum = 0, other = 0; /* two, as each has to wait for its last addition */
    uint32_t i = 0, n = segment->nodes.n;
    const uint32_t *target = segment->code ? segment->code->slots + segment->code->n_slots : NULL;
    for (; target && i + 2 <= n; i += 2) {
        sum += 0 * sim->value[target[i]];
        other += 0 * sim->value[target[i + 1]];
    }
    for (; i < n; i++)
        sum +=
            0 * sim->value[target ? target[i] : sim->nodes.at[segment->nodes.at[i]].ops[0].target];
    return sum + other == 0;
}

/* One of them has no value, if it is needed: the one that says so itself. */
static SolStatus not_finite(Sim *sim, const Segment *segment, EvalHow how)
{
    SolStatus status = SOL_OK;
    for (uint32_t i = 0; i < segment->nodes.n && status == SOL_OK; i++)
        status = evaluate_node(sim, segment->nodes.at[i], how);
    return status;
}

static void evaluate_run(Sim *sim, Segment *segment)
{
    if (sim->engine && !segment->code)
        make_code(sim, segment);
    struct SegmentCode *code = segment->code;
    JitCode native = code ? block_code(&code->block, JIT_VALUE) : (JitCode){.any = NULL};
    if (native.any)
        native.value(sim->value, code->slots, code->block.constants, &sim->engine->env);
    else
        for (uint32_t i = 0; i < segment->nodes.n; i++)
            evaluate_ops(sim, &sim->nodes.at[segment->nodes.at[i]], 0, 1, NULL);
    if (code)
        block_code_used(sim->engine, &code->block);
}

SolStatus segment_evaluate(Sim *sim, Segment *segment, EvalHow how)
{
    if (!segment->plain)
        return evaluate_node(sim, segment->nodes.at[0], how);
    evaluate_run(sim, segment);
    return finite_results(sim, segment) ? SOL_OK : not_finite(sim, segment, how);
}

/* A segment whose code is there: 0, or what is not when one of its values has no number. False: it has none. */
static inline bool evaluate_quickly(Sim *sim, const Segment *segment, double *none)
{
    struct SegmentCode *code = segment->code;
    JitCode native = code ? block_code(&code->block, JIT_VALUE) : (JitCode){.any = NULL};
    if (!segment->plain || !native.any)
        return false;
    native.value(sim->value, code->slots, code->block.constants, &sim->engine->env);
    block_code_used(sim->engine, &code->block);
    const uint32_t *target = code->slots + code->n_slots, *end = target + segment->nodes.n;
    for (*none = 0; target < end; target++)
        *none += 0 * sim->value[*target];
    return true;
}

enum { WORTH_LISTING = 4 }; /* segments */

/* An order of which every segment is a block with code, as the calls of these: HEAT_EVERY evaluations by one list, then
 * code is asked for again, as better code may have come. */
struct OrderCalls {
    uint32_t version; /* of the order */
    uint32_t uses;    /* evaluations since it was looked through */
    VEC(TapeCall) calls;
    NodeList targets; /* all that they determine */
};

void order_calls_free(Sim *sim, NodeOrder *order)
{
    if (!order->calls)
        return;
    vec_free(sim->mem, &order->calls->calls);
    vec_free(sim->mem, &order->calls->targets);
    mem_free(sim->mem, order->calls);
    order->calls = NULL;
}

/* No calls: one of the segments has no code. */
static void list_calls(Sim *sim, const NodeOrder *order, struct OrderCalls *list)
{
    uint32_t uses = list->calls.n ? HEAT_EVERY : 0; /* else each has counted its own */
    vec_clear(&list->calls);
    vec_clear(&list->targets);
    EACH_SEGMENT (order, segment) {
        struct SegmentCode *code = segment->code;
        JitCode native = code ? block_code(&code->block, JIT_VALUE) : (JitCode){.any = NULL};
        if (!segment->plain || !native.any) {
            vec_clear(&list->calls);
            return;
        }
        block_code_report(sim->engine, &code->block, uses);
        vec_push(sim->mem, &list->calls, ((TapeCall){native, code->block.constants, code->slots}));
        for (uint32_t i = 0; i < segment->nodes.n; i++)
            vec_push(sim->mem, &list->targets, code->slots[code->n_slots + i]);
    }
}

/* What is to be called for the order as it is; NULL: segments, one by one. */
static const struct OrderCalls *calls_of(Sim *sim, NodeOrder *order)
{
    if (!sim->engine || sim->engine->rebuild || order->n_segments < WORTH_LISTING)
        return NULL;
    if (!order->calls)
        order->calls = mem_alloc(sim->mem, sizeof *order->calls);
    struct OrderCalls *list = order->calls;
    if (list->version != order->version) {
        list->version = order->version;
        list->uses = 0;
        vec_clear(&list->calls);
    }
    if (++list->uses % HEAT_EVERY == 0)
        list_calls(sim, order, list);
    return list->calls.n ? list : NULL;
}

/* False: there is no list, or something is not finite; then each is evaluated again, and the one in question says so. */
static bool evaluate_calls(Sim *sim, NodeOrder *order)
{
    const struct OrderCalls *list = calls_of(sim, order);
    double *value = sim->value, sum = 0, other = 0;
    if (!list)
        return false;
    for (const TapeCall *at = list->calls.at, *end = at + list->calls.n; at < end; at++)
        at->value.value(value, at->slots, at->constants, &sim->engine->env);
    const DdpNode *target = list->targets.at, *end = target + list->targets.n;
    for (; end - target >= 2; target += 2) {
        sum += value[target[0]];
        other += value[target[1]];
    }
    if (target < end)
        sum += value[*target];
    return isfinite(sum + other);
}

SolStatus evaluate_node_order(Sim *sim, NodeOrder *order, EvalHow how)
{
    double none;
    if (evaluate_calls(sim, order))
        return SOL_OK;
    EACH_SEGMENT (order, segment) {
        if (evaluate_quickly(sim, segment, &none) && none == 0)
            continue;
        SolStatus status = segment_evaluate(sim, segment, how);
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
static int step_segment(Part *part, Segment *segment, void *residuals)
{
    if (!segment->plain)
        return step_node(part->sim, segment->nodes.at[0], residuals) != SOL_OK;
    evaluate_run(part->sim, segment);
    return 0;
}

static int step_segments(Part *part, double **residuals)
{
    EACH_SEGMENT (&part->orders[0], segment)
        if (step_segment(part, segment, residuals))
            return 1;
    return 0;
}

int blocks_evaluate(Part *part, double *residuals)
{
    int failed;
    tape_outdated(part);
    if (!fixed_code_evaluate(part, step_segment, &residuals, &failed))
        failed = step_segments(part, &residuals);
    return failed || !finite_slopes(part);
}

void blocks_prepare_tangents(Part *part)
{
    Sim *sim = part->sim;
    bool asked = false;
    EACH_SEGMENT (&part->orders[0], segment)
        if (segment->code && !segment->code->block.asked[JIT_TANGENT]) {
            make_tangent(sim, segment);
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

void segment_tangent(Sim *sim, const Segment *segment, double *results)
{
    const struct SegmentCode *code = segment->code;
    JitCode native = code ? block_code(&code->block, JIT_TANGENT) : (JitCode){.any = NULL};
    if (native.any)
        native.tangent(sim->value, sim->tangent, code->slots, code->block.constants,
                       &sim->engine->env);
    else
        for (uint32_t i = 0; i < segment->nodes.n; i++)
            tangent_single(sim, segment->nodes.at[i], results);
}
