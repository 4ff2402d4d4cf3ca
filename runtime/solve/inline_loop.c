/* inline_loop.c: a linear loop of a plan -> steps, tearing variables and residuals. See inline_plan.h.
 *
 * A DDP of its own tears it. What comes out depends on the shape of the loop alone: the forms of its relations, which of their variables are
 * the same, which the loop determines, and what is known of the others. So loops of one shape, in whatever part and mode, are torn once.
 *
 * With one tearing variable and few steps all else is eliminated: the residual, with the steps put into it, is linear in that variable and
 * solved for it.
 *
 * What is kept is bounded: beyond MOST_WORDS all of it goes.
 */
#include "runtime/solve/inline_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELIMINATED = 12, MOST_WORDS = 1 << 20 };

/* What a loop knows of a variable. */
enum { PARAMETER = 1, GIVEN, STEP_SIZE, VARIES, OWN, OWN_HINTED };

struct InlineLoops {
    Arena arena; /* of all that is known */
    VEC(InlineLoop *) known;
    Map at; /* key -> index in `known` of the last with this key + 1 */
    uint32_t n_words;
    VEC(uint32_t) words; /* of the loop that is looked at */
    VEC(uint32_t) vars;  /* its variables in the plan */
    VEC(uint8_t) kinds;  /* and what is known of each */
    VEC(uint32_t) of;    /* [variable of the plan]: index + 1, 0 between calls */
};

typedef struct Tearing {
    Sim *sim;
    InlineLoops *loops;
    const InlineRel *rels;
    uint32_t n;
    const uint32_t *members;
} Tearing;

InlineLoops *inline_loops_open(Mem *mem)
{
    InlineLoops *loops = mem_alloc(mem, sizeof *loops);
    arena_init(&loops->arena, mem);
    return loops;
}

static void forget_all(Mem *mem, InlineLoops *loops)
{
    arena_free(&loops->arena);
    vec_clear(&loops->known);
    map_free(mem, &loops->at);
    loops->n_words = 0;
}

void inline_loops_close(Mem *mem, InlineLoops *loops)
{
    if (!loops)
        return;
    forget_all(mem, loops);
    vec_free(mem, &loops->known);
    vec_free(mem, &loops->words);
    vec_free(mem, &loops->vars);
    vec_free(mem, &loops->kinds);
    vec_free(mem, &loops->of);
    mem_free(mem, loops);
}

/* ---- shapes ---- */

static uint8_t kind_of(const InlineVar *var)
{
    switch (var->role) {
    case INLINE_GIVEN:
        return var->solid ? PARAMETER : GIVEN;
    case INLINE_H:
        return STEP_SIZE;
    default:
        return VARIES;
    }
}

static const InlineRel *member(const Tearing *t, uint32_t i)
{
    return &t->rels[t->members[i]];
}

static uint32_t number_of(Tearing *t, uint32_t var)
{
    InlineLoops *loops = t->loops;
    Mem *mem = t->sim->mem;
    if (!var)
        return 0;
    while (loops->of.n <= var)
        vec_push(mem, &loops->of, 0);
    if (!loops->of.at[var]) {
        vec_push(mem, &loops->vars, var);
        loops->of.at[var] = loops->vars.n;
    }
    return loops->of.at[var];
}

/* Words of the shape, and the variables in the order in which they are named. */
static void describe(Tearing *t, const InlineVar *var)
{
    InlineLoops *loops = t->loops;
    Mem *mem = t->sim->mem;
    vec_clear(&loops->words);
    vec_clear(&loops->vars);
    vec_clear(&loops->kinds);
    for (uint32_t i = 0; i < t->n; i++) {
        vec_push(mem, &loops->words, member(t, i)->form);
        for (uint32_t k = 0; k < member(t, i)->n; k++) {
            uint32_t number = number_of(t, member(t, i)->vars[k]);
            vec_push(mem, &loops->words, number);
        }
    }
    for (uint32_t i = 0; i < loops->vars.n; i++)
        vec_push(mem, &loops->kinds, kind_of(&var[loops->vars.at[i]]));
    for (uint32_t i = 0; i < t->n; i++) {
        const InlineVar *own = &var[member(t, i)->var];
        loops->kinds.at[number_of(t, member(t, i)->var) - 1] =
            own->hinted || own->state ? OWN_HINTED : OWN;
    }
    for (uint32_t i = 0; i < loops->vars.n; i++) {
        vec_push(mem, &loops->words, loops->kinds.at[i]);
        loops->of.at[loops->vars.at[i]] = 0;
    }
}

