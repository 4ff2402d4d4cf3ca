/* inline_peel.c: equations and too few unknowns -> which equations determine them one after the other, which are left over.
 *
 * What is iterated counts as known, so a group has as many equations more than unknowns as it iterates variables. Which of
 * them become the residuals is free. Here an equation that has one unknown left determines it; those that
 * find everything determined are left over. Where that reaches all unknowns no loop is left between what is iterated and the
 * residuals: of a chain of bodies whose accelerations are iterated, the balances of torque in the hinges are left over.
 *
 * A block is a linear loop that stays as it is: it determines its own unknowns together, once the others in it are known.
 */
#include "runtime/solve/inline_plan.h"

#include <string.h>

typedef struct Peeling {
    Mem *mem;
    const InlinePeel *of;
    uint32_t *
        open; /* [n items]: unknowns that are not determined yet; own ones of a block do not count */
    bool *known;     /* [n vars] */
    uint32_t *first; /* [n vars + 1]: items that name variable v begin here in `users` */
    uint32_t *users;
    VEC(uint32_t) ready; /* items, in order */
} Peeling;

static void list_users(Peeling *p)
{
    const InlinePeel *of = p->of;
    for (uint32_t i = 0; i < of->names.n; i++)
        p->first[of->names.at[i].var + 1]++;
    for (uint32_t v = 0; v < of->n_vars; v++)
        p->first[v + 1] += p->first[v];
    uint32_t *next = mem_alloc(p->mem, (of->n_vars + 1) * sizeof *next);
    memcpy(next, p->first, of->n_vars * sizeof *next);
    for (uint32_t i = 0; i < of->items.n; i++) {
        const InlinePeelItem *item = &of->items.at[i];
        for (uint32_t k = item->from; k < item->to; k++)
            p->users[next[of->names.at[k].var]++] = i;
    }
    mem_free(p->mem, next);
}

static bool is_ready(const Peeling *p, uint32_t i)
{
    return p->open[i] == (p->of->items.at[i].block ? 0 : 1);
}

static void determine(Peeling *p, uint32_t var)
{
    p->known[var] = true;
    for (uint32_t k = p->first[var]; k < p->first[var + 1]; k++) {
        uint32_t user = p->users[k];
        p->open[user]--;
        if (is_ready(p, user))
            vec_push(p->mem, &p->ready, user);
    }
}

/* The one that is left, if the item can be solved for it; UINT32_MAX: it cannot. */
static uint32_t last_unknown(const Peeling *p, const InlinePeelItem *item)
{
    for (uint32_t k = item->from; k < item->to; k++) {
        const InlinePeelName *name = &p->of->names.at[k];
        if (!p->known[name->var])
            return name->solvable ? name->var : UINT32_MAX;
    }
    return UINT32_MAX;
}

static uint32_t peel(Peeling *p, InlinePeel *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->items.n; i++)
        if (is_ready(p, i))
            vec_push(p->mem, &p->ready, i);
    for (uint32_t at = 0; at < p->ready.n; at++) {
        InlinePeelItem *item = &of->items.at[p->ready.at[at]];
        if (item->block) {
            item->used = true;
            for (uint32_t k = item->own_from; k < item->own_to; k++, count++)
                determine(p, of->own.at[k]);
            continue;
        }
        uint32_t var = p->open[p->ready.at[at]] == 1 ? last_unknown(p, item) : UINT32_MAX;
        if (var == UINT32_MAX)
            continue;
        item->used = true;
        item->var = var;
        determine(p, var);
        count++;
    }
    return count;
}

bool inline_peel(Mem *mem, InlinePeel *of)
{
    Peeling p = {.mem = mem,
                 .of = of,
                 .open = mem_alloc(mem, (of->items.n + 1) * sizeof *p.open),
                 .known = mem_alloc(mem, of->n_vars + 1),
                 .first = mem_alloc(mem, (of->n_vars + 2) * sizeof *p.first),
                 .users = mem_alloc(mem, (of->names.n + 1) * sizeof *p.users)};
    for (uint32_t i = 0; i < of->items.n; i++)
        p.open[i] = of->items.at[i].to - of->items.at[i].from;
    list_users(&p);
    bool all = peel(&p, of) == of->n_vars;
    mem_free(mem, p.open);
    mem_free(mem, p.known);
    mem_free(mem, p.first);
    mem_free(mem, p.users);
    vec_free(mem, &p.ready);
    return all;
}
