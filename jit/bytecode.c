/* bytecode.c: assignments -> bytecode. See interp.h, interp_int.h.
 *
 * Pass 1 numbers values: each node of the shared graph becomes one value, however often and in
 * however many of the assignments it occurs. A position that was assigned stands for the assigned
 * value from then on. If an older expression has read that position, what was known about nodes is
 * out of date and is forgotten; in code from a schedule this does not happen, since there
 * everything is assigned before it is read.
 *
 * Pass 2 gives values registers. Constants and positions have places of their own, filled before
 * the first instruction; a result without target is computed where it is wanted; the rest take
 * registers from a pool, and return them after their last reader. */
#include "jit/interp_int.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef enum ValueKind { VALUE_CONST, VALUE_LOAD, VALUE_COMPUTED, VALUE_RESULT } ValueKind;

typedef struct Value {
    ValueKind kind;
    uint32_t index; /* among its kind; for VALUE_RESULT the result; else its register in pass 2 */
    uint32_t last_use; /* instruction that reads it last */
} Value;

typedef struct Compiler {
    Mem *mem;
    FormTable *forms;
    VEC(Value) values; /* at[v]; at[0] is unused */
    VEC(double) k;
    VEC(uint32_t) load;
    VEC(Instr) instr; /* operands are values until pass 2 */
    VEC(Call) call;   /* args as offsets into `args` until the end */
    VEC(uint32_t) args, partials;
    VEC(uint32_t) call_at; /* call_at[i]: offset of call i in args and partials */
    Map of_node;           /* node -> value */
    Map of_position;       /* position + 1 -> value */
    VEC(uint32_t) pool;    /* free registers */
    uint32_t max_args;
} Compiler;

/* ---- pass 1: values ---- */

static uint32_t new_value(Compiler *c, ValueKind kind, uint32_t index)
{
    uint32_t v = c->values.n;
    vec_push(c->mem, &c->values, ((Value){.kind = kind, .index = index}));
    return v;
}

static uint32_t const_value(Compiler *c, double k)
{
    vec_push(c->mem, &c->k, k);
    return new_value(c, VALUE_CONST, c->k.n - 1);
}

static uint32_t position_value(Compiler *c, uint32_t position)
{
    uint64_t key = (uint64_t)position + 1;
    uint32_t v = map_get(&c->of_position, key);
    if (!v) {
        vec_push(c->mem, &c->load, position);
        v = new_value(c, VALUE_LOAD, c->load.n - 1);
        map_put(c->mem, &c->of_position, key, v);
    }
    return v;
}

static uint32_t operand(const Compiler *c, X x)
{
    return x ? map_get(&c->of_node, x) : 0;
}

static uint32_t emit(Compiler *c, Instr instr)
{
    instr.to = new_value(c, VALUE_COMPUTED, 0);
    vec_push(c->mem, &c->instr, instr);
    return instr.to;
}

static uint32_t call_value(Compiler *c, XNode node)
{
    uint32_t n = 0, at = c->args.n;
    for (X list = node.b; list; list = x_node(c->forms, list).b)
        n++;
    vec_reserve(c->mem, &c->args, at + n);
    vec_reserve(c->mem, &c->partials, at + n);
    uint32_t i = n;
    for (X list = node.b; list; list = x_node(c->forms, list).b) {
        c->args.at[at + --i] = operand(c, x_node(c->forms, list).a);
        c->partials.at[at + i] = x_call_partial(c->forms, node.a, i);
    }
    c->args.n = c->partials.n = at + n;
    vec_push(c->mem, &c->call_at, at);
    vec_push(c->mem, &c->call, ((Call){.function = node.a, .n = n}));
    c->max_args = n > c->max_args ? n : c->max_args;
    return emit(c, (Instr){.op = X_CALL, .a = c->call.n - 1});
}

static uint32_t node_value(Compiler *c, XNode node)
{
    switch (node.op) {
    case X_CONST:
        return const_value(c, node.k);
    case X_POS:
        return position_value(c, node.a);
    case X_CALL:
        return call_value(c, node);
    default:
        return emit(c, (Instr){.op = node.op,
                               .a = operand(c, node.a),
                               .b = operand(c, node.b),
                               .c = operand(c, node.c)});
    }
}

static uint32_t expression_value(Compiler *c, X x)
{
    uint32_t n;
    X *nodes = x_nodes(c->forms, c->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n; i++) {
        XNode node = x_node(c->forms, nodes[i]);
        if (node.op != X_ARG && !map_get(&c->of_node, nodes[i]))
            map_put(c->mem, &c->of_node, nodes[i], node_value(c, node));
    }
    mem_free(c->mem, nodes);
    return map_get(&c->of_node, x);
}

static void assign(Compiler *c, uint32_t target, uint32_t v)
{
    vec_push(c->mem, &c->instr, ((Instr){.op = OP_STORE, .a = target, .b = v}));
    map_put(c->mem, &c->of_position, (uint64_t)target + 1, v);
    if (map_get(&c->of_node, x_pos(c->forms, target)))
        map_free(c->mem, &c->of_node);
}

/* A computed value lives in the place of its result for good; anything else is copied there. */
static void result(Compiler *c, uint32_t which, uint32_t v)
{
    Value *value = &c->values.at[v];
    if (value->kind == VALUE_COMPUTED) {
        value->kind = VALUE_RESULT;
        value->index = which;
        return;
    }
    uint32_t to = new_value(c, VALUE_RESULT, which);
    vec_push(c->mem, &c->instr, ((Instr){.op = OP_MOVE, .to = to, .a = v}));
}

