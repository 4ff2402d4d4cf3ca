/* json.c: calls -> JSON text. See json.h. */
#include "runtime/results/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void json_open(Json *json, OutFile *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
    json->filled[0] = true;
}

void json_close(Json *json)
{
    assert(json->depth == 0);
    out_text(json->out, "\n");
}

static void new_line(Json *json)
{
    if (json->flat[json->depth]) {
        if (json->filled[json->depth])
            out_text(json->out, " ");
        return;
    }
    out_text(json->out, "\n");
    for (uint32_t i = 0; i < json->depth; i++)
        out_text(json->out, "  ");
}

/* Length of the UTF-8 sequence at `s`, 0 when it is none (overlong forms and surrogates included).
 */
static int utf8_length(const unsigned char *s)
{
    static const unsigned char lowest[] = {0, 0, 0x80, 0xA0, 0x90};
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xC2 ? 0
            : s[0] < 0xE0 ? 2
            : s[0] < 0xF0 ? 3
            : s[0] < 0xF5 ? 4
                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 || s[0] == 0xF0) && s[1] < lowest[n])
        return 0;
    if ((s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return n;
}

static void write_escape(OutFile *out, unsigned char c)
{
    char text[8];
    if (c == '"' || c == '\\')
        snprintf(text, sizeof text, "\\%c", c);
    else if (c == '\n')
        snprintf(text, sizeof text, "\\n");
    else
        snprintf(text, sizeof text, "\\u%04x", c);
    out_text(out, text);
}

static void write_text(OutFile *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    out_text(out, "\"");
    while (*s) {
        int n = utf8_length(s);
        if (n == 0)
            out_text(out, "\\ufffd");
        else if (*s == '<' && (s[1] == '/' || s[1] == '!')) /* would end a script element of HTML */
            write_escape(out, *s);
        else if (n == 1 && (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7F))
            write_escape(out, *s);
        else
            out_bytes(out, s, (size_t)n);
        s += n ? n : 1;
    }
    out_text(out, "\"");
}

static void begin_value(Json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth])
            out_text(json->out, ",");
        new_line(json);
        json->filled[json->depth] = true;
    }
    if (key) {
        write_text(json->out, key);
        out_text(json->out, ": ");
    }
}

static void open_bracket(Json *json, const char *key, const char *bracket, bool flat)
{
    begin_value(json, key);
    assert(json->depth + 1 < JSON_DEPTH);
    flat = flat || json->flat[json->depth];
    json->depth++;
    json->filled[json->depth] = false;
    json->flat[json->depth] = flat;
    out_text(json->out, bracket);
}

static void close_bracket(Json *json, const char *bracket)
{
    bool line = json->filled[json->depth] && !json->flat[json->depth];
    json->depth--;
    if (line)
        new_line(json);
    out_text(json->out, bracket);
}

void json_object(Json *json, const char *key)
{
    open_bracket(json, key, "{", false);
}

void json_flat_object(Json *json, const char *key)
{
    open_bracket(json, key, "{", true);
}

void json_list(Json *json, const char *key)
{
    open_bracket(json, key, "[", false);
}

void json_end_object(Json *json)
{
    close_bracket(json, "}");
}

void json_end_list(Json *json)
{
    close_bracket(json, "]");
}

void json_number(Json *json, const char *key, double x)
{
    begin_value(json, key);
    if (isfinite(x))
        out_number(json->out, x);
    else
        out_text(json->out, "null");
}

void json_measured(Json *json, const char *key, double x, uint32_t decimals)
{
    uint64_t one = 1;
    for (uint32_t i = 0; i < decimals; i++)
        one *= 10;
    if (!(x >= 0 && x * (double)one < 1e15)) {
        json_number(json, key, x);
        return;
    }
    char text[32];
    uint64_t parts = (uint64_t)(x * (double)one + 0.5);
    int n = snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, parts / one, (int)decimals,
                     parts % one);
    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    begin_value(json, key);
    out_bytes(json->out, text, (size_t)n);
}

void json_integer(Json *json, const char *key, uint64_t x)
{
    char text[24];
    begin_value(json, key);
    snprintf(text, sizeof text, "%" PRIu64, x);
    out_text(json->out, text);
}

void json_bool(Json *json, const char *key, bool x)
{
    begin_value(json, key);
    out_text(json->out, x ? "true" : "false");
}

void json_text(Json *json, const char *key, const char *text)
{
    begin_value(json, key);
    write_text(json->out, text);
}
