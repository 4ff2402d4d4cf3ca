/* program.c: files -> checked definitions. The functions of frontend.h, each with its guard. */
#include "frontend/frontend.h"
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESERVE = 64 * 1024, MAX_DEPTH = 500, MAX_DEFINITIONS = 200000, MAX_STATEMENTS = 5000000 };

/* ---- running out of memory ---- */

/* The reserve is given back first; if even that is not enough, the program stays without message.
 */
void program_exhausted(Program *p)
{
    MemGuard guard;
    p->exhausted = true;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env) == 0) {
        mem_free(p->mem, p->reserve);
        p->reserve = NULL;
        diag_error(&p->diags, 0, "out of memory");
        mem_guard_pop(p->mem, &guard);
    } else {
        p->diags.errors++;
    }
}

bool program_recover(Program *p)
{
    MemGuard guard;
    if (!p->exhausted && p->reserve)
        return true;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env) != 0)
        return false;
    p->reserve = p->reserve ? p->reserve : mem_alloc(p->mem, RESERVE);
    p->exhausted = false;
    mem_guard_pop(p->mem, &guard);
    return true;
}

bool program_out_of_memory(const Program *p)
{
    return p->exhausted;
}

typedef struct Request {
    const char *name, *text;
    size_t length;
    Def *def;
    TypeKind type;
    double value;
} Request;

/* Runs one request under a guard; false when it failed or memory ran out. */
static bool guarded(Program *p, bool (*work)(Program *, Request *), Request *request)
{
    MemGuard guard;
    if (p->exhausted)
        return false;
    mem_guard_push(p->mem, &guard);
    if (setjmp(guard.env) == 0) {
        bool ok = work(p, request);
        mem_guard_pop(p->mem, &guard);
        return ok;
    }
    program_exhausted(p);
    return false;
}

/* ---- opening and closing ---- */

static const char *copy(Program *p, const char *text)
{
    return text ? arena_copy(&p->arena, text, strlen(text)) : NULL;
}

static void take_options(Program *p, const ProgramOptions *options)
{
    static const ProgramOptions defaults = {0};
    const ProgramOptions *o = options ? options : &defaults;
    p->max_depth = o->max_depth ? o->max_depth : MAX_DEPTH;
    p->max_definitions = o->max_definitions ? o->max_definitions : MAX_DEFINITIONS;
    p->max_statements = o->max_statements ? o->max_statements : MAX_STATEMENTS;
    p->strict_units = o->strict_units;
    p->folders = arena_alloc(&p->arena, o->n_folders * sizeof *p->folders);
    for (uint32_t i = 0; i < o->n_folders; i++)
        p->folders[p->n_folders++] = copy(p, o->folders[i]);
    p->stdlib = copy(p, o->stdlib);
}

static Program *open_program(Mem *mem, const ProgramOptions *options)
{
    Program *p = mem_alloc(mem, sizeof *p);
    p->mem = mem;
    arena_init(&p->arena, mem);
    sources_init(&p->sources, mem);
    diags_init(&p->diags, mem, &p->sources);
    intern_init(&p->names, mem);
    lex_init_names(&p->names);
    predefined_init(p);
    take_options(p, options);
    p->reserve = mem_alloc(mem, RESERVE);
    return p;
}

Program *program_open(Mem *mem, const ProgramOptions *options)
{
    MemGuard guard;
    mem_guard_push(mem, &guard);
    if (setjmp(guard.env))
        return NULL;
    Program *p = open_program(mem, options);
    mem_guard_pop(mem, &guard);
    return p;
}

ProgramOptions program_options(const Program *p)
{
    return (ProgramOptions){.n_folders = p->n_folders,
                            .folders = p->folders,
                            .stdlib = p->stdlib,
                            .max_depth = p->max_depth,
                            .max_statements = p->max_statements,
                            .max_definitions = p->max_definitions,
                            .strict_units = p->strict_units};
}

void program_close(Program *p)
{
    if (!p)
        return;
    Mem *mem = p->mem;
    Map *maps[] = {&p->library, &p->entries,     &p->members,  &p->predefined, &p->reported,
                   &p->held,    &p->transmitted, &p->subtypes, &p->stepped};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(mem, maps[i]);
    vec_free(mem, &p->files);
    vec_free(mem, &p->defs);
    vec_free(mem, &p->queue);
    vec_free(mem, &p->transmissions);
    vec_free(mem, &p->edits);
    mem_free(mem, p->reserve);
    diags_free(&p->diags);
    intern_free(&p->names);
    sources_free(&p->sources);
    arena_free(&p->arena);
    mem_free(mem, p);
}

/* ---- loading ---- */

/* What was found wrong since `before` is wrong in the texts. */
static void count_text_errors(Program *p, uint32_t before)
{
    p->text_errors += p->diags.errors - before;
}

static bool load_file(Program *p, Request *r)
{
    uint32_t before = p->diags.errors;
    p->main = lookup_file(p, r->name, false);
    count_text_errors(p, before);
    return p->main && !p->main->broken;
}

