/* resolve.c: designators -> definitions and constants. See resolve_int.h for the method. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#include <stdio.h>
#include <string.h>

/* ---- messages ---- */

/* The heir for whose sake inherited text is being read; NULL when the text is read where it was
 * written. */
static const Def *heir_of(const Level *level)
{
    for (; level; level = level->outer)
        if (level->piece + 1 < level->def->text->n_pieces)
            return level->def;
    return NULL;
}

/* Formats a message; NULL when the same one was given before. */
static const char *new_message(Program *p, Place at, const char *format, va_list args)
{
    char text[512];
    if (p->diags.errors > p->diags.limit)
        return ""; /* it will only be counted */
    vsnprintf(text, sizeof text, format, args);
    uint64_t key = hash_bytes(text, strlen(text), at);
    p->last_reported = !map_get(&p->reported, key);
    if (!p->last_reported)
        return NULL;
    map_put(p->mem, &p->reported, key, 1);
    return arena_copy(&p->arena, text, strlen(text));
}

static void name_heir(Level *level, Place at)
{
    Program *p = level->def->text->program;
    const Def *heir = heir_of(level);
    if (heir)
        diag_note(&p->diags, heir->at ? heir->at : at, "in the text that '%s' inherits",
                  def_path(p, heir));
}

void resolve_error(Level *level, Place at, const char *format, ...)
{
    Program *p = level->def->text->program;
    va_list args;
    va_start(args, format);
    const char *text = new_message(p, at, format, args);
    va_end(args);
    if (!text)
        return;
    diag_error(&p->diags, at, "%s", text);
    name_heir(level, at);
}

void resolve_warning(Level *level, Place at, const char *format, ...)
{
    Program *p = level->def->text->program;
    va_list args;
    va_start(args, format);
    const char *text = new_message(p, at, format, args);
    va_end(args);
    if (text)
        diag_warning(&p->diags, at, "%s", text);
}

void resolve_note(Level *level, Place at, const char *format, ...)
{
    Program *p = level->def->text->program;
    if (!p->last_reported)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_note(&p->diags, at, "%s", text);
}

const char *resolve_text(Program *p, const ADesignator *designator)
{
    enum { SHOWN = 200 };
    char text[SHOWN + 1] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < designator->n && used < SHOWN; i++) {
        int n = snprintf(text + used, sizeof text - used, "%s%s", i ? "." : "",
                         intern_text(&p->names, designator->name[i].sym));
        used += (size_t)n;
    }
    return arena_copy(&p->arena, text, strlen(text));
}

/* ---- definitions ---- */

const char *def_path(Program *program, const Def *def)
{
    size_t length = 0;
    for (const Def *d = def; d; d = d->outer)
        length += strlen(intern_text(&program->names, d->name)) + 1;
    char *text = arena_alloc(&program->arena, length + 1), *end = text + length - 1;
    *end = '\0';
    for (const Def *d = def; d; d = d->outer) {
        const char *name = intern_text(&program->names, d->name);
        end -= strlen(name);
        memcpy(end, name, strlen(name));
        if (d->outer)
            *--end = '.';
    }
    return text;
}

static bool within_limits(Program *p, Level *surrounding, AModel *model)
{
    uint32_t depth = surrounding ? surrounding->def->text->depth + 1 : 0;
    if (p->limit_reported)
        return false;
    if (depth <= p->max_depth && p->defs.n < p->max_definitions)
        return true;
    p->limit_reported = true;
    if (depth > p->max_depth)
        diag_error(&p->diags, model->name.at,
                   "definitions more than %u deep inside each other: do they inherit each other?",
                   p->max_depth);
    else
        diag_error(&p->diags, model->name.at, "more than %u definitions", p->max_definitions);
    return false;
}

/* Inheritance can make much out of little text, so what it makes is counted. */
bool resolve_admit(Def *def, uint32_t n)
{
    Program *p = def->text->program;
    p->n_statements += n;
    if (p->n_statements <= p->max_statements)
        return true;
    if (!p->limit_reported)
        diag_error(&p->diags, def->at,
                   "more than %u members and statements, inherited ones included",
                   p->max_statements);
    p->limit_reported = true;
    return false;
}

/* NULL, with a message, beyond the limits. */
Def *resolve_new_def(Program *p, AModel *model, Def *outer, Level *surrounding, FileScope *file)
{
    if (!within_limits(p, surrounding, model))
        return NULL;
    Def *def = arena_alloc(&p->arena, sizeof *def);
    DefText *text = def->text = arena_alloc(&p->arena, sizeof *text);
    def->name = model->name.sym;
    def->kind = model->kind;
    def->partial = model->partial;
    def->external = model->external;
    def->outer = outer;
    def->at = model->name.at;
    text->program = p;
    text->model = model;
    text->file = file;
    text->surrounding = surrounding;
    text->depth = surrounding ? surrounding->def->text->depth + 1 : 0;
    vec_push(p->mem, &p->defs, def);
    def->id = p->defs.n;
    return def;
}

Def *resolve_version_def(Def *owner, Version *version)
{
    if (version->def || !version->model)
        return version->def;
    DefText *text = owner->text;
    Level *surrounding = &text->piece[version->piece].level;
    Def *def = resolve_new_def(text->program, version->model, text->is_unit ? NULL : owner,
                               surrounding, text->file);
    if (def)
        def->text->version = version;
    return version->def = def;
}

Level *resolve_own_level(Def *def)
{
    return &def->text->piece[def->text->n_pieces - 1].level;
}

