/* check.c: definitions -> errors that concern more than one name or type: restrictions of package,
 * connector and foreign functions, recursion, transmissions, operators that are read differently
 * than usual. */
#include "frontend/resolve_int.h"

/* ---- restrictions ---- */

static void forbid_section(Def *def, Place own_at, bool inherited, const char *kind,
                           const char *what)
{
    DefText *text = def->text;
    Level *level = resolve_own_level(def);
    if (own_at)
        resolve_error(level, own_at, "a %s has no %s", kind, what);
    else if (inherited)
        resolve_error(level, text->model->base.name[0].at, "a %s has no %s, but inherits one", kind,
                      what);
}

/* Sections of the pieces below the own one. */
static void inherited_sections(const DefText *text, bool *interface, bool *implementation)
{
    *interface = *implementation = false;
    for (uint32_t k = 0; k + 1 < text->n_pieces; k++) {
        *interface = *interface || text->piece[k].text->interface_at;
        *implementation = *implementation || text->piece[k].text->implementation_at;
    }
}

static void check_external(Def *def)
{
    Level *level = resolve_own_level(def);
    const AModel *m = def->text->model;
    if (def->kind != DEF_MODEL)
        resolve_error(level, def->external->at, "only a model can be a foreign function");
    if (m->implementation_at)
        resolve_error(level, m->implementation_at, "a foreign function has no implementation");
    if (!def->out)
        resolve_error(level, def->external->at, "a foreign function needs an 'out' member");
    for (uint32_t i = 0; i < def->body->n_members; i++) {
        const Member *member = def->body->members[i];
        if (member->type.kind == TYPE_MODEL)
            resolve_error(level, member->at, "a foreign function has variables only");
        else if (member->rank && member->io != IO_NONE)
            resolve_error(level, member->at, "a foreign function takes and gives single values");
        else if (member->io == IO_NONE && !member->parameter)
            resolve_error(level, member->at,
                          "a member of a foreign function is parameter, in or out");
    }
}

void check_def(Def *def)
{
    const AModel *m = def->text->model;
    bool interface, implementation;
    inherited_sections(def->text, &interface, &implementation);
    if (def->kind == DEF_PACKAGE) {
        forbid_section(def, m->interface_at, interface, "package", "interface");
        forbid_section(def, m->implementation_at, implementation, "package", "implementation");
    } else if (def->kind == DEF_CONNECTOR) {
        forbid_section(def, m->implementation_at, implementation, "connector", "implementation");
        if (m->models)
            resolve_error(resolve_own_level(def), m->models->name.at,
                          "a connector has no sub-definitions");
    }
    if (def->external)
        check_external(def);
}

/* ---- recursion ---- */

typedef struct Walk {
    Def *def;
    Edge *next;
} Walk;

static void report_recursion(const Walk *stack, uint32_t n, const Edge *back)
{
    Def *from = stack[n - 1].def;
    Program *p = from->text->program;
    Level *level = resolve_own_level(from);
    resolve_error(level, back->at,
                  "every '%s' contains another one without end: recursion needs a branch, or a "
                  "dynamic or alias member without parameter list",
                  def_path(p, back->to));
    for (uint32_t i = n - 1; i-- > 0 && stack[i + 1].def != back->to;)
        resolve_note(level, stack[i + 1].def->at, "by way of '%s'", def_path(p, stack[i + 1].def));
}

/* Looks for circles among the instances that each instance creates at its birth: depth first, with
 * an explicit stack. on_stack marks the definitions of the present path. */
void check_recursion(Program *p, Def *start)
{
    VEC(Walk) stack = {0};
    if (start->text->walked)
        return;
    start->text->walked = start->text->on_stack = true;
    vec_push(p->mem, &stack, ((Walk){start, start->text->edges}));
    while (stack.n) {
        Walk *top = &vec_last(&stack);
        Edge *edge = top->next;
        if (!edge) {
            top->def->text->on_stack = false;
            (void)vec_pop(&stack);
            continue;
        }
        top->next = edge->next;
        DefText *to = edge->to->text;
        if (to->on_stack) {
            report_recursion(stack.at, stack.n, edge);
        } else if (!to->walked) {
            to->walked = to->on_stack = true;
            vec_push(p->mem, &stack, ((Walk){edge->to, to->edges}));
        }
    }
    vec_free(p->mem, &stack);
}

/* ---- transmissions ---- */

