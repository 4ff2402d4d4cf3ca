/* rules.c: `{e for i in a:b}` -> its elements.
 *
 * Element number k is e with a + k - 1 for the iterator: a name that stands for a value while e is resolved, as the names of a function do. It is resolved
 * anew wherever it is named, because what it is made of is seen from there. */
#include "frontend/resolve_int.h"

/* Does something inside of the braces have the name, the iterator of a sum? */
static bool is_hidden(const Context *cx, const Rule *rule, Sym name)
{
    const Body *body = cx->body;
    bool found = false;
    for (; body && body != rule->body; body = body->parent)
        found |= body_find(body, name) != NULL;
    return body && found;
}

static Rule *rule_of(const Context *cx, Sym name)
{
    Rule *rule = cx->rule;
    while (rule && (rule->call != cx->call || rule->loop->name.sym != name))
        rule = rule->outer;
    return rule && !is_hidden(cx, rule, name) ? rule : NULL;
}

const AFor *rule_named(const Context *cx, Sym name)
{
    const Rule *rule = rule_of(cx, name);
    return rule ? rule->loop : NULL;
}

static bool is_frozen(const Context *cx, const Rule *rule)
{
    const Rule *frozen = cx->frozen;
    while (frozen && frozen != rule)
        frozen = frozen->outer;
    return frozen != NULL;
}

static uint32_t all_uses(const Context *cx)
{
    uint32_t n = 0;
    for (const Rule *rule = cx->rule; rule; rule = rule->outer)
        n += rule->uses;
    return n;
}

/* Without iterators of braces around, which count as 1 here: all rows are equally long. */
static RExpr *bound(Context *cx, const AExpr *a)
{
    Context inside = *cx;
    inside.frozen = cx->rule;
    uint32_t before = all_uses(cx);
    RExpr *e = array_known(&inside, a, "a bound of 'for'");
    if (before == all_uses(cx))
        return e;
    resolve_error(cx->level, a->at,
                  "the bounds of an inner 'for' do not depend on an outer one: all rows of an "
                  "array are equally long");
    return expr_constant(cx, TYPE_INTEGER, 1, a->at);
}

static RExpr *integers(Context *cx, XOp op, RExpr *a, RExpr *b)
{
    return expr_apply(cx, op, TYPE_INTEGER, a->at, a, b);
}

static RExpr *value_of(Context *cx, Rule *rule, Place at)
{
    double from = 1;
    Context outside = *cx;
    outside.rule = outside.frozen = rule->outer;
    rule->uses++;
    if (is_frozen(cx, rule))
        return expr_constant(cx, TYPE_INTEGER, 1, at);
    RExpr *number = array_value(cx, rule->element, at), *first, *last;
    if (rule->loop->to)
        first = array_known(&outside, rule->loop->from, "a bound of 'for'");
    else
        elements_bounds(&outside, rule->loop, &first, &last);
    if (const_value(first, &from) && from == 1)
        return number;
    RExpr *one = expr_constant(cx, TYPE_INTEGER, 1, at);
    return integers(cx, X_SUB, integers(cx, X_ADD, first, number), one);
}

RExpr *rule_value(Context *cx, const AExpr *a)
{
    const AMember *m = a->member;
    Rule *rule = rule_of(cx, m->name.name[0].sym);
    if (!rule || (!rule->loop->to && !(cx->subscript && m->name.n == 1)))
        return NULL;
    if (m->name.n == 1 && !m->ins.present && !m->params.present && !m->question &&
        !m->name.name[0].subs)
        return value_of(cx, rule, a->at);
    resolve_error(cx->level, a->at, "'%s' is a number",
                  intern_text(&cx->program->names, m->name.name[0].sym));
    return expr_error(cx, a->at);
}

void rule_open(Context *inside, const AFor *loop, Element element, Rule *rule)
{
    *rule = (Rule){loop, element, inside->call, inside->body, inside->rule, 0};
    inside->rule = rule;
}

/* With the iterator for element `element`. */
static Context inside_of(Context *cx, const AExpr *a, Rule *rule, Element element)
{
    Context inside = *cx;
    rule_open(&inside, a->list->loop, element, rule);
    return inside;
}

uint32_t rule_rank(Context *cx, const AExpr *a)
{
    Rule rule;
    Context inside = inside_of(cx, a, &rule, (Element){.k = 1});
    return 1 + array_rank(&inside, a->list->first->value);
}

RExpr *rule_size(Context *cx, const AExpr *a, uint32_t dim)
{
    const AFor *loop = a->list->loop;
    Rule rule;
    if (dim) {
        Context inside = inside_of(cx, a, &rule, (Element){.k = 1});
        uint32_t errors = cx->program->diags.errors;
        RExpr *size = loop_size(&inside, a->list->first->value, dim - 1);
        if (rule.uses && errors == cx->program->diags.errors)
            resolve_error(cx->level, a->list->first->value->at,
                          "its size depends on '%s': all rows of an array are equally long",
                          intern_text(&cx->program->names, loop->name.sym));
        return size;
    }
    if (!loop->to && elements_is_list(cx, loop)) /* refused in its turn */
        return expr_constant(cx, TYPE_INTEGER, 0, a->at);
    if (!loop->to)
        return loop_size(cx, loop->from, 0);
    RExpr *from = bound(cx, loop->from), *to = bound(cx, loop->to);
    RExpr *one = expr_constant(cx, TYPE_INTEGER, 1, a->at);
    return integers(cx, X_MAX, integers(cx, X_ADD, integers(cx, X_SUB, to, from), one),
                    expr_constant(cx, TYPE_INTEGER, 0, a->at));
}

static bool is_rule(Context *cx, const AExpr *a)
{
    const AList *list = a->list;
    if (list->first->next || list->first->name.n)
        resolve_error(cx->level, a->at,
                      "one value stands before 'for', as in '{2*i for i in 1:n}'");
    else if (list->loop->next)
        resolve_error(cx->level, list->loop->next->name.at,
                      "braces have one iterator: '{{e for j in 1:m} for i in 1:n}' has two sizes");
    else if (elements_is_list(cx, list->loop))
        resolve_error(cx->level, list->loop->from->at,
                      "the number of elements changes: 'for' in braces goes over numbers, as in "
                      "'1:n', or over an array with a size");
    else
        return list->loop->to || elements_can_go_over(cx, list->loop);
    return false;
}

RExpr *rule_constructor(Context *cx, const AExpr *a)
{
    Rule rule;
    if (!is_rule(cx, a))
        return expr_error(cx, a->at);
    Elements rest = {cx->elements->n - 1, cx->elements->at + 1, cx->elements->any};
    Context inside = inside_of(cx, a, &rule, cx->elements->at[0]);
    inside.elements = rest.n ? &rest : NULL;
    return expr_resolve(&inside, a->list->first->value, WANT_VALUE);
}