static InlineLoop *find(const InlineLoops *loops, uint64_t key)
{
    uint32_t at = map_get(&loops->at, key);
    InlineLoop *loop = at ? loops->known.at[at - 1] : NULL;
    bool same = loop && loop->n_words == loops->words.n &&
                memcmp(loop->words, loops->words.at, loop->n_words * sizeof *loop->words) == 0;
    return same ? loop : NULL;
}

/* ---- tearing ---- */

/* Variables and relations have the numbers here that they have in the loop, counted from 1. */
static void enter(Tearing *t, Ddp *ddp)
{
    const InlineLoops *loops = t->loops;
    const uint32_t *word = loops->words.at;
    for (uint32_t i = 0; i < loops->vars.n; i++) {
        uint8_t kind = loops->kinds.at[i];
        DdpVar var = ddp_enter_var(ddp, kind >= OWN         ? DDP_UNKNOWN
                                        : kind == PARAMETER ? DDP_KNOWN
                                                            : DDP_HELD);
        if (kind == OWN_HINTED)
            ddp_hint_tearing(ddp, var, 1);
    }
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t n = member(t, i)->n;
        ddp_enter_rel(ddp, DDP_EQUATION, *word, n, word + 1, 0, 0);
        word += 1 + n;
    }
}

static X residual_of(const Tearing *t, uint32_t rel)
{
    const FormInfo *info = form_info(t->sim->forms, member(t, rel)->form);
    return x_binary(t->sim->forms, X_SUB, info->lhs, info->rhs);
}

static void take_steps(const Tearing *t, const DdpNodeView *view, InlineLoop *loop)
{
    Arena *arena = &t->loops->arena;
    loop->n_steps = view->n_steps;
    loop->n_tears = view->n_tears;
    loop->steps = arena_alloc(arena, (view->n_steps + view->n_tears) * sizeof *loop->steps);
    loop->tears = arena_alloc(arena, (view->n_tears + 1) * sizeof *loop->tears);
    for (uint32_t i = 0; i < view->n_steps; i++)
        loop->steps[i] =
            (InlineLoopStep){view->steps[i].rel - 1, view->steps[i].var, view->steps[i].value};
    for (uint32_t i = 0; i < view->n_tears; i++) {
        uint32_t rel = view->residuals[i].rel - 1;
        loop->steps[view->n_steps + i] = (InlineLoopStep){rel, 0, residual_of(t, rel)};
        loop->tears[i] = view->tears[i];
    }
}

/* Is a factor of one of the loop's variables made of more than what changes with events and h? */
static bool bends_factor(const Tearing *t, const InlineRel *rel, const uint32_t *numbers)
{
    const FormInfo *info = form_info(t->sim->forms, rel->form);
    const uint8_t *kinds = t->loops->kinds.at;
    for (uint32_t k = 0; k < rel->n; k++) {
        const FormPosition *position = &info->position[k];
        if (!position->factor_uses || !position->factor || !numbers[k] ||
            kinds[numbers[k] - 1] < OWN)
            continue;
        for (uint32_t j = 0; j < rel->n; j++)
            if (numbers[j] && kinds[numbers[j] - 1] >= VARIES &&
                form_factor_uses(t->sim->forms, position, j))
                return true;
    }
    return false;
}

static bool is_constant(const Tearing *t)
{
    const uint32_t *word = t->loops->words.at;
    bool constant = true;
    for (uint32_t i = 0; i < t->n && constant; i++) {
        constant = !bends_factor(t, member(t, i), word + 1);
        word += 1 + member(t, i)->n;
    }
    return constant;
}

/* ---- elimination ---- */

typedef struct Eliminating {
    Tearing *t;
    uint32_t *at; /* [variables]: its position + 1 */
    X *value;     /* [variables]: of what a step determines, over these positions; 0: none does */
    VEC(uint32_t) vars;
} Eliminating;

static X value_over(Eliminating *e, uint32_t var)
{
    if (e->value[var])
        return e->value[var];
    if (!e->at[var]) {
        vec_push(e->t->sim->mem, &e->vars, var);
        e->at[var] = e->vars.n;
    }
    return x_pos(e->t->sim->forms, e->at[var] - 1);
}

static X put_values(Eliminating *e, const InlineLoopStep *step)
{
    Sim *sim = e->t->sim;
    const uint32_t *word = e->t->loops->words.at;
    for (uint32_t i = 0; i < step->rel; i++)
        word += 1 + member(e->t, i)->n;
    uint32_t n = member(e->t, step->rel)->n;
    X *by = mem_alloc(sim->mem, (n + 1) * sizeof *by);
    for (uint32_t i = 0; i < n; i++)
        by[i] = value_over(e, word[1 + i]);
    X value = x_put(sim->forms, step->value, by);
    mem_free(sim->mem, by);
    return value;
}

