/* plan.c: definitions -> plans (which there are, and their layout). lower.c fills them. */
#include "frontend/plan_int.h"

#include "base/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Plans *plans_open(Mem *mem, Program *program, FormTable *forms)
{
    Plans *plans = mem_alloc(mem, sizeof *plans);
    plans->mem = mem;
    plans->program = program;
    plans->forms = forms;
    arena_init(&plans->arena, mem);
    vec_push(mem, &plans->held, (HeldList){0});
    return plans;
}

void plans_close(Plans *plans)
{
    if (!plans)
        return;
    Mem *mem = plans->mem;
    vec_free(mem, &plans->plans);
    vec_free(mem, &plans->families);
    vec_free(mem, &plans->held);
    vec_free(mem, &plans->movable);
    vec_free(mem, &plans->functions);
    vec_free(mem, &plans->made);
    vec_free(mem, &plans->numbers);
    vec_free(mem, &plans->edits);
    map_free(mem, &plans->by_key);
    map_free(mem, &plans->family_of);
    map_free(mem, &plans->held_by_hash);
    map_free(mem, &plans->terminal_of);
    vec_free(mem, &plans->bundle_of);
    vec_free(mem, &plans->bundle_size);
    map_free(mem, &plans->function_of_def);
    map_free(mem, &plans->def_of_function);
    arena_free(&plans->arena);
    mem_free(mem, plans);
}

size_t plans_bytes(const Plans *plans)
{
    return plans->arena.used + plans->plans.cap * sizeof(Plan *) +
           plans->held.cap * sizeof(HeldList);
}

/* ---- walking through all expressions of a body ---- */

typedef struct Walk {
    Mem *mem;
    VEC(Body *) bodies;
    VEC(RExpr *) exprs;
} Walk;

static void walk_args(Walk *walk, const ParamList *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->arg[i].value)
            vec_push(walk->mem, &walk->exprs, list->arg[i].value);
}

static void walk_push(Walk *walk, RExpr *e)
{
    if (e)
        vec_push(walk->mem, &walk->exprs, e);
}

/* The statements of one body: its expressions and branches are put on the lists. */
static void walk_body(Walk *walk, Body *body)
{
    for (uint32_t i = 0; i < body->n_members; i++) {
        walk_args(walk, &body->members[i]->params);
        walk_push(walk, body->members[i]->value);
    }
    for (uint32_t i = 0; i < body->n_stmts; i++) {
        Stmt *s = body->stmts[i];
        walk_push(walk, s->a);
        walk_push(walk, s->b);
        if (s->then_body)
            vec_push(walk->mem, &walk->bodies, s->then_body);
        if (s->else_body)
            vec_push(walk->mem, &walk->bodies, s->else_body);
    }
}

static void walk_parts(Walk *walk, RExpr *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        walk_push(walk, e->arg[i]);
    walk_push(walk, e->start);
    if (!e->access)
        return;
    walk_args(walk, &e->access->params);
    for (uint32_t i = 0; i < e->access->n_ins; i++)
        walk_push(walk, e->access->in[i].value);
}

static void walk_free(Walk *walk)
{
    vec_free(walk->mem, &walk->bodies);
    vec_free(walk->mem, &walk->exprs);
}

/* ---- families: layout ---- */

static bool uses_initial(Plans *plans, Body *body)
{
    Walk walk = {.mem = plans->mem};
    bool found = false;
    vec_push(plans->mem, &walk.bodies, body);
    while (walk.bodies.n && !found) {
        walk_body(&walk, vec_pop(&walk.bodies));
        while (walk.exprs.n) {
            RExpr *e = vec_pop(&walk.exprs);
            found |= e->kind == R_INITIAL;
            walk_parts(&walk, e);
        }
    }
    walk_free(&walk);
    return found;
}

static uint32_t words_of(const Member *m)
{
    if (m->list)
        return LIST_WORDS;
    if (m->binding == BIND_ALIAS)
        return 3;
    return m->binding == BIND_DYNAMIC ? 2 : 1;
}

