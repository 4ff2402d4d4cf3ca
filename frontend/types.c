/* types.c: pairs of types -> sub-type, equal, common base, separate.
 *
 * Models are compared by their public members, and these by their types, which may lead back to
 * where the comparison began. So the question "is a a sub-type of b" becomes a list of pairs of
 * definitions that must all fit: a pair that is on the list already needs no second look. If one
 * fails, the answer is no; if the list is done without failure, all its pairs fit (the greatest
 * relation that the rules allow; Amadio and Cardelli 1993). The list replaces recursion. Results
 * are remembered by pairs. */
#include "frontend/types.h"
#include "frontend/resolve_int.h"

#include <stdio.h>
#include <string.h>

enum { KNOWN_SUB = 1, KNOWN_NOT = 2 };

typedef struct Pair {
    Def *a, *b;
} Pair;

typedef struct Pairs {
    Mem *mem;
    Map seen;
    VEC(Pair) list;
} Pairs;

static uint64_t pair_key(const Def *a, const Def *b)
{
    return (uint64_t)a->id << 32 | b->id;
}

static void pairs_add(Pairs *pairs, Def *a, Def *b)
{
    if (a == b || map_get(&pairs->seen, pair_key(a, b)))
        return;
    vec_push(pairs->mem, &pairs->list, ((Pair){a, b}));
    map_put(pairs->mem, &pairs->seen, pair_key(a, b), pairs->list.n);
}

static void pairs_free(Pairs *pairs)
{
    map_free(pairs->mem, &pairs->seen);
    vec_free(pairs->mem, &pairs->list);
}

/* ---- members ---- */

static Member *public_member(Def *def, Sym name)
{
    body_interface(def);
    Member *m = body_find(def->body, name);
    return m && m->is_public ? m : NULL;
}

static bool fail(Mismatch *why, MismatchKind kind, const Member *a, const Member *b)
{
    if (why)
        *why = (Mismatch){kind, a ? a->type : (Type){0}, b->type, a, b};
    return false;
}

static bool same_attributes(const Member *a, const Member *b)
{
    return (!b->parameter || a->parameter) && (b->io == IO_NONE || a->io == b->io) &&
           (b->con == CON_NONE || a->con == b->con);
}

/* Compares kinds only; models remain to be compared by whoever asks. */
static bool kinds_fit(Type a, Type b)
{
    return a.kind == b.kind || b.kind == TYPE_VOID || a.kind == TYPE_ERROR || b.kind == TYPE_ERROR;
}

static bool member_fits(Pairs *pairs, const Member *a, const Member *b, Mismatch *why)
{
    if (!kinds_fit(a->type, b->type) || a->rank != b->rank || a->list != b->list)
        return fail(why, MISMATCH_TYPE, a, b);
    if (a->binding != b->binding)
        return fail(why, MISMATCH_BINDING, a, b);
    if (!same_attributes(a, b))
        return fail(why, MISMATCH_ATTRIBUTE, a, b);
    if (a->type.kind == TYPE_MODEL && b->type.kind == TYPE_MODEL)
        pairs_add(pairs, a->type.def, b->type.def);
    return true;
}

/* ---- sub-type ---- */

static bool pair_fits(Pairs *pairs, Def *a, Def *b, Mismatch *why)
{
    body_interface(b);
    for (uint32_t i = 0; i < b->body->n_members; i++) {
        const Member *wanted = b->body->members[i];
        if (!wanted->is_public)
            continue;
        const Member *offered = public_member(a, wanted->name);
        if (!offered)
            return fail(why, MISMATCH_MISSING, NULL, wanted);
        if (!member_fits(pairs, offered, wanted, why))
            return false;
    }
    return true;
}

static bool pairs_fit(Program *p, Pairs *pairs, Mismatch *why)
{
    for (uint32_t i = 0; i < pairs->list.n; i++) {
        Pair pair = pairs->list.at[i];
        uint32_t known = map_get(&p->subtypes, pair_key(pair.a, pair.b));
        if (known == KNOWN_SUB)
            continue;
        if (!pair_fits(pairs, pair.a, pair.b, why))
            return false;
    }
    for (uint32_t i = 0; i < pairs->list.n; i++)
        map_put(p->mem, &p->subtypes, pair_key(pairs->list.at[i].a, pairs->list.at[i].b),
                KNOWN_SUB);
    return true;
}

static bool models_fit(Def *a, Def *b, Mismatch *why)
{
    Program *p = a->text->program;
    Pairs pairs = {.mem = p->mem};
    if (!why && map_get(&p->subtypes, pair_key(a, b)) == KNOWN_NOT)
        return false;
    pairs_add(&pairs, a, b);
    bool fits = pairs_fit(p, &pairs, why);
    if (!fits)
        map_put(p->mem, &p->subtypes, pair_key(a, b), KNOWN_NOT);
    pairs_free(&pairs);
    return fits;
}

bool types_is_sub(Type a, Type b, Mismatch *why)
{
    if (!kinds_fit(a, b)) {
        if (why)
            *why = (Mismatch){.kind = MISMATCH_KIND, .a = a, .b = b};
        return false;
    }
    if (a.kind != TYPE_MODEL || b.kind != TYPE_MODEL)
        return true;
    return models_fit(a.def, b.def, why);
}

