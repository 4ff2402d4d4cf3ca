/* relation, values of all derivatives -> its residual differentiated 0..c times, and their
 * Jacobian.
 *
 * Taylor arithmetic (Griewank and Walther, Evaluating Derivatives, 2008, chapter 13): a variable
 * stands for its Taylor polynomial in time, x[l] / l! at power l, and each operation acts on
 * polynomials. Power k of the result times k! is the k-th derivative of the residual, and no
 * formula is ever differentiated: the symbolic derivatives of expr.h are so checked against
 * something else. Beside each polynomial runs its derivative g by one position; then d f^(k) / d
 * x^(l) = k! / l! * g[k - l].
 */
#include "tests/support/oracle_int.h"

#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct TapeNode {
    uint8_t op;
    uint32_t a, b, c; /* nodes of the tape; X_POS: a is the position */
    double k;
} TapeNode;

struct OracleTape {
    uint32_t n; /* nodes; the last one is lhs - rhs */
    TapeNode *node;
};

/* ---- expressions as tapes ---- */

typedef VEC(X) Xs;

static bool has_operands(uint8_t op)
{
    return op != X_CONST && op != X_POS;
}

/* All nodes below lhs and rhs, ascending, which is an order of evaluation (X1). */
static int compare_x(const void *a, const void *b)
{
    X x = *(const X *)a, y = *(const X *)b;
    return x < y ? -1 : x > y;
}

static Xs collect(Mem *mem, const FormTable *forms, X lhs, X rhs, Map *seen)
{
    Xs all = {0};
    uint32_t done = 0;
    X next[3] = {lhs, rhs, 0};

    for (;;) {
        for (uint32_t i = 0; i < 3; i++) {
            if (next[i] == 0 || map_get(seen, next[i]))
                continue;
            map_put(mem, seen, next[i], 1);
            vec_push(mem, &all, next[i]);
        }
        if (done == all.n)
            break;
        XNode node = x_node(forms, all.at[done++]);
        next[0] = has_operands(node.op) && node.op != X_CALL ? node.a : 0;
        next[1] = has_operands(node.op) ? node.b : 0;
        next[2] = has_operands(node.op) ? node.c : 0;
    }
    qsort(all.at, all.n, sizeof *all.at, compare_x);
    return all;
}

static OracleTape *make_tape(Oracle *o, Form form)
{
    const FormInfo *info = form_info(o->sys->forms, form);
    Map at = {0};
    Xs all = collect(o->mem, o->sys->forms, info->lhs, info->rhs, &at);
    OracleTape *tape = arena_alloc(&o->arena, sizeof *tape);

    tape->node = arena_alloc(&o->arena, (all.n + 1) * sizeof *tape->node);
    for (uint32_t i = 0; i < all.n; i++)
        map_put(o->mem, &at, all.at[i], i + 1);
    for (uint32_t i = 0; i < all.n; i++) {
        XNode node = x_node(o->sys->forms, all.at[i]);
        TapeNode *t = &tape->node[tape->n++];
        *t = (TapeNode){node.op, node.a, 0, 0, node.k};
        if (!has_operands(node.op))
            continue;
        t->a = node.a && node.op != X_CALL ? map_get(&at, node.a) - 1 : 0;
        t->b = node.b ? map_get(&at, node.b) - 1 : 0;
        t->c = node.c ? map_get(&at, node.c) - 1 : 0;
    }
    tape->node[tape->n++] =
        (TapeNode){X_SUB, map_get(&at, info->lhs) - 1, map_get(&at, info->rhs) - 1, 0, 0};
    map_free(o->mem, &at);
    vec_free(o->mem, &all);
    return tape;
}

void oracle_tapes(Oracle *o)
{
    o->tape = arena_alloc(&o->arena, (o->m + 1) * sizeof *o->tape);
    for (uint32_t r = 0; r < o->m; r++) {
        const OracleRel *rel = &o->sys->rel[o->row[r].rel];
        o->tape[r] = rel->kind == DDP_DERIVATIVE ? NULL : make_tape(o, rel->form);
    }
}

/* ---- arithmetic of polynomials of n coefficients ---- */

