/* audit_plain.c: relations of plain forms -> those that are violated. See audit_plain.h. */
#include "runtime/sim/audit_plain.h"
#include "ddp/apply.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_OPS = 40, WIDTH = 32, MOST_TERMS = 6, INEXACT_RESTS = 63 };

typedef struct PlainOp {
    uint8_t op;
    uint8_t a, b, c; /* of an operation: places of its operands; of X_POS: the position */
    double k;
} PlainOp;

/* What is known of a sum when it is compiled: terms as they are, the last with either sign; or any factors. */
typedef enum SumKind { SUM_ALL, SUM_BUT_LAST, SUM_OTHER } SumKind;

/* A form, and its relations. */
typedef struct Plain {
    Form form;
    bool able;   /* its operations are known here */
    bool smooth; /* and have slopes */
    bool once;   /* every variable stands in it once */
    bool linear; /* left - right is offset + factor[i]*variable[i] + ..., with numbers */
    SumKind sum; /* of a linear one */
    uint8_t n_ops, n, left, right;
    uint8_t position[MOST_TERMS]; /* of a linear one: in the form, of each term */
    double offset, factor[MOST_TERMS];
    PlainOp op[MOST_OPS];
    RelList rels;
    VEC(DdpVar) vars; /* [rel][position], of a linear one [rel][term] */
    uint32_t rests;   /* points for which nobody asks whether all sums are 0: they were not */
} Plain;

struct AuditPlain {
    Sim *sim;
    VEC(Plain) forms;
    VEC(uint32_t) by_form; /* [Form]: 1 + its place above */
    uint64_t count;
};

AuditPlain *audit_plain_open(Sim *sim)
{
    AuditPlain *plain = mem_alloc(sim->mem, sizeof *plain);
    plain->sim = sim;
    return plain;
}

void audit_plain_close(AuditPlain *plain)
{
    Mem *mem = plain->sim->mem;
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        vec_free(mem, &plain->forms.at[i].rels);
        vec_free(mem, &plain->forms.at[i].vars);
    }
    vec_free(mem, &plain->forms);
    vec_free(mem, &plain->by_form);
    mem_free(mem, plain);
}

void audit_plain_clear(AuditPlain *plain)
{
    plain->count = 0;
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        vec_clear(&plain->forms.at[i].rels);
        vec_clear(&plain->forms.at[i].vars);
    }
}

uint64_t audit_plain_count(const AuditPlain *plain)
{
    return plain->count;
}

/* ---- forms ---- */

static bool is_function(XOp op)
{
    return op >= X_SIN && op <= X_ABS;
}

static bool is_pair(XOp op)
{
    return op >= X_ADD && op <= X_POW;
}

static bool is_smooth(XOp op)
{
    return op == X_CONST || op == X_POS || op == X_NEG || is_function(op) || is_pair(op);
}

static uint32_t count_operands(XOp op)
{
    return op == X_SELECT ? 3 : x_op_is_binary(op) ? 2 : x_op_is_unary(op);
}

static bool is_able(XOp op)
{
    return op == X_CONST || op == X_POS || count_operands(op) > 0;
}

static uint8_t place_of(const X *nodes, uint32_t n, X x)
{
    uint32_t i = 0;
    while (i < n && nodes[i] != x)
        i++;
    return (uint8_t)i;
}

