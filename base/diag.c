/* diag.c: findings -> messages with source lines. See diag.h. */
#include "base/diag.h"

#include <string.h>

enum { ERROR_LIMIT = 100, SHOWN_COLUMNS = 120 };

void diags_init(Diags *diags, Mem *mem, const Sources *sources)
{
    *diags = (Diags){.mem = mem, .sources = sources, .limit = ERROR_LIMIT};
    arena_init(&diags->arena, mem);
}

void diags_free(Diags *diags)
{
    arena_free(&diags->arena);
    vec_free(diags->mem, &diags->list);
}

void diags_clear(Diags *diags)
{
    arena_free(&diags->arena);
    vec_clear(&diags->list);
    diags->errors = diags->warnings = 0;
    diags->suppressed = false;
}

void diags_forget(Diags *diags)
{
    arena_free(&diags->arena);
    vec_clear(&diags->list);
}

void diags_drop_errors(Diags *diags, uint32_t from)
{
    uint32_t kept = from;
    bool drops = false;
    for (uint32_t i = from; i < diags->list.n; i++) {
        Message message = diags->list.at[i];
        if (message.severity != DIAG_NOTE)
            drops = message.severity == DIAG_ERROR;
        if (!drops)
            diags->list.at[kept++] = message;
        else if (message.severity == DIAG_ERROR)
            diags->errors--;
    }
    diags->list.n = kept;
}

static void add(Diags *diags, Severity severity, Place at, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(&diags->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    vec_push(diags->mem, &diags->list, ((Message){severity, at, text}));
}

void diag_error(Diags *diags, Place at, const char *format, ...)
{
    diags->suppressed = ++diags->errors > diags->limit;
    if (diags->suppressed)
        return;
    va_list args;
    va_start(args, format);
    add(diags, DIAG_ERROR, at, format, args);
    va_end(args);
}

void diag_warning(Diags *diags, Place at, const char *format, ...)
{
    diags->suppressed = ++diags->warnings > diags->limit;
    if (diags->suppressed)
        return;
    va_list args;
    va_start(args, format);
    add(diags, DIAG_WARNING, at, format, args);
    va_end(args);
}

void diag_note(Diags *diags, Place at, const char *format, ...)
{
    if (diags->suppressed)
        return;
    va_list args;
    va_start(args, format);
    add(diags, DIAG_NOTE, at, format, args);
    va_end(args);
}

static const char *label(Severity severity, bool colour)
{
    static const char *const plain[] = {"error", "warning", "note"};
    static const char *const bright[] = {"\033[1;31merror\033[0m", "\033[1;35mwarning\033[0m",
                                         "\033[1;36mnote\033[0m"};
    return colour ? bright[severity] : plain[severity];
}

/* The source line with a caret below; a very long line is shown around the place only. */
static void print_line(const Location *where, FILE *out)
{
    uint32_t start = 0, length = where->line_length, column = where->column - 1;
    if (length > SHOWN_COLUMNS) {
        start = column > SHOWN_COLUMNS / 2 ? column - SHOWN_COLUMNS / 2 : 0;
        length =
            where->line_length - start < SHOWN_COLUMNS ? where->line_length - start : SHOWN_COLUMNS;
    }
    fputs("    ", out);
    for (uint32_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)where->line_text[start + i];
        fputc(c < 32 || c == 127 ? ' ' : c, out);
    }
    int width = 0; /* columns count bytes, the caret characters */
    for (uint32_t i = start; i < column && i < where->line_length; i++)
        width += ((unsigned char)where->line_text[i] & 0xc0) != 0x80;
    width += column > where->line_length ? (int)(column - where->line_length) : 0;
    fprintf(out, "\n    %*s^\n", width, "");
}

uint32_t diags_print(const Diags *diags, uint32_t from, FILE *out, bool colour)
{
    for (uint32_t i = from; i < diags->list.n; i++) {
        const Message *m = &diags->list.at[i];
        if (!m->at) {
            fprintf(out, "solstice: %s: %s\n", label(m->severity, colour), m->text);
            continue;
        }
        Location where = source_locate(diags->sources, m->at);
        fprintf(out, "%s:%u:%u: %s: %s\n", where.file, where.line, where.column,
                label(m->severity, colour), m->text);
        print_line(&where, out);
    }
    if (diags->errors > diags->limit)
        fprintf(out, "solstice: %u more errors are not shown\n", diags->errors - diags->limit);
    return diags->list.n;
}