static bool load_text(Program *p, Request *r)
{
    uint32_t before = p->diags.errors;
    p->main = lookup_text(p, r->name, NULL, r->text, r->length);
    count_text_errors(p, before);
    return !p->main->broken;
}

bool program_load(Program *p, const char *path)
{
    return guarded(p, load_file, &(Request){.name = path});
}

bool program_load_text(Program *p, const char *name, const char *text, size_t length)
{
    return guarded(p, load_text, &(Request){.name = name, .text = text, .length = length});
}

/* ---- completing ---- */

/* Works off the queue: each definition's statements, which may queue more; then recursion, which
 * needs all of them. */
void program_complete_queue(Program *p)
{
    uint32_t before = p->diags.errors;
    for (uint32_t i = 0; i < p->queue.n; i++)
        statements_resolve(p->queue.at[i]);
    for (uint32_t i = 0; i < p->queue.n; i++)
        check_recursion(p, p->queue.at[i]);
    for (uint32_t i = 0; i < p->queue.n && p->diags.errors == before; i++)
        unit_check(p->queue.at[i]);
    vec_clear(&p->queue);
    count_text_errors(p, before);
#ifdef SOLSTICE_VERIFY
    Place at;
    const char *broken = verify_definitions(p, &at);
    if (broken) {
        Location where = source_locate(&p->sources, at);
        fprintf(stderr, "%s:%u: broken invariant %s\n", where.file, where.line, broken);
        abort();
    }
#endif
}

static bool complete(Program *p, Request *r)
{
    resolve_enqueue(r->def);
    program_complete_queue(p);
    return !p->diags.errors;
}

bool program_complete(Program *p, Def *def)
{
    return guarded(p, complete, &(Request){.def = def});
}

/* Whether the own text of a definition redefines something, so that what it inherits besides may
 * have changed its meaning and must be looked at again. */
static bool redefines(const Def *def)
{
    for (const AModel *m = def->text->model->models; m; m = m->next)
        if (m->redefine)
            return true;
    return false;
}

/* Queues a definition and all in its header. The list is the queue itself. */
static void queue_all(Program *p, Def *unit)
{
    VEC(Def *) list = {0};
    vec_push(p->mem, &list, unit);
    for (uint32_t i = 0; i < list.n; i++) {
        Def *def = list.at[i];
        DefText *text = def->text;
        if (!resolve_names(def, text->surrounding, def->at))
            continue;
        resolve_enqueue(def);
        bool all = redefines(def);
        for (uint32_t k = 0; k < text->n_entries; k++) {
            Version *version = text->entry[k].last;
            bool own = version->piece + 1 == text->n_pieces;
            if (version->define && own)
                const_define(def, version, resolve_own_level(def), version->define->name.at);
            Def *sub = version->model && (own || all) ? resolve_version_def(def, version) : NULL;
            if (sub)
                vec_push(p->mem, &list, sub);
        }
    }
    vec_free(p->mem, &list);
}

static bool check_all(Program *p, Request *r)
{
    (void)r;
    if (!p->main || p->main->broken)
        return false;
    uint32_t before = p->diags.errors;
    queue_all(p, p->main->unit);
    count_text_errors(p, before);
    program_complete_queue(p);
    return !p->diags.errors;
}

bool program_check(Program *p)
{
    return guarded(p, check_all, &(Request){0});
}

/* ---- finding ---- */

static bool is_runnable(const AModel *m)
{
    return m->kind == DEF_MODEL && !m->partial;
}

/* The last model that can run directly inside a definition, or the last package. */
static Def *last_inside(Def *def, bool package)
{
    Def *last = NULL;
    for (uint32_t i = 0; i < def->text->n_entries; i++) {
        Version *v = def->text->entry[i].last;
        if (v->model && (package ? v->model->kind == DEF_PACKAGE : is_runnable(v->model)))
            last = resolve_version_def(def, v);
    }
    return last;
}

static Def *default_model(Program *p)
{
    Def *around = p->main->unit;
    while (around && resolve_names(around, around->text->surrounding, around->at)) {
        Def *model = last_inside(around, false);
        if (model)
            return model;
        around = last_inside(around, true);
    }
    return NULL;
}

/* The next name of a dotted designator; NULL at its end or when it is malformed. */
static Def *find_inside(Program *p, Def *around, const char *name, size_t length)
{
    if (!resolve_names(around, around->text->surrounding, around->at))
        return NULL;
    Entry *entry = resolve_entry(around, intern(&p->names, name, length));
    if (!entry)
        return NULL;
    Level *level = resolve_own_level(around);
    if (entry->last->define && !const_define(around, entry->last, level, around->at))
        return NULL;
    return resolve_version_def(around, entry->last);
}