bool resolve_names(Def *def, Level *asker, Place at)
{
    DefText *text = def->text;
    Program *p = text->program;
    if (text->names == DONE)
        return true;
    if (text->names == BUSY) {
        resolve_error(asker, at, "circular: '%s' is needed to define itself", def_path(p, def));
        return false;
    }
    if (asker && p->depth >= p->max_depth) {
        resolve_error(asker, at, "definitions depend on each other more than %u levels deep",
                      p->max_depth);
        return false;
    }
    text->names = BUSY;
    p->depth++;
    extend_pieces(def);
    redefine_entries(def);
    p->depth--;
    text->names = DONE;
    return true;
}

Entry *resolve_entry(const Def *def, Sym name)
{
    uint64_t key = (uint64_t)def->id << 32 | name;
    uint32_t number = map_get(&def->text->program->entries, key);
    return number ? &def->text->entry[number - 1] : NULL;
}

void resolve_enqueue(Def *def)
{
    if (!def || def->text->queued)
        return;
    def->text->queued = true;
    vec_push(def->text->program->mem, &def->text->program->queue, def);
}

/* ---- looking up ---- */

static Found found_version(Def *owner, Version *version, Level *asker, Place at)
{
    Found found = {.version = version, .failed = true};
    if (version->define && !const_define(owner, version, asker, at))
        return found;
    found.def = resolve_version_def(owner, version);
    if (found.def) {
        found.kind = FOUND_DEF;
    } else if (version->predefined) {
        found.kind = FOUND_PREDEFINED;
        found.predefined = version->predefined - 1;
    } else if (version->define && version->type.kind != TYPE_ERROR) {
        found.kind = FOUND_CONST;
        found.type = version->type;
        found.k = version->k;
    }
    return found;
}

static Found found_in_library(Level *unit, const AName *name)
{
    Program *p = unit->def->text->program;
    FileScope *file = lookup_library(p, unit->def->text->file, name->sym);
    if (!file || file->broken || !resolve_names(file->unit, unit, name->at))
        return (Found){.kind = FOUND_NOTHING, .failed = file != NULL};
    Entry *entry = resolve_entry(file->unit, name->sym);
    if (entry)
        return found_version(file->unit, entry->last, unit, name->at);
    resolve_error(unit, name->at, "'%s' does not define '%s'", file->path,
                  intern_text(&p->names, name->sym));
    return (Found){.kind = FOUND_NOTHING, .failed = true};
}

/* The meaning of a name, or nothing; a message only where the name exists and its meaning failed.
 */
Found resolve_lookup(Level *level, const AName *name)
{
    Program *p = level->def->text->program;
    Level *asker = level;
    for (;; level = level->outer) {
        Entry *entry = resolve_entry(level->def, name->sym);
        if (entry && entry->introduced <= level->piece)
            return found_version(level->def, entry->last, asker, name->at);
        if (!level->outer)
            break;
    }
    uint32_t number = map_get(&p->predefined, name->sym);
    if (number)
        return (Found){.kind = FOUND_PREDEFINED, .predefined = number - 1};
    return found_in_library(level, name);
}

static const char *kind_of(const Found *found)
{
    return found->kind == FOUND_CONST ? "a constant" : "predefined";
}

/* A missing name may be one that would have come from a base that was not found: that was reported.
 */
static bool may_be_lost(const Level *level)
{
    for (; level; level = level->outer)
        if (level->def->text->lost_base)
            return true;
    return false;
}

static void report_missing(Level *level, Def *def, const AName *name)
{
    Program *p = def->text->program;
    const char *text = intern_text(&p->names, name->sym);
    bool asking_early = p->depth > 0 || def->text->interface == BUSY;
    if (!asking_early)
        body_interface(def);
    if (def->text->lost_base)
        return;
    if (!asking_early && body_find(def->body, name->sym))
        resolve_error(level, name->at,
                      "'%s' is a member of the instances of '%s', not of the model", text,
                      def_path(p, def));
    else
        resolve_error(level, name->at, "'%s' has no definition '%s'%s", def_path(p, def), text,
                      suggest_definition(def, name->sym));
}

Found resolve_designator(Level *level, const Body *body, const ADesignator *d)
{
    Program *p = level->def->text->program;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->name[i].subs)
            resolve_error(level, d->name[i].subs->at, "'%s' is no array",
                          intern_text(&p->names, d->name[i].sym));
    Found found = resolve_lookup(level, &d->name[0]);
    if (found.kind == FOUND_NOTHING && !found.failed && !may_be_lost(level))
        resolve_error(level, d->name[0].at, "unknown name '%s'%s",
                      intern_text(&p->names, d->name[0].sym),
                      suggest_name(level, body, d->name[0].sym));
    for (uint32_t i = 1; i < d->n && found.kind != FOUND_NOTHING; i++) {
        const AName *name = &d->name[i];
        if (found.kind != FOUND_DEF) {
            resolve_error(level, name->at, "'%s' is %s and has nothing inside",
                          intern_text(&p->names, name[-1].sym), kind_of(&found));
            return (Found){.kind = FOUND_NOTHING};
        }
        if (!resolve_names(found.def, level, name->at))
            return (Found){.kind = FOUND_NOTHING};
        resolve_enqueue(found.def);
        Entry *entry = resolve_entry(found.def, name->sym);
        if (!entry) {
            report_missing(level, found.def, name);
            return (Found){.kind = FOUND_NOTHING};
        }
        found = found_version(found.def, entry->last, level, name->at);
    }
    return found;
}
