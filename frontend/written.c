/* written.c: changes of definitions -> text. See written.h.
 *
 * The text is put out from the beginning to the end; patches say what is left out, put in or copied at a place.
 * Patches of the file hold wherever their place is put out, those of a copy in the copy alone. A copy of what another
 * file defines stands at the beginning of the main file, with whole paths for names of its surrounding. */
#include "frontend/written.h"

#include "frontend/written_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TextPatch {
    Place at;
    uint32_t gone;     /* bytes that are left out */
    const char *text;  /* comes instead, or NULL */
    Place means;       /* in the old text, of what `text` begins with; 0: nothing */
    uint32_t copy;     /* TextCopy that follows, from 1 */
    uint32_t added_to; /* TextCopy whose new statements follow, from 1 */
    uint32_t order;
} TextPatch;

typedef VEC(TextPatch) Patches;

/* The text of one definition as it is put out once more, or where it stands. */
typedef struct TextCopy {
    AModel *model;
    Level *level;     /* from which its names are looked up */
    const char *name; /* NULL: it stands where it stood */
    bool moved;       /* its text is of another file: it stands before all that the main file has */
    Patches patches;
    VEC(const Stmt *) added;
} TextCopy;

typedef struct WrittenDef {
    Def *def;
    const char *ending; /* of names of copies, or NULL */
    uint32_t *copy;     /* [piece]: TextCopy from 1, or 0 */
} WrittenDef;

struct Writer {
    Mem *mem;
    Arena arena;
    Program *program;
    VEC(TextCopy) copies;
    VEC(WrittenDef) defs;
    Patches patches; /* of the file */
    uint32_t n_patches;
    VEC(char) out;
    VEC(WrittenRange) ranges;
};

Writer *writer_open(Mem *mem, Program *program)
{
    Writer *w = mem_alloc(mem, sizeof *w);
    w->mem = mem;
    w->program = program;
    arena_init(&w->arena, mem);
    return w;
}

void writer_close(Writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->copies.n; i++) {
        vec_free(w->mem, &w->copies.at[i].patches);
        vec_free(w->mem, &w->copies.at[i].added);
    }
    vec_free(w->mem, &w->copies);
    vec_free(w->mem, &w->defs);
    vec_free(w->mem, &w->patches);
    vec_free(w->mem, &w->out);
    vec_free(w->mem, &w->ranges);
    arena_free(&w->arena);
    mem_free(w->mem, w);
}

/* ---- the old text ---- */

static const SourceFile *file_of(const Program *p, Place at)
{
    uint32_t i = p->sources.files.n;
    while (i > 1 && p->sources.files.at[i - 1].base > at)
        i--;
    return &p->sources.files.at[i - 1];
}

static const SourceFile *main_file(const Program *p)
{
    uint32_t i = 0;
    while (i + 1 < p->sources.files.n && strcmp(p->sources.files.at[i].name, p->main->path) != 0)
        i++;
    return &p->sources.files.at[i];
}

