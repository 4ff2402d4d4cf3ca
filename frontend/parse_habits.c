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

/* ---- words in front of a declaration or a definition ---- */

typedef struct Habit {
    const char *word, *message;
    bool ends; /* what follows cannot be read as if the word were not there */
} Habit;

static const Habit declared[] = {
    {"Dynamic", "'Dynamic' is written 'dynamic'", false},
    {"Parameter", "'Parameter' is written 'parameter'", false},
    {"Static", "'Static' is written 'static'", false},
    {"annotation", "Sol has no annotations; a comment begins with '//'", true},
    {"constant", "a constant is written 'define NAME as VALUE;', in front of 'interface:'", true},
    {"discrete", "'discrete' is left out: what '<<' gives a value keeps it", false},
    {"final", "Sol has no 'final'", false},
    {"function",
     "a function stands in front of 'interface:', as 'function f(x) return x*x; end f;'", true},
    {"initial", "initial equations are written 'if initial() then ... end;'", true},
    {"inner", "Sol has no 'inner': give the instance as a parameter", false},
    {"input", "'input' is written 'in'", false},
    {"outer", "Sol has no 'outer': give the instance as a parameter", false},
    {"output", "'output' is written 'out'", false},
    {"protected", "'protected' is left out: what the implementation declares is private", false},
    {"public", "'public' is left out: what the interface declares is public", false},
    {"replaceable", "'replaceable' is left out: an heir says 'redeclare' or 'redefine'", false},
};

static const Habit defined[] = {
    {"Connector", "'Connector' is written 'connector'", true},
    {"Model", "'Model' is written 'model'", true},
    {"Package", "'Package' is written 'package'", true},
    {"block", "'block' is written 'model'", true},
    {"class", "'class' is written 'model'", true},
    {"import", "'import' is left out: a file is found by the name of what it defines", true},
    {"record", "'record' is written 'model'", true},
    {"type", "a type is written 'define Voltage as Real {unit << \"V\"};', in a model or package",
     true},
    {"within", "'within' is left out: a file is found by the name of what it defines", true},
};

static const Habit *habit_at(const Parser *p, const Habit *habit, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parse_at_word(p, habit[i].word))
            return &habit[i];
    return NULL;
}

/* The two tokens behind the present one. */
static void look_ahead(const Parser *p, TokenKind *second, TokenKind *third)
{
    Lexer copy = p->lexer;
    Diags silent = {.limit = 0, .suppressed = true};
    copy.diags = &silent;
    *second = lex_next(&copy).kind;
    *third = lex_next(&copy).kind;
}

/* Two names and a third, or a word of the language, are no declaration of Sol. */
static bool is_no_type(const Parser *p)
{
    TokenKind second, third;
    look_ahead(p, &second, &third);
    if (parse_at_word(p, "annotation"))
        return second == T_LPAREN;
    if (parse_at_word(p, "function"))
        return second == T_ID;
    if (parse_at_word(p, "initial"))
        return second == T_ID && third != T_SEMICOLON;
    return (second == T_ID && (third == T_ID || third == T_DOT)) || second == T_PARAMETER ||
           (second >= T_STATIC && second <= T_FLOW);
}

void parse_check_word(Parser *p)
{
    const Habit *habit = habit_at(p, declared, sizeof declared / sizeof *declared);
    TokenKind second, third;
    if (p->panic || p->token.kind != T_ID)
        return;
    look_ahead(p, &second, &third);
    if (second == T_COLON && third != T_EQUAL)
        parse_error(p, p->token.at,
                    "there is no section %s: there are 'interface:' and 'implementation:'",
                    parse_found(p));
    if (p->panic || !habit || !is_no_type(p))
        return;
    diag_error(p->diags, p->token.at, "%s", habit->message);
    if (habit->ends)
        p->panic = true;
    else
        parse_advance(p);
}

const char *parse_definition_habit(const Parser *p)
{
    const Habit *habit = habit_at(p, defined, sizeof defined / sizeof *defined);
    return habit ? habit->message : NULL;
}

const char *parse_semicolon_habit(const Parser *p)
{
    if (p->token.kind == T_COMMA)
        return "; one name stands in a declaration, one relation in a statement";
    if (p->token.kind == T_STRING)
        return "; what is told to the reader stands in a comment, behind '//'";
    return "";
}
