/* loops.c: loops, relations between arrays, sums -> S_FOR.
 *
 * A relation between arrays is a loop for each of their dimensions around the relation between elements. A sum is
 * added up in an array that nobody declared: a[1] = 0, a[k + 1] = a[k] + e, and its value is the last element. So
 * neither needs anything that loops and elements do not have, and one relation is like the next: they share one
 * form. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <float.h>
#include <math.h>

enum { MAX_RANK = 16 };

Stmt *loop_stmt(Context *cx, StmtKind kind, Place at)
{
    Stmt *s = arena_alloc(&cx->program->arena, sizeof *s);
    *s = (Stmt){.kind = kind,
                .number = ++cx->program->n_stmts,
                .at = at,
                .operator_at = at,
                .body = cx->body};
    return s;
}

Stmt *loop_open(Context *cx, const AName *name, Place at, Context *inside, Member **iterator)
{
    Stmt *s = loop_stmt(cx, S_FOR, at);
    *inside = *cx;
    inside->body = s->then_body = body_branch(cx, s, NULL);
    *iterator = body_add_iterator(inside, name ? name->sym : 0, name ? name->at : at);
    return s;
}

void loop_close(Context *cx, Stmt *s, Context *inside)
{
    births_order(inside);
    body_add_stmt(cx->body, s);
    resolve_admit(cx->def, 3);
}

static RExpr *whole(Context *cx, double k, Place at)
{
    return expr_constant(cx, TYPE_INTEGER, k, at);
}

static RExpr *integers(Context *cx, XOp op, RExpr *a, RExpr *b)
{
    return expr_apply(cx, op, TYPE_INTEGER, a->at, a, b);
}

/* ---- how large is an expression? ---- */

typedef struct Sizes {
    uint32_t n;
    RExpr *at[64];
} Sizes;

static void sizes_of(Context *cx, const AExpr *a, uint32_t dim, Sizes *out);

static void add_size(Sizes *out, RExpr *e)
{
    if (out->n < sizeof out->at / sizeof *out->at)
        out->at[out->n++] = e;
}

/* Size number `dim` of those that a path leaves open. */
static void sizes_of_path(Context *cx, const AExpr *a, uint32_t dim, Sizes *out)
{
    const ADesignator *d = elements_named(cx, &a->member->name);
    Element first[MAX_RANK];
    for (uint32_t i = 0; i < MAX_RANK; i++)
        first[i] = (Element){.k = 1};
    Context inside = *cx;
    inside.elements = &(Elements){MAX_RANK, first, true};
    for (uint32_t i = 0; i < d->n; i++) {
        ADesignator upto = {i + 1, d->name};
        Path *path = expr_path(&inside, &upto);
        if (!path)
            return;
        const ASub *sub = d->name[i].subs;
        for (uint32_t k = 0; k < path_last(path)->rank; k++, sub = sub ? sub->next : NULL) {
            if (sub && !sub->range)
                continue;
            if (dim-- > 0)
                continue;
            RExpr *size = expr_new(cx, R_SIZE, (Type){TYPE_INTEGER, NULL}, a->at);
            PathIndex *index = arena_alloc(&cx->program->arena, path->n * sizeof *index);
            for (uint32_t j = 0; j + 1 < path->n; j++)
                index[j] = path->index[j];
            path->index = index;
            size->path = path;
            size->op = (uint8_t)k;
            if (sub && sub->from) {
                inside.end_of = path;
                inside.end_dim = k;
                RExpr *from = array_known(&inside, sub->from, "a subscript");
                RExpr *to = array_known(&inside, sub->to, "a subscript");
                size = integers(cx, X_ADD, integers(cx, X_SUB, to, from), whole(cx, 1, a->at));
            }
            add_size(out, size);
            return;
        }
    }
}

static void sizes_of_call(Context *cx, const AExpr *a, uint32_t dim, Sizes *out)
{
    Found found = resolve_lookup(cx->level, &a->member->name.name[0]);
    bool turned =
        found.kind == FOUND_PREDEFINED && predefined_at(found.predefined)->kind == PRE_TRANSPOSE;
    for (const AArg *arg = a->member->ins.first; arg; arg = arg->next)
        if (array_rank(cx, arg->value))
            sizes_of(cx, arg->value, turned ? 1 - dim : dim, out);
}

