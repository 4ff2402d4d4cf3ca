/* lex.c: source text -> tokens.
 *
 * Requires the keywords to be the first symbols of the name table, so that a keyword is recognised
 * by its symbol and not by comparing texts. Wrong characters are reported once per run of them. */
#include "frontend/lex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const lex_keywords[] = {
    "model",     "package", "connector", "redefine",       "partial", "extends",
    "define",    "as",      "interface", "implementation", "end",     "parameter",
    "static",    "dynamic", "alias",     "redeclare",      "in",      "out",
    "potential", "flow",    "if",        "when",           "then",    "else",
    "and",       "or",      "not",       "true",           "false",
};

_Static_assert(sizeof lex_keywords / sizeof *lex_keywords == T_KEYWORDS_END - 1,
               "one text for each keyword");

enum { C_OTHER, C_SPACE, C_LETTER, C_DIGIT };

static int class_of(unsigned char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return C_LETTER;
    if (c >= '0' && c <= '9')
        return C_DIGIT;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        return C_SPACE;
    return C_OTHER;
}

const char *lex_keyword(uint32_t number)
{
    return number < sizeof lex_keywords / sizeof *lex_keywords ? lex_keywords[number] : NULL;
}

void lex_init_names(Intern *names)
{
    for (uint32_t i = 0; i < sizeof lex_keywords / sizeof *lex_keywords; i++)
        intern_str(names, lex_keywords[i]);
}

void lex_open(Lexer *lexer, Intern *names, Diags *diags, const SourceFile *file)
{
    *lexer = (Lexer){names, diags, file->text, 0, file->length, file->base};
    if (file->length >= 3 && memcmp(file->text, "\xef\xbb\xbf", 3) == 0)
        lexer->pos = 3; /* a byte order mark, as some editors leave it */
}

/* Skips to the end of a block comment; false when there is none. */
static bool skip_block(Lexer *lexer)
{
    const char *p = lexer->text + lexer->pos + 2;
    const char *end = lexer->text + lexer->length;
    while (p < end && !(p[0] == '*' && p[1] == '/'))
        p++;
    bool closed = p < end;
    if (!closed)
        diag_error(lexer->diags, lexer->base + lexer->pos, "comment without end");
    lexer->pos = (uint32_t)(p - lexer->text) + (closed ? 2 : 0);
    return closed;
}

static void skip_blanks(Lexer *lexer)
{
    for (;;) {
        const char *p = lexer->text + lexer->pos;
        while (class_of((unsigned char)*p) == C_SPACE)
            p++;
        lexer->pos = (uint32_t)(p - lexer->text);
        if (p[0] == '/' && p[1] == '/') {
            const char *line_end = memchr(p, '\n', lexer->length - lexer->pos);
            lexer->pos = line_end ? (uint32_t)(line_end - lexer->text) : lexer->length;
        } else if (p[0] != '/' || p[1] != '*' || !skip_block(lexer)) {
            return;
        }
    }
}

static uint32_t skip_digits(const Lexer *lexer, uint32_t pos)
{
    while (class_of((unsigned char)lexer->text[pos]) == C_DIGIT)
        pos++;
    return pos;
}

/* Digits are plain decimal, so a number that does not fit comes from length or exponent alone. */
static double number_value(Lexer *lexer, const Token *token, uint32_t length)
{
    enum { SHORT = 64 };
    char small[SHORT];
    const char *text = lexer->text + (token->at - lexer->base);
    if (length < SHORT) { /* the common case, and strtod() must not run on into what follows */
        memcpy(small, text, length);
        small[length] = '\0';
        text = small;
    }
    double value = strtod(text, NULL);
    if (isinf(value))
        diag_error(lexer->diags, token->at, "number too large");
    else if (token->kind == T_INTEGER && value > 9007199254740992.0)
        diag_error(lexer->diags, token->at, "integer too large: at most 2^53 is exact");
    return value;
}

static Token lex_number(Lexer *lexer, Token token)
{
    const char *text = lexer->text;
    uint32_t pos = skip_digits(lexer, lexer->pos);
    token.kind = T_INTEGER;
    if (text[pos] == '.') {
        token.kind = T_REAL;
        pos = skip_digits(lexer, pos + 1);
    }
    if (text[pos] == 'e' || text[pos] == 'E') {
        uint32_t digits = pos + 1 + (text[pos + 1] == '+' || text[pos + 1] == '-');
        if (class_of((unsigned char)text[digits]) == C_DIGIT) {
            token.kind = T_REAL;
            pos = skip_digits(lexer, digits);
        }
    }
    token.k = number_value(lexer, &token, pos - lexer->pos);
    if (class_of((unsigned char)text[pos]) == C_LETTER) {
        diag_error(lexer->diags, lexer->base + pos, "letter directly after a number");
        while (class_of((unsigned char)text[pos]) >= C_LETTER)
            pos++;
    }
    lexer->pos = pos;
    return token;
}

static Token lex_word(Lexer *lexer, Token token)
{
    uint32_t pos = lexer->pos;
    while (class_of((unsigned char)lexer->text[pos]) >= C_LETTER)
        pos++;
    token.sym = intern(lexer->names, lexer->text + lexer->pos, pos - lexer->pos);
    token.kind = token.sym < T_KEYWORDS_END ? (TokenKind)token.sym : T_ID;
    lexer->pos = pos;
    return token;
}

