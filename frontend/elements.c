/* elements.c: `for c in cells` and dynamic arrays -> loops, aliases of elements, sums.
 *
 * Over an array of fixed size c is the number of a loop, and its name stands for `cells[c]` but in brackets. A dynamic
 * array has no numbers that stay: there c is an alias of the element, which the loop keeps, and so are the neighbours
 * `cars[c-1]`, `cars[c+1]` that its text names. A sum is added up from round to round, by an alias of the round before;
 * so whoever comes or goes changes one relation of it. */
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <stdio.h>

enum {
    FARTHEST = 16, /* places between an element and a neighbour it names */
    MOST_SIZES = 16
};

/* ---- what a loop goes over ---- */

Member *elements_last(Context *cx, const ADesignator *d)
{
    uint32_t up;
    Member *m = expr_find_member(cx, d->name[0].sym, &up);
    for (uint32_t i = 1; m && i < d->n; i++) {
        if (m->type.kind != TYPE_MODEL)
            return NULL;
        body_interface(m->type.def);
        m = body_find(m->type.def->body, d->name[i].sym);
    }
    return m;
}

bool elements_is_list(Context *cx, const AFor *loop)
{
    const Member *m =
        loop && !loop->to && !cx->call ? elements_last(cx, &loop->from->member->name) : NULL;
    return m && m->list;
}

/* The array stays as long as the loop does, though not its elements. */
static bool stays(Context *cx, const Path *path, Place at)
{
    for (uint32_t i = 0; i + 1 < path->n; i++)
        if (path->step[i]->binding != BIND_STATIC) {
            resolve_error(cx->level, at,
                          "'%s' may change its instance: a loop goes over arrays of static members",
                          intern_text(&cx->program->names, path->step[i]->name));
            return false;
        }
    return true;
}

static Stmt *open_list(Context *cx, const AFor *loop, Place at, Context *inside, Member **iterator)
{
    Context whole = *cx;
    whole.whole_list = true;
    Path *path = expr_path(&whole, &loop->from->member->name);
    if (!path || path_last(path)->element || !stays(cx, path, loop->from->at))
        return NULL;
    Stmt *s = loop_stmt(cx, S_FOR, at);
    s->path = path;
    *inside = *cx;
    inside->body = s->then_body = body_branch(cx, s, NULL);
    *iterator =
        body_add_element(inside, loop->name.sym, path_last(path)->type, ELEMENT_OF, loop->name.at);
    return s;
}

/* The range among the last subscripts, `cells[2:4]`, `A[i, :]`; NULL: all elements. */
static const ASub *slice_of(const ADesignator *d)
{
    const ASub *sub = d->name[d->n - 1].subs;
    while (sub && !sub->range)
        sub = sub->next;
    return sub;
}

Stmt *elements_open(Context *cx, const AFor *loop, Place at, Context *inside, Member **iterator)
{
    if (elements_is_list(cx, loop))
        return open_list(cx, loop, at, inside, iterator);
    if (!elements_can_go_over(cx, loop))
        return NULL;
    Stmt *s = loop_open(cx, &loop->name, at, inside, iterator);
    body_member_text(*iterator)->over = &loop->from->member->name;
    elements_bounds(cx, loop, &s->a, &s->b);
    return s;
}

void elements_bounds(Context *cx, const AFor *loop, RExpr **from, RExpr **to)
{
    const ADesignator *d = &loop->from->member->name;
    const ASub *slice = slice_of(d), *sub = d->name[d->n - 1].subs;
    RExpr *one = expr_constant(cx, TYPE_INTEGER, 1, loop->from->at);
    *from = one;
    *to = loop_size(cx, loop->from, 0);
    if (!slice || !slice->from)
        return;
    Element any[MOST_SIZES];
    Context inside = *cx;
    uint32_t dim = 0;
    for (uint32_t i = 0; i < MOST_SIZES; i++)
        any[i] = (Element){.k = 1};
    inside.elements = &(Elements){MOST_SIZES, any, true};
    for (; sub != slice; sub = sub->next)
        dim++;
    Path *path = expr_path(&inside, d);
    if (!path)
        return;
    *from = array_subscript(cx, path, dim, slice->from);
    *to = array_subscript(cx, path, dim, slice->to);
}

