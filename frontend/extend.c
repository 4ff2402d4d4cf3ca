/* extend.c: a definition's text and its base -> its pieces (see resolve_int.h).
 *
 * Requires nothing of the definition but its text and surrounding. The base is looked up from the
 * surrounding, not from inside: a definition cannot extend what only it contains. */
#include "frontend/resolve_int.h"

static bool encloses(const Def *base, const Def *def)
{
    for (const Def *d = def->outer; d; d = d->outer)
        if (d == base)
            return true;
    return false;
}

/* `redefine model M extends M`: the M that is replaced is meant, not the new one, nor one that an heir
 * puts in the place of the new one. */
static Def *replaced_by(const Def *def, const Found *found)
{
    const DefText *text = def->text;
    const Version *version = found->version;
    while (version && version != text->version)
        version = version->before;
    if (version && version->before)
        return resolve_version_def(text->surrounding->def, version->before);
    return found->def;
}

static Def *find_base(Def *def)
{
    DefText *text = def->text;
    const ADesignator *d = &text->model->base;
    Program *p = text->program;
    if (!d->n)
        return NULL;
    Found found = resolve_designator(text->surrounding, NULL, d);
    Place at = d->name[d->n - 1].at;
    if (found.kind == FOUND_NOTHING)
        return NULL;
    if (found.kind != FOUND_DEF) {
        resolve_error(text->surrounding, at, "'%s' is %s and cannot be extended",
                      resolve_text(p, d), found.kind == FOUND_CONST ? "a constant" : "predefined");
        return NULL;
    }
    Def *base = replaced_by(def, &found);
    if (base && encloses(base, def)) {
        resolve_error(text->surrounding, at, "'%s' cannot extend '%s', which contains it",
                      intern_text(&p->names, def->name), resolve_text(p, d));
        return NULL;
    }
    if (!base || !resolve_names(base, text->surrounding, at))
        return NULL;
    return base;
}

static void check_base(Def *def)
{
    const Def *base = def->base;
    const DefText *text = def->text;
    const ADesignator *d = &text->model->base;
    if (base->kind == DEF_FUNCTION)
        resolve_error(text->surrounding, d->name[d->n - 1].at,
                      "'%s' is a function and cannot be extended", resolve_text(text->program, d));
    if (base->external)
        resolve_error(text->surrounding, d->name[d->n - 1].at,
                      "'%s' is a foreign function and cannot be extended",
                      resolve_text(text->program, d));
}

/* Copies the pieces of the base with their surroundings, then adds the text of the definition. */
void extend_pieces(Def *def)
{
    DefText *text = def->text;
    def->base = find_base(def);
    text->lost_base = def->base ? def->base->text->lost_base : text->model->base.n > 0;
    uint32_t inherited = def->base ? def->base->text->n_pieces : 0;
    if (inherited >= text->program->max_depth) {
        resolve_error(text->surrounding, def->at, "inherited over more than %u levels",
                      text->program->max_depth);
        text->lost_base = true;
        def->base = NULL;
        inherited = 0;
    }
    text->n_pieces = inherited + 1;
    text->piece = arena_alloc(&text->program->arena, text->n_pieces * sizeof *text->piece);
    for (uint32_t i = 0; i < inherited; i++) {
        text->piece[i] = def->base->text->piece[i];
        text->piece[i].level.def = def;
    }
    text->piece[inherited] = (Piece){text->model, {def, inherited, text->surrounding}};
    if (def->base) {
        check_base(def);
        resolve_enqueue(def->base);
    }
}
