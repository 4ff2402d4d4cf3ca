/* interp.c: bytecode and values -> new values and tangents. See interp.h.
 *
 * What the operators compute stands in ddp/apply.h; the frequent ones are written out in the
 * dispatch for speed and are single IEEE operations, so there is nothing to disagree about. */
#include "jit/interp_int.h"

#include "base/map.h"
#include "base/vec.h"
#include "ddp/apply.h"

#include <string.h>

/* ---- codes by content ---- */

typedef struct CodeEntry {
    Code *code;
    uint32_t n;
    const uint32_t *targets;
    const X *values;
    CodeId same_hash; /* next code with the same hash, or 0 */
} CodeEntry;

struct Interp {
    Mem *mem;
    FormTable *forms;
    Arena arena;
    Map by_hash;
    VEC(CodeEntry) codes; /* at[id]; at[0] is unused */
    uint32_t operations;
};

Interp *interp_open(Mem *mem, FormTable *forms)
{
    Interp *interp = mem_alloc(mem, sizeof *interp);
    interp->mem = mem;
    interp->forms = forms;
    arena_init(&interp->arena, mem);
    vec_push(mem, &interp->codes, (CodeEntry){0});
    return interp;
}

void interp_close(Interp *interp)
{
    if (!interp)
        return;
    arena_free(&interp->arena);
    map_free(interp->mem, &interp->by_hash);
    vec_free(interp->mem, &interp->codes);
    mem_free(interp->mem, interp);
}

static uint32_t *keep_words(Interp *interp, const uint32_t *from, uint32_t n)
{
    uint32_t *copy = arena_alloc(&interp->arena, ((size_t)n + 1) * sizeof *copy);
    if (n)
        memcpy(copy, from, n * sizeof *copy);
    return copy;
}