static void sizes_of_binary(Context *cx, const AExpr *a, uint32_t dim, Sizes *out)
{
    uint32_t x = array_rank(cx, a->a), y = array_rank(cx, a->b);
    if (a->op == T_STAR && x && y) {
        if (dim + 1 < x)
            sizes_of(cx, a->a, dim, out);
        else
            sizes_of(cx, a->b, dim + 2 - x, out);
        return;
    }
    if (x)
        sizes_of(cx, a->a, dim, out);
    if (y)
        sizes_of(cx, a->b, dim, out);
}

/* All sizes that have to be equal where the elements of an expression are paired. */
static void sizes_of(Context *cx, const AExpr *a, uint32_t dim, Sizes *out)
{
    uint32_t n = 0;
    switch (a->kind) {
    case A_UNARY:
        sizes_of(cx, a->a, dim, out);
        break;
    case A_BINARY:
        sizes_of_binary(cx, a, dim, out);
        break;
    case A_CHOICE:
        if (array_rank(cx, a->a))
            sizes_of(cx, a->a, dim, out);
        if (array_rank(cx, a->b))
            sizes_of(cx, a->b, dim, out);
        break;
    case A_ARRAY:
        for (const AArg *arg = a->list->first; arg; arg = arg->next)
            n++;
        if (a->list->loop)
            add_size(out, rule_size(cx, a, dim));
        else if (dim == 0)
            add_size(out, whole(cx, n, a->at));
        else if (a->list->first)
            sizes_of(cx, a->list->first->value, dim - 1, out);
        break;
    case A_MEMBER:
        if (expr_is_member(cx, &a->member->name))
            sizes_of_path(cx, a, dim, out);
        else
            sizes_of_call(cx, a, dim, out);
        break;
    default:
        break;
    }
}

RExpr *loop_size(Context *cx, const AExpr *a, uint32_t dim)
{
    Sizes sizes = {0};
    sizes_of(cx, a, dim, &sizes);
    return sizes.n ? sizes.at[0] : whole(cx, 0, a->at);
}

/* The bounds of a loop over the elements of expressions, of which some may be no arrays. */
static void bound_by_sizes(Context *cx, Stmt *s, uint32_t n, const AExpr *const *e, uint32_t dim)
{
    Sizes sizes = {0};
    for (uint32_t i = 0; i < n; i++)
        if (array_rank(cx, e[i]))
            sizes_of(cx, e[i], dim, &sizes);
    s->a = whole(cx, 1, s->at);
    s->b = sizes.n ? sizes.at[0] : whole(cx, 0, s->at);
    if (sizes.n < 2)
        return;
    s->n_checks = sizes.n - 1;
    s->checks = arena_alloc(&cx->program->arena, s->n_checks * sizeof *s->checks);
    for (uint32_t i = 1; i < sizes.n; i++)
        s->checks[i - 1] = sizes.at[i];
}

/* ---- relations between arrays ---- */

typedef void Relation(Context *cx, const AStmt *a);

static void relate(Context *cx, const AStmt *a, uint32_t rank, uint32_t dim, Element *element,
                   Relation *relation);

static bool is_list(const AExpr *e)
{
    return e->kind == A_ARRAY && !e->list->loop;
}

static uint32_t listed(const AExpr *e)
{
    uint32_t n = 0;
    for (const AArg *arg = is_list(e) ? e->list->first : NULL; arg; arg = arg->next)
        n++;
    return n;
}

/* The part of an expression that is left behind the first element of a constructor. */
static const AExpr *inside_list(const AExpr *e, const Element *element, uint32_t dim)
{
    for (uint32_t i = 0; i < dim && is_list(e) && !element[i].iterator; i++) {
        const AArg *arg = e->list->first;
        for (uint32_t k = 1; k < element[i].k && arg; k++)
            arg = arg->next;
        if (!arg)
            break;
        e = arg->value;
    }
    return e;
}

