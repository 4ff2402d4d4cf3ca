/* redefine.c: pieces -> names of a definition, redefinitions applied; and the check that what
 * replaces something has a type that fits in its place (Sol thesis, 5.7: a sub-type of what it
 * replaces). */
#include "frontend/resolve_int.h"
#include "frontend/types.h"

static bool is_reserved(Program *p, Sym name)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String", "Void"};
    for (int i = 0; i < 5; i++)
        if (intern_str(&p->names, types[i]) == name)
            return true;
    return false;
}

/* Enters one name of piece `k`. Only the own piece of a definition is checked here: the others were
 * when their own definitions were resolved. */
static void enter(Def *def, const AName *name, Version version, bool redefine)
{
    DefText *text = def->text;
    Program *p = text->program;
    Level *level = &text->piece[version.piece].level;
    bool own = version.piece + 1 == text->n_pieces;
    const char *shown = intern_text(&p->names, name->sym);
    Entry *entry = resolve_entry(def, name->sym);
    if (own && is_reserved(p, name->sym))
        resolve_error(level, name->at, "'%s' is a predefined type", shown);
    if (entry && (!redefine || entry->last->piece == version.piece || !entry->last->model)) {
        if (own) {
            const Version *before = entry->last;
            resolve_error(level, name->at, "'%s' is already defined%s", shown,
                          before->piece < version.piece && before->model
                              ? "; use 'redefine' to replace it"
                              : "");
            resolve_note(level, before->model ? before->model->name.at : before->define->name.at,
                         "the other '%s'", shown);
        }
        return;
    }
    if (own && redefine && !entry)
        resolve_error(level, name->at, "'%s' redefines nothing: no such definition is inherited",
                      shown);
    Version *v = arena_alloc(&p->arena, sizeof *v);
    *v = version;
    if (!entry) {
        entry = &text->entry[text->n_entries++];
        *entry = (Entry){name->sym, version.piece, NULL};
        map_put(p->mem, &p->entries, (uint64_t)def->id << 32 | name->sym, text->n_entries);
    }
    v->before = entry->last;
    entry->last = v;
}

void redefine_entries(Def *def)
{
    DefText *text = def->text;
    uint32_t room = 0;
    for (uint32_t k = 0; k < text->n_pieces; k++)
        room += text->piece[k].text->n_names;
    if (!resolve_admit(def, room))
        return;
    text->entry = arena_alloc(&text->program->arena, room * sizeof *text->entry);
    for (uint32_t k = 0; k < text->n_pieces; k++) {
        for (ADefine *d = text->piece[k].text->defines; d; d = d->next)
            enter(def, &d->name, (Version){.define = d, .piece = k}, false);
        for (AModel *m = text->piece[k].text->models; m; m = m->next)
            enter(def, &m->name, (Version){.model = m, .piece = k}, m->redefine);
    }
}

static void check_redefinition(Def *def, Entry *entry)
{
    Version *now = entry->last, *before = now->before;
    Def *a = resolve_version_def(def, now), *b = resolve_version_def(def, before);
    Level *level = &def->text->piece[now->piece].level;
    if (!a || !b)
        return;
    Mismatch why;
    if (a->kind != b->kind && (a->kind == DEF_PACKAGE || b->kind == DEF_PACKAGE)) {
        resolve_error(level, now->model->name.at,
                      "'%s' cannot be redefined: one of the two is a package",
                      intern_text(&def->text->program->names, entry->name));
        resolve_note(level, before->model->name.at, "what it replaces");
    } else if (!types_is_sub((Type){TYPE_MODEL, a}, (Type){TYPE_MODEL, b}, &why)) {
        resolve_error(level, now->model->name.at,
                      "'%s' does not fit in the place of what it redefines: %s",
                      intern_text(&def->text->program->names, entry->name),
                      types_reason(def->text->program, &why));
        resolve_note(level, before->model->name.at, "what it replaces");
    }
}

static void check_redeclaration(Def *def, const Redeclared *r)
{
    const MemberText *now = body_member_text(r->now);
    Level *level = &def->text->piece[now->piece].level;
    Program *p = def->text->program;
    Mismatch why;
    if (types_member_is_sub(r->now, &r->before, &why))
        return;
    resolve_error(level, r->now->at, "'%s' does not fit in the place of what it redeclares: %s",
                  intern_text(&p->names, r->now->name), types_reason(p, &why));
    resolve_note(level, r->before.at, "what it replaces");
}

void redefine_check(Def *def)
{
    DefText *text = def->text;
    for (uint32_t i = 0; i < text->n_entries; i++) {
        Entry *entry = &text->entry[i];
        if (entry->last->before && entry->last->piece + 1 == text->n_pieces)
            check_redefinition(def, entry);
    }
    for (const Redeclared *r = text->redeclared; r; r = r->next)
        check_redeclaration(def, r);
}
