/* audit_view.c: a tape -> values for the audit, without a copy of all of them into Sim.value.
 *
 * Between events a run that shows little evaluates little. The audit wants all values, and reads those of sums, which most
 * relations are, where the tape has them. Into Sim.value comes only what outputs and other relations read.
 * Now and then, and at each event, all values go the way that output takes them: so the copy is looked at as well.
 */
#include "runtime/eval/tape.h"
#include "runtime/parts/parts.h"
#include "runtime/sim/audit_int.h"

enum {
    WHOLE_EVERY = 16, /* points */
    WORTH_FROM = 64   /* nodes of a part */
};

void audit_view_free(Audit *audit)
{
    Mem *mem = audit->sim->mem;
    vec_free(mem, &audit->view.place);
    vec_free(mem, &audit->view.needed);
    vec_free(mem, &audit->view.copies);
}

static void need(Audit *audit, DdpVar var)
{
    vec_push(audit->sim->mem, &audit->view.needed, var);
}

/* What is read from Sim.value beside sums. */
static void list_needed(Audit *audit)
{
    Sim *sim = audit->sim;
    EACH_SEGMENT (&sim->outputs, segment)
        for (uint32_t i = 0; i < segment->nodes.n; i++) {
            const EvalNode *node = &sim->nodes.at[segment->nodes.at[i]];
            for (uint32_t k = 0; k < node->n_reads; k++)
                need(audit, node->reads[k].var);
        }
    for (uint32_t i = 0; i < audit->others.n; i++) {
        DdpRelView view = audit_as_entered(sim, audit->others.at[i]);
        for (uint32_t k = 0; k < view.n; k++)
            need(audit, view.vars[k]);
    }
    for (uint32_t i = 0; i < audit->kept_always; i++)
        need(audit, audit->kept.at[i]);
}

/* States are in Sim.value, and so is what comes from outside the part: that its tape has the same is looked at where
 * all goes through Sim.value. Each variable once. */
static void list_copies(Audit *audit)
{
    Sim *sim = audit->sim;
    vec_clear(&audit->view.copies);
    for (uint32_t i = 0; i < audit->view.needed.n; i++) {
        DdpVar var = audit->view.needed.at[i];
        uint32_t place = audit->view.place.at[var];
        if (place == TAPE_NOWHERE || !part_of_var(sim, var) || sim->info[var].state)
            continue;
        vec_push(sim->mem, &audit->view.copies, ((ViewCopy){var, place}));
        audit->view.place.at[var] = TAPE_NOWHERE;
    }
    for (uint32_t i = 0; i < audit->view.copies.n; i++)
        audit->view.place.at[audit->view.copies.at[i].var] = audit->view.copies.at[i].place;
}

static void bring_places(Audit *audit, const Part *part, uint64_t number)
{
    AuditView *view = &audit->view;
    if (view->number == number && audit_plain_is_placed(audit->plain))
        return;
    view->number = number;
    vec_clear(&view->place);
    vec_clear(&view->needed);
    while (view->place.n < audit->sim->n_values)
        vec_push(audit->sim->mem, &view->place, TAPE_NOWHERE);
    tape_view_places(part, view->place.at);
    audit_plain_place(audit->plain, view->place.at, &view->needed);
    list_needed(audit);
    list_copies(audit);
}

static void copy_needed(const Audit *audit, const double *from)
{
    double *value = audit->sim->value;
    const ViewCopy *at = audit->view.copies.at, *end = at + audit->view.copies.n;
    for (; at < end; at++)
        value[at->var] = from[at->place];
    VarList wanted = output_plan_vars(audit->sim);
    for (uint32_t i = 0; i < wanted.n; i++) {
        DdpVar var = wanted.at[i];
        uint32_t place = var < audit->view.place.n ? audit->view.place.at[var] : TAPE_NOWHERE;
        if (place != TAPE_NOWHERE)
            value[var] = from[place];
    }
}

static uint32_t size_of(const Part *part)
{
    return part->orders[0].n + part->orders[1].n;
}

/* The largest part, if one is that large. */
static Part *find_part(const Sim *sim)
{
    Part *largest = NULL;
    for (uint32_t i = 0; i < sim->parts.n && sim->parts.n <= SOL_FEW_PARTS; i++)
        if (size_of(sim->parts.at[i]) >= (largest ? size_of(largest) + 1 : WORTH_FROM))
            largest = sim->parts.at[i];
    return largest;
}

bool audit_view_bring(Audit *audit)
{
    Sim *sim = audit->sim;
    Part *part = audit->points % WHOLE_EVERY ? find_part(sim) : NULL;
    TapeView view = {0};
    for (uint32_t i = 0; i < sim->parts.n && part; i++)
        if (sim->parts.at[i] != part)
            part_bring(sim->parts.at[i], EVAL_PLAIN);
    if (part && parts_status(sim) == SOL_OK)
        view = part_view(part);
    if (!view.value)
        return false;
    bring_places(audit, part, view.number);
    copy_needed(audit, view.value);
    audit->view.value = view.value;
    if (evaluate_node_order(sim, &sim->outputs, EVAL_PLAIN) != SOL_OK)
        audit_view_settle(audit);
    return audit->view.value != NULL;
}

void audit_view_slopes(Audit *audit, const Part *part)
{
    const double *from = audit->view.value;
    for (uint32_t i = 0; i < part->states.n && from; i++) {
        DdpVar slope = part->states.at[i].slope;
        uint32_t place = audit->view.place.at[slope];
        if (place != TAPE_NOWHERE)
            audit->sim->value[slope] = from[place];
    }
}

void audit_view_settle(Audit *audit)
{
    if (!audit->view.value)
        return;
    audit->view.value = NULL;
    parts_bring_all(audit->sim, EVAL_PLAIN);
}
