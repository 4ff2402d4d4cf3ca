/* flat.c: instances -> the flattened model as text.
 *
 * Instances are visited from the top, parts in order of the text; so the order is that of the
 * source and does not depend on numbers that come and go. Zero-sums follow the statements of the
 * model whose connections they come from. */
#include "frontend/flat.h"
#include "frontend/world_int.h"

#include <stdlib.h>

enum { TEXT = 4096 };

typedef struct SumEntry {
    uint32_t model, sum;
} SumEntry;

typedef struct Flat {
    World *world;
    FILE *out;
    FlatValue value;
    bool all; /* values of variables too */
    const void *context;
    VEC(Inst *) order;  /* all instances */
    VEC(SumEntry) sums; /* by model */
    char text[TEXT];
} Flat;

/* ---- order ---- */

/* Depth first, without recursion: the parts of an instance are pushed in reverse. */
static void collect_instances(Flat *flat)
{
    World *world = flat->world;
    VEC(uint32_t) todo = {0};
    if (world->top)
        vec_push(world->mem, &todo, world->top);
    while (todo.n) {
        uint32_t id = vec_pop(&todo), first = todo.n;
        vec_push(world->mem, &flat->order, world_at(world, id));
        for (InstId p = world_next_part(world, id, 0); p; p = world_next_part(world, id, p))
            vec_push(world->mem, &todo, p);
        for (uint32_t i = first, k = todo.n; i + 1 < k; i++, k--) {
            uint32_t swap = todo.at[i];
            todo.at[i] = todo.at[k - 1];
            todo.at[k - 1] = swap;
        }
    }
    vec_free(world->mem, &todo);
}

static int compare_sums(const void *a, const void *b)
{
    const SumEntry *x = a, *y = b;
    if (x->model != y->model)
        return x->model < y->model ? -1 : 1;
    return (x->sum > y->sum) - (x->sum < y->sum);
}

static void collect_sums(Flat *flat)
{
    const Connect *connect = flat->world->connect;
    for (uint32_t id = 1; id < connect_sum_limit(connect); id++)
        if (connect_sum_rel(connect, id, 0))
            vec_push(flat->world->mem, &flat->sums,
                     ((SumEntry){connect_sum_model(connect, id), id}));
    if (flat->sums.n)
        qsort(flat->sums.at, flat->sums.n, sizeof *flat->sums.at, compare_sums);
}

/* ---- variables ---- */

static void print_value(Flat *flat, TypeKind type, double value)
{
    if (type == TYPE_BOOLEAN) {
        fputs(value != 0 ? "true" : "false", flat->out);
    } else if (type == TYPE_STRING) {
        fprintf(flat->out, "\"%s\"", intern_text(program_names(flat->world->program), (Sym)value));
    } else {
        char text[40];
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
        fputs(text, flat->out);
    }
}

static const char *type_name(TypeKind type)
{
    static const char *const names[] = {
        [TYPE_REAL] = "Real",
        [TYPE_INTEGER] = "Integer",
        [TYPE_BOOLEAN] = "Boolean",
        [TYPE_STRING] = "String",
    };
    return type >= TYPE_REAL && type <= TYPE_STRING ? names[type] : "?";
}

static void print_variables(Flat *flat, Inst *inst)
{
    for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
        const Op *op = &inst->plan->ops[i];
        if ((op->kind != OP_VAR && op->kind != OP_PARAM) || !inst->word[op->word])
            continue;
        DdpVar var = inst->word[op->word];
        world_var_path(flat->world, var, flat->text, TEXT);
        const char *role = op->kind == OP_PARAM ? "parameter " : "";
        if (ddp_var(flat->world->ddp, var).kind == DDP_HELD)
            role = "held ";
        fprintf(flat->out, "  %s%s %s", role, type_name(op->type), flat->text);
        double value;
        if (op->kind == OP_PARAM && flat->value && flat->value(flat->context, var, &value)) {
            fputs(" = ", flat->out);
            print_value(flat, op->type, value);
        }
        fputs(";", flat->out);
        if (op->kind != OP_PARAM && flat->all && flat->value(flat->context, var, &value)) {
            fputs(" // ", flat->out);
            print_value(flat, op->type, value);
        }
        fputs("\n", flat->out);
    }
}

/* ---- relations ---- */

static void print_rel(Flat *flat, DdpRel rel)
{
    if (!rel)
        return;
    world_rel_text(flat->world, rel, flat->text, TEXT);
    fprintf(flat->out, "  %s;\n", flat->text);
}