/* Where every node but constants is used once, so is every variable. */
static bool translate(Plain *f, const FormTable *table, const FormInfo *form, const X *nodes,
                      uint32_t n)
{
    uint8_t uses[MOST_OPS] = {0};
    f->n_ops = (uint8_t)n;
    f->n = (uint8_t)form->n;
    f->smooth = true;
    f->left = place_of(nodes, n, form->lhs);
    f->right = place_of(nodes, n, form->rhs);
    uses[f->left]++;
    uses[f->right]++;
    for (uint32_t i = 0; i < n; i++) {
        XNode node = x_node(table, nodes[i]);
        PlainOp *op = &f->op[i];
        if (!is_able((XOp)node.op))
            return false;
        f->smooth &= is_smooth((XOp)node.op);
        *op = (PlainOp){.op = node.op, .k = node.k};
        if (node.op == X_POS)
            op->a = (uint8_t)node.a;
        uint32_t operands = count_operands((XOp)node.op);
        if (operands > 0)
            uses[op->a = place_of(nodes, i, node.a)]++;
        if (operands > 1)
            uses[op->b = place_of(nodes, i, node.b)]++;
        if (operands > 2)
            uses[op->c = place_of(nodes, i, node.c)]++;
    }
    f->once = true;
    for (uint32_t i = 0; i < n; i++)
        f->once &= f->op[i].op == X_CONST || uses[i] == 1;
    return true;
}

/* An operation as a number and a multiple of each variable. */
typedef struct Terms {
    bool linear, constant;
    double offset, factor[MOST_TERMS];
} Terms;

static Terms sum_of(const Terms *a, const Terms *b, double sign)
{
    Terms t = {
        a->linear && b->linear, a->constant && b->constant, a->offset + sign * b->offset, {0}};
    for (int i = 0; i < MOST_TERMS; i++)
        t.factor[i] = a->factor[i] + sign * b->factor[i];
    return t;
}

static Terms multiple_of(const Terms *a, double by)
{
    Terms t = {a->linear && isfinite(by), a->constant, a->offset * by, {0}};
    for (int i = 0; i < MOST_TERMS; i++)
        t.factor[i] = a->factor[i] * by;
    return t;
}

static Terms terms_of(const PlainOp *op, const Terms *terms)
{
    const Terms *a = &terms[op->a], *b = &terms[op->b];
    Terms t = {op->op == X_CONST || op->op == X_POS, op->op == X_CONST, op->k, {0}};
    switch (op->op) {
    case X_POS:
        t.offset = 0;
        t.factor[op->a] = 1;
        return t;
    case X_NEG:
        return multiple_of(a, -1);
    case X_ADD:
        return sum_of(a, b, 1);
    case X_SUB:
        return sum_of(a, b, -1);
    case X_MUL:
        t = a->constant ? multiple_of(b, a->offset) : multiple_of(a, b->offset);
        t.linear &= a->linear && b->linear && (a->constant || b->constant);
        return t;
    case X_DIV:
        t = multiple_of(a, 1 / b->offset);
        t.linear &= b->linear && b->constant;
        return t;
    default:
        return t;
    }
}

/* Are all terms of one size, and nothing beside them? At most one then has another sign than the others, if
 * there are three: it comes last. */
static SumKind sum_kind(Plain *f)
{
    uint32_t last = 0, minus = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        if (fabs(f->factor[i]) != fabs(f->factor[0]) || f->factor[i] == 0)
            return SUM_OTHER;
        minus += f->factor[i] < 0;
    }
    if (f->offset != 0 || f->n < 2 || f->n > 3)
        return SUM_OTHER;
    if (minus == 0 || minus == f->n)
        return SUM_ALL;
    while ((f->factor[last] < 0) != (minus == 1))
        last++;
    f->position[last] = (uint8_t)(f->n - 1);
    f->position[f->n - 1] = (uint8_t)last;
    double factor = f->factor[last];
    f->factor[last] = f->factor[f->n - 1];
    f->factor[f->n - 1] = factor;
    return SUM_BUT_LAST;
}

static void find_terms(Plain *f)
{
    Terms terms[MOST_OPS];
    if (!f->smooth || f->n > MOST_TERMS)
        return;
    for (uint32_t i = 0; i < f->n_ops; i++)
        terms[i] = terms_of(&f->op[i], terms);
    Terms whole = sum_of(&terms[f->left], &terms[f->right], -1);
    f->linear = whole.linear;
    f->offset = whole.offset;
    memcpy(f->factor, whole.factor, sizeof f->factor);
    for (uint32_t i = 0; i < f->n; i++)
        f->position[i] = (uint8_t)i;
    f->sum = sum_kind(f);
}

