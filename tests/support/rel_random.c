/* seed -> a script of random changes to a random system.
 *
 * The generator keeps an owner for each unknown: a relation that names it and that it alone owns.
 * So the system has a perfect matching by construction, whatever else the relations name, and is
 * well-determined except where a change leaves it over- or underdetermined on purpose. Loops,
 * constraints between derivatives and false causality arise by chance. Each variable is the slope
 * of at most one derivative relation; with that, and with coefficients drawn independently, what is
 * structurally regular is numerically regular too: two matchings never cancel.
 */
#include "tests/support/rel_random.h"

#include "base/map.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VARS = 400, NAMES = 10, HELD = 3, KNOWN = 3, NOBODY = -1 };

typedef enum GenKind { GEN_NONE, GEN_EQ, GEN_DER, GEN_TRANS } GenKind;

typedef struct GenRel {
    GenKind kind;
    int owner; /* variable that it owns */
    int n;
    int var[NAMES]; /* unknowns that it names; GEN_DER: slope, argument */
} GenRel;

typedef struct Gen {
    Arena *arena;
    ScriptLines lines;
    uint64_t state;
    const RandomSettings *set;
    bool live[VARS];
    bool slope[VARS]; /* of a derivative relation */
    int depth[VARS];  /* derivative relations above it */
    int owner[VARS];  /* relation */
    GenRel rel[VARS];
    int held[HELD]; /* transmission to it, or NOBODY */
    int n_vars;
    uint32_t changes;
    bool switching; /* conditions and transmissions in plenty */
    bool turning;   /* unknowns are held for a while */
} Gen;

/* ---- draws ---- */

static uint64_t draw(Gen *g)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(Gen *g, int n)
{
    return (int)(draw(g) % (uint64_t)n);
}

static bool chance(Gen *g, int percent)
{
    return below(g, 100) < percent;
}

/* 0.50 .. 2.49 */
static double coefficient(Gen *g)
{
    return (50 + below(g, 200)) / 100.0;
}

static int some_var(Gen *g)
{
    for (int tries = 0; tries < 50; tries++) {
        int v = below(g, VARS);
        if (g->live[v])
            return v;
    }
    for (int v = 0; v < VARS; v++)
        if (g->live[v])
            return v;
    return NOBODY;
}

static int some_rel(Gen *g, GenKind kind)
{
    int from = below(g, VARS);

    for (int i = 0; i < VARS; i++)
        if (g->rel[(from + i) % VARS].kind == kind)
            return (from + i) % VARS;
    return NOBODY;
}

/* ---- lines ---- */