static void print_start(Flat *flat, Inst *inst, const Op *op)
{
    DdpVar x = follow_var(flat->world, inst, &op->refs.at[1]);
    DdpVar start = follow_var(flat->world, inst, &op->refs.at[2]);
    if (!x || !start)
        return;
    world_var_path(flat->world, x, flat->text, TEXT);
    fprintf(flat->out, "  start(%s) << ", flat->text);
    WorldVar view;
    double value;
    const Op *made = &inst->plan->ops[inst->plan->word_op[op->refs.at[2].step[0].word]];
    if (world_var(flat->world, start, &view) && made->kind == OP_KNOWN && flat->value &&
        flat->value(flat->context, start, &value)) {
        print_value(flat, TYPE_REAL, value);
    } else {
        world_var_path(flat->world, start, flat->text, TEXT);
        fputs(flat->text, flat->out);
    }
    fputs(";\n", flat->out);
}

static void print_op(Flat *flat, Inst *inst, const Op *op)
{
    World *world = flat->world;
    switch ((OpKind)op->kind) {
    case OP_REL:
        if (!op->defines) /* the texts of others say it already */
            print_rel(flat, inst->word[op->word]);
        break;
    case OP_DER:
        if (!op->defines)
            print_rel(flat, inst->word[op->word]);
        if (op->refs.n == 3 && inst->word[op->word])
            print_start(flat, inst, op);
        break;
    case OP_COUT:
        world_var_path(world, follow_var(world, inst, &op->refs.at[0]), flat->text, TEXT);
        fprintf(flat->out, "  cout << %s;\n", flat->text);
        break;
    case OP_TEAR:
        world_var_path(world, follow_var(world, inst, &op->refs.at[0]), flat->text, TEXT);
        fprintf(flat->out, "  tearing(%s);\n", flat->text);
        break;
    case OP_CONNECT:
        for (uint32_t i = 0;
             inst->word[op->word] && connect_edge_rel(world->connect, inst->word[op->word], i); i++)
            print_rel(flat, connect_edge_rel(world->connect, inst->word[op->word], i));
        break;
    default:
        break;
    }
}

static void print_sums(Flat *flat, const Inst *inst)
{
    uint32_t low = 0, high = flat->sums.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->sums.at[middle].model < inst->id)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < flat->sums.n && flat->sums.at[low].model == inst->id; low++)
        for (uint32_t flow = 0;; flow++) {
            DdpRel rel = connect_sum_rel(flat->world->connect, flat->sums.at[low].sum, flow);
            if (!rel)
                break;
            print_rel(flat, rel);
        }
}

static void print_relations(Flat *flat, Inst *inst)
{
    for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
        const Op *op = &inst->plan->ops[i];
        if (op->kind == OP_GROUP && inst->word[op->word] != GROUP_IN)
            i += op->span; /* its path leads nowhere now */
        else
            print_op(flat, inst, op);
    }
    print_sums(flat, inst);
}

/* ---- branches ---- */

static void print_branches(Flat *flat, Inst *inst)
{
    for (uint32_t i = 0; i < inst->plan->n_ops; i++) {
        const Op *op = &inst->plan->ops[i];
        WorldBranch b;
        if (op->kind != OP_BRANCH || !world_branch(flat->world, inst->word[op->word], &b))
            continue;
        world_var_path(flat->world, b.condition, flat->text, TEXT);
        const char *choice = b.newborn ? "undecided" : "none";
        if (b.body)
            choice = b.choice == WORLD_THEN ? "then" : "else";
        fprintf(flat->out, "  %s %s: %s;\n", b.when ? "when" : "if", flat->text, choice);
    }
}

static void print_section(Flat *flat, const char *title, void (*print)(Flat *flat, Inst *inst))
{
    fprintf(flat->out, "%s:\n", title);
    for (uint32_t i = 0; i < flat->order.n; i++)
        print(flat, flat->order.at[i]);
}

static bool print_world(const Flat *how, const char *name)
{
    Flat flat = *how;
    World *world = flat.world;
    FILE *out = flat.out;
    MemGuard guard;
    mem_guard_push(world->mem, &guard);
    if (setjmp(guard.env) != 0) {
        world_exhausted(world);
        return false;
    }
    collect_instances(&flat);
    collect_sums(&flat);
    fprintf(out, "model %s\n", name);
    print_section(&flat, "variables", print_variables);
    print_section(&flat, "relations", print_relations);
    if (world->n_branches)
        print_section(&flat, "branches", print_branches);
    fputs("end;\n", out);
    vec_free(world->mem, &flat.order);
    vec_free(world->mem, &flat.sums);
    mem_guard_pop(world->mem, &guard);
    return true;
}

bool flat_print(World *world, const char *name, FlatValue value, const void *context, FILE *out)
{
    return print_world(&(Flat){.world = world, .out = out, .value = value, .context = context},
                       name);
}

bool flat_print_values(World *world, const char *name, FlatValue value, const void *context,
                       FILE *out)
{
    Flat flat = {.world = world, .out = out, .value = value, .all = true, .context = context};
    return print_world(&flat, name);
}
