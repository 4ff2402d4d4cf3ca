/* arrays.c: subscripts, sizes and array-valued expressions -> elements.
 *
 * No resolved expression is an array. Where one is written, it is resolved once with subscripts for its elements
 * (Context.elements): numbers of a loop around it, the number of the element that is being born, or plain numbers.
 * Whatever is no array in it stands for itself. How many sizes an expression has shows in its text; how large they
 * are is known at birth. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

/* ---- Integers that are known at birth ---- */

static bool is_fixed(const Path *path)
{
    for (uint32_t i = 0; i < path->n; i++)
        if (path->step[i]->binding != BIND_STATIC)
            return false;
    return true;
}

/* end_of: the array in whose brackets it stands; what is dynamic is followed anew when its size changes. */
static bool is_known(const RExpr *e, const Path *end_of)
{
    if (e->kind == R_PATH)
        return path_last(e->path)->parameter && is_fixed(e->path);
    if (e->kind == R_SIZE || e->kind == R_INDEX)
        return e->kind == R_INDEX || e->path == end_of || is_fixed(e->path);
    if (e->kind == R_ROUND)
        return true;
    if (e->kind != R_CONST && e->kind != R_OP && e->kind != R_FOLD)
        return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!is_known(e->arg[i], end_of))
            return false;
    return true;
}

bool array_is_known(const RExpr *e)
{
    return is_known(e, NULL);
}

RExpr *array_known(Context *cx, const AExpr *a, const char *what)
{
    Context inside = *cx;
    inside.at_birth = true;
    inside.elements = NULL;
    RExpr *e = expr_resolve(&inside, a, WANT_VALUE);
    if (e->type.kind == TYPE_INTEGER && is_known(e, cx->end_of))
        return e;
    if (e->type.kind != TYPE_INTEGER && e->type.kind != TYPE_ERROR)
        resolve_error(cx->level, a->at, "%s is %s, but Integer is needed%s", what,
                      types_name(cx->program, e->type),
                      e->type.kind == TYPE_REAL ? "; round() makes an Integer" : "");
    else if (e->type.kind == TYPE_INTEGER)
        resolve_error(cx->level, a->at,
                      "%s is made of parameters, constants and iterators: it never changes", what);
    return expr_constant(cx, TYPE_INTEGER, 1, a->at);
}

/* ---- subscripts ---- */

RExpr *array_value(Context *cx, Element element, Place at)
{
    if (element.born) {
        RExpr *e = expr_new(cx, R_INDEX, (Type){TYPE_INTEGER, NULL}, at);
        e->op = (uint8_t)element.k;
        return e;
    }
    if (element.fold) {
        RExpr *e = expr_new(cx, R_ROUND, (Type){TYPE_INTEGER, NULL}, at);
        e->op = (uint8_t)(cx->folds - element.fold);
        return e;
    }
    if (!element.iterator)
        return expr_constant(cx, TYPE_INTEGER, element.k, at);
    RExpr *e = expr_new(cx, R_PATH, element.iterator->type, at);
    Arena *arena = &cx->program->arena;
    e->path = arena_alloc(arena, sizeof *e->path);
    *e->path = (Path){.n = 1, .at = at};
    e->path->step = arena_alloc(arena, sizeof *e->path->step);
    e->path->step[0] = element.iterator;
    for (const Body *b = cx->body; b && b != element.iterator->body; b = b->parent)
        e->path->up++;
    element.iterator->named = true;
    return e;
}

/* The path up to the array whose subscripts are being read: what `end` asks. */
static Path *array_itself(Context *cx, const Path *path)
{
    Path *whole = arena_alloc(&cx->program->arena, sizeof *whole);
    *whole = *path;
    if (!path->index)
        return whole;
    whole->index = arena_alloc(&cx->program->arena, path->n * sizeof *whole->index);
    for (uint32_t i = 0; i + 1 < path->n; i++)
        whole->index[i] = path->index[i];
    return whole;
}

RExpr *array_subscript(Context *cx, const Path *path, uint32_t dim, const AExpr *a)
{
    Context inside = *cx;
    inside.subscript = true;
    inside.whole_list = false;
    inside.end_of = array_itself(cx, path);
    inside.end_dim = dim;
    return array_known(&inside, a, "a subscript");
}

static const ASub *sub_at(const AName *name, uint32_t dim)
{
    const ASub *sub = name->subs;
    while (sub && dim-- > 0)
        sub = sub->next;
    return sub;
}