static bool same_words(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

CodeId interp_code(Interp *interp, uint32_t n, const uint32_t *targets, const X *values)
{
    uint64_t hash = hash_bytes(targets, n * sizeof *targets, n);
    hash = hash_bytes(values, n * sizeof *values, hash);
    CodeId first = map_get(&interp->by_hash, hash);
    for (CodeId id = first; id; id = interp->codes.at[id].same_hash) {
        const CodeEntry *entry = &interp->codes.at[id];
        if (entry->n == n && same_words(entry->targets, targets, n) &&
            same_words(entry->values, values, n))
            return id;
    }
    CodeEntry entry = {.n = n, .same_hash = first};
    entry.code = interp_compile(interp->mem, &interp->arena, interp->forms, n, targets, values);
    entry.targets = keep_words(interp, targets, n);
    entry.values = keep_words(interp, values, n);
    CodeId id = interp->codes.n;
    vec_push(interp->mem, &interp->codes, entry);
    map_put(interp->mem, &interp->by_hash, hash, id);
    interp->operations += entry.code->instrs;
    return id;
}

const Code *interp_get(const Interp *interp, CodeId id)
{
    return interp->codes.at[id].code;
}

InterpTotals interp_totals(const Interp *interp)
{
    size_t bytes = sizeof *interp + interp->arena.used;
    bytes += interp->codes.cap * sizeof *interp->codes.at;
    if (interp->by_hash.slot)
        bytes += ((size_t)interp->by_hash.mask + 1) * sizeof *interp->by_hash.slot;
    return (InterpTotals){interp->codes.n - 1, interp->operations, bytes};
}

/* ---- values ---- */

size_t interp_scratch(const Code *code)
{
    return (size_t)code->registers + code->max_args;
}

size_t interp_tangent_scratch(const Code *code)
{
    return 2 * (size_t)code->registers + code->max_args;
}

static double call_value(const Call *call, const double *r, double *args, XForeign foreign,
                         void *context)
{
    for (uint32_t i = 0; i < call->n; i++)
        args[i] = r[call->args[i]];
    return foreign ? foreign(context, call->function, call->n, args) : (double)NAN;
}

static void load(const Code *code, const uint32_t *vars, const double *values, double *r)
{
    double *to = r + code->results;
    if (code->consts)
        memcpy(to, code->k, code->consts * sizeof *to);
    to += code->consts;
    for (uint32_t i = 0; i < code->loads; i++)
        to[i] = values[vars[code->load[i]]];
}

void interp_run(const Code *code, const uint32_t *vars, double *values, double *scratch,
                XForeign foreign, void *context)
{
    double *r = scratch;
    load(code, vars, values, r);
    const Instr *end = code->instr + code->instrs;
    for (const Instr *i = code->instr; i < end; i++) {
        switch (i->op) {
        case X_ADD:
            r[i->to] = r[i->a] + r[i->b];
            break;
        case X_SUB:
            r[i->to] = r[i->a] - r[i->b];
            break;
        case X_MUL:
            r[i->to] = r[i->a] * r[i->b];
            break;
        case X_DIV:
            r[i->to] = r[i->a] / r[i->b];
            break;
        case X_NEG:
            r[i->to] = -r[i->a];
            break;
        case X_SELECT:
            r[i->to] = r[r[i->a] != 0 ? i->b : i->c];
            break;
        case X_CALL:
            r[i->to] =
                call_value(&code->call[i->a], r, scratch + code->registers, foreign, context);
            break;
        case OP_STORE:
            values[vars[i->a]] = r[i->b];
            break;
        case OP_MOVE:
            r[i->to] = r[i->a];
            break;
        default:
            r[i->to] = x_op_is_unary(i->op) ? x_apply_unary(i->op, r[i->a])
                                            : x_apply_binary(i->op, r[i->a], r[i->b]);
        }
    }
}

/* ---- tangents ---- */

/* After call_value: the arguments lie in `args`. */
static double call_tangent(const Call *call, const double *dr, const double *args, XForeign foreign,
                           void *context)
{
    double total = 0;
    for (uint32_t i = 0; i < call->n; i++) {
        double d = dr[call->args[i]];
        if (d != 0 && foreign)
            total += foreign(context, call->partials[i], call->n, args) * d;
    }
    return total;
}

/* One instruction other than stores; value and tangent are computed before either is written, since
 * the result may take the register of an operand. */
static void tangent_step(const Code *code, const Instr *i, double *r, double *dr, double *args,
                         XForeign foreign, void *context)
{
    double v, d;
    if (i->op == X_CALL) {
        v = call_value(&code->call[i->a], r, args, foreign, context);
        d = call_tangent(&code->call[i->a], dr, args, foreign, context);
    } else if (i->op == OP_MOVE) {
        v = r[i->a];
        d = dr[i->a];
    } else if (i->op == X_SELECT) {
        uint32_t chosen = r[i->a] != 0 ? i->b : i->c;
        v = r[chosen];
        d = dr[chosen];
    } else if (x_op_is_unary(i->op)) {
        v = x_apply_unary(i->op, r[i->a]);
        d = x_slope_unary(i->op, r[i->a], v, dr[i->a]);
    } else {
        v = x_apply_binary(i->op, r[i->a], r[i->b]);
        d = x_slope_binary(i->op, r[i->a], r[i->b], v, dr[i->a], dr[i->b]);
    }
    r[i->to] = v;
    dr[i->to] = d;
}

static void load_tangents(const Code *code, const uint32_t *vars, const double *tangents,
                          double *dr)
{
    double *to = dr + code->results;
    for (uint32_t i = 0; i < code->consts; i++)
        to[i] = 0;
    to += code->consts;
    for (uint32_t i = 0; i < code->loads; i++)
        to[i] = tangents[vars[code->load[i]]];
}

void interp_tangent(const Code *code, const uint32_t *vars, double *values, double *tangents,
                    double *scratch, const double **result_tangents, XForeign foreign,
                    void *context)
{
    double *r = scratch, *dr = r + code->registers, *args = dr + code->registers;
    load(code, vars, values, r);
    load_tangents(code, vars, tangents, dr);
    const Instr *end = code->instr + code->instrs;
    for (const Instr *i = code->instr; i < end; i++) {
        if (i->op == OP_STORE) {
            values[vars[i->a]] = r[i->b];
            tangents[vars[i->a]] = dr[i->b];
        } else {
            tangent_step(code, i, r, dr, args, foreign, context);
        }
    }
    if (result_tangents)
        *result_tangents = dr;
}