bool elements_can_go_over(Context *cx, const AFor *loop)
{
    if (array_rank(cx, loop->from) == 1 && !cx->call)
        return true;
    if (cx->call || expr_is_member(cx, &loop->from->member->name))
        resolve_error(cx->level, loop->from->at,
                      "'for' goes over numbers, as in '1:n', or over an array with one size");
    else
        resolve_designator(cx->level, cx->body, &loop->from->member->name);
    return false;
}

/* The subscripts of the last name, with the number of the element in the place of the slice, and those behind the element. */
static ASub *with_number(Arena *arena, const ADesignator *over, AExpr *number, const ASub *behind)
{
    const ASub *slice = slice_of(over), *sub = over->name[over->n - 1].subs;
    ASub *first = NULL, **end = &first;
    for (bool met = false; sub || !met; sub = sub ? sub->next : NULL) {
        *end = arena_alloc(arena, sizeof **end);
        if (sub && sub != slice)
            **end = (ASub){.from = sub->from, .at = sub->at};
        else
            **end = (ASub){.from = number, .at = number->at};
        met |= sub == slice;
        end = &(*end)->next;
    }
    *end = (ASub *)behind;
    return first;
}

const ADesignator *elements_named(Context *cx, const ADesignator *d)
{
    uint32_t up;
    Member *m = expr_find_member(cx, d->name[0].sym, &up);
    const AFor *rule = m ? NULL : rule_named(cx, d->name[0].sym);
    const ADesignator *over = m ? body_member_text(m)->over : NULL;
    if (rule && !rule->to)
        over = &rule->from->member->name;
    if (!over || (cx->subscript && d->n == 1))
        return d;
    Arena *arena = &cx->program->arena;
    ADesignator *named = arena_alloc(arena, sizeof *named);
    AExpr *number = arena_alloc(arena, sizeof *number);
    *number = (AExpr){.kind = A_MEMBER, .depth = 1, .at = d->name[0].at};
    number->member = arena_alloc(arena, sizeof *number->member);
    number->member->name = (ADesignator){1, arena_alloc(arena, sizeof(AName))};
    number->member->name.name[0] = (AName){d->name[0].sym, d->name[0].at, NULL};
    named->n = over->n + d->n - 1;
    named->name = arena_alloc(arena, named->n * sizeof *named->name);
    for (uint32_t i = 0; i < named->n; i++)
        named->name[i] = i < over->n ? over->name[i] : d->name[i - over->n + 1];
    named->name[over->n - 1].subs = with_number(arena, over, number, d->name[0].subs);
    return named;
}

/* ---- elements of dynamic arrays ---- */

/* `c`, `c + 1`, `c - 2`: the alias of the element, and how far from it. */
static Member *neighbour(Context *cx, const AExpr *a, double *offset)
{
    uint32_t up;
    *offset = 0;
    if (a->kind == A_BINARY && (a->op == T_PLUS || a->op == T_MINUS) && a->b->kind == A_INTEGER) {
        *offset = a->op == T_PLUS ? a->b->k : -a->b->k;
        a = a->a;
    }
    if (a->kind != A_MEMBER || a->member->name.n != 1 || a->member->name.name[0].subs)
        return NULL;
    Member *m = expr_find_member(cx, a->member->name.name[0].sym, &up);
    return m && m->element == ELEMENT_OF ? m : NULL;
}

static bool same_subscript(const RExpr *a, const RExpr *b)
{
    if (a->kind != b->kind || a->n != b->n || a->op != b->op || a->k != b->k)
        return false;
    if (a->kind == R_PATH &&
        (a->path->n != 1 || b->path->n != 1 || a->path->step[0] != b->path->step[0]))
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_subscript(a->arg[i], b->arg[i]))
            return false;
    return a->kind == R_CONST || a->kind == R_PATH || a->kind == R_OP;
}

