/* lex.h: tokens of one source text, one at a time. */
#ifndef FRONTEND_LEX_H
#define FRONTEND_LEX_H

#include "base/diag.h"
#include "base/intern.h"

/* Keywords come first, in the order of lex_keywords[]: their Sym is their TokenKind. */
typedef enum TokenKind {
    T_EOF,
    T_MODEL,
    T_PACKAGE,
    T_CONNECTOR,
    T_REDEFINE,
    T_PARTIAL,
    T_EXTENDS,
    T_DEFINE,
    T_AS,
    T_INTERFACE,
    T_IMPLEMENTATION,
    T_END,
    T_PARAMETER,
    T_STATIC,
    T_DYNAMIC,
    T_ALIAS,
    T_REDECLARE,
    T_IN,
    T_OUT,
    T_POTENTIAL,
    T_FLOW,
    T_IF,
    T_WHEN,
    T_THEN,
    T_ELSE,
    T_AND,
    T_OR,
    T_NOT,
    T_TRUE,
    T_FALSE,
    T_KEYWORDS_END,
    T_ID = T_KEYWORDS_END,
    T_INTEGER,
    T_REAL,
    T_STRING,
    T_SEMICOLON,
    T_COLON,
    T_DOT,
    T_COMMA,
    T_LBRACE,
    T_RBRACE,
    T_LPAREN,
    T_RPAREN,
    T_EQUAL,
    T_COPY,
    T_MOVE,
    T_LT,
    T_LE,
    T_EQ,
    T_NE,
    T_GE,
    T_GT,
    T_PLUS,
    T_MINUS,
    T_STAR,
    T_SLASH,
    T_CARET,
    T_QUESTION,
    T_LBRACKET,
    T_RBRACKET,
    T_BAD /* reported already */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Place at;
    Place end; /* of the byte after it */
    Sym sym;   /* T_ID and keywords: the name; T_STRING: the text between the quotation marks */
    double k;  /* T_INTEGER, T_REAL */
} Token;

typedef struct Lexer {
    Intern *names;
    Diags *diags;
    const char *text; /* NUL after the last byte */
    uint32_t pos, length;
    Place base; /* place of text[0] */
} Lexer;

/* Makes the keywords the first symbols of an empty table; every Lexer needs such a table. */
void lex_init_names(Intern *names);

void lex_open(Lexer *lexer, Intern *names, Diags *diags, const SourceFile *file);
Token lex_next(Lexer *lexer);
const char *lex_token_name(const Token *token,
                           const Intern *names); /* "';'", "'end'", "a number" */

const char *lex_keyword(uint32_t number); /* from 0; NULL behind the last */

#endif
