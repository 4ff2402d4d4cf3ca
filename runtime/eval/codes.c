/* codes.c: expressions -> codes that the interpreter runs, one for all nodes that share one. */
#include "runtime/eval/hold.h"

#include <math.h>

double evaluate_foreign(void *context, uint32_t function, uint32_t n, const double *args)
{
    Sim *sim = context;
    return foreign_call(sim->foreign, function, n, args);
}

enum { MANY = 64 }; /* values: wider vectors pay */

typedef double Lanes2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Lanes4 __attribute__((vector_size(32), aligned(8), may_alias));

/* What is not finite times 0 is not 0. */
static bool none_infinite(uint32_t n, const double *values)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += 0 * values[i];
    return sum == 0;
}

/* Of all, in any order. Six sums, because each waits for its last addition. */
#define SUM_OF_LANES(LANES, n, values)                                                             \
    Lanes##LANES a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0};                             \
    uint32_t i = 0;                                                                                \
    for (; i + 6 * LANES <= n; i += 6 * LANES) {                                                   \
        const Lanes##LANES *at = (const Lanes##LANES *)(values + i);                               \
        a += at[0];                                                                                \
        b += at[1];                                                                                \
        c += at[2];                                                                                \
        d += at[3];                                                                                \
        e += at[4];                                                                                \
        f += at[5];                                                                                \
    }                                                                                              \
    a += b + c + d + e + f;                                                                        \
    double sum = 0;                                                                                \
    for (uint32_t k = 0; k < LANES; k++)                                                           \
        sum += a[k];                                                                               \
    for (; i < n; i++)                                                                             \
        sum += values[i];                                                                          \
    return sum

static double sum_by_two(uint32_t n, const double *values)
{
    SUM_OF_LANES(2, n, values);
}

#ifdef __x86_64__
__attribute__((target("avx"))) static double sum_by_four(uint32_t n, const double *values)
{
    SUM_OF_LANES(4, n, values);
}
#endif

static double sum_of(uint32_t n, const double *values)
{
#ifdef __x86_64__
    if (n >= MANY && __builtin_cpu_supports("avx"))
        return sum_by_four(n, values);
#endif
    return sum_by_two(n, values);
}

/* A sum of what is not finite is not finite; it may be infinite without that, and then each is looked at. */
bool evaluate_all_finite(uint32_t n, const double *values)
{
    return isfinite(sum_of(n, values)) || none_infinite(n, values);
}

static bool find_jump(const Sim *sim, X x)
{
    uint32_t n;
    bool found = false;
    X *list = x_nodes(sim->forms, sim->mem, 1, &x, &n);
    for (uint32_t i = 0; i < n && !found; i++)
        found = hold_is_jump((XOp)x_node(sim->forms, list[i]).op);
    mem_free(sim->mem, list);
    return found;
}

/* What is known of an expression with a target position is remembered: thousands of nodes share
 * one. Expressions and codes stay as long as the simulation. */
static CodeId code_of(Sim *sim, X value, uint32_t target, bool *jumps)
{
    uint64_t key = (uint64_t)value << 32 | target;
    uint32_t known = map_get(&sim->eval.codes, key);
    if (!known) {
        X lowered = x_lower_powers(sim->forms, value);
        known = interp_code(sim->interp, 1, &target, &lowered) << 1 | find_jump(sim, value);
        map_put(sim->mem, &sim->eval.codes, key, known);
    }
    *jumps = known & 1;
    return known >> 1;
}

static void need_scratch(Sim *sim, const Code *code)
{
    size_t need = interp_tangent_scratch(code);
    if (need < interp_scratch(code))
        need = interp_scratch(code);
    if (need <= sim->eval.n_interp)
        return;
    sim->eval.n_interp = 2 * need;
    sim->eval.interp =
        mem_resize(sim->mem, sim->eval.interp, sim->eval.n_interp * sizeof *sim->eval.interp);
}

const Code *evaluate_make_code(Sim *sim, X x)
{
    uint32_t target = INTERP_NO_TARGET;
    X lowered = x_lower_powers(sim->forms, x);
    const Code *code = interp_get(sim->interp, interp_code(sim->interp, 1, &target, &lowered));
    need_scratch(sim, code);
    return code;
}

double evaluate_code(Sim *sim, const Code *code, const uint32_t *vars)
{
    interp_run(code, vars, sim->value, sim->eval.interp, evaluate_foreign, sim);
    return sim->eval.interp[0];
}

bool evaluate_change_op(Sim *sim, EvalOp *op, X value)
{
    uint32_t target = INTERP_NO_TARGET, n = ddp_rel_size(sim->ddp, op->rel);
    for (uint32_t i = 0; op->target && i < n; i++)
        if (op->vars[i] == op->target)
            target = i;
    bool jumps;
    op->id = code_of(sim, value, target, &jumps);
    op->code = interp_get(sim->interp, op->id);
    op->value = value;
    need_scratch(sim, op->code);
    return jumps;
}
