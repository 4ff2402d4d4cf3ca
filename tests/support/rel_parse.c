/* text of an expression -> X over positions.
 *
 * Precedence as usual: comparisons, sums, products, unary minus, powers. Names that are no function
 * must be live variables of the lab.
 */
#include "tests/support/rel_lab.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void skip_space(LabText *text)
{
    while (*text->at == ' ' || *text->at == '\t')
        text->at++;
}

bool lab_sign(LabText *text, const char *sign)
{
    size_t n = strlen(sign);

    skip_space(text);
    if (strncmp(text->at, sign, n) != 0)
        return false;
    text->at += n;
    return true;
}

bool lab_word(LabText *text, char *word, size_t size)
{
    size_t n = 0;

    skip_space(text);
    while (isalnum((unsigned char)*text->at) || *text->at == '_' || *text->at == '\'' ||
           *text->at == '.') {
        if (n + 1 < size)
            word[n++] = *text->at;
        text->at++;
    }
    word[n] = 0;
    return n > 0;
}

static X fail(Lab *lab, const char *what, const char *which)
{
    snprintf(lab->message, sizeof lab->message, "%s '%.40s'", what, which);
    return 0;
}

static X position_of(Lab *lab, LabText *text, const char *name)
{
    LabVar *var = lab_var(lab, name);

    if (!var)
        return fail(lab, "no variable", name);
    for (uint32_t i = 0; i < text->n; i++)
        if (text->vars[i] == var->var)
            return x_pos(lab->forms, i);
    if (text->n == LAB_POSITIONS)
        return fail(lab, "too many variables at", name);
    text->vars[text->n++] = var->var;
    return x_pos(lab->forms, text->n - 1);
}

static int function_of(const char *name)
{
    static const struct {
        const char *name;
        XOp op;
    } list[] = {{"sin", X_SIN},   {"cos", X_COS},     {"tan", X_TAN},  {"exp", X_EXP},
                {"log", X_LOG},   {"sqrt", X_SQRT},   {"abs", X_ABS},  {"atan", X_ATAN},
                {"tanh", X_TANH}, {"floor", X_FLOOR}, {"sign", X_SIGN}};

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].op;
    return -1;
}

static X primary(Lab *lab, LabText *text)
{
    char word[64];
    const char *start;

    if (lab_sign(text, "(")) {
        X x = lab_expression(lab, text);
        if (x && !lab_sign(text, ")"))
            return fail(lab, "expected ) at", text->at);
        return x;
    }
    skip_space(text);
    start = text->at;
    if (isdigit((unsigned char)*start)) {
        char *end;
        double k = strtod(start, &end);
        text->at = end;
        return x_const(lab->forms, k);
    }
    if (!lab_word(text, word, sizeof word))
        return fail(lab, "expected a value at", text->at);
    int function = function_of(word);
    if (function < 0 || !lab_sign(text, "("))
        return position_of(lab, text, word);
    X x = lab_expression(lab, text);
    if (x && !lab_sign(text, ")"))
        return fail(lab, "expected ) at", text->at);
    return x ? x_unary(lab->forms, (XOp)function, x) : 0;
}

/* Unary minus and power; the exponent is a factor of its own. */
static X factor(Lab *lab, LabText *text)
{
    bool minus = false;

    while (lab_sign(text, "-"))
        minus = !minus;
    X x = primary(lab, text);
    if (x && lab_sign(text, "^")) {
        X exponent = primary(lab, text);
        x = exponent ? x_binary(lab->forms, X_POW, x, exponent) : 0;
    }
    return x && minus ? x_unary(lab->forms, X_NEG, x) : x;
}

static X product(Lab *lab, LabText *text)
{
    X x = factor(lab, text);

    while (x) {
        XOp op = lab_sign(text, "*") ? X_MUL : lab_sign(text, "/") ? X_DIV : X_CONST;
        if (op == X_CONST)
            break;
        X y = factor(lab, text);
        x = y ? x_binary(lab->forms, op, x, y) : 0;
    }
    return x;
}

static X sum(Lab *lab, LabText *text)
{
    X x = product(lab, text);

    while (x) {
        XOp op = lab_sign(text, "+") ? X_ADD : lab_sign(text, "-") ? X_SUB : X_CONST;
        if (op == X_CONST)
            break;
        X y = product(lab, text);
        x = y ? x_binary(lab->forms, op, x, y) : 0;
    }
    return x;
}

static XOp comparison(LabText *text)
{
    skip_space(text);
    if (strncmp(text->at, "<<", 2) == 0)
        return X_CONST;
    return lab_sign(text, "<=")   ? X_LE
           : lab_sign(text, ">=") ? X_GE
           : lab_sign(text, "==") ? X_EQ
           : lab_sign(text, "<>") ? X_NE
           : lab_sign(text, "<")  ? X_LT
           : lab_sign(text, ">")  ? X_GT
                                  : X_CONST;
}

X lab_expression(Lab *lab, LabText *text)
{
    if (++text->depth > 100)
        return fail(lab, "nested too deeply at", text->at);
    X x = sum(lab, text);
    XOp op = x ? comparison(text) : X_CONST;
    if (op != X_CONST) {
        X y = sum(lab, text);
        x = y ? x_binary(lab->forms, op, x, y) : 0;
    }
    text->depth--;
    return x;
}