static void emit(Gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void emit(Gen *g, const char *format, ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vec_push(g->arena->mem, &g->lines, arena_copy(g->arena, line, strlen(line)));
}

/* One in six is left out, so that changes also come several at a time. */
static void commit(Gen *g, bool so_far)
{
    if (chance(g, 16))
        return;
    emit(g, so_far ? "commit" : "final");
    g->changes++;
}

/* ---- texts of relations ---- */

typedef struct Text {
    char left[400], right[400];
} Text;

/* One more term, on either side. */
static void add_term(Gen *g, Text *t, const char *term)
{
    char *side = chance(g, 60) ? t->left : t->right;
    size_t n = strlen(side);

    snprintf(side + n, sizeof t->left - n, "%s%s",
             n == 0          ? ""
             : chance(g, 50) ? " + "
                             : " - ",
             term);
}

static void linear_term(Gen *g, char *term, size_t size, int v)
{
    if (chance(g, 30))
        snprintf(term, size, "x%d", v);
    else if (chance(g, 12))
        snprintf(term, size, "p%d*x%d", below(g, KNOWN), v);
    else
        snprintf(term, size, "%.2f*x%d", coefficient(g), v);
}

static void other_term(Gen *g, char *term, size_t size, int v, int w)
{
    double c = coefficient(g);

    switch (below(g, 10)) {
    case 0:
        snprintf(term, size, "%.2f*sin(x%d)", c / 3, v);
        return;
    case 1:
        snprintf(term, size, "%.2f*x%d*x%d", c / 8, v, w);
        return;
    case 2:
        snprintf(term, size, "%.2f*x%d^2", c / 10, v);
        return;
    case 3:
        snprintf(term, size, "x%d*h%d", v, below(g, HELD));
        return;
    default:
        linear_term(g, term, size, v);
        return;
    }
}

static void free_term(Gen *g, char *term, size_t size)
{
    switch (below(g, 6)) {
    case 0:
        snprintf(term, size, "%.2f*sin(t)", coefficient(g));
        return;
    case 1:
        snprintf(term, size, "h%d", below(g, HELD));
        return;
    case 2:
        snprintf(term, size, "p%d", below(g, KNOWN));
        return;
    default:
        snprintf(term, size, "%.2f", coefficient(g));
        return;
    }
}

/* Nonlinear, but it grows for ever: whatever the rest is worth, there is a solution. */
static void owner_term(Gen *g, char *term, size_t size, int v)
{
    double c = coefficient(g);

    if (chance(g, 80))
        linear_term(g, term, size, v);
    else
        snprintf(term, size, "(%.2f*x%d + %.2f*sin(x%d))", c, v, c / 2, v);
}

/* Equation over rel->var; the owner's term is always there, linear in most cases. */
static void emit_equation(Gen *g, int r)
{
    const GenRel *rel = &g->rel[r];
    Text t = {{0}, {0}};
    char term[100], condition[20] = "";

    for (int i = 0; i < rel->n; i++) {
        if (rel->var[i] == rel->owner || rel->n == 1)
            owner_term(g, term, sizeof term, rel->var[i]);
        else
            other_term(g, term, sizeof term, rel->var[i], rel->var[below(g, rel->n)]);
        add_term(g, &t, term);
    }
    if (chance(g, 70)) {
        free_term(g, term, sizeof term);
        add_term(g, &t, term);
    }
    if (chance(g, g->switching ? 25 : 3))
        snprintf(condition, sizeof condition, " if h%d", below(g, HELD));
    emit(g, "eq r%d: %s = %s%s", r, t.left[0] ? t.left : "0", t.right[0] ? t.right : "0",
         condition);
}

/* ---- the model of owners ---- */

static int new_var(Gen *g)
{
    int v = below(g, VARS);

    while (g->live[v])
        v = (v + 1) % VARS;
    g->live[v] = true;
    g->slope[v] = false;
    g->depth[v] = 0;
    g->owner[v] = NOBODY;
    g->n_vars++;
    emit(g, "var x%d", v);
    return v;
}

static int new_rel(Gen *g, GenKind kind, int owner)
{
    int r = below(g, VARS);

    while (g->rel[r].kind != GEN_NONE)
        r = (r + 1) % VARS;
    g->rel[r] = (GenRel){.kind = kind, .owner = owner};
    if (owner != NOBODY)
        g->owner[owner] = r;
    return r;
}

static void add_name(GenRel *rel, int v)
{
    for (int i = 0; i < rel->n; i++)
        if (rel->var[i] == v)
            return;
    if (rel->n < NAMES)
        rel->var[rel->n++] = v;
}

static int new_equation(Gen *g, int owner)
{
    int r = new_rel(g, GEN_EQ, owner), others = below(g, 4);

    add_name(&g->rel[r], owner);
    for (int i = 0; i < others; i++)
        add_name(&g->rel[r], some_var(g));
    emit_equation(g, r);
    return r;
}

static int new_derivative(Gen *g, int slope, int argument, int owner)
{
    int r = new_rel(g, GEN_DER, owner);

    g->rel[r].n = 2;
    g->rel[r].var[0] = slope;
    g->rel[r].var[1] = argument;
    g->slope[slope] = true;
    g->depth[argument] = g->depth[slope] + 1;
    emit(g, "der r%d: x%d = der(x%d)%s", r, slope, argument, chance(g, 10) ? " prefer" : "");
    return r;
}

static void drop_rel(Gen *g, int r)
{
    GenRel *rel = &g->rel[r];

    if (rel->kind == GEN_DER)
        g->slope[rel->var[0]] = false;
    if (rel->owner != NOBODY && rel->kind != GEN_TRANS)
        g->owner[rel->owner] = NOBODY;
    rel->kind = GEN_NONE;
    emit(g, "remove r%d", r);
}

/* ---- changes ---- */

static void add_algebraic(Gen *g)
{
    new_equation(g, new_var(g));
    commit(g, false);
}

/* A state with its slope; or the integral of something that is there; or the derivative of it. */
static void add_derivative(Gen *g)
{
    int v = some_var(g), way = below(g, 3);

    if (way == 1 && v != NOBODY && !g->slope[v] && g->depth[v] < (int)g->set->index) {
        int x = new_var(g);
        new_derivative(g, v, x, x);
    } else if (way == 2 && v != NOBODY && g->depth[v] < (int)g->set->index) {
        int s = new_var(g);
        new_derivative(g, s, v, s);
    } else {
        int x = new_var(g), s = new_var(g);
        new_derivative(g, s, x, x);
        new_equation(g, s);
    }
    commit(g, false);
}

/* A mass on a curve: position, speed and acceleration in two directions, a force that keeps it
 * there. The curve is given by its constraint, of index 3. */
static void add_mechanism(Gen *g)
{
    int q[2], v[2], a[2], force = new_var(g), with = some_var(g);

    for (int i = 0; i < 2; i++) {
        q[i] = new_var(g);
        v[i] = new_var(g);
        a[i] = new_var(g);
    }
    for (int i = 0; i < 2; i++) {
        /* the second direction is bound: its relations differentiate, and its law gives the force
         */
        new_derivative(g, v[i], q[i], i ? v[i] : q[i]);
        new_derivative(g, a[i], v[i], i ? a[i] : v[i]);
        int r = new_rel(g, GEN_EQ, i ? force : a[i]);
        add_name(&g->rel[r], a[i]);
        add_name(&g->rel[r], force);
        add_name(&g->rel[r], with);
        emit(g, "eq r%d: %.2f*x%d = x%d*%.2f*x%d + %.2f*x%d", r, coefficient(g), a[i], force,
             coefficient(g), q[i], coefficient(g), with);
        add_name(&g->rel[r], q[i]);
    }
    int curve = new_rel(g, GEN_EQ, q[1]);
    add_name(&g->rel[curve], q[0]);
    add_name(&g->rel[curve], q[1]);
    emit(g, "eq r%d: %.2f*x%d^2 + %.2f*x%d + 0.1*sin(x%d) = 1", curve, coefficient(g), q[0],
         coefficient(g), q[1], q[1]);
    commit(g, false);
}

/* The owner gets another equation, perhaps of the same names. */
static void replace_equation(Gen *g)
{
    int r = some_rel(g, GEN_EQ);

    if (r == NOBODY)
        return;
    GenRel old = g->rel[r];
    drop_rel(g, r);
    if (chance(g, 30))
        commit(g, chance(g, 70));
    if (chance(g, 40)) {
        int q = new_rel(g, GEN_EQ, old.owner);
        g->rel[q].n = old.n;
        memcpy(g->rel[q].var, old.var, sizeof old.var);
        emit_equation(g, q);
    } else {
        new_equation(g, old.owner);
    }
    commit(g, false);
}

/* A relation that names v without owning it. */
static int other_user(Gen *g, int v)
{
    int from = below(g, VARS);

    for (int i = 0; i < VARS; i++) {
        GenRel *rel = &g->rel[(from + i) % VARS];
        if ((rel->kind != GEN_EQ && rel->kind != GEN_DER) || rel->owner == v ||
            rel->owner == NOBODY)
            continue;
        for (int k = 0; k < rel->n; k++)
            if (rel->var[k] == v)
                return (from + i) % VARS;
    }
    return NOBODY;
}

/* The equation that owns u goes, another relation takes u over, and what that one owned gets a new
 * equation, and so on for some steps: causality turns round along a path. With a derivative
 * relation on the path the new equation constrains a state, or frees one. */
static void turn_path(Gen *g)
{
    int r = some_rel(g, GEN_EQ);

    if (r == NOBODY)
        return;
    int u = g->rel[r].owner;
    drop_rel(g, r);
    for (int step = 1 + below(g, 3); step > 0; step--) {
        int q = other_user(g, u);
        if (q == NOBODY)
            break;
        int w = g->rel[q].owner;
        g->rel[q].owner = u;
        g->owner[u] = q;
        u = w;
    }
    if (chance(g, 25))
        commit(g, true);
    new_equation(g, u);
    commit(g, false);
}

/* One equation too many; then it goes again, or the relation whose variable it takes over. */
static void overdetermine(Gen *g)
{
    int u = some_var(g), r = new_rel(g, GEN_EQ, NOBODY);

    add_name(&g->rel[r], u);
    if (chance(g, 50))
        add_name(&g->rel[r], some_var(g));
    emit_equation(g, r);
    commit(g, chance(g, 50));
    int old = g->owner[u];
    if (old != NOBODY && g->rel[old].kind == GEN_EQ && chance(g, 60)) {
        drop_rel(g, old);
        g->rel[r].owner = u;
        g->owner[u] = r;
    } else {
        drop_rel(g, r);
    }
    commit(g, false);
}

/* Takes v out of equation r, which is entered again without it. */
static void rewrite_without(Gen *g, int r, int v)
{
    GenRel old = g->rel[r];

    drop_rel(g, r);
    int q = new_rel(g, GEN_EQ, old.owner);
    for (int i = 0; i < old.n; i++)
        if (old.var[i] != v)
            add_name(&g->rel[q], old.var[i]);
    emit_equation(g, q);
}

static void drop_transmissions_of(Gen *g, int v)
{
    for (int h = 0; h < HELD; h++) {
        int r = g->held[h];
        if (r == NOBODY || g->rel[r].var[0] != v)
            continue;
        drop_rel(g, r);
        g->held[h] = NOBODY;
    }
}

static void remove_variable(Gen *g)
{
    int v = some_var(g);

    if (v == NOBODY || g->n_vars < 4)
        return;
    for (int r = 0; r < VARS;
         r++) /* derivative relations that do not own it would hang in the air */
        for (int i = 0; g->rel[r].kind == GEN_DER && i < 2; i++)
            if (g->rel[r].var[i] == v && g->rel[r].owner != v)
                return;
    if (g->owner[v] != NOBODY)
        drop_rel(g, g->owner[v]);
    drop_transmissions_of(g, v);
    for (int r = 0; r < VARS; r++) {
        bool names = false;
        for (int i = 0; g->rel[r].kind == GEN_EQ && i < g->rel[r].n; i++)
            names |= g->rel[r].var[i] == v;
        if (names)
            rewrite_without(g, r, v);
    }
    emit(g, "remove var x%d", v);
    g->live[v] = false;
    g->n_vars--;
    commit(g, false);
}

static void change_transmission(Gen *g)
{
    int h = below(g, HELD), v = some_var(g);

    if (g->held[h] != NOBODY) {
        drop_rel(g, g->held[h]);
        g->held[h] = NOBODY;
    }
    if (chance(g, 70) && v != NOBODY) {
        int r = new_rel(g, GEN_TRANS, NOBODY);
        g->rel[r].n = 1;
        g->rel[r].var[0] = chance(g, g->switching ? 85 : 40) ? v : NOBODY;
        g->held[h] = r;
        if (g->rel[r].var[0] == NOBODY)
            emit(g, "trans r%d: h%d << %.2f*sin(t)", r, h, coefficient(g));
        else
            emit(g, "trans r%d: h%d << %.2f*x%d + %.2f", r, h, coefficient(g), v, coefficient(g));
    }
    commit(g, false);
}

static void give_advice(Gen *g)
{
    int r = some_rel(g, GEN_EQ);

    if (r == NOBODY)
        return;
    if (chance(g, 20))
        emit(g, "tearing x%d", g->rel[r].var[0]);
    else
        emit(g, "advise r%d x%d", r, g->rel[r].var[below(g, g->rel[r].n)]);
    commit(g, false);
}

/* An unknown is held, with its relations or without the one that owns it, and is one again. */
static void hold_for_a_while(Gen *g)
{
    int v = some_var(g), r = v == NOBODY ? NOBODY : g->owner[v];

    if (r == NOBODY)
        return;
    bool goes = g->rel[r].kind == GEN_EQ && chance(g, 70);
    if (goes && chance(g, 50))
        drop_rel(g, r);
    emit(g, "hold x%d", v);
    if (goes && g->owner[v] == r)
        drop_rel(g, r);
    commit(g, chance(g, 30));
    int t = chance(g, 60) ? new_rel(g, GEN_TRANS, NOBODY) : NOBODY;
    if (t != NOBODY) {
        emit(g, "trans r%d: x%d << %.2f*sin(t)", t, v, coefficient(g));
        commit(g, false);
        drop_rel(g, t);
    }
    emit(g, "release x%d", v);
    if (goes)
        new_equation(g, v);
    commit(g, false);
}

static void one_change(Gen *g)
{
    if (g->turning && chance(g, 20)) {
        hold_for_a_while(g);
        return;
    }
    int grow = g->n_vars < (int)g->set->size ? 3 : 1, pick = below(g, 20 + 8 * grow);

    if (g->switching && chance(g, 15)) {
        change_transmission(g);
        return;
    }
    if (pick < 3 * grow)
        add_algebraic(g);
    else if (pick < 8 * grow)
        g->set->index == 0                                ? add_algebraic(g)
        : g->set->index >= 3 && grow > 1 && chance(g, 15) ? add_mechanism(g)
                                                          : add_derivative(g);
    else if ((pick -= 8 * grow) < 5)
        replace_equation(g);
    else if (pick < 11)
        turn_path(g);
    else if (pick < 13)
        overdetermine(g);
    else if (pick < 17)
        remove_variable(g);
    else if (pick < 19)
        change_transmission(g);
    else
        give_advice(g);
}

ScriptLines rel_random(Arena *arena, const RandomSettings *settings)
{
    Gen *g = mem_alloc(arena->mem, sizeof *g);

    g->arena = arena;
    g->state = settings->seed;
    g->set = settings;
    g->switching = hash_u64(settings->seed) % 3 == 0;
    g->turning = hash_u64(settings->seed) % 5 == 0;
    for (int h = 0; h < HELD; h++)
        g->held[h] = NOBODY;
    if (hash_u64(settings->seed) % 4 == 0)
        emit(g, "eager");
    emit(g, "time t");
    for (int p = 0; p < KNOWN; p++)
        emit(g, "known p%d = %.2f", p, coefficient(g));
    for (int h = 0; h < HELD; h++)
        emit(g, "held h%d = %.2f", h, coefficient(g));
    for (int i = 0; i < 3; i++)
        new_equation(g, new_var(g));
    while (g->changes < settings->changes)
        one_change(g);
    ScriptLines lines = g->lines;
    mem_free(arena->mem, g);
    return lines;
}
