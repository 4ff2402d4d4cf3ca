/* a number -> the text of a random event model. See event_random.h. */
#include "tests/support/event_random.h"
#include "tests/support/event_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Role {
    ROLE_FLUENT,  /* equations determine it at all times */
    ROLE_LASTING, /* transmissions that last, now and then */
    ROLE_STATE,   /* pulses only */
    ROLE_OTHER    /* an output of a part, an input, a parameter */
} Role;

typedef struct Name { /* a variable that an expression can read */
    char text[40];
    EmType type;
    Role role;
    int rank;     /* lasting relations read what has a smaller one */
    bool pulsed;  /* held, changed in pulses only */
    bool free;    /* pulsed, by what reads values of the update before only */
    bool fragile; /* a path through a member that may be empty */
    bool rough;   /* no multiple of 1/4: not read by others */
} Name;

typedef struct Part { /* a model that others can contain */
    char name[EM_NAME];
    Name out[20]; /* its variables, as it names them */
    int n_out;
    EmType input;   /* of `u` */
    bool parameter; /* `m`, an Integer */
} Part;

enum { LOCAL_RANK = 1000 };

typedef struct Gen {
    uint64_t random;
    uint32_t constructs;
    FILE *decls, *out;
    int depth; /* of branches around; moves stand in those of the model alone, in textual order */
    Name names[120];
    int n_names;
    int n_vars; /* declared in this model so far: numbers in names */
    Part parts[3];
    int n_parts;
    const Name *summed[8]; /* of the sum that is being written */
    int n_summed;
    char member[4][EM_NAME]; /* dynamic members of this model */
    int member_part[4], n_members;
} Gen;

/* ---- chance ---- */

