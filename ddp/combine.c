/* combine.c: a combination of relations -> in the place of one of them, as long as all of them are
 * there.
 *
 * Structure does not see that equations contradict or repeat each other by their numbers: voltages
 * around a circle of components, currents into a part of a circuit that hangs on a coil. Such a
 * circle is a singular loop, and hides a relation among what it reads. The numerics find the
 * combination (runtime/eval/loop_combine.c); here it stands for one of the relations that it is made of,
 * under its number, so that for the world nothing has changed. Where one of the others leaves, the
 * relation is what it was; first those combinations end that were made of this one.
 */
#include "ddp/ddp_int.h"

#include <stdlib.h>
#include <string.h>

/* Another equation under the same number, with the commit that is about to begin. */
static void exchange(Ddp *d, DdpRel r, Form form, const List *vars)
{
    DdpVar logic = REL(d, r).has_logic ? relation_vars(d, r)[REL(d, r).n] : 0;
    bool waits = false;
    relation_remove(d, r);
    DdpRel again = relation_new_rel(d, DDP_EQUATION, form, vars->n, vars->at, logic);
    if (again != r)
        abort();
    for (uint32_t i = 0; i < d->entering.n && !waits; i++)
        waits = d->entering.at[i] == r;
    if (!waits)
        vec_push(d->mem, &d->entering, r);
}

void combine_free(Ddp *d, Combined *c)
{
    vec_free(d->mem, &c->before);
    vec_free(d->mem, &c->vars);
    vec_free(d->mem, &c->others);
}

void ddp_combine(Ddp *d, DdpRel rel, Form form, uint32_t n, const DdpVar *vars, uint32_t n_others,
                 const DdpRel *others)
{
    Combined c = {.rel = rel, .form_before = REL(d, rel).form, .form = form};
    for (uint32_t i = 0; i < REL(d, rel).n; i++)
        vec_push(d->mem, &c.before, relation_vars(d, rel)[i]);
    for (uint32_t i = 0; i < n; i++)
        vec_push(d->mem, &c.vars, vars[i]);
    for (uint32_t i = 0; i < n_others; i++)
        vec_push(d->mem, &c.others, others[i]);
    vec_push(d->mem, &d->combined, c);
}

static bool names(const Combined *c, DdpRel rel)
{
    for (uint32_t i = 0; i < c->others.n; i++)
        if (c->others.at[i] == rel)
            return true;
    return c->rel == rel;
}

static bool is_over(const Ddp *d, const Combined *c)
{
    for (uint32_t i = 0; i < c->others.n; i++)
        if (REL(d, c->others.at[i]).leaving)
            return true;
    return REL(d, c->rel).leaving;
}

/* Younger ones are made of older ones, never the other way round. */
static void end(Ddp *d, uint32_t which)
{
    for (uint32_t k = d->combined.n; k-- > which + 1;)
        if (names(&d->combined.at[k], d->combined.at[which].rel))
            end(d, k);
    Combined c = d->combined.at[which];
    d->combined.n--;
    memmove(&d->combined.at[which], &d->combined.at[which + 1],
            (d->combined.n - which) * sizeof *d->combined.at);
    if (c.stands && !REL(d, c.rel).leaving)
        exchange(d, c.rel, c.form_before, &c.before);
    combine_free(d, &c);
}

void combine_update(Ddp *d)
{
    for (uint32_t i = d->combined.n; i-- > 0;)
        if (i < d->combined.n && d->leaving.n && is_over(d, &d->combined.at[i]))
            end(d, i);
    for (uint32_t i = 0; i < d->combined.n; i++) {
        Combined *c = &d->combined.at[i];
        if (c->stands)
            continue;
        c->stands = true;
        exchange(d, c->rel, c->form, &c->vars);
    }
}

/* The oldest one has the relation as it was entered; younger ones are made of more. */
bool ddp_combination(const Ddp *d, DdpRel rel, DdpCombination *out)
{
    bool any = false;
    for (uint32_t i = 0; i < d->combined.n; i++) {
        const Combined *c = &d->combined.at[i];
        if (c->rel != rel || !c->stands)
            continue;
        if (!any)
            *out = (DdpCombination){c->form_before, c->before.n, c->before.at, 0, NULL};
        out->n_others = c->others.n;
        out->others = c->others.at;
        any = true;
    }
    return any;
}