static bool same_constants(const Stmt *s)
{
    double size, other;
    bool same = const_value(s->b, &size);
    for (uint32_t i = 0; i < s->n_checks && same; i++)
        same = const_value(s->checks[i], &other) && other == size;
    return same;
}

/* As many elements as are listed must be on the other side: a loop without rounds compares them. */
static void check_listed(Context *cx, const AStmt *a, uint32_t dim, uint32_t n)
{
    Context inside;
    Member *iterator;
    const AExpr *sides[] = {a->lhs, a->rhs};
    Stmt *s = loop_open(cx, NULL, a->at, &inside, &iterator);
    s->end = a->end;
    s->part_of = cx->stmt;
    bound_by_sizes(cx, s, 2, sides, dim);
    s->a = whole(cx, n + 1.0, a->at);
    if (!same_constants(s))
        loop_close(cx, s, &inside);
}

/* Where elements are listed, each has a relation of its own; else there is a loop. */
static void relate_dim(Context *cx, const AStmt *a, uint32_t rank, uint32_t dim, Element *element,
                       Relation *relation)
{
    uint32_t left = listed(inside_list(a->lhs, element, dim));
    uint32_t right = listed(inside_list(a->rhs, element, dim));
    bool first = true; /* one of them tells it for all */
    for (uint32_t i = 0; i < dim; i++)
        first = first && (element[i].iterator || element[i].k == 1);
    if (first && (left || right))
        check_listed(cx, a, dim, left > right ? left : right);
    for (uint32_t k = 1; k <= left || k <= right; k++) {
        element[dim] = (Element){.k = k};
        relate(cx, a, rank, dim + 1, element, relation);
    }
    if (left || right)
        return;
    Context inside;
    Stmt *s = loop_open(cx, NULL, a->at, &inside, &element[dim].iterator);
    const AExpr *sides[] = {a->lhs, a->rhs};
    s->end = a->end;
    s->part_of = cx->stmt;
    bound_by_sizes(cx, s, 2, sides, dim);
    inside.stmt = NULL;
    relate(&inside, a, rank, dim + 1, element, relation);
    loop_close(cx, s, &inside);
}

static void relate(Context *cx, const AStmt *a, uint32_t rank, uint32_t dim, Element *element,
                   Relation *relation)
{
    if (dim < rank) {
        relate_dim(cx, a, rank, dim, element, relation);
        return;
    }
    Context inside = *cx;
    inside.elements = &(Elements){rank, element, false};
    relation(&inside, a);
}

/* One value stands for all elements: on the right, or a number as in `0 = T - S`. */
static bool is_number(const AExpr *a)
{
    return a->kind == A_INTEGER || a->kind == A_REAL;
}

bool loop_relation(Context *cx, const AStmt *a, Relation *relation)
{
    uint32_t x = array_rank(cx, a->lhs), y = array_rank(cx, a->rhs);
    Element element[MAX_RANK] = {{0}};
    if (!x && !y)
        return false;
    if ((x && y && x != y) || x > MAX_RANK || y > MAX_RANK || (!x && !is_number(a->lhs))) {
        if (x)
            resolve_error(cx->level, a->operator_at, "%u dimension%s on the left, %u on the right",
                          x, x == 1 ? "" : "s", y);
        else
            resolve_error(cx->level, a->operator_at,
                          "one value on the left, an array on the right");
        return true;
    }
    cx->stmt = NULL;
    relate(cx, a, x > y ? x : y, 0, element, relation);
    return true;
}

/* ---- sums and their like ---- */

typedef struct Reduction Reduction;

struct Reduction {
    XOp op;
    Place at;
    uint32_t n; /* loops */
    /* Number k of them: its name, bounds (in the scope of cx), and what is added up, inside all of them. */
    const AFor *loop;   /* or NULL: over the elements of */
    const AExpr *a, *b; /* a, or products of both */
    uint32_t rank_a, rank_b;
    const Elements *outer; /* subscripts of the elements of a product */
};