/* ---- pass 2: registers ---- */

static bool is_register(const Instr *instr, uint32_t operand_number)
{
    switch (operand_number) {
    case 0:
        return instr->op != X_CALL && instr->op != OP_STORE;
    default:
        return instr->op != X_CALL;
    }
}

typedef void (*Visit)(Compiler *c, uint32_t at, uint32_t *operand);

/* Calls visit for each operand of instruction `at` that is a value. */
static void each_operand(Compiler *c, uint32_t at, Visit visit)
{
    Instr *instr = &c->instr.at[at];
    uint32_t *operands[] = {&instr->a, &instr->b, &instr->c};
    for (uint32_t i = 0; i < 3; i++)
        if (is_register(instr, i) && *operands[i])
            visit(c, at, operands[i]);
    if (instr->op != X_CALL)
        return;
    for (uint32_t i = 0; i < c->call.at[instr->a].n; i++)
        visit(c, at, &c->args.at[c->call_at.at[instr->a] + i]);
}

static void note_use(Compiler *c, uint32_t at, uint32_t *v)
{
    c->values.at[*v].last_use = at;
}

/* An operand that is read for the last time gives its register back, once: marked by last_use. */
static void give_back(Compiler *c, uint32_t at, uint32_t *v)
{
    Value *value = &c->values.at[*v];
    if (value->kind == VALUE_COMPUTED && value->last_use == at) {
        vec_push(c->mem, &c->pool, value->index);
        value->last_use = UINT32_MAX;
    }
}

static void to_register(Compiler *c, uint32_t at, uint32_t *v)
{
    (void)at;
    *v = c->values.at[*v].index;
}

static void place_fixed_values(Compiler *c, uint32_t results)
{
    for (uint32_t v = 1; v < c->values.n; v++) {
        Value *value = &c->values.at[v];
        if (value->kind == VALUE_CONST)
            value->index += results;
        else if (value->kind == VALUE_LOAD)
            value->index += results + c->k.n;
    }
}

/* Instructions read all operands before they write, so a result may take an operand's register. */
static uint32_t allocate(Compiler *c, uint32_t results)
{
    uint32_t registers = results + c->k.n + c->load.n;
    place_fixed_values(c, results);
    for (uint32_t i = 0; i < c->instr.n; i++)
        each_operand(c, i, note_use);
    for (uint32_t i = 0; i < c->instr.n; i++) {
        each_operand(c, i, give_back);
        Value *to = &c->values.at[c->instr.at[i].to];
        if (c->instr.at[i].to && to->kind == VALUE_COMPUTED)
            to->index = c->pool.n ? vec_pop(&c->pool) : registers++;
        each_operand(c, i, to_register);
        if (c->instr.at[i].to)
            c->instr.at[i].to = to->index;
    }
    return registers;
}

/* ---- both ---- */

static void *keep(Arena *arena, const void *from, size_t n, size_t size)
{
    void *copy = arena_alloc(arena, n * size + 1);
    if (n)
        memcpy(copy, from, n * size);
    return copy;
}

static Code *finish(Compiler *c, Arena *arena, uint32_t results)
{
    Code *code = arena_alloc(arena, sizeof *code);
    code->results = results;
    code->consts = c->k.n;
    code->loads = c->load.n;
    code->registers = allocate(c, results);
    code->instrs = c->instr.n;
    code->max_args = c->max_args;
    code->k = keep(arena, c->k.at, c->k.n, sizeof *c->k.at);
    code->load = keep(arena, c->load.at, c->load.n, sizeof *c->load.at);
    code->instr = keep(arena, c->instr.at, c->instr.n, sizeof *c->instr.at);
    const uint32_t *args = keep(arena, c->args.at, c->args.n, sizeof *c->args.at);
    const uint32_t *partials = keep(arena, c->partials.at, c->partials.n, sizeof *args);
    for (uint32_t i = 0; i < c->call.n; i++) {
        c->call.at[i].args = args + c->call_at.at[i];
        c->call.at[i].partials = partials + c->call_at.at[i];
    }
    code->call = keep(arena, c->call.at, c->call.n, sizeof *c->call.at);
    return code;
}

static void compiler_free(Compiler *c)
{
    vec_free(c->mem, &c->values);
    vec_free(c->mem, &c->k);
    vec_free(c->mem, &c->load);
    vec_free(c->mem, &c->instr);
    vec_free(c->mem, &c->call);
    vec_free(c->mem, &c->args);
    vec_free(c->mem, &c->partials);
    vec_free(c->mem, &c->call_at);
    vec_free(c->mem, &c->pool);
    map_free(c->mem, &c->of_node);
    map_free(c->mem, &c->of_position);
}

Code *interp_compile(Mem *mem, Arena *arena, FormTable *forms, uint32_t n, const uint32_t *targets,
                     const X *values)
{
    Compiler c = {.mem = mem, .forms = forms};
    new_value(&c, VALUE_CONST, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = expression_value(&c, x_lower_powers(forms, values[i]));
        if (targets[i] == INTERP_NO_TARGET)
            result(&c, i, v);
        else
            assign(&c, targets[i], v);
    }
    Code *code = finish(&c, arena, n);
    compiler_free(&c);
    return code;
}