static void eliminate(Tearing *t, InlineLoop *loop)
{
    FormTable *forms = t->sim->forms;
    Mem *mem = t->sim->mem;
    uint32_t n_vars = t->loops->vars.n + 1;
    if (loop->n_tears != 1 || loop->n_steps > MOST_ELIMINATED)
        return;
    Eliminating e = {.t = t,
                     .at = mem_alloc(mem, n_vars * sizeof *e.at),
                     .value = mem_alloc(mem, n_vars * sizeof *e.value)};
    value_over(&e, loop->tears[0]);
    for (uint32_t i = 0; i < loop->n_steps; i++) {
        X value = put_values(&e, &loop->steps[i]);
        e.value[loop->steps[i].var] = value;
    }
    X left = put_values(&e, &loop->steps[loop->n_steps]);
    Form form = form_make(forms, left, x_const(forms, 0), e.vars.n);
    const FormPosition *tear = &form_info(forms, form)->position[0];
    if (tear->solvable != SOLVE_NOT && tear->solved) {
        loop->solved = tear->solved;
        loop->n_solved = e.vars.n;
        loop->solved_vars = arena_alloc(&t->loops->arena, e.vars.n * sizeof *e.vars.at);
        memcpy(loop->solved_vars, e.vars.at, e.vars.n * sizeof *e.vars.at);
    }
    mem_free(mem, e.at);
    mem_free(mem, e.value);
    vec_free(mem, &e.vars);
}

/* ---- the whole ---- */

static void keep_words(InlineLoops *loops, InlineLoop *loop)
{
    loop->n_words = loops->words.n;
    loop->words = arena_alloc(&loops->arena, loop->n_words * sizeof *loop->words);
    memcpy(loop->words, loops->words.at, loop->n_words * sizeof *loop->words);
    loops->n_words += loop->n_words;
}

static InlineLoop *tear(Tearing *t)
{
    Sim *sim = t->sim;
    InlineLoop *loop = NULL;
    Ddp *ddp = ddp_open(sim->mem, sim->forms);
    enter(t, ddp);
    bool fine = ddp_commit(ddp, DDP_FINAL).verdict == DDP_DETERMINED;
    DdpNode node = fine ? ddp_first(ddp) : 0;
    if (node && !ddp_next(ddp, node)) {
        DdpNodeView view = ddp_node(ddp, node);
        if (view.loop && view.linear) {
            loop = arena_alloc(&t->loops->arena, sizeof *loop);
            take_steps(t, &view, loop);
            loop->constant = is_constant(t);
            eliminate(t, loop);
            keep_words(t->loops, loop);
        }
    }
    ddp_close(ddp);
    return loop;
}

#ifdef SOLSTICE_VERIFY
/* What is kept of a shape is what comes out when it is torn again. */
static void verify(Tearing *t, const InlineLoop *loop)
{
    const InlineLoop *again = tear(t);
    bool same = again && again->n_steps == loop->n_steps && again->n_tears == loop->n_tears &&
                again->constant == loop->constant && again->solved == loop->solved &&
                again->n_solved == loop->n_solved &&
                memcmp(again->steps, loop->steps,
                       (loop->n_steps + loop->n_tears) * sizeof *loop->steps) == 0 &&
                memcmp(again->tears, loop->tears, loop->n_tears * sizeof *loop->tears) == 0;
    if (same)
        return;
    fprintf(stderr, "inline_loop: a loop of %u equations is not torn as it was\n", t->n);
    abort();
}
#endif

const InlineLoop *inline_loop(Sim *sim, InlineLoops *loops, const InlineVar *var,
                              const InlineRel *rels, uint32_t n, const uint32_t *members,
                              const uint32_t **vars)
{
    Tearing t = {.sim = sim, .loops = loops, .rels = rels, .n = n, .members = members};
    describe(&t, var);
    *vars = loops->vars.at;
    uint64_t key = hash_bytes(loops->words.at, loops->words.n * sizeof *loops->words.at, 5);
    InlineLoop *loop = find(loops, key);
#ifdef SOLSTICE_VERIFY
    if (loop)
        verify(&t, loop);
#endif
    if (loop)
        return loop;
    if (loops->n_words > MOST_WORDS)
        forget_all(sim->mem, loops);
    loop = tear(&t);
    if (!loop)
        return NULL;
    vec_push(sim->mem, &loops->known, loop);
    map_put(sim->mem, &loops->at, key, loops->known.n);
    return loop;
}