static Token lex_string(Lexer *lexer, Token token)
{
    uint32_t start = lexer->pos + 1, pos = start;
    while (pos < lexer->length && lexer->text[pos] != '"' && lexer->text[pos] != '\n')
        pos++;
    bool closed = pos < lexer->length && lexer->text[pos] == '"';
    if (!closed && lexer->text[pos - 1] == ';')
        pos--; /* most likely the end of the statement */
    if (!closed)
        diag_error(lexer->diags, token.at, "text without closing quotation mark in its line");
    token.kind = T_STRING;
    token.sym = intern(lexer->names, lexer->text + start, pos - start);
    lexer->pos = pos + closed;
    return token;
}

/* What other languages mean by it. */
static const char *habit_of(unsigned char c)
{
    switch (c) {
    case '&':
        return ": it is written 'and'";
    case '|':
        return ": it is written 'or'";
    case '!':
    case '~':
        return ": 'not' is written 'not', 'not equal' '<>'";
    case '\'':
        return ": a derivative is written 'der(x)', a text \"text\"";
    default:
        return "";
    }
}

static Token lex_bad(Lexer *lexer, Token token)
{
    unsigned char c = (unsigned char)lexer->text[lexer->pos];
    while (lexer->pos < lexer->length && (unsigned char)lexer->text[lexer->pos] == c)
        lexer->pos++;
    if (c >= 0x80) {
        while ((unsigned char)lexer->text[lexer->pos] >= 0x80)
            lexer->pos++;
        diag_error(lexer->diags, token.at, "character outside ASCII");
    } else if (c < 32 || c == 127) {
        diag_error(lexer->diags, token.at, "control character %u", c);
    } else {
        diag_error(lexer->diags, token.at, "unexpected character '%c'%s", c, habit_of(c));
    }
    token.kind = T_BAD;
    return token;
}

/* Operators of one or two characters; T_BAD with length 0 when there is none. */
static TokenKind operator_at(const char *p, uint32_t *length)
{
    *length = 1;
    switch (p[0]) {
    case ';':
        return T_SEMICOLON;
    case ':':
        return T_COLON;
    case '.':
        return T_DOT;
    case ',':
        return T_COMMA;
    case '{':
        return T_LBRACE;
    case '}':
        return T_RBRACE;
    case '(':
        return T_LPAREN;
    case ')':
        return T_RPAREN;
    case '+':
        return T_PLUS;
    case '-':
        return T_MINUS;
    case '*':
        return T_STAR;
    case '/':
        return T_SLASH;
    case '^':
        return T_CARET;
    case '?':
        return T_QUESTION;
    case '[':
        return T_LBRACKET;
    case ']':
        return T_RBRACKET;
    case '=':
        *length = 1 + (p[1] == '=');
        return p[1] == '=' ? T_EQ : T_EQUAL;
    case '>':
        *length = 1 + (p[1] == '=');
        return p[1] == '=' ? T_GE : T_GT;
    case '<':
        *length = 2;
        switch (p[1]) {
        case '<':
            return T_COPY;
        case '-':
            return T_MOVE;
        case '=':
            return T_LE;
        case '>':
            return T_NE;
        }
        *length = 1;
        return T_LT;
    }
    *length = 0;
    return T_BAD;
}

Token lex_next(Lexer *lexer)
{
    skip_blanks(lexer);
    Token token = {.at = lexer->base + lexer->pos};
    unsigned char c = (unsigned char)lexer->text[lexer->pos];
    uint32_t length = 0;
    if (lexer->pos >= lexer->length) {
        token.kind = T_EOF;
    } else if (class_of(c) == C_LETTER) {
        token = lex_word(lexer, token);
    } else if (class_of(c) == C_DIGIT) {
        token = lex_number(lexer, token);
    } else if (c == '"') {
        token = lex_string(lexer, token);
    } else {
        token.kind = operator_at(lexer->text + lexer->pos, &length);
        lexer->pos += length;
        if (token.kind == T_BAD)
            token = lex_bad(lexer, token);
    }
    token.end = lexer->base + lexer->pos;
    return token;
}

const char *lex_token_name(const Token *token, const Intern *names)
{
    static const char *const symbols[] = {
        "';'",  "':'",
        "'.'",  "','",
        "'{'",  "'}'",
        "'('",  "')'",
        "'='",  "'<<'",
        "'<-'", "'<'",
        "'<='", "'=='",
        "'<>'", "'>='",
        "'>'",  "'+'",
        "'-'",  "'*'",
        "'/'",  "'^'",
        "'?'",  "'['",
        "']'",  "this character",
    };
    switch (token->kind) {
    case T_EOF:
        return "the end of the text";
    case T_INTEGER:
    case T_REAL:
        return "a number";
    case T_STRING:
        return "a text";
    default:
        break;
    }
    if (token->kind >= T_SEMICOLON)
        return symbols[token->kind - T_SEMICOLON];
    return intern_text(names, token->sym);
}