/* from + element - 1 */
static RExpr *in_slice(Context *cx, RExpr *from, RExpr *element)
{
    RExpr *sum = expr_apply(cx, X_ADD, TYPE_INTEGER, from->at, from, element);
    return expr_apply(cx, X_SUB, TYPE_INTEGER, from->at, sum,
                      expr_constant(cx, TYPE_INTEGER, 1, from->at));
}

static bool not_indexed(Context *cx, const AName *name, uint32_t *used)
{
    resolve_error(cx->level, name->at,
                  cx->elements ? "'%s' has more dimensions than are wanted here"
                               : "'%s' is an array: name one of its elements, as in '%s[1]'",
                  intern_text(&cx->program->names, name->sym),
                  intern_text(&cx->program->names, name->sym));
    *used = UINT32_MAX;
    return false;
}

static bool has_subscripts(Context *cx, const Member *m, const AName *name, uint32_t *used)
{
    uint32_t n = 0;
    const char *text = intern_text(&cx->program->names, name->sym);
    for (const ASub *sub = name->subs; sub; sub = sub->next)
        n++;
    if (n <= m->rank)
        return true;
    if (m->type.kind != TYPE_ERROR && m->rank)
        resolve_error(cx->level, name->subs->at, "'%s' has %u subscript%s, not %u", text, m->rank,
                      m->rank == 1 ? "" : "s", n);
    else if (m->type.kind != TYPE_ERROR)
        resolve_error(cx->level, name->subs->at, "'%s' is no array", text);
    *used = UINT32_MAX;
    return false;
}

bool array_index(Context *cx, Path *path, uint32_t most, const AName *name, uint32_t *used)
{
    const Member *m = path_last(path);
    Arena *arena = &cx->program->arena;
    if (!has_subscripts(cx, m, name, used))
        return false;
    if (!m->rank)
        return true;
    PathIndex index = {.at = arena_alloc(arena, m->rank * sizeof *index.at)};
    while (index.n < m->rank) {
        const ASub *sub = sub_at(name, index.n);
        RExpr *e = sub && sub->from ? array_subscript(cx, path, index.n, sub->from) : NULL;
        if (!sub || sub->range) {
            if (!cx->elements || *used >= cx->elements->n)
                return not_indexed(cx, name, used);
            RExpr *element = array_value(cx, cx->elements->at[(*used)++], name->at);
            e = e ? in_slice(cx, e, element) : element;
        }
        index.at[index.n++] = e;
    }
    if (!path->index)
        path->index = arena_alloc(arena, most * sizeof *path->index);
    path->index[path->n - 1] = index;
    return true;
}

static RExpr *size_expr(Context *cx, const Path *path, uint32_t dim, Place at)
{
    RExpr *e = expr_new(cx, R_SIZE, (Type){TYPE_INTEGER, NULL}, at);
    e->path = (Path *)path;
    e->op = (uint8_t)dim;
    return e;
}

RExpr *array_end(Context *cx, Place at)
{
    if (cx->end_of)
        return size_expr(cx, cx->end_of, cx->end_dim, at);
    resolve_error(cx->level, at,
                  "'end' is the last subscript of an array, and stands in its brackets");
    return expr_error(cx, at);
}

/* ---- declarations ---- */

void array_sizes(Context *cx, Member *m)
{
    const ADecl *decl = body_member_text(m)->decl;
    m->size = arena_alloc(&cx->program->arena, m->rank * sizeof *m->size);
    uint32_t n = 0;
    for (const ASub *sub = decl->name.subs; sub; sub = sub->next)
        m->size[n++] = sub->from ? array_known(cx, sub->from, "a size")
                                 : expr_constant(cx, TYPE_INTEGER, 0, sub->at);
}

/* ---- how many sizes has an expression? ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The member that a name means inside what another one holds, or NULL: without a message. */
static Member *quiet_step(const Member *owner, Sym name)
{
    if (owner->type.kind != TYPE_MODEL)
        return NULL;
    body_interface(owner->type.def);
    return body_find(owner->type.def->body, name);
}

static uint32_t open_sizes(const Member *m, const AName *name)
{
    uint32_t open = m->rank;
    for (const ASub *sub = name->subs; sub && open; sub = sub->next)
        open -= !sub->range;
    return open;
}

static uint32_t rank_of_path(Context *cx, const ADesignator *d)
{
    uint32_t up, rank = 0;
    d = elements_named(cx, d);
    const Member *m = expr_find_member(cx, d->name[0].sym, &up);
    for (uint32_t i = 0; m && i < d->n; i++) {
        rank += open_sizes(m, &d->name[i]);
        if (i + 1 < d->n)
            m = quiet_step(m, d->name[i + 1].sym);
    }
    return rank;
}