static const char *text_at(const Program *p, Place at)
{
    const SourceFile *file = file_of(p, at);
    return file->text + (at - file->base);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Behind blanks, line ends and comments. */
static Place skip_space(const Program *p, Place at)
{
    for (const char *text = text_at(p, at);; at = at + 1, text++) {
        if (text[0] == '/' && (text[1] == '/' || text[1] == '*')) {
            const char *end = strstr(text + 2, text[1] == '/' ? "\n" : "*/");
            if (!end)
                return at;
            at += (Place)(end - text) + (text[1] == '*');
            text = end + (text[1] == '*');
        } else if (!is_blank(*text) && *text != '\n') {
            return at;
        }
    }
}

/* From the beginning of its line to `at` there is nothing; *line: that beginning. */
static bool begins_line(const Program *p, Place at, Place *line)
{
    const SourceFile *file = file_of(p, at);
    while (at > file->base && is_blank(file->text[at - file->base - 1]))
        at--;
    *line = at;
    return at == file->base || file->text[at - file->base - 1] == '\n';
}

static const char *indentation(Writer *w, Place at)
{
    Place line;
    if (!begins_line(w->program, at, &line))
        return "";
    return arena_copy(&w->arena, text_at(w->program, line), at - line);
}

/* ---- patches ---- */

static void patch(Writer *w, uint32_t copy, TextPatch patch)
{
    TextCopy *c = copy ? &w->copies.at[copy - 1] : NULL;
    Patches *list = c && c->name ? &c->patches : &w->patches;
    patch.order = w->n_patches++;
    vec_push(w->mem, list, patch);
}

static const char *join(Writer *w, const char *a, const char *b, const char *c)
{
    size_t n = strlen(a), m = strlen(b), k = strlen(c);
    char *text = arena_alloc(&w->arena, n + m + k + 1);
    memcpy(text, a, n);
    memcpy(text + n, b, m);
    memcpy(text + n + m, c, k);
    return text;
}

/* ---- definitions and their copies ---- */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_used(const Writer *w, const char *name)
{
    size_t n = strlen(name);
    const SourceFile *file = main_file(w->program);
    for (const char *at = strstr(file->text, name); at; at = strstr(at + 1, name))
        if ((at == file->text || !is_letter(at[-1])) && !is_letter(at[n]))
            return true;
    for (uint32_t i = 0; i < w->copies.n; i++)
        if (w->copies.at[i].name && strcmp(w->copies.at[i].name, name) == 0)
            return true;
    return false;
}

static const char *new_name(Writer *w, const AModel *model, const char *ending)
{
    char digits[20] = "";
    const char *first = join(w, intern_text(&w->program->names, model->name.sym), "_", ending);
    const char *name = first;
    for (int i = 2; is_used(w, name); i++) {
        snprintf(digits, sizeof digits, "_%d", i);
        name = join(w, first, digits, "");
    }
    return name;
}

/* Can its text stand twice? */
static bool may_be_written(const Writer *w, const AModel *model)
{
    Program *p = w->program;
    const char *why = model->redefine   ? "which is a redefinition"
                      : model->external ? "which calls a library"
                                        : NULL;
    if (why)
        diag_error(&p->diags, model->name.at,
                   "an instance of '%s' was edited, %s: that cannot be written",
                   intern_text(&p->names, model->name.sym), why);
    return !why;
}

typedef struct NamesOf {
    Writer *writer;
    uint32_t copy;
} NamesOf;

static uint32_t length_of(const Writer *w, const AName *name)
{
    return (uint32_t)strlen(intern_text(&w->program->names, name->sym));
}

static void name_wholly(void *context, const AName *name, const char *path)
{
    NamesOf *n = context;
    TextPatch p = {.at = name->at, .gone = length_of(n->writer, name), .means = name->at};
    p.text = path;
    patch(n->writer, n->copy, p);
}

/* The text of a piece, as a copy behind it or where it stands; 0 after an error. */
static uint32_t make_copy(Writer *w, const Piece *piece, const char *ending)
{
    AModel *model = piece->text;
    const SourceFile *file = main_file(w->program);
    TextCopy copy = {.model = model, .level = (Level *)&piece->level};
    copy.moved = file_of(w->program, model->at) != file;
    if (ending && !may_be_written(w, model))
        return 0;
    copy.name = ending ? new_name(w, model, ending) : NULL;
    vec_push(w->mem, &w->copies, copy);
    uint32_t number = w->copies.n;
    if (!ending)
        return number;
    uint32_t length = length_of(w, &model->name);
    patch(w, number, (TextPatch){.at = model->name.at, .gone = length, .text = copy.name});
    patch(w, number, (TextPatch){.at = model->end_name_at, .gone = length, .text = copy.name});
    if (!copy.moved) {
        const char *before = join(w, "\n\n", indentation(w, model->at), "");
        patch(w, 0, (TextPatch){.at = model->end, .text = before, .copy = number});
    }
    return number;
}

uint32_t writer_def(Writer *w, Def *def, const char *ending)
{
    DefText *text = def->text;
    WrittenDef d = {.def = def, .ending = ending ? join(w, ending, "", "") : NULL};
    d.copy = arena_alloc(&w->arena, text->n_pieces * sizeof *d.copy);
    d.copy[text->n_pieces - 1] = make_copy(w, &text->piece[text->n_pieces - 1], d.ending);
    if (!d.copy[text->n_pieces - 1])
        return 0;
    vec_push(w->mem, &w->defs, d);
    return w->defs.n;
}

/* The copy of a piece that the definition inherits, which the piece above extends then. */
static bool copy_piece(Writer *w, WrittenDef *d, uint32_t piece)
{
    const DefText *text = d->def->text;
    if (d->copy[piece])
        return true;
    const AModel *heir = text->piece[piece + 1].text;
    const AModel *base = text->piece[piece].text;
    AName first = heir->base.name[0], last = heir->base.name[heir->base.n - 1];
    if (last.sym != base->name.sym || heir->redefine) {
        diag_error(&w->program->diags, last.at,
                   "what was edited is inherited under another name: that cannot be written");
        return false;
    }
    const char *ending =
        d->ending ? d->ending
                  : intern_text(&w->program->names, text->piece[text->n_pieces - 1].text->name.sym);
    if (!copy_piece(w, d, piece + 1) ||
        !(d->copy[piece] = make_copy(w, &text->piece[piece], ending)))
        return false;
    const TextCopy *made = &w->copies.at[d->copy[piece] - 1];
    Place from = made->moved ? first.at : last.at;
    patch(
        w, d->copy[piece + 1],
        (TextPatch){.at = from, .gone = last.at + length_of(w, &last) - from, .text = made->name});
    return true;
}

/* The copy in which a place of the definition's text is changed; what was typed goes to its own piece. */
static uint32_t copy_at(Writer *w, WrittenDef *d, Place at)
{
    const DefText *text = d->def->text;
    for (uint32_t i = 0; i < text->n_pieces; i++) {
        const AModel *model = text->piece[i].text;
        if (at >= model->at && at < model->end)
            return copy_piece(w, d, i) ? d->copy[i] : 0;
    }
    return d->copy[text->n_pieces - 1];
}

/* ---- changes ---- */

static bool follows_else(const Program *p, Place at)
{
    const SourceFile *file = file_of(p, at);
    uint32_t i = at - file->base;
    while (i > 0 && isspace((unsigned char)file->text[i - 1]))
        i--;
    return i >= 4 && strncmp(file->text + i - 4, "else", 4) == 0;
}

bool writer_remove(Writer *w, uint32_t def, const Stmt *stmt)
{
    Program *p = w->program;
    uint32_t copy = copy_at(w, &w->defs.at[def - 1], stmt->at);
    Place from = stmt->at, to = skip_space(p, stmt->end), line;
    if (!copy)
        return false;
    if (*text_at(p, to) != ';' || follows_else(p, stmt->at)) {
        diag_error(&p->diags, stmt->at,
                   "that this was removed cannot be written: it is no "
                   "statement of its own");
        return false;
    }
    const char *rest = text_at(p, ++to);
    size_t blanks = strspn(rest, " \t\r");
    if (begins_line(p, from, &line) && rest[blanks] == '\n') {
        from = line;
        to += (Place)blanks + 1;
    }
    patch(w, copy, (TextPatch){.at = from, .gone = to - from});
    return true;
}

bool writer_add(Writer *w, uint32_t def, const Stmt *stmt)
{
    const WrittenDef *d = &w->defs.at[def - 1];
    TextCopy *c = &w->copies.at[d->copy[d->def->text->n_pieces - 1] - 1];
    uint32_t number = (uint32_t)(c - w->copies.at) + 1;
    if (!c->added.n) {
        Place line, at = c->model->end_at;
        const char *indent = indentation(w, at);
        const char *head =
            c->model->implementation_at ? "" : join(w, indent, "implementation:\n", "");
        if (!begins_line(w->program, at, &line))
            head = join(w, "\n", head, "");
        patch(w, number, (TextPatch){.at = line, .text = head, .added_to = number});
    }
    vec_push(w->mem, &c->added, stmt);
    return true;
}

bool writer_retype(Writer *w, uint32_t def, const Stmt *stmt, uint32_t type)
{
    Program *p = w->program;
    const ADesignator *old = &body_member_text(stmt->member)->decl->type;
    const WrittenDef *d = &w->defs.at[type - 1];
    uint32_t copy = copy_at(w, &w->defs.at[def - 1], old->name[0].at);
    const TextCopy *made = &w->copies.at[d->copy[d->def->text->n_pieces - 1] - 1];
    const char *name = made->name;
    AName first = old->name[0], last = old->name[old->n - 1];
    Place end = last.at + length_of(w, &last);
    if (!copy)
        return false;
    if (last.sym == d->def->name && !made->moved) {
        patch(w, copy,
              (TextPatch){.at = last.at, .gone = end - last.at, .text = name, .means = last.at});
        return true;
    }
    const char *path = def_path(p, d->def), *dot = strrchr(path, '.');
    const char *around =
        dot && !made->moved ? arena_copy(&w->arena, path, (size_t)(dot - path) + 1) : "";
    patch(w, copy,
          (TextPatch){.at = first.at,
                      .gone = end - first.at,
                      .text = join(w, around, name, ""),
                      .means = first.at});
    return true;
}

/* ---- output ---- */

static void put_text(Writer *w, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(w->mem, &w->out, text[i]);
}

static void put_old(Writer *w, Place from, Place to)
{
    if (to <= from)
        return;
    vec_push(w->mem, &w->ranges, ((WrittenRange){w->out.n, to - from, from}));
    put_text(w, text_at(w->program, from), to - from);
}

static void put_range(Writer *w, uint32_t copy, Place from, Place to);

static void put_added(Writer *w, uint32_t copy)
{
    const TextCopy *c = &w->copies.at[copy - 1];
    const AStmt *first = c->model->implementation;
    Place line;
    const char *indent = first && begins_line(w->program, first->at, &line)
                             ? indentation(w, first->at)
                             : join(w, indentation(w, c->model->end_at), "    ", "");
    for (uint32_t i = 0; i < c->added.n; i++) {
        const Stmt *stmt = c->added.at[i];
        put_text(w, indent, strlen(indent));
        put_range(w, copy, stmt->at, stmt->end);
        put_text(w, ";\n", 2);
    }
}

static void put_patch(Writer *w, const TextPatch *p)
{
    if (p->means)
        vec_push(w->mem, &w->ranges, ((WrittenRange){w->out.n, 1, p->means}));
    if (p->text)
        put_text(w, p->text, strlen(p->text));
    if (p->copy)
        put_range(w, p->copy, w->copies.at[p->copy - 1].model->at,
                  w->copies.at[p->copy - 1].model->end);
    if (p->added_to)
        put_added(w, p->added_to);
}

/* The next patch from `at` on, after number `order` of those at the same place. */
static const TextPatch *next_in(const Patches *list, Place at, uint32_t order,
                                const TextPatch *best)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const TextPatch *p = &list->at[i];
        if (p->at < at || (p->at == at && p->order < order))
            continue;
        if (!best || p->at < best->at || (p->at == best->at && p->order < best->order))
            best = p;
    }
    return best;
}