/* Subscripts of one factor of a product: those of the product's element, and that of the sum. */
static RExpr *factor(Context *cx, const Reduction *r, bool second, Element sum)
{
    Element element[MAX_RANK];
    uint32_t rank = second ? r->rank_b : r->rank_a, n = 0;
    if (second)
        element[n++] = sum;
    for (uint32_t i = 0; i + 1 < rank; i++)
        element[n++] = r->outer->at[second ? r->rank_a - 1 + i : i];
    if (!second)
        element[n++] = sum;
    Context inside = *cx;
    inside.elements = &(Elements){n, element, false};
    return expr_resolve(&inside, second ? r->b : r->a, WANT_VALUE);
}

static RExpr *summand(Context *cx, const Reduction *r, const Element *element)
{
    Context inside = *cx;
    inside.elements = r->loop || !r->n ? NULL : &(Elements){r->n, element, false};
    if (!r->b)
        return expr_resolve(&inside, r->a, WANT_VALUE);
    RExpr *x = factor(cx, r, false, element[0]), *y = factor(cx, r, true, element[0]);
    bool whole_numbers = x->type.kind == TYPE_INTEGER && y->type.kind == TYPE_INTEGER;
    return expr_apply(cx, X_MUL, whole_numbers ? TYPE_INTEGER : TYPE_REAL, r->at, x, y);
}

/* Bounds of loop number k, as seen from cx. */
static void bounds(Context *cx, const Reduction *r, uint32_t k, Stmt *s)
{
    const AFor *loop = r->loop;
    Context inside = *cx;
    inside.elements = NULL;
    for (uint32_t i = 0; loop && i < k; i++)
        loop = loop->next;
    if (loop && !loop->to) {
        elements_bounds(&inside, loop, &s->a, &s->b);
    } else if (loop) {
        s->a = array_known(&inside, loop->from, "a bound of 'for'");
        s->b = array_known(&inside, loop->to, "a bound of 'for'");
    } else if (r->b) {
        Sizes sizes = {0};
        sizes_of(&inside, r->a, r->rank_a - 1, &sizes);
        sizes_of(&inside, r->b, 0, &sizes);
        s->a = whole(cx, 1, s->at);
        s->b = sizes.n ? sizes.at[0] : whole(cx, 0, s->at);
        s->n_checks = sizes.n ? sizes.n - 1 : 0;
        s->checks = arena_alloc(&cx->program->arena, sizes.n * sizeof *s->checks);
        for (uint32_t i = 1; i < sizes.n; i++)
            s->checks[i - 1] = sizes.at[i];
    } else {
        bound_by_sizes(&inside, s, 1, &r->a, k);
    }
}

/* How often loop number k goes round. */
static RExpr *rounds(Context *cx, const Reduction *r, uint32_t k)
{
    Stmt s = {.at = r->at};
    bounds(cx, r, k, &s);
    RExpr *n = integers(cx, X_ADD, integers(cx, X_SUB, s.b, s.a), whole(cx, 1, r->at));
    return integers(cx, X_MAX, n, whole(cx, 0, r->at));
}

static RExpr *all_rounds(Context *cx, const Reduction *r)
{
    RExpr *n = whole(cx, 1, r->at);
    for (uint32_t k = 0; k < r->n; k++)
        n = integers(cx, X_MUL, n, rounds(cx, r, k));
    return n;
}

/* The number of the round, from 1, counted through all loops. */
static RExpr *round_number(Context *cx, const Reduction *r, const Element *element)
{
    RExpr *number = whole(cx, 0, r->at);
    for (uint32_t k = 0; k < r->n; k++) {
        Stmt s = {.at = r->at};
        bounds(cx, r, k, &s);
        RExpr *here = integers(cx, X_SUB, array_value(cx, element[k], r->at), s.a);
        number = integers(cx, X_ADD, integers(cx, X_MUL, number, rounds(cx, r, k)), here);
    }
    return integers(cx, X_ADD, number, whole(cx, 1, r->at));
}

/* Element `index` of the array in which the sum is added up. */
static Path *partial_path(Context *cx, Member *sums, RExpr *index, Place at)
{
    Arena *arena = &cx->program->arena;
    Path *path = arena_alloc(arena, sizeof *path);
    *path = (Path){.n = 1, .at = at};
    path->step = arena_alloc(arena, sizeof *path->step);
    path->step[0] = sums;
    path->index = arena_alloc(arena, sizeof *path->index);
    path->index->n = 1;
    path->index->at = arena_alloc(arena, sizeof *path->index->at);
    path->index->at[0] = index;
    for (const Body *b = cx->body; b && b != sums->body; b = b->parent)
        path->up++;
    return path;
}

