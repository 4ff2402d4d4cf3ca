/* audit_plain.c: relations of plain forms -> those that are violated. See audit_plain.h. */
#include "runtime/sim/audit_plain_int.h"
#include "ddp/apply.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
        vec_free(mem, &plain->forms.at[i].vars.at);
        audit_rows_free(mem, &plain->forms.at[i]);
    }
    vec_free(mem, &plain->forms);
    vec_free(mem, &plain->by_form);
    vec_free(mem, &plain->of_rel);
    mem_free(mem, plain);
}

void audit_plain_begin(AuditPlain *plain)
{
    plain->round++;
    plain->placed = false;
}

/* The last one of its form takes its place. */
static void drop(AuditPlain *plain, PlainRel *where)
{
    Plain *f = &plain->forms.at[where->form - 1];
    uint32_t n = f->n, to = where->at;
    DdpRel last = vec_pop(&f->rels);
    f->vars.at.n -= n;
    if (to < f->rels.n) {
        f->rels.at[to] = last;
        plain->of_rel.at[last].at = to;
        memcpy(f->vars.at.at + (size_t)to * n, f->vars.at.at + f->vars.at.n,
               n * sizeof *f->vars.at.at);
    }
    where->form = 0;
    plain->count--;
}

void audit_plain_end(AuditPlain *plain)
{
    for (PlainRel *where = plain->of_rel.at, *end = where + plain->of_rel.n; where < end; where++)
        if (where->form && where->round != plain->round)
            drop(plain, where);
}

bool audit_plain_has_values(const AuditPlain *plain)
{
    bool has = true;
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        const Plain *f = &plain->forms.at[i];
        for (const DdpVar *var = f->vars.at.at, *end = var + f->vars.at.n; var < end; var++) {
            const ValueInfo *info = &plain->sim->info[*var];
            has &= info->has && !info->pending;
        }
    }
    return has;
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
    f->moves = f->once && f->smooth;
    return true;
}

/* An operation as a number and a multiple of each variable. */
typedef struct Multiples {
    bool linear, constant;
    double offset, factor[MOST_TERMS];
} Multiples;

static Multiples sum_of(const Multiples *a, const Multiples *b, double sign)
{
    Multiples t = {
        a->linear && b->linear, a->constant && b->constant, a->offset + sign * b->offset, {0}};
    for (int i = 0; i < MOST_TERMS; i++)
        t.factor[i] = a->factor[i] + sign * b->factor[i];
    return t;
}

static Multiples multiple_of(const Multiples *a, double by)
{
    Multiples t = {a->linear && isfinite(by), a->constant, a->offset * by, {0}};
    for (int i = 0; i < MOST_TERMS; i++)
        t.factor[i] = a->factor[i] * by;
    return t;
}

static Multiples terms_of(const PlainOp *op, const Multiples *terms)
{
    const Multiples *a = &terms[op->a], *b = &terms[op->b];
    Multiples t = {op->op == X_CONST || op->op == X_POS, op->op == X_CONST, op->k, {0}};
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
    Multiples terms[MOST_OPS];
    if (!f->smooth || f->n > MOST_TERMS)
        return;
    for (uint32_t i = 0; i < f->n_ops; i++)
        terms[i] = terms_of(&f->op[i], terms);
    Multiples whole = sum_of(&terms[f->left], &terms[f->right], -1);
    f->linear = whole.linear;
    f->offset = whole.offset;
    memcpy(f->factor, whole.factor, sizeof f->factor);
    for (uint32_t i = 0; i < f->n; i++)
        f->position[i] = (uint8_t)i;
    f->sum = sum_kind(f);
    f->factors = 0;
    for (uint32_t i = 0; i < f->n; i++)
        f->factors += fabs(f->factor[i]);
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

static uint64_t content_of(const DdpRelView *view)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t content = (view->form + 1) * factor;
    for (uint32_t i = 0; i < view->n; i++)
        content = (content ^ content >> 29 ^ view->vars[i]) * factor;
    return content;
}

static bool add(AuditPlain *plain, DdpRel rel, const DdpRelView *view, PlainRel *where)
{
    Mem *mem = plain->sim->mem;
    Plain *f = form_of(plain, view->form);
    if (!f->able || view->n != f->n)
        return false;
    where->form = plain->by_form.at[view->form];
    where->at = f->rels.n;
    vec_push(mem, &f->rels, rel);
    for (uint32_t i = 0; i < view->n; i++)
        vec_push(mem, &f->vars.at, view->vars[f->linear ? f->position[i] : i]);
    plain->count++;
    return true;
}