static void put_range(Writer *w, uint32_t copy, Place from, Place to)
{
    uint32_t order = 0;
    while (from < to) {
        const TextPatch *p = next_in(&w->patches, from, order, NULL);
        if (copy)
            p = next_in(&w->copies.at[copy - 1].patches, from, order, p);
        if (!p || p->at >= to)
            break;
        TextPatch now = *p;
        put_old(w, from, now.at);
        put_patch(w, &now);
        from = now.at + now.gone;
        order = now.gone ? 0 : now.order + 1;
    }
    put_old(w, from, to);
}

/* The typed statement as it was parsed. */
static const AStmt *typed_stmt(const Program *p, const Stmt *stmt)
{
    const AStmt *list = p->edits.at[((const BodyText *)stmt->body)->edit - 1].list;
    while (list && list->at != stmt->at)
        list = list->next;
    return list;
}

/* Names in copies that stand in another file than they did; what else is changed there was said before. */
static void name_all_wholly(Writer *w)
{
    for (uint32_t i = 0; i < w->copies.n; i++) {
        TextCopy *c = &w->copies.at[i];
        NamesOf names = {w, i + 1};
        if (!c->moved)
            continue;
        written_names_of_model(c->level, c->level->def->body, c->model, name_wholly, &names);
        for (uint32_t k = 0; k < c->added.n; k++) {
            const Stmt *stmt = c->added.at[k];
            const AStmt *typed = typed_stmt(w->program, stmt);
            if (typed)
                written_names_of_stmt(c->level, stmt->body, typed, name_wholly, &names);
        }
    }
}