static RExpr *partial(Context *cx, Member *sums, RExpr *index)
{
    RExpr *e = expr_new(cx, R_PATH, sums->type, index->at);
    e->path = partial_path(cx, sums, index, index->at);
    e->continuous = sums->type.kind == TYPE_REAL;
    return e;
}

/* sums[index] = value */
static void determine(Context *cx, Member *sums, RExpr *index, RExpr *value, const Stmt *part_of)
{
    Stmt *s = loop_stmt(cx, sums->held ? S_COPY_VALUE : S_EQUATION, value->at);
    s->part_of = part_of;
    s->b = value;
    if (sums->held)
        s->path = partial_path(cx, sums, index, value->at);
    else
        s->a = partial(cx, sums, index);
    body_add_stmt(cx->body, s);
}

static void add_up(Context *cx, const Reduction *r, uint32_t k, Element *element, Member *sums)
{
    if (k == r->n) {
        RExpr *value = summand(cx, r, element);
        if (value->type.kind != TYPE_REAL && value->type.kind != TYPE_INTEGER) {
            if (value->type.kind != TYPE_ERROR)
                resolve_error(cx->level, value->at, "numbers are needed here, not %s",
                              types_name(cx->program, value->type));
            value = expr_error(cx, r->at);
        }
        if (value->type.kind == TYPE_INTEGER) {
            sums->type = value->type;
            sums->held = true;
        }
        RExpr *number = round_number(cx, r, element);
        RExpr *next = integers(cx, X_ADD, number, whole(cx, 1, r->at));
        RExpr *before = partial(cx, sums, number);
        RExpr *sum = expr_apply(cx, r->op, sums->type.kind, r->at, before, value);
        determine(cx, sums, next, sum, NULL);
        return;
    }
    Context inside;
    const AFor *loop = r->loop;
    for (uint32_t i = 0; loop && i < k; i++)
        loop = loop->next;
    Stmt *s = loop_open(cx, loop ? &loop->name : NULL, r->at, &inside, &element[k].iterator);
    if (loop && !loop->to)
        body_member_text(element[k].iterator)->over = &loop->from->member->name;
    bounds(cx, r, k, s);
    s->part_of = k == 0 ? cx->stmt : NULL;
    s->member = k == 0 ? sums : NULL;
    inside.stmt = NULL;
    add_up(&inside, r, k + 1, element, sums);
    loop_close(cx, s, &inside);
}

/* The value of a reduction without elements; of Integers the largest and smallest ones that are exact. */
double loop_of_nothing(XOp op, TypeKind type)
{
    double most = type == TYPE_INTEGER ? 0x1p53 : DBL_MAX;
    return op == X_MUL ? 1 : op == X_MIN ? most : op == X_MAX ? -most : 0;
}

/* Where the sizes differ it is infinite: that is told at birth. */
static RExpr *rounds_at_birth(Context *cx, const Reduction *r, uint32_t k)
{
    Stmt s = {.at = r->at};
    RExpr *n = rounds(cx, r, k), *none = whole(cx, INFINITY, r->at);
    bounds(cx, r, k, &s);
    for (uint32_t i = 0; i < s.n_checks; i++) {
        RExpr *e = expr_new(cx, R_OP, n->type, r->at);
        e->op = X_SELECT;
        e->n = 3;
        e->arg[0] = expr_apply(cx, X_EQ, TYPE_BOOLEAN, r->at, s.b, s.checks[i]);
        e->arg[1] = n;
        e->arg[2] = none;
        n = e;
    }
    return n;
}