/* NULL, with a message, when there is none; that is the asker's error, not one of the texts. */
static Def *find_designated(Program *p, const char *designator)
{
    Def *def = p->main->unit;
    for (const char *name = designator; def && *name;) {
        size_t length = strcspn(name, ".");
        uint32_t before = p->diags.errors;
        Def *inside = find_inside(p, def, name, length);
        count_text_errors(p, before);
        if (!inside)
            diag_error(&p->diags, 0, "'%s' does not define '%s'%s", p->main->path, designator,
                       suggest_definition(def, intern(&p->names, name, length)));
        def = inside;
        name += length + (name[length] == '.');
    }
    return def;
}

static bool find(Program *p, Request *r)
{
    if (!p->main || p->main->broken)
        return false;
    const char *designator = r->name && *r->name ? r->name : NULL;
    if (designator) {
        r->def = find_designated(p, designator);
    } else {
        uint32_t before = p->diags.errors;
        r->def = default_model(p);
        count_text_errors(p, before);
        if (!r->def)
            diag_error(&p->diags, 0, "'%s' contains no model that can be run", p->main->path);
    }
    if (!r->def)
        return false;
    resolve_enqueue(r->def);
    program_complete_queue(p);
    return true;
}

Def *program_find(Program *p, const char *designator)
{
    Request request = {.name = designator};
    return guarded(p, find, &request) ? request.def : NULL;
}

/* Names the models in a package that can be run, packages inside included. */
static bool list_runnable(Program *p, Request *r)
{
    enum { LISTED = 40 };
    uint32_t listed = 0;
    VEC(Def *) list = {0};
    vec_push(p->mem, &list, r->def);
    for (uint32_t i = 0; i < list.n; i++) {
        Def *def = list.at[i];
        if (is_runnable(def->text->model)) {
            if (listed++ < LISTED)
                diag_note(&p->diags, 0, "  %s", def_path(p, def));
            continue;
        }
        if (!resolve_names(def, def->text->surrounding, def->at))
            continue;
        for (uint32_t k = 0; k < def->text->n_entries; k++) {
            Version *v = def->text->entry[k].last;
            bool wanted = v->model && (v->model->kind == DEF_PACKAGE || is_runnable(v->model));
            Def *sub = wanted ? resolve_version_def(def, v) : NULL;
            if (sub)
                vec_push(p->mem, &list, sub);
        }
    }
    vec_free(p->mem, &list);
    if (listed > LISTED)
        diag_note(&p->diags, 0, "  and %u more", listed - LISTED);
    return true;
}

/* A package of examples says what it is for; components could be run too, but nobody wants to. */
static Def *examples_of(Program *p, Def *def)
{
    Def *inside = find_inside(p, def, "Examples", strlen("Examples"));
    return inside && inside->kind == DEF_PACKAGE ? inside : def;
}

static bool report_package(Program *p, Request *r)
{
    r->def = examples_of(p, r->def);
    diag_error(&p->diags, 0,
               "'%s' is a package; these models of it can be run:", def_path(p, r->def));
    return list_runnable(p, r);
}

void program_report_package(Program *p, Def *def)
{
    guarded(p, report_package, &(Request){.def = def});
}

/* ---- values given from outside ---- */

static bool find_constant(Program *p, Request *r)
{
    const SourceFile *added = sources_add(&p->sources, r->name, r->text, strlen(r->text));
    if (!added)
        return false;
    SourceFile file = *added; /* the list may move */
    AExpr *text = parse_value(&p->arena, &p->names, &p->diags, &file, p->max_depth);
    Context cx = {.program = p, .def = r->def, .level = resolve_own_level(r->def)};
    RExpr *value = text ? expr_resolve(&cx, text, WANT_VALUE) : NULL;
    if (!value || value->type.kind == TYPE_ERROR)
        return false;
    if (!const_value(value, &r->value)) {
        diag_error(&p->diags, text->at, "this is no constant");
        return false;
    }
    if (!isfinite(r->value)) {
        diag_error(&p->diags, text->at, "this is not a finite number");
        return false;
    }
    r->type = value->type.kind;
    return true;
}

TypeKind program_constant(Program *p, Def *scope, const char *name, const char *text, double *value)
{
    Request request = {.name = name, .text = text, .def = scope};
    if (!guarded(p, find_constant, &request))
        return TYPE_ERROR;
    *value = request.value;
    return request.type;
}

/* ---- asking ---- */

bool program_ok(const Program *p)
{
    return !p->diags.errors && !p->exhausted;
}

bool program_text_wrong(const Program *p)
{
    return p->text_errors > 0 || p->exhausted;
}

bool program_io_failed(const Program *p)
{
    return p->io_failed;
}

Diags *program_diags(Program *p)
{
    return &p->diags;
}

Sources *program_sources(Program *p)
{
    return &p->sources;
}

bool program_has_homotopy(const Program *p)
{
    return p->any_homotopy;
}

bool program_has_nominals(const Program *p)
{
    return p->any_nominal;
}

Intern *program_names(Program *p)
{
    return &p->names;
}

uint32_t program_def_count(const Program *p)
{
    return p->defs.n;
}