static uint32_t rank_of_arguments(Context *cx, const AExpr *a)
{
    uint32_t rank = 0;
    for (const AArg *arg = a->member->ins.first; arg; arg = arg->next)
        rank = larger(rank, array_rank(cx, arg->value));
    return rank;
}

static uint32_t rank_of_call(Context *cx, const AExpr *a)
{
    if (a->member->name.n != 1 || !a->member->ins.first)
        return 0;
    Found found = resolve_lookup(cx->level, &a->member->name.name[0]);
    if (found.kind == FOUND_DEF && found.def->kind == DEF_FUNCTION)
        return rank_of_arguments(cx, a);
    if (found.kind != FOUND_PREDEFINED)
        return 0;
    const Predefined *pre = predefined_at(found.predefined);
    bool reduces = pre->kind == PRE_FUNCTION && pre->n_ins == 2 && !a->member->ins.first->next;
    if (pre->kind == PRE_TRANSPOSE)
        return 2;
    if ((pre->kind != PRE_FUNCTION && pre->kind != PRE_DER && pre->kind != PRE_DER_STATE &&
         pre->kind != PRE_PRE && pre->kind != PRE_NO_EVENT && pre->kind != PRE_SMOOTH &&
         pre->kind != PRE_HOMOTOPY) ||
        reduces || a->member->ins.loop)
        return 0;
    return rank_of_arguments(cx, a);
}

static uint32_t rank_of_binary(Context *cx, const AExpr *a)
{
    uint32_t x = array_rank(cx, a->a), y = array_rank(cx, a->b);
    if (a->op != T_STAR || !x || !y)
        return larger(x, y);
    return x + y >= 2 ? x + y - 2 : 0;
}

uint32_t array_rank(Context *cx, const AExpr *a)
{
    switch (a->kind) {
    case A_UNARY:
        return array_rank(cx, a->a);
    case A_BINARY:
        return rank_of_binary(cx, a);
    case A_CHOICE:
        return larger(array_rank(cx, a->a), array_rank(cx, a->b));
    case A_ARRAY:
        if (a->list->loop)
            return rule_rank(cx, a);
        return a->list->first ? 1 + array_rank(cx, a->list->first->value) : 1;
    case A_MEMBER:
        return expr_is_member(cx, &a->member->name) ? rank_of_path(cx, &a->member->name)
                                                    : rank_of_call(cx, a);
    default:
        return 0;
    }
}

/* ---- constructors ---- */

static RExpr *only_elements(Context *cx, Place at)
{
    resolve_error(cx->level, at, "this is an array: a single value is needed here");
    return expr_error(cx, at);
}

/* The element that the subscript chooses among those from `arg` on, whose first has this number. */
static RExpr *chosen(Context *cx, Context *inside, const AArg *arg, uint32_t number, Element at)
{
    RExpr *value = expr_resolve(inside, arg->value, WANT_VALUE);
    if (!arg->next || value->type.kind == TYPE_ERROR)
        return value;
    RExpr *rest = chosen(cx, inside, arg->next, number + 1, at);
    RExpr *index = array_value(cx, at, arg->at);
    RExpr *e = expr_new(cx, R_OP, (Type){0}, arg->at);
    AExpr text = {.at = arg->at};
    if (!expr_choice_type(cx, &text, value, rest, &e->type))
        return expr_error(cx, arg->at);
    e->op = X_SELECT;
    e->n = 3;
    e->arg[0] = expr_apply(cx, X_EQ, TYPE_BOOLEAN, arg->at, index,
                           expr_constant(cx, TYPE_INTEGER, number, arg->at));
    e->arg[1] = value;
    e->arg[2] = rest;
    e->continuous = value->continuous || rest->continuous;
    return e;
}

RExpr *array_constructor(Context *cx, const AExpr *a)
{
    enum { MOST = 1000 };
    uint32_t n = 0;
    if (!cx->elements || !cx->elements->n)
        return only_elements(cx, a->at);
    if (a->list->loop)
        return rule_constructor(cx, a);
    for (const AArg *arg = a->list->first; arg; arg = arg->next, n++)
        if (arg->name.n) {
            resolve_error(cx->level, arg->at, "the elements of an array have no names");
            return expr_error(cx, a->at);
        }
    if (!n || n > MOST) {
        resolve_error(cx->level, a->at, "between 1 and %d elements can be listed", MOST);
        return expr_error(cx, a->at);
    }
    Element first = cx->elements->at[0];
    Elements rest = {cx->elements->n - 1, cx->elements->at + 1, cx->elements->any};
    Context inside = *cx;
    inside.elements = rest.n ? &rest : NULL;
    if (first.iterator || first.born || first.fold)
        return chosen(cx, &inside, a->list->first, 1, first);
    const AArg *arg = a->list->first;
    for (uint32_t i = 1; i < first.k && arg; i++)
        arg = arg->next;
    return arg ? expr_resolve(&inside, arg->value, WANT_VALUE) : only_elements(cx, a->at);
}