static void jet_mul(uint32_t n, double *w, const double *u, const double *v)
{
    for (uint32_t k = n; k-- > 0;) {
        double sum = 0;
        for (uint32_t i = 0; i <= k; i++)
            sum += u[i] * v[k - i];
        w[k] = sum;
    }
}

static void jet_div(uint32_t n, double *w, const double *u, const double *v)
{
    for (uint32_t k = 0; k < n; k++) {
        double sum = u[k];
        for (uint32_t i = 0; i < k; i++)
            sum -= w[i] * v[k - i];
        w[k] = sum / v[0];
    }
}

/* w' = slope * u', w[0] set by the caller; slope may grow with w (slope[k] used only for w[k + 1]).
 */
static void jet_integrate_at(uint32_t k, double *w, const double *slope, const double *u)
{
    double sum = 0;

    for (uint32_t i = 1; i <= k; i++)
        sum += i * u[i] * slope[k - i];
    w[k] = sum / k;
}

static void jet_integrate(uint32_t n, double *w, const double *slope, const double *u)
{
    for (uint32_t k = 1; k < n; k++)
        jet_integrate_at(k, w, slope, u);
}

/* s = sin u, c = cos u (or sinh, cosh with sign +1). */
static void jet_sin_cos(uint32_t n, double *s, double *c, const double *u, double sign)
{
    s[0] = sign < 0 ? sin(u[0]) : sinh(u[0]);
    c[0] = sign < 0 ? cos(u[0]) : cosh(u[0]);
    for (uint32_t k = 1; k < n; k++) {
        jet_integrate_at(k, s, c, u);
        jet_integrate_at(k, c, s, u);
        c[k] *= sign;
    }
}

static void jet_exp(uint32_t n, double *w, const double *u)
{
    w[0] = exp(u[0]);
    for (uint32_t k = 1; k < n; k++)
        jet_integrate_at(k, w, w, u);
}

static void jet_sqrt(uint32_t n, double *w, const double *u)
{
    w[0] = sqrt(u[0]);
    for (uint32_t k = 1; k < n; k++) {
        double sum = u[k];
        for (uint32_t i = 1; i < k; i++)
            sum -= w[i] * w[k - i];
        w[k] = sum / (2 * w[0]);
    }
}

static void jet_constant(uint32_t n, double *w, double k)
{
    for (uint32_t i = 0; i < n; i++)
        w[i] = 0;
    w[0] = k;
}

/* ---- operations: value polynomial w and slope polynomial(s) by the operands ---- */

enum { JET_MOST = 24 }; /* powers; no system that a person writes comes near */

static double step_value(uint8_t op, double a)
{
    switch (op) {
    case X_SIGN:
        return (a > 0) - (a < 0);
    case X_FLOOR:
        return floor(a);
    case X_CEIL:
        return ceil(a);
    case X_ROUND:
        return round(a);
    default:
        return a == 0; /* X_NOT */
    }
}

