/* parse_expr.c: tokens -> expressions, designators, lists in braces and parentheses.
 *
 * Precedence climbing over table 5.1 of the Sol thesis: a unary sign binds tighter than `^`, `and`
 * and `or` stand on one level, all binary operators group to the left, comparisons do not chain. */
#include "frontend/parse_int.h"

enum { LEVEL_LOGIC = 1, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_POWER };

static AExpr *new_expr(Parser *p, AExprKind kind, Place at)
{
    AExpr *e = arena_alloc(p->arena, sizeof *e);
    e->kind = (uint8_t)kind;
    e->at = at;
    e->depth = 1;
    return e;
}

/* The depth of an expression counts what stands in its lists too: whoever walks over the tree
 * recurses that deep and no deeper. */
static void set_depth(Parser *p, AExpr *e, uint32_t below)
{
    e->depth = (uint16_t)(below + 1);
    if (below < PARSE_MAX_EXPR_DEPTH)
        return;
    parse_error(p, e->at, "expression with more than %d operators in a row: split it up",
                PARSE_MAX_EXPR_DEPTH - 1);
    e->depth = 1;
}

static uint32_t list_depth(const AList *list)
{
    uint32_t depth = 0;
    for (const AFor *loop = list->loop; loop; loop = loop->next)
        depth = loop->from && loop->from->depth > depth ? loop->from->depth : depth;
    for (const AArg *arg = list->first; arg; arg = arg->next)
        if (arg->value->depth > depth)
            depth = arg->value->depth;
    return depth;
}

static uint32_t subscript_depth(const ADesignator *name)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < name->n; i++)
        for (const ASub *sub = name->name[i].subs; sub; sub = sub->next) {
            depth = sub->from && sub->from->depth > depth ? sub->from->depth : depth;
            depth = sub->to && sub->to->depth > depth ? sub->to->depth : depth;
        }
    return depth;
}

/* `a`, `a:b` or `:` */
static ASub *parse_subscript(Parser *p)
{
    ASub *sub = arena_alloc(p->arena, sizeof *sub);
    sub->at = p->token.at;
    if (p->token.kind != T_COLON)
        sub->from = parse_expression(p);
    sub->range = parse_accept(p, T_COLON);
    if (sub->range && sub->from)
        sub->to = parse_expression(p);
    return sub;
}

/* Behind the bracket. */
static ASub *parse_bracketed(Parser *p)
{
    ASub *first = NULL, **end = &first;
    if (!parse_enter(p))
        return NULL;
    p->subscripts++;
    do {
        *end = parse_subscript(p);
        end = &(*end)->next;
    } while (!p->panic && parse_accept(p, T_COMMA));
    parse_expect(p, T_RBRACKET, "']' or ','", NULL);
    p->subscripts--;
    parse_leave(p);
    return first;
}

ASub *parse_subscripts(Parser *p)
{
    parse_advance(p);
    return parse_bracketed(p);
}

ASub *parse_sizes(Parser *p)
{
    Place at = p->token.at;
    parse_advance(p);
    if (p->token.kind != T_RBRACKET)
        return parse_bracketed(p);
    parse_advance(p);
    ASub *none = arena_alloc(p->arena, sizeof *none);
    none->at = at;
    return none;
}

ADesignator parse_designator(Parser *p)
{
    uint32_t first = p->ids.n;
    do {
        if (p->token.kind != T_ID) {
            parse_error(p, p->token.at, "expected a name, found %s", parse_found(p));
            break;
        }
        AName name = {p->token.sym, p->token.at, NULL};
        parse_advance(p);
        if (p->token.kind == T_LBRACKET && !p->panic)
            name.subs = parse_subscripts(p);
        vec_push(p->mem, &p->ids, name); /* names inside subscripts were put above and taken away */
    } while (parse_accept(p, T_DOT));
    ADesignator d = {.n = p->ids.n - first};
    d.name = arena_alloc(p->arena, d.n * sizeof *d.name);
    for (uint32_t i = 0; i < d.n; i++)
        d.name[i] = p->ids.at[first + i];
    p->ids.n = first;
    return d;
}

bool parse_relation_op(Parser *p, RelOp *op)
{
    switch (p->token.kind) {
    case T_EQUAL:
        *op = REL_EQUAL;
        break;
    case T_COPY:
        *op = REL_COPY;
        break;
    case T_MOVE:
        *op = REL_MOVE;
        break;
    default:
        return false;
    }
    parse_advance(p);
    return true;
}