/* Whether an expression reads a path directly, not by pre() and not inside another instance. */
static bool reads(const RExpr *e, const Path *path)
{
    if (e->kind == R_PATH)
        return expr_same_path(e->path, path);
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kind != R_DER && reads(e->arg[i], path))
            return true;
    return false;
}

static uint64_t target_key(const Stmt *s)
{
    return hash_bytes(s->path->step, s->path->n * sizeof *s->path->step, s->body->id);
}

void check_transmission(Context *cx, Stmt *s)
{
    Program *p = cx->program;
    const char *name = intern_text(&p->names, path_last(s->path)->name);
    if (reads(s->b, s->path)) {
        resolve_error(cx->level, s->operator_at,
                      "'%s' is determined by itself; 'pre(%s)' is its value before", name, name);
        return;
    }
    uint64_t key = target_key(s);
    uint32_t number = map_get(&p->transmitted, key);
    if (!number) {
        vec_push(p->mem, &p->transmissions, s);
        map_put(p->mem, &p->transmitted, key, p->transmissions.n);
    } else if (expr_same_path(p->transmissions.at[number - 1]->path, s->path)) {
        resolve_error(cx->level, s->at,
                      "a second transmission to '%s' that is active together with "
                      "the first",
                      name);
        resolve_note(cx->level, p->transmissions.at[number - 1]->at, "the first one");
    }
}

/* ---- equality of Reals ---- */

void check_equality_later(Context *cx, const RExpr *e)
{
    if (!cx->body)
        return; /* constants vary never */
    Equality *equality = arena_alloc(&cx->program->arena, sizeof *equality);
    *equality = (Equality){e, cx->level, cx->def->text->equalities};
    cx->def->text->equalities = equality;
}

/* Whether a value may vary between events. A held variable of this model does only if some
 * transmission that lasts gives it something that varies. */
static bool varies(const RExpr *e)
{
    if (e->kind == R_PATH) {
        const Member *m = path_last(e->path);
        bool own = e->path->n == 1 && m->held && !body_member_text((Member *)m)->follows;
        return e->continuous && !own;
    }
    for (uint32_t i = 0; i < e->n && e->kind == R_OP; i++)
        if (varies(e->arg[i]))
            return true;
    return e->kind != R_OP && e->continuous;
}

/* Reals that vary continuously are equal at moments that nobody can find. (The list is newest
 * first, the messages come in the order of the text.) */
void check_equalities(Def *def)
{
    Equality *in_order = NULL;
    for (Equality *q = def->text->equalities, *next; q; q = next) {
        next = q->next;
        q->next = in_order;
        in_order = q;
    }
    for (const Equality *q = in_order; q; q = q->next)
        if (varies(q->e))
            resolve_error(q->level, q->e->at,
                          "'%s' compares Reals that vary continuously; use an inequality",
                          q->e->op == X_EQ ? "==" : "<>");
}

/* ---- operators ---- */

static bool is_operator(const AExpr *e, AExprKind kind, int op)
{
    return e->kind == kind && e->op == op && !e->paren;
}

static bool is_comparison(const AExpr *e)
{
    return e->op >= T_LT && e->op <= T_GT;
}

static const char *comparison_text(int op)
{
    switch (op) {
    case T_LT:
        return "<";
    case T_LE:
        return "<=";
    case T_EQ:
        return "==";
    case T_GE:
        return ">=";
    case T_GT:
        return ">";
    default:
        return "<>";
    }
}

void check_reading(Context *cx, const AExpr *a)
{
    if (a->op == T_CARET && is_operator(a->a, A_UNARY, T_MINUS))
        resolve_warning(cx->level, a->a->at,
                        "'-' binds tighter than '^' here: this is the power of the negative value");
    else if (a->op == T_CARET && is_operator(a->a, A_BINARY, T_CARET))
        resolve_warning(cx->level, a->at, "'^' groups to the left here: this is (a^b)^c");
    else if (a->op == T_AND && is_operator(a->a, A_BINARY, T_OR))
        resolve_warning(cx->level, a->at,
                        "'and' and 'or' bind alike and group to the left: this is (a or b) and c");
    else if (is_comparison(a) && is_operator(a->a, A_UNARY, T_NOT))
        resolve_warning(cx->level, a->a->at,
                        "'not' binds tighter than the comparison: this is (not a) %s b",
                        comparison_text(a->op));
}