static void put_moved(Writer *w)
{
    for (uint32_t i = 0; i < w->copies.n; i++) {
        const AModel *model = w->copies.at[i].model;
        if (!w->copies.at[i].moved)
            continue;
        const char *indent = indentation(w, model->at);
        put_text(w, indent, strlen(indent));
        put_range(w, i + 1, model->at, model->end);
        put_text(w, "\n\n", 2);
    }
}

bool writer_finish(Writer *w, WrittenText *text)
{
    const SourceFile *file = main_file(w->program);
    Place end = file->base + file->length;
    name_all_wholly(w);
    put_moved(w);
    put_range(w, 0, file->base, end);
    for (uint32_t i = 0; i < w->patches.n; i++) /* behind what ends with the file */
        if (w->patches.at[i].at == end)
            put_patch(w, &w->patches.at[i]);
    if (w->out.n && vec_last(&w->out) != '\n')
        put_text(w, "\n", 1);
    put_text(w, "", 1);
    *text = (WrittenText){w->out.at, w->out.n - 1, w->ranges.n, w->ranges.at};
    return true;
}

/* ---- which place it was ---- */

/* The same file, with the same text, that another program read. */
static Place in_other(const SourceFile *file, const Program *old, Place at)
{
    for (uint32_t i = 0; i < old->sources.files.n; i++) {
        const SourceFile *other = &old->sources.files.at[i];
        if (other->length == file->length && strcmp(other->name, file->name) == 0 &&
            memcmp(other->text, file->text, file->length) == 0)
            return other->base + (at - file->base);
    }
    return 0;
}

Place written_origin(const WrittenText *text, Program *program, Program *old, Place at)
{
    const SourceFile *file = file_of(program, at);
    if (file != main_file(program))
        return in_other(file, old, at);
    uint32_t offset = at - file->base, low = 0, high = text->n;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (text->range[middle].at <= offset)
            low = middle;
        else
            high = middle;
    }
    const WrittenRange *r = text->n ? &text->range[low] : NULL;
    bool inside = r && offset >= r->at && offset - r->at < r->length;
    return inside ? r->old + (offset - r->at) : 0;
}