/* `value` or `designator op value`; which of the two shows after the first expression. */
static AArg *parse_arg(Parser *p)
{
    AArg *arg = arena_alloc(p->arena, sizeof *arg);
    arg->at = p->token.at;
    arg->value = parse_expression(p);
    const AExpr *first = arg->value;
    Place op_at = p->token.at;
    if (p->panic || !parse_relation_op(p, &arg->op))
        return arg;
    if (first->kind != A_MEMBER || first->paren || first->member->params.present ||
        first->member->ins.present || first->member->question) {
        parse_error(p, op_at, "only a name can stand left of %s in a list",
                    arg->op == REL_EQUAL  ? "'='"
                    : arg->op == REL_COPY ? "'<<'"
                                          : "'<-'");
        return arg;
    }
    arg->name = first->member->name;
    arg->value = parse_expression(p);
    return arg;
}

/* Is it the name of something whose elements can be gone through? */
static bool is_name(const AExpr *e)
{
    return e->kind == A_MEMBER && !e->paren && !e->member->params.present &&
           !e->member->ins.present && !e->member->question;
}

/* `i in a:b, j in c:d`, or `c in cars`, behind `for`. */
AFor *parse_iterators(Parser *p)
{
    AFor *first = NULL, **end = &first;
    do {
        AFor *loop = *end = arena_alloc(p->arena, sizeof *loop);
        end = &loop->next;
        loop->name = (AName){p->token.sym, p->token.at, NULL};
        parse_expect(p, T_ID, "the name of the iterator", "after 'for'");
        parse_expect(p, T_IN, "'in'", "after the iterator");
        loop->from = parse_expression(p);
        if (p->token.kind != T_COLON && !p->panic && is_name(loop->from))
            continue;
        parse_expect(p, T_COLON, "':'", "between the bounds, as in '1:n'");
        loop->to = parse_expression(p);
    } while (!p->panic && parse_accept(p, T_COMMA));
    return first;
}

/* Requires the present token to be the opening brace or parenthesis. */
AList parse_list(Parser *p, TokenKind close)
{
    AList list = {.present = true, .at = p->token.at};
    AArg **end = &list.first;
    parse_advance(p);
    if (parse_accept(p, close) || !parse_enter(p))
        return list;
    do {
        *end = parse_arg(p);
        end = &(*end)->next;
    } while (!p->panic && parse_accept(p, T_COMMA));
    if (!p->panic && parse_at_word(p, "for")) {
        parse_advance(p);
        list.loop = parse_iterators(p);
    }
    parse_expect(p, close, close == T_RBRACE ? "'}' or ','" : "')' or ','", NULL);
    parse_leave(p);
    return list;
}

static AExpr *parse_member_from(Parser *p, ADesignator name, Place at)
{
    AExpr *e = new_expr(p, A_MEMBER, at);
    e->member = arena_alloc(p->arena, sizeof *e->member);
    e->member->name = name;
    if (p->token.kind == T_LBRACE && !p->panic)
        e->member->params = parse_list(p, T_RBRACE);
    if (p->token.kind == T_LPAREN && !p->panic)
        e->member->ins = parse_list(p, T_RPAREN);
    e->member->question = parse_accept(p, T_QUESTION);
    uint32_t depth = subscript_depth(&name);
    uint32_t params = list_depth(&e->member->params), ins = list_depth(&e->member->ins);
    depth = params > depth ? params : depth;
    set_depth(p, e, ins > depth ? ins : depth);
    return e;
}

static AExpr *parse_parentheses(Parser *p)
{
    Place at = p->token.at;
    parse_advance(p);
    if (!parse_enter(p))
        return new_expr(p, A_BAD, at);
    AExpr *e = parse_expression(p);
    parse_expect(p, T_RPAREN, "')'", NULL);
    parse_leave(p);
    e->paren = true;
    return e;
}

static AExpr *parse_choice(Parser *p);