static void find_out(AuditPlain *plain, Plain *f, Form form)
{
    Sim *sim = plain->sim;
    const FormInfo *info = form_info(sim->forms, form);
    const X sides[2] = {info->lhs, info->rhs};
    uint32_t n;
    X *nodes = x_nodes(sim->forms, sim->mem, 2, sides, &n);
    f->form = form;
    f->able = n <= MOST_OPS && info->n < UINT8_MAX && translate(f, sim->forms, info, nodes, n);
    mem_free(sim->mem, nodes);
    if (f->able)
        find_terms(f);
}

static Plain *form_of(AuditPlain *plain, Form form)
{
    Mem *mem = plain->sim->mem;
    while (plain->by_form.n <= form)
        vec_push(mem, &plain->by_form, 0);
    if (!plain->by_form.at[form]) {
        vec_push(mem, &plain->forms, ((Plain){0}));
        plain->by_form.at[form] = plain->forms.n;
        find_out(plain, &plain->forms.at[plain->forms.n - 1], form);
    }
    return &plain->forms.at[plain->by_form.at[form] - 1];
}

bool audit_plain_add(AuditPlain *plain, DdpRel rel, const DdpRelView *view)
{
    Mem *mem = plain->sim->mem;
    Plain *f = form_of(plain, view->form);
    if (!f->able || !f->smooth || !(f->once || f->linear) || view->n != f->n)
        return false;
    vec_push(mem, &f->rels, rel);
    for (uint32_t i = 0; i < view->n; i++)
        vec_push(mem, &f->vars, view->vars[f->linear ? f->position[i] : i]);
    plain->count++;
    return true;
}

/* ---- values ---- */

/* The size of its slope at a, where it is v. */
static double function_slope(XOp op, double a, double v)
{
    switch (op) {
    case X_SIN:
        return fabs(cos(a));
    case X_COS:
        return fabs(sin(a));
    case X_TAN:
        return 1 + v * v;
    case X_ASIN:
    case X_ACOS:
        return 1 / sqrt(1 - a * a);
    case X_ATAN:
        return 1 / (1 + a * a);
    case X_SINH:
        return cosh(a);
    case X_COSH:
        return fabs(sinh(a));
    case X_TANH:
        return 1 - v * v;
    case X_EXP:
        return v;
    case X_LOG:
        return 1 / fabs(a);
    case X_LOG10:
        return 1 / fabs(a * M_LN10);
    case X_SQRT:
        return 0.5 / v;
    default:
        return 1;
    }
}

static double pair_value(XOp op, double a, double b)
{
    switch (op) {
    case X_ADD:
        return a + b;
    case X_SUB:
        return a - b;
    case X_MUL:
        return a * b;
    case X_DIV:
        return a / b;
    case X_POW:
        return pow(a, b);
    default:
        return x_apply_binary(op, a, b);
    }
}

bool audit_plain_sides(AuditPlain *plain, Form form, const double *local, double *left,
                       double *right)
{
    double value[MOST_OPS];
    const Plain *f = form_of(plain, form);
    for (uint32_t i = 0; f->able && i < f->n_ops; i++) {
        const PlainOp *op = &f->op[i];
        value[i] = op->op == X_CONST        ? op->k
                   : op->op == X_POS        ? local[op->a]
                   : op->op == X_SELECT     ? value[value[op->a] != 0 ? op->b : op->c]
                   : x_op_is_binary(op->op) ? pair_value(op->op, value[op->a], value[op->b])
                                            : x_apply_unary(op->op, value[op->a]);
    }
    if (!f->able)
        return false;
    *left = value[f->left];
    *right = value[f->right];
    return true;
}

/* Values, and by how much they move with their variables, of some relations. */
typedef struct Lanes {
    double value[MOST_OPS][WIDTH], moves[MOST_OPS][WIDTH];
} Lanes;

