/* body.c: declarations -> members of a body.
 *
 * Requires the names of the definition (pieces); resolves the types that declarations name, nothing
 * else: neither the bodies of those types nor parameter lists. So it never leads back to itself. */
#include "frontend/predefined.h"
#include "frontend/resolve_int.h"
#include "frontend/types.h"

#include <stdio.h>
#include <string.h>

MemberText *body_member_text(Member *member)
{
    return (MemberText *)member;
}

static uint64_t member_key(const Body *body, Sym name)
{
    return (uint64_t)body->id << 32 | name;
}

Member *body_find(const Body *body, Sym name)
{
    uint32_t number = map_get(&body->def->text->program->members, member_key(body, name));
    return number ? body->members[number - 1] : NULL;
}

Member *member_of(const Body *body, Sym name)
{
    return body_find(body, name);
}

bool member_is_unused(const Program *program, const Member *m)
{
    bool variable = type_is_basic(m->type) && !m->parameter;
    bool offered = m->io != IO_NONE || m->con != CON_NONE; /* named by parentheses or connections */
    return variable && !offered && !m->held && !m->named && !map_get(&program->stepped, m->name);
}

Member *member_in(const Def *actual, const Member *declared)
{
    if (declared->body == actual->body)
        return (Member *)declared;
    return body_find(actual->body, declared->name);
}