/* Both seen from inside the same body: the same array? */
static bool same_list(const Path *a, const Path *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t x = a->index && i + 1 < a->n ? a->index[i].n : 0;
        uint32_t y = b->index && i + 1 < b->n ? b->index[i].n : 0;
        if (a->step[i] != b->step[i] || x != y)
            return false;
        for (uint32_t k = 0; k < x; k++)
            if (!same_subscript(a->index[i].at[k], b->index[i].at[k]))
                return false;
    }
    return true;
}

static Member *alias_of(Context *cx, Member *iterator, int offset, const AName *list, Place at)
{
    Body *body = iterator->body;
    for (uint32_t i = 0; i < body->n_members; i++)
        if (body->members[i]->element == ELEMENT_OF && body->members[i]->offset == offset)
            return body->members[i];
    char name[200];
    const Intern *names = &cx->program->names;
    snprintf(name, sizeof name, "%.80s[%.80s%+d]", intern_text(names, list->sym),
             intern_text(names, iterator->name), offset);
    Context inside = *cx;
    inside.body = body;
    Member *m = body_add_element(&inside, intern_str(&cx->program->names, name), iterator->type,
                                 ELEMENT_OF, at);
    m->offset = offset;
    return m;
}

/* The path becomes that of the alias. */
static bool to_neighbour(Context *cx, Path *path, Member *iterator, double offset,
                         const AName *name)
{
    const Stmt *loop = iterator->body->owner;
    if (!same_list(loop->path, path)) {
        resolve_error(cx->level, name->subs->at,
                      "'%s' is an element of another array: it has no number here",
                      intern_text(&cx->program->names, iterator->name));
        return false;
    }
    if (offset > FARTHEST || offset < -FARTHEST) {
        resolve_error(cx->level, name->subs->at, "a neighbour is at most %d places away", FARTHEST);
        return false;
    }
    path->step[0] = alias_of(cx, iterator, (int)offset, name, name->at);
    path->n = 1;
    path->index = NULL;
    path->up = 0;
    for (const Body *b = cx->body; b && b != iterator->body; b = b->parent)
        path->up++;
    return true;
}

static bool list_subscript(Context *cx, Path *path, uint32_t most, const AName *name)
{
    Arena *arena = &cx->program->arena;
    double offset, k;
    Member *iterator = neighbour(cx, name->subs->from, &offset);
    if (iterator)
        return to_neighbour(cx, path, iterator, offset, name);
    RExpr *e = array_subscript(cx, path, 0, name->subs->from);
    if (const_value(e, &k) && k < 1) {
        resolve_error(cx->level, name->subs->at, "there is no '%s[%.10g]': numbers begin with 1",
                      intern_text(&cx->program->names, name->sym), k);
        return false;
    }
    if (!path->index)
        path->index = arena_alloc(arena, most * sizeof *path->index);
    PathIndex *index = &path->index[path->n - 1];
    *index = (PathIndex){.n = 1, .at = arena_alloc(arena, sizeof *index->at)};
    index->at[0] = e;
    return true;
}

bool elements_index(Context *cx, Path *path, uint32_t most, const AName *name, bool last)
{
    const char *text = intern_text(&cx->program->names, name->sym);
    if (!name->subs && last && cx->whole_list)
        return true;
    if (!name->subs)
        resolve_error(cx->level, name->at,
                      "'%s' is a dynamic array: name an element, as in '%s[1]', or all of them: "
                      "'for c in %s'",
                      text, text, text);
    else if (name->subs->range)
        resolve_error(cx->level, name->subs->at, "a dynamic array has no slices");
    else if (name->subs->next)
        resolve_error(cx->level, name->subs->at, "'%s' has 1 subscript", text);
    else
        return list_subscript(cx, path, most, name);
    return false;
}

/* Where elements are added inside of a loop over all of them, each birth asks for the next one. */
static bool grows_without_end(const Body *body, const Path *list)
{
    const Stmt *around = body->owner;
    return around && around->kind == S_FOR && around->path && same_list(around->path, list);
}