static void load(const Plain *f, const double *value, const double *least, uint32_t from,
                 uint32_t n, uint32_t i, Lanes *l)
{
    const DdpVar *var = f->vars.at + (size_t)from * f->n + f->op[i].a;
    for (uint32_t k = 0; k < n; k++, var += f->n) {
        double x = value[*var], size = fabs(x);
        l->value[i][k] = x;
        l->moves[i][k] = size > least[*var] ? size : least[*var];
    }
}

static void combine_sum(const PlainOp *op, uint32_t n, uint32_t i, Lanes *l)
{
    const double *a = l->value[op->a], *b = l->value[op->b];
    double sign = op->op == X_SUB ? -1 : 1;
    for (uint32_t k = 0; k < n; k++) {
        l->value[i][k] = a[k] + sign * b[k];
        l->moves[i][k] = l->moves[op->a][k] + l->moves[op->b][k];
    }
}

static void combine_product(const PlainOp *op, uint32_t n, uint32_t i, Lanes *l)
{
    const double *a = l->value[op->a], *b = l->value[op->b];
    for (uint32_t k = 0; k < n; k++) {
        l->value[i][k] = a[k] * b[k];
        l->moves[i][k] = l->moves[op->a][k] * fabs(b[k]) + l->moves[op->b][k] * fabs(a[k]);
    }
}

static void combine_other(const PlainOp *op, uint32_t n, uint32_t i, Lanes *l)
{
    for (uint32_t k = 0; k < n; k++) {
        double a = l->value[op->a][k], b = l->value[op->b][k], v, p = l->moves[op->a][k],
               q = l->moves[op->b][k];
        if (op->op == X_NEG) {
            v = -a;
        } else if (op->op == X_DIV) {
            v = a / b;
            p = (p + q * fabs(v)) / fabs(b);
        } else if (op->op == X_POW) {
            v = pow(a, b);
            p = (p > 0 ? p * fabs(b * pow(a, b - 1)) : 0) + (q > 0 ? q * fabs(v * log(a)) : 0);
        } else {
            v = x_apply_unary((XOp)op->op, a);
            p *= function_slope((XOp)op->op, a, v);
        }
        l->value[i][k] = v;
        l->moves[i][k] = p;
    }
}

static void combine(const PlainOp *op, uint32_t n, uint32_t i, Lanes *l)
{
    if (op->op == X_ADD || op->op == X_SUB)
        combine_sum(op, n, i, l);
    else if (op->op == X_MUL)
        combine_product(op, n, i, l);
    else
        combine_other(op, n, i, l);
}

static void evaluate(const Plain *f, const double *value, const double *least, uint32_t from,
                     uint32_t n, Lanes *l)
{
    for (uint32_t i = 0; i < f->n_ops; i++) {
        const PlainOp *op = &f->op[i];
        if (op->op == X_POS)
            load(f, value, least, from, n, i, l);
        else if (op->op != X_CONST)
            combine(op, n, i, l);
        for (uint32_t k = 0; op->op == X_CONST && k < n; k++) {
            l->value[i][k] = op->k;
            l->moves[i][k] = 0;
        }
    }
}

/* The same rounding is forgiven as where relations are looked at one by one. */
static bool is_candidate(double left, double right, double moves, double above)
{
    double off = fabs(left - right);
    return !(isfinite(moves) || left == right) ||
           !((off <= 8 * DBL_EPSILON * (fabs(left) + fabs(right)) && off < INFINITY) ||
             off <= above * moves || left == right);
}

/* A sum of n multiples: is it within what its largest terms round to, or allow? `least` NULL: values count as they are, which is quick and less generous. */
static bool is_sum_right(const Plain *f, uint32_t n, const DdpVar *var, const double *value,
                         const double *least, double above)
{
    double sum = f->offset, size = 0;
    for (uint32_t i = 0; i < n; i++) {
        double x = value[var[i]];
        sum += f->factor[i] * x;
        double own = fabs(x);
        size += fabs(f->factor[i]) * (least && least[var[i]] > own ? least[var[i]] : own);
    }
    return fabs(sum) <= above * size && size <= DBL_MAX;
}

