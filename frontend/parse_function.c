/* parse_function.c: `function f(x, y) s = x + y; return s*s; end f` -> syntax tree. */
#include "frontend/parse_int.h"

/* None of its words is reserved. */
bool parse_at_function(const Parser *p)
{
    return parse_at_word(p, "function") && parse_look_ahead(p).kind == T_ID;
}

static bool at_return(const Parser *p)
{
    return parse_at_word(p, "return") && parse_look_ahead(p).kind != T_EQUAL;
}

static bool is_known(const AModel *m, Sym name)
{
    for (const ADefine *d = m->ins; d; d = d->next)
        if (d->name.sym == name)
            return true;
    for (const ADefine *d = m->locals; d; d = d->next)
        if (d->name.sym == name)
            return true;
    return false;
}

/* A name that the function does not have yet, at the end of one of its lists. */
static ADefine *parse_new_name(Parser *p, const AModel *m, ADefine **end, const char *where)
{
    ADefine *d = arena_alloc(p->arena, sizeof *d);
    d->name = (AName){p->token.sym, p->token.at, NULL};
    if (!parse_expect(p, T_ID, "a name", where))
        return NULL;
    if (is_known(m, d->name.sym))
        diag_error(p->diags, d->name.at, "'%s' is given twice", intern_text(p->names, d->name.sym));
    *end = d;
    return d;
}

static void parse_ins(Parser *p, AModel *m)
{
    ADefine **end = &m->ins, *d;
    if (!parse_expect(p, T_LPAREN, "'('", "behind the name of a function"))
        return;
    while (p->token.kind == T_ID && (d = parse_new_name(p, m, end, NULL))) {
        end = &d->next;
        if (!parse_accept(p, T_COMMA))
            break;
    }
    parse_expect(p, T_RPAREN, "')'", "behind the names of the values: 'function f(x, y)'");
}

static void parse_locals(Parser *p, AModel *m)
{
    ADefine **end = &m->locals, *d;
    while (!p->panic && !p->gave_up && p->token.kind == T_ID && !at_return(p)) {
        if (parse_look_ahead(p).kind != T_EQUAL) {
            parse_error(p, p->token.at,
                        "in a function stand 'name = value;' and at the end 'return value;'");
            return;
        }
        d = parse_new_name(p, m, end, NULL);
        parse_advance(p);
        d->value = parse_expression(p);
        end = &d->next;
        parse_semicolon(p, "the value");
    }
}

void parse_function(Parser *p, AModel *m)
{
    parse_ins(p, m);
    if (!p->panic)
        parse_locals(p, m);
    if (!p->panic && !at_return(p)) {
        parse_error(p, p->token.at,
                    "in a function stand 'name = value;' and at the end 'return value;'");
    } else if (!p->panic) {
        parse_advance(p);
        m->result = parse_expression(p);
        parse_semicolon(p, "the result");
    }
    while (p->panic && p->token.kind != T_END && p->token.kind != T_EOF)
        parse_advance(p);
    p->panic = p->gave_up;
}