/* w = f(u), slope = f'(u) */
static void unary(uint8_t op, uint32_t n, double *w, double *slope, const double *u)
{
    double t[JET_MOST], one[JET_MOST];

    jet_constant(n, t, 0);
    jet_constant(n, one, 1);
    jet_constant(n, slope, 0);
    switch (op) {
    case X_NEG:
    case X_ABS:
        slope[0] = op == X_NEG ? -1 : step_value(X_SIGN, u[0]);
        jet_mul(n, w, slope, u);
        return;
    case X_SIN:
        jet_sin_cos(n, w, slope, u, -1);
        return;
    case X_COS:
        jet_sin_cos(n, slope, w, u, -1);
        for (uint32_t k = 0; k < n; k++)
            slope[k] = -slope[k];
        return;
    case X_SINH:
        jet_sin_cos(n, w, slope, u, 1);
        return;
    case X_COSH:
        jet_sin_cos(n, slope, w, u, 1);
        return;
    case X_TAN:
    case X_TANH:
        jet_sin_cos(n, t, slope, u, op == X_TAN ? -1 : 1);
        jet_div(n, w, t, slope);
        jet_mul(n, slope, w, w);
        for (uint32_t k = 0; k < n; k++)
            slope[k] = one[k] + (op == X_TAN ? slope[k] : -slope[k]);
        return;
    case X_EXP:
        jet_exp(n, w, u);
        memcpy(slope, w, n * sizeof *w);
        return;
    case X_SQRT:
        jet_sqrt(n, w, u);
        jet_constant(n, t, 0.5);
        jet_div(n, slope, t, w);
        return;
    case X_LOG:
    case X_LOG10:
        jet_constant(n, t, op == X_LOG ? 1 : 1 / log(10));
        jet_div(n, slope, t, u);
        w[0] = op == X_LOG ? log(u[0]) : log10(u[0]);
        jet_integrate(n, w, slope, u);
        return;
    case X_ATAN:
    case X_ASIN:
    case X_ACOS:
        jet_mul(n, t, u, u);
        for (uint32_t k = 0; k < n; k++)
            t[k] = one[k] + (op == X_ATAN ? t[k] : -t[k]);
        if (op == X_ATAN) {
            jet_div(n, slope, one, t);
        } else {
            double root[JET_MOST] = {0};
            jet_sqrt(n, root, t);
            jet_div(n, slope, one, root);
            for (uint32_t k = 0; k < n && op == X_ACOS; k++)
                slope[k] = -slope[k];
        }
        w[0] = op == X_ATAN ? atan(u[0]) : op == X_ASIN ? asin(u[0]) : acos(u[0]);
        jet_integrate(n, w, slope, u);
        return;
    default:
        jet_constant(n, w, step_value(op, u[0]));
        return;
    }
}

/* u to a whole power m >= 0 and its slope m * u^(m-1): no division, so u may be zero. */
static void whole_power(uint32_t n, double *w, double *slope, const double *u, uint32_t m)
{
    jet_constant(n, w, 1);
    jet_constant(n, slope, 0);
    for (uint32_t i = 0; i < m; i++) {
        memcpy(slope, w, n * sizeof *w);
        jet_mul(n, w, w, u);
    }
    for (uint32_t k = 0; k < n; k++)
        slope[k] *= m;
}

static bool is_constant(uint32_t n, const double *u)
{
    for (uint32_t k = 1; k < n; k++)
        if (u[k] != 0)
            return false;
    return true;
}

static void power(uint32_t n, double *w, double *by_u, double *by_v, const double *u,
                  const double *v)
{
    double log_u[JET_MOST] = {0}, t[JET_MOST] = {0}, ignored[JET_MOST];

    if (is_constant(n, v) && v[0] >= 0 && v[0] <= 64 && v[0] == floor(v[0])) {
        whole_power(n, w, by_u, u, (uint32_t)v[0]);
        jet_constant(n, by_v, 0);
        if (u[0] > 0) {
            unary(X_LOG, n, log_u, ignored, u);
            jet_mul(n, by_v, w, log_u);
        }
        return;
    }
    unary(X_LOG, n, log_u, ignored, u);
    jet_mul(n, t, v, log_u);
    jet_exp(n, w, t);
    jet_mul(n, by_v, w, log_u);
    jet_mul(n, t, w, v);
    jet_div(n, by_u, t, u);
}

static double compare(uint8_t op, double a, double b)
{
    switch (op) {
    case X_LT:
        return a < b;
    case X_LE:
        return a <= b;
    case X_EQ:
        return a == b;
    case X_NE:
        return a != b;
    case X_GE:
        return a >= b;
    case X_GT:
        return a > b;
    case X_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0; /* X_OR */
    }
}