typedef double Pair __attribute__((vector_size(16)));
typedef int64_t PairTruth __attribute__((vector_size(16)));

static inline Pair two(const double *value, DdpVar a, DdpVar b)
{
    return (Pair){value[a], value[b]};
}

/* Of two of them side by side, as is_sum_right() has it; n and `kind` are numbers that the compiler sees. */
static inline Pair sum_of_two(const Plain *f, uint32_t n, SumKind kind, const DdpVar *var,
                              const double *value)
{
    Pair sum = two(value, var[0], var[n]);
    if (kind == SUM_OTHER)
        sum = sum * f->factor[0] + f->offset;
    for (uint32_t i = 1; i < n; i++) {
        Pair term = two(value, var[i], var[n + i]);
        if (kind == SUM_OTHER)
            term *= f->factor[i];
        sum = kind == SUM_BUT_LAST && i + 1 == n ? sum - term : sum + term;
    }
    return sum;
}

/* Are all of them 0? What was solved for one of its variables, and is a sum, mostly is. `many` is even. */
static inline bool are_zero(const Plain *f, uint32_t n, SumKind kind, uint32_t many,
                            const DdpVar *var, const double *value)
{
    PairTruth off = {0};
    for (const DdpVar *end = var + (size_t)many * n; var < end; var += 2 * (size_t)n)
        off |= (PairTruth)sum_of_two(f, n, kind, var, value);
    return ((off[0] | off[1]) & INT64_MAX) == 0; /* 0 or -0: nothing that is no number either */
}

/* Are two variables the same in each of them, or with `sum` opposite? Most connections are met exactly. */
static inline bool are_same(bool sum, uint32_t many, const DdpVar *var, const double *value)
{
    PairTruth off = {0};
    for (const DdpVar *end = var + 2 * (size_t)(many & ~3u); var < end; var += 8) {
        Pair a = two(value, var[0], var[2]), b = two(value, var[1], var[3]);
        Pair c = two(value, var[4], var[6]), d = two(value, var[5], var[7]);
        off |= (PairTruth)(sum ? a + b : a - b) | (PairTruth)(sum ? c + d : c - d);
    }
    if (many & 2) {
        Pair a = two(value, var[0], var[2]), b = two(value, var[1], var[3]);
        off |= (PairTruth)(sum ? a + b : a - b);
    }
    return ((off[0] | off[1]) & INT64_MAX) == 0; /* 0 or -0: nothing that is no number either */
}

/* Are all of them right, two by two and without a branch that is hard to foresee? What is allowed
 * is the mean of what the values allow as they are and of what they would if all were as small as
 * they may count, so never more than is_sum_right() allows. `many` is even; n and `kind` are numbers that
 * the compiler sees. */
static inline bool are_sums_right(const Plain *f, uint32_t n, SumKind kind, uint32_t many,
                                  const DdpVar *var, const double *value, double above,
                                  double least)
{
    const PairTruth sign = {INT64_MAX, INT64_MAX};
    const double unit = kind == SUM_OTHER ? 1 : fabs(f->factor[0]);
    const Pair floor = {above * least / unit / 2, above * least / unit / 2};
    PairTruth count = {0}; /* less one for each that is right */
    for (const DdpVar *end = var + (size_t)many * n; var < end; var += 2 * (size_t)n) {
        Pair sum = two(value, var[0], var[n]), size = {0};
        if (kind == SUM_OTHER)
            sum *= f->factor[0];
        if (n > 1) /* the last is no larger than the others, or it is not right */
            size = (Pair)((PairTruth)sum & sign);
        if (kind == SUM_OTHER)
            sum += f->offset;
        for (uint32_t i = 1; i < n; i++) {
            Pair term = two(value, var[i], var[n + i]);
            if (kind == SUM_OTHER)
                term *= f->factor[i];
            if (i + 1 < n)
                size += (Pair)((PairTruth)term & sign);
            sum = kind == SUM_BUT_LAST && i + 1 == n ? sum - term : sum + term;
        }
        Pair off = (Pair)((PairTruth)sum & sign);
        count += off - above / 2 * size <= floor; /* not where something is no number */
    }
    return -(count[0] + count[1]) == many;
}