bool audit_plain_is_smooth(const AuditPlain *plain, DdpRel rel)
{
    return plain->forms.at[plain->of_rel.at[rel].form - 1].smooth;
}

bool audit_plain_add(AuditPlain *plain, DdpRel rel, const DdpRelView *view)
{
    while (plain->of_rel.n <= rel)
        vec_push(plain->sim->mem, &plain->of_rel, ((PlainRel){0}));
    PlainRel *where = &plain->of_rel.at[rel];
    uint64_t content = content_of(view);
    where->round = plain->round;
    if (where->form && where->content == content)
        return true;
    if (where->form)
        drop(plain, where);
    where->content = content;
    return add(plain, rel, view, where);
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
enum { WIDTH = 32 };

typedef struct Lanes {
    double value[MOST_OPS][WIDTH], moves[MOST_OPS][WIDTH];
} Lanes;

static void load(const Plain *f, const double *value, const double *least, uint32_t from,
                 uint32_t n, uint32_t i, Lanes *l)
{
    const DdpVar *var = f->vars.at.at + (size_t)from * f->n + f->op[i].a;
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

/* Values alone. */
static void combine_values(const PlainOp *op, uint32_t n, uint32_t i, Lanes *l)
{
    const double *a = l->value[op->a], *b = l->value[op->b], *c = l->value[op->c];
    double *to = l->value[i];
    if (op->op == X_SELECT)
        for (uint32_t k = 0; k < n; k++)
            to[k] = a[k] != 0 ? b[k] : c[k];
    else if (op->op == X_MUL)
        for (uint32_t k = 0; k < n; k++)
            to[k] = a[k] * b[k];
    else if (x_op_is_binary((XOp)op->op))
        for (uint32_t k = 0; k < n; k++)
            to[k] = pair_value((XOp)op->op, a[k], b[k]);
    else
        for (uint32_t k = 0; k < n; k++)
            to[k] = x_apply_unary((XOp)op->op, a[k]);
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
        else if (op->op != X_CONST && !f->moves)
            combine_values(op, n, i, l);
        else if (op->op != X_CONST)
            combine(op, n, i, l);
        for (uint32_t k = 0; op->op == X_CONST && k < n; k++) {
            l->value[i][k] = op->k;
            l->moves[i][k] = 0;
        }
    }
}

/* The same rounding is forgiven as where relations are looked at one by one, and no more where it is not known by how much
 * the sides move. */
static bool is_candidate(double left, double right, double moves, double above)
{
    double off = fabs(left - right);
    return !(isfinite(moves) || left == right) ||
           !((off <= 8 * DBL_EPSILON * (fabs(left) + fabs(right)) && off < INFINITY) ||
             off <= above * moves || left == right);
}

static void check_sums(AuditPlain *plain, Plain *f, const double *view, SumBound bound,
                       RelList *candidates)
{
    Mem *mem = plain->sim->mem;
    uint32_t before = candidates->n;
    if (view) {
        audit_rows_check(mem, f, view, bound, candidates);
        audit_sums_check(mem, f, &f->places.loose, view, bound, candidates);
        audit_sums_check(mem, f, &f->places.apart, plain->sim->value, bound, candidates);
    } else {
        audit_sums_check(mem, f, &f->vars, plain->sim->value, bound, candidates);
    }
    for (uint32_t i = before; i < candidates->n; i++)
        candidates->at[i] = f->rels.at[candidates->at[i]];
}

void audit_plain_check(AuditPlain *plain, const double *view, const double *least, double above,
                       RelList *candidates)
{
    Lanes l;
    double all = world_has_nominals(plain->sim->world) ? 0 : plain->sim->opt.atol;
    const SumBound bound = {least, all, above};
    for (uint32_t i = 0; i < plain->forms.n; i++) {
        Plain *f = &plain->forms.at[i];
        if (f->linear) {
            check_sums(plain, f, view, bound, candidates);
            continue;
        }
        for (uint32_t from = 0; from < f->rels.n; from += WIDTH) {
            uint32_t n = f->rels.n - from < WIDTH ? f->rels.n - from : WIDTH;
            evaluate(f, plain->sim->value, least, from, n, &l);
            for (uint32_t k = 0; k < n; k++) {
                double moves = f->moves ? l.moves[f->left][k] + l.moves[f->right][k] : 0;
                if (is_candidate(l.value[f->left][k], l.value[f->right][k], moves, above))
                    vec_push(plain->sim->mem, candidates, f->rels.at[from + k]);
            }
        }
    }
}
