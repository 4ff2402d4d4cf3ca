/* lookup.c: file names -> parsed files. A name that a text does not define is looked up as NAME.sol
 * beside the file, in the folders given, then in the standard library. */
#include "frontend/resolve_int.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ABSENT = 1,       /* in program->library; files are stored as their number + 2 */
    MOST_FILES = 100, /* that are offered instead of an unknown name */
    MOST_LETTERS = 60
};

/* ---- text ---- */

/* Length of a well-formed UTF-8 sequence at p, or 0. The text ends in NUL, which continues nothing.
 */
static uint32_t utf8_length(const unsigned char *p)
{
    uint32_t n = p[0] < 0x80                   ? 1
                 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                 : (p[0] & 0xf0) == 0xe0       ? 3
                 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                               : 0;
    for (uint32_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

/* Reports the first byte that no text contains. */
bool lookup_check_text(Program *p, const SourceFile *file)
{
    const unsigned char *text = (const unsigned char *)file->text;
    for (uint32_t i = 0; i < file->length;) {
        uint32_t n = utf8_length(text + i);
        if (!n || !text[i]) {
            diag_error(&p->diags, file->base + i,
                       n ? "NUL byte: this is no text" : "invalid UTF-8: this is no text");
            return false;
        }
        i += n;
    }
    return true;
}

/* A file is a definition whose sub-definitions are the models at its top. */
static Def *new_unit(Program *p, FileScope *scope, AModel *models)
{
    AModel *unit = arena_alloc(&p->arena, sizeof *unit);
    unit->kind = DEF_PACKAGE;
    unit->models = models;
    for (AModel *m = models; m; m = m->next)
        unit->n_names++;
    Def *def = resolve_new_def(p, unit, NULL, NULL, scope);
    if (def)
        def->text->is_unit = true;
    return def;
}

FileScope *lookup_text(Program *p, const char *name, const char *folder, const char *text,
                       size_t length)
{
    FileScope *scope = arena_alloc(&p->arena, sizeof *scope);
    scope->path = arena_copy(&p->arena, name, strlen(name));
    scope->folder = folder;
    const SourceFile *added = sources_add(&p->sources, name, text, length);
    if (!added) {
        diag_error(&p->diags, 0, "'%s': too much text, 4 GB in all are possible", name);
        scope->broken = true;
        return scope;
    }
    SourceFile file = *added; /* the list may move */
    uint32_t errors = p->diags.errors;
    AModel *models = NULL;
    if (lookup_check_text(p, &file))
        models = parse_text(&p->arena, &p->names, &p->diags, &file, p->max_depth);
    scope->broken = p->diags.errors > errors;
    scope->unit = new_unit(p, scope, scope->broken ? NULL : models);
    if (scope->unit)
        resolve_names(scope->unit, NULL, 0);
    else
        scope->broken = true;
    vec_push(p->mem, &p->files, scope);
    return scope;
}

/* ---- files ---- */

typedef struct Content {
    char *text;
    size_t length;
    int error; /* errno, or 0 */
} Content;

/* Reads all of an open file. Memory may run out in the middle, so the caller has a guard. */
static void read_all(Program *p, FILE *file, Content *content)
{
    VEC(char) text = {0};
    size_t n;
    do {
        vec_reserve(p->mem, &text, text.n + 65536);
        n = fread(text.at + text.n, 1, 65536, file);
        text.n += (uint32_t)n;
    } while (n && text.n < UINT32_MAX - 2 * 65536u);
    if (ferror(file))
        content->error = errno ? errno : EIO;
    else if (n)
        content->error = EFBIG;
    content->text = text.at;
    content->length = text.n;
}

/* Reads a file and closes it whatever happens; running out of memory is passed on. */
static Content read_file(Program *p, const char *path)
{
    Content content = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        content.error = errno;
        return content;
    }
    MemGuard guard;
    volatile bool done = false;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env) == 0) {
        read_all(p, file, &content);
        mem_guard_pop(p->mem, &guard);
        done = true;
    }
    fclose(file);
    if (!done)
        mem_alloc(p->mem, SIZE_MAX); /* more than there can be: goes on to the next guard */
    return content;
}

static char *folder_of(Program *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    return arena_copy(&p->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

FileScope *lookup_file(Program *p, const char *path, bool optional)
{
    uint64_t key = hash_bytes(path, strlen(path), 1);
    uint32_t known = map_get(&p->library, key);
    if (known)
        return known == ABSENT ? NULL : p->files.at[known - 2];
    Content content = read_file(p, path);
    if (content.error) {
        if (!optional || (content.error != ENOENT && content.error != ENOTDIR)) {
            diag_error(&p->diags, 0, "cannot read '%s': %s", path, strerror(content.error));
            p->io_failed = true;
        }
        mem_free(p->mem, content.text);
        map_put(p->mem, &p->library, key, ABSENT);
        return NULL;
    }
    FileScope *scope = lookup_text(p, path, folder_of(p, path), content.text, content.length);
    mem_free(p->mem, content.text);
    if (scope->unit)
        map_put(p->mem, &p->library, key, p->files.n + 1);
    return scope;
}

static FileScope *lookup_in(Program *p, const char *folder, const char *name)
{
    size_t n = strlen(folder);
    const char *slash = n && folder[n - 1] != '/' ? "/" : "";
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%s%s.sol", folder, slash, name);
    return length > 0 && (size_t)length < sizeof path ? lookup_file(p, path, true) : NULL;
}

/* ---- what there is ---- */

typedef struct Names {
    uint32_t n;
    char at[MOST_FILES][MOST_LETTERS + 1];
} Names;

/* Nothing is allocated while the folder is open. */
static void list_folder(const char *folder, Names *names)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        bool sol = n > 4 && strcmp(entry->d_name + n - 4, ".sol") == 0;
        if (sol && n - 4 <= MOST_LETTERS && names->n < MOST_FILES)
            memcpy(names->at[names->n++], entry->d_name, n - 4); /* the rest is zero */
    }
    if (dir)
        closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *lookup_files(Program *p, uint32_t *n)
{
    *n = p->n_file_names;
    if (p->file_names)
        return p->file_names;
    Names names = {.n = 0};
    for (uint32_t i = 0; i < p->n_folders; i++)
        list_folder(p->folders[i], &names);
    if (p->stdlib)
        list_folder(p->stdlib, &names);
    const char **list = arena_alloc(&p->arena, (names.n + 1) * sizeof *list);
    for (uint32_t i = 0; i < names.n; i++)
        list[i] = arena_copy(&p->arena, names.at[i], strlen(names.at[i]));
    qsort(list, names.n, sizeof *list, by_name);
    *n = p->n_file_names = names.n;
    return p->file_names = list;
}

/* NULL when there is no such file anywhere. */
FileScope *lookup_library(Program *p, FileScope *from, Sym name)
{
    const char *text = intern_text(&p->names, name);
    FileScope *found = from->folder ? lookup_in(p, from->folder, text) : NULL;
    for (uint32_t i = 0; i < p->n_folders && !found; i++)
        found = lookup_in(p, p->folders[i], text);
    if (!found && p->stdlib)
        found = lookup_in(p, p->stdlib, text);
    return found == from ? NULL : found;
}