static AExpr *parse_element(Parser *p)
{
    Token t = p->token;
    AExpr *e;
    switch (t.kind) {
    case T_ID: {
        ADesignator name = parse_designator(p);
        return parse_member_from(p, name, t.at);
    }
    case T_LPAREN:
        return parse_parentheses(p);
    case T_LBRACE:
        e = new_expr(p, A_ARRAY, t.at);
        e->list = arena_alloc(p->arena, sizeof *e->list);
        *e->list = parse_list(p, T_RBRACE);
        set_depth(p, e, list_depth(e->list));
        return e;
    case T_END:
        if (p->subscripts) {
            e = new_expr(p, A_END, t.at);
            break;
        }
        parse_error(p, t.at, "expected an expression, found %s", parse_found(p));
        return new_expr(p, A_BAD, t.at);
    case T_INTEGER:
    case T_REAL:
        e = new_expr(p, t.kind == T_INTEGER ? A_INTEGER : A_REAL, t.at);
        e->k = t.k;
        break;
    case T_TRUE:
    case T_FALSE:
        e = new_expr(p, A_BOOLEAN, t.at);
        e->k = t.kind == T_TRUE;
        break;
    case T_STRING:
        e = new_expr(p, A_STRING, t.at);
        e->text = t.sym;
        break;
    case T_IF:
        if (!p->panic)
            diag_error(p->diags, t.at, "put 'if .. then .. else ..' in parentheses here");
        return parse_choice(p);
    case T_LBRACKET:
        parse_error(p, t.at, "an array is written '{1, 2, 3}'");
        return new_expr(p, A_BAD, t.at);
    default:
        parse_error(p, t.at, "expected an expression, found %s%s", parse_found(p),
                    t.kind == T_STAR ? "; a power is written 'x^2'" : "");
        return new_expr(p, A_BAD, t.at);
    }
    parse_advance(p);
    return e;
}

static AExpr *parse_unary(Parser *p)
{
    Token t = p->token;
    if (t.kind != T_PLUS && t.kind != T_MINUS && t.kind != T_NOT)
        return parse_element(p);
    parse_advance(p);
    AExpr *e = new_expr(p, A_UNARY, t.at);
    e->op = (uint8_t)t.kind;
    e->a = parse_element(p);
    set_depth(p, e, e->a->depth);
    return e;
}

static int level_of(TokenKind op)
{
    switch (op) {
    case T_AND:
    case T_OR:
        return LEVEL_LOGIC;
    case T_LT:
    case T_LE:
    case T_EQ:
    case T_NE:
    case T_GE:
    case T_GT:
        return LEVEL_COMPARE;
    case T_PLUS:
    case T_MINUS:
        return LEVEL_SUM;
    case T_STAR:
    case T_SLASH:
        return LEVEL_PRODUCT;
    case T_CARET:
        return LEVEL_POWER;
    default:
        return 0;
    }
}

static AExpr *join(Parser *p, Token op, AExpr *a, AExpr *b)
{
    AExpr *e = new_expr(p, A_BINARY, op.at);
    e->op = (uint8_t)op.kind;
    e->a = a;
    e->b = b;
    set_depth(p, e, a->depth > b->depth ? a->depth : b->depth);
    return e;
}

/* Reads on behind `left` as long as operators bind at least as tight as `least`. The recursion goes
 * to higher levels only, so it is at most five deep per pair of parentheses. */
static AExpr *parse_operators(Parser *p, AExpr *left, int least)
{
    int level;
    while (!p->panic && (level = level_of(p->token.kind)) >= least && level > 0) {
        Token op = p->token;
        parse_advance(p);
        AExpr *right = parse_operators(p, parse_unary(p), level + 1);
        left = join(p, op, left, right);
        if (level == LEVEL_COMPARE && level_of(p->token.kind) == LEVEL_COMPARE)
            parse_error(p, p->token.at, "comparisons do not chain: join them by 'and'");
    }
    return left;
}

/* if c then a {else if c then a} else b: goes as far to the right as an expression does. */
static AExpr *parse_choice(Parser *p)
{
    AExpr *e = new_expr(p, A_CHOICE, p->token.at);
    parse_advance(p);
    if (!parse_enter(p))
        return new_expr(p, A_BAD, e->at);
    e->c = parse_expression(p);
    parse_expect(p, T_THEN, "'then'", "after the condition of 'if'");
    e->a = parse_expression(p);
    if (!p->panic && p->token.kind != T_ELSE)
        parse_error(p, p->token.at, "expected 'else' in this expression, found %s", parse_found(p));
    parse_accept(p, T_ELSE);
    e->b = parse_expression(p);
    parse_leave(p);
    uint32_t depth = e->a->depth > e->b->depth ? e->a->depth : e->b->depth;
    set_depth(p, e, e->c->depth > depth ? e->c->depth : depth);
    return e;
}

AExpr *parse_expression(Parser *p)
{
    if (p->token.kind == T_IF && !p->panic)
        return parse_choice(p);
    return parse_operators(p, parse_unary(p), LEVEL_LOGIC);
}

AExpr *parse_expression_from(Parser *p, ADesignator first)
{
    Place at = first.n ? first.name[0].at : p->token.at;
    return parse_operators(p, parse_member_from(p, first, at), LEVEL_LOGIC);
}