/* ---- values at birth ---- */

RExpr *array_argument(Context *cx, const Member *parameter, const AExpr *value)
{
    enum { MOST = 16 };
    uint32_t rank = array_rank(cx, value), own = cx->own_rank;
    Element element[MOST];
    Context inside = *cx;
    inside.own_rank = 0;
    if (!rank || rank > MOST)
        return expr_resolve(&inside, value, WANT_VALUE);
    if (rank != parameter->rank && rank != own + parameter->rank) {
        resolve_error(cx->level, value->at, "%s takes %s, not an array with %u size%s",
                      expr_quoted(cx, parameter->name),
                      parameter->rank || own ? "an array with another number of sizes"
                                             : "one value",
                      rank, rank == 1 ? "" : "s");
        return expr_error(cx, value->at);
    }
    for (uint32_t i = 0; i < rank; i++)
        element[i] = (Element){.born = true, .k = rank - 1 - i};
    inside.elements = &(Elements){rank, element, false};
    RExpr *e = expr_resolve(&inside, value, WANT_VALUE);
    if (e->type.kind == TYPE_ERROR)
        return e;
    e->sizes = arena_alloc(&cx->program->arena, rank * sizeof *e->sizes);
    for (uint32_t i = 0; i < rank; i++)
        e->sizes[e->n_sizes++] = loop_size(cx, value, i);
    return e;
}

/* The array that a name without subscripts at its end means, by a path to it; NULL: it is none. */
static Path *whole_array(Context *cx, const AExpr *a)
{
    const ADesignator *d = a->kind == A_MEMBER ? &a->member->name : NULL;
    uint32_t up, rank = array_rank(cx, a);
    if (!d || !expr_find_member(cx, d->name[0].sym, &up) || d->name[d->n - 1].subs || rank < 1)
        return NULL;
    Element any[2] = {{.k = 1}, {.k = 1}};
    Context inside = *cx;
    inside.elements = &(Elements){2, any, true};
    Path *path = rank <= 2 ? expr_path(&inside, d) : NULL;
    return path && path_last(path)->rank == rank ? array_itself(cx, path) : NULL;
}

/* sum(k), product(k), min(k), max(k) of an array of parameters, where a value is needed at birth; NULL: of something else. */
RExpr *array_fold(Context *cx, XOp op, const AExpr *a, Place at)
{
    Path *path = whole_array(cx, a);
    const Member *m = path ? path_last(path) : NULL;
    if (!m || !m->parameter || (m->type.kind != TYPE_REAL && m->type.kind != TYPE_INTEGER))
        return NULL;
    RExpr *e = size_expr(cx, path, SIZE_FOLDS + op, at);
    e->type = m->type;
    return e;
}

/* size(T), size(T, 2) */
RExpr *array_size_of(Context *cx, const AExpr *a)
{
    const AArg *array = a->member->ins.first, *dim = array ? array->next : NULL;
    double k = 1;
    RExpr *number = dim ? expr_resolve(cx, dim->value, WANT_VALUE) : NULL;
    if (number && (number->type.kind != TYPE_INTEGER || !const_value(number, &k))) {
        resolve_error(cx->level, dim->at, "the number of a size is a constant Integer");
        return expr_error(cx, a->at);
    }
    const ADesignator *d =
        array && array->value->kind == A_MEMBER ? &array->value->member->name : NULL;
    if (d && !dim && elements_is_list(cx, &(AFor){.from = array->value})) {
        Context whole = *cx;
        whole.whole_list = true;
        Path *path = expr_path(&whole, d);
        return path && !path_last(path)->element && path_last(path)->list
                   ? size_expr(cx, path, 0, a->at)
                   : expr_error(cx, a->at);
    }
    uint32_t up, rank = d ? array_rank(cx, array->value) : 0;
    if (!d || !expr_find_member(cx, d->name[0].sym, &up) || d->name[d->n - 1].subs || rank < 1) {
        resolve_error(cx->level, a->at,
                      "'size' is asked of an array by its name: 'size(T)', 'size(T, 2)'");
        return expr_error(cx, a->at);
    }
    Path *path = whole_array(cx, array->value);
    if (!path || k < 1 || k > rank) {
        resolve_error(cx->level, a->at, "'%s' has no size number %g", resolve_text(cx->program, d),
                      k);
        return expr_error(cx, a->at);
    }
    return size_expr(cx, path, (uint32_t)k - 1, a->at);
}