bool elements_can_take(Context *cx, const Path *target, Place at)
{
    const Member *m = path_last(target);
    const char *name = intern_text(&cx->program->names, m->name);
    if (m->list && target->index && target->index[target->n - 1].n)
        resolve_error(cx->level, at,
                      "an element keeps its place: others are added at the end, '%s <- ..'", name);
    else if (m->list && grows_without_end(cx->body, target))
        resolve_error(cx->level, at, "'%s' would grow without end: each element adds another one",
                      name);
    else if (m->element)
        resolve_error(cx->level, at, "'%s' is an element of the array that the loop goes over",
                      name);
    else
        return true;
    return false;
}

/* ---- sums over those that are present ---- */

static RExpr *path_expr(Context *cx, uint32_t n, Member *first, Member *second, Place at)
{
    Arena *arena = &cx->program->arena;
    Member *last = n > 1 ? second : first;
    RExpr *e = expr_new(cx, R_PATH, last->type, at);
    e->path = arena_alloc(arena, sizeof *e->path);
    *e->path = (Path){.n = n, .at = at};
    e->path->step = arena_alloc(arena, 2 * sizeof *e->path->step);
    e->path->step[0] = first;
    e->path->step[1] = second;
    e->continuous = last->type.kind == TYPE_REAL;
    return e;
}

/* value = e, in the body of the context, which the hidden variable belongs to. */
static void say(Context *cx, Member *variable, RExpr *e, const Stmt *part_of)
{
    Stmt *s = loop_stmt(cx, variable->held ? S_COPY_VALUE : S_EQUATION, e->at);
    RExpr *target = path_expr(cx, 1, variable, NULL, e->at);
    s->part_of = part_of;
    s->member = variable;
    s->b = e;
    if (variable->held)
        s->path = target->path;
    else
        s->a = target;
    body_add_stmt(cx->body, s);
}

static bool can_add_up(Context *cx, const AFor *loop, Place at)
{
    if (cx->at_birth || !cx->body)
        resolve_error(cx->level, at, "sums over dynamic arrays are no values of parameters");
    else if (loop->next)
        resolve_error(cx->level, loop->next->name.at,
                      "a sum over a dynamic array has one iterator");
    else
        return true;
    return false;
}

RExpr *elements_reduce(Context *cx, XOp op, const AFor *loop, const AExpr *value, Place at)
{
    Context inside;
    Member *iterator;
    Stmt *s = can_add_up(cx, loop, at) ? elements_open(cx, loop, at, &inside, &iterator) : NULL;
    if (!s)
        return expr_error(cx, at);
    inside.stmt = NULL;
    inside.elements = NULL;
    RExpr *e = expr_resolve(&inside, value, WANT_VALUE);
    if (e->type.kind != TYPE_REAL && e->type.kind != TYPE_INTEGER) {
        if (e->type.kind != TYPE_ERROR)
            resolve_error(cx->level, e->at, "numbers are needed here, not %s",
                          types_name(cx->program, e->type));
        return expr_error(cx, at);
    }
    Type model = {TYPE_MODEL, cx->def};
    Member *start = body_add_choice(cx, e->type, at);
    say(cx, start, expr_constant(cx, e->type.kind, loop_of_nothing(op, e->type.kind), at),
        cx->stmt);
    Member *before = body_add_element(&inside, 0, model, ELEMENT_BEFORE, at);
    Member *sum = body_add_choice(&inside, e->type, at);
    sum->otherwise = start;
    RExpr *so_far = path_expr(&inside, 2, before, sum, at);
    say(&inside, sum, expr_apply(&inside, op, e->type.kind, at, so_far, e), NULL);
    Member *last = body_add_element(cx, 0, model, ELEMENT_LAST, at);
    s->member = last;
    s->part_of = cx->stmt;
    loop_close(cx, s, &inside);
    return path_expr(cx, 2, last, sum, at);
}