Family *plans_family(Plans *plans, Body *body)
{
    uint64_t key = (uintptr_t)body;
    uint32_t found = map_get(&plans->family_of, key);
    if (found)
        return plans->families.at[found - 1];
    Family *f = arena_alloc(&plans->arena, sizeof *f);
    f->body = body;
    f->number = plans->families.n;
    f->member_word = arena_alloc(&plans->arena, (body->n_members + 1) * sizeof *f->member_word);
    f->initial_word = NO_WORD;
    for (uint32_t i = 0; i < body->n_members; i++) {
        f->member_word[i] = f->n_words;
        f->n_words += words_of(body->members[i]);
    }
    if (!body->parent && uses_initial(plans, body))
        f->initial_word = f->n_words++;
    vec_push(plans->mem, &plans->families, f);
    map_put(plans->mem, &plans->family_of, key, plans->families.n);
    return f;
}

uint32_t plan_member_word(const Plan *plan, const Member *declared, Member **actual)
{
    Member *m = (Member *)declared;
    if (m->body != plan->body)
        m = member_in(plan->def, declared);
    *actual = m;
    return m ? plan->family->member_word[m->index] : NO_WORD;
}

/* ---- lists of held variables ---- */

typedef struct HeldEntry {
    const uint32_t *at; /* at[0] steps follow */
} HeldEntry;