static uint32_t count_statements(const AStmt *list)
{
    uint32_t n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

static uint32_t count_declarations(const AStmt *list)
{
    uint32_t n = 0;
    for (; list; list = list->next)
        n += list->kind == A_DECL;
    return n;
}

static Body *new_body(Def *def, uint32_t n_members, uint32_t n_stmts)
{
    Program *p = def->text->program;
    BodyText *text = arena_alloc(&p->arena, sizeof *text);
    Body *body = &text->body;
    body->def = def;
    body->id = ++p->n_bodies;
    text->members_cap = n_members;
    text->stmts_cap = n_stmts;
    body->members = arena_alloc(&p->arena, n_members * sizeof *body->members);
    body->stmts = arena_alloc(&p->arena, n_stmts * sizeof *body->stmts);
    return body;
}

/* Room for one more pointer in an array of the arena; the old one is left to it. */
static void *one_more(Arena *arena, void *array, uint32_t n, uint32_t *cap)
{
    if (n < *cap)
        return array;
    *cap = *cap * 2 + 4;
    void **larger = arena_alloc(arena, *cap * sizeof *larger);
    if (n)
        memcpy(larger, array, n * sizeof *larger);
    return larger;
}

static void add_member(Body *body, Member *m)
{
    BodyText *text = (BodyText *)body;
    Program *p = body->def->text->program;
    body->members = one_more(&p->arena, body->members, body->n_members, &text->members_cap);
    m->body = body;
    m->index = body->n_members;
    body->members[body->n_members++] = m;
    map_put(p->mem, &p->members, member_key(body, m->name), body->n_members);
}

void body_add_stmt(Body *body, Stmt *s)
{
    BodyText *text = (BodyText *)body;
    Program *p = body->def->text->program;
    body->stmts = one_more(&p->arena, body->stmts, body->n_stmts, &text->stmts_cap);
    s->index = body->n_stmts;
    body->stmts[body->n_stmts++] = s;
}

/* ---- one declaration ---- */

static Type type_error(Level *level, Place at, const char *why, const char *name)
{
    resolve_error(level, at, why, name);
    return (Type){0};
}

static Type declared_type(Level *level, const ADecl *decl, const Version **named)
{
    Program *p = level->def->text->program;
    const ADesignator *d = &decl->type;
    Found found = resolve_designator(level, NULL, d);
    *named = found.kind == FOUND_PREDEFINED ? found.version : NULL;
    Place at = d->name[0].at;
    const char *name = resolve_text(p, d);
    switch (found.kind) {
    case FOUND_DEF:
        if (found.def->kind == DEF_PACKAGE)
            return type_error(level, at, "'%s' is a package and has no instances", name);
        if (found.def->kind == DEF_FUNCTION)
            return type_error(level, at, "'%s' is a function, not a type", name);
        resolve_enqueue(found.def);
        return (Type){TYPE_MODEL, found.def};
    case FOUND_CONST:
        return type_error(level, at, "'%s' is a constant, not a type", name);
    case FOUND_PREDEFINED: {
        const Predefined *pre = predefined_at(found.predefined);
        if (pre->kind != PRE_TYPE)
            return type_error(level, at,
                              "'%s' is predefined and cannot be declared as a member; "
                              "use it in an expression",
                              name);
        if (pre->type == TYPE_VOID && !(decl->parameter && decl->binding == BIND_ALIAS))
            return type_error(level, at, "'%s' is only for parameters of alias binding", name);
        return (Type){pre->type, NULL};
    }
    default:
        return (Type){0};
    }
}

static void check_attributes(Level *level, const ADecl *decl, Type type)
{
    const char *name = intern_text(&level->def->text->program->names, decl->name.sym);
    if (decl->attr_at && !decl->in_interface)
        resolve_error(level, decl->attr_at,
                      "in, out, potential and flow belong to members of an interface");
    if (decl->parameter && !decl->in_interface)
        resolve_error(level, decl->at, "parameters belong to the interface");
    if (decl->parameter && decl->attr_at)
        resolve_error(level, decl->attr_at, "a parameter is neither in, out, potential nor flow");
    if (decl->con != CON_NONE && type.kind == TYPE_MODEL)
        resolve_error(level, decl->attr_at, "'%s' is a model; only variables are potential or flow",
                      name);
    if (decl->con == CON_FLOW && type_is_basic(type) && type.kind != TYPE_REAL)
        resolve_error(level, decl->attr_at, "a flow must be Real: the flows of a node sum up to 0");
    if (decl->parameter && decl->binding == BIND_DYNAMIC)
        resolve_error(level, decl->at, "a parameter cannot be dynamic");
    else if (decl->binding == BIND_DYNAMIC && type_is_basic(type))
        resolve_error(level, decl->at, "only models can be dynamic; '%s' is a variable", name);
}

/* dynamic Car cars[]; */
static bool is_list(const ADecl *decl)
{
    const ASub *subs = decl->name.subs;
    return subs && !subs->from && !subs->range && decl->binding == BIND_DYNAMIC;
}

/* What an array cannot be. */
static void check_array(Level *level, const ADecl *decl, Type type)
{
    const ASub *subs = decl->name.subs;
    if (is_list(decl)) {
        if (decl->params.present)
            resolve_error(level, decl->params.at,
                          "a dynamic array is born empty: elements are added by '%s <- ..'",
                          intern_text(&level->def->text->program->names, decl->name.sym));
        return;
    }
    if (subs && !subs->from && !subs->range)
        resolve_error(level, subs->at,
                      "only dynamic arrays have no size: 'dynamic Car cars[]' is empty first");
    for (const ASub *sub = subs; sub; sub = sub->next)
        if (sub->range)
            resolve_error(level, sub->at, "the size of an array is a number, not a range");
    if (!subs)
        return;
    if (decl->binding != BIND_STATIC)
        resolve_error(level, subs->at,
                      decl->binding == BIND_DYNAMIC
                          ? "a dynamic array has no size: it is born empty, and written '[]'"
                          : "only static members can be arrays");
    else if (decl->attr_at && type.kind == TYPE_MODEL)
        resolve_error(level, decl->attr_at,
                      "an array of models is neither in nor out; arrays of variables are");
    else if (decl->parameter && type.kind == TYPE_MODEL)
        resolve_error(level, subs->at, "a parameter that is an array has a basic type");
}

static void check_list(Level *level, const ADecl *decl, Type type)
{
    if (decl->params.present && decl->binding == BIND_ALIAS)
        resolve_error(level, decl->params.at,
                      "an alias has no parameter list: it owns no instance");
    else if (decl->params.present && decl->parameter && !type_is_basic(type))
        resolve_error(level, decl->params.at,
                      "a parameter has no parameter list: the instance is given from outside");
    if (decl->value && (decl->binding == BIND_ALIAS || type.kind == TYPE_MODEL))
        resolve_error(level, decl->value->at, "only a parameter of basic type has a default value");
}

/* Fills in everything but name, body and index, which stay when a member is redeclared. */
static void describe(Member *m, Level *level, ADecl *decl)
{
    MemberText *text = body_member_text(m);
    m->type = declared_type(level, decl, &text->type);
    m->binding = decl->binding;
    if (decl->parameter && m->type.kind == TYPE_MODEL)
        m->binding = BIND_ALIAS; /* it refers to the instance that is given */
    m->con = decl->con;
    m->io = decl->io;
    m->is_public = m->is_public || decl->in_interface;
    m->parameter = decl->parameter;
    m->has_list = decl->params.present;
    m->at = decl->name.at;
    m->rank = 0;
    m->list = is_list(decl);
    for (const ASub *sub = decl->name.subs; sub && !m->list; sub = sub->next)
        m->rank++;
    text->decl = decl;
    text->piece = level->piece;
    check_array(level, decl, m->type);
    check_attributes(level, decl, m->type);
    check_list(level, decl, m->type);
}

static void redeclare(Body *body, Level *level, ADecl *decl)
{
    DefText *def_text = body->def->text;
    Program *p = def_text->program;
    const char *name = intern_text(&p->names, decl->name.sym);
    Member *m = body->parent ? NULL : body_find(body, decl->name.sym);
    if (!m || body_member_text(m)->piece == level->piece) {
        resolve_error(level, decl->name.at, "'%s' redeclares nothing: no such member is inherited",
                      name);
        return;
    }
    Redeclared *r = arena_alloc(&p->arena, sizeof *r);
    *r = (Redeclared){.before = *m, .now = m, .next = def_text->redeclared};
    if (level->piece + 1 == def_text->n_pieces)
        def_text->redeclared = r;
    describe(m, level, decl);
}

static bool is_reserved(Program *p, Sym name)
{
    uint32_t number = map_get(&p->predefined, name);
    return number && !predefined_at(number - 1)->soft;
}

static void check_name(Body *body, Level *level, const ADecl *decl, const Member *other)
{
    Program *p = level->def->text->program;
    const char *name = intern_text(&p->names, decl->name.sym);
    Entry *entry = resolve_entry(body->def, decl->name.sym);
    if (other) {
        bool inherited = !body->parent && body_member_text((Member *)other)->piece < level->piece;
        resolve_error(level, decl->name.at, "'%s' is already declared%s", name,
                      inherited ? "; use 'redeclare' to replace it" : "");
        resolve_note(level, other->at, "the other '%s'", name);
    } else if (entry) {
        const Version *v = entry->last;
        resolve_error(level, decl->name.at, "'%s' is a definition already", name);
        resolve_note(level, v->model ? v->model->name.at : v->define->name.at, "the definition");
    } else if (is_reserved(p, decl->name.sym)) {
        resolve_error(level, decl->name.at, "'%s' is predefined and cannot be the name of a member",
                      name);
    }
    for (Body *b = body->parent; b && !other; b = b->parent) {
        other = body_find(b, decl->name.sym);
        if (body->edit && other && (!p->edit->gone || edit_is_gone(p, other))) {
            other = NULL; /* what is gone is not hidden */
        } else if (body->edit && other) {
            resolve_error(level, decl->name.at, "'%s' is already declared", name);
            resolve_note(level, other->at, "the other '%s'", name);
        } else if (other) {
            resolve_warning(level, decl->name.at, "'%s' hides the member around the branch", name);
            resolve_note(level, other->at, "the member that is hidden");
        }
    }
}

static void declare(Body *body, Level *level, ADecl *decl)
{
    Program *p = level->def->text->program;
    if (decl->redeclare) {
        redeclare(body, level, decl);
        return;
    }
    Member *other = body_find(body, decl->name.sym);
    check_name(body, level, decl, other);
    if (other)
        return;
    MemberText *text = arena_alloc(&p->arena, sizeof *text);
    Member *m = &text->member;
    m->name = decl->name.sym;
    m->body = body;
    text->introduced = level->piece;
    describe(m, level, decl);
    add_member(body, m);
}

static void declare_all(Body *body, Level *level, AStmt *list)
{
    for (; list; list = list->next)
        if (list->kind == A_DECL)
            declare(body, level, list->decl);
}

void body_declare(Context *cx, AStmt *list)
{
    resolve_admit(cx->def, count_statements(list));
    declare_all(cx->body, cx->level, list);
}

/* ---- bodies ---- */

static void add_out(Def *def, Member *m)
{
    if (def->out) {
        Level *level = &def->text->piece[body_member_text(m)->piece].level;
        resolve_error(level, m->at, "a second 'out' member: a model has one at most");
        resolve_note(level, def->out->at, "the first one");
        return;
    }
    def->out = m;
}

/* Sorts the members by role, in order of declaration. */
static void collect_roles(Def *def)
{
    Body *body = def->body;
    Arena *arena = &def->text->program->arena;
    def->params = arena_alloc(arena, body->n_members * sizeof *def->params);
    def->ins = arena_alloc(arena, body->n_members * sizeof *def->ins);
    for (uint32_t i = 0; i < body->n_members; i++) {
        Member *m = body->members[i];
        if (m->parameter)
            def->params[def->n_params++] = m;
        if (m->io == IO_IN)
            def->ins[def->n_ins++] = m;
        if (m->io == IO_OUT)
            add_out(def, m);
    }
}

void body_interface(Def *def)
{
    DefText *text = def->text;
    if (text->interface != TODO)
        return;
    text->interface = BUSY;
    resolve_names(def, text->surrounding, def->at);
    uint32_t n_members = 0, n_stmts = 0;
    for (uint32_t k = 0; k < text->n_pieces; k++) {
        const AModel *m = text->piece[k].text;
        n_members += count_declarations(m->interface) + count_declarations(m->implementation);
        n_stmts += count_statements(m->interface) + count_statements(m->implementation);
    }
    if (!resolve_admit(def, n_members + n_stmts)) {
        def->body = new_body(def, 0, 0);
        text->statements = DONE;
        text->interface = DONE;
        return;
    }
    def->body = new_body(def, n_members, n_stmts);
    for (uint32_t k = 0; k < text->n_pieces; k++) {
        declare_all(def->body, &text->piece[k].level, text->piece[k].text->interface);
        declare_all(def->body, &text->piece[k].level, text->piece[k].text->implementation);
    }
    collect_roles(def);
    text->interface = DONE;
}

Body *body_branch(Context *around, Stmt *owner, AStmt *list)
{
    Body *body = new_body(around->def, count_declarations(list), count_statements(list));
    resolve_admit(around->def, count_statements(list));
    body->parent = around->body;
    body->owner = owner;
    body->edit = !owner;
    body->depth = around->body->depth + 1;
    declare_all(body, around->level, list);
    return body;
}

/* ---- parameters of a member ---- */

void body_creates(Context *cx, Def *def, Place at)
{
    Program *p = cx->program;
    if (def->partial)
        resolve_warning(cx->level, at,
                        "'%s' is partial: an instance of it is likely to lack equations",
                        def_path(p, def));
    if (!cx->body || cx->body->parent)
        return; /* inside a branch a model may create itself */
    Edge *edge = arena_alloc(&p->arena, sizeof *edge);
    *edge = (Edge){def, at, cx->def->text->edges};
    cx->def->text->edges = edge;
}

/* The name shows in instance paths as the parameter would: `car.engine` for `Car car{engine << ..}`; without one it is `Car#1`. */
static Sym hidden_name(Context *cx, Sym parameter)
{
    Program *p = cx->program;
    const char *owner = intern_text(&p->names, cx->owner);
    const char *name = parameter ? intern_text(&p->names, parameter) : "";
    size_t size = strlen(owner) + strlen(name) + 16;
    char *text = arena_alloc(&p->arena, size);
    Sym sym;
    unsigned i = 1;
    do {
        snprintf(text, size, "%s%s%s", owner, parameter ? "." : "", name);
        if (!parameter || i > 1)
            snprintf(text + strlen(text), 16, "#%u", i);
        sym = intern_str(&p->names, text);
        i++;
    } while (body_find(cx->body, sym));
    return sym;
}

Member *body_add_hidden(Context *cx, Sym parameter, Def *def, Place at)
{
    Program *p = cx->program;
    MemberText *text = arena_alloc(&p->arena, sizeof *text);
    Member *m = &text->member;
    m->name = hidden_name(cx, parameter);
    m->type = (Type){TYPE_MODEL, def};
    m->has_list = true;
    m->at = at;
    text->piece = text->introduced = cx->level->piece;
    text->stated = true;
    add_member(cx->body, m);
    Stmt *s = arena_alloc(&p->arena, sizeof *s);
    *s = (Stmt){.kind = S_DECLARE,
                .number = ++p->n_stmts,
                .at = at,
                .operator_at = at,
                .body = cx->body,
                .member = m};
    body_add_stmt(cx->body, s);
    resolve_admit(cx->def, 2);
    return m;
}

Member *body_add_iterator(Context *cx, Sym name, Place at)
{
    Program *p = cx->program;
    char hidden[24];
    MemberText *text = arena_alloc(&p->arena, sizeof *text);
    Member *m = &text->member;
    snprintf(hidden, sizeof hidden, "for#%u", p->n_stmts);
    m->name = name ? name : intern_str(&p->names, hidden);
    m->type = (Type){TYPE_INTEGER, NULL};
    m->body = cx->body;
    m->at = at;
    m->parameter = m->iterator = true;
    text->piece = text->introduced = cx->level->piece;
    text->stated = true;
    add_member(cx->body, m);
    return m;
}

Member *body_add_element(Context *cx, Sym name, Type type, ElementRole role, Place at)
{
    Program *p = cx->program;
    char hidden[32];
    MemberText *text = arena_alloc(&p->arena, sizeof *text);
    Member *m = &text->member;
    snprintf(hidden, sizeof hidden, "element#%u", cx->body->n_members);
    m->name = name ? name : intern_str(&p->names, hidden);
    m->type = type;
    m->binding = BIND_ALIAS;
    m->at = at;
    m->named = true;
    m->element = role;
    text->piece = text->introduced = cx->level->piece;
    text->stated = true;
    add_member(cx->body, m);
    return m;
}

Member *body_add_choice(Context *cx, Type type, Place at)
{
    Program *p = cx->program;
    char name[24];
    MemberText *text = arena_alloc(&p->arena, sizeof *text);
    Member *m = &text->member;
    snprintf(name, sizeof name, "if#%u", p->n_stmts);
    m->name = intern_str(&p->names, name);
    m->type = type;
    m->body = cx->body;
    m->at = at;
    m->named = m->hidden = true;
    m->held = type.kind != TYPE_REAL;
    text->piece = text->introduced = cx->level->piece;
    text->stated = true;
    add_member(cx->body, m);
    resolve_admit(cx->def, 4);
    return m;
}

void body_params(Context *cx, Member *m)
{
    const ADecl *decl = body_member_text(m)->decl;
    bool creates = m->type.kind == TYPE_MODEL && !m->parameter &&
                   (m->binding == BIND_STATIC || (m->binding == BIND_DYNAMIC && m->has_list));
    if (m->rank)
        array_sizes(cx, m);
    if (creates) {
        body_creates(cx, m->type.def, m->at);
        cx->owner = m->name;
        cx->own_rank = m->rank;
        expr_bind_params(cx, m->type.def, &decl->params, m->at, &m->params);
        cx->owner = 0;
        cx->own_rank = 0;
    }
    if (type_is_basic(m->type) && m->binding != BIND_ALIAS)
        attributes_read(cx, m);
    if (decl->value && type_is_basic(m->type)) {
        cx->at_birth = true;
        m->value = array_argument(cx, m, decl->value);
        cx->at_birth = false;
        expr_check_assignable(cx, m->type, m->value, "the default value");
    }
}

bool body_is_inside(const Body *body, const Body *around)
{
    while (body && body != around)
        body = body->parent;
    return body == around;
}

bool body_is_typed(const Body *body)
{
    while (body && !body->edit)
        body = body->parent;
    return body != NULL;
}

/* Leads a path to the same variable as long as the instance lives? */
static bool is_fixed(const Path *target)
{
    for (uint32_t i = 0; i < target->n; i++)
        if (target->step[i]->rank || (i + 1 < target->n && target->step[i]->binding != BIND_STATIC))
            return false;
    return true;
}

/* The text of an edit holds what it declares itself. Others exist, and are held from now on while the edit is there
 * (world_hold.c). */
static bool text_holds(Context *cx, const Path *target, bool held)
{
    const Body *edit = cx->body;
    if (!cx->program->edit || held)
        return true;
    while (edit && !edit->edit)
        edit = edit->parent;
    if (body_is_inside(target->step[0]->body, edit))
        return true;
    if (!is_fixed(target))
        resolve_error(cx->level, target->at,
                      "'%s' exists already and is not held: '<<' to an element of an array, or to "
                      "what an alias or a dynamic member leads to, can only be entered together "
                      "with its declaration",
                      intern_text(&cx->program->names, path_last(target)->name));
    return false;
}

/* A target of `<<`: a member of the body or of one around it is marked, one that lies deeper is
 * listed for the body that owns the first step. */
void body_hold(Context *cx, const Path *target)
{
    Program *p = cx->program;
    if (target->n == 1) {
        if (text_holds(cx, target, target->step[0]->held))
            target->step[0]->held = true;
        return;
    }
    uint64_t key = hash_bytes(target->step, target->n * sizeof *target->step, 0);
    if (map_get(&p->held, key) || !text_holds(cx, target, false))
        return;
    map_put(p->mem, &p->held, key, 1);
    HeldPath *h = arena_alloc(&p->arena, sizeof *h);
    *h = (HeldPath){*target, target->step[0]->body, cx->def->text->held};
    h->path.up = 0;
    cx->def->text->held = h;
    h->owner->n_held++;
}

/* Gives each body its list of held paths in the order of the text (the definition's list is newest
 * first, so each body's array is filled from its end). */
void body_finish_held(Def *def)
{
    Arena *arena = &def->text->program->arena;
    for (HeldPath *h = def->text->held; h; h = h->next) {
        Body *body = h->owner;
        if (!body->held) {
            body->held = arena_alloc(arena, body->n_held * sizeof *body->held);
            body->held += body->n_held;
        }
        *--body->held = h->path;
    }
}