static uint32_t below(Gen *g, uint32_t limit)
{
    uint64_t z = (g->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

static bool chance(Gen *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

static bool may(Gen *g, EventConstruct construct, uint32_t percent)
{
    return (g->constructs & construct) && chance(g, percent);
}

/* ---- text ---- */

static void put(Gen *g, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(g->out, format, list);
    va_end(list);
}

static const char *type_word(EmType type)
{
    static const char *const words[] = {"Boolean", "Integer", "Real"};
    return words[type];
}

/* ---- expressions ---- */

typedef struct Reach { /* what an expression may read */
    int rank;          /* names before this one */
    bool free;         /* names that are free, whatever their rank */
    bool pre;          /* anything by pre() */
    bool pre_pulsed;   /* of that, names that are pulsed only */
    bool all;          /* anything directly */
    bool fragile;      /* paths that may be broken */
    bool pulsed;       /* nothing else */
} Reach;

static bool reaches(const Name *name, Reach reach)
{
    if (name->rough || (name->fragile && !reach.fragile) || (reach.pulsed && !name->pulsed))
        return false;
    return reach.all || name->rank < reach.rank || (reach.free && name->free);
}

/* A name of that type that can be read; NULL: none was met. *pre: only by pre(). */
static const Name *pick(Gen *g, EmType type, Reach reach, bool *pre)
{
    for (int tries = 0; tries < 12 && g->n_names > 0; tries++) {
        const Name *name = &g->names[below(g, (uint32_t)g->n_names)];
        *pre = reach.pre && !name->fragile && !name->rough &&
               (name->pulsed || (!reach.pre_pulsed && (g->constructs & EVENT_FOLLOW))) &&
               chance(g, 50);
        if (name->type == type && (*pre || reaches(name, reach)))
            return name;
    }
    return NULL;
}

static void put_name(Gen *g, const Name *name, bool pre)
{
    put(g, pre ? "pre(%s)" : "%s", name->text);
}

static void put_condition(Gen *g, Reach reach, int depth);

static void put_constant(Gen *g, EmType type)
{
    if (type == EM_BOOLEAN)
        put(g, chance(g, 50) ? "true" : "false");
    else if (type == EM_INTEGER)
        put(g, "%u", below(g, 5));
    else
        put(g, "%.2f", below(g, 16) / 4.0);
}

/* What cancels in a sum does not occur in it, and nobody waits for it: no name stands twice in one.
 */
static bool is_summed(const Gen *g, const Name *name)
{
    for (int i = 0; i < g->n_summed; i++)
        if (g->summed[i] == name)
            return true;
    return false;
}

static void put_value(Gen *g, EmType type, Reach reach, int depth)
{
    bool pre = false;
    if (type == EM_BOOLEAN && depth > 0 && chance(g, 70)) {
        put_condition(g, reach, depth - 1);
        return;
    }
    const Name *name = pick(g, type == EM_REAL && chance(g, 20) ? EM_INTEGER : type, reach, &pre);
    if (!name || is_summed(g, name) || chance(g, 15)) {
        put_constant(g, type);
    } else if (depth > 0 && type != EM_BOOLEAN && g->n_summed < 8 && chance(g, 60)) {
        put_name(g, name, pre);
        put(g, chance(g, 75) ? " + " : " - ");
        put(g, "(");
        g->summed[g->n_summed++] = name;
        put_value(g, type, reach, depth - 1);
        g->n_summed--;
        put(g, ")");
    } else {
        put_name(g, name, pre);
    }
}

static void put_time(Gen *g)
{
    put(g, "time %s %.2f", chance(g, 70) ? ">=" : "<", (1 + below(g, 4 * EVENT_STOP - 2)) / 4.0);
}

/* A comparison of a Real stays away from its boundary: its values are multiples of 1/4. */
static void put_comparison(Gen *g, const Name *name, bool pre)
{
    static const char *const signs[] = {"<", "<=", "==", "<>", ">=", ">"};
    if (name->type == EM_BOOLEAN) {
        put(g, chance(g, 50) ? "" : "not ");
        put_name(g, name, pre);
    } else if (name->type == EM_INTEGER) {
        put_name(g, name, pre);
        put(g, " %s %u", signs[below(g, 6)], below(g, 5));
    } else {
        put_name(g, name, pre);
        put(g, " %s %.3f", chance(g, 50) ? "<" : ">", below(g, 12) / 4.0 + 0.125);
    }
}

static void put_test(Gen *g, Reach reach)
{
    bool pre = false;
    reach.pulsed = !(g->constructs & EVENT_FOLLOW);
    const Name *name = chance(g, 75) ? pick(g, (EmType)below(g, 3), reach, &pre) : NULL;
    if (name)
        put_comparison(g, name, pre);
    else if (g->n_members && may(g, EVENT_DYNAMIC, 40))
        put(g, "%s%s?", chance(g, 30) ? "not " : "", g->member[below(g, (uint32_t)g->n_members)]);
    else
        put_time(g);
}

/* Two tests of variables; false if they were not met. */
static bool put_pair(Gen *g, Reach reach)
{
    bool pre_a = false, pre_b = false;
    reach.pulsed = !(g->constructs & EVENT_FOLLOW);
    const Name *a = pick(g, (EmType)below(g, 3), reach, &pre_a);
    const Name *b = pick(g, (EmType)below(g, 3), reach, &pre_b);
    if (!a || !b)
        return false;
    put(g, "(");
    put_comparison(g, a, pre_a);
    put(g, chance(g, 50) ? ") and (" : ") or (");
    put_comparison(g, b, pre_b);
    put(g, ")");
    return true;
}

static void put_condition(Gen *g, Reach reach, int depth)
{
    if (!(g->constructs & EVENT_TIME_MIX)) {
        if (depth == 0 || chance(g, 70) || !put_pair(g, reach))
            put_test(g, reach);
        return;
    }
    if (depth > 0 && chance(g, 30)) {
        put(g, "(");
        put_condition(g, reach, depth - 1);
        put(g, chance(g, 50) ? ") and (" : ") or (");
        put_condition(g, reach, depth - 1);
        put(g, ")");
    } else {
        put_test(g, reach);
    }
}

static void put_when_condition(Gen *g)
{
    Reach reach = {.all = true, .fragile = true, .pre = may(g, EVENT_PRE_CONDITION, 20)};
    bool sample = may(g, EVENT_SAMPLE, 20);
    reach.pre_pulsed = !sample; /* else nobody says in which update it is looked at */
    if (sample) {
        put(g, "Sample(interval = %.2f)", (1 + below(g, 6)) / 4.0);
        if (chance(g, 40)) {
            put(g, " and (");
            put_condition(g, reach, 0);
            put(g, ")");
        }
    } else if (may(g, EVENT_INITIAL, 8)) {
        put(g, "initial()");
    } else if (chance(g, 25)) {
        put_time(g);
    } else {
        put_condition(g, reach, 1);
    }
}

static void put_if_condition(Gen *g, int rank)
{
    if (may(g, EVENT_INITIAL, 10))
        put(g, chance(g, 80) ? "initial()" : "not initial()");
    else
        put_condition(g, (Reach){.rank = rank, .free = true}, 1);
}

/* ---- names ---- */

static Name *add_name(Gen *g, EmType type, Role role, int rank, const char *format, ...)
{
    Name *name = &g->names[g->n_names++];
    va_list list;
    *name = (Name){.type = type, .role = role, .rank = rank};
    va_start(list, format);
    vsnprintf(name->text, sizeof name->text, format, list);
    va_end(list);
    return name;
}

static Name *declare(Gen *g, FILE *to, EmType type, Role role, int rank)
{
    Name *name = add_name(g, type, role, rank, "%c%d", "bnx"[type], g -> n_vars++);
    name->pulsed = role == ROLE_STATE;
    name->free = role == ROLE_STATE && chance(g, 60);
    fprintf(to, "static %s %s;\n", type_word(type), name->text);
    return name;
}

/* ---- pulses ---- */

static void put_birth(Gen *g, int member)
{
    const Part *part = &g->parts[g->member_part[member]];
    put(g, "%s <- %s{", g->member[member], part->name);
    if (part->parameter) {
        put(g, "m << ");
        put_value(g, EM_INTEGER, (Reach){.all = true}, 1);
    }
    put(g, "};\n");
}

static void put_move(Gen *g)
{
    int to = (int)below(g, (uint32_t)g->n_members);
    int from = (int)below(g, (uint32_t)g->n_members);
    if (may(g, EVENT_MOVES, 40) && to != from && g->member_part[to] == g->member_part[from])
        put(g, "%s <- %s;\n", g->member[to], g->member[from]);
    else if (chance(g, 30))
        put(g, "trash <- %s;\n", g->member[to]);
    else
        put_birth(g, to);
}

/* What a `when` transmits to `target`. */
static void put_send(Gen *g, const Name *target)
{
    Reach reach = {.rank = target->free ? 0 : target->rank, .pre = true, .fragile = !target->free};
    if (may(g, EVENT_IF_IN_WHEN, 15)) {
        put(g, "if ");
        put_condition(g, (Reach){.rank = reach.rank, .pre = true}, 0);
        put(g, " then\n%s << ", target->text);
        put_value(g, target->type, reach, 1);
        put(g, ";\nelse then\n%s << ", target->text);
        put_value(g, target->type, reach, 1);
        put(g, ";\nend if;\n");
        return;
    }
    put(g, "%s << ", target->text);
    put_value(g, target->type, reach, 1);
    put(g, ";\n");
}

static void put_pulse_body(Gen *g, const Name *target)
{
    put_send(g, target);
    if (g->n_members && g->depth == 0 && may(g, EVENT_DYNAMIC, 35))
        put_move(g);
}

static void put_when(Gen *g, const Name *target)
{
    put(g, "when ");
    put_when_condition(g);
    put(g, " then\n");
    put_pulse_body(g, target);
    while (may(g, EVENT_ELSE_WHEN, 25)) {
        put(g, "else when ");
        put_when_condition(g);
        put(g, " then\n");
        g->depth++;
        put_pulse_body(g, target);
        g->depth--;
    }
    put(g, "end when;\n");
}

/* ---- things that live in a branch ---- */

static void put_relation(Gen *g, const Name *x, const char *sign)
{
    put(g, "%s %s ", x->text, sign);
    put_value(g, x->type, (Reach){.rank = x->rank, .fragile = sign[0] == '<'}, 1);
    put(g, ";\n");
}

static void put_local(Gen *g)
{
    Role role = chance(g, 50) ? ROLE_STATE : ROLE_FLUENT;
    Name *name = declare(g, g->out, (EmType)below(g, 3), role, LOCAL_RANK);
    name->free = role == ROLE_STATE;
    if (role == ROLE_STATE)
        put_when(g, name);
    else
        put_relation(g, name, "=");
}

static void put_maker(Gen *g, const Part *part)
{
    put(g, "{");
    if (part->parameter)
        put(g, "m << %u", below(g, 5));
    put(g, "}");
}

/* A part with its input; its outputs can be read from now on. */
static void put_part(Gen *g, FILE *to, const Part *part, const char *name, int rank)
{
    FILE *out = g->out;
    g->out = to;
    put(g, "static %s %s", part->name, name);
    put_maker(g, part);
    put(g, ";\n");
    g->out = out;
    put(g, "%s.u = ", name);
    put_value(g, part->input, (Reach){.rank = rank}, 1);
    put(g, ";\n");
}

static void add_outputs(Gen *g, const Part *part, const char *name, int rank, bool fragile)
{
    for (int i = 0; i < part->n_out; i++) {
        const Name *o = &part->out[i];
        Name *x = add_name(g, o->type, ROLE_OTHER, rank, "%.12s.%.12s", name, o->text);
        x->free = o->free && !fragile;
        x->pulsed = o->pulsed;
        x->rough = o->rough;
        x->fragile = fragile;
    }
}

static const Name *a_state(Gen *g)
{
    for (int tries = 0; tries < 10 && g->n_names > 0; tries++) {
        const Name *name = &g->names[below(g, (uint32_t)g->n_names)];
        if (name->role == ROLE_STATE)
            return name;
    }
    return NULL;
}

static void put_branch_part(Gen *g)
{
    const Part *part = &g->parts[below(g, (uint32_t)g->n_parts)];
    char name[EM_NAME];
    snprintf(name, sizeof name, "q%d", g->n_vars++);
    put_part(g, g->out, part, name, LOCAL_RANK);
    add_outputs(g, part, name, LOCAL_RANK, false);
}

static void put_extras(Gen *g)
{
    int n_names = g->n_names;
    if (g->depth > 2)
        return;
    g->depth++;
    if (may(g, EVENT_LOCALS, 20))
        put_local(g);
    if (g->n_parts && may(g, EVENT_BRANCH_PARTS, 15))
        put_branch_part(g);
    const Name *state = may(g, EVENT_MEET, 30) ? a_state(g) : NULL;
    if (state && may(g, EVENT_NESTED_WHEN, 80))
        put_when(g, state);
    g->depth--;
    g->n_names = n_names;
}

/* ---- lasting relations ---- */

/* Branches that all determine x by equations, or some of them by transmissions. */
static void put_branches(Gen *g, const Name *x, int depth)
{
    bool held = x->role == ROLE_LASTING;
    const char *sign = held ? "<<" : "=";
    put(g, "if ");
    put_if_condition(g, x->rank);
    put(g, " then\n");
    if (depth > 0 && chance(g, 25))
        put_branches(g, x, depth - 1);
    else
        put_relation(g, x, sign);
    put_extras(g);
    while (chance(g, 25)) {
        put(g, "else if ");
        put_if_condition(g, x->rank);
        put(g, " then\n");
        put_relation(g, x, sign);
        put_extras(g);
    }
    if (!held || chance(g, 40)) {
        put(g, "else then\n");
        if (!held || chance(g, 60))
            put_relation(g, x, sign);
        put_extras(g);
    }
    put(g, "end if;\n");
}

/* In the update of the pulse nothing determines x. */
static void put_resting(Gen *g, const Name *x)
{
    const Name *state = may(g, EVENT_MEET, 40) ? a_state(g) : NULL;
    put(g, "when ");
    put_when_condition(g);
    put(g, " then\n");
    if (state)
        put_send(g, state);
    put(g, "else then\n");
    if (chance(g, 30))
        put_branches(g, x, 0);
    else
        put_relation(g, x, "=");
    put_extras(g);
    put(g, "end when;\n");
}

static void put_division(Gen *g, Name *x)
{
    bool pre;
    bool follow = g->constructs & EVENT_FOLLOW;
    const Name *by = pick(g, EM_INTEGER, (Reach){.rank = x->rank, .pulsed = !follow}, &pre);
    if (!by) {
        put(g, "%s = 1.5;\n", x->text);
        return;
    }
    x->rough = true;
    put(g, "if %s <> 0 then\n%s = 6 / %s;\nelse then\n%s = 0.5;\nend if;\n", by->text, x->text,
        by->text, x->text);
}

static void put_fluent(Gen *g, Name *x)
{
    if (x->rough)
        put_division(g, x);
    else if (may(g, EVENT_IF_IN_WHEN, 15))
        put_resting(g, x);
    else if (chance(g, 65))
        put_branches(g, x, 1);
    else
        put_relation(g, x, "=");
}

static void put_lasting(Gen *g, const Name *x)
{
    if (chance(g, 70))
        put_branches(g, x, 1);
    else
        put_relation(g, x, "<<");
}

static void put_state(Gen *g, const Name *x)
{
    if (may(g, EVENT_INITIAL, 20)) {
        put(g, "if initial() then\n%s << ", x->text);
        put_constant(g, x->type);
        put(g, ";\nelse then\n");
        g->depth++;
        put_when(g, x);
        g->depth--;
        put(g, "end if;\n");
    } else {
        put_when(g, x);
    }
    if (may(g, EVENT_MEET, 15))
        put_when(g, x);
}

/* Two held Booleans, each transmitted under a condition on the other: one branch at most may come
 * to be active, since the conditions of two would depend on each other. */
static void put_waits(Gen *g)
{
    char a[EM_NAME], b[EM_NAME];
    bool not_a = chance(g, 50), to_a = chance(g, 50);
    snprintf(a, sizeof a, "b%d", g->n_vars++);
    snprintf(b, sizeof b, "b%d", g->n_vars++);
    fprintf(g->decls, "static Boolean %s;\nstatic Boolean %s;\n", a, b);
    put(g, "if %s then\n%s << %s;\nend if;\n", b, a, to_a ? "true" : "false");
    put(g, "if %s%s then\n%s << %s;\nend if;\n", not_a ? "not " : "", a, b,
        not_a ? "false" : "true");
}

/* ---- models ---- */

static void plan_variable(Gen *g, int rank)
{
    Role role = chance(g, 40) ? ROLE_STATE : may(g, EVENT_LASTING, 30) ? ROLE_LASTING : ROLE_FLUENT;
    Name *x = declare(g, g->decls, (EmType)below(g, 3), role, rank);
    x->rough = role == ROLE_FLUENT && x->type == EM_REAL && may(g, EVENT_DIVISIONS, 30);
}

static void plan_member(Gen *g, int rank)
{
    int part = (int)below(g, (uint32_t)g->n_parts);
    char *name = g->member[g->n_members];
    g->member_part[g->n_members++] = part;
    snprintf(name, EM_NAME, "p%d", g->n_vars++);
    fprintf(g->decls, "dynamic %s %s", g->parts[part].name, name);
    if (chance(g, 30)) {
        FILE *out = g->out;
        g->out = g->decls;
        put_maker(g, &g->parts[part]);
        g->out = out;
    }
    fprintf(g->decls, ";\n");
    put(g, "%s.u = ", name);
    put_value(g, g->parts[part].input, (Reach){.rank = rank}, 1);
    put(g, ";\n");
    add_outputs(g, &g->parts[part], name, rank, true);
}

static void plan_part(Gen *g, int rank)
{
    char name[EM_NAME];
    const Part *part = &g->parts[below(g, (uint32_t)g->n_parts)];
    snprintf(name, sizeof name, "c%d", g->n_vars++);
    put_part(g, g->decls, part, name, rank);
    add_outputs(g, part, name, rank, false);
}

/* First all names, so that conditions can read what comes later; then what determines them. */
static void put_content(Gen *g, int n)
{
    int first = g->n_names;
    for (int i = 0; i < n; i++) {
        int rank = 10 * (i + 1);
        if (g->n_parts && g->n_members < 3 && may(g, EVENT_DYNAMIC, 15))
            plan_member(g, rank);
        else if (g->n_parts && may(g, EVENT_PARTS, 12))
            plan_part(g, rank);
        else
            plan_variable(g, rank);
    }
    for (int i = first, end = g->n_names; i < end; i++) {
        Name *x = &g->names[i];
        if (x->role == ROLE_FLUENT)
            put_fluent(g, x);
        else if (x->role == ROLE_LASTING)
            put_lasting(g, x);
        else if (x->role == ROLE_STATE)
            put_state(g, x);
    }
    if (may(g, EVENT_WAITS, 15))
        put_waits(g);
}

static void put_input(Gen *g, Part *part)
{
    part->input = (EmType)below(g, 3);
    part->parameter = chance(g, 50);
    fprintf(g->decls, "static %s u;\n", type_word(part->input));
    add_name(g, part->input, ROLE_OTHER, 0, "u");
    if (!part->parameter)
        return;
    fprintf(g->decls, "parameter Integer m;\n");
    add_name(g, EM_INTEGER, ROLE_OTHER, -1, "m");
}

static void remember_outputs(Gen *g, Part *part)
{
    for (int i = 0; i < g->n_names && part->n_out < 12; i++)
        if (!strchr(g->names[i].text, '.') && g->names[i].rank > 0)
            part->out[part->n_out++] = g->names[i];
}

/* One model, into `to`; a part of later ones if `part` is given. */
static void put_model(Gen *g, FILE *to, const char *name, Part *part)
{
    char *decls, *body;
    size_t n_decls, n_body;
    g->decls = open_memstream(&decls, &n_decls);
    g->out = open_memstream(&body, &n_body);
    g->n_names = g->n_vars = g->n_members = 0;
    if (part)
        put_input(g, part);
    put_content(g, part ? 1 + (int)below(g, 3) : 3 + (int)below(g, 5));
    fclose(g->decls);
    fclose(g->out);
    fprintf(to, "model %s\ninterface:\n%simplementation:\n%send %s;\n", name, decls, body, name);
    free(decls);
    free(body);
    if (part)
        remember_outputs(g, part);
}

char *event_random(uint64_t seed, uint32_t constructs)
{
    Gen *g = calloc(1, sizeof *g);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    g->random = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    g->constructs = constructs;
    int n_parts =
        constructs & (EVENT_PARTS | EVENT_DYNAMIC | EVENT_BRANCH_PARTS) ? (int)below(g, 3) : 0;
    for (int i = 0; i < n_parts; i++) {
        Part *part = &g->parts[i];
        snprintf(part->name, sizeof part->name, "P%d", i);
        put_model(g, out, part->name, part);
        g->n_parts = i + 1;
    }
    put_model(g, out, "Top", NULL);
    fclose(out);
    free(g);
    return text;
}
