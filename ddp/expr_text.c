/* expr_text.c: expression -> text in Sol's syntax. See x_print in expr.h.
 *
 * The stack holds what is still to be written, the next piece on top: pieces of text, and
 * expressions with the level of binding that their place asks for. An expression that binds less
 * gets parentheses. Writing stops when the buffer is full, which bounds the work as well: the text
 * of a shared expression may be exponentially longer than the expression. */
#include "ddp/expr_int.h"

#include "ddp/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels of binding, as Sol's grammar nests them; all binary operators bind from left to right. */
enum { ANY, LOGIC, COMPARISON, SUM, PRODUCT, POWER, SIGNED, ELEMENT };

/* clang-format off */
static const struct OpText {
    const char *text;
    int level; /* ELEMENT: written as a function */
} op_text[X_OP_COUNT] = {
#define FUNCTION(NAME, function, ...) [X_##NAME] = {#function, ELEMENT},
    X_FUNCTIONS_OF_ONE(FUNCTION, FUNCTION) X_FUNCTIONS_OF_TWO(FUNCTION, FUNCTION)
#undef FUNCTION
    [X_NEG] = {"-", SIGNED},       [X_NOT] = {"not ", SIGNED},    [X_ADD] = {" + ", SUM},
    [X_SUB] = {" - ", SUM},        [X_MUL] = {"*", PRODUCT},      [X_DIV] = {"/", PRODUCT},
    [X_POW] = {"^", POWER},        [X_LT] = {" < ", COMPARISON},  [X_LE] = {" <= ", COMPARISON},
    [X_EQ] = {" == ", COMPARISON}, [X_NE] = {" <> ", COMPARISON}, [X_GE] = {" >= ", COMPARISON},
    [X_GT] = {" > ", COMPARISON},  [X_AND] = {" and ", LOGIC},    [X_OR] = {" or ", LOGIC},
    [X_SELECT] = {"select", ELEMENT},
};
/* clang-format on */

typedef struct Piece {
    const char *text; /* or NULL: */
    X x;
    int level;                /* at least this */
    X other;                  /* what x is compared with by == or <>; 0: nothing */
    uint32_t function, index; /* x is this argument, from 1, of this function; 0: of none */
} Piece;

typedef struct Writer {
    const FormTable *table;
    const XNames *names;
    char *out;
    size_t size, n;
    VEC(Piece) todo;
} Writer;

static void write_text(Writer *w, const char *text)
{
    while (*text && w->n + 1 < w->size)
        w->out[w->n++] = *text++;
    w->out[w->n] = '\0';
}

static void later(Writer *w, const char *text)
{
    vec_push(w->table->mem, &w->todo, ((Piece){.text = text}));
}

static void later_x(Writer *w, X x, int level)
{
    vec_push(w->table->mem, &w->todo, ((Piece){.x = x, .level = level}));
}

static void later_equal(Writer *w, X x, int level, X other)
{
    vec_push(w->table->mem, &w->todo, ((Piece){.x = x, .level = level, .other = other}));
}

/* Most numbers of models have few digits: so many millionths, if that reads back as the same number. */
static bool in_millionths(double k, long long *n)
{
    bool plain = (fabs(k) >= 1e-4 && fabs(k) < 1e9) || (k == 0 && !signbit(k));
    *n = plain ? llrint(k * 1e6) : 0;
    return plain && (double)*n / 1e6 == k;
}

static void write_millionths(Writer *w, long long n)
{
    char text[32], *at = text + sizeof text - 1;
    unsigned long long rest = n < 0 ? -(unsigned long long)n : (unsigned long long)n;
    *at = '\0';
    for (int place = 0; place <= 6 || rest; place++, rest /= 10) {
        if (place == 6 && *at)
            *--at = '.';
        if (place >= 6 || *at || rest % 10)
            *--at = (char)('0' + rest % 10);
    }
    if (n < 0)
        *--at = '-';
    write_text(w, at);
}

/* The shortest text that reads back as the same number. Infinities have no literal. */
static void write_number(Writer *w, double k)
{
    char text[40];
    long long n;
    if (in_millionths(k, &n)) {
        write_millionths(w, n);
        return;
    }
    if (isnan(k) || isinf(k)) {
        write_text(w, isnan(k) ? "(0/0)" : k > 0 ? "(1/0)" : "(-1/0)");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, k);
        if (strtod(text, NULL) == k)
            break;
    }
    write_text(w, text);
}

static void write_constant(Writer *w, double k, X other)
{
    const XNames *names = w->names;
    const char *text = NULL;
    if (other && names->constant)
        text = names->constant(names->context, k, other);
    if (text)
        write_text(w, text);
    else
        write_number(w, k);
}

static void write_position(Writer *w, uint32_t position)
{
    char text[24];
    const XNames *names = w->names;
    const char *name = names->position ? names->position(names->context, position) : NULL;
    if (!name)
        snprintf(text, sizeof text, "#%u", position);
    write_text(w, name ? name : text);
}