static int compare_held(const void *a, const void *b)
{
    const uint32_t *x = ((const HeldEntry *)a)->at, *y = ((const HeldEntry *)b)->at;
    uint32_t n = x[0] < y[0] ? x[0] : y[0];
    for (uint32_t i = 1; i <= n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Sorted and without doubles, so that equal lists are equal texts. */
static void held_sort(Plans *plans, HeldWords *list)
{
    VEC(HeldEntry) entries = {0};
    for (uint32_t i = 0; i < list->n; i += list->at[i] + 1)
        vec_push(plans->mem, &entries, (HeldEntry){&list->at[i]});
    if (entries.n > 1) {
        qsort(entries.at, entries.n, sizeof *entries.at, compare_held);
        HeldWords sorted = {0};
        for (uint32_t i = 0; i < entries.n; i++) {
            if (i > 0 && !compare_held(&entries.at[i - 1], &entries.at[i]))
                continue;
            for (uint32_t k = 0; k <= entries.at[i].at[0]; k++)
                vec_push(plans->mem, &sorted, entries.at[i].at[k]);
        }
        vec_free(plans->mem, list);
        *list = sorted;
    }
    vec_free(plans->mem, &entries);
}

static uint32_t held_number(Plans *plans, HeldWords *list)
{
    if (list->n == 0)
        return 0;
    held_sort(plans, list);
    uint64_t hash = hash_bytes(list->at, list->n * sizeof *list->at, 1);
    uint32_t first = map_get(&plans->held_by_hash, hash);
    for (uint32_t i = first; i; i = plans->held.at[i].same_hash)
        if (plans->held.at[i].n == list->n &&
            !memcmp(plans->held.at[i].at, list->at, list->n * sizeof *list->at))
            return i;
    HeldList fresh = {.n = list->n, .same_hash = first};
    fresh.at = arena_alloc(&plans->arena, list->n * sizeof *fresh.at);
    memcpy(fresh.at, list->at, list->n * sizeof *fresh.at);
    vec_push(plans->mem, &plans->held, fresh);
    map_put(plans->mem, &plans->held_by_hash, hash, plans->held.n - 1);
    return plans->held.n - 1;
}

bool plans_is_held(const Plans *plans, const Plan *plan, uint32_t member)
{
    const HeldList *list = &plans->held.at[plan->variant];
    for (uint32_t i = 0; i < list->n; i += list->at[i] + 1)
        if (list->at[i] == 1 && list->at[i + 1] == member)
            return true;
    return false;
}

void plans_held_inside(Plans *plans, const Plan *plan, uint32_t member, HeldWords *out)
{
    HeldList list = plans->held.at[plan->variant];
    for (uint32_t i = 0; i < list.n; i += list.at[i] + 1) {
        if (list.at[i] < 2 || list.at[i + 1] != member)
            continue;
        vec_push(plans->mem, out, list.at[i] - 1);
        for (uint32_t k = 2; k <= list.at[i]; k++)
            vec_push(plans->mem, out, list.at[i + k]);
    }
}

/* ---- targets behind dynamic and alias members ---- */

static void survey_held(Plans *plans, const Path *path)
{
    for (uint32_t i = path->n - 1; i-- > 0;) {
        Member *m = path->step[i];
        if (m->binding == BIND_STATIC || m->type.kind != TYPE_MODEL)
            continue;
        MovableTarget t = {m->type.def, path->n - 1 - i, path->step + i + 1};
        vec_push(plans->mem, &plans->movable, t);
        return; /* what lies before decides where it leads, not what it finds there */
    }
}

typedef struct Survey {
    Walk walk;
    Map seen; /* Def.id */
    VEC(Def *) todo;
    bool known; /* some definitions were surveyed before */
} Survey;

static void survey_def(Survey *s, Def *def)
{
    if (!def || !def->body || map_get(&s->seen, def->id))
        return;
    map_put(s->walk.mem, &s->seen, def->id, 1);
    vec_push(s->walk.mem, &s->todo, def);
}

static void survey_body(Plans *plans, Survey *s, Body *body)
{
    for (uint32_t i = 0; i < body->n_held; i++)
        survey_held(plans, &body->held[i]);
    for (uint32_t i = 0; i < body->n_members; i++)
        if (body->members[i]->type.kind == TYPE_MODEL)
            survey_def(s, body->members[i]->type.def);
    walk_body(&s->walk, body);
    while (s->walk.exprs.n) {
        RExpr *e = vec_pop(&s->walk.exprs);
        if (e->access)
            survey_def(s, e->access->def);
        walk_parts(&s->walk, e);
    }
}

/* All bodies on the list, and all definitions that are reachable from them. */
static void survey_all(Plans *plans, Survey *s)
{
    for (;;) {
        while (s->walk.bodies.n)
            survey_body(plans, s, vec_pop(&s->walk.bodies));
        if (!s->todo.n)
            break;
        Def *def = vec_pop(&s->todo);
        if (s->known && plans_family(plans, def->body)->collected)
            continue;
        terminals_survey(plans, def);
        vec_push(plans->mem, &s->walk.bodies, def->body);
    }
    vec_free(plans->mem, &s->todo);
    map_free(plans->mem, &s->seen);
    walk_free(&s->walk);
}

void plans_survey(Plans *plans, Def *top)
{
    Survey s = {.walk = {.mem = plans->mem}};
    survey_def(&s, top);
    survey_all(plans, &s);
}

/* Of an edit: what was seen before is passed over. */
static void survey_edit(Plans *plans, Body *body)
{
    Survey s = {.walk = {.mem = plans->mem}, .known = true};
    vec_push(plans->mem, &s.walk.bodies, body);
    survey_all(plans, &s);
}

/* Definitions that a body may make instances of, on the list; true: something in it is foreign. */
static bool foreign_in(Survey *s, Body *body)
{
    bool found = false;
    for (uint32_t i = 0; i < body->n_members; i++)
        if (body->members[i]->type.kind == TYPE_MODEL)
            survey_def(s, body->members[i]->type.def);
    walk_body(&s->walk, body);
    while (s->walk.exprs.n) {
        RExpr *e = vec_pop(&s->walk.exprs);
        found |= e->kind == R_TABLE;
        if (e->access)
            survey_def(s, e->access->def);
        walk_parts(&s->walk, e);
    }
    return found;
}

bool plans_edit_is_foreign(const Plans *plans, uint32_t number)
{
    Survey s = {.walk = {.mem = plans->mem}};
    bool found = false;
    vec_push(plans->mem, &s.walk.bodies, plans->edits.at[number].body);
    while (!found && (s.walk.bodies.n || s.todo.n)) {
        if (s.walk.bodies.n) {
            found = foreign_in(&s, vec_pop(&s.walk.bodies));
            continue;
        }
        const Def *def = vec_pop(&s.todo);
        found = def->external != NULL;
        vec_push(plans->mem, &s.walk.bodies, def->body);
    }
    vec_free(plans->mem, &s.todo);
    map_free(plans->mem, &s.seen);
    walk_free(&s.walk);
    return found;
}

/* May an instance of `def` come to stand where `type` is declared? Names decide: the program is
 * checked, and to hold one variable too many harms only models that both transmit and equate it. */
static bool may_stand_for(const Def *def, const Def *type)
{
    if (def == type)
        return true;
    for (uint32_t i = 0; i < type->body->n_members; i++)
        if (type->body->members[i]->is_public && !member_in(def, type->body->members[i]))
            return false;
    return type->body->n_members > 0;
}

bool plans_hold_loosely(const Plans *plans, const Member *member)
{
    for (uint32_t i = 0; i < plans->movable.n; i++)
        if (plans->movable.at[i].step[plans->movable.at[i].n - 1]->name == member->name)
            return true;
    return false;
}

static void held_movable(Plans *plans, const Def *def, HeldWords *list)
{
    for (uint32_t i = 0; i < plans->movable.n; i++) {
        MovableTarget t = plans->movable.at[i];
        if (!may_stand_for(def, t.type))
            continue;
        uint32_t start = list->n;
        const Def *at = def;
        vec_push(plans->mem, list, t.n);
        for (uint32_t k = 0; k < t.n && at; k++) {
            Member *m = member_in(at, t.step[k]);
            vec_push(plans->mem, list, m ? m->index : 0);
            at = m && m->type.kind == TYPE_MODEL ? m->type.def : NULL;
        }
        if (list->n != start + 1 + t.n)
            list->n = start;
    }
}

/* ---- plans ---- */

Plan *plans_variant(Plans *plans, Body *body, const HeldWords *held)
{
    HeldWords list = {0};
    for (uint32_t i = 0; held && i < held->n; i++)
        vec_push(plans->mem, &list, held->at[i]);
    if (!body->parent)
        held_movable(plans, body->def, &list);
    uint32_t variant = held_number(plans, &list);
    vec_free(plans->mem, &list);

    Family *family = plans_family(plans, body);
    uint64_t key = (uint64_t)variant << 32 | family->number;
    uint32_t found = map_get(&plans->by_key, key);
    if (found)
        return plans->plans.at[found - 1];
    Plan *plan = arena_alloc(&plans->arena, sizeof *plan);
    plan->family = family;
    plan->body = body;
    plan->def = body->def;
    plan->is_branch = body->parent != NULL;
    plan->variant = variant;
    plan->number = plans->plans.n;
    vec_push(plans->mem, &plans->plans, plan);
    map_put(plans->mem, &plans->by_key, key, plans->plans.n);
    return plan;
}

/* Nodes have no text: an empty body inside the one the row is declared in. */
static Plan *row_plan(Plans *plans, Plan *around, const Row *row, const Op *element)
{
    Arena *arena = &plans->arena;
    Plan *plan = arena_alloc(arena, sizeof *plan);
    Body *body = arena_alloc(arena, sizeof *body);
    *body = (Body){.def = around->def, .parent = around->body, .depth = around->body->depth + 1};
    plan->family = arena_alloc(arena, sizeof *plan->family);
    *plan->family = (Family){.body = body, .number = plans->families.n, .initial_word = NO_WORD};
    vec_push(plans->mem, &plans->families, plan->family);
    plan->body = body;
    plan->def = around->def;
    plan->number = plans->plans.n;
    plan->is_branch = plan->compiled = true;
    plan->row = row;
    plan->n_words = ROW_WORDS;
    plan->n_ops = ROW_FAN;
    plan->ops = arena_alloc(arena, ROW_FAN * sizeof *plan->ops);
    plan->word_op = arena_alloc(arena, ROW_WORDS * sizeof *plan->word_op);
    plan->member_op = arena_alloc(arena, sizeof *plan->member_op);
    plan->stmt_op = arena_alloc(arena, sizeof *plan->stmt_op);
    for (uint32_t i = 0; i < ROW_FAN; i++) {
        plan->ops[i] = *element;
        plan->ops[i].word = plan->word_op[i] = i;
    }
    vec_push(plans->mem, &plans->plans, plan);
    return plan;
}

Plan *plans_row(Plans *plans, Plan *around, const Row *row, const Op *element)
{
    Row *kept = arena_alloc(&plans->arena, sizeof *kept);
    Op node = {.kind = OP_PART, .stmt = element->stmt, .at = element->at};
    *kept = *row;
    kept->leaf = row_plan(plans, around, kept, element);
    kept->inner = row_plan(plans, around, kept, &node);
    for (uint32_t i = 0; i < ROW_FAN; i++)
        kept->inner->ops[i].plan = kept->inner;
    return kept->leaf;
}

Plan *plans_bag(Plans *plans, Plan *around, const Op *content, Plan **item)
{
    Row *bag = arena_alloc(&plans->arena, sizeof *bag),
        *chain = arena_alloc(&plans->arena, sizeof *chain);
    Op node = {.kind = OP_PART, .stmt = content->stmt, .at = content->at};
    bag->kind = ROW_BAG;
    chain->kind = ROW_CHAIN;
    *item = row_plan(plans, around, chain, content);
    (*item)->n_words = CHAIN_WORDS;
    (*item)->n_ops = 1;
    return row_plan(plans, around, bag, &node);
}

uint32_t plans_reach(const Plans *plans)
{
    return plans->reach;
}

Plan *plans_get(Plans *plans, Def *def)
{
    return plans_variant(plans, def->body, NULL);
}

void plans_like(Plans *plans, Plans *other, Def *top)
{
    plans->like = other;
    plans_survey(plans, top);
}

void plans_compile(Plans *plans, Plan *plan)
{
    if (plan->compiled)
        return;
    vec_push(plans->mem, &plans->made, plan->number * 2);
    lower_body(plans, plan);
    plan->compiled = true;
}

/* ---- foreign functions ---- */

/* The number that the same function has in the plans that these are like; NO_NUMBER: none. */
enum { NO_NUMBER = UINT32_MAX };

static uint32_t number_there(Plans *plans, const Def *def)
{
    Plans *like = plans->like;
    if (!like)
        return NO_NUMBER;
    const char *path = def_path(plans->program, def);
    for (uint32_t i = 0; i < like->functions.n; i++)
        if (strcmp(def_path(like->program, like->functions.at[i]), path) == 0)
            return plans_function_number(like, i);
    return NO_NUMBER;
}

static uint32_t new_function(Plans *plans, uint32_t there)
{
    if (plans->n_numbers == plans->numbers.n)
        vec_push(plans->mem, &plans->numbers,
                 there == NO_NUMBER ? x_new_function(plans->forms) : there);
    return plans->numbers.at[plans->n_numbers++];
}

uint32_t plans_foreign(Plans *plans, const Def *def)
{
    uint32_t number = map_get(&plans->function_of_def, def->id);
    if (number)
        return number - 1;
    number = new_function(plans, number_there(plans, def));
    vec_push(plans->mem, &plans->functions, def);
    map_put(plans->mem, &plans->function_of_def, def->id, number + 1);
    map_put(plans->mem, &plans->def_of_function, (uint64_t)number + 1, plans->functions.n);
    return number;
}

const Def *plans_function(const Plans *plans, uint32_t number)
{
    uint32_t index = map_get(&plans->def_of_function, (uint64_t)number + 1);
    return index ? plans->functions.at[index - 1] : NULL;
}

uint32_t plans_function_count(const Plans *plans)
{
    return plans->functions.n;
}

uint32_t plans_function_number(const Plans *plans, uint32_t index)
{
    return map_get(&plans->function_of_def, plans->functions.at[index]->id) - 1;
}

uint32_t plans_builtin(Plans *plans, PlanBuiltin which)
{
    uint32_t there = plans->like ? plans->like->builtin[which] - 1 : NO_NUMBER; /* 0 - 1: none */
    if (!plans->builtin[which])
        plans->builtin[which] = new_function(plans, there) + 1;
    return plans->builtin[which] - 1;
}

PlanBuiltin plans_builtin_of(const Plans *plans, uint32_t number)
{
    PlanBuiltin which = 0;
    while (which < BUILTINS && plans->builtin[which] != number + 1)
        which++;
    return which;
}

/* ---- edits ---- */

static Body *edit_parent(const Plans *plans, const PlanEdit *edit)
{
    return edit->parent ? plans->edits.at[edit->parent - 1].body
                        : plans->plans.at[edit->scope]->body;
}

/* Its body; what it declares that may be connected has to have the bundles that are there. */
static bool resolve_edit(Plans *plans, PlanEdit *made, const Edit *edit)
{
    Edit whole = *edit;
    whole.def = plans->plans.at[made->scope]->def;
    whole.parent = edit_parent(plans, made);
    whole.text = made->text;
    whole.length = strlen(made->text);
    made->body = program_edit(plans->program, &whole);
    if (!made->body)
        return false;
    if (uses_initial(plans, made->body) &&
        plans_family(plans, whole.def->body)->initial_word == NO_WORD) {
        diag_error(program_diags(plans->program), made->body->stmts[0]->at,
                   "initial() belongs to the text that an instance is made from: here it was never "
                   "true");
        return false;
    }
    survey_edit(plans, made->body);
    if (plans->split)
        diag_error(program_diags(plans->program), made->body->stmts[0]->at,
                   "connectors that have only some of the names of others cannot be entered once "
                   "the others are connected");
    return !plans->split;
}

Plan *plans_edit(Plans *plans, Plan *scope, uint32_t parent, const Edit *edit)
{
    PlanEdit made = {.scope = scope->number, .parent = parent};
    made.text = arena_copy(&plans->arena, edit->text, edit->length);
    if (!resolve_edit(plans, &made, edit))
        return NULL;
    vec_push(plans->mem, &plans->made, MADE_EDIT + plans->edits.n);
    made.plan = plans_variant(plans, made.body, NULL);
    vec_push(plans->mem, &plans->edits, made);
    plans_compile(plans, made.plan);
    return made.plan;
}

uint32_t plans_edit_count(const Plans *plans)
{
    return plans->edits.n;
}

const PlanEdit *plans_edit_at(const Plans *plans, uint32_t number)
{
    return &plans->edits.at[number];
}

static void pack_edit(Plans *plans, PlanEdit *edit, Pack *p)
{
    uint32_t length = pack_count(p, edit->text ? (uint32_t)strlen(edit->text) : 0, 1);
    if (p->writing)
        edit->number = program_edit_number(plans->program, edit->body);
    PACK(p, edit->scope);
    PACK(p, edit->parent);
    PACK(p, edit->number);
    if (p->writing) {
        pack_bytes(p, (void *)edit->text, length);
    } else if (!p->bad) {
        char *text = arena_alloc(&plans->arena, (size_t)length + 1);
        pack_bytes(p, text, length);
        edit->text = text;
    }
}

static void pack_edits(Plans *plans, Pack *p)
{
    PACK_LENGTH(p, &plans->edits, 1);
    for (uint32_t i = 0; i < plans->edits.n && !p->bad; i++)
        pack_edit(plans, &plans->edits.at[i], p);
}

/* Edit number `i`, whose text was read: it was accepted before. */
static bool edit_again(Plans *plans, uint32_t i)
{
    char name[40];
    PlanEdit *edit = i < plans->edits.n ? &plans->edits.at[i] : NULL;
    if (!edit || edit->scope >= plans->plans.n || edit->parent > i)
        return false;
    snprintf(name, sizeof name, "edit %u", i + 1);
    if (!resolve_edit(plans, edit, &(Edit){.name = name, .number = edit->number}))
        return false;
    edit->plan = plans_variant(plans, edit->body, NULL);
    return true;
}

/* ---- the order of first need ---- */

Plan *plans_by_number(const Plans *plans, uint32_t number)
{
    Plan *plan = number < plans->plans.n ? plans->plans.at[number] : NULL;
    return plan && plan->compiled ? plan : NULL;
}

static void make_again(Plans *plans, uint32_t what, Pack *p)
{
    Plan *plan = what / 2 < plans->plans.n ? plans->plans.at[what / 2] : NULL;
    if (what >= MADE_EDIT) {
        vec_push(plans->mem, &plans->made, what);
        p->bad |= !edit_again(plans, what - MADE_EDIT);
        return;
    }
    if (!plan)
        p->bad = true;
    else if (what % 2)
        plans_signature(plans, plan);
    else
        plans_compile(plans, plan);
}

void plans_pack(Plans *plans, Def *top, Pack *p)
{
    PACK_LIST(p, &plans->numbers);
    pack_edits(plans, p);
    uint32_t n = pack_count(p, plans->made.n, sizeof(uint32_t));
    if (!p->writing && !p->bad) {
        plans_survey(plans, top);
        plans_get(plans, top);
    }
    for (uint32_t i = 0; i < n && !p->bad; i++) {
        uint32_t what = p->writing ? plans->made.at[i] : 0;
        PACK(p, what);
        if (!p->writing)
            make_again(plans, what, p);
    }
    p->bad |= plans->made.n != n || plans->n_numbers != plans->numbers.n;
}
