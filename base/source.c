/* source.c: places -> file, line, column. See source.h. */
#include "base/source.h"

#include <string.h>

void sources_init(Sources *sources, Mem *mem)
{
    *sources = (Sources){.mem = mem};
    arena_init(&sources->arena, mem);
}

void sources_free(Sources *sources)
{
    arena_free(&sources->arena);
    vec_free(sources->mem, &sources->files);
}

const SourceFile *sources_add(Sources *sources, const char *name, const char *text, size_t length)
{
    Place base = 1;
    if (sources->files.n) {
        const SourceFile *before = &vec_last(&sources->files);
        base = before->base + before->length + 1;
    }
    if (length >= UINT32_MAX - base)
        return NULL;
    SourceFile file = {
        .name = arena_copy(&sources->arena, name, strlen(name)),
        .text = arena_copy(&sources->arena, text, length),
        .length = (uint32_t)length,
        .base = base,
    };
    vec_push(sources->mem, &sources->files, file);
    return &vec_last(&sources->files);
}

static const SourceFile *file_of(const Sources *sources, Place at)
{
    uint32_t low = 0, high = sources->files.n;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (sources->files.at[middle].base <= at)
            low = middle;
        else
            high = middle;
    }
    return &sources->files.at[low];
}

Location source_locate(const Sources *sources, Place at)
{
    if (!at || !sources->files.n)
        return (Location){.file = "", .line_text = ""};
    const SourceFile *file = file_of(sources, at);
    uint32_t offset = at - file->base;
    if (offset > file->length)
        offset = file->length;
    uint32_t line = 1, start = 0;
    for (uint32_t i = 0; i < offset; i++)
        if (file->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    uint32_t end = offset;
    while (end < file->length && file->text[end] != '\n' && file->text[end] != '\r')
        end++;
    return (Location){.file = file->name,
                      .line = line,
                      .column = offset - start + 1,
                      .line_text = file->text + start,
                      .line_length = end - start};
}