/* The terms from iterator k on, as seen from cx. */
static RExpr *fold_terms(Context *cx, const Reduction *r, uint32_t k, const AFor *loop,
                         Element *element)
{
    if (k == r->n)
        return summand(cx, r, element);
    Context inside = *cx;
    RExpr *n = rounds_at_birth(cx, r, k);
    Rule rule;
    element[k] = (Element){.fold = ++inside.folds};
    if (loop)
        rule_open(&inside, loop, element[k], &rule);
    RExpr *value = fold_terms(&inside, r, k + 1, loop ? loop->next : NULL, element);
    if (value->type.kind != TYPE_INTEGER && value->type.kind != TYPE_REAL) {
        if (value->type.kind != TYPE_ERROR)
            resolve_error(cx->level, value->at, "numbers are needed here, not %s",
                          types_name(cx->program, value->type));
        return expr_error(cx, r->at);
    }
    RExpr *e = expr_new(cx, R_FOLD, value->type, r->at);
    e->op = r->op;
    e->n = 2;
    e->arg[0] = n;
    e->arg[1] = value;
    return e;
}

static RExpr *value_at_birth(Context *cx, const Reduction *r)
{
    Element element[MAX_RANK] = {{0}};
    RExpr *array = !r->loop && !r->b ? array_fold(cx, r->op, r->a, r->at) : NULL;
    return array ? array : fold_terms(cx, r, 0, r->loop, element);
}

static RExpr *reduce(Context *cx, const Reduction *r)
{
    Element element[MAX_RANK] = {{0}};
    if (!cx->body) {
        resolve_error(cx->level, r->at, "a sum over an array is no constant");
        return expr_error(cx, r->at);
    }
    if (cx->at_birth)
        return value_at_birth(cx, r);
    Member *sums = body_add_choice(cx, (Type){TYPE_REAL, NULL}, r->at);
    sums->rank = 1;
    sums->size = arena_alloc(&cx->program->arena, sizeof *sums->size);
    sums->size[0] = integers(cx, X_ADD, all_rounds(cx, r), whole(cx, 1, r->at));
    add_up(cx, r, 0, element, sums);
    determine(cx, sums, whole(cx, 1, r->at),
              expr_constant(cx, sums->type.kind, loop_of_nothing(r->op, sums->type.kind), r->at),
              cx->stmt);
    RExpr *last = integers(cx, X_ADD, all_rounds(cx, r), whole(cx, 1, r->at));
    return partial(cx, sums, last);
}

static RExpr *wrong_reduction(Context *cx, const AExpr *a)
{
    const char *name = resolve_text(cx->program, &a->member->name);
    resolve_error(cx->level, a->at, "written '%s(T)' for an array T, or '%s(e for i in 1:n)'", name,
                  name);
    return expr_error(cx, a->at);
}

RExpr *loop_reduction(Context *cx, XOp op, const AExpr *a)
{
    const AList *ins = &a->member->ins;
    Reduction r = {.op = op, .at = a->at, .loop = ins->loop, .a = ins->first->value};
    for (const AFor *loop = ins->loop; loop; loop = loop->next, r.n++) {
        if (elements_is_list(cx, loop))
            return loop == ins->loop && !ins->first->next
                       ? elements_reduce(cx, op, loop, r.a, a->at)
                       : wrong_reduction(cx, a);
        if (!loop->to && !elements_can_go_over(cx, loop))
            return expr_error(cx, a->at);
    }
    if (!ins->loop)
        r.n = array_rank(cx, r.a);
    if (ins->first->next || ins->first->name.n || !r.n || r.n > MAX_RANK)
        return wrong_reduction(cx, a);
    return reduce(cx, &r);
}

RExpr *loop_product(Context *cx, const AExpr *a)
{
    Reduction r = {.op = X_ADD, .at = a->at, .n = 1, .a = a->a, .b = a->b};
    r.rank_a = array_rank(cx, a->a);
    r.rank_b = array_rank(cx, a->b);
    r.outer = cx->elements;
    uint32_t rank = r.rank_a + r.rank_b - 2;
    if (r.rank_a > 2 || r.rank_b > 2) {
        resolve_error(cx->level, a->at, "'*' multiplies arrays with one or two sizes");
        return expr_error(cx, a->at);
    }
    if (rank && (!cx->elements || cx->elements->n != rank)) {
        resolve_error(cx->level, a->at, "this is an array: a single value is needed here");
        return expr_error(cx, a->at);
    }
    return reduce(cx, &r);
}
