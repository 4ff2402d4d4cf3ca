/* parse_habits.c: words and signs of other languages -> one line each that says how Sol writes it.
 *
 * None of these words is reserved: whoever uses one as a name may do so. */
#include "frontend/parse_int.h"

#include <string.h>

bool parse_at_word(const Parser *p, const char *word)
{
    return p->token.kind == T_ID && strcmp(intern_text(p->names, p->token.sym), word) == 0;
}

/* The token behind the present one. */
Token parse_look_ahead(const Parser *p)
{
    Lexer copy = p->lexer;
    Diags silent = {.limit = 0, .suppressed = true};
    copy.diags = &silent;
    return lex_next(&copy);
}

/* Is the word at hand used as the name of something? */
static bool names_something(const Parser *p)
{
    switch (parse_look_ahead(p).kind) {
    case T_EQUAL:
    case T_COPY:
    case T_MOVE:
    case T_DOT:
    case T_LBRACE:
        return true;
    default:
        return false;
    }
}

bool parse_at_else_word(const Parser *p)
{
    return (parse_at_word(p, "elseif") || parse_at_word(p, "elsif") ||
            parse_at_word(p, "elsewhen")) &&
           !names_something(p);
}

bool parse_at_section_word(const Parser *p)
{
    return (parse_at_word(p, "equation") || parse_at_word(p, "algorithm")) && !names_something(p) &&
           parse_look_ahead(p).kind != T_LPAREN;
}

/* `equation` is passed over, and what stands behind it is read as what it is. */
bool parse_skip_section_word(Parser *p)
{
    if (p->panic || !parse_at_section_word(p))
        return false;
    diag_error(p->diags, p->token.at, "%s is written 'implementation:'", parse_found(p));
    parse_advance(p);
    return true;
}

void parse_check_assignment(Parser *p)
{
    if (!p->panic && p->token.kind == T_COLON)
        parse_error(p, p->token.at,
                    "':=' is not Sol: an equation is written '=', a value is given by '<<'");
}

bool parse_at_for(const Parser *p)
{
    return parse_at_word(p, "for") && parse_look_ahead(p).kind == T_ID;
}

void parse_check_type(Parser *p, const ADesignator *type)
{
    for (uint32_t i = 0; i < type->n && !p->panic; i++)
        if (type->name[i].subs)
            parse_error(p, type->name[i].subs->at,
                        "the size of an array stands behind its name: 'Real T[10]'");
}
