/* live_answer.c: what a command found out -> lines for people, one line for a pipe, or JSON. See live.h. */
#include "runtime/cli/live.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void answer_begin(Live *live, const char *command)
{
    live->answer =
        (LiveAnswer){.command = command, .word = "ok", .first = sol_message_count(live->model)};
    live->answer.text = open_memstream(&live->answer.lines, &live->answer.size);
}

void answer_say(Live *live, const char *format, ...)
{
    va_list list;
    if (!live->answer.text)
        return;
    va_start(list, format);
    vfprintf(live->answer.text, format, list);
    va_end(list);
}

void answer_fail(Live *live, const char *format, ...)
{
    va_list list;
    live->answer.word = "error";
    if (!live->answer.text)
        return;
    va_start(list, format);
    vfprintf(live->answer.text, format, list);
    va_end(list);
}

void answer_status(Live *live, SolStatus status)
{
    static const char *const words[] = {[SOL_OK] = "ok",
                                        [SOL_MODEL] = "error",
                                        [SOL_USAGE] = "error",
                                        [SOL_NUMERICS] = "error",
                                        [SOL_IO] = "error",
                                        [SOL_MEMORY] = "error",
                                        [SOL_CANCELLED] = "stopped"};
    live->answer.word = words[status];
}

/* ---- JSON ---- */

void answer_json_text(FILE *out, const char *text, size_t n)
{
    putc('"', out);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void json_number_of(FILE *out, const char *key, double x)
{
    if (isfinite(x))
        fprintf(out, ",\"%s\":%.17g", key, x);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void json_messages(Live *live, FILE *out)
{
    static const char *const severity[] = {"error", "warning", "note"};
    SolMessage m;
    fputs(",\"messages\":[", out);
    for (uint32_t i = live->answer.first; sol_message(live->model, i, &m); i++) {
        fprintf(out, "%s{\"severity\":\"%s\",\"text\":", i > live->answer.first ? "," : "",
                severity[m.severity]);
        answer_json_text(out, m.text, strlen(m.text));
        if (m.file) {
            fputs(",\"file\":", out);
            answer_json_text(out, m.file, strlen(m.file));
            fprintf(out, ",\"line\":%u,\"column\":%u", m.line, m.column);
        }
        putc('}', out);
    }
    putc(']', out);
}

static void print_json(Live *live, FILE *out)
{
    const LiveAnswer *a = &live->answer;
    fprintf(out, "{\"command\":\"%s\",\"answer\":\"%s\"", a->command, a->word);
    json_number_of(out, "time", sol_time(live->sim));
    if (a->verdict) {
        fprintf(out, ",\"edit\":%u,\"entered\":%u,\"removed\":%u,\"visited\":%llu", a->edited.edit,
                a->edited.entered, a->edited.removed, (unsigned long long)a->edited.visited);
        json_number_of(out, "microseconds", a->edited.microseconds);
    }
    json_messages(live, out);
    fputs(",\"text\":", out);
    answer_json_text(out, a->lines, a->size);
    fputs("}\n", out);
}

/* ---- lines ---- */

static void print_verdict(const LiveAnswer *a, FILE *out)
{
    fputs(a->word, out);
    if (!a->verdict)
        return;
    if (a->edited.edit)
        fprintf(out, " +%u", a->edited.edit);
    if (a->edited.verdict != SOL_REFUSED)
        fprintf(out, ": %u relations entered, %u removed, %llu visited, %.0f us", a->edited.entered,
                a->edited.removed, (unsigned long long)a->edited.visited, a->edited.microseconds);
}

static void print_joined(FILE *out, const char *text, size_t n)
{
    while (n && text[n - 1] == '\n')
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            fputs("; ", out);
        else
            putc(text[i], out);
}

static void print_line(Live *live, FILE *out)
{
    const LiveAnswer *a = &live->answer;
    SolMessage m;
    print_verdict(a, out);
    if (a->size) {
        fputs(": ", out);
        print_joined(out, a->lines, a->size);
    }
    for (uint32_t i = a->first; sol_message(live->model, i, &m); i++) {
        fputs(i > a->first ? "; " : ": ", out);
        if (m.file)
            fprintf(out, "%s:%u:%u: ", m.file, m.line, m.column);
        fputs(m.text, out);
    }
    putc('\n', out);
}

static void print_people(Live *live, FILE *out)
{
    const LiveAnswer *a = &live->answer;
    SolMessage m;
    if (a->verdict) {
        print_verdict(a, out);
        putc('\n', out);
    } else if (strcmp(a->word, "ok") != 0 && !sol_message(live->model, a->first, &m)) {
        fprintf(out, "%s: ", a->word);
    }
    fwrite(a->lines, 1, a->size, out);
    if (a->size && a->lines[a->size - 1] != '\n')
        putc('\n', out);
    sol_print_messages(live->model, a->first, out, live->colour);
}

void answer_end(Live *live)
{
    LiveAnswer *a = &live->answer;
    if (a->text)
        fclose(a->text);
    a->text = NULL;
    live->failed += strcmp(a->word, "error") == 0 || strcmp(a->word, "refused") == 0;
    if (live->style == LIVE_JSON)
        print_json(live, live->out);
    else if (live->style == LIVE_LINE)
        print_line(live, live->out);
    else
        print_people(live, live->out);
    fflush(live->out);
    free(a->lines);
    a->lines = NULL;
    sol_forget_messages(live->model);
}