static uint32_t list_length(const Writer *w, X list)
{
    uint32_t n = 0;
    for (; list; list = x_node(w->table, list).b)
        n++;
    return n;
}

/* A list has the last argument first. */
static void write_foreign(Writer *w, XNode node)
{
    const XNames *names = w->names;
    const char *name = names->function ? names->function(names->context, node.a) : NULL;
    char text[24];
    snprintf(text, sizeof text, "function%u", node.a);
    write_text(w, name ? name : text);
    write_text(w, "(");
    uint32_t index = list_length(w, node.b);
    for (X list = node.b; list; list = x_node(w->table, list).b, index--) {
        Piece piece = {.x = x_node(w->table, list).a, .function = node.a, .index = index};
        vec_push(w->table->mem, &w->todo, piece);
        if (index > 1)
            later(w, ", ");
    }
}

static bool write_argument(Writer *w, const Piece *piece)
{
    const XNames *names = w->names;
    XNode node = x_node(w->table, piece->x);
    if (!piece->index || node.op != X_CONST || !names->argument)
        return false;
    const char *text = names->argument(names->context, piece->function, piece->index - 1, node.k);
    if (text)
        write_text(w, text);
    return text != NULL;
}

/* Pushes ")" and the arguments in reverse. */
static void write_call(Writer *w, XNode node)
{
    later(w, ")");
    if (node.op == X_CALL) {
        write_foreign(w, node);
        return;
    }
    X child[3];
    write_text(w, op_text[node.op].text);
    write_text(w, "(");
    for (uint32_t n = xnode_children(node, child), i = n; i-- > 0;) {
        later_x(w, child[i], ANY);
        if (i > 0)
            later(w, ", ");
    }
}

static bool has_sign(const Writer *w, X x)
{
    XNode node = x_node(w->table, x);
    return node.op == X_NEG || (node.op == X_CONST && signbit(node.k));
}

static int level_of(const Writer *w, X x)
{
    XNode node = x_node(w->table, x);
    if (node.op == X_CONST || node.op == X_POS || node.op == X_CALL || node.op == X_ARG)
        return has_sign(w, x) ? SIGNED : ELEMENT;
    return op_text[node.op].level;
}

/* An operand of `not`, `and` or `or`: a constant is true or false, where types are known. */
static void later_truth(Writer *w, X x, int level)
{
    XNode node = x_node(w->table, x);
    if (node.op == X_CONST && w->names->constant)
        later(w, node.k != 0 ? "true" : "false");
    else
        later_x(w, x, level);
}

/* A comparison has two sums, not comparisons; a - (-b) gets parentheses for the reader's sake. */
static void write_binary(Writer *w, XNode node)
{
    int level = op_text[node.op].level;
    bool equal = node.op == X_EQ || node.op == X_NE;
    if (level == LOGIC)
        later_truth(w, node.b, level + 1);
    else
        later_equal(w, node.b, has_sign(w, node.b) ? ELEMENT : level + 1, equal ? node.a : 0);
    later(w, op_text[node.op].text);
    if (level == LOGIC)
        later_truth(w, node.a, level);
    else
        later_equal(w, node.a, level == COMPARISON ? SUM : level, equal ? node.b : 0);
}

static void write_x(Writer *w, X x, int level, X other)
{
    XNode node = x_node(w->table, x);
    if (level_of(w, x) < level) {
        write_text(w, "(");
        later(w, ")");
        later_x(w, x, ANY);
    } else if (node.op == X_CONST) {
        write_constant(w, node.k, other);
    } else if (node.op == X_POS) {
        write_position(w, node.a);
    } else if (node.op == X_NEG) {
        write_text(w, op_text[node.op].text);
        later_x(w, node.a, ELEMENT);
    } else if (node.op == X_NOT) {
        write_text(w, op_text[node.op].text);
        later_truth(w, node.a, ELEMENT);
    } else if (node.op == X_ARG) {
        later_x(w, node.a, ANY);
    } else if (op_text[node.op].level == ELEMENT || node.op == X_CALL) {
        write_call(w, node);
    } else {
        write_binary(w, node);
    }
}

void x_print(const FormTable *table, X x, XName name, void *context, char *out, size_t size)
{
    x_print_named(table, x, &(XNames){.context = context, .position = name}, out, size);
}

void x_print_named(const FormTable *table, X x, const XNames *names, char *out, size_t size)
{
    if (size == 0)
        return;
    Writer w = {table, names, out, size, strnlen(out, size - 1), {0}};
    out[w.n] = '\0';
    later_x(&w, x, ANY);
    while (w.todo.n && w.n + 1 < size) {
        Piece piece = vec_pop(&w.todo);
        if (piece.text)
            write_text(&w, piece.text);
        else if (!write_argument(&w, &piece))
            write_x(&w, piece.x, piece.level, piece.other);
    }
    vec_free(table->mem, &w.todo);
}