/* w = f(u, v), slopes by u and by v */
static void binary(uint8_t op, uint32_t n, double *w, double *by_u, double *by_v, const double *u,
                   const double *v)
{
    double t[JET_MOST];

    jet_constant(n, t, 0);
    jet_constant(n, by_u, 1);
    jet_constant(n, by_v, 1);
    switch (op) {
    case X_SUB:
        by_v[0] = -1; /* fall through */
    case X_ADD:
        for (uint32_t k = 0; k < n; k++)
            w[k] = u[k] + by_v[0] * v[k];
        return;
    case X_MUL:
        jet_mul(n, w, u, v);
        memcpy(by_u, v, n * sizeof *v);
        memcpy(by_v, u, n * sizeof *u);
        return;
    case X_DIV:
        jet_div(n, w, u, v);
        jet_constant(n, t, 1);
        jet_div(n, by_u, t, v);
        jet_div(n, by_v, w, v);
        for (uint32_t k = 0; k < n; k++)
            by_v[k] = -by_v[k];
        return;
    case X_POW:
        power(n, w, by_u, by_v, u, v);
        return;
    case X_MIN:
    case X_MAX: {
        bool first = op == X_MIN ? u[0] <= v[0] : u[0] >= v[0];
        memcpy(w, first ? u : v, n * sizeof *w);
        by_u[0] = first;
        by_v[0] = !first;
        return;
    }
    case X_MOD:
        by_v[0] = -floor(u[0] / v[0]);
        for (uint32_t k = 0; k < n; k++)
            w[k] = u[k] + by_v[0] * v[k];
        return;
    case X_ATAN2: { /* angle of (v, u): slopes v / r2 and -u / r2 */
        double r2[JET_MOST] = {0};
        jet_mul(n, t, u, u);
        jet_mul(n, r2, v, v);
        for (uint32_t k = 0; k < n; k++)
            r2[k] += t[k];
        jet_div(n, by_u, v, r2);
        jet_div(n, by_v, u, r2);
        for (uint32_t k = 0; k < n; k++)
            by_v[k] = -by_v[k];
        w[0] = 0;
        jet_integrate(n, t, by_u, u);
        jet_integrate(n, w, by_v, v);
        for (uint32_t k = 1; k < n; k++)
            w[k] += t[k];
        w[0] = atan2(u[0], v[0]);
        return;
    }
    default:
        jet_constant(n, w, compare(op, u[0], v[0]));
        by_u[0] = by_v[0] = 0;
        return;
    }
}

/* ---- a tape at a point ---- */

/* For all nodes: at: polynomials, by_a and by_b: slopes by the operands, tangent: derivatives by one
 * position. */
typedef struct TapeRun {
    uint32_t n;          /* coefficients */
    const double *point; /* [position]: n coefficients */
    double *at, *by_a, *by_b, *tangent;
} TapeRun;

static void add_product(uint32_t n, double *sum, const double *a, const double *b)
{
    double t[JET_MOST];

    jet_mul(n, t, a, b);
    for (uint32_t k = 0; k < n; k++)
        sum[k] += t[k];
}

static uint32_t selected(const TapeRun *run, const TapeNode *node)
{
    return run->at[(size_t)node->a * run->n] != 0 ? node->b : node->c;
}

static void run_node(TapeRun *run, const TapeNode *node, uint32_t i)
{
    uint32_t n = run->n;
    double *w = run->at + (size_t)i * n;
    double *by_a = run->by_a + (size_t)i * n, *by_b = run->by_b + (size_t)i * n;
    const double *u = run->at + (size_t)node->a * n, *v = run->at + (size_t)node->b * n;

    if (node->op == X_CONST)
        jet_constant(n, w, node->k);
    else if (node->op == X_POS)
        memcpy(w, run->point + (size_t)node->a * n, n * sizeof *w);
    else if (node->op < X_ADD)
        unary(node->op, n, w, by_a, u);
    else if (node->op < X_SELECT)
        binary(node->op, n, w, by_a, by_b, u, v);
    else if (node->op == X_SELECT)
        memcpy(w, run->at + (size_t)selected(run, node) * n, n * sizeof *w);
    else
        jet_constant(n, w, NAN); /* foreign functions are not the oracle's business */
}

static void run_tangent(TapeRun *run, const TapeNode *node, uint32_t i, uint32_t by)
{
    uint32_t n = run->n;
    double *dw = run->tangent + (size_t)i * n;

    jet_constant(n, dw, node->op == X_POS && node->a == by);
    if (node->op == X_SELECT)
        memcpy(dw, run->tangent + (size_t)selected(run, node) * n, n * sizeof *dw);
    else if (node->op != X_CONST && node->op != X_POS && node->op < X_SELECT)
        add_product(n, dw, run->by_a + (size_t)i * n, run->tangent + (size_t)node->a * n);
    if (node->op >= X_ADD && node->op < X_SELECT)
        add_product(n, dw, run->by_b + (size_t)i * n, run->tangent + (size_t)node->b * n);
}

