/* start_guess.c: start values -> first guesses of everything that follows from them.
 *
 * When states have no start values of their own, but other variables do, the states' values should
 * follow from these. The DDP's causality goes the other way, from states to the rest, perhaps
 * through loops that have no solution for states that are simply 0 (a position that no angle
 * reaches). So relations, differentiated ones included, are used here in whatever direction one
 * unknown is left: a start value counts as known, a relation with one unknown that it can be solved
 * for gives that one, and so on. Results are guesses only: what the DDP determines is computed from
 * the states later, and start_solve.c corrects the states.
 */
#include "runtime/event/event.h"

#include <math.h>

typedef struct Guess {
    Sim *sim;
    uint8_t *known;  /* [var] */
    uint32_t *open;  /* [rel]: unknowns in it */
    uint32_t *first; /* [var]: first occurrence, number + 1 */
    uint32_t *next;  /* [occurrence]: of the same variable, number + 1 */
    DdpRel *rel_of;  /* [occurrence] */
    DdpRel *work;
    uint32_t n_work;
} Guess;

static bool occurs(const Sim *sim, const DdpRelView *rel, uint32_t position)
{
    return rel->vars[position] && form_info(sim->forms, rel->form)->position[position].occurs;
}

static uint32_t count_occurrences(const Sim *sim)
{
    uint32_t count = 0;
    for (DdpRel r = 1; r < ddp_rel_limit(sim->ddp); r++)
        if (ddp_rel_used(sim->ddp, r))
            count += ddp_rel(sim->ddp, r).n;
    return count;
}

static void open_guess(Guess *g, Arena *arena)
{
    Sim *sim = g->sim;
    uint32_t vars = ddp_var_limit(sim->ddp), rels = ddp_rel_limit(sim->ddp),
             all = count_occurrences(sim) + 1, at = 0;
    g->known = arena_alloc(arena, vars);
    g->first = arena_alloc(arena, vars * sizeof *g->first);
    g->open = arena_alloc(arena, rels * sizeof *g->open);
    g->work = arena_alloc(arena, (rels + all) * sizeof *g->work);
    g->next = arena_alloc(arena, all * sizeof *g->next);
    g->rel_of = arena_alloc(arena, all * sizeof *g->rel_of);
    for (DdpVar v = 1; v < vars; v++)
        g->known[v] = sim->info[v].has && !sim->info[v].pending && isfinite(sim->value[v]);
    for (uint32_t i = 0; i < sim->start.starts.n; i++) {
        const StartMemo *start = &sim->start.starts.at[i];
        if (!start->var || g->known[start->var] || !g->known[start->start])
            continue;
        g->known[start->var] = 1;
        sim->value[start->var] = sim->value[start->start];
    }
    for (DdpRel r = 1; r < rels; r++) {
        if (!ddp_rel_used(sim->ddp, r))
            continue;
        DdpRelView rel = ddp_rel(sim->ddp, r);
        for (uint32_t i = 0; i < rel.n; i++) {
            if (!occurs(sim, &rel, i) || g->known[rel.vars[i]])
                continue;
            g->open[r]++;
            g->rel_of[at] = r;
            g->next[at] = g->first[rel.vars[i]];
            g->first[rel.vars[i]] = ++at;
        }
        if (g->open[r] == 1)
            g->work[g->n_work++] = r;
    }
}

/* The relation's one unknown from the others, if it can be solved for it. */
static void use(Guess *g, DdpRel r)
{
    Sim *sim = g->sim;
    DdpRelView rel = ddp_rel(sim->ddp, r);
    const FormInfo *form = form_info(sim->forms, rel.form);
    uint32_t at = 0;
    while (at < rel.n && (!occurs(sim, &rel, at) || g->known[rel.vars[at]]))
        at++;
    if (at == rel.n || form->position[at].solvable == SOLVE_NOT)
        return;
    DdpVar var = rel.vars[at];
    double value =
        x_value(sim->forms, form->position[at].solved, rel.vars, sim->value, evaluate_foreign, sim);
    if (!isfinite(value))
        return;
    sim->value[var] = value;
    g->known[var] = 1;
    for (uint32_t o = g->first[var]; o; o = g->next[o - 1])
        if (--g->open[g->rel_of[o - 1]] == 1)
            g->work[g->n_work++] = g->rel_of[o - 1];
}

/* Only values of variables that have none are touched. */
void start_guess(Sim *sim)
{
    Guess g = {.sim = sim};
    Arena arena;
    arena_init(&arena, sim->mem);
    open_guess(&g, &arena);
    for (uint32_t i = 0; i < g.n_work; i++)
        if (g.open[g.work[i]] == 1)
            use(&g, g.work[i]);
    arena_free(&arena);
}