/* Are all of them met exactly? Which are is a matter of the form, so it is asked again only now and then where they
 * were not. */
static bool are_exact(Plain *f, uint32_t many, const DdpVar *var, const double *value)
{
    bool exact = false;
    if (f->rests > 0) {
        f->rests--;
        return false;
    }
    if (f->n == 2 && f->sum == SUM_ALL)
        exact = are_same(true, many, var, value);
    else if (f->n == 2 && f->sum == SUM_BUT_LAST)
        exact = are_same(false, many, var, value);
    else if (f->n == 2)
        exact = are_zero(f, 2, SUM_OTHER, many, var, value);
    else if (f->n == 3 && f->sum == SUM_ALL)
        exact = are_zero(f, 3, SUM_ALL, many, var, value);
    else if (f->n == 3 && f->sum == SUM_BUT_LAST)
        exact = are_zero(f, 3, SUM_BUT_LAST, many, var, value);
    else if (f->n == 3)
        exact = are_zero(f, 3, SUM_OTHER, many, var, value);
    f->rests = exact ? 0 : INEXACT_RESTS;
    return exact;
}

/* The same as are_sums_right(), by the quickest way for their number of terms. */
static bool are_all_right(Plain *f, uint32_t many, const DdpVar *var, const double *value,
                          double above, double least)
{
    if (are_exact(f, many, var, value))
        return true;
    if (f->n == 1)
        return are_sums_right(f, 1, SUM_OTHER, many, var, value, above, least);
    if (f->n == 2)
        return are_sums_right(f, 2, SUM_OTHER, many, var, value, above, least);
    if (f->n == 3 && f->sum == SUM_ALL)
        return are_sums_right(f, 3, SUM_ALL, many, var, value, above, least);
    if (f->n == 3 && f->sum == SUM_BUT_LAST)
        return are_sums_right(f, 3, SUM_BUT_LAST, many, var, value, above, least);
    if (f->n == 3)
        return are_sums_right(f, 3, SUM_OTHER, many, var, value, above, least);
    return are_sums_right(f, f->n, SUM_OTHER, many, var, value, above, least);
}

static void check_linear(AuditPlain *plain, Plain *f, const double *least, double above,
                         RelList *candidates)
{
    const double *value = plain->sim->value;
    const DdpVar *var = f->vars.at;
    uint32_t even = f->rels.n & ~1u, n = f->n, k = 0;
    double factors = 0;
    for (uint32_t i = 0; i < n; i++)
        factors += fabs(f->factor[i]);
    double all = world_has_nominals(plain->sim->world) ? 0 : plain->sim->opt.atol;
    above = fmax(above, 8 * DBL_EPSILON);
    if (are_all_right(f, even, var, value, above, all * factors))
        k = even;
    for (var += (size_t)k * n; k < f->rels.n; k++, var += n)
        if (!is_sum_right(f, n, var, value, NULL, above) &&
            !is_sum_right(f, n, var, value, least, above))
            vec_push(plain->sim->mem, candidates, f->rels.at[k]);
}

void audit_plain_check(AuditPlain *plain, const double *least, double above, RelList *candidates)
{
    Lanes l;
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        Plain *f = &plain->forms.at[i];
        if (f->linear) {
            check_linear(plain, f, least, above, candidates);
            continue;
        }
        for (uint32_t from = 0; from < f->rels.n; from += WIDTH) {
            uint32_t n = f->rels.n - from < WIDTH ? f->rels.n - from : WIDTH;
            evaluate(f, plain->sim->value, least, from, n, &l);
            for (uint32_t k = 0; k < n; k++)
                if (is_candidate(l.value[f->left][k], l.value[f->right][k],
                                 l.moves[f->left][k] + l.moves[f->right][k], above))
                    vec_push(plain->sim->mem, candidates, f->rels.at[from + k]);
        }
    }
}