static double factorial(uint32_t k)
{
    double f = 1;

    while (k > 1)
        f *= k--;
    return f;
}

/* Taylor coefficients of a variable; beyond its highest derivative they do not matter. */
static void point_of(const Oracle *o, DdpVar var, const double *value, uint32_t n, double *out)
{
    uint32_t c = o->var_col[var];

    jet_constant(n, out, value[var]);
    if (c == ORACLE_NONE) {
        if (o->sys->var[var].kind == DDP_TIME && n > 1)
            out[1] = 1;
        return;
    }
    for (uint32_t l = 0; l < n; l++)
        out[l] = l <= o->col[c].d ? o->z[o->col[c].base + l] / factorial(l) : 0;
}

/* a = der(b): the k-th derivative of a - b'. */
static void derivative_residual(const Oracle *o, const OracleRow *row, const double *value,
                                double *f, double *jac)
{
    const OracleRel *rel = &o->sys->rel[row->rel];
    uint32_t a = o->var_col[rel->vars[0]], b = o->var_col[rel->vars[1]];

    for (uint32_t k = 0; k <= row->c; k++) {
        double *line = jac ? jac + (size_t)k * o->full_n : NULL;
        f[k] = a != ORACLE_NONE ? o->z[o->col[a].base + k] : k == 0 ? value[rel->vars[0]] : 0;
        if (b != ORACLE_NONE)
            f[k] -= o->z[o->col[b].base + k + 1];
        else if (o->sys->var[rel->vars[1]].kind == DDP_TIME && k == 0)
            f[k] -= 1;
        if (line && a != ORACLE_NONE)
            line[o->col[a].base + k] += 1;
        if (line && b != ORACLE_NONE)
            line[o->col[b].base + k + 1] -= 1;
    }
}

static void add_partials(const Oracle *o, const OracleRow *row, uint32_t c, const double *g,
                         double *jac)
{
    for (uint32_t k = 0; k <= row->c; k++)
        for (uint32_t l = 0; l <= k && l <= o->col[c].d; l++)
            jac[(size_t)k * o->full_n + o->col[c].base + l] +=
                factorial(k) / factorial(l) * g[k - l];
}

void oracle_residual(Oracle *o, uint32_t r, const double *value, double *f, double *jac)
{
    const OracleRow *row = &o->row[r];
    const OracleRel *rel = &o->sys->rel[row->rel];
    const OracleTape *tape = o->tape[r];
    uint32_t n = row->c + 1;

    if (!tape) {
        derivative_residual(o, row, value, f, jac);
        return;
    }
    if (n > JET_MOST) {
        for (uint32_t k = 0; k < n; k++)
            f[k] = NAN;
        return;
    }
    size_t cells = (size_t)tape->n * n;
    double *room = mem_alloc(o->mem, (4 * cells + (size_t)(rel->n + 1) * n) * sizeof *room);
    double *point = room + 4 * cells;
    TapeRun run = {n, point, room, room + cells, room + 2 * cells, room + 3 * cells};
    for (uint32_t i = 0; i < rel->n; i++)
        point_of(o, rel->vars[i], value, n, point + (size_t)i * n);
    for (uint32_t i = 0; i < tape->n; i++)
        run_node(&run, &tape->node[i], i);
    const double *w = run.at + (size_t)(tape->n - 1) * n;
    for (uint32_t k = 0; k < n; k++)
        f[k] = w[k] * factorial(k);
    for (uint32_t i = 0; jac && i < rel->n; i++) {
        if (o->var_col[rel->vars[i]] == ORACLE_NONE)
            continue;
        for (uint32_t k = 0; k < tape->n; k++)
            run_tangent(&run, &tape->node[k], k, i);
        add_partials(o, row, o->var_col[rel->vars[i]], run.tangent + (size_t)(tape->n - 1) * n,
                     jac);
    }
    mem_free(o->mem, room);
}