bool types_is_equal(Type a, Type b)
{
    return types_is_sub(a, b, NULL) && types_is_sub(b, a, NULL);
}

bool types_member_is_sub(const Member *a, const Member *b, Mismatch *why)
{
    if (a->binding != b->binding)
        return fail(why, MISMATCH_BINDING, a, b);
    if (!same_attributes(a, b))
        return fail(why, MISMATCH_ATTRIBUTE, a, b);
    if (a->rank != b->rank || a->list != b->list)
        return fail(why, MISMATCH_TYPE, a, b);
    return types_is_sub(a->type, b->type, why);
}

/* ---- common base ---- */

/* Whether the members of two models have something in common. Pairs of models count as having so
 * unless `separate` (by number in the list) says otherwise; new pairs are put on the list. */
static bool pair_shares(Pairs *pairs, const bool *separate, uint32_t n, Pair pair)
{
    bool shares = false;
    body_interface(pair.b);
    for (uint32_t i = 0; i < pair.b->body->n_members; i++) {
        const Member *b = pair.b->body->members[i];
        const Member *a = b->is_public ? public_member(pair.a, b->name) : NULL;
        if (!a || a->type.kind != b->type.kind || a->binding != b->binding || a->rank != b->rank ||
            a->list != b->list)
            continue;
        if (a->type.kind != TYPE_MODEL || a->type.def == b->type.def) {
            shares = true;
            continue;
        }
        pairs_add(pairs, a->type.def, b->type.def);
        uint32_t number = map_get(&pairs->seen, pair_key(a->type.def, b->type.def)) - 1;
        shares = shares || number >= n || !separate[number];
    }
    return shares;
}

/* Sweeps over all pairs until no more of them turn out to be separate. */
static bool *find_separate(Pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->list.n; i++)
        pair_shares(pairs, NULL, 0, pairs->list.at[i]);
    uint32_t n = pairs->list.n;
    bool *separate = mem_alloc(pairs->mem, n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < n; i++)
            if (!separate[i] && !pair_shares(pairs, separate, n, pairs->list.at[i]))
                changed = separate[i] = true;
    }
    return separate;
}

bool types_is_separate(Type a, Type b)
{
    if (a.kind != TYPE_MODEL || b.kind != TYPE_MODEL)
        return !(a.kind == b.kind || a.kind == TYPE_ERROR || b.kind == TYPE_ERROR);
    if (a.def == b.def)
        return false;
    Pairs pairs = {.mem = a.def->text->program->mem};
    pairs_add(&pairs, a.def, b.def);
    bool *separate = find_separate(&pairs);
    bool result = separate[0];
    mem_free(pairs.mem, separate);
    pairs_free(&pairs);
    return result;
}

uint32_t types_common(Arena *arena, Type a, Type b, CommonMember **out)
{
    uint32_t n = 0;
    body_interface(b.def);
    *out = arena_alloc(arena, b.def->body->n_members * sizeof **out);
    for (uint32_t i = 0; i < b.def->body->n_members; i++) {
        Member *mb = b.def->body->members[i];
        Member *ma = mb->is_public ? public_member(a.def, mb->name) : NULL;
        if (ma && ma->binding == mb->binding && !types_is_separate(ma->type, mb->type))
            (*out)[n++] = (CommonMember){ma, mb};
    }
    return n;
}

/* ---- texts ---- */

const char *types_name(Program *program, Type type)
{
    static const char *const basic[] = {"an unknown type", "Void",    "Real",
                                        "Integer",         "Boolean", "String"};
    return type.kind == TYPE_MODEL ? def_path(program, type.def) : basic[type.kind];
}

static const char *attribute_missing(const Mismatch *why)
{
    const Member *a = why->member_a, *b = why->member_b;
    if (b->parameter && !a->parameter)
        return "parameter";
    if (b->io != IO_NONE && a->io != b->io)
        return b->io == IO_IN ? "in" : "out";
    return b->con == CON_POTENTIAL ? "potential" : "flow";
}

const char *types_reason(Program *program, const Mismatch *why)
{
    static const char *const bindings[] = {"static", "dynamic", "alias"};
    char text[512];
    const Member *b = why->member_b;
    const char *name = b ? intern_text(&program->names, b->name) : "";
    switch (why->kind) {
    case MISMATCH_KIND:
        snprintf(text, sizeof text, "it is %s, not %s", types_name(program, why->a),
                 types_name(program, why->b));
        break;
    case MISMATCH_MISSING:
        snprintf(text, sizeof text, "public member '%s' is missing", name);
        break;
    case MISMATCH_TYPE:
        snprintf(text, sizeof text, "member '%s' is %s, not %s", name, types_name(program, why->a),
                 types_name(program, why->b));
        break;
    case MISMATCH_BINDING:
        snprintf(text, sizeof text, "member '%s' is %s, not %s", name,
                 bindings[why->member_a->binding], bindings[b->binding]);
        break;
    case MISMATCH_ATTRIBUTE:
        snprintf(text, sizeof text, "member '%s' is not '%s'", name, attribute_missing(why));
        break;
    }
    return arena_copy(&program->arena, text, strlen(text));
}
